//! The cube and the square: whole motions under each law.

use std::path::Path;

use serde::Serialize;
use stiction_contact::Law;
use stiction_sim::planar::{PlanarPose, PlanarShape, Vec2};
use stiction_sim::shape::Shape;
use stiction_sim::{Quat, Vec3};

use super::data::{self, Motion, off_side};
use super::fit::search;
use super::replay::{Errors, Replay, Rule, Thing, replay};
use stiction_answers::timing::median;
use stiction_formats::BadInput;

/// Motions of each half in a quick run.
const QUICK_MOTIONS: usize = 3;

/// Half width, mass and moment of inertia of the cube \[m, kg, kg·m²\], from the data's own `experiment.json` and its description.
const CUBE_HALF: f64 = 0.0524;
const CUBE_MASS: f64 = 0.37;
const CUBE_INERTIA: f64 = 0.295 * CUBE_HALF * CUBE_HALF;
/// Friction and restitution that the cube's `experiment.json` gives.
const CUBE_GIVEN: [f64; 2] = [0.18, 0.125];
/// Half a side of the square \[m\]; its mass is not stated and has no effect \[kg\].
const SQUARE_HALF: f64 = 0.03;
const SQUARE_MASS: f64 = 1.0;

/// A law, and what of it is fitted.
pub(super) struct Way {
    pub(super) name: &'static str,
    pub(super) law: Law,
    /// Whether friction and restitution are fitted.
    pub(super) free: [bool; 2],
    pub(super) given: [f64; 2],
}

/// The laws that are fitted, for every set.
pub(super) const FITTED: [Way; 4] = [
    Way {
        name: "coulomb",
        law: Law::Coulomb,
        free: [true, true],
        given: [0.0; 2],
    },
    Way {
        name: "coulomb, e = 0",
        law: Law::Coulomb,
        free: [true, false],
        given: [0.0; 2],
    },
    Way {
        name: "frictionless",
        law: Law::Frictionless,
        free: [false, true],
        given: [0.0; 2],
    },
    Way {
        name: "no-slip",
        law: Law::NoSlip,
        free: [false, true],
        given: [0.0; 2],
    },
];

/// The cube under the parameters that come with its data.
const CUBE_AS_GIVEN: Way = Way {
    name: "coulomb, as given",
    law: Law::Coulomb,
    free: [false, false],
    given: CUBE_GIVEN,
};

/// Errors of one half: means over time and motions, and at the end of the motions.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Half {
    pub(super) motions: usize,
    /// Position \[m\], rotation \[rad\], velocity \[m/s\], angular velocity \[rad/s\].
    pub(super) mean: Errors,
    pub(super) median_of_means: Errors,
    pub(super) end: Errors,
    /// Motions that end with the same side up as the measured ones.
    pub(super) same_side: usize,
}

/// Errors of the tested half at one time after the first sample.
#[derive(Debug, Clone, Serialize)]
pub(super) struct At {
    /// Time \[s\].
    pub(super) time: f64,
    /// Motions that last as long.
    pub(super) motions: usize,
    pub(super) mean: Errors,
    pub(super) median: Errors,
}

/// A law and how it fares.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Line {
    pub(super) law: &'static str,
    /// None where the law has none.
    pub(super) friction: Option<f64>,
    pub(super) restitution: f64,
    pub(super) fitted: Half,
    pub(super) tested: Half,
    pub(super) steps: usize,
    pub(super) worst_residual: f64,
    /// Motions of both halves that end with less energy than they start with.
    pub(super) energy_falls: usize,
    pub(super) failures: Vec<String>,
    pub(super) curve: Vec<At>,
}

/// A set of motions and how the laws fare on it.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Report {
    pub(super) set: &'static str,
    pub(super) title: &'static str,
    /// Side of the body \[m\].
    pub(super) side: f64,
    /// Height of the ground and angle of the markers found at the ends of the fitted half \[m, rad\].
    pub(super) ground_height: f64,
    pub(super) marker_angle: f64,
    pub(super) lines: Vec<Line>,
}

