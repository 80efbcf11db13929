//! Compound joints: turns and slides one after the other between two bodies, as if massless bodies lay in between.
//!
//! The frame in body a lies in that of body b as T(q) = A₁(q₁) A₂(q₂) …: Aᵢ turns about an axis through an anchor, or slides along an axis, both fixed in the frame that the motions before
//! it carry. A universal joint has two turns, a gimbal three, the root of a planar walker two slides and a turn.
//!
//! With wᵢ the axes of the turns in the world, cᵢ their anchors, dⱼ the directions of the slides and p a point of a, the relative motion is
//! ω = Σ wᵢ q̇ᵢ and v_p = Σ wᵢ × (p − cᵢ) q̇ᵢ + Σ dⱼ q̇ⱼ. With Pᵢ and Dⱼ the vectors dual to wᵢ and dⱼ in their spans, q̇ᵢ = Pᵢ·ω, and along t
//!
//! t·v_p − Σ (t·(wᵢ × (p − cᵢ))) Pᵢ·ω = Σ t·dⱼ q̇ⱼ:
//!
//! the row of q̇ⱼ for t = Dⱼ, and a firm row for t across all dⱼ. The other firm rows are turns about what is across all wᵢ.

use std::f64::consts::TAU;

use crate::error::SimError;
use crate::joint::{Joint, Row};
use crate::state::BodyState;
use crate::transmission::Freedom;
use crate::{Pose, Quat, Vec3, integrate};

/// Determinant of the axes of three turns below which they count as dependent: a gimbal locks.
const LOCKED: f64 = 1e-9;
/// Axes whose length is off by more than this are none.
const UNIT: f64 = 1e-6;
/// Sine of the angle of two axes below which they are parallel.
const PARALLEL: f64 = 1e-3;

/// One motion of a compound joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    /// Whether it turns or slides.
    pub freedom: Freedom,
    /// Unit axis, in the frame that the motions before it carry.
    pub axis: Vec3,
    /// A point of the axis of a turn \[m\].
    pub anchor: Vec3,
    /// Coordinate where it moves nothing \[rad or m\].
    pub zero: f64,
    /// The angle is known up to whole turns: it is taken within half a turn of this coordinate \[rad\].
    pub middle: f64,
}

impl Axis {
    /// A frame with the axis along z, at the anchor of a turn.
    pub(crate) fn frame(&self) -> Pose {
        // Half the turn that takes z there; half a turn about x where it is opposite.
        let half = nalgebra::Quaternion::new(1.0 + self.axis.z, -self.axis.y, self.axis.x, 0.0);
        let turn = if half.norm() > UNIT {
            half
        } else {
            nalgebra::Quaternion::new(0.0, 1.0, 0.0, 0.0)
        };
        Pose {
            position: self.anchor,
            rotation: Quat::new_normalize(turn),
        }
    }

    fn motion(&self, q: f64) -> Pose {
        let by = q - self.zero;
        match self.freedom {
            Freedom::Slide => Pose {
                position: self.axis * by,
                rotation: Quat::identity(),
            },
            Freedom::Turn => {
                let rotation = about(self.axis, by);
                Pose {
                    position: self.anchor - rotation * self.anchor,
                    rotation,
                }
            }
        }
    }

    /// A coordinate from a turn that is known up to whole ones.
    fn coordinate(&self, angle: f64) -> f64 {
        let q = self.zero + angle;
        q - TAU * ((q - self.middle) / TAU).round()
    }
}

/// The rotation about a unit axis by any angle \[rad\].
fn about(axis: Vec3, angle: f64) -> Quat {
    let v = axis * libm::sin(0.5 * angle);
    Quat::new_normalize(nalgebra::Quaternion::new(libm::cos(0.5 * angle), v.x, v.y, v.z))
}

/// The turn about a unit axis that takes one vector into the plane of the axis and another.
fn angle_about(axis: &Vec3, from: &Vec3, to: &Vec3) -> f64 {
    let across = |v: &Vec3| v - axis * axis.dot(v);
    let (from, to) = (across(from), across(to));
    libm::atan2(axis.dot(&from.cross(&to)), from.dot(&to))
}

/// Motions one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Compound {
    /// At least one; at most three turns, no two neighbours of them parallel, and three slides.
    pub axes: Vec<Axis>,
}

