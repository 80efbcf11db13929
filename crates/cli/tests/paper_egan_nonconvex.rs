//! The worked examples of \[Egan IV, V\], as the seed cases `problems/seed/nonconvex.json` have them, corrections included: answers of the max law, answers of the
//! summation form. The printed matrices are tested in `lab`.
#![allow(clippy::unwrap_used)]

mod running;

use std::path::Path;

use running::{Ran, folder, stiction_in};
use serde_json::{Value, json};
use stiction_contact::check::{Answer, Terms, check_sum};
use stiction_contact::{ContactProblem, ContactSolver, Law, Method, Options, Status};
use stiction_lcp::residual::Judge;
use stiction_lcp::{Lcp, Status as LcpStatus};

const CASES: &str = include_str!("../../../problems/seed/nonconvex.json");
const TIME_STEP: f64 = 2.0;
/// ε/h.
const EPSILON: f64 = 0.01;
const GAMMA: f64 = 100.0;

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

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

/// The point mass of a case at (1, 1), walls x = 0 and y = 0.
fn problem(case: &Value) -> ContactProblem {
    let mut problem = ContactProblem::new();
    problem
        .add_block(&[1.0, 0.0, 0.0, 1.0], &numbers(&case["velocity"]))
        .unwrap();
    for [normal, tangent] in [[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]] {
        let contact = problem
            .add_contact(&[(0, [&normal, &tangent, &[0.0, 0.0]])], 0.0)
            .unwrap();
        problem.set_bias(contact, [1.0 / TIME_STEP, 0.0, 0.0]).unwrap();
    }
    problem.add_group(&[&[0], &[1]]).unwrap();
    problem
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

/// Whether z solves an LCP.
fn solves(lcp: &Lcp, z: &[f64]) -> bool {
    Judge::default().judge(lcp.view(), z, 1e-12).0 == LcpStatus::Solved
}

#[test]
fn the_errata_of_the_summation_example_hold() {
    for case in cases("sum") {
        let printed: Vec<f64> = numbers(&case["b_printed"]);
        let lcp = problem(&case).lcp_sum(Law::Frictionless, 8, EPSILON).unwrap().lcp;
        let wrong = Lcp::from_rows(&rows(&case["B"]), &printed).unwrap();
        assert_ne!(lcp.q(), &printed);
        for solution in case["solutions"].as_array().unwrap() {
            let z = numbers(&solution["z"]);
            assert!(
                solves(&lcp, &z) && !solves(&wrong, &z),
                "{} {}",
                case["id"],
                solution["name"]
            );
            // Velocity and position after the impulses, as corrected.
            let (v, state) = (numbers(&case["velocity"]), &solution["state"]);
            let end: Vec<f64> = (0..2).map(|k| v[k] + z[2 + k]).collect();
            let place: Vec<f64> = end.iter().map(|v| 1.0 + TIME_STEP * v).collect();
            for (found, expected) in [
                (&end, numbers(&state["velocity"])),
                (&place, numbers(&state["position"])),
            ] {
                assert!(
                    found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12),
                    "{found:?} {expected:?}"
                );
            }
        }
    }
}

/// The solutions of the max form: all listed, each a z of the printed LCP, and the solver never ends on a ray.
#[test]
fn every_printed_solution_of_the_max_form_is_listed() {
    let mut reached = 0;
    for case in cases("max") {
        let problem = problem(&case);
        let lcp = problem.lcp_max(Law::Frictionless, 8, GAMMA).unwrap().lcp;
        let options = Options {
            law: Law::Frictionless,
            method: Some(Method::NonconvexMax),
            ..Options::default()
        };
        let mut solver = ContactSolver::new(options).unwrap();
        let all = solver.all_answers(&problem).unwrap();
        let printed = case["solutions"].as_array().unwrap();
        assert!(all.complete && all.answers.len() == printed.len(), "{}", case["id"]);
        for solution in printed {
            assert!(solves(&lcp, &numbers(&solution["z"])));
            let expected = numbers(&solution["state"]["impulse"]);
            let found = all.answers.iter().find(|answer| {
                let theta = &answer.normal_impulse;
                theta.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12)
            });
            let found = found.unwrap_or_else(|| panic!("{} {}", case["id"], solution["name"]));
            assert!(solves(&lcp, &z_max(&found.normal_impulse, &found.contact_velocity)));
            let velocity = numbers(&solution["state"]["velocity"]);
            assert!(found.velocity.iter().zip(&velocity).all(|(a, b)| (a - b).abs() < 1e-12));
            reached += 1;
        }
        let least = solver.solve(&problem).unwrap();
        assert_eq!(
            (least.status, least.stats.methods.last()),
            (Status::Solved, Some(&Method::NonconvexMax))
        );
        assert_eq!(least.normal_impulse, all.answers[0].normal_impulse);
    }
    assert_eq!(reached, 4);
}

