//! The `stiction` command-line tool: arguments and words.

mod command;
mod demo;
mod examples;
mod help;
#[doc(hidden)]
pub mod hostile;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{FromArgMatches as _, Parser, Subcommand};
use stiction_answers::{BAD_INPUT, SOLVED, finish};
use stiction_formats::BadInput;
use stiction_formats::bad_input::one_line;

/// The command line. What `--help` says of the tool is the package's description.
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
    /// Judge an answer of any solver by the problem's own data; or check a scene without running it
    Check(command::check::Arguments),
    /// Describe a problem file (form, contacts, friction, rank, conditioning, defects of its matrix) or a robot's file
    Info(command::info::Arguments),
    /// Write a contact problem in another format: JSON or FCLIB
    Convert(command::convert::Arguments),
    /// Simulate a scene: every step verified, recordings as MCAP or CSV, a table or JSON at the end
    Run(command::run::Arguments),
    /// Decide whether a scene stands, by what margin, and what gives way first, with proofs
    #[cfg(feature = "stand")]
    Stand(command::stand::Arguments),
    /// Show who holds what at a moment: forces of each pair of bodies, share of friction used, margins to slipping and tipping
    #[cfg(feature = "stand")]
    Why(command::why::Arguments),
    /// Draw a recording's energy, penetration, contact forces and solver statistics as SVG
    Plot(command::plot::Arguments),
    /// Turn a recording or a scene into a replay in one HTML file, a glTF animation, CSV or a picture
    Export(command::export::Arguments),
    /// Run the showcase, with the exact answers beside ours, and write its replay
    Demo(command::demo::Arguments),
    /// List the scenes that come with the tool; run one by name, or write it as a file
    Examples(command::examples::Arguments),
    /// Print the completion script of a shell
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
    /// A command of `stiction-lab`
    #[command(hide = true, disable_help_flag = true)]
    Experiment(Moved),
    /// A command of `stiction-lab`
    #[command(hide = true, disable_help_flag = true)]
    Campaign(Moved),
    /// A command of `stiction-lab`
    #[command(hide = true, disable_help_flag = true)]
    LcpOf(Moved),
}

/// The rest of a command line that another tool understands.
#[derive(Debug, clap::Args)]
struct Moved {
    /// Whatever follows
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<OsString>,
}

impl Moved {
    /// Says where the command is.
    fn say(&self, name: &str) -> BadInput {
        let rest: Vec<_> = self.rest.iter().map(|word| word.to_string_lossy()).collect();
        let line = ["stiction-lab", name].into_iter().chain(rest.iter().map(AsRef::as_ref));
        let line = line.collect::<Vec<_>>().join(" ");
        BadInput::new(name, format!("is a command of stiction-lab: {}", one_line(&line)))
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
        Command::Run(arguments) => command::run::run(&arguments),
        #[cfg(feature = "stand")]
        Command::Stand(arguments) => command::stand::run(&arguments),
        #[cfg(feature = "stand")]
        Command::Why(arguments) => command::why::run(&arguments),
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
        Command::Experiment(moved) => Err(moved.say("experiment")),
        Command::Campaign(moved) => Err(moved.say("campaign")),
        Command::LcpOf(moved) => Err(moved.say("lcp-of")),
    };
    finish(outcome)
}
