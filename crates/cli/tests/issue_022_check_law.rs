//! `check` took the law, the polygon and ε from the answer itself: whoever wrote `"law": "frictionless"` into an answer without friction was accepted on
//! a problem with friction. The judge now takes the problem's law, and others only where options name them.
// The lint knows tests by their attribute and misses their helpers.
#![allow(clippy::unwrap_used)]

mod running;

use std::path::Path;

use running::{Ran, folder, stiction_in, workspace};
use serde_json::{Value, json};

/// A file of the repository, by its absolute path.
fn problem(path: &str) -> String {
    let path = workspace().join("problems").join(path).with_extension("json");
    std::path::absolute(path).unwrap().display().to_string()
}

/// The answer that `solve` gives with these options, written to a file.
fn solved(folder: &Path, problem: &str, options: &[&str]) -> Value {
    let ran = stiction_in(folder, &[&["solve", problem, "--json"], options].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    std::fs::write(folder.join("a.json"), &ran.stdout).unwrap();
    ran.json()
}

fn check(folder: &Path, problem: &str, options: &[&str]) -> Ran {
    stiction_in(folder, &[&["check", problem, "a.json"], options].concat())
}

/// Refused with these words, in text and in JSON.
fn assert_refused(folder: &Path, problem: &str, options: &[&str], reason: &str) {
    let text = check(folder, problem, options);
    assert_eq!(text.code, 1, "{text:?}");
    assert!(text.stdout.contains(&format!("refused: {reason}\n")), "{}", text.stdout);
    let verdict = check(folder, problem, &[options, &["--json"]].concat()).json();
    assert_eq!(
        (&verdict["verdict"], &verdict["reason"]),
        (&json!("refused"), &json!(reason)),
        "{verdict}"
    );
}

fn assert_accepted(folder: &Path, problem: &str, options: &[&str]) {
    let ran = check(folder, problem, options);
    assert_eq!(ran.code, 0, "{options:?}: {ran:?}");
    let verdict = check(folder, problem, &[options, &["--json"]].concat()).json();
    assert!(verdict.get("reason").is_none(), "{verdict}");
}

#[test]
fn a_frictionless_answer_does_not_answer_coulombs_problem() {
    let (folder, problem) = (folder("law_frictionless"), problem("contact/slide-to-roll"));
    for law in ["frictionless", "no-slip", "viscous", "viscous-explicit"] {
        solved(&folder, &problem, &["--law", law]);
        let reason = format!("answers another law: {law} instead of coulomb");
        assert_refused(&folder, &problem, &[], &reason);
        assert_accepted(&folder, &problem, &["--law", law]);
    }
    solved(&folder, &problem, &[]);
    assert_accepted(&folder, &problem, &[]);
}

#[test]
fn an_option_is_judged_by_whatever_the_answer_says() {
    let (folder, problem) = (folder("law_option"), problem("contact/slide-to-roll"));
    let mut answer = solved(&folder, &problem, &[]);
    answer["law"] = json!("frictionless");
    std::fs::write(folder.join("a.json"), answer.to_string()).unwrap();
    assert_refused(
        &folder,
        &problem,
        &[],
        "answers another law: frictionless instead of coulomb",
    );
    assert_accepted(&folder, &problem, &["--law", "coulomb"]);
    // Friction is none of the frictionless law.
    let ran = check(&folder, &problem, &["--law", "frictionless"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("refused: the impulses do not solve"), "{ran:?}");
}

#[test]
fn the_answers_own_polygon_is_not_the_problems() {
    let (folder, problem) = (folder("law_polygon"), problem("contact/sliding-diagonal"));
    solved(&folder, &problem, &["--law", "polyhedral"]);
    let reason = "answers another law: polyhedral instead of coulomb";
    assert_refused(&folder, &problem, &[], reason);
    assert_accepted(&folder, &problem, &["--law", "polyhedral"]);
    // Three directions leave most of the slip's choice to the answer.
    solved(&folder, &problem, &["--law", "polyhedral", "--directions", "3"]);
    let reason = "answers another polygon: 3 directions instead of 8";
    assert_refused(&folder, &problem, &["--law", "polyhedral"], reason);
    assert_accepted(&folder, &problem, &["--law", "polyhedral", "--directions", "3"]);
    assert_eq!(
        check(&folder, &problem, &["--law", "polyhedral", "--directions", "8"]).code,
        1
    );
}

#[test]
fn forces_as_published_are_another_law() {
    let (folder, problem) = (folder("law_published"), problem("contact-acceleration/diagonal-push"));
    solved(&folder, &problem, &["--as-published"]);
    assert_refused(
        &folder,
        &problem,
        &[],
        "answers another law: coulomb-acceleration-as-published instead of coulomb-acceleration",
    );
    assert_accepted(&folder, &problem, &["--as-published"]);
    assert_accepted(&folder, &problem, &["--law", "coulomb-acceleration-as-published"]);
}

#[test]
fn matrices_are_judged_by_coulombs_law_too() {
    let folder = folder("law_raw");
    let sliding = r#"{"kind": "contact-raw", "name": "sliding", "blocks": [{"mass": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "v_free": [3, 1, -1]}],
        "contacts": [{"parts": [{"block": 0, "normal": [0, 0, 1], "tangents": [[1, 0, 0], [0, 1, 0]]}], "mu": 0.5}]}"#;
    std::fs::write(folder.join("p.json"), sliding).unwrap();
    for law in ["frictionless", "polyhedral", "no-slip"] {
        solved(&folder, "p.json", &["--law", law]);
        let reason = format!("answers another law: {law} instead of coulomb");
        assert_refused(&folder, "p.json", &[], &reason);
        assert_accepted(&folder, "p.json", &["--law", law]);
    }
    solved(&folder, "p.json", &["--law", "polyhedral", "--directions", "16"]);
    let reason = "answers another polygon: 16 directions instead of 8";
    assert_refused(&folder, "p.json", &["--law", "polyhedral"], reason);
}

/// A corner that is entered by less than ε.
#[test]
fn epsilon_is_not_the_answers_to_choose() {
    let folder = folder("law_epsilon");
    let corner = r#"{"kind": "contact", "name": "corner", "dt": 0.01,
        "bodies": [{"mass": 1, "inertia": [1, 1, 1], "position": [0, 0, 0], "velocity": [-1.5, -0.5, 0, 0, 0, 0], "wrench": [0, 0, 0, 0, 0, 0]}],
        "contacts": [{"a": 0, "b": null, "point": [0, 0, 0], "normal": [1, 0, 0]}, {"a": 0, "b": null, "point": [0, 0, 0], "normal": [0, 1, 0]}],
        "groups": [[[0], [1]]]}"#;
    std::fs::write(folder.join("p.json"), corner).unwrap();
    // Nothing pushes: the body enters the corner at 0.5 m/s, which an ε of 10 m/s calls far outside.
    let nothing = json!({ "normal_impulse": 0, "friction_impulse": [0, 0, 0] });
    let mut answer = json!({ "status": "solved", "epsilon": 10.0, "contacts": [nothing, nothing] });
    std::fs::write(folder.join("a.json"), answer.to_string()).unwrap();
    let reason = "answers another rule for groups: their sum with epsilon = 10 m/s instead of their sides";
    assert_refused(&folder, "p.json", &[], reason);
    answer["epsilon"] = Value::Null;
    std::fs::write(folder.join("a.json"), answer.to_string()).unwrap();
    assert_refused_by_numbers(&folder);
    solved(&folder, "p.json", &["--method", "nonconvex_sum", "--epsilon", "0.01"]);
    // The summation form is one of the polygon.
    assert_refused(
        &folder,
        "p.json",
        &["--law", "polyhedral"],
        "answers another rule for groups: their sum with epsilon = 0.01 m/s instead of their sides",
    );
    assert_accepted(&folder, "p.json", &["--law", "polyhedral", "--epsilon", "0.01"]);
}

