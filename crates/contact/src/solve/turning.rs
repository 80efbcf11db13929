//! Contacts that nearly repeat each other, with friction up to where a cone is nearly a half-space: the last resort for islands of few contacts.
//!
//! **Turning polygons.** Lemke's path ends at an answer on a polygon, in which contacts do not push that others stand for. A contact that slides along a
//! corner obeys the round cone as well. So each polygon is turned until a corner points against the slip that was found, and the path is followed
//! anew: a fixed point is an answer on the round cone. After each path Newton's method on its sets ([`Settle`](crate::solver::settle::Settle)) does
//! the rest at once where the sets are right.
//!
//! **Leaving out.** Of contacts that are one but for ε the one with the largest friction can do what all of them can: the others are left out, and come
//! back one by one where the answer violates them.
//!
//! **Exchanging.** Where the answer is off by hardly more than the tolerance, the load of a contact goes over to the near one that is violated.
//!
//! None is guaranteed to get there. The judge sees all contacts, and decides.

use super::island::{FINE_DIRECTIONS, IslandSolver, POLYGON, Refine};
use crate::check::Terms;
use crate::cone::{Circle, finite_mu};
use crate::problem::ContactProblem;
use crate::solution::{Law, Method, Status};
use crate::solver::nearest_motion::NearestMotion;
use crate::solver::settle::{READINGS, STEPS, between};
use crate::solver::{End, Impulses};

/// Contacts beyond which it is not tried: paths cost more with each.
const MOST_CONTACTS: usize = 64;
/// Contacts times directions beyond which the dense LCP is not tried.
const MOST_DENSE: usize = 200;
/// Times that contacts come back which were left out for others.
const MERGED: usize = 6;
/// Paths with a number of directions.
const PATHS: usize = 24;
/// Paths after which polygons turn half as far: where a turn of the friction turns the slip the other way, they would go to and fro.
const DAMPED: usize = 6;
/// Directions of the polygons: few leave sets that last while corners turn, many are near the cone.
const DIRECTIONS: [usize; 4] = [8, FINE_DIRECTIONS, 4, 16];
/// Slip, in terms of the fastest contact, that has a direction.
const SLIPS: f64 = 1e-12;
/// The same from which a contact of an answer on the round cone slides.
const SLIDES: f64 = 1e-8;
/// Share of the limit from which friction that holds draws a corner to it.
const HOLDS: f64 = 0.5;
/// Residual, in terms of the tolerance, of a best answer whose last bits are tried, and how often all of them.
const ALMOST: f64 = 30.0;
const ROUNDS: usize = 20;
/// Residual of an answer without friction that needs no sharpening.
const SHARP: f64 = 1e-12;
/// Newton steps of the sharpening: the equations are linear, and the second mends the rounding of the first.
const LINEAR: usize = 2;
/// Operations in doubles of one in double-double.
const DOUBLE_DOUBLE: u64 = 20;
/// A polygon that turns by less stays.
const STILL: f64 = 1e-15;
/// Contacts whose columns differ by less, relative to the largest entry, are left out for one of them: those whose difference costs
/// digits, those that are one but for rounding, none.
const NEAR: [f64; 3] = [1e-5, 1e-12, -1.0];

impl IslandSolver {
    /// Tries it for a dry law; returns whether the judge accepts an answer.
    pub(super) fn solve_near_repeats(&mut self, problem: &ContactProblem, terms: Terms) -> bool {
        // Joint rows that contradict each other have no answer, and impulses without bound would hide by how much.
        let torn = problem.joint_count() > 0 && self.found.residual.joints > terms.tolerance;
        if torn || problem.contact_count() > MOST_CONTACTS || self.left(problem) == 0 {
            return false;
        }
        if terms.law == Law::Frictionless {
            return self.solve_frictionless(problem, terms) || self.try_last_bits(problem, terms);
        }
        let mut tried: Vec<Vec<usize>> = Vec::new();
        let ways = [false, true]
            .into_iter()
            .flat_map(|others| NEAR.map(|near| (near, others)));
        for (near, others) in ways {
            let kept = different(problem, near, others);
            if self.left(problem) == 0 {
                return false;
            }
            if tried.contains(&kept) {
                continue;
            }
            tried.push(kept.clone());
            let own = [terms.directions];
            let counts: &[usize] = if terms.law == Law::Coulomb { &DIRECTIONS } else { &own };
            if counts
                .iter()
                .any(|d| self.turn_polygons(problem, terms, *d, kept.clone()))
            {
                return true;
            }
        }
        terms.law == Law::Polyhedral && self.polygon_from_round(problem, terms)
            || self.exchange_repeats(problem, terms)
            || self.try_last_bits(problem, terms)
    }

