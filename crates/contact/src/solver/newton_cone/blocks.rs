//! Block-sparse LU of I + Σ C D Cᵀ over the graph of bodies.
//!
//! Every block is 6×6: smaller bodies are padded with ones on the diagonal, larger ones are cut into several blocks. Blocks are
//! eliminated in an order of least degree, without exchanges between blocks and with row exchanges inside the diagonal block.
//! The matrix is symmetric positive definite where nothing slides; where something does, the Newton loop corrects what the
//! missing exchanges cost.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub(super) const SIX: usize = 6;
/// Operations of a product of two blocks.
const PRODUCT: u64 = 2 * (SIX * SIX * SIX) as u64;
pub(super) type Vector = [f64; SIX];
pub(super) type Square = [[f64; SIX]; SIX];

const ZERO: Square = [[0.0; SIX]; SIX];

/// Order, fill and numbers of the factor.
#[derive(Debug, Clone, Default)]
pub(super) struct BlockLu {
    count: usize,
    /// Elimination order and its inverse.
    order: Vec<usize>,
    place: Vec<usize>,
    /// Later neighbours of pivot k: `rows[first[k]..first[k + 1]]`, sorted by place; pivots are named by place.
    first: Vec<usize>,
    rows: Vec<usize>,
    /// For pivot k, the slot of A_ij for each pair (i, j) of its later neighbours.
    targets: Vec<usize>,
    /// Slots: diagonal blocks by place, then for each entry of `rows` its lower and its upper block.
    values: Vec<Square>,
    /// Scratch of the ordering.
    adjacent: Vec<Vec<usize>>,
    front: Vec<usize>,
    degrees: BinaryHeap<Reverse<(usize, usize)>>,
    work: Vec<Vector>,
    /// Factorisations since they were last reset, and their operations.
    pub(super) factorisations: usize,
    pub(super) operations: u64,
}

impl BlockLu {
    /// Orders `count` blocks and finds the fill. `edges` visits every pair of coupled blocks.
    pub(super) fn analyse(&mut self, count: usize, edges: impl Fn(&mut dyn FnMut(usize, usize))) {
        self.count = count;
        let adjacent = &mut self.adjacent;
        adjacent.iter_mut().for_each(Vec::clear);
        if adjacent.len() < count {
            adjacent.resize_with(count, Vec::new);
        }
        edges(&mut |a, b| {
            if a != b {
                insert(&mut adjacent[a], b);
                insert(&mut adjacent[b], a);
            }
        });
        self.eliminate();
        self.find_targets();
        self.values.clear();
        self.values.resize(count + 2 * self.rows.len(), ZERO);
        self.work.clear();
        self.work.resize(count, [0.0; SIX]);
    }

    /// Least degree first; ties go to the lowest index.
    fn eliminate(&mut self) {
        let count = self.count;
        self.order.clear();
        self.place.clear();
        self.place.resize(count, usize::MAX);
        self.first.clear();
        self.first.push(0);
        self.rows.clear();
        self.degrees.clear();
        let degrees = self.adjacent.iter().take(count).enumerate();
        self.degrees.extend(degrees.map(|(k, list)| Reverse((list.len(), k))));
        // An entry whose degree is no longer that of its block is out of date: a newer one is in the heap.
        while let Some(Reverse((degree, pivot))) = self.degrees.pop() {
            if self.place[pivot] != usize::MAX || degree != self.adjacent[pivot].len() {
                continue;
            }
            self.place[pivot] = self.order.len();
            self.order.push(pivot);
            self.front.clear();
            self.front.extend_from_slice(&self.adjacent[pivot]);
            self.rows.extend_from_slice(&self.front);
            self.first.push(self.rows.len());
            for i in &self.front {
                let list = &mut self.adjacent[*i];
                if let Ok(at) = list.binary_search(&pivot) {
                    list.remove(at);
                }
                for j in self.front.iter().filter(|j| *j != i) {
                    insert(list, *j);
                }
                self.degrees.push(Reverse((list.len(), *i)));
            }
        }
        for row in &mut self.rows {
            *row = self.place[*row];
        }
        for k in 0..count {
            self.rows[self.first[k]..self.first[k + 1]].sort_unstable();
        }
    }

    fn find_targets(&mut self) {
        self.targets.clear();
        for k in 0..self.count {
            let range = self.first[k]..self.first[k + 1];
            for a in range.clone() {
                for b in range.clone() {
                    let slot = self.slot_by_place(self.rows[a], self.rows[b]);
                    self.targets.push(slot);
                }
            }
        }
    }

    fn slot_by_place(&self, i: usize, j: usize) -> usize {
        if i == j {
            return i;
        }
        let (pivot, later) = (i.min(j), i.max(j));
        let range = self.first[pivot]..self.first[pivot + 1];
        let at = self.rows[range.clone()].partition_point(|row| *row < later);
        let entry = range.start + at;
        self.count + 2 * entry + usize::from(i < j)
    }

    /// Slot of the coupling of block `i` (rows) with block `j` (columns), both as the caller numbers them.
    pub(super) fn slot(&self, i: usize, j: usize) -> usize {
        self.slot_by_place(self.place[i], self.place[j])
    }

    /// Starts from the identity.
    pub(super) fn reset(&mut self) {
        self.values.fill(ZERO);
        for block in &mut self.values[..self.count] {
            for k in 0..SIX {
                block[k][k] = 1.0;
            }
        }
    }

