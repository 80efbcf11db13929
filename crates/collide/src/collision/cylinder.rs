//! Cylinder against polytope and cylinder.
//!
//! The cylinder is taken as a prism of 32 sides about its axis, turned to meet the other body rightly: where it lies on a face, a long edge of the
//! prism at the true radius is the line of contact; where a corner or an edge touches its side, a side face at the true radius meets it. The
//! distance is exact there; elsewhere around the rim it is short by at most 0.5 % of the radius. Two cylinders whose sides
//! touch are treated exactly, as axes with radii.

use super::capsule::{Capsule, capsule_capsule};
use super::closest;
use super::corner::CornerList;
use super::polytope_polytope::polytope_polytope;
use super::thick_axis::{Best, SIDEWAYS_COSINE, ThickAxis, Way};
use super::thick_axis_corner::thick_axis_corner;
use super::{Pose, Scratch, Touching};
use crate::Vec3;
use crate::shape::Polytope;

/// Sides of the prism.
const PRISM_SIDES: usize = 32;
/// A normal with a smaller part across the axis than this leaves the prism as it is: the cylinder stands.
const UPRIGHT_SINE: f64 = 1e-6;
/// A normal within this cosine (8°) of a face of the other body means lying on that face.
const LYING_COSINE: f64 = 0.99;

/// Room for two prisms, and one as it is before a turn.
#[derive(Debug, Clone, Default)]
pub(super) struct Prisms {
    bodies: Vec<Polytope>,
    /// Half height and radius of the third: a cylinder among many bodies is looked at first in the same way.
    plain: Option<[f64; 2]>,
}

/// A cylinder.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cylinder<'a> {
    pub(super) half_height: f64,
    pub(super) radius: f64,
    pub(super) pose: &'a Pose,
}

/// How the prism is turned about the axis.
#[derive(Debug, Clone, Copy)]
enum Turn {
    /// A corner on the x axis.
    None,
    /// A corner in this direction, corners at the true radius.
    Corner(f64, f64),
    /// The middle of a side in this direction, side faces at the true radius.
    Side(f64, f64),
}

impl Prisms {
    /// Three unit prisms, made on first use.
    fn ready(&mut self) -> bool {
        while self.bodies.len() < 3 {
            match Polytope::prism(PRISM_SIDES, 1.0, 1.0) {
                Ok(prism) => self.bodies.push(prism),
                Err(_) => return false,
            }
        }
        true
    }

    /// A prism that has a corner where the cylinder is lowest along a normal of the world.
    pub(super) fn over(&mut self, cylinder: &Cylinder, normal: &Vec3) -> Option<&Polytope> {
        if !self.ready() {
            return None;
        }
        let up = cylinder.pose.direction_in_body(*normal);
        let turn = if up.x * up.x + up.y * up.y <= UPRIGHT_SINE * UPRIGHT_SINE {
            Turn::None
        } else {
            Turn::Corner(-up.x, -up.y)
        };
        fit(&mut self.bodies[0], cylinder, turn);
        Some(&self.bodies[0])
    }
}

/// Gives a prism the size of a cylinder and a turn.
fn fit(prism: &mut Polytope, cylinder: &Cylinder, turn: Turn) {
    let half_side = std::f64::consts::PI / PRISM_SIDES as f64;
    let apothem = libm::cos(half_side);
    let (radius, first) = match turn {
        Turn::None => (cylinder.radius, 0.0),
        Turn::Corner(x, y) => (cylinder.radius, libm::atan2(y, x)),
        Turn::Side(x, y) => (cylinder.radius / apothem, libm::atan2(y, x) - half_side),
    };
    for k in 0..PRISM_SIDES {
        let angle = first + 2.0 * half_side * k as f64;
        let (sin, cos) = libm::sincos(angle);
        prism.vertices[k] = Vec3::new(radius * cos, radius * sin, -cylinder.half_height);
        prism.vertices[PRISM_SIDES + k] = Vec3::new(radius * cos, radius * sin, cylinder.half_height);
        let (sin, cos) = libm::sincos(angle + half_side);
        let face = &mut prism.faces[k];
        face.normal = Vec3::new(cos, sin, 0.0);
        face.offset = radius * apothem;
        let tangent = Vec3::new(-sin, cos, 0.0);
        face.sides.copy_from_slice(&[-Vec3::z(), tangent, Vec3::z(), -tangent]);
        // The bottom runs through its corners backwards: its side i joins corners 31 − i and 30 − i.
        prism.faces[PRISM_SIDES].sides[(2 * PRISM_SIDES - 2 - k) % PRISM_SIDES] = Vec3::new(cos, sin, 0.0);
        prism.faces[PRISM_SIDES + 1].sides[k] = Vec3::new(cos, sin, 0.0);
    }
    prism.faces[PRISM_SIDES].offset = cylinder.half_height;
    prism.faces[PRISM_SIDES + 1].offset = cylinder.half_height;
    prism.size = (radius * radius + cylinder.half_height * cylinder.half_height).sqrt();
}

