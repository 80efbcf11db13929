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
    let message = "restitution: must be given for files with bodies only, found one without\n";
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

/// The same with a polygon of other than 8 corners: its answer says how many.
#[test]
fn own_answers_on_any_polygon_are_accepted() {
    let folder = folder("raw_polygons");
    let sliding = r#"{"kind": "contact-raw", "name": "sliding", "blocks": [{"mass": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "v_free": [3, 1, -1]}],
        "contacts": [{"parts": [{"block": 0, "normal": [0, 0, 1], "tangents": [[1, 0, 0], [0, 1, 0]]}], "mu": 0.5}]}"#;
    std::fs::write(folder.join("p.json"), sliding).unwrap();
    for directions in ["4", "6", "8", "16"] {
        let line = [
            "solve",
            "p.json",
            "--law",
            "polyhedral",
            "--directions",
            directions,
            "--json",
        ];
        let answer = stiction_in(&folder, &line);
        assert_eq!(answer.code, 0, "{answer:?}");
        std::fs::write(folder.join("a.json"), answer.stdout).unwrap();
        let line = [
            "check",
            "p.json",
            "a.json",
            "--json",
            "--law",
            "polyhedral",
            "--directions",
            directions,
        ];
        let ran = stiction_in(&folder, &line);
        assert_eq!(ran.code, 0, "{directions} directions: {ran:?}");
        assert_eq!(ran.json()["directions"].to_string(), directions);
    }
}

/// Walls that close on a block: the squeeze is proven, printed and accepted, and no excuse for who says solved.
#[test]
fn a_ray_has_its_evidence() {
    let folder = folder("raw_evidence");
    let walls = r#"{"kind": "contact-raw", "name": "walls", "blocks": [{"mass": [[1]], "v_free": [0]}],
        "contacts": [{"parts": [{"block": 0, "normal": [1], "tangents": [[0], [0]]}], "mu": 0.5, "bias": [-1, 0, 0]},
                     {"parts": [{"block": 0, "normal": [-1], "tangents": [[0], [0]]}], "mu": 0.5, "bias": [-1, 0, 0]}]}"#;
    std::fs::write(folder.join("p.json"), walls).unwrap();
    let answer = stiction_in(&folder, &["solve", "p.json", "--json"]);
    assert_eq!(answer.code, 1, "{answer:?}");
    let found = answer.json();
    assert_eq!((&found["status"], &found["proven"]), (&"ray".into(), &true.into()));
    assert_eq!(found["certificate"]["kind"], "farkas", "{found}");
    let text = stiction_in(&folder, &["solve", "p.json"]).stdout;
    assert!(text.contains("evidence   proven"), "{text}");
    std::fs::write(folder.join("a.json"), &answer.stdout).unwrap();
    let ran = stiction_in(&folder, &["check", "p.json", "a.json"]);
    assert!(
        ran.code == 0 && ran.stdout.contains("its squeeze cancels in every block"),
        "{ran:?}"
    );
    let boast = answer.stdout.replacen(r#""status":"ray""#, r#""status":"solved""#, 1);
    std::fs::write(folder.join("boast.json"), boast).unwrap();
    assert_eq!(stiction_in(&folder, &["check", "p.json", "boast.json"]).code, 1);
}

#[test]
fn options_of_bodies_are_refused_and_all_friction_is_shown() {
    let folder = folder("raw_options");
    let viscous = r#"{"kind": "contact-raw", "name": "viscous", "blocks": [{"mass": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "v_free": [3, 1, 0]}],
        "contacts": [{"parts": [{"block": 0, "normal": [0, 0, 1], "tangents": [[1, 0, 0], [0, 1, 0]]}], "mu": 0.5, "viscosity": 0.5}]}"#;
    std::fs::write(folder.join("p.json"), viscous).unwrap();
    let ran = stiction_in(&folder, &["solve", "p.json", "--law", "viscous"]);
    assert!(
        ran.stdout.lines().any(|line| line.trim_start().starts_with("0 ")),
        "{ran:?}"
    );
    assert!(
        ran.stdout.contains("1 block, 3 coordinates, 1 contact, no joint rows"),
        "{ran:?}"
    );
    std::fs::write(folder.join("a.json"), "[0, 0, 0]").unwrap();
    for (option, problem) in [
        (
            ["--restitution", "newton"],
            "restitution: must be given for files with bodies only",
        ),
        (["--epsilon", "-3"], "epsilon: must be finite and positive, found -3"),
    ] {
        let ran = stiction_in(&folder, &[&["check", "p.json", "a.json"][..], &option].concat());
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.starts_with(problem), "{ran:?}");
    }
}

/// Only a polygon has corners, and a planar contact has two.
#[test]
fn directions_are_taken_where_they_say_something() {
    let folder = folder("raw_directions");
    let planar = r#"{"kind": "contact-local", "name": "planar", "dimension": 2, "W": [[1, 0], [0, 1]], "q": [-1, 0.2], "mu": [0.5]}"#;
    std::fs::write(folder.join("p.json"), planar).unwrap();
    for (law, phi) in [
        ("polyhedral", "[0, 0.2]"),
        ("coulomb", "[]"),
        ("coulomb", "[0, 0.2, 0]"),
    ] {
        let answer = format!(
            r#"{{"status": "solved", "law": "{law}", "contacts": [{{"normal_impulse": 1, "friction_impulse": [-0.2, 0], "phi": {phi}}}]}}"#
        );
        std::fs::write(folder.join("a.json"), answer).unwrap();
        let ran = stiction_in(&folder, &["check", "p.json", "a.json", "--law", law]);
        assert_eq!(ran.code, 0, "{law}, {phi}: {ran:?}");
    }
}

/// What a factor of W shows is not proven of W, and does not look like it.
#[test]
fn a_squeeze_of_a_matrix_alone_is_no_proof() {
    let folder = folder("raw_local_ray");
    let walls = r#"{"kind": "contact-local", "name": "walls", "dimension": 3, "mu": [0.5, 0.5], "q": [-1, 0, 0, -1, 0, 0],
        "W": [[1, 0, 0, -1, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [-1, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]]}"#;
    std::fs::write(folder.join("p.json"), walls).unwrap();
    let ran = stiction_in(&folder, &["solve", "p.json", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let found = ran.json();
    assert_eq!((&found["status"], &found["proven"]), (&"ray".into(), &false.into()));
    assert_eq!(found["certificate"]["kind"], "ray", "{found}");
}

/// In the plane W has two rows a contact: entries are named as the file has them.
#[test]
fn entries_of_a_planar_matrix_are_named_as_given() {
    let folder = folder("raw_planar_names");
    let refused = |matrix: &str| {
        let text = format!(
            r#"{{"kind": "contact-local", "dimension": 2, "W": {matrix}, "q": [-1, 0, -1, 0], "mu": [0.5, 0.5]}}"#
        );
        std::fs::write(folder.join("w.json"), text).unwrap();
        let ran = stiction_in(&folder, &["solve", "w.json"]);
        assert_eq!(ran.code, 2, "{ran:?}");
        ran.stderr
    };
    let zero = refused("[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]");
    assert!(zero.starts_with("w.json: W[2][2]: must be positive"), "{zero}");
    let skew = refused("[[1, 0, 0, 2], [0, 1, 0, 0], [0, 0, 1, 0], [2, 0, 0, 1]]");
    assert!(skew.contains("W[3][3]: must be positive semidefinite"), "{skew}");
}
