//! Doubtful input ran without a word: a box half in the ground, a mesh taken as its hull, a friction of 0.5 that nobody had given. And runs
//! that ended with joints half a metre apart, or with more energy than they had, left the exit status 0.
//!
//! `data/doubtful/NAME.toml` are scenes that can be used but are most likely not what was meant; `NAME.txt` beside each is what `stiction check`
//! says of it. `DOUBTS=write cargo test -p stiction-cli --test issue_022_doubtful` writes them; read the difference before you keep it.
#![allow(clippy::unwrap_used)]

mod running;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use running::{folder, stiction_in, workspace};

/// Scenes of the workspace that have doubtful values on purpose: the paper's friction of 100.
const MEANT: [&str; 2] = ["drumwright/grasp_coulomb.toml", "drumwright/grasp_pyramid.toml"];

/// A box on the ground, without a doubt.
const PLAIN: &str = r#"format = 1
world = { friction = 0.5, density = 1000, duration = 0.01 }
[[body]]
name = "ground"
shape = { half_space = [0, 0, 1] }
[[stack]]
box = [0.2, 0.2, 0.2]
count = 4
"#;

fn doubtful() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/doubtful")
}

/// Scene files of a folder and those below it, as paths from there, sorted.
fn scenes(folder: &Path) -> Vec<String> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(inside) = folders.pop() {
        for entry in std::fs::read_dir(inside).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "toml") {
                found.push(path.strip_prefix(folder).unwrap().to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    found
}

/// The lines that begin with `warning: `, without it.
fn warnings(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("warning: ")).collect()
}

