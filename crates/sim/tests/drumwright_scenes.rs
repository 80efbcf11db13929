//! The scenes of [Drumwright] figures 1 and 2: `scenes/drumwright/`. Every step of them is verified.
#![allow(clippy::unwrap_used)]

mod watched;

use watched::Watched;

/// Residual of every step, relative to its fastest contact.
const VERIFIED: f64 = 1e-9;

/// Largest speed along the face of any contact in the last step [m/s].
fn slip(watched: &Watched) -> f64 {
    let velocities = &watched.world.solution().contact_velocity;
    velocities.iter().map(|[_, x, y]| x.hypot(*y)).fold(0.0, f64::max)
}

/// 1,000 steps of a grasp: contacts do not slip after the first step, and nothing is dropped.
fn holds(name: &str) {
    let mut watched = Watched::scene(name);
    for step in 0..1000 {
        let report = watched.step();
        assert!(report.residual <= VERIFIED, "{name}, step {step}: {report:?}");
        assert!(report.contacts >= 12, "{name}, step {step}: {report:?}");
        let slip = slip(&watched);
        assert!(step == 0 || slip < 1e-9, "{name}, step {step}: slip {slip:e}");
    }
    for body in ["box 1", "box 2"] {
        let moved = watched.moved(body).norm();
        assert!(moved < 1e-9, "{name}: {body} moved by {moved:e}");
    }
}

#[test]
fn the_grasp_holds_without_slip() {
    holds("drumwright/grasp.toml");
}

#[test]
fn the_grasp_holds_under_coulombs_law() {
    holds("drumwright/grasp_coulomb.toml");
}
