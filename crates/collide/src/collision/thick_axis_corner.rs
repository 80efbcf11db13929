//! Capsules and cylinders that more than one plane may keep apart from a polytope within the step.

use super::clip::contains;
use super::corner::{CornerList, Plane, Source, highest};
use super::feature::{Feature, key};
use super::thick_axis::{Best, Between, ThickAxis, Way};
use super::{Pose, Touching, length_tolerance};
use crate::Vec3;
use crate::shape::Polytope;

/// Finds the planes that may hold within the margin: faces, flat ends, and the plane across the shortest way. Whether they are written out as a
/// corner: there are several, and the bodies do not overlap.
pub(super) fn thick_axis_corner(
    long: &ThickAxis,
    (body, pose): (&Polytope, &Pose),
    (best, way): (&Best, Way),
    margin: f64,
    corners: &mut CornerList,
) -> bool {
    let tolerance = length_tolerance(long.radius, body.size);
    corners.planes.clear();
    let across = match way {
        Way::Face => None,
        Way::Axis(between) => {
            let [first, second] = long.heights(&between.normal, between.normal.dot(&between.surface));
            Some((first.min(second), between.normal))
        }
        Way::Found(found) => found.first().map(|touching| {
            let normal = pose.direction_in_body(touching.normal);
            let [first, second] = long.heights(&normal, body.support(normal));
            (first.min(second), normal)
        }),
    };
    if let Some((distance, normal)) = across {
        corners.planes.push(Plane {
            distance,
            normal,
            source: Source::Between,
        });
    }
    add_planes(long, body, best, corners);
    corners.planes.retain(|plane| plane.distance >= -margin);
    add_swept(long, body, pose, tolerance, corners);
    corners.sort_planes();
    let apart = corners.planes.first().is_some_and(|plane| plane.distance >= -tolerance);
    if corners.planes.first().is_some_and(|plane| plane.distance > margin) {
        // Too far to meet.
        return true;
    }
    // One plane alone is a plain contact; but over a mesh those that are found otherwise have several normals.
    let plain = match corners.planes[..] {
        [Plane { source, .. }] => corners.hidden == 0 || matches!(source, Source::FaceOfB(_)),
        _ => false,
    };
    if !apart || plain {
        return false;
    }
    for k in 0..corners.planes.len() {
        match (corners.planes[k].source, way) {
            (Source::FaceOfB(f), _) => {
                let rests = best.stretch.filter(|_| f == best.face);
                face_side(long, (body, pose), (f, rests), margin, corners);
            }
            (Source::Swept, _) => {
                let normal = corners.planes[k].normal;
                swept_side(long, (body, pose), normal, margin, corners);
            }
            (Source::Beyond(i), _) => beyond_side(long, pose, i, margin, corners),
            (Source::FaceOfA(end), _) => cap_side(long, (body, pose), end, margin, corners),
            (_, Way::Axis(between)) => between_side(long, &between, pose, margin, corners),
            (_, Way::Found(found)) => found_side(found, corners.planes[k].distance, corners),
            _ => {}
        }
        corners.end_side();
    }
    corners.end_corner();
    true
}

/// The lowest line over a face, or as far beside it as the margin; its ends limit the side, unless the body rests on the face and they hang below.
fn face_side(
    long: &ThickAxis,
    (body, pose): (&Polytope, &Pose),
    (f, rests): (usize, Option<[f64; 2]>),
    margin: f64,
    corners: &mut CornerList,
) {
    let face = &body.faces[f];
    if !long.meets_round(&face.normal) {
        rim_side(long, (body, pose), f, margin, corners);
        return;
    }
    let tolerance = length_tolerance(long.radius, body.size);
    let over = rests
        .or_else(|| long.over(body, face, (0.0, tolerance)))
        .or_else(|| long.over(body, face, (margin, tolerance)));
    if let Some(stretch) = over {
        long.stretch(face, f, pose, stretch, |touching| {
            if touching.gap <= margin {
                corners.push(touching, true);
            }
        });
    }
    let mut end = 0;
    long.stretch(face, f, pose, [0.0, 1.0], |touching| {
        let s = end as f64;
        let inside = over.is_some_and(|[from, until]| from <= s && s <= until);
        let hangs = rests.is_some() && touching.gap < -tolerance;
        if touching.gap <= margin && !inside && !hangs {
            let feature = key(Feature::Edge(end, end), Feature::Face(f));
            corners.push(Touching { feature, ..touching }, false);
        }
        end += 1;
    });
}

/// Faces, triangles beyond ridges, and flat ends.
fn add_planes(long: &ThickAxis, body: &Polytope, best: &Best, corners: &mut CornerList) {
    for (f, face) in body.faces.iter().enumerate() {
        if !corners.is_open(f) {
            continue;
        }
        let rests = f == best.face && best.stretch.is_some();
        corners.planes.push(Plane {
            distance: if rests { best.distance } else { long.distance(face) },
            normal: face.normal,
            source: Source::FaceOfB(f),
        });
    }
    for (i, plane) in corners.beyond.iter().enumerate() {
        let [first, second] = long.heights(&plane.normal, plane.offset);
        corners.planes.push(Plane {
            distance: first.min(second),
            normal: plane.normal,
            source: Source::Beyond(i),
        });
    }
    for end in 0..if long.flat { 2 } else { 0 } {
        corners.planes.push(Plane {
            distance: long.cap(body, end),
            normal: -long.end(end).1,
            source: Source::FaceOfA(end),
        });
    }
}