/// How to turn the prism so that it meets what a first look found; `sign` makes the contacts' normals point to this cylinder, `on_this` says
/// whether the contacts lie on its surface or on the other's, and `lies_on` gives the normal of the other's face it lies on, if any.
fn turn_towards(
    cylinder: &Cylinder,
    found: &[Touching],
    (sign, on_this): (f64, Option<bool>),
    lies_on: impl Fn(Vec3) -> Option<Vec3>,
) -> Turn {
    let normal = found[0].normal * sign;
    let inward = cylinder.pose.direction_in_body(lies_on(normal).unwrap_or(normal));
    if inward.x * inward.x + inward.y * inward.y <= UPRIGHT_SINE * UPRIGHT_SINE {
        return Turn::None;
    }
    if lies_on(normal).is_some() {
        return Turn::Corner(-inward.x, -inward.y);
    }
    let closest = found.iter().min_by(|t, u| t.gap.total_cmp(&u.gap)).unwrap_or(&found[0]);
    let share = on_this.map_or(0.5, |on_this| if on_this { 1.0 } else { 0.0 });
    let on_other = closest.point - normal * (share * closest.gap);
    let x = cylinder.pose.point_in_body(on_other);
    Turn::Side(x.x, x.y)
}

/// Cylinder (a of the pair) against a polytope. One that lies on a face touches it along a line; one that several planes may keep apart is at a
/// corner.
pub(super) fn cylinder_polytope(
    a: Cylinder,
    b: (&Polytope, &Pose),
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<Touching>,
) {
    let long = ThickAxis::cylinder(&a, b.1);
    let Some(best) = long.best_face(b.0, margin, |f| scratch.corners.is_open(f)) else {
        return;
    };
    let way = if scratch.corners.wanted {
        long.way(b.0, &best)
    } else {
        None
    };
    if let Some(way) = way
        && thick_axis_corner(&long, b, (&best, way), margin, &mut scratch.corners)
    {
        return;
    }
    if best.distance > -a.radius && (best.exact || scratch.corners.wanted) && long.face_contacts(b, &best, margin, out)
    {
        return;
    }
    let mut prisms = std::mem::take(&mut scratch.prisms);
    if prisms.ready() {
        let rim = way.is_none().then_some((&long, &best));
        as_prism(a, b, (margin, rim), (&mut prisms, scratch), out);
    }
    scratch.prisms = prisms;
}

/// As a prism: looked at first without a turn and without corners. One that stands on a face is at a corner as a prism; one whose rim may meet an
/// edge, as an axis with a radius.
fn as_prism(
    a: Cylinder,
    b: (&Polytope, &Pose),
    (margin, rim): (f64, Option<(&ThickAxis, &Best)>),
    (prisms, scratch): (&mut Prisms, &mut Scratch),
    out: &mut Vec<Touching>,
) {
    let start = out.len();
    let Prisms { bodies, plain } = prisms;
    let [prism, _, first] = &mut bodies[..] else { return };
    let size = [a.half_height, a.radius];
    if *plain != Some(size) {
        fit(first, &a, Turn::None);
        *plain = Some(size);
    }
    let coarse = margin + 0.01 * a.radius;
    let wanted = std::mem::take(&mut scratch.corners.wanted);
    polytope_polytope((first, a.pose), b, coarse, scratch, out);
    let half_on = out.len() == start;
    if half_on {
        // A long edge of the prism may face an edge of the body; half a side on, a side face does.
        fit(prism, &a, Turn::Side(1.0, 0.0));
        polytope_polytope((prism, a.pose), b, coarse, scratch, out);
    }
    let at_corner = |way: Option<Way>, corners: &mut CornerList| match (rim, way) {
        (Some((long, best)), Some(way)) if wanted => thick_axis_corner(long, b, (best, way), margin, corners),
        _ => false,
    };
    if out.len() == start {
        // They pass each other, rim by edge.
        let way = rim.and_then(|(long, _)| long.any_way(b.0));
        scratch.corners.wanted = wanted;
        if wanted && !at_corner(way, &mut scratch.corners) {
            polytope_polytope((prism, a.pose), b, margin, scratch, out);
        }
        return;
    }
    let lies_on = |normal: Vec3| {
        let inner = b.1.direction_in_body(normal);
        let face = b.0.faces.iter().find(|f| f.normal.dot(&inner) > LYING_COSINE);
        face.map(|f| b.1.direction(f.normal))
    };
    let normal = out[start].normal;
    let stands = a.pose.direction(Vec3::z()).dot(&normal).abs() > SIDEWAYS_COSINE && lies_on(normal).is_some();
    let turn = turn_towards(&a, &out[start..], (1.0, scratch.clip.on_a), lies_on);
    scratch.corners.wanted = wanted && stands;
    if let (Turn::None, false, false) = (turn, half_on, scratch.corners.wanted) {
        // The first look was right.
        let mut kept = start;
        for i in start..out.len() {
            if out[i].gap <= margin {
                out.swap(i, kept);
                kept += 1;
            }
        }
        out.truncate(kept);
    } else {
        out.truncate(start);
        let turned = if let Turn::None = turn {
            first
        } else {
            fit(prism, &a, turn);
            prism
        };
        polytope_polytope((turned, a.pose), b, margin, scratch, out);
    }
    scratch.corners.wanted = wanted;
    if !stands && out.len() > start && at_corner(Some(Way::Found(&out[start..])), &mut scratch.corners) {
        out.truncate(start);
    }
}

