//! `stiction-lab experiment stand`: how long a margin with both proofs takes, and a whole verdict.

mod structures;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_formats::write::write_whole;
use stiction_stand::{Ask, Equilibrium, Existence, Known, Margin, Verdict, decide, existence, margin};

const X: [f64; 3] = [1.0, 0.0, 0.0];
/// Where the vault's file is looked for.
const VAULT: &str = "compas-cra/armadillo_cra.json";
/// Largest gap between two proved ends, and of the vault's, whose contacts lie close.
const MAX_PROVED_GAP: f64 = 1e-6;
const MAX_PROVED_GAP_VAULT: f64 = 1e-3;

/// Arguments of `stiction-lab experiment stand`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Runs of each structure: the middle time counts
    #[arg(long, value_name = "K", default_value_t = 7)]
    runs: usize,
    /// Folder in which compas-cra/armadillo_cra.json is looked for
    #[arg(long, value_name = "FOLDER", default_value = "data")]
    data: PathBuf,
    /// Write the Markdown table here instead of to stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Times of a structure \[ms\] and what was found.
struct Row {
    name: &'static str,
    bodies: usize,
    contacts: usize,
    margin: f64,
    verdict: f64,
    low: f64,
    high: f64,
    word: Verdict,
}

/// The margin along x with both proofs, from nothing: forces for the load itself are only needed where those at the end prove nothing.
fn whole_margin(whole: &Equilibrium) -> Option<Margin> {
    let found = margin(whole, &whole.lean(X), Known::default());
    if found.low.is_some() {
        return Some(found);
    }
    let Existence::Forces(inner) = existence(whole) else {
        return None;
    };
    let known = Known {
        inner: Some(&inner),
        ..Known::default()
    };
    Some(margin(whole, &whole.lean(X), known))
}

fn middle(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

fn timed<T>(runs: usize, mut work: impl FnMut() -> T) -> (f64, T) {
    let mut times = Vec::with_capacity(runs);
    loop {
        let start = Instant::now();
        let found = work();
        times.push(1e3 * start.elapsed().as_secs_f64());
        if times.len() >= runs {
            return (middle(times), found);
        }
    }
}

fn row(name: &'static str, whole: &Equilibrium, runs: usize) -> Result<Row, BadInput> {
    let (margin_time, found) = timed(runs, || whole_margin(whole));
    let (verdict_time, verdict) = timed(runs, || decide(whole, &Ask::default()));
    let verdict = verdict.map_err(|error| BadInput::named(&error))?;
    let low = found.as_ref().and_then(|found| found.low.as_ref());
    Ok(Row {
        name,
        bodies: whole.bodies().len(),
        contacts: whole.contacts().len(),
        margin: margin_time,
        verdict: verdict_time,
        low: low.map_or(f64::NAN, |low| low.lambda),
        high: found.as_ref().map_or(f64::NAN, |found| found.high),
        word: verdict,
    })
}

fn table(rows: &[Row], skipped: bool) -> String {
    let mut text = "| structure | bodies | contacts | margin, both ends proved [ms] | verdict [ms] | tan θ | gap | word | drops, nudges, unsolved |\n|---|---|---|---|---|---|---|---|---|\n".to_owned();
    for row in rows {
        let tries = &row.word.tries;
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.2} | {:.2} | {:.8} | {:.0e} | {} | {}, {}, {} |",
            row.name,
            row.bodies,
            row.contacts,
            row.margin,
            row.verdict,
            row.low,
            row.high - row.low,
            row.word.word.name(),
            tries.drops,
            tries.nudges,
            tries.unsolved
        );
    }
    if skipped {
        let _ = writeln!(text, "\nskipped: the vault: {VAULT} is not there");
    }
    text
}

/// Runs it.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let wrong = |error: &dyn std::error::Error| BadInput::named(error);
    let runs = arguments.runs.max(1);
    let mut rows = Vec::new();
    for (name, whole) in [
        ("arch of 20", structures::arch(20)),
        ("arch of 50", structures::arch(50)),
        ("wall 10×10", structures::wall(10, 10)),
    ] {
        rows.push(row(name, &whole.map_err(|error| wrong(&error))?, runs)?);
    }
    let file = arguments.data.join(VAULT);
    let vault = structures::vault(&file).map_err(|problem| BadInput::new("vault", problem).in_file(&file))?;
    if let Some(whole) = &vault {
        rows.push(row("armadillo vault", whole, 1)?);
    }
    let proved = rows.iter().all(|row| {
        let most = if row.name == "armadillo vault" {
            MAX_PROVED_GAP_VAULT
        } else {
            MAX_PROVED_GAP
        };
        row.low <= row.high && row.high - row.low <= most
    });
    let text = table(&rows, vault.is_none());
    Ok(match &arguments.output {
        None => Outcome::new(text, proved),
        Some(file) => {
            write_whole(file, &text)?;
            Outcome::new(String::new(), proved)
        }
    })
}
