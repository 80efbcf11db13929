//! Joints: rows that bodies keep, limits that they do not pass, friction that holds them, motors that drive them.
//!
//! A joint holds a frame fixed in body a and one fixed in body b. Each kind requires that some of the six differences between the two frames
//! stay zero; the others are the joint's coordinates. Rows act on (v_a, ω_a, v_b, ω_b); penetration correction removes the error of a row as it
//! removes overlap. Gears and ropes (`transmission.rs`) and fixed tendons (`tendon.rs`) are joints as well, with rows on up to four bodies. Turns and slides one after the other are a
//! compound (`compound.rs`).

use crate::compound::{Along, Compound};
use crate::error::SimError;
use crate::state::BodyState;
use crate::tendon::Tendon;
use crate::transmission::{Freedom, Gear, Rope, RopePoint, Rub};
use crate::{Pose, Vec3};

/// Bodies that a row acts on, at most.
pub const MAX_ROW_BODIES: usize = 4;

/// An axis with components in the plane below this stands upright on it.
const UPRIGHT: f64 = 1e-12;

/// What a joint leaves free; axes are those of the frame in b.
#[derive(Debug, Clone, PartialEq)]
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
    /// Couples the coordinate of the two frames with that of two others by a ratio.
    Gear(Box<Gear>),
    /// Keeps the way from the one origin to the other, over points of bodies in between, from growing beyond a length: it pulls, and never pushes.
    Rope(Rope),
    /// Turns and slides one after the other. What acts along each is in a joint of the kind [`Along`](Self::Along) beside it.
    Compound(Box<Compound>),
    /// Nothing by itself: one coordinate of a compound joint between the same frames.
    Along(Box<Along>),
    /// Nothing by itself: a sum of coordinates of other joints.
    Tendon(Box<Tendon>),
    /// Nothing is held: the joint names the six coordinates of body a as seen from b.
    Free,
}

impl JointKind {
    /// Whether it has one coordinate, along which forces act.
    #[must_use]
    pub fn has_coordinate(&self) -> bool {
        matches!(
            self,
            Self::Revolute | Self::Prismatic | Self::Along(_) | Self::Tendon(_)
        )
    }

    /// Whether its one coordinate is an angle, which is known up to whole turns.
    pub(crate) fn is_angle(&self) -> bool {
        match self {
            Self::Revolute => true,
            Self::Along(along) => along.freedom() == Freedom::Turn,
            _ => false,
        }
    }

    /// Whether it holds its bodies together.
    pub(crate) fn holds(&self) -> bool {
        !matches!(self, Self::Rope(_) | Self::Along(_) | Self::Tendon(_) | Self::Free)
    }
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

/// One row: its products with the velocities of the joint's bodies, in the order of [`Joint::bodies`], and how far the row is from holding.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Row {
    pub(crate) parts: [[f64; 6]; MAX_ROW_BODIES],
    /// Left of it \[m or rad\].
    pub(crate) error: f64,
}

/// The bodies of a joint, each once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct BodyList {
    list: [usize; MAX_ROW_BODIES],
    count: usize,
}

impl BodyList {
    /// Two bodies.
    pub(crate) fn pair(a: usize, b: usize) -> Self {
        Self {
            list: [a, b, 0, 0],
            count: 2,
        }
    }

    /// The place of a body in the list, at its end where it is new; none where the list is full.
    pub(crate) fn place(&mut self, body: usize) -> Option<usize> {
        let found = self.iter().position(|known| *known == body);
        if found.is_none() && self.count < MAX_ROW_BODIES {
            self.list[self.count] = body;
            self.count += 1;
            return Some(self.count - 1);
        }
        found
    }
}

impl std::ops::Deref for BodyList {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.list[..self.count]
    }
}

impl Joint {
    /// Visits every mention of a body, to change it.
    pub fn each_body(&mut self, mut see: impl FnMut(&mut usize)) {
        see(&mut self.a);
        see(&mut self.b);
        match &mut self.kind {
            JointKind::Gear(gear) => {
                see(&mut gear.a);
                see(&mut gear.b);
            }
            JointKind::Rope(rope) => rope.over.iter_mut().for_each(|point| see(&mut point.body)),
            // The joints of a tendon are themselves none.
            JointKind::Tendon(tendon) => {
                for (_, term) in &mut tendon.terms {
                    see(&mut term.a);
                    see(&mut term.b);
                }
            }
            _ => {}
        }
    }

    /// Bodies as they are mentioned, a and b first.
    pub fn mentions(&self) -> impl Iterator<Item = usize> {
        let gear = match &self.kind {
            JointKind::Gear(gear) => Some([gear.a, gear.b]),
            _ => None,
        };
        let over: &[RopePoint] = match &self.kind {
            JointKind::Rope(rope) => &rope.over,
            _ => &[],
        };
        let terms: &[(f64, Self)] = match &self.kind {
            JointKind::Tendon(tendon) => &tendon.terms,
            _ => &[],
        };
        let ends = [self.a, self.b].into_iter().chain(gear.into_iter().flatten());
        let terms = terms.iter().flat_map(|(_, term)| [term.a, term.b]);
        ends.chain(over.iter().map(|point| point.body)).chain(terms)
    }

    /// Whether it acts on a and b alone.
    pub(crate) fn is_of_pair(&self) -> bool {
        !matches!(
            self.kind,
            JointKind::Gear(_) | JointKind::Rope(_) | JointKind::Tendon(_)
        )
    }

    /// The bodies that it acts on, each once. A world accepts no joint of more bodies than a row can hold.
    pub(crate) fn bodies(&self) -> BodyList {
        if self.is_of_pair() {
            return BodyList::pair(self.a, self.b);
        }
        let mut bodies = BodyList::default();
        for body in self.mentions() {
            bodies.place(body);
        }
        bodies
    }

