//! The problem as the pivoting methods see it: contacts and joints in an order of small bandwidth, columns scaled to unit normals.
//!
//! Scaling: with s_i = 1/|n_i| the path works on s_i C_i, so that θ/s_i and s_i ν are of one size for light and heavy bodies and one
//! relative pivot tolerance serves both. μ is not changed by it.

use std::ops::Range;

use crate::cone::{Circle, finite_mu};
use crate::joint_span::JointSpan;
use crate::problem::{ContactProblem, Touch, is_open, length, sparse_terms};
use crate::stamp::Stamp;

/// A contact, or one row of a joint.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    /// Index of the contact or of the joint row in the problem.
    pub(crate) index: usize,
    pub(crate) is_joint: bool,
    pub(crate) touches: Range<usize>,
    /// First entry of the scaled columns; each has `len` entries: normal, two tangents (a joint: its row alone).
    pub(crate) start: usize,
    pub(crate) len: usize,
    /// s_i: impulses of the problem are s_i times ours, our velocities s_i times the problem's.
    pub(crate) scale: f64,
    pub(crate) mu: f64,
    /// Dynamic friction along the tangents per normal impulse; μ is then 0, since there is none beside it.
    pub(crate) drag: [f64; 2],
    /// Scaled bias.
    pub(crate) bias: [f64; 3],
    pub(crate) planar: bool,
    /// Last item that shares a block with this one.
    pub(crate) reach: usize,
    /// Blocks touched where they are at most two of six coordinates each: the case that products are tuned for.
    spatial: Option<Spatial>,
}

impl Item {
    /// Unit of φ and γ in comparisons: with large friction they are that much larger than θ.
    #[inline]
    pub(crate) fn unit(&self) -> f64 {
        self.mu.max(1.0)
    }
}

/// One or two spatial bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Spatial {
    /// Blocks; a missing second one is [`NONE`].
    blocks: [usize; 2],
    /// Their first coordinates in a velocity.
    at: [usize; 2],
}

/// Stands for no block.
const NONE: usize = usize::MAX;

/// Items in order, with their scaled columns.
#[derive(Debug, Clone, Default)]
pub(crate) struct Columns {
    pub(crate) items: Vec<Item>,
    pub(crate) touches: Vec<Touch>,
    pub(crate) values: Vec<f64>,
    pub(crate) k_x: Vec<f64>,
    pub(crate) circle: Circle,
    /// Where all items touch one and the same block: their normals coordinate by coordinate, so that the velocities of all contacts
    /// are sums of long vectors. Empty otherwise.
    by_coordinate: Vec<f64>,
    order: Order,
    /// The problem that the items are of, and whether its contacts with slip are dynamic.
    stamp: Option<Stamp>,
    dynamic: bool,
    /// Which joint rows are independent.
    joints: JointSpan,
}

impl Columns {
    /// Takes over a problem. Joint rows that depend on earlier ones are left out: their impulse is zero. With `dynamic`, contacts with
    /// slip have the friction that it gives.
    pub(crate) fn set(&mut self, problem: &ContactProblem, d: usize, dynamic: bool) {
        self.circle.set(d);
        if self.dynamic == dynamic && self.stamp.is_some_and(|stamp| stamp.is(problem.stamp())) {
            self.k_x.copy_from_slice(problem.k_x());
            return;
        }
        self.stamp = Some(problem.stamp());
        self.dynamic = dynamic;
        self.items.clear();
        self.touches.clear();
        self.values.clear();
        self.k_x.clear();
        self.k_x.extend_from_slice(problem.k_x());
        let n = problem.contact_count();
        self.order.set(problem);
        let order = std::mem::take(&mut self.order.items);
        if problem.joint_count() > 0 {
            self.joints.set(problem);
        }
        for (_, _, index) in &order {
            match index.checked_sub(n) {
                None => self.add_contact(problem, *index),
                Some(joint) => self.add_joint(problem, joint),
            }
        }
        self.order.items = order;
        self.find_reach(problem.block_count());
        self.by_coordinate.clear();
        if problem.block_count() == 1 {
            self.transpose();
        }
    }

    fn transpose(&mut self) {
        for k in 0..self.k_x.len() {
            let entries = self.items.iter().map(|item| self.values[item.start + k]);
            self.by_coordinate.extend(entries);
        }
    }

    /// Begins a part of a problem of one block: no items yet.
    pub(crate) fn begin_part(&mut self, whole: &Self) {
        self.circle.set(whole.circle.count());
        self.stamp = None;
        self.items.clear();
        self.touches.clear();
        self.values.clear();
        self.k_x.clear();
        self.k_x.extend_from_slice(&whole.k_x);
    }

