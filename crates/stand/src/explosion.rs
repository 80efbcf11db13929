//! The explosion: a velocity that opens every contact faster than friction could hold it. It exists exactly where nothing can be wedged: where no forces in
//! the cones cancel in every body.

use crate::equilibrium::Equilibrium;
use crate::existence::along_rows;
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
        Ending::Solved => {
            let velocity = along_rows(whole, program.velocities(&found.x));
            if opens(whole, &velocity).is_ok() {
                SelfStress::None(velocity)
            } else {
                SelfStress::Unknown
            }
        }
        Ending::Infeasible => SelfStress::Some(program.forces(&found.z)),
        _ => SelfStress::Unknown,
    }
}

/// Error of a sum of a few products, relative to the sum of their sizes: far more than rounding makes.
const ROUNDING: f64 = 1e-13;
/// Speed of a joint row that counts as none, relative to the slowest opening.
const STILL: f64 = 1e-9;

/// Whether velocities open every contact faster than friction could hold it, beyond rounding, and leave every joint row without bounds at rest, to rounding.
///
/// # Errors
/// What does not hold.
pub(crate) fn opens(whole: &Equilibrium, velocity: &[f64]) -> Result<(), String> {
    if velocity.len() != whole.load().len() || velocity.iter().any(|v| !v.is_finite()) {
        return Err("it has another length, or numbers that are not finite".to_owned());
    }
    let dim = whole.dim();
    let (mut slowest, mut fastest) = (f64::INFINITY, 0.0_f64);
    for (j, contact) in whole.contacts().iter().enumerate() {
        let [n, t1, t2] = whole.contact_velocity(j, velocity);
        let mut size = 0.0_f64;
        for part in whole.parts(j) {
            let v = &velocity[dim * part.body..dim * (part.body + 1)];
            for column in &part.columns {
                size += column.iter().zip(v).map(|(c, v)| (c * v).abs()).sum::<f64>();
            }
        }
        let slip = libm::hypot(t1, t2);
        let opening = if contact.friction.is_finite() {
            n - contact.friction * slip - ROUNDING * (1.0 + contact.friction) * size
        } else {
            fastest = fastest.max(slip);
            n - ROUNDING * size
        };
        if opening.is_nan() || opening <= 0.0 {
            return Err(format!("contact {j} does not open"));
        }
        slowest = slowest.min(opening);
    }
    for (k, row) in whole.rows().iter().enumerate() {
        let parts = whole.row_parts(k).iter().flat_map(|part| {
            let v = &velocity[dim * part.body..dim * (part.body + 1)];
            part.columns[0].iter().zip(v).map(|(c, v)| c * v)
        });
        let speed = parts.sum::<f64>().abs();
        if row.bounds.iter().any(|bound| bound.is_infinite()) {
            fastest = fastest.max(speed);
        }
    }
    if slowest.is_finite() && fastest > STILL * slowest {
        return Err(format!(
            "a joint row moves at {fastest:e}, where the slowest contact opens at {slowest:e}"
        ));
    }
    Ok(())
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
