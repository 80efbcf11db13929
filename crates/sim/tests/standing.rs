//! Boxes that stand.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use stiction_sim::body::{Body, Kind, Material};
use stiction_sim::mass_properties::MassProperties;
use stiction_sim::shape::Shape;
use stiction_sim::state::BodyState;
use stiction_sim::{Pose, Quat, Settings, Vec3, World};

fn ground(normal: Vec3, friction: f64) -> Body {
    Body {
        name: "ground".to_owned(),
        kind: Kind::Fixed,
        shape: Shape::HalfSpace { normal },
        material: Material {
            friction,
            ..Material::default()
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
            ..Material::default()
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
    let start = std::time::Instant::now();
    for _ in 0..2000 {
        world.step().unwrap();
    }
    let top = world.state().bodies[20].pose.position;
    println!("{top:?} {:?} {:?}", world.ledger(), start.elapsed());
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
        let start = world.state().bodies[1].pose.position;
        for _ in 0..10_000 {
            world.step().unwrap();
        }
        let moved = (world.state().bodies[1].pose.position - start).norm();
        println!("{tan}: moved {moved:e}, {:?}", world.ledger());
        assert_eq!(moved < 1e-9, holds, "{tan}: {moved}");
    }
}
