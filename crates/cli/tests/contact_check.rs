//! `stiction check` on contact files: impulses from anyone, judged by the problem's own data.
// The lint knows tests by their attribute and misses their helpers.
#![allow(clippy::unwrap_used)]

mod running;

use running::{Ran, folder, stiction_in, workspace};

/// Judges an answer to a problem of the repository.
fn judge(test: &str, problem: &str, answer: &str, more: &[&str]) -> Ran {
    let folder = folder(test);
    let path = workspace()
        .join("problems/contact")
        .join(problem)
        .with_extension("json");
    let path = std::path::absolute(path).unwrap().display().to_string();
    std::fs::write(folder.join("a.json"), answer).unwrap();
    stiction_in(&folder, &[&["check", path.as_str(), "a.json"], more].concat())
}

/// An answer of one contact.
fn one(normal: f64, friction: [f64; 3]) -> String {
    format!(r#"{{"contacts":[{{"normal_impulse":{normal},"friction_impulse":{friction:?}}}]}}"#)
}

#[test]
fn closed_forms_are_accepted_from_anyone() {
    // Painlevé's rod: (0.3 + 0.85 g h, 0.4 + 0.3 g h)
    for law in ["coulomb", "polyhedral"] {
        let ran = judge(
            "cc_painleve",
            "painleve-rod",
            &one(0.3085, [0.403, 0.0, 0.0]),
            &["--law", law],
        );
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(
            ran.stdout.contains("accepted: the impulses solve the problem\n"),
            "{}",
            ran.stdout
        );
    }
    let ran = judge(
        "cc_smooth",
        "rod-impact-smooth",
        &one(0.625, [0.0; 3]),
        &["--law", "frictionless"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    // A sphere that ends rolling: (m g h, 2/7 m v0)
    let ran = judge("cc_roll", "slide-to-roll", &one(10.0, [-6.0 / 7.0, 0.0, 0.0]), &[]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn the_worst_figure_is_named() {
    for (normal, friction, figure) in [
        (9.0, [-6.0 / 7.0, 0.0, 0.0], "gap: velocity into a contact"),
        (
            11.0,
            [-6.0 / 7.0, 0.0, 0.0],
            "complementarity: pushing while separating",
        ),
        (
            10.0,
            [-0.5, 0.0, 0.0],
            "dissipation: friction that does not oppose the slip with full strength",
        ),
        (10.0, [-30.0, 0.0, 0.0], "cone: friction beyond its limit"),
    ] {
        let ran = judge("cc_worst", "slide-to-roll", &one(normal, friction), &[]);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(
            ran.stdout.contains("refused: the impulses do not solve the problem\n"),
            "{}",
            ran.stdout
        );
        let words = format!("the worst figure is {figure}\n");
        assert!(
            ran.stdout.contains(&words) || figure.starts_with("cone"),
            "{words}: {}",
            ran.stdout
        );
    }
    let verdict = judge("cc_cone", "slide-to-roll", &one(10.0, [-30.0, 0.0, 0.0]), &["--json"]).json();
    assert!(verdict["residuals"]["cone"].as_f64().unwrap() > 0.1, "{verdict}");
    let verdict = judge("cc_sign", "gap-open", &one(-0.1, [0.0; 3]), &["--json"]).json();
    assert!(verdict["residuals"]["sign"].as_f64().unwrap() > 0.01, "{verdict}");
}

#[test]
fn friction_must_lie_in_the_plane_of_the_contact() {
    let verdict = judge(
        "cc_plane",
        "slide-to-roll",
        &one(10.0, [-6.0 / 7.0, 0.0, 0.1]),
        &["--json"],
    );
    assert_eq!(verdict.code, 1);
    let verdict = verdict.json();
    assert_eq!(
        (&verdict["verdict"], &verdict["off_plane"]),
        (&"refused".into(), &0.01.into())
    );
    let text = judge("cc_plane", "slide-to-roll", &one(10.0, [-6.0 / 7.0, 0.0, 0.1]), &[]).stdout;
    assert!(
        text.contains("leave the contact plane by 1.0e-2 of the largest impulse"),
        "{text}"
    );
}

#[test]
fn claims_are_compared_and_tolerances_decide() {
    let wrong = r#"{"status":"solved","contacts":[{"normal_impulse":10,"friction_impulse":[-0.857,0,0]}]}"#;
    let ran = judge("cc_claim", "slide-to-roll", wrong, &[]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout
            .contains("claim      the answer says solved, but it is not\n"),
        "{}",
        ran.stdout
    );
    assert_eq!(
        judge("cc_loose", "slide-to-roll", wrong, &["--tolerance", "0.01"]).code,
        0
    );
    let shy = r#"{"status":"ray","contacts":[{"normal_impulse":0,"friction_impulse":[0,0,0]}],"extra":1}"#;
    let ran = judge("cc_shy", "gap-open", shy, &[]);
    assert!(
        ran.code == 0 && ran.stdout.contains("says ray, but its impulses solve the problem"),
        "{ran:?}"
    );
}

#[test]
fn joints_are_judged() {
    let answer = |z: f64| format!(r#"{{"contacts":[],"joints":[{{"impulse":[0,0,{z}]}},{{"impulse":[0]}}]}}"#);
    let right = judge("cc_joint", "pendulum-redundant-joint", &answer(1.0 / 110.0), &[]);
    assert_eq!(right.code, 0, "{right:?}");
    let wrong = judge("cc_joint", "pendulum-redundant-joint", &answer(0.01), &["--json"]);
    assert_eq!(wrong.code, 1);
    assert!(
        wrong.json()["residuals"]["joints"].as_f64().unwrap() > 1e-3,
        "{wrong:?}"
    );
}

#[test]
fn the_law_of_the_answer_is_taken_unless_one_is_named() {
    // Friction along (1, 1)/√2 is right for the octagon and wrong for the round cone.
    let folder = folder("cc_law");
    let path = workspace().join("problems/contact/sliding-diagonal.json");
    let path = std::path::absolute(path).unwrap().display().to_string();
    let solved = stiction_in(&folder, &["solve", &path, "--law", "polyhedral", "--json"]);
    std::fs::write(folder.join("a.json"), &solved.stdout).unwrap();
    assert_eq!(stiction_in(&folder, &["check", &path, "a.json"]).code, 0);
    assert_eq!(
        stiction_in(&folder, &["check", &path, "a.json", "--law", "coulomb"]).code,
        1
    );
    assert_eq!(
        stiction_in(&folder, &["check", &path, "a.json", "--directions", "6"]).code,
        1
    );
}
