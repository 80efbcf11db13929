//! Runs a campaign of any kind: trials spread over threads in chunks, a log to go on from, failures as files, a table.
//!
//! Trial i belongs to row i mod rows and draws from a generator of its own, so that what is found depends on the seed alone: not on
//! threads, chunks or interruptions.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};

use super::families::Rng;
use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_formats::write::{make_folder, write_whole_in_folder};

/// Trials of a chunk: a fraction of a second, which is all that a killed run loses.
const TRIALS_PER_CHUNK: usize = 200;

/// A kind of campaign.
pub(crate) trait Kind: Sync {
    /// Buffers of a thread.
    type Worker;
    /// Name in logs and files.
    fn name(&self) -> &'static str;
    /// Names of the rows of the table.
    fn rows(&self) -> Vec<String>;
    /// What may become of a trial; the first [`Self::fine`] of them are no failures.
    fn columns(&self) -> &'static [&'static str];
    /// How many columns are no failures.
    fn fine(&self) -> usize;
    /// What the figure of a trial is.
    fn figure(&self) -> &'static str;
    /// Buffers for a thread.
    fn worker(&self) -> Result<Self::Worker, BadInput>;
    /// Makes and tries a problem of a row.
    fn attempt(&self, worker: &mut Self::Worker, row: usize, rng: &mut Rng) -> Result<Trial, BadInput>;
}

/// What became of one trial.
#[derive(Debug, Clone)]
pub(crate) struct Trial {
    /// Which column it belongs to.
    pub(crate) column: usize,
    /// Residual, difference or whatever the kind measures.
    pub(crate) figure: f64,
    /// Time that solving took.
    pub(crate) time: Duration,
    /// The problem file of a failure.
    pub(crate) file: Option<serde_json::Value>,
}

/// Counts of a row.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// One a column.
    pub(crate) counts: Vec<usize>,
    /// Largest figure of the trials that are no failures.
    pub(crate) worst: f64,
    /// Time of all trials [s].
    pub(crate) seconds: f64,
    /// Time of the longest [s].
    pub(crate) longest: f64,
}

impl Row {
    fn add(&mut self, trial: &Trial, fine: usize) {
        self.counts[trial.column] += 1;
        if trial.column < fine {
            self.worst = self.worst.max(trial.figure);
        }
        let seconds = trial.time.as_secs_f64();
        self.seconds += seconds;
        self.longest = self.longest.max(seconds);
    }

    fn merge(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.worst = self.worst.max(other.worst);
        self.seconds += other.seconds;
        self.longest = self.longest.max(other.longest);
    }

    fn trials(&self) -> usize {
        self.counts.iter().sum()
    }
}

/// First line of a log: a run with another one does not go on with it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    campaign: String,
    version: String,
    seed: u64,
    rows: Vec<String>,
    columns: Vec<String>,
}

impl Header {
    /// Says what a file is that begins in another way.
    fn refuse(&self, first: &[u8]) -> BadInput {
        let found = match serde_json::from_slice::<Self>(first) {
            Ok(other) if other.campaign == self.campaign && other.seed == self.seed => {
                format!("one of version {} with other rows or columns", other.version)
            }
            Ok(other) => format!("that of {} with seed {}", other.campaign, other.seed),
            Err(_) => "another file".to_owned(),
        };
        BadInput::whole(format!(
            "must be the log of campaign {} with seed {}, found {found}",
            self.campaign, self.seed
        ))
    }
}

/// A finished chunk: a line of the log.
#[derive(Debug, Serialize, Deserialize)]
struct Chunk {
    start: usize,
    end: usize,
    rows: Vec<Row>,
}

/// What every campaign is asked.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Settings {
    /// Trials in all, spread evenly over the rows of the table
    #[arg(long, value_name = "K")]
    pub(crate) count: Option<usize>,
    /// Seed: the same seed gives the same problems
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Threads; default: one a processor
    #[arg(long, value_name = "T")]
    pub(crate) threads: Option<usize>,
    /// Write every finished part to this file, and go on from what it holds
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// Write every failure as a problem file into this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) failures: Option<PathBuf>,
}

impl Settings {
    /// Settings of a short run in tests: no files, one thread.
    #[cfg(test)]
    pub(crate) fn of(count: usize, seed: u64) -> Self {
        Self {
            count: Some(count),
            seed,
            threads: Some(1),
            log: None,
            failures: None,
        }
    }
}

/// What a campaign found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    names: Vec<String>,
    columns: &'static [&'static str],
    figure: &'static str,
    pub(crate) fine: usize,
    /// One a row of the table.
    pub(crate) rows: Vec<Row>,
}

