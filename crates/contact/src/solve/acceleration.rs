//! Coulomb's law at acceleration level \[Baraff 5, 6\]: Dantzig's method first, then Newton and Lemke from what it has found.

use super::island::IslandSolver;
use crate::check::Terms;
use crate::problem::ContactProblem;
use crate::solution::{Law, Method};
use crate::solver::dantzig::Rules;
use crate::solver::{End, Outcome};

impl IslandSolver {
    /// Methods in turn until the judge is content.
    pub(super) fn acceleration_chain(&mut self, problem: &ContactProblem, terms: Terms) {
        self.trial.clear(problem, terms.directions);
        for method in [Method::Dantzig, Method::NewtonCone] {
            if self.try_method(method, problem, terms) {
                return;
            }
        }
    }

    /// Dantzig's method; on the round cone, friction of contacts that begin to slide in space is then turned against their
    /// acceleration by Newton's method from the sets found.
    pub(super) fn run_dantzig(&mut self, problem: &ContactProblem, terms: Terms) -> Outcome {
        let rules = Rules {
            friction: terms.law != Law::Frictionless,
            dynamic: terms.law.is_acceleration(),
            as_published: terms.law == Law::CoulombAccelerationAsPublished,
        };
        let end = self.dantzig.run(problem, rules);
        self.dantzig.write(&mut self.trial);
        let mut outcome = Outcome {
            pivots: self.dantzig.pivots(),
            drive: (end == End::Unbounded).then(|| self.dantzig.drive()).flatten(),
            ..Outcome::new(end)
        };
        if end == End::Answered && rules.friction && !rules.as_published && self.dantzig.is_askew() {
            outcome.newton_steps = self.run(Method::NewtonCone, problem, terms).newton_steps;
        }
        outcome
    }
}
