//! LU factors of the kernel: dense for small ones, banded with a border for large ones.
//!
//! The kernel of a large contact graph is banded when its unknowns follow the graph (algorithms: "sparse kernel"): factoring costs
//! O(r b²) for bandwidth b instead of O(r³). The border (c and the row of w_r) is full: it is solved by its Schur complement.

/// Pivots below this fraction of the largest entry make the factor useless.
const SINGULAR: f64 = 1e-14;

/// Dense LU with partial pivoting, row-major.
#[derive(Debug, Clone, Default)]
pub(crate) struct DenseLu {
    pub(crate) a: Vec<f64>,
    pub(crate) n: usize,
    pivots: Vec<usize>,
}

impl DenseLu {
    /// Makes room for an n × n matrix of zeros.
    pub(crate) fn reset(&mut self, n: usize) {
        self.n = n;
        self.a.clear();
        self.a.resize(n * n, 0.0);
    }

    /// Factors in place. False where the matrix is singular.
    pub(crate) fn factor(&mut self) -> bool {
        let n = self.n;
        let a = &mut self.a[..n * n];
        self.pivots.clear();
        let largest = a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        for k in 0..n {
            let mut p = k;
            let mut best = a[k * n + k].abs();
            for i in k + 1..n {
                let x = a[i * n + k].abs();
                if x > best {
                    best = x;
                    p = i;
                }
            }
            if best.is_nan() || best <= SINGULAR * largest {
                return false;
            }
            self.pivots.push(p);
            if p != k {
                let (upper, lower) = a.split_at_mut(p * n);
                upper[k * n..k * n + n].swap_with_slice(&mut lower[..n]);
            }
            let (upper, lower) = a.split_at_mut((k + 1) * n);
            let pivot_row = &upper[k * n..];
            let inverse = 1.0 / pivot_row[k];
            for row in lower.chunks_exact_mut(n) {
                let l = row[k] * inverse;
                row[k] = l;
                if l != 0.0 {
                    for (x, u) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..]) {
                        *x -= l * u;
                    }
                }
            }
        }
        true
    }

    /// x ← A⁻¹x.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        for (k, p) in self.pivots.iter().enumerate() {
            x.swap(k, *p);
        }
        for i in 1..n {
            let row = &self.a[i * n..i * n + i];
            let mut sum = x[i];
            for (l, x) in row.iter().zip(&x[..i]) {
                sum -= l * x;
            }
            x[i] = sum;
        }
        for i in (0..n).rev() {
            let row = &self.a[i * n..i * n + n];
            let mut sum = x[i];
            for k in i + 1..n {
                sum -= row[k] * x[k];
            }
            x[i] = sum / row[i];
        }
    }
}

/// Banded LU with partial pivoting: row i holds columns i − b ..= i + 2b.
#[derive(Debug, Clone, Default)]
pub(crate) struct BandLu {
    a: Vec<f64>,
    n: usize,
    band: usize,
    pivots: Vec<usize>,
    /// One past the last nonzero column of each row.
    end: Vec<usize>,
}

impl BandLu {
    /// Makes room for n unknowns coupled at most `band` apart.
    pub(crate) fn reset(&mut self, n: usize, band: usize) {
        self.n = n;
        self.band = band;
        self.a.clear();
        self.a.resize(n * (3 * band + 1), 0.0);
        self.end.clear();
        self.end.resize(n, 0);
    }

    /// Sets entry (i, j), |i − j| ≤ band.
    #[inline]
    pub(crate) fn set(&mut self, i: usize, j: usize, x: f64) {
        let at = i * (3 * self.band + 1) + j + self.band - i;
        self.a[at] = x;
        self.end[i] = self.end[i].max(j + 1);
    }

    /// Factors in place. False where the matrix is singular.
    pub(crate) fn factor(&mut self) -> bool {
        let (n, b) = (self.n, self.band);
        let width = 3 * b + 1;
        let largest = self.a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        self.pivots.clear();
        for k in 0..n {
            let last = (k + b).min(n - 1);
            let (mut p, mut best) = (k, 0.0);
            for i in k..=last {
                let x = self.a[i * width + k + b - i].abs();
                if x > best {
                    best = x;
                    p = i;
                }
            }
            if best.is_nan() || best <= SINGULAR * largest {
                return false;
            }
            self.pivots.push(p);
            let end = self.end[p].max(self.end[k]);
            if p != k {
                self.end.swap(p, k);
                for j in k..end {
                    self.a.swap(k * width + j + b - k, p * width + j + b - p);
                }
            }
            let end = self.end[k];
            let (upper, lower) = self.a.split_at_mut((k + 1) * width);
            let pivot_row = &upper[k * width + b..k * width + b + end - k];
            let inverse = 1.0 / pivot_row[0];
            for i in k + 1..=last {
                let at = (i - k - 1) * width + k + b - i;
                let row = &mut lower[at..at + end - k];
                if row[0] == 0.0 {
                    continue;
                }
                let l = row[0] * inverse;
                row[0] = l;
                for (x, u) in row[1..].iter_mut().zip(&pivot_row[1..]) {
                    *x -= l * u;
                }
                self.end[i] = self.end[i].max(end);
            }
        }
        true
    }

    /// x ← A⁻¹x.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        let (n, b) = (self.n, self.band);
        let width = 3 * b + 1;
        for k in 0..n {
            x.swap(k, self.pivots[k]);
            let xk = x[k];
            if xk != 0.0 {
                for i in k + 1..=(k + b).min(n - 1) {
                    x[i] -= self.a[i * width + k + b - i] * xk;
                }
            }
        }
        for k in (0..n).rev() {
            let row = &self.a[k * width + b..k * width + b + self.end[k] - k];
            let mut sum = x[k];
            for (u, x) in row[1..].iter().zip(&x[k + 1..]) {
                sum -= u * x;
            }
            x[k] = sum / row[0];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::lemke::basis::mix;

    fn random(state: &mut u64) -> f64 {
        *state = mix(*state);
        (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    #[test]
    fn both_factors_solve_random_band_matrices() {
        let mut state = 7;
        for n in 1..40 {
            for band in 0..n.min(9) {
                let (mut dense, mut banded) = (DenseLu::default(), BandLu::default());
                dense.reset(n);
                banded.reset(n, band);
                let mut matrix = vec![0.0; n * n];
                for i in 0..n {
                    for j in i.saturating_sub(band)..(i + band + 1).min(n) {
                        let x = random(&mut state);
                        matrix[i * n + j] = x;
                        dense.a[i * n + j] = x;
                        banded.set(i, j, x);
                    }
                }
                if !dense.factor() {
                    continue;
                }
                assert!(banded.factor(), "n = {n}, band = {band}");
                let x: Vec<f64> = (0..n).map(|_| random(&mut state)).collect();
                let rhs: Vec<f64> = (0..n).map(|i| (0..n).map(|j| matrix[i * n + j] * x[j]).sum()).collect();
                let (mut a, mut b) = (rhs.clone(), rhs);
                dense.solve(&mut a);
                banded.solve(&mut b);
                for i in 0..n {
                    assert!(
                        (a[i] - b[i]).abs() <= 1e-6 * (1.0 + a[i].abs()),
                        "n = {n}, band = {band}: {} {}",
                        a[i],
                        b[i]
                    );
                    assert!((a[i] - x[i]).abs() < 1e-4, "n = {n}, band = {band}: {} {}", a[i], x[i]);
                }
            }
        }
    }
}
