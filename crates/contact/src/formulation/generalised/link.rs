//! One joint of a tree: how the velocity of a block follows from that of the block it hangs from and from its own coordinates.
//!
//! The rows A v + A_p v_p + b = 0 over a block and its parent, with Aᵀ = Q₁R and (Q₁ Q₂) orthonormal, leave
//! v = Q₂q + X v_p + x₀ with X = −Q₁R⁻ᵀA_p and x₀ = −Q₁R⁻ᵀb. The impulses of the rows are R⁻¹Q₁ᵀ times what they do to the block.

use super::tree::{Branch, SIX};
use crate::problem::{ContactProblem, Touch, length};

pub(super) type Vector = [f64; SIX];
pub(super) type Square = [Vector; SIX];

const ZERO: Square = [[0.0; SIX]; SIX];
pub(super) const SIX_ZEROS: Vector = [0.0; SIX];

/// Share of a row that must be left beside the others of its joint.
const CLEAR: f64 = 1e-3;

/// A block and its joint, zeros beyond the coordinates that it has.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) parent: Option<usize>,
    pub(super) tree: usize,
    /// Coordinates of the block and where they begin.
    pub(super) dim: usize,
    pub(super) at: usize,
    pub(super) rows: std::ops::Range<usize>,
    /// First of its own coordinates among those of all trees, and their number.
    pub(super) first: usize,
    pub(super) free: usize,
    /// The last coordinate of those that move it.
    pub(super) last: usize,
    /// Columns, first those of Q₁.
    pub(super) Q: Square,
    /// Upper, by rows.
    R: Square,
    /// By rows.
    A_p: Square,
    pub(super) X: Square,
    pub(super) x0: Vector,
    /// Mass of what hangs from here, as this block feels it.
    pub(super) mass: Square,
}

impl Link {
    /// The link of a branch. `None` where its rows depend on each other, or leave the block alone.
    pub(super) fn new(problem: &ContactProblem, branch: &Branch, parent: Option<usize>, first: usize) -> Option<Self> {
        let range = problem.block_range(branch.block);
        let (dim, count) = (range.len(), branch.rows.len());
        if count > dim {
            return None;
        }
        let mut link = Self {
            parent: branch.parent,
            tree: branch.tree,
            dim,
            at: range.start,
            rows: branch.rows.clone(),
            first,
            free: dim - count,
            last: first,
            Q: unit(),
            R: ZERO,
            A_p: ZERO,
            X: ZERO,
            x0: [0.0; SIX],
            mass: ZERO,
        };
        let mut columns = ZERO;
        for (r, k) in branch.rows.clone().enumerate() {
            let (touches, row) = problem.joint(k);
            copy_part(touches, row, branch.block, &mut columns[r]);
            if let Some(parent) = parent {
                copy_part(touches, row, parent, &mut link.A_p[r]);
            }
        }
        if !link.factor(&mut columns) {
            return None;
        }
        if count > 0 {
            link.set_motion(problem);
        }
        Some(link)
    }

    /// Aᵀ = Q₁R by Householder's reflections, and Q₂ with it.
    fn factor(&mut self, columns: &mut Square) -> bool {
        let dim = self.dim;
        for k in 0..self.rows.len() {
            let before = length(&columns[k]);
            let mut normal = [0.0; SIX];
            normal[k..dim].copy_from_slice(&columns[k][k..dim]);
            let left = length(&normal);
            if left.is_nan() || left <= CLEAR * before {
                return false;
            }
            let diagonal = if normal[k] > 0.0 { -left } else { left };
            normal[k] -= diagonal;
            let scale = 2.0 / dot(&normal, &normal);
            for column in &mut columns[k + 1..self.rows.len()] {
                let part = scale * dot(&normal, column);
                for i in 0..SIX {
                    column[i] -= part * normal[i];
                }
            }
            for r in 0..k {
                self.R[r][k] = columns[k][r];
            }
            self.R[k][k] = diagonal;
            // Q ← Q(I − 2nnᵀ/nᵀn)
            let mut sums = [0.0; SIX];
            for j in k..dim {
                for i in 0..SIX {
                    sums[i] += self.Q[j][i] * normal[j];
                }
            }
            for j in k..dim {
                let part = scale * normal[j];
                for i in 0..SIX {
                    self.Q[j][i] -= part * sums[i];
                }
            }
        }
        true
    }

