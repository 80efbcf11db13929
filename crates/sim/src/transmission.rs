//! Gears, which couple two coordinates, and ropes over points of bodies.
//!
//! A gear is one row: that of its first coordinate less the ratio times that of its second, over up to four bodies. Turns are not counted: an angle is known up to
//! whole turns, and how far a gear is off up to one tooth. So the ratio of two angles is one of whole numbers, as that of teeth is.
//!
//! A rope is a coordinate with a largest value: the length of the path over its points, which must not exceed the rope's. It has no mass. At a bollard it has friction.
//!
//! Let T₁ and T₂ be the tensions before and behind a bollard that the rope turns about by φ with a coefficient of friction f. It holds while neither is more than e^(fφ) times the
//! other (Eytelwein). With N = (T₁ + T₂)/2 and F = (T₁ − T₂)/2 that is |F| ≤ tanh(fφ/2) N, and their work on the lengths l₁ and l₂ of both parts is −N (l̇₁ + l̇₂) − F (l̇₁ − l̇₂). So
//! a taut rope about a bollard is a contact under Coulomb's law: its normal row is that of −(l₁ + l₂), its tangential row that of −(l₁ − l₂), and tanh(fφ/2) its coefficient.

use std::f64::consts::{PI, TAU};
use std::ops::RangeInclusive;

use crate::error::SimError;
use crate::joint::{Joint, JointKind, MAX_ROW_BODIES, Row, slide_coordinate, turn_coordinate};
use crate::state::BodyState;
use crate::tendon::Tendon;
use crate::{Pose, Vec3};

/// Teeth of a gear, at most: the denominator of the ratio of two angles.
const MOST_TEETH: u32 = 1000;
/// A ratio is one of whole numbers where it is within this share of it.
const WHOLE: f64 = 1e-9;
/// Limits keep an angle within half a turn if they are at least this far from it \[rad\]: a joint passes its limit a little.
const TURN_MARGIN: f64 = 0.01;

/// The kind of a coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freedom {
    /// The angle about z, as of a revolute joint \[rad\].
    Turn,
    /// The distance along z, as of a prismatic joint \[m\].
    Slide,
}

impl Freedom {
    /// That of a joint; none where it is neither revolute nor prismatic.
    #[must_use]
    pub fn of(kind: &JointKind) -> Option<Self> {
        match kind {
            JointKind::Revolute => Some(Self::Turn),
            JointKind::Prismatic => Some(Self::Slide),
            _ => None,
        }
    }

    fn row(self, [a, b]: [&Pose; 2], [frame_a, frame_b]: [&Pose; 2]) -> Row {
        let frames = [a.then(frame_a), b.then(frame_b)];
        match self {
            Self::Turn => turn_coordinate(&frames),
            Self::Slide => slide_coordinate(&frames, [a, b]),
        }
    }
}

/// The first coordinate of a gear, that of the frames of its joint, is the ratio times the second plus the offset.
#[derive(Debug, Clone, PartialEq)]
pub struct Gear {
    /// What the two coordinates are.
    pub freedoms: [Freedom; 2],
    /// First body of the second coordinate.
    pub a: usize,
    /// Second body of the second coordinate.
    pub b: usize,
    /// Frame in the first body, from its centre of mass.
    pub frame_a: Pose,
    /// Frame in the second body, from its centre of mass.
    pub frame_b: Pose,
    /// First coordinate per second \[1, m/rad or rad/m\].
    pub ratio: f64,
    /// First coordinate where the second is 0 \[rad or m\].
    pub offset: f64,
    /// Whether limits keep all its angles within half a turn either way: turns need not be counted, and the ratio may be any number.
    pub within_turn: bool,
}

/// The nearest number with a small denominator, and that denominator; none where there is none near enough.
fn fraction(x: f64) -> Option<(f64, u32)> {
    (1..=MOST_TEETH).find_map(|q| {
        let p = (x * f64::from(q)).round();
        let nearest = p / f64::from(q);
        (p != 0.0 && (x - nearest).abs() <= WHOLE * x.abs()).then_some((nearest, q))
    })
}

/// Whether a number can be the ratio of two angles whose turns are not counted.
#[must_use]
pub fn is_ratio_of_teeth(x: f64) -> bool {
    fraction(x).is_some()
}