/// One coordinate of a compound joint: its limits, friction and motor.
#[derive(Debug, Clone, PartialEq)]
pub struct Along {
    /// The motions, as those of the joint that holds the two bodies together.
    pub compound: Compound,
    /// Which of them.
    pub index: usize,
}

/// Coordinates of a compound joint, at most.
pub(crate) const MOST: usize = 6;

/// Some vectors in the world, at most three.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Few {
    list: [Vec3; 3],
    count: usize,
}

impl Few {
    pub(crate) fn push(&mut self, v: Vec3) {
        if self.count < 3 {
            self.list[self.count] = v;
            self.count += 1;
        }
    }

    pub(crate) fn all(&self) -> &[Vec3] {
        &self.list[..self.count]
    }

    /// Vectors of their span whose product with each is one for its own and zero for the others.
    pub(crate) fn dual(&self) -> Self {
        let [a, b, c] = self.list;
        let list = match self.count {
            0 => [Vec3::zeros(); 3],
            1 => [a / a.norm_squared(), b, c],
            2 => {
                let (aa, ab, bb) = (a.norm_squared(), a.dot(&b), b.norm_squared());
                let det = aa * bb - ab * ab;
                [(a * bb - b * ab) / det, (b * aa - a * ab) / det, c]
            }
            _ => {
                let volume = a.dot(&b.cross(&c));
                // A gimbal that locks must not divide by nothing.
                let inverse = volume / (volume * volume + LOCKED * LOCKED);
                [b.cross(&c), c.cross(&a), a.cross(&b)].map(|v| v * inverse)
            }
        };
        Self {
            list,
            count: self.count,
        }
    }

    /// Unit vectors across all of them.
    fn across(&self) -> Self {
        let mut out = Self::default();
        let [a, b, _] = self.list;
        match self.count {
            0 => [Vec3::x(), Vec3::y(), Vec3::z()].map(|v| out.push(v)).len(),
            1 => {
                // The axis that is farthest from it.
                let least = a.iter().map(|x| x.abs()).enumerate().min_by(|x, y| x.1.total_cmp(&y.1));
                let mut other = Vec3::zeros();
                other[least.map_or(0, |(k, _)| k)] = 1.0;
                let first = a.cross(&other).normalize();
                out.push(first);
                out.push(a.cross(&first).normalize());
                2
            }
            2 => {
                out.push(a.cross(&b).normalize());
                1
            }
            _ => 0,
        };
        out
    }
}

/// A compound joint as its bodies stand.
struct Stand {
    /// Coordinates.
    q: [f64; MOST],
    /// In the axes of the frame in b: axes of turns and their anchors, directions of slides.
    turns: Few,
    anchors: Few,
    slides: Few,
    /// The point of a at which rows act, from the origin of the frame in b.
    point: Vec3,
    /// How far that point and the rotation are from what the coordinates say.
    shift: Vec3,
    turn: Vec3,
}

impl Compound {
    /// Checks that its coordinates can be found; `field` names it in messages.
    ///
    /// # Errors
    /// Coordinates that cannot be found.
    pub fn check(&self, field: &str) -> Result<(), SimError> {
        let fail =
            |name: String, requirement: &str, x: f64| Err(SimError::value(format!("{field}.{name}"), requirement, x));
        for freedom in [Freedom::Turn, Freedom::Slide] {
            let count = self.count_before(self.axes.len(), freedom);
            if count > 3 || self.axes.is_empty() {
                return fail(
                    "axes".to_owned(),
                    "must be three turns and three slides at most",
                    count as f64,
                );
            }
        }
        let mut before: Option<Vec3> = None;
        for (k, axis) in self.axes.iter().enumerate() {
            let numbers = axis.axis.iter().chain(axis.anchor.iter());
            if let Some(x) = numbers.chain([&axis.zero, &axis.middle]).find(|x| !x.is_finite()) {
                return fail(format!("axes[{k}]"), "must be finite", *x);
            }
            let length = axis.axis.norm();
            if (length - 1.0).abs() > UNIT {
                return fail(format!("axes[{k}].axis"), "must have length 1", length);
            }
            if axis.freedom == Freedom::Turn {
                let sine = before.map_or(1.0, |before| before.cross(&axis.axis).norm());
                if sine < PARALLEL {
                    let requirement = "must not be parallel to that of the turn before it: sine of their angle";
                    return fail(format!("axes[{k}].axis"), requirement, sine);
                }
                before = Some(axis.axis);
            }
        }
        Ok(())
    }

