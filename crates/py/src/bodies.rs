//! Contact problems of rigid bodies: mappings with the keys of contact files.

use pyo3::prelude::*;
use stiction_contact::{Body, BodyContact, BodyJoint, Restitution, TouchingContact};
use stiction_formats::read::ContactFile;
use stiction_formats::{BadInput, Level};

use crate::array::{index, number, numbers, shaped, vector};
use crate::error::{of_contact, wrong};
use crate::fields::{Fields, items};
use crate::problem::ContactProblem;

/// Keys of a contact.
const KEYS: [&str; 8] = ["a", "b", "point", "normal", "mu", "gap", "restitution", "viscosity"];
/// Keys that it may have beside them where forces are sought.
const BIASES: [&str; 2] = ["normal_bias", "tangent_bias"];

/// What is given.
pub(crate) struct Lists<'a, 'py> {
    pub(crate) bodies: &'a Bound<'py, PyAny>,
    pub(crate) contacts: &'a Bound<'py, PyAny>,
    pub(crate) joints: Option<&'a Bound<'py, PyAny>>,
}

/// Impulses over a step.
pub(crate) fn read_bodies(given: &Lists<'_, '_>, dt: f64, restitution: Restitution) -> PyResult<ContactProblem> {
    let bodies = each(Some(given.bodies), "bodies", read_body)?;
    let contacts = each(Some(given.contacts), "contacts", read_contact)?;
    let joints = each(given.joints, "joints", read_joint)?;
    let problem = stiction_contact::ContactProblem::from_bodies(&bodies, &contacts, &joints, dt, restitution);
    Ok(with_axes(
        problem.map_err(of_contact)?,
        contacts.iter().map(|c| c.a),
        false,
    ))
}

/// Forces at one moment.
pub(crate) fn read_touching(given: &Lists<'_, '_>) -> PyResult<ContactProblem> {
    let (bodies, contacts, joints) = read_all_touching(given)?;
    let problem = stiction_contact::ContactProblem::at_acceleration(&bodies, &contacts, &joints);
    Ok(with_axes(
        problem.map_err(of_contact)?,
        contacts.iter().map(|c| c.a),
        true,
    ))
}

/// The problem of a contact file.
pub(crate) fn of_contact_file(file: &ContactFile) -> Result<ContactProblem, BadInput> {
    let problem = file.problem(Restitution::Newton)?;
    let first = (0..file.contact_count()).map(|contact| file.ends(contact).0);
    Ok(with_axes(problem, first, file.level() == Level::Acceleration))
}

/// Impulses over a step where no force exists.
pub(crate) fn read_impulsive(given: &Lists<'_, '_>, dt: f64) -> PyResult<ContactProblem> {
    let (bodies, contacts, joints) = read_all_touching(given)?;
    let problem = stiction_contact::ContactProblem::impulsive(&bodies, &contacts, &joints, dt);
    Ok(with_axes(
        problem.map_err(of_contact)?,
        contacts.iter().map(|c| c.a),
        false,
    ))
}

type Touching = (Vec<Body>, Vec<TouchingContact>, Vec<BodyJoint>);

fn read_all_touching(given: &Lists<'_, '_>) -> PyResult<Touching> {
    Ok((
        each(Some(given.bodies), "bodies", read_body)?,
        each(Some(given.contacts), "contacts", read_touching_contact)?,
        each(given.joints, "joints", read_joint)?,
    ))
}

fn with_axes(
    problem: stiction_contact::ContactProblem,
    a: impl Iterator<Item = usize>,
    forces: bool,
) -> ContactProblem {
    let axes = a.enumerate().map(|(i, a)| axes_of(&problem, i, a)).collect();
    ContactProblem::of(problem, Some(axes), forces)
}

/// Normal and tangents of a contact: the linear part of its columns over body a.
fn axes_of(problem: &stiction_contact::ContactProblem, contact: usize, a: usize) -> [[f64; 3]; 3] {
    let columns = problem.columns_tilde(contact);
    let start = columns.touches.iter().find(|t| t.block == a).map_or(0, |t| t.start);
    [columns.normal, columns.tangents[0], columns.tangents[1]].map(|c| [c[start], c[start + 1], c[start + 2]])
}

pub(crate) fn each<'py, T>(
    value: Option<&Bound<'py, PyAny>>,
    path: &str,
    read: impl Fn(&Bound<'py, PyAny>, String) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let all = items(value, path)?;
    all.iter()
        .enumerate()
        .map(|(i, item)| read(item, format!("{path}[{i}]")))
        .collect()
}

