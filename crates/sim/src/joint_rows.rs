//! Joints in the contact problem of a step: firm rows, limits as contacts without friction, dry friction and motors as rows that yield.

use stiction_contact::{ContactPart, ContactProblem, JointPart};

use crate::Vec3;
use crate::assemble::Assembly;
use crate::configuration::Configuration;
use crate::drive::{Course, Drive, DriveRow, rotor};
use crate::error::SimError;
use crate::flight::Moment;
use crate::joint::{Joint, JointKind, MAX_ROW_BODIES, Motor, Row};
use crate::loads::motors;
use crate::step_time::StepTime;
use crate::transmission::Rub;
use crate::world::World;

/// What a joint row of the problem does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Keeps the joint together.
    Firm,
    /// Dry friction of the coordinate.
    Friction,
    /// The motor.
    Motor,
    /// Motor, actuators and rotor.
    Drive,
}

impl Role {
    /// Whether it does work.
    pub(crate) fn drives(self) -> bool {
        matches!(self, Self::Motor | Self::Drive)
    }
}

/// A joint row of the problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct JointRow {
    pub(crate) joint: usize,
    pub(crate) role: Role,
    pub(crate) row: Row,
}

/// A side of a joint's limits in the problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LimitRow {
    pub(crate) joint: usize,
    /// 1 at the lower limit, −1 at the upper.
    pub(crate) sign: f64,
    pub(crate) row: Row,
    /// Friction of a rope about a bollard, along its first tangent.
    pub(crate) rub: Option<Rub>,
}

impl LimitRow {
    /// The rows that it pushes along, with the impulses of a contact of the problem.
    pub(crate) fn pushed(&self, theta: f64, friction: [f64; 2]) -> impl Iterator<Item = (&Row, f64)> {
        let rub = self.rub.as_ref().map(|rub| (&rub.row, self.sign * friction[0]));
        [(&self.row, self.sign * theta)].into_iter().chain(rub)
    }
}

/// How a motor acts in a step of h, as a row that yields; `None` where it is a force alone or held over the step.
///
/// At the end of the step λ = −h(k(x + hẋ − target) + c(ẋ − target speed) − force) = −m(ẋ + b) with m = h²k + hc, so that
/// ẋ + b + λ/m = 0, and λ is held to h times the largest force.
pub(crate) fn motor_row(motor: &Motor, x: f64, h: f64) -> Option<(f64, f64)> {
    let m = h * (h * motor.stiffness + motor.damping);
    let compliance = 1.0 / m;
    if motor.held || !(m > 0.0 && compliance.is_finite()) {
        return None;
    }
    let pull = motor.stiffness * (x - motor.target) - motor.damping * motor.target_speed - motor.force;
    // h/m without the h, which may be small.
    Some((compliance, pull / (h * motor.stiffness + motor.damping)))
}

/// Adds the rows of all joints, and their limits as contacts without friction.
pub(crate) fn add_joints(
    assembly: &mut Assembly,
    at: Configuration<'_>,
    (time, moment): (StepTime, Moment),
) -> Result<(), SimError> {
    for k in 0..at.model.joints.len() {
        add_joint(assembly, at, (k, time, moment))?;
    }
    Ok(())
}

/// Adds the rows of a joint.
pub(crate) fn add_joint(
    assembly: &mut Assembly,
    at: Configuration<'_>,
    (k, time, moment): (usize, StepTime, Moment),
) -> Result<(), SimError> {
    let joint = &at.model.joints[k];
    at.rows_of(joint, &mut assembly.rows);
    for row in &assembly.rows {
        if add_row(&mut assembly.problem, at, joint, row, 0.0)?.is_some() {
            assembly.joint_rows.push(JointRow {
                joint: k,
                role: Role::Firm,
                row: *row,
            });
        }
    }
    let Some(row) = at.model.coordinate(k, at.bodies) else {
        return Ok(());
    };
    let acts = assembly.drives.acts(at.model, k);
    // Forces do nothing in an impact.
    if moment == Moment::End {
        let motor = if acts { None } else { joint.motor.as_ref() };
        add_yielding(
            &mut assembly.problem,
            at,
            (k, &row, motor),
            time,
            &mut assembly.joint_rows,
        )?;
    }
    if acts {
        let speed = at.speed_along(joint, &row);
        let course = Course {
            x: [row.error; 2],
            speeds: [speed; 2],
            h: time.h,
            inverse_mass: None,
        };
        let motors = motors(joint, time).filter(|_| moment == Moment::End);
        add_drive(assembly, at, (k, &row), (&course, motors, moment))?;
    }
    let Assembly { problem, limits, .. } = assembly;
    for (side, sign, bound) in joint.sides() {
        let room = sign * (row.error - bound);
        let limit = LimitRow {
            joint: k,
            sign,
            row,
            rub: joint.rub(at.bodies),
        };
        let index = add_limit(problem, at, &limit, [room.max(0.0) / time.h, 0.0])?;
        problem.set_key(index, limit_key(at.model.ids.joints[k], side))?;
        limits.push(limit);
    }
    Ok(())
}

