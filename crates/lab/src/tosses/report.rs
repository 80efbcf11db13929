//! Tables, curves and figures of the experiment. They hold no times of this machine: the same bits on every run.

use std::fmt::Write as _;

use serde::Serialize;

use super::{impacts, motions};
use stiction_formats::figures::quoted;
use stiction_show::plot::{Axis, Line, Panel, svg};

/// What is known of one set.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Report {
    Motions(motions::Report),
    Impacts(impacts::Report),
}

impl Report {
    pub(super) fn set(&self) -> &'static str {
        match self {
            Self::Motions(report) => report.set,
            Self::Impacts(report) => report.set,
        }
    }

    /// Whether every step was verified.
    pub(super) fn is_clean(&self) -> bool {
        match self {
            Self::Motions(report) => report.lines.iter().all(|line| line.failures.is_empty()),
            Self::Impacts(report) => report.lines.iter().all(|line| line.failures.is_empty()),
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Motions(report) => motions_text(report),
            Self::Impacts(report) => impacts_text(report),
        }
    }

    pub(super) fn csv(&self) -> String {
        match self {
            Self::Motions(report) => motions_csv(report),
            Self::Impacts(report) => impacts_csv(report),
        }
    }

    pub(super) fn svg(&self) -> String {
        match self {
            Self::Motions(report) => svg(
                &format!("{}: replays beside the measurement", report.set),
                &motions_panels(report),
            ),
            Self::Impacts(report) => svg("ellipse: velocities after an impact", &impacts_panels(report)),
        }
    }
}

/// A parameter, or a dash where there is none.
fn parameter(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |x| format!("{x:.3}"))
}

fn motions_text(report: &motions::Report) -> String {
    let (fitted, tested) = report
        .lines
        .first()
        .map_or((0, 0), |line| (line.fitted.motions, line.tested.motions));
    let mut text = format!(
        "{}: {}\n{fitted} motions with even numbers fitted, {tested} with odd numbers tested; ground found at {:.2} mm, markers at {:.2} deg\n\
         tested half, mean over time and motions; at the end of the motions; fitted half\n",
        report.set,
        report.title,
        1e3 * report.ground_height,
        report.marker_angle.to_degrees()
    );
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "{:<18} {:>6} {:>6} | {:>7} {:>6} {:>6} {:>6} {:>6} | {:>7} {:>6} {:>7} | {:>7} {:>6}",
        "law", "mu", "e", "mm", "% side", "deg", "m/s", "rad/s", "end mm", "deg", "side up", "fit mm", "deg"
    );
    for line in &report.lines {
        let [position, rotation, velocity, spin] = line.tested.mean;
        let side = format!("{}/{}", line.tested.same_side, line.tested.motions);
        let _ = writeln!(
            text,
            "{:<18} {:>6} {:>6} | {:>7.2} {:>6.1} {:>6.1} {:>6.3} {:>6.2} | {:>7.2} {:>6.1} {side:>7} | {:>7.2} {:>6.1}",
            line.law,
            parameter(line.friction),
            parameter(Some(line.restitution)),
            1e3 * position,
            100.0 * position / report.side,
            rotation.to_degrees(),
            velocity,
            spin,
            1e3 * line.tested.end[0],
            line.tested.end[1].to_degrees(),
            1e3 * line.fitted.mean[0],
            line.fitted.mean[1].to_degrees(),
        );
    }
    let steps: usize = report.lines.iter().map(|line| line.steps).sum();
    let worst = report.lines.iter().fold(0.0_f64, |m, line| m.max(line.worst_residual));
    let runs = report.lines.len() * (fitted + tested);
    let falls: usize = report.lines.iter().map(|line| line.energy_falls).sum();
    let _ = writeln!(
        text,
        "{steps} steps of these runs, residual {worst:.1e} at worst; energy fell in {falls} of {runs} runs"
    );
    let failures = report
        .lines
        .iter()
        .flat_map(|line| line.failures.iter().map(move |f| (line.law, f)));
    for (law, failure) in failures {
        let _ = writeln!(text, "not verified: {law}: {failure}");
    }
    text
}

