//! MATLAB v7.3 files (HDF5) with M and q: M dense, or sparse as a group {data, ir, jc} in compressed columns.

use hdf5_pure::File;
use stiction_lcp::{Lcp, Matrix};

use super::dataset::{indices, numbers};
use super::{MAX_SPARSE_ORDER, Named, Problem};
use crate::bad_input::BadInput;

/// Most entries of a sparse M: beside them it is stored in full.
const MAX_SPARSE_ENTRIES: usize = 1 << 24;

/// Header of files since version 5: text, and from here on the version, then the order of bytes.
const VERSION_OFFSET: usize = 124;
/// Header of a matrix of version 4: type, rows, columns, imaginary part, length of the name.
const V4_HEADER_BYTES: usize = 20;

/// The version of a file that is not HDF5, which older ones are not.
pub(super) fn older(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"MATLAB 5.0 MAT-file") {
        return Some("v5 (as v6 and v7 write it, too)");
    }
    // The text may be another program's.
    let version = bytes.get(VERSION_OFFSET..VERSION_OFFSET + 4);
    if matches!(version, Some([0, 1, b'I', b'M'] | [1, 0, b'M', b'I'])) {
        return Some("v5 (as v6 and v7 write it, too)");
    }
    is_v4(bytes).then_some("v4")
}

/// Whether the bytes begin with a matrix of version 4: a small type, no or one imaginary part, and a name that ends with a zero.
fn is_v4(bytes: &[u8]) -> bool {
    let word = |k: usize, from: fn([u8; 4]) -> u32| {
        let four = bytes.get(4 * k..4 * k + 4).and_then(|b| b.try_into().ok());
        four.map(from)
    };
    [u32::from_le_bytes as fn([u8; 4]) -> u32, u32::from_be_bytes]
        .into_iter()
        .any(|from| {
            let [Some(kind), Some(rows), Some(columns), Some(imaginary), Some(length)] =
                [0, 1, 2, 3, 4].map(|k| word(k, from))
            else {
                return false;
            };
            let known = kind < 5000 && kind / 100 % 10 == 0 && kind / 10 % 10 <= 5 && kind % 10 <= 2;
            let named = usize::try_from(length).ok().filter(|n| (2..=64).contains(n));
            let name = named
                .and_then(|n| bytes.get(V4_HEADER_BYTES..V4_HEADER_BYTES + n))
                .and_then(<[u8]>::split_last);
            let is_name = |text: &[u8]| {
                text[0].is_ascii_alphabetic() && text.iter().all(|c| c.is_ascii_alphanumeric() || *c == b'_')
            };
            known
                && imaginary <= 1
                && rows > 0
                && columns > 0
                && name.is_some_and(|(end, text)| *end == 0 && is_name(text))
        })
}

/// Reads the problem of a file.
pub(super) fn read(file: &File, name: &str) -> Result<Named, BadInput> {
    Ok(Named::new(name, read_problem(file)?))
}

fn read_problem(file: &File) -> Result<Problem, BadInput> {
    let q = numbers(file, "q", MAX_SPARSE_ORDER)?;
    let n = q.len();
    let columns = match file.dataset("M") {
        Ok(_) => numbers(file, "M", n * n)?,
        Err(_) => sparse_columns(file, n)?,
    };
    Ok(Problem::Lcp(Lcp::new(Matrix::from_columns(n, columns)?, q)?))
}

/// The dense columns of a matrix in compressed columns.
fn sparse_columns(file: &File, n: usize) -> Result<Vec<f64>, BadInput> {
    let values = numbers(file, "M/data", MAX_SPARSE_ENTRIES.min(n * n))?;
    let rows = indices(file, "M/ir", MAX_SPARSE_ENTRIES.min(n * n))?;
    let starts = indices(file, "M/jc", n + 1)?;
    if rows.len() != values.len() {
        return Err(BadInput::length("M.ir", values.len(), rows.len()));
    }
    if starts.len() != n + 1 {
        return Err(BadInput::length("M.jc", n + 1, starts.len()));
    }
    let mut columns = vec![0.0; n * n];
    for j in 0..n {
        let (start, end) = (starts[j], starts[j + 1]);
        if start > end || end > values.len() {
            let problem = format!("must lie between {start} and {}, found {end}", values.len());
            return Err(BadInput::new(format!("M.jc[{}]", j + 1), problem));
        }
        for k in start..end {
            let i = rows[k];
            if i >= n {
                return Err(BadInput::new(
                    format!("M.ir[{k}]"),
                    format!("must be below {n}, found {i}"),
                ));
            }
            columns[j * n + i] += values[k];
        }
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use hdf5_pure::FileBuilder;

    use super::*;

    fn refusal(bytes: &[u8]) -> String {
        let read = crate::read::parse(
            bytes,
            std::path::Path::new("a.mat"),
            crate::read::ReadOptions::default(),
        );
        read.unwrap_err().to_string()
    }

    /// A matrix of version 5 ended in "HDF5: cannot be read", one of version 4 in "must be UTF-8".
    #[test]
    fn older_versions_are_named() {
        let found =
            |version: &str| format!("a.mat: must be MATLAB v7.3, as save with -v7.3 writes it, found MATLAB {version}");
        let v5 = found("v5 (as v6 and v7 write it, too)");
        let mut header = vec![b' '; 128];
        header[124..].copy_from_slice(&[0, 1, b'I', b'M']);
        assert_eq!(refusal(&header), v5);
        header[124..].copy_from_slice(&[1, 0, b'M', b'I']);
        assert_eq!(refusal(&header), v5);
        let text = b"MATLAB 5.0 MAT-file, Platform: GLNXA64, Created on: Mon Feb 10 10:11:11 2025";
        header[..text.len()].copy_from_slice(text);
        assert_eq!(refusal(&header), v5);
        // Cut off within its header.
        assert_eq!(refusal(text), v5);
        for (order, kind) in [(u32::to_le_bytes as fn(u32) -> [u8; 4], 0), (u32::to_be_bytes, 1000)] {
            let mut bytes: Vec<u8> = [kind, 2, 1, 0, 2].into_iter().flat_map(order).collect();
            bytes.extend(b"q\0");
            bytes.extend([1.0_f64, -200.5].into_iter().flat_map(f64::to_le_bytes));
            assert_eq!(refusal(&bytes), found("v4"));
        }
        // Version 7.3 whose HDF5 part is missing.
        header[..10].copy_from_slice(b"MATLAB 7.3");
        header[124..].copy_from_slice(&[0, 2, b'I', b'M']);
        assert!(
            refusal(&header).starts_with("a.mat: HDF5: cannot be read"),
            "{}",
            refusal(&header)
        );
    }

    #[test]
    fn entries_given_twice_are_added() {
        let mut file = FileBuilder::new();
        file.create_dataset("q").with_f64_data(&[-1.0, -1.0]);
        let mut group = file.create_group("M");
        group.create_dataset("data").with_f64_data(&[1.0, 2.0, 4.0]);
        group.create_dataset("ir").with_u64_data(&[0, 0, 1]);
        group.create_dataset("jc").with_u64_data(&[0, 2, 3]);
        file.add_group(group.finish());
        let file = File::from_bytes(file.finish().unwrap()).unwrap();
        let Problem::Lcp(lcp) = read_problem(&file).unwrap() else {
            panic!("not an LCP")
        };
        assert_eq!([lcp.M().at(0, 0), lcp.M().at(1, 0), lcp.M().at(1, 1)], [3.0, 0.0, 4.0]);
    }
}