/// Planes along the way of the body through an edge, its axis or the way of its ends.
fn add_swept(long: &ThickAxis, body: &Polytope, pose: &Pose, tolerance: f64, corners: &mut CornerList) {
    let drift = pose.direction_in_body(corners.drift);
    let moved = ThickAxis {
        p: long.p + drift,
        ..*long
    };
    let ends = [
        ThickAxis::path(long.p, drift),
        ThickAxis::path(long.p + long.d, drift),
        moved,
    ];
    let edges = body.edges.iter();
    let edges = edges.map(|e| body.vertices[e.ends[1]] - body.vertices[e.ends[0]]);
    let along = edges.chain([long.axis]).map(|e| e.cross(&drift)).flat_map(|n| [n, -n]);
    let nearest = ends.iter().filter_map(|way| way.nearest_normal(body));
    let vertices = corners.corners_of(body);
    corners.add_swept((drift, 0.0), tolerance, along.chain(nearest), |n| {
        let [first, second] = long.heights(n, highest(vertices, n));
        first.min(second)
    });
}

/// What is lowest along a plane along the way.
fn swept_side(long: &ThickAxis, (body, pose): (&Polytope, &Pose), normal: Vec3, margin: f64, corners: &mut CornerList) {
    let high = highest(corners.corners_of(body), &normal);
    let low = long.p + long.down(&normal);
    for (end, gap) in long.heights(&normal, high).into_iter().enumerate() {
        if gap <= margin {
            let touching = Touching {
                point: pose.point(low + long.d * end as f64 - normal * gap),
                normal: pose.direction(normal),
                gap,
                feature: key(Feature::Corner(end), Feature::Sides(0, 0)),
            };
            corners.push(touching, true);
        }
    }
}

/// What is lowest over the plane of a triangle beyond a ridge.
fn beyond_side(long: &ThickAxis, pose: &Pose, i: usize, margin: f64, corners: &mut CornerList) {
    let normal = corners.beyond[i].normal;
    let low = long.p + long.down(&normal);
    for end in 0..2 {
        let mut push = |x: Vec3, feature: Feature| corners.push_beyond(i, x, feature, pose, margin);
        push(low + long.d * end as f64, Feature::Corner(end));
        if !long.meets_round(&normal) {
            for (k, x) in long.rim(end).into_iter().enumerate() {
                push(x, Feature::Sides(end, k));
            }
        }
    }
}

/// Points of the rims over a face that meets a flat end.
fn rim_side(long: &ThickAxis, (body, pose): (&Polytope, &Pose), f: usize, margin: f64, corners: &mut CornerList) {
    let face = &body.faces[f];
    let low = long.p + long.down(&face.normal);
    for end in 0..2 {
        let lowest = low + long.d * end as f64;
        for (k, x) in long.rim(end).into_iter().chain([lowest]).enumerate() {
            let gap = face.normal.dot(&x) - face.offset;
            if gap <= margin {
                let touching = Touching {
                    point: pose.point(x - face.normal * gap),
                    normal: pose.direction(face.normal),
                    gap,
                    feature: key(Feature::Sides(end, k), Feature::Face(f)),
                };
                corners.push(touching, contains(body, face, &x, margin));
            }
        }
    }
}

/// Contacts that were found, at their true distance.
fn found_side(found: &[Touching], distance: f64, corners: &mut CornerList) {
    let least = found.iter().fold(f64::INFINITY, |m, touching| m.min(touching.gap));
    for touching in found {
        let gap = touching.gap + (distance - least);
        corners.push(Touching { gap, ..*touching }, true);
    }
}

/// Corners of the polytope near the plane of a flat end.
fn cap_side(long: &ThickAxis, (body, pose): (&Polytope, &Pose), end: usize, margin: f64, corners: &mut CornerList) {
    let (from, outward) = long.end(end);
    for (v, x) in body.vertices.iter().enumerate() {
        let gap = outward.dot(&(x - from));
        if gap <= margin {
            let beside = (x - from - outward * gap).norm() - long.radius;
            let touching = Touching {
                point: pose.point(x - outward * gap),
                normal: -pose.direction(outward),
                gap,
                feature: key(Feature::Face(end), Feature::Corner(v)),
            };
            corners.push(touching, beside <= margin);
        }
    }
}

/// The stretch of the axis nearest to an edge; its ends limit the side.
fn between_side(long: &ThickAxis, between: &Between, pose: &Pose, margin: f64, corners: &mut CornerList) {
    let [from, until] = between.stretch;
    let mut push = |s: f64, number: usize, feature: Feature, support: bool| {
        let x = long.p + long.d * s + long.down(&between.normal);
        let gap = between.normal.dot(&(x - between.surface));
        if gap <= margin {
            let touching = Touching {
                point: pose.point(x - between.normal * gap),
                normal: pose.direction(between.normal),
                gap,
                feature: key(Feature::Sides(number, number), feature),
            };
            corners.push(touching, support);
        }
    };
    push(from, 0, between.feature, true);
    if until > from {
        push(until, 1, between.feature, true);
    }
    if from > 0.0 {
        push(0.0, 2, Feature::Round, false);
    }
    if until < 1.0 {
        push(1.0, 3, Feature::Round, false);
    }
}