    /// The parts of a row with their bodies.
    pub(crate) fn parts<'a>(&self, row: &'a Row) -> impl Iterator<Item = (usize, &'a [f64; 6])> {
        let bodies = self.bodies();
        (0..bodies.len())
            .zip(&row.parts)
            .map(move |(k, part)| (bodies[k], part))
    }

    /// Least and largest coordinate; either may be infinite.
    pub(crate) fn bounds(&self) -> Option<[f64; 2]> {
        match &self.kind {
            JointKind::Rope(rope) => Some([f64::NEG_INFINITY, rope.length]),
            _ => self.limits,
        }
    }

    /// Bound of a side, by its sign.
    pub(crate) fn bound(&self, sign: f64) -> f64 {
        let [low, high] = self.bounds().unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        if sign > 0.0 { low } else { high }
    }

    /// Sides of the bounds that are finite: number, sign and bound. The room of a side at a coordinate x is sign · (x − bound).
    pub(crate) fn sides(&self) -> impl Iterator<Item = (u64, f64, f64)> + use<> {
        let [low, high] = self.bounds().unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let sides = [(0, 1.0, low), (1, -1.0, high)].into_iter();
        sides.filter(|(_, _, bound)| bound.is_finite())
    }

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
            let (fits, requirement) = match &self.kind {
                JointKind::Revolute | JointKind::Fixed => (upright(z), "about z"),
                // With its y axis across the plane one of its two rows is idle, and only one.
                JointKind::Prismatic => (upright(y), "a frame with y across the plane"),
                JointKind::Distance { .. } | JointKind::Gear(_) | JointKind::Rope(_) => (true, ""),
                JointKind::Spherical => return refuse("kind", "revolute", "spherical".to_owned()),
                JointKind::Planar => return refuse("kind", "of the plane", "planar".to_owned()),
                JointKind::Compound(_) | JointKind::Along(_) | JointKind::Tendon(_) | JointKind::Free => {
                    return refuse("kind", "of the plane", "a joint of space".to_owned());
                }
            };
            if !fits {
                return refuse(name, requirement, format!("{z:?}"));
            }
        }
        Ok(())
    }

    /// Rows that must hold.
    pub(crate) fn rows(&self, states: &[BodyState], out: &mut Vec<Row>) {
        match &self.kind {
            JointKind::Gear(gear) => return out.push(gear.row(self, states)),
            JointKind::Compound(compound) => return compound.rows(self, states, out),
            kind if !kind.holds() => return,
            _ => {}
        }
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
        match &self.kind {
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
            // A rope is one-sided: see its bounds.
            _ => {}
        }
    }

    /// How a rope rubs about a bollard.
    pub(crate) fn rub(&self, states: &[BodyState]) -> Option<Rub> {
        match &self.kind {
            JointKind::Rope(rope) => rope.rub(self, states),
            _ => None,
        }
    }

    /// The row of the free coordinate of a revolute or prismatic joint, or of the length of a rope, with its value in place of an error.
    pub(crate) fn coordinate(&self, states: &[BodyState]) -> Option<Row> {
        let bodies = [self.a, self.b];
        let frames = || self.frames(states);
        match &self.kind {
            JointKind::Revolute => Some(turn_coordinate(&frames())),
            JointKind::Prismatic => Some(slide_coordinate(&frames(), bodies.map(|body| &states[body].pose))),
            JointKind::Rope(rope) => Some(rope.row(self, states)),
            JointKind::Along(along) => Some(along.row(self, states)),
            JointKind::Tendon(tendon) => Some(tendon.row(self, states)),
            _ => None,
        }
    }
}

/// The angle about z from the second frame to the first.
pub(crate) fn turn_coordinate([fa, fb]: &[Pose; 2]) -> Row {
    let q = (fb.rotation.inverse() * fa.rotation).into_inner();
    angular(fb.direction(Vec3::z()), 2.0 * half_turn(libm::atan2(q.k, q.w)))
}

/// The distance of the origins of two frames of bodies along z of the second.
pub(crate) fn slide_coordinate([fa, fb]: &[Pose; 2], bodies: [&Pose; 2]) -> Row {
    let z = fb.direction(Vec3::z());
    let [ra, rb] = bodies.map(|pose| fa.position - pose.position);
    linear(z, ra, rb, z.dot(&(fa.position - fb.position)))
}

/// Half an angle brought between −π/2 and π/2, so that the angle lies between −π and π.
pub(crate) fn half_turn(half: f64) -> f64 {
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
    Row::on_pair(
        [t.x, t.y, t.z, ma.x, ma.y, ma.z],
        [t.x, t.y, t.z, mb.x, mb.y, mb.z].map(|x| -x),
        error,
    )
}

fn angular(t: Vec3, error: f64) -> Row {
    Row::on_pair([0.0, 0.0, 0.0, t.x, t.y, t.z], [0.0, 0.0, 0.0, -t.x, -t.y, -t.z], error)
}

impl Row {
    /// The sum of a row and a share of another.
    pub(crate) fn plus(&self, share: f64, other: &Self) -> Self {
        let mut sum = *self;
        for (x, y) in sum.parts.iter_mut().flatten().zip(other.parts.iter().flatten()) {
            *x += share * y;
        }
        sum.error += share * other.error;
        sum
    }

    /// A row on the bodies a and b alone.
    pub(crate) fn on_pair(a: [f64; 6], b: [f64; 6], error: f64) -> Self {
        let idle = [0.0; 6];
        Self {
            parts: [a, b, idle, idle],
            error,
        }
    }
}
