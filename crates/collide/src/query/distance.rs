//! Signed distance of two shapes.

use super::convex::{Convex, Core};
use super::{Separation, flat, gjk, overlap, point};
use crate::collision::{Bounds, Scratch, contacts, polytope_distance};
use crate::mesh::TriangleMesh;
use crate::shape::Shape;
use crate::{Pose, Vec3};

/// None where it means nothing, or where a pose is not finite.
pub(super) fn between(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> Option<Separation> {
    let finite = |pose: &Pose| (pose.position.sum() + pose.rotation.coords.sum()).is_finite();
    if !(finite(a.1) && finite(b.1)) {
        return None;
    }
    let nearer = |x: Separation, y: Separation| if y.distance < x.distance { y } else { x };
    match (a.0, b.0) {
        (Shape::Compound(parts), _) => {
            let parts = parts
                .iter()
                .filter_map(|(pose, part)| between((part, &a.1.then(pose)), b));
            parts.reduce(nearer)
        }
        (Shape::Planar(flat), _) => between((&flat::in_space(flat), a.1), b),
        (_, Shape::Planar(_) | Shape::Compound(_)) => between(b, a).map(Separation::flipped),
        (Shape::HalfSpace { normal }, _) => {
            let body = Convex::of(b.0, b.1)?;
            Some(over_plane(&body, a.1.direction(*normal), a.1.position).flipped())
        }
        (Shape::Mesh(mesh), _) => over_mesh(&Convex::of(b.0, b.1)?, b, (mesh, a.1)).map(Separation::flipped),
        (_, Shape::HalfSpace { .. } | Shape::Mesh(_)) => between(b, a).map(Separation::flipped),
        _ => Some(of_convex(&Convex::of(a.0, a.1)?, a, &Convex::of(b.0, b.1)?, b)),
    }
}

/// A body a over a plane with its outward normal.
fn over_plane(a: &Convex<'_>, normal: Vec3, on_plane: Vec3) -> Separation {
    let lowest = a.farthest(&-normal);
    let distance = normal.dot(&(lowest - on_plane));
    Separation {
        distance,
        points: [lowest, lowest - normal * distance],
        normal,
    }
}

/// A body a over triangles b.
fn over_mesh(a: &Convex<'_>, shape: (&Shape, &Pose), (mesh, pose): (&TriangleMesh, &Pose)) -> Option<Separation> {
    let inner = Pose {
        position: pose.point_in_body(shape.1.position),
        rotation: pose.rotation.inverse() * shape.1.rotation,
    };
    let mut best: Option<Separation> = None;
    mesh.nearest(&Bounds::of(shape.0, &inner), |k| {
        let found = over_triangle(a, &mesh.pieces[k].solid, pose);
        if best.is_none_or(|b| found.distance < b.distance) {
            best = Some(found);
        }
        best.map_or(f64::INFINITY, |b| b.distance)
    });
    best
}

fn over_triangle(a: &Convex<'_>, solid: &crate::shape::Polytope, pose: &Pose) -> Separation {
    let face = &solid.faces[0];
    let normal = pose.direction(face.normal);
    let corner = pose.point(solid.vertices[face.corners[0]]);
    let points = if matches!(a.core, Core::Point) {
        let on_b = pose.point(point::on_triangle(solid, pose.point_in_body(a.position)));
        (a.position != on_b).then_some([a.position, on_b])
    } else {
        gjk::closest(a, &Convex::triangle(solid, pose))
    };
    if let Some([on_a, on_b]) = points {
        let away = on_a - on_b;
        // What has sunk in from above is below the plane, however near it is from there.
        if away.norm() > a.radius || normal.dot(&away) >= 0.0 {
            return skins(on_a, on_b, a.radius, 0.0);
        }
    }
    over_plane(a, normal, corner)
}

/// Two cores that are apart, each with its skin.
fn skins(on_a: Vec3, on_b: Vec3, radius_a: f64, radius_b: f64) -> Separation {
    let away = on_a - on_b;
    let apart = away.norm();
    let normal = away.try_normalize(0.0).unwrap_or_else(Vec3::z);
    Separation {
        distance: apart - radius_a - radius_b,
        points: [on_a - normal * radius_a, on_b + normal * radius_b],
        normal,
    }
}

/// Of an ellipsoid the contact is found by roots, which have more digits than simplices. Overlap deeper than both skins may have other ways out.
fn by_contact(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> Option<Separation> {
    let mut out = Vec::new();
    contacts(a, b, f64::INFINITY, &mut Scratch::default(), &mut out);
    let found = out.first()?;
    // The contact's point is on the surface of the one or of the other.
    let on_a = is_on(a, found.point);
    let shift = found.gap * found.normal;
    Some(Separation {
        distance: found.gap,
        points: if on_a {
            [found.point, found.point - shift]
        } else {
            [found.point + shift, found.point]
        },
        normal: found.normal,
    })
}

/// Whether a point of one of two surfaces is rather of this one.
fn is_on((shape, pose): (&Shape, &Pose), x: Vec3) -> bool {
    let size = crate::shape::radius(shape);
    point::nearest(shape, pose, x).is_some_and(|near| near.distance.abs() <= 1e-9 * size)
}

fn of_convex(a: &Convex<'_>, posed_a: (&Shape, &Pose), b: &Convex<'_>, posed_b: (&Shape, &Pose)) -> Separation {
    // A ball is its centre with a skin.
    if let (Core::Point, Some(nearest)) = (&a.core, point::nearest(posed_b.0, posed_b.1, a.position)) {
        return Separation {
            distance: nearest.distance - a.radius,
            points: [a.position - nearest.normal * a.radius, nearest.point],
            normal: nearest.normal,
        };
    }
    if matches!(b.core, Core::Point) {
        return of_convex(b, posed_b, a, posed_a).flipped();
    }
    if [a, b].iter().any(|body| matches!(body.core, Core::Ellipsoid { .. }))
        && let Some(found) = by_contact(posed_a, posed_b)
        && found.distance > -(a.radius + b.radius)
    {
        return found;
    }
    if let (Core::Segment { .. }, Core::Segment { .. }) = (&a.core, &b.core) {
        let ([p, p_end], [q, q_end]) = (a.ends(), b.ends());
        let (d, e) = (p_end - p, q_end - q);
        let (s, t) = crate::collision::closest::of_segments(p, d, q, e);
        let (on_a, on_b) = (p + d * s, q + e * t);
        if (on_a - on_b).norm() > 0.0 {
            return skins(on_a, on_b, a.radius, b.radius);
        }
    } else if let Some([on_a, on_b]) = gjk::closest(a, b) {
        return skins(on_a, on_b, a.radius, b.radius);
    }
    let (depth, normal) = match (posed_a.0, posed_b.0) {
        (Shape::Polytope(x), Shape::Polytope(y)) => {
            let (distance, normal) = polytope_distance((x, posed_a.1), (y, posed_b.1));
            (-distance, normal)
        }
        _ => overlap::depth(a, b),
    };
    let distance = -depth - a.radius - b.radius;
    let deepest = a.farthest(&-normal);
    Separation {
        distance,
        points: [deepest, deepest - normal * distance],
        normal,
    }
}
