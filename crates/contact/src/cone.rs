//! Friction directions: the polygon that stands for the friction circle.
//!
//! Direction j of a contact is d_j = cos a_j t_x + sin a_j t_y with a_j = 2πj/d \[Lloyd 2\]. Only the two tangents are stored, so that
//! any number of directions costs two products a contact. A planar contact (t_y = 0) has the two directions ± t_x.

use std::f64::consts::TAU;

/// Fewest and most directions a contact may have. Sets of directions are kept in the bits of a `u64`.
pub const DIRECTION_RANGE: std::ops::RangeInclusive<usize> = 3..=64;

/// Stands for μ = ∞ in methods that need a number. The judge accepts the answer only where the contact sticks, which is right for
/// every larger μ.
const NO_SLIP_MU: f64 = 1e6;

/// μ, or a number that stands for ∞.
pub(crate) fn finite_mu(mu: f64) -> f64 {
    if mu.is_infinite() { NO_SLIP_MU } else { mu }
}

/// Cosines and sines of d equally spaced angles.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Circle {
    directions: Vec<[f64; 2]>,
}

impl Circle {
    /// The circle cut into `d` directions. The first is t_x; opposite directions are exactly opposite where d is even.
    #[must_use]
    pub fn new(d: usize) -> Self {
        let mut circle = Self::default();
        circle.set(d);
        circle
    }

    /// Cuts the circle into `d` directions. Does not allocate when `d` has been seen before or was larger.
    pub fn set(&mut self, d: usize) {
        if self.directions.len() == d {
            return;
        }
        self.directions.clear();
        self.directions.extend((0..d).map(|j| direction(j, d)));
    }

    /// Number of directions d.
    #[must_use]
    pub fn count(&self) -> usize {
        self.directions.len()
    }

    /// (cos a_j, sin a_j).
    #[inline]
    #[must_use]
    pub fn direction(&self, j: usize) -> [f64; 2] {
        self.directions[j]
    }

    /// All directions.
    #[must_use]
    pub fn directions(&self) -> &[[f64; 2]] {
        &self.directions
    }
}

/// Direction j of d. Computed in the first octant and reflected, so that symmetric directions have the same bits; `libm` gives the
/// same bits on every machine.
fn direction(j: usize, d: usize) -> [f64; 2] {
    let eighths = 8 * j;
    let (octant, rest) = (eighths / d, eighths % d);
    // Angle inside the octant, measured from its even-numbered (axis) end.
    let part = if octant % 2 == 0 { rest } else { d - rest };
    let a = TAU * part as f64 / (8 * d) as f64;
    let (c, s) = if part == d {
        (std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2)
    } else {
        (libm::cos(a), libm::sin(a))
    };
    match octant {
        0 => [c, s],
        1 => [s, c],
        2 => [-s, c],
        3 => [-c, s],
        4 => [-c, -s],
        5 => [-s, -c],
        6 => [s, -c],
        _ => [c, -s],
    }
}

/// f as a sum of the two directions beside it, which has the least Σφ of all such sums.
pub(crate) fn neighbours(count: usize, direction: impl Fn(usize) -> [f64; 2], f: [f64; 2]) -> [(usize, f64); 2] {
    let mut best = 0;
    for j in 1..count {
        if dot(direction(j), f) > dot(direction(best), f) {
            best = j;
        }
    }
    let d = direction(best);
    let turn = cross(d, f);
    let other = if turn >= 0.0 {
        (best + 1) % count
    } else {
        (best + count - 1) % count
    };
    let e = direction(other);
    let area = cross(d, e);
    if area == 0.0 {
        // Two opposite directions.
        return [(best, dot(d, f)), (other, 0.0)];
    }
    [(best, (cross(f, e) / area).max(0.0)), (other, (turn / area).max(0.0))]
}

/// Length of a vector without overflow or underflow on the way.
pub(crate) fn length(x: [f64; 2]) -> f64 {
    let square = x[0] * x[0] + x[1] * x[1];
    if (1e-200..1e200).contains(&square) || x == [0.0; 2] {
        square.sqrt()
    } else {
        libm::hypot(x[0], x[1])
    }
}

pub(crate) fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_lie_on_the_circle_and_oppose_exactly() {
        for d in DIRECTION_RANGE.chain([2]) {
            let circle = Circle::new(d);
            for j in 0..d {
                let [c, s] = circle.direction(j);
                let a = TAU * j as f64 / d as f64;
                assert!(
                    (c - a.cos()).abs() < 1e-14 && (s - a.sin()).abs() < 1e-14,
                    "d = {d}, j = {j}"
                );
                if d % 2 == 0 {
                    let [co, so] = circle.direction((j + d / 2) % d);
                    assert_eq!((co, so), (-c, -s), "d = {d}, j = {j}");
                }
            }
        }
    }

    #[test]
    fn taken_apart_friction_adds_up_with_least_sum() {
        for d in [3, 4, 5, 8, 17] {
            let circle = Circle::new(d);
            for k in 0..100 {
                let a = 0.0628 * f64::from(k);
                let f = [2.0 * a.cos(), 2.0 * a.sin()];
                let parts = neighbours(d, |j| circle.direction(j), f);
                let mut rest = f;
                for (j, phi) in parts {
                    assert!(phi >= 0.0);
                    let e = circle.direction(j);
                    rest = [rest[0] - phi * e[0], rest[1] - phi * e[1]];
                }
                assert!(libm::hypot(rest[0], rest[1]) < 1e-14, "d = {d}, k = {k}: {rest:?}");
                let least = 2.0 / (std::f64::consts::PI / d as f64).cos();
                let sum = parts[0].1 + parts[1].1;
                assert!(sum >= 2.0 - 1e-14 && sum <= least + 1e-12, "d = {d}, k = {k}: {sum}");
            }
        }
    }
}
