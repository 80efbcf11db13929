//! Contact problems as blocks and rows: mappings with the keys of contact-raw files.

use pyo3::prelude::*;

use crate::array::{Numbers, index, number, shaped, vector};
use crate::bodies::{each, read_mu};
use crate::error::{of_contact, wrong};
use crate::fields::Fields;
use crate::problem::ContactProblem;

/// Reads a problem.
pub(crate) fn read(fields: &Fields<'_>) -> PyResult<ContactProblem> {
    fields.only(&["kind", "name", "blocks", "contacts", "joints", "groups"])?;
    let mut problem = stiction_contact::ContactProblem::new();
    for (mass, v_free) in each(Some(&fields.need("blocks")?), "blocks", read_block)? {
        problem.add_block(mass.values(), v_free.values()).map_err(of_contact)?;
    }
    for contact in each(Some(&fields.need("contacts")?), "contacts", read_contact)? {
        contact.add(&mut problem)?;
    }
    for joint in each(fields.get("joints")?.as_ref(), "joints", read_joint)? {
        joint.add(&mut problem)?;
    }
    ContactProblem::of(problem, None, false).with_groups(fields.get("groups")?.as_ref())
}

fn read_block<'py>(value: &Bound<'py, PyAny>, path: String) -> PyResult<(Numbers<'py>, Numbers<'py>)> {
    let fields = Fields::read(value, path, &["mass", "v_free"])?;
    let v_free = shaped(&fields.need("v_free")?, &fields.at("v_free"), &[None])?;
    let n = Some(v_free.shape()[0]);
    Ok((shaped(&fields.need("mass")?, &fields.at("mass"), &[n, n])?, v_free))
}

/// Index of a block that is there.
fn checked(problem: &stiction_contact::ContactProblem, block: usize, path: &str) -> PyResult<usize> {
    let blocks = problem.block_count();
    if block < blocks {
        return Ok(block);
    }
    Err(wrong(format!("{path}.block"), format!("must be below {blocks}"), block))
}

/// A contact before it is added.
struct Contact<'py> {
    path: String,
    parts: Vec<(usize, Numbers<'py>, Numbers<'py>)>,
    mu: f64,
    bias: Option<[f64; 3]>,
    restitution: f64,
    viscosity: f64,
    slip: Option<[f64; 2]>,
}

fn read_contact<'py>(value: &Bound<'py, PyAny>, path: String) -> PyResult<Contact<'py>> {
    let known = ["parts", "mu", "bias", "restitution", "viscosity", "slip"];
    let fields = Fields::read(value, path.clone(), &known)?;
    let or_zero = |key: &str| match fields.get(key)? {
        Some(value) => number(&value, &fields.at(key)),
        None => Ok(0.0),
    };
    Ok(Contact {
        path,
        parts: each(Some(&fields.need("parts")?), &fields.at("parts"), |value, path| {
            let fields = Fields::read(value, path, &["block", "normal", "tangents"])?;
            let normal = shaped(&fields.need("normal")?, &fields.at("normal"), &[None])?;
            let shape = [Some(2), Some(normal.shape()[0])];
            let tangents = shaped(&fields.need("tangents")?, &fields.at("tangents"), &shape)?;
            Ok((index(&fields.need("block")?, &fields.at("block"))?, normal, tangents))
        })?,
        mu: read_mu(&fields)?,
        bias: fields
            .get("bias")?
            .map(|b| vector(&b, &fields.at("bias")))
            .transpose()?,
        restitution: or_zero("restitution")?,
        viscosity: or_zero("viscosity")?,
        slip: fields
            .get("slip")?
            .map(|s| vector(&s, &fields.at("slip")))
            .transpose()?,
    })
}

impl Contact<'_> {
    fn add(&self, problem: &mut stiction_contact::ContactProblem) -> PyResult<()> {
        let mut parts = Vec::new();
        for (k, (block, normal, tangents)) in self.parts.iter().enumerate() {
            let block = checked(problem, *block, &format!("{}.parts[{k}]", self.path))?;
            let (x, y) = tangents.values().split_at(normal.values().len());
            parts.push((block, [normal.values(), x, y]));
        }
        let i = problem.add_contact(&parts, self.mu).map_err(of_contact)?;
        if let Some(bias) = self.bias {
            problem.set_bias(i, bias).map_err(of_contact)?;
        }
        problem.set_restitution(i, self.restitution).map_err(of_contact)?;
        problem.set_viscosity(i, self.viscosity).map_err(of_contact)?;
        if let Some(slip) = self.slip {
            problem.set_slip(i, slip).map_err(of_contact)?;
        }
        Ok(())
    }
}

/// A joint row before it is added.
struct Joint<'py> {
    path: String,
    parts: Vec<(usize, Numbers<'py>)>,
    bias: f64,
    compliance: f64,
    most: f64,
}

fn read_joint<'py>(value: &Bound<'py, PyAny>, path: String) -> PyResult<Joint<'py>> {
    let fields = Fields::read(value, path.clone(), &["parts", "bias", "compliance", "most"])?;
    let or = |key: &str, default: f64| match fields.get(key)? {
        Some(value) => number(&value, &fields.at(key)),
        None => Ok(default),
    };
    Ok(Joint {
        path,
        parts: each(Some(&fields.need("parts")?), &fields.at("parts"), |value, path| {
            let fields = Fields::read(value, path, &["block", "row"])?;
            let row = shaped(&fields.need("row")?, &fields.at("row"), &[None])?;
            Ok((index(&fields.need("block")?, &fields.at("block"))?, row))
        })?,
        bias: or("bias", 0.0)?,
        compliance: or("compliance", 0.0)?,
        most: or("most", f64::INFINITY)?,
    })
}

impl Joint<'_> {
    fn add(&self, problem: &mut stiction_contact::ContactProblem) -> PyResult<()> {
        let mut parts = Vec::new();
        for (k, (block, row)) in self.parts.iter().enumerate() {
            let block = checked(problem, *block, &format!("{}.parts[{k}]", self.path))?;
            parts.push((block, row.values()));
        }
        let i = problem.add_joint(&parts, self.bias).map_err(of_contact)?;
        problem.set_yield(i, self.compliance, self.most).map_err(of_contact)
    }
}
