//! G Gᵀ = A_CC for a symmetric positive definite matrix and an index set C that gains and loses one index at a time.
//!
//! The order of rows is the order in which indices were added. G is stored by columns: a removal rotates neighbouring
//! columns, and both halves of a solve run along them. Every change costs O(k²), as does a solve.

use crate::real::{dot, subtract_multiple};

/// The lower triangular factor G of a k × k matrix.
#[derive(Debug, Clone, Default)]
pub struct Cholesky {
    k: usize,
    /// Room for this many rows and columns; the distance between columns in `g`.
    capacity: usize,
    /// G_ij at `j * capacity + i`; what lies above the diagonal is never read.
    g: Vec<f64>,
    /// The row that `append` computes.
    row: Vec<f64>,
}

impl Cholesky {
    /// Size of the factored matrix.
    #[must_use]
    pub fn k(&self) -> usize {
        self.k
    }

    /// Rows and columns there is room for without allocating.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Forgets the matrix. The room is kept.
    pub fn clear(&mut self) {
        self.k = 0;
    }

    /// Makes room for `capacity` rows and columns; keeps the factor.
    pub fn reserve(&mut self, capacity: usize) {
        if capacity <= self.capacity {
            return;
        }
        let wider = (2 * self.capacity).max(capacity).max(8);
        let mut g = vec![0.0; wider * wider];
        for j in 0..self.k {
            let (from, to) = (j * self.capacity, j * wider);
            g[to + j..to + self.k].copy_from_slice(&self.g[from + j..from + self.k]);
        }
        self.g = g;
        self.row.resize(wider, 0.0);
        self.capacity = wider;
    }

    /// Adds a last row and column: `column` are the k entries of the new column above its `diagonal` entry.
    ///
    /// False, and nothing changed, when the new index is a combination of the others to working precision: its Schur
    /// complement is at most `tolerance` times `diagonal`, or not a number.
    #[must_use]
    pub fn append(&mut self, column: &[f64], diagonal: f64, tolerance: f64) -> bool {
        let k = self.k;
        self.reserve(k + 1);
        self.row[..k].copy_from_slice(&column[..k]);
        forward_substitute(&self.g, self.capacity, &mut self.row[..k]);
        self.append_row(diagonal, tolerance)
    }

    /// The same where y with G y = column is known from [`Cholesky::forward`].
    #[must_use]
    pub fn append_forward(&mut self, y: &[f64], diagonal: f64, tolerance: f64) -> bool {
        let k = self.k;
        self.reserve(k + 1);
        self.row[..k].copy_from_slice(&y[..k]);
        self.append_row(diagonal, tolerance)
    }

    fn append_row(&mut self, diagonal: f64, tolerance: f64) -> bool {
        let k = self.k;
        let schur = diagonal - dot(&self.row[..k], &self.row[..k]);
        let enough = schur > (tolerance * diagonal).max(0.0) && schur.is_finite();
        if enough {
            for j in 0..k {
                self.g[j * self.capacity + k] = self.row[j];
            }
            self.g[k * self.capacity + k] = schur.sqrt();
            self.k = k + 1;
        }
        enough
    }

    /// Row and column `position` leave.
    pub fn remove(&mut self, position: usize) {
        let (k, capacity) = (self.k, self.capacity);
        // Row `position` goes; the rows below move up and reach one entry past the diagonal.
        for j in 0..position {
            let start = j * capacity;
            self.g.copy_within(start + position + 1..start + k, start + position);
        }
        // G Gᵀ is unchanged by rotations of two columns. Each clears one of those entries: the pair (a, b) in the row
        // of the diagonal becomes (√(a² + b²), 0).
        for j in position..k - 1 {
            let (head, tail) = self.g.split_at_mut((j + 1) * capacity);
            let (left, right) = (&mut head[j * capacity..], &mut tail[..capacity]);
            let (a, b) = (left[j + 1], right[j + 1]);
            let length = (a * a + b * b).sqrt();
            let (cosine, sine) = (a / length, b / length);
            for i in j + 1..k {
                let (l, r) = (left[i], right[i]);
                left[i - 1] = cosine * l + sine * r;
                right[i] = cosine * r - sine * l;
            }
            left[j] = length;
        }
        self.k = k - 1;
    }

    /// Solves A_CC x = b.
    pub fn solve(&self, b: &[f64], x: &mut [f64]) {
        self.forward(b, x);
        self.backward(x);
    }

    /// Solves G y = b, the first half of [`Cholesky::solve`].
    pub fn forward(&self, b: &[f64], y: &mut [f64]) {
        let k = self.k;
        y[..k].copy_from_slice(&b[..k]);
        forward_substitute(&self.g, self.capacity, &mut y[..k]);
    }

