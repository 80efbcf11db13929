//! The end of a step: new velocities and poses, and where energy went.

use crate::body::Kind;
use crate::coordinates::Coordinates;
use crate::energy::{kinetic, potential};
use crate::integrate::turn;
use crate::state::BodyState;
use crate::world::World;
use crate::{Mat3, Pose, Vec3};

impl World {
    /// Velocity and spin of a body after the solve.
    pub(crate) fn new_motion(&self, i: usize) -> (Vec3, Vec3) {
        match self.blocks[i] {
            Some(block) => self.coordinates().motion(block, &self.solver.solution().velocity),
            None => (self.state.bodies[i].velocity, self.state.bodies[i].spin),
        }
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

    /// Work of bodies with a prescribed motion on the others, through contacts and joints \[J\].
    fn work_of_ground(&self) -> f64 {
        let drives = |i: usize| matches!(self.bodies[i].kind, Kind::Kinematic);
        if !(0..self.bodies.len()).any(drives) {
            return 0.0;
        }
        let (solution, mut work) = (self.solver.solution(), 0.0);
        let pushes = solution.normal_impulse.iter().zip(&solution.friction_impulse);
        for (contact, (theta, phi)) in self.contacts.iter().zip(pushes) {
            let n = contact.normal;
            let [t1, t2] = self.coordinates().tangents(n);
            let impulse = n * *theta + t1 * phi[0] + t2 * phi[1];
            for (body, sign) in [(contact.a, -1.0), (contact.b, 1.0)] {
                if drives(body) {
                    let state = &self.state.bodies[body];
                    let arm = contact.point - state.pose.position;
                    work += sign * impulse.dot(&(state.velocity + state.spin.cross(&arm)));
                }
            }
        }
        let (mut rows, mut next) = (Vec::new(), 0);
        for joint in &self.joints {
            if ![joint.a, joint.b].iter().any(|i| self.blocks[*i].is_some()) {
                continue;
            }
            self.rows_of(joint, &mut rows);
            for row in &rows {
                let impulse = solution.joint_impulse.get(next).copied().unwrap_or(0.0);
                next += 1;
                for (body, row) in [(joint.a, &row.a), (joint.b, &row.b)] {
                    if drives(body) {
                        work -= impulse * self.speed_of(body, row);
                    }
                }
            }
        }
        work
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
        let injected = (0..self.bodies.len()).map(|i| self.work_on(i, h)).sum::<f64>() + self.work_of_ground();
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