    /// Takes over a contact of the whole.
    pub(crate) fn take(&mut self, whole: &Self, i: usize) {
        let item = &whole.items[i];
        let start = self.values.len();
        self.values
            .extend_from_slice(&whole.values[item.start..item.start + 3 * item.len]);
        let taken = Item { start, ..item.clone() };
        self.push(whole.touches(i), taken);
    }

    /// To be called when items were taken.
    pub(crate) fn end_part(&mut self) {
        let last = self.items.len().saturating_sub(1);
        for item in &mut self.items {
            item.reach = last;
        }
        self.by_coordinate.clear();
        self.transpose();
    }

    /// Velocities along the normals of all items, bias included where wanted.
    pub(crate) fn along_normals(&self, v: &[f64], with_bias: bool, nu: &mut [f64]) {
        if self.by_coordinate.is_empty() {
            for (i, nu) in nu.iter_mut().enumerate() {
                let item = &self.items[i];
                *nu = self.dot(i, &self.values[item.start..item.start + item.len], v);
            }
        } else {
            nu.fill(0.0);
            for (row, v) in self.by_coordinate.chunks_exact(self.items.len().max(1)).zip(v) {
                for (nu, n) in nu.iter_mut().zip(row) {
                    *nu += n * v;
                }
            }
        }
        if with_bias {
            for (nu, item) in nu.iter_mut().zip(&self.items) {
                *nu += item.bias[0];
            }
        }
    }

    fn add_contact(&mut self, problem: &ContactProblem, index: usize) {
        let columns = problem.columns(index);
        let drag = if self.dynamic { problem.drag(index) } else { None };
        let mu = if drag.is_some() {
            0.0
        } else {
            finite_mu(problem.mu(index))
        };
        let scale = 1.0 / length(columns.normal);
        let start = self.values.len();
        self.values.extend(columns.normal.iter().map(|x| scale * x));
        self.values.extend(columns.tangents[0].iter().map(|x| scale * x));
        self.values.extend(columns.tangents[1].iter().map(|x| scale * x));
        let item = Item {
            index,
            is_joint: false,
            touches: 0..0,
            start,
            len: columns.normal.len(),
            scale,
            mu,
            drag: drag.unwrap_or_default(),
            bias: problem.bias(index).map(|x| scale * x),
            planar: problem.is_planar(index),
            reach: 0,
            spatial: spatial(columns.touches),
        };
        self.push(columns.touches, item);
    }

    fn add_joint(&mut self, problem: &ContactProblem, joint: usize) {
        let (touches, column) = problem.joint(joint);
        let size = length(column);
        if !self.joints.keeps(joint) {
            return;
        }
        let scale = 1.0 / size;
        let start = self.values.len();
        self.values.extend(column.iter().map(|x| scale * x));
        let item = Item {
            index: joint,
            is_joint: true,
            touches: 0..0,
            start,
            len: column.len(),
            scale,
            mu: 0.0,
            drag: [0.0; 2],
            bias: [scale * problem.joint_bias(joint), 0.0, 0.0],
            planar: true,
            reach: 0,
            spatial: spatial(touches),
        };
        self.push(touches, item);
    }

    fn push(&mut self, touches: &[Touch], mut item: Item) {
        let first = self.touches.len();
        self.touches.extend_from_slice(touches);
        item.touches = first..self.touches.len();
        self.items.push(item);
    }

    fn find_reach(&mut self, blocks: usize) {
        let last = &mut self.order.last;
        last.clear();
        last.resize(blocks, 0);
        for (i, item) in self.items.iter().enumerate() {
            for t in &self.touches[item.touches.clone()] {
                last[t.block] = i;
            }
        }
        for item in &mut self.items {
            let touches = &self.touches[item.touches.clone()];
            item.reach = touches.iter().map(|t| last[t.block]).max().unwrap_or(0);
        }
    }

    /// Blocks that an item touches.
    #[inline]
    pub(crate) fn touches(&self, i: usize) -> &[Touch] {
        &self.touches[self.items[i].touches.clone()]
    }

    /// Number of friction directions of an item: d, or 2 where it is planar.
    #[inline]
    pub(crate) fn direction_count(&self, i: usize) -> usize {
        if self.items[i].planar { 2 } else { self.circle.count() }
    }

    /// Directions of an item along its tangents.
    #[inline]
    pub(crate) fn directions(&self, i: usize) -> &[[f64; 2]] {
        const LINE: [[f64; 2]; 2] = [[1.0, 0.0], [-1.0, 0.0]];
        if self.items[i].planar {
            &LINE
        } else {
            self.circle.directions()
        }
    }

