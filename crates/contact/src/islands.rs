//! Islands: parts of a problem that share no block, solved one by one.
//!
//! Union–find over the blocks that contacts, joints and the sides of nonconvex groups touch, O(n). Contacts that stay open in the free motion do not join
//! their bodies; those that then lie between two islands belong to none. Islands are ordered by their smallest block, and their lists are
//! ascending, so that the order of a problem's contacts does not change which island comes first. Blocks that nothing touches belong
//! to no island. Joint rows that touch no block form one island without blocks, after the others.

use crate::problem::{ContactProblem, Touch};
use crate::sets::Sets;

/// The islands of a problem.
#[derive(Debug, Clone, Default)]
pub(crate) struct Islands {
    sets: Sets,
    /// Island of each block; `NONE` where nothing touches it.
    of_block: Vec<usize>,
    count: usize,
    blocks: Lists,
    contacts: Lists,
    joints: Lists,
    /// Contacts between two islands, or beside a body that belongs to none.
    apart: Vec<usize>,
    /// By island: whether it is beside such a contact.
    beside: Vec<bool>,
}

const NONE: usize = usize::MAX;

/// Lists of all islands, one after the other.
#[derive(Debug, Clone, Default)]
struct Lists {
    start: Vec<usize>,
    items: Vec<usize>,
}

impl Lists {
    /// Sorts items 0, 1, … into the islands that `island` names; items without one are skipped.
    fn fill(&mut self, islands: usize, items: usize, island: impl Fn(usize) -> usize) {
        self.start.clear();
        self.start.resize(islands + 1, 0);
        for item in 0..items {
            let at = island(item);
            if at != NONE {
                self.start[at + 1] += 1;
            }
        }
        for at in 0..islands {
            self.start[at + 1] += self.start[at];
        }
        self.items.clear();
        self.items.resize(self.start[islands], 0);
        for item in 0..items {
            let at = island(item);
            if at != NONE {
                self.items[self.start[at]] = item;
                self.start[at] += 1;
            }
        }
        // Each start has moved to the next one.
        for at in (1..=islands).rev() {
            self.start[at] = self.start[at - 1];
        }
        self.start[0] = 0;
    }

    fn of(&self, island: usize) -> &[usize] {
        &self.items[self.start[island]..self.start[island + 1]]
    }
}

impl Islands {
    /// Splits a problem where the contacts that `joins` names join their bodies. Does not allocate when it has split one as large.
    pub(crate) fn split(&mut self, problem: &ContactProblem, joins: impl Fn(usize) -> bool) {
        let (n, joints) = (problem.contact_count(), problem.joint_count());
        self.sets.reset(problem.block_count());
        self.of_block.clear();
        self.of_block.resize(problem.block_count(), NONE);
        for i in (0..n).filter(|i| joins(*i)) {
            self.join(problem.columns_tilde(i).touches);
        }
        for k in 0..joints {
            self.join(problem.joint_tilde(k).0);
        }
        for group in 0..problem.group_count() {
            self.join_group(problem, group);
        }
        self.number();
        let loose = (0..joints).any(|k| problem.joint_tilde(k).0.is_empty());
        let last = self.count;
        self.count += usize::from(loose);
        let of_block = &self.of_block;
        let island = |touches: &[Touch]| {
            let first = touches.first().map_or(last, |t| of_block[t.block]);
            let is_one = touches.iter().all(|t| of_block[t.block] == first);
            if is_one { first } else { NONE }
        };
        let of_contact = |i: usize| island(problem.columns_tilde(i).touches);
        self.apart.clear();
        self.apart.extend((0..n).filter(|i| of_contact(*i) == NONE));
        self.beside.clear();
        self.beside.resize(self.count, false);
        for i in &self.apart {
            for t in problem.columns_tilde(*i).touches {
                if let Some(beside) = self.beside.get_mut(of_block[t.block]) {
                    *beside = true;
                }
            }
        }
        self.blocks.fill(self.count, of_block.len(), |b| of_block[b]);
        self.contacts.fill(self.count, n, of_contact);
        self.joints
            .fill(self.count, joints, |k| island(problem.joint_tilde(k).0));
    }

    /// Puts all touched blocks into one set.
    fn join(&mut self, touches: &[Touch]) {
        for t in touches {
            // Any number but NONE: the block is touched.
            self.of_block[t.block] = 0;
        }
        self.sets.join_touched(touches);
    }

    /// Puts all blocks that the sides of a group touch into one set: whether a side pushes depends on the others.
    fn join_group(&mut self, problem: &ContactProblem, group: usize) {
        let contacts = problem.contacts_of_group(group);
        let block_of = |contact: usize| problem.columns_tilde(contact).touches.first().map(|t| t.block);
        for pair in contacts.windows(2) {
            if let (Some(a), Some(b)) = (block_of(pair[0]), block_of(pair[1])) {
                self.sets.join(a, b);
            }
        }
    }

