//! The fingerprint of a model: all that is constant while stepping, value by value, so that a saved state is not continued as another world's.
//!
//! Bytes: one entry a value, in a fixed order. A number or a hash is its kind and eight bytes, a word its kind, its length and its letters.

use std::fmt;

use crate::body::{Body, Kind, Material};
use crate::joint::{Joint, JointKind};
use crate::mix;
use crate::model::Model;
use crate::planar::PlanarShape;
use crate::shape::{Polytope, Shape};
use crate::world::Settings;
use crate::{Pose, Vec3};

/// A value of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Value<'a> {
    Number(f64),
    Word(&'a str),
    /// Of something with too many numbers to keep.
    Hash(u64),
}

/// What is called with every value and its path.
type See<'a> = dyn FnMut(fmt::Arguments<'_>, Value<'_>) + 'a;

/// The fingerprint of a model.
pub(crate) fn fingerprint(model: &Model) -> Vec<u8> {
    let mut out = Vec::new();
    visit(model, &mut |_, value| match value {
        Value::Number(x) => {
            out.push(0);
            out.extend(x.to_le_bytes());
        }
        Value::Hash(hash) => {
            out.push(1);
            out.extend(hash.to_le_bytes());
        }
        Value::Word(word) => {
            out.push(2);
            out.extend((word.len() as u64).to_le_bytes());
            out.extend(word.as_bytes());
        }
    });
    out
}

/// The first value of a fingerprint that is not that of a model, in words; none where all are.
pub(crate) fn difference(model: &Model, fingerprint: &[u8]) -> Option<String> {
    let (mut rest, mut found) = (fingerprint, None);
    visit(model, &mut |path, value| {
        if found.is_some() {
            return;
        }
        let Some(saved) = next(&mut rest) else {
            found = Some(format!("{path}: must be in its fingerprint, found nothing"));
            return;
        };
        // Bits decide: a number that is none is the same as itself.
        let same = match (value, saved) {
            (Value::Number(x), Value::Number(y)) => x.to_bits() == y.to_bits(),
            (value, saved) => value == saved,
        };
        if !same {
            found = Some(match (value, saved) {
                (Value::Number(x), Value::Number(y)) => format!("{path}: must be {x} as in the world, found {y}"),
                (Value::Word(x), Value::Word(y)) => format!("{path}: must be {x} as in the world, found {y}"),
                _ => format!("{path}: must be as in the world, found another"),
            });
        }
    });
    found.or_else(|| (!rest.is_empty()).then(|| "must be of the same model, found one with more in it".to_owned()))
}

/// The next value of a fingerprint.
fn next<'a>(rest: &mut &'a [u8]) -> Option<Value<'a>> {
    let (kind, after) = rest.split_first()?;
    let (word, after) = after.split_first_chunk::<8>()?;
    let bits = u64::from_le_bytes(*word);
    let (value, after) = match kind {
        0 => (Value::Number(f64::from_bits(bits)), after),
        1 => (Value::Hash(bits), after),
        _ => {
            let (letters, after) = after.split_at_checked(usize::try_from(bits).ok()?)?;
            (Value::Word(std::str::from_utf8(letters).ok()?), after)
        }
    };
    *rest = after;
    Some(value)
}

/// Every value of a model. The names of bodies and joints and the time step stand in a saved state before.
fn visit(model: &Model, see: &mut See<'_>) {
    // Named one by one, so that nothing is added to the settings without a word here.
    let Settings {
        planar,
        gravity,
        dt: _,
        law,
        method,
        directions,
        tolerance,
        ease,
        stepper,
        restitution_rule,
        relaxation,
        // A budget may change from run to run.
        max_work: _,
        corners,
    } = &model.settings;
    see(
        format_args!("planar"),
        Value::Word(if *planar { "true" } else { "false" }),
    );
    vector(see, format_args!("gravity"), gravity);
    see(format_args!("law"), Value::Word(law.name()));
    see(format_args!("method"), Value::Word(method.map_or("none", |m| m.name())));
    see(format_args!("directions"), Value::Number(*directions as f64));
    see(format_args!("tolerance"), Value::Number(*tolerance));
    see(format_args!("ease"), Value::Number(*ease));
    see(format_args!("stepper"), Value::Word(stepper.name()));
    see(format_args!("restitution_rule"), Value::Word(restitution_rule.name()));
    see(format_args!("relaxation"), Value::Number(relaxation.unwrap_or(0.0)));
    see(format_args!("corners"), Value::Word(corners.name()));
    for (i, body) in model.bodies.iter().enumerate() {
        visit_body(see, i, body);
    }
    for (i, joint) in model.joints.iter().enumerate() {
        visit_joint(see, i, joint);
    }
    // Models without them have the fingerprints that they had before there were any.
    for (name, hash) in [
        (
            "rotors",
            model.rotors.iter().any(|a| *a > 0.0).then(|| of_text(&model.rotors)),
        ),
        (
            "actuators",
            (!model.actuators.is_empty()).then(|| of_text(&model.actuators)),
        ),
    ] {
        if let Some(hash) = hash {
            see(format_args!("{name}"), Value::Hash(hash));
        }
    }
    for (name, hash) in [
        ("pairs", of_text(&model.pairs)),
        ("kept apart", of_text(&model.apart)),
        ("schedule", of_text(&model.schedule)),
        ("couplings", of_text(&model.couplings)),
        ("motions", of_text(&model.motions)),
    ] {
        see(format_args!("{name}"), Value::Hash(hash));
    }
}

