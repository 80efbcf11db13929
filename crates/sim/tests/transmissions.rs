//! Gears and ropes against closed forms: Atwood's machine, block and tackle, gear trains, rack and pinion; ropes pull and never push.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use stiction_scene::{Scene, WorldExt};
use stiction_sim::World;
use stiction_sim::joint::{Joint, JointKind};
use stiction_sim::transmission::RopePoint;

const G: f64 = 9.81;

fn world(text: &str) -> World {
    World::from_scene(&Scene::parse(text, ".").unwrap()).unwrap()
}

fn run(world: &mut World, seconds: f64) {
    let end = world.state().time + seconds;
    while world.state().time < end - 1e-9 {
        world.step().unwrap();
    }
}

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!(
        (found - expected).abs() <= tolerance * expected.abs().max(1.0),
        "{what}: expected {expected}, found {found}, off by {:e}",
        found - expected
    );
}

fn energy(world: &World) -> f64 {
    world.ledger().kinetic + world.ledger().potential
}

/// Kinetic and potential energy at the start, and every entry of the ledger after: nothing is lost.
fn balance(world: &World, start: f64) -> f64 {
    let l = world.ledger();
    energy(world) - start - (l.injected + l.eased - l.dissipated() - l.stepping())
}

/// Bodies that touch nothing, and a frame to hang them from.
fn hanging(stepper: &str, bodies: &[(&str, f64, [f64; 3])], joints: &str) -> World {
    let mut text = format!(
        r#"
        format = 1
        world = {{ friction = 0.5, stepper = "{stepper}" }}
        [[body]]
        name = "frame"
        kind = "fixed"
        shape = {{ ball = 0.01 }}
        position = [100, 0, 0]
        "#
    );
    for (name, mass, at) in bodies {
        write!(
            text,
            r#"
        [[body]]
        name = "{name}"
        shape = {{ ball = 0.1 }}
        mass = {mass:?}
        position = {at:?}
        "#
        )
        .unwrap();
    }
    world(&(text + joints))
}

fn atwood(stepper: &str) -> World {
    let bodies = [("left", 3.0, [0.0; 3]), ("right", 2.0, [1.0, 0.0, -1.0])];
    let rope = r#"
        [[joint]]
        name = "rope"
        kind = "rope"
        points = [
            { body = "left", position = [0, 0, 0] },
            { body = "frame", position = [0, 0, 5] },
            { body = "frame", position = [1, 0, 5] },
            { body = "right", position = [1, 0, -1] },
        ]
        "#;
    hanging(stepper, &bodies, rope)
}

#[test]
fn atwoods_machine_falls_by_the_difference_of_its_masses() {
    let (m, n) = (3.0, 2.0);
    let a = (m - n) * G / (m + n);
    for (stepper, order) in [("midpoint", 2), ("stewart-trinkle", 1)] {
        let mut world = atwood(stepper);
        let (start, dt) = (energy(&world), world.settings().dt);
        run(&mut world, 1.0);
        let [left, right] = [1, 2].map(|body| world.state().bodies[body]);
        close(left.velocity.z, -a, 1e-9, stepper);
        close(right.velocity.z, a, 1e-9, stepper);
        // Under a constant force a step of first order goes too far by a t h/2.
        let late = if order == 2 { 0.0 } else { 0.5 * a * dt };
        close(left.pose.position.z, -0.5 * a - late, 1e-9, stepper);
        close(right.pose.position.z, -1.0 + 0.5 * a + late, 1e-9, stepper);
        close(world.rope_tension(0).unwrap(), 2.0 * m * n * G / (m + n), 1e-9, stepper);
        close(world.joint_coordinate(0).unwrap()[0], 12.0, 1e-12, stepper);
        assert!(world.joint_coordinate(0).unwrap()[1].abs() < 1e-12, "{stepper}");
        let lost = energy(&world) - start;
        assert!(lost.abs() < if order == 2 { 1e-9 } else { 0.03 }, "{stepper}: {lost}");
        assert!(balance(&world, start).abs() < 1e-9, "{stepper}: {:?}", world.ledger());
    }
}

