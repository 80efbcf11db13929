//! `stiction check` for a problem given by its matrices.

use std::fmt::Write as _;

use serde::Serialize;
use stiction_contact::check::{self, Answer, Residual, Terms};
use stiction_contact::{Farkas, Law, LocalProblem};

use super::answer::{Figures, direction_count, squeeze};
use super::check::Request;
use super::judged_by::{Claimed, JudgedBy};
use crate::{Outcome, words};
use stiction_formats::Level;
use stiction_formats::bad_input::{BadInput, expect_length};
use stiction_formats::figures;
use stiction_formats::read::json::{self, Fields, each, number};
use stiction_formats::read::{Given, RawFile, read_bytes, text};
use stiction_formats::write::json_text;

/// What an answer gives.
#[derive(Debug, Default)]
pub struct Claim {
    status: Option<String>,
    law: Option<String>,
    /// Number of friction directions that the answer names.
    directions: Option<usize>,
    /// e of the summation form that the answer claims to obey.
    epsilon: Option<f64>,
    /// The squeeze of an answer that says there is none.
    squeeze: Option<Farkas>,
    normal: Vec<f64>,
    friction: Vec<[f64; 2]>,
    joint: Vec<f64>,
    /// The compression of a bounce: its impulses alone.
    compression: Option<Box<Claim>>,
}

impl Claim {
    /// A claim of three numbers a contact, normal first, then the joint rows where there are any.
    pub fn of_triples(values: &[f64], file: &RawFile) -> Result<Self, BadInput> {
        let (contacts, joints) = (3 * file.problem.contact_count(), file.problem.joint_count());
        if values.len() != contacts && values.len() != contacts + joints {
            return Err(BadInput::length("r", contacts, values.len()));
        }
        let mut claim = Self::default();
        for p in values[..contacts].chunks(3) {
            claim.normal.push(p[0]);
            claim.friction.push([p[1], p[2]]);
        }
        claim.joint.extend_from_slice(&values[contacts..]);
        finish(claim, file)
    }

    /// A claim of as many numbers a contact as the problem has dimensions.
    pub fn of_list(values: &[f64], file: &RawFile) -> Result<Self, BadInput> {
        let mut claim = Self::default();
        take_list(values, file, &mut claim)?;
        finish(claim, file)
    }

    fn impulses(&self) -> Answer<'_> {
        Answer {
            normal: &self.normal,
            friction: &self.friction,
            phi: None,
            joint: &self.joint,
        }
    }

    /// Three numbers a contact, then the joint rows.
    #[must_use]
    pub fn triples(&self) -> Vec<f64> {
        let pairs = self.normal.iter().zip(&self.friction);
        let mut values: Vec<f64> = pairs.flat_map(|(n, f)| [*n, f[0], f[1]]).collect();
        values.extend(&self.joint);
        values
    }
}

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
}

/// Refuses restitution where answers do not carry the compression by which a bounce is judged.
pub fn check_restitution(file: &RawFile) -> Result<(), BadInput> {
    let contact = (0..file.problem.contact_count()).find(|i| file.problem.restitution(*i) > 0.0);
    contact.map_or(Ok(()), |i| {
        let found = figures::figure(file.problem.restitution(i));
        let problem = format!("must be 0, since answers to compare do not carry their compression, found {found}");
        Err(BadInput::new(format!("contacts[{i}].restitution"), problem))
    })
}

