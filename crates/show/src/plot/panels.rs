//! Which charts a recording gives.

use clap::ValueEnum;
use stiction_record::StatsRecord;

use super::data::{Data, PairForce};
use super::{Axis, Line, Panel, scale};
use stiction_formats::figures::{counted, small};

/// Pairs of bodies that are drawn: those with the largest peaks.
const MAX_DRAWN_PAIRS: usize = 5;

/// Energy below which there is only rounding \[J\].
const ENERGY_ROUNDING: f64 = 1e-9;
/// Overlap below which there is only rounding \[m\].
const OVERLAP_ROUNDING: f64 = 1e-12;

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// Kinetic, potential, slip, impacts, injected, and their sum
    Energy,
    /// Deepest overlap
    Penetration,
    /// Normal force and friction of pairs of bodies
    Forces,
    /// Contacts, pivots and Newton steps, residual
    Solver,
}

impl What {
    /// All, in the order in which they are drawn.
    pub const ALL: [Self; 4] = [Self::Energy, Self::Penetration, Self::Forces, Self::Solver];

    /// Name on the command line and of the file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Energy => "energy",
            Self::Penetration => "penetration",
            Self::Forces => "forces",
            Self::Solver => "solver",
        }
    }
}

/// The charts of a recording that has steps.
#[must_use]
pub fn panels(data: &Data, what: What) -> Vec<Panel> {
    match what {
        What::Energy => vec![energy(&data.stats)],
        What::Penetration => vec![penetration(&data.stats)],
        What::Forces => forces(data),
        What::Solver => solver(&data.stats),
    }
}

fn line(name: &str, stats: &[StatsRecord], value: impl Fn(&StatsRecord) -> f64) -> Line {
    Line {
        name: name.to_owned(),
        points: stats.iter().map(|s| [s.time, value(s)].map(tame)).collect(),
    }
}

/// A number that can be drawn: a file may hold the largest doubles, whose sums and differences are not finite.
fn tame(x: f64) -> f64 {
    if x.is_nan() { 0.0 } else { x.clamp(-1e300, 1e300) }
}

/// What must not change: energy now and taken, less what was given.
fn books(s: &StatsRecord) -> f64 {
    s.kinetic + s.potential + s.dissipated + s.stepping - s.injected - s.eased
}

fn energy(stats: &[StatsRecord]) -> Panel {
    let (zero, start) = stats.first().map_or((0.0, 0.0), |s| (s.potential, books(s)));
    let drift = stats
        .iter()
        .fold(0.0_f64, |worst, s| worst.max(tame((books(s) - start).abs())));
    let [gain, stepping] = stats.last().map_or([0.0; 2], |s| [s.worst_gain, s.stepping]);
    // Older recordings have the sum of slip and impacts alone.
    let has_parts = stats.iter().all(|s| s.slip.is_some() && s.impacts.is_some());
    let mut lines = vec![
        line("kinetic", stats, |s| s.kinetic),
        line("potential, change", stats, |s| s.potential - zero),
        if has_parts {
            line("slip", stats, |s| s.slip.unwrap_or(0.0))
        } else {
            line("dissipated", stats, |s| s.dissipated)
        },
        line("injected", stats, |s| s.injected),
        line("sum", stats, |s| books(s) - zero),
    ];
    if has_parts {
        lines.push(line("impacts", stats, |s| s.impacts.unwrap_or(0.0)));
    }
    // Given by penetration correction and taken by time stepping: in the sum always, drawn where they can be seen.
    let size = lines
        .iter()
        .flat_map(|l| &l.points)
        .fold(0.0_f64, |m, p| m.max(p[1].abs()));
    for (name, value) in [
        ("eased", (|s| s.eased) as fn(&StatsRecord) -> f64),
        ("time stepping", |s| s.stepping),
    ] {
        if stats.iter().any(|s| value(s).abs() > 0.01 * size.max(ENERGY_ROUNDING)) {
            lines.push(line(name, stats, value));
        }
    }
    Panel {
        title: "Energy".to_owned(),
        subtitle: format!(
            "the sum (kinetic + potential + taken − given) moves by {} J; numerical loss {} J; largest unexplained gain in a step {} J",
            small(drift),
            small(stepping),
            small(gain)
        ),
        unit: "J",
        across: "s",
        axis: Axis::Linear,
        floor: ENERGY_ROUNDING,
        lines,
        nothing: "no steps",
    }
}

