//! Joints of planar worlds: rows, loops that stay closed, limits, motors, periods.
#![allow(clippy::unwrap_used)]

mod plane;

use std::f64::consts::{FRAC_PI_2, PI};

use plane::{along, at, brick, close, fixed, moving, position, run, velocity, world};
use stiction_scene::{Scene, WorldExt};
use stiction_sim::joint::{Joint, JointKind, Motor};
use stiction_sim::planar::{PlanarPose, PlanarShape, Vec2};
use stiction_sim::{Pose, Quat, SimError, Vec3, World};

/// Joints hold to this \[m\] at every step.
const CLOSED: f64 = 1e-9;

/// A body that touches nothing.
fn ghost(world: &mut World, fixed_to_world: bool, mass: (f64, f64), pose: &PlanarPose) -> usize {
    let shape = PlanarShape::Disc { radius: 0.05 };
    let body = if fixed_to_world {
        fixed(world, shape, 0.0, pose)
    } else {
        moving(world, shape, mass, 0.0, pose)
    };
    let (mut bodies, states) = (world.bodies().to_vec(), world.state().bodies.clone());
    bodies[body].groups = 0;
    let mut other = World::new(world.settings().clone()).unwrap();
    for (body, state) in bodies.into_iter().zip(states) {
        other.add_body(body, state).unwrap();
    }
    for joint in world.joints() {
        other.add_joint(joint.clone()).unwrap();
    }
    *world = other;
    body
}

/// A joint whose frame lies at a point of the world, with a z axis: upright, or along a direction of the plane.
fn joint(world: &mut World, kind: JointKind, (a, b): (usize, usize), point: Vec2, axis: Option<Vec2>) -> usize {
    let turn = Quat::new_normalize(nalgebra::Quaternion::new(0.5, 0.5, 0.5, 0.5));
    let rotation = match axis {
        None => Quat::identity(),
        Some(axis) => along(0.0, 0.0, axis).in_space().rotation * turn,
    };
    let inner = |body: usize| {
        let pose = world.state().bodies[body].pose;
        Pose {
            position: pose.point_in_body(Vec3::new(point.x, point.y, 0.0)),
            rotation: pose.rotation.inverse() * rotation,
        }
    };
    let joint = Joint {
        name: format!("joint {}", world.joints().len()),
        a,
        b,
        kind,
        frame_a: inner(a),
        frame_b: inner(b),
        limits: None,
        motor: None,
        friction: 0.0,
    };
    world.add_joint(joint).unwrap()
}

/// Largest distance of the two origins of all pins.
fn open(world: &World) -> f64 {
    let states = &world.state().bodies;
    let apart = world.joints().iter().map(|joint| {
        let [a, b] = [(joint.a, &joint.frame_a), (joint.b, &joint.frame_b)];
        (states[a.0].pose.point(a.1.position) - states[b.0].pose.point(b.1.position)).norm()
    });
    apart.fold(0.0, f64::max)
}

#[test]
fn rows_are_as_many_as_the_plane_has() {
    for (kind, rows) in [
        (JointKind::Revolute, 2),
        (JointKind::Prismatic, 2),
        (JointKind::Fixed, 3),
        (JointKind::Distance { length: 1.0 }, 1),
    ] {
        let mut world = world(9.81, 1e-3);
        let hook = ghost(&mut world, true, (0.0, 0.0), &at(0.0, 0.0));
        let bob = ghost(&mut world, false, (1.0, 0.1), &at(0.6, 0.8));
        let axis = (kind == JointKind::Prismatic).then_some(Vec2::new(0.28, 0.96));
        let index = joint(&mut world, kind.clone(), (bob, hook), Vec2::new(0.1, 0.2), axis);
        if rows == 1 {
            // Between the centres, 1 m apart.
            let mut joint = world.joints()[index].clone();
            (joint.frame_a, joint.frame_b) = (Pose::identity(), Pose::identity());
            let mut other = self::world(9.81, 1e-3);
            ghost(&mut other, true, (0.0, 0.0), &at(0.0, 0.0));
            ghost(&mut other, false, (1.0, 0.1), &at(0.6, 0.8));
            other.add_joint(joint).unwrap();
            world = other;
        }
        run(&mut world, 1);
        assert_eq!(
            (world.problem().joint_count(), world.problem().dof()),
            (rows, 3),
            "{kind:?}"
        );
        let before = position(&world, bob);
        run(&mut world, 2000);
        if rows == 3 {
            assert!((position(&world, bob) - before).norm() < CLOSED);
        }
    }
}

