//! Data sets of HDF5 files, whose sizes are checked before they are read.

use hdf5_pure::{Dataset, File};

use crate::bad_input::BadInput;

/// Most that deflate unpacks from a byte: what a file says it holds beyond that was never written, and would be memory for nothing.
const MAX_DEFLATE_RATIO: u64 = 1032;
/// Unpacked size that any file may ask for [bytes].
const ALWAYS_ALLOWED_BYTES: u64 = 1 << 24;
/// Chunks that any file may be divided in; otherwise each takes a byte of it at least.
const ALWAYS_ALLOWED_CHUNKS: u64 = 1 << 16;
/// Largest number: eight bytes.
const MAX_NUMBER_BYTES: u64 = 8;

/// The error of a file that the library refuses at a place.
pub(super) fn damaged(place: &str, error: &hdf5_pure::Error) -> BadInput {
    BadInput::new(place, format!("cannot be read, {error}"))
}

/// A data set whose size is checked before it is read.
pub(super) fn dataset(file: &File, path: &str, most: usize) -> Result<Dataset, BadInput> {
    let place = path.replace('/', ".");
    let dataset = file.dataset(path).map_err(|error| damaged(&place, &error))?;
    let shape = dataset.shape().map_err(|error| damaged(&place, &error))?;
    let size = |sides: &[u64]| sides.iter().try_fold(1u64, |size, side| size.checked_mul(*side));
    if size(&shape).is_none_or(|size| size > most as u64) {
        let problem = format!("must have at most {most} entries, found shape {shape:?}");
        return Err(BadInput::new(place, problem));
    }
    let width = dataset.element_size().map_err(|error| damaged(&place, &error))?;
    if width > MAX_NUMBER_BYTES {
        let problem = format!("must hold numbers of at most {MAX_NUMBER_BYTES} bytes, found {width}");
        return Err(BadInput::new(place, problem));
    }
    let packed = dataset.chunk_shape().map_err(|error| damaged(&place, &error))?;
    if let Some(sides) = &packed {
        let count: Vec<u64> = shape
            .iter()
            .zip(sides)
            .map(|(all, own)| all.div_ceil((*own).max(1)))
            .collect();
        let most = file.file_size().max(ALWAYS_ALLOWED_CHUNKS);
        if size(&count).is_none_or(|count| count > most) {
            let problem = format!("must have at most {most} chunks, found {count:?}");
            return Err(BadInput::new(place, problem));
        }
    }
    let unpacked = if dataset.filters().is_empty() {
        1
    } else {
        MAX_DEFLATE_RATIO
    };
    let most = file.file_size().saturating_mul(unpacked).max(ALWAYS_ALLOWED_BYTES);
    for sides in [Some(shape), packed].into_iter().flatten() {
        let bytes = size(&sides).and_then(|size| size.checked_mul(width));
        if bytes.is_none_or(|bytes| bytes > most) {
            let problem = format!(
                "must fit a file of {} bytes, found {sides:?} numbers of {width} bytes",
                file.file_size()
            );
            return Err(BadInput::new(place, problem));
        }
    }
    Ok(dataset)
}

/// The numbers of a data set, all finite.
pub(super) fn numbers(file: &File, path: &str, most: usize) -> Result<Vec<f64>, BadInput> {
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

/// The indices of a data set.
pub(super) fn indices(file: &File, path: &str, most: usize) -> Result<Vec<usize>, BadInput> {
    let place = path.replace('/', ".");
    let values = dataset(file, path, most)?
        .read_u64()
        .map_err(|error| damaged(&place, &error))?;
    let index = |(k, value): (usize, u64)| {
        let too_large = |_| BadInput::new(format!("{place}[{k}]"), format!("must be an index, found {value}"));
        usize::try_from(value).map_err(too_large)
    };
    // Into the same memory.
    values.into_iter().enumerate().map(index).collect()
}
