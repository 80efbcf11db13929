//! Dry friction and motors of joints: held to their limits exactly, and where the energy goes.
#![allow(clippy::unwrap_used)]

use stiction_scene::{Scene, WorldExt};
use stiction_sim::World;

fn world(text: &str) -> World {
    World::from_scene(&Scene::parse(text, ".").unwrap()).unwrap()
}

/// Kinetic and potential energy at the start, and every entry of the ledger after: nothing is lost.
fn balance(world: &World, start: f64) -> f64 {
    let l = world.ledger();
    l.kinetic + l.potential - start - (l.injected + l.eased - l.dissipated() - l.stepping())
}

/// A rod of 2 kg and 1 m that a hinge about y holds at its end: gravity turns it with 9.81 N·m.
fn lever(joint: &str) -> World {
    world(&format!(
        r#"
        format = 1
        world.friction = 0.5
        [[body]]
        name = "hook"
        kind = "fixed"
        shape = {{ ball = 0.1 }}
        groups = [1]
        [[body]]
        name = "rod"
        shape = {{ box = [1, 0.1, 0.1] }}
        mass = 2
        position = [0.5, 0, 0]
        [[joint]]
        kind = "revolute"
        a = "rod"
        b = "hook"
        position = [0, 0, 0]
        axis = [0, 1, 0]
        {joint}
        "#
    ))
}

#[test]
fn friction_of_a_hinge_holds_below_its_limit_and_slips_above() {
    for (factor, holds) in [(1.0 + 1e-6, true), (1.0 - 1e-6, false)] {
        let mut world = lever(&format!("friction = {:?}", 9.81 * factor));
        for _ in 0..100 {
            world.step().unwrap();
        }
        let [angle, speed] = world.joint_coordinate(0).unwrap();
        assert_eq!(
            angle.abs() < 1e-12 && speed.abs() < 1e-12,
            holds,
            "{factor}: {angle} {speed}"
        );
        let torque = world.joint_forces(0).unwrap().friction;
        if holds {
            // Gravity turns the rod about +y; friction holds with as much.
            assert!((torque + 9.81).abs() < 1e-9, "{torque}");
        } else {
            // (m g L)(1e-6)/I for 0.1 s, in which the angle does not matter yet.
            let inertia = 2.0 * (1.0 + 0.01) / 12.0 + 2.0 * 0.25;
            assert!((speed / (0.1 * 9.81e-6 / inertia) - 1.0).abs() < 1e-6, "{speed}");
        }
    }
}

/// A wheel about z: 10 rad/s, 0.5 N·m.
#[test]
fn a_wheel_spins_down_evenly_and_stops() {
    let mut world = world(
        r#"
        format = 1
        world = { friction = 0.5, gravity = [0, 0, 0] }
        [[body]]
        name = "hook"
        kind = "fixed"
        shape = { ball = 0.1 }
        groups = [1]
        [[body]]
        name = "wheel"
        shape = { cylinder = { radius = 0.5, height = 0.1 } }
        mass = 8
        spin = [0, 0, 10]
        [[joint]]
        kind = "revolute"
        a = "wheel"
        b = "hook"
        position = [0, 0, 0]
        friction = 0.5
        "#,
    );
    // I = ½ m r² = 1: 0.5 rad/s², 20 s.
    for n in 1..=20_000 {
        world.step().unwrap();
        let speed = world.state().bodies[1].spin.z;
        let expected = 10.0 - 0.0005 * f64::from(n);
        assert!((speed - expected).abs() < 1e-10, "step {n}: {speed} {expected}");
    }
    for _ in 0..10 {
        world.step().unwrap();
        assert!(world.state().bodies[1].spin.norm() < 1e-12);
    }
    let ledger = world.ledger();
    assert!((ledger.dissipated() - 50.0).abs() < 1e-9, "{ledger:?}");
    assert!(ledger.injected.abs() < 1e-12 && ledger.worst_gain < 1e-12, "{ledger:?}");
}

#[test]
fn friction_of_a_slide_against_a_push() {
    for (push, moves) in [(3.0 - 3e-6, false), (3.0 + 3e-6, true), (5.0, true)] {
        let mut world = world(&format!(
            r#"
            format = 1
            world = {{ friction = 0.5, gravity = [0, 0, 0] }}
            [[body]]
            name = "rail"
            kind = "fixed"
            shape = {{ ball = 0.1 }}
            groups = [1]
            [[body]]
            name = "slider"
            shape = {{ box = [0.1, 0.1, 0.1] }}
            mass = 4
            [[joint]]
            kind = "prismatic"
            a = "slider"
            b = "rail"
            position = [0, 0, 0]
            axis = [1, 0, 0]
            friction = 3
            [[force]]
            body = "slider"
            force = [{push:?}, 1, 2]
            "#
        ));
        for _ in 0..1000 {
            world.step().unwrap();
        }
        let [_, speed] = world.joint_coordinate(0).unwrap();
        let expected = if moves { (push - 3.0) / 4.0 } else { 0.0 };
        assert!((speed - expected).abs() < 1e-11, "{push}: {speed} {expected}");
        assert!(balance(&world, 0.0).abs() < 1e-12, "{:?}", world.ledger());
    }
}