/// The cube tosses of a folder.
pub(super) fn cube(folder: &Path, quick: bool) -> Result<Report, BadInput> {
    let halves = read(folder, "toss_", data::cube, quick)?;
    let mut thing = Thing {
        shape: Shape::cuboid(Vec3::repeat(CUBE_HALF)),
        ground: Shape::HalfSpace { normal: Vec3::z() },
        mass: CUBE_MASS,
        gyration: CUBE_INERTIA / CUBE_MASS,
        half: CUBE_HALF,
        up: Vec3::z(),
        height: 0.0,
        marker: Quat::identity(),
    };
    thing.height = ground_height(&thing, &halves[0]);
    let ways: Vec<&Way> = FITTED.iter().chain([&CUBE_AS_GIVEN]).collect();
    Ok(Report {
        set: "cube",
        title: "acrylic cube tossed onto a board, side 104.8 mm, 148 Hz [Pfrommer, Halm, Posa 2020]",
        side: 2.0 * CUBE_HALF,
        ground_height: thing.height,
        marker_angle: 0.0,
        lines: lines(&thing, &halves, &ways, quick)?,
    })
}

/// The square drops of a folder.
pub(super) fn square(folder: &Path, quick: bool) -> Result<Report, BadInput> {
    let halves = read(folder, "traj_", data::square, quick)?;
    let half = Vec2::repeat(SQUARE_HALF);
    let offs = halves[0].iter().filter_map(|m| m.samples.last());
    let angle = median(offs.map(|sample| off_side(&sample.rotation)).collect());
    let mut thing = Thing {
        shape: Shape::Planar(PlanarShape::rectangle(half)),
        ground: Shape::Planar(PlanarShape::HalfPlane { normal: Vec2::y() }),
        mass: SQUARE_MASS,
        // A plate of even density.
        gyration: 2.0 * SQUARE_HALF * SQUARE_HALF / 3.0,
        half: SQUARE_HALF,
        up: Vec3::y(),
        height: 0.0,
        marker: PlanarPose::new(Vec2::zeros(), -angle).in_space().rotation,
    };
    thing.height = ground_height(&thing, &halves[0]);
    Ok(Report {
        set: "square",
        title: "square dropped in a vertical plane, side 60 mm, 250 Hz [Fazeli, MIT MCube]",
        side: 2.0 * SQUARE_HALF,
        ground_height: thing.height,
        marker_angle: angle,
        lines: lines(&thing, &halves, &FITTED.iter().collect::<Vec<_>>(), quick)?,
    })
}

/// Motions with even numbers, and those with odd ones.
fn read(
    folder: &Path,
    start: &str,
    reader: fn(&Path) -> Result<Motion, BadInput>,
    quick: bool,
) -> Result<[Vec<Motion>; 2], BadInput> {
    let mut halves = [Vec::new(), Vec::new()];
    for (number, path) in data::numbered(folder, start)? {
        let half = &mut halves[usize::from(number % 2 == 1)];
        if !(quick && half.len() >= QUICK_MOTIONS) {
            half.push(reader(&path)?);
        }
    }
    for (half, name) in halves.iter().zip(["even", "odd"]) {
        if half.is_empty() {
            let problem = format!("must hold files with {name} numbers, found none");
            return Err(BadInput::whole(problem).in_file(folder));
        }
    }
    Ok(halves)
}

/// Where the ground is if the motions end on a side.
fn ground_height(thing: &Thing, motions: &[Motion]) -> f64 {
    let last = motions.iter().filter_map(|m| m.samples.last());
    median(last.map(|sample| sample.position.dot(&thing.up) - thing.half).collect())
}

fn lines(thing: &Thing, halves: &[Vec<Motion>; 2], ways: &[&Way], quick: bool) -> Result<Vec<Line>, BadInput> {
    ways.iter().map(|way| line(thing, halves, way, quick)).collect()
}

