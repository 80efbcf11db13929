//! Siconos files that were refused: global friction problems without contacts, as simulations write them while everything falls, and generic
//! mechanical problems (GMP), which mix bilateral rows, complementary rows and friction.
#![allow(clippy::unwrap_used)]

mod running;

use std::path::Path;

use running::{Ran, data, folder, stiction_in};
use serde_json::Value;

/// Runs a command on a text.
fn on(name: &str, text: &str, arguments: &[&str]) -> Ran {
    let folder = folder(&format!("issue_022_{name}"));
    std::fs::write(folder.join("a.dat"), text).unwrap();
    stiction_in(&folder, arguments)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// M v = f: nothing touches. M as a list, by columns and dense, with H of no columns.
#[test]
fn global_problems_may_have_no_contacts() {
    let triplets = "2 0\n2 3 3 0\nCXSparse Version 3.2.0, Sept 12, 2017.  Copyright (c) Timothy A. Davis, 2006-2016\n\
                    triplet: 3-by-3, nzmax: 3 nnz: 3\n 0 0 : 2\n 1 1 : 2\n 2 2 : 0.5\n\
                    2 3 0 0\nCXSparse\ntriplet: 3-by-0, nzmax: 1 nnz: 0\n0 -19.62 1\n\n\n";
    let columns = "2 0\n2 2 2 0\nCXSparse\n2-by-2, nzmax: 2 nnz: 2, 1-norm: 2\n col 0 : locations 0 to 0\n 0 : 2\n col 1 : locations 1 to 1\n 1 : 2\n\
                   2 2 0 0\nCXSparse\n2-by-0, nzmax: 1 nnz: 0, 1-norm: 0\n1 -4\n";
    let dense = "3 0\n0 1 1 1 1 4\n0 1 0 1 0\n8\n";
    for (k, (text, velocity)) in [
        (triplets, &[0.0, -9.81, 2.0][..]),
        (columns, &[0.5, -2.0]),
        (dense, &[2.0]),
        ("2 0 0 0 0 0 0\n", &[]),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("empty_{k}");
        let ran = on(&name, text, &["solve", "a.dat", "--json"]);
        assert_eq!(ran.code, 0, "{k}: {ran:?}");
        let answer = ran.json();
        assert_eq!(
            (answer["status"].as_str(), answer["contacts"].as_array().map(Vec::len)),
            (Some("solved"), Some(0))
        );
        let blocks = answer["blocks"].as_array().unwrap().iter();
        let found: Vec<f64> = blocks
            .flat_map(|block| block["velocity"].as_array().unwrap().iter().map(number))
            .collect();
        assert!(found.len() == velocity.len(), "{k}: {found:?}");
        assert!(
            found.iter().zip(velocity).all(|(x, y)| (x - y).abs() < 1e-14),
            "{k}: {found:?}"
        );
        assert_eq!(on(&name, text, &["info", "a.dat"]).code, 0, "{k}");
    }
    // An LCP of two variables starts as a file without contacts does.
    let ran = on("lcp", "2 0 2 2 2 2  2 1 1 2  -5 -6", &["solve", "a.dat", "--json"]);
    assert_eq!(ran.json()["kind"], "lcp-solution", "{ran:?}");
}

/// A bead of mass 1/2 on a rod along x (its y and z are bilateral rows), pushed along x against a stop (complementary): r = (3, 4, 5).
const BEAD: &str = "1 3 3 2 2 2  2 3  2 3  3 2  0 1 2  0 1\n0 2 0 0 2\n1 2\n-6 -8 -10\n2\n0\n";
/// A bilateral row, coupled with a contact of μ 0.5 that slides: by hand, see the test.
const SLIDES: &str =
    "1 4 4 3 2 2  1 4  1 4  3 3  0 1 3  0 0 1\n0 1\n1 0 0 0\n2 1 0 0 0 1 0 0 0 1\n-2 -1 3 4\n2\n4 0.5\n";

#[test]
fn bilateral_and_complementary_rows_are_joints_and_contacts() {
    let ran = on("bead", BEAD, &["solve", "a.dat", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let answer = ran.json();
    assert_eq!(answer["status"], "solved");
    let joints: Vec<f64> = answer["joint_impulse"].as_array().unwrap().iter().map(number).collect();
    assert!(
        (joints[0] - 3.0).abs() < 1e-12 && (joints[1] - 4.0).abs() < 1e-12,
        "{joints:?}"
    );
    let contact = &answer["contacts"][0];
    assert!((number(&contact["normal_impulse"]) - 5.0).abs() < 1e-12, "{answer}");
    let info = on("bead", BEAD, &["info", "a.dat"]).stdout;
    assert!(
        info.contains("Siconos GMP text") && info.contains("joint rows   2"),
        "{info}"
    );
}

/// r_b = 2; r_n = 1; the slip (3, 4) of speed 5 is slowed by μ r_n = 0.5 to 4.5: r_t = −0.5 (0.6, 0.8).
#[test]
fn friction_slides() {
    let ran = on("slides", SLIDES, &["solve", "a.dat", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let answer = ran.json();
    let contact = &answer["contacts"][0];
    let friction = [0, 1].map(|k| number(&contact["friction_impulse"][k]));
    assert!((number(&contact["normal_impulse"]) - 1.0).abs() < 1e-12, "{answer}");
    assert!(
        (friction[0] + 0.3).abs() < 1e-12 && (friction[1] + 0.4).abs() < 1e-12,
        "{answer}"
    );
    assert!((number(&answer["joint_impulse"][0]) - 2.0).abs() < 1e-12, "{answer}");
}

#[test]
fn problems_are_checked_written_and_compared() {
    let at = folder("issue_022_round");
    std::fs::write(at.join("a.dat"), SLIDES).unwrap();
    let run = |arguments: &[&str]| stiction_in(&at, arguments);
    let ran = run(&["solve", "a.dat", "--json"]);
    std::fs::write(at.join("answer.json"), &ran.stdout).unwrap();
    assert_eq!(run(&["check", "a.dat", "answer.json"]).code, 0);
    let claim =
        |joint: &str| format!("{{\"status\": \"solved\", \"r\": [1, -0.3, -0.4], \"joint_impulse\": [{joint}]}}");
    std::fs::write(at.join("right.json"), claim("2")).unwrap();
    std::fs::write(at.join("wrong.json"), claim("2.1")).unwrap();
    assert_eq!(run(&["check", "a.dat", "right.json"]).code, 0);
    assert_eq!(run(&["check", "a.dat", "wrong.json"]).code, 1);
    assert_eq!(run(&["convert", "a.dat", "b.json"]).code, 0);
    let again = run(&["solve", "b.json", "--json"]).json();
    assert_eq!(again["contacts"], ran.json()["contacts"]);
    let ran = run(&["convert", "a.dat", "b.hdf5"]);
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (2, "a.dat: joints: must be absent for FCLIB, found 1\n")
    );
    let ran = run(&["compare", "a.dat", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("verified"), "{}", ran.stdout);
}

/// No contact problem has an M that is not symmetric; without friction it is still an MLCP.
#[test]
fn a_matrix_that_is_no_inverse_mass_makes_an_mlcp() {
    // M = [[0, 1], [-1, 2]] by columns, the first row bilateral: z = (1, 3).
    let text = "1 2 2 4 2 2  1 2  1 2  3 4  0 2 4  0 1 0 1\n0 0\n1 1\n2 -1\n3 2\n-3 -5\n2\n0\n";
    let ran = on("skew", text, &["solve", "a.dat", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let answer = ran.json();
    assert_eq!(answer["kind"], "lcp-solution");
    let z: Vec<f64> = answer["z"].as_array().unwrap().iter().map(number).collect();
    assert!((z[0] - 1.0).abs() < 1e-12 && (z[1] - 3.0).abs() < 1e-12, "{z:?}");
}

#[test]
fn what_the_format_cannot_say_is_refused() {
    let with_end = |end: &str| format!("1 3 3 1 1 1 3 3 2 1 0 1 0\n0 1 0 0 0 1 0 0 0 1\n-1 0 0\n{end}\n");
    let skew = "1 3 3 1 1 1 3 3 2 1 0 1 0\n0 1 0 0.5 0 1 0 0 0 1\n-1 0 0\n4 0.5\n";
    let types = "must be 0 (complementary), 2 (bilateral) or 4 (friction in space)";
    for (k, (text, message)) in [
        (with_end("3"), format!("token 27: type of block 0 {types}, found 3")),
        (with_end("9"), format!("token 27: type of block 0 {types}, found 9")),
        (
            with_end("4 -0.5"),
            "mu[0]: must not be negative or NaN, found -0.5".to_owned(),
        ),
        (with_end("4 inf"), "token 28: mu must be finite, found inf".to_owned()),
        (
            with_end(""),
            "token 27: type of a block expected, found the end of the file".to_owned(),
        ),
        (
            "1 2 2 1 1 1 2 2 2 1 0 1 0\n0 1 0 0 1\n-1 0\n4 0.5\n".to_owned(),
            "token 21: block 0 has friction in space and must have 3 rows, found 2".to_owned(),
        ),
        (
            skew.to_owned(),
            "M: must be symmetric: difference of mirrored entries relative to the largest, found 5e-1".to_owned(),
        ),
        (
            with_end("4 0.5").replace("0 1 0 0 0 1", "0 0 0 0 0 1"),
            "M[0][0]: must be positive, found 0".to_owned(),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let ran = on(&format!("refused_{k}"), &text, &["solve", "a.dat"]);
        assert_eq!(
            (ran.code, ran.stderr.as_str()),
            (2, format!("a.dat: {message}\n").as_str()),
            "{k}"
        );
    }
}

/// Siconos' own files: machines with bilateral rows, of rank less than their number, and a contact with friction.
#[test]
fn the_public_problems_are_solved() {
    let Some(sets) = data("siconos/gmp") else { return };
    for name in ["GMP0.dat", "GMP1.dat", "GMP4.dat", "GMP5.dat"] {
        let ran = stiction_in(Path::new(&sets), &["solve", name, "--json"]);
        assert_eq!(
            (ran.code, &ran.json()["status"]),
            (0, &Value::from("solved")),
            "{name}: {ran:?}"
        );
    }
}
