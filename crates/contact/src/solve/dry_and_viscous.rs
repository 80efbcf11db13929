//! Coulomb's and viscous friction together, by the methods of Coulomb's law ([`crate::formulation::dry_and_viscous`]); and how an answer is taken back from
//! a problem that another was reduced to.

use super::Options;
use super::island::IslandSolver;
use super::warm::WarmStart;
use crate::check::{Residual, Terms};
use crate::formulation::dry_and_viscous::DryAndViscous;
use crate::problem::ContactProblem;
use crate::solution::{Law, Status};

impl IslandSolver {
    /// Solves a problem of Coulomb's and viscous friction; `dry` is the law of the dry part.
    pub(super) fn solve_dry_and_viscous(
        &mut self,
        problem: &ContactProblem,
        options: &Options,
        dry: Law,
        warm: Option<(&WarmStart, &[usize])>,
    ) {
        let terms = options.terms(problem);
        let implicit = terms.law == Law::CoulombViscous;
        let mut both = self.dry_and_viscous.take().unwrap_or_default();
        let fits = if implicit {
            both.set_implicit(problem).is_ok()
        } else {
            both.set_explicit(problem);
            true
        };
        self.trial.clear(problem, terms.directions);
        if fits {
            let options = Options {
                law: dry,
                ..options.clone()
            };
            self.solve_phase(&both.hat, &options, warm.filter(|_| both.is_as_given()));
            self.trial.clear(problem, terms.directions);
            if implicit {
                both.take_implicit(problem, &self.best, &mut self.trial);
            } else {
                DryAndViscous::take_explicit(problem, &self.best, &mut self.trial);
            }
        }
        self.take_reduced(problem, terms);
        self.dry_and_viscous = Some(both);
    }

    /// Judges the impulses that `trial` holds, taken back from a problem which the given one was reduced to, and takes them as the answer.
    pub(super) fn take_reduced(&mut self, problem: &ContactProblem, terms: Terms) {
        let status = self.found.status;
        self.found.residual = Residual::INFINITE;
        self.found.by_path = false;
        self.best.copy_from(&self.trial);
        if !self.keep(problem, terms) {
            self.found.status = if status == Status::Solved {
                Status::Inaccurate
            } else {
                status
            };
        }
        let (n, rows) = (problem.contact_count(), problem.joint_count());
        // What stands for something else in the larger problem has no name in this one.
        self.found.ray = self
            .found
            .ray
            .take()
            .filter(|ray| ray.contacts.iter().all(|(i, _)| *i < n) && ray.joints.iter().all(|(k, _)| *k < rows));
        self.found.drive =
            self.found.drive.take().filter(|drive| {
                drive.contacts.iter().all(|(i, ..)| *i < n) && drive.joints.iter().all(|(k, _)| *k < rows)
            });
    }
}
