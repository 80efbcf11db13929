//! One dense linear solve A x = b with A = NᵀN: the yardstick of \[Baraff 4\]. A is formed before the clock starts.
//!
//! Gaussian elimination with partial pivoting and Cholesky's method, both by blocks of rows so that the trailing matrix is read once
//! for several pivots. Where contacts are redundant A is singular, and the solve is that of A plus its mean diagonal: the same work.

use stiction_contact::ContactProblem;

use super::qp::gram;
use super::{Contender, Found};
use stiction_formats::BadInput;

/// Pivots of a block.
const BLOCK_PIVOTS: usize = 8;

/// Residual of a linear solve that counts as solved.
const SOLVED_RESIDUAL: f64 = 1e-8;

/// How A is factored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Factor {
    /// P A = L U, ⅔ n³ operations.
    Lu,
    /// A = L Lᵀ, ⅓ n³ operations.
    Cholesky,
}

/// A dense linear solve.
pub(crate) struct Dense {
    factor: Factor,
    shifted: bool,
    n: usize,
    a: Vec<f64>,
    b: Vec<f64>,
    work: Vec<f64>,
    x: Vec<f64>,
    ok: bool,
}

impl Dense {
    /// Solves with A, or with A plus its mean diagonal where it is singular.
    pub(crate) fn new(factor: Factor, shifted: bool) -> Self {
        Self {
            factor,
            shifted,
            n: 0,
            a: Vec::new(),
            b: Vec::new(),
            work: Vec::new(),
            x: Vec::new(),
            ok: false,
        }
    }
}

impl Contender for Dense {
    fn prepare(&mut self, problem: &ContactProblem) -> Result<(), BadInput> {
        let n = problem.contact_count();
        self.n = n;
        gram(problem, &mut self.a, &mut self.b);
        if self.shifted {
            let mean = (0..n).map(|i| self.a[i * n + i]).sum::<f64>() / n as f64;
            for i in 0..n {
                self.a[i * n + i] += mean;
            }
        }
        Ok(())
    }

    fn solve(&mut self, _problem: &mut ContactProblem) -> Result<(), BadInput> {
        self.work.clone_from(&self.a);
        self.x.clone_from(&self.b);
        self.ok = match self.factor {
            Factor::Lu => lu(&mut self.work, &mut self.x),
            Factor::Cholesky => cholesky(&mut self.work, &mut self.x),
        };
        Ok(())
    }

    fn found(&mut self, _problem: &ContactProblem) -> Result<Found, BadInput> {
        let mut left = 0.0_f64;
        for (row, b) in self.a.chunks_exact(self.n.max(1)).zip(&self.b) {
            let sum: f64 = row.iter().zip(&self.x).map(|(a, x)| a * x).sum();
            left = left.max((sum - b).abs());
        }
        let residual = left / self.b.iter().fold(f64::MIN_POSITIVE, |m, b| m.max(b.abs()));
        Ok(Found {
            verified: self.ok && residual <= SOLVED_RESIDUAL,
            ending: "singular".to_owned(),
            residual,
            steps: 0,
            active: 0,
            others: 0,
        })
    }
}

/// Solves A x = b by elimination with partial pivoting; `x` holds b and becomes x. False where a pivot is zero.
fn lu(a: &mut [f64], x: &mut [f64]) -> bool {
    let n = x.len();
    for first in (0..n).step_by(BLOCK_PIVOTS) {
        let last = (first + BLOCK_PIVOTS).min(n);
        for j in first..last {
            if !pivot(a, x, j) {
                return false;
            }
            let (above, below) = a.split_at_mut((j + 1) * n);
            let row = &above[j * n..];
            for other in below.chunks_exact_mut(n) {
                let l = other[j] / row[j];
                other[j] = l;
                for (to, from) in other[j + 1..last].iter_mut().zip(&row[j + 1..last]) {
                    *to -= l * from;
                }
            }
        }
        // Rows of the block beyond it, then the trailing matrix.
        for j in first + 1..last {
            let (above, row) = a.split_at_mut(j * n);
            for k in first..j {
                let (l, from) = (row[k], &above[k * n + last..(k + 1) * n]);
                for (to, from) in row[last..n].iter_mut().zip(from) {
                    *to -= l * from;
                }
            }
        }
        let (above, below) = a.split_at_mut(last * n);
        for row in below.chunks_exact_mut(n) {
            let (l, to) = row.split_at_mut(last);
            subtract(&above[first * n..], n, last, &l[first..], to);
        }
    }
    substitute(a, x, true);
    true
}

/// Brings the largest entry of column j to the diagonal; false where it is zero or not finite.
fn pivot(a: &mut [f64], x: &mut [f64], j: usize) -> bool {
    let n = x.len();
    let mut largest = j;
    for i in j + 1..n {
        if a[i * n + j].abs() > a[largest * n + j].abs() {
            largest = i;
        }
    }
    if largest != j {
        let (above, below) = a.split_at_mut(largest * n);
        above[j * n..(j + 1) * n].swap_with_slice(&mut below[..n]);
        x.swap(j, largest);
    }
    let found = a[j * n + j];
    found != 0.0 && found.is_finite()
}