    /// A += Aᵀ-parts of one contact: `left` holds the columns of C D of the row block, `right` those of C of the column block.
    #[inline]
    pub(super) fn add<const COLUMNS: usize>(
        &mut self,
        slot: usize,
        left: &[Vector; COLUMNS],
        right: &[Vector; COLUMNS],
    ) {
        let block = &mut self.values[slot];
        for i in 0..SIX {
            for c in 0..COLUMNS {
                let l = left[c][i];
                for j in 0..SIX {
                    block[i][j] += l * right[c][j];
                }
            }
        }
    }

    /// Operations of a factorisation.
    pub(super) fn cost(&self) -> u64 {
        // Inverses of the diagonal, rows of L, updates.
        PRODUCT * (self.count + self.rows.len() + self.targets.len()) as u64
    }

    /// Factors in place. `false`: a pivot is zero or not a number.
    pub(super) fn factor(&mut self) -> bool {
        self.factorisations += 1;
        self.operations += self.cost();
        let mut target = 0;
        for k in 0..self.count {
            let Some(inverse) = invert(&self.values[k]) else {
                return false;
            };
            self.values[k] = inverse;
            let range = self.first[k]..self.first[k + 1];
            for a in range.clone() {
                let lower = self.count + 2 * a;
                // Open contacts leave most blocks of a loose heap empty, and zeros change nothing.
                if self.values[lower] == ZERO {
                    target += range.len();
                    continue;
                }
                // L_ik = A_ik A_kk⁻¹
                let l = multiply(&self.values[lower], &inverse);
                self.values[lower] = l;
                for b in range.clone() {
                    // A_ij −= L_ik A_kj
                    let upper = self.count + 2 * b + 1;
                    if let Ok([u, out]) = self.values.get_disjoint_mut([upper, self.targets[target]]) {
                        subtract_product(out, &l, u);
                    }
                    target += 1;
                }
            }
        }
        true
    }

    /// x ← A⁻¹x.
    pub(super) fn solve(&mut self, x: &mut [Vector]) {
        for k in 0..self.count {
            self.work[k] = x[self.order[k]];
        }
        for k in 0..self.count {
            let y = self.work[k];
            for a in self.first[k]..self.first[k + 1] {
                subtract_times(&mut self.work[self.rows[a]], &self.values[self.count + 2 * a], &y);
            }
        }
        for k in (0..self.count).rev() {
            let mut y = self.work[k];
            for a in self.first[k]..self.first[k + 1] {
                subtract_times(&mut y, &self.values[self.count + 2 * a + 1], &self.work[self.rows[a]]);
            }
            let inverse = &self.values[k];
            let mut out = [0.0; SIX];
            for i in 0..SIX {
                out[i] = dot(&inverse[i], &y);
            }
            self.work[k] = out;
            x[self.order[k]] = out;
        }
    }
}

fn insert(list: &mut Vec<usize>, item: usize) {
    if let Err(at) = list.binary_search(&item) {
        list.insert(at, item);
    }
}

#[inline]
pub(super) fn dot(a: &Vector, b: &Vector) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])
}

#[inline]
fn subtract_times(y: &mut Vector, a: &Square, x: &Vector) {
    for i in 0..SIX {
        y[i] -= dot(&a[i], x);
    }
}

#[inline]
fn multiply(a: &Square, b: &Square) -> Square {
    let mut out = ZERO;
    for i in 0..SIX {
        for k in 0..SIX {
            for j in 0..SIX {
                out[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    out
}

#[inline]
fn subtract_product(out: &mut Square, a: &Square, b: &Square) {
    // Two rows at a time: a row of b is then loaded for both.
    for i in [0, 2, 4] {
        let (mut first, mut second) = (out[i], out[i + 1]);
        for k in 0..SIX {
            let (x, y) = (a[i][k], a[i + 1][k]);
            for j in 0..SIX {
                first[j] -= x * b[k][j];
                second[j] -= y * b[k][j];
            }
        }
        (out[i], out[i + 1]) = (first, second);
    }
}

/// A⁻¹ by Gauss–Jordan with row exchanges.
fn invert(a: &Square) -> Option<Square> {
    let mut a = *a;
    let mut swaps = [0; SIX];
    for k in 0..SIX {
        let mut pivot = k;
        for i in k + 1..SIX {
            if a[i][k].abs() > a[pivot][k].abs() {
                pivot = i;
            }
        }
        a.swap(k, pivot);
        swaps[k] = pivot;
        if a[k][k] == 0.0 || !a[k][k].is_finite() {
            return None;
        }
        let inverse = 1.0 / a[k][k];
        a[k][k] = 1.0;
        for j in 0..SIX {
            a[k][j] *= inverse;
        }
        let row = a[k];
        for i in 0..SIX {
            if i != k {
                let factor = a[i][k];
                a[i][k] = 0.0;
                for j in 0..SIX {
                    a[i][j] -= factor * row[j];
                }
            }
        }
    }
    // Row exchanges of A are column exchanges of its inverse, undone last first.
    for k in (0..SIX).rev() {
        if swaps[k] != k {
            for row in &mut a {
                row.swap(k, swaps[k]);
            }
        }
    }
    Some(a)
}
