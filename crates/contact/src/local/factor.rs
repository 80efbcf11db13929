//! W = LLᵀ of a symmetric positive semidefinite matrix of any rank.

use super::entry;
use crate::error::InputError;

/// A diagonal entry of which this share is left is rounding of the subtraction: the rank ends there.
const DROP: f64 = 1e-14;
/// What may be left when the rank ends, relative to √(W_rr W_cc): more and W is not positive semidefinite.
const LEFT: f64 = 1e-7;

/// Sets of contacts that W couples, each ascending, ordered by their first contact.
pub(super) fn coupled(W: &[f64], rows: usize) -> Vec<Vec<usize>> {
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

/// L with LLᵀ = the part of W of some contacts, row-major, and its rank: Cholesky with the largest share of a diagonal entry as pivot.
pub(super) fn low_rank_factor(
    all: &[f64],
    all_rows: usize,
    contacts: &[usize],
) -> Result<(Vec<f64>, usize), InputError> {
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
        let mut column: Vec<f64> = (0..rows).map(|r| W[r * rows + pivot]).collect();
        for other in &columns {
            let factor = other[pivot];
            if factor != 0.0 {
                for (sum, x) in column.iter_mut().zip(other) {
                    *sum -= x * factor;
                }
            }
        }
        for r in 0..rows {
            column[r] = match (r == pivot, used[r]) {
                (true, _) => root,
                (false, true) => 0.0,
                (false, false) => column[r] / root,
            };
            left[r] -= column[r] * column[r];
        }
        columns.push(column);
    }
    let rank = columns.len();
    let mut L = vec![0.0; rows * rank];
    for (k, column) in columns.iter().enumerate() {
        for r in 0..rows {
            L[r * rank + k] = column[r];
        }
    }
    if let Some((r, c, rest)) = unexplained(&W, (rows, rank), &L, &used) {
        let requirement = "must be positive semidefinite: left beside the other rows";
        return Err(entry(place(r), place(c), requirement, rest));
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
fn unexplained(W: &[f64], (rows, rank): (usize, usize), L: &[f64], used: &[bool]) -> Option<(usize, usize, f64)> {
    let row = |r: usize| &L[r * rank..(r + 1) * rank];
    for r in (0..rows).filter(|r| !used[*r]) {
        for c in (0..=r).filter(|c| !used[*c]) {
            let sum: f64 = row(r).iter().zip(row(c)).map(|(x, y)| x * y).sum();
            let rest = W[r * rows + c] - sum;
            let size = W[r * rows + r].sqrt() * W[c * rows + c].sqrt();
            if rest.abs() > LEFT * size {
                return Some((r, c, rest));
            }
        }
    }
    None
}
