//! One file per command.

pub(crate) mod check;
mod check_scene;
#[cfg(feature = "stand")]
mod check_stand;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod examples;
pub(crate) mod export;
pub(crate) mod info;
pub(crate) mod man;
pub(crate) mod methods;
pub(crate) mod plot;
pub(crate) mod run;
mod run_faults;
mod run_report;
mod run_state;
mod run_work;
mod scene_argument;
mod scene_notes;
mod signals;
pub(crate) mod solve;
#[cfg(feature = "stand")]
pub(crate) mod stand;
#[cfg(feature = "stand")]
mod stand_source;
#[cfg(feature = "view")]
pub(crate) mod view;
#[cfg(feature = "stand")]
pub(crate) mod why;

use std::io::Write as _;

use stiction_formats::BadInput;

/// Says where a recording ends that has no end mark.
fn say_end(unfinished: Option<&impl std::fmt::Display>) {
    if let Some(unfinished) = unfinished {
        // Nothing is left to do where messages cannot be written.
        let _ = writeln!(std::io::stderr(), "{unfinished}");
    }
}

/// A tolerance from the command line.
fn tolerance(given: Option<f64>, default: f64) -> Result<f64, BadInput> {
    match given {
        None => Ok(default),
        Some(value) if value > 0.0 && value < 1.0 => Ok(value),
        Some(value) => {
            let problem = format!("must be between 0 and 1, found {value}");
            Err(BadInput::new("tolerance", problem))
        }
    }
}
