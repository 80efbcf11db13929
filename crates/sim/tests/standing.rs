//! Boxes that stand.
#![allow(clippy::unwrap_used)]

mod watched;

use stiction_sim::body::{Body, Kind, Material};
use stiction_sim::joint::{Joint, JointKind};
use stiction_sim::mass_properties::MassProperties;
use stiction_sim::shape::Shape;
use stiction_sim::state::BodyState;
use stiction_sim::{Pose, Quat, Settings, Vec3, World};
use watched::Watched;

fn ground(normal: Vec3, friction: f64) -> Body {
    Body {
        name: "ground".to_owned(),
        kind: Kind::Fixed,
        shape: Shape::HalfSpace { normal },
        material: Material {
            friction,
            ..Material::of_friction(0.5)
        },
        groups: 1,
        origin_body: Vec3::zeros(),
    }
}

fn cube(name: String, half: f64, density: f64, friction: f64) -> Body {
    let shape = Shape::cuboid(Vec3::repeat(half));
    let properties = MassProperties::of(&shape).unwrap();
    Body {
        name,
        kind: Kind::Dynamic {
            mass: density * properties.volume,
            inertia_body: density * properties.inertia,
        },
        shape,
        material: Material {
            friction,
            ..Material::of_friction(0.5)
        },
        groups: 1,
        origin_body: Vec3::zeros(),
    }
}

fn at(position: Vec3, rotation: Quat) -> BodyState {
    BodyState {
        pose: Pose { position, rotation },
        ..BodyState::default()
    }
}

#[test]
fn a_stack_of_twenty_stands() {
    let mut world = World::new(Settings::default()).unwrap();
    world.add_body(ground(Vec3::z(), 0.5), BodyState::default()).unwrap();
    for i in 0..20 {
        let z = 0.1 + 0.2 * f64::from(i);
        world
            .add_body(
                cube(format!("box {i}"), 0.1, 1000.0, 0.5),
                at(Vec3::new(0.0, 0.0, z), Quat::identity()),
            )
            .unwrap();
    }
    let mut watched = Watched::new(world);
    watched.run(2000).stands(1e-9);
    let top = watched.position("box 19");
    assert!((top.z - 3.9).abs() < 1e-9, "{top:?}");
}

#[test]
fn a_box_on_a_ramp_holds_and_slides() {
    for (tan, holds) in [(0.499_999_5, true), (0.500_000_5, false)] {
        let mut world = World::new(Settings::default()).unwrap();
        let angle = f64::atan(tan);
        let normal = Vec3::new(-angle.sin(), 0.0, angle.cos());
        world.add_body(ground(normal, 0.5), BodyState::default()).unwrap();
        let rotation = Quat::rotation_between(&Vec3::z(), &normal).unwrap();
        world
            .add_body(cube("box".to_owned(), 0.1, 1000.0, 0.5), at(0.1 * normal, rotation))
            .unwrap();
        let mut watched = Watched::new(world);
        watched.run(10_000);
        let moved = watched.farthest("box");
        assert_eq!(moved < 1e-9, holds, "{tan}: {moved}");
    }
}

/// A bob on a rod of length 1 about y: the period of small and of large swings, and the rod keeps its length.
#[test]
fn a_pendulum_swings() {
    for joint in ["revolute", "spherical", "distance"] {
        let h = 1e-4;
        let mut world = World::new(Settings {
            dt: h,
            ..Settings::default()
        })
        .unwrap();
        let mut hook = ground(Vec3::z(), 0.5);
        hook.groups = 0;
        world.add_body(hook, BodyState::default()).unwrap();
        let mut bob = cube("bob".to_owned(), 1e-3, 1e6, 0.5);
        bob.groups = 0;
        world
            .add_body(bob, at(Vec3::new(1.0, 0.0, 0.0), Quat::identity()))
            .unwrap();
        // z of the joint along the world's y.
        let turn = Quat::rotation_between(&Vec3::z(), &Vec3::y()).unwrap();
        let (kind, arm) = match joint {
            "revolute" => (JointKind::Revolute, Vec3::new(-1.0, 0.0, 0.0)),
            "spherical" => (JointKind::Spherical, Vec3::new(-1.0, 0.0, 0.0)),
            _ => (JointKind::Distance { length: 1.0 }, Vec3::zeros()),
        };
        world
            .add_joint(Joint {
                name: "hinge".to_owned(),
                a: 1,
                b: 0,
                kind,
                frame_a: Pose {
                    position: arm,
                    rotation: turn,
                },
                frame_b: Pose {
                    position: Vec3::zeros(),
                    rotation: turn,
                },
                limits: None,
                motor: None,
                friction: 0.0,
            })
            .unwrap();
        // From 90 degrees a quarter of the period is 1.18034 · (π/2) √(l/g).
        let quarter = 1.180_340_599_016_096_2 * std::f64::consts::FRAC_PI_2 / 9.81_f64.sqrt();
        let mut watched = Watched::new(world);
        let mut crossed = 0.0;
        let mut longest = 0.0_f64;
        for _ in 0..20_000 {
            let before = watched.world.state().bodies[1].pose.position.x;
            watched.step();
            let p = watched.world.state().bodies[1].pose.position;
            longest = longest.max((p.norm() - 1.0).abs());
            if before > 0.0 && p.x <= 0.0 && crossed == 0.0 {
                crossed = watched.world.state().time;
            }
        }
        assert!((crossed - quarter).abs() < 3e-4, "{joint}: {crossed} {quarter}");
        assert!(longest < 1e-6, "{joint}: {longest}");
    }
}
