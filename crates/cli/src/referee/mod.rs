//! The referee: one folder of problems, every solver, one judge.
//!
//! A solver is one of ours, a folder of answers, or a driver that runs other people's solvers (`bench/peers`). Whatever it is, what counts is the
//! answer it hands over and what our judge finds of it with the problem's own data; a solver's word that it has solved a problem is only kept to
//! be held against it.

pub(crate) mod answers;
pub(crate) mod interrupt;
pub(crate) mod league;
pub(crate) mod ours;
pub(crate) mod page;
pub(crate) mod peers;
pub(crate) mod problems;

use serde::Serialize;
use stiction_contact::Law;
use stiction_contact::check::Terms;
use stiction_lcp::Status;
use stiction_lcp::residual::Judge;

use crate::BadInput;
use crate::contact::raw_check;
use crate::read::{ContactFile, Named, RawFile};

/// Residual of an answer to full precision.
pub(crate) const PRECISE: f64 = 1e-10;

/// A problem.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) problem: Kind,
    /// The file where it has bodies: answers to it give friction as world vectors.
    pub(crate) bodies: Option<Box<ContactFile>>,
}

/// What it is.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    /// An LCP, or with free variables or boxes.
    Lcp(Box<Named>),
    /// Coulomb's law with the round cone.
    Contact(Box<RawFile>),
}

impl Kind {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Lcp(_) => "lcp",
            Self::Contact(_) => "contact",
        }
    }

    /// Variables of an LCP, or contacts.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Lcp(named) => named.problem.n(),
            Self::Contact(file) => file.problem.contact_count(),
        }
    }
}

/// How a try counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    /// The judge accepts the answer.
    Verified,
    /// The solver says solved, and the judge refuses the answer.
    Wrong,
    /// The solver says that it failed, crashed or took too long.
    Failed,
    /// The solver does not take problems of this kind.
    Unfit,
}

/// An answer of anyone.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Answer {
    /// Whether it says solved.
    pub(crate) claimed: bool,
    /// How it ended, in the solver's words.
    pub(crate) ending: String,
    /// z of an LCP, or r with the normal first at each contact (three numbers each); `None` where there is none that can be read.
    pub(crate) values: Option<Vec<f64>>,
    /// The same with what friction adds along the normals, where it leaves its planes: as `check` does, both are judged.
    pub(crate) tilted: Option<Vec<f64>>,
    /// What of it cannot be read.
    pub(crate) message: Option<String>,
    /// Time of the solve [us].
    pub(crate) time_us: Option<f64>,
}

/// One solver on one problem, judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Try {
    pub(crate) solver: String,
    pub(crate) problem: String,
    pub(crate) kind: &'static str,
    pub(crate) size: usize,
    pub(crate) outcome: Outcome,
    /// Whether the solver says solved.
    pub(crate) claimed: bool,
    pub(crate) ending: String,
    /// By our judge; null where there is no answer.
    pub(crate) residual: Option<f64>,
    pub(crate) time_us: Option<f64>,
    /// What of the answer cannot be read.
    pub(crate) message: Option<String>,
}

/// Judges an answer; `None` is a solver that does not take the problem.
pub(crate) fn judge(solver: &str, case: &Case, answer: Option<Answer>, tolerance: f64) -> Try {
    let mut found = Try {
        solver: solver.to_owned(),
        problem: case.name.clone(),
        kind: case.problem.name(),
        size: case.problem.size(),
        outcome: Outcome::Unfit,
        claimed: false,
        ending: "does not take this problem".to_owned(),
        residual: None,
        time_us: None,
        message: None,
    };
    let Some(answer) = answer else { return found };
    (found.claimed, found.ending, found.time_us) = (answer.claimed, answer.ending, answer.time_us);
    found.message = answer.message;
    let of_both = |values: Vec<f64>| -> Result<(bool, f64), BadInput> {
        let (solved, figure) = verdict(&case.problem, &values, tolerance)?;
        let Some(tilted) = &answer.tilted else {
            return Ok((solved, figure));
        };
        let (too, other) = verdict(&case.problem, tilted, tolerance)?;
        Ok((solved && too, figure.max(other)))
    };
    let judged = match answer.values.map(of_both) {
        None => None,
        Some(Ok(judged)) => Some(judged),
        // Numbers that are too few or too many.
        Some(Err(bad)) => {
            found.message = Some(bad.to_string());
            None
        }
    };
    // An infinite residual is not a number that JSON has.
    found.residual = judged.map(|(_, figure)| figure).filter(|x| x.is_finite());
    found.outcome = match (judged, found.claimed) {
        (Some((true, _)), _) => Outcome::Verified,
        (_, true) => Outcome::Wrong,
        (_, false) => Outcome::Failed,
    };
    found
}

/// What our judge finds of an answer: whether it is accepted, and its residual, 0 is perfect.
fn verdict(problem: &Kind, values: &[f64], tolerance: f64) -> Result<(bool, f64), BadInput> {
    match problem {
        Kind::Lcp(named) => {
            if values.len() != named.problem.n() {
                return Err(BadInput::length("z", named.problem.n(), values.len()));
            }
            let (status, residual) = Judge::default().judge(named.problem.view(), values, tolerance);
            Ok((status == Status::Solved, residual.relative))
        }
        Kind::Contact(file) => {
            let terms = Terms {
                law: Law::Coulomb,
                directions: 8,
                tolerance,
            };
            let claim = raw_check::Claim::of_triples(values, file)?;
            let (solved, residual) = raw_check::judge(file, (terms, None), &claim)?;
            Ok((solved, residual.worst))
        }
    }
}
