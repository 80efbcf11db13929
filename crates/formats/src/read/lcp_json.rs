//! The project's own problem files: `kind: "lcp"` and `kind: "mlcp"`.
//!
//! ```json
//! { "kind": "lcp", "name": "murty-2", "M": [[2, 1], [1, 2]], "q": [-5, -6], "class": "psd" }
//! { "kind": "mlcp", "name": "box", "M": [[1]], "q": [3], "lower": [-1], "upper": [1] }
//! ```
//!
//! `class` is optional, and so is `z_names`, a list of n names for the entries of z. An mlcp has `free`, a list of indices, or `lower` and `upper`, lists of numbers with `null` where there is
//! no bound; without them z ≥ 0.

use serde_json::value::RawValue;
use stiction_lcp::{Class, Lcp, Matrix, Mlcp};

use super::json::{self, Entry, Fields, each, number, wrong};
use super::{Exact, Named, Problem, ReadOptions};
use crate::bad_input::{BadInput, expect_length, one_line};

/// Longest first row of a matrix that is stored whatever the size of the file.
const ALWAYS_ALLOWED_ROW: usize = 1024;

/// Reads one problem from the fields of its object.
pub(super) fn read(fields: &Fields<'_>, default_name: &str, options: ReadOptions) -> Result<Named, BadInput> {
    let kind_field = fields.need("kind")?;
    let kind = json::string(kind_field, "kind")?;
    let mixed = match kind.as_str() {
        "lcp" => false,
        "mlcp" => true,
        _ => {
            return Err(wrong(
                "kind",
                "must be one of lcp, mlcp, contact, contact-acceleration, contact-raw, contact-local",
                kind_field,
            ));
        }
    };
    let known: &[&str] = if mixed {
        &["kind", "name", "M", "q", "class", "z_names", "free", "lower", "upper"]
    } else {
        &["kind", "name", "M", "q", "class", "z_names"]
    };
    fields.only(known)?;
    let name = fields.get("name").map(|raw| json::string(raw, "name")).transpose()?;
    let class = fields.get("class").map(class).transpose()?.unwrap_or_default();
    let data = Data::read(fields, options)?;
    let z_names = z_names(fields, data.q.len())?;
    let problem = if mixed {
        let (lower, upper) = bounds(fields, data.q.len())?;
        Problem::Mlcp(Mlcp::new(data.matrix, data.q, lower, upper)?.with_class(class))
    } else {
        Problem::Lcp(Lcp::new(data.matrix, data.q)?.with_class(class))
    };
    Ok(Named {
        exact: data.exact,
        z_names,
        ..Named::new(name.unwrap_or_else(|| default_name.to_owned()), problem)
    })
}

/// Names of the variables, one each, or none at all.
fn z_names(fields: &Fields<'_>, n: usize) -> Result<Vec<String>, BadInput> {
    let Some(raw) = fields.get("z_names") else {
        return Ok(Vec::new());
    };
    let names = json::strings(raw, "z_names")?;
    expect_length("z_names", n, names.len())?;
    Ok(names.iter().map(|name| one_line(name)).collect()) // they are printed to terminals
}

/// The fields `M` and `q`, which every JSON format shares.
pub(super) struct Data {
    pub(super) matrix: Matrix,
    pub(super) q: Vec<f64>,
    pub(super) exact: Option<Exact>,
}

impl Data {
    pub(super) fn read(fields: &Fields<'_>, options: ReadOptions) -> Result<Self, BadInput> {
        let (matrix_field, q_field) = (fields.need("M")?, fields.need("q")?);
        let matrix = Matrix::from_rows(&rows(matrix_field)?)?;
        let q = json::numbers(q_field, "q")?;
        if q.len() != matrix.n() {
            let problem = format!("must have {} entries, found {}", matrix.n(), q.len());
            return Err(BadInput::new("q", problem));
        }
        let exact = options
            .keep_decimals
            .then(|| decimals(matrix_field, q_field))
            .transpose()?;
        Ok(Self { matrix, q, exact })
    }
}