/// Adds what drives a joint; in an impact its rotor alone. Returns the last row, and what it is, where the step does not resolve it.
pub(crate) fn add_drive(
    assembly: &mut Assembly,
    at: Configuration<'_>,
    (k, row): (usize, &Row),
    (course, motors, moment): (&Course, Option<[Motor; 2]>, Moment),
) -> Result<Option<(usize, DriveRow)>, SimError> {
    let Assembly {
        problem,
        joint_rows,
        drives,
        rotors,
        ..
    } = assembly;
    let joint = &at.model.joints[k];
    let mut stiff = None;
    let mut add = |drive: &Drive| -> Result<(), SimError> {
        let Some(found) = course.row(drive) else { return Ok(()) };
        let Some(index) = add_row(problem, at, joint, row, found.bias)? else {
            return Ok(());
        };
        problem.set_yield(index, found.compliance, found.most)?;
        if found.rotor[0] > 0.0 {
            let [a, bias] = found.rotor;
            rotors.push((index, [a, bias, found.compliance, found.bias]));
        }
        joint_rows.push(JointRow {
            joint: k,
            role: Role::Drive,
            row: *row,
        });
        if !found.is_resolved && drive.free.stiffness + drive.free.damping > 0.0 {
            stiff = Some((index, found));
        }
        Ok(())
    };
    if moment == Moment::Now {
        add(&Drive::of_rotor(at.model, k))?;
        return Ok(None);
    }
    add(&drives.free((k, joint), motors, at.model))?;
    for drive in drives.bounded((k, joint), motors) {
        add(&drive)?;
    }
    Ok(stiff)
}

/// Adds the rotor of a joint where velocities change at once: −a(ẋ′ − ẋ).
pub(crate) fn add_rotor(problem: &mut ContactProblem, at: Configuration<'_>, k: usize) -> Result<(), SimError> {
    let (inertia, joint) = (rotor(at.model, k), &at.model.joints[k]);
    let Some(row) = joint.coordinate(at.bodies).filter(|_| inertia > 0.0) else {
        return Ok(());
    };
    if let Some(index) = add_row(problem, at, joint, &row, -at.speed_along(joint, &row))? {
        problem.set_yield(index, 1.0 / inertia, f64::INFINITY)?;
    }
    Ok(())
}

/// Friction and motor along the coordinate of a joint.
pub(crate) fn add_yielding(
    problem: &mut ContactProblem,
    at: Configuration<'_>,
    (k, row, motor): (usize, &Row, Option<&Motor>),
    time: StepTime,
    out: &mut Vec<JointRow>,
) -> Result<(), SimError> {
    let (joint, h) = (&at.model.joints[k], time.h);
    let friction = (joint.friction > 0.0).then_some((Role::Friction, 0.0, 0.0, joint.friction));
    let motor = motor.and_then(|motor| {
        // The end of the step, as for driven bodies.
        let (compliance, bias) = motor_row(&motor.at(time.end), row.error, h)?;
        Some((Role::Motor, compliance, bias, motor.most))
    });
    for (role, compliance, bias, most) in friction.into_iter().chain(motor) {
        if let Some(index) = add_row(problem, at, joint, row, bias)? {
            problem.set_yield(index, compliance, h * most)?;
            out.push(JointRow {
                joint: k,
                role,
                row: *row,
            });
        }
    }
    Ok(())
}

