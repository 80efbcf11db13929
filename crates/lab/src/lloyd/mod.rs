//! `stiction-lab experiment lloyd`: the three experiments of \[Lloyd 6\] with our own problems, and beyond their sizes.

mod figures;
mod measure;
pub(crate) mod peg;
mod report;

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use measure::{Row, WarmRow, Way, measure, measure_warm};

use crate::scenarios::{self, Group, Scenario};
use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_formats::write::{make_folder, write_whole};
use stiction_show::chart::png;

/// Largest scenario of a quick run.
const QUICK_CONTACTS: usize = 64;

/// Impulses of a quick run, and steps of its warm starts.
const QUICK_IMPULSES: usize = 3;
const QUICK_STEPS: usize = 20;

/// Steps of a warm-start sequence.
const WARM_STEPS: usize = 100;

/// Arguments of `stiction-lab experiment lloyd`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Write lloyd.csv, lloyd_warm.csv and the figures into this folder
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Random external impulses of each scenario
    #[arg(long, value_name = "K", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    wrenches: u32,
    /// Three impulses and at most 64 contacts
    #[arg(long)]
    quick: bool,
    /// Only this group: peg, single, artisynth, stack, tower, wall, grasp or hard; may be repeated
    #[arg(long, value_name = "GROUP")]
    only: Vec<String>,
    /// ArtiSynth's contactTest.txt
    #[arg(long, value_name = "FILE", default_value = "data/artisynth/contactTest.txt")]
    artisynth: PathBuf,
}

/// Runs the experiment. The exit status says whether everything was solved.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let scenarios = scenarios_of(arguments)?;
    if let Some(folder) = &arguments.out {
        make_folder(folder)?;
    }
    let steps = if arguments.quick { QUICK_STEPS } else { WARM_STEPS };
    let (mut rows, mut warm_rows) = (Vec::new(), Vec::new());
    for (done, scenario) in scenarios.iter().enumerate() {
        for way in Way::ALL {
            if scenario.contact_count() <= way.most_contacts {
                progress(scenario.name(), way.name, done, scenarios.len());
                rows.push(measure(scenario, way)?);
            }
        }
        for way in warm_ways() {
            progress(scenario.name(), "warm start", done, scenarios.len());
            warm_rows.push(measure_warm(scenario, way, steps)?);
        }
        // After every scenario, so that a long run that is stopped leaves what it found.
        if let Some(folder) = &arguments.out {
            write_tables(folder, &rows, &warm_rows)?;
        }
    }
    progress("", "", scenarios.len(), scenarios.len());
    if let Some(folder) = &arguments.out {
        write_figures(folder, &rows)?;
    }
    let clean = rows.iter().all(Row::is_clean);
    Ok(Outcome::new(
        report::table(&rows) + &report::warm_table(&warm_rows),
        clean,
    ))
}

/// The ways whose warm starts are measured: the reduced Lemke method and the choice of methods for the round cone.
fn warm_ways() -> impl Iterator<Item = Way> {
    Way::ALL
        .into_iter()
        .filter(|way| matches!(way.name, "lemke_reduced" | "auto"))
}

fn scenarios_of(arguments: &Arguments) -> Result<Vec<Scenario>, BadInput> {
    let mut groups = Vec::new();
    for name in &arguments.only {
        let group = Group::ALL.into_iter().find(|group| group.name() == name);
        groups.push(group.ok_or_else(|| {
            let names = Group::ALL.map(Group::name).join(", ");
            BadInput::new(
                "only",
                format!(
                    "must be one of {names}, found {}",
                    stiction_formats::bad_input::shown(name)
                ),
            )
        })?);
    }
    let count = if arguments.quick {
        QUICK_IMPULSES
    } else {
        arguments.wrenches as usize
    };
    let wanted = |group: Group| groups.is_empty() || groups.contains(&group);
    let mut list = scenarios::all(count);
    if wanted(Group::Artisynth) {
        if arguments.artisynth.is_file() {
            list.extend(scenarios::artisynth(&arguments.artisynth, count)?);
        } else {
            note(&format!(
                "skipped: artisynth: {} is not there",
                arguments.artisynth.display()
            ));
        }
    }
    list.retain(|scenario| {
        wanted(scenario.group()) && (!arguments.quick || scenario.contact_count() <= QUICK_CONTACTS)
    });
    list.sort_by_key(Scenario::group);
    Ok(list)
}

fn save(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), BadInput> {
    write_whole(&folder.join(name), bytes)
}

fn write_tables(folder: &Path, rows: &[Row], warm_rows: &[WarmRow]) -> Result<(), BadInput> {
    save(folder, "lloyd.csv", report::csv(rows).as_bytes())?;
    save(folder, "lloyd_warm.csv", report::warm_csv(warm_rows).as_bytes())
}

fn write_figures(folder: &Path, rows: &[Row]) -> Result<(), BadInput> {
    for (name, svg) in figures::figures(rows) {
        save(folder, &format!("{name}.svg"), svg.as_bytes())?;
        save(folder, &format!("{name}.png"), &png(&svg)?)?;
    }
    Ok(())
}

/// A line on stderr that is written over, on a terminal only.
fn progress(scenario: &str, method: &str, done: usize, of: usize) {
    let mut stderr = std::io::stderr();
    if stderr.is_terminal() {
        let end = if done == of { "\n" } else { "" };
        // A progress line that cannot be written is no loss.
        let _ = write!(stderr, "\r{done:>3} of {of}  {scenario:24} {method:20}{end}");
    }
}

fn note(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
