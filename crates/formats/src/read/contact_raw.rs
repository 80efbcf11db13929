//! Contact problems as mass blocks and rows, `kind: "contact-raw"`: for mechanisms in their own coordinates and for other
//! programs' M and J.
//!
//! ```json
//! { "kind": "contact-raw", "name": "jaw",
//!   "blocks": [{ "mass": [[2]], "v_free": [-1] }],
//!   "contacts": [{ "parts": [{ "block": 0, "normal": [1], "tangents": [[0], [0]] }], "mu": 0.5, "bias": [0, 0, 0] }],
//!   "joints": [{ "parts": [{ "block": 0, "row": [1] }], "bias": 0, "compliance": 0, "most": 2 }] }
//! ```
//!
//! This reader checks form; what the numbers must satisfy is checked by [`ContactProblem`], whose messages name the same fields.

use serde_json::value::RawValue;
use stiction_contact::ContactProblem;

use super::json::{self, Fields, each, number, wrong};
use super::{Given, RawFile, groups};
use crate::bad_input::{BadInput, expect_length, one_line};

/// Reads a problem from the fields of its object.
pub(super) fn read(fields: &Fields<'_>, default_name: &str) -> Result<RawFile, BadInput> {
    fields.only(&["kind", "name", "blocks", "contacts", "joints", "groups"])?;
    let name = fields.get("name").map(|raw| json::string(raw, "name")).transpose()?;
    let mut problem = ContactProblem::new();
    each(fields.need("blocks")?, "blocks", &mut |i, raw| {
        block(raw, &format!("blocks[{i}]"), &mut problem)
    })?;
    each(fields.need("contacts")?, "contacts", &mut |i, raw| {
        contact(raw, &format!("contacts[{i}]"), &mut problem)
    })?;
    if let Some(joints) = fields.get("joints") {
        each(joints, "joints", &mut |i, raw| {
            joint(raw, &format!("joints[{i}]"), &mut problem)
        })?;
    }
    groups::add(&groups::read(fields)?, &mut problem)?;
    Ok(RawFile {
        name: one_line(name.as_deref().unwrap_or(default_name)), // it is printed to terminals
        format: "contact-raw (JSON)",
        problem,
        given: Given::Blocks,
        notes: Vec::new(),
    })
}

/// An object whose keys are checked; messages name it.
fn object<'a>(raw: &'a RawValue, place: &str, known: &[&str]) -> Result<Fields<'a>, BadInput> {
    let fields = Fields::read(raw, place)?;
    fields.only(known).map_err(|bad| below(bad, place))?;
    Ok(fields)
}

fn need<'a>(fields: &Fields<'a>, key: &str, place: &str) -> Result<&'a RawValue, BadInput> {
    fields.need(key).map_err(|bad| below(bad, place))
}

fn below(bad: BadInput, place: &str) -> BadInput {
    bad.below(&format!("{place}."))
}

fn block(raw: &RawValue, place: &str, problem: &mut ContactProblem) -> Result<(), BadInput> {
    let fields = object(raw, place, &["mass", "v_free"])?;
    let v_free = json::numbers(need(&fields, "v_free", place)?, &format!("{place}.v_free"))?;
    let mass_place = format!("{place}.mass");
    let mut mass = Vec::new();
    let rows = each(need(&fields, "mass", place)?, &mass_place, &mut |r, raw| {
        let row_place = format!("{mass_place}[{r}]");
        let row = json::numbers(raw, &row_place)?;
        expect_length(&row_place, v_free.len(), row.len())?;
        mass.extend(row);
        Ok(())
    })?;
    expect_length(&mass_place, v_free.len(), rows)?;
    problem.add_block(&mass, &v_free)?;
    Ok(())
}

