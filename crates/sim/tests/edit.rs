//! Bodies and joints that come and go while the world runs.
#![allow(clippy::unwrap_used)]

mod worlds;

use stiction_contact::Law;
use stiction_record::{Message, RecordOptions, Recorder, Recording};
use stiction_scene::WorldExt as _;
use stiction_sim::body::{Body, Kind, Material};
use stiction_sim::energy::Ledger;
use stiction_sim::joint::{Joint, JointKind};
use stiction_sim::shape::Shape;
use stiction_sim::state::BodyState;
use stiction_sim::{PairMaterial, Pose, Settings, TimedForce, Vec3, World, Wrench};
use worlds::{add_box, at, ground};

/// Energy now, less what came in, plus what went out: stays as it was at the start.
fn balance(ledger: &Ledger) -> f64 {
    ledger.kinetic + ledger.potential - ledger.injected - ledger.eased + ledger.dissipated() + ledger.stepping()
}

fn stack(count: u32) -> World {
    let mut world = ground(Law::Coulomb, 0.5);
    for i in 0..count {
        let z = 0.1 + 0.2 * f64::from(i);
        add_box(
            &mut world,
            Vec3::repeat(0.1),
            Material::of_friction(0.5),
            at(0.0, 0.0, z),
        );
    }
    world
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        world.step().unwrap();
    }
}

#[test]
fn a_stack_falls_when_its_lowest_box_is_taken_away() {
    let mut world = stack(5);
    let start = balance(world.ledger());
    run(&mut world, 100);
    let ids: Vec<_> = (0..6).map(|body| world.body_id(body).unwrap()).collect();
    let taken = world.remove_body(1).unwrap();
    assert_eq!(taken.name, "box 1");
    assert_eq!(world.bodies().len(), 5);
    assert!(world.contacts().is_empty() && world.solution().normal_impulse.is_empty());
    assert_eq!(world.body_with_id(ids[1]), None);
    assert_eq!(world.body_with_id(ids[2]), Some(1));
    assert_eq!(world.find_body("box 2"), Some(1));
    // Free fall at first.
    world.step().unwrap();
    let fall = world.state().bodies[1].velocity.z;
    assert!((fall + 9.81e-3).abs() < 1e-12, "{fall}");
    run(&mut world, 1000);
    for (k, body) in world.state().bodies.iter().enumerate().skip(1) {
        let z = 0.1 + 0.2 * (k as f64 - 1.0);
        assert!((body.pose.position.z - z).abs() < 1e-8, "{k}: {body:?}");
        assert!(body.velocity.norm() < 1e-8, "{k}: {body:?}");
    }
    // A new one on top, with a speed.
    let mut state = at(0.02, 0.0, 1.2);
    state.velocity.z = -1.0;
    let top = add_box(&mut world, Vec3::repeat(0.1), Material::of_friction(0.5), state);
    assert!(ids.iter().all(|id| world.body_id(top) != Some(*id)));
    run(&mut world, 1000);
    let z = world.state().bodies[top].pose.position.z;
    assert!((z - 0.9).abs() < 1e-8, "{z}");
    // What was taken out and brought in is in the ledger.
    let (box_mass, g) = (8.0, 9.81);
    let injected = -box_mass * g * 0.1 + box_mass * (g * 1.2 + 0.5);
    let ledger = world.ledger();
    assert!((ledger.injected - injected).abs() < 1e-9, "{ledger:?}");
    assert!(
        (balance(ledger) - start).abs() < 1e-9 * ledger.potential,
        "{ledger:?}, {start}"
    );
    assert!(ledger.worst_gain < 1e-9 * ledger.potential, "{ledger:?}");
}

/// Two towers; the contacts of one keep their names when a body of the other, with a lower number, goes.
#[test]
fn warm_starts_survive_a_removal() {
    let mut world = ground(Law::Coulomb, 0.5);
    for x in [5.0, 0.0] {
        for i in 0..3 {
            let z = 0.1 + 0.2 * f64::from(i);
            add_box(&mut world, Vec3::repeat(0.1), Material::of_friction(0.5), at(x, 0.0, z));
        }
    }
    run(&mut world, 20);
    let keys = |world: &World, x: f64| -> Vec<u64> {
        let near = world.contacts().iter().filter(|c| (c.point.x - x).abs() < 1.0);
        near.map(|c| c.key).collect()
    };
    let before = keys(&world, 0.0);
    world.remove_body(3).unwrap();
    let report = world.step().unwrap();
    assert_eq!(keys(&world, 0.0), before);
    assert_eq!((report.warm, report.islands), (2, 2), "{report:?}");
    // And what is left of the first tower did not notice that its top is gone from the list.
    assert_eq!(keys(&world, 5.0).len(), 8);
}

