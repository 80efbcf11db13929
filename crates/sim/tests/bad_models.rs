//! MJCF models that must be refused, each a file under `bad_models/`, with the exact message in `bad_models/messages.txt`, and models that are doubtful.
//! `UPDATE=1 cargo test --test bad_models` writes the messages anew, to be read before they are kept.
#![allow(clippy::unwrap_used)]

mod bad_files;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use bad_files::{Sequence, are_as_stated};
use stiction_scene::Scene;
use stiction_scene::WorldExt as _;
use stiction_scene::mjcf::{Mjcf, MjcfOptions};
use stiction_sim::{Settings, World};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad_models")
}

fn names() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| Path::new(name).extension().is_some_and(|e| e == "xml"))
        .collect();
    names.sort();
    names
}

/// What is wrong with a model, when it is read or when it is built.
fn message(name: &str) -> String {
    match Mjcf::read(folder(), name) {
        Ok(model) => model.build(&MjcfOptions::default()).unwrap_err().to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn every_message_is_as_stated() {
    let mut found = String::new();
    for name in names() {
        writeln!(found, "{}", message(&name)).unwrap();
    }
    assert!(found.lines().count() >= 30);
    are_as_stated(&folder(), &found);
    for line in found.lines() {
        // FILE:LINE:COLUMN: element: what is wrong
        let mut parts = line.splitn(4, ':');
        assert!(names().iter().any(|name| parts.clone().next() == Some(name)), "{line}");
        parts.next();
        assert!(parts.next().unwrap().parse::<usize>().unwrap() > 0, "{line}");
        assert!(parts.next().unwrap().parse::<usize>().unwrap() > 0, "{line}");
        assert!(line.contains("found") || line.contains("XML"), "{line}");
    }
}

/// Warnings of a model with this joint and body.
fn warnings(compiler: &str, body: &str, joint: &str) -> Vec<String> {
    let text = format!(
        "<mujoco><compiler {compiler}/><worldbody><body {body}><joint {joint}/><geom size=\"1\"/></body></worldbody></mujoco>"
    );
    let model = Mjcf::parse(&text, ".").unwrap();
    model
        .warnings
        .iter()
        .map(|warning| format!("{}: {}", warning.path, warning.problem))
        .collect()
}

#[test]
fn likely_mistakes_are_named_and_taken_as_written() {
    let none: [&str; 0] = [];
    assert_eq!(warnings("", "", "range=\"-90 90\""), none);
    assert_eq!(warnings("angle=\"radian\"", "", "range=\"-1.5 1.5\""), none);
    assert_eq!(
        warnings("", "", "range=\"-1.5 1.5\""),
        ["joint.range: looks like radians; compiler.angle is degree, found -1.5 1.5"]
    );
    assert_eq!(
        warnings("angle=\"radian\"", "", "range=\"-90 90\""),
        ["joint.range: looks like degrees; compiler.angle is radian, found -90 90"]
    );
    assert_eq!(
        warnings("", "quat=\"0 0 0 1\"", ""),
        ["body.quat: looks like x, y, z, w; w, x, y, z is taken, half a turn about z, found 0 0 0 1"]
    );
    assert_eq!(
        warnings("", "quat=\"2 0 0 0\"", ""),
        ["body.quat: has length 2.000: made 1, as MuJoCo does, found 2 0 0 0"]
    );
}

#[test]
fn a_scene_names_its_own_place_and_that_in_the_model() {
    let text = "format = 1\n[[mjcf]]\nfile = \"axis_zero.xml\"\n";
    let error = Scene::parse(text, folder()).unwrap_err().to_string();
    assert_eq!(
        error,
        "scene:3:8: mjcf[0].file: axis_zero.xml:4:20: joint.axis: must not be zero, found 0 0 0"
    );
}

#[test]
fn deep_nesting_and_copies_without_end_are_refused() {
    let deep = format!("<mujoco>{}{}</mujoco>", "<a>".repeat(100_000), "</a>".repeat(100_000));
    let error = Mjcf::parse(&deep, ".").unwrap_err().to_string();
    assert!(
        error.len() < 500 && error.contains("must not lie in more than 200 elements"),
        "{error}"
    );
    let copies = "<replicate count=\"9000\" offset=\"1 0 0\">".repeat(4);
    let text = format!(
        "<mujoco><worldbody>{copies}<geom size=\"1\"/>{}</worldbody></mujoco>",
        "</replicate>".repeat(4)
    );
    let error = Mjcf::parse(&text, ".").unwrap_err().to_string();
    assert!(error.contains("must have 10000 elements at most"), "{error}");
}

#[test]
fn mangled_models_never_panic() {
    const LIKELY: &[u8] = b"0123456789.-+e<>/=\"' \ninfa&;";
    let mut sequence = Sequence(7);
    let (mut refused, mut taken) = (0, 0);
    let walker = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/robots/walker.xml");
    let files = names().into_iter().map(|name| folder().join(name));
    for path in files.chain([walker]) {
        let bytes = std::fs::read(&path).unwrap();
        let count = if bytes.len() > 2_000 { 600 } else { 40 };
        for _ in 0..count {
            let changed = sequence.mangle(&bytes, 3, LIKELY);
            let mut world = World::new(Settings::default()).unwrap();
            match Mjcf::parse(&changed, folder()) {
                Ok(model) => {
                    taken += 1;
                    if world.add_mjcf(&model, &MjcfOptions::default()).is_ok() {
                        // A step may fail, with a word.
                        let _ = world.step();
                    }
                }
                Err(error) => {
                    refused += 1;
                    assert!(error.to_string().starts_with("mjcf:"), "{error}");
                }
            }
        }
    }
    assert!(refused > 500 && taken > 50, "{refused} {taken}");
}
