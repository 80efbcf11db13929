//! Contact problems given by their Delassus matrix: u = W p + q, without bodies.

use crate::error::{InputError, check_finite, check_length};
use crate::problem::{ContactPart, ContactProblem};

/// Largest difference of mirrored entries, relative to √(W_rr W_cc): matrices come out of files with some digits.
const SYMMETRY: f64 = 1e-8;
/// A diagonal entry of which this share is left is rounding of the subtraction: the rank ends there.
const DROP: f64 = 1e-14;
/// What may be left when the rank ends, relative to √(W_rr W_cc): more and W is not positive semidefinite.
const LEFT: f64 = 1e-7;

impl ContactProblem {
    /// A problem from its Delassus matrix: contact velocities u = W p + q with W of 3n×3n, row-major, symmetric positive
    /// semidefinite, rows and columns in the order normal, tangent, tangent of each contact.
    ///
    /// W = LLᵀ by Cholesky with diagonal pivoting; the rows of L are the contacts' rows over one block of rank(W) coordinates with unit
    /// mass. The block stands still without contact, and q is the bias.
    ///
    /// ```
    /// use stiction_contact::ContactProblem;
    /// let W = [0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5];
    /// let problem = ContactProblem::from_local(&W, &[-1.0, 0.2, 0.0], &[0.7])?;
    /// assert_eq!((problem.contact_count(), problem.dof(), problem.bias(0)[0]), (1, 3, -1.0));
    /// # Ok::<(), stiction_contact::InputError>(())
    /// ```
    ///
    /// # Errors
    /// Lengths that do not match, numbers that are not finite, a matrix that is not symmetric or not positive semidefinite, a contact
    /// whose normal row is zero, `mu` negative or NaN. Entries are named `W[r][c]`, `q[r]`, `mu[i]`.
    pub fn from_local(W: &[f64], q: &[f64], mu: &[f64]) -> Result<Self, InputError> {
        let rows = 3 * mu.len();
        check_length("q", rows, q.len())?;
        check_length("W", rows * rows, W.len())?;
        check_finite("q", q)?;
        if let Some(at) = W.iter().position(|x| !x.is_finite()) {
            return Err(entry(at / rows, at % rows, "must be finite", W[at]));
        }
        let W = symmetrised(W, rows)?;
        for (i, mu) in mu.iter().enumerate() {
            if mu.is_nan() || *mu < 0.0 {
                return Err(InputError::value(
                    format!("mu[{i}]"),
                    "must not be negative or NaN",
                    *mu,
                ));
            }
            if W[3 * i * (rows + 1)] == 0.0 {
                return Err(entry(
                    3 * i,
                    3 * i,
                    "must be positive: the normal row of a contact",
                    0.0,
                ));
            }
        }
        let L = low_rank_factor(&W, rows)?;
        let rank = L.len() / rows.max(1);
        let mut problem = Self::new();
        if rank == 0 {
            return Ok(problem);
        }
        let mut mass = vec![0.0; rank * rank];
        for k in 0..rank {
            mass[k * (rank + 1)] = 1.0;
        }
        let block = problem.add_block(&mass, &vec![0.0; rank])?;
        for (i, mu) in mu.iter().enumerate() {
            let row = |c: usize| &L[(3 * i + c) * rank..(3 * i + c + 1) * rank];
            let part: ContactPart<'_> = (block, [row(0), row(1), row(2)]);
            let contact = problem.add_contact(&[part], *mu)?;
            problem.set_bias(contact, [q[3 * i], q[3 * i + 1], q[3 * i + 2]])?;
        }
        Ok(problem)
    }
}

fn entry(r: usize, c: usize, requirement: &str, found: f64) -> InputError {
    InputError::value(format!("W[{r}][{c}]"), requirement, found)
}

/// (W + Wᵀ)/2 of a matrix that is symmetric within tolerance and has no negative diagonal entry.
fn symmetrised(W: &[f64], rows: usize) -> Result<Vec<f64>, InputError> {
    let mut symmetric = W.to_vec();
    for r in 0..rows {
        if W[r * rows + r] < 0.0 {
            return Err(entry(r, r, "must not be negative", W[r * rows + r]));
        }
        for c in 0..r {
            let (low, high) = (W[r * rows + c], W[c * rows + r]);
            let size = (W[r * rows + r].sqrt() * W[c * rows + c].sqrt()).max(low.abs().max(high.abs()));
            if (low - high).abs() > SYMMETRY * size {
                let requirement = "must be symmetric: difference of mirrored entries";
                return Err(entry(r, c, requirement, low - high));
            }
            symmetric[r * rows + c] = 0.5 * low + 0.5 * high;
            symmetric[c * rows + r] = symmetric[r * rows + c];
        }
    }
    Ok(symmetric)
}

