//! Sparse Cholesky factors by blocks of one body each, in an order that keeps fill small, and what a factorisation that runs to its end proves.
//!
//! If the floating-point Cholesky of a symmetric A runs to its end, λ_min(A) > −Σ γ_{k+1}/(1 − γ_{k+1}) a_ii with k the most terms of an inner product
//! (S. M. Rump, Verification of positive definiteness, BIT 46, 2006). With A = S − cI this bounds λ_min(S) from below.

use std::collections::BTreeSet;

/// Unit roundoff.
const UNIT: f64 = 0.5 * f64::EPSILON;

/// A pivot that is this small beside its diagonal entry is rounding.
const NOTHING: f64 = 1e-11;

type Block = [f64; 36];

/// A symmetric matrix by blocks: the diagonal and what lies below it.
#[derive(Debug, Clone)]
pub(crate) struct BlockMatrix {
    dim: usize,
    /// Body of each place in the order of elimination, and back.
    order: Vec<usize>,
    place: Vec<usize>,
    /// Columns by place: (place of the row, block), rows ascending, the diagonal first; with room for the fill.
    columns: Vec<Vec<(usize, Block)>>,
}

fn gamma(terms: usize) -> f64 {
    let k = terms as f64 * UNIT;
    k / (1.0 - k)
}

