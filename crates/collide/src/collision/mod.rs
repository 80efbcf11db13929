//! Which bodies touch, and where.
//!
//! [`contacts`] finds the points where two posed shapes touch or come within a margin of each other. It keeps every corner of a contact face;
//! redundant points are left to the solver. Shapes that pass corner by corner, or edge beside parallel edge, have no contact
//! until they overlap: at such a place no single normal describes where the bodies may go, and any choice would block free motion. A world
//! takes such places, and all others that several planes may keep apart, as corners (`corner.rs`).

mod ball;
mod bounds;
mod broad_phase;
mod capsule;
mod clip;
pub(crate) mod closest;
pub(crate) mod corner;
mod cylinder;
mod ellipsoid;
pub(crate) mod feature;
mod half_space;
mod mesh;
mod polytope_corner;
mod polytope_polytope;
mod relative;
mod round;
mod separation;
mod thick_axis;
mod thick_axis_corner;

use capsule::Capsule;
use cylinder::Cylinder;
use ellipsoid::Ellipsoid;

pub use bounds::Bounds;
pub use broad_phase::{BroadPhase, Filter};
pub use corner::{CornerList, SidePoint};

use crate::planar::{self, PlanarPose, PlanarTouching};
use crate::shape::{Polytope, Shape};
use crate::{Pose, Vec3};

/// A point where two bodies touch or may touch within the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Body that is pushed along +normal.
    pub a: usize,
    /// Body that is pushed along −normal.
    pub b: usize,
    /// On one of the two surfaces, a face where one touches, so that all contacts of a face lie in one plane; midway between edges \[m\].
    pub point: Vec3,
    /// Unit normal, from b to a.
    pub normal: Vec3,
    /// Distance of the surfaces along the normal \[m\]; negative where they overlap.
    pub gap: f64,
    /// Names the features that touch: the same from step to step while the same corners, edges and faces meet.
    pub key: u64,
}

/// A point where two shapes touch or come close.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touching {
    /// On one of the two surfaces, a face where one touches, so that all contacts of a face lie in one plane; midway between edges \[m\].
    pub point: Vec3,
    /// Unit normal, from b to a.
    pub normal: Vec3,
    /// Distance of the surfaces along the normal \[m\]; negative where they overlap.
    pub gap: f64,
    /// Names the features that touch; distinct within a pair, the same while the same corners, edges and faces meet.
    pub feature: u64,
}

impl Touching {
    /// Seen with a and b exchanged.
    #[must_use]
    pub fn flipped(self) -> Self {
        Self {
            normal: -self.normal,
            ..self
        }
    }
}

/// Room to work in, kept between calls so that a warm call does not allocate.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    clip: clip::Clip,
    separation: separation::Scratch,
    prisms: cylinder::Prisms,
    planar: Vec<PlanarTouching>,
    /// Triangles near a body.
    near: Vec<usize>,
    /// Corners that were found, where they are wanted.
    pub corners: CornerList,
}

/// Two lengths closer than this, relative to the smaller body, are equal: rounding in poses and products stays far below.
const LENGTH_REL_TOL: f64 = 1e-9;
/// The same relative to the larger body: some tens of roundings.
pub(crate) const POSITION_REL_ROUNDING: f64 = 1e-14;

/// Below this length \[m\] a difference between bodies of these sizes is rounding.
pub(crate) fn length_tolerance(size_a: f64, size_b: f64) -> f64 {
    (LENGTH_REL_TOL * size_a.min(size_b)).max(POSITION_REL_ROUNDING * size_a.max(size_b))
}

