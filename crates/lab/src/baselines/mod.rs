//! Ways of solving the same problems, measured against each other: what the judge says of every answer, and how long each takes.

pub(crate) mod dense;
pub(crate) mod ours;
pub(crate) mod qp;
pub(crate) mod report;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use stiction_contact::ContactProblem;

use stiction_answers::timing::{median, quantile, time_us};
use stiction_formats::BadInput;
use stiction_formats::markup::PALETTE;
use stiction_formats::write::{make_folder, write_whole};
use stiction_show::chart::{Panel, Point, Series, exponent, png, svg};

/// A row stops trying further problems after this long; the table says how many were tried.
const ROW_TIMEOUT: Duration = Duration::from_secs(10);

/// A way of solving: its name, and what its time holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Way {
    /// Name in tables and figures.
    pub(crate) name: &'static str,
    /// Second line of the label in figures.
    pub(crate) note: &'static str,
    /// What the time holds, in words.
    pub(crate) holds: &'static str,
    /// One of our own methods: its answers must be verified.
    pub(crate) ours: bool,
}

impl Way {
    /// One of our own methods.
    pub(crate) const fn ours(name: &'static str, note: &'static str) -> Self {
        Self {
            name,
            note,
            holds: "all from the contact problem: formulation, method and judge",
            ours: true,
        }
    }

    /// What they are compared with.
    pub(crate) const fn other(name: &'static str, note: &'static str, holds: &'static str) -> Self {
        Self {
            name,
            note,
            holds,
            ours: false,
        }
    }
}

/// What came out of one solve.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    /// Whether the judge accepts the answer.
    pub(crate) verified: bool,
    /// How it ended otherwise.
    pub(crate) ending: String,
    /// Residual, by the judge where the way answers a contact problem.
    pub(crate) residual: f64,
    /// Pivots, or iterations of an interior-point method.
    pub(crate) steps: usize,
    /// Contacts that push.
    pub(crate) active: usize,
    /// Runs of another method after the first, and hand-overs within a run.
    pub(crate) others: usize,
}

/// Someone who solves contact problems, timed.
pub(crate) trait Contender {
    /// What is not timed.
    fn prepare(&mut self, _problem: &ContactProblem) -> Result<(), BadInput> {
        Ok(())
    }

    /// The timed call. The problem is mutable so that caches can be invalidated.
    fn solve(&mut self, problem: &mut ContactProblem) -> Result<(), BadInput>;

    /// The same with a cached geometry, if that takes another time: only loads have changed.
    fn solve_again(&mut self, problem: &mut ContactProblem) -> Result<(), BadInput> {
        self.solve(problem)
    }

    /// What came out of the last solve.
    fn found(&mut self, problem: &ContactProblem) -> Result<Found, BadInput>;
}

/// One geometry under several loads.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    /// Name in tables.
    pub(crate) name: String,
    /// What it belongs to: one line of a figure.
    pub(crate) family: &'static str,
    /// Size within its family: x in a figure.
    pub(crate) size: usize,
    /// The problem under each load.
    pub(crate) problems: Vec<ContactProblem>,
}

/// One case solved in one way.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) case: String,
    pub(crate) family: &'static str,
    pub(crate) size: usize,
    pub(crate) bodies: usize,
    pub(crate) coordinates: usize,
    pub(crate) contacts: usize,
    pub(crate) way: Way,
    /// Problems tried and those whose answer the judge accepts.
    pub(crate) tried: usize,
    pub(crate) verified: usize,
    /// How the others ended, with their number.
    pub(crate) failures: BTreeMap<String, usize>,
    /// Largest residual of all answers.
    pub(crate) worst: f64,
    /// Time [us] over the problems tried: least, quartiles.
    pub(crate) least_us: f64,
    pub(crate) quartiles_us: [f64; 3],
    /// Median time with a cached geometry [us].
    pub(crate) again_us: f64,
    pub(crate) mean_steps: f64,
    pub(crate) most_steps: usize,
    pub(crate) mean_active: f64,
    pub(crate) others: usize,
}

impl Row {
    pub(crate) fn median_us(&self) -> f64 {
        self.quartiles_us[1]
    }

    /// Whether its time may be compared: that of our own methods only where every answer was accepted.
    fn counts(&self) -> bool {
        !self.way.ours || self.is_clean()
    }

    /// Whether every answer was accepted.
    pub(crate) fn is_clean(&self) -> bool {
        self.verified == self.tried && self.tried > 0
    }
}

/// Solves the problems of a case in several ways, problem after problem, so that other work on the machine slows all ways alike.
pub(crate) fn measure(case: &Case, contenders: Vec<(Way, Box<dyn Contender>)>) -> Result<Vec<Row>, BadInput> {
    let mut runs: Vec<Run> = contenders.into_iter().map(Run::new).collect();
    for problem in &case.problems {
        for run in &mut runs {
            run.solve(problem)?;
        }
    }
    Ok(runs.into_iter().map(|run| run.row(case)).collect())
}

/// What one way has done so far.
struct Run {
    way: Way,
    contender: Box<dyn Contender>,
    spent: Duration,
    times: Vec<f64>,
    again: Vec<f64>,
    found: Vec<Found>,
}

