//! The end of a step: new velocities and poses, and where energy went.

use crate::body::Kind;
use crate::coordinates::Coordinates;
use crate::energy::{kinetic, potential};
use crate::integrate::turn;
use crate::state::BodyState;
use crate::world::{World, Wrench};
use crate::{Mat3, Pose, Vec3};

/// Velocity, as a share of its change in the step, that is rounding: the solver ends a step at 1e-13 of it.
const RESTING: f64 = 1e-12;

impl World {
    /// Velocity and spin of a body after the solve. Where they are rounding beside what the step has changed, the body rests: else the
    /// impulse that takes such a remainder away would be kept as a start, and add it again with every step.
    pub(crate) fn new_motion(&self, i: usize) -> (Vec3, Vec3) {
        let (Some(block), Kind::Dynamic { mass, inertia_body }) = (self.blocks[i], &self.bodies[i].kind) else {
            return (self.state.bodies[i].velocity, self.state.bodies[i].spin);
        };
        let coordinates = self.coordinates();
        let (velocity, spin) = coordinates.motion(block, &self.solution().velocity);
        let (free_velocity, free_spin) = coordinates.motion(block, self.problem.v_free());
        // ωᵀIω ≤ tr(I) |ω|², and no body is so slender that the difference counts here.
        let energy = |v: Vec3, w: Vec3| mass * v.norm_squared() + inertia_body.trace() * w.norm_squared();
        if energy(velocity, spin) <= RESTING * RESTING * energy(free_velocity - velocity, free_spin - spin) {
            return (Vec3::zeros(), Vec3::zeros());
        }
        (velocity, spin)
    }

    /// Change of a body's spin in the step by its own rotation. Such motion turns by the mean of both spins, which is of second order; what
    /// contacts, joints and torques change acts for the whole step, as gaps suppose.
    fn gyroscopic(&self, i: usize, h: f64) -> Vec3 {
        let (Some(block), Kind::Dynamic { inertia_body, .. }) = (self.blocks[i], &self.bodies[i].kind) else {
            return Vec3::zeros();
        };
        let coordinates = self.coordinates();
        if coordinates == Coordinates::Plane {
            return Vec3::zeros();
        }
        let (state, torque) = (&self.state.bodies[i], self.totals[i].torque);
        let change = coordinates.motion(block, self.problem.v_free()).1 - state.spin;
        if torque == Vec3::zeros() {
            return change;
        }
        let inverse = inertia_body.try_inverse().unwrap_or_else(Mat3::zeros);
        change - h * state.pose.direction(inverse * state.pose.direction_in_body(torque))
    }

    /// Work of applied forces on a body in the step, along the way that it makes \[J\]: as that of gravity, which the change of
    /// height gives. Over the mean of both velocities it would leave out what the step takes or gives by itself.
    pub(crate) fn work_on(&self, i: usize, h: f64) -> f64 {
        let wrench = &self.totals[i];
        if self.blocks[i].is_none() || *wrench == Wrench::default() {
            return 0.0;
        }
        let (velocity, spin) = self.new_motion(i);
        h * (wrench.force.dot(&velocity) + wrench.torque.dot(&(spin - 0.5 * self.gyroscopic(i, h))))
    }

    /// New velocities and poses, and the ledger.
    pub(crate) fn advance(&mut self, h: f64) {
        let before = self.energy();
        let work = self.impulse_work();
        let forces = (0..self.bodies.len()).map(|i| self.work_on(i, h)).sum::<f64>();
        let injected = forces + work.driven + work.ground;
        for i in 0..self.bodies.len() {
            if matches!(self.bodies[i].kind, Kind::Fixed) {
                continue;
            }
            let old = self.state.bodies[i];
            let (velocity, spin) = self.new_motion(i);
            let rotation = turn(old.pose.rotation, spin - 0.5 * self.gyroscopic(i, h), h);
            // The body keeps its spin in its own axes.
            let spin = rotation * (old.pose.rotation.inverse() * spin);
            self.state.bodies[i] = BodyState {
                pose: Pose {
                    position: old.pose.position + h * velocity,
                    rotation,
                },
                velocity,
                spin,
            };
        }
        self.state.time = self.end_of_part();
        self.state.step += u64::from(self.is_last_part());
        let after = self.energy();
        self.ledger.kinetic = after[0];
        self.ledger.potential = after[1];
        self.ledger.injected += injected;
        let gain = after[0] + after[1] - before[0] - before[1] - injected;
        self.ledger.worst_gain = self.ledger.worst_gain.max(gain);
        let dissipated = work.motors + work.ground - work.impulses;
        self.ledger.dissipated += dissipated;
        self.ledger.stepping -= gain + dissipated;
    }

    pub(crate) fn energy(&self) -> [f64; 2] {
        let mut sum = [0.0; 2];
        for (body, state) in self.bodies.iter().zip(&self.state.bodies) {
            sum[0] += kinetic(body, state);
            sum[1] += potential(body, state, &self.settings.gravity);
        }
        sum
    }
}