/// L with LLᵀ = W, row-major, rows × rank: Cholesky with the largest share of a diagonal entry as pivot.
fn low_rank_factor(W: &[f64], rows: usize) -> Result<Vec<f64>, InputError> {
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut left: Vec<f64> = (0..rows).map(|r| W[r * rows + r]).collect();
    let mut used = vec![false; rows];
    while let Some(pivot) = next_pivot(W, rows, &left, &used) {
        used[pivot] = true;
        let root = left[pivot].sqrt();
        let mut column = vec![0.0; rows];
        for r in 0..rows {
            if used[r] && r != pivot {
                continue;
            }
            let mut sum = W[r * rows + pivot];
            for other in &columns {
                sum -= other[r] * other[pivot];
            }
            column[r] = if r == pivot { root } else { sum / root };
            left[r] -= column[r] * column[r];
        }
        columns.push(column);
    }
    check_left(W, rows, &columns, &used)?;
    let rank = columns.len();
    let mut L = vec![0.0; rows * rank];
    for (k, column) in columns.iter().enumerate() {
        for r in 0..rows {
            L[r * rank + k] = column[r];
        }
    }
    Ok(L)
}

fn next_pivot(W: &[f64], rows: usize, left: &[f64], used: &[bool]) -> Option<usize> {
    let (mut most, mut found) = (DROP, None);
    for r in 0..rows {
        let size = W[r * rows + r];
        if !used[r] && left[r] > most * size {
            most = left[r] / size;
            found = Some(r);
        }
    }
    found
}

/// Rows without a pivot must be explained by the others.
fn check_left(W: &[f64], rows: usize, columns: &[Vec<f64>], used: &[bool]) -> Result<(), InputError> {
    for r in (0..rows).filter(|r| !used[*r]) {
        for c in (0..=r).filter(|c| !used[*c]) {
            let sum: f64 = columns.iter().map(|column| column[r] * column[c]).sum();
            let rest = W[r * rows + c] - sum;
            let size = W[r * rows + r].sqrt() * W[c * rows + c].sqrt();
            if rest.abs() > LEFT * size {
                let requirement = "must be positive semidefinite: left beside the other rows";
                return Err(entry(r, c, requirement, rest));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(problem: &ContactProblem, r: usize, c: usize) -> f64 {
        let mut v = vec![0.0; problem.dof()];
        let mut p = [0.0; 3];
        p[c % 3] = 1.0;
        problem.push(c / 3, p, &mut v);
        problem.along(r / 3, &v)[r % 3]
    }

    #[test]
    fn a_matrix_of_low_rank_comes_back() {
        // W = AᵀA with A of 4×6: two contacts on four coordinates.
        let A = [
            [1.0, 0.2, -0.3, 0.5, 0.1, 0.0],
            [0.0, 1.0, 0.4, -0.2, 0.3, 0.7],
            [0.3, 0.0, 1.0, 0.6, -0.5, 0.2],
            [0.1, -0.4, 0.0, 1.0, 0.2, -0.6],
        ];
        let mut W = vec![0.0; 36];
        for r in 0..6 {
            for c in 0..6 {
                W[6 * r + c] = A.iter().map(|a| a[r] * a[c]).sum();
            }
        }
        let q = [-1.0, 0.2, 0.1, 0.3, -0.5, 0.0];
        let problem = ContactProblem::from_local(&W, &q, &[0.5, f64::INFINITY]).unwrap();
        assert_eq!(problem.dof(), 4);
        for r in 0..6 {
            for c in 0..6 {
                let found = product(&problem, r, c);
                assert!((found - W[6 * r + c]).abs() < 1e-14, "W[{r}][{c}]: {found}");
            }
        }
        assert_eq!(problem.bias(1), [0.3, -0.5, 0.0]);
        assert!(problem.mu(1).is_infinite());
    }

    #[test]
    fn matrices_that_cannot_be_are_named() {
        let says = |W: &[f64], mu: &[f64]| {
            let q = vec![0.0; 3 * mu.len()];
            ContactProblem::from_local(W, &q, mu).unwrap_err().to_string()
        };
        let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let with = |at: usize, x: f64| {
            let mut W = identity;
            W[at] = x;
            W
        };
        assert_eq!(
            says(&with(3, 0.5), &[0.5]),
            "W[1][0]: must be symmetric: difference of mirrored entries, found 0.5"
        );
        assert_eq!(says(&with(4, -1.0), &[0.5]), "W[1][1]: must not be negative, found -1");
        assert_eq!(says(&with(5, f64::NAN), &[0.5]), "W[1][2]: must be finite, found NaN");
        assert_eq!(says(&identity[..8], &[0.5]), "W: must have 9 entries, found 8");
        assert_eq!(says(&identity, &[-1.0]), "mu[0]: must not be negative or NaN, found -1");
        assert_eq!(
            says(&with(0, 0.0), &[0.5]),
            "W[0][0]: must be positive: the normal row of a contact, found 0"
        );
        let indefinite = [1.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        assert_eq!(
            says(&indefinite, &[0.5]),
            "W[1][1]: must be positive semidefinite: left beside the other rows, found -3"
        );
        let hidden = [1.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.5, 0.0];
        assert!(says(&hidden, &[0.5]).starts_with("W[2][1]: must be positive semidefinite"));
        assert_eq!(ContactProblem::from_local(&[], &[], &[]).unwrap().contact_count(), 0);
    }
}
