//! Bodies: what does not change from step to step.

use crate::shape::Shape;
use crate::{Mat3, Vec3};

/// What moves a body.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Nothing.
    Fixed,
    /// A prescribed motion: it keeps the velocity that its state holds.
    Kinematic,
    /// Forces.
    Dynamic {
        /// Mass [kg].
        mass: f64,
        /// Inertia about the centre of mass in body axes [kg·m²].
        inertia_body: Mat3,
    },
}

/// How a surface behaves; two surfaces combine in [`Material::with`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Friction coefficient μ.
    pub friction: f64,
    /// Coefficient of restitution, 0 to 1.
    pub restitution: f64,
    /// Viscous friction [N·s/m].
    pub viscosity: f64,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            friction: 0.5,
            restitution: 0.0,
            viscosity: 0.0,
        }
    }
}

impl Material {
    /// What two surfaces do to each other: friction √(μ_a μ_b), the larger restitution, the sum of viscosities' halves.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        Self {
            friction: (self.friction * other.friction).sqrt(),
            restitution: self.restitution.max(other.restitution),
            viscosity: 0.5 * (self.viscosity + other.viscosity),
        }
    }
}

/// A body. The frame of its state has its origin at the centre of mass.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Name, unique in the world.
    pub name: String,
    /// What moves it.
    pub kind: Kind,
    /// Shape, in the frame of the centre of mass.
    pub shape: Shape,
    /// Surface.
    pub material: Material,
    /// Collision groups: bodies meet where the masks of both share a bit.
    pub groups: u32,
    /// Origin of the frame that the scene gave, seen from the centre of mass.
    pub origin_body: Vec3,
}

impl Body {
    /// Whether forces move it.
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        matches!(self.kind, Kind::Dynamic { .. })
    }
}
