//! Convex hulls, by wrapping face after face around the points.
//!
//! A face takes every point within a tolerance of its plane, so flat parts come out as one n-gon whatever the order of the points. From each
//! side of a finished face the plane is turned about that side until it meets the next point. O(points · sides). The result is checked
//! (every side has its twin, Euler's formula, every point inside) before it is handed out.

use thiserror::Error;

use crate::Vec3;
use crate::shape::Polytope;

/// Points this close to a plane, relative to the extent of the points, lie in it. The first is a few roundings of coordinates stored in single
/// precision. Where a point lies just on the border of it, faces disagree and do not close up; then the next is tried.
const COPLANAR_REL_TOLS: [f64; 7] = [1e-6, 3e-6, 5e-7, 1e-7, 1e-8, 1e-9, 1e-11];
/// Points this close to each other, relative to the extent of the points, are one.
const DUPLICATE_REL_TOL: f64 = 1e-9;

/// Why points have no convex hull with a volume.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum HullError {
    /// A coordinate is infinite or not a number.
    #[error("point {index} is not finite")]
    NotFinite {
        /// Its number.
        index: usize,
    },
    /// Fewer than four different points.
    #[error("a solid needs at least 4 different points, found {found}")]
    TooFew {
        /// How many there are.
        found: usize,
    },
    /// Fewer than three different points in the plane.
    #[error("a polygon needs at least 3 different points, found {found}")]
    TooFewInPlane {
        /// How many there are.
        found: usize,
    },
    /// All on one line.
    #[error("all points lie on one line")]
    Line,
    /// All in one plane.
    #[error("all points lie in one plane")]
    Plane,
    /// No closed surface was found: features of the size of the rounding of the coordinates.
    #[error("the points are too close to degenerate: no closed surface through them within rounding")]
    Unclear,
    /// A prism with fewer than three sides, or without extent.
    #[error(
        "a prism needs at least 3 sides, a radius and a height above zero, found {sides} sides, {radius}, {half_height}"
    )]
    Prism {
        /// Sides requested.
        sides: usize,
        /// Radius requested \[m\].
        radius: f64,
        /// Half height requested \[m\].
        half_height: f64,
    },
}

impl Polytope {
    /// Smallest convex polytope that holds the points \[m\]. Inner points and duplicates are dropped; flat parts become one face.
    ///
    /// # Errors
    /// If a point is not finite, or if all of them lie in a point, a line or a plane.
    pub fn hull(points: &[Vec3]) -> Result<Self, HullError> {
        if let Some(index) = points.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
            return Err(HullError::NotFinite { index });
        }
        let (points, size) = distinct(points);
        if points.len() < 4 {
            return Err(HullError::TooFew { found: points.len() });
        }
        flatness(&points, COPLANAR_REL_TOLS[0] * size)?;
        let closed = COPLANAR_REL_TOLS
            .iter()
            .find_map(|relative| wrap(&points, relative * size));
        closed.ok_or(HullError::Unclear)
    }

    /// Upright prism about z over a regular polygon with a corner on the x axis; circumradius and half height in \[m\].
    ///
    /// # Errors
    /// With fewer than three sides, or a radius or height that is not above zero.
    pub fn prism(sides: usize, radius: f64, half_height: f64) -> Result<Self, HullError> {
        if sides < 3 || !(radius > 0.0 && half_height > 0.0 && radius.is_finite() && half_height.is_finite()) {
            return Err(HullError::Prism {
                sides,
                radius,
                half_height,
            });
        }
        let angle = |k: f64| 2.0 * std::f64::consts::PI * k / sides as f64;
        let rim = |z: f64| {
            (0..sides).map(move |k| {
                Vec3::new(
                    radius * libm::cos(angle(k as f64)),
                    radius * libm::sin(angle(k as f64)),
                    z,
                )
            })
        };
        let vertices: Vec<Vec3> = rim(-half_height).chain(rim(half_height)).collect();
        let apothem = radius * libm::cos(angle(0.5));
        let mut faces: Vec<_> = (0..sides)
            .map(|k| {
                let next = (k + 1) % sides;
                let middle = angle(k as f64 + 0.5);
                let normal = Vec3::new(libm::cos(middle), libm::sin(middle), 0.0);
                (normal, apothem, vec![k, next, sides + next, sides + k])
            })
            .collect();
        faces.push((-Vec3::z(), half_height, (0..sides).rev().collect()));
        faces.push((Vec3::z(), half_height, (sides..2 * sides).collect()));
        Ok(Self::from_faces(vertices, faces))
    }
}

/// The points without duplicates, in their first order, and their extent.
fn distinct(points: &[Vec3]) -> (Vec<Vec3>, f64) {
    let Some(&first) = points.first() else {
        return (Vec::new(), 0.0);
    };
    let size = points.iter().map(|p| (p - first).amax()).fold(0.0, f64::max);
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&i, &j| points[i].x.total_cmp(&points[j].x).then(i.cmp(&j)));
    let near = DUPLICATE_REL_TOL * size;
    let mut kept: Vec<usize> = Vec::new();
    for i in order {
        let behind = kept.iter().rev().take_while(|&&k| points[i].x - points[k].x <= near);
        if behind.into_iter().all(|&k| (points[i] - points[k]).amax() > near) {
            kept.push(i);
        }
    }
    kept.sort_unstable();
    (kept.into_iter().map(|i| points[i]).collect(), size)
}

