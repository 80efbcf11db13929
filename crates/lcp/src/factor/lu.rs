//! L K = U for a square matrix K that grows, shrinks and exchanges rows and columns.
//!
//! U is upper triangular and L is a full square matrix, the product of all eliminations and interchanges so far. Keeping L
//! as a product already multiplied out (Saunders' LUMOD) makes all four changes a pivot can ask for the same
//! kind of work: a sweep of row operations, each between two rows of which the larger entry is the pivot. Every
//! change costs O(k²), as does a solve.

use crate::real::{Real, dot, subtract_multiple};

/// The factorization of a k × k matrix K.
#[derive(Debug, Clone)]
pub struct Lu<T> {
    k: usize,
    /// Room for this many rows and columns; the distance between rows in `l` and `u`.
    capacity: usize,
    l: Vec<T>,
    u: Vec<T>,
    /// L b of the last right-hand side, ready to become a column of U.
    y: Vec<T>,
}

impl<T: Real> Default for Lu<T> {
    fn default() -> Self {
        Self {
            k: 0,
            capacity: 0,
            l: Vec::new(),
            u: Vec::new(),
            y: Vec::new(),
        }
    }
}

impl<T: Real> Lu<T> {
    /// Size of K.
    #[must_use]
    pub fn k(&self) -> usize {
        self.k
    }

    /// Forgets K. The room is kept.
    pub fn clear(&mut self) {
        self.k = 0;
    }

    /// Allocates for up to `limit` rows and columns at once, so that no later change does. Rows still lie close
    /// together while K is small; memory that K never grows into is never touched.
    pub fn reserve(&mut self, limit: usize) {
        let size = limit.max(8).next_power_of_two().pow(2);
        self.l.reserve(size.saturating_sub(self.l.len()));
        self.u.reserve(size.saturating_sub(self.u.len()));
        self.y
            .reserve(limit.max(8).next_power_of_two().saturating_sub(self.y.len()));
    }

    /// Makes room for `capacity` rows and columns; keeps K.
    fn widen(&mut self, capacity: usize) {
        if capacity <= self.capacity {
            return;
        }
        let (old, wider) = (self.capacity, capacity.max(8).next_power_of_two());
        for matrix in [&mut self.l, &mut self.u] {
            matrix.resize(wider * wider, T::ZERO);
            // From the last row on: each moves to where no row before it lies.
            for i in (1..self.k).rev() {
                matrix.copy_within(i * old..i * old + self.k, i * wider);
            }
        }
        self.y.resize(wider, T::ZERO);
        self.capacity = wider;
    }

    fn u_row(&self, i: usize) -> &[T] {
        &self.u[i * self.capacity..i * self.capacity + self.k]
    }

    fn l_row(&self, i: usize) -> &[T] {
        &self.l[i * self.capacity..i * self.capacity + self.k]
    }

    /// Factors a matrix given by its entries, with partial pivoting. False when it is singular to working precision.
    pub fn factor(&mut self, k: usize, entry: impl Fn(usize, usize) -> T) -> bool {
        self.k = 0;
        self.widen(k);
        self.k = k;
        for i in 0..k {
            for j in 0..k {
                self.u[i * self.capacity + j] = entry(i, j);
                self.l[i * self.capacity + j] = if i == j { T::ONE } else { T::ZERO };
            }
        }
        for j in 0..k {
            let mut pivot = j;
            for i in j + 1..k {
                if self.u[i * self.capacity + j].abs() > self.u[pivot * self.capacity + j].abs() {
                    pivot = i;
                }
            }
            self.swap_rows(j, pivot);
            for i in j + 1..k {
                self.eliminate(j, i, j);
            }
        }
        !self.is_singular()
    }

    /// Whether a diagonal entry of U is negligible beside the largest one, or not a number.
    #[must_use]
    pub fn is_singular(&self) -> bool {
        let mut largest = 0.0f64;
        let mut smallest = f64::INFINITY;
        for i in 0..self.k {
            let d = self.u[i * self.capacity + i].abs().to_f64();
            if !d.is_finite() {
                return true;
            }
            largest = largest.max(d);
            smallest = smallest.min(d);
        }
        smallest <= largest * T::ROUNDOFF
    }

    /// Solves K x = b. L b is remembered for [`Lu::append`] and [`Lu::replace_column`].
    pub fn solve(&mut self, b: &[T], x: &mut [T]) {
        for i in 0..self.k {
            self.y[i] = dot(self.l_row(i), &b[..self.k]);
        }
        self.back_substitute(x);
    }

    /// Solves K x = e_p. L e_p is remembered as in [`Lu::solve`].
    pub fn solve_unit(&mut self, p: usize, x: &mut [T]) {
        for i in 0..self.k {
            self.y[i] = self.l[i * self.capacity + p];
        }
        self.back_substitute(x);
    }

