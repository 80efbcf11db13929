//! Statuses, evidence and numbers in words, for a person.

use std::fmt::Write;

use stiction_lcp::{Certificate, Residual, Run, Stats, Status};

use stiction_formats::figures::{MAX_SHOWN_ROWS, counted, figure, small};
use stiction_formats::read::{Named, Problem};

use crate::prove::Report;

/// A list of figures, cut after a few.
fn figures(values: &[String]) -> String {
    let shown = values
        .iter()
        .take(MAX_SHOWN_ROWS)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    if values.len() > MAX_SHOWN_ROWS {
        format!("({shown}, and {} more)", values.len() - MAX_SHOWN_ROWS)
    } else {
        format!("({shown})")
    }
}

/// Whether an answer is right: who says solved must have solved, where nothing that is given proves the opposite; else one of the two will do.
pub fn is_right(said: Option<&str>, (solved, infeasible): (bool, bool)) -> bool {
    if said.is_some_and(says_solved) {
        solved && !infeasible
    } else {
        solved || infeasible
    }
}

fn says_solved(status: &str) -> bool {
    status.eq_ignore_ascii_case("solved")
}

/// A line where what an answer says of itself is not what was found; `proof` is its evidence that nothing can be solved, `right` that it is right.
#[must_use]
pub fn claim(said: Option<&str>, (accepted, infeasible): (bool, bool), [proof, right]: [&str; 2]) -> String {
    match said {
        Some(status) if says_solved(status) && !accepted && infeasible => {
            format!("claim      the answer says solved, but its {proof} that nothing can\n")
        }
        Some(status) if says_solved(status) && !accepted => {
            "claim      the answer says solved, but it is not\n".to_owned()
        }
        Some(status) if !says_solved(status) && accepted && !infeasible => {
            let status = stiction_formats::bad_input::shown(status);
            format!("claim      the answer says {status}, but its {right} the problem\n")
        }
        _ => String::new(),
    }
}

/// Size and kind of a problem.
#[must_use]
pub fn size(problem: &Problem) -> String {
    let n = counted(problem.n(), "variable");
    match problem {
        Problem::Lcp(_) => format!("LCP, {n}"),
        Problem::Mlcp(mlcp) => {
            let bounded = |i: &usize| mlcp.lower()[*i].is_finite() && mlcp.upper()[*i].is_finite();
            let boxed = (0..mlcp.n()).filter(bounded).count();
            format!("mixed LCP, {n}: {} free, {boxed} in a box", problem.free_count())
        }
    }
}

/// What a status means.
#[must_use]
pub fn meaning(status: Status) -> &'static str {
    match status {
        Status::Solved => "w = Mz + q was recomputed from the problem's own data and fits z",
        Status::Infeasible => "no z within its bounds gives w the signs it needs; this is proven",
        Status::Unsolvable => "feasible points exist but none is complementary; this is proven",
        Status::Ray => "the method ran off along a ray; nothing is proven",
        Status::UnboundedDrive => "a variable can grow for ever: no finite force on this path; nothing is proven",
        Status::PivotLimit => "the limit on pivots was reached; nothing is proven",
        Status::Cycle => "the method came back to a basis it had left; nothing is proven",
        Status::SingularBasis => "a basis became singular to working precision; nothing is proven",
        Status::Inaccurate => "the method ended, but with a vector that the judge refuses",
        _ => "see the documentation of this status",
    }
}

/// What to do about a status other than solved.
#[must_use]
pub fn advice(status: Status) -> Option<&'static str> {
    match status {
        Status::Solved => None,
        Status::Infeasible | Status::Unsolvable => Some("change the problem: no method can solve it as it stands"),
        Status::Ray => Some("try another --method (stiction methods lists them), or check the signs of M and q"),
        Status::UnboundedDrive => Some("try --method lemke, or pose the problem with impulses instead of forces"),
        Status::PivotLimit | Status::Cycle => Some("try --method lemke_lexicographic, which cannot cycle"),
        _ => Some("try --method lemke_extended, which carries 32 digits"),
    }
}

