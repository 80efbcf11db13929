//! Polytopes that more than one plane may keep apart within the step: faces of both, and the best pair of edges.

use super::clip::{Pair, contains, face_contacts};
use super::corner::{CornerList, Plane, SAME_PLANE_COSINE, Source};
use super::feature::{Feature, key};
use super::polytope_polytope::edge_edge;
use super::relative::Relative;
use super::separation::{Separation, box_faces};
use super::{Pose, Scratch, Touching};
use crate::Vec3;
use crate::shape::Polytope;

type Posed<'a> = (&'a Polytope, &'a Pose);
/// Frame of b seen from a, margin and tolerance \[m\].
type Frame<'a> = (&'a Relative, f64, f64);

/// Finds the planes that may hold within the margin. Whether several differ, and the bodies do not overlap.
pub(super) fn polytope_corner(a: Posed, b: Posed, frame: Frame, found: &Separation, scratch: &mut Scratch) -> bool {
    let (b_in_a, margin, tolerance) = frame;
    let mut planes = std::mem::take(&mut scratch.corners.planes);
    let open = |f: usize| scratch.corners.is_open(f);
    planes.clear();
    let mut add = |distance: f64, source: Source| {
        if distance >= -margin {
            let normal = match source {
                Source::FaceOfA(f) => -a.1.direction(a.0.faces[f].normal),
                Source::FaceOfB(f) if !open(f) => return,
                Source::FaceOfB(f) => b.1.direction(b.0.faces[f].normal),
                Source::Beyond(_) | Source::Swept | Source::Between => return,
            };
            planes.push(Plane {
                distance,
                normal,
                source,
            });
        }
    };
    if let (Some(half_a), Some(half_b)) = (a.0.half_sides, b.0.half_sides) {
        let faces = box_faces(half_a, half_b, b_in_a);
        for (k, (distance, f)) in faces.into_iter().enumerate() {
            add(distance, if k < 3 { Source::FaceOfA(f) } else { Source::FaceOfB(f) });
        }
    } else {
        for (f, distance) in scratch.separation.along_a.iter().enumerate() {
            add(*distance, Source::FaceOfA(f));
        }
        for (f, distance) in scratch.separation.along_b.iter().enumerate() {
            add(*distance, Source::FaceOfB(f));
        }
    }
    let face = found.face_a.0.max(found.face_b.0);
    if let Some(edges) = found.edges.filter(|e| e.distance > face + tolerance) {
        let normal = -a.1.direction(edges.axis);
        // A face that looks nearly the same way has more points to stand on.
        if planes.iter().all(|plane| plane.normal.dot(&normal) < SAME_PLANE_COSINE) {
            planes.push(Plane {
                distance: edges.distance,
                normal,
                source: Source::Between,
            });
        }
    }
    for (i, plane) in scratch.corners.beyond.iter().enumerate() {
        let normal = b_in_a.rotation * plane.normal;
        let heights = a.0.vertices.iter().map(|v| v.dot(&normal));
        let distance = heights.fold(f64::INFINITY, f64::min) - plane.offset - normal.dot(&b_in_a.shift);
        if distance >= -margin {
            planes.push(Plane {
                distance,
                normal: b.1.direction(plane.normal),
                source: Source::Beyond(i),
            });
        }
    }
    scratch.corners.planes = planes;
    add_swept(a, b, tolerance, &mut scratch.corners);
    if scratch.corners.planes.len() < 2 {
        return false;
    }
    scratch.corners.sort_planes();
    scratch.corners.differ() && found.distance() >= -tolerance
}

