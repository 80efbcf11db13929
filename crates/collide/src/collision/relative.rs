//! One frame seen from another.

use crate::{Mat3, Pose, Vec3};

/// Places the points of one body in the frame of another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relative {
    /// Rotation from the inner frame to the outer.
    pub(super) rotation: Mat3,
    /// Origin of the inner frame in the outer \[m\].
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
            shift: -times(&rotation, &self.shift),
        }
    }

    pub(super) fn point(&self, x: Vec3) -> Vec3 {
        times(&self.rotation, &x) + self.shift
    }
}

/// m x, in a fixed order of sums.
#[inline]
pub(super) fn times(m: &Mat3, x: &Vec3) -> Vec3 {
    Vec3::new(
        m.m11 * x.x + m.m12 * x.y + m.m13 * x.z,
        m.m21 * x.x + m.m22 * x.y + m.m23 * x.z,
        m.m31 * x.x + m.m32 * x.y + m.m33 * x.z,
    )
}

/// mᵀ x.
#[inline]
pub(super) fn transposed_times(m: &Mat3, x: &Vec3) -> Vec3 {
    Vec3::new(
        m.m11 * x.x + m.m21 * x.y + m.m31 * x.z,
        m.m12 * x.x + m.m22 * x.y + m.m32 * x.z,
        m.m13 * x.x + m.m23 * x.y + m.m33 * x.z,
    )
}
