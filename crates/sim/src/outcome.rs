//! What the answer of a contact problem means: new velocities, and the work of the impulses.
//!
//! Impulses act at the mean v̄ of the velocities before and after: with 𝓜(v′ − v_free) = Σ C p the kinetic energy changes by v̄·Σ C p beside
//! the work of forces, exactly. Poses move with v′, not v̄: that takes ½h m g·(v′ − v) from a body, ½mg²h² a step of free fall, given back
//! when it is stopped. This, and what rotation adds, is the share of the stepping. In first-order physics there is no kinetic energy: all
//! work is done at v′, and what contacts do not take the drag does.

use stiction_contact::ContactSolution;

use crate::Vec3;
use crate::assemble::Assembly;
use crate::body::Kind;
use crate::collision::Contact;
use crate::flight::FreeMotion;
use crate::joint::{Joint, Row};
use crate::joint_rows::LimitRow;
use crate::loads::Loads;
use crate::world::Wrench;

/// Velocity, as a share of its change in the step, that is rounding: the solver ends a step at 1e-13 of it.
const RESTING: f64 = 1e-12;
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
    /// Taken by normal impulses of contacts and of limits; nothing in first-order physics, where nothing arrives with a speed.
    pub(crate) stopped: f64,
}

/// Velocity and spin as one list.
fn list((v, w): (Vec3, Vec3)) -> [f64; 6] {
    [v.x, v.y, v.z, w.x, w.y, w.z]
}

/// A solved problem and what it was made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outcome<'a> {
    pub(crate) free: FreeMotion<'a>,
    pub(crate) contacts: &'a [Contact],
    pub(crate) assembly: &'a Assembly,
    pub(crate) solution: &'a ContactSolution,
}

