//! `[world]`: gravity, time, stepper, law and method.

use stiction_contact::{Law, Method};

use super::MOST_STEPS;
use super::error::Report;
use super::reader::Fields;
use crate::corners::CornerRule;
use crate::stepper::Stepper;
use crate::world::Settings;

/// How long a scene runs where it does not say \[s\].
const DURATION: f64 = 1.0;
/// Friction directions that the polyhedral law can have.
const DIRECTIONS: [usize; 2] = [3, 64];

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
        return Some((default, DURATION));
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
            "ease",
            "stepper",
            "corners",
            "friction",
            "density",
        ],
        report,
    );
    let gravity = fields.vector_or("gravity", default.gravity, report);
    let dt = fields.positive_or("dt", default.dt, report);
    let duration = fields.positive_or("duration", DURATION, report);
    let ease = fields.positive_or("ease", default.ease, report);
    let below_one = |x: f64| x > 0.0 && x < 1.0;
    let tolerance = fields.number_or(
        "tolerance",
        default.tolerance,
        "must lie between 0 and 1",
        below_one,
        report,
    );
    let directions = match fields.get("directions") {
        Some(node) => node.count(DIRECTIONS[0], DIRECTIONS[1], report),
        None => Some(default.directions),
    };
    let corners = match fields.get("corners") {
        Some(node) => node.choice(&CornerRule::ALL.map(|rule| (rule.name(), rule)), report),
        None => Some(default.corners),
    };
    let scheme = scheme(&fields, &default, report);
    let (dt, duration) = (dt?, duration?);
    check_duration(&fields, [dt, duration], report);
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
        corners: corners?,
    };
    Some((settings, duration))
}

/// Reports a duration that is not a number of steps.
fn check_duration(fields: &Fields<'_>, [dt, duration]: [f64; 2], report: &mut Report<'_>) {
    if duration / dt > MOST_STEPS {
        let problem = format!("must be at most {MOST_STEPS:e} steps of dt, found {:e}", duration / dt);
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
    if stepper == Stepper::Acceleration && !matches!(law, Law::Coulomb | Law::Frictionless) {
        let problem = format!(
            "must be coulomb or frictionless for the stepper acceleration, found {}",
            law.name()
        );
        fields.fail("law", problem, report);
    }
    let law_solved = if stepper == Stepper::Acceleration && law == Law::Coulomb {
        Law::CoulombAcceleration
    } else {
        law
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
