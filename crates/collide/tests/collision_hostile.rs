//! Contacts at unusual sizes, places and poses.
#![allow(clippy::unwrap_used)]

mod random;

use std::sync::Arc;

use random::Rng;
use stiction_collide::collision::{Bounds, Scratch, Touching, contacts};
use stiction_collide::shape::{Polytope, Shape};
use stiction_collide::{Pose, Quat, TriangleMesh, Vec3};

fn find(a: (&Shape, &Pose), b: (&Shape, &Pose), margin: f64) -> Vec<Touching> {
    let mut out = Vec::new();
    contacts(a, b, margin, &mut Scratch::default(), &mut out);
    out
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose {
        position: Vec3::new(x, y, z),
        ..Pose::identity()
    }
}

fn small_turn(axis: Vec3, angle: f64) -> Quat {
    let v = axis * (angle / 2.0);
    Quat::new_normalize(nalgebra::Quaternion::new(1.0, v.x, v.y, v.z))
}

#[test]
fn a_resting_box_keeps_four_contacts_and_their_keys_under_small_motion() {
    let mut rng = Rng(61);
    let cube = Shape::cuboid(Vec3::new(0.5, 0.5, 0.5));
    let wide = Shape::cuboid(Vec3::new(2.0, 2.0, 0.5));
    let frame = rng.pose(2.0);
    for lower in [&cube, &wide] {
        let rest = find((&cube, &frame.then(&at(0.0, 0.0, 1.0))), (lower, &frame), 0.01);
        for tilt in [1e-15, 1e-13, 1e-11] {
            for _ in 0..1000 {
                let inner = Pose {
                    position: Vec3::z() + rng.vector(tilt),
                    rotation: small_turn(rng.direction(), tilt),
                };
                let found = find((&cube, &frame.then(&inner)), (lower, &frame), 0.01);
                assert_eq!(found.len(), 4, "tilt {tilt}: {found:#?}");
                for (t, r) in found.iter().zip(&rest) {
                    assert_eq!(t.feature, r.feature, "tilt {tilt}");
                    assert!(
                        (t.gap - r.gap).abs() < 3.0 * tilt + 1e-14 && (t.point - r.point).norm() < 3.0 * tilt + 1e-14
                    );
                }
            }
        }
        // At any small tilt all four corners stay within the margin: face contact, never a lone edge.
        for tilt in [1e-9, 1e-7, 1e-5, 1e-3] {
            for _ in 0..1000 {
                let height = Vec3::new(0.0, 0.0, 1.0 + tilt);
                let inner = Pose {
                    position: height + rng.vector(tilt),
                    rotation: small_turn(rng.direction(), tilt),
                };
                let found = find((&cube, &frame.then(&inner)), (lower, &frame), 0.01);
                assert!(found.len() >= 4, "tilt {tilt}: {found:#?}");
                let centre = found.iter().map(|t| t.point).sum::<Vec3>() / found.len() as f64;
                assert!(
                    (centre - frame.point(Vec3::new(0.0, 0.0, 0.5))).norm() < 0.2,
                    "tilt {tilt}: one-sided"
                );
            }
        }
    }
}

#[test]
fn sizes_and_places_scale() {
    let mut rng = Rng(62);
    for scale in [1e-6, 1e-3, 1.0, 1e3, 1e6] {
        let cube = Shape::cuboid(Vec3::repeat(0.5 * scale));
        for _ in 0..1000 {
            let frame = rng.pose(scale);
            let upper = frame.then(&at(0.0, 0.0, scale));
            assert_eq!(find((&cube, &upper), (&cube, &frame), 0.01 * scale).len(), 4, "{scale}");
        }
    }
    // A pebble on a plate, and a tower far from the origin.
    let (plate, pebble) = (
        Shape::cuboid(Vec3::new(500.0, 500.0, 0.5)),
        Shape::cuboid(Vec3::repeat(0.005)),
    );
    let cube = Shape::cuboid(Vec3::repeat(0.5));
    for _ in 0..1000 {
        let place = at(rng.range(-499.0, 499.0), rng.range(-499.0, 499.0), 0.505);
        let frame = rng.pose(1.0);
        let found = find((&pebble, &frame.then(&place)), (&plate, &frame), 0.001);
        assert_eq!(found.len(), 4);
        assert!(found.iter().all(|t| t.gap.abs() < 1e-11), "{found:?}");
        let far = Pose {
            position: rng.vector(1e4),
            ..frame
        };
        assert_eq!(
            find((&cube, &far.then(&at(0.0, 0.0, 1.0))), (&cube, &far), 0.01).len(),
            4
        );
    }
}

