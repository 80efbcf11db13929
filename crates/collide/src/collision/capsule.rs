//! Capsule against capsule, cylinder and polytope.

use super::closest::{self, Nearest};
use super::corner::CornerList;
use super::feature::{Feature, key};
use super::round::{apart, perpendicular, same_place, touch};
use super::thick_axis::ThickAxis;
use super::thick_axis_corner::thick_axis_corner;
use super::{Pose, Touching, length_tolerance};
use crate::Vec3;
use crate::shape::Polytope;

/// Capsules whose axes make an angle with a sine below this are kept apart at the ends of their overlap as well as where they cross.
const NEARLY_PARALLEL_SINE: f64 = 0.1;
/// Thirds cut off the axis in the search for the place closest to a cylinder: down to rounding.
const TERNARY_STEPS: usize = 90;

/// A capsule.
#[derive(Debug, Clone, Copy)]
pub(super) struct Capsule<'a> {
    pub(super) half_length: f64,
    pub(super) radius: f64,
    pub(super) pose: &'a Pose,
}

impl Capsule<'_> {
    /// First end and the vector to the second, in the world.
    fn axis(&self) -> (Vec3, Vec3) {
        let half = self.pose.direction(Vec3::z()) * self.half_length;
        (self.pose.position - half, half * 2.0)
    }
}

/// One contact where the axes are closest; of nearly parallel capsules also at the ends of their overlap.
pub(super) fn capsule_capsule(a: Capsule, b: Capsule, margin: f64, out: &mut Vec<Touching>) {
    let ((p, d), (q, e)) = (a.axis(), b.axis());
    let (s, t) = closest::of_segments(p, d, q, e);
    let start = out.len();
    let scale = a.radius + b.radius;
    let tolerance = length_tolerance(a.radius, b.radius);
    let cross = d.cross(&e);
    let sine = cross.norm() / (d.norm() * e.norm()).max(f64::MIN_POSITIVE);
    // Axes that meet are parted at right angles to both.
    let otherwise = if sine > closest::PARALLEL_SEGMENTS_ANGLE {
        cross.normalize()
    } else {
        perpendicular(if d.norm() > 0.0 { d } else { Vec3::x() })
    };
    let mut add = |s: f64, t: f64, feature: u64| {
        let x = p + d * s;
        let (distance, normal) = apart(x, q + e * t, scale, otherwise);
        let touching = touch(x, a.radius, distance - b.radius, normal, feature);
        let near = |o: &Touching| same_place(o, &touching, tolerance);
        if touching.gap <= margin && !out[start..].iter().any(near) {
            out.push(touching);
        }
    };
    let beside = |x: Vec3, p: Vec3, d: Vec3| {
        let s = (x - p).dot(&d) / d.norm_squared();
        let slack = tolerance / d.norm();
        (s >= -slack && s <= 1.0 + slack).then(|| s.clamp(0.0, 1.0))
    };
    let nearly_parallel = sine < NEARLY_PARALLEL_SINE && d.norm() > 0.0 && e.norm() > 0.0;
    if nearly_parallel {
        for (end, at) in [0.0, 1.0].into_iter().enumerate() {
            if let Some(t) = beside(p + d * at, q, e) {
                add(at, t, key(Feature::Corner(end), Feature::Round));
            }
            if let Some(s) = beside(q + e * at, p, d) {
                add(s, at, key(Feature::Round, Feature::Corner(end)));
            }
        }
    }
    // Of exactly parallel axes any pair is closest; one between the ends of the overlap says nothing new.
    let ends = |x: f64| x == 0.0 || x == 1.0;
    if !nearly_parallel || sine > closest::PARALLEL_SEGMENTS_ANGLE || (ends(s) && ends(t)) {
        add(s, t, key(Feature::Round, Feature::Round));
    }
}

