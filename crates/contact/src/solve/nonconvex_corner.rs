//! Corners: several sides of a group that push together.
//!
//! As convex contacts the sides of a corner may have other answers, in which one side pushes and its friction holds the other open: lawful there, not
//! for the group. Here all contacts of these sides are asked to touch, ν_i = 0 with θ_i of any sign, in the LCP of the polygon \[Lloyd (8)\]; what it gives is judged
//! as it is, and on the round cone once more after Newton's method from there.

use stiction_lcp::{Class, Mlcp, Options, Solver};

use super::nonconvex::{Chosen, Search};
use super::warm::WarmStart;
use crate::check::{Judge, Terms};
use crate::formulation::coulomb_velocity::CoulombVelocity;
use crate::problem::ContactProblem;
use crate::solution::Law;
use crate::solver::Impulses;

/// Largest LCP that is tried: dense, and a last resort.
const SIZE_LIMIT: usize = 400;

/// Groups of which several sides are chosen.
pub(super) fn is_corner(chosen: &Chosen, group: usize) -> bool {
    chosen.iter().filter(|(g, _)| *g == group).count() > 1
}

impl Search {
    /// Impulses of the whole problem with which the judge is content; `part` and `contacts` are those of the choice.
    pub(super) fn try_corner(
        &mut self,
        problem: &ContactProblem,
        (terms, judge): (Terms, &mut Judge),
        chosen: &Chosen,
        (part, contacts): (&ContactProblem, &[usize]),
    ) -> Option<Impulses> {
        if !matches!(terms.law, Law::Coulomb | Law::Polyhedral) || part.any_yields() {
            return None;
        }
        let touches = |i: &usize| {
            let group = problem.side_of(*i).map(|(group, _)| group);
            group.is_some_and(|group| is_corner(chosen, group))
        };
        let found = polygon(part, terms.directions, contacts, touches)?;
        let mut whole = Impulses::default();
        whole.clear(problem, terms.directions);
        whole.scatter(&found, contacts, terms.directions);
        let has_directions = terms.law == Law::Polyhedral;
        if judge.judge(problem, terms, whole.answer(has_directions)).0 {
            return Some(whole);
        }
        if has_directions {
            return None;
        }
        let start = WarmStart::of_impulses(part, &found);
        let found = self.run_from(part, &start);
        whole.scatter(&found, contacts, terms.directions);
        judge.judge(problem, terms, whole.answer(false)).0.then_some(whole)
    }
}

/// Impulses of a choice in which some contacts are asked to touch.
fn polygon(
    part: &ContactProblem,
    directions: usize,
    contacts: &[usize],
    touches: impl Fn(&usize) -> bool,
) -> Option<Impulses> {
    let mut formulation = CoulombVelocity::default();
    let lcp = formulation.lcp(part, Law::Polyhedral, directions)?;
    if lcp.n() > SIZE_LIMIT {
        return None;
    }
    let mut lower = vec![0.0; lcp.n()];
    for (bound, _) in lower.iter_mut().zip(contacts).filter(|(_, i)| touches(i)) {
        *bound = f64::NEG_INFINITY;
    }
    let upper = vec![f64::INFINITY; lcp.n()];
    let mixed = Mlcp::new(lcp.M().clone(), lcp.q().to_vec(), lower, upper).ok()?;
    // A corner without an answer needs no proof.
    let options = Options {
        exact_limit: 0,
        certify_limit: 0,
        any_class: false,
        ..Options::default()
    };
    let mut solver = Solver::with_options(options);
    let solution = solver.solve_mixed(&mixed.with_class(Class::Unknown)).ok()?;
    let mut found = Impulses::default();
    formulation.impulses(part, &solution.z, false, &mut found);
    Some(found)
}
