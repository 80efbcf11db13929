//! An orthonormal basis of what bilateral rows can do, by which they are eliminated: joints, and tangents of contacts that may not slip.
//!
//! With the mass-normalised columns B = QR (column pivoting, redundant columns skipped), every velocity that satisfies the rows
//! is v = (I − QQᵀ)x + Qc with Rᵀc = −b, so that contacts act through the projected columns (I − QQᵀ)C alone, and the rows'
//! impulses follow from Rλ = c − Qᵀ(k_x + Cp). Redundant rows get no impulse; where they contradict the others the judge finds it.
//!
//! Joints are taken first; those of a mechanism without loops from its leaves inwards, so that a column of Q touches few bodies. Tangents of contacts between the same blocks are many and span little: independent ones are found among
//! them, over their blocks alone, before they are offered to the basis.

use crate::problem::{ContactProblem, Touch, length, sparse_dot};
use crate::solver::find_indices::{Basis, dot, remove};

/// A projected column smaller than this share of the column is rounding, and zero.
const NOTHING_LEFT: f64 = 1e-10;

/// Share of a row that must be left beside the others for rows to be taken as they come; else the order is that of the largest shares.
const CLEAR: f64 = 1e-3;

/// Columns of contacts between the same blocks up to which independent ones are not looked for among them alone.
const FEW: usize = 12;

/// A row that shall be zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Row {
    /// A joint row.
    Joint(usize),
    /// First or second tangent of a contact.
    Tangent(usize, usize),
}

impl Row {
    #[inline]
    fn column(self, problem: &ContactProblem) -> (&[Touch], &[f64]) {
        match self {
            Self::Joint(k) => problem.joint(k),
            Self::Tangent(i, axis) => {
                let columns = problem.columns(i);
                (columns.touches, columns.tangents[axis])
            }
        }
    }

    fn bias(self, problem: &ContactProblem) -> f64 {
        match self {
            Self::Joint(k) => problem.joint_bias(k),
            Self::Tangent(i, axis) => problem.bias(i)[axis + 1],
        }
    }

    fn unit(self, problem: &ContactProblem) -> f64 {
        match self {
            Self::Joint(k) => problem.joint_unit(k),
            Self::Tangent(..) => 1.0,
        }
    }

    /// Product with a velocity, without the bias.
    fn along(self, problem: &ContactProblem, v: &[f64]) -> f64 {
        let (touches, column) = self.column(problem);
        sparse_dot(touches, column, v)
    }

    /// v += x times the row's column.
    fn push(self, problem: &ContactProblem, x: f64, v: &mut [f64]) {
        let (touches, column) = self.column(problem);
        for t in touches {
            for k in 0..t.len {
                v[t.at + k] += x * column[t.start + k];
            }
        }
    }
}

/// Basis of the joint columns, and of tangents that are glued.
#[derive(Debug, Clone, Default)]
pub(crate) struct JointSpan {
    basis: Basis,
    /// Rows kept, in the order of Q.
    kept: Vec<Row>,
    /// Row-major, kept × kept, upper; empty until it is needed.
    R: Vec<f64>,
    /// Qᵀv of every velocity that satisfies the rows.
    c: Vec<f64>,
    /// What a velocity lacks to satisfy the rows, along Q.
    left: Vec<f64>,
    groups: Groups,
    tree: Tree,
}

impl JointSpan {
    /// Finds the basis of a problem's joints.
    pub(crate) fn set(&mut self, problem: &ContactProblem) {
        self.basis.clear(problem.dof());
        self.kept.clear();
        if self.set_tree(problem) {
            self.finish(problem);
            return;
        }
        self.basis.clear(problem.dof());
        self.kept.clear();
        let indices = &mut self.groups.indices;
        indices.clear();
        let fill = |k: usize, column: &mut [f64]| problem.push_joint(k, 1.0, column);
        self.basis.find_indices(problem.joint_count(), fill, indices);
        self.kept.extend(indices.iter().map(|k| Row::Joint(*k)));
        self.finish(problem);
    }

    /// Takes the joints from the leaves of their trees inwards. `false`: they form loops, or a row is nearly redundant.
    fn set_tree(&mut self, problem: &ContactProblem) -> bool {
        if !self.tree.set(problem) {
            return false;
        }
        for k in &self.tree.order {
            let fill = |column: &mut [f64]| problem.push_joint(*k, 1.0, column);
            if !self.basis.append(CLEAR, fill) {
                return false;
            }
            self.kept.push(Row::Joint(*k));
        }
        true
    }

