//! Lemke's method on the dense contact LCP \[Lloyd 4, (8)\], with all fallbacks of `stiction-lcp`.
//!
//! Cost O((n(2 + d))²) a pivot: the method of last resort, and the one to compare others with.

use stiction_lcp::{Certificate, Solver, Status};

use crate::formulation::coulomb_velocity::CoulombVelocity;
use crate::problem::ContactProblem;
use crate::ray::ray_of;
use crate::solution::Law;
use crate::solver::{End, Impulses, Outcome};

/// Digits of a rational's shorter part that are read.
const DIGITS: usize = 40;

/// Work in rationals on one problem, all runs together \[ns\]: one that resists is asked many times, and what rationals can do they do at once.
const EXACT_WORK: f64 = 3e7;

/// Work in floating point on one problem, all runs together \[pivots × variables²\]: a second or two. Others have followed the same path before.
const PIVOT_WORK: u64 = 3_000_000_000;
/// The same where another solve follows.
const LITTLE_WORK: u64 = 30_000_000;

/// The method and its buffers.
#[derive(Debug, Clone, Default)]
pub(crate) struct LemkeStandard {
    formulation: CoulombVelocity,
    solver: Solver,
    /// What is left of the work in floating point.
    pivot_work: u64,
    direction: Vec<f64>,
    squeeze: Impulses,
}

impl LemkeStandard {
    /// A new problem: what an earlier one spent does not matter. Where the method was named, a path may take as long as it takes; where
    /// another solve follows in any case, it takes little, and nothing is proven.
    pub(crate) fn begin(&mut self, alone: bool, is_followed: bool) {
        self.solver.set_exact_work(if is_followed { 0.0 } else { EXACT_WORK });
        self.solver.set_any_class(false); // contacts have fallbacks of their own
        self.pivot_work = match (alone, is_followed) {
            (true, _) => u64::MAX,
            (false, true) => LITTLE_WORK,
            (false, false) => PIVOT_WORK,
        };
    }

    /// Solves a problem for the polyhedral or the frictionless law.
    pub(crate) fn run(&mut self, problem: &ContactProblem, law: Law, directions: usize, out: &mut Impulses) -> Outcome {
        self.solver.set_pivot_work(self.pivot_work);
        let affords = |n| self.solver.affords_path(n);
        let lcp = self.formulation.lcp_if(problem, law, directions, affords);
        if lcp.is_none_or(|lcp| self.solver.solve(&lcp).is_err()) {
            return Outcome::new(End::Unfit);
        }
        self.solver.set_exact_work(self.solver.exact_work_left());
        self.pivot_work = self.solver.pivot_work_left();
        let solution = self.solver.solution();
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
    fn work_in_rationals_is_shared_by_the_runs_on_a_problem() -> Result<(), crate::InputError> {
        // A peg between two walls, the second so rough that paths end on a ray: it is asked for an answer in rationals.
        let mut problem = ContactProblem::new();
        problem.add_block(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.01], &[5.0, 2.0, 0.0])?;
        for (wall, (normal, tangent, mu)) in [
            ([1.0, 0.0, -1.0], [0.0, 1.0, 1.1], 0.3),
            ([-1.0, 0.0, 0.0], [0.0, 1.0, -3.4], 22e3),
        ]
        .iter()
        .enumerate()
        {
            problem.add_contact(&[(0, [normal, tangent, &[0.0; 3]])], *mu)?;
            problem.set_bias(wall, [-2e-4, 0.0, 0.0])?;
        }
        let mut method = LemkeStandard::default();
        let run = |method: &mut LemkeStandard| {
            let outcome = method.run(&problem, Law::Polyhedral, 4, &mut Impulses::default());
            assert_eq!(outcome.end, End::Ray);
            method.solver.exact_work_left()
        };
        method.begin(false, false);
        let (first, second) = (run(&mut method), run(&mut method));
        assert!(first < EXACT_WORK && second < first, "{first}, {second}");
        method.begin(false, false);
        assert_eq!(run(&mut method), first);
        Ok(())
    }

    #[test]
    fn rationals_are_read() {
        assert_eq!((rational("3/4"), rational("-2")), (0.75, -2.0));
        let long = "7".repeat(400);
        assert_eq!(rational(&format!("{long}/{long}")), 1.0);
        assert!((rational(&format!("{long}/7{long}")) - 0.1).abs() < 1e-15);
    }
}
