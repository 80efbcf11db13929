//! Actuators, rotors and sensors, against closed forms.
#![allow(clippy::unwrap_used)]

use stiction_scene::{Scene, WorldExt};
use stiction_sim::{Actuator, World};

/// A rod of 1 m and 2 kg about a hinge at its end; its inertia about the hinge is 2/3 kg·m² to the square section.
fn rod(dt: f64, more: &str) -> World {
    let text = format!(
        r#"
        format = 1
        world = {{ dt = {dt} }}
        body = [
            {{ name = "post", kind = "fixed", shape = {{ ball = 0.01 }}, groups = [] }},
            {{ name = "rod", shape = {{ box = [1, 0.001, 0.001] }}, mass = 2, position = [0.5, 0, 0], groups = [] }},
        ]
        joint = [{{ name = "hinge", kind = "revolute", a = "rod", b = "post", position = [0, 0, 0], axis = [0, -1, 0] {more}
        "#
    );
    World::from_scene(&Scene::parse(&text, ".").unwrap()).unwrap()
}

const INERTIA: f64 = 2.0 / 3.0;
const ROUNDING: f64 = 1e-6;

#[test]
fn a_rotor_slows_a_fall_by_its_inertia() {
    for a in [0.1, 1.0, 10.0] {
        let mut world = rod(1e-4, &format!(", armature = {a} }}]"));
        let before = world.ledger().balance();
        for _ in 0..1000 {
            world.step().unwrap();
        }
        // From the horizontal: torque m g l/2 at first; q'' = −τ cos q/(I + a).
        let (mut q, mut v) = (0.0_f64, 0.0_f64);
        let h = 1e-5;
        for _ in 0..10_000 {
            let acceleration = |q: f64| -9.81 * libm::cos(q) / (INERTIA + a);
            let half = v + 0.5 * h * acceleration(q);
            q += h * half;
            v = half + 0.5 * h * acceleration(q);
        }
        assert!((world.q()[0] - q).abs() < ROUNDING, "{a}: {} {q}", world.q()[0]);
        assert!((world.v()[0] - v).abs() < 10.0 * ROUNDING, "{a}: {} {v}", world.v()[0]);
        let ledger = world.ledger();
        assert!((ledger.balance() - before).abs() < 1e-9);
        assert!(ledger.injected.abs() < 1e-9, "{a}: {}", ledger.injected);
        assert!(
            (ledger.kinetic - 0.5 * (INERTIA + a) * v * v).abs() < 1e-4 * ledger.kinetic,
            "{a}"
        );
    }
}

/// Angle and speed of a rod with a rotor after a second, and the largest gain of energy in a step. In the plane it is stepped by rows.
fn spun(planar: bool, dt: f64) -> ([f64; 2], f64) {
    let bodies = if planar {
        r#"{ name = "post", kind = "fixed", shape = { disc = 0.01 }, position = [0, -2] },
           { name = "rod", shape = { box = [1, 0.1] }, mass = 2, inertia = 0.17, position = [0.5, 0] }"#
    } else {
        r#"{ name = "post", kind = "fixed", shape = { ball = 0.01 }, position = [0, -2, 0] },
           { name = "rod", shape = { box = [1, 0.1, 0.1] }, mass = 2, inertia = [0.01, 0.17, 0.17], position = [0.5, 0, 0] }"#
    };
    let (gravity, hinge) = if planar {
        ("[0, -9.81]", "position = [0, 0]")
    } else {
        ("[0, -9.81, 0]", "position = [0, 0, 0], axis = [0, 0, 1]")
    };
    let text = format!(
        r#"
        format = 1
        world = {{ dt = {dt}, planar = {planar}, gravity = {gravity} }}
        body = [{bodies}]
        joint = [{{ name = "hinge", kind = "revolute", a = "rod", b = "post", {hinge}, armature = 0.4 }}]
        "#
    );
    let mut world = World::from_scene(&Scene::parse(&text, ".").unwrap()).unwrap();
    world.set_joints(&[0.0], &[5.0]).unwrap();
    while world.state().time < 1.0 - 0.5 * dt {
        world.step().unwrap();
    }
    ([world.q()[0], world.v()[0]], world.ledger().worst_gain)
}

#[test]
fn rotors_keep_their_energy_to_second_order() {
    for planar in [true, false] {
        let found = [4e-3, 2e-3, 1e-3, 5e-4].map(|dt| spun(planar, dt));
        for k in 0..2 {
            let change = |n: usize| (found[n].0[k] - found[n + 1].0[k]).abs();
            for n in 0..2 {
                let order = (change(n) / change(n + 1)).log2();
                assert!(order > 1.9, "planar {planar}: {order} of {found:?}");
            }
        }
        let gain = found.iter().fold(0.0_f64, |m, (_, gain)| m.max(*gain));
        assert!(gain < 1e-11, "planar {planar}: {gain:e}");
    }
}

/// Angle and speed of a servo after a second.
fn driven(dt: f64) -> [f64; 2] {
    let mut world = rod(
        dt,
        r#", armature = 0.1 }]
        actuator = [{ name = "servo", kind = "position", joint = "hinge", kp = 60, kv = 2, ctrl = 0.7 },
                    { name = "push", kind = "motor", joint = "hinge", gear = 2, ctrl = 0.5 }]"#,
    );
    while world.state().time < 1.0 - 0.5 * dt {
        world.step().unwrap();
    }
    [world.q()[0], world.v()[0]]
}

#[test]
fn servos_and_motors_are_of_second_order() {
    let exact = driven(1.0 / 8192.0);
    let errors = [64.0, 128.0, 256.0].map(|n| {
        let [q, v] = driven(1.0 / n);
        (q - exact[0]).abs().max((v - exact[1]).abs())
    });
    for pair in errors.windows(2) {
        let order = libm::log2(pair[0] / pair[1]);
        assert!((1.7..2.4).contains(&order), "{errors:?}");
    }
}

#[test]
fn a_stiff_servo_goes_to_its_target_and_stays() {
    let mut world = rod(
        1e-3,
        r#" }]
        actuator = [{ name = "servo", kind = "position", joint = "hinge", kp = 1e7, kv = 1e5, ctrl = 0.3 }]"#,
    );
    for _ in 0..500 {
        world.step().unwrap();
    }
    assert!((world.q()[0] - 0.3).abs() < 1e-5);
    assert!(world.v()[0].abs() < 1e-9);
    // It carries the weight.
    let force = world.joint_forces(0).unwrap().motor;
    let load = 2.0 * 9.81 * 0.5 * libm::cos(world.q()[0]);
    assert!((force - load).abs() < 1e-6, "{force} {load}");
    assert!((world.actuator_force(0).unwrap() - load).abs() < 1e-3);
}

#[test]
fn a_range_of_force_is_kept_to_rounding_both_ways() {
    let mut world = rod(
        1e-3,
        r#" }]
        actuator = [{ name = "servo", kind = "position", joint = "hinge", kp = 1e4, kv = 100, force_range = [-1, 4] }]"#,
    );
    for (ctrl, force) in [(2.0, 4.0), (-2.0, -1.0)] {
        world.set_ctrl(&[ctrl]).unwrap();
        for _ in 0..20 {
            world.step().unwrap();
            assert!((world.joint_forces(0).unwrap().motor - force).abs() < 1e-9);
            assert_eq!(world.actuator_force(0), Some(force));
        }
    }
}

#[test]
fn a_saved_world_goes_on_with_its_controls() {
    let more = r#", armature = 0.2 }]
        actuator = [{ name = "servo", kind = "velocity", joint = "hinge", kv = 3, ctrl = 1.5 }]"#;
    let mut world = rod(1e-3, more);
    for _ in 0..100 {
        world.step().unwrap();
    }
    world.set_ctrl(&[-0.5]).unwrap();
    let bytes = world.save();
    let mut again = rod(1e-3, more);
    assert!(again.load(&bytes).unwrap().warnings.is_empty());
    assert_eq!(again.ctrl(), [-0.5]);
    for _ in 0..100 {
        world.step().unwrap();
        again.step().unwrap();
    }
    assert_eq!(world.state().hash(), again.state().hash());
    let mut other = rod(1e-3, " }]");
    let refused = other.load(&bytes).unwrap_err().to_string();
    assert_eq!(refused, "saved state: ctrl: must be 0 as in the world, found 1");
}

#[test]
fn actuators_leave_with_their_joint() {
    let mut world = rod(1e-3, " }]");
    world.add_actuator(Actuator::motor("push", 0, 1.0)).unwrap();
    assert!(world.add_actuator(Actuator::motor("push", 1, 1.0)).is_err());
    assert!(world.set_ctrl(&[1.0, 2.0]).is_err());
    world.remove_joint(0).unwrap();
    assert!(world.actuators().is_empty() && world.ctrl().is_empty());
    world.step().unwrap();
}

#[test]
fn sensors_read_what_mechanics_says() {
    let mut world = rod(
        1e-3,
        r#" }]
        actuator = [{ name = "hold", kind = "position", joint = "hinge", kp = 1e6, kv = 1e4 }]
        sensor = [
            { name = "q", kind = "jointpos", joint = "hinge" },
            { name = "v", kind = "jointvel", joint = "hinge" },
            { name = "f", kind = "actuatorfrc", actuator = "hold" },
            { name = "tip", kind = "framepos", body = "rod", position = [1, 0, 0] },
            { name = "turn", kind = "framequat", body = "rod" },
            { name = "force", kind = "force", body = "rod", position = [0, 0, 0] },
            { name = "torque", kind = "torque", body = "rod", position = [0, 0, 0] },
            { name = "gyro", kind = "gyro", body = "rod" },
            { name = "imu", kind = "accelerometer", body = "rod" },
        ]"#,
    );
    assert_eq!(world.sensor_count(), 22);
    for _ in 0..1000 {
        world.step().unwrap();
    }
    let mut values = [0.0; 22];
    world.sensor_values(&mut values).unwrap();
    let near = |x: f64, y: f64, tolerance: f64| assert!((x - y).abs() < tolerance, "{x} {y}: {values:?}");
    near(values[0], 0.0, 1e-4);
    near(values[2], 9.81, 1e-3);
    near(values[3], 1.0, 1e-8);
    near(values[9], 1.0, 1e-8);
    near(values[12], 19.62, 1e-6);
    near(values[14], -9.81, 1e-4);
    near(values[21], 9.81, 1e-6);
}

#[test]
fn a_touch_sensor_adds_what_presses_in_its_zone() {
    let text = r#"
        format = 1
        world = { friction = 0.5 }
        body = [
            { name = "ground", shape = { half_space = [0, 0, 1] } },
            { name = "box", shape = { box = [1, 1, 1] }, mass = 3, position = [0, 0, 0.5] },
        ]
        sensor = [
            { name = "all", kind = "touch", body = "box", position = [0, 0, 0], shape = { box = [2, 2, 0.1] } },
            { name = "left", kind = "touch", body = "box", position = [-0.5, 0, 0], shape = { box = [0.1, 2, 0.1] } },
        ]"#;
    let mut world = World::from_scene(&Scene::parse(text, ".").unwrap()).unwrap();
    let mut values = [1.0; 2];
    world.sensor_values(&mut values).unwrap();
    assert_eq!(values, [0.0; 2]);
    world.step().unwrap();
    world.sensor_values(&mut values).unwrap();
    assert!(
        (values[0] - 29.43).abs() < 1e-9 && (values[1] - 14.715).abs() < 1e-9,
        "{values:?}"
    );
}
