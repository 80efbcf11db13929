//! Other people's answers: read as `check` reads them, but only what the judge needs.
//!
//! An answer that says solved, or says nothing of itself, is a claim: where its numbers are missing, are no numbers or too many or too few, it is
//! wrong. Anything else in it that cannot be read, such as its time, costs that alone.

use std::path::{Component, Path, PathBuf};

use stiction_contact::Law;

use super::{Answer, Case, Kind, Proof};
use crate::contact::judged_by::another_law;
use crate::contact::{answer, check, raw_check};
use stiction_formats::BadInput;
use stiction_formats::Level;
use stiction_formats::bad_input::one_line;
use stiction_formats::read::json::{self, Fields, number};
use stiction_formats::read::{ContactFile, RawFile, read_bytes, text};

/// What an answer without a status says.
const NO_STATUS: &str = "no status";

/// What programs write where there is no number, in capitals or not and with a sign or not: Python, JavaScript, Julia and C. The longer ones first; no
/// word of JSON begins like these.
const WORDS: [&str; 4] = ["nan(ind)", "nan", "infinity", "inf"];

/// A folder of answers: `STEM.json` for the problem STEM.
#[derive(Debug, Clone)]
pub struct Answers {
    /// Name of the solver.
    pub name: String,
    folder: PathBuf,
}

impl Answers {
    /// From `NAME=FOLDER`, or a folder alone.
    pub fn new(given: &str) -> Result<Self, BadInput> {
        let (name, folder) = given.split_once('=').unwrap_or((given, given));
        let folder = PathBuf::from(folder);
        if name.is_empty() || folder.as_os_str().is_empty() {
            return Err(BadInput::new(
                "answers",
                format!(
                    "must be NAME=FOLDER, found {}",
                    stiction_formats::bad_input::shown(given)
                ),
            ));
        }
        if !folder.is_dir() {
            return Err(BadInput::whole("must be a folder of answers, found none").in_file(&folder));
        }
        Ok(Self {
            name: one_line(name),
            folder,
        })
    }

    /// The file of the answer to a problem; `None` where there is none below the folder.
    fn path(&self, case: &Case) -> Option<PathBuf> {
        let name = PathBuf::from(format!("{}.json", case.name));
        // A name of a case is anyone's word: `..` leads out.
        let stays = name.components().all(|part| matches!(part, Component::Normal(_)));
        Some(self.folder.join(name)).filter(|path| stays && path.is_file())
    }

    /// Refuses a folder without a single answer: it is another's, or its files have other names.
    pub fn must_fit(&self, cases: &[Case]) -> Result<(), BadInput> {
        match cases.first() {
            Some(first) if !cases.iter().any(|case| self.path(case).is_some()) => {
                let problem = format!(
                    "must hold an answer named after its problem, such as {}.json, found none",
                    first.name
                );
                Err(BadInput::whole(problem).in_file(&self.folder))
            }
            _ => Ok(()),
        }
    }

    /// The answer to a problem; `None` where there is no file.
    #[must_use]
    pub fn answer(&self, case: &Case) -> Option<Answer> {
        let path = self.path(case)?;
        Some(read(&path, case, case.bodies.as_deref()).unwrap_or_else(|bad| failed(bad.to_string())))
    }
}

/// An answer of someone who has none.
#[must_use]
pub fn failed(ending: String) -> Answer {
    Answer {
        ending,
        ..Answer::default()
    }
}

/// Numbers that the judge takes.
#[derive(Debug)]
struct Values {
    list: Vec<f64>,
    tilted: Option<Vec<f64>>,
}

impl From<Vec<f64>> for Values {
    fn from(list: Vec<f64>) -> Self {
        Self { list, tilted: None }
    }
}

/// Reads an answer: of an LCP `z`, of contacts `r` or `contacts`. Friction in `contacts` is a world vector where `bodies` are given, and else along the
/// problem's own tangents. The error is a file that is no answer at all.
pub fn read(path: &Path, case: &Case, bodies: Option<&ContactFile>) -> Result<Answer, BadInput> {
    let bytes = read_bytes(path)?;
    let words = with_words(text(&bytes)?);
    let raw = json::parse(words.as_deref().unwrap_or(text(&bytes)?))?;
    let mut answer = failed(NO_STATUS.to_owned());
    let values = if raw.get().starts_with('[') {
        answer.claimed = true;
        match &case.problem {
            Kind::Lcp(_) => json::numbers(raw, "z").map(Values::from),
            Kind::Contact(file) => json::numbers(raw, "r")
                .and_then(|r| raw_check::Claim::of_list(&r, file))
                .map(|claim| claim.triples().into()),
        }
    } else {
        let fields = Fields::read(raw, "")?;
        (answer.claimed, answer.ending) = status(&fields);
        match time(&fields) {
            Ok(time) => answer.time_us = time,
            Err(bad) => answer.message = Some(bad.to_string()),
        }
        if !answer.claimed {
            match proof(&fields, case) {
                Ok(proof) => answer.proof = proof,
                Err(bad) => answer.message = Some(bad.to_string()),
            }
        }
        let has_numbers = ["z", "r", "contacts"].iter().any(|key| fields.get(key).is_some());
        if !answer.claimed && !has_numbers {
            return Ok(answer);
        }
        if bodies.is_some_and(ContactFile::bounces) && matches!(rule(&fields), Ok(Some(rule)) if rule == "poisson") {
            answer.claimed = false;
            "restitution: answers poisson instead of newton".clone_into(&mut answer.ending);
            return Ok(answer);
        }
        if let (Kind::Contact(_), Some(own)) = (&case.problem, other_law(&fields)) {
            answer.claimed = false;
            answer.ending = another_law(own, Law::Coulomb);
            return Ok(answer);
        }
        match (&case.problem, bodies) {
            (Kind::Lcp(_), _) => fields
                .need("z")
                .and_then(|raw| json::numbers(raw, "z"))
                .map(Values::from),
            (Kind::Contact(file), Some(bodies)) if fields.get("r").is_none() => of_bodies(&fields, bodies, file),
            (Kind::Contact(file), _) => raw_check::read_impulses(&fields, file).map(|claim| claim.triples().into()),
        }
    };
    match values {
        Ok(values) => (answer.values, answer.tilted) = (Some(values.list), values.tilted),
        // More than what may be wrong with its time.
        Err(bad) => answer.message = Some(bad.to_string()),
    }
    Ok(answer)
}

