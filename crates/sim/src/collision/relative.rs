//! One frame seen from another.

use crate::{Mat3, Pose, Vec3};

/// Places the points of one body in the frame of another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relative {
    /// Rotation from the inner frame to the outer.
    pub(super) rotation: Mat3,
    /// Origin of the inner frame in the outer [m].
    pub(super) shift: Vec3,
}

impl Relative {
    /// The frame of `inner` seen from `outer`.
    pub(super) fn of(inner: &Pose, outer: &Pose) -> Self {
        let back = outer.rotation.inverse();
        Self {
            rotation: (back * inner.rotation).to_rotation_matrix().into_inner(),
            shift: back * (inner.position - outer.position),
        }
    }

    pub(super) fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self {
            rotation,
            shift: -(rotation * self.shift),
        }
    }

    pub(super) fn point(&self, x: Vec3) -> Vec3 {
        self.rotation * x + self.shift
    }
}
