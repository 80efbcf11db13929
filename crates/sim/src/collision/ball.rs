//! Ball against ball, capsule, cylinder and polytope.

use super::closest;
use super::feature::{Feature, key};
use super::round::{apart, perpendicular, touch};
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

/// Ball about a point against a polytope; a ball whose centre is inside leaves by the nearest face.
pub(super) fn ball_polytope(a: (f64, Vec3), b: (&Polytope, &Pose), margin: f64, out: &mut Vec<Touching>) {
    let (body, pose) = b;
    let nearest = closest::of_polytope(body, pose.point_in_body(a.1), length_tolerance(a.0, body.size));
    let normal = pose.direction(nearest.normal);
    // One contact a pair: the key outlives a change of the face the ball rolls on.
    keep(
        touch(a.1, a.0, nearest.distance, normal, key(Feature::Round, Feature::Round)),
        margin,
        out,
    );
}
