//! `stiction compare`: our methods, answers from files and drivers, judged alike.
#![allow(clippy::unwrap_used)]

mod running;

use std::path::Path;

use running::{folder, skipped_in_part, stiction, stiction_in, workspace};

/// Two LCPs: z = (4/3, 7/3), and z = (0, 1).
const PROBLEMS: [(&str, &str); 2] = [
    ("one.json", r#"{"kind": "lcp", "M": [[2, 1], [1, 2]], "q": [-5, -6]}"#),
    ("two.json", r#"{"kind": "lcp", "M": [[2, 1], [1, 2]], "q": [0, -2]}"#),
];

/// A driver with a solver that is right, one that lies, one that says it failed and one that crashes.
const DRIVER: &str = r##"
case "$1" in
--list) echo "right lcp knows the answers"; echo "liar lcp,contact says 1"; echo "honest lcp gives up"; echo "crash lcp"; echo "# absent: not installed";;
right) if grep -q -- "-5" "$2"; then z="1.3333333333333333, 2.3333333333333335"; else z="0, 1"; fi; echo "{\"status\": \"solved\", \"z\": [$z], \"time_us\": 2.5}" > "$3";;
liar) echo '{"status": "solved", "z": [1, 1], "time_us": 0.1}' > "$3";;
honest) echo '{"status": "gave up"}' > "$3";;
crash) kill -9 $$;;
esac
"##;

