//! The laws that become a problem without friction: no slip and viscous friction \[Drumwright IV, VI\]; and joints for a method that
//! knows none.

use super::island::{FINE_DIRECTIONS, IslandSolver, Refine, Start};
use super::rest::is_at_rest;
use super::warm::WarmStart;
use crate::check::{Residual, Terms};
use crate::formulation::no_slip::{Glue, Verdict};
use crate::formulation::projected::Projected;
use crate::formulation::viscous::Viscous;
use crate::joint_span::JointSpan;
use crate::problem::ContactProblem;
use crate::solution::{Law, Method, Status};
use crate::solver::newton_cone::KEPT;
use crate::solver::unpressed::Unpressed;
use crate::solver::{End, Outcome};
use crate::stamp::Stamp;

/// Methods of these laws, the cheapest first.
const METHODS: [Method; 5] = [
    Method::PpmModified,
    Method::Dantzig,
    Method::LemkeReduced,
    Method::NewtonCone,
    Method::LemkeStandard,
];

/// Sets of glued contacts that are tried: this many, and as many as there are contacts, up to [`MOST_SETS`].
const SETS: usize = 20;
/// Each costs a projection of the problem.
const MOST_SETS: usize = 200;
/// Friction that stands for none being enough, where a method knows no infinite friction.
pub(super) const HUGE: f64 = 1e6;
/// Friction from which Newton's method sets out for the limit: enough to tell what holds from what slides, and few digits lost.
const LARGE: f64 = 1e3;

/// Transformed problems and the ways back.
#[derive(Debug, Clone, Default)]
pub(crate) struct Smooth {
    glue: Glue,
    viscous: Viscous,
    /// Joints taken out for principal pivoting, and the problem they are of.
    joints: Projected,
    span: JointSpan,
    stamp: Option<Stamp>,
    normal: Vec<f64>,
    theta: Vec<f64>,
    nu: Vec<f64>,
    pub(super) v: Vec<f64>,
    /// What no slip comes to where no contact can hold.
    pub(super) unpressed: Unpressed,
    /// Every problem of the last search for contacts that hold was answered.
    searched: bool,
    /// Its answer has friction on contacts that touch and do not push.
    borrowed: bool,
    /// It tries all sets in the end.
    is_exhaustive: bool,
}

impl IslandSolver {
    /// Solves a problem of one of the laws; one method alone where it is named.
    pub(super) fn smooth_chain(&mut self, problem: &ContactProblem, terms: Terms, method: Option<Method>) {
        let methods = method.as_ref().map_or(&METHODS[..], std::slice::from_ref);
        for method in methods {
            let solved = if terms.law == Law::NoSlip {
                self.try_no_slip(*method, problem, terms)
            } else {
                self.try_viscous(*method, problem, terms)
            };
            if solved && self.smooth.borrowed && methods.len() > 1 {
                // Lawful, but Coulomb's law with unlimited friction would have friction where contacts push alone.
                self.trial.clear(problem, terms.directions);
                self.try_method(Method::NewtonCone, problem, terms);
            }
            if solved || self.is_hopeless(problem) {
                return;
            }
            if terms.law == Law::NoSlip && self.smooth.searched {
                // The sets were at fault, not the method.
                break;
            }
        }
        if terms.law == Law::NoSlip {
            self.try_rough(problem, terms, method);
        }
        // Impulses of the problem itself, and no longer of one that it was transformed to.
        self.trial.copy_from(&self.best);
    }

    /// Impulses of the step before, where they hold everything at rest again; returns whether the judge accepts them.
    pub(super) fn try_rest(
        &mut self,
        (warm, joints): (&WarmStart, &[usize]),
        problem: &ContactProblem,
        terms: Terms,
        method: Option<Method>,
    ) -> bool {
        if terms.law.is_dry() || method.is_some_and(|m| m != Method::PpmModified) || warm.is_empty() {
            return false;
        }
        self.trial.clear(problem, terms.directions);
        warm.write(problem, joints, &mut self.trial);
        let rests = is_at_rest(problem, &self.trial, &mut self.smooth.v);
        let kept = rests && self.keep(problem, terms) && self.found.residual.beyond_rounding <= KEPT;
        if kept {
            self.found.start = Start::Warm;
        }
        kept
    }