impl Run {
    fn new((way, contender): (Way, Box<dyn Contender>)) -> Self {
        Self {
            way,
            contender,
            spent: Duration::ZERO,
            times: Vec::new(),
            again: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Solves and times one more problem, unless the row has had its time.
    fn solve(&mut self, problem: &ContactProblem) -> Result<(), BadInput> {
        if self.spent > ROW_TIMEOUT {
            return Ok(());
        }
        let (started, contender) = (Instant::now(), &mut self.contender);
        let mut problem = problem.clone();
        contender.prepare(&problem)?;
        // Buffers grow before the clock starts.
        contender.solve(&mut problem)?;
        let start = Instant::now();
        contender.solve(&mut problem)?;
        let once = start.elapsed();
        self.found.push(contender.found(&problem)?);
        self.times.push(time_us(once, || contender.solve(&mut problem))?);
        if self.way.ours {
            self.again.push(time_us(once, || contender.solve_again(&mut problem))?);
        }
        self.spent += started.elapsed();
        Ok(())
    }

    fn row(self, case: &Case) -> Row {
        let Self {
            way,
            mut times,
            again,
            found,
            ..
        } = self;
        times.sort_by(f64::total_cmp);
        let mut failures = BTreeMap::new();
        for found in found.iter().filter(|found| !found.verified) {
            *failures.entry(found.ending.clone()).or_default() += 1;
        }
        let tried = found.len();
        let mean = |count: fn(&Found) -> usize| found.iter().map(count).sum::<usize>() as f64 / tried as f64;
        let first = case.problems.first();
        Row {
            case: case.name.clone(),
            family: case.family,
            size: case.size,
            bodies: first.map_or(0, ContactProblem::block_count),
            coordinates: first.map_or(0, ContactProblem::dof),
            contacts: first.map_or(0, ContactProblem::contact_count),
            way,
            tried,
            verified: found.iter().filter(|found| found.verified).count(),
            failures,
            worst: found.iter().fold(0.0_f64, |worst, found| worst.max(found.residual)),
            least_us: times.first().copied().unwrap_or(f64::NAN),
            quartiles_us: [0.25, 0.5, 0.75].map(|share| quantile(&times, share)),
            again_us: median(again),
            mean_steps: mean(|found| found.steps),
            most_steps: found.iter().map(|found| found.steps).max().unwrap_or(0),
            mean_active: mean(|found| found.active),
            others: found.iter().map(|found| found.others).sum(),
        }
    }
}

/// Whether every answer of our own methods was accepted.
pub(crate) fn all_clean(rows: &[Row]) -> bool {
    rows.iter().filter(|row| row.way.ours).all(Row::is_clean)
}

/// Median time of a way at a size of a family over that of another: how many times slower it is. `None` where one was not run, or
/// is ours and not all of its answers were accepted.
pub(crate) fn ratio(rows: &[Row], family: &str, size: usize, slow: &str, fast: &str) -> Option<f64> {
    ratio_of(rows, family, size, [slow, fast], Row::median_us)
}

/// The same with a cached geometry.
pub(crate) fn ratio_again(rows: &[Row], family: &str, size: usize, slow: &str, fast: &str) -> Option<f64> {
    ratio_of(rows, family, size, [slow, fast], |row| row.again_us)
}

fn ratio_of(rows: &[Row], family: &str, size: usize, [slow, fast]: [&str; 2], time: fn(&Row) -> f64) -> Option<f64> {
    let time = |way: &str| {
        let row = rows
            .iter()
            .find(|row| row.family == family && row.size == size && row.way.name == way && row.counts())?;
        Some(time(row))
    };
    Some(time(slow)? / time(fast)?)
}

/// Lines of a figure: one a way, a point for each size of the family. Ways beyond the colours are skipped.
pub(crate) fn series(rows: &[Row], family: &str, ways: &[Way], fit_from: f64) -> Vec<Series> {
    let mut all = Vec::new();
    for (way, colour) in ways.iter().zip(PALETTE) {
        let points: Vec<Point> = rows
            .iter()
            .filter(|row| row.family == family && row.way == *way && row.median_us() > 0.0)
            .map(|row| Point {
                x: row.size as f64,
                quartiles: row.quartiles_us,
                whole: row.is_clean(),
            })
            .collect();
        if !points.is_empty() {
            all.push(Series {
                name: way.name.to_owned(),
                note: way.note.to_owned(),
                exponent: exponent(&points, fit_from),
                colour,
                points,
            });
        }
    }
    all
}

/// Writes NAME.csv, NAME.svg and NAME.png.
pub(crate) fn write(folder: &Path, name: &str, rows: &[Row], panels: &[Panel]) -> Result<(), BadInput> {
    make_folder(folder)?;
    let drawn = svg(panels);
    let files: [(&str, Vec<u8>); 3] = [
        ("csv", report::csv(rows).into_bytes()),
        ("png", png(&drawn)?),
        ("svg", drawn.into_bytes()),
    ];
    for (ending, bytes) in files {
        write_whole(&folder.join(format!("{name}.{ending}")), bytes)?;
    }
    Ok(())
}
