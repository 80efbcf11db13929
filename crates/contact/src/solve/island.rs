//! One island: methods in turn until the judge is content.

use super::Options;
use super::coordinates::InCoordinates;
use super::linear::Linear;
use super::nonconvex::Search;
use super::rest::Rest;
use super::restitution::Bounce;
use super::small::{self, POLYGON_STEPS};
use super::smooth::Smooth;
use super::warm::WarmStart;
use super::yielding::Weighed;
use crate::check::{Judge, Residual, Terms};
use crate::cone::length;
use crate::formulation::dry_and_viscous::DryAndViscous;
use crate::problem::ContactProblem;
use crate::solution::{Drive, Law, Method, Ray, Status};
use crate::solver::dantzig::Dantzig;
use crate::solver::lemke::{End as PathEnd, Form, LemkePath, WarmBasis};
use crate::solver::lemke_standard::LemkeStandard;
use crate::solver::newton_cone::{NewtonCone, Rules};
use crate::solver::ppm_modified::PpmModified;
use crate::solver::settle::Settle;
use crate::solver::{End, Impulses, Outcome};

/// Methods of the polyhedral and the frictionless law, the cheapest first.
pub(super) const POLYGON: [Method; 3] = [Method::LemkeReduced, Method::LemkeStructural, Method::LemkeStandard];

/// Directions of the polygon that is tried where Newton does not reach the cone from the one asked for: the finest.
pub(super) const FINE_DIRECTIONS: usize = 64;

/// Friction from which contacts are tried as if they could not slip: if they then stay within their cones, the answer is right.
const HOLDS: f64 = 100.0;

/// Blocks beyond which an island is not given to pivoting methods: their cost grows with the cube, and Newton's with less than the square.
const MOST_PIVOTED: usize = 150;
/// Newton steps that a solve whose work is limited can afford, at most.
const FEW_STEPS: usize = 1_000;
/// Operations for each step of Newton's method, and its steps where less is allowed: most that end well take fewer than a hundred, nine of ten hard ones on wide islands fewer than this.
const NEWTON: u64 = 25_000;
const LEAST_STEPS: usize = 600;
/// Nothing more is tried on an island that has taken so many times what a fallback may, and once more for so many bodies.
const SPENT: (u64, u64) = (2, 5);
/// Operations of a pivoting method for each cube of contacts and joint rows, by measurement on heaps.
const PIVOTING: u64 = 30;
/// Blocks from which Newton comes before pivots where there is no friction, for the same reason. Its impulses are no basic solution: more
/// contacts carry than must.
pub(super) const NEWTON_FIRST: usize = 16;

/// Puts impulses that rounding has left outside their cones on them.
fn into_cones(problem: &ContactProblem, friction_of: fn(f64) -> f64, normal: &mut [f64], friction: &mut [[f64; 2]]) {
    for (i, (theta, f)) in normal.iter_mut().zip(friction).enumerate() {
        if *theta <= 0.0 {
            (*theta, *f) = (0.0, [0.0; 2]);
            continue;
        }
        let (radius, size) = (friction_of(problem.mu(i)) * *theta, length(*f));
        if size > radius {
            *f = f.map(|x| x / size * radius);
        }
    }
}

/// How Newton's method goes on from its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refine {
    /// To its own target.
    Usual,
    /// The same, where the judge has refused what was near.
    Insist,
    /// With contacts of large friction as if they could not slip.
    Hold,
    /// As far as rounding allows.
    ToRounding,
    /// With the polygon of the polyhedral law in the place of the cone.
    Polygon,
}

/// What the way over the polygon reached.
enum FromPolygon {
    /// The round cone.
    Round,
    /// The polygon alone.
    Polygon,
    /// Not even that.
    Neither,
}

