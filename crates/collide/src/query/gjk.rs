//! Closest points of two convex cores \[Gilbert, Johnson, Keerthi 1988\].
//!
//! The difference of the cores is approached from outside by simplices; of each the point nearest to the origin is found by looking at all its
//! corners, edges, faces and itself, which costs little for four points and has no bad cases. Between polytopes the last simplex is
//! exact; on curved surfaces the iteration ends when the distance is within rounding of its lower bound.

use super::convex::Convex;
use crate::Vec3;

/// Simplices tried before the best is returned. Polytopes take a handful, curved surfaces some tens.
const MAX_SIMPLICES: usize = 300;
/// The distance is known when it exceeds its lower bound by no more than this share.
const DISTANCE_REL_TOL: f64 = 1e-15;
/// Below this share of the bodies' size cores touch.
const TOUCH_REL_TOL: f64 = 1e-14;

/// A point a − b of the difference, and its b.
#[derive(Debug, Clone, Copy)]
struct Vertex {
    w: Vec3,
    b: Vec3,
}

/// Closest points of a and b; none where the cores overlap or touch.
pub(super) fn closest(a: &Convex<'_>, b: &Convex<'_>) -> Option<[Vec3; 2]> {
    let touch = TOUCH_REL_TOL * (a.size() + b.size() + (a.position - b.position).norm());
    let vertex = |direction: &Vec3| {
        let b = b.support(&-direction);
        let w = a.support(direction) - b;
        Vertex { w, b }
    };
    let mut start = a.position - b.position;
    if start.norm() <= touch {
        start = Vec3::x();
    }
    let mut simplex = [vertex(&-start); 4];
    let mut count = 1;
    let (mut v, mut weights) = (simplex[0].w, [1.0, 0.0, 0.0, 0.0]);
    let mut apart = false;
    for _ in 0..MAX_SIMPLICES {
        let square = v.norm_squared();
        if square <= touch * touch {
            return None;
        }
        let next = vertex(&-v);
        // v·w / |v| is a lower bound of the distance.
        let gap = square - v.dot(&next.w);
        apart |= square - gap > touch * square.sqrt();
        if gap <= DISTANCE_REL_TOL * square || simplex[..count].iter().any(|s| s.w == next.w) {
            break;
        }
        let mut larger = simplex;
        larger[count] = next;
        let Some((nearest, shares)) = nearest_to_origin(&larger[..=count]) else {
            // A plane was seen between the bodies: the tetrahedron is too flat to judge by.
            if apart {
                break;
            }
            return None;
        };
        if nearest.norm_squared() >= square {
            break;
        }
        (v, count) = (nearest, 0);
        for (k, share) in shares.into_iter().enumerate() {
            if share > 0.0 {
                (simplex[count], weights[count]) = (larger[k], share);
                count += 1;
            }
        }
    }
    let shares = simplex[..count].iter().zip(weights);
    let on_b = shares.map(|(s, share)| s.b * share).sum::<Vec3>();
    // v has more digits than the difference of the means.
    Some([on_b + v, on_b])
}

/// The point of a simplex nearest to the origin, and the shares of its corners; none where the origin lies inside a tetrahedron.
fn nearest_to_origin(simplex: &[Vertex]) -> Option<(Vec3, [f64; 4])> {
    let n = simplex.len();
    let mut best = (f64::INFINITY, Vec3::zeros(), [0.0; 4]);
    let mut take = |v: Vec3, shares: [f64; 4]| {
        let square = v.norm_squared();
        if square < best.0 {
            best = (square, v, shares);
        }
    };
    for i in 0..n {
        let p = simplex[i].w;
        let mut shares = [0.0; 4];
        shares[i] = 1.0;
        take(p, shares);
        for j in i + 1..n {
            let d = simplex[j].w - p;
            let t = -p.dot(&d) / d.norm_squared();
            if t > 0.0 && t < 1.0 {
                let mut shares = [0.0; 4];
                (shares[i], shares[j]) = (1.0 - t, t);
                take(p + d * t, shares);
            }
            for k in j + 1..n {
                if let Some((v, [x, y, z])) = on_face(p, d, simplex[k].w - p) {
                    let mut shares = [0.0; 4];
                    (shares[i], shares[j], shares[k]) = (x, y, z);
                    take(v, shares);
                }
            }
        }
    }
    if let [p, q, r, s] = simplex
        && holds_origin([p.w, q.w, r.w, s.w])
    {
        return None;
    }
    Some((best.1, best.2))
}

/// The foot of the origin on the plane p + s d + t e, if it lies inside the triangle, and the shares of the corners.
fn on_face(p: Vec3, d: Vec3, e: Vec3) -> Option<(Vec3, [f64; 3])> {
    let normal = d.cross(&e);
    let square = normal.norm_squared();
    // A face without area has edges that speak for it.
    if square <= f64::EPSILON * f64::EPSILON * d.norm_squared() * e.norm_squared() {
        return None;
    }
    // The areas opposite to the corners, as shares: x = s d + t e with x = −p on the plane.
    let (s, t) = (-normal.dot(&p.cross(&e)) / square, -normal.dot(&d.cross(&p)) / square);
    let inside = s > 0.0 && t > 0.0 && s + t < 1.0;
    inside.then(|| (normal * (normal.dot(&p) / square), [1.0 - s - t, s, t]))
}

/// Whether the origin lies inside a tetrahedron: on the inner side of every face.
fn holds_origin(p: [Vec3; 4]) -> bool {
    (0..4).all(|k| {
        let [i, j, l] = [(k + 1) % 4, (k + 2) % 4, (k + 3) % 4];
        let normal = (p[j] - p[i]).cross(&(p[l] - p[i]));
        let (here, there) = (normal.dot(&-p[i]), normal.dot(&(p[k] - p[i])));
        here * there > 0.0
    })
}
