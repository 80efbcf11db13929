//! Motion from impulses in twice the precision, from the data as given: 𝓜 = LDLᵀ by blocks.
//!
//! The inverse of a thin body's inertia is known to few digits: its condition number is 10⁷ and more, and a last bit of an entry changes velocities by
//! 10⁻⁹ of themselves. Mass-normalised columns carry one such error, the factor of whoever computes the motion another. The factor here is the one that
//! follows from the masses as given without roots, in doubles: a polish that shall agree to the last digits with those who compute so, as the judge
//! does, must use it too. Everything after it is in twice the precision.

use stiction_lcp::real::{DoubleDouble, Real};

use crate::problem::{ContactProblem, Touch};
use crate::solver::Impulses;
use crate::stamp::Stamp;

type Wide = DoubleDouble;

/// Factors of the blocks, and the velocity of the last impulses.
#[derive(Debug, Clone, Default)]
pub(crate) struct WideMass {
    /// Rows of L from the first nonzero of the row of 𝓜 to the diagonal, where D lies; row after row.
    L: Vec<f64>,
    /// First column of each row, in its block, and the place of that entry in L.
    rows: Vec<(usize, usize)>,
    /// v = v_free + 𝓜⁻¹(Σ C̃ p + Σ j̃ λ).
    v: Vec<Wide>,
    stamp: Option<Stamp>,
}

impl WideMass {
    /// Moves the bodies.
    pub(crate) fn set(&mut self, problem: &ContactProblem, impulses: &Impulses) {
        self.factor(problem);
        self.v.clear();
        self.v.resize(problem.dof(), Wide::ZERO);
        for (i, (theta, f)) in impulses.normal.iter().zip(&impulses.friction).enumerate() {
            let c = problem.columns_tilde(i);
            for (column, p) in [(c.normal, *theta), (c.tangents[0], f[0]), (c.tangents[1], f[1])] {
                self.push(c.touches, column, p);
            }
        }
        for (k, x) in impulses.joint.iter().enumerate() {
            let (touches, column) = problem.joint_tilde(k);
            self.push(touches, column, *x);
        }
        for block in 0..problem.block_count() {
            let range = problem.block_range(block);
            self.solve(range.start, range.len());
        }
        for (v, free) in self.v.iter_mut().zip(problem.v_free()) {
            *v += Wide::from_f64(*free);
        }
    }

    /// Velocity at a contact, bias included.
    pub(crate) fn velocity_at(&self, problem: &ContactProblem, i: usize) -> [Wide; 3] {
        let (c, b) = (problem.columns_tilde(i), problem.bias(i));
        let columns = [c.normal, c.tangents[0], c.tangents[1]];
        [0, 1, 2].map(|k: usize| self.along(c.touches, columns[k]) + Wide::from_f64(b[k]))
    }

    /// Velocity of a joint row, bias included.
    pub(crate) fn joint_velocity(&self, problem: &ContactProblem, k: usize) -> Wide {
        let (touches, column) = problem.joint_tilde(k);
        self.along(touches, column) + Wide::from_f64(problem.joint_bias(k))
    }

    fn along(&self, touches: &[Touch], column: &[f64]) -> Wide {
        let mut sum = Wide::ZERO;
        for t in touches {
            for k in 0..t.len {
                sum += self.v[t.at + k].times(column[t.start + k]);
            }
        }
        sum
    }

    fn push(&mut self, touches: &[Touch], column: &[f64], p: f64) {
        if p == 0.0 {
            return;
        }
        for t in touches {
            for k in 0..t.len {
                self.v[t.at + k] += Wide::from_f64(column[t.start + k]).times(p);
            }
        }
    }

    fn factor(&mut self, problem: &ContactProblem) {
        if self.stamp.is_some_and(|stamp| stamp.is(problem.stamp())) {
            return;
        }
        self.stamp = Some(problem.stamp());
        self.L.clear();
        self.rows.clear();
        for block in 0..problem.block_count() {
            let (dim, mass) = (problem.block_range(block).len(), problem.mass(block));
            let top = self.rows.len();
            for (r, row) in mass.chunks_exact(dim).enumerate() {
                let first = row[..r].iter().position(|x| *x != 0.0).unwrap_or(r);
                self.rows.push((first, self.L.len()));
                self.L.extend_from_slice(&row[first..=r]);
                self.factor_row(top, r);
            }
        }
    }

    /// Row r of a block whose first row is `top`: 𝓜_rc = Σ_{k ≤ c} L_rk D_k L_ck.
    fn factor_row(&mut self, top: usize, r: usize) {
        let (first, at) = self.rows[top + r];
        for c in first..r {
            let (other_first, other) = self.rows[top + c];
            let mut sum = self.L[at + c - first];
            for k in first.max(other_first)..c {
                sum -= self.L[at + k - first] * self.L[other + k - other_first];
            }
            self.L[at + c - first] = sum;
        }
        for c in first..r {
            let (other_first, other) = self.rows[top + c];
            let scaled = self.L[at + c - first];
            let entry = scaled / self.L[other + c - other_first];
            self.L[at + c - first] = entry;
            self.L[at + r - first] -= entry * scaled;
        }
    }

    /// x ← 𝓜⁻¹x for the coordinates of one block.
    fn solve(&mut self, top: usize, dim: usize) {
        for r in 0..dim {
            let (first, at) = self.rows[top + r];
            for c in first..r {
                let change = self.v[top + c].times(self.L[at + c - first]);
                self.v[top + r] -= change;
            }
        }
        for r in 0..dim {
            let (first, at) = self.rows[top + r];
            self.v[top + r] = self.v[top + r] / Wide::from_f64(self.L[at + r - first]);
        }
        for r in (0..dim).rev() {
            let (first, at) = self.rows[top + r];
            for c in first..r {
                let change = self.v[top + r].times(self.L[at + c - first]);
                self.v[top + c] -= change;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Judge, Terms};
    use crate::solution::Law;

    #[test]
    fn a_needle_moves_as_the_judge_says() {
        // Two coordinates, coupled so that their mass has a condition number of 1e10.
        let mass = [1.0, 0.7, 0.7, 0.49 + 1e-10];
        let mut problem = ContactProblem::new();
        problem.add_block(&mass, &[0.25, -0.5]).unwrap();
        problem
            .add_contact(&[(0, [&[1.0, 0.0], &[0.0, 1.0], &[0.0; 2]])], 0.5)
            .unwrap();
        let mut impulses = Impulses::default();
        impulses.clear(&problem, 4);
        (impulses.normal[0], impulses.friction[0]) = (3.0, [1.0, 0.0]);
        let mut wide = WideMass::default();
        wide.set(&problem, &impulses);
        let terms = Terms {
            law: Law::Coulomb,
            directions: 8,
            tolerance: 1e-10,
        };
        let mut judge = Judge::new();
        judge.judge(&problem, terms, impulses.answer(false));
        let own = wide.velocity_at(&problem, 0);
        for (own, other) in own.iter().zip(judge.contact_velocity()[0]) {
            assert!((own.to_f64() - other).abs() <= 1e-14 * other.abs(), "{own:?} {other}");
        }
    }
}
