//! The two levels of contact files: impulses and velocities of a step, or forces and accelerations.

use stiction_contact::{Law, Options};

use crate::bad_input::BadInput;
use crate::bad_input::shown;

/// What the unknowns of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// `kind: contact`.
    Velocity,
    /// `kind: contact-acceleration`.
    Acceleration,
}

/// How answers of a level are written: keys of the JSON, and words with units for a person.
#[derive(Debug)]
pub struct Names {
    /// Kind of the file.
    pub file: &'static str,
    /// Kind of the answer and of the verdict.
    pub answer: &'static str,
    /// Kind of a verdict.
    pub verdict: &'static str,
    /// Key of the normal impulse or force.
    pub normal: &'static str,
    /// Key of friction.
    pub friction: &'static str,
    /// Key of joints.
    pub joint: &'static str,
    /// Key of the motion of bodies.
    pub body: &'static str,
    /// Key of the motion along the normal.
    pub normal_motion: &'static str,
    /// Key of the motion along the tangents.
    pub tangent_motion: &'static str,
    /// What pushes and what moves.
    pub push: &'static str,
    /// The same, several.
    pub pushes: &'static str,
    /// What bodies do.
    pub motion: &'static str,
    /// The same, several.
    pub motions: &'static str,
    /// Unit of pushes.
    pub push_unit: &'static str,
    /// Unit of motions.
    pub motion_unit: &'static str,
    /// Unit of rotations.
    pub turn_unit: &'static str,
    /// The tangential motion of a contact in a table.
    pub sliding: &'static str,
}

const VELOCITY: Names = Names {
    file: "contact",
    answer: "contact-solution",
    verdict: "contact-check",
    normal: "normal_impulse",
    friction: "friction_impulse",
    joint: "impulse",
    body: "velocity",
    normal_motion: "normal_velocity",
    tangent_motion: "slip_velocity",
    push: "impulse",
    pushes: "impulses",
    motion: "velocity",
    motions: "velocities",
    push_unit: "N s",
    motion_unit: "m/s",
    turn_unit: "rad/s",
    sliding: "slip",
};

const ACCELERATION: Names = Names {
    file: "contact-acceleration",
    answer: "contact-acceleration-solution",
    verdict: "contact-acceleration-check",
    normal: "normal_force",
    friction: "friction_force",
    joint: "force",
    body: "acceleration",
    normal_motion: "normal_acceleration",
    tangent_motion: "tangent_acceleration",
    push: "force",
    pushes: "forces",
    motion: "acceleration",
    motions: "accelerations",
    push_unit: "N",
    motion_unit: "m/s2",
    turn_unit: "rad/s2",
    sliding: "acceleration",
};

impl Level {
    /// How its answers are written.
    #[must_use]
    pub fn names(self) -> &'static Names {
        match self {
            Self::Velocity => &VELOCITY,
            Self::Acceleration => &ACCELERATION,
        }
    }

    /// Laws that make sense at the level.
    #[must_use]
    pub fn laws(self) -> &'static [Law] {
        match self {
            Self::Velocity => &Law::OF_IMPULSES,
            Self::Acceleration => &Law::OF_FORCES,
        }
    }

    /// The law of a file that names none.
    #[must_use]
    pub fn default_law(self) -> Law {
        match self {
            Self::Velocity => Options::default().law,
            Self::Acceleration => Law::CoulombAcceleration,
        }
    }

    /// The law with this name, hyphens or underscores between its words. Forces have no end of a step: there `viscous` is the explicit law, and
    /// `coulomb-viscous` that of forces.
    pub fn law_named(self, name: &str) -> Result<Law, BadInput> {
        let hyphens = name.replace('_', "-");
        let named = Law::ALL.into_iter().find(|law| law.name() == hyphens);
        let law = match (self, named) {
            (Self::Acceleration, Some(Law::Viscous)) => Some(Law::ViscousExplicit),
            (Self::Acceleration, Some(Law::CoulombViscous)) => Some(Law::CoulombViscousAcceleration),
            (_, named) => named,
        };
        law.filter(|law| self.laws().contains(law)).ok_or_else(|| {
            let names: Vec<_> = self.laws().iter().map(|law| law.name()).collect();
            let problem = format!(
                "must be one of {} for {} files, found {}",
                names.join(", "),
                self.names().file,
                shown(name)
            );
            BadInput::new("law", problem)
        })
    }
}