/// Edges in the world.
fn edges((body, pose): Posed<'_>) -> impl Iterator<Item = Vec3> + '_ {
    let edges = body.edges.iter();
    edges.map(move |e| pose.direction(body.vertices[e.ends[1]] - body.vertices[e.ends[0]]))
}

/// Planes along the way of the bodies through an edge of one of them.
fn add_swept(a: Posed, b: Posed, tolerance: f64, corners: &mut CornerList) {
    let drift = corners.drift;
    let candidates = edges(a).chain(edges(b)).map(|e| e.cross(&drift)).flat_map(|n| [n, -n]);
    let vertices = corners.corners_of(b.0);
    let distance = |n: &Vec3| {
        let (inner_a, inner_b) = (a.1.direction_in_body(*n), b.1.direction_in_body(*n));
        let low = a.0.vertices.iter().fold(f64::INFINITY, |m, v| m.min(v.dot(&inner_a)));
        let high = vertices.iter().fold(f64::NEG_INFINITY, |m, v| m.max(v.dot(&inner_b)));
        (low - high) + n.dot(&(a.1.position - b.1.position))
    };
    corners.add_swept((drift, 0.0), tolerance, candidates, distance);
}

/// Writes the planes that [`polytope_corner`] found as the sides of a corner.
pub(super) fn polytope_sides(a: Posed, b: Posed, frame: Frame, found: &Separation, scratch: &mut Scratch) {
    let (b_in_a, margin, tolerance) = frame;
    if scratch
        .corners
        .planes
        .first()
        .is_some_and(|plane| plane.distance > margin)
    {
        // Too far to meet: a triangle beyond a ridge keeps them apart.
        return;
    }
    for k in 0..scratch.corners.planes.len() {
        let (face, reference_is_a) = match scratch.corners.planes[k].source {
            Source::FaceOfA(f) => (f, true),
            Source::FaceOfB(f) => (f, false),
            Source::Beyond(i) => {
                let back = b_in_a.inverse();
                for (v, x) in a.0.vertices.iter().enumerate() {
                    let x = back.point(*x);
                    scratch.corners.push_beyond(i, x, Feature::Corner(v), b.1, margin);
                }
                scratch.corners.end_side();
                continue;
            }
            Source::Swept => {
                swept_side(a, b, k, margin, &mut scratch.corners);
                scratch.corners.end_side();
                continue;
            }
            Source::Between => {
                let crossing = found
                    .edges
                    .and_then(|edges| edge_edge(a.0, (b.0, b_in_a), &edges, a.1, margin));
                if let Some(touching) = crossing {
                    scratch.corners.push(touching, true);
                }
                scratch.corners.end_side();
                continue;
            }
        };
        let (reference, incident) = if reference_is_a { (a, b) } else { (b, a) };
        let pair = Pair {
            reference: reference.0,
            incident: incident.0,
            incident_in_reference: if reference_is_a { *b_in_a } else { b_in_a.inverse() },
            pose: reference.1,
            reference_is_a,
            margin,
            tolerance,
            wider: 0.0,
        };
        one_side(pair, face, scratch);
        scratch.corners.end_side();
    }
    scratch.corners.end_corner();
}

/// Corners of a near the plane along the way.
fn swept_side(a: Posed, b: Posed, k: usize, margin: f64, corners: &mut CornerList) {
    let Plane { normal, .. } = corners.planes[k];
    let inner = b.1.direction_in_body(normal);
    let vertices = corners.corners_of(b.0).iter();
    let high = vertices.fold(f64::NEG_INFINITY, |m, v| m.max(v.dot(&inner))) + normal.dot(&b.1.position);
    for (v, x) in a.0.vertices.iter().enumerate() {
        let x = a.1.point(*x);
        let gap = normal.dot(&x) - high;
        if gap <= margin {
            let touching = Touching {
                point: x - normal * gap,
                normal,
                gap,
                feature: key(Feature::Corner(v), Feature::Round),
            };
            corners.push(touching, true);
        }
    }
}

/// The contact polygon over a face, or, where the bodies pass each other there, as far beside it as the margin; and the other corners of the
/// incident body near the plane, of which those within the margin of the face support too.
fn one_side(mut pair: Pair, face: usize, scratch: &mut Scratch) {
    let Scratch { clip, corners, .. } = scratch;
    let mut found = std::mem::take(&mut corners.found);
    found.clear();
    if face_contacts(&pair, face, clip, &mut found) == 0 {
        pair.wider = pair.margin;
        face_contacts(&pair, face, clip, &mut found);
    }
    for touching in &found {
        corners.push(*touching, true);
    }
    corners.found = found;
    let reference = &pair.reference.faces[face];
    let outward = pair.pose.direction(reference.normal);
    let inside = |x: &Vec3, wider: f64| contains(pair.reference, reference, x, pair.tolerance + wider);
    for (v, x) in pair.incident.vertices.iter().enumerate() {
        let x = pair.incident_in_reference.point(*x);
        let gap = reference.normal.dot(&x) - reference.offset;
        if gap > pair.margin || inside(&x, pair.wider) {
            continue;
        }
        let (normal, feature) = if pair.reference_is_a {
            (-outward, key(Feature::Face(face), Feature::Corner(v)))
        } else {
            (outward, key(Feature::Corner(v), Feature::Face(face)))
        };
        let point = pair.pose.point(x - reference.normal * gap);
        let touching = Touching {
            point,
            normal,
            gap,
            feature,
        };
        corners.push(touching, inside(&x, pair.margin));
    }
}