    /// Numbers the sets by their roots, which come first among their blocks.
    fn number(&mut self) {
        self.count = 0;
        for block in 0..self.sets.len() {
            if self.of_block[block] == NONE {
                continue;
            }
            let root = self.sets.root(block);
            if root == block {
                self.of_block[block] = self.count;
                self.count += 1;
            } else {
                self.of_block[block] = self.of_block[root];
            }
        }
    }

    /// Number of islands.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The island of a block; none where nothing touches it.
    pub(crate) fn of(&self, block: usize) -> Option<usize> {
        Some(self.of_block[block]).filter(|island| *island != NONE)
    }

    /// Whether a contact that belongs to no island touches a body of an island.
    pub(crate) fn is_beside(&self, island: usize) -> bool {
        self.beside[island]
    }

    /// Blocks of an island, ascending.
    pub(crate) fn blocks(&self, island: usize) -> &[usize] {
        self.blocks.of(island)
    }

    /// Contacts of an island, ascending.
    pub(crate) fn contacts(&self, island: usize) -> &[usize] {
        self.contacts.of(island)
    }

    /// Contacts that belong to no island, ascending.
    pub(crate) fn apart(&self) -> &[usize] {
        &self.apart
    }

    /// Joint rows of an island, ascending.
    pub(crate) fn joints(&self, island: usize) -> &[usize] {
        self.joints.of(island)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn islands_are_numbered_by_their_smallest_block() {
        let mut problem = ContactProblem::new();
        for _ in 0..7 {
            problem.add_block(&[1.0], &[0.0]).unwrap();
        }
        let row: [&[f64]; 3] = [&[1.0], &[0.0], &[0.0]];
        problem.add_contact(&[(5, row), (3, row)], 0.5).unwrap();
        problem.add_contact(&[(1, row)], 0.5).unwrap();
        problem.add_contact(&[(6, row), (1, row)], 0.5).unwrap();
        problem.add_contact(&[(3, row)], 0.5).unwrap();
        problem.add_joint(&[(2, &[1.0]), (5, &[1.0])], 0.0).unwrap();
        problem.add_joint(&[(4, &[1.0])], 0.0).unwrap();
        let mut islands = Islands::default();
        for _ in 0..2 {
            islands.split(&problem, |_| true);
            assert_eq!(islands.count(), 3);
            let found: Vec<_> = (0..3)
                .map(|i| (islands.blocks(i), islands.contacts(i), islands.joints(i)))
                .collect();
            let expected: [(&[usize], &[usize], &[usize]); 3] =
                [(&[1, 6], &[1, 2], &[]), (&[2, 3, 5], &[0, 3], &[0]), (&[4], &[], &[1])];
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn sides_of_a_group_are_one_island() {
        let mut problem = ContactProblem::new();
        let row: [&[f64]; 3] = [&[1.0], &[0.0], &[0.0]];
        for block in 0..4 {
            problem.add_block(&[1.0], &[0.0]).unwrap();
            problem.add_contact(&[(block, row)], 0.5).unwrap();
        }
        problem.add_group(&[&[3], &[1]]).unwrap();
        let mut islands = Islands::default();
        islands.split(&problem, |_| true);
        let found: Vec<_> = (0..islands.count()).map(|i| islands.contacts(i)).collect();
        assert_eq!(found, [&[0][..], &[1, 3], &[2]]);
    }

    #[test]
    fn joints_without_blocks_are_an_island_of_their_own() {
        let mut problem = ContactProblem::new();
        problem.add_block(&[1.0], &[0.0]).unwrap();
        problem.add_joint(&[], 0.0).unwrap();
        let mut islands = Islands::default();
        islands.split(&problem, |_| true);
        assert_eq!((islands.count(), islands.joints(0)), (1, &[0][..]));
        islands.split(&ContactProblem::new(), |_| true);
        assert_eq!(islands.count(), 0);
    }

    #[test]
    fn contacts_that_stay_open_do_not_join() {
        let mut problem = ContactProblem::new();
        let row: [&[f64]; 3] = [&[1.0], &[0.0], &[0.0]];
        for _ in 0..4 {
            problem.add_block(&[1.0], &[0.0]).unwrap();
        }
        for parts in [
            &[(0, row)][..],
            &[(1, row)],
            &[(0, row), (1, row)],
            &[(1, row), (2, row)],
        ] {
            problem.add_contact(parts, 0.5).unwrap();
        }
        problem.add_contact(&[(1, row), (3, row)], 0.5).unwrap();
        let mut islands = Islands::default();
        islands.split(&problem, |i| i != 2 && i != 4);
        // Both islands are beside the contact between them.
        assert_eq!([0, 1].map(|island| islands.is_beside(island)), [true, true]);
        assert_eq!([islands.of(0), islands.of(2), islands.of(3)], [Some(0), Some(1), None]);
        let found: Vec<_> = (0..islands.count()).map(|i| islands.contacts(i)).collect();
        assert_eq!(found, [&[0][..], &[1, 3]]);
        assert_eq!(islands.apart(), [2, 4]);
    }
}