fn read_body(value: &Bound<'_, PyAny>, path: String) -> PyResult<Body> {
    let known = ["name", "mass", "inertia", "position", "velocity", "wrench"];
    let fields = Fields::read(value, path, &known)?;
    Ok(Body {
        mass: number(&fields.need("mass")?, &fields.at("mass"))?,
        inertia: read_inertia(&fields.need("inertia")?, &fields.at("inertia"))?,
        position: vector(&fields.need("position")?, &fields.at("position"))?,
        velocity: vector(&fields.need("velocity")?, &fields.at("velocity"))?,
        wrench: vector(&fields.need("wrench")?, &fields.at("wrench"))?,
    })
}

fn read_inertia(value: &Bound<'_, PyAny>, path: &str) -> PyResult<[[f64; 3]; 3]> {
    let array = numbers(value, path)?;
    let mut inertia = [[0.0; 3]; 3];
    if array.shape() == [3] {
        for (k, x) in array.values().iter().enumerate() {
            inertia[k][k] = *x;
        }
    } else {
        let array = shaped(value, path, &[Some(3), Some(3)])?;
        inertia.as_flattened_mut().copy_from_slice(array.values());
    }
    Ok(inertia)
}

fn read_contact(value: &Bound<'_, PyAny>, path: String) -> PyResult<BodyContact> {
    plain_contact(&Fields::read(value, path, &KEYS)?)
}

/// What both levels know of a contact.
fn plain_contact(fields: &Fields<'_>) -> PyResult<BodyContact> {
    let or_zero = |key: &str| match fields.get(key)? {
        Some(value) => number(&value, &fields.at(key)),
        None => Ok(0.0),
    };
    Ok(BodyContact {
        a: index(&fields.need("a")?, &fields.at("a"))?,
        b: fields.get("b")?.map(|b| index(&b, &fields.at("b"))).transpose()?,
        point: vector(&fields.need("point")?, &fields.at("point"))?,
        normal: vector(&fields.need("normal")?, &fields.at("normal"))?,
        mu: read_mu(fields)?,
        gap: or_zero("gap")?,
        restitution: or_zero("restitution")?,
        viscosity: or_zero("viscosity")?,
    })
}

/// A contact where forces are sought: closed, without restitution, with biases.
fn read_touching_contact(value: &Bound<'_, PyAny>, path: String) -> PyResult<TouchingContact> {
    let fields = Fields::read(value, path, &[&KEYS[..], &BIASES[..]].concat())?;
    let plain = plain_contact(&fields)?;
    for (key, value) in [("gap", plain.gap), ("restitution", plain.restitution)] {
        if value != 0.0 {
            let requirement = "must be 0 or absent where forces are sought";
            return Err(wrong(fields.at(key), requirement, value));
        }
    }
    let [normal_bias, tangent_bias] = BIASES.map(|key| fields.get(key));
    Ok(TouchingContact {
        a: plain.a,
        b: plain.b,
        point: plain.point,
        normal: plain.normal,
        mu: plain.mu,
        normal_bias: normal_bias?.map(|b| number(&b, &fields.at(BIASES[0]))).transpose()?,
        tangent_bias: tangent_bias?.map(|b| vector(&b, &fields.at(BIASES[1]))).transpose()?,
        viscosity: plain.viscosity,
    })
}

/// Files write infinite friction as the text `inf`.
pub(crate) fn read_mu(fields: &Fields<'_>) -> PyResult<f64> {
    match fields.get("mu")? {
        None => Ok(0.0),
        Some(mu) if mu.extract::<&str>().is_ok_and(|text| text == "inf") => Ok(f64::INFINITY),
        Some(mu) => number(&mu, &fields.at("mu")),
    }
}

fn read_joint(value: &Bound<'_, PyAny>, path: String) -> PyResult<BodyJoint> {
    let fields = Fields::read(value, path, &["a", "b", "rows", "bias"])?;
    let rows = shaped(&fields.need("rows")?, &fields.at("rows"), &[None, Some(12)])?;
    let bias = shaped(&fields.need("bias")?, &fields.at("bias"), &[None])?;
    let (rows, _) = rows.values().as_chunks::<12>();
    Ok(BodyJoint {
        a: index(&fields.need("a")?, &fields.at("a"))?,
        b: fields.get("b")?.map(|b| index(&b, &fields.at("b"))).transpose()?,
        rows: rows.to_vec(),
        bias: bias.values().to_vec(),
    })
}
