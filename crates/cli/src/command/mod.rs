//! One file per command.

pub(crate) mod check;
pub(crate) mod experiment;
pub(crate) mod methods;
pub(crate) mod solve;
pub(crate) mod split_cases;

use std::path::Path;

use crate::bad_input::{BadInput, shown};
use crate::read::{Named, ReadOptions, read_file};

/// The problems of a file, or only the one named.
fn problems(file: &Path, case: Option<&str>, options: ReadOptions) -> Result<Vec<Named>, BadInput> {
    let mut all = read_file(file, options)?;
    let Some(case) = case else {
        return Ok(all);
    };
    if let Some(at) = all.iter().position(|named| named.name == case) {
        return Ok(vec![all.swap_remove(at)]);
    }
    let names: Vec<&str> = all.iter().map(|named| named.name.as_str()).collect();
    let problem = format!("must be one of {}, found {}", names.join(", "), shown(case));
    Err(BadInput::new("case", problem).in_file(file))
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

/// JSON for stdout, with a line end.
fn json_text(value: &impl serde::Serialize) -> Result<String, BadInput> {
    let text = serde_json::to_string(value).map_err(|error| BadInput::new("answer", format!("internal: {error}")))?;
    Ok(text + "\n")
}
