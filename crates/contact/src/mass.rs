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
    for r in 0..dim {
        let (above, row) = G.split_at_mut(r * dim);
        let given = &mass[r * dim..=r * dim + r];
        // The factor fills nothing before the first entry of a row.
        let first = given.iter().position(|x| *x != 0.0).unwrap_or(r);
        for c in first..r {
            let mut sum = given[c];
            for (x, y) in row[first..c].iter().zip(&above[c * dim + first..c * dim + c]) {
                sum -= x * y;
            }
            row[c] = sum / above[c * dim + c];
        }
        let pivot = row[first..r].iter().fold(given[r], |pivot, x| pivot - x * x);
        // Relative to its own diagonal entry: blocks mix kilograms and kilogram square metres.
        if pivot <= 1e-14 * given[r].abs() || given[r] <= 0.0 {
            return Err(InputError::value(
                field.to_string(),
                format!("must be positive definite: pivot {r}"),
                pivot,
            ));
        }
        row[r] = pivot.sqrt();
    }
    Ok(())
}

/// x ← G⁻¹x.
pub(crate) fn forward(G: &[f64], x: &mut [f64]) {
    let dim = x.len();
    // What is zero before the first entry stays so.
    let first = x.iter().position(|x| *x != 0.0).unwrap_or(dim);
    for r in first..dim {
        let (known, rest) = x.split_at_mut(r);
        let row = &G[r * dim..=r * dim + r];
        for (l, x) in row[first..r].iter().zip(&known[first..]) {
            rest[0] -= l * x;
        }
        rest[0] /= row[r];
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
