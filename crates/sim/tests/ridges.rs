//! Ridges and corners of triangle meshes: what misses them is not touched, what does not is stopped, and nothing tunnels.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use stiction_sim::body::{Body, Kind, Material};
use stiction_sim::mass_properties::MassProperties;
use stiction_sim::shape::Shape;
use stiction_sim::state::BodyState;
use stiction_sim::{Pose, Quat, Settings, TriangleMesh, Vec3, World};

/// Half the size of the ground \[m\].
const FAR: f64 = 1.0;
/// Size of the bodies \[m\]: none reaches lower than this below its centre.
const SIZE: f64 = 0.1;

/// A roof along y whose ridge is z = 0 over x = 0, in strips of triangles.
fn roof(slope: f64) -> TriangleMesh {
    let mut corners = Vec::new();
    for j in 0..=4 {
        let y = FAR * (f64::from(j) / 2.0 - 1.0);
        for x in [-FAR, 0.0, FAR] {
            corners.push(Vec3::new(x, y, -slope * x.abs()));
        }
    }
    let mut triangles = Vec::new();
    for j in 0..4 {
        for i in 0..2 {
            let k = 3 * j + i;
            triangles.extend([[k, k + 1, k + 3], [k + 1, k + 4, k + 3]]);
        }
    }
    TriangleMesh::new(&corners, &triangles).unwrap()
}

/// The same as a height map.
fn heights(slope: f64) -> TriangleMesh {
    let row = [-2.0 * slope, -slope, 0.0, -slope, -2.0 * slope];
    let all: Vec<f64> = (0..5).flat_map(|_| row).map(|z| z * FAR / 2.0).collect();
    TriangleMesh::height_map(5, 5, (FAR / 2.0, FAR / 2.0), &all).unwrap()
}

/// A pyramid with its tip at the origin.
fn pyramid(slope: f64) -> TriangleMesh {
    let z = -slope * FAR;
    let corners = [
        Vec3::zeros(),
        Vec3::new(-FAR, -FAR, z),
        Vec3::new(FAR, -FAR, z),
        Vec3::new(FAR, FAR, z),
        Vec3::new(-FAR, FAR, z),
    ];
    let triangles = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1]];
    TriangleMesh::new(&corners, &triangles).unwrap()
}

/// A step down at x = 0, or where its third face is wanted the corner of a cube: below z = 0 and at positive x, and positive y.
fn step(corner: bool) -> TriangleMesh {
    let low = if corner { 0.0 } else { -FAR };
    let at = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
    let corners = [
        at(0.0, low, 0.0),
        at(FAR, low, 0.0),
        at(FAR, FAR, 0.0),
        at(0.0, FAR, 0.0),
        at(0.0, low, -FAR),
        at(FAR, low, -FAR),
        at(0.0, FAR, -FAR),
    ];
    let mut triangles = vec![[0, 1, 2], [0, 2, 3], [0, 3, 4], [3, 6, 4]];
    if corner {
        triangles.extend([[0, 4, 1], [1, 4, 5]]);
    }
    TriangleMesh::new(&corners, &triangles).unwrap()
}

fn grounds() -> Vec<(&'static str, TriangleMesh)> {
    vec![
        ("steep roof", roof(1.0)),
        ("roof", roof(0.3)),
        ("steep height map", heights(1.0)),
        ("height map", heights(0.3)),
        ("pyramid", pyramid(1.0)),
        ("flat pyramid", pyramid(0.3)),
        ("step", step(false)),
        ("cube", step(true)),
    ]
}

fn bodies() -> Vec<(&'static str, Shape, Quat)> {
    let side = Quat::from_axis_angle(&Vec3::x_axis(), std::f64::consts::FRAC_PI_2);
    let capsule = Shape::Capsule {
        half_length: 0.07,
        radius: SIZE,
    };
    let cylinder = Shape::Cylinder {
        half_height: SIZE,
        radius: SIZE,
    };
    vec![
        ("box", Shape::cuboid(Vec3::new(SIZE, SIZE, SIZE)), Quat::identity()),
        ("ball", Shape::Ball { radius: SIZE }, Quat::identity()),
        ("capsule", capsule, side),
        ("cylinder", cylinder.clone(), side),
        ("standing cylinder", cylinder, Quat::identity()),
    ]
}

/// A body over or before a ground, without gravity.
fn world(ground: &TriangleMesh, body: (&Shape, Quat), place: Vec3, velocity: Vec3, dt: f64) -> World {
    let settings = Settings {
        dt,
        gravity: Vec3::zeros(),
        ..Settings::default()
    };
    world_of(settings, ground, body, (place, velocity))
}

fn world_of(
    settings: Settings,
    ground: &TriangleMesh,
    (shape, rotation): (&Shape, Quat),
    (place, velocity): (Vec3, Vec3),
) -> World {
    let mut world = World::new(settings).unwrap();
    let properties = MassProperties::of(shape).unwrap();
    let moving = Kind::Dynamic {
        mass: 1000.0 * properties.volume,
        inertia_body: 1000.0 * properties.inertia,
    };
    let state = BodyState {
        pose: Pose {
            position: place,
            rotation,
        },
        velocity,
        ..BodyState::default()
    };
    let mut add = |name: &str, kind: Kind, shape: Shape, state: BodyState| {
        let body = Body {
            name: name.into(),
            kind,
            shape,
            material: Material::of_friction(0.5),
            groups: 1,
            origin_body: Vec3::zeros(),
        };
        world.add_body(body, state).unwrap();
    };
    add(
        "ground",
        Kind::Fixed,
        Shape::Mesh(Arc::new(ground.clone())),
        BodyState::default(),
    );
    add("body", moving, shape.clone(), state);
    world
}