/// Where two posed shapes touch or come within a margin \[m\] of each other; appended to `out`.
///
/// Every gap is at most the margin; positive gaps are kept, so that a step can foresee the contact. Two half-spaces never touch, and
/// a pose that is not finite touches nothing.
///
/// ```
/// # use stiction_collide::{collision::{contacts, Scratch}, shape::Shape, Pose, Vec3};
/// let cube = Shape::cuboid(Vec3::new(0.5, 0.5, 0.5));
/// let upper = Pose { position: Vec3::new(0.0, 0.0, 1.0), ..Pose::identity() };
/// let mut out = Vec::new();
/// contacts((&cube, &upper), (&cube, &Pose::identity()), 0.01, &mut Scratch::default(), &mut out);
/// assert_eq!(out.len(), 4);
/// assert!(out.iter().all(|c| c.normal == Vec3::z() && c.gap.abs() < 1e-15));
/// ```
pub fn contacts(a: (&Shape, &Pose), b: (&Shape, &Pose), margin: f64, scratch: &mut Scratch, out: &mut Vec<Touching>) {
    let start = out.len();
    if !(is_finite(a.1) && is_finite(b.1)) {
        return;
    }
    match (a.0, b.0) {
        (Shape::Planar(shape_a), Shape::Planar(shape_b)) => {
            scratch.planar.clear();
            let poses = (PlanarPose::of(a.1), PlanarPose::of(b.1));
            planar::contacts_and_corners(
                (shape_a, &poses.0),
                (shape_b, &poses.1),
                margin,
                &mut scratch.corners,
                &mut scratch.planar,
            );
            out.extend(scratch.planar.iter().map(PlanarTouching::in_space));
        }
        (Shape::Planar(_), _) | (_, Shape::Planar(_)) => {}
        (Shape::Compound(parts), _) => {
            for (i, (pose, part)) in parts.iter().enumerate() {
                let (first, first_point) = (out.len(), scratch.corners.points.len());
                contacts((part, &a.1.then(pose)), b, margin, scratch, out);
                rename(&mut out[first..], i + 1, 0);
                scratch.corners.rename(first_point, i + 1, 0);
            }
        }
        (_, Shape::Compound(parts)) => {
            for (j, (pose, part)) in parts.iter().enumerate() {
                let (first, first_point) = (out.len(), scratch.corners.points.len());
                contacts(a, (part, &b.1.then(pose)), margin, scratch, out);
                rename(&mut out[first..], 0, j + 1);
                scratch.corners.rename(first_point, 0, j + 1);
            }
        }
        _ if rank(a.0) > rank(b.0) => {
            let first_point = scratch.corners.points.len();
            scratch.corners.drift = -scratch.corners.drift;
            ordered(b, a, margin, scratch, out);
            scratch.corners.drift = -scratch.corners.drift;
            scratch.corners.flip(first_point);
            for touching in &mut out[start..] {
                *touching = touching.flipped();
            }
        }
        _ => ordered(a, b, margin, scratch, out),
    }
}

/// Distance of two polytopes along the best separating axis, exact where they overlap, and that axis from b to a.
pub(crate) fn polytope_distance(a: (&Polytope, &Pose), b: (&Polytope, &Pose)) -> (f64, Vec3) {
    polytope_polytope::best_axis(a, b)
}

/// Looks for plain contacts only.
fn without_corners(scratch: &mut Scratch, find: impl FnOnce(&mut Scratch)) {
    let wanted = std::mem::take(&mut scratch.corners.wanted);
    find(scratch);
    scratch.corners.wanted = wanted;
}

fn is_finite(pose: &Pose) -> bool {
    (pose.position.sum() + pose.rotation.coords.sum()).is_finite()
}

fn rename(found: &mut [Touching], i: usize, j: usize) {
    for touching in found {
        touching.feature = feature::within_parts(touching.feature, i, j);
    }
}

/// Order in which the pairs below name their shapes.
fn rank(shape: &Shape) -> u8 {
    match shape {
        Shape::HalfSpace { .. } => 0,
        Shape::Ball { .. } => 1,
        Shape::Capsule { .. } => 2,
        Shape::Cylinder { .. } => 3,
        Shape::Ellipsoid { .. } => 4,
        Shape::Polytope(_) => 5,
        Shape::Mesh(_) => 6,
        Shape::Compound(_) => 7,
        Shape::Planar(_) => 8,
    }
}

/// Contacts of two simple shapes, the first of no higher rank.
fn ordered(a: (&Shape, &Pose), b: (&Shape, &Pose), margin: f64, scratch: &mut Scratch, out: &mut Vec<Touching>) {
    match (a.0, b.0) {
        (Shape::HalfSpace { .. } | Shape::Mesh(_), Shape::Mesh(_)) => {}
        (_, Shape::Mesh(ground)) => {
            mesh::mesh(a, (ground, b.1), margin, scratch, out);
        }
        (Shape::HalfSpace { normal }, _) => half_space::half_space((*normal, a.1), b, margin, out),
        (_, Shape::Ellipsoid { .. }) => with_ellipsoid(a, b, margin, out),
        (_, Shape::Polytope(body)) => with_polytope(a, (body, b.1), margin, scratch, out),
        (Shape::Ball { radius }, other) => {
            let ball = (*radius, a.1.position);
            match *other {
                Shape::Ball { radius } => ball::ball_ball(ball, (radius, b.1.position), margin, out),
                Shape::Capsule { half_length, radius } => {
                    ball::ball_capsule(ball, (half_length, radius, b.1), margin, out);
                }
                Shape::Cylinder { half_height, radius } => {
                    ball::ball_cylinder(ball, (half_height, radius, b.1), margin, out);
                }
                _ => {}
            }
        }
        _ => long_round(a, b, margin, scratch, out),
    }
}

