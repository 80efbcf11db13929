//! HDF5 files: which kind they are.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, Location};
use std::sync::Once;

use hdf5_pure::File;

use super::dataset::damaged;
use super::{Content, fclib, matlab};
use crate::bad_input::BadInput;

const SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";

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
