//! Where a body is.

use crate::{Quat, Vec3};

/// Position and rotation: x = position + rotation · x_body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Origin of the body frame \[m\].
    pub position: Vec3,
    /// Rotation of the body frame.
    pub rotation: Quat,
}

impl Pose {
    /// At the origin, not turned.
    #[must_use]
    pub fn identity() -> Self {
        Self {
            position: Vec3::zeros(),
            rotation: Quat::identity(),
        }
    }

    /// A point of the body in the world.
    #[must_use]
    pub fn point(&self, x_body: Vec3) -> Vec3 {
        self.position + self.rotation * x_body
    }

    /// A direction of the body in the world.
    #[must_use]
    pub fn direction(&self, x_body: Vec3) -> Vec3 {
        self.rotation * x_body
    }

    /// A point of the world in the body frame.
    #[must_use]
    pub fn point_in_body(&self, x: Vec3) -> Vec3 {
        self.rotation.inverse() * (x - self.position)
    }

    /// A direction of the world in the body frame.
    #[must_use]
    pub fn direction_in_body(&self, x: Vec3) -> Vec3 {
        self.rotation.inverse() * x
    }

    /// The world as seen from the frame.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.inverse();
        Self {
            position: -(rotation * self.position),
            rotation,
        }
    }

    /// This pose of a frame, then `inner` within it.
    #[must_use]
    pub fn then(&self, inner: &Self) -> Self {
        Self {
            position: self.point(inner.position),
            rotation: self.rotation * inner.rotation,
        }
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::identity()
    }
}
