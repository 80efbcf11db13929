//! The problem's columns in blocks of six, so that every inner loop has a fixed length.

use super::blocks::{BlockLu, SIX, Vector, dot};
use crate::problem::{ContactProblem, Touch};
use crate::stamp::Stamp;

/// Columns of one contact (three) or joint row (one) over one block of six coordinates.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<const COLUMNS: usize> {
    pub(super) block: usize,
    pub(super) columns: [Vector; COLUMNS],
}

/// All contacts, or all joint rows: parts of row i are `parts[first[i]..first[i + 1]]`.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows<const COLUMNS: usize> {
    first: Vec<usize>,
    parts: Vec<Part<COLUMNS>>,
    /// Slots of all pairs of parts, row after row.
    slots: Vec<usize>,
    slot_first: Vec<usize>,
}

impl<const COLUMNS: usize> Rows<COLUMNS> {
    fn clear(&mut self) {
        self.first.clear();
        self.first.push(0);
        self.parts.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.first.len() - 1
    }

    #[inline]
    fn parts(&self, i: usize) -> &[Part<COLUMNS>] {
        &self.parts[self.first[i]..self.first[i + 1]]
    }

    fn push(&mut self, touches: &[Touch], columns: [&[f64]; COLUMNS], chunk: &[usize]) {
        for t in touches {
            let mut done = 0;
            while done < t.len {
                let len = SIX.min(t.len - done);
                let mut part = Part {
                    block: chunk[t.block] + done / SIX,
                    columns: [[0.0; SIX]; COLUMNS],
                };
                for (to, from) in part.columns.iter_mut().zip(columns) {
                    let from = &from[t.start + done..t.start + done + len];
                    if let Ok(six) = <&Vector>::try_from(from) {
                        *to = *six;
                    } else {
                        to[..len].copy_from_slice(from);
                    }
                }
                // Columns touch few of the coordinates of a tree.
                if part.columns.iter().flatten().any(|x| *x != 0.0) {
                    self.parts.push(part);
                }
                done += len;
            }
        }
        self.first.push(self.parts.len());
    }

    /// Cᵀv of row i.
    #[allow(clippy::inline_always)] // A quarter of the time of a single body.
    #[inline(always)]
    pub(super) fn along(&self, i: usize, v: &[Vector]) -> [f64; COLUMNS] {
        let mut u = [0.0; COLUMNS];
        for part in self.parts(i) {
            let v = &v[part.block];
            for c in 0..COLUMNS {
                u[c] += dot(&part.columns[c], v);
            }
        }
        u
    }

    /// v += C p of row i.
    #[allow(clippy::inline_always)] // A quarter of the time of a single body.
    #[inline(always)]
    pub(super) fn push_to(&self, i: usize, p: [f64; COLUMNS], v: &mut [Vector]) {
        for part in self.parts(i) {
            let v = &mut v[part.block];
            for c in 0..COLUMNS {
                for k in 0..SIX {
                    v[k] += p[c] * part.columns[c][k];
                }
            }
        }
    }

    /// A += C D Cᵀ of row i.
    #[inline]
    pub(super) fn add_to(&self, i: usize, D: &[[f64; COLUMNS]; COLUMNS], lu: &mut BlockLu) {
        let parts = self.parts(i);
        let mut slot = self.slot_first[i];
        for a in parts {
            let mut left = [[0.0; SIX]; COLUMNS];
            for c in 0..COLUMNS {
                for d in 0..COLUMNS {
                    // Sticking contacts have a diagonal D, sliding ones a zero above.
                    if D[d][c] != 0.0 {
                        for k in 0..SIX {
                            left[c][k] += D[d][c] * a.columns[d][k];
                        }
                    }
                }
            }
            for b in parts {
                lu.add(self.slots[slot], &left, &b.columns);
                slot += 1;
            }
        }
    }

    /// v += |C| |p| of row i: sizes of the terms that `push_to` adds.
    pub(super) fn push_sizes_to(&self, i: usize, p: [f64; COLUMNS], v: &mut [Vector]) {
        for part in self.parts(i) {
            let v = &mut v[part.block];
            for c in 0..COLUMNS {
                for k in 0..SIX {
                    v[k] += (p[c] * part.columns[c][k]).abs();
                }
            }
        }
    }

    /// |C|ᵀv of row i for sizes v.
    pub(super) fn sizes_along(&self, i: usize, v: &[Vector]) -> [f64; COLUMNS] {
        let mut u = [0.0; COLUMNS];
        for part in self.parts(i) {
            for c in 0..COLUMNS {
                u[c] += dot(&part.columns[c].map(f64::abs), &v[part.block]);
            }
        }
        u
    }

