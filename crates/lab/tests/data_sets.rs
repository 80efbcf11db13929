//! The public data sets and the sets of seed cases, where they are there.
#![allow(clippy::unwrap_used)]

#[path = "../../cli/tests/running/mod.rs"]
mod running;

use running::{data, folder, stiction, workspace};
use serde_json::Value;

/// Solvable problems on which the default order of methods may still end without an answer.
const OPEN: &[&str] = &["diodeBridge20_mlcp"];

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
    let set = workspace().join("problems/seed/lcp.json");
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
