//! `solve`: a contact problem in, its answer out.

use std::cell::RefCell;

use pyo3::prelude::*;
use stiction_contact::{ContactSolver, InputError, Law, Method, Options};

use crate::error::{of_contact, wrong};
use crate::forked::Place;
use crate::given::{Given, count};
use crate::interrupt::patiently;
use crate::problem::ContactProblem;
use crate::solution::{ContactSolution, Found};

/// Contacts from which a problem may take long.
const LARGE: usize = 64;
/// Directions of the polyhedral law.
const DIRECTIONS: [u64; 2] = [3, 64];

thread_local! {
    /// The last solver of a thread: its buffers are warm, its answers do not depend on what it solved before. In a box: it is large, and handed
    /// around.
    static SOLVER: RefCell<Option<Box<ContactSolver>>> = const { RefCell::new(None) };
}

/// Solves a contact problem.
///
/// problem: a ContactProblem, or a mapping in the form of a contact, contact-acceleration or contact-raw file.
/// law: one of LAWS; by default coulomb, and coulomb-acceleration for forces at one moment. method: one of METHODS, or None to choose and
/// fall back. directions: of the polyhedral law, 3 to 64. tolerance: largest residual that counts as solved. unique: also find which
/// impulses are the only ones possible. epsilon: of the method nonconvex_sum [m/s].
///
/// The status is data: only misuse raises (InputError). The GIL is released while solving; Ctrl-C ends the call.
#[pyfunction]
#[pyo3(
    signature = (
        problem, *, law = Given::LeftOut, method = Given::LeftOut, directions = Given::LeftOut, tolerance = Given::LeftOut,
        unique = Given::LeftOut, epsilon = Given::LeftOut
    ),
    text_signature = "(problem, *, law=..., method=None, directions=8, tolerance=1e-10, unique=False, epsilon=1e-3)"
)]
#[allow(clippy::too_many_arguments)]
pub(crate) fn solve(
    py: Python<'_>,
    problem: &Bound<'_, PyAny>,
    law: Given<'_>,
    method: Given<'_>,
    directions: Given<'_>,
    tolerance: Given<'_>,
    unique: Given<'_>,
    epsilon: Given<'_>,
) -> PyResult<ContactSolution> {
    let unique = unique.flag("unique", false)?;
    let named = law.maybe_law()?;
    let mut options = options(method, directions, tolerance, epsilon)?;
    let made;
    let problem = if let Ok(problem) = problem.cast::<ContactProblem>() {
        problem.get()
    } else {
        made = ContactProblem::of_mapping(problem)?;
        &made
    };
    options.law = law_for(problem, named, options.method)?;
    let solver = take(options)?;
    let place = Place::of(py);
    let (solver, solution) = if problem.problem.contact_count() < LARGE && problem.problem.group_count() == 0 {
        py.detach(|| place.run(|| answer(solver, &problem.problem, unique)))
    } else {
        let problem = problem.problem.clone();
        patiently(py, move || place.run(move || answer(solver, &problem, unique)))?
    };
    SOLVER.with_borrow_mut(|kept| *kept = Some(solver));
    Ok(ContactSolution::of(Found {
        solution: solution.map_err(of_contact)?,
        axes: problem.axes.clone(),
    }))
}

type Answer = Result<stiction_contact::ContactSolution, InputError>;

fn answer(
    mut solver: Box<ContactSolver>,
    problem: &stiction_contact::ContactProblem,
    unique: bool,
) -> (Box<ContactSolver>, Answer) {
    let solved = solver.solve(problem).cloned();
    let solution = match solved {
        Ok(_) if unique => solver.find_unique(problem).cloned(),
        solved => solved,
    };
    (solver, solution)
}

impl Given<'_> {
    /// A law by its name, where one is given.
    fn maybe_law(self) -> PyResult<Option<Law>> {
        match self {
            Self::LeftOut => Ok(None),
            given @ Self::Is(_) => given.named("law", Law::Coulomb, Law::ALL, Law::name).map(Some),
        }
    }
}

/// Everything but the law.
fn options(method: Given<'_>, directions: Given<'_>, tolerance: Given<'_>, epsilon: Given<'_>) -> PyResult<Options> {
    let default = Options::default();
    let method = method.maybe_named("method", Method::ALL, Method::name)?;
    let directions = directions.read(default.directions as u64, |d| {
        count(d, "directions", DIRECTIONS[0], DIRECTIONS[1])
    })?;
    if matches!(epsilon, Given::Is(_)) && method != Some(Method::NonconvexSum) {
        let found = method.map_or("no method", Method::name);
        return Err(wrong("epsilon", "must be given with the method nonconvex_sum", found));
    }
    Ok(Options {
        law: default.law,
        method,
        directions: usize::try_from(directions).unwrap_or(usize::MAX),
        tolerance: tolerance.number("tolerance", default.tolerance)?,
        epsilon: epsilon.number("epsilon", default.epsilon)?,
        ..Options::default()
    })
}

/// The law that was named, if it speaks of what the problem asks for; else the usual one.
fn law_for(problem: &ContactProblem, named: Option<Law>, method: Option<Method>) -> PyResult<Law> {
    let (laws, what, usual): (&[Law], _, _) = if problem.forces {
        (&Law::OF_FORCES, "forces", Law::CoulombAcceleration)
    } else if method == Some(Method::NonconvexSum) {
        // The summation form knows the polygon alone.
        (&Law::OF_IMPULSES, "impulses", Law::Polyhedral)
    } else {
        (&Law::OF_IMPULSES, "impulses", Law::Coulomb)
    };
    match named {
        None => Ok(usual),
        Some(law) if laws.contains(&law) => Ok(law),
        Some(law) => {
            let names: Vec<_> = laws.iter().map(|law| law.name()).collect();
            let requirement = format!("must be one of {} where {what} are sought", names.join(", "));
            Err(wrong("law", requirement, format!("'{}'", law.name())))
        }
    }
}

/// The solver of this thread where its options are the same, else a new one.
fn take(options: Options) -> PyResult<Box<ContactSolver>> {
    match SOLVER.with_borrow_mut(Option::take) {
        Some(solver) if *solver.options() == options => Ok(solver),
        _ => ContactSolver::new(options).map(Box::new).map_err(of_contact),
    }
}

/// Options of a law alone, for timing.
pub(crate) fn of_law(law: Given<'_>) -> PyResult<Options> {
    Ok(Options {
        law: law.maybe_law()?.unwrap_or(Law::Coulomb),
        ..Options::default()
    })
}
