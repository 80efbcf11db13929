//! A contact at another pose of its bodies: the same two features, where they are then.
//!
//! Flat surfaces touch with points fixed in them: one body's point moves with it, and the plane with the other. The point of a round surface moves along it; there, and
//! where two edges cross, the pair is given to the narrow phase anew, and the contact found again by its key.

use crate::Vec3;
use crate::collider::pair_key;
use crate::collision::{Contact, Scratch, Touching, contacts};
use crate::model::Model;
use crate::planar::{PlanarShape, Vec2};
use crate::shape::Shape;
use crate::state::BodyState;

/// Cosine of the angle within which a normal is that of a face.
const ALIKE: f64 = 1.0 - 1e-12;

/// How a contact follows its bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surfaces {
    /// A point of a on a plane of b.
    PlaneOfB,
    /// A point of b on a plane of a.
    PlaneOfA,
    /// A round surface or crossing edges.
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
    let shapes = [contact.a, contact.b].map(|body| &model.bodies[body].shape);
    if shapes.iter().any(|shape| is_round(shape)) {
        return Surfaces::Moving;
    }
    let is_ground = |shape: &Shape| matches!(shape, Shape::HalfSpace { .. } | Shape::Mesh(_));
    let normal_in = |body: usize, n: Vec3| bodies[body].pose.direction_in_body(n);
    if is_ground(shapes[0]) {
        Surfaces::PlaneOfA
    } else if has_face(shapes[1], normal_in(contact.b, contact.normal)) {
        Surfaces::PlaneOfB
    } else if has_face(shapes[0], normal_in(contact.a, -contact.normal)) {
        Surfaces::PlaneOfA
    } else {
        Surfaces::Moving
    }
}

fn is_round(shape: &Shape) -> bool {
    match shape {
        Shape::HalfSpace { .. } | Shape::Polytope(_) | Shape::Mesh(_) => false,
        Shape::Ball { .. } | Shape::Capsule { .. } | Shape::Cylinder { .. } => true,
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
        Shape::Ball { .. } | Shape::Capsule { .. } | Shape::Cylinder { .. } => false,
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
            Surfaces::PlaneOfB => on_plane_of_b(contact, [from, to]),
            Surfaces::PlaneOfA => on_plane_of_a(contact, [from, to]),
            Surfaces::Moving => {
                let moved = |body: usize| {
                    let [x, y] = [&from[body].pose, &to[body].pose];
                    (x.position - y.position).norm() + model.radius(body) * x.rotation.angle_to(&y.rotation)
                };
                let margin = 2.0 * (contact.gap.abs() + moved(a) + moved(b));
                self.find(model, contact, to, margin)
                    .unwrap_or_else(|| on_plane_of_b(contact, [from, to]))
            }
        }
    }

    /// The contact with the same key at another pose.
    fn find(&mut self, model: &Model, contact: &Contact, at: &[BodyState], margin: f64) -> Option<Contact> {
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

/// A point of a on a plane of b: a's point is above the contact's by the gap.
fn on_plane_of_b(contact: &Contact, [from, to]: [&[BodyState]; 2]) -> Contact {
    let (a, b) = (contact.a, contact.b);
    let moved = |body: usize, x: Vec3| to[body].pose.point(from[body].pose.point_in_body(x));
    let point_a = moved(a, contact.point + contact.gap * contact.normal);
    let point_b = moved(b, contact.point);
    let normal = to[b].pose.direction(from[b].pose.direction_in_body(contact.normal));
    let gap = normal.dot(&(point_a - point_b));
    Contact {
        point: point_a - gap * normal,
        normal,
        gap,
        ..*contact
    }
}

/// The same with a and b exchanged.
fn on_plane_of_a(contact: &Contact, states: [&[BodyState]; 2]) -> Contact {
    let flipped = Contact {
        a: contact.b,
        b: contact.a,
        normal: -contact.normal,
        ..*contact
    };
    let found = on_plane_of_b(&flipped, states);
    Contact {
        point: found.point,
        normal: -found.normal,
        gap: found.gap,
        ..*contact
    }
}
