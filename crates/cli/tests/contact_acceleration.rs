//! `stiction solve` and `check` on files of forces and accelerations, with closed-form answers. g = 10 m/s² unless said otherwise.
// The lint knows tests by their attribute and misses their helpers.
#![allow(clippy::unwrap_used)]

mod running;

use running::{Ran, folder, stiction, stiction_in, workspace};
use serde_json::{Value, json};

fn path(name: &str) -> String {
    let path = workspace()
        .join("problems/contact-acceleration")
        .join(name)
        .with_extension("json");
    std::path::absolute(path).unwrap().display().to_string()
}

fn run(name: &str, more: &[&str]) -> Ran {
    let path = path(name);
    stiction(&[&["solve", path.as_str()], more].concat())
}

/// The answer to a problem that must be solved.
fn solve_with(name: &str, more: &[&str]) -> Value {
    let ran = run(name, &[&["--json"], more].concat());
    let answer = ran.json();
    assert_eq!(
        (ran.code, answer["status"].as_str()),
        (0, Some("solved")),
        "{name} {more:?}: {ran:?}"
    );
    assert_eq!(answer["kind"], "contact-acceleration-solution");
    answer
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn acceleration(answer: &Value) -> Vec<f64> {
    numbers(&answer["bodies"][0]["acceleration"])
}

/// Sum of the normal forces.
fn normal(answer: &Value) -> f64 {
    let contacts = answer["contacts"].as_array().unwrap();
    contacts.iter().map(|c| c["normal_force"].as_f64().unwrap()).sum()
}

/// Sum of the friction forces.
fn friction(answer: &Value) -> Vec<f64> {
    let mut sum = vec![0.0; 3];
    for contact in answer["contacts"].as_array().unwrap() {
        for (sum, x) in sum.iter_mut().zip(numbers(&contact["friction_force"])) {
            *sum += x;
        }
    }
    sum
}

#[track_caller]
fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        assert!(
            (f - e).abs() <= tolerance,
            "found {found:?}, expected {expected:?} within {tolerance:e}"
        );
    }
}

const REST: [f64; 6] = [0.0; 6];

#[test]
fn an_incline_holds_or_lets_go() {
    // tan = 3/4, m = 2. Held: N = m g cos, f = m g sin uphill (0.8, 0, 0.6).
    let answer = solve_with("incline-static", &[]);
    assert_eq!(answer["law"], "coulomb-acceleration");
    close(&acceleration(&answer), &REST, 1e-12);
    close(&[normal(&answer)], &[16.0], 1e-12);
    close(&friction(&answer), &[9.6, 0.0, 7.2], 1e-12);
    // μ = 1/2: a = g (sin − μ cos) = 2 m/s² downhill.
    let answer = solve_with("incline-slips", &[]);
    close(&acceleration(&answer), &[-1.6, 0.0, -1.2, 0.0, 0.0, 0.0], 1e-9);
    close(&friction(&answer), &[6.4, 0.0, 4.8], 1e-9);
    assert!(run("incline-static", &[]).stdout.contains("static, holds"));
    assert!(run("incline-slips", &[]).stdout.contains("static, starts to slide"));
}

