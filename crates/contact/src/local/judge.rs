//! The judge of answers to local problems: it multiplies with W as given and knows no factor of it.

use super::LocalProblem;
use super::factor::coupled;
use crate::check::{Answer, EXCUSED, LocalFigures, Residual, Terms};
use crate::cone::Circle;
use crate::error::{InputError, check_length};
use crate::solution::{ContactState, Law};

/// Share of the largest q that is one rounding of it, before the tolerance acts on it.
const ONE_ROUNDING: f64 = 1e-6;

/// What the judge of a local problem says.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalVerdict {
    /// Whether the largest figure is within the tolerance.
    pub solved: bool,
    /// The figures, as the judge of bodies has them: velocities relative to the fastest of q that W couples with them.
    pub residual: Residual,
    /// u = W p + q at each contact.
    pub contact_velocity: Vec<[f64; 3]>,
    /// State of each contact.
    pub state: Vec<ContactState>,
}

impl LocalProblem {
    /// u = W p + q.
    #[must_use]
    pub fn velocity(&self, normal: &[f64], friction: &[[f64; 2]]) -> Vec<[f64; 3]> {
        self.products(normal, friction).into_iter().map(|(u, _)| u).collect()
    }

    /// u = W p + q, and the sum of the magnitudes in each row.
    fn products(&self, normal: &[f64], friction: &[[f64; 2]]) -> Vec<([f64; 3], [f64; 3])> {
        let rows = self.q.len();
        let p: Vec<f64> = normal
            .iter()
            .zip(friction)
            .flat_map(|(n, f)| [*n, f[0], f[1]])
            .collect();
        let row = |r: usize| {
            let (mut sum, mut size) = (0.0, 0.0);
            for (w, p) in self.W[r * rows..(r + 1) * rows].iter().zip(&p) {
                sum += w * p;
                size += (w * p).abs();
            }
            (sum + self.q[r], size + self.q[r].abs())
        };
        let contact = |i: usize| {
            let three = [row(3 * i), row(3 * i + 1), row(3 * i + 2)];
            (three.map(|x| x.0), three.map(|x| x.1))
        };
        (0..self.mu.len()).map(contact).collect()
    }

    /// Whether a law is among those that [`Self::judge`] knows: `frictionless`, `polyhedral`, `coulomb`, `no-slip`.
    #[must_use]
    pub fn judges(law: Law) -> bool {
        matches!(law, Law::Frictionless | Law::Polyhedral | Law::Coulomb | Law::NoSlip)
    }

    /// Judges impulses from anyone by the laws `frictionless`, `polyhedral`, `coulomb` and `no-slip`. `joint` must be empty.
    ///
    /// # Errors
    /// Lists whose lengths are not the problem's, another law, directions or tolerance out of range.
    pub fn judge(&self, terms: Terms, answer: Answer<'_>) -> Result<LocalVerdict, InputError> {
        terms.check()?;
        let n = self.mu.len();
        check_length("normal_impulse", n, answer.normal.len())?;
        check_length("friction_impulse", n, answer.friction.len())?;
        check_length("joint_impulse", 0, answer.joint.len())?;
        if let Some(phi) = answer.phi {
            check_length("phi", n * terms.directions, phi.len())?;
        }
        if !Self::judges(terms.law) {
            return Err(InputError::MethodMismatch {
                method: "the judge of local problems",
                law: terms.law.name(),
                fitting: "give bodies".to_owned(),
            });
        }
        let mut circle = Circle::default();
        if terms.law == Law::Polyhedral {
            circle.set(terms.directions);
        }
        let products = self.products(answer.normal, answer.friction);
        let mut figures = LocalFigures::new(terms, circle);
        let sizes = self.sizes(terms.law);
        let own = |r: usize| self.W[r * (self.q.len() + 1)];
        for (i, (u, size)) in products.iter().enumerate() {
            let phi = answer
                .phi
                .map(|phi| &phi[i * terms.directions..(i + 1) * terms.directions]);
            figures.contact(
                (answer.normal[i], answer.friction[i], phi),
                (*u, *size),
                (
                    [own(3 * i), own(3 * i + 1).max(own(3 * i + 2))],
                    self.mu[i],
                    self.dimension == 2,
                ),
                sizes[i],
            );
        }
        let (residual, state) = figures.finish();
        Ok(LocalVerdict {
            solved: residual.worst <= terms.tolerance,
            residual,
            contact_velocity: products.into_iter().map(|(u, _)| u).collect(),
            state,
        })
    }

    /// V of each contact: the fastest of q, in the rows that the law speaks of, among the contacts that W couples with it. A contact that comes apart does
    /// not count: it may be far away, and q does not say what part of it is its gap. What nothing couples is judged apart: a fast one is no excuse for the
    /// others. Those at rest take the fastest of all, and 1 at most; 1 where all are zero. V is no less than what may be rounding: q is a difference of terms
    /// that no one knows.
    fn sizes(&self, law: Law) -> Vec<f64> {
        let of_contact = |i: usize| {
            let q = &self.q[3 * i..3 * i + 3];
            let rough = match law {
                Law::Frictionless => false,
                Law::NoSlip => true,
                _ => self.mu[i] > 0.0,
            };
            let slip = if rough { libm::hypot(q[1], q[2]) } else { 0.0 };
            let all = q[0].abs().max(slip);
            [if q[0] > 0.0 { 0.0 } else { all }, all]
        };
        // Those that count, and all.
        let own: Vec<[f64; 2]> = (0..self.mu.len()).map(of_contact).collect();
        let fastest = |of: &mut dyn Iterator<Item = &[f64; 2]>| {
            of.fold([0.0, 0.0], |[a, b]: [f64; 2], [c, d]| [a.max(*c), b.max(*d)])
        };
        let of_all = fastest(&mut own.iter());
        let at_rest = match of_all {
            [0.0, 0.0] => 1.0,
            [0.0, open] => open.min(1.0),
            [counted, _] => counted.min(1.0),
        };
        let mut sizes = vec![0.0; own.len()];
        for set in coupled(&self.W, self.q.len()) {
            let [V, all] = fastest(&mut set.iter().map(|i| &own[*i]));
            let V = if V == 0.0 { at_rest } else { V };
            let V = V.max(EXCUSED * of_all[0]).max(ONE_ROUNDING * all);
            for i in set {
                sizes[i] = V;
            }
        }
        sizes
    }
}