    fn back_substitute(&self, x: &mut [T]) {
        let k = self.k;
        for i in (0..k).rev() {
            let row = self.u_row(i);
            x[i] = (self.y[i] - dot(&row[i + 1..], &x[i + 1..k])) / row[i];
        }
    }

    /// Adds a last row and a last column. The column's first k entries are the b of the last [`Lu::solve`]; `row` are the
    /// new row's entries in the old columns and `corner` its entry in the new one.
    pub fn append(&mut self, row: &[T], corner: T) {
        let k = self.k;
        self.widen(k + 1);
        for i in 0..k {
            self.u[i * self.capacity + k] = self.y[i];
            self.l[i * self.capacity + k] = T::ZERO;
        }
        self.k = k + 1;
        self.set_last_row(k, row, corner);
    }

    /// Column p leaves; a column whose entries are the b of the last [`Lu::solve`] becomes the last one.
    pub fn replace_column(&mut self, p: usize) {
        self.remove_column(p);
        let k = self.k;
        for i in 0..k {
            self.u[i * self.capacity + k - 1] = self.y[i];
        }
        self.restore_triangle(p, k);
    }

    /// Row p of K becomes `row`.
    pub fn replace_row(&mut self, p: usize, row: &[T]) {
        self.isolate_row(p);
        let k = self.k;
        self.set_last_row(p, &row[..k - 1], row[k - 1]);
    }

    /// Row p and column s of K leave.
    pub fn remove(&mut self, p: usize, s: usize) {
        self.isolate_row(p);
        let (k, capacity) = (self.k, self.capacity);
        for i in 0..k - 1 {
            self.l
                .copy_within(i * capacity + p + 1..i * capacity + k, i * capacity + p);
        }
        self.remove_column(s);
        self.k = k - 1;
        self.restore_triangle(s, k - 1);
    }

    /// The last row of U becomes (row, corner), that of L the unit vector of K's row p; then it is eliminated.
    fn set_last_row(&mut self, p: usize, row: &[T], corner: T) {
        let k = self.k;
        let start = (k - 1) * self.capacity;
        self.u[start..start + k - 1].copy_from_slice(&row[..k - 1]);
        self.u[start + k - 1] = corner;
        self.l[start..start + k].fill(T::ZERO);
        self.l[start + p] = T::ONE;
        for j in 0..k - 1 {
            self.eliminate_larger(j, k - 1, j);
        }
    }

    /// Shifts the columns of U behind p one to the left. The last column is left as it is.
    fn remove_column(&mut self, p: usize) {
        let (k, capacity) = (self.k, self.capacity);
        for i in 0..k {
            let from = (p + 1).max(i);
            let row = i * capacity;
            self.u.copy_within(row + from..row + k, row + from - 1);
        }
    }

    /// Eliminates the entries below the diagonal that a removed column p left in U of size k.
    fn restore_triangle(&mut self, p: usize, k: usize) {
        for j in p..k.saturating_sub(1) {
            self.eliminate_larger(j, j + 1, j);
        }
    }

    /// Row operations after which only the last row of L involves K's row p. U keeps its shape except for its last row.
    fn isolate_row(&mut self, p: usize) {
        let last = self.k - 1;
        for i in (0..last).rev() {
            let (here, pivot) = (self.l[i * self.capacity + p], self.l[last * self.capacity + p]);
            if here == T::ZERO {
                continue;
            }
            if here.abs() > pivot.abs() {
                self.swap_rows(i, last);
            }
            let factor = self.l[i * self.capacity + p] / self.l[last * self.capacity + p];
            self.subtract_row(last, i, i, factor);
            self.l[i * self.capacity + p] = T::ZERO;
        }
    }

    /// Makes U_ij zero with row `pivot`, after exchanging the two rows when U_ij is the larger.
    fn eliminate_larger(&mut self, pivot: usize, i: usize, j: usize) {
        if self.u[i * self.capacity + j].abs() > self.u[pivot * self.capacity + j].abs() {
            self.swap_rows(i, pivot);
        }
        self.eliminate(pivot, i, j);
    }

    /// Makes U_ij zero with row `pivot`, whose first nonzero is in column j.
    fn eliminate(&mut self, pivot: usize, i: usize, j: usize) {
        let entry = self.u[i * self.capacity + j];
        if entry == T::ZERO {
            return;
        }
        let factor = entry / self.u[pivot * self.capacity + j];
        self.subtract_row(pivot, i, j, factor);
        self.u[i * self.capacity + j] = T::ZERO;
    }

    /// Row i −= factor · row `pivot`, in L and from column `from` on in U.
    fn subtract_row(&mut self, pivot: usize, i: usize, from: usize, factor: T) {
        let (k, capacity) = (self.k, self.capacity);
        let (target, source) = two_rows(&mut self.u, capacity, i, pivot);
        subtract_multiple(&mut target[from..k], factor, &source[from..k]);
        let (target, source) = two_rows(&mut self.l, capacity, i, pivot);
        subtract_multiple(&mut target[..k], factor, &source[..k]);
    }

