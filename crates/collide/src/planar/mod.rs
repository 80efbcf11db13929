//! Bodies in the plane: shapes, poses and contacts, under the same rules as [`crate::collision`].

mod contacts;
mod corner;
mod half_plane;
mod nearest;
mod polygon;
mod polygon_polygon;
mod round;

pub(crate) use contacts::contacts_and_corners;
pub use contacts::{PlanarTouching, contacts};
pub use polygon::Polygon;

use std::f64::consts::PI;
use std::sync::Arc;

use nalgebra::UnitComplex;

use crate::collision::Bounds;
use crate::{Pose, Quat, Vec3};

/// Vector in the plane.
pub type Vec2 = nalgebra::Vector2<f64>;

/// Where a planar body is: x = position + rotation · x_body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanarPose {
    /// Origin of the body frame \[m\].
    pub position: Vec2,
    /// Rotation of the body frame.
    pub rotation: UnitComplex<f64>,
}

impl PlanarPose {
    /// From a position \[m\] and an angle \[rad\], counterclockwise.
    #[must_use]
    pub fn new(position: Vec2, angle: f64) -> Self {
        let (sin, cos) = libm::sincos(angle);
        let rotation = UnitComplex::from_cos_sin_unchecked(cos, sin);
        Self { position, rotation }
    }

    /// Of a body of a planar world: what a turn by the quaternion (w, 0, 0, z) does to x and y.
    #[must_use]
    pub fn of(pose: &Pose) -> Self {
        let (p, q) = (pose.position, pose.rotation.coords);
        Self {
            position: p.xy(),
            rotation: UnitComplex::from_cos_sin_unchecked(q.w * q.w - q.z * q.z, 2.0 * q.w * q.z),
        }
    }

    /// The same in space, at z = 0.
    #[must_use]
    pub fn in_space(&self) -> Pose {
        // The half angle from the larger of cos² and sin² of it.
        let (cos, sin) = (self.rotation.re, self.rotation.im);
        let (w, z) = if cos >= 0.0 {
            let w = (0.5 * (1.0 + cos)).sqrt();
            (w, 0.5 * sin / w)
        } else {
            let z = (0.5 * (1.0 - cos)).sqrt();
            (0.5 * sin / z, z)
        };
        Pose {
            position: Vec3::new(self.position.x, self.position.y, 0.0),
            rotation: Quat::new_normalize(nalgebra::Quaternion::new(w, 0.0, 0.0, z)),
        }
    }

    /// At the origin, not turned.
    #[must_use]
    pub fn identity() -> Self {
        Self {
            position: Vec2::zeros(),
            rotation: UnitComplex::identity(),
        }
    }

    /// A point of the body in the world.
    #[must_use]
    pub fn point(&self, x_body: Vec2) -> Vec2 {
        self.position + self.rotation * x_body
    }

    /// A direction of the body in the world.
    #[must_use]
    pub fn direction(&self, x_body: Vec2) -> Vec2 {
        self.rotation * x_body
    }

    /// A point of the world in the body frame.
    #[must_use]
    pub fn point_in_body(&self, x: Vec2) -> Vec2 {
        self.rotation.inverse() * (x - self.position)
    }

    /// A direction of the world in the body frame.
    #[must_use]
    pub fn direction_in_body(&self, x: Vec2) -> Vec2 {
        self.rotation.inverse() * x
    }

    /// This pose of a frame, then `inner` within it.
    #[must_use]
    pub fn then(&self, inner: &Self) -> Self {
        Self {
            position: self.point(inner.position),
            rotation: self.rotation * inner.rotation,
        }
    }

    /// The frame of `inner` seen from this one.
    pub(crate) fn relative(&self, inner: &Self) -> Self {
        let back = self.rotation.inverse();
        Self {
            position: back * (inner.position - self.position),
            rotation: back * inner.rotation,
        }
    }

    /// This frame seen from the one it is given in.
    pub(crate) fn inverse(&self) -> Self {
        let rotation = self.rotation.inverse();
        Self {
            position: -(rotation * self.position),
            rotation,
        }
    }
}

impl Default for PlanarPose {
    fn default() -> Self {
        Self::identity()
    }
}

/// Shape of a planar body in its own frame.
#[derive(Debug, Clone, PartialEq)]
pub enum PlanarShape {
    /// Everything below the line through the origin with this outward unit normal; fixed bodies only.
    HalfPlane {
        /// Outward unit normal.
        normal: Vec2,
    },
    /// Disc about the origin.
    Disc {
        /// Radius \[m\].
        radius: f64,
    },
    /// Disc swept along x from −`half_length` to +`half_length`.
    Capsule {
        /// Half the length of the axis without the caps \[m\].
        half_length: f64,
        /// Radius \[m\].
        radius: f64,
    },
    /// Convex polygon.
    Polygon(Arc<Polygon>),
    /// Several shapes that move as one.
    Compound(Vec<(PlanarPose, PlanarShape)>),
}

/// Area, centre and second moment of a plate of unit density.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanarMassProperties {
    /// Area \[m²\].
    pub area: f64,
    /// Centre of mass in the frame of the shape \[m\].
    pub centre: Vec2,
    /// Moment of inertia about the centre of mass, for density 1 kg/m² \[kg·m²\].
    pub inertia: f64,
}

