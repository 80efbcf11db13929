//! Mesh files, STL or OBJ, below the scene's folder.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use super::MAX_MESH_BYTES;
use super::error::shorten;
use crate::Vec3;

/// Head of a binary STL file and its count of triangles \[bytes\].
const STL_HEAD: usize = 84;
/// A triangle of a binary STL file \[bytes\]: normal and three corners as f32, two bytes of attributes.
const STL_TRIANGLE: usize = 50;

/// Corners and triangles of a mesh file, in the file's units.
#[derive(Debug, Default)]
pub(super) struct MeshFile {
    pub(super) corners: Vec<Vec3>,
    pub(super) triangles: Vec<[usize; 3]>,
}

impl MeshFile {
    /// Triangles given by their corners: corners with the same bits become one.
    fn welded(points: Vec<Vec3>) -> Self {
        let (mut known, mut file) = (BTreeMap::new(), Self::default());
        let mut numbers = Vec::with_capacity(points.len());
        for p in points {
            // One zero, whatever its sign.
            let key = [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits());
            numbers.push(*known.entry(key).or_insert_with(|| {
                file.corners.push(p);
                file.corners.len() - 1
            }));
        }
        file.triangles = numbers.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
        file
    }
}

/// Reads a mesh; the message of an error names what was found.
pub(super) fn read(folder: &Path, name: &str) -> Result<MeshFile, String> {
    let extension = Path::new(name).extension().map(|e| e.to_string_lossy().to_lowercase());
    let parse: fn(&[u8]) -> Result<MeshFile, String> = match extension.as_deref() {
        _ if below(name).is_none() => return Err(not_below(name)),
        Some("stl") => stl,
        Some("obj") => obj,
        _ => return Err(format!("must end in .stl or .obj, found {}", shorten(name))),
    };
    let bytes = read_below(folder, name, MAX_MESH_BYTES)?;
    parse(&bytes).map_err(|problem| format!("{problem} in {}", shorten(name)))
}

/// A path of names alone, `..` taken back with the name before it; none where it is absolute or leads out.
fn below(name: &str) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for part in Path::new(name).components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::CurDir => {}
            Component::ParentDir if path.pop() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (path.components().count() > 0).then_some(path)
}

/// Whether every link on the way to a file ends below the folder. One that leads out and one that leads nowhere are the same, so that
/// a message does not tell what is outside.
fn links_stay(folder: &Path, name: &Path) -> bool {
    let mut path = folder.to_owned();
    for part in name.components() {
        path.push(part);
        let is_link = fs::symlink_metadata(&path).is_ok_and(|data| data.is_symlink());
        if !is_link {
            continue;
        }
        match fs::canonicalize(&path) {
            Ok(real) if real.starts_with(folder) => path = real,
            _ => return false,
        }
    }
    true
}

fn not_below(name: &str) -> String {
    format!("must be a path below the scene's folder, found {}", shorten(name))
}

/// The bytes of a file below the scene's folder, no more than `most` of them.
pub(super) fn read_below(folder: &Path, name: &str, most: u64) -> Result<Vec<u8>, String> {
    let Some(path) = below(name) else {
        return Err(not_below(name));
    };
    let unreadable = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("must be a file, found nothing of the name {}", shorten(name)),
        _ => format!("{} cannot be read, {error}", shorten(name)),
    };
    let folder = fs::canonicalize(folder).map_err(unreadable)?;
    if !links_stay(&folder, &path) {
        let problem = "must be a path below the scene's folder, found a link that leads out or nowhere:";
        return Err(format!("{problem} {}", shorten(name)));
    }
    let real = fs::canonicalize(folder.join(path)).map_err(unreadable)?;
    if !real.is_file() {
        return Err(format!(
            "must be a file, found another thing of the name {}",
            shorten(name)
        ));
    }
    let mut bytes = Vec::new();
    fs::File::open(real)
        .and_then(|file| file.take(most + 1).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    if bytes.len() as u64 > most {
        return Err(format!(
            "must be a file of at most {most} bytes, found more in {}",
            shorten(name)
        ));
    }
    Ok(bytes)
}

/// Text, or binary: then the declared count must fit the size to the byte.
fn stl(bytes: &[u8]) -> Result<MeshFile, String> {
    let declared = bytes
        .get(STL_HEAD - 4..STL_HEAD)
        .and_then(|b| b.try_into().ok())
        .map(|b| u64::from(u32::from_le_bytes(b)));
    let room = bytes.len().saturating_sub(STL_HEAD);
    let fits = declared.is_some_and(|n| n * STL_TRIANGLE as u64 == room as u64);
    if fits {
        let triangles = bytes[STL_HEAD..].chunks_exact(STL_TRIANGLE);
        let points = triangles.flat_map(|t| [1, 2, 3].map(|corner| f32_vector(&t[12 * corner..12 * (corner + 1)])));
        return Ok(MeshFile::welded(points.collect()));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if text.trim_start().starts_with("solid") => Ok(MeshFile::welded(corners(text, "vertex")?)),
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

fn obj(bytes: &[u8]) -> Result<MeshFile, String> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| format!("must be UTF-8 text, found other bytes at {}", error.valid_up_to()))?;
    let corners = corners(text, "v")?;
    let mut triangles = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        if words.next() != Some("f") {
            continue;
        }
        // `corner/texture/normal`, counted from 1, or from the last corner backwards below 0.
        let ring: Option<Vec<usize>> = words
            .map(|word| {
                let number: i64 = word.split('/').next()?.parse().ok()?;
                let count = i64::try_from(corners.len()).ok()?;
                usize::try_from(if number < 0 { count + number } else { number - 1 }).ok()
            })
            .collect();
        let Some(ring) = ring.filter(|ring| ring.len() >= 3 && ring.iter().all(|c| *c < corners.len())) else {
            return Err(format!(
                "must have faces of three corners or more that are there, found {} on line {}",
                shorten(line),
                i + 1
            ));
        };
        // A fan: faces are convex.
        triangles.extend(ring.windows(2).skip(1).map(|side| [ring[0], side[0], side[1]]));
    }
    Ok(MeshFile { corners, triangles })
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
