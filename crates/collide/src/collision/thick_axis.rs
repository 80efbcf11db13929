//! An axis with a radius: capsules, and cylinders that meet a polytope with their round side.
//!
//! Along the normal of a face the lowest points are a line from end to end, which is clipped to the face.

use super::capsule::Capsule;
use super::clip::contains;
use super::closest;
use super::cylinder::Cylinder;
use super::feature::{Feature, key};
use super::half_space::RIM;
use super::round::perpendicular;
use super::{Pose, Touching, length_tolerance};
use crate::Vec3;
use crate::shape::{Face, Polytope};

/// A cylinder lies on a face, or meets a body with its round side, where the normal's part along its axis is at most this (8°).
pub(super) const SIDEWAYS_COSINE: f64 = 0.14;
/// Across the axis a normal shorter than this has no direction.
const LEAST_ACROSS: f64 = 1e-6;
/// A line that rises by less than this (6°) rests on a face although its lower end hangs beside it.
const LEVEL_RISE: f64 = 0.1;
/// Axes and edges that make an angle with a sine below this meet along a stretch.
const NEARLY_PARALLEL_SINE: f64 = 0.1;

/// An axis with a radius, in the frame of the polytope it meets.
#[derive(Debug, Clone, Copy)]
pub(super) struct ThickAxis {
    /// First end \[m\].
    pub(super) p: Vec3,
    /// To the second end \[m\].
    pub(super) d: Vec3,
    pub(super) radius: f64,
    /// The ends are flat, not round.
    pub(super) flat: bool,
    /// Unit vector along the axis.
    pub(super) axis: Vec3,
}

/// The face that separates most.
#[derive(Debug, Clone, Copy)]
pub(super) struct Best {
    pub(super) face: usize,
    pub(super) stretch: Option<[f64; 2]>,
    /// \[m\]
    pub(super) distance: f64,
    /// The distance of the bodies is that from the face; else the lower end hangs beside it, and an edge is a little nearer.
    pub(super) exact: bool,
}

impl Best {
    const NONE: Self = Self {
        face: 0,
        stretch: None,
        distance: f64::NEG_INFINITY,
        exact: false,
    };
}

/// What is known of the plane across the shortest way between the bodies.
#[derive(Debug, Clone, Copy)]
pub(super) enum Way<'a> {
    /// A face is that plane.
    Face,
    /// From an edge to the axis.
    Axis(Between),
    /// Contacts that were found otherwise, along one normal.
    Found(&'a [Touching]),
}

/// Where an axis comes closest to a polytope.
#[derive(Debug, Clone, Copy)]
pub(super) struct Between {
    /// Distance of the axis \[m\].
    pub(super) distance: f64,
    /// Unit normal towards the axis.
    pub(super) normal: Vec3,
    /// Stretch of the axis that is as close.
    pub(super) stretch: [f64; 2],
    /// Point of the polytope \[m\].
    pub(super) surface: Vec3,
    pub(super) feature: Feature,
}

impl ThickAxis {
    fn new(half: f64, radius: f64, flat: bool, (pose, frame): (&Pose, &Pose)) -> Self {
        let axis = frame.direction_in_body(pose.direction(Vec3::z()));
        Self {
            p: frame.point_in_body(pose.position) - axis * half,
            d: axis * (2.0 * half),
            radius,
            flat,
            axis,
        }
    }

    pub(super) fn capsule(a: &Capsule, frame: &Pose) -> Self {
        Self::new(a.half_length, a.radius, false, (a.pose, frame))
    }

    pub(super) fn cylinder(a: &Cylinder, frame: &Pose) -> Self {
        Self::new(a.half_height, a.radius, true, (a.pose, frame))
    }

    /// The way of a point.
    pub(super) fn path(from: Vec3, way: Vec3) -> Self {
        Self {
            p: from,
            d: way,
            radius: 0.0,
            flat: false,
            axis: Vec3::z(),
        }
    }

    /// Direction from the nearest edge of a polytope to the axis.
    pub(super) fn nearest_normal(&self, body: &Polytope) -> Option<Vec3> {
        self.between(body).map(|between| between.normal)
    }

    /// From the axis to the body's lowest point along a normal.
    pub(super) fn down(&self, normal: &Vec3) -> Vec3 {
        if !self.flat {
            return normal * -self.radius;
        }
        let across = normal - self.axis * normal.dot(&self.axis);
        let length = across.norm();
        if length > LEAST_ACROSS {
            across * (-self.radius / length)
        } else {
            Vec3::zeros()
        }
    }

