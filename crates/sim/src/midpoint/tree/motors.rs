//! Motors, actuators and rotors along the coordinates of trees, by the rules of `assemble.rs` and `drive.rs`.

use super::articulated::Drive;
use super::links::{Freedom, Link};
use super::place::Start;
use super::{mass_of_body, square_over};
use crate::configuration::Configuration;
use crate::drive::{self, Drives};
use crate::joint::{Joint, Motor};
use crate::loads;
use crate::model::Model;
use crate::step_time::StepTime;

/// A spring and a damper along a coordinate in a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Motored {
    pub(super) link: usize,
    pub(super) joint: usize,
    /// Which of the numbers along coordinates it drives: that of its link, or a tendon.
    pub(super) along: usize,
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
    /// Whether it is a row of the problem, and its impulse in the answer.
    pub(super) given: Option<f64>,
}

/// What is known of a link where its motors are found: its number, itself, and its coordinate.
pub(super) type Moved<'a> = (usize, &'a Link, &'a Start);

/// Adds all that acts along the coordinate of a joint and depends on its motion. Returns the inertia of its rotor.
pub(super) fn find(
    at: Configuration<'_>,
    moved: Moved<'_>,
    (joint, along): (usize, usize),
    (drives, time): (&Drives, StepTime),
    out: &mut Vec<Motored>,
) -> f64 {
    let (model, held) = (at.model, &at.model.joints[joint]);
    let acts = drives.acts(model, joint);
    if held.motor.is_none() && !acts {
        return 0.0;
    }
    let (k, link, start) = moved;
    let (sign, rotor) = (link.sign(), drive::rotor(model, joint));
    let inverse = inverse_mass(at, moved, held);
    let inverse = inverse / (1.0 + rotor * inverse);
    let idle = Motored {
        link: k,
        joint,
        along,
        sign,
        x: sign * start.x,
        speed: sign * start.rate.z,
        ..IDLE
    };
    let first = out.len();
    idle.add_all(held, (drives, time), (model, inverse), out);
    for motor in &mut out[first..] {
        // One that would give more than its range where it is may be at its end, and is a row. Others are known to be once the step is found.
        motor.given = motor.is_beyond().then_some(0.0);
    }
    rotor
}

/// Adds all drives of a tendon, at its coordinate and speed: rows of the problem. None where it has a rotor.
pub(super) fn find_of_tendon(
    at: Configuration<'_>,
    (link, joint, along): (usize, usize, usize),
    [x, speed]: [f64; 2],
    (drives, time): (&Drives, StepTime),
    out: &mut Vec<Motored>,
) -> Option<()> {
    let (model, held) = (at.model, &at.model.joints[joint]);
    if drive::rotor(model, joint) > 0.0 {
        return None;
    }
    if held.motor.is_none() && !drives.acts(model, joint) {
        return Some(());
    }
    let row = held.coordinate(at.bodies)?;
    let inverse = super::super::assemble::inverse_mass(at, held, &row);
    let idle = Motored {
        link,
        joint,
        along,
        x,
        speed,
        ..IDLE
    };
    let first = out.len();
    idle.add_all(held, (drives, time), (model, inverse), out);
    for motor in &mut out[first..] {
        motor.given = Some(0.0);
    }
    Some(())
}

/// Nothing acts.
const IDLE: Motored = Motored {
    link: 0,
    joint: 0,
    along: 0,
    sign: 1.0,
    x: 0.0,
    speed: 0.0,
    stiffness: 0.0,
    damping: 0.0,
    targets: [0.0; 2],
    forces: [0.0; 2],
    most: f64::INFINITY,
    is_resolved: true,
    given: None,
};

/// Inverse of the mass along the coordinate of a link, as if nothing else held its bodies.
fn inverse_mass(at: Configuration<'_>, (_, link, start): Moved<'_>, held: &Joint) -> f64 {
    if link.freedom != Freedom::Turn {
        let row = held.coordinate(at.bodies);
        return row.map_or(0.0, |row| super::super::assemble::inverse_mass(at, held, &row));
    }
    let of = |body: usize| {
        let across = at.bodies[body].pose.direction_in_body(start.across);
        at.blocks[body].map(|_| square_over(mass_of_body(at.model, body).1, &across))
    };
    [link.body, link.base].into_iter().filter_map(of).sum()
}