/// The certificate of an answer that says that there is none.
fn proof(fields: &Fields<'_>, case: &Case) -> Result<Option<Proof>, BadInput> {
    let Some(raw) = fields.given("certificate") else {
        return Ok(None);
    };
    match &case.problem {
        Kind::Lcp(_) => {
            let y = Fields::read(raw, "certificate")?
                .get("y")
                .map(|raw| json::decimals(raw, "certificate.y"))
                .transpose()?;
            Ok(y.map(Proof::Farkas))
        }
        Kind::Contact(file) => {
            let (contacts, rows) = (file.problem.contact_count(), file.problem.joint_count());
            let squeeze = answer::squeeze(raw, contacts, rows).map_err(|bad| bad.below("certificate."))?;
            Ok(Some(Proof::Squeeze(squeeze)))
        }
    }
}

/// Whether an answer says solved, and its words.
fn status(fields: &Fields<'_>) -> (bool, String) {
    match fields.given("status").map(|raw| json::string(raw, "status")) {
        None => (true, NO_STATUS.to_owned()),
        Some(Ok(word)) => (word.eq_ignore_ascii_case("solved"), one_line(&word)),
        Some(Err(bad)) => (false, bad.to_string()),
    }
}

/// Time of the solve: `time_us`, or as `solve --json` writes it in `stats`.
fn time(fields: &Fields<'_>) -> Result<Option<f64>, BadInput> {
    let positive = |raw, place: &str| match number(raw, place)? {
        time if time > 0.0 => Ok(Some(time)),
        time => Err(BadInput::new(place, format!("must be positive, found {time}"))),
    };
    if let Some(raw) = fields.get("time_us") {
        return positive(raw, "time_us");
    }
    let Some(stats) = fields.get("stats") else {
        return Ok(None);
    };
    let stats = Fields::read(stats, "stats")?;
    stats
        .get("time_us")
        .map_or(Ok(None), |raw| positive(raw, "stats.time_us"))
}

/// The law that an answer names, where it is another than Coulomb's. A word that names no law costs nothing.
fn other_law(fields: &Fields<'_>) -> Option<Law> {
    let name = json::string(fields.given("law")?, "law").ok()?;
    Level::Velocity.law_named(&name).ok().filter(|law| *law != Law::Coulomb)
}

/// The rule of restitution that an answer names, in small letters.
fn rule(fields: &Fields<'_>) -> Result<Option<String>, BadInput> {
    let rule = fields.given("restitution").map(|raw| json::string(raw, "restitution"));
    Ok(rule.transpose()?.map(|rule| rule.to_ascii_lowercase()))
}

/// The impulses on bodies, as `check` takes them.
fn of_bodies(fields: &Fields<'_>, bodies: &ContactFile, file: &RawFile) -> Result<Values, BadInput> {
    if let Some(rule) = rule(fields)?.filter(|rule| rule != "newton" && rule != "poisson") {
        let found = stiction_formats::bad_input::shown(&rule);
        return Err(BadInput::new(
            "restitution",
            format!("must be one of newton, poisson, found {found}"),
        ));
    }
    let claim = answer::read_pushes(fields, bodies)?;
    let found = check::project(bodies, &file.problem, &claim);
    let list = |normal: &[f64]| {
        let pairs = normal.iter().zip(&found.friction);
        let contacts = pairs.flat_map(|(n, f)| [*n, f[0], f[1]]);
        contacts.chain(claim.joint_impulse.iter().copied()).collect()
    };
    Ok(Values {
        list: list(&claim.normal_impulse),
        tilted: found.tilted.as_deref().map(list),
    })
}

/// How long the word for no number is that a text begins with, if it does.
fn word_at(text: &str) -> Option<usize> {
    let sign = usize::from(text.starts_with(['+', '-']));
    let rest = &text.as_bytes()[sign..];
    let begins = |word: &str| {
        rest.get(..word.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
    };
    WORDS.iter().find(|word| begins(word)).map(|word| sign + word.len())
}

/// The text with `NaN` and `Infinity`, which JSON does not have and many programs write, as words; `None` where it has none.
fn with_words(text: &str) -> Option<String> {
    let (mut out, mut quoted, mut escaped) = (String::with_capacity(text.len()), false, false);
    let (mut rest, mut found) = (text, false);
    while let Some(next) = rest.chars().next() {
        if !quoted && let Some(length) = word_at(rest) {
            out.extend(["\"", &rest[..length], "\""]);
            rest = &rest[length..];
            found = true;
            continue;
        }
        match next {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ => {}
        }
        out.push(next);
        rest = &rest[next.len_utf8()..];
    }
    found.then_some(out)
}
