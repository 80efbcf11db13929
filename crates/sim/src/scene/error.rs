//! What is wrong with a scene, line by line.

use std::fmt;
use std::path::{Path, PathBuf};

/// Problems that are listed before the rest is only counted.
const LISTED: usize = 100;
/// Characters of a found value that a message shows.
const SHOWN: usize = 40;

/// One thing that is wrong with a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Line, from 1; 0 where the whole file is meant.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Path of the key such as `body[3].mass`; empty where the whole file is meant.
    pub path: String,
    /// What is wrong, and the value found.
    pub problem: String,
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
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = one_line(&self.file.display().to_string());
        for (
            k,
            Problem {
                line,
                column,
                path,
                problem,
            },
        ) in self.problems.iter().enumerate()
        {
            if k > 0 {
                writeln!(f)?;
            }
            write!(f, "{file}:")?;
            if *line > 0 {
                write!(f, "{line}:{column}:")?;
            }
            if !path.is_empty() {
                write!(f, " {}:", one_line(path))?;
            }
            write!(f, " {}", one_line(problem))?;
        }
        if self.more > 0 {
            write!(f, "\n{file}: and {} more", self.more)?;
        }
        Ok(())
    }
}

impl std::error::Error for SceneError {}

/// Collects what is wrong while a scene is read.
#[derive(Debug)]
pub(super) struct Report<'t> {
    text: &'t str,
    found: Vec<(usize, String, String)>,
}

impl<'t> Report<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            found: Vec::new(),
        }
    }

    /// Notes a problem at a place in the text.
    pub(super) fn add(&mut self, at: usize, path: &str, problem: impl Into<String>) {
        self.found.push((at, path.to_owned(), problem.into()));
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
        let more = self.found.len().saturating_sub(LISTED);
        let problems = self.found.iter().take(LISTED).map(|(at, path, problem)| {
            let (line, column) = place(self.text, *at);
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
    match words.char_indices().nth(SHOWN) {
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