/// Whether limits keep a coordinate where it is known: all but angles are.
#[must_use]
pub fn is_within_turn(freedom: Freedom, limits: Option<[f64; 2]>) -> bool {
    let most = PI - TURN_MARGIN;
    freedom == Freedom::Slide || limits.is_some_and(|[low, high]| low >= -most && high <= most)
}

impl Gear {
    /// What the first coordinate less the ratio times the second is known up to; none where it is known.
    fn period(&self) -> Option<f64> {
        if self.within_turn {
            return None;
        }
        match self.freedoms {
            [Freedom::Turn, Freedom::Turn] => {
                let (_, teeth) = fraction(self.ratio)?;
                Some(TAU / f64::from(teeth))
            }
            [Freedom::Turn, Freedom::Slide] => Some(TAU),
            [Freedom::Slide, Freedom::Turn] => Some(TAU * self.ratio.abs()),
            [Freedom::Slide, Freedom::Slide] => None,
        }
    }

    /// The row of the gear of a joint.
    pub(crate) fn row(&self, joint: &Joint, states: &[BodyState]) -> Row {
        let pose = |body: usize| &states[body].pose;
        let [first, second] = self.freedoms;
        let first = first.row([pose(joint.a), pose(joint.b)], [&joint.frame_a, &joint.frame_b]);
        let second = second.row([pose(self.a), pose(self.b)], [&self.frame_a, &self.frame_b]);
        let mut row = Row {
            error: first.error - self.ratio * second.error - self.offset,
            ..Row::default()
        };
        if let Some(period) = self.period() {
            row.error -= period * (row.error / period).round();
        }
        let mut bodies = joint.bodies();
        for (coordinate, weight, pair) in [
            (&first, 1.0, [joint.a, joint.b]),
            (&second, -self.ratio, [self.a, self.b]),
        ] {
            for (body, part) in pair.into_iter().zip(&coordinate.parts) {
                if let Some(place) = bodies.place(body) {
                    for (sum, x) in row.parts[place].iter_mut().zip(part) {
                        *sum += weight * x;
                    }
                }
            }
        }
        row
    }
}

/// A point that a rope passes over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RopePoint {
    /// Body that it is fixed in.
    pub body: usize,
    /// Its place in the body, from the centre of mass \[m\].
    pub position: Vec3,
    /// Coefficient of friction of the rope there. 0: none.
    pub friction: f64,
    /// Turns about it, beside the angle by which the path bends there.
    pub turns: f64,
}

impl RopePoint {
    /// A point without friction.
    #[must_use]
    pub fn new(body: usize, position: Vec3) -> Self {
        Self {
            body,
            position,
            friction: 0.0,
            turns: 0.0,
        }
    }

    /// The same with friction, and turns about it, as of a rope about a bollard.
    #[must_use]
    pub fn with_friction(self, friction: f64, turns: f64) -> Self {
        Self {
            friction,
            turns,
            ..self
        }
    }
}

/// A rope from the origin of the one frame of its joint to that of the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Rope {
    /// Largest length \[m\].
    pub length: f64,
    /// Points that it passes over, from a to b.
    pub over: Vec<RopePoint>,
}

impl Rope {
    /// All points of the rope of a joint, from the end in a to that in b.
    pub fn points(&self, joint: &Joint) -> impl Iterator<Item = RopePoint> {
        let end = |body: usize, frame: &Pose| RopePoint::new(body, frame.position);
        let ends = [end(joint.a, &joint.frame_a), end(joint.b, &joint.frame_b)];
        [ends[0]].into_iter().chain(self.over.iter().copied()).chain([ends[1]])
    }

    /// Numbers of the first and the last of its points that have friction; none where it has none.
    fn bollard(&self) -> Option<[usize; 2]> {
        let has_friction = |point: &RopePoint| point.friction > 0.0;
        let first = self.over.iter().position(has_friction)?;
        let last = self.over.iter().rposition(has_friction)?;
        // The first of all points is an end.
        Some([first + 1, last + 1])
    }

    /// The length of the path and how it changes.
    pub(crate) fn row(&self, joint: &Joint, states: &[BodyState]) -> Row {
        self.part(joint, states, 0..=self.over.len())
    }

