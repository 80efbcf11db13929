//! Where two convex faces lie on each other: the corners of their common part carry the contacts.

use std::f64::consts::FRAC_1_SQRT_2;

pub(super) type Point = [f64; 2];

/// Corners nearer than this are one contact, in units of a face's side.
const SAME_CORNER: f64 = 1e-9;

/// A square of unit side about the origin, corners counter-clockwise.
pub(super) const SQUARE: [Point; 4] = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];

/// The square turned by 45°.
pub(super) const DIAMOND: [Point; 4] = [
    [0.0, -FRAC_1_SQRT_2],
    [FRAC_1_SQRT_2, 0.0],
    [0.0, FRAC_1_SQRT_2],
    [-FRAC_1_SQRT_2, 0.0],
];

/// The square turned by an angle [rad] and moved.
pub(super) fn turned(angle: f64, offset: Point) -> [Point; 4] {
    let (c, s) = (libm::cos(angle), libm::sin(angle));
    SQUARE.map(|[x, y]| [c * x - s * y + offset[0], s * x + c * y + offset[1]])
}

/// The common part of two convex polygons given counter-clockwise: `face` cut by each edge of `by` in turn (Sutherland, Hodgman
/// 1974).
pub(super) fn common(face: &[Point], by: &[Point]) -> Vec<Point> {
    let mut rest = face.to_vec();
    for (i, from) in by.iter().enumerate() {
        rest = cut(&rest, *from, by[(i + 1) % by.len()]);
    }
    let mut corners: Vec<Point> = Vec::new();
    for p in rest {
        let near = |q: &Point| (p[0] - q[0]).abs().max((p[1] - q[1]).abs()) < SAME_CORNER;
        if !corners.iter().any(near) {
            corners.push(p);
        }
    }
    corners
}

/// The part of a polygon to the left of a line.
fn cut(polygon: &[Point], from: Point, to: Point) -> Vec<Point> {
    let side = |p: &Point| (to[0] - from[0]) * (p[1] - from[1]) - (to[1] - from[1]) * (p[0] - from[0]);
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (i, p) in polygon.iter().enumerate() {
        let q = &polygon[(i + 1) % polygon.len()];
        let (at_p, at_q) = (side(p), side(q));
        if at_p >= 0.0 {
            kept.push(*p);
        }
        if (at_p > 0.0 && at_q < 0.0) || (at_p < 0.0 && at_q > 0.0) {
            let t = at_p / (at_p - at_q);
            kept.push([p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])]);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_faces_share_four_corners_and_turned_ones_eight() {
        assert_eq!(common(&SQUARE, &SQUARE), SQUARE);
        let eight = common(&SQUARE, &DIAMOND);
        assert_eq!(eight.len(), 8);
        for p in eight {
            let largest = p[0].abs().max(p[1].abs());
            assert!((largest - 0.5).abs() < 1e-15, "{p:?}");
            assert!((p[0].abs() + p[1].abs() - FRAC_1_SQRT_2).abs() < 1e-15, "{p:?}");
        }
    }

    #[test]
    fn faces_apart_share_nothing() {
        assert!(common(&SQUARE, &turned(0.3, [3.0, 0.0])).is_empty());
    }
}