/// The load hangs from two strands, the weight from one: M a = M g − 2T, 2 m a = T − m g.
#[test]
fn a_loose_pulley_halves_the_force() {
    let (load, weight) = (5.0, 1.0);
    let bodies = [("load", load, [0.0; 3]), ("weight", weight, [1.0, 0.0, 0.0])];
    let rope = r#"
        [[joint]]
        kind = "rope"
        points = [
            { body = "frame", position = [0, 0, 5] },
            { body = "load", position = [0, 0, 0] },
            { body = "frame", position = [0, 0, 5] },
            { body = "frame", position = [1, 0, 5] },
            { body = "weight", position = [1, 0, 0] },
        ]
        "#;
    let mut world = hanging("midpoint", &bodies, rope);
    run(&mut world, 0.5);
    let a = G * (load - 2.0 * weight) / (load + 4.0 * weight);
    close(world.state().bodies[1].velocity.z, -0.5 * a, 1e-9, "load");
    close(world.state().bodies[2].velocity.z, a, 1e-9, "weight");
}

#[test]
fn a_taut_rope_swings_like_a_rod() {
    let bodies = [("bob", 1.0, [0.6, 0.0, -0.8])];
    let rope = r#"
        [[joint]]
        kind = "rope"
        points = [{ body = "frame", position = [0, 0, 0] }, { body = "bob", position = [0.6, 0, -0.8] }]
        "#;
    let rod = r#"
        [[joint]]
        kind = "distance"
        a = "frame"
        b = "bob"
        position_a = [0, 0, 0]
        position_b = [0.6, 0, -0.8]
        "#;
    let [mut rope, mut rod] = [rope, rod].map(|joint| hanging("midpoint", &bodies, joint));
    let start = energy(&rope);
    run(&mut rope, 3.0);
    run(&mut rod, 3.0);
    let apart = rope.state().bodies[1].pose.position - rod.state().bodies[1].pose.position;
    assert!(apart.norm() < 1e-8, "{apart:?}");
    assert!((energy(&rope) - start).abs() < 1e-8, "{:e}", energy(&rope) - start);
}

/// Thrown upwards, the bob flies as if there were no rope; back at the end of it, it stops.
#[test]
fn a_slack_rope_does_not_push() {
    for stepper in ["midpoint", "stewart-trinkle"] {
        let bodies = [("bob", 1.0, [0.0, 0.0, -1.0])];
        let rope = r#"
            [[joint]]
            kind = "rope"
            points = [{ body = "frame", position = [0, 0, 0] }, { body = "bob", position = [0, 0, -1] }]
            length = 1.1
            "#;
        let mut world = hanging(stepper, &bodies, rope);
        let up = stiction_sim::Vec3::new(0.0, 0.0, 2.0);
        world.set_velocity(1, up, stiction_sim::Vec3::zeros()).unwrap();
        let free = |t: f64| 2.0 - G * t;
        run(&mut world, 0.3);
        close(world.state().bodies[1].velocity.z, free(0.3), 1e-12, stepper);
        assert_eq!(world.rope_tension(0), Some(0.0), "{stepper}");
        run(&mut world, 0.7);
        let bob = &world.state().bodies[1];
        close(bob.pose.position.z, -1.1, 1e-7, stepper);
        assert!(bob.velocity.norm() < 1e-9, "{stepper}: {:?}", bob.velocity);
        close(world.rope_tension(0).unwrap(), G, 1e-9, stepper);
    }
}

/// Ground that moves does the work through a rope.
#[test]
fn a_winch_lifts_a_load_and_its_work_is_entered() {
    let mut world = world(
        r#"
        format = 1
        world = { friction = 0.5 }
        [[body]]
        name = "winch"
        kind = "kinematic"
        shape = { ball = 0.01 }
        velocity = [1, 0, 0]
        [[body]]
        name = "load"
        shape = { ball = 0.1 }
        mass = 2
        position = [0, 0, -3]
        [[body]]
        name = "frame"
        kind = "fixed"
        shape = { ball = 0.01 }
        position = [0, 0, 100]
        [[joint]]
        kind = "rope"
        points = [
            { body = "winch", position = [0, 0, 0] },
            { body = "frame", position = [-1, 0, 0] },
            { body = "frame", position = [0, 0, 0] },
            { body = "load", position = [0, 0, -3] },
        ]
        "#,
    );
    let start = energy(&world);
    run(&mut world, 1.0);
    close(world.state().bodies[1].velocity.z, 1.0, 1e-9, "speed");
    close(world.rope_tension(0).unwrap(), 2.0 * G, 1e-9, "tension");
    assert!(balance(&world, start).abs() < 1e-9, "{:?}", world.ledger());
    // The jerk at the start takes as much as it gives to the load: 1 J each.
    close(world.ledger().injected, 2.0 * G + 2.0, 5e-3, "work");
    close(world.ledger().dissipated(), 1.0, 2e-2, "jerk");
}

