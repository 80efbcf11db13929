//! All answers of a problem with nonconvex groups: every choice of sides, up to a limit.
//!
//! The law may have several answers \[Egan IV, Fig. 9\]: one side pushes, or another, or both at their corner. Each is found by the convex
//! problem of the sides that push, so that all subsets of sides lead to all answers, but for those that a convex problem with friction has
//! beside the one found; where none is found, one is looked for among all states of the contacts. Choices with one side a group come first, then the others; fewer sides before more.

use super::ContactSolver;
use super::nonconvex::{CHOICE_LIMIT, Chosen, Node, Search};
use crate::check::{Judge, Terms};
use crate::error::InputError;
use crate::problem::ContactProblem;
use crate::solution::{ContactSolution, Law, Method, Status};
use crate::solver::Impulses;

/// Impulses that differ by less than this share of the largest are the same answer.
const SAME: f64 = 1e-7;

/// What [`ContactSolver::all_answers`] found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AllAnswers {
    /// Every answer, verified: least impulse first, then lowest sides.
    pub answers: Vec<ContactSolution>,
    /// Choices of sides that were solved.
    pub choices: usize,
    /// All choices were solved: without friction no other answer exists. Where there is no answer, with friction: all states were tried too.
    pub complete: bool,
}

impl ContactSolver {
    /// Lists the answers of a problem with nonconvex groups by the max law, whatever island they are in; the convex method of the options
    /// solves each choice of sides. Costs up to 4096 solves. A problem without groups has the one answer that [`Self::solve`] finds.
    ///
    /// ```
    /// use stiction_contact::{ContactProblem, ContactSolver, Law, Options};
    /// // The corner of [Egan, Fig. 3(b)]: wall, floor, or both.
    /// let mut problem = ContactProblem::new();
    /// problem.add_block(&[1.0, 0.0, 0.0, 1.0], &[-2.0, -1.0])?;
    /// for rows in [[&[1.0, 0.0], &[0.0, 1.0]], [&[0.0, 1.0], &[1.0, 0.0]]] {
    ///     let contact = problem.add_contact(&[(0, [rows[0], rows[1], &[0.0, 0.0]])], 0.0)?;
    ///     problem.set_bias(contact, [0.5, 0.0, 0.0])?;
    /// }
    /// problem.add_group(&[&[0], &[1]])?;
    /// let mut solver = ContactSolver::new(Options { law: Law::Frictionless, ..Options::default() })?;
    /// let all = solver.all_answers(&problem)?;
    /// let impulses: Vec<_> = all.answers.iter().map(|answer| &answer.normal_impulse[..]).collect();
    /// assert_eq!(impulses, [[0.0, 0.5], [1.5, 0.0], [1.5, 0.5]]);
    /// assert_eq!(solver.solve(&problem)?.normal_impulse, [0.0, 0.5]);
    /// # Ok::<(), stiction_contact::InputError>(())
    /// ```
    ///
    /// # Errors
    /// Restitution in two phases (Poisson), the method `nonconvex_sum`: their answers are not listed.
    pub fn all_answers(&mut self, problem: &ContactProblem) -> Result<AllAnswers, InputError> {
        if self.options.method == Some(Method::NonconvexSum) {
            let requirement = "must be left out: the answers of nonconvex_sum form continua; sides";
            return Err(InputError::value("all", requirement, problem.group_count() as f64));
        }
        if let Some(i) = (0..problem.contact_count()).find(|i| problem.restitution(*i) > 0.0) {
            let field = format!("contacts[{i}].restitution");
            let requirement = "must be 0 where all answers are listed";
            return Err(InputError::value(field, requirement, problem.restitution(i)));
        }
        if problem.group_count() == 0 {
            let solution = self.solve(problem)?.clone();
            let answers = if solution.status == Status::Solved {
                vec![solution]
            } else {
                Vec::new()
            };
            return Ok(AllAnswers {
                answers,
                choices: 1,
                complete: true,
            });
        }
        let terms = Terms {
            law: self.options.law,
            directions: self.options.directions,
            tolerance: self.options.tolerance,
        };
        let (mut search, mut judge) = (Search::new(&self.options)?, Judge::new());
        let mut nodes: Vec<Node> = Vec::new();
        for (step, chosen) in Choices::new(problem).enumerate() {
            if step >= CHOICE_LIMIT {
                search.cut = true;
                break;
            }
            if search.is_ruled_out(&chosen) {
                continue;
            }
            let node = search.visit(problem, (terms, &mut judge), chosen, None);
            if node.lawful && !nodes.iter().any(|other| are_same(&node.impulses, &other.impulses)) {
                let at = nodes.iter().position(|other| node.is_before(other));
                nodes.insert(at.unwrap_or(nodes.len()), node);
            }
        }
        if nodes.is_empty() {
            nodes.extend(search.try_states(problem, (terms, &mut judge)));
        }
        let answers = nodes
            .iter()
            .map(|node| answer(problem, terms, &mut judge, node, &search));
        Ok(AllAnswers {
            answers: answers.collect(),
            choices: search.choices,
            complete: !search.cut,
        })
    }
}

