//! Contact problems as their Delassus matrix, `kind: "contact-local"`: u = W r + q, normal first at each contact.
//!
//! ```json
//! { "kind": "contact-local", "name": "block", "dimension": 2, "W": [[1, 0], [0, 1]], "q": [-1, 0.2], "mu": [0.5] }
//! ```

use serde::Serialize;
use stiction_contact::LocalProblem;

use super::json::{self, Fields, each};
use super::sparse;
use super::{Given, RawFile};
use crate::bad_input::{BadInput, expect_length, one_line};

/// Reads a problem from the fields of its object.
pub(super) fn read(fields: &Fields<'_>, default_name: &str) -> Result<RawFile, BadInput> {
    fields.only(&["kind", "name", "dimension", "W", "q", "mu"])?;
    let name = fields.get("name").map(|raw| json::string(raw, "name")).transpose()?;
    let dimension = fields
        .get("dimension")
        .map_or(Ok(3), |raw| json::index(raw, "dimension"))?;
    let q = json::numbers(fields.need("q")?, "q")?;
    let mu = json::numbers(fields.need("mu")?, "mu")?;
    let mut entries = Vec::new();
    let rows = each(fields.need("W")?, "W", &mut |r, raw| {
        let row = json::numbers(raw, &format!("W[{r}]"))?;
        expect_length(format!("W[{r}]"), q.len(), row.len())?;
        entries.extend(
            row.into_iter()
                .enumerate()
                .filter(|(_, x)| *x != 0.0)
                .map(|(c, x)| (r, c, x)),
        );
        Ok(())
    })?;
    expect_length("W", q.len(), rows)?;
    let matrix = sparse::Sparse::new(q.len(), q.len(), entries);
    let local = sparse::local(dimension, &matrix, q, mu)?;
    let name = one_line(name.as_deref().unwrap_or(default_name)); // it is printed to terminals
    RawFile::new(name, "contact-local (JSON)", Given::Local(local))
}

#[derive(Serialize)]
struct File<'a> {
    kind: &'static str,
    name: &'a str,
    dimension: usize,
    #[serde(rename = "W")]
    matrix: Vec<Vec<f64>>,
    q: Vec<f64>,
    mu: &'a [f64],
}

/// The text of a file from which the same bits come back.
pub fn text(local: &LocalProblem, name: &str) -> Result<String, BadInput> {
    let (d, rows) = (local.dimension(), local.q().len());
    let rows_of = (0..rows)
        .filter(|r| r % 3 < d)
        .map(|r| sparse::narrow(d, &local.W()[r * rows..(r + 1) * rows]));
    crate::write::json_text(&File {
        kind: "contact-local",
        name,
        dimension: d,
        matrix: rows_of.collect(),
        q: sparse::narrow(d, local.q()),
        mu: local.mu(),
    })
}
