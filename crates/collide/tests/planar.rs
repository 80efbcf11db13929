//! Contacts in the plane.
#![allow(clippy::unwrap_used)]

mod random;

use std::f64::consts::PI;
use std::sync::Arc;

use random::Rng;
use stiction_collide::HullError;
use stiction_collide::planar::{PlanarPose, PlanarShape, PlanarTouching, Polygon, Vec2, contacts};

fn find(a: (&PlanarShape, &PlanarPose), b: (&PlanarShape, &PlanarPose), margin: f64) -> Vec<PlanarTouching> {
    let mut out = Vec::new();
    contacts(a, b, margin, &mut out);
    for (i, t) in out.iter().enumerate() {
        assert!(t.gap <= margin && (t.normal.norm() - 1.0).abs() < 1e-12, "{t:?}");
        assert!(
            out[..i]
                .iter()
                .all(|o| o.feature != t.feature && (o.point - t.point).norm() > 1e-10),
            "{out:#?}"
        );
    }
    out
}

fn vector(rng: &mut Rng, half: f64) -> Vec2 {
    Vec2::new(rng.range(-half, half), rng.range(-half, half))
}

fn pose(rng: &mut Rng, half: f64) -> PlanarPose {
    PlanarPose::new(vector(rng, half), rng.range(-PI, PI))
}

fn shift(x: f64, y: f64) -> PlanarPose {
    PlanarPose::new(Vec2::new(x, y), 0.0)
}

