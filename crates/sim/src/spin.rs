//! Rotation of a free body over a step, at any spin: energy and world angular momentum are kept to rounding.
//!
//! With L the angular momentum in body axes, Euler's equations are L̇ = L × I⁻¹L. Let a be the inverse of the middle principal inertia and
//! B = I⁻¹ − a·1. As L × L = 0, L̇ = L × BL, and the rotation splits exactly:
//!
//! R(t) = exp(t a ℓ) R_B(t), where ℓ = RL is the world angular momentum, a constant, and R_B turns by BL in body axes.
//!
//! The first factor is a closed form at any speed. The second takes the midpoint rule in momentum form,
//!
//! L′ = exp(−τθ̇) L, R_B′ = R_B exp(τθ̇), θ̇ = B(L + L′)/2.
//!
//! A turn about θ̇ keeps θ̇·L, so θ̇·(L′ − L) = 0: energy is exact. R_B′L′ = R_B L: momentum is exact. For bodies with two equal inertias BL keeps to the
//! axis of symmetry, and the rule is exact however long τ is. For others τ is a share of the step, short beside 1/(|L|√|b₁b₃|), with b₁ and b₃ the extreme
//! eigenvalues of B: the rate at which the middle axis tumbles. Newton's method solves the rule; its residual, and what the whole step does
//! to energy and momentum, are measured and bounded.

use crate::integrate::{exp, rotate, rotation_vector, turn};
use crate::state::BodyState;
use crate::{Mat3, Quat, Vec3};

/// Largest product of a substep with the rate of tumbling \[rad\]: Newton's method converges in three steps, from near the only root.
const SUBSTEP_TURN: f64 = 0.25;
/// Substeps of one step, at most: some 10 ms of work.
const MAX_SUBSTEPS: f64 = 20_000.0;
/// Newton steps of a substep, at most.
const MAX_NEWTON_STEPS: usize = 12;
/// Residual at which Newton's method ends, relative to |L|: rounding of the rotation.
const NEWTON_TOL: f64 = 1e-16;
/// Largest residual of a step: a thousand steps then keep energy and momentum to 1e-9.
const SPIN_TOL: f64 = 1e-12;
/// Turn \[rad\] below which the step has one mean spin, to which changes by contacts add. The rotation vector is unique below half a turn.
const MEAN_TURN: f64 = 2.0;

/// Free rotation of a body over a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FreeSpin {
    /// Spin at the end of the step, as a vector fixed in the body and shown in the world axes of the start \[rad/s\].
    pub spin: Vec3,
    /// Rotation at the end of the step.
    pub rotation: Quat,
    /// The constant spin that leads to this rotation \[rad/s\]; `None` where the step turns too far for it to be known.
    pub mean: Option<Vec3>,
    /// Largest spin within the step \[rad/s\].
    pub fastest: f64,
    /// Worst of three relative errors: of the midpoint rule, of the energy, of the world angular momentum.
    pub residual: f64,
}

/// A free rotation that was not found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpinFailure {
    /// Turn in the step \[rad\].
    pub turn: f64,
    /// Residual; infinite where the turn takes too many substeps.
    pub residual: f64,
}

impl FreeSpin {
    /// A body whose spin does not change.
    #[must_use]
    pub fn steady(state: &BodyState, h: f64) -> Self {
        Self {
            spin: state.spin,
            rotation: turn(state.pose.rotation, state.spin, h),
            mean: Some(state.spin),
            fastest: state.spin.norm(),
            residual: 0.0,
        }
    }

    /// Rotation where contacts, joints and torques change the spin at the end of the step by `change`.
    ///
    /// What changes the spin acts for the whole step, as gaps suppose.
    #[must_use]
    pub fn turned(&self, start: Quat, change: Vec3, h: f64) -> Quat {
        match self.mean {
            _ if change == Vec3::zeros() => self.rotation,
            Some(mean) => turn(start, mean + change, h),
            None => turn(self.rotation, change, h),
        }
    }
}

/// Whether a body has one inertia about all axes, to the bit.
pub(crate) fn is_isotropic(inertia: &Mat3) -> bool {
    *inertia == Mat3::from_diagonal_element(inertia.m11)
}

