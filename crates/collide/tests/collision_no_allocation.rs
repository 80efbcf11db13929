//! Once warm, collision detection takes no memory.
#![allow(clippy::unwrap_used)]

mod random;

use std::sync::Arc;

use random::Rng;
use stiction_collide::collision::{Bounds, BroadPhase, Filter, Scratch, contacts};
use stiction_collide::shape::{Polytope, Shape};
use stiction_collide::{Pose, TriangleMesh, Vec3};

#[test]
fn a_second_call_does_not_allocate() {
    let mut rng = Rng(41);
    let shapes = [
        Shape::HalfSpace { normal: Vec3::z() },
        Shape::Mesh(Arc::new(
            TriangleMesh::height_map(9, 9, (0.3, 0.2), &[0.0; 81]).unwrap(),
        )),
        Shape::Ball { radius: 0.3 },
        Shape::Capsule {
            half_length: 0.4,
            radius: 0.2,
        },
        Shape::Cylinder {
            half_height: 0.4,
            radius: 0.3,
        },
        Shape::cuboid(Vec3::new(0.5, 0.4, 0.3)),
        Shape::Polytope(Arc::new(Polytope::prism(9, 0.5, 0.4).unwrap())),
        Shape::Compound(vec![
            (Pose::identity(), Shape::Ball { radius: 0.4 }),
            (rng.pose(0.3), Shape::cuboid(Vec3::repeat(0.3))),
        ]),
    ];
    let poses: Vec<Pose> = shapes.iter().map(|_| rng.pose(0.4)).collect();
    let bounds: Vec<Bounds> = shapes.iter().zip(&poses).map(|(s, p)| Bounds::of(s, p)).collect();
    let filters = vec![Filter::default(); shapes.len()];
    let (mut scratch, mut out, mut broad_phase) = (Scratch::default(), Vec::new(), BroadPhase::new());
    let mut round = || {
        out.clear();
        for &(i, j) in broad_phase.pairs(&bounds, &filters) {
            contacts(
                (&shapes[i], &poses[i]),
                (&shapes[j], &poses[j]),
                0.1,
                &mut scratch,
                &mut out,
            );
        }
        out.len()
    };
    let count = round();
    let info = allocation_counter::measure(|| assert_eq!(round(), count));
    assert_eq!(info.count_total, 0, "{info:?}");
    assert!(count > 10, "{count}");
}
