//! `stiction compare`: names, files and answers that are not as they should be.
#![allow(clippy::unwrap_used)]

mod running;

use std::path::{Path, PathBuf};

use running::{Ran, folder, stiction_in, workspace};

/// z = (4/3, 7/3).
const ONE: &str = r#"{"kind": "lcp", "M": [[2, 1], [1, 2]], "q": [-5, -6]}"#;
/// z = 2.
const SMALL: &str = r#"{"kind": "lcp", "M": [[1]], "q": [-2]}"#;

/// Two bodies that nothing connects fall onto the ground at 1 m/s, one of 1e6 kg and one of 1 kg.
const HEAVY_AND_LIGHT: &str = r#"{"kind": "contact", "name": "apart", "dt": 0.01,
    "bodies": [{"name": "heavy", "mass": 1e6, "inertia": [1, 1, 1], "position": [0, 0, 0], "velocity": [0, 0, -1, 0, 0, 0], "wrench": [0, 0, 0, 0, 0, 0]},
               {"name": "light", "mass": 1, "inertia": [1, 1, 1], "position": [9, 0, 0], "velocity": [0, 0, -1, 0, 0, 0], "wrench": [0, 0, 0, 0, 0, 0]}],
    "contacts": [{"a": 0, "b": null, "point": [0, 0, 0], "normal": [0, 0, 1], "mu": 0.5},
                 {"a": 1, "b": null, "point": [9, 0, 0], "normal": [0, 0, 1], "mu": 0.5}]}"#;

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn with(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = folder(name);
    write(&folder, files);
    folder
}

/// What became of a solver on a problem.
fn outcome(ran: &Ran, solver: &str, problem: &str) -> String {
    let found = ran.json();
    let tries = found["tries"].as_array().unwrap();
    let try_of = |found: &&serde_json::Value| found["solver"] == solver && found["problem"] == problem;
    let mut all = tries.iter().filter(try_of);
    let one = all.next().unwrap_or_else(|| panic!("{solver} on {problem}: {found}"));
    assert!(all.next().is_none(), "two problems are called {problem}");
    one["outcome"].as_str().unwrap().to_owned()
}

