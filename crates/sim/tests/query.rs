//! Rays and distances: closed forms, and brute force on random bodies.
#![allow(clippy::unwrap_used)]

#[path = "../../collide/tests/oracle/mod.rs"]
mod oracle;
#[path = "../../collide/tests/random/mod.rs"]
mod random;

use std::sync::Arc;

use random::Rng;
use stiction_sim::body::{Body, Kind, Material};
use stiction_sim::query::Separation;
use stiction_sim::shape::{Polytope, Shape};
use stiction_sim::state::BodyState;
use stiction_sim::{Pose, Quat, Settings, TriangleMesh, Vec3, World};

fn world(bodies: &[(Shape, Pose)]) -> World {
    let mut world = World::new(Settings::default()).unwrap();
    for (k, (shape, pose)) in bodies.iter().enumerate() {
        let body = Body {
            name: format!("body {k}"),
            kind: Kind::Fixed,
            shape: shape.clone(),
            material: Material::of_friction(0.5),
            groups: 1,
            origin_body: Vec3::zeros(),
        };
        let state = BodyState {
            pose: *pose,
            ..BodyState::default()
        };
        world.add_body(body, state).unwrap();
    }
    world
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose {
        position: Vec3::new(x, y, z),
        ..Pose::identity()
    }
}

fn polytope(rng: &mut Rng) -> Polytope {
    match rng.below(3) {
        0 => Polytope::cuboid(Vec3::new(rng.range(0.2, 1.0), rng.range(0.2, 1.0), rng.range(0.2, 1.0))),
        1 => Polytope::prism(3 + rng.below(6), rng.range(0.3, 1.0), rng.range(0.2, 0.8)).unwrap(),
        _ => {
            let points: Vec<Vec3> = (0..12).map(|_| rng.direction() * rng.range(0.5, 1.0)).collect();
            Polytope::hull(&points).unwrap()
        }
    }
}

/// A ball, capsule, cylinder or polytope.
fn convex(rng: &mut Rng) -> Shape {
    match rng.below(4) {
        0 => Shape::Ball {
            radius: rng.range(0.1, 0.8),
        },
        1 => Shape::Capsule {
            half_length: rng.range(0.1, 0.8),
            radius: rng.range(0.1, 0.5),
        },
        2 => Shape::Cylinder {
            half_height: rng.range(0.1, 0.8),
            radius: rng.range(0.1, 0.8),
        },
        _ => Shape::Polytope(Arc::new(polytope(rng))),
    }
}

fn hills(rng: &mut Rng) -> TriangleMesh {
    let heights: Vec<f64> = (0..36).map(|_| rng.range(-0.3, 0.3)).collect();
    TriangleMesh::height_map(6, 6, (0.5, 0.5), &heights).unwrap()
}

/// Every kind of shape.
fn any(rng: &mut Rng) -> Shape {
    match rng.below(7) {
        0 => Shape::HalfSpace {
            normal: rng.direction(),
        },
        1 => Shape::Mesh(Arc::new(hills(rng))),
        2 => Shape::Compound((0..3).map(|_| (rng.pose(0.8), convex(rng))).collect()),
        _ => convex(rng),
    }
}

/// How far a convex shape reaches along a direction.
fn reach(shape: &Shape, pose: &Pose, direction: Vec3) -> f64 {
    let d = pose.direction_in_body(direction);
    let across = (d.x * d.x + d.y * d.y).sqrt();
    pose.position.dot(&direction)
        + match shape {
            Shape::Ball { radius } => *radius,
            Shape::Capsule { half_length, radius } => half_length * d.z.abs() + radius,
            Shape::Cylinder { half_height, radius } => half_height * d.z.abs() + radius * across,
            Shape::Polytope(p) => p.support(d),
            _ => panic!(),
        }
}

