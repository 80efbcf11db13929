//! The round cone by polygons whose corners turn: the last resort for islands of few contacts.
//!
//! Lemke's path always ends at an answer on a polygon, with contacts left out that others stand for, however nearly they repeat each other. A contact
//! that slides along a corner obeys the round cone as well. So each polygon is turned until a corner points against the slip that it found, and the
//! path is followed anew: a fixed point is an answer on the round cone. After each path Newton's method on its sets ([`Settle`](crate::solver::settle::Settle))
//! does the rest at once where the sets are right, and the semismooth one on the contacts that push. Neither is guaranteed to get there.

use super::island::{FINE_DIRECTIONS, IslandSolver, POLYGON};
use crate::check::Terms;
use crate::problem::ContactProblem;
use crate::solution::{Law, Method};
use crate::solver::settle::between;
use crate::solver::{End, Impulses};

/// Contacts and bodies beyond which it is not tried: a path costs more with each.
const MOST_CONTACTS: usize = 64;
/// Paths with a number of directions.
const PATHS: usize = 24;
/// Paths after which polygons turn half as far: where a turn of the friction turns the slip the other way, they would go to and fro.
const DAMPED: usize = 6;
/// Directions of the polygons: few leave sets that last while corners turn, many are near the cone.
const DIRECTIONS: [usize; 4] = [8, FINE_DIRECTIONS, 4, 16];
/// Slip, in terms of the fastest contact, that has a direction.
const SLIPS: f64 = 1e-12;
/// Share of the limit from which friction that holds draws a corner to it.
const HOLDS: f64 = 0.5;
/// A polygon that turns by less stays.
const STILL: f64 = 1e-15;

impl IslandSolver {
    /// Tries it; returns whether the judge accepts an answer.
    pub(super) fn round_by_turning(&mut self, problem: &ContactProblem, terms: Terms) -> bool {
        if problem.contact_count() > MOST_CONTACTS {
            return false;
        }
        DIRECTIONS
            .into_iter()
            .any(|directions| self.turn_polygons(problem, terms, directions))
    }

    fn turn_polygons(&mut self, problem: &ContactProblem, terms: Terms, directions: usize) -> bool {
        let polygon = Terms {
            law: Law::Polyhedral,
            directions,
            ..terms
        };
        // First direction of each contact's polygon.
        let mut turns = vec![[1.0, 0.0]; problem.contact_count()];
        for path in 0..PATHS {
            if !self.follow_turned(problem, polygon, &turns) {
                return false;
            }
            if self.keep(problem, terms) {
                return true;
            }
            let found = self.trial.clone();
            let speeds = self.judge.contact_velocity().to_vec();
            if self.settle(problem, terms) || self.refine_pushing(problem, terms, &found) {
                return true;
            }
            if !turn(problem, &found, &speeds, path >= DAMPED, &mut turns) {
                return false;
            }
        }
        false
    }

    /// Lemke's path on turned polygons; `trial` holds its impulses along the problem's own tangents. Returns whether they are right there.
    fn follow_turned(&mut self, problem: &ContactProblem, polygon: Terms, turns: &[[f64; 2]]) -> bool {
        let turned = problem.with_turned_tangents(turns);
        let right = POLYGON
            .into_iter()
            .any(|method| self.try_other_law(method, &turned, polygon) == Some(true));
        for (i, (f, [c, s])) in self.trial.friction.iter_mut().zip(turns).enumerate() {
            if !problem.is_planar(i) {
                *f = [c * f[0] - s * f[1], s * f[0] + c * f[1]];
            }
        }
        right
    }

    /// The sets of each path, settled in twice the precision; returns whether the judge accepts an answer.
    pub(super) fn settle_paths(&mut self, problem: &ContactProblem, terms: Terms) -> bool {
        if problem.contact_count() > MOST_CONTACTS {
            return false;
        }
        POLYGON.into_iter().any(|method| {
            self.trial.clear(problem, terms.directions);
            let mut outcome = self.run(method, problem, terms);
            if outcome.end == End::Unfit {
                return false;
            }
            self.found.count(method, &mut outcome);
            self.settle(problem, terms)
        })
    }

    /// Newton on the sets of `trial`, in twice the precision.
    pub(super) fn settle(&mut self, problem: &ContactProblem, terms: Terms) -> bool {
        let directions = (terms.law == Law::Polyhedral).then_some(terms.directions);
        self.found.newton_steps += self.settle.run(problem, directions, &mut self.trial);
        if directions.is_some() {
            self.trial.split_friction(problem, terms.directions);
        }
        self.keep(problem, terms)
    }

    /// The semismooth method on the contacts alone that push: those which repeat others are left out.
    fn refine_pushing(&mut self, problem: &ContactProblem, terms: Terms, found: &Impulses) -> bool {
        let pushing: Vec<usize> = (0..problem.contact_count())
            .filter(|i| found.normal[*i] > 0.0)
            .collect();
        let blocks: Vec<usize> = (0..problem.block_count()).collect();
        let joints: Vec<usize> = (0..problem.joint_count()).collect();
        let part = problem.part(&blocks, &pushing, &joints);
        self.trial.clear(&part, terms.directions);
        for (to, from) in pushing.iter().enumerate() {
            self.trial.normal[to] = found.normal[*from];
            self.trial.friction[to] = found.friction[*from];
        }
        self.trial.joint.copy_from_slice(&found.joint);
        let mut outcome = self.run_newton(&part, terms, false);
        let refined = self.trial.clone();
        self.trial.clear(problem, terms.directions);
        self.trial.scatter(&refined, &pushing, terms.directions);
        if outcome.end == End::Limit {
            outcome.end = End::Answered;
        }
        self.found.count(Method::NewtonCone, &mut outcome);
        self.keep(problem, terms) || self.settle(problem, terms)
    }
}

/// Turns polygons: a corner against each slip, or along a friction that holds. Returns whether any has turned.
fn turn(problem: &ContactProblem, found: &Impulses, speeds: &[[f64; 3]], damped: bool, turns: &mut [[f64; 2]]) -> bool {
    let fastest = speeds
        .iter()
        .fold(0.0_f64, |m, u| u.iter().fold(m, |m, x| m.max(x.abs())));
    let mut turned = false;
    for (i, to) in turns.iter_mut().enumerate() {
        let (f, [_, ux, uy]) = (found.friction[i], speeds[i]);
        let size = libm::hypot(f[0], f[1]);
        let slip = libm::hypot(ux, uy);
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
