//! FIND-INDICES \[Drumwright V\]: independent columns of a set, by rank-revealing Gram–Schmidt.
//!
//! The paper tries columns one after the other and asks a factorization whether the matrix has become singular. Here the column of
//! which the largest share is left is taken next, and the basis is orthogonalised twice: AᵀA is never formed, so that the columns
//! kept may be as near to each other as [`REDUNDANT`].
//!
//! Rows of a mechanism touch few coordinates. Each column carries the chunks of coordinates in which it is not zero, as bits, and two without a common one
//! are passed over: their product is zero.

use crate::problem::length;

/// A column counts as redundant when less than this share of it is left beside the others.
pub(crate) const REDUNDANT: f64 = 1e-8;

/// A column of which this share is left stands at right angles to the others but for a few roundings.
const ONCE: f64 = 0.1;

/// An orthonormal basis of the columns offered so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Basis {
    dof: usize,
    rank: usize,
    /// Columns of Q one after the other.
    Q: Vec<f64>,
    /// Chunks of each column of Q, and of each column on offer.
    Q_on: Vec<u64>,
    rest_on: Vec<u64>,
    /// Columns on offer less their part in Q, the length they had, and the length that is left.
    rest: Vec<f64>,
    norm: Vec<f64>,
    left: Vec<f64>,
}

impl Basis {
    /// Starts an empty basis of vectors with `dof` entries.
    pub(crate) fn clear(&mut self, dof: usize) {
        self.dof = dof;
        self.rank = 0;
        self.Q.clear();
        self.Q_on.clear();
    }

    /// Takes over another basis. Does not allocate where it has been as large.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.dof = other.dof;
        self.rank = other.rank;
        self.Q.clone_from(&other.Q);
        self.Q_on.clone_from(&other.Q_on);
    }

    pub(crate) fn rank(&self) -> usize {
        self.rank
    }

    /// The columns of Q.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &[f64]> {
        self.Q.chunks_exact(self.dof.max(1))
    }

    /// Column of Q.
    pub(crate) fn column(&self, l: usize) -> &[f64] {
        &self.Q[l * self.dof..(l + 1) * self.dof]
    }

    /// Coordinates of a chunk: 64 chunks hold them all.
    fn width(&self) -> usize {
        self.dof.div_ceil(64).max(1)
    }

    /// Whether a column of Q may be other than zero in a range of coordinates.
    pub(crate) fn meets(&self, l: usize, range: std::ops::Range<usize>) -> bool {
        let width = self.width();
        let (first, end) = (range.start / width, range.end.div_ceil(width));
        (first..end).any(|c| self.Q_on[l] >> c & 1 == 1)
    }

    /// Takes one more column, written by `fill` onto zeros, if this share of it is left beside the others; returns whether it did.
    pub(crate) fn append(&mut self, share: f64, fill: impl Fn(&mut [f64])) -> bool {
        let (dof, width, at) = (self.dof, self.width(), self.Q.len());
        self.Q.resize(at + dof, 0.0);
        let (before, column) = self.Q.split_at_mut(at);
        fill(column);
        let (norm, mut on) = (length(column), chunks_of(column, width));
        let pass = |column: &mut [f64], on: &mut u64| {
            for (q, q_on) in before.chunks_exact(dof.max(1)).zip(&self.Q_on) {
                if q_on & *on != 0 && remove(q, column) {
                    *on |= q_on;
                }
            }
        };
        pass(column, &mut on);
        let left = dot(column, column).sqrt();
        if left.is_nan() || left <= share * norm {
            self.Q.truncate(at);
            return false;
        }
        if left < ONCE * norm {
            pass(column, &mut on);
        }
        scale(column);
        self.Q_on.push(on);
        self.rank += 1;
        true
    }

    /// Offers `count` columns, each written by `fill` onto zeros. Indices of those that are independent of the others and of what was
    /// there are added to `kept`, in the order of the new columns of Q.
    pub(crate) fn find_indices(&mut self, count: usize, fill: impl Fn(usize, &mut [f64]), kept: &mut Vec<usize>) {
        let dof = self.dof;
        self.rest.clear();
        self.rest.resize(dof * count, 0.0);
        self.rest_on.clear();
        self.norm.clear();
        self.left.clear();
        if self.rank == dof {
            return;
        }
        let width = self.width();
        for k in 0..count {
            let column = &mut self.rest[k * dof..(k + 1) * dof];
            fill(k, column);
            let norm = length(column);
            self.norm.push(norm);
            let mut on = chunks_of(column, width);
            for (q, q_on) in self.Q.chunks_exact(dof).zip(&self.Q_on) {
                if q_on & on != 0 && remove(q, column) {
                    on |= q_on;
                }
            }
            self.rest_on.push(on);
            let left = if norm > 0.0 {
                dot(column, column).sqrt() / norm
            } else {
                0.0
            };
            self.left.push(if left > REDUNDANT { left } else { 0.0 });
        }
        while self.rank < dof {
            let Some(next) = self.most_left() else { break };
            self.keep(next);
            kept.push(next);
        }
    }

    /// The column of which the largest share is left, if it is not redundant.
    fn most_left(&self) -> Option<usize> {
        let (mut most, mut found) = (REDUNDANT, None);
        for (k, left) in self.left.iter().enumerate() {
            if *left > most {
                (most, found) = (*left, Some(k));
            }
        }
        found
    }

    fn keep(&mut self, k: usize) {
        let (dof, at) = (self.dof, self.Q.len());
        self.Q.extend_from_slice(&self.rest[k * dof..(k + 1) * dof]);
        let (before, q) = self.Q.split_at_mut(at);
        scale(q);
        let mut on = self.rest_on[k];
        if self.left[k] < ONCE {
            // Once more: what is left of a nearly redundant column is no longer at right angles.
            for (other, other_on) in before.chunks_exact(dof).zip(&self.Q_on) {
                if other_on & on != 0 && remove(other, q) {
                    on |= other_on;
                }
            }
            scale(q);
        }
        self.Q_on.push(on);
        self.left[k] = 0.0;
        let columns = self.rest.chunks_exact_mut(dof).zip(&mut self.rest_on).zip(&self.norm);
        for (((column, column_on), norm), left) in columns.zip(&mut self.left) {
            if *left > 0.0 && on & *column_on != 0 && remove(q, column) {
                *column_on |= on;
                *left = dot(column, column).sqrt() / norm;
                if *left <= REDUNDANT {
                    *left = 0.0;
                }
            }
        }
        self.rank += 1;
    }
}

