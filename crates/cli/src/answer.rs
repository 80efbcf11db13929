//! Answers as JSON: written for every solve, read from anyone by `check`.

use std::path::Path;

use serde::Serialize;
use stiction_lcp::{Certificate, Method, Run, Solution, Status};

use crate::bad_input::BadInput;
use crate::prove::Report;
use crate::read::json::{self, Fields};
use crate::read::{read_bytes, text};

/// The answer to an LCP or MLCP, as the contract lays it down.
#[derive(Debug, Serialize)]
pub(crate) struct Answer<'a> {
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

/// A solution with the time it took [µs]; the least time only when several solves were measured.
#[derive(Debug, Clone)]
pub(crate) struct Timed {
    pub(crate) solution: Solution,
    pub(crate) time_us: f64,
    pub(crate) time_min_us: Option<f64>,
    /// The proof, when one was asked for.
    pub(crate) proof: Option<Report>,
}

impl Timed {
    pub(crate) fn solved(&self) -> bool {
        self.solution.status == Status::Solved
    }
}

impl<'a> Answer<'a> {
    pub(crate) fn new(name: &'a str, timed: &'a Timed) -> Self {
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
pub(crate) struct Claim {
    pub(crate) z: Vec<f64>,
    pub(crate) status: Option<String>,
    /// The Farkas vector of an answer that says infeasible.
    pub(crate) farkas: Option<Vec<String>>,
}

/// Reads an answer object, or a bare list z. Fields of other people's answers are passed over.
pub(crate) fn read_claim(path: &Path) -> Result<Claim, BadInput> {
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