/// A load and a weight on one rope, with one and a half turns about a bollard: e^(f φ) times the weight is as much as it holds.
fn capstan(settings: &str, load: f64, weight: f64) -> World {
    world(&format!(
        r#"
        format = 1
        world = {{ friction = 0.5, {settings} }}
        [[body]]
        name = "frame"
        kind = "fixed"
        shape = {{ ball = 0.01 }}
        position = [100, 0, 0]
        [[body]]
        name = "load"
        shape = {{ ball = 0.1 }}
        mass = {load:?}
        position = [-1, 0, 0]
        [[body]]
        name = "weight"
        shape = {{ ball = 0.1 }}
        mass = {weight:?}
        position = [1, 0, 0]
        [[joint]]
        name = "rope"
        kind = "rope"
        points = [
            {{ body = "load", position = [-1, 0, 0] }},
            {{ body = "frame", position = [-1, 0, 5] }},
            {{ body = "frame", position = [0, 0, 5], friction = 0.3, turns = 1.5 }},
            {{ body = "frame", position = [1, 0, 5] }},
            {{ body = "weight", position = [1, 0, 0] }},
        ]
        "#
    ))
}

/// The largest ratio of tensions there.
fn grip() -> f64 {
    (0.3 * 3.0 * std::f64::consts::PI).exp()
}

const STEPPERS: [&str; 4] = ["midpoint", "stewart-trinkle", "anitescu-potra", "acceleration"];

#[test]
fn a_capstan_holds_up_to_its_ratio_of_tensions() {
    for settings in STEPPERS.map(|stepper| format!("stepper = \"{stepper}\"")) {
        for share in [1.0 - 1e-9, 0.1, (1.0 + 1e-9) / grip() / grip()] {
            let mut world = capstan(&settings, grip() * share, 1.0);
            assert_eq!(world.rope_tensions(0), None);
            run(&mut world, 0.1);
            for body in &world.state().bodies {
                assert!(body.velocity.norm() < 1e-13, "{settings}, {share}: {:?}", body.velocity);
            }
            let [load, weight] = world.rope_tensions(0).unwrap();
            close(load, grip() * share * G, 1e-9, &settings);
            close(weight, G, 1e-9, &settings);
            close(world.rope_tension(0).unwrap(), load.max(weight), 1e-12, &settings);
        }
    }
}

#[test]
fn a_capstan_slips_as_its_ratio_of_tensions_says() {
    for stepper in STEPPERS {
        for (load, sign) in [(2.0 * grip(), 1.0), (grip() * (1.0 + 1e-6), 1.0), (0.01 / grip(), -1.0)] {
            let mut world = capstan(&format!("stepper = \"{stepper}\""), load, 1.0);
            let (start, dt) = (energy(&world), world.settings().dt);
            run(&mut world, 0.5);
            // Of both, e^(f φ) acts on the side that is pulled.
            let (pulls, gives) = if sign > 0.0 {
                (load, grip())
            } else {
                (1.0, grip() * load)
            };
            let a = G * (pulls - gives) / (pulls + gives);
            let found = world.state().bodies[1];
            close(found.velocity.z, -sign * 0.5 * a, 1e-8, stepper);
            let late = if stepper == "midpoint" { 0.0 } else { 0.25 * a * dt };
            close(found.pose.position.z, -sign * (0.125 * a + late), 1e-8, stepper);
            let [first, last] = world.rope_tensions(0).unwrap();
            close((first / last).ln(), sign * grip().ln(), 1e-9, stepper);
            assert!(
                balance(&world, start).abs() < 1e-9 * (1.0 + load),
                "{stepper}: {:?}",
                world.ledger()
            );
            if stepper == "midpoint" {
                close(world.ledger().slip, (first - last).abs() * 0.125 * a, 1e-8, "slip");
            }
        }
    }
}

