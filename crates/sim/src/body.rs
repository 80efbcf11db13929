//! Bodies: what does not change from step to step.

use crate::shape::Shape;
use crate::{Mat3, SimError, Vec3};

/// Masses and moments of inertia whose squares and ratios stay finite \[kg, kg·m²\].
const MASSES: [f64; 2] = [1e-60, 1e60];
const MOMENTS: [f64; 2] = [1e-80, 1e80];

/// What moves a body.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Nothing.
    Fixed,
    /// A prescribed motion: it keeps the velocity that its state holds.
    Kinematic,
    /// Forces.
    Dynamic {
        /// Mass \[kg\].
        mass: f64,
        /// Inertia about the centre of mass in body axes \[kg·m²\].
        inertia_body: Mat3,
    },
}

/// How a surface behaves; two surfaces combine in [`Material::with`]. By default without friction, restitution and viscosity, as contacts of contact
/// files are.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Material {
    /// Friction coefficient μ.
    pub friction: f64,
    /// Coefficient of restitution, 0 to 1.
    pub restitution: f64,
    /// Viscous friction \[N·s/m\].
    pub viscosity: f64,
}

impl Material {
    /// A surface with this friction coefficient, and nothing else.
    #[must_use]
    pub fn of_friction(friction: f64) -> Self {
        Self {
            friction,
            ..Self::default()
        }
    }

    /// What two surfaces do to each other: friction √(μ_a μ_b), the larger restitution, the sum of viscosities' halves.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        Self {
            // √(0 · ∞) is no number: a surface without friction has none with any other.
            friction: if self.friction == 0.0 || other.friction == 0.0 {
                0.0
            } else {
                (self.friction * other.friction).sqrt()
            },
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
    /// Checks mass, inertia and material; `field` names the body in messages.
    ///
    /// # Errors
    /// The first number that does not fit.
    pub fn check(&self, field: &str) -> Result<(), SimError> {
        let Material {
            friction,
            restitution,
            viscosity,
        } = self.material;
        if friction.is_nan() || friction < 0.0 {
            return Err(SimError::value(
                format!("{field}.friction"),
                "must not be negative or NaN",
                friction,
            ));
        }
        if !(0.0..=1.0).contains(&restitution) {
            return Err(SimError::value(
                format!("{field}.restitution"),
                "must lie between 0 and 1",
                restitution,
            ));
        }
        if !(viscosity.is_finite() && viscosity >= 0.0) {
            return Err(SimError::value(
                format!("{field}.viscosity"),
                "must be finite and not negative",
                viscosity,
            ));
        }
        let Kind::Dynamic { mass, inertia_body } = &self.kind else {
            return Ok(());
        };
        if !(mass.is_finite() && *mass > 0.0) {
            return Err(SimError::value(
                format!("{field}.mass"),
                "must be finite and positive",
                *mass,
            ));
        }
        if !(MASSES[0]..=MASSES[1]).contains(mass) {
            let requirement = format!("must lie between {:e} and {:e} kg", MASSES[0], MASSES[1]);
            return Err(SimError::value(format!("{field}.mass"), requirement, *mass));
        }
        let moments = inertia_body.symmetric_eigenvalues();
        let (least, sum) = (moments.min(), moments.sum());
        if !(least.is_finite() && least > 0.0) {
            return Err(SimError::value(
                format!("{field}.inertia"),
                "must be positive definite: least moment",
                least,
            ));
        }
        if least < MOMENTS[0] || moments.max() > MOMENTS[1] {
            let requirement = format!("must lie between {:e} and {:e} kg m^2", MOMENTS[0], MOMENTS[1]);
            let found = if least < MOMENTS[0] { least } else { moments.max() };
            return Err(SimError::value(format!("{field}.inertia"), requirement, found));
        }
        if 2.0 * moments.max() > sum * (1.0 + 1e-9) {
            return Err(SimError::value(
                format!("{field}.inertia"),
                "must satisfy the triangle inequality: largest moment",
                moments.max(),
            ));
        }
        Ok(())
    }

    /// Whether forces move it.
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        matches!(self.kind, Kind::Dynamic { .. })
    }
}
