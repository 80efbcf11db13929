//! `stiction solve` and `stiction methods`: what they print, and how they end.
// The lint knows tests by their attribute and misses their helpers.
#![allow(clippy::unwrap_used)]

mod running;

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use running::{data, folder, stiction, stiction_in, workspace};
use stiction_formats::read::{Problem, ReadOptions, read_file};

fn problem(name: &str) -> String {
    workspace().join("problems/lcp").join(name).display().to_string()
}

#[test]
fn the_answer_explains_itself() {
    let ran = stiction(&["solve", &problem("murty-p2.json")]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    for part in [
        "murty-p2: LCP, 2 variables\n",
        "solved: w = Mz + q was recomputed from the problem's own data and fits z\n",
        "     0  1.3333333333333333 ",
        "z > 0",
        "up to 1e-10 counts as solved",
    ] {
        assert!(ran.stdout.contains(part), "{part} in {}", ran.stdout);
    }
}

#[test]
fn json_has_the_fields_of_the_contract() {
    let answer = stiction(&["solve", &problem("murty-p2.json"), "--json"]).json();
    assert_eq!(answer["kind"], "lcp-solution");
    assert_eq!(answer["status"], "solved");
    assert_eq!(answer["z"].as_array().unwrap().len(), 2);
    assert_eq!(answer["w"].as_array().unwrap().len(), 2);
    assert!(answer["residual"].as_f64().unwrap() <= 1e-10);
    assert!(answer["proven"].is_boolean());
    for key in ["pivots", "time_us", "fallbacks", "factorizations"] {
        assert!(answer["stats"][key].is_number(), "{key}");
    }
    for key in ["natural_residual", "backward_error", "complementarity"] {
        assert!(answer["stats"][key].is_number(), "{key}");
    }
    let attempts = answer["stats"]["methods"].as_array().unwrap();
    let gave_it = |attempt: &&serde_json::Value| attempt["method"] == answer["stats"]["method"];
    assert_eq!(attempts.iter().find(gave_it).unwrap()["status"], "solved");
}

#[test]
fn repeating_reports_the_median_and_the_least_time() {
    let answer = stiction(&["solve", &problem("murty-p2.json"), "--json", "--repeat", "7"]).json();
    let time = |key: &str| answer["stats"][key].as_f64().unwrap();
    assert!(time("time_min_us") > 0.0 && time("time_min_us") <= time("time_us"));
}

#[test]
fn a_problem_without_solution_ends_with_1_and_says_what_to_do() {
    let ran = stiction(&["solve", &problem("scalar-infeasible.json")]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("\nnext       "), "{}", ran.stdout);
    let answer = stiction(&["solve", &problem("scalar-infeasible.json"), "--json"]).json();
    assert_ne!(answer["status"], "solved");
    assert!(
        answer["certificate"].is_object() || answer["proven"] == false,
        "{answer}"
    );
}

#[test]
fn the_empty_problem_is_solved() {
    let folder = folder("solve_empty");
    std::fs::write(folder.join("e.json"), r#" {"kind":"lcp","M":[],"q":[]}"#).unwrap();
    let ran = stiction_in(&folder, &["solve", "e.json", "--json"]);
    let answer = ran.json();
    assert_eq!(
        (ran.code, &answer["status"], &answer["name"]),
        (0, &"solved".into(), &"e".into())
    );
}

#[test]
fn long_tables_are_cut() {
    let folder = folder("solve_long");
    let row = |i: usize| {
        (0..30)
            .map(|j| if i == j { "1" } else { "0" })
            .collect::<Vec<_>>()
            .join(",")
    };
    let rows: Vec<String> = (0..30).map(|i| format!("[{}]", row(i))).collect();
    let q = vec!["-1"; 30].join(",");
    let text = format!(r#"{{"kind":"lcp","M":[{}],"q":[{q}]}}"#, rows.join(","));
    std::fs::write(folder.join("long.json"), text).unwrap();
    let ran = stiction_in(&folder, &["solve", "long.json"]);
    assert!(
        ran.stdout.contains("and 10 more rows (--json prints all)"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_set_gets_a_line_for_each_problem_and_a_total() {
    let set = workspace().join("problems/lcp/drake/lcp_small.json");
    let set = set.display().to_string();
    let ran = stiction(&["solve", &set]);
    assert_eq!(ran.code, 1, "one of the twelve is infeasible");
    assert_eq!(ran.stdout.lines().count(), 13);
    assert!(
        ran.stdout.lines().last().unwrap().starts_with("12 problems: "),
        "{}",
        ran.stdout
    );
    let answers = stiction(&["solve", &set, "--json"]).json();
    assert_eq!(answers.as_array().unwrap().len(), 12);
    let ran = stiction(&["solve", &set, "--case", "diagonal_9", "--json"]);
    assert_eq!((ran.code, &ran.json()["name"]), (0, &"diagonal_9".into()));
}

#[test]
fn numbers_come_back_with_the_same_bits() {
    let folder = folder("solve_bits");
    let lexemes = [
        "0.1",
        "5e-324",
        "-0.0",
        "1e308",
        "2.2250738585072011e-308",
        "9007199254740993",
        "1.7976931348623157e308",
    ];
    for lexeme in lexemes {
        let text = format!(r#"{{"kind":"lcp","M":[[1]],"q":[{lexeme}]}}"#);
        std::fs::write(folder.join("p.json"), text).unwrap();
        let options = ReadOptions { keep_decimals: true };
        let named = read_file(&folder.join("p.json"), options).unwrap().remove(0);
        let Problem::Lcp(lcp) = named.problem else {
            panic!("not an LCP")
        };
        let bits = lexeme.parse::<f64>().unwrap().to_bits();
        assert_eq!(lcp.q()[0].to_bits(), bits, "{lexeme}");
        assert_eq!(named.exact.unwrap().q, [lexeme]);
        // `check` prints the z it was given and w = z + q.
        std::fs::write(folder.join("z.json"), format!("[{lexeme}]")).unwrap();
        let ran = stiction_in(&folder, &["check", "p.json", "z.json", "--json"]);
        let printed = ran.json()["worst"]["z"].as_f64().unwrap();
        assert_eq!(printed.to_bits(), bits, "{lexeme}: {}", ran.stdout);
    }
}

#[test]
fn every_number_of_an_answer_is_the_shortest_that_gives_its_bits() {
    let ran = stiction(&["solve", &problem("constructed-pdn-20.json"), "--json"]);
    let start = ran.stdout.find("\"z\":[").unwrap() + 5;
    let end = start + ran.stdout[start..].find(']').unwrap();
    let lexemes: Vec<&str> = ran.stdout[start..end].split(',').collect();
    assert_eq!(lexemes.len(), 20);
    for lexeme in lexemes {
        let value: f64 = lexeme.parse().unwrap();
        assert_eq!(lexeme, format!("{value:?}"));
    }
}

#[test]
fn methods_are_listed() {
    let ran = stiction(&["methods", "--json"]);
    let methods = ran.json();
    let methods = methods.as_array().unwrap();
    let lcp = stiction_lcp::Method::ALL.map(|method| ("lcp", method.name()));
    let contact = stiction_contact::Method::ALL.map(|method| ("contact", method.name()));
    let names = [&lcp[..], &contact[..]].concat();
    assert_eq!((ran.code, methods.len()), (0, names.len()));
    for (entry, (problems, name)) in methods.iter().zip(names) {
        assert_eq!((&entry["problems"], &entry["name"]), (&problems.into(), &name.into()));
        assert!(
            ["paper", "accepts", "guarantees"]
                .iter()
                .all(|key| entry[key].is_string())
        );
    }
    // A title and a table with its heading, a line between, a title and a paragraph of five lines for each contact method.
    let lines = 2 + lcp.len() + 1 + 1 + 5 * contact.len();
    assert_eq!(stiction(&["methods"]).stdout.lines().count(), lines);
}

#[test]
fn a_reader_that_leaves_early_does_no_harm() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_stiction"))
        .args(["solve", &problem("constructed-pd-20.json"), "--repeat", "2000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let code = child.wait().unwrap().code();
    let mut message = String::new();
    child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
    assert_eq!((code, message.as_str()), (Some(0), ""));
}

#[test]
fn velocities_of_the_artisynth_blocks_are_the_expected_ones() {
    let Some(file) = data("artisynth/MLCPtest.txt") else {
        return;
    };
    let all = read_file(&file, ReadOptions::default()).unwrap();
    assert_eq!(all.len(), 13);
    let answers = stiction(&["solve", &file.display().to_string(), "--json"]).json();
    for (named, answer) in all.iter().zip(answers.as_array().unwrap()) {
        assert_eq!(
            (&answer["name"], &answer["status"]),
            (&named.name.clone().into(), &"solved".into())
        );
        for (i, expected) in named.expected.leading.iter().enumerate() {
            let found = answer["z"][i].as_f64().unwrap();
            assert!(
                (found - expected).abs() <= 1e-12,
                "{}: v[{i}] = {found}, expected {expected}",
                named.name
            );
        }
    }
}

#[test]
fn sixteen_contact_cases_have_the_sizes_of_their_contacts() {
    let Some(file) = data("artisynth/contactTest.txt") else {
        return;
    };
    let all = read_file(&file, ReadOptions::default()).unwrap();
    let sizes: Vec<usize> = all.iter().map(|named| named.problem.n() / 10).collect();
    assert_eq!(sizes, [1, 1, 1, 1, 2, 2, 2, 2, 2, 4, 4, 4, 4, 8, 16, 16]);
}

#[test]
fn a_single_contact_below_the_cone_slides() {
    // Case 1: a unit impulse along x against a pressing unit impulse, μ = 0.2: v = (0.8, 0, 0).
    let Some(file) = data("artisynth/contactTest.txt") else {
        return;
    };
    let file = file.display().to_string();
    let answer = stiction(&["solve", &file, "--case", "contact 1", "--json"]).json();
    let near = |found: &serde_json::Value, expected: f64| {
        assert!(
            (found.as_f64().unwrap() - expected).abs() < 1e-12,
            "{expected}: {answer}"
        );
    };
    near(&answer["contacts"][0]["normal_impulse"], 1.0);
    near(&answer["contacts"][0]["friction_impulse"][0], -0.2);
    near(&answer["bodies"][0]["velocity"][0], 0.8);
}

/// ArtiSynth's cases are contact problems under every law, and can be converted and compared as such.
#[test]
fn the_contact_cases_are_contact_problems() {
    let Some(file) = data("artisynth/contactTest.txt") else {
        return;
    };
    let file = file.display().to_string();
    for law in ["coulomb", "polyhedral", "no-slip", "frictionless"] {
        let ran = stiction(&["solve", &file, "--law", law, "--json"]);
        let answers = ran.json();
        let answers = answers.as_array().unwrap();
        assert_eq!((ran.code, answers.len()), (0, 16), "{law}");
        assert!(answers.iter().all(|answer| answer["law"] == law), "{law}");
    }
    let folder = folder("solve_artisynth");
    let out = folder.join("case.json").display().to_string();
    let ran = stiction(&["convert", &file, &out]);
    assert_eq!(
        (ran.code, ran.stderr),
        (2, format!("{file}: case: must be named by --case, found 16 problems\n"))
    );
    assert_eq!(stiction(&["convert", &file, &out, "--case", "contact 16"]).code, 0);
    let infos = [
        ["info", &file, "--case", "contact 16", "--json"],
        ["info", &out, "--json", "--case", "contact 16"],
    ];
    let [of_file, of_case] = infos.map(|words| stiction(&words).json());
    assert_eq!(of_file["contacts"]["count"], 16);
    assert_eq!(of_file["matrix"]["rank"], of_case["matrix"]["rank"]);
    let compared = stiction(&["compare", &file, "--json"]);
    assert_eq!(
        (compared.code, compared.json()["league"][0]["verified"].as_u64()),
        (0, Some(16))
    );
}

/// Editors on Windows put a byte-order mark before their texts.
#[test]
fn a_byte_order_mark_is_passed_over() {
    let folder = folder("solve_mark");
    let marked = "\u{feff}{\"kind\": \"lcp\", \"M\": [[1]], \"q\": [-2]}";
    std::fs::write(folder.join("a.json"), marked).unwrap();
    let ran = stiction_in(&folder, &["solve", "a.json", "--json"]);
    assert_eq!((ran.code, &ran.json()["z"][0]), (0, &2.0.into()), "{ran:?}");
}

#[test]
fn the_matlab_matrices_are_those_of_the_literature() {
    let Some(folder) = data("dca-bl") else { return };
    let read = |name: &str| {
        let named = read_file(&Path::new(&folder).join(name), ReadOptions::default())
            .unwrap()
            .remove(0);
        let Problem::Lcp(lcp) = named.problem else {
            panic!("not an LCP")
        };
        lcp
    };
    let lcp = read("lcp7-n100.mat");
    assert_eq!((lcp.n(), lcp.M().at(5, 5), lcp.M().at(0, 2)), (100, 4.0, 0.0));
    let beside = (lcp.M().at(5, 4), lcp.M().at(4, 5));
    assert!(beside == (1.0, -2.0) || beside == (-2.0, 1.0), "{beside:?}");
    assert_eq!(lcp.q(), &[-1.0; 100]);
    let lcp = read("lcp6-n100.mat");
    assert!(lcp.M().is_symmetric());
    assert_eq!((lcp.M().at(0, 0), lcp.M().at(1, 0), lcp.M().at(1, 1)), (1.0, 2.0, 5.0));
}

/// Indefinite LCPs with a planted answer, on which Lemke's method ends on a ray, and an MLCP whose free block is singular.
#[test]
fn public_problems_of_no_class_are_solved() {
    for path in [
        "dca-bl/random-asym-100-5-3.json",
        "dca-bl/random-sid-100-5-3.json",
        "siconos/mlcp/diodeBridge20_mlcp.dat",
    ] {
        let Some(file) = data(path) else { continue };
        let ran = stiction(&["solve", &file.display().to_string(), "--json"]);
        assert_eq!(ran.code, 0, "{path}: {ran:?}");
        let answer = ran.json();
        assert_eq!(answer["status"], "solved", "{path}");
        assert!(
            answer["residual"].as_f64().unwrap() <= 1e-12,
            "{path}: {}",
            answer["residual"]
        );
    }
}
