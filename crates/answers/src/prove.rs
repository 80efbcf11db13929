//! `--prove`: an answer, or the lack of one, shown in exact arithmetic.
//!
//! The proof is about the numbers of the file as they are printed, decimals and all, where the file is JSON; about the
//! doubles they became where it is not.

use serde::Serialize;
use stiction_lcp::exact::{
    self, Enumeration, ExactLcp, ExactMixed, Limits, Proof, RBig, enumerate_exact, farkas, parse_decimal,
};
use stiction_lcp::{Certificate, Solution, Status};

use stiction_formats::BadInput;
use stiction_formats::read::{Named, Problem};

/// A Farkas vector is searched for without a hint up to this n: a few seconds.
const MAX_FARKAS_VARIABLES: usize = 72;

/// All cones are tried up to this n: about a second.
const MAX_CONE_VARIABLES: usize = 14;

/// Exact pivots are tried on up to this many variables: some seconds.
const LIMITS: Limits = Limits {
    rounds: 8,
    warm_pivots: 200,
    cold_pivots: 2000,
    max_n: 100,
};

/// What was proven, and about which numbers.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Whether the status is proven.
    pub proven: bool,
    /// `decimals as printed` or `doubles`.
    pub data: &'static str,
    /// What was shown, or why nothing was.
    pub reason: String,
    /// The exact answer as rationals, for a solved problem.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub z: Vec<String>,
    /// Exact pivots that were needed beyond the basis of the answer.
    pub pivots: usize,
    /// Largest difference between the exact answer and the one in doubles.
    pub distance: f64,
}

/// Proves what `solution` says of the problem.
pub fn prove(named: &Named, solution: &Solution) -> Result<Report, BadInput> {
    let data = if named.exact.is_some() {
        "decimals as printed"
    } else {
        "doubles"
    };
    let (matrix, q) = rationals(named)?;
    let mut proof = match &named.problem {
        Problem::Lcp(lcp) => {
            let problem = ExactLcp::from_rationals(lcp.n(), &matrix, &q)?;
            prove_lcp(&problem, solution)
        }
        Problem::Mlcp(mlcp) => prove_mixed(&ExactMixed::new(mlcp, &matrix, &q)?, solution),
    };
    proof.data = data;
    Ok(proof)
}

fn failed(reason: impl Into<String>) -> Report {
    Report {
        proven: false,
        data: "",
        reason: reason.into(),
        z: Vec::new(),
        pivots: 0,
        distance: 0.0,
    }
}

fn shown(reason: impl Into<String>) -> Report {
    Report {
        proven: true,
        ..failed(reason)
    }
}

fn prove_lcp(problem: &ExactLcp, solution: &Solution) -> Report {
    match solution.status {
        Status::Solved => answer(exact::prove_within(problem, &solution.z, &solution.w, &LIMITS), |z| z),
        Status::Infeasible => no_feasible_point(problem, solution.certificate.as_ref()),
        Status::Unsolvable => match enumerate_exact(problem, MAX_CONE_VARIABLES) {
            Enumeration::None { cones } => shown(format!("none of the {cones} complementary cones holds q")),
            Enumeration::Found { .. } => failed("the decimals as printed have an answer that the doubles have not"),
            _ => failed("too many cones to try in exact arithmetic"),
        },
        status => failed(format!(
            "the status {} claims nothing that could be proven",
            status.name()
        )),
    }
}

fn prove_mixed(problem: &ExactMixed, solution: &Solution) -> Report {
    if solution.status != Status::Solved {
        return prove_lcp(&problem.lcp, solution);
    }
    let (y, v) = problem.guess(&solution.z, &solution.w);
    answer(exact::prove_within(&problem.lcp, &y, &v, &LIMITS), |y| {
        problem.recover(&y)
    })
}

fn answer(proof: Proof, recover: impl Fn(Vec<RBig>) -> Vec<RBig>) -> Report {
    match proof {
        Proof::Proven {
            z, pivots, distance, ..
        } => Report {
            z: recover(z).iter().map(ToString::to_string).collect(),
            pivots,
            distance,
            ..shown("z and w have the right signs and are complementary without any rounding")
        },
        Proof::NotProven { reason, .. } => failed(reason),
        _ => failed("the exact judge came to no verdict"),
    }
}

fn no_feasible_point(problem: &ExactLcp, certificate: Option<&Certificate>) -> Report {
    let hint = match certificate {
        Some(Certificate::Farkas { y }) => {
            let parsed = y.iter().filter_map(|v| parse_decimal(v)).map(|v| v.to_f64().value());
            vec![parsed.collect()]
        }
        _ => Vec::new(),
    };
    match farkas(problem, &hint, MAX_FARKAS_VARIABLES) {
        Some(y) => {
            let y: Vec<String> = y.iter().map(ToString::to_string).collect();
            shown(format!(
                "y >= 0, y'M <= 0 and y'q < 0 exactly, with y = ({})",
                y.join(", ")
            ))
        }
        None => failed("no Farkas vector was found for the decimals as printed"),
    }
}

/// M row by row and q: the decimals of the file where it had any, else the doubles.
fn rationals(named: &Named) -> Result<(Vec<RBig>, Vec<RBig>), BadInput> {
    if let Some(exact) = &named.exact {
        let parse = |text: &String| {
            parse_decimal(text).ok_or_else(|| {
                BadInput::new(
                    "prove",
                    format!(
                        "cannot take {} as an exact decimal",
                        stiction_formats::bad_input::shown(text)
                    ),
                )
            })
        };
        let matrix = exact.matrix.iter().flatten().map(parse).collect::<Result<_, _>>()?;
        let q = exact.q.iter().map(parse).collect::<Result<_, _>>()?;
        return Ok((matrix, q));
    }
    let view = named.problem.view();
    let doubles = ExactLcp::from_matrix(view.M, view.q);
    let n = view.q.len();
    let matrix = (0..n)
        .flat_map(|i| (0..n).map(move |j| (i, j)))
        .map(|(i, j)| doubles.M(i, j));
    Ok((matrix.collect(), (0..n).map(|i| doubles.q(i)).collect()))
}
