//! Ellipsoids about the origin with semi-axes along x, y and z: support, nearest point, directions of least distance.
//!
//! With A = diag(a) the point with outward normal n is A²n/|An|, and the ellipsoid reaches |An| along a unit n. Two convex bodies are apart by the largest value over
//! unit n of n·d − h₁(n) − h₂(n), where d leads from the first to the second and h is how far a body reaches towards the other. Up to a shallow overlap that has one maximum.

use crate::collision::closest::Nearest;
use crate::{Mat3, Vec3};

/// Newton steps of the nearest point, at most: it approaches from one side, by half the digits and more each.
const MAX_FOOT_STEPS: usize = 200;
/// Newton steps of a direction, at most.
const MAX_TURN_STEPS: usize = 100;
/// Turns below this are near the end \[rad\].
const NEAR_END_ANGLE: f64 = 1e-5;
/// A turn that finds less is halved down to this share.
const LEAST_STEP_SHARE: f64 = 1e-6;

/// The point of the surface farthest along n, which need not be a unit vector.
#[must_use]
pub fn support(semi_axes: &Vec3, n: &Vec3) -> Vec3 {
    let scaled = semi_axes.component_mul(n);
    let reach = scaled.norm();
    if reach > 0.0 {
        semi_axes.component_mul(&scaled) / reach
    } else {
        Vec3::zeros()
    }
}

/// How far it reaches along a unit vector \[m\].
pub(crate) fn reach(semi_axes: &Vec3, n: &Vec3) -> f64 {
    semi_axes.component_mul(n).norm()
}

/// The least radius of curvature \[m\]: a ball of this radius rolls freely inside.
pub(crate) fn least_curvature_radius(semi_axes: &Vec3) -> f64 {
    semi_axes.min() * (semi_axes.min() / semi_axes.max())
}

/// Signed distance of a point from the surface, and the outward normal at the nearest place of it.
pub(crate) fn nearest(semi_axes: &Vec3, x: Vec3) -> Nearest {
    let (distance, [nx, ny, nz]) = foot([semi_axes.x, semi_axes.y, semi_axes.z], [x.x, x.y, x.z]);
    Nearest {
        distance,
        normal: Vec3::new(nx, ny, nz),
    }
}

/// Signed distance between the surface and the line through x along a unit vector, and the outward normal there, perpendicular to the line.
pub(crate) fn nearest_to_line(semi_axes: &Vec3, x: Vec3, along: Vec3) -> Nearest {
    let u = along.cross(&least_axis(&along)).normalize();
    let v = along.cross(&u);
    let [su, sv] = [u, v].map(|e| semi_axes.component_mul(&e));
    // The shadow along the line is an ellipse: its squared semi-axes are eigenvalues of a matrix of two rows.
    let (p, q, r) = (su.norm_squared(), su.dot(&sv), sv.norm_squared());
    let angle = 0.5 * libm::atan2(2.0 * q, p - r);
    let (s, c) = (libm::sin(angle), libm::cos(angle));
    let axes = [c * u + s * v, c * v - s * u];
    let shadow = axes.map(|e| semi_axes.component_mul(&e).norm());
    let (distance, n) = foot(shadow, axes.map(|e| e.dot(&x)));
    Nearest {
        distance,
        normal: n[0] * axes[0] + n[1] * axes[1],
    }
}

/// The unit vector along the axis that a vector is farthest from.
fn least_axis(d: &Vec3) -> Vec3 {
    let mut e = Vec3::zeros();
    e[d.iamin()] = 1.0;
    e
}