impl BlockMatrix {
    /// Zero, with the blocks of these pairs of bodies and the fill that they lead to.
    pub(crate) fn new(bodies: usize, dim: usize, pairs: &BTreeSet<(usize, usize)>) -> Self {
        let mut near: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); bodies];
        for &(a, b) in pairs {
            if a != b {
                near[a].insert(b);
                near[b].insert(a);
            }
        }
        // The body with the fewest neighbours goes first, and its neighbours become neighbours of each other.
        let mut queue: BTreeSet<(usize, usize)> = (0..bodies).map(|k| (near[k].len(), k)).collect();
        let (mut order, mut place, mut below) = (Vec::new(), vec![0; bodies], Vec::new());
        while let Some((_, body)) = queue.pop_first() {
            place[body] = order.len();
            order.push(body);
            let others = std::mem::take(&mut near[body]);
            for &other in &others {
                queue.remove(&(near[other].len(), other));
                near[other].remove(&body);
                for &third in &others {
                    if third != other {
                        near[other].insert(third);
                    }
                }
                queue.insert((near[other].len(), other));
            }
            below.push(others);
        }
        let columns = below.iter().enumerate().map(|(k, others)| {
            let mut rows: Vec<usize> = others.iter().map(|body| place[*body]).collect();
            rows.push(k);
            rows.sort_unstable();
            rows.into_iter().map(|row| (row, [0.0; 36])).collect()
        });
        Self {
            dim,
            columns: columns.collect(),
            order,
            place,
        }
    }

    pub(crate) fn clear(&mut self) {
        for (_, block) in self.columns.iter_mut().flatten() {
            *block = [0.0; 36];
        }
    }

    fn block_mut(&mut self, row: usize, column: usize) -> Option<&mut Block> {
        let list = &mut self.columns[column];
        let at = list.binary_search_by_key(&row, |(row, _)| *row).ok()?;
        Some(&mut list[at].1)
    }

    /// Adds x yᵀ to the block (a, b), and its mirror with it; of a diagonal block all of it.
    pub(crate) fn add(&mut self, a: usize, b: usize, x: &[f64; 6], y: &[f64; 6]) {
        let dim = self.dim;
        let (pa, pb) = (self.place[a], self.place[b]);
        let (row, column, x, y) = if pa >= pb { (pa, pb, x, y) } else { (pb, pa, y, x) };
        if let Some(block) = self.block_mut(row, column) {
            for r in 0..dim {
                for c in 0..dim {
                    block[dim * r + c] += x[r] * y[c];
                }
            }
        }
    }

    /// Diagonal entries that are exactly zero become 1: rows on which nothing acts.
    pub(crate) fn fill_idle(&mut self) -> Vec<(usize, usize)> {
        let dim = self.dim;
        let mut idle = Vec::new();
        for place in 0..self.columns.len() {
            let block = &mut self.columns[place][0].1;
            for k in 0..dim {
                if block[dim * k + k] == 0.0 {
                    block[dim * k + k] = 1.0;
                    idle.push((self.order[place], k));
                }
            }
        }
        idle
    }

    /// Adds 1 to diagonal entries.
    pub(crate) fn carry(&mut self, carried: &[(usize, usize)]) {
        let dim = self.dim;
        for (body, k) in carried {
            self.columns[self.place[*body]][0].1[dim * k + k] += 1.0;
        }
    }

    /// Coordinates (of a body) whose pivots are nothing beside their diagonal entries: with 1 added to each of them it can be factored. `None` where it cannot.
    pub(crate) fn dependent(&self) -> Option<Vec<(usize, usize)>> {
        let mut copy = self.clone();
        let mut found = Vec::new();
        let whole = copy.eliminate(Some(&mut found));
        whole.then(|| found.into_iter().map(|(place, k)| (self.order[place], k)).collect())
    }

    pub(crate) fn trace(&self) -> f64 {
        let dim = self.dim;
        let of = |column: &Vec<(usize, Block)>| (0..dim).map(|k| column[0].1[dim * k + k]).sum::<f64>();
        self.columns.iter().map(of).sum()
    }

    /// Most terms of an inner product of the factorisation.
    fn most_terms(&self) -> usize {
        let mut rows = vec![0; self.columns.len()];
        for (row, _) in self.columns.iter().flatten() {
            rows[*row] += 1;
        }
        self.dim * rows.into_iter().max().unwrap_or(0)
    }

    /// Becomes its lower factor after `shift` is taken off the diagonal; false where a pivot is not positive.
    pub(crate) fn factor(&mut self, shift: f64) -> bool {
        let dim = self.dim;
        for place in 0..self.columns.len() {
            let block = &mut self.columns[place][0].1;
            for k in 0..dim {
                block[dim * k + k] -= shift;
            }
        }
        self.eliminate(None)
    }

    /// The factorisation; where places are asked for, pivots that are nothing become 1.
    fn eliminate(&mut self, mut nothing: Option<&mut Vec<(usize, usize)>>) -> bool {
        let dim = self.dim;
        let diagonals: Vec<[f64; 6]> = self
            .columns
            .iter()
            .map(|column| std::array::from_fn(|k| if k < dim { column[0].1[dim * k + k] } else { 0.0 }))
            .collect();
        for k in 0..self.columns.len() {
            let mut column = std::mem::take(&mut self.columns[k]);
            let mut replaced = 0;
            let least: [f64; 6] = match nothing {
                Some(_) => diagonals[k].map(|x| NOTHING * x),
                None => [f64::NEG_INFINITY; 6],
            };
            if !factor_diagonal(&mut column[0].1, dim, &least, &mut replaced) {
                self.columns[k] = column;
                return false;
            }
            if let Some(list) = nothing.as_deref_mut() {
                list.extend((0..dim).filter(|c| replaced & (1 << c) != 0).map(|c| (k, c)));
            }
            let diagonal = column[0].1;
            for (_, block) in &mut column[1..] {
                divide(block, &diagonal, dim);
            }
            for j in 1..column.len() {
                let (target, right) = (column[j].0, column[j].1);
                let list = &mut self.columns[target];
                let mut at = 0;
                for (row, left) in &column[j..] {
                    while list[at].0 < *row {
                        at += 1;
                    }
                    subtract(&mut list[at].1, left, &right, dim);
                }
            }
            self.columns[k] = column;
        }
        true
    }

    /// x ← (LLᵀ)⁻¹x; x by bodies.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        let dim = self.dim;
        let mut y: Vec<f64> = Vec::with_capacity(x.len());
        for body in &self.order {
            y.extend_from_slice(&x[dim * body..dim * (body + 1)]);
        }
        for (k, column) in self.columns.iter().enumerate() {
            let diagonal = &column[0].1;
            for r in 0..dim {
                let sum: f64 = (0..r).map(|c| diagonal[dim * r + c] * y[dim * k + c]).sum();
                y[dim * k + r] = (y[dim * k + r] - sum) / diagonal[dim * r + r];
            }
            for (row, block) in &column[1..] {
                for r in 0..dim {
                    let sum: f64 = (0..dim).map(|c| block[dim * r + c] * y[dim * k + c]).sum();
                    y[dim * row + r] -= sum;
                }
            }
        }
        for (k, column) in self.columns.iter().enumerate().rev() {
            for (row, block) in &column[1..] {
                for c in 0..dim {
                    let sum: f64 = (0..dim).map(|r| block[dim * r + c] * y[dim * row + r]).sum();
                    y[dim * k + c] -= sum;
                }
            }
            let diagonal = &column[0].1;
            for r in (0..dim).rev() {
                let sum: f64 = (r + 1..dim).map(|c| diagonal[dim * c + r] * y[dim * k + c]).sum();
                y[dim * k + r] = (y[dim * k + r] - sum) / diagonal[dim * r + r];
            }
        }
        for (k, body) in self.order.iter().enumerate() {
            x[dim * body..dim * (body + 1)].copy_from_slice(&y[dim * k..dim * (k + 1)]);
        }
    }

    /// A proved lower bound of the least eigenvalue, where entries were summed from at most `summed` products each; `None` where none is found.
    pub(crate) fn least_eigenvalue(&self, factor: &Self, summed: usize) -> Option<f64> {
        // Inverse iteration from a fixed start for an estimate; the factorisation decides.
        let n = self.dim * self.order.len();
        let mut x: Vec<f64> = (0..n)
            .map(|k| 1.0 + ((k * 2_654_435_761) % 1024) as f64 / 1024.0)
            .collect();
        let mut estimate = f64::INFINITY;
        for _ in 0..8 {
            let size = libm::sqrt(x.iter().map(|x| x * x).sum());
            for entry in &mut x {
                *entry /= size;
            }
            factor.solve(&mut x);
            estimate = 1.0 / libm::sqrt(x.iter().map(|x| x * x).sum());
        }
        let trace = self.trace();
        let lost = (gamma(self.most_terms() + 2) / (1.0 - gamma(self.most_terms() + 2)) + gamma(summed + 2))
            * trace
            * (1.0 + 1e-6);
        let mut shift = 0.75 * estimate;
        for _ in 0..6 {
            if shift.is_nan() || lost.is_nan() || shift <= lost {
                return None;
            }
            let mut shifted = self.clone();
            if shifted.factor(shift) {
                let proved = (shift - lost) * (1.0 - 4.0 * f64::EPSILON);
                return (proved > 0.0).then_some(proved);
            }
            shift *= 0.5;
        }
        None
    }
}