/// (c, d, g, h, p, p_n) of an answer: c = max(1 − a, 0), d = γ − min c, g on the first side with the least c, h = max(−a, 0).
fn z_max(theta: &[f64], u: &[[f64; 3]]) -> Vec<f64> {
    let c: Vec<f64> = u.iter().map(|u| (1.0 - u[0]).max(0.0)).collect();
    let least = usize::from(c[1] < c[0]);
    let mut z = c.clone();
    z.push(GAMMA - c[least]);
    z.extend((0..2).map(|i| f64::from(u8::from(i == least))));
    z.extend(u.iter().map(|u| (-u[0]).max(0.0)));
    z.push(0.0);
    z.extend_from_slice(theta);
    z
}

/// The solutions of the summation form: a continuum, of which Lemke's method finds one; the printed ones are accepted by the judge and lie on the
/// horizontal plane, the cap x + y = −0.02, or the vertical plane.
#[test]
fn every_printed_solution_of_the_summation_form_is_lawful() {
    let mut reached = 0;
    for case in cases("sum") {
        let problem = problem(&case);
        let options = Options {
            law: Law::Frictionless,
            method: Some(Method::NonconvexSum),
            epsilon: EPSILON,
            ..Options::default()
        };
        let mut solver = ContactSolver::new(options).unwrap();
        let solution = solver.solve(&problem).unwrap();
        assert_eq!(
            (solution.status, &solution.stats.methods[..]),
            (Status::Solved, &[Method::NonconvexSum][..])
        );
        let lemke = solution.normal_impulse.clone();
        let terms = Terms {
            law: Law::Frictionless,
            directions: 8,
            tolerance: 1e-10,
        };
        let verdict = |normal: &[f64]| {
            let answer = Answer {
                normal,
                friction: &[[0.0; 2]; 2],
                phi: None,
                joint: &[],
            };
            check_sum(&problem, terms, EPSILON, answer).unwrap()
        };
        let contact = case["id"] == "sum-b";
        let printed = case["solutions"].as_array().unwrap().iter();
        let printed: Vec<Vec<f64>> = printed.map(|printed| numbers(&printed["state"]["impulse"])).collect();
        reached += printed.len();
        // Another covering vector ends at another point of the continuum: that of the seed case, and ours.
        let by_ones = numbers(&case["lemke"]["z"])[2..].to_vec();
        for impulse in printed.iter().chain([&by_ones, &lemke]) {
            let found = verdict(impulse);
            assert!(found.solved, "{impulse:?}: {:?}", found.residual);
            let x: Vec<f64> = found.velocity.iter().map(|v| 1.0 + TIME_STEP * v).collect();
            let on = |a: f64| a.abs() < 1e-12;
            let inside = (on(x[1]) && x[0] <= -0.02) || (on(x[0]) && x[1] <= -0.02) || on(x[0] + x[1] + 0.02);
            assert_eq!(inside, contact, "{x:?}");
            // Less push penetrates, more opens.
            if contact {
                assert!(!verdict(&[0.9 * impulse[0], 0.9 * impulse[1]]).solved);
                assert!(!verdict(&[1.1 * impulse[0], 1.1 * impulse[1]]).solved);
            }
        }
    }
    assert_eq!(reached, 4);
}

/// With three sides the printed −(n − 1)ε/h keeps a side that touches (n − 2)ε/h away; −ε/h is what (30) asks for.
#[test]
fn the_printed_sum_is_too_strict_for_three_sides() {
    let mut three = ContactProblem::new();
    three.add_block(&[1.0], &[-1.0]).unwrap();
    for bias in [0.0, -5.0, -5.0] {
        let contact = three.add_contact(&[(0, [&[1.0], &[0.0], &[0.0]])], 0.0).unwrap();
        three.set_bias(contact, [bias, 0.0, 0.0]).unwrap();
    }
    three.add_group(&[&[0], &[1], &[2]]).unwrap();
    let printed = three.lcp_sum_as_published(Law::Frictionless, 8, EPSILON).unwrap().lcp;
    let right = three.lcp_sum(Law::Frictionless, 8, EPSILON).unwrap().lcp;
    assert_eq!((printed.q()[3], right.q()[3]), (-2.0 * EPSILON, -EPSILON));
    // The first side touches: θ = 1, c = (ε/h, 0, 0).
    let z = [EPSILON, 0.0, 0.0, 1.0, 0.0, 0.0];
    assert!(solves(&right, &z) && !solves(&printed, &z));
}