    /// The basis of a problem's joints, which is given, and of the tangents of some contacts, which are sorted on the way.
    pub(crate) fn set_glued(&mut self, joints: &Self, problem: &ContactProblem, contacts: &mut [usize]) {
        self.basis.copy_from(&joints.basis);
        self.kept.clone_from(&joints.kept);
        let groups = &mut self.groups;
        groups.pick(problem, contacts, &[1, 2]);
        let picked = &groups.picked;
        groups.indices.clear();
        let fill = |k: usize, column: &mut [f64]| {
            let (i, axis) = picked[k];
            Row::Tangent(i, axis - 1).push(problem, 1.0, column);
        };
        self.basis.find_indices(picked.len(), fill, &mut groups.indices);
        let rows = groups
            .indices
            .iter()
            .map(|k| Row::Tangent(picked[*k].0, picked[*k].1 - 1));
        self.kept.extend(rows);
        self.finish(problem);
    }

    /// Rᵀc = −b.
    fn finish(&mut self, problem: &ContactProblem) {
        self.R.clear();
        self.c.clear();
        self.c.extend(self.kept.iter().map(|row| -row.bias(problem)));
        if self.c.iter().all(|b| *b == 0.0) {
            return;
        }
        self.fill_R(problem);
        let rank = self.kept.len();
        for k in 0..rank {
            for l in 0..k {
                self.c[k] -= self.R[l * rank + k] * self.c[l];
            }
            self.c[k] /= self.R[k * rank + k];
        }
    }

    /// Number of independent rows.
    pub(crate) fn rank(&self) -> usize {
        self.basis.rank()
    }

    /// Fastest of the rows kept at a velocity, bias included.
    pub(crate) fn fastest(&self, problem: &ContactProblem, v: &[f64]) -> f64 {
        let speeds = self
            .kept
            .iter()
            .map(|row| (row.along(problem, v) + row.bias(problem)).abs() / row.unit(problem));
        speeds.fold(0.0, f64::max)
    }

    /// Whether every tangent that is kept is one of a contact that is named.
    pub(crate) fn rests_on(&self, is_named: impl Fn(usize) -> bool) -> bool {
        self.kept.iter().all(|row| match row {
            Row::Joint(_) => true,
            Row::Tangent(i, _) => is_named(*i),
        })
    }

    /// Q.
    pub(crate) fn basis(&self) -> &Basis {
        &self.basis
    }

    /// Whether a joint row is one of those that are kept.
    pub(crate) fn keeps(&self, joint: usize) -> bool {
        self.kept.contains(&Row::Joint(joint))
    }

    /// Products of Q and the rows, which only biases and impulses need.
    fn fill_R(&mut self, problem: &ContactProblem) {
        let rank = self.kept.len();
        if self.R.len() == rank * rank {
            return;
        }
        self.R.resize(rank * rank, 0.0);
        for k in 0..rank {
            let (touches, column) = self.kept[k].column(problem);
            for l in 0..=k {
                if touches.iter().any(|t| self.basis.meets(l, t.at..t.at + t.len)) {
                    self.R[l * rank + k] = sparse_dot(touches, column, self.basis.column(l));
                }
            }
        }
    }

    /// Removes from a column what the rows take up; returns whether anything is left.
    pub(crate) fn project(&self, column: &mut [f64]) -> bool {
        if self.kept.is_empty() {
            return true;
        }
        let before = length(column);
        for q in self.basis.columns() {
            remove(q, column);
        }
        if length(column) > NOTHING_LEFT * before {
            return true;
        }
        column.fill(0.0);
        false
    }

    /// Changes a velocity so that it satisfies the rows that were kept.
    pub(crate) fn satisfy(&self, v: &mut [f64]) {
        for (q, c) in self.basis.columns().zip(&self.c) {
            let change = c - dot(q, v);
            for (v, q) in v.iter_mut().zip(q) {
                *v += change * q;
            }
        }
    }

    /// Impulses of all joint rows that take the velocity v = k_x + Cp to the joints: Rλ = c − Qᵀv. v becomes the velocity after them.
    /// With `homogeneous` the bias is left out.
    pub(crate) fn impulses(&mut self, problem: &ContactProblem, v: &mut [f64], homogeneous: bool, joint: &mut [f64]) {
        self.all_impulses(problem, v, homogeneous, joint, &mut []);
    }

    /// As [`Self::impulses`], with the friction of glued contacts.
    pub(crate) fn all_impulses(
        &mut self,
        problem: &ContactProblem,
        v: &mut [f64],
        homogeneous: bool,
        joint: &mut [f64],
        friction: &mut [[f64; 2]],
    ) {
        joint.fill(0.0);
        friction.fill([0.0; 2]);
        self.fill_R(problem);
        // The second round is iterative refinement: Rᵀδ = −b − Bᵀv of the rows themselves.
        for _ in 0..2 {
            self.set_left(problem, v, homogeneous);
            self.correct(problem, v, joint, friction);
        }
    }

    /// R⁻ᵀ(−b − Bᵀv).
    fn set_left(&mut self, problem: &ContactProblem, v: &[f64], homogeneous: bool) {
        let rank = self.kept.len();
        self.left.clear();
        for k in 0..rank {
            let row = self.kept[k];
            let bias = if homogeneous { 0.0 } else { row.bias(problem) };
            let mut sum = -bias - row.along(problem, v);
            for l in 0..k {
                sum -= self.R[l * rank + k] * self.left[l];
            }
            self.left.push(sum / self.R[k * rank + k]);
        }
    }

