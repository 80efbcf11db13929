//! Recordings that cannot be written or read.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a recording cannot be written or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The path does not say in which form to record.
    #[error("{}: must end in .mcap or .csv, or be a folder", path.display())]
    Name {
        /// The path given.
        path: PathBuf,
    },
    /// The system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is not a recording, or it is damaged.
    #[error("{}: {reason}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

impl RecordError {
    /// A refusal of the system, for a file.
    pub(crate) fn io(path: &Path) -> impl Fn(std::io::Error) -> Self {
        |source| Self::Io {
            path: path.to_owned(),
            source,
        }
    }

    /// Something wrong with the contents of a file.
    pub(crate) fn format(path: &Path, reason: &impl ToString) -> Self {
        Self::Format {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }

    /// What the MCAP library says about a file.
    pub(crate) fn mcap(path: &Path) -> impl Fn(mcap::McapError) -> Self {
        |error| match error {
            mcap::McapError::Io(source) => Self::io(path)(source),
            error => Self::format(path, &error),
        }
    }
}
