//! Misuse and failed steps.

use std::fmt::Write as _;

use stiction_contact::{InputError, Status};
use thiserror::Error;

/// A body, setting or scene that cannot be used, or a step that could not be made.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SimError {
    /// A number does not meet its requirement.
    #[error("{field}: {requirement}, found {found}")]
    Value {
        /// Path of the field.
        field: String,
        /// What the number must satisfy.
        requirement: String,
        /// The value given.
        found: f64,
    },
    /// A body that does not exist.
    #[error("body: must be below {limit}, found {found}")]
    Body {
        /// Number of bodies.
        limit: usize,
        /// The index given.
        found: usize,
    },
    /// A shape of the other kind of world.
    #[error("bodies[{index}].shape: must be {} in a {} world, found another", kind(*planar), kind(*planar))]
    Plane {
        /// Index of the body.
        index: usize,
        /// Whether the world is planar.
        planar: bool,
    },
    /// A joint that a planar world cannot have.
    #[error("{field}: must be {requirement} in a planar world, found {found}")]
    PlanarJoint {
        /// Path of the field.
        field: String,
        /// What it must be.
        requirement: &'static str,
        /// What it is.
        found: String,
    },
    /// A law that the acceleration stepper does not know.
    #[error("stepper: acceleration knows the laws coulomb and frictionless, found {law}")]
    Stepper {
        /// The law asked for.
        law: &'static str,
    },
    /// A contact problem was refused.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Bytes that are not a saved state of this world.
    #[error("saved state: {reason}")]
    Saved {
        /// The field, what it must satisfy and what was found.
        reason: String,
    },
    /// No verified answer was found for a step. The world is as it was.
    #[error("step {step} at {time} s: {}: bodies {}", status.name(), names(bodies))]
    Unsolved {
        /// The step that failed, counted from 0.
        step: u64,
        /// Time at its start \[s\].
        time: f64,
        /// How the solve ended.
        status: Status,
        /// Names of the bodies that touch something in the part that failed.
        bodies: Vec<String>,
        /// Contacts of the problem, by index.
        contacts: Vec<usize>,
    },
}

fn kind(planar: bool) -> &'static str {
    if planar { "planar" } else { "spatial" }
}

fn names(bodies: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut text = bodies.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if bodies.len() > SHOWN {
        // Writing to a String cannot fail.
        let _ = write!(text, " and {} more", bodies.len() - SHOWN);
    }
    text
}

impl SimError {
    /// A number that does not meet its requirement.
    pub fn value(field: impl Into<String>, requirement: impl Into<String>, found: f64) -> Self {
        Self::Value {
            field: field.into(),
            requirement: requirement.into(),
            found,
        }
    }
}