fn assert_points(found: &[PlanarTouching], expected: &[Vec2], gap: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: {found:#?}");
    for e in expected {
        assert_eq!(
            found.iter().filter(|t| (t.point - e).norm() < 1e-12).count(),
            1,
            "{what}: {e:?} {found:#?}"
        );
    }
    assert!(found.iter().all(|t| (t.gap - gap).abs() < 1e-12), "{what}: {found:#?}");
}

#[test]
fn aligned_squares_touch_at_two_corners_in_any_frame() {
    let mut rng = Rng(51);
    for round in 0..100_000 {
        let half = Vec2::new(rng.range(0.1, 1.0), rng.range(0.1, 1.0));
        let square = PlanarShape::rectangle(half);
        let frame = pose(&mut rng, 3.0);
        let upper = frame.then(&shift(0.0, 2.0 * half.y));
        let found = find((&square, &upper), (&square, &frame), 0.01);
        let expected = [frame.point(half), frame.point(Vec2::new(-half.x, half.y))];
        assert_points(&found, &expected, 0.0, &format!("round {round}"));
        assert!((found[0].normal - frame.direction(Vec2::y())).norm() < 1e-12);
        let beside = frame.then(&shift(2.0 * half.x, 2.0 * half.y));
        assert!(
            find((&square, &beside), (&square, &frame), 0.01).is_empty(),
            "round {round}: passes by"
        );
    }
}

#[test]
fn polygons_on_a_line_and_on_each_other() {
    let ground = PlanarShape::HalfPlane { normal: Vec2::y() };
    let mut rng = Rng(52);
    for sides in 3..=12 {
        let polygon = Polygon::regular(sides, 0.7).unwrap();
        let (u, v, n) = (polygon.vertices[0], polygon.vertices[1], polygon.normals[0]);
        let apothem = n.dot(&u);
        let shape = PlanarShape::Polygon(Arc::new(polygon));
        // Turned so that side 0 looks down.
        let down = PlanarPose::new(Vec2::new(0.0, apothem), -PI / 2.0 - n.y.atan2(n.x));
        for _ in 0..200 {
            let frame = pose(&mut rng, 2.0);
            let standing = frame.then(&down);
            let expected = [standing.point(u), standing.point(v)];
            assert_points(
                &find((&shape, &standing), (&ground, &frame), 0.01),
                &expected,
                0.0,
                "ground",
            );
            let mirrored = frame.then(&PlanarPose::new(Vec2::new(0.0, -apothem), PI / 2.0 - n.y.atan2(n.x)));
            assert_points(
                &find((&shape, &standing), (&shape, &mirrored), 0.01),
                &expected,
                0.0,
                "each other",
            );
        }
    }
}

fn random_shape(rng: &mut Rng) -> PlanarShape {
    match rng.below(3) {
        0 => PlanarShape::Disc {
            radius: rng.range(0.1, 0.5),
        },
        1 => PlanarShape::Capsule {
            half_length: rng.range(0.1, 0.8),
            radius: rng.range(0.1, 0.4),
        },
        _ => {
            let points: Vec<Vec2> = (0..7).map(|_| vector(rng, 0.8)).collect();
            PlanarShape::Polygon(Arc::new(Polygon::hull(&points).unwrap()))
        }
    }
}

/// Corners of the core in the world, and the radius around it.
fn core(shape: &PlanarShape, pose: &PlanarPose) -> (Vec<Vec2>, f64) {
    match shape {
        PlanarShape::Disc { radius } => (vec![pose.position], *radius),
        PlanarShape::Capsule { half_length: h, radius } => (
            vec![pose.point(Vec2::new(-h, 0.0)), pose.point(Vec2::new(*h, 0.0))],
            *radius,
        ),
        PlanarShape::Polygon(p) => (p.vertices.iter().map(|&v| pose.point(v)).collect(), 0.0),
        _ => unreachable!(),
    }
}

/// Whether some direction, sampled or a side's normal, separates the two sets of corners.
fn apart(a: &[Vec2], b: &[Vec2]) -> bool {
    let sides = |c: &[Vec2]| (0..c.len()).map(|i| c[(i + 1) % c.len()] - c[i]).collect::<Vec<_>>();
    let mut axes: Vec<Vec2> = sides(a)
        .into_iter()
        .chain(sides(b))
        .map(|d| Vec2::new(d.y, -d.x))
        .collect();
    axes.push(b[0] - a[0]);
    axes.extend(sides(a).into_iter().chain(sides(b)));
    axes.into_iter().any(|n| {
        let reach = |c: &[Vec2], n: Vec2| c.iter().map(|v| v.dot(&n)).fold(f64::NEG_INFINITY, f64::max);
        reach(a, n) < -reach(b, -n) || reach(a, -n) < -reach(b, n)
    })
}

/// Least distance of corners from sides, both ways.
fn distance(a: &[Vec2], b: &[Vec2]) -> (f64, bool) {
    let mut best = (f64::INFINITY, false);
    for (points, ring) in [(a, b), (b, a)] {
        for x in points {
            for i in 0..ring.len() {
                let (p, d) = (ring[i], ring[(i + 1) % ring.len()] - ring[i]);
                let s = if d.norm() > 0.0 {
                    (x - p).dot(&d) / d.norm_squared()
                } else {
                    0.0
                };
                let away = (p + d * s.clamp(0.0, 1.0) - x).norm();
                if away < best.0 {
                    best = (away, s > 0.0 && s < 1.0);
                }
            }
        }
    }
    best
}

#[test]
fn random_pairs_against_the_true_distance() {
    let mut rng = Rng(53);
    let margin = 0.05;
    let (mut near, mut overlapping) = (0, 0);
    for round in 0..50_000 {
        let (a, b) = (random_shape(&mut rng), random_shape(&mut rng));
        let (pose_a, pose_b) = (pose(&mut rng, 0.7), pose(&mut rng, 0.7));
        let found = find((&a, &pose_a), (&b, &pose_b), margin);
        let swapped = find((&b, &pose_b), (&a, &pose_a), margin);
        let ((core_a, radius_a), (core_b, radius_b)) = (core(&a, &pose_a), core(&b, &pose_b));
        let least = found.iter().map(|t| t.gap).fold(f64::INFINITY, f64::min);
        if apart(&core_a, &core_b) {
            let (cores, inner) = distance(&core_a, &core_b);
            let truth = cores - radius_a - radius_b;
            assert!(least >= truth - 1e-12, "round {round}: {least} {truth}");
            if truth <= margin && (inner || radius_a + radius_b > 0.0) {
                assert!(
                    (least - truth).abs() < 1e-12,
                    "round {round}: {least} {truth} {a:?} {b:?}"
                );
                near += 1;
            }
        } else {
            assert!(least < 0.0, "round {round}: overlap without contact");
            overlapping += 1;
        }
        let least_swapped = swapped.iter().map(|t| t.gap).fold(f64::INFINITY, f64::min);
        assert!(
            least == least_swapped || (least - least_swapped).abs() < 1e-12,
            "round {round}"
        );
        let frame = pose(&mut rng, 2.0);
        let turned = find((&a, &frame.then(&pose_a)), (&b, &frame.then(&pose_b)), margin);
        assert_eq!(found.len(), turned.len(), "round {round}");
        for (t, u) in found.iter().zip(&turned) {
            assert!(t.feature == u.feature && (t.gap - u.gap).abs() < 1e-12, "round {round}");
            assert!((frame.point(t.point) - u.point).norm() < 1e-11, "round {round}");
            assert!((frame.direction(t.normal) - u.normal).norm() < 1e-11, "round {round}");
        }
    }
    assert!(near > 3000 && overlapping > 3000, "{near} {overlapping}");
}

#[test]
fn capsules_side_by_side_touch_twice() {
    let capsule = PlanarShape::Capsule {
        half_length: 0.5,
        radius: 0.2,
    };
    let found = find((&capsule, &shift(0.0, 0.41)), (&capsule, &PlanarPose::identity()), 0.05);
    assert_points(&found, &[Vec2::new(-0.5, 0.2), Vec2::new(0.5, 0.2)], 0.01, "equal");
    let square = PlanarShape::rectangle(Vec2::new(0.3, 0.3));
    let found = find((&capsule, &shift(0.0, 0.51)), (&square, &PlanarPose::identity()), 0.02);
    assert_points(&found, &[Vec2::new(-0.3, 0.3), Vec2::new(0.3, 0.3)], 0.01, "across");
    let crossed = find(
        (&capsule, &PlanarPose::new(Vec2::zeros(), 1.0)),
        (&capsule, &PlanarPose::identity()),
        0.0,
    );
    assert!(!crossed.is_empty() && crossed.iter().any(|t| t.gap < -0.4));
}

#[test]
fn areas_and_moments() {
    let close = |x: f64, y: f64| assert!((x - y).abs() < 1e-12 * y.abs(), "{x} {y}");
    let rectangle = PlanarShape::rectangle(Vec2::new(0.5, 0.2)).mass_properties().unwrap();
    close(rectangle.area, 0.4);
    close(rectangle.inertia, 0.4 * (1.0 + 0.16) / 12.0);
    // A regular n-gon: A = n R² sin(2π/n)/2, I = A R² (2 + cos 2π/n)/6.
    for n in 3..20 {
        let found = PlanarShape::Polygon(Arc::new(Polygon::regular(n, 0.8).unwrap()))
            .mass_properties()
            .unwrap();
        let turn = 2.0 * PI / n as f64;
        let area = n as f64 * 0.64 * turn.sin() / 2.0;
        close(found.area, area);
        close(found.inertia, area * 0.64 * (2.0 + turn.cos()) / 6.0);
        assert!(found.centre.norm() < 1e-15);
    }
    let disc = PlanarShape::Disc { radius: 0.3 }.mass_properties().unwrap();
    let capsule = PlanarShape::Capsule {
        half_length: 0.0,
        radius: 0.3,
    }
    .mass_properties()
    .unwrap();
    close(capsule.inertia, disc.inertia);
    // A capsule with a long axis, by slices across it.
    let (h, r) = (0.6, 0.25);
    let capsule = PlanarShape::Capsule {
        half_length: h,
        radius: r,
    }
    .mass_properties()
    .unwrap();
    let n = 200_000;
    let (mut area, mut inertia) = (0.0, 0.0);
    for i in 0..n {
        let x = (h + r) * (f64::from(i) + 0.5) / f64::from(n);
        let beyond = (x - h).max(0.0);
        let y = (r * r - beyond * beyond).sqrt();
        let dx = 2.0 * (h + r) / f64::from(n);
        area += 2.0 * y * dx;
        inertia += (2.0 * y * x * x + 2.0 * y * y * y / 3.0) * dx;
    }
    assert!((capsule.area / area - 1.0).abs() < 1e-6 && (capsule.inertia / inertia - 1.0).abs() < 1e-6);
    let halves = PlanarShape::Compound(vec![
        (shift(-0.25, 0.1), PlanarShape::rectangle(Vec2::new(0.25, 0.2))),
        (shift(0.25, 0.1), PlanarShape::rectangle(Vec2::new(0.25, 0.2))),
    ]);
    let halves = halves.mass_properties().unwrap();
    close(halves.inertia, rectangle.inertia);
    assert!((halves.centre - Vec2::new(0.0, 0.1)).norm() < 1e-15);
    let line: Vec<Vec2> = (0..5).map(|i| Vec2::new(f64::from(i), 2.0 * f64::from(i))).collect();
    assert_eq!(Polygon::hull(&line), Err(HullError::Line));
}
