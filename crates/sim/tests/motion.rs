//! Bodies that move as prescribed, and what they carry.
#![allow(clippy::unwrap_used)]

use std::f64::consts::PI;

use stiction_scene::{Scene, WorldExt};
use stiction_sim::motion::{Keyframe, Keyframes, Motion, Wave};
use stiction_sim::{Pose, Quat, Vec3, World};

fn world(text: &str) -> World {
    World::from_scene(&Scene::parse(text, ".").unwrap()).unwrap()
}

/// A box on a table that moves up and down by a sin(ωt).
fn vibrating(amplitude: f64, rate: f64) -> World {
    world(&format!(
        r#"
        format = 1
        world.friction = 0.5
        [[body]]
        name = "table"
        kind = "kinematic"
        shape = {{ box = [2, 2, 0.2] }}
        motion = {{ slide = {{ amplitude = [0, 0, {amplitude}], rate = {rate} }} }}
        [[body]]
        name = "box"
        shape = {{ box = [0.2, 0.2, 0.2] }}
        position = [0, 0, 0.2]
        "#
    ))
}

fn gap(world: &World) -> f64 {
    let z = |k: usize| world.state().bodies[k].pose.position.z;
    z(1) - z(0) - 0.2
}

#[test]
fn a_box_stays_on_a_table_that_accelerates_by_less_than_g_and_hops_beyond() {
    // The largest acceleration is aω²; the table starts upwards at speed aω, which lifts the box at once.
    for (share, stays) in [(0.99, true), (1.01, false)] {
        let rate = 20.0;
        let amplitude = share * 9.81 / (rate * rate);
        let mut world = vibrating(amplitude, rate);
        world
            .set_velocity(1, Vec3::new(0.0, 0.0, amplitude * rate), Vec3::zeros())
            .unwrap();
        let mut highest = 0.0_f64;
        for _ in 0..2000 {
            world.step().unwrap();
            highest = highest.max(gap(&world));
            assert!(gap(&world) > -1e-9, "{}", gap(&world));
        }
        assert_eq!(highest < 1e-9, stays, "{share}: {highest:e}");
        // What the table gave is accounted for.
        let ledger = world.ledger();
        let left = ledger.kinetic + ledger.potential - ledger.injected + ledger.dissipated() + ledger.stepping();
        let start = 8.0 * (9.81 * 0.2 + 0.5 * (amplitude * rate) * (amplitude * rate));
        assert!((left - start).abs() < 1e-9 * start, "{ledger:?} {start}");
        assert!(ledger.worst_gain <= 1e-9 * start, "{ledger:?}");
    }
}

#[test]
fn poses_and_velocities_are_those_of_the_motion_to_the_bit() {
    let text = r#"
        format = 1
        [world]
        friction = 0.5
        dt = 0.003
        [[body]]
        name = "table"
        kind = "kinematic"
        shape = { box = [2, 2, 0.2] }
        position = [0, 0, 1]
        [body.motion]
        slide = { amplitude = [0.1, 0, 0.2], rate = 3, phase = 1 }
        turn = { axis = [0, 1, 0], degrees = 20, rate = 5 }
    "#;
    let mut world = world(text);
    let motion = world.motion(0).unwrap().clone();
    let h = world.settings().dt;
    assert_eq!(world.state().bodies[0].pose, motion.pose(0.0));
    for k in 0..1000_u32 {
        world.step().unwrap();
        let state = world.state().bodies[0];
        let time = f64::from(k + 1) * h;
        assert_eq!(state.pose, motion.pose(time));
        assert_eq!((state.velocity, state.spin), motion.velocity(time, 0.0));
    }
    // y = A sin(ωt + φ) in closed form.
    let time = 1000.0 * h;
    let expected = 1.0 + 0.2 * (3.0 * time + 1.0).sin();
    assert!((world.state().bodies[0].pose.position.z - expected).abs() < 1e-12);
    let speed = 0.2 * 3.0 * (3.0 * time + 1.0).cos();
    assert!((world.state().bodies[0].velocity.z - speed).abs() < 1e-12);
    let spin = 20_f64.to_radians() * 5.0 * (5.0 * time).cos();
    assert!((world.state().bodies[0].spin - Vec3::new(0.0, spin, 0.0)).norm() < 1e-12);
    let angle = 20_f64.to_radians() * (5.0 * time).sin();
    let up = world.state().bodies[0].pose.direction(Vec3::z());
    assert!((up - Vec3::new(angle.sin(), 0.0, angle.cos())).norm() < 1e-12);
}

