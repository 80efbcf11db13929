//! `stiction solve` for a contact file.

use std::path::Path;
use std::time::Instant;

use stiction_contact::{ContactProblem, ContactSolver, Method, Options, Status};

use super::answer::{Answer, Timed};
use super::{Choices, words};
use crate::bad_input::shown;
use crate::command::{json_text, median, microseconds};
use crate::read::ContactFile;
use crate::{BadInput, Outcome};

/// Products spent at most on finding which impulses are unique: about a second.
const UNIQUENESS_LIMIT: f64 = 1e9;

/// What `solve` was asked for.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) choices: &'a Choices,
    pub(crate) method: Option<&'a str>,
    pub(crate) tolerance: f64,
    pub(crate) repeat: Option<usize>,
    pub(crate) json: bool,
}

/// Solves the problem of a file.
pub(crate) fn run(path: &Path, file: &ContactFile, request: &Request<'_>) -> Result<Outcome, BadInput> {
    let options = options(request)?;
    let problem = file
        .problem(request.choices.restitution()?)
        .map_err(|bad| bad.in_file(path))?;
    let mut solver = ContactSolver::new(options.clone())?;
    let mut timed = solve(&problem, &mut solver, request.repeat).map_err(|bad| bad.in_file(path))?;
    if timed.solution.status == Status::Solved && uniqueness_cost(&problem) <= UNIQUENESS_LIMIT {
        timed.solution = solver.find_unique(&problem)?.clone();
    }
    let text = if request.json {
        json_text(&Answer::new(file, &problem, &timed))?
    } else {
        words::explain(file, &problem, &timed, options.tolerance)
    };
    Ok(Outcome::new(text, timed.solution.status == Status::Solved))
}

/// Products that finding the unique impulses takes at most: dof · columns · rank.
fn uniqueness_cost(problem: &ContactProblem) -> f64 {
    let (dof, columns) = (
        problem.dof() as f64,
        (3 * problem.contact_count() + problem.joint_count()) as f64,
    );
    dof * columns * dof.min(columns)
}

pub(super) fn options(request: &Request<'_>) -> Result<Options, BadInput> {
    let default = Options::default();
    Ok(Options {
        law: request.choices.law()?.unwrap_or(default.law),
        directions: request.choices.directions.unwrap_or(default.directions),
        method: request.method.map(method_named).transpose()?,
        tolerance: request.tolerance,
    })
}

fn method_named(name: &str) -> Result<Method, BadInput> {
    Method::ALL
        .into_iter()
        .find(|method| method.name() == name)
        .ok_or_else(|| {
            let names: Vec<_> = Method::ALL.into_iter().map(Method::name).collect();
            let problem = format!(
                "must be one of {} for contact files, found {}",
                names.join(", "),
                shown(name)
            );
            BadInput::new("method", problem)
        })
}

/// Solves once and, when asked, `repeat` times more from scratch with the buffers warm.
pub(super) fn solve(
    problem: &ContactProblem,
    solver: &mut ContactSolver,
    repeat: Option<usize>,
) -> Result<Timed, BadInput> {
    let start = Instant::now();
    let solution = solver.solve(problem)?.clone();
    let mut timed = Timed {
        solution,
        time_us: microseconds(start),
        time_min_us: None,
        chosen: solver.options().method.is_some(),
    };
    if let Some(repeat) = repeat {
        let mut times = Vec::new();
        for _ in 0..repeat {
            let start = Instant::now();
            solver.solve(problem)?;
            times.push(microseconds(start));
        }
        times.sort_by(f64::total_cmp);
        timed.time_us = median(&times);
        timed.time_min_us = times.first().copied();
    }
    Ok(timed)
}
