//! The end of a step: new velocities and poses, and where energy went.

use crate::body::Kind;
use crate::energy::{kinetic, potential};
use crate::integrate::rotate;
use crate::state::BodyState;
use crate::world::{World, Wrench};
use crate::{Pose, Vec3};

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

    /// Spin by which a body turns over the step, for the work of torques: the mean of its free rotation and what contacts, joints and
    /// torques change, which acts for the whole step, as gaps suppose.
    fn turning(&self, i: usize, spin: Vec3) -> Vec3 {
        let free = &self.flights[i].rotation;
        let mean = free.mean.unwrap_or(0.5 * (self.state.bodies[i].spin + free.spin));
        mean + (spin - free.spin)
    }

    /// Work of applied forces on a body in the step, along the way that it makes \[J\]: as that of gravity, which the change of
    /// height gives. Over the mean of both velocities it would leave out what the step takes or gives by itself.
    pub(crate) fn work_on(&self, i: usize, h: f64) -> f64 {
        let wrench = &self.totals[i];
        if self.blocks[i].is_none() || *wrench == Wrench::default() {
            return 0.0;
        }
        let (velocity, spin) = self.new_motion(i);
        h * (wrench.force.dot(&velocity) + wrench.torque.dot(&self.turning(i, spin)))
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
            let free = &self.flights[i].rotation;
            let rotation = free.turned(old.pose.rotation, spin - free.spin, h);
            // The body keeps its spin in its own axes; one that moves as prescribed keeps it in the world's.
            let spin = match self.bodies[i].kind {
                Kind::Dynamic { .. } => rotate(&rotation, rotate(&old.pose.rotation.inverse(), spin)),
                _ => spin,
            };
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
        let dissipated = work.motors + work.ground + work.drag - work.impulses;
        self.ledger.dissipated += dissipated;
        self.ledger.stepping -= gain + dissipated;
    }

    /// Kinetic energy of a body \[J\]; none in first-order physics.
    pub(crate) fn kinetic_of(&self, i: usize) -> f64 {
        if self.settings.stepper.has_inertia() {
            kinetic(&self.bodies[i], &self.state.bodies[i])
        } else {
            0.0
        }
    }

    pub(crate) fn energy(&self) -> [f64; 2] {
        let mut sum = [0.0; 2];
        for (i, (body, state)) in self.bodies.iter().zip(&self.state.bodies).enumerate() {
            sum[0] += self.kinetic_of(i);
            sum[1] += potential(body, state, &self.settings.gravity);
        }
        sum
    }
}
