//! Contact problems without bodies, whatever the file.

use stiction_contact::{ContactProblem, LocalProblem};

use super::sparse::Global;
use crate::bad_input::BadInput;

/// What a file gives a problem by.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// Mass blocks and rows: all is in the problem.
    Blocks,
    /// The Delassus matrix. The problem is that of its symmetric part.
    Local(LocalProblem),
    /// Mass and directions of the contacts as sparse matrices.
    Global(Global),
}

/// A problem given by its matrices.
#[derive(Debug, Clone, PartialEq)]
pub struct RawFile {
    /// Name of the problem.
    pub name: String,
    /// What kind of file it was.
    pub format: &'static str,
    /// The problem.
    pub problem: ContactProblem,
    /// What it was built from.
    pub given: Given,
    /// What was found on the way and changed: one sentence each.
    pub notes: Vec<String>,
}

impl RawFile {
    /// Builds the problem of matrices.
    pub(super) fn new(name: String, format: &'static str, given: Given) -> Result<Self, BadInput> {
        let (problem, notes) = match &given {
            Given::Blocks => (ContactProblem::new(), Vec::new()),
            Given::Local(local) => (local.problem()?, skewness(local)),
            Given::Global(global) => global.problem()?,
        };
        Ok(Self {
            name,
            format,
            problem,
            given,
            notes,
        })
    }

    /// The Delassus matrix, where the file gives it and it is not symmetric: answers are then judged by it and not by the problem.
    #[must_use]
    pub fn skew(&self) -> Option<&LocalProblem> {
        match &self.given {
            Given::Local(local) if !local.is_symmetric() => Some(local),
            _ => None,
        }
    }
}

fn skewness(local: &LocalProblem) -> Vec<String> {
    if local.is_symmetric() {
        return Vec::new();
    }
    let size = local.asymmetry();
    vec![format!(
        "W is not symmetric by {size:.0e} of its largest entry: it is solved as given, by corrections of its symmetric part, and judged as given"
    )]
}
