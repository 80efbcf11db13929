//! `stiction check SCENE stand.json`: every proof of a report again, from the scene's own data.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;
use stiction_stand::check::{Claim, check};

use super::scene_argument::ChangeOptions;
use super::stand_source::{Source, other};
use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_formats::write::json_text;

/// The report in a file, where that is what it holds.
pub(super) fn report(answer: &Path) -> Option<Value> {
    let text = std::fs::read_to_string(answer).ok()?;
    let value: Value = serde_json::from_str(&text).ok()?;
    (value["kind"] == "stand").then_some(value)
}

/// Checks it.
pub(super) fn run(scene: &Path, answer: &Path, report: &Value, json: bool) -> Result<Outcome, BadInput> {
    let asked = &report["asked"];
    let change = ChangeOptions::of_pairs(&asked["set"]).map_err(|bad| bad.in_file(answer))?;
    let source = Source {
        scene,
        change: &change,
        gap: asked["gap"].as_f64(),
        time: asked["time"].as_f64(),
        force_limit: report["force_limit"].as_f64(),
    };
    let whole = source.equilibrium(None)?.whole;
    let make = |key: &str, value: f64| other(&source, &whole, key, value);
    let claims = check(&whole, report, &make).map_err(|error| BadInput::named(&error).in_file(answer))?;
    let accepted = claims.iter().all(|claim| claim.fault.is_none());
    let text = if json {
        let list = claims
            .iter()
            .map(|claim| serde_json::json!({ "claim": claim.what, "fault": claim.fault }));
        json_text(&serde_json::json!({
            "kind": "stand-check",
            "verdict": if accepted { "accepted" } else { "refused" },
            "claims": list.collect::<Vec<_>>(),
        }))?
    } else {
        let word = if accepted { "accepted" } else { "refused" };
        format!(
            "{word}: {} of {} claims hold\n{}",
            held(&claims),
            claims.len(),
            words(&claims)
        )
    };
    Ok(Outcome::new(text, accepted))
}

fn held(claims: &[Claim]) -> usize {
    claims.iter().filter(|claim| claim.fault.is_none()).count()
}

/// A line for each claim.
pub(super) fn words(claims: &[Claim]) -> String {
    let mut text = String::new();
    for claim in claims {
        // Writing to a String cannot fail.
        let _ = match &claim.fault {
            None => writeln!(text, "holds        {}", claim.what),
            Some(fault) => writeln!(text, "REFUSED      {}: {fault}", claim.what),
        };
    }
    text
}
