//! Branch and bound: one variable of each pair at zero, pair by pair, with a linear program at every node.
//!
//! A node has decided some pairs. Where its linear program has no solution, none of the cones below it holds q, and the node is a leaf; where the
//! solution is complementary, it is an answer; elsewhere a pair of two positive variables is decided both ways. An answer goes to the judge. When
//! all leaves are empty there is no answer: the contradictions of the leaves are then checked in exact rationals ([`crate::exact`]).
//!
//! The tree ends on every problem, after 2ⁿ leaves at worst. Its work is counted in pivots times n², never in time.

mod node;

use crate::dictionary::Dictionary;
use crate::exact::{Leaf, Pair};
use crate::pivoting::Data;
use node::{End, Gap, Node};

/// Pairs of which both children are looked at before one is branched on.
const PROBED_PAIRS: usize = 6;

/// How a search ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Search {
    /// The answer that was accepted.
    Found,
    /// Every leaf is empty to rounding. The leaves, and the basis of a feasible point before any pair was decided, if there is one.
    Empty {
        leaves: Vec<Leaf>,
        feasible: Option<(Vec<usize>, Vec<usize>)>,
    },
    /// The work was spent, or a node could not be decided.
    Open,
}

/// A node whose linear program is solved.
struct Solved {
    node: Node,
    end: End,
}

impl Solved {
    /// How much a decision has cost since `parent`: large where nothing is left.
    fn rise(&self, parent: &Node) -> f64 {
        // More than any decision costs that leaves something.
        const COST_OF_EMPTY: f64 = 1e12;
        let cost = |node: &Node| node.dictionary.value(node.dictionary.n());
        match self.end {
            End::Empty { .. } => COST_OF_EMPTY,
            _ => (cost(&self.node) - cost(parent)).clamp(1e-9, COST_OF_EMPTY),
        }
    }

    fn is_empty(&self) -> bool {
        matches!(self.end, End::Empty { .. })
    }
}

/// The two children of a node, the more promising one first.
struct Children {
    first: Solved,
    second: Solved,
    score: f64,
}

/// The tree of one problem.
pub(crate) struct Tree<'a, F> {
    data: Data<'a>,
    origin: Dictionary,
    /// Called with z, and the variables that may differ from zero, of each complementary point.
    accept: F,
    leaves: Vec<Leaf>,
    pub(crate) nodes: usize,
    pub(crate) pivots: usize,
    pivot_limit: usize,
    /// A node was given up although it may hold an answer.
    gave_up: bool,
}

impl<'a, F: FnMut(&mut Vec<f64>, &[usize]) -> bool> Tree<'a, F> {
    /// A tree whose pivots times n² are at most `work`.
    pub(crate) fn new(data: Data<'a>, work: u64, accept: F) -> Self {
        let square = (data.n() as u64).saturating_mul(data.n() as u64).max(1);
        Self {
            data,
            origin: Dictionary::restricted(data, &[]),
            accept,
            leaves: Vec::new(),
            nodes: 0,
            pivots: 0,
            pivot_limit: usize::try_from(work / square).unwrap_or(usize::MAX),
            gave_up: false,
        }
    }

    /// Searches, depth first.
    pub(crate) fn search(&mut self) -> Search {
        let first = Node::first(self.data);
        self.origin = first.dictionary.clone();
        let first = self.solve(first);
        let feasible = (first.end == End::Feasible).then(|| first.node.basis());
        let mut open = vec![first];
        while let Some(Solved { node, end }) = open.pop() {
            self.nodes += 1;
            // A node costs a pivot at least, so that the limit bounds both.
            if self.nodes.max(self.pivots) > self.pivot_limit {
                return Search::Open;
            }
            if let End::Empty { row, negated } = end {
                self.leaves.push(node.leaf(self.data, row, negated));
                continue;
            }
            let gaps = node.gaps();
            if end == End::Feasible && gaps.is_empty() && self.offer(&node) {
                return Search::Found;
            }
            match self.choose(&node, gaps) {
                Some(children) => open.extend([children.second, children.first]),
                None => self.gave_up = true,
            }
        }
        if self.gave_up {
            Search::Open
        } else {
            let leaves = std::mem::take(&mut self.leaves);
            Search::Empty { leaves, feasible }
        }
    }

