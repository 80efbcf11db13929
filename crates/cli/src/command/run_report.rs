//! What `stiction run` says at the end: a table for a person, or JSON.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use stiction_scene::Scene;
use stiction_sim::energy::{Ledger, Numerical};
use stiction_sim::{EnergyGain, EnergyWatch, JointError, StepReport, Stepper, Work, World};

use super::run_faults::Faults;
use super::run_work::{Factorisations, StepTimes, real_time_factor};
use stiction_formats::BadInput;
use stiction_formats::figures::{counted, figure, small};
use stiction_formats::write::json_text;

/// Joints that the table names before the rest is only counted.
const MAX_NAMED_JOINTS: usize = 12;

/// Status of a run that made all its steps and has no fault.
pub(super) const FINISHED: &str = "finished";

/// Sums and extremes over the steps of a run.
#[derive(Debug)]
pub(super) struct Totals {
    energy: EnergyWatch,
    steps: u64,
    contacts: usize,
    most_contacts: usize,
    pivots: usize,
    newton_steps: usize,
    warm: usize,
    islands: usize,
    rest_preferred: usize,
    residual: f64,
    spin_residual: f64,
    depth: f64,
    depth_at_load: f64,
    joint_error: [f64; 2],
    impulsive: usize,
    corners: usize,
    groups: usize,
    corner_fallbacks: usize,
    split: usize,
    to_rounding: usize,
    work: Work,
    factorisations: Factorisations,
    times: StepTimes,
    /// Asked to end before its last step.
    pub(super) stopped: bool,
    redundant: Vec<Redundant>,
}

impl Totals {
    /// Of a world before its first step.
    pub(super) fn of(world: &World) -> Self {
        let redundant = world.redundant_joints().unwrap_or_default().into_iter();
        let one = |(joint, rows): (usize, usize)| Redundant {
            name: world.joints()[joint].name.clone(),
            rows,
        };
        Self {
            energy: EnergyWatch::new(world),
            redundant: redundant.map(one).collect(),
            steps: 0,
            contacts: 0,
            most_contacts: 0,
            pivots: 0,
            newton_steps: 0,
            warm: 0,
            islands: 0,
            rest_preferred: 0,
            residual: 0.0,
            spin_residual: 0.0,
            depth: 0.0,
            depth_at_load: 0.0,
            joint_error: [0.0; 2],
            impulsive: 0,
            corners: 0,
            groups: 0,
            corner_fallbacks: 0,
            split: 0,
            to_rounding: 0,
            work: Work::default(),
            factorisations: Factorisations::default(),
            times: StepTimes::default(),
            stopped: false,
        }
    }

    /// Energy that the run has gained.
    pub(super) fn gain(&self, world: &World) -> EnergyGain {
        self.energy.gain(world)
    }

    /// What is wrong with a run that was made to its end.
    pub(super) fn faults(&self, world: &World, failed: bool) -> Option<Faults> {
        (!failed && !self.stopped).then(|| Faults::of(world, self.gain(world)))
    }

    /// How the run ended, in a word.
    pub(super) fn ending(&self, world: &World, failure: Option<&Failure>) -> &'static str {
        match failure {
            Some(failure) => failure.status,
            None if self.stopped => "stopped",
            None => {
                let faults = self.faults(world, false);
                faults.and_then(Faults::status).unwrap_or(FINISHED)
            }
        }
    }

    /// Steps counted.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// Counts a step that took some time.
    pub(super) fn add(&mut self, report: &StepReport, world: &World, taken: Duration) {
        self.work += report.work;
        self.factorisations.add(report);
        self.times.add(taken);
        self.energy.watch(world);
        if self.steps == 0 {
            self.depth_at_load = report.depth;
        }
        self.steps += 1;
        self.contacts += report.contacts;
        self.most_contacts = self.most_contacts.max(report.contacts);
        self.pivots += report.pivots;
        self.newton_steps += report.newton_steps;
        self.warm += report.warm;
        self.islands += report.islands;
        self.rest_preferred += report.rest_preferred;
        self.residual = self.residual.max(report.residual);
        self.spin_residual = self.spin_residual.max(report.spin_residual);
        self.to_rounding += usize::from(report.to_rounding);
        self.depth = self.depth.max(report.depth);
        for (worst, error) in self.joint_error.iter_mut().zip(report.joint_error) {
            *worst = worst.max(error);
        }
        self.impulsive += usize::from(report.impulsive);
        self.corners += report.corners;
        self.groups += report.groups;
        self.corner_fallbacks += report.corner_fallbacks;
        self.split += usize::from(report.parts > 1);
    }
}

/// A joint with rows that follow from those of others.
#[derive(Debug, Serialize)]
struct Redundant {
    name: String,
    rows: usize,
}

