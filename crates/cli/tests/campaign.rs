//! The campaign of the test suite: 50,000 random friction problems, every one solved and verified.

use stiction_cli::campaign::{self, families::Family};

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
