//! States of contacts: what is left where no choice of sides is lawful as it is solved.
//!
//! A choice with friction may have several answers, and Lemke's path leads to one, or to none where contacts are asked to touch: M is not
//! copositive then. Here each contact of the chosen sides is given a state, so that nothing of it is left to a path: it is open, θ = 0; or it
//! touches, ν = 0 with θ of any sign, and sticks, tᵀv = 0, or slides either way, φ = ±μθ. In space the direction of sliding is left to the LCP.
//! Only one contact of a side must touch: the side's value is the least of its contacts \[Egan VI\]. Contacts of no group stay
//! complementary. A sum of more rays than degrees of freedom is one of fewer, so that few states are left. The judge decides on each outcome. Bounded by [`STATE_LIMIT`] LCPs.

use stiction_lcp::{Class, Lcp, Matrix, Mlcp, Options, Solver};

use super::nonconvex::{CHOICE_LIMIT, Chosen, Node, Search};
use super::nonconvex_all::Choices;
use super::warm::WarmStart;
use crate::check::{Judge, Residual, Terms};
use crate::formulation::coulomb_velocity::CoulombVelocity;
use crate::problem::ContactProblem;
use crate::solution::Law;
use crate::solver::Impulses;

/// Most LCPs of states for one island.
const STATE_LIMIT: usize = 4096;

/// Largest LCP that is tried: dense, and a last resort.
const SIZE_LIMIT: usize = 400;

/// What a contact does.
#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    /// Complementary in all, as contacts of no group are.
    Any,
    Open,
    /// Touches; its friction is complementary.
    Touch,
    /// Touches and slides against direction 0 or 1 of a planar contact.
    Slide(usize),
    Stick,
}

const SMOOTH: [State; 2] = [State::Touch, State::Open];
const PLANAR: [State; 4] = [State::Slide(0), State::Slide(1), State::Stick, State::Open];

/// The LCP of a choice, of which the states take their parts.
struct Choice<'a> {
    problem: &'a ContactProblem,
    part: ContactProblem,
    /// Numbers of its contacts in the whole problem.
    contacts: Vec<usize>,
    formulation: CoulombVelocity,
    lcp: Lcp,
}

impl Search {
    /// The first state of the first choice with which the judge is content. Sets `cut` where a limit left something out.
    pub(super) fn try_states(
        &mut self,
        problem: &ContactProblem,
        (terms, judge): (Terms, &mut Judge),
    ) -> Option<Node> {
        if !matches!(terms.law, Law::Coulomb | Law::Polyhedral) {
            return None;
        }
        let mut left = STATE_LIMIT;
        for chosen in Choices::new(problem).skip(1).take(CHOICE_LIMIT) {
            if chosen.len() > problem.dof() || self.is_ruled_out(&chosen) {
                continue;
            }
            let Some(mut choice) = Choice::new(problem, &chosen, terms.directions) else {
                self.cut = true;
                return None;
            };
            if choice.part.any_yields() {
                return None;
            }
            let mut states = choice.first();
            loop {
                if choice.is_possible(&chosen, &states) {
                    if left == 0 {
                        self.cut = true;
                        return None;
                    }
                    left -= 1;
                    if let Some((impulses, residual)) = self.try_state(&mut choice, (terms, judge), &states) {
                        return Some(Node::of_answer(problem, chosen, impulses, residual));
                    }
                }
                if !choice.advance(&mut states) {
                    break;
                }
            }
        }
        None
    }

    fn try_state(
        &mut self,
        choice: &mut Choice<'_>,
        (terms, judge): (Terms, &mut Judge),
        states: &[State],
    ) -> Option<(Impulses, Residual)> {
        let found = choice.solve(states)?;
        let mut whole = Impulses::default();
        whole.clear(choice.problem, terms.directions);
        whole.scatter(&found, &choice.contacts, terms.directions);
        let has_directions = terms.law == Law::Polyhedral;
        let (lawful, residual) = judge.judge(choice.problem, terms, whole.answer(has_directions));
        if lawful {
            return Some((whole, residual));
        }
        // Planar contacts have the same cone by both laws.
        if has_directions || (0..choice.part.contact_count()).all(|i| choice.part.is_planar(i)) {
            return None;
        }
        let start = WarmStart::of_impulses(&choice.part, &found);
        let found = self.run_from(&choice.part, &start);
        whole.scatter(&found, &choice.contacts, terms.directions);
        let (lawful, residual) = judge.judge(choice.problem, terms, whole.answer(false));
        lawful.then_some((whole, residual))
    }
}

impl<'a> Choice<'a> {
    fn new(problem: &'a ContactProblem, chosen: &Chosen, directions: usize) -> Option<Self> {
        let is_chosen = |i: &usize| problem.side_of(*i).is_none_or(|side| chosen.contains(&side));
        let contacts: Vec<usize> = (0..problem.contact_count()).filter(is_chosen).collect();
        let part = problem.without_groups(&contacts);
        let mut formulation = CoulombVelocity::default();
        let lcp = formulation.lcp(&part, Law::Polyhedral, directions)?;
        (lcp.n() <= SIZE_LIMIT).then_some(Self {
            problem,
            part,
            contacts,
            formulation,
            lcp,
        })
    }

