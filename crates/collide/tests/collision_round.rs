//! Contacts of half-spaces, balls, capsules, cylinders and compounds.
#![allow(clippy::unwrap_used)]

mod oracle;
mod random;

use std::sync::Arc;

use random::Rng;
use stiction_collide::collision::{Scratch, Touching, contacts};
use stiction_collide::shape::{Polytope, Shape};
use stiction_collide::{Pose, Quat, Vec3};

fn find(a: (&Shape, &Pose), b: (&Shape, &Pose), margin: f64) -> Vec<Touching> {
    let mut out = Vec::new();
    contacts(a, b, margin, &mut Scratch::default(), &mut out);
    for (i, t) in out.iter().enumerate() {
        assert!(t.gap <= margin && (t.normal.norm() - 1.0).abs() < 1e-12, "{t:?}");
        assert!(
            out[..i].iter().all(|o| o.feature != t.feature),
            "features repeat in {out:#?}"
        );
    }
    out
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose {
        position: Vec3::new(x, y, z),
        ..Pose::identity()
    }
}

/// Turned about x by an angle [rad].
fn tilted(position: Vec3, angle: f64) -> Pose {
    let rotation = Quat::new_normalize(nalgebra::Quaternion::new(
        (angle / 2.0).cos(),
        (angle / 2.0).sin(),
        0.0,
        0.0,
    ));
    Pose { position, rotation }
}

const QUARTER: f64 = std::f64::consts::FRAC_PI_2;
const GROUND: Shape = Shape::HalfSpace {
    normal: Vec3::new(0.0, 0.0, 1.0),
};

fn gaps(found: &[Touching]) -> Vec<f64> {
    found.iter().map(|t| t.gap).collect()
}

fn assert_gaps(found: &[Touching], expected: f64, count: usize) {
    assert_eq!(found.len(), count, "{found:#?}");
    assert!(
        found.iter().all(|t| (t.gap - expected).abs() < 1e-12),
        "{:?}",
        gaps(found)
    );
}

#[test]
fn on_a_half_space() {
    let ball = Shape::Ball { radius: 0.3 };
    let found = find((&ball, &at(1.0, 2.0, 0.31)), (&GROUND, &Pose::identity()), 0.02);
    assert_gaps(&found, 0.01, 1);
    assert!((found[0].point - Vec3::new(1.0, 2.0, 0.0)).norm() < 1e-15 && found[0].normal == Vec3::z());

    let capsule = Shape::Capsule {
        half_length: 0.5,
        radius: 0.2,
    };
    let lying = tilted(Vec3::new(0.0, 0.0, 0.2), QUARTER);
    assert_gaps(&find((&capsule, &lying), (&GROUND, &Pose::identity()), 0.02), 0.0, 2);
    assert_gaps(
        &find((&capsule, &at(0.0, 0.0, 0.7)), (&GROUND, &Pose::identity()), 0.02),
        0.0,
        1,
    );

    let cylinder = Shape::Cylinder {
        half_height: 0.5,
        radius: 0.2,
    };
    let standing = find((&cylinder, &at(0.0, 0.0, 0.5)), (&GROUND, &Pose::identity()), 0.02);
    assert_gaps(&standing, 0.0, 8);
    assert!(standing.iter().map(|t| t.point).sum::<Vec3>().norm() < 1e-14);
    assert_gaps(&find((&cylinder, &lying), (&GROUND, &Pose::identity()), 0.02), 0.0, 2);
    // Leaning: the lowest point of the lower rim.
    let leaning = find(
        (&cylinder, &tilted(Vec3::new(0.0, 0.0, 0.5), 0.3)),
        (&GROUND, &Pose::identity()),
        0.1,
    );
    let lowest = 0.5 - 0.5 * 0.3_f64.cos() - 0.2 * 0.3_f64.sin();
    assert!((leaning.iter().map(|t| t.gap).fold(1.0, f64::min) - lowest).abs() < 1e-14);

    // A half-space is the same on either side of the pair.
    let flipped = find((&GROUND, &Pose::identity()), (&ball, &at(1.0, 2.0, 0.31)), 0.02);
    assert!(flipped[0].normal == -Vec3::z() && flipped[0].feature == found[0].feature);
}