#[test]
fn keyframes_are_passed_at_their_times() {
    let frame = |time: f64, x: f64, degrees: f64| {
        let half = 0.5 * degrees.to_radians();
        Keyframe {
            time,
            pose: Pose {
                position: Vec3::new(x, 0.0, 0.0),
                rotation: Quat::new_normalize(nalgebra::Quaternion::new(half.cos(), 0.0, 0.0, half.sin())),
            },
        }
    };
    let frames = vec![frame(1.0, 0.0, 0.0), frame(2.0, 4.0, 90.0), frame(4.0, 0.0, 0.0)];
    let pose = |smooth: bool, repeat: bool, time: f64| {
        let motion = Motion::Keyframes(Keyframes {
            frames: frames.clone(),
            smooth,
            repeat,
        });
        let pose = motion.pose(time);
        let facing = pose.direction(Vec3::x());
        (pose.position.x, facing.y.atan2(facing.x).to_degrees())
    };
    for (time, x, degrees) in [
        (0.0, 0.0, 0.0),
        (1.0, 0.0, 0.0),
        (1.25, 1.0, 22.5),
        (2.0, 4.0, 90.0),
        (3.0, 2.0, 45.0),
        (4.0, 0.0, 0.0),
        (9.0, 0.0, 0.0),
    ] {
        let found = pose(false, false, time);
        assert!(
            (found.0 - x).abs() < 1e-12 && (found.1 - degrees).abs() < 1e-12,
            "{time}: {found:?}"
        );
    }
    // 3u² − 2u³ at a quarter: 5/32.
    let found = pose(true, false, 1.25);
    assert!(
        (found.0 - 0.625).abs() < 1e-12 && (found.1 - 14.0625).abs() < 1e-12,
        "{found:?}"
    );
    for (time, same) in [(5.0, 2.0), (4.5, 1.5), (8.0, 2.0), (-1.0, 2.0)] {
        let (found, expected) = (pose(false, true, time), pose(false, true, same));
        assert!((found.0 - expected.0).abs() < 1e-12, "{time}: {found:?} {expected:?}");
    }
}

#[test]
fn a_conveyor_by_keyframes_carries_and_stops_a_box() {
    // 1 m/s from the start for 2 s, then at rest: the box slips until it has that speed, μ g t = v.
    let text = r#"
        format = 1
        world.friction = 0.5
        [[body]]
        name = "belt"
        kind = "kinematic"
        shape = { box = [20, 2, 0.2] }
        position = [0, 0, -0.1]
        [body.motion]
        keyframes = [{ time = 0 }, { time = 2, position = [2, 0, -0.1] }]
        [[body]]
        name = "box"
        shape = { box = [0.2, 0.2, 0.2] }
        position = [0, 0, 0.1]
    "#;
    let mut world = world(text);
    let speed = |world: &World| world.state().bodies[1].velocity.x;
    let slip = 1.0 / (0.5 * 9.81);
    while world.state().time < slip - 2e-3 {
        world.step().unwrap();
        let expected = 0.5 * 9.81 * world.state().time;
        assert!((speed(&world) - expected).abs() < 1e-9, "{} {expected}", speed(&world));
    }
    while world.state().time < 2.0 - 5e-4 {
        world.step().unwrap();
    }
    assert!((speed(&world) - 1.0).abs() < 1e-12, "{}", speed(&world));
    for _ in 0..1000 {
        world.step().unwrap();
    }
    assert!(speed(&world).abs() < 1e-12, "{}", speed(&world));
    // The belt pulls with μmg over v · v/(μg): m v², half of it heat; then the box brakes on the belt at rest.
    let ledger = world.ledger();
    assert!((ledger.injected - 8.0).abs() < 0.05, "{ledger:?}");
    assert!((ledger.dissipated() - 8.0).abs() < 0.05, "{ledger:?}");
    // v²/(2μg) behind the belt, and the same ahead of it: the two cancel.
    let moved = world.state().bodies[1].pose.position.x;
    assert!((moved - 2.0).abs() < 2e-3, "{moved}");
}