/// A step that could not be made.
#[derive(Debug, Serialize)]
pub(super) struct Failure {
    pub(super) status: &'static str,
    pub(super) message: String,
    /// Of the islands that failed.
    pub(super) bodies: Vec<String>,
    pub(super) joints: Vec<String>,
    /// Joints that the best answer does not hold.
    pub(super) torn: Vec<Apart>,
    pub(super) contacts: Vec<usize>,
    /// The contact problem.
    pub(super) file: Option<PathBuf>,
}

/// A joint that does not hold.
#[derive(Debug, Serialize)]
pub(super) struct Apart {
    name: String,
    distance: f64,
    angle: f64,
}

/// Joints that do not hold, for JSON.
pub(super) fn apart(joints: &[JointError]) -> Vec<Apart> {
    let one = |e: &JointError| Apart {
        name: e.name.clone(),
        distance: e.metres,
        angle: e.radians,
    };
    joints.iter().map(one).collect()
}

#[derive(Debug, Serialize)]
struct Run<'a> {
    kind: &'static str,
    status: &'static str,
    time: f64,
    steps: u64,
    bodies: Vec<BodyEnd<'a>>,
    worst: Worst,
    energy: Energy,
    stats: Numbers,
    /// Joints that do not hold at the end.
    joints_apart: Vec<Apart>,
    /// Joints with rows that follow from those of others at the start.
    joints_redundant: &'a [Redundant],
    hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    recording: Option<&'a [PathBuf]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<&'a Failure>,
}

#[derive(Debug, Serialize)]
struct BodyEnd<'a> {
    name: &'a str,
    position: [f64; 3],
    orientation: [f64; 4],
    velocity: [f64; 6],
}

#[derive(Debug, Serialize)]
struct Worst {
    residual: f64,
    /// Of the free rotation of bodies.
    spin_residual: f64,
    penetration: f64,
    /// Of all steps \[m\].
    joint_distance: f64,
    /// Of all steps \[rad\].
    joint_angle: f64,
    energy_gain: f64,
}

#[derive(Debug, Serialize)]
struct Energy {
    kinetic: f64,
    potential: f64,
    /// Slip and impacts.
    dissipated: f64,
    slip: f64,
    impacts: f64,
    injected: f64,
    eased: f64,
    /// The sum of what is numerical.
    stepping: f64,
    numerical: NumericalEnergy,
    /// What contacts, joints and the stepping have given on balance.
    gained: f64,
    /// The energies with which that is compared.
    in_play: f64,
}

/// What the time stepping took.
#[derive(Debug, Serialize)]
struct NumericalEnergy {
    velocity: f64,
    closing: f64,
    returned: f64,
    flight: f64,
}

impl Energy {
    fn of(ledger: &Ledger, gain: &EnergyGain) -> Self {
        let Numerical {
            velocity,
            closing,
            returned,
            flight,
        } = ledger.numerical;
        Self {
            kinetic: ledger.kinetic,
            potential: ledger.potential,
            dissipated: ledger.dissipated(),
            slip: ledger.slip,
            impacts: ledger.impacts,
            injected: ledger.injected,
            eased: ledger.eased,
            stepping: ledger.stepping(),
            numerical: NumericalEnergy {
                velocity,
                closing,
                returned,
                flight,
            },
            gained: gain.gain,
            in_play: gain.in_play,
        }
    }
}

#[derive(Debug, Serialize)]
struct Numbers {
    contacts_mean: f64,
    contacts_most: usize,
    pivots: usize,
    newton_steps: usize,
    islands: usize,
    warm: usize,
    /// Islands that stayed at rest where another answer was lawful too, over all steps.
    rest_preferred: usize,
    impulsive: usize,
    corners: usize,
    groups: usize,
    corner_fallbacks: usize,
    /// Steps made in parts.
    split: usize,
    /// Steps solved to rounding only.
    to_rounding: usize,
    penetration_at_load: f64,
    /// All work, also what was taken back.
    work: Work,
    /// Of steps after which something moves and touches.
    moving: Moving,
    time_us: Stages,
    step_time_us: StepTimesUs,
}

#[derive(Debug, Serialize)]
struct Moving {
    steps: usize,
    factorisations_median: usize,
    factorisations_mean: f64,
}

#[derive(Debug, Serialize)]
struct StepTimesUs {
    p50: f64,
    p99: f64,
    worst: f64,
}

#[derive(Debug, Serialize)]
struct Stages {
    collision: f64,
    problem: f64,
    solve: f64,
    integrate: f64,
}

