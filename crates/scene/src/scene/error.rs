//! What is wrong with a scene, line by line.

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};

/// Problems that are listed before the rest is only counted.
const MAX_LISTED_PROBLEMS: usize = 100;
/// Characters of a found value that a message shows.
const MAX_SHOWN_CHARACTERS: usize = 40;

/// One thing that is wrong with a scene, or doubtful.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Line, from 1; 0 where the whole file is meant.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Path of the key such as `body[3].mass`; empty where the whole file is meant.
    pub path: String,
    /// What is wrong or doubtful, and the value found.
    pub problem: String,
}

impl Problem {
    /// One line: `FILE:LINE:COLUMN: path.to.key: problem, value found`.
    #[must_use]
    pub fn in_file(&self, file: &Path) -> String {
        let mut text = one_line(&file.display().to_string());
        text.push(':');
        if self.line > 0 {
            // Writing to a String cannot fail.
            let _ = write!(text, "{}:{}:", self.line, self.column);
        }
        if !self.path.is_empty() {
            let _ = write!(text, " {}:", one_line(&self.path));
        }
        text + " " + &one_line(&self.problem)
    }
}

/// A scene that cannot be used: everything that is wrong with it, in the order of the file.
///
/// Its text has one line a problem: `FILE:LINE:COLUMN: path.to.key: what is wrong, value found`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneError {
    /// The scene file.
    pub file: PathBuf,
    /// At least one.
    pub problems: Vec<Problem>,
    /// Problems beyond those listed.
    pub more: usize,
}

impl SceneError {
    /// The whole file is wrong.
    pub(super) fn whole(file: &Path, problem: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            problems: vec![Problem {
                line: 0,
                column: 0,
                path: String::new(),
                problem: problem.into(),
            }],
            more: 0,
        }
    }

    /// A value that was given beside the file is wrong.
    pub(super) fn beside(file: &Path, key: &str, problem: String) -> Self {
        let mut error = Self::whole(file, problem);
        key.clone_into(&mut error.problems[0].path);
        error
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, problem) in self.problems.iter().enumerate() {
            if k > 0 {
                writeln!(f)?;
            }
            f.write_str(&problem.in_file(&self.file))?;
        }
        if self.more > 0 {
            let file = one_line(&self.file.display().to_string());
            write!(f, "\n{file}: and {} more", self.more)?;
        }
        Ok(())
    }
}

impl std::error::Error for SceneError {}

/// Collects what is wrong or doubtful while a scene is read.
#[derive(Debug)]
pub(super) struct Report<'t> {
    text: &'t str,
    /// Length of the file: what stands behind it was given beside it, and has no line.
    length: usize,
    found: Vec<(usize, String, String)>,
    /// What is doubtful; without a place where the whole file is meant.
    doubts: Vec<(Option<usize>, String, String)>,
}

impl<'t> Report<'t> {
    pub(super) fn new(text: &'t str, length: usize) -> Self {
        Self {
            text,
            length,
            found: Vec::new(),
            doubts: Vec::new(),
        }
    }

    /// Notes a problem at a place in the text.
    pub(super) fn add(&mut self, at: usize, path: &str, problem: impl Into<String>) {
        self.found.push((at, path.to_owned(), problem.into()));
    }

    /// Notes something doubtful: the scene can be used.
    pub(super) fn doubt(&mut self, at: Option<usize>, path: &str, doubt: impl Into<String>) {
        self.doubts.push((at, path.to_owned(), doubt.into()));
    }

    /// What is doubtful, in the order of the file; what concerns the whole file comes first. Beyond a hundred the rest is only counted.
    pub(super) fn warnings(&mut self) -> Vec<Problem> {
        self.doubts.sort_by_key(|(at, ..)| *at);
        let more = self.doubts.len().saturating_sub(MAX_LISTED_PROBLEMS);
        if more > 0 {
            self.doubts.truncate(MAX_LISTED_PROBLEMS);
            self.doubts
                .push((None, String::new(), format!("and {more} more warnings")));
        }
        let doubts = std::mem::take(&mut self.doubts);
        let warning = |(at, path, problem): (Option<usize>, String, String)| {
            let (line, column) = at.map_or((0, 0), |at| self.place(at));
            Problem {
                line,
                column,
                path,
                problem,
            }
        };
        doubts.into_iter().map(warning).collect()
    }

    /// Line and column of a byte; none of what is not in the file.
    fn place(&self, at: usize) -> (usize, usize) {
        if at > self.length { (0, 0) } else { place(self.text, at) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// A piece of the text, shortened for a message.
    pub(super) fn shown(&self, span: std::ops::Range<usize>) -> String {
        shorten(self.text.get(span).unwrap_or_default())
    }

    /// All problems in the order of the file.
    pub(super) fn into_error(mut self, file: &Path) -> SceneError {
        self.found.sort_by_key(|(at, ..)| *at);
        let more = self.found.len().saturating_sub(MAX_LISTED_PROBLEMS);
        let problems = self.found.iter().take(MAX_LISTED_PROBLEMS).map(|(at, path, problem)| {
            let (line, column) = self.place(*at);
            Problem {
                line,
                column,
                path: path.clone(),
                problem: problem.clone(),
            }
        });
        SceneError {
            file: file.to_owned(),
            problems: problems.collect(),
            more,
        }
    }
}

/// Line and column of a byte.
pub(super) fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at.min(text.len())).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |n| n + 1);
    (line, before[start..].chars().count() + 1)
}

/// A value on one line, shortened.
pub(super) fn shorten(value: &str) -> String {
    let words = value.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(MAX_SHOWN_CHARACTERS) {
        _ if words.is_empty() => "nothing".to_owned(),
        None => words,
        Some((end, _)) => format!("{}...", &words[..end]),
    }
}

/// Control characters escaped, so that a hostile name cannot forge further lines.
fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}
