//! `stiction check` for a contact file: judges impulses or forces from anyone against the problem's own data.

use std::fmt::Write;
use std::path::Path;

use serde::Serialize;
use stiction_contact::check::{self, Answer, Residual, Terms, proof_holds};
use stiction_contact::{ContactProblem, InputError, Law, Restitution};

use super::answer::{Claim, Figures, read_claim};
use super::judged_by::JudgedBy;
use super::{Choices, dot, frame, words};
use crate::Outcome;
use stiction_formats::BadInput;
use stiction_formats::read::ContactFile;
use stiction_formats::write::json_text;

/// Friction along a normal that is rounding, in terms of the impulse at its contact.
const IN_PLANE_REL_ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Options of `stiction check` for a contact file.
#[derive(Debug)]
pub struct Request<'a> {
    /// The problem file.
    pub problem: &'a Path,
    /// The answer file.
    pub answer: &'a Path,
    /// What options name.
    pub choices: &'a Choices,
    /// Largest relative residual that is accepted.
    pub tolerance: f64,
    /// Whether JSON is requested.
    pub json: bool,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy: Option<&'static str>,
    residual: f64,
    residual_excused: f64,
    residuals: Figures,
    /// Largest share of a contact's impulse that is friction along its normal.
    off_plane: f64,
}

/// Judges the answer.
pub fn run(file: &ContactFile, request: &Request<'_>) -> Result<Outcome, BadInput> {
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
    let terms = Terms {
        law: by.law,
        directions: by.directions,
        tolerance: request.tolerance,
    };
    let compression = compression(&problem, &claim).map_err(|bad| bad.in_file(request.answer))?;
    let both = judge(file, &problem, (terms, by.epsilon), (&claim, compression));
    let (checked, off_plane) = both.map_err(|error| choices.blame(error.into(), request.answer))?;
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
        accuracy: residual.accuracy(terms.tolerance).map(check::Accuracy::name),
        residual: residual.worst,
        residual_excused: residual.beyond_rounding,
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

/// The compression of a bounce after Poisson; an answer in which nothing bounces is its own. `None` where there is no restitution to judge by.
fn compression<'a>(problem: &ContactProblem, claim: &'a Claim) -> Result<Option<&'a Claim>, BadInput> {
    let bounces = |i: usize| problem.restitution(i) > 0.0;
    if !(0..problem.contact_count()).any(bounces) {
        return Ok(None);
    }
    match &claim.compression {
        Some(compression) => Ok(Some(compression)),
        None if (0..problem.contact_count()).any(|i| bounces(i) && claim.normal_impulse[i] > 0.0) => {
            Err(BadInput::new("compression", "missing field"))
        }
        None => Ok(Some(claim)),
    }
}

/// Judges impulses, with those of a compression where there is one. What leaves the plane of a contact is judged with that and without it. Returns the
/// worst verdict and the largest share of friction along a normal.
fn judge(
    file: &ContactFile,
    problem: &ContactProblem,
    (terms, epsilon): (Terms, Option<f64>),
    (claim, compression): (&Claim, Option<&Claim>),
) -> Result<(check::Verdict, f64), InputError> {
    let whole = project(file, problem, claim);
    let first = compression.map(|claim| (claim, project(file, problem, claim)));
    let off_plane = first
        .as_ref()
        .map_or(0.0, |(_, found)| found.off_plane)
        .max(whole.off_plane);
    let mut worst: Option<check::Verdict> = None;
    for tilted in [false, true] {
        if tilted && off_plane == 0.0 {
            continue;
        }
        let answer = whole.answer(claim, tilted);
        let verdict = match (&first, epsilon) {
            (Some((claim, found)), _) => {
                check::check_bounce(problem, terms, epsilon, found.answer(claim, tilted), answer)
            }
            (None, Some(epsilon)) => check::check_sum(problem, terms, epsilon, answer),
            (None, None) => check::check(problem, terms, answer),
        }?;
        worst = Some(match worst {
            Some(other) => worse(other, verdict),
            None => verdict,
        });
    }
    Ok((worst.unwrap_or_default(), off_plane))
}

/// The worse of two verdicts.
fn worse(a: check::Verdict, b: check::Verdict) -> check::Verdict {
    if b.residual.worst > a.residual.worst { b } else { a }
}

/// The rule of restitution: as given, else Newton's. An answer that was made by another rule is refused.
fn rule(file: &ContactFile, request: &Request<'_>, claim: &Claim) -> Result<Restitution, BadInput> {
    let rule = request.choices.restitution()?;
    let own = Choices {
        restitution: claim.restitution.clone(),
        ..Choices::default()
    };
    let claimed = own.restitution().map_err(|bad| bad.in_file(request.answer))?;
    if claim.restitution.is_some() && claimed != rule && file.bounces() {
        let problem = format!(
            "must be {}, or --restitution {} must ask for it, found {}",
            rule.name(),
            claimed.name(),
            claimed.name()
        );
        return Err(BadInput::new("restitution", problem).in_file(request.answer));
    }
    Ok(rule)
}

/// Friction of an answer in the planes of its contacts.
#[derive(Debug, Default)]
pub struct Projected {
    /// Along the tangents of each contact.
    pub friction: Vec<[f64; 2]>,
    /// Normal impulses with what friction adds to them; `None` where it stays in the planes except for rounding.
    pub tilted: Option<Vec<f64>>,
    /// Largest share of a contact's impulse that is friction along its normal.
    off_plane: f64,
}

impl Projected {
    /// What the judge takes; `tilted`: with what friction adds to normal impulses.
    fn answer<'a>(&'a self, claim: &'a Claim, tilted: bool) -> Answer<'a> {
        let normal = self.tilted.as_ref().filter(|_| tilted);
        Answer {
            normal: normal.unwrap_or(&claim.normal_impulse),
            friction: &self.friction,
            phi: None,
            joint: &claim.joint_impulse,
        }
    }
}

/// Takes friction apart. What points along a normal pushes there: an answer must be right with it and without it, by which the judge measures it.
#[must_use]
pub fn project(file: &ContactFile, problem: &ContactProblem, claim: &Claim) -> Projected {
    let mut found = Projected::default();
    let mut tilted = claim.normal_impulse.clone();
    for (i, impulse) in claim.friction_impulse.iter().enumerate() {
        let [n, x, y] = frame(problem, i, file.ends(i).0);
        found.friction.push([dot(impulse, &x), dot(impulse, &y)]);
        let along = dot(impulse, &n);
        let size = impulse.iter().fold(tilted[i].abs(), |m, value| m.max(value.abs()));
        if along.abs() > IN_PLANE_REL_ROUNDING * size {
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
            stiction_formats::figures::figure(epsilon)
        );
    }
    text += &words::residual(residual, verdict.tolerance, file.level());
    if verdict.off_plane > 0.0 {
        let _ = writeln!(
            text,
            "           friction leaves the contact plane by {} of the {} at its contact, and is judged with that, too",
            stiction_formats::figures::small(verdict.off_plane),
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
