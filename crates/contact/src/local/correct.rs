//! Answers for a W that is not symmetric, or positive semidefinite only to the digits of a file.
//!
//! With S the matrix that is solved and A = W − S, u = S p + (A p + q): the problem of S with the bias A p̄ + q, solved again from where it
//! stands with p̄ = p, comes to rest at an answer of W itself. A is small beside S where it comes from gyroscopic forces over a step, so each
//! round gains two to three digits.

use super::LocalProblem;
use super::judge::LocalVerdict;
use crate::check::{Answer, Terms};
use crate::error::InputError;
use crate::problem::ContactProblem;
use crate::solution::{ContactSolution, Status};
use crate::solve::ContactSolver;

/// Rounds at most, and the rounds without a smaller residual after which the correction ends.
const MAX_ROUNDS: usize = 60;
const PATIENCE: usize = 6;
/// Rounds go on for a residual that is accepted but larger than this part of the tolerance: other measures of the same error are somewhat larger.
const FINE: f64 = 0.01;

/// The answer to a local problem.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalSolution {
    /// Impulses; velocities, states, residual and status by W as given. `velocity` is that of the coordinates in which the symmetric part
    /// was solved.
    pub solution: ContactSolution,
    /// Problems solved: 1 where W is symmetric.
    pub rounds: usize,
}

impl LocalProblem {
    /// Solves the problem; `problem` is the one of its symmetric part ([`Self::problem`]). Where W is not symmetric, rounds of
    /// corrections follow until the judge of W as given accepts the answer, or it does not improve any more: the best is returned, and its
    /// status is [`Status::Inaccurate`] where it is not accepted.
    ///
    /// # Errors
    /// As [`ContactSolver::solve`] and [`Self::judge`]; a problem with another number of contacts.
    pub fn solve(&self, problem: &ContactProblem, solver: &mut ContactSolver) -> Result<LocalSolution, InputError> {
        let first = solver.solve(problem)?.clone();
        let mut best = self.judged(first, solver)?;
        let fine = FINE * solver.options().tolerance;
        let is_fine = |best: &ContactSolution| {
            best.status == Status::Solved && (best.residual.beyond_rounding <= fine || self.is_symmetric())
        };
        // Without numbers there is nothing to start from.
        if is_fine(&best) || best.residual.worst.is_infinite() {
            return Ok(LocalSolution {
                solution: best,
                rounds: 1,
            });
        }
        let mut shifted = problem.clone();
        let (mut last, mut rounds, mut stale) = (best.clone(), 1, 0);
        while !is_fine(&best) && rounds < MAX_ROUNDS && stale < if best.status == Status::Solved { 1 } else { PATIENCE }
        {
            self.shift(&mut shifted, &last)?;
            let next = solver.solve_warm(&shifted)?.clone();
            last = self.judged(next, solver)?;
            rounds += 1;
            stale += 1;
            if last.residual.is_less(&best.residual) {
                stale = 0;
                best = last.clone();
            }
        }
        Ok(LocalSolution { solution: best, rounds })
    }

    /// The bias becomes q + (W p − S p): what W p + q has beyond the matrix S of the problem.
    fn shift(&self, problem: &mut ContactProblem, at: &ContactSolution) -> Result<(), InputError> {
        let u = self.velocity(&at.normal_impulse, &at.friction_impulse);
        let mut v = vec![0.0; problem.dof()];
        for (i, [x, y]) in at.friction_impulse.iter().enumerate() {
            problem.push(i, [at.normal_impulse[i], *x, *y], &mut v);
        }
        for (i, u) in u.iter().enumerate() {
            let own = problem.along(i, &v);
            let mut bias = [u[0] - own[0], u[1] - own[1], u[2] - own[2]];
            if self.dimension == 2 {
                bias[2] = 0.0;
            }
            problem.set_bias(i, bias)?;
        }
        Ok(())
    }

    /// A solution with velocities, residual and status by W as given.
    fn judged(&self, mut solution: ContactSolution, solver: &ContactSolver) -> Result<ContactSolution, InputError> {
        let options = solver.options();
        let terms = Terms {
            law: solution.law,
            directions: options.directions,
            tolerance: options.tolerance,
        };
        let answer = Answer {
            normal: &solution.normal_impulse,
            friction: &solution.friction_impulse,
            phi: None,
            joint: &[],
        };
        let LocalVerdict {
            solved,
            residual,
            contact_velocity,
            state,
        } = self.judge(terms, answer)?;
        if solved {
            solution.status = Status::Solved;
        } else if solution.status == Status::Solved {
            solution.status = Status::Inaccurate;
        }
        solution.accuracy = residual.accuracy(options.tolerance);
        (solution.residual, solution.contact_velocity, solution.state) = (residual, contact_velocity, state);
        Ok(solution)
    }
}
