//! Joints of robots that mimic others: coupled by gears, at the start and on the way.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use stiction_scene::{
    Scene, WorldExt,
    urdf::{Urdf, UrdfOptions, UrdfParts},
};
use stiction_sim::joint::{JointKind, Motor};
use stiction_sim::{Settings, Vec3, World};

/// Name, type, and what is inside beside parent, child and axis.
type Arm<'a> = (&'a str, &'a str, &'a str);

const WIDE: &str = r#"<limit lower="-2" upper="2" effort="100" velocity="9"/>"#;

/// Arms on one base, each a link of 2 kg that turns about y or slides along it without touching the others.
fn robot(arms: &[Arm<'_>]) -> String {
    let mut text = r#"<robot name="hand"><link name="base"/>"#.to_owned();
    for (k, (name, kind, inside)) in arms.iter().enumerate() {
        write!(
            text,
            r#"<link name="{name}_link"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.4" izz="0.3"/></inertial></link>
            <joint name="{name}" type="{kind}"><parent link="base"/><child link="{name}_link"/>
            <origin xyz="{k} 0 0"/><axis xyz="0 1 0"/>{inside}</joint>"#
        )
        .unwrap();
    }
    text + "</robot>"
}

fn options() -> UrdfOptions {
    UrdfOptions {
        fixed_base: true,
        ..UrdfOptions::default()
    }
}

/// The robot in a world without gravity, where a body is already.
fn placed(arms: &[Arm<'_>], options: &UrdfOptions) -> (World, UrdfParts) {
    let settings = Settings {
        gravity: Vec3::zeros(),
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let ball = Urdf::parse(
        r#"<robot name="b"><link name="ball"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link></robot>"#,
        ".",
    );
    world.add_urdf(&ball.unwrap(), &UrdfOptions::default()).unwrap();
    let parts = world
        .add_urdf(&Urdf::parse(&robot(arms), ".").unwrap(), options)
        .unwrap();
    (world, parts)
}

fn coordinate(world: &World, name: &str) -> f64 {
    let joint = world.joints().iter().position(|joint| joint.name == name).unwrap();
    world.joint_coordinate(joint).unwrap()[0]
}

fn pushed(force: f64) -> Motor {
    Motor {
        force,
        most: f64::INFINITY,
        ..Motor::default()
    }
}

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{what}: expected {expected}, found {found}"
    );
}

/// Two fingers of 2 kg that one motor of 8 N closes: F = (m + k² m) a with the multiplier k.
#[test]
fn a_gripper_closes_with_the_mass_of_both_fingers() {
    for multiplier in [-1.0, 0.5] {
        let mimic = format!(r#"{WIDE}<mimic joint="left" multiplier="{multiplier}"/>"#);
        let arms = [("left", "prismatic", WIDE), ("right", "prismatic", mimic.as_str())];
        let options = UrdfOptions {
            motors: vec![("left".to_owned(), pushed(8.0))],
            ..options()
        };
        let (mut world, parts) = placed(&arms, &options);
        assert_eq!(parts.joints.len(), 3);
        assert_eq!(parts.joints[2].name, "right.mimic");
        for _ in 0..200 {
            world.step().unwrap();
        }
        let a = 8.0 / (2.0 + 2.0 * multiplier * multiplier);
        let time = world.state().time;
        let left = coordinate(&world, "left");
        close(left, 0.5 * a * time * time, 1e-9, "left");
        close(coordinate(&world, "right"), multiplier * left, 1e-9, "right");
    }
}

/// Within limits the multiplier may be any number: angles are known without counting turns.
#[test]
fn angles_keep_multiplier_and_offset() {
    for (multiplier, offset) in [
        (1.3588, 0.2),
        (-0.5, 0.0),
        (std::f64::consts::SQRT_2, -0.3),
        (1.0, 0.25),
    ] {
        let mimic = format!(r#"{WIDE}<mimic joint="first" multiplier="{multiplier}" offset="{offset}"/>"#);
        let arms = [("first", "revolute", WIDE), ("second", "revolute", mimic.as_str())];
        let options = UrdfOptions {
            positions: vec![("first".to_owned(), 0.1)],
            motors: vec![("first".to_owned(), pushed(1.0))],
            ..options()
        };
        let (mut world, parts) = placed(&arms, &options);
        let JointKind::Gear(gear) = &parts.joints[2].kind else {
            panic!("{:?}", parts.joints[2])
        };
        assert_eq!((gear.ratio, gear.offset, gear.within_turn), (multiplier, offset, true));
        close(coordinate(&world, "second"), multiplier * 0.1 + offset, 1e-12, "start");
        for step in 0..600 {
            world.step().unwrap();
            let expected = multiplier * coordinate(&world, "first") + offset;
            close(coordinate(&world, "second"), expected, 1e-7, &format!("step {step}"));
        }
        assert!(coordinate(&world, "first") > 0.15, "{}", coordinate(&world, "first"));
    }
}

/// Wheels without limits go round: one turns minus twice as fast as the other, over many turns. A gear is known up to one tooth, so speeds are compared.
#[test]
fn wheels_turn_without_limits() {
    let mimic = r#"<mimic joint="first" multiplier="-2"/>"#;
    let options = UrdfOptions {
        motors: vec![("first".to_owned(), pushed(60.0))],
        ..options()
    };
    let (mut world, _) = placed(
        &[("first", "continuous", ""), ("second", "continuous", mimic)],
        &options,
    );
    for _ in 0..1000 {
        world.step().unwrap();
    }
    let speeds = [0, 1].map(|joint| world.joint_coordinate(joint).unwrap()[1]);
    // I (1 + 2²) α = 60 N·m
    close(speeds[0], 60.0 / (0.4 * 5.0) * world.state().time, 1e-6, "first");
    close(speeds[1], -2.0 * speeds[0], 1e-6, "second");
}

/// A rack: a slide that a wheel drives, 0.05 m for each radian.
#[test]
fn a_slide_mimics_a_wheel() {
    let mimic = format!(r#"{WIDE}<mimic joint="wheel" multiplier="0.05" offset="-0.4"/>"#);
    let options = UrdfOptions {
        motors: vec![("wheel".to_owned(), pushed(2.0))],
        ..options()
    };
    let (mut world, _) = placed(&[("rack", "prismatic", &mimic), ("wheel", "revolute", WIDE)], &options);
    close(coordinate(&world, "rack"), -0.4, 1e-15, "start");
    for _ in 0..500 {
        world.step().unwrap();
    }
    let wheel = coordinate(&world, "wheel");
    assert!(wheel > 0.1, "{wheel}");
    close(coordinate(&world, "rack"), 0.05 * wheel - 0.4, 1e-8, "rack");
}

/// Joints that mimic joints that mimic, given in any order: starts and motion go along the chain.
#[test]
fn chains_of_mimics_are_followed() {
    let third = format!(r#"{WIDE}<mimic joint="second" multiplier="-1" offset="0.1"/>"#);
    let second = format!(r#"{WIDE}<mimic joint="first" multiplier="0.5" offset="0.3"/>"#);
    let arms = [
        ("third", "revolute", third.as_str()),
        ("second", "revolute", second.as_str()),
        ("first", "revolute", WIDE),
    ];
    let options = UrdfOptions {
        prefix: "hand/".to_owned(),
        positions: vec![("first".to_owned(), 0.4)],
        motors: vec![("first".to_owned(), pushed(1.0))],
        ..options()
    };
    let (mut world, parts) = placed(&arms, &options);
    let names: Vec<&str> = parts.joints[3..].iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["hand/third.mimic", "hand/second.mimic"]);
    for step in 0..300 {
        let [first, second, third] =
            ["first", "second", "third"].map(|name| coordinate(&world, &format!("hand/{name}")));
        close(second, 0.5 * first + 0.3, 1e-7, &format!("second, step {step}"));
        close(third, 0.1 - second, 1e-7, &format!("third, step {step}"));
        world.step().unwrap();
    }
    // The longest chain that a robot can have.
    let names: Vec<String> = (0..900).map(|k| format!("j{k}")).collect();
    let inside: Vec<String> = (0..900)
        .map(|k| {
            if k + 1 < 900 {
                format!(r#"<mimic joint="j{}"/>"#, k + 1)
            } else {
                String::new()
            }
        })
        .collect();
    let arms: Vec<Arm<'_>> = names
        .iter()
        .zip(&inside)
        .map(|(n, i)| (n.as_str(), "continuous", i.as_str()))
        .collect();
    let long = Urdf::parse(&robot(&arms), ".").unwrap();
    let parts = long.build(&UrdfOptions {
        positions: vec![("j899".to_owned(), 0.5)],
        ..self::options()
    });
    assert_eq!(parts.unwrap().joints.len(), 900 + 899);
}

/// The motor for all joints is for those that lead; damping stays.
#[test]
fn the_motor_for_all_is_not_for_those_that_mimic() {
    let mimic = format!(r#"{WIDE}<dynamics damping="0.5"/><mimic joint="first"/>"#);
    let arms = [("first", "revolute", WIDE), ("second", "revolute", mimic.as_str())];
    let stiff = Motor {
        stiffness: 10.0,
        most: f64::INFINITY,
        ..Motor::default()
    };
    let parts = placed(
        &arms,
        &UrdfOptions {
            motor: Some(stiff),
            ..options()
        },
    )
    .1;
    assert_eq!(parts.joints[0].motor.unwrap().stiffness, 10.0);
    let damper = parts.joints[1].motor.unwrap();
    assert_eq!((damper.stiffness, damper.damping), (0.0, 0.5));
}

#[test]
fn starts_must_agree_with_the_mimic() {
    let mimic = format!(r#"{WIDE}<mimic joint="first" multiplier="2" offset="1"/>"#);
    let text = robot(&[("first", "revolute", WIDE), ("second", "revolute", &mimic)]);
    let urdf = Urdf::parse(&text, ".").unwrap();
    let build = |positions: &[(&str, f64)]| {
        urdf.build(&UrdfOptions {
            positions: positions.iter().map(|(name, q)| ((*name).to_owned(), *q)).collect(),
            ..options()
        })
    };
    assert!(build(&[("first", 0.25), ("second", 1.5)]).is_ok());
    for (positions, expected) in [
        (
            vec![("first", 0.25), ("second", 0.5)],
            "joint[second]: must start at 1.5, as it mimics first, found 0.5",
        ),
        (
            vec![("second", f64::NAN)],
            "joint[second]: must start at 1, as it mimics first, found NaN",
        ),
        (
            vec![("first", 0.75)],
            "joint[second]: must start between its limits -2 and 2, as it mimics first, found 2.5",
        ),
    ] {
        let error = build(&positions).unwrap_err().to_string();
        assert!(error.starts_with("urdf:") && error.ends_with(expected), "{error}");
    }
}

#[test]
fn a_scene_takes_mimics_with_its_other_bodies() {
    let folder = std::env::temp_dir().join(format!("stiction-mimic-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mimic = format!(r#"{WIDE}<mimic joint="left" multiplier="-1"/>"#);
    std::fs::write(
        folder.join("hand.urdf"),
        robot(&[("left", "prismatic", WIDE), ("right", "prismatic", &mimic)]),
    )
    .unwrap();
    let text = r#"
        format = 1
        world = { friction = 0.5, gravity = [0, 0, 0] }
        [[body]]
        name = "table"
        kind = "fixed"
        shape = { box = [1, 1, 1] }
        position = [0, 0, -5]
        [[urdf]]
        file = "hand.urdf"
        prefix = "a/"
        fixed_base = true
        motors = { left = { force = 8 } }
        [[urdf]]
        file = "hand.urdf"
        prefix = "b/"
        fixed_base = true
        position = [0, 0, 3]
        positions = { left = 0.5 }
        "#;
    let scene = Scene::parse(text, &folder);
    std::fs::remove_dir_all(&folder).unwrap();
    let mut world = World::from_scene(&scene.unwrap()).unwrap();
    for _ in 0..100 {
        world.step().unwrap();
    }
    let left = coordinate(&world, "a/left");
    assert!(left > 0.009, "{left}");
    close(coordinate(&world, "a/right"), -left, 1e-9, "a");
    close(coordinate(&world, "b/left"), 0.5, 1e-12, "b");
    close(coordinate(&world, "b/right"), -0.5, 1e-12, "b");
}