impl PlanarShape {
    /// Whether it has a round part of its outline.
    #[must_use]
    pub fn is_round(&self) -> bool {
        match self {
            Self::HalfPlane { .. } | Self::Polygon(_) => false,
            Self::Disc { .. } | Self::Capsule { .. } => true,
            Self::Compound(parts) => parts.iter().any(|(_, part)| part.is_round()),
        }
    }

    /// Rectangle about the origin, from its half sides \[m\].
    #[must_use]
    pub fn rectangle(half: Vec2) -> Self {
        Self::Polygon(Arc::new(Polygon::rectangle(half)))
    }

    /// Area, centre and moment of inertia; none for a half-plane. Overlapping parts of a compound count twice.
    #[must_use]
    pub fn mass_properties(&self) -> Option<PlanarMassProperties> {
        let round = |area, inertia| {
            Some(PlanarMassProperties {
                area,
                centre: Vec2::zeros(),
                inertia,
            })
        };
        match self {
            Self::HalfPlane { .. } => None,
            Self::Disc { radius } => {
                let area = PI * radius * radius;
                round(area, area * radius * radius / 2.0)
            }
            Self::Capsule {
                half_length: h,
                radius: r,
            } => {
                let (middle, caps) = (4.0 * h * r, PI * r * r);
                // Half discs moved out by h: centroid 4r/(3π) beyond the ends, ∫|x|² = m (r²/2 + h² + 2h·4r/(3π)).
                let ends = caps * (r * r / 2.0 + h * h + 8.0 * h * r / (3.0 * PI));
                round(middle + caps, middle * (h * h + r * r) / 3.0 + ends)
            }
            Self::Polygon(polygon) => Some(polygon.mass_properties()),
            Self::Compound(parts) => {
                let parts: Vec<_> = parts
                    .iter()
                    .map(|(pose, part)| Some((pose, part.mass_properties()?)))
                    .collect::<Option<_>>()?;
                let area: f64 = parts.iter().map(|(_, p)| p.area).sum();
                let centre = parts
                    .iter()
                    .map(|(pose, p)| pose.point(p.centre) * p.area)
                    .sum::<Vec2>()
                    / area;
                let about = |(pose, p): &(&PlanarPose, PlanarMassProperties)| {
                    p.inertia + p.area * (pose.point(p.centre) - centre).norm_squared()
                };
                let inertia = parts.iter().map(about).sum();
                (area > 0.0).then_some(PlanarMassProperties { area, centre, inertia })
            }
        }
    }

    /// Distance of the farthest point from the origin \[m\]; infinite for a half-plane.
    pub(crate) fn radius(&self) -> f64 {
        match self {
            Self::HalfPlane { .. } => f64::INFINITY,
            Self::Disc { radius } => *radius,
            Self::Capsule { half_length, radius } => half_length + radius,
            Self::Polygon(polygon) => polygon.vertices.iter().fold(0.0, |m, v| v.norm().max(m)),
            Self::Compound(parts) => parts
                .iter()
                .fold(0.0, |m, (pose, part)| (pose.position.norm() + part.radius()).max(m)),
        }
    }

    /// The same shape seen from another origin.
    #[must_use]
    pub(crate) fn seen_from(self, origin: Vec2) -> Self {
        match self {
            Self::Polygon(polygon) => {
                let mut polygon = Arc::unwrap_or_clone(polygon);
                for vertex in &mut polygon.vertices {
                    *vertex -= origin;
                }
                Self::Polygon(Arc::new(polygon))
            }
            Self::Compound(mut parts) => {
                for (pose, _) in &mut parts {
                    pose.position -= origin;
                }
                Self::Compound(parts)
            }
            other => Self::Compound(vec![(PlanarPose::new(-origin, 0.0), other)]),
        }
    }

    /// Bounds in a pose, at z = 0, for the broad phase.
    #[must_use]
    pub fn bounds(&self, pose: &PlanarPose) -> Bounds {
        let about = |centre: Vec2, reach: Vec2| Bounds {
            low: Vec3::new(centre.x - reach.x, centre.y - reach.y, 0.0),
            high: Vec3::new(centre.x + reach.x, centre.y + reach.y, 0.0),
        };
        let everywhere = about(Vec2::zeros(), Vec2::repeat(f64::INFINITY));
        match self {
            Self::HalfPlane { .. } => everywhere,
            Self::Disc { radius } => about(pose.position, Vec2::repeat(*radius)),
            Self::Capsule { half_length, radius } => about(
                pose.position,
                (pose.direction(Vec2::x()).abs() * *half_length).add_scalar(*radius),
            ),
            Self::Polygon(polygon) => {
                let points = polygon.vertices.iter().map(|&v| pose.point(v));
                points
                    .map(|x| about(x, Vec2::zeros()))
                    .reduce(joined)
                    .unwrap_or(everywhere)
            }
            Self::Compound(parts) => {
                let parts = parts.iter().map(|(inner, part)| part.bounds(&pose.then(inner)));
                parts.reduce(joined).unwrap_or(everywhere)
            }
        }
    }
}

fn joined(a: Bounds, b: Bounds) -> Bounds {
    Bounds {
        low: a.low.inf(&b.low),
        high: a.high.sup(&b.high),
    }
}
