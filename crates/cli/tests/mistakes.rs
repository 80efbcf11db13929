//! What is said to natural mistakes: each command line of `mistakes.txt` with its exit status and messages.
//! `MISTAKES=write cargo test -p stiction-cli --test mistakes` writes them again; read the difference before you keep it.
#![allow(clippy::unwrap_used)]

mod running;

use std::fmt::Write as _;
use std::path::Path;

use running::{folder, stiction_in, workspace};

const FILES: [(&str, &str); 12] = [
    (
        "box.toml",
        "format = 1\nworld = { friction = 0.5 }\nbody = [\n  { name = \"ground\", shape = { half_space = [0, 0, 1] } },\n  { name = \"box\", shape = { box = [1, 1, 1] }, mass = 1, position = [0, 0, 0.5] },\n]\n",
    ),
    (
        "robot.urdf",
        "<?xml version=\"1.0\"?>\n<robot name=\"r\"><link name=\"a\"/></robot>\n",
    ),
    ("robot.xml", "<mujoco model=\"m\"><worldbody/></mujoco>\n"),
    ("problem.json", "{\"kind\": \"lcp\", \"M\": [[1]], \"q\": [-1]}\n"),
    (
        "typo.toml",
        "format = 1\nbody = [{ name = \"box\", shape = { bx = [1, 1, 1] }, mas = 1 }]\n",
    ),
    ("law.toml", "format = 1\nworld = { law = \"colomb\" }\n"),
    (
        "unit.toml",
        "format = 1\nbody = [{ name = \"box\", shape = { box = [1, 1, 1] }, mass = \"3 kg\" }]\n",
    ),
    (
        "negative.toml",
        "format = 1\nbody = [{ name = \"box\", shape = { box = [1, 1, 1] }, mass = -3 }]\n",
    ),
    (
        "quaternion.toml",
        "format = 1\nbody = [{ name = \"box\", shape = { box = [1, 1, 1] }, mass = 1, orientation = [0, 0, 0, 2] }]\n",
    ),
    ("broken.toml", "format = 1\nbody = [{ name = \"box\"\n"),
    ("no_format.toml", "body = []\n"),
    (
        "contact.json",
        "{\"kind\": \"contact\", \"dt\": 0.01, \"bodies\": [{\"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [0, 0, 0], \"velocity\": [0, 0, 0, 0, 0, 0], \"wrench\": [0, 0, -10, 0, 0, 0]}], \"contacts\": [{\"a\": 0, \"point\": [0, 0, 0], \"normal\": [0, 0, 1], \"frction\": 0.5}]}\n",
    ),
];

#[test]
fn natural_mistakes_are_answered_as_stated() {
    let folder = folder("mistakes");
    for (name, text) in FILES {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let path = workspace().join("crates/cli/tests/mistakes.txt");
    let stated = std::fs::read_to_string(&path).unwrap();
    let mut found = String::new();
    let lines: Vec<&str> = stated.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
    assert!(lines.len() >= 40, "{} mistakes", lines.len());
    for line in lines {
        found += &said(line, &folder);
    }
    if std::env::var_os("MISTAKES").is_some_and(|value| value == "write") {
        std::fs::write(&path, &found).unwrap();
    }
    assert_eq!(stated, found);
}

/// A command line with what it says: first lines alone, where they are many.
fn said(line: &str, folder: &Path) -> String {
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    let ran = stiction_in(folder, &words);
    let mut text = format!("$ {line}\n");
    // Writing to a String cannot fail.
    let _ = writeln!(text, "exit {}", ran.code);
    for said in ran.stderr.lines().filter(|said| !said.trim().is_empty()).take(4) {
        let _ = writeln!(text, "{}", said.trim_end());
    }
    text + "\n"
}
