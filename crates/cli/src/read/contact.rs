//! The project's contact files, `kind: "contact"`: free bodies, contacts and joints of one time step.
//!
//! ```json
//! { "kind": "contact", "name": "block", "dt": 0.01,
//!   "bodies": [{ "name": "block", "mass": 2, "inertia": [0.02, 0.02, 0.02], "position": [0, 0, 0.1],
//!                "velocity": [0, 0, 0, 0, 0, 0], "wrench": [0, 0, -19.62, 0, 0, 0] }],
//!   "contacts": [{ "a": 0, "b": null, "point": [0, 0, 0], "normal": [0, 0, 1], "mu": 0.5 }],
//!   "joints": [{ "a": 0, "b": null, "rows": [[0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]], "bias": [0] }] }
//! ```
//!
//! This reader checks form: keys, types, lengths, numbers. What the numbers must satisfy is checked by
//! [`ContactProblem::from_bodies`], whose messages name the same fields.

use serde_json::value::RawValue;
use stiction_contact::{Body, BodyContact, BodyJoint, ContactProblem, Restitution};

use super::json::{self, Entry, Fields, each, number, wrong};
use crate::bad_input::{BadInput, expect_length, one_line};

/// A contact file.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactFile {
    /// Name of the problem.
    pub name: String,
    /// Time step \[s\].
    pub dt: f64,
    /// Bodies.
    pub bodies: Vec<Body>,
    /// Names of the bodies, `body 3` where the file gives none.
    pub body_names: Vec<String>,
    /// Contacts.
    pub contacts: Vec<BodyContact>,
    /// Joints.
    pub joints: Vec<BodyJoint>,
}

impl ContactFile {
    /// The contact problem of the file.
    ///
    /// # Errors
    /// Names the field and the value found.
    pub fn problem(&self, restitution: Restitution) -> Result<ContactProblem, BadInput> {
        let problem = ContactProblem::from_bodies(&self.bodies, &self.contacts, &self.joints, self.dt, restitution)
            .map_err(BadInput::from)?;
        Ok(problem)
    }

    /// Name of a body, or of the world.
    #[must_use]
    pub fn body_name(&self, body: Option<usize>) -> &str {
        body.map_or("world", |body| self.body_names.get(body).map_or("?", String::as_str))
    }
}

/// Reads a contact problem from the fields of its object.
pub(super) fn read(fields: &Fields<'_>, default_name: &str) -> Result<ContactFile, BadInput> {
    fields.only(&["kind", "name", "dt", "bodies", "contacts", "joints"])?;
    let name = fields.get("name").map(|raw| json::string(raw, "name")).transpose()?;
    let mut file = ContactFile {
        name: one_line(name.as_deref().unwrap_or(default_name)), // it is printed to terminals
        dt: number(fields.need("dt")?, "dt")?,
        bodies: Vec::new(),
        body_names: Vec::new(),
        contacts: Vec::new(),
        joints: Vec::new(),
    };
    each(fields.need("bodies")?, "bodies", &mut |i, raw| {
        let (name, body) = inside("bodies", i, raw, body)?;
        file.body_names.push(name.unwrap_or_else(|| format!("body {i}")));
        file.bodies.push(body);
        Ok(())
    })?;
    each(fields.need("contacts")?, "contacts", &mut |i, raw| {
        file.contacts.push(inside("contacts", i, raw, contact)?);
        Ok(())
    })?;
    if let Some(joints) = fields.get("joints") {
        each(joints, "joints", &mut |i, raw| {
            file.joints.push(inside("joints", i, raw, joint)?);
            Ok(())
        })?;
    }
    Ok(file)
}

