//! Rotations forward.

use crate::{Mat3, Quat, Vec3};

/// Rotation by the spin ω over h: the exponential map, exact for a constant spin. No spin returns the rotation itself.
#[must_use]
pub fn turn(rotation: Quat, spin: Vec3, h: f64) -> Quat {
    match exp(h * spin) {
        Some(q) => Quat::new_normalize(q.into_inner() * rotation.into_inner()),
        None => rotation,
    }
}

/// Rotation about the direction of a vector by its length \[rad\]; `None` for no turn.
pub(crate) fn exp(by: Vec3) -> Option<Quat> {
    let angle = by.norm();
    if angle == 0.0 {
        return None;
    }
    let v = by * (libm::sin(0.5 * angle) / angle);
    let q = nalgebra::Quaternion::new(libm::cos(0.5 * angle), v.x, v.y, v.z);
    Some(Quat::new_normalize(q))
}

/// A vector turned, its length kept: that of a unit quaternion is 1 to rounding only, and over thousands of steps this would add up.
pub(crate) fn rotate(rotation: &Quat, v: Vec3) -> Vec3 {
    let turned = rotation * v;
    let norm = turned.norm();
    if norm > 0.0 { turned * (v.norm() / norm) } else { turned }
}

/// Axis times angle \[rad\], by no more than half a turn: the inverse of the exponential map.
#[must_use]
pub fn rotation_vector(rotation: Quat) -> Vec3 {
    let q = rotation.into_inner();
    let sign = if q.w < 0.0 { -1.0 } else { 1.0 };
    let v = sign * Vec3::new(q.i, q.j, q.k);
    let sine = v.norm();
    if sine == 0.0 {
        return Vec3::zeros();
    }
    v * (2.0 * libm::atan2(sine, sign * q.w) / sine)
}

/// Inertia in world axes.
#[must_use]
pub fn inertia_world(rotation: &Quat, inertia_body: &Mat3) -> Mat3 {
    let r = rotation.to_rotation_matrix();
    r.matrix() * inertia_body * r.matrix().transpose()
}
