//! Motors along the coordinates of trees, by the rules of `assemble.rs`.

use super::articulated::Drive;
use crate::configuration::Configuration;
use crate::joint::Motor;
use crate::step_time::StepTime;

/// A motor in a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Motored {
    pub(super) link: usize,
    pub(super) joint: usize,
    /// 1 where the link's coordinate is that of the joint, −1 where it is its opposite.
    sign: f64,
    /// Coordinate and speed of the joint at the start.
    x: f64,
    speed: f64,
    /// At the start and at the end.
    motors: [Motor; 2],
    /// Whether the step resolves its spring and damper.
    pub(super) is_resolved: bool,
}

impl Motored {
    /// The motor of a joint; none where it is a force alone or held over the step.
    pub(super) fn of(at: Configuration<'_>, (link, sign): (usize, f64), joint: usize, time: StepTime) -> Option<Self> {
        let held = &at.model.joints[joint];
        let motor = held.motor.as_ref()?;
        if motor.held || !(motor.stiffness > 0.0 || motor.damping > 0.0) {
            return None;
        }
        let row = held.coordinate(at.bodies)?;
        let inverse = super::super::assemble::inverse_mass(at, held, &row);
        let motors = [motor.at(time.start), motor.at(time.end)];
        let (k, c) = (motor.stiffness, motor.damping);
        Some(Self {
            link,
            joint,
            sign,
            x: row.error,
            speed: at.speed_along(held, &row),
            motors,
            is_resolved: time.h * (time.h * k + c) * inverse <= 1.0,
        })
    }

    /// Force at a coordinate and a speed.
    fn force(motor: &Motor, x: f64, speed: f64) -> f64 {
        motor.stiffness * (motor.target - x) + motor.damping * (motor.target_speed - speed) + motor.force
    }

    /// Speed at the end where the mean speed is `mean`, along the joint.
    pub(super) fn end_speed(&self, mean: f64) -> f64 {
        2.0 * mean - self.speed
    }

    /// Speed at the end and mean speed, along the coordinate of the link, where the mean rate of that is `rate`.
    pub(super) fn end_rate(&self, rate: f64) -> f64 {
        self.sign * self.end_speed(self.sign * rate)
    }

    /// Impulse along the joint for a mean speed: trapezoidal in coordinate and speed, or where the step does not resolve it by those of the end.
    pub(super) fn impulse(&self, rate: f64, h: f64) -> f64 {
        let mean = self.sign * rate;
        let [first, last] = &self.motors;
        let end = self.end_speed(mean);
        if self.is_resolved {
            0.5 * h * (Self::force(first, self.x, self.speed) + Self::force(last, self.x + h * mean, end))
        } else {
            h * Self::force(last, self.x + h * end, end)
        }
    }

    /// Mean speed along the joint.
    pub(super) fn mean(&self, rate: f64) -> f64 {
        self.sign * rate
    }

    /// Impulse along the coordinate of the link.
    pub(super) fn own_impulse(&self, rate: f64, h: f64) -> f64 {
        self.sign * self.impulse(rate, h)
    }

    /// Half the impulse as an inertia and a momentum of the coordinate: what acts over the step is half in the mean motion.
    pub(super) fn drive(&self, h: f64) -> Drive {
        let (k, c) = (self.motors[1].stiffness, self.motors[1].damping);
        let inertia = if self.is_resolved {
            0.25 * h * (h * k + 2.0 * c)
        } else {
            h * (h * k + c)
        };
        Drive::Yields {
            inertia,
            momentum: 0.5 * self.own_impulse(0.0, h),
        }
    }

    /// Whether it can give so much.
    pub(super) fn can_give(&self, impulse: f64, h: f64) -> bool {
        impulse.abs() <= h * self.motors[1].most
    }
}