/// Reads entry `i` of a list of objects; messages name it.
fn inside<T>(
    list: &str,
    i: usize,
    raw: &RawValue,
    read: fn(&Fields<'_>) -> Result<T, BadInput>,
) -> Result<T, BadInput> {
    let place = format!("{list}[{i}]");
    let fields = Fields::read(raw, &place)?;
    read(&fields).map_err(|bad| bad.below(&format!("{place}.")))
}

fn body(fields: &Fields<'_>) -> Result<(Option<String>, Body), BadInput> {
    fields.only(&["name", "mass", "inertia", "position", "velocity", "wrench"])?;
    let name = fields.get("name").map(|raw| json::string(raw, "name")).transpose()?;
    let body = Body {
        mass: number(fields.need("mass")?, "mass")?,
        inertia: inertia(fields.need("inertia")?)?,
        position: vector(fields.need("position")?, "position")?,
        velocity: vector(fields.need("velocity")?, "velocity")?,
        wrench: vector(fields.need("wrench")?, "wrench")?,
    };
    Ok((name.as_deref().map(one_line), body))
}

/// Three rows, or the diagonal alone.
fn inertia(raw: &RawValue) -> Result<[[f64; 3]; 3], BadInput> {
    let full = raw
        .get()
        .strip_prefix('[')
        .is_some_and(|rest| rest.trim_start().starts_with('['));
    if !full {
        let [x, y, z] = vector(raw, "inertia")?;
        return Ok([[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]]);
    }
    let mut rows = [[0.0; 3]; 3];
    let found = each(raw, "inertia", &mut |i, row| {
        if i < 3 {
            rows[i] = vector(row, &format!("inertia[{i}]"))?;
        }
        Ok(())
    })?;
    expect_length("inertia", 3, found)?;
    Ok(rows)
}

fn contact(fields: &Fields<'_>) -> Result<BodyContact, BadInput> {
    fields.only(&["a", "b", "point", "normal", "mu", "gap", "restitution"])?;
    let or_zero = |key: &str| fields.get(key).map_or(Ok(0.0), |raw| number(raw, key));
    Ok(BodyContact {
        a: json::index(fields.need("a")?, "a")?,
        b: second_body(fields.need("b")?)?,
        point: vector(fields.need("point")?, "point")?,
        normal: vector(fields.need("normal")?, "normal")?,
        mu: fields.get("mu").map_or(Ok(0.0), friction)?,
        gap: or_zero("gap")?,
        restitution: or_zero("restitution")?,
    })
}

/// A friction coefficient; JSON has no infinity, so the text `"inf"` stands for it.
fn friction(raw: &RawValue) -> Result<f64, BadInput> {
    match raw.get() {
        "\"inf\"" => Ok(f64::INFINITY),
        text if text.starts_with('"') => Err(wrong("mu", "must be a number or \"inf\"", raw)),
        _ => number(raw, "mu"),
    }
}

/// The index of a body, or `null` for the world.
fn second_body(raw: &RawValue) -> Result<Option<usize>, BadInput> {
    match raw.get() {
        "null" => Ok(None),
        _ => raw
            .get()
            .parse()
            .map(Some)
            .map_err(|_| wrong("b", "must be a whole number or null", raw)),
    }
}

fn joint(fields: &Fields<'_>) -> Result<BodyJoint, BadInput> {
    fields.only(&["a", "b", "rows", "bias"])?;
    let mut rows = Vec::new();
    each(fields.need("rows")?, "rows", &mut |i, raw| {
        rows.push(vector(raw, &format!("rows[{i}]"))?);
        Ok(())
    })?;
    let bias = json::numbers(fields.need("bias")?, "bias")?;
    expect_length("bias", rows.len(), bias.len())?;
    Ok(BodyJoint {
        a: json::index(fields.need("a")?, "a")?,
        b: second_body(fields.need("b")?)?,
        rows,
        bias,
    })
}

/// A list of exactly N numbers.
pub(crate) fn vector<const N: usize>(raw: &RawValue, place: &str) -> Result<[f64; N], BadInput> {
    let mut values = [0.0; N];
    let found = each(raw, place, &mut |i, entry| {
        if i < N {
            values[i] = number(entry, Entry(place, i))?;
        }
        Ok(())
    })?;
    expect_length(place, N, found)?;
    Ok(values)
}
