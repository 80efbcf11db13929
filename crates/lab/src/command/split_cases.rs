//! `stiction-lab experiment split-cases`: one problem file and one answer file for each case of a set.

use std::path::Path;

use serde::Serialize;
use serde_json::value::RawValue;

use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_formats::bad_input::shown;
use stiction_formats::read::json::{self, Fields, each, wrong};
use stiction_formats::read::{ReadOptions, read_bytes, read_file, text};
use stiction_formats::write::write_whole;

/// The answer that is known to a problem, and how.
#[derive(Debug, Serialize)]
struct KnownAnswer {
    kind: &'static str,
    name: String,
    title: String,
    /// `solved`, `infeasible` or `unsolvable`, as solvers report it.
    status: &'static str,
    /// Solutions z as exact rationals, one a line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    solutions: Vec<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    solution_set: Option<String>,
    /// y with y ≥ 0, yᵀM ≤ 0, yᵀq < 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    farkas: Option<Box<RawValue>>,
    known: String,
}

/// Splits the set.
pub(crate) fn run(file: &Path, folder: &Path) -> Result<Outcome, BadInput> {
    // The set is read as problems first: what is split has passed every check.
    let checked = read_file(file, ReadOptions::default())?;
    let bytes = read_bytes(file)?;
    let count = split(&bytes, folder).map_err(|bad| bad.in_file(file))?;
    debug_assert_eq!(count, checked.len());
    Ok(Outcome::new(
        format!("{count} problems written to {}\n", folder.display()),
        true,
    ))
}

fn split(bytes: &[u8], folder: &Path) -> Result<usize, BadInput> {
    let set = Fields::read(json::parse(text(bytes)?)?, "")?;
    each(set.need("cases")?, "cases", &mut |i, raw| {
        let place = format!("cases[{i}]");
        let case = Fields::read(raw, &place)?;
        let id = json::string(case.need("id")?, "id")?;
        if !id.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c)) || id.starts_with('.') {
            let problem = format!("must be letters, digits, - . _ to name a file, found {}", shown(&id));
            return Err(BadInput::new(format!("{place}.id"), problem));
        }
        write_whole(&folder.join(format!("{id}.json")), &problem_text(&case, &id)?)?;
        let answer = serde_json::to_string_pretty(&known_answer(&case, id.clone())?);
        let answer = answer.map_err(|error| BadInput::new(place, format!("internal: {error}")))?;
        write_whole(&folder.join(format!("{id}.answer.json")), &(answer + "\n"))
    })
}

/// The problem with its numbers as they were printed, one row of M a line.
fn problem_text(case: &Fields<'_>, id: &str) -> Result<String, BadInput> {
    let mut rows = Vec::new();
    each(case.need("M")?, "M", &mut |_, row| {
        rows.push(format!("    {}", compact(row)));
        Ok(())
    })?;
    let q = compact(case.need("q")?);
    let name = serde_json::to_string(id).map_err(|error| BadInput::new("id", format!("internal: {error}")))?;
    Ok(format!(
        "{{\n  \"kind\": \"lcp\",\n  \"name\": {name},\n  \"M\": [\n{}\n  ],\n  \"q\": {q}\n}}\n",
        rows.join(",\n")
    ))
}

/// A list of numbers on one line.
fn compact(raw: &RawValue) -> String {
    raw.get().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn known_answer(case: &Fields<'_>, name: String) -> Result<KnownAnswer, BadInput> {
    let status_field = case.need("status")?;
    let status = match json::string(status_field, "status")?.as_str() {
        "solvable" => "solved",
        "infeasible" => "infeasible",
        "feasible-unsolvable" => "unsolvable",
        _ => return Err(wrong("status", "must be known", status_field)),
    };
    let source = json::string(case.need("source")?, "source")?;
    let how = match status {
        "solved" => "every solution listed was checked in exact rational arithmetic",
        "infeasible" => "the Farkas vector was checked in exact rational arithmetic",
        _ => "all complementary cones were tried in exact rational arithmetic",
    };
    Ok(KnownAnswer {
        kind: "known-answer",
        name,
        title: json::string(case.need("title")?, "title")?,
        status,
        solutions: solutions(case)?,
        solution_set: case
            .get("solution_set")
            .map(|raw| json::string(raw, "solution_set"))
            .transpose()?,
        farkas: farkas(case)?,
        known: format!("{source}; {how}"),
    })
}

fn solutions(case: &Fields<'_>) -> Result<Vec<Box<RawValue>>, BadInput> {
    let mut solutions = Vec::new();
    if let Some(list) = case.get("solutions") {
        each(list, "solutions", &mut |_, raw| {
            let fields = Fields::read(raw, "solutions")?;
            solutions.push(rationals(fields.need("z_exact")?, "z_exact")?);
            Ok(())
        })?;
    }
    Ok(solutions)
}

fn farkas(case: &Fields<'_>) -> Result<Option<Box<RawValue>>, BadInput> {
    let Some(certificate) = case.get("certificate") else {
        return Ok(None);
    };
    let fields = Fields::read(certificate, "certificate")?;
    fields.get("y_exact").map(|y| rationals(y, "y_exact")).transpose()
}

/// A list of strings, kept on one line.
fn rationals(raw: &RawValue, place: &str) -> Result<Box<RawValue>, BadInput> {
    json::strings(raw, place)?;
    RawValue::from_string(compact(raw)).map_err(|error| BadInput::new(place, format!("internal: {error}")))
}
