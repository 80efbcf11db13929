//! Whether rest is the only answer, where forces exist.
//!
//! If normal forces alone balance the load, rest is the only lawful answer (Drucker 1954): for any other answer (a, f′), aᵀMa = Σ(f′ − f⁰)·u ≤ Σ −N⁰u_n ≤ 0.

use crate::equilibrium::Equilibrium;
use crate::existence::{Balanced, balanced};

/// Normal forces that balance the load by themselves, proved; `None` where none were found or proved.
#[must_use]
pub fn normal_forces_alone(whole: &Equilibrium) -> Option<Balanced> {
    let mut smooth = whole.clone();
    smooth.set_friction(|_, _| 0.0);
    balanced(&smooth)
}