fn penetration(stats: &[StatsRecord]) -> Panel {
    let worst = stats.iter().fold((0.0_f64, 0.0), |(most, at), s| {
        if s.penetration > most {
            (s.penetration, s.time)
        } else {
            (most, at)
        }
    });
    let subtitle = if worst.0 == 0.0 {
        "bodies never overlap".to_owned()
    } else {
        format!(
            "deepest overlap at the start of a step: {} at {} s",
            if worst.0 < OVERLAP_ROUNDING {
                format!("{} m", small(worst.0))
            } else {
                scale::value(worst.0, "m")
            },
            scale::tick(worst.1)
        )
    };
    Panel {
        title: "Penetration".to_owned(),
        subtitle,
        unit: "m",
        across: "s",
        axis: Axis::Linear,
        floor: 1e-9,
        lines: vec![line("penetration", stats, |s| s.penetration)],
        nothing: "no steps",
    }
}

fn size(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Normal force and friction, each with the pairs that carry most.
fn forces(data: &Data) -> Vec<Panel> {
    let nothing = if data.has_contacts {
        "no requested contact carries a force"
    } else {
        "recorded without contacts"
    };
    let peak = |forces: &[(usize, PairForce)]| forces.iter().fold(0.0_f64, |m, (_, f)| m.max(f.normal));
    let mut pairs: Vec<_> = data.pairs.iter().filter(|(_, forces)| peak(forces) > 0.0).collect();
    // Stable: pairs of the same peak stay in the order of their names.
    pairs.sort_by(|(_, a), (_, b)| peak(b).total_cmp(&peak(a)));
    let shown = &pairs[..pairs.len().min(MAX_DRAWN_PAIRS)];
    let draw = |value: fn(&PairForce) -> f64| -> Vec<Line> {
        let line = |([a, b], forces): &(&[String; 2], &Vec<(usize, PairForce)>)| Line {
            name: format!("{a} – {b}"),
            points: over_time(&data.times, forces, value),
        };
        shown.iter().map(line).collect()
    };
    let which = if shown.len() < pairs.len() {
        format!("; the {MAX_DRAWN_PAIRS} pairs that carry most, of {}", pairs.len())
    } else {
        String::new()
    };
    let panel = |title: &str, subtitle: &str, value| Panel {
        title: title.to_owned(),
        subtitle: format!("{subtitle}{which}"),
        unit: "N",
        across: "s",
        axis: Axis::Linear,
        floor: 1e-6,
        lines: draw(value),
        nothing,
    };
    let mut panels = vec![panel("Normal force", "sum over the contacts of two bodies", |f| {
        f.normal
    })];
    if !pairs.is_empty() {
        let words = "size of the resultant over the contacts of two bodies";
        panels.push(panel("Friction", words, |f| size(f.friction)));
    }
    panels
}

/// Values of every frame; zero where there is none.
fn over_time(times: &[f64], forces: &[(usize, PairForce)], value: fn(&PairForce) -> f64) -> Vec<[f64; 2]> {
    let mut points: Vec<[f64; 2]> = times.iter().map(|time| [tame(*time), 0.0]).collect();
    for (frame, force) in forces {
        points[*frame][1] = tame(value(force));
    }
    points
}

fn solver(stats: &[StatsRecord]) -> Vec<Panel> {
    let sums = stats.iter().fold([0; 4], |[steps, pivots, newton, contacts], s| {
        let steps_here = usize::try_from(s.steps).unwrap_or(usize::MAX);
        [
            steps + steps_here,
            pivots + s.pivots,
            newton + s.newton_steps,
            contacts.max(s.contacts),
        ]
    });
    let per_step = |value: fn(&StatsRecord) -> usize| move |s: &StatsRecord| value(s) as f64 / s.steps.max(1) as f64;
    let mut work = Vec::new();
    if sums[1] > 0 {
        work.push(line("pivots", stats, per_step(|s| s.pivots)));
    }
    if sums[2] > 0 {
        work.push(line("Newton steps", stats, per_step(|s| s.newton_steps)));
    }
    let worst = stats.iter().fold(0.0_f64, |m, s| m.max(s.residual));
    vec![
        Panel {
            title: "Contacts".to_owned(),
            subtitle: format!("at most {}; islands are solved one by one", sums[3]),
            unit: "",
            across: "s",
            axis: Axis::Linear,
            floor: 1.0,
            lines: vec![
                line("contacts", stats, |s| s.contacts as f64),
                line("islands", stats, |s| s.islands as f64),
            ],
            nothing: "no steps",
        },
        Panel {
            title: "Work of the solver, a step".to_owned(),
            subtitle: format!(
                "{} and {} in {}",
                counted(sums[1], "pivot"),
                counted(sums[2], "Newton step"),
                counted(sums[0], "step")
            ),
            unit: "",
            across: "s",
            axis: Axis::Linear,
            floor: 1.0,
            lines: work,
            nothing: "no pivot and no Newton step was needed",
        },
        Panel {
            title: "Residual".to_owned(),
            subtitle: format!("the judge's, {} at worst", small(worst)),
            unit: "",
            across: "s",
            axis: Axis::Decades,
            floor: 0.0,
            lines: vec![line("residual", stats, |s| s.residual)],
            nothing: "no steps",
        },
    ]
}