/// Judges the answer.
pub fn run(file: &RawFile, request: &Request<'_>) -> Result<Outcome, BadInput> {
    request.choices.check_raw()?;
    let claim = read_claim(&read_bytes(request.answer)?, file).map_err(|bad| bad.in_file(request.answer))?;
    let (choices, groups) = (request.choices, file.problem.group_count());
    let claimed = Claimed {
        law: claim.law.as_deref(),
        directions: claim.directions,
        epsilon: claim.epsilon,
    };
    let mut by = JudgedBy::new(Level::Velocity, choices, groups)?;
    by.compare(Level::Velocity, choices, &claimed, groups)
        .map_err(|bad| bad.in_file(request.answer))?;
    let terms = Terms {
        law: by.law,
        directions: by.directions,
        tolerance: request.tolerance,
    };
    let (solved, residual) =
        judge(file, (terms, by.epsilon), &claim).map_err(|bad| choices.blame(bad, request.answer))?;
    // Of a W alone a squeeze would be that of a factor, which rounding has made.
    let squeeze = claim
        .squeeze
        .as_ref()
        .filter(|_| !matches!(file.given, Given::Local(_)));
    let infeasible = squeeze.is_some_and(|squeeze| check::proof_holds(&file.problem, squeeze));
    let solved = solved && by.reason.is_none();
    let accepted = words::is_right(claim.status.as_deref(), (solved, infeasible));
    let verdict = Verdict {
        kind: "contact-raw-check",
        name: &file.name,
        word: if accepted { "accepted" } else { "refused" },
        claimed: claim.status.as_deref(),
        infeasible,
        reason: by.reason.filter(|_| !accepted),
        law: by.law.name(),
        directions: (by.law == Law::Polyhedral).then_some(by.directions),
        epsilon: by.epsilon,
        tolerance: terms.tolerance,
        accuracy: residual.accuracy(terms.tolerance).map(check::Accuracy::name),
        residual: residual.worst,
        residual_excused: residual.beyond_rounding,
        residuals: Figures::from(&residual),
    };
    let text = if request.json {
        json_text(&verdict)?
    } else {
        explain(file, &verdict, &residual)
    };
    Ok(Outcome::new(text, accepted))
}

/// Whether the answer is accepted, and the figures: by the Delassus matrix where the file gives it.
/// Groups are judged by the summation rule where there is an ε.
pub fn judge(
    file: &RawFile,
    (terms, epsilon): (Terms, Option<f64>),
    claim: &Claim,
) -> Result<(bool, Residual), BadInput> {
    let answer = claim.impulses();
    if (0..file.problem.contact_count()).any(|i| file.problem.restitution(i) > 0.0) {
        let verdict = check::check_bounce(
            &file.problem,
            terms,
            epsilon,
            compression(file, claim)?.impulses(),
            answer,
        )?;
        return Ok((verdict.solved, verdict.residual));
    }
    match &file.given {
        Given::Local(local) if LocalProblem::judges(terms.law) || file.skew().is_some() => {
            let verdict = local.judge(terms, answer)?;
            Ok((verdict.solved, verdict.residual))
        }
        _ => {
            let verdict = match epsilon {
                Some(epsilon) => check::check_sum(&file.problem, terms, epsilon, answer)?,
                None => check::check(&file.problem, terms, answer)?,
            };
            Ok((verdict.solved, verdict.residual))
        }
    }
}

/// The compression of a bounce; an answer in which nothing bounces is its own.
fn compression<'a>(file: &RawFile, claim: &'a Claim) -> Result<&'a Claim, BadInput> {
    let bounced = |i: usize| file.problem.restitution(i) > 0.0 && claim.normal[i] > 0.0;
    match &claim.compression {
        Some(compression) => Ok(compression),
        None if (0..claim.normal.len()).any(bounced) => Err(BadInput::new("compression", "missing field")),
        None => Ok(claim),
    }
}

fn explain(file: &RawFile, verdict: &Verdict<'_>, residual: &Residual) -> String {
    let accepted = verdict.word == "accepted";
    let meaning = match (&verdict.reason, accepted) {
        (_, true) if verdict.infeasible => "its squeeze cancels in every block: no velocity satisfies these contacts",
        (_, true) => "the impulses solve the problem",
        (Some(reason), false) => reason.as_str(),
        (None, false) => "the impulses do not solve the problem",
    };
    let mut text = format!("{}: {}\n{}: {meaning}\n\n", file.name, file.format, verdict.word);
    // Writing to a String cannot fail.
    let _ = match verdict.directions {
        Some(directions) => writeln!(text, "law        {}, {directions} directions", verdict.law),
        None => writeln!(text, "law        {}", verdict.law),
    };
    if let Some(epsilon) = verdict.epsilon {
        let epsilon = figures::figure(epsilon);
        let _ = writeln!(text, "groups     by the summation rule with epsilon = {epsilon} m/s");
    }
    let _ = writeln!(
        text,
        "residual   {} (accepted up to {})",
        figures::small(residual.worst),
        figures::small(verdict.tolerance)
    );
    for (what, figure) in [
        ("penetrating velocity", residual.gap),
        ("pull", residual.sign),
        ("push while separating", residual.complementarity),
        ("friction beyond the cone", residual.cone),
        ("friction not against the slip", residual.dissipation),
        ("joints", residual.joints),
    ] {
        if figure > 0.0 {
            let _ = writeln!(text, "           {} {what}", figures::small(figure));
        }
    }
    for note in &file.notes {
        let _ = writeln!(text, "note       {note}");
    }
    text += &words::claim(
        verdict.claimed,
        (accepted, verdict.infeasible),
        ["squeeze shows", "impulses solve"],
    );
    text
}

