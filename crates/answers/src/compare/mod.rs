//! The referee: one folder of problems, every solver, one judge.
//!
//! A solver is one of ours, a folder of answers, or a driver that runs other people's solvers (`bench/peers`). Whatever it is, what counts is the
//! answer it hands over and what our judge finds of it with the problem's own data; a solver's word that it has solved a problem is only kept to
//! be held against it.

pub mod answers;
pub mod interrupt;
pub mod league;
pub mod ours;
pub mod page;
pub mod peers;
pub mod problems;

use serde::Serialize;
use stiction_contact::check::Terms;
use stiction_contact::check::proof_holds;
use stiction_contact::{Farkas, Law};
use stiction_lcp::Status;
use stiction_lcp::residual::Judge;

use crate::answer::proves_infeasible;
use crate::contact::raw_check;
use stiction_formats::BadInput;
use stiction_formats::read::{ContactFile, Given, Named, RawFile};

/// Residual of an answer to full precision.
pub const FULL_PRECISION_RESIDUAL: f64 = 1e-10;

/// A problem.
#[derive(Debug, Clone)]
pub struct Case {
    /// Name.
    pub name: String,
    /// The problem.
    pub problem: Kind,
    /// The file where it has bodies: answers to it give friction as world vectors.
    pub bodies: Option<Box<ContactFile>>,
}

/// What it is.
#[derive(Debug, Clone)]
pub enum Kind {
    /// An LCP, or with free variables or boxes.
    Lcp(Box<Named>),
    /// Coulomb's law with the round cone.
    Contact(Box<RawFile>),
}

impl Kind {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Lcp(_) => "lcp",
            Self::Contact(_) => "contact",
        }
    }

    /// Variables of an LCP, or contacts.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::Lcp(named) => named.problem.n(),
            Self::Contact(file) => file.problem.contact_count(),
        }
    }
}

/// How a try counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The judge accepts the answer.
    Verified,
    /// A proof that there is no answer, and it holds.
    #[serde(rename = "proven none")]
    ProvenNone,
    /// The solver says solved, and the judge refuses the answer.
    Wrong,
    /// The solver says that it failed, crashed or took too long.
    Failed,
    /// The solver does not take problems of this kind.
    Unfit,
}

/// Why a problem has no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Proof {
    /// Of an LCP: a Farkas vector, or all complementary cones excluded. Our own solver returns no other than it has checked in rationals.
    Checked,
    /// A Farkas vector of an LCP, in rationals.
    Farkas(Vec<String>),
    /// Impulses that cancel while the bias gains from them.
    Squeeze(Farkas),
}

impl Proof {
    /// Whether it proves in rationals that the problem has no answer.
    fn holds(&self, problem: &Kind) -> bool {
        match (self, problem) {
            (Self::Checked, _) => true,
            (Self::Farkas(y), Kind::Lcp(named)) => proves_infeasible(&named.problem, y),
            // Of a W alone a squeeze would be that of a factor, which rounding has made.
            (Self::Squeeze(squeeze), Kind::Contact(file)) => {
                !matches!(file.given, Given::Local(_)) && proof_holds(&file.problem, squeeze)
            }
            _ => false,
        }
    }
}

/// An answer of anyone.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// Whether it says solved.
    pub claimed: bool,
    /// How it ended, in the solver's words.
    pub ending: String,
    /// z of an LCP, or r with the normal first at each contact (three numbers each); `None` where there is none that can be read.
    pub values: Option<Vec<f64>>,
    /// The same with what friction adds along the normals, where it leaves its planes: as `check` does, both are judged.
    pub tilted: Option<Vec<f64>>,
    /// That nothing solves the problem.
    pub proof: Option<Proof>,
    /// What of it cannot be read.
    pub message: Option<String>,
    /// Time of the solve \[us\].
    pub time_us: Option<f64>,
}

/// One solver on one problem, judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Try {
    /// Name of the solver.
    pub solver: String,
    /// Name of the problem.
    pub problem: String,
    /// Its kind.
    pub kind: &'static str,
    /// Its number of variables or contacts.
    pub size: usize,
    /// What became of it.
    pub outcome: Outcome,
    /// Whether the solver says solved.
    pub claimed: bool,
    /// How the solver says it ended.
    pub ending: String,
    /// By our judge; null where there is no answer.
    pub residual: Option<f64>,
    /// Time of the solve \[µs\].
    pub time_us: Option<f64>,
    /// What of the answer cannot be read.
    pub message: Option<String>,
}

/// Judges an answer; `None` is a solver that does not take the problem.
#[must_use]
pub fn judge(solver: &str, case: &Case, answer: Option<Answer>, tolerance: f64) -> Try {
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
        _ if answer.proof.is_some_and(|proof| proof.holds(&case.problem)) => Outcome::ProvenNone,
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
