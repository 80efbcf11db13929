//! Lemke's method on the dense contact LCP \[Lloyd 4, (8)\], with all fallbacks of `stiction-lcp`.
//!
//! Cost O((n(2 + d))²) a pivot: the method of last resort, and the one to compare others with.

use stiction_lcp::{Certificate, Options, Solver, Status};

use crate::formulation::coulomb_velocity::CoulombVelocity;
use crate::problem::ContactProblem;
use crate::ray::ray_of;
use crate::solution::Law;
use crate::solver::{End, Impulses, Outcome};

/// Digits of a rational's shorter part that are read.
const DIGITS: usize = 40;

/// Work in rationals of one run \[ns\], less than for an LCP by itself: a contact problem that resists is asked several times.
const EXACT_WORK: f64 = 1e8;

/// The method and its buffers.
#[derive(Debug, Clone)]
pub(crate) struct LemkeStandard {
    formulation: CoulombVelocity,
    solver: Solver,
    direction: Vec<f64>,
    squeeze: Impulses,
}

impl Default for LemkeStandard {
    fn default() -> Self {
        let options = Options {
            exact_work: EXACT_WORK,
            ..Options::default()
        };
        Self {
            formulation: CoulombVelocity::default(),
            solver: Solver::with_options(options),
            direction: Vec::new(),
            squeeze: Impulses::default(),
        }
    }
}

impl LemkeStandard {
    /// Solves a problem for the polyhedral or the frictionless law.
    pub(crate) fn run(&mut self, problem: &ContactProblem, law: Law, directions: usize, out: &mut Impulses) -> Outcome {
        let Some(lcp) = self.formulation.lcp(problem, law, directions) else {
            return Outcome::new(End::Unfit);
        };
        let Ok(solution) = self.solver.solve(&lcp) else {
            return Outcome::new(End::Unfit);
        };
        self.formulation.impulses(problem, &solution.z, false, out);
        let mut outcome = Outcome::new(match solution.status {
            Status::Ray | Status::Infeasible | Status::Unsolvable | Status::UnboundedDrive => End::Ray,
            Status::PivotLimit | Status::Cycle => End::Limit,
            _ => End::Answered,
        });
        outcome.pivots = solution.stats.pivots;
        self.direction.clear();
        match &solution.certificate {
            Some(Certificate::Ray { direction }) => self.direction.extend_from_slice(direction),
            // Mᵀy ≤ 0 and y ≥ 0 make yᵀMy = 0 for a copositive M: the vector is a squeeze as well.
            Some(Certificate::Farkas { y }) => self.direction.extend(y.iter().map(|y| rational(y))),
            _ => {}
        }
        // With dynamic friction a ray is not a squeeze.
        if outcome.end == End::Ray && !law.is_acceleration() && !self.direction.is_empty() {
            self.formulation
                .impulses(problem, &self.direction, true, &mut self.squeeze);
            outcome.ray = ray_of(problem, &self.squeeze);
        }
        outcome
    }
}

/// Value of a rational such as `3/7`.
fn rational(text: &str) -> f64 {
    let value = |part: &str| part.trim().parse::<f64>().unwrap_or(f64::NAN);
    match text.split_once('/') {
        Some((p, q)) => {
            // The same number of digits less above and below: exact rationals may be longer than an f64 can hold.
            let cut = p.len().min(q.len()).saturating_sub(DIGITS);
            value(&p[..p.len() - cut]) / value(&q[..q.len() - cut])
        }
        None => value(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rationals_are_read() {
        assert_eq!((rational("3/4"), rational("-2")), (0.75, -2.0));
        let long = "7".repeat(400);
        assert_eq!(rational(&format!("{long}/{long}")), 1.0);
        assert!((rational(&format!("{long}/7{long}")) - 0.1).abs() < 1e-15);
    }
}