    /// The length of some legs of the path, by number, and how it changes.
    fn part(&self, joint: &Joint, states: &[BodyState], legs: RangeInclusive<usize>) -> Row {
        let place = |point: &RopePoint| states[point.body].pose.point(point.position);
        let mut bodies = joint.bodies();
        let mut row = Row::default();
        let mut pull = |point: &RopePoint, along: Vec3| {
            let moment = (place(point) - states[point.body].pose.position).cross(&along);
            let part = [along.x, along.y, along.z, moment.x, moment.y, moment.z];
            if let Some(k) = bodies.place(point.body) {
                for (sum, x) in row.parts[k].iter_mut().zip(part) {
                    *sum += x;
                }
            }
        };
        let mut length = 0.0;
        let ends = self.points(joint).zip(self.points(joint).skip(1)).enumerate();
        for (_, (before, after)) in ends.filter(|(leg, _)| legs.contains(leg)) {
            let leg = place(&after) - place(&before);
            let size = leg.norm();
            if size > 0.0 {
                pull(&after, leg / size);
                pull(&before, -leg / size);
            }
            length += size;
        }
        Row { error: length, ..row }
    }

    /// The sum of friction times angle over all points: e to this is the largest ratio of the tensions of both parts.
    fn grip(&self, joint: &Joint, states: &[BodyState]) -> f64 {
        let place = |point: RopePoint| states[point.body].pose.point(point.position);
        let points = || self.points(joint);
        let bends = points().zip(points().skip(1)).zip(points().skip(2));
        let of = |((before, at), after): ((RopePoint, RopePoint), RopePoint)| {
            if at.friction == 0.0 {
                return 0.0;
            }
            let (incoming, outgoing) = (place(at) - place(before), place(after) - place(at));
            let bend = libm::atan2(incoming.cross(&outgoing).norm(), incoming.dot(&outgoing));
            at.friction * (bend + TAU * at.turns)
        };
        bends.map(of).sum()
    }

    /// How the rope rubs about its bollard; none where it has no friction.
    pub(crate) fn rub(&self, joint: &Joint, states: &[BodyState]) -> Option<Rub> {
        let [first, last] = self.bollard()?;
        let before = self.part(joint, states, 0..=first - 1);
        let behind = self.part(joint, states, last..=self.over.len());
        Some(Rub {
            row: before.plus(-1.0, &behind),
            friction: libm::tanh(0.5 * self.grip(joint, states)),
        })
    }

    /// Checks the points that it passes over, and that its friction is that about one bollard.
    fn check_points(&self, field: &str) -> Result<(), SimError> {
        let fail = |k: usize, name: &str, requirement: &str, x: f64| {
            Err(SimError::value(
                format!("{field}.points[{}]{name}", k + 1),
                requirement,
                x,
            ))
        };
        for (k, point) in self.over.iter().enumerate() {
            if let Some(x) = point.position.iter().find(|x| !x.is_finite()) {
                return fail(k, "", "must be finite", *x);
            }
            for (name, x) in [(".friction", point.friction), (".turns", point.turns)] {
                if !(x.is_finite() && x >= 0.0) {
                    return fail(k, name, "must be finite and not negative", x);
                }
            }
            if point.turns > 0.0 && point.friction == 0.0 {
                return fail(k, ".turns", "must be 0 without friction", point.turns);
            }
        }
        if let Some([first, last]) = self.bollard() {
            let rubs = &self.over[first - 1..last];
            let body = rubs[0].body;
            let another = rubs
                .iter()
                .position(|point| point.body != body || point.friction == 0.0);
            if let Some(k) = another {
                let requirement = "must be friction at one body alone, at points that follow each other";
                return fail(first - 1 + k, ".friction", requirement, rubs[k].friction);
            }
        }
        Ok(())
    }
}

/// How a taut rope rubs about a bollard: the row of the difference of its two parts, and the coefficient of friction along it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rub {
    pub(crate) row: Row,
    pub(crate) friction: f64,
}

