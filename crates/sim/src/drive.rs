//! What drives the coordinate of a joint: its motor, its actuators and the inertia of its rotor, as rows of the contact problem.
//!
//! Springs and dampers are rows that yield, as motors are (`joint_rows.rs`, `midpoint/assemble.rs`). So is the rotor: over a step its impulse on the coordinate is
//! p = −a (ẋ_e − ẋ_n), the row of a damper of strength a/h whose target is the speed at the start. With ẋ_e the speed at the end of the step this changes the rotor's
//! energy ½ a ẋ² by exactly what the coordinate loses, and its mass enters the problem as if it were part of the bodies. All that has no limit of its own is one row. Each element with
//! a limit of force is a row of its own, as it yields at that limit.

use crate::actuator::Actuator;
use crate::joint::{Joint, Motor};
use crate::model::Model;

/// f − k x − c ẋ, kept between two forces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Affine {
    /// k \[N/m or N·m/rad\].
    pub(crate) stiffness: f64,
    /// c.
    pub(crate) damping: f64,
    /// f at the start and at the end of the step.
    pub(crate) force: [f64; 2],
    /// Least and largest.
    pub(crate) range: [f64; 2],
}

const UNBOUNDED: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

impl Affine {
    /// A constant force.
    pub(crate) fn constant(force: f64) -> Self {
        Self {
            stiffness: 0.0,
            damping: 0.0,
            force: [force; 2],
            range: UNBOUNDED,
        }
    }

    /// What an actuator does along the coordinate of its joint at a control.
    fn of_actuator(actuator: &Actuator, ctrl: f64) -> Self {
        let ([f, k, c], g) = (actuator.affine(ctrl), actuator.gear);
        let [low, high] = actuator.force_range.unwrap_or(UNBOUNDED);
        let range = match g {
            0.0 => [0.0; 2],
            g if g > 0.0 => [g * low, g * high],
            _ => [g * high, g * low],
        };
        Self {
            stiffness: -g * g * k,
            damping: -g * g * c,
            force: [g * f; 2],
            range,
        }
    }

    /// A motor, from the start of a step to its end.
    pub(crate) fn of_motor([first, last]: [&Motor; 2]) -> Self {
        let force = |motor: &Motor| motor.force + motor.stiffness * motor.target + motor.damping * motor.target_speed;
        Self {
            stiffness: last.stiffness,
            damping: last.damping,
            force: [force(first), force(last)],
            range: [-last.most, last.most],
        }
    }

    /// Force at a coordinate and its speed.
    fn at(&self, x: f64, speed: f64) -> f64 {
        let [low, high] = self.range;
        (self.force[0] - self.stiffness * x - self.damping * speed)
            .max(low)
            .min(high)
    }

    /// Whether it can be a row: it pulls back and brakes, or does nothing.
    fn is_stable(&self) -> bool {
        self.stiffness >= 0.0 && self.damping >= 0.0
    }

    /// Whether it depends on the motion.
    fn yields(&self) -> bool {
        self.stiffness > 0.0 || self.damping > 0.0
    }

    /// The middle of its range: a row is held to the same force both ways.
    pub(crate) fn middle(&self) -> f64 {
        let [low, high] = self.range;
        if low.is_finite() && high.is_finite() {
            0.5 * (low + high)
        } else {
            0.0
        }
    }
}

/// What drives one coordinate in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Drive {
    /// All that has no limit.
    pub(crate) free: Affine,
    /// Inertia of the rotor.
    pub(crate) rotor: f64,
}

impl Drive {
    /// The rotor of a joint alone.
    pub(crate) fn of_rotor(model: &Model, joint: usize) -> Self {
        Self {
            free: Affine::constant(0.0),
            rotor: rotor(model, joint),
        }
    }
}

/// What actuators do in a step, by joint.
#[derive(Debug, Clone, Default)]
pub(crate) struct Drives {
    /// Joint, and what its actuator does; sorted by joint.
    list: Vec<(usize, Affine)>,
}

impl Drives {
    /// Becomes what the actuators of a model do at these controls.
    pub(crate) fn set(&mut self, model: &Model, ctrl: &[f64]) {
        self.list.clear();
        let actuators = model.actuators.iter().zip(ctrl);
        self.list
            .extend(actuators.map(|(actuator, ctrl)| (actuator.joint, Affine::of_actuator(actuator, *ctrl))));
        self.list.sort_by_key(|(joint, _)| *joint);
    }

    /// Whether a joint has actuators or a rotor: its motor is then part of its drive.
    pub(crate) fn acts(&self, model: &Model, joint: usize) -> bool {
        !(self.list.is_empty() && model.rotors.is_empty()) && (rotor(model, joint) > 0.0 || !self.of(joint).is_empty())
    }

    /// What the actuators of a joint do.
    fn of(&self, joint: usize) -> &[(usize, Affine)] {
        let first = self.list.partition_point(|(other, _)| *other < joint);
        let count = self.list[first..].partition_point(|(other, _)| *other == joint);
        &self.list[first..first + count]
    }

