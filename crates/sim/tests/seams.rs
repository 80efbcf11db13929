//! No ghost collisions: bodies that slide or roll over the seams of coplanar tiles, triangles, height maps and compounds move as on one plane.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use stiction_sim::body::{Body, Kind, Material};
use stiction_sim::mass_properties::MassProperties;
use stiction_sim::shape::{Polytope, Shape};
use stiction_sim::state::BodyState;
use stiction_sim::{Pose, Quat, Settings, TriangleMesh, Vec3, World};

/// Side of a tile, and how many there are along x and y \[m\].
const TILE: f64 = 0.21;
const WIDE: usize = 10;
const ROW: usize = 50;
/// Where bodies start \[m\].
const START: (f64, f64) = (0.1637, 0.1151);

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
            ..Material::of_friction(0.5)
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

/// A shape, how high its centre lies when it is on the ground, and how it is turned.
#[derive(Debug, Clone)]
struct Mover {
    shape: Shape,
    height: f64,
    rotation: Quat,
}

/// On its side, its axis at an angle \[rad\] from y.
fn on_its_side(shape: Shape, height: f64, angle: f64) -> Mover {
    let down = Quat::from_axis_angle(&Vec3::x_axis(), std::f64::consts::FRAC_PI_2);
    Mover {
        shape,
        height,
        rotation: Quat::from_axis_angle(&Vec3::z_axis(), angle) * down,
    }
}

fn upright(shape: Shape, height: f64) -> Mover {
    Mover {
        shape,
        height,
        rotation: Quat::identity(),
    }
}

/// Capsules, cylinders and polytopes that are no boxes, in every way they can slide.
fn movers() -> Vec<Mover> {
    let capsule = Shape::Capsule {
        half_length: 0.15,
        radius: 0.05,
    };
    let cylinder = Shape::Cylinder {
        half_height: 0.09,
        radius: 0.06,
    };
    let points: Vec<Vec3> = (0..7)
        .flat_map(|k| {
            let (s, c) = (f64::from(k) * 0.9).sin_cos();
            [Vec3::new(0.11 * c, 0.08 * s, -0.04), Vec3::new(0.06 * c, 0.1 * s, 0.05)]
        })
        .collect();
    let prism = Polytope::prism(8, 0.07, 0.05).unwrap();
    let mut all = vec![
        // Nearly a ball: a long one falls over.
        upright(
            Shape::Capsule {
                half_length: 0.001,
                radius: 0.05,
            },
            0.051,
        ),
        upright(cylinder.clone(), 0.09),
        upright(Shape::Polytope(Arc::new(prism)), 0.05),
        upright(Shape::Polytope(Arc::new(Polytope::hull(&points).unwrap())), 0.04),
    ];
    for angle in [0.0, 0.7, std::f64::consts::FRAC_PI_2] {
        all.push(on_its_side(capsule.clone(), 0.05, angle));
        all.push(on_its_side(cylinder.clone(), 0.06, angle));
    }
    all
}

/// A body of 1,000 kg/m³ that starts on the ground, off every symmetry of the tiles.
fn add_mover(world: &mut World, mover: Mover, friction: f64, velocity: Vec3, spin: Vec3) -> usize {
    let Mover {
        shape,
        height,
        rotation,
    } = mover;
    let properties = MassProperties::of(&shape).unwrap();
    let kind = Kind::Dynamic {
        mass: 1000.0 * properties.volume,
        inertia_body: 1000.0 * properties.inertia,
    };
    let state = BodyState {
        pose: Pose {
            rotation,
            ..place(START.0, START.1, height)
        },
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

    /// Moves a body; its last state.
    fn run(&self, mover: &Mover, spin: Vec3) -> BodyState {
        let (state, fallbacks) = self.moved(mover, spin);
        assert_eq!(fallbacks, 0, "{self}, {mover:?}");
        state
    }

    /// The last state of a body, and the corners that had no answer.
    fn moved(&self, mover: &Mover, spin: Vec3) -> (BodyState, usize) {
        let mut world = self.world();
        let velocity = self.direction() * self.speed;
        let name = format!("{self}, {mover:?}");
        let body = add_mover(&mut world, mover.clone(), self.friction, velocity, spin);
        let mut fallbacks = 0;
        for step in 0..self.steps() {
            let report = world.step().unwrap_or_else(|e| panic!("{name}, step {step}: {e}"));
            fallbacks += report.corner_fallbacks;
        }
        (world.state().bodies[body], fallbacks)
    }

    /// Slides a box.
    fn slide(&self) -> BodyState {
        let cube = Shape::cuboid(Vec3::new(0.15, 0.1, 0.05));
        self.run(&upright(cube, 0.05), Vec3::zeros())
    }

    /// Spin of a body of this radius that rolls.
    fn spin(&self, radius: f64) -> Vec3 {
        Vec3::z().cross(&(self.direction() * self.speed)) / radius
    }

    /// Rolls a ball.
    fn roll(&self) -> BodyState {
        self.run(&upright(Shape::Ball { radius: 0.07 }, 0.07), self.spin(0.07))
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
        let start = Vec3::new(START.0, START.1, 0.05);
        let way = found.pose.position - start;
        let deflection = (way - case.direction() * way.dot(&case.direction())).norm();
        assert!(deflection < 1e-9, "{case}: deflected by {deflection:e}");
    }
}

#[test]
fn a_ball_rolls_over_seams_and_keeps_its_direction() {
    for case in cases(&[0.5]) {
        let found = case.roll();
        let way = found.pose.position - Vec3::new(START.0, START.1, 0.07);
        let expected = case.direction() * (case.speed * case.dt * case.steps() as f64);
        assert!((way - expected).norm() < 1e-9 * expected.norm(), "{case}: {way:?}");
        let turn = found.velocity.normalize() - case.direction();
        assert!(turn.norm() < 1e-9, "{case}: turned by {:e}", turn.norm());
    }
}

/// What is wrong with a body that should go straight on, if anything.
fn strays(case: &Case, mover: &Mover, spin: Vec3) -> Option<String> {
    let (found, fallbacks) = case.moved(mover, spin);
    let way = found.pose.position - Vec3::new(START.0, START.1, mover.height);
    let shift = way - case.direction() * (case.speed * case.dt * case.steps() as f64);
    let change = found.velocity - case.direction() * case.speed;
    let turn = found.spin - spin;
    let straight = shift.norm() < 1e-9 && change.norm() < 1e-9 && turn.norm() < 1e-9 * spin.norm().max(1.0);
    (!straight || fallbacks > 0).then(|| {
        format!(
            "{case}, {mover:?}: {:?}, {:?}, {:?}, {fallbacks} fallbacks",
            shift.data.0, change.data.0, turn.data.0
        )
    })
}

#[test]
fn round_bodies_and_polytopes_slide_over_seams_as_on_a_plane() {
    let cases = cases(&[0.0]);
    let all = cases
        .iter()
        .flat_map(|case| movers().into_iter().map(move |mover| (case, mover)));
    let wrong: Vec<String> = all
        .filter_map(|(case, mover)| strays(case, &mover, Vec3::zeros()))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_cylinder_rolls_over_seams_and_keeps_its_speed() {
    let mut wrong = Vec::new();
    for case in cases(&[0.0, 0.5]) {
        let cylinder = Shape::Cylinder {
            half_height: 0.08,
            radius: 0.06,
        };
        let angle = f64::atan2(case.direction().y, case.direction().x);
        wrong.extend(strays(&case, &on_its_side(cylinder, 0.06, angle), case.spin(0.06)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
