//! Work of a step: what contacts and joints take, what motors and moving ground give.
//!
//! Impulses act at the mean v̄ of the velocities before and after: with 𝓜(v′ − v_free) = Σ C p the kinetic energy changes by v̄·Σ C p beside
//! the work of forces, exactly. Poses move with v′, not v̄: that takes ½h m g·(v′ − v) from a body, ½mg²h² a step of free fall, given back
//! when it is stopped. This, and what rotation adds, is the share of the stepping. In first-order physics there is no kinetic energy: all
//! work is done at v′, and what contacts do not take the drag does.

use crate::Vec3;
use crate::body::Kind;
use crate::joint_rows::Role;
use crate::world::World;

/// Share of the velocity that a motor alone would give to its joint below which the joint stands still: something opposes the motor with
/// as much, a limit as a rule, and what is left is the rounding of both, to which the motor would seem to do work.
const OPPOSED: f64 = 1e-12;

/// Work in one step \[J\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Work {
    /// Of all impulses on the bodies.
    pub(crate) impulses: f64,
    /// Of motors, that of it.
    pub(crate) motors: f64,
    /// Of motors along the way that the joint makes, h times its new speed, as that of applied forces is counted: what they give.
    pub(crate) driven: f64,
    /// Of bodies that move as prescribed, that of it.
    pub(crate) ground: f64,
    /// Against the drag of first-order physics.
    pub(crate) drag: f64,
}

/// Velocity and spin as one list.
fn list((v, w): (Vec3, Vec3)) -> [f64; 6] {
    [v.x, v.y, v.z, w.x, w.y, w.z]
}

impl World {
    /// Work of the impulses that were found, while the state still holds the velocities before.
    pub(crate) fn impulse_work(&self) -> Work {
        let (solution, inertia) = (self.solution(), self.settings.stepper.has_inertia());
        let mut work = Work {
            ground: self.ground_work(),
            ..Work::default()
        };
        for (i, block) in self.blocks.iter().enumerate() {
            let Some(block) = block else { continue };
            let range = self.problem.block_range(*block);
            let (new, free) = (&solution.velocity[range.clone()], &self.problem.v_free()[range]);
            let old = self.coordinates().pick(if inertia {
                self.velocity_of(i)
            } else {
                list(self.new_motion(i))
            });
            let mass = self.problem.mass(*block);
            let dim = new.len();
            for r in 0..dim {
                let impulse: f64 = (0..dim).map(|c| mass[r * dim + c] * (new[c] - free[c])).sum();
                work.impulses += 0.5 * (old[r] + new[r]) * impulse;
                if !inertia {
                    work.drag += new[r] * (0..dim).map(|c| mass[r * dim + c] * new[c]).sum::<f64>();
                }
            }
        }
        for (k, (row, impulse)) in self.joint_rows.iter().zip(&solution.joint_impulse).enumerate() {
            if row.role == Role::Motor {
                let joint = &self.joints[row.joint];
                let new_speed = |body: usize, part: &[f64; 6]| {
                    part.iter()
                        .zip(list(self.new_motion(body)))
                        .map(|(r, v)| r * v)
                        .sum::<f64>()
                };
                let new = new_speed(joint.a, &row.row.a) + new_speed(joint.b, &row.row.b);
                let old = if inertia {
                    self.speed_of(joint.a, &row.row.a) + self.speed_of(joint.b, &row.row.b)
                } else {
                    new
                };
                // jᵀ𝓜⁻¹j.
                let square: f64 = self.problem.joint(k).1.iter().map(|x| x * x).sum();
                let least = OPPOSED * impulse.abs() * square;
                let [old, new] = [old, new].map(|speed| if speed.abs() <= least { 0.0 } else { speed });
                work.motors += 0.5 * impulse * (old + new);
                work.driven += impulse * new;
            }
        }
        work
    }

    /// Velocity and spin of a body as one list.
    fn velocity_of(&self, body: usize) -> [f64; 6] {
        let state = &self.state.bodies[body];
        list((state.velocity, state.spin))
    }

    /// Work of bodies that move as prescribed, through contacts and joints.
    pub(crate) fn ground_work(&self) -> f64 {
        let moves = |body: usize| {
            let state = &self.state.bodies[body];
            matches!(self.bodies[body].kind, Kind::Kinematic)
                && (state.velocity != Vec3::zeros() || state.spin != Vec3::zeros())
        };
        let solution = self.solution();
        let mut work = 0.0;
        for (i, contact) in self.contacts.iter().enumerate() {
            for (body, sign) in [(contact.a, 1.0), (contact.b, -1.0)] {
                let (theta, f) = (solution.normal_impulse[i], solution.friction_impulse[i]);
                if (theta == 0.0 && f == [0.0; 2]) || !moves(body) {
                    continue;
                }
                let n = contact.normal;
                let [t1, t2] = self.coordinates().tangents(n);
                let state = &self.state.bodies[body];
                let u = state.velocity + state.spin.cross(&(contact.point - state.pose.position));
                // The body is pushed by sign·p, and pushes back.
                work -= sign * u.dot(&(theta * n + f[0] * t1 + f[1] * t2));
            }
        }
        for (row, impulse) in self.joint_rows.iter().zip(&solution.joint_impulse) {
            let joint = &self.joints[row.joint];
            for (body, part) in [(joint.a, &row.row.a), (joint.b, &row.row.b)] {
                if moves(body) {
                    work -= impulse * self.speed_of(body, part);
                }
            }
        }
        work
    }
}
