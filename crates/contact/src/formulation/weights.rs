//! Joint rows that yield, as contacts and firm rows of a larger problem, for methods that know no others.
//!
//! A weight of one coordinate and unit mass that falls at −cF rests on a contact with normal c: whatever else happens, it takes the normal
//! impulse F. Let the first tangent of the same contact be the row j, with a coefficient of friction of 1: its friction λ is held to
//! −F ..= F and opposes jᵀv + b, which is dry friction of limit F. A second coordinate of unit mass, at rest, with entry √ε in the tangent
//! moves by √ε λ, and adds ελ to the row's velocity: its compliance. A row without limit needs the second alone and stays a joint. The
//! normal is as long as the tangent, c² = j̃ᵀ𝓜⁻¹j̃ + ε, so that both are of one scale. Nothing is approximated.

use crate::error::InputError;
use crate::problem::{ContactProblem, JointPart, length};
use crate::solver::Impulses;

/// Where a joint row of the problem has gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Joint(usize),
    Contact(usize),
}

/// The larger problem, and the way back.
#[derive(Debug, Clone, Default)]
pub(crate) struct Weights {
    pub(crate) hat: ContactProblem,
    places: Vec<Place>,
    contacts: usize,
}

impl Weights {
    /// Makes the larger problem; `friction` replaces that of the problem's contacts.
    pub(crate) fn set(&mut self, problem: &ContactProblem, friction: Option<f64>) -> Result<(), InputError> {
        let hat = &mut self.hat;
        let all: Vec<usize> = (0..problem.block_count().max(problem.contact_count())).collect();
        hat.take_part(
            problem,
            &all[..problem.block_count()],
            &all[..problem.contact_count()],
            &[],
            &mut Vec::new(),
        );
        for i in 0..problem.contact_count() {
            hat.set_restitution(i, 0.0)?;
        }
        if let Some(mu) = friction {
            *hat = hat.with_friction(mu);
        }
        self.contacts = problem.contact_count();
        self.places.clear();
        for k in 0..problem.joint_count() {
            let (touches, column) = problem.joint_tilde(k);
            let mut parts: Vec<JointPart<'_>> = touches
                .iter()
                .map(|t| (t.block, &column[t.start..t.start + t.len]))
                .collect();
            let (compliance, most) = problem.joint_yield(k);
            let (root, bias) = ([compliance.sqrt()], problem.joint_bias(k));
            if compliance > 0.0 {
                parts.push((hat.add_block(&[1.0], &[0.0])?, &root));
            }
            let size = libm::hypot(length(problem.joint(k).1), root[0]);
            if most.is_infinite() || size == 0.0 {
                let joint = hat.add_joint(&parts, bias)?;
                hat.set_joint_unit(joint, problem.joint_unit(k));
                self.places.push(Place::Joint(joint));
                continue;
            }
            let weight = hat.add_block(&[1.0], &[-size * most])?;
            self.places
                .push(Place::Contact(add_rest(hat, weight, size, &parts, bias)?));
        }
        Ok(())
    }

    /// Takes impulses of the larger problem back.
    pub(crate) fn take(&self, found: &Impulses, to: &mut Impulses) {
        let n = self.contacts;
        to.normal.copy_from_slice(&found.normal[..n]);
        to.friction.copy_from_slice(&found.friction[..n]);
        let phi = to.phi.len().min(found.phi.len());
        to.phi[..phi].copy_from_slice(&found.phi[..phi]);
        for (x, place) in to.joint.iter_mut().zip(&self.places) {
            *x = match place {
                Place::Joint(k) => found.joint[*k],
                Place::Contact(i) => found.friction[*i][0],
            };
        }
    }
}

/// The contact on which a weight rests, with the row as its tangent.
fn add_rest(
    hat: &mut ContactProblem,
    weight: usize,
    size: f64,
    parts: &[JointPart<'_>],
    bias: f64,
) -> Result<usize, InputError> {
    let zeros = vec![0.0; parts.iter().map(|(_, row)| row.len()).fold(1, usize::max)];
    let normal = [size];
    let mut rows: Vec<crate::problem::ContactPart<'_>> = parts
        .iter()
        .map(|(block, row)| (*block, [&zeros[..row.len()], *row, &zeros[..row.len()]]))
        .collect();
    rows.push((weight, [&normal, &zeros[..1], &zeros[..1]]));
    let contact = hat.add_contact(&rows, 1.0)?;
    hat.set_bias(contact, [0.0, bias, 0.0])?;
    // Far from the keys of contacts, so that nothing is taken for another.
    hat.set_key(contact, u64::MAX - contact as u64)?;
    Ok(contact)
}
