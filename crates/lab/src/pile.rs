//! `stiction-lab experiment pile`: cubes dropped in a heap until they rest, every step verified; how time grows with bodies and contacts.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use stiction_scene::{Scene, WorldExt};
use stiction_sim::World;

use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_formats::write::{make_folder, write_whole};

/// Side of a cube, and the distance of their middles at the start, beyond which no turn lets them touch \[m\].
const SIDE: f64 = 0.1;
const PITCH: f64 = 0.175;
/// Time step \[s\].
const TIME_STEP: f64 = 0.005;
/// The step of first order, which also brings to rest what turns about two points that no torque holds.
const STEPPER: &str = "stepper = \"stewart-trinkle\"\n";
/// Speed below which a pile rests, in all its bodies and for so many steps \[m/s\].
const REST_SPEED: f64 = 1e-9;
const REST_STEPS: usize = 20;
/// Most bodies of a pile.
const MAX_BODIES: usize = 10_000;
/// Largest seed of a grid that is tumbled.
const MOST_SEED: usize = 1_000_000;
/// Layers on an open floor.
const OPEN_FLOOR_LAYERS: usize = 5;

/// Arguments of `stiction-lab experiment pile`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Bodies of each pile
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [10, 100, 1000])]
    bodies: Vec<usize>,
    /// Layers in which the boxes are dropped, what does not fill a row of the last one above it [default: 5, with --bin as many as there are boxes
    /// along a side]
    #[arg(long, value_name = "L")]
    layers: Option<usize>,
    /// Between four walls instead of on an open floor: deeper, and much harder to solve
    #[arg(long)]
    bin: bool,
    /// Steps after which a pile is given up
    #[arg(long, value_name = "K", default_value_t = 4000)]
    steps: usize,
    /// Seed of the turns: the same seed gives the same piles
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: usize,
    /// Keep each pile after every step, and go on from what is there
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// What one pile gave.
#[derive(Debug, Serialize)]
struct Pile {
    bodies: usize,
    /// Verified steps.
    steps: usize,
    /// Step from which on it rests.
    rest_at: Option<usize>,
    /// Steps without verified answer: the pile ends with the first.
    failures: usize,
    /// Steps that were made in parts, because as a whole they had no verified answer.
    in_parts: usize,
    /// Of the last step.
    contacts: usize,
    fastest: f64,
    worst_residual: f64,
    newton_steps: usize,
    /// Mean of all steps, and of the last that rest \[ms\].
    ms_per_step: f64,
    ms_at_rest: Option<f64>,
    /// Time of all steps over contacts of all steps \[us\].
    us_per_contact: f64,
    /// Shares of the time: collision, problem with penetration correction, solve, integration.
    shares: [f64; 4],
    /// Contacts, mean over the steps.
    mean_contacts: f64,
}

/// Runs the experiment. The exit status says whether every pile came to rest with every step verified.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    if let Some(n) = arguments.bodies.iter().find(|n| !(1..=MAX_BODIES).contains(*n)) {
        return Err(BadInput::whole(format!(
            "--bodies: must lie between 1 and {MAX_BODIES}, found {n}"
        )));
    }
    if let Some(found) = arguments.layers.filter(|n| !(1..=MAX_BODIES).contains(n)) {
        return Err(BadInput::whole(format!(
            "--layers: must lie between 1 and {MAX_BODIES}, found {found}"
        )));
    }
    if arguments.seed > MOST_SEED {
        return Err(BadInput::whole(format!(
            "--seed: must be at most {MOST_SEED}, found {}",
            arguments.seed
        )));
    }
    let mut piles = Vec::new();
    for bodies in &arguments.bodies {
        let pile = drop_pile(*bodies, arguments)?;
        // A line that cannot be written is no loss.
        let _ = writeln!(std::io::stderr(), "{bodies} bodies: {} steps", pile.steps);
        piles.push(pile);
    }
    let clean = piles.iter().all(|p| p.failures == 0 && p.rest_at.is_some());
    let text = if arguments.json {
        let value = serde_json::json!({
            "piles": piles,
            "exponent_bodies": exponent(&piles, |p| p.bodies as f64),
            "exponent_contacts": exponent(&piles, |p| p.mean_contacts),
        });
        format!("{value:#}\n")
    } else {
        table(&piles)
    };
    Ok(Outcome::new(text, clean))
}

