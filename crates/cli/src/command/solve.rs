//! `stiction solve`: solves a file and explains the answer.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use stiction_formats::figures;

use stiction_contact::nearest::did_you_mean;
use stiction_lcp::{Accuracy, Method, Options};

use super::tolerance;
use stiction_answers::Outcome;
use stiction_answers::answer::{Answer, Timed, solve};
use stiction_answers::contact::request::Step;
use stiction_answers::contact::{self, Choices};
use stiction_answers::prove::prove;
use stiction_answers::words;
use stiction_formats::BadInput;
use stiction_formats::bad_input::shown;
use stiction_formats::case::content;
use stiction_formats::read::{ContactFile, Content, Named, ReadOptions, class_named};
use stiction_formats::write::json_text;

/// Arguments of `stiction solve`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Problem file: contact problem or LCP in JSON, Siconos text, FCLIB, ContactBench npz, TAB-separated log, MATLAB v7.3 or ArtiSynth test
    file: PathBuf,
    #[command(flatten)]
    choices: Choices,
    /// Use this method alone, without fallbacks
    #[arg(long, value_name = "NAME")]
    method: Option<String>,
    /// Solve only this problem of a set
    #[arg(long, value_name = "NAME")]
    case: Option<String>,
    /// Known class of the matrix: unknown, psd, p or copositive
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,
    /// Contact files with nonconvex groups: list every answer, the one with the least impulse first
    #[arg(long)]
    all: bool,
    /// Prove the answer in exact arithmetic
    #[arg(long)]
    prove: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Solve K more times and report the median and least time
    #[arg(long, value_name = "K")]
    repeat: Option<usize>,
    /// Contact-acceleration files: where no finite force exists, find the impulses of a step of DT seconds, or of the file's dt
    #[arg(long, value_name = "DT", num_args = 0..=1, allow_negative_numbers = true)]
    #[allow(clippy::option_option)] // not given, given alone, given with a value
    impulse: Option<Option<f64>>,
    /// Largest relative residual that counts as solved
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    tolerance: Option<f64>,
}

/// Solves the problems of a file.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    if arguments.repeat == Some(0) {
        return Err(BadInput::new("repeat", "must be at least 1, found 0"));
    }
    let reading = ReadOptions {
        keep_decimals: arguments.prove,
    };
    // Options are looked at first: they are shorter to mend than files.
    arguments.class.as_deref().map(class_named).transpose()?;
    tolerance(arguments.tolerance, Options::default().tolerance)?;
    match content(&arguments.file, arguments.case.as_deref(), reading)? {
        Content::Problems(all) => solve_all(arguments, all),
        Content::Contact(file) => {
            let request = contact_request(arguments)?;
            contact::solve::run(&arguments.file, &file, &request)
        }
        Content::Contacts(all) => solve_contacts(arguments, &all),
        Content::Raw(file) => {
            let request = contact_request(arguments)?;
            contact::solve::run_raw(&arguments.file, &file, &request)
        }
    }
}

/// Every contact problem of a set, one answer after the other.
fn solve_contacts(arguments: &Arguments, all: &[ContactFile]) -> Result<Outcome, BadInput> {
    let request = contact_request(arguments)?;
    let (mut texts, mut every) = (Vec::new(), true);
    for file in all {
        let outcome = contact::solve::run(&arguments.file, file, &request)?;
        every &= outcome.status == stiction_answers::SOLVED;
        texts.push(outcome.text);
    }
    let text = if arguments.json {
        let answers: Vec<&str> = texts.iter().map(|text| text.trim_end()).collect();
        format!("[{}]\n", answers.join(","))
    } else {
        texts.join("\n")
    };
    Ok(Outcome::new(text, every))
}

/// What was requested, where the file holds contacts.
fn contact_request(arguments: &Arguments) -> Result<contact::request::Request<'_>, BadInput> {
    for (name, given) in [("class", arguments.class.is_some()), ("prove", arguments.prove)] {
        if given {
            return Err(BadInput::new(name, "must be given for LCPs only, found a contact file"));
        }
    }
    let default = stiction_contact::Options::default().tolerance;
    Ok(contact::request::Request {
        choices: &arguments.choices,
        method: arguments.method.as_deref(),
        tolerance: tolerance(arguments.tolerance, default)?,
        repeat: arguments.repeat,
        impulse: arguments.impulse.map(|step| step.map_or(Step::OfFile, Step::Given)),
        all: arguments.all,
        json: arguments.json,
    })
}

