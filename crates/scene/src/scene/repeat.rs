//! `[[stack]]`, `[[grid]]` and `[[arch]]`: many bodies of one shape.

use std::f64::consts::PI;
use std::sync::Arc;

use super::MAX_BODIES;
use super::bodies::{Makers, Surface, Weight, groups_key, place};
use super::error::Report;
use super::reader::{Fields, Node};
use crate::body::Kind;
use crate::planar::{PlanarShape, Polygon, Vec2};
use crate::shape::{Polytope, Shape};
use crate::state::BodyState;
use crate::{Pose, Quat, Vec3, mix};

/// Keys that all three share.
const SHARED: [&str; 5] = ["name", "base", "density", "mass", "material"];

/// Largest seed of a grid that is tumbled.
const MAX_SEED: usize = 1_000_000;

/// What the bodies of a repetition share.
#[derive(Debug)]
struct Pattern {
    name: String,
    /// Where its own frame lies in the world.
    base: Pose,
    surface: Surface,
    kind: Kind,
    shape: Shape,
    centre: Vec3,
    at: usize,
    path: String,
}

impl Makers<'_> {
    /// Reads every `[[stack]]`, `[[grid]]` and `[[arch]]`.
    pub(super) fn read_repetitions(&mut self, root: &Fields<'_>, report: &mut Report<'_>) {
        for (k, fields) in root.tables("stack", report).iter().enumerate() {
            let name = fields.text_or("name", &default_name("stack", k));
            if self.stack(fields, &name, report).is_none() {
                self.names.broken(name + "[");
            }
        }
        for (k, fields) in root.tables("grid", report).iter().enumerate() {
            let name = fields.text_or("name", &default_name("grid", k));
            if self.grid(fields, &name, report).is_none() {
                self.names.broken(name + "[");
            }
        }
        for (k, fields) in root.tables("arch", report).iter().enumerate() {
            let name = fields.text_or("name", &default_name("arch", k));
            if self.arch(fields, &name, report).is_none() {
                self.names.broken(name + "[");
            }
        }
    }

    /// Boxes one on the other; the base is the middle of the lowest face.
    fn stack(&mut self, fields: &Fields<'_>, name: &str, report: &mut Report<'_>) -> Option<()> {
        only(fields, &["box", "count"], report);
        let count = fields.need("count", report).and_then(|node| count_of(&node, report));
        let (pattern, sides) = self.boxes(fields, name, report)?;
        let up = up(fields);
        for i in 0..count? {
            let mut position = Vec3::zeros();
            position[up] = (i as f64 + 0.5) * sides[up];
            self.one(&pattern, &format!("[{i}]"), position, Quat::identity(), report)?;
        }
        Some(())
    }

    /// A wall of boxes: columns along x, layers along y, rows along z (in the plane rows along y); the base is the middle of the lowest row's lower side.
    fn grid(&mut self, fields: &Fields<'_>, name: &str, report: &mut Report<'_>) -> Option<()> {
        let mut own = vec!["box", "rows", "columns", "gap", "offset", "tumbled"];
        if !fields.planar {
            own.push("layers");
        }
        only(fields, &own, report);
        let rows = fields.need("rows", report).and_then(|node| count_of(&node, report));
        let columns = fields.need("columns", report).and_then(|node| count_of(&node, report));
        let layers = match fields.get("layers") {
            Some(node) if !fields.planar => count_of(&node, report),
            _ => Some(1),
        };
        let gap = match fields.get("gap") {
            Some(node) if node.is_list() => node.vector(report),
            Some(node) if fields.planar => node.number(report).map(|x| Vec3::new(x, 0.0, 0.0)),
            Some(node) => node.number(report).map(|x| Vec3::new(x, x, 0.0)),
            None => Some(Vec3::zeros()),
        };
        let offset = fields.number_or("offset", 0.0, "must be finite", |_| true, report);
        let tumbled = match fields.get("tumbled") {
            Some(node) => node.count(0, MAX_SEED, report).map(Some),
            None => Some(None),
        };
        let (pattern, sides) = self.boxes(fields, name, report)?;
        let (rows, columns, layers, tumbled) = (rows?, columns?, layers?, tumbled?);
        let total = rows.saturating_mul(columns).saturating_mul(layers);
        if total > MAX_BODIES {
            let problem = format!("must have at most {MAX_BODIES} bodies, found {total}");
            report.add(fields.at, &fields.path, problem);
            return None;
        }
        let (pitch, offset, up) = (sides + gap?, offset?, up(fields));
        let centred = |i: usize, n: usize| i as f64 - 0.5 * (n as f64 - 1.0);
        for r in 0..rows {
            let shift = if r % 2 == 1 { 0.5 * offset } else { -0.5 * offset };
            for c in 0..columns {
                for l in 0..layers {
                    let mut position =
                        Vec3::new(centred(c, columns) * pitch.x + shift, centred(l, layers) * pitch.y, 0.0);
                    position[up] = 0.5 * sides[up] + r as f64 * pitch[up];
                    let index = if layers == 1 {
                        format!("[{r},{c}]")
                    } else {
                        format!("[{r},{c},{l}]")
                    };
                    let number = (r * columns + c) * layers + l;
                    let rotation =
                        tumbled.map_or(Quat::identity(), |seed| random_rotation(seed, number, fields.planar));
                    self.one(&pattern, &index, position, rotation, report)?;
                }
            }
        }
        Some(())
    }

    /// Half a ring of equal wedges in the plane of x and z, or of a planar world; the base is the middle of the line through its feet.
    fn arch(&mut self, fields: &Fields<'_>, name: &str, report: &mut Report<'_>) -> Option<()> {
        let mut own = vec!["voussoirs", "radius", "thickness"];
        if !fields.planar {
            own.push("depth");
        }
        only(fields, &own, report);
        let count = fields
            .need("voussoirs", report)
            .and_then(|node| node.count(2, 1_000, report));
        let radius = fields.length("radius", report);
        let thickness = fields.length("thickness", report);
        let depth = if fields.planar {
            Some(0.0)
        } else {
            fields.length("depth", report)
        };
        let (count, radius, thickness, depth) = (count?, radius?, thickness?, depth?);
        if thickness >= 2.0 * radius {
            fields.fail(
                "thickness",
                format!("must be below twice the radius, found {thickness}"),
                report,
            );
            return None;
        }
        let angle = PI / count as f64;
        let made = if fields.planar {
            flat_wedge(radius, thickness, angle)
        } else {
            wedge(radius, thickness, depth, angle)
        };
        let shape = match made {
            Ok(shape) => shape,
            Err(problem) => {
                report.add(fields.at, &fields.path, problem);
                return None;
            }
        };
        let pattern = self.pattern(fields, name, shape, report)?;
        for i in 0..count {
            // Body x points out along the radius at this angle from +x.
            let half = 0.5 * (i as f64 + 0.5) * angle;
            let (sin, cos) = (libm::sin(half), libm::cos(half));
            let turned = if fields.planar {
                nalgebra::Quaternion::new(cos, 0.0, 0.0, sin)
            } else {
                nalgebra::Quaternion::new(cos, 0.0, -sin, 0.0)
            };
            let rotation = Quat::new_normalize(turned);
            self.one(&pattern, &format!("[{i}]"), Vec3::zeros(), rotation, report)?;
        }
        Some(())
    }

    fn boxes(&mut self, fields: &Fields<'_>, name: &str, report: &mut Report<'_>) -> Option<(Pattern, Vec3)> {
        let sides = fields.need("box", report).and_then(|node| node.sides(report));
        let box_of = |sides: Vec3| {
            if fields.planar {
                Shape::Planar(PlanarShape::rectangle(0.5 * sides.xy()))
            } else {
                Shape::cuboid(0.5 * sides)
            }
        };
        let Some(sides) = sides else {
            self.surface(fields, report);
            Weight::read(fields, self.defaults.density, report);
            return None;
        };
        Some((self.pattern(fields, name, box_of(sides), report)?, sides))
    }

    fn pattern(&mut self, fields: &Fields<'_>, name: &str, shape: Shape, report: &mut Report<'_>) -> Option<Pattern> {
        let name = match fields.get("name") {
            Some(node) => node.string(report).map(str::to_owned),
            None => Some(name.to_owned()),
        };
        let position = fields.vector_or("base", Vec3::zeros(), report);
        let rotation = fields.rotation(report);
        let surface = self.surface(fields, report);
        let weight = Weight::read(fields, self.defaults.density, report)?;
        let (kind, shape, centre) = weight.of(fields, shape, report)?;
        let (name, surface) = (name?, surface?);
        self.begin(fields, &name, surface, false);
        Some(Pattern {
            name,
            base: Pose {
                position: position?,
                rotation: rotation?,
            },
            surface,
            kind,
            shape,
            centre,
            at: fields.at,
            path: fields.path.clone(),
        })
    }

    fn one(
        &mut self,
        pattern: &Pattern,
        index: &str,
        position: Vec3,
        rotation: Quat,
        report: &mut Report<'_>,
    ) -> Option<()> {
        let state = BodyState {
            pose: pattern.base.then(&Pose { position, rotation }),
            ..BodyState::default()
        };
        let made = place(
            format!("{}{index}", pattern.name),
            pattern.kind.clone(),
            pattern.shape.clone(),
            pattern.centre,
            pattern.surface,
            state,
        );
        self.push(made, pattern.at, &pattern.path, report)
    }
}

