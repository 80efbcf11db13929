//! Motion of an island on a strut or a rope as a whole, as far as fixed ground leaves it: a turn about the pivot.
//!
//! Forces of the ground do no work on that motion, and joints within the island do not notice it. So what closing and projecting change of the energy is not its own: it is given back
//! to the motion relative to it, and the momentum along it, such as the angular momentum about a pivot, stays as it is.

use nalgebra::{SMatrix, SVector};

use super::Closing;
use super::finish::Ends;
use super::give_back::Whole;
use super::islands::Islands;
use crate::Vec3;
use crate::body::Kind;
use crate::configuration::Configuration;
use crate::integrate::inertia_world;
use crate::joint::{Joint, JointKind, Row};

/// Translation, and rotation about the centre times the radius of gyration.
type Twist = SVector<f64, 6>;

/// Part of a direction that others leave, below which it is one of them.
const SAME: f64 = 1e-6;

fn twist(linear: Vec3, angular: Vec3) -> Twist {
    Twist::from_iterator(linear.iter().chain(angular.iter()).copied())
}

/// Orthonormal directions.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Directions {
    list: [Twist; 6],
    count: usize,
}

impl Directions {
    /// Adds what is left of a direction beside the others.
    fn add(&mut self, mut x: Twist) {
        let whole = x.norm();
        // Twice is enough.
        for other in [&self.list[..self.count]; 2].into_iter().flatten() {
            x -= other * other.dot(&x);
        }
        let left = x.norm();
        if left > SAME * whole && self.count < 6 {
            self.list[self.count] = x / left;
            self.count += 1;
        }
    }

    fn add_all(&mut self, rows: [Twist; 3]) {
        for row in rows {
            self.add(row);
        }
    }

    /// Becomes all directions: adds axes, always the one of which most is left.
    fn complete(&mut self) {
        while self.count < 6 {
            let known = &self.list[..self.count];
            let taken = |axis: &Twist| known.iter().map(|other| other.dot(axis).powi(2)).sum::<f64>();
            let axes = (0..6).map(|k| Twist::ith(k, 1.0));
            let Some(best) = axes.min_by(|a, b| taken(a).total_cmp(&taken(b))) else {
                return;
            };
            self.add(best);
        }
    }
}

impl Whole {
    /// Radius of gyration \[m\].
    fn radius(&self) -> f64 {
        (self.inertia.trace() / self.mass).sqrt()
    }

    /// A row of a joint for motions as a whole.
    fn row(&self, at: Configuration<'_>, joint: &Joint, row: &Row) -> Twist {
        let mut sum = Twist::zeros();
        for (body, [x, y, z, u, v, w]) in joint.parts(row).filter(|(body, _)| at.blocks[*body].is_some()) {
            let along = Vec3::new(*x, *y, *z);
            let turn = Vec3::new(*u, *v, *w) + (at.bodies[body].pose.position - self.centre).cross(&along);
            sum += twist(along, turn / self.radius());
        }
        sum
    }

    /// The rows of a point that stays where it is.
    fn point(&self, point: Vec3) -> [Twist; 3] {
        let turn = |axis: Vec3| (point - self.centre).cross(&axis) / self.radius();
        [Vec3::x(), Vec3::y(), Vec3::z()].map(|axis| twist(axis, turn(axis)))
    }

    /// Becomes the motion as a whole that is left beside these directions, with the momentum that the island has along it, and notes the one that it had before: linear, and
    /// angular about the centre of now.
    fn keep_beside(&mut self, held: &Directions, before: [Vec3; 2]) {
        let (mass, radius) = (self.mass, self.radius());
        let mut all = *held;
        all.complete();
        let free = &all.list[held.count..];
        let mut masses = SMatrix::<f64, 6, 6>::identity() * mass;
        let inertia = self.inertia / (radius * radius);
        masses.fixed_view_mut::<3, 3>(3, 3).copy_from(&inertia);
        // What is beyond the free directions stays zero.
        let mut matrix = SMatrix::<f64, 6, 6>::identity() * mass;
        for (i, x) in free.iter().enumerate() {
            for (j, y) in free.iter().enumerate() {
                matrix[(i, j)] = x.dot(&(masses * y));
            }
        }
        let factor = matrix.cholesky();
        let motion = |[linear, angular]: [Vec3; 2]| {
            let momentum = twist(linear, angular / radius);
            let mut right = Twist::zeros();
            for (value, x) in right.iter_mut().zip(free) {
                *value = x.dot(&momentum);
            }
            let shares = factor.map_or_else(Twist::zeros, |factor| factor.solve(&right));
            let sum: Twist = free.iter().zip(shares.iter()).map(|(x, share)| x * *share).sum();
            let energy = 0.5 * sum.dot(&(masses * sum));
            (
                [
                    Vec3::new(sum[0], sum[1], sum[2]),
                    Vec3::new(sum[3], sum[4], sum[5]) / radius,
                ],
                energy,
            )
        };
        let ([velocity, spin], energy) = motion([mass * self.velocity, self.momentum]);
        let (goal, goal_energy) = motion(before);
        (self.velocity, self.spin) = (velocity, spin);
        self.goal = [goal[0] - velocity, goal[1] - spin];
        self.goal_energy = goal_energy - energy;
    }
}

