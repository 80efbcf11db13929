//! `stiction-lab experiment drumwright-sim`: the simulations of \[Drumwright VII\], the paper's tables beside ours. Worlds of one table take turns, a few steps
//! each, so that what else the machine does falls on all of them.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use stiction_contact::{Law, Method};
use stiction_scene::{Scene, WorldExt};
use stiction_sim::{StepReport, World};

use crate::lloyd::peg::world;
use stiction_answers::Outcome;
use stiction_formats::BadInput;

/// Steps that a world makes before the next has its turn.
const STEPS_PER_TURN: u64 = 50;
/// Friction of Coulomb's law \[Drumwright VII\].
const MU: f64 = 100.0;
/// Sides of the paper's pyramid.
const DIRECTIONS: usize = 4;
/// Share of the largest impulse of a step from which on a contact pushes.
const PUSHING_REL_TOL: f64 = 1e-9;
/// Steps of each world in a quick run.
const QUICK_STEPS: u64 = 100;

/// Arguments of `stiction-lab experiment drumwright-sim`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Folder of the scenes
    #[arg(long, value_name = "FOLDER", default_value = "scenes")]
    scenes: PathBuf,
    /// 100 steps of each world
    #[arg(long)]
    quick: bool,
}

/// One line of a table.
struct Way {
    name: &'static str,
    law: Law,
    method: Option<Method>,
    /// The paper's time \[s\].
    paper: Option<f64>,
    friction: Option<f64>,
}

/// A table: a scene, its ways, and the way that the others are compared with.
struct Table {
    title: &'static str,
    scene: &'static str,
    ways: &'static [Way],
    /// The body that must move on, or stay, and what must become of it.
    body: &'static str,
    walks: bool,
}

const GRASP: [Way; 5] = [
    Way {
        name: "Coulomb, pyramid, lemke_standard",
        law: Law::Polyhedral,
        method: Some(Method::LemkeStandard),
        paper: Some(10.9681),
        friction: Some(MU),
    },
    Way {
        name: "Coulomb, pyramid, lemke_reduced",
        law: Law::Polyhedral,
        method: Some(Method::LemkeReduced),
        paper: None,
        friction: Some(MU),
    },
    Way {
        name: "Coulomb, round cone",
        law: Law::Coulomb,
        method: None,
        paper: None,
        friction: Some(MU),
    },
    Way {
        name: "no slip, dantzig (paper: QP)",
        law: Law::NoSlip,
        method: Some(Method::Dantzig),
        paper: Some(1.9892),
        friction: None,
    },
    Way {
        name: "no slip, ppm_modified",
        law: Law::NoSlip,
        method: None,
        paper: Some(1.6680),
        friction: None,
    },
];

const NO_SLIP: [Way; 3] = [
    Way {
        name: "Coulomb, pyramid, lemke_standard",
        law: Law::Polyhedral,
        method: Some(Method::LemkeStandard),
        paper: None,
        friction: Some(MU),
    },
    Way {
        name: "Coulomb, round cone",
        law: Law::Coulomb,
        method: None,
        paper: Some(416.284),
        friction: Some(MU),
    },
    Way {
        name: "no slip, ppm_modified",
        law: Law::NoSlip,
        method: None,
        paper: Some(301.796),
        friction: None,
    },
];

const VISCOUS: [Way; 2] = [
    Way {
        name: "viscous, lemke_standard",
        law: Law::Viscous,
        method: Some(Method::LemkeStandard),
        paper: Some(2936.36),
        friction: None,
    },
    Way {
        name: "viscous, ppm_modified",
        law: Law::Viscous,
        method: None,
        paper: Some(2139.73),
        friction: None,
    },
];

const TABLES: [Table; 3] = [
    Table {
        title: "table I: grasp, two boxes between two grippers",
        scene: "drumwright/grasp.toml",
        ways: &GRASP,
        body: "box 1",
        walks: false,
    },
    Table {
        title: "table II: quadruped on a terrain, no slip",
        scene: "drumwright/quadruped_no_slip.toml",
        ways: &NO_SLIP,
        body: "body",
        walks: true,
    },
    Table {
        title: "table III: quadruped on a terrain, viscous friction",
        scene: "drumwright/quadruped_viscous.toml",
        ways: &VISCOUS,
        body: "body",
        walks: true,
    },
];

/// A world of a table.
struct Run {
    world: World,
    body: usize,
    start: [f64; 3],
    steps: u64,
    /// Why it ended early.
    failure: Option<String>,
    contacts: usize,
    /// Largest slip of a contact that pushes after the first step \[m/s\].
    slip: f64,
    worst: f64,
}