    /// Of contacts that are one but for ε a path may push at one and let the body sink into another, by less than the path can tell from nothing. The load
    /// goes over to that one.
    fn exchange_repeats(&mut self, problem: &ContactProblem, terms: Terms) -> bool {
        if self.found.residual.beyond_rounding > ALMOST * terms.tolerance {
            return false;
        }
        self.found.fallbacks += 1;
        self.trial.copy_from(&self.best);
        for _ in 0..problem.contact_count() {
            let answer = self.trial.answer(terms.law == Law::Polyhedral);
            let off = self.judge.contact_residuals(problem, terms, answer);
            self.found.judged_last = false;
            let worst = (0..off.len()).fold(0, |m, i| if off[i] > off[m] { i } else { m });
            let pushes = |i: &usize| *i != worst && self.trial.normal[*i] > 0.0;
            let near = |i: &usize| is_near(problem, *i, worst, NEAR[0]);
            let Some(from) = (0..off.len()).filter(pushes).find(near) else {
                return false;
            };
            self.trial.normal[worst] += std::mem::take(&mut self.trial.normal[from]);
            let friction = std::mem::take(&mut self.trial.friction[from]);
            for (to, f) in self.trial.friction[worst].iter_mut().zip(friction) {
                *to += f;
            }
            if self.settle(problem, terms) {
                return true;
            }
        }
        false
    }

    /// Where an impulse is huge, its last bit is a velocity that the judge sees: of the neighbours of the best answer among the doubles one may
    /// be right. Steps of one bit in one impulse at a time, as long as the residual falls.
    fn try_last_bits(&mut self, problem: &ContactProblem, terms: Terms) -> bool {
        let mut least = self.found.residual.beyond_rounding;
        if least > ALMOST * terms.tolerance {
            return false;
        }
        self.found.fallbacks += 1;
        self.trial.copy_from(&self.best);
        for _ in 0..ROUNDS {
            let before = least;
            for i in 0..problem.contact_count() {
                for k in 0..3 {
                    let old = match k {
                        0 => self.trial.normal[i],
                        _ => self.trial.friction[i][k - 1],
                    };
                    for new in [old.next_up(), old.next_down()].into_iter().filter(|_| old != 0.0) {
                        self.set_impulse(problem, terms, (i, k), new);
                        if self.keep(problem, terms) {
                            return true;
                        }
                        if self.found.residual.beyond_rounding < least {
                            least = self.found.residual.beyond_rounding;
                            break;
                        }
                        self.set_impulse(problem, terms, (i, k), old);
                    }
                }
            }
            if least == before {
                return false;
            }
        }
        false
    }

    fn set_impulse(&mut self, problem: &ContactProblem, terms: Terms, (i, k): (usize, usize), to: f64) {
        match k {
            0 => self.trial.normal[i] = to,
            _ => self.trial.friction[i][k - 1] = to,
        }
        if terms.law == Law::Polyhedral {
            self.trial.split_friction(problem, terms.directions);
        }
    }

