//! `stiction run`: simulates a scene.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use stiction_record::{RecordError, RecordOptions, Recorder};
use stiction_scene::{Scene, WorldExt};
use stiction_sim::{SimError, World};

use super::export::{Recorded, html, is};
use super::run_report::{FINISHED, Failure, Totals, apart, json, table};
use super::run_state::StateOptions;
use super::run_work::real_time_factor;
use super::scene_argument::{ChangeOptions, read_scene};
use super::scene_notes;
use super::signals;
use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_formats::raw_text;
use stiction_formats::write::write_whole;

/// Contacts that a message names before the rest is only counted.
const MAX_NAMED_CONTACTS: usize = 12;
/// Frames a second of a replay.
const FRAMES_PER_SECOND: f64 = 60.0;
/// The bar as it stands on a terminal.
const BAR: &str = "{bar:32} {pos} of {len} steps, {pace}, {eta} left";

/// Arguments of `stiction run`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Scene file, or the name of a scene that `stiction examples` lists
    scene: PathBuf,
    #[command(flatten)]
    options: Options,
}

/// How a scene is run, whatever it comes from.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Write a recording: NAME.mcap, NAME.csv, or CSV files in a folder that exists; or its replay, NAME.html
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Record every K-th step only
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..), requires = "output")]
    every: u64,
    /// Steps to make; default: to the end of the scene's duration
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Largest number of operations of a step; replaces the scene's `max_work`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_work: Option<u64>,
    #[command(flatten)]
    pub(super) change: ChangeOptions,
    #[command(flatten)]
    state: StateOptions,
    /// Treat warnings about the scene as errors: stop before the run
    #[arg(long)]
    strict: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Simulates the scene.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let (scene, file) = read_scene(&arguments.scene, &arguments.options.change)?;
    run_scene(&scene, &file, &arguments.options)
}

