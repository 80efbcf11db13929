//! Proofs in files: they pass our own check and that of an independent program, and neither passes once a digit or a sign is changed.
#![allow(clippy::unwrap_used)]

mod structures;

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use stiction_stand::question::{Any, Question, Ranges, answer};
use stiction_stand::report::Along;
use stiction_stand::{Ask, Equilibrium, check};
use structures::{arch, hung_book, overhang, tower, wedge};

fn report(whole: &Equilibrium) -> Value {
    let question = Question {
        margins: vec![
            ("x".to_owned(), Along::Tilt([1.0, 0.0, 0.0])),
            ("y".to_owned(), Along::Acceleration([0.6, 0.8, 0.0])),
        ],
        any: Any {
            tilt: whole.bodies().len() == 1,
            ..Any::default()
        },
        friction: true,
        ..Question::default()
    };
    answer("structure", whole.clone(), &question, 0.0).unwrap().json()
}

/// What of a report our own check refuses.
fn faults(whole: &Equilibrium, report: &Value) -> Vec<String> {
    let make = |_: &str, share: f64| {
        let mut other = whole.clone();
        other.set_friction(|k, _| share * whole.contacts()[k].friction);
        Ok(other)
    };
    let Ok(claims) = check::check(whole, report, &make) else {
        return vec!["the form".to_owned()];
    };
    assert!(!claims.is_empty());
    let refused = claims
        .into_iter()
        .filter_map(|claim| Some(format!("{}: {}", claim.what, claim.fault?)));
    refused.collect()
}

/// Whether the program in Python accepts a report; `None` where there is no Python.
fn elsewhere(report: &Value, name: &str) -> Option<bool> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("stiction-{}-{name}-{count}.json", std::process::id()));
    std::fs::write(&file, report.to_string()).unwrap();
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check_stand.py");
    let output = Command::new("python3").arg(program).arg(&file).output();
    std::fs::remove_file(&file).unwrap();
    let Ok(output) = output else {
        // Past the capture of test output, for `scripts/check.sh`.
        let _ = writeln!(
            std::io::stderr(),
            "skipped in part: proofs: no python3 for the check in Python"
        );
        return None;
    };
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("Traceback"), "{said}");
    Some(output.status.success())
}

fn structures() -> Vec<(&'static str, Equilibrium)> {
    vec![
        ("tower", tower(3, 0.6)),
        ("arch", arch(8, 0.16, 0.7)),
        ("overhang", overhang(4, 1.0 + 1e-6)),
        ("gap", wedge(0.84, -0.8)),
    ]
}

#[test]
fn reports_pass_our_check_and_an_independent_one() {
    for (name, whole) in structures() {
        let report = report(&whole);
        assert!(
            faults(&whole, &report).is_empty(),
            "{name}: {:?}",
            faults(&whole, &report)
        );
        assert_ne!(elsewhere(&report, name), Some(false), "{name}");
    }
}

#[test]
fn t22_a_report_with_a_digit_or_a_sign_changed_is_refused() {
    for (name, whole) in structures() {
        let honest = report(&whole);
        let refused = |change: &dyn Fn(&mut Value), what: &str| {
            let mut tampered = honest.clone();
            change(&mut tampered);
            assert_ne!(tampered, honest, "{name}: {what}");
            assert!(!faults(&whole, &tampered).is_empty(), "{name}: {what}");
            assert_ne!(elsewhere(&tampered, name), Some(true), "{name}: {what}");
        };
        let negate = |x: &mut Value| *x = Value::from(-x.as_f64().unwrap());
        let scale = |x: &mut Value| *x = Value::from(1.001 * x.as_f64().unwrap());
        if honest["verdict"] == "falls" {
            // The largest entry, so that it counts.
            let at = largest(&honest["evidence"]["mechanism"]["velocity"]);
            refused(
                &|r| negate(&mut r["evidence"]["mechanism"]["velocity"][at.0][at.1]),
                "a sign",
            );
            continue;
        }
        let at = largest(&honest["evidence"]["forces"]["contacts"]);
        refused(
            &|r| negate(&mut r["evidence"]["forces"]["contacts"][at.0][at.1]),
            "a sign",
        );
        // Forces deep inside their cones still prove that exact ones are near; the judge of rest sees the digit.
        let mut tampered = honest.clone();
        scale(&mut tampered["evidence"]["forces"]["contacts"][at.0][at.1]);
        assert!(!faults(&whole, &tampered).is_empty(), "{name}: a digit");
        let margin = &honest["margins"][0];
        let at = largest(&margin["mechanism"]["velocity"]);
        refused(
            &|r| negate(&mut r["margins"][0]["mechanism"]["velocity"][at.0][at.1]),
            "a sign of the mechanism",
        );
        refused(
            &|r| r["margins"][0]["high"] = Value::from(0.999 * margin["high"].as_f64().unwrap()),
            "a closer end",
        );
        refused(
            &|r| r["margins"][0]["low"] = Value::from(1.001 * margin["low"].as_f64().unwrap()),
            "a farther margin",
        );
    }
}

#[test]
fn a_report_of_another_structure_is_refused() {
    let whole = tower(3, 0.6);
    let report = report(&whole);
    assert!(!faults(&tower(4, 0.6), &report).is_empty());
    assert!(!faults(&tower(3, 0.5), &report).is_empty());
    let mut changed = report.clone();
    changed["verdict"] = Value::from("falls");
    assert!(!faults(&whole, &changed).is_empty());
}

/// Row and entry of the number of largest size.
fn largest(rows: &Value) -> (usize, usize) {
    let mut best = (0.0, (0, 0));
    for (i, row) in rows.as_array().unwrap().iter().enumerate() {
        for (j, x) in row.as_array().unwrap().iter().enumerate() {
            let size = x.as_f64().unwrap().abs();
            if size > best.0 {
                best = (size, (i, j));
            }
        }
    }
    best.1
}

