//! Misuse and failed steps.

use std::fmt::Write as _;

use stiction_contact::{InputError, Status};
use thiserror::Error;

use crate::failure::JointError;

/// A body, setting or scene that cannot be used, or a step that could not be made.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SimError {
    /// A number does not meet its requirement.
    #[error("{field}: {requirement}, found {}", number(*found))]
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
    /// A gear of a joint without a coordinate.
    #[error("gear {name}: must be of revolute or prismatic joints, found {joint}")]
    GearJoint {
        /// Name of the gear.
        name: String,
        /// Name of the joint.
        joint: String,
    },
    /// A law that the acceleration stepper does not know.
    #[error("stepper: acceleration knows the laws coulomb, coulomb-viscous and frictionless, found {law}")]
    Stepper {
        /// The requested law.
        law: &'static str,
    },
    /// A body's part of a contact problem was refused.
    #[error("{name}: {error}")]
    OfBody {
        /// Name of the body.
        name: String,
        /// What is wrong with it.
        error: Box<InputError>,
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
    #[error("step {step} at {time} s: {}{}{}", unsolved_words(*status, bodies), joint_words(joints, torn), ratio_words(*mass_ratio))]
    Unsolved {
        /// The step that failed, counted from 0.
        step: u64,
        /// Time at its start \[s\].
        time: f64,
        /// How the solve ended.
        status: Status,
        /// Names of the bodies of the islands that failed, and of what they touch.
        bodies: Vec<String>,
        /// Names of the joints of these islands.
        joints: Vec<String>,
        /// Those of them that the best answer does not hold, with how far they are apart at the start of the step.
        torn: Box<[JointError]>,
        /// Heaviest of these bodies by the lightest: beyond about 1e7, rounding of what the heavy ones do to the light ones leaves fewer
        /// digits than the tolerance asks for.
        mass_ratio: f64,
        /// Contacts of the problem, by index.
        contacts: Vec<usize>,
    },
    /// However far contacts were looked for, a body became faster than that. The world is as it was.
    #[error(
        "step {step} at {time} s: faster than contacts can be found: bodies {}",
        names(bodies)
    )]
    Outrun {
        /// The step that failed, counted from 0.
        step: u64,
        /// Time at its start \[s\].
        time: f64,
        /// Names of the bodies.
        bodies: Vec<String>,
    },
    /// The free rotation of a body was not found to 1e-12 of its energy and momentum. The world is as it was.
    #[error(
        "step {step} at {time} s: body {body} spins too fast for the step: its free rotation must be found to 1e-12, found residual {} at {turn:.3e} rad a step",
        number(*residual)
    )]
    Spin {
        /// The step that failed, counted from 0.
        step: u64,
        /// Time at its start \[s\].
        time: f64,
        /// Name of the body.
        body: String,
        /// Its spin times the step \[rad\].
        turn: f64,
        /// Relative residual; infinite where the turn takes too many substeps.
        residual: f64,
    },
}

/// A number without strings of zeros.
fn number(x: f64) -> String {
    if x == 0.0 || !x.is_finite() || (1e-6..1e16).contains(&x.abs()) {
        format!("{x}")
    } else {
        format!("{x:e}")
    }
}

fn kind(planar: bool) -> &'static str {
    if planar { "planar" } else { "spatial" }
}

/// Names that a message lists before the rest is only counted.
const SHOWN: usize = 12;

/// What a step without a verified answer met. A ray is no proof, and not called one.
fn unsolved_words(status: Status, bodies: &[String]) -> String {
    let (list, status_name) = (names(bodies), status.name());
    if status == Status::Ray {
        format!("no motion found that satisfies all contacts of {list} ({status_name})")
    } else {
        format!("no verified answer ({status_name}) for bodies {list}")
    }
}

fn names(all: &[String]) -> String {
    let mut text = all.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if all.len() > SHOWN {
        // Writing to a String cannot fail.
        let _ = write!(text, " and {} more", all.len() - SHOWN);
    }
    text
}

/// Ratio of masses in contact from which rounding, 1e-16 of the heavier, comes near to a tolerance of 1e-9 for the lighter.
const FAR_APART: f64 = 1e7;

fn ratio_words(ratio: f64) -> String {
    if ratio <= FAR_APART {
        return String::new();
    }
    format!("; masses 1 to {ratio:.0e}: beyond 1 to {FAR_APART:.0e} numbers of 16 digits may not reach the tolerance")
}

/// `; joints hinge, rod; cannot hold: rod (0.1 m, 0 rad apart)`.
fn joint_words(joints: &[String], torn: &[JointError]) -> String {
    let mut text = String::new();
    if !joints.is_empty() {
        text = format!("; joints {}", names(joints));
    }
    if !torn.is_empty() {
        let one = |e: &JointError| format!("{} ({:.1e} m, {:.1e} rad apart)", e.name, e.metres, e.radians);
        let words: Vec<String> = torn.iter().map(one).collect();
        // Writing to a String cannot fail.
        let _ = write!(text, "; cannot hold: {}", names(&words));
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
