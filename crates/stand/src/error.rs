//! Misuse, with field, requirement and the value found.

use stiction_contact::InputError;
use stiction_sim::SimError;

/// What cannot be asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StandError {
    /// A value that is out of range.
    #[error("{field}: {requirement}, found {found}")]
    Value {
        /// Where it stands.
        field: String,
        /// What it must be.
        requirement: String,
        /// What it is.
        found: String,
    },
    /// A contact problem that cannot be built.
    #[error(transparent)]
    Contact(#[from] InputError),
    /// A world that cannot be taken as a question of statics.
    #[error(transparent)]
    World(#[from] SimError),
}

impl StandError {
    /// A value that is out of range.
    #[expect(clippy::needless_pass_by_value, reason = "numbers and texts are given alike")]
    pub fn value(field: impl Into<String>, requirement: impl Into<String>, found: impl ToString) -> Self {
        Self::Value {
            field: field.into(),
            requirement: requirement.into(),
            found: found.to_string(),
        }
    }
}