#[test]
fn round_pairs() {
    let (ball, small) = (Shape::Ball { radius: 0.3 }, Shape::Ball { radius: 0.1 });
    let found = find((&ball, &at(0.0, 0.0, 0.0)), (&small, &at(0.0, 0.5, 0.0)), 0.2);
    assert_gaps(&found, 0.1, 1);
    assert!((found[0].point - Vec3::new(0.0, 0.4, 0.0)).norm() < 1e-15 && found[0].normal == -Vec3::y());
    assert_gaps(
        &find((&ball, &at(1.0, 0.0, 0.0)), (&small, &at(1.0, 0.0, 0.0)), 0.0),
        -0.4,
        1,
    );

    let capsule = Shape::Capsule {
        half_length: 0.5,
        radius: 0.2,
    };
    assert_gaps(
        &find((&small, &at(0.35, 0.0, 0.2)), (&capsule, &Pose::identity()), 0.1),
        0.05,
        1,
    );
    // Side by side: the two ends of the overlap, of equal and of shifted capsules; touching at 1e-12 tilt too.
    assert_gaps(
        &find((&capsule, &at(0.45, 0.0, 0.0)), (&capsule, &Pose::identity()), 0.1),
        0.05,
        2,
    );
    assert_gaps(
        &find((&capsule, &at(0.45, 0.0, 0.3)), (&capsule, &Pose::identity()), 0.1),
        0.05,
        2,
    );
    assert_gaps(
        &find(
            (&capsule, &tilted(Vec3::new(0.45, 0.0, 0.3), 1e-9)),
            (&capsule, &Pose::identity()),
            0.1,
        ),
        0.05,
        2,
    );
    // One above the other, crossed, and crossed with axes that meet.
    assert_gaps(
        &find((&capsule, &at(0.0, 0.0, 1.45)), (&capsule, &Pose::identity()), 0.1),
        0.05,
        1,
    );
    let crossed = tilted(Vec3::new(0.45, 0.1, 0.1), QUARTER);
    assert_gaps(&find((&capsule, &crossed), (&capsule, &Pose::identity()), 0.1), 0.05, 1);
    assert_gaps(
        &find(
            (&capsule, &tilted(Vec3::zeros(), QUARTER)),
            (&capsule, &Pose::identity()),
            0.1,
        ),
        -0.4,
        1,
    );
    // Same place, same pose.
    assert!(!find((&capsule, &Pose::identity()), (&capsule, &Pose::identity()), 0.1).is_empty());
}

#[test]
fn on_a_box() {
    let cube = Shape::cuboid(Vec3::new(0.5, 0.5, 0.5));
    let ball = Shape::Ball { radius: 0.3 };
    assert_gaps(
        &find((&ball, &at(0.1, 0.2, 0.81)), (&cube, &Pose::identity()), 0.1),
        0.01,
        1,
    );
    // Off an edge, off a corner, and with the centre inside.
    let off = find((&ball, &at(0.1, 0.7, 0.7)), (&cube, &Pose::identity()), 0.1);
    assert_gaps(&off, 0.08_f64.sqrt() - 0.3, 1);
    assert!((off[0].normal - Vec3::new(0.0, 1.0, 1.0).normalize()).norm() < 1e-15);
    assert_gaps(
        &find((&ball, &at(0.7, 0.7, 0.7)), (&cube, &Pose::identity()), 0.1),
        0.12_f64.sqrt() - 0.3,
        1,
    );
    let inside = find((&ball, &at(0.1, 0.0, 0.45)), (&cube, &Pose::identity()), 0.1);
    assert_gaps(&inside, -0.35, 1);
    assert_eq!(inside[0].normal, Vec3::z());
    assert!((inside[0].point - Vec3::new(0.1, 0.0, 0.5)).norm() < 1e-15);

    let capsule = Shape::Capsule {
        half_length: 0.4,
        radius: 0.2,
    };
    assert_gaps(
        &find(
            (&capsule, &tilted(Vec3::new(0.0, 0.0, 0.71), QUARTER)),
            (&cube, &Pose::identity()),
            0.1,
        ),
        0.01,
        2,
    );
    // Overhanging: the end above the box and the edge it crosses; across both edges; long across.
    let found = find(
        (&capsule, &tilted(Vec3::new(0.0, 0.4, 0.71), QUARTER)),
        (&cube, &Pose::identity()),
        0.1,
    );
    let above: Vec<f64> = found
        .iter()
        .filter(|t| (t.gap - 0.01).abs() < 1e-12)
        .map(|t| t.point.y)
        .collect();
    assert_eq!(above.len(), 2, "{found:#?}");
    assert!(above.iter().any(|y| (y - 0.5).abs() < 1e-12) && above.iter().any(|y| y.abs() < 1e-12));
    let long = Shape::Capsule {
        half_length: 2.0,
        radius: 0.2,
    };
    let lying = tilted(Vec3::new(0.0, 0.3, 0.71), QUARTER);
    assert_gaps(&find((&long, &lying), (&cube, &Pose::identity()), 0.1), 0.01, 2);
    // Axis through the box: pushed out, not ignored.
    let through = find(
        (&long, &tilted(Vec3::new(0.0, 0.0, 0.4), QUARTER)),
        (&cube, &Pose::identity()),
        0.1,
    );
    assert_gaps(&through, -0.3, 2);
    assert!(through.iter().all(|t| t.normal == Vec3::z()));
}

