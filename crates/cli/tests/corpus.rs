//! Every problem of `problems/lcp` against its known answer.
// The lint knows tests by their attribute and misses their helpers.
#![allow(clippy::unwrap_used)]

mod running;

use std::path::PathBuf;

use running::{folder, stiction, workspace};
use serde_json::Value;

/// Solvable problems on which the default order of methods may still end without an answer.
const OPEN: &[&str] = &["diodeBridge20_mlcp"];

/// Largest difference to a unique known solution, relative to its largest entry.
const CLOSE: f64 = 1e-6;

/// Problem files, without their answers.
fn problem_files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(workspace().join("problems/lcp")).unwrap();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    files.retain(|path| !path.to_string_lossy().ends_with(".answer.json"));
    files.sort();
    files
}

/// The double nearest to `p/q` or `p`, except for one rounding.
fn rational(text: &str) -> f64 {
    match text.split_once('/') {
        None => text.parse().unwrap(),
        Some((p, q)) => p.parse::<f64>().unwrap() / q.parse::<f64>().unwrap(),
    }
}

fn distance(z: &[Value], known: &[Value]) -> f64 {
    let known: Vec<f64> = known.iter().map(|text| rational(text.as_str().unwrap())).collect();
    let scale = known.iter().fold(1e-300_f64, |m, v| m.max(v.abs()));
    let pairs = z.iter().zip(&known);
    pairs.fold(0.0, |worst: f64, (a, b)| worst.max((a.as_f64().unwrap() - b).abs())) / scale
}

#[test]
fn every_problem_has_its_known_answer() {
    let folder = folder("corpus");
    let files = problem_files();
    assert!(files.len() >= 62, "{} problems", files.len());
    for file in files {
        let path = file.display().to_string();
        let known: Value = serde_json::from_slice(&std::fs::read(file.with_extension("answer.json")).unwrap()).unwrap();
        let ran = stiction(&["solve", &path, "--json"]);
        let answer = ran.json();
        let (status, expected) = (answer["status"].as_str().unwrap(), known["status"].as_str().unwrap());
        assert_eq!(ran.code, i32::from(status != "solved"), "{path}");
        if status == "solved" {
            assert_eq!(expected, "solved", "{path}");
            let answer_file = folder.join("answer.json");
            std::fs::write(&answer_file, &ran.stdout).unwrap();
            let check = stiction(&["check", &path, &answer_file.display().to_string()]);
            assert_eq!(check.code, 0, "{path}: {}", check.stdout);
            if known["solution_set"] == "unique" {
                let found = distance(
                    answer["z"].as_array().unwrap(),
                    known["solutions"][0].as_array().unwrap(),
                );
                assert!(found <= CLOSE, "{path}: {found:.1e} from the known solution");
            }
        } else if expected == "solved" {
            assert!(OPEN.contains(&known["name"].as_str().unwrap()), "{path}: {status}");
            eprintln!("open: {path}: {status}");
        } else if answer["proven"] == true {
            assert_eq!(status, expected, "{path}");
        }
    }
}

#[test]
fn known_solutions_pass_the_judge() {
    let folder = folder("corpus_known");
    for file in problem_files() {
        let path = file.display().to_string();
        let known: Value = serde_json::from_slice(&std::fs::read(file.with_extension("answer.json")).unwrap()).unwrap();
        for solution in known["solutions"].as_array().into_iter().flatten() {
            let z: Vec<f64> = solution
                .as_array()
                .unwrap()
                .iter()
                .map(|v| rational(v.as_str().unwrap()))
                .collect();
            let answer_file = folder.join("z.json");
            std::fs::write(&answer_file, serde_json::to_string(&z).unwrap()).unwrap();
            let check = stiction(&["check", &path, &answer_file.display().to_string()]);
            assert_eq!(check.code, 0, "{path}: {}", check.stdout);
        }
    }
}
