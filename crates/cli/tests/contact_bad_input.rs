//! Contact files that are not problems, and options that do not fit: exit status 2 and one line that names the field.
// The lint knows tests by their attribute and misses their helpers.
#![allow(clippy::unwrap_used)]

mod running;

use std::path::Path;

use running::{Sequence, folder, stiction_in, workspace};
use serde_json::{Value, json};
use stiction_contact::Restitution;
use stiction_formats::read::{Content, ReadOptions, parse};

/// Two bodies, two contacts and a joint, all in order.
fn sound() -> Value {
    json!({
        "kind": "contact", "name": "sound", "dt": 0.01,
        "bodies": [
            {"name": "a", "mass": 1, "inertia": [1, 1, 1], "position": [0, 0, 1], "velocity": [0, 0, 0, 0, 0, 0],
             "wrench": [0, 0, -10, 0, 0, 0]},
            {"mass": 2, "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "position": [0, 0, 3],
             "velocity": [0, 0, 0, 0, 0, 0], "wrench": [0, 0, -20, 0, 0, 0]}
        ],
        "contacts": [
            {"a": 0, "b": null, "point": [0, 0, 0], "normal": [0, 0, 1], "mu": 0.5, "gap": 0, "restitution": 0},
            {"a": 1, "b": 0, "point": [0, 0, 2], "normal": [0, 0, 1]}
        ],
        "joints": [{"a": 0, "b": 1, "rows": [[1, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0]], "bias": [0]}]
    })
}

/// The sound file with one value replaced by the given text, or with a key added.
fn with(pointer: &str, text: &str) -> String {
    let mut file = sound();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = file.pointer_mut(parent).unwrap();
    let mark = json!("@@");
    match key.parse::<usize>() {
        Ok(index) => parent[index] = mark,
        Err(_) => parent[key] = mark,
    }
    file.to_string().replace("\"@@\"", text)
}

