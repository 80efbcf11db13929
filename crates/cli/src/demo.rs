//! The showcase: what mechanics says beside what the simulator finds, figure by figure.
//!
//! Exact answers follow from the scene's own data (angles, friction, masses, forces), never from numbers written down here.

use std::fmt::Write as _;
use std::path::Path;

use stiction_record::{RecordOptions, Recorder};
use stiction_scene::{Scene, WorldExt};
use stiction_sim::{Quat, Vec3, World};

use stiction_formats::BadInput;
use stiction_formats::figures::small;

/// The scene.
pub(crate) const SCENE: &str = include_str!("../scenes/demo.toml");

/// Figures of the box that slides.
const SLIDING_BOX: [&str; 2] = [
    "box at 1.01 of it: speed at the end",
    "box at 1.01 of it: distance travelled",
];
/// Figures of the grasp that slips.
const WEAK_GRASP: [&str; 2] = [
    "grasp with 0.9999 of it: speed at the end",
    "grasp with 0.9999 of it: distance travelled",
];
/// Largest displacement that counts as none \[m\]: a few roundings of places of a metre, over thousands of steps.
const REST_DISPLACEMENT: f64 = 1e-12;
/// Largest difference from a closed form of the same steps, relative.
const CLOSED_FORM_REL_TOL: f64 = 1e-9;
/// Share of the weight below which an edge carries nothing.
const LIFTED_WEIGHT_SHARE: f64 = 1e-9;
/// Time within which the uphill edge must lift once statics says so \[s\].
const MAX_LIFT_DELAY: f64 = 5e-3;
/// Largest unexplained rise of energy in a step \[J\].
const MAX_ENERGY_GAIN: f64 = 1e-9;
/// Frames a second of the recording.
const FRAMES_PER_SECOND: f64 = 60.0;

/// One figure.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    what: &'static str,
    unit: &'static str,
    exact: f64,
    ours: f64,
    /// Largest difference that is right.
    within: f64,
}

impl Figure {
    fn right(&self) -> bool {
        (self.ours - self.exact).abs() <= self.within
    }
}

/// What the showcase found.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) figures: Vec<Figure>,
    pub(crate) steps: u64,
    pub(crate) bodies: usize,
    pub(crate) time: f64,
    pub(crate) hash: u64,
    /// Deepest overlap at the start of a step \[m\].
    pub(crate) depth: f64,
}

/// A body by name, with where it began.
struct Watched {
    body: usize,
    start: Vec3,
}

impl Watched {
    fn new(world: &World, name: &str) -> Result<Self, BadInput> {
        let missing = || BadInput::whole(format!("internal: the showcase has no body {name}"));
        let body = world.find_body(name).ok_or_else(missing)?;
        let start = world.state().bodies[body].pose.position;
        Ok(Self { body, start })
    }

    /// How far it has come \[m\].
    fn moved(&self, world: &World) -> Vec3 {
        world.state().bodies[self.body].pose.position - self.start
    }
}

/// Angle of a rotation \[rad\].
fn angle(rotation: &Quat) -> f64 {
    let q = rotation.coords;
    2.0 * libm::atan2(Vec3::new(q.x, q.y, q.z).norm(), q.w.abs())
}

/// Looks for the step in which the uphill edge of the tower lifts.
struct Tower {
    table: usize,
    lowest: usize,
    /// Weight of the tower \[N\].
    weight: f64,
    /// Exact angle: half the width over half the height of the tower.
    tips_at: f64,
    /// Angle of the table when it lifted, and what the table turned in the step \[rad\].
    lifted: Option<[f64; 2]>,
}

