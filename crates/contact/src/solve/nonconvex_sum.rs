//! Nonconvex groups by the sum over their sides \[Egan V\]: one LCP for the whole island, judged by \[Egan (30)\].

use super::island::IslandSolver;
use crate::check::{GroupRule, Terms};
use crate::formulation::nonconvex_sum;
use crate::problem::ContactProblem;
use crate::solution::{Law, Method, Status};
use crate::solver::End;

impl IslandSolver {
    /// Solves a problem with groups by the summation form; `epsilon` is ε/h.
    pub(super) fn solve_sum(&mut self, problem: &ContactProblem, terms: Terms, epsilon: f64) {
        self.trial.clear(problem, terms.directions);
        let mut outcome = nonconvex_sum::run(problem, terms.law, terms.directions, epsilon, &mut self.trial);
        if outcome.end != End::Unfit {
            self.found.count(Method::NonconvexSum, &mut outcome);
            self.trial.drop_unpressed_friction(terms.directions);
            self.best.copy_from(&self.trial);
        }
        let answer = self.best.answer(terms.law == Law::Polyhedral);
        let (solved, residual) = self.judge.judge_by(problem, terms, GroupRule::Sum { epsilon }, answer);
        self.found.residual = residual;
        if solved {
            self.found.status = Status::Solved;
        }
    }
}
