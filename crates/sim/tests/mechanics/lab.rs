//! Small worlds from a few words, and what is asked of them.

use stiction_sim::body::{Body, Kind, Material};
use stiction_sim::shape::{Polytope, Shape};
use stiction_sim::state::BodyState;
use stiction_sim::{Mat3, PairMaterial, Pose, Quat, Settings, Stepper, Vec3, World, Wrench};

pub(crate) use crate::watched::Watched;

/// Gravity of most cases [m/s²].
pub(crate) const G: f64 = 10.0;
/// Relative error of what every step keeps exactly.
pub(crate) const EXACT: f64 = 1e-12;
/// Errors of results over many steps, of order one, that are rounding.
pub(crate) const ROUNDING: f64 = 1e-11;
/// Thresholds are met within this.
pub(crate) const NEAR: f64 = 1e-6;
/// Headings on the floor [rad]; the round cone knows none.
pub(crate) const HEADINGS: [f64; 4] = [0.0, 0.3, std::f64::consts::FRAC_PI_4, 2.0];

const CASES: &str = include_str!("../../../../problems/seed/mechanics.json");

fn cases() -> Vec<serde_json::Value> {
    let file: serde_json::Value = serde_json::from_str(CASES).unwrap();
    file["cases"].as_array().unwrap().clone()
}

/// Names of all cases.
pub(crate) fn ids() -> Vec<String> {
    cases()
        .iter()
        .map(|case| case["id"].as_str().unwrap().to_owned())
        .collect()
}

/// Values that a case states for one of its quantities.
pub(crate) fn stated_all(id: &str, quantity: usize) -> Vec<f64> {
    let case = cases().into_iter().find(|case| case["id"] == id).unwrap();
    let value = &case["expect"][quantity]["value"];
    match value.as_array() {
        Some(list) => list.iter().map(|x| x.as_f64().unwrap()).collect(),
        None => vec![value.as_f64().unwrap()],
    }
}

/// Value that a case states for one of its quantities.
pub(crate) fn stated(id: &str, quantity: usize) -> f64 {
    stated_all(id, quantity)[0]
}

/// A world under gravity in any direction.
pub(crate) fn world(gravity: Vec3, dt: f64) -> World {
    let settings = Settings {
        gravity,
        dt,
        stepper: Stepper::Midpoint,
        ..Settings::default()
    };
    World::new(settings).unwrap()
}

/// Gravity straight down.
pub(crate) fn down() -> Vec3 {
    Vec3::new(0.0, 0.0, -G)
}

/// Sine and cosine of an angle with this tangent.
pub(crate) fn sine_cosine(tan: f64) -> (f64, f64) {
    let cos = 1.0 / (1.0 + tan * tan).sqrt();
    (tan * cos, cos)
}

/// Gravity on a floor that is inclined downwards in the direction of `heading`.
pub(crate) fn inclined(tan: f64, heading: f64) -> Vec3 {
    let (sin, cos) = sine_cosine(tan);
    G * Vec3::new(sin * heading.cos(), sin * heading.sin(), -cos)
}