/// The end of a run as JSON.
pub(super) fn json(
    world: &World,
    totals: &Totals,
    recording: Option<&[PathBuf]>,
    failure: Option<&Failure>,
) -> Result<String, BadInput> {
    let (state, ledger, times) = (world.state(), world.ledger(), world.stage_times());
    let bodies = world.bodies().iter().zip(&state.bodies).map(|(body, s)| {
        let (p, q) = (s.pose.point(body.origin_body), s.pose.rotation.coords);
        BodyEnd {
            name: &body.name,
            position: p.into(),
            orientation: [q.x, q.y, q.z, q.w],
            velocity: [s.velocity.x, s.velocity.y, s.velocity.z, s.spin.x, s.spin.y, s.spin.z],
        }
    });
    let us = |time: Duration| time.as_secs_f64() * 1e6;
    json_text(&Run {
        kind: "run",
        status: totals.ending(world, failure),
        time: state.time,
        steps: state.step,
        bodies: bodies.collect(),
        worst: Worst {
            residual: totals.residual,
            spin_residual: totals.spin_residual,
            penetration: totals.depth,
            joint_distance: totals.joint_error[0],
            joint_angle: totals.joint_error[1],
            energy_gain: ledger.worst_gain,
        },
        energy: Energy::of(ledger, &totals.gain(world)),
        stats: Numbers {
            contacts_mean: mean(totals.contacts, totals.steps),
            contacts_most: totals.most_contacts,
            pivots: totals.pivots,
            newton_steps: totals.newton_steps,
            islands: totals.islands,
            warm: totals.warm,
            rest_preferred: totals.rest_preferred,
            impulsive: totals.impulsive,
            corners: totals.corners,
            groups: totals.groups,
            corner_fallbacks: totals.corner_fallbacks,
            split: totals.split,
            to_rounding: totals.to_rounding,
            penetration_at_load: totals.depth_at_load,
            work: totals.work,
            moving: Moving {
                steps: totals.factorisations.steps(),
                factorisations_median: totals.factorisations.median(),
                factorisations_mean: totals.factorisations.mean(),
            },
            time_us: Stages {
                collision: us(times.collision),
                problem: us(times.problem),
                solve: us(times.solve),
                integrate: us(times.integrate),
            },
            step_time_us: StepTimesUs {
                p50: totals.times.at(0.5),
                p99: totals.times.at(0.99),
                worst: totals.times.worst(),
            },
        },
        joints_apart: apart(&world.joints_that_fail()),
        joints_redundant: &totals.redundant,
        hash: format!("{:016x}", state.hash()),
        recording,
        failure,
    })
}

fn mean(sum: usize, count: u64) -> f64 {
    sum as f64 / (count as f64).max(1.0)
}

/// Contacts of a step.
fn contacts(totals: &Totals) -> String {
    let contacts = mean(totals.contacts, totals.steps);
    format!("mean {contacts:.1}, most {}", totals.most_contacts)
}

/// Places that several planes might keep apart, if there were any.
fn corners(totals: &Totals) -> Option<String> {
    let Totals {
        corners,
        groups,
        corner_fallbacks,
        ..
    } = totals;
    (*corners > 0).then(|| {
        format!("{corners} over all steps, {groups} as nonconvex groups, {corner_fallbacks} not solvable as a nonconvex group")
    })
}

/// `102 solves, 15 Newton steps, 12 factorisations, 0 pivots, 1 fallback; penetration correction: 2 solves, 4 Newton steps`.
fn work_words(work: &Work) -> String {
    let number = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let mut text = [
        number(work.solves, "solve"),
        number(work.newton_steps, "Newton step"),
        number(work.factorisations, "factorisation"),
        number(work.pivots, "pivot"),
        number(work.fallbacks, "fallback"),
    ]
    .join(", ");
    if work.corrections > 0 {
        let (solves, steps) = (
            number(work.corrections, "solve"),
            number(work.correction_steps, "Newton step"),
        );
        // Writing to a String cannot fail.
        let _ = write!(text, "; penetration correction: {solves}, {steps}");
    }
    text
}

/// What the solver had to do, line by line.
fn solver_lines(stepper: Stepper, totals: &Totals) -> Vec<(&'static str, String)> {
    let Totals {
        work,
        factorisations,
        warm,
        islands,
        impulsive,
        rest_preferred,
        split,
        ..
    } = totals;
    let mut lines = vec![
        ("contacts", contacts(totals)),
        ("solver", work_words(work)),
        (
            "warm",
            format!("{warm} of {islands} islands started from the last step"),
        ),
    ];
    if factorisations.steps() > 0 {
        lines.push(("moving", factorisations.words()));
    }
    if stepper == Stepper::Acceleration {
        let words = format!("{impulsive} steps for which no finite forces exist");
        lines.push(("impulsive", words));
    }
    lines.extend(corners(totals).map(|words| ("corners", words)));
    if *rest_preferred > 0 {
        let words = format!("{rest_preferred} islands stayed at rest where an answer that moves is lawful too");
        lines.push(("rest", words));
    }
    if *split > 0 {
        let words = format!("{split} steps were split into substeps because the full step had no verified answer");
        lines.push(("split", words));
    }
    if work.tries as u64 > totals.steps {
        let words = format!("{} attempts for {} steps, substeps included", work.tries, totals.steps);
        lines.push(("tries", words));
    }
    lines
}

