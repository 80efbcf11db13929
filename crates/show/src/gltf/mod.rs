//! A recording as a glTF 2.0 animation (<https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html>): one node a body, one animation.
//!
//! glTF has y upwards: a root node turns our z there; planar worlds have y upwards already. Numbers are 32 bits in one buffer, inside the file.

mod animation;
mod buffer;
mod solid;

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use stiction_record::{ShapeRecord, Unfinished};

use animation::{Animation, Track};
use buffer::Buffer;
use solid::{Finite, add};
use stiction_formats::BadInput;
use stiction_formats::vector::dot;

/// Turns z into y: −90° about x.
const UPRIGHT: [f64; 4] = [
    -std::f64::consts::FRAC_1_SQRT_2,
    0.0,
    0.0,
    std::f64::consts::FRAC_1_SQRT_2,
];

/// Colours, linear: ground, bodies that are moved by hand, and six for the others in turn.
const COLOURS: [(&str, [f64; 3]); 8] = [
    ("fixed", [0.42, 0.44, 0.47]),
    ("kinematic", [0.13, 0.22, 0.38]),
    ("blue", [0.0, 0.17, 0.45]),
    ("orange", [0.66, 0.11, 0.0]),
    ("green", [0.0, 0.34, 0.17]),
    ("pink", [0.6, 0.19, 0.39]),
    ("sky", [0.09, 0.46, 0.81]),
    ("yellow", [0.87, 0.77, 0.05]),
];

/// Half the side of the square that stands for a half-space, in radii of the scene.
const GROUND_RADII: f64 = 3.0;
/// Half the thickness of planar shapes, in radii of the scene.
const THICKNESS_RADII: f64 = 0.02;

/// The file as bytes, binary (`.glb`) or text (`.gltf`), and where the recording ends if it has no end mark.
///
/// # Errors
/// A recording that cannot be read, or without a body or a frame.
pub fn file(recording: &Path, fps: f64, binary: bool) -> Result<(Vec<u8>, Option<Unfinished>), BadInput> {
    let animation = animation::read(recording, fps)?;
    let mut document = Document::of(&animation);
    document.animate(&animation);
    let name = recording.file_stem().unwrap_or_default().to_string_lossy();
    let (json, bytes) = document.finish(&name, animation.planar, !binary);
    let file = if binary {
        buffer::glb(&json, &bytes)
    } else {
        json.into_bytes()
    };
    Ok((file, animation.unfinished))
}

#[derive(Default)]
struct Document {
    buffer: Buffer,
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    /// Colours that are used; a material's number is its place here.
    colours: Vec<usize>,
    /// Mesh of a shape in a colour.
    known: BTreeMap<(String, usize), usize>,
    /// Node of each track.
    bodies: Vec<usize>,
    animation: Option<Value>,
}

/// Middle and radius of where the bodies begin, half-spaces skipped \[m\].
fn span(animation: &Animation) -> ([f64; 3], f64) {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for track in &animation.tracks {
        let first = track.present.iter().position(|there| *there);
        let (Some(first), Some(reach)) = (first, reach(&track.body.shape)) else {
            continue;
        };
        for k in 0..3 {
            low[k] = low[k].min(track.positions[first][k] - reach);
            high[k] = high[k].max(track.positions[first][k] + reach);
        }
    }
    if low[0] > high[0] {
        return ([0.0; 3], 1.0);
    }
    let size = add(high, low, -1.0);
    (
        std::array::from_fn(|k| f64::midpoint(low[k], high[k])),
        0.5 * dot(size, size).sqrt(),
    )
}

