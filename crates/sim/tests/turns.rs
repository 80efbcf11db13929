//! Whole turns of angles: servos, springs, limits and readings beyond half a turn.
#![allow(clippy::unwrap_used)]

use std::f64::consts::{PI, TAU};
use std::path::Path;

use stiction_scene::mjcf::{Mjcf, MjcfOptions};
use stiction_scene::{Scene, WorldExt};
use stiction_sim::{Pose, Quat, Settings, Stepper, Vec3, World};

/// A rod on a hinge without gravity.
const WHEEL: &str = r#"<mujoco><worldbody><body name="rod" pos="0 0 1"><joint name="w" axis="0 1 0" JOINT/>
    <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" contype="0" conaffinity="0"/></body></worldbody>
    TENDON<actuator>ACTUATOR</actuator><sensor><jointpos name="p" joint="w"/></sensor></mujoco>"#;

/// The same arm as many have: two hinges that may turn further than half a turn either way.
const ARM: &str = r#"<mujoco><compiler angle="radian"/><worldbody><body name="base" pos="0 0 .5"><body name="l1" pos="0 0 .1">
    <joint name="pan" axis="0 0 1" range="-6.28319 6.28319" armature=".1"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".04" mass="3"/>
    <body name="l2" pos=".4 0 0"><joint name="lift" axis="0 1 0" range="-6.28319 6.28319" armature=".1"/>
    <geom type="capsule" fromto="0 0 0 .4 0 0" size=".04" mass="2"/></body></body></body></worldbody>
    <actuator><position name="pan" joint="pan" kp="2000" kv="200" forcerange="-150 150"/>
    <position name="lift" joint="lift" kp="2000" kv="200" forcerange="-150 150"/></actuator></mujoco>"#;

fn world_of(text: &str, stepper: Stepper, gravity: f64) -> World {
    let settings = Settings {
        dt: 0.002,
        gravity: Vec3::new(0.0, 0.0, -gravity),
        stepper,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let robot = Mjcf::parse(text, ".").unwrap();
    world.add_mjcf(&robot, &MjcfOptions::default()).unwrap();
    world
}

fn wheel(joint: &str, actuator: &str, stepper: Stepper) -> World {
    let text = WHEEL.replace("JOINT", joint).replace("ACTUATOR", actuator);
    world_of(&text.replace("TENDON", ""), stepper, 0.0)
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        world.step().unwrap();
    }
}

fn sensor(world: &World) -> f64 {
    let mut out = vec![0.0; world.sensor_count()];
    world.sensor_values(&mut out).unwrap();
    out[0]
}

const STEPPERS: [Stepper; 3] = [Stepper::Midpoint, Stepper::StewartTrinkle, Stepper::AnitescuPotra];
const SERVO: &str = r#"<position joint="w" kp="20" kv="3"/>"#;

#[test]
fn a_servo_reaches_a_target_beyond_half_a_turn() {
    for stepper in STEPPERS {
        for target in [3.5, -4.0, 6.5, 20.0] {
            let mut world = wheel("", SERVO, stepper);
            world.set_ctrl(&[target]).unwrap();
            run(&mut world, 6000);
            let [q, v] = world.joint_coordinate(0).unwrap();
            assert!(
                (q - target).abs() < 1e-4 && v.abs() < 1e-3,
                "{stepper:?}: {target}: {q} {v}"
            );
            assert!((world.q()[0] - q).abs() < 1e-12 && (sensor(&world) - q).abs() < 1e-12);
        }
    }
}

#[test]
fn an_arm_of_two_turns_goes_where_its_servos_say() {
    let mut world = world_of(ARM, Stepper::Midpoint, 9.81);
    for target in [1.5, 3.0, 3.5, 5.0, -3.5] {
        world.set_ctrl(&[target, -0.5]).unwrap();
        run(&mut world, 2500);
        let (q, v) = (world.q(), world.v());
        assert!(
            (q[0] - target).abs() < 1e-3 && (q[1] + 0.5).abs() < 0.02,
            "{target}: {q:?}"
        );
        assert!(v[0].abs() < 1e-3 && v[1].abs() < 1e-3, "{target}: {v:?}");
    }
}