/// Thrown upwards, the load stops after v²/2a, and the rope holds it from then on.
#[test]
fn a_rope_stops_on_its_bollard() {
    let (load, weight) = (4.0, 1.0);
    for (dt, tolerance) in [(4e-3, 1e-4), (1e-3, 1e-5)] {
        let mut world = capstan(&format!("dt = {dt}"), load, weight);
        let up = stiction_sim::Vec3::new(0.0, 0.0, -1.0);
        world.set_velocity(1, up, stiction_sim::Vec3::zeros()).unwrap();
        world.set_velocity(2, -up, stiction_sim::Vec3::zeros()).unwrap();
        run(&mut world, 2.0);
        let a = G * (grip() * weight - load) / (load + grip() * weight);
        let body = world.state().bodies[1];
        assert!(body.velocity.norm() < 1e-13, "{:?}", body.velocity);
        let way = -body.pose.position.z;
        assert!((way - 0.5 / a).abs() < tolerance, "{dt}: {way}, {}", 0.5 / a);
    }
}

/// A bob that swings on one side of a bollard: its side keeps its length while the ratio of tensions is within what holds, as if it were tied there.
#[test]
fn a_rope_that_sticks_keeps_its_length() {
    let scene = |rope: &str| {
        let bodies = [("bob", 1.0, [-0.6, 0.0, 4.2]), ("weight", 0.7, [1.0, 0.0, 0.0])];
        hanging("midpoint", &bodies, rope)
    };
    let mut about = scene(
        r#"
        [[joint]]
        kind = "rope"
        points = [
            { body = "bob", position = [-0.6, 0, 4.2] },
            { body = "frame", position = [0, 0, 5], friction = 0.4 },
            { body = "frame", position = [1, 0, 5] },
            { body = "weight", position = [1, 0, 0] },
        ]
        "#,
    );
    let mut tied = scene(
        r#"
        [[joint]]
        kind = "rope"
        points = [{ body = "bob", position = [-0.6, 0, 4.2] }, { body = "frame", position = [0, 0, 5] }]
        [[joint]]
        kind = "rope"
        points = [{ body = "frame", position = [1, 0, 5] }, { body = "weight", position = [1, 0, 0] }]
        "#,
    );
    let start = energy(&about);
    run(&mut about, 0.2);
    run(&mut tied, 0.2);
    let apart = about.state().bodies[1].pose.position - tied.state().bodies[1].pose.position;
    assert!(apart.norm() < 1e-9, "{apart:?}");
    let bob = about.state().bodies[1].pose.position - stiction_sim::Vec3::new(0.0, 0.0, 5.0);
    close(bob.norm(), 1.0, 1e-11, "length");
    close(energy(&about), start, 1e-9, "energy");
    // Below, the bob pulls with more than the weight and friction hold.
    run(&mut about, 0.6);
    let bob = about.state().bodies[1].pose.position - stiction_sim::Vec3::new(0.0, 0.0, 5.0);
    assert!(bob.norm() > 1.001, "{}", bob.norm());
}

#[test]
fn capstans_obey_the_law_of_the_scene() {
    for law in ["coulomb", "polyhedral"] {
        for (share, slips) in [(1.0 - 1e-6, false), (1.0 + 1e-6, true)] {
            let mut world = capstan(&format!("law = \"{law}\""), grip() * share, 1.0);
            run(&mut world, 0.1);
            let speed = world.state().bodies[1].velocity.norm();
            assert_eq!(speed > 1e-9, slips, "{law}, {share}: {speed:e}");
        }
    }
    let mut smooth = capstan("law = \"frictionless\"", 2.0, 1.0);
    run(&mut smooth, 0.5);
    close(
        smooth.state().bodies[1].velocity.z,
        -0.5 * G / 3.0,
        1e-9,
        "frictionless",
    );
}

#[test]
fn friction_of_ropes_that_cannot_be_is_refused() {
    let rope = |points: &[RopePoint]| Joint::rope("rope", points, 1.0).unwrap_err().to_string();
    let at = |body: usize| RopePoint::new(body, stiction_sim::Vec3::zeros());
    assert_eq!(
        rope(&[at(0).with_friction(0.3, 0.0), at(1), at(2)]),
        "rope rope.points[0].friction: must be 0 at an end of a rope, found 0.3"
    );
    assert_eq!(
        rope(&[at(0), at(1).with_friction(-0.3, 0.0), at(2)]),
        "rope rope.points[1].friction: must be finite and not negative, found -0.3"
    );
    assert_eq!(
        rope(&[at(0), at(1).with_friction(0.0, 2.0), at(2)]),
        "rope rope.points[1].turns: must be 0 without friction, found 2"
    );
    assert_eq!(
        rope(&[
            at(0),
            at(1).with_friction(0.3, 0.0),
            at(3).with_friction(0.3, 0.0),
            at(2)
        ]),
        "rope rope.points[2].friction: must be friction at one body alone, at points that follow each other, found 0.3"
    );
}