#[test]
fn answers_count_by_our_judge_only() {
    let folder = folder("compare");
    std::fs::create_dir_all(folder.join("problems")).unwrap();
    for (name, text) in PROBLEMS {
        std::fs::write(folder.join("problems").join(name), text).unwrap();
    }
    std::fs::write(folder.join("problems/README.txt"), "not a problem").unwrap();
    std::fs::write(folder.join("driver.sh"), DRIVER).unwrap();
    std::fs::create_dir_all(folder.join("answers")).unwrap();
    std::fs::write(folder.join("answers/two.json"), "[0, 1]").unwrap();
    let ran = stiction_in(
        &folder,
        &[
            "compare",
            "problems",
            "--peers",
            "sh driver.sh",
            "--answers",
            "file=answers",
            "-o",
            "out",
            "--json",
        ],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let found = ran.json();
    let row = |name: &str| {
        let rows = found["league"].as_array().unwrap();
        let row = rows
            .iter()
            .find(|row| row["solver"] == name)
            .unwrap_or_else(|| panic!("{name}: {rows:?}"));
        ["tried", "verified", "wrong", "failed"].map(|key| row[key].as_u64().unwrap())
    };
    assert_eq!(row("stiction"), [2, 2, 0, 0]);
    assert_eq!(row("right"), [2, 2, 0, 0]);
    assert_eq!(row("liar"), [2, 0, 2, 0]);
    assert_eq!(row("honest"), [2, 0, 0, 2]);
    assert_eq!(row("crash"), [2, 0, 0, 2]);
    assert_eq!(row("file"), [1, 1, 0, 0]);
    let messages = found["messages"].to_string();
    assert!(
        messages.contains("absent: not installed") && messages.contains("README.txt"),
        "{messages}"
    );
    for name in ["league.csv", "tries.csv", "compare.json", "index.html"] {
        assert!(Path::new(&folder).join("out").join(name).is_file(), "{name}");
    }
    let page = std::fs::read_to_string(folder.join("out/index.html")).unwrap();
    assert!(
        page.contains("Performance profile") && page.contains("<path d=") && page.contains("liar"),
        "{page}"
    );
    // Only what was requested, and a word on what is not there.
    let ran = stiction_in(
        &folder,
        &[
            "compare",
            "problems",
            "--peers",
            "sh driver.sh",
            "--only",
            "liar,nobody",
        ],
    );
    assert!(
        ran.stdout.contains("liar") && !ran.stdout.contains("honest"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("nobody: not among the solvers"), "{}", ran.stdout);
    assert!(ran.stdout.contains("said to be solved, and wrong:"), "{}", ran.stdout);
}

#[test]
fn a_driver_that_hangs_is_ended() {
    let folder = folder("compare_hangs");
    std::fs::write(folder.join("one.json"), PROBLEMS[0].1).unwrap();
    std::fs::write(
        folder.join("driver.sh"),
        "if [ \"$1\" = --list ]; then echo slow lcp; else exec sleep 10000; fi",
    )
    .unwrap();
    let ran = stiction_in(
        &folder,
        &[
            "compare",
            "one.json",
            "--peers",
            "sh driver.sh",
            "--limit",
            "1",
            "--json",
        ],
    );
    assert!(
        ran.json()["tries"].to_string().contains("no answer within 1 s"),
        "{}",
        ran.stdout
    );
}

/// What says that it is solved and has no numbers is wrong; files of one name in two folders are two problems.
#[test]
fn no_numbers_are_wrong_and_names_are_kept_apart() {
    let folder = folder("compare_names");
    for (inner, (_, text)) in ["a", "b"].into_iter().zip(PROBLEMS) {
        std::fs::create_dir_all(folder.join("problems").join(inner)).unwrap();
        std::fs::write(folder.join("problems").join(inner).join("same.json"), text).unwrap();
        std::fs::create_dir_all(folder.join("answers").join(inner)).unwrap();
    }
    std::fs::write(
        folder.join("answers/a/same.json"),
        r#"{"status": "Solved", "z": [1e999, 0]}"#,
    )
    .unwrap();
    std::fs::write(
        folder.join("answers/b/same.json"),
        r#"{"status": "solved", "z": [0, 1]}"#,
    )
    .unwrap();
    let ran = stiction_in(&folder, &["compare", "problems", "--answers", "file=answers", "--json"]);
    let found = ran.json();
    let outcomes: Vec<String> = found["tries"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|found| found["solver"] == "file")
        .map(|found| format!("{}: {}", found["problem"], found["outcome"]))
        .collect();
    assert_eq!(outcomes, ["\"a/same\": \"wrong\"", "\"b/same\": \"verified\""]);
    let ran = stiction_in(&folder, &["compare", "problems", "--answers", "stiction=answers"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("found stiction, which is ours"), "{}", ran.stderr);
}

/// The outcomes of one solver by problem, and what was said of each.
fn tries_of(found: &serde_json::Value, solver: &str) -> Vec<(String, String, String)> {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let tries = found["tries"].as_array().unwrap().iter();
    tries
        .filter(|found| found["solver"] == solver)
        .map(|found| {
            (
                text(&found["problem"]),
                text(&found["outcome"]),
                text(&found["message"]),
            )
        })
        .collect()
}

/// Writes one answer to each of the two LCPs, and what `compare` finds of both.
fn judged(name: &str, problems: [(&str, &str); 2], answers: [&str; 2]) -> serde_json::Value {
    let folder = folder(name);
    for inner in ["problems", "answers"] {
        std::fs::create_dir_all(folder.join(inner)).unwrap();
    }
    for ((name, text), answer) in problems.into_iter().zip(answers) {
        std::fs::write(folder.join("problems").join(name), text).unwrap();
        std::fs::write(folder.join("answers").join(name), answer).unwrap();
    }
    let ran = stiction_in(&folder, &["compare", "problems", "--answers", "file=answers", "--json"]);
    ran.json()
}

/// Friction on bodies is a world vector, and joints have their own list: answers that `check` accepts were called wrong.
#[test]
fn our_own_answers_come_back_verified() {
    let folder = folder("compare_own");
    for form in ["bodies", "blocks"] {
        let (problems, answers) = (folder.join(form), folder.join(format!("{form}-answers")));
        std::fs::create_dir_all(&problems).unwrap();
        std::fs::create_dir_all(&answers).unwrap();
        let mut names = 0;
        for entry in std::fs::read_dir(workspace().join("problems/contact")).unwrap() {
            let path = entry.unwrap().path();
            let file = problems.join(path.file_name().unwrap());
            if form == "bodies" {
                std::fs::copy(&path, &file).unwrap();
            } else {
                let ran = stiction(&["convert".as_ref(), path.as_os_str(), file.as_os_str()]);
                assert_eq!(ran.code, 0, "{}: {ran:?}", path.display());
            }
            let ran = stiction(&["solve".as_ref(), file.as_os_str(), "--json".as_ref()]);
            std::fs::write(answers.join(path.file_name().unwrap()), ran.stdout).unwrap();
            names += 1;
        }
        assert!(names >= 33, "{names}");
        let given = format!("own={form}-answers");
        let found = stiction_in(&folder, &["compare", form, "--answers", &given, "--json"]).json();
        let own = tries_of(&found, "own");
        assert_eq!(own.len(), names);
        assert_eq!(own, tries_of(&found, "stiction"), "{form}");
        let unverified: Vec<(&str, &str)> = own
            .iter()
            .filter(|found| found.1 != "verified")
            .map(|found| (found.0.as_str(), found.1.as_str()))
            .collect();
        // Its walls close, and its answer proves it.
        assert_eq!(unverified, [("closing-walls", "proven none")], "{form}");
        assert_eq!(stiction_in(&folder, &["compare", form]).code, 0, "{form}");
    }
}

#[test]
fn a_proof_that_nothing_solves_a_problem_is_right_and_a_false_one_is_not() {
    let folder = folder("compare_none");
    for (name, text) in [
        ("problems/one.json", r#"{"kind": "lcp", "M": [[0]], "q": [-1]}"#),
        (
            "proof/one.json",
            r#"{"status": "infeasible", "z": [0], "certificate": {"kind": "farkas", "y": ["1"]}}"#,
        ),
        (
            "false/one.json",
            r#"{"status": "infeasible", "z": [0], "certificate": {"kind": "farkas", "y": ["-1"]}}"#,
        ),
        ("word/one.json", r#"{"status": "infeasible", "z": [0]}"#),
    ] {
        let file = folder.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let given = ["proof=proof", "false=false", "word=word"].map(|name| ["--answers", name]);
    let line: Vec<&str> = ["compare", "problems"]
        .into_iter()
        .chain(given.into_iter().flatten())
        .collect();
    let ran = stiction_in(&folder, &line);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stdout
            .contains("Every problem is verified or proven to have no answer.\n"),
        "{ran:?}"
    );
    let found = stiction_in(&folder, &[line.as_slice(), &["--json"]].concat()).json();
    for (solver, outcome) in [
        ("stiction", "proven none"),
        ("proof", "proven none"),
        ("false", "failed"),
        ("word", "failed"),
    ] {
        assert_eq!(tries_of(&found, solver)[0].1, outcome, "{solver}");
    }
}

/// What is off the plane of the contact, joints that are missing and vectors of two numbers are wrong for bodies, and it is said why.
#[test]
fn answers_on_bodies_are_read_as_check_reads_them() {
    let folder = folder("compare_bodies");
    let (name, file) = (
        "pendulum-redundant-joint",
        workspace().join("problems/contact/pendulum-redundant-joint.json"),
    );
    std::fs::create_dir_all(folder.join("problems")).unwrap();
    std::fs::copy(&file, folder.join("problems").join(format!("{name}.json"))).unwrap();
    let good = stiction(&["solve".as_ref(), file.as_os_str(), "--json".as_ref()]).json();
    let mut no_joints = good.clone();
    no_joints.as_object_mut().unwrap().remove("joints");
    let mut zero = good.clone();
    let rows = zero["joints"][0]["impulse"].as_array().unwrap().len();
    zero["joints"][0]["impulse"] = vec![0.0; rows].into();
    let mut unrelated = good.clone();
    for (key, value) in [
        ("law", 5.into()),
        ("epsilon", "x".into()),
        ("certificate", 7.into()),
        ("stats", 1.into()),
    ] {
        unrelated[key] = value;
    }
    for (k, (answer, outcome, message)) in [
        (&good, "verified", ""),
        (&no_joints, "wrong", "joints: missing field"),
        (&zero, "wrong", ""),
        (&unrelated, "verified", "stats: must be an object, found 1"),
    ]
    .into_iter()
    .enumerate()
    {
        let answers = format!("answers{k}");
        std::fs::create_dir_all(folder.join(&answers)).unwrap();
        std::fs::write(folder.join(&answers).join(format!("{name}.json")), answer.to_string()).unwrap();
        let given = format!("file={answers}");
        let found = stiction_in(&folder, &["compare", "problems", "--answers", &given, "--json"]).json();
        assert_eq!(
            tries_of(&found, "file"),
            [(name.to_owned(), outcome.to_owned(), message.to_owned())],
            "{answer}"
        );
    }
    let block = workspace().join("problems/contact/block-on-floor.json");
    let mut lifted = stiction(&["solve".as_ref(), block.as_os_str(), "--json".as_ref()]).json();
    lifted["contacts"][0]["friction_impulse"] = vec![0.0, 0.0, 1e-3].into();
    let text = std::fs::read_to_string(&block).unwrap();
    let mut flat = lifted.clone();
    flat["contacts"][0]["friction_impulse"] = vec![0.0, 0.0].into();
    let [lifted, flat] = [lifted, flat].map(|answer| answer.to_string());
    let found = judged(
        "compare_plane",
        [("a.json", &text), ("b.json", &text)],
        [&lifted, &flat],
    );
    let found: Vec<_> = tries_of(&found, "file")
        .into_iter()
        .map(|found| (found.1, found.2))
        .collect();
    let why = "contacts[0].friction_impulse: must have 3 entries, found 2";
    assert_eq!(
        found,
        [("wrong", ""), ("wrong", why)].map(|(a, b)| (a.to_owned(), b.to_owned()))
    );
}

/// A time that is none, or a field that no one needs, costs that alone; numbers are judged alike in a list and in an object.
#[test]
fn only_numbers_decide() {
    const LOCAL: &str =
        r#"{"kind": "contact-local", "dimension": 2, "W": [[1, 0], [0, 1]], "q": [-1, 0.2], "mu": [0.5]}"#;
    const PAIR: [(&str, &str); 2] = [("lcp.json", PROBLEMS[1].1), ("local.json", LOCAL)];
    let entries = ": must have 2 entries, found";
    for (k, (lcp, local, outcome, messages)) in [
        ("[0, 1]", "[1, -0.2]", "verified", ["", ""].map(String::from)),
        ("[9, 9]", "[9, 9]", "wrong", ["", ""].map(String::from)),
        (
            r#"{"status": "solved", "z": [9, 9], "time_us": 0}"#,
            r#"{"status": "solved", "r": [9, 9], "time_us": "x"}"#,
            "wrong",
            [
                "time_us: must be positive, found 0",
                "time_us: must be a number, found \"x\"",
            ]
            .map(String::from),
        ),
        (
            r#"{"status": "solved", "z": [0, 1], "time_us": -1}"#,
            r#"{"status": "solved", "r": [1, -0.2], "law": 5, "stats": {"time_us": null}}"#,
            "verified",
            [
                "time_us: must be positive, found -1",
                "stats.time_us: must be a number, found null",
            ]
            .map(String::from),
        ),
        (
            "[0, null]",
            "[1, null]",
            "wrong",
            ["z", "r"].map(|key| format!("{key}[1]: must be a number, found null")),
        ),
        (
            r#"{"z": [0, null]}"#,
            r#"{"r": [1, null]}"#,
            "wrong",
            ["z", "r"].map(|key| format!("{key}[1]: must be a number, found null")),
        ),
        ("[0]", "[1]", "wrong", ["z", "r"].map(|key| format!("{key}{entries} 1"))),
        (
            r#"{"status": "Solved", "z": [0]}"#,
            r#"{"status": "solved", "r": [1]}"#,
            "wrong",
            ["z", "r"].map(|key| format!("{key}{entries} 1")),
        ),
        (
            r#"{"status": "solved"}"#,
            "{}",
            "wrong",
            ["z", "contacts"].map(|key| format!("{key}: missing field")),
        ),
        (
            r#"{"status": "gave up"}"#,
            r#"{"status": 5}"#,
            "failed",
            ["", ""].map(String::from),
        ),
        (
            r#"{"status": "gave up", "z": [0, 1]}"#,
            r#"{"status": 5, "r": [1, -0.2]}"#,
            "verified",
            ["", ""].map(String::from),
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let found = judged(&format!("compare_numbers{k}"), PAIR, [lcp, local]);
        let [of_lcp, of_local] = messages;
        let expected =
            [("lcp", of_lcp), ("local", of_local)].map(|(name, why)| (name.to_owned(), outcome.to_owned(), why));
        assert_eq!(tries_of(&found, "file"), expected, "{lcp} {local}");
    }
}

/// The table and both files say why numbers cannot be judged; who gives no time is not the quickest.
#[test]
fn the_table_says_why_and_ranks_no_one_without_a_time() {
    let folder = folder("compare_why");
    for (inner, name, text) in [
        ("problems", "one.json", PROBLEMS[0].1),
        ("right", "one.json", "[1.3333333333333333, 2.3333333333333335]"),
        ("few", "one.json", r#"{"status": "solved", "z": [1]}"#),
    ] {
        std::fs::create_dir_all(folder.join(inner)).unwrap();
        std::fs::write(folder.join(inner).join(name), text).unwrap();
    }
    let ran = stiction_in(
        &folder,
        &[
            "compare",
            "problems",
            "--answers",
            "right=right",
            "--answers",
            "few=few",
            "-o",
            "out",
        ],
    );
    let why = "z: must have 2 entries, found 1";
    assert!(
        ran.stdout
            .contains(&format!("few       one  residual no number: {why}\n")),
        "{}",
        ran.stdout
    );
    let rows: Vec<Vec<&str>> = ran
        .stdout
        .lines()
        .take(4)
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(
        [rows[1][0], rows[2][0], rows[3][0]],
        ["stiction", "right", "few"],
        "{}",
        ran.stdout
    );
    assert_eq!(rows[2][10..], ["-", "-"], "{}", ran.stdout);
    for file in ["tries.csv", "compare.json", "index.html"] {
        let text = std::fs::read_to_string(folder.join("out").join(file)).unwrap();
        assert!(text.contains(why), "{file}: {text}");
    }
    // The profile has no line for it; the chart of residuals has.
    let page = std::fs::read_to_string(folder.join("out/index.html")).unwrap();
    let charts: Vec<&str> = page
        .split("<svg")
        .skip(1)
        .map(|rest| rest.split("</svg>").next().unwrap())
        .collect();
    let named = |chart: &str, name: &str| chart.contains(&format!(">{name}</text>"));
    assert!(!named(charts[0], "right") && named(charts[1], "right"), "{page}");
    assert!(named(charts[0], "stiction") && named(charts[0], "few"), "{page}");
}

/// Rows of one name would be one, and a folder for other problems would not be seen at all.
#[test]
fn names_and_folders_of_answers_are_checked_first() {
    let folder = folder("compare_folders");
    for (inner, name, text) in [
        ("problems", "one.json", PROBLEMS[0].1),
        ("problems", "one.lcp", "not a problem"),
        ("a", "one.json.json", "[1, 1]"),
        ("other", "two.json", "[0, 1]"),
        ("none", "one.txt", "not a problem"),
        ("none", "two.json", r#"{"kind": "lcp", "M": [[1]], "q": ["x"]}"#),
    ] {
        std::fs::create_dir_all(folder.join(inner)).unwrap();
        std::fs::write(folder.join(inner).join(name), text).unwrap();
    }
    std::fs::write(folder.join("driver.sh"), DRIVER).unwrap();
    for (arguments, message) in [
        (
            &["problems", "--answers", "x=a", "--answers", "x=a"][..],
            "a peer and answers must have names of their own, found x, twice\n",
        ),
        (
            &["problems", "--answers", "liar=a", "--peers", "sh driver.sh"],
            "a peer and answers must have names of their own, found liar, twice\n",
        ),
        (
            &["problems", "--answers", "x=other"],
            "other: must hold an answer named after its problem, such as one.json.json, found none\n",
        ),
        // Why each file is none, as other commands say it.
        (
            &["none/two.json"],
            "none/two.json: q[0]: must be a number, found \"x\"\n",
        ),
        (&["none"], "none: must hold a problem, found none\nnone/one.txt: "),
        (&["none"], "none/two.json: q[0]: must be a number, found \"x\"\n"),
    ] {
        let ran = stiction_in(&folder, &[&["compare"], arguments].concat());
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(
            ran.stderr.contains(message) && ran.stdout.is_empty(),
            "{message}: {ran:?}"
        );
    }
    // A file beside another of its name is called by its ending, too.
    let ran = stiction_in(&folder, &["compare", "problems", "--answers", "x=a", "--json"]);
    assert_eq!(tries_of(&ran.json(), "x")[0].0, "one.json", "{ran:?}");
}

/// Waits until a second passes in which a file does not grow: its writers have ended. A writer that was killed may still finish a line.
#[cfg(unix)]
fn grows_no_more(file: &std::path::Path) -> bool {
    let length = || std::fs::metadata(file).map_or(0, |data| data.len());
    (0..60).any(|_| {
        let last = length();
        std::thread::sleep(std::time::Duration::from_secs(1));
        length() == last
    })
}

/// An interrupt ends the driver with all that it has started, and nothing is left among the temporary files.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_driver_and_clears_up() {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::{Command, Stdio};
    use std::time::Duration;
    // The driver and a process that it has started show that they live, each by a line a moment.
    const BEAT: &str = "beat() { while :; do echo >> beats; sleep 0.05; done; }\nbeat &\nbeat\n";
    const LIST: &str = "if [ \"$1\" = --list ]; then echo slow lcp; exit; fi\n";
    for (name, numbers, list) in [
        ("INT", &[2][..], LIST),
        ("TERM", &[15], LIST),
        // A second one, as a terminal that closes sends, must not end the tool before its driver.
        ("HUP TERM", &[1, 15], LIST),
        ("INT", &[2], ""),
        ("HUP", &[1], ""),
    ] {
        // What is ignored where the tests run is ignored by the tool, too.
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap());
        if numbers.iter().any(|number| ignored >> (number - 1) & 1 == 1) {
            skipped_in_part(&format!("the signal {name} is ignored here"));
            continue;
        }
        let folder = folder(&format!("compare_{name}_{}", list.len()));
        let temporary = folder.join("tmp");
        std::fs::create_dir_all(&temporary).unwrap();
        std::fs::write(folder.join("one.json"), PROBLEMS[0].1).unwrap();
        std::fs::write(folder.join("driver.sh"), format!("{list}{BEAT}")).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_stiction"))
            .args(["compare", "one.json", "--peers", "sh driver.sh"])
            .current_dir(&folder)
            .env("TMPDIR", &temporary)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let beats = || std::fs::metadata(folder.join("beats")).map_or(0, |data| data.len());
        let lives = (0..60_000).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            beats() > 2
        });
        assert!(lives);
        assert!(std::fs::read_dir(&temporary).unwrap().next().is_some());
        let kills: Vec<_> = name
            .split(' ')
            .map(|name| format!("kill -{name} {}", child.id()))
            .collect();
        let sent = Command::new("sh").args(["-c", &kills.join("; ")]).status();
        assert!(sent.unwrap().success());
        let output = child.wait_with_output().unwrap();
        // It ends as a tool that listens to no signals does.
        let ended_by = output.status.signal().unwrap();
        assert!(numbers.contains(&ended_by), "{output:?}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(stderr, "one.json: stopped after 0 of 1 problems\n");
        assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
        assert!(grows_no_more(&folder.join("beats")), "the driver lives on");
    }
}

/// What a driver has started ends with it.
#[cfg(unix)]
#[test]
fn nothing_of_a_driver_runs_on() {
    let folder = folder("compare_left_running");
    std::fs::write(folder.join("one.json"), PROBLEMS[0].1).unwrap();
    let driver = "if [ \"$1\" = --list ]; then echo quick lcp; exit; fi\n(while :; do echo >> beats; sleep 0.05; done) &\nwhile [ ! -s beats ]; do sleep 0.05; done\nexit 3\n";
    std::fs::write(folder.join("driver.sh"), driver).unwrap();
    stiction_in(&folder, &["compare", "one.json", "--peers", "sh driver.sh"]);
    assert!(folder.join("beats").exists(), "it has run");
    assert!(grows_no_more(&folder.join("beats")), "it runs on");
}

/// Two numbers a contact, as the driver was given; and no verdict on a bounce without its compression.
#[test]
fn planar_lists_are_taken_and_restitution_is_left_out() {
    let folder = folder("compare_planar");
    let raw = |end: &str| {
        format!(
            r#"{{"kind": "contact-raw", "name": "planar", "blocks": [{{"mass": [[2, 0], [0, 2]], "v_free": [1, -1]}}],
            "contacts": [{{"parts": [{{"block": 0, "normal": [0, 1], "tangents": [[1, 0], [0, 0]]}}], "mu": 0.5, "bias": [0, 0, 0]{end}}}], "joints": []}}"#
        )
    };
    std::fs::write(folder.join("one.json"), raw("")).unwrap();
    std::fs::create_dir_all(folder.join("answers")).unwrap();
    std::fs::write(folder.join("answers/one.json"), r#"{"status": "solved", "r": [2, -1]}"#).unwrap();
    let ran = stiction_in(&folder, &["compare", "one.json", "--answers", "x=answers"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!ran.stdout.contains("wrong"), "{ran:?}");
    std::fs::write(folder.join("bounce.json"), raw(r#", "restitution": 0.5"#)).unwrap();
    for (arguments, refusal) in [
        (
            &["compare", "bounce.json"][..],
            "contacts[0].restitution: must be 0, since answers to compare do not carry their compression, found 0.5",
        ),
        (
            &["check", "bounce.json", "answers/one.json"],
            "one.json: compression: missing field",
        ),
    ] {
        let ran = stiction_in(&folder, arguments);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains(refusal), "{ran:?}");
    }
    let solved = stiction_in(&folder, &["solve", "bounce.json", "--json"]);
    std::fs::write(folder.join("answers/bounce.json"), &solved.stdout).unwrap();
    let ran = stiction_in(&folder, &["check", "bounce.json", "answers/bounce.json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}