/// What is replaced, by what, and the message after the file's name.
const ROWS: &[(&str, &str, &str)] = &[
    // Time step
    ("/dt", "0", "dt: must be finite and positive, found 0"),
    ("/dt", "-0.01", "dt: must be finite and positive, found -0.01"),
    ("/dt", "1e400", "dt: must be finite, found 1e400"),
    ("/dt", "\"NaN\"", "dt: must be a number, found \"NaN\""),
    // Masses
    (
        "/bodies/0/mass",
        "0",
        "bodies[0].mass: must be finite and positive, found 0",
    ),
    (
        "/bodies/1/mass",
        "-2",
        "bodies[1].mass: must be finite and positive, found -2",
    ),
    (
        "/bodies/0/mass",
        "\"NaN\"",
        "bodies[0].mass: must be a number, found \"NaN\"",
    ),
    ("/bodies/0/mass", "1e400", "bodies[0].mass: must be finite, found 1e400"),
    ("/bodies/0/mass", "null", "bodies[0].mass: must be a number, found null"),
    // Inertia
    (
        "/bodies/0/inertia",
        "[1, 1, -1]",
        "bodies[0].inertia: must be positive definite: smallest principal moment, found -1",
    ),
    (
        "/bodies/0/inertia",
        "[[1, 2, 0], [2, 1, 0], [0, 0, 1]]",
        "bodies[0].inertia: must be positive definite: smallest principal moment, found -1",
    ),
    (
        "/bodies/0/inertia",
        "[1, 1, 3]",
        "bodies[0].inertia: principal moments must satisfy the triangle inequality: largest minus sum of the others, found 1",
    ),
    (
        "/bodies/0/inertia",
        "[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]",
        "bodies[0].inertia[1][0]: must be symmetric: difference of mirrored entries, found -0.5",
    ),
    (
        "/bodies/0/inertia",
        "[1, 1]",
        "bodies[0].inertia: must have 3 entries, found 2",
    ),
    (
        "/bodies/0/inertia",
        "[[1, 0, 0]]",
        "bodies[0].inertia: must have 3 entries, found 1",
    ),
    (
        "/bodies/0/inertia",
        "[[1], [1], [1]]",
        "bodies[0].inertia[0]: must have 3 entries, found 1",
    ),
    (
        "/bodies/0/inertia",
        "[[1, 0, 0], 5, 6]",
        "bodies[0].inertia[1]: must be a list, found 5",
    ),
    ("/bodies/0/inertia", "1", "bodies[0].inertia: must be a list, found 1"),
    // Lengths and numbers of the other fields
    (
        "/bodies/0/position",
        "[0, 0]",
        "bodies[0].position: must have 3 entries, found 2",
    ),
    (
        "/bodies/0/position",
        "[0, 0, 1e999]",
        "bodies[0].position[2]: must be finite, found 1e999",
    ),
    (
        "/bodies/1/velocity",
        "[0, 0, 0]",
        "bodies[1].velocity: must have 6 entries, found 3",
    ),
    (
        "/bodies/1/velocity/4",
        "\"Infinity\"",
        "bodies[1].velocity[4]: must be a number, found \"Infinity\"",
    ),
    (
        "/bodies/1/wrench",
        "[0, 0, 0, 0, 0, 0, 0]",
        "bodies[1].wrench: must have 6 entries, found 7",
    ),
    ("/bodies/0/name", "3", "bodies[0].name: must be a string, found 3"),
    ("/bodies/0", "7", "bodies[0]: must be an object, found 7"),
    ("/bodies", "{}", "bodies: must be a list, found {}"),
    // Normals
    (
        "/contacts/0/normal",
        "[0, 0, 0]",
        "contacts[0].normal: must not be zero, found 0",
    ),
    (
        "/contacts/0/normal",
        "[0, 0, 2]",
        "contacts[0].normal: must have unit length, found 2",
    ),
    (
        "/contacts/0/normal",
        "[0, 1]",
        "contacts[0].normal: must have 3 entries, found 2",
    ),
    (
        "/contacts/1/point",
        "[0, 0, 0, 0]",
        "contacts[1].point: must have 3 entries, found 4",
    ),
    // Friction, gap, restitution
    (
        "/contacts/0/mu",
        "-0.1",
        "contacts[0].mu: must not be negative or NaN, found -0.1",
    ),
    (
        "/contacts/0/mu",
        "\"NaN\"",
        "contacts[0].mu: must be a number or \"inf\", found \"NaN\"",
    ),
    ("/contacts/0/mu", "1e400", "contacts[0].mu: must be finite, found 1e400"),
    (
        "/contacts/0/gap",
        "\"0\"",
        "contacts[0].gap: must be a number, found \"0\"",
    ),
    (
        "/contacts/0/gap",
        "1e308",
        "contacts[0].gap: must be finite, and so must gap/dt, found 1e308",
    ),
    (
        "/contacts/0/viscosity",
        "-4",
        "contacts[0].viscosity: must be finite and not negative, found -4",
    ),
    (
        "/contacts/0/viscosity",
        "\"honey\"",
        "contacts[0].viscosity: must be a number, found \"honey\"",
    ),
    (
        "/contacts/0/normal_bias",
        "0",
        "contacts[0].normal_bias: unknown field, expected one of a, b, point, normal, mu, gap, restitution, viscosity; did you mean normal?",
    ),
    (
        "/contacts/0/restitution",
        "1.5",
        "contacts[0].restitution: must lie between 0 and 1, found 1.5",
    ),
    (
        "/contacts/0/restitution",
        "-1",
        "contacts[0].restitution: must lie between 0 and 1, found -1",
    ),
    // Bodies of contacts and joints
    ("/contacts/1/a", "2", "contacts[1].a: must be below 2, found 2"),
    ("/contacts/1/b", "9", "contacts[1].b: must be below 2, found 9"),
    ("/contacts/1/a", "-1", "contacts[1].a: must be a whole number, found -1"),
    (
        "/contacts/1/a",
        "null",
        "contacts[1].a: must be a whole number, found null",
    ),
    (
        "/contacts/1/b",
        "0.5",
        "contacts[1].b: must be a whole number or null, found 0.5",
    ),
    (
        "/contacts/1/b",
        "1",
        "contacts[1]: must touch two different bodies, found body 1 twice",
    ),
    (
        "/joints/0/b",
        "0",
        "joints[0]: must touch two different bodies, found body 0 twice",
    ),
    ("/joints/0/a", "5", "joints[0].a: must be below 2, found 5"),
    (
        "/joints/0/rows",
        "[[1, 2]]",
        "joints[0].rows[0]: must have 12 entries, found 2",
    ),
    (
        "/joints/0/bias",
        "[0, 1]",
        "joints[0].bias: must have 1 entries, found 2",
    ),
    (
        "/joints/0/rows/0/3",
        "1e999",
        "joints[0].rows[0][3]: must be finite, found 1e999",
    ),
    // Keys
    (
        "/contacts/0/friction",
        "1",
        "contacts[0].friction: unknown field, expected one of a, b, point, normal, mu, gap, restitution, viscosity; did you mean mu?",
    ),
    (
        "/bodies/0/density",
        "1",
        "bodies[0].density: unknown field, expected one of name, mass, inertia, position, velocity, wrench",
    ),
    (
        "/joints/0/key",
        "1",
        "joints[0].key: unknown field, expected one of a, b, rows, bias",
    ),
    (
        "/gravity",
        "9.81",
        "gravity: unknown field, expected one of kind, name, dt, bodies, contacts, joints, groups",
    ),
    ("/name", "1", "name: must be a string, found 1"),
];

