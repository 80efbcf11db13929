//! What stands in for HDF5 in a build without it.

use crate::bad_input::BadInput;

fn missing() -> BadInput {
    BadInput::whole("must be another format than HDF5: this build has no reader of it (feature hdf5)")
}

pub(super) mod hdf5 {
    use super::missing;
    use crate::bad_input::BadInput;
    use crate::read::Content;

    pub(in crate::read) fn recognises(bytes: &[u8]) -> bool {
        bytes.starts_with(b"\x89HDF\r\n\x1a\n")
    }

    pub(in crate::read) fn read(_: &[u8], _: &str) -> Result<Content, BadInput> {
        Err(missing())
    }
}

pub(super) mod matlab {
    /// Older files are not told apart from others.
    pub(in crate::read) fn older(_: &[u8]) -> Option<&'static str> {
        None
    }
}

/// FCLIB's files.
pub mod fclib {
    use super::missing;
    use crate::bad_input::BadInput;
    use crate::read::Given;

    /// No FCLIB file can be written.
    ///
    /// # Errors
    /// Always.
    pub fn write(_: &str, _: &Given) -> Result<Vec<u8>, BadInput> {
        Err(missing())
    }
}