#[test]
fn joints_that_leave_the_plane_are_refused() {
    let mut world = world(9.81, 1e-3);
    let hook = ghost(&mut world, true, (0.0, 0.0), &at(0.0, 0.0));
    let bob = ghost(&mut world, false, (1.0, 0.1), &at(1.0, 0.0));
    let index = joint(&mut world, JointKind::Revolute, (bob, hook), Vec2::zeros(), None);
    let good = world.joints()[index].clone();
    let mut text = |change: &dyn Fn(&mut Joint)| {
        let mut joint = good.clone();
        change(&mut joint);
        world.add_joint(joint).unwrap_err().to_string()
    };
    assert_eq!(
        text(&|joint| joint.kind = JointKind::Spherical),
        "joints[1].kind: must be revolute in a planar world, found spherical"
    );
    assert_eq!(
        text(&|joint| joint.frame_b.position.z = 0.5),
        "joints[1].frame_b: must be in the plane in a planar world, found z = 0.5"
    );
    let tilted = Quat::new_normalize(nalgebra::Quaternion::new(1.0, 0.1, 0.0, 0.0));
    assert!(text(&|joint| joint.frame_a.rotation = tilted).starts_with("joints[1].frame_a: must be about z"));
    assert!(text(&|joint| joint.kind = JointKind::Prismatic).contains("must be a frame with y across the plane"));
}

/// `pendulum` from 90 degrees: a quarter of its period, second order in h, and the pin stays closed.
#[test]
fn a_pendulum_keeps_its_period() {
    // A body of moment 0.1 m l² about its centre swings as a point mass on a string longer by a tenth.
    let quarter = 1.180_340_599_016_096_2 * FRAC_PI_2 * (1.1 / 9.81_f64).sqrt();
    let mut late = Vec::new();
    for h in [1e-3, 5e-4, 2.5e-4] {
        let mut world = world(9.81, h);
        let hook = ghost(&mut world, true, (0.0, 0.0), &at(0.0, 0.0));
        let bob = ghost(&mut world, false, (1.0, 0.1), &at(1.0, 0.0));
        joint(&mut world, JointKind::Revolute, (bob, hook), Vec2::zeros(), None);
        let (mut before, mut worst) = (1.0, 0.0_f64);
        loop {
            run(&mut world, 1);
            worst = worst.max(open(&world));
            let x = position(&world, bob).x;
            if x <= 0.0 {
                let crossed = world.state().time - h * x / (x - before);
                late.push(crossed - quarter);
                break;
            }
            before = x;
        }
        assert!(worst < CLOSED, "{worst:e}");
    }
    assert!(late[0].abs() < 2e-6, "{late:?}");
    for pair in late.windows(2) {
        let order = libm::log2(pair[0] / pair[1]);
        assert!(order >= 1.9, "{late:?}");
    }
}

/// `parallelogram`: cranks of length l and mass m, coupler M; the loop has one row too many in space, none in the plane.
#[test]
fn a_parallelogram_stays_closed() {
    let (m, coupler_mass, l, h) = (1.0, 2.0, 1.0, 1e-3);
    let mut world = world(9.81, h);
    let hook = ghost(&mut world, true, (0.0, 0.0), &at(0.0, 0.0));
    let tilt = Vec2::new(libm::sin(0.01), -libm::cos(0.01));
    let crank = |world: &mut World, x: f64| {
        let middle = Vec2::new(x, 0.0) + 0.5 * l * tilt;
        ghost(world, false, (m, m * l * l / 12.0), &along(middle.x, middle.y, tilt))
    };
    let cranks = [crank(&mut world, 0.0), crank(&mut world, 1.0)];
    let low = l * tilt;
    let coupler = ghost(&mut world, false, (coupler_mass, 0.2), &at(0.5 + low.x, low.y));
    for (k, body) in cranks.into_iter().enumerate() {
        let x = Vec2::new(if k == 0 { 0.0 } else { 1.0 }, 0.0);
        joint(&mut world, JointKind::Revolute, (body, hook), x, None);
        joint(&mut world, JointKind::Revolute, (coupler, body), x + low, None);
    }
    let period = 2.0 * PI / (9.81 / l * (m + coupler_mass) / (2.0 * m / 3.0 + coupler_mass)).sqrt();
    let (mut crossings, mut before, mut worst) = (Vec::new(), position(&world, coupler).x - 0.5, 0.0_f64);
    for step in 0..20_000 {
        run(&mut world, 1);
        worst = worst.max(open(&world));
        let x = position(&world, coupler).x - 0.5;
        if before > 0.0 && x <= 0.0 {
            crossings.push(h * (f64::from(step) + before / (before - x)));
        }
        before = x;
    }
    assert!(worst < CLOSED, "{worst:e}");
    let found = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
    // Of this, 1/16 of the squared angle of 0.01 is no error: the period is that of small swings.
    close(found, period, 4e-5);
}

/// The mechanism of `scenes/four-bar.toml`: the crank turns at the speed that is asked for and the loop stays closed.
#[test]
fn a_four_bar_mechanism_turns() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/four-bar.toml");
    let scene = Scene::read(path).unwrap();
    let mut world = World::from_scene(&scene).unwrap();
    let mut worst = 0.0_f64;
    let mut rocker = [f64::INFINITY, f64::NEG_INFINITY];
    for _ in 0..10_000 {
        world.step().unwrap();
        worst = worst.max(open(&world));
        let q = world.state().bodies[3].pose.rotation.coords;
        let swing = 2.0 * libm::atan2(q.z, q.w);
        rocker = [rocker[0].min(swing), rocker[1].max(swing)];
    }
    let turns = world.joint_coordinate(0).unwrap()[0] / std::f64::consts::TAU;
    assert!((9.9..10.1).contains(&turns), "{turns}");
    assert!(worst < CLOSED, "{worst:e}");
    // The rocker swings between the two places where crank and coupler lie in line: sides 1 ∓ 0.3 and √0.85 over a base of 1.
    let side = 0.85_f64.sqrt();
    let ends = [0.7, 1.3].map(|reach: f64| PI - libm::acos((1.0 + 0.85 - reach * reach) / (2.0 * side)));
    close(rocker[0], ends[1], 1e-7);
    close(rocker[1], ends[0], 1e-7);
}