/// A node as a solution.
fn answer(problem: &ContactProblem, terms: Terms, judge: &mut Judge, node: &Node, search: &Search) -> ContactSolution {
    let impulses = &node.impulses;
    let has_directions = terms.law == Law::Polyhedral;
    let (solved, residual) = judge.judge(problem, terms, impulses.answer(has_directions));
    let mut stats = search.stats.clone();
    stats.methods.push(Method::NonconvexMax);
    (stats.choices, stats.choices_cut) = (search.choices, search.cut);
    ContactSolution {
        status: if solved { Status::Solved } else { Status::Inaccurate },
        law: terms.law,
        normal_impulse: impulses.normal.clone(),
        friction_impulse: impulses.friction.clone(),
        phi: if has_directions {
            impulses.phi.clone()
        } else {
            Vec::new()
        },
        directions: if has_directions { terms.directions } else { 0 },
        joint_impulse: impulses.joint.clone(),
        velocity: judge.velocity().to_vec(),
        contact_velocity: judge.contact_velocity().to_vec(),
        state: judge.state().to_vec(),
        residual,
        stats,
        ..ContactSolution::default()
    }
}

/// Whether two answers have the same impulses at every contact.
fn are_same(a: &Impulses, b: &Impulses) -> bool {
    let values = |x: &Impulses| -> Vec<f64> {
        let friction = x.friction.iter().flatten();
        x.normal.iter().chain(friction).copied().collect()
    };
    let (a, b) = (values(a), values(b));
    let largest = a.iter().chain(&b).fold(0.0_f64, |m, x| m.max(x.abs()));
    a.iter().zip(&b).all(|(x, y)| (x - y).abs() <= SAME * largest)
}

/// All choices of sides: none, then those with one side a group at most, then the others; each by the number of sides, then the lowest.
#[derive(Debug, Clone)]
pub(super) struct Choices {
    sides: Vec<(usize, usize)>,
    groups: usize,
    /// Sides picked, ascending; `None` before the first.
    picked: Option<Vec<usize>>,
    /// Whether groups have one side at most.
    single: bool,
}

impl Choices {
    pub(super) fn new(problem: &ContactProblem) -> Self {
        let groups = problem.group_count();
        let of_group = |g: usize| (0..problem.side_count(g)).map(move |s| (g, s));
        Self {
            sides: (0..groups).flat_map(of_group).collect(),
            groups,
            picked: None,
            single: true,
        }
    }

    /// The next subset in the order of size; `None` after the last.
    fn step(&mut self) -> Option<()> {
        let most = if self.single { self.groups } else { self.sides.len() };
        let Some(picked) = &mut self.picked else {
            self.picked = Some(Vec::new());
            return Some(());
        };
        let (count, n) = (picked.len(), self.sides.len());
        // The last that can move to the next place; all after it follow.
        let at = (0..count).rev().find(|i| picked[*i] + count < n + i);
        if let Some(at) = at {
            let first = picked[at] + 1;
            for (k, place) in picked[at..].iter_mut().enumerate() {
                *place = first + k;
            }
            return Some(());
        }
        if count < most {
            *picked = (0..=count).collect();
            return Some(());
        }
        if !self.single {
            return None;
        }
        self.single = false;
        *picked = Vec::new();
        Some(())
    }
}

impl Iterator for Choices {
    type Item = Chosen;

    fn next(&mut self) -> Option<Chosen> {
        loop {
            self.step()?;
            let chosen: Chosen = self.picked.iter().flatten().map(|i| self.sides[*i]).collect();
            let single = chosen.windows(2).all(|pair| pair[0].0 != pair[1].0);
            if single == self.single {
                return Some(chosen);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_comes_once_and_single_sides_first() {
        let mut problem = ContactProblem::new();
        problem.add_block(&[1.0], &[0.0]).unwrap();
        for _ in 0..4 {
            problem.add_contact(&[(0, [&[1.0], &[0.0], &[0.0]])], 0.0).unwrap();
        }
        problem.add_group(&[&[0], &[1, 2]]).unwrap();
        problem.add_group(&[&[3]]).unwrap();
        let all: Vec<Chosen> = Choices::new(&problem).collect();
        let expected: [&[(usize, usize)]; 8] = [
            &[],
            &[(0, 0)],
            &[(0, 1)],
            &[(1, 0)],
            &[(0, 0), (1, 0)],
            &[(0, 1), (1, 0)],
            &[(0, 0), (0, 1)],
            &[(0, 0), (0, 1), (1, 0)],
        ];
        assert_eq!(all, expected);
    }
}