/// How far a shape reaches from its origin \[m\]; none where it has no end.
fn reach(shape: &ShapeRecord) -> Option<f64> {
    let length = |p: &[f64; 3]| dot(*p, *p).sqrt();
    let most = |points: &mut dyn Iterator<Item = [f64; 3]>| points.fold(0.0_f64, |m, p| m.max(length(&p)));
    Some(match shape {
        ShapeRecord::Ball { radius } | ShapeRecord::Disc { radius } => *radius,
        ShapeRecord::Capsule { half_length, radius } | ShapeRecord::PlanarCapsule { half_length, radius } => {
            half_length + radius
        }
        ShapeRecord::Cylinder { half_height, radius } => libm::hypot(*half_height, *radius),
        ShapeRecord::Ellipsoid { semi_axes } => semi_axes.iter().copied().fold(0.0, f64::max),
        ShapeRecord::Box { half } => length(half),
        ShapeRecord::Polytope { vertices, .. } => most(&mut vertices.iter().copied()),
        ShapeRecord::Mesh { triangles } => most(&mut triangles.iter().flatten().copied()),
        ShapeRecord::Polygon { vertices } => most(&mut vertices.iter().map(|[x, y]| [*x, *y, 0.0])),
        ShapeRecord::Compound { parts } => {
            let part = |p: &stiction_record::PartRecord| reach(&p.shape).map(|r| r + length(&p.position));
            parts.iter().filter_map(part).fold(0.0, f64::max)
        }
        _ => return None,
    })
}

/// A vector turned back by a rotation x, y, z, w.
fn turned_back([x, y, z, w]: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    // v + 2 q × (q × v + w v) with the vector part negated.
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    };
    let q = [-x, -y, -z];
    add(v, cross(q, add(cross(q, v), v, w)), 2.0)
}

impl Document {
    fn of(animation: &Animation) -> Self {
        let mut document = Self::default();
        let (middle, radius) = span(animation);
        // Node 0 is the root, whose children are known at the end.
        document.nodes.push(Value::Null);
        let mut moving = 0;
        for track in &animation.tracks {
            let colour = match track.body.kind.as_str() {
                "fixed" => 0,
                "kinematic" => 1,
                _ => {
                    moving += 1;
                    2 + (moving - 1) % (COLOURS.len() - 2)
                }
            };
            let first = track.present.iter().position(|there| *there).unwrap_or(0);
            let (position, rotation) = (track.positions[first], track.rotations[first]);
            let finite = Finite {
                half_side: GROUND_RADII * radius,
                middle: turned_back(rotation, add(middle, position, -1.0)),
                half_thickness: THICKNESS_RADII * radius,
            };
            let node = document.node(&track.body.name, position, rotation, &track.body.shape, colour, &finite);
            document.bodies.push(node);
        }
        document
    }

