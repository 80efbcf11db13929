//! `solve`: a contact problem in, its answer out.

use std::cell::RefCell;

use pyo3::prelude::*;
use stiction_contact::{ContactSolver, Law, Method, Options};

use crate::error::{of_contact, wrong};
use crate::forked::detached;
use crate::problem::ContactProblem;
use crate::solution::{ContactSolution, Found};

thread_local! {
    /// The last solver of a thread: its buffers are warm, its answers do not depend on what it solved before.
    static SOLVER: RefCell<Option<ContactSolver>> = const { RefCell::new(None) };
}

/// Solves a contact problem.
///
/// problem: a ContactProblem, or a mapping in the form of a contact file (bodies, contacts, joints, dt).
/// law: one of LAWS. method: one of METHODS, or None to choose and fall back. directions: of the polyhedral law, 3 to 64.
/// tolerance: largest residual that counts as solved. unique: also find which impulses are the only ones possible.
///
/// The status is data: only misuse raises (InputError). The GIL is released while solving.
#[pyfunction]
#[pyo3(signature = (problem, *, law = "coulomb", method = None, directions = 8, tolerance = 1e-10, unique = false))]
pub(crate) fn solve(
    py: Python<'_>,
    problem: &Bound<'_, PyAny>,
    law: &str,
    method: Option<&str>,
    directions: usize,
    tolerance: f64,
    unique: bool,
) -> PyResult<ContactSolution> {
    let options = options(law, method, directions, tolerance)?;
    let made;
    let problem = if let Ok(problem) = problem.cast::<ContactProblem>() {
        problem.get()
    } else {
        made = ContactProblem::of_mapping(problem)?;
        &made
    };
    let mut solver = take(options)?;
    let solution = detached(py, || {
        let mut solution = solver.solve(&problem.problem)?.clone();
        if unique {
            solution = solver.find_unique(&problem.problem)?.clone();
        }
        Ok(solution)
    });
    SOLVER.with_borrow_mut(|kept| *kept = Some(solver));
    Ok(ContactSolution::of(Found {
        solution: solution.map_err(of_contact)?,
        axes: problem.axes.clone(),
    }))
}

pub(crate) fn options(law: &str, method: Option<&str>, directions: usize, tolerance: f64) -> PyResult<Options> {
    let law = named("law", law, Law::ALL, Law::name)?;
    let method = method
        .map(|m| named("method", m, Method::ALL, Method::name))
        .transpose()?;
    Ok(Options {
        law,
        method,
        directions,
        tolerance,
        ..Options::default()
    })
}

/// The solver of this thread where its options are the same, else a new one.
fn take(options: Options) -> PyResult<ContactSolver> {
    match SOLVER.with_borrow_mut(Option::take) {
        Some(solver) if *solver.options() == options => Ok(solver),
        _ => ContactSolver::new(options).map_err(of_contact),
    }
}

/// The item of a list that has a name.
pub(crate) fn named<T: Copy, const N: usize>(
    path: &str,
    name: &str,
    all: [T; N],
    name_of: fn(T) -> &'static str,
) -> PyResult<T> {
    all.into_iter().find(|item| name_of(*item) == name).ok_or_else(|| {
        let names: Vec<_> = all.into_iter().map(name_of).collect();
        let name: String = name.chars().take(40).collect();
        wrong(
            path,
            format!("must be one of {}", names.join(", ")),
            format!("'{name}'"),
        )
    })
}
