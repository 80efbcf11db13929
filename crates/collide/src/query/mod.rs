//! Questions to posed shapes: where a ray hits one, how far they are from each other and from points.
//!
//! Shapes are solids, except that a triangle mesh is a surface: a ray hits it from either side, and a body overlaps it where it reaches through a triangle,
//! by as much as it lies below that triangle's plane. Of a compound the nearest part counts. Distances between polytopes, balls,
//! capsules and half-spaces are exact to rounding, those of cylinders to 1e-12 of the bodies' size; how deep a cylinder overlaps is
//! searched for, and never found too small.

mod convex;
mod distance;
mod flat;
mod gjk;
mod overlap;
mod point;
mod ray;

pub use point::nearest;
pub use ray::{Hit, Ray};

use crate::shape::Shape;
use crate::{Pose, Vec3};

/// How far two bodies are from each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Separation {
    /// Distance \[m\]; negative where they overlap: then moving a by it along the normal parts them, and no shorter move does.
    pub distance: f64,
    /// Closest points of a and b \[m\]: points\[0\] = points\[1\] + distance · normal. Where they overlap, the point of a that lies deepest along the
    /// normal, and its foot on the plane that touches b.
    pub points: [Vec3; 2],
    /// Unit normal, from b to a.
    pub normal: Vec3,
}

impl Separation {
    /// Seen with a and b exchanged.
    #[must_use]
    pub fn flipped(self) -> Self {
        Self {
            distance: self.distance,
            points: [self.points[1], self.points[0]],
            normal: -self.normal,
        }
    }
}

/// The place of a body's surface that is nearest to a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// Distance \[m\]; negative inside the body.
    pub distance: f64,
    /// Place on the surface \[m\].
    pub point: Vec3,
    /// Outward unit normal there: the given point is point + distance · normal.
    pub normal: Vec3,
}

/// Distance between two posed shapes. None for two of which none ends (half-spaces, meshes), and for a compound without parts.
#[must_use]
pub fn separation(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> Option<Separation> {
    distance::between(a, b)
}

/// The largest coordinate of a posed shape along a unit direction \[m\]; none where it has no end or nothing of it is there.
#[must_use]
pub fn highest(shape: &Shape, pose: &Pose, direction: Vec3) -> Option<f64> {
    match shape {
        Shape::Compound(parts) => {
            let tops = parts
                .iter()
                .filter_map(|(inner, part)| highest(part, &pose.then(inner), direction));
            tops.reduce(f64::max)
        }
        Shape::Planar(planar) => highest(&flat::in_space(planar), pose, direction),
        _ => Some(convex::Convex::of(shape, pose)?.farthest(&direction).dot(&direction)),
    }
}