    /// Heights of the ends over a plane \[m\].
    pub(super) fn heights(&self, normal: &Vec3, offset: f64) -> [f64; 2] {
        let low = self.p + self.down(normal);
        [normal.dot(&low) - offset, normal.dot(&(low + self.d)) - offset]
    }

    /// Distance from a face's plane \[m\].
    pub(super) fn distance(&self, face: &Face) -> f64 {
        let [first, second] = self.heights(&face.normal, face.offset);
        first.min(second)
    }

    /// The stretch of the lowest line with which the body rests on a face, and its distance \[m\]: the lower end is over the face, or hangs
    /// beside it while the line is nearly level.
    fn rests(&self, body: &Polytope, face: &Face, tolerance: f64) -> Option<Best> {
        let [first, second] = self.heights(&face.normal, face.offset);
        let stretch = self.over(body, face, (0.0, tolerance))?;
        let [from, until] = stretch.map(|s| first + (second - first) * s);
        let distance = from.min(until);
        let level = (second - first).abs() <= LEVEL_RISE * self.d.norm();
        let exact = distance <= first.min(second) + tolerance;
        (level || exact).then_some(Best {
            face: 0,
            stretch: Some(stretch),
            distance,
            exact,
        })
    }

    /// Whether a face meets the round side.
    pub(super) fn meets_round(&self, normal: &Vec3) -> bool {
        !self.flat || normal.dot(&self.axis).abs() <= SIDEWAYS_COSINE
    }

    /// The face farthest below the body, the stretch with which it rests on it, if any, and the distance \[m\]; none where some face, or a flat
    /// end, is farther than the margin.
    pub(super) fn best_face(&self, body: &Polytope, margin: f64, open: impl Fn(usize) -> bool) -> Option<Best> {
        let tolerance = length_tolerance(self.radius, body.size);
        let mut best = Best::NONE;
        for (f, face) in body.faces.iter().enumerate() {
            let plane = self.distance(face);
            if plane > margin {
                return None;
            }
            if !open(f) {
                continue;
            }
            if plane < -margin - LEVEL_RISE * self.d.norm() && best.distance > f64::NEG_INFINITY {
                continue;
            }
            let rests = self
                .rests(body, face, tolerance)
                .filter(|_| self.meets_round(&face.normal));
            let found = rests.unwrap_or(Best {
                distance: plane,
                ..Best::NONE
            });
            if found.distance > best.distance {
                best = Best { face: f, ..found };
            }
        }
        let apart = |end: usize| self.flat && self.cap(body, end) > margin;
        (!apart(0) && !apart(1)).then_some(best)
    }

    /// Distance of a polytope from the plane of a flat end \[m\].
    pub(super) fn cap(&self, body: &Polytope, end: usize) -> f64 {
        let (from, outward) = self.end(end);
        let heights = body.vertices.iter().map(|v| outward.dot(&(v - from)));
        heights.fold(f64::INFINITY, f64::min)
    }

    /// Middle of an end, and the direction out of it.
    pub(super) fn end(&self, end: usize) -> (Vec3, Vec3) {
        if end == 0 {
            (self.p, -self.axis)
        } else {
            (self.p + self.d, self.axis)
        }
    }

    /// The part of the lowest line, between 0 and 1, over a face taken this much wider \[m\]; what is beyond by less than the tolerance is over it.
    pub(super) fn over(&self, body: &Polytope, face: &Face, (wider, tolerance): (f64, f64)) -> Option<[f64; 2]> {
        let low = self.p + self.down(&face.normal);
        let (mut from, mut until) = (0.0_f64, 1.0_f64);
        for (side, &corner) in face.sides.iter().zip(&face.corners) {
            let beyond = side.dot(&(low - body.vertices[corner])) - wider;
            let rate = side.dot(&self.d);
            let (first, second) = (beyond > tolerance, beyond + rate > tolerance);
            if first && second {
                return None;
            }
            if second {
                until = until.min((-beyond / rate).max(0.0));
            } else if first {
                from = from.max((-beyond / rate).min(1.0));
            }
        }
        ((from - until) * self.d.norm() <= tolerance).then_some([from, until.max(from)])
    }

    /// Contacts with the face the body rests on, within the margin; whether it rests on one.
    pub(super) fn face_contacts(
        &self,
        b: (&Polytope, &Pose),
        best: &Best,
        margin: f64,
        out: &mut Vec<Touching>,
    ) -> bool {
        if best.stretch.is_some() {
            self.on_face(b, best.face, margin, out);
        }
        best.stretch.is_some()
    }

