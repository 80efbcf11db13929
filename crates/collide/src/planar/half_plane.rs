//! Half-plane against every planar shape.

use super::contacts::PlanarTouching;
use super::nearest::Core;
use super::{PlanarPose, Vec2};
use crate::collision::feature::{Feature, key};

/// All corners or end discs of a body within the margin of a half-plane, which is a of the pair.
pub(super) fn half_plane(ground: (Vec2, &PlanarPose), body: &Core, margin: f64, out: &mut Vec<PlanarTouching>) {
    let frame = body.pose.relative(ground.1);
    let up = frame.rotation * ground.0;
    let normal = ground.1.direction(ground.0);
    for (v, corner) in body.vertices.iter().enumerate() {
        let gap = up.dot(&(corner - frame.position)) - body.radius;
        if gap <= margin {
            let point = body.pose.point(corner - up * (body.radius + gap));
            out.push(PlanarTouching {
                point,
                normal: -normal,
                gap,
                feature: key(Feature::Face(0), Feature::Corner(v)),
            });
        }
    }
}
