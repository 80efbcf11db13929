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
        /// How the solve ended.
        status,
        /// Law of contact.
        law,
        /// [N s], (n,).
        normal_impulse,
        /// Along the two tangents [N s], (n, 2).
        friction_impulse,
        /// Friction impulse on body a in world axes [N s], (n, 3); None unless the problem was made from bodies.
        friction_world,
        /// Polyhedral law: impulse along each direction [N s], (n * directions,); else empty.
        phi,
        /// Friction directions of the polyhedral law; else 0.
        directions,
        /// [N s], (r,).
        joint_impulse,
        /// Where contacts bounced after Poisson.
        compression,
        /// After the step, all blocks one after the other, (dof,).
        velocity,
        /// Normal and tangential velocity at each contact, bias included [m/s], (n, 3).
        contact_velocity,
        /// State of each contact.
        state,
        /// Whether each impulse is the only one possible, (n,); None unless requested.
        unique,
        /// Of an answer that is solved: rounding where only excused rounding brings it within the tolerance.
        accuracy,
        /// What the judge found.
        residual,
        /// Where a path ended on a ray: the squeeze; else None.
        ray,
        /// Where no finite force exists: the direction of an impulse; else None.
        drive,
        /// Counts of the solve.
        stats,
    } {
        /// Velocities of free bodies after the step, (m, 6): a view of `velocity`. None where the problem's blocks have other sizes.
        #[getter]
        fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
            let all = self.0.get(py, "velocity")?;
            if all.len()? % 6 != 0 {
                return Ok(None);
            }
            all.call_method1("reshape", (-1, 6)).map(Some)
        }

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
    Residual of check::Residual {
        /// Largest of the figures.
        worst,
        /// The same without what rounding of the terms of each row explains.
        beyond_rounding,
        /// Of contacts that overlap.
        gap,
        /// Of normal impulses that pull.
        sign,
        /// Of impulses at contacts that part.
        complementarity,
        /// Of friction beyond its limit.
        cone,
        /// Of friction that does not oppose the slip.
        dissipation,
        /// Of joint rows.
        joints,
    }
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
        /// Pivots.
        pivots,
        /// Newton steps.
        newton_steps,
        /// Fallbacks from Newton's method to pivoting.
        handovers,
        /// Why the last of them happened, or None.
        handover_reason,
        /// Methods in the order in which they ran; the last gave the answer.
        methods,
        /// Fallbacks from one method to another.
        fallbacks,
        /// Islands: parts that do not touch.
        islands,
        /// Islands that started from an earlier answer.
        warm_starts,
        /// Of these, those that had to start again.
        warm_fallbacks,
        /// Islands that stay at rest although another answer is lawful too.
        rest_preferred,
        /// Choices of sides of nonconvex groups that were tried.
        choices,
        /// Whether the search over choices was cut short.
        choices_cut,
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
    Ray of stiction_contact::Ray {
        /// Index and impulse of contacts that squeeze.
        contacts,
        /// Index and impulse of joint rows that squeeze.
        joints,
        /// Work that the impulses would do on the velocity without contact.
        work,
        /// No velocity satisfies the contacts; proven in rationals.
        infeasible,
        /// Least speed by which some contact must be violated [m/s].
        least_speed,
        /// How far the impulses are from cancelling.
        defect,
        /// Impulses of contacts and of joint rows that cancel exactly, as rationals such as "5/6".
        proof,
    }
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
    Compression of stiction_contact::Compression {
        /// [N s], (n,).
        normal_impulse,
        /// Along the two tangents [N s], (n, 2).
        friction_impulse,
        /// [N s], (r,).
        joint_impulse,
    }
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
    Drive of stiction_contact::Drive {
        /// Contact that was driven.
        driven,
        /// Index, normal impulse and impulses along the tangents.
        contacts,
        /// Index and impulse of joint rows.
        joints,
    }
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