fn impacts_text(report: &impacts::Report) -> String {
    let (fitted, tested) = report
        .lines
        .first()
        .map_or((0, 0), |line| (line.fitted.impacts, line.tested.impacts));
    let mut text = format!(
        "{}: {}\n{fitted} impacts with even numbers fitted, {tested} with odd numbers tested; mean errors of the velocity after the impact, x mirrored\n\
         together: sqrt(|dv|^2 + k^2 dw^2), bodies come at {:.2} m/s by the same measure; as stored: together, x as it is in the file\n",
        report.set, report.title, report.speed_before
    );
    let _ = writeln!(
        text,
        "{:<18} {:>6} {:>6} | {:>6} {:>6} {:>8} {:>6} {:>6} | {:>6} | {:>9}",
        "law or model", "mu", "e", "m/s", "rad/s", "together", "median", "%", "fit", "as stored"
    );
    for line in &report.lines {
        let _ = writeln!(
            text,
            "{:<18} {:>6} {:>6} | {:>6.3} {:>6.2} {:>8.3} {:>6.3} {:>6.1} | {:>6.3} | {:>9.3}",
            line.law,
            parameter(line.friction),
            parameter(line.restitution),
            line.tested.velocity,
            line.tested.spin,
            line.tested.mean,
            line.tested.median,
            100.0 * line.tested.mean / report.speed_before,
            line.fitted.mean,
            line.tested_as_stored.mean,
        );
    }
    let ours = || report.lines.iter().filter(|line| line.ours);
    let worst = ours().fold(0.0_f64, |m, line| m.max(line.worst_residual));
    let falls: usize = ours().map(|line| line.energy_falls).sum();
    let _ = writeln!(
        text,
        "ours: residual {worst:.1e} at worst; no energy gained in {falls} of {} impacts",
        ours().count() * (fitted + tested)
    );
    for (law, failure) in ours().flat_map(|line| line.failures.iter().map(move |f| (&line.law, f))) {
        let _ = writeln!(text, "not verified: {law}: {failure}");
    }
    text
}

fn motions_csv(report: &motions::Report) -> String {
    let mut text = String::from(
        "set,law,friction,restitution,time_s,motions,position_mean_m,rotation_mean_rad,velocity_mean_m_s,spin_mean_rad_s,\
         position_median_m,rotation_median_rad,velocity_median_m_s,spin_median_rad_s\n",
    );
    for line in &report.lines {
        let friction = line.friction.map_or_else(String::new, |x| x.to_string());
        for at in &line.curve {
            let _ = write!(
                text,
                "{},{},{friction},{},{},{}",
                report.set,
                quoted(line.law),
                line.restitution,
                at.time,
                at.motions
            );
            for value in at.mean.iter().chain(&at.median) {
                let _ = write!(text, ",{value}");
            }
            text.push('\n');
        }
    }
    text
}

fn impacts_csv(report: &impacts::Report) -> String {
    let mut text = String::from("set,law,friction,restitution,share,error_m_s\n");
    for line in &report.lines {
        let shown = |value: Option<f64>| value.map_or_else(String::new, |x| x.to_string());
        for (share, error) in shares(&line.errors) {
            let _ = writeln!(
                text,
                "{},{},{},{},{share},{error}",
                report.set,
                quoted(&line.law),
                shown(line.friction),
                shown(line.restitution)
            );
        }
    }
    text
}

/// Shares of impacts whose error is no larger, with the errors.
fn shares(errors: &[f64]) -> impl Iterator<Item = (f64, f64)> {
    let count = errors.len() as f64;
    errors
        .iter()
        .enumerate()
        .map(move |(k, error)| ((k + 1) as f64 / count, *error))
}

fn motions_panels(report: &motions::Report) -> Vec<Panel> {
    let panel = |title: &str, unit: &'static str, k: usize, factor: f64| Panel {
        title: title.to_owned(),
        subtitle: "mean over the tested motions, as long as all of them last; time since their first sample".to_owned(),
        unit,
        across: "s",
        axis: Axis::Linear,
        floor: 1e-9,
        lines: report
            .lines
            .iter()
            .map(|line| Line {
                name: line.law.to_owned(),
                points: line
                    .curve
                    .iter()
                    .filter(|at| at.motions == line.tested.motions)
                    .map(|at| [at.time, factor * at.mean[k]])
                    .collect(),
            })
            .collect(),
        nothing: "no motion",
    };
    vec![
        panel("Error of position", "m", 0, 1.0),
        panel("Error of rotation", "°", 1, 1.0_f64.to_degrees()),
        panel("Error of velocity", "m/s", 2, 1.0),
        panel("Error of angular velocity", "rad/s", 3, 1.0),
    ]
}

fn impacts_panels(report: &impacts::Report) -> Vec<Panel> {
    let panel = |title: &str, takes: &dyn Fn(&impacts::Line) -> bool| Panel {
        title: title.to_owned(),
        subtitle: "share of the tested impacts whose error of velocity, spin included, is no larger; x mirrored"
            .to_owned(),
        unit: "%",
        across: "m/s",
        axis: Axis::Linear,
        floor: 1e-9,
        lines: report
            .lines
            .iter()
            .filter(|line| takes(line))
            .map(|line| Line {
                name: line.law.clone(),
                points: shares(&line.errors)
                    .map(|(share, error)| [error, 100.0 * share])
                    .collect(),
            })
            .collect(),
        nothing: "no impact",
    };
    vec![
        panel("Our laws", &|line| line.ours),
        panel("Impulses of models that come with the data", &|line| !line.ours),
    ]
}
