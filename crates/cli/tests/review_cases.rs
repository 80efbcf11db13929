//! Problems that a review found hard (`problems/review`): each is solved, with a bound on the work.
#![allow(clippy::unwrap_used)]

mod running;

use running::{stiction, workspace};

/// File, law, most Newton steps and most pivots: about three times what is needed. Before, most took thousands of steps, and some had no answer.
const CASES: [(&str, &str, u64, u64); 13] = [
    ("chain-20", "coulomb", 2_000, 7_000),
    ("loops-495", "coulomb", 600, 20),
    ("lowrank-470", "coulomb", 500, 20),
    ("muinf-exists-3", "coulomb", 1_500, 50),
    ("muinf-exists-5", "coulomb", 500, 50),
    ("nearpar-138", "coulomb", 500, 0),
    ("needle-40", "coulomb", 100, 0),
    ("needle-277", "coulomb", 150, 0),
    ("poly-lowrank-42", "coulomb", 2_100, 25_000),
    ("poly-lowrank-42", "polyhedral", 8_000, 34_000),
    ("needle-40", "polyhedral", 100, 50),
    ("needle-277", "polyhedral", 100, 100),
    ("nearpar-138", "polyhedral", 1_500, 2_500),
];

fn file(name: &str) -> String {
    workspace()
        .join(format!("problems/review/{name}.json"))
        .display()
        .to_string()
}

#[test]
fn all_are_solved_with_bounded_work() {
    for (name, law, most_steps, most_pivots) in CASES {
        let ran = stiction(&["solve", &file(name), "--law", law, "--json"]);
        assert_eq!(ran.code, 0, "{name}, {law}: {ran:?}");
        let answer = ran.json();
        assert_eq!(answer["status"], "solved", "{name}, {law}");
        let count = |key: &str| answer["stats"][key].as_u64().unwrap();
        assert!(
            count("newton_steps") <= most_steps,
            "{name}, {law}: {}",
            answer["stats"]
        );
        assert!(count("pivots") <= most_pivots, "{name}, {law}: {}", answer["stats"]);
    }
}

#[test]
fn answers_with_infinite_friction_pass_the_check() {
    for name in ["muinf-exists-3", "muinf-exists-5"] {
        let ran = stiction(&["check", &file(name), &file(&format!("{name}.answer"))]);
        assert_eq!(ran.code, 0, "{name}: {ran:?}");
    }
}
