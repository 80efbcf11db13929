//! Where two planar shapes touch.

use super::half_plane::half_plane;
use super::nearest::{Core, ends};
use super::polygon_polygon::polygon_polygon;
use super::round::round;
use super::{PlanarPose, PlanarShape, Vec2};
use crate::Vec3;
use crate::collision::Touching;
use crate::collision::corner::CornerList;
use crate::collision::feature::within_parts;

/// A point where two planar shapes touch or come close.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanarTouching {
    /// On one of the two outlines, a side where one touches, so that all contacts of a side lie on one line \[m\].
    pub point: Vec2,
    /// Unit normal, from b to a.
    pub normal: Vec2,
    /// Distance of the outlines along the normal \[m\]; negative where they overlap.
    pub gap: f64,
    /// Names the features that touch; distinct within a pair, the same while the same corners and sides meet.
    pub feature: u64,
}

impl PlanarTouching {
    /// The same in space, at z = 0.
    pub(crate) fn in_space(&self) -> Touching {
        let lift = |v: Vec2| Vec3::new(v.x, v.y, 0.0);
        Touching {
            point: lift(self.point),
            normal: lift(self.normal),
            gap: self.gap,
            feature: self.feature,
        }
    }
}

/// Where two posed planar shapes touch or come within a margin \[m\] of each other; appended to `out`. Takes no memory beyond
/// it. A pose that is not finite touches nothing.
///
/// ```
/// # use stiction_collide::planar::{contacts, PlanarPose, PlanarShape, Vec2};
/// let square = PlanarShape::rectangle(Vec2::new(0.5, 0.5));
/// let upper = PlanarPose::new(Vec2::new(0.0, 1.0), 0.0);
/// let mut out = Vec::new();
/// contacts((&square, &upper), (&square, &PlanarPose::identity()), 0.01, &mut out);
/// assert_eq!(out.len(), 2);
/// assert!(out.iter().all(|c| c.normal == Vec2::y() && c.gap.abs() < 1e-15));
/// ```
pub fn contacts(
    a: (&PlanarShape, &PlanarPose),
    b: (&PlanarShape, &PlanarPose),
    margin: f64,
    out: &mut Vec<PlanarTouching>,
) {
    contacts_and_corners(a, b, margin, &mut CornerList::default(), out);
}

/// As [`contacts`], and corners: if `corners` wants them, they take the place of the contacts of their pair.
pub(crate) fn contacts_and_corners(
    a: (&PlanarShape, &PlanarPose),
    b: (&PlanarShape, &PlanarPose),
    margin: f64,
    corners: &mut CornerList,
    out: &mut Vec<PlanarTouching>,
) {
    let finite = |pose: &PlanarPose| (pose.position.sum() + pose.rotation.re + pose.rotation.im).is_finite();
    if !(finite(a.1) && finite(b.1)) {
        return;
    }
    match (a.0, b.0) {
        (PlanarShape::Compound(parts), _) => {
            for (i, (pose, part)) in parts.iter().enumerate() {
                let (first, first_point) = (out.len(), corners.points.len());
                contacts_and_corners((part, &a.1.then(pose)), b, margin, corners, out);
                rename(&mut out[first..], i + 1, 0);
                corners.rename(first_point, i + 1, 0);
            }
        }
        (_, PlanarShape::Compound(parts)) => {
            for (j, (pose, part)) in parts.iter().enumerate() {
                let (first, first_point) = (out.len(), corners.points.len());
                contacts_and_corners(a, (part, &b.1.then(pose)), margin, corners, out);
                rename(&mut out[first..], 0, j + 1);
                corners.rename(first_point, 0, j + 1);
            }
        }
        _ if rank(a.0) > rank(b.0) => {
            let (first, first_point) = (out.len(), corners.points.len());
            ordered(b, a, margin, corners, out);
            corners.flip(first_point);
            for touching in &mut out[first..] {
                touching.normal = -touching.normal;
            }
        }
        _ => ordered(a, b, margin, corners, out),
    }
}

fn rename(found: &mut [PlanarTouching], i: usize, j: usize) {
    for touching in found {
        touching.feature = within_parts(touching.feature, i, j);
    }
}

fn rank(shape: &PlanarShape) -> u8 {
    match shape {
        PlanarShape::HalfPlane { .. } => 0,
        PlanarShape::Disc { .. } => 1,
        PlanarShape::Capsule { .. } => 2,
        PlanarShape::Polygon(_) => 3,
        PlanarShape::Compound(_) => 4,
    }
}

/// Contacts of two simple shapes, the first of no higher rank.
fn ordered(
    a: (&PlanarShape, &PlanarPose),
    b: (&PlanarShape, &PlanarPose),
    margin: f64,
    corners: &mut CornerList,
    out: &mut Vec<PlanarTouching>,
) {
    let (ends_a, ends_b) = (ends(a.0), ends(b.0));
    let Some(core_b) = Core::of(b.0, &ends_b, b.1) else {
        return;
    };
    if let PlanarShape::HalfPlane { normal } = a.0 {
        half_plane((*normal, a.1), &core_b, margin, out);
    } else if let Some(core_a) = Core::of(a.0, &ends_a, a.1) {
        if matches!(a.0, PlanarShape::Polygon(_)) {
            polygon_polygon(&core_a, &core_b, margin, corners, out);
        } else {
            round(&core_a, &core_b, margin, corners, out);
        }
    }
}
