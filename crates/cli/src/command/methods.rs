//! `stiction methods`: the table of methods.

use std::fmt::Write;

use serde::Serialize;
use stiction_lcp::Method;

use super::json_text;
use crate::{BadInput, Outcome};

/// Arguments of `stiction methods`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    paper: &'static str,
    accepts: &'static str,
    guarantees: &'static str,
}

/// Lists every method of [`Method::ALL`].
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let entries = Method::ALL.map(|method| Entry {
        name: method.name(),
        paper: method.source(),
        accepts: method.accepts(),
        guarantees: method.guarantees(),
    });
    let text = if arguments.json {
        json_text(&entries)?
    } else {
        table(&entries)
    };
    Ok(Outcome::new(text, true))
}

fn table(entries: &[Entry]) -> String {
    let width = |field: fn(&Entry) -> &'static str| entries.iter().map(|entry| field(entry).len()).max().unwrap_or(0);
    let (name, paper, accepts) = (width(|e| e.name), width(|e| e.paper), width(|e| e.accepts));
    let heading = Entry {
        name: "method",
        paper: "source",
        accepts: "accepts",
        guarantees: "guarantees, beyond a verified answer",
    };
    let mut text = String::new();
    for entry in std::iter::once(&heading).chain(entries) {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{:name$}  {:paper$}  {:accepts$}  {}",
            entry.name, entry.paper, entry.accepts, entry.guarantees
        );
    }
    text
}
