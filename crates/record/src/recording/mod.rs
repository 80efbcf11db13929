//! Recordings: what happened in a run, step by step, as a file.
//!
//! World and [`StepReport`] → [`Message`] → a file: MCAP (`run.mcap`), which holds everything and is read back by [`Recording`], or CSV for
//! spreadsheets. Files grow by whole pieces, so that a run that dies leaves a recording which ends a moment before. The format is described in
//! `docs/reference/recording.md`.

mod binary;
mod contacts;
mod csv_file;
mod due;
mod error;
mod fields;
mod framing;
mod growing;
mod mcap_file;
mod message;
mod read;
mod schema;

use std::path::{Path, PathBuf};

pub use error::RecordError;
pub use message::{
    BodyRecord, ContactRecord, ContactsRecord, FrameRecord, JointRecord, Message, PartRecord, PosesRecord,
    RopePointRecord, ShapeRecord, StatsRecord, WorldRecord,
};
pub use read::{Recording, Unfinished};

use csv_file::CsvFile;
use mcap_file::McapFile;
use stiction_sim::{StepReport, Work, World};

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
/// use stiction_record::{Message, RecordOptions, Recorder, Recording};
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
    /// None after the end.
    sink: Option<Sink>,
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
    /// Steps made in parts.
    pub split: usize,
    /// Sum of all work.
    pub work: Work,
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
        self.split += usize::from(report.parts > 1);
        self.work += report.work;
        self.residual = self.residual.max(report.residual);
        self.penetration = self.penetration.max(report.depth);
    }
}

impl Recorder {
    /// Begins a recording of a world as it stands: its bodies and their poses are written at once, under the name that was requested. An earlier
    /// file of that name is set aside as `NAME.earlier.mcap` until this recording is complete. The form follows from the path:
    /// `NAME.mcap`; `NAME.csv` (poses; `NAME.contacts.csv` and `NAME.stats.csv` beside it); a folder that exists, for `poses.csv`,
    /// `contacts.csv` and `stats.csv` in it.
    ///
    /// # Errors
    /// A path that ends otherwise, a file that cannot be written.
    pub fn create(path: impl AsRef<Path>, world: &World, options: RecordOptions) -> Result<Self, RecordError> {
        let mut recorder = Self {
            sink: Some(Sink::create(path.as_ref())?),
            options,
            revision: world.revision(),
            since: Since::default(),
        };
        recorder.write(&Message::World(WorldRecord::of(world)))?;
        recorder.write(&Message::Poses(PosesRecord::of(world)))?;
        if let Some(sink) = &mut recorder.sink {
            sink.begin()?;
        }
        Ok(recorder)
    }

    /// Records a step that was just made, if it is one of those to be written. What is in the file lags behind by less than 0.5 s of simulated time,
    /// 500 steps and a second of the clock.
    ///
    /// # Errors
    /// A file that cannot be written: [`RecordError::Stopped`], which says what is kept. Nothing more can be recorded then.
    pub fn record(&mut self, world: &World, report: &StepReport) -> Result<(), RecordError> {
        self.since.add(report);
        if !world.state().step.is_multiple_of(self.options.every.max(1)) {
            return Ok(());
        }
        if world.revision() != self.revision {
            self.revision = world.revision();
            self.write(&Message::World(WorldRecord::of(world)))?;
        }
        self.write(&Message::Poses(PosesRecord::of(world)))?;
        if self.options.contacts {
            self.write(&Message::Contacts(ContactsRecord::recorded(world)))?;
        }
        let since = std::mem::take(&mut self.since);
        self.write(&Message::Stats(StatsRecord::of(world, report, &since)))
    }

    /// Ends the recording and returns its files. Without it the recording has no end mark.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish(mut self) -> Result<Vec<PathBuf>, RecordError> {
        self.sink.take().map_or(Ok(Vec::new()), Sink::finish)
    }

    /// Writes messages that were recorded before as another file, whose form follows from the path as in [`Recorder::create`]; returns
    /// the files. They get their names when they are complete.
    ///
    /// # Errors
    /// A message that cannot be read; a path that ends otherwise, a file that cannot be written.
    pub fn copy(
        path: impl AsRef<Path>,
        messages: impl IntoIterator<Item = Result<Message, RecordError>>,
    ) -> Result<Vec<PathBuf>, RecordError> {
        let mut sink = Sink::create(path.as_ref())?;
        for message in messages {
            sink.write(&message?)?;
        }
        sink.finish()
    }

    fn write(&mut self, message: &Message) -> Result<(), RecordError> {
        self.sink.as_mut().map_or(Ok(()), |sink| sink.write(message))
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if let Some(sink) = &mut self.sink {
            sink.abandon();
        }
    }
}

impl Sink {
    fn create(path: &Path) -> Result<Self, RecordError> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        Ok(match extension.as_deref() {
            _ if path.is_dir() => Self::Csv(Box::new(CsvFile::create(&csv_file::in_folder(path))?)),
            Some("mcap") => Self::Mcap(Box::new(McapFile::create(path)?)),
            Some("csv") => Self::Csv(Box::new(CsvFile::create(&csv_file::beside(path))?)),
            _ => return Err(RecordError::Name { path: path.to_owned() }),
        })
    }

    fn write(&mut self, message: &Message) -> Result<(), RecordError> {
        match self {
            Self::Mcap(file) => file.write(message),
            Self::Csv(file) => file.write(message),
        }
    }

    /// The files get their names.
    fn begin(&mut self) -> Result<(), RecordError> {
        match self {
            Self::Mcap(file) => file.begin(),
            Self::Csv(file) => file.begin(),
        }
    }

    /// Writes what there is.
    fn abandon(&mut self) {
        match self {
            Self::Mcap(file) => file.abandon(),
            Self::Csv(file) => file.abandon(),
        }
    }

    fn finish(self) -> Result<Vec<PathBuf>, RecordError> {
        match self {
            Self::Mcap(file) => Ok(vec![file.finish()?]),
            Self::Csv(file) => file.finish(),
        }
    }
}
