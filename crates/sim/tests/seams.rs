//! No ghost collisions: bodies that slide or roll over the seams of coplanar tiles, triangles, height maps and compounds move as on one plane.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use stiction_sim::body::{Body, Kind, Material};
use stiction_sim::mass_properties::MassProperties;
use stiction_sim::shape::Shape;
use stiction_sim::state::BodyState;
use stiction_sim::{Pose, Quat, Settings, TriangleMesh, Vec3, World};

/// Side of a tile, and how many there are along x and y \[m\].
const TILE: f64 = 0.21;
const WIDE: usize = 10;
const ROW: usize = 50;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Ground {
    Plane,
    Tiles,
    Mesh,
    Heights,
    Compound,
}

const SEAMED: [Ground; 4] = [Ground::Tiles, Ground::Mesh, Ground::Heights, Ground::Compound];

fn place(x: f64, y: f64, z: f64) -> Pose {
    Pose {
        position: Vec3::new(x, y, z),
        rotation: Quat::identity(),
    }
}

/// Tiles whose upper faces lie in z = 0, from the origin along x and y.
fn tiles(columns: usize, rows: usize) -> Vec<(Pose, Shape)> {
    let tile = Shape::cuboid(Vec3::new(TILE / 2.0, TILE / 2.0, 0.05));
    let mut all = Vec::new();
    for j in 0..rows {
        for i in 0..columns {
            let at = |k: usize| (k as f64 + 0.5) * TILE;
            all.push((place(at(i), at(j), -0.05), tile.clone()));
        }
    }
    all
}

/// The same as triangles, in strips, so that every triangle of a single row is at the rim.
fn triangles(columns: usize, rows: usize) -> TriangleMesh {
    let mut corners = Vec::new();
    for j in 0..=rows {
        for i in 0..=columns {
            corners.push(Vec3::new(i as f64 * TILE, j as f64 * TILE, 0.0));
        }
    }
    let mut triangles = Vec::new();
    for j in 0..rows {
        for i in 0..columns {
            let k = j * (columns + 1) + i;
            let above = k + columns + 1;
            triangles.extend([[k, k + 1, above], [k + 1, above + 1, above]]);
        }
    }
    TriangleMesh::new(&corners, &triangles).unwrap()
}

fn add(world: &mut World, kind: Kind, shape: Shape, friction: f64, state: BodyState) -> usize {
    let body = Body {
        name: format!("body {}", world.bodies().len()),
        kind,
        shape,
        material: Material {
            friction,
            ..Material::default()
        },
        groups: 1,
        origin_body: Vec3::zeros(),
    };
    world.add_body(body, state).unwrap()
}

fn add_ground(world: &mut World, ground: Ground, columns: usize, rows: usize, friction: f64) {
    let fixed = |pose: Pose| BodyState {
        pose,
        ..BodyState::default()
    };
    let origin = fixed(place(0.0, 0.0, 0.0));
    let mut one = |shape: Shape, state: BodyState| {
        add(world, Kind::Fixed, shape, friction, state);
    };
    match ground {
        Ground::Plane => one(Shape::HalfSpace { normal: Vec3::z() }, origin),
        Ground::Tiles => tiles(columns, rows)
            .into_iter()
            .for_each(|(pose, tile)| one(tile, fixed(pose))),
        Ground::Mesh => one(Shape::Mesh(Arc::new(triangles(columns, rows))), origin),
        Ground::Heights => {
            let flat = vec![0.0; (columns + 1) * (rows + 1)];
            let map = TriangleMesh::height_map(columns + 1, rows + 1, (TILE, TILE), &flat).unwrap();
            let middle = |n: usize| n as f64 * TILE / 2.0;
            let pose = place(middle(columns), middle(rows), 0.0);
            one(Shape::Mesh(Arc::new(map)), fixed(pose));
        }
        Ground::Compound => one(Shape::Compound(tiles(columns, rows)), origin),
    }
}

/// A body of 1,000 kg/m³ that starts on the ground, off every symmetry of the tiles.
fn add_mover(world: &mut World, shape: Shape, height: f64, friction: f64, velocity: Vec3, spin: Vec3) -> usize {
    let properties = MassProperties::of(&shape).unwrap();
    let kind = Kind::Dynamic {
        mass: 1000.0 * properties.volume,
        inertia_body: 1000.0 * properties.inertia,
    };
    let state = BodyState {
        pose: place(0.1637, 0.1151, height),
        velocity,
        spin,
    };
    add(world, kind, shape, friction, state)
}

