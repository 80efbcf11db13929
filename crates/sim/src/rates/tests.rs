//! Closed forms against differences of rows, gaps and velocities along the motion.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::collider::Collider;
use crate::scene::{Scene, WorldExt};
use crate::{Quat, World};

fn world(text: &str) -> World {
    let text = format!("format = 1\nworld = {{ stepper = \"acceleration\", friction = 0.5 }}\n{text}");
    World::from_scene(&Scene::parse(&text, ".").unwrap()).unwrap()
}

/// All bodies after a time at constant velocity; fixed ones have none.
fn later(bodies: &[BodyState], time: f64) -> Vec<BodyState> {
    bodies.iter().map(|state| carried(state, time)).collect()
}

#[test]
fn rates_of_joint_rows_are_derivatives() {
    for kind in [
        "kind = \"revolute\", position = [0.3, 0.2, 0.8], axis = [0.36, 0.8, -0.48], limits = [-3, 3]",
        "kind = \"prismatic\", position = [0.3, 0.2, 0.8], axis = [0.36, 0.8, -0.48], limits = [-3, 3]",
        "kind = \"spherical\", position = [0.3, 0.2, 0.8]",
        "kind = \"fixed\", position = [0.3, 0.2, 0.8]",
        "kind = \"planar\", position = [0.3, 0.2, 0.8], axis = [0.36, 0.8, -0.48]",
        "kind = \"distance\", position_a = [0.3, 0.2, 0.8], position_b = [0.1, 0.6, 0.5]",
    ] {
        let world = world(&format!(
            r#"
            body = [
                {{ name = "a", shape = {{ box = [0.2, 0.3, 0.4] }}, position = [0, 0, 1], velocity = [1, 2, -3], spin = [3, -4, 2] }},
                {{ name = "b", shape = {{ box = [0.2, 0.3, 0.4] }}, position = [0.2, 0.9, 0.4], velocity = [-2, 1, 1], spin = [-1, 5, 2] }},
            ]
            joint = [{{ a = "a", b = "b", {kind} }}]
            "#
        ));
        let (model, joint) = (&world.model, &world.model.joints[0]);
        let rows = |bodies: &[BodyState]| {
            let mut rows = Vec::new();
            joint.rows(bodies, &mut rows);
            rows.extend(joint.coordinate(bodies));
            rows
        };
        let speeds = |time: f64| {
            let bodies = later(&world.state().bodies, time);
            let at = Configuration::of(model, &bodies);
            rows(&bodies)
                .iter()
                .map(|row| at.speed_along(joint, row))
                .collect::<Vec<_>>()
        };
        let (time, at) = (1e-5, Configuration::of(model, &world.state().bodies));
        let [before, after] = [-time, time].map(speeds);
        for (k, row) in rows(at.bodies).iter().enumerate() {
            let expected = (after[k] - before[k]) / (2.0 * time);
            let found = Rates::default().rate_along(at, joint, (k, row));
            assert!(
                (found - expected).abs() < 1e-7,
                "{kind}, row {k}: {found}, expected {expected}"
            );
        }
    }
}