/// Signed distance of p from an ellipsoid with semi-axes a, and the outward normal at the nearest point x: p − x = t (x_i/a_i²), so that
/// Σ (a_i p_i/(t + a_i²))² = 1. The sum falls with t and is convex beyond −min a², and Newton's method from the left does not overshoot.
fn foot<const N: usize>(a: [f64; N], p: [f64; N]) -> (f64, [f64; N]) {
    let least = a.iter().copied().fold(f64::INFINITY, f64::min);
    // Each term alone is 1 at a_i |p_i| − a_i²: the sum is no less there.
    let mut t = (0..N).fold(-least * least, |t, i| t.max(a[i] * (p[i].abs() - a[i])));
    let below = |t: f64| {
        let mut sums = [-1.0, 0.0];
        for i in (0..N).filter(|i| p[*i] != 0.0) {
            let share = a[i] * p[i] / (t + a[i] * a[i]);
            sums[0] += share * share;
            sums[1] -= 2.0 * share * share / (t + a[i] * a[i]);
        }
        sums
    };
    // Inside, on the plane of symmetry across the shortest axis: the nearest place may lie off that plane, on either side.
    if t <= -least * least {
        let share = |i: usize| {
            let room = a[i] * a[i] - least * least;
            if p[i] == 0.0 { 0.0 } else { a[i] * p[i] / room }
        };
        let sum: f64 = (0..N).map(|i| share(i) * share(i)).sum();
        if sum < 1.0 {
            let shortest = (0..N).find(|i| a[*i] == least).unwrap_or(0);
            let mut n: [f64; N] = std::array::from_fn(|i| share(i) / a[i]);
            n[shortest] = (1.0 - sum).sqrt() / least;
            return unit(t, n);
        }
    }
    for _ in 0..MAX_FOOT_STEPS {
        let [value, slope] = below(t);
        let next = t - value / slope;
        if next <= t || next.is_nan() {
            break;
        }
        t = next;
    }
    let n = std::array::from_fn(|i| if p[i] == 0.0 { 0.0 } else { p[i] / (t + a[i] * a[i]) });
    unit(t, n)
}

/// Distance and unit normal from t and x_i/a_i².
fn unit<const N: usize>(t: f64, n: [f64; N]) -> (f64, [f64; N]) {
    let size = n.iter().map(|x| x * x).sum::<f64>().sqrt();
    (t * size, n.map(|x| x / size))
}

/// The largest value over unit n of n·d − Σ |Q^½ n|: how far two bodies are apart whose centres are d apart, and the direction from the first to the second. Q holds the
/// squared semi-axes of an ellipsoid, or those of a disc.
pub(crate) fn widest_gap(d: Vec3, forms: &[Mat3; 2]) -> Nearest {
    let value = |n: &Vec3| n.dot(&d) - forms.iter().map(|q| n.dot(&(q * n)).max(0.0).sqrt()).sum::<f64>();
    // Along the centres, or across the ellipsoids as if they were one.
    let as_one = (forms[0] + forms[1]).try_inverse().map(|inverse| inverse * d);
    let starts = [d, as_one.unwrap_or(d)].map(|n| n.try_normalize(0.0).unwrap_or_else(Vec3::z));
    let mut n = if value(&starts[0]) >= value(&starts[1]) {
        starts[0]
    } else {
        starts[1]
    };
    let mut best = value(&n);
    let mut last = f64::INFINITY;
    for _ in 0..MAX_TURN_STEPS {
        let Some(turn) = newton_turn(d, forms, &n, best) else {
            break;
        };
        let size = turn.norm();
        // Near the end the value says nothing more: it is flat there, and the turns themselves must shrink.
        if size < NEAR_END_ANGLE {
            if size >= last {
                break;
            }
            n = (n + turn).normalize();
            best = value(&n);
            last = size;
            continue;
        }
        let shares = std::iter::successors(Some(1.0), |share| (*share > LEAST_STEP_SHARE).then_some(0.5 * share));
        let turned = shares.map(|share| (n + share * turn).normalize());
        let Some(next) = turned.into_iter().find(|next| value(next) >= best) else {
            break;
        };
        (n, best) = (next, value(&next));
    }
    Nearest {
        distance: best,
        normal: n,
    }
}

