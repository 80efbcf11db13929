//! `stiction plot`, `export`, `demo`, `examples`, `completions`, `man`: what they write, and what they say of wrong input.
#![allow(clippy::unwrap_used)]

mod running;

use std::path::{Path, PathBuf};

use running::{Ran, folder, stiction, stiction_in, workspace};
use serde_json::Value;

fn scene(name: &str) -> String {
    workspace().join("scenes").join(name).display().to_string()
}

/// A recording of a scene in a folder of the test's own.
fn recorded(test: &str, name: &str, steps: &str, output: &str) -> PathBuf {
    let folder = folder(test);
    let ran = stiction_in(&folder, &["run", &scene(name), "-o", output, "--steps", steps]);
    assert_eq!(ran.code, 0, "{ran:?}");
    folder
}

fn works(folder: &Path, line: &[&str]) -> Ran {
    let ran = stiction_in(folder, line);
    // A run says what it has taken.
    let silent = ran.stderr.is_empty() || line[0] == "run" && !ran.stderr.contains("warning: ");
    assert!(ran.code == 0 && silent, "{line:?}: {ran:?}");
    ran
}

/// What `stiction` says of wrong input, with exit status 2 and nothing on stdout.
fn refused(folder: &Path, line: &[&str]) -> String {
    let ran = stiction_in(folder, line);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{line:?}: {ran:?}");
    ran.stderr
}

