//! All states of contacts: what is left where no choice of sides is lawful as it is solved.
//!
//! A choice with friction may have several answers, of which a convex method finds one, and the LCP of a corner is not copositive, so that Lemke's path
//! may miss its answer. The tree of [`exhaust`] misses none with planar contacts and polygons, or shows that there is none. With round cones
//! in space, points of the polygon's tree are starts of Newton's method, and what is not found stays open unless
//! the tree of the polygons around the circles is infeasible.

use super::nonconvex::{Chosen, Node, Search};
use super::warm::WarmStart;
use crate::check::{Judge, Terms};
use crate::exhaust::{Cone, Outcome, exhaust};
use crate::problem::ContactProblem;
use crate::solution::Law;
use crate::solver::Impulses;

impl Search {
    /// The first state that is lawful. Sets `cut` where none is found and none is not proven.
    pub(super) fn try_states(&mut self, problem: &ContactProblem, (terms, judge): (Terms, &mut Judge)) -> Option<Node> {
        if !matches!(terms.law, Law::Coulomb | Law::Polyhedral) {
            return None;
        }
        let mut node = None;
        let mut accept = |found: &Impulses| {
            node = self.node_of_state(problem, (terms, judge), found);
            node.is_some()
        };
        let mut outcome = exhaust(problem, Cone::Polygon, terms.directions, &mut accept);
        let is_planar = |i| problem.mu(i) <= 0.0 || problem.is_planar(i);
        let exact = terms.law == Law::Polyhedral || (0..problem.contact_count()).all(is_planar);
        if !exact && outcome != Outcome::Found {
            outcome = exhaust(problem, Cone::Around, terms.directions, &mut accept);
        }
        match outcome {
            // A choice that was left out may have less impulse.
            Outcome::Found => {}
            Outcome::None => self.cut = false,
            Outcome::Open => self.cut = true,
        }
        node
    }

    /// Impulses as an answer if the judge is content; with round cones after Newton's method from there.
    fn node_of_state(
        &mut self,
        problem: &ContactProblem,
        (terms, judge): (Terms, &mut Judge),
        found: &Impulses,
    ) -> Option<Node> {
        let mut chosen: Chosen = Vec::new();
        for i in (0..problem.contact_count()).filter(|i| found.normal[*i] > 0.0) {
            chosen.extend(problem.side_of(i));
        }
        chosen.sort_unstable();
        chosen.dedup();
        let has_directions = terms.law == Law::Polyhedral;
        let (lawful, residual) = judge.judge(problem, terms, found.answer(has_directions));
        if lawful {
            return Some(Node::of_answer(problem, chosen, found.clone(), residual));
        }
        if has_directions {
            return None;
        }
        let is_chosen = |i: &usize| problem.side_of(*i).is_none_or(|side| chosen.contains(&side));
        let contacts: Vec<usize> = (0..problem.contact_count()).filter(is_chosen).collect();
        let part = problem.without_groups(&contacts);
        let mut start = Impulses::default();
        start.clear(&part, terms.directions);
        for (to, from) in contacts.iter().enumerate() {
            start.normal[to] = found.normal[*from];
            start.friction[to] = found.friction[*from];
        }
        start.joint.copy_from_slice(&found.joint);
        let near = self.run_from(&part, &WarmStart::of_impulses(&part, &start));
        let mut whole = Impulses::default();
        whole.clear(problem, terms.directions);
        whole.scatter(&near, &contacts, terms.directions);
        let (lawful, residual) = judge.judge(problem, terms, whole.answer(false));
        lawful.then(|| Node::of_answer(problem, chosen, whole, residual))
    }
}
