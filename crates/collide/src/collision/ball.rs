//! Ball against ball, capsule, cylinder and polytope.

use super::closest::{self, Nearest};
use super::corner::{CornerList, Plane, Source, highest};
use super::feature::{Feature, key};
use super::round::{apart, perpendicular, touch};
use super::thick_axis::ThickAxis;
use super::{Pose, Touching, length_tolerance};
use crate::Vec3;
use crate::shape::Polytope;

fn keep(touching: Touching, margin: f64, out: &mut Vec<Touching>) {
    if touching.gap <= margin {
        out.push(touching);
    }
}

/// Balls about two points. Balls with one centre part upwards.
pub(super) fn ball_ball(a: (f64, Vec3), b: (f64, Vec3), margin: f64, out: &mut Vec<Touching>) {
    let (distance, normal) = apart(a.1, b.1, a.0 + b.0, Vec3::z());
    keep(
        touch(a.1, a.0, distance - b.0, normal, key(Feature::Round, Feature::Round)),
        margin,
        out,
    );
}

/// Ball about a point against a capsule.
pub(super) fn ball_capsule(a: (f64, Vec3), b: (f64, f64, &Pose), margin: f64, out: &mut Vec<Touching>) {
    let (half_length, radius, pose) = b;
    let axis = pose.direction(Vec3::z());
    let along = (a.1 - pose.position).dot(&axis).clamp(-half_length, half_length);
    let (distance, normal) = apart(a.1, pose.position + axis * along, a.0 + radius, perpendicular(axis));
    keep(
        touch(a.1, a.0, distance - radius, normal, key(Feature::Round, Feature::Round)),
        margin,
        out,
    );
}

/// Ball about a point against a cylinder.
pub(super) fn ball_cylinder(a: (f64, Vec3), b: (f64, f64, &Pose), margin: f64, out: &mut Vec<Touching>) {
    let (half_height, radius, pose) = b;
    let nearest = closest::of_cylinder(half_height, radius, pose.point_in_body(a.1));
    let normal = pose.direction(nearest.normal);
    keep(
        touch(a.1, a.0, nearest.distance, normal, key(Feature::Round, Feature::Round)),
        margin,
        out,
    );
}

/// Ball about a point against a polytope; a ball whose centre is inside leaves by the nearest face. A ball that several planes may keep
/// apart from it is at a corner.
pub(super) fn ball_polytope(
    a: (f64, Vec3),
    b: (&Polytope, &Pose),
    margin: f64,
    corners: &mut CornerList,
    out: &mut Vec<Touching>,
) {
    let (body, pose) = b;
    let tolerance = length_tolerance(a.0, body.size);
    let nearest = closest::of_polytope(body, pose.point_in_body(a.1), tolerance);
    let gap = nearest.distance - a.0;
    if corners.wanted && gap <= margin && gap >= -tolerance && ball_corner(a, b, &nearest, margin, corners) {
        return;
    }
    let normal = pose.direction(nearest.normal);
    // One contact a pair: the key outlives a change of the face the ball rolls on.
    keep(
        touch(a.1, a.0, nearest.distance, normal, key(Feature::Round, Feature::Round)),
        margin,
        out,
    );
}

/// Faces within the margin of a ball, and the plane across the way to the nearest point. Whether there are several; then they are written out.
fn ball_corner(
    a: (f64, Vec3),
    b: (&Polytope, &Pose),
    nearest: &Nearest,
    margin: f64,
    corners: &mut CornerList,
) -> bool {
    let x = b.1.point_in_body(a.1);
    corners.planes.clear();
    corners.planes.push(Plane {
        distance: nearest.distance,
        normal: nearest.normal,
        source: Source::Between,
    });
    for (f, face) in b.0.faces.iter().enumerate() {
        let distance = face.normal.dot(&x) - face.offset;
        if distance - a.0 >= -margin && corners.is_open(f) {
            corners.planes.push(Plane {
                distance,
                normal: face.normal,
                source: Source::FaceOfB(f),
            });
        }
    }
    for (i, plane) in corners.beyond.iter().enumerate() {
        let distance = plane.normal.dot(&x) - plane.offset;
        if distance - a.0 >= -margin {
            corners.planes.push(Plane {
                distance,
                normal: plane.normal,
                source: Source::Beyond(i),
            });
        }
    }
    let drift = b.1.direction_in_body(corners.drift);
    let vertices = corners.corners_of(b.0);
    let candidates = ThickAxis::path(x, drift).nearest_normal(b.0).into_iter();
    let tolerance = length_tolerance(a.0, b.0.size);
    corners.add_swept((drift, a.0), tolerance, candidates, |n| {
        n.dot(&x) - highest(vertices, n)
    });
    corners.sort_planes();
    if corners.planes.len() < 2 {
        return false;
    }
    for k in 0..corners.planes.len() {
        let plane = corners.planes[k];
        let feature = match plane.source {
            Source::FaceOfB(f) => Feature::Face(f),
            Source::Swept => Feature::Sides(0, 0),
            Source::Beyond(i) => Feature::Edge(0, corners.beyond[i].triangle),
            _ => Feature::Round,
        };
        let normal = b.1.direction(plane.normal);
        corners.push(
            touch(a.1, a.0, plane.distance, normal, key(Feature::Round, feature)),
            true,
        );
        corners.end_side();
    }
    corners.end_corner();
    true
}