    /// States that a contact of the part may have, in the order of the search.
    fn states_of(&self, i: usize) -> &'static [State] {
        match self.formulation.friction_of(i) {
            _ if !self.problem.is_grouped(self.contacts[i]) => &[State::Any],
            Some(friction) if friction.count == 2 => &PLANAR,
            _ => &SMOOTH,
        }
    }

    fn first(&self) -> Vec<State> {
        (0..self.contacts.len()).map(|i| self.states_of(i)[0]).collect()
    }

    /// Goes to the next states, the last contact's first; `false` after the last.
    fn advance(&self, states: &mut [State]) -> bool {
        for i in (0..states.len()).rev() {
            let all = self.states_of(i);
            let at = all.iter().position(|state| *state == states[i]).unwrap_or(0);
            if let Some(next) = all.get(at + 1) {
                states[i] = *next;
                return true;
            }
            states[i] = all[0];
        }
        false
    }

    /// A side of which no contact touches does not push: that is another choice. An impulse that is a sum of rays of cones is one of independent
    /// rays, one where a contact slides and two where it sticks, and of these there are no more than degrees of freedom.
    fn is_possible(&self, chosen: &Chosen, states: &[State]) -> bool {
        let rays = |state: &State| match state {
            State::Any | State::Open => 0,
            State::Touch | State::Slide(_) => 1,
            State::Stick => 2,
        };
        if states.iter().map(rays).sum::<usize>() > self.problem.dof() {
            return false;
        }
        let of_side = |side: (usize, usize)| {
            let contacts = self.contacts.iter().zip(states);
            contacts.filter(move |(i, _)| self.problem.side_of(**i) == Some(side))
        };
        let touches = |side: &(usize, usize)| of_side(*side).any(|(_, state)| *state != State::Open);
        chosen.iter().all(touches)
    }

    /// Impulses of the states, from what is left of the LCP: rows and columns of variables that are 0 or fixed by others go.
    fn solve(&mut self, states: &[State]) -> Option<Impulses> {
        let n = self.lcp.n();
        let mut keep = vec![true; n];
        let mut lower = vec![0.0; n];
        // φ that follows from θ: place, θ and factor.
        let mut follows: Vec<(usize, usize, f64)> = Vec::new();
        for (i, state) in states.iter().enumerate() {
            keep[i] = *state != State::Open;
            if matches!(state, State::Touch | State::Slide(_) | State::Stick) {
                lower[i] = f64::NEG_INFINITY;
            }
            let Some(friction) = self.formulation.friction_of(i) else {
                continue;
            };
            if matches!(state, State::Open | State::Slide(_) | State::Stick) {
                keep[friction.phi..friction.phi + friction.count].fill(false);
                keep[friction.lambda] = false;
            }
            match state {
                State::Slide(k) => follows.push((friction.phi + k, i, friction.mu)),
                State::Stick => {
                    keep[friction.phi] = true;
                    lower[friction.phi] = f64::NEG_INFINITY;
                }
                _ => {}
            }
        }
        let mut z = self.solve_kept(&keep, &lower, &follows)?;
        for (i, state) in states.iter().enumerate() {
            if let (State::Stick, Some(friction)) = (state, self.formulation.friction_of(i)) {
                // One direction is the other's opposite.
                let x = z[friction.phi];
                (z[friction.phi], z[friction.phi + 1]) = (x.max(0.0), (-x).max(0.0));
            }
        }
        let mut found = Impulses::default();
        self.formulation.impulses(&self.part, &z, false, &mut found);
        Some(found)
    }

    fn solve_kept(&self, keep: &[bool], lower: &[f64], follows: &[(usize, usize, f64)]) -> Option<Vec<f64>> {
        let kept: Vec<usize> = (0..keep.len()).filter(|k| keep[*k]).collect();
        let M = self.lcp.M();
        let mut columns = Vec::with_capacity(kept.len() * kept.len());
        for j in &kept {
            let with = follows.iter().find(|(_, theta, _)| theta == j);
            for i in &kept {
                columns.push(M.at(*i, *j) + with.map_or(0.0, |(phi, _, mu)| mu * M.at(*i, *phi)));
            }
        }
        let pick = |x: &[f64]| kept.iter().map(|k| x[*k]).collect::<Vec<f64>>();
        let size = kept.len();
        let M = Matrix::from_columns(size, columns).ok()?;
        let mixed = Mlcp::new(M, pick(self.lcp.q()), pick(lower), vec![f64::INFINITY; size]).ok()?;
        // States without an answer need no proof.
        let mut solver = Solver::with_options(Options {
            exact_limit: 0,
            certify_limit: 0,
            ..Options::default()
        });
        let solution = solver.solve_mixed(&mixed.with_class(Class::Unknown)).ok()?;
        let mut z = vec![0.0; keep.len()];
        for (k, x) in kept.iter().zip(&solution.z) {
            z[*k] = *x;
        }
        for (phi, theta, mu) in follows {
            z[*phi] = mu * z[*theta];
        }
        Some(z)
    }
}
