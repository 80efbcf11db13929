//! Coulomb's law at one contact as a projection, and its derivative \[Alart and Curnier 1991\].

/// What the projection does with a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Mode {
    /// x_n ≤ 0: no impulse.
    #[default]
    Open,
    /// Inside the disc: the projection changes nothing.
    Stick,
    /// Outside the disc of radius μ x_n.
    Slide,
    /// Dynamic: friction is the normal impulse times what the slip gives, wherever x_t is.
    Drag,
}

/// P(x) = (max(0, x_n), x_t cut to the disc of radius μ max(0, x_n)).
#[inline]
pub(super) fn project(x: [f64; 3], mu: f64) -> ([f64; 3], Mode) {
    if x[0] <= 0.0 {
        return ([0.0; 3], Mode::Open);
    }
    let square = x[1] * x[1] + x[2] * x[2];
    // An infinite μ has an infinite radius; 0 · ∞ does not arise, since x_n > 0.
    let radius = mu * x[0];
    if square <= radius * radius {
        return (x, Mode::Stick);
    }
    let s = radius / square.sqrt();
    ([x[0], s * x[1], s * x[2]], Mode::Slide)
}

/// Outward normal of the side of a regular polygon, with a corner at (1, 0), that lies nearest to a point, and the angle from there to a corner.
fn side(x: [f64; 3], directions: usize) -> ([f64; 2], f64) {
    let half = std::f64::consts::PI / directions as f64;
    let number = (libm::atan2(x[2], x[1]) / (2.0 * half)).floor();
    let angle = (2.0 * number + 1.0) * half;
    ([libm::cos(angle), libm::sin(angle)], half)
}

/// P(x) = (max(0, x_n), x_t cut to the polygon whose corners have the distance μ max(0, x_n)).
pub(super) fn project_polygon(x: [f64; 3], mu: f64, directions: usize) -> ([f64; 3], Mode) {
    let (round, mode) = project(x, mu);
    if mode == Mode::Open || mu * x[0] == f64::INFINITY {
        return (round, mode);
    }
    let (n, half) = side(x, directions);
    let far = mu * x[0] * libm::cos(half);
    if n[0] * x[1] + n[1] * x[2] <= far {
        return (x, Mode::Stick);
    }
    let most = mu * x[0] * libm::sin(half);
    // Not `clamp`, which panics on what is not a number.
    let along = (n[0] * x[2] - n[1] * x[1]).max(-most).min(most);
    (
        [x[0], far * n[0] - along * n[1], far * n[1] + along * n[0]],
        Mode::Slide,
    )
}

/// r DP(x) of a contact that slides on a polygon: along a side the friction follows x_t, at a corner the normal impulse alone.
pub(super) fn derivative_polygon(x: [f64; 3], mu: f64, directions: usize, r: f64) -> [[f64; 3]; 3] {
    let (n, half) = side(x, directions);
    let (far, most) = (mu * libm::cos(half), mu * libm::sin(half));
    let along = n[0] * x[2] - n[1] * x[1];
    if along.abs() >= most * x[0] {
        let turn = most.copysign(along);
        let corner = [far * n[0] - turn * n[1], far * n[1] + turn * n[0]];
        return [[r, 0.0, 0.0], [r * corner[0], 0.0, 0.0], [r * corner[1], 0.0, 0.0]];
    }
    [
        [r, 0.0, 0.0],
        [r * far * n[0], r * n[1] * n[1], -r * n[0] * n[1]],
        [r * far * n[1], -r * n[0] * n[1], r * n[0] * n[0]],
    ]
}

/// P(x) = max(0, x_n) (1, drag): a dynamic contact \[Baraff (24)\].
#[inline]
pub(super) fn project_dynamic(x: [f64; 3], drag: [f64; 2]) -> ([f64; 3], Mode) {
    if x[0] <= 0.0 {
        return ([0.0; 3], Mode::Open);
    }
    ([x[0], drag[0] * x[0], drag[1] * x[0]], Mode::Drag)
}

/// r DP(x) of a dynamic contact that is not open.
#[inline]
pub(super) fn derivative_dynamic(drag: [f64; 2], r: f64) -> [[f64; 3]; 3] {
    [[r, 0.0, 0.0], [r * drag[0], 0.0, 0.0], [r * drag[1], 0.0, 0.0]]
}

/// r DP(x), rows by impulse, columns by velocity; for a contact that is not open.
///
/// Sliding: P_t = μ x_n t with t = x_t/|x_t|, so ∂P_t/∂x_n = μ t and ∂P_t/∂x_t = (μ x_n/|x_t|)(I − t tᵀ).
#[inline]
pub(super) fn derivative(x: [f64; 3], mu: f64, mode: Mode, r: f64) -> [[f64; 3]; 3] {
    if mode == Mode::Stick {
        return [[r, 0.0, 0.0], [0.0, r, 0.0], [0.0, 0.0, r]];
    }
    let length = (x[1] * x[1] + x[2] * x[2]).sqrt();
    let t = [x[1] / length, x[2] / length];
    let k = r * mu * x[0] / length;
    let m = r * mu;
    let cross = -k * t[0] * t[1];
    [
        [r, 0.0, 0.0],
        [m * t[0], k * t[1] * t[1], cross],
        [m * t[1], cross, k * t[0] * t[0]],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points around the polygon: inside, beyond its sides and beyond its corners.
    fn points() -> impl Iterator<Item = [f64; 3]> {
        (0..200).map(|k| {
            let (angle, far) = (0.37 * f64::from(k), 0.1 + 0.013 * f64::from(k));
            [0.8, far * libm::cos(angle), far * libm::sin(angle)]
        })
    }

    #[test]
    fn a_point_goes_to_the_nearest_of_the_polygon() {
        for (x, corners) in points().zip([3, 4, 5, 8].into_iter().cycle()) {
            let (P, mode) = project_polygon(x, 0.5, corners);
            // Against the corners all of the polygon is behind: (x − P)ᵀ(c − P) ≤ 0.
            for j in 0..corners {
                let angle = 2.0 * std::f64::consts::PI * j as f64 / corners as f64;
                let c = [0.4 * libm::cos(angle), 0.4 * libm::sin(angle)];
                let behind = (x[1] - P[1]) * (c[0] - P[1]) + (x[2] - P[2]) * (c[1] - P[2]);
                assert!(behind <= 1e-14, "{x:?} {P:?} {corners}");
            }
            assert_eq!(mode == Mode::Stick, P == x);
        }
    }

    #[test]
    fn the_derivative_on_a_polygon_is_that_of_the_projection() {
        let h = 1e-7;
        for x in points() {
            let (P, mode) = project_polygon(x, 0.5, 8);
            if mode != Mode::Slide {
                continue;
            }
            let D = derivative_polygon(x, 0.5, 8, 2.0);
            for c in 0..3 {
                let mut near = x;
                near[c] += h;
                let (Q, _) = project_polygon(near, 0.5, 8);
                for r in 0..3 {
                    assert!((2.0 * (Q[r] - P[r]) / h - D[r][c]).abs() < 1e-6, "{x:?} {r} {c}");
                }
            }
        }
    }
}
