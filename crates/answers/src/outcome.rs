//! How a command ends: its text for stdout and its exit status.

use std::io::{self, Write};
use std::process::ExitCode;

use stiction_formats::BadInput;

/// Exit status: solved or finished.
pub const SOLVED: u8 = 0;
/// Exit status: another status than solved.
pub const NOT_SOLVED: u8 = 1;
/// Exit status: bad input.
pub const BAD_INPUT: u8 = 2;

/// What a command has to say when it ends: the text for stdout and the exit status.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// For stdout.
    pub text: String,
    /// Exit status.
    pub status: u8,
}

impl Outcome {
    /// A text, and whether what was requested was solved.
    #[must_use]
    pub fn new(text: String, solved: bool) -> Self {
        let status = if solved { SOLVED } else { NOT_SOLVED };
        Self { text, status }
    }
}

/// Prints what a command has to say, or what is wrong with its input; its exit status.
#[must_use]
pub fn finish(outcome: Result<Outcome, BadInput>) -> ExitCode {
    match outcome {
        Ok(outcome) => match print(&outcome.text) {
            // A reader that has seen enough (`| head`) does not change what was found.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                finish(Err(BadInput::new("stdout", format!("cannot be written, {error}"))))
            }
            _ => outcome.status.into(),
        },
        Err(bad) => {
            let _ = writeln!(io::stderr(), "{bad}");
            BAD_INPUT.into()
        }
    }
}

/// Writes to stdout at once.
///
/// # Errors
/// Where stdout cannot be written.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
