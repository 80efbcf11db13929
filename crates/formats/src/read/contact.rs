//! The project's contact files: free bodies, contacts and joints; `kind: "contact"` for the impulses of one time step,
//! `kind: "contact-acceleration"` for forces at one moment.
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
//! [`ContactProblem::from_bodies`] and [`ContactProblem::at_acceleration`], whose messages name the same fields.

use serde_json::value::RawValue;
use stiction_contact::{Body, BodyContact, BodyJoint, ContactProblem, Restitution, TouchingContact};

use super::groups;
use super::json::{self, Entry, Fields, each, number, wrong};
use crate::bad_input::{BadInput, expect_length, one_line};
use crate::figures::figure;
use crate::formulation_level::Level;

/// A contact file.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactFile {
    /// Name of the problem.
    pub name: String,
    /// Bodies.
    pub bodies: Vec<Body>,
    /// Names of the bodies, `body 3` where the file gives none.
    pub body_names: Vec<String>,
    /// Contacts, and the time step.
    pub contacts: Contacts,
    /// Joints.
    pub joints: Vec<BodyJoint>,
    /// Nonconvex groups: sides of each, contacts of each side.
    pub groups: Vec<Vec<Vec<usize>>>,
}

/// Contacts of either level.
#[derive(Debug, Clone, PartialEq)]
pub enum Contacts {
    /// `kind: contact`: impulses of a step.
    Velocity {
        /// Time step \[s\].
        dt: f64,
        /// Contacts.
        list: Vec<BodyContact>,
    },
    /// `kind: contact-acceleration`: forces.
    Acceleration {
        /// Time step \[s\] of the impulses where no force exists.
        dt: Option<f64>,
        /// Contacts.
        list: Vec<TouchingContact>,
    },
}

impl ContactFile {
    /// Whether a contact has restitution, so that Poisson's rule has two phases.
    #[must_use]
    pub fn bounces(&self) -> bool {
        matches!(&self.contacts, Contacts::Velocity { list, .. } if list.iter().any(|contact| contact.restitution > 0.0))
    }

    /// The contact problem of the file; forces know no restitution.
    ///
    /// # Errors
    /// Names the field and the value found.
    pub fn problem(&self, restitution: Restitution) -> Result<ContactProblem, BadInput> {
        let Self { bodies, joints, .. } = self;
        let mut problem = match &self.contacts {
            Contacts::Velocity { dt, list } => ContactProblem::from_bodies(bodies, list, joints, *dt, restitution),
            Contacts::Acceleration { list, .. } => ContactProblem::at_acceleration(bodies, list, joints),
        }?;
        groups::add(&self.groups, &mut problem)?;
        Ok(problem)
    }

    /// What the unknowns are.
    #[must_use]
    pub fn level(&self) -> Level {
        match self.contacts {
            Contacts::Velocity { .. } => Level::Velocity,
            Contacts::Acceleration { .. } => Level::Acceleration,
        }
    }

    /// Number of contacts.
    #[must_use]
    pub fn contact_count(&self) -> usize {
        match &self.contacts {
            Contacts::Velocity { list, .. } => list.len(),
            Contacts::Acceleration { list, .. } => list.len(),
        }
    }

    /// The bodies of a contact: a, and b unless it is the world.
    #[must_use]
    pub fn ends(&self, contact: usize) -> (usize, Option<usize>) {
        match &self.contacts {
            Contacts::Velocity { list, .. } => (list[contact].a, list[contact].b),
            Contacts::Acceleration { list, .. } => (list[contact].a, list[contact].b),
        }
    }

    /// Name of a body, or of the world.
    #[must_use]
    pub fn body_name(&self, body: Option<usize>) -> &str {
        body.map_or("world", |body| self.body_names.get(body).map_or("?", String::as_str))
    }
}