/// Solves one island, and keeps the buffers of every method.
#[derive(Debug, Clone, Default)]
pub(crate) struct IslandSolver {
    pub(super) lemke: LemkePath,
    newton_cone: NewtonCone,
    lemke_standard: LemkeStandard,
    pub(super) ppm: PpmModified,
    /// What the laws without dry friction make of a problem.
    pub(super) smooth: Smooth,
    pub(super) dantzig: Dantzig,
    /// Newton's method on the sets of an answer, where everything else has failed.
    pub(super) settle: Settle,
    pub(super) linear: Linear,
    /// What methods that know firm rows alone make of rows that yield.
    pub(super) weights: Option<Box<Weighed>>,
    /// What joints that form trees leave of a problem.
    pub(super) coordinates: Option<Box<InCoordinates>>,
    /// What one method hands to another.
    pub(super) handed: WarmBasis,
    pub(super) judge: Judge,
    /// Solves choices of sides, where there are nonconvex groups.
    pub(super) search: Option<Box<Search>>,
    /// Written by the method that runs; a method that needs a start finds it here.
    pub(super) trial: Impulses,
    /// The answer with the least residual for the law asked.
    pub(super) best: Impulses,
    /// Impulses of the first phase of Poisson restitution, and problems of the second.
    pub(super) compression: Impulses,
    pub(super) bounce: Option<Box<Bounce>>,
    /// The answer is a bounce, after a compression.
    pub(super) bounced: bool,
    /// The problem of dry friction alone, where viscous friction acts as well.
    pub(super) dry_and_viscous: Option<Box<DryAndViscous>>,
    /// Looks for rest where an answer moves what was at rest.
    pub(super) rest: Option<Box<Rest>>,
    pub(super) found: Found,
    /// [`Options::max_work`].
    max_work: u64,
    /// Operations that a solve may take in all; none for no limit.
    pub(super) allowance: Option<u64>,
    /// Most steps of Newton's method: few at first on small islands, where others follow before it has its turn again.
    pub(super) newton_steps: usize,
    /// Where it fails another solve follows: nothing long is tried on small islands, little on dense matrices, and nothing is proven.
    pub(super) may_join: bool,
}

/// Where an island started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Start {
    /// From nothing.
    #[default]
    Cold,
    /// From an earlier solution.
    Warm,
    /// From an earlier solution, given up for a cold start.
    WarmThenCold,
}

/// How an island ended and what it took.
#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    pub(crate) status: Status,
    pub(crate) residual: Residual,
    pub(crate) ray: Option<Ray>,
    pub(crate) drive: Option<Drive>,
    pub(crate) methods: Vec<Method>,
    /// Runs after the first.
    pub(crate) fallbacks: usize,
    pub(crate) pivots: usize,
    pub(crate) newton_steps: usize,
    pub(crate) factorisations: usize,
    /// Operations of factorisations.
    pub(crate) operations: u64,
    /// Hand-overs from one method to another within a run.
    pub(crate) handovers: usize,
    /// Why the last of them.
    pub(crate) reason: Option<&'static str>,
    pub(crate) start: Start,
    /// 1 where the answer is at rest and another that moves is lawful too.
    pub(crate) rest_preferred: usize,
    /// Choices of sides that were solved.
    pub(crate) choices: usize,
    /// More of them were left.
    pub(crate) choices_cut: bool,
    /// The answer is that of Lemke's path: its basis can be kept.
    pub(super) by_path: bool,
    /// Whether the judge's velocities are those of the best answer.
    pub(super) judged_last: bool,
    pub(super) runs: usize,
}

impl Found {
    /// Forgets all but the counts.
    fn begin(&mut self) {
        self.status = Status::Inaccurate;
        self.residual = Residual::INFINITE;
        self.ray = None;
        self.drive = None;
        self.by_path = false;
        self.judged_last = false;
        self.runs = 0;
    }

    /// Adds the work of a solver that was asked for a part of the answer.
    pub(super) fn add_work(&mut self, other: &Self) {
        self.pivots += other.pivots;
        self.newton_steps += other.newton_steps;
        self.factorisations += other.factorisations;
        self.operations += other.operations;
        self.handovers += other.handovers;
    }

    pub(super) fn count(&mut self, method: Method, outcome: &mut Outcome) {
        self.fallbacks += usize::from(self.runs > 0);
        self.runs += 1;
        self.methods.push(method);
        self.pivots += outcome.pivots;
        self.newton_steps += outcome.newton_steps;
        self.handovers += outcome.handovers;
        self.reason = outcome.reason.or(self.reason);
        // A ray says more than a limit, and a limit more than an answer that was refused.
        match outcome.end {
            End::Ray => {
                self.status = Status::Ray;
                self.ray = outcome.ray.take().or(self.ray.take());
            }
            End::Unbounded if self.status != Status::Ray => {
                self.status = Status::UnboundedDrive;
                self.drive = outcome.drive.take();
            }
            End::Limit if self.status == Status::Inaccurate => self.status = Status::PivotLimit,
            _ => {}
        }
    }
}

