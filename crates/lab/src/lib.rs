//! Experiments and campaigns: the papers' scenarios, public data sets, piles, tosses, and random problems by the thousand.
//!
//! `stiction-lab` is the tool of those who work on Stiction; `stiction` is that of those who use it.

mod baraff;
mod baselines;
pub mod campaign;
mod command;
mod drumwright;
mod egan;
mod lloyd;
mod pile;
pub mod scenarios;
mod stand;
mod tosses;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use stiction_answers::{BAD_INPUT, SOLVED, finish};

/// Experiments of the papers, public data sets, piles, and reliability campaigns for Stiction.
#[derive(Debug, Parser)]
#[command(name = "stiction-lab", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run an experiment: the papers' scenarios, public data sets, piles
    #[command(subcommand)]
    Experiment(command::experiment::Experiment),
    /// Run a reliability campaign: random problems by the thousand, everything counted, resumable
    #[command(subcommand)]
    Campaign(command::campaign::Campaign),
    /// Write a contact problem as the LCP that Egan, Berard and Trinkle print
    LcpOf(command::lcp_of::Arguments),
}

/// Runs the tool with the given command line, the program's name first.
#[must_use]
pub fn run(line: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(line) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Nothing is left to do when the message itself cannot be written.
            let _ = error.print();
            return if error.use_stderr() { BAD_INPUT } else { SOLVED }.into();
        }
    };
    finish(match arguments.command {
        Command::Experiment(experiment) => command::experiment::run(&experiment),
        Command::Campaign(campaign) => command::campaign::run(&campaign),
        Command::LcpOf(arguments) => command::lcp_of::run(&arguments),
    })
}
