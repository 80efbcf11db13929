//! `stiction check SCENE`: a scene read and looked at, not run.

use std::path::Path;

use serde::Serialize;
use stiction_scene::{BodyGroup, Scene};

use super::scene_notes;
use stiction_answers::BAD_INPUT;
use stiction_answers::Outcome;
use stiction_answers::SOLVED;
use stiction_formats::BadInput;
use stiction_formats::figures::{counted, figure};
use stiction_formats::write::json_text;

#[derive(Debug, Serialize)]
struct SceneCheck<'a> {
    kind: &'static str,
    name: &'a str,
    #[serde(rename = "verdict")]
    word: &'static str,
    time_step: f64,
    steps: u64,
    law: &'static str,
    bodies: Vec<Group>,
    joints: usize,
    warnings: Vec<Warning<'a>>,
    /// What robots' files say and the scene does not take.
    notes: &'a [String],
}

/// Bodies that are alike.
#[derive(Debug, Serialize)]
struct Group {
    count: usize,
    first: String,
    shape: &'static str,
    size: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mass: Option<f64>,
    /// A text where it is infinite: JSON has no such number.
    friction: serde_json::Value,
    restitution: f64,
    viscosity: f64,
}

#[derive(Debug, Serialize)]
struct Warning<'a> {
    path: &'a str,
    line: usize,
    column: usize,
    message: &'a str,
}

/// Reads the scene and says what was taken and what is doubtful. Warnings are errors with `strict`.
pub(super) fn run(file: &Path, strict: bool, json: bool) -> Result<Outcome, BadInput> {
    let text = Scene::text(file).map_err(|error| BadInput::each_line(&error))?;
    if text.trim_start().starts_with('{') {
        return Err(BadInput::new("answer", "must be given beside a problem, found nothing").in_file(file));
    }
    let scene = Scene::parse_file(&text, file).map_err(|error| BadInput::each_line(&error))?;
    let refused = strict && !scene.warnings.is_empty();
    if !json {
        scene_notes::refuse(&scene, file, strict)?;
    }
    let text = if json {
        json_text(&check(&scene, refused))?
    } else {
        words(&scene, file)
    };
    let status = if refused { BAD_INPUT } else { SOLVED };
    Ok(Outcome { text, status })
}

fn words(scene: &Scene, file: &Path) -> String {
    let mut lines = vec![format!(
        "{}: {}, {}, law {}, {} steps of {} s",
        scene.name,
        counted(scene.bodies.len(), "body").replace("bodys", "bodies"),
        counted(scene.joints.len(), "joint"),
        scene.settings.law.name(),
        scene.steps(),
        figure(scene.settings.dt)
    )];
    lines.extend(scene_notes::bodies(scene));
    lines.extend(scene.notes.iter().cloned());
    let warnings = scene_notes::warnings(scene, file);
    lines.extend(warnings.iter().map(|warning| format!("warning: {warning}")));
    lines.push(counted(warnings.len(), "warning"));
    lines
        .iter()
        .map(|line| stiction_formats::bad_input::one_line(line) + "\n")
        .collect()
}

fn check(scene: &Scene, refused: bool) -> SceneCheck<'_> {
    let warnings = scene.warnings.iter().map(|warning| Warning {
        path: &warning.path,
        line: warning.line,
        column: warning.column,
        message: &warning.problem,
    });
    SceneCheck {
        kind: "scene-check",
        name: &scene.name,
        word: if refused { "refused" } else { "accepted" },
        time_step: scene.settings.dt,
        steps: scene.steps(),
        law: scene.settings.law.name(),
        bodies: scene.summary().into_iter().map(group).collect(),
        joints: scene.joints.len(),
        warnings: warnings.collect(),
        notes: &scene.notes,
    }
}

fn group(group: BodyGroup) -> Group {
    let friction = if group.friction.is_finite() {
        group.friction.into()
    } else {
        "inf".into()
    };
    Group {
        count: group.count,
        first: group.first,
        shape: group.shape,
        size: group.size,
        kind: group.kind,
        mass: group.mass,
        friction,
        restitution: group.restitution,
        viscosity: group.viscosity,
    }
}
