//! How deep two convex cores overlap: the shortest move that parts them.
//!
//! The origin lies in the difference of the cores, and its distance from the surface is sought: the least support of the difference over all
//! directions. Of a segment and a polytope it lies at one of finitely many directions. Where a cylinder takes part it is searched for, from
//! the best of many directions in ever smaller steps. The answer is never too small: a move by the support along a direction
//! parts the bodies, whichever direction it is.

use super::convex::{Convex, Core};
use crate::Vec3;
use crate::shape::Polytope;

/// First and last step of the search on the sphere \[rad\].
const SEARCH_STEP_ANGLES: (f64, f64) = (0.2, 1e-9);
/// Directions from which it is made.
const SEARCH_STARTS: usize = 8;
/// Rounds of one search.
const MAX_SEARCH_ROUNDS: usize = 500;

/// Depth and the unit direction in which a is to move.
pub(super) fn depth(a: &Convex<'_>, b: &Convex<'_>) -> (f64, Vec3) {
    match (&a.core, &b.core) {
        (Core::Segment { .. }, Core::Polytope(body)) => segment_in(a, body, b),
        (Core::Polytope(body), Core::Segment { .. }) => {
            let (depth, direction) = segment_in(b, body, a);
            (depth, -direction)
        }
        _ => search(a, b),
    }
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

/// The least support over the sphere.
fn search(a: &Convex<'_>, b: &Convex<'_>) -> (f64, Vec3) {
    let support = |n: &Vec3| n.dot(&(a.support(n) - b.support(&-n)));
    let lines = [lines(a), lines(b)];
    let mut starts: Vec<(f64, Vec3)> = candidates([a, b], &lines)
        .into_iter()
        .map(|n| (support(&n), n))
        .collect();
    starts.sort_by(|x, y| x.0.total_cmp(&y.0));
    starts.dedup_by(|x, y| (x.1 - y.1).norm() < 1e-6);
    let lines = lines.concat();
    let found = starts
        .iter()
        .take(SEARCH_STARTS)
        .map(|(value, n)| descend(&support, &lines, *value, *n));
    let best = found.reduce(|x, y| if y.0 < x.0 { y } else { x });
    let (depth, n) = best.unwrap_or((0.0, Vec3::z()));
    (depth.max(0.0), -n)
}

/// Unit directions of the axis, or of the edges. The support bends sharply across the circle at right angles to each.
fn lines(c: &Convex<'_>) -> Vec<Vec3> {
    match &c.core {
        Core::Polytope(body) => {
            let sides = body
                .edges
                .iter()
                .map(|e| body.vertices[e.ends[1]] - body.vertices[e.ends[0]]);
            sides.filter_map(|d| (c.rotation * d).try_normalize(0.0)).collect()
        }
        _ => vec![c.rotation * Vec3::z()],
    }
}

/// Caps, faces, what is at right angles to two lines, and directions all around.
fn candidates(bodies: [&Convex<'_>; 2], lines: &[Vec<Vec3>; 2]) -> Vec<Vec3> {
    const AROUND: [f64; 5] = [-1.0, -0.5, 0.0, 0.5, 1.0];
    let mut out = Vec::new();
    for c in bodies {
        match &c.core {
            Core::Polytope(body) => out.extend(body.faces.iter().map(|f| c.rotation * f.normal)),
            _ => out.push(c.rotation * Vec3::z()),
        }
    }
    for d in &lines[0] {
        out.extend(lines[1].iter().filter_map(|e| d.cross(e).try_normalize(1e-9)));
    }
    for x in AROUND {
        for y in AROUND {
            out.extend(AROUND.iter().filter_map(|z| Vec3::new(x, y, *z).try_normalize(0.6)));
        }
    }
    let opposite: Vec<Vec3> = out.iter().map(|n| -n).collect();
    out.extend(opposite);
    out
}

/// Lower values of a function on the sphere around a point and along the nearest circles at right angles to lines, in ever smaller steps.
fn descend(value: &impl Fn(&Vec3) -> f64, lines: &[Vec3], start: f64, from: Vec3) -> (f64, Vec3) {
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
    let (mut best, mut n, mut step) = (start, from, SEARCH_STEP_ANGLES.0);
    for _ in 0..MAX_SEARCH_ROUNDS {
        if step < SEARCH_STEP_ANGLES.1 {
            break;
        }
        let mut side = Vec3::zeros();
        side[n.iamin()] = 1.0;
        let u = n.cross(&side).normalize();
        let v = n.cross(&u);
        let (before, here) = (best, n);
        let mut take = |m: Vec3| {
            let Some(m) = m.try_normalize(0.0) else { return };
            let found = value(&m);
            if found < best {
                (best, n) = (found, m);
            }
        };
        for (x, y) in AROUND {
            take(here + (u * x + v * y) * step);
        }
        for line in lines.iter().filter(|line| line.dot(&here).abs() <= 2.0 * step) {
            let foot = here - line * line.dot(&here);
            take(foot);
            take(foot + line.cross(&foot) * step);
            take(foot - line.cross(&foot) * step);
        }
        if best >= before {
            step *= 0.5;
        }
    }
    (best, n)
}