#[test]
fn cylinders() {
    let cube = Shape::cuboid(Vec3::new(0.5, 0.5, 0.5));
    let cylinder = Shape::Cylinder {
        half_height: 0.4,
        radius: 0.2,
    };
    let ball = Shape::Ball { radius: 0.1 };
    assert_gaps(
        &find((&ball, &at(0.31, 0.0, 0.1)), (&cylinder, &Pose::identity()), 0.1),
        0.01,
        1,
    );
    assert_gaps(
        &find((&ball, &at(0.1, 0.0, 0.51)), (&cylinder, &Pose::identity()), 0.1),
        0.01,
        1,
    );
    assert_gaps(
        &find((&ball, &at(0.23, 0.0, 0.44)), (&cylinder, &Pose::identity()), 0.1),
        0.05 - 0.1,
        1,
    );
    // Standing on a box, on a cylinder; lying on a box at any turn about its axis, leaning against its edge.
    assert_gaps(
        &find((&cylinder, &at(0.0, 0.0, 0.91)), (&cube, &Pose::identity()), 0.1),
        0.01,
        32,
    );
    let stacked = find((&cylinder, &at(0.0, 0.0, 0.81)), (&cylinder, &Pose::identity()), 0.1);
    assert!(stacked.len() >= 32 && stacked.iter().all(|t| (t.gap - 0.01).abs() < 1e-12));
    let lying = tilted(Vec3::new(0.0, 0.0, 0.71), QUARTER);
    for angle in [0.0, 0.01, 0.05, 0.1, 1.0, 2.0] {
        let turn = Quat::new_normalize(nalgebra::Quaternion::new(
            (angle / 2.0_f64).cos(),
            0.0,
            0.0,
            (angle / 2.0_f64).sin(),
        ));
        let pose = Pose {
            rotation: lying.rotation * turn,
            ..lying
        };
        let found = find((&cylinder, &pose), (&cube, &Pose::identity()), 0.0101);
        assert_gaps(&found, 0.01, 2);
    }
    // Beside a vertical edge of the box, in any direction of the cylinder's prism.
    for shift in [0.15, 0.151, 0.16, 0.13] {
        let found = find(
            (&cylinder, &at(0.5 + shift, 0.5 + 0.15, 0.0)),
            (&cube, &Pose::identity()),
            0.05,
        );
        let truth = (shift * shift + 0.15 * 0.15_f64).sqrt() - 0.2;
        let least: Vec<_> = found.iter().filter(|t| (t.gap - truth).abs() < 1e-12).collect();
        assert_eq!(least.len(), 2, "{found:#?}");
        assert!(found.iter().all(|t| t.gap >= truth - 1e-12));
    }
}

#[test]
fn cylinders_and_round_shapes() {
    let cylinder = Shape::Cylinder {
        half_height: 0.4,
        radius: 0.2,
    };
    // Side by side and crossed.
    assert_gaps(
        &find((&cylinder, &at(0.41, 0.0, 0.0)), (&cylinder, &Pose::identity()), 0.1),
        0.01,
        2,
    );
    assert_gaps(
        &find(
            (&cylinder, &tilted(Vec3::new(0.41, 0.0, 0.0), 1.0)),
            (&cylinder, &Pose::identity()),
            0.1,
        ),
        0.01,
        1,
    );
    // Capsule beside, and across the top.
    let capsule = Shape::Capsule {
        half_length: 0.4,
        radius: 0.1,
    };
    assert_gaps(
        &find((&capsule, &at(0.31, 0.0, 0.0)), (&cylinder, &Pose::identity()), 0.05),
        0.01,
        2,
    );
    assert_gaps(
        &find(
            (&capsule, &tilted(Vec3::new(0.0, 0.0, 0.51), QUARTER)),
            (&cylinder, &Pose::identity()),
            0.05,
        ),
        0.01,
        2,
    );
}

