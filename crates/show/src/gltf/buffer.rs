//! The one buffer of a glTF file: numbers, and where they lie.

use serde_json::{Value, json};

use super::{single, unit};

const FLOAT: u32 = 5126;
const UNSIGNED: u32 = 5125;
/// What a view is for: corners, triangles; animations have no number.
const CORNERS: u32 = 34962;
const TRIANGLES: u32 = 34963;

/// Bytes with their views and accessors.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    pub(super) bytes: Vec<u8>,
    pub(super) views: Vec<Value>,
    pub(super) accessors: Vec<Value>,
}

impl Buffer {
    /// Adds words as an accessor of their own; returns its number.
    fn add(&mut self, words: impl Iterator<Item = [u8; 4]>, mut accessor: Value, target: Option<u32>) -> usize {
        let offset = self.bytes.len();
        self.bytes.extend(words.flatten());
        let mut view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": self.bytes.len() - offset });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        accessor["bufferView"] = json!(self.views.len());
        self.views.push(view);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Corners, with the least and largest of each coordinate as the format asks.
    pub(super) fn points(&mut self, points: &[[f64; 3]]) -> usize {
        let singles: Vec<[f32; 3]> = points.iter().map(|p| p.map(single)).collect();
        let bound = |start: f32, pick: fn(f32, f32) -> f32| -> [f32; 3] {
            std::array::from_fn(|k| singles.iter().fold(start, |m, p| pick(m, p[k])))
        };
        let accessor = json!({
            "componentType": FLOAT, "count": points.len(), "type": "VEC3",
            "min": bound(f32::INFINITY, f32::min), "max": bound(f32::NEG_INFINITY, f32::max),
        });
        self.add(
            singles.into_iter().flatten().map(f32::to_le_bytes),
            accessor,
            Some(CORNERS),
        )
    }

    /// Normals of corners.
    pub(super) fn directions(&mut self, directions: &[[f64; 3]]) -> usize {
        let accessor = json!({ "componentType": FLOAT, "count": directions.len(), "type": "VEC3" });
        let words = directions.iter().flatten().map(|x| single(*x).to_le_bytes());
        self.add(words, accessor, Some(CORNERS))
    }

    /// Corners of triangles.
    pub(super) fn indices(&mut self, indices: &[u32]) -> usize {
        let accessor = json!({ "componentType": UNSIGNED, "count": indices.len(), "type": "SCALAR" });
        self.add(indices.iter().map(|i| i.to_le_bytes()), accessor, Some(TRIANGLES))
    }

    /// Times of frames, rising.
    pub(super) fn times(&mut self, times: impl Iterator<Item = f64>) -> usize {
        let times: Vec<f32> = times.map(single).collect();
        let accessor = json!({
            "componentType": FLOAT, "count": times.len(), "type": "SCALAR",
            "min": [times.first()], "max": [times.last()],
        });
        self.add(times.iter().map(|t| t.to_le_bytes()), accessor, None)
    }

    /// Places or sizes, one a frame.
    pub(super) fn motion(&mut self, values: &[[f64; 3]]) -> usize {
        let accessor = json!({ "componentType": FLOAT, "count": values.len(), "type": "VEC3" });
        let words = values.iter().flatten().map(|x| single(*x).to_le_bytes());
        self.add(words, accessor, None)
    }

    /// Rotations, one a frame.
    pub(super) fn rotations(&mut self, values: &[[f64; 4]]) -> usize {
        let accessor = json!({ "componentType": FLOAT, "count": values.len(), "type": "VEC4" });
        let words = values.iter().flat_map(|q| unit(*q)).map(f32::to_le_bytes);
        self.add(words, accessor, None)
    }
}

/// The binary form: a head of twelve bytes, the JSON, the buffer; lengths are multiples of four.
pub(super) fn glb(json: &str, bytes: &[u8]) -> Vec<u8> {
    let word = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes();
    let padded = |n: usize| n.next_multiple_of(4);
    let mut body = Vec::new();
    body.extend(word(padded(json.len())));
    body.extend(*b"JSON");
    body.extend(json.as_bytes());
    body.resize(8 + padded(json.len()), b' ');
    if !bytes.is_empty() {
        body.extend(word(padded(bytes.len())));
        body.extend(*b"BIN\0");
        body.extend(bytes);
        body.resize(body.len().next_multiple_of(4), 0);
    }
    let mut file = Vec::with_capacity(12 + body.len());
    file.extend(*b"glTF");
    file.extend(word(2));
    file.extend(word(12 + body.len()));
    file.extend(body);
    file
}