#[test]
fn rays_meet_each_shape_where_they_must() {
    let cube = Shape::cuboid(Vec3::repeat(0.5));
    let capsule = Shape::Capsule {
        half_length: 1.0,
        radius: 0.5,
    };
    let cylinder = Shape::Cylinder {
        half_height: 1.0,
        radius: 0.5,
    };
    let plane = Shape::HalfSpace { normal: Vec3::z() };
    let flat = Shape::Mesh(Arc::new(TriangleMesh::height_map(3, 3, (1.0, 1.0), &[0.0; 9]).unwrap()));
    let (x, z) = (Vec3::x(), Vec3::z());
    let slant = Vec3::new(3.0, 0.0, -4.0) / 5.0;
    for (name, shape, origin, direction, expected) in [
        ("box, face", &cube, Vec3::new(-2.0, 0.2, 0.1), x, Some((1.5, -x))),
        ("box, beside", &cube, Vec3::new(-2.0, 0.6, 0.0), x, None),
        ("box, behind", &cube, Vec3::new(2.0, 0.0, 0.0), x, None),
        ("box, inside", &cube, Vec3::new(0.1, 0.0, 0.0), x, Some((0.0, -x))),
        (
            "ball",
            &Shape::Ball { radius: 0.5 },
            Vec3::new(-2.0, 0.3, 0.0),
            x,
            Some((1.6, Vec3::new(-0.8, 0.6, 0.0))),
        ),
        ("capsule, side", &capsule, Vec3::new(-2.0, 0.0, 0.9), x, Some((1.5, -x))),
        ("capsule, end", &capsule, Vec3::new(0.0, 0.0, 4.0), -z, Some((2.5, z))),
        (
            "capsule, cap",
            &capsule,
            Vec3::new(-2.0, 0.0, 1.3),
            x,
            Some((1.6, Vec3::new(-0.8, 0.0, 0.6))),
        ),
        (
            "cylinder, side",
            &cylinder,
            Vec3::new(-2.0, 0.0, 0.9),
            x,
            Some((1.5, -x)),
        ),
        ("cylinder, cap", &cylinder, Vec3::new(0.4, 0.0, 4.0), -z, Some((3.0, z))),
        ("cylinder, over", &cylinder, Vec3::new(-2.0, 0.0, 1.1), x, None),
        ("cylinder, past", &cylinder, Vec3::new(0.6, 0.0, 4.0), -z, None),
        ("half-space", &plane, Vec3::new(0.0, 0.0, 4.0), slant, Some((5.0, z))),
        ("half-space, up", &plane, Vec3::new(0.0, 0.0, 4.0), z, None),
        ("half-space, inside", &plane, -z, z, Some((0.0, -z))),
        ("mesh", &flat, Vec3::new(-0.5, 0.2, 0.8), slant, Some((1.0, z))),
        ("mesh, on an edge", &flat, Vec3::new(0.5, 0.5, 2.0), -z, Some((2.0, z))),
        ("mesh, on a corner", &flat, Vec3::new(0.0, 0.0, 2.0), -z, Some((2.0, z))),
        ("mesh, from below", &flat, Vec3::new(0.3, 0.2, -2.0), z, Some((2.0, -z))),
        ("mesh, beside", &flat, Vec3::new(1.1, 0.0, 2.0), -z, None),
    ] {
        let world = world(&[(shape.clone(), Pose::identity())]);
        let hit = world.cast_ray(origin, direction * 7.0, 100.0);
        assert_eq!(hit.is_some(), expected.is_some(), "{name}: {hit:?}");
        let (Some(hit), Some((distance, normal))) = (hit, expected) else {
            continue;
        };
        assert!((hit.distance - distance).abs() < 1e-14, "{name}: {hit:?}");
        assert!((hit.normal - normal).norm() < 1e-14, "{name}: {hit:?}");
        assert!(
            (hit.point - origin - direction * distance).norm() < 1e-14,
            "{name}: {hit:?}"
        );
        assert!(
            world.cast_ray(origin, direction, distance * 0.99 - 1e-9).is_none(),
            "{name}"
        );
    }
}