#[test]
fn a_table_tilts_until_the_box_slides() {
    // From 0 to 45° in 10 s, evenly: tan = 0.5 at 26.565°, after 5.903 s. Turning at 0.0785 rad/s adds ω²r, below 1e-4 of g.
    let text = r#"
        format = 1
        world.friction = 0.5
        [[body]]
        name = "table"
        kind = "kinematic"
        shape = { box = [4, 4, 0.2] }
        [body.motion]
        keyframes = [{ time = 0 }, { time = 10, orientation = { axis = [0, 1, 0], degrees = 45 } }]
        [[body]]
        name = "box"
        shape = { box = [0.2, 0.2, 0.2] }
        position = [0, 0, 0.2]
    "#;
    let mut world = world(text);
    let on_table = |world: &World| {
        let [table, body] = [0, 1].map(|k| world.state().bodies[k].pose);
        table.point_in_body(body.position)
    };
    let mut slid = 0.0;
    while slid == 0.0 && world.state().time < 9.0 {
        world.step().unwrap();
        if on_table(&world).x > 1e-4 {
            slid = world.state().time;
        }
    }
    // Beyond the angle of friction φ the box gains g ω t / cos φ, and slides 1e-4 m in the time t of x = g ω t³ / (6 cos φ).
    let (turning, angle) = (0.025 * PI, 0.5_f64.atan());
    let late = (6e-4 * angle.cos() / (9.81 * turning)).cbrt();
    let expected = angle / turning + late;
    assert!((slid - expected).abs() < 0.01, "{slid} {expected}");
    assert!((on_table(&world).z - 0.2).abs() < 1e-6);
}

#[test]
fn a_world_with_motions_goes_on_where_it_was_saved() {
    let (mut world, mut other) = (vibrating(0.02, 30.0), vibrating(0.02, 30.0));
    for _ in 0..137 {
        world.step().unwrap();
    }
    other.load(&world.save()).unwrap();
    for step in 0..300 {
        world.step().unwrap();
        other.step().unwrap();
        assert_eq!(world.state().hash(), other.state().hash(), "step {step}");
    }
}