/// All that can be asked, as a file.
fn everything(whole: &Equilibrium, squeeze: Vec<usize>) -> Value {
    let is_gravity = whole.is_gravity_alone();
    let question = Question {
        ask: Ask {
            squeeze,
            ..Ask::default()
        },
        margins: vec![
            ("x".to_owned(), Along::Tilt([1.0, 0.0, 0.0])),
            ("y".to_owned(), Along::Acceleration([0.6, 0.8, 0.0])),
        ],
        any: Any {
            tilt: is_gravity && whole.bodies().len() <= 3,
            ..Any::default()
        },
        friction: true,
        ranges: Ranges::MostLoaded,
    };
    answer("structure", whole.clone(), &question, 0.0).unwrap().json()
}

/// Structures of every verdict, and who squeezes.
fn verdicts() -> Vec<(&'static str, Equilibrium, Vec<usize>)> {
    let mut limited = tower(2, 0.6);
    limited.set_force_limit(Some(8.0)).unwrap();
    vec![
        ("tower", tower(2, 0.6), vec![]),
        ("limited", limited, vec![]),
        ("arch", arch(8, 0.16, 0.7), vec![]),
        ("overhang", overhang(4, 1.0 + 1e-6), vec![]),
        ("hung", hung_book(0.5), vec![]),
        ("squeezed", hung_book(0.5), vec![1, 2]),
    ]
}

/// The number of largest size below a place.
fn largest_below(value: &Value, place: &str, best: &mut (f64, String)) {
    match value {
        Value::Array(list) => {
            for (k, x) in list.iter().enumerate() {
                largest_below(x, &format!("{place}/{k}"), best);
            }
        }
        Value::Number(x) => {
            let size = x.as_f64().unwrap().abs();
            if size > best.0 {
                *best = (size, place.to_owned());
            }
        }
        _ => {}
    }
}

#[test]
fn a_report_whose_word_is_changed_is_refused() {
    let mut words = std::collections::BTreeSet::new();
    for (name, whole, squeeze) in verdicts() {
        let honest = everything(&whole, squeeze);
        assert!(
            faults(&whole, &honest).is_empty(),
            "{name}: {:?}",
            faults(&whole, &honest)
        );
        words.insert(honest["verdict"].as_str().unwrap().to_owned());
        for word in ["stands", "falls", "may_fall", "certain"] {
            if honest["verdict"] != word {
                let mut tampered = honest.clone();
                tampered["verdict"] = Value::from(word);
                assert!(!faults(&whole, &tampered).is_empty(), "{name}: {word}");
                // Nor where the motion is left out.
                tampered["motion"] = Value::Null;
                assert!(!faults(&whole, &tampered).is_empty(), "{name}: {word} without a motion");
            }
        }
    }
    assert_eq!(words.into_iter().collect::<Vec<_>>(), ["falls", "may_fall", "stands"]);
}

#[test]
fn a_sign_or_a_digit_of_every_kind_of_proof_counts() {
    // Where a digit more leaves another proof of the same claim, only the sign is changed.
    let kinds = [
        ("/evidence/forces/contacts", true),
        ("/evidence/forces/proof/distance", true),
        ("/evidence/mechanism/velocity", false),
        ("/only/forces/contacts", true),
        ("/rest/residual", true),
        ("/motion/contacts", true),
        ("/motion/velocity", true),
        ("/motion/speed", true),
        ("/explosion", false),
        ("/squeeze/least", false),
        ("/margins/0/low", true),
        ("/margins/0/forces/contacts", true),
        ("/margins/0/mechanism/velocity", false),
        ("/margins/0/degrees/low", true),
        ("/margins/0/degrees/high", true),
        ("/ranges/0/normal", true),
        ("/region/inner/0/at", true),
        ("/region/inner/0/forces/contacts", false),
        ("/region/outer/0/velocity", false),
        ("/region/outer/0/normal", true),
        ("/region/radius/low", true),
        ("/region/radius/high", true),
        ("/friction/given", true),
        ("/friction/change/stands/forces/contacts", true),
        ("/friction/change/falls/mechanism/velocity", false),
        ("/force_limit", true),
    ];
    let mut met = vec![0; kinds.len()];
    for (name, whole, squeeze) in verdicts() {
        let honest = everything(&whole, squeeze);
        for ((kind, has_digits), met) in kinds.iter().zip(&mut met) {
            let mut best = (0.0, String::new());
            if let Some(below) = honest.pointer(kind) {
                largest_below(below, kind, &mut best);
            }
            let (size, place) = best;
            if size == 0.0 {
                continue;
            }
            *met += 1;
            for by in [-1.0, 1.001] {
                if by > 0.0 && !has_digits {
                    continue;
                }
                let mut tampered = honest.clone();
                let at = tampered.pointer_mut(&place).unwrap();
                *at = Value::from(by * at.as_f64().unwrap());
                assert!(!faults(&whole, &tampered).is_empty(), "{name}: {place} times {by}");
            }
        }
    }
    for ((kind, _), met) in kinds.iter().zip(met) {
        assert!(met > 0, "{kind} was not met");
    }
}

#[test]
fn a_mechanism_of_forces_that_are_too_small_proves_nothing() {
    let whole = overhang(4, 1.0 + 1e-6);
    let mut tampered = everything(&whole, vec![]);
    tampered["evidence"]["mechanism"]["limits"] = serde_json::json!({ "contact": 1e-3, "joint": null });
    assert!(!faults(&whole, &tampered).is_empty());
}