/// A ray is followed by steps of the distance from the nearest body, which it can never overshoot.
#[test]
fn rays_stop_where_the_distance_becomes_zero() {
    let mut rng = Rng(41);
    let (mut hits, mut misses) = (0, 0);
    for case in 0..3000 {
        let bodies: Vec<(Shape, Pose)> = (0..3).map(|_| (any(&mut rng), rng.pose(2.0))).collect();
        let world = world(&bodies);
        let (origin, direction) = (rng.vector(5.0), rng.direction());
        let depth = |t: f64| {
            let distances = (0..3).map(|k| world.distance_to_point(k, origin + direction * t).unwrap().distance);
            distances.fold(f64::INFINITY, f64::min)
        };
        let hit = world.cast_ray(origin, direction, 20.0);
        let (mut t, mut rounds) = (0.0, 0);
        while depth(t) > 1e-9 && t < 20.0 && rounds < 20_000 {
            t += depth(t);
            rounds += 1;
        }
        if let Some(hit) = hit {
            hits += 1;
            assert!(
                depth(hit.distance).abs() < 1e-9 || hit.distance == 0.0,
                "{case}: {hit:?}"
            );
            // A ray that grazes a body is slow to arrive; it never goes beyond.
            assert!(t <= hit.distance + 1e-9, "{case}: {t} {hit:?}");
            assert!((hit.normal.norm() - 1.0).abs() < 1e-12);
            assert!(hit.normal.dot(&direction) <= 1e-12, "{case}: {hit:?}");
            if rounds < 200 {
                assert!((t - hit.distance).abs() < 1e-4, "{case}: {t} {hit:?}");
            }
        } else {
            misses += 1;
            assert!(t > 20.0 - 1e-9 || depth(t) > 0.0, "{case}: stopped at {t}");
        }
    }
    assert!(hits > 800 && misses > 800, "{hits} {misses}");
}

/// Both points lie on their bodies, and planes through them at right angles to the normal keep the bodies apart: no points are closer.
fn certify(case: &str, found: &Separation, a: &(Shape, Pose), b: &(Shape, Pose), tolerance: f64) {
    let n = found.normal;
    assert!((n.norm() - 1.0).abs() < 1e-12, "{case}: {found:?}");
    let [p, q] = found.points;
    assert!((p - q - n * found.distance).norm() < tolerance, "{case}: {found:?}");
    let (low, high) = (-reach(&a.0, &a.1, -n), reach(&b.0, &b.1, n));
    assert!(
        (low - n.dot(&p)).abs() < tolerance,
        "{case}: a {} {found:?}",
        low - n.dot(&p)
    );
    assert!(
        (high - n.dot(&q)).abs() < tolerance,
        "{case}: b {} {found:?}",
        high - n.dot(&q)
    );
    let world = world(&[a.clone(), b.clone()]);
    assert!(world.distance_to_point(0, p).unwrap().distance.abs() < 1e-7, "{case}");
    if found.distance > 0.0 {
        assert!(world.distance_to_point(1, q).unwrap().distance.abs() < 1e-7, "{case}");
    }
}

#[test]
fn distances_of_convex_bodies_are_proven() {
    let mut rng = Rng(42);
    let (mut apart, mut over) = (0, 0);
    for case in 0..6000 {
        let (a, b) = ((convex(&mut rng), rng.pose(1.2)), (convex(&mut rng), rng.pose(1.2)));
        let world = world(&[a.clone(), b.clone()]);
        let found = world.distance(0, 1).unwrap();
        let name = format!("case {case}, {a:?} and {b:?}");
        certify(&name, &found, &a, &b, 1e-9);
        let back = world.distance(1, 0).unwrap();
        assert!(
            (back.distance - found.distance).abs() < 1e-9,
            "{name}: {found:?} {back:?}"
        );
        if found.distance > 0.0 {
            apart += 1;
        } else {
            over += 1;
            // No direction parts them by less.
            for _ in 0..1000 {
                let n = rng.direction();
                let depth = reach(&a.0, &a.1, -n) + reach(&b.0, &b.1, n);
                assert!(depth >= -found.distance - 1e-9, "{name}: {depth} {found:?}");
            }
        }
    }
    assert!(apart > 2000 && over > 1000, "{apart} {over}");
}

