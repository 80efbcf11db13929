//! `stiction solve` on contact problems given by mass blocks and rows.
#![allow(clippy::unwrap_used)]

mod running;

use running::{folder, stiction_in};

/// A jaw of one coordinate presses a block of two coordinates (along the axis and up) against a wall, while gravity pulls it down.
const SQUEEZE: &str = r#"{ "kind": "contact-raw", "name": "squeeze",
    "blocks": [{ "mass": [[2]], "v_free": [3] }, { "mass": [[1, 0], [0, 1]], "v_free": [0, -1] }],
    "contacts": [
        { "parts": [{ "block": 0, "normal": [-1], "tangents": [[0], [0]] },
                    { "block": 1, "normal": [1, 0], "tangents": [[0, 1], [0, 0]] }], "mu": MU },
        { "parts": [{ "block": 1, "normal": [-1, 0], "tangents": [[0, 1], [0, 0]] }], "mu": MU }] }"#;

fn solve(name: &str, mu: &str, law: &str) -> (i32, serde_json::Value) {
    let folder = folder(name);
    std::fs::write(folder.join("squeeze.json"), SQUEEZE.replace("MU", mu)).unwrap();
    let ran = stiction_in(
        &folder,
        &["solve", "squeeze.json", "--law", law, "--json", "--repeat", "3"],
    );
    (ran.code, ran.json())
}

fn number(value: &serde_json::Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn a_squeeze_holds_the_block_up_where_friction_suffices() {
    // The jaw stops: 2 · 3 = 6 at both contacts, and friction of up to 2 · 0.5 · 6 holds the weight of 1.
    let (code, answer) = solve("raw_holds", "0.5", "polyhedral");
    assert_eq!((code, answer["status"].as_str()), (0, Some("solved")), "{answer}");
    assert_eq!(answer["kind"], "contact-raw-solution");
    for contact in 0..2 {
        let normal = number(&answer["contacts"][contact]["normal_impulse"]);
        assert!((normal - 6.0).abs() < 1e-12, "contact {contact}: {normal}");
    }
    let friction: f64 = (0..2)
        .map(|i| number(&answer["contacts"][i]["friction_impulse"][0]))
        .sum();
    assert!((friction - 1.0).abs() < 1e-12, "{friction}");
    for velocity in [&answer["blocks"][0]["velocity"][0], &answer["blocks"][1]["velocity"][1]] {
        assert!(number(velocity).abs() < 1e-12, "{answer}");
    }
    assert!(number(&answer["stats"]["time_min_us"]) <= number(&answer["stats"]["time_us"]));
}

#[test]
fn a_squeeze_with_little_friction_lets_it_slide() {
    // Friction of 2 · 0.05 · 6 = 0.6 leaves −1 + 0.6.
    let (code, answer) = solve("raw_slides", "0.05", "polyhedral");
    assert_eq!(code, 0, "{answer}");
    let falling = number(&answer["blocks"][1]["velocity"][1]);
    assert!((falling + 0.4).abs() < 1e-12, "{falling}");
    assert_eq!(answer["contacts"][0]["state"], "sliding");
}

#[test]
fn bad_files_and_commands_are_refused_in_one_line() {
    let folder = folder("raw_bad");
    let write = |text: &str| std::fs::write(folder.join("a.json"), text).unwrap();
    let good = SQUEEZE.replace("MU", "0.5");
    write(&good.replace("[[2]]", "[[0]]"));
    let ran = stiction_in(&folder, &["solve", "a.json"]);
    let message = "a.json: blocks[0].mass: must be positive definite: pivot 0, found 0\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (2, message));
    write(&good);
    let ran = stiction_in(&folder, &["solve", "a.json", "--restitution", "poisson"]);
    let message = "restitution: must be given for files with bodies only, found a contact-raw file\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (2, message));
    let ran = stiction_in(&folder, &["check", "a.json", "a.json"]);
    let message = "a.json: contacts[0].normal_impulse: missing field\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (2, message));
    let ran = stiction_in(&folder, &["solve", "a.json", "--law", "polyhedral"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stdout.starts_with("squeeze: 2 blocks, 3 coordinates, 2 contacts"),
        "{}",
        ran.stdout
    );
}
