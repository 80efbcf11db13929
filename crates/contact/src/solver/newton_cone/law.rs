//! Coulomb's law at one contact as a projection, and its derivative.

/// Which projection a step uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Law {
    /// Normal first, then the disc of that radius: Coulomb's law as it is, not symmetric where a contact slides.
    Disc,
    /// Nearest point of the cone, for a normal velocity raised by a given s: symmetric, the gradient of a convex function.
    Cone,
}

/// What the projection does with a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Mode {
    /// No impulse.
    #[default]
    Open,
    /// Inside the cone: the projection changes nothing.
    Stick,
    /// On the surface of the cone.
    Slide,
}

/// P(x) = (max(0, x_n), x_t cut to the disc of radius μ max(0, x_n)).
#[inline]
pub(super) fn project_disc(x: [f64; 3], mu: f64) -> ([f64; 3], Mode) {
    if x[0] <= 0.0 {
        return ([0.0; 3], Mode::Open);
    }
    let square = x[1] * x[1] + x[2] * x[2];
    // An infinite μ has an infinite radius, 0 · ∞ does not arise: x_n > 0.
    let radius = mu * x[0];
    if square <= radius * radius {
        return (x, Mode::Stick);
    }
    let s = radius / square.sqrt();
    ([x[0], s * x[1], s * x[2]], Mode::Slide)
}

/// DP(x) of [`project_disc`], rows by impulse.
///
/// Sliding: P_t = μ x_n t with t = x_t/|x_t|, so ∂P_t/∂x_n = μ t and ∂P_t/∂x_t = (μ x_n/|x_t|)(I − t tᵀ).
#[inline]
pub(super) fn derivative_disc(x: [f64; 3], mu: f64, mode: Mode) -> [[f64; 3]; 3] {
    match mode {
        Mode::Open => [[0.0; 3]; 3],
        Mode::Stick => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        Mode::Slide => {
            let length = (x[1] * x[1] + x[2] * x[2]).sqrt();
            let t = [x[1] / length, x[2] / length];
            let k = mu * x[0] / length;
            let cross = -k * t[0] * t[1];
            [
                [1.0, 0.0, 0.0],
                [mu * t[0], k * t[1] * t[1], cross],
                [mu * t[1], cross, k * t[0] * t[0]],
            ]
        }
    }
}

/// Nearest point of the cone |x_t| ≤ μ x_n.
#[inline]
pub(super) fn project_cone(x: [f64; 3], mu: f64) -> ([f64; 3], Mode) {
    let length = (x[1] * x[1] + x[2] * x[2]).sqrt();
    if length <= mu * x[0] {
        return (x, Mode::Stick);
    }
    if mu * length <= -x[0] {
        return ([0.0; 3], Mode::Open);
    }
    let a = (x[0] + mu * length) / (1.0 + mu * mu);
    let s = mu * a / length;
    ([a, s * x[1], s * x[2]], Mode::Slide)
}

/// Derivative of [`project_cone`], symmetric.
///
/// Sliding: P = a (1, μt) with a = (x_n + μ|x_t|)/(1 + μ²), so DP = (1, μt)(1, μt)ᵀ/(1 + μ²) + (μa/|x_t|)(I − t tᵀ).
#[inline]
pub(super) fn derivative_cone(x: [f64; 3], mu: f64, mode: Mode) -> [[f64; 3]; 3] {
    match mode {
        Mode::Open => [[0.0; 3]; 3],
        Mode::Stick => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        Mode::Slide => {
            let length = (x[1] * x[1] + x[2] * x[2]).sqrt();
            let t = [x[1] / length, x[2] / length];
            let w = 1.0 / (1.0 + mu * mu);
            let k = mu * (x[0] + mu * length) * w / length;
            let m = mu * w;
            let mm = mu * m;
            let cross = (mm - k) * t[0] * t[1];
            [
                [w, m * t[0], m * t[1]],
                [m * t[0], mm * t[0] * t[0] + k * t[1] * t[1], cross],
                [m * t[1], cross, mm * t[1] * t[1] + k * t[0] * t[0]],
            ]
        }
    }
}