/// Capsules and cylinders among themselves.
fn long_round(a: (&Shape, &Pose), b: (&Shape, &Pose), margin: f64, scratch: &mut Scratch, out: &mut Vec<Touching>) {
    match (capsule_of(a), cylinder_of(a), capsule_of(b), cylinder_of(b)) {
        (Some(a), _, Some(b), _) => capsule::capsule_capsule(a, b, margin, out),
        (Some(a), _, _, Some(b)) => capsule::capsule_cylinder(a, (b.half_height, b.radius, b.pose), margin, out),
        (_, Some(a), _, Some(b)) => without_corners(scratch, |scratch| {
            cylinder::cylinder_cylinder(a, b, margin, scratch, out);
        }),
        _ => {}
    }
}

/// Contacts of a shape of no higher rank with a polytope.
fn with_polytope(
    a: (&Shape, &Pose),
    b: (&Polytope, &Pose),
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<Touching>,
) {
    if let Shape::Polytope(body) = a.0 {
        polytope_polytope::polytope_polytope((body, a.1), b, margin, scratch, out);
    } else if let Shape::Ball { radius } = a.0 {
        ball::ball_polytope((*radius, a.1.position), b, margin, &mut scratch.corners, out);
    } else if let Some(ellipsoid) = ellipsoid_of(a) {
        ellipsoid::ellipsoid_polytope(ellipsoid, b, margin, out);
    } else if let Some(capsule) = capsule_of(a) {
        capsule::capsule_polytope(capsule, b, margin, &mut scratch.corners, out);
    } else if let Some(cylinder) = cylinder_of(a) {
        cylinder::cylinder_polytope(cylinder, b, margin, scratch, out);
    }
}

/// Contacts of a shape of no higher rank with an ellipsoid.
fn with_ellipsoid(a: (&Shape, &Pose), b: (&Shape, &Pose), margin: f64, out: &mut Vec<Touching>) {
    let Some(ellipsoid) = ellipsoid_of(b) else { return };
    if let Some(other) = ellipsoid_of(a) {
        ellipsoid::ellipsoid_ellipsoid(other, ellipsoid, margin, out);
        return;
    }
    let first = out.len();
    if let Shape::Ball { radius } = a.0 {
        ellipsoid::ellipsoid_ball(ellipsoid, (*radius, a.1.position), margin, out);
    } else if let Some(capsule) = capsule_of(a) {
        ellipsoid::ellipsoid_capsule(ellipsoid, capsule, margin, out);
    } else if let Some(cylinder) = cylinder_of(a) {
        ellipsoid::ellipsoid_cylinder(ellipsoid, cylinder, margin, out);
    }
    // The ellipsoid was a of these.
    for touching in &mut out[first..] {
        *touching = touching.flipped();
    }
}

fn ellipsoid_of<'a>((shape, pose): (&Shape, &'a Pose)) -> Option<Ellipsoid<'a>> {
    match *shape {
        Shape::Ellipsoid { semi_axes } => Some(Ellipsoid { semi_axes, pose }),
        _ => None,
    }
}

fn capsule_of<'a>((shape, pose): (&Shape, &'a Pose)) -> Option<Capsule<'a>> {
    match *shape {
        Shape::Capsule { half_length, radius } => Some(Capsule {
            half_length,
            radius,
            pose,
        }),
        _ => None,
    }
}

fn cylinder_of<'a>((shape, pose): (&Shape, &'a Pose)) -> Option<Cylinder<'a>> {
    match *shape {
        Shape::Cylinder { half_height, radius } => Some(Cylinder {
            half_height,
            radius,
            pose,
        }),
        _ => None,
    }
}
