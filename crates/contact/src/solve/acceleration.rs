//! Coulomb's law at acceleration level \[Baraff 5, 6\]: Dantzig's method first, then Newton and Lemke from what it has found.

use super::island::IslandSolver;
use crate::check::Terms;
use crate::problem::ContactProblem;
use crate::solution::Method;

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
}