#[test]
fn every_row_gives_its_line() {
    let folder = folder("contact_bad_rows");
    for (pointer, text, message) in ROWS {
        std::fs::write(folder.join("a.json"), with(pointer, text)).unwrap();
        let ran = stiction_in(&folder, &["solve", "a.json"]);
        assert_eq!(ran.stderr, format!("a.json: {message}\n"), "{pointer} {text}");
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{pointer} {text}");
    }
}

#[test]
fn the_sound_file_is_sound() {
    let folder = folder("contact_sound");
    std::fs::write(folder.join("a.json"), sound().to_string()).unwrap();
    assert_eq!(stiction_in(&folder, &["solve", "a.json"]).code, 0);
    // A normal within 1e-6 of unit length is normalised.
    std::fs::write(folder.join("a.json"), with("/contacts/0/normal", "[0, 0, 1.0000005]")).unwrap();
    assert_eq!(stiction_in(&folder, &["solve", "a.json"]).code, 0);
}

#[test]
fn missing_and_repeated_keys_are_named() {
    let folder = folder("contact_keys");
    for (pointer, message) in [
        ("/dt", "dt: missing field"),
        ("/bodies", "bodies: missing field"),
        ("/contacts", "contacts: missing field"),
        ("/bodies/0/mass", "bodies[0].mass: missing field"),
        ("/bodies/1/wrench", "bodies[1].wrench: missing field"),
        ("/contacts/0/a", "contacts[0].a: missing field"),
        ("/contacts/1/normal", "contacts[1].normal: missing field"),
        ("/joints/0/bias", "joints[0].bias: missing field"),
    ] {
        let mut file = sound();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        file.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(key);
        std::fs::write(folder.join("a.json"), file.to_string()).unwrap();
        let ran = stiction_in(&folder, &["solve", "a.json"]);
        assert_eq!((ran.code, ran.stderr), (2, format!("a.json: {message}\n")));
    }
    let twice = sound().to_string().replace("\"mu\":0.5", "\"mu\":0.5,\"mu\":1");
    std::fs::write(folder.join("a.json"), twice).unwrap();
    let ran = stiction_in(&folder, &["solve", "a.json"]);
    assert_eq!(ran.stderr, "a.json: contacts[0].mu: must be given once, found again\n");
}

