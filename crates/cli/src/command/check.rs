//! `stiction check`: judges an answer from anyone against the problem's own data.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use stiction_formats::figures;

use serde::Serialize;
use stiction_lcp::residual::Judge;
use stiction_lcp::{Options, Residual, Status};

#[cfg(feature = "stand")]
use super::check_stand;
use super::{check_scene, tolerance};
use stiction_answers::Outcome;
use stiction_answers::answer::{proves_infeasible, read_claim};
use stiction_answers::contact::{self, Choices};
use stiction_answers::words;
use stiction_formats::BadInput;
use stiction_formats::case::{content, one_wanted};
use stiction_formats::read::{Content, Named, ReadOptions};
use stiction_formats::write::json_text;

/// Arguments of `stiction check`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Problem file; or a scene file alone, which is read and not run
    #[arg(value_name = "PROBLEM|SCENE")]
    problem: PathBuf,
    /// Answer file: an object with z, or the list z alone; an object with contacts for a contact problem; for a scene, the file that stiction stand wrote
    answer: Option<PathBuf>,
    #[command(flatten)]
    choices: Choices,
    /// Name of the problem in a set
    #[arg(long, value_name = "NAME")]
    case: Option<String>,
    /// Largest relative residual that is accepted
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    tolerance: Option<f64>,
    /// Treat warnings about a scene as errors
    #[arg(long, conflicts_with = "answer")]
    strict: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// With nothing chosen.
    pub(crate) fn new(problem: &Path, answer: &Path, json: bool) -> Self {
        Self {
            problem: problem.to_owned(),
            answer: Some(answer.to_owned()),
            choices: Choices::default(),
            case: None,
            tolerance: None,
            strict: false,
            json,
        }
    }
}

/// The verdict on an answer.
#[derive(Debug, Serialize)]
struct Verdict<'a> {
    kind: &'static str,
    name: &'a str,
    #[serde(rename = "verdict")]
    word: &'static str,
    claimed: Option<&'a str>,
    /// The answer's Farkas vector proves that nothing is feasible.
    infeasible: bool,
    tolerance: f64,
    /// Of an answer that solves the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy: Option<&'static str>,
    residual: f64,
    /// The same with rounding excused.
    residual_excused: f64,
    natural_residual: f64,
    backward_error: f64,
    complementarity: f64,
    worst: Option<Worst>,
}

/// The row that decides.
#[derive(Debug, Serialize)]
struct Worst {
    row: usize,
    z: f64,
    w: f64,
}

/// Judges the answer; without one, looks at a scene.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let Some(answer) = &arguments.answer else {
        if arguments.choices.must_be_absent().is_err() {
            return Err(BadInput::new(
                "answer",
                "must be given beside a law or its options, found none",
            ));
        }
        if arguments.case.is_some() || arguments.tolerance.is_some() {
            let option = if arguments.case.is_some() { "case" } else { "tolerance" };
            return Err(BadInput::new(option, "must be given with an answer only, found none"));
        }
        return check_scene::run(&arguments.problem, arguments.strict, arguments.json);
    };
    if let Err(error) = std::fs::metadata(answer) {
        let problem = match error.kind() {
            std::io::ErrorKind::NotFound => "must be a file, found nothing of this name".to_owned(),
            _ => format!("must be a file that can be read: {error}"),
        };
        return Err(BadInput::whole(problem).in_file(answer));
    }
    #[cfg(feature = "stand")]
    if let Some(report) = check_stand::report(answer) {
        return check_stand::run(&arguments.problem, answer, &report, arguments.json);
    }
    let lcp_tolerance = tolerance(arguments.tolerance, Options::default().tolerance)?;
    match content(&arguments.problem, arguments.case.as_deref(), ReadOptions::default())? {
        Content::Problems(all) => judge((arguments, answer), &all, lcp_tolerance),
        Content::Raw(file) => contact::raw_check::run(&file, &contact_request(arguments, answer)?),
        Content::Contact(file) => contact::check::run(&file, &contact_request(arguments, answer)?),
        Content::Contacts(all) => Err(one_wanted(&arguments.problem, all.len())),
    }
}

/// What was requested, where the file holds contacts.
fn contact_request<'a>(arguments: &'a Arguments, answer: &'a Path) -> Result<contact::check::Request<'a>, BadInput> {
    Ok(contact::check::Request {
        problem: &arguments.problem,
        answer,
        choices: &arguments.choices,
        tolerance: tolerance(arguments.tolerance, stiction_contact::Options::default().tolerance)?,
        json: arguments.json,
    })
}

fn judge((arguments, answer): (&Arguments, &Path), all: &[Named], tolerance: f64) -> Result<Outcome, BadInput> {
    arguments.choices.must_be_absent()?;
    let [named] = all else {
        return Err(one_wanted(&arguments.problem, all.len()));
    };
    let claim = read_claim(answer)?;
    if claim.z.len() != named.problem.n() {
        let problem = format!("must have {} entries, found {}", named.problem.n(), claim.z.len());
        return Err(BadInput::new("z", problem).in_file(answer));
    }
    let mut judge = Judge::default();
    let (status, residual) = judge.judge(named.problem.view(), &claim.z, tolerance);
    let infeasible = claim
        .farkas
        .as_deref()
        .is_some_and(|y| proves_infeasible(&named.problem, y));
    let accepted = words::is_right(claim.status.as_deref(), (status == Status::Solved, infeasible));
    let worst = claim.z.get(residual.worst_row).map(|&z| Worst {
        row: residual.worst_row,
        z,
        w: judge.w()[residual.worst_row],
    });
    let verdict = Verdict {
        kind: "lcp-check",
        name: &named.name,
        word: if accepted { "accepted" } else { "refused" },
        claimed: claim.status.as_deref(),
        infeasible,
        tolerance,
        accuracy: (status == Status::Solved).then(|| residual.accuracy.name()),
        residual: residual.relative,
        residual_excused: residual.excused,
        natural_residual: residual.natural,
        backward_error: residual.backward,
        complementarity: residual.complementarity,
        worst,
    };
    let text = if arguments.json {
        json_text(&verdict)?
    } else {
        explain(named, &verdict, &residual)
    };
    Ok(Outcome::new(text, accepted))
}

fn explain(named: &Named, verdict: &Verdict<'_>, residual: &Residual) -> String {
    let accepted = verdict.word == "accepted";
    let mut text = format!("{}: {}\n", named.name, words::size(&named.problem));
    let meaning = if verdict.infeasible && accepted {
        "its certificate proves in exact arithmetic that nothing is feasible"
    } else if accepted {
        "z solves the problem"
    } else {
        "z does not solve the problem"
    };
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}: {meaning}\n", verdict.word);
    text += &words::residual(residual, verdict.tolerance);
    let _ = writeln!(
        text,
        "           natural residual {}, complementarity {}",
        figures::small(residual.natural),
        figures::small(residual.complementarity)
    );
    if let Some(worst) = &verdict.worst {
        let state = words::state(&named.problem, worst.row, worst.z, worst.w);
        let _ = writeln!(
            text,
            "worst row  {}: z = {}, w = {} ({state})",
            worst.row,
            figures::figure(worst.z),
            figures::figure(worst.w)
        );
    }
    text += &words::claim(
        verdict.claimed,
        (accepted, verdict.infeasible),
        ["certificate proves", "z solves"],
    );
    text
}
