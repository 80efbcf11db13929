//! Bounds rewritten for the pivoting methods: l ≤ z ≤ u becomes free and complementary variables y.
//!
//! | bounds | z_i | row |
//! |---|---|---|
//! | (−∞, ∞) | y_i | w_i = 0 |
//! | [l, ∞) | l + y_i | w_i ≥ 0 |
//! | (−∞, u] | u − y_i | −w_i ≥ 0 |
//! | [l, u] | l + y_i | w_i + s ≥ 0, and a new pair 0 ≤ s ⟂ u − l − y_i ≥ 0 |
//! | l = u | l | y_i + 1 ≥ 0, so that y_i = 0 |
//!
//! The rewriting keeps positive semidefiniteness and copositivity. [`Reduced::split`] also removes free variables, y = y⁺ − y⁻,
//! for problems whose free block is singular.

use crate::error::InputError;
use crate::lemke::ZERO_DIAGONAL_COVER;
use crate::matrix::Matrix;
use crate::pivoting::Data;
use crate::problem::Mlcp;

/// A problem in free and complementary variables that stands for an [`Mlcp`].
#[derive(Debug, Clone)]
pub struct Reduced {
    M: Matrix,
    q: Vec<f64>,
    free: Vec<bool>,
    /// z_i = shift_i + sign_i y_i.
    shift: Vec<f64>,
    sign: Vec<f64>,
    /// Variables between two bounds, in the order of their extra rows.
    boxed: Vec<usize>,
    /// Whether some variable had l = u.
    fixed: bool,
    /// Variable i whose y⁻ is at this place, for the split form.
    minus: Vec<(usize, usize)>,
}

impl Reduced {
    /// Rewrites the bounds of `problem`.
    ///
    /// # Errors
    /// When a number overflows on the way.
    pub fn new(problem: &Mlcp) -> Result<Self, InputError> {
        let n = problem.n();
        let (lower, upper) = (problem.lower(), problem.upper());
        let boxed: Vec<usize> = (0..n)
            .filter(|&i| lower[i].is_finite() && upper[i].is_finite() && lower[i] < upper[i])
            .collect();
        let size = n + boxed.len();
        let fixed = |i: usize| lower[i] == upper[i];
        let from_above = |i: usize| !lower[i].is_finite() && upper[i].is_finite();
        let sign: Vec<f64> = (0..n).map(|i| if from_above(i) { -1.0 } else { 1.0 }).collect();
        let shift: Vec<f64> = (0..n)
            .map(|i| match (from_above(i), problem.is_free(i)) {
                (true, _) => upper[i],
                (_, true) => 0.0,
                _ => lower[i],
            })
            .collect();
        let mut columns = vec![0.0; size * size];
        let mut q = vec![0.0; size];
        for i in 0..n {
            let moved: f64 = (0..n).map(|j| problem.M().at(i, j) * shift[j]).sum();
            q[i] = if fixed(i) {
                1.0
            } else {
                sign[i] * (problem.q()[i] + moved)
            };
            for j in 0..n {
                columns[j * size + i] = match (fixed(i), fixed(j)) {
                    (false, false) => sign[i] * problem.M().at(i, j) * sign[j],
                    _ => f64::from(u8::from(i == j)),
                };
            }
        }
        for (k, &i) in boxed.iter().enumerate() {
            let s = n + k;
            columns[s * size + i] = 1.0;
            columns[i * size + s] = -1.0;
            q[s] = upper[i] - lower[i];
        }
        let free = (0..size).map(|i| i < n && problem.is_free(i)).collect();
        if let Some(i) = (0..size).find(|&i| !q[i].is_finite()) {
            let (row, bound) = if i < n {
                (i, "q + M times the bounds, row")
            } else {
                (boxed[i - n], "upper - lower, variable")
            };
            return Err(InputError::NotFinite {
                field: format!("{bound} {row}"),
                found: q[i],
            });
        }
        Ok(Self {
            M: Matrix::from_columns(size, columns)?,
            q,
            free,
            shift,
            sign,
            boxed,
            fixed: (0..n).any(fixed),
            minus: Vec::new(),
        })
    }

    /// The same problem without free variables: y_i = y_i⁺ − y_i⁻, 0 ≤ y_i⁺ ⟂ w_i ≥ 0, 0 ≤ y_i⁻ ⟂ −w_i ≥ 0.
    ///
    /// # Errors
    /// Never for a problem made by [`Reduced::new`].
    pub fn split(&self) -> Result<Self, InputError> {
        let n = self.q.len();
        let minus: Vec<(usize, usize)> = (0..n)
            .filter(|&i| self.free[i])
            .enumerate()
            .map(|(k, i)| (i, n + k))
            .collect();
        let size = n + minus.len();
        let origin = |i: usize| if i < n { (i, 1.0) } else { (minus[i - n].0, -1.0) };
        let mut columns = vec![0.0; size * size];
        for j in 0..size {
            let (from_j, sign_j) = origin(j);
            for i in 0..size {
                let (from_i, sign_i) = origin(i);
                columns[j * size + i] = sign_i * self.M.at(from_i, from_j) * sign_j;
            }
        }
        let q = (0..size).map(|i| origin(i).1 * self.q[origin(i).0]).collect();
        Ok(Self {
            M: Matrix::from_columns(size, columns)?,
            q,
            free: vec![false; size],
            shift: self.shift.clone(),
            sign: self.sign.clone(),
            boxed: self.boxed.clone(),
            fixed: self.fixed,
            minus,
        })
    }