    /// Direction j of an item along its tangents.
    #[inline]
    pub(crate) fn direction(&self, i: usize, j: usize) -> [f64; 2] {
        self.directions(i)[j]
    }

    /// Velocity along an item's normal (a joint: along its row), without bias.
    #[inline]
    pub(crate) fn along_normal(&self, i: usize, v: &[f64]) -> f64 {
        let item = &self.items[i];
        let column = &self.values[item.start..item.start + item.len];
        self.dot(i, column, v)
    }

    /// Whether an item is a contact that comes apart at the velocity along its normal that it has without impulses.
    pub(crate) fn comes_apart(&self, i: usize, nu: f64) -> bool {
        let item = &self.items[i];
        let column = &self.values[item.start..item.start + item.len];
        !item.is_joint && is_open(nu, item.bias[0], || sparse_terms(self.touches(i), column, &self.k_x))
    }

    /// Velocity along an item's tangents, without bias.
    #[inline]
    pub(crate) fn along_tangents(&self, i: usize, v: &[f64]) -> [f64; 2] {
        let item = &self.items[i];
        let (x, y) = self.values[item.start + item.len..item.start + 3 * item.len].split_at(item.len);
        [self.dot(i, x, v), self.dot(i, y, v)]
    }

    /// Product of a compressed column of item i with a velocity.
    #[inline]
    pub(crate) fn dot(&self, i: usize, column: &[f64], v: &[f64]) -> f64 {
        let Some(Spatial { blocks, at }) = self.items[i].spatial else {
            return crate::problem::sparse_dot(self.touches(i), column, v);
        };
        let first = dot6_at(column, 0, v, at[0]);
        if blocks[1] == NONE {
            return first;
        }
        first + dot6_at(column, 6, v, at[1])
    }

    /// Appends the combination p of an item's columns, compressed over its touches.
    #[inline]
    pub(crate) fn combine(&self, i: usize, p: [f64; 3], out: &mut Vec<f64>) {
        let item = &self.items[i];
        let (len, column) = (item.len, &self.values[item.start..]);
        if p[1] == 0.0 && p[2] == 0.0 {
            out.extend(column[..len].iter().map(|n| p[0] * n));
            return;
        }
        let entries = column[..len]
            .iter()
            .zip(&column[len..2 * len])
            .zip(&column[2 * len..3 * len]);
        out.extend(entries.map(|((n, x), y)| p[0] * n + p[1] * x + p[2] * y));
    }

    /// Where all items touch one block of six coordinates.
    pub(crate) fn is_single_body(&self) -> bool {
        !self.by_coordinate.is_empty() && self.k_x.len() == 6
    }

    /// v += column combination p of an item.
    #[inline]
    pub(crate) fn push_impulse(&self, i: usize, p: [f64; 3], v: &mut [f64]) {
        let item = &self.items[i];
        let len = item.len;
        let column = &self.values[item.start..];
        if let (Some(Spatial { blocks, at }), false) = (item.spatial, item.is_joint) {
            push6(column, len, 0, p, &mut v[at[0]..at[0] + 6]);
            if blocks[1] != NONE {
                push6(column, len, 6, p, &mut v[at[1]..at[1] + 6]);
            }
            return;
        }
        for t in self.touches(i) {
            let v = &mut v[t.at..t.at + t.len];
            let n = &column[t.start..t.start + t.len];
            if item.is_joint {
                for k in 0..t.len {
                    v[k] += p[0] * n[k];
                }
                continue;
            }
            let tx = &column[len + t.start..len + t.start + t.len];
            let ty = &column[2 * len + t.start..2 * len + t.start + t.len];
            for k in 0..t.len {
                v[k] += p[0] * n[k] + p[1] * tx[k] + p[2] * ty[k];
            }
        }
    }

    /// Product of two compressed columns of items a and b.
    #[inline]
    pub(crate) fn product(&self, a: usize, x: &[f64], b: usize, y: &[f64]) -> f64 {
        if let (Some(a), Some(b)) = (self.items[a].spatial, self.items[b].spatial) {
            let ([a0, a1], [b0, b1]) = (a.blocks, b.blocks);
            let mut sum = 0.0;
            if a0 == b0 {
                sum += dot6_at(x, 0, y, 0);
            } else if a0 == b1 {
                sum += dot6_at(x, 0, y, 6);
            }
            if a1 != NONE {
                if a1 == b0 {
                    sum += dot6_at(x, 6, y, 0);
                } else if a1 == b1 {
                    sum += dot6_at(x, 6, y, 6);
                }
            }
            return sum;
        }
        let mut sum = 0.0;
        for s in self.touches(a) {
            for t in self.touches(b) {
                if s.block == t.block {
                    let (x, y) = (&x[s.start..s.start + s.len], &y[t.start..t.start + s.len]);
                    for k in 0..s.len {
                        sum += x[k] * y[k];
                    }
                }
            }
        }
        sum
    }
}

