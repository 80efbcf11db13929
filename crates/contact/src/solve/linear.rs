//! Islands that only joints hold together: a linear system, in time linear in the joints where they form trees.
//!
//! Firm rows, rows that yield, and rows with a largest impulse that they do not reach; contacts that leave. The answer is judged like any other, and where it is
//! refused, or a bound is reached, the chain of methods goes on.

use super::island::IslandSolver;
use super::warm::WarmStart;
use crate::check::Terms;
use crate::problem::ContactProblem;
use crate::rows::{MOST, PairRow, RowSystem};
use crate::solution::Method;

/// Buffers of a linear system of joints.
#[derive(Debug, Clone, Default)]
pub(crate) struct Linear {
    system: RowSystem,
    velocity: Vec<f64>,
    values: Vec<f64>,
    change: Vec<f64>,
}

impl Linear {
    /// Sets the rows; false where they do not fit: more than two bodies, or bodies with more than six coordinates.
    fn set(&mut self, problem: &ContactProblem) -> bool {
        self.system.clear();
        for k in 0..problem.joint_count() {
            let (touches, column) = problem.joint(k);
            if touches.is_empty() || touches.len() > 2 || touches.iter().any(|t| t.len > MOST) {
                return false;
            }
            let mut row = PairRow {
                bodies: [None; 2],
                parts: [[0.0; MOST]; 2],
                compliance: problem.joint_yield(k).0,
            };
            for (j, t) in touches.iter().enumerate() {
                row.bodies[j] = Some(t.block);
                row.parts[j][..t.len].copy_from_slice(&column[t.start..t.start + t.len]);
            }
            self.system.push(row);
        }
        true
    }

    /// What is left of each row with impulses, and the velocity with them, mass-normalised.
    fn set_values(&mut self, problem: &ContactProblem, impulses: &[f64]) {
        self.velocity.clear();
        self.velocity.extend_from_slice(problem.k_x());
        for (k, impulse) in impulses.iter().enumerate() {
            problem.push_joint(k, *impulse, &mut self.velocity);
        }
        self.values.clear();
        for (k, impulse) in impulses.iter().enumerate() {
            let speed = problem.along_joint(k, &self.velocity) + problem.joint_bias(k);
            self.values.push(speed + problem.joint_yield(k).0 * impulse);
        }
    }

    /// What rows are off by at worst.
    fn worst(&self) -> f64 {
        self.values.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
    }
}

/// Share of what rows are off by that is rounding.
const EXACT: f64 = 1e-14;

impl IslandSolver {
    /// Solves an island as a linear system of its joints; whether that is an answer. Where a contact pushed in an earlier solution it is not tried.
    pub(super) fn try_linear(
        &mut self,
        problem: &ContactProblem,
        terms: Terms,
        (method, warm): (Option<Method>, Option<&WarmStart>),
    ) -> bool {
        let pushed = || warm.is_some_and(|warm| (0..problem.contact_count()).any(|i| warm.pushes(problem.key(i))));
        if method.is_some() || problem.joint_count() == 0 || pushed() || !self.linear.set(problem) {
            return false;
        }
        self.trial.clear(problem, terms.directions);
        let (linear, impulses) = (&mut self.linear, &mut self.trial.joint);
        linear.system.factor();
        self.found.factorisations += 1;
        linear.change.resize(impulses.len(), 0.0);
        linear.set_values(problem, impulses);
        let first = linear.worst();
        // The second time takes the rounding of the first away, where there is any to speak of.
        for _ in 0..2 {
            linear.system.solve(&linear.values, &mut linear.change);
            for (impulse, change) in impulses.iter_mut().zip(&linear.change) {
                *impulse -= change;
            }
            linear.set_values(problem, impulses);
            if linear.worst() <= EXACT * first {
                break;
            }
        }
        let held = impulses
            .iter()
            .enumerate()
            .all(|(k, x)| x.abs() <= problem.joint_yield(k).1);
        let leaves = |i: usize| problem.along(i, &linear.velocity)[0] + problem.bias(i)[0] >= 0.0;
        held && (0..problem.contact_count()).all(leaves) && self.keep(problem, terms)
    }
}