impl Joint {
    /// A gear: the coordinate of the first joint, revolute or prismatic, is `ratio` times that of the second \[1, m/rad or rad/m\]. Positive: both go the same way about
    /// their axes. Where both turn, the ratio is one of whole numbers up to 1000, as that of teeth is: turns are not counted.
    ///
    /// ```
    /// use stiction_sim::joint::{Joint, JointKind};
    /// use stiction_sim::Pose;
    /// let axle = |name: &str, wheel: usize| Joint {
    ///     name: name.to_owned(),
    ///     a: wheel,
    ///     b: 0,
    ///     kind: JointKind::Revolute,
    ///     frame_a: Pose::identity(),
    ///     frame_b: Pose::identity(),
    ///     limits: None,
    ///     motor: None,
    ///     friction: 0.0,
    /// };
    /// // The first wheel has 20 teeth and the second 60: it turns three times as fast, and the other way.
    /// let gear = Joint::gear("mesh", [&axle("first", 1), &axle("second", 2)], -60.0 / 20.0)?;
    /// assert!(matches!(gear.kind, JointKind::Gear(_)));
    /// assert!(Joint::gear("mesh", [&axle("first", 1), &axle("second", 2)], std::f64::consts::SQRT_2).is_err());
    /// # Ok::<(), stiction_sim::SimError>(())
    /// ```
    ///
    /// # Errors
    /// A joint that is neither revolute nor prismatic, a ratio that is 0, not finite, or of two angles and not one of whole numbers.
    pub fn gear(name: impl Into<String>, joints: [&Self; 2], ratio: f64) -> Result<Self, SimError> {
        Self::geared(name.into(), joints, (ratio, 0.0), false)
    }

    /// The first joint follows the second: its coordinate is the ratio times that of the second, plus the offset. Where limits keep all angles within half a turn, the
    /// ratio may be any number.
    ///
    /// # Errors
    /// As for [`Self::gear`].
    pub fn mimic(name: String, joints: [&Self; 2], [ratio, offset]: [f64; 2]) -> Result<Self, SimError> {
        let within = |joint: &Self| Freedom::of(&joint.kind).is_some_and(|f| is_within_turn(f, joint.limits));
        Self::geared(name, joints, (ratio, offset), joints.into_iter().all(within))
    }

    fn geared(
        name: String,
        [first, second]: [&Self; 2],
        (ratio, offset): (f64, f64),
        within_turn: bool,
    ) -> Result<Self, SimError> {
        let freedom = |joint: &Self| {
            Freedom::of(&joint.kind).ok_or_else(|| SimError::GearJoint {
                name: name.clone(),
                joint: joint.name.clone(),
            })
        };
        let freedoms = [freedom(first)?, freedom(second)?];
        let (ratio, _) = match freedoms {
            [Freedom::Turn, Freedom::Turn] if !within_turn => fraction(ratio).unwrap_or((ratio, 1)),
            _ => (ratio, 1),
        };
        let joint = Self {
            a: first.a,
            b: first.b,
            frame_a: first.frame_a,
            frame_b: first.frame_b,
            kind: JointKind::Gear(Box::new(Gear {
                freedoms,
                a: second.a,
                b: second.b,
                frame_a: second.frame_a,
                frame_b: second.frame_b,
                ratio,
                offset,
                within_turn,
            })),
            limits: None,
            motor: None,
            friction: 0.0,
            name,
        };
        joint.check_transmission(&format!("gear {}", joint.name))?;
        Ok(joint)
    }

    /// A rope of a length \[m\] from the first point to the last, over those in between, each a body and a place in it from its centre of mass \[m\].
    ///
    /// # Errors
    /// Fewer than two points, a number that is not finite, a length that is not positive, more than four bodies.
    pub fn rope(name: impl Into<String>, points: &[RopePoint], length: f64) -> Result<Self, SimError> {
        let name = name.into();
        let field = format!("rope {name}");
        let [first, over @ .., last] = points else {
            let count = points.len() as f64;
            return Err(SimError::value(
                format!("{field}.points"),
                "must be two at least",
                count,
            ));
        };
        let frame = |point: &RopePoint| Pose {
            position: point.position,
            ..Pose::identity()
        };
        for (k, end) in [(0, first), (points.len() - 1, last)] {
            if end.friction != 0.0 {
                let requirement = "must be 0 at an end of a rope";
                return Err(SimError::value(
                    format!("{field}.points[{k}].friction"),
                    requirement,
                    end.friction,
                ));
            }
        }
        let joint = Self {
            name,
            a: first.body,
            b: last.body,
            kind: JointKind::Rope(Rope {
                length,
                over: over.to_vec(),
            }),
            frame_a: frame(first),
            frame_b: frame(last),
            limits: None,
            motor: None,
            friction: 0.0,
        };
        joint.check_transmission(&field)?;
        Ok(joint)
    }