    /// A polygon has other answers than the one at the end of a path, and rounding may hide that one: from the round cone's.
    fn polygon_from_round(&mut self, problem: &ContactProblem, terms: Terms) -> bool {
        self.trial.clear(problem, terms.directions);
        let mut outcome = self.run_newton(problem, terms, Refine::Usual);
        outcome.end = End::Answered;
        self.found.count(Method::NewtonCone, &mut outcome);
        self.trial.split_friction(problem, terms.directions);
        if self.keep(problem, terms) {
            return true;
        }
        // What slides does so at the corner that opposes the slip most.
        let circle = Circle::new(terms.directions);
        let speeds = self.judge.contact_velocity();
        let fastest = fastest_of(speeds);
        for (i, [_, ux, uy]) in speeds.iter().enumerate() {
            let theta = self.trial.normal[i];
            if theta > 0.0 && libm::hypot(*ux, *uy) > SLIDES * fastest && !problem.is_planar(i) {
                let along = |d: &[f64; 2]| d[0] * ux + d[1] * uy;
                let corner = circle.directions().iter().fold(
                    [0.0; 2],
                    |best, d| {
                        if along(d) < along(&best) { *d } else { best }
                    },
                );
                self.trial.friction[i] = corner.map(|x| finite_mu(problem.mu(i)) * theta * x);
            }
        }
        self.settle(problem, terms)
    }

    /// Paths on the contacts in `kept`, until the judge accepts an answer of all; what it violates is added.
    fn turn_polygons(
        &mut self,
        problem: &ContactProblem,
        terms: Terms,
        directions: usize,
        mut kept: Vec<usize>,
    ) -> bool {
        let polygon = Terms {
            law: Law::Polyhedral,
            directions,
            ..terms
        };
        // First direction of each contact's polygon.
        let mut turns = vec![[1.0, 0.0]; problem.contact_count()];
        for path in 0..PATHS {
            let mut goes_on = false;
            // The path's impulses may be right, or off by what the settling mends.
            for method in POLYGON {
                if method == Method::LemkeStandard && kept.len() * directions > MOST_DENSE {
                    continue;
                }
                let Some(right) = self.follow_turned(method, problem, polygon, &turns, &kept) else {
                    continue;
                };
                if self.keep(problem, terms) {
                    return true;
                }
                let found = self.trial.clone();
                let speeds = self.judge.contact_velocity().to_vec();
                if self.settle(problem, terms) {
                    return true;
                }
                goes_on = self.add_violated(problem, terms, &mut kept);
                if goes_on {
                    break;
                }
                if terms.law == Law::Polyhedral {
                    continue;
                }
                if path == 0 && self.refine_pushing(problem, terms, &found) {
                    return true;
                }
                if !right {
                    continue;
                }
                goes_on = turn(problem, &found, &speeds, path >= DAMPED, &mut turns);
                break;
            }
            if !goes_on {
                return false;
            }
        }
        false
    }

    /// Lemke's path on turned polygons of some contacts; `trial` holds its impulses of all contacts along the problem's own tangents. Returns
    /// whether they are right on the polygons, `None` where the method did not run.
    fn follow_turned(
        &mut self,
        method: Method,
        problem: &ContactProblem,
        polygon: Terms,
        turns: &[[f64; 2]],
        kept: &[usize],
    ) -> Option<bool> {
        let turned = part_of(&problem.with_turned_tangents(turns), kept);
        let right = self.try_other_law(method, &turned, polygon)?;
        self.spread(problem, polygon.directions, kept);
        for (i, (f, [c, s])) in self.trial.friction.iter_mut().zip(turns).enumerate() {
            if !problem.is_planar(i) {
                *f = [c * f[0] - s * f[1], s * f[0] + c * f[1]];
            }
        }
        Some(right)
    }

    /// Makes impulses of all contacts from those of some.
    fn spread(&mut self, problem: &ContactProblem, directions: usize, kept: &[usize]) {
        let part = self.trial.clone();
        self.trial.clear(problem, directions);
        self.trial.scatter(&part, kept, directions);
    }

    /// Newton on the sets of `trial`, in twice the precision.
    pub(super) fn settle(&mut self, problem: &ContactProblem, terms: Terms) -> bool {
        let start = self.trial.clone();
        (0..READINGS).any(|reading| {
            let mut trial = start.clone();
            if !self.settle.read(problem, terms, reading, &mut trial) {
                return false;
            }
            self.run_settle(problem, STEPS, &mut trial);
            self.trial = trial;
            if terms.law == Law::Polyhedral {
                self.trial.split_friction(problem, terms.directions);
            }
            self.keep(problem, terms)
        })
    }

