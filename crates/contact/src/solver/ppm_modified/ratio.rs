//! The ratio-test method that takes over where principal pivoting comes back to a set.
//!
//! θ ≥ 0 with support in α moves towards the z of its set until a contact stops pushing, which then leaves (\[Baraff 4\]'s maxstep; here
//! for all of α at once). Once z ≥ 0 the most negative w enters. ½|k + Nθ|² + bᵀθ falls with every step that is not of length zero, and
//! α stays independent: a contact that depends on it moves θ along a direction that changes no velocity, until another leaves for
//! it. Where none does the direction squeezes without bound, and no velocity satisfies the contacts.

use super::{LIMIT, PpmModified, SKIP};
use crate::problem::ContactProblem;
use crate::solver::End;

/// An impulse falls along a direction when it does by more than this share of the largest.
const FALLS: f64 = 1e-11;

impl PpmModified {
    /// Runs from the current set.
    pub(super) fn ratio_test(&mut self, problem: &ContactProblem) -> End {
        self.start_from_set(problem);
        let limit = self.pivots + LIMIT * (problem.contact_count() + 20);
        let mut entered = None;
        loop {
            if !self.settle(problem, limit, entered) {
                return End::Limit;
            }
            let (Some(i), _) = self.negative(1.0) else {
                return End::Answered;
            };
            if self.pivots >= limit {
                return End::Limit;
            }
            entered = Some(i);
            if self.append(problem, i) {
                self.note_change(i);
            } else if self.w[i] >= -SKIP * self.fastest {
                self.dependent[i] = true;
            } else if !self.make_room(problem, i) {
                return End::Ray;
            }
        }
    }

    /// θ is what pushes in the current set.
    fn start_from_set(&mut self, problem: &ContactProblem) {
        if self.z.iter().any(|z| !z.is_finite()) {
            self.z.fill(0.0);
        }
        self.theta.fill(0.0);
        self.dependent.fill(false);
        for p in (0..self.alpha.len()).rev() {
            let i = self.alpha[p];
            if self.z[i] > 0.0 {
                self.theta[i] = self.z[i];
            } else {
                self.drop(i);
            }
        }
        self.refactor(problem);
    }

    /// Moves θ to the z of its set, and takes from the set what stops it. False at the limit.
    fn settle(&mut self, problem: &ContactProblem, limit: usize, entered: Option<usize>) -> bool {
        loop {
            if self.changes >= super::REFACTOR {
                self.refactor(problem);
            }
            self.solve(problem);
            self.refine(problem);
            if self.pivots >= limit || self.z.iter().any(|z| !z.is_finite()) {
                return false;
            }
            let (mut step, mut stops) = (1.0, None);
            for i in &self.alpha {
                let (theta, z) = (self.theta[*i], self.z[*i]);
                if self.is_negative(*i, 1.0) {
                    let reach = theta / (theta - z);
                    if stops.is_none() || reach < step || (reach == step && Some(*i) < stops) {
                        (step, stops) = (reach, Some(*i));
                    }
                }
            }
            let Some(j) = stops else {
                for i in &self.alpha {
                    self.z[*i] = self.z[*i].max(0.0);
                    self.theta[*i] = self.z[*i];
                }
                return true;
            };
            for i in &self.alpha {
                let theta = self.theta[*i];
                self.theta[*i] = (theta + step * (self.z[*i] - theta)).max(0.0);
            }
            self.theta[j] = 0.0;
            self.drop(j);
            // What enters and pulls does so by rounding alone.
            self.dependent[j] = Some(j) == entered && step == 0.0;
        }
    }

    /// Moves θ along the direction by which i depends on α, until a contact leaves for it. False where none does: a squeeze.
    fn make_room(&mut self, problem: &ContactProblem, i: usize) -> bool {
        // N_αᵀN_α x = −N_αᵀn_i; the products are those of the last `append`.
        for b in &mut self.b {
            *b = -*b;
        }
        self.factor.solve(&self.b, &mut self.x);
        let size = |x: f64, i: usize| x.abs() * self.square[i].sqrt();
        let largest = self
            .alpha
            .iter()
            .zip(&self.x)
            .fold(size(1.0, i), |m, (j, x)| m.max(size(*x, *j)));
        let (mut step, mut leaves) = (f64::INFINITY, None);
        for (j, x) in self.alpha.iter().zip(&self.x) {
            if *x < 0.0 && size(*x, *j) > FALLS * largest {
                let reach = self.theta[*j] / -x;
                if reach < step || (reach == step && Some(*j) < leaves) {
                    (step, leaves) = (reach, Some(*j));
                }
            }
        }
        let Some(j) = leaves else {
            self.squeeze.clear(problem, 0);
            self.squeeze.normal[i] = 1.0;
            for (j, x) in self.alpha.iter().zip(&self.x) {
                self.squeeze.normal[*j] = x.max(0.0);
            }
            return false;
        };
        for (j, x) in self.alpha.iter().zip(&self.x) {
            self.theta[*j] = (self.theta[*j] + step * x).max(0.0);
        }
        self.theta[j] = 0.0;
        self.theta[i] = step;
        self.drop(j);
        if self.append(problem, i) {
            self.note_change(i);
        } else {
            self.theta[i] = 0.0;
            self.dependent[i] = true;
        }
        true
    }
}
