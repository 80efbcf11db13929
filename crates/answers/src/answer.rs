//! Answers as JSON: written for every solve, read from anyone by `check`.

use std::path::Path;

use serde::Serialize;
use std::time::Instant;
use stiction_lcp::{Certificate, Method, Run, Solution, Status};
use stiction_lcp::{Options, Solver, exact};

use crate::prove::Report;
use crate::timing::{microseconds, quantile};
use stiction_formats::bad_input::BadInput;
use stiction_formats::read::json::{self, Fields};
use stiction_formats::read::{Problem, read_bytes, text};

/// The answer to an LCP or MLCP, as the contract lays it down.
#[derive(Debug, Serialize)]
pub struct Answer<'a> {
    kind: &'static str,
    name: &'a str,
    status: &'static str,
    /// Of an answer that is solved.
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy: Option<&'static str>,
    z: &'a [f64],
    w: &'a [f64],
    residual: f64,
    /// The same with rounding excused.
    residual_excused: f64,
    proven: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<Evidence<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<&'a Report>,
    stats: Numbers,
}

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Evidence<'a> {
    Farkas { y: &'a [String] },
    Exhaustion { cones: u64 },
    Ray { direction: &'a [f64] },
}

/// What the solve cost and how good its answer is.
#[derive(Debug, Serialize)]
struct Numbers {
    pivots: usize,
    time_us: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_min_us: Option<f64>,
    method: Option<&'static str>,
    methods: Vec<Attempt>,
    fallbacks: usize,
    factorizations: usize,
    natural_residual: f64,
    backward_error: f64,
    complementarity: f64,
}

#[derive(Debug, Serialize)]
struct Attempt {
    method: &'static str,
    status: &'static str,
    pivots: usize,
}

impl From<&Run> for Attempt {
    fn from(run: &Run) -> Self {
        Self {
            method: run.method.name(),
            status: run.status.name(),
            pivots: run.pivots,
        }
    }
}

/// A solution with the time it took \[µs\]; the least time only when several solves were measured.
#[derive(Debug, Clone)]
pub struct Timed {
    /// The answer.
    pub solution: Solution,
    /// Time of a solve, the median where it was repeated \[µs\].
    pub time_us: f64,
    /// Least time \[µs\].
    pub time_min_us: Option<f64>,
    /// The proof, when one was requested.
    pub proof: Option<Report>,
}

impl Timed {
    /// Whether it is solved.
    #[must_use]
    pub fn solved(&self) -> bool {
        self.solution.status == Status::Solved
    }
}

impl<'a> Answer<'a> {
    /// The answer to the problem of this name.
    pub fn new(name: &'a str, timed: &'a Timed) -> Self {
        let solution = &timed.solution;
        let certificate = match &solution.certificate {
            Some(Certificate::Farkas { y }) => Some(Evidence::Farkas { y }),
            Some(Certificate::Exhaustion { cones }) => Some(Evidence::Exhaustion { cones: *cones }),
            Some(Certificate::Ray { direction }) => Some(Evidence::Ray { direction }),
            _ => None,
        };
        let stats = &solution.stats;
        Self {
            kind: "lcp-solution",
            name,
            status: solution.status.name(),
            accuracy: timed.solved().then(|| solution.residual.accuracy.name()),
            z: &solution.z,
            w: &solution.w,
            residual: solution.residual.relative,
            residual_excused: solution.residual.excused,
            proven: timed.proof.as_ref().map_or(solution.proven(), |proof| proof.proven),
            certificate,
            proof: timed.proof.as_ref(),
            stats: Numbers {
                pivots: stats.pivots,
                time_us: timed.time_us,
                time_min_us: timed.time_min_us,
                method: stats.method().map(Method::name),
                methods: stats.runs.iter().map(Attempt::from).collect(),
                fallbacks: stats.fallbacks(),
                factorizations: stats.factorizations,
                natural_residual: solution.residual.natural,
                backward_error: solution.residual.backward,
                complementarity: solution.residual.complementarity,
            },
        }
    }
}

/// What `check` takes from an answer: z, and the status it claims.
#[derive(Debug)]
pub struct Claim {
    /// The variables.
    pub z: Vec<f64>,
    /// What the answer says of itself.
    pub status: Option<String>,
    /// The Farkas vector of an answer that says infeasible.
    pub farkas: Option<Vec<String>>,
}

/// Reads an answer object, or a bare list z. Fields of other people's answers are passed over.
pub fn read_claim(path: &Path) -> Result<Claim, BadInput> {
    let bytes = read_bytes(path)?;
    parse_claim(&bytes).map_err(|bad| bad.in_file(path))
}

fn parse_claim(bytes: &[u8]) -> Result<Claim, BadInput> {
    let raw = json::parse(text(bytes)?)?;
    if raw.get().starts_with('[') {
        let z = json::numbers(raw, "z")?;
        return Ok(Claim {
            z,
            status: None,
            farkas: None,
        });
    }
    let fields = Fields::read(raw, "")?;
    let status = fields
        .given("status")
        .map(|raw| json::string(raw, "status"))
        .transpose()?;
    let z = json::numbers(fields.need("z")?, "z")?;
    let farkas = match fields.given("certificate") {
        Some(raw) => Fields::read(raw, "certificate")?
            .get("y")
            .map(|raw| json::decimals(raw, "certificate.y"))
            .transpose()?,
        None => None,
    };
    Ok(Claim { z, status, farkas })
}

/// Whether y is a Farkas vector of the problem's doubles. Bounds other than z ≥ 0 and none at all have no such vector here.
#[must_use]
pub fn proves_infeasible(problem: &Problem, y: &[String]) -> bool {
    let view = problem.view();
    let free: Vec<bool> = (0..view.q.len())
        .map(|i| view.bounds.of(i) == (f64::NEG_INFINITY, f64::INFINITY))
        .collect();
    let plain = (0..view.q.len()).all(|i| free[i] || view.bounds.of(i) == (0.0, f64::INFINITY));
    let y: Option<Vec<_>> = y.iter().map(|v| exact::parse_decimal(v)).collect();
    let exact = exact::ExactLcp::from_matrix(view.M, view.q).with_free(free);
    match (plain, y, exact) {
        (true, Some(y), Ok(exact)) => y.len() == view.q.len() && exact::check_farkas(&exact, &y),
        _ => false,
    }
}

/// Solves once and, when asked, `repeat` times more with the buffers warm.
///
/// # Errors
/// A problem that no solver takes.
pub fn solve(problem: &Problem, options: Options, repeat: Option<usize>) -> Result<Timed, BadInput> {
    let mut solver = Solver::with_options(options);
    let start = Instant::now();
    let solution = problem.solve(&mut solver)?.clone();
    let time_us = microseconds(start);
    let Some(repeat) = repeat else {
        return Ok(Timed {
            solution,
            time_us,
            time_min_us: None,
            proof: None,
        });
    };
    let mut times = Vec::new();
    for _ in 0..repeat {
        let start = Instant::now();
        problem.solve(&mut solver)?;
        times.push(microseconds(start));
    }
    times.sort_by(f64::total_cmp);
    Ok(Timed {
        solution,
        time_us: quantile(&times, 0.5),
        time_min_us: times.first().copied(),
        proof: None,
    })
}
