//! The matrices that \[Egan IV, V\] prints, as the seed cases have them, corrections included: `stiction-lab lcp-of`.
#![allow(clippy::unwrap_used)]

#[path = "../../cli/tests/running/mod.rs"]
mod running;

use std::path::Path;

use running::{Ran, folder, stiction_in};
use serde_json::{Value, json};
use stiction_formats::read::{Content, ReadOptions, parse};
use stiction_lcp::{Solver, Status};

const CASES: &str = include_str!("../../../problems/seed/nonconvex.json");
const TIME_STEP: f64 = 2.0;

fn cases(formulation: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(CASES).unwrap();
    let list = all["cases"].as_array().unwrap();
    list.iter()
        .filter(|case| case["formulation"] == formulation)
        .cloned()
        .collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn names(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|x| x.as_str().unwrap()).collect()
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

/// The same as a file with a body.
fn file(case: &Value) -> Value {
    let velocity = numbers(&case["velocity"]);
    let contact = |normal: [f64; 3]| json!({ "a": 0, "b": null, "point": [1, 1, 0], "normal": normal, "gap": 1 });
    json!({
        "kind": "contact", "name": case["id"], "dt": TIME_STEP,
        "bodies": [{ "mass": 1, "inertia": [1, 1, 1], "position": [1, 1, 0],
                     "velocity": [velocity[0], velocity[1], 0, 0, 0, 0], "wrench": [0, 0, 0, 0, 0, 0] }],
        "contacts": [contact([1.0, 0.0, 0.0]), contact([0.0, 1.0, 0.0])],
        "groups": [[0, 1]],
    })
}

fn run(folder: &Path, name: &str, value: &Value, arguments: &[&str]) -> Ran {
    std::fs::write(folder.join(name), value.to_string()).unwrap();
    let mut line = vec![arguments[0], name];
    line.extend(&arguments[1..]);
    stiction_in(folder, &line)
}

#[test]
fn printed_matrices_are_reproduced() {
    let folder = folder("egan_matrices");
    for (formulation, constant, option) in [("max", "100", "--gamma"), ("sum", "0.01", "--epsilon")] {
        for case in cases(formulation) {
            let arguments = ["lcp-of", "--form", formulation, option, constant];
            let ran = run(&folder, "corner.json", &file(&case), &arguments);
            assert_eq!(ran.code, 0, "{ran:?}");
            let lcp = ran.json();
            assert_eq!(rows(&lcp["M"]), rows(&case["B"]), "{}", case["id"]);
            assert_eq!(numbers(&lcp["q"]), numbers(&case["b"]), "{}", case["id"]);
            assert_eq!(names(&lcp["z_names"]), names(&case["z_names"]));
            // What was written can be read and solved.
            let named = parse(ran.stdout.as_bytes(), Path::new("lcp.json"), ReadOptions::default()).unwrap();
            let Content::Problems(all) = named else {
                panic!("{ran:?}")
            };
            let mut solver = Solver::new();
            let solution = all[0].problem.solve(&mut solver).unwrap();
            assert_eq!(solution.status, Status::Solved);
            assert!(all[0].z_names.contains(&"p1n".to_owned()), "{:?}", all[0].z_names);
        }
    }
}

#[test]
fn what_cannot_be_written_is_named() {
    let folder = folder("egan_lcps_bad");
    let mut face = file(&cases("max")[0]);
    face["groups"] = json!([[[0, 1]]]);
    let single = "must name one contact in the paper's LCPs and for nonconvex_sum, found 2";
    for (arguments, message) in [
        (
            &["lcp-of", "--form", "max"][..],
            format!("bad.json: groups[0][0]: {single}"),
        ),
        (
            &["lcp-of", "--form", "min"],
            "form: must be one of convex, max, sum, found min".to_owned(),
        ),
        (
            &["lcp-of", "--form", "sum", "--gamma", "3"],
            "gamma: must be given with --form max, found sum".to_owned(),
        ),
        (
            &["lcp-of", "--form", "max", "--gamma", "1"],
            "bad.json: gamma: must be finite and above 1, found 1".to_owned(),
        ),
    ] {
        let ran = run(&folder, "bad.json", &face, arguments);
        assert_eq!((ran.code, ran.stderr.trim()), (2, message.as_str()), "{arguments:?}");
    }
}