/// Compares the rate of the deepest contact of a scene with differences of its gap and of the velocity at it.
fn check_contact(name: &str, bodies: &[String; 2], expected: Option<Point>) {
    let world = world(&bodies.concat());
    let model = &world.model;
    let mut bodies = world.state().bodies.clone();
    let mut contacts = Vec::new();
    let mut collider = Collider::default();
    collider.find(model, &bodies, 1e-3, |_, _, _| 1e-3, (None, &mut contacts));
    let contact = contacts.into_iter().min_by(|x, y| x.gap.total_cmp(&y.gap)).unwrap();
    // It neither closes nor opens.
    let approach = Configuration::of(model, &bodies).approach(&contact);
    bodies[contact.a].velocity += approach * contact.normal;
    let at = Configuration::of(model, &bodies);
    let point = match surfaces(model, at.bodies, &contact) {
        Surfaces::PlaneOfA(point) | Surfaces::PlaneOfB(point) => Some(point),
        Surfaces::Moving => None,
    };
    assert_eq!(point, expected, "{name}");
    let mut rates = Rates {
        moved: at.bodies.to_vec(),
        ..Rates::default()
    };
    let found = rates.contact_rate(at, &contact);
    let time = 1e-4;
    let [before, after] = [-time, time].map(|time| {
        let bodies = later(at.bodies, time);
        let there = rates.follower.find(model, &contact, &bodies, 0.1).unwrap();
        (there, Configuration::of(model, &bodies).relative_velocity(&there))
    });
    let expected = (before.0.gap - 2.0 * contact.gap + after.0.gap) / (time * time);
    let normal = found.dot(&contact.normal);
    assert!(
        (normal - expected).abs() < 1e-4 * (1.0 + expected.abs()),
        "{name}: {normal}, second derivative of the gap {expected}"
    );
    let expected = (after.1 - before.1) / (2.0 * time);
    for t in at.coordinates().tangents(contact.normal) {
        let error = (found - expected).dot(&t).abs();
        assert!(
            error < 1e-4 * (1.0 + expected.norm()),
            "{name}: {found}, expected {expected}"
        );
    }
}

const MOVING: &str = "velocity = [1, 2, -0.5]\nspin = [3, -4, 2]";
const OTHER: &str = "velocity = [0.2, -1, 0.3]\nspin = [1, 2, -1]";

fn body(name: &str, shape: &str, rest: &str) -> String {
    format!("[[body]]\nname = \"{name}\"\nshape = {{ {shape} }}\n{rest}\n")
}

#[test]
fn rates_of_contacts_on_planes_are_derivatives() {
    let axis = nalgebra::Unit::new_normalize(Vec3::new(0.8, 0.36, 0.48));
    let turned = Quat::from_axis_angle(&axis, 30_f64.to_radians());
    let up = turned.inverse() * Vec3::z();
    let corner = up.abs().dot(&Vec3::new(0.1, 0.15, 0.2));
    let rim = 0.3 * up.z + 0.1 * up.xy().norm();
    let tilted = "orientation = { axis = [0.8, 0.36, 0.48], degrees = 30 }";
    for spin in ["[0, 0, 0]", "[0.5, -0.3, 2]"] {
        let motion =
            format!("kind = \"kinematic\"\nposition = [0, 0, -0.5]\nvelocity = [0.1, -0.2, 0.3]\nspin = {spin}");
        let table = body("table", "box = [4, 4, 1]", &motion);
        for (shape, height, point) in [
            ("box = [0.2, 0.3, 0.4]", corner, Point::Fixed),
            ("ball = 0.2", 0.2, Point::Round(0.2)),
            ("cylinder = { radius = 0.1, height = 0.6 }", rim, Point::Rim(-0.3, 0.1)),
        ] {
            let place = format!("{MOVING}\n{tilted}\nposition = [0.4, 0.3, {height:?}]");
            let name = format!("{shape} on a table that turns with {spin}");
            check_contact(&name, &[table.clone(), body("a", shape, &place)], Some(point));
        }
    }
}

#[test]
fn rates_of_round_contacts_are_derivatives() {
    for (name, lower, upper, position) in [
        ("ball on ball", "ball = 0.5", "ball = 0.2", "[0.42, 0, 0.56]"),
        (
            "ball over an edge",
            "box = [1, 1, 1]",
            "ball = 0.2",
            "[0.62, 0.1, 0.66]",
        ),
        (
            "ball on a capsule",
            "capsule = { radius = 0.3, length = 1 }",
            "ball = 0.2",
            "[0.3, 0.4, 0.1]",
        ),
    ] {
        let place = format!("{MOVING}\nposition = {position}");
        check_contact(name, &[body("b", lower, OTHER), body("a", upper, &place)], None);
    }
}