/// The turn towards the largest gap: with the gradient g at n, whose part along n is the value, the curvature across n is −(K + value), K being that of both reaches.
fn newton_turn(d: Vec3, forms: &[Mat3; 2], n: &Vec3, value: f64) -> Option<Vec3> {
    let u = n.cross(&least_axis(n)).normalize();
    let v = n.cross(&u);
    let mut g = d;
    let mut k = [value, 0.0, value];
    for q in forms {
        let qn = q * n;
        let size = n.dot(&qn).max(0.0).sqrt();
        if size <= 0.0 {
            continue;
        }
        g -= qn / size;
        let (along_u, along_v) = (u.dot(&qn) / size, v.dot(&qn) / size);
        let [qu, qv] = [q * u, q * v];
        k[0] += (u.dot(&qu) - along_u * along_u) / size;
        k[1] += (u.dot(&qv) - along_u * along_v) / size;
        k[2] += (v.dot(&qv) - along_v * along_v) / size;
    }
    // Deep overlap bends the other way: then uphill, no farther than a radian.
    let mean = 0.5 * (k[0] + k[2]);
    let spread = libm::hypot(0.5 * (k[0] - k[2]), k[1]);
    let scale = mean.abs() + spread;
    let lift = (1e-3 * scale - (mean - spread)).max(0.0);
    let (a, b, c) = (k[0] + lift, k[1], k[2] + lift);
    let det = a * c - b * b;
    let (gu, gv) = (g.dot(&u), g.dot(&v));
    let turn = ((c * gu - b * gv) / det) * u + ((a * gv - b * gu) / det) * v;
    let size = turn.norm();
    if !size.is_finite() {
        return None;
    }
    Some(if size > 1.0 { turn / size } else { turn })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_point_satisfies_its_conditions() {
        let semi_axes = Vec3::new(2.0, 0.5, 1.0);
        for x in [
            Vec3::new(3.0, 1.0, -2.0),
            Vec3::new(0.0, 0.0, 5.0),
            Vec3::new(1.0, 0.01, 0.3),
            Vec3::new(0.1, 0.0, 0.0),
            Vec3::new(1.99, 0.0, 0.0),
            Vec3::zeros(),
            Vec3::new(1e3, -1e-9, 1e-9),
        ] {
            let found = nearest(&semi_axes, x);
            let on_surface = support(&semi_axes, &found.normal);
            let off = (on_surface + found.distance * found.normal - x).norm();
            assert!(off <= 1e-13 * (1.0 + x.norm()), "{x:?}: {off:e}");
            assert!((found.normal.norm() - 1.0).abs() < 1e-14, "{x:?}");
            let inside = x.component_div(&semi_axes).norm() < 1.0;
            assert_eq!(found.distance < 0.0, inside, "{x:?}: {}", found.distance);
        }
        // Inside the nearest of all is meant: no point of the surface is nearer.
        let found = nearest(&semi_axes, Vec3::new(0.1, 0.0, 0.0));
        assert!(
            (found.distance + 0.5 * (1.0 - 0.01 / 3.75_f64).sqrt()).abs() < 1e-14,
            "{}",
            found.distance
        );
    }

    #[test]
    fn a_line_is_met_square() {
        let semi_axes = Vec3::new(2.0, 0.5, 1.0);
        let (x, along) = (Vec3::new(1.0, 3.0, -2.0), Vec3::new(0.6, 0.0, 0.8));
        let found = nearest_to_line(&semi_axes, x, along);
        let on_surface = support(&semi_axes, &found.normal);
        let to = on_surface + found.distance * found.normal - x;
        assert!(found.normal.dot(&along).abs() < 1e-15);
        assert!((to - along * along.dot(&to)).norm() < 1e-13, "{to:?}");
    }

    #[test]
    fn two_balls_are_apart_by_their_radii() {
        let forms = [1.0, 4.0].map(Mat3::from_diagonal_element);
        let found = widest_gap(Vec3::new(0.0, 3.0, 4.0), &forms);
        assert!((found.distance - 2.0).abs() < 1e-14 && (found.normal - Vec3::new(0.0, 0.6, 0.8)).norm() < 1e-14);
    }
}
