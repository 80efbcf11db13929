//! Boxes along the world's axes that hold posed shapes.

use crate::planar::PlanarPose;
use crate::shape::Shape;
use crate::{Pose, Vec3};

/// Everything between two corners, along the world's axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Least coordinates \[m\].
    pub low: Vec3,
    /// Largest coordinates \[m\].
    pub high: Vec3,
}

impl Bounds {
    /// Of a shape in a pose. A half-space fills everything, except that one along an axis ends at its plane.
    #[must_use]
    pub fn of(shape: &Shape, pose: &Pose) -> Self {
        match shape {
            Shape::HalfSpace { normal } => half_space(pose.direction(*normal), pose.position),
            Shape::Ball { radius } => Self::about(pose.position, Vec3::repeat(*radius)),
            Shape::Capsule { half_length, radius } => {
                let axis = pose.direction(Vec3::z()).abs() * *half_length;
                Self::about(pose.position, axis.add_scalar(*radius))
            }
            Shape::Cylinder { half_height, radius } => {
                let axis = pose.direction(Vec3::z());
                // A disc with unit normal n reaches radius·√(1 − n_k²) along axis k.
                let reach = axis.map(|n| half_height * n.abs() + radius * (1.0 - n * n).max(0.0).sqrt());
                Self::about(pose.position, reach)
            }
            Shape::Ellipsoid { semi_axes } => {
                let r = pose.rotation.to_rotation_matrix().into_inner();
                let along = |k: usize| r.row(k).transpose().component_mul(semi_axes).norm();
                Self::about(pose.position, Vec3::new(along(0), along(1), along(2)))
            }
            Shape::Polytope(polytope) => {
                let r = pose.rotation.to_rotation_matrix().into_inner();
                if let Some(half) = polytope.half_sides {
                    return Self::about(pose.position, r.abs() * half);
                }
                let mut bounds = Self::nothing();
                for v in &polytope.vertices {
                    bounds.hold(r * v);
                }
                Self {
                    low: bounds.low + pose.position,
                    high: bounds.high + pose.position,
                }
            }
            Shape::Mesh(mesh) => mesh.bounds(pose),
            Shape::Compound(parts) if parts.is_empty() => Self::about(pose.position, Vec3::zeros()),
            Shape::Planar(shape) => shape.bounds(&PlanarPose::of(pose)),
            Shape::Compound(parts) => {
                let mut bounds = Self::nothing();
                for (inner, part) in parts {
                    let part = Self::of(part, &pose.then(inner));
                    bounds.hold(part.low);
                    bounds.hold(part.high);
                }
                bounds
            }
        }
    }

    /// Larger by a margin \[m\] on every side.
    #[must_use]
    pub fn inflated(&self, margin: f64) -> Self {
        Self {
            low: self.low.add_scalar(-margin),
            high: self.high.add_scalar(margin),
        }
    }

    /// Whether the two share a point.
    #[must_use]
    #[allow(clippy::needless_bitwise_bool)] // Six comparisons cost less than a branch guessed wrong.
    pub fn meets(&self, other: &Self) -> bool {
        let along = |k: usize| (self.low[k] <= other.high[k]) & (other.low[k] <= self.high[k]);
        along(0) & along(1) & along(2)
    }

    fn about(centre: Vec3, reach: Vec3) -> Self {
        Self {
            low: centre - reach,
            high: centre + reach,
        }
    }

    fn nothing() -> Self {
        Self {
            low: Vec3::repeat(f64::INFINITY),
            high: Vec3::repeat(f64::NEG_INFINITY),
        }
    }

    fn hold(&mut self, x: Vec3) {
        self.low = self.low.inf(&x);
        self.high = self.high.sup(&x);
    }
}

fn half_space(normal: Vec3, point: Vec3) -> Bounds {
    let mut bounds = Bounds {
        low: Vec3::repeat(f64::NEG_INFINITY),
        high: Vec3::repeat(f64::INFINITY),
    };
    for k in 0..3 {
        if normal[k] == 1.0 {
            bounds.high[k] = point[k];
        } else if normal[k] == -1.0 {
            bounds.low[k] = point[k];
        }
    }
    bounds
}
