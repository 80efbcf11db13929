//! `stiction-lab campaign contact`: random contact problems that have an answer, solved and judged twice.

use std::time::Instant;

use stiction_contact::check::{Accuracy, Answer, Judge, Terms};
use stiction_contact::{ContactSolution, ContactSolver, Law, Options, Status};

use super::UNVERIFIED_REL_TOL;
use super::families::{Family, Rng};
use super::recheck::recheck;
use super::runner::{Kind, Trial};
use super::sample::Sample;
use stiction_formats::BadInput;

/// Laws of the rows, families within them.
const LAWS: [Law; 2] = [Law::Coulomb, Law::Polyhedral];

/// Every family under the round cone and under the polygon.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Contacts;

/// A solver for each law, and a judge.
pub(crate) struct Worker {
    solvers: Vec<ContactSolver>,
    judge: Judge,
}

impl Kind for Contacts {
    type Worker = Worker;

    fn name(&self) -> &'static str {
        "contact"
    }

    fn rows(&self) -> Vec<String> {
        let of_law = |law: Law| Family::OF_CONTACTS.map(|family| format!("{}: {}", law.name(), family.name()));
        LAWS.into_iter().flat_map(of_law).collect()
    }

    fn columns(&self) -> &'static [&'static str] {
        &["verified", "to rounding", "unverified", "unsolved"]
    }

    fn fine(&self) -> usize {
        2
    }

    fn figure(&self) -> &'static str {
        "worst residual"
    }

    fn worker(&self) -> Result<Worker, BadInput> {
        let solver = |law| {
            ContactSolver::new(Options {
                law,
                ..Options::default()
            })
        };
        Ok(Worker {
            solvers: LAWS.into_iter().map(solver).collect::<Result<_, _>>()?,
            judge: Judge::new(),
        })
    }

    fn attempt(&self, worker: &mut Worker, row: usize, rng: &mut Rng) -> Result<Trial, BadInput> {
        let families = Family::OF_CONTACTS.len();
        let (law, family) = (row / families, Family::OF_CONTACTS[row % families]);
        let sample = Sample::draw(family, rng);
        let problem = sample.problem()?;
        let start = Instant::now();
        let solution = worker.solvers[law].solve(&problem)?;
        let time = start.elapsed();
        let (figure, right) = recheck(&sample, solution);
        let terms = Terms {
            law: LAWS[law],
            directions: solution.directions.max(3),
            tolerance: UNVERIFIED_REL_TOL,
        };
        let (judged, _) = worker.judge.judge(&problem, terms, answer(solution));
        let column = match solution.status {
            Status::Solved if right && judged => usize::from(solution.accuracy == Some(Accuracy::Rounding)),
            Status::Solved => 2,
            _ => 3,
        };
        Ok(Trial {
            column,
            figure,
            time,
            file: (column >= self.fine()).then(|| sample.file(&format!("{}, law {}", family.name(), LAWS[law].name()))),
        })
    }
}

/// An answer as the judge takes it.
pub(super) fn answer(solution: &ContactSolution) -> Answer<'_> {
    Answer {
        normal: &solution.normal_impulse,
        friction: &solution.friction_impulse,
        phi: (!solution.phi.is_empty()).then_some(&solution.phi[..]),
        joint: &solution.joint_impulse,
    }
}

#[cfg(test)]
mod tests {
    use super::super::runner::{Settings, run};
    use super::*;

    #[test]
    fn every_solvable_problem_is_solved_and_verified() {
        let found = run(&Contacts, &Settings::of(1000, 1), 0).unwrap();
        assert_eq!(found.total(0) + found.total(1), 1000, "{}", found.table());
        assert!(found.is_clean());
    }
}
