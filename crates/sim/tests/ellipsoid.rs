//! Ellipsoids: contacts with every shape against distances found another way, and motion against closed forms.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use stiction_scene::{Scene, WorldExt};
use stiction_sim::body::{Body, Kind, Material};
use stiction_sim::collision::{Scratch, contacts};
use stiction_sim::mass_properties::MassProperties;
use stiction_sim::shape::{Polytope, Shape};
use stiction_sim::state::BodyState;
use stiction_sim::{Pose, Quat, Settings, Vec3, World};

const G: f64 = 9.81;

fn world(text: &str) -> World {
    World::from_scene(&Scene::parse(text, ".").unwrap()).unwrap()
}

fn run(world: &mut World, seconds: f64) {
    let end = world.state().time + seconds;
    while world.state().time < end - 1e-9 {
        world.step().unwrap();
    }
}

fn energy(world: &World) -> f64 {
    world.ledger().kinetic + world.ledger().potential
}

/// Numbers between −1 and 1, always the same.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(self.0 >> 32).unwrap()) / f64::from(u32::MAX) * 2.0 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }

    fn rotation(&mut self) -> Quat {
        Quat::from_scaled_axis(3.0 * self.vector())
    }
}

fn others() -> Vec<(&'static str, Shape)> {
    let corners: Vec<Vec3> = {
        let mut numbers = Numbers(7);
        (0..24).map(|_| numbers.vector().normalize()).collect()
    };
    vec![
        ("ball", Shape::Ball { radius: 0.6 }),
        (
            "capsule",
            Shape::Capsule {
                half_length: 0.8,
                radius: 0.3,
            },
        ),
        (
            "cylinder",
            Shape::Cylinder {
                half_height: 0.5,
                radius: 0.7,
            },
        ),
        (
            "ellipsoid",
            Shape::Ellipsoid {
                semi_axes: Vec3::new(0.3, 1.1, 0.5),
            },
        ),
        ("box", Shape::cuboid(Vec3::new(0.9, 0.4, 0.6))),
        (
            "hull",
            Shape::Polytope(std::sync::Arc::new(Polytope::hull(&corners).unwrap())),
        ),
    ]
}

/// The one contact of two shapes within a margin.
fn contact(a: (&Shape, &Pose), b: (&Shape, &Pose), margin: f64) -> Option<stiction_sim::collision::Touching> {
    let mut out = Vec::new();
    contacts(a, b, margin, &mut Scratch::default(), &mut out);
    assert!(out.len() <= 1, "{out:?}");
    out.pop()
}

#[test]
fn gaps_are_distances_and_points_lie_on_surfaces() {
    let semi_axes = Vec3::new(1.0, 0.4, 0.7);
    let ellipsoid = Shape::Ellipsoid { semi_axes };
    let mut numbers = Numbers(1);
    for (name, other) in others() {
        let mut pair = World::new(Settings::default()).unwrap();
        for shape in [&ellipsoid, &other] {
            let body = Body {
                name: String::new(),
                kind: Kind::Kinematic,
                shape: shape.clone(),
                material: Material::default(),
                groups: 1,
                origin_body: Vec3::zeros(),
            };
            pair.add_body(body, BodyState::default()).unwrap();
        }
        let (mut met, mut missed) = (0, 0);
        for _ in 0..400 {
            let pose = Pose {
                position: numbers.vector(),
                rotation: numbers.rotation(),
            };
            let away = (2.0 + 0.5 * numbers.next()) * numbers.vector().normalize();
            let there = Pose {
                position: pose.position + away,
                rotation: numbers.rotation(),
            };
            let (a, b) = ((&ellipsoid, &pose), (&other, &there));
            pair.set_pose(0, pose).unwrap();
            pair.set_pose(1, there).unwrap();
            let known = pair.distance(0, 1).unwrap();
            // Deeper than the skin of both there may be several ways out.
            if known.distance < -0.1 {
                continue;
            }
            let found = contact(a, b, 0.3);
            let Some(found) = found else {
                assert!(known.distance > 0.3 - 1e-9, "{name}: {}", known.distance);
                missed += 1;
                continue;
            };
            met += 1;
            assert!(
                (found.gap - known.distance).abs() < 1e-9,
                "{name}: {} {}",
                found.gap,
                known.distance
            );
            // The normal is that of the ellipsoid at its point, towards it.
            let on_a = pose.point_in_body(found.point + found.gap * found.normal);
            let outward = on_a.component_div(&semi_axes).component_div(&semi_axes).normalize();
            let normal = pose.direction_in_body(found.normal);
            assert!((outward + normal).norm() < 1e-9, "{name}: {outward:?} {normal:?}");
            assert!(
                (on_a.component_div(&semi_axes).norm() - 1.0).abs() < 1e-12,
                "{name}: {on_a:?}"
            );
            // The other body has its nearest point below: then no other direction parts them farther.
            if found.gap > 0.0 {
                let there = pair.distance_to_point(1, pose.point(on_a)).unwrap();
                assert!(
                    (there.distance - found.gap).abs() < 1e-12,
                    "{name}: {} {}",
                    there.distance,
                    found.gap
                );
                assert!((known.points[0] - pose.point(on_a)).norm() < 1e-9, "{name}: {known:?}");
            }
            // With the bodies exchanged it is the same.
            let flipped = contact(b, a, 0.3).unwrap();
            assert!(
                (flipped.normal + found.normal).norm() < 1e-12 && flipped.feature == found.feature,
                "{name}"
            );
        }
        assert!(met > 20 && missed > 20, "{name}: {met} {missed}");
    }
}

