//! Robots that must be refused, each a file under `bad_robots/`, with the exact message in `bad_robots/messages.txt`.
//! `UPDATE=1 cargo test --test bad_robots` writes the messages anew, to be read before they are kept.
#![allow(clippy::unwrap_used)]

mod bad_files;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use bad_files::{Sequence, are_as_stated};
use stiction_scene::{
    Scene, WorldExt,
    urdf::{MAX_LINKS, Urdf, UrdfOptions},
};
use stiction_sim::World;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad_robots")
}

fn names() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| Path::new(name).extension().is_some_and(|e| e == "urdf"))
        .collect();
    names.sort();
    names
}

/// What is wrong with a robot, when it is read or when it is built.
fn message(name: &str) -> String {
    match Urdf::read(folder(), name) {
        Ok(robot) => robot.build(&UrdfOptions::default()).unwrap_err().to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn every_message_is_as_stated() {
    let mut found = String::new();
    for name in names() {
        writeln!(found, "{}", message(&name)).unwrap();
    }
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

#[test]
fn a_scene_names_its_own_place_and_that_in_the_robot() {
    let text = "format = 1\n[[urdf]]\nfile = \"mass_negative.urdf\"\nfixed = true\n";
    let error = Scene::parse(text, folder()).unwrap_err().to_string();
    assert_eq!(
        error,
        "scene:3:8: urdf[0].file: mass_negative.urdf:4:20: link[a].inertial.mass.value: must not be negative, found -1\n\
         scene:4:1: urdf[0].fixed: unknown key, expected one of file, prefix, position, orientation, fixed_base, material, \
         groups, positions, motor, motors, self_collision, neighbours_collide; did you mean fixed_base?"
    );
    for (line, expected) in [
        (
            "file = \"../a.urdf\"",
            "must be a path below the scene's folder, found ../a.urdf",
        ),
        ("file = \"a.urdf\"", "must be a file, found nothing of the name a.urdf"),
        (
            "file = \"massless.urdf\"",
            "link[b].mass: must be positive for a link that moves, found 0",
        ),
    ] {
        let error = Scene::parse(&format!("format = 1\n[[urdf]]\n{line}\n"), folder()).unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("scene:3:8: urdf[0].file: ") && text.ends_with(expected),
            "{text}"
        );
    }
}

#[test]
fn starts_beyond_limits_and_names_that_are_none() {
    let one = "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial>";
    let text = format!(
        "<robot name=\"r\"><link name=\"a\">{one}</link><link name=\"b\">{one}</link>\
         <joint name=\"j\" type=\"prismatic\"><parent link=\"a\"/><child link=\"b\"/><limit lower=\"0.5\" upper=\"1\"/></joint></robot>"
    );
    let robot = Urdf::parse(&text, ".").unwrap();
    let build = |name: &str, value: f64| {
        let positions = vec![(name.to_owned(), value)];
        let options = UrdfOptions {
            positions,
            ..UrdfOptions::default()
        };
        robot.build(&options)
    };
    let column = text.find("<joint").unwrap() + 1;
    assert!(build("j", 0.75).is_ok());
    for value in [0.4, 1.1, f64::NAN, f64::INFINITY] {
        let error = build("j", value).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("urdf:1:{column}: joint[j]: must start between its limits 0.5 and 1, found {value}")
        );
    }
    let error = build("k", 0.0).unwrap_err().to_string();
    let expected = "joint[k]: must be the name of a revolute, continuous or prismatic joint, found 0";
    assert_eq!(error, expected);
    // Without a start the coordinate is the limit nearest to 0.
    let parts = robot.build(&UrdfOptions::default()).unwrap();
    assert_eq!(parts.bodies[1].1.pose.position.x, 0.5);
}

#[test]
fn deep_nesting_and_long_chains_end() {
    let deep = format!(
        "<robot name=\"r\">{}{}</robot>",
        "<a>".repeat(200_000),
        "</a>".repeat(200_000)
    );
    let error = Urdf::parse(&deep, ".").unwrap_err().to_string();
    assert!(error.len() < 500, "{error}");
    let wide = format!("<robot name=\"r\">{}</robot>", "<a/>".repeat(1_100_000));
    let error = Urdf::parse(&wide, ".").unwrap_err().to_string();
    assert!(
        error.contains("must be well-formed XML: nodes limit reached"),
        "{error}"
    );
    // A chain of links, each on the one before.
    let mut text = "<robot name=\"r\">".to_owned();
    for k in 0..=MAX_LINKS {
        write!(
            text,
            "<link name=\"l{k}\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link>"
        )
        .unwrap();
        if k > 0 {
            let parent = k - 1;
            write!(
                text,
                "<joint name=\"j{k}\" type=\"continuous\"><parent link=\"l{parent}\"/><child link=\"l{k}\"/></joint>"
            )
            .unwrap();
        }
    }
    text += "</robot>";
    let error = Urdf::parse(&text, ".").unwrap_err().to_string();
    assert!(error.ends_with("must not be a link beyond 1000, found more"), "{error}");
}

#[test]
fn mangled_robots_never_panic() {
    const LIKELY: &[u8] = b"0123456789.-+e<>/=\"' \ninfa&;";
    let mut sequence = Sequence(11);
    let (mut refused, mut taken) = (0, 0);
    let quadruped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/drumwright/robots/quadruped.urdf");
    let files = names().into_iter().map(|name| folder().join(name));
    for path in files.chain([quadruped]) {
        let bytes = std::fs::read(&path).unwrap();
        let count = if bytes.len() > 4_000 { 600 } else { 60 };
        for _ in 0..count {
            let changed = sequence.mangle(&bytes, 3, LIKELY);
            let mut world = World::new(stiction_sim::Settings::default()).unwrap();
            let read = Urdf::parse(&changed, folder());
            match read {
                Ok(robot) => {
                    taken += 1;
                    if world.add_urdf(&robot, &UrdfOptions::default()).is_ok() {
                        // A step may fail, with a word.
                        let _ = world.step();
                    }
                }
                Err(error) => {
                    refused += 1;
                    assert!(error.to_string().starts_with("urdf:"), "{error}");
                }
            }
        }
    }
    assert!(refused > 1000 && taken > 50, "{refused} {taken}");
}