#[test]
fn problems_of_one_name_are_numbered() {
    let set = r#"{"format": "lcp-cases/1", "cases": [{"id": "a", "status": "solvable", "n": 1, "M": [[1]], "q": [-2]}, {"id": "same", "status": "solvable", "n": 1, "M": [[1]], "q": [-3]}, {"id": "same", "status": "solvable", "n": 1, "M": [[1]], "q": [-4]}]}"#;
    let folder = with(
        "compare_names",
        &[
            ("problems/x.json", set),
            ("problems/x/a.json", ONE),
            ("problems/y/a.json", SMALL),
            ("answers/x/a.json", "[1.3333333333333333, 2.3333333333333335]"),
            ("answers/x/a#2.json", "[2]"),
            ("answers/x/same#2.json", "[4]"),
        ],
    );
    let ran = stiction_in(
        &folder,
        &["compare", "problems", "--answers", "other=answers", "--json"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    for (problem, what) in [
        ("x/a", "verified"),
        ("x/a#2", "verified"),
        ("x/same", "unfit"),
        ("x/same#2", "verified"),
        ("y/a", "unfit"),
    ] {
        assert_eq!(outcome(&ran, "other", problem), what, "{problem}");
    }
    let ran = stiction_in(&folder, &["solve", "problems/x.json", "--case", "same"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.stderr.contains("must name one problem, found 2 that are"),
        "{ran:?}"
    );
}

#[test]
fn what_was_found_is_not_lost_with_a_file() {
    let folder = with(
        "compare_unwritten",
        &[("one.json", ONE), ("out/league.csv/in_the_way", "")],
    );
    let ran = stiction_in(&folder, &["compare", "one.json", "-o", "out"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("league.csv: must be a regular file"), "{ran:?}");
    assert!(ran.stdout.contains("stiction"), "{ran:?}");
    for name in ["tries.csv", "compare.json", "index.html"] {
        assert!(folder.join("out").join(name).is_file(), "{name}");
    }
}

/// Python and others write them, though JSON has none.
#[test]
fn answers_that_are_no_numbers_and_say_solved_are_wrong() {
    let folder = with(
        "compare_nan",
        &[
            ("p/one.json", ONE),
            ("nan/one.json", r#"{"status": "solved", "z": [NaN, -Infinity]}"#),
            ("honest/one.json", r#"{"status": "failed, NaN", "z": [NaN, 1]}"#),
        ],
    );
    let ran = stiction_in(
        &folder,
        &[
            "compare",
            "p",
            "--answers",
            "nan=nan",
            "--answers",
            "honest=honest",
            "--json",
        ],
    );
    assert_eq!(outcome(&ran, "nan", "one"), "wrong");
    assert_eq!(outcome(&ran, "honest", "one"), "failed");
    let ran = stiction_in(&folder, &["compare", "p", "--answers", "=nan"]);
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (2, "answers: must be NAME=FOLDER, found =nan\n")
    );
}

#[test]
fn what_a_driver_lists_must_be_known() {
    let list = |line: &str| format!("if [ \"$1\" = --list ]; then printf '{line}\\n'; fi\n");
    let folder = with("compare_list", &[("one.json", ONE)]);
    for (line, problem) in [
        ("odd foo", "solver odd must take lcp or contact, not foo"),
        ("\\377", "--list must print text: byte 0: must be UTF-8, found 0xff"),
    ] {
        write(&folder, &[("driver.sh", &list(line))]);
        let ran = stiction_in(&folder, &["compare", "one.json", "--peers", "sh driver.sh"]);
        let expected = format!("peers: {problem}, found sh driver.sh\n");
        assert_eq!((ran.code, ran.stderr), (2, expected));
    }
    write(&folder, &[("driver.sh", &list("#"))]);
    let ran = stiction_in(&folder, &["compare", "one.json", "--peers", "sh driver.sh"]);
    assert!(
        ran.code == 0 && ran.stdout.ends_with("skipped:\n  sh driver.sh: lists no solver\n"),
        "{ran:?}"
    );
}

#[test]
fn a_list_without_end_is_ended() {
    let driver = "if [ \"$1\" = --list ]; then while :; do printf '# %01000d\\n' 1; done; fi\n";
    let folder = with("compare_endless", &[("one.json", ONE), ("my driver.sh", driver)]);
    let ran = stiction_in(&folder, &["compare", "one.json", "--peers", "sh 'my driver.sh'"]);
    let expected = "peers: the driver must list its solvers: more than 1048576 bytes, found sh 'my driver.sh'\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (2, expected));
}

/// An answer by Poisson's rule answers another problem than that of Newton's: it is not called wrong.
#[test]
fn answers_after_poisson_are_not_judged() {
    let bouncing = workspace().join("problems/contact/bouncing-ball.json");
    let bouncing = std::fs::read_to_string(bouncing).unwrap();
    let falling = bouncing.replace("\"restitution\": 0.5", "\"restitution\": 0");
    // Without restitution there is one phase, whatever the name of the rule.
    for (problem, rule, expected) in [
        (&bouncing, "newton", "verified"),
        (&bouncing, "poisson", "failed"),
        (&falling, "poisson", "verified"),
    ] {
        let folder = with("compare_poisson", &[("p/ball.json", problem)]);
        let ran = stiction_in(&folder, &["solve", "p/ball.json", "--restitution", rule, "--json"]);
        for answer in [ran.stdout.clone(), ran.stdout.replace("\"poisson\"", "\"Poisson\"")] {
            write(&folder, &[("a/ball.json", &answer)]);
            let ran = stiction_in(&folder, &["compare", "p", "--answers", "it=a", "--json"]);
            assert_eq!(outcome(&ran, "it", "ball"), expected, "{ran:?}");
        }
    }
}

/// 0.9 N s along the normal are nothing beside 1e6 N s, and nearly all that the light body needs.
#[test]
fn a_heavy_neighbour_does_not_excuse_friction_that_pushes() {
    let answer = |friction: &str| {
        format!(
            r#"{{"status": "solved", "contacts": [{{"normal_impulse": 1e6, "friction_impulse": [0, 0, 0]}}, {{"normal_impulse": 1, "friction_impulse": {friction}}}]}}"#
        )
    };
    let folder = with(
        "compare_off_plane",
        &[
            ("p/apart.json", HEAVY_AND_LIGHT),
            ("right/apart.json", &answer("[0, 0, 0]")),
            ("tilted/apart.json", &answer("[0, 0, 0.9]")),
            ("rounded/apart.json", &answer("[0, 0, 1e-16]")),
        ],
    );
    let answers = ["right=right", "tilted=tilted", "rounded=rounded"];
    let answers = answers.iter().flat_map(|name| ["--answers", name]);
    let line: Vec<&str> = ["compare", "p", "--json"].into_iter().chain(answers).collect();
    let ran = stiction_in(&folder, &line);
    for (solver, what) in [("right", "verified"), ("tilted", "wrong"), ("rounded", "verified")] {
        assert_eq!(outcome(&ran, solver, "apart"), what, "{solver}");
    }
    let ran = stiction_in(&folder, &["check", "p/apart.json", "tilted/apart.json", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let verdict = ran.json();
    assert_eq!(verdict["off_plane"], 0.9, "{verdict}");
    // Pushed by 1.9 instead of 1 it leaves at 0.9 m/s, of 1.9 that the push gives.
    assert!(
        (verdict["residual"].as_f64().unwrap() - 0.9 / 1.9).abs() < 1e-6,
        "{verdict}"
    );
}

/// What cannot be handed to a driver, folders that cannot be read and links that lead back cost their try and nothing else.
#[test]
fn odd_problems_and_folders_cost_nothing_else() {
    let tiny = r#"{"kind": "contact-raw", "blocks": [{"mass": [[1e308, 0], [0, 1e308]], "v_free": [-1, 0]}],
        "contacts": [{"parts": [{"block": 0, "normal": [1, 0], "tangents": [[0, 1], [0, 0]]}], "mu": 0.5}]}"#;
    let driver = "case \"$1\" in --list) echo 'sure lcp,contact';; *) echo '{\"status\": \"solved\", \"z\": [2]}' > \"$3\";; esac";
    let folder = with(
        "compare_odd",
        &[
            ("problems/a.json", SMALL),
            ("problems/b.json", tiny),
            ("problems/c.json", SMALL),
            ("driver.sh", driver),
        ],
    );
    #[cfg(unix)]
    if !folder.join("problems/loop").exists() {
        std::os::unix::fs::symlink(".", folder.join("problems/loop")).unwrap();
    }
    let ran = stiction_in(&folder, &["compare", "problems", "--peers", "sh driver.sh", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for problem in ["a", "c"] {
        assert_eq!(outcome(&ran, "sure", problem), "verified");
    }
    assert_eq!(outcome(&ran, "sure", "b"), "unfit");
    let ran = stiction_in(
        &folder,
        &["compare", "problems", "--peers", "sh driver.sh", "--limit", "0"],
    );
    assert_eq!(ran.code, 2, "{ran:?}");
}

/// Words for what is no number count as claims, whoever's they are.
#[test]
fn every_language_has_its_word_for_no_number() {
    for (k, word) in ["NAN", "Inf", "-Inf", "+Infinity", "-nan(ind)", "nan"]
        .iter()
        .enumerate()
    {
        let answer = format!(r#"{{"status": "solved", "z": [{word}]}}"#);
        let folder = with(
            &format!("compare_word_{k}"),
            &[("problems/one.json", SMALL), ("liar/one.json", &answer)],
        );
        let ran = stiction_in(&folder, &["compare", "problems", "--answers", "liar=liar", "--json"]);
        assert_eq!(outcome(&ran, "liar", "one"), "wrong", "{word}");
    }
}

/// A line that rose to 100 % with one answer of two stood beside who had both.
#[test]
fn charts_count_what_a_solver_does_not_take() {
    let folder = with(
        "compare_share",
        &[
            ("p/one.json", ONE),
            ("p/two.json", SMALL),
            ("some/two.json", r#"{"z": [2], "time_us": 1}"#),
        ],
    );
    let ran = stiction_in(&folder, &["compare", "p", "--answers", "some=some", "-o", "out"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let page = std::fs::read_to_string(folder.join("out/index.html")).unwrap();
    let ends: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("<path"))
        .map(|line| line.rsplit_once(" V").unwrap().1.split(' ').next().unwrap())
        .collect();
    // Time and precision: ours ends at the top, the other half way down to the axis.
    assert_eq!(ends, ["20.0", "167.0", "20.0", "167.0"], "{page}");
}

#[test]
fn what_is_left_out_is_on_the_page() {
    let folder = with(
        "compare_left_out",
        &[
            ("p/one.json", ONE),
            ("p/<broken>.json", "{"),
            ("p/1/2/3/4/5/deep.json", SMALL),
        ],
    );
    let ran = stiction_in(&folder, &["compare", "p", "-o", "out"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let page = std::fs::read_to_string(folder.join("out/index.html")).unwrap();
    assert!(
        page.contains("&lt;broken&gt;.json:") && page.contains("must be at most 4 folders deep"),
        "{page}"
    );
    assert!(ran.stdout.contains("5: must be at most 4 folders deep"), "{ran:?}");
}

#[test]
fn no_name_leads_out_of_the_folder_of_answers() {
    let set = r#"{"format": "lcp-cases/1", "cases": [{"id": "../../out\u001b[31m\nsolved", "status": "solvable", "n": 1, "M": [[1]], "q": [-2]}, {"id": "b", "status": "solvable", "n": 1, "M": [[1]], "q": [-3]}, {"id": "../../evil", "status": "solvable", "n": 1, "M": [[1]], "q": [-2]}]}"#;
    let folder = with(
        "compare_out",
        &[("p/x.json", set), ("answers/x/b.json", "[3]"), ("evil.json", "[2]")],
    );
    let ran = stiction_in(&folder, &["compare", "p", "--answers", "other=answers", "--json"]);
    assert_eq!(outcome(&ran, "other", "x/../../evil"), "unfit");
    assert_eq!(outcome(&ran, "other", "x/b"), "verified");
    let ran = stiction_in(&folder, &["solve", "p/x.json"]);
    assert!(
        ran.stdout.contains("../../out\\u{1b}[31m\\nsolved") && !ran.stdout.contains('\u{1b}'),
        "{ran:?}"
    );
}