fn line(thing: &Thing, [fitted, tested]: &[Vec<Motion>; 2], way: &Way, quick: bool) -> Result<Line, BadInput> {
    let rule = |[friction, restitution]: [f64; 2]| Rule {
        law: way.law,
        friction,
        restitution,
    };
    let found = search(way.free, way.given, quick, |at| {
        Ok(cost(thing, &replays(thing, fitted, &rule(at))?))
    })?;
    let rule = rule(found.at);
    let runs = [replays(thing, fitted, &rule)?, replays(thing, tested, &rule)?];
    let all = || runs.iter().flatten();
    Ok(Line {
        law: way.name,
        friction: (way.law == Law::Coulomb).then_some(rule.friction),
        restitution: rule.restitution,
        fitted: half(&runs[0]),
        tested: half(&runs[1]),
        steps: all().map(|run| run.steps).sum(),
        worst_residual: all().fold(0.0, |m, run| m.max(run.worst_residual)),
        energy_falls: all().filter(|run| run.energy[1] < run.energy[0]).count(),
        failures: all().filter_map(|run| run.failure.clone()).collect(),
        curve: curve(&runs[1], tested[0].interval),
    })
}

/// Mean over the motions of the mean distance over time: of positions, and of a point half a side from the centre that the rotation moves.
fn cost(thing: &Thing, runs: &[Replay]) -> f64 {
    let each = runs.iter().map(|run| {
        let [position, rotation, ..] = run.means();
        // A run that ends early must not win by it.
        if run.failure.is_some() {
            f64::MAX.sqrt()
        } else {
            position + thing.half * rotation
        }
    });
    each.sum::<f64>() / runs.len().max(1) as f64
}

/// Replays of all motions, in their order whatever the number of threads.
fn replays(thing: &Thing, motions: &[Motion], rule: &Rule) -> Result<Vec<Replay>, BadInput> {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let share = motions.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let parts: Vec<_> = motions
            .chunks(share)
            .map(|part| {
                scope.spawn(move || {
                    part.iter()
                        .map(|m| replay(thing, m, rule))
                        .collect::<Result<Vec<_>, _>>()
                })
            })
            .collect();
        let mut all = Vec::new();
        for part in parts {
            let done = part
                .join()
                .map_err(|_| BadInput::whole("internal: a replay broke off"))?;
            all.extend(done?);
        }
        Ok(all)
    })
}

fn half(runs: &[Replay]) -> Half {
    let means: Vec<Errors> = runs.iter().map(Replay::means).collect();
    let ends: Vec<Errors> = runs.iter().filter_map(|run| run.errors.last().copied()).collect();
    Half {
        motions: runs.len(),
        mean: mean(&means),
        median_of_means: middle(&means),
        end: mean(&ends),
        same_side: runs.iter().filter(|run| run.same_side).count(),
    }
}

/// Errors over time, as long as half of the motions last.
fn curve(runs: &[Replay], interval: f64) -> Vec<At> {
    let longest = runs.iter().map(|run| run.errors.len()).max().unwrap_or(0);
    let at = |k: usize| {
        let errors: Vec<Errors> = runs.iter().filter_map(|run| run.errors.get(k).copied()).collect();
        At {
            time: interval * (k + 1) as f64,
            motions: errors.len(),
            mean: mean(&errors),
            median: middle(&errors),
        }
    };
    (0..longest)
        .map(at)
        .take_while(|at| 2 * at.motions >= runs.len())
        .collect()
}

fn mean(errors: &[Errors]) -> Errors {
    std::array::from_fn(|k| errors.iter().map(|e| e[k]).sum::<f64>() / errors.len().max(1) as f64)
}

fn middle(errors: &[Errors]) -> Errors {
    std::array::from_fn(|k| median(errors.iter().map(|e| e[k]).collect()))
}
