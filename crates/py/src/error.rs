//! Errors as Python knows them: misuse is an `InputError` that names the field.
// `map_err` hands errors over.
#![allow(clippy::needless_pass_by_value)]

use std::fmt::Display;

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use stiction_record::RecordError;
use stiction_scene::SceneError;
use stiction_sim::SimError;

create_exception!(
    stiction,
    InputError,
    PyValueError,
    "Data or options that cannot be used.\n\nThe text is one line a problem: the field's path, what it must be, the value found.\n`path` is the path of the first field alone, such as `contacts[2].mu`."
);
create_exception!(
    stiction,
    StepError,
    PyRuntimeError,
    "A step without a verified answer; raised by `StepReport.raise_for_status` and `Rollout.raise_for_status` alone."
);

create_exception!(
    stiction,
    SceneWarning,
    PyUserWarning,
    "A scene that can be used, but most likely says something else than was meant.\n\nOne warning a doubt; `World.warnings` has them all."
);

/// Characters of a found value that a message shows.
const SHOWN: usize = 40;

/// An `InputError` about a field.
pub(crate) fn wrong(path: impl Display, requirement: impl Display, found: impl Display) -> PyErr {
    with_path(format!("{path}: {requirement}, found {found}"), path.to_string())
}

fn with_path(text: String, path: String) -> PyErr {
    let error = InputError::new_err(text);
    Python::attach(|py| match error.value(py).setattr("path", path) {
        Ok(()) => error,
        Err(failed) => failed,
    })
}

/// Every message of the libraries starts with the path of its field.
fn from_text(text: String) -> PyErr {
    let path = text.split_once(": ").map_or("", |(path, _)| path).to_owned();
    with_path(text, path)
}

/// A file that cannot be used.
pub(crate) fn of_file(error: stiction_formats::BadInput) -> PyErr {
    from_text(error.to_string())
}

pub(crate) fn of_contact(error: stiction_contact::InputError) -> PyErr {
    from_text(error.to_string())
}

/// The same where the field has another name in the call.
pub(crate) fn renamed(error: stiction_contact::InputError, from: &str, to: &str) -> PyErr {
    let text = error.to_string();
    match text.strip_prefix(from) {
        Some(rest) => from_text(format!("{to}{rest}")),
        None => from_text(text),
    }
}

pub(crate) fn of_lcp(error: stiction_lcp::InputError) -> PyErr {
    from_text(error.to_string())
}

pub(crate) fn of_sim(error: SimError) -> PyErr {
    from_text(error.to_string())
}

pub(crate) fn of_scene(error: SceneError) -> PyErr {
    with_path(error.to_string(), path_of(&error).to_owned())
}

/// A warning to the caller.
pub(crate) fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    py.import("warnings")?.call_method1("warn", (text,))?;
    Ok(())
}

/// A recording: the text begins with the file's name, no field is at fault.
pub(crate) fn of_record(error: RecordError) -> PyErr {
    with_path(error.to_string(), String::new())
}

/// A scene of a list.
pub(crate) fn of_scenes(index: usize, error: SceneError) -> PyErr {
    let path = format!("scenes[{index}].{}", path_of(&error));
    let path = path.trim_end_matches('.').to_owned();
    with_path(format!("scenes[{index}]: {error}"), path)
}

fn path_of(error: &SceneError) -> &str {
    error.problems.first().map_or("", |p| p.path.as_str())
}

/// A value as a message shows it: its `repr` on one line, shortened.
pub(crate) fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = value
        .repr()
        .map_or_else(|_| "a value without repr".to_owned(), |r| r.to_string());
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(SHOWN) {
        None => words,
        Some((end, _)) => format!("{}...", &words[..end]),
    }
}