    /// x becomes G⁻ᵀ x, the second half of [`Cholesky::solve`].
    pub fn backward(&self, x: &mut [f64]) {
        let (k, capacity) = (self.k, self.capacity);
        for j in (0..k).rev() {
            let column = &self.g[j * capacity..j * capacity + k];
            x[j] = (x[j] - dot(&column[j + 1..], &x[j + 1..k])) / column[j];
        }
    }
}

/// x becomes G⁻¹ x.
fn forward_substitute(g: &[f64], capacity: usize, x: &mut [f64]) {
    let k = x.len();
    for j in 0..k {
        let column = &g[j * capacity..j * capacity + k];
        let (head, tail) = x.split_at_mut(j + 1);
        if head[j] == 0.0 {
            continue; // columns of a sparse matrix begin with zeros
        }
        head[j] /= column[j];
        subtract_multiple(tail, head[j], &column[j + 1..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Rng;

    /// B Bᵀ of a random n × (n + 2) matrix B.
    fn random_definite(n: usize, rng: &mut Rng) -> Vec<Vec<f64>> {
        let b: Vec<Vec<f64>> = (0..n).map(|_| (0..n + 2).map(|_| rng.symmetric()).collect()).collect();
        (0..n).map(|i| (0..n).map(|j| dot(&b[i], &b[j])).collect()).collect()
    }

    fn append(factor: &mut Cholesky, A: &[Vec<f64>], set: &mut Vec<usize>, i: usize) -> bool {
        let column: Vec<f64> = set.iter().map(|&j| A[j][i]).collect();
        let taken = factor.append(&column, A[i][i], 1e-10);
        if taken {
            set.push(i);
        }
        taken
    }

    fn solve(factor: &Cholesky, b: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; b.len()];
        factor.solve(b, &mut x);
        x
    }

    #[test]
    fn two_thousand_random_changes_solve_like_a_fresh_factor() {
        let mut rng = Rng::new(11);
        let A = random_definite(24, &mut rng);
        let (mut factor, mut set) = (Cholesky::default(), Vec::new());
        for change in 0..2000 {
            let i = rng.below(24);
            match set.iter().position(|&j| j == i) {
                Some(position) => {
                    factor.remove(position);
                    set.remove(position);
                }
                None => assert!(append(&mut factor, &A, &mut set, i), "change {change}"),
            }
            assert_eq!(factor.k(), set.len());
            let b: Vec<f64> = set.iter().map(|_| rng.symmetric()).collect();
            let x = solve(&factor, &b);
            let (mut fresh, mut order) = (Cholesky::default(), Vec::new());
            for &j in &set {
                assert!(append(&mut fresh, &A, &mut order, j));
            }
            let expected = solve(&fresh, &b);
            let size = expected.iter().fold(1.0f64, |m, v| v.abs().max(m));
            for (found, expected) in x.iter().zip(&expected) {
                assert!(
                    (found - expected).abs() <= 1e-9 * size,
                    "change {change}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn a_dependent_row_is_refused_and_leaves_the_factor_as_it_was() {
        let rows = [[2.0, 1.0, 3.0], [1.0, 2.0, 3.0], [3.0, 3.0, 6.0]]; // row 2 = row 0 + row 1
        let A: Vec<Vec<f64>> = rows.iter().map(|r| r.to_vec()).collect();
        let (mut factor, mut set) = (Cholesky::default(), Vec::new());
        assert!(append(&mut factor, &A, &mut set, 0) && append(&mut factor, &A, &mut set, 1));
        let before = solve(&factor, &[1.0, -1.0]);
        assert!(!append(&mut factor, &A, &mut set, 2));
        assert_eq!((factor.k(), solve(&factor, &[1.0, -1.0])), (2, before));
    }

    #[test]
    fn zero_negative_and_not_a_number_are_refused() {
        let mut factor = Cholesky::default();
        for diagonal in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(!factor.append(&[], diagonal, 1e-10), "{diagonal}");
        }
        assert_eq!(factor.k(), 0);
    }

    #[test]
    fn room_is_kept() {
        let mut rng = Rng::new(3);
        let A = random_definite(10, &mut rng);
        let mut factor = Cholesky::default();
        factor.reserve(10);
        let capacity = factor.capacity();
        for _ in 0..2 {
            factor.clear();
            let mut set = Vec::new();
            for i in 0..10 {
                assert!(append(&mut factor, &A, &mut set, i));
            }
            assert_eq!(factor.capacity(), capacity);
        }
    }
}
