//! What a solve leaves for the next: bases and impulses of its contacts, by their keys.

use super::island::IslandSolver;
use crate::problem::ContactProblem;
use crate::solver::Impulses;
use crate::solver::lemke::WarmBasis;

/// The last solution as a start. Contacts are recognised by their keys, joint rows by their number.
#[derive(Debug, Clone, Default)]
pub(crate) struct WarmStart {
    /// Final bases of the islands that Lemke's path solved.
    pub(crate) basis: WarmBasis,
    /// (key, θ, f), sorted by key.
    impulses: Vec<(u64, f64, [f64; 2])>,
    /// One a joint row of the whole problem.
    joint: Vec<f64>,
}

impl WarmStart {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.basis.clear();
        self.impulses.clear();
        self.joint.clear();
    }

    /// Adds what an island has found; `joints` are its rows in the whole problem.
    pub(crate) fn add(&mut self, problem: &ContactProblem, solver: &IslandSolver, joints: impl Iterator<Item = usize>) {
        solver.save_basis(problem, &mut self.basis);
        let found = solver.impulses();
        for i in 0..problem.contact_count() {
            if found.normal[i] > 0.0 {
                self.impulses.push((problem.key(i), found.normal[i], found.friction[i]));
            }
        }
        for (k, row) in joints.enumerate() {
            if self.joint.len() <= row {
                self.joint.resize(row + 1, 0.0);
            }
            self.joint[row] = found.joint[k];
        }
    }

    /// To be called once all islands are added.
    pub(crate) fn sort(&mut self) {
        self.basis.sort();
        self.impulses.sort_unstable_by_key(|(key, _, _)| *key);
        // A key that is not unique recognises nothing: the first is taken.
        self.impulses.dedup_by_key(|(key, _, _)| *key);
    }

    /// Whether there is anything to start from.
    pub(crate) fn is_empty(&self) -> bool {
        self.impulses.is_empty()
    }

    /// Writes the impulses of the contacts and joint rows that are recognised, zero elsewhere.
    pub(crate) fn write(&self, problem: &ContactProblem, joints: &[usize], impulses: &mut Impulses) {
        for i in 0..problem.contact_count() {
            let Ok(at) = self.impulses.binary_search_by_key(&problem.key(i), |(key, _, _)| *key) else {
                continue;
            };
            let (_, normal, friction) = self.impulses[at];
            impulses.normal[i] = normal;
            impulses.friction[i] = friction;
        }
        for (k, x) in impulses.joint.iter_mut().enumerate() {
            // A problem of one island has no list of its rows: they are its own.
            let row = joints.get(k).copied().unwrap_or(k);
            *x = self.joint.get(row).copied().unwrap_or(0.0);
        }
    }
}