impl Tower {
    fn new(world: &World, scene: &Scene) -> Result<Self, BadInput> {
        let [table, lowest] = ["table", "cube[0]"].map(|name| Watched::new(world, name).map(|w| w.body));
        let lowest = lowest?;
        let cubes = || world.bodies().iter().filter(|b| b.name.starts_with("cube["));
        let mass: f64 = cubes().filter_map(mass).sum();
        // Cubes of one size: the tower is as many times as high as it is wide.
        Ok(Self {
            table: table?,
            lowest,
            weight: mass * scene.settings.gravity.norm(),
            tips_at: libm::atan(1.0 / cubes().count() as f64),
            lifted: None,
        })
    }

    fn look(&mut self, world: &World, before: f64) -> f64 {
        let state = &world.state().bodies;
        let tilt = angle(&state[self.table].pose.rotation);
        if self.lifted.is_none() {
            let mut uphill = 0.0;
            for (contact, impulse) in world.contacts().iter().zip(&world.solution().normal_impulse) {
                let pair = [contact.a, contact.b];
                if pair.contains(&self.table) && pair.contains(&self.lowest) {
                    let place = state[self.lowest]
                        .pose
                        .direction_in_body(contact.point - state[self.lowest].pose.position);
                    // The table tilts about y: down is towards +x.
                    uphill += if place.x < 0.0 { *impulse } else { 0.0 };
                }
            }
            if uphill <= LIFTED_WEIGHT_SHARE * self.weight * world.settings().dt {
                self.lifted = Some([tilt, tilt - before]);
            }
        }
        tilt
    }

    fn figure(&self, dt: f64) -> Figure {
        let [tilt, turned] = self.lifted.unwrap_or([f64::NAN, 0.0]);
        Figure {
            what: "tower of five tips at a tilt of",
            unit: "deg",
            exact: self.tips_at.to_degrees(),
            ours: tilt.to_degrees(),
            within: (turned / dt * MAX_LIFT_DELAY).to_degrees(),
        }
    }
}

fn mass(body: &stiction_sim::body::Body) -> Option<f64> {
    match &body.kind {
        stiction_sim::body::Kind::Dynamic { mass, .. } => Some(*mass),
        _ => None,
    }
}

/// Runs the showcase and records it.
///
/// # Errors
/// A recording that cannot be written; a step that cannot be made.
pub(crate) fn run(recording: &Path) -> Result<Findings, BadInput> {
    let scene = Scene::parse(SCENE, ".").map_err(|error| BadInput::each_line(&error))?;
    let mut world = World::from_scene(&scene).map_err(|error| BadInput::named(&error))?;
    let names = ["holds[0]", "slides[0]", "firm box 1", "weak box 1"];
    let watched: Result<Vec<Watched>, BadInput> = names.iter().map(|name| Watched::new(&world, name)).collect();
    let watched = watched?;
    let mut tower = Tower::new(&world, &scene)?;
    let dt = scene.settings.dt;
    // A positive number of steps far below 2^52.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let every = libm::round(1.0 / (FRAMES_PER_SECOND * dt)).max(1.0) as u64;
    let options = RecordOptions {
        every,
        ..RecordOptions::default()
    };
    let mut recorder = Recorder::create(recording, &world, options).map_err(BadInput::whole)?;
    let (mut residual, mut depth, mut creep, mut slip) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    let mut tilt = 0.0;
    for _ in 0..scene.steps() {
        let report = world.step().map_err(|error| BadInput::named(&error))?;
        recorder.record(&world, &report).map_err(BadInput::whole)?;
        residual = residual.max(report.residual);
        depth = depth.max(report.depth);
        creep = creep.max(watched[0].moved(&world).norm());
        slip = slip.max(watched[2].moved(&world).norm());
        tilt = tower.look(&world, tilt);
    }
    recorder.finish().map_err(BadInput::whole)?;
    let mut figures = vec![tower.figure(dt)];
    let still = |what, ours| Figure {
        what,
        unit: "m",
        exact: 0.0,
        ours,
        within: REST_DISPLACEMENT,
    };
    figures.push(still("box on a ramp at 0.99 of its friction angle creeps", creep));
    let slides = acceleration_on_ramp(&world, "ramp above", &watched[1])?;
    figures.extend(accelerated(SLIDING_BOX, slides, &watched[1], &world));
    figures.push(still("grasp with 1.0001 of the least force slips", slip));
    let slips = acceleration_in_grasp(&world, &scene, "weak")?;
    figures.extend(accelerated(WEAK_GRASP, slips, &watched[3], &world));
    let none = |what, unit, ours, within| Figure {
        what,
        unit,
        exact: 0.0,
        ours,
        within,
    };
    figures.push(none(
        "largest energy gain in one step",
        "J",
        world.ledger().worst_gain.max(0.0),
        MAX_ENERGY_GAIN,
    ));
    figures.push(none(
        "residual, of the worst step",
        "",
        residual,
        scene.settings.tolerance,
    ));
    Ok(Findings {
        figures,
        steps: world.state().step,
        bodies: world.bodies().len(),
        time: world.state().time,
        hash: world.state().hash(),
        depth,
    })
}

