//! The `stiction` command-line tool, as a library so that tests and experiments can use its readers.

mod answer;
mod bad_input;
mod baraff;
pub mod campaign;
mod chart;
mod command;
mod compare;
mod contact;
mod demo;
mod drumwright;
mod egan;
mod examples;
mod gltf;
mod help;
#[doc(hidden)]
pub mod hostile;
mod lloyd;
mod nearest;
mod pile;
mod plot;
mod prove;
pub mod read;
mod referee;
pub mod scenarios;
mod spectrum;
mod temporary;
mod timing;
mod tosses;
mod vector;
#[cfg(feature = "view")]
mod view;
mod words;
mod write_whole;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{FromArgMatches as _, Parser, Subcommand};

pub use bad_input::BadInput;
pub use stiction_replay::{page, replay};

/// Exit status: 0 solved or finished, 1 a status other than solved, 2 bad input.
const SOLVED: u8 = 0;
const NOT_SOLVED: u8 = 1;
const BAD_INPUT: u8 = 2;

/// Rigid bodies in exact contact: simulates scenes, solves contact problems and linear complementarity problems, and verifies every answer.
#[derive(Debug, Parser)]
#[command(name = "stiction", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Solve the LCP, contact problem or set of problems in a file
    Solve(command::solve::Arguments),
    /// Judge an answer from anyone against the problem's own data; of a scene alone, say what was taken and what is doubtful
    Check(command::check::Arguments),
    /// Say what is in a problem file: form, contacts, friction, rank, conditioning, defects of its matrix
    Info(command::info::Arguments),
    /// Write a contact problem in another format: JSON or FCLIB
    Convert(command::convert::Arguments),
    /// Write a contact problem as the LCP that Egan, Berard and Trinkle print
    LcpOf(command::lcp_of::Arguments),
    /// Simulate a scene: every step verified, recordings as MCAP or CSV, a table or JSON at the end
    Run(command::run::Arguments),
    /// Draw a recording's energy, penetration, contact forces and solver statistics as SVG
    Plot(command::plot::Arguments),
    /// Turn a recording or a scene into a replay in one HTML file, a glTF animation, CSV or a picture
    Export(command::export::Arguments),
    /// Run the showcase, with the exact answers beside ours, and write its replay
    Demo(command::demo::Arguments),
    /// List the scenes that come with the tool; run one by name, or write it as a file
    Examples(command::examples::Arguments),
    /// Print what a shell needs to complete the command line
    Completions(command::completions::Arguments),
    /// Print the manual page, or write those of all commands into a folder
    Man(command::man::Arguments),
    /// Show a scene, live, or a recording in the browser: forces, friction cones, why a contact sticks or slips
    #[cfg(feature = "view")]
    View(command::view::Arguments),
    /// Run every solver over a folder of problems and judge their answers: a league table, and performance profiles as a page
    Compare(command::compare::Arguments),
    /// List every method: name, source, what it accepts, what it guarantees
    Methods(command::methods::Arguments),
    /// Run an experiment: the papers' scenarios, public data sets, piles
    #[command(subcommand)]
    Experiment(command::experiment::Experiment),
    /// Run a reliability campaign: random problems by the thousand, everything counted, resumable
    #[command(subcommand)]
    Campaign(command::campaign::Campaign),
}

/// What a command has to say when it ends: the text for stdout and the exit status.
struct Outcome {
    text: String,
    status: u8,
}

impl Outcome {
    fn new(text: String, solved: bool) -> Self {
        let status = if solved { SOLVED } else { NOT_SOLVED };
        Self { text, status }
    }
}

/// Runs the tool with the given command line, the program's name first.
#[must_use]
pub fn run(line: impl IntoIterator<Item = OsString>) -> ExitCode {
    let matches = help::command().try_get_matches_from(line);
    let arguments = match matches.and_then(|found| Arguments::from_arg_matches(&found)) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Nothing is left to do when the message itself cannot be written.
            let _ = error.print();
            return if error.use_stderr() { BAD_INPUT } else { SOLVED }.into();
        }
    };
    let outcome = match arguments.command {
        Command::Solve(arguments) => command::solve::run(&arguments),
        Command::Check(arguments) => command::check::run(&arguments),
        Command::Info(arguments) => command::info::run(&arguments),
        Command::Convert(arguments) => command::convert::run(&arguments),
        Command::LcpOf(arguments) => command::lcp_of::run(&arguments),
        Command::Run(arguments) => command::run::run(&arguments),
        Command::Plot(arguments) => command::plot::run(&arguments),
        Command::Export(arguments) => command::export::run(&arguments),
        Command::Demo(arguments) => command::demo::run(&arguments),
        Command::Examples(arguments) => command::examples::run(&arguments),
        Command::Completions(arguments) => command::completions::run(&arguments),
        Command::Man(arguments) => command::man::run(&arguments),
        #[cfg(feature = "view")]
        Command::View(arguments) => command::view::run(&arguments),
        Command::Compare(arguments) => command::compare::run(&arguments),
        Command::Methods(arguments) => command::methods::run(&arguments),
        Command::Experiment(experiment) => command::experiment::run(&experiment),
        Command::Campaign(campaign) => command::campaign::run(&campaign),
    };
    finish(outcome)
}

fn finish(outcome: Result<Outcome, BadInput>) -> ExitCode {
    match outcome {
        Ok(outcome) => match print(&outcome.text) {
            // A reader that has seen enough (`| head`) does not change what was found.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                finish(Err(BadInput::new("stdout", format!("cannot be written, {error}"))))
            }
            _ => outcome.status.into(),
        },
        Err(bad) => {
            let _ = writeln!(io::stderr(), "{bad}");
            BAD_INPUT.into()
        }
    }
}

fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
