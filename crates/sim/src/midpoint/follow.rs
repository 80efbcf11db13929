//! A contact at another pose of its bodies: the same two features, where they are then.
//!
//! One body's point moves with it, and the plane that it touches with the other: a corner, the centre of a ball or a point of the axis of a capsule, which are a
//! radius above the plane, or the lowest point of the rim of a cylinder or of an ellipsoid. Where two round surfaces meet, or two edges cross, the pair is given to the narrow phase anew,
//! and the contact found again by its key.

use crate::collider::pair_key;
use crate::collision::{Contact, Scratch, Touching, contacts};
use crate::ellipsoid::support;
use crate::model::Model;
use crate::planar::{PlanarShape, Vec2};
use crate::shape::Shape;
use crate::state::BodyState;
use crate::{Pose, Vec3};

/// Cosine of the angle within which a normal is that of a face.
const ALIKE: f64 = 1.0 - 1e-12;
/// Sine of the angle within which a cylinder stands or lies on a plane.
const SQUARE: f64 = 1e-9;

/// Angle within which a place of a rim is its lowest \[rad\]: bodies may have been eased apart since it was found, and the place may be off the rim by the gap.
const NEAR: f64 = 1e-3;
/// Share of a radius within which a place is on a round surface.
const ROUND: f64 = 1e-9;

/// What of one body touches a plane of the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Point {
    /// A point that is fixed in it.
    Fixed,
    /// The lowest point of a ball of this radius about a point that is fixed in it \[m\].
    Round(f64),
    /// The lowest point of a circle about an axis through its origin along z: height and radius \[m\].
    Rim(f64, f64),
    /// The lowest point of an ellipsoid about its origin: half its diameters \[m\].
    Ellipsoid(Vec3),
}

/// How a contact follows its bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Surfaces {
    /// A point of a on a plane of b.
    PlaneOfB(Point),
    /// A point of b on a plane of a.
    PlaneOfA(Point),
    /// Two round surfaces or crossing edges.
    Moving,
}

/// Follows contacts; keeps its buffers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Follower {
    scratch: Scratch,
    found: Vec<Touching>,
}

/// What touches at a contact.
pub(crate) fn surfaces(model: &Model, bodies: &[BodyState], contact: &Contact) -> Surfaces {
    let [a, b] = [contact.a, contact.b].map(|body| &model.bodies[body].shape);
    let is_ground = |shape: &Shape| {
        let is_half_plane = matches!(shape, Shape::Planar(PlanarShape::HalfPlane { .. }));
        is_half_plane || matches!(shape, Shape::HalfSpace { .. } | Shape::Mesh(_))
    };
    let in_body = |body: usize, n: Vec3| bodies[body].pose.direction_in_body(n);
    let [n_a, n_b] = [in_body(contact.a, -contact.normal), in_body(contact.b, contact.normal)];
    let surface = contact.point + contact.gap * contact.normal;
    // The contact's point is on the one surface or the other: both are tried.
    let points = |body: usize| [contact.point, surface].map(|x| bodies[body].pose.point_in_body(x));
    let of_b = || {
        has_face(b, n_b)
            .then(|| point_of(a, n_a, points(contact.a)))
            .flatten()
            .map(Surfaces::PlaneOfB)
    };
    let of_a = || {
        has_face(a, n_a)
            .then(|| point_of(b, n_b, points(contact.b)))
            .flatten()
            .map(Surfaces::PlaneOfA)
    };
    let found = if is_ground(a) {
        of_a().or_else(of_b)
    } else {
        of_b().or_else(of_a)
    };
    found.unwrap_or(Surfaces::Moving)
}

