//! ContactBench problems: NumPy archives with `G` (Delassus matrix), `g` and `mus`; u = G λ + g. **The normal comes last** at each contact.
//!
//! An archive is a zip file of `.npy` arrays, stored or deflated. Little-endian doubles and floats are read, in C or Fortran order.

use std::io::Read as _;

use flate2::read::DeflateDecoder;
use stiction_contact::LocalProblem;

use super::{Given, RawFile, sparse};
use crate::bad_input::{BadInput, expect_length, one_line, shown};

/// Largest array that is unpacked [bytes]: the doubles of the largest G, and their header.
const MAX_ARRAY_BYTES: u64 = 1 << 27;

/// Whether the file is a zip archive.
pub(super) fn recognises(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
}

/// Reads the problem of a file.
pub(super) fn read(bytes: &[u8], name: &str) -> Result<RawFile, BadInput> {
    let mu = array(bytes, "mus")?.values;
    let (g, delassus) = (array(bytes, "g")?.values, array(bytes, "G")?);
    let rows = g.len();
    sparse::check_contacts("mus", mu.len())?;
    expect_length("g", 3 * mu.len(), rows)?;
    if delassus.shape != [rows, rows] {
        return Err(BadInput::new(
            "G",
            format!("must be {rows} by {rows}, found shape {:?}", delassus.shape),
        ));
    }
    // From tangent, tangent, normal to normal, tangent, tangent.
    let from = |r: usize| r / 3 * 3 + (r + 2) % 3;
    let mut matrix = vec![0.0; rows * rows];
    for r in 0..rows {
        for c in 0..rows {
            matrix[r * rows + c] = delassus.values[from(r) * rows + from(c)];
        }
    }
    let q = (0..rows).map(|r| g[from(r)]).collect();
    let local = LocalProblem::new(3, matrix, q, mu)?;
    RawFile::new(
        one_line(name),
        "ContactBench (NumPy archive, normal last)",
        Given::Local(local),
    )
}

/// An array in C order.
struct Array {
    shape: Vec<usize>,
    values: Vec<f64>,
}

/// The array of a name.
fn array(bytes: &[u8], name: &str) -> Result<Array, BadInput> {
    let file = format!("{name}.npy");
    let mut at = directory(bytes).ok_or_else(|| BadInput::whole("must be a sound zip archive, found no directory"))?;
    // Each entry moves on by at least its 46 bytes.
    while let Some(entry) = Entry::at(bytes, at) {
        if entry.name == file.as_bytes() {
            let npy = entry
                .unpack(bytes)
                .ok_or_else(|| BadInput::new(name, "must be stored or deflated, found a damaged entry"))?;
            // Fuzzing goes past the sum, which no chance would meet, to what lies behind it.
            let sum = crc32fast::hash(&npy);
            if sum != entry.sum && !cfg!(fuzzing) {
                let problem = format!(
                    "must have the checksum {:08x}, found {sum:08x}: it is damaged",
                    entry.sum
                );
                return Err(BadInput::new(name, problem));
            }
            return parse(&npy).map_err(|problem| BadInput::new(name, problem));
        }
        at = entry.next;
    }
    Err(BadInput::new(name, "missing array"))
}

fn le(bytes: &[u8], at: usize, count: usize) -> Option<usize> {
    let slice = bytes.get(at..at.checked_add(count)?)?;
    slice.iter().rev().try_fold(0usize, |sum, byte| {
        sum.checked_mul(256)?.checked_add(usize::from(*byte))
    })
}

/// Where the list of entries starts: named by the record at the end, before a comment of up to 65535 bytes.
fn directory(bytes: &[u8]) -> Option<usize> {
    let last = bytes.len().checked_sub(22)?;
    let end = (last.saturating_sub(65535)..=last)
        .rev()
        .find(|at| bytes[*at..].starts_with(b"PK\x05\x06"))?;
    le(bytes, end + 16, 4)
}