fn visit_body(see: &mut See<'_>, i: usize, body: &Body) {
    let Body {
        name: _,
        kind,
        shape,
        material,
        groups,
        origin_body,
    } = body;
    let Material {
        friction,
        restitution,
        viscosity,
    } = material;
    let word = match kind {
        Kind::Fixed => "fixed",
        Kind::Kinematic => "kinematic",
        Kind::Dynamic { .. } => "dynamic",
    };
    see(format_args!("bodies[{i}].kind"), Value::Word(word));
    if let Kind::Dynamic { mass, inertia_body } = kind {
        see(format_args!("bodies[{i}].mass"), Value::Number(*mass));
        for (row, column) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)] {
            let path = format_args!("bodies[{i}].inertia[{row}][{column}]");
            see(path, Value::Number(inertia_body[(row, column)]));
        }
    }
    see(format_args!("bodies[{i}].shape"), Value::Word(shape_word(shape)));
    let mut sum = Sum(0);
    sum.shape(shape);
    see(format_args!("bodies[{i}].shape"), Value::Hash(sum.0));
    see(format_args!("bodies[{i}].friction"), Value::Number(*friction));
    see(format_args!("bodies[{i}].restitution"), Value::Number(*restitution));
    see(format_args!("bodies[{i}].viscosity"), Value::Number(*viscosity));
    see(format_args!("bodies[{i}].groups"), Value::Number(f64::from(*groups)));
    vector(see, format_args!("bodies[{i}].origin"), origin_body);
}

fn visit_joint(see: &mut See<'_>, i: usize, joint: &Joint) {
    let Joint {
        name: _,
        a,
        b,
        kind,
        frame_a,
        frame_b,
        limits,
        // Part of the state.
        motor: _,
        friction,
    } = joint;
    let (word, length) = match kind {
        JointKind::Revolute => ("revolute", None),
        JointKind::Prismatic => ("prismatic", None),
        JointKind::Spherical => ("spherical", None),
        JointKind::Fixed => ("fixed", None),
        JointKind::Planar => ("planar", None),
        JointKind::Distance { length } => ("distance", Some(*length)),
        JointKind::Gear(_) => ("gear", None),
        JointKind::Rope(rope) => ("rope", Some(rope.length)),
        JointKind::Compound(_) => ("compound", None),
        JointKind::Along(_) => ("along", None),
        JointKind::Tendon(_) => ("tendon", None),
        JointKind::Free => ("free", None),
    };
    see(format_args!("joints[{i}].kind"), Value::Word(word));
    if let Some(length) = length {
        see(format_args!("joints[{i}].length"), Value::Number(length));
    }
    see(format_args!("joints[{i}].a"), Value::Number(*a as f64));
    see(format_args!("joints[{i}].b"), Value::Number(*b as f64));
    for (frame, pose) in [("frame_a", frame_a), ("frame_b", frame_b)] {
        let mut sum = Sum(0);
        sum.pose(pose);
        see(format_args!("joints[{i}].{frame}"), Value::Hash(sum.0));
    }
    match kind {
        JointKind::Gear(gear) => {
            see(format_args!("joints[{i}].ratio"), Value::Number(gear.ratio));
            see(format_args!("joints[{i}].gear"), Value::Hash(of_text(gear)));
        }
        JointKind::Rope(rope) => see(format_args!("joints[{i}].over"), Value::Hash(of_text(&rope.over))),
        JointKind::Compound(compound) => see(format_args!("joints[{i}].axes"), Value::Hash(of_text(compound))),
        JointKind::Along(along) => see(format_args!("joints[{i}].axes"), Value::Hash(of_text(along))),
        JointKind::Tendon(tendon) => see(format_args!("joints[{i}].terms"), Value::Hash(of_text(tendon))),
        _ => {}
    }
    let has_limits = if limits.is_some() { "some" } else { "none" };
    see(format_args!("joints[{i}].limits"), Value::Word(has_limits));
    for limit in limits.iter().flatten() {
        see(format_args!("joints[{i}].limits"), Value::Number(*limit));
    }
    see(format_args!("joints[{i}].friction"), Value::Number(*friction));
}