fn text(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn plot_draws_all_charts_with_their_labels() {
    let folder = recorded("plot_all", "ramp-slide.toml", "200", "slide.mcap");
    assert_eq!(works(&folder, &["plot", "slide.mcap"]).stdout, "slide.svg\n");
    let svg = text(folder.join("slide.svg"));
    let titles = [
        "Energy",
        "Penetration",
        "Normal force",
        "Friction",
        "Contacts",
        "Work of the solver, a step",
        "Residual",
    ];
    for words in titles.iter().chain(&[
        "kinetic",
        "slip",
        "impacts",
        "numerical loss",
        "injected",
        "sum",
        "box[0] – ramp",
        "prefers-color-scheme: dark",
    ]) {
        assert!(svg.contains(words), "{words}");
    }
    std::fs::create_dir(folder.join("charts")).unwrap();
    let ran = works(
        &folder,
        &["plot", "slide.mcap", "--what", "solver,energy", "-o", "charts"],
    );
    assert_eq!(ran.stdout, "charts/slide-energy.svg\ncharts/slide-solver.svg\n");
}

#[test]
fn plot_reads_the_same_from_csv() {
    let folder = recorded("plot_csv", "ramp-slide.toml", "50", "a.mcap");
    works(&folder, &["export", "a.mcap", "-o", "a.csv"]);
    works(&folder, &["plot", "a.mcap", "-o", "mcap.svg"]);
    works(&folder, &["plot", "a.csv", "-o", "csv.svg"]);
    assert_eq!(text(folder.join("mcap.svg")), text(folder.join("csv.svg")));
    std::fs::create_dir(folder.join("tables")).unwrap();
    works(&folder, &["export", "a.mcap", "-o", "tables"]);
    works(&folder, &["plot", "tables", "-o", "tables.svg"]);
    assert_eq!(
        text(folder.join("mcap.svg")).len(),
        text(folder.join("tables.svg")).len() - "tables".len() + "a".len()
    );
}

/// Older recordings do not divide what contacts and joints took.
#[test]
fn plot_draws_the_sum_of_an_older_recording() {
    let folder = folder("plot_old");
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("../record/tests/recordings");
    for name in ["format-1.csv", "format-1.mcap"] {
        let path = old.join(name);
        works(&folder, &["plot", path.to_str().unwrap(), "-o", "old.svg"]);
        let svg = text(folder.join("old.svg"));
        assert!(svg.contains(">dissipated<") && !svg.contains(">slip<"), "{name}: {svg}");
    }
}

#[test]
fn plot_of_little_says_so() {
    let folder = recorded("plot_one", "ramp-slide.toml", "1", "one.mcap");
    works(&folder, &["plot", "one.mcap"]);
    let svg = text(folder.join("one.svg"));
    assert!(svg.contains("<circle") && !svg.contains("NaN"), "{svg}");
    std::fs::write(
        folder.join("fall.toml"),
        "format = 1\nworld.density = 1000\nbody = [{ name = \"ball\", shape = { ball = 1 } }]\n",
    )
    .unwrap();
    works(&folder, &["run", "fall.toml", "--steps", "5", "-o", "fall.mcap"]);
    works(&folder, &["plot", "fall.mcap"]);
    works(&folder, &["export", "fall.mcap", "-o", "fall.csv"]);
    works(&folder, &["plot", "fall.csv", "-o", "csv.svg"]);
    assert_eq!(text(folder.join("csv.svg")), text(folder.join("fall.svg")));
    let svg = text(folder.join("fall.svg"));
    assert!(svg.contains("no requested contact carries a force"), "{svg}");
    assert!(svg.contains("no pivot and no Newton step was needed"), "{svg}");
    works(&folder, &["run", "fall.toml", "--steps", "0", "-o", "none.mcap"]);
    assert_eq!(
        refused(&folder, &["plot", "none.mcap"]),
        "none.mcap: must hold at least one step, found none\n"
    );
}

#[test]
fn the_largest_numbers_are_drawn_without_nonsense() {
    let folder = recorded("plot_large", "ramp-slide.toml", "4", "a.mcap");
    works(&folder, &["export", "a.mcap", "-o", "a.csv"]);
    let edit = |name: &str, from: usize, to: &str| {
        let text = text(folder.join(name));
        let lines = text.lines().enumerate().map(|(i, line)| {
            let mut fields: Vec<&str> = line.split(',').collect();
            if i > 0 && i % 2 == 0 {
                fields[from] = to;
            }
            fields.join(",")
        });
        std::fs::write(folder.join(name), lines.collect::<Vec<_>>().join("\n") + "\n").unwrap();
    };
    for (column, value) in [
        (8, "1.7e308"),
        (9, "1.7e308"),
        (10, "1.7e308"),
        (11, "-1.7e308"),
        (12, "1.7e308"),
        (13, "-1.7e308"),
    ] {
        edit("a.stats.csv", column, value);
    }
    edit("a.contacts.csv", 11, "1.7e308");
    edit("a.contacts.csv", 12, "-1.7e308");
    works(&folder, &["plot", "a.csv"]);
    let svg = text(folder.join("a.svg"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    assert!(!svg.contains("00000000"), "{svg}");
}

#[test]
fn what_plot_says_of_wrong_input() {
    let folder = recorded("plot_bad", "ramp-slide.toml", "3", "a.mcap");
    std::fs::write(folder.join("a.toml"), "format = 1\n").unwrap();
    std::fs::write(
        folder.join("cut.mcap"),
        &std::fs::read(folder.join("a.mcap")).unwrap()[..700],
    )
    .unwrap();
    std::fs::write(folder.join("b.csv"), "step,time\n").unwrap();
    works(&folder, &["export", "a.mcap", "-o", "c.csv"]);
    let stats = text(folder.join("c.stats.csv")).replacen("\n1,", "\nx,", 1);
    std::fs::write(folder.join("c.stats.csv"), stats).unwrap();
    let cases: [(&[&str], &str); 9] = [
        (
            &["plot", "no.mcap"],
            "no.mcap: must be a recording, found nothing of this name\n",
        ),
        (
            &["plot", "a.toml"],
            "a.toml: must be a recording, found a scene; stiction run SCENE -o NAME.mcap makes one\n",
        ),
        (
            &["plot", "cut.mcap"],
            "cut.mcap: must not end early: the file is cut short or damaged\n",
        ),
        (
            &["plot", "b.csv"],
            "b.csv: line 1: must have a column body, found step,time\n",
        ),
        (
            &["plot", "c.csv"],
            "c.stats.csv: line 2: step: must be a whole number, found x\n",
        ),
        (
            &["plot", "a.mcap", "-o", "a.png"],
            "a.png: must end in .svg or be a folder that exists\n",
        ),
        (
            &["plot", "a.mcap", "--body", "box"],
            "a.mcap: body: must be a body of the recording, found box; nearest: box[0]\n",
        ),
        (
            &["plot", "a.mcap", "--contact", "ramp", "xyzzy"],
            "a.mcap: contact: must be a body of the recording, found xyzzy\n",
        ),
        (
            &["plot", "no/a.mcap"],
            "no/a.mcap: must be a recording, found nothing of this name\n",
        ),
    ];
    for (line, stated) in cases {
        assert_eq!(refused(&folder, line), stated);
    }
    let said = refused(&folder, &["plot", "a.mcap", "--what", "colour"]);
    assert!(
        said.contains("[possible values: energy, penetration, forces, solver]"),
        "{said}"
    );
}

/// The JSON of a `.glb` file, whose lengths must agree.
fn of_glb(bytes: &[u8]) -> (Value, Vec<u8>) {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
    let json = word(12);
    let document = serde_json::from_slice(&bytes[20..20 + json]).unwrap();
    let at = 20 + json;
    assert_eq!((json % 4, &bytes[at + 4..at + 8]), (0, &b"BIN\0"[..]));
    (document, bytes[at + 8..at + 8 + word(at)].to_vec())
}

/// A number of a document.
fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

fn floats(document: &Value, buffer: &[u8], accessor: usize) -> Vec<f32> {
    let view = &document["bufferViews"][number(&document["accessors"][accessor]["bufferView"])];
    let (from, length) = (number(&view["byteOffset"]), number(&view["byteLength"]));
    let words = buffer[from..from + length].chunks_exact(4);
    words.map(|w| f32::from_le_bytes(w.try_into().unwrap())).collect()
}

#[test]
fn gltf_holds_bodies_by_name_and_where_they_end() {
    let folder = recorded("export_gltf", "ramp-slide.toml", "500", "slide.mcap");
    works(&folder, &["export", "slide.mcap", "-o", "slide.glb", "--fps", "100"]);
    let (document, buffer) = of_glb(&std::fs::read(folder.join("slide.glb")).unwrap());
    let nodes = document["nodes"].as_array().unwrap();
    let names: Vec<&str> = nodes.iter().map(|n| n["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["slide", "ramp", "box[0]"]);
    let animation = &document["animations"][0];
    // The ramp does not move: only the box has channels.
    let channels = animation["channels"].as_array().unwrap();
    assert_eq!(channels.len(), 2);
    assert!(channels.iter().all(|c| c["target"]["node"] == 2));
    let sampler = |i: usize, key: &str| number(&animation["samplers"][i][key]);
    let times = floats(&document, &buffer, sampler(0, "input"));
    assert_eq!((times.len(), times[0], times[50]), (51, 0.0, 0.5));
    let places = floats(&document, &buffer, sampler(0, "output"));
    let poses = text({
        works(&folder, &["export", "slide.mcap", "-o", "slide.csv"]);
        folder.join("slide.csv")
    });
    let last: Vec<f32> = poses
        .lines()
        .last()
        .unwrap()
        .split(',')
        .skip(3)
        .take(3)
        .map(|x| x.parse().unwrap())
        .collect();
    assert_eq!(places[places.len() - 3..], last);
    // The text form holds the same, with the buffer in it.
    works(&folder, &["export", "slide.mcap", "-o", "slide.gltf", "--fps", "100"]);
    let mut in_text: Value = serde_json::from_str(&text(folder.join("slide.gltf"))).unwrap();
    let uri = in_text["buffers"][0].as_object_mut().unwrap().remove("uri").unwrap();
    assert!(
        uri.as_str()
            .unwrap()
            .starts_with("data:application/octet-stream;base64,")
    );
    assert_eq!(in_text, document);
}

#[test]
fn every_kind_of_scene_can_be_exported() {
    let folder = folder("export_scenes");
    for name in [
        "baraff/double_action_jack.toml",
        "egan/many_sides.toml",
        "prisms.toml",
        "quadruped.toml",
        "four-bar.toml",
    ] {
        works(
            &folder,
            &["export", &scene(name), "-o", "a.glb", "--steps", "20", "--every", "5"],
        );
        let (document, buffer) = of_glb(&std::fs::read(folder.join("a.glb")).unwrap());
        let meshes = document["meshes"].as_array().unwrap();
        for mesh in meshes {
            let points = number(&mesh["primitives"][0]["attributes"]["POSITION"]);
            assert!(
                floats(&document, &buffer, points).iter().all(|x| x.is_finite()),
                "{name}"
            );
        }
        assert!(meshes.len() > 1, "{name}");
    }
}

#[test]
fn what_export_says_of_wrong_input() {
    let folder = recorded("export_bad", "ramp-slide.toml", "3", "a.mcap");
    std::fs::write(folder.join("bad.toml"), "format = 2\n").unwrap();
    std::fs::write(folder.join("empty.mcap"), "").unwrap();
    let cases: [(&[&str], &str); 10] = [
        (
            &["export", "a.mcap", "-o", "a.glb", "--steps", "2"],
            "steps: is for scenes, which are run: a recording is exported as it is, found 2\n",
        ),
        (
            &["export", "a.mcap", "-o", "a.obj"],
            "a.obj: must end in .html, .gltf, .glb, .csv or .png\n",
        ),
        (
            &["export", "a.txt", "-o", "a.glb"],
            "a.txt: must be a recording, NAME.mcap, or a scene, NAME.toml\n",
        ),
        (
            &["export", "a.mcap", "-o", "a.png"],
            "a.png: a picture needs --png TIME, the time of its frame\n",
        ),
        (
            &["export", "a.mcap", "-o", "a.glb", "--png", "1"],
            "a.glb: must end in .png where --png is given\n",
        ),
        (
            &["export", "a.mcap", "-o", "a.png", "--png=-1"],
            "png: must be a time of the recording, found -1\n",
        ),
        (
            &["export", "a.mcap", "-o", "a.glb", "--fps", "0"],
            "fps: must be positive, found 0\n",
        ),
        (
            &["export", "empty.mcap", "-o", "a.glb"],
            "empty.mcap: must begin as an MCAP file does\n",
        ),
        (
            &["export", "bad.toml", "-o", "a.glb"],
            "bad.toml:1:10: format: must be 1, found 2\n",
        ),
        (
            &["export", "no.toml", "-o", "a.glb"],
            "no.toml: must be a file, found nothing of this name\n",
        ),
    ];
    for (line, stated) in cases {
        assert_eq!(refused(&folder, line), stated);
    }
    let said = refused(&folder, &["export", "no.mcap", "-o", "a.glb"]);
    assert!(said.starts_with("no.mcap: "), "{said}");
}

#[test]
fn a_replay_is_one_page_or_says_how_to_build_it() {
    let folder = recorded("export_html", "ramp-slide.toml", "20", "a.mcap");
    let ran = stiction_in(&folder, &["export", "a.mcap", "-o", "a.html"]);
    if ran.code == 0 {
        let page = text(folder.join("a.html"));
        assert!(page.contains("id=\"stiction-replay\""), "the replay is in the page");
    } else {
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains("scripts/build.sh"), "{ran:?}");
        assert!(!folder.join("a.html").exists());
    }
}

#[test]
fn the_showcase_is_right_to_the_last_figure() {
    let folder = folder("demo");
    let ran = works(&folder, &["demo"]);
    let rows: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| line.contains("  ") && line.contains("e-"))
        .collect();
    assert!(rows.len() >= 9 && !ran.stdout.contains("WRONG"), "{}", ran.stdout);
    let tower = ran
        .stdout
        .lines()
        .find(|line| line.starts_with("tower of five tips"))
        .unwrap();
    let numbers: Vec<f64> = tower.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert!((numbers[0] - 0.2_f64.atan().to_degrees()).abs() < 1e-8, "{tower}");
    assert!((numbers[1] - numbers[0]).abs() < 2e-3, "{tower}");
    let written = ["stiction-demo.html", "stiction-demo.mcap"].map(|name| folder.join(name).exists());
    assert!(written[0] || written[1], "{}", ran.stdout);
}

#[test]
fn examples_are_listed_run_and_written() {
    let folder = folder("examples");
    let list = works(&folder, &["examples"]).stdout;
    assert!(
        list.contains("\n  card-house ") && list.contains("Mechanisms:\n"),
        "{list}"
    );
    // What the robot's file says and the scene does not take is on stderr.
    let run = stiction_in(&folder, &["examples", "quadruped", "--steps", "3", "--json"]).json();
    assert_eq!(
        (run["status"].as_str(), run["steps"].as_u64()),
        (Some("finished"), Some(3))
    );
    let written = works(&folder, &["examples", "quadruped", "--write", "robot.toml"]).stdout;
    assert_eq!(written, "robot.toml\ndrumwright/robots/quadruped.urdf\n");
    let again = stiction_in(&folder, &["run", "robot.toml", "--steps", "3", "--json"]).json();
    assert_eq!(again["hash"], run["hash"]);
    let stated = "example: must be one that stiction examples lists, found stack; did you mean stack-20?\n";
    assert_eq!(refused(&folder, &["examples", "stack"]), stated);
    let said = refused(&folder, &["examples", "--write", "a.toml"]);
    assert!(said.contains("<NAME>"), "{said}");
}

#[test]
fn completions_and_manual_pages_name_every_command() {
    let help = stiction(&["--help"]).stdout;
    let names = [
        "run",
        "plot",
        "export",
        "demo",
        "examples",
        "completions",
        "man",
        "solve",
        "check",
        "methods",
    ];
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = works(Path::new("."), &["completions", shell]).stdout;
        for name in names {
            assert!(
                help.contains(&format!("\n  {name} ")) && script.contains(name),
                "{shell}: {name}"
            );
        }
    }
    let said = refused(Path::new("."), &["completions", "csh"]);
    assert!(
        said.contains("[possible values: bash, elvish, fish, powershell, zsh]"),
        "{said}"
    );
    let folder = folder("man");
    let pages = works(&folder, &["man", "."]).stdout;
    for name in names {
        assert!(pages.contains(&format!("stiction-{name}.1\n")), "{pages}");
        let page = text(folder.join(format!("stiction-{name}.1")));
        assert!(page.contains(&format!(".TH stiction-{name} 1")), "{name}: {page}");
    }
    assert!(works(&folder, &["man"]).stdout.contains(".SH NAME\nstiction"));
    assert_eq!(
        refused(&folder, &["man", "nowhere"]),
        "nowhere: must be a folder that exists\n"
    );
}