/// What of a shape touches a plane along an outward normal. Of shapes made of several, only where all of them have corners.
fn point_of(shape: &Shape, normal: Vec3, places: [Vec3; 2]) -> Option<Point> {
    match shape {
        Shape::Ball { radius } | Shape::Capsule { radius, .. } => Some(Point::Round(*radius)),
        Shape::Ellipsoid { semi_axes } => Some(Point::Ellipsoid(*semi_axes)),
        Shape::Cylinder { half_height, radius } => {
            let across = libm::hypot(normal.x, normal.y);
            if across <= SQUARE {
                Some(Point::Fixed)
            } else if normal.z.abs() <= SQUARE {
                Some(Point::Round(*radius))
            } else {
                // Fixed points of the rim carry a cylinder that nearly stands; the lowest moves along it.
                let rim = half_height.copysign(places[0].z + places[1].z);
                let near = places.iter().any(|x| {
                    let far = libm::hypot(x.x, x.y);
                    libm::hypot(x.x / far - normal.x / across, x.y / far - normal.y / across) <= NEAR
                });
                Some(if near { Point::Rim(rim, *radius) } else { Point::Fixed })
            }
        }
        Shape::Planar(PlanarShape::Disc { radius } | PlanarShape::Capsule { radius, .. }) => {
            Some(Point::Round(*radius))
        }
        Shape::Planar(shape) => (!shape.is_round()).then_some(Point::Fixed),
        Shape::Compound(parts) if parts.iter().any(|(_, part)| is_round(part)) => round_of(parts, normal, places),
        Shape::HalfSpace { .. } | Shape::Polytope(_) | Shape::Mesh(_) | Shape::Compound(_) => Some(Point::Fixed),
    }
}

/// The round end of the one part of a compound that has a place on its surface with an outward normal: a ball or a capsule.
fn round_of(parts: &[(Pose, Shape)], normal: Vec3, places: [Vec3; 2]) -> Option<Point> {
    let has = |pose: &Pose, half: f64, radius: f64| {
        places.iter().any(|place| {
            let middle = pose.point_in_body(place - radius * normal);
            let along = middle.z.clamp(-half, half);
            (middle - Vec3::new(0.0, 0.0, along)).norm() <= ROUND * radius
        })
    };
    let mut found = None;
    for (pose, part) in parts {
        let (half, radius) = match part {
            Shape::Ball { radius } => (0.0, *radius),
            Shape::Capsule { half_length, radius } => (*half_length, *radius),
            _ => continue,
        };
        if has(pose, half, radius) && found.replace(Point::Round(radius)).is_some() {
            return None;
        }
    }
    found
}

fn is_round(shape: &Shape) -> bool {
    match shape {
        Shape::HalfSpace { .. } | Shape::Polytope(_) | Shape::Mesh(_) => false,
        Shape::Ball { .. } | Shape::Capsule { .. } | Shape::Cylinder { .. } | Shape::Ellipsoid { .. } => true,
        Shape::Planar(shape) => shape.is_round(),
        Shape::Compound(parts) => parts.iter().any(|(_, part)| is_round(part)),
    }
}

/// Whether a shape has a face with this outward normal. Of a mesh the contact's normal is taken for that of its triangle.
fn has_face(shape: &Shape, normal: Vec3) -> bool {
    match shape {
        Shape::HalfSpace { .. } | Shape::Mesh(_) => true,
        Shape::Polytope(polytope) => polytope.faces.iter().any(|face| face.normal.dot(&normal) > ALIKE),
        Shape::Planar(shape) => has_side(shape, normal.xy()),
        Shape::Compound(parts) => parts
            .iter()
            .any(|(pose, part)| has_face(part, pose.direction_in_body(normal))),
        Shape::Ball { .. } | Shape::Capsule { .. } | Shape::Cylinder { .. } | Shape::Ellipsoid { .. } => false,
    }
}

/// The same in the plane.
fn has_side(shape: &PlanarShape, normal: Vec2) -> bool {
    match shape {
        PlanarShape::HalfPlane { .. } => true,
        PlanarShape::Polygon(polygon) => polygon.normals.iter().any(|n| n.dot(&normal) > ALIKE),
        PlanarShape::Compound(parts) => parts
            .iter()
            .any(|(pose, part)| has_side(part, pose.rotation.inverse() * normal)),
        PlanarShape::Disc { .. } | PlanarShape::Capsule { .. } => false,
    }
}

