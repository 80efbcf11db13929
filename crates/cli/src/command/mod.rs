//! One file per command.

pub(crate) mod campaign;
pub(crate) mod check;
mod check_scene;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod examples;
pub(crate) mod experiment;
pub(crate) mod export;
pub(crate) mod info;
pub(crate) mod lcp_of;
pub(crate) mod man;
pub(crate) mod methods;
mod picture;
pub(crate) mod plot;
pub(crate) mod problems;
pub(crate) mod run;
mod run_faults;
mod run_report;
mod run_state;
mod signals;
pub(crate) mod solve;
pub(crate) mod split_cases;
mod taken;
#[cfg(feature = "view")]
pub(crate) mod view;

use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use crate::bad_input::{BadInput, shown};
use crate::read::{ContactFile, Content, Named, ReadOptions, read_content};

/// Says where a recording ends that has no end mark.
fn say_end(unfinished: Option<&impl std::fmt::Display>) {
    if let Some(unfinished) = unfinished {
        // Nothing is left to do where messages cannot be written.
        let _ = writeln!(std::io::stderr(), "{unfinished}");
    }
}

/// The content of a file; of a set, only the problem named.
fn content(file: &Path, case: Option<&str>, options: ReadOptions) -> Result<Content, BadInput> {
    match (read_content(file, options)?, case) {
        (Content::Problems(all), Some(case)) => only(file, all, case).map(|one| Content::Problems(vec![one])),
        (Content::Contacts(all), Some(case)) => only(file, all, case).map(Content::Contact),
        (Content::Contact(contact), Some(case)) => {
            check_name(file, &contact.name, case)?;
            Ok(Content::Contact(contact))
        }
        (Content::Raw(raw), Some(case)) => {
            check_name(file, &raw.name, case)?;
            Ok(Content::Raw(raw))
        }
        (content, None) => Ok(content),
    }
}

fn check_name(file: &Path, name: &str, case: &str) -> Result<(), BadInput> {
    if name == case {
        return Ok(());
    }
    let problem = format!("must be one of {name}, found {}", shown(case));
    Err(BadInput::new("case", problem).in_file(file))
}

/// What has a name in a set.
trait HasName {
    fn name(&self) -> &str;
}

impl HasName for Named {
    fn name(&self) -> &str {
        &self.name
    }
}

impl HasName for ContactFile {
    fn name(&self) -> &str {
        &self.name
    }
}

/// A set is given where one problem is wanted.
fn one_wanted(file: &Path, count: usize) -> BadInput {
    BadInput::new("case", format!("must be named by --case, found {count} problems")).in_file(file)
}

/// The problem named.
fn only<T: HasName>(file: &Path, mut all: Vec<T>, case: &str) -> Result<T, BadInput> {
    let found: Vec<usize> = (0..all.len()).filter(|k| all[*k].name() == case).collect();
    match found[..] {
        [] => {}
        [at] => return Ok(all.swap_remove(at)),
        _ => {
            let problem = format!("must name one problem, found {} that are {}", found.len(), shown(case));
            return Err(BadInput::new("case", problem).in_file(file));
        }
    }
    let names: Vec<&str> = all.iter().map(HasName::name).collect();
    let problem = format!("must be one of {}, found {}", names.join(", "), shown(case));
    Err(BadInput::new("case", problem).in_file(file))
}

/// A run over nothing would say that all is well.
fn at_least_one(count: usize) -> Result<(), BadInput> {
    if count == 0 {
        return Err(BadInput::new("count", "must be 1 at least, found 0"));
    }
    Ok(())
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

/// Time since `start` [µs].
pub(crate) fn microseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e6
}

/// The median of sorted values.
pub(crate) fn median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[half],
        _ => f64::midpoint(sorted[half - 1], sorted[half]),
    }
}

/// JSON for stdout, with a line end.
pub(crate) fn json_text(value: &impl serde::Serialize) -> Result<String, BadInput> {
    let text = serde_json::to_string(value).map_err(|error| BadInput::new("answer", format!("internal: {error}")))?;
    Ok(text + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_the_middle() {
        assert!((median(&[1.0, 2.0, 4.0, 9.0]) - 3.0).abs() < 1e-15);
        assert!((median(&[1.0, 2.0, 9.0]) - 2.0).abs() < 1e-15);
    }
}