fn solve_all(arguments: &Arguments, mut all: Vec<Named>) -> Result<Outcome, BadInput> {
    arguments.choices.must_be_absent()?;
    if arguments.all {
        return Err(BadInput::new(
            "all",
            "must be given for contact files only, found an LCP",
        ));
    }
    if arguments.impulse.is_some() {
        let problem = "must be given for contact-acceleration files only, found an LCP";
        return Err(BadInput::new("impulse", problem));
    }
    let options = options(arguments)?;
    let class = arguments.class.as_deref().map(class_named).transpose()?;
    if let Some(class) = class {
        for named in &mut all {
            named.problem = named.problem.clone().with_class(class);
        }
    }
    let mut solved = Vec::with_capacity(all.len());
    for named in &all {
        let mut timed = solve(&named.problem, options, arguments.repeat).map_err(|bad| bad.in_file(&arguments.file))?;
        if arguments.prove {
            timed.proof = Some(prove(named, &timed.solution).map_err(|bad| bad.in_file(&arguments.file))?);
        }
        solved.push(timed);
    }
    let every = solved.iter().all(Timed::solved);
    let text = match (&all[..], &solved[..]) {
        ([named], [timed]) if arguments.json => json_text(&Answer::new(&named.name, timed))?,
        ([named], [timed]) => explain(named, timed, options.tolerance),
        _ if arguments.json => {
            let answers = all
                .iter()
                .zip(&solved)
                .map(|(named, timed)| Answer::new(&named.name, timed));
            json_text(&answers.collect::<Vec<_>>())?
        }
        _ => summary(&all, &solved),
    };
    Ok(Outcome::new(text, every))
}

fn options(arguments: &Arguments) -> Result<Options, BadInput> {
    let method = arguments.method.as_deref().map(method_named).transpose()?;
    let default = Options::default();
    Ok(Options {
        tolerance: tolerance(arguments.tolerance, default.tolerance)?,
        method,
        ..default
    })
}

fn method_named(name: &str) -> Result<Method, BadInput> {
    Method::ALL
        .into_iter()
        .find(|method| method.name() == name)
        .ok_or_else(|| {
            let names: Vec<_> = Method::ALL.into_iter().map(Method::name).collect();
            let meant = did_you_mean(name, names.iter().copied());
            BadInput::new(
                "method",
                format!("must be one of {}, found {}{meant}", names.join(", "), shown(name)),
            )
        })
}

/// The answer to one problem, for a person.
fn explain(named: &Named, timed: &Timed, tolerance: f64) -> String {
    let solution = &timed.solution;
    let status = solution.status;
    let mut text = format!("{}: {}\n", named.name, words::size(&named.problem));
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}: {}\n", status.name(), words::meaning(status));
    let stats = &solution.stats;
    let _ = writeln!(text, "method     {}", words::attempts(stats));
    let _ = writeln!(
        text,
        "cost       {}, {}, {}, {:.1} us{}",
        figures::counted(stats.pivots, "pivot"),
        figures::counted(stats.fallbacks(), "fallback"),
        figures::counted(stats.factorizations, "factorization"),
        timed.time_us,
        timed
            .time_min_us
            .map_or_else(String::new, |least| format!(" (median; least {least:.1} us)"))
    );
    text += &words::residual(&solution.residual, tolerance);
    if let Some(certificate) = &solution.certificate {
        let _ = writeln!(text, "evidence   {}", words::evidence(certificate));
    }
    if let Some(proof) = &timed.proof {
        text += &words::proof(proof);
    }
    if let Some(advice) = words::advice(status) {
        let _ = writeln!(text, "next       {advice}");
    }
    if named.problem.n() > 0 {
        let heading = if timed.solved() {
            ""
        } else {
            "the best vector found, not an answer:\n"
        };
        let _ = write!(text, "\n{heading}{}", words::table(named, &solution.z, &solution.w));
    }
    text
}

/// One line per problem of a set, and a total.
fn summary(all: &[Named], solved: &[Timed]) -> String {
    let mut text = String::new();
    let width = all.iter().map(|named| named.name.chars().count()).max().unwrap_or(0);
    let mut totals: BTreeMap<&str, usize> = BTreeMap::new();
    for (named, timed) in all.iter().zip(solved) {
        let solution = &timed.solution;
        *totals.entry(solution.status.name()).or_default() += 1;
        let _ = writeln!(
            text,
            "{:width$}  n = {:<5} {:15} {:20} {:>5} pivots  residual {}{}",
            named.name,
            named.problem.n(),
            solution.status.name(),
            solution.stats.method().map_or("-", Method::name),
            solution.stats.pivots,
            figures::small(solution.residual.relative),
            match &timed.proof {
                None if timed.solved() && solution.residual.accuracy == Accuracy::Rounding => "  accuracy rounding",
                None => "",
                Some(proof) if proof.proven => "  proven",
                Some(_) => "  not proven",
            },
        );
    }
    let totals: Vec<String> = totals
        .iter()
        .map(|(status, count)| format!("{count} {status}"))
        .collect();
    let _ = writeln!(text, "{} problems: {}", all.len(), totals.join(", "));
    text
}
