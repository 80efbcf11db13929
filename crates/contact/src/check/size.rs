//! V, the velocity that an answer is measured by: the fastest of contacts and joints without impulses.
//!
//! What comes apart does not count. A gap that the free motion does not close may be as wide as one likes, its contact point as far away, and what leaves as
//! fast: none of it is a measure of what happens at the contacts that push. A joint row counts by its velocity over its length. Of a nonconvex group the side that comes nearest to holding
//! counts, and none where one is open: others may lie behind their planes by any depth.

use super::{Judge, is_rough, length, raise};
use crate::problem::{ContactProblem, is_open, sparse_dot, sparse_terms};
use crate::solution::Law;

/// Share of the terms below which all velocities of a problem are rounding: 1e-7 times the cap and the tolerance is about four roundings.
const ROUNDED: f64 = 1e-7;
/// Share of the fastest numbers from which that is not worth looking at.
const ALIKE: f64 = 1e-5;
/// Where nothing counts that moves, what is open does, up to this [m/s].
const AT_REST: f64 = 1.0;

impl Judge {
    /// V = max |C̃ᵀ v_free + b| over the rows that the law speaks of; where all that count are zero that of the others, 1 at most, and 1 where these are, too. Needs the velocities at the contacts.
    pub(super) fn size(&mut self, problem: &ContactProblem, law: Law) -> f64 {
        self.choose(problem);
        let mut V = 0.0;
        for i in 0..problem.contact_count() {
            let [nu, ux, uy] = self.free_velocity[i];
            if self.counts[i] {
                raise(&mut V, nu.abs());
            }
            // Viscous friction asks no one whether a contact is closed.
            if is_rough(problem, law, i) && (self.counts[i] || is_dragged(problem, law, i)) {
                raise(&mut V, length([ux, uy]));
            }
            let c = problem.viscosity(i);
            if matches!(law, Law::ViscousExplicit | Law::CoulombViscousAcceleration) && c > 0.0 {
                // Velocity that the friction gives.
                let delta = self.inverse_mass_along(problem.columns_tilde(i));
                raise(&mut V, delta * c * length(problem.slip(i)));
            }
        }
        for k in 0..problem.joint_count() {
            let (touches, column) = problem.joint_tilde(k);
            let mut left = (sparse_dot(touches, column, problem.v_free()) + problem.joint_bias(k)).abs();
            let (compliance, most) = problem.joint_yield(k);
            if most.is_finite() {
                // No more than the row can do about it.
                left = left.min(most * (compliance + self.square(touches, column)));
            }
            raise(&mut V, left / problem.joint_unit(k));
        }
        if V > 0.0 {
            return V.max(self.rounding(problem, law, V));
        }
        match self.fastest_open(problem, law) {
            0.0 => self.size_at_rest.unwrap_or(AT_REST),
            open => open.min(AT_REST),
        }
    }

    /// Which contacts count.
    fn choose(&mut self, problem: &ContactProblem) {
        self.counts.clear();
        for (i, u) in self.free_velocity.iter().enumerate() {
            self.counts
                .push(!problem.is_grouped(i) && !comes_apart(problem, i, u[0]));
        }
        for group in 0..problem.group_count() {
            let value = |side: &usize| {
                let of_side = problem.side(group, *side).iter();
                of_side.fold(f64::INFINITY, |m, i| m.min(self.free_velocity[*i][0]))
            };
            let is_apart = |i: &usize| comes_apart(problem, *i, self.free_velocity[*i][0]);
            if (0..problem.side_count(group)).any(|side| problem.side(group, side).iter().all(is_apart)) {
                continue;
            }
            let nearest = (0..problem.side_count(group)).max_by(|a, b| value(a).total_cmp(&value(b)));
            for i in nearest.map_or(&[][..], |side| problem.side(group, side)) {
                self.counts[*i] = !is_apart(i);
            }
        }
    }

    /// How fast contacts are that do not count, without what their gaps make of it.
    fn fastest_open(&self, problem: &ContactProblem, law: Law) -> f64 {
        let mut fastest = 0.0;
        for (i, [nu, ux, uy]) in self.free_velocity.iter().enumerate() {
            if !self.counts[i] {
                raise(&mut fastest, nu.abs().min((nu - problem.bias(i)[0]).abs()));
                if is_rough(problem, law, i) {
                    raise(&mut fastest, length([*ux, *uy]));
                }
            }
        }
        fastest
    }

    /// The least that V can mean: where all rows move alike, as bodies on a belt do, what is left of their velocities is rounding of their
    /// terms, and no measure of an answer.
    fn rounding(&self, problem: &ContactProblem, law: Law, V: f64) -> f64 {
        let counted = || (0..problem.contact_count()).filter(|i| self.counts[*i]);
        let biases = counted()
            .flat_map(|i| problem.bias(i))
            .chain((0..problem.joint_count()).map(|k| problem.joint_bias(k) / problem.joint_unit(k)));
        let fastest = biases
            .chain(problem.v_free().iter().copied())
            .fold(0.0_f64, |m, x| m.max(x.abs()));
        if V > ALIKE * fastest {
            // Columns are directions and arms: their entries are not far from 1.
            return 0.0;
        }
        let terms = |touches, column| sparse_terms(touches, column, problem.v_free());
        let mut T = 0.0;
        for i in counted() {
            let (c, b) = (problem.columns_tilde(i), problem.bias(i));
            let rows = if is_rough(problem, law, i) { 3 } else { 1 };
            let columns = [c.normal, c.tangents[0], c.tangents[1]];
            for (column, b) in columns.into_iter().zip(b).take(rows) {
                raise(&mut T, terms(c.touches, column) + b.abs());
            }
        }
        for k in 0..problem.joint_count() {
            let (touches, column) = problem.joint_tilde(k);
            raise(
                &mut T,
                (terms(touches, column) + problem.joint_bias(k).abs()) / problem.joint_unit(k),
            );
        }
        ROUNDED * T
    }
}

/// Whether friction acts on a contact that is open.
fn is_dragged(problem: &ContactProblem, law: Law, i: usize) -> bool {
    matches!(law, Law::Viscous | Law::CoulombViscous) && problem.viscosity(i) > 0.0
}

/// Whether a contact comes apart at the normal velocity that it has without impulses.
fn comes_apart(problem: &ContactProblem, i: usize, u: f64) -> bool {
    let c = problem.columns_tilde(i);
    is_open(u, problem.bias(i)[0], || {
        sparse_terms(c.touches, c.normal, problem.v_free())
    })
}