impl IslandSolver {
    /// The answer: impulses with the least residual.
    pub(crate) fn impulses(&self) -> &Impulses {
        &self.best
    }

    /// The judge, whose velocities and states are those of the answer.
    pub(crate) fn judge(&self) -> &Judge {
        &self.judge
    }

    /// The compression, where the answer is a bounce.
    pub(crate) fn compression(&self) -> Option<&Impulses> {
        self.bounced.then_some(&self.compression)
    }

    /// How it ended.
    pub(crate) fn found(&self) -> &Found {
        &self.found
    }

    /// Keeps the answer for a problem that is the same as the last one. It takes no work.
    pub(crate) fn keep_answer(&mut self) {
        let found = &mut self.found;
        (found.fallbacks, found.pivots, found.newton_steps) = (0, 0, 0);
        (found.factorisations, found.operations) = (0, 0);
        (found.handovers, found.choices) = (0, 0);
    }

    /// Solves a problem, in two phases where Poisson restitution asks for it.
    ///
    /// `warm` is an earlier solution to start from, with the rows that the island's joints have there.
    pub(crate) fn solve(&mut self, problem: &ContactProblem, options: &Options, warm: Option<(&WarmStart, &[usize])>) {
        self.found.methods.clear();
        self.found.fallbacks = 0;
        self.found.pivots = 0;
        self.found.newton_steps = 0;
        (self.found.factorisations, self.found.operations) = (0, 0);
        self.found.handovers = 0;
        self.found.reason = None;
        self.found.start = Start::Cold;
        (self.found.choices, self.found.choices_cut) = (0, false);
        self.found.rest_preferred = 0;
        self.solve_phases(problem, options, warm);
        if self.found.start == Start::Warm && self.found.status != Status::Solved && self.left(problem) > 0 {
            // Another compression may have a restitution that can be solved.
            self.found.start = Start::WarmThenCold;
            self.solve_phases(problem, options, None);
        }
        self.prefer_rest(problem, options);
    }

    fn solve_phases(&mut self, problem: &ContactProblem, options: &Options, warm: Option<(&WarmStart, &[usize])>) {
        self.bounced = false;
        self.solve_phase(problem, options, warm);
        let n = problem.contact_count();
        if self.found.status == Status::Solved
            && (0..n).any(|i| problem.restitution(i) > 0.0 && self.best.normal[i] > 0.0)
        {
            self.restitute(problem, options);
        }
    }

    /// Solves a problem without restitution.
    pub(super) fn solve_phase(
        &mut self,
        problem: &ContactProblem,
        options: &Options,
        warm: Option<(&WarmStart, &[usize])>,
    ) {
        self.found.begin();
        self.max_work = options.max_work;
        if self.allowance == Some(0) {
            self.end_without_work(problem, options);
            return;
        }
        self.newton_steps = small::first_steps(problem, options);
        if problem.any_least_impulse() {
            self.solve_pressed(problem, options);
            return;
        }
        self.lemke_standard.begin(options.method.is_some(), self.may_join);
        self.settle.begin();
        let n = problem.contact_count();
        let terms = options.terms(problem);
        self.best.clear(problem, terms.directions);
        if problem.group_count() > 0 {
            self.solve_groups(problem, terms, options, warm);
            return;
        }
        if let Some(dry) = options.law.dry_part() {
            self.solve_dry_and_viscous(problem, options, dry, warm);
            return;
        }
        let method = options.convex_method();
        let options = &Options {
            method,
            ..options.clone()
        };
        if n == 0 && problem.joint_count() == 0 {
            self.take(problem, terms);
        } else if self.try_linear(problem, terms, (method, warm.map(|(warm, _)| warm))) {
            // Joints alone hold it together, and no digits are hidden.
            return;
        } else if !problem.any_yields() && warm.is_some_and(|warm| self.try_rest(warm, problem, terms, method)) {
            // Everything rests as it did.
        } else if warm.is_some_and(|warm| self.try_rest_again(warm, problem, options)) {
            // It rests, though it need not.
        } else if self.try_coordinates(problem, terms, options, warm) {
            // Nothing is left to do.
        } else if problem.any_yields() {
            self.yielding_chain(problem, terms, options, warm);
        } else if !terms.law.is_dry() {
            self.smooth_chain(problem, terms, method);
        } else if warm.is_some_and(|warm| self.try_warm(warm, problem, terms, method)) {
            // The earlier solution led here.
        } else if let Some(method) = method {
            self.trial.clear(problem, terms.directions);
            self.try_method(method, problem, terms);
        } else if terms.law == Law::Coulomb {
            self.round_chain(problem, terms);
        } else if terms.law.is_acceleration() {
            self.acceleration_chain(problem, terms);
        } else {
            self.polygon_chain(problem, terms);
        }
        self.sharpen(problem, terms);
        if !self.found.judged_last {
            // Velocities and states of the answer that is kept; without any, no impulse at all may be right.
            let answer = self.best.answer(terms.law == Law::Polyhedral);
            let (solved, residual) = self.judge.judge(problem, terms, answer);
            self.found.residual = residual;
            if solved {
                self.found.status = Status::Solved;
                self.found.ray = None;
            }
        }
        self.drop_empty_ray(problem, terms.law);
        if self.found.status == Status::Inaccurate && !problem.any_yields() {
            self.explain(problem);
        }
        // A method that was named is on its own.
        let is_proven = self.max_work < u64::MAX || matches!(self.found.status, Status::Solved | Status::NotRound);
        if method.is_none() && !is_proven {
            self.certify(problem);
        }
    }