#[test]
fn a_ball_is_an_ellipsoid() {
    let [ball, ellipsoid] = [
        Shape::Ball { radius: 0.5 },
        Shape::Ellipsoid {
            semi_axes: Vec3::repeat(0.5),
        },
    ];
    let [one, other] = [&ball, &ellipsoid].map(|shape| MassProperties::of(shape).unwrap());
    assert!((one.inertia - other.inertia).amax() < 1e-15 && (one.volume - other.volume).abs() < 1e-15);
    let mut ends = Vec::new();
    for shape in ["ball = 0.5", "ellipsoid = [0.5, 0.5, 0.5]"] {
        let mut world = world(&format!(
            r#"
            format = 1
            world = {{ friction = 0.3, density = 1000 }}
            [[body]]
            name = "ground"
            shape = {{ half_space = [0, 0, 1] }}
            [[body]]
            name = "bowl"
            shape = {{ {shape} }}
            position = [0, 0, 0.7]
            velocity = [2, 0.5, 0]
            spin = [3, 0, 5]
            "#
        ));
        run(&mut world, 2.0);
        ends.push(world.state().bodies[1]);
    }
    let apart = (ends[0].pose.position - ends[1].pose.position).norm() + (ends[0].spin - ends[1].spin).norm();
    assert!(apart < 1e-9, "{apart:e}");
}

/// An ellipsoid on the ground, turned about y by an angle so that it touches; `floor` is a half-space or the face of a box.
fn tilted(semi_axes: [f64; 3], angle: f64, floor: &str, settings: &str, more: &str) -> World {
    let [a, _, c] = semi_axes;
    let degrees = angle.to_degrees();
    let height = (a * angle.sin()).hypot(c * angle.cos());
    world(&format!(
        r#"
        format = 1
        world = {{ friction = 1.5, density = 1000{settings} }}
        [[body]]
        name = "ground"
        kind = "fixed"
        {floor}
        [[body]]
        name = "egg"
        shape = {{ ellipsoid = {semi_axes:?} }}
        position = [0, 0, {height:?}]
        orientation = {{ axis = [0, 1, 0], degrees = {degrees:?} }}
        {more}
        "#
    ))
}

const PLANE: &str = "shape = { half_space = [0, 0, 1] }";
const TABLE: &str = "shape = { box = [20, 20, 1] }\nposition = [0, 0, -0.5]";

#[test]
fn it_rests_where_it_is_put() {
    for floor in [PLANE, TABLE] {
        let mut world = tilted([0.3, 0.2, 0.1], 0.0, floor, "", "");
        run(&mut world, 1.0);
        let body = &world.state().bodies[1];
        assert!((body.pose.position.z - 0.1).abs() < 1e-12, "{:?}", body.pose);
        assert!(body.velocity.norm() + body.spin.norm() < 1e-12, "{body:?}");
    }
}

