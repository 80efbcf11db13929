//! Our own methods: the tool's choice, and each method alone.

use std::time::Instant;

use stiction_contact::{ContactSolver, Law, Method as ContactMethod, Options as ContactOptions};
use stiction_lcp::{Certificate, Method, Options, Solver};

use super::{Answer, Case, Kind, Proof};
use crate::contact::raw;
use crate::timing::time_us;
use stiction_formats::BadInput;

/// The name of the tool's own choice of methods.
pub const OURS: &str = "stiction";

/// One of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ours {
    /// The tool's choice, with fallbacks.
    Auto,
    /// A method of LCPs alone.
    Lcp(Method),
    /// A method of contacts alone.
    Contact(ContactMethod),
}

impl Ours {
    /// The tool's choice, and where requested each method that may answer a problem of the folder alone.
    pub fn all(methods: bool) -> Vec<Self> {
        let mut all = vec![Self::Auto];
        if methods {
            // Exact arithmetic, trees and enumeration are for small problems: they would hold up the rest.
            let quick = |m: &Method| !matches!(m, Method::LemkeExact | Method::BranchAndBound | Method::Enumerate);
            all.extend(Method::ALL.into_iter().filter(quick).map(Self::Lcp));
            let round = |m: &ContactMethod| m.laws().contains(&Law::Coulomb);
            all.extend(ContactMethod::ALL.into_iter().filter(round).map(Self::Contact));
        }
        all
    }

    /// Its name in the table.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Auto => OURS.to_owned(),
            Self::Lcp(method) => format!("{OURS} {} (LCP)", method.name()),
            Self::Contact(method) => format!("{OURS} {} (contacts)", method.name()),
        }
    }

    /// The answer, with the time of a solve with warm buffers; `None` for a problem of another kind.
    pub fn solve(self, case: &Case) -> Result<Option<Answer>, BadInput> {
        match (&case.problem, self) {
            (Kind::Lcp(named), Self::Auto | Self::Lcp(_)) => {
                let method = match self {
                    Self::Lcp(method) => Some(method),
                    _ => None,
                };
                let mut solver = Solver::with_options(Options {
                    method,
                    ..Options::default()
                });
                let start = Instant::now();
                // A method that cannot take a problem says so as an error.
                let Ok(solution) = named.problem.solve(&mut solver).cloned() else {
                    return Ok(None);
                };
                let time = time_us(start.elapsed(), || Ok(named.problem.solve(&mut solver).map(|_| ())?))?;
                Ok(Some(Answer {
                    claimed: solution.status == stiction_lcp::Status::Solved,
                    ending: solution.status.name().to_owned(),
                    proof: match solution.certificate {
                        Some(Certificate::Farkas { .. } | Certificate::Exhaustion { .. }) => Some(Proof::Checked),
                        _ => None,
                    },
                    values: Some(solution.z),
                    time_us: Some(time),
                    ..Answer::default()
                }))
            }
            (Kind::Contact(file), Self::Auto | Self::Contact(_)) => {
                let method = match self {
                    Self::Contact(method) => Some(method),
                    _ => None,
                };
                let mut solver = ContactSolver::new(ContactOptions {
                    law: Law::Coulomb,
                    method,
                    ..ContactOptions::default()
                })?;
                let Ok((found, _)) = raw::solve_file(file, &mut solver, None) else {
                    return Ok(None);
                };
                let once = std::time::Duration::from_secs_f64(found.time_us * 1e-6);
                let time = time_us(once, || raw::solve_file(file, &mut solver, None).map(|_| ()))?;
                let solution = found.solution;
                let pairs = solution.normal_impulse.iter().zip(&solution.friction_impulse);
                let mut values: Vec<f64> = pairs.flat_map(|(n, f)| [*n, f[0], f[1]]).collect();
                values.extend(&solution.joint_impulse);
                Ok(Some(Answer {
                    claimed: solution.status == stiction_contact::Status::Solved,
                    ending: solution.status.name().to_owned(),
                    values: Some(values),
                    proof: solution.ray.and_then(|ray| ray.proof).map(Proof::Squeeze),
                    time_us: Some(time),
                    ..Answer::default()
                }))
            }
            _ => Ok(None),
        }
    }
}