/// Cylinder against cylinder.
pub(super) fn cylinder_cylinder(a: Cylinder, b: Cylinder, margin: f64, scratch: &mut Scratch, out: &mut Vec<Touching>) {
    if sides_meet(&a, &b) {
        let axis = |c: Cylinder<'_>| (c.half_height, c.radius);
        let ((length_a, radius_a), (length_b, radius_b)) = (axis(a), axis(b));
        let first = Capsule {
            half_length: length_a,
            radius: radius_a,
            pose: a.pose,
        };
        let second = Capsule {
            half_length: length_b,
            radius: radius_b,
            pose: b.pose,
        };
        capsule_capsule(first, second, margin, out);
        return;
    }
    let mut prisms = std::mem::take(&mut scratch.prisms);
    if prisms.ready() {
        let [first, second, _] = &mut prisms.bodies[..] else {
            return;
        };
        let start = out.len();
        fit(first, &a, Turn::None);
        fit(second, &b, Turn::None);
        polytope_polytope(
            (first, a.pose),
            (second, b.pose),
            margin + 0.01 * (a.radius + b.radius),
            scratch,
            out,
        );
        if out.len() > start {
            // Lying on a cap: a corner line meets it. Rim against side: the other's side face meets the rim's corner.
            let cap = |c: Cylinder, n: Vec3| {
                let axis = c.pose.direction(Vec3::z());
                [axis, -axis].into_iter().find(|d| d.dot(&n) > LYING_COSINE)
            };
            let normal = out[start].normal;
            let (on_a, on_b) = (scratch.clip.on_a, scratch.clip.on_a.map(|on_a| !on_a));
            let turn_a = turn_towards(&a, &out[start..], (1.0, on_a), |n| cap(b, n).or(cap(a, -n).map(|d| -d)));
            let turn_b = turn_towards(&b, &out[start..], (-1.0, on_b), |n| {
                cap(a, n).or(cap(b, -n).map(|d| -d))
            });
            let rim_of_a =
                a.pose.direction(Vec3::z()).dot(&normal).abs() > b.pose.direction(Vec3::z()).dot(&normal).abs();
            out.truncate(start);
            fit(first, &a, if rim_of_a { as_corner(turn_a) } else { turn_a });
            fit(second, &b, if rim_of_a { turn_b } else { as_corner(turn_b) });
            polytope_polytope((first, a.pose), (second, b.pose), margin, scratch, out);
        }
    }
    scratch.prisms = prisms;
}

fn as_corner(turn: Turn) -> Turn {
    match turn {
        Turn::Side(x, y) => Turn::Corner(x, y),
        other => other,
    }
}

/// The axes are closest at right angles to both, between their ends: the round sides face each other.
fn sides_meet(a: &Cylinder, b: &Cylinder) -> bool {
    let half = |c: &Cylinder| c.pose.direction(Vec3::z()) * c.half_height;
    let (half_a, half_b) = (half(a), half(b));
    let (p, q) = (a.pose.position - half_a, b.pose.position - half_b);
    let (s, t) = closest::of_segments(p, half_a * 2.0, q, half_b * 2.0);
    let between = (p + half_a * (2.0 * s)) - (q + half_b * (2.0 * t));
    let distance = between.norm();
    let square = |axis: Vec3| axis.dot(&between).abs() <= closest::PARALLEL_SEGMENTS_ANGLE * axis.norm() * distance;
    // Axes that cross inside one another are no side contact unless they are truly apart.
    distance > a.radius.max(b.radius) && square(half_a) && square(half_b)
}