/// Adds one row of a joint; bodies that the problem does not move enter as a bias. Nothing is added where no body of it moves.
pub(crate) fn add_row(
    problem: &mut ContactProblem,
    at: Configuration<'_>,
    joint: &Joint,
    row: &Row,
    mut bias: f64,
) -> Result<Option<usize>, SimError> {
    let (coordinates, n) = (at.coordinates(), at.coordinates().count());
    let picked = row.parts.map(|part| coordinates.pick(part));
    let mut parts: [JointPart<'_>; MAX_ROW_BODIES] = [(0, &[]); MAX_ROW_BODIES];
    let mut count = 0;
    for ((body, part), picked) in joint.parts(row).zip(&picked) {
        match at.blocks[body] {
            Some(block) => {
                parts[count] = (block, &picked[..n]);
                count += 1;
            }
            None => bias += at.speed_of(body, part),
        }
    }
    if count == 0 {
        return Ok(None);
    }
    Ok(Some(problem.add_joint(&parts[..count], bias)?))
}

/// Adds one side of a joint's limits: `sign` times the row shall not fall below −bias. With it goes friction about a bollard; the second bias is that of its slip.
pub(crate) fn add_limit(
    problem: &mut ContactProblem,
    at: Configuration<'_>,
    limit: &LimitRow,
    biases: [f64; 2],
) -> Result<usize, SimError> {
    let (coordinates, n) = (at.coordinates(), at.coordinates().count());
    let joint = &at.model.joints[limit.joint];
    let none = [0.0; 6];
    let across = limit.rub.map_or_else(Row::default, |rub| rub.row);
    let mut bias = [biases[0], biases[1], 0.0];
    let picked = [&limit.row, &across].map(|row| row.parts.map(|part| coordinates.pick(part.map(|x| limit.sign * x))));
    let mut parts: [ContactPart<'_>; MAX_ROW_BODIES] = [(0, [&[]; 3]); MAX_ROW_BODIES];
    let mut count = 0;
    for (k, body) in joint.bodies().iter().enumerate() {
        if let Some(block) = at.blocks[*body] {
            parts[count] = (block, [&picked[0][k][..n], &picked[1][k][..n], &none[..n]]);
            count += 1;
        } else {
            bias[0] += limit.sign * at.speed_of(*body, &limit.row.parts[k]);
            bias[1] += limit.sign * at.speed_of(*body, &across.parts[k]);
        }
    }
    let index = problem.add_contact(&parts[..count], limit.rub.map_or(0.0, |rub| rub.friction))?;
    problem.set_bias(index, bias)?;
    Ok(index)
}

impl World {
    /// Force or torque of a joint's friction and of its motor in the last step, along its coordinate \[N or N·m\]; positive drives it
    /// forwards. `None` for a joint without coordinate, and before the first step.
    #[must_use]
    pub fn joint_forces(&self, joint: usize) -> Option<JointForces> {
        let joint_rows = &self.scratch.assembly.joint_rows;
        let limit = self.solution().joint_impulse.len().min(joint_rows.len());
        let rows = joint_rows[..limit].iter().enumerate();
        let mut forces = JointForces::default();
        let mut found = false;
        for (index, row) in rows.filter(|(_, row)| row.joint == joint) {
            found = true;
            let force = self.solution().joint_impulse[index] / self.solved_length();
            match row.role {
                Role::Firm => {}
                Role::Friction => forces.friction = force,
                Role::Motor => forces.motor = force,
                Role::Drive => {
                    let rotor = self.scratch.assembly.rotor_impulse(index, self.solution());
                    forces.motor += force - rotor / self.solved_length();
                }
            }
        }
        self.model.joints.get(joint)?.coordinate(&self.state.bodies)?;
        if self.scratch.midpoint.trees.stepped {
            found = true;
            forces.motor = self.scratch.midpoint.trees.force(joint);
            forces.friction = self.scratch.midpoint.trees.friction(joint);
        }
        if let Some((_, force)) = self.scratch.loads.motors.iter().find(|(k, _)| *k == joint) {
            forces.motor = *force;
        }
        if let Some((_, force)) = self.scratch.loads.forces.iter().find(|(k, _)| *k == joint) {
            forces.motor += *force;
            found = true;
        }
        found.then_some(forces)
    }

    /// Shares of the rows of a compound joint in a force and a torque about the centre of mass of its body a: with those along its coordinates they are all of it.
    fn split(&self, [force, torque]: [Vec3; 2], joint: &Joint, rows: &[Row]) -> Vec<f64> {
        let bodies = &self.state.bodies;
        let is_along = |other: &&Joint| match (&joint.kind, &other.kind) {
            (JointKind::Compound(own), JointKind::Along(along)) => {
                **own == along.compound && (joint.a, joint.b) == (other.a, other.b)
            }
            _ => false,
        };
        let along = self.model.joints.iter().filter(is_along);
        let along: Vec<Row> = along.filter_map(|joint| joint.coordinate(bodies)).collect();
        let columns: Vec<[f64; 6]> = rows.iter().chain(&along).map(|row| row.parts[0]).collect();
        let all = nalgebra::DMatrix::from_fn(6, columns.len(), |r, c| columns[c][r]);
        let given = nalgebra::DVector::from_iterator(6, force.iter().chain(torque.iter()).copied());
        let shares = (all.transpose() * &all).lu().solve(&(all.transpose() * given));
        shares.map_or_else(
            || vec![0.0; rows.len()],
            |shares| shares.as_slice()[..rows.len()].to_vec(),
        )
    }

    /// What joints gave in a last step that was made in joint coordinates, where [`World::problem`] has no rows of joints: for each row that a joint holds, its products with the
    /// motion of bodies, as (body, linear and angular part), and the force or torque along it \[N or N·m\]. `None` where the problem has the rows.
    #[must_use]
    pub fn joint_reactions(&self) -> Option<Vec<JointReaction>> {
        let trees = &self.scratch.midpoint.trees;
        let h = self.solved_length();
        let (mut found, mut rows) = (Vec::new(), Vec::new());
        for (k, joint) in self.model.joints.iter().enumerate().filter(|_| trees.stepped) {
            let Some([force, torque, point]) = trees.reaction(k) else {
                continue;
            };
            self.configuration().rows_of(joint, &mut rows);
            let forces = if let JointKind::Compound(_) = &joint.kind {
                let arm = point - self.state.bodies[joint.a].pose.position;
                self.split([force, torque + arm.cross(&force)], joint, &rows)
            } else {
                let along = |row: &Row| {
                    let [x, y, z, u, v, w] = row.parts[0];
                    let (linear, angular) = (Vec3::new(x, y, z), Vec3::new(u, v, w));
                    if linear == Vec3::zeros() {
                        torque.dot(&angular) / angular.norm_squared()
                    } else {
                        force.dot(&linear) / linear.norm_squared()
                    }
                };
                rows.iter().map(along).collect()
            };
            for (row, force) in rows.iter().zip(forces) {
                found.push(JointReaction {
                    joint: k,
                    parts: joint.parts(row).map(|(body, part)| (body, *part)).collect(),
                    force: force / h,
                });
            }
        }
        trees.stepped.then_some(found)
    }

    /// Pull of a rope in the last step \[N\]; 0 where it is slack. `None` for a joint that is not a rope, and before the first step. About a bollard with friction the two parts of
    /// the rope pull with different forces: this is the larger, and [`Self::rope_tensions`] has both.
    #[must_use]
    pub fn rope_tension(&self, joint: usize) -> Option<f64> {
        let [first, last] = self.rope_tensions(joint)?;
        Some(first.max(last))
    }

    /// Pull of a rope at its first and at its last end in the last step \[N\], as for [`Self::rope_tension`].
    #[must_use]
    pub fn rope_tensions(&self, joint: usize) -> Option<[f64; 2]> {
        let first = self.scratch.contacts.len();
        if !matches!(self.model.joints.get(joint)?.kind, JointKind::Rope(_)) {
            return None;
        }
        let h = self.solved_length();
        if !self.has_stepped() || h <= 0.0 {
            return None;
        }
        let limits = &self.scratch.assembly.limits;
        // A rope that is slack has no row.
        let place = limits.iter().position(|limit| limit.joint == joint).map(|k| first + k);
        let solution = self.solution();
        let found = place.and_then(|k| Some((solution.normal_impulse.get(k)?, solution.friction_impulse.get(k)?)));
        let Some((theta, [across, _])) = found else {
            return Some([0.0; 2]);
        };
        Some([(theta + across) / h, (theta - across) / h])
    }
}

/// What a joint gives along one of its rows.
#[derive(Debug, Clone, PartialEq)]
pub struct JointReaction {
    /// Number of the joint.
    pub joint: usize,
    /// Bodies with the linear and the angular part of the row.
    pub parts: Vec<(usize, [f64; 6])>,
    /// \[N or N·m\].
    pub force: f64,
}

/// Forces along the coordinate of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointForces {
    /// Of dry friction \[N or N·m\].
    pub friction: f64,
    /// Of the motor and the actuators \[N or N·m\].
    pub motor: f64,
}

/// Names a side of a joint's limits.
pub(crate) fn limit_key(joint: u64, side: u64) -> u64 {
    ((joint << 1) | side).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x6A6F_696E_7400
}