    /// λ += R⁻¹ left, and v with it.
    fn correct(&mut self, problem: &ContactProblem, v: &mut [f64], joint: &mut [f64], friction: &mut [[f64; 2]]) {
        let rank = self.kept.len();
        for k in (0..rank).rev() {
            let mut sum = self.left[k];
            for l in k + 1..rank {
                sum -= self.R[k * rank + l] * self.left[l];
            }
            self.left[k] = sum / self.R[k * rank + k];
            match self.kept[k] {
                Row::Joint(j) => joint[j] += self.left[k],
                Row::Tangent(i, axis) => friction[i][axis] += self.left[k],
            }
            self.kept[k].push(problem, self.left[k], v);
        }
    }
}

/// Joint rows from the leaves of their trees inwards, by taking off blocks with one joint left.
#[derive(Debug, Clone, Default)]
struct Tree {
    order: Vec<usize>,
    /// Rows between the same two blocks, one after the other: blocks, first row, end.
    edges: Vec<([usize; 2], usize, usize)>,
    /// Joints of each block that are left, and the exclusive or of their numbers: the number itself where one is left.
    degree: Vec<usize>,
    mixed: Vec<usize>,
    leaves: Vec<usize>,
}

impl Tree {
    /// Finds the order; rows of a single block come last. `false` where joints form loops.
    fn set(&mut self, problem: &ContactProblem) -> bool {
        let Self {
            order,
            edges,
            degree,
            mixed,
            leaves,
        } = self;
        order.clear();
        edges.clear();
        leaves.clear();
        degree.clear();
        degree.resize(problem.block_count(), 0);
        mixed.clear();
        mixed.resize(problem.block_count(), 0);
        for k in 0..problem.joint_count() {
            let [a, b] = match problem.joint(k).0 {
                [a, b] => [a.block, b.block],
                [_] => continue,
                _ => return false,
            };
            match edges.last_mut() {
                Some((blocks, _, end)) if *blocks == [a, b] && *end == k => *end = k + 1,
                _ => {
                    for block in [a, b] {
                        degree[block] += 1;
                        mixed[block] ^= edges.len();
                    }
                    edges.push(([a, b], k, k + 1));
                }
            }
        }
        leaves.extend((0..degree.len()).filter(|block| degree[*block] == 1));
        let mut next = 0;
        while next < leaves.len() {
            let leaf = leaves[next];
            next += 1;
            // The last two blocks of a tree are leaves of one joint.
            if degree[leaf] != 1 {
                continue;
            }
            let (blocks, first, end) = edges[mixed[leaf]];
            order.extend(first..end);
            let edge = mixed[leaf];
            for block in blocks {
                degree[block] -= 1;
                mixed[block] ^= edge;
                if degree[block] == 1 {
                    leaves.push(block);
                }
            }
        }
        order.extend((0..problem.joint_count()).filter(|k| problem.joint(*k).0.len() == 1));
        order.len() == problem.joint_count()
    }
}

/// Finds independent columns among those of contacts between the same blocks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Groups {
    local: Basis,
    indices: Vec<usize>,
    /// Contact and column (0 normal, 1 and 2 tangents) of what was found.
    pub(crate) picked: Vec<(usize, usize)>,
}

impl Groups {
    /// Looks at the given columns of some contacts, which are sorted by the blocks they touch.
    pub(crate) fn pick(&mut self, problem: &ContactProblem, contacts: &mut [usize], axes: &[usize]) {
        let blocks = |i: usize| problem.columns(i).touches.iter().map(|t| t.block);
        contacts.sort_unstable_by(|a, b| blocks(*a).cmp(blocks(*b)).then(a.cmp(b)));
        self.picked.clear();
        let mut rest = &contacts[..];
        while let Some(first) = rest.first() {
            let len = rest.iter().take_while(|i| blocks(**i).eq(blocks(*first))).count();
            let (group, after) = rest.split_at(len);
            rest = after;
            if len * axes.len() <= FEW {
                // The basis itself finds them as fast.
                let all = group.iter().flat_map(|i| axes.iter().map(|axis| (*i, *axis)));
                self.picked.extend(all);
                continue;
            }
            self.local.clear(problem.columns(*first).normal.len());
            self.indices.clear();
            let fill = |k: usize, column: &mut [f64]| {
                let c = problem.columns(group[k / axes.len()]);
                column.copy_from_slice([c.normal, c.tangents[0], c.tangents[1]][axes[k % axes.len()]]);
            };
            self.local.find_indices(len * axes.len(), fill, &mut self.indices);
            let found = self.indices.iter();
            self.picked
                .extend(found.map(|k| (group[k / axes.len()], axes[k % axes.len()])));
        }
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
