//! x_B = b + A x_N: the basic variables of w = Mz + q in terms of the nonbasic ones, dense, with one row for costs.
//!
//! A pivot costs n² operations and rounds every entry, so this is for up to about a hundred variables and some hundred pivots.
//! [`Dictionary::rebuild`] starts again from the data. Entries are those of the balanced matrix ([`crate::Matrix::balanced`]).

use crate::basis::Var;
use crate::pivoting::Data;

/// Pivots below this share of the largest entry leave no dictionary to go on with.
const PIVOT_REL_TOL: f64 = 1e-13;

/// The dictionary of a basis.
#[derive(Debug, Clone)]
pub(crate) struct Dictionary {
    n: usize,
    /// Variables of the rows and of the columns.
    pub(crate) basic: Vec<Var>,
    pub(crate) nonbasic: Vec<Var>,
    /// n + 1 rows of n entries; the last row holds the costs of the nonbasic variables.
    entries: Vec<f64>,
    /// Values of the basic variables, then the cost of the basic solution.
    b: Vec<f64>,
    /// The pivot row while it is added to the others.
    scratch: Vec<f64>,
    /// Pivots since the entries were last computed from the data.
    pub(crate) age: usize,
}

impl Dictionary {
    /// The dictionary of the basis of all w, without costs.
    pub(crate) fn new(data: Data<'_>) -> Self {
        let all: Vec<usize> = (0..data.n()).collect();
        Self::restricted(data, &all)
    }

    /// The same of the rows and columns that `members` lists alone.
    pub(crate) fn restricted(data: Data<'_>, members: &[usize]) -> Self {
        let n = members.len();
        let mut entries = Vec::with_capacity((n + 1) * n);
        for &i in members {
            entries.extend(members.iter().map(|&j| data.M.balanced(i, j)));
        }
        entries.resize((n + 1) * n, 0.0);
        let scaled = members.iter().map(|&i| data.q[i] * data.M.row_scale()[i]);
        Self {
            n,
            basic: members.iter().map(|&i| Var::W(i)).collect(),
            nonbasic: members.iter().map(|&j| Var::Z(j)).collect(),
            entries,
            b: scaled.chain([0.0]).collect(),
            scratch: Vec::with_capacity(n),
            age: 0,
        }
    }

    /// Number of rows, and of columns.
    pub(crate) fn n(&self) -> usize {
        self.n
    }

    /// Row r, length n.
    pub(crate) fn row(&self, r: usize) -> &[f64] {
        &self.entries[r * self.n..(r + 1) * self.n]
    }

    /// Value of the basic variable of row r.
    pub(crate) fn value(&self, r: usize) -> f64 {
        self.b[r]
    }

    /// Costs of the nonbasic variables, length n.
    pub(crate) fn costs(&self) -> &[f64] {
        self.row(self.n)
    }

    /// States the costs of the nonbasic variables of this basis.
    pub(crate) fn set_costs(&mut self, cost: impl Fn(usize) -> f64) {
        let n = self.n;
        for j in 0..n {
            self.entries[n * n + j] = cost(j);
        }
        self.b[n] = 0.0;
    }

    /// Largest |b_r|, costs skipped.
    pub(crate) fn size(&self) -> f64 {
        self.b[..self.n].iter().fold(0.0f64, |m, v| v.abs().max(m))
    }

    /// Row of a basic variable.
    pub(crate) fn row_of(&self, var: Var) -> Option<usize> {
        self.basic.iter().position(|v| *v == var)
    }

    /// Column of a nonbasic variable.
    pub(crate) fn column_of(&self, var: Var) -> Option<usize> {
        self.nonbasic.iter().position(|v| *v == var)
    }

