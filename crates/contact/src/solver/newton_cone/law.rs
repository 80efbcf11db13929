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
