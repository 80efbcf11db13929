//! Disjoint sets of blocks, or of bodies, by union–find. The root of a set is its smallest block.

use crate::problem::Touch;

/// The sets, as the parent of each block.
#[derive(Debug, Clone, Default)]
pub struct Sets {
    parent: Vec<usize>,
}

impl Sets {
    /// Puts each of `count` blocks into a set of its own. Does not allocate when it has been as large before.
    pub fn reset(&mut self, count: usize) {
        self.parent.clear();
        self.parent.extend(0..count);
    }

    /// Number of blocks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    /// Whether there are no blocks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parent.is_empty()
    }

    /// Smallest block of the set that a block belongs to.
    pub fn root(&mut self, mut block: usize) -> usize {
        while self.parent[block] != block {
            self.parent[block] = self.parent[self.parent[block]];
            block = self.parent[block];
        }
        block
    }

    /// Makes one set of the sets of two blocks.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }

    /// Makes one set of all touched blocks.
    pub(crate) fn join_touched(&mut self, touches: &[Touch]) {
        for pair in touches.windows(2) {
            self.join(pair[0].block, pair[1].block);
        }
    }
}
