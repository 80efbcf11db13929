//! `stiction stand`: every option asked together with its exit status, and `stiction check` of what it writes.
#![allow(clippy::unwrap_used)]

mod running;

use std::path::{Path, PathBuf};

use running::{folder, stiction_in};
use serde_json::Value;

const BOX: &str = r#"
format = 1
material = [{ name = "felt", friction = 0.6 }]
world = {}
body = [
    { name = "table", material = "felt", shape = { half_space = [0, 0, 1] } },
    { name = "box", material = "felt", shape = { box = [1, 1, 1] }, mass = 8, position = [0, 0, 0.5] },
]
"#;

const HUNG: &str = r#"
format = 1
world = { friction = 0.5 }
body = [
    { name = "table", shape = { half_space = [0, 0, 1] } },
    { name = "left", shape = { box = [1, 1, 1] }, mass = 5, position = [-1, 0, 0.5] },
    { name = "right", shape = { box = [1, 1, 1] }, mass = 5, position = [1, 0, 0.5] },
    { name = "book", shape = { box = [1, 1, 0.4] }, mass = 1, position = [0, 0, 0.7] },
]
"#;

/// An arm of 2 kg whose centre is 0.5 m from its hinge, which rubs with so many newton metres at the most.
fn arm(most: f64) -> String {
    format!(
        r#"
format = 1
world = {{ dt = 0.001 }}
body = [
    {{ name = "frame", shape = {{ ball = 0.1 }}, kind = "fixed" }},
    {{ name = "arm", shape = {{ box = [1, 0.1, 0.1] }}, mass = 2, position = [0.5, 0, 0], groups = [1] }},
]
joint = [
    {{ name = "hinge", kind = "revolute", a = "arm", b = "frame", position = [0, 0, 0], axis = [0, 1, 0], friction = {most} }},
]
"#
    )
}

fn scene(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name);
    std::fs::write(&file, text).unwrap();
    file
}

/// Exit status and JSON of `stand`, of which every proof is checked again and read back by `check`.
fn stand(folder: &Path, file: &str, more: &[&str]) -> (i32, Value) {
    let mut arguments = vec!["stand", file, "--prove", "--json", "-o", "stand.json"];
    arguments.extend(more);
    let ran = stiction_in(folder, &arguments);
    assert_eq!(ran.stderr, "", "{more:?}");
    let checked = stiction_in(folder, &["check", file, "stand.json"]);
    assert_eq!(checked.code, 0, "{more:?}: {}", checked.stdout);
    (ran.code, ran.json())
}

#[test]
fn margins_ranges_and_least_values_come_with_their_proofs() {
    let folder = folder("stand-box");
    scene(&folder, "box.toml", BOX);
    let (code, json) = stand(
        &folder,
        "box.toml",
        &["--tilt", "any", "--load", "box=1,0,0", "--ranges", "--friction"],
    );
    assert_eq!((code, json["verdict"].as_str()), (0, Some("stands")));
    // μ = 0.6 in every direction; μ mg = 47.1 N along x at the centre.
    let radius = &json["region"]["radius"];
    let (low, high) = (radius["low"].as_f64().unwrap(), radius["high"].as_f64().unwrap());
    assert!(
        low > 0.599 && low <= 0.6 && (0.6..0.6001).contains(&high),
        "{low} {high}"
    );
    let load = &json["margins"][0];
    assert!(
        (load["low"].as_f64().unwrap() - 0.6 * 8.0 * 9.81).abs() < 1e-4,
        "{load}"
    );
    let range = &json["ranges"][0];
    assert!((range["high"].as_f64().unwrap() - 8.0 * 9.81).abs() < 1e-5, "{range}");
    assert_eq!(json["friction"]["needs_none"], true);
    let (code, json) = stand(
        &folder,
        "box.toml",
        &["--vary", "material.felt.friction=0.1..0.5", "--time", "0.02"],
    );
    assert_eq!((code, json["vary"]["changes"].as_array().unwrap().len()), (0, 0));
}

#[test]
fn a_force_limit_decides_and_is_never_exceeded() {
    let folder = folder("stand-limit");
    scene(&folder, "box.toml", BOX);
    // Four corners carry 19.62 N each.
    let (code, json) = stand(&folder, "box.toml", &["--force-limit", "5"]);
    assert_eq!((code, json["verdict"].as_str()), (1, Some("falls")));
    let (code, json) = stand(
        &folder,
        "box.toml",
        &["--force-limit", "30", "--tilt", "x", "--tilt", "any"],
    );
    assert_eq!(code, 0);
    for list in [&json["evidence"]["forces"], &json["margins"][0]["forces"]] {
        for f in list["contacts"].as_array().unwrap() {
            assert!(f[0].as_f64().unwrap() <= 30.0);
        }
    }
    let expected = (60.0 - 18.48) / 78.48;
    assert!((json["margins"][0]["high"].as_f64().unwrap() - expected).abs() < 1e-6);
    let bad = stiction_in(&folder, &["stand", "box.toml", "--force-limit", "-1"]);
    assert_eq!(bad.code, 2);
}

#[test]
fn a_squeeze_holds_what_it_touches() {
    let folder = folder("stand-hung");
    scene(&folder, "hung.toml", HUNG);
    let (code, json) = stand(&folder, "hung.toml", &[]);
    assert_eq!((code, json["verdict"].as_str()), (3, Some("may_fall")));
    let (code, json) = stand(&folder, "hung.toml", &["--squeeze", "left", "right"]);
    assert_eq!((code, json["verdict"].as_str()), (0, Some("stands")));
    assert!((json["squeeze"]["least"].as_f64().unwrap() - 9.81).abs() < 1e-4);
    let bad = stiction_in(&folder, &["stand", "hung.toml", "--squeeze", "table"]);
    assert_eq!(bad.code, 2);
    assert!(bad.stderr.contains("must name bodies that can move"), "{}", bad.stderr);
    // A verdict that was changed is refused.
    let text = std::fs::read_to_string(folder.join("stand.json")).unwrap();
    let mut changed: Value = serde_json::from_str(&text).unwrap();
    changed["squeeze"] = Value::Null;
    std::fs::write(folder.join("changed.json"), changed.to_string()).unwrap();
    assert_eq!(stiction_in(&folder, &["check", "hung.toml", "changed.json"]).code, 1);
}

#[test]
fn a_hinge_that_rubs_holds_an_arm_up_to_its_largest_torque() {
    let folder = folder("stand-arm");
    // 2 · 9.81 · 0.5 N·m.
    for (most, expected) in [(9.81 * (1.0 + 1e-6), 0), (9.81 * (1.0 - 1e-6), 1)] {
        scene(&folder, "arm.toml", &arm(most));
        let ran = stiction_in(&folder, &["stand", "arm.toml", "--prove"]);
        assert_eq!(ran.code, expected, "{most}: {} {}", ran.stdout, ran.stderr);
    }
}

#[test]
fn what_is_exactly_at_its_limit_is_undecided() {
    let folder = folder("stand-limit-exact");
    // tan = μ in the decimals, and in doubles to a rounding.
    let ramp = BOX
        .replace("friction = 0.6 }", "friction = 0.75 }")
        .replace("world = {}", "world = { gravity = [0.6, 0, -0.8] }");
    scene(&folder, "ramp.toml", &ramp);
    let ran = stiction_in(&folder, &["stand", "ramp.toml"]);
    assert_eq!(ran.code, 4, "{}", ran.stdout);
    assert!(
        ran.stdout
            .starts_with("ramp: 1 body that can move, 4 contacts\nUNDECIDED"),
        "{}",
        ran.stdout
    );
}
