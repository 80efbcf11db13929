//! The campaign of the test suite: 50,000 random friction problems, every one solved and verified.

#![allow(clippy::unwrap_used)]

#[path = "../../cli/tests/running/mod.rs"]
mod running;

use running::{folder, stiction_in};
use stiction_lab::campaign::{self, families::Family};

#[test]
fn fifty_thousand_random_problems_are_solved_and_verified() {
    let rows = campaign::run(50_000, 1, |_, _, _| {}, |_, _, _| Ok(())).expect("the problems are well formed");
    let table = campaign::table(&rows);
    assert_eq!(rows.iter().map(|row| row.count).sum::<usize>(), 50_000);
    for row in &rows {
        assert_eq!(row.unverified, 0, "{}\n{table}", row.family.name());
        assert_eq!(row.solved(), row.count, "{}\n{table}", row.family.name());
        if matches!(row.family, Family::MassRatio | Family::HighFriction) {
            assert!(
                100 * row.in_doubles() >= 99 * row.count,
                "{}\n{table}",
                row.family.name()
            );
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_campaign() {
    let run = |seed| campaign::table(&campaign::run(900, seed, |_, _, _| {}, |_, _, _| Ok(())).expect("well formed"));
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
}

/// Whoever reads a pipe may wait for ever.
#[cfg(unix)]
#[test]
fn a_log_must_be_a_file() {
    let folder = folder("campaign_pipe");
    let made = std::process::Command::new("mkfifo").arg(folder.join("log")).status();
    assert!(made.unwrap().success());
    let ran = stiction_in(&folder, &["campaign", "exact", "--count", "1", "--log", "log"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (2, "log: must be a regular file\n"));
}

#[test]
fn a_run_over_nothing_is_an_error() {
    let folder = folder("campaign_of_none");
    for line in [
        &["experiment", "lcp-campaign", "--count", "0"][..],
        &["experiment", "problems", "out", "--count", "0"],
    ] {
        let ran = stiction_in(&folder, line);
        assert_eq!(
            (ran.code, ran.stderr.as_str()),
            (2, "count: must be 1 at least, found 0\n")
        );
    }
    let ran = stiction_in(&folder, &["experiment", "lcp-data", "."]);
    assert!(ran.code == 2 && ran.stderr.contains("found none of them"), "{ran:?}");
}
