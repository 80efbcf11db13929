//! `stiction run`: what it prints, writes and returns.
#![allow(clippy::unwrap_used)]

mod running;

use running::{folder, stiction, stiction_in, workspace};

/// Two walls that close on a box: no velocity can satisfy both.
const VICE: &str = r#"format = 1
world = { duration = 1, gravity = [0, 0, 0], friction = 0.5, density = 1000 }
[[body]]
name = "left"
kind = "kinematic"
shape = { box = [1, 1, 1] }
position = [-1.1, 0, 0]
velocity = [1, 0, 0]
[[body]]
name = "right"
kind = "kinematic"
shape = { box = [1, 1, 1] }
position = [1.1, 0, 0]
velocity = [-1, 0, 0]
[[body]]
name = "box"
shape = { box = [1, 1, 1] }
"#;

fn scene(name: &str) -> String {
    workspace().join("scenes").join(name).display().to_string()
}

#[test]
fn json_holds_what_the_contract_says() {
    let line = ["run", &scene("ramp-slide.toml"), "--json", "--steps", "100"];
    let ran = stiction(&line);
    assert_eq!(ran.code, 0, "{ran:?}");
    let run = ran.json();
    assert_eq!(
        (run["kind"].as_str(), run["status"].as_str()),
        (Some("run"), Some("finished"))
    );
    assert_eq!((run["steps"].as_u64(), run["time"].as_f64()), (Some(100), Some(0.1)));
    let body = &run["bodies"][1];
    assert_eq!(body["name"], "box[0]");
    let lengths = ["position", "orientation", "velocity"].map(|key| body[key].as_array().unwrap().len());
    assert_eq!(lengths, [3, 4, 6]);
    // Orientation is x, y, z, w: the ramp is turned about y by 30 degrees.
    assert!((body["orientation"][3].as_f64().unwrap() - (std::f64::consts::PI / 12.0).cos()).abs() < 1e-12);
    let speed = body["velocity"][0]
        .as_f64()
        .unwrap()
        .hypot(body["velocity"][2].as_f64().unwrap());
    assert!(
        (speed - 0.1 * 9.81 * (0.5 - 0.5 * 0.75_f64.sqrt())).abs() < 1e-12,
        "{speed}"
    );
    for key in [
        "residual",
        "spin_residual",
        "penetration",
        "joint_distance",
        "joint_angle",
        "energy_gain",
    ] {
        assert!(run["worst"][key].as_f64().unwrap() < 1e-9, "{run}");
    }
    assert_eq!(run["hash"].as_str().unwrap().len(), 16);
    let again = stiction(&line).json();
    assert_eq!(run["hash"], again["hash"]);
    let stats = &run["stats"];
    assert_eq!(
        (&stats["work"], &stats["moving"]),
        (&again["stats"]["work"], &again["stats"]["moving"])
    );
    assert!(stats["work"]["solves"].as_u64() >= Some(100) && stats["work"]["tries"].as_u64() >= Some(100));
    // It takes some steps until it is faster than gravity makes it in one.
    assert!(stats["moving"]["steps"].as_u64() >= Some(80), "{stats}");
    let [p50, p99, worst] = ["p50", "p99", "worst"].map(|key| stats["step_time_us"][key].as_f64().unwrap());
    assert!(0.0 < p50 && p50 <= p99 && p99 <= worst, "{stats}");
}