#[test]
fn what_spoke_of_the_body_goes_with_it() {
    let mut world = stack(4);
    let lone = add_box(
        &mut world,
        Vec3::repeat(0.1),
        Material::of_friction(0.5),
        at(3.0, 0.0, 0.1),
    );
    let push = |x: f64| Wrench {
        force: Vec3::new(x, 0.0, 0.0),
        torque: Vec3::zeros(),
    };
    let timed = |body: usize| TimedForce {
        body,
        wrench: push(30.0),
        from: 0.0,
        until: 10.0,
    };
    world.schedule(timed(1)).unwrap();
    world.schedule(timed(lone)).unwrap();
    let slippery = PairMaterial {
        friction: Some(0.0),
        ..PairMaterial::default()
    };
    world.set_pair(0, lone, slippery).unwrap();
    world.set_pair(0, 1, slippery).unwrap();
    world.keep_apart(1, 2).unwrap();
    world.keep_apart(3, 4).unwrap();
    let joint = |a: usize, b: usize, name: &str| Joint {
        name: name.to_owned(),
        a,
        b,
        kind: JointKind::Fixed,
        frame_a: Pose {
            position: Vec3::new(0.0, 0.0, -0.1),
            ..Pose::identity()
        },
        frame_b: Pose {
            position: Vec3::new(0.0, 0.0, 0.1),
            ..Pose::identity()
        },
        limits: None,
        motor: None,
        friction: 0.0,
    };
    world.add_joint(joint(2, 1, "low")).unwrap();
    world.add_joint(joint(4, 3, "high")).unwrap();
    run(&mut world, 3);
    world.remove_body(1).unwrap();
    let names: Vec<&str> = world.joints().iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["high"]);
    assert_eq!((world.joints()[0].a, world.joints()[0].b), (3, 2));
    let (before, h) = (world.state().bodies[4].velocity.x, world.settings().dt);
    let drift = |world: &World| world.state().bodies[1..4].iter().map(|b| b.velocity.x).sum::<f64>();
    let drifted = drift(&world);
    world.step().unwrap();
    // The force still acts on the last body, without friction, and on no other.
    let gained = world.state().bodies[4].velocity.x - before;
    assert!((gained - h * 30.0 / 8.0).abs() < 1e-12, "{gained}");
    assert!((drift(&world) - drifted).abs() < 1e-12);
    run(&mut world, 1000);
    // The rest of the stack has landed; box 2, which passed through box 1, is held by the ground.
    assert!((world.state().bodies[1].pose.position.z - 0.1).abs() < 1e-8);
    let high = world.remove_joint(0).unwrap();
    assert_eq!(high.name, "high");
    assert!(world.remove_joint(0).is_err());
    run(&mut world, 10);
}

#[test]
fn poses_velocities_and_impulses_are_accounted_for() {
    let mut world = stack(1);
    world.set_pose(1, at(0.0, 0.0, 2.0).pose).unwrap();
    assert_eq!(world.ledger().injected, 0.0);
    let start = balance(world.ledger());
    assert!((start - 8.0 * 9.81 * 2.0).abs() < 1e-12, "{start}");
    run(&mut world, 10);
    world
        .set_velocity(1, Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 2.0))
        .unwrap();
    world.set_pose(1, at(0.0, 0.0, 1.0).pose).unwrap();
    // At a corner: J/m, and the moment r × J over the inertia m s²/6.
    let before = world.state().bodies[1];
    let (impulse, arm) = (Vec3::new(0.0, 4.0, 0.0), Vec3::new(0.1, 0.0, 0.0));
    world.apply_impulse(1, impulse, before.pose.position + arm).unwrap();
    let after = world.state().bodies[1];
    assert!((after.velocity - before.velocity - impulse / 8.0).norm() < 1e-15);
    let spun = 0.4 / (8.0 * 0.04 / 6.0);
    assert!((after.spin - before.spin - Vec3::new(0.0, 0.0, spun)).norm() < 1e-12);
    run(&mut world, 2000);
    let ledger = world.ledger();
    assert!((balance(ledger) - start).abs() < 1e-9 * start, "{ledger:?} {start}");
}

#[test]
fn misuse_is_refused_and_changes_nothing() {
    let mut world = stack(2);
    run(&mut world, 3);
    let before = world.state().clone();
    let (bad, v) = (Vec3::new(0.0, f64::NAN, 0.0), Vec3::zeros());
    let mut turned = Pose::identity();
    turned.rotation = stiction_sim::Quat::new_unchecked(nalgebra::Quaternion::new(2.0, 0.0, 0.0, 0.0));
    for (error, expected) in [
        (world.remove_body(9).map(drop), "body: must be below 3, found 9"),
        (world.remove_joint(0).map(drop), "joint: must be below 0, found 0"),
        (world.set_pose(9, Pose::identity()), "body: must be below 3, found 9"),
        (world.set_pose(1, turned), "rotation: must have length 1, found 2"),
        (
            world.set_velocity(0, v, v),
            "velocity: must be set for a body that is not fixed and follows no motion only: body, found 0",
        ),
        (world.set_velocity(1, bad, v), "velocity[1]: must be finite, found NaN"),
        (world.set_velocity(1, v, bad), "spin[1]: must be finite, found NaN"),
        (
            world.apply_impulse(0, v, v),
            "impulse: must act on a dynamic body: body, found 0",
        ),
        (world.apply_impulse(1, v, bad), "point[1]: must be finite, found NaN"),
        (
            world.apply_impulse(1, Vec3::repeat(1e308), Vec3::repeat(1e300)),
            "impulse: must leave velocities finite, found NaN",
        ),
        (world.keep_apart(1, 1), "pair: must be two bodies, found 1"),
        (
            world.prescribe(1, None),
            "motion: must be that of a kinematic body: body, found 1",
        ),
    ] {
        assert_eq!(error.unwrap_err().to_string(), expected);
    }
    assert_eq!(*world.state(), before);
    world.step().unwrap();
}