/// Reads an answer: an object with `contacts` as `solve --json` prints it, one with `r`, or the list r alone (per contact the normal first, then
/// as many tangents as the problem has).
fn read_claim(bytes: &[u8], file: &RawFile) -> Result<Claim, BadInput> {
    let raw = json::parse(text(bytes)?)?;
    if raw.get().starts_with('[') {
        return Claim::of_list(&json::numbers(raw, "r")?, file);
    }
    let fields = Fields::read(raw, "")?;
    let word = |key: &str| fields.given(key).map(|raw| json::string(raw, key)).transpose();
    let (status, law) = (word("status")?, word("law")?);
    let directions = match fields.get("contacts") {
        // Where all are planar, their two directions say nothing of a polygon.
        Some(_) => direction_count(&fields, "phi")?.filter(|count| *count > 2),
        None => None,
    };
    let (contacts, rows) = (file.problem.contact_count(), file.problem.joint_count());
    let certificate = fields
        .given("certificate")
        .map(|raw| squeeze(raw, contacts, rows).map_err(|bad| bad.below("certificate.")));
    let compression = fields.given("compression").map(|raw| {
        let impulses = Fields::read(raw, "").and_then(|fields| read_impulses(&fields, file));
        impulses.map(Box::new).map_err(|bad| bad.below("compression."))
    });
    Ok(Claim {
        status,
        law,
        directions,
        epsilon: fields.given("epsilon").map(|raw| number(raw, "epsilon")).transpose()?,
        squeeze: certificate.transpose()?,
        compression: compression.transpose()?,
        ..read_impulses(&fields, file)?
    })
}

/// The impulses of an answer, and nothing else of it.
pub fn read_impulses(fields: &Fields<'_>, file: &RawFile) -> Result<Claim, BadInput> {
    let mut claim = Claim::default();
    match fields.get("joint_impulse") {
        Some(raw) => {
            claim.joint = json::numbers(raw, "joint_impulse")?;
            expect_length("joint_impulse", file.problem.joint_count(), claim.joint.len())?;
        }
        None if file.problem.joint_count() > 0 => return Err(BadInput::new("joint_impulse", "missing field")),
        None => {}
    }
    if let Some(raw) = fields.get("r") {
        take_list(&json::numbers(raw, "r")?, file, &mut claim)?;
        return finish(claim, file);
    }
    each(fields.need("contacts")?, "contacts", &mut |i, raw| {
        let place = format!("contacts[{i}]");
        let contact = Fields::read(raw, &place)?;
        let below = |bad: BadInput| bad.below(&format!("{place}."));
        let normal = contact.need("normal_impulse").map_err(below)?;
        claim.normal.push(number(normal, format!("{place}.normal_impulse"))?);
        let at = format!("{place}.friction_impulse");
        let friction = json::numbers(contact.need("friction_impulse").map_err(below)?, &at)?;
        let &[x, y] = friction.as_slice() else {
            return Err(BadInput::length(at, 2, friction.len()));
        };
        claim.friction.push([x, y]);
        Ok(())
    })?;
    finish(claim, file)
}

fn take_list(r: &[f64], file: &RawFile, claim: &mut Claim) -> Result<(), BadInput> {
    let n = file.problem.contact_count();
    let dimension = match &file.given {
        Given::Local(local) => local.dimension(),
        Given::Global(global) => global.dimension,
        // Drivers are given what is planar throughout in two dimensions.
        Given::Blocks if r.len() == 2 * n && (0..n).all(|i| file.problem.is_planar(i)) => 2,
        Given::Blocks => 3,
    };
    expect_length("r", dimension * n, r.len())?;
    for p in r.chunks(dimension) {
        claim.normal.push(p[0]);
        claim.friction.push([p[1], p.get(2).copied().unwrap_or(0.0)]);
    }
    Ok(())
}

fn finish(mut claim: Claim, file: &RawFile) -> Result<Claim, BadInput> {
    expect_length("contacts", file.problem.contact_count(), claim.normal.len())?;
    if claim.joint.is_empty() {
        claim.joint.resize(file.problem.joint_count(), 0.0);
    }
    expect_length("joint_impulse", file.problem.joint_count(), claim.joint.len())?;
    Ok(claim)
}
