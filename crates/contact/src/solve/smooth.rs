//! The laws that become a problem without friction: no slip and viscous friction \[Drumwright IV, VI\].

use super::island::IslandSolver;
use crate::check::Terms;
use crate::problem::ContactProblem;
use crate::solution::Method;

impl IslandSolver {
    /// Solves a problem of one of the laws; one method alone where it is named.
    pub(super) fn smooth_chain(&mut self, _problem: &ContactProblem, _terms: Terms, _method: Option<Method>) {}
}
