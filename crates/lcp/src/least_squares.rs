//! Non-negative least squares, Lawson and Hanson 1974, chapter 23: min |Mz + q| over z ≥ 0, free variables of any sign.
//!
//! Where the minimum is zero, w = 0 and z is an answer whatever the class of M: problems made as q = −Mx with x ≥ 0 are solved by it, on
//! which Lemke's method mostly ends on a ray. Elsewhere the variables that are positive are a start for Lemke's method.
//!
//! M is taken balanced, so that rows of different units count alike. The normal equations of the positive variables are factored (one index enters or leaves at a time) and the
//! result is refined with residuals of Mz + q in twice the precision, so that the squared condition number costs steps, not digits.

use crate::factor::Cholesky;
use crate::pivoting::Data;
use crate::real::{Real, dot};

/// A column enters when its share of the residual exceeds this part of the residual's length.
const GRADIENT_REL_TOL: f64 = 1e-11;
/// A column whose Schur complement in the normal equations is below this share of its square is a combination of the others.
const DEPENDENT_REL_TOL: f64 = 1e-12;
/// Steps of refinement of the last system.
const REFINEMENT_STEPS: usize = 5;
/// Changes of the set of positive variables, for each variable.
const CHANGES_PER_VARIABLE: usize = 6;

/// The minimisation with its buffers.
#[derive(Debug, Clone, Default)]
pub(crate) struct LeastSquares {
    /// Balanced columns, one after the other, and −q balanced.
    columns: Vec<f64>,
    right: Vec<f64>,
    /// Aᵀ A and Aᵀ b.
    gram: Vec<f64>,
    moment: Vec<f64>,
    factor: Cholesky,
    /// Variables that may differ from zero, in the order of the factor.
    passive: Vec<usize>,
    is_passive: Vec<bool>,
    x: Vec<f64>,
    trial: Vec<f64>,
    b: Vec<f64>,
    changes: usize,
}

impl LeastSquares {
    /// Writes the minimiser to z. False when the changes were not enough or no number came out.
    pub(crate) fn run(&mut self, data: Data<'_>, z: &mut [f64]) -> bool {
        let n = data.n();
        self.begin(data);
        for j in (0..n).filter(|&j| data.is_free(j)) {
            self.enter(j); // a free column that depends on the others stays at zero
        }
        self.solve();
        self.take_trial();
        let ended = self.exchange(data);
        self.refine();
        z.fill(0.0);
        for &j in &self.passive {
            let value = self.x[j] * data.M.unit_scale()[j];
            z[j] = if data.is_free(j) { value } else { value.max(0.0) };
        }
        ended && z.iter().all(|v| v.is_finite())
    }

    /// Variables that entered or left in the last run.
    pub(crate) fn changes(&self) -> usize {
        self.changes
    }

    /// Which variables may differ from zero.
    pub(crate) fn passive(&self) -> &[bool] {
        &self.is_passive
    }

    fn begin(&mut self, data: Data<'_>) {
        let n = data.n();
        self.columns.clear();
        for j in 0..n {
            self.columns.extend((0..n).map(|i| data.M.balanced(i, j)));
        }
        self.right.clear();
        let scaled = data.q.iter().zip(data.M.row_scale()).map(|(q, scale)| -q * scale);
        self.right.extend(scaled);
        self.gram.clear();
        self.gram.resize(n * n, 0.0);
        for j in 0..n {
            for k in 0..=j {
                let value = dot(&self.columns[j * n..(j + 1) * n], &self.columns[k * n..(k + 1) * n]);
                self.gram[j * n + k] = value;
                self.gram[k * n + j] = value;
            }
        }
        self.moment.clear();
        self.moment
            .extend((0..n).map(|j| dot(&self.columns[j * n..(j + 1) * n], &self.right)));
        self.factor.clear();
        self.passive.clear();
        self.is_passive.clear();
        self.is_passive.resize(n, false);
        for list in [&mut self.x, &mut self.trial, &mut self.b] {
            list.clear();
            list.resize(n, 0.0);
        }
        self.changes = 0;
    }

    /// The loop of Lawson and Hanson. False when it was cut short.
    fn exchange(&mut self, data: Data<'_>) -> bool {
        let n = data.n();
        let mut refused = vec![false; n];
        while self.changes <= CHANGES_PER_VARIABLE * n {
            let Some(j) = self.steepest(&refused) else {
                return true;
            };
            if !self.enter(j) {
                refused[j] = true;
                continue;
            }
            self.solve();
            // Rounding can say that a column helps which does not: its variable would not grow.
            if self.trial[j] <= 0.0 {
                self.leave(self.passive.len() - 1);
                refused[j] = true;
                continue;
            }
            while !self.step(data) {
                self.solve();
            }
            refused.fill(false);
        }
        false
    }

    /// The variable at zero along which |Mz + q| falls fastest for a column of unit length.
    fn steepest(&mut self, refused: &[bool]) -> Option<usize> {
        let n = self.right.len();
        self.load_residual();
        let length = dot(&self.b, &self.b).sqrt();
        let mut best = (None, GRADIENT_REL_TOL * length);
        for j in (0..n).filter(|&j| !self.is_passive[j] && !refused[j] && self.gram[j * n + j] > 0.0) {
            let slope = dot(&self.columns[j * n..(j + 1) * n], &self.b) / self.gram[j * n + j].sqrt();
            if slope > best.1 {
                best = (Some(j), slope);
            }
        }
        best.0
    }

    /// b = −q − Mx, in doubles.
    fn load_residual(&mut self) {
        let n = self.right.len();
        self.b.copy_from_slice(&self.right);
        for &j in &self.passive {
            let x = self.x[j];
            for (b, m) in self.b.iter_mut().zip(&self.columns[j * n..(j + 1) * n]) {
                *b -= m * x;
            }
        }
    }

