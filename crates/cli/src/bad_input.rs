//! Input that cannot be used, as one line: `FILE: path.to.field: what is wrong, value found`.

use std::fmt;
use std::path::Path;

use stiction_lcp::InputError;

use crate::words::figure;

/// Characters of a found value that a message shows.
const SHOWN: usize = 40;

/// Why a file, field or option cannot be used. Its text is always a single line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadInput {
    file: Option<String>,
    detail: String,
}

impl BadInput {
    /// What is wrong at a place: a field, an option, a line or a token.
    #[must_use]
    pub fn new(place: impl fmt::Display, problem: impl fmt::Display) -> Self {
        Self {
            file: None,
            detail: format!("{place}: {problem}"),
        }
    }

    /// What is wrong with a whole file.
    #[must_use]
    pub fn whole(problem: impl fmt::Display) -> Self {
        Self {
            file: None,
            detail: problem.to_string(),
        }
    }

    /// Names the file, unless one is named already.
    #[must_use]
    pub fn in_file(mut self, path: &Path) -> Self {
        self.file.get_or_insert_with(|| path.display().to_string());
        self
    }

    /// Puts a prefix such as `cases[3].` before the field's path.
    #[must_use]
    pub(crate) fn below(mut self, prefix: &str) -> Self {
        // Where the object itself is wrong there is no field below it.
        let path = if self.detail.starts_with("must ") {
            format!("{}: ", prefix.trim_end_matches('.'))
        } else {
            prefix.to_owned()
        };
        self.detail.insert_str(0, &path);
        self
    }
}

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}: ", one_line(file))?;
        }
        f.write_str(&one_line(&self.detail))
    }
}

impl std::error::Error for BadInput {}

impl From<InputError> for BadInput {
    fn from(error: InputError) -> Self {
        Self::whole(error)
    }
}

impl From<stiction_contact::InputError> for BadInput {
    fn from(error: stiction_contact::InputError) -> Self {
        match error {
            // A value such as 1e308 is shown as it was written, not with all its digits.
            stiction_contact::InputError::Value {
                field,
                requirement,
                found,
            } => Self::new(field, format!("{requirement}, found {}", figure(found))),
            other => Self::whole(other),
        }
    }
}

/// A value found in a file, shortened for a message.
pub(crate) fn shown(value: &str) -> String {
    let value = value.trim();
    if value.is_empty() {
        return "nothing".to_owned();
    }
    let words: String = value.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(SHOWN) {
        None => words,
        Some((end, _)) => format!("{}...", &words[..end]),
    }
}

/// The text with control characters escaped, so that a hostile name cannot forge further lines.
pub(crate) fn one_line(text: &str) -> String {
    let escape = |c: char| {
        if c.is_control() {
            c.escape_default().to_string()
        } else {
            c.to_string()
        }
    };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_whatever_the_names_hold() {
        let bad = BadInput::new("M[0]", "must be a number, found \"\n\"").in_file(Path::new("a\nb.json"));
        assert_eq!(bad.to_string(), "a\\nb.json: M[0]: must be a number, found \"\\n\"");
    }

    #[test]
    fn long_values_are_shortened() {
        assert_eq!(shown(&"9".repeat(50)), format!("{}...", "9".repeat(40)));
        assert_eq!(shown(" [1,\n 2] "), "[1, 2]");
    }
}
