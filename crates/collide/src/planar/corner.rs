//! Planar pairs that more than one side may keep apart within the step.

use super::contacts::PlanarTouching;
use super::nearest::Core;
use super::polygon_polygon::{facing_side, heights};
use super::{PlanarPose, Vec2};
use crate::Vec3;
use crate::collision::corner::{CornerList, Plane, Source};
use crate::collision::feature::{Feature, key};

fn lift(v: Vec2) -> Vec3 {
    Vec3::new(v.x, v.y, 0.0)
}

/// Finds the sides of two polygons that may hold within the margin. Whether several differ, and the polygons do not overlap.
pub(super) fn polygon_corner(a: &Core, b: &Core, margin: f64, tolerance: f64, corners: &mut CornerList) -> bool {
    let b_in_a = a.pose.relative(b.pose);
    let a_in_b = b_in_a.inverse();
    corners.planes.clear();
    for (distance, i) in heights(a, b, &b_in_a) {
        if distance >= -margin {
            let (normal, source) = (lift(-a.pose.direction(a.normals[i])), Source::FaceOfA(i));
            corners.planes.push(Plane {
                distance,
                normal,
                source,
            });
        }
    }
    for (distance, i) in heights(b, a, &a_in_b) {
        if distance >= -margin {
            let (normal, source) = (lift(b.pose.direction(b.normals[i])), Source::FaceOfB(i));
            corners.planes.push(Plane {
                distance,
                normal,
                source,
            });
        }
    }
    corners.sort_planes();
    corners.differ() && corners.planes.first().is_some_and(|p| p.distance >= -tolerance)
}

/// Writes the planes that [`polygon_corner`] found as the sides of a corner.
pub(super) fn polygon_sides(a: &Core, b: &Core, margin: f64, tolerance: f64, corners: &mut CornerList) {
    let b_in_a = a.pose.relative(b.pose);
    for k in 0..corners.planes.len() {
        match corners.planes[k].source {
            Source::FaceOfA(i) => one_side(a, b, &b_in_a, (i, true), (margin, tolerance), corners),
            Source::FaceOfB(i) => one_side(b, a, &b_in_a.inverse(), (i, false), (margin, tolerance), corners),
            Source::Beyond(_) | Source::Swept | Source::Between => {}
        }
        corners.end_side();
    }
    corners.end_corner();
}

/// Corners of the incident body over the line of a side; those over the side or within the margin of it support. So do the places where the
/// facing side leaves it, or, where the bodies pass each other there, the stretch within the margin.
fn one_side(
    reference: &Core,
    incident: &Core,
    frame: &PlanarPose,
    (side, reference_is_a): (usize, bool),
    (margin, tolerance): (f64, f64),
    corners: &mut CornerList,
) {
    let (from, normal, tangent, length) = reference.side(side);
    let place = |x: Vec2| tangent.dot(&(x - from));
    let facing = facing_side(incident, &(frame.rotation.inverse() * normal));
    let points = [facing, (facing + 1) % incident.vertices.len()].map(|v| frame.point(incident.vertices[v]));
    let places = points.map(place);
    let passes = places.iter().all(|&s| s <= tolerance) || places.iter().all(|&s| s >= length - tolerance);
    let wider = if passes { margin } else { 0.0 };
    let (low, high) = (-wider, length + wider);
    let outward = reference.pose.direction(normal);
    let mut add = |x: Vec2, features: (Feature, Feature), support: bool| {
        let gap = normal.dot(&(x - from)) - reference.radius - incident.radius;
        if gap > margin {
            return;
        }
        let point = reference.pose.point(x - normal * (incident.radius + gap));
        let (normal, feature) = if reference_is_a {
            (-outward, key(features.0, features.1))
        } else {
            (outward, key(features.1, features.0))
        };
        let touching = PlanarTouching {
            point,
            normal,
            gap,
            feature,
        };
        corners.push(touching.in_space(), support);
    };
    for (v, &corner) in incident.vertices.iter().enumerate() {
        let x = frame.point(corner);
        let features = (Feature::Face(side), Feature::Corner(v));
        add(x, features, place(x) >= -margin && place(x) <= length + margin);
    }
    let ends = [side, (side + 1) % reference.vertices.len()];
    for (end, limit) in [low, high].into_iter().enumerate() {
        let outside = |s: f64| if end == 0 { limit - s } else { s - limit };
        let beyond = places.map(|s| outside(s) > tolerance);
        // A corner within rounding of the end stands for the cut.
        let inside = places.map(|s| outside(s) < -tolerance);
        if (beyond[0] && inside[1]) || (beyond[1] && inside[0]) {
            let t = (limit - places[0]) / (places[1] - places[0]);
            let features = (Feature::Corner(ends[end]), Feature::Face(facing));
            add(points[0] + (points[1] - points[0]) * t, features, true);
        }
    }
}

/// A disc, a of the pair, beside a corner of a polygon: sides of the polygon within the margin, and the line across the way to the nearest
/// point. Whether there are several; then they are written out. A disc that overlaps has none.
pub(super) fn disc_corner(a: &Core, b: &Core, margin: f64, tolerance: f64, corners: &mut CornerList) -> bool {
    let x = b.pose.point_in_body(a.pose.point(a.vertices[0]));
    let radius = a.radius + b.radius;
    let (distance, nearest) = b.nearest(x, tolerance);
    if distance - radius > margin || distance - radius < -tolerance || b.normals.len() < 3 {
        return false;
    }
    corners.planes.clear();
    corners.planes.push(Plane {
        distance,
        normal: lift(nearest),
        source: Source::Between,
    });
    for (i, normal) in b.normals.iter().enumerate() {
        let height = normal.dot(&(x - b.corner(i)));
        if height - radius >= -margin {
            corners.planes.push(Plane {
                distance: height,
                normal: lift(*normal),
                source: Source::FaceOfB(i),
            });
        }
    }
    corners.sort_planes();
    if corners.planes.len() < 2 {
        return false;
    }
    for k in 0..corners.planes.len() {
        let plane = corners.planes[k];
        let normal = Vec2::new(plane.normal.x, plane.normal.y);
        let feature = match plane.source {
            Source::FaceOfB(i) => Feature::Face(i),
            _ => Feature::Round,
        };
        let touching = PlanarTouching {
            point: b.pose.point(x - normal * (plane.distance - b.radius)),
            normal: b.pose.direction(normal),
            gap: plane.distance - radius,
            feature: key(Feature::Corner(0), feature),
        };
        corners.push(touching.in_space(), true);
        corners.end_side();
    }
    corners.end_corner();
    true
}
