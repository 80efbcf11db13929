//! `stiction-lab campaign soak`: scenes at rest, for a very long time.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use stiction_scene::{Scene, WorldExt};
use stiction_sim::World;
use stiction_sim::state::State;

use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_formats::write::write_whole_in_folder;

/// Largest drift [of the scene's size], kinetic energy [J] and growth of memory that count as standing still.
const MAX_DRIFT: f64 = 1e-6;
const MAX_KINETIC_ENERGY: f64 = 1e-12;
const MAX_MEMORY_GROWTH: f64 = 0.01;

/// Steps between saved states: some seconds.
const STEPS_BETWEEN_SAVES: u64 = 10_000;

/// Steps after which memory is looked at first: everything has been met once.
const STEPS_BEFORE_MEMORY: u64 = 1000;

/// Name and text of each scene.
const SCENES: [(&str, &str); 5] = [
    ("stack-10", include_str!("../../../../scenes/soak/stack_10.toml")),
    ("arch-27", include_str!("../../../../scenes/arch-27.toml")),
    ("card-house", include_str!("../../../../scenes/new/card_house.toml")),
    ("ladder", include_str!("../../../../scenes/soak/ladder.toml")),
    ("chain", include_str!("../../../../scenes/soak/chain.toml")),
];

/// Arguments of `stiction-lab campaign soak`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Arguments {
    /// Steps of each scene, those of earlier runs in the folder counted in
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    steps: u64,
    /// Save states in this folder, and go on from those that are there
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// One scene alone: stack-10, arch-27, card-house, ladder or chain
    #[arg(long, value_name = "NAME")]
    scene: Option<String>,
}

/// What became of a scene.
#[derive(Debug, Clone)]
struct Stood {
    name: &'static str,
    steps: u64,
    /// Those of them that earlier runs made, of whose energy and memory this one knows nothing.
    before: u64,
    /// Farthest that a body is from where it began, relative to the farthest body from the origin.
    drift: f64,
    /// Largest kinetic energy of the steps of this run [J], but the first thousand of all.
    kinetic: f64,
    /// Memory at the end over that after a thousand steps, less 1, without pages of files; 0 where the system does not say.
    growth: f64,
    seconds: f64,
    /// Why it ended early.
    failed: Option<String>,
}

impl Stood {
    fn is_clean(&self) -> bool {
        self.failed.is_none()
            && self.drift <= MAX_DRIFT
            && self.kinetic <= MAX_KINETIC_ENERGY
            && self.growth <= MAX_MEMORY_GROWTH
    }
}

/// Runs the scenes one after the other.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let chosen: Vec<_> = SCENES
        .iter()
        .filter(|(name, _)| arguments.scene.as_deref().is_none_or(|chosen| chosen == *name))
        .collect();
    if chosen.is_empty() {
        let names = SCENES.map(|(name, _)| name).join(", ");
        let found = arguments.scene.as_deref().unwrap_or_default();
        return Err(BadInput::new(
            "scene",
            format!(
                "must be one of {names}, found {}",
                stiction_formats::bad_input::shown(found)
            ),
        ));
    }
    if arguments.steps == 0 {
        return Err(BadInput::whole("--steps: must be at least 1, found 0"));
    }
    let mut all = Vec::new();
    for (name, text) in chosen {
        all.push(soak(name, text, arguments)?);
    }
    let clean = all.iter().all(Stood::is_clean);
    Ok(Outcome::new(table(&all), clean))
}