#[test]
fn scenes_with_motions_that_make_no_sense() {
    let head = "format = 1\n[[body]]\nshape = { box = [1, 1, 1] }\n";
    for (rest, expected) in [
        (
            "motion = { slide = { amplitude = [0, 0, 1], rate = 1 } }",
            "scene:4:10: body[0].motion: must be given for a kinematic body only, found { slide = { amplitude = [0, 0, 1], rate ...",
        ),
        (
            "kind = \"kinematic\"\nmotion = {}",
            "scene:5:10: body[0].motion: must have a slide, a turn or keyframes, found none",
        ),
        (
            "kind = \"kinematic\"\nmotion = { turn = { axis = [0, 0, 0], degrees = 1, rate = nan } }",
            "scene:5:28: body[0].motion.turn.axis: must not be zero, found [0, 0, 0]\n\
             scene:5:59: body[0].motion.turn.rate: must be finite, found nan",
        ),
        (
            "kind = \"kinematic\"\nmotion = { keyframes = [{ time = 1 }, { time = 1 }], slide = 3 }",
            "scene:5:48: body[0].motion.keyframes[1].time: must lie after the one before, found 1\n\
             scene:5:62: body[0].motion.slide: must not be given beside keyframes, found 3",
        ),
        (
            "kind = \"kinematic\"\nmotion = { keyframes = [] }",
            "scene:5:24: body[0].motion.keyframes: must have 1 to 100000 entries, found 0",
        ),
        (
            "kind = \"kinematic\"\nspin = [0, 0, 1]\nmotion = { slide = { amplitude = [0, 0, 1], rate = 1 }, smooth = true }",
            "scene:5:8: body[0].spin: must be given for a kinematic body without motion, or a dynamic body only, found [0, 0, 1]\n\
             scene:6:66: body[0].motion.smooth: must be given beside keyframes only, found true",
        ),
    ] {
        let error = Scene::parse(&format!("{head}{rest}\n"), ".").unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn motions_with_bad_numbers_are_refused() {
    let mut world = vibrating(0.01, 1.0);
    let wave = |x: f64| Wave {
        amplitude: Vec3::new(0.0, x, 0.0),
        rate: 1.0,
        phase: 0.0,
    };
    let sine = |x: f64| Motion::Sine {
        middle: Pose::identity(),
        slide: wave(x),
        turn: Wave::default(),
    };
    assert!(world.prescribe(0, Some(sine(f64::NAN))).is_err());
    assert!(world.prescribe(9, None).is_err());
    let none = Keyframes {
        frames: Vec::new(),
        smooth: false,
        repeat: true,
    };
    assert!(world.prescribe(0, Some(Motion::Keyframes(none))).is_err());
    // Poses cannot be set against a motion.
    let error = world.set_pose(0, Pose::identity()).unwrap_err().to_string();
    assert_eq!(
        error,
        "pose: must not be set for a body that follows a motion: body, found 0"
    );
    assert!(world.set_velocity(0, Vec3::zeros(), Vec3::zeros()).is_err());
    world.prescribe(0, Some(sine(0.5))).unwrap();
    world.step().unwrap();
    // Without a motion the body keeps its velocity.
    world.prescribe(0, None).unwrap();
    let before = world.state().bodies[0];
    world.step().unwrap();
    let after = world.state().bodies[0];
    assert!((after.pose.position - before.pose.position - 1e-3 * before.velocity).norm() < 1e-15);
}

#[test]
fn a_coupling_leads_a_body_after_another() {
    let text = r#"
        format = 1
        world = { friction = 0.5, gravity = [0, 0, 0] }
        body = [
            { name = "hand", kind = "kinematic", shape = { ball = 0.1 }, position = [0.2, 0, 0], orientation = { axis = [0, 0, 1], degrees = 30 }, groups = [] },
            { name = "tool", shape = { box = [0.3, 0.2, 0.1] }, mass = 2 },
        ]
        coupling = [{ body = "tool", leader = "hand", stiffness = [100, 0.5], damping = [20, 0.1] }]
    "#;
    let mut world = World::from_scene(&Scene::parse(text, ".").unwrap()).unwrap();
    world.step().unwrap();
    // One step: h k x / m, and h k_r angle over the moment about z.
    let tool = world.state().bodies[1];
    assert!(
        (tool.velocity.x - 1e-3 * 100.0 * 0.2 / 2.0).abs() < 1e-15,
        "{}",
        tool.velocity
    );
    let moment = 2.0 * (0.09 + 0.04) / 12.0;
    let expected = 1e-3 * 0.5 * std::f64::consts::FRAC_PI_6 / moment;
    assert!((tool.spin.z - expected).abs() < 1e-12, "{} {expected}", tool.spin.z);
    for _ in 0..10_000 {
        world.step().unwrap();
    }
    let [hand, tool] = [0, 1].map(|k| world.state().bodies[k].pose);
    assert!((hand.position - tool.position).norm() < 1e-9, "{}", tool.position);
    assert!(hand.rotation.angle_to(&tool.rotation) < 1e-7);
    // The leader is no body to be led, and a body that is gone leads no more.
    let wrong = stiction_sim::Coupling {
        body: 0,
        leader: 0,
        stiffness: [1.0; 2],
        damping: [0.0; 2],
    };
    assert_eq!(
        world.couple(wrong).unwrap_err().to_string(),
        "coupling.body: must be dynamic, found 0"
    );
    world.remove_body(0).unwrap();
    world.step().unwrap();
}