/// Speed and way of a body under constant acceleration from rest.
fn accelerated(what: [&'static str; 2], a: f64, body: &Watched, world: &World) -> [Figure; 2] {
    let t = world.state().time;
    let speed = world.state().bodies[body.body].velocity.norm();
    let way = body.moved(world).norm();
    let figure = |what, unit, exact: f64, ours| Figure {
        what,
        unit,
        exact,
        ours,
        within: CLOSED_FORM_REL_TOL * exact,
    };
    [
        figure(what[0], "m/s", a * t, speed),
        figure(what[1], "m", 0.5 * a * t * t, way),
    ]
}

/// g (sin θ − μ cos θ).
fn acceleration_on_ramp(world: &World, ramp: &str, body: &Watched) -> Result<f64, BadInput> {
    let ramp = Watched::new(world, ramp)?.body;
    let theta = angle(&world.state().bodies[ramp].pose.rotation);
    let mu = world.bodies()[body.body].material.friction;
    Ok(world.settings().gravity.norm() * (libm::sin(theta) - mu * libm::cos(theta)))
}

/// Weight less friction of both ends, over mass: g − 2 μ F / m.
fn acceleration_in_grasp(world: &World, scene: &Scene, name: &str) -> Result<f64, BadInput> {
    let boxes = || {
        world
            .bodies()
            .iter()
            .filter(|b| b.name.starts_with(&format!("{name} box")))
    };
    let held: f64 = boxes().filter_map(mass).sum();
    let mu = boxes().map(|b| b.material.friction).fold(f64::INFINITY, f64::min);
    let plate = Watched::new(world, &format!("{name} plate"))?.body;
    let force = scene
        .forces
        .iter()
        .find(|f| f.body == plate)
        .map_or(0.0, |f| f.wrench.force.norm());
    Ok(world.settings().gravity.norm() - 2.0 * mu * force / held)
}

/// The table for a person.
pub(crate) fn table(findings: &Findings) -> String {
    let width = findings.figures.iter().map(|f| f.what.len()).max().unwrap_or(0);
    let mut text = format!(
        "{:<width$}  {:>14}  {:>14}  {:>10}  {:>9}\n",
        "", "exact", "ours", "off by", "within"
    );
    for figure in &findings.figures {
        let number = |x: f64| match x.abs() {
            m if x == 0.0 || !(1e-4..1e7).contains(&m) => small(x),
            _ => format!("{x:.9}"),
        };
        let verdict = if figure.right() { "" } else { "  WRONG" };
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{:<width$}  {:>14}  {:>14}  {:>10}  {:>9} {}{verdict}",
            figure.what,
            number(figure.exact),
            number(figure.ours),
            small((figure.ours - figure.exact).abs()),
            small(figure.within),
            figure.unit
        );
    }
    text
}

/// Whether every figure is right.
pub(crate) fn right(findings: &Findings) -> bool {
    findings.figures.iter().all(Figure::right)
}
