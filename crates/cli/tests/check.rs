//! `stiction check`: answers from anyone, judged by the problem's own data.
// The lint knows tests by their attribute and misses their helpers.
#![allow(clippy::unwrap_used)]

mod running;

use std::path::PathBuf;

use running::{Ran, folder, stiction_in, workspace};

const PROBLEM: &str = r#"{"kind":"lcp","name":"murty","M":[[2,1],[1,2]],"q":[-5,-6]}"#;

/// Judges an answer to Murty's problem, whose solution is (4/3, 7/3).
fn judge(test: &str, answer: &str, more: &[&str]) -> Ran {
    let folder: PathBuf = folder(test);
    std::fs::write(folder.join("p.json"), PROBLEM).unwrap();
    std::fs::write(folder.join("a.json"), answer).unwrap();
    stiction_in(&folder, &[&["check", "p.json", "a.json"], more].concat())
}

#[test]
fn a_right_answer_is_accepted_whatever_else_it_holds() {
    let answer =
        r#"{"kind":"x","z":[1.3333333333333333,2.3333333333333335],"status":"solved","solver":{"v":[1]},"w":null}"#;
    let ran = judge("check_right", answer, &[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stdout.contains("accepted: z solves the problem\n"),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("claim"), "{}", ran.stdout);
}

#[test]
fn a_bare_list_is_an_answer() {
    assert_eq!(
        judge("check_bare", "[1.3333333333333333, 2.3333333333333335]", &[]).code,
        0
    );
}

#[test]
fn a_wrong_answer_is_refused_and_its_row_named() {
    let ran = judge(
        "check_wrong",
        r#"{"z":[1.3333333333333333,2.5],"status":"solved"}"#,
        &[],
    );
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.contains("refused: z does not solve the problem\n"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("worst row  1: z = 2.5, w = 0.33333333333333"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout
            .contains("claim      the answer says solved, but it is not\n"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_solution_sold_as_none_is_noticed() {
    let answer = r#"{"z":[1.3333333333333333,2.3333333333333335],"status":"infeasible"}"#;
    let ran = judge("check_shy", answer, &[]);
    assert_eq!(ran.code, 0);
    assert!(
        ran.stdout
            .contains("the answer says infeasible, but its z solves the problem"),
        "{}",
        ran.stdout
    );
}

#[test]
fn the_tolerance_decides() {
    let answer = "[1.3333333, 2.3333333]";
    assert_eq!(judge("check_tight", answer, &[]).code, 1);
    assert_eq!(judge("check_loose", answer, &["--tolerance", "1e-6"]).code, 0);
}

#[test]
fn the_verdict_is_json_when_asked() {
    let verdict = judge("check_json", "[0, 0]", &["--json"]).json();
    assert_eq!(verdict["kind"], "lcp-check");
    assert_eq!(verdict["verdict"], "refused");
    assert_eq!(verdict["worst"]["row"], 0);
    assert_eq!(verdict["worst"]["w"], -5.0);
    assert_eq!(verdict["claimed"], serde_json::Value::Null);
    assert_eq!(verdict["residual"], 1.0);
}

#[test]
fn answers_that_cannot_be_judged_are_bad_input() {
    for (at, (answer, message)) in [
        ("[1]", "a.json: z: must have 2 entries, found 1"),
        (r#"{"z":[1,2,3]}"#, "a.json: z: must have 2 entries, found 3"),
        (r#"{"status":"ray"}"#, "a.json: z: missing field"),
        (r#"{"z":[1,null]}"#, "a.json: z[1]: must be a number, found null"),
        (r#"{"z":[1,1e999]}"#, "a.json: z[1]: must be finite, found 1e999"),
        (r#"{"z":[1,2],"z":[3,4]}"#, "a.json: z: must be given once, found again"),
        (r#"{"z":[1,2],"status":4}"#, "a.json: status: must be a string, found 4"),
        ("3", "a.json: must be an object, found 3"),
        (
            "",
            "a.json: line 1 column 0: EOF while parsing a value, found the end of the file",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let ran = judge(&format!("check_bad_{at}"), answer, &[]);
        assert_eq!((ran.code, ran.stderr), (2, format!("{message}\n")), "{answer}");
    }
}

#[test]
fn a_problem_of_a_set_is_named() {
    let set = workspace().join("problems/lcp/drake/lcp_small.json");
    let folder = folder("check_set");
    std::fs::write(folder.join("a.json"), "[0, 1]").unwrap();
    let set = std::path::absolute(set).unwrap().display().to_string();
    let ran = stiction_in(&folder, &["check", &set, "a.json", "--case", "cps_4_4_16_psd_tie"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = stiction_in(&folder, &["check", &set, "a.json"]);
    assert!(
        ran.stderr
            .ends_with("case: must be named by --case, found 12 problems\n"),
        "{ran:?}"
    );
}

#[test]
fn a_certificate_of_infeasibility_is_checked_exactly() {
    let problem = r#"{"kind": "lcp", "M": [[1, -1], [-1, 1]], "q": [-1, -1]}"#;
    let folder = folder("check_farkas");
    std::fs::write(folder.join("p.json"), problem).unwrap();
    let judged = |y: &str| {
        let answer =
            format!(r#"{{"status": "infeasible", "z": [0, 0], "certificate": {{"kind": "farkas", "y": [{y}]}}}}"#);
        std::fs::write(folder.join("a.json"), answer).unwrap();
        stiction_in(&folder, &["check", "p.json", "a.json"]).code
    };
    assert_eq!(judged(r#""1", "1""#), 0);
    assert_eq!(judged("1, 1.0"), 0);
    assert_eq!(judged("1, 2"), 1);
    assert_eq!(judged("1, null"), 2);
    assert_eq!(judged(r#""1", "2""#), 1);
    assert_eq!(judged(r#""1/0", "x""#), 1);
}

#[test]
fn huge_terms_that_cancel_are_refused() {
    let folder = folder("check_cancel");
    std::fs::write(
        folder.join("p.json"),
        r#"{"kind": "lcp", "M": [[1, -1], [-1, 1]], "q": [-1, -1]}"#,
    )
    .unwrap();
    std::fs::write(folder.join("a.json"), "[1e17, 1e17]").unwrap();
    assert_eq!(stiction_in(&folder, &["check", "p.json", "a.json"]).code, 1);
}

#[test]
fn who_says_solved_beside_a_proof_of_the_opposite_is_refused() {
    let folder = folder("check_farkas_and_solved");
    std::fs::write(folder.join("p.json"), r#"{"kind": "lcp", "M": [[0]], "q": [-1]}"#).unwrap();
    for (status, code) in [("infeasible", 0), ("solved", 1), ("SOLVED", 1)] {
        let answer = format!(r#"{{"status": "{status}", "z": [0], "certificate": {{"kind": "farkas", "y": ["1"]}}}}"#);
        std::fs::write(folder.join("a.json"), answer).unwrap();
        let ran = stiction_in(&folder, &["check", "p.json", "a.json"]);
        assert_eq!(ran.code, code, "{status}: {ran:?}");
    }
    // Right except for rounding, and proven not to be.
    std::fs::write(
        folder.join("p.json"),
        r#"{"kind": "lcp", "M": [[0, 0], [0, 1]], "q": [-1e-17, -1]}"#,
    )
    .unwrap();
    let answer = r#"{"status": "solved", "z": [0, 1], "certificate": {"kind": "farkas", "y": ["1", "0"]}}"#;
    std::fs::write(folder.join("a.json"), answer).unwrap();
    let ran = stiction_in(&folder, &["check", "p.json", "a.json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stdout
            .contains("says solved, but its certificate proves that nothing can"),
        "{ran:?}"
    );
}
