//! Every problem of `problems/lcp` against its known answer, and the public data sets where they are present.
// The lint knows tests by their attribute and misses their helpers.
#![allow(clippy::unwrap_used)]

mod running;

use std::path::PathBuf;

use running::{data, folder, stiction, workspace};
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

/// The double nearest to `p/q` or `p`, but for one rounding.
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

#[test]
fn the_data_sets_are_solved_and_reported_with_the_same_bits() {
    let Some(sets) = data("siconos") else { return };
    let sets = sets.parent().unwrap().display().to_string();
    let (first, second) = (
        stiction(&["experiment", "lcp-data", &sets]),
        stiction(&["experiment", "lcp-data", &sets]),
    );
    assert_eq!((first.code, &first.stdout), (0, &second.stdout));
    let rows: Vec<Vec<&str>> = first
        .stdout
        .lines()
        .filter(|line| line.starts_with("| "))
        .skip(2)
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect();
    assert_eq!(rows.len(), 138);
    let known_unsolvable = |name: &str| {
        let answer = workspace().join("problems/lcp").join(format!("{name}.answer.json"));
        let known = std::fs::read(answer)
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
        name == "infeasible_1" || known.is_some_and(|known| known["status"] != "solved")
    };
    for row in rows {
        let (name, status) = (row[1], row[3]);
        assert!(status != "solved" || !known_unsolvable(name), "{name} has no solution");
        assert!(
            status == "solved" || known_unsolvable(name) || OPEN.contains(&name),
            "{name}: {status}"
        );
    }
}

#[test]
fn absent_sets_are_said_to_be_skipped() {
    let folder = folder("corpus_absent");
    let report = folder.join("report.md");
    // One of eight is there.
    std::fs::create_dir(folder.join("drake-lcp")).unwrap();
    let problem = r#"{"kind": "lcp", "M": [[1]], "q": [-1]}"#;
    std::fs::write(folder.join("drake-lcp/one.json"), problem).unwrap();
    let ran = stiction(&[
        "experiment",
        "lcp-data",
        &folder.display().to_string(),
        "-o",
        &report.display().to_string(),
    ]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert!(
        ran.stderr.starts_with("skipped: siconos/lcp is not there\n"),
        "{}",
        ran.stderr
    );
    let text = std::fs::read_to_string(report).unwrap();
    assert!(
        text.contains("Skipped, not there: siconos/lcp, siconos/mlcp, "),
        "{text}"
    );
}

#[test]
fn the_seed_cases_are_split_as_they_stand_here() {
    let Some(set) = data("seed-cases/lcp.json") else { return };
    let folder = folder("corpus_split");
    let arguments = [set.display().to_string(), folder.display().to_string()];
    let ran = stiction(&["experiment", "split-cases", &arguments[0], &arguments[1]]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let here = workspace().join("problems/lcp").join(path.file_name().unwrap());
        let (made, kept) = (std::fs::read(&path).unwrap(), std::fs::read(&here).unwrap());
        assert_eq!(made, kept, "{}", here.display());
        count += 1;
    }
    assert_eq!(count, 120);
}
