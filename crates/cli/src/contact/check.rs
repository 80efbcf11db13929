//! `stiction check` for a contact file: judges impulses or forces from anyone against the problem's own data.

use std::fmt::Write;
use std::path::Path;

use serde::Serialize;
use stiction_contact::check::{self, Answer, Residual, Terms, proof_holds};
use stiction_contact::{ContactProblem, Law, Restitution};

use super::answer::{Claim, Figures, read_claim};
use super::judged_by::JudgedBy;
use super::{Choices, dot, frame, words};
use crate::command::json_text;
use crate::read::ContactFile;
use crate::{BadInput, Outcome};

/// Friction along a normal that is rounding, in terms of the impulse at its contact.
const IN_PLANE: f64 = 8.0 * f64::EPSILON;

/// What `check` was asked for.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) problem: &'a Path,
    pub(crate) answer: &'a Path,
    pub(crate) choices: &'a Choices,
    pub(crate) tolerance: f64,
    pub(crate) json: bool,
}

/// The verdict on an answer.
#[derive(Debug, Serialize)]
struct Verdict<'a> {
    kind: &'static str,
    name: &'a str,
    #[serde(rename = "verdict")]
    word: &'static str,
    /// Why it is refused whatever its numbers are: it answers another law.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    claimed: Option<&'a str>,
    /// The answer's squeeze shows that no velocity satisfies the contacts.
    infeasible: bool,
    law: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    directions: Option<usize>,
    /// e of the summation form, where groups were judged by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    epsilon: Option<f64>,
    tolerance: f64,
    residual: f64,
    residuals: Figures,
    /// Largest share of a contact's impulse that is friction along its normal.
    off_plane: f64,
}

/// Judges the answer.
pub(crate) fn run(file: &ContactFile, request: &Request<'_>) -> Result<Outcome, BadInput> {
    let choices = request.choices;
    let level = file.level();
    choices.law(level)?;
    choices.check_level(level)?;
    let claim = read_claim(request.answer, file)?;
    let problem = file
        .problem(rule(file, request, &claim)?)
        .map_err(|bad| bad.in_file(request.problem))?;
    let groups = problem.group_count();
    let mut by = JudgedBy::new(level, choices, groups)?;
    by.compare(level, choices, &claim.claimed(), groups)
        .map_err(|bad| bad.in_file(request.answer))?;
    let Projected {
        friction,
        tilted,
        off_plane,
    } = project(file, &problem, &claim);
    let terms = Terms {
        law: by.law,
        directions: by.directions,
        tolerance: request.tolerance,
    };
    let impulses = Answer {
        normal: &claim.normal_impulse,
        friction: &friction,
        phi: None,
        joint: &claim.joint_impulse,
    };
    let judge = |impulses| match by.epsilon {
        Some(epsilon) => check::check_sum(&problem, terms, epsilon, impulses),
        None => check::check(&problem, terms, impulses),
    };
    let both = judge(impulses).and_then(|checked| match &tilted {
        Some(normal) => judge(Answer { normal, ..impulses }).map(|other| worse(checked, other)),
        None => Ok(checked),
    });
    let checked = both.map_err(|error| choices.blame(error.into(), request.answer))?;
    let residual = checked.residual;
    let infeasible = claim
        .squeeze
        .as_ref()
        .is_some_and(|squeeze| proof_holds(&problem, squeeze));
    let solved = checked.solved && by.reason.is_none();
    let accepted = crate::words::is_right(claim.status.as_deref(), (solved, infeasible));
    let verdict = Verdict {
        kind: level.names().verdict,
        name: &file.name,
        word: if accepted { "accepted" } else { "refused" },
        claimed: claim.status.as_deref(),
        infeasible,
        reason: by.reason.filter(|_| !accepted),
        law: by.law.name(),
        directions: (by.law == Law::Polyhedral).then_some(by.directions),
        epsilon: by.epsilon,
        tolerance: request.tolerance,
        residual: residual.worst,
        residuals: Figures::from(&residual),
        off_plane,
    };
    let text = if request.json {
        json_text(&verdict)?
    } else {
        explain(file, &verdict, &residual, &words::law(by.law, by.directions))
    };
    Ok(Outcome::new(text, accepted))
}