/// The axis along which rows lie one on the other.
fn up(fields: &Fields<'_>) -> usize {
    if fields.planar { 1 } else { 2 }
}

/// Rotation of a body of a tumbled grid, all equally likely: a point of the unit ball in four dimensions, brought to its surface. The same
/// for the same numbers.
fn random_rotation(seed: usize, number: usize, planar: bool) -> Quat {
    let mut bits = mix(mix(seed as u64) ^ number as u64);
    loop {
        let mut q = [0; 4].map(|_| {
            bits = mix(bits);
            (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        });
        if planar {
            (q[1], q[2]) = (0.0, 0.0);
        }
        let square = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
        // Three draws of ten fall within; a sequence of 2⁶⁴ different numbers has such a draw.
        if (1e-6..=1.0).contains(&square) {
            return Quat::new_normalize(nalgebra::Quaternion::new(q[0], q[1], q[2], q[3]));
        }
    }
}

/// A count of bodies for which there is room.
fn count_of(node: &Node<'_>, report: &mut Report<'_>) -> Option<usize> {
    node.count(1, MAX_BODIES, report)
}

fn only(fields: &Fields<'_>, own: &[&str], report: &mut Report<'_>) {
    let mut known: Vec<&str> = own.iter().chain(&SHARED).copied().collect();
    known.extend([fields.rotation_key(), groups_key(fields)]);
    fields.only(&known, report);
}

/// `stack`, then `stack2`.
fn default_name(key: &str, k: usize) -> String {
    if k == 0 {
        key.to_owned()
    } else {
        format!("{key}{}", k + 1)
    }
}

/// A wedge of a ring with plane faces: its corners lie on both radii, its origin in the middle of the ring, its x axis through its middle.
fn wedge(radius: f64, thickness: f64, depth: f64, angle: f64) -> Result<Shape, String> {
    let (c, s) = (libm::cos(0.5 * angle), libm::sin(0.5 * angle));
    let mut corners = Vec::with_capacity(8);
    for r in [radius - 0.5 * thickness, radius + 0.5 * thickness] {
        for y in [-0.5 * depth, 0.5 * depth] {
            corners.extend([-1.0, 1.0].map(|side| Vec3::new(r * c, y, side * r * s)));
        }
    }
    match Polytope::hull(&corners) {
        Ok(polytope) => Ok(Shape::Polytope(Arc::new(polytope))),
        Err(error) => Err(error.to_string()),
    }
}

/// The same in the plane.
fn flat_wedge(radius: f64, thickness: f64, angle: f64) -> Result<Shape, String> {
    let (c, s) = (libm::cos(0.5 * angle), libm::sin(0.5 * angle));
    let ends = [radius - 0.5 * thickness, radius + 0.5 * thickness];
    let corners: Vec<Vec2> = ends
        .iter()
        .flat_map(|r| [-1.0, 1.0].map(|side| Vec2::new(r * c, side * r * s)))
        .collect();
    match Polygon::hull(&corners) {
        Ok(polygon) => Ok(Shape::Planar(PlanarShape::Polygon(Arc::new(polygon)))),
        Err(error) => Err(error.to_string()),
    }
}
