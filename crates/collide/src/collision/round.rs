//! Contacts of a ball or of a point of an axis with a radius.

use super::Touching;
use crate::Vec3;

/// Contact of a ball (a of the pair) whose centre is `distance` away from a surface with this outward normal.
pub(super) fn touch(centre: Vec3, radius: f64, distance: f64, normal: Vec3, feature: u64) -> Touching {
    Touching {
        // On the other surface: the contacts of a capsule that lies on a face are then in its plane.
        point: centre - normal * distance,
        normal,
        gap: distance - radius,
        feature,
    }
}

/// Whether two contacts are one: both surfaces are met at the same places, to a tolerance \[m\].
pub(super) fn same_place(t: &Touching, u: &Touching, tolerance: f64) -> bool {
    let beyond = |t: &Touching| t.point + t.normal * t.gap;
    (t.point - u.point).norm() <= tolerance && (beyond(t) - beyond(u)).norm() <= tolerance
}

/// Direction from q to p and their distance; `otherwise` where they coincide within rounding of `scale`.
pub(super) fn apart(p: Vec3, q: Vec3, scale: f64, otherwise: Vec3) -> (f64, Vec3) {
    let d = p - q;
    let distance = d.norm();
    if distance > super::POSITION_REL_ROUNDING * scale {
        (distance, d / distance)
    } else {
        (0.0, otherwise)
    }
}

/// Some unit vector at right angles to a direction.
pub(super) fn perpendicular(d: Vec3) -> Vec3 {
    let least = d.iamin();
    let mut e = Vec3::zeros();
    e[least] = 1.0;
    d.cross(&e).try_normalize(0.0).unwrap_or_else(Vec3::z)
}