    /// Nothing may be tried: no impulse, and its verdict.
    pub(super) fn end_without_work(&mut self, problem: &ContactProblem, options: &Options) {
        let terms = options.terms(problem);
        self.best.clear(problem, terms.directions);
        let answer = self.best.answer(terms.law == Law::Polyhedral);
        let (solved, residual) = self.judge.judge(problem, terms, answer);
        self.found.residual = residual;
        self.found.status = if solved { Status::Solved } else { Status::PivotLimit };
    }

    /// Starts from an earlier solution; returns whether that is solved.
    pub(super) fn try_warm(
        &mut self,
        warm: (&WarmStart, &[usize]),
        problem: &ContactProblem,
        terms: Terms,
        method: Option<Method>,
    ) -> bool {
        let (warm, joints) = warm;
        if warm.is_empty() {
            return false;
        }
        self.trial.clear(problem, terms.directions);
        // The structural form starts warm as the reduced one does: both end at the same kernel.
        let by_newton =
            terms.law == Law::Coulomb || (terms.law == Law::Frictionless && problem.block_count() >= NEWTON_FIRST);
        let method = method.unwrap_or(if by_newton {
            Method::NewtonCone
        } else {
            Method::LemkeReduced
        });
        let mut outcome = match method {
            Method::LemkeReduced | Method::LemkeStructural => {
                self.run_path(problem, terms, Form::Reduced, Some(&warm.basis))
            }
            Method::NewtonCone => {
                warm.write(problem, joints, &mut self.trial);
                self.run(method, problem, terms)
            }
            _ => Outcome::new(End::Unfit),
        };
        if outcome.end == End::Unfit {
            return false;
        }
        self.found.count(method, &mut outcome);
        let solved = self.keep_or_refine(method, problem, terms, &outcome);
        self.found.start = if solved { Start::Warm } else { Start::WarmThenCold };
        self.found.by_path = solved && method != Method::NewtonCone;
        solved
    }

    /// Adds the final basis of a path that gave the answer.
    pub(crate) fn save_basis(&self, problem: &ContactProblem, basis: &mut WarmBasis) {
        if self.found.by_path && self.found.status == Status::Solved {
            self.lemke.save(problem, basis);
        }
    }