/// The scene: layers of tumbled cubes over a floor, between four walls or none.
fn scene(bodies: usize, arguments: &Arguments) -> String {
    let seed = arguments.seed;
    let (columns, rows) = footprint(bodies, arguments);
    let layer = columns * rows;
    let mut text = format!(
        "format = 1\nname = \"pile of {bodies}\"\n[world]\ndt = {TIME_STEP}\n{STEPPER}friction = 0.5\ndensity = 1000\n"
    );
    text += "[[body]]\nname = \"floor\"\nshape = { half_space = [0, 0, 1] }\n";
    let half = |count: usize| 0.5 * PITCH * count as f64 + 0.02;
    let walls = [("left", 1, 0), ("right", -1, 0), ("front", 0, 1), ("back", 0, -1)];
    for (name, x, y) in walls.into_iter().filter(|_| arguments.bin) {
        let (px, py) = (-f64::from(x) * half(columns), -f64::from(y) * half(rows));
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "[[body]]\nname = \"{name}\"\nshape = {{ half_space = [{x}, {y}, 0] }}\nposition = [{px}, {py}, 0]"
        );
    }
    let gap = PITCH - SIDE;
    let mut grid = |name: &str, high: usize, columns: usize, rows: usize, base: f64| {
        let _ = writeln!(
            text,
            "[[grid]]\nname = \"{name}\"\nbox = [{SIDE}, {SIDE}, {SIDE}]\nrows = {high}\ncolumns = {columns}\n\
             layers = {rows}\ngap = [{gap}, {gap}, {gap}]\nbase = [0, 0, {base}]\ntumbled = {seed}"
        );
    };
    let (full, rest) = (bodies / layer, bodies % layer);
    let height = |row: usize| 0.05 + PITCH * row as f64;
    if full > 0 {
        grid("box", full, columns, rows, height(0));
    }
    if rest >= columns {
        grid("upper", 1, columns, rest / columns, height(full));
    }
    if rest % columns > 0 {
        grid("last", 1, rest % columns, 1, height(full + 1));
    }
    text
}

/// Boxes of a layer along x and along y: about as many, so that there are the layers requested.
fn footprint(bodies: usize, arguments: &Arguments) -> (usize, usize) {
    let side = |enough: &dyn Fn(usize) -> bool| (1..=bodies).find(|n| enough(*n)).unwrap_or(bodies);
    match arguments.layers.or((!arguments.bin).then_some(OPEN_FLOOR_LAYERS)) {
        None => {
            let side = side(&|n| n * n * n >= bodies);
            (side, side)
        }
        Some(layers) => {
            let layer = bodies.div_ceil(layers);
            let columns = side(&|n| n * n >= layer);
            (columns, layer.div_ceil(columns))
        }
    }
}

/// Sums over the steps so far.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Sums {
    steps: usize,
    in_parts: usize,
    /// Contacts of the last step, and of all.
    contacts: usize,
    touched: usize,
    worst_residual: f64,
    newton_steps: usize,
    fastest: f64,
    /// Time of all steps \[s\], and by stage.
    seconds: f64,
    stages: [f64; 4],
    /// Steps at rest, and what each of them took \[ms\].
    still: usize,
    last: Vec<f64>,
}

/// A pile on its way.
struct Falling {
    world: World,
    sums: Sums,
    /// Times by stage of the steps before this run \[s\].
    earlier: [f64; 4],
}

impl Falling {
    fn new(bodies: usize, arguments: &Arguments) -> Result<Self, BadInput> {
        let scene = Scene::parse(&scene(bodies, arguments), ".").map_err(BadInput::whole)?;
        let mut world = World::from_scene(&scene).map_err(BadInput::whole)?;
        world.time_stages();
        Ok(Self {
            world,
            sums: Sums::default(),
            earlier: [0.0; 4],
        })
    }

    /// Makes a step and counts it.
    fn step(&mut self) -> Result<(), stiction_sim::SimError> {
        let start = Instant::now();
        let report = self.world.step()?;
        let taken = start.elapsed().as_secs_f64();
        let stages = self.world.stage_times();
        let stages = [stages.collision, stages.problem, stages.solve, stages.integrate];
        let sums = &mut self.sums;
        for (k, sum) in sums.stages.iter_mut().enumerate() {
            *sum = self.earlier[k] + stages[k].as_secs_f64();
        }
        sums.seconds += taken;
        sums.steps += 1;
        sums.in_parts += usize::from(report.parts > 1);
        sums.contacts = report.contacts;
        sums.worst_residual = sums.worst_residual.max(report.residual);
        sums.newton_steps += report.newton_steps;
        sums.touched += report.contacts;
        sums.fastest = fastest(&self.world);
        if sums.fastest < REST_SPEED {
            sums.still += 1;
            sums.last.push(taken * 1e3);
        } else {
            sums.still = 0;
            sums.last.clear();
        }
        Ok(())
    }

    /// One line with the sums, then the state.
    fn keep(&self, file: &Path) -> Result<(), BadInput> {
        let mut bytes = serde_json::to_vec(&self.sums).map_err(BadInput::whole)?;
        bytes.push(b'\n');
        bytes.extend(self.world.save());
        write_whole(file, bytes)
    }