fn contact(raw: &RawValue, place: &str, problem: &mut ContactProblem) -> Result<(), BadInput> {
    let fields = object(raw, place, &["parts", "mu", "bias", "restitution", "viscosity", "slip"])?;
    let blocks = problem.block_count();
    let mut parts: Vec<(usize, [Vec<f64>; 3])> = Vec::new();
    each(
        need(&fields, "parts", place)?,
        &format!("{place}.parts"),
        &mut |i, raw| {
            parts.push(contact_part(raw, &format!("{place}.parts[{i}]"), blocks)?);
            Ok(())
        },
    )?;
    let mu = fields.get("mu").map_or(Ok(0.0), |raw| friction(raw, place))?;
    let slices: Vec<_> = parts
        .iter()
        .map(|(block, rows)| (*block, [0, 1, 2].map(|k: usize| rows[k].as_slice())))
        .collect();
    let index = problem.add_contact(&slices, mu)?;
    problem.set_key(index, index as u64)?;
    if let Some(raw) = fields.get("bias") {
        let bias_place = format!("{place}.bias");
        let bias = json::numbers(raw, &bias_place)?;
        let &[normal, x, y] = bias.as_slice() else {
            return expect_length(&bias_place, 3, bias.len());
        };
        problem.set_bias(index, [normal, x, y])?;
    }
    if let Some(raw) = fields.get("restitution") {
        problem.set_restitution(index, number(raw, format!("{place}.restitution"))?)?;
    }
    if let Some(raw) = fields.get("viscosity") {
        problem.set_viscosity(index, number(raw, format!("{place}.viscosity"))?)?;
    }
    if let Some(raw) = fields.get("slip") {
        let slip_place = format!("{place}.slip");
        let slip = json::numbers(raw, &slip_place)?;
        let &[x, y] = slip.as_slice() else {
            return expect_length(&slip_place, 2, slip.len());
        };
        problem.set_slip(index, [x, y])?;
    }
    Ok(())
}

/// A friction coefficient; JSON has no infinity, so the text `"inf"` stands for it.
fn friction(raw: &RawValue, place: &str) -> Result<f64, BadInput> {
    let place = format!("{place}.mu");
    match raw.get() {
        "\"inf\"" => Ok(f64::INFINITY),
        text if text.starts_with('"') => Err(wrong(place, "must be a number or \"inf\"", raw)),
        _ => number(raw, place),
    }
}

/// Index of a block that is there.
fn block_of(fields: &Fields<'_>, place: &str, blocks: usize) -> Result<usize, BadInput> {
    let place_of = format!("{place}.block");
    let block = json::index(need(fields, "block", place)?, place_of.clone())?;
    if block < blocks {
        return Ok(block);
    }
    Err(BadInput::new(
        place_of,
        format!("must be below {blocks}, found {block}"),
    ))
}

fn contact_part(raw: &RawValue, place: &str, blocks: usize) -> Result<(usize, [Vec<f64>; 3]), BadInput> {
    let fields = object(raw, place, &["block", "normal", "tangents"])?;
    let block = block_of(&fields, place, blocks)?;
    let normal = json::numbers(need(&fields, "normal", place)?, &format!("{place}.normal"))?;
    let mut tangents = Vec::new();
    let tangents_place = format!("{place}.tangents");
    let found = each(need(&fields, "tangents", place)?, &tangents_place, &mut |i, raw| {
        let row_place = format!("{tangents_place}[{i}]");
        let row = json::numbers(raw, &row_place)?;
        expect_length(&row_place, normal.len(), row.len())?;
        tangents.push(row);
        Ok(())
    })?;
    match <[Vec<f64>; 2]>::try_from(tangents) {
        Ok([x, y]) => Ok((block, [normal, x, y])),
        Err(_) => Err(BadInput::length(&tangents_place, 2, found)),
    }
}