    /// Motions of one kind before a number.
    fn count_before(&self, index: usize, freedom: Freedom) -> usize {
        self.axes[..index].iter().filter(|axis| axis.freedom == freedom).count()
    }

    /// The frame in a as seen from that in b.
    pub(crate) fn pose(&self, q: &[f64]) -> Pose {
        let motions = self.axes.iter().zip(q);
        motions.fold(Pose::identity(), |pose, (axis, q)| pose.then(&axis.motion(*q)))
    }

    /// Coordinates of a relative pose, as near as there are.
    pub(crate) fn coordinates(&self, pose: &Pose) -> Vec<f64> {
        let mut q = vec![0.0; self.axes.len()];
        self.set_coordinates(pose, &mut q);
        q
    }

    /// The same, where there is room for them.
    pub(crate) fn set_coordinates(&self, pose: &Pose, q: &mut [f64]) {
        for (q, axis) in q.iter_mut().zip(&self.axes) {
            *q = axis.zero;
        }
        self.set_turns(&pose.rotation, q);
        self.set_slides(pose, q);
    }

    /// The angles of up to three turns: what each leaves to the next is a turn about a known axis.
    fn set_turns(&self, rotation: &Quat, q: &mut [f64]) {
        let mut turns = [0; 3];
        let mut count = 0;
        for (k, axis) in self.axes.iter().enumerate() {
            if axis.freedom == Freedom::Turn && count < 3 {
                turns[count] = k;
                count += 1;
            }
        }
        let axis = |n: usize| self.axes[turns[n]].axis;
        let inverse = rotation.inverse();
        let mut angles = [0.0; 3];
        match count {
            1 => {
                let (e, r) = (axis(0), rotation.into_inner());
                angles[0] = 2.0 * libm::atan2(Vec3::new(r.i, r.j, r.k).dot(&e), r.w);
            }
            2 => {
                let (e1, e2) = (axis(0), axis(1));
                angles[0] = angle_about(&e1, &e2, &(rotation * e2));
                angles[1] = -angle_about(&e2, &e1, &(inverse * e1));
            }
            3 => {
                // e₁·R e₃ = e₁·(e₂(e₂·e₃)) + A cos θ₂ + B sin θ₂, of which there are two solutions: that nearer to the middle is meant.
                let (e1, e2, e3) = (axis(0), axis(1), axis(2));
                let fixed = e1.dot(&e2) * e2.dot(&e3);
                let (cosine, sine) = (e1.dot(&e3) - fixed, e1.dot(&e2.cross(&e3)));
                let (size, phase) = (libm::hypot(cosine, sine), libm::atan2(sine, cosine));
                let share = ((e1.dot(&(rotation * e3)) - fixed) / size).clamp(-1.0, 1.0);
                let half = libm::acos(share);
                let second = &self.axes[turns[1]];
                let from_phase = second.middle - second.zero - phase;
                let nearest = from_phase - TAU * (from_phase / TAU).round();
                angles[1] = phase + if nearest < 0.0 { -half } else { half };
                let carried = about(e2, angles[1]);
                angles[0] = angle_about(&e1, &(carried * e3), &(rotation * e3));
                angles[2] = -angle_about(&e3, &(carried.inverse() * e1), &(inverse * e1));
            }
            _ => {}
        }
        for (k, angle) in turns[..count].iter().zip(angles) {
            q[*k] = self.axes[*k].coordinate(angle);
        }
    }

    /// Ways of slides, once the angles are known: the least squares of what is left of the position.
    fn set_slides(&self, pose: &Pose, q: &mut [f64]) {
        let (mut at, mut slides) = (Pose::identity(), Few::default());
        for (axis, q) in self.axes.iter().zip(q.iter()) {
            match axis.freedom {
                Freedom::Slide => slides.push(at.direction(axis.axis)),
                Freedom::Turn => at = at.then(&axis.motion(*q)),
            }
        }
        let left = pose.position - at.position;
        let dual = slides.dual();
        let own = self
            .axes
            .iter()
            .zip(q)
            .filter(|(axis, _)| axis.freedom == Freedom::Slide);
        for ((axis, q), dual) in own.zip(dual.all()) {
            *q = axis.zero + dual.dot(&left);
        }
    }

