//! Many worlds at once.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::thread;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use stiction_scene::{Scene, WorldExt};

use crate::error::{of_scenes, of_sim, shown, wrong};
use crate::fields::items;
use crate::given::{Given, count};
use crate::interrupt::{STACK, receive};
use crate::record::{Source, record, rows, value};
use crate::steps::{Steps, advance, raise};
use crate::world::{World, orientations, positions, velocities};

/// Most threads of a call: more is a mistake, not a machine.
pub(crate) const MAX_THREADS: u64 = 1024;

/// What a world is made from.
enum Start {
    Text(String),
    File(PathBuf),
    World(Box<stiction_sim::World>),
}

impl Start {
    fn read(value: &Bound<'_, PyAny>, path: &str) -> PyResult<Self> {
        if let Ok(text) = value.cast::<PyString>() {
            return Ok(Self::Text(text.extract()?));
        }
        if let Ok(world) = value.cast::<World>() {
            return Ok(Self::World(Box::new(world.try_borrow()?.inner.clone())));
        }
        let requirement = "must be scene text, a path or a World";
        value
            .extract()
            .map(Self::File)
            .map_err(|_| wrong(path, requirement, shown(value)))
    }

    fn run(self, steps: u64, folder: &Path, stop: &AtomicBool) -> Result<End, Failed> {
        let mut world = self.world(folder)?;
        let mut total = Steps::NONE;
        advance(&mut world, steps, &mut total, |_, _| (), || !stop.load(Relaxed));
        // The rest of the world is let go here: a thousand of them need room.
        Ok(End::of(&world, total))
    }

    fn world(self, folder: &Path) -> Result<stiction_sim::World, Failed> {
        let scene = match self {
            Self::World(world) => return Ok(*world),
            Self::Text(text) => Scene::parse(&text, folder),
            Self::File(path) => Scene::read(path),
        };
        let scene = scene.map_err(Failed::Scene)?;
        stiction_sim::World::from_scene(&scene).map_err(Failed::Sim)
    }
}

/// A scene that cannot be used.
enum Failed {
    Scene(stiction_scene::SceneError),
    Sim(stiction_sim::SimError),
}

/// Steps many worlds, each on its own; the bits do not depend on the number of threads.
///
/// scenes: a sequence of scene texts (str), scene files (os.PathLike) and Worlds, which are copied. steps: for each.
/// threads: None takes one a core. folder: where meshes of scene texts are sought. A world stops at its first failed step, which is
/// data of its SceneRun. The GIL is released; Ctrl-C ends the call.
#[pyfunction]
#[pyo3(
    signature = (scenes, steps, threads = None, *, folder = Given::LeftOut),
    text_signature = "(scenes, steps, threads=None, *, folder='.')"
)]
pub(crate) fn run_scenes(
    py: Python<'_>,
    scenes: &Bound<'_, PyAny>,
    steps: &Bound<'_, PyAny>,
    threads: Option<&Bound<'_, PyAny>>,
    folder: Given<'_>,
) -> PyResult<Vec<SceneRun>> {
    let steps = count(steps, "steps", 0, u64::MAX)?;
    // 0 leaves the number to rayon.
    let threads = threads.map_or(Ok(0), |threads| count(threads, "threads", 1, MAX_THREADS))?;
    let folder = folder.folder()?;
    let starts = items(scenes, "scenes")?;
    let starts: PyResult<Vec<Start>> = starts
        .iter()
        .enumerate()
        .map(|(i, s)| Start::read(s, &format!("scenes[{i}]")))
        .collect();
    let starts = starts?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(usize::try_from(threads).unwrap_or(0))
        .stack_size(STACK)
        .build();
    let pool = pool.map_err(|error| wrong("threads", "must be threads that can be started", error))?;
    let ends = watched(py, |stop| run(&pool, starts, steps, &folder, stop))?;
    let ends = ends.into_iter().enumerate().map(|(i, end)| match end {
        Ok(end) => Ok(SceneRun::of(end)),
        Err(Failed::Scene(error)) => Err(of_scenes(i, error)),
        Err(Failed::Sim(error)) => Err(of_sim(error)),
    });
    ends.collect()
}

