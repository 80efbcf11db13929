//! Balls with e = 1 that touch at rest gained energy in the first step, 3.7e-5 of it at 1 ms: a contact that does not approach bounced, so as to pass
//! on the impact of others, and gave back the impulse of the weight. It now bounces only where something strikes.
#![allow(clippy::unwrap_used)]

use stiction_scene::{Scene, WorldExt};
use stiction_sim::World;

fn world(dt: f64, gravity: f64, bodies: &str) -> World {
    let text = format!("format = 1\n[world]\ndt = {dt}\ngravity = [0, 0, {gravity}]\n{bodies}");
    World::from_scene(&Scene::parse(&text, ".").unwrap()).unwrap()
}

const MATERIAL: &str = "material = { friction = 0, restitution = 1 }\n";

fn floor() -> String {
    format!("[[body]]\nname = \"floor\"\nkind = \"fixed\"\nshape = {{ half_space = [0, 0, 1] }}\n{MATERIAL}")
}

fn ball(x: f64, z: f64, velocity: [f64; 2]) -> String {
    let [vx, vz] = velocity;
    format!(
        "[[body]]\nname = \"ball {x} {z}\"\nshape = {{ ball = 0.1 }}\nmass = 1\nposition = [{x:e}, 0, {z:e}]\nvelocity = [{vx:e}, 0, {vz:e}]\n{MATERIAL}"
    )
}

fn energy(world: &World) -> f64 {
    world.ledger().kinetic + world.ledger().potential
}

#[test]
fn balls_that_touch_at_rest_stay_at_rest() {
    let at_rest = [0.0; 2];
    let stack: String = (0..5).map(|k| ball(0.0, 0.1 + 0.2 * f64::from(k), at_rest)).collect();
    let row: String = (0..5).map(|k| ball(0.2 * f64::from(k), 0.1, at_rest)).collect();
    for balls in [stack, row] {
        for dt in [1e-3, 1e-2] {
            let mut world = world(dt, -9.81, &(floor() + &balls));
            let start = energy(&world);
            for step in 0..200 {
                world.step().unwrap();
                let gained = energy(&world) - start;
                assert!(gained.abs() < 1e-12 * start, "{dt} {step}: {gained:e}");
            }
            let fastest = world
                .state()
                .bodies
                .iter()
                .map(|b| b.velocity.norm())
                .fold(0.0, f64::max);
            assert!(fastest < 1e-12, "{dt}: {fastest:e}");
        }
    }
}

/// Three balls in a pyramid between walls, held by the walls alone.
#[test]
fn a_pyramid_between_walls_stays_at_rest() {
    let wall = |name: &str, x: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nkind = \"fixed\"\nshape = {{ box = [1, 1, 1] }}\nposition = [{x}, 0, 0]\n{MATERIAL}"
        )
    };
    let balls = ball(-0.1, 0.1, [0.0; 2]) + &ball(0.1, 0.1, [0.0; 2]) + &ball(0.0, 0.1 + 0.03_f64.sqrt(), [0.0; 2]);
    for dt in [1e-3, 1e-2] {
        let mut world = world(
            dt,
            -9.81,
            &(floor() + &wall("left", -0.7) + &wall("right", 0.7) + &balls),
        );
        let start = energy(&world);
        for step in 0..200 {
            world.step().unwrap();
            let gained = energy(&world) - start;
            assert!(gained < 1e-12 * start, "{dt} {step}: {gained:e}");
        }
    }
}

/// Balls that touch fall together on a floor: what the floor gives back, they pass on, and no energy is gained.
#[test]
fn a_stack_that_lands_gains_nothing() {
    for dt in [1e-3, 1e-2] {
        for height in [1e-3, 0.05, 1.0] {
            let balls = ball(0.0, 0.1 + height, [0.0; 2]) + &ball(0.0, 0.3 + height, [0.0; 2]);
            let mut world = world(dt, -9.81, &(floor() + &balls));
            world.step().unwrap();
            let start = energy(&world);
            for step in 0..500 {
                world.step().unwrap();
                let gained = energy(&world) - start;
                assert!(gained < 1e-9 * start, "{dt} {height} {step}: {gained:e}");
            }
        }
    }
}

/// A row of balls that touch still passes an impact on: the last one leaves, with all of the energy kept.
#[test]
fn a_row_passes_an_impact_on() {
    let mut balls = ball(-0.3, 0.1, [2.0, 0.0]);
    balls.extend((0..4).map(|k| ball(0.2 * f64::from(k), 0.1, [0.0; 2])));
    let mut world = world(1e-3, 0.0, &balls);
    let momentum = |world: &World| world.state().bodies.iter().map(|b| b.velocity.x).sum::<f64>();
    let start = energy(&world);
    for _ in 0..200 {
        world.step().unwrap();
    }
    assert!((momentum(&world) - 2.0).abs() < 1e-12);
    assert!((energy(&world) - start).abs() < 1e-9 * start, "{}", energy(&world));
    let speeds: Vec<f64> = world.state().bodies.iter().map(|b| b.velocity.x).collect();
    assert!(speeds[4] > 0.5, "{speeds:?}");
}