    /// A node with the triangles of a shape, or with a node a part.
    fn node(
        &mut self,
        name: &str,
        position: [f64; 3],
        rotation: [f64; 4],
        shape: &ShapeRecord,
        colour: usize,
        finite: &Finite,
    ) -> usize {
        let mut node = json!({ "name": name, "translation": position.map(single), "rotation": unit(rotation) });
        if let ShapeRecord::Compound { parts } = shape {
            let children: Vec<usize> = parts
                .iter()
                .enumerate()
                .map(|(i, p)| {
                    let name = format!("{name} part {i}");
                    self.node(&name, p.position, p.orientation, &p.shape, colour, finite)
                })
                .collect();
            if !children.is_empty() {
                node["children"] = json!(children);
            }
        } else if let Some(mesh) = self.mesh(shape, colour, finite) {
            node["mesh"] = json!(mesh);
        }
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// The mesh of a shape in a colour; equal shapes share it.
    fn mesh(&mut self, shape: &ShapeRecord, colour: usize, finite: &Finite) -> Option<usize> {
        let endless = matches!(shape, ShapeRecord::HalfSpace { .. } | ShapeRecord::HalfPlane { .. });
        let key = serde_json::to_string(shape).unwrap_or_default();
        let key = if endless { format!("{key} {finite:?}") } else { key };
        if let Some(known) = self.known.get(&(key.clone(), colour)) {
            return Some(*known);
        }
        let solid = solid::solid(shape, finite);
        if solid.indices.is_empty() {
            return None;
        }
        let material = self.colours.iter().position(|c| *c == colour).unwrap_or_else(|| {
            self.colours.push(colour);
            self.colours.len() - 1
        });
        let position = self.buffer.points(&solid.positions);
        let normal = self.buffer.directions(&solid.normals);
        let indices = self.buffer.indices(&solid.indices);
        self.meshes.push(json!({ "primitives": [{
            "attributes": { "POSITION": position, "NORMAL": normal },
            "indices": indices,
            "material": material,
        }] }));
        self.known.insert((key, colour), self.meshes.len() - 1);
        Some(self.meshes.len() - 1)
    }

    /// One animation for all bodies that move, come or go.
    fn animate(&mut self, animation: &Animation) {
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        let still = |track: &Track| {
            let same =
                track.positions.windows(2).all(|w| w[0] == w[1]) && track.rotations.windows(2).all(|w| w[0] == w[1]);
            same && track.present.iter().all(|there| *there)
        };
        let mut input = None;
        let start = animation.times[0];
        for (track, node) in animation.tracks.iter().zip(&self.bodies) {
            if still(track) || animation.times.len() < 2 {
                continue;
            }
            let times = animation.times.iter().map(|t| t - start);
            let input = *input.get_or_insert_with(|| self.buffer.times(times));
            let mut channel = |output: usize, path: &str, interpolation: &str| {
                channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
                samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation }));
            };
            channel(self.buffer.motion(&track.positions), "translation", "LINEAR");
            channel(self.buffer.rotations(&track.rotations), "rotation", "LINEAR");
            if track.present.iter().any(|there| !there) {
                let scales: Vec<[f64; 3]> = track
                    .present
                    .iter()
                    .map(|there| [f64::from(u8::from(*there)); 3])
                    .collect();
                channel(self.buffer.motion(&scales), "scale", "STEP");
            }
        }
        if !channels.is_empty() {
            self.animation = Some(json!({ "name": "motion", "samplers": samplers, "channels": channels }));
        }
    }

    /// The JSON, with the buffer in it or beside it, and the buffer.
    fn finish(mut self, name: &str, planar: bool, embed: bool) -> (String, Vec<u8>) {
        let mut root = json!({ "name": name, "children": self.bodies });
        if !planar {
            root["rotation"] = json!(unit(UPRIGHT));
        }
        self.nodes[0] = root;
        let materials: Vec<Value> = self
            .colours
            .iter()
            .map(|colour| {
                let (name, [r, g, b]) = &COLOURS[*colour];
                json!({
                    "name": name,
                    "doubleSided": *name == "fixed",
                    "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8 },
                })
            })
            .collect();
        let mut document = json!({
            "asset": { "version": "2.0", "generator": concat!("stiction ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "name": name, "nodes": [0] }],
            "nodes": self.nodes,
        });
        if !self.meshes.is_empty() {
            document["materials"] = json!(materials);
            document["meshes"] = json!(self.meshes);
        }
        if let Some(animation) = self.animation {
            document["animations"] = json!([animation]);
        }
        let bytes = self.buffer.bytes;
        if !bytes.is_empty() {
            let mut buffer = json!({ "byteLength": bytes.len() });
            if embed {
                buffer["uri"] = json!(format!(
                    "data:application/octet-stream;base64,{}",
                    STANDARD.encode(&bytes)
                ));
            }
            document["buffers"] = json!([buffer]);
            document["bufferViews"] = json!(self.buffer.views);
            document["accessors"] = json!(self.buffer.accessors);
        }
        (document.to_string(), bytes)
    }
}

/// A double as the 32 bits that the buffer has; none of them infinite.
#[allow(clippy::cast_possible_truncation)]
fn single(x: f64) -> f32 {
    x.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32
}

/// A rotation of unit length, in 32 bits.
fn unit(q: [f64; 4]) -> [f32; 4] {
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 {
        q.map(|x| single(x / length))
    } else {
        [0.0, 0.0, 0.0, 1.0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_is_turned_back() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let back = turned_back([0.0, 0.0, half, half], [0.0, 1.0, 0.0]);
        assert!(
            add(back, [1.0, 0.0, 0.0], -1.0).iter().all(|x| x.abs() < 1e-15),
            "{back:?}"
        );
    }
}