#[test]
fn deep_and_huge_files_are_refused() {
    let folder = folder("contact_deep");
    let deep = with("/bodies", &"[".repeat(100_000));
    std::fs::write(folder.join("deep.json"), deep).unwrap();
    let ran = stiction_in(&folder, &["solve", "deep.json"]);
    assert!(
        ran.code == 2
            && ran
                .stderr
                .contains("must not be nested deeper than 64 levels, found 65"),
        "{ran:?}"
    );
    let long = with("/contacts/0/normal", &format!("[{}]", vec!["0"; 200_000].join(",")));
    std::fs::write(folder.join("long.json"), long).unwrap();
    let ran = stiction_in(&folder, &["solve", "long.json"]);
    assert_eq!(
        ran.stderr,
        "long.json: contacts[0].normal: must have 3 entries, found 200000\n"
    );
}

/// File, options, and the message.
const OPTIONS: &[(&str, &[&str], &str)] = &[
    (
        "c.json",
        &["--law", "coulomb-acceleration"],
        "law: must be one of frictionless, polyhedral, coulomb, no-slip, viscous, viscous-explicit, coulomb-viscous for contact files, found coulomb-acceleration",
    ),
    (
        "c.json",
        &["--law", "amontons"],
        "law: must be one of frictionless, polyhedral, coulomb, no-slip, viscous, viscous-explicit, coulomb-viscous for contact files, found amontons",
    ),
    (
        "c.json",
        &["--as-published"],
        "as-published: must be given for contact-acceleration files only, found a contact file",
    ),
    (
        "c.json",
        &["--impulse", "0.1"],
        "impulse: must be given for contact-acceleration files only, found a contact file",
    ),
    (
        "l.json",
        &["--as-published"],
        "as-published: must be given for contact files only, found an LCP",
    ),
    (
        "l.json",
        &["--impulse"],
        "impulse: must be given for contact-acceleration files only, found an LCP",
    ),
    (
        "c.json",
        &["--restitution", "stronge"],
        "restitution: must be one of newton, poisson, found stronge",
    ),
    (
        "c.json",
        &["--method", "lemke_exact"],
        "method: must be one of lemke_reduced, lemke_structural, lemke_standard, newton_cone, dantzig, ppm_modified, nonconvex_max, nonconvex_sum for contact files, found lemke_exact",
    ),
    (
        "c.json",
        &["--method", "lemke_reduced"],
        "method: lemke_reduced does not answer the law coulomb; methods that do: newton_cone, dantzig, nonconvex_max",
    ),
    (
        "c.json",
        &["--class", "psd"],
        "class: must be given for LCPs only, found a contact file",
    ),
    (
        "c.json",
        &["--prove"],
        "prove: must be given for LCPs only, found a contact file",
    ),
    (
        "c.json",
        &["--case", "other"],
        "c.json: case: must be one of sound, found other",
    ),
    ("c.json", &["--repeat", "0"], "repeat: must be at least 1, found 0"),
    (
        "c.json",
        &["--tolerance", "2"],
        "tolerance: must be between 0 and 1, found 2",
    ),
    (
        "l.json",
        &["--law", "coulomb"],
        "law: must be given for contact files only, found an LCP",
    ),
    (
        "l.json",
        &["--directions", "8"],
        "directions: must be given for contact files only, found an LCP",
    ),
    (
        "l.json",
        &["--restitution", "newton"],
        "restitution: must be given for contact files only, found an LCP",
    ),
];

