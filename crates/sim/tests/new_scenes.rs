//! Scenes of no paper: `scenes/new/`. Every step of them is verified.
#![allow(clippy::unwrap_used)]

mod watched;

use stiction_scene::{Scene, WorldExt};
use stiction_sim::{Vec3, World};
use watched::Watched;

/// Residual of every step, relative to its fastest contact.
const VERIFIED: f64 = 1e-9;

fn run(watched: &mut Watched, steps: usize) {
    for _ in 0..steps {
        let report = watched.step();
        assert!(report.residual <= VERIFIED, "{report:?}");
    }
}

#[test]
fn a_box_holds_at_99_hundredths_of_its_friction_angle() {
    let mut watched = Watched::scene("new/ramp_below_friction_angle.toml");
    run(&mut watched, 10_000);
    watched.stands(1e-12);
}

#[test]
fn a_box_slides_at_101_hundredths_of_its_friction_angle() {
    let mut watched = Watched::scene("new/ramp_above_friction_angle.toml");
    run(&mut watched, 2000);
    let angle = 1.01 * libm::atan(0.5);
    let a = 9.81 * (libm::sin(angle) - 0.5 * libm::cos(angle));
    // After two seconds x = at²/2, downhill.
    let way = 2.0 * a * Vec3::new(libm::cos(angle), 0.0, -libm::sin(angle));
    let moved = watched.moved("box[0]");
    assert!((moved - way).norm() < 1e-9, "{moved:?}, expected {way:?}");
    watched.does_not_overlap();
}

#[test]
fn a_house_of_cards_stands_and_slides_apart() {
    let mut watched = Watched::scene("new/card_house.toml");
    run(&mut watched, 3000);
    watched.stands(1e-9);
    let mut scene = Scene::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/new/card_house.toml")).unwrap();
    for body in &mut scene.bodies {
        body.body.material.friction = 0.15;
    }
    let mut watched = Watched::new(World::from_scene(&scene).unwrap());
    run(&mut watched, 300);
    let fallen = watched.moved("across").z;
    assert!(fallen < -0.01, "{fallen}");
}

#[test]
fn a_tower_tips_over_on_a_tilting_table() {
    let mut watched = Watched::scene("new/tower_on_tilting_table.toml");
    let seen_from_table = |watched: &Watched, name: &str| {
        let table = &watched.world.state().bodies[watched.place("table")].pose;
        table.point_in_body(watched.position(name))
    };
    let start = seen_from_table(&watched, "cube[4]");
    run(&mut watched, 8000);
    let moved = (seen_from_table(&watched, "cube[4]") - start).norm();
    assert!(moved < 1e-6, "{moved:e}");
    run(&mut watched, 4000);
    // Beside the tower, lower than the second cube was.
    let at = watched.position("cube[4]");
    assert!(at.z < 0.3, "{at:?}");
}