#[test]
fn dynamic_friction_opposes_the_slip() {
    // a = −μ g, and nothing rises although the friction acts below the centre.
    let answer = solve_with("sliding-block", &[]);
    close(&acceleration(&answer), &[-5.0, 0.0, 0.0, 0.0, 0.0, 0.0], 1e-12);
    close(&[normal(&answer)], &[20.0], 1e-12);
    assert_eq!(numbers(&answer["contacts"][0]["slip"]), [3.0, 0.0, 0.0]);
    assert!(run("sliding-block", &[]).stdout.contains("dynamic"));
    // Four corners share one load; the foot of one rod carries it alone.
    let contacts = answer["contacts"].as_array().unwrap();
    assert!(contacts.iter().all(|contact| contact["unique"] == false), "{answer}");
    assert_eq!(solve_with("painleve-rod-below", &[])["contacts"][0]["unique"], true);
    let smooth = solve_with("sliding-block", &["--law", "frictionless"]);
    close(&acceleration(&smooth), &REST, 1e-12);
    assert_eq!(friction(&smooth), [0.0; 3]);
    // It slides, whatever the law.
    for law in ["coulomb-acceleration", "frictionless", "viscous"] {
        let answer = solve_with("sliding-block", &["--law", law]);
        let states: Vec<&Value> = answer["contacts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| &c["state"])
            .collect();
        // Corners that share one load may be without.
        assert!(states.iter().any(|state| *state == "sliding"), "{law}: {states:?}");
        assert!(states.iter().all(|state| *state != "sticking"), "{law}: {states:?}");
    }
}

#[test]
fn a_ladder_leans_on_a_smooth_wall() {
    // tan = 4/3: floor m g, wall m g/(2 tan), floor friction the same.
    let answer = solve_with("ladder", &[]);
    close(&acceleration(&answer), &REST, 1e-12);
    close(
        &[
            answer["contacts"][0]["normal_force"].as_f64().unwrap(),
            answer["contacts"][1]["normal_force"].as_f64().unwrap(),
        ],
        &[10.0, 3.75],
        1e-12,
    );
    close(&friction(&answer), &[3.75, 0.0, 0.0], 1e-12);
}

#[test]
fn a_push_off_the_axes_shows_what_was_published() {
    // Unit load, μ = 1/2, pushed with (1, 0.6): maximum dissipation opposes the acceleration.
    let size = 1.36_f64.sqrt();
    let answer = solve_with("diagonal-push", &[]);
    close(&friction(&answer), &[-0.5 / size, -0.3 / size, 0.0], 1e-9);
    close(&friction(&answer), &[-0.43, -0.26, 0.0], 5e-3);
    assert_eq!(answer["contacts"][0]["state"], "sliding");
    // As published: of full strength and not helping, along the tangent that is driven first.
    let published = solve_with("diagonal-push", &["--as-published"]);
    assert_eq!(published["law"], "coulomb-acceleration-as-published");
    assert_eq!(published["method"], "dantzig");
    let f = friction(&published);
    close(&[f[0].hypot(f[1])], &[0.5], 1e-12);
    assert!(f[0].abs().min(f[1].abs()) < 1e-12, "{f:?}");
    // The corrected answer obeys the published law; the published answer does not oppose its acceleration.
    let folder = folder("acceleration_published");
    std::fs::write(folder.join("corrected.json"), answer.to_string()).unwrap();
    std::fs::write(folder.join("published.json"), published.to_string()).unwrap();
    let judged = |answer: &str, more: &[&str]| {
        stiction_in(
            &folder,
            &[&["check", path("diagonal-push").as_str(), answer], more].concat(),
        )
        .code
    };
    assert_eq!(judged("corrected.json", &[]), 0);
    assert_eq!(judged("published.json", &["--as-published"]), 0);
    assert_eq!(judged("published.json", &[]), 1);
    assert_eq!(judged("corrected.json", &["--as-published"]), 0);
    assert_eq!(judged("published.json", &["--law", "coulomb_acceleration"]), 1);
}

#[test]
fn velocities_alone_accelerate() {
    // A rod that turns about its end at the floor: N = m (g − ω² l).
    let answer = solve_with("turning-rod", &[]);
    close(&[normal(&answer)], &[1.0], 1e-12);
    close(&acceleration(&answer)[..3], &[0.0, 0.0, -9.0], 1e-12);
    // A sphere rolls: a = F/(1.4 m), f = F − m a; its bias is given, since it is not flat.
    let answer = solve_with("rolling-sphere", &[]);
    close(&acceleration(&answer), &[1.0, 0.0, 0.0, 0.0, 10.0, 0.0], 1e-12);
    close(&friction(&answer), &[-0.4, 0.0, 0.0], 1e-12);
    // A pendulum: J̇v = ω² l in the joint, ω' = m g l/(I + m l²).
    let answer = solve_with("pendulum-swings", &[]);
    close(
        &numbers(&answer["joints"][0]["force"]),
        &[-4.0, 0.0, 10.0 / 11.0],
        1e-12,
    );
    close(&acceleration(&answer)[..3], &[-4.0, 0.0, -100.0 / 11.0], 1e-12);
}

#[test]
fn viscous_friction_is_explicit_where_forces_are_sought() {
    // f = −c s = −12, a = −6; dry friction is not read.
    for law in ["viscous", "viscous-explicit", "viscous_explicit"] {
        let answer = solve_with("viscous-slider", &["--law", law]);
        assert_eq!(answer["law"], "viscous-explicit");
        close(&friction(&answer), &[-12.0, 0.0, 0.0], 1e-12);
        close(&acceleration(&answer), &[-6.0, 0.0, 0.0, 0.0, 0.0, 0.0], 1e-12);
    }
}

#[test]
fn painleves_rod_has_a_force_below_its_limit_and_an_impulse_above() {
    // g = 1, tan 2: a_n = −g + (1.6 − 1.2 μ) N, so that μ = 1 needs N = 2.5 and μ = 2 has none.
    let answer = solve_with("painleve-rod-below", &["--impulse", "0.01"]);
    close(&[normal(&answer), friction(&answer)[0]], &[2.5, 2.5], 1e-12);
    assert!(answer.get("impulse").is_none() && answer.get("drive").is_none());
    for more in [&["--impulse"][..], &["--impulse", "0.01"]] {
        let ran = run("painleve-rod", &[&["--json"], more].concat());
        let answer = ran.json();
        assert_eq!(
            (ran.code, answer["status"].as_str()),
            (1, Some("unbounded_drive")),
            "{answer}"
        );
        // The direction: friction 2 against the slip for each newton of the normal.
        let drive = &answer["drive"];
        assert_eq!(
            (&drive["driven"], &drive["contacts"][0]["contact"]),
            (&json!(0), &json!(0))
        );
        close(&numbers(&drive["contacts"][0]["friction"]), &[2.0, 0.0, 0.0], 1e-12);
        close(&[drive["contacts"][0]["normal"].as_f64().unwrap()], &[1.0], 1e-12);
        // (0.3 + 0.85 g h, 0.4 + 0.3 g h)
        let impulse = &answer["impulse"];
        assert_eq!(
            (&impulse["kind"], &impulse["status"], &impulse["law"]),
            (&json!("contact-solution"), &json!("solved"), &json!("coulomb"))
        );
        let contact = &impulse["contacts"][0];
        close(&[contact["normal_impulse"].as_f64().unwrap()], &[0.3085], 1e-12);
        close(&numbers(&contact["friction_impulse"]), &[0.403, 0.0, 0.0], 1e-12);
    }
    let text = run("painleve-rod", &["--impulse"]).stdout;
    for words in [
        "\nunbounded_drive: no finite forces were found",
        "\ndirection  contact 0 (rod against world): normal 1, friction (2, 0, 0)\n",
        "\n           contact 0 goes on accelerating inwards however far the forces grow this way\n",
        "(Painlevé): what ends the slip is an impulse\n",
        "\ninstead of forces, the impulses over a step of 0.01 s:\n\npainleve-rod: contact problem, 1 body",
        "0.3085",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let shorter = run("painleve-rod", &["--impulse", "0.001", "--json"]).json();
    close(
        &[shorter["impulse"]["contacts"][0]["normal_impulse"].as_f64().unwrap()],
        &[0.3 + 0.85e-3],
        1e-12,
    );
    assert!(run("painleve-rod", &["--json"]).json().get("impulse").is_none());
    let advice = "\nnext       --impulse DT finds impulses over a step of DT seconds";
    assert!(!text.contains(advice) && run("painleve-rod", &[]).stdout.contains(advice));
}

/// Every file, so that none is added without a test here.
fn every_problem() -> Vec<String> {
    let entries = std::fs::read_dir(workspace().join("problems/contact-acceleration")).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .unwrap()
                .path()
                .file_stem()
                .unwrap()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    assert!(names.len() >= 11, "{names:?}");
    names
}

#[test]
fn check_agrees_with_every_answer() {
    let folder = folder("acceleration_every");
    for name in every_problem() {
        for law in [
            "frictionless",
            "coulomb-acceleration",
            "coulomb-acceleration-as-published",
            "viscous",
            "coulomb-viscous",
        ] {
            if name == "painleve-rod" && law.starts_with("coulomb") {
                continue;
            }
            let answer = solve_with(&name, &["--law", law]);
            std::fs::write(folder.join("a.json"), answer.to_string()).unwrap();
            let checked = stiction_in(&folder, &["check", &path(&name), "a.json", "--json", "--law", law]);
            let verdict = checked.json();
            assert_eq!(checked.code, 0, "{name} {law}: {verdict}");
            assert_eq!(
                (&verdict["kind"], &verdict["law"]),
                (&json!("contact-acceleration-check"), &answer["law"])
            );
        }
    }
    // Forces that do not hold are refused, with words of forces.
    let answer = r#"{"contacts":[{"normal_force":2,"friction_force":[2,0,0]}]}"#;
    std::fs::write(folder.join("a.json"), answer).unwrap();
    let ran = stiction_in(&folder, &["check", &path("painleve-rod-below"), "a.json"]);
    assert_eq!(ran.code, 1);
    for words in [
        "refused: the forces do not solve the problem",
        "gap: acceleration into a contact",
    ] {
        assert!(ran.stdout.contains(words), "{}", ran.stdout);
    }
    std::fs::write(folder.join("a.json"), r#"{"contacts":[{"normal_impulse":2}]}"#).unwrap();
    let ran = stiction_in(&folder, &["check", &path("painleve-rod-below"), "a.json"]);
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (2, "a.json: contacts[0].normal_force: missing field\n")
    );
}

#[test]
fn methods_that_do_not_fit_are_answered_with_those_that_do() {
    for (more, message) in [
        (
            &["--method", "lemke_reduced"][..],
            "method: lemke_reduced does not answer the law coulomb-acceleration; methods that do: newton_cone, dantzig, nonconvex_max",
        ),
        (
            &["--method", "newton_cone", "--as-published"],
            "method: newton_cone does not answer the law coulomb-acceleration-as-published; methods that do: dantzig, nonconvex_max",
        ),
        (
            &["--law", "coulomb"],
            "law: must be one of frictionless, coulomb-acceleration, coulomb-acceleration-as-published, viscous-explicit, coulomb-viscous-acceleration for contact-acceleration files, found coulomb",
        ),
        (
            &["--law", "no-slip"],
            "law: must be one of frictionless, coulomb-acceleration, coulomb-acceleration-as-published, viscous-explicit, coulomb-viscous-acceleration for contact-acceleration files, found no-slip",
        ),
        (
            &["--law", "viscous", "--as-published"],
            "as-published: must be given with the law coulomb-acceleration, found viscous-explicit",
        ),
        (
            &["--restitution", "newton"],
            "restitution: must be given for contact files only, found a contact-acceleration file",
        ),
        (
            &["--impulse"],
            "impulse: must be given a time step, as --impulse DT or as dt in the file, found none",
        ),
        (
            &["--impulse", "-1"],
            "impulse: must be a finite and positive time step, found -1",
        ),
    ] {
        let ran = run("sliding-block", more);
        assert_eq!((ran.code, ran.stderr), (2, format!("{message}\n")), "{more:?}");
    }
    for method in ["newton_cone", "dantzig"] {
        let answer = solve_with("sliding-block", &["--method", method]);
        assert_eq!(answer["method"], method);
        close(&acceleration(&answer), &[-5.0, 0.0, 0.0, 0.0, 0.0, 0.0], 1e-12);
        assert!(answer["stats"]["handovers"].is_u64(), "{answer}");
    }
}

/// Two bodies, two contacts and a joint, all in order.
fn sound() -> Value {
    json!({
        "kind": "contact-acceleration", "name": "sound", "dt": 0.01,
        "bodies": [
            {"mass": 1, "inertia": [1, 1, 1], "position": [0, 0, 1], "velocity": [1, 0, 0, 0, 0, 0],
             "wrench": [0, 0, -10, 0, 0, 0]},
            {"mass": 2, "inertia": [1, 1, 1], "position": [0, 0, 3], "velocity": [1, 0, 0, 0, 0, 0],
             "wrench": [0, 0, -20, 0, 0, 0]}
        ],
        "contacts": [
            {"a": 0, "b": null, "point": [0, 0, 0], "normal": [0, 0, 1], "mu": 0.5, "gap": 0, "restitution": 0,
             "normal_bias": 0, "tangent_bias": [0, 0, 0], "viscosity": 0},
            {"a": 1, "b": 0, "point": [0, 0, 2], "normal": [0, 0, 1]}
        ],
        "joints": [{"a": 0, "b": 1, "rows": [[1, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0]], "bias": [0]}]
    })
}

/// The sound file with one value replaced by the given text, or with a key added.
fn with(pointer: &str, text: &str) -> String {
    let mut file = sound();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = file.pointer_mut(parent).unwrap();
    match key.parse::<usize>() {
        Ok(index) => parent[index] = json!("@@"),
        Err(_) => parent[key] = json!("@@"),
    }
    file.to_string().replace("\"@@\"", text)
}

/// What is replaced, by what, and the message after the file's name.
const ROWS: &[(&str, &str, &str)] = &[
    (
        "/contacts/0/normal_bias",
        "\"big\"",
        "contacts[0].normal_bias: must be a number, found \"big\"",
    ),
    (
        "/contacts/0/normal_bias",
        "null",
        "contacts[0].normal_bias: must be a number, found null",
    ),
    (
        "/contacts/0/normal_bias",
        "1e400",
        "contacts[0].normal_bias: must be finite, found 1e400",
    ),
    (
        "/contacts/1/normal_bias",
        "[1]",
        "contacts[1].normal_bias: must be a number, found [1]",
    ),
    (
        "/contacts/0/tangent_bias",
        "[0, 0]",
        "contacts[0].tangent_bias: must have 3 entries, found 2",
    ),
    (
        "/contacts/0/tangent_bias",
        "1",
        "contacts[0].tangent_bias: must be a list, found 1",
    ),
    (
        "/contacts/0/tangent_bias",
        "[0, \"NaN\", 0]",
        "contacts[0].tangent_bias[1]: must be a number, found \"NaN\"",
    ),
    (
        "/contacts/0/tangent_bias",
        "[0, 1e999, 0]",
        "contacts[0].tangent_bias[1]: must be finite, found 1e999",
    ),
    (
        "/contacts/0/viscosity",
        "-1",
        "contacts[0].viscosity: must be finite and not negative, found -1",
    ),
    (
        "/contacts/0/viscosity",
        "\"NaN\"",
        "contacts[0].viscosity: must be a number, found \"NaN\"",
    ),
    (
        "/contacts/0/viscosity",
        "[1]",
        "contacts[0].viscosity: must be a number, found [1]",
    ),
    (
        "/contacts/0/gap",
        "0.01",
        "contacts[0].gap: must be 0 or absent where forces are sought, found 0.01",
    ),
    (
        "/contacts/1/restitution",
        "0.5",
        "contacts[1].restitution: must be 0 or absent where forces are sought, found 0.5",
    ),
    (
        "/contacts/1/slip",
        "0",
        "contacts[1].slip: unknown field, expected one of a, b, point, normal, mu, gap, restitution, viscosity, normal_bias, tangent_bias",
    ),
    (
        "/contacts/0/mu",
        "-1",
        "contacts[0].mu: must not be negative or NaN, found -1",
    ),
    ("/contacts/1/b", "7", "contacts[1].b: must be below 2, found 7"),
    (
        "/bodies/0/velocity/2",
        "-0.5",
        "contacts[0]: must not approach: an impact needs impulses, which a velocity-level problem finds; normal velocity, found -0.5",
    ),
    (
        "/bodies/1/velocity/2",
        "0.5",
        "contacts[1]: must not leave: it carries no force and must be left out; normal velocity, found 0.5",
    ),
    (
        "/bodies/0/mass",
        "1e-308",
        "bodies[0]: must have a finite acceleration, found -inf",
    ),
    ("/dt", "\"soon\"", "dt: must be a number, found \"soon\""),
    ("/dt", "-1", "dt: must be finite and positive, found -1"),
    ("/dt", "0", "dt: must be finite and positive, found 0"),
    (
        "/contacts/0/mu",
        "\"inf\"",
        "contacts[0].mu: must be finite where the contact slips: infinite friction does not let it, found inf",
    ),
    (
        "/bodies/0/velocity/3",
        "1e200",
        "bodies[0].velocity: must give a finite acceleration at contacts[1]: largest entry, found 1e200",
    ),
    (
        "/joints/0/bias",
        "[0, 0]",
        "joints[0].bias: must have 1 entries, found 2",
    ),
    (
        "/gravity",
        "1",
        "gravity: unknown field, expected one of kind, name, dt, bodies, contacts, joints",
    ),
];

#[test]
fn files_that_are_not_problems_are_named() {
    let folder = folder("acceleration_bad");
    let solved = |text: &str| {
        std::fs::write(folder.join("a.json"), text).unwrap();
        stiction_in(&folder, &["solve", "a.json"])
    };
    let ran = solved(&sound().to_string());
    assert_eq!(ran.code, 0, "{ran:?}");
    for (pointer, text, message) in ROWS {
        let ran = solved(&with(pointer, text));
        assert_eq!(
            (ran.code, ran.stderr),
            (2, format!("a.json: {message}\n")),
            "{pointer} {text}"
        );
    }
}

/// A block with the given velocity along the floor, and joint rows.
fn jointed(speed: f64, rows: &[[f64; 12]], bias: &[f64]) -> Value {
    let joints: Vec<Value> = (rows.iter().zip(bias))
        .map(|(row, bias)| json!({"a": 0, "b": null, "rows": [row], "bias": [bias]}))
        .collect();
    json!({
        "kind": "contact-acceleration", "name": "jointed",
        "bodies": [{"mass": 2, "inertia": [0.02, 0.02, 0.02], "position": [0, 0, 0.1],
                    "velocity": [speed, 0, 0, 0, 0, 0], "wrench": [0, 0, -20, 0, 0, 0]}],
        "contacts": [{"a": 0, "b": null, "point": [0, 0, 0], "normal": [0, 0, 1], "mu": 0.1}],
        "joints": joints
    })
}

#[test]
fn a_squeeze_of_forces_is_told_in_forces() {
    // The joint asks for an acceleration of 1 m/s² into the floor.
    let mut row = [0.0; 12];
    row[2] = 1.0;
    let folder = folder("acceleration_squeeze");
    std::fs::write(folder.join("a.json"), jointed(3.0, &[row], &[1.0]).to_string()).unwrap();
    let ran = stiction_in(&folder, &["solve", "a.json", "--law", "frictionless"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    for words in [
        "these forces cancel in every body, so no acceleration can open all of these contacts as far as they ask",
        "total bias: -1 m/s2; unbalanced force: 0 relative",
        "next       change the problem: raise the biases of these contacts, or look at those of joint rows",
    ] {
        assert!(ran.stdout.contains(words), "{words}\n{}", ran.stdout);
    }
    assert!(
        !ran.stdout.contains("impulse") && !ran.stdout.contains("restitution"),
        "{}",
        ran.stdout
    );
}

#[test]
fn only_problems_with_joints_are_told_to_look_at_them() {
    let mut row = [0.0; 12];
    row[0] = 1.0;
    let folder = folder("acceleration_advice");
    let file = jointed(0.0, &[row, row], &[1.0, 2.0]);
    std::fs::write(folder.join("a.json"), file.to_string()).unwrap();
    let ran = stiction_in(&folder, &["solve", "a.json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    for words in [
        "squeeze    joint row 0 with 1; joint row 1 with -1",
        "these forces cancel in every body, so no acceleration satisfies all of these joint rows",
        "next       change the problem: these joint rows contradict each other",
    ] {
        assert!(ran.stdout.contains(words), "{words}\n{}", ran.stdout);
    }
    // Rounding is excused at any tolerance, and said.
    let rounding = run("incline-slips", &["--tolerance", "1e-300"]);
    assert!(
        rounding.code == 0 && rounding.stdout.contains("accuracy   rounding"),
        "{rounding:?}"
    );
}
