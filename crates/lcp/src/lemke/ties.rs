//! Lexicographic ties, [CPS] 4.9: tied rows of (q′, B⁻¹) are divided by their pivots and compared column by column.
//!
//! A column of B⁻¹ costs as much as m′, so this runs only when a cheaper rule has met a cycle.

use super::Kernel;
use crate::basis::Var;
use crate::pivoting::Data;
use crate::real::Real;

/// Two entries of B⁻¹, divided by their pivots, differ when they do by more than this share of the larger.
const DISTINCT_REL_TOL: f64 = 1e-10;

/// Buffers for the columns of B⁻¹.
#[derive(Debug, Clone)]
pub(super) struct Work<T> {
    dx: Vec<T>,
    dw: Vec<T>,
    /// Columns in the order in which they are compared.
    order: Vec<usize>,
}

impl<T: Real> Default for Work<T> {
    fn default() -> Self {
        Self {
            dx: Vec::new(),
            dw: Vec::new(),
            order: Vec::new(),
        }
    }
}

impl<T: Real> Work<T> {
    /// Sets the order of the columns by their places.
    pub(super) fn arrange(&mut self, n: usize, place: impl Fn(usize) -> u64) {
        self.order.clear();
        self.order.extend(0..n);
        self.order.sort_unstable_by_key(|&i| place(i));
    }

    /// The lexicographically least of the tied variables, or `None` when all columns leave several. `dx`, `dw` is m′.
    pub(super) fn least(
        &mut self,
        kernel: &mut Kernel<T>,
        data: Data<'_>,
        dx: &[T],
        dw: &[T],
        tied: &mut Vec<Var>,
    ) -> Option<Var> {
        let n = data.q.len();
        self.dw.resize(n, T::ZERO);
        for at in 0..n {
            let i = self.order[at];
            // A unit column tells nothing unless its own row is tied.
            if !kernel.is_nonbasic_w(i) && !tied.contains(&Var::W(i)) {
                continue;
            }
            kernel.inverse_column(data, i, &mut self.dx, &mut self.dw);
            let quotient = |var: &Var| -> f64 {
                let (value, pivot) = match (*var, kernel.position(*var)) {
                    (_, Some(p)) => (self.dx[p], dx[p]),
                    (Var::W(t), None) => (self.dw[t], dw[t]),
                    _ => return f64::INFINITY,
                };
                (value / -pivot).to_f64()
            };
            let least = tied.iter().map(quotient).fold(f64::INFINITY, f64::min);
            let largest = tied.iter().map(quotient).fold(0.0f64, |m, v| v.abs().max(m));
            tied.retain(|var| quotient(var) <= least + DISTINCT_REL_TOL * largest);
            if tied.len() == 1 {
                return tied.first().copied();
            }
        }
        None
    }
}
