//! How far penetration correction may move bodies: by island, so that other islands do not matter.

use stiction_contact::sets::Sets;

/// Largest ratio of a displacement to the overlap that is corrected in its island: wedged bodies separate only by a long displacement, along which
/// the contacts at its start mean nothing.
const MAX_LEVER: f64 = 100.0;

/// Islands of the blocks of a penetration correction: the overlap corrected in each, and how far its bodies would move \[m\].
#[derive(Debug, Clone, Default)]
pub(crate) struct Levers {
    sets: Sets,
    corrections: Vec<f64>,
    farthest: Vec<f64>,
}

impl Levers {
    /// Begins with every block for itself.
    pub(crate) fn reset(&mut self, blocks: usize) {
        self.sets.reset(blocks);
        for list in [&mut self.corrections, &mut self.farthest] {
            list.clear();
            list.resize(blocks, 0.0);
        }
    }

    /// Joins the blocks of a contact or joint, which corrects some overlap.
    pub(crate) fn add(&mut self, blocks: [Option<usize>; 2], correction: f64) {
        let roots = blocks.map(|block| block.map(|block| self.sets.root(block)));
        let leader = match roots {
            [Some(a), Some(b)] if a != b => {
                // The smaller leads, whatever the order.
                let (first, second) = (a.min(b), a.max(b));
                self.sets.join(first, second);
                self.corrections[first] += self.corrections[second];
                first
            }
            [Some(a), _] | [None, Some(a)] => a,
            [None, None] => return,
        };
        self.corrections[leader] += correction;
    }

    /// The block that leads the island of a block.
    pub(crate) fn leader(&mut self, block: usize) -> usize {
        self.sets.root(block)
    }

    /// A block would move so far, once all are joined.
    pub(crate) fn move_by(&mut self, block: usize, far: f64) {
        let leader = self.sets.root(block);
        self.farthest[leader] = self.farthest[leader].max(far);
    }

    /// Which part of the displacement found a block makes: all, or as much as the lever allows. A part of a lawful displacement is lawful.
    pub(crate) fn share(&mut self, block: usize) -> f64 {
        let leader = self.sets.root(block);
        let most = MAX_LEVER * self.corrections[leader];
        if self.farthest[leader] > most {
            most / self.farthest[leader]
        } else {
            1.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn islands_have_levers_of_their_own() {
        let mut levers = Levers::default();
        levers.reset(5);
        levers.add([Some(3), Some(1)], 0.5);
        levers.add([Some(3), Some(4)], 0.25);
        levers.add([None, Some(2)], 1.0);
        levers.move_by(4, 150.0);
        levers.move_by(1, 10.0);
        levers.move_by(2, 99.0);
        assert_eq!([1, 3, 4].map(|block| levers.share(block)), [0.5; 3]);
        assert_eq!([0, 2].map(|block| levers.share(block)), [1.0; 2]);
    }
}
