//! The sixty seed cases through the front door: every stated status, every unique answer.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use serde::Deserialize;
use stiction_lcp::{Certificate, Lcp, Method, Solver, Status};

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    #[serde(rename = "M")]
    rows: Vec<Vec<f64>>,
    q: Vec<f64>,
    status: String,
    #[serde(default)]
    solutions: Vec<Answer>,
    #[serde(default)]
    solution_set: String,
}

#[derive(Deserialize)]
struct Answer {
    z: Vec<f64>,
}

fn cases() -> Vec<Case> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../problems/seed/lcp.json");
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str::<File>(&text).unwrap().cases
}

#[test]
fn every_case_ends_with_its_stated_status() {
    let cases = cases();
    assert_eq!(cases.len(), 60);
    let mut solver = Solver::new();
    for case in &cases {
        let lcp = Lcp::from_rows(&case.rows, &case.q).unwrap();
        let solution = solver.solve(&lcp).unwrap();
        let expected = match case.status.as_str() {
            "solvable" => Status::Solved,
            "infeasible" => Status::Infeasible,
            "feasible-unsolvable" => Status::Unsolvable,
            other => panic!("{}: unknown status {other}", case.id),
        };
        assert_eq!(solution.status, expected, "{}: runs {:?}", case.id, solution.stats.runs);
        match expected {
            Status::Infeasible => {
                assert!(
                    matches!(solution.certificate, Some(Certificate::Farkas { .. })),
                    "{}",
                    case.id
                );
            }
            Status::Unsolvable => {
                assert!(
                    matches!(solution.certificate, Some(Certificate::Exhaustion { .. })),
                    "{}",
                    case.id
                );
            }
            _ => assert!(
                solution.residual.relative <= 1e-12,
                "{}: {:?}",
                case.id,
                solution.residual
            ),
        }
    }
}

#[test]
fn unique_answers_are_found() {
    let mut solver = Solver::new();
    for case in cases().iter().filter(|case| case.solution_set == "unique") {
        let lcp = Lcp::from_rows(&case.rows, &case.q).unwrap();
        let solution = solver.solve(&lcp).unwrap();
        let expected = &case.solutions[0].z;
        let size = expected.iter().fold(1.0f64, |m, v| v.abs().max(m));
        for (i, (found, expected)) in solution.z.iter().zip(expected).enumerate() {
            let error = (found - expected).abs();
            assert!(
                error <= 1e-9 * size,
                "{}: z[{i}] = {found}, expected {expected}",
                case.id
            );
        }
    }
}

#[test]
fn the_exponential_family_shows_in_the_pivots() {
    let cases = cases();
    let case = cases.iter().find(|case| case.id == "murty-exp-10").unwrap();
    let lcp = Lcp::from_rows(&case.rows, &case.q).unwrap();
    let options = stiction_lcp::Options {
        method: Some(Method::Lemke),
        ..Default::default()
    };
    let mut solver = Solver::with_options(options);
    let solution = solver.solve(&lcp).unwrap();
    assert_eq!(solution.status, Status::Solved);
    println!("murty-exp-10: {} pivots", solution.stats.pivots);
}

#[test]
fn every_method_is_right_or_says_that_it_failed() {
    for method in Method::ALL {
        let options = stiction_lcp::Options {
            method: Some(method),
            ..Default::default()
        };
        let mut solver = Solver::with_options(options);
        let mut solved = 0;
        for case in cases() {
            let lcp = Lcp::from_rows(&case.rows, &case.q).unwrap();
            let Ok(solution) = solver.solve(&lcp) else { continue };
            if solution.status == Status::Solved {
                assert_eq!(case.status, "solvable", "{}: {}", method.name(), case.id);
                solved += 1;
            }
        }
        println!("{}: {solved} of 60 solved", method.name());
        assert!(solved > 0, "{}", method.name());
    }
}