    /// Axes of turns and their anchors, and directions of slides, at coordinates, in the frame of b.
    fn columns(&self, q: &[f64]) -> [Few; 3] {
        let (mut at, mut out) = (Pose::identity(), [Few::default(); 3]);
        for (axis, q) in self.axes.iter().zip(q) {
            match axis.freedom {
                Freedom::Slide => out[2].push(at.direction(axis.axis)),
                Freedom::Turn => {
                    out[0].push(at.direction(axis.axis));
                    out[1].push(at.point(axis.anchor));
                }
            }
            at = at.then(&axis.motion(*q));
        }
        out
    }

    /// Axes and anchors in the world, in the order of the motions, at a relative pose.
    pub(crate) fn world_columns(&self, inner: &Pose, b: &Pose) -> Vec<(Freedom, Vec3, Vec3)> {
        let q = self.coordinates(inner);
        let mut at = *b;
        let mut out = Vec::with_capacity(q.len());
        for (axis, q) in self.axes.iter().zip(q) {
            out.push((axis.freedom, at.direction(axis.axis), at.point(axis.anchor)));
            at = at.then(&axis.motion(q));
        }
        out
    }

    /// Velocity of the origin of the frame in a and spin relative to b, in the axes of the frame in b, by coordinates and rates.
    pub(crate) fn motion(&self, q: &[f64], rates: &[f64]) -> (Vec3, Vec3) {
        let [turns, anchors, slides] = self.columns(q);
        let origin = self.pose(q).position;
        let (mut velocity, mut spin, mut n) = (Vec3::zeros(), Vec3::zeros(), [0; 2]);
        for (axis, rate) in self.axes.iter().zip(rates) {
            match axis.freedom {
                Freedom::Turn => {
                    let w = turns.list[n[0]] * *rate;
                    velocity += w.cross(&(origin - anchors.list[n[0]]));
                    spin += w;
                    n[0] += 1;
                }
                Freedom::Slide => {
                    velocity += slides.list[n[1]] * *rate;
                    n[1] += 1;
                }
            }
        }
        (velocity, spin)
    }

    /// As its bodies stand.
    fn stand(&self, frames: &[Pose; 2]) -> Stand {
        let [a, b] = frames;
        let pose = Pose {
            position: b.point_in_body(a.position),
            rotation: b.rotation.inverse() * a.rotation,
        };
        let mut q = [0.0; MOST];
        self.set_coordinates(&pose, &mut q[..self.axes.len()]);
        let [turns, anchors, slides] = self.columns(&q);
        let said = self.pose(&q);
        // The anchor of the last turn is fixed in a, or slides in it.
        let last = self.axes.iter().rev().find(|axis| axis.freedom == Freedom::Turn);
        let inner = last.map_or(Vec3::zeros(), |axis| axis.anchor);
        let point = pose.point(inner);
        Stand {
            q,
            turns,
            anchors,
            slides,
            point,
            shift: point - said.point(inner),
            turn: integrate::rotation_vector(pose.rotation * said.rotation.inverse()),
        }
    }

    /// Rows that must hold.
    pub(crate) fn rows(&self, joint: &Joint, states: &[BodyState], out: &mut Vec<Row>) {
        let frames = joint.frames(states);
        let stand = self.stand(&frames);
        let duals = stand.turns.dual();
        for t in stand.slides.across().all() {
            out.push(stand.linear(joint, states, (&frames[1], &duals), t));
        }
        for t in stand.turns.across().all() {
            out.push(angular(&frames[1], t, t.dot(&stand.turn)));
        }
    }
}

