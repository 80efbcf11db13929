//! Polytope against polytope: separating axes, then the contact polygon of two faces or the crossing of two edges.

use super::clip::{Pair, face_contacts};
use super::feature::{Feature, key};
use super::polytope_corner::{polytope_corner, polytope_sides};
use super::relative::Relative;
use super::separation::{EdgeAxis, Separation, separation};
use super::{Pose, Scratch, Touching, length_tolerance};
use crate::Vec3;
use crate::shape::Polytope;

/// An edge axis within this cosine of the face normal (6°) gives way to the face: its crossing is a corner of the contact polygon anyway, with
/// its true distance along the face normal, and the other corners are kept with it.
const FACE_LIKE_COSINE: f64 = 0.995;

/// All contacts within the margin. Polytopes that several planes may keep apart, or that pass each other, are a corner.
pub(super) fn polytope_polytope(
    a: (&Polytope, &Pose),
    b: (&Polytope, &Pose),
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<Touching>,
) {
    let ((body_a, pose_a), (body_b, pose_b)) = (a, b);
    let b_in_a = Relative::of(pose_b, pose_a);
    let tolerance = length_tolerance(body_a.size, body_b.size);
    let Some(found) = separation(body_a, body_b, &b_in_a, (margin, tolerance), &mut scratch.separation) else {
        return;
    };

    let frame = (&b_in_a, margin, tolerance);
    let wanted = scratch.corners.wanted;
    if wanted && polytope_corner(a, b, frame, &found, scratch) {
        polytope_sides(a, b, frame, &found, scratch);
        return;
    }

    let start = out.len();
    plain((a, b), frame, &found, scratch, out);
    if wanted && out.len() == start && found.distance() >= -tolerance {
        polytope_sides(a, b, frame, &found, scratch);
    }
}

/// Contacts along the best axis.
fn plain(
    (a, b): ((&Polytope, &Pose), (&Polytope, &Pose)),
    (b_in_a, margin, tolerance): (&Relative, f64, f64),
    found: &Separation,
    scratch: &mut Scratch,
    out: &mut Vec<Touching>,
) {
    let ((body_a, pose_a), (body_b, pose_b)) = (a, b);
    // In a tie the face with fewer sides is cut against: fewer cuts. Then a's.
    let ahead = found.face_a.0 - found.face_b.0;
    let sides = |body: &Polytope, face: usize| body.faces[face].sides.len();
    let fewer_on_b = sides(body_b, found.face_b.1) < sides(body_a, found.face_a.1);
    let reference_is_a = if ahead.abs() <= tolerance {
        !fewer_on_b
    } else {
        ahead > 0.0
    };
    let (distance, face) = if reference_is_a { found.face_a } else { found.face_b };
    let (reference, incident, incident_in_reference, pose) = if reference_is_a {
        (body_a, body_b, *b_in_a, pose_a)
    } else {
        (body_b, body_a, b_in_a.inverse(), pose_b)
    };
    let pair = Pair {
        reference,
        incident,
        incident_in_reference,
        pose,
        reference_is_a,
        margin,
        tolerance,
        wider: 0.0,
    };

    let edges = found.edges.filter(|e| e.distance > distance + tolerance);
    let Some(edges) = edges else {
        face_contacts(&pair, face, &mut scratch.clip, out);
        return;
    };
    let outward = if reference_is_a {
        reference.faces[face].normal
    } else {
        -(b_in_a.rotation * reference.faces[face].normal)
    };
    let face_first = outward.dot(&edges.axis) > FACE_LIKE_COSINE;
    if face_first && face_contacts(&pair, face, &mut scratch.clip, out) > 0 {
        return;
    }
    if let Some(contact) = edge_edge(body_a, (body_b, b_in_a), &edges, pose_a, tolerance) {
        scratch.clip.on_a = None;
        out.push(contact);
    } else if !face_first {
        face_contacts(&pair, face, &mut scratch.clip, out);
    }
}

/// Distance along the best of all axes, and that axis from b to a.
pub(super) fn best_axis(a: (&Polytope, &Pose), b: (&Polytope, &Pose)) -> (f64, Vec3) {
    let ((body_a, pose_a), (body_b, pose_b)) = (a, b);
    let b_in_a = Relative::of(pose_b, pose_a);
    let mut scratch = super::separation::Scratch::default();
    let Some(found) = separation(body_a, body_b, &b_in_a, (f64::INFINITY, 0.0), &mut scratch) else {
        return (f64::INFINITY, Vec3::z());
    };
    let face_a = (found.face_a.0, -pose_a.direction(body_a.faces[found.face_a.1].normal));
    let face_b = (found.face_b.0, pose_b.direction(body_b.faces[found.face_b.1].normal));
    let edges = found.edges.map(|e| (e.distance, -pose_a.direction(e.axis)));
    let best = if face_b.0 > face_a.0 { face_b } else { face_a };
    edges.filter(|e| e.0 > best.0).unwrap_or(best)
}

/// Where two edges cross. None if the lines are closest beyond an end: the bodies pass each other there.
pub(super) fn edge_edge(
    a: &Polytope,
    b: (&Polytope, &Relative),
    edges: &EdgeAxis,
    pose_a: &Pose,
    tolerance: f64,
) -> Option<Touching> {
    let (p, q) = (a.vertices[edges.a[0]], b.1.point(b.0.vertices[edges.b[0]]));
    let (d, e) = (a.vertices[edges.a[1]] - p, b.1.point(b.0.vertices[edges.b[1]]) - q);
    // p + s d and q + t e, their difference along the axis: s d − t e = r − (r·axis) axis.
    let r = q - p;
    let (dd, ee, de) = (d.norm_squared(), e.norm_squared(), d.dot(&e));
    let determinant = dd * ee - de * de;
    let (dr, er) = (d.dot(&r), e.dot(&r));
    let s = (dr * ee - er * de) / determinant;
    let t = (dr * de - er * dd) / determinant;
    let (slack_s, slack_t) = (tolerance / dd.sqrt(), tolerance / ee.sqrt());
    let within = |x: f64, slack: f64| x >= -slack && x <= 1.0 + slack;
    if !(within(s, slack_s) && within(t, slack_t)) && edges.distance > -tolerance {
        return None;
    }
    let midway: Vec3 = (p + d * s.clamp(0.0, 1.0) + q + e * t.clamp(0.0, 1.0)) / 2.0;
    Some(Touching {
        point: pose_a.point(midway),
        normal: -pose_a.direction(edges.axis),
        gap: edges.distance,
        feature: key(
            Feature::Edge(edges.a[0], edges.a[1]),
            Feature::Edge(edges.b[0], edges.b[1]),
        ),
    })
}
