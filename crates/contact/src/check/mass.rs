//! The judge's own factor of the mass matrix, 𝓜 = LDLᵀ by blocks: no roots, so that a diagonal mass divides exactly.
//!
//! Rows of L start at the first nonzero of the row of 𝓜 (the factor fills nothing before it), so that the block of a free body costs
//! no more than its 3×3 inertia.

use crate::problem::ContactProblem;
use crate::stamp::Stamp;

/// First columns of the rows of a body in space.
const BODY: [usize; 6] = [0, 1, 2, 3, 3, 3];

/// Block factors; D lies on the diagonal of L, whose own is 1.
#[derive(Debug, Clone, Default)]
pub(crate) struct MassFactor {
    /// First entry and size of each block's factor, and its first row among all.
    blocks: Vec<(usize, usize, usize)>,
    L: Vec<f64>,
    /// First column of each row that is not zero.
    first: Vec<usize>,
    /// The problem that the factors are of.
    stamp: Option<Stamp>,
}

impl MassFactor {
    /// Factors the mass of a problem. Does not allocate when it has seen one as large.
    pub(crate) fn set(&mut self, problem: &ContactProblem) {
        if self.stamp.is_some_and(|stamp| stamp.is(problem.stamp())) {
            return;
        }
        self.stamp = Some(problem.stamp());
        self.blocks.clear();
        self.L.clear();
        self.first.clear();
        for block in 0..problem.block_count() {
            let (dim, mass) = (problem.block_range(block).len(), problem.mass(block));
            let at = self.L.len();
            self.blocks.push((at, dim, self.first.len()));
            self.L.extend_from_slice(mass);
            for row in mass.chunks_exact(dim).enumerate() {
                self.first
                    .push(row.1[..row.0].iter().position(|x| *x != 0.0).unwrap_or(row.0));
            }
            self.factor(block);
        }
    }

    fn factor(&mut self, block: usize) {
        let (at, dim, rows) = self.blocks[block];
        let L = &mut self.L[at..at + dim * dim];
        let first = &self.first[rows..rows + dim];
        for r in 0..dim {
            // Row r of LD, then of L: 𝓜_rc = Σ_{k ≤ c} L_rk D_k L_ck.
            let (above, row) = L.split_at_mut(r * dim);
            for c in first[r]..r {
                let begin = first[r].max(first[c]).min(c);
                let mut sum = row[c];
                for (x, y) in row[begin..c].iter().zip(&above[c * dim + begin..]) {
                    sum -= x * y;
                }
                row[c] = sum;
            }
            for c in first[r]..r {
                let scaled = L[r * dim + c];
                L[r * dim + c] = scaled / L[c * dim + c];
                L[r * dim + r] -= L[r * dim + c] * scaled;
            }
        }
    }

    /// The factor of a body in space, row by row: only the last three coordinates depend on each other.
    fn of_body(&self, block: usize) -> Option<&[f64; 36]> {
        let (at, dim, rows) = self.blocks[block];
        let is_body = dim == BODY.len() && self.first[rows..rows + dim] == BODY;
        if is_body { self.L[at..].first_chunk() } else { None }
    }

    /// x ← L⁻¹x.
    fn forward(&self, block: usize, x: &mut [f64]) {
        let (at, dim, rows) = self.blocks[block];
        // What is zero before the first entry stays so.
        let begin = x.iter().position(|x| *x != 0.0).unwrap_or(dim);
        let firsts = &self.first[rows..rows + dim];
        for (r, row) in self.L[at..at + dim * dim].chunks_exact(dim).enumerate().skip(begin) {
            let first = firsts[r].max(begin).min(r);
            let (known, rest) = x.split_at_mut(r);
            for (l, x) in row[first..r].iter().zip(&known[first..]) {
                rest[0] -= l * x;
            }
        }
    }

    /// xᵀ𝓜⁻¹x; x is overwritten.
    pub(crate) fn square(&self, block: usize, x: &mut [f64]) -> f64 {
        if let (Some(L), Some(x)) = (self.of_body(block), x.first_chunk_mut()) {
            forward_body(L, x);
            return (0..6).map(|r| x[r] / L[7 * r] * x[r]).sum();
        }
        self.forward(block, x);
        let (at, dim, _) = self.blocks[block];
        (0..dim).map(|r| x[r] / self.L[at + r * dim + r] * x[r]).sum()
    }

    /// x ← 𝓜⁻¹x.
    pub(crate) fn solve(&self, block: usize, x: &mut [f64]) {
        if let (Some(L), Some(x)) = (self.of_body(block), x.first_chunk_mut()) {
            forward_body(L, x);
            for r in 0..6 {
                x[r] /= L[7 * r];
            }
            x[3] -= L[33] * x[5];
            x[4] -= L[34] * x[5];
            x[3] -= L[27] * x[4];
            return;
        }
        self.forward(block, x);
        let (at, dim, rows) = self.blocks[block];
        let rows = self.L[at..at + dim * dim]
            .chunks_exact(dim)
            .zip(&self.first[rows..rows + dim]);
        for (r, (row, _)) in rows.clone().enumerate() {
            x[r] /= row[r];
        }
        for (r, (row, first)) in rows.enumerate().rev() {
            let (before, rest) = x.split_at_mut(r);
            for (x, l) in before[*first..].iter_mut().zip(&row[*first..r]) {
                *x -= l * rest[0];
            }
        }
    }
}

/// x ← L⁻¹x for the factor of a body in space.
fn forward_body(L: &[f64; 36], x: &mut [f64; 6]) {
    x[4] -= L[27] * x[3];
    x[5] -= L[33] * x[3];
    x[5] -= L[34] * x[4];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_with_the_mass_of_each_block() {
        let mut problem = ContactProblem::new();
        problem.add_block(&[4.0], &[0.0]).unwrap();
        let mass = [
            2.0, 0.0, 0.0, 0.0, //
            0.0, 3.0, 0.5, -0.25, //
            0.0, 0.5, 2.0, 0.0, //
            0.0, -0.25, 0.0, 1.0,
        ];
        problem.add_block(&mass, &[0.0; 4]).unwrap();
        let mut factor = MassFactor::default();
        factor.set(&problem);
        let x = [1.0, -2.0, 3.0, 0.5];
        let mut y: Vec<f64> = (0..4).map(|r| (0..4).map(|c| mass[4 * r + c] * x[c]).sum()).collect();
        let product: f64 = (0..4).map(|k| x[k] * y[k]).sum();
        assert!((factor.square(1, &mut y.clone()) - product).abs() < 1e-13);
        factor.solve(1, &mut y);
        for k in 0..4 {
            assert!((y[k] - x[k]).abs() < 1e-14, "{y:?}");
        }
        let mut y = [8.0];
        factor.solve(0, &mut y);
        assert_eq!(y, [2.0]);
    }
}
