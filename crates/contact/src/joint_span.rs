//! An orthonormal basis of what the joints can do, by which they are eliminated.
//!
//! With the mass-normalised joint columns J = QR (column pivoting, redundant columns left out), every velocity that satisfies the
//! joints is v = (I − QQᵀ)x + Qc with Rᵀc = −b, so that contacts act through the projected columns (I − QQᵀ)C alone, and the joint
//! impulses follow from Rλ = c − Qᵀ(k_x + Cp). Redundant rows get no impulse; where they contradict the others the judge finds it.

use crate::problem::{ContactProblem, length};

/// A joint column counts as redundant when less than this share of it is left beside the others: JᵀJ is never formed, so that the
/// columns kept may be as near to each other as this.
const REDUNDANT: f64 = 1e-8;
/// A projected column smaller than this share of the column is rounding, and zero.
const NOTHING_LEFT: f64 = 1e-10;

/// Basis of the joint columns.
#[derive(Debug, Clone, Default)]
pub(crate) struct JointSpan {
    dof: usize,
    /// Columns of Q one after the other.
    Q: Vec<f64>,
    /// Joint rows kept, in the order of Q.
    kept: Vec<usize>,
    /// Row-major, kept × kept, upper.
    R: Vec<f64>,
    /// Qᵀv of every velocity that satisfies the joints.
    c: Vec<f64>,
    /// Joint columns less their part in Q, and the length they had.
    rest: Vec<f64>,
    norm: Vec<f64>,
    /// What a velocity lacks to satisfy the joints, along Q.
    left: Vec<f64>,
}

impl JointSpan {
    /// Finds the basis of a problem's joints.
    pub(crate) fn set(&mut self, problem: &ContactProblem) {
        let (dof, count) = (problem.dof(), problem.joint_count());
        self.dof = dof;
        self.Q.clear();
        self.kept.clear();
        self.rest.clear();
        self.rest.resize(dof * count, 0.0);
        self.norm.clear();
        for k in 0..count {
            let column = &mut self.rest[k * dof..(k + 1) * dof];
            problem.push_joint(k, 1.0, column);
            self.norm.push(length(column));
        }
        while let Some(next) = self.most_left() {
            self.keep(next);
        }
        self.fill_R(problem);
        // Rᵀc = −b
        self.c.clear();
        for k in 0..self.kept.len() {
            let mut sum = -problem.joint_bias(self.kept[k]);
            for l in 0..k {
                sum -= self.R[l * self.kept.len() + k] * self.c[l];
            }
            self.c.push(sum / self.R[k * self.kept.len() + k]);
        }
    }

    /// Whether a joint row is one of those that are kept.
    pub(crate) fn keeps(&self, joint: usize) -> bool {
        self.kept.contains(&joint)
    }

    /// The joint column of which the largest share is left, if it is not redundant.
    fn most_left(&self) -> Option<usize> {
        let (mut most, mut found) = (REDUNDANT, None);
        for (k, norm) in self.norm.iter().enumerate() {
            if self.kept.contains(&k) || *norm == 0.0 {
                continue;
            }
            let left = length(&self.rest[k * self.dof..(k + 1) * self.dof]) / norm;
            if left > most {
                most = left;
                found = Some(k);
            }
        }
        found
    }

    fn keep(&mut self, k: usize) {
        let (dof, at) = (self.dof, self.Q.len());
        self.Q.extend_from_slice(&self.rest[k * dof..(k + 1) * dof]);
        let (before, q) = self.Q.split_at_mut(at);
        scale(q);
        // Once more: what is left of a nearly redundant column is no longer at right angles.
        for other in before.chunks_exact(dof) {
            remove(other, q);
        }
        scale(q);
        for column in self.rest.chunks_exact_mut(dof) {
            remove(q, column);
        }
        self.kept.push(k);
    }

    fn fill_R(&mut self, problem: &ContactProblem) {
        let rank = self.kept.len();
        self.R.clear();
        self.R.resize(rank * rank, 0.0);
        for k in 0..rank {
            for l in 0..=k {
                self.R[l * rank + k] = problem.along_joint(self.kept[k], &self.Q[l * self.dof..(l + 1) * self.dof]);
            }
        }
    }