#[test]
fn a_stiff_motor_holds_a_lever() {
    for (stiffness, damping) in [(1e9, 0.0), (1e9, 1e3), (1e15, 0.0), (1e4, 1e2), (1e3, 0.0)] {
        let mut world = lever(&format!(
            "motor = {{ stiffness = {stiffness:?}, damping = {damping:?}, target = -0.3 }}"
        ));
        let start = world.ledger().potential;
        for _ in 0..4000 {
            world.step().unwrap();
            let [_, speed] = world.joint_coordinate(0).unwrap();
            // No faster than to the target in a step.
            assert!(speed.abs() < 0.31 / 1e-3, "{stiffness}: {speed}");
        }
        let [angle, speed] = world.joint_coordinate(0).unwrap();
        // Stiffness times the sag carries the weight at cos 0.3.
        let sag = 9.81 * libm::cos(angle) / stiffness;
        if stiffness > 1e3 {
            assert!(
                (angle + 0.3 - sag).abs() < 1e-6 * sag + 1e-11,
                "{stiffness}: {angle} {sag}"
            );
            assert!(speed.abs() < 1e-8, "{stiffness}: {speed}");
        } else {
            assert!((angle + 0.3).abs() < 0.4, "{stiffness}: {angle}");
        }
        assert!(balance(&world, start).abs() < 1e-9 * 9.81, "{:?}", world.ledger());
    }
}

/// The drive pulls with its largest force until the brake of the same controller sets in.
#[test]
fn a_motor_is_held_to_its_largest_force() {
    let mut world = world(
        r#"
        format = 1
        world = { friction = 0.5, gravity = [0, 0, 0] }
        [[body]]
        name = "hook"
        kind = "fixed"
        shape = { ball = 0.1 }
        groups = [1]
        [[body]]
        name = "wheel"
        shape = { cylinder = { radius = 0.5, height = 0.1 } }
        mass = 8
        [[joint]]
        kind = "revolute"
        a = "wheel"
        b = "hook"
        position = [0, 0, 0]
        motor = { damping = 1e6, target_speed = 3, most = 2 }
        "#,
    );
    // I = 1: 2 rad/s² for 1.5 s; the damper gives way 2e-6 rad/s before.
    for n in 1..=1499 {
        world.step().unwrap();
        let speed = world.state().bodies[1].spin.z;
        assert!((speed - 0.002 * f64::from(n)).abs() < 1e-10, "step {n}: {speed}");
        assert!((world.joint_forces(0).unwrap().motor - 2.0).abs() < 1e-6);
    }
    for _ in 0..100 {
        world.step().unwrap();
    }
    assert!((world.state().bodies[1].spin.z - 3.0).abs() < 1e-9);
    assert!(world.joint_forces(0).unwrap().motor.abs() < 1e-6);
    let ledger = world.ledger();
    // Along the way made, h Σ ω_k at the end of each step: the stepping takes what is more than ½ I ω².
    let kept = ledger.injected - ledger.stepping();
    assert!(
        (kept - 4.5).abs() < 1e-9 && ledger.dissipated().abs() < 1e-9,
        "{ledger:?}"
    );
}

#[test]
fn a_motor_follows_a_wave() {
    // Stiff enough for the rod to be where it is wanted at the end of every step; a saved state goes on with the same wave.
    let first = 0.4 * libm::sin(0.3);
    let mut world = lever(&format!(
        "motor = {{ target = {:?}, wave = {{ amplitude = 0.4, rate = 7, phase = 0.3 }}, stiffness = 1e9 }}",
        -first
    ));
    let mut other = world.clone();
    for step in 1..=1000 {
        world.step().unwrap();
        let wanted = 0.4 * libm::sin(7.0 * 1e-3 * f64::from(step) + 0.3) - first;
        let [angle, _] = world.joint_coordinate(0).unwrap();
        assert!((angle - wanted).abs() < 1e-5, "step {step}: {angle}, wanted {wanted}");
        if step == 500 {
            other.load(&world.save()).unwrap();
        }
    }
    for _ in 0..500 {
        other.step().unwrap();
    }
    assert_eq!(other.state().hash(), world.state().hash());
}

#[test]
fn a_held_motor_pushes_with_the_force_of_the_start() {
    let mut world = lever(
        "motor = { target = 0.5, target_speed = 2, stiffness = 30, damping = 4, force = 1, most = 20, held = true }",
    );
    world.step().unwrap();
    // 30 · 0.5 + 4 · 2 + 1 = 24, held to 20; it adds to gravity.
    assert_eq!(world.joint_forces(0).unwrap().motor, 20.0);
    let inertia = 2.0 * (1.0 + 0.01) / 12.0 + 2.0 * 0.25;
    let [x, speed] = world.joint_coordinate(0).unwrap();
    // The step has the speed to the square of the angle that it turns by, 2e-5.
    let expected = 1e-3 * (20.0 + 9.81) / inertia;
    assert!((speed - expected).abs() < 1e-9 * expected, "{speed}");
    let mut other = lever(
        "motor = { target = 0.5, target_speed = 2, stiffness = 30, damping = 4, force = 1, most = 20, held = true }",
    );
    other.load(&world.save()).unwrap();
    world.step().unwrap();
    let force = world.joint_forces(0).unwrap().motor;
    assert!(
        (force - (30.0 * (0.5 - x) + 4.0 * (2.0 - speed) + 1.0).min(20.0)).abs() < 1e-12,
        "{force}"
    );
    other.step().unwrap();
    assert_eq!(other.state().hash(), world.state().hash());
}

