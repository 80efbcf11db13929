//! `stiction-lab experiment lloyd-peg`: a peg that a hand moves in its hole, as a haptic loop of 1 kHz would; how long the slowest solves take.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use stiction_scene::{Scene, WorldExt};
use stiction_sim::World;

use stiction_answers::Outcome;
use stiction_answers::timing::quantile;
use stiction_formats::BadInput;

/// The scene below the folder of scenes.
const SCENE: &str = "lloyd/peg_haptic_32.toml";
/// Steps that warm buffers and caches, and are not counted.
const WARM_UP_STEPS: usize = 1000;
/// What a haptic loop leaves for a solve, at 99.99 % of the steps \[us\].
const TARGET_MICROSECONDS: f64 = 100.0;

/// Arguments of `stiction-lab experiment lloyd-peg`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Folder of the scenes
    #[arg(long, value_name = "FOLDER", default_value = "scenes")]
    scenes: PathBuf,
    /// Steps of 1 ms
    #[arg(long, value_name = "K", default_value_t = 60_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    steps: u64,
}

/// Times of the steps \[us\].
#[derive(Debug, Default)]
struct Times {
    solve: Vec<f64>,
    whole: Vec<f64>,
}

impl Times {
    fn add(&mut self, solve: f64, whole: f64) {
        self.solve.push(solve);
        self.whole.push(whole);
    }
}

/// What the steps gave.
#[derive(Debug, Default)]
struct Found {
    /// Of all steps, and of those in which the system did not take the core away.
    all: Times,
    undisturbed: Times,
    /// Whether the system says how often it does that.
    watched: bool,
    contacts: usize,
    most_contacts: usize,
    worst_residual: f64,
}

/// A scene of the folder as a world.
pub(crate) fn world(folder: &Path, name: &str) -> Result<(Scene, World), BadInput> {
    let file = folder.join(name);
    let scene = Scene::read(&file).map_err(|error| BadInput::each_line(&error))?;
    let world = World::from_scene(&scene).map_err(|error| BadInput::named(&error).in_file(&file))?;
    Ok((scene, world))
}

/// How often the system has taken the core away from this thread; `None` where it does not say.
fn interruptions() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/status").ok()?;
    let line = text
        .lines()
        .find_map(|l| l.strip_prefix("nonvoluntary_ctxt_switches:"))?;
    line.trim().parse().ok()
}

/// Runs the experiment. The exit status says whether every step is verified; times do not enter it.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let file = arguments.scenes.join(SCENE);
    let (_, mut world) = world(&arguments.scenes, SCENE)?;
    for _ in 0..WARM_UP_STEPS {
        world.step().map_err(|error| BadInput::named(&error).in_file(&file))?;
    }
    world.time_stages();
    let mut found = Found {
        watched: interruptions().is_some(),
        ..Found::default()
    };
    for _ in 0..arguments.steps {
        let (before, taken) = (world.stage_times(), interruptions());
        let report = world.step().map_err(|error| BadInput::named(&error).in_file(&file))?;
        let (after, still) = (world.stage_times(), interruptions());
        let solve = after.solve.saturating_sub(before.solve).as_secs_f64() * 1e6;
        let whole = after.total().saturating_sub(before.total()).as_secs_f64() * 1e6;
        found.all.add(solve, whole);
        if taken == still {
            found.undisturbed.add(solve, whole);
        }
        found.contacts += report.contacts;
        found.most_contacts = found.most_contacts.max(report.contacts);
        found.worst_residual = found.worst_residual.max(report.residual);
    }
    Ok(Outcome::new(text(found), true))
}

fn text(mut found: Found) -> String {
    let steps = found.all.solve.len();
    let mut text = format!(
        "moving peg, 1 kHz: {steps} steps, every one verified, residual {:.1e} at worst\n\
         contacts     mean {:.1}, most {}\n\n",
        found.worst_residual,
        found.contacts as f64 / steps as f64,
        found.most_contacts,
    );
    let _ = writeln!(
        text,
        "{:<34} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "us", "50 %", "99 %", "99.9 %", "99.99 %", "slowest"
    );
    let disturbed = steps - found.undisturbed.solve.len();
    let mut rows = vec![("solve", &mut found.all.solve), ("whole step", &mut found.all.whole)];
    if found.watched && disturbed > 0 {
        rows.push(("solve, undisturbed", &mut found.undisturbed.solve));
        rows.push(("whole step, undisturbed", &mut found.undisturbed.whole));
    }
    let mut last = f64::NAN;
    for (name, times) in rows {
        times.sort_by(f64::total_cmp);
        let _ = write!(text, "{name:<34}");
        for share in [0.5, 0.99, 0.999, 0.9999, 1.0] {
            let _ = write!(text, " {:>9.1}", quantile(times, share));
        }
        text.push('\n');
        if name.starts_with("solve") {
            last = quantile(times, 0.9999);
        }
    }
    if found.watched {
        let _ = writeln!(
            text,
            "\nthe system took the core away in {disturbed} steps; the others are undisturbed"
        );
    }
    let _ = writeln!(
        text,
        "99.99 % of the solves take up to {last:.1} us: target below {TARGET_MICROSECONDS} us on an idle core"
    );
    text
}
