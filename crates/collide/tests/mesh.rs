//! Contacts with ground made of triangles.
#![allow(clippy::unwrap_used)]

mod random;

use std::sync::Arc;

use random::Rng;
use stiction_collide::collision::{Scratch, Touching, contacts};
use stiction_collide::shape::Shape;
use stiction_collide::{MeshError, Pose, Quat, TriangleMesh, Vec3};

fn find(a: (&Shape, &Pose), b: (&Shape, &Pose), margin: f64) -> Vec<Touching> {
    let mut out = Vec::new();
    contacts(a, b, margin, &mut Scratch::default(), &mut out);
    for (i, t) in out.iter().enumerate() {
        assert!(
            t.gap <= margin && out[..i].iter().all(|o| o.feature != t.feature),
            "{out:#?}"
        );
    }
    out
}

fn about_z(angle: f64) -> Quat {
    Quat::new_normalize(nalgebra::Quaternion::new(
        (angle / 2.0).cos(),
        0.0,
        0.0,
        (angle / 2.0).sin(),
    ))
}

fn flat_ground(count: usize) -> Shape {
    Shape::Mesh(Arc::new(
        TriangleMesh::height_map(count, count, (0.3, 0.3), &vec![0.0; count * count]).unwrap(),
    ))
}

#[test]
fn flat_ground_is_a_half_space() {
    let mut rng = Rng(71);
    let ground = flat_ground(14);
    let plane = Shape::HalfSpace { normal: Vec3::z() };
    let cube = Shape::cuboid(Vec3::new(0.25, 0.2, 0.15));
    let ball = Shape::Ball { radius: 0.2 };
    let capsule = Shape::Capsule {
        half_length: 0.2,
        radius: 0.1,
    };
    for round in 0..3000 {
        let frame = rng.pose(2.0);
        let tilt = if round % 2 == 0 { 0.0 } else { 1e-3 };
        let wobble = rng.direction() * (tilt / 2.0);
        let lean = Quat::new_normalize(nalgebra::Quaternion::new(1.0, wobble.x, wobble.y, wobble.z));
        let place = |height: f64, rotation: Quat, rng: &mut Rng| {
            let position = Vec3::new(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0), height);
            frame.then(&Pose { position, rotation })
        };
        let up = frame.direction(Vec3::z());
        let standing = place(
            0.15 + rng.range(-0.01, 0.01),
            lean * about_z(rng.range(-3.0, 3.0)),
            &mut rng,
        );
        let (found, expected) = (
            find((&cube, &standing), (&ground, &frame), 0.03),
            find((&cube, &standing), (&plane, &frame), 0.03),
        );
        assert_eq!(expected.len(), 4);
        for e in &expected {
            let same = found
                .iter()
                .filter(|t| (t.point - e.point).norm() < 1e-9 && (t.gap - e.gap).abs() < 1e-12)
                .count();
            assert_eq!(same, 1, "round {round}: {e:?} in {found:#?}");
        }
        let lowest = expected.iter().map(|t| t.gap).fold(1.0, f64::min);
        for t in &found {
            assert!(
                (t.normal - up).norm() < 1e-12 && t.gap > lowest - 1e-12,
                "round {round}: {t:?}"
            );
        }
        for (shape, height) in [(&ball, 0.2), (&capsule, 0.1)] {
            let turn = if height == 0.2 {
                rng.rotation()
            } else {
                Quat::new_normalize(nalgebra::Quaternion::new(1.0, 1.0, 0.0, 0.0))
            };
            let pose = place(
                height + rng.range(-0.01, 0.01),
                about_z(rng.range(-3.0, 3.0)) * turn,
                &mut rng,
            );
            let (found, expected) = (
                find((shape, &pose), (&ground, &frame), 0.02),
                find((shape, &pose), (&plane, &frame), 0.02),
            );
            for e in &expected {
                assert!(
                    found
                        .iter()
                        .any(|t| (t.point - e.point).norm() < 1e-9 && (t.gap - e.gap).abs() < 1e-12),
                    "round {round}"
                );
            }
            assert!(
                found.iter().all(|t| (t.normal - up).norm() < 1e-7),
                "round {round}: {found:#?}"
            );
        }
    }
}

