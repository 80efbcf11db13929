//! Misuse of the library: data that do not describe a contact problem.
//!
//! What a solver finds out about a well-formed problem is never an error; it is a [`crate::Status`].

use std::fmt::Display;

use thiserror::Error;

/// A problem, option or answer that cannot be used. Every variant names the field, the reason and the value found.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum InputError {
    /// A list or matrix has the wrong length.
    #[error("{field}: must have {expected} entries, found {found}")]
    Length {
        /// Path of the field, for example `bodies[3].inertia`.
        field: String,
        /// Length that the rest of the problem asks for.
        expected: usize,
        /// Length that was given.
        found: usize,
    },
    /// A number does not meet its requirement.
    #[error("{field}: {requirement}, found {found}")]
    Value {
        /// Path of the field, for example `contacts[2].mu`.
        field: String,
        /// What the number must satisfy, for example `must be positive`.
        requirement: String,
        /// The value given.
        found: f64,
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
    /// Two ends of a contact or joint are the same body.
    #[error("{field}: must touch two different bodies, found body {found} twice")]
    SelfContact {
        /// Path of the contact or joint.
        field: String,
        /// The body named twice.
        found: usize,
    },
    /// A method was requested for a law that it does not support.
    #[error("method: {method} does not answer the law {law}; methods that do: {fitting}")]
    MethodMismatch {
        /// The requested method.
        method: &'static str,
        /// The requested law.
        law: &'static str,
        /// Names of methods that answer the law.
        fitting: String,
    },
    /// A method was requested for a problem with compliant or limited joint rows, which it does not support under this law.
    #[error("method: {method} does not know joint rows that yield under the law {law}; methods that do: {fitting}")]
    Yields {
        /// The requested method.
        method: &'static str,
        /// The requested law.
        law: &'static str,
        /// Names of methods that do.
        fitting: String,
    },
    /// Bytes that are not a warm start.
    #[error("warm start: {reason}")]
    WarmStart {
        /// What they must satisfy.
        reason: &'static str,
    },
}

impl InputError {
    /// A number that does not meet its requirement.
    pub fn value(field: impl Into<String>, requirement: impl Into<String>, found: f64) -> Self {
        Self::Value {
            field: field.into(),
            requirement: requirement.into(),
            found,
        }
    }
}

/// Checks that a list has the length the rest of the problem asks for. The field is written out only where it does not: problems are built
/// in every step of a simulation.
pub(crate) fn check_length(field: impl Display, expected: usize, found: usize) -> Result<(), InputError> {
    if expected == found {
        return Ok(());
    }
    Err(InputError::Length {
        field: field.to_string(),
        expected,
        found,
    })
}

/// Checks that every number of a list is finite; the first that is not is named by its index.
pub(crate) fn check_finite(field: impl Display, values: &[f64]) -> Result<(), InputError> {
    // A number that is not finite times zero is not a number.
    let (chunks, rest) = values.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for chunk in chunks {
        for (sum, x) in sums.iter_mut().zip(chunk) {
            *sum += 0.0 * x;
        }
    }
    if rest.iter().fold(sums.iter().sum(), |sum: f64, x| sum + 0.0 * x) == 0.0 {
        return Ok(());
    }
    match values.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(i) => Err(InputError::value(format!("{field}[{i}]"), "must be finite", values[i])),
    }
}
