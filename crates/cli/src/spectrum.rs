//! What the eigenvalues of a matrix say: rank, condition on its range, how far it is from symmetric and positive semidefinite.

use nalgebra::DMatrix;
use serde::Serialize;
use stiction_contact::ContactProblem;

/// Eigenvalues below this part of the largest are rounding: they do not count for the rank.
const RANK: f64 = 1e-10;
/// Largest matrix whose eigenvalues are computed: about a minute.
const LARGEST: usize = 3000;

/// Figures of a square matrix.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Spectrum {
    /// Rows.
    pub(crate) rows: usize,
    /// Eigenvalues of the symmetric part above 1e-10 of the largest, in magnitude as in all that follows.
    pub(crate) rank: usize,
    /// Largest eigenvalue of the symmetric part.
    pub(crate) largest: f64,
    /// Least eigenvalue that counts for the rank.
    pub(crate) least: f64,
    /// Their ratio: condition on the range.
    pub(crate) condition: f64,
    /// Most negative eigenvalue relative to the largest; 0 where there is none.
    pub(crate) negative: f64,
    /// Largest difference of mirrored entries relative to the largest entry.
    pub(crate) asymmetry: f64,
}

/// The figures of a matrix, row-major; `None` where it is empty or too large.
pub(crate) fn spectrum(matrix: &[f64], rows: usize) -> Option<Spectrum> {
    if rows == 0 || rows > LARGEST {
        return None;
    }
    let given = DMatrix::from_row_slice(rows, rows, matrix);
    let size = given.amax();
    // Entries of at most 1: sums and squares of the largest doubles are none.
    let full = given.map(|x| if size > 0.0 { x / size } else { 0.0 });
    let mirrored = full.transpose();
    let asymmetry = (&full - &mirrored).amax();
    let mut values: Vec<f64> = ((full + mirrored) * 0.5)
        .symmetric_eigenvalues()
        .iter()
        .copied()
        .collect();
    values.sort_by(f64::total_cmp);
    let largest = values[0].abs().max(values.last()?.abs());
    let counted = || values.iter().map(|x| x.abs()).filter(|x| *x > RANK * largest);
    let least = counted().reduce(f64::min).unwrap_or(0.0);
    Some(Spectrum {
        rows,
        rank: counted().count(),
        largest: largest * size,
        least: least * size,
        condition: if largest > 0.0 { largest / least } else { 1.0 },
        negative: if largest > 0.0 {
            (values[0] / largest).min(0.0)
        } else {
            0.0
        },
        asymmetry,
    })
}

/// The Delassus matrix CᵀC of a problem's contacts, row-major, without the rows of second tangents of planar contacts; `None` where it is too large.
pub(crate) fn delassus(problem: &ContactProblem) -> Option<(Vec<f64>, usize)> {
    let n = problem.contact_count();
    if 3 * n > LARGEST {
        return None;
    }
    let place: Vec<(usize, usize)> = (0..n)
        .flat_map(|i| (0..if problem.is_planar(i) { 2 } else { 3 }).map(move |c| (i, c)))
        .collect();
    let rows = place.len();
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
        // Eigenvalues 3, 1 and 0 of the symmetric part; one entry is off its mirror image by 0.3.
        let found = spectrum(&[2.0, 1.15, 0.0, 0.85, 2.0, 0.0, 0.0, 0.0, 0.0], 3).unwrap();
        assert_eq!(found.rank, 2);
        assert!(
            (found.condition - 3.0).abs() < 1e-12 && found.negative == 0.0,
            "{found:?}"
        );
        assert!((found.asymmetry - 0.15).abs() < 1e-12, "{found:?}");
        let indefinite = spectrum(&[1.0, 2.0, 2.0, 1.0], 2).unwrap();
        assert!((indefinite.negative + 1.0 / 3.0).abs() < 1e-12, "{indefinite:?}");
        let vast = spectrum(&[1e308, 0.0, 0.0, 1e308], 2).unwrap();
        assert_eq!((vast.rank, vast.condition, vast.largest), (2, 1.0, 1e308));
        let nothing = spectrum(&[0.0; 4], 2).unwrap();
        assert_eq!((nothing.rank, nothing.condition, nothing.negative), (0, 1.0, 0.0));
        let pulling = spectrum(&[-2.0, 0.0, 0.0, -1.0], 2).unwrap();
        assert_eq!((pulling.rank, pulling.condition, pulling.negative), (2, 2.0, -1.0));
        assert_eq!(spectrum(&[], 0), None);
    }
}
