//! `stiction experiment pile`: cubes dropped into a bin until they rest, every step verified; how time grows with bodies and contacts.

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::{Duration, Instant};

use serde::Serialize;
use stiction_sim::World;
use stiction_sim::scene::Scene;

use crate::{BadInput, Outcome};

/// Side of a cube, and the distance of their middles at the start, beyond which no turn lets them touch \[m\].
const SIDE: f64 = 0.1;
const PITCH: f64 = 0.175;
/// Time step \[s\].
const STEP: f64 = 0.005;
/// Speed below which a pile rests, in all its bodies and for so many steps \[m/s\].
const REST: f64 = 1e-9;
const RESTING: usize = 20;
/// Most bodies of a pile.
const MOST: usize = 10_000;

/// Arguments of `stiction experiment pile`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Bodies of each pile
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [10, 100, 1000])]
    bodies: Vec<usize>,
    /// Steps after which a pile is given up
    #[arg(long, value_name = "K", default_value_t = 4000)]
    steps: usize,
    /// Seed of the turns: the same seed gives the same piles
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: usize,
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
    /// Shares of the time: collision, problem with easing, solve, integration.
    shares: [f64; 4],
    /// Contacts, mean over the steps.
    mean_contacts: f64,
}

/// Runs the experiment. The exit status says whether every pile came to rest with every step verified.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    if let Some(n) = arguments.bodies.iter().find(|n| !(1..=MOST).contains(*n)) {
        return Err(BadInput::whole(format!(
            "--bodies: must lie between 1 and {MOST}, found {n}"
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

/// The scene: layers of tumbled cubes over a floor between four walls.
fn scene(bodies: usize, seed: usize) -> String {
    let mut side = 1;
    while side * side * side < bodies {
        side += 1;
    }
    let layer = side * side;
    let half = 0.5 * PITCH * side as f64 + 0.02;
    let mut text = format!("format = 1\nname = \"pile of {bodies}\"\n[world]\ndt = {STEP}\n");
    text += "[[body]]\nname = \"floor\"\nshape = { half_space = [0, 0, 1] }\n";
    for (name, x, y) in [("left", 1, 0), ("right", -1, 0), ("front", 0, 1), ("back", 0, -1)] {
        let (px, py) = (-f64::from(x) * half, -f64::from(y) * half);
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "[[body]]\nname = \"{name}\"\nshape = {{ half_space = [{x}, {y}, 0] }}\nposition = [{px}, {py}, 0]"
        );
    }
    let gap = PITCH - SIDE;
    let mut grid = |name: &str, rows: usize, columns: usize, layers: usize, base: f64| {
        let _ = writeln!(
            text,
            "[[grid]]\nname = \"{name}\"\nbox = [{SIDE}, {SIDE}, {SIDE}]\nrows = {rows}\ncolumns = {columns}\n\
             layers = {layers}\ngap = [{gap}, {gap}, {gap}]\nbase = [0, 0, {base}]\ntumbled = {seed}"
        );
    };
    let (full, rest) = (bodies / layer, bodies % layer);
    let height = |row: usize| 0.05 + PITCH * row as f64;
    if full > 0 {
        grid("box", full, side, side, height(0));
    }
    if rest >= side {
        grid("upper", 1, side, rest / side, height(full));
    }
    if rest % side > 0 {
        grid("last", 1, rest % side, 1, height(full + 1));
    }
    text
}

fn drop_pile(bodies: usize, arguments: &Arguments) -> Result<Pile, BadInput> {
    let scene = Scene::parse(&scene(bodies, arguments.seed), ".").map_err(BadInput::whole)?;
    let mut world = World::from_scene(&scene).map_err(BadInput::whole)?;
    world.time_stages();
    let (mut all, mut last) = (Duration::ZERO, Vec::new());
    let (mut touched, mut still) = (0, 0);
    let mut pile = Pile {
        bodies,
        steps: 0,
        rest_at: None,
        failures: 0,
        contacts: 0,
        fastest: f64::NAN,
        worst_residual: 0.0,
        newton_steps: 0,
        ms_per_step: 0.0,
        ms_at_rest: None,
        us_per_contact: 0.0,
        shares: [0.0; 4],
        mean_contacts: 0.0,
    };
    while pile.steps < arguments.steps && still < RESTING {
        let start = Instant::now();
        let report = match world.step() {
            Ok(report) => report,
            Err(error) => {
                let _ = writeln!(std::io::stderr(), "{bodies} bodies: {error}");
                pile.failures += 1;
                break;
            }
        };
        let taken = start.elapsed();
        all += taken;
        pile.steps += 1;
        pile.contacts = report.contacts;
        pile.worst_residual = pile.worst_residual.max(report.residual);
        pile.newton_steps += report.newton_steps;
        touched += report.contacts;
        pile.fastest = fastest(&world);
        still = if pile.fastest < REST { still + 1 } else { 0 };
        if still == 0 {
            last.clear();
        }
        last.push(taken.as_secs_f64() * 1e3);
    }
    if still == RESTING {
        pile.rest_at = Some(pile.steps - RESTING);
        pile.ms_at_rest = Some(crate::timing::median(last));
    }
    let stages = world.stage_times();
    let total = stages.total().as_secs_f64().max(1e-12);
    pile.shares = [stages.collision, stages.problem, stages.solve, stages.integrate].map(|t| t.as_secs_f64() / total);
    let steps = pile.steps.max(1) as f64;
    pile.ms_per_step = all.as_secs_f64() * 1e3 / steps;
    pile.us_per_contact = all.as_secs_f64() * 1e6 / f64::max(touched as f64, 1.0);
    pile.mean_contacts = touched as f64 / steps;
    Ok(pile)
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
        "bodies  steps  rest at  failures  contacts  newton/step  ms/step  ms at rest  us/contact  worst residual  fastest m/s\n",
    );
    for p in piles {
        let rest = p.rest_at.map_or("-".to_owned(), |k| k.to_string());
        let at_rest = p.ms_at_rest.map_or("-".to_owned(), |ms| format!("{ms:.3}"));
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{:>6} {:>6} {:>8} {:>9} {:>9} {:>12.1} {:>8.3} {:>11} {:>11.2} {:>15.1e} {:>12.1e}",
            p.bodies,
            p.steps,
            rest,
            p.failures,
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
            "{} bodies: collision {collision:.1} %, problem and easing {problem:.1} %, solve {solve:.1} %, integration {integrate:.1} %",
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
