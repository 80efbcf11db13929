//! The end of a step: new velocities and poses, and where energy went.

use crate::body::Kind;
use crate::energy::{kinetic, potential};
use crate::integrate::turn;
use crate::state::BodyState;
use crate::world::World;
use crate::{Pose, Vec3};

impl World {
    /// Velocity and spin of a body after the solve.
    pub(crate) fn new_motion(&self, i: usize) -> (Vec3, Vec3) {
        match self.blocks[i] {
            Some(block) => self.coordinates().motion(block, &self.solver.solution().velocity),
            None => (self.state.bodies[i].velocity, self.state.bodies[i].spin),
        }
    }

    /// Work of applied forces and motors on a body in the step \[J\]: along h v′, the way it goes in the step. With the momentum
    /// 𝓜Δv = h f + C p the energy then changes by this work, p·Cᵀv′ ≤ 0 and −½Δv·𝓜Δv: it never rises for another reason.
    pub(crate) fn work_on(&self, i: usize, h: f64) -> f64 {
        if self.blocks[i].is_none() {
            return 0.0;
        }
        let ((velocity, spin), wrench) = (self.new_motion(i), &self.totals[i]);
        h * (wrench.force.dot(&velocity) + wrench.torque.dot(&spin))
    }

    /// New velocities and poses, and the ledger.
    pub(crate) fn advance(&mut self, h: f64) {
        let before = self.energy();
        let injected = (0..self.bodies.len()).map(|i| self.work_on(i, h)).sum::<f64>();
        for i in 0..self.bodies.len() {
            if matches!(self.bodies[i].kind, Kind::Fixed) {
                continue;
            }
            let old = self.state.bodies[i];
            let (velocity, spin) = self.new_motion(i);
            let rotation = turn(old.pose.rotation, 0.5 * (old.spin + spin), h);
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
        self.state.step += 1;
        self.state.time = self.state.step as f64 * h;
        let after = self.energy();
        self.ledger.kinetic = after[0];
        self.ledger.potential = after[1];
        self.ledger.injected += injected;
        let gain = after[0] + after[1] - before[0] - before[1] - injected;
        self.ledger.worst_gain = self.ledger.worst_gain.max(gain);
        self.ledger.dissipated -= gain;
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