    /// Newton on the cone; then from the polygon's answer, which is kept where Newton fails.
    pub(super) fn round_chain(&mut self, problem: &ContactProblem, terms: Terms) {
        if self.is_given_up(problem) {
            return;
        }
        if self.newton_steps < usize::MAX && self.try_short(problem, terms) {
            return;
        }
        if self.newton_steps < usize::MAX && self.may_join {
            return;
        }
        self.newton_steps = usize::MAX;
        self.trial.clear(problem, terms.directions);
        if self.try_method(Method::NewtonCone, problem, terms) {
            return;
        }
        if (0..problem.contact_count()).any(|i| (HOLDS..f64::INFINITY).contains(&problem.mu(i))) {
            self.trial.clear(problem, terms.directions);
            let mut outcome = self.run_newton(problem, terms, Refine::Hold);
            self.found.count(Method::NewtonCone, &mut outcome);
            if self.keep(problem, terms) {
                return;
            }
        }
        if !self.affords_pivots(problem) {
            return;
        }
        // One contact after the other finds other answers than all at once.
        self.trial.clear(problem, terms.directions);
        if self.try_method(Method::Dantzig, problem, terms) {
            return;
        }
        let mut on_polygon = false;
        for directions in [terms.directions, FINE_DIRECTIONS] {
            if self.is_hopeless(problem) {
                return;
            }
            match self.round_from_polygon(problem, terms, directions) {
                FromPolygon::Round => return,
                FromPolygon::Polygon => on_polygon = true,
                FromPolygon::Neither => {}
            }
        }
        if self.solve_near_repeats(problem, terms) {
            return;
        }
        if on_polygon && self.found.residual.but_for_friction() <= terms.tolerance {
            self.found.status = Status::NotRound;
            self.found.ray = None;
        }
    }

    /// Newton from the answer of a polygon with the given directions.
    fn round_from_polygon(&mut self, problem: &ContactProblem, terms: Terms, directions: usize) -> FromPolygon {
        let polygon = Terms {
            law: Law::Polyhedral,
            directions,
            ..terms
        };
        for method in POLYGON {
            let Some(right) = self.try_other_law(method, problem, polygon) else {
                continue;
            };
            // A polygon's answer that nowhere slides, or slides along a vertex, holds on the round cone as well.
            if self.keep(problem, terms) || (right && self.try_method(Method::NewtonCone, problem, terms)) {
                return FromPolygon::Round;
            }
            if right {
                return FromPolygon::Polygon;
            }
            self.look_for_squeeze(problem, directions);
            if self.is_hopeless(problem) {
                break;
            }
        }
        FromPolygon::Neither
    }

    /// Newton has failed from an earlier solution on an island that is too large for pivots: on such it has gone along a path as well, which
    /// does not depend on where it starts and would come to nothing again.
    fn is_given_up(&self, problem: &ContactProblem) -> bool {
        self.left(problem) == 0 || (self.found.start == Start::WarmThenCold && !self.affords_pivots(problem))
    }

    /// Whether an island is small enough for pivoting methods, and what they take is allowed.
    fn affords_pivots(&self, problem: &ContactProblem) -> bool {
        let rows = (problem.contact_count() + problem.joint_count()) as u64;
        let work = PIVOTING.saturating_mul(rows.saturating_pow(3));
        problem.block_count() <= MOST_PIVOTED && work <= self.max_work && self.left(problem) > 0
    }

    /// Operations that are left for an island.
    pub(super) fn left(&self, problem: &ContactProblem) -> u64 {
        let spent = self.spent(problem);
        let times = SPENT.0 + problem.block_count() as u64 / SPENT.1;
        let most = self.max_work.saturating_mul(times);
        most.min(self.allowance.unwrap_or(u64::MAX)).saturating_sub(spent)
    }

    /// Operations that an island has taken.
    fn spent(&self, problem: &ContactProblem) -> u64 {
        let rows = (problem.contact_count() + problem.joint_count()) as u64;
        let pivoting = super::PIVOT
            .saturating_mul(rows * rows)
            .saturating_mul(self.found.pivots as u64);
        self.found.operations.saturating_add(pivoting)
    }

