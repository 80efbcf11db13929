//! What drives the coordinates of trees of joints: servos, rotors, and joints of several motions, stepped in joint coordinates.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use stiction_scene::mjcf::{Mjcf, MjcfOptions};
use stiction_scene::{Scene, WorldExt};
use stiction_sim::{Settings, Vec3, World};

/// A body on a universal joint, on it one with a slide and a hinge, on that one with three hinges; all of them have rotors.
const LINKS: &str = r#"<mujoco><compiler angle="radian"/><default><joint armature="0.02" JOINTS/><geom type="capsule" fromto="0 0 0 0.3 0 -0.1" size="0.03" mass="1" contype="0" conaffinity="0"/></default>
    <worldbody><body name="base" pos="0 0 1">ROOT
        <body name="one" pos="0 0 0.1"><joint name="a" axis="1 0 0"/><joint name="b" axis="0 1 0.3" pos="0.05 0 0"/><geom/>
        <body name="two" pos="0.3 0 -0.1"><joint name="c" type="slide" axis="0 0.2 1" stiffness="300"/><joint name="d" axis="0 1 0"/><geom/>
        <body name="three" pos="0.3 0 -0.1"><joint name="e" axis="0 0 1"/><joint name="f" axis="0 1 0"/><joint name="g" axis="1 0 0"/><geom/>
        </body></body></body></body></worldbody>
    <actuator><position name="servo" joint="b" kp="20" kv="0.5" forcerange="-30 30" ctrlrange="-3 3"/><motor name="push" joint="d" gear="2"/>
        <velocity name="brake" joint="f" kv="0.05"/></actuator></mujoco>"#;

/// The links on ground or on a body that flies; with joints as asked.
fn links(dt: f64, flies: bool, joints: &str, is_driven: bool) -> World {
    let gravity = if flies { 0.0 } else { 9.81 };
    let root = if flies { r#"<freejoint/><geom mass="3"/>"# } else { "" };
    let mut text = LINKS.replace("ROOT", root).replace("JOINTS", joints);
    if !is_driven {
        let (head, rest) = text.split_once("<actuator>").unwrap();
        text = format!("{head}{}", rest.split_once("</actuator>").unwrap().1);
    }
    let settings = Settings {
        dt,
        gravity: Vec3::new(0.0, 0.0, -gravity),
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    world
        .add_mjcf(&Mjcf::parse(&text, ".").unwrap(), &MjcfOptions::default())
        .unwrap();
    world
}

fn run(world: &mut World, time: f64) {
    while world.state().time < time - 1e-9 {
        world.step().unwrap();
    }
}

/// Steps in joint coordinates say what joints give; others have rows for that.
fn is_in_coordinates(world: &World) -> bool {
    world.joint_reactions().is_some()
}

#[test]
fn servos_and_rotors_of_trees_are_of_second_order() {
    let tip = |dt: f64, joints: &str, alone: bool| {
        let mut world = links(dt, false, joints, true);
        let tip = world.state().bodies.len() - 1;
        if alone {
            let other = r#"<mujoco><worldbody><body pos="9 0 0"><freejoint/><geom size="0.01" contype="0"/></body></worldbody></mujoco>"#;
            world
                .add_mjcf(&Mjcf::parse(other, ".").unwrap(), &MjcfOptions::default())
                .unwrap();
        }
        world.set_ctrl(&[0.5, 1.0, 0.0]).unwrap();
        run(&mut world, 0.2);
        (world.state().bodies[tip].pose.position, is_in_coordinates(&world))
    };
    let (best, in_coordinates) = tip(6.25e-5, "", false);
    let errors = [2e-3, 1e-3, 5e-4].map(|dt| (tip(dt, "", false).0 - best).norm());
    let order = (errors[1] / errors[2]).log2();
    assert!(in_coordinates && order > 1.8 && errors[1] < 1e-4, "{errors:?} {order}");
    // Friction is a row of the problem in these coordinates, which changes nothing where it is next to none.
    let (rows, is_same) = tip(6.25e-5, r#"frictionloss="1e-200""#, false);
    assert!(is_same && (rows - best).norm() < 1e-11, "{:e}", (rows - best).norm());
    // A body that flies by itself keeps the rest from them.
    let (rows, is_other) = tip(6.25e-5, "", true);
    assert!(!is_other && (rows - best).norm() < 1e-5, "{:e}", (rows - best).norm());
}

#[test]
fn rotors_keep_energy_on_ground_and_in_flight() {
    for flies in [false, true] {
        let mut world = links(1e-3, flies, "", false);
        let speeds: Vec<f64> = (0..world.v().len()).map(|k| 0.3 + 0.1 * k as f64).collect();
        world.set_joints(&world.q(), &speeds).unwrap();
        let start = world.ledger().kinetic + world.ledger().potential;
        let (mut worst, mut open) = (0.0_f64, 0.0_f64);
        for _ in 0..3000 {
            let report = world.step().unwrap();
            assert!(is_in_coordinates(&world), "{flies}");
            let ledger = world.ledger();
            // The spring of the slide stores energy that counts as injected.
            worst = worst.max((ledger.kinetic + ledger.potential - ledger.injected - start).abs());
            open = open.max(report.joint_error[0]).max(report.joint_error[1]);
        }
        assert!(worst < 1e-9 * 30.0, "{flies}: {worst:e}");
        assert!(open < 1e-12, "{flies}: {open:e}");
        let flight = world.ledger().numerical.flight;
        assert!(flight.abs() < 1e-11 * 30.0, "{flies}: {flight:e}");
    }
}

#[test]
fn reactions_of_joints_with_several_motions_carry_the_weight() {
    let mut world = links(1e-3, false, r#"damping="20""#, false);
    // Strongly damped it moves so slowly that forces balance.
    run(&mut world, 30.0);
    let found = world.joint_reactions().unwrap();
    let mut up = 0.0;
    for reaction in found
        .iter()
        .filter(|reaction| world.joints()[reaction.joint].name.contains("one"))
    {
        let (_, part) = reaction
            .parts
            .iter()
            .find(|(body, _)| world.bodies()[*body].name == "one")
            .unwrap();
        up += reaction.force * part[2];
    }
    assert!((up - 3.0 * 9.81).abs() < 1e-2, "{up} {found:?}");
}

#[test]
fn a_walker_stands_in_joint_coordinates() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/robots/walker.xml");
    let mut world = World::from_scene(&Scene::read_robot(file, &[]).unwrap()).unwrap();
    world.set_ctrl(&[0.0, 0.6, -1.2].repeat(4)).unwrap();
    run(&mut world, 2.0);
    let mut count = 0;
    for _ in 0..200 {
        world.step().unwrap();
        count += usize::from(is_in_coordinates(&world));
    }
    assert!(count > 190, "{count}");
    let forces: f64 = world.solution().normal_impulse.iter().sum::<f64>() / world.solved_length();
    let weight = 9.81 * 12.4;
    assert!((forces - weight).abs() < 1e-3 * weight, "{forces} {weight}");
}