#[test]
fn compounds_are_their_parts() {
    let dumbbell = Shape::Compound(vec![
        (at(-1.0, 0.0, 0.0), Shape::Ball { radius: 0.3 }),
        (at(1.0, 0.0, 0.0), Shape::Ball { radius: 0.3 }),
        (at(0.0, 0.0, 0.0), Shape::cuboid(Vec3::new(1.0, 0.3, 0.3))),
    ]);
    assert_gaps(
        &find((&dumbbell, &at(0.0, 0.0, 0.31)), (&GROUND, &Pose::identity()), 0.05),
        0.01,
        6,
    );
    let stacked = find((&dumbbell, &at(0.0, 0.0, 0.61)), (&dumbbell, &Pose::identity()), 0.05);
    assert!(stacked.len() >= 6 && stacked.iter().all(|t| (t.gap - 0.01).abs() < 1e-12));
}

fn random_shape(rng: &mut Rng) -> Shape {
    match rng.bits() % 4 {
        0 => Shape::Ball {
            radius: rng.range(0.2, 0.6),
        },
        1 => Shape::Capsule {
            half_length: rng.range(0.1, 0.8),
            radius: rng.range(0.1, 0.5),
        },
        2 => Shape::cuboid(Vec3::new(rng.range(0.2, 1.0), rng.range(0.2, 1.0), rng.range(0.2, 1.0))),
        _ => {
            let points: Vec<Vec3> = (0..10).map(|_| rng.vector(0.8)).collect();
            Shape::Polytope(Arc::new(Polytope::hull(&points).unwrap()))
        }
    }
}

/// Distance of a point from a shape, by projections onto its faces and edges.
fn distance_from(shape: &Shape, pose: &Pose, x: Vec3) -> f64 {
    let x = pose.point_in_body(x);
    match shape {
        Shape::Ball { radius } => x.norm() - radius,
        Shape::Capsule { half_length, radius } => {
            (x - Vec3::new(0.0, 0.0, x.z.clamp(-half_length, *half_length))).norm() - radius
        }
        Shape::Polytope(body) => oracle::point_distance(body, x),
        _ => unreachable!(),
    }
}

#[test]
fn round_shapes_at_their_true_distance() {
    // Least distance over the axis of the round body, by a scan of the convex function and a ternary search.
    let mut rng = Rng(21);
    let mut close = 0;
    for round in 0..20_000 {
        let round_body = if rng.bits().is_multiple_of(3) {
            (0.0, rng.range(0.1, 0.5))
        } else {
            (rng.range(0.1, 0.8), rng.range(0.1, 0.5))
        };
        let a = Shape::Capsule {
            half_length: round_body.0,
            radius: round_body.1,
        };
        let b = random_shape(&mut rng);
        let (pose_a, pose_b) = (rng.pose(1.0), rng.pose(0.5));
        let at = |s: f64| distance_from(&b, &pose_b, pose_a.point(Vec3::new(0.0, 0.0, s)));
        let (mut low, mut high) = (-round_body.0, round_body.0);
        for _ in 0..100 {
            let (s, t) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if at(s) <= at(t) {
                high = t;
            } else {
                low = s;
            }
        }
        let axis_distance = at(f64::midpoint(low, high));
        if axis_distance < 1e-6 {
            continue;
        }
        let truth = axis_distance - round_body.1;
        let found = find((&a, &pose_a), (&b, &pose_b), 0.1);
        let least = found.iter().map(|t| t.gap).fold(f64::INFINITY, f64::min);
        if truth <= 0.1 {
            assert!((least - truth).abs() < 1e-9, "round {round}: {b:?} {least} {truth}");
            close += 1;
        } else {
            assert!(found.is_empty(), "round {round}");
        }
        let swapped = find((&b, &pose_b), (&a, &pose_a), 0.1);
        let least_swapped = swapped.iter().map(|t| t.gap).fold(f64::INFINITY, f64::min);
        assert!(
            least == least_swapped || (least - least_swapped).abs() < 1e-12,
            "round {round}"
        );
        assert_eq!(found.len(), swapped.len());
    }
    assert!(close > 3000, "{close}");
}