/// Where energy went, line by line: the sums, then what they are made of.
fn energy_lines(ledger: &Ledger) -> [(&'static str, String); 4] {
    let (dissipated, stepping) = (ledger.dissipated(), ledger.stepping());
    let Ledger {
        kinetic,
        potential,
        slip,
        impacts,
        injected,
        eased,
        numerical:
            Numerical {
                velocity,
                closing,
                returned,
                flight,
            },
        worst_gain,
    } = *ledger;
    [
        (
            "energy",
            format!(
                "kinetic {kinetic:.6e} J, potential {potential:.6e} J, dissipated {dissipated:.6e} J, \
                 injected {injected:.6e} J, penetration correction {eased:.6e} J, stepping {stepping:.6e} J"
            ),
        ),
        ("dissipated", format!("slip {slip:.6e} J, impacts {impacts:.6e} J")),
        (
            "numerical",
            format!(
                "velocity {velocity:.6e} J, closing {closing:.6e} J, returned {returned:.6e} J, flight {flight:.6e} J"
            ),
        ),
        (
            "gain",
            format!(
                "largest unexplained energy gain in one step: {} J; penetration correction added {eased:.1e} J",
                small(worst_gain)
            ),
        ),
    ]
}

/// The end of a run for a person.
pub(super) fn table(
    scene: &Scene,
    world: &World,
    totals: &Totals,
    elapsed: Duration,
    failure: Option<&Failure>,
) -> String {
    let (state, times) = (world.state(), world.stage_times());
    let ending = totals.ending(world, failure);
    let mut text = format!(
        "{}: {} bodies, law {}\n",
        scene.name,
        world.bodies().len(),
        scene.settings.law.name()
    );
    let mut line = |name: &str, words: String| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name:<12} {words}");
    };
    line(ending, format!("at {} s\n", figure(state.time)));
    let pace = real_time_factor(state.time, elapsed);
    line(
        "steps",
        format!("{} in {:.2} s, {pace}", totals.steps, elapsed.as_secs_f64()),
    );
    for (name, words) in solver_lines(scene.settings.stepper, totals) {
        line(name, words);
    }
    let rotation = match totals.spin_residual {
        0.0 => String::new(),
        spin => format!("; of free rotation {}", small(spin)),
    };
    let rounded = match totals.to_rounding {
        0 => String::new(),
        count => format!("; {} solved to rounding", counted(count, "step")),
    };
    line(
        "residual",
        format!("{} at worst{rotation}{rounded}", small(totals.residual)),
    );
    line(
        "penetration",
        format!(
            "{} m at worst, {} m of initial overlap",
            small(totals.depth),
            small(totals.depth_at_load)
        ),
    );
    if !world.joints().is_empty() {
        line("joints", joint_words(world, totals));
    }
    for (name, words) in energy_lines(world.ledger()) {
        line(name, words);
    }
    let total = times.total().as_secs_f64().max(1e-12);
    let share = |time: Duration| 100.0 * time.as_secs_f64() / total;
    line(
        "time",
        format!(
            "{:.1} us a step: collision {:.0} %, problem {:.0} %, solve {:.0} %, integrate {:.0} %",
            1e6 * total / (totals.steps as f64).max(1.0),
            share(times.collision),
            share(times.problem),
            share(times.solve),
            share(times.integrate)
        ),
    );
    line("percentiles", totals.times.words());
    line("state", format!("{:016x}", state.hash()));
    text
}

/// `1.2e-12 m, 3e-13 rad apart at worst; still apart at the end: rod (0.1 m, 0 rad)`.
fn joint_words(world: &World, totals: &Totals) -> String {
    let [metres, radians] = totals.joint_error;
    let mut text = format!("{} m, {} rad apart at worst", small(metres), small(radians));
    let redundant: Vec<String> = totals
        .redundant
        .iter()
        .map(|joint| format!("{} ({} rows)", joint.name, joint.rows))
        .collect();
    let one = |e: &JointError| format!("{} ({} m, {} rad)", e.name, small(e.metres), small(e.radians));
    let failing: Vec<String> = world.joints_that_fail().iter().map(one).collect();
    for (title, list) in [("still apart at the end", failing), ("redundant", redundant)] {
        if list.is_empty() {
            continue;
        }
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "; {title}: {}",
            list[..list.len().min(MAX_NAMED_JOINTS)].join(", ")
        );
        if list.len() > MAX_NAMED_JOINTS {
            let _ = write!(text, " and {} more", list.len() - MAX_NAMED_JOINTS);
        }
    }
    text
}