fn assert_refused_by_numbers(folder: &Path) {
    let ran = check(folder, "p.json", &[]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("do not solve the problem"), "{ran:?}");
}

/// A squeeze holds under every law: it speaks of normal velocities alone.
#[test]
fn a_proof_is_no_matter_of_friction() {
    let (folder, problem) = (folder("law_squeeze"), problem("contact/closing-walls"));
    let ran = stiction_in(&folder, &["solve", &problem, "--json", "--law", "frictionless"]);
    assert_eq!((ran.code, &ran.json()["proven"]), (1, &json!(true)), "{ran:?}");
    std::fs::write(folder.join("a.json"), &ran.stdout).unwrap();
    assert_accepted(&folder, &problem, &[]);
}

/// The referee says the same of answers from files.
#[test]
fn the_referee_does_not_count_another_law() {
    let folder = folder("law_referee");
    for name in ["p", "smooth"] {
        std::fs::create_dir(folder.join(name)).unwrap();
    }
    std::fs::copy(problem("contact/slide-to-roll"), folder.join("p/roll.json")).unwrap();
    solved(&folder, "p/roll.json", &[]);
    let mut answer: Value = serde_json::from_slice(&std::fs::read(folder.join("a.json")).unwrap()).unwrap();
    for (law, verified) in [("coulomb", true), ("frictionless", false)] {
        answer["law"] = json!(law);
        std::fs::write(folder.join("smooth/roll.json"), answer.to_string()).unwrap();
        let ran = stiction_in(&folder, &["compare", "p", "--answers", "smooth=smooth", "--json"]);
        let words = "answers another law: frictionless instead of coulomb";
        assert_eq!(ran.stdout.contains(words), !verified, "{ran:?}");
        let found = ran.json();
        let tries = found["tries"].as_array().unwrap();
        let own = tries.iter().find(|one| one["solver"] == "smooth").unwrap();
        let expected = if verified { "verified" } else { "failed" };
        assert_eq!(own["outcome"], expected, "{own}");
    }
}