#[test]
fn a_ball_rests_at_its_true_distance_on_hills_and_in_valleys() {
    let mut rng = Rng(72);
    let count = 12;
    let heights: Vec<f64> = (0..count * count).map(|_| rng.range(-0.1, 0.1)).collect();
    let mesh = TriangleMesh::height_map(count, count, (0.3, 0.3), &heights).unwrap();
    let ground = Shape::Mesh(Arc::new(mesh));
    let corner = |i: usize, j: usize| {
        let middle = (count - 1) as f64 / 2.0;
        Vec3::new(
            (i as f64 - middle) * 0.3,
            (j as f64 - middle) * 0.3,
            heights[j * count + i],
        )
    };
    let mut triangles = Vec::new();
    for j in 0..count - 1 {
        for i in 0..count - 1 {
            triangles.push([corner(i, j), corner(i + 1, j), corner(i + 1, j + 1)]);
            triangles.push([corner(i, j), corner(i + 1, j + 1), corner(i, j + 1)]);
        }
    }
    let mut close = 0;
    for round in 0..5000 {
        let x = Vec3::new(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0), rng.range(0.15, 0.5));
        let truth = triangles
            .iter()
            .map(|t| from_triangle(x, t))
            .fold(f64::INFINITY, f64::min)
            - 0.2;
        let pose = Pose {
            position: x,
            ..Pose::identity()
        };
        let found = find(
            (&Shape::Ball { radius: 0.2 }, &pose),
            (&ground, &Pose::identity()),
            0.05,
        );
        let least = found.iter().map(|t| t.gap).fold(f64::INFINITY, f64::min);
        if truth <= 0.05 {
            assert!((least - truth).abs() < 1e-12, "round {round}: {least} {truth}");
            close += 1;
        } else {
            assert!(found.is_empty(), "round {round}");
        }
    }
    assert!(close > 1000, "{close}");
}

/// Distance of a point from a triangle.
fn from_triangle(x: Vec3, t: &[Vec3; 3]) -> f64 {
    let n = (t[1] - t[0]).cross(&(t[2] - t[0])).normalize();
    let sides = (0..3).map(|i| (t[i], t[(i + 1) % 3] - t[i]));
    if sides.clone().all(|(p, d)| d.cross(&(x - p)).dot(&n) >= 0.0) {
        return n.dot(&(x - t[0])).abs();
    }
    sides
        .map(|(p, d)| (p + d * ((x - p).dot(&d) / d.dot(&d)).clamp(0.0, 1.0) - x).norm())
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn bad_meshes_are_named() {
    let corners = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::x() * 2.0];
    assert_eq!(TriangleMesh::new(&corners, &[]), Err(MeshError::Empty));
    assert_eq!(
        TriangleMesh::new(&corners, &[[0, 1, 2], [0, 1, 3]]),
        Err(MeshError::NoArea { triangle: 1 })
    );
    let beyond = MeshError::NoSuchCorner {
        triangle: 0,
        corner: 7,
        count: 4,
    };
    assert_eq!(TriangleMesh::new(&corners, &[[0, 1, 7]]), Err(beyond));
    assert_eq!(
        TriangleMesh::new(&[Vec3::repeat(f64::NAN)], &[[0, 0, 0]]),
        Err(MeshError::NotFinite { index: 0 })
    );
    let heights = MeshError::Heights {
        columns: 3,
        rows: 2,
        found: 5,
    };
    assert_eq!(TriangleMesh::height_map(3, 2, (1.0, 1.0), &[0.0; 5]), Err(heights));
}
