//! The scenes of [Drumwright] figures 1 and 2: `scenes/drumwright/`. Every step of them is verified.
#![allow(clippy::unwrap_used)]

mod watched;

use stiction_sim::Vec3;
use watched::Watched;

/// Residual of every step, relative to its fastest contact.
const VERIFIED: f64 = 1e-9;

/// Largest speed along the face of any contact in the last step [m/s].
fn slip(watched: &Watched) -> f64 {
    let velocities = &watched.world.solution().contact_velocity;
    velocities.iter().map(|[_, x, y]| x.hypot(*y)).fold(0.0, f64::max)
}

/// 1,000 steps of a grasp: contacts do not slip after the first step, and nothing is dropped beyond what the first may let through [m].
fn holds(name: &str, first: f64) {
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
        assert!(moved < first, "{name}: {body} moved by {moved:e}");
    }
}

#[test]
fn the_grasp_holds_without_slip() {
    holds("drumwright/grasp.toml", 1e-9);
}

#[test]
fn the_grasp_holds_under_coulombs_law() {
    holds("drumwright/grasp_coulomb.toml", 1e-9);
}

#[test]
fn the_grasp_holds_on_the_papers_pyramid() {
    holds("drumwright/grasp_pyramid.toml", 1e-9);
}

/// Lemke's method finds another answer first, in which the boxes sink by 0.37 mm: the report says so.
#[test]
fn rest_is_preferred_and_reported() {
    let mut watched = Watched::scene("drumwright/grasp_pyramid.toml");
    let report = watched.step();
    assert_eq!(report.rest_preferred, 1, "{report:?}");
    for body in ["box 1", "box 2"] {
        let moved = watched.moved(body).norm();
        assert!(moved < 1e-15, "{body}: {moved:e}");
    }
    // From then on rest is where the step starts from.
    let later: Vec<_> = (0..20).map(|_| watched.step()).collect();
    assert!(
        later
            .iter()
            .all(|report| report.rest_preferred == 0 && report.warm == 1),
        "{later:?}"
    );
}

/// Ten seconds of a quadruped: it walks, and on its feet: the body stays level and above the ground.
fn walks(name: &str) {
    let mut watched = Watched::scene(name);
    let body = watched.place("body");
    for step in 0..10_000 {
        let report = watched.world.step().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(report.residual <= VERIFIED, "{name}, step {step}: {report:?}");
        let pose = &watched.world.state().bodies[body].pose;
        let up = pose.direction(Vec3::z()).z;
        assert!(up > 0.9 && pose.position.z > 0.25, "{name}, step {step}: {pose:?}");
    }
    let way = watched.moved("body").x;
    assert!(way > 0.5, "{name}: {way} m");
}

#[test]
fn a_quadruped_walks_without_slip() {
    walks("drumwright/quadruped_no_slip.toml");
}

#[test]
fn a_quadruped_walks_under_viscous_friction() {
    walks("drumwright/quadruped_viscous.toml");
}