impl Along {
    /// The row of the coordinate, with its value in place of an error.
    pub(crate) fn row(&self, joint: &Joint, states: &[BodyState]) -> Row {
        let frames = joint.frames(states);
        let stand = self.compound.stand(&frames);
        let value = stand.q[self.index];
        let duals = stand.turns.dual();
        let freedom = self.freedom();
        let n = self.compound.count_before(self.index, freedom);
        match freedom {
            Freedom::Turn => angular(&frames[1], &duals.list[n], value),
            Freedom::Slide => Row {
                error: value,
                ..stand.linear(joint, states, (&frames[1], &duals), &stand.slides.dual().list[n])
            },
        }
    }

    /// Whether it turns or slides.
    pub(crate) fn freedom(&self) -> Freedom {
        self.compound.axes[self.index].freedom
    }
}

impl Stand {
    /// The row t·v_p − Σ (t·(wᵢ × (p − cᵢ))) Pᵢ·ω.
    fn linear(&self, joint: &Joint, states: &[BodyState], (b, duals): (&Pose, &Few), t: &Vec3) -> Row {
        let mut turned = Vec3::zeros();
        for ((w, c), dual) in self.turns.all().iter().zip(self.anchors.all()).zip(duals.all()) {
            turned -= dual * t.dot(&w.cross(&(self.point - c)));
        }
        let error = t.dot(&self.shift) + turned.dot(&self.turn);
        let (t, turned, point) = (b.direction(*t), b.direction(turned), b.point(self.point));
        let [ma, mb] = [joint.a, joint.b].map(|body| (point - states[body].pose.position).cross(&t) + turned);
        Row::on_pair(
            [t.x, t.y, t.z, ma.x, ma.y, ma.z],
            [t.x, t.y, t.z, mb.x, mb.y, mb.z].map(|x| -x),
            error,
        )
    }
}

fn angular(b: &Pose, t: &Vec3, error: f64) -> Row {
    let t = b.direction(*t);
    Row::on_pair([0.0, 0.0, 0.0, t.x, t.y, t.z], [0.0, 0.0, 0.0, -t.x, -t.y, -t.z], error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(freedom: Freedom, axis: [f64; 3], anchor: [f64; 3]) -> Axis {
        Axis {
            freedom,
            axis: Vec3::from(axis).normalize(),
            anchor: Vec3::from(anchor),
            zero: 0.0,
            middle: 0.0,
        }
    }

    #[test]
    fn coordinates_come_back_from_poses() {
        let turn = |v, p| axis(Freedom::Turn, v, p);
        let slide = |v| axis(Freedom::Slide, v, [0.0; 3]);
        let (x, y, z) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        let joints = [
            vec![turn(z, [0.0, 0.0, 0.065]), turn(y, [0.0, 0.0, 0.065])],
            vec![turn(x, [0.0; 3]), turn(z, [0.1, 0.2, 0.3]), turn(y, [0.0, -0.1, 0.0])],
            vec![turn([2.0, 1.0, 1.0], [0.0; 3]), turn([0.0, -1.0, 1.0], [0.1, 0.0, 0.0])],
            vec![
                turn([1.0, 0.2, 0.0], [0.0; 3]),
                turn([0.1, 0.3, 1.0], [0.0; 3]),
                turn([0.0, 1.0, 0.4], [0.0; 3]),
            ],
            vec![slide(x), slide(z), turn(y, [0.0, 0.0, 1.25])],
            vec![turn(y, [0.0, 0.5, 0.0]), slide(x), turn(z, [0.3, 0.0, 0.0]), slide(z)],
        ];
        for axes in joints {
            let compound = Compound { axes };
            for q in [[0.3, -0.7, 0.9, 0.2], [-1.2, 0.4, -2.5, 1.0], [2.9, -1.1, 0.1, -0.3]] {
                let q = &q[..compound.axes.len()];
                let found = compound.coordinates(&compound.pose(q));
                for (x, y) in q.iter().zip(&found) {
                    assert!((x - y).abs() < 1e-13, "{compound:?}: {q:?} {found:?}");
                }
            }
        }
    }

    #[test]
    fn angles_are_taken_about_their_middle() {
        let mut own = axis(Freedom::Turn, [0.0, 0.0, 1.0], [0.0; 3]);
        (own.zero, own.middle) = (1.0, 4.0);
        let compound = Compound { axes: vec![own] };
        for q in [1.0, 3.0, 6.9] {
            assert!((compound.coordinates(&compound.pose(&[q]))[0] - q).abs() < 1e-13);
        }
    }
}
