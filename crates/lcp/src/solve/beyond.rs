//! Methods for problems of no class, after all others: least squares, games, singular free blocks, the tree.

use super::{Form, Solver, run_lemke};
use crate::branch::{Search, Tree};
use crate::exact::{self, ExactLcp, Leaf, Work};
use crate::free_basis::Completed;
use crate::lemke::Start;
use crate::lemke_howson::lemke_howson;
use crate::pivoting::{Data, Outcome};
use crate::plan::BEYOND;
use crate::polish::polish_data;
use crate::solution::{Certificate, Method, Run, Status};
use crate::solve::free_flags;

/// Work in rationals for the leaves of a tree, beside that of everything before it: there are hundreds of them.
const TREE_PROOF_WORK: f64 = 8.0;

/// Cones are counted in 64 bits.
const MAX_COUNTED_PAIRS: usize = 62;

impl Solver {
    /// Runs [`BEYOND`] when nothing is decided yet. Without a result the solution stays as it was, with the attempts listed.
    pub(super) fn go_beyond(&mut self, form: Form<'_>) {
        let is_decided = |status| matches!(status, Status::Solved | Status::Infeasible | Status::Unsolvable);
        if self.options.method.is_some() || !self.options.any_class || is_decided(self.solution.status) {
            return;
        }
        let before = self.solution.clone();
        self.solution.certificate = None;
        self.search = Search::Open;
        self.run_steps(BEYOND, form);
        if !is_decided(self.solution.status) {
            let answered_by = before.stats.answered_by;
            let stats = std::mem::take(&mut self.solution.stats);
            self.solution = before;
            self.solution.stats = stats;
            self.solution.stats.answered_by = answered_by;
        }
    }

    /// Whether lexicographic ties have led round in circles, or too far: another order of the rows may end sooner.
    pub(super) fn ties_did_not_end(&self) -> bool {
        let did_not_end = |run: &Run| {
            run.method == Method::LemkeLexicographic && matches!(run.status, Status::PivotLimit | Status::Cycle)
        };
        self.solution.stats.runs.iter().any(did_not_end)
    }

    /// Least squares; the positive variables are the basis from which Lemke's method may start next.
    pub(super) fn least_squares(&mut self, data: Data<'_>) -> (Outcome, usize, usize) {
        let ended = self.least_squares.run(data, &mut self.y);
        self.basis.clear();
        self.basis.extend_from_slice(self.least_squares.passive());
        let outcome = if ended {
            Outcome::Complementary
        } else {
            Outcome::PivotLimit
        };
        (outcome, self.least_squares.changes(), 0)
    }

    pub(super) fn lemke_howson(&mut self, data: Data<'_>) -> (Outcome, usize, usize) {
        let (outcome, pivots) = lemke_howson(data, &mut self.y);
        if outcome == Outcome::Complementary {
            let inside: Vec<usize> = (0..data.n()).filter(|&i| self.y[i] > 0.0).collect();
            polish_data(data, &inside, &mut self.lu, &mut self.y);
        }
        (outcome, pivots, 0)
    }

    /// Lemke's method from a completed basis of the free variables.
    pub(super) fn complete_free_basis(&mut self, data: Data<'_>) -> (Outcome, usize, usize) {
        let Ok(Some(completed)) = Completed::new(data) else {
            return (Outcome::Singular, 0, 0);
        };
        let smaller = completed.data();
        let start = Start {
            basis: &completed.basis,
            ..Start::default()
        };
        let mut y = vec![0.0; smaller.n()];
        let ran = run_lemke(&mut self.lemke, smaller, start, &self.options.lemke, &mut y);
        if ran.0 == Outcome::Complementary {
            let inside: Vec<usize> = (0..smaller.n()).filter(|&i| smaller.is_free(i) || y[i] > 0.0).collect();
            polish_data(smaller, &inside, &mut self.lu, &mut y);
        }
        completed.recover(&y, &mut self.y);
        ran
    }

    /// The tree. Its end is kept for [`Solver::proves_tree`].
    pub(super) fn branch(&mut self, form: Form<'_>) -> (Outcome, usize, usize) {
        let (judge, z, y, lu) = (&mut self.judge, &mut self.z, &mut self.y, &mut self.lu);
        let tolerance = self.options.tolerance;
        let accept = |candidate: &mut Vec<f64>, inside: &[usize]| {
            let mut is_solved = |candidate: &[f64]| {
                form.recover(candidate, z);
                judge.judge(form.view, z, tolerance).0 == Status::Solved
            };
            let mut polished = candidate.clone();
            let accepted = polish_data(form.data, inside, lu, &mut polished) && is_solved(&polished);
            if accepted {
                candidate.copy_from_slice(&polished);
            }
            y.copy_from_slice(candidate);
            accepted || is_solved(candidate)
        };
        let work = self.options.branch_work.min(self.pivot_work);
        let mut tree = Tree::new(form.data, work, accept);
        let search = tree.search();
        let outcome = match search {
            Search::Open => Outcome::PivotLimit,
            _ => Outcome::Complementary,
        };
        let pivots = tree.pivots;
        self.search = search;
        (outcome, pivots, 0)
    }

    /// Whether the leaves of the last tree prove that there is no answer: each contradicted, and all cones covered, in rationals.
    pub(super) fn proves_tree(&mut self, form: Form<'_>) -> bool {
        let rewritten = form.reduced.is_some_and(|(reduced, _)| !reduced.is_plain());
        let Search::Empty { leaves, feasible } = &self.search else {
            return false;
        };
        if rewritten || self.options.exact_work <= 0.0 {
            return false;
        }
        let Ok(problem) = ExactLcp::from_matrix(form.data.M, form.data.q).with_free(free_flags(form.data)) else {
            return false;
        };
        let mut work = Work::new(TREE_PROOF_WORK * self.options.exact_work);
        let found = prove_leaves(&problem, leaves, feasible.as_ref(), &mut work);
        let Some((status, certificate)) = found else {
            return false;
        };
        let solution = &mut self.solution;
        if let Some(run) = solution.stats.runs.last_mut() {
            run.status = status;
        }
        solution.status = status;
        solution.certificate = Some(certificate);
        true
    }
}

fn prove_leaves(
    problem: &ExactLcp,
    leaves: &[Leaf],
    feasible: Option<&(Vec<usize>, Vec<usize>)>,
    work: &mut Work,
) -> Option<(Status, Certificate)> {
    let Some((rows, columns)) = feasible else {
        // The first node is empty: its weights are a Farkas vector.
        let y = exact::contradiction(problem, leaves.first()?, work)?;
        if !exact::check_farkas(problem, &y) {
            return None;
        }
        let y = y.iter().map(ToString::to_string).collect();
        return Some((Status::Infeasible, Certificate::Farkas { y }));
    };
    let pairs = problem.free().iter().filter(|free| !**free).count();
    let holds = pairs <= MAX_COUNTED_PAIRS
        && exact::cover_all(leaves)
        && exact::is_feasible(problem, rows, columns, work)
        && leaves
            .iter()
            .all(|leaf| exact::contradiction(problem, leaf, work).is_some());
    let cones = 1u64 << pairs.min(MAX_COUNTED_PAIRS);
    holds.then_some((Status::Unsolvable, Certificate::Exhaustion { cones }))
}