impl Found {
    fn new<K: Kind>(kind: &K) -> Self {
        let (names, columns) = (kind.rows(), kind.columns());
        let row = Row {
            counts: vec![0; columns.len()],
            ..Row::default()
        };
        Self {
            rows: vec![row; names.len()],
            names,
            columns,
            figure: kind.figure(),
            fine: kind.fine(),
        }
    }

    /// Rows with their names.
    #[cfg(test)]
    pub(crate) fn named_rows(&self) -> impl Iterator<Item = (&String, &Row)> {
        self.names.iter().zip(&self.rows)
    }

    /// Trials in a column.
    pub(crate) fn total(&self, column: usize) -> usize {
        self.rows.iter().map(|row| row.counts[column]).sum()
    }

    /// Whether nothing failed.
    pub(crate) fn is_clean(&self) -> bool {
        (self.fine..self.columns.len()).all(|column| self.total(column) == 0)
    }

    /// The table, in Markdown, and a line of totals.
    pub(crate) fn table(&self) -> String {
        let (mut text, heads) = (String::new(), self.columns.join(" | "));
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "| family | trials | {heads} | {} | mean ms | longest ms |",
            self.figure
        );
        let _ = writeln!(text, "|{}", "---|".repeat(self.columns.len() + 5));
        for (name, row) in self.names.iter().zip(&self.rows) {
            let counts: Vec<String> = row.counts.iter().map(ToString::to_string).collect();
            let trials = row.trials();
            let _ = writeln!(
                text,
                "| {name} | {trials} | {} | {:.1e} | {:.3} | {:.1} |",
                counts.join(" | "),
                row.worst,
                1e3 * row.seconds / trials.max(1) as f64,
                1e3 * row.longest
            );
        }
        let trials: usize = self.rows.iter().map(Row::trials).sum();
        let totals = self.columns.iter().enumerate();
        let totals: Vec<String> = totals
            .map(|(column, name)| format!("{} {name}", self.total(column)))
            .collect();
        let _ = writeln!(text, "\n{trials} trials: {}", totals.join(", "));
        text
    }
}

/// Most problems of a campaign.
const MAX_PROBLEMS: usize = 1_000_000_000;

/// Runs a campaign as a command.
pub(crate) fn command<K: Kind>(kind: &K, settings: &Settings, default_count: usize) -> Result<Outcome, BadInput> {
    let start = Instant::now();
    let found = run(kind, settings, default_count)?;
    let text = format!("{}{:.1} s in all\n", found.table(), start.elapsed().as_secs_f64());
    Ok(Outcome::new(text, found.is_clean()))
}

/// Runs a campaign.
pub(crate) fn run<K: Kind>(kind: &K, settings: &Settings, default_count: usize) -> Result<Found, BadInput> {
    let count = settings.count.unwrap_or(default_count);
    if settings.count.is_some() && !(1..=MAX_PROBLEMS).contains(&count) {
        return Err(BadInput::whole(format!(
            "--count: must lie between 1 and {MAX_PROBLEMS}, found {count}"
        )));
    }
    let threads = threads(settings.threads)?;
    if let Some(folder) = &settings.failures {
        // Before the work, not at the first failure.
        make_folder(folder)?;
    }
    let mut found = Found::new(kind);
    let mut log = settings
        .log
        .as_deref()
        .map(|path| Log::open(kind, settings.seed, path))
        .transpose()?;
    let done = log
        .as_mut()
        .map(|log| std::mem::take(&mut log.done))
        .unwrap_or_default();
    let mut left = Vec::new();
    for start in (0..count).step_by(TRIALS_PER_CHUNK) {
        let end = (start + TRIALS_PER_CHUNK).min(count);
        let is_enough = |chunk: &&Chunk| {
            // Failures of an earlier run are looked for again where their files are requested.
            let failed = || {
                chunk
                    .rows
                    .iter()
                    .flat_map(|row| &row.counts[found.fine..])
                    .any(|n| *n > 0)
            };
            chunk.end == end && !(settings.failures.is_some() && failed())
        };
        match done.get(&start).filter(is_enough) {
            Some(chunk) => merge(&mut found, chunk),
            None => left.push((start, end)),
        }
    }
    let bar = bar(kind.name(), count)?;
    bar.set_position((count - left.iter().map(|(start, end)| end - start).sum::<usize>()) as u64);
    work(kind, settings, threads, &left, |chunk| {
        if let Some(log) = &mut log {
            log.write(chunk)?;
        }
        merge(&mut found, chunk);
        bar.inc((chunk.end - chunk.start) as u64);
        let failures: usize = (found.fine..found.columns.len())
            .map(|column| found.total(column))
            .sum();
        bar.set_message(format!("{failures} failures"));
        Ok(())
    })?;
    bar.finish_and_clear();
    Ok(found)
}