/// The rows of a square matrix; its first row says how many there must be.
fn rows(raw: &RawValue) -> Result<Vec<Vec<f64>>, BadInput> {
    // n rows of n entries take at least 2n² bytes, so a longer first row cannot belong to a square matrix in this file.
    let longest = raw.get().len().isqrt().max(ALWAYS_ALLOWED_ROW);
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let count = each(raw, "M", &mut |i, row_field| {
        let n = rows.first().map(Vec::len);
        if n.is_some_and(|n| i >= n) {
            return Ok(()); // only counted, for the message below
        }
        let place = format!("M[{i}]");
        let limit = n.unwrap_or(longest);
        let mut row = Vec::with_capacity(n.unwrap_or(0));
        let found = each(row_field, &place, &mut |j, entry| {
            if j < limit {
                row.push(number(entry, Entry(&place, j))?);
            }
            Ok(())
        })?;
        if n.map_or(found > limit, |n| found != n) {
            let bound = if n.is_some() { "" } else { "at most " };
            return Err(BadInput::new(
                place,
                format!("must have {bound}{limit} entries, found {found}"),
            ));
        }
        rows.push(row);
        Ok(())
    })?;
    let n = rows.first().map_or(0, Vec::len);
    if count == n {
        return Ok(rows);
    }
    Err(BadInput::new(
        "M",
        format!("must have {n} rows, as many as columns, found {count}"),
    ))
}

/// The numbers as they are printed.
fn decimals(matrix: &RawValue, q: &RawValue) -> Result<Exact, BadInput> {
    let mut exact = Exact::default();
    each(matrix, "M", &mut |_, row| {
        exact.matrix.push(lexemes(row)?);
        Ok(())
    })?;
    exact.q = lexemes(q)?;
    Ok(exact)
}

fn lexemes(list: &RawValue) -> Result<Vec<String>, BadInput> {
    let mut values = Vec::new();
    each(list, "list", &mut |_, entry| {
        values.push(entry.get().to_owned());
        Ok(())
    })?;
    Ok(values)
}

fn class(raw: &RawValue) -> Result<Class, BadInput> {
    let name = json::string(raw, "class")?;
    super::class_named(&name)
}

fn bounds(fields: &Fields<'_>, n: usize) -> Result<(Vec<f64>, Vec<f64>), BadInput> {
    let mut lower = bound_list(fields, "lower", n, 0.0, f64::NEG_INFINITY)?;
    let mut upper = bound_list(fields, "upper", n, f64::INFINITY, f64::INFINITY)?;
    let Some(free) = fields.get("free") else {
        return Ok((lower, upper));
    };
    if let Some(key) = ["lower", "upper"].into_iter().find(|key| fields.get(key).is_some()) {
        return Err(BadInput::new(
            "free",
            format!("must not be given beside {key}, found both"),
        ));
    }
    each(free, "free", &mut |k, raw| {
        let place = Entry("free", k);
        let i = json::index(raw, Entry("free", k))?;
        if i >= n {
            return Err(BadInput::new(place, format!("must be below {n}, found {i}")));
        }
        if lower[i] == f64::NEG_INFINITY {
            return Err(BadInput::new(
                place,
                format!("must not repeat an index, found {i} again"),
            ));
        }
        lower[i] = f64::NEG_INFINITY;
        upper[i] = f64::INFINITY;
        Ok(())
    })?;
    Ok((lower, upper))
}

/// A list of bounds with `absent` for `null`, or `default` throughout when there is no list.
fn bound_list(fields: &Fields<'_>, key: &str, n: usize, default: f64, absent: f64) -> Result<Vec<f64>, BadInput> {
    let Some(raw) = fields.get(key) else {
        return Ok(vec![default; n]);
    };
    let mut bounds = Vec::with_capacity(n);
    let found = each(raw, key, &mut |i, entry| {
        if i < n {
            bounds.push(match entry.get() {
                "null" => absent,
                _ => number(entry, Entry(key, i))?,
            });
        }
        Ok(())
    })?;
    if found == n {
        return Ok(bounds);
    }
    Err(BadInput::new(key, format!("must have {n} entries, found {found}")))
}