    /// X and x₀.
    fn set_motion(&mut self, problem: &ContactProblem) {
        let count = self.rows.len();
        let (mut Y, mut y) = (self.A_p, [0.0; SIX]);
        for (r, k) in self.rows.clone().enumerate() {
            y[r] = problem.joint_bias(k);
            for l in 0..r {
                let R = self.R[l][r];
                y[r] -= R * y[l];
                for c in 0..SIX {
                    Y[r][c] -= R * Y[l][c];
                }
            }
            let inverse = 1.0 / self.R[r][r];
            y[r] *= inverse;
            for c in 0..SIX {
                Y[r][c] *= inverse;
            }
        }
        for r in 0..count {
            for i in 0..SIX {
                let q = self.Q[r][i];
                self.x0[i] -= q * y[r];
                for c in 0..SIX {
                    self.X[i][c] -= q * Y[r][c];
                }
            }
        }
    }

    /// Columns of Q₂.
    pub(super) fn own(&self) -> &[Vector] {
        &self.Q[self.rows.len()..self.dim]
    }

    /// Xᵀf.
    pub(super) fn up(&self, f: &Vector) -> Vector {
        let mut out = [0.0; SIX];
        for i in 0..SIX {
            for c in 0..SIX {
                out[c] += self.X[i][c] * f[i];
            }
        }
        out
    }

    /// XᵀMX of its mass.
    pub(super) fn mass_above(&self) -> Square {
        let mut MX = ZERO;
        for i in 0..SIX {
            for k in 0..SIX {
                let m = self.mass[i][k];
                for c in 0..SIX {
                    MX[i][c] += m * self.X[k][c];
                }
            }
        }
        let mut out = ZERO;
        for k in 0..SIX {
            for i in 0..SIX {
                let x = self.X[k][i];
                for c in 0..SIX {
                    out[i][c] += x * MX[k][c];
                }
            }
        }
        out
    }

    /// Velocity of the block from that of its parent and its own coordinates.
    pub(super) fn velocity(&self, above: &Vector, own: &[f64]) -> Vector {
        let mut v = self.x0;
        for (q, x) in self.own().iter().zip(own) {
            for i in 0..SIX {
                v[i] += x * q[i];
            }
        }
        for i in 0..SIX {
            v[i] += dot(&self.X[i], above);
        }
        v
    }

    /// Impulses of the rows that do what is given to the block, written to `joint`; returns what they do to the parent.
    pub(super) fn impulses(&self, done: &Vector, joint: &mut [f64]) -> Vector {
        let mut above = [0.0; SIX];
        let mut x = [0.0; SIX];
        for r in (0..self.rows.len()).rev() {
            let mut sum = dot(&self.Q[r], done);
            for c in r + 1..self.rows.len() {
                sum -= self.R[r][c] * x[c];
            }
            x[r] = sum / self.R[r][r];
            joint[self.rows.start + r] = x[r];
            for c in 0..SIX {
                above[c] += self.A_p[r][c] * x[r];
            }
        }
        above
    }
}

pub(super) fn unit() -> Square {
    let mut unit = ZERO;
    for k in 0..SIX {
        unit[k][k] = 1.0;
    }
    unit
}

pub(super) fn dot(a: &Vector, b: &Vector) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])
}

/// Part of a column over one block.
fn copy_part(touches: &[Touch], column: &[f64], block: usize, to: &mut Vector) {
    for t in touches.iter().filter(|t| t.block == block) {
        to[..t.len].copy_from_slice(&column[t.start..t.start + t.len]);
    }
}