/// A slider falls along its axis with g cos, stops at its limit, and is held by a motor.
#[test]
fn sliders_limits_and_motors() {
    let mut world = world(10.0, 1e-3);
    let rail = ghost(&mut world, true, (0.0, 0.0), &at(0.0, 0.0));
    let slider = ghost(&mut world, false, (2.0, 0.1), &at(0.0, 0.0));
    let axis = Vec2::new(0.6, -0.8);
    let index = joint(
        &mut world,
        JointKind::Prismatic,
        (slider, rail),
        Vec2::zeros(),
        Some(axis),
    );
    let mut limited = world.joints()[index].clone();
    limited.limits = Some([-1.0, 0.5]);
    let mut other = self::world(10.0, 1e-3);
    for (body, state) in world.bodies().iter().zip(&world.state().bodies) {
        other.add_body(body.clone(), *state).unwrap();
    }
    other.add_joint(limited).unwrap();
    let mut world = other;
    run(&mut world, 100);
    let [x, v, w] = velocity(&world, slider);
    close(x, 0.1 * 8.0 * axis.x, 1e-11);
    close(v, 0.1 * 8.0 * axis.y, 1e-11);
    close(w, 0.0, 1e-12);
    run(&mut world, 900);
    let [reached, speed] = world.joint_coordinate(0).unwrap();
    close(reached, 0.5, CLOSED);
    close(speed, 0.0, 1e-12);
    let motor = Motor {
        target: 0.2,
        stiffness: 500.0,
        damping: 60.0,
        most: f64::INFINITY,
        ..Motor::default()
    };
    world.set_motor(0, Some(motor)).unwrap();
    run(&mut world, 5000);
    // Held against the weight along the axis: 500 (x − 0.2) = 2 · 8.
    close(world.joint_coordinate(0).unwrap()[0], 0.2 + 16.0 / 500.0, 1e-9);
}

/// A fixed joint makes two bricks that touch one: they fly as one body does.
#[test]
fn bodies_fixed_to_each_other_move_as_one() {
    let mut world = world(10.0, 1e-3);
    let [a, b] = [0.0, 1.0].map(|x| brick(&mut world, [1.0, 0.5], 1.0, 0.5, &at(x, 0.0)));
    plane::throw(&mut world, a, [0.0, 0.0, 3.0]);
    plane::throw(&mut world, b, [0.0, 3.0, 3.0]);
    joint(&mut world, JointKind::Fixed, (b, a), Vec2::new(0.5, 0.0), None);
    let start = world.state().bodies[b].pose.position - world.state().bodies[a].pose.position;
    let mut worst = 0.0_f64;
    for _ in 0..3000 {
        run(&mut world, 1);
        let s = &world.state().bodies;
        let apart = s[a].pose.direction_in_body(s[b].pose.position - s[a].pose.position);
        worst = worst.max((apart - start).norm());
    }
    close(velocity(&world, a)[2], 3.0, 6e-8);
    assert!(worst < CLOSED, "{worst:e}");
}

#[test]
fn what_is_not_planar_is_refused() {
    let mut flat = world(9.81, 1e-3);
    let mut space = World::new(stiction_sim::Settings::default()).unwrap();
    let disc = ghost(&mut flat, false, (1.0, 1.0), &at(0.0, 0.0));
    let body = flat.bodies()[disc].clone();
    let state = flat.state().bodies[disc];
    assert_eq!(
        space.add_body(body.clone(), state).unwrap_err().to_string(),
        "bodies[0].shape: must be spatial in a spatial world, found another"
    );
    let mut ball = body.clone();
    ball.shape = stiction_sim::shape::Shape::Ball { radius: 1.0 };
    assert_eq!(
        flat.add_body(ball, state).unwrap_err(),
        SimError::Plane { index: 1, planar: true }
    );
    let mut tilted = state;
    tilted.spin.x = 0.5;
    assert_eq!(
        flat.add_body(body, tilted).unwrap_err().to_string(),
        "bodies[1].spin.x: must be 0 in a planar world, found 0.5"
    );
    let wrench = stiction_sim::Wrench {
        force: Vec3::z(),
        ..stiction_sim::Wrench::default()
    };
    assert_eq!(
        flat.apply(disc, wrench).unwrap_err().to_string(),
        "force.z: must be 0 in a planar world, found 1"
    );
    let settings = stiction_sim::Settings {
        planar: true,
        ..stiction_sim::Settings::default()
    };
    assert_eq!(
        World::new(settings).unwrap_err().to_string(),
        "gravity[2]: must be 0 in a planar world, found -9.81"
    );
}
