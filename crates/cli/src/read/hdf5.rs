//! HDF5 files: which kind they are, and data sets whose sizes are checked before they are read.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, Location};
use std::sync::Once;

use hdf5_pure::{Dataset, File};

use super::{Content, fclib, matlab};
use crate::bad_input::BadInput;

const SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";

/// Most that deflate unpacks from a byte: what a file says it holds beyond that was never written, and would be memory for nothing.
const DEFLATED: u64 = 1032;
/// Unpacked size that any file may ask for [bytes].
const ALWAYS: u64 = 1 << 24;
/// Chunks that any file may be divided in; otherwise each takes a byte of it at least.
const CHUNKS: u64 = 1 << 16;
/// Largest number: eight bytes.
const WIDEST: u64 = 8;

/// Whether the file is HDF5, with or without MATLAB's header of 512 bytes.
pub(super) fn recognises(bytes: &[u8]) -> bool {
    bytes.starts_with(b"MATLAB") || bytes.starts_with(SIGNATURE)
}

/// Reads the problem of a file.
pub(super) fn read(bytes: &[u8], name: &str) -> Result<Content, BadInput> {
    // The HDF5 library is not written for hostile files: a panic inside it means a damaged file, not a bug of ours.
    HOOKED.call_once(quieten);
    READING.set(true);
    let content = panic::catch_unwind(AssertUnwindSafe(|| read_content(bytes, name)));
    READING.set(false);
    content.unwrap_or_else(|_| Err(BadInput::whole("must be a sound HDF5 file, found a damaged one")))
}

static HOOKED: Once = Once::new();

thread_local! {
    static READING: Cell<bool> = const { Cell::new(false) };
}

/// From here on the library's panics say nothing while a file is read: their message would add lines to the one we owe. All others are told as
/// before, those of other threads and our own too. The hook is put there once: it belongs to all threads, and cannot be exchanged for a while.
fn quieten() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let within = |place: &Location<'_>| place.file().contains("hdf5-pure");
        if !(READING.get() && panic.location().is_some_and(within)) {
            before(panic);
        }
    }));
}

fn read_content(bytes: &[u8], name: &str) -> Result<Content, BadInput> {
    let file = File::from_bytes(bytes.to_vec()).map_err(|error| damaged("HDF5", &error))?;
    if let Some(form) = fclib::Form::of(&file) {
        return Ok(Content::Raw(Box::new(fclib::read(&file, form, name)?)));
    }
    Ok(Content::Problems(vec![matlab::read(&file, name)?]))
}

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
    if width > WIDEST {
        let problem = format!("must hold numbers of at most {WIDEST} bytes, found {width}");
        return Err(BadInput::new(place, problem));
    }
    let packed = dataset.chunk_shape().map_err(|error| damaged(&place, &error))?;
    if let Some(sides) = &packed {
        let count: Vec<u64> = shape
            .iter()
            .zip(sides)
            .map(|(all, own)| all.div_ceil((*own).max(1)))
            .collect();
        let most = file.file_size().max(CHUNKS);
        if size(&count).is_none_or(|count| count > most) {
            let problem = format!("must have at most {most} chunks, found {count:?}");
            return Err(BadInput::new(place, problem));
        }
    }
    let unpacked = if dataset.filters().is_empty() { 1 } else { DEFLATED };
    let most = file.file_size().saturating_mul(unpacked).max(ALWAYS);
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
