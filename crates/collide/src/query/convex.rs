//! Convex shapes by their support: the farthest point along a direction.

use crate::ellipsoid;
use crate::shape::{Polytope, Shape};
use crate::{Mat3, Pose, Vec3};

/// What is left of a convex shape without its round skin.
#[derive(Debug, Clone, Copy)]
pub(super) enum Core<'a> {
    Point,
    /// Along z.
    Segment {
        half_length: f64,
    },
    /// About z.
    Cylinder {
        half_height: f64,
        radius: f64,
    },
    /// What a ball as thick as the skin, rolling inside an ellipsoid, reaches with its centre.
    Ellipsoid {
        semi_axes: Vec3,
        skin: f64,
    },
    Polytope(&'a Polytope),
    Triangle([Vec3; 3]),
}

/// A posed core with a skin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Convex<'a> {
    pub(super) core: Core<'a>,
    pub(super) rotation: Mat3,
    pub(super) position: Vec3,
    /// Thickness of the skin \[m\].
    pub(super) radius: f64,
}

impl<'a> Convex<'a> {
    /// None for shapes that are not convex or have no end.
    pub(super) fn of(shape: &'a Shape, pose: &Pose) -> Option<Self> {
        let (core, radius) = match shape {
            Shape::Ball { radius } => (Core::Point, *radius),
            Shape::Capsule { half_length, radius } => (
                Core::Segment {
                    half_length: *half_length,
                },
                *radius,
            ),
            Shape::Cylinder { half_height, radius } => (
                Core::Cylinder {
                    half_height: *half_height,
                    radius: *radius,
                },
                0.0,
            ),
            Shape::Ellipsoid { semi_axes } => {
                let skin = ellipsoid::least_curvature_radius(semi_axes);
                let semi_axes = *semi_axes;
                (Core::Ellipsoid { semi_axes, skin }, skin)
            }
            Shape::Polytope(polytope) => (Core::Polytope(polytope), 0.0),
            _ => return None,
        };
        Some(Self {
            core,
            rotation: pose.rotation.to_rotation_matrix().into_inner(),
            position: pose.position,
            radius,
        })
    }

    pub(super) fn triangle(solid: &Polytope, pose: &Pose) -> Self {
        let corners = [0, 1, 2].map(|i| solid.vertices[solid.faces[0].corners[i]]);
        Self {
            core: Core::Triangle(corners),
            rotation: pose.rotation.to_rotation_matrix().into_inner(),
            position: pose.position,
            radius: 0.0,
        }
    }

    /// The farthest point of the core along a direction.
    pub(super) fn support(&self, direction: &Vec3) -> Vec3 {
        let d = self.rotation.transpose() * direction;
        let farthest = |points: &[Vec3]| {
            let mut best = (f64::NEG_INFINITY, Vec3::zeros());
            for p in points {
                let along = p.dot(&d);
                if along > best.0 {
                    best = (along, *p);
                }
            }
            best.1
        };
        let x = match self.core {
            Core::Point => Vec3::zeros(),
            Core::Segment { half_length } => Vec3::new(0.0, 0.0, half_length.copysign(d.z)),
            Core::Cylinder { half_height, radius } => {
                let across = (d.x * d.x + d.y * d.y).sqrt();
                let scale = if across > 0.0 { radius / across } else { 0.0 };
                Vec3::new(d.x * scale, d.y * scale, half_height.copysign(d.z))
            }
            Core::Ellipsoid { semi_axes, skin } => {
                let inward = d.try_normalize(0.0).map_or(Vec3::zeros(), |n| skin * n);
                ellipsoid::support(&semi_axes, &d) - inward
            }
            Core::Polytope(polytope) => farthest(&polytope.vertices),
            Core::Triangle(corners) => farthest(&corners),
        };
        self.rotation * x + self.position
    }

    /// The farthest point along a unit direction, the skin counted.
    pub(super) fn farthest(&self, direction: &Vec3) -> Vec3 {
        self.support(direction) + direction * self.radius
    }

    /// A point of it seen from outside.
    pub(super) fn in_body(&self, x: Vec3) -> Vec3 {
        self.rotation.transpose() * (x - self.position)
    }

    /// Ends of the axis of a segment; the position twice for others.
    pub(super) fn ends(&self) -> [Vec3; 2] {
        let half = match self.core {
            Core::Segment { half_length } => self.rotation * Vec3::new(0.0, 0.0, half_length),
            _ => Vec3::zeros(),
        };
        [self.position - half, self.position + half]
    }

    /// Distance of its farthest point from its position \[m\].
    pub(super) fn size(&self) -> f64 {
        self.radius
            + match &self.core {
                Core::Point => 0.0,
                Core::Segment { half_length } => *half_length,
                Core::Cylinder { half_height, radius } => libm::hypot(*half_height, *radius),
                Core::Ellipsoid { semi_axes, skin } => semi_axes.max() - skin,
                Core::Polytope(polytope) => polytope.centre.norm() + polytope.size,
                Core::Triangle(corners) => corners.iter().fold(0.0, |m, c| c.norm().max(m)),
            }
    }
}
