//! Closest points of points, segments and polytopes.

use crate::Vec3;
use crate::shape::Polytope;

/// Segments whose directions make an angle below this \[rad\] are parallel.
pub(super) const PARALLEL_SEGMENTS_ANGLE: f64 = 1e-7;

/// Where along p + s d, 0 ≤ s ≤ 1, a point is closest.
pub(crate) fn on_segment(x: Vec3, p: Vec3, d: Vec3) -> f64 {
    let length = d.norm_squared();
    if length > 0.0 {
        ((x - p).dot(&d) / length).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

/// Parameters of the closest points of p + s d and q + t e, both in 0 ..= 1; of parallel segments one such pair.
pub(crate) fn of_segments(p: Vec3, d: Vec3, q: Vec3, e: Vec3) -> (f64, f64) {
    let r = q - p;
    let (dd, ee, de) = (d.norm_squared(), e.norm_squared(), d.dot(&e));
    let determinant = dd * ee - de * de;
    let s = if determinant > PARALLEL_SEGMENTS_ANGLE * PARALLEL_SEGMENTS_ANGLE * dd * ee {
        ((d.dot(&r) * ee - e.dot(&r) * de) / determinant).clamp(0.0, 1.0)
    } else {
        on_segment(q, p, d)
    };
    let t = on_segment(p + d * s, q, e);
    (on_segment(q + e * t, p, d), t)
}

/// The point of a body's surface nearest to a given point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nearest {
    /// Distance \[m\]; below zero inside.
    pub(crate) distance: f64,
    /// Outward unit normal: from the surface to the point, seen from outside.
    pub(crate) normal: Vec3,
}

/// Nearest point of a polytope, all in its frame. Within `tolerance` \[m\] of the surface the normal is that of a face.
pub(crate) fn of_polytope(body: &Polytope, x: Vec3, tolerance: f64) -> Nearest {
    let mut top = (f64::NEG_INFINITY, 0);
    let mut nearest: Option<(f64, Vec3)> = None;
    for (f, face) in body.faces.iter().enumerate() {
        let height = face.normal.dot(&x) - face.offset;
        if height > top.0 {
            top = (height, f);
        }
        if height <= 0.0 {
            continue;
        }
        let mut over = true;
        for (i, side) in face.sides.iter().enumerate() {
            let u = face.corners[i];
            let from = body.vertices[u];
            if side.dot(&(x - from)) <= 0.0 {
                continue;
            }
            over = false;
            let v = face.corners[(i + 1) % face.corners.len()];
            let along = body.vertices[v] - from;
            let s = on_segment(x, from, along);
            let away = x - from - along * s;
            let squared = away.norm_squared();
            if nearest.is_none_or(|(best, _)| squared < best) {
                nearest = Some((squared, away));
            }
        }
        if over {
            return Nearest {
                distance: height,
                normal: face.normal,
            };
        }
    }
    match nearest {
        Some((squared, away)) if squared > tolerance * tolerance => {
            let distance = squared.sqrt();
            Nearest {
                distance,
                normal: away / distance,
            }
        }
        _ => Nearest {
            distance: top.0,
            normal: body.faces[top.1].normal,
        },
    }
}

/// Nearest point of a cylinder about z, all in its frame.
pub(crate) fn of_cylinder(half_height: f64, radius: f64, x: Vec3) -> Nearest {
    let rho = (x.x * x.x + x.y * x.y).sqrt();
    let radial = if rho > 0.0 {
        Vec3::new(x.x / rho, x.y / rho, 0.0)
    } else {
        Vec3::x()
    };
    let axial = if x.z < 0.0 { -Vec3::z() } else { Vec3::z() };
    let (above, beside) = (x.z.abs() - half_height, rho - radius);
    if above > 0.0 && beside > 0.0 {
        let distance = (above * above + beside * beside).sqrt();
        let normal = (axial * above + radial * beside) / distance;
        Nearest { distance, normal }
    } else if above >= beside {
        Nearest {
            distance: above,
            normal: axial,
        }
    } else {
        Nearest {
            distance: beside,
            normal: radial,
        }
    }
}
