//! Small islands under Coulomb's law: short tries, each of them judged, before the long ones.
//!
//! On few contacts Newton's method either ends within some dozen steps or wanders: loads creep among contacts that nearly repeat each other, or no step
//! gets below rounding. What it has found until then mostly tells the states of the answer. So it gets few steps here, and then
//!
//! * the states of its best impulses are settled in twice the precision ([`Settle`](crate::solver::settle::Settle)),
//! * where friction has no limit, contacts that hold are looked for as under the law without slip,
//! * Lemke's path on a polygon says which states to settle instead,
//! * of contacts that nearly repeat each other one is kept, and Dantzig's method and a finer polygon follow.
//!
//! Where all of it fails the long ways follow, with as many steps as they like.

use super::Options;
use super::island::{FINE_DIRECTIONS, IslandSolver, Refine, Start};
use crate::check::{Residual, Terms};
use crate::problem::ContactProblem;
use crate::solution::{Law, Method, Status};
use crate::solver::End;

/// Contacts and coordinates up to which an island is small.
const MOST_CONTACTS: usize = 128;
const MOST_COORDINATES: usize = 54;
/// Share of the fastest velocity that doubles must leave of the equations of some states at most, or these are hardly those of an answer.
const NEARLY: f64 = 1e-6;
/// How many times the tolerance an answer to rounding may leave before another one is looked for.
const ROUNDED: f64 = 10.0;
/// Newton steps of the short tries: most problems end within the first number, and nearly all on which light bodies carry heavy ones within the second.
const SHORT: [usize; 2] = [150, 500];
/// Newton steps on a polygon: after the first path, and after all of them.
pub(super) const POLYGON_STEPS: [usize; 2] = [500, 3_000];

/// Newton steps with which an island begins: few on small ones, where other methods follow.
pub(super) fn first_steps(problem: &ContactProblem, options: &Options) -> usize {
    let is_small = problem.contact_count() <= MOST_CONTACTS && problem.dof() <= MOST_COORDINATES;
    if is_small && options.method.is_none() && options.law == Law::Coulomb {
        SHORT[0]
    } else {
        usize::MAX
    }
}

impl IslandSolver {
    /// The short tries; returns whether the judge accepts an answer.
    pub(super) fn try_short(&mut self, problem: &ContactProblem, terms: Terms) -> bool {
        self.settle.set_wide_below(NEARLY);
        let solved = self.try_each_short(problem, terms);
        if solved && self.found.residual.worst > terms.tolerance {
            self.settle_further(problem, terms);
        }
        self.settle.begin();
        solved
    }

    /// An answer that holds only beyond the rounding of its terms: its states in twice the precision, or what Dantzig's method finds, if that leaves
    /// less.
    fn settle_further(&mut self, problem: &ContactProblem, terms: Terms) {
        self.improve(|solver| solver.settle_best(problem, terms));
        if self.found.residual.worst > ROUNDED * terms.tolerance {
            self.improve(|solver| {
                solver.trial.clear(problem, terms.directions);
                solver.try_method(Method::Dantzig, problem, terms)
            });
        }
    }

    /// Looks for another answer, and returns to the one before where that leaves less.
    fn improve(&mut self, attempt: impl FnOnce(&mut Self) -> bool) {
        let (residual, best) = (self.found.residual, self.best.clone());
        attempt(self);
        if self.found.residual.worst > residual.worst {
            (self.found.residual, self.best) = (residual, best);
        }
    }

    fn try_each_short(&mut self, problem: &ContactProblem, terms: Terms) -> bool {
        // What Newton's method has reached from an earlier solution tells the states as well as a second run.
        if self.found.start == Start::WarmThenCold {
            if self.settle_best(problem, terms) {
                return true;
            }
        } else {
            self.trial.clear(problem, terms.directions);
            if self.try_method(Method::NewtonCone, problem, terms) || self.settle_best(problem, terms) {
                return true;
            }
        }
        if is_unlimited(problem) && self.try_holding(problem, terms) {
            return true;
        }
        if self.try_short_path(problem, (terms, terms.directions)) || self.is_hopeless(problem) {
            return self.found.status == Status::Solved;
        }
        if self.try_merged(problem, terms) {
            return true;
        }
        self.newton_steps = SHORT[1];
        self.trial.clear(problem, terms.directions);
        if self.try_method(Method::NewtonCone, problem, terms) || self.settle_best(problem, terms) {
            return true;
        }
        self.newton_steps = SHORT[0];
        // One contact after the other finds other answers than all at once.
        self.trial.clear(problem, terms.directions);
        self.try_method(Method::Dantzig, problem, terms)
            || self.settle_best(problem, terms)
            || self.try_short_path(problem, (terms, FINE_DIRECTIONS))
    }

    /// States of the best impulses so far, in twice the precision.
    fn settle_best(&mut self, problem: &ContactProblem, terms: Terms) -> bool {
        if !self.found.residual.worst.is_finite() {
            return false;
        }
        self.trial.copy_from(&self.best);
        self.settle(problem, terms)
    }

    /// Lemke's path on a polygon, its states on the cone, then Newton from there.
    fn try_short_path(&mut self, problem: &ContactProblem, (terms, directions): (Terms, usize)) -> bool {
        let polygon = Terms {
            law: Law::Polyhedral,
            directions,
            ..terms
        };
        let Some(right) = self.try_other_law(Method::LemkeReduced, problem, polygon) else {
            return false;
        };
        if self.keep(problem, terms) {
            return true;
        }
        let start = self.trial.clone();
        if self.settle(problem, terms) {
            return true;
        }
        self.trial.copy_from(&start);
        right && (self.try_method(Method::NewtonCone, problem, terms) || self.settle(problem, terms))
    }

    /// Newton's method on the polygon, where rounding has led Lemke's path astray; then its states in twice the precision.
    /// It starts from the impulses in `trial`.
    pub(super) fn try_newton_on_polygon(&mut self, problem: &ContactProblem, terms: Terms, most: usize) -> bool {
        let steps = std::mem::replace(&mut self.newton_steps, most);
        let mut outcome = self.run_newton(problem, terms, Refine::Polygon);
        self.newton_steps = steps;
        self.trial.split_friction(problem, terms.directions);
        let is_near = outcome.end == End::Answered;
        // Its limit is not the problem's.
        outcome.end = End::Answered;
        self.found.count(Method::NewtonCone, &mut outcome);
        self.keep(problem, terms) || (is_near && self.settle_best(problem, terms))
    }

    /// Friction without limit as the law without slip: contacts that push hold. Returns whether the answer obeys Coulomb's law as well.
    pub(super) fn try_holding(&mut self, problem: &ContactProblem, terms: Terms) -> bool {
        let best = (self.found.residual, self.best.clone());
        let (status, ray) = (self.found.status, self.found.ray.take());
        self.found.residual = Residual::INFINITE;
        let no_slip = Terms {
            law: Law::NoSlip,
            ..terms
        };
        self.look_for_hold(problem, no_slip);
        // What was kept is right by the other law: it is judged again.
        self.trial.copy_from(&self.best);
        (self.found.residual, self.best) = best;
        (self.found.status, self.found.ray) = (status, ray);
        self.found.judged_last = false;
        if terms.law == Law::Polyhedral {
            self.trial.split_friction(problem, terms.directions);
        }
        self.keep(problem, terms)
    }
}

/// Whether every contact has friction without limit.
pub(super) fn is_unlimited(problem: &ContactProblem) -> bool {
    (0..problem.contact_count()).all(|i| problem.mu(i).is_infinite())
}