    /// Checks the terms of a fixed tendon.
    fn check_tendon(&self, tendon: &Tendon, field: &str) -> Result<(), SimError> {
        let fail =
            |name: &str, requirement: &str, x: f64| Err(SimError::value(format!("{field}.{name}"), requirement, x));
        if tendon.terms.is_empty() {
            return fail("terms", "must be one at least", 0.0);
        }
        for (k, (coefficient, term)) in tendon.terms.iter().enumerate() {
            if !coefficient.is_finite() {
                return fail(&format!("terms[{k}].coefficient"), "must be finite", *coefficient);
            }
            if !term.kind.has_coordinate() || matches!(term.kind, JointKind::Tendon(_)) {
                let requirement = "must be a joint with one coordinate, and no tendon";
                return fail(&format!("terms[{k}].joint"), requirement, term.a as f64);
            }
            term.check_transmission(&format!("{field}.terms[{k}]"))?;
        }
        let mut bodies: Vec<usize> = self.mentions().collect();
        bodies.sort_unstable();
        bodies.dedup();
        if bodies.len() > MAX_ROW_BODIES {
            return fail("bodies", "must be two to four", bodies.len() as f64);
        }
        Ok(())
    }

    /// Checks the numbers of a gear or a rope, and that nothing else acts along it; `field` names it in messages.
    ///
    /// # Errors
    /// What does not fit.
    pub fn check_transmission(&self, field: &str) -> Result<(), SimError> {
        let fail =
            |name: &str, requirement: &str, x: f64| Err(SimError::value(format!("{field}.{name}"), requirement, x));
        match &self.kind {
            JointKind::Gear(gear) => {
                if !gear.ratio.is_finite() || gear.ratio == 0.0 {
                    return fail("ratio", "must be finite and not 0", gear.ratio);
                }
                let turns = gear.freedoms == [Freedom::Turn; 2] && !gear.within_turn;
                if turns && !is_ratio_of_teeth(gear.ratio) {
                    let requirement = "must be a ratio of whole numbers up to 1000, as turns are not counted";
                    return fail("ratio", requirement, gear.ratio);
                }
                if !gear.offset.is_finite() {
                    return fail("offset", "must be finite", gear.offset);
                }
            }
            JointKind::Rope(rope) => {
                if !(rope.length.is_finite() && rope.length > 0.0) {
                    return fail("length", "must be finite and positive", rope.length);
                }
                rope.check_points(field)?;
            }
            JointKind::Compound(compound) => compound.check(field)?,
            JointKind::Along(along) => {
                along.compound.check(field)?;
                let count = along.compound.axes.len();
                if along.index >= count {
                    return fail("index", &format!("must be below {count}"), along.index as f64);
                }
                return Ok(());
            }
            JointKind::Tendon(tendon) => return self.check_tendon(tendon, field),
            JointKind::Free => {}
            _ => return Ok(()),
        }
        let mut bodies: Vec<usize> = self.mentions().collect();
        bodies.sort_unstable();
        bodies.dedup();
        if !(2..=MAX_ROW_BODIES).contains(&bodies.len()) {
            return fail("bodies", "must be two to four", bodies.len() as f64);
        }
        if let Some([low, _]) = self.limits {
            return fail("limits", "must be none for a joint without one coordinate", low);
        }
        if let Some(motor) = &self.motor {
            return fail(
                "motor",
                "must be none for a joint without one coordinate: most",
                motor.most,
            );
        }
        if self.friction != 0.0 {
            return fail(
                "friction",
                "must be 0 for a joint without one coordinate",
                self.friction,
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_as_fractions() {
        assert_eq!(fraction(-1.0 / 3.0), Some((-1.0 / 3.0, 3)));
        assert_eq!(fraction(0.333_333_333_3), Some((1.0 / 3.0, 3)));
        assert_eq!(fraction(2.5), Some((2.5, 2)));
        assert_eq!(fraction(17.0 / 999.0).map(|found| found.1), Some(999));
        assert_eq!(fraction(std::f64::consts::SQRT_2), None);
        assert_eq!(fraction(1e-7), None);
    }
}