/// Rotation of a body over h without contact and torque.
///
/// # Errors
/// A turn of more substeps than are made, or an energy or momentum that is not kept to 1e-12.
pub fn free_spin(state: &BodyState, inertia_body: &Mat3, h: f64) -> Result<FreeSpin, SpinFailure> {
    let start = state.pose.rotation;
    let spin_body = rotate(&start.inverse(), state.spin);
    let momentum = inertia_body * spin_body;
    if spin_body.cross(&momentum) == Vec3::zeros() {
        return Ok(FreeSpin::steady(state, h));
    }
    let principal = principal_inertias(inertia_body);
    let (a, inverse) = (1.0 / principal[1], inverse(inertia_body));
    let excess = inverse - a * Mat3::identity();
    let size = momentum.norm();
    let tumbling = ((1.0 / principal[0] - a) * (a - 1.0 / principal[2])).max(0.0).sqrt();
    let count = (h * size * tumbling / SUBSTEP_TURN).ceil().max(1.0);
    let failure = |residual: f64| SpinFailure {
        turn: h * state.spin.norm(),
        residual,
    };
    if count.is_nan() || count > MAX_SUBSTEPS {
        return Err(failure(f64::INFINITY));
    }
    let tau = h / count;
    let (mut l, mut turned, mut fastest, mut residual) = (momentum, Quat::identity(), spin_body.norm(), 0.0_f64);
    let mut left = count;
    while left > 0.0 {
        let substep = midpoint(&l, &excess, tau);
        residual = residual.max(substep.residual);
        turned *= substep.turned;
        l = substep.momentum;
        fastest = fastest.max((inverse * l).norm());
        left -= 1.0;
    }
    let world = rotate(&start, momentum);
    let rotation = turn(Quat::new_normalize((start * turned).into_inner()), a * world, h);
    let end = inverse * l;
    let energy = momentum.dot(&(inverse * momentum));
    let errors = [
        residual,
        (l.dot(&end) - energy).abs() / energy,
        (rotation * (inertia_body * end) - world).norm() / size,
    ];
    residual = errors.into_iter().fold(0.0, f64::max);
    // NaN is no maximum, and not below anything.
    if !errors.iter().all(|error| *error <= SPIN_TOL) {
        return Err(failure(residual));
    }
    let mean = (h * fastest < MEAN_TURN).then(|| rotation_vector(rotation * start.inverse()) / h);
    Ok(FreeSpin {
        spin: rotate(&start, end),
        rotation,
        mean,
        fastest,
        residual,
    })
}

/// One substep of the midpoint rule.
struct Substep {
    momentum: Vec3,
    turned: Quat,
    residual: f64,
}

/// Solves L′ = exp(−τB(L + L′)/2) L by Newton's method.
fn midpoint(l: &Vec3, excess: &Mat3, tau: f64) -> Substep {
    let size = l.norm();
    let rotated = |end: &Vec3| {
        let by = 0.5 * tau * (excess * (l + end));
        let turned = exp(by).unwrap_or_else(Quat::identity);
        (by, turned, turned.inverse() * l)
    };
    // The rule with L in place of L′ on the right: first order.
    let mut end = rotated(l).2;
    let (mut by, mut turned, mut image) = rotated(&end);
    let mut error = (end - image).norm();
    for _ in 0..MAX_NEWTON_STEPS {
        if error <= NEWTON_TOL * size {
            break;
        }
        // d exp(−θ)L = L″ × J(−θ)dθ with L″ = exp(−θ)L and J the left Jacobian of the exponential map.
        let derivative = Mat3::identity() - 0.5 * tau * image.cross_matrix() * left_jacobian(&-by) * excess;
        let Some(inverse) = derivative.try_inverse() else { break };
        let next = end - inverse * (end - image);
        let found = rotated(&next);
        let next_error = (next - found.2).norm();
        // Rounding is reached, or the method fails: the residual says which.
        if next_error.is_nan() || next_error >= error {
            break;
        }
        (end, error) = (next, next_error);
        (by, turned, image) = found;
    }
    Substep {
        // Of the same length as L.
        momentum: image * (size / image.norm()),
        turned,
        residual: error / size,
    }
}

/// Left Jacobian of the exponential map: 1 + (1 − cos φ)/φ² [φ] + (φ − sin φ)/φ³ [φ]².
fn left_jacobian(by: &Vec3) -> Mat3 {
    let angle = by.norm();
    let square = angle * angle;
    let (first, second) = if angle < 1e-3 {
        (0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0)
    } else {
        let half = libm::sin(0.5 * angle) / angle;
        (2.0 * half * half, (angle - libm::sin(angle)) / (angle * square))
    };
    let cross = by.cross_matrix();
    Mat3::identity() + first * cross + second * cross * cross
}

fn is_diagonal(m: &Mat3) -> bool {
    m.m12 == 0.0 && m.m13 == 0.0 && m.m23 == 0.0
}

/// Inverse of an inertia; entry by entry where it is diagonal.
fn inverse(inertia: &Mat3) -> Mat3 {
    if is_diagonal(inertia) {
        return Mat3::from_diagonal(&inertia.diagonal().map(|x| 1.0 / x));
    }
    inertia.try_inverse().unwrap_or_else(Mat3::zeros)
}