    /// The covering vector for boxes: nothing on the rows u − l − y ≥ 0, which hold at the start. y then stays in its box along the whole path,
    /// and Lemke's method cannot run off along a ray of y. False, `cover` untouched, when there are no boxes.
    pub fn cover(&self, cover: &mut Vec<f64>) -> bool {
        if self.boxed.is_empty() {
            return false;
        }
        let n = self.shift.len();
        let usual = |i: usize| {
            if self.M.diagonal()[i] == 0.0 {
                ZERO_DIAGONAL_COVER
            } else {
                1.0
            }
        };
        cover.clear();
        cover.extend((0..self.q.len()).map(|i| {
            if (n..n + self.boxed.len()).contains(&i) {
                0.0
            } else {
                usual(i)
            }
        }));
        true
    }

    /// Whether nothing was rewritten: every variable was free or bounded by 0 from below.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.minus.is_empty()
            && self.q.len() == self.shift.len()
            && self.shift.iter().all(|v| *v == 0.0)
            && self.sign.iter().all(|v| *v == 1.0)
            && !self.fixed
    }

    /// The problem for the pivoting methods.
    #[must_use]
    pub fn data(&self) -> Data<'_> {
        Data {
            M: &self.M,
            q: &self.q,
            free: &self.free,
        }
    }

    /// The variables that y puts strictly between their bounds, the free ones included.
    #[must_use]
    pub fn inside(&self, y: &[f64]) -> Vec<usize> {
        let n = self.shift.len();
        let mut inside: Vec<bool> = (0..n).map(|i| self.free[i] || y[i] > 0.0).collect();
        for &(i, _) in &self.minus {
            inside[i] = true;
        }
        for (k, &i) in self.boxed.iter().enumerate() {
            inside[i] &= y[n + k] == 0.0; // s > 0 holds z_i at its upper bound
        }
        (0..n).filter(|&i| inside[i]).collect()
    }

    /// z of the original problem from y, moved into its bounds.
    pub fn recover(&self, problem: &Mlcp, y: &[f64], z: &mut [f64]) {
        for i in 0..z.len() {
            z[i] = self.shift[i] + self.sign[i] * y[i];
        }
        for &(i, at) in &self.minus {
            z[i] -= self.sign[i] * y[at];
        }
        for (i, z) in z.iter_mut().enumerate() {
            *z = z.max(problem.lower()[i]).min(problem.upper()[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_bound_is_rewritten() {
        let inf = f64::INFINITY;
        let M = Matrix::from_rows(&[
            [1.0, 2.0, 3.0, 4.0, 5.0],
            [2.0, 1.0, 0.0, 0.0, 0.0],
            [3.0, 0.0, 1.0, 0.0, 0.0],
            [4.0, 0.0, 0.0, 1.0, 0.0],
            [5.0, 0.0, 0.0, 0.0, 1.0],
        ])
        .unwrap();
        let lower = vec![-inf, 2.0, -inf, -1.0, 7.0];
        let upper = vec![inf, inf, 3.0, 1.0, 7.0];
        let problem = Mlcp::new(M, vec![0.0; 5], lower, upper).unwrap();
        let reduced = Reduced::new(&problem).unwrap();
        let data = reduced.data();
        assert_eq!(data.n(), 6);
        assert_eq!(data.free, &[true, false, false, false, false, false]);
        // q_0 = 2·2 + 3·3 − 4·1 + 5·7; the row of (−∞, 3] is negated.
        assert_eq!(data.q, &[44.0, 2.0, -3.0, -1.0, 1.0, 2.0]);
        assert_eq!((data.M.at(0, 2), data.M.at(2, 0), data.M.at(2, 2)), (-3.0, -3.0, 1.0));
        assert_eq!((data.M.at(3, 5), data.M.at(5, 3)), (1.0, -1.0));
        let mut z = [0.0; 5];
        reduced.recover(&problem, &[1.5, 0.5, 1.0, 3.0, 0.0, 0.0], &mut z);
        assert_eq!(z, [1.5, 2.5, 2.0, 1.0, 7.0]);
    }

    #[test]
    fn splitting_gives_each_free_variable_two_signs() {
        let problem = Mlcp::with_free(&[[3.0, 1.0], [1.0, 2.0]], &[-6.0, 1.0], &[0]).unwrap();
        let split = Reduced::new(&problem).unwrap().split().unwrap();
        assert_eq!(split.data().q, &[-6.0, 1.0, 6.0]);
        assert_eq!((split.data().M.at(2, 2), split.data().M.at(2, 1)), (3.0, -1.0));
        let mut z = [0.0; 2];
        split.recover(&problem, &[0.0, 0.0, 2.0], &mut z);
        assert_eq!(z, [-2.0, 0.0]);
    }
}