    /// Elements of the drive of a joint: its motor and its actuators.
    fn elements<'a>(
        &'a self,
        joint: (usize, &'a Joint),
        motors: Option<[Motor; 2]>,
    ) -> impl Iterator<Item = Affine> + 'a {
        let motor = motors.map(|[first, last]| Affine::of_motor([&first, &last]));
        let list = self.of(joint.0).iter().map(|(_, affine)| *affine);
        motor.into_iter().chain(list)
    }

    /// Elements with what becomes of each in a step.
    fn sorted<'a>(
        &'a self,
        joint: (usize, &'a Joint),
        motors: Option<[Motor; 2]>,
    ) -> impl Iterator<Item = (Part, Affine)> + 'a {
        let held = motors.is_some_and(|[_, last]| last.held);
        let first = usize::from(motors.is_some());
        self.elements(joint, motors).enumerate().map(move |(n, element)| {
            let is_constant = (held && n < first) || !element.is_stable() || !element.yields();
            let part = match (is_constant, element.range == UNBOUNDED) {
                (true, _) => Part::Constant,
                (false, true) => Part::Free,
                (false, false) => Part::Bounded,
            };
            (part, element)
        })
    }

    /// Force on the coordinate of a joint that does not depend on its motion in the step: of motors without a spring, of what is held over the step, of what would push where a
    /// spring pulls, and the middle of what is bounded. `course` is its coordinate and its speed.
    pub(crate) fn constant(
        &self,
        joint: (usize, &Joint),
        motors: Option<[Motor; 2]>,
        course: impl Fn() -> [f64; 2],
    ) -> f64 {
        let of = |(part, element): (Part, Affine)| match part {
            Part::Constant if element.stiffness == 0.0 && element.damping == 0.0 => element.at(0.0, 0.0),
            Part::Constant => {
                let [x, speed] = course();
                element.at(x, speed)
            }
            Part::Free => 0.0,
            Part::Bounded => element.middle(),
        };
        self.sorted(joint, motors).map(of).sum()
    }

    /// Force on the coordinate of a joint that is at rest: each element by its law, within its limits.
    pub(crate) fn at_rest(&self, joint: (usize, &Joint), motors: Option<[Motor; 2]>, x: f64) -> f64 {
        self.elements(joint, motors).map(|element| element.at(x, 0.0)).sum()
    }

    /// All springs and dampers of a joint without a limit, and its rotor.
    pub(crate) fn free(&self, (k, joint): (usize, &Joint), motors: Option<[Motor; 2]>, model: &Model) -> Drive {
        let mut free = Affine::constant(0.0);
        let found = self.sorted((k, joint), motors);
        for (_, element) in found.filter(|(part, _)| *part == Part::Free) {
            free.stiffness += element.stiffness;
            free.damping += element.damping;
            free.force = [free.force[0] + element.force[0], free.force[1] + element.force[1]];
        }
        Drive {
            free,
            rotor: rotor(model, k),
        }
    }

    /// Springs and dampers of a joint within limits of force.
    pub(crate) fn bounded<'a>(
        &'a self,
        joint: (usize, &'a Joint),
        motors: Option<[Motor; 2]>,
    ) -> impl Iterator<Item = Drive> + 'a {
        let found = self.sorted(joint, motors).filter(|(part, _)| *part == Part::Bounded);
        found.map(|(_, free)| Drive { free, rotor: 0.0 })
    }
}

/// What becomes of an element of a drive in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// A force.
    Constant,
    /// A part of the one row without a limit.
    Free,
    /// A row of its own.
    Bounded,
}

/// Inertia of the rotor of a joint; none in first-order physics.
pub(crate) fn rotor(model: &Model, joint: usize) -> f64 {
    if !model.settings.stepper.has_inertia() {
        return 0.0;
    }
    model.rotors.get(joint).copied().unwrap_or(0.0)
}

/// A row that yields, ẋ′ + p/K + b = 0, with −most ≤ p ≤ most. Beside it acts the middle of its range as a constant force.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DriveRow {
    /// 1/K.
    pub(crate) compliance: f64,
    pub(crate) bias: f64,
    pub(crate) most: f64,
    /// Whether the step resolves its spring and damper.
    pub(crate) is_resolved: bool,
    /// Inertia of the rotor in it, and its part of the bias.
    pub(crate) rotor: [f64; 2],
}

/// A step along a coordinate: at the start and at the midpoint, or the start alone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Course {
    /// x at the start and at the midpoint.
    pub(crate) x: [f64; 2],
    /// Its speed there.
    pub(crate) speeds: [f64; 2],
    pub(crate) h: f64,
    /// Inverse of the mass along it, that of the rotor included, where the step is of second order.
    pub(crate) inverse_mass: Option<f64>,
}

impl Course {
    /// The row of a drive; none where it does not depend on the motion. Forces of the impulse −K(ẋ′ + b), see `midpoint/assemble.rs` for the two rules.
    pub(crate) fn row(&self, drive: &Drive) -> Option<DriveRow> {
        let Affine {
            stiffness: k,
            damping: c,
            force: [first, last],
            range: [_, high],
        } = drive.free;
        let (h, a) = (self.h, drive.rotor);
        let change = self.speeds[1] - self.speeds[0];
        let is_resolved = self
            .inverse_mass
            .is_some_and(|inverse| h * (h * k + c) * inverse <= 1.0);
        let (strength, pull) = if is_resolved {
            let start = k * self.x[0] + c * self.speeds[0] - first;
            let end = k * self.x[1] + c * change - last;
            (h * (0.25 * h * k + 0.5 * c), 0.5 * h * (start + end))
        } else {
            let strength = h * (h * k + c);
            (strength, strength * change + h * (k * self.x[0] - last))
        };
        let stiffness = strength + a;
        let compliance = 1.0 / stiffness;
        if !(stiffness > 0.0 && compliance.is_finite()) {
            return None;
        }
        let rotor_bias = change - self.speeds[0];
        let middle = h * drive.free.middle();
        let most = h * high - middle;
        Some(DriveRow {
            compliance,
            bias: (pull + a * rotor_bias + middle) / stiffness,
            most,
            is_resolved,
            rotor: [a, rotor_bias],
        })
    }
}