    /// Newton's method on the sets that were read, counted.
    fn run_settle(&mut self, problem: &ContactProblem, most: usize, trial: &mut Impulses) {
        let before = self.settle.work();
        self.settle.set_left(self.left(problem) / DOUBLE_DOUBLE);
        let steps = self.settle.run(problem, most, trial);
        self.found.newton_steps += steps;
        self.found.factorisations += steps;
        self.found.operations += DOUBLE_DOUBLE * (self.settle.work() - before);
    }

    /// Without friction the motion is unique, and large impulses hide digits of it: they are found anew from the sets of an answer.
    pub(super) fn sharpen(&mut self, problem: &ContactProblem, terms: Terms) {
        let blunt = self.found.status == Status::Solved && self.found.residual.worst > SHARP;
        if terms.law != Law::Frictionless || !blunt || problem.contact_count() > MOST_CONTACTS {
            return;
        }
        self.trial.copy_from(&self.best);
        self.settle.read(problem, terms, 0, &mut self.trial);
        let mut trial = std::mem::take(&mut self.trial);
        self.run_settle(problem, LINEAR, &mut trial);
        self.trial = trial;
        let (solved, residual) = self.judge.judge(problem, terms, self.trial.answer(false));
        // Beside rounding both may be perfect: the one that was found with more digits is taken.
        self.found.judged_last = solved && residual.beyond_rounding <= self.found.residual.beyond_rounding;
        if self.found.judged_last {
            self.found.residual = residual;
            self.best.copy_from(&self.trial);
        }
    }

    /// The dual method, where paths without friction end nowhere.
    fn solve_frictionless(&mut self, problem: &ContactProblem, terms: Terms) -> bool {
        if problem.joint_count() > 0 {
            return false;
        }
        self.trial.clear(problem, terms.directions);
        let steps = NearestMotion::default().run(problem, &mut self.trial);
        self.found.pivots += steps.unwrap_or(0);
        self.found.fallbacks += 1;
        steps.is_some() && self.keep(problem, terms)
    }

    /// Adds the contact that `trial` violates most, where it is right for those kept. Returns whether there is one.
    fn add_violated(&mut self, problem: &ContactProblem, terms: Terms, kept: &mut Vec<usize>) -> bool {
        if kept.len() == problem.contact_count() {
            return false;
        }
        let answer = self.trial.answer(terms.law == Law::Polyhedral);
        let off = self.judge.contact_residuals(problem, terms, answer);
        self.found.judged_last = false;
        if kept.iter().any(|i| off[*i] > terms.tolerance) {
            return false;
        }
        let worst = (0..off.len()).fold(0, |m, i| if off[i] > off[m] { i } else { m });
        let is_new = off[worst] > terms.tolerance;
        if is_new {
            kept.push(worst);
            kept.sort_unstable();
        }
        is_new
    }

    /// Newton's method on contacts of which no two are one but for ε; what the answer violates comes back. Returns whether the judge accepts one.
    pub(super) fn try_merged(&mut self, problem: &ContactProblem, terms: Terms) -> bool {
        let mut kept = different(problem, NEAR[0], false);
        if kept.len() == problem.contact_count() {
            return false;
        }
        for _ in 0..MERGED {
            let part = part_of(problem, &kept);
            self.trial.clear(&part, terms.directions);
            let mut outcome = self.run_newton(&part, terms, Refine::Usual);
            self.spread(problem, terms.directions, &kept);
            // Its limit is none of the problem's.
            outcome.end = End::Answered;
            self.found.count(Method::NewtonCone, &mut outcome);
            if self.keep(problem, terms) || self.settle(problem, terms) {
                return true;
            }
            if !self.add_violated(problem, terms, &mut kept) {
                return false;
            }
        }
        false
    }

