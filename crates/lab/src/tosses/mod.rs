//! `stiction-lab experiment tosses`: measured tosses, drops and impacts replayed from their first state under each law.
//!
//! CSV ([`data`]) → worlds ([`replay`], [`impacts`]) → parameters fitted on the even numbers ([`fit`]) → errors on the odd ones ([`motions`])
//! → table, curves, JSON ([`report`]). What is measured is noisy and bounces are sensitive: the errors say how well a law predicts, not
//! whether it is solved, which every step's residual says.

mod data;
mod fit;
mod impacts;
mod motions;
mod replay;
mod report;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_formats::write::{make_folder, write_whole};

/// Arguments of `stiction-lab experiment tosses`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Folder that holds contactnets-cube, mcube-square-drop and mcube-ellipse-impacts (scripts/data.sh fetches them)
    #[arg(long, value_name = "FOLDER", default_value = "data")]
    data: PathBuf,
    /// One set alone
    #[arg(long, value_enum, value_name = "SET")]
    set: Option<Set>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Write tosses_SET.csv and tosses_SET.svg into this folder
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Three motions and twenty impacts of each half, a coarse search
    #[arg(long)]
    quick: bool,
}

/// The sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Set {
    /// Cube tosses
    Cube,
    /// Square drops
    Square,
    /// Ellipse impacts
    Ellipse,
}

impl Set {
    const ALL: [Self; 3] = [Self::Cube, Self::Square, Self::Ellipse];

    fn folder(self) -> &'static str {
        match self {
            Self::Cube => "contactnets-cube",
            Self::Square => "mcube-square-drop",
            Self::Ellipse => "mcube-ellipse-impacts",
        }
    }
}

/// Runs the experiment. The exit status says whether every step of every replay is verified.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let sets = sets(arguments)?;
    if let Some(folder) = &arguments.out {
        // Before the work, not after it.
        make_folder(folder)?;
    }
    let mut reports = Vec::new();
    for set in sets {
        let folder = arguments.data.join(set.folder());
        reports.push(match set {
            Set::Cube => report::Report::Motions(motions::cube(&folder, arguments.quick)?),
            Set::Square => report::Report::Motions(motions::square(&folder, arguments.quick)?),
            Set::Ellipse => report::Report::Impacts(impacts::ellipse(&folder, arguments.quick)?),
        });
    }
    if let Some(folder) = &arguments.out {
        write(folder, &reports)?;
    }
    let clean = reports.iter().all(report::Report::is_clean);
    let text = if arguments.json {
        format!("{}\n", serde_json::json!({ "sets": reports }))
    } else {
        reports.iter().map(report::Report::text).collect::<Vec<_>>().join("\n")
    };
    Ok(Outcome::new(text, clean))
}

/// The set that is requested, or all that are there.
fn sets(arguments: &Arguments) -> Result<Vec<Set>, BadInput> {
    let there = |set: &Set| arguments.data.join(set.folder()).is_dir();
    if let Some(set) = arguments.set {
        return if there(&set) {
            Ok(vec![set])
        } else {
            let problem = "must be a folder of measured motions, found none; --data names the folder above it";
            Err(BadInput::whole(problem).in_file(&arguments.data.join(set.folder())))
        };
    }
    let (found, missing): (Vec<Set>, Vec<Set>) = Set::ALL.into_iter().partition(there);
    if found.is_empty() {
        let names = Set::ALL.map(Set::folder).join(", ");
        let problem = format!("must hold one of {names}, found none; --data names another folder");
        return Err(BadInput::whole(problem).in_file(&arguments.data));
    }
    for set in missing {
        // A closed stderr is of no consequence.
        let _ = writeln!(std::io::stderr(), "skipped: {} is not there", set.folder());
    }
    Ok(found)
}

fn write(folder: &Path, reports: &[report::Report]) -> Result<(), BadInput> {
    for report in reports {
        for (ending, text) in [("csv", report.csv()), ("svg", report.svg())] {
            let file = folder.join(format!("tosses_{}.{ending}", report.set()));
            write_whole(&file, text)?;
        }
    }
    Ok(())
}
