//! Joints in the contact problem of a step: firm rows, limits as contacts without friction, dry friction and motors as rows that yield.

use stiction_contact::{ContactPart, ContactProblem, JointPart};

use crate::Vec3;
use crate::error::SimError;
use crate::impact::Moment;
use crate::joint::{Joint, Motor, Row};
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
}

/// A joint row of the problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct JointRow {
    pub(crate) joint: usize,
    pub(crate) role: Role,
    pub(crate) row: Row,
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

impl World {
    /// Adds the rows of all joints, and their limits as contacts without friction.
    pub(crate) fn add_joints(&mut self, problem: &mut ContactProblem, h: f64, moment: Moment) -> Result<(), SimError> {
        let mut joint_rows = std::mem::take(&mut self.joint_rows);
        let mut rows = std::mem::take(&mut self.rows);
        joint_rows.clear();
        for (k, joint) in self.joints.iter().enumerate() {
            self.rows_of(joint, &mut rows);
            for row in &rows {
                if self.add_row(problem, joint, row, 0.0)?.is_some() {
                    joint_rows.push(JointRow {
                        joint: k,
                        role: Role::Firm,
                        row: *row,
                    });
                }
            }
            let Some(row) = joint.coordinate(&self.state.bodies) else {
                continue;
            };
            // Forces do nothing in an impact.
            if moment == Moment::End {
                self.add_yielding(problem, k, &row, h, &mut joint_rows)?;
            }
            if let Some([low, high]) = joint.limits {
                for (side, sign, room) in [(0, 1.0, row.error - low), (1, -1.0, high - row.error)] {
                    let index = self.add_limit(problem, joint, &row, sign, room.max(0.0) / h)?;
                    problem.set_key(index, mix_key(self.ids.joints[k], side))?;
                }
            }
        }
        self.rows = rows;
        self.joint_rows = joint_rows;
        Ok(())
    }

