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
        text.contains("friction leaves the contact plane by 1.0e-2 of the impulse at its contact"),
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

/// A bounce after Poisson is judged with its compression, and that is judged as well.
#[test]
fn a_bounce_is_judged_with_its_compression() {
    let poisson = ["--restitution", "poisson"];
    let ran = judge("cc_poisson", "bouncing-ball", &one(1.65, [0.0; 3]), &poisson);
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (2, "a.json: compression: missing field\n")
    );
    let with = |theta: f64, friction: &str, normal: &str| {
        let compression = format!(
            r#"{{"compression": {{"contacts": [{{"normal_impulse": {normal}, "friction_impulse": {friction}}}]}}, "contacts""#
        );
        one(theta, [0.0; 3]).replace(r#"{"contacts""#, &compression)
    };
    let right = judge("cc_poisson", "bouncing-ball", &with(1.65, "[0, 0, 0]", "1.1"), &poisson);
    assert_eq!(right.code, 0, "{right:?}");
    // Another compression, and more or less than it gives back.
    for (theta, normal) in [(1.5, "1"), (1.8, "1.1"), (1.6, "1.1"), (1.65, "1.65")] {
        let wrong = judge(
            "cc_poisson",
            "bouncing-ball",
            &with(theta, "[0, 0, 0]", normal),
            &poisson,
        );
        assert_eq!(wrong.code, 1, "{theta} after {normal}: {wrong:?}");
    }
    // Friction along the normal is judged with the normal impulse.
    let tilted = judge(
        "cc_poisson",
        "bouncing-ball",
        &with(1.65, "[0, 0, 0.1]", "1.1"),
        &poisson,
    );
    assert_eq!(tilted.code, 1, "{tilted:?}");
    let bad = judge("cc_poisson", "bouncing-ball", &with(1.65, "[0, 0]", "1.1"), &poisson);
    assert!(
        bad.code == 2 && bad.stderr.contains("compression.contacts[0].friction_impulse"),
        "{bad:?}"
    );
    assert_eq!(judge("cc_newton", "bouncing-ball", &one(1.6, [0.0; 3]), &[]).code, 0);
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
fn the_octagon_is_not_the_round_cone() {
    // Friction along (1, 1)/√2 is right for the octagon and wrong for the round cone.
    let folder = folder("cc_law");
    let path = workspace().join("problems/contact/sliding-diagonal.json");
    let path = std::path::absolute(path).unwrap().display().to_string();
    let solved = stiction_in(&folder, &["solve", &path, "--law", "polyhedral", "--json"]);
    std::fs::write(folder.join("a.json"), &solved.stdout).unwrap();
    for (options, code) in [
        (&["--law", "polyhedral"][..], 0),
        (&["--law", "coulomb"], 1),
        (&["--law", "polyhedral", "--directions", "6"], 1),
    ] {
        let ran = stiction_in(&folder, &[&["check", path.as_str(), "a.json"], options].concat());
        assert_eq!(ran.code, code, "{options:?}: {ran:?}");
    }
}

#[test]
fn a_squeeze_is_checked() {
    let none = r#"{"normal_impulse":0,"friction_impulse":[0,0,0]}"#;
    let answer = |shares: &str| {
        format!(
            r#"{{"status":"ray","contacts":[{none},{none}],"certificate":{{"kind":"farkas","contacts":[{shares}]}}}}"#
        )
    };
    let share = |index: usize, impulse: f64| format!(r#"{{"index":{index},"impulse":{impulse}}}"#);
    let judged = |shares: &str| judge("cc_squeeze", "closing-walls", &answer(shares), &[]);
    let right = judged(&[share(0, 2.0), share(1, 2.0)].join(","));
    assert_eq!(right.code, 0, "{right:?}");
    assert!(
        right.stdout.contains("accepted: its squeeze cancels in every body"),
        "{}",
        right.stdout
    );
    // It does not cancel; it pulls; it is empty.
    for wrong in [
        [share(0, 1.0), share(1, 1.1)].join(","),
        [share(0, -1.0), share(1, -1.0)].join(","),
        String::new(),
    ] {
        assert_eq!(judged(&wrong).code, 1, "{wrong}");
    }
    // Walls that do not overlap can be satisfied, whatever cancels.
    let shares = [share(0, 1.0), share(1, 1.0)].join(",");
    assert_eq!(judge("cc_squeeze", "opposite-walls", &answer(&shares), &[]).code, 1);
    let ran = judged(&share(2, 1.0));
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (2, "a.json: certificate.contacts[0].index: must be below 2, found 2\n")
    );
    // What solve prints is accepted.
    let path = workspace()
        .join("problems/contact/closing-walls.json")
        .display()
        .to_string();
    let solved = running::stiction(&["solve", &path, "--json"]);
    assert_eq!(judge("cc_squeeze", "closing-walls", &solved.stdout, &[]).code, 0);
}

#[test]
fn the_rationals_of_a_squeeze_are_checked() {
    // Three walls about a peg: 1 : 1/1.2 : 1/1.2 is no ratio of doubles.
    let wall = |normal: &str, point: &str| {
        format!(r#"{{"a":0,"b":null,"point":{point},"normal":{normal},"mu":0.3,"gap":-0.001}}"#)
    };
    let walls = [
        wall("[1,0,0]", "[-0.5,0,0]"),
        wall("[-0.6,0.8,0]", "[0.3,-0.4,0]"),
        wall("[-0.6,-0.8,0]", "[0.3,0.4,0]"),
    ];
    let peg = r#"{"name":"peg","mass":1,"inertia":[0.01,0.01,0.01],"position":[0,0,0],"velocity":[0,0,0,0,0,0],"wrench":[0,0,0,0,0,0]}"#;
    let problem = format!(
        r#"{{"kind":"contact","name":"three-walls","dt":0.01,"bodies":[{peg}],"contacts":[{}]}}"#,
        walls.join(",")
    );
    let folder = folder("cc_rationals");
    std::fs::write(folder.join("p.json"), problem).unwrap();
    let solved = stiction_in(&folder, &["solve", "p.json", "--json"]);
    let answer = solved.json();
    assert_eq!(
        (&answer["status"], &answer["proven"]),
        (&"ray".into(), &true.into()),
        "{answer}"
    );
    let shares = answer["certificate"]["contacts"].as_array().unwrap();
    let exact: Vec<&str> = shares.iter().map(|share| share["exact"].as_str().unwrap()).collect();
    let half = "4503599627370496/5404319552844595";
    assert_eq!(exact, ["1", half, half]);
    let judged = |answer: &str| {
        std::fs::write(folder.join("a.json"), answer).unwrap();
        stiction_in(&folder, &["check", "p.json", "a.json"])
    };
    let right = judged(&solved.stdout);
    assert!(
        right.code == 0 && right.stdout.contains("no velocity satisfies"),
        "{right:?}"
    );
    // Another numerator; the doubles alone; no number.
    assert_eq!(
        judged(&solved.stdout.replace("4503599627370496/", "4503599627370497/")).code,
        1
    );
    assert_eq!(judged(&solved.stdout.replace("\"exact\"", "\"other\"")).code, 1);
    let bad = judged(&solved.stdout.replace(half, "5/0"));
    let text = "a.json: certificate.contacts[1].exact: must be a rational such as 5/6, found 5/0\n";
    assert_eq!((bad.code, bad.stderr.as_str()), (2, text));
}

/// A squeeze shows that nothing solves the problem, so that a claim of the opposite is wrong.
#[test]
fn who_says_solved_beside_a_proof_of_the_opposite_is_refused() {
    let folder = folder("cc_squeeze_and_solved");
    let problem = std::path::absolute(workspace().join("problems/contact/closing-walls.json")).unwrap();
    let problem = problem.display().to_string();
    let answer = stiction_in(&folder, &["solve", &problem, "--json"]).stdout;
    assert!(answer.contains(r#""status":"ray""#), "{answer}");
    std::fs::write(folder.join("honest.json"), &answer).unwrap();
    let boast = answer.replacen(r#""status":"ray""#, r#""status":"solved""#, 1);
    std::fs::write(folder.join("boast.json"), boast).unwrap();
    assert_eq!(stiction_in(&folder, &["check", &problem, "honest.json"]).code, 0);
    let ran = stiction_in(&folder, &["check", &problem, "boast.json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stdout
            .contains("says solved, but its squeeze shows that nothing can"),
        "{ran:?}"
    );
}

/// An answer after Poisson's rule says so: it is not judged by Newton's.
#[test]
fn the_rule_of_restitution_is_part_of_an_answer() {
    let problem = std::path::absolute(workspace().join("problems/contact/bouncing-ball.json")).unwrap();
    let problem = problem.display().to_string();
    for (rule, code) in [("newton", 0), ("poisson", 2)] {
        let solved = stiction_in(&workspace(), &["solve", &problem, "--restitution", rule, "--json"]);
        assert_eq!(solved.code, 0, "{solved:?}");
        let ran = judge("cc_rules", "bouncing-ball", &solved.stdout, &[]);
        assert_eq!(ran.code, code, "{rule}: {ran:?}");
        if code == 2 {
            let message =
                "a.json: restitution: must be newton, or --restitution poisson must ask for it, found poisson\n";
            assert_eq!(ran.stderr, message);
        }
        let asked = judge("cc_rules", "bouncing-ball", &solved.stdout, &["--restitution", rule]);
        assert_eq!(asked.code, 0, "{rule}: {asked:?}");
    }
}

/// Many programs write null for what they have not.
#[test]
fn what_is_null_is_not_there() {
    let answer = one(10.0, [-6.0 / 7.0, 0.0, 0.0]).replace(
        r#"{"contacts""#,
        r#"{"status": null, "law": null, "certificate": null, "epsilon": null, "restitution": null, "contacts""#,
    );
    let ran = judge("cc_null", "slide-to-roll", &answer, &[]);
    assert_eq!(ran.code, 0, "{ran:?}");
}
