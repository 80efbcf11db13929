//! MATLAB v7.3 files (HDF5) with M and q: M dense, or sparse as a group {data, ir, jc} in compressed columns.

use std::panic::{self, AssertUnwindSafe};

use hdf5_pure::{Dataset, File};
use stiction_lcp::{Lcp, Matrix};

use super::{LARGEST_SPARSE, Named, Problem};
use crate::bad_input::BadInput;

const HDF5_SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";

/// Whether the file is HDF5, with or without MATLAB's header of 512 bytes.
pub(super) fn recognises(bytes: &[u8]) -> bool {
    bytes.starts_with(b"MATLAB") || bytes.starts_with(HDF5_SIGNATURE)
}

/// Reads the problem of a file.
pub(super) fn read(bytes: &[u8], name: &str) -> Result<Named, BadInput> {
    // The HDF5 library is not written for hostile files: a panic inside it means a damaged file, not a bug of ours. Its
    // own message would add lines to the one we owe.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let problem = panic::catch_unwind(AssertUnwindSafe(|| read_problem(bytes)));
    panic::set_hook(hook);
    match problem {
        Ok(problem) => Ok(Named::new(name, problem?)),
        Err(_) => Err(BadInput::whole("must be a sound HDF5 file, found a damaged one")),
    }
}

fn read_problem(bytes: &[u8]) -> Result<Problem, BadInput> {
    let file = File::from_bytes(bytes.to_vec()).map_err(|error| damaged("HDF5", &error))?;
    let q = numbers(&file, "q", LARGEST_SPARSE)?;
    let n = q.len();
    let columns = match file.dataset("M") {
        Ok(_) => numbers(&file, "M", n * n)?,
        Err(_) => sparse_columns(&file, n)?,
    };
    Ok(Problem::Lcp(Lcp::new(Matrix::from_columns(n, columns)?, q)?))
}

/// The dense columns of a matrix in compressed columns.
fn sparse_columns(file: &File, n: usize) -> Result<Vec<f64>, BadInput> {
    let values = numbers(file, "M/data", n * n)?;
    let rows = indices(file, "M/ir", n * n)?;
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
            columns[j * n + i] = values[k];
        }
    }
    Ok(columns)
}

fn damaged(place: &str, error: &hdf5_pure::Error) -> BadInput {
    BadInput::new(place, format!("cannot be read, {error}"))
}

/// A data set whose size is checked before it is read.
fn dataset(file: &File, path: &str, most: usize) -> Result<Dataset, BadInput> {
    let place = path.replace('/', ".");
    let dataset = file.dataset(path).map_err(|error| damaged(&place, &error))?;
    let shape = dataset.shape().map_err(|error| damaged(&place, &error))?;
    let size = shape.iter().try_fold(1u64, |size, side| size.checked_mul(*side));
    match size {
        Some(size) if size <= most as u64 => Ok(dataset),
        _ => Err(BadInput::new(
            place,
            format!("must have at most {most} entries, found shape {shape:?}"),
        )),
    }
}

fn numbers(file: &File, path: &str, most: usize) -> Result<Vec<f64>, BadInput> {
    let values = dataset(file, path, most)?.read_f64();
    let values = values.map_err(|error| damaged(&path.replace('/', "."), &error))?;
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(values),
        Some(k) => {
            let place = format!("{}[{k}]", path.replace('/', "."));
            Err(BadInput::new(place, format!("must be finite, found {}", values[k])))
        }
    }
}

fn indices(file: &File, path: &str, most: usize) -> Result<Vec<usize>, BadInput> {
    let place = path.replace('/', ".");
    let values = dataset(file, path, most)?
        .read_u64()
        .map_err(|error| damaged(&place, &error))?;
    let too_large = |k: usize| {
        BadInput::new(
            format!("{place}[{k}]"),
            format!("must be an index, found {}", values[k]),
        )
    };
    (0..values.len())
        .map(|k| usize::try_from(values[k]).map_err(|_| too_large(k)))
        .collect()
}