    fn solve(&mut self, mut node: Node) -> Solved {
        let end = node.solve(&self.origin, &mut self.pivots);
        Solved { node, end }
    }

    fn offer(&mut self, node: &Node) -> bool {
        let mut z = vec![0.0; self.data.n()];
        let inside = node.point(self.data, &mut z);
        (self.accept)(&mut z, &inside)
    }

    /// The children of the pair that is best to branch on; `None` when every pair is decided. The best pair has an empty child, or else the
    /// children whose costs rise most.
    fn choose(&mut self, node: &Node, mut gaps: Vec<Gap>) -> Option<Children> {
        gaps.sort_by(|a, b| b.z.min(b.w).total_cmp(&a.z.min(a.w)));
        gaps.truncate(PROBED_PAIRS);
        if gaps.is_empty() {
            let pair = node.pairs.iter().position(|pair| *pair == Pair::Open)?;
            gaps.push(Gap { pair, z: 0.0, w: 0.0 });
        }
        let mut best: Option<Children> = None;
        for gap in gaps {
            let children = self.children(node, gap.pair);
            let settles = children.first.is_empty() || children.second.is_empty();
            if best.as_ref().is_none_or(|best| children.score > best.score) {
                best = Some(children);
            }
            if settles {
                break;
            }
        }
        best
    }

    fn children(&mut self, node: &Node, pair: usize) -> Children {
        let [first, second] = [Pair::ZIsZero, Pair::WIsZero].map(|decision| {
            let mut child = node.clone();
            child.pairs[pair] = decision;
            self.solve(child)
        });
        let rises = (first.rise(node), second.rise(node));
        let (first, second) = if rises.0 <= rises.1 {
            (first, second)
        } else {
            (second, first)
        };
        let score = rises.0 * rises.1;
        Children { first, second, score }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Lcp;
    use crate::testing::Rng;

    #[test]
    fn a_complementary_point_is_offered() {
        let lcp = Lcp::from_rows(&[[2.0, 1.0], [1.0, 2.0]], &[-5.0, -6.0]).unwrap();
        let mut answer = Vec::new();
        let accept = |z: &mut Vec<f64>, inside: &[usize]| {
            assert_eq!(inside, [0, 1]);
            answer.clone_from(z);
            true
        };
        assert_eq!(Tree::new(Data::of(&lcp), u64::MAX, accept).search(), Search::Found);
        assert!((answer[0] - 4.0 / 3.0).abs() + (answer[1] - 7.0 / 3.0).abs() < 1e-14);
    }

    #[test]
    fn a_problem_without_an_answer_has_empty_leaves() {
        // w0 = z1 − 1 needs z1 > 0, hence w1 = z1 + z0 = 0: impossible, though z = (0, 1) is feasible.
        let lcp = Lcp::from_rows(&[[0.0, 1.0], [1.0, 1.0]], &[-1.0, 0.0]).unwrap();
        let mut tree = Tree::new(Data::of(&lcp), u64::MAX, |_: &mut Vec<f64>, _: &[usize]| false);
        let Search::Empty { leaves, feasible } = tree.search() else {
            panic!("expected empty leaves")
        };
        assert!(feasible.is_some() && leaves.len() == 2, "{leaves:?}");
    }

    #[test]
    fn refused_points_are_searched_below_and_the_work_ends_the_search() {
        let mut rng = Rng::new(3);
        let n = 6;
        let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| rng.symmetric()).collect()).collect();
        let lcp = Lcp::from_rows(&rows, &[1.0; 6]).unwrap();
        let mut offered = 0;
        let refuse = |_: &mut Vec<f64>, _: &[usize]| {
            offered += 1;
            false
        };
        // z = 0 is an answer: the node that decides all pairs so is given up, and nothing is proven.
        assert_eq!(Tree::new(Data::of(&lcp), u64::MAX, refuse).search(), Search::Open);
        assert!(offered > 0);
        let mut bounded = Tree::new(Data::of(&lcp), 0, |_: &mut Vec<f64>, _: &[usize]| true);
        assert_eq!((bounded.search(), bounded.nodes), (Search::Open, 1));
    }
}
