//! Factors of mass blocks of up to six coordinates: 𝓜 = GGᵀ. Gᵀ is what is stored, row by row. Larger blocks are factored in blocks of six (`six.rs`).

use std::fmt::Display;

use crate::error::InputError;

/// Coordinates of a body in space: loops over so many are laid out when this is compiled.
pub(crate) const BODY: usize = 6;

/// Checks that a matrix is its own mirror image, to rounding.
pub(crate) fn check_symmetric(mass: &[f64], dim: usize, field: impl Display) -> Result<(), InputError> {
    let mut largest = None;
    for r in 0..dim {
        for c in 0..r {
            let found = mass[r * dim + c] - mass[c * dim + r];
            if found == 0.0 {
                continue;
            }
            let largest = *largest.get_or_insert_with(|| mass.iter().fold(0.0_f64, |m, x| m.max(x.abs())));
            if found.abs() > 1e-12 * largest {
                return Err(InputError::value(
                    format!("{field}[{r}][{c}]"),
                    "must be symmetric: difference of mirrored entries",
                    found,
                ));
            }
        }
    }
    Ok(())
}

/// Appends Gᵀ of a symmetric positive definite matrix, 𝓜 = GGᵀ; a pivot that is not positive, with its number.
pub(crate) fn cholesky(mass: &[f64], dim: usize, G: &mut Vec<f64>) -> Result<(), (usize, f64)> {
    if let (rows, []) = mass.as_chunks::<BODY>()
        && let Ok(rows) = <&[[f64; BODY]; BODY]>::try_from(rows)
    {
        let rows = factor_body(rows)?;
        G.extend_from_slice(rows.as_flattened());
        return Ok(());
    }
    let start = G.len();
    // The lower half counts.
    for c in 0..dim {
        G.resize(G.len() + c, 0.0);
        G.extend((c..dim).map(|r| mass[r * dim + c]));
    }
    let factored = factor(mass, dim, &mut G[start..]);
    if factored.is_err() {
        G.truncate(start);
    }
    factored
}

/// Whether what is left of a diagonal entry is positive. Relative to that entry: blocks mix kilograms and kilogram square metres.
#[inline]
pub(crate) fn is_positive(pivot: f64, given: f64) -> bool {
    !(pivot <= 1e-14 * given.abs() || given <= 0.0)
}

/// From the upper half of the mass to Gᵀ.
fn factor(mass: &[f64], dim: usize, G: &mut [f64]) -> Result<(), (usize, f64)> {
    for k in 0..dim {
        let (above, below) = G.split_at_mut((k + 1) * dim);
        let row = &mut above[k * dim + k..];
        let pivot = row[0];
        if !is_positive(pivot, mass[k * dim + k]) {
            return Err((k, pivot));
        }
        let root = pivot.sqrt();
        row[0] = root;
        for x in &mut row[1..] {
            *x /= root;
        }
        for (r, line) in (k + 1..dim).zip(below.chunks_exact_mut(dim)) {
            let x = row[r - k];
            for (to, y) in line[r..].iter_mut().zip(&row[r - k..]) {
                *to -= x * y;
            }
        }
    }
    Ok(())
}

/// The same for a body in space, of which the lower half of the mass counts.
fn factor_body(mass: &[[f64; BODY]; BODY]) -> Result<[[f64; BODY]; BODY], (usize, f64)> {
    let mut G = [[0.0; BODY]; BODY];
    for c in 0..BODY {
        for r in c..BODY {
            G[c][r] = mass[r][c];
        }
    }
    for k in 0..BODY {
        let pivot = G[k][k];
        if !is_positive(pivot, mass[k][k]) {
            return Err((k, pivot));
        }
        let root = pivot.sqrt();
        G[k][k] = root;
        // What moves a body and what turns it do not depend on each other, as a rule.
        if G[k][k + 1..].iter().all(|x| *x == 0.0) {
            continue;
        }
        for r in k + 1..BODY {
            G[k][r] /= root;
        }
        for c in k + 1..BODY {
            for r in c..BODY {
                G[c][r] -= G[k][c] * G[k][r];
            }
        }
    }
    Ok(G)
}

/// x ← G⁻¹x.
pub(crate) fn forward(G: &[f64], x: &mut [f64]) {
    if let Ok(x) = <&mut [f64; BODY]>::try_from(&mut *x) {
        for (k, row) in G.as_chunks::<BODY>().0.iter().enumerate() {
            x[k] /= row[k];
            for r in k + 1..BODY {
                x[r] -= row[r] * x[k];
            }
        }
        return;
    }
    let dim = x.len();
    for k in 0..dim {
        let row = &G[k * dim + k..(k + 1) * dim];
        let (own, rest) = x[k..].split_at_mut(1);
        own[0] /= row[0];
        for (x, g) in rest.iter_mut().zip(&row[1..]) {
            *x -= g * own[0];
        }
    }
}

/// x ← G⁻ᵀx.
pub(crate) fn backward(G: &[f64], x: &mut [f64]) {
    let dim = x.len();
    for r in (0..dim).rev() {
        let row = &G[r * dim + r..(r + 1) * dim];
        let (own, rest) = x[r..].split_at_mut(1);
        let sum = row[1..].iter().zip(rest).fold(own[0], |sum, (g, x)| sum - g * *x);
        own[0] = sum / row[0];
    }
}

/// Gᵀv.
pub(crate) fn times_upper(G: &[f64], v: &[f64], out: &mut [f64]) {
    if let (Some(G), Ok(v)) = (G.first_chunk::<{ BODY * BODY }>(), <&[f64; BODY]>::try_from(v)) {
        for (c, x) in out.iter_mut().enumerate().take(BODY) {
            *x = (c..BODY).map(|r| G[BODY * c + r] * v[r]).sum();
        }
        return;
    }
    for ((c, x), row) in out.iter_mut().enumerate().zip(G.chunks_exact(v.len())) {
        *x = row[c..].iter().zip(&v[c..]).map(|(g, v)| g * v).sum();
    }
}

/// x ← L⁻¹x, L lower, row by row.
pub(crate) fn forward_by_rows(L: &[f64], x: &mut [f64]) {
    let dim = x.len();
    for r in 0..dim {
        let (known, rest) = x.split_at_mut(r);
        let row = &L[r * dim..=r * dim + r];
        for (l, x) in row[..r].iter().zip(known) {
            rest[0] -= l * *x;
        }
        rest[0] /= row[r];
    }
}

/// x ← L⁻ᵀx, L lower, row by row.
pub(crate) fn backward_by_rows(L: &[f64], x: &mut [f64]) {
    let dim = x.len();
    for r in (0..dim).rev() {
        let mut sum = x[r];
        for c in r + 1..dim {
            sum -= L[c * dim + r] * x[c];
        }
        x[r] = sum / L[r * dim + r];
    }
}