/// Rolling without slip about its lowest place, of curvature radius a²/c, its centre c above: ω² = m g (a²/c − c)/(I + m c²).
#[test]
fn it_rocks_with_the_period_of_its_curvature() {
    let [a, c] = [0.3, 0.2];
    let mut world = tilted([a, 0.25, c], 1e-3, PLANE, "", "");
    let inertia = (a * a + c * c) / 5.0;
    let rate = (G * (a * a / c - c) / (inertia + c * c)).sqrt();
    // The tilt of the long axis crosses zero every half period.
    let tilt = |world: &World| world.state().bodies[1].pose.direction(Vec3::x()).z;
    let mut crossings = Vec::new();
    let mut before = tilt(&world);
    while crossings.len() < 5 {
        world.step().unwrap();
        let now = tilt(&world);
        if before * now < 0.0 {
            let dt = world.settings().dt;
            crossings.push(world.state().time - dt * now / (now - before));
        }
        before = now;
    }
    let period = (crossings[4] - crossings[0]) / 2.0;
    let expected = std::f64::consts::TAU / rate;
    assert!(
        (period / expected - 1.0).abs() < 1e-5,
        "expected {expected}, found {period}"
    );
}

/// Rocks far, turns and rolls on all its axes.
fn rolling(floor: &str, dt: f64) -> World {
    let settings = format!(", dt = {dt}");
    let mut world = tilted([0.3, 0.25, 0.2], 0.4, floor, &settings, "");
    // The lowest point, seen from the centre; it must not slip at the start.
    let body = world.state().bodies[1];
    let scaled = Vec3::new(0.3, 0.25, 0.2).component_mul(&body.pose.direction_in_body(-Vec3::z()));
    let arm = body
        .pose
        .direction(Vec3::new(0.3, 0.25, 0.2).component_mul(&scaled) / scaled.norm());
    let spin = Vec3::new(0.0, 0.5, 2.0);
    world.set_velocity(1, -spin.cross(&arm), spin).unwrap();
    world
}

#[test]
fn it_rolls_for_ten_seconds_without_loss() {
    let mut world = rolling(PLANE, 0.001);
    let start = energy(&world);
    let mass = 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.3 * 0.25 * 0.2;
    let scale = mass * G * 0.3;
    let mut worst = 0.0_f64;
    for _ in 0..10_000 {
        world.step().unwrap();
        worst = worst.max((energy(&world) - start).abs());
    }
    assert!(worst < 1e-4 * scale, "{:e} of the scale", worst / scale);
}

#[test]
fn its_motion_is_of_second_order() {
    let at = |dt: f64| {
        let mut world = rolling(PLANE, dt);
        run(&mut world, 1.0);
        let body = world.state().bodies[1];
        (body.pose.position, body.pose.direction(Vec3::x()))
    };
    let [four, two, one] = [0.004, 0.002, 0.001].map(at);
    let apart = |p: &(Vec3, Vec3), q: &(Vec3, Vec3)| (p.0 - q.0).norm() + (p.1 - q.1).norm();
    let order = (apart(&four, &two) / apart(&two, &one)).log2();
    assert!(
        (order - 2.0).abs() < 0.4,
        "order {order}, last difference {:e}",
        apart(&two, &one)
    );
}

/// Triangles whose seams run under the body.
const TILES: &str = "shape = { heights = { columns = 3, rows = 3, spacing = [1, 1], values = [0, 0, 0, 0, 0, 0, 0, 0, 0] } }\nposition = [0.05, 0.1, 0]";

#[test]
fn faces_of_boxes_and_tiles_are_planes() {
    let at = |floor: &str| {
        let mut world = rolling(floor, 0.001);
        run(&mut world, 1.0);
        world.state().bodies[1].pose.position
    };
    let plane = at(PLANE);
    for (floor, most) in [(TABLE, 1e-9), (TILES, 1e-6)] {
        let apart = (plane - at(floor)).norm();
        assert!(apart < most, "{floor}: {apart:e}");
    }
}

