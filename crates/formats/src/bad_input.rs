//! Input that cannot be used, as one line: `FILE: path.to.field: what is wrong, value found`.

use std::fmt;
use std::path::Path;

use stiction_lcp::InputError;

use crate::figures::figure;

/// Characters of a found value that a message shows.
const MAX_SHOWN_CHARACTERS: usize = 40;

/// Why a file, field or option cannot be used. Its text is a single line, except for scenes and folders, which list all that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadInput {
    file: Option<String>,
    /// The field; `None` where the whole file or object is wrong.
    place: Option<String>,
    problem: String,
    /// Everything that is wrong with a scene or with the files of a folder, each on a line of its own; then the rest is empty.
    lines: Vec<String>,
}

impl BadInput {
    /// What is wrong at a place: a field, an option, a line or a token.
    #[must_use]
    pub fn new(place: impl fmt::Display, problem: impl fmt::Display) -> Self {
        Self {
            file: None,
            place: Some(place.to_string()),
            problem: problem.to_string(),
            lines: Vec::new(),
        }
    }

    /// What is wrong with a whole file.
    #[must_use]
    pub fn whole(problem: impl fmt::Display) -> Self {
        Self {
            file: None,
            place: None,
            problem: problem.to_string(),
            lines: Vec::new(),
        }
    }

    /// An error that lists all that is wrong with a file, each on a line of its own.
    #[must_use]
    pub fn each_line(error: &impl fmt::Display) -> Self {
        Self::lines(error.to_string().lines().map(str::to_owned).collect())
    }

    /// Several things that are wrong, each on a line of its own.
    #[must_use]
    pub fn lines(lines: Vec<String>) -> Self {
        Self {
            lines,
            ..Self::whole("")
        }
    }

    /// A list that is not as long as the rest asks for.
    #[must_use]
    pub fn length(place: impl fmt::Display, expected: usize, found: usize) -> Self {
        Self::new(place, format!("must have {expected} entries, found {found}"))
    }

    /// An error of a library, whose text begins with the field.
    #[must_use]
    pub fn named(error: &dyn std::error::Error) -> Self {
        let text = error.to_string();
        match text.split_once(": ") {
            Some((place, problem)) => Self::new(place, problem),
            None => Self::whole(text),
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
    pub fn below(mut self, prefix: &str) -> Self {
        self.place = Some(match self.place {
            Some(place) => format!("{prefix}{place}"),
            None => prefix.trim_end_matches('.').to_owned(),
        });
        self
    }
}

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.lines.is_empty() {
            return f.write_str(
                &self
                    .lines
                    .iter()
                    .map(|line| one_line(line))
                    .collect::<Vec<_>>()
                    .join("\n"),
            );
        }
        if let Some(file) = &self.file {
            write!(f, "{}: ", one_line(file))?;
        }
        if let Some(place) = &self.place {
            write!(f, "{}: ", one_line(place))?;
        }
        f.write_str(&one_line(&self.problem))
    }
}

impl std::error::Error for BadInput {}

impl From<InputError> for BadInput {
    fn from(error: InputError) -> Self {
        Self::named(&error)
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
            other => Self::named(&other),
        }
    }
}

/// Checks that a list is as long as the rest asks for.
pub fn expect_length(place: impl fmt::Display, expected: usize, found: usize) -> Result<(), BadInput> {
    if expected == found {
        return Ok(());
    }
    Err(BadInput::length(place, expected, found))
}

/// A value found in a file, shortened for a message.
#[must_use]
pub fn shown(value: &str) -> String {
    let value = value.trim();
    if value.is_empty() {
        return "nothing".to_owned();
    }
    let words: String = value.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(MAX_SHOWN_CHARACTERS) {
        None => words,
        Some((end, _)) => format!("{}...", &words[..end]),
    }
}

/// The text with control characters escaped, so that a hostile name cannot forge further lines.
#[must_use]
pub fn one_line(text: &str) -> String {
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
    fn a_prefix_names_the_field_or_the_object_itself() {
        let whole = BadInput::whole("must be an object, found null").below("certificate.");
        assert_eq!(whole.to_string(), "certificate: must be an object, found null");
        let field = BadInput::length("q", 2, 3).below("cases[3].");
        assert_eq!(field.to_string(), "cases[3].q: must have 2 entries, found 3");
    }

    #[test]
    fn long_values_are_shortened() {
        assert_eq!(shown(&"9".repeat(50)), format!("{}...", "9".repeat(40)));
        assert_eq!(shown(" [1,\n 2] "), "[1, 2]");
    }
}
