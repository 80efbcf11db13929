//! `[world]`: gravity, time, stepper, law and method.

use stiction_contact::{Law, Method, Restitution};

use super::MAX_STEPS;
use super::error::Report;
use super::reader::Fields;
use super::urdf::table::ModelOptions;
use crate::CornerRule;
use crate::Settings;
use crate::Stepper;

/// How long a scene runs where it does not say \[s\].
const DEFAULT_DURATION: f64 = 1.0;
/// Friction directions that the polyhedral law can have.
const DIRECTIONS_RANGE: [usize; 2] = [3, 64];

/// Whether the world is planar; reported where it is neither true nor false.
pub(super) fn planar(root: &Fields<'_>, report: &mut Report<'_>) -> bool {
    let Some(node) = root.get("world").filter(super::reader::Node::is_table) else {
        return false;
    };
    let planar = node.fields(report).and_then(|fields| fields.get("planar"));
    planar.and_then(|node| node.boolean(report)).unwrap_or(false)
}

/// What `[world]` gives to bodies that do not say it themselves.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Defaults {
    pub(super) friction: Option<f64>,
    /// [kg/m³, in the plane kg/m²].
    pub(super) density: Option<f64>,
}

/// The defaults of bodies.
pub(super) fn defaults(root: &Fields<'_>, report: &mut Report<'_>) -> Defaults {
    let world = root.get("world").filter(super::reader::Node::is_table);
    let Some(fields) = world.and_then(|node| node.fields(report)) else {
        return Defaults::default();
    };
    Defaults {
        friction: fields.get("friction").and_then(|node| node.friction(report)),
        density: fields.get("density").and_then(|node| node.positive(report)),
    }
}

/// Settings and duration.
pub(super) fn read(root: &Fields<'_>, report: &mut Report<'_>) -> Option<(Settings, f64)> {
    let default = if root.planar {
        Settings::planar()
    } else {
        Settings::default()
    };
    let Some(node) = root.get("world") else {
        return Some((default, DEFAULT_DURATION));
    };
    let fields = node.fields(report)?;
    fields.only(
        &[
            "planar",
            "gravity",
            "dt",
            "duration",
            "law",
            "method",
            "directions",
            "tolerance",
            "max_work",
            "ease",
            "stepper",
            "restitution_rule",
            "relaxation",
            "corners",
            "friction",
            "density",
        ],
        report,
    );
    let gravity = fields.vector_or("gravity", default.gravity, report);
    let dt = fields.positive_or("dt", default.dt, report);
    let duration = fields.positive_or("duration", DEFAULT_DURATION, report);
    let ease = fields.positive_or("ease", default.ease, report);
    let below_one = |x: f64| x > 0.0 && x < 1.0;
    let tolerance = fields.number_or(
        "tolerance",
        default.tolerance,
        "must lie between 0 and 1",
        below_one,
        report,
    );
    let max_work = max_work(&fields, report);
    let directions = match fields.get("directions") {
        Some(node) => node.count(DIRECTIONS_RANGE[0], DIRECTIONS_RANGE[1], report),
        None => Some(default.directions),
    };
    let corners = match fields.get("corners") {
        Some(node) => node.choice(&CornerRule::ALL.map(|rule| (rule.name(), rule)), report),
        None => Some(default.corners),
    };
    let restitution_rule = match fields.get("restitution_rule") {
        Some(node) => node.choice(&Restitution::ALL.map(|rule| (rule.name(), rule)), report),
        None => Some(default.restitution_rule),
    };
    let scheme = scheme(&fields, &default, report);
    let (dt, duration) = (dt?, duration?);
    check_duration(&fields, dt, duration, report);
    let (stepper, law, method) = scheme?;
    let settings = Settings {
        planar: root.planar,
        gravity: gravity?,
        dt,
        law,
        method,
        directions: directions?,
        tolerance: tolerance?,
        ease: ease?,
        stepper,
        restitution_rule: restitution_rule?,
        relaxation: relaxation(&fields, stepper, report),
        max_work: max_work?,
        corners: corners?,
    };
    Some((settings, duration))
}