fn merge(found: &mut Found, chunk: &Chunk) {
    for (row, more) in found.rows.iter_mut().zip(&chunk.rows) {
        row.merge(more);
    }
}

fn threads(given: Option<usize>) -> Result<usize, BadInput> {
    match given {
        Some(0) => Err(BadInput::new("threads", "must be at least 1, found 0")),
        Some(threads) => Ok(threads.min(256)),
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
    }
}

fn bar(name: &'static str, count: usize) -> Result<ProgressBar, BadInput> {
    let template = "{prefix} {bar:40} {pos} of {len}, {per_sec}, {eta} left, {msg}";
    let style =
        ProgressStyle::with_template(template).map_err(|error| BadInput::whole(format!("internal: {error}")))?;
    Ok(ProgressBar::new(count as u64).with_style(style).with_prefix(name))
}

/// Runs chunks on threads; `take` hears of each as it ends, in any order.
fn work<K: Kind>(
    kind: &K,
    settings: &Settings,
    threads: usize,
    chunks: &[(usize, usize)],
    mut take: impl FnMut(&Chunk) -> Result<(), BadInput>,
) -> Result<(), BadInput> {
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads.min(chunks.len()) {
            let (send, next, stop) = (send.clone(), &next, &stop);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let Some(&(start, end)) = chunks.get(next.fetch_add(1, Ordering::Relaxed)) else {
                        return;
                    };
                    // Nobody listens once an error has ended the campaign.
                    if send.send(run_chunk(kind, settings, start, end)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let ended = receive.iter().try_for_each(|chunk| take(&chunk?));
        stop.store(true, Ordering::Relaxed);
        ended
    })
}

fn run_chunk<K: Kind>(kind: &K, settings: &Settings, start: usize, end: usize) -> Result<Chunk, BadInput> {
    let mut part = Found::new(kind);
    // Fresh buffers for each chunk: what a thread solved before must not matter.
    let mut worker = kind.worker()?;
    for index in start..end {
        let row = index % part.rows.len();
        let mut rng = Rng::of(settings.seed, index as u64);
        let trial = kind.attempt(&mut worker, row, &mut rng)?;
        if let (Some(folder), Some(file)) = (&settings.failures, &trial.file) {
            let name = format!("{}-{}-{index}.json", kind.name(), settings.seed);
            write_whole_in_folder(&folder.join(name), format!("{file}\n"))?;
        }
        part.rows[row].add(&trial, part.fine);
    }
    let rows = part.rows;
    Ok(Chunk { start, end, rows })
}

/// Finished chunks on disk, a line of JSON each.
struct Log {
    path: PathBuf,
    file: std::fs::File,
    done: BTreeMap<usize, Chunk>,
}

impl Log {
    /// Opens a log, or begins one. A last line that was cut short is dropped.
    fn open<K: Kind>(kind: &K, seed: u64, path: &Path) -> Result<Self, BadInput> {
        let header = Header {
            campaign: kind.name().to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed,
            rows: kind.rows(),
            columns: kind.columns().iter().map(ToString::to_string).collect(),
        };
        let header_text =
            serde_json::to_string(&header).map_err(|error| BadInput::whole(format!("internal: {error}")))?;
        let refused = |error: std::io::Error| BadInput::whole(format!("cannot be opened, {error}")).in_file(path);
        if path.exists() && !path.is_file() {
            // Whoever reads a pipe may wait for ever.
            return Err(BadInput::whole("must be a regular file").in_file(path));
        }
        let text = if path.exists() {
            std::fs::read(path).map_err(refused)?
        } else {
            Vec::new()
        };
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let mut lines = text[..whole]
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        let begun = match lines.next() {
            // A header that was cut short.
            None if header_text.as_bytes().starts_with(&text) => false,
            Some(first) if first == header_text.as_bytes() => true,
            first => return Err(header.refuse(first.unwrap_or_default()).in_file(path)),
        };
        let shape = |chunk: &Chunk| {
            let rows = chunk.rows.len() == header.rows.len();
            let trials: usize = chunk.rows.iter().flat_map(|row| &row.counts).sum();
            let whole = chunk.start.checked_add(trials) == Some(chunk.end);
            rows && whole && chunk.rows.iter().all(|row| row.counts.len() == header.columns.len())
        };
        let chunks = lines.filter_map(|line| serde_json::from_slice::<Chunk>(line).ok());
        let done = chunks.filter(shape).map(|chunk| (chunk.start, chunk)).collect();
        let file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(refused)?;
        file.set_len(whole as u64).map_err(refused)?;
        let mut log = Self {
            path: path.to_owned(),
            file,
            done,
        };
        if !begun {
            log.line(&header)?;
        }
        Ok(log)
    }