/// Whether the points span space.
fn flatness(points: &[Vec3], tolerance: f64) -> Result<(), HullError> {
    let origin = points[0];
    let far = farthest(points, |p| (p - origin).norm());
    let along = (points[far] - origin).normalize();
    let side = farthest(points, |p| along.cross(&(p - origin)).norm());
    let across = along.cross(&(points[side] - origin));
    if across.norm() <= tolerance {
        return Err(HullError::Line);
    }
    let normal = across.normalize();
    let top = farthest(points, |p| normal.dot(&(p - origin)).abs());
    if normal.dot(&(points[top] - origin)).abs() <= tolerance {
        return Err(HullError::Plane);
    }
    Ok(())
}

/// The first point with the largest measure.
fn farthest(points: &[Vec3], measure: impl Fn(&Vec3) -> f64) -> usize {
    let mut best = (f64::NEG_INFINITY, 0);
    for (i, p) in points.iter().enumerate() {
        let m = measure(p);
        if m > best.0 {
            best = (m, i);
        }
    }
    best.1
}

/// A face under construction: unit normal, offset, ring of point numbers.
type Wrapped = (Vec3, f64, Vec<usize>);

/// All faces, or nothing if they do not close up.
fn wrap(points: &[Vec3], tolerance: f64) -> Option<Polytope> {
    let mut faces = vec![first_face(points, tolerance)?];
    let mut done = 0;
    while done < faces.len() {
        // More faces than any polytope on these corners has: the surface does not close.
        if faces.len() > 2 * points.len() {
            return None;
        }
        let (normal, _, ring) = faces[done].clone();
        for (i, &u) in ring.iter().enumerate() {
            let v = ring[(i + 1) % ring.len()];
            let has_twin = faces.iter().any(|(_, _, other)| runs_through(other, v, u));
            if !has_twin {
                faces.push(turn_about(points, normal, v, u, tolerance)?);
            }
        }
        done += 1;
    }
    let polytope = numbered(points, faces);
    let (v, e, f) = (polytope.vertices.len(), polytope.edges.len(), polytope.faces.len());
    let side_count: usize = polytope.faces.iter().map(|face| face.corners.len()).sum();
    let inside = |p: &Vec3| {
        polytope
            .faces
            .iter()
            .all(|face| face.normal.dot(p) - face.offset <= 4.0 * tolerance)
    };
    (v + f == e + 2 && side_count == 2 * e && points.iter().all(inside)).then_some(polytope)
}

fn runs_through(ring: &[usize], u: usize, v: usize) -> bool {
    ring.iter()
        .enumerate()
        .any(|(i, &w)| w == u && ring[(i + 1) % ring.len()] == v)
}

/// The face below everything: a plane x = min turned twice, about the lowest point and about the side it then meets.
fn first_face(points: &[Vec3], tolerance: f64) -> Option<Wrapped> {
    let low = farthest(points, |p| -p.x);
    let lowest: Vec<usize> = (0..points.len())
        .filter(|&i| points[i].x - points[low].x <= tolerance)
        .collect();
    if let Some(face) = face_through(points, -Vec3::x(), &lowest, tolerance) {
        return Some(face);
    }
    // A side of the outline along z: the polygon's corner with least x, then the one that turns farthest out.
    let u = farthest(points, |p| -p.x);
    let next = (0..points.len()).filter(|&i| {
        let d = points[i] - points[u];
        d.x * d.x + d.y * d.y > tolerance * tolerance
    });
    let mut best: Option<usize> = None;
    for i in next {
        let turns_out = best.is_none_or(|b| {
            let (d, e) = (points[i] - points[u], points[b] - points[u]);
            d.x * e.y - d.y * e.x > 0.0
        });
        if turns_out {
            best = Some(i);
        }
    }
    let d = points[best?] - points[u];
    let normal = Vec3::new(d.y, -d.x, 0.0).normalize();
    let flat: Vec<usize> = (0..points.len())
        .filter(|&i| normal.dot(&(points[i] - points[u])).abs() <= tolerance)
        .collect();
    if let Some(face) = face_through(points, normal, &flat, tolerance) {
        return Some(face);
    }
    // Only a line lies in that plane; its two ends are an edge of the hull.
    let v = flat.iter().copied().max_by(|&i, &j| {
        (points[i] - points[u])
            .norm()
            .total_cmp(&(points[j] - points[u]).norm())
    })?;
    turn_about(points, normal, v, u, tolerance)
}

