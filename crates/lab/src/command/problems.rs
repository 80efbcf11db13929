//! `stiction-lab experiment problems`: the scenarios as problem files, for comparisons.

use std::path::PathBuf;

use serde::Serialize;
use stiction_contact::{ContactProblem, Law};

use super::at_least_one;
use crate::scenarios;
use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_formats::bad_input::shown;
use stiction_formats::raw_text;
use stiction_formats::write::json_text;
use stiction_formats::write::{make_folder, write_whole};

/// Arguments of `stiction-lab experiment problems`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Folder for the files
    folder: PathBuf,
    /// What to write: lcp (Stewart and Trinkle's, 8 friction directions), frictionless (the LCP of the normals) or contact
    #[arg(long, value_name = "FORM", default_value = "lcp")]
    form: String,
    /// Problems of each scenario: one geometry under so many loads
    #[arg(long, value_name = "K", default_value_t = 3)]
    count: usize,
    /// Leave out scenarios with more contacts
    #[arg(long, value_name = "N", default_value_t = 40)]
    contacts: usize,
}

#[derive(Serialize)]
struct File<'a> {
    kind: &'static str,
    name: &'a str,
    #[serde(rename = "M")]
    matrix: Vec<Vec<f64>>,
    q: &'a [f64],
}

/// Writes the problems.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let law = match arguments.form.as_str() {
        "lcp" => Some(Law::Polyhedral),
        "frictionless" => Some(Law::Frictionless),
        "contact" => None,
        other => {
            let problem = format!("must be one of lcp, frictionless, contact, found {}", shown(other));
            return Err(BadInput::new("form", problem));
        }
    };
    at_least_one(arguments.count)?;
    let folder = &arguments.folder;
    make_folder(folder)?;
    let mut written = 0;
    for scenario in scenarios::all(arguments.count) {
        if scenario.contact_count() > arguments.contacts {
            continue;
        }
        for index in 0..scenario.impulse_count() {
            let name = format!("{}-{index}", scenario.name());
            let problem = scenario.problem(index)?;
            write_whole(&folder.join(format!("{name}.json")), text(&name, &problem, law)?)?;
            written += 1;
        }
    }
    Ok(Outcome::new(
        format!("{written} problems in {}\n", folder.display()),
        true,
    ))
}

fn text(name: &str, problem: &ContactProblem, law: Option<Law>) -> Result<String, BadInput> {
    let Some(law) = law else {
        return raw_text::text(problem, name);
    };
    let lcp = problem.lcp_convex(law, 8)?.lcp;
    let row = |r: usize| (0..lcp.n()).map(|c| lcp.M().at(r, c)).collect();
    json_text(&File {
        kind: "lcp",
        name,
        matrix: (0..lcp.n()).map(row).collect(),
        q: lcp.q(),
    })
}
