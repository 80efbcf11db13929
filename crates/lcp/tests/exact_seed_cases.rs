//! The 60 problems of `problems/seed/lcp.json` in exact arithmetic: every stated solution, certificate, outcome of Lemke's
//! method and number of pivots.

// M stands in the file as it stands in the equations.
#![allow(non_snake_case)]
// Helpers of tests may stop them.
#![allow(clippy::unwrap_used)]

use serde::Deserialize;
use serde_json::value::RawValue;
use stiction_lcp::exact::{
    Enumeration, ExactLcp, ExactOutcome, ExactVerdict, Proof, RBig, check, check_farkas, enumerate_exact, farkas,
    lemke_exact, lemke_exact_covered, parse_decimal, prove,
};

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    n: usize,
    M: Vec<Vec<Box<RawValue>>>,
    q: Vec<Box<RawValue>>,
    status: String,
    #[serde(default)]
    solutions: Vec<Stated>,
    certificate: Option<Certificate>,
    lemke: Lemke,
}

#[derive(Deserialize)]
struct Stated {
    z: Vec<f64>,
    z_exact: Vec<String>,
    w_exact: Vec<String>,
}

#[derive(Deserialize)]
struct Certificate {
    y_exact: Option<Vec<String>>,
    feasible_point_exact: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Lemke {
    outcome: String,
    pivots: usize,
    z_exact: Option<Vec<String>>,
    covering: Covering,
}

/// A covering vector, or "all ones".
#[derive(Deserialize)]
#[serde(untagged)]
enum Covering {
    Name(String),
    Vector(Vec<u32>),
}

/// Largest problem whose cones are all tried.
const MAX_CONES: usize = 9;
/// Largest problem that is searched for a Farkas vector.
const MAX_FARKAS: usize = 20;

fn cases() -> Vec<Case> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../problems/seed/lcp.json");
    let text = std::fs::read_to_string(path).unwrap();
    let file: File = serde_json::from_str(&text).unwrap();
    assert_eq!(file.cases.len(), 60);
    file.cases
}

fn numbers(lexemes: &[Box<RawValue>]) -> Vec<RBig> {
    lexemes.iter().map(|v| parse_decimal(v.get()).unwrap()).collect()
}

fn rationals(texts: &[String]) -> Vec<RBig> {
    texts.iter().map(|v| parse_decimal(v).unwrap()).collect()
}

fn doubles(values: &[RBig]) -> Vec<f64> {
    values.iter().map(|v| v.to_f64().value()).collect()
}

fn problem(case: &Case) -> ExactLcp {
    let M: Vec<RBig> = case.M.iter().flat_map(|row| numbers(row)).collect();
    ExactLcp::from_rationals(case.n, &M, &numbers(&case.q)).unwrap()
}

#[test]
fn stated_solutions_pass_the_exact_judge() {
    for case in cases() {
        let problem = problem(&case);
        for stated in &case.solutions {
            let z = rationals(&stated.z_exact);
            assert_eq!(check(&problem, &z), ExactVerdict::Solution, "{}", case.id);
            assert_eq!(problem.w(&z), rationals(&stated.w_exact), "{}", case.id);
        }
    }
}

#[test]
fn lemke_ends_as_stated_after_the_stated_pivots() {
    for case in cases() {
        let problem = problem(&case);
        let outcome = match &case.lemke.covering {
            Covering::Name(name) => {
                assert_eq!(name, "all ones", "{}", case.id);
                lemke_exact(&problem, None, 5000)
            }
            Covering::Vector(c) => {
                let cover: Vec<RBig> = c.iter().map(|c| RBig::from(*c)).collect();
                lemke_exact_covered(&problem, &cover, 5000).unwrap()
            }
        };
        let (outcome, pivots, z) = match outcome {
            ExactOutcome::Solved { z, pivots: 0, .. } => ("trivial", 0, Some(z)),
            ExactOutcome::Solved { z, pivots, .. } => ("solution", pivots, Some(z)),
            ExactOutcome::Ray { pivots, .. } => ("ray", pivots, None),
            other => panic!("{}: {other:?}", case.id),
        };
        assert_eq!(
            (outcome, pivots),
            (&case.lemke.outcome[..], case.lemke.pivots),
            "{}",
            case.id
        );
        if let Some(z) = &z {
            assert_eq!(check(&problem, z), ExactVerdict::Solution, "{}", case.id);
        }
        assert_eq!(z, case.lemke.z_exact.as_deref().map(rationals), "{}", case.id);
    }
}

#[test]
fn stated_doubles_are_proven() {
    for case in cases() {
        let problem = problem(&case);
        for stated in &case.solutions {
            let w = doubles(&rationals(&stated.w_exact));
            match prove(&problem, &stated.z, &w) {
                Proof::Proven { z, .. } => assert_eq!(check(&problem, &z), ExactVerdict::Solution, "{}", case.id),
                other => panic!("{}: {other:?}", case.id),
            }
        }
    }
}

#[test]
fn small_solvable_problems_are_solved_by_enumeration() {
    for case in cases().into_iter().filter(|case| case.n <= MAX_CONES) {
        let problem = problem(&case);
        match enumerate_exact(&problem, MAX_CONES) {
            Enumeration::Found { z, .. } => {
                assert_eq!(case.status, "solvable", "{}", case.id);
                assert_eq!(check(&problem, &z), ExactVerdict::Solution, "{}", case.id);
            }
            Enumeration::None { cones } => {
                assert_ne!(case.status, "solvable", "{}", case.id);
                assert_eq!(cones, 1 << case.n, "{}", case.id);
            }
            other => panic!("{}: {other:?}", case.id),
        }
    }
}

#[test]
fn infeasible_problems_and_only_those_have_a_farkas_vector() {
    let mut infeasible = 0;
    for case in cases() {
        let problem = problem(&case);
        let found = farkas(&problem, &[], MAX_FARKAS);
        assert_eq!(found.is_some(), case.status == "infeasible", "{}", case.id);
        let Some(certificate) = &case.certificate else { continue };
        if let Some(y) = &certificate.y_exact {
            infeasible += 1;
            let y = rationals(y);
            assert!(check_farkas(&problem, &y), "{}", case.id);
            assert!(found.is_some_and(|y| check_farkas(&problem, &y)), "{}", case.id);
            assert!(farkas(&problem, &[doubles(&y)], 0).is_some(), "{}: hint", case.id);
        }
        if let Some(point) = &certificate.feasible_point_exact {
            let z = rationals(point);
            let w = problem.w(&z);
            assert!(z.iter().chain(&w).all(|v| *v >= RBig::ZERO), "{}", case.id);
        }
    }
    assert_eq!(infeasible, 8);
}