#[test]
fn what_misses_a_ridge_by_a_millimetre_keeps_its_velocity() {
    let ways = [Vec3::x(), -Vec3::x(), Vec3::new(0.6, 0.8, 0.0), Vec3::y()];
    let mut wrong = Vec::new();
    for (ground_name, ground) in grounds() {
        for (name, shape, rotation) in bodies() {
            for (direction, (dt, steps)) in ways.iter().flat_map(|w| [(w, (1e-3, 90)), (w, (5e-3, 18))]) {
                let velocity = direction * 10.0;
                let start = direction * -0.4537 + Vec3::new(0.0037, 0.0123, SIZE + 1e-3);
                let mut world = world(&ground, (&shape, rotation), start, velocity, dt);
                let mut fallbacks = 0;
                for _ in 0..steps {
                    fallbacks += world.step().unwrap().corner_fallbacks;
                }
                let body = world.state().bodies[1];
                let change = (body.velocity - velocity).norm() + SIZE * body.spin.norm();
                let shift = (body.pose.position - start - velocity * (dt * f64::from(steps))).norm();
                if change > 1e-9 || shift > 1e-9 || fallbacks > 0 {
                    wrong.push(format!(
                        "{name} past {ground_name}, dt {dt}, {:?}: {change:e} m/s, {shift:e} m, {fallbacks} fallbacks",
                        velocity.data.0
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// How deep a body reaches below the surface of a ground over one of its own points; points of a ball, of a box and the like.
fn lowest(ground: &str, x: Vec3) -> f64 {
    let slope = if ground == "roof" || ground == "height map" || ground == "flat pyramid" {
        0.3
    } else {
        1.0
    };
    let surface = match ground {
        "step" if x.x >= 0.0 => 0.0,
        "cube" if x.x >= 0.0 && x.y >= 0.0 => 0.0,
        "step" | "cube" => f64::NEG_INFINITY,
        name if name.ends_with("pyramid") => -slope * x.x.abs().max(x.y.abs()),
        _ => -slope * x.x.abs(),
    };
    x.z - surface
}

#[test]
fn what_is_aimed_at_a_ridge_is_stopped_there() {
    let mut wrong = Vec::new();
    for (ground_name, ground) in grounds() {
        for (name, shape, rotation) in bodies() {
            for (down, dt, steps) in [
                (true, 1e-3, 120),
                (true, 5e-3, 24),
                (false, 1e-3, 120),
                (false, 5e-3, 24),
            ] {
                // Down on the ridge, or against it half a body below its height.
                let (velocity, start) = if down {
                    (Vec3::z() * -10.0, Vec3::new(0.0131, 0.0123, 0.4537))
                } else {
                    (Vec3::x() * 10.0, Vec3::new(-0.9, 0.0123, 0.5 * SIZE))
                };
                let mut world = world(&ground, (&shape, rotation), start, velocity, dt);
                let mut depth = 0.0_f64;
                for _ in 0..steps {
                    depth = depth.max(world.step().unwrap().depth);
                    let centre = world.state().bodies[1].pose.position;
                    depth = depth.max(-lowest(ground_name, centre));
                }
                let body = world.state().bodies[1];
                let along = body.velocity.dot(&velocity) / 10.0;
                // A step turns a body by up to 0.25 rad or so: a few millimetres of its size.
                if along > 9.9 || depth > 0.02 {
                    wrong.push(format!(
                        "{name} on {ground_name}, down {down}, dt {dt}: {along} m/s, {depth} m deep"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A box whose face lies on a ridge, or nearly so, rests on it: the face leans along the ridge, and no triangle has such a normal.
#[test]
fn nearly_flat_boxes_rest_on_ridges() {
    for ground in [roof(0.4), heights(0.4)] {
        for degrees in [-8.0, -4.0, -2.0, -1.0, -0.1, 0.0, 0.1, 1.0, 2.0, 4.0, 8.0_f64] {
            let shape = Shape::cuboid(Vec3::new(SIZE, SIZE, SIZE));
            let turn = Quat::from_axis_angle(&Vec3::x_axis(), degrees.to_radians());
            let start = (Vec3::new(0.0, 0.0, 1.5 * SIZE), Vec3::zeros());
            let mut world = world_of(Settings::default(), &ground, (&shape, turn), start);
            for _ in 0..300 {
                world.step().unwrap();
                let body = &world.state().bodies[1];
                for corner in 0..8 {
                    let sign = |bit: i32| if corner & bit == 0 { -SIZE } else { SIZE };
                    let at = body.pose.point(Vec3::new(sign(1), sign(2), sign(4)));
                    assert!(at.z > -0.4 * at.x.abs() - 1e-4, "{degrees}: {at:?}");
                }
            }
            let z = world.state().bodies[1].pose.position.z;
            assert!((z - SIZE).abs() < 1e-3, "{degrees}: {z}");
        }
    }
}
