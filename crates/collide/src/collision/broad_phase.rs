//! Which bodies are near each other: sweep and prune.
//!
//! Bodies are sorted by the low end of their bounds along the axis on which they are spread widest. The order is kept between steps, where an
//! insertion sort finds it nearly right. Bodies without end, such as half-spaces, stand outside the sweep and meet everyone. Pairs
//! come out sorted by body numbers, whatever the motion was before.

use super::Bounds;

/// Who may touch whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filter {
    /// Groups the body belongs to, one bit each.
    pub groups: u32,
    /// Groups it collides with.
    pub collides_with: u32,
    /// Never moves by contact: pairs of such bodies are skipped.
    pub fixed: bool,
}

impl Default for Filter {
    /// In every group, collides with every group, moves.
    fn default() -> Self {
        Self {
            groups: u32::MAX,
            collides_with: u32::MAX,
            fixed: false,
        }
    }
}

impl Filter {
    /// Whether the two may touch.
    #[must_use]
    pub fn admits(&self, other: &Self) -> bool {
        !(self.fixed && other.fixed) && self.groups & other.collides_with != 0 && other.groups & self.collides_with != 0
    }
}

/// Finds pairs of bodies whose bounds meet.
#[derive(Debug, Clone, Default)]
pub struct BroadPhase {
    /// Bodies with an end, by their low ends along the axis.
    order: Vec<usize>,
    /// Bodies without.
    endless: Vec<usize>,
    axis: usize,
    /// Bounds and bodies in that order, side by side in memory.
    sorted: Vec<(Bounds, usize)>,
    pairs: Vec<(usize, usize)>,
    /// Room to sort them.
    unsorted: Vec<(usize, usize)>,
    ends: Vec<usize>,
}

impl BroadPhase {
    /// Empty.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Pairs (i, j), i < j, whose bounds meet and whose filters admit it, sorted. Inflate the bounds by half the margin or more before.
    ///
    /// `bounds` and `filters` have one entry a body; entries beyond the shorter are ignored.
    pub fn pairs(&mut self, bounds: &[Bounds], filters: &[Filter]) -> &[(usize, usize)] {
        let count = bounds.len().min(filters.len());
        self.arrange(&bounds[..count]);
        self.sorted.clear();
        self.sorted.extend(self.order.iter().map(|&i| (bounds[i], i)));
        self.pairs.clear();
        let axis = self.axis;
        for (k, (box_i, i)) in self.sorted.iter().enumerate() {
            let end = box_i.high[axis];
            for (box_j, j) in &self.sorted[k + 1..] {
                if box_j.low[axis] > end {
                    break;
                }
                if box_i.meets(box_j) && filters[*i].admits(&filters[*j]) {
                    self.pairs.push((*i.min(j), *i.max(j)));
                }
            }
        }
        for (k, &i) in self.endless.iter().enumerate() {
            for &j in self.order.iter().chain(&self.endless[k + 1..]) {
                if bounds[i].meets(&bounds[j]) && filters[i].admits(&filters[j]) {
                    self.pairs.push((i.min(j), i.max(j)));
                }
            }
        }
        self.sort_pairs(count);
        &self.pairs
    }

    /// Counts the pairs of each first body, puts them in place, and sorts the few of one body among themselves.
    fn sort_pairs(&mut self, count: usize) {
        self.ends.clear();
        self.ends.resize(count + 1, 0);
        for &(i, _) in &self.pairs {
            self.ends[i + 1] += 1;
        }
        for i in 0..count {
            self.ends[i + 1] += self.ends[i];
        }
        self.unsorted.clear();
        self.unsorted.extend_from_slice(&self.pairs);
        for &(i, j) in &self.unsorted {
            self.pairs[self.ends[i]] = (i, j);
            self.ends[i] += 1;
        }
        let mut start = 0;
        for &end in &self.ends[..count] {
            self.pairs[start..end].sort_unstable();
            start = end;
        }
    }

    /// Brings the order up to date.
    fn arrange(&mut self, bounds: &[Bounds]) {
        let ends = |i: usize| bounds[i].low.iter().chain(bounds[i].high.iter()).all(|x| x.is_finite());
        let known = self.order.len() + self.endless.len();
        let stale =
            known != bounds.len() || self.order.iter().any(|&i| !ends(i)) || self.endless.iter().any(|&i| ends(i));
        let axis = widest(bounds);
        if stale {
            self.order.clear();
            self.order.extend((0..bounds.len()).filter(|&i| ends(i)));
            self.endless.clear();
            self.endless.extend((0..bounds.len()).filter(|&i| !ends(i)));
        }
        if stale || axis != self.axis {
            self.axis = axis;
            self.order
                .sort_unstable_by(|&i, &j| bounds[i].low[axis].total_cmp(&bounds[j].low[axis]).then(i.cmp(&j)));
            return;
        }
        for k in 1..self.order.len() {
            let i = self.order[k];
            let low = bounds[i].low[axis];
            let mut to = k;
            while to > 0 && bounds[self.order[to - 1]].low[axis] > low {
                self.order[to] = self.order[to - 1];
                to -= 1;
            }
            self.order[to] = i;
        }
    }
}

/// The axis along which the finite bounds' centres vary most.
fn widest(bounds: &[Bounds]) -> usize {
    let (mut sum, mut squares, mut count) = (crate::Vec3::zeros(), crate::Vec3::zeros(), 0.0);
    for b in bounds {
        let middle = (b.low + b.high) / 2.0;
        if middle.iter().all(|x| x.is_finite()) {
            sum += middle;
            squares += middle.component_mul(&middle);
            count += 1.0;
        }
    }
    if count == 0.0 {
        return 0;
    }
    (squares - sum.component_mul(&sum) / count).imax()
}
