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
    /// The system refused in the middle of a recording, as it does on a full disk. What was written before is kept and can be read.
    #[error("{}: {source}: the recording ends at t = {} s, and is kept{}", path.display(), shown_time(*time), set_aside(earlier.as_deref()))]
    Stopped {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
        /// Time of the last message that is in the file \[s\].
        time: f64,
        /// Where an earlier recording of the same name is.
        earlier: Option<PathBuf>,
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
}

/// A time without the digits of rounding.
pub(crate) fn shown_time(time: f64) -> f64 {
    let rounded = (time * 1e9).round() / 1e9;
    if rounded.is_finite() { rounded } else { time }
}

fn set_aside(earlier: Option<&Path>) -> String {
    earlier.map_or(String::new(), |path| {
        format!("; the earlier recording of this name is {}", path.display())
    })
}