impl Closing {
    /// Reduces the motion as a whole of islands that fixed ground holds to what ground leaves of it. A strut, a rope and a contact hold the point of the ground at which they act, whatever
    /// their direction is now.
    pub(super) fn find_pivots(&mut self, ends: &Ends<'_>, at: Configuration<'_>) {
        let (model, islands) = (at.model, &ends.trial.islands);
        self.pivots.clear();
        self.pivots.resize(at.bodies.len(), Directions::default());
        if model.settings.planar {
            for pivot in &mut self.pivots {
                for k in [2, 3, 4] {
                    pivot.add(Twist::ith(k, 1.0));
                }
            }
        }
        let is_fixed = |body: usize| matches!(model.bodies[body].kind, Kind::Fixed);
        for joint in &model.joints {
            if !at.moves_joint(joint) || !joint.bodies().iter().any(|body| is_fixed(*body)) {
                continue;
            }
            let island = islands.of_joint(at, joint);
            let (whole, pivot) = (self.wholes[island], &mut self.pivots[island]);
            let place = |body: usize, x: Vec3| at.bodies[body].pose.point(x);
            match &joint.kind {
                JointKind::Distance { .. } => {
                    let ends = [(joint.a, joint.frame_a.position), (joint.b, joint.frame_b.position)];
                    for (body, x) in ends.into_iter().filter(|(body, _)| is_fixed(*body)) {
                        pivot.add_all(whole.point(place(body, x)));
                    }
                }
                JointKind::Rope(rope) => {
                    for point in rope.points(joint).filter(|point| is_fixed(point.body)) {
                        pivot.add_all(whole.point(place(point.body, point.position)));
                    }
                }
                _ => {
                    at.rows_of(joint, &mut self.joint_rows);
                    for row in &self.joint_rows {
                        pivot.add(whole.row(at, joint, row));
                    }
                }
            }
        }
        for (i, contact) in ends.trial.contacts.iter().enumerate() {
            if Self::pushed(ends, i) && (is_fixed(contact.a) || is_fixed(contact.b)) {
                let island = islands.of_pair(ends.at, contact.a, contact.b);
                let rows = self.wholes[island].point(contact.point);
                self.pivots[island].add_all(rows);
            }
        }
        self.find_momenta(islands, at);
        for (island, pivot) in self.pivots.iter().enumerate() {
            let whole = &mut self.wholes[island];
            if self.held[island] && whole.mass > 0.0 {
                whole.keep_beside(pivot, self.momenta[island]);
            }
        }
        self.find_relative(islands, at);
    }

    /// Momentum of each island before it was closed: linear, and angular about the centre of now.
    fn find_momenta(&mut self, islands: &Islands, at: Configuration<'_>) {
        self.momenta.clear();
        self.momenta.resize(at.bodies.len(), [Vec3::zeros(); 2]);
        for body in (0..at.bodies.len()).filter(|body| at.blocks[*body].is_some()) {
            let (Kind::Dynamic { mass, inertia_body }, state) =
                (&at.model.bodies[body].kind, &self.bodies_before[body])
            else {
                continue;
            };
            let island = islands.of(body);
            let linear = *mass * state.velocity;
            let arm = state.pose.position - self.wholes[island].centre;
            let angular = inertia_world(&state.pose.rotation, inertia_body) * state.spin + arm.cross(&linear);
            let momentum = &mut self.momenta[island];
            *momentum = [momentum[0] + linear, momentum[1] + angular];
        }
    }
}