/// to −= Σ l_k row_k over the rows of a block, from column `from` on.
fn subtract(rows: &[f64], n: usize, from: usize, l: &[f64], to: &mut [f64]) {
    let row = |k: usize| &rows[k * n + from..(k + 1) * n];
    if let [l0, l1, l2, l3, l4, l5, l6, l7] = *l {
        let len = to.len();
        let (r0, r1, r2, r3) = (&row(0)[..len], &row(1)[..len], &row(2)[..len], &row(3)[..len]);
        let (r4, r5, r6, r7) = (&row(4)[..len], &row(5)[..len], &row(6)[..len], &row(7)[..len]);
        for j in 0..len {
            let low = l0 * r0[j] + l1 * r1[j] + (l2 * r2[j] + l3 * r3[j]);
            let high = l4 * r4[j] + l5 * r5[j] + (l6 * r6[j] + l7 * r7[j]);
            to[j] -= low + high;
        }
    } else {
        for (k, l) in l.iter().enumerate() {
            for (to, from) in to.iter_mut().zip(row(k)) {
                *to -= l * from;
            }
        }
    }
}

/// Solves A x = b by A = LLᵀ, rows of Lᵀ in the upper triangle. False where A is not positive definite.
fn cholesky(a: &mut [f64], x: &mut [f64]) -> bool {
    let n = x.len();
    for first in (0..n).step_by(BLOCK_PIVOTS) {
        let last = (first + BLOCK_PIVOTS).min(n);
        for j in first..last {
            let (above, rest) = a.split_at_mut(j * n);
            let row = &mut rest[..n];
            for k in first..j {
                let from = &above[k * n..(k + 1) * n];
                let l = from[j];
                for (to, from) in row[j..].iter_mut().zip(&from[j..]) {
                    *to -= l * from;
                }
            }
            let square = row[j];
            if square.is_nan() || square <= 0.0 {
                return false;
            }
            let d = square.sqrt();
            for to in &mut row[j..] {
                *to /= d;
            }
        }
        let (above, below) = a.split_at_mut(last * n);
        for (i, row) in (last..n).zip(below.chunks_exact_mut(n)) {
            let mut l = [0.0; BLOCK_PIVOTS];
            for (l, k) in l.iter_mut().zip(first..last) {
                *l = above[k * n + i];
            }
            subtract(&above[first * n..], n, i, &l[..last - first], &mut row[i..]);
        }
    }
    // Lᵀ lies in the upper triangle: L y = b by its columns, then Lᵀ x = y.
    for i in 0..n {
        let row = &a[i * n..(i + 1) * n];
        x[i] /= row[i];
        let (done, rest) = x.split_at_mut(i + 1);
        for (to, l) in rest.iter_mut().zip(&row[i + 1..]) {
            *to -= done[i] * l;
        }
    }
    substitute(a, x, false);
    true
}

/// U x = y by rows, after L y = b with a unit L where `lower`.
fn substitute(a: &[f64], x: &mut [f64], lower: bool) {
    let n = x.len();
    if lower {
        for i in 0..n {
            let sum: f64 = a[i * n..i * n + i].iter().zip(&x[..i]).map(|(l, x)| l * x).sum();
            x[i] -= sum;
        }
    }
    for i in (0..n).rev() {
        let row = &a[i * n..(i + 1) * n];
        let sum: f64 = row[i + 1..].iter().zip(&x[i + 1..]).map(|(u, x)| u * x).sum();
        x[i] = (x[i] - sum) / row[i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::families::Rng;

    type Solve = fn(&mut [f64], &mut [f64]) -> bool;

    #[test]
    fn both_factors_solve_sizes_that_are_no_multiple_of_a_block() {
        for n in [1, 2, 7, 8, 9, 30, 51] {
            let mut rng = Rng::new(n as u64);
            let g: Vec<f64> = (0..n * n).map(|_| rng.normal()).collect();
            let mut a = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..n {
                    a[i * n + j] = (0..n).map(|k| g[i * n + k] * g[j * n + k]).sum();
                }
                a[i * n + i] += 1.0;
            }
            let x: Vec<f64> = (0..n).map(|_| rng.normal()).collect();
            let product = |a: &[f64]| -> Vec<f64> {
                a.chunks_exact(n)
                    .map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum())
                    .collect()
            };
            // g is not symmetric and needs its pivots.
            let solved: [(&[f64], Solve); 3] = [(&a, lu), (&a, cholesky), (&g, lu)];
            for (matrix, solve) in solved {
                let mut found = product(matrix);
                assert!(solve(&mut matrix.to_vec(), &mut found), "n {n}");
                for (found, x) in found.iter().zip(&x) {
                    assert!((found - x).abs() < 1e-9, "n {n}: {found} {x}");
                }
            }
        }
    }

    #[test]
    fn a_singular_matrix_is_noticed() {
        assert!(!lu(&mut [0.0, 0.0, 0.0, 1.0], &mut [1.0, 1.0]));
        assert!(!cholesky(&mut [1.0, 2.0, 2.0, 1.0], &mut [1.0, 1.0]));
    }
}