/// A budget of one operation: the first method of a solve still runs, and what it solves is verified.
#[test]
fn a_budget_is_an_option_and_a_key() {
    let line = ["run", &scene("stack-20.toml"), "--steps", "20", "--json"];
    let free = stiction(&line).json();
    let rich = stiction(&[&line[..], &["--max-work", "1000000000000"]].concat()).json();
    assert_eq!((&free["hash"], &free["status"]), (&rich["hash"], &rich["status"]));
    assert_eq!(stiction(&[&line[..], &["--max-work", "0"]].concat()).code, 2);
    let folder = folder("run_budget");
    std::fs::write(
        folder.join("vice.toml"),
        VICE.replace("duration = 1", "duration = 1, max_work = 1"),
    )
    .unwrap();
    let ran = stiction_in(&folder, &["run", "vice.toml", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(ran.json()["steps"], 100);
    std::fs::write(
        folder.join("none.toml"),
        VICE.replace("duration = 1", "duration = 1, max_work = 0"),
    )
    .unwrap();
    let ran = stiction_in(&folder, &["run", "none.toml"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("max_work: must be at least 1"),
        "{ran:?}"
    );
}

#[test]
fn text_ends_with_a_table() {
    let ran = stiction(&["run", &scene("stack-20.toml"), "--steps", "20"]);
    let taken: Vec<&str> = ran
        .stderr
        .lines()
        .filter_map(|line| line.split_once("toml: "))
        .map(|(_, words)| words)
        .collect();
    let stated = [
        "1 half-space (ground), fixed, friction 0.5",
        "20 boxes 0.2 × 0.2 × 0.2 m, 8 kg each, friction 0.5",
    ];
    assert_eq!((ran.code, &taken[..]), (0, &stated[..]), "{ran:?}");
    let names: Vec<&str> = ran
        .stdout
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let rows = "stack-20: finished steps contacts solver warm residual penetration energy dissipated numerical gain time percentiles state";
    assert_eq!(names.join(" "), rows);
    assert!(ran.stdout.contains("mean 80.0, most 80"), "{}", ran.stdout);
}

#[test]
fn a_failed_step_leaves_a_file_that_solve_reproduces() {
    let folder = folder("run_fails");
    std::fs::write(folder.join("vice.toml"), VICE).unwrap();
    let ran = stiction_in(&folder, &["run", "vice.toml", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    // After those that say what was taken.
    let lines: Vec<&str> = ran.stderr.lines().skip(2).collect();
    assert!(
        lines[0].starts_with(
            "vice.toml: step 100 at 0.1 s: no motion found that satisfies all contacts of left, right, box (ray)"
        ),
        "{}",
        lines[0]
    );
    assert!(
        lines[1].starts_with("vice.toml: contacts ") && lines[1].contains("(left on box)"),
        "{}",
        lines[1]
    );
    assert!(
        lines[2].contains("stiction solve vice.failed.json --law coulomb"),
        "{}",
        lines[2]
    );
    let run = ran.json();
    assert_eq!(
        (run["status"].as_str(), run["steps"].as_u64()),
        (Some("ray"), Some(100))
    );
    assert_eq!(run["failure"]["file"], "vice.failed.json");
    // The world is as it was before the step: the walls have moved 100 times 1 mm.
    assert!((run["bodies"][0]["position"][0].as_f64().unwrap() + 1.0).abs() < 1e-12);
    let solved = stiction_in(&folder, &["solve", "vice.failed.json", "--law", "coulomb", "--json"]);
    assert_eq!(
        (solved.code, solved.json()["status"].as_str().unwrap().to_owned()),
        (1, "ray".to_owned())
    );
    assert!(!folder.join("vice.failed.json.part").exists());
}

#[test]
fn a_recording_is_written_as_asked() {
    let folder = folder("run_records");
    for (name, files) in [
        ("run.mcap", &["run.mcap"][..]),
        ("run.csv", &["run.csv", "run.contacts.csv", "run.stats.csv"]),
    ] {
        let ran = stiction_in(
            &folder,
            &["run", &scene("ramp-hold.toml"), "-o", name, "--steps", "10", "--json"],
        );
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(ran.json()["recording"].as_array().unwrap().len(), files.len());
        for file in files {
            assert!(std::fs::metadata(folder.join(file)).unwrap().len() > 100, "{file}");
        }
    }
    let ran = stiction_in(&folder, &["run", &scene("ramp-hold.toml"), "-o", "run.txt"]);
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (2, "run.txt: must end in .mcap or .csv, or be a folder\n")
    );
}

#[test]
fn everything_wrong_with_a_scene_is_listed() {
    let folder = folder("run_refuses");
    std::fs::write(
        folder.join("a.toml"),
        "format = 1\nworld.dt = 0\nbody = [{ shape = { ball = -1 } }]\n",
    )
    .unwrap();
    let ran = stiction_in(&folder, &["run", "a.toml"]);
    let stated = "a.toml:2:12: world.dt: must be positive, found 0\n\
                  a.toml:3:28: body[0].shape.ball: must be positive, found -1\n";
    assert_eq!((ran.code, ran.stderr.as_str(), ran.stdout.as_str()), (2, stated, ""));
    let ran = stiction_in(&folder, &["run", "b.toml", "--json"]);
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (2, "b.toml: must be a file, found nothing of this name\n")
    );
}

#[test]
fn joints_that_cannot_hold_are_in_the_table_and_in_json() {
    let folder = folder("run_joints");
    let text = r#"format = 1
world = { duration = 0.01 }
[[body]]
name = "wall"
kind = "fixed"
shape = { ball = 0.1 }
groups = [1]
[[body]]
name = "bob"
shape = { ball = 0.1 }
position = [0, 0, -1]
[[joint]]
name = "rod"
kind = "distance"
a = "bob"
b = "wall"
position_a = [0, 0, -1]
position_b = [0, 0, 0]
[[joint]]
name = "strut"
kind = "distance"
a = "bob"
b = "wall"
position_a = [0, 0, -1]
position_b = [0, 0, 0]
length = 1.5
"#;
    std::fs::write(folder.join("rods.toml"), text).unwrap();
    let ran = stiction_in(&folder, &["run", "rods.toml"]);
    let message = "rods.toml: joints are apart at the end: strut by 5.0e-1 m and 0 rad\n";
    assert!(ran.code == 1 && ran.stderr.ends_with(message), "{ran:?}");
    let line = "joints       5.0e-1 m, 0 rad apart at worst; still apart at the end: strut (5.0e-1 m, 0 rad); \
                redundant: strut (1 rows)\n";
    assert!(ran.stdout.contains(line), "{}", ran.stdout);
    let run = stiction_in(&folder, &["run", "rods.toml", "--json"]).json();
    assert_eq!(run["status"], "joints_apart");
    assert_eq!(run["worst"]["joint_distance"], 0.5);
    assert_eq!(run["joints_apart"].as_array().unwrap().len(), 1);
    assert_eq!(run["joints_apart"][0]["name"], "strut");
    assert_eq!(run["joints_apart"][0]["distance"], 0.5);
    assert_eq!(run["joints_redundant"][0]["rows"], 1);
}

#[test]
fn help_lists_commands_by_what_they_are_for() {
    let ran = stiction(&["--help"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for part in [
        "Simulate:\n  run ",
        "Solve and judge:\n  solve ",
        "Measure:\n  compare ",
        "Exit status: 0",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
}

/// An interrupt in the middle of a run: the recording so far is whole, under its own name, and nothing else is left.
#[cfg(unix)]
#[test]
fn an_interrupt_completes_the_recording() {
    use std::process::{Command, Stdio};
    let folder = folder("interrupt");
    let child = Command::new(env!("CARGO_BIN_EXE_stiction"))
        .args([
            "run",
            &scene("ramp-slide.toml"),
            "--steps",
            "1000000000",
            "-o",
            "out.csv",
        ])
        .current_dir(&folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let names = || {
        let entries = std::fs::read_dir(&folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    // The files are opened before the first step, and the signals are listened to right after that.
    let long = |folder: &std::path::Path| {
        let sizes = std::fs::read_dir(folder)
            .unwrap()
            .flatten()
            .map(|e| e.metadata().map_or(0, |m| m.len()));
        sizes.max().unwrap_or(0) > 100_000
    };
    let grows = (0..60_000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        long(&folder)
    });
    assert!(grows, "nothing is recorded");
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("stopped after") && stderr.contains("what was recorded is kept"),
        "{stderr}"
    );
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert_eq!(names(), ["out.contacts.csv", "out.csv", "out.stats.csv"]);
    let text = std::fs::read_to_string(folder.join("out.csv")).unwrap();
    assert!(text.ends_with('\n') && text.lines().count() > 100);
}
