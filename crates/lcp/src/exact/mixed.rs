//! Bounded problems in exact arithmetic: the table of [`crate::reduce`] in rationals.

use super::problem::{ExactLcp, rational};
use crate::error::InputError;
use crate::problem::Mlcp;
use dashu_ratio::RBig;

/// An [`Mlcp`] rewritten without rounding in free and complementary variables.
#[derive(Debug, Clone)]
pub struct ExactMixed {
    /// The rewritten problem.
    pub lcp: ExactLcp,
    /// z_i = shift_i + sign_i y_i.
    shift: Vec<RBig>,
    sign: Vec<i8>,
    /// Variables whose bounds coincide.
    fixed: Vec<usize>,
    /// Variables between two different finite bounds, in the order of their extra rows.
    boxed: Vec<usize>,
}

impl ExactMixed {
    /// Rewrites a problem whose M (row by row) and q are given as rationals; the bounds are the doubles of `problem`.
    ///
    /// # Errors
    /// When the sizes do not match those of `problem`.
    pub fn new(problem: &Mlcp, M: &[RBig], q: &[RBig]) -> Result<Self, InputError> {
        let n = problem.n();
        crate::error::check_length("M", n * n, M.len())?;
        crate::error::check_length("q", n, q.len())?;
        let (lower, upper) = (problem.lower(), problem.upper());
        let finite = |i: usize| (lower[i].is_finite(), upper[i].is_finite());
        let fixed = |i: usize| lower[i] == upper[i];
        let sign: Vec<i8> = (0..n)
            .map(|i| if finite(i) == (false, true) { -1 } else { 1 })
            .collect();
        let shift: Vec<RBig> = (0..n)
            .map(|i| match finite(i) {
                (true, _) => rational(lower[i]),
                (false, true) => rational(upper[i]),
                (false, false) => RBig::ZERO,
            })
            .collect();
        let boxed: Vec<usize> = (0..n).filter(|&i| finite(i) == (true, true) && !fixed(i)).collect();
        let size = n + boxed.len();
        let mut rewritten = vec![RBig::ZERO; size * size];
        let mut vector = vec![RBig::ZERO; size];
        for i in 0..n {
            if fixed(i) {
                rewritten[i * size + i] = RBig::ONE;
                vector[i] = RBig::ONE;
                continue;
            }
            let row = &M[i * n..(i + 1) * n];
            let moved = row.iter().zip(&shift).fold(q[i].clone(), |sum, (m, s)| sum + m * s);
            vector[i] = signed(&moved, sign[i]);
            for j in (0..n).filter(|&j| !fixed(j)) {
                rewritten[i * size + j] = signed(&row[j], sign[i] * sign[j]);
            }
        }
        for (k, &i) in boxed.iter().enumerate() {
            rewritten[i * size + n + k] = RBig::ONE;
            rewritten[(n + k) * size + i] = -RBig::ONE;
            vector[n + k] = rational(upper[i]) - rational(lower[i]);
        }
        let free = (0..size).map(|i| i < n && problem.is_free(i)).collect();
        let lcp = ExactLcp::from_rationals(size, &rewritten, &vector)?.with_free(free)?;
        Ok(Self {
            lcp,
            shift,
            sign,
            fixed: (0..n).filter(|&i| fixed(i)).collect(),
            boxed,
        })
    }

    /// A floating-point answer (z, w) in the variables of the rewritten problem.
    #[must_use]
    pub fn guess(&self, z: &[f64], w: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let sign = |i: usize| f64::from(self.sign[i]);
        let shift = |i: usize| self.shift[i].to_f64().value();
        let mut y: Vec<f64> = (0..z.len()).map(|i| sign(i) * (z[i] - shift(i))).collect();
        let mut v: Vec<f64> = (0..w.len()).map(|i| sign(i) * w[i]).collect();
        for (k, &i) in self.boxed.iter().enumerate() {
            let width = self.lcp.q(self.sign.len() + k).to_f64().value();
            y.push((-w[i]).max(0.0));
            v.push(width - y[i]);
            v[i] = v[i].max(0.0);
        }
        for &i in &self.fixed {
            (y[i], v[i]) = (0.0, 1.0);
        }
        (y, v)
    }

    /// z of the bounded problem from y.
    #[must_use]
    pub fn recover(&self, y: &[RBig]) -> Vec<RBig> {
        let terms = self.shift.iter().zip(&self.sign).zip(y);
        terms.map(|((shift, &sign), y)| shift + signed(y, sign)).collect()
    }
}

fn signed(value: &RBig, sign: i8) -> RBig {
    if sign < 0 { -value.clone() } else { value.clone() }
}

#[cfg(test)]
mod tests {
    use super::super::{Proof, prove};
    use super::*;
    use crate::matrix::Matrix;
    use crate::solve::Solver;
    use crate::testing::Rng;

    #[test]
    fn answers_of_bounded_problems_are_proven() {
        let mut rng = Rng::new(5);
        let inf = f64::INFINITY;
        for round in 0..200 {
            let n = 1 + rng.below(6);
            let a: Vec<f64> = (0..n * n).map(|_| rng.symmetric()).collect();
            let entry = |i: usize, j: usize| (0..n).map(|k| a[i * n + k] * a[j * n + k]).sum::<f64>();
            let rows: Vec<Vec<f64>> = (0..n)
                .map(|i| (0..n).map(|j| entry(i, j) + f64::from(u8::from(i == j))).collect())
                .collect();
            let kinds = [(0.0, inf), (-inf, inf), (-0.1, 0.2), (-inf, 0.3), (0.5, 0.5)];
            let bounds: Vec<(f64, f64)> = (0..n).map(|_| kinds[rng.below(kinds.len())]).collect();
            let q: Vec<f64> = (0..n).map(|_| 2.0 * rng.symmetric()).collect();
            let (lower, upper) = (
                bounds.iter().map(|b| b.0).collect(),
                bounds.iter().map(|b| b.1).collect(),
            );
            let problem = Mlcp::new(Matrix::from_rows(&rows).unwrap(), q.clone(), lower, upper).unwrap();
            let mut solver = Solver::new();
            let solution = solver.solve_mixed(&problem).unwrap().clone();
            let M: Vec<RBig> = rows.iter().flatten().map(|&v| rational(v)).collect();
            let q: Vec<RBig> = q.iter().map(|&v| rational(v)).collect();
            let exact = ExactMixed::new(&problem, &M, &q).unwrap();
            let (y, v) = exact.guess(&solution.z, &solution.w);
            let Proof::Proven { z: y, pivots, .. } = prove(&exact.lcp, &y, &v) else {
                panic!("round {round}: not proven, {bounds:?}")
            };
            assert_eq!(pivots, 0, "round {round}");
            for (i, z) in exact.recover(&y).iter().enumerate() {
                let error = (z.to_f64().value() - solution.z[i]).abs();
                assert!(error < 1e-12, "round {round}: z[{i}] is off by {error}");
            }
        }
    }
}