/// Lower factor of a diagonal block, in place. Pivots at or below `least` become 1 more, marked in `replaced`.
fn factor_diagonal(block: &mut Block, dim: usize, least: &[f64; 6], replaced: &mut u32) -> bool {
    for c in 0..dim {
        let mut pivot = block[dim * c + c];
        for k in 0..c {
            pivot -= block[dim * c + k] * block[dim * c + k];
        }
        if pivot <= least[c] {
            pivot = pivot.max(0.0) + 1.0;
            *replaced |= 1 << c;
        }
        if !(pivot > 0.0 && pivot.is_finite()) {
            return false;
        }
        let root = pivot.sqrt();
        block[dim * c + c] = root;
        for r in c + 1..dim {
            let mut x = block[dim * r + c];
            for k in 0..c {
                x -= block[dim * r + k] * block[dim * c + k];
            }
            block[dim * r + c] = x / root;
        }
    }
    true
}

/// B ← B L⁻ᵀ.
fn divide(block: &mut Block, lower: &Block, dim: usize) {
    for r in 0..dim {
        for c in 0..dim {
            let mut x = block[dim * r + c];
            for k in 0..c {
                x -= block[dim * r + k] * lower[dim * c + k];
            }
            block[dim * r + c] = x / lower[dim * c + c];
        }
    }
}

/// B ← B − L Rᵀ.
fn subtract(block: &mut Block, left: &Block, right: &Block, dim: usize) {
    for r in 0..dim {
        for c in 0..dim {
            let mut x = block[dim * r + c];
            for k in 0..dim {
                x -= left[dim * r + k] * right[dim * c + k];
            }
            block[dim * r + c] = x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(weight: f64) -> BlockMatrix {
        // A chain of four bodies in the plane, each held by three rows, and rows between neighbours and from the last to the first.
        let pairs = (0..4).map(|k| (k, (k + 1) % 4)).chain((0..4).map(|k| (k, k))).collect();
        let mut matrix = BlockMatrix::new(4, 3, &pairs);
        for k in 0..4 {
            for c in 0..3 {
                let mut e = [0.0; 6];
                e[c] = weight;
                matrix.add(k, k, &e, &e);
            }
            let (a, b) = (k, (k + 1) % 4);
            let (x, y) = ([1.0, 0.5, -0.25, 0.0, 0.0, 0.0], [-1.0, 0.5, 2.0, 0.0, 0.0, 0.0]);
            matrix.add(a, a, &x, &x);
            matrix.add(b, b, &y, &y);
            matrix.add(a, b, &x, &y);
        }
        matrix
    }

    #[test]
    fn a_factor_solves_and_bounds_the_least_eigenvalue() {
        let whole = matrix(0.1);
        let mut factor = whole.clone();
        assert!(factor.factor(0.0));
        let least = whole.least_eigenvalue(&factor, 10).unwrap();
        // S = 0.01 I + rows of rank 4 in 12 unknowns: its least eigenvalue is 0.01.
        assert!(least <= 0.010_000_1 && least > 0.005, "{least}");
        let mut x = vec![1.0; 12];
        factor.solve(&mut x);
        let mut back = vec![0.0; 12];
        for (k, column) in whole.columns.iter().enumerate() {
            for (row, block) in column {
                let (a, b) = (whole.order[*row], whole.order[k]);
                for r in 0..3 {
                    for c in 0..3 {
                        back[3 * a + r] += block[3 * r + c] * x[3 * b + c];
                        if a != b {
                            back[3 * b + c] += block[3 * r + c] * x[3 * a + r];
                        }
                    }
                }
            }
        }
        for y in back {
            assert!((y - 1.0).abs() < 1e-12, "{y}");
        }
    }

    #[test]
    fn a_matrix_that_is_not_definite_is_refused() {
        assert!(!matrix(0.0).factor(1e-9));
    }
}
