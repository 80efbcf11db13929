//! Recordings: what happened in a run, step by step, as a file.
//!
//! World and [`StepReport`] → [`Message`] → a file: MCAP (`run.mcap`), which holds everything and is read back by [`Recording`], or CSV for
//! spreadsheets. Files are written under another name and renamed at the end, so that under the final name there is never half a
//! recording. The format is described in `docs/reference/recording.md`.

mod contacts;
mod csv_file;
mod error;
mod mcap_file;
mod message;
mod partial;
mod read;
mod schema;

use std::path::{Path, PathBuf};

pub use error::RecordError;
pub use message::{
    BodyRecord, ContactRecord, ContactsRecord, JointRecord, Message, PartRecord, PosesRecord, ShapeRecord, StatsRecord,
    WorldRecord,
};
pub use read::Recording;

use crate::{StepReport, World};
use csv_file::CsvFile;
use mcap_file::McapFile;

/// What is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordOptions {
    /// Every how many steps a step is written; 0 counts as 1. Default 1. Counts and worst values of the steps between are kept.
    pub every: u64,
    /// Whether contacts are written. Default true.
    pub contacts: bool,
}

impl Default for RecordOptions {
    fn default() -> Self {
        Self {
            every: 1,
            contacts: true,
        }
    }
}

#[derive(Debug)]
enum Sink {
    Mcap(Box<McapFile>),
    Csv(Box<CsvFile>),
}

/// Writes a recording.
///
/// ```
/// use stiction_sim::recording::{Message, RecordOptions, Recorder, Recording};
/// use stiction_sim::{Settings, World};
/// let path = std::env::temp_dir().join(format!("stiction-example-{}.mcap", std::process::id()));
/// let mut world = World::new(Settings::default())?;
/// let mut recorder = Recorder::create(&path, &world, RecordOptions::default())?;
/// for _ in 0..3 {
///     let report = world.step()?;
///     recorder.record(&world, &report)?;
/// }
/// recorder.finish()?;
/// let mut steps = 0;
/// for message in Recording::open(&path)? {
///     if let Message::Stats(stats) = message? {
///         steps += stats.steps;
///     }
/// }
/// assert_eq!(steps, 3);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Recorder {
    sink: Sink,
    options: RecordOptions,
    /// Of the list of bodies that was last written.
    revision: u64,
    /// Sums and worst values of the steps since the last that was written.
    since: Since,
}

/// Sums and worst values of some steps.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Since {
    /// Steps.
    pub steps: u64,
    /// Sum of the pivots.
    pub pivots: usize,
    /// Sum of the Newton steps.
    pub newton_steps: usize,
    /// Largest residual.
    pub residual: f64,
    /// Deepest overlap \[m\].
    pub penetration: f64,
}

impl Since {
    /// Counts a step.
    pub fn add(&mut self, report: &StepReport) {
        self.steps += 1;
        self.pivots += report.pivots;
        self.newton_steps += report.newton_steps;
        self.residual = self.residual.max(report.residual);
        self.penetration = self.penetration.max(report.depth);
    }
}

impl Recorder {
    /// Begins a recording of a world as it stands: its bodies and their poses are written at once. The form follows from the path:
    /// `NAME.mcap`; `NAME.csv` (poses; `NAME.contacts.csv` and `NAME.stats.csv` beside it); a folder that exists, for `poses.csv`,
    /// `contacts.csv` and `stats.csv` in it.
    ///
    /// # Errors
    /// A path that ends otherwise, a file that cannot be written.
    pub fn create(path: impl AsRef<Path>, world: &World, options: RecordOptions) -> Result<Self, RecordError> {
        let path = path.as_ref();
        let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        let sink = match extension.as_deref() {
            _ if path.is_dir() => Sink::Csv(Box::new(CsvFile::create(&csv_file::in_folder(path))?)),
            Some("mcap") => Sink::Mcap(Box::new(McapFile::create(path)?)),
            Some("csv") => Sink::Csv(Box::new(CsvFile::create(&csv_file::beside(path))?)),
            _ => return Err(RecordError::Name { path: path.to_owned() }),
        };
        let mut recorder = Self {
            sink,
            options,
            revision: world.ids.revision,
            since: Since::default(),
        };
        recorder.write(&Message::World(WorldRecord::of(world)))?;
        recorder.write(&Message::Poses(PosesRecord::of(world)))?;
        Ok(recorder)
    }

    /// Records a step that was just made, if it is one of those to be written.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn record(&mut self, world: &World, report: &StepReport) -> Result<(), RecordError> {
        self.since.add(report);
        if !world.state().step.is_multiple_of(self.options.every.max(1)) {
            return Ok(());
        }
        if world.ids.revision != self.revision {
            self.revision = world.ids.revision;
            self.write(&Message::World(WorldRecord::of(world)))?;
        }
        self.write(&Message::Poses(PosesRecord::of(world)))?;
        if self.options.contacts {
            self.write(&Message::Contacts(ContactsRecord::recorded(world)))?;
        }
        let since = std::mem::take(&mut self.since);
        self.write(&Message::Stats(StatsRecord::of(world, report, &since)))
    }

    /// Ends the recording and gives the files their names, which are returned. Without it nothing is left of the recording.
    ///
    /// # Errors
    /// A file that cannot be written or renamed.
    pub fn finish(self) -> Result<Vec<PathBuf>, RecordError> {
        match self.sink {
            Sink::Mcap(file) => Ok(vec![file.finish()?]),
            Sink::Csv(file) => file.finish(),
        }
    }

    fn write(&mut self, message: &Message) -> Result<(), RecordError> {
        match &mut self.sink {
            Sink::Mcap(file) => file.write(message),
            Sink::Csv(file) => file.write(message),
        }
    }
}
