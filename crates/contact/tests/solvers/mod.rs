//! Solvers for tests.

use stiction_contact::{ContactSolver, Law, Method, Options};

/// Under a law, by one method or by all.
pub(crate) fn solver(law: Law, method: Option<Method>) -> ContactSolver {
    let options = Options {
        law,
        method,
        ..Options::default()
    };
    ContactSolver::new(options).unwrap()
}
