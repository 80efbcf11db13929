//! Convex polygons.

use super::{PlanarMassProperties, Vec2};
use crate::HullError;
use crate::hull::convex_ring;

/// Points this close to a line, relative to the extent of the points, lie on it.
const COLLINEAR_REL_TOL: f64 = 1e-9;

/// A convex polygon.
#[derive(Debug, Clone, PartialEq)]
pub struct Polygon {
    /// Corners \[m\], counterclockwise.
    pub vertices: Vec<Vec2>,
    /// Outward unit normals; side i joins corners i and i + 1.
    pub normals: Vec<Vec2>,
    /// Largest distance of a corner from the mean of the corners \[m\].
    pub(crate) size: f64,
}

impl Polygon {
    /// Rectangle about the origin, from its half sides \[m\].
    #[must_use]
    pub fn rectangle(half: Vec2) -> Self {
        let corner = |x: f64, y: f64| Vec2::new(x * half.x, y * half.y);
        Self::from_ring(vec![
            corner(-1.0, -1.0),
            corner(1.0, -1.0),
            corner(1.0, 1.0),
            corner(-1.0, 1.0),
        ])
    }

    /// Regular polygon about the origin with a corner on the x axis; circumradius in \[m\].
    ///
    /// # Errors
    /// With fewer than three sides or a radius that is not above zero.
    pub fn regular(sides: usize, radius: f64) -> Result<Self, HullError> {
        let corner = |k: usize| {
            let (sin, cos) = libm::sincos(2.0 * std::f64::consts::PI * k as f64 / sides as f64);
            Vec2::new(radius * cos, radius * sin)
        };
        Self::hull(&(0..sides).map(corner).collect::<Vec<_>>())
    }

    /// Smallest convex polygon that holds the points \[m\]. Inner points, points on sides and duplicates are dropped.
    ///
    /// # Errors
    /// If a point is not finite, or if all of them lie on a line.
    pub fn hull(points: &[Vec2]) -> Result<Self, HullError> {
        if let Some(index) = points.iter().position(|p| !(p.x.is_finite() && p.y.is_finite())) {
            return Err(HullError::NotFinite { index });
        }
        let mut order = points.to_vec();
        order.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
        order.dedup();
        if order.len() < 3 {
            return Err(HullError::TooFewInPlane { found: order.len() });
        }
        let size = order.iter().map(|p| (p - order[0]).amax()).fold(0.0, f64::max);
        let ring = outline(&order, COLLINEAR_REL_TOL * size);
        if ring.len() < 3 {
            return Err(HullError::Line);
        }
        Ok(Self::from_ring(ring))
    }

    fn from_ring(vertices: Vec<Vec2>) -> Self {
        let next = vertices.iter().cycle().skip(1);
        let normals = vertices
            .iter()
            .zip(next)
            .map(|(u, v)| Vec2::new(v.y - u.y, u.x - v.x).normalize())
            .collect();
        let centre = vertices.iter().sum::<Vec2>() / vertices.len() as f64;
        let size = vertices.iter().map(|v| (v - centre).norm()).fold(0.0, f64::max);
        Self {
            vertices,
            normals,
            size,
        }
    }

    /// Σ over triangles (o, a, b) from the first corner o.
    pub(super) fn mass_properties(&self) -> PlanarMassProperties {
        let origin = self.vertices[0];
        let (mut area, mut first, mut second) = (0.0, Vec2::zeros(), 0.0);
        for pair in self.vertices[1..].windows(2) {
            let (a, b) = (pair[0] - origin, pair[1] - origin);
            let triangle = a.perp(&b) / 2.0;
            area += triangle;
            first += (a + b) * (triangle / 3.0);
            second += triangle * (a.norm_squared() + a.dot(&b) + b.norm_squared()) / 6.0;
        }
        let shift = first / area;
        PlanarMassProperties {
            area,
            centre: origin + shift,
            inertia: second - area * shift.norm_squared(),
        }
    }
}

/// Counterclockwise outline of sorted points without corners of no height.
fn outline(order: &[Vec2], tolerance: f64) -> Vec<Vec2> {
    let height = |p: Vec2, q: Vec2, r: Vec2| (q - p).perp(&(r - p)) / (r - p).norm().max(f64::MIN_POSITIVE);
    convex_ring(order, height, tolerance, 2)
}
