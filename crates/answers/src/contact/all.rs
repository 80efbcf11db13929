//! `stiction solve --all`: every answer of a problem with nonconvex groups.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use stiction_contact::{AllAnswers, ContactProblem, ContactSolution, ContactSolver};

use super::answer::{Answer, Timed};
use super::request::Request;
use super::{raw, words};
use crate::Outcome;
use crate::timing::microseconds;
use stiction_formats::BadInput;
use stiction_formats::Level;
use stiction_formats::figures::counted;
use stiction_formats::read::{ContactFile, RawFile};
use stiction_formats::write::json_text;

/// The file of a problem.
pub(super) enum File<'a> {
    Bodies(&'a ContactFile, Level),
    Raw(&'a RawFile),
}

/// Answers of one kind, least impulse first.
#[derive(Debug, Serialize)]
struct All<'a, A> {
    kind: &'static str,
    name: &'a str,
    /// All choices of sides were solved.
    complete: bool,
    choices: usize,
    answers: Vec<A>,
}

/// Lists the answers of a problem.
pub(super) fn run(
    path: &Path,
    file: &File<'_>,
    problem: &ContactProblem,
    solver: &mut ContactSolver,
    request: &Request<'_>,
) -> Result<Outcome, BadInput> {
    if request.repeat.is_some() {
        return Err(BadInput::new("repeat", "must not be given with --all, found both"));
    }
    let start = Instant::now();
    let all = solver
        .all_answers(problem)
        .map_err(|error| BadInput::from(error).in_file(path))?;
    let time_us = microseconds(start);
    let timed: Vec<Timed> = all
        .answers
        .iter()
        .map(|answer| timed(answer, time_us, request))
        .collect();
    let text = if request.json {
        json(file, problem, &all, &timed)?
    } else {
        explain(file, problem, &all, &timed, solver.options().tolerance)
    };
    Ok(Outcome::new(text, !timed.is_empty()))
}

fn timed(solution: &ContactSolution, time_us: f64, request: &Request<'_>) -> Timed {
    Timed {
        solution: solution.clone(),
        time_us,
        time_min_us: None,
        chosen: request.method.is_some(),
        beside: false,
        epsilon: None,
    }
}

fn json(file: &File<'_>, problem: &ContactProblem, all: &AllAnswers, timed: &[Timed]) -> Result<String, BadInput> {
    let AllAnswers { choices, complete, .. } = *all;
    match file {
        File::Bodies(file, level) => json_text(&All {
            kind: "contact-solutions",
            name: &file.name,
            complete,
            choices,
            answers: timed
                .iter()
                .map(|timed| Answer::new(file, problem, timed, *level))
                .collect(),
        }),
        File::Raw(file) => json_text(&All {
            kind: "contact-raw-solutions",
            name: &file.name,
            complete,
            choices,
            answers: timed.iter().map(|timed| raw::answer(file, timed)).collect(),
        }),
    }
}

fn explain(file: &File<'_>, problem: &ContactProblem, all: &AllAnswers, timed: &[Timed], tolerance: f64) -> String {
    let rest = if all.complete {
        "all choices of sides were solved"
    } else {
        "more choices of sides are left"
    };
    let mut text = format!("{}, least impulse first; {rest}\n", counted(timed.len(), "answer"));
    for (i, timed) in timed.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\nanswer {} of {}", i + 1, all.answers.len());
        text += &match file {
            File::Bodies(file, level) => words::explain(file, problem, timed, tolerance, *level),
            File::Raw(file) => raw::explain(file, timed),
        };
    }
    text
}
