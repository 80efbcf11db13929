//! Worlds that several tests run. No sine or cosine of the platform is used to build them.
#![allow(dead_code)] // Each test uses some of them.

use nalgebra::Quaternion;
use stiction_contact::Law;
use stiction_sim::body::{Body, Kind, Material};
use stiction_sim::mass_properties::MassProperties;
use stiction_sim::shape::Shape;
use stiction_sim::state::BodyState;
use stiction_sim::{Pose, Quat, Settings, Stepper, Vec3, World, Wrench};

/// Numbers from a seed (xorshift).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// From −1 to 1.
    pub(crate) fn next(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
}

/// Law and stepper of a world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Physics {
    pub(crate) law: Law,
    pub(crate) stepper: Stepper,
}

impl From<Law> for Physics {
    fn from(law: Law) -> Self {
        Self {
            law,
            stepper: Stepper::default(),
        }
    }
}

/// An empty world with ground of the given friction.
pub(crate) fn ground(law: impl Into<Physics>, friction: f64) -> World {
    let Physics { law, stepper } = law.into();
    let mut world = World::new(Settings {
        stepper,
        law,
        ..Settings::default()
    })
    .unwrap();
    let body = Body {
        name: "ground".to_owned(),
        kind: Kind::Fixed,
        shape: Shape::HalfSpace { normal: Vec3::z() },
        material: Material {
            friction,
            ..Material::of_friction(0.5)
        },
        groups: 1,
        origin_body: Vec3::zeros(),
    };
    world.add_body(body, BodyState::default()).unwrap();
    world
}

/// Adds a box of 1,000 kg/m³; `material` says how its surface behaves.
pub(crate) fn add_box(world: &mut World, half: Vec3, material: Material, state: BodyState) -> usize {
    let shape = Shape::cuboid(half);
    let properties = MassProperties::of(&shape).unwrap();
    let body = Body {
        name: format!("box {}", world.bodies().len()),
        kind: Kind::Dynamic {
            mass: 1000.0 * properties.volume,
            inertia_body: 1000.0 * properties.inertia,
        },
        shape,
        material,
        groups: 1,
        origin_body: Vec3::zeros(),
    };
    world.add_body(body, state).unwrap()
}

/// At rest, not turned.
pub(crate) fn at(x: f64, y: f64, z: f64) -> BodyState {
    BodyState {
        pose: Pose {
            position: Vec3::new(x, y, z),
            rotation: Quat::identity(),
        },
        ..BodyState::default()
    }
}

/// Cubes of 0.2 m on each other; the topmost is pushed sideways.
pub(crate) fn stack(law: impl Into<Physics>) -> World {
    let mut world = ground(law, 0.5);
    for i in 0..6 {
        let z = 0.1 + 0.2 * f64::from(i);
        add_box(
            &mut world,
            Vec3::repeat(0.1),
            Material::of_friction(0.5),
            at(0.0, 0.0, z),
        );
    }
    let wrench = Wrench {
        force: Vec3::new(3.0, 1.0, 0.0),
        torque: Vec3::zeros(),
    };
    world.apply(6, wrench).unwrap();
    world
}

/// A box that slides along a diagonal, turns, and stops.
pub(crate) fn sliding(law: impl Into<Physics>) -> World {
    let mut world = ground(law, 0.4);
    let mut state = at(0.0, 0.0, 0.05);
    state.velocity = Vec3::new(1.0, 1.3, 0.0);
    state.spin = Vec3::new(0.0, 0.0, 2.0);
    add_box(
        &mut world,
        Vec3::new(0.1, 0.15, 0.05),
        Material::of_friction(0.5),
        state,
    );
    world
}

/// Boxes of all sizes dropped above each other, turned at random.
pub(crate) fn pile(law: impl Into<Physics>) -> World {
    let mut world = ground(law, 0.6);
    let mut random = Random(0x51D0);
    for i in 0..8 {
        let half = (0.5 * random.vector() + Vec3::repeat(1.0)) * 0.08;
        let q = random.vector();
        let mut state = at(0.1 * random.next(), 0.1 * random.next(), 0.2 + 0.25 * f64::from(i));
        state.pose.rotation = Quat::from_quaternion(Quaternion::new(0.7, q.x, q.y, q.z));
        state.velocity = random.vector();
        state.spin = 3.0 * random.vector();
        add_box(&mut world, half, Material::of_friction(0.5), state);
    }
    world
}

/// Towers apart from each other: several islands, enough contacts to be solved side by side.
pub(crate) fn towers(law: impl Into<Physics>) -> World {
    let mut world = ground(law, 0.5);
    let mut random = Random(0x70E5);
    for tower in 0..6 {
        for level in 0..4 {
            let mut state = at(f64::from(tower), 0.0, 0.1 + 0.2 * f64::from(level));
            state.velocity = 0.3 * Vec3::new(random.next(), random.next(), 0.0);
            add_box(&mut world, Vec3::repeat(0.1), Material::of_friction(0.5), state);
        }
    }
    world
}

/// Boxes that bounce on an edge or a corner and tumble.
pub(crate) fn bouncing(law: impl Into<Physics>) -> World {
    let mut world = ground(law, 0.5);
    let material = Material {
        restitution: 0.5,
        ..Material::of_friction(0.5)
    };
    let mut random = Random(0xB0C5);
    for i in 0..4 {
        let q = random.vector();
        let mut state = at(0.6 * f64::from(i), 0.0, 0.4);
        state.pose.rotation = Quat::from_quaternion(Quaternion::new(0.5, q.x, q.y, q.z));
        state.spin = 4.0 * random.vector();
        add_box(&mut world, Vec3::new(0.1, 0.12, 0.15), material, state);
    }
    world
}
