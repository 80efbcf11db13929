//! Sweep and prune against all pairs.

mod random;

use random::Rng;
use stiction_collide::collision::{Bounds, BroadPhase, Filter};
use stiction_collide::shape::Shape;
use stiction_collide::{Pose, Vec3};

fn all_pairs(bounds: &[Bounds], filters: &[Filter]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for i in 0..bounds.len() {
        for j in i + 1..bounds.len() {
            if bounds[i].meets(&bounds[j]) && filters[i].admits(&filters[j]) {
                pairs.push((i, j));
            }
        }
    }
    pairs
}

#[test]
fn finds_the_pairs_of_moving_bodies_in_order() {
    let mut rng = Rng(31);
    let count = 80;
    let shapes: Vec<Shape> = (0..count)
        .map(|i| match i {
            0 => Shape::HalfSpace { normal: Vec3::z() },
            _ => Shape::cuboid(Vec3::new(rng.range(0.1, 0.5), rng.range(0.1, 0.5), rng.range(0.1, 0.5))),
        })
        .collect();
    let mut poses: Vec<Pose> = (0..count)
        .map(|i| if i == 0 { Pose::identity() } else { rng.pose(2.0) })
        .collect();
    let filters: Vec<Filter> = (0..count)
        .map(|i| Filter {
            groups: 1 << (i % 3),
            collides_with: if i % 5 == 0 { 0b001 } else { 0b111 },
            fixed: i == 0 || i % 7 == 0,
        })
        .collect();
    let mut broad_phase = BroadPhase::new();
    let mut found = 0;
    for step in 0..200 {
        for pose in &mut poses[1..] {
            pose.position += rng.vector(if step % 50 == 49 { 3.0 } else { 0.05 });
        }
        let bounds: Vec<Bounds> = shapes
            .iter()
            .zip(&poses)
            .map(|(s, p)| Bounds::of(s, p).inflated(0.01))
            .collect();
        let pairs = broad_phase.pairs(&bounds, &filters);
        assert_eq!(pairs, all_pairs(&bounds, &filters), "step {step}");
        assert_eq!(
            pairs,
            BroadPhase::new().pairs(&bounds, &filters),
            "step {step}: history shows"
        );
        found += pairs.len();
        // A body leaves, and comes back next step.
        if step % 20 == 0 {
            let fewer = broad_phase.pairs(&bounds[..count - 1], &filters[..count - 1]);
            assert_eq!(fewer, all_pairs(&bounds[..count - 1], &filters[..count - 1]));
        }
    }
    assert!(found > 1000, "{found}");
}

#[test]
fn bounds_hold_their_shapes_tightly() {
    let mut rng = Rng(32);
    for _ in 0..1000 {
        let pose = rng.pose(2.0);
        let (h, r) = (rng.range(0.1, 1.0), rng.range(0.1, 1.0));
        let cylinder = Bounds::of(
            &Shape::Cylinder {
                half_height: h,
                radius: r,
            },
            &pose,
        );
        let capsule = Bounds::of(
            &Shape::Capsule {
                half_length: h,
                radius: r,
            },
            &pose,
        );
        let cuboid = Bounds::of(&Shape::cuboid(Vec3::new(r, 0.5, h)), &pose);
        for k in 0..3 {
            let mut d = Vec3::zeros();
            d[k] = 1.0;
            let d = pose.direction_in_body(d);
            let across = (d.x * d.x + d.y * d.y).sqrt();
            let support = [
                h * d.z.abs() + r * across,
                h * d.z.abs() + r,
                r * d.x.abs() + 0.5 * d.y.abs() + h * d.z.abs(),
            ];
            for (bounds, s) in [cylinder, capsule, cuboid].iter().zip(support) {
                assert!((bounds.high[k] - pose.position[k] - s).abs() < 1e-7, "{k}");
                assert!((pose.position[k] - bounds.low[k] - s).abs() < 1e-7, "{k}");
            }
        }
    }
}
