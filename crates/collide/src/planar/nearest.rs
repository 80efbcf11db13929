//! The points a planar shape is made of, before its radius.

use super::{PlanarPose, PlanarShape, Vec2};

/// Corners and outward normals of a convex polygon that may shrink to a segment or a point, with a radius around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Core<'a> {
    pub(super) vertices: &'a [Vec2],
    pub(super) normals: &'a [Vec2],
    pub(super) radius: f64,
    /// Extent \[m\], for tolerances.
    pub(super) size: f64,
    pub(super) pose: &'a PlanarPose,
}

/// Corners of a capsule's axis, kept by the caller.
pub(super) type Ends = [Vec2; 2];
const AXIS_NORMALS: [Vec2; 2] = [Vec2::new(0.0, -1.0), Vec2::new(0.0, 1.0)];

/// Ends of the axis of a disc or capsule.
pub(super) fn ends(shape: &PlanarShape) -> Ends {
    match shape {
        PlanarShape::Capsule { half_length, .. } => [Vec2::new(-half_length, 0.0), Vec2::new(*half_length, 0.0)],
        _ => [Vec2::zeros(), Vec2::zeros()],
    }
}

impl<'a> Core<'a> {
    /// Of a disc, a capsule or a polygon.
    pub(super) fn of(shape: &'a PlanarShape, ends: &'a Ends, pose: &'a PlanarPose) -> Option<Self> {
        match shape {
            PlanarShape::Disc { radius } => Some(Self {
                vertices: &ends[..1],
                normals: &[],
                radius: *radius,
                size: *radius,
                pose,
            }),
            PlanarShape::Capsule { half_length, radius } => {
                let count = if *half_length > 0.0 { 2 } else { 1 };
                let (vertices, normals) = (&ends[..count], &AXIS_NORMALS[..if count == 2 { 2 } else { 0 }]);
                Some(Self {
                    vertices,
                    normals,
                    radius: *radius,
                    size: *radius,
                    pose,
                })
            }
            PlanarShape::Polygon(p) => Some(Self {
                vertices: &p.vertices,
                normals: &p.normals,
                radius: 0.0,
                size: p.size,
                pose,
            }),
            PlanarShape::HalfPlane { .. } | PlanarShape::Compound(_) => None,
        }
    }

    pub(super) fn corner(&self, i: usize) -> Vec2 {
        self.vertices[i % self.vertices.len()]
    }

    /// Where a side starts, its outward normal, its direction and its length \[m\].
    pub(super) fn side(&self, i: usize) -> (Vec2, Vec2, Vec2, f64) {
        let (from, to) = (self.corner(i), self.corner(i + 1));
        let length = (to - from).norm();
        (from, self.normals[i], (to - from) / length, length)
    }

    /// Signed distance \[m\] and outward unit normal at the nearest point of the core, in its frame. Within `tolerance` of the outline the
    /// normal is that of a side.
    pub(super) fn nearest(&self, x: Vec2, tolerance: f64) -> (f64, Vec2) {
        let mut top = (f64::NEG_INFINITY, Vec2::y());
        let mut best: Option<Vec2> = None;
        for (i, normal) in self.normals.iter().enumerate() {
            let (from, to) = (self.corner(i), self.corner(i + 1));
            let height = normal.dot(&(x - from));
            if height > top.0 {
                top = (height, *normal);
            }
            if height > 0.0 {
                let s = (x - from).dot(&(to - from)) / (to - from).norm_squared();
                if (0.0..=1.0).contains(&s) {
                    return (height, *normal);
                }
                let away = x - if s < 0.0 { from } else { to };
                if best.is_none_or(|b| away.norm_squared() < b.norm_squared()) {
                    best = Some(away);
                }
            }
        }
        if self.normals.is_empty() {
            best = Some(x - self.vertices[0]);
            top.0 = 0.0;
        } else if self.normals.len() == 2 && best.is_none() {
            // In line with the axis: beyond an end, or on it.
            let s = x.x.clamp(self.vertices[0].x, self.vertices[1].x);
            best = Some(x - Vec2::new(s, 0.0));
        }
        match best {
            Some(away) if away.norm() > tolerance => (away.norm(), away.normalize()),
            _ => top,
        }
    }
}
