//! Any shape against a mesh of triangles.
//!
//! Every triangle near the body is asked alone. One without ridges answers with its own normal only; one with ridges or at the rim also with
//! normals that lean over them, and over no other side. So a body that slides over flat or hollow ground does not catch on the edges between triangles.

use super::clip::{Pair, face_contacts};
use super::corner::{Beyond, CornerList, SAME_PLANE_COSINE};
use super::feature::within_parts;
use super::relative::Relative;
use super::thick_axis::ThickAxis;
use super::{Bounds, Pose, Scratch, Touching, capsule_of, cylinder_of, length_tolerance, with_polytope};
use crate::Vec3;
use crate::mesh::{Piece, TriangleMesh};
use crate::shape::{Polytope, Shape};

/// Normals closer than this are the same.
const EQUAL_NORMALS_TOL: f64 = 1e-9;

/// Contacts of a shape (a of the pair) with a mesh.
pub(super) fn mesh(
    a: (&Shape, &Pose),
    b: (&TriangleMesh, &Pose),
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<Touching>,
) {
    let (ground, pose) = b;
    let start = out.len();
    let back = pose.rotation.inverse();
    let inner = Pose {
        position: back * (a.1.position - pose.position),
        rotation: back * a.1.rotation,
    };
    let bounds = Bounds::of(a.0, &inner).inflated(margin);
    let same = |t: &Touching, u: &Touching| {
        (t.point - u.point).norm() <= super::LENGTH_REL_TOL * (bounds.high - bounds.low).norm()
            && (t.normal - u.normal).norm() <= EQUAL_NORMALS_TOL
    };
    let mut near = std::mem::take(&mut scratch.near);
    near.clear();
    ground.near(&bounds, |k| near.push(k));
    let wanted = std::mem::take(&mut scratch.corners.wanted);
    let ridges = wanted && near.iter().any(|&k| ground.pieces[k].least_cosine < 1.0);
    for &k in &near {
        let piece = &ground.pieces[k];
        if ridges {
            over_ridges(ground, k, &near, &mut scratch.corners);
        }
        let (first, first_point) = (out.len(), scratch.corners.points.len());
        let smooth = piece.least_cosine == 1.0;
        scratch.corners.wanted = wanted && !(smooth && scratch.corners.beyond.is_empty());
        if scratch.corners.wanted || !smooth || matches!(a.0, Shape::Ball { .. } | Shape::Ellipsoid { .. }) {
            with_polytope(a, (&piece.solid, pose), margin, scratch, out);
        }
        // Where several planes keep them apart, or another one does, there is nothing to add.
        let own = || pose.direction(piece.solid.faces[0].normal);
        let along_own = |t: &Touching| t.normal.dot(&own()) > SAME_PLANE_COSINE;
        let plain = scratch.corners.points.len() == first_point
            && (!scratch.corners.wanted || out[first..].first().is_some_and(along_own));
        if smooth && plain {
            over_smooth(a, (piece, pose), margin, (first, scratch), out);
        }
        scratch.corners.forget_ground();
        scratch.corners.rename(first_point, 0, k);
        // Neighbours answer alike along their common edge.
        let mut kept = first;
        for i in first..out.len() {
            let Some(found) = admitted(ground, (k, pose), out[i]) else {
                continue;
            };
            if !out[start..kept].iter().any(|t| same(t, &found)) {
                out[kept] = Touching {
                    feature: within_parts(found.feature, 0, k),
                    ..found
                };
                kept += 1;
            }
        }
        out.truncate(kept);
    }
    scratch.corners.wanted = wanted;
    scratch.near = near;
}

/// A contact that a triangle admits: as it is, or square to the ridge that it lies on, at the gap along there.
fn admitted(ground: &TriangleMesh, (k, pose): (usize, &Pose), found: Touching) -> Option<Touching> {
    let normal = pose.direction_in_body(found.normal);
    if ground.admits(k, &normal) {
        return Some(found);
    }
    let point = pose.point_in_body(found.point);
    let near = found.gap.abs() + length_tolerance(ground.pieces[k].solid.size, ground.pieces[k].solid.size);
    let square = ground.squared(k, &normal, &point, near)?;
    Some(Touching {
        normal: pose.direction(square),
        gap: found.gap / square.dot(&normal),
        ..found
    })
}

/// The planes of near triangles that have a triangle below them, across ridges: above one of them a body is clear of it. The sides of its prism lie
/// within the ground, except for those at the rim.
fn over_ridges(ground: &TriangleMesh, k: usize, near: &[usize], corners: &mut CornerList) {
    let piece = &ground.pieces[k];
    corners.hidden = piece.hidden_faces();
    let own = &piece.solid.faces[0].normal;
    for &l in near {
        let other = &ground.pieces[l];
        let top = &other.solid.faces[0];
        let slack = EQUAL_NORMALS_TOL * piece.solid.size.max(other.solid.size);
        let below = |v: &Vec3| top.normal.dot(v) <= top.offset + slack;
        let bends = (top.normal - own).norm() > EQUAL_NORMALS_TOL;
        if l != k && other.least_cosine < 1.0 && bends && piece.solid.vertices[..3].iter().all(below) {
            corners.beyond.push(Beyond {
                normal: top.normal,
                offset: top.offset,
                ring: [0, 1, 2].map(|i| other.solid.vertices[i]),
                triangle: l,
            });
        }
    }
}

/// A triangle without ridges answers with its own normal alone: what is lowest along it, cut to the triangle.
fn over_smooth(
    a: (&Shape, &Pose),
    b: (&Piece, &Pose),
    margin: f64,
    (first, scratch): (usize, &mut Scratch),
    out: &mut Vec<Touching>,
) {
    let (solid, pose) = (&b.0.solid, b.1);
    let top = &solid.faces[0];
    if let Shape::Polytope(body) = a.0 {
        out.truncate(first);
        flat((body, a.1), b, margin, scratch, out);
    } else if let Some(cylinder) = cylinder_of(a) {
        out.truncate(first);
        let long = ThickAxis::cylinder(&cylinder, pose);
        if long.meets_round(&top.normal) {
            long.on_face((solid, pose), 0, margin, out);
        } else {
            let mut prisms = std::mem::take(&mut scratch.prisms);
            if let Some(prism) = prisms.over(&cylinder, &pose.direction(top.normal)) {
                flat((prism, a.1), b, margin, scratch, out);
            }
            scratch.prisms = prisms;
        }
    } else if let Some(capsule) = capsule_of(a) {
        out.truncate(first);
        ThickAxis::capsule(&capsule, pose).on_face((solid, pose), 0, margin, out);
    }
    drop_deep(solid, first, out);
}

/// A polytope over a triangle without ridges: cut to the triangle along its normal.
fn flat(a: (&Polytope, &Pose), b: (&Piece, &Pose), margin: f64, scratch: &mut Scratch, out: &mut Vec<Touching>) {
    let solid = &b.0.solid;
    let pair = Pair {
        reference: solid,
        incident: a.0,
        incident_in_reference: Relative::of(a.1, b.1),
        pose: b.1,
        reference_is_a: false,
        margin,
        tolerance: length_tolerance(a.0.size, solid.size),
        wider: 0.0,
    };
    face_contacts(&pair, 0, &mut scratch.clip, out);
}

/// What lies below the prism is under the ground, not on it.
fn drop_deep(solid: &Polytope, first: usize, out: &mut Vec<Touching>) {
    let depth = solid.faces[0].offset + solid.faces[4].offset;
    if out[first..].iter().any(|t| t.gap < -depth) {
        out.truncate(first);
    }
}