/// Simulates a scene that was read from `file`, or has its name.
pub(super) fn run_scene(scene: &Scene, file: &Path, options: &Options) -> Result<Outcome, BadInput> {
    let mut world = World::from_scene(scene).map_err(|error| BadInput::named(&error).in_file(file))?;
    scene_notes::refuse(scene, file, options.strict)?;
    options.state.load(&mut world)?;
    world.set_max_work(options.max_work.unwrap_or(scene.settings.max_work));
    world.time_stages();
    let left = scene.steps().saturating_sub(world.state().step);
    let steps = options.steps.unwrap_or(left);
    let mut totals = Totals::of(&world);
    let page = Page::asked(scene, file, options)?;
    let mut recorder = recorder(&world, file, (options, page.as_ref()))?;
    scene_notes::say(scene, file);
    let bar = bar(steps, scene.settings.dt)?;
    let start = Instant::now();
    let (mut failure, mut unrecorded) = (None, None);
    let stop = stop_on_interrupt();
    for _ in 0..steps {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let begin = Instant::now();
        match world.step() {
            Ok(report) => {
                totals.add(&report, &world, begin.elapsed());
                let recorded = recorder.as_mut().map(|recorder| recorder.record(&world, &report));
                if let Some(Err(error)) = recorded {
                    unrecorded = Some(error);
                    break;
                }
            }
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
        bar.inc(1);
    }
    let elapsed = start.elapsed();
    bar.finish_and_clear();
    // What was made before a failed step is kept; what was recorded before a full disk is, without an end mark.
    let written = match recorder.filter(|_| unrecorded.is_none()).map(Recorder::finish) {
        Some(Ok(written)) => Some(written),
        Some(Err(error)) => {
            unrecorded = Some(error);
            None
        }
        None => None,
    };
    let written = match (&page, written) {
        (Some(page), Some(_)) => Some(page.write()?),
        (_, written) => written,
    };
    options.state.save(&world)?;
    let failure = failure.map(|error| failed(&world, &error, scene, file, options));
    let failure = failure.or_else(|| unrecorded.map(|error| not_recorded(&error)));
    if let Some(failure) = &failure {
        // Nothing is left to do where messages cannot be written.
        let _ = write!(std::io::stderr(), "{}", failure.message);
    }
    let made = totals.steps();
    totals.stopped = failure.is_none() && made < steps;
    if totals.stopped {
        let kept = written.as_ref().map_or("", |_| "; what was recorded is kept");
        let _ = writeln!(
            std::io::stderr(),
            "{}: stopped after {made} of {steps} steps{kept}",
            file.display()
        );
    }
    if let Some(faults) = totals.faults(&world, failure.is_some()) {
        let _ = write!(
            std::io::stderr(),
            "{}",
            faults.message(&world, totals.gain(&world), file)
        );
    }
    let text = if options.json {
        json(&world, &totals, written.as_deref(), failure.as_ref())?
    } else {
        table(scene, &world, &totals, elapsed, failure.as_ref()) + &listed(written.as_deref())
    };
    Ok(Outcome::new(text, totals.ending(&world, failure.as_ref()) == FINISHED))
}

/// The recorder of a run, where one is requested.
fn recorder(
    world: &World,
    file: &Path,
    (options, page): (&Options, Option<&Page<'_>>),
) -> Result<Option<Recorder>, BadInput> {
    let recording = RecordOptions {
        every: page.map_or(options.every, |page| page.every),
        ..RecordOptions::default()
    };
    match &options.output {
        Some(path) if is_same_file(path, file) => {
            Err(BadInput::whole("must not be the scene itself, which would be lost").in_file(path))
        }
        Some(path) => {
            let path = page.map_or(path.as_path(), |page| page.recorded.path());
            Ok(Some(Recorder::create(path, world, recording).map_err(unwritten)?))
        }
        None => Ok(None),
    }
}

/// A replay that is requested in place of a recording.
struct Page<'a> {
    file: &'a Path,
    /// Steps from frame to frame.
    every: u64,
    recorded: Recorded,
}

impl<'a> Page<'a> {
    fn asked(scene: &Scene, file: &Path, options: &'a Options) -> Result<Option<Self>, BadInput> {
        let Some(output) = options.output.as_deref().filter(|output| is(output, "html")) else {
            return Ok(None);
        };
        // First, so that nothing is run in vain.
        stiction_record::page::html().map_err(BadInput::whole)?;
        // Positive, and cut off where it is too large.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let thinned = libm::floor(1.0 / (FRAMES_PER_SECOND * scene.settings.dt)).max(1.0) as u64;
        Ok(Some(Self {
            file: output,
            every: if options.every > 1 { options.every } else { thinned },
            recorded: Recorded::temporary(&file.file_stem().unwrap_or_default().to_string_lossy())?,
        }))
    }

    /// Writes the page of what was recorded.
    fn write(&self) -> Result<Vec<PathBuf>, BadInput> {
        write_whole(self.file, html(self.recorded.path())?)?;
        Ok(vec![self.file.to_owned()])
    }
}

/// A run that was stopped because its recording could not be written, as on a full disk.
fn not_recorded(error: &RecordError) -> Failure {
    Failure {
        status: "unrecorded",
        message: format!("{error}\n"),
        bodies: Vec::new(),
        joints: Vec::new(),
        torn: Vec::new(),
        contacts: Vec::new(),
        file: None,
    }
}

/// A flag that the first interrupt or request to end sets, so that a recording is completed; the second ends the program at once. Where the
/// system lets no one listen the flag stays down.
fn stop_on_interrupt() -> Arc<AtomicBool> {
    use signal_hook::flag::{register, register_conditional_shutdown};
    let stop = Arc::new(AtomicBool::new(false));
    for signal in signals::ending() {
        // In this order, so that the first one does not end the program.
        let listens = register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop))
            .and_then(|_| register(signal, Arc::clone(&stop)));
        if listens.is_err() {
            break;
        }
    }
    signals::refuse_large_files();
    stop
}