    fn go_on_from(&mut self, file: &Path) -> Result<(), BadInput> {
        let bytes = match std::fs::read(file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(BadInput::whole(format!("cannot be read, {error}")).in_file(file)),
        };
        let bad =
            |what: &dyn std::fmt::Display| BadInput::whole(format!("not a pile that was kept, {what}")).in_file(file);
        let end = bytes
            .iter()
            .position(|b| *b == b'\n')
            .ok_or_else(|| bad(&"no line of sums"))?;
        let sums: Sums = serde_json::from_slice(&bytes[..end]).map_err(|error| bad(&error))?;
        self.world.load(&bytes[end + 1..]).map_err(|error| bad(&error))?;
        if sums.steps as u64 != self.world.state().step || sums.still > REST_STEPS.min(sums.steps) {
            return Err(bad(&"the sums are not those of the state"));
        }
        self.earlier = sums.stages;
        self.sums = sums;
        Ok(())
    }
}

fn drop_pile(bodies: usize, arguments: &Arguments) -> Result<Pile, BadInput> {
    let mut falling = Falling::new(bodies, arguments)?;
    let file = match &arguments.keep {
        Some(folder) => {
            make_folder(folder)?;
            let (columns, rows) = footprint(bodies, arguments);
            let walls = if arguments.bin { "-bin" } else { "" };
            let name = format!("pile-{bodies}-{columns}x{rows}{walls}-{}.kept", arguments.seed);
            Some(folder.join(name))
        }
        None => None,
    };
    if let Some(file) = &file {
        falling.go_on_from(file)?;
    }
    let mut failures = 0;
    while falling.sums.steps < arguments.steps && falling.sums.still < REST_STEPS {
        if let Err(error) = falling.step() {
            // A line that cannot be written is no loss.
            let _ = writeln!(std::io::stderr(), "{bodies} bodies: {error}");
            failures += 1;
            break;
        }
        if let Some(file) = &file {
            falling.keep(file)?;
        }
    }
    let sums = falling.sums;
    let rests = sums.still == REST_STEPS;
    let total = sums.stages.iter().sum::<f64>().max(1e-12);
    let steps = sums.steps.max(1) as f64;
    Ok(Pile {
        bodies,
        steps: sums.steps,
        rest_at: rests.then(|| sums.steps - REST_STEPS),
        failures,
        in_parts: sums.in_parts,
        contacts: sums.contacts,
        fastest: sums.fastest,
        worst_residual: sums.worst_residual,
        newton_steps: sums.newton_steps,
        ms_per_step: sums.seconds * 1e3 / steps,
        ms_at_rest: rests.then(|| stiction_answers::timing::median(sums.last)),
        us_per_contact: sums.seconds * 1e6 / f64::max(sums.touched as f64, 1.0),
        shares: sums.stages.map(|t| t / total),
        mean_contacts: sums.touched as f64 / steps,
    })
}

/// Speed of the fastest corner of any cube, or more.
fn fastest(world: &World) -> f64 {
    let speed = world
        .state()
        .bodies
        .iter()
        .map(|b| b.velocity.norm() + SIDE * b.spin.norm());
    speed.fold(0.0, f64::max)
}

/// Growth exponent of the time of a step between the first and the last pile, if there are two.
fn exponent(piles: &[Pile], size: impl Fn(&Pile) -> f64) -> Option<f64> {
    let (first, last) = (piles.first()?, piles.last()?);
    let grown = libm::log(size(last) / size(first));
    let slower = libm::log(last.ms_per_step / first.ms_per_step);
    (grown > 0.0).then_some(slower / grown)
}

fn table(piles: &[Pile]) -> String {
    let mut text = String::from(
        "bodies  steps  rest at  failures  in parts  contacts  newton/step  ms/step  ms at rest  us/contact  worst residual  fastest m/s\n",
    );
    for p in piles {
        let rest = p.rest_at.map_or("-".to_owned(), |k| k.to_string());
        let at_rest = p.ms_at_rest.map_or("-".to_owned(), |ms| format!("{ms:.3}"));
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{:>6} {:>6} {:>8} {:>9} {:>9} {:>9} {:>12.1} {:>8.3} {:>11} {:>11.2} {:>15.1e} {:>12.1e}",
            p.bodies,
            p.steps,
            rest,
            p.failures,
            p.in_parts,
            p.contacts,
            p.newton_steps as f64 / p.steps.max(1) as f64,
            p.ms_per_step,
            at_rest,
            p.us_per_contact,
            p.worst_residual,
            p.fastest
        );
    }
    for p in piles {
        let [collision, problem, solve, integrate] = p.shares.map(|s| 100.0 * s);
        let _ = writeln!(
            text,
            "{} bodies: collision {collision:.1} %, problem and penetration correction {problem:.1} %, solve {solve:.1} %, integration {integrate:.1} %",
            p.bodies
        );
    }
    if let (Some(bodies), Some(contacts)) = (
        exponent(piles, |p| p.bodies as f64),
        exponent(piles, |p| p.mean_contacts),
    ) {
        let _ = writeln!(
            text,
            "time of a step grows as bodies^{bodies:.2} and as contacts^{contacts:.2}"
        );
    }
    text
}
