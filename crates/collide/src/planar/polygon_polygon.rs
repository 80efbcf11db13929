//! Polygon against polygon: the best separating side, and the facing side of the other cut to its length.

use super::contacts::PlanarTouching;
use super::corner::{polygon_corner, polygon_sides};
use super::nearest::Core;
use super::{PlanarPose, Vec2};
use crate::collision::corner::CornerList;
use crate::collision::feature::{Feature, key};
use crate::collision::length_tolerance;

/// All contacts within the margin. Radii are added around both. Polygons that several sides may keep apart, or that pass each other, are a
/// corner.
pub(super) fn polygon_polygon(
    a: &Core,
    b: &Core,
    margin: f64,
    corners: &mut CornerList,
    out: &mut Vec<PlanarTouching>,
) {
    let tolerance = length_tolerance(a.size, b.size);
    let b_in_a = a.pose.relative(b.pose);
    let a_in_b = b_in_a.inverse();
    let reach = margin + a.radius + b.radius;
    let (along_a, side_a) = best_side(a, b, &b_in_a);
    if along_a > reach {
        return;
    }
    let (along_b, side_b) = best_side(b, a, &a_in_b);
    if along_b > reach {
        return;
    }
    let wanted = corners.wanted && a.radius == 0.0 && b.radius == 0.0;
    if wanted && polygon_corner(a, b, margin, tolerance, corners) {
        polygon_sides(a, b, margin, tolerance, corners);
        return;
    }
    let start = out.len();
    if along_b <= along_a + tolerance {
        side_contacts(a, b, &b_in_a, (side_a, true), margin, tolerance, out);
    } else {
        side_contacts(b, a, &a_in_b, (side_b, false), margin, tolerance, out);
    }
    if wanted && out.len() == start && along_a.max(along_b) >= -tolerance {
        polygon_sides(a, b, margin, tolerance, corners);
    }
}

/// How far the other lies beyond each side of `body`, and which side.
pub(super) fn heights<'a>(
    body: &'a Core,
    other: &'a Core,
    frame: &'a PlanarPose,
) -> impl Iterator<Item = (f64, usize)> + 'a {
    body.normals.iter().enumerate().map(|(i, normal)| {
        let from = body.corner(i) - frame.position;
        let inner = frame.rotation.inverse() * normal;
        let low = other
            .vertices
            .iter()
            .map(|v| v.dot(&inner))
            .fold(f64::INFINITY, f64::min);
        (low - from.dot(normal), i)
    })
}

/// The side of `body` that the other lies farthest beyond, and how far.
fn best_side(body: &Core, other: &Core, frame: &PlanarPose) -> (f64, usize) {
    let mut best = (f64::NEG_INFINITY, 0);
    for side in heights(body, other, frame) {
        if side.0 > best.0 {
            best = side;
        }
    }
    best
}

/// Contacts over one side of the reference body; `side` says which, and whether the reference body is a of the pair.
fn side_contacts(
    reference: &Core,
    incident: &Core,
    frame: &PlanarPose,
    side: (usize, bool),
    margin: f64,
    tolerance: f64,
    out: &mut Vec<PlanarTouching>,
) {
    let (side, reference_is_a) = side;
    let (from, normal, tangent, length) = reference.side(side);
    let ends = [side, (side + 1) % reference.vertices.len()];
    let start = out.len();
    let mut add = |x: Vec2, features: (Feature, Feature)| {
        let height = normal.dot(&(x - from));
        let gap = height - reference.radius - incident.radius;
        let point = reference.pose.point(x - normal * (incident.radius + gap));
        if gap > margin
            || out[start..]
                .iter()
                .any(|o: &PlanarTouching| (o.point - point).norm() <= tolerance)
        {
            return;
        }
        let outward = reference.pose.direction(normal);
        let (normal, feature) = if reference_is_a {
            (-outward, key(features.0, features.1))
        } else {
            (outward, key(features.1, features.0))
        };
        out.push(PlanarTouching {
            point,
            normal,
            gap,
            feature,
        });
    };
    let facing = facing_side(incident, &(frame.rotation.inverse() * normal));
    let corners = [facing, (facing + 1) % incident.vertices.len()];
    let points = corners.map(|v| frame.point(incident.vertices[v]));
    let places = points.map(|x| tangent.dot(&(x - from)));
    let beyond = |s: f64| {
        if s < -tolerance {
            Some(0)
        } else if s > length + tolerance {
            Some(1)
        } else {
            None
        }
    };
    // Both ends beyond, or within rounding of, the same end of the side: the bodies pass each other there.
    let passes = places.iter().all(|&s| s <= tolerance) || places.iter().all(|&s| s >= length - tolerance);
    if passes {
        return;
    }
    for k in 0..2 {
        match beyond(places[k]) {
            None => add(points[k], (Feature::Face(side), Feature::Corner(corners[k]))),
            Some(end) => {
                let limit = if end == 0 { 0.0 } else { length };
                let t = (limit - places[k]) / (places[1 - k] - places[k]);
                add(
                    points[k] + (points[1 - k] - points[k]) * t,
                    (Feature::Corner(ends[end]), Feature::Face(facing)),
                );
            }
        }
    }
    for (v, &corner) in incident.vertices.iter().enumerate() {
        let x = frame.point(corner);
        if !corners.contains(&v) && beyond(tangent.dot(&(x - from))).is_none() {
            add(x, (Feature::Face(side), Feature::Corner(v)));
        }
    }
}

/// Of the two sides at the corner lowest along a direction, the one that looks most against it.
pub(super) fn facing_side(body: &Core, direction: &Vec2) -> usize {
    let heights = body.vertices.iter().map(|v| v.dot(direction)).enumerate();
    let lowest = heights.min_by(|p, q| p.1.total_cmp(&q.1)).map_or(0, |(v, _)| v);
    let before = (lowest + body.vertices.len() - 1) % body.vertices.len();
    if body.normals[before].dot(direction) < body.normals[lowest].dot(direction) {
        before
    } else {
        lowest
    }
}
