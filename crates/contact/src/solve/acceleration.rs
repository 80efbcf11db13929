//! Coulomb's law at acceleration level \[Baraff 5, 6\]: Dantzig's method first, then Newton and Lemke from what it has found.

use super::island::IslandSolver;
use crate::check::Terms;
use crate::problem::ContactProblem;
use crate::solution::{Law, Method};
use crate::solver::dantzig::Rules;
use crate::solver::lemke::Form;
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
        if end == End::Limit {
            self.hand_over(problem, terms, &mut outcome);
        } else if end == End::Answered && rules.friction && !rules.as_published && self.dantzig.is_askew() {
            outcome.newton_steps = self.run(Method::NewtonCone, problem, terms).newton_steps;
        }
        outcome
    }

    /// Lemke's path from the sets that Dantzig's method has reached, from scratch where that fails; on the polygon, and then to the round
    /// cone by Newton's method.
    fn hand_over(&mut self, problem: &ContactProblem, terms: Terms, outcome: &mut Outcome) {
        outcome.handovers += 1;
        let mut basis = std::mem::take(&mut self.handed);
        self.dantzig.sets(problem, terms.directions, &mut basis);
        let mut found = self.run_path(problem, terms, Form::Reduced, Some(&basis));
        outcome.pivots += found.pivots;
        if found.end != End::Answered {
            found = self.run_path(problem, terms, Form::Reduced, None);
            outcome.pivots += found.pivots;
        }
        self.handed = basis;
        outcome.end = found.end;
        outcome.ray = found.ray;
        let in_space = (0..problem.contact_count()).any(|i| !problem.is_planar(i));
        if found.end == End::Answered && in_space && terms.law != Law::Frictionless {
            outcome.newton_steps += self.run(Method::NewtonCone, problem, terms).newton_steps;
        }
    }
}
