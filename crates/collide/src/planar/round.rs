//! Disc or capsule against disc, capsule or polygon.

use super::Vec2;
use super::contacts::PlanarTouching;
use super::corner::disc_corner;
use super::nearest::Core;
use super::polygon_polygon::polygon_polygon;
use crate::collision::corner::CornerList;
use crate::collision::feature::{Feature, key};
use crate::collision::length_tolerance;

/// Both ends of the round body's axis (a of the pair), and the corners of the other that lie over it between its ends.
pub(super) fn round(a: &Core, b: &Core, margin: f64, corners: &mut CornerList, out: &mut Vec<PlanarTouching>) {
    let tolerance = length_tolerance(a.size, b.size);
    let a_in_b = b.pose.relative(a.pose);
    if cross(a, b) {
        polygon_polygon(a, b, margin, corners, out);
        return;
    }
    if corners.wanted && a.vertices.len() == 1 && disc_corner(a, b, margin, tolerance, corners) {
        return;
    }
    let start = out.len();
    let mut add = |point, normal, gap, feature| {
        let touching = PlanarTouching {
            point,
            normal,
            gap,
            feature,
        };
        if gap > margin {
            return;
        }
        let same = |o: &&mut PlanarTouching| (o.point - touching.point).norm() <= tolerance;
        match out[start..].iter_mut().find(same) {
            // Of two places of a over one of b, the nearer.
            Some(other) if gap < other.gap => *other = touching,
            Some(_) => {}
            None => out.push(touching),
        }
    };
    for (end, &corner) in a.vertices.iter().enumerate() {
        let x = a_in_b.point(corner);
        let (distance, normal) = b.nearest(x, tolerance);
        let gap = distance - a.radius - b.radius;
        let point = b.pose.point(x - normal * (a.radius + gap));
        add(
            point,
            b.pose.direction(normal),
            gap,
            key(Feature::Corner(end), Feature::Round),
        );
    }
    if a.vertices.len() < 2 {
        return;
    }
    for (v, &corner) in b.vertices.iter().enumerate() {
        // Every corner over the flank, also where another point of its side is nearer: a body that turns may bring it down within the step.
        let x = a_in_b.inverse().point(corner);
        let height = x.y.abs();
        if x.x <= a.vertices[0].x || x.x >= a.vertices[1].x || height <= tolerance {
            continue;
        }
        let gap = height - a.radius - b.radius;
        let down = Vec2::new(0.0, -x.y.signum());
        let point = a.pose.point(Vec2::new(x.x, 0.0) - down * (a.radius + gap));
        add(
            point,
            a.pose.direction(down),
            gap,
            key(Feature::Round, Feature::Corner(v)),
        );
    }
}

/// Whether a's axis runs through the core of b: an overlap deeper than the radii.
fn cross(a: &Core, b: &Core) -> bool {
    if a.vertices.len() < 2 || b.vertices.len() < 2 {
        return false;
    }
    let a_in_b = b.pose.relative(a.pose);
    let b_in_a = a_in_b.inverse();
    let apart = |body: &Core, other: &Core, frame: &super::PlanarPose| {
        body.normals.iter().enumerate().any(|(i, n)| {
            let from = body.corner(i);
            other.vertices.iter().all(|&v| n.dot(&(frame.point(v) - from)) >= 0.0)
        })
    };
    !apart(a, b, &b_in_a) && !apart(b, a, &a_in_b)
}
