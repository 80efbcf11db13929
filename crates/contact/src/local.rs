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
    /// W = LLᵀ by Cholesky with diagonal pivoting; the rows of L are the contacts' rows over a block of rank(W) coordinates with unit
    /// mass, one block for each set of contacts that W couples. Blocks stand still without contact, and q is the bias.
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
        let mut problem = Self::new();
        let sets = coupled(&W, rows);
        let mut factors = Vec::with_capacity(sets.len());
        // Block, set and place in the set of each contact.
        let mut place = vec![(0, 0, 0); mu.len()];
        for (set, contacts) in sets.iter().enumerate() {
            let (L, rank) = low_rank_factor(&W, rows, contacts)?;
            let mut mass = vec![0.0; rank * rank];
            for k in 0..rank {
                mass[k * (rank + 1)] = 1.0;
            }
            let block = problem.add_block(&mass, &vec![0.0; rank])?;
            for (k, contact) in contacts.iter().enumerate() {
                place[*contact] = (block, set, k);
            }
            factors.push((L, rank));
        }
        for (i, mu) in mu.iter().enumerate() {
            let (block, set, k) = place[i];
            let (L, rank) = &factors[set];
            let row = |c: usize| &L[(3 * k + c) * rank..(3 * k + c + 1) * rank];
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

/// Sets of contacts that W couples, each ascending, ordered by their first contact.
fn coupled(W: &[f64], rows: usize) -> Vec<Vec<usize>> {
    let n = rows / 3;
    let mut sets = Vec::new();
    let mut seen = vec![false; n];
    for first in 0..n {
        if seen[first] {
            continue;
        }
        seen[first] = true;
        let (mut set, mut next) = (vec![first], 0);
        while next < set.len() {
            let i = set[next];
            next += 1;
            for j in 0..n {
                let coupled = || (0..9).any(|k| W[(3 * i + k / 3) * rows + 3 * j + k % 3] != 0.0);
                if !seen[j] && coupled() {
                    seen[j] = true;
                    set.push(j);
                }
            }
        }
        set.sort_unstable();
        sets.push(set);
    }
    sets
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

/// L with LLᵀ = the part of W of some contacts, row-major, and its rank: Cholesky with the largest share of a diagonal entry as pivot.
fn low_rank_factor(all: &[f64], all_rows: usize, contacts: &[usize]) -> Result<(Vec<f64>, usize), InputError> {
    let rows = 3 * contacts.len();
    let place = |r: usize| 3 * contacts[r / 3] + r % 3;
    let mut W = Vec::with_capacity(rows * rows);
    for r in 0..rows {
        W.extend((0..rows).map(|c| all[place(r) * all_rows + place(c)]));
    }
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut left: Vec<f64> = (0..rows).map(|r| W[r * rows + r]).collect();
    let mut used = vec![false; rows];
    while let Some(pivot) = next_pivot(&W, rows, &left, &used) {
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
    if let Some((r, c, rest)) = unexplained(&W, rows, &columns, &used) {
        let requirement = "must be positive semidefinite: left beside the other rows";
        return Err(entry(place(r), place(c), requirement, rest));
    }
    let rank = columns.len();
    let mut L = vec![0.0; rows * rank];
    for (k, column) in columns.iter().enumerate() {
        for r in 0..rows {
            L[r * rank + k] = column[r];
        }
    }
    Ok((L, rank))
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

/// An entry of the rows without a pivot that the other rows do not explain, and what is left of it.
fn unexplained(W: &[f64], rows: usize, columns: &[Vec<f64>], used: &[bool]) -> Option<(usize, usize, f64)> {
    for r in (0..rows).filter(|r| !used[*r]) {
        for c in (0..=r).filter(|c| !used[*c]) {
            let sum: f64 = columns.iter().map(|column| column[r] * column[c]).sum();
            let rest = W[r * rows + c] - sum;
            let size = W[r * rows + r].sqrt() * W[c * rows + c].sqrt();
            if rest.abs() > LEFT * size {
                return Some((r, c, rest));
            }
        }
    }
    None
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
    fn contacts_that_nothing_couples_have_blocks_of_their_own() {
        let mut W = vec![0.0; 81];
        for r in 0..9 {
            W[10 * r] = 1.0 + r as f64;
        }
        // The first and the last contact.
        W[9 + 8] = 0.5;
        W[8 * 9 + 1] = 0.5;
        let problem = ContactProblem::from_local(&W, &[0.0; 9], &[0.5; 3]).unwrap();
        let blocks = |i: usize| problem.columns(i).touches.iter().map(|t| t.block).collect::<Vec<_>>();
        assert_eq!((blocks(0), blocks(1), blocks(2)), (vec![0], vec![1], vec![0]));
        assert_eq!(problem.dof(), 9);
        for r in 0..9 {
            let found = product(&problem, r, r);
            assert!((found - W[10 * r]).abs() < 1e-14, "W[{r}][{r}]: {found}");
        }
        assert!((product(&problem, 1, 8) - 0.5).abs() < 1e-15);
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
