//! Hulls and mass properties.
#![allow(clippy::unwrap_used)]

mod random;

use std::f64::consts::PI;

use random::Rng;
use stiction_collide::mass_properties::MassProperties;
use stiction_collide::shape::{Polytope, Shape};
use stiction_collide::{HullError, Mat3, Pose, Vec3};

fn check_hull(hull: &Polytope, points: &[Vec3], tolerance: f64, what: &str) {
    assert_eq!(
        hull.vertices.len() + hull.faces.len(),
        hull.edges.len() + 2,
        "{what}: Euler"
    );
    for p in points {
        for f in &hull.faces {
            assert!(
                f.normal.dot(p) - f.offset <= tolerance,
                "{what}: point outside by {}",
                f.normal.dot(p) - f.offset
            );
        }
    }
    for v in &hull.vertices {
        assert!(points.contains(v), "{what}: invented corner");
        assert!(
            hull.faces
                .iter()
                .filter(|f| f.corners.iter().any(|&c| hull.vertices[c] == *v))
                .count()
                >= 3,
            "{what}"
        );
    }
    for f in &hull.faces {
        assert!((f.normal.norm() - 1.0).abs() < 1e-14);
        for (i, &c) in f.corners.iter().enumerate() {
            assert!(
                (f.normal.dot(&hull.vertices[c]) - f.offset).abs() <= tolerance,
                "{what}: corner off its face"
            );
            let (u, v) = (
                hull.vertices[f.corners[(i + 1) % f.corners.len()]],
                hull.vertices[f.corners[(i + 2) % f.corners.len()]],
            );
            let turn = (u - hull.vertices[c]).cross(&(v - u)).dot(&f.normal);
            assert!(turn > 0.0, "{what}: ring turns back");
        }
    }
    for e in &hull.edges {
        let (n, m) = (hull.faces[e.faces[0]].normal, hull.faces[e.faces[1]].normal);
        let along = hull.vertices[e.ends[1]] - hull.vertices[e.ends[0]];
        assert!(n.cross(&m).dot(&along) > 0.0, "{what}: edge is not convex");
    }
}

#[test]
fn hulls_of_random_points() {
    let mut rng = Rng(11);
    for round in 0..2000 {
        let count = 4 + rng.below(60);
        let points: Vec<Vec3> = (0..count).map(|_| rng.vector(1.0)).collect();
        check_hull(
            &Polytope::hull(&points).unwrap(),
            &points,
            1e-5,
            &format!("round {round}"),
        );
    }
    for round in 0..20 {
        let points: Vec<Vec3> = (0..300).map(|_| rng.direction()).collect();
        let hull = Polytope::hull(&points).unwrap();
        check_hull(&hull, &points, 1e-5, &format!("sphere {round}"));
        assert_eq!(hull.vertices.len(), 300);
    }
}

#[test]
fn hulls_of_flat_faced_bodies_have_whole_faces() {
    let mut rng = Rng(12);
    for round in 0..500 {
        let half = Vec3::new(rng.range(0.1, 2.0), rng.range(0.1, 2.0), rng.range(0.1, 2.0));
        let pose = rng.pose(1.0);
        // Corners, inner points, points in faces and on edges, duplicates; shuffled; in single precision every other time.
        let mut points = Vec::new();
        for i in 0..27 {
            let grid = |k: i32| f64::from(k % 3 - 1);
            points.push(pose.point(Vec3::new(grid(i) * half.x, grid(i / 3) * half.y, grid(i / 9) * half.z)));
        }
        points.extend_from_within(3..9);
        for i in (1..points.len()).rev() {
            points.swap(i, rng.below(i + 1));
        }
        if round % 2 == 0 {
            #[allow(clippy::cast_possible_truncation)]
            for p in &mut points {
                *p = p.map(|x| f64::from(x as f32));
            }
        }
        let hull = Polytope::hull(&points).unwrap();
        check_hull(&hull, &points, 1e-5, &format!("round {round}"));
        assert_eq!(
            (hull.vertices.len(), hull.edges.len(), hull.faces.len()),
            (8, 12, 6),
            "round {round}"
        );
        for sides in 3..=12 {
            let prism = Polytope::prism(sides, rng.range(0.1, 2.0), rng.range(0.1, 2.0)).unwrap();
            let turned: Vec<Vec3> = prism.vertices.iter().map(|&v| pose.point(v)).collect();
            let hull = Polytope::hull(&turned).unwrap();
            assert_eq!(
                (hull.vertices.len(), hull.edges.len(), hull.faces.len()),
                (2 * sides, 3 * sides, sides + 2)
            );
        }
    }
}

