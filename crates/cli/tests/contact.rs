//! `stiction solve` on contact files with closed-form answers. g = 10 m/s² and h = 0.01 s unless said otherwise.
// The lint knows tests by their attribute and misses their helpers.
#![allow(clippy::unwrap_used)]

mod running;

use running::{Ran, folder, stiction, stiction_in, workspace};
use serde_json::Value;

fn path(name: &str) -> String {
    let path = workspace().join("problems/contact").join(name).with_extension("json");
    path.display().to_string()
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
    assert!(
        answer["residual"].as_f64().unwrap() <= 1e-10,
        "{name} {more:?}: {answer}"
    );
    answer
}

fn solve(name: &str) -> Value {
    solve_with(name, &[])
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn velocity(answer: &Value, body: usize) -> Vec<f64> {
    numbers(&answer["bodies"][body]["velocity"])
}

/// Sum of the normal impulses of some contacts.
fn normals(answer: &Value, contacts: std::ops::Range<usize>) -> f64 {
    contacts
        .map(|i| answer["contacts"][i]["normal_impulse"].as_f64().unwrap())
        .sum()
}

/// Sum of all friction impulses.
fn friction(answer: &Value) -> Vec<f64> {
    let mut sum = vec![0.0; 3];
    for contact in answer["contacts"].as_array().unwrap() {
        for (sum, x) in sum.iter_mut().zip(numbers(&contact["friction_impulse"])) {
            *sum += x;
        }
    }
    sum
}

fn states(answer: &Value) -> Vec<&str> {
    let contacts = answer["contacts"].as_array().unwrap();
    contacts
        .iter()
        .map(|contact| contact["state"].as_str().unwrap())
        .collect()
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
fn a_block_rests_on_a_floor() {
    // Σ θ = m g h = 2 · 10 · 0.01
    for law in ["frictionless", "polyhedral", "coulomb"] {
        let answer = solve_with("block-on-floor", &["--law", law]);
        assert_eq!(answer["law"], law);
        close(&velocity(&answer, 0), &REST, 1e-12);
        close(&[normals(&answer, 0..4)], &[0.2], 1e-12);
        close(&friction(&answer), &[0.0; 3], 1e-12);
    }
}

#[test]
fn a_ramp_holds_up_to_tan_equal_mu() {
    // tan = 3/4, downhill (−0.8, 0, −0.6). Held: Σ θ = m g h cos, Σ f = m g h sin uphill.
    for name in ["ramp-stick", "ramp-limit", "mu-infinite"] {
        let answer = solve(name);
        close(&velocity(&answer, 0), &REST, 1e-12);
        close(&[normals(&answer, 0..4)], &[0.16], 1e-12);
        close(&friction(&answer), &[0.12 * 0.8, 0.0, 0.12 * 0.6], 1e-12);
    }
    // Slides: v = g h (sin − μ cos) = 0.02 m/s, Σ f = μ m g h cos.
    for law in ["coulomb", "polyhedral"] {
        let answer = solve_with("ramp-slide", &["--law", law]);
        close(&velocity(&answer, 0), &[-0.016, 0.0, -0.012, 0.0, 0.0, 0.0], 1e-12);
        close(&[normals(&answer, 0..4)], &[0.16], 1e-12);
        close(&friction(&answer), &[0.08 * 0.8, 0.0, 0.08 * 0.6], 1e-12);
        assert!(states(&answer).iter().all(|state| *state != "sticking"), "{answer}");
    }
}

#[test]
fn friction_slows_and_stops_but_never_reverses() {
    // v = v0 − μ g h = 2 − 0.05
    close(
        &velocity(&solve("sliding-slows"), 0),
        &[1.95, 0.0, 0.0, 0.0, 0.0, 0.0],
        1e-12,
    );
    // v0 = 0.02 < μ g h: at rest, Σ f = m v0
    let answer = solve("sliding-stop");
    close(&velocity(&answer, 0), &REST, 1e-12);
    close(&friction(&answer), &[-0.04, 0.0, 0.0], 1e-12);
}

#[test]
fn the_round_cone_opposes_any_heading() {
    // v = (v0 − μ g h)(0.6, 0.8), straight ahead
    let answer = solve("sliding-diagonal");
    close(
        &velocity(&answer, 0),
        &[1.95 * 0.6, 1.95 * 0.8, 0.0, 0.0, 0.0, 0.0],
        1e-10,
    );
    // The octagon's nearest vertex is 8.13° off: friction along (1, 1)/√2, μ m g h in size.
    let answer = solve_with("sliding-diagonal", &["--law", "polyhedral"]);
    close(
        &velocity(&answer, 0)[..2],
        &[1.2 - 0.05 / 2f64.sqrt(), 1.6 - 0.05 / 2f64.sqrt()],
        1e-12,
    );
}

#[test]
fn smooth_contacts_leave_the_slip_alone() {
    let answer = solve("mu-zero");
    close(&velocity(&answer, 0), &[2.0, 0.0, 0.0, 0.0, 0.0, 0.0], 1e-14);
    assert_eq!(friction(&answer), [0.0; 3]);
}

#[test]
fn repeated_contacts_share_the_load() {
    let (once, ten) = (solve("sliding-slows"), solve("duplicate-contacts"));
    close(&velocity(&ten, 0), &velocity(&once, 0), 1e-12);
    close(&[normals(&ten, 0..40)], &[0.2], 1e-12);
    close(&friction(&ten), &friction(&once), 1e-12);
}

#[test]
fn a_pushed_box_loads_its_front_edge_then_tips() {
    // Width w = 1, pushed at p = 1.5 with F = 0.2 m g: N = m g/2 ∓ F p/w
    let answer = solve("pushed-box");
    close(&velocity(&answer, 0), &REST, 1e-12);
    close(&[normals(&answer, 0..2), normals(&answer, 2..4)], &[0.02, 0.08], 1e-12);
    close(&friction(&answer), &[-0.02, 0.0, 0.0], 1e-12);
    // F = 0.4 m g: ω = h (F p − m g w/2)/(m (w² + H²)/3) = 0.6 h about the front edge
    let answer = solve("tipping-box");
    close(&velocity(&answer, 0), &[0.006, 0.0, 0.003, 0.0, 0.006, 0.0], 1e-12);
    // N = m (g + ω'/2) h, f = F h − m ω' h
    close(&[normals(&answer, 0..2), normals(&answer, 2..4)], &[0.0, 0.103], 1e-12);
    close(&friction(&answer), &[-0.034, 0.0, 0.0], 1e-12);
}

#[test]
fn a_sphere_thrown_without_spin_ends_rolling() {
    // One step of 1 s: v = 5/7 v0, ω = v/r, impulse 2/7 m v0, whatever the step.
    let answer = solve("slide-to-roll");
    let v = 15.0 / 7.0;
    close(&velocity(&answer, 0), &[v, 0.0, 0.0, 0.0, v / 0.1, 0.0], 1e-12);
    close(&friction(&answer), &[-6.0 / 7.0, 0.0, 0.0], 1e-12);
    assert_eq!(states(&answer), ["sticking"]);
}

#[test]
fn a_ladder_leans_on_a_smooth_wall() {
    // tan = 4/3: floor N = m g, wall N = m g/(2 tan), floor friction the same
    let answer = solve("ladder");
    close(&velocity(&answer, 0), &REST, 1e-12);
    close(&[normals(&answer, 0..1), normals(&answer, 1..2)], &[0.1, 0.0375], 1e-12);
    close(&friction(&answer), &[0.0375, 0.0, 0.0], 1e-12);
}

#[test]
fn stacks_carry_what_lies_above() {
    let answer = solve("stack-3");
    for body in 0..3 {
        close(&velocity(&answer, body), &REST, 1e-12);
    }
    let loads: Vec<f64> = (0..3).map(|k| normals(&answer, 4 * k..4 * k + 4)).collect();
    close(&loads, &[0.3, 0.2, 0.1], 1e-12);
    // Friction of contacts that push can be traded between them: some impulse is not unique, and the text says so.
    assert!(
        answer["contacts"]
            .as_array()
            .unwrap()
            .iter()
            .any(|contact| contact["unique"] == false)
    );
    assert!(
        run("stack-3", &[])
            .stdout
            .contains("not unique: touching contacts could share")
    );
    // 1 kg below 10⁶ kg: forces (10⁶ + 1) g and 10⁶ g, to 1e-9 relative
    let answer = solve("stack-mass-ratio-1e6");
    close(
        &[normals(&answer, 0..4) / 100_000.1, normals(&answer, 4..8) / 1e5],
        &[1.0, 1.0],
        1e-9,
    );
    close(&velocity(&answer, 1), &REST, 1e-9);
}

#[test]
fn opposite_walls_stop_a_peg() {
    // v = 0; the difference of the two impulses is m v0, their sum is free.
    let answer = solve("opposite-walls");
    close(&velocity(&answer, 0), &REST, 1e-12);
    close(&[normals(&answer, 1..2) - normals(&answer, 0..1)], &[1.0], 1e-12);
}

#[test]
fn walls_that_close_are_infeasible_with_the_squeeze() {
    // Each wall asks for 0.1 m/s away from it: with θ = (1, 1) the impulses cancel and bᵀθ = −0.2.
    let ran = run("closing-walls", &["--json"]);
    let answer = ran.json();
    assert_eq!((ran.code, answer["status"].as_str()), (1, Some("ray")), "{answer}");
    assert_eq!(answer["proven"], true);
    let certificate = &answer["certificate"];
    assert_eq!(certificate["kind"], "farkas");
    let shares = certificate["contacts"].as_array().unwrap();
    assert_eq!(
        (shares.len(), &shares[0]["index"], &shares[1]["index"]),
        (2, &0.into(), &1.into())
    );
    close(
        &[
            shares[0]["impulse"].as_f64().unwrap(),
            shares[1]["impulse"].as_f64().unwrap(),
        ],
        &[1.0, 1.0],
        1e-12,
    );
    close(&[certificate["work"].as_f64().unwrap()], &[-0.2], 1e-12);
    let text = run("closing-walls", &[]);
    assert_eq!(text.code, 1);
    assert!(
        text.stdout
            .contains("contact 0 (peg against world) with 1; contact 1 (peg against world) with 1"),
        "{}",
        text.stdout
    );
    assert!(
        text.stdout.contains("no velocity can open all of these contacts"),
        "{}",
        text.stdout
    );
}

#[test]
fn a_pendulum_swings_on_a_redundant_joint() {
    // ω' = m g L/(I + m L²) = 10/1.1; the vertical rows share m g h − m ω' L h = 1/110
    let answer = solve("pendulum-redundant-joint");
    close(
        &velocity(&answer, 0),
        &[0.0, 0.0, -1.0 / 11.0, 0.0, 1.0 / 11.0, 0.0],
        1e-12,
    );
    let (first, second) = (
        numbers(&answer["joints"][0]["impulse"]),
        numbers(&answer["joints"][1]["impulse"]),
    );
    assert_eq!((first.len(), second.len()), (3, 1));
    close(
        &[first[0], first[1], first[2] + second[0]],
        &[0.0, 0.0, 1.0 / 110.0],
        1e-12,
    );
}

#[test]
fn an_empty_problem_is_solved() {
    let answer = solve("empty");
    for list in ["contacts", "joints", "bodies"] {
        assert_eq!(answer[list].as_array().unwrap().len(), 0);
    }
    assert_eq!(run("empty", &[]).code, 0);
}

#[test]
fn newton_and_poisson_bounce() {
    // e = 1/2, v0 = −1. Newton: v = e |v0|, θ = m (1 + e + g h).
    let answer = solve("bouncing-ball");
    close(&velocity(&answer, 0)[..3], &[0.0, 0.0, 0.5], 1e-12);
    close(&[normals(&answer, 0..1)], &[1.6], 1e-12);
    assert_eq!(
        solve_with("bouncing-ball", &["--restitution", "newton"])["bodies"],
        answer["bodies"]
    );
    // Poisson: compression m (1 + g h) = 1.1, then half of it again.
    let answer = solve_with("bouncing-ball", &["--restitution", "poisson"]);
    close(&[normals(&answer, 0..1)], &[1.65], 1e-12);
    close(&velocity(&answer, 0)[..3], &[0.0, 0.0, 0.55], 1e-12);
    // Three balls touching, e = 1: (−1/3, 2/3, 2/3) v0, energy kept.
    let answer = solve("cradle-3");
    let after: Vec<f64> = (0..3).map(|ball| velocity(&answer, ball)[0]).collect();
    close(&after, &[-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0], 1e-12);
}

#[test]
fn rods_meet_the_floor_with_one_end() {
    // tan = 2. Smooth: θ = m v/(1 + 3 cos²). Sticking: K⁻¹(1, 0) with K = ((1.6, 1.2), (1.2, 3.4)).
    close(&[normals(&solve("rod-impact-smooth"), 0..1)], &[0.625], 1e-12);
    let answer = solve("rod-impact-stick");
    close(
        &[normals(&answer, 0..1), friction(&answer)[0].abs()],
        &[0.85, 0.3],
        1e-12,
    );
    // Painlevé's rod: no force at acceleration level, but an impulse (0.3 + 0.85 g h, 0.4 + 0.3 g h) with g h = 0.01.
    for law in ["coulomb", "polyhedral"] {
        let answer = solve_with("painleve-rod", &["--law", law]);
        close(&[normals(&answer, 0..1), friction(&answer)[0]], &[0.3085, 0.403], 1e-12);
        assert_eq!(states(&answer), ["sticking"]);
    }
    // A horizontal rod on one end: N = m g/4, the other end falls with 3/2 g.
    let answer = solve("rod-end-release");
    close(&[normals(&answer, 0..1)], &[0.025], 1e-12);
    let v = velocity(&answer, 0);
    close(&[v[2] - v[4]], &[-0.15], 1e-12);
}

#[test]
fn a_free_wedge_slides_from_under_its_block() {
    // M' = m g h sin cos/(M + m sin²), the block's horizontal momentum is opposite.
    let answer = solve("free-wedge");
    let v = 0.1 * 0.48 / (2.0 + 0.36);
    close(&velocity(&answer, 0), &[v, 0.0, 0.0, 0.0, 0.0, 0.0], 1e-12);
    close(&velocity(&answer, 1)[..1], &[-2.0 * v], 1e-12);
    // It stays on the face: the normal velocity of block relative to wedge is 0.
    let block = velocity(&answer, 1);
    close(&[-0.6 * (block[0] - v) + 0.8 * block[2]], &[0.0], 1e-12);
}

#[test]
fn a_groove_holds_up_to_mu_over_sin_beta() {
    // sin β = 0.6: μ = 0.46 holds tan 3/4 (limit 0.767), μ = 0.4 does not (0.667): v = g h (sin − μ cos/sin β).
    close(&velocity(&solve("v-groove-stick"), 0), &REST, 1e-12);
    let answer = solve("v-groove-slide");
    close(
        &velocity(&answer, 0),
        &[0.0, -0.1 * (0.6 - 0.4 * 0.8 / 0.6), 0.0, 0.0, 0.0, 0.0],
        1e-12,
    );
    // Each wall carries m g h cos α/(2 sin β).
    close(
        &[normals(&answer, 0..2), normals(&answer, 2..4)],
        &[0.08 / 1.2, 0.08 / 1.2],
        1e-12,
    );
}

#[test]
fn gaps_are_closed_and_not_crossed() {
    // v + gap/h = −0.6 + 1 ≥ 0: nothing touches.
    let answer = solve("gap-open");
    assert_eq!((states(&answer), normals(&answer, 0..1)), (vec!["separating"], 0.0));
    close(&velocity(&answer, 0), &[0.0, 0.0, -0.6, 0.0, 0.0, 0.0], 1e-14);
    // v = −gap/h
    let answer = solve("gap-closing");
    close(&velocity(&answer, 0)[..3], &[0.0, 0.0, -1.0], 1e-12);
    close(
        &[answer["contacts"][0]["normal_velocity"].as_f64().unwrap()],
        &[-1.0],
        1e-12,
    );
}

#[test]
fn a_wall_does_not_hold_what_leaves_it() {
    // Moving off at 0.1 m/s while falling: v = v₀ − g h, whatever the wall's friction.
    for law in ["no-slip", "no_slip", "coulomb"] {
        let answer = solve_with("falling-past-a-wall", &["--law", law]);
        close(&velocity(&answer, 0), &[0.1, 0.0, -1.1, 0.0, 0.0, 0.0], 1e-12);
        assert_eq!(states(&answer), ["separating"]);
    }
    // Where a contact pushes it holds, whatever μ: Σ θ = m g h cos.
    let answer = solve_with("ramp-slide", &["--law", "no-slip"]);
    close(&velocity(&answer, 0), &REST, 1e-12);
    close(&[normals(&answer, 0..4)], &[0.16], 1e-12);
}

#[test]
fn viscous_friction_takes_the_slip_of_the_end_or_of_the_start() {
    // v = v₀/(1 + h c/m) = 3/1.2, or v = v₀ (1 − h c/m).
    for (law, speed) in [("viscous", 2.5), ("viscous-explicit", 2.4), ("coulomb", 3.0)] {
        let answer = solve_with("viscous-slider", &["--law", law]);
        assert_eq!(answer["law"], law);
        close(&velocity(&answer, 0)[..3], &[speed, 0.0, 0.0], 1e-12);
        close(&[normals(&answer, 0..1)], &[2.0], 1e-12);
    }
}

/// Every file, so that none is added without a test here.
fn every_problem() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(workspace().join("problems/contact"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn every_law_solves_every_problem_and_check_agrees() {
    let folder = folder("contact_every");
    for name in every_problem() {
        if name == "closing-walls" {
            continue;
        }
        for law in ["frictionless", "polyhedral", "coulomb"] {
            let ran = run(&name, &["--json", "--law", law]);
            assert_eq!(
                (ran.code, ran.json()["status"].as_str()),
                (0, Some("solved")),
                "{name} {law}: {ran:?}"
            );
            std::fs::write(folder.join("a.json"), &ran.stdout).unwrap();
            let problem = std::path::absolute(path(&name)).unwrap().display().to_string();
            let checked = stiction_in(&folder, &["check", &problem, "a.json", "--json", "--law", law]);
            assert_eq!(checked.code, 0, "{name} {law}: {checked:?}");
            assert_eq!(checked.json()["law"], law);
        }
    }
}

#[test]
fn the_polygon_is_printed_only_for_the_polyhedral_law() {
    let answer = solve_with("sliding-slows", &["--law", "polyhedral", "--directions", "6"]);
    for contact in answer["contacts"].as_array().unwrap() {
        let (directions, phi) = (contact["directions"].as_array().unwrap(), numbers(&contact["phi"]));
        assert_eq!((directions.len(), phi.len()), (6, 6));
        let mut sum = [0.0; 3];
        for (direction, phi) in directions.iter().zip(phi) {
            for (sum, d) in sum.iter_mut().zip(numbers(direction)) {
                *sum += phi * d;
            }
        }
        close(&sum, &numbers(&contact["friction_impulse"]), 1e-14);
    }
    let contact = &solve("sliding-slows")["contacts"][0];
    assert!(contact.get("phi").is_none() && contact.get("directions").is_none());
}

#[test]
fn answers_are_the_same_bits_and_repeats_are_timed() {
    let strip = |mut answer: Value| {
        let stats = answer["stats"].as_object_mut().unwrap();
        stats.remove("time_us");
        stats.remove("time_min_us");
        answer.to_string()
    };
    let first = solve_with("stack-3", &["--repeat", "5"]);
    let stats = &first["stats"];
    assert!(stats["time_min_us"].as_f64().unwrap() <= stats["time_us"].as_f64().unwrap());
    for key in ["pivots", "newton_steps", "fallbacks"] {
        assert!(stats[key].is_u64(), "{stats}");
    }
    assert_eq!(stats["methods"].as_array().unwrap().last(), Some(&first["method"]));
    assert_eq!(strip(first), strip(solve("stack-3")));
}

#[test]
fn the_text_explains_itself() {
    let ran = run("sliding-slows", &[]);
    assert_eq!(ran.code, 0);
    for words in [
        "sliding-slows: contact problem, 1 body, 4 contacts, no joints\n",
        "\nsolved: ",
        "\nlaw        coulomb: ",
        "\nresidual   ",
        "block, world",
        "sliding",
        "(1.95, 0, 0)",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
}

#[test]
fn methods_of_both_kinds_are_listed() {
    let all = stiction(&["methods", "--json"]).json();
    let named = |name: &str| {
        all.as_array()
            .unwrap()
            .iter()
            .find(|entry| entry["name"] == name)
            .unwrap()
            .clone()
    };
    assert_eq!(named("lemke")["problems"], "lcp");
    assert_eq!(named("lemke_reduced")["problems"], "contact");
    // Each of the six says its paper, the laws and levels that it accepts, and what it guarantees.
    for method in [
        "lemke_reduced",
        "lemke_structural",
        "lemke_standard",
        "newton_cone",
        "dantzig",
        "ppm_modified",
    ] {
        let entry = all
            .as_array()
            .unwrap()
            .iter()
            .find(|entry| entry["name"] == method && entry["problems"] == "contact")
            .unwrap();
        for key in ["paper", "accepts", "guarantees"] {
            assert!(!entry[key].as_str().unwrap().is_empty(), "{entry}");
        }
        assert!(
            entry["accepts"].as_str().unwrap().contains("law frictionless"),
            "{entry}"
        );
    }
    assert_eq!(
        named("newton_cone")["accepts"],
        "law frictionless, coulomb, no-slip, viscous, viscous-explicit, coulomb-viscous; at acceleration level law frictionless, coulomb-acceleration, viscous-explicit, coulomb-viscous-acceleration"
    );
    let text = stiction(&["methods"]).stdout;
    assert!(text.contains("contact files\n"), "{text}");
}

#[test]
fn a_contact_without_b_is_with_the_world() {
    let folder = folder("without_b");
    let file = std::fs::read_to_string(path("block-on-floor")).unwrap();
    let without = file.replace(r#", "b": null"#, "");
    assert_eq!(file.matches(r#""b": null"#).count(), 4);
    assert!(!without.contains(r#""b""#));
    std::fs::write(folder.join("named.json"), file).unwrap();
    std::fs::write(folder.join("absent.json"), without).unwrap();
    let contacts = |name: &str| {
        let ran = stiction_in(&folder, &["solve", name, "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.json()["contacts"].clone()
    };
    let absent = contacts("absent.json");
    assert_eq!(absent.as_array().unwrap().len(), 4);
    assert_eq!(absent, contacts("named.json"));
    // The block's weight over one step: 2 kg · 10 m/s² · 0.01 s.
    let ran = stiction_in(&folder, &["solve", "absent.json", "--json"]);
    assert!((normals(&ran.json(), 0..4) - 0.2).abs() < 1e-12);
}
