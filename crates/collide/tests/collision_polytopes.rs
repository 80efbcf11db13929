//! Contacts of polytopes: none lost, none doubled, none far away, the right distance.
#![allow(clippy::unwrap_used)]

mod oracle;
mod random;

use std::sync::Arc;

use random::Rng;
use stiction_collide::collision::{Scratch, Touching, contacts};
use stiction_collide::shape::{Polytope, Shape};
use stiction_collide::{Pose, Vec3};

fn find(a: (&Shape, &Pose), b: (&Shape, &Pose), margin: f64) -> Vec<Touching> {
    let mut out = Vec::new();
    contacts(a, b, margin, &mut Scratch::default(), &mut out);
    out
}

fn at(position: Vec3) -> Pose {
    Pose {
        position,
        ..Pose::identity()
    }
}

fn polytope(shape: &Shape) -> &Polytope {
    match shape {
        Shape::Polytope(p) => p,
        _ => unreachable!(),
    }
}

/// Each expected point is found once, each found point is expected.
fn assert_same_points(found: &[Touching], expected: &[Vec3], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: {found:#?}");
    for e in expected {
        let near = found.iter().filter(|t| (t.point - e).norm() <= tolerance).count();
        assert_eq!(near, 1, "{what}: point {e:?} found {near} times in {found:#?}");
    }
    for (i, t) in found.iter().enumerate() {
        assert!(
            found[..i].iter().all(|o| o.feature != t.feature),
            "{what}: features repeat"
        );
    }
}

#[test]
fn equal_aligned_boxes_touch_at_four_corners_in_any_frame() {
    let mut rng = Rng(1);
    for round in 0..100_000 {
        let half = Vec3::new(rng.range(0.1, 1.0), rng.range(0.1, 1.0), rng.range(0.1, 1.0));
        let cube = Shape::cuboid(half);
        let frame = rng.pose(3.0);
        let axis = rng.below(3);
        let mut step = Vec3::zeros();
        step[axis] = 2.0 * half[axis];
        let upper = frame.then(&at(step));
        let found = find((&cube, &upper), (&cube, &frame), 0.01);
        let expected: Vec<Vec3> = polytope(&cube)
            .vertices
            .iter()
            .filter(|v| v[axis] > 0.0)
            .map(|&v| frame.point(v))
            .collect();
        assert_same_points(&found, &expected, 1e-12, &format!("round {round}"));
        for t in &found {
            assert!(t.gap.abs() < 1e-12 * half.norm(), "round {round}: gap {}", t.gap);
            assert!((t.normal - frame.direction(step.normalize())).norm() < 1e-12);
        }
    }
}

#[test]
fn boxes_turned_a_quarter_keep_four_corners() {
    let mut rng = Rng(2);
    let cube = Shape::cuboid(Vec3::new(0.5, 0.5, 0.5));
    let h = std::f64::consts::FRAC_1_SQRT_2;
    let quarter = stiction_collide::Quat::new_normalize(nalgebra::Quaternion::new(h, 0.0, 0.0, h));
    for round in 0..10_000 {
        let frame = rng.pose(3.0);
        let upper = frame.then(&Pose {
            position: Vec3::z(),
            rotation: quarter,
        });
        let found = find((&cube, &upper), (&cube, &frame), 0.01);
        let expected: Vec<Vec3> = polytope(&cube)
            .vertices
            .iter()
            .filter(|v| v.z > 0.0)
            .map(|&v| frame.point(v))
            .collect();
        assert_same_points(&found, &expected, 1e-12, &format!("round {round}"));
    }
}

#[test]
fn prisms_keep_every_corner() {
    let mut rng = Rng(3);
    for sides in 5..=12 {
        let prism = Shape::Polytope(Arc::new(Polytope::prism(sides, 0.7, 0.4).unwrap()));
        let ground = Shape::HalfSpace { normal: Vec3::z() };
        for round in 0..1000 {
            let what = format!("{sides} sides, round {round}");
            let frame = rng.pose(3.0);
            let low = frame.then(&at(Vec3::new(0.0, 0.0, 0.4)));
            let high = frame.then(&at(Vec3::new(0.0, 0.0, 1.2)));
            let rim = |z: f64| {
                let all = polytope(&prism).vertices.clone();
                all.into_iter()
                    .filter(|v| v.z < 0.0)
                    .map(move |v| frame.point(Vec3::new(v.x, v.y, z)))
                    .collect::<Vec<_>>()
            };
            assert_same_points(&find((&prism, &low), (&ground, &frame), 0.01), &rim(0.0), 1e-12, &what);
            assert_same_points(&find((&prism, &high), (&prism, &low), 0.01), &rim(0.8), 1e-12, &what);
        }
    }
}

#[test]
fn prism_turned_on_prism_keeps_the_whole_outline() {
    // Two octagons a sixteenth of a turn apart overlap in a 16-gon.
    let prism = Shape::Polytope(Arc::new(Polytope::prism(8, 0.7, 0.4).unwrap()));
    let turn = std::f64::consts::PI / 8.0;
    let rotation = stiction_collide::Quat::new_normalize(nalgebra::Quaternion::new(
        (turn / 2.0).cos(),
        0.0,
        0.0,
        (turn / 2.0).sin(),
    ));
    let upper = Pose {
        position: Vec3::new(0.0, 0.0, 0.8),
        rotation,
    };
    assert_eq!(find((&prism, &upper), (&prism, &Pose::identity()), 0.01).len(), 16);
}

#[test]
fn diagonal_neighbours_do_not_touch() {
    let cube = Shape::cuboid(Vec3::new(0.5, 0.5, 0.5));
    for position in [
        Vec3::new(1.0, 0.0, 1.0),
        Vec3::new(1.0, 1.0, 1.0),
        Vec3::new(1.0 + 1e-3, 0.0, 1.0 - 1e-13),
    ] {
        assert_eq!(
            find((&cube, &at(position)), (&cube, &Pose::identity()), 0.01),
            vec![],
            "{position:?}"
        );
    }
}

#[test]
fn crossed_edges_touch_once() {
    // Two cubes on edge, one along x, the other along y: ridges cross above each other.
    let cube = Shape::cuboid(Vec3::new(0.5, 0.5, 0.5));
    let (c, s) = ((std::f64::consts::PI / 8.0).cos(), (std::f64::consts::PI / 8.0).sin());
    let about_x = stiction_collide::Quat::new_normalize(nalgebra::Quaternion::new(c, s, 0.0, 0.0));
    let about_y = stiction_collide::Quat::new_normalize(nalgebra::Quaternion::new(c, 0.0, s, 0.0));
    let low = Pose {
        position: Vec3::zeros(),
        rotation: about_x,
    };
    let gap = 0.003;
    let high = Pose {
        position: Vec3::new(0.1, -0.2, 2.0_f64.sqrt() + gap),
        rotation: about_y,
    };
    let found = find((&cube, &high), (&cube, &low), 0.01);
    assert_eq!(found.len(), 1);
    assert!((found[0].gap - gap).abs() < 1e-15);
    assert!(
        (found[0].point - Vec3::new(0.1, 0.0, 0.5_f64.sqrt() + gap / 2.0)).norm() < 1e-15,
        "{:?}",
        found[0].point
    );
    assert!((found[0].normal - Vec3::z()).norm() < 1e-15);
}

fn random_shape(rng: &mut Rng) -> Shape {
    if rng.bits().is_multiple_of(2) {
        return Shape::cuboid(Vec3::new(rng.range(0.2, 1.0), rng.range(0.2, 1.0), rng.range(0.2, 1.0)));
    }
    let points: Vec<Vec3> = (0..12).map(|_| rng.vector(1.0)).collect();
    Shape::Polytope(Arc::new(Polytope::hull(&points).unwrap()))
}

/// Two bodies brought near each other along a random line.
fn near_pair(rng: &mut Rng) -> (Shape, Pose, Shape, Pose) {
    let (a, b) = (random_shape(rng), random_shape(rng));
    let (pose_a, mut pose_b) = (rng.pose(1.0), rng.pose(0.0));
    let direction = rng.direction();
    let reach = |shape: &Shape, pose: &Pose, d: Vec3| polytope(shape).support(pose.direction_in_body(d));
    let distance = reach(&a, &pose_a, direction) + reach(&b, &pose_b, -direction);
    pose_b.position = pose_a.position + direction * (distance * rng.range(0.6, 1.0));
    (a, pose_a, b, pose_b)
}

#[test]
fn random_pairs_against_the_true_distance() {
    let mut rng = Rng(4);
    let margin = 0.05;
    let (mut touching, mut exact, mut apart) = (0, 0, 0);
    for round in 0..20_000 {
        let (a, pose_a, b, pose_b) = near_pair(&mut rng);
        let found = find((&a, &pose_a), (&b, &pose_b), margin);
        let oracle = oracle::distance((polytope(&a), &pose_a), (polytope(&b), &pose_b));
        let least = found.iter().map(|t| t.gap).fold(f64::INFINITY, f64::min);
        if let Some(closest) = oracle {
            // Along any normal the surfaces are at least the true distance apart.
            assert!(
                least >= closest.distance - 1e-12,
                "round {round}: {least} < {}",
                closest.distance
            );
            if closest.distance <= margin && closest.inner {
                assert!(
                    !found.is_empty(),
                    "round {round}: missed a contact at {}",
                    closest.distance
                );
                let worst = if closest.face {
                    1e-12
                } else {
                    closest.distance * 0.01 + 1e-12
                };
                assert!(
                    least <= closest.distance + worst,
                    "round {round}: {least} > {}",
                    closest.distance
                );
                exact += 1;
            }
            apart += 1;
        } else {
            assert!(least < 1e-12, "round {round}: bodies overlap, least gap {least}");
            touching += 1;
        }
        for t in &found {
            assert!(t.gap <= margin && (t.normal.norm() - 1.0).abs() < 1e-12);
            // On one of the bodies and the gap from the other, or half the gap from both.
            let off = [0.0, 0.5, 1.0].map(|share| {
                let on_a = t.point + t.normal * (share * t.gap);
                let on_b = t.point - t.normal * ((1.0 - share) * t.gap);
                let off_a = oracle::outside(polytope(&a), pose_a.point_in_body(on_a));
                off_a.max(oracle::outside(polytope(&b), pose_b.point_in_body(on_b)))
            });
            let least = off.into_iter().fold(f64::INFINITY, f64::min);
            assert!(least < 1e-8, "round {round}: contact {least} off the body");
        }
        for (i, t) in found.iter().enumerate() {
            assert!(
                found[..i]
                    .iter()
                    .all(|o| o.feature != t.feature && (o.point - t.point).norm() > 1e-10)
            );
        }
    }
    assert!(
        touching > 1000 && exact > 1000 && apart > 1000,
        "{touching} {exact} {apart}"
    );
}

#[test]
fn contacts_turn_with_the_frame_and_swap_with_the_bodies() {
    let mut rng = Rng(5);
    let mut compared = 0;
    for round in 0..20_000 {
        let (a, pose_a, b, pose_b) = near_pair(&mut rng);
        let found = find((&a, &pose_a), (&b, &pose_b), 0.05);
        let frame = rng.pose(2.0);
        let turned = find((&a, &frame.then(&pose_a)), (&b, &frame.then(&pose_b)), 0.05);
        assert_eq!(found.len(), turned.len(), "round {round}");
        for (t, u) in found.iter().zip(&turned) {
            assert_eq!(t.feature, u.feature, "round {round}");
            // A cut between a side and a nearly parallel plane moves along the side: allow for its slope in the point, not in the gap.
            assert!((frame.point(t.point) - u.point).norm() < 1e-9, "round {round}");
            assert!((t.gap - u.gap).abs() < 1e-12, "round {round}: {} {}", t.gap, u.gap);
            assert!((frame.direction(t.normal) - u.normal).norm() < 1e-12, "round {round}");
            compared += 1;
        }
        let swapped = find((&b, &pose_b), (&a, &pose_a), 0.05);
        assert_eq!(found.len(), swapped.len(), "round {round}");
        for t in &found {
            let same = |u: &Touching| {
                (t.point - u.point).norm() < 1e-9
                    && (t.normal + u.normal).norm() < 1e-12
                    && (t.gap - u.gap).abs() < 1e-12
            };
            assert_eq!(swapped.iter().filter(|u| same(u)).count(), 1, "round {round}");
        }
    }
    assert!(compared > 5000, "{compared}");
}
