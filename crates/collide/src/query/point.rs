//! The place of a shape that is nearest to a point.

use super::{Nearest, flat};
use crate::collision::{Bounds, closest};
use crate::ellipsoid;
use crate::shape::{Polytope, Shape};
use crate::{Pose, Vec3};

/// None where the shape has no place at all or the pose is not finite.
#[must_use]
pub fn nearest(shape: &Shape, pose: &Pose, point: Vec3) -> Option<Nearest> {
    let x = pose.point_in_body(point);
    if !x.iter().all(|c| c.is_finite()) {
        return None;
    }
    let (distance, normal) = in_frame(shape, x)?;
    let normal = pose.direction(normal);
    Some(Nearest {
        distance,
        point: point - normal * distance,
        normal,
    })
}

/// Distance and outward normal, in the frame of the shape.
fn in_frame(shape: &Shape, x: Vec3) -> Option<(f64, Vec3)> {
    match shape {
        Shape::HalfSpace { normal } => Some((normal.dot(&x), *normal)),
        Shape::Ball { radius } => Some(round(x, *radius)),
        Shape::Capsule { half_length, radius } => {
            let on_axis = Vec3::new(0.0, 0.0, x.z.clamp(-half_length, *half_length));
            let away = x - on_axis;
            // Out of the axis at right angles to it.
            Some(if away == Vec3::zeros() && x.z.abs() < *half_length {
                (-radius, Vec3::x())
            } else {
                round(away, *radius)
            })
        }
        Shape::Cylinder { half_height, radius } => {
            let found = closest::of_cylinder(*half_height, *radius, x);
            Some((found.distance, found.normal))
        }
        Shape::Ellipsoid { semi_axes } => {
            let found = ellipsoid::nearest(semi_axes, x);
            Some((found.distance, found.normal))
        }
        Shape::Polytope(polytope) => {
            let found = closest::of_polytope(polytope, x, 0.0);
            Some((found.distance, found.normal))
        }
        Shape::Mesh(mesh) => {
            let mut best: Option<(f64, Vec3)> = None;
            mesh.nearest(&Bounds { low: x, high: x }, |k| {
                let solid = &mesh.pieces[k].solid;
                let away = x - on_triangle(solid, x);
                let distance = away.norm();
                if best.is_none_or(|(least, _)| distance < least) {
                    let normal = away.try_normalize(0.0).unwrap_or(solid.faces[0].normal);
                    best = Some((distance, normal));
                }
                best.map_or(f64::INFINITY, |(least, _)| least)
            });
            best
        }
        Shape::Planar(flat) => in_frame(&flat::in_space(flat), x),
        Shape::Compound(parts) => {
            let found = parts.iter().filter_map(|(pose, part)| nearest(part, pose, x));
            let least = found.reduce(|a, b| if b.distance < a.distance { b } else { a })?;
            Some((least.distance, least.normal))
        }
    }
}

/// Of a ball about the origin.
fn round(x: Vec3, radius: f64) -> (f64, Vec3) {
    (x.norm() - radius, x.try_normalize(0.0).unwrap_or_else(Vec3::z))
}

/// The nearest point of the triangle on top of a prism.
pub(super) fn on_triangle(solid: &Polytope, x: Vec3) -> Vec3 {
    let face = &solid.faces[0];
    let corner = |i: usize| solid.vertices[face.corners[i % 3]];
    if (0..3).all(|i| face.sides[i].dot(&(x - corner(i))) <= 0.0) {
        return x - face.normal * (face.normal.dot(&x) - face.offset);
    }
    let places = [0, 1, 2].map(|i| {
        let (from, along) = (corner(i), corner(i + 1) - corner(i));
        from + along * closest::on_segment(x, from, along)
    });
    places.into_iter().fold(places[0], |a, b| {
        if (b - x).norm_squared() < (a - x).norm_squared() {
            b
        } else {
            a
        }
    })
}