/// Principal inertias in rising order, by Jacobi's rotations.
fn principal_inertias(inertia: &Mat3) -> [f64; 3] {
    /// Sweeps; convergence is quadratic after the second.
    const SWEEPS: usize = 6;
    let mut m = *inertia;
    for _ in 0..SWEEPS {
        if is_diagonal(&m) {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[(p, q)] == 0.0 {
                continue;
            }
            let ratio = (m[(q, q)] - m[(p, p)]) / (2.0 * m[(p, q)]);
            let sign = if ratio < 0.0 { -1.0 } else { 1.0 };
            let t = sign / (ratio.abs() + (ratio * ratio + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let mut rotation = Mat3::identity();
            (rotation[(p, p)], rotation[(q, q)]) = (c, c);
            (rotation[(p, q)], rotation[(q, p)]) = (t * c, -t * c);
            m = rotation.transpose() * m * rotation;
            (m[(p, q)], m[(q, p)]) = (0.0, 0.0);
        }
    }
    let mut found = [m.m11, m.m22, m.m33];
    found.sort_by(f64::total_cmp);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn energy(s: &BodyState, inertia: &Mat3) -> f64 {
        let w = s.pose.direction_in_body(s.spin);
        0.5 * w.dot(&(inertia * w))
    }

    fn momentum(s: &BodyState, inertia: &Mat3) -> Vec3 {
        s.pose.direction(inertia * s.pose.direction_in_body(s.spin))
    }

    fn step(state: &mut BodyState, inertia: &Mat3, h: f64) {
        let free = free_spin(state, inertia, h).unwrap();
        let body = rotate(&state.pose.rotation.inverse(), free.spin);
        state.pose.rotation = free.rotation;
        state.spin = rotate(&free.rotation, body);
    }

    /// A book that turns about its middle axis tumbles, and keeps energy and momentum.
    #[test]
    fn a_book_tumbles() {
        let inertia = Mat3::from_diagonal(&Vec3::new(1.0, 2.0, 3.0));
        let mut state = BodyState {
            spin: Vec3::new(0.01, 3.0, 0.02),
            ..BodyState::default()
        };
        let (e0, l0) = (energy(&state, &inertia), momentum(&state, &inertia));
        let mut flipped = false;
        for _ in 0..20_000 {
            step(&mut state, &inertia, 1e-3);
            flipped |= state.pose.direction_in_body(state.spin).y < -2.0;
        }
        assert!(flipped);
        let (e, l) = (
            energy(&state, &inertia) / e0 - 1.0,
            (momentum(&state, &inertia) - l0).norm(),
        );
        assert!(e.abs() < 1e-11, "{e:e} {l:e}");
        assert!(l < 1e-11 * l0.norm(), "{l:e}");
    }

    /// A top with two equal inertias precesses about its momentum by |L|/A and turns about its axis by L₃(1/C − 1/A): a closed form, at any speed.
    #[test]
    fn a_symmetric_top_is_exact_in_one_step() {
        for (side, along) in [(1.0, 3.0), (2.0, 1e-3)] {
            let inertia = Mat3::from_diagonal(&Vec3::new(side, side, along));
            let start = BodyState {
                spin: Vec3::new(30.0, 0.0, 70.0),
                ..BodyState::default()
            };
            let mut state = start;
            let h = 0.9;
            step(&mut state, &inertia, h);
            let l = momentum(&start, &inertia);
            let about_axis = turn(
                Quat::identity(),
                Vec3::new(0.0, 0.0, l.z * (1.0 / along - 1.0 / side)),
                h,
            );
            let expected = turn(about_axis, l / side, h);
            let off = state.pose.rotation.angle_to(&expected);
            assert!(off < 1e-12, "{side} {along}: {off:e}");
        }
    }

    /// Halving the step divides the error of the attitude by four.
    #[test]
    fn second_order() {
        let inertia = Mat3::new(1.2, 0.1, -0.2, 0.1, 2.0, 0.3, -0.2, 0.3, 2.7);
        let at_end = |steps: u32| {
            let mut state = BodyState {
                spin: Vec3::new(1.0, 2.0, -0.5),
                ..BodyState::default()
            };
            for _ in 0..steps {
                step(&mut state, &inertia, 1.0 / f64::from(steps));
            }
            state.pose.rotation
        };
        let best = at_end(4096);
        let [coarse, fine] = [32, 64].map(|steps| at_end(steps).angle_to(&best));
        let ratio = coarse / fine;
        assert!((3.8..4.2).contains(&ratio), "{coarse:e} {fine:e}");
    }

    #[test]
    fn principal_inertias_are_those_of_the_turned_body() {
        let turned = turn(Quat::identity(), Vec3::new(0.3, -1.1, 0.7), 1.0).to_rotation_matrix();
        for known in [[1.0, 2.0, 3.0], [1e-6, 1.0, 1.0], [2.0, 2.0, 2.0]] {
            let body = Mat3::from_diagonal(&Vec3::from(known));
            let found = principal_inertias(&(turned.matrix() * body * turned.matrix().transpose()));
            for k in 0..3 {
                assert!((found[k] - known[k]).abs() < 1e-14 * known[2], "{found:?} {known:?}");
            }
        }
    }
}
