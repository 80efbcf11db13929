//! Velocities and poses forward.

use crate::state::BodyState;
use crate::{Mat3, Quat, Vec3};

/// Newton steps for the spin of a free body; two suffice for spins that turn a body by less than a radian a step.
const SPIN_STEPS: usize = 8;

/// Spin after a step of `h` without contact, torque in world axes: Euler's equations by the implicit midpoint rule in body axes, which keeps
/// kinetic energy and the size of the angular momentum exactly where there is no torque.
///
/// I(ω′ − ω) + h ω̄ × Iω̄ = hτ with ω̄ = (ω + ω′)/2.
#[must_use]
pub fn free_spin(state: &BodyState, inertia_body: &Mat3, torque: Vec3, h: f64) -> Vec3 {
    let w0 = state.pose.direction_in_body(state.spin);
    let tau = state.pose.direction_in_body(torque);
    let mut w = w0;
    for _ in 0..SPIN_STEPS {
        let mid = 0.5 * (w0 + w);
        let momentum = inertia_body * mid;
        let f = inertia_body * (w - w0) + h * (mid.cross(&momentum) - tau);
        // d(ω̄ × Iω̄) = ½([ω̄]I − [Iω̄])dω
        let derivative = inertia_body + 0.5 * h * (mid.cross_matrix() * inertia_body - momentum.cross_matrix());
        let Some(inverse) = derivative.try_inverse() else { break };
        let step = inverse * f;
        w -= step;
        if step.norm() <= 1e-15 * (w.norm() + w0.norm()) {
            break;
        }
    }
    state.pose.direction(w)
}

/// Rotation by the spin ω over h by Cayley's map: a unit quaternion without trigonometry, second order in h|ω|.
#[must_use]
pub fn turn(rotation: Quat, spin: Vec3, h: f64) -> Quat {
    let half = 0.5 * h * spin;
    let q = nalgebra::Quaternion::new(1.0, half.x, half.y, half.z);
    Quat::new_normalize(q * rotation.into_inner())
}

/// Inertia in world axes.
#[must_use]
pub fn inertia_world(rotation: &Quat, inertia_body: &Mat3) -> Mat3 {
    let r = rotation.to_rotation_matrix();
    r.matrix() * inertia_body * r.matrix().transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A book that turns about its middle axis tumbles, and keeps energy and momentum.
    #[test]
    fn a_free_body_keeps_energy_and_momentum() {
        let inertia = Mat3::from_diagonal(&Vec3::new(1.0, 2.0, 3.0));
        let mut state = BodyState {
            spin: Vec3::new(0.01, 3.0, 0.02),
            ..BodyState::default()
        };
        let energy = |s: &BodyState| {
            let w = s.pose.direction_in_body(s.spin);
            0.5 * w.dot(&(inertia * w))
        };
        let size = |s: &BodyState| (inertia * s.pose.direction_in_body(s.spin)).norm();
        let (e0, l0) = (energy(&state), size(&state));
        let mut flipped = false;
        for _ in 0..20_000 {
            let spin = free_spin(&state, &inertia, Vec3::zeros(), 1e-3);
            let mid = 0.5 * (spin + state.spin);
            let body = state.pose.direction_in_body(spin);
            state.pose.rotation = turn(state.pose.rotation, mid, 1e-3);
            state.spin = state.pose.direction(body);
            flipped |= state.pose.direction_in_body(state.spin).y < -2.0;
        }
        assert!(flipped);
        assert!(
            (energy(&state) / e0 - 1.0).abs() < 1e-11,
            "{}",
            energy(&state) / e0 - 1.0
        );
        assert!((size(&state) / l0 - 1.0).abs() < 1e-11, "{}", size(&state) / l0 - 1.0);
    }
}
