//! Answers to problems given by their matrices.

use std::fmt::Write as _;
use std::time::Instant;

use serde::Serialize;
use stiction_contact::{Compression, ContactProblem, ContactSolver, LocalProblem, Ray, Status};

use super::answer::{Certificate, Figures, Numbers, Timed};
use super::request::solve;
use crate::timing::{microseconds, quantile};
use stiction_formats::BadInput;
use stiction_formats::figures::counted;
use stiction_formats::read::{Given, RawFile};

/// The answer: as for contact files, but friction along the problem's own tangents and velocities block by block.
#[derive(Debug, Serialize)]
pub struct Answer<'a> {
    kind: &'static str,
    name: &'a str,
    status: &'static str,
    law: &'static str,
    method: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epsilon: Option<f64>,
    contacts: Vec<Contact<'a>>,
    joint_impulse: &'a [f64],
    /// The compression of a bounce after Poisson, by which `check` judges the whole impulses.
    #[serde(skip_serializing_if = "Option::is_none")]
    compression: Option<Phase<'a>>,
    blocks: Vec<Block<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy: Option<&'static str>,
    residual: f64,
    residual_excused: f64,
    residuals: Figures,
    #[serde(skip_serializing_if = "Option::is_none")]
    proven: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<Certificate>,
    /// Problems solved on the way, where W is not symmetric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rounds: Option<usize>,
    /// What the reader found and changed.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    stats: Numbers,
}

#[derive(Debug, Serialize)]
struct Contact<'a> {
    normal_impulse: f64,
    friction_impulse: [f64; 2],
    velocity: [f64; 3],
    state: &'static str,
    #[serde(skip_serializing_if = "<[f64]>::is_empty")]
    phi: &'a [f64],
}

/// Impulses of a compression, under the keys of an answer.
#[derive(Debug, Serialize)]
struct Phase<'a> {
    contacts: Vec<Push>,
    joint_impulse: &'a [f64],
}

#[derive(Debug, Serialize)]
struct Push {
    normal_impulse: f64,
    friction_impulse: [f64; 2],
}

impl<'a> From<&'a Compression> for Phase<'a> {
    fn from(compression: &'a Compression) -> Self {
        let pushes = compression.normal_impulse.iter().zip(&compression.friction_impulse);
        Self {
            contacts: pushes
                .map(|(normal, friction)| Push {
                    normal_impulse: *normal,
                    friction_impulse: *friction,
                })
                .collect(),
            joint_impulse: &compression.joint_impulse,
        }
    }
}

#[derive(Debug, Serialize)]
struct Block<'a> {
    velocity: &'a [f64],
}

/// Solves the problem as the file gives it: by its Delassus matrix where it has one. Returns the number of problems solved on the way too.
pub fn solve_file(
    file: &RawFile,
    solver: &mut ContactSolver,
    repeat: Option<usize>,
) -> Result<(Timed, usize), BadInput> {
    let law = solver.options().law;
    let Given::Local(local) = &file.given else {
        return Ok((solve(&file.problem, solver, repeat)?, 1));
    };
    if !LocalProblem::judges(law) {
        if file.skew().is_some() {
            let problem = format!(
                "must be one of frictionless, polyhedral, coulomb, no-slip for a W that is not symmetric, found {}",
                law.name()
            );
            return Err(BadInput::new("law", problem));
        }
        return Ok((solve(&file.problem, solver, repeat)?, 1));
    }
    let mut times = Vec::new();
    let mut once = |solver: &mut ContactSolver| {
        let start = Instant::now();
        let found = local.solve(&file.problem, solver)?;
        times.push(microseconds(start));
        Ok::<_, BadInput>(found)
    };
    let first = once(solver)?;
    for _ in 0..repeat.unwrap_or(0) {
        once(solver)?;
    }
    if repeat.is_some() {
        times.remove(0);
        times.sort_by(f64::total_cmp);
    }
    let timed = Timed {
        solution: first.solution,
        time_us: quantile(&times, 0.5),
        time_min_us: repeat.and_then(|_| times.first().copied()),
        chosen: solver.options().method.is_some(),
        beside: false,
        epsilon: None,
    };
    Ok((timed, first.rounds))
}