    /// Removes from a column what the joints take up; returns whether anything is left.
    pub(crate) fn project(&self, column: &mut [f64]) -> bool {
        if self.kept.is_empty() {
            return true;
        }
        let before = length(column);
        for q in self.Q.chunks_exact(self.dof) {
            remove(q, column);
        }
        if length(column) > NOTHING_LEFT * before {
            return true;
        }
        column.fill(0.0);
        false
    }

    /// Changes a velocity so that it satisfies the joints that were kept.
    pub(crate) fn satisfy(&self, v: &mut [f64]) {
        for (q, c) in self.Q.chunks_exact(self.dof.max(1)).zip(&self.c) {
            let change = c - dot(q, v);
            for (v, q) in v.iter_mut().zip(q) {
                *v += change * q;
            }
        }
    }

    /// Impulses of all joint rows that take the velocity v = k_x + Cp to the joints: Rλ = c − Qᵀv. v becomes the velocity after them.
    /// With `homogeneous` the bias is left out.
    pub(crate) fn impulses(&mut self, problem: &ContactProblem, v: &mut [f64], homogeneous: bool, joint: &mut [f64]) {
        joint.fill(0.0);
        // The second round is iterative refinement: Rᵀδ = −b − Jᵀv of the rows themselves.
        for _ in 0..2 {
            self.set_left(problem, v, homogeneous);
            self.correct(problem, v, joint);
        }
    }

    /// R⁻ᵀ(−b − Jᵀv).
    fn set_left(&mut self, problem: &ContactProblem, v: &[f64], homogeneous: bool) {
        let rank = self.kept.len();
        self.left.clear();
        for k in 0..rank {
            let row = self.kept[k];
            let bias = if homogeneous { 0.0 } else { problem.joint_bias(row) };
            let mut sum = -bias - problem.along_joint(row, v);
            for l in 0..k {
                sum -= self.R[l * rank + k] * self.left[l];
            }
            self.left.push(sum / self.R[k * rank + k]);
        }
    }

    /// λ += R⁻¹ left, and v with it.
    fn correct(&mut self, problem: &ContactProblem, v: &mut [f64], joint: &mut [f64]) {
        let rank = self.kept.len();
        for k in (0..rank).rev() {
            let mut sum = self.left[k];
            for l in k + 1..rank {
                sum -= self.R[k * rank + l] * self.left[l];
            }
            self.left[k] = sum / self.R[k * rank + k];
            joint[self.kept[k]] += self.left[k];
            problem.push_joint(self.kept[k], self.left[k], v);
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn scale(x: &mut [f64]) {
    let norm = length(x);
    for x in x {
        *x /= norm;
    }
}

/// x ← x − q(qᵀx).
fn remove(q: &[f64], x: &mut [f64]) {
    let part = dot(q, x);
    for (x, q) in x.iter_mut().zip(q) {
        *x -= part * q;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redundant_rows_are_left_out_and_the_others_hold() {
        let mut problem = ContactProblem::new();
        let mass = [2.0, 0.5, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 3.0];
        problem.add_block(&mass, &[1.0, -2.0, 3.0]).unwrap();
        problem.add_joint(&[(0, &[1.0, 1.0, 0.0])], 0.5).unwrap();
        problem.add_joint(&[(0, &[2.0, 2.0, 0.0])], 1.0).unwrap();
        problem.add_joint(&[(0, &[0.0, 1.0, 1.0])], -0.25).unwrap();
        problem.add_joint(&[(0, &[1.0, 2.0, 1.0])], 0.25).unwrap();
        let mut span = JointSpan::default();
        span.set(&problem);
        assert_eq!(span.kept.len(), 2);
        let mut joint = [0.0; 4];
        span.impulses(&problem, &mut problem.k_x().to_vec(), false, &mut joint);
        let mut v = problem.k_x().to_vec();
        for k in 0..4 {
            problem.push_joint(k, joint[k], &mut v);
        }
        let mut satisfied = problem.k_x().to_vec();
        span.satisfy(&mut satisfied);
        for k in 0..4 {
            let left = problem.along_joint(k, &v) + problem.joint_bias(k);
            assert!(left.abs() < 1e-14, "row {k}: {left}");
        }
        for k in 0..3 {
            assert!((v[k] - satisfied[k]).abs() < 1e-14, "{v:?} {satisfied:?}");
        }
    }
}