    /// Exchanges the variables of row r and column j; the entry there must not be zero.
    pub(crate) fn pivot(&mut self, r: usize, j: usize) {
        let n = self.n;
        let start = r * n;
        let inverse = self.entries[start + j].recip();
        // x_j = (x_r − b_r − Σ a_rk x_k) / a_rj
        for a in &mut self.entries[start..start + n] {
            *a *= -inverse;
        }
        self.b[r] *= -inverse;
        self.entries[start + j] = inverse;
        self.scratch.clear();
        self.scratch.extend_from_slice(&self.entries[start..start + n]);
        let b_r = self.b[r];
        for i in (0..=n).filter(|&i| i != r) {
            let row = &mut self.entries[i * n..(i + 1) * n];
            let factor = row[j];
            if factor == 0.0 {
                continue;
            }
            row[j] = 0.0;
            for (a, p) in row.iter_mut().zip(&self.scratch) {
                *a += factor * p;
            }
            self.b[i] += factor * b_r;
        }
        std::mem::swap(&mut self.basic[r], &mut self.nonbasic[j]);
        self.age += 1;
    }

    /// The dictionary of the same basis computed from `origin`, a dictionary of the same problem, largest pivots first; adds their number to
    /// `pivots`, and as many again for the search. False, and nothing changed, when the basis is singular to working precision.
    pub(crate) fn rebuild(&mut self, origin: &Dictionary, pivots: &mut usize) -> bool {
        let n = self.n;
        let mut fresh = origin.clone();
        fresh.age = 0;
        loop {
            let enters: Vec<usize> = (0..n).filter(|&j| self.basic.contains(&fresh.nonbasic[j])).collect();
            if enters.is_empty() {
                break;
            }
            let leaves = (0..n).filter(|&r| self.nonbasic.contains(&fresh.basic[r]));
            let mut best = (0, 0, 0.0f64);
            for r in leaves {
                for &j in &enters {
                    let size = fresh.row(r)[j].abs();
                    if size > best.2 {
                        best = (r, j, size);
                    }
                }
            }
            *pivots += 2;
            if best.2 <= PIVOT_REL_TOL {
                return false;
            }
            fresh.pivot(best.0, best.1);
        }
        fresh.age = 0;
        *self = fresh;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Lcp;
    use crate::testing::Rng;

    /// Whether every row holds for z and w = Mz + q.
    fn assert_rows_hold(dictionary: &Dictionary, lcp: &Lcp, z: &[f64]) {
        let n = lcp.n();
        let scaled_w = |i: usize| {
            let sum: f64 = (0..n).map(|j| lcp.M().at(i, j) * z[j]).sum();
            (sum + lcp.q()[i]) * lcp.M().row_scale()[i]
        };
        let value = |var: Var| match var {
            Var::Z(j) => z[j] / lcp.M().unit_scale()[j],
            Var::W(i) => scaled_w(i),
            Var::Z0 => 0.0,
        };
        for r in 0..n {
            let terms = dictionary.row(r).iter().zip(&dictionary.nonbasic);
            let sum: f64 = terms.map(|(a, var)| a * value(*var)).sum();
            let (expected, found) = (value(dictionary.basic[r]), dictionary.value(r) + sum);
            assert!(
                (expected - found).abs() < 1e-9,
                "row {r}: expected {expected}, found {found}"
            );
        }
    }

    #[test]
    fn rows_hold_after_pivots_and_after_a_rebuild() {
        let mut rng = Rng::new(4);
        let n = 7;
        let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| rng.symmetric()).collect()).collect();
        let q: Vec<f64> = (0..n).map(|_| rng.symmetric()).collect();
        let lcp = Lcp::from_rows(&rows, &q).unwrap();
        let data = Data::of(&lcp);
        let origin = Dictionary::new(data);
        let mut dictionary = origin.clone();
        for step in 0..20 {
            dictionary.pivot((3 * step) % n, (5 * step + 1) % n);
        }
        let z: Vec<f64> = (0..n).map(|_| rng.symmetric()).collect();
        assert_rows_hold(&dictionary, &lcp, &z);
        let mut pivots = 0;
        assert!(dictionary.rebuild(&origin, &mut pivots) && dictionary.age == 0 && pivots > 0);
        assert_rows_hold(&dictionary, &lcp, &z);
    }
}
