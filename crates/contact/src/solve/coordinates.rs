//! Joints that form trees, taken out before anything else: the problem is solved in the coordinates that they leave
//! ([`crate::formulation::generalised`]).

use super::Options;
use super::island::IslandSolver;
use crate::check::Terms;
use crate::formulation::generalised::Generalised;
use crate::problem::ContactProblem;
use crate::solution::{Method, Status};

/// A problem in coordinates, and its solver.
#[derive(Debug, Clone, Default)]
pub(crate) struct InCoordinates {
    generalised: Generalised,
    solver: IslandSolver,
}

/// Whether a problem gains by it: joints alone need no solver, and principal pivoting works on what joints leave.
fn gains(problem: &ContactProblem, terms: Terms, method: Option<Method>) -> bool {
    let is_smooth = !terms.law.is_dry() && method.is_none_or(|m| m == Method::PpmModified);
    problem.joint_count() > 0 && (problem.contact_count() == 0 || is_smooth)
}

impl IslandSolver {
    /// Solves a problem in coordinates; returns whether the judge accepts the answer.
    pub(super) fn try_coordinates(&mut self, problem: &ContactProblem, terms: Terms, options: &Options) -> bool {
        if !gains(problem, terms, options.method) {
            return false;
        }
        let mut inner = self.coordinates.take().unwrap_or_default();
        let InCoordinates { generalised, solver } = &mut *inner;
        let fits = generalised.set(problem);
        let mut solved = false;
        if fits {
            self.trial.clear(problem, terms.directions);
            if problem.contact_count() > 0 {
                solver.solve(&generalised.hat, options, None);
                let (found, own) = (solver.found(), &mut self.found);
                own.methods.extend_from_slice(&found.methods);
                own.fallbacks += found.fallbacks;
                own.pivots += found.pivots;
                own.newton_steps += found.newton_steps;
                own.handovers += found.handovers;
                own.reason = found.reason.or(own.reason);
                own.runs += 1;
                if found.status == Status::Solved {
                    self.trial.normal.copy_from_slice(&solver.impulses().normal);
                    self.trial.friction.copy_from_slice(&solver.impulses().friction);
                }
            }
            if problem.contact_count() == 0 || solver.found().status == Status::Solved {
                generalised.take(problem, &mut self.trial);
                solved = self.keep(problem, terms);
            }
        }
        self.coordinates = Some(inner);
        solved
    }
}