fn soak(name: &'static str, text: &str, arguments: &Arguments) -> Result<Stood, BadInput> {
    let scene = Scene::parse(text, Path::new("")).map_err(|error| BadInput::each_line(&error))?;
    let mut world = World::from_scene(&scene).map_err(|error| BadInput::named(&error))?;
    let first = world.state().clone();
    let file = arguments
        .folder
        .as_ref()
        .map(|folder| folder.join(format!("{name}.state")));
    if let Some(file) = file.as_deref().filter(|file| file.exists()) {
        let bytes = stiction_formats::read::read_bytes(file)?;
        world
            .load(&bytes)
            .map_err(|error| BadInput::named(&error).in_file(file))?;
    }
    let (start, before) = (Instant::now(), world.state().step);
    let bar = bar(name, arguments.steps)?;
    let (mut kinetic, mut memory, mut failed) = (0.0_f64, None, None);
    while world.state().step < arguments.steps {
        if let Err(error) = world.step() {
            failed = Some(error.to_string());
            break;
        }
        let step = world.state().step;
        if step > STEPS_BEFORE_MEMORY || before > 0 {
            kinetic = kinetic.max(world.ledger().kinetic);
        }
        if step == before + STEPS_BEFORE_MEMORY {
            // What saving takes is no growth: it takes it once.
            save(file.as_deref(), &world)?;
            memory = resident();
        }
        if step % STEPS_BETWEEN_SAVES == 0 || step == arguments.steps {
            save(file.as_deref(), &world)?;
            bar.set_position(step);
        }
    }
    bar.finish_and_clear();
    let growth = memory.zip(resident()).map_or(0.0, |(then, now)| now / then - 1.0);
    Ok(Stood {
        name,
        steps: world.state().step,
        before,
        drift: drift(&first, world.state()),
        kinetic,
        growth,
        seconds: start.elapsed().as_secs_f64(),
        failed,
    })
}

fn bar(name: &'static str, steps: u64) -> Result<ProgressBar, BadInput> {
    let style = ProgressStyle::with_template("{prefix} {bar:40} {pos} of {len} steps, {eta} left")
        .map_err(|error| BadInput::whole(format!("internal: {error}")))?;
    Ok(ProgressBar::new(steps).with_style(style).with_prefix(name))
}

/// A killed run leaves the state before.
fn save(file: Option<&Path>, world: &World) -> Result<(), BadInput> {
    file.map_or(Ok(()), |file| write_whole_in_folder(file, world.save()))
}

fn drift(first: &State, last: &State) -> f64 {
    let places = first
        .bodies
        .iter()
        .zip(&last.bodies)
        .map(|(a, b)| (a.pose.position, b.pose.position));
    let (far, size) = places.fold((0.0_f64, 0.0_f64), |(far, size), (a, b)| {
        (far.max((b - a).norm()), size.max(a.norm()))
    });
    if size > 0.0 { far / size } else { far }
}

/// Memory of this process in pages, less that of files: code is read in when it first runs. `None` where the system does not say.
fn resident() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let mut pages = text.split_whitespace().skip(1).map_while(|x| x.parse::<f64>().ok());
    Some(pages.next()? - pages.next()?)
}

fn table(all: &[Stood]) -> String {
    let mut text = String::from(
        "| scene | steps | drift / size | kinetic energy [J] | memory growth | seconds |\n|---|---|---|---|---|---|\n",
    );
    for stood in all {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {:.1e} | {:.1e} | {:.2} % | {:.1} |",
            stood.name,
            stood.steps,
            stood.drift,
            stood.kinetic,
            100.0 * stood.growth,
            stood.seconds
        );
    }
    for stood in all.iter().filter(|stood| stood.before > 0) {
        let _ = writeln!(
            text,
            "\n{}: {} steps were made before; kinetic energy, memory and seconds are those of the others",
            stood.name, stood.before
        );
    }
    for stood in all {
        if let Some(failed) = &stood.failed {
            let _ = writeln!(text, "\n{} ended after {} steps: {failed}", stood.name, stood.steps);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_formats::temporary::TemporaryFolder;

    #[test]
    fn an_interrupted_soak_goes_on_with_the_same_bits() {
        let folder = TemporaryFolder::new().unwrap();
        let run = |steps, folder: &Path| {
            let arguments = Arguments {
                steps,
                folder: Some(folder.to_owned()),
                scene: Some("ladder".to_owned()),
            };
            super::run(&arguments).unwrap()
        };
        let (parts, whole) = (folder.path().join("parts"), folder.path().join("whole"));
        run(150, &parts);
        assert!(run(300, &parts).text.contains("ladder: 150 steps were made before"));
        assert!(!run(300, &whole).text.contains("made before"));
        let state = |folder: &Path| std::fs::read(folder.join("ladder.state")).unwrap();
        assert_eq!(state(&parts), state(&whole));
    }

    #[test]
    fn everything_stands() {
        let arguments = Arguments {
            steps: 1500,
            folder: None,
            scene: None,
        };
        for (name, text) in SCENES {
            let mut stood = soak(name, text, &arguments).unwrap();
            // Memory is that of the process, in which other tests run.
            stood.growth = 0.0;
            assert!(stood.is_clean(), "{}", table(&[stood]));
        }
    }
}