    /// Friction and motor along the coordinate of a joint.
    fn add_yielding(
        &self,
        problem: &mut ContactProblem,
        k: usize,
        row: &Row,
        h: f64,
        out: &mut Vec<JointRow>,
    ) -> Result<(), SimError> {
        let joint = &self.joints[k];
        let friction = (joint.friction > 0.0).then_some((Role::Friction, 0.0, 0.0, joint.friction));
        let motor = joint.motor.as_ref().and_then(|motor| {
            // The end of the step, as for driven bodies.
            let (compliance, bias) = motor_row(&motor.at(self.end_of_part()), row.error, h)?;
            Some((Role::Motor, compliance, bias, motor.most))
        });
        for (role, compliance, bias, most) in friction.into_iter().chain(motor) {
            if let Some(index) = self.add_row(problem, joint, row, bias)? {
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

    /// Rows of a joint that something must hold.
    pub(crate) fn rows_of(&self, joint: &Joint, rows: &mut Vec<Row>) {
        rows.clear();
        joint.rows(&self.state.bodies, rows);
        self.coordinates().drop_idle(rows);
    }

    /// Adds one row of a joint; bodies that are not dynamic enter as a bias. Nothing is added where no body of it moves.
    pub(crate) fn add_row(
        &self,
        problem: &mut ContactProblem,
        joint: &Joint,
        row: &Row,
        mut bias: f64,
    ) -> Result<Option<usize>, SimError> {
        let (coordinates, n) = (self.coordinates(), self.coordinates().count());
        let picked = [row.a, row.b].map(|row| coordinates.pick(row));
        let mut parts: [JointPart<'_>; 2] = [(0, &[]); 2];
        let mut count = 0;
        for (body, row, picked) in [(joint.a, &row.a, &picked[0]), (joint.b, &row.b, &picked[1])] {
            match self.blocks[body] {
                Some(block) => {
                    parts[count] = (block, &picked[..n]);
                    count += 1;
                }
                None => bias += self.speed_of(body, row),
            }
        }
        if count == 0 {
            return Ok(None);
        }
        Ok(Some(problem.add_joint(&parts[..count], bias)?))
    }

    /// Adds one side of a joint's limits: `sign` times the row shall not fall below −`bias`.
    pub(crate) fn add_limit(
        &self,
        problem: &mut ContactProblem,
        joint: &Joint,
        row: &Row,
        sign: f64,
        mut bias: f64,
    ) -> Result<usize, SimError> {
        let (coordinates, n) = (self.coordinates(), self.coordinates().count());
        let none = [0.0; 6];
        let signed = [row.a.map(|x| sign * x), row.b.map(|x| sign * x)];
        let picked = signed.map(|row| coordinates.pick(row));
        let mut parts: [ContactPart<'_>; 2] = [(0, [&[]; 3]); 2];
        let mut count = 0;
        for (body, row, picked) in [(joint.a, &signed[0], &picked[0]), (joint.b, &signed[1], &picked[1])] {
            match self.blocks[body] {
                Some(block) => {
                    parts[count] = (block, [&picked[..n], &none[..n], &none[..n]]);
                    count += 1;
                }
                None => bias += self.speed_of(body, row),
            }
        }
        let index = problem.add_contact(&parts[..count], 0.0)?;
        problem.set_bias(index, [bias, 0.0, 0.0])?;
        Ok(index)
    }

    /// Applied forces and those of motors that are forces alone on every body, once a step: the free motion and the ledger both read them.
    pub(crate) fn add_up_forces(&mut self, h: f64) {
        let mut totals = std::mem::take(&mut self.totals);
        totals.clear();
        totals.extend((0..self.bodies.len()).map(|body| self.applied(body)));
        let mut motor_forces = std::mem::take(&mut self.motor_forces);
        motor_forces.clear();
        for (k, joint) in self.joints.iter().enumerate() {
            let (Some(motor), Some(row)) = (&joint.motor, joint.coordinate(&self.state.bodies)) else {
                continue;
            };
            if motor_row(motor, row.error, h).is_some() {
                continue;
            }
            let force = motor
                .at(self.end_of_part())
                .force_at(row.error, self.speed_along(joint, &row));
            motor_forces.push((k, force));
            for (body, part) in [(joint.a, row.a), (joint.b, row.b)] {
                totals[body].force += force * Vec3::new(part[0], part[1], part[2]);
                totals[body].torque += force * Vec3::new(part[3], part[4], part[5]);
            }
        }
        self.motor_forces = motor_forces;
        self.totals = totals;
    }

    /// Force or torque of a joint's friction and of its motor in the last step, along its coordinate \[N or N·m\]; positive drives it
    /// forwards. `None` for a joint without coordinate, and before the first step.
    #[must_use]
    pub fn joint_forces(&self, joint: usize) -> Option<JointForces> {
        let limit = self.solution().joint_impulse.len().min(self.joint_rows.len());
        let rows = self.joint_rows[..limit].iter().enumerate();
        let mut forces = JointForces::default();
        let mut found = false;
        for (index, row) in rows.filter(|(_, row)| row.joint == joint) {
            found = true;
            let force = self.solution().joint_impulse[index] / self.solved_length();
            match row.role {
                Role::Firm => {}
                Role::Friction => forces.friction = force,
                Role::Motor => forces.motor = force,
            }
        }
        self.joints.get(joint)?.coordinate(&self.state.bodies)?;
        if let Some((_, force)) = self.motor_forces.iter().find(|(k, _)| *k == joint) {
            forces.motor = *force;
        }
        found.then_some(forces)
    }
}

/// Forces along the coordinate of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointForces {
    /// Of dry friction \[N or N·m\].
    pub friction: f64,
    /// Of the motor \[N or N·m\].
    pub motor: f64,
}

/// Names a side of a joint's limits.
fn mix_key(joint: u64, side: u64) -> u64 {
    ((joint << 1) | side).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x6A6F_696E_7400
}