    fn write(&mut self, chunk: &Chunk) -> Result<(), BadInput> {
        self.line(chunk)
    }

    fn line(&mut self, value: &impl Serialize) -> Result<(), BadInput> {
        let text = serde_json::to_string(value).map_err(|error| BadInput::whole(format!("internal: {error}")))?;
        let written = self.file.write_all(format!("{text}\n").as_bytes());
        written.map_err(|error| BadInput::whole(format!("cannot be written, {error}")).in_file(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_formats::temporary::TemporaryFolder;

    /// Fails on every trial whose number is small.
    struct Toy;

    impl Kind for Toy {
        type Worker = ();
        fn name(&self) -> &'static str {
            "toy"
        }
        fn rows(&self) -> Vec<String> {
            vec!["a".into(), "b".into()]
        }
        fn columns(&self) -> &'static [&'static str] {
            &["fine", "bad"]
        }
        fn fine(&self) -> usize {
            1
        }
        fn figure(&self) -> &'static str {
            "figure"
        }
        fn worker(&self) -> Result<(), BadInput> {
            Ok(())
        }
        fn attempt(&self, (): &mut (), _: usize, rng: &mut Rng) -> Result<Trial, BadInput> {
            let figure = rng.uniform(0.0, 1.0);
            let bad = figure < 0.01;
            Ok(Trial {
                column: usize::from(bad),
                figure,
                time: Duration::ZERO,
                file: bad.then(|| serde_json::json!({ "figure": figure })),
            })
        }
    }

    #[test]
    fn threads_and_a_cut_log_give_what_one_run_gives() {
        let folder = TemporaryFolder::new().unwrap();
        let log = folder.path().join("log");
        let whole = run(&Toy, &Settings::of(2100, 3), 0).unwrap();
        assert!(whole.total(1) > 5 && !whole.is_clean());
        let mut settings = Settings {
            threads: Some(3),
            log: Some(log.clone()),
            failures: Some(folder.path().join("failures")),
            ..Settings::of(1000, 3)
        };
        run(&Toy, &settings, 0).unwrap();
        // As a killed run leaves it.
        let text = std::fs::read(&log).unwrap();
        std::fs::write(&log, &text[..text.len() - 20]).unwrap();
        settings.count = Some(2100);
        assert_eq!(run(&Toy, &settings, 0).unwrap().rows, whole.rows);
        assert_eq!(run(&Toy, &settings, 0).unwrap().rows, whole.rows);
        let files = std::fs::read_dir(folder.path().join("failures")).unwrap().count();
        assert_eq!(files, whole.total(1));
        // A finished log and another folder.
        settings.failures = Some(folder.path().join("again"));
        assert_eq!(run(&Toy, &settings, 0).unwrap().rows, whole.rows);
        let files = std::fs::read_dir(folder.path().join("again")).unwrap().count();
        assert_eq!(files, whole.total(1));
        settings.seed = 4;
        let refused = run(&Toy, &settings, 0).unwrap_err().to_string();
        assert!(
            refused.contains("with seed 4, found that of toy with seed 3"),
            "{refused}"
        );
        settings.failures = Some(log);
        let refused = run(&Toy, &settings, 0).unwrap_err().to_string();
        assert!(refused.contains("cannot be made"), "{refused}");
    }

    #[test]
    fn a_file_that_is_no_log_is_left_as_it_is() {
        let folder = TemporaryFolder::new().unwrap();
        let log = folder.path().join("results.json");
        let settings = Settings {
            log: Some(log.clone()),
            ..Settings::of(10, 3)
        };
        for text in ["{\"a\":1}", "{\"campaign\": \"notes\"}", "1 2 3\n"] {
            std::fs::write(&log, text).unwrap();
            let refused = run(&Toy, &settings, 0).err().unwrap().to_string();
            assert!(
                refused.contains("must be the log of campaign toy with seed 3"),
                "{refused}"
            );
            assert_eq!(std::fs::read_to_string(&log).unwrap(), text);
        }
        for count in [0, usize::MAX] {
            let refused = run(&Toy, &Settings::of(count, 3), 0).err().unwrap().to_string();
            assert!(refused.contains(&format!("found {count}")), "{refused}");
        }
    }
}
