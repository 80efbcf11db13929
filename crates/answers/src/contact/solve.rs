//! `stiction solve` for contact files, with bodies or without.

use std::fmt::Write;
use std::path::Path;

use stiction_contact::{ContactProblem, ContactSolver, Law, Options, Status};

use super::answer::{Answer, Timed};
use super::request::{Request, Step, no_impulse, options, solve};
use super::{all, raw, words};
use crate::Outcome;
use stiction_formats::BadInput;
use stiction_formats::Level;
use stiction_formats::figures::figure;
use stiction_formats::read::{ContactFile, Contacts, RawFile};
use stiction_formats::write::json_text;

/// Products spent at most on finding which impulses are unique: about a second.
const UNIQUENESS_WORK: f64 = 1e9;

/// Solves the problem of a file.
pub fn run(path: &Path, file: &ContactFile, request: &Request<'_>) -> Result<Outcome, BadInput> {
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

/// Solves the problem of a file without bodies.
pub fn run_raw(path: &Path, file: &RawFile, request: &Request<'_>) -> Result<Outcome, BadInput> {
    request.choices.check_raw()?;
    no_impulse(request, "contact-raw")?;
    let mut solver = ContactSolver::new(options(request, Level::Velocity)?)?;
    if request.all {
        return all::run(path, &all::File::Raw(file), &file.problem, &mut solver, request);
    }
    let (timed, rounds) = raw::solve_file(file, &mut solver, request.repeat).map_err(|bad| bad.in_file(path))?;
    let text = if request.json {
        let mut answer = raw::answer(file, &timed);
        answer.rounds = (rounds > 1).then_some(rounds);
        json_text(&answer)?
    } else {
        raw::explain(file, &timed)
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
    if timed.solution.status == Status::Solved && uniqueness_cost(problem) <= UNIQUENESS_WORK {
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

/// Impulses of Coulomb's law over a step, with viscous friction where that was requested, for the contacts of a file that asks for forces.
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
