//! Joints: rows that bodies keep, limits that they do not pass, friction that holds them, motors that drive them.
//!
//! A joint holds a frame fixed in body a and one fixed in body b. Each kind asks that some of the six differences between the two frames
//! stay zero; what is left is the joint's coordinate. Rows act on (v_a, ω_a, v_b, ω_b); how far a row is from holding is eased out as
//! overlap is.

use crate::error::SimError;
use crate::state::BodyState;
use crate::{Pose, Vec3};

/// An axis with components in the plane below this stands upright on it.
const UPRIGHT: f64 = 1e-12;

/// What a joint leaves free; axes are those of the frame in b.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointKind {
    /// Turns about z.
    Revolute,
    /// Slides along z.
    Prismatic,
    /// Turns about every axis.
    Spherical,
    /// Nothing.
    Fixed,
    /// Slides in the plane of x and y and turns about z.
    Planar,
    /// Keeps the distance of the two origins.
    Distance {
        /// Distance \[m\].
        length: f64,
    },
}

/// Torque or force of a motor along the coordinate x of a revolute or prismatic joint: stiffness (target − x) + damping (target speed − ẋ) +
/// force, held to the largest. x and ẋ are those at the end of the step, found together with the contacts: no stiffness is too large for
/// a time step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Motor {
    /// Coordinate that is wanted \[rad or m\], beside the wave.
    pub target: f64,
    /// Added to the target at the time of the step's end.
    pub wave: MotorWave,
    /// Speed that is wanted \[rad/s or m/s\].
    pub target_speed: f64,
    /// Force per difference \[N·m/rad or N/m\].
    pub stiffness: f64,
    /// Force per difference in speed \[N·m·s/rad or N·s/m\].
    pub damping: f64,
    /// Added to both \[N·m or N\].
    pub force: f64,
    /// Largest force \[N·m or N\]; infinite where there is none.
    pub most: f64,
    /// Whether x and ẋ are those at the start of the step instead and the force is held over it, as that of a digital controller is: it is
    /// then a force like any other, and must be soft enough for the time step.
    pub held: bool,
}

/// amplitude · sin(rate t + phase), for what a motor does in rhythm.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MotorWave {
    /// Largest excursion \[rad or m\].
    pub amplitude: f64,
    /// Rate \[rad/s\].
    pub rate: f64,
    /// Phase at time 0 \[rad\].
    pub phase: f64,
}

impl Motor {
    /// The motor with the target that it has at a time \[s\].
    pub(crate) fn at(&self, time: f64) -> Self {
        let MotorWave { amplitude, rate, phase } = self.wave;
        let shift = if amplitude == 0.0 {
            0.0
        } else {
            amplitude * libm::sin(rate * time + phase)
        };
        Self {
            target: self.target + shift,
            ..*self
        }
    }

    /// The force of a motor that is no row of the problem, at a coordinate and its speed.
    pub(crate) fn force_at(&self, x: f64, speed: f64) -> f64 {
        let drive = self.stiffness * (self.target - x) + self.damping * (self.target_speed - speed);
        let force = self.force + if self.held { drive } else { 0.0 };
        force.max(-self.most).min(self.most)
    }

    /// Checks its numbers; `field` names the joint in messages.
    pub(crate) fn check(&self, field: &str) -> Result<(), SimError> {
        let Self {
            target,
            wave,
            target_speed,
            stiffness,
            damping,
            force,
            most,
            held: _,
        } = *self;
        let fail = |name: &str, requirement: &str, x: f64| {
            Err(SimError::value(format!("{field}.motor.{name}"), requirement, x))
        };
        for (name, x) in [
            ("target", target),
            ("wave.amplitude", wave.amplitude),
            ("wave.rate", wave.rate),
            ("wave.phase", wave.phase),
            ("target_speed", target_speed),
            ("force", force),
        ] {
            if !x.is_finite() {
                return fail(name, "must be finite", x);
            }
        }
        for (name, x) in [("stiffness", stiffness), ("damping", damping)] {
            if !(x.is_finite() && x >= 0.0) {
                return fail(name, "must be finite and not negative", x);
            }
        }
        if most.is_nan() || most < 0.0 {
            return fail("most", "must not be negative or NaN", most);
        }
        Ok(())
    }
}

/// A joint between two bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Name.
    pub name: String,
    /// First body.
    pub a: usize,
    /// Second body; a fixed one stands for the world.
    pub b: usize,
    /// What it leaves free.
    pub kind: JointKind,
    /// Frame in body a, from its centre of mass.
    pub frame_a: Pose,
    /// Frame in body b, from its centre of mass.
    pub frame_b: Pose,
    /// Least and largest coordinate of a revolute or prismatic joint \[rad or m\].
    pub limits: Option<[f64; 2]>,
    /// Drives the coordinate of a revolute or prismatic joint.
    pub motor: Option<Motor>,
    /// Dry friction along the coordinate of a revolute or prismatic joint \[N·m or N\]: holds up to this, and opposes motion with it. 0: none.
    pub friction: f64,
}

/// One row: its products with the velocities of both bodies, and how far the row is from holding.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Row {
    pub(crate) a: [f64; 6],
    pub(crate) b: [f64; 6],
    /// Left of it \[m or rad\].
    pub(crate) error: f64,
}

impl Joint {
    /// Frames in the world: that in a, that in b.
    pub(crate) fn frames(&self, states: &[BodyState]) -> [Pose; 2] {
        [
            states[self.a].pose.then(&self.frame_a),
            states[self.b].pose.then(&self.frame_b),
        ]
    }