fn vector(see: &mut See<'_>, path: fmt::Arguments<'_>, v: &Vec3) {
    for (k, x) in v.iter().enumerate() {
        see(format_args!("{path}[{k}]"), Value::Number(*x));
    }
}

fn shape_word(shape: &Shape) -> &'static str {
    match shape {
        Shape::HalfSpace { .. } => "half_space",
        Shape::Ball { .. } => "ball",
        Shape::Capsule { .. } => "capsule",
        Shape::Cylinder { .. } => "cylinder",
        Shape::Ellipsoid { .. } => "ellipsoid",
        Shape::Polytope(_) => "polytope",
        Shape::Mesh(_) => "mesh",
        Shape::Compound(_) => "compound",
        Shape::Planar(_) => "planar",
    }
}

/// A hash of numbers in their order.
struct Sum(u64);

impl Sum {
    fn add(&mut self, numbers: &[f64]) {
        for x in numbers {
            self.0 = mix(self.0 ^ x.to_bits());
        }
    }

    fn pose(&mut self, pose: &Pose) {
        self.add(pose.position.as_slice());
        self.add(pose.rotation.coords.as_slice());
    }

    fn polytope(&mut self, polytope: &Polytope) {
        self.add(&[polytope.vertices.len() as f64]);
        polytope.vertices.iter().for_each(|v| self.add(v.as_slice()));
    }

    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::HalfSpace { normal } => self.add(normal.as_slice()),
            Shape::Ball { radius } => self.add(&[*radius]),
            Shape::Capsule { half_length, radius } => self.add(&[*half_length, *radius]),
            Shape::Cylinder { half_height, radius } => self.add(&[*half_height, *radius]),
            Shape::Ellipsoid { semi_axes } => self.add(semi_axes.as_slice()),
            Shape::Polytope(polytope) => self.polytope(polytope),
            Shape::Mesh(mesh) => mesh.prisms().for_each(|prism| self.polytope(prism)),
            Shape::Compound(parts) => {
                for (pose, part) in parts {
                    self.pose(pose);
                    self.word(shape_word(part));
                    self.shape(part);
                }
            }
            Shape::Planar(shape) => self.planar(shape),
        }
    }

    fn planar(&mut self, shape: &PlanarShape) {
        match shape {
            PlanarShape::HalfPlane { normal } => {
                self.word("half_plane");
                self.add(normal.as_slice());
            }
            PlanarShape::Disc { radius } => {
                self.word("disc");
                self.add(&[*radius]);
            }
            PlanarShape::Capsule { half_length, radius } => {
                self.word("capsule");
                self.add(&[*half_length, *radius]);
            }
            PlanarShape::Polygon(polygon) => {
                self.word("polygon");
                polygon.vertices.iter().for_each(|v| self.add(v.as_slice()));
            }
            PlanarShape::Compound(parts) => {
                self.word("compound");
                for (pose, part) in parts {
                    self.pose(&pose.in_space());
                    self.planar(part);
                }
            }
        }
    }

    fn word(&mut self, word: &str) {
        for byte in word.bytes() {
            self.0 = mix(self.0 ^ u64::from(byte));
        }
    }
}

impl fmt::Write for Sum {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.word(text);
        Ok(())
    }
}

/// A hash of something as it is printed, with all digits of its numbers.
fn of_text(value: &impl fmt::Debug) -> u64 {
    let mut sum = Sum(0);
    // Summing cannot fail.
    let _ = fmt::write(&mut sum, format_args!("{value:?}"));
    sum.0
}
