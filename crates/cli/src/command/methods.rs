//! `stiction methods`: the table of methods.

use std::fmt::Write;

use serde::Serialize;
use stiction_lcp::Method;

use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_formats::Level;
use stiction_formats::write::json_text;

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
    /// `lcp` or `contact`.
    problems: &'static str,
    paper: &'static str,
    accepts: String,
    guarantees: &'static str,
}

/// Lists every method of LCPs and of contact problems.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let lcp = Method::ALL.map(|method| Entry {
        name: method.name(),
        problems: "lcp",
        paper: method.source(),
        accepts: method.accepts().to_owned(),
        guarantees: method.guarantees(),
    });
    let contact = stiction_contact::Method::ALL.map(|method| Entry {
        name: method.name(),
        problems: "contact",
        paper: method.source(),
        accepts: laws(method),
        guarantees: method.guarantees(),
    });
    let text = if arguments.json {
        json_text(&lcp.iter().chain(&contact).collect::<Vec<_>>())?
    } else {
        format!("LCP files\n{}\ncontact files\n{}", table(&lcp), blocks(&contact))
    };
    Ok(Outcome::new(text, true))
}

/// The laws that a contact method answers, level by level.
fn laws(method: stiction_contact::Method) -> String {
    let names = |level: Level| {
        let laws = level.laws().iter().filter(|law| method.laws().contains(law));
        laws.map(|law| law.name()).collect::<Vec<_>>().join(", ")
    };
    format!(
        "law {}; at acceleration level law {}",
        names(Level::Velocity),
        names(Level::Acceleration)
    )
}

/// One method a paragraph: their laws are too many for a line of a table.
fn blocks(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{}\n  source      {}\n  accepts     {}\n  guarantees  {}",
            entry.name,
            entry.paper,
            entry.accepts.replace("; ", "\n              "),
            entry.guarantees
        );
    }
    text
}

fn table(entries: &[Entry]) -> String {
    let width = |field: fn(&Entry) -> &str| entries.iter().map(|entry| field(entry).len()).max().unwrap_or(0);
    let (name, paper, accepts) = (width(|e| e.name), width(|e| e.paper), width(|e| &e.accepts));
    let heading = Entry {
        name: "method",
        problems: "",
        paper: "source",
        accepts: "accepts".to_owned(),
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