impl Outcome<'_> {
    /// Velocity and spin of a body after the solve. Where they are rounding beside what the step has changed, the body rests: else the
    /// impulse that takes such a remainder away would be kept as a start, and add it again with every step.
    pub(crate) fn motion_of(&self, i: usize) -> (Vec3, Vec3) {
        let at = self.free.at;
        let (Some(block), Kind::Dynamic { mass, inertia_body }) = (at.blocks[i], &at.model.bodies[i].kind) else {
            return (at.bodies[i].velocity, at.bodies[i].spin);
        };
        let coordinates = at.coordinates();
        let (velocity, spin) = coordinates.motion(block, &self.solution.velocity);
        let (free_velocity, free_spin) = coordinates.motion(block, self.assembly.problem.v_free());
        // ωᵀIω ≤ tr(I) |ω|², and no body is so slender that the difference counts here.
        let energy = |v: Vec3, w: Vec3| mass * v.norm_squared() + inertia_body.trace() * w.norm_squared();
        let left = energy(velocity, spin);
        // What is too fast for its energy to be a number does not rest.
        if left.is_finite() && left <= RESTING * RESTING * energy(free_velocity - velocity, free_spin - spin) {
            return (Vec3::zeros(), Vec3::zeros());
        }
        (velocity, spin)
    }

    /// Velocity along a row of a joint after the solve.
    pub(crate) fn speed_along(&self, joint: &Joint, row: &Row) -> f64 {
        let of = |(body, part): (usize, &[f64; 6])| {
            let new = list(self.motion_of(body));
            part.iter().zip(new).map(|(r, v)| r * v).sum::<f64>()
        };
        joint.parts(row).map(of).sum()
    }

    /// Speeds along the row of a motor before and after the solve. What its impulse would change in its last bits is none: a motor that others hold against does no work.
    pub(crate) fn motor_speeds(&self, k: usize) -> [f64; 2] {
        let (at, row) = (self.free.at, &self.assembly.joint_rows[k]);
        let joint = &at.model.joints[row.joint];
        // jᵀ𝓜⁻¹j.
        let square: f64 = self.assembly.problem.joint(k).1.iter().map(|x| x * x).sum();
        let least = OPPOSED * self.solution.joint_impulse[k].abs() * square;
        let speeds = [at.speed_along(joint, &row.row), self.speed_along(joint, &row.row)];
        speeds.map(|speed| if speed.abs() <= least { 0.0 } else { speed })
    }

    /// Spin by which a body turns over the step, for the work of torques: the mean of its free rotation and what contacts, joints and
    /// torques change, which acts for the whole step, as gaps suppose.
    fn turning(&self, i: usize, spin: Vec3) -> Vec3 {
        let free = &self.free.flights[i].rotation;
        let mean = free.mean.unwrap_or(0.5 * (self.free.at.bodies[i].spin + free.spin));
        mean + (spin - free.spin)
    }

    /// Work of loads on a body in the step, along the way that it makes \[J\]: as that of gravity, which the change of
    /// height gives. Over the mean of both velocities it would leave out what the step takes or gives by itself.
    pub(crate) fn work_on(&self, i: usize, loads: &Loads, h: f64) -> f64 {
        let wrench = &loads.wrenches[i];
        if self.free.at.blocks[i].is_none() || *wrench == Wrench::default() {
            return 0.0;
        }
        let (velocity, spin) = self.motion_of(i);
        h * (wrench.force.dot(&velocity) + wrench.torque.dot(&self.turning(i, spin)))
    }

    /// Work of the impulses that were found, with the velocities before.
    pub(crate) fn impulse_work(&self) -> Work {
        let (at, solution, problem) = (self.free.at, self.solution, &self.assembly.problem);
        let inertia = at.model.settings.stepper.has_inertia();
        let mut work = Work {
            ground: self.ground_work(),
            stopped: if inertia { self.stopped() } else { 0.0 },
            ..Work::default()
        };
        for (i, block) in at.blocks.iter().enumerate() {
            let Some(block) = block else { continue };
            let range = problem.block_range(*block);
            let (new, free) = (&solution.velocity[range.clone()], &problem.v_free()[range]);
            let old = at.coordinates().pick(if inertia {
                at.velocity_of(i)
            } else {
                list(self.motion_of(i))
            });
            let mass = problem.mass(*block);
            let dim = new.len();
            for r in 0..dim {
                let impulse: f64 = (0..dim).map(|c| mass[r * dim + c] * (new[c] - free[c])).sum();
                work.impulses += 0.5 * (old[r] + new[r]) * impulse;
                if !inertia {
                    work.drag += new[r] * (0..dim).map(|c| mass[r * dim + c] * new[c]).sum::<f64>();
                }
            }
        }
        for (k, (row, impulse)) in self.assembly.joint_rows.iter().zip(&solution.joint_impulse).enumerate() {
            if row.role.drives() {
                let [before, new] = self.motor_speeds(k);
                let old = if inertia { before } else { new };
                let rotor = self.assembly.rotor_impulse(k, solution);
                work.motors += 0.5 * impulse * (old + new);
                work.driven += (impulse - rotor) * new;
            }
        }
        work
    }

    /// Energy that normal impulses of contacts and of limits take, −Σ ½ θ(ν + ν′): what arrives loses it, what rests does not.
    fn stopped(&self) -> f64 {
        let (at, theta) = (self.free.at, &self.solution.normal_impulse);
        let point_velocity = |body: usize, point: &Vec3| {
            let (state, (velocity, spin)) = (&at.bodies[body], self.motion_of(body));
            velocity + spin.cross(&(point - state.pose.position))
        };
        let mut work = 0.0;
        for (contact, theta) in self.contacts.iter().zip(theta).filter(|(_, theta)| **theta != 0.0) {
            let after = point_velocity(contact.a, &contact.point) - point_velocity(contact.b, &contact.point);
            work += 0.5 * theta * (contact.normal.dot(&after) - at.approach(contact));
        }
        for (limit, theta, _) in self.limit_impulses().filter(|(_, theta, _)| *theta != 0.0) {
            let joint = &at.model.joints[limit.joint];
            let speeds = at.speed_along(joint, &limit.row) + self.speed_along(joint, &limit.row);
            work += 0.5 * theta * limit.sign * speeds;
        }
        -work
    }

    /// Limits of joints with their impulses, which follow those of contacts.
    fn limit_impulses(&self) -> impl Iterator<Item = (&LimitRow, f64, [f64; 2])> {
        let solution = self.solution;
        let impulses = solution.normal_impulse.iter().zip(&solution.friction_impulse);
        let limits = self.assembly.limits.iter().zip(impulses.skip(self.contacts.len()));
        limits.map(|(limit, (theta, friction))| (limit, *theta, *friction))
    }

    /// Work of bodies that move as prescribed, through contacts and joints.
    pub(crate) fn ground_work(&self) -> f64 {
        self.ground_work_on(|_| true)
    }

    /// The same through those of some bodies.
    pub(crate) fn ground_work_on(&self, counts: impl Fn(&[usize]) -> bool) -> f64 {
        let at = self.free.at;
        let moves = |body: usize| {
            let state = &at.bodies[body];
            at.model.is_kinematic(body) && (state.velocity != Vec3::zeros() || state.spin != Vec3::zeros())
        };
        let solution = self.solution;
        let mut work = 0.0;
        for (i, contact) in self.contacts.iter().enumerate() {
            for (body, sign) in [(contact.a, 1.0), (contact.b, -1.0)] {
                let (theta, f) = (solution.normal_impulse[i], solution.friction_impulse[i]);
                if (theta == 0.0 && f == [0.0; 2]) || !moves(body) || !counts(&[contact.a, contact.b]) {
                    continue;
                }
                let n = contact.normal;
                let [t1, t2] = at.coordinates().tangents(n);
                let u = at.bodies[body].velocity_at(&contact.point);
                // The body is pushed by sign·p, and pushes back.
                work -= sign * u.dot(&(theta * n + f[0] * t1 + f[1] * t2));
            }
        }
        let firm = self.assembly.joint_rows.iter().zip(&solution.joint_impulse);
        let firm = firm.map(|(row, impulse)| (row.joint, &row.row, *impulse));
        let pushed = self.limit_impulses();
        let pushed = pushed.flat_map(|(limit, theta, friction)| {
            let rows = limit.pushed(theta, friction);
            rows.map(|(row, impulse)| (limit.joint, row, impulse))
        });
        for (joint, row, impulse) in firm.chain(pushed) {
            let joint = &at.model.joints[joint];
            for (body, part) in joint.parts(row) {
                if moves(body) && counts(&joint.bodies()) {
                    work -= impulse * at.speed_of(body, part);
                }
            }
        }
        work
    }
}