#[test]
fn files_with_groups_are_solved_listed_and_checked() {
    let folder = folder("egan_files");
    let corner = file(&cases("max")[1]);
    let ran = run(&folder, "corner.json", &corner, &["solve", "--json"]);
    let answer = ran.json();
    assert_eq!(
        (ran.code, answer["method"].as_str()),
        (0, Some("nonconvex_max")),
        "{ran:?}"
    );
    assert_eq!(answer["contacts"][1]["normal_impulse"].as_f64(), Some(0.5));
    std::fs::write(folder.join("answer.json"), &ran.stdout).unwrap();
    let checked = stiction_in(&folder, &["check", "corner.json", "answer.json"]);
    assert_eq!(checked.code, 0, "{checked:?}");
    // A push at the wall alone, while the floor is left behind, is an answer; at half of it the corner is entered.
    for (theta, code) in [(1.5, 0), (0.75, 1)] {
        let contact = |n: f64| json!({ "normal_impulse": n, "friction_impulse": [0, 0, 0] });
        let claim = json!({ "contacts": [contact(theta), contact(0.0)] });
        std::fs::write(folder.join("claim.json"), claim.to_string()).unwrap();
        let ran = stiction_in(&folder, &["check", "corner.json", "claim.json"]);
        assert_eq!(ran.code, code, "{ran:?}");
    }
    let all = run(&folder, "corner.json", &corner, &["solve", "--all", "--json"]);
    let listed = all.json();
    assert_eq!((all.code, listed["complete"].as_bool()), (0, Some(true)), "{all:?}");
    assert_eq!(listed["answers"].as_array().unwrap().len(), 3);
    let text = run(&folder, "corner.json", &corner, &["solve", "--all"]).stdout;
    assert!(text.contains("3 answers, least impulse first"), "{text}");
    let sum = ["solve", "--method", "nonconvex_sum", "--epsilon", "0.01", "--json"];
    let ran = run(&folder, "corner.json", &corner, &sum);
    let answer = ran.json();
    assert_eq!((ran.code, answer["epsilon"].as_f64()), (0, Some(EPSILON)), "{ran:?}");
    std::fs::write(folder.join("sum.json"), &ran.stdout).unwrap();
    let by_sum = [
        "check",
        "corner.json",
        "sum.json",
        "--law",
        "polyhedral",
        "--epsilon",
        "0.01",
    ];
    assert_eq!(stiction_in(&folder, &by_sum).code, 0);
}

#[test]
fn bad_groups_and_options_are_named() {
    let folder = folder("egan_bad");
    let corner = file(&cases("max")[1]);
    for (groups, message) in [
        (json!([[0, 2]]), "groups[0][1][0]: must be below 2, found 2"),
        (json!([[]]), "groups[0]: must have at least one side, found 0"),
        (
            json!([[[0], []]]),
            "groups[0][1]: must name at least one contact, found 0",
        ),
        (
            json!([[0], [0]]),
            "groups[1][0][0]: must name a contact that is in no other side, found 0",
        ),
        (
            json!([[0.5]]),
            "groups[0][0]: must be a contact's number or a list of them, found 0.5",
        ),
        (json!([[[-1]]]), "groups[0][0][0]: must be a whole number, found -1"),
        (json!([0]), "groups[0]: must be a list, found 0"),
    ] {
        let mut bad = corner.clone();
        bad["groups"] = groups;
        let ran = run(&folder, "bad.json", &bad, &["solve"]);
        assert_eq!(
            (ran.code, ran.stderr.trim()),
            (2, format!("bad.json: {message}").as_str())
        );
    }
    let mut face = corner.clone();
    face["groups"] = json!([[[0, 1]]]);
    let single = "must name one contact in the paper's LCPs and for nonconvex_sum, found 2";
    for (arguments, message) in [
        (
            &["solve", "--method", "nonconvex_sum"][..],
            format!("bad.json: groups[0][0]: {single}"),
        ),
        (
            &["solve", "--epsilon", "1"],
            "epsilon: must be given with the method nonconvex_sum, found no method".to_owned(),
        ),
        (
            &["solve", "--method", "nonconvex_sum", "--epsilon", "0"],
            "epsilon: must be finite and positive, found 0".to_owned(),
        ),
    ] {
        let ran = run(&folder, "bad.json", &face, arguments);
        assert_eq!((ran.code, ran.stderr.trim()), (2, message.as_str()), "{arguments:?}");
    }
}