/// The worse of two verdicts.
fn worse(a: check::Verdict, b: check::Verdict) -> check::Verdict {
    if b.residual.worst > a.residual.worst { b } else { a }
}

/// The rule of restitution: as given, else the one that the answer was made by. After Poisson an answer is the sum of two phases, which its impulses do
/// not tell apart.
fn rule(file: &ContactFile, request: &Request<'_>, claim: &Claim) -> Result<Restitution, BadInput> {
    let is_given = request.choices.restitution.is_some();
    let own = Choices {
        restitution: claim.restitution.clone(),
        ..Choices::default()
    };
    let choices = if is_given { request.choices } else { &own };
    let in_place = |bad: BadInput| if is_given { bad } else { bad.in_file(request.answer) };
    let rule = choices.restitution().map_err(in_place)?;
    if rule == Restitution::Poisson && file.bounces() {
        let problem = "must be newton: the sum of Poisson's two phases cannot be judged, found poisson";
        return Err(in_place(BadInput::new("restitution", problem)));
    }
    Ok(rule)
}

/// Friction of an answer in the planes of its contacts.
#[derive(Debug, Default)]
pub(crate) struct Projected {
    /// Along the tangents of each contact.
    pub(crate) friction: Vec<[f64; 2]>,
    /// Normal impulses with what friction adds to them; `None` where it stays in the planes but for rounding.
    pub(crate) tilted: Option<Vec<f64>>,
    /// Largest share of a contact's impulse that is friction along its normal.
    off_plane: f64,
}

/// Takes friction apart. What points along a normal pushes there: an answer must be right with it and without it, by which the judge measures it.
pub(crate) fn project(file: &ContactFile, problem: &ContactProblem, claim: &Claim) -> Projected {
    let mut found = Projected::default();
    let mut tilted = claim.normal_impulse.clone();
    for (i, impulse) in claim.friction_impulse.iter().enumerate() {
        let [n, x, y] = frame(problem, i, file.ends(i).0);
        found.friction.push([dot(impulse, &x), dot(impulse, &y)]);
        let along = dot(impulse, &n);
        let size = impulse.iter().fold(tilted[i].abs(), |m, value| m.max(value.abs()));
        if along.abs() > IN_PLANE * size {
            found.off_plane = found.off_plane.max(along.abs() / size);
            tilted[i] += along;
        }
    }
    found.tilted = (found.off_plane > 0.0).then_some(tilted);
    found
}

fn explain(file: &ContactFile, verdict: &Verdict<'_>, residual: &Residual, law: &str) -> String {
    let accepted = verdict.word == "accepted";
    let names = file.level().names();
    let (pushes, motion) = (names.pushes, names.motion);
    let meaning = if verdict.infeasible && accepted {
        format!("its squeeze cancels in every body: no {motion} satisfies these contacts")
    } else if accepted {
        format!("the {pushes} solve the problem")
    } else if let Some(reason) = &verdict.reason {
        reason.clone()
    } else {
        format!("the {pushes} do not solve the problem")
    };
    let mut text = format!(
        "{}: {}\n{}: {meaning}\n\n",
        file.name,
        words::size(file, file.level()),
        verdict.word
    );
    // Writing to a String cannot fail.
    let _ = writeln!(text, "law        {law}");
    if let Some(epsilon) = verdict.epsilon {
        let _ = writeln!(
            text,
            "groups     by the summation rule with epsilon = {} m/s",
            crate::words::figure(epsilon)
        );
    }
    text += &words::residual(residual, verdict.tolerance, file.level());
    if verdict.off_plane > 0.0 {
        let _ = writeln!(
            text,
            "           friction leaves the contact plane by {} of the {} at its contact, and is judged with that, too",
            crate::words::small(verdict.off_plane),
            names.push
        );
    }
    text += &crate::words::claim(
        verdict.claimed,
        (accepted, verdict.infeasible),
        ["squeeze shows", &format!("{pushes} solve")],
    );
    text
}
