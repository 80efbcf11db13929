//! Joints that form trees, taken out before anything else: the problem is solved in the coordinates that they leave
//! ([`crate::formulation::generalised`]).

use super::Options;
use super::island::{IslandSolver, NEWTON_FIRST};
use super::warm::WarmStart;
use crate::check::Terms;
use crate::formulation::generalised::Generalised;
use crate::problem::ContactProblem;
use crate::solution::{Law, Method, Status};

/// Part of the tolerance up to which an answer is taken: joints that nearly depend on each other cost digits here, and the methods that
/// keep their rows do without that loss.
const SURE: f64 = 0.01;

/// Coordinates beyond which a problem with dry friction keeps its joint rows: Newton's method works on whole trees here, and joint by joint there.
const FEW: usize = 48;

/// A problem in coordinates, and its solver.
#[derive(Debug, Clone, Default)]
pub(crate) struct InCoordinates {
    generalised: Generalised,
    solver: IslandSolver,
    /// Places of the rows that yield in an earlier solution.
    rows: Vec<usize>,
}

/// Whether a problem gains by it: joints alone need no solver, and pivoting works on what joints leave.
/// Without friction an earlier basis gains more.
fn gains(problem: &ContactProblem, terms: Terms, method: Option<Method>, warm: bool) -> bool {
    let is_smooth = match terms.law {
        Law::NoSlip | Law::Viscous | Law::ViscousExplicit => method.is_none_or(|m| m == Method::PpmModified),
        Law::Frictionless => method.is_none() && !warm && problem.block_count() < NEWTON_FIRST,
        _ => false,
    };
    let firm = (0..problem.joint_count()).filter(|k| !problem.yields(*k)).count();
    let is_dry = terms.law == Law::Coulomb && method.is_none() && problem.dof() <= firm + FEW;
    firm > 0 && (problem.contact_count() == 0 || is_smooth || is_dry)
}

impl IslandSolver {
    /// Solves a problem in coordinates; returns whether the judge accepts the answer.
    pub(super) fn try_coordinates(
        &mut self,
        problem: &ContactProblem,
        terms: Terms,
        options: &Options,
        warm: Option<(&WarmStart, &[usize])>,
    ) -> bool {
        if !gains(problem, terms, options.method, warm.is_some()) {
            return false;
        }
        let mut inner = self.coordinates.take().unwrap_or_default();
        let solved = self.solve_in(&mut inner, problem, terms, (options, warm));
        self.coordinates = Some(inner);
        solved
    }

    fn solve_in(
        &mut self,
        inner: &mut InCoordinates,
        problem: &ContactProblem,
        terms: Terms,
        (options, warm): (&Options, Option<(&WarmStart, &[usize])>),
    ) -> bool {
        let InCoordinates {
            generalised,
            solver,
            rows,
        } = inner;
        // Viscous friction acts on contacts that are open as well.
        let is_viscous = terms.law.is_viscous();
        let always = |i: usize| is_viscous && problem.viscosity(i) > 0.0;
        self.trial.clear(problem, terms.directions);
        // Each round takes at least one contact in.
        for _ in 0..=problem.contact_count() {
            if !generalised.set(problem, always) {
                return false;
            }
            let place = |k: &usize| warm.map_or(*k, |(_, places)| places.get(*k).copied().unwrap_or(*k));
            rows.clear();
            rows.extend(generalised.rows().iter().map(place));
            solver.allowance = self.allowance.map(|_| self.left(problem));
            solver.solve(&generalised.hat, options, warm.map(|(warm, _)| (warm, &rows[..])));
            let (found, own) = (solver.found(), &mut self.found);
            own.start = found.start;
            own.methods.extend_from_slice(&found.methods);
            own.fallbacks += found.fallbacks;
            own.add_work(found);
            own.reason = found.reason.or(own.reason);
            own.runs += found.runs;
            if found.status != Status::Solved {
                return false;
            }
            generalised.take(problem, solver.impulses(), &mut self.trial);
            if !generalised.any_missed(problem) {
                return self.keep(problem, terms) && self.found.residual.beyond_rounding <= SURE * terms.tolerance;
            }
        }
        false
    }
}
