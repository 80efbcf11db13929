//! Contacts with a least normal impulse, as contacts without one beside weights.
//!
//! With θ = c + x a contact obeys 0 ≤ ν ⟂ x ≥ 0 from a velocity to which all impulses c along the normals are added. That is all where no friction
//! follows the normal impulse. Friction of the radius μθ is that of μx and of μc together: both oppose the slip with full strength, or hold within
//! discs whose sum is the disc of μθ, and likewise for polygons. The disc of radius μc is the friction of another contact with the same tangents. It
//! carries a weight of one coordinate and unit mass that falls at −sc onto a normal s: whatever else happens, the weight takes the normal impulse
//! c. The normal is as long as that of the contact, s² = ñᵀ𝓜⁻¹ñ. Nothing is approximated, and every method and law of contacts will do.

use crate::error::InputError;
use crate::problem::{ContactPart, ContactProblem, Touch, length};
use crate::solution::Law;
use crate::solver::Impulses;

/// The problem without least impulses, and the way back.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pressed {
    pub(crate) hat: ContactProblem,
    /// Contacts whose weights stand after the problem's own contacts.
    weighed: Vec<usize>,
    /// A normalised velocity.
    v: Vec<f64>,
    zeros: Vec<f64>,
}

impl Pressed {
    /// Makes the problem without least impulses.
    pub(crate) fn set(&mut self, problem: &ContactProblem, law: Law) -> Result<(), InputError> {
        self.hat.copy_from(problem);
        self.weighed.clear();
        self.v.clear();
        self.v.extend_from_slice(problem.k_x());
        for i in 0..problem.contact_count() {
            let c = problem.least_impulse(i);
            self.hat.set_least_impulse(i, 0.0)?;
            self.hat.set_restitution(i, 0.0)?;
            if c > 0.0 {
                problem.push(i, [c, 0.0, 0.0], &mut self.v);
                if follows_normal(problem, law, i) {
                    self.weighed.push(i);
                }
            }
        }
        let speed = self.v.iter().find(|x| !x.is_finite());
        if let Some(found) = speed {
            return Err(InputError::value("v_free", "must be finite after a bounce", *found));
        }
        self.hat.set_normalised_velocity(&self.v);
        // Without slip friction asks only whether a contact is pressed.
        let largest = (0..problem.contact_count()).fold(0.0_f64, |m, i| m.max(problem.least_impulse(i)));
        for k in 0..self.weighed.len() {
            let i = self.weighed[k];
            let weight = if law == Law::NoSlip {
                largest
            } else {
                problem.least_impulse(i)
            };
            self.add_weight(problem, i, weight)?;
        }
        Ok(())
    }

    fn add_weight(&mut self, problem: &ContactProblem, i: usize, impulse: f64) -> Result<(), InputError> {
        let size = length(problem.columns(i).normal);
        let weight = self.hat.add_block(&[1.0], &[-size * impulse])?;
        let c = problem.columns_tilde(i);
        self.zeros.clear();
        self.zeros.resize(c.normal.len().max(1), 0.0);
        let zeros = &self.zeros;
        let part = |t: &Touch| -> ContactPart<'_> {
            let own = t.start..t.start + t.len;
            let [x, y] = c.tangents.map(|tangent| &tangent[own.clone()]);
            (t.block, [&zeros[..t.len], x, y])
        };
        let normal = [size];
        let own: ContactPart<'_> = (weight, [&normal, &zeros[..1], &zeros[..1]]);
        let mu = problem.mu(i);
        let contact = match c.touches {
            [a] => self.hat.add_contact(&[part(a), own], mu)?,
            [a, b] => self.hat.add_contact(&[part(a), part(b), own], mu)?,
            all => {
                let parts: Vec<ContactPart<'_>> = all.iter().map(part).chain([own]).collect();
                self.hat.add_contact(&parts, mu)?
            }
        };
        let [_, x, y] = problem.bias(i);
        self.hat.set_bias(contact, [0.0, x, y])?;
        self.hat.set_slip(contact, problem.slip(i))?;
        // Far from the keys of contacts, so that nothing is taken for another.
        self.hat.set_key(contact, u64::MAX - contact as u64)
    }

    /// Takes impulses of `hat` back: whole impulses of the problem.
    pub(crate) fn take(&self, problem: &ContactProblem, found: &Impulses, directions: usize, to: &mut Impulses) {
        let n = problem.contact_count();
        to.normal.copy_from_slice(&found.normal[..n]);
        to.friction.copy_from_slice(&found.friction[..n]);
        to.joint.copy_from_slice(&found.joint);
        let has_phi = found.phi.len() == (n + self.weighed.len()) * directions;
        if has_phi {
            to.phi.copy_from_slice(&found.phi[..n * directions]);
        }
        for (i, theta) in to.normal.iter_mut().enumerate() {
            *theta += problem.least_impulse(i);
        }
        for (k, i) in self.weighed.iter().enumerate() {
            for axis in 0..2 {
                to.friction[*i][axis] += found.friction[n + k][axis];
            }
            if has_phi {
                for j in 0..directions {
                    to.phi[i * directions + j] += found.phi[(n + k) * directions + j];
                }
            }
        }
    }
}

/// Whether friction of a contact depends on its normal impulse.
fn follows_normal(problem: &ContactProblem, law: Law, contact: usize) -> bool {
    match law {
        Law::Frictionless | Law::Viscous | Law::ViscousExplicit => false,
        Law::NoSlip => true,
        _ => problem.mu(contact) > 0.0,
    }
}