/// Wheels on axles along y, of 0.5 kg m² and 0.02 kg m².
fn wheels(stepper: &str, torque: f64, gear: &str) -> World {
    world(&format!(
        r#"
        format = 1
        world = {{ friction = 0.5, gravity = [0, 0, 0], stepper = "{stepper}" }}
        [[body]]
        name = "frame"
        kind = "fixed"
        shape = {{ ball = 0.01 }}
        position = [0, 5, 0]
        [[body]]
        name = "large"
        shape = {{ ball = 0.3 }}
        mass = 10
        inertia = [0.5, 0.5, 0.5]
        [[body]]
        name = "small"
        shape = {{ ball = 0.1 }}
        mass = 1
        inertia = [0.02, 0.03, 0.02]
        position = [0.5, 0, 0]
        [[joint]]
        name = "mesh"
        kind = "gear"
        joints = ["first", "second"]
        {gear}
        [[joint]]
        name = "first"
        kind = "revolute"
        a = "large"
        b = "frame"
        position = [0, 0, 0]
        axis = [0, 1, 0]
        [[joint]]
        name = "second"
        kind = "revolute"
        a = "small"
        b = "frame"
        position = [0.5, 0, 0]
        axis = [0, 1, 0]
        [[force]]
        body = "large"
        torque = [0, {torque}, 0]
        "#
    ))
}

#[test]
fn a_gear_train_turns_with_its_reduced_inertia() {
    for stepper in ["midpoint", "stewart-trinkle"] {
        for (gear, ratio) in [
            ("ratio = -0.5", -0.5),
            ("ratio = [-20, 60]", -1.0 / 3.0),
            ("ratio = 2", 2.0),
        ] {
            let mut world = wheels(stepper, 2.0, gear);
            let start = energy(&world);
            // The large wheel turns up to ten times, the small one up to thirty.
            run(&mut world, 5.0);
            let speeds = [1, 2].map(|joint| world.joint_coordinate(joint).unwrap()[1]);
            let expected = 2.0 * 5.0 / (0.5 + 0.03 / (ratio * ratio));
            close(speeds[0], expected, 1e-9, gear);
            close(speeds[1], expected / ratio, 1e-9, gear);
            assert!(
                world.joint_error(0).unwrap()[1] < 1e-9,
                "{gear}: {:?}",
                world.joint_error(0)
            );
            // No tooth is skipped: the angles are those of a constant acceleration, to whole turns.
            let late = if stepper == "midpoint" {
                0.0
            } else {
                0.5 * 5.0 * 0.001 * expected / 5.0
            };
            let turned = 0.5 * 5.0 * expected + late;
            for (joint, angle) in [(1, turned), (2, turned / ratio)] {
                let off = world.joint_coordinate(joint).unwrap()[0] - angle;
                let off = off - std::f64::consts::TAU * (off / std::f64::consts::TAU).round();
                assert!(off.abs() < 1e-7, "{stepper} {gear}: wheel {joint} is off by {off:e}");
            }
            assert!(balance(&world, start).abs() < 1e-7, "{gear}: {:?}", world.ledger());
        }
    }
}

