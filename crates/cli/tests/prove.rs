//! `stiction solve --prove`: every seed case is proven on its decimals as printed.

mod running;

use running::{stiction, workspace};
use serde_json::Value;

#[test]
fn every_seed_case_is_proven() {
    let file = workspace().join("problems/seed/lcp.json");
    let ran = stiction(&["solve", &file.display().to_string(), "--prove", "--json"]);
    let answers: Vec<Value> = serde_json::from_str(&ran.stdout).expect("a list of answers");
    assert_eq!(answers.len(), 60);
    for answer in &answers {
        assert_eq!(answer["proven"], true, "{}: {}", answer["name"], answer["proof"]);
        assert_eq!(answer["proof"]["data"], "decimals as printed", "{}", answer["name"]);
    }
}

#[test]
fn the_exact_answer_is_that_of_the_decimals() {
    // tan = 3/4 = μ exactly in decimals, but not once 0.6 and 0.8 are doubles.
    let file = workspace().join("problems/lcp/incline-threshold.json");
    let ran = stiction(&["solve", &file.display().to_string(), "--prove", "--json"]);
    let answer: Value = serde_json::from_str(&ran.stdout).expect("an answer");
    assert_eq!(answer["proof"]["z"], serde_json::json!(["4/5", "0", "3/5", "0"]));
}

#[test]
fn bounded_problems_are_proven_too() {
    for name in ["mlcp-free", "box-relay"] {
        let file = workspace().join(format!("problems/lcp/{name}.json"));
        let ran = stiction(&["solve", &file.display().to_string(), "--prove", "--json"]);
        let answer: Value = serde_json::from_str(&ran.stdout).expect("an answer");
        assert_eq!(answer["proven"], true, "{name}: {}", answer["proof"]);
    }
}