    fn enter(&mut self, j: usize) -> bool {
        let n = self.right.len();
        let column: Vec<f64> = self.passive.iter().map(|&k| self.gram[j * n + k]).collect();
        if !self.factor.append(&column, self.gram[j * n + j], DEPENDENT_REL_TOL) {
            return false;
        }
        self.passive.push(j);
        self.is_passive[j] = true;
        self.changes += 1;
        true
    }

    fn leave(&mut self, position: usize) {
        let j = self.passive.remove(position);
        self.factor.remove(position);
        self.is_passive[j] = false;
        self.x[j] = 0.0;
        self.changes += 1;
    }

    /// The least squares of the passive variables alone, into `trial`.
    fn solve(&mut self) {
        let right: Vec<f64> = self.passive.iter().map(|&j| self.moment[j]).collect();
        let mut solved = vec![0.0; right.len()];
        self.factor.solve(&right, &mut solved);
        for (&j, value) in self.passive.iter().zip(solved) {
            self.trial[j] = value;
        }
    }

    fn take_trial(&mut self) {
        for &j in &self.passive {
            self.x[j] = self.trial[j];
        }
    }

    /// Moves x towards `trial` as far as signs allow; what has become zero leaves. True when all of the way was allowed.
    fn step(&mut self, data: Data<'_>) -> bool {
        let blocks = |&&j: &&usize| !data.is_free(j) && self.trial[j] <= 0.0;
        let ratio = |&j: &usize| {
            let fall = self.x[j] - self.trial[j];
            if fall > 0.0 { self.x[j] / fall } else { 0.0 }
        };
        let share = self.passive.iter().filter(blocks).map(ratio).fold(1.0, f64::min);
        let blocked = self.passive.iter().any(|j| blocks(&j));
        if !blocked {
            self.take_trial();
            return true;
        }
        let gone = |j: usize, value: f64| !data.is_free(j) && self.trial[j] <= 0.0 && value <= 0.0;
        let mut leaves = Vec::new();
        let mut least = (0, f64::INFINITY);
        for (position, &j) in self.passive.iter().enumerate() {
            let value = self.x[j] + share * (self.trial[j] - self.x[j]);
            if gone(j, value) {
                leaves.push(position);
            }
            if !data.is_free(j) && self.trial[j] <= 0.0 && value < least.1 {
                least = (position, value);
            }
        }
        for &j in &self.passive {
            self.x[j] += share * (self.trial[j] - self.x[j]);
        }
        if leaves.is_empty() {
            leaves.push(least.0); // rounding has left a speck of the blocking variable
        }
        for &position in leaves.iter().rev() {
            self.leave(position);
        }
        false
    }

    /// Iterative refinement on the last set, with residuals in twice the precision.
    fn refine(&mut self) {
        let n = self.right.len();
        for _ in 0..REFINEMENT_STEPS {
            for i in 0..n {
                let terms = self.passive.iter().map(|&j| (self.columns[j * n + i], self.x[j]));
                self.b[i] = f64::residual(self.right[i], terms);
            }
            let slopes: Vec<f64> = self
                .passive
                .iter()
                .map(|&j| dot(&self.columns[j * n..(j + 1) * n], &self.b))
                .collect();
            let mut correction = vec![0.0; slopes.len()];
            self.factor.solve(&slopes, &mut correction);
            if correction.iter().any(|v| !v.is_finite()) {
                return;
            }
            for (&j, d) in self.passive.iter().zip(correction) {
                self.x[j] += d;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Lcp;
    use crate::testing::Rng;

    fn minimise(rows: &[Vec<f64>], q: &[f64], free: &[bool]) -> Vec<f64> {
        let lcp = Lcp::from_rows(rows, q).unwrap();
        let data = Data {
            M: lcp.M(),
            q: lcp.q(),
            free,
        };
        let mut z = vec![0.0; q.len()];
        assert!(LeastSquares::default().run(data, &mut z));
        z
    }

    #[test]
    fn a_planted_point_is_found() {
        let mut rng = Rng::new(1);
        for round in 0..50 {
            let n = 2 + rng.below(30);
            let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| rng.symmetric()).collect()).collect();
            let x: Vec<f64> = (0..n).map(|_| rng.symmetric().max(0.0)).collect();
            let q: Vec<f64> = rows.iter().map(|row| -dot(row, &x)).collect();
            let z = minimise(&rows, &q, &[]);
            for (row, q) in rows.iter().zip(&q) {
                let w = dot(row, &z) + q;
                assert!(w.abs() < 1e-12, "round {round}: w = {w}");
            }
        }
    }

    #[test]
    fn the_minimum_has_no_slope_where_it_may_move() {
        let mut rng = Rng::new(2);
        for round in 0..50 {
            let n = 2 + rng.below(12);
            let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| rng.symmetric()).collect()).collect();
            let q: Vec<f64> = (0..n).map(|_| rng.symmetric()).collect();
            let free: Vec<bool> = (0..n).map(|j| j % 5 == 4).collect();
            let z = minimise(&rows, &q, &free);
            let w: Vec<f64> = rows.iter().zip(&q).map(|(row, q)| dot(row, &z) + q).collect();
            let lcp = Lcp::from_rows(&rows, &q).unwrap();
            let weight: Vec<f64> = lcp.M().row_scale().iter().map(|scale| scale * scale).collect();
            for j in 0..n {
                let slope: f64 = (0..n).map(|i| rows[i][j] * weight[i] * w[i]).sum();
                let moves = free[j] || z[j] > 0.0;
                assert!(
                    if moves { slope.abs() } else { -slope } < 1e-9,
                    "round {round}: {slope}"
                );
            }
        }
    }
}