/// Takes the gravity of the first model where the scene names none; says what of the models' options is not taken.
pub(super) fn take_options(
    root: &Fields<'_>,
    models: &[ModelOptions],
    (settings, notes): (&mut Settings, &mut Vec<String>),
    report: &mut Report<'_>,
) {
    let world = root.get("world").filter(super::reader::Node::is_table);
    let own = world.and_then(|node| node.fields(report)?.get("gravity"));
    let first = models.iter().find_map(|(file, gravity, _)| Some((file, (*gravity)?)));
    if let (None, Some((file, gravity))) = (own, first) {
        if gravity != settings.gravity {
            let [x, y, z]: [f64; 3] = gravity.into();
            notes.push(format!(
                "{file}: taken: option.gravity [{x}, {y}, {z}], as the scene names none"
            ));
        }
        settings.gravity = gravity;
    }
    for (file, gravity, timestep) in models {
        if let Some(gravity) = gravity.filter(|gravity| *gravity != settings.gravity) {
            let [[x, y, z], own]: [[f64; 3]; 2] = [gravity.into(), settings.gravity.into()];
            notes.push(format!(
                "{file}: ignored: option.gravity [{x}, {y}, {z}]: that of the scene is {own:?}"
            ));
        }
        if let Some(timestep) = timestep.filter(|timestep| *timestep != settings.dt) {
            let dt = settings.dt;
            notes.push(format!(
                "{file}: ignored: option.timestep {timestep}: dt of the scene is {dt}"
            ));
        }
    }
}

/// Operations of a step; without the field there is no limit.
fn max_work(fields: &Fields<'_>, report: &mut Report<'_>) -> Option<u64> {
    if fields.get("max_work").is_none() {
        return Some(u64::MAX);
    }
    let work = fields.number_or("max_work", 1.0, "must be at least 1", |x| x >= 1.0, report)?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // It saturates: beyond is no limit.
    Some(work as u64)
}

/// Reports a duration of too many steps, or of none.
fn check_duration(fields: &Fields<'_>, dt: f64, duration: f64, report: &mut Report<'_>) {
    if duration / dt > MAX_STEPS {
        let problem = format!("must be at most {MAX_STEPS:e} steps of dt, found {:e}", duration / dt);
        fields.fail("duration", problem, report);
    }
    // Rounding of a duration that is meant to be one step.
    if duration < dt * (1.0 - 1e-9) {
        if fields.get("duration").is_some() {
            fields.fail(
                "duration",
                format!("must be at least one step of {dt} s, found {duration}"),
                report,
            );
        } else {
            fields.fail(
                "dt",
                format!("must be at most the duration, {duration} s, found {dt}"),
                report,
            );
        }
    }
}

/// Relaxation time, of first-order physics only.
fn relaxation(fields: &Fields<'_>, stepper: Stepper, report: &mut Report<'_>) -> Option<f64> {
    fields.get("relaxation")?;
    let time = fields.positive_or("relaxation", 1.0, report)?;
    if stepper.has_inertia() {
        let problem = format!(
            "must be used with the stepper first-order only, found {time} with {}",
            stepper.name()
        );
        fields.fail("relaxation", problem, report);
    }
    Some(time)
}

/// Stepper, law and method, which must fit each other.
fn scheme(fields: &Fields<'_>, default: &Settings, report: &mut Report<'_>) -> Option<(Stepper, Law, Option<Method>)> {
    let law = match fields.get("law") {
        Some(node) => {
            let laws: Vec<(&str, Law)> = Law::ALL
                .into_iter()
                .filter(|law| !law.is_acceleration())
                .map(|law| (law.name(), law))
                .collect();
            node.choice(&laws, report)
        }
        None => Some(default.law),
    };
    let method = match fields.get("method") {
        Some(node) => node.choice(&Method::ALL.map(|m| (m.name(), m)), report).map(Some),
        None => Some(None),
    };
    let stepper = match fields.get("stepper") {
        Some(node) => node.choice(&Stepper::ALL.map(|s| (s.name(), s)), report),
        None => Some(default.stepper),
    };
    let (law, method, stepper) = (law?, method?, stepper?);
    if stepper == Stepper::Acceleration && !matches!(law, Law::Coulomb | Law::CoulombViscous | Law::Frictionless) {
        let problem = format!(
            "must be coulomb, coulomb-viscous or frictionless for the stepper acceleration, found {}",
            law.name()
        );
        fields.fail("law", problem, report);
    }
    let law_solved = match (stepper, law) {
        (Stepper::Acceleration, Law::Coulomb) => Law::CoulombAcceleration,
        (Stepper::Acceleration, Law::CoulombViscous) => Law::CoulombViscousAcceleration,
        _ => law,
    };
    check_method(fields, law_solved, method, report);
    Some((stepper, law, method))
}

/// Reports a method that does not answer the law.
fn check_method(fields: &Fields<'_>, law: Law, method: Option<Method>, report: &mut Report<'_>) {
    if let Some(method) = method.filter(|m| !m.laws().contains(&law)) {
        let fit: Vec<&str> = Method::ALL
            .iter()
            .filter(|m| m.laws().contains(&law))
            .map(|m| m.name())
            .collect();
        let problem = format!(
            "must answer the law {}, as {} do, found {}",
            law.name(),
            fit.join(", "),
            method.name()
        );
        fields.fail("method", problem, report);
    }
}
