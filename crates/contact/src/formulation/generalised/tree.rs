//! Blocks and joints as trees: which block hangs from which, the root first.

use std::ops::Range;

use crate::problem::ContactProblem;

/// Blocks of more coordinates cannot be linked.
pub(super) const SIX: usize = 6;

/// A block, what it hangs from, and the firm joint rows between the two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Branch {
    pub(super) block: usize,
    /// Place of the block that it hangs from; none for a root, whether free or tied to the ground.
    pub(super) parent: Option<usize>,
    pub(super) rows: Range<usize>,
    /// Number of its tree.
    pub(super) tree: usize,
}

/// Rows between the same two blocks, or a block and the ground.
#[derive(Debug, Clone)]
struct Edge {
    blocks: [Option<usize>; 2],
    rows: Range<usize>,
}

/// The trees of a problem.
#[derive(Debug, Clone, Default)]
pub(super) struct Trees {
    /// Parents before their children, one tree after the other.
    pub(super) branches: Vec<Branch>,
    pub(super) count: usize,
    edges: Vec<Edge>,
    /// Edges of each block: `at_block[first[b]..first[b + 1]]`.
    first: Vec<usize>,
    at_block: Vec<usize>,
    seen: Vec<bool>,
    roots: Vec<usize>,
}

impl Trees {
    /// Finds the trees. `false` where joints form loops, or rows touch more than two blocks or large ones.
    pub(super) fn set(&mut self, problem: &ContactProblem) -> bool {
        self.branches.clear();
        self.count = 0;
        if !self.find_edges(problem) {
            return false;
        }
        self.sort_edges(problem.block_count());
        self.seen.clear();
        self.seen.resize(problem.block_count(), false);
        // What is tied to the ground is a root; then that with the most joints, for short ways.
        for e in 0..self.edges.len() {
            let Edge { blocks, rows } = &self.edges[e];
            if let ([Some(block), None], rows) = (*blocks, rows.clone()) {
                if self.seen[block] {
                    return false;
                }
                self.grow(block, rows);
            }
        }
        let mut roots = std::mem::take(&mut self.roots);
        roots.clear();
        roots.extend(0..problem.block_count());
        roots.sort_unstable_by_key(|b| (usize::MAX - (self.first[b + 1] - self.first[*b]), *b));
        for block in &roots {
            if !self.seen[*block] {
                self.grow(*block, 0..0);
            }
        }
        self.roots = roots;
        // Each edge leads to one block, unless it closes a loop.
        self.branches.iter().filter(|b| !b.rows.is_empty()).count() == self.edges.len()
    }

    fn find_edges(&mut self, problem: &ContactProblem) -> bool {
        self.edges.clear();
        for k in (0..problem.joint_count()).filter(|k| !problem.yields(*k)) {
            let touches = problem.joint(k).0;
            let blocks = match touches {
                [a] => [Some(a.block), None],
                [a, b] => [Some(a.block), Some(b.block)],
                _ => return false,
            };
            if touches.iter().any(|t| t.len > SIX) {
                return false;
            }
            match self.edges.last_mut() {
                Some(edge) if edge.blocks == blocks && edge.rows.end == k => edge.rows.end = k + 1,
                _ => self.edges.push(Edge { blocks, rows: k..k + 1 }),
            }
        }
        true
    }

    fn sort_edges(&mut self, blocks: usize) {
        self.first.clear();
        self.first.resize(blocks + 1, 0);
        for edge in &self.edges {
            for block in edge.blocks.iter().flatten() {
                self.first[block + 1] += 1;
            }
        }
        for b in 0..blocks {
            self.first[b + 1] += self.first[b];
        }
        self.at_block.clear();
        self.at_block.resize(self.first[blocks], 0);
        for (e, edge) in self.edges.iter().enumerate().rev() {
            for block in edge.blocks.iter().flatten() {
                // Counted down to the place of the first, and up again below.
                self.first[block + 1] -= 1;
                self.at_block[self.first[block + 1]] = e;
            }
        }
        for b in 0..blocks {
            self.first[b] = self.first[b + 1];
        }
        self.first[blocks] = self.at_block.len();
    }

    /// Adds the tree of a root.
    fn grow(&mut self, root: usize, rows: Range<usize>) {
        let tree = self.count;
        self.count += 1;
        let mut next = self.branches.len();
        self.seen[root] = true;
        self.branches.push(Branch {
            block: root,
            parent: None,
            rows,
            tree,
        });
        while next < self.branches.len() {
            let block = self.branches[next].block;
            for e in self.first[block]..self.first[block + 1] {
                let Edge { blocks, rows } = &self.edges[self.at_block[e]];
                let other = blocks.iter().flatten().find(|b| **b != block);
                if let Some(other) = other.filter(|b| !self.seen[**b]) {
                    self.seen[*other] = true;
                    self.branches.push(Branch {
                        block: *other,
                        parent: Some(next),
                        rows: rows.clone(),
                        tree,
                    });
                }
            }
            next += 1;
        }
    }
}
