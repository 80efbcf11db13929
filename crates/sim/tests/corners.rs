//! Corners as nonconvex groups: what misses an edge is not touched, what does not is stopped, and nothing tunnels.
#![allow(clippy::unwrap_used)]

mod plane;
#[path = "../../collide/tests/random/mod.rs"]
mod random;

use plane::{at, fixed, moving, polygon};
use random::Rng;
use stiction_scene::{Scene, WorldExt};
use stiction_sim::planar::{PlanarPose, PlanarShape, Vec2};
use stiction_sim::{CornerRule, Settings, Vec3, World};

fn world(text: &str) -> World {
    World::from_scene(&Scene::parse(text, ".").unwrap()).unwrap()
}

/// A body that flies past an edge of a fixed cube, whose upper face is z = 0 and whose edge lies along y at x = 0.
fn past_an_edge(shape: &str, height: f64, speed: f64, dt: f64) -> World {
    world(&format!(
        "format = 1\n[world]\nfriction = 0.5\ngravity = [0, 0, 0]\ndt = {dt}\n\
         [[body]]\nname = \"cube\"\nkind = \"fixed\"\nshape = {{ box = [1, 1, 1] }}\nposition = [0.5, 0, -0.5]\n\
         [[body]]\nname = \"body\"\nshape = {{ {shape} }}\nposition = [-0.4537, 0.0123, {height}]\nvelocity = [{speed}, 0, 0]\n"
    ))
}

#[test]
fn what_misses_an_edge_by_a_hair_is_not_touched() {
    for (shape, half) in [("box = [0.2, 0.2, 0.2]", 0.1), ("ball = 0.1", 0.1)] {
        for speed in [1.0, 10.0, 50.0] {
            for dt in [1e-3, 5e-3] {
                let mut world = past_an_edge(shape, half + 1e-6, speed, dt);
                for k in 1..=20 {
                    let report = world.step().unwrap();
                    let body = world.state().bodies[1];
                    let x = -0.4537 + f64::from(k) * dt * speed;
                    assert!(
                        (body.pose.position.x - x).abs() < 1e-12,
                        "{shape}, {speed}, {dt}: {body:?}"
                    );
                    assert!(
                        body.velocity == Vec3::x() * speed && body.spin == Vec3::zeros(),
                        "{body:?}"
                    );
                    assert_eq!(report.corner_fallbacks, 0);
                }
            }
        }
    }
}

#[test]
fn what_hits_an_edge_is_stopped_there() {
    for (shape, half) in [("box = [0.2, 0.2, 0.2]", 0.1), ("ball = 0.1", 0.1)] {
        for speed in [1.0, 10.0, 50.0] {
            // As deep below the edge as a tenth of the body.
            let mut world = past_an_edge(shape, 0.9 * half, speed, 1e-3);
            for _ in 0..500 {
                world.step().unwrap();
                let x = world.state().bodies[1].pose.position.x;
                if x > 0.0 {
                    break;
                }
            }
            let body = world.state().bodies[1];
            let above = body.pose.position.z > 0.99 * half;
            assert!(
                body.velocity.x < 0.9 * speed && (body.pose.position.x < 0.0 || above),
                "{shape}, {speed}: {body:?}"
            );
        }
    }
}

/// One step would bring the bullet through the plate and far beyond it.
#[test]
fn a_bullet_does_not_tunnel_through_a_thin_plate() {
    for rule in CornerRule::ALL {
        let text = format!(
            "format = 1\n[world]\nfriction = 0.5\ngravity = [0, 0, 0]\ndt = 0.01\ncorners = \"{}\"\n\
             [[body]]\nname = \"plate\"\nkind = \"fixed\"\nshape = {{ box = [2, 2, 0.01] }}\n\
             [[body]]\nname = \"bullet\"\nshape = {{ box = [0.02, 0.02, 0.02] }}\nposition = [0.1, 0.2, 0.3]\nvelocity = [10, 0, -100]\n",
            rule.name()
        );
        let mut world = world(&text);
        for _ in 0..5 {
            world.step().unwrap();
            let z = world.state().bodies[1].pose.position.z;
            assert!(z > 0.0149, "{}: {z}", rule.name());
        }
    }
}

/// Triangles and squares thrown at the corner of a square, with and without friction: every step has a verified answer, some of them need a group, and nothing
/// sinks in by more than rotation within a step explains.
#[test]
fn random_meetings_at_a_corner_are_verified() {
    let mut rng = Rng(7);
    let (mut corners, mut groups, mut fallbacks) = (0, 0, 0);
    let mut depths = Vec::new();
    for round in 0..4000 {
        let mut world = World::new(Settings {
            dt: 5e-3,
            gravity: Vec3::new(0.0, -9.81, 0.0),
            ..Settings::planar()
        })
        .unwrap();
        let mu = [0.0, 0.3, 1.0][round % 3];
        let square = PlanarShape::rectangle(Vec2::new(0.5, 0.5));
        fixed(&mut world, square, mu, &at(-0.5, -0.5));
        let shape = if round % 2 == 0 {
            polygon(&[[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]])
        } else {
            polygon(&[[-0.1, -0.06], [0.1, -0.06], [0.0, 0.12]])
        };
        let direction = Vec2::new(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
        let place = Vec2::new(rng.range(-0.1, 0.2), rng.range(-0.1, 0.2)) + Vec2::new(0.12, 0.12);
        let pose = PlanarPose {
            position: place,
            ..plane::along(place.x, place.y, direction)
        };
        let body = moving(&mut world, shape, (1.0, 0.1), mu, &pose);
        let velocity = Vec3::new(rng.range(-15.0, 5.0), rng.range(-15.0, 5.0), 0.0);
        world
            .set_velocity(body, velocity, Vec3::new(0.0, 0.0, rng.range(-3.0, 3.0)))
            .unwrap();
        let (mut turned, mut travelled) = (0.0_f64, 0.0_f64);
        for step in 0..6 {
            let report = world
                .step()
                .unwrap_or_else(|e| panic!("round {round}, step {step}: {e}"));
            corners += report.corners;
            groups += report.groups;
            fallbacks += report.corner_fallbacks;
            if step == 0 && report.depth > 1e-9 {
                // Placed within the square.
                break;
            }
            // A step turns by ωh about a point at most 0.3 m away, moves along planes that turn by as much, and faces within 6° of each other
            // are taken as parallel where one is cut to the length of the other.
            let bound = 1e-9 + 0.3 * turned * turned + (turned + 0.105) * travelled;
            assert!(report.depth < bound, "round {round}, step {step}: {}", report.depth);
            depths.push(report.depth);
            let state = world.state().bodies[body];
            turned = turned.max(5e-3 * state.spin.norm());
            travelled = travelled.max(5e-3 * state.velocity.norm());
        }
    }
    let mean = depths.iter().sum::<f64>() / depths.len() as f64;
    assert!(mean < 2e-5, "{mean}");
    assert!(corners > 1000 && groups > 0, "{corners} corners, {groups} groups");
    assert!(fallbacks * 20 < corners, "{fallbacks} of {corners}");
}