#[test]
fn thin_plates_and_needles_leave_by_the_near_side() {
    let plate = Shape::cuboid(Vec3::new(1.0, 1.0, 1e-4));
    let cube = Shape::cuboid(Vec3::repeat(0.1));
    let sunk = find((&cube, &at(0.2, 0.1, 0.1 + 5e-5)), (&plate, &Pose::identity()), 0.01);
    assert_eq!(sunk.len(), 4);
    assert!(
        sunk.iter()
            .all(|t| t.normal == Vec3::z() && (t.gap + 5e-5).abs() < 1e-15),
        "{sunk:?}"
    );
    let needle = Shape::cuboid(Vec3::new(1e-4, 1e-4, 1.0));
    let standing = find((&needle, &at(0.2, 0.1, 1.0 + 1e-4)), (&plate, &Pose::identity()), 1e-6);
    assert_eq!(standing.len(), 4);
}

#[test]
fn nothing_panics_and_nothing_is_not_a_number() {
    let mut rng = Rng(63);
    let shapes = [
        Shape::HalfSpace { normal: Vec3::z() },
        Shape::Ball { radius: 0.3 },
        Shape::Ball { radius: 0.0 },
        Shape::Capsule {
            half_length: 0.4,
            radius: 0.2,
        },
        Shape::Capsule {
            half_length: 0.0,
            radius: 0.2,
        },
        Shape::Cylinder {
            half_height: 0.4,
            radius: 0.3,
        },
        Shape::cuboid(Vec3::new(0.5, 0.4, 0.3)),
        Shape::Polytope(Arc::new(Polytope::prism(7, 0.5, 0.4).unwrap())),
        Shape::Mesh(Arc::new(
            TriangleMesh::height_map(4, 3, (0.3, 0.2), &[0.1; 12]).unwrap(),
        )),
        Shape::Compound(vec![]),
        Shape::Compound(vec![(Pose::identity(), Shape::cuboid(Vec3::repeat(0.3)))]),
    ];
    let special = [
        0.0,
        1e-300,
        1e-9,
        0.3,
        0.4,
        0.5,
        0.8,
        1.0,
        1e9,
        1e300,
        f64::INFINITY,
        f64::NAN,
    ];
    for a in &shapes {
        for b in &shapes {
            for round in 0..600 {
                let mut pose = if round % 2 == 0 {
                    Pose::identity()
                } else {
                    rng.pose(1.0)
                };
                for k in 0..3 {
                    if rng.below(3) == 0 {
                        pose.position[k] = special[rng.below(special.len())];
                    }
                }
                let other = if round % 3 == 0 {
                    Pose::identity()
                } else {
                    rng.pose(0.5)
                };
                let _ = Bounds::of(a, &pose);
                for t in find((a, &pose), (b, &other), 0.05) {
                    assert!(
                        t.gap <= 0.05 && t.gap.is_finite(),
                        "{a:?} {b:?} {pose:?} {other:?} {t:?}"
                    );
                    assert!(
                        t.point.iter().chain(t.normal.iter()).all(|x| x.is_finite()),
                        "{a:?} {b:?} {pose:?} {other:?} {t:?}"
                    );
                }
            }
        }
    }
}
