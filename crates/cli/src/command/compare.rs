//! `stiction compare`: every solver over a folder of problems, judged by us.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::ProgressBar;
use serde::Serialize;

use super::tolerance;
use stiction_answers::Outcome;
use stiction_answers::compare::answers::{Answers, failed};
use stiction_answers::compare::interrupt::Interrupt;
use stiction_answers::compare::league::{self, Row};
use stiction_answers::compare::ours::{OURS, Ours};
use stiction_answers::compare::peers::{self, Peer};
use stiction_answers::compare::{Answer, Case, Outcome as Counted, Try, judge, page, problems};
use stiction_formats::BadInput;
use stiction_formats::write::json_text;
use stiction_formats::write::{make_folder, write_whole};

/// Residual up to which an answer is verified: loose enough for iterative solvers with the tolerance they are given.
pub(crate) const VERIFIED_RESIDUAL: f64 = 1e-6;

/// Arguments of `stiction compare`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Folder of problems of any format that `solve` reads, or one file
    folder: PathBuf,
    /// Answers to judge: a folder with STEM.json for each problem file STEM, as NAME=FOLDER; may be given again
    #[arg(long, value_name = "NAME=FOLDER")]
    answers: Vec<String>,
    /// Driver of other solvers, for example "python3 bench/peers/driver.py"; may be given again
    #[arg(long, value_name = "COMMAND")]
    peers: Vec<String>,
    /// Only these solvers of the drivers, with commas between them
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
    /// Each of our methods alone, beside the tool's own choice
    #[arg(long)]
    methods: bool,
    /// Seconds that a driver may take for one problem
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    /// Largest relative residual that counts as verified
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    tolerance: Option<f64>,
    /// Folder for league.csv, tries.csv, compare.json and index.html
    #[arg(short, long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The comparison as JSON.
#[derive(Debug, Serialize)]
struct Comparison<'a> {
    kind: &'static str,
    tolerance: f64,
    league: &'a [Row],
    tries: &'a [Try],
    /// Files that are not problems, and solvers that are not there.
    messages: &'a [String],
}

/// Compares. The status says whether our own choice of methods was verified on all problems, or proved that there is no answer.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let tolerance = tolerance(arguments.tolerance, VERIFIED_RESIDUAL)?;
    let answers: Vec<Answers> = arguments
        .answers
        .iter()
        .map(|given| Answers::new(given))
        .collect::<Result<_, _>>()?;
    let (cases, mut messages) = problems::read(&arguments.folder)?;
    for folder in &answers {
        folder.must_fit(&cases)?;
    }
    let mut interrupt = Interrupt::default();
    if !arguments.peers.is_empty() {
        // Without a driver nothing has to be cleared away.
        interrupt.listen();
    }
    let peers = match find_peers(arguments, &interrupt, &mut messages) {
        _ if interrupt.is_kept() => return Ok(stopped(arguments, 0, cases.len(), &interrupt)),
        peers => peers?,
    };
    let ours = Ours::all(arguments.methods);
    check_names(&ours, &answers, &peers)?;
    if let Some(folder) = &arguments.out {
        // Before the work, not after it.
        make_folder(folder)?;
    }
    let solvers = ours.len() + answers.len() + peers.len();
    let bar = ProgressBar::new((cases.len() * solvers) as u64);
    let mut tries = Vec::new();
    for case in &cases {
        solve_case(
            case,
            (&ours, &answers, &peers),
            arguments,
            &interrupt,
            &mut |solver, answer| {
                tries.push(judge(solver, case, answer, tolerance));
                bar.inc(1);
            },
        );
        if interrupt.is_kept() {
            break;
        }
    }
    bar.finish_and_clear();
    for peer in &peers {
        let mut own = tries.iter().filter(|found: &&Try| found.solver == peer.name);
        if !tries.is_empty() && own.all(|found| found.outcome == Counted::Unfit) {
            messages.push(format!("{}: takes none of the problems", peer.name));
        }
    }
    if !interrupt.is_kept() {
        return report(arguments, tolerance, (&tries, &messages), cases.len());
    }
    let done = tries.len() / solvers;
    // Of the problem that was not finished nothing counts.
    tries.truncate(done * solvers);
    if done > 0 {
        let left = stiction_formats::figures::counted(cases.len() - done, "problem");
        messages.push(format!("{left}, since it was stopped"));
        match report(arguments, tolerance, (&tries, &messages), done) {
            // Nothing is left to do where it cannot be written.
            Ok(outcome) => drop(stiction_answers::print(&outcome.text)),
            Err(bad) => drop(writeln!(std::io::stderr(), "{bad}")),
        }
    }
    Ok(stopped(arguments, done, cases.len(), &interrupt))
}

/// The league as text, and in files where they are requested.
fn report(
    arguments: &Arguments,
    tolerance: f64,
    (tries, messages): (&[Try], &[String]),
    count: usize,
) -> Result<Outcome, BadInput> {
    let rows = league::rows(tries);
    let comparison = Comparison {
        kind: "comparison",
        tolerance,
        league: &rows,
        tries,
        messages,
    };
    let text = if arguments.json {
        json_text(&comparison)?
    } else {
        let mut text = league::table(&rows, tries, tolerance) + &left_open(tries);
        if !messages.is_empty() {
            text += "\nskipped:\n";
            text.extend(messages.iter().map(|message| format!("  {message}\n")));
        }
        text
    };
    if let Some(folder) = &arguments.out {
        let unwritten = write(folder, &comparison, &title(&arguments.folder, count))?;
        if !unwritten.is_empty() {
            // What took hours must not be lost for want of a file: a table that cannot be printed either is one more line.
            let mut lines = unwritten;
            lines.extend(
                stiction_answers::print(&text)
                    .err()
                    .map(|error| format!("stdout: cannot be written, {error}")),
            );
            return Err(BadInput::lines(lines));
        }
    }
    let own = tries.iter().filter(|found| found.solver == OURS);
    Ok(Outcome::new(text, own.into_iter().all(is_right)))
}

