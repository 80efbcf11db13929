//! Planar shapes as spatial ones with the same places in the plane: rays and distances there have the same answers.

use std::sync::Arc;

use crate::planar::{PlanarShape, Polygon};
use crate::shape::{Polytope, Shape};
use crate::{Pose, Quat, Vec3};

/// Half the height of a prism over its polygon, in terms of the polygon's radius: the way out through a side is always the shorter.
const PRISM_HEIGHT_RADII: f64 = 4.0;

/// The spatial shape.
pub(super) fn in_space(shape: &PlanarShape) -> Shape {
    match shape {
        PlanarShape::HalfPlane { normal } => Shape::HalfSpace {
            normal: Vec3::new(normal.x, normal.y, 0.0),
        },
        PlanarShape::Disc { radius } => Shape::Ball { radius: *radius },
        PlanarShape::Capsule { half_length, radius } => {
            let along = Shape::Capsule {
                half_length: *half_length,
                radius: *radius,
            };
            // A quarter turn about y takes z to x.
            let half = std::f64::consts::FRAC_1_SQRT_2;
            let turned = Pose {
                position: Vec3::zeros(),
                rotation: Quat::new_normalize(nalgebra::Quaternion::new(half, 0.0, half, 0.0)),
            };
            Shape::Compound(vec![(turned, along)])
        }
        PlanarShape::Polygon(polygon) => Shape::Polytope(Arc::new(prism(polygon, PRISM_HEIGHT_RADII * shape.radius()))),
        PlanarShape::Compound(parts) => Shape::Compound(
            parts
                .iter()
                .map(|(pose, part)| (pose.in_space(), in_space(part)))
                .collect(),
        ),
    }
}

/// The polygon, moved along z by half a height to either side.
fn prism(polygon: &Polygon, half_height: f64) -> Polytope {
    let ring = &polygon.vertices;
    let n = ring.len();
    let at = |z: f64| ring.iter().map(move |v| Vec3::new(v.x, v.y, z));
    let vertices: Vec<Vec3> = at(-half_height).chain(at(half_height)).collect();
    let mut faces = vec![
        (-Vec3::z(), half_height, (0..n).rev().collect::<Vec<_>>()),
        (Vec3::z(), half_height, (n..2 * n).collect()),
    ];
    for i in 0..n {
        let j = (i + 1) % n;
        let along = ring[j] - ring[i];
        let normal = Vec3::new(along.y, -along.x, 0.0).normalize();
        faces.push((normal, normal.dot(&vertices[i]), vec![i, j, n + j, n + i]));
    }
    Polytope::from_faces(vertices, faces)
}