    /// Refuses a joint that means nothing in the plane of x and y: what is not about z, or along an axis that leaves the plane.
    pub(crate) fn check_planar(&self, field: &str) -> Result<(), SimError> {
        let refuse = |what: &str, requirement, found| {
            Err(SimError::PlanarJoint {
                field: format!("{field}.{what}"),
                requirement,
                found,
            })
        };
        for (name, frame) in [("frame_a", &self.frame_a), ("frame_b", &self.frame_b)] {
            let [y, z] = [Vec3::y(), Vec3::z()].map(|e| frame.direction(e));
            let upright = |axis: Vec3| axis.xy().amax() < UPRIGHT;
            let p = frame.position;
            if p.z != 0.0 {
                return refuse(name, "in the plane", format!("z = {}", p.z));
            }
            let (fits, requirement) = match self.kind {
                JointKind::Revolute | JointKind::Fixed => (upright(z), "about z"),
                // With its y axis across the plane one of its two rows is idle, and only one.
                JointKind::Prismatic => (upright(y), "a frame with y across the plane"),
                JointKind::Distance { .. } => (true, ""),
                JointKind::Spherical => return refuse("kind", "revolute", "spherical".to_owned()),
                JointKind::Planar => return refuse("kind", "left out", "planar".to_owned()),
            };
            if !fits {
                return refuse(name, requirement, format!("{z:?}"));
            }
        }
        Ok(())
    }

    /// Rows that must hold.
    pub(crate) fn rows(&self, states: &[BodyState], out: &mut Vec<Row>) {
        let [fa, fb] = self.frames(states);
        let at = |k: usize| states[if k == 0 { self.a } else { self.b }].pose.position;
        let apart = fa.position - fb.position;
        let axes = [Vec3::x(), Vec3::y(), Vec3::z()].map(|e| fb.direction(e));
        // d/dt t·(x_a − x_b) with t fixed in b: the point x_a as part of either body.
        let slide = |t: Vec3| linear(t, fa.position - at(0), fa.position - at(1), t.dot(&apart));
        // Small rotation from b to a: twice the vector part of the quaternion between them.
        let turned = {
            let q = (fb.rotation.inverse() * fa.rotation).into_inner();
            let sign = if q.w < 0.0 { -2.0 } else { 2.0 };
            fb.direction(sign * Vec3::new(q.i, q.j, q.k))
        };
        let turn = |t: Vec3| angular(t, t.dot(&turned));
        match self.kind {
            JointKind::Revolute => {
                out.extend(axes.map(slide));
                out.extend([0, 1].map(|k| tilt(axes[k], &fa, &fb)));
            }
            JointKind::Prismatic => {
                out.extend([slide(axes[0]), slide(axes[1])]);
                out.extend(axes.map(turn));
            }
            JointKind::Spherical => out.extend(axes.map(slide)),
            JointKind::Fixed => {
                out.extend(axes.map(slide));
                out.extend(axes.map(turn));
            }
            JointKind::Planar => {
                out.push(slide(axes[2]));
                out.extend([0, 1].map(|k| tilt(axes[k], &fa, &fb)));
            }
            JointKind::Distance { length } => {
                let size = apart.norm();
                let u = if size > 0.0 { apart / size } else { axes[2] };
                // Both points as parts of their own bodies.
                out.push(linear(u, fa.position - at(0), fb.position - at(1), size - length));
            }
        }
    }

    /// The row of the free coordinate of a revolute or prismatic joint, with its value in place of an error.
    pub(crate) fn coordinate(&self, states: &[BodyState]) -> Option<Row> {
        let [fa, fb] = self.frames(states);
        let z = fb.direction(Vec3::z());
        match self.kind {
            JointKind::Revolute => Some(angular(z, angle_between(&fa, &fb))),
            JointKind::Prismatic => {
                let (ra, rb) = (
                    fa.position - states[self.a].pose.position,
                    fa.position - states[self.b].pose.position,
                );
                Some(linear(z, ra, rb, z.dot(&(fa.position - fb.position))))
            }
            _ => None,
        }
    }
}

/// By how much the frame in a is turned about z from that in b \[rad\].
pub(crate) fn angle_between(a: &Pose, b: &Pose) -> f64 {
    let q = (b.rotation.inverse() * a.rotation).into_inner();
    2.0 * half_turn(libm::atan2(q.k, q.w))
}

/// Half an angle brought between −π/2 and π/2, so that the angle lies between −π and π.
fn half_turn(half: f64) -> f64 {
    use std::f64::consts::{FRAC_PI_2, PI};
    if half > FRAC_PI_2 {
        half - PI
    } else if half < -FRAC_PI_2 {
        half + PI
    } else {
        half
    }
}

/// The error of a row about x or y is the tilt of a's z axis alone, whatever the turn about z.
fn tilt(axis: Vec3, fa: &Pose, fb: &Pose) -> Row {
    let tilted = fb.direction(Vec3::z()).cross(&fa.direction(Vec3::z()));
    angular(axis, axis.dot(&tilted))
}

fn linear(t: Vec3, arm_a: Vec3, arm_b: Vec3, error: f64) -> Row {
    let (ma, mb) = (arm_a.cross(&t), arm_b.cross(&t));
    Row {
        a: [t.x, t.y, t.z, ma.x, ma.y, ma.z],
        b: [t.x, t.y, t.z, mb.x, mb.y, mb.z].map(|x| -x),
        error,
    }
}

fn angular(t: Vec3, error: f64) -> Row {
    Row {
        a: [0.0, 0.0, 0.0, t.x, t.y, t.z],
        b: [0.0, 0.0, 0.0, -t.x, -t.y, -t.z],
        error,
    }
}
