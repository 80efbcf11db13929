//! `stiction-lab experiment`: runs over whole data sets. Files written here hold no times, so that they are the same bits again.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use stiction_formats::figures;

use clap::Subcommand;
use stiction_lcp::{Method, Options};

use super::{at_least_one, problems, split_cases};
use crate::campaign;
use crate::{baraff, drumwright, egan, lloyd, pile, stand, tosses};
use stiction_answers::Outcome;
use stiction_answers::answer::{self, Timed};
use stiction_formats::BadInput;
use stiction_formats::read::{Named, ReadOptions, read_file};
use stiction_formats::write::{make_folder, write_whole};

/// The experiments.
#[derive(Debug, Subcommand)]
pub(crate) enum Experiment {
    /// Solve every LCP and MLCP of the public data sets below a folder
    LcpData {
        /// Folder that holds siconos, drake-lcp, yamanishi-lcp, dca-bl, artisynth and seed-cases
        folder: PathBuf,
        /// Write the Markdown table here instead of to stdout
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Solve random friction problems of nine families and count what is verified
    LcpCampaign {
        /// Problems in all, spread evenly over the families
        #[arg(long, value_name = "K", default_value_t = 50_000)]
        count: usize,
        /// Seed: the same seed gives the same problems
        #[arg(long, value_name = "S", default_value_t = 1)]
        seed: u64,
        /// Write every problem that is not solved as a file into this folder
        #[arg(long, value_name = "FOLDER")]
        failures: Option<PathBuf>,
    },
    /// Time the contact solvers on the paper's scenarios and larger ones
    Lloyd(lloyd::Arguments),
    /// Time dantzig against a dense linear solve and a convex QP on problems without friction
    Baraff(baraff::Arguments),
    /// Time no-slip contact against Coulomb's law and a convex QP on a grasped row of boxes
    Drumwright(drumwright::Arguments),
    /// Simulate the paper's grasp and walking quadruped under each law, verify every step, and compare times
    DrumwrightSim(drumwright::sim::Arguments),
    /// Move a peg in its hole at 1 kHz, verify every step, and print how long the slowest solves take
    LloydPeg(lloyd::peg::Arguments),
    /// Repeat the examples, sizes and figures of the paper on nonconvex constraints, and time its forms
    Egan(egan::Arguments),
    /// Drop piles of boxes until they rest, verify every step, and time it
    Pile(pile::Arguments),
    /// Time margins with both ends proved, and whole verdicts, of arches, a wall and a vault
    Stand(stand::Arguments),
    /// Replay measured tosses, drops and impacts from their first state under each law, and print how far off they are
    Tosses(tosses::Arguments),
    /// Write the scenarios as problem files, for `stiction compare`
    Problems(problems::Arguments),
    /// Write each case of a lcp-cases/1 file as a problem file with its answer beside it
    SplitCases {
        /// The set
        file: PathBuf,
        /// Folder for the problems
        folder: PathBuf,
    },
}

/// The data sets: folder, and how the names of their problem files end.
const SETS: [(&str, &str); 8] = [
    ("siconos/lcp", ".dat"),
    ("siconos/mlcp", ".dat"),
    ("siconos/relay", ".dat"),
    ("drake-lcp", ".json"),
    ("yamanishi-lcp", ".txt"),
    ("dca-bl", ".mat"),
    ("artisynth", ".txt"),
    ("seed-cases", "lcp.json"),
];

/// Runs an experiment.
pub(crate) fn run(experiment: &Experiment) -> Result<Outcome, BadInput> {
    match experiment {
        Experiment::LcpData { folder, output } => {
            let report = lcp_data(folder)?;
            match output {
                None => Ok(Outcome::new(report, true)),
                Some(file) => {
                    write_whole(file, &report)?;
                    Ok(Outcome::new(String::new(), true))
                }
            }
        }
        Experiment::LcpCampaign { count, seed, failures } => {
            at_least_one(*count)?;
            if let Some(folder) = failures {
                // Before the work, not after it.
                make_folder(folder)?;
            }
            let rows = campaign::run(*count, *seed, progress, |family, index, lcp| match failures {
                None => Ok(()),
                Some(folder) => campaign::write_problem(folder, family, index, lcp),
            })?;
            let clean = rows.iter().all(campaign::Row::is_clean);
            Ok(Outcome::new(campaign::table(&rows), clean))
        }
        Experiment::Lloyd(arguments) => lloyd::run(arguments),
        Experiment::Baraff(arguments) => baraff::run(arguments),
        Experiment::Drumwright(arguments) => drumwright::run(arguments),
        Experiment::DrumwrightSim(arguments) => drumwright::sim::run(arguments),
        Experiment::LloydPeg(arguments) => lloyd::peg::run(arguments),
        Experiment::Egan(arguments) => egan::run(arguments),
        Experiment::Pile(arguments) => pile::run(arguments),
        Experiment::Stand(arguments) => stand::run(arguments),
        Experiment::Tosses(arguments) => tosses::run(arguments),
        Experiment::Problems(arguments) => problems::run(arguments),
        Experiment::SplitCases { file, folder } => split_cases::run(file, folder),
    }
}

/// A line on stderr that is written over as the campaign goes on, on a terminal only.
fn progress(family: &str, done: usize, of: usize) {
    let mut stderr = std::io::stderr();
    if stderr.is_terminal() {
        let end = if done == of { "\n" } else { "" };
        // A progress line that cannot be written is no loss.
        let _ = write!(stderr, "\r{family:28} {done:>8} of {of}{end}");
    }
}

fn lcp_data(folder: &Path) -> Result<String, BadInput> {
    if !folder.is_dir() {
        return Err(BadInput::whole("must be a folder of data sets, found none").in_file(folder));
    }
    let mut report = Report::default();
    for (set, ending) in SETS {
        let files = files(&folder.join(set), ending);
        if files.is_empty() {
            report.skipped.push(set);
            note(&format!("skipped: {set} is not there"));
        }
        for file in files {
            for named in read_file(&file, ReadOptions::default())? {
                let timed =
                    answer::solve(&named.problem, Options::default(), None).map_err(|bad| bad.in_file(&file))?;
                note(&format!("{set}: {}: {:.0} us", named.name, timed.time_us));
                report.add(set, &named, &timed);
            }
        }
    }
    if report.count == 0 {
        let problem = format!(
            "must hold one of {}, found none of them",
            SETS.map(|(set, _)| set).join(", ")
        );
        return Err(BadInput::whole(problem).in_file(folder));
    }
    Ok(report.markdown())
}

/// Times and skipped sets go to stderr, where a closed pipe is of no consequence.
fn note(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Files of a folder by name; none when the folder cannot be read.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    files.sort();
    files
}

/// Rows of the table and their totals.
#[derive(Default)]
struct Report {
    rows: String,
    skipped: Vec<&'static str>,
    statuses: BTreeMap<&'static str, usize>,
    methods: BTreeMap<&'static str, usize>,
    count: usize,
    worst_solved: f64,
}

impl Report {
    fn add(&mut self, set: &str, named: &Named, timed: &Timed) {
        let solution = &timed.solution;
        let method = solution.stats.method().map_or("none", Method::name);
        self.count += 1;
        *self.statuses.entry(solution.status.name()).or_default() += 1;
        if timed.solved() {
            *self.methods.entry(method).or_default() += 1;
            self.worst_solved = self.worst_solved.max(solution.residual.relative);
        }
        let free = named.problem.free_count();
        let size = if free > 0 {
            format!("{} ({free} free)", named.problem.n())
        } else {
            named.problem.n().to_string()
        };
        let solver = if timed.solved() { method } else { "-" };
        // Writing to a String cannot fail.
        let _ = writeln!(
            self.rows,
            "| {set} | {} | {size} | {} | {solver} | {} | {} | {} |",
            named.name.replace('|', "\\|"),
            solution.status.name(),
            solution.stats.pivots,
            solution.stats.fallbacks(),
            figures::small(solution.residual.relative)
        );
    }

    fn markdown(&self) -> String {
        let list = |totals: &BTreeMap<&str, usize>| {
            let parts: Vec<String> = totals.iter().map(|(name, count)| format!("{count} {name}")).collect();
            parts.join(", ")
        };
        let mut text = String::from(
            "# LCPs and MLCPs of the public data sets\n\nMade by `stiction-lab experiment lcp-data FOLDER -o docs/reference/lcp-results.md`.\n\n",
        );
        let _ = writeln!(text, "{} problems: {}.", self.count, list(&self.statuses));
        let _ = writeln!(text, "Solved by: {}.", list(&self.methods));
        let _ = writeln!(
            text,
            "Largest relative residual of a solved problem: {:.1e}.",
            self.worst_solved
        );
        if !self.skipped.is_empty() {
            let _ = writeln!(text, "Skipped, not there: {}.", self.skipped.join(", "));
        }
        text += "\n| set | problem | n | status | solved by | pivots | fallbacks | residual |\n";
        text += "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
        text + &self.rows
    }
}