/// Verified, or proven to have no answer.
fn is_right(found: &Try) -> bool {
    matches!(found.outcome, Counted::Verified | Counted::ProvenNone)
}

/// The problems that our own choice of methods leaves open, by name.
fn left_open(tries: &[Try]) -> String {
    let open: Vec<&Try> = tries
        .iter()
        .filter(|found| found.solver == OURS && !is_right(found))
        .collect();
    if open.is_empty() {
        return "\nEvery problem is verified or proven to have no answer.\n".to_owned();
    }
    let lines = open
        .iter()
        .map(|found| format!("  {}  {}\n", found.problem, found.ending));
    format!(
        "\nneither verified nor proven to have no answer:\n{}",
        lines.collect::<String>()
    )
}

/// Two rows of one name could not be told apart.
fn check_names(ours: &[Ours], answers: &[Answers], peers: &[Peer]) -> Result<(), BadInput> {
    let mut seen: Vec<&str> = Vec::new();
    for name in answers.iter().map(|a| &a.name).chain(peers.iter().map(|p| &p.name)) {
        let taken = if ours.iter().any(|own| own.name() == *name) {
            "which is ours"
        } else if seen.contains(&name.as_str()) {
            "twice"
        } else {
            seen.push(name);
            continue;
        };
        return Err(BadInput::whole(format!(
            "a peer and answers must have names of their own, found {name}, {taken}"
        )));
    }
    Ok(())
}

/// Ends the tool as the interrupt would have, now that all is cleared away.
fn stopped(arguments: &Arguments, done: usize, all: usize, interrupt: &Interrupt) -> Outcome {
    // Nothing is left to do where messages cannot be written.
    let _ = writeln!(
        std::io::stderr(),
        "{}: stopped after {done} of {all} problems",
        stiction_formats::bad_input::one_line(&arguments.folder.to_string_lossy())
    );
    interrupt.end();
    Outcome::new(String::new(), false)
}

fn find_peers(arguments: &Arguments, interrupt: &Interrupt, messages: &mut Vec<String>) -> Result<Vec<Peer>, BadInput> {
    let mut all: Vec<Peer> = Vec::new();
    let mut said = Vec::new();
    for driver in &arguments.peers {
        let (found, missing) = peers::list(driver, interrupt)?;
        for peer in found {
            // Two drivers may have the same solver: the first counts.
            if !all.iter().any(|other| other.name == peer.name) {
                all.push(peer);
            }
        }
        said.extend(missing);
    }
    // What one driver lacks, another may have.
    said.retain(|line: &String| !all.iter().any(|peer| line.starts_with(&format!("{}:", peer.name))));
    messages.extend(said);
    for name in &arguments.only {
        if !all.iter().any(|peer| peer.name == *name) {
            messages.push(format!("{name}: not among the solvers that the drivers list"));
        }
    }
    all.retain(|peer| arguments.only.is_empty() || arguments.only.contains(&peer.name));
    Ok(all)
}

/// One problem through everyone, or until an interrupt. What goes wrong with one solver costs its try and nothing else.
fn solve_case(
    case: &Case,
    (ours, answers, peers): (&[Ours], &[Answers], &[Peer]),
    arguments: &Arguments,
    interrupt: &Interrupt,
    take: &mut impl FnMut(&str, Option<Answer>),
) {
    let or_failed =
        |answer: Result<Option<Answer>, BadInput>| answer.unwrap_or_else(|bad| Some(failed(bad.to_string())));
    for solver in ours {
        take(&solver.name(), or_failed(solver.solve(case)));
    }
    for folder in answers {
        take(&folder.name, folder.answer(case));
    }
    let limit = Duration::from_secs(arguments.limit);
    for peer in peers {
        let answer = peer.answer(case, limit, interrupt);
        if interrupt.is_kept() {
            break;
        }
        take(&peer.name, or_failed(answer));
    }
}

fn title(folder: &Path, count: usize) -> String {
    let whole = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let name = whole.file_name().unwrap_or_default().to_string_lossy();
    format!("{name}: {}", stiction_formats::figures::counted(count, "problem"))
}

/// Writes every file that can be written; one line for each other.
fn write(folder: &Path, comparison: &Comparison<'_>, title: &str) -> Result<Vec<String>, BadInput> {
    if let Err(bad) = make_folder(folder) {
        return Ok(vec![bad.to_string()]);
    }
    let Comparison {
        league: rows,
        tries,
        tolerance,
        messages,
        ..
    } = comparison;
    let files = [
        ("league.csv", league::league_csv(rows)),
        ("tries.csv", league::tries_csv(tries)),
        ("compare.json", json_text(comparison)?),
        ("index.html", page::html(title, rows, tries, (*tolerance, messages))),
    ];
    let written = files
        .into_iter()
        .map(|(name, text)| write_whole(&folder.join(name), text));
    Ok(written.filter_map(|end| end.err().map(|bad| bad.to_string())).collect())
}