fn joint(raw: &RawValue, place: &str, problem: &mut ContactProblem) -> Result<(), BadInput> {
    let fields = object(raw, place, &["parts", "bias", "compliance", "most"])?;
    let blocks = problem.block_count();
    let mut parts: Vec<(usize, Vec<f64>)> = Vec::new();
    each(
        need(&fields, "parts", place)?,
        &format!("{place}.parts"),
        &mut |i, raw| {
            let place = format!("{place}.parts[{i}]");
            let fields = object(raw, &place, &["block", "row"])?;
            let block = block_of(&fields, &place, blocks)?;
            let row = json::numbers(need(&fields, "row", &place)?, &format!("{place}.row"))?;
            parts.push((block, row));
            Ok(())
        },
    )?;
    let bias = fields
        .get("bias")
        .map_or(Ok(0.0), |raw| number(raw, format!("{place}.bias")))?;
    let slices: Vec<_> = parts.iter().map(|(block, row)| (*block, row.as_slice())).collect();
    let index = problem.add_joint(&slices, bias)?;
    let compliance = fields
        .get("compliance")
        .map_or(Ok(0.0), |raw| number(raw, format!("{place}.compliance")))?;
    let most = fields
        .get("most")
        .map_or(Ok(f64::INFINITY), |raw| number(raw, format!("{place}.most")))?;
    problem.set_yield(index, compliance, most)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const JAW: &str = r#"{ "kind": "contact-raw", "name": "jaw",
        "blocks": [{ "mass": [[2]], "v_free": [-1] }, { "mass": [[1, 0], [0, 3]], "v_free": [0, 0.5] }],
        "contacts": [{ "parts": [{ "block": 0, "normal": [1], "tangents": [[0], [0]] },
                                 { "block": 1, "normal": [-1, 0], "tangents": [[0, 1], [0, 0]] }],
                       "mu": "inf", "bias": [0.25, 0, 0] }],
        "joints": [{ "parts": [{ "block": 1, "row": [1, 1] }], "bias": -2, "compliance": 0.5, "most": 3 }] }"#;

    fn parse(text: &str) -> Result<RawFile, BadInput> {
        read(&Fields::read(json::parse(text)?, "")?, "file")
    }

    #[test]
    fn blocks_rows_and_biases_arrive() {
        let RawFile { name, problem, .. } = parse(JAW).unwrap();
        assert_eq!(name, "jaw");
        assert_eq!((problem.block_count(), problem.dof()), (2, 3));
        assert_eq!((problem.contact_count(), problem.joint_count()), (1, 1));
        assert_eq!(problem.v_free(), [-1.0, 0.0, 0.5]);
        assert_eq!(problem.columns_tilde(0).normal, [1.0, -1.0, 0.0]);
        assert_eq!(problem.columns_tilde(0).tangents[0], [0.0, 0.0, 1.0]);
        assert_eq!((problem.mu(0), problem.bias(0)), (f64::INFINITY, [0.25, 0.0, 0.0]));
        assert_eq!((problem.joint_bias(0), problem.joint_yield(0)), (-2.0, (0.5, 3.0)));
    }

    #[test]
    fn bad_files_are_named_by_place_and_value() {
        for (from, to, message) in [
            ("[[2]]", "[[2, 1]]", "blocks[0].mass[0]: must have 1 entries, found 2"),
            (
                "[[2]]",
                "[[-2]]",
                "blocks[0].mass: must be positive definite: pivot 0, found -2",
            ),
            (
                "[[1, 0], [0, 3]]",
                "[[1, 0]]",
                "blocks[1].mass: must have 2 entries, found 1",
            ),
            (
                "[[0], [0]]",
                "[[0]]",
                "contacts[0].parts[0].tangents: must have 2 entries, found 1",
            ),
            (
                "[[0], [0]]",
                "[[0], []]",
                "contacts[0].parts[0].tangents[1]: must have 1 entries, found 0",
            ),
            (
                "\"inf\"",
                "\"big\"",
                "contacts[0].mu: must be a number or \"inf\", found \"big\"",
            ),
            (
                "[0.25, 0, 0]",
                "[0.25]",
                "contacts[0].bias: must have 3 entries, found 1",
            ),
            (
                "\"row\": [1, 1]",
                "\"row\": [1, \"x\"]",
                "joints[0].parts[0].row[1]: must be a number, found \"x\"",
            ),
            (
                "\"block\": 1, \"row\"",
                "\"row\"",
                "joints[0].parts[0].block: missing field",
            ),
            (
                "\"mu\"",
                "\"nu\"",
                "contacts[0].nu: unknown field, expected one of parts, mu, bias, restitution, viscosity, slip",
            ),
            (
                "\"block\": 0",
                "\"block\": 7",
                "contacts[0].parts[0].block: must be below 2, found 7",
            ),
        ] {
            assert!(JAW.contains(from), "{from}");
            let error = parse(&JAW.replacen(from, to, 1)).unwrap_err().to_string();
            assert_eq!(error, message, "{from} -> {to}");
        }
    }
}
