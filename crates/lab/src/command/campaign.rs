//! `stiction-lab campaign`: many random problems, everything counted; exit status 0 only where nothing failed.

use clap::Subcommand;

use crate::campaign::agree::{Agree, Changed};
use crate::campaign::proofs::{Exact, Infeasible};
use crate::campaign::runner::{self, Settings};
use crate::campaign::{soak, solved};
use stiction_answers::Outcome;
use stiction_formats::BadInput;

/// The campaigns.
#[derive(Debug, Subcommand)]
pub(crate) enum Campaign {
    /// Solve random contact problems of ten families under Coulomb's law and its polygon, and judge every answer twice
    Contact(Settings),
    /// Compare every method alone with the answer of the front door: the same motion where it is unique
    Agree(Settings),
    /// Solve rational friction problems and prove every answer in exact arithmetic
    Exact(Settings),
    /// Solve planted problems without an answer and check the proof of it
    Infeasible(Settings),
    /// Shuffle bodies and contacts and rename their ids: the same motion, the same bits
    Order(Settings),
    /// Turn and move whole scenes and change units: the same motion
    Invariance(Settings),
    /// Let structures that stand still stand for many steps: drift, kinetic energy, memory
    Soak(soak::Arguments),
}

/// Runs a campaign.
pub(crate) fn run(campaign: &Campaign) -> Result<Outcome, BadInput> {
    match campaign {
        Campaign::Contact(settings) => runner::command(&solved::Contacts, settings, 50_000),
        Campaign::Agree(settings) => runner::command(&Agree, settings, 10_000),
        Campaign::Exact(settings) => runner::command(&Exact, settings, 1000),
        Campaign::Infeasible(settings) => runner::command(&Infeasible, settings, 10_000),
        Campaign::Order(settings) => runner::command(&Changed::ORDER, settings, 10_000),
        Campaign::Invariance(settings) => runner::command(&Changed::INVARIANCE, settings, 10_000),
        Campaign::Soak(arguments) => soak::run(arguments),
    }
}
