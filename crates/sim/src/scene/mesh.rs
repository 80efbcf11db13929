//! Corners of a mesh file, STL or OBJ, below the scene's folder. Only the corners count: the shape is their convex hull.

use std::fs;
use std::io::Read as _;
use std::path::{Component, Path};

use super::MOST_MESH_BYTES;
use super::error::shorten;
use crate::Vec3;

/// Head of a binary STL file and its count of triangles [bytes].
const STL_HEAD: usize = 84;
/// A triangle of a binary STL file [bytes]: normal and three corners as f32, two bytes of attributes.
const STL_TRIANGLE: usize = 50;

/// Reads the corners of a mesh; the message of an error names what was found.
pub(super) fn read(folder: &Path, name: &str) -> Result<Vec<Vec3>, String> {
    let path = Path::new(name);
    if path.is_absolute() || !path.components().all(|c| matches!(c, Component::Normal(_))) {
        return Err(format!(
            "must be a path below the scene's folder, found {}",
            shorten(name)
        ));
    }
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let parse: fn(&[u8]) -> Result<Vec<Vec3>, String> = match extension.as_deref() {
        Some("stl") => stl,
        Some("obj") => obj,
        _ => return Err(format!("must end in .stl or .obj, found {}", shorten(name))),
    };
    let unreadable = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("must be a file, found nothing of the name {}", shorten(name)),
        _ => format!("{} cannot be read, {error}", shorten(name)),
    };
    let folder = fs::canonicalize(folder).map_err(unreadable)?;
    let real = fs::canonicalize(folder.join(path)).map_err(unreadable)?;
    if !real.starts_with(&folder) {
        let problem = "must be a path below the scene's folder, found a link that leads out:";
        return Err(format!("{problem} {}", shorten(name)));
    }
    let mut bytes = Vec::new();
    fs::File::open(real)
        .and_then(|file| file.take(MOST_MESH_BYTES + 1).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    if bytes.len() as u64 > MOST_MESH_BYTES {
        return Err(format!(
            "must be a file of at most {MOST_MESH_BYTES} bytes, found more in {}",
            shorten(name)
        ));
    }
    parse(&bytes).map_err(|problem| format!("{problem} in {}", shorten(name)))
}

/// Text, or binary: then the declared count must fit the size to the byte.
fn stl(bytes: &[u8]) -> Result<Vec<Vec3>, String> {
    let declared = bytes
        .get(STL_HEAD - 4..STL_HEAD)
        .and_then(|b| b.try_into().ok())
        .map(|b| u64::from(u32::from_le_bytes(b)));
    let room = bytes.len().saturating_sub(STL_HEAD);
    let fits = declared.is_some_and(|n| n * STL_TRIANGLE as u64 == room as u64);
    if fits {
        let triangles = bytes[STL_HEAD..].chunks_exact(STL_TRIANGLE);
        return Ok(triangles
            .flat_map(|t| [0, 1, 2].map(|corner| f32_vector(&t[12 * (corner + 1)..12 * (corner + 2)])))
            .collect());
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if text.trim_start().starts_with("solid") => corners(text, "vertex"),
        _ => Err(format!(
            "must have as many triangles as it declares, found {} declared and room for {}",
            declared.unwrap_or(0),
            room / STL_TRIANGLE
        )),
    }
}

fn f32_vector(bytes: &[u8]) -> Vec3 {
    let mut v = Vec3::zeros();
    for (x, b) in v.iter_mut().zip(bytes.chunks_exact(4)) {
        *x = f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    }
    v
}

fn obj(bytes: &[u8]) -> Result<Vec<Vec3>, String> {
    match std::str::from_utf8(bytes) {
        Ok(text) => corners(text, "v"),
        Err(error) => Err(format!(
            "must be UTF-8 text, found other bytes at {}",
            error.valid_up_to()
        )),
    }
}

/// Lines that begin with the word and hold three numbers; other lines say nothing about corners.
fn corners(text: &str, word: &str) -> Result<Vec<Vec3>, String> {
    let mut points = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        if words.next() != Some(word) {
            continue;
        }
        let mut v = Vec3::zeros();
        for x in v.iter_mut() {
            let found = words.next().unwrap_or("nothing");
            *x = match found.parse() {
                Ok(number) if f64::is_finite(number) => number,
                _ => {
                    return Err(format!(
                        "must have finite coordinates, found {} on line {}",
                        shorten(found),
                        i + 1
                    ));
                }
            };
        }
        points.push(v);
    }
    Ok(points)
}