/// Whether two paths lead to one file that exists.
fn is_same_file(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    real(a).is_some_and(|a| real(b) == Some(a))
}

/// A recording that cannot be written. Its text names the file.
pub(super) fn unwritten(error: RecordError) -> BadInput {
    BadInput::whole(error)
}

/// `recording    a.mcap`.
fn listed(written: Option<&[PathBuf]>) -> String {
    let files = written.unwrap_or_default();
    let mut text = String::new();
    for file in files {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{:<12} {}", "recording", file.display());
    }
    text
}

/// A bar on a terminal, nothing elsewhere. Its pace is simulated time per time.
fn bar(steps: u64, dt: f64) -> Result<ProgressBar, BadInput> {
    let pace = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        // A bar that cannot be drawn is no loss.
        let _ = write!(out, "{}", real_time_factor(state.pos() as f64 * dt, state.elapsed()));
    };
    let style = ProgressStyle::with_template(BAR).map_err(|error| BadInput::whole(format!("internal: {error}")))?;
    Ok(ProgressBar::new(steps).with_style(style.with_key("pace", pace)))
}

/// Says what failed and writes the contact problem beside the scene.
fn failed(world: &World, error: &SimError, scene: &Scene, from: &Path, options: &Options) -> Failure {
    let shown = from.display();
    let mut message = format!("{shown}: {error}\n");
    let SimError::Unsolved {
        status,
        contacts,
        bodies,
        joints,
        torn,
        ..
    } = error
    else {
        let (status, bodies) = match error {
            SimError::Outrun { bodies, .. } => ("outrun", bodies.clone()),
            SimError::Spin { body, .. } => ("spin", vec![body.clone()]),
            _ => ("error", Vec::new()),
        };
        return Failure {
            status,
            message,
            bodies,
            joints: Vec::new(),
            torn: Vec::new(),
            contacts: Vec::new(),
            file: None,
        };
    };
    if !contacts.is_empty() {
        // Writing to a String cannot fail.
        let _ = writeln!(message, "{shown}: contacts {}", names(world, contacts));
    }
    let beside = options.output.as_deref().filter(|path| !path.is_dir());
    let file = beside.unwrap_or(from).with_extension("failed.json");
    let written = write_problem(world, &scene.name, &file);
    let _ = match &written {
        Ok(()) => writeln!(
            message,
            "{shown}: the contact problem is in {0}; stiction solve {0} --law {1} reproduces it",
            file.display(),
            scene.settings.law.name()
        ),
        Err(bad) => writeln!(message, "{bad}"),
    };
    Failure {
        status: status.name(),
        message,
        bodies: bodies.clone(),
        joints: joints.clone(),
        torn: apart(torn),
        contacts: contacts.clone(),
        file: written.is_ok().then_some(file),
    }
}

fn write_problem(world: &World, name: &str, file: &Path) -> Result<(), BadInput> {
    let step = world.state().step;
    write_whole(file, &raw_text::text(world.problem(), &format!("{name} step {step}"))?)
}

/// `0 (box on ground), 1 (box on ground) and 3 more`.
fn names(world: &World, contacts: &[usize]) -> String {
    let name = |body: usize| world.bodies().get(body).map_or("", |b| b.name.as_str());
    let one = |i: &usize| match world.contacts().get(*i) {
        Some(c) => format!("{i} ({} on {})", name(c.a), name(c.b)),
        None => format!("{i} (limit of a joint)"),
    };
    let mut text = contacts
        .iter()
        .take(MAX_NAMED_CONTACTS)
        .map(one)
        .collect::<Vec<_>>()
        .join(", ");
    if contacts.len() > MAX_NAMED_CONTACTS {
        let _ = write!(text, " and {} more", contacts.len() - MAX_NAMED_CONTACTS);
    }
    text
}
