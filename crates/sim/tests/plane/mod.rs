//! Planar worlds for several tests.
#![allow(dead_code)] // Each test uses some of it.

use std::sync::Arc;

use stiction_sim::body::{Body, Kind, Material};
use stiction_sim::planar::{PlanarPose, PlanarShape, Polygon, Vec2};
use stiction_sim::shape::Shape;
use stiction_sim::state::BodyState;
use stiction_sim::{Mat3, Settings, Vec3, World, Wrench};

/// A world with gravity `g` downwards and time step `h`.
pub(crate) fn world(g: f64, h: f64) -> World {
    World::new(Settings {
        gravity: Vec3::new(0.0, -g, 0.0),
        dt: h,
        ..Settings::planar()
    })
    .unwrap()
}

/// At a place, turned so that its x axis lies along a direction.
pub(crate) fn along(x: f64, y: f64, direction: Vec2) -> PlanarPose {
    let d = direction.normalize();
    PlanarPose {
        position: Vec2::new(x, y),
        rotation: nalgebra::UnitComplex::from_cos_sin_unchecked(d.x, d.y),
    }
}

pub(crate) fn at(x: f64, y: f64) -> PlanarPose {
    PlanarPose::new(Vec2::new(x, y), 0.0)
}

pub(crate) fn polygon(corners: &[[f64; 2]]) -> PlanarShape {
    let corners: Vec<Vec2> = corners.iter().map(|[x, y]| Vec2::new(*x, *y)).collect();
    PlanarShape::Polygon(Arc::new(Polygon::hull(&corners).unwrap()))
}

/// A rod from −1 to 1 whose ends are corners, nearly without width.
pub(crate) fn rod() -> PlanarShape {
    polygon(&[[-1.0, 0.0], [0.0, -0.01], [1.0, 0.0], [0.0, 0.01]])
}

fn add(world: &mut World, kind: Kind, shape: PlanarShape, mu: f64, pose: &PlanarPose) -> usize {
    let body = Body {
        name: format!("body {}", world.bodies().len()),
        kind,
        shape: Shape::Planar(shape),
        material: Material {
            friction: mu,
            ..Material::of_friction(0.5)
        },
        groups: 1,
        origin_body: Vec3::zeros(),
    };
    let state = BodyState {
        pose: pose.in_space(),
        ..BodyState::default()
    };
    world.add_body(body, state).unwrap()
}

pub(crate) fn fixed(world: &mut World, shape: PlanarShape, mu: f64, pose: &PlanarPose) -> usize {
    add(world, Kind::Fixed, shape, mu, pose)
}

/// A half-plane below the line through a point.
pub(crate) fn floor(world: &mut World, point: Vec2, normal: Vec2, mu: f64) -> usize {
    let shape = PlanarShape::HalfPlane { normal };
    fixed(world, shape, mu, &at(point.x, point.y))
}

/// A body of given mass and moment of inertia; its shape's origin is its centre of mass.
pub(crate) fn moving(
    world: &mut World,
    shape: PlanarShape,
    (mass, inertia): (f64, f64),
    mu: f64,
    pose: &PlanarPose,
) -> usize {
    let kind = Kind::Dynamic {
        mass,
        inertia_body: Mat3::from_diagonal_element(inertia),
    };
    add(world, kind, shape, mu, pose)
}

/// A uniform rectangle of given sides and mass.
pub(crate) fn brick(world: &mut World, [w, h]: [f64; 2], mass: f64, mu: f64, pose: &PlanarPose) -> usize {
    let inertia = mass * (w * w + h * h) / 12.0;
    let shape = PlanarShape::rectangle(Vec2::new(0.5 * w, 0.5 * h));
    moving(world, shape, (mass, inertia), mu, pose)
}

/// The same world with other velocities of one body: (v_x, v_y, ω).
pub(crate) fn throw(world: &mut World, body: usize, velocity: [f64; 3]) {
    let mut states = world.state().bodies.clone();
    states[body].velocity = Vec3::new(velocity[0], velocity[1], 0.0);
    states[body].spin = Vec3::new(0.0, 0.0, velocity[2]);
    let mut other = World::new(world.settings().clone()).unwrap();
    for (body, state) in world.bodies().iter().zip(states) {
        other.add_body(body.clone(), state).unwrap();
    }
    *world = other;
}

pub(crate) fn push(world: &mut World, body: usize, force: Vec2, torque: f64) {
    let wrench = Wrench {
        force: Vec3::new(force.x, force.y, 0.0),
        torque: Vec3::new(0.0, 0.0, torque),
    };
    world.apply(body, wrench).unwrap();
}

/// Velocity of a body: (v_x, v_y, ω).
pub(crate) fn velocity(world: &World, body: usize) -> [f64; 3] {
    let state = &world.state().bodies[body];
    [state.velocity.x, state.velocity.y, state.spin.z]
}

pub(crate) fn position(world: &World, body: usize) -> Vec2 {
    world.state().bodies[body].pose.position.xy()
}

/// Steps; no step gains energy or leaves overlap, and nothing leaves the plane.
pub(crate) fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        let report = world.step().unwrap();
        let scale = 1.0 + world.ledger().kinetic.abs() + world.ledger().potential.abs();
        assert!(world.ledger().worst_gain <= 1e-9 * scale, "{:?}", world.ledger());
        assert!(report.depth <= 1e-9, "{report:?}");
    }
    for state in &world.state().bodies {
        let (p, q) = (state.pose.position, state.pose.rotation.coords);
        let off = [p.z, q.x, q.y, state.velocity.z, state.spin.x, state.spin.y];
        assert!(off.iter().all(|x| *x == 0.0), "{state:?}");
    }
}

/// Accelerations (x, y, θ) of a body in one step.
pub(crate) fn acceleration(world: &mut World, body: usize) -> [f64; 3] {
    let before = velocity(world, body);
    run(world, 1);
    let (after, h) = (velocity(world, body), world.settings().dt);
    std::array::from_fn(|k| (after[k] - before[k]) / h)
}

/// Normal impulses and friction impulses of the contacts of the last step.
pub(crate) fn impulses(world: &World) -> Vec<[f64; 2]> {
    let solution = world.solution();
    let pairs = solution.normal_impulse.iter().zip(&solution.friction_impulse);
    pairs.map(|(n, f)| [*n, f[0]]).collect()
}

#[track_caller]
pub(crate) fn close(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "found {found:e}, expected {expected:e}, off by {:e}",
        found - expected
    );
}
