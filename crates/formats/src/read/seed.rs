//! Sets of problems with known answers: `lcp-cases/1` files and Drake's small problems.

use serde_json::value::RawValue;
use stiction_lcp::Lcp;

use super::json::{self, Fields, each, wrong};
use super::lcp_json::Data;
use super::{Expected, Known, Named, Problem, ReadOptions};
use crate::bad_input::BadInput;

/// The only version of the format there is.
const FORMAT: &str = "lcp-cases/1";

/// Fields of one case of a `lcp-cases/1` file.
const CASE_FIELDS: [&str; 13] = [
    "id",
    "title",
    "source",
    "tags",
    "n",
    "M",
    "q",
    "status",
    "solutions",
    "solution_set",
    "certificate",
    "lemke",
    "note",
];

/// Reads a file with a `format` field.
pub(super) fn read_cases(fields: &Fields<'_>, options: ReadOptions) -> Result<Vec<Named>, BadInput> {
    let format = fields.need("format")?;
    if json::string(format, "format")? != FORMAT {
        return Err(wrong("format", &format!("must be {FORMAT}"), format));
    }
    fields.only(&["format", "convention", "exactness", "cases"])?;
    read_list(fields.need("cases")?, "cases", |fields| read_case(fields, options))
}

/// Reads a file with a `problems` field.
pub(super) fn read_problems(fields: &Fields<'_>, options: ReadOptions) -> Result<Vec<Named>, BadInput> {
    fields.only(&["source", "problems"])?;
    read_list(fields.need("problems")?, "problems", |fields| {
        read_known(fields, options)
    })
}

fn read_list(
    list: &RawValue,
    key: &str,
    read: impl Fn(&Fields<'_>) -> Result<Named, BadInput>,
) -> Result<Vec<Named>, BadInput> {
    let mut named = Vec::new();
    each(list, key, &mut |i, raw| {
        let place = format!("{key}[{i}]");
        let fields = Fields::read(raw, &place)?;
        named.push(read(&fields).map_err(|bad| bad.below(&format!("{place}.")))?);
        Ok(())
    })?;
    Ok(named)
}

fn read_case(fields: &Fields<'_>, options: ReadOptions) -> Result<Named, BadInput> {
    fields.only(&CASE_FIELDS)?;
    let mut expected = expected(fields)?;
    if let Some(solutions) = fields.get("solutions") {
        each(solutions, "solutions", &mut |k, raw| {
            let place = format!("solutions[{k}]");
            let solution = Fields::read(raw, &place)?;
            let z = json::numbers(solution.need("z")?, &format!("{place}.z"))?;
            expected.solutions.push(z);
            Ok(())
        })?;
    }
    expected.unique = fields.get("solution_set").is_some_and(|raw| raw.get() == "\"unique\"");
    finish(fields, json::string(fields.need("id")?, "id")?, expected, options)
}

fn read_known(fields: &Fields<'_>, options: ReadOptions) -> Result<Named, BadInput> {
    fields.only(&["name", "n", "convention", "M", "q", "z_known", "status", "note"])?;
    let mut expected = expected(fields)?;
    match fields.get("z_known") {
        Some(raw) if raw.get() != "null" => expected.solutions.push(json::numbers(raw, "z_known")?),
        _ => {}
    }
    finish(fields, json::string(fields.need("name")?, "name")?, expected, options)
}

fn expected(fields: &Fields<'_>) -> Result<Expected, BadInput> {
    let raw = fields.need("status")?;
    let known = match json::string(raw, "status")?.as_str() {
        "solvable" => Known::Solvable,
        "infeasible" => Known::Infeasible,
        "feasible-unsolvable" => Known::Unsolvable,
        _ => {
            let requirement = "must be one of solvable, infeasible, feasible-unsolvable";
            return Err(wrong("status", requirement, raw));
        }
    };
    Ok(Expected {
        known: Some(known),
        ..Expected::default()
    })
}

fn finish(fields: &Fields<'_>, name: String, expected: Expected, options: ReadOptions) -> Result<Named, BadInput> {
    let data = Data::read(fields, options)?;
    let n = json::index(fields.need("n")?, "n")?;
    if n != data.q.len() {
        return Err(BadInput::new(
            "n",
            format!("must be {}, the length of q, found {n}", data.q.len()),
        ));
    }
    Ok(Named {
        expected,
        exact: data.exact,
        ..Named::new(name, Problem::Lcp(Lcp::new(data.matrix, data.q)?))
    })
}
