//! What the eigenvalues and singular values of a matrix say: rank, condition on its range, how far it is from symmetric and positive semidefinite.

use nalgebra::DMatrix;
use serde::Serialize;
use stiction_contact::ContactProblem;

/// Singular values below this part of the largest are rounding: they do not count for the rank.
const RANK_REL_TOL: f64 = 1e-10;
/// Mirrored entries that differ by less of the largest are one number, rounded twice.
pub const SYMMETRY_REL_TOL: f64 = 1e-12;
/// Largest matrix whose eigenvalues are computed: some ten seconds.
pub const MAX_EIGENVALUE_ORDER: usize = 2100;
/// Largest one that is not symmetric whose singular values are computed, which takes ten times as long.
const MAX_SINGULAR_ORDER: usize = 900;

/// Figures of a square matrix.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spectrum {
    /// Rows.
    pub rows: usize,
    /// Singular values above 1e-10 of the largest: magnitudes of eigenvalues where the matrix is symmetric.
    pub rank: usize,
    /// Largest singular value.
    pub largest: f64,
    /// Least one that counts for the rank.
    pub least: f64,
    /// Their ratio: condition on the range.
    pub condition: f64,
    /// Whether these four are of the symmetric part: the matrix is not symmetric, and large.
    pub of_symmetric_part: bool,
    /// Most negative eigenvalue of the symmetric part relative to the largest in magnitude; 0 where there is none.
    pub negative: f64,
    /// Largest difference of mirrored entries relative to the largest entry.
    pub asymmetry: f64,
}

/// The figures of a matrix, row-major; `None` where it is empty, too large, or holds what is no number.
pub fn spectrum(matrix: &[f64], rows: usize) -> Option<Spectrum> {
    if rows == 0 || rows > MAX_EIGENVALUE_ORDER || !matrix.iter().all(|x| x.is_finite()) {
        return None;
    }
    let given = DMatrix::from_row_slice(rows, rows, matrix);
    let size = given.amax();
    // Entries of at most 1: sums and squares of the largest doubles are none.
    let full = given.map(|x| if size > 0.0 { x / size } else { 0.0 });
    let mirrored = full.transpose();
    let asymmetry = (&full - &mirrored).amax();
    let eigenvalues = ((&full + mirrored) * 0.5).symmetric_eigenvalues();
    let is_symmetric = asymmetry < SYMMETRY_REL_TOL;
    let of_symmetric_part = !is_symmetric && rows > MAX_SINGULAR_ORDER;
    let singular = if is_symmetric || of_symmetric_part {
        eigenvalues.abs()
    } else {
        full.singular_values()
    };
    let largest = singular.max();
    let counted = || singular.iter().copied().filter(|x| *x > RANK_REL_TOL * largest);
    let least = counted().reduce(f64::min).unwrap_or(0.0);
    let (lowest, farthest) = (eigenvalues.min(), eigenvalues.amax());
    Some(Spectrum {
        rows,
        rank: counted().count(),
        largest: largest * size,
        least: least * size,
        condition: if largest > 0.0 { largest / least } else { 1.0 },
        of_symmetric_part,
        negative: if farthest > 0.0 {
            (lowest / farthest).min(0.0)
        } else {
            0.0
        },
        asymmetry,
    })
}

/// The Delassus matrix CᵀC of a problem's contacts, row-major, without the rows of second tangents of planar contacts; `None` where it is too large.
#[must_use]
pub fn delassus(problem: &ContactProblem) -> Option<(Vec<f64>, usize)> {
    let n = problem.contact_count();
    let place: Vec<(usize, usize)> = (0..n)
        .flat_map(|i| (0..if problem.is_planar(i) { 2 } else { 3 }).map(move |c| (i, c)))
        .collect();
    let rows = place.len();
    if rows > MAX_EIGENVALUE_ORDER {
        return None;
    }
    let mut matrix = vec![0.0; rows * rows];
    let mut v = vec![0.0; problem.dof()];
    for (c, (contact, along)) in place.iter().enumerate() {
        v.fill(0.0);
        let mut unit = [0.0; 3];
        unit[*along] = 1.0;
        problem.push(*contact, unit, &mut v);
        let mut last = (usize::MAX, [0.0; 3]);
        for (r, (contact, along)) in place.iter().enumerate() {
            if last.0 != *contact {
                last = (*contact, problem.along(*contact, &v));
            }
            matrix[r * rows + c] = last.1[*along];
        }
    }
    Some((matrix, rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_condition_and_defects_are_found() {
        // Eigenvalues 3, 1 and 0.
        let found = spectrum(&[2.0, 1.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0], 3).unwrap();
        assert_eq!(found.rank, 2);
        assert!(
            (found.condition - 3.0).abs() < 1e-12 && found.negative == 0.0,
            "{found:?}"
        );
        // One entry is off its mirror image by 0.3; the determinant of the block is 4 − 1.15 · 0.85.
        let skew = spectrum(&[2.0, 1.15, 0.0, 0.85, 2.0, 0.0, 0.0, 0.0, 0.0], 3).unwrap();
        assert!((skew.asymmetry - 0.15).abs() < 1e-12 && skew.rank == 2, "{skew:?}");
        assert!((skew.largest * skew.least - 3.0225).abs() < 1e-12, "{skew:?}");
        // A turn by a right angle has no symmetric part and every rank.
        let turn = spectrum(&[0.0, 1.0, -1.0, 0.0], 2).unwrap();
        assert_eq!((turn.rank, turn.negative), (2, 0.0));
        let indefinite = spectrum(&[1.0, 2.0, 2.0, 1.0], 2).unwrap();
        assert!((indefinite.negative + 1.0 / 3.0).abs() < 1e-12, "{indefinite:?}");
        let vast = spectrum(&[1e308, 0.0, 0.0, 1e308], 2).unwrap();
        assert_eq!((vast.rank, vast.condition, vast.largest), (2, 1.0, 1e308));
        let nothing = spectrum(&[0.0; 4], 2).unwrap();
        assert_eq!((nothing.rank, nothing.condition, nothing.negative), (0, 1.0, 0.0));
        let pulling = spectrum(&[-2.0, 0.0, 0.0, -1.0], 2).unwrap();
        assert_eq!((pulling.rank, pulling.condition, pulling.negative), (2, 2.0, -1.0));
        assert_eq!(spectrum(&[], 0), None);
        assert_eq!(spectrum(&[f64::INFINITY], 1), None);
    }
}