/// The face beyond the side u → v of the new face, found by turning the plane with this normal about it.
fn turn_about(points: &[Vec3], normal: Vec3, u: usize, v: usize, tolerance: f64) -> Option<Wrapped> {
    let along = (points[v] - points[u]).normalize();
    // Seen along the side: x leads out of the old face, y into the solid. The next face meets the point with the largest x/y.
    let outward = (-along).cross(&normal);
    let mut best: Option<(f64, f64)> = None;
    for p in points {
        let d = p - points[u];
        let (x, y) = (d.dot(&outward), -d.dot(&normal));
        let off_side = x * x + y * y > tolerance * tolerance;
        let below = y > tolerance || (y > 0.0 && x > 0.0);
        if off_side && below && best.is_none_or(|(bx, by)| x * by > bx * y) {
            best = Some((x, y));
        }
    }
    let (x, y) = best?;
    let turned = (normal * x + outward * y).normalize();
    let level = turned.dot(&points[u]);
    let flat: Vec<usize> = (0..points.len())
        .filter(|&i| (turned.dot(&points[i]) - level).abs() <= tolerance)
        .collect();
    face_through(points, turned, &flat, tolerance)
}

/// The convex polygon of points that lie in one plane, with the plane fitted to it.
fn face_through(points: &[Vec3], normal: Vec3, flat: &[usize], tolerance: f64) -> Option<Wrapped> {
    if flat.len() < 3 {
        return None;
    }
    let ring = outline(points, normal, flat, tolerance);
    if ring.len() < 3 {
        return None;
    }
    // Newell's area vector.
    let origin = points[ring[0]];
    let mut area = Vec3::zeros();
    for i in 1..ring.len() - 1 {
        area += (points[ring[i]] - origin).cross(&(points[ring[i + 1]] - origin));
    }
    let fitted = area.try_normalize(0.0)?;
    let offset = ring
        .iter()
        .map(|&i| fitted.dot(&points[i]))
        .fold(f64::NEG_INFINITY, f64::max);
    (fitted.dot(&normal) > 0.5).then_some((fitted, offset, ring))
}

/// Corners of the convex polygon, counterclockwise about the normal, from the lowest number on. Points on its sides are skipped.
fn outline(points: &[Vec3], normal: Vec3, flat: &[usize], tolerance: f64) -> Vec<usize> {
    let skew = if normal.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() };
    let right = skew.cross(&normal).normalize();
    let up = normal.cross(&right);
    let mut order: Vec<(f64, f64, usize)> = flat
        .iter()
        .map(|&i| (points[i].dot(&right), points[i].dot(&up), i))
        .collect();
    order.sort_by(|p, q| p.0.total_cmp(&q.0).then(p.1.total_cmp(&q.1)).then(p.2.cmp(&q.2)));
    let ring = convex_ring(&order, height, tolerance, 3);
    if ring.len() == 3 && height(ring[0], ring[1], ring[2]) <= tolerance {
        return Vec::new();
    }
    let mut ring: Vec<usize> = ring.into_iter().map(|p| p.2).collect();
    let least = ring.iter().enumerate().min_by_key(|(_, i)| **i).map_or(0, |(k, _)| k);
    ring.rotate_left(least);
    ring
}

/// Counterclockwise outline of sorted points (Andrew's monotone chain), then without corners of no height while more than `least` are left.
/// The tolerance comes last: in a convex ring a corner of no height lies between its neighbours.
pub(crate) fn convex_ring<P: Copy>(
    order: &[P],
    height: impl Fn(P, P, P) -> f64,
    tolerance: f64,
    least: usize,
) -> Vec<P> {
    let mut ring: Vec<P> = Vec::new();
    for pass in 0..2 {
        let start = ring.len();
        for k in 0..order.len() {
            let p = order[if pass == 0 { k } else { order.len() - 1 - k }];
            while ring.len() >= start + 2 && height(ring[ring.len() - 2], ring[ring.len() - 1], p) <= 0.0 {
                ring.pop();
            }
            ring.push(p);
        }
        ring.pop();
    }
    let mut i = 0;
    while ring.len() > least && i < ring.len() {
        let n = ring.len();
        if height(ring[(i + n - 1) % n], ring[i], ring[(i + 1) % n]) <= tolerance {
            ring.remove(i);
        } else {
            i += 1;
        }
    }
    ring
}

/// How far the turn at q from p to r stands out of the line through p and r; below zero for a turn to the right.
fn height(p: (f64, f64, usize), q: (f64, f64, usize), r: (f64, f64, usize)) -> f64 {
    let (ax, ay) = (q.0 - p.0, q.1 - p.1);
    let (bx, by) = (r.0 - p.0, r.1 - p.1);
    let length = (bx * bx + by * by).sqrt();
    if length > 0.0 {
        (ax * by - ay * bx) / length
    } else {
        0.0
    }
}

/// Numbers the corners that are used, in the order of the points.
fn numbered(points: &[Vec3], faces: Vec<Wrapped>) -> Polytope {
    let mut number = vec![usize::MAX; points.len()];
    for (_, _, ring) in &faces {
        for &i in ring {
            number[i] = 0;
        }
    }
    let mut vertices = Vec::new();
    for (i, slot) in number.iter_mut().enumerate() {
        if *slot == 0 {
            *slot = vertices.len();
            vertices.push(points[i]);
        }
    }
    let faces = faces
        .into_iter()
        .map(|(n, d, ring)| (n, d, ring.into_iter().map(|i| number[i]).collect()));
    Polytope::from_faces(vertices, faces.collect())
}
