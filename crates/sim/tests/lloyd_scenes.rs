//! The cases of [Lloyd TR] section 6 as scenes: `scenes/lloyd/`. Every step of them is verified, with the contacts that the header says.
#![allow(clippy::unwrap_used)]

mod watched;

use watched::Watched;

/// Residual of every step, relative to its fastest contact.
const VERIFIED: f64 = 1e-9;

/// A scene run to its end; every step has this many contacts.
fn run(name: &str, steps: usize, contacts: usize) -> Watched {
    let mut watched = Watched::scene(&format!("lloyd/{name}.toml"));
    for step in 0..steps {
        let report = watched.step();
        assert!(report.residual <= VERIFIED, "{name}, step {step}: {report:?}");
        assert_eq!(report.contacts, contacts, "{name}, step {step}");
    }
    watched
}

#[test]
fn pegs_stay_in_their_holes() {
    for contacts in [8, 12, 16, 24, 32] {
        let name = format!("peg_in_hole_{contacts}");
        let watched = run(&name, 1000, contacts);
        let moved = watched.moved("peg");
        // Play of 10 um, measured at corners that lie farther out than the flat sides.
        let across = moved.x.hypot(moved.y);
        assert!(across < 2e-5, "{name}: moved across by {across:e}");
        assert!(moved.z.abs() < 0.4, "{name}: moved along by {}", moved.z);
    }
}

#[test]
fn single_bodies_stay_in_their_places() {
    for (name, contacts, reach) in [
        ("single_03_tripod", 3, 1e-9),
        ("single_04_face_on_floor", 4, 1e-9),
        ("single_05_face_on_hexagon", 6, 1e-9),
        ("single_06_v_groove", 8, 1e-9),
        ("single_07_face_on_turned_face", 8, 1e-9),
        ("single_08_ball_on_rim", 10, 1e-9),
        ("single_09_corner", 12, 1e-9),
        ("single_10_groove", 16, 1.5e-5),
    ] {
        let moved = run(name, 500, contacts).moved("body").norm();
        assert!(moved < reach, "{name}: moved by {moved:e}");
    }
}

#[test]
fn round_bodies_roll_without_slipping() {
    for (name, contacts, radius) in [
        ("single_01_ball_on_floor", 1, 0.5),
        ("single_02_capsule_on_floor", 2, 0.3),
    ] {
        let watched = run(name, 500, contacts);
        let height = watched.position("body").z;
        assert!((height - radius).abs() < 1e-6, "{name}: height {height}");
        for [_, x, y] in &watched.world.solution().contact_velocity {
            assert!(x.hypot(*y) < 1e-9, "{name}: slips by {:e}", x.hypot(*y));
        }
        assert!(watched.moved("body").norm() > 1e-4, "{name} does not roll");
    }
}

#[test]
fn stacks_of_blocks_stand() {
    for (name, contacts) in [
        ("stack_1_aligned", 4),
        ("stack_1_rotated", 8),
        ("stack_2_aligned", 8),
        ("stack_2_rotated", 12),
        ("stack_3_aligned", 12),
        ("stack_3_rotated", 20),
        ("stack_4_aligned", 16),
        ("stack_4_rotated", 24),
        ("stack_5_aligned", 20),
        ("stack_5_rotated", 32),
    ] {
        run(name, 500, contacts).stands(1e-9);
    }
}

/// Three seconds of the minute that `stiction-lab experiment lloyd-peg` runs.
#[test]
fn a_haptic_peg_follows_the_hand() {
    let mut watched = Watched::scene("lloyd/peg_haptic_32.toml");
    let (mut lag, mut most) = (0.0_f64, 0);
    for step in 0..3000 {
        let report = watched.step();
        assert!(report.residual <= VERIFIED, "step {step}: {report:?}");
        most = most.max(report.contacts);
        let (peg, hand) = (watched.position("peg"), watched.position("hand"));
        assert!(peg.x.hypot(peg.y) < 1e-4, "step {step}: {peg:?}");
        lag = lag.max((peg.z - hand.z).abs());
    }
    assert_eq!(most, 32);
    // Friction on the sides holds it back by no more than the spring gives.
    assert!(lag < 0.02, "{lag}");
}