fn body(name: &str, kind: Kind, shape: Shape, friction: f64) -> Body {
    Body {
        name: name.to_owned(),
        kind,
        shape,
        material: Material {
            friction,
            ..Material::of_friction(0.5)
        },
        groups: 1,
        origin_body: Vec3::zeros(),
    }
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

/// The same, turned about y by an angle whose half has this sine.
pub(crate) fn turned(mut state: BodyState, sin_half: f64) -> BodyState {
    let cos_half = (1.0 - sin_half * sin_half).sqrt();
    let q = nalgebra::Quaternion::new(cos_half, 0.0, sin_half, 0.0);
    state.pose.rotation = Quat::new_unchecked(q);
    state
}

/// The same, moving.
pub(crate) fn moving(mut state: BodyState, velocity: Vec3, spin: Vec3) -> BodyState {
    state.velocity = velocity;
    state.spin = spin;
    state
}

/// Adds a half-space through a point.
pub(crate) fn wall(world: &mut World, point: Vec3, normal: Vec3, friction: f64) -> usize {
    let name = format!("wall {}", world.bodies().len());
    let shape = Shape::HalfSpace { normal };
    let state = at(point.x, point.y, point.z);
    world
        .add_body(body(&name, Kind::Fixed, shape, friction), state)
        .unwrap()
}

/// Adds a level floor through the origin.
pub(crate) fn floor(world: &mut World, friction: f64) -> usize {
    wall(world, Vec3::zeros(), Vec3::z(), friction)
}

/// Adds a body that does not move, or as it is told.
pub(crate) fn ground(world: &mut World, kinematic: bool, shape: Shape, friction: f64, state: BodyState) -> usize {
    let kind = if kinematic { Kind::Kinematic } else { Kind::Fixed };
    let name = format!("ground {}", world.bodies().len());
    world.add_body(body(&name, kind, shape, friction), state).unwrap()
}

/// Adds a body with principal moments about its axes.
pub(crate) fn add(
    world: &mut World,
    shape: Shape,
    (mass, moments): (f64, [f64; 3]),
    friction: f64,
    state: BodyState,
) -> usize {
    let kind = Kind::Dynamic {
        mass,
        inertia_body: Mat3::from_diagonal(&Vec3::from(moments)),
    };
    let name = format!("body {}", world.bodies().len());
    world.add_body(body(&name, kind, shape, friction), state).unwrap()
}

/// Adds a uniform box.
pub(crate) fn add_box(world: &mut World, mass: f64, sides: [f64; 3], friction: f64, state: BodyState) -> usize {
    let [x, y, z] = sides.map(|s| s * s * mass / 12.0);
    let shape = Shape::cuboid(0.5 * Vec3::from(sides));
    add(world, shape, (mass, [y + z, z + x, x + y]), friction, state)
}

/// Adds a ball with inertia k m r².
pub(crate) fn add_ball(
    world: &mut World,
    (mass, k): (f64, f64),
    radius: f64,
    friction: f64,
    state: BodyState,
) -> usize {
    let moment = k * mass * radius * radius;
    add(world, Shape::Ball { radius }, (mass, [moment; 3]), friction, state)
}

/// Adds a body that takes part in no contact.
pub(crate) fn add_ghost(world: &mut World, mass: f64, moments: [f64; 3], state: BodyState) -> usize {
    let kind = Kind::Dynamic {
        mass,
        inertia_body: Mat3::from_diagonal(&Vec3::from(moments)),
    };
    let name = format!("body {}", world.bodies().len());
    let mut body = body(&name, kind, Shape::Ball { radius: 0.01 }, 0.5);
    body.groups = 0;
    world.add_body(body, state).unwrap()
}

/// A polygon in the plane of x and z, drawn out along y.
pub(crate) fn drawn_out(polygon: &[[f64; 2]], half_depth: f64) -> Shape {
    let points = polygon
        .iter()
        .flat_map(|[x, z]| [-half_depth, half_depth].map(|y| Vec3::new(*x, y, *z)));
    let points: Vec<Vec3> = points.collect();
    Shape::Polytope(std::sync::Arc::new(Polytope::hull(&points).unwrap()))
}

/// A rod from −end to +end in the plane of x and z, with an edge along y at either end.
pub(crate) fn rod(end: [f64; 2]) -> Shape {
    let [x, z] = end;
    drawn_out(&[[x, z], [-0.02 * z, 0.02 * x], [-x, -z], [0.02 * z, -0.02 * x]], 0.3)
}

pub(crate) fn set_friction(world: &mut World, a: usize, b: usize, friction: f64) {
    let pair = PairMaterial {
        friction: Some(friction),
        ..PairMaterial::default()
    };
    world.set_pair(a, b, pair).unwrap();
}

pub(crate) fn set_restitution(world: &mut World, a: usize, b: usize, restitution: f64) {
    let pair = PairMaterial {
        friction: Some(0.0),
        restitution: Some(restitution),
        ..PairMaterial::default()
    };
    world.set_pair(a, b, pair).unwrap();
}

pub(crate) fn push(world: &mut World, body: usize, force: Vec3, torque: Vec3) {
    world.apply(body, Wrench { force, torque }).unwrap();
}

/// Equal within a share of a size.
#[track_caller]
pub(crate) fn near(what: &str, found: f64, expected: f64, size: f64, tolerance: f64) {
    let error = (found - expected).abs() / size;
    assert!(
        error <= tolerance,
        "{what}: {found}, expected {expected}, off by {error:e}"
    );
}

#[track_caller]
pub(crate) fn near_vector(what: &str, found: Vec3, expected: Vec3, size: f64, tolerance: f64) {
    let error = (found - expected).norm() / size;
    assert!(
        error <= tolerance,
        "{what}: {found:?}, expected {expected:?}, off by {error:e}"
    );
}

/// Nothing moves in a tenth of a second.
#[track_caller]
pub(crate) fn holds(what: &str, world: World) {
    let mut watched = Watched::new(world);
    watched.run(100);
    let (speed, moved) = (watched.fastest(), watched.farthest(""));
    assert!(
        speed <= 1e-10 && moved <= 1e-10,
        "{what}: {speed:e} m/s, moved {moved:e}"
    );
    watched.does_not_overlap();
}

/// Something accelerates by a thousandth of [`NEAR`] of gravity at least.
#[track_caller]
pub(crate) fn moves(what: &str, world: World) {
    let mut watched = Watched::new(world);
    watched.run(100);
    let least = 1e-3 * NEAR * G * watched.world.state().time;
    let speed = watched.fastest();
    assert!(speed >= least, "{what}: holds, {speed:e}");
}

/// Just inside its limit (`build(−1e-6)`) it holds, just outside (`build(1e-6)`) it moves.
#[track_caller]
pub(crate) fn bracket(what: &str, build: impl Fn(f64) -> World) {
    holds(&format!("{what}, inside"), build(-NEAR));
    moves(&format!("{what}, outside"), build(NEAR));
}

/// Errors with steps h, h/2, h/4 fall with the square of the step: slopes of 1.9 at least. Below [`ROUNDING`] there is no slope to measure.
#[track_caller]
pub(crate) fn second_order(what: &str, h: f64, error: impl Fn(f64) -> f64) {
    let errors = [h, 0.5 * h, 0.25 * h].map(error);
    for pair in errors.windows(2) {
        let slope = (pair[0] / pair[1]).abs().log2();
        assert!(
            slope >= 1.9 || pair[1].abs() <= ROUNDING,
            "{what}: {errors:?}, slope {slope}"
        );
    }
}

/// Errors with steps h, h/2, h/4 stay below a multiple of the square of the step.
#[track_caller]
pub(crate) fn within_square(what: &str, h: f64, most: f64, error: impl Fn(f64) -> f64) {
    for h in [h, 0.5 * h, 0.25 * h] {
        let error = error(h).abs();
        assert!(
            error <= most * h * h + ROUNDING,
            "{what}: {error:e} with h {h}, more than {most} h²"
        );
    }
}

/// Errors with steps h, h/2, h/4 stay below a multiple of the step.
#[track_caller]
pub(crate) fn within(what: &str, h: f64, most: f64, error: impl Fn(f64) -> f64) {
    for h in [h, 0.5 * h, 0.25 * h] {
        let error = error(h).abs();
        assert!(error <= most * h, "{what}: {error:e} with h {h}, more than {most} h");
    }
}