    /// The semismooth method on the contacts alone that push.
    fn refine_pushing(&mut self, problem: &ContactProblem, terms: Terms, found: &Impulses) -> bool {
        let pushing: Vec<usize> = (0..problem.contact_count())
            .filter(|i| found.normal[*i] > 0.0)
            .collect();
        let part = part_of(problem, &pushing);
        self.trial.clear(&part, terms.directions);
        for (to, from) in pushing.iter().enumerate() {
            self.trial.normal[to] = found.normal[*from];
            self.trial.friction[to] = found.friction[*from];
        }
        self.trial.joint.copy_from_slice(&found.joint);
        let mut outcome = self.run_newton(&part, terms, Refine::Usual);
        self.spread(problem, terms.directions, &pushing);
        // Its limit is none of the problem's.
        outcome.end = End::Answered;
        self.found.count(Method::NewtonCone, &mut outcome);
        self.keep(problem, terms) || self.settle(problem, terms)
    }
}

/// All blocks and joints, and some contacts.
fn part_of(problem: &ContactProblem, contacts: &[usize]) -> ContactProblem {
    let blocks: Vec<usize> = (0..problem.block_count()).collect();
    let joints: Vec<usize> = (0..problem.joint_count()).collect();
    problem.part(&blocks, contacts, &joints)
}

/// Contacts of which no two are one but for `near`, those with the larger friction; of as much friction the first, or the `others`: where one is held the
/// body may sink into the next.
fn different(problem: &ContactProblem, near: f64, others: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..problem.contact_count()).collect();
    if others {
        order.reverse();
    }
    order.sort_by(|a, b| problem.mu(*b).total_cmp(&problem.mu(*a)));
    let mut kept: Vec<usize> = Vec::new();
    for i in order {
        if !kept.iter().any(|k| is_near(problem, *k, i, near)) {
            kept.push(i);
        }
    }
    kept.sort_unstable();
    kept
}

fn is_near(problem: &ContactProblem, a: usize, b: usize, near: f64) -> bool {
    let (x, y) = (problem.columns_tilde(a), problem.columns_tilde(b));
    if x.touches != y.touches {
        return false;
    }
    let columns = [
        (x.normal, y.normal),
        (x.tangents[0], y.tangents[0]),
        (x.tangents[1], y.tangents[1]),
    ];
    let entries = || columns.iter().flat_map(|(x, y)| x.iter().zip(*y));
    let size = entries().fold(0.0_f64, |m, (x, y)| m.max(x.abs()).max(y.abs()));
    let (p, q) = (problem.bias(a), problem.bias(b));
    let fastest = p.iter().chain(&q).fold(0.0_f64, |m, x| m.max(x.abs()));
    entries().all(|(x, y)| (x - y).abs() <= near * size) && (0..3).all(|k| (p[k] - q[k]).abs() <= near * fastest)
}

fn fastest_of(speeds: &[[f64; 3]]) -> f64 {
    speeds.iter().flatten().fold(0.0, |m, x| m.max(x.abs()))
}

/// Turns polygons: a corner against each slip, or along a friction that holds. Returns whether any has turned.
fn turn(problem: &ContactProblem, found: &Impulses, speeds: &[[f64; 3]], damped: bool, turns: &mut [[f64; 2]]) -> bool {
    let fastest = fastest_of(speeds);
    let mut turned = false;
    for (i, to) in turns.iter_mut().enumerate() {
        let (f, [_, ux, uy]) = (found.friction[i], speeds[i]);
        let (size, slip) = (libm::hypot(f[0], f[1]), libm::hypot(ux, uy));
        if found.normal[i] <= 0.0 || problem.is_planar(i) {
            continue;
        }
        let new = if slip > SLIPS * fastest {
            between(if damped { f } else { [0.0; 2] }, [-ux, -uy])
        } else if size > HOLDS * problem.mu(i) * found.normal[i] {
            [f[0] / size, f[1] / size]
        } else {
            continue;
        };
        turned |= (new[0] - to[0]).abs().max((new[1] - to[1]).abs()) > STILL;
        *to = new;
    }
    turned
}
