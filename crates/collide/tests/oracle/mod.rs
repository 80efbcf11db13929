//! Distance of disjoint polytopes by looking at every pair of features.
#![allow(dead_code, unreachable_pub)]

use stiction_collide::shape::Polytope;
use stiction_collide::{Pose, Vec3};

/// The closest features.
pub struct Closest {
    pub distance: f64,
    /// A corner over the inside of a face.
    pub face: bool,
    /// A corner over the inside of a face, or two edges crossing away from their ends.
    pub inner: bool,
}

/// None if the bodies overlap.
pub fn distance(a: (&Polytope, &Pose), b: (&Polytope, &Pose)) -> Option<Closest> {
    let points = |p: (&Polytope, &Pose)| p.0.vertices.iter().map(|&v| p.1.point(v)).collect::<Vec<_>>();
    let (va, vb) = (points(a), points(b));
    let mut best = Closest {
        distance: f64::INFINITY,
        face: false,
        inner: false,
    };
    let mut take = |distance: f64, face: bool, inner: bool| {
        if distance < best.distance {
            best = Closest { distance, face, inner };
        }
    };
    for (body, others) in [(a, &vb), (b, &va)] {
        for &x in others {
            let x = body.1.point_in_body(x);
            if outside(body.0, x) <= 0.0 {
                return None;
            }
            for face in &body.0.faces {
                let height = face.normal.dot(&x) - face.offset;
                let over =
                    (0..face.sides.len()).all(|i| face.sides[i].dot(&(x - body.0.vertices[face.corners[i]])) <= 0.0);
                if height > 0.0 && over {
                    take(height, true, true);
                }
            }
        }
    }
    for ea in &a.0.edges {
        for eb in &b.0.edges {
            let (p, q) = ([va[ea.ends[0]], va[ea.ends[1]]], [vb[eb.ends[0]], vb[eb.ends[1]]]);
            let (distance, inner) = segments(p, q);
            take(distance, false, inner);
        }
    }
    let pierced = pierces(a, b, &va) || pierces(b, a, &vb);
    (!pierced).then_some(best)
}

/// Largest height of a point over the faces: above zero outside.
pub fn outside(body: &Polytope, x: Vec3) -> f64 {
    body.faces
        .iter()
        .map(|f| f.normal.dot(&x) - f.offset)
        .fold(f64::NEG_INFINITY, f64::max)
}

/// An edge of a runs through b.
fn pierces(a: (&Polytope, &Pose), b: (&Polytope, &Pose), va: &[Vec3]) -> bool {
    a.0.edges.iter().any(|e| {
        let (p, q) = (b.1.point_in_body(va[e.ends[0]]), b.1.point_in_body(va[e.ends[1]]));
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for f in &b.0.faces {
            let (dp, dq) = (f.normal.dot(&p) - f.offset, f.normal.dot(&q) - f.offset);
            if dp > 0.0 && dq > 0.0 {
                return false;
            }
            let t = dp / (dp - dq);
            if dp > 0.0 {
                enter = enter.max(t);
            } else if dq > 0.0 {
                leave = leave.min(t);
            }
        }
        enter <= leave
    })
}

/// Distance of two segments, and whether it is attained away from all ends.
fn segments(p: [Vec3; 2], q: [Vec3; 2]) -> (f64, bool) {
    let (d, e, r) = (p[1] - p[0], q[1] - q[0], q[0] - p[0]);
    let (dd, ee, de, dr, er) = (d.dot(&d), e.dot(&e), d.dot(&e), d.dot(&r), e.dot(&r));
    let determinant = dd * ee - de * de;
    if determinant > 1e-12 * dd * ee {
        let (s, t) = ((dr * ee - er * de) / determinant, (dr * de - er * dd) / determinant);
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            return ((r + e * t - d * s).norm(), true);
        }
    }
    let to_segment = |x: Vec3, p: Vec3, d: Vec3| (p + d * ((x - p).dot(&d) / d.dot(&d)).clamp(0.0, 1.0) - x).norm();
    let ends = [
        to_segment(p[0], q[0], e),
        to_segment(p[1], q[0], e),
        to_segment(q[0], p[0], d),
        to_segment(q[1], p[0], d),
    ];
    (ends.into_iter().fold(f64::INFINITY, f64::min), false)
}

/// Distance of a point from a polytope in its frame; below zero inside.
pub fn point_distance(body: &Polytope, x: Vec3) -> f64 {
    let height = outside(body, x);
    if height <= 0.0 {
        return height;
    }
    let mut best = f64::INFINITY;
    for face in &body.faces {
        let height = face.normal.dot(&x) - face.offset;
        let over = (0..face.sides.len()).all(|i| face.sides[i].dot(&(x - body.vertices[face.corners[i]])) <= 0.0);
        if height > 0.0 && over {
            best = best.min(height);
        }
    }
    for e in &body.edges {
        let (p, d) = (
            body.vertices[e.ends[0]],
            body.vertices[e.ends[1]] - body.vertices[e.ends[0]],
        );
        let t = ((x - p).dot(&d) / d.dot(&d)).clamp(0.0, 1.0);
        best = best.min((p + d * t - x).norm());
    }
    best
}
