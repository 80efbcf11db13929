//! Random contact problems as bodies and contacts: what a campaign solves, changes and writes to files.

use serde_json::{Value, json};
use stiction_contact::{Body, BodyContact, ContactProblem, Restitution};

use super::families::{Family, Rng, Scene};
use stiction_formats::BadInput;

/// Bodies in contact over one step.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sample {
    pub(crate) bodies: Vec<Body>,
    pub(crate) contacts: Vec<BodyContact>,
    /// Time step [s].
    pub(crate) dt: f64,
}

impl Sample {
    /// A random problem of a family. No contact asks for a velocity (gap ≥ 0), so that an answer exists under every law of impulses.
    pub(crate) fn draw(family: Family, rng: &mut Rng) -> Self {
        Self::of_scene(&family.scene(rng))
    }

    /// The bodies and contacts of a scene over a step of 1 s.
    pub(super) fn of_scene(scene: &Scene) -> Self {
        let bodies = scene.bodies.iter().map(|body| {
            let [x, y, z] = body.inverse_inertia.map(|inverse| 1.0 / inverse);
            Body {
                mass: 1.0 / body.inverse_mass,
                inertia: [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]],
                position: body.centre,
                velocity: [0.0; 6],
                wrench: body.k,
            }
        });
        let contacts = scene.contacts.iter().map(|contact| BodyContact {
            a: contact.a,
            b: contact.b,
            point: contact.point,
            normal: contact.normal,
            mu: contact.mu,
            gap: contact.gap,
            restitution: 0.0,
            viscosity: 0.0,
        });
        Self {
            bodies: bodies.collect(),
            contacts: contacts.collect(),
            dt: 1.0,
        }
    }

    /// The problem of the step.
    pub(crate) fn problem(&self) -> Result<ContactProblem, BadInput> {
        let problem = ContactProblem::from_bodies(&self.bodies, &self.contacts, &[], self.dt, Restitution::Newton)?;
        Ok(problem)
    }

    /// The sample as a contact file.
    pub(crate) fn file(&self, name: &str) -> Value {
        let bodies: Vec<Value> = self
            .bodies
            .iter()
            .map(|body| {
                json!({
                    "mass": body.mass, "inertia": body.inertia, "position": body.position,
                    "velocity": body.velocity, "wrench": body.wrench,
                })
            })
            .collect();
        let contacts: Vec<Value> = self
            .contacts
            .iter()
            .map(|contact| {
                json!({
                    "a": contact.a, "b": contact.b, "point": contact.point, "normal": contact.normal,
                    "mu": contact.mu, "gap": contact.gap,
                })
            })
            .collect();
        json!({ "kind": "contact", "name": name, "dt": self.dt, "bodies": bodies, "contacts": contacts })
    }
}