impl Run {
    fn new(scene: &Scene, way: &Way, table: &Table) -> Result<Self, BadInput> {
        let mut scene = scene.clone();
        scene.settings.law = way.law;
        scene.settings.method = way.method;
        scene.settings.directions = DIRECTIONS;
        if let Some(friction) = way.friction {
            for body in &mut scene.bodies {
                body.body.material.friction = friction;
            }
        }
        let mut world = World::from_scene(&scene).map_err(|error| BadInput::named(&error))?;
        world.time_stages();
        let missing = || BadInput::whole(format!("{}: must have a body {}, found none", table.scene, table.body));
        let body = world
            .bodies()
            .iter()
            .position(|b| b.name == table.body)
            .ok_or_else(missing)?;
        Ok(Self {
            start: world.state().bodies[body].pose.position.into(),
            world,
            body,
            steps: 0,
            failure: None,
            contacts: 0,
            slip: 0.0,
            worst: 0.0,
        })
    }

    fn turn(&mut self, steps: u64) {
        for _ in 0..steps {
            if self.failure.is_some() {
                return;
            }
            match self.world.step() {
                Ok(report) => self.add(&report),
                Err(error) => self.failure = Some(error.to_string()),
            }
        }
    }

    fn add(&mut self, report: &StepReport) {
        self.steps += 1;
        self.contacts += report.contacts;
        self.worst = self.worst.max(report.residual);
        if self.steps > 1 {
            let solution = self.world.solution();
            let least = PUSHING_REL_TOL * solution.normal_impulse.iter().fold(0.0, |m: f64, x| m.max(*x));
            let contacts = solution.contact_velocity.iter().zip(&solution.normal_impulse);
            let pushing = contacts.filter(|(_, theta)| **theta > least);
            self.slip = pushing.fold(self.slip, |m, ([_, x, y], _)| m.max(libm::hypot(*x, *y)));
        }
    }

    /// How far the body has come along x, and how high it is \[m\].
    fn came(&self) -> [f64; 2] {
        let now = self.world.state().bodies[self.body].pose.position;
        [now.x - self.start[0], now.z - self.start[2]]
    }
}

/// Runs the experiment. The exit status says whether every step of every world is verified.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let (mut text, mut clean) = (String::new(), true);
    for table in &TABLES {
        let (scene, _) = world(&arguments.scenes, table.scene)?;
        let steps = if arguments.quick { QUICK_STEPS } else { scene.steps() };
        let runs: Result<Vec<Run>, BadInput> = table.ways.iter().map(|way| Run::new(&scene, way, table)).collect();
        let mut runs = runs?;
        let mut made = 0;
        while made < steps {
            let turn = STEPS_PER_TURN.min(steps - made);
            for run in &mut runs {
                run.turn(turn);
            }
            made += turn;
        }
        clean &= runs.iter().all(|run| run.failure.is_none());
        report(table, &runs, &mut text);
    }
    Ok(Outcome::new(text, clean))
}

/// Times as ratios to the last way of the table, the paper's beside ours.
fn report(table: &Table, runs: &[Run], text: &mut String) {
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "{}, {} steps",
        table.title,
        runs.iter().map(|r| r.steps).max().unwrap_or(0)
    );
    let _ = writeln!(
        text,
        "{:<34} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "",
        "paper",
        "all",
        "solve",
        "us a step",
        "contacts",
        "slip m/s",
        if table.walks { "way m" } else { "sunk m" }
    );
    let (Some(last), Some(best)) = (table.ways.last(), runs.last()) else {
        return;
    };
    let per_step = |run: &Run, time: Duration| time.as_secs_f64() * 1e6 / run.steps.max(1) as f64;
    for (way, run) in table.ways.iter().zip(runs) {
        let paper = match (way.paper, last.paper) {
            (Some(time), Some(least)) => format!("{:.2}", time / least),
            _ => "-".to_owned(),
        };
        let (times, least) = (run.world.stage_times(), best.world.stage_times());
        let [way_x, up] = run.came();
        let _ = writeln!(
            text,
            "{:<34} {paper:>9} {:>9.2} {:>9.2} {:>9.1} {:>9.1} {:>9.1e} {:>9.2e}",
            way.name,
            per_step(run, times.total()) / per_step(best, least.total()),
            per_step(run, times.solve) / per_step(best, least.solve),
            per_step(run, times.total()),
            run.contacts as f64 / run.steps.max(1) as f64,
            run.slip,
            if table.walks { way_x } else { -up },
        );
        if let Some(failure) = &run.failure {
            let _ = writeln!(text, "  ended after {} steps: {failure}", run.steps);
        }
    }
    let worst = runs.iter().fold(0.0_f64, |m, run| m.max(run.worst));
    let _ = writeln!(
        text,
        "residual {worst:.1e} at worst; ratios are times over those of the last line\n"
    );
}
