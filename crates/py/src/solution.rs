//! Answers to contact problems.

use std::sync::Arc;

use pyo3::prelude::*;
use stiction_contact::check;

use crate::record::{Source, list, record, rows, value};

/// An answer and the axes of its contacts.
pub(crate) struct Found {
    pub(crate) solution: stiction_contact::ContactSolution,
    pub(crate) axes: Option<Arc<[[[f64; 3]; 3]]>>,
}

record! {
    /// Impulses and velocities of a contact problem, with the residual that the judge found. Frozen; arrays are read-only.
    ContactSolution of Found {
        status, law, normal_impulse, friction_impulse, friction_world, phi, directions, joint_impulse, compression, velocity,
        contact_velocity, state, unique, accuracy, residual, ray, drive, stats,
    } {
        /// Whether the status is `solved`.
        #[getter]
        fn solved(&self, py: Python<'_>) -> PyResult<bool> {
            match self.0.source() {
                Some(found) => Ok(found.solution.status == stiction_contact::Status::Solved),
                None => self.0.get(py, "status")?.eq("solved"),
            }
        }
    }
}

impl Source for Found {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        let s = &self.solution;
        match field {
            "status" => value(py, s.status.name()),
            "law" => value(py, s.law.name()),
            "normal_impulse" => list(py, &s.normal_impulse),
            "friction_impulse" => rows(py, &s.friction_impulse),
            "friction_world" => match &self.axes {
                None => value(py, py.None()),
                Some(axes) => rows(py, &world_friction(&s.friction_impulse, axes)),
            },
            "phi" => list(py, &s.phi),
            "directions" => value(py, s.directions),
            "joint_impulse" => list(py, &s.joint_impulse),
            "compression" => value(py, s.compression.clone().map(Compression::of)),
            "velocity" => list(py, &s.velocity),
            "contact_velocity" => rows(py, &s.contact_velocity),
            "state" => value(py, names(s)),
            "unique" if s.unique.is_empty() && !s.state.is_empty() => value(py, py.None()),
            "unique" => list(py, &s.unique),
            "accuracy" => value(py, s.accuracy.map(check::Accuracy::name)),
            "residual" => value(py, Residual::of(s.residual)),
            "ray" => value(py, s.ray.clone().map(Ray::of)),
            "drive" => value(py, s.drive.clone().map(Drive::of)),
            _ => value(py, Stats::of(s.stats.clone())),
        }
    }
}

fn names(solution: &stiction_contact::ContactSolution) -> Vec<&'static str> {
    solution.state.iter().map(|state| state.name()).collect()
}

/// x t_x + y t_y for each contact.
fn world_friction(friction: &[[f64; 2]], axes: &[[[f64; 3]; 3]]) -> Vec<[f64; 3]> {
    let both = friction.iter().zip(axes);
    // Adding 0 turns -0 into 0, as in answer files.
    both.map(|([x, y], [_, tx, ty])| std::array::from_fn(|k| x * tx[k] + y * ty[k] + 0.0))
        .collect()
}

record! {
    /// What the judge found, each figure relative to what acts on its row. Zero is perfect.
    Residual of check::Residual { worst, beyond_rounding, gap, sign, complementarity, cone, dissipation, joints }
}

impl Source for check::Residual {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        let figure = match field {
            "worst" => self.worst,
            "beyond_rounding" => self.beyond_rounding,
            "gap" => self.gap,
            "sign" => self.sign,
            "complementarity" => self.complementarity,
            "cone" => self.cone,
            "dissipation" => self.dissipation,
            _ => self.joints,
        };
        value(py, figure)
    }
}

record! {
    /// Counts of one solve.
    Stats of stiction_contact::Stats {
        pivots, newton_steps, handovers, handover_reason, methods, fallbacks, islands, warm_starts, warm_fallbacks, rest_preferred, choices, choices_cut,
    }
}

impl Source for stiction_contact::Stats {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        match field {
            "pivots" => value(py, self.pivots),
            "newton_steps" => value(py, self.newton_steps),
            "handovers" => value(py, self.handovers),
            "handover_reason" => value(py, self.handover_reason),
            "methods" => value(py, self.methods.iter().map(|m| m.name()).collect::<Vec<_>>()),
            "fallbacks" => value(py, self.fallbacks),
            "islands" => value(py, self.islands),
            "warm_starts" => value(py, self.warm_starts),
            "warm_fallbacks" => value(py, self.warm_fallbacks),
            "rest_preferred" => value(py, self.rest_preferred),
            "choices" => value(py, self.choices),
            _ => value(py, self.choices_cut),
        }
    }
}

record! {
    /// Internal forces found where Lemke's path ended on a ray: lists of (index, impulse), the largest 1.
    Ray of stiction_contact::Ray { contacts, joints, work, infeasible, least_speed, defect, proof }
}

impl Source for stiction_contact::Ray {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        match field {
            "contacts" => value(py, self.contacts.clone()),
            "joints" => value(py, self.joints.clone()),
            "work" => value(py, self.work),
            "infeasible" => value(py, self.infeasible),
            "least_speed" => value(py, self.least_speed),
            "defect" => value(py, self.defect),
            _ => value(py, self.proof.clone().map(|proof| (proof.contacts, proof.joints))),
        }
    }
}

record! {
    /// The compression of a bounce after Poisson: the whole normal impulse is at least (1 + restitution) times that of the compression.
    Compression of stiction_contact::Compression { normal_impulse, friction_impulse, joint_impulse }
}

impl Source for stiction_contact::Compression {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        match field {
            "normal_impulse" => list(py, &self.normal_impulse),
            "friction_impulse" => rows(py, &self.friction_impulse),
            _ => list(py, &self.joint_impulse),
        }
    }
}

record! {
    /// Direction in which forces can rise without bound: lists of (index, normal, tangents) and (index, force).
    Drive of stiction_contact::Drive { driven, contacts, joints }
}

impl Source for stiction_contact::Drive {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        match field {
            "driven" => value(py, self.driven),
            "contacts" => {
                let flat = self.contacts.iter().map(|(i, normal, [x, y])| (*i, *normal, (*x, *y)));
                value(py, flat.collect::<Vec<_>>())
            }
            _ => value(py, self.joints.clone()),
        }
    }
}