#[test]
fn thirty_doubtful_scenes_are_said_and_refused_where_strict() {
    let (folder, mut count) = (doubtful(), 0);
    for name in scenes(&folder) {
        let ran = stiction_in(&folder, &["check", &name]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{name}");
        let snapshot = folder.join(&name).with_extension("txt");
        if std::env::var_os("DOUBTS").is_some_and(|value| value == "write") {
            std::fs::write(&snapshot, &ran.stdout).unwrap();
        }
        let stated = std::fs::read_to_string(&snapshot).unwrap_or_default();
        assert_eq!(ran.stdout, stated, "{name}: not what {} says", snapshot.display());
        let said = warnings(&ran.stdout);
        assert!(!said.is_empty(), "{name}: no doubt, {}", ran.stdout);
        for line in &said {
            assert!(line.starts_with(&format!("{name}:")) && line.contains(": "), "{line}");
        }
        let strict = stiction_in(&folder, &["check", &name, "--strict"]);
        let refused = said.join("\n") + "\n";
        assert_eq!(
            (strict.code, strict.stdout.as_str(), strict.stderr),
            (2, "", refused),
            "{name}"
        );
        count += 1;
    }
    assert!(count >= 30, "{count} scenes");
}

#[test]
fn scenes_of_the_workspace_are_beyond_doubt() {
    let folder = workspace().join("scenes");
    let names = scenes(&folder);
    assert!(names.len() >= 60, "{names:?}");
    for name in names {
        let ran = stiction_in(&folder, &["check", &name]);
        let said = warnings(&ran.stdout);
        let meant = MEANT.contains(&name.as_str());
        let of_friction = |line: &&str| line.contains("material[0].friction: is a large friction coefficient");
        assert!(
            said.len() == usize::from(meant) && said.iter().all(of_friction),
            "{name}: {said:?}"
        );
    }
}

#[test]
fn run_and_view_say_the_same_and_are_strict() {
    let folder = folder("doubtful_run");
    let sunk = PLAIN.replace("count = 4", "count = 4\nbase = [0, 0, -0.02]");
    std::fs::write(folder.join("plain.toml"), PLAIN).unwrap();
    std::fs::write(folder.join("sunk.toml"), sunk).unwrap();
    let taken = |file: &str| {
        format!(
            "{file}: 1 half-space (ground), fixed, friction 0.5\n{file}: 4 boxes 0.2 × 0.2 × 0.2 m, 8 kg each, friction 0.5\n"
        )
    };
    let doubt = "sunk.toml:6:1: stack[0].base: bodies overlap at the start, found ground and stack[0] by 0.02 m\n";
    let ran = stiction_in(&folder, &["run", "plain.toml", "--strict"]);
    assert_eq!((ran.code, ran.stderr), (0, taken("plain.toml")));
    let ran = stiction_in(&folder, &["run", "sunk.toml"]);
    assert_eq!(
        (ran.code, ran.stderr),
        (0, format!("warning: {doubt}{}", taken("sunk.toml")))
    );
    for command in [
        &["run", "sunk.toml", "--strict", "-o", "sunk.mcap"][..],
        &["view", "sunk.toml", "--strict"],
    ] {
        let ran = stiction_in(&folder, command);
        assert_eq!(
            (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
            (2, "", doubt),
            "{command:?}"
        );
    }
    assert!(!folder.join("sunk.mcap").exists());
}

#[test]
fn a_check_as_json_has_groups_and_warnings() {
    let folder = folder("doubtful_json");
    let text = PLAIN.replace("friction = 0.5, ", "");
    std::fs::write(folder.join("a.toml"), text).unwrap();
    let ran = stiction_in(&folder, &["check", "a.toml", "--json"]);
    let said = ran.json();
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(
        (&said["kind"], &said["verdict"]),
        (&"scene-check".into(), &"accepted".into())
    );
    assert_eq!((&said["steps"], &said["law"]), (&10.into(), &"coulomb".into()));
    let boxes = &said["bodies"][1];
    assert_eq!(
        (&boxes["count"], &boxes["shape"], &boxes["size"]),
        (&4.into(), &"box".into(), &"0.2 × 0.2 × 0.2 m".into())
    );
    assert!((boxes["mass"].as_f64().unwrap() - 8.0).abs() < 1e-12 && boxes["friction"] == 0.0);
    let warning = &said["warnings"][0];
    assert_eq!(
        (&warning["path"], &warning["line"], &warning["column"]),
        (&"world.friction".into(), &3.into(), &1.into())
    );
    let message = "is not given, nor by a material: 0 is taken for ground, stack";
    assert_eq!(warning["message"], message);
    let strict = stiction_in(&folder, &["check", "a.toml", "--json", "--strict"]);
    assert_eq!((strict.code, &strict.json()["verdict"]), (2, &"refused".into()));
}

#[test]
fn a_problem_still_needs_its_answer() {
    let folder = folder("doubtful_problem");
    std::fs::write(folder.join("p.json"), r#"{"kind": "lcp", "M": [[1]], "q": [-1]}"#).unwrap();
    std::fs::write(folder.join("z.json"), "[1]").unwrap();
    let ran = stiction_in(&folder, &["check", "p.json"]);
    let message = "p.json: answer: must be given beside a problem, found nothing\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (2, message));
    assert_eq!(stiction_in(&folder, &["check", "p.json", "z.json"]).code, 0);
    std::fs::write(folder.join("a.toml"), PLAIN).unwrap();
    let ran = stiction_in(&folder, &["check", "a.toml", "--tolerance", "1e-3"]);
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (2, "tolerance: must be given with an answer only, found none\n")
    );
    let ran = stiction_in(&folder, &["check", "a.toml", "--law", "coulomb"]);
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (2, "answer: must be given beside a law or its options, found none\n")
    );
}

/// Missing friction is 0 in a scene, as it is in a contact file.
#[test]
fn missing_friction_is_none_in_scenes_and_in_problems() {
    let folder = folder("doubtful_friction");
    let sliding = "format = 1\n[[body]]\nname = \"ground\"\nshape = { half_space = [0, 0, 1] }\n\
                   [[body]]\nname = \"box\"\nshape = { box = [1, 1, 1] }\nmass = 1\nposition = [0, 0, 0.5]\nvelocity = [2, 0, 0]\n";
    std::fs::write(folder.join("slide.toml"), sliding).unwrap();
    let run = stiction_in(&folder, &["run", "slide.toml", "--steps", "100", "--json"]).json();
    assert_eq!(run["bodies"][1]["velocity"][0], 2.0);
    let corners = ["[0.5, 0.5, 0]", "[-0.5, 0.5, 0]", "[0.5, -0.5, 0]", "[-0.5, -0.5, 0]"];
    let contact = |at: &&str| format!(r#"{{"a": 0, "b": null, "point": {at}, "normal": [0, 0, 1]}}"#);
    let mut text =
        String::from(r#"{"kind": "contact", "dt": 0.001, "bodies": [{"mass": 1, "inertia": [0.16, 0.16, 0.16],"#);
    let _ = write!(
        text,
        r#" "position": [0, 0, 0.5], "velocity": [2, 0, 0, 0, 0, 0], "wrench": [0, 0, -9.81, 0, 0, 0]}}], "contacts": [{}]}}"#,
        corners.iter().map(contact).collect::<Vec<_>>().join(", ")
    );
    std::fs::write(folder.join("slide.json"), text).unwrap();
    let solved = stiction_in(&folder, &["solve", "slide.json", "--json"]).json();
    assert_eq!(solved["bodies"][0]["velocity"][0], 2.0);
}

/// A body that turns by 5.4 rad in each step gained 350,000 times its energy. Whether it still does or not, the exit status says it.
#[test]
fn energy_gained_is_a_failure() {
    let folder = folder("doubtful_energy");
    let spinning = "format = 1\nworld = { dt = 0.01, friction = 0.5, density = 1000 }\n\
                    [[body]]\nname = \"top\"\nshape = { box = [0.3, 0.2, 0.1] }\nspin = [300, 400, 200]\n";
    std::fs::write(folder.join("top.toml"), spinning).unwrap();
    std::fs::write(folder.join("plain.toml"), PLAIN).unwrap();
    let mut finished = 0;
    for name in ["top.toml", "plain.toml"] {
        let ran = stiction_in(&folder, &["run", name, "--json"]);
        let run = ran.json();
        // A step that fails and says so is as good.
        if run["failure"].is_object() {
            continue;
        }
        let [gained, in_play] = ["gained", "in_play"].map(|key| run["energy"][key].as_f64().unwrap());
        let is_gain = gained > 0.01 * in_play;
        let status = if is_gain { "energy_gained" } else { "finished" };
        assert_eq!(
            (ran.code, &run["status"]),
            (i32::from(is_gain), &status.into()),
            "{name}"
        );
        assert_eq!(
            ran.stderr.contains("the run gained energy"),
            is_gain,
            "{name}: {}",
            ran.stderr
        );
        finished += i32::from(!is_gain);
    }
    assert!(finished >= 1, "the plain scene gains nothing");
}
