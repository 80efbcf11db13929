//! W = LLᵀ of a symmetric positive semidefinite matrix of any rank.

/// How exact the entries of a matrix are taken to be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Digits {
    /// A diagonal entry of which this share is left is rounding of the subtraction: the rank ends there.
    drop: f64,
    /// What may be left when the rank ends, relative to √(W_rr W_cc): more and W is not positive semidefinite.
    left: f64,
}

impl Digits {
    pub(super) fn drop(self) -> f64 {
        self.drop
    }

    pub(super) fn left(self) -> f64 {
        self.left
    }

    /// Entries with all of their digits, and fewer and fewer: matrices that were printed with six digits and lost as much in a subtraction
    /// before are positive semidefinite to 1e-6 or so.
    pub(super) const EXACT: Self = Self {
        drop: 1e-14,
        left: 1e-7,
    };
    pub(super) const FEWER: [Self; 3] = [
        Self {
            drop: 1e-10,
            left: 1e-7,
        },
        Self { drop: 1e-8, left: 1e-6 },
        Self { drop: 1e-6, left: 1e-4 },
    ];
}

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
                let is_any = |i: usize, j: usize| (0..9).any(|k| W[(3 * i + k / 3) * rows + 3 * j + k % 3] != 0.0);
                let coupled = || is_any(i, j) || is_any(j, i);
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

/// An entry of W that no factor explains, and what is left of it.
pub(super) struct Unexplained {
    pub(super) at: [usize; 2],
    pub(super) rest: f64,
}

/// L with LLᵀ = the part of W of some contacts, row-major, and its rank: Cholesky with the largest share of a diagonal entry as pivot.
pub(super) fn low_rank_factor(
    all: &[f64],
    all_rows: usize,
    contacts: &[usize],
    digits: Digits,
) -> Result<(Vec<f64>, usize), Unexplained> {
    let rows = 3 * contacts.len();
    let place = |r: usize| 3 * contacts[r / 3] + r % 3;
    let mut W = Vec::with_capacity(rows * rows);
    for r in 0..rows {
        W.extend((0..rows).map(|c| all[place(r) * all_rows + place(c)]));
    }
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut left: Vec<f64> = (0..rows).map(|r| W[r * rows + r]).collect();
    let mut used = vec![false; rows];
    while let Some(pivot) = next_pivot(&W, &left, &used, digits.drop) {
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
    if let Some((r, c, rest)) = unexplained(&W, (rows, rank), &L, &used, digits.left) {
        return Err(Unexplained {
            at: [place(r), place(c)],
            rest,
        });
    }
    Ok((L, rank))
}

fn next_pivot(W: &[f64], left: &[f64], used: &[bool], drop: f64) -> Option<usize> {
    let rows = left.len();
    let (mut most, mut found) = (drop, None);
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
fn unexplained(
    W: &[f64],
    (rows, rank): (usize, usize),
    L: &[f64],
    used: &[bool],
    left: f64,
) -> Option<(usize, usize, f64)> {
    let row = |r: usize| &L[r * rank..(r + 1) * rank];
    for r in (0..rows).filter(|r| !used[*r]) {
        for c in (0..=r).filter(|c| !used[*c]) {
            let sum: f64 = row(r).iter().zip(row(c)).map(|(x, y)| x * y).sum();
            let rest = W[r * rows + c] - sum;
            let size = W[r * rows + r].sqrt() * W[c * rows + c].sqrt();
            if rest.abs() > left * size {
                return Some((r, c, rest));
            }
        }
    }
    None
}
