//! How deep two convex cores overlap: the shortest move that parts them.
//!
//! The origin lies in the difference of the cores, and its distance from the surface is sought: the least support of the difference over all
//! directions. A polytope inside the difference grows by the farthest point beyond its nearest face \[van den Bergen 2001\] until it
//! shows where the least is, together with the directions of caps, faces and edges; from there a search on the sphere goes on in ever
//! smaller steps. The answer is never too small: a move by the support along a direction parts the bodies, whichever direction it is.

use super::convex::{Convex, Core};
use crate::Vec3;
use crate::shape::Polytope;

/// Points added at most: surfaces that bend are only to be seen, not filled.
const ROUNDS: usize = 100;
/// A face is on the surface when nothing lies farther beyond it, as a share of the bodies' size.
const ENOUGH: f64 = 1e-13;
/// First and last step of the search on the sphere \[rad\].
const STEPS: (f64, f64) = (0.1, 1e-10);

/// Depth and the unit direction in which a is to move.
pub(super) fn depth(a: &Convex<'_>, b: &Convex<'_>) -> (f64, Vec3) {
    match (&a.core, &b.core) {
        (Core::Segment { .. }, Core::Polytope(body)) => segment_in(a, body, b),
        (Core::Polytope(body), Core::Segment { .. }) => {
            let (depth, direction) = segment_in(b, body, a);
            (depth, -direction)
        }
        _ => {
            let support = |n: &Vec3| n.dot(&(a.support(n) - b.support(&-n)));
            let (mut depth, mut n) = expand(a, b);
            n = -n;
            for candidate in candidates(a, b) {
                let beyond = support(&candidate);
                if beyond < depth {
                    (depth, n) = (beyond, candidate);
                }
            }
            let (depth, n) = descend(&support, depth, n);
            (depth.max(0.0), -n)
        }
    }
}

/// Directions at which the support has a kink: caps, faces, and what is at right angles to an axis and an axis or edge.
fn candidates(a: &Convex<'_>, b: &Convex<'_>) -> Vec<Vec3> {
    let axis = |c: &Convex<'_>| c.rotation * Vec3::z();
    let lines = |c: &Convex<'_>| match &c.core {
        Core::Polytope(body) => {
            let side = |e: &crate::shape::Edge| c.rotation * (body.vertices[e.ends[1]] - body.vertices[e.ends[0]]);
            body.edges.iter().map(side).collect()
        }
        _ => vec![axis(c)],
    };
    let mut out = Vec::new();
    for c in [a, b] {
        match &c.core {
            Core::Polytope(body) => out.extend(body.faces.iter().map(|f| c.rotation * f.normal)),
            _ => out.push(axis(c)),
        }
    }
    for d in lines(a) {
        out.extend(
            lines(b)
                .iter()
                .filter_map(|e| d.cross(e).try_normalize(1e-9 * d.norm() * e.norm())),
        );
    }
    let opposite: Vec<Vec3> = out.iter().map(|n| -n).collect();
    out.extend(opposite);
    out
}

/// Lower values of a function on the sphere in eight directions around a point, in ever smaller steps.
fn descend(value: &impl Fn(&Vec3) -> f64, start: f64, from: Vec3) -> (f64, Vec3) {
    const H: f64 = std::f64::consts::FRAC_1_SQRT_2;
    const AROUND: [(f64, f64); 8] = [
        (1.0, 0.0),
        (0.0, 1.0),
        (-1.0, 0.0),
        (0.0, -1.0),
        (H, H),
        (-H, H),
        (-H, -H),
        (H, -H),
    ];
    let (mut best, mut n, mut step) = (start, from, STEPS.0);
    let mut rounds = 0;
    while step > STEPS.1 && rounds < 1_000 {
        rounds += 1;
        let mut side = Vec3::zeros();
        side[n.iamin()] = 1.0;
        let u = n.cross(&side).normalize();
        let v = n.cross(&u);
        let mut better = None;
        for (x, y) in AROUND {
            let m = (n + (u * x + v * y) * step).normalize();
            let found = value(&m);
            if found < best {
                best = found;
                better = Some(m);
            }
        }
        match better {
            Some(m) => n = m,
            None => step *= 0.5,
        }
    }
    (best, n)
}

/// A segment a in a polytope b: the faces, and the planes that hold the segment and an edge.
fn segment_in(a: &Convex<'_>, body: &Polytope, b: &Convex<'_>) -> (f64, Vec3) {
    let ends = a.ends().map(|x| b.in_body(x));
    let along = ends[1] - ends[0];
    let mut best = (f64::INFINITY, Vec3::z());
    let mut take = |depth: f64, direction: Vec3| {
        if depth < best.0 {
            best = (depth, direction);
        }
    };
    for face in &body.faces {
        let lowest = face.normal.dot(&ends[0]).min(face.normal.dot(&ends[1]));
        take(face.offset - lowest, face.normal);
    }
    for edge in &body.edges {
        let side = body.vertices[edge.ends[1]] - body.vertices[edge.ends[0]];
        let cross = along.cross(&side);
        if cross.norm() <= 1e-9 * along.norm() * side.norm() {
            continue;
        }
        for normal in [cross.normalize(), -cross.normalize()] {
            take(body.support(normal) - normal.dot(&ends[0]), normal);
        }
    }
    (best.0, b.rotation * best.1)
}