    fn polygon_chain(&mut self, problem: &ContactProblem, terms: Terms) {
        // Where friction is nowhere limited, or nowhere, polygon and circle are one law.
        let unlimited = |i| problem.mu(i) == 0.0 || problem.mu(i).is_infinite();
        if terms.law == Law::Polyhedral && (0..problem.contact_count()).all(unlimited) {
            self.trial.clear(problem, terms.directions);
            let mut outcome = self.run_newton(problem, terms, Refine::Usual);
            self.trial.split_friction(problem, terms.directions);
            self.found.count(Method::NewtonCone, &mut outcome);
            if self.keep(problem, terms) {
                return;
            }
        }
        if terms.law == Law::Frictionless && problem.block_count() >= NEWTON_FIRST {
            self.trial.clear(problem, terms.directions);
            if self.try_method(Method::NewtonCone, problem, terms) || !self.affords_pivots(problem) {
                return;
            }
        }
        for method in POLYGON {
            self.trial.clear(problem, terms.directions);
            if self.try_method(method, problem, terms) {
                return;
            }
            // Contacts that nearly squeeze look to Lemke as if they did; Dantzig's method may know better.
            if terms.law == Law::Frictionless
                && method == Method::LemkeReduced
                && self.try_method(Method::Dantzig, problem, terms)
            {
                return;
            }
            if terms.law == Law::Polyhedral && method == Method::LemkeStructural {
                self.trial.clear(problem, terms.directions);
                if self.try_newton_on_polygon(problem, terms, POLYGON_STEPS[0]) {
                    return;
                }
            }
            self.look_for_squeeze(problem, terms.directions);
            if self.is_hopeless(problem) {
                return;
            }
        }
        if terms.law == Law::Polyhedral && !self.may_join {
            self.trial.clear(problem, terms.directions);
            if self.try_newton_on_polygon(problem, terms, POLYGON_STEPS[1]) {
                return;
            }
        }
        if terms.law == Law::Frictionless || (terms.law == Law::Polyhedral && !self.may_join) {
            self.solve_near_repeats(problem, terms);
        }
    }

    /// Runs a method and keeps its answer if it is the best; returns whether it is solved.
    pub(super) fn try_method(&mut self, method: Method, problem: &ContactProblem, terms: Terms) -> bool {
        if self.left(problem) == 0 {
            return false;
        }
        let mut outcome = self.run(method, problem, terms);
        if outcome.end == End::Unfit {
            return false;
        }
        self.found.count(method, &mut outcome);
        let solved = self.keep_or_refine(method, problem, terms, &outcome);
        self.found.by_path = solved && matches!(method, Method::LemkeReduced | Method::LemkeStructural);
        solved
    }

    /// Runs a method for another law than the one asked; returns whether its answer is right there, `None` where it did not run.
    pub(super) fn try_other_law(&mut self, method: Method, problem: &ContactProblem, terms: Terms) -> Option<bool> {
        if self.left(problem) == 0 {
            return None;
        }
        self.trial.clear(problem, terms.directions);
        let mut outcome = self.run(method, problem, terms);
        if outcome.end == End::Unfit {
            return None;
        }
        self.found.count(method, &mut outcome);
        self.found.judged_last = false;
        let answer = self.trial.answer(terms.law == Law::Polyhedral);
        Some(self.judge.judge(problem, terms, answer).0)
    }

    /// Runs one method on `trial`. The only place that knows the methods' types.
    pub(super) fn run(&mut self, method: Method, problem: &ContactProblem, terms: Terms) -> Outcome {
        match method {
            Method::LemkeStandard => self
                .lemke_standard
                .run(problem, terms.law, terms.directions, &mut self.trial),
            Method::LemkeReduced => self.run_path(problem, terms, Form::Reduced, None),
            Method::LemkeStructural => self.run_path(problem, terms, Form::Structural, None),
            Method::NewtonCone => self.run_newton(problem, terms, Refine::Usual),
            Method::Dantzig => self.run_dantzig(problem, terms),
            Method::PpmModified => self.run_ppm(problem, 0.0),
            // They are of groups, and choose other methods.
            Method::NonconvexMax | Method::NonconvexSum => Outcome::new(End::Unfit),
        }
    }

