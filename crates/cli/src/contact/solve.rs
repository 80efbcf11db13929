//! `stiction solve` for a contact file.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use stiction_contact::{ContactProblem, ContactSolver, Law, Method, Options, Status};

use super::answer::{Answer, Timed};
use super::{Choices, Level, all, words};
use crate::bad_input::shown;
use crate::command::{json_text, median, microseconds};
use crate::read::{ContactFile, Contacts};
use crate::words::figure;
use crate::{BadInput, Outcome};

/// Products spent at most on finding which impulses are unique: about a second.
const UNIQUENESS_LIMIT: f64 = 1e9;

/// The time step of impulses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Step {
    /// The file's `dt`.
    OfFile,
    /// This one [s].
    Given(f64),
}

/// What `solve` was asked for.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) choices: &'a Choices,
    pub(crate) method: Option<&'a str>,
    pub(crate) tolerance: f64,
    pub(crate) repeat: Option<usize>,
    /// Impulses are wanted where no force exists.
    pub(crate) impulse: Option<Step>,
    /// Every answer of nonconvex groups is wanted.
    pub(crate) all: bool,
    pub(crate) json: bool,
}

/// Solves the problem of a file.
pub(crate) fn run(path: &Path, file: &ContactFile, request: &Request<'_>) -> Result<Outcome, BadInput> {
    let level = file.level();
    let options = options(request, level)?;
    request.choices.check_level(level)?;
    let step = impulse_step(file, request)?;
    let problem = file
        .problem(request.choices.restitution()?)
        .map_err(|bad| bad.in_file(path))?;
    let mut solver = ContactSolver::new(options.clone())?;
    if request.all {
        return all::run(path, &all::File::Bodies(file, level), &problem, &mut solver, request);
    }
    let mut timed = solve_and_tell(&problem, &mut solver, request.repeat).map_err(|bad| bad.in_file(path))?;
    let step = step.filter(|_| timed.solution.status == Status::UnboundedDrive);
    let impulse = step.map(|dt| solve_impulse(file, request, dt)).transpose()?;
    timed.beside = impulse.is_some();
    let text = if request.json {
        let impulse = impulse
            .as_ref()
            .map(|(problem, timed)| Answer::new(file, problem, timed, Level::Velocity));
        json_text(&Answer::new(file, &problem, &timed, level).with_impulse(impulse))?
    } else {
        let mut text = words::explain(file, &problem, &timed, options.tolerance, level);
        if let (Some((problem, timed)), Some(dt)) = (&impulse, step) {
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "\ninstead of forces, the impulses over a step of {} s:\n",
                figure(dt)
            );
            text += &words::explain(file, problem, timed, options.tolerance, Level::Velocity);
        }
        text
    };
    Ok(Outcome::new(text, timed.solution.status == Status::Solved))
}

/// Solves, and finds which forces or impulses are unique where that is cheap.
fn solve_and_tell(
    problem: &ContactProblem,
    solver: &mut ContactSolver,
    repeat: Option<usize>,
) -> Result<Timed, BadInput> {
    let mut timed = solve(problem, solver, repeat)?;
    if timed.solution.status == Status::Solved && uniqueness_cost(problem) <= UNIQUENESS_LIMIT {
        timed.solution = solver.find_unique(problem)?.clone();
    }
    Ok(timed)
}

/// The step over which impulses are wanted, where they are.
fn impulse_step(file: &ContactFile, request: &Request<'_>) -> Result<Option<f64>, BadInput> {
    let Contacts::Acceleration { dt, .. } = &file.contacts else {
        no_impulse(request, file.level().names().file)?;
        return Ok(None);
    };
    let step = match request.impulse {
        None => return Ok(None),
        Some(Step::Given(step)) => Some(step),
        Some(Step::OfFile) => *dt,
    };
    match step {
        Some(step) if step.is_finite() && step > 0.0 => Ok(Some(step)),
        Some(step) => {
            let problem = format!("must be a finite and positive time step, found {}", figure(step));
            Err(BadInput::new("impulse", problem))
        }
        None => {
            let problem = "must be given a time step, as --impulse DT or as dt in the file, found none";
            Err(BadInput::new("impulse", problem))
        }
    }
}

/// Refuses `--impulse` where impulses are sought anyway.
pub(super) fn no_impulse(request: &Request<'_>, kind: &str) -> Result<(), BadInput> {
    if request.impulse.is_none() {
        return Ok(());
    }
    let problem = format!("must be given for contact-acceleration files only, found a {kind} file");
    Err(BadInput::new("impulse", problem))
}

/// Impulses of Coulomb's law over a step, with viscous friction where that was asked for, for the contacts of a file that asks for forces.
fn solve_impulse(file: &ContactFile, request: &Request<'_>, dt: f64) -> Result<(ContactProblem, Timed), BadInput> {
    let Contacts::Acceleration { list, .. } = &file.contacts else {
        return Err(BadInput::new("impulse", "internal: found a file of impulses"));
    };
    let problem = ContactProblem::impulsive(&file.bodies, list, &file.joints, dt)?;
    let law = match request.choices.law(file.level())? {
        Some(Law::CoulombViscousAcceleration) => Law::CoulombViscous,
        _ => Options::default().law,
    };
    let options = Options {
        law,
        tolerance: request.tolerance,
        ..Options::default()
    };
    let timed = solve_and_tell(&problem, &mut ContactSolver::new(options)?, request.repeat)?;
    Ok((problem, timed))
}

/// Products that finding the unique impulses takes at most: dof · columns · rank.
fn uniqueness_cost(problem: &ContactProblem) -> f64 {
    let (dof, columns) = (
        problem.dof() as f64,
        (3 * problem.contact_count() + problem.joint_count()) as f64,
    );
    dof * columns * dof.min(columns)
}

pub(super) fn options(request: &Request<'_>, level: Level) -> Result<Options, BadInput> {
    let default = Options::default();
    let method = request.method.map(method_named).transpose()?;
    if request.choices.epsilon.is_some() && method != Some(Method::NonconvexSum) {
        let found = method.map_or("no method", Method::name);
        let problem = format!("must be given with the method nonconvex_sum, found {found}");
        return Err(BadInput::new("epsilon", problem));
    }
    // The summation form knows the polygon alone.
    let by_sum = method == Some(Method::NonconvexSum) && level == Level::Velocity;
    let default_law = if by_sum { Law::Polyhedral } else { level.default_law() };
    Ok(Options {
        law: request.choices.law(level)?.unwrap_or(default_law),
        directions: request.choices.directions.unwrap_or(default.directions),
        method,
        tolerance: request.tolerance,
        epsilon: request.choices.epsilon.unwrap_or(default.epsilon),
        ..Options::default()
    })
}

/// e of the summation form, where that was solved.
fn sum_epsilon(solver: &ContactSolver, problem: &ContactProblem) -> Option<f64> {
    let options = solver.options();
    let by_sum = options.method == Some(Method::NonconvexSum) && problem.group_count() > 0;
    by_sum.then_some(options.epsilon)
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
        beside: false,
        epsilon: sum_epsilon(solver, problem),
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
