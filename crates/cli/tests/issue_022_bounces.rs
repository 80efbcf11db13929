//! Friction at a bounce was that of the compression only, and `check` could not judge answers after Poisson's rule. And a contact's two friction
//! coefficients, dry and viscous, were never read together.
#![allow(clippy::unwrap_used)]

mod running;

use running::{Ran, folder, stiction_in};
use serde_json::{Value, json};
use std::path::Path;

/// A ball that arrives with (8, −3) m/s; its centre is at the contact, so that nothing turns it.
const BALL: &str = r#"{ "kind": "contact", "name": "ball", "dt": 1,
  "bodies": [ { "name": "ball", "mass": 1, "inertia": [1, 1, 1], "position": [0, 0, 0], "velocity": [8, 0, -3, 0, 0, 0], "wrench": [0, 0, 0, 0, 0, 0] } ],
  "contacts": [ { "a": 0, "b": null, "point": [0, 0, 0], "normal": [0, 0, 1], "mu": 0.3, "restitution": 1 } ] }"#;

/// A block that slides at 3 m/s under its weight of 20 N.
fn block(kind: &str, dt: &str) -> String {
    format!(
        r#"{{ "kind": "{kind}", "name": "block", {dt}
  "bodies": [ {{ "name": "block", "mass": 2, "inertia": [1, 1, 1], "position": [0, 0, 0], "velocity": [3, 0, 0, 0, 0, 0], "wrench": [0, 0, -20, 0, 0, 0] }} ],
  "contacts": [ {{ "a": 0, "b": null, "point": [0, 0, 0], "normal": [0, 0, 1], "mu": 0.5, "viscosity": 4 }} ] }}"#
    )
}

fn near(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap();
    assert!((found - expected).abs() < 1e-12, "found {found}, expected {expected}");
}

fn check(folder: &Path, problem: &str, answer: &Value, more: &[&str]) -> Ran {
    std::fs::write(folder.join("a.json"), answer.to_string()).unwrap();
    stiction_in(folder, &[&["check", problem, "a.json"], more].concat())
}

#[test]
fn a_bounce_is_solved_and_judged_as_a_whole() {
    let folder = folder("issue_022_bounce");
    std::fs::write(folder.join("ball.json"), BALL).unwrap();
    let poisson = ["--restitution", "poisson"];
    for law in ["coulomb", "polyhedral"] {
        for rule in ["newton", "poisson"] {
            let ran = stiction_in(
                &folder,
                &["solve", "ball.json", "--json", "--law", law, "--restitution", rule],
            );
            let answer = ran.json();
            near(&answer["bodies"][0]["velocity"][0], 6.2);
            near(&answer["bodies"][0]["velocity"][2], 3.0);
            near(&answer["contacts"][0]["normal_impulse"], 6.0);
            // Newton's rule is a bias: with it the contact stays closed.
            let state = if rule == "newton" { "sliding" } else { "separating" };
            assert_eq!(answer["contacts"][0]["state"], state);
            let ran = check(&folder, "ball.json", &answer, &["--law", law, "--restitution", rule]);
            assert_eq!(ran.code, 0, "{ran:?}");
        }
    }
    let mut answer = stiction_in(&folder, &[&["solve", "ball.json", "--json"], &poisson[..]].concat()).json();
    near(&answer["compression"]["contacts"][0]["normal_impulse"], 3.0);
    // As it was: the friction of the compression.
    answer["contacts"][0]["friction_impulse"] = json!([-0.9, 0, 0]);
    let ran = check(&folder, "ball.json", &answer, &poisson);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("friction"), "{ran:?}");
    // A compression that is not one.
    answer["contacts"][0]["friction_impulse"] = json!([-1.8, 0, 0]);
    assert_eq!(check(&folder, "ball.json", &answer, &poisson).code, 0);
    answer["compression"]["contacts"][0]["normal_impulse"] = json!(2.0);
    assert_eq!(check(&folder, "ball.json", &answer, &poisson).code, 1);
}

#[test]
fn a_block_has_both_frictions() {
    let folder = folder("issue_022_block");
    std::fs::write(folder.join("step.json"), block("contact", r#""dt": 0.1,"#)).unwrap();
    std::fs::write(folder.join("forces.json"), block("contact-acceleration", "")).unwrap();
    let answer = stiction_in(&folder, &["solve", "step.json", "--json", "--law", "coulomb-viscous"]).json();
    assert_eq!(answer["law"], "coulomb-viscous");
    // (3 − 0.5·10·0.1)/(1 + 4·0.1/2)
    near(&answer["bodies"][0]["velocity"][0], 2.5 / 1.2);
    assert_eq!(
        check(&folder, "step.json", &answer, &["--law", "coulomb-viscous"]).code,
        0
    );
    assert_eq!(check(&folder, "step.json", &answer, &["--law", "coulomb"]).code, 1);
    for law in ["coulomb-viscous", "coulomb_viscous_acceleration"] {
        let answer = stiction_in(&folder, &["solve", "forces.json", "--json", "--law", law]).json();
        assert_eq!(answer["law"], "coulomb-viscous-acceleration");
        near(&answer["bodies"][0]["acceleration"][0], -5.0 - 4.0 * 3.0 / 2.0);
        assert_eq!(check(&folder, "forces.json", &answer, &["--law", law]).code, 0);
        assert_eq!(check(&folder, "forces.json", &answer, &["--law", "viscous"]).code, 1);
    }
    let words = stiction_in(&folder, &["solve", "step.json", "--law", "coulomb-viscous"]);
    assert!(
        words.stdout.contains("coulomb-viscous: friction within the round cone"),
        "{words:?}"
    );
}
