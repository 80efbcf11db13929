//! Rest, where several answers are lawful: bodies that were at rest stay so if contacts can hold them with no more normal impulse than they have where the bodies move.

use super::Options;
use super::island::{IslandSolver, Start};
use super::warm::WarmStart;
use crate::formulation::cone_edges::ConeEdges;
use crate::problem::ContactProblem;
use crate::solution::{Law, Status};
use crate::solver::Impulses;
use crate::solver::newton_cone::{AT_REST, KEPT};

/// Blocks beyond which rest is not looked for, as pivoting methods are not used there.
const MOST_BLOCKS: usize = 150;
/// Share by which rest may take more normal impulse than the answer that moves: rounding, with room.
const SQUEEZE: f64 = 1e-6;
/// Operations that a fallback of the search may take.
const REST_WORK: u64 = 1_000_000_000;

/// The search for rest.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rest {
    edges: ConeEdges,
    solver: IslandSolver,
}

/// Whether impulses leave no velocity but rounding. `v` is written over.
pub(super) fn is_at_rest(problem: &ContactProblem, impulses: &Impulses, v: &mut Vec<f64>) -> bool {
    v.clear();
    v.extend_from_slice(problem.k_x());
    for (i, (theta, f)) in impulses.normal.iter().zip(&impulses.friction).enumerate() {
        if *theta > 0.0 {
            problem.push(i, [*theta, f[0], f[1]], v);
        }
    }
    for (k, x) in impulses.joint.iter().enumerate() {
        problem.push_joint(k, *x, v);
    }
    let fastest = |list: &[f64]| list.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    fastest(v) <= AT_REST * fastest(problem.k_x())
}

/// Whether rest would satisfy a problem: nothing moves into it, along it or asks for a velocity.
fn rest_fits(problem: &ContactProblem) -> bool {
    let stands = |i: usize| {
        let [normal, x, y] = problem.bias(i);
        let smooth = problem.mu(i) == 0.0 || (x == 0.0 && y == 0.0);
        normal > 0.0 || (normal == 0.0 && smooth)
    };
    let bounces = |i: usize| problem.restitution(i) > 0.0 || problem.least_impulse(i) > 0.0;
    problem.group_count() == 0
        && (0..problem.contact_count()).all(|i| stands(i) && !bounces(i))
        && (0..problem.joint_count()).all(|k| problem.yields(k) || problem.joint_bias(k) == 0.0)
}

/// Whether rest is looked for in a problem.
fn is_due(problem: &ContactProblem, options: &Options) -> bool {
    options.terms(problem).law == Law::Polyhedral
        && options.method.is_none()
        && problem.starts_at_rest()
        && problem.block_count() <= MOST_BLOCKS
        && rest_fits(problem)
}

impl IslandSolver {
    /// Replaces an answer that moves bodies which were at rest by one that does not, where there is such an answer with no more normal impulse in all. More would be a
    /// squeeze that no load gives: a body that touches two walls would hang between them, and one that slides in a groove would stop.
    pub(super) fn prefer_rest(&mut self, problem: &ContactProblem, options: &Options) {
        if self.found.status != Status::Solved
            || !is_due(problem, options)
            || is_at_rest(problem, &self.best, &mut self.smooth.v)
        {
            return;
        }
        let mut rest = self.rest.take().unwrap_or_default();
        let most = self.best.normal.iter().sum();
        if self.find_rest(&mut rest, problem, options, most) {
            self.found.rest_preferred = 1;
        } else {
            // Velocities and states are those of the answer that is kept.
            let terms = options.terms(problem);
            self.judge.judge(problem, terms, self.best.answer(true));
        }
        self.rest = Some(rest);
    }

    /// Rest after a solve that ended at rest and left no basis, as a rule because rest was preferred to another answer: the same impulses, or others that hold.
    pub(super) fn try_rest_again(
        &mut self,
        (warm, joints): (&WarmStart, &[usize]),
        problem: &ContactProblem,
        options: &Options,
    ) -> bool {
        if warm.is_empty() || !is_due(problem, options) || warm.basis.knows(problem) {
            return false;
        }
        let terms = options.terms(problem);
        self.trial.clear(problem, terms.directions);
        warm.write(problem, joints, &mut self.trial);
        self.trial.split_friction(problem, terms.directions);
        let mut rest = self.rest.take().unwrap_or_default();
        let most = self.trial.normal.iter().sum();
        let kept = is_at_rest(problem, &self.trial, &mut self.smooth.v)
            && self.keep(problem, terms)
            && self.found.residual.beyond_rounding <= KEPT;
        let rests = kept || self.find_rest(&mut rest, problem, options, most);
        self.rest = Some(rest);
        if rests {
            self.found.start = Start::Warm;
        }
        rests
    }

    /// Looks for impulses that hold everything at rest, normal ones of no more than `most` in all \[N·s\]; whether the judge accepts them.
    fn find_rest(&mut self, rest: &mut Rest, problem: &ContactProblem, options: &Options, most: f64) -> bool {
        let terms = options.terms(problem);
        let Rest { edges, solver } = rest;
        // Open contacts carry nothing.
        if edges
            .set(problem, terms.directions, |i| problem.bias(i)[0] <= 0.0)
            .is_err()
        {
            return false;
        }
        let smooth = Options {
            law: Law::Frictionless,
            max_work: options.max_work.min(REST_WORK),
            ..options.clone()
        };
        // There is an answer already: no long search, and no proof that rest is impossible.
        solver.may_join = true;
        solver.solve(&edges.hat, &smooth, None);
        let (found, own) = (solver.found(), &mut self.found);
        own.add_work(found);
        if found.status != Status::Solved {
            return false;
        }
        self.trial.clear(problem, terms.directions);
        edges.take(solver.impulses(), terms.directions, &mut self.trial);
        let squeezes = self.trial.normal.iter().sum::<f64>() > (1.0 + SQUEEZE) * most;
        if squeezes || !is_at_rest(problem, &self.trial, &mut self.smooth.v) {
            return false;
        }
        let (solved, residual) = self.judge.judge(problem, terms, self.trial.answer(true));
        if solved {
            self.best.copy_from(&self.trial);
            let own = &mut self.found;
            own.methods.extend_from_slice(&solver.found().methods);
            (own.status, own.residual, own.ray) = (Status::Solved, residual, None);
            (own.by_path, own.judged_last) = (false, true);
        }
        solved
    }
}
