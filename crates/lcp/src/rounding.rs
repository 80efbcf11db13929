//! What rounding asks of the pivoting methods: when a number counts as zero, and residuals that refinement can use.

use crate::matrix::Matrix;
use crate::pivoting::Data;
use crate::real::{two_prod, two_sum};

/// What counts as zero in each row of w: a share of the largest |q_i|, taken as it stands or in the units in which M
/// has a unit diagonal, whichever is less. The judge compares with the first; the second keeps rows in small units
/// alive.
#[derive(Debug, Clone, Default)]
pub(crate) struct Zero {
    threshold: Vec<f64>,
}

impl Zero {
    pub(crate) fn measure(&mut self, data: Data<'_>, tolerance: f64) {
        let scale = data.M.row_scale();
        let plain = data.q.iter().fold(0.0f64, |m, q| q.abs().max(m));
        let scaled = data.q.iter().zip(scale).fold(0.0f64, |m, (q, s)| (q * s).abs().max(m));
        self.threshold.clear();
        self.threshold
            .extend(scale.iter().map(|s| tolerance * plain.min(scaled / s)));
    }

    pub(crate) fn of(&self, i: usize) -> f64 {
        self.threshold[i]
    }
}

/// y += factor · M_j.
pub(crate) fn add_column(M: &Matrix, j: usize, factor: f64, y: &mut [f64]) {
    let column = M.column(j);
    if let Some(rows) = M.thin_column(j) {
        for &i in rows {
            y[i as usize] += factor * column[i as usize];
        }
    } else {
        for (y, &m) in y.iter_mut().zip(column) {
            *y += factor * m;
        }
    }
}

/// w = Mz + q for a z that is zero outside `support`, summed in twice the precision: without it a refinement of z gains
/// nothing.
pub(crate) fn residual(data: Data<'_>, support: &[usize], z: &[f64], w: &mut [f64], low: &mut [f64]) {
    w.copy_from_slice(data.q);
    low.fill(0.0);
    for &j in support {
        for ((w, low), &m) in w.iter_mut().zip(low.iter_mut()).zip(data.M.column(j)) {
            let (p, e) = two_prod(m, z[j]);
            let (s, f) = two_sum(*w, p);
            *w = s;
            *low += e + f;
        }
    }
    for (w, low) in w.iter_mut().zip(low) {
        *w += *low;
    }
}