/// Reads a contact problem from the fields of its object.
pub(super) fn read(fields: &Fields<'_>, default_name: &str, level: Level) -> Result<ContactFile, BadInput> {
    let known = ["kind", "name", "dt", "bodies", "contacts", "joints", "groups"];
    fields.only(match level {
        Level::Velocity => &known,
        Level::Acceleration => &known[..6],
    })?;
    let name = fields.get("name").map(|raw| json::string(raw, "name")).transpose()?;
    let dt = fields.get("dt").map(|raw| number(raw, "dt")).transpose()?;
    let contacts = match level {
        Level::Velocity => Contacts::Velocity {
            dt: dt.ok_or_else(|| BadInput::new("dt", "missing field"))?,
            list: Vec::new(),
        },
        Level::Acceleration => {
            // Read by `--impulse` alone: the library would not see it otherwise.
            if let Some(dt) = dt.filter(|dt| *dt <= 0.0) {
                let problem = format!("must be finite and positive, found {}", figure(dt));
                return Err(BadInput::new("dt", problem));
            }
            Contacts::Acceleration { dt, list: Vec::new() }
        }
    };
    let mut file = ContactFile {
        name: one_line(name.as_deref().unwrap_or(default_name)), // it is printed to terminals
        bodies: Vec::new(),
        body_names: Vec::new(),
        contacts,
        joints: Vec::new(),
        groups: groups::read(fields)?,
    };
    each(fields.need("bodies")?, "bodies", &mut |i, raw| {
        let (name, body) = inside("bodies", i, raw, body)?;
        file.body_names.push(name.unwrap_or_else(|| format!("body {i}")));
        file.bodies.push(body);
        Ok(())
    })?;
    each(fields.need("contacts")?, "contacts", &mut |i, raw| {
        match &mut file.contacts {
            Contacts::Velocity { list, .. } => list.push(inside("contacts", i, raw, contact)?),
            Contacts::Acceleration { list, .. } => list.push(inside("contacts", i, raw, touching)?),
        }
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

/// Keys of a contact at velocity level.
const KEYS: [&str; 8] = ["a", "b", "point", "normal", "mu", "gap", "restitution", "viscosity"];
/// Keys that a contact has beside them where forces are sought.
const BIASES: [&str; 2] = ["normal_bias", "tangent_bias"];

fn contact(fields: &Fields<'_>) -> Result<BodyContact, BadInput> {
    fields.only(&KEYS)?;
    plain_contact(fields)
}

/// What both levels know of a contact.
fn plain_contact(fields: &Fields<'_>) -> Result<BodyContact, BadInput> {
    let or_zero = |key: &str| fields.get(key).map_or(Ok(0.0), |raw| number(raw, key));
    Ok(BodyContact {
        a: json::index(fields.need("a")?, "a")?,
        b: fields.get("b").map_or(Ok(None), second_body)?,
        point: vector(fields.need("point")?, "point")?,
        normal: vector(fields.need("normal")?, "normal")?,
        mu: fields.get("mu").map_or(Ok(0.0), friction)?,
        gap: or_zero("gap")?,
        restitution: or_zero("restitution")?,
        viscosity: or_zero("viscosity")?,
    })
}

/// A contact of a contact-acceleration file: that of a contact file, closed and without restitution, with biases.
fn touching(fields: &Fields<'_>) -> Result<TouchingContact, BadInput> {
    fields.only(&[&KEYS[..], &BIASES[..]].concat())?;
    let plain = plain_contact(fields)?;
    for (key, value) in [("gap", plain.gap), ("restitution", plain.restitution)] {
        if value != 0.0 {
            let problem = format!("must be 0 or absent where forces are sought, found {}", figure(value));
            return Err(BadInput::new(key, problem));
        }
    }
    let [normal_bias, tangent_bias] = BIASES.map(|key| fields.get(key));
    Ok(TouchingContact {
        a: plain.a,
        b: plain.b,
        point: plain.point,
        normal: plain.normal,
        mu: plain.mu,
        normal_bias: normal_bias.map(|raw| number(raw, BIASES[0])).transpose()?,
        tangent_bias: tangent_bias.map(|raw| vector(raw, BIASES[1])).transpose()?,
        viscosity: plain.viscosity,
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

/// The index of a body, or `null` for the world, which an absent one means, too.
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
        b: fields.get("b").map_or(Ok(None), second_body)?,
        rows,
        bias,
    })
}

/// A list of exactly N numbers.
pub fn vector<const N: usize>(raw: &RawValue, place: &str) -> Result<[f64; N], BadInput> {
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