impl Motored {
    /// Adds all that drives a joint and depends on its motion.
    fn add_all(
        self,
        held: &Joint,
        (drives, time): (&Drives, StepTime),
        (model, inverse): (&Model, f64),
        out: &mut Vec<Self>,
    ) {
        if !drives.acts(model, self.joint) {
            let motor = held.motor.as_ref();
            out.extend(motor.and_then(|motor| self.of_motor(motor, inverse, time)));
            return;
        }
        let motors = loads::motors(held, time);
        let free = drives.free((self.joint, held), motors, model);
        for drive in [free].into_iter().chain(drives.bounded((self.joint, held), motors)) {
            let (affine, middle) = (drive.free, drive.free.middle());
            if affine.stiffness > 0.0 || affine.damping > 0.0 {
                let found = Self {
                    stiffness: affine.stiffness,
                    damping: affine.damping,
                    // The middle of its range acts as a constant force.
                    forces: affine.force.map(|force| force - middle),
                    most: affine.range[1] - middle,
                    ..self
                };
                out.push(found.judged(inverse, time.h));
            }
        }
    }

    /// Whether its law gives more than its range where it is.
    fn is_beyond(&self) -> bool {
        self.force(0, self.x, self.speed).abs() > self.most
    }

    /// As a row of the problem: 1/K and the bias, of ẋ′ + p/K + b = 0.
    pub(super) fn row(&self, h: f64) -> Option<(f64, f64)> {
        let free = Self { given: None, ..*self };
        let (k, c) = (self.stiffness, self.damping);
        let stiffness = if self.is_resolved {
            h * (0.25 * h * k + 0.5 * c)
        } else {
            h * (h * k + c)
        };
        let compliance = 1.0 / stiffness;
        // What it gives where it stands at the end.
        let standing = free.along_impulse(0.5 * self.speed, h);
        (stiffness > 0.0 && compliance.is_finite()).then_some((compliance, -standing / stiffness))
    }

    /// Largest impulse.
    pub(super) fn most(&self, h: f64) -> f64 {
        h * self.most
    }

    /// Whether it gives way, as far as is known.
    pub(super) fn is_saturated(&self, h: f64) -> bool {
        self.given.is_some_and(|impulse| impulse.abs() >= self.most(h))
    }

    /// The motor of a joint that nothing else drives; none where it is a force alone or held over the step.
    fn of_motor(self, motor: &Motor, inverse: f64, time: StepTime) -> Option<Self> {
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
        Some(found.judged(inverse, time.h))
    }

    /// The same once it is known whether the step resolves it, where the inverse of the mass along it is this.
    fn judged(self, inverse: f64, h: f64) -> Self {
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
    pub(super) fn end_speed(&self, mean: f64) -> f64 {
        2.0 * mean - self.speed
    }

    /// Speed at the end along the coordinate of the link, where the mean rate of that is `rate`.
    pub(super) fn end_rate(&self, rate: f64) -> f64 {
        self.sign * self.end_speed(self.sign * rate)
    }

    /// Impulse along the joint for a mean speed of that: trapezoidal in coordinate and speed, or where the step does not resolve it by those of the end.
    pub(super) fn along_impulse(&self, mean: f64, h: f64) -> f64 {
        if let Some(impulse) = self.given {
            return impulse;
        }
        let end = self.end_speed(mean);
        if self.is_resolved {
            0.5 * h * (self.force(0, self.x, self.speed) + self.force(1, self.x + h * mean, end))
        } else {
            h * self.force(1, self.x + h * end, end)
        }
    }

    /// The same for a mean rate of the link.
    pub(super) fn impulse(&self, rate: f64, h: f64) -> f64 {
        self.along_impulse(self.sign * rate, h)
    }

    /// Impulse along the coordinate of the link.
    pub(super) fn own_impulse(&self, rate: f64, h: f64) -> f64 {
        self.sign * self.impulse(rate, h)
    }

    /// Adds half the impulse as an inertia and a momentum of the coordinate: what acts over the step is half in the mean motion.
    pub(super) fn add_to(&self, drive: &mut Drive, h: f64) {
        let (k, c) = (self.stiffness, self.damping);
        if self.given.is_some() {
            return;
        }
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
        self.given.is_some() || impulse.abs() <= h * self.most
    }
}

/// What acts along the coordinate of a link in half a step whose mean rate is known, its rotor included.
pub(super) fn driven((k, start, rate): (usize, &Start, f64), (motors, ends): (&[Motored], &[usize]), h: f64) -> f64 {
    let first = k.checked_sub(1).map_or(0, |before| ends[before]);
    let own = motors[first..ends[k]].iter().map(|motor| motor.own_impulse(rate, h));
    0.5 * (own.sum::<f64>() + h * start.push) - start.rotor * (rate - start.rate.z)
}