#[test]
fn options_that_do_not_fit_are_named() {
    let folder = folder("contact_options");
    std::fs::write(folder.join("c.json"), sound().to_string()).unwrap();
    std::fs::write(folder.join("l.json"), r#"{"kind":"lcp","M":[[1]],"q":[1]}"#).unwrap();
    for (file, options, message) in OPTIONS {
        let ran = stiction_in(&folder, &[&["solve", *file], *options].concat());
        assert_eq!((ran.code, ran.stderr), (2, format!("{message}\n")), "{options:?}");
    }
}

#[test]
fn polygons_have_3_to_64_directions() {
    let folder = folder("contact_directions");
    std::fs::write(folder.join("c.json"), sound().to_string()).unwrap();
    for directions in ["2", "65", "0"] {
        let ran = stiction_in(
            &folder,
            &["solve", "c.json", "--law", "polyhedral", "--directions", directions],
        );
        assert!(ran.code == 2 && ran.stderr.starts_with("directions: "), "{ran:?}");
        assert!(ran.stderr.ends_with(&format!("found {directions}\n")), "{ran:?}");
    }
}

#[test]
fn answers_that_cannot_be_judged_are_named() {
    let folder = folder("contact_claims");
    std::fs::write(folder.join("p.json"), sound().to_string()).unwrap();
    let good = r#"{"normal_impulse":1,"friction_impulse":[0,0,0]}"#;
    for (answer, message) in [
        ("[]".to_owned(), "must be an object, found []"),
        ("{}".to_owned(), "contacts: missing field"),
        (
            r#"{"contacts":[]}"#.to_owned(),
            "contacts: must have 2 entries, found 0",
        ),
        (
            format!(r#"{{"contacts":[{good},{{}}]}}"#),
            "contacts[1].normal_impulse: missing field",
        ),
        (
            format!(r#"{{"contacts":[{good},{{"normal_impulse":1,"friction_impulse":[0,0]}}]}}"#),
            "contacts[1].friction_impulse: must have 3 entries, found 2",
        ),
        (
            format!(r#"{{"contacts":[{good},{{"normal_impulse":1e999}}]}}"#),
            "contacts[1].normal_impulse: must be finite, found 1e999",
        ),
        (format!(r#"{{"contacts":[{good},{good}]}}"#), "joints: missing field"),
        (
            format!(r#"{{"contacts":[{good},{good}],"joints":[]}}"#),
            "joints: must have 1 entries, found 0",
        ),
        (
            format!(r#"{{"contacts":[{good},{good}],"joints":[{{"impulse":[1,2]}}]}}"#),
            "joints[0].impulse: must have 1 entries, found 2",
        ),
        (
            format!(r#"{{"contacts":[{good},{good}],"joints":[{{}}]}}"#),
            "joints[0].impulse: missing field",
        ),
        (
            format!(r#"{{"contacts":[{good},{good}],"joints":[{{"impulse":[1]}}],"law":"magic"}}"#),
            "law: must be one of frictionless, polyhedral, coulomb, no-slip, viscous, viscous-explicit, coulomb-viscous for contact files, found magic",
        ),
    ] {
        std::fs::write(folder.join("a.json"), &answer).unwrap();
        let ran = stiction_in(&folder, &["check", "p.json", "a.json"]);
        assert_eq!((ran.code, ran.stderr), (2, format!("a.json: {message}\n")), "{answer}");
    }
}

/// Bytes that mean something in a contact file.
const LIKELY: &[u8] = b"0123456789-+eE.[]{}\", \n";

#[test]
fn mangled_files_are_read_or_refused_with_one_line() {
    let mut sequence = Sequence(7);
    for name in [
        "contact/stack-mass-ratio-1e6",
        "contact/pendulum-redundant-joint",
        "contact/mu-infinite",
        "contact-acceleration/rolling-sphere",
        "contact-acceleration/pendulum-swings",
    ] {
        let path = workspace().join("problems").join(name).with_extension("json");
        let bytes = std::fs::read(path).unwrap();
        for _ in 0..2000 {
            let changed = sequence.mangled(&bytes, 8, LIKELY);
            let problem = match parse(&changed, Path::new("a.json"), ReadOptions::default()) {
                Ok(Content::Contact(file)) => file.problem(Restitution::Newton).map(drop),
                Ok(_) => Ok(()),
                Err(bad) => Err(bad),
            };
            if let Err(bad) = problem {
                assert_eq!(bad.to_string().lines().count(), 1, "{bad}");
            }
        }
    }
}
