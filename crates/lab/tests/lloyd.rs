//! `stiction-lab experiment lloyd`: its table, its files and its refusals.
#![allow(clippy::unwrap_used)]

#[path = "../../cli/tests/running/mod.rs"]
mod running;

use running::{folder, stiction_in};

#[test]
fn a_quick_run_writes_its_tables_and_figures() {
    let folder = folder("lloyd_quick");
    let arguments = ["experiment", "lloyd", "--quick", "--only", "single", "--out", "out"];
    let ran = stiction_in(&folder, &arguments);
    assert!(ran.code == 0 || ran.code == 1, "{ran:?}");
    let csv = std::fs::read_to_string(folder.join("out/lloyd.csv")).unwrap();
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|field| *field == name).unwrap();
    let dense: Vec<_> = rows
        .iter()
        .filter(|row| row[column("method")] == "lemke_standard")
        .collect();
    assert_eq!(dense.len(), 10, "ten single bodies");
    for row in dense {
        assert_eq!((row[column("tried")], row[column("solved")]), ("3", "3"), "{row:?}");
        let [least, median] = ["min_us", "median_us"].map(|name| row[column(name)].parse::<f64>().unwrap());
        assert!(0.0 < least && least <= median, "{row:?}");
        assert!(
            row[column("worst_residual")].parse::<f64>().unwrap() <= 1e-10,
            "{row:?}"
        );
    }
    let warm = std::fs::read_to_string(folder.join("out/lloyd_warm.csv")).unwrap();
    assert_eq!(warm.lines().count(), 1 + 2 * 10);
    let svg = std::fs::read_to_string(folder.join("out/lloyd_single.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains("lemke_standard"), "{svg}");
    let png = std::fs::read(folder.join("out/lloyd_single.png")).unwrap();
    assert_eq!(&png[..4], b"\x89PNG");
    assert!(
        ran.stdout.contains("s09_corner12") && !ran.stdout.contains("peg"),
        "{}",
        ran.stdout
    );
}

#[test]
fn an_unknown_group_is_refused() {
    let ran = stiction_in(&folder("lloyd_bad"), &["experiment", "lloyd", "--only", "pegs"]);
    let message = "only: must be one of peg, single, artisynth, stack, tower, wall, grasp, hard, found pegs\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (2, message));
}

#[test]
fn missing_data_are_named_and_passed_over() {
    let ran = stiction_in(
        &folder("lloyd_missing"),
        &["experiment", "lloyd", "--only", "artisynth", "--artisynth", "no.txt"],
    );
    assert_eq!(ran.stderr, "skipped: artisynth: no.txt is not there\n");
}