#[test]
fn a_spring_winds_up_beyond_half_a_turn() {
    let motor = r#"<motor joint="w"/>"#;
    for stepper in STEPPERS {
        let mut world = wheel(r#"stiffness="2" damping="0.2""#, motor, stepper);
        world.set_ctrl(&[6.6]).unwrap();
        run(&mut world, 8000);
        let [q, v] = world.joint_coordinate(0).unwrap();
        assert!((q - 3.3).abs() < 1e-3 && v.abs() < 1e-3, "{stepper:?}: {q} {v}");
    }
}

#[test]
fn limits_beyond_half_a_turn_stop_a_joint() {
    let motor = r#"<motor joint="w"/>"#;
    for stepper in STEPPERS {
        for degrees in [180.0, 200.0, 360.0, 700.0_f64] {
            let mut world = wheel(
                &format!(r#"range="{} {degrees}" damping="0.1""#, -degrees),
                motor,
                stepper,
            );
            for sign in [1.0, -1.0] {
                world.set_ctrl(&[sign]).unwrap();
                run(&mut world, 4000);
                let [q, v] = world.joint_coordinate(0).unwrap();
                let end = sign * degrees.to_radians();
                assert!(
                    (q - end).abs() < 1e-3 && v.abs() < 1e-6,
                    "{stepper:?}: {degrees}: {q} {v}"
                );
            }
        }
    }
}

#[test]
fn a_wheel_reads_all_its_turns() {
    for stepper in STEPPERS {
        let mut world = wheel("", r#"<velocity joint="w" kv="3"/>"#, stepper);
        world.set_joints(&[0.0], &[2.0]).unwrap();
        world.set_ctrl(&[2.0]).unwrap();
        run(&mut world, 5000);
        assert!((sensor(&world) - 20.0).abs() < 1e-2, "{stepper:?}: {}", sensor(&world));
    }
}

#[test]
fn what_spins_faster_than_half_a_turn_in_a_step_is_counted_by_its_speed() {
    let text = WHEEL.replace("0 0 0 0.3 0 0", "-0.1 0 0 0.1 0 0").replace("JOINT", "");
    let text = text.replace("ACTUATOR", "").replace("TENDON", "");
    for stepper in STEPPERS {
        for speed in [2000.0, -3000.0] {
            let mut world = world_of(&text, stepper, 0.0);
            world.set_joints(&[0.0], &[speed]).unwrap();
            run(&mut world, 50);
            let [q, v] = world.joint_coordinate(0).unwrap();
            assert!((v / speed - 1.0).abs() < 1e-9, "{stepper:?}: {v}");
            assert!((q / (0.1 * speed) - 1.0).abs() < 1e-9, "{stepper:?}: {q}");
        }
    }
}

#[test]
fn coordinates_that_are_set_keep_their_turns() {
    let mut world = wheel("", SERVO, Stepper::Midpoint);
    for q in [4.5, -4.5, 100.0, 0.3] {
        world.set_joints(&[q], &[0.0]).unwrap();
        assert!((world.q()[0] - q).abs() < 1e-12);
        assert!((world.joint_coordinate(0).unwrap()[0] - q).abs() < 1e-12);
        // The servo holds it there.
        world.set_ctrl(&[q]).unwrap();
        run(&mut world, 10);
        assert!((world.q()[0] - q).abs() < 1e-9, "{q}: {:?}", world.q());
    }
    assert!(world.state().turns.is_empty());
    // A pose says an angle between −π and π.
    world.set_joints(&[4.5], &[0.0]).unwrap();
    let body = world.find_body("rod").unwrap();
    let pose = world.state().bodies[body].pose;
    let turned = Pose {
        rotation: Quat::from_axis_angle(&Vec3::y_axis(), 1e-3) * pose.rotation,
        ..pose
    };
    world.set_pose(body, turned).unwrap();
    let q = world.q()[0];
    assert!((q - (4.501 - TAU)).abs() < 1e-4, "{q}");
}

#[test]
fn joints_come_and_go_beside_one_that_has_turned() {
    let mut world = wheel("", SERVO, Stepper::Midpoint);
    world.set_joints(&[4.5], &[0.0]).unwrap();
    world.set_ctrl(&[4.5]).unwrap();
    run(&mut world, 3);
    let mut other = world.joints()[0].clone();
    other.name = "other".to_owned();
    let added = world.add_joint(other).unwrap();
    world.statics(None).unwrap();
    run(&mut world, 3);
    world.remove_joint(added).unwrap();
    run(&mut world, 3);
    assert!((world.q()[0] - 4.5).abs() < 1e-6, "{:?}", world.q());
}

#[test]
fn turns_are_part_of_hashes_and_of_saved_states_where_there_are_any() {
    let mut world = wheel("", SERVO, Stepper::Midpoint);
    world.set_joints(&[1.0], &[0.0]).unwrap();
    let (hash, bytes) = (world.state().hash(), world.save());
    assert_eq!(&bytes[..8], b"STICWLD6");
    world.set_joints(&[1.0 + TAU], &[0.0]).unwrap();
    assert_ne!(world.state().hash(), hash);
    world.set_ctrl(&[9.0]).unwrap();
    run(&mut world, 100);
    let saved = world.save();
    assert_eq!(&saved[..8], b"STICWLD7");
    let mut other = wheel("", SERVO, Stepper::Midpoint);
    other.load(&saved).unwrap();
    assert_eq!(other.state(), world.state());
    run(&mut world, 100);
    run(&mut other, 100);
    assert_eq!(other.state().hash(), world.state().hash());
    assert_eq!(other.save(), world.save());
    other.load(&bytes).unwrap();
    assert!((other.q()[0] - 1.0).abs() < 1e-12);
}

#[test]
fn a_tendon_counts_the_turns_of_its_joints() {
    let tendon = r#"<tendon><fixed name="t"><joint joint="w" coef="0.5"/></fixed></tendon>"#;
    let actuator = r#"<position tendon="t" kp="40" kv="6"/>"#;
    let text = WHEEL.replace("JOINT", "").replace("ACTUATOR", actuator);
    for stepper in STEPPERS {
        let mut world = world_of(&text.replace("TENDON", tendon), stepper, 0.0);
        world.set_ctrl(&[3.0]).unwrap();
        run(&mut world, 8000);
        assert!((world.q()[0] - 6.0).abs() < 1e-3, "{stepper:?}: {:?}", world.q());
        world.set_joints(&[-6.0], &[0.0]).unwrap();
        let tendon = world.joint_coordinate(1).unwrap()[0];
        assert!((tendon + 3.0).abs() < 1e-12, "{stepper:?}: {tendon}");
    }
}

#[test]
fn turns_of_a_joint_with_several_motions_are_counted() {
    let text = r#"<mujoco><worldbody><body pos="0 0 1"><joint name="s" type="slide" axis="1 0 0"/><joint name="w" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" contype="0" conaffinity="0"/></body></worldbody>
        <actuator><position joint="s" kp="50" kv="10"/><position joint="w" kp="20" kv="3"/></actuator></mujoco>"#;
    for stepper in STEPPERS {
        let mut world = world_of(text, stepper, 0.0);
        world.set_ctrl(&[0.1, 8.0]).unwrap();
        run(&mut world, 8000);
        let q = world.q();
        assert!(
            (q[0] - 0.1).abs() < 1e-3 && (q[1] - 8.0).abs() < 1e-3,
            "{stepper:?}: {q:?}"
        );
        world.set_joints(&[0.0, -9.0], &[0.0, 0.0]).unwrap();
        assert!((world.q()[1] + 9.0).abs() < 1e-12, "{stepper:?}: {:?}", world.q());
    }
}

#[test]
fn motors_and_limits_of_scenes_lie_beyond_half_a_turn() {
    let scene = |limits: &str, target: f64| {
        let text = format!(
            "format = 1\n[world]\ndt = 0.002\ngravity = [0, 0, 0]\n\
            [[body]]\nname = \"post\"\nkind = \"fixed\"\nshape = {{ ball = 0.01 }}\n\
            [[body]]\nname = \"rod\"\nshape = {{ box = [1, 0.1, 0.1] }}\nmass = 1\nposition = [0.5, 0, 0]\ngroups = []\n\
            [[joint]]\nkind = \"revolute\"\na = \"rod\"\nb = \"post\"\nposition = [0, 0, 0]\naxis = [0, 0, 1]\n{limits}\n\
            motor = {{ target = {target}, stiffness = 20, damping = 5 }}\n"
        );
        World::from_scene(&Scene::parse(&text, Path::new(".")).unwrap()).unwrap()
    };
    for (limits, target, end) in [
        ("", 7.0, 7.0),
        ("limits = [-1, 4]", 5.0, 4.0),
        ("limits = [-8, 1]", -9.0, -8.0),
    ] {
        let mut world = scene(limits, target);
        run(&mut world, 5000);
        assert!((world.q()[0] - end).abs() < 1e-3, "{limits}: {:?}", world.q());
    }
    let mut world = scene("", 0.0);
    world.set_limits(0, Some([-1.0, 2.0 * PI])).unwrap();
}
