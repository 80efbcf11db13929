//! Volume, centre of mass and inertia of shapes of uniform density.

use std::f64::consts::PI;

use crate::shape::{Polytope, Shape};
use crate::{Mat3, Pose, Vec3};

/// Volume, centre and second moments of a solid of density 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// Volume \[m³\]; of a planar shape its area \[m²\].
    pub volume: f64,
    /// Centre of mass in the frame of the shape \[m\].
    pub centre: Vec3,
    /// Inertia about the centre of mass in axes of the shape, for density 1 kg/m³ \[kg·m²\]; of a planar shape the moment about z on the whole diagonal.
    pub inertia: Mat3,
}

impl MassProperties {
    /// Of a shape; none for a half-space or a mesh, which never move.
    ///
    /// ```
    /// # use stiction_collide::{mass_properties::MassProperties, shape::Shape};
    /// let ball = MassProperties::of(&Shape::Ball { radius: 1.0 }).unwrap();
    /// assert_eq!(ball.inertia[(0, 0)], 0.4 * ball.volume);
    /// ```
    #[must_use]
    pub fn of(shape: &Shape) -> Option<Self> {
        match shape {
            Shape::HalfSpace { .. } | Shape::Mesh(_) => None,
            Shape::Ball { radius } => Some(ball(*radius)),
            Shape::Capsule { half_length, radius } => Some(capsule(*half_length, *radius)),
            Shape::Cylinder { half_height, radius } => Some(cylinder(*half_height, *radius)),
            Shape::Ellipsoid { semi_axes } => Some(ellipsoid(semi_axes)),
            Shape::Polytope(polytope) => Some(Self::of_polytope(polytope)),
            Shape::Compound(parts) => compound(parts),
            Shape::Planar(shape) => shape.mass_properties().map(|plate| Self {
                volume: plate.area,
                centre: Vec3::new(plate.centre.x, plate.centre.y, 0.0),
                // Only the moment about z ever acts.
                inertia: Mat3::from_diagonal_element(plate.inertia),
            }),
        }
    }

    /// Of a convex polytope: a box by its formula, others as tetrahedra from an inner point.
    #[must_use]
    pub fn of_polytope(polytope: &Polytope) -> Self {
        if let Some(h) = polytope.half_sides {
            let volume = 8.0 * h.x * h.y * h.z;
            let q = h.component_mul(&h) * (volume / 3.0);
            let inertia = Mat3::from_diagonal(&Vec3::new(q.y + q.z, q.x + q.z, q.x + q.y));
            return Self {
                volume,
                centre: Vec3::zeros(),
                inertia,
            };
        }
        tetrahedra(polytope)
    }

    /// The same solid in a frame in which the shape has this pose.
    #[must_use]
    pub fn posed(&self, pose: &Pose) -> Self {
        let r = pose.rotation.to_rotation_matrix().into_inner();
        Self {
            volume: self.volume,
            centre: pose.point(self.centre),
            inertia: r * self.inertia * r.transpose(),
        }
    }

    /// Inertia about a point other than the centre of mass, for density 1 kg/m³ \[kg·m²\].
    #[must_use]
    pub fn inertia_about(&self, point: Vec3) -> Mat3 {
        self.inertia + parallel_axis(self.volume, self.centre - point)
    }
}

/// m (|d|² 1 − d dᵀ).
fn parallel_axis(mass: f64, d: Vec3) -> Mat3 {
    (Mat3::identity() * d.norm_squared() - d * d.transpose()) * mass
}

fn ball(r: f64) -> MassProperties {
    let volume = 4.0 / 3.0 * PI * r * r * r;
    MassProperties {
        volume,
        centre: Vec3::zeros(),
        inertia: Mat3::identity() * (0.4 * volume * r * r),
    }
}

fn ellipsoid(semi_axes: &Vec3) -> MassProperties {
    let volume = 4.0 / 3.0 * PI * semi_axes.x * semi_axes.y * semi_axes.z;
    let q = semi_axes.component_mul(semi_axes) * (volume / 5.0);
    MassProperties {
        volume,
        centre: Vec3::zeros(),
        inertia: Mat3::from_diagonal(&Vec3::new(q.y + q.z, q.x + q.z, q.x + q.y)),
    }
}

fn cylinder(h: f64, r: f64) -> MassProperties {
    let volume = 2.0 * PI * r * r * h;
    let across = volume * (r * r / 4.0 + h * h / 3.0);
    MassProperties {
        volume,
        centre: Vec3::zeros(),
        inertia: Mat3::from_diagonal(&Vec3::new(across, across, volume * r * r / 2.0)),
    }
}

fn capsule(h: f64, r: f64) -> MassProperties {
    let (middle, caps) = (cylinder(h, r), ball(r));
    // The two half balls, moved out by h: their centres lie 3r/8 beyond the ends, so ∫z² = m(2r²/5·½ + h² + 2·h·3r/8).
    let across = caps.volume * (0.4 * r * r + h * h + 0.75 * h * r);
    let along = caps.volume * 0.4 * r * r;
    MassProperties {
        volume: middle.volume + caps.volume,
        centre: Vec3::zeros(),
        inertia: middle.inertia + Mat3::from_diagonal(&Vec3::new(across, across, along)),
    }
}

/// Σ over tetrahedra (o, a, b, c): V = det/6, ∫x = V (a+b+c)/4, ∫x xᵀ = V/20 (Σ aaᵀ + s sᵀ) with s = a+b+c, all relative to o.
fn tetrahedra(polytope: &Polytope) -> MassProperties {
    let origin = polytope.centre;
    let (mut volume, mut first, mut second) = (0.0, Vec3::zeros(), Mat3::zeros());
    for face in &polytope.faces {
        let corner = |i: usize| polytope.vertices[face.corners[i]] - origin;
        let a = corner(0);
        for i in 1..face.corners.len() - 1 {
            let (b, c) = (corner(i), corner(i + 1));
            let v = a.dot(&b.cross(&c)) / 6.0;
            let s = a + b + c;
            volume += v;
            first += s * (v / 4.0);
            let squares = a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose();
            second += squares * (v / 20.0);
        }
    }
    let shift = first / volume;
    let about_centre = second - shift * shift.transpose() * volume;
    MassProperties {
        volume,
        centre: origin + shift,
        inertia: Mat3::identity() * about_centre.trace() - about_centre,
    }
}

/// Parts are taken as they are: where two overlap, the volume counts twice.
fn compound(parts: &[(Pose, Shape)]) -> Option<MassProperties> {
    let parts: Vec<MassProperties> = parts
        .iter()
        .map(|(pose, shape)| MassProperties::of(shape).map(|part| part.posed(pose)))
        .collect::<Option<_>>()?;
    let volume: f64 = parts.iter().map(|p| p.volume).sum();
    let centre = parts.iter().map(|p| p.centre * p.volume).sum::<Vec3>() / volume;
    let inertia = parts.iter().map(|p| p.inertia_about(centre)).sum();
    (volume > 0.0).then_some(MassProperties {
        volume,
        centre,
        inertia,
    })
}
