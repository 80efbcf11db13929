//! What every pivoting method takes and how it can end.

use crate::matrix::Matrix;

/// The problem as the pivoting methods see it: w = Mz + q, where z_i ≥ 0 is complementary to w_i ≥ 0, or z_i is free and
/// w_i = 0. Bounds of other kinds are rewritten first ([`crate::reduce`]).
#[derive(Debug, Clone, Copy)]
pub struct Data<'a> {
    /// The matrix.
    pub M: &'a Matrix,
    /// The vector.
    pub q: &'a [f64],
    /// Which variables are free; empty when none is.
    pub free: &'a [bool],
}

#[cfg(test)]
impl<'a> Data<'a> {
    /// A problem without free variables.
    pub(crate) fn of(lcp: &'a crate::problem::Lcp) -> Self {
        Self {
            M: lcp.M(),
            q: lcp.q(),
            free: &[],
        }
    }
}

impl Data<'_> {
    /// Number of variables.
    #[must_use]
    pub fn n(&self) -> usize {
        self.q.len()
    }

    /// Whether variable `i` is free.
    #[must_use]
    pub fn is_free(&self, i: usize) -> bool {
        self.free.get(i).copied().unwrap_or(false)
    }
}

/// How a run of a pivoting method ended. None of these says that an answer is right: that is for the judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The basis is complementary and z is written.
    Complementary,
    /// Lemke: no variable blocks the driving one.
    Ray,
    /// Dantzig: no variable blocks the driven one.
    UnboundedDrive,
    /// Too many pivots.
    PivotLimit,
    /// The matrix of the basis is singular to working precision.
    Singular,
    /// A basis came back, or a tie could not be resolved.
    Cycle,
}