#[test]
fn a_motor_that_is_a_force_alone_pushes_evenly() {
    let mut world = lever("motor = { force = 30, most = 20 }");
    world.step().unwrap();
    assert_eq!(world.joint_forces(0).unwrap().motor, 20.0);
    let inertia = 2.0 * (1.0 + 0.01) / 12.0 + 2.0 * 0.25;
    let [_, speed] = world.joint_coordinate(0).unwrap();
    // The step has the speed to the square of the angle that it turns by, 2e-5.
    let expected = 1e-3 * (20.0 + 9.81) / inertia;
    assert!((speed - expected).abs() < 1e-9 * expected, "{speed}");
}

/// Friction, a motor and a limit on one joint, and a contact on the same body.
#[test]
fn all_at_once_keeps_its_balance() {
    let mut world = world(
        r#"
        format = 1
        world.friction = 0.5
        [[body]]
        name = "ground"
        shape = { half_space = [0, 0, 1] }
        position = [0, 0, -0.6]
        [[body]]
        name = "hook"
        kind = "fixed"
        shape = { ball = 0.1 }
        groups = [1]
        [[body]]
        name = "rod"
        shape = { box = [1, 0.1, 0.1] }
        mass = 2
        position = [0.5, 0, 0]
        [[joint]]
        kind = "revolute"
        a = "rod"
        b = "hook"
        position = [0, 0, 0]
        axis = [0, 1, 0]
        friction = 1
        limits = [-0.2, 2]
        motor = { target = -0.5, stiffness = 200, damping = 5, most = 25 }
        "#,
    );
    let start = world.ledger().potential;
    for step in 0..3000 {
        if step == 1500 {
            world.set_motor(0, None).unwrap();
        }
        let report = world.step().unwrap();
        let ledger = world.ledger();
        assert!(balance(&world, start).abs() < 1e-10, "{ledger:?}");
        assert!(report.residual < 1e-9, "{report:?}");
    }
    let ledger = world.ledger();
    assert!(ledger.dissipated() > 1.0 && ledger.injected > 0.5, "{ledger:?}");
    // The rod lies on the ground.
    assert!(world.state().bodies[2].velocity.norm() < 1e-9);
}

#[test]
fn bad_numbers_are_named() {
    let text = |joint: &str| {
        let text = format!(
            "format = 1\n[[body]]\nname = \"a\"\nshape = {{ ball = 1 }}\n[[body]]\nname = \"b\"\nshape = {{ ball = 1 }}\n\
             [[joint]]\nkind = \"{joint}\na = \"a\"\nb = \"b\"\nposition = [0, 0, 0]\n"
        );
        Scene::parse(&text, ".").unwrap_err().to_string()
    };
    assert_eq!(
        text("revolute\"\nfriction = -1"),
        "scene:10:12: joint[0].friction: must not be negative, found -1"
    );
    assert_eq!(
        text("spherical\"\nfriction = 1"),
        "scene:10:12: joint[0].friction: must be given for a revolute or prismatic joint only, found 1"
    );
}

#[test]
fn a_motor_far_beyond_its_limit_does_no_work_on_a_joint_that_stands() {
    let mut world = lever("limits = [-0.3, 0.3]\nmotor = { target = -2, stiffness = 1e12 }");
    let start = world.ledger().kinetic + world.ledger().potential;
    // The first step throws the rod against its limit.
    for _ in 0..10 {
        world.step().unwrap();
    }
    let thrown = *world.ledger();
    // The spring gives no more than it holds, ½k(2² − 1.7²).
    assert!(
        thrown.injected > 0.0 && thrown.injected < 0.5e12 * (4.0 - 2.89),
        "{thrown:?}"
    );
    for _ in 0..1000 {
        world.step().unwrap();
    }
    let l = *world.ledger();
    let [angle, _] = world.joint_coordinate(0).unwrap();
    assert!((angle + 0.3).abs() < 1e-6, "{angle}");
    // Of the energy with which gravity holds against it, 2 kg · 9.81 m/s² · 0.5 m.
    assert!(l.worst_gain <= 1e-9 * 9.81, "{l:?}");
    let drift = (l.injected - thrown.injected)
        .abs()
        .max((l.dissipated() - thrown.dissipated()).abs());
    assert!(drift <= 1e-9, "{drift:e}: {l:?}");
    assert!(balance(&world, start).abs() <= 1e-12 * l.injected, "{l:?}");
}