fn spatial(touches: &[Touch]) -> Option<Spatial> {
    let fits = touches.iter().all(|t| t.len == 6);
    match touches {
        [a] if fits => Some(Spatial {
            blocks: [a.block, NONE],
            at: [a.at, 0],
        }),
        [a, b] if fits => Some(Spatial {
            blocks: [a.block, b.block],
            at: [a.at, b.at],
        }),
        _ => None,
    }
}

/// v += the part from `start` of three columns of length `len`, combined by p.
#[inline]
fn push6(columns: &[f64], len: usize, start: usize, p: [f64; 3], v: &mut [f64]) {
    let (n, tx, ty) = (
        &columns[start..start + 6],
        &columns[len + start..len + start + 6],
        &columns[2 * len + start..2 * len + start + 6],
    );
    for k in 0..6 {
        v[k] += p[0] * n[k] + p[1] * tx[k] + p[2] * ty[k];
    }
}

#[inline]
fn dot6_at(x: &[f64], i: usize, y: &[f64], j: usize) -> f64 {
    match (<&[f64; 6]>::try_from(&x[i..i + 6]), <&[f64; 6]>::try_from(&y[j..j + 6])) {
        (Ok(x), Ok(y)) => dot6(x, y),
        _ => 0.0,
    }
}

#[inline]
pub(crate) fn dot6(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    let mut sum = 0.0;
    for k in 0..6 {
        sum += a[k] * b[k];
    }
    sum
}

/// Order of the items: blocks numbered by breadth-first search from an end of the graph (Cuthill–McKee), items by their blocks.
#[derive(Debug, Clone, Default)]
struct Order {
    /// (least block rank, greatest block rank, contact index or n + joint index).
    items: Vec<(usize, usize, usize)>,
    rank: Vec<usize>,
    queue: Vec<usize>,
    /// Neighbours of all blocks, as pairs sorted by block.
    edges: Vec<(usize, usize)>,
    last: Vec<usize>,
}

impl Order {
    fn set(&mut self, problem: &ContactProblem) {
        let n = problem.contact_count();
        self.items.clear();
        if problem.block_count() <= 1 {
            self.items.extend((0..n + problem.joint_count()).map(|i| (0, 0, i)));
            return;
        }
        self.rank_blocks(problem);
        for i in 0..n + problem.joint_count() {
            let touches = touches_of(problem, n, i);
            let ranks = touches.iter().map(|t| self.rank[t.block]);
            let (low, high) = ranks.fold((usize::MAX, 0), |(low, high), r| (low.min(r), high.max(r)));
            self.items.push((low, high, i));
        }
        self.items.sort_unstable();
    }

    fn rank_blocks(&mut self, problem: &ContactProblem) {
        let n = problem.contact_count();
        self.edges.clear();
        for i in 0..n + problem.joint_count() {
            let touches = touches_of(problem, n, i);
            for a in touches {
                for b in touches {
                    if a.block != b.block {
                        self.edges.push((a.block, b.block));
                    }
                }
            }
        }
        self.edges.sort_unstable();
        self.edges.dedup();
        let blocks = problem.block_count();
        self.rank.clear();
        self.rank.resize(blocks, usize::MAX);
        self.queue.clear();
        for seed in 0..blocks {
            if self.rank[seed] != usize::MAX {
                continue;
            }
            // The last block of one search is a far end: start the numbering there.
            let from = self.queue.len();
            self.search(seed, from);
            let end = self.queue[self.queue.len() - 1];
            for k in from..self.queue.len() {
                self.rank[self.queue[k]] = usize::MAX;
            }
            self.queue.truncate(from);
            self.search(end, from);
        }
    }

    /// Breadth-first search: ranks every block reached from `seed`.
    fn search(&mut self, seed: usize, from: usize) {
        self.rank[seed] = from;
        self.queue.push(seed);
        let mut next = from;
        while next < self.queue.len() {
            let block = self.queue[next];
            next += 1;
            let first = self.edges.partition_point(|(a, _)| *a < block);
            for k in first..self.edges.len() {
                let (a, b) = self.edges[k];
                if a != block {
                    break;
                }
                if self.rank[b] == usize::MAX {
                    self.rank[b] = self.queue.len();
                    self.queue.push(b);
                }
            }
        }
    }
}

fn touches_of(problem: &ContactProblem, n: usize, i: usize) -> &[Touch] {
    if i < n {
        problem.columns(i).touches
    } else {
        problem.joint(i - n).0
    }
}
