//! Velocity coordinates of a body in the contact problem: (v, ω) in space, (v_x, v_y, ω_z) in the plane.
//!
//! States are spatial in both: in the plane z = 0 and rotations are about z, so that what reads a state knows of one kind only.

use crate::integrate::inertia_world;
use crate::joint::Row;
use crate::spin::{FreeSpin, SpinFailure, free_spin};
use crate::state::BodyState;
use crate::{Mat3, Quat, SimError, Vec3};

/// A row of a joint whose part within the plane is below this holds by itself there. Rows are of unit length.
const VANISHES: f64 = 1e-9;

/// Coordinates of every body of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coordinates {
    /// Six.
    Space,
    /// Three: x, y and the angle about z.
    Plane,
}

impl Coordinates {
    pub(crate) fn of(planar: bool) -> Self {
        if planar { Self::Plane } else { Self::Space }
    }

    /// Number of coordinates of a body.
    pub(crate) fn count(self) -> usize {
        match self {
            Self::Space => 6,
            Self::Plane => 3,
        }
    }

    /// Those of six numbers that the problem holds, first.
    pub(crate) fn pick(self, [vx, vy, vz, wx, wy, wz]: [f64; 6]) -> [f64; 6] {
        match self {
            Self::Space => [vx, vy, vz, wx, wy, wz],
            Self::Plane => [vx, vy, wz, 0.0, 0.0, 0.0],
        }
    }

    /// Linear and angular part of a block's coordinates in a solution.
    pub(crate) fn motion(self, block: usize, solution: &[f64]) -> (Vec3, Vec3) {
        let v = &solution[self.count() * block..self.count() * (block + 1)];
        match self {
            Self::Space => (Vec3::new(v[0], v[1], v[2]), Vec3::new(v[3], v[4], v[5])),
            Self::Plane => (Vec3::new(v[0], v[1], 0.0), Vec3::new(0.0, 0.0, v[2])),
        }
    }

    /// Mass matrix, row by row; only the first `count²` entries count.
    pub(crate) fn mass_block(self, mass: f64, inertia_body: &Mat3, state: &BodyState) -> [f64; 36] {
        let mut block = [0.0; 36];
        if self == Self::Plane {
            (block[0], block[4], block[8]) = (mass, mass, inertia_body[(2, 2)]);
            return block;
        }
        let inertia = inertia_world(&state.pose.rotation, inertia_body);
        for k in 0..3 {
            block[7 * k] = mass;
            for l in 0..3 {
                // Symmetric to the last bit.
                block[6 * (k + 3) + l + 3] = 0.5 * (inertia[(k, l)] + inertia[(l, k)]);
            }
        }
        block
    }

    /// Rotation over a step of `h` without contact and torque.
    pub(crate) fn free_spin(self, state: &BodyState, inertia_body: &Mat3, h: f64) -> Result<FreeSpin, SpinFailure> {
        match self {
            Self::Space => free_spin(state, inertia_body, h),
            // Nothing gyroscopic about a fixed axis.
            Self::Plane => Ok(FreeSpin::steady(state, h)),
        }
    }

    /// Change of the spin by a torque over h that acts at the rotation `end`, as a vector fixed in the body and shown in the axes of `start`: the
    /// torque is fixed in the world while the body turns.
    pub(crate) fn kick(self, [start, end]: [&Quat; 2], inertia_body: &Mat3, torque: Vec3, h: f64) -> Vec3 {
        if torque == Vec3::zeros() {
            return Vec3::zeros();
        }
        match self {
            Self::Space => {
                let inverse = inertia_body.try_inverse().unwrap_or_else(Mat3::zeros);
                h * (start * (inverse * (end.inverse() * torque)))
            }
            Self::Plane => Vec3::new(0.0, 0.0, h * torque.z / inertia_body[(2, 2)]),
        }
    }

    /// Tangents of a contact; the second is zero in the plane.
    pub(crate) fn tangents(self, normal: Vec3) -> [Vec3; 2] {
        match self {
            Self::Space => {
                stiction_contact::tangents([normal.x, normal.y, normal.z]).map(|t| Vec3::new(t[0], t[1], t[2]))
            }
            Self::Plane => [Vec3::new(normal.y, -normal.x, 0.0), Vec3::zeros()],
        }
    }

    /// Drops rows of a joint that every motion satisfies.
    pub(crate) fn drop_idle(self, rows: &mut Vec<Row>) {
        if self == Self::Plane {
            let acts = |part: &[f64; 6]| part[0].abs().max(part[1].abs()).max(part[5].abs()) > VANISHES;
            // That of the second body is the opposite of the first's, except for its moment.
            rows.retain(|row| acts(&row.parts[0]) || row.parts[2..].iter().any(acts));
        }
    }

    /// The first of some numbers that a planar world must hold at zero.
    fn off_plane(self, numbers: &[(&str, f64)]) -> Option<(String, f64)> {
        let off = |(_, x): &&(&str, f64)| self == Self::Plane && *x != 0.0;
        numbers.iter().find(off).map(|(name, x)| ((*name).to_owned(), *x))
    }

    /// Refuses a force out of the plane, or a torque that turns out of it.
    pub(crate) fn check_wrench(self, force: Vec3, torque: Vec3) -> Result<(), SimError> {
        refuse(
            "",
            self.off_plane(&[("force.z", force.z), ("torque.x", torque.x), ("torque.y", torque.y)]),
        )
    }

    /// Refuses a state out of the plane.
    pub(crate) fn check_state(self, field: &str, state: &BodyState) -> Result<(), SimError> {
        let (p, q) = (state.pose.position, state.pose.rotation.coords);
        let numbers = [
            ("position.z", p.z),
            ("rotation.x", q.x),
            ("rotation.y", q.y),
            ("velocity.z", state.velocity.z),
            ("spin.x", state.spin.x),
            ("spin.y", state.spin.y),
        ];
        refuse(&format!("{field}."), self.off_plane(&numbers))
    }

    /// Refuses gravity out of the plane.
    pub(crate) fn check_gravity(self, gravity: Vec3) -> Result<(), SimError> {
        refuse("", self.off_plane(&[("gravity[2]", gravity.z)]))
    }
}

fn refuse(prefix: &str, off: Option<(String, f64)>) -> Result<(), SimError> {
    match off {
        Some((name, x)) => Err(SimError::value(
            format!("{prefix}{name}"),
            "must be 0 in a planar world",
            x,
        )),
        None => Ok(()),
    }
}