    /// Newton on the round cone, from the impulses that `trial` holds.
    pub(super) fn run_newton(&mut self, problem: &ContactProblem, terms: Terms, refine: Refine) -> Outcome {
        let left = self.left(problem);
        let allowance = self.allowance.unwrap_or(u64::MAX).saturating_sub(self.spent(problem));
        // The first method is no fallback: on crowded islands a step of it costs a hundred times what it costs on others as large.
        let least_steps = if self.found.runs == 0 { LEAST_STEPS } else { 0 };
        let Impulses {
            normal,
            friction,
            joint,
            ..
        } = &mut self.trial;
        let friction_of: fn(f64) -> f64 = match terms.law {
            Law::Frictionless => |_| 0.0,
            Law::NoSlip => |_| f64::INFINITY,
            _ if refine == Refine::Hold => |mu| if mu >= HOLDS { f64::INFINITY } else { mu },
            _ => |mu| mu,
        };
        let affordable = usize::try_from(self.max_work / NEWTON)
            .unwrap_or(usize::MAX)
            .max(LEAST_STEPS);
        let rules = Rules {
            friction_of,
            dynamic: terms.law.is_acceleration(),
            corners: if refine == Refine::Polygon { terms.directions } else { 0 },
            tolerance: terms.tolerance,
            to_rounding: refine == Refine::ToRounding,
            most_steps: affordable.min(self.newton_steps),
            most_operations: left,
            allowance,
            least_steps,
            is_limited: affordable <= FEW_STEPS || self.allowance.is_some(),
            seeks_rest: affordable > FEW_STEPS,
            insists: refine == Refine::Insist,
        };
        let outcome = self.newton_cone.refine(problem, rules, normal, friction, joint);
        self.found.factorisations += outcome.factorisations;
        self.found.operations += outcome.operations;
        if !rules.dynamic {
            into_cones(problem, rules.friction_of, normal, friction);
        }
        Outcome {
            newton_steps: outcome.steps,
            is_offer: outcome.is_offer,
            ..Outcome::new(if outcome.converged { End::Answered } else { End::Limit })
        }
    }

    /// Lemke's path through the kernel.
    pub(super) fn run_path(
        &mut self,
        problem: &ContactProblem,
        terms: Terms,
        form: Form,
        warm: Option<&WarmBasis>,
    ) -> Outcome {
        let form = if terms.law == Law::Frictionless {
            Form::Frictionless
        } else {
            form
        };
        self.lemke.set_dynamic(terms.law.is_acceleration());
        let end = match warm {
            None => self.lemke.run(problem, terms.directions, form),
            Some(basis) => match self.lemke.run_warm(problem, terms.directions, form, basis) {
                Some(end) => end,
                None => return Outcome::new(End::Unfit),
            },
        };
        let Impulses {
            normal,
            friction,
            phi,
            joint,
        } = &mut self.trial;
        self.lemke.write(normal, friction, Some(phi), joint);
        Outcome {
            pivots: self.lemke.pivots(),
            ray: if end == PathEnd::Ray {
                self.lemke.ray(problem)
            } else {
                None
            },
            ..Outcome::new(match end {
                PathEnd::Ray => End::Ray,
                PathEnd::Limit | PathEnd::Cycle => End::Limit,
                PathEnd::Solved | PathEnd::Singular | PathEnd::Lost => End::Answered,
            })
        }
    }

    /// As [`Self::keep`]; an answer of Newton's method that is refused goes on the longer ways, where it has kept them back, and is polished as far as rounding allows: the
    /// method measures by the fastest contact, the judge measures each row by itself.
    pub(super) fn keep_or_refine(
        &mut self,
        method: Method,
        problem: &ContactProblem,
        terms: Terms,
        outcome: &Outcome,
    ) -> bool {
        if self.keep(problem, terms) {
            return true;
        }
        if method != Method::NewtonCone {
            return false;
        }
        let mut end = outcome.end;
        if outcome.is_offer {
            let mut outcome = self.run_newton(problem, terms, Refine::Insist);
            self.found.newton_steps += std::mem::take(&mut outcome.newton_steps);
            if self.keep(problem, terms) {
                return true;
            }
            end = outcome.end;
        }
        if end != End::Answered {
            return false;
        }
        let mut outcome = self.run_newton(problem, terms, Refine::ToRounding);
        self.found.newton_steps += std::mem::take(&mut outcome.newton_steps);
        self.keep(problem, terms)
    }

    /// Judges `trial`, and keeps it if it is the best so far; returns whether it is solved.
    pub(super) fn keep(&mut self, problem: &ContactProblem, terms: Terms) -> bool {
        if terms.law.is_dry() {
            self.trial.drop_unpressed_friction(terms.directions);
        }
        let answer = self.trial.answer(terms.law == Law::Polyhedral);
        let (solved, residual) = self.judge.judge(problem, terms, answer);
        self.found.judged_last = solved || residual.is_less(&self.found.residual);
        if self.found.judged_last {
            self.found.residual = residual;
            self.best.copy_from(&self.trial);
        }
        if solved {
            self.found.status = Status::Solved;
            self.found.ray = None;
        }
        solved
    }

    /// Judges and takes `best` as it is.
    fn take(&mut self, problem: &ContactProblem, terms: Terms) {
        self.trial.copy_from(&self.best);
        self.keep(problem, terms);
    }
}