/// A world that lost and gained bodies is saved, and goes on with the same bits in another that has the same bodies by another way.
#[test]
fn saved_after_a_removal() {
    let mut world = stack(5);
    run(&mut world, 50);
    world.remove_body(2).unwrap();
    run(&mut world, 30);
    add_box(
        &mut world,
        Vec3::repeat(0.1),
        Material::of_friction(0.5),
        at(1.0, 0.0, 0.3),
    );
    run(&mut world, 30);
    let saved = world.save();
    let mut other = World::new(Settings::default()).unwrap();
    for (body, state) in world.bodies().iter().zip(&world.state().bodies) {
        other.add_body(body.clone(), *state).unwrap();
    }
    other.load(&saved).unwrap();
    for (a, b) in (0..5).map(|k| (world.body_id(k), other.body_id(k))) {
        assert_eq!(a, b);
    }
    for step in 0..200 {
        assert_eq!(world.step().unwrap(), other.step().unwrap(), "step {step}");
        assert_eq!(world.state().hash(), other.state().hash(), "step {step}");
    }
    // A body that comes later has an id of its own in both.
    let new = |world: &mut World| {
        let body = add_box(world, Vec3::repeat(0.1), Material::of_friction(0.5), at(2.0, 0.0, 0.3));
        world.body_id(body)
    };
    assert_eq!(new(&mut world), new(&mut other));
}

#[test]
fn a_recording_names_the_bodies_anew() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("edited.mcap");
    let mut world = stack(2);
    let mut recorder = Recorder::create(&path, &world, RecordOptions::default()).unwrap();
    let step = |world: &mut World, recorder: &mut Recorder| {
        let report = world.step().unwrap();
        recorder.record(world, &report).unwrap();
    };
    step(&mut world, &mut recorder);
    // As many bodies as before, but others.
    world.remove_body(1).unwrap();
    let ball = Body {
        name: "ball".to_owned(),
        kind: Kind::Kinematic,
        shape: Shape::Ball { radius: 0.1 },
        material: Material::of_friction(0.5),
        groups: 1,
        origin_body: Vec3::zeros(),
    };
    world.add_body(ball, BodyState::default()).unwrap();
    step(&mut world, &mut recorder);
    step(&mut world, &mut recorder);
    recorder.finish().unwrap();
    let mut lists = Vec::new();
    for message in Recording::open(&path).unwrap() {
        if let Message::World(world) = message.unwrap() {
            lists.push(world.bodies.iter().map(|b| b.name.clone()).collect::<Vec<_>>());
        }
    }
    assert_eq!(
        lists,
        [vec!["ground", "box 1", "box 2"], vec!["ground", "box 2", "ball"]]
    );
}

#[test]
fn limits_are_set_where_the_coordinate_lies_between_them() {
    let scene = r#"
        format = 1
        world = { dt = 0.001 }
        [[body]]
        name = "post"
        kind = "fixed"
        shape = { ball = 0.01 }
        groups = []
        [[body]]
        name = "rod"
        shape = { box = [1, 0.1, 0.1] }
        mass = 1
        position = [0.5, 0, 0]
        groups = []
        [[joint]]
        name = "hinge"
        kind = "revolute"
        a = "rod"
        b = "post"
        position = [0, 0, 0]
        axis = [0, 1, 0]"#;
    let scene = stiction_scene::Scene::parse(scene, ".").unwrap();
    let mut world = World::from_scene(&scene).unwrap();
    for (limits, message) in [
        ([0.5, 1.0], "must have the coordinate between them"),
        ([1.0, -1.0], "must be in order"),
    ] {
        let refused = world.set_limits(0, Some(limits)).unwrap_err();
        assert!(refused.to_string().contains(message), "{refused}");
        assert_eq!(world.joints()[0].limits, None);
    }
    assert!(world.set_limits(1, None).is_err());
    world.set_limits(0, Some([-0.3, 0.3])).unwrap();
    run(&mut world, 3000);
    assert!((world.q()[0] - 0.3).abs() < 1e-6, "{}", world.q()[0]);
    world.set_limits(0, None).unwrap();
    run(&mut world, 100);
    assert!(world.q()[0] > 0.31, "{}", world.q()[0]);
}