    /// Runs a method without friction on a problem that another was transformed to. The impulses are in `trial`.
    fn run_smooth(&mut self, method: Method, hat: &ContactProblem, terms: Terms, speed: f64) -> Outcome {
        let terms = Terms {
            law: Law::Frictionless,
            ..terms
        };
        self.trial.clear(hat, terms.directions);
        if hat.contact_count() == 0 && hat.joint_count() == 0 {
            return Outcome::new(End::Answered);
        }
        match method {
            Method::PpmModified => self.run_ppm(hat, speed),
            _ => self.run(method, hat, terms),
        }
    }

    /// Principal pivoting, joints taken out before.
    pub(super) fn run_ppm(&mut self, problem: &ContactProblem, speed: f64) -> Outcome {
        if problem.joint_count() == 0 {
            return self.ppm.run(problem, speed, &mut self.trial.normal);
        }
        let Smooth {
            span,
            joints,
            stamp,
            theta,
            nu,
            v,
            normal,
            ..
        } = &mut self.smooth;
        if !stamp.is_some_and(|stamp| stamp.is(problem.stamp())) {
            span.set(problem);
            joints.set(span, problem, 0..0);
            *stamp = Some(problem.stamp());
        }
        joints.load(problem);
        let hat = &joints.hat;
        normal.clear();
        normal.resize(hat.contact_count(), 0.0);
        let mut outcome = if hat.contact_count() > 0 {
            self.ppm.run(hat, speed.max(joints.speed), normal)
        } else {
            Outcome::new(End::Answered)
        };
        joints.take(normal, theta, nu, v);
        self.trial.normal.copy_from_slice(theta);
        v.copy_from_slice(problem.k_x());
        for (i, theta) in theta.iter().enumerate() {
            problem.push(i, [*theta, 0.0, 0.0], v);
        }
        joints.span.impulses(problem, v, false, &mut self.trial.joint);
        // A squeeze of projected normals names other contacts, and lacks the joints.
        outcome.ray = None;
        outcome
    }

    pub(super) fn try_viscous(&mut self, method: Method, problem: &ContactProblem, terms: Terms) -> bool {
        let explicit = terms.law == Law::ViscousExplicit;
        self.smooth.borrowed = false;
        let mut viscous = std::mem::take(&mut self.smooth.viscous);
        viscous.set(problem, explicit);
        let mut outcome = self.run_smooth(method, &viscous.hat, terms, 0.0);
        let fits = outcome.end != End::Unfit;
        if fits {
            viscous.take(problem, explicit, &mut self.trial);
        }
        self.smooth.viscous = viscous;
        if fits {
            self.found.count(method, &mut outcome);
        }
        let solved = fits && self.keep(problem, terms);
        if fits && !solved {
            self.look_for_squeeze(problem, terms.directions);
        }
        solved
    }

    /// Looks for contacts that hold, for another law whose friction has no limit: by the search alone, without the limit of huge friction.
    pub(super) fn look_for_hold(&mut self, problem: &ContactProblem, terms: Terms) {
        self.smooth.is_exhaustive = true;
        for method in METHODS {
            if self.try_no_slip(method, problem, terms) || self.smooth.searched {
                break;
            }
        }
        self.smooth.is_exhaustive = false;
    }

    fn try_no_slip(&mut self, method: Method, problem: &ContactProblem, terms: Terms) -> bool {
        let mut glue = std::mem::take(&mut self.smooth.glue);
        let mut outcome = Outcome::new(End::Limit);
        let solved = self.search_glue(&mut glue, method, problem, terms, &mut outcome);
        self.smooth.glue = glue;
        if outcome.end != End::Unfit {
            let status = self.found.status;
            self.found.count(method, &mut outcome);
            if solved {
                self.found.status = status;
            } else {
                self.look_for_squeeze(problem, terms.directions);
            }
        }
        solved
    }

