//! The explosion: a velocity that opens every contact faster than friction could hold it. It exists exactly where nothing can be wedged: where no forces in
//! the cones cancel in every body.

use crate::equilibrium::Equilibrium;
use crate::program::{Cones, Ending, Forces, Velocities};

/// What a structure is capable of without any load.
#[derive(Debug, Clone, PartialEq)]
pub enum SelfStress {
    /// It cannot be wedged: a velocity that opens every contact.
    None(Vec<f64>),
    /// It can be wedged: forces that cancel, as a program found them.
    Some(Forces),
    /// The program failed.
    Unknown,
}

/// Whether contacts can be wedged: the shortest v with u_n ≥ μ|u_t| + 1 at every contact, or forces that show that there is none.
#[must_use]
pub fn self_stress(whole: &Equilibrium) -> SelfStress {
    let cones = Cones {
        shift: 1.0,
        ..Cones::default()
    };
    let mut program = Velocities::new(whole, &cones);
    program.rows.set_quadratic(vec![1.0; whole.load().len()]);
    let found = program.rows.solve();
    match found.ending {
        Ending::Solved => SelfStress::None(program.velocities(&found.x)),
        Ending::Infeasible => SelfStress::Some(program.forces(&found.z)),
        _ => SelfStress::Unknown,
    }
}

/// Steps in which the explosion is added.
const STEPS: usize = 24;

/// v + εv₀ for the least ε = 2⁻ᵏ of a row that is accepted; `None` where contacts can be wedged or no ε is enough.
pub(crate) fn strict(whole: &Equilibrium, velocity: &[f64], accept: impl Fn(&[f64]) -> bool) -> Option<Vec<f64>> {
    let SelfStress::None(explosion) = self_stress(whole) else {
        return None;
    };
    shifted(whole, velocity, &explosion, accept)
}

/// The same with an explosion that is known.
pub(crate) fn shifted(
    whole: &Equilibrium,
    velocity: &[f64],
    explosion: &[f64],
    accept: impl Fn(&[f64]) -> bool,
) -> Option<Vec<f64>> {
    // What is missing decides where to begin.
    let mut missing = 0.0_f64;
    for (j, contact) in whole.contacts().iter().enumerate() {
        let [n, t1, t2] = whole.contact_velocity(j, velocity);
        if contact.friction.is_finite() {
            missing = missing.max(contact.friction * libm::hypot(t1, t2) - n);
        }
    }
    let mut size = missing.max(1e-16 * velocity.iter().fold(0.0_f64, |m, v| m.max(v.abs())));
    for _ in 0..STEPS {
        size *= 1.5;
        let sum: Vec<f64> = velocity.iter().zip(explosion).map(|(v, e)| v + size * e).collect();
        if accept(&sum) {
            return Some(sum);
        }
        size *= 2.0;
    }
    None
}
