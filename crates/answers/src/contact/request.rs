//! What `stiction solve` is to do with a contact file, and one solve with its time.

use std::time::Instant;

use stiction_contact::nearest::did_you_mean;
use stiction_contact::{ContactProblem, ContactSolver, Law, Method, Options};

use super::Choices;
use super::answer::Timed;
use crate::timing::{microseconds, quantile};
use stiction_formats::BadInput;
use stiction_formats::Level;
use stiction_formats::bad_input::shown;

/// The time step of impulses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// The file's `dt`.
    OfFile,
    /// This one \[s\].
    Given(f64),
}

/// Options of `stiction solve`.
#[derive(Debug)]
pub struct Request<'a> {
    /// What options name.
    pub choices: &'a Choices,
    /// The only method, by its name.
    pub method: Option<&'a str>,
    /// Largest relative residual that counts as solved.
    pub tolerance: f64,
    /// How often the solve is repeated.
    pub repeat: Option<usize>,
    /// Impulses are wanted where no force exists.
    pub impulse: Option<Step>,
    /// Every answer of nonconvex groups is wanted.
    pub all: bool,
    /// Whether to print JSON.
    pub json: bool,
}

/// Refuses `--impulse` where impulses are sought anyway.
pub fn no_impulse(request: &Request<'_>, kind: &str) -> Result<(), BadInput> {
    if request.impulse.is_none() {
        return Ok(());
    }
    let problem = format!("must be given for contact-acceleration files only, found a {kind} file");
    Err(BadInput::new("impulse", problem))
}

/// Options of the solver for what was asked.
pub fn options(request: &Request<'_>, level: Level) -> Result<Options, BadInput> {
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
            let meant = did_you_mean(name, names.iter().copied());
            let problem = format!(
                "must be one of {} for contact files, found {}{meant}",
                names.join(", "),
                shown(name)
            );
            BadInput::new("method", problem)
        })
}

/// Solves once and, when asked, `repeat` times more from scratch with the buffers warm.
pub fn solve(problem: &ContactProblem, solver: &mut ContactSolver, repeat: Option<usize>) -> Result<Timed, BadInput> {
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
        timed.time_us = quantile(&times, 0.5);
        timed.time_min_us = times.first().copied();
    }
    Ok(timed)
}