#[derive(Clone, Copy)]
struct Case {
    ground: Ground,
    /// Direction along a row, or across a field.
    across: bool,
    speed: f64,
    dt: f64,
    friction: f64,
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let way = if self.across { "across a field" } else { "along a row" };
        let (v, dt, mu) = (self.speed, self.dt, self.friction);
        write!(f, "{:?}, {way} at {v} m/s, dt {dt}, friction {mu}", self.ground)
    }
}

impl Case {
    fn direction(&self) -> Vec3 {
        if self.across {
            Vec3::new(0.8, 0.6, 0.0)
        } else {
            Vec3::x()
        }
    }

    fn world(&self) -> World {
        let settings = Settings {
            dt: self.dt,
            ..Settings::default()
        };
        let mut world = World::new(settings).unwrap();
        let (columns, rows) = if self.across { (WIDE, WIDE) } else { (ROW, 1) };
        add_ground(&mut world, self.ground, columns, rows, self.friction);
        world
    }

    /// As far as the tiles reach, or 500 steps.
    fn steps(&self) -> usize {
        let length = if self.across { 2.0 } else { 10.0 };
        (1..500)
            .find(|k| *k as f64 * self.dt * self.speed > length)
            .unwrap_or(500)
    }

    /// Slides a box; its path and last state.
    fn slide(&self) -> BodyState {
        let mut world = self.world();
        let cube = Shape::cuboid(Vec3::new(0.15, 0.1, 0.05));
        let velocity = self.direction() * self.speed;
        let body = add_mover(&mut world, cube, 0.05, self.friction, velocity, Vec3::zeros());
        for step in 0..self.steps() {
            let report = world.step().unwrap_or_else(|e| panic!("{self}, step {step}: {e}"));
            assert_eq!(report.corner_fallbacks, 0, "{self}, step {step}");
        }
        world.state().bodies[body]
    }

    /// Rolls a ball.
    fn roll(&self) -> BodyState {
        let mut world = self.world();
        let velocity = self.direction() * self.speed;
        let spin = Vec3::z().cross(&velocity) / 0.07;
        let body = add_mover(
            &mut world,
            Shape::Ball { radius: 0.07 },
            0.07,
            self.friction,
            velocity,
            spin,
        );
        for step in 0..self.steps() {
            let report = world.step().unwrap_or_else(|e| panic!("{self}, step {step}: {e}"));
            assert_eq!(report.corner_fallbacks, 0, "{self}, step {step}");
        }
        world.state().bodies[body]
    }
}

fn cases(frictions: &[f64]) -> Vec<Case> {
    let mut all = Vec::new();
    for ground in SEAMED {
        for across in [false, true] {
            for (speed, dt) in [(1.0, 1e-3), (1.0, 5e-3), (10.0, 1e-3), (10.0, 5e-3)] {
                for friction in frictions {
                    all.push(Case {
                        ground,
                        across,
                        speed,
                        dt,
                        friction: *friction,
                    });
                }
            }
        }
    }
    all
}

/// Places to 1e-9 m, directions to 1e-9.
fn same(case: &Case, found: &BodyState, expected: &BodyState) {
    let shift = found.pose.position - expected.pose.position;
    assert!(shift.norm() < 1e-9, "{case}: {shift:e}");
    let turn = found.pose.rotation.angle_to(&expected.pose.rotation);
    assert!(turn < 1e-9, "{case}: turned by {turn:e}");
    let change = (found.velocity - expected.velocity).norm() / expected.velocity.norm().max(1.0);
    assert!(change < 1e-9, "{case}: velocity {change:e}");
}

#[test]
fn a_box_slides_over_seams_as_on_a_plane() {
    for case in cases(&[0.0, 0.1]) {
        let plane = Case {
            ground: Ground::Plane,
            ..case
        };
        let (found, expected) = (case.slide(), plane.slide());
        same(&case, &found, &expected);
        let start = Vec3::new(0.1637, 0.1151, 0.05);
        let way = found.pose.position - start;
        let deflection = (way - case.direction() * way.dot(&case.direction())).norm();
        assert!(deflection < 1e-9, "{case}: deflected by {deflection:e}");
    }
}

#[test]
fn a_ball_rolls_over_seams_and_keeps_its_direction() {
    for case in cases(&[0.5]) {
        let found = case.roll();
        let way = found.pose.position - Vec3::new(0.1637, 0.1151, 0.07);
        let expected = case.direction() * (case.speed * case.dt * case.steps() as f64);
        assert!((way - expected).norm() < 1e-9 * expected.norm(), "{case}: {way:?}");
        let turn = found.velocity.normalize() - case.direction();
        assert!(turn.norm() < 1e-9, "{case}: turned by {:e}", turn.norm());
    }
}