/// An entry of the directory.
struct Entry<'a> {
    name: &'a [u8],
    method: usize,
    /// CRC-32 of the array.
    sum: u32,
    packed: usize,
    header: usize,
    next: usize,
}

impl<'a> Entry<'a> {
    fn at(bytes: &'a [u8], at: usize) -> Option<Self> {
        if !bytes.get(at..)?.starts_with(b"PK\x01\x02") {
            return None;
        }
        let name_end = at.checked_add(46)?.checked_add(le(bytes, at + 28, 2)?)?;
        Some(Self {
            name: bytes.get(at + 46..name_end)?,
            method: le(bytes, at + 10, 2)?,
            sum: u32::try_from(le(bytes, at + 16, 4)?).ok()?,
            packed: le(bytes, at + 20, 4)?,
            header: le(bytes, at + 42, 4)?,
            next: name_end + le(bytes, at + 30, 2)? + le(bytes, at + 32, 2)?,
        })
    }

    fn unpack(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        if !bytes.get(self.header..)?.starts_with(b"PK\x03\x04") {
            return None;
        }
        let names = le(bytes, self.header + 26, 2)? + le(bytes, self.header + 28, 2)?;
        let start = self.header.checked_add(30)?.checked_add(names)?;
        let packed = bytes.get(start..start.checked_add(self.packed)?)?;
        match self.method {
            0 => Some(packed.to_vec()),
            8 => {
                let mut plain = Vec::new();
                DeflateDecoder::new(packed)
                    .take(MAX_ARRAY_BYTES)
                    .read_to_end(&mut plain)
                    .ok()?;
                Some(plain)
            }
            _ => None,
        }
    }
}

/// A `.npy` array: magic, version, length of the header, a Python dictionary, the numbers.
fn parse(npy: &[u8]) -> Result<Array, String> {
    let wide = match npy.get(..8) {
        Some(start) if start.starts_with(b"\x93NUMPY\x01") => 2,
        Some(start) if start.starts_with(b"\x93NUMPY") => 4,
        _ => return Err("must be a NumPy array, found other bytes".to_owned()),
    };
    let end = le(npy, 8, wide)
        .and_then(|length| length.checked_add(8 + wide))
        .filter(|end| *end <= npy.len());
    let Some(end) = end else {
        return Err("must hold its header, found the end of the array".to_owned());
    };
    let header = String::from_utf8_lossy(&npy[8 + wide..end]).into_owned();
    let kind = quoted_after(&header, "'descr':").unwrap_or_default();
    let shape = shape(&header).ok_or_else(|| format!("must have a shape, found {}", shown(&header)))?;
    let count = shape
        .iter()
        .try_fold(1usize, |product, side| product.checked_mul(*side));
    let data = &npy[end..];
    let values: Vec<f64> = match kind {
        "<f8" => data
            .chunks_exact(8)
            .filter_map(|b| b.try_into().ok())
            .map(f64::from_le_bytes)
            .collect(),
        "<f4" => data
            .chunks_exact(4)
            .filter_map(|b| b.try_into().ok())
            .map(|b| f64::from(f32::from_le_bytes(b)))
            .collect(),
        _ => return Err(format!("must be of type <f8 or <f4, found {}", shown(kind))),
    };
    if count != Some(values.len()) {
        return Err(format!(
            "must hold the numbers of shape {shape:?}, found {}",
            values.len()
        ));
    }
    let values = match shape[..] {
        [rows, columns] if header.contains("'fortran_order': True") => (0..rows * columns)
            .map(|k| values[k % columns * rows + k / columns])
            .collect(),
        _ => values,
    };
    Ok(Array { shape, values })
}

fn quoted_after<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    header.split_once(key)?.1.split('\'').nth(1)
}

fn shape(header: &str) -> Option<Vec<usize>> {
    let inside = header.split_once("'shape': (")?.1.split_once(')')?.0;
    inside
        .split(',')
        .map(str::trim)
        .filter(|side| !side.is_empty())
        .map(|side| side.parse().ok())
        .collect()
}
