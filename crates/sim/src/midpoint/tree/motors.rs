//! Motors, actuators and rotors along the coordinates of trees, by the rules of `assemble.rs` and `drive.rs`.

use super::articulated::Drive;
use super::links::{Freedom, Link};
use super::mass_of;
use super::place::{Start, frames};
use crate::Vec3;
use crate::configuration::Configuration;
use crate::drive::{self, Drives};
use crate::joint::Motor;
use crate::loads;
use crate::step_time::StepTime;

/// A spring and a damper along a coordinate in a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Motored {
    pub(super) link: usize,
    pub(super) joint: usize,
    /// 1 where the link's coordinate is that of the joint, −1 where it is its opposite.
    sign: f64,
    /// Coordinate and speed of the joint at the start.
    x: f64,
    speed: f64,
    stiffness: f64,
    damping: f64,
    /// Where the spring pulls to, and what acts beside spring and damper, at the start and at the end.
    targets: [f64; 2],
    forces: [f64; 2],
    /// Largest force.
    most: f64,
    /// Whether the step resolves its spring and damper.
    pub(super) is_resolved: bool,
}

/// What is known of a link where its motors are found: its number, itself, and its coordinate.
pub(super) type Moved<'a> = (usize, &'a Link, &'a Start);

/// Adds all that acts along the coordinate of a joint and depends on its motion. Returns the inertia of its rotor.
pub(super) fn find(
    at: Configuration<'_>,
    (k, link, start): Moved<'_>,
    joint: usize,
    (drives, time): (&Drives, StepTime),
    out: &mut Vec<Motored>,
) -> f64 {
    let (model, held) = (at.model, &at.model.joints[joint]);
    let acts = drives.acts(model, joint);
    if held.motor.is_none() && !acts {
        return 0.0;
    }
    let sign = link.sign();
    let idle = Motored {
        link: k,
        joint,
        sign,
        x: sign * start.x,
        speed: sign * start.rate.z,
        stiffness: 0.0,
        damping: 0.0,
        targets: [0.0; 2],
        forces: [0.0; 2],
        most: f64::INFINITY,
        is_resolved: true,
    };
    if !acts {
        let motor = held.motor.as_ref();
        out.extend(motor.and_then(|motor| idle.of_motor(motor, (at, link), time)));
        return 0.0;
    }
    let rotor = drive::rotor(model, joint);
    let motors = loads::motors(held, time);
    let free = drives.free((joint, held), motors, model);
    for drive in [free].into_iter().chain(drives.bounded((joint, held), motors)) {
        let (affine, middle) = (drive.free, drive.free.middle());
        if affine.stiffness > 0.0 || affine.damping > 0.0 {
            let found = Motored {
                stiffness: affine.stiffness,
                damping: affine.damping,
                // The middle of its range acts as a constant force.
                forces: affine.force.map(|force| force - middle),
                most: affine.range[1] - middle,
                ..idle
            };
            out.push(found.judged((at, link), rotor, time.h));
        }
    }
    rotor
}

/// Inverse of the mass along the coordinate of a link, as if nothing else held its bodies.
fn inverse_mass(at: Configuration<'_>, joint: usize, link: &Link) -> f64 {
    let held = &at.model.joints[joint];
    if link.freedom != Freedom::Turn {
        let row = held.coordinate(at.bodies);
        return row.map_or(0.0, |row| super::super::assemble::inverse_mass(at, held, &row));
    }
    let ends = [link.body, link.base].into_iter().zip(frames(held, link));
    let of = |(body, frame): (usize, &crate::Pose)| {
        let axis = frame.direction(Vec3::z());
        at.blocks[body].map(|_| {
            let root = mass_of(at.model, body).1.cholesky();
            root.map_or(0.0, |root| axis.dot(&root.solve(&axis)))
        })
    };
    ends.filter_map(of).sum()
}

impl Motored {
    /// The motor of a joint that nothing else drives; none where it is a force alone or held over the step.
    fn of_motor(self, motor: &Motor, of: (Configuration<'_>, &Link), time: StepTime) -> Option<Self> {
        if motor.held || !(motor.stiffness > 0.0 || motor.damping > 0.0) {
            return None;
        }
        let motors = [motor.at(time.start), motor.at(time.end)];
        let found = Self {
            stiffness: motor.stiffness,
            damping: motor.damping,
            targets: motors.map(|motor| motor.target),
            forces: motors.map(|motor| motor.damping * motor.target_speed + motor.force),
            most: motor.most,
            ..self
        };
        Some(found.judged(of, 0.0, time.h))
    }

    /// The same once it is known whether the step resolves it.
    fn judged(self, (at, link): (Configuration<'_>, &Link), rotor: f64, h: f64) -> Self {
        let inverse = inverse_mass(at, self.joint, link);
        let inverse = inverse / (1.0 + rotor * inverse);
        Self {
            is_resolved: h * (h * self.stiffness + self.damping) * inverse <= 1.0,
            ..self
        }
    }

    /// Force at a coordinate and a speed, at the start or the end.
    fn force(&self, when: usize, x: f64, speed: f64) -> f64 {
        self.stiffness * (self.targets[when] - x) - self.damping * speed + self.forces[when]
    }

    /// Speed at the end where the mean speed is `mean`, along the joint.
    fn end_speed(&self, mean: f64) -> f64 {
        2.0 * mean - self.speed
    }

    /// Speed at the end along the coordinate of the link, where the mean rate of that is `rate`.
    pub(super) fn end_rate(&self, rate: f64) -> f64 {
        self.sign * self.end_speed(self.sign * rate)
    }

    /// Impulse along the joint for a mean speed: trapezoidal in coordinate and speed, or where the step does not resolve it by those of the end.
    pub(super) fn impulse(&self, rate: f64, h: f64) -> f64 {
        let mean = self.sign * rate;
        let end = self.end_speed(mean);
        if self.is_resolved {
            0.5 * h * (self.force(0, self.x, self.speed) + self.force(1, self.x + h * mean, end))
        } else {
            h * self.force(1, self.x + h * end, end)
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

    /// Adds half the impulse as an inertia and a momentum of the coordinate: what acts over the step is half in the mean motion.
    pub(super) fn add_to(&self, drive: &mut Drive, h: f64) {
        let (k, c) = (self.stiffness, self.damping);
        if let Drive::Yields { inertia, momentum } = drive {
            *inertia += if self.is_resolved {
                0.25 * h * (h * k + 2.0 * c)
            } else {
                h * (h * k + c)
            };
            *momentum += 0.5 * self.own_impulse(0.0, h);
        }
    }

    /// Whether it can give so much.
    pub(super) fn can_give(&self, impulse: f64, h: f64) -> bool {
        impulse.abs() <= h * self.most
    }
}