    fn swap_rows(&mut self, i: usize, j: usize) {
        if i == j {
            return;
        }
        let (k, capacity) = (self.k, self.capacity);
        for matrix in [&mut self.u, &mut self.l] {
            let (a, b) = two_rows(matrix, capacity, i, j);
            a[..k].swap_with_slice(&mut b[..k]);
        }
    }
}

/// Rows i ≠ j of a matrix whose rows are `width` apart.
fn two_rows<T>(matrix: &mut [T], width: usize, i: usize, j: usize) -> (&mut [T], &mut [T]) {
    let (low, high) = (i.min(j), i.max(j));
    let (head, tail) = matrix.split_at_mut(high * width);
    let (a, b) = (&mut head[low * width..(low + 1) * width], &mut tail[..width]);
    if i < j { (a, b) } else { (b, a) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::DoubleDouble;
    use crate::testing::Rng;

    /// K as a list of rows beside its factorization, changed together.
    struct Pair<T> {
        rows: Vec<Vec<f64>>,
        lu: Lu<T>,
    }

    impl<T: Real> Pair<T> {
        fn solve(&mut self, b: &[f64]) -> Vec<T> {
            let b: Vec<T> = b.iter().map(|&v| T::from_f64(v)).collect();
            let mut x = vec![T::ZERO; b.len()];
            self.lu.solve(&b, &mut x);
            x
        }

        fn worst_residual(&mut self, rng: &mut Rng) -> f64 {
            let k = self.rows.len();
            let b: Vec<f64> = (0..k).map(|_| rng.symmetric()).collect();
            let x = self.solve(&b);
            let mut worst = 0.0f64;
            for (row, &b) in self.rows.iter().zip(&b) {
                let sum = row.iter().zip(&x).fold(T::ZERO, |s, (&m, &x)| s + x.times(m));
                worst = worst.max((sum - T::from_f64(b)).abs().to_f64());
            }
            worst
        }

        fn step(&mut self, rng: &mut Rng) {
            let k = self.rows.len();
            let random = |n: usize, rng: &mut Rng| -> Vec<f64> { (0..n).map(|_| rng.symmetric()).collect() };
            let convert = |v: &[f64]| -> Vec<T> { v.iter().map(|&v| T::from_f64(v)).collect() };
            match if k < 3 { 0 } else { rng.below(4) } {
                0 => {
                    let (row, column) = (random(k + 1, rng), random(k, rng));
                    self.solve(&column);
                    self.lu.append(&convert(&row[..k]), T::from_f64(row[k]));
                    for (old, &c) in self.rows.iter_mut().zip(&column) {
                        old.push(c);
                    }
                    self.rows.push(row);
                }
                1 => {
                    let (p, column) = (rng.below(k), random(k, rng));
                    self.solve(&column);
                    self.lu.replace_column(p);
                    for (row, &c) in self.rows.iter_mut().zip(&column) {
                        row.remove(p);
                        row.push(c);
                    }
                }
                2 => {
                    let (p, row) = (rng.below(k), random(k, rng));
                    self.lu.replace_row(p, &convert(&row));
                    self.rows[p] = row;
                }
                _ => {
                    let (p, s) = (rng.below(k), rng.below(k));
                    self.lu.remove(p, s);
                    self.rows.remove(p);
                    for row in &mut self.rows {
                        row.remove(s);
                    }
                }
            }
        }
    }

    fn random_changes<T: Real>(tolerance: f64) {
        let mut rng = Rng::new(1);
        let mut pair = Pair::<T> {
            rows: Vec::new(),
            lu: Lu::default(),
        };
        for change in 0..2000 {
            pair.step(&mut rng);
            let residual = pair.worst_residual(&mut rng);
            assert!(residual < tolerance, "change {change}: residual {residual:e}");
        }
    }

    #[test]
    fn two_thousand_random_changes_keep_solving() {
        random_changes::<f64>(1e-7);
    }

    #[test]
    fn two_thousand_random_changes_in_double_double() {
        random_changes::<DoubleDouble>(1e-22);
    }

    #[test]
    fn factor_agrees_with_appending() {
        let mut rng = Rng::new(2);
        let rows: Vec<Vec<f64>> = (0..12).map(|_| (0..12).map(|_| rng.symmetric()).collect()).collect();
        let mut lu = Lu::<f64>::default();
        assert!(lu.factor(12, |i, j| rows[i][j]));
        let mut pair = Pair { rows, lu };
        assert!(pair.worst_residual(&mut rng) < 1e-12);
    }

    #[test]
    fn a_singular_matrix_is_noticed() {
        let mut lu = Lu::<f64>::default();
        assert!(!lu.factor(2, |i, j| [[1.0, 2.0], [2.0, 4.0]][i][j]));
        assert!(lu.factor(0, |_, _| 0.0));
    }
}