#[test]
fn polytopes_apart_agree_with_all_pairs_of_features() {
    let mut rng = Rng(43);
    let mut apart = 0;
    for case in 0..4000 {
        let (a, b) = (polytope(&mut rng), polytope(&mut rng));
        let (pose_a, pose_b) = (rng.pose(1.5), rng.pose(1.5));
        let bodies = [
            (Shape::Polytope(Arc::new(a.clone())), pose_a),
            (Shape::Polytope(Arc::new(b.clone())), pose_b),
        ];
        let found = world(&bodies).distance(0, 1).unwrap();
        match oracle::distance((&a, &pose_a), (&b, &pose_b)) {
            Some(closest) => {
                apart += 1;
                assert!((found.distance - closest.distance).abs() < 1e-12, "{case}: {found:?}");
            }
            None => assert!(found.distance <= 1e-12, "{case}: {found:?}"),
        }
    }
    assert!(apart > 1500, "{apart}");
}

#[test]
#[allow(clippy::too_many_lines)] // A table.
fn distances_in_closed_form() {
    let ball = |radius: f64| Shape::Ball { radius };
    let cylinder = Shape::Cylinder {
        half_height: 1.0,
        radius: 0.5,
    };
    let cube = Shape::cuboid(Vec3::repeat(0.5));
    let lying = Pose {
        position: Vec3::new(0.0, 0.0, 2.0),
        rotation: Quat::new_normalize(nalgebra::Quaternion::new(1.0, 1.0, 0.0, 0.0)),
    };
    let plane = Shape::HalfSpace { normal: Vec3::z() };
    let edge = Pose {
        position: Vec3::new(0.0, 0.0, 3.0),
        rotation: Quat::new_normalize(nalgebra::Quaternion::new(
            (0.125_f64).cos(),
            0.0,
            (0.125_f64).sin(),
            0.0,
        )),
    };
    let (s, c) = (0.25_f64.sin(), 0.25_f64.cos());
    for (name, a, b, expected) in [
        (
            "balls",
            (ball(1.0), at(0.0, 0.0, 0.0)),
            (ball(0.5), at(3.0, 4.0, 0.0)),
            3.5,
        ),
        (
            "balls in one",
            (ball(1.0), at(0.0, 0.0, 0.0)),
            (ball(0.5), at(0.0, 0.0, 0.0)),
            -1.5,
        ),
        (
            "ball in box",
            (ball(0.1), at(0.3, 0.0, 0.0)),
            (cube.clone(), at(0.0, 0.0, 0.0)),
            -0.3,
        ),
        (
            "box over plane",
            (cube.clone(), at(0.0, 0.0, 2.0)),
            (plane.clone(), at(0.0, 0.0, 0.0)),
            1.5,
        ),
        (
            "box in plane",
            (plane.clone(), at(0.0, 0.0, 1.0)),
            (cube.clone(), at(0.0, 0.0, 1.2)),
            -0.3,
        ),
        (
            "boxes by a corner",
            (cube.clone(), at(0.0, 0.0, 0.0)),
            (cube.clone(), at(2.0, 3.0, 3.0)),
            3.0,
        ),
        (
            "boxes in one",
            (cube.clone(), at(0.0, 0.0, 0.0)),
            (cube.clone(), at(0.1, 0.2, 0.3)),
            -0.7,
        ),
        (
            "cylinders side by side",
            (cylinder.clone(), at(0.0, 0.0, 0.0)),
            (cylinder.clone(), at(3.0, 4.0, 0.0)),
            4.0,
        ),
        (
            "cylinders crossed",
            (cylinder.clone(), at(0.0, 0.0, 0.0)),
            (cylinder.clone(), lying),
            0.5,
        ),
        (
            "cylinders on each other",
            (cylinder.clone(), at(0.0, 0.0, 0.0)),
            (cylinder.clone(), at(0.3, 0.0, 2.5)),
            0.5,
        ),
        (
            "cylinders in one",
            (cylinder.clone(), at(0.0, 0.0, 0.0)),
            (cylinder.clone(), at(0.25, 0.0, 0.0)),
            -0.75,
        ),
        (
            "cylinder tilted over plane",
            (cylinder.clone(), edge),
            (plane, at(0.0, 0.0, 0.0)),
            3.0 - c - 0.5 * s,
        ),
        (
            "cylinder over box",
            (cylinder.clone(), at(0.2, 0.1, 2.0)),
            (cube, at(0.0, 0.0, 0.0)),
            0.5,
        ),
    ] {
        let world = world(&[a, b]);
        let found = world.distance(0, 1).unwrap();
        assert!(
            (found.distance - expected).abs() < 1e-12,
            "{name}: {found:?}, {expected}"
        );
        let back = world.distance(1, 0).unwrap();
        assert!((back.distance - expected).abs() < 1e-12, "{name}: {back:?}, {expected}");
        let [p, q] = found.points;
        assert!(
            (p - q - found.normal * found.distance).norm() < 1e-9,
            "{name}: {found:?}"
        );
    }
}

