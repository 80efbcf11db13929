//! `stiction compare`: our methods, answers from files and drivers, judged alike.
#![allow(clippy::unwrap_used)]

mod running;

use std::path::Path;

use running::{folder, stiction_in};

/// Two LCPs: z = (4/3, 7/3), and z = (0, 1).
const PROBLEMS: [(&str, &str); 2] = [
    ("one.json", r#"{"kind": "lcp", "M": [[2, 1], [1, 2]], "q": [-5, -6]}"#),
    ("two.json", r#"{"kind": "lcp", "M": [[2, 1], [1, 2]], "q": [0, -2]}"#),
];

/// A driver with a solver that is right, one that lies, one that says it failed and one that crashes.
const DRIVER: &str = r##"
case "$1" in
--list) echo "right lcp knows the answers"; echo "liar lcp,contact says 1"; echo "honest lcp gives up"; echo "crash lcp"; echo "# absent: not installed";;
right) if grep -q -- "-5" "$2"; then z="1.3333333333333333, 2.3333333333333335"; else z="0, 1"; fi; echo "{\"status\": \"solved\", \"z\": [$z], \"time_us\": 2.5}" > "$3";;
liar) echo '{"status": "solved", "z": [1, 1], "time_us": 0.1}' > "$3";;
honest) echo '{"status": "gave up"}' > "$3";;
crash) kill -9 $$;;
esac
"##;

#[test]
fn answers_count_by_our_judge_only() {
    let folder = folder("compare");
    std::fs::create_dir_all(folder.join("problems")).unwrap();
    for (name, text) in PROBLEMS {
        std::fs::write(folder.join("problems").join(name), text).unwrap();
    }
    std::fs::write(folder.join("problems/README.txt"), "not a problem").unwrap();
    std::fs::write(folder.join("driver.sh"), DRIVER).unwrap();
    std::fs::create_dir_all(folder.join("answers")).unwrap();
    std::fs::write(folder.join("answers/two.json"), "[0, 1]").unwrap();
    let ran = stiction_in(
        &folder,
        &[
            "compare",
            "problems",
            "--peers",
            "sh driver.sh",
            "--answers",
            "file=answers",
            "-o",
            "out",
            "--json",
        ],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let found = ran.json();
    let row = |name: &str| {
        let rows = found["league"].as_array().unwrap();
        let row = rows
            .iter()
            .find(|row| row["solver"] == name)
            .unwrap_or_else(|| panic!("{name}: {rows:?}"));
        ["tried", "verified", "wrong", "failed"].map(|key| row[key].as_u64().unwrap())
    };
    assert_eq!(row("stiction"), [2, 2, 0, 0]);
    assert_eq!(row("right"), [2, 2, 0, 0]);
    assert_eq!(row("liar"), [2, 0, 2, 0]);
    assert_eq!(row("honest"), [2, 0, 0, 2]);
    assert_eq!(row("crash"), [2, 0, 0, 2]);
    assert_eq!(row("file"), [1, 1, 0, 0]);
    let messages = found["messages"].to_string();
    assert!(
        messages.contains("absent: not installed") && messages.contains("README.txt"),
        "{messages}"
    );
    for name in ["league.csv", "tries.csv", "compare.json", "index.html"] {
        assert!(Path::new(&folder).join("out").join(name).is_file(), "{name}");
    }
    let page = std::fs::read_to_string(folder.join("out/index.html")).unwrap();
    assert!(
        page.contains("Performance profile") && page.contains("<path d=") && page.contains("liar"),
        "{page}"
    );
    // Only what was asked for, and a word on what is not there.
    let ran = stiction_in(
        &folder,
        &[
            "compare",
            "problems",
            "--peers",
            "sh driver.sh",
            "--only",
            "liar,nobody",
        ],
    );
    assert!(
        ran.stdout.contains("liar") && !ran.stdout.contains("honest"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("nobody: not among the solvers"), "{}", ran.stdout);
    assert!(ran.stdout.contains("said to be solved, and wrong:"), "{}", ran.stdout);
}

#[test]
fn a_driver_that_hangs_is_ended() {
    let folder = folder("compare_hangs");
    std::fs::write(folder.join("one.json"), PROBLEMS[0].1).unwrap();
    std::fs::write(
        folder.join("driver.sh"),
        "if [ \"$1\" = --list ]; then echo slow lcp; else exec sleep 100; fi",
    )
    .unwrap();
    let start = std::time::Instant::now();
    let ran = stiction_in(
        &folder,
        &[
            "compare",
            "one.json",
            "--peers",
            "sh driver.sh",
            "--limit",
            "1",
            "--json",
        ],
    );
    assert!(start.elapsed().as_secs() < 30, "{ran:?}");
    assert!(
        ran.json()["tries"].to_string().contains("no answer within 1 s"),
        "{}",
        ran.stdout
    );
}

/// What says that it is solved and has no numbers is wrong; files of one name in two folders are two problems.
#[test]
fn no_numbers_are_wrong_and_names_are_kept_apart() {
    let folder = folder("compare_names");
    for (inner, (_, text)) in ["a", "b"].into_iter().zip(PROBLEMS) {
        std::fs::create_dir_all(folder.join("problems").join(inner)).unwrap();
        std::fs::write(folder.join("problems").join(inner).join("same.json"), text).unwrap();
        std::fs::create_dir_all(folder.join("answers").join(inner)).unwrap();
    }
    std::fs::write(
        folder.join("answers/a/same.json"),
        r#"{"status": "Solved", "z": [1e999, 0]}"#,
    )
    .unwrap();
    std::fs::write(
        folder.join("answers/b/same.json"),
        r#"{"status": "solved", "z": [0, 1]}"#,
    )
    .unwrap();
    let ran = stiction_in(&folder, &["compare", "problems", "--answers", "file=answers", "--json"]);
    let found = ran.json();
    let outcomes: Vec<String> = found["tries"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|found| found["solver"] == "file")
        .map(|found| format!("{}: {}", found["problem"], found["outcome"]))
        .collect();
    assert_eq!(outcomes, ["\"a/same\": \"wrong\"", "\"b/same\": \"verified\""]);
    let ran = stiction_in(&folder, &["compare", "problems", "--answers", "stiction=answers"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("found stiction, which is ours"), "{}", ran.stderr);
}