/// Evidence for a status other than solved.
#[must_use]
pub fn evidence(certificate: &Certificate) -> String {
    match certificate {
        Certificate::Farkas { y } => format!(
            "infeasible because y >= 0, y'M <= 0 and y'q < 0, so y'(Mz + q) < 0 for every z >= 0, with y = {}",
            figures(y)
        ),
        Certificate::Exhaustion { cones } => {
            format!("all {cones} complementary cones were excluded in exact arithmetic")
        }
        Certificate::Ray { direction } => {
            let direction: Vec<String> = direction.iter().map(|value| figure(*value)).collect();
            format!("z grew along {}", figures(&direction))
        }
        _ => "see the documentation of this certificate".to_owned(),
    }
}

/// What `--prove` has shown.
#[must_use]
pub fn proof(proof: &Report) -> String {
    let verdict = if proof.proven { "proven" } else { "not proven" };
    let mut text = format!("proof      {verdict} for the {}: {}\n", proof.data, proof.reason);
    if !proof.z.is_empty() {
        let pivots = counted(proof.pivots, "exact pivot");
        let distance = small(proof.distance);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "           z = {} exactly", figures(&proof.z));
        let _ = writeln!(
            text,
            "           {pivots}; the doubles below differ by at most {distance}"
        );
    }
    text
}

/// The attempts of a solve: `lemke (ray, 3 pivots), then lemke_extended (solved, 5 pivots)`.
#[must_use]
pub fn attempts(stats: &Stats) -> String {
    if stats.runs.is_empty() {
        return "none ran".to_owned();
    }
    let attempt = |run: &Run| {
        let pivots = counted(run.pivots, "pivot");
        format!("{} ({}, {pivots})", run.method.name(), run.status.name())
    };
    stats.runs.iter().map(attempt).collect::<Vec<_>>().join(", then ")
}

/// The residual and what it means.
#[must_use]
pub fn residual(residual: &Residual, tolerance: f64) -> String {
    let excused = if residual.relative > tolerance && residual.excused <= tolerance {
        let excused = small(residual.excused);
        format!("accuracy   rounding: {excused} once rounding of the terms of each row is excused\n")
    } else {
        String::new()
    };
    format!(
        "residual   {} relative to the size of its row; up to {tolerance:e} counts as solved\n\
         \x20          z solves the problem exactly once q is changed by at most {} in each row\n{excused}",
        small(residual.relative),
        small(residual.backward)
    )
}

/// z and w side by side, and which of each pair is active.
pub fn table(named: &Named, z: &[f64], w: &[f64]) -> String {
    let problem = &named.problem;
    let mut text = format!("{:>6}  {:<24}  w\n", "i", "z");
    for (i, (&zi, &wi)) in z.iter().zip(w).enumerate().take(MAX_SHOWN_ROWS) {
        let state = state(problem, i, zi, wi);
        let name = named.z_names.get(i).map_or_else(|| i.to_string(), Clone::clone);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name:>6}  {:<24}  {:<24}  {state}", figure(zi), figure(wi));
    }
    if z.len() > MAX_SHOWN_ROWS {
        let _ = writeln!(
            text,
            "        and {} more rows (--json prints all)",
            z.len() - MAX_SHOWN_ROWS
        );
    }
    text
}

/// Where a variable is held.
#[must_use]
pub fn state(problem: &Problem, i: usize, z: f64, w: f64) -> &'static str {
    let (lower, upper) = problem.view().bounds.of(i);
    match (lower, upper) {
        (f64::NEG_INFINITY, f64::INFINITY) => "free",
        (0.0, f64::INFINITY) if z > 0.0 && z >= w => "z > 0",
        (0.0, f64::INFINITY) if w > 0.0 => "w > 0",
        (0.0, f64::INFINITY) if z < 0.0 => "z < 0",
        (0.0, f64::INFINITY) if w < 0.0 => "w < 0",
        (0.0, f64::INFINITY) => "both 0",
        _ if z <= lower => "at lower bound",
        _ if z >= upper => "at upper bound",
        _ => "between bounds",
    }
}