/// Sums that run side by side: one alone waits for itself.
const LANES: usize = 8;

/// Product of two vectors of one length.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a_chunks, a_rest) = a.as_chunks::<LANES>();
    let (b_chunks, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        for k in 0..LANES {
            sums[k] += a[k] * b[k];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + b) + (c + d)) + ((e + f) + (g + h)) + rest
}

fn scale(x: &mut [f64]) {
    let norm = length(x);
    for x in x {
        *x /= norm;
    }
}

/// The chunks of a width in which a column is not zero, as bits.
fn chunks_of(column: &[f64], width: usize) -> u64 {
    let chunks = column.chunks(width).enumerate();
    chunks.fold(0, |on, (c, chunk)| {
        on | (u64::from(chunk.iter().any(|x| *x != 0.0)) << c)
    })
}

/// x ← x − q(qᵀx); returns whether x has changed.
pub(crate) fn remove(q: &[f64], x: &mut [f64]) -> bool {
    let part = dot(q, x);
    if part == 0.0 {
        return false;
    }
    for (x, q) in x.iter_mut().zip(q) {
        *x -= part * q;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn independent_columns_are_found_once() {
        let columns = [
            [1.0, 1.0, 0.0],
            [2.0, 2.0, 0.0],
            [0.0; 3],
            [0.0, 1.0, 1.0],
            [1.0, 2.0, 1.0],
        ];
        let mut basis = Basis::default();
        basis.clear(3);
        let mut kept = Vec::new();
        basis.find_indices(5, |k, x| x.copy_from_slice(&columns[k]), &mut kept);
        assert_eq!(kept.len(), 2);
        assert_eq!(basis.rank(), 2);
        basis.find_indices(5, |k, x| x.copy_from_slice(&columns[k]), &mut kept);
        assert_eq!(kept.len(), 2, "what is there is not taken again");
        basis.find_indices(1, |_, x| x[0] = 1e-3, &mut kept);
        assert_eq!(basis.rank(), 3);
        for (i, a) in basis.columns().enumerate() {
            for (j, b) in basis.columns().enumerate() {
                let expected = if i == j { 1.0 } else { 0.0 };
                assert!((dot(a, b) - expected).abs() < 1e-15);
            }
        }
    }
}