/// A face of the growing polytope: corners, outward unit normal, distance from the origin.
#[derive(Debug, Clone, Copy)]
struct Face {
    corners: [usize; 3],
    normal: Vec3,
    offset: f64,
}

fn face(points: &[Vec3], corners: [usize; 3], size: f64) -> Face {
    let [p, q, r] = corners.map(|k| points[k]);
    let cross = (q - p).cross(&(r - p));
    // A sliver has no normal worth having: it only closes the surface.
    let sliver = cross.norm() <= 1e-14 * size * size;
    let normal = if sliver { Vec3::zeros() } else { cross.normalize() };
    Face {
        corners,
        normal,
        offset: if sliver { f64::INFINITY } else { normal.dot(&p) },
    }
}

fn expand(a: &Convex<'_>, b: &Convex<'_>) -> (f64, Vec3) {
    let support = |n: &Vec3| a.support(n) - b.support(&-n);
    let size = a.size() + b.size();
    let Some(mut points) = start(&support, size) else {
        // Flat: the direction in which there is no extent.
        let n = thinnest(a, b);
        return (n.dot(&support(&n)).abs(), -n);
    };
    let mut faces: Vec<Face> = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]
        .map(|corners| face(&points, corners, size))
        .to_vec();
    let mut rim: Vec<[usize; 2]> = Vec::new();
    let mut best = (f64::INFINITY, Vec3::z());
    for _ in 0..ROUNDS {
        let nearest = faces
            .iter()
            .copied()
            .reduce(|f, g| if g.offset < f.offset { g } else { f });
        let Some(nearest) = nearest.filter(|f| f.offset.is_finite()) else {
            break;
        };
        let w = support(&nearest.normal);
        let beyond = nearest.normal.dot(&w);
        if beyond < best.0 {
            best = (beyond, nearest.normal);
        }
        if beyond - nearest.offset <= ENOUGH * size || points.contains(&w) {
            break;
        }
        points.push(w);
        // Sides that only one of the faces seen from the new point has.
        rim.clear();
        let seen = |f: &Face| f.offset.is_finite() && f.normal.dot(&w) > f.offset + 1e-15 * size;
        for f in faces.iter().filter(|f| seen(f)) {
            for k in 0..3 {
                let side = [f.corners[k], f.corners[(k + 1) % 3]];
                match rim.iter().position(|other| *other == [side[1], side[0]]) {
                    Some(twin) => drop(rim.swap_remove(twin)),
                    None => rim.push(side),
                }
            }
        }
        faces.retain(|f| !seen(f));
        let tip = points.len() - 1;
        faces.extend(rim.iter().map(|[p, q]| face(&points, [*p, *q, tip], size)));
    }
    (best.0, -best.1)
}

/// Four points of the difference with a volume, the first three counterclockwise seen from outside.
fn start(support: &impl Fn(&Vec3) -> Vec3, size: f64) -> Option<Vec<Vec3>> {
    let farther = |x: Vec3, y: Vec3, measure: &dyn Fn(&Vec3) -> f64| if measure(&y) > measure(&x) { y } else { x };
    let (p, q) = (support(&Vec3::x()), support(&-Vec3::x()));
    let line = (q - p).try_normalize(1e-9 * size)?;
    let mut side = Vec3::zeros();
    side[line.iamin()] = 1.0;
    let across = line.cross(&side).normalize();
    let off_line = |x: &Vec3| (x - p).cross(&line).norm();
    let other = line.cross(&across);
    let mut r = support(&across);
    for d in [-across, other, -other] {
        r = farther(r, support(&d), &off_line);
    }
    let normal = (q - p).cross(&(r - p)).try_normalize(1e-9 * size * size)?;
    let off_plane = |x: &Vec3| (x - p).dot(&normal).abs();
    let s = farther(support(&normal), support(&-normal), &off_plane);
    if off_plane(&s) <= 1e-9 * size {
        return None;
    }
    // The fourth below the plane of the first three.
    Some(if (s - p).dot(&normal) < 0.0 {
        vec![p, q, r, s]
    } else {
        vec![p, r, q, s]
    })
}

/// A direction along which two flat cores have no extent.
fn thinnest(a: &Convex<'_>, b: &Convex<'_>) -> Vec3 {
    let axis = |c: &Convex<'_>| {
        let [p, q] = c.ends();
        q - p
    };
    let (d, e) = (axis(a), axis(b));
    let cross = d.cross(&e);
    if cross.norm() > 1e-9 * d.norm() * e.norm() && cross.norm() > 0.0 {
        return cross.normalize();
    }
    let d = if d.norm() > e.norm() { d } else { e };
    let mut side = Vec3::zeros();
    side[d.iamin()] = 1.0;
    d.cross(&side).try_normalize(0.0).unwrap_or_else(Vec3::z)
}