    /// Looks for contacts that hold; returns whether the judge accepts what it finds.
    fn search_glue(
        &mut self,
        glue: &mut Glue,
        method: Method,
        problem: &ContactProblem,
        terms: Terms,
        total: &mut Outcome,
    ) -> bool {
        glue.begin(problem);
        self.smooth.searched = true;
        self.smooth.borrowed = false;
        let mut lawful = false;
        let more = if self.smooth.is_exhaustive {
            glue.exhaust(problem)
        } else {
            0
        };
        for _ in 0..(SETS + problem.contact_count()).min(MOST_SETS) + more {
            let mut verdict = None;
            // A locked contact that closes leaves a set without answer.
            if glue.project(problem) {
                let projected = glue.projected();
                let (hat, speed) = (std::mem::take(&mut projected.hat), projected.speed);
                let outcome = self.run_smooth(method, &hat, terms, speed);
                glue.projected().hat = hat;
                total.pivots += outcome.pivots;
                total.newton_steps += outcome.newton_steps;
                total.handovers += outcome.handovers;
                total.reason = outcome.reason.or(total.reason);
                // A squeeze that takes glue is no proof: without it there may be none.
                total.end = match outcome.end {
                    End::Ray if !glue.is_loose() => End::Limit,
                    end => end,
                };
                if outcome.end == End::Unfit {
                    return false;
                }
                self.smooth.searched &= outcome.end == End::Answered;
                if outcome.end == End::Answered {
                    verdict = Some(glue.take(problem, &self.trial.normal));
                }
            }
            let Some(verdict) = verdict else {
                if glue.restart() {
                    continue;
                }
                break;
            };
            if verdict != Verdict::Wrong {
                glue.write(problem, &mut self.trial);
                let solved = self.keep(problem, terms);
                lawful = lawful || solved;
                if solved && verdict == Verdict::Stands {
                    return true;
                }
            }
            let on = verdict != Verdict::Stands && glue.go_on(problem, verdict);
            if !on && !glue.restart() {
                break;
            }
        }
        self.smooth.borrowed = lawful;
        lawful
    }

    /// No slip as friction without limit, or nearly so.
    fn try_rough(&mut self, problem: &ContactProblem, terms: Terms, method: Option<Method>) {
        let rough = problem.with_friction(HUGE);
        // Where contacts touch and cannot hold, Newton's method wanders for hundreds of steps: it comes second.
        if method.is_none_or(|m| m == Method::LemkeReduced)
            && self.try_limit(Method::LemkeReduced, &rough, problem, terms)
        {
            return;
        }
        if method.is_none_or(|m| m == Method::NewtonCone) {
            self.trial.clear(problem, terms.directions);
            if self.try_method(Method::NewtonCone, problem, terms) {
                return;
            }
        }
        if method.is_none_or(|m| m == Method::NewtonCone) && self.try_newton_limit(problem, terms) {
            return;
        }
        if method.is_none() && self.try_round(&rough, problem, terms) {
            return;
        }
        if method.is_none_or(|m| m == Method::LemkeStandard) {
            self.try_limit(Method::LemkeStandard, &rough, problem, terms);
        }
    }

    /// Large friction by Newton's method, then its limit.
    pub(super) fn try_newton_limit(&mut self, problem: &ContactProblem, terms: Terms) -> bool {
        let large = problem.with_friction(LARGE);
        let round = Terms {
            law: Law::Coulomb,
            ..terms
        };
        self.trial.clear(problem, terms.directions);
        let mut outcome = self.run_newton(&large, round, Refine::Usual);
        self.found.count(Method::NewtonCone, &mut outcome);
        self.keep_limit(problem, terms)
    }

    /// Huge friction on a polygon, then its limit.
    fn try_limit(&mut self, method: Method, rough: &ContactProblem, problem: &ContactProblem, terms: Terms) -> bool {
        for directions in [terms.directions, FINE_DIRECTIONS] {
            let polygon = Terms {
                law: Law::Polyhedral,
                directions,
                ..terms
            };
            self.trial.clear(rough, directions);
            let mut outcome = self.run(method, rough, polygon);
            if outcome.end == End::Unfit {
                return false;
            }
            self.found.count(method, &mut outcome);
            if self.keep(problem, terms) || self.keep_limit(problem, terms) {
                return true;
            }
            if method == Method::LemkeStandard {
                // Its cost grows with the cube of the directions.
                return false;
            }
        }
        false
    }

    /// The limit of what `trial` holds, an answer for huge friction; returns whether it is solved.
    pub(super) fn keep_limit(&mut self, problem: &ContactProblem, terms: Terms) -> bool {
        let outcome = self.smooth.unpressed.run(problem, &mut self.trial);
        self.found.newton_steps += outcome.newton_steps;
        self.found.factorisations += outcome.newton_steps;
        self.keep(problem, terms)
    }

    /// Coulomb's law with huge friction by every method there is, judged by the law without slip.
    fn try_round(&mut self, rough: &ContactProblem, problem: &ContactProblem, terms: Terms) -> bool {
        let best = self.found.residual;
        let round = Terms {
            law: Law::Coulomb,
            ..terms
        };
        self.round_chain(rough, round);
        // What was kept is right by the other law: it is judged anew.
        self.trial.copy_from(&self.best);
        self.found.status = Status::Inaccurate;
        self.found.ray = None;
        self.found.residual = Residual::INFINITE;
        self.keep(problem, terms) || {
            self.found.residual = self.found.residual.worse(best);
            false
        }
    }
}
