//! The judge of answers to local problems: it multiplies with W as given and knows no factor of it.

use super::LocalProblem;
use super::factor::coupled;
use crate::check::{Answer, Figures, ROUNDINGS, Residual, Row, Rows, Surface, Terms};
use crate::cone::Circle;
use crate::error::{InputError, check_length};
use crate::residual::{judge_contact, local};
use crate::solution::{ContactState, Law};

/// Least coupling of two rows that makes one set of them, relative to their own entries.
const COUPLED: f64 = 1e-12;

/// Of the roundings that the judge excuses in a row, the share that is half a unit in the last place.
const ONE_OF_ALL: f64 = 0.5 * f64::EPSILON / ROUNDINGS;

/// What the judge of a local problem says.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalVerdict {
    /// Whether the largest figure is within the tolerance.
    pub solved: bool,
    /// The figures, as the judge of bodies has them.
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

    /// u = W p + q, and the summed magnitudes of W p in each row.
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
            (sum + self.q[r], size)
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
        let fastest = self.fastest(answer);
        let (mut figures, mut state) = (Figures::default(), Vec::with_capacity(n));
        for i in 0..n {
            let phi = answer
                .phi
                .map(|phi| &phi[i * terms.directions..(i + 1) * terms.directions]);
            let push = (answer.normal[i], 0.0, answer.friction[i]);
            let local = local(&self.rows(i, &products[i]), push, fastest[i], self.dimension == 2);
            let surface = Surface {
                mu: self.mu[i],
                viscosity: 0.0,
                slip: [0.0; 2],
                drag: None,
            };
            state.push(judge_contact(&local, (terms, &surface, &circle), phi, &mut figures));
        }
        let residual = figures.residual();
        Ok(LocalVerdict {
            solved: residual.accuracy(terms.tolerance).is_some(),
            residual,
            contact_velocity: products.into_iter().map(|(u, _)| u).collect(),
            state,
        })
    }

    /// The rows of a contact. W does not tell one body from another: the velocity that all impulses together give it counts.
    fn rows(&self, i: usize, (u, pushed): &([f64; 3], [f64; 3])) -> Rows {
        let free = [0, 1, 2].map(|k| self.q[3 * i + k]);
        let row = |k: usize| {
            let delta = self.W[(3 * i + k) * (self.q.len() + 1)];
            Row {
                given: (u[k] - free[k]).abs(),
                // The rows of a contact are one velocity along three axes: one rounding of that, and no more, is in each.
                data: free[k].abs() + ONE_OF_ALL * free.iter().fold(0.0, |m: f64, q| m.max(q.abs())),
                pushed: pushed[k],
                carried: 0.0,
                delta,
            }
        };
        Rows {
            u: *u,
            free,
            acting: [row(0), row(1), row(2)],
            is_idle: false,
        }
    }

    /// V of the contacts that W couples with each contact: the largest min(|q|, W_rr|p|)/√W_rr [√J].
    fn fastest(&self, answer: Answer<'_>) -> Vec<f64> {
        let of_contact = |i: &usize| {
            let p = [answer.normal[*i], answer.friction[*i][0], answer.friction[*i][1]];
            let speed = |k: usize| {
                let own = self.W[(3 * i + k) * (self.q.len() + 1)];
                let speed = self.q[3 * i + k].abs().min(own * p[k].abs());
                if own > 0.0 { speed / own.sqrt() } else { 0.0 }
            };
            (0..3).map(speed).fold(0.0, f64::max)
        };
        let rows = self.q.len();
        let own = |r: usize| self.W[r * (rows + 1)].sqrt();
        // What couples less is rounding.
        let counts = |(at, w): (usize, &f64)| {
            let least = COUPLED * own(at / rows) * own(at % rows);
            if w.abs() < least { 0.0 } else { *w }
        };
        let material: Vec<f64> = self.W.iter().enumerate().map(counts).collect();
        let mut all = vec![0.0; self.mu.len()];
        for set in coupled(&material, rows) {
            let fastest = set.iter().map(of_contact).fold(0.0, f64::max);
            for i in set {
                all[i] = fastest;
            }
        }
        all
    }
}