    /// Contacts of the lowest line where it is over a face, within the margin.
    pub(super) fn on_face(&self, (body, pose): (&Polytope, &Pose), f: usize, margin: f64, out: &mut Vec<Touching>) {
        let (face, tolerance) = (&body.faces[f], length_tolerance(self.radius, body.size));
        if let Some(stretch) = self.over(body, face, (0.0, tolerance)) {
            self.stretch(face, f, pose, stretch, |touching| {
                if touching.gap <= margin {
                    out.push(touching);
                }
            });
        }
    }

    /// Contacts at the ends of a stretch of the lowest line over a face.
    pub(super) fn stretch(
        &self,
        face: &Face,
        number: usize,
        pose: &Pose,
        stretch: [f64; 2],
        mut push: impl FnMut(Touching),
    ) {
        let [first, second] = self.heights(&face.normal, face.offset);
        let low = self.p + self.down(&face.normal);
        let normal = pose.direction(face.normal);
        let one = (stretch[1] - stretch[0]) * self.d.norm() <= length_tolerance(self.radius, self.radius);
        for (end, s) in stretch.into_iter().enumerate().take(if one { 1 } else { 2 }) {
            let gap = first + (second - first) * s;
            push(Touching {
                point: pose.point(low + self.d * s - face.normal * gap),
                normal,
                gap,
                feature: key(Feature::Corner(end), Feature::Face(number)),
            });
        }
    }

    /// The shortest way to a polytope, if it is known: to the face it rests on, or from an edge to the axis where that meets the round side.
    pub(super) fn way(&self, body: &Polytope, best: &Best) -> Option<Way<'static>> {
        if best.stretch.is_some() {
            return Some(Way::Face);
        }
        let between = self.between(body)?;
        (self.meets_round(&between.normal) && !self.stands(body, best)).then_some(Way::Axis(between))
    }

    /// The way to the axis where nothing better is known.
    pub(super) fn any_way(&self, body: &Polytope) -> Option<Way<'static>> {
        self.between(body).map(Way::Axis)
    }

    /// Whether a flat end is over the best face.
    fn stands(&self, body: &Polytope, best: &Best) -> bool {
        let face = &body.faces[best.face];
        if self.meets_round(&face.normal) {
            return false;
        }
        let low = usize::from(face.normal.dot(&self.axis) < 0.0);
        let over = |x: Vec3| contains(body, face, &x, 0.0);
        over(self.end(low).0) || self.rim(low).into_iter().any(over)
    }

    /// Eight points of a rim.
    pub(super) fn rim(&self, end: usize) -> [Vec3; 8] {
        let e = perpendicular(self.axis);
        let f = self.axis.cross(&e);
        RIM.map(|(x, y)| self.end(end).0 + (e * x + f * y) * self.radius)
    }

    /// Where the axis comes closest to an edge of a polytope.
    fn between(&self, body: &Polytope) -> Option<Between> {
        let length = self.d.norm();
        let mut best: Option<Between> = None;
        for edge in &body.edges {
            let from = body.vertices[edge.ends[0]];
            let along = body.vertices[edge.ends[1]] - from;
            let (s, t) = closest::of_segments(self.p, self.d, from, along);
            let away = self.p + self.d * s - from - along * t;
            let distance = away.norm();
            if distance <= 0.0 || best.is_some_and(|b| b.distance <= distance) {
                continue;
            }
            let sine = self.d.cross(&along).norm();
            let inner = |s: f64| (self.p + self.d * s - from).dot(&along) / along.norm_squared();
            let beside = |t: f64| closest::on_segment(from + along * t, self.p, self.d);
            let parallel = sine < NEARLY_PARALLEL_SINE * length * along.norm() && length > 0.0;
            let passes = (inner(0.0) < 0.0 && inner(1.0) < 0.0) || (inner(0.0) > 1.0 && inner(1.0) > 1.0);
            let mut stretch = [s, s];
            if parallel && !passes {
                let (x, y) = (beside(0.0), beside(1.0));
                stretch = [x.min(y), x.max(y)];
            }
            best = Some(Between {
                distance,
                normal: away / distance,
                stretch,
                surface: from + along * t,
                feature: if t > 0.0 && t < 1.0 {
                    Feature::Edge(edge.ends[0], edge.ends[1])
                } else {
                    Feature::Corner(edge.ends[usize::from(t > 0.0)])
                },
            });
        }
        best
    }
}