#[test]
fn degenerate_points_are_named() {
    let line: Vec<Vec3> = (0..9).map(|i| Vec3::new(1.0, 2.0, 3.0) * f64::from(i)).collect();
    assert_eq!(Polytope::hull(&line), Err(HullError::Line));
    let plane: Vec<Vec3> = (0..9)
        .map(|i| Vec3::new(f64::from(i % 3), f64::from(i / 3), f64::from(i % 3 + i / 3)))
        .collect();
    assert_eq!(Polytope::hull(&plane), Err(HullError::Plane));
    assert_eq!(Polytope::hull(&[Vec3::zeros(); 9]), Err(HullError::TooFew { found: 1 }));
    assert_eq!(Polytope::hull(&[]), Err(HullError::TooFew { found: 0 }));
    let bad = [Vec3::zeros(), Vec3::x(), Vec3::new(f64::NAN, 0.0, 0.0), Vec3::z()];
    assert_eq!(Polytope::hull(&bad), Err(HullError::NotFinite { index: 2 }));
    assert!(Polytope::prism(2, 1.0, 1.0).is_err() && Polytope::prism(5, -1.0, 1.0).is_err());
}

fn close(a: &Mat3, b: &Mat3, tolerance: f64, what: &str) {
    assert!((a - b).amax() <= tolerance * b.amax(), "{what}: {a} {b}");
}

#[test]
fn box_by_tetrahedra_is_the_box_formula() {
    let mut rng = Rng(13);
    for _ in 0..1000 {
        let half = Vec3::new(rng.range(0.1, 2.0), rng.range(0.1, 2.0), rng.range(0.1, 2.0));
        let cuboid = Polytope::cuboid(half);
        let pose = rng.pose(3.0);
        let turned: Vec<Vec3> = cuboid.vertices.iter().map(|&v| pose.point(v)).collect();
        let found = MassProperties::of_polytope(&Polytope::hull(&turned).unwrap());
        let expected = MassProperties::of_polytope(&cuboid).posed(&pose);
        let (w, d, h) = (2.0 * half.x, 2.0 * half.y, 2.0 * half.z);
        assert!((found.volume / (w * d * h) - 1.0).abs() < 1e-13);
        assert!((found.centre - pose.position).norm() < 1e-13);
        close(&found.inertia, &expected.inertia, 1e-13, "box");
        let diagonal = Vec3::new(d * d + h * h, w * w + h * h, w * w + d * d) * (w * d * h / 12.0);
        close(
            &MassProperties::of_polytope(&cuboid).inertia,
            &Mat3::from_diagonal(&diagonal),
            1e-15,
            "formula",
        );
    }
}

#[test]
fn prisms_tend_to_the_cylinder() {
    let cylinder = MassProperties::of(&Shape::Cylinder {
        half_height: 0.7,
        radius: 0.4,
    })
    .unwrap();
    let n = 4000;
    let prism = MassProperties::of_polytope(&Polytope::prism(n, 0.4, 0.7).unwrap());
    assert!((prism.volume / cylinder.volume - 1.0).abs() < 1e-6);
    close(&prism.inertia, &cylinder.inertia, 2e-6, "cylinder");
    assert!((cylinder.volume - PI * 0.16 * 1.4).abs() < 1e-15);
}

#[test]
fn compound_of_pieces_is_the_whole() {
    // A box cut in two, and a capsule without a middle.
    let piece = |x: f64| {
        let pose = Pose {
            position: Vec3::new(x, 0.2, 0.0),
            ..Pose::identity()
        };
        (pose, Shape::cuboid(Vec3::new(0.25, 0.3, 0.1)))
    };
    let found = MassProperties::of(&Shape::Compound(vec![piece(-0.25), piece(0.25)])).unwrap();
    let expected = MassProperties::of(&Shape::cuboid(Vec3::new(0.5, 0.3, 0.1))).unwrap();
    close(&found.inertia, &expected.inertia, 1e-14, "pieces");
    assert!((found.centre - Vec3::new(0.0, 0.2, 0.0)).norm() < 1e-15);
    let ball = MassProperties::of(&Shape::Ball { radius: 0.3 }).unwrap();
    let capsule = MassProperties::of(&Shape::Capsule {
        half_length: 0.0,
        radius: 0.3,
    })
    .unwrap();
    close(&capsule.inertia, &ball.inertia, 1e-15, "ball");
    assert!(MassProperties::of(&Shape::HalfSpace { normal: Vec3::z() }).is_none());
}

#[test]
fn capsule_by_slices() {
    // Discs of radius ρ(z), summed by the midpoint rule.
    let (h, r): (f64, f64) = (0.6, 0.25);
    let capsule = MassProperties::of(&Shape::Capsule {
        half_length: h,
        radius: r,
    })
    .unwrap();
    let n = 20_000;
    let (mut volume, mut across, mut along) = (0.0, 0.0, 0.0);
    for i in 0..n {
        let z = (h + r) * (f64::from(i) + 0.5) / f64::from(n);
        let beyond = (z - h).max(0.0);
        let rho2 = r * r - beyond * beyond;
        let dz = 2.0 * (h + r) / f64::from(n);
        volume += PI * rho2 * dz;
        across += (PI * rho2 * rho2 / 4.0 + PI * rho2 * z * z) * dz;
        along += PI * rho2 * rho2 / 2.0 * dz;
    }
    assert!((capsule.volume / volume - 1.0).abs() < 1e-8);
    close(
        &capsule.inertia,
        &Mat3::from_diagonal(&Vec3::new(across, across, along)),
        1e-8,
        "capsule",
    );
}