/// The answer to a file without bodies.
pub fn answer<'a>(file: &'a RawFile, timed: &'a Timed) -> Answer<'a> {
    let solution = &timed.solution;
    let d = solution.directions;
    let contacts = (0..file.problem.contact_count()).map(|i| Contact {
        normal_impulse: solution.normal_impulse[i],
        friction_impulse: solution.friction_impulse[i],
        velocity: solution.contact_velocity[i],
        state: solution.state[i].name(),
        phi: solution.phi.get(i * d..(i + 1) * d).unwrap_or_default(),
    });
    let solved = solution.status == Status::Solved;
    let blocks = (0..file.problem.block_count()).map(|block| Block {
        velocity: &solution.velocity[file.problem.block_range(block)],
    });
    Answer {
        kind: "contact-raw-solution",
        name: &file.name,
        status: solution.status.name(),
        law: solution.law.name(),
        method: solution.stats.methods.last().map(|method| method.name()),
        epsilon: timed.epsilon,
        contacts: contacts.collect(),
        joint_impulse: &solution.joint_impulse,
        compression: solution.compression.as_ref().map(Phase::from),
        blocks: blocks.collect(),
        accuracy: solution.accuracy.map(stiction_contact::check::Accuracy::name),
        residual: solution.residual.worst,
        residual_excused: solution.residual.beyond_rounding,
        residuals: Figures::from(&solution.residual),
        proven: (!solved).then(|| is_proven(file, timed)),
        certificate: solution.ray.as_ref().filter(|_| !solved).map(|ray| {
            // Without a proof it must not look like one.
            let proven = is_proven(file, timed);
            Certificate::from(&Ray {
                infeasible: proven,
                proof: ray.proof.clone().filter(|_| proven),
                ..ray.clone()
            })
        }),
        rounds: None,
        notes: &file.notes,
        stats: Numbers::new(timed),
    }
}

/// Whether a squeeze proves that no velocity satisfies the contacts. Of a W alone it is the squeeze of a factor, which rounding has made.
fn is_proven(file: &RawFile, timed: &Timed) -> bool {
    let infeasible = timed.solution.ray.as_ref().is_some_and(|ray| ray.infeasible);
    infeasible && !matches!(file.given, Given::Local(_))
}

/// The answer for a person: the contacts that push.
#[must_use]
pub fn explain(file: &RawFile, timed: &Timed) -> String {
    let (problem, solution) = (&file.problem, &timed.solution);
    let mut text = format!(
        "{}: {}, {}, {}, {}\n{}, law {}\n\n",
        file.name,
        counted(problem.block_count(), "block"),
        counted(problem.dof(), "coordinate"),
        counted(problem.contact_count(), "contact"),
        groups(problem),
        solution.status.name(),
        solution.law.name()
    );
    let methods: Vec<_> = solution.stats.methods.iter().map(|method| method.name()).collect();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "methods    {}", methods.join(", "));
    let _ = writeln!(
        text,
        "cost       {} pivots, {} Newton steps, {:.1} us",
        solution.stats.pivots, solution.stats.newton_steps, timed.time_us
    );
    let _ = writeln!(text, "residual   {:.1e}", solution.residual.worst);
    if solution.status != Status::Solved {
        let proof = if is_proven(file, timed) {
            "proven: the squeeze of the certificate (--json) cancels in every block"
        } else {
            "not proven that there is no answer"
        };
        let _ = writeln!(text, "evidence   {proof}");
    }
    for note in &file.notes {
        let _ = writeln!(text, "note       {note}");
    }
    text += "\n";
    let _ = writeln!(
        text,
        "{:>7}  {:>13}  {:>13}  {:>13}",
        "contact", "normal", "tangent x", "tangent y"
    );
    for i in 0..solution.normal_impulse.len() {
        let [x, y] = solution.friction_impulse[i];
        let normal = solution.normal_impulse[i];
        if [normal, x, y] != [0.0; 3] {
            let state = solution.state[i].name();
            let _ = writeln!(text, "{i:>7}  {normal:>13.6e}  {x:>13.6e}  {y:>13.6e}  {state}");
        }
    }
    text
}

/// Joint rows, and groups where there are any.
fn groups(problem: &ContactProblem) -> String {
    let rows = counted(problem.joint_count(), "joint row");
    match problem.group_count() {
        0 => rows,
        count => format!("{rows}, {}", counted(count, "nonconvex group")),
    }
}
