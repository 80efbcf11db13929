//! Answers of `stiction stand`, `why` and `check` that were wrong or said too much, found by attacking them: margins measured in absolute units, motors that cannot hold taken as
//! holding, balances called standing, fields of a file that were never compared with the scene.
#![allow(clippy::unwrap_used)]

mod running;

use std::path::Path;

use running::{folder, stiction_in};
use serde_json::Value;

const HOUSE: &str = r#"
format = 1
world = { friction = 0.5, density = 2400 }
body = [
    { name = "ground", shape = { half_space = [0, 0, 1] } },
    { name = "block", shape = { box = [10, 10, 10] }, position = [0, 0, 5] },
]
"#;

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

/// Exit status and JSON of `stand`, whose file `check` must accept.
fn stand(folder: &Path, file: &str, more: &[&str]) -> (i32, Value) {
    let mut arguments = vec!["stand", file, "--json", "-o", "stand.json"];
    arguments.extend(more);
    let ran = stiction_in(folder, &arguments);
    let checked = stiction_in(folder, &["check", file, "stand.json"]);
    assert_eq!(checked.code, 0, "{more:?}: {}{}", checked.stdout, checked.stderr);
    (ran.code, ran.json())
}

#[test]
fn a_margin_does_not_depend_on_the_unit_of_the_load() {
    let folder = folder("stand-units");
    write(&folder, "house.toml", HOUSE);
    let limit = 0.5 * 2400.0 * 1000.0 * 9.81;
    for force in [1e-6, 1.0, 1e3, 1e9] {
        let (_, json) = stand(&folder, "house.toml", &["--load", &format!("block={force},0,0")]);
        let margin = &json["margins"][0];
        let (low, high) = (margin["low"].as_f64().unwrap(), margin["high"].as_f64().unwrap());
        assert!((low * force - limit).abs() < 1e-5 * limit, "{force}: {low}");
        assert!((high * force - limit).abs() < 1e-5 * limit, "{force}: {high}");
    }
    // Lifted by as much as it weighs.
    let (_, json) = stand(&folder, "house.toml", &["--load", "block=0,0,1"]);
    let high = json["margins"][0]["high"].as_f64().unwrap();
    assert!((high - 2.0 * limit).abs() < 1e-5 * limit, "{high}");
    // Pressed down it holds any load, and that is proved.
    let ran = stiction_in(&folder, &["stand", "house.toml", "--load", "block=0,0,-1"]);
    assert!(
        ran.stdout.contains("forces exist for any such load, proved"),
        "{}",
        ran.stdout
    );
    let ran = stiction_in(&folder, &["stand", "house.toml", "--load", "block=1e9,0,0"]);
    assert!(
        ran.stdout.contains("0.01177") && ran.stdout.contains("of it"),
        "{}",
        ran.stdout
    );
    let ran = stiction_in(&folder, &["stand", "house.toml", "--load", "block=0,0,0"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("must not be zero"), "{}", ran.stderr);
}

#[test]
fn ends_that_are_far_apart_are_both_said() {
    let folder = folder("stand-ratio");
    let text = r#"
format = 1
world = { friction = 0.5 }
body = [
    { name = "ground", shape = { half_space = [0, 0, 1] } },
    { name = "b", mass = 1e-3, shape = { box = [1, 1, 1] }, position = [0, 0, 0.5] },
    { name = "c", mass = 1e6, shape = { box = [1, 1, 1] }, position = [0.2, 0, 1.5] },
    { name = "d", mass = 1e-6, shape = { box = [1, 1, 1] }, position = [0.2, 0.49, 2.5] },
]
"#;
    write(&folder, "ratio.toml", text);
    let ran = stiction_in(&folder, &["stand", "ratio.toml", "--tilt", "x"]);
    let line = ran.stdout.lines().find(|line| line.starts_with("tilt x"));
    let (_, json) = stand(&folder, "ratio.toml", &["--tilt", "x"]);
    if let Some(margin) = json["margins"].get(0) {
        let gap = margin["high"].as_f64().unwrap_or(f64::INFINITY) - margin["low"].as_f64().unwrap_or(0.0);
        let line = line.unwrap();
        assert_eq!(gap > 1e-2, !line.contains(": beyond it falls"), "{line}");
    }
}

fn arm(motor: &str) -> String {
    format!(
        r#"
format = 1
world = {{ dt = 0.001 }}
body = [
    {{ name = "frame", shape = {{ ball = 0.1 }}, kind = "fixed", groups = [] }},
    {{ name = "arm", shape = {{ box = [1, 0.1, 0.1] }}, mass = 2, position = [0.5, 0, 0], groups = [] }},
]
joint = [{{ name = "hinge", kind = "revolute", a = "arm", b = "frame", position = [0, 0, 0], axis = [0, -1, 0]{motor} }}]
"#
    )
}

#[test]
fn a_motor_holds_with_the_force_of_its_law_at_this_pose_and_no_more() {
    let folder = folder("stand-motors");
    // The arm needs 2 · 9.81 · 0.5 N·m about the axis.
    for (motor, expected) in [
        (", motor = { target = 0, damping = 1 }", 1),
        (", motor = { target = 0, stiffness = 1000, damping = 10 }", 1),
        (", motor = { target_speed = 0.5, damping = 1e6, most = 100 }", 1),
        (
            ", motor = { target = 1, stiffness = 1e4, damping = 100, most = 100 }",
            1,
        ),
        (", motor = { target = 1, stiffness = 9.81, damping = 1 }", 3),
        (", motor = { target = 1, stiffness = 1e4, damping = 1, most = 9.81 }", 3),
        (", friction = 10", 0),
        (", friction = 9", 1),
    ] {
        write(&folder, "arm.toml", &arm(motor));
        let (code, json) = stand(&folder, "arm.toml", &[]);
        // A motor that just holds has no margin: with friction the arm stands, without it balances or stands.
        let holds = json["verdict"] == "stands";
        assert_eq!(holds, expected != 1, "{motor}: {json}");
        if expected != 3 {
            assert_eq!(code, expected, "{motor}");
        }
    }
    let servo = arm("") + "actuator = [{ name = \"servo\", kind = \"position\", joint = \"hinge\", kp = 1, kv = 1 }]\n";
    write(&folder, "servo.toml", &servo);
    assert_eq!(stand(&folder, "servo.toml", &[]).0, 1);
}

#[test]
fn what_cannot_be_wedged_is_shown_beside_joints_too() {
    let folder = folder("stand-joint-wedge");
    let text = r#"
format = 1
world = { friction = 0.5, density = 1000 }
body = [
    { name = "g", shape = { half_space = [0, 0, 1] } },
    { name = "a", shape = { box = [0.2, 0.2, 0.2] }, position = [0, 0, 0.1] },
    { name = "b", shape = { box = [0.2, 0.2, 0.2] }, position = [0.25, 0, 0.1] },
]
joint = [{ kind = "revolute", a = "b", b = "a", position = [0.125, 0, 0.1], axis = [0, 1, 0] }]
"#;
    write(&folder, "pair.toml", text);
    let (code, json) = stand(&folder, "pair.toml", &["--prove"]);
    assert_eq!((code, &json["wedged"]), (0, &Value::Bool(false)));
    // A velocity of zeros opens nothing.
    let mut forged: Value = json;
    for body in forged["explosion"].as_array_mut().unwrap() {
        *body = serde_json::json!([0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }
    write(&folder, "forged.json", &forged.to_string());
    assert_eq!(stiction_in(&folder, &["check", "pair.toml", "forged.json"]).code, 1);
}

#[test]
fn friction_of_a_material_that_an_arch_needs_is_not_none() {
    let folder = folder("stand-stone");
    let ran = stiction_in(&folder, &["stand", "arch-27", "--friction", "stone", "--json"]);
    let json = ran.json();
    assert_eq!(json["friction"]["needs_none"], false);
    let least = json["friction"]["change"]["stands"]["value"].as_f64().unwrap();
    assert!((least - 0.3939).abs() < 1e-3, "{least}");
    let mut forged = json;
    forged["friction"]["needs_none"] = Value::Bool(true);
    write(&folder, "forged.json", &forged.to_string());
    assert_ne!(stiction_in(&folder, &["check", "arch-27", "forged.json"]).code, 0);
}

#[test]
fn a_ladder_in_a_corner_has_forces_at_any_lean_and_does_not_hold() {
    let folder = folder("stand-ladder");
    let text = r#"
format = 1
world = { friction = 1.2, density = 600 }
body = [
    { name = "ground", shape = { half_space = [0, 0, 1] } },
    { name = "wall", shape = { half_space = [1, 0, 0] } },
    { name = "ladder", shape = { points = [[0.8, -0.1, 0], [0.8, 0.1, 0], [0.84, -0.1, 0.03], [0.84, 0.1, 0.03], [0, -0.1, 0.8], [0, 0.1, 0.8], [0.03, -0.1, 0.84], [0.03, 0.1, 0.84]] } },
]
"#;
    write(&folder, "ladder.toml", text);
    let (_, json) = stand(&folder, "ladder.toml", &["--tilt", "x", "--tilt", "-x"]);
    let ran = stiction_in(&folder, &["stand", "ladder.toml", "--tilt", "x", "--tilt", "-x"]);
    assert!(!ran.stdout.contains("holds however far"), "{}", ran.stdout);
    for margin in json["margins"].as_array().unwrap() {
        if margin["high"].is_null() && json["verdict"] == "stands" {
            assert!(margin["found"]["rests"].is_number(), "{margin}");
        }
    }
}

#[test]
fn what_only_balances_is_not_called_standing() {
    let folder = folder("stand-balances");
    let ground = r#"{ name = "ground", shape = { half_space = [0, 0, 1] } }"#;
    let scenes = [
        ("egg", format!("body = [{ground}, {{ name = \"egg\", shape = {{ ellipsoid = [0.2, 0.2, 0.5] }}, position = [0, 0, 0.5] }}]"), true),
        ("lying", format!("body = [{ground}, {{ name = \"egg\", shape = {{ ellipsoid = [0.5, 0.5, 0.2] }}, position = [0, 0, 0.2] }}]"), false),
        ("ball", format!("body = [{ground}, {{ name = \"ball\", shape = {{ ball = 0.5 }}, position = [0, 0, 0.5] }}]"), false),
        ("box", format!("body = [{ground}, {{ name = \"box\", shape = {{ box = [1, 1, 1] }}, position = [0, 0, 0.5] }}]"), false),
        ("plank", "body = [{ name = \"log\", kind = \"fixed\", shape = { cylinder = { radius = 0.1, height = 1 } }, orientation = { axis = [1, 0, 0], degrees = 90 } }, { name = \"plank\", shape = { box = [1, 0.5, 0.5] }, position = [0, 0, 0.35] }]".to_owned(), true),
        ("pendulum", pendulum(0.5), true),
        ("hanging", pendulum(-0.5), false),
        ("balls", format!("body = [{ground}, {{ name = \"a\", shape = {{ ball = 0.5 }}, position = [-0.5, 0, 0.5] }}, {{ name = \"b\", shape = {{ ball = 0.5 }}, position = [0.5, 0, 0.5] }}, {{ name = \"top\", shape = {{ ball = 0.5 }}, position = [0, 0, 1.3660254037844386] }}]"), true),
    ];
    for (name, text, expected) in scenes {
        let file = format!("{name}.toml");
        write(
            &folder,
            &file,
            &format!("format = 1\nworld = {{ friction = 1, density = 1000 }}\n{text}\n"),
        );
        let (code, json) = stand(&folder, &file, &[]);
        assert_eq!(json["verdict"], "stands", "{name}");
        assert_eq!(json["balances"], expected, "{name}");
        assert_eq!(code, if expected { 3 } else { 0 }, "{name}");
        let ran = stiction_in(&folder, &["stand", &file]);
        assert_eq!(
            ran.stdout.contains("the slightest push fells it"),
            expected,
            "{}",
            ran.stdout
        );
    }
}

/// A rod on a hinge, its centre so far above it.
fn pendulum(height: f64) -> String {
    format!(
        "body = [{{ name = \"post\", kind = \"fixed\", shape = {{ box = [0.1, 0.1, 0.1] }}, groups = [] }}, {{ name = \"rod\", shape = {{ box = [0.1, 0.1, 1] }}, position = [0, 0, {height}], groups = [] }}]\njoint = [{{ kind = \"revolute\", a = \"rod\", b = \"post\", position = [0, 0, 0], axis = [0, 1, 0] }}]"
    )
}

#[test]
fn a_box_in_mid_air_falls_whatever_stands_beside_it() {
    let folder = folder("stand-parts");
    let text = r#"
format = 1
world = { friction = 0.5, density = 1000 }
body = [
    { name = "ground", shape = { half_space = [0, 0, 1] } },
    { name = "b", shape = { box = [0.2, 0.2, 0.2] }, position = [0, 0, 0.1] },
    { name = "c", shape = { box = [0.2, 0.2, 0.2] }, position = [0.19, 0, 0.3] },
    { name = "d", shape = { box = [0.3, 0.25, 0.2] }, position = [1, 0, 1.3] },
    { name = "e", shape = { box = [0.3, 0.25, 0.2] }, position = [2, 0, 0.1] },
    { name = "f", shape = { box = [0.3, 0.15, 0.2] }, position = [2.1, 0, 0.3] },
]
"#;
    write(&folder, "parts.toml", text);
    let (code, json) = stand(&folder, "parts.toml", &[]);
    assert_eq!((code, json["verdict"].as_str()), (1, Some("falls")));
}

#[test]
fn every_field_that_a_file_repeats_of_the_scene_is_compared() {
    let folder = folder("stand-forged");
    write(&folder, "house.toml", HOUSE);
    let (_, json) = stand(&folder, "house.toml", &["--tilt", "any", "--tilt", "x"]);
    for (pointer, value) in [
        ("/bodies/1/mass", serde_json::json!(1.0)),
        ("/bodies/1/load/2", serde_json::json!(-1.0)),
        ("/bodies/1/center/0", serde_json::json!(1.0)),
        ("/gravity/2", serde_json::json!(-1.0)),
        ("/planar", serde_json::json!(true)),
        ("/contacts/0/tangents/0/0", serde_json::json!(0.5)),
        ("/contacts/0/a", serde_json::json!(7)),
        ("/rest/accepted", serde_json::json!(false)),
        ("/region/outer_corners/0/0", serde_json::json!(9.0)),
        ("/margins/0/mechanism/pairs", serde_json::json!([])),
        ("/margins/0/found/agree", serde_json::json!(false)),
        ("/margins/0/found/moves", serde_json::json!(null)),
        ("/margins/0/found/moves", serde_json::json!(9.0)),
    ] {
        let mut forged = json.clone();
        *forged.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value;
        write(&folder, "forged.json", &forged.to_string());
        let checked = stiction_in(&folder, &["check", "house.toml", "forged.json"]);
        assert_ne!(checked.code, 0, "{pointer}: {}", checked.stdout);
    }
}

#[test]
fn what_statics_does_not_take_is_said_on_stderr() {
    let folder = folder("stand-ignored");
    let text = r#"
format = 1
world = { friction = 0.5, density = 1000, law = "frictionless" }
body = [
    { name = "table", kind = "kinematic", shape = { box = [2, 2, 0.2] }, motion = { slide = { amplitude = [0.1, 0, 0], rate = 20 } } },
    { name = "b", shape = { box = [0.2, 0.2, 0.2] }, position = [0, 0, 0.2] },
]
force = [{ body = "b", force = [100, 0, 0], from = 1 }]
"#;
    write(&folder, "ignored.toml", text);
    let ran = stiction_in(&folder, &["stand", "ignored.toml"]);
    for note in [
        "law frictionless",
        "the motion of \"table\" is ignored",
        "forces on \"b\" that begin later",
    ] {
        assert!(ran.stderr.contains(note), "{note}: {}", ran.stderr);
    }
}

#[test]
fn forces_of_a_book_that_slides_are_those_of_its_motion() {
    let folder = folder("why-sliding");
    let text = r#"
format = 1
world = { friction = 0.5 }
body = [
    { name = "table", shape = { half_space = [0, 0, 1] } },
    { name = "left", shape = { box = [1, 1, 1] }, mass = 5, position = [-1, 0, 0.5] },
    { name = "right", shape = { box = [1, 1, 1] }, mass = 5, position = [1, 0, 0.5] },
    { name = "book", shape = { box = [1, 1, 0.4] }, mass = 1, position = [0, 0, 0.7] },
]
"#;
    write(&folder, "hung.toml", text);
    let ran = stiction_in(
        &folder,
        &["why", "hung.toml", "--time", "0.2", "--body", "book", "--json"],
    );
    for pair in ran.json()["pairs"].as_array().unwrap() {
        assert!(pair["normal_range"].is_null(), "{pair}");
    }
}

#[test]
fn messages_name_the_file_the_axes_and_the_last_moment() {
    let folder = folder("stand-messages");
    write(&folder, "house.toml", HOUSE);
    let ran = stiction_in(&folder, &["check", "house.toml", "missing.json"]);
    assert!(ran.code == 2 && ran.stderr.contains("missing.json"), "{}", ran.stderr);
    let ran = stiction_in(&folder, &["stand", "house.toml", "--tilt", "3"]);
    assert!(
        ran.stderr.contains("must be x, -x, y, -y, z, -z, any"),
        "{}",
        ran.stderr
    );
    let ran = stiction_in(&folder, &["stand", "arch-27", "--load", "arch[13]=0,0,-1"]);
    assert!(ran.stdout.contains("load arch[13] "), "{}", ran.stdout);
    stiction_in(&folder, &["run", "house.toml", "--steps", "5", "-o", "house.mcap"]);
    let ran = stiction_in(&folder, &["why", "house.mcap", "--time", "99"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("whose last moment is"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}
