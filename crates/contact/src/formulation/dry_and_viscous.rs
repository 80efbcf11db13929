//! Coulomb's and viscous friction together \[Drumwright (14) and (15)\], as a problem of Coulomb's friction alone.
//!
//! *Implicit*, f = f_c − c u_t of the velocity at the end: the viscous part is that of two joint rows, the contact's tangents, with a compliance of 1/c
//! and without limit, u_t + λ/c = 0. *Explicit*, f = f_c − c s of the slip s that a contact has: the viscous force is known, and moves the bodies
//! before the contacts act. Either way f_c obeys Coulomb's law.

use crate::error::InputError;
use crate::problem::{ContactProblem, JointPart};
use crate::solver::Impulses;

/// The problem of Coulomb's friction alone, and the way back.
#[derive(Debug, Clone, Default)]
pub(crate) struct DryAndViscous {
    pub(crate) hat: ContactProblem,
    /// Contact and tangent of each joint row after the problem's own.
    rows: Vec<(usize, usize)>,
    v: Vec<f64>,
}

impl DryAndViscous {
    /// The implicit form.
    pub(crate) fn set_implicit(&mut self, problem: &ContactProblem) -> Result<(), InputError> {
        self.hat.copy_from(problem);
        self.rows.clear();
        for i in 0..problem.contact_count() {
            self.hat.set_restitution(i, 0.0)?;
            let compliance = 1.0 / problem.viscosity(i);
            if !compliance.is_finite() {
                continue;
            }
            let (c, bias) = (problem.columns_tilde(i), problem.bias(i));
            let axes = if problem.is_planar(i) { 1 } else { 2 };
            for axis in 0..axes {
                let tangent = c.tangents[axis];
                let parts: Vec<JointPart<'_>> = c
                    .touches
                    .iter()
                    .map(|t| (t.block, &tangent[t.start..t.start + t.len]))
                    .collect();
                if tangent.iter().all(|x| *x == 0.0) {
                    continue;
                }
                let row = self.hat.add_joint(&parts, bias[axis + 1])?;
                self.hat.set_yield(row, compliance, f64::INFINITY)?;
                self.rows.push((i, axis));
            }
        }
        Ok(())
    }

    /// The explicit form.
    pub(crate) fn set_explicit(&mut self, problem: &ContactProblem) {
        self.hat.copy_from(problem);
        self.rows.clear();
        self.v.clear();
        self.v.extend_from_slice(problem.k_x());
        for i in 0..problem.contact_count() {
            let [x, y] = problem.viscous_drag(i);
            problem.push(i, [0.0, x, y], &mut self.v);
        }
        self.hat.set_normalised_velocity(&self.v);
    }

    /// Whether `hat` has the joint rows of the problem alone, so that an earlier solution of that is one of `hat`.
    pub(crate) fn is_as_given(&self) -> bool {
        self.rows.is_empty()
    }

    /// Takes impulses of the implicit form back.
    pub(crate) fn take_implicit(&self, problem: &ContactProblem, found: &Impulses, to: &mut Impulses) {
        to.normal.copy_from_slice(&found.normal);
        to.friction.copy_from_slice(&found.friction);
        let own = problem.joint_count();
        to.joint.copy_from_slice(&found.joint[..own]);
        for ((i, axis), x) in self.rows.iter().zip(&found.joint[own..]) {
            to.friction[*i][*axis] += x;
        }
    }

    /// Takes forces of the explicit form back.
    pub(crate) fn take_explicit(problem: &ContactProblem, found: &Impulses, to: &mut Impulses) {
        to.normal.copy_from_slice(&found.normal);
        to.joint.copy_from_slice(&found.joint);
        for (i, f) in to.friction.iter_mut().enumerate() {
            let drag = problem.viscous_drag(i);
            *f = [0, 1].map(|axis| found.friction[i][axis] + drag[axis]);
        }
    }
}
