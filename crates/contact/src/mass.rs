//! Factors of mass blocks: 𝓜 = GGᵀ.

use std::fmt::Display;

use crate::error::InputError;

/// Appends the lower factor G of a symmetric positive definite matrix, 𝓜 = GGᵀ.
pub(crate) fn cholesky(mass: &[f64], dim: usize, field: impl Display, G: &mut Vec<f64>) -> Result<(), InputError> {
    let largest = mass.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    for r in 0..dim {
        for c in 0..r {
            if (mass[r * dim + c] - mass[c * dim + r]).abs() > 1e-12 * largest {
                let found = mass[r * dim + c] - mass[c * dim + r];
                return Err(InputError::value(
                    format!("{field}[{r}][{c}]"),
                    "must be symmetric: difference of mirrored entries",
                    found,
                ));
            }
        }
    }
    let start = G.len();
    G.resize(start + dim * dim, 0.0);
    let factored = factor(mass, dim, field, &mut G[start..]);
    if factored.is_err() {
        G.truncate(start);
    }
    factored
}

fn factor(mass: &[f64], dim: usize, field: impl Display, G: &mut [f64]) -> Result<(), InputError> {
    for c in 0..dim {
        let mut pivot = mass[c * dim + c];
        for k in 0..c {
            pivot -= G[c * dim + k] * G[c * dim + k];
        }
        // Relative to its own diagonal entry: blocks mix kilograms and kilogram square metres.
        if pivot <= 1e-14 * mass[c * dim + c].abs() || mass[c * dim + c] <= 0.0 {
            return Err(InputError::value(
                field.to_string(),
                format!("must be positive definite: pivot {c}"),
                pivot,
            ));
        }
        let root = pivot.sqrt();
        G[c * dim + c] = root;
        for r in c + 1..dim {
            let mut sum = mass[r * dim + c];
            for k in 0..c {
                sum -= G[r * dim + k] * G[c * dim + k];
            }
            G[r * dim + c] = sum / root;
        }
    }
    Ok(())
}

/// x ← G⁻¹x.
pub(crate) fn forward(G: &[f64], x: &mut [f64]) {
    let dim = x.len();
    for r in 0..dim {
        let mut sum = x[r];
        for c in 0..r {
            sum -= G[r * dim + c] * x[c];
        }
        x[r] = sum / G[r * dim + r];
    }
}

/// x ← G⁻ᵀx.
pub(crate) fn backward(G: &[f64], x: &mut [f64]) {
    let dim = x.len();
    for r in (0..dim).rev() {
        let mut sum = x[r];
        for c in r + 1..dim {
            sum -= G[c * dim + r] * x[c];
        }
        x[r] = sum / G[r * dim + r];
    }
}