/// The rack falls and turns the pinion: x = r φ, a = m g/(m + I/r²).
#[test]
fn a_rack_turns_its_pinion() {
    for (joints, ratio) in [(r#"["slide", "axle"]"#, 0.25), (r#"["axle", "slide"]"#, 4.0)] {
        let mut world = world(&format!(
            r#"
            format = 1
            world = {{ friction = 0.5 }}
            [[body]]
            name = "frame"
            kind = "fixed"
            shape = {{ ball = 0.01 }}
            position = [0, 5, 0]
            [[body]]
            name = "rack"
            shape = {{ box = [0.1, 0.1, 2] }}
            mass = 2
            position = [0.5, 0, 0]
            [[body]]
            name = "pinion"
            shape = {{ ball = 0.2 }}
            mass = 3
            inertia = [0.05, 0.05, 0.05]
            [[joint]]
            name = "slide"
            kind = "prismatic"
            a = "rack"
            b = "frame"
            position = [0.5, 0, 0]
            axis = [0, 0, -1]
            [[joint]]
            name = "axle"
            kind = "revolute"
            a = "pinion"
            b = "frame"
            position = [0, 0, 0]
            axis = [0, 1, 0]
            [[joint]]
            kind = "gear"
            joints = {joints}
            ratio = {ratio}
            "#
        ));
        let start = energy(&world);
        run(&mut world, 1.0);
        let a = 2.0 * G / (2.0 + 0.05 / (0.25 * 0.25));
        close(world.joint_coordinate(0).unwrap()[1], a, 1e-9, "rack");
        close(world.joint_coordinate(0).unwrap()[0], 0.5 * a, 1e-9, "rack");
        close(world.joint_coordinate(1).unwrap()[1], 4.0 * a, 1e-9, "pinion");
        assert!((energy(&world) - start).abs() < 1e-9, "{:?}", world.ledger());
    }
}

/// Sun and planet turn on a carrier that turns itself: three bodies move in the row of the gear. With φ_p − φ_c = −k (φ_s − φ_c) the planet turns at
/// (1 + k) φ̇_c − k φ̇_s.
fn planetary(stepper: &str, dt: f64) -> World {
    world(&format!(
        r#"
        format = 1
        world = {{ friction = 0.5, gravity = [0, 0, 0], stepper = "{stepper}", dt = {dt} }}
        [[body]]
        name = "frame"
        kind = "fixed"
        shape = {{ ball = 0.01 }}
        position = [0, 0, 5]
        [[body]]
        name = "carrier"
        shape = {{ box = [1, 0.1, 0.1] }}
        mass = 1
        inertia = [0.1, 0.1, 0.2]
        [[body]]
        name = "sun"
        shape = {{ ball = 0.1 }}
        mass = 1
        inertia = [0.1, 0.1, 0.1]
        position = [0, 0, 1]
        [[body]]
        name = "planet"
        shape = {{ ball = 0.1 }}
        mass = 0.5
        inertia = [0.05, 0.05, 0.05]
        position = [0.4, 0, 1]
        [[joint]]
        name = "bearing"
        kind = "revolute"
        a = "carrier"
        b = "frame"
        position = [0, 0, 0]
        [[joint]]
        name = "sun"
        kind = "revolute"
        a = "sun"
        b = "carrier"
        position = [0, 0, 1]
        [[joint]]
        name = "planet"
        kind = "revolute"
        a = "planet"
        b = "carrier"
        position = [0.4, 0, 1]
        [[joint]]
        name = "mesh"
        kind = "gear"
        joints = ["planet", "sun"]
        ratio = -2
        [[force]]
        body = "sun"
        torque = [0, 0, 0.3]
        "#
    ))
}

#[test]
fn a_planetary_gear_on_a_carrier_that_moves() {
    let k = 2.0;
    let (sun, carrier, planet) = (0.1, 0.2 + 0.5 * 0.16, 0.05);
    let (m11, m12, m22) = (
        sun + k * k * planet,
        -k * (1.0 + k) * planet,
        carrier + (1.0 + k) * (1.0 + k) * planet,
    );
    let det = m11 * m22 - m12 * m12;
    let [a_sun, a_carrier] = [0.3 * m22 / det, -0.3 * m12 / det];
    let mut errors = Vec::new();
    for dt in [0.002, 0.001] {
        let mut world = planetary("midpoint", dt);
        let start = energy(&world);
        run(&mut world, 2.0);
        let spins = [2, 1].map(|body| world.state().bodies[body].spin.z);
        close(spins[0], 2.0 * a_sun, 1e-5, "sun");
        close(spins[1], 2.0 * a_carrier, 1e-5, "carrier");
        errors.push((spins[0] - 2.0 * a_sun).abs() + (spins[1] - 2.0 * a_carrier).abs());
        let [metres, radians] = world.joint_error(3).unwrap();
        assert!(metres + radians < 1e-9, "{metres} {radians}");
        assert!(balance(&world, start).abs() < 1e-9, "{:?}", world.ledger());
    }
    assert!(errors[1] < 1e-9 || errors[1] < 0.3 * errors[0], "{errors:?}");
    let mut world = planetary("stewart-trinkle", 0.001);
    run(&mut world, 2.0);
    close(world.state().bodies[2].spin.z, 2.0 * a_sun, 2e-3, "sun, first order");
}

#[test]
fn gears_and_ropes_are_saved_edited_and_refused() {
    let mut half = wheels("midpoint", 1.0, "ratio = -0.5");
    run(&mut half, 0.1);
    let bytes = half.save();
    let mut again = wheels("midpoint", 1.0, "ratio = -0.5");
    again.load(&bytes).unwrap();
    run(&mut half, 0.1);
    run(&mut again, 0.1);
    assert_eq!(half.state().hash(), again.state().hash());
    let error = wheels("midpoint", 1.0, "ratio = -0.25").load(&bytes).unwrap_err();
    assert_eq!(
        error.to_string(),
        "saved state: joints[0].ratio: must be -0.25 as in the world, found -0.5"
    );
    // A rope goes with any body that it passes over, and other bodies keep theirs.
    let mut world = atwood("midpoint");
    let added = world.add_joint(world.joints()[0].clone()).unwrap();
    assert_eq!(world.remove_joint(added).unwrap().name, "rope");
    world.remove_body(2).unwrap();
    assert!(world.joints().is_empty());
    run(&mut world, 0.1);
    close(world.state().bodies[1].velocity.z, -0.1 * G, 1e-12, "left");
    let mut rope = atwood("midpoint").joints()[0].clone();
    let refuse = |joint: Joint| atwood("midpoint").add_joint(joint).unwrap_err().to_string();
    rope.friction = 1.0;
    assert_eq!(
        refuse(rope.clone()),
        "joints[1].friction: must be 0 for a joint without one coordinate, found 1"
    );
    rope.friction = 0.0;
    rope.kind = JointKind::Rope(stiction_sim::transmission::Rope {
        length: -1.0,
        over: Vec::new(),
    });
    assert_eq!(refuse(rope), "joints[1].length: must be finite and positive, found -1");
}

#[test]
fn the_scenes_do_what_they_say() {
    let path = |name: &str| format!("{}/../../scenes/new/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let scene = |name: &str| World::from_scene(&Scene::read(path(name)).unwrap()).unwrap();
    let mut ropes = scene("capstan");
    run(&mut ropes, 0.5);
    for body in [1, 2] {
        assert_eq!(ropes.state().bodies[body].velocity, stiction_sim::Vec3::zeros());
    }
    let held = 0.6 * (0.6 * std::f64::consts::PI).exp();
    let expected = -0.5 * G * (10.0 - held) / (10.0 + held);
    close(ropes.state().bodies[3].velocity.z, expected, 1e-9, "slips");
    let mut atwood = scene("atwood");
    run(&mut atwood, 0.5);
    for (body, expected) in [(1, -0.2), (2, 0.2), (3, -1.0 / 3.0), (4, 2.0 / 3.0)] {
        let found = atwood.state().bodies[body].velocity.z / (0.5 * G);
        close(found, expected, 1e-9, &atwood.bodies()[body].name);
    }
    let mut gear = scene("planetary_gear");
    run(&mut gear, 3.0);
    let [carrier, sun] = [1, 2].map(|body| gear.state().bodies[body].spin.z);
    close(carrier / sun, 0.25, 1e-9, "carrier");
    assert!(sun > 6.0, "{sun}");
    let error = gear.joints_that_fail();
    assert!(error.is_empty(), "{error:?}");
}

/// What a slack rope stops is an impact and no slip, beside a joint with two limits that nothing reaches.
#[test]
fn a_rope_that_tightens_books_an_impact() {
    let joints = r#"
        [[joint]]
        name = "rope"
        kind = "rope"
        length = 2.5
        points = [
            { body = "frame", position = [0, 0, 2] },
            { body = "weight", position = [0, 0, 0] },
        ]
        [[joint]]
        name = "hinge"
        kind = "revolute"
        a = "arm"
        b = "frame"
        position = [5, 0, 0]
        axis = [0, 0, 1]
        limits = [-1, 1]
    "#;
    for stepper in ["midpoint", "stewart-trinkle"] {
        let bodies = [("weight", 2.0, [0.0; 3]), ("arm", 1.0, [5.5, 0.0, 0.0])];
        let mut world = hanging(stepper, &bodies, joints);
        run(&mut world, 0.5);
        let ledger = world.ledger();
        close(world.state().bodies[1].pose.position.z, -0.5, 1e-3, stepper);
        // A step of first order falls, and arrives, within h of the exact speed.
        close(ledger.impacts, 2.0 * G * 0.5, 2e-2, &format!("{stepper}: {ledger:?}"));
        assert!(ledger.slip.abs() < 1e-9, "{stepper}: {ledger:?}");
    }
}
