//! Misuse of the library: data that do not describe a problem.
//!
//! What a solver finds out about a well-formed problem is never an error; it is a [`crate::Status`].

use thiserror::Error;

/// A problem, option or answer that cannot be used. Every variant names the field, the reason and the value found.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum InputError {
    /// A list or matrix side has the wrong length.
    #[error("{field}: must have {expected} entries, found {found}")]
    Length {
        /// Path of the field, for example `M[3]`.
        field: String,
        /// Length that the rest of the problem asks for.
        expected: usize,
        /// Length that was given.
        found: usize,
    },
    /// A number is NaN or infinite where a finite one is needed.
    #[error("{field}: must be finite, found {found}")]
    NotFinite {
        /// Path of the field, for example `M[3][1]`.
        field: String,
        /// The value given.
        found: f64,
    },
    /// A lower bound lies above its upper bound, or a bound cannot be met by any number.
    #[error("lower[{index}]: must not exceed upper[{index}] = {upper}, found {lower}")]
    CrossedBounds {
        /// Index of the variable.
        index: usize,
        /// The lower bound given.
        lower: f64,
        /// The upper bound given.
        upper: f64,
    },
    /// An index points outside the problem.
    #[error("{field}: must be below {limit}, found {found}")]
    OutOfRange {
        /// Path of the field.
        field: String,
        /// One more than the largest index allowed.
        limit: usize,
        /// The index given.
        found: usize,
    },
    /// The method requested does not accept the problem.
    #[error("method: {method} needs {needs}; methods that fit: {fitting}")]
    MethodMismatch {
        /// The method requested.
        method: &'static str,
        /// What it needs of a problem.
        needs: String,
        /// Names of methods that accept the problem.
        fitting: String,
    },
    /// An option is outside its range.
    #[error("{field}: {requirement}, found {found}")]
    Option {
        /// Name of the option.
        field: &'static str,
        /// What it must satisfy.
        requirement: &'static str,
        /// The value given.
        found: f64,
    },
}

/// Checks that a list has the length the rest of the problem asks for.
pub(crate) fn check_length(field: &str, expected: usize, found: usize) -> Result<(), InputError> {
    if expected == found {
        return Ok(());
    }
    Err(InputError::Length {
        field: field.to_owned(),
        expected,
        found,
    })
}

/// Checks that every number of a list is finite; the first one that is not is named as `field[i]`.
pub(crate) fn check_finite(field: &str, values: &[f64]) -> Result<(), InputError> {
    match values.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(i) => Err(InputError::NotFinite {
            field: format!("{field}[{i}]"),
            found: values[i],
        }),
    }
}