/// Runs something on another thread and looks for signals meanwhile: where their handler raises, it is told to stop and waited for.
pub(crate) fn watched<R: Send>(py: Python<'_>, run: impl FnOnce(&AtomicBool) -> R + Send) -> PyResult<R> {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let (sender, receiver) = channel();
        let stop = &stop;
        let running = scope.spawn(move || {
            // Nobody waits any longer where this fails.
            let _ = sender.send(run(stop));
        });
        let received = receive(py, receiver);
        if received.is_err() {
            stop.store(true, Relaxed);
        }
        let ended = py.detach(|| running.join());
        match (received?, ended) {
            (Some(value), Ok(())) => Ok(value),
            (_, Err(panic)) => std::panic::resume_unwind(panic),
            (None, Ok(())) => Err(PyRuntimeError::new_err("internal: a rollout has ended without a word")),
        }
    })
}

/// Each thread takes the next world until none is left. A parallel iterator would start worlds on top of each other's stacks.
fn run(
    pool: &rayon::ThreadPool,
    starts: Vec<Start>,
    steps: u64,
    folder: &Path,
    stop: &AtomicBool,
) -> Vec<Result<End, Failed>> {
    let queue = Mutex::new(starts.into_iter().enumerate());
    // The lock is let go before a world runs. It is only poisoned by a panic, which is a bug and ends the rollout.
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let ended = pool.broadcast(|_| {
        let mut ended = Vec::new();
        while !stop.load(Relaxed)
            && let Some((i, start)) = next()
        {
            ended.push((i, start.run(steps, folder, stop)));
        }
        ended
    });
    let mut ended: Vec<_> = ended.into_iter().flatten().collect();
    ended.sort_by_key(|(i, _)| *i);
    ended.into_iter().map(|(_, end)| end).collect()
}

/// How a world ended.
pub(crate) struct End {
    steps: Steps,
    time: f64,
    hash: u64,
    positions: Vec<[f64; 3]>,
    orientations: Vec<[f64; 4]>,
    velocities: Vec<[f64; 6]>,
}

impl End {
    fn of(world: &stiction_sim::World, steps: Steps) -> Self {
        Self {
            steps,
            time: world.state().time,
            hash: world.state().hash(),
            positions: positions(world),
            orientations: orientations(world),
            velocities: velocities(world),
        }
    }
}

record! {
    /// How a scene of `run_scenes` ended: status and steps made, time [s], hash of the state, arrays as those of a World.
    SceneRun of End {
        /// How the last step ended.
        status,
        /// What was said of a step that failed, or None.
        message,
        /// Steps made.
        steps,
        /// Time at the end [s].
        time,
        /// Hash of the state at the end.
        state_hash,
        /// Worst residual of the steps.
        residual,
        /// Deepest overlap at the start of a step [m].
        penetration,
        /// Centres of mass [m], (m, 3).
        positions,
        /// Quaternions x, y, z, w, (m, 4).
        orientations,
        /// [m/s, rad/s], (m, 6).
        velocities,
    } {
        /// Raises a StepError unless the status is solved.
        fn raise_for_status(&self, py: Python<'_>) -> PyResult<()> {
            raise(py, &self.0.get(py, "message")?)
        }
    }
}

impl Source for End {
    fn make<'py>(&self, py: Python<'py>, field: &str) -> PyResult<Bound<'py, PyAny>> {
        match field {
            "status" => value(py, self.steps.status()),
            "message" => value(py, self.steps.message()),
            "steps" => value(py, self.steps.made()),
            "time" => value(py, self.time),
            "state_hash" => value(py, self.hash),
            "residual" => value(py, self.steps.residual),
            "penetration" => value(py, self.steps.penetration),
            "positions" => rows(py, &self.positions),
            "orientations" => rows(py, &self.orientations),
            _ => rows(py, &self.velocities),
        }
    }
}