    /// Squared lengths of the columns of row i.
    pub(super) fn squares(&self, i: usize) -> [f64; COLUMNS] {
        let mut s = [0.0; COLUMNS];
        for part in self.parts(i) {
            for c in 0..COLUMNS {
                s[c] += dot(&part.columns[c], &part.columns[c]);
            }
        }
        s
    }

    fn find_slots(&mut self, lu: &BlockLu) {
        self.slots.clear();
        self.slot_first.clear();
        for i in 0..self.len() {
            self.slot_first.push(self.slots.len());
            let range = self.first[i]..self.first[i + 1];
            for a in range.clone() {
                for b in range.clone() {
                    self.slots.push(lu.slot(self.parts[a].block, self.parts[b].block));
                }
            }
        }
    }
}

/// The packed problem and the pattern its factor was ordered for.
#[derive(Debug, Clone, Default)]
pub(super) struct Packed {
    pub(super) contacts: Rows<3>,
    pub(super) joints: Rows<1>,
    /// Velocity without contact, in blocks of six.
    pub(super) k_x: Vec<Vector>,
    /// First block of six of each mass block.
    chunk: Vec<usize>,
    pattern: Vec<usize>,
    ordered: Vec<usize>,
    /// The problem that was packed.
    stamp: Option<Stamp>,
}

impl Packed {
    /// Copies the problem; orders the factor anew where the pattern has changed. Returns whether anything but velocities is new.
    pub(super) fn load(&mut self, problem: &ContactProblem, lu: &mut BlockLu) -> bool {
        self.chunk.clear();
        self.k_x.clear();
        for block in 0..problem.block_count() {
            self.chunk.push(self.k_x.len());
            for piece in problem.k_x()[problem.block_range(block)].chunks(SIX) {
                let mut v = [0.0; SIX];
                v[..piece.len()].copy_from_slice(piece);
                self.k_x.push(v);
            }
        }
        if self.stamp.is_some_and(|stamp| stamp.is(problem.stamp())) {
            return false;
        }
        self.stamp = Some(problem.stamp());
        self.contacts.clear();
        for i in 0..problem.contact_count() {
            let c = problem.columns(i);
            self.contacts
                .push(c.touches, [c.normal, c.tangents[0], c.tangents[1]], &self.chunk);
        }
        self.joints.clear();
        for k in 0..problem.joint_count() {
            let (touches, column) = problem.joint(k);
            self.joints.push(touches, [column], &self.chunk);
        }
        self.order(lu);
        true
    }

    fn order(&mut self, lu: &mut BlockLu) {
        self.pattern.clear();
        self.pattern.push(self.k_x.len());
        let (contacts, joints) = (&self.contacts, &self.joints);
        // The points of a pair of bodies follow each other and couple the same blocks. usize::MAX ends a row: no block has that number.
        for i in (0..contacts.len()).filter(|i| *i == 0 || !is_same_pair(contacts.parts(i - 1), contacts.parts(*i))) {
            self.pattern.extend(contacts.parts(i).iter().map(|part| part.block));
            self.pattern.push(usize::MAX);
        }
        self.pattern.push(usize::MAX);
        for k in 0..joints.len() {
            self.pattern.extend(joints.parts(k).iter().map(|part| part.block));
            self.pattern.push(usize::MAX);
        }
        if self.pattern != self.ordered {
            self.ordered.clone_from(&self.pattern);
            lu.analyse(self.k_x.len(), |edge| {
                for i in 0..contacts.len() {
                    pairs(contacts.parts(i), edge);
                }
                for k in 0..joints.len() {
                    pairs(joints.parts(k), edge);
                }
            });
        }
        self.contacts.find_slots(lu);
        self.joints.find_slots(lu);
    }
}

/// Whether two rows couple the same blocks.
fn is_same_pair<const COLUMNS: usize>(a: &[Part<COLUMNS>], b: &[Part<COLUMNS>]) -> bool {
    a.iter().map(|part| part.block).eq(b.iter().map(|part| part.block))
}

fn pairs<const COLUMNS: usize>(parts: &[Part<COLUMNS>], edge: &mut dyn FnMut(usize, usize)) {
    for (k, a) in parts.iter().enumerate() {
        for b in &parts[..k] {
            edge(a.block, b.block);
        }
    }
}