impl Follower {
    /// The contact where its bodies are at `to`, as found at `from`. Without a change of pose it is the same, to the bit.
    pub(crate) fn follow(
        &mut self,
        model: &Model,
        contact: &Contact,
        [from, to]: [&[BodyState]; 2],
        surfaces: Surfaces,
    ) -> Contact {
        let (a, b) = (contact.a, contact.b);
        if from[a].pose == to[a].pose && from[b].pose == to[b].pose {
            return *contact;
        }
        match surfaces {
            Surfaces::PlaneOfB(point) => on_plane_of_b(contact, [from, to], point),
            Surfaces::PlaneOfA(point) => on_plane_of_a(contact, [from, to], point),
            Surfaces::Moving => {
                let moved = |body: usize| {
                    let [x, y] = [&from[body].pose, &to[body].pose];
                    (x.position - y.position).norm() + model.radius(body) * x.rotation.angle_to(&y.rotation)
                };
                let margin = 2.0 * (contact.gap.abs() + moved(a) + moved(b));
                self.find(model, contact, to, margin)
                    .unwrap_or_else(|| on_plane_of_b(contact, [from, to], Point::Fixed))
            }
        }
    }

    /// The contact with the same key at another pose.
    pub(crate) fn find(&mut self, model: &Model, contact: &Contact, at: &[BodyState], margin: f64) -> Option<Contact> {
        let [a, b] = [contact.a, contact.b].map(|body| (&model.bodies[body].shape, &at[body].pose));
        self.found.clear();
        contacts(a, b, margin, &mut self.scratch, &mut self.found);
        let pair = pair_key(model.ids.bodies[contact.a], model.ids.bodies[contact.b]);
        let same = self.found.iter().find(|t| pair ^ t.feature == contact.key)?;
        Some(Contact {
            point: same.point,
            normal: same.normal,
            gap: same.gap,
            ..*contact
        })
    }
}

/// A point of a on a plane of b.
fn on_plane_of_b(contact: &Contact, [from, to]: [&[BodyState]; 2], point: Point) -> Contact {
    let (a, b) = (contact.a, contact.b);
    let moved = |body: usize, x: Vec3| to[body].pose.point(from[body].pose.point_in_body(x));
    let normal = to[b].pose.direction(from[b].pose.direction_in_body(contact.normal));
    // a's point is above b's by the gap, whichever of them the contact's is.
    let plane = moved(b, contact.point);
    let shift = contact.gap * contact.normal;
    let point_a = match point {
        Point::Fixed => moved(a, contact.point + shift),
        Point::Round(radius) => moved(a, contact.point + shift + radius * contact.normal) - radius * normal,
        Point::Ellipsoid(semi_axes) => {
            let n = to[a].pose.direction_in_body(-normal);
            to[a].pose.point(support(&semi_axes, &n))
        }
        Point::Rim(height, radius) => {
            let n = to[a].pose.direction_in_body(-normal);
            let across = libm::hypot(n.x, n.y);
            if across > 0.0 {
                to[a]
                    .pose
                    .point(Vec3::new(n.x / across * radius, n.y / across * radius, height))
            } else {
                moved(a, contact.point + shift)
            }
        }
    };
    let gap = normal.dot(&(point_a - plane));
    Contact {
        point: point_a - gap * normal,
        normal,
        gap,
        ..*contact
    }
}

/// The same with a and b exchanged.
fn on_plane_of_a(contact: &Contact, states: [&[BodyState]; 2], point: Point) -> Contact {
    let flipped = Contact {
        a: contact.b,
        b: contact.a,
        normal: -contact.normal,
        ..*contact
    };
    let found = on_plane_of_b(&flipped, states, point);
    Contact {
        point: found.point,
        normal: -found.normal,
        gap: found.gap,
        ..*contact
    }
}
