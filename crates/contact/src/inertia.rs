//! Inertia matrices: what a body can have, and how a torque turns it.

use crate::error::{InputError, check_finite};

/// Relative difference within which an inertia counts as symmetric and its moments as a triangle: data are written with some digits.
const INERTIA_TOLERANCE: f64 = 1e-9;
/// Jacobi's method on a 3×3 matrix converges quadratically; this is a bound, not a number of sweeps met.
const JACOBI_SWEEPS: usize = 30;

/// The symmetric part of an inertia that a body can have, and its smallest principal moment.
pub(crate) fn checked_inertia(field: &str, inertia: &[[f64; 3]; 3]) -> Result<([[f64; 3]; 3], f64), InputError> {
    for (r, row) in inertia.iter().enumerate() {
        check_finite(format_args!("{field}[{r}]"), row)?;
    }
    let largest = inertia.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut symmetric = *inertia;
    for r in 0..3 {
        for c in 0..r {
            let difference = inertia[r][c] - inertia[c][r];
            if difference.abs() > INERTIA_TOLERANCE * largest {
                return Err(InputError::value(
                    format!("{field}[{r}][{c}]"),
                    "must be symmetric: difference of mirrored entries",
                    difference,
                ));
            }
            symmetric[r][c] = inertia[c][r] + 0.5 * difference;
            symmetric[c][r] = symmetric[r][c];
        }
    }
    let [least, middle, most] = principal_moments(&symmetric);
    if least.is_nan() || least <= 0.0 {
        let requirement = "must be positive definite: smallest principal moment";
        return Err(InputError::value(field, requirement, least));
    }
    let excess = most - (least + middle);
    if excess > INERTIA_TOLERANCE * most {
        let requirement = "principal moments must satisfy the triangle inequality: largest minus sum of the others";
        return Err(InputError::value(field, requirement, excess));
    }
    Ok((symmetric, least))
}

/// Eigenvalues of a symmetric 3×3 matrix, ascending, by Jacobi rotations.
fn principal_moments(matrix: &[[f64; 3]; 3]) -> [f64; 3] {
    // Scaled so that squares neither overflow nor vanish.
    let largest = matrix.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
    if largest == 0.0 {
        return [0.0; 3];
    }
    let mut a = matrix.map(|row| row.map(|x| x / largest));
    for _ in 0..JACOBI_SWEEPS {
        if a[0][1] == 0.0 && a[0][2] == 0.0 && a[1][2] == 0.0 {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut a, p, q);
        }
    }
    let mut moments = [a[0][0] * largest, a[1][1] * largest, a[2][2] * largest];
    moments.sort_by(f64::total_cmp);
    moments
}

/// One Jacobi rotation: a_pq becomes 0.
fn rotate(a: &mut [[f64; 3]; 3], p: usize, q: usize) {
    if a[p][q].abs() <= f64::MIN_POSITIVE {
        a[p][q] = 0.0;
        a[q][p] = 0.0;
        return;
    }
    let ratio = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = ratio.signum() / (ratio.abs() + (ratio * ratio + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let k = 3 - p - q;
    let (pp, qq, pq, pk, qk) = (a[p][p], a[q][q], a[p][q], a[p][k], a[q][k]);
    a[p][p] = pp - t * pq;
    a[q][q] = qq + t * pq;
    a[p][q] = 0.0;
    a[p][k] = c * pk - s * qk;
    a[q][k] = s * pk + c * qk;
    a[q][p] = a[p][q];
    a[k][p] = a[p][k];
    a[k][q] = a[q][k];
}

/// A⁻¹b for a symmetric positive definite A, by the factors LDLᵀ.
pub(crate) fn solve_3x3(a: &[[f64; 3]; 3], b: [f64; 3]) -> [f64; 3] {
    let l10 = a[1][0] / a[0][0];
    let l20 = a[2][0] / a[0][0];
    let d1 = a[1][1] - l10 * a[1][0];
    let l21 = (a[2][1] - l20 * a[1][0]) / d1;
    let d2 = a[2][2] - l20 * a[2][0] - l21 * l21 * d1;
    let y1 = b[1] - l10 * b[0];
    let y2 = b[2] - l20 * b[0] - l21 * y1;
    let z = y2 / d2;
    let y = y1 / d1 - l21 * z;
    [b[0] / a[0][0] - l10 * y - l20 * z, y, z]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_moments_of_a_turned_inertia() {
        // R diag(1, 2, 2.5) Rᵀ, R a turn by 0.6/0.8 about z and then x.
        let (c, s) = (0.8, 0.6);
        let R = [[c, -s, 0.0], [c * s, c * c, -s], [s * s, s * c, c]];
        let mut inertia = [[0.0; 3]; 3];
        for r in 0..3 {
            for k in 0..3 {
                inertia[r][k] = [1.0, 2.0, 2.5]
                    .iter()
                    .enumerate()
                    .map(|(i, m)| R[r][i] * m * R[k][i])
                    .sum();
            }
        }
        let moments = principal_moments(&inertia);
        for (found, expected) in moments.iter().zip([1.0, 2.0, 2.5]) {
            assert!((found - expected).abs() < 1e-14, "{moments:?}");
        }
    }
}