/// Both end balls, the places where the axis passes over a rim, and where it comes closest in between: the distance from a cylinder is a convex
/// function along it.
pub(super) fn capsule_cylinder(a: Capsule, b: (f64, f64, &Pose), margin: f64, out: &mut Vec<Touching>) {
    let (half_height, radius, pose) = b;
    let (p, d) = a.axis();
    let (p, d) = (pose.point_in_body(p), pose.direction_in_body(d));
    let at = |s: f64| closest::of_cylinder(half_height, radius, p + d * s);
    let tolerance = length_tolerance(a.radius, radius.min(half_height));
    let start = out.len();
    let least = std::cell::Cell::new(f64::INFINITY);
    let mut add = |s: f64, nearest: Nearest, feature: u64| {
        least.set(least.get().min(nearest.distance));
        let touching = touch(
            pose.point(p + d * s),
            a.radius,
            nearest.distance,
            pose.direction(nearest.normal),
            feature,
        );
        let near = |o: &Touching| same_place(o, &touching, tolerance);
        if touching.gap <= margin && !out[start..].iter().any(near) {
            out.push(touching);
        }
    };
    add(0.0, at(0.0), key(Feature::Corner(0), Feature::Round));
    add(1.0, at(1.0), key(Feature::Corner(1), Feature::Round));
    let inner = |s: f64| s > 0.0 && s < 1.0;
    // |p + s d|² = radius² across the axis: over the rim, seen from a cap.
    let (dd, pd) = (d.x * d.x + d.y * d.y, p.x * d.x + p.y * d.y);
    let discriminant = pd * pd - dd * (p.x * p.x + p.y * p.y - radius * radius);
    if dd > 0.0 && discriminant > 0.0 {
        for (k, root) in [-discriminant.sqrt(), discriminant.sqrt()].into_iter().enumerate() {
            let s = (root - pd) / dd;
            let z = p.z + d.z * s;
            if inner(s) && z.abs() > half_height {
                let nearest = Nearest {
                    distance: z.abs() - half_height,
                    normal: Vec3::z() * z.signum(),
                };
                add(s, nearest, key(Feature::Edge(k, k), Feature::Round));
            }
        }
    }
    // Beside the rim, seen from the round side.
    for (k, z) in [-half_height, half_height].into_iter().enumerate() {
        let s = (z - p.z) / d.z;
        let x = p + d * s;
        let rho = (x.x * x.x + x.y * x.y).sqrt();
        if inner(s) && rho > radius {
            let nearest = Nearest {
                distance: rho - radius,
                normal: Vec3::new(x.x / rho, x.y / rho, 0.0),
            };
            add(s, nearest, key(Feature::Edge(k, 2), Feature::Round));
        }
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..TERNARY_STEPS {
        let (s, t) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if at(s).distance <= at(t).distance {
            high = t;
        } else {
            low = s;
        }
    }
    let lowest = f64::midpoint(low, high);
    if at(lowest).distance < least.get() - tolerance {
        add(lowest, at(lowest), key(Feature::Round, Feature::Round));
    }
}

/// Both end balls, and the places between where the axis passes a corner or crosses an edge. A capsule that lies over a face touches it alone; one
/// that several planes may keep apart is at a corner.
pub(super) fn capsule_polytope(
    a: Capsule,
    b: (&Polytope, &Pose),
    margin: f64,
    corners: &mut CornerList,
    out: &mut Vec<Touching>,
) {
    let (body, pose) = b;
    let long = ThickAxis::capsule(&a, pose);
    let Some(best) = long.best_face(body, margin, |f| corners.is_open(f)) else {
        return;
    };
    if corners.wanted
        && let Some(way) = long.way(body, &best)
        && thick_axis_corner(&long, b, (&best, way), margin, corners)
    {
        return;
    }
    if best.distance > -a.radius && (best.exact || corners.wanted) && long.face_contacts(b, &best, margin, out) {
        return;
    }
    let (p, d) = a.axis();
    let (p, d) = (pose.point_in_body(p), pose.direction_in_body(d));
    let tolerance = length_tolerance(a.radius, body.size);
    let reach = margin + a.radius;
    let start = out.len();
    let mut add = |s: f64, distance: f64, normal: Vec3, feature: u64| {
        let touching = touch(
            pose.point(p + d * s),
            a.radius,
            distance,
            pose.direction(normal),
            feature,
        );
        let near = |o: &Touching| same_place(o, &touching, tolerance);
        if touching.gap <= margin && !out[start..].iter().any(near) {
            out.push(touching);
        }
    };
    if let Some((face, heights, stretch)) = runs_through(body, p, d, tolerance) {
        for (end, s) in stretch.into_iter().enumerate() {
            let height = heights.0 + (heights.1 - heights.0) * s;
            add(
                s,
                height,
                body.faces[face].normal,
                key(Feature::Corner(end), Feature::Round),
            );
        }
        return;
    }
    for (end, s) in [0.0, 1.0].into_iter().enumerate() {
        let nearest = closest::of_polytope(body, p + d * s, tolerance);
        add(
            s,
            nearest.distance,
            nearest.normal,
            key(Feature::Corner(end), Feature::Round),
        );
    }
    let length = d.norm();
    let inner = |s: f64| s * length > tolerance && (1.0 - s) * length > tolerance;
    // A pair counts if the polytope has no nearer point to that place of the axis.
    let mut pair = |s: f64, surface: Vec3, feature: Feature| {
        let x = p + d * s;
        let distance = (x - surface).norm();
        if distance <= reach && distance > tolerance {
            let nearest = closest::of_polytope(body, x, tolerance);
            if nearest.distance >= distance - tolerance {
                add(s, nearest.distance, nearest.normal, key(Feature::Round, feature));
            }
        }
    };
    for edge in &body.edges {
        let from = body.vertices[edge.ends[0]];
        let along = body.vertices[edge.ends[1]] - from;
        let (s, t) = closest::of_segments(p, d, from, along);
        let crossing = d.cross(&along).norm() > closest::PARALLEL_SEGMENTS_ANGLE * length * along.norm();
        if crossing && inner(s) && t > 0.0 && t < 1.0 {
            pair(s, from + along * t, Feature::Edge(edge.ends[0], edge.ends[1]));
        }
    }
    for (v, &corner) in body.vertices.iter().enumerate() {
        let s = closest::on_segment(corner, p, d);
        if inner(s) {
            pair(s, corner, Feature::Corner(v));
        }
    }
}

/// The stretch of an axis inside a polytope, the face it is quickest pushed out of, and the heights of its ends over that face. Only if the
/// overlap is deeper than the radius.
fn runs_through(body: &Polytope, p: Vec3, d: Vec3, tolerance: f64) -> Option<(usize, (f64, f64), [f64; 2])> {
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    let mut best = (f64::NEG_INFINITY, 0, (0.0, 0.0));
    for (f, face) in body.faces.iter().enumerate() {
        let low = face.normal.dot(&p) - face.offset;
        let high = low + face.normal.dot(&d);
        let height = low.min(high);
        if height > -tolerance {
            return None;
        }
        if height > best.0 {
            best = (height, f, (low, high));
        }
        if low > 0.0 {
            enter = enter.max(low / (low - high));
        } else if high > 0.0 {
            leave = leave.min(low / (low - high));
        }
    }
    (enter < leave).then_some((best.1, best.2, [enter, leave]))
}