/// The nearest point of a triangle by looking densely, then by halving the grid around the best.
fn triangle_distance(t: [Vec3; 3], x: Vec3) -> f64 {
    let place = |u: f64, v: f64| (t[0] + (t[1] - t[0]) * u + (t[2] - t[0]) * v - x).norm();
    let (mut best, mut width) = ((f64::INFINITY, 0.0, 0.0), 1.0);
    while width > 1e-9 {
        let (u0, v0) = (best.1, best.2);
        for i in -8..=8 {
            for j in -8..=8 {
                let u = (u0 + width * f64::from(i) / 8.0).clamp(0.0, 1.0);
                let v = (v0 + width * f64::from(j) / 8.0).clamp(0.0, 1.0 - u);
                if place(u, v) < best.0 {
                    best = (place(u, v), u, v);
                }
            }
        }
        width *= 0.5;
    }
    best.0
}

#[test]
fn points_over_hills_agree_with_every_triangle() {
    let mut rng = Rng(44);
    for case in 0..40 {
        let heights: Vec<f64> = (0..9).map(|_| rng.range(-0.5, 0.5)).collect();
        let mesh = TriangleMesh::height_map(3, 3, (0.7, 0.6), &heights).unwrap();
        let corner = |i: usize, j: usize| Vec3::new((i as f64 - 1.0) * 0.7, (j as f64 - 1.0) * 0.6, heights[3 * j + i]);
        let pose = rng.pose(1.0);
        let world = world(&[(Shape::Mesh(Arc::new(mesh)), pose)]);
        let x = rng.vector(2.0);
        let inner = pose.point_in_body(x);
        let mut least = f64::INFINITY;
        for j in 0..2 {
            for i in 0..2 {
                let (p, q, r, s) = (corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1));
                least = least.min(triangle_distance([p, q, r], inner));
                least = least.min(triangle_distance([p, r, s], inner));
            }
        }
        let found = world.distance_to_point(0, x).unwrap();
        assert!((found.distance - least).abs() < 1e-6, "{case}: {found:?} {least}");
        assert!(
            (found.point + found.normal * found.distance - x).norm() < 1e-12,
            "{case}: {found:?}"
        );
    }
}

#[test]
fn bodies_over_hills() {
    let mut rng = Rng(45);
    let flat = Shape::Mesh(Arc::new(
        TriangleMesh::height_map(9, 9, (1.0, 1.0), &[0.0; 81]).unwrap(),
    ));
    let plane = Shape::HalfSpace { normal: Vec3::z() };
    let mut over = 0;
    for case in 0..2000 {
        let body = (convex(&mut rng), rng.pose(0.8));
        let ground = rng.pose(0.3);
        let ground = Pose {
            position: Vec3::new(0.0, 0.0, ground.position.z),
            ..Pose::identity()
        };
        let world = world(&[body, (flat.clone(), ground), (plane.clone(), ground)]);
        let (hill, expected) = (world.distance(0, 1).unwrap(), world.distance(0, 2).unwrap());
        // A body that is wholly below the surface is apart from it.
        let below = reach(&world.bodies()[0].shape, &world.state().bodies[0].pose, Vec3::z()) < ground.position.z;
        if !below {
            over += usize::from(expected.distance < 0.0);
            assert!(
                (hill.distance - expected.distance).abs() < 1e-9,
                "{case}: {hill:?} {expected:?}"
            );
            assert!((hill.normal - Vec3::z()).norm() < 1e-6, "{case}: {hill:?}");
        }
    }
    assert!(over > 500, "{over}");
}

