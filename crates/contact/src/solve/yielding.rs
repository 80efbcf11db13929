//! Problems with joint rows that yield: Newton's method knows them; the others are given weights instead ([`crate::formulation::weights`]).

use super::Options;
use super::island::{IslandSolver, Refine};
use super::smooth::HUGE;
use super::warm::WarmStart;
use crate::check::Terms;
use crate::error::InputError;
use crate::formulation::weights::Weights;
use crate::problem::ContactProblem;
use crate::solution::{Law, Method, Status};

/// A problem in which weights stand for rows that yield, and its solver.
#[derive(Debug, Clone, Default)]
pub(crate) struct Weighed {
    weights: Weights,
    solver: IslandSolver,
}

/// The law under which the problem with weights is solved by a method; `None` where their friction would follow another law.
fn law_of_weights(law: Law, method: Option<Method>) -> Option<Law> {
    let law = match law {
        // The friction of weights is planar: polygon and circle are one.
        Law::Frictionless if method.is_some_and(|m| !m.laws().contains(&Law::Coulomb)) => Law::Polyhedral,
        Law::Frictionless => Law::Coulomb,
        // Friction that is huge, and judged by the law without slip.
        Law::NoSlip if method.is_none() => Law::Coulomb,
        law => law.dry_part().unwrap_or(law),
    };
    let fits = law.is_dry() && method.is_none_or(|m| m.laws().contains(&law));
    fits.then_some(law)
}

/// Refuses a method that was asked for alone and knows no rows that yield.
pub(super) fn check(problem: &ContactProblem, options: &Options) -> Result<(), InputError> {
    let Some(method) = options.convex_method().filter(|m| *m != Method::NewtonCone) else {
        return Ok(());
    };
    // The summation form of nonconvex groups knows firm rows alone.
    let by_sum = options.method == Some(Method::NonconvexSum) && problem.group_count() > 0;
    let knows = law_of_weights(options.law, Some(method)).is_some() && !by_sum;
    if knows || !problem.any_yields() {
        return Ok(());
    }
    let fits = |m: &&Method| {
        m.laws().contains(&options.law)
            // They choose other methods.
            && !matches!(m, Method::NonconvexMax | Method::NonconvexSum)
            && (**m == Method::NewtonCone || law_of_weights(options.law, Some(**m)).is_some())
    };
    let fitting: Vec<&str> = Method::ALL.iter().filter(fits).map(|m| m.name()).collect();
    Err(InputError::Yields {
        method: options.method.unwrap_or(method).name(),
        law: options.law.name(),
        fitting: fitting.join(", "),
    })
}

impl IslandSolver {
    /// Newton's method, from an earlier solution and from nothing; then every method there is on the problem with weights.
    pub(super) fn yielding_chain(
        &mut self,
        problem: &ContactProblem,
        terms: Terms,
        options: &Options,
        warm: Option<(&WarmStart, &[usize])>,
    ) {
        let by_newton = options.method.is_none_or(|m| m == Method::NewtonCone);
        if by_newton && (self.newton_yields(problem, terms, warm) || options.method.is_some()) {
            return;
        }
        if terms.law == Law::NoSlip && options.method.is_none() {
            if self.try_newton_limit(problem, terms) {
                return;
            }
            // A polygon has an answer for huge friction, and the limit is sought from there.
            let law = Law::Polyhedral;
            self.try_weights(problem, terms, &Options { law, ..options.clone() });
            if self.found.status == Status::Solved || self.keep_limit(problem, terms) {
                return;
            }
        }
        if let Some(law) = law_of_weights(terms.law, options.method) {
            self.try_weights(problem, terms, &Options { law, ..options.clone() });
        }
    }

    fn newton_yields(&mut self, problem: &ContactProblem, terms: Terms, warm: Option<(&WarmStart, &[usize])>) -> bool {
        let newton = Method::NewtonCone;
        if matches!(terms.law, Law::Viscous | Law::ViscousExplicit) {
            return self.try_viscous(newton, problem, terms);
        }
        let has_directions = terms.law == Law::Polyhedral;
        if !has_directions && warm.is_some_and(|warm| self.try_warm(warm, problem, terms, Some(newton))) {
            return true;
        }
        self.trial.clear(problem, terms.directions);
        if has_directions {
            // Where nothing slides, or along a direction alone, circle and polygon agree.
            let mut outcome = self.run_newton(problem, terms, Refine::Usual);
            self.trial.split_friction(problem, terms.directions);
            self.found.count(newton, &mut outcome);
            return self.keep(problem, terms);
        }
        self.try_method(newton, problem, terms)
    }

    fn try_weights(&mut self, problem: &ContactProblem, terms: Terms, options: &Options) {
        let mut weighed = self.weights.take().unwrap_or_default();
        let Weighed { weights, solver } = &mut *weighed;
        let friction = match terms.law {
            Law::Frictionless => Some(0.0),
            Law::NoSlip => Some(HUGE),
            _ => None,
        };
        if weights.set(problem, friction).is_ok() {
            solver.allowance = self.allowance.map(|_| self.left(problem));
            solver.solve(&weights.hat, options, None);
            let (found, own) = (solver.found(), &mut self.found);
            own.methods.extend_from_slice(&found.methods);
            own.fallbacks += found.methods.len();
            own.add_work(found);
            if found.status != Status::Solved {
                own.status = found.status;
            }
            self.trial.clear(problem, terms.directions);
            weights.take(solver.impulses(), &mut self.trial);
            self.keep(problem, terms);
        }
        self.weights = Some(weighed);
    }
}
