//! Loads of a step: what acts on bodies beside gravity, contacts and joints.

use crate::Vec3;
use crate::configuration::Configuration;
use crate::drive::Drives;
use crate::joint::{Joint, Motor, Row};
use crate::joint_rows::motor_row;
use crate::step_time::StepTime;
use crate::world::Wrench;

/// Forces and torques of a step.
#[derive(Debug, Clone, Default)]
pub(crate) struct Loads {
    /// On each body: applied, scheduled, of couplings, and of motors that are forces.
    pub(crate) wrenches: Vec<Wrench>,
    /// The same without the forces of actuators.
    without: Vec<Wrench>,
    /// Joints whose motors are forces, and these \[N or N·m\].
    pub(crate) motors: Vec<(usize, f64)>,
    /// Joints with actuators, and the force of these that does not depend on the motion in the step \[N or N·m\].
    pub(crate) forces: Vec<(usize, f64)>,
}

impl Loads {
    /// The loads of a step that begins here.
    pub(crate) fn set(&mut self, at: Configuration<'_>, drives: &Drives, time: StepTime) {
        let model = at.model;
        self.wrenches.clone_from(&model.wrenches);
        // The middle of the step: ends at multiples of the step are then the same on both sides whatever their rounding.
        let now = time.middle();
        for timed in &model.schedule {
            if timed.from <= now && now < timed.until {
                self.wrenches[timed.body] += timed.wrench;
            }
        }
        for coupling in &model.couplings {
            self.wrenches[coupling.body] += coupling.wrench(at.bodies);
        }
        self.motors.clear();
        self.forces.clear();
        for (k, joint) in model.joints.iter().enumerate() {
            if drives.acts(model, k) {
                let course = || {
                    let row = model.coordinate(k, at.bodies);
                    row.map_or([0.0; 2], |row| [row.error, at.speed_along(joint, &row)])
                };
                let force = drives.constant((k, joint), motors(joint, time), course);
                if force != 0.0 {
                    self.forces.push((k, force));
                }
                continue;
            }
            // Whether it is a row does not depend on where it is.
            let is_force = |motor: &&Motor| motor_row(motor, 0.0, time.h).is_none();
            let Some(motor) = joint.motor.as_ref().filter(is_force) else {
                continue;
            };
            let Some(row) = model.coordinate(k, at.bodies) else {
                continue;
            };
            let force = motor.at(time.end).force_at(row.error, at.speed_along(joint, &row));
            self.motors.push((k, force));
            add(&mut self.wrenches, joint, &row, force);
        }
        if !self.forces.is_empty() {
            self.without.clone_from(&self.wrenches);
            self.place(at);
        }
    }

    /// What acts on each body beside the forces of actuators.
    pub(crate) fn without_actuators(&self) -> &[Wrench] {
        if self.forces.is_empty() {
            &self.wrenches
        } else {
            &self.without
        }
    }

    /// Lets the forces of actuators act where joints are here: their axes turn with the bodies.
    pub(crate) fn place(&mut self, at: Configuration<'_>) {
        if self.forces.is_empty() {
            return;
        }
        self.wrenches.clone_from(&self.without);
        for (k, force) in &self.forces {
            let joint = &at.model.joints[*k];
            if let Some(row) = joint.coordinate(at.bodies) {
                add(&mut self.wrenches, joint, &row, *force);
            }
        }
    }
}

/// Adds a force along the coordinate of a joint.
pub(crate) fn add(wrenches: &mut [Wrench], joint: &Joint, row: &Row, force: f64) {
    for (body, part) in joint.parts(row) {
        let total = &mut wrenches[body];
        total.force += force * Vec3::new(part[0], part[1], part[2]);
        total.torque += force * Vec3::new(part[3], part[4], part[5]);
    }
}

/// The motor of a joint at the start and at the end of a step.
pub(crate) fn motors(joint: &Joint, time: StepTime) -> Option<[Motor; 2]> {
    joint.motor.map(|motor| [motor.at(time.start), motor.at(time.end)])
}