#[test]
fn compounds_are_as_near_as_their_nearest_part() {
    let mut rng = Rng(46);
    for _ in 0..500 {
        let parts: Vec<(Pose, Shape)> = (0..3).map(|_| (rng.pose(0.8), convex(&mut rng))).collect();
        let (pose, other) = (rng.pose(1.5), (convex(&mut rng), rng.pose(1.5)));
        let mut bodies = vec![other, (Shape::Compound(parts.clone()), pose)];
        bodies.extend(parts.iter().map(|(inner, shape)| (shape.clone(), pose.then(inner))));
        let world = world(&bodies);
        let least = (2..5).map(|k| world.distance(0, k).unwrap().distance);
        let least = least.fold(f64::INFINITY, f64::min);
        assert!((world.distance(0, 1).unwrap().distance - least).abs() < 1e-12);
    }
}

#[test]
fn the_first_of_many_bodies_is_met() {
    let bodies: Vec<(Shape, Pose)> = (0..10)
        .map(|k| (Shape::Ball { radius: 0.4 }, at(10.0 - f64::from(k), 0.0, 0.0)))
        .collect();
    let world = world(&bodies);
    let ray = |among: &dyn Fn(usize) -> bool| world.cast_ray_at(-Vec3::x(), Vec3::x(), f64::INFINITY, among);
    assert_eq!(ray(&|_| true).unwrap().body, 9);
    assert_eq!(ray(&|body| body < 4).unwrap().body, 3);
    assert!(ray(&|_| false).is_none());
}

#[test]
fn hostile_questions_have_no_answer() {
    let mut rng = Rng(47);
    let bodies: Vec<(Shape, Pose)> = (0..20).map(|_| (any(&mut rng), rng.pose(2.0))).collect();
    let mut all = bodies.clone();
    all.push((Shape::Compound(Vec::new()), Pose::identity()));
    let world = world(&all);
    let (bad, good) = ([f64::NAN, f64::INFINITY, f64::NEG_INFINITY], Vec3::new(1.0, 2.0, 3.0));
    for x in bad {
        for k in 0..3 {
            let mut v = good;
            v[k] = x;
            assert!(world.cast_ray(v, good, 10.0).is_none());
            assert!(world.cast_ray(good, v, 10.0).is_none());
            assert!(world.distance_to_point(0, v).is_none());
        }
    }
    assert!(world.cast_ray(good, Vec3::zeros(), 10.0).is_none());
    assert!(world.cast_ray(good, good, -1.0).is_none() && world.cast_ray(good, good, f64::NAN).is_none());
    assert!(world.distance(0, 0).is_none() && world.distance(0, 99).is_none() && world.distance(99, 0).is_none());
    assert!(world.distance_to_point(99, good).is_none());
    // A link without geometry is nowhere.
    assert!(world.distance(0, 20).is_none() && world.distance_to_point(20, good).is_none());
    // Far away, tiny and huge: an answer or none, all of it finite.
    for scale in [1e-300, 1e-30, 1e-9, 1e9, 1e30, 1e150, 1e300] {
        for _ in 0..200 {
            let (origin, direction) = (rng.vector(scale), rng.vector(scale));
            if let Some(hit) = world.cast_ray(origin, direction, f64::INFINITY) {
                assert!(hit.distance.is_finite() && hit.distance >= 0.0, "{hit:?}");
            }
            for body in 0..20 {
                let _ = world.distance_to_point(body, origin);
            }
        }
    }
    // Bodies that are all alike, one in the other.
    for (shape, pose) in &bodies {
        let twin = crate::world(&[(shape.clone(), *pose), (shape.clone(), *pose)]);
        if let Some(found) = twin.distance(0, 1) {
            assert!(
                found.distance.is_finite() && found.distance <= 1e-9,
                "{shape:?}: {found:?}"
            );
        }
    }
}