/// Spun against its liking a rattleback begins to rattle, stops and turns the other way round; the other way it goes on. No energy is lost in that.
#[test]
fn a_rattleback_reverses_its_spin() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/new/rattleback.toml");
    for (sign, reverses) in [(1.0, true), (-1.0, false)] {
        let mut world = World::from_scene(&Scene::read(path).unwrap()).unwrap();
        let mut spin = world.state().bodies[1].spin;
        spin.z *= sign;
        world.set_velocity(1, Vec3::zeros(), spin).unwrap();
        let (start, kinetic) = (energy(&world), world.ledger().kinetic);
        run(&mut world, 12.0);
        let end = world.state().bodies[1].spin.z / spin.z;
        if reverses {
            assert!(end < -0.9, "{end}");
        } else {
            assert!(end > 0.95, "{end}");
        }
        let lost = (energy(&world) - start).abs();
        assert!(lost < 1e-4 * kinetic, "{:e} of the energy", lost / kinetic);
    }
}

#[test]
fn rays_points_and_bounds_meet_its_surface() {
    let mut world = world(
        r#"
        format = 1
        [[body]]
        name = "egg"
        kind = "fixed"
        shape = { ellipsoid = [2, 0.5, 1] }
        position = [0, 0, 3]
        orientation = { axis = [0, 0, 1], degrees = 90 }
        "#,
    );
    let hit = world.cast_ray(Vec3::new(-5.0, 0.0, 3.0), Vec3::x(), 100.0).unwrap();
    assert!(
        (hit.distance - 4.5).abs() < 1e-12 && (hit.normal + Vec3::x()).norm() < 1e-12,
        "{hit:?}"
    );
    let hit = world.cast_ray(Vec3::new(0.0, 1.0, 9.0), -Vec3::z(), 100.0).unwrap();
    assert!((hit.distance - (6.0 - 0.75_f64.sqrt())).abs() < 1e-12, "{hit:?}");
    assert!(world.cast_ray(Vec3::new(0.6, 0.0, 9.0), -Vec3::z(), 100.0).is_none());
    let near = world.distance_to_point(0, Vec3::new(0.0, 3.0, 3.0)).unwrap();
    assert!((near.distance - 1.0).abs() < 1e-12, "{near:?}");
    world.step().unwrap();
    let bounds = stiction_sim::collision::Bounds::of(&world.bodies()[0].shape, &world.state().bodies[0].pose);
    assert!((bounds.high - Vec3::new(0.5, 2.0, 4.0)).norm() < 1e-12, "{bounds:?}");
}

/// Ellipsoids and boxes that fall on each other, from which the round ones roll away: none goes through another, and no energy comes from nowhere.
#[test]
fn a_heap_falls_apart_without_overlap() {
    let mut text = String::from(
        r#"
        format = 1
        world = { friction = 0.6, density = 1000, stepper = "stewart-trinkle" }
        [[body]]
        name = "ground"
        shape = { half_space = [0, 0, 1] }
        "#,
    );
    for (k, shape) in [
        "ellipsoid = [0.3, 0.2, 0.1]",
        "box = [0.4, 0.3, 0.2]",
        "ellipsoid = [0.15, 0.15, 0.3]",
    ]
    .iter()
    .cycle()
    .take(9)
    .enumerate()
    {
        let (x, z) = (
            0.02 * f64::from(u8::try_from(k).unwrap()),
            0.4 + 0.65 * f64::from(u8::try_from(k).unwrap()),
        );
        write!(
            text,
            r#"
        [[body]]
        name = "b{k}"
        shape = {{ {shape} }}
        position = [{x}, 0, {z}]
        "#
        )
        .unwrap();
    }
    let mut world = world(&text);
    let start = energy(&world);
    let mut deepest = 0.0_f64;
    while world.state().time < 3.0 {
        deepest = deepest.max(world.step().unwrap().depth);
    }
    assert!(deepest < 1e-3, "{deepest}");
    assert!(energy(&world) < 0.5 * start, "{:?}", world.ledger());
    assert!(world.ledger().worst_gain < 1e-3 * start, "{:?}", world.ledger());
    for (body, state) in world.bodies().iter().zip(&world.state().bodies).skip(1) {
        assert!(state.pose.position.z > 0.09, "{}: {:?}", body.name, state.pose.position);
    }
}
