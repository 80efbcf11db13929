//! Loads of a step: what acts on bodies beside gravity, contacts and joints.

use crate::Vec3;
use crate::configuration::Configuration;
use crate::joint_rows::motor_row;
use crate::step_time::StepTime;
use crate::world::Wrench;

/// Forces and torques of a step.
#[derive(Debug, Clone, Default)]
pub(crate) struct Loads {
    /// On each body: applied, scheduled, of couplings, and of motors that are forces.
    pub(crate) wrenches: Vec<Wrench>,
    /// Joints whose motors are forces, and these \[N or N·m\].
    pub(crate) motors: Vec<(usize, f64)>,
}

impl Loads {
    /// The loads of a step that begins here.
    pub(crate) fn set(&mut self, at: Configuration<'_>, time: StepTime) {
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
        for (k, joint) in model.joints.iter().enumerate() {
            let (Some(motor), Some(row)) = (&joint.motor, joint.coordinate(at.bodies)) else {
                continue;
            };
            if motor_row(motor, row.error, time.h).is_some() {
                continue;
            }
            let force = motor.at(time.end).force_at(row.error, at.speed_along(joint, &row));
            self.motors.push((k, force));
            for (body, part) in joint.parts(&row) {
                let total = &mut self.wrenches[body];
                total.force += force * Vec3::new(part[0], part[1], part[2]);
                total.torque += force * Vec3::new(part[3], part[4], part[5]);
            }
        }
    }
}
