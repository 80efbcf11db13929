//! A folder for a moment.

use std::path::{Path, PathBuf};

use crate::bad_input::BadInput;

/// Names that are tried: others of this process, and what an earlier one left, may be there.
const MAX_NAMES_TRIED: usize = 1000;

/// A folder of our own among the temporary files, which goes with this value.
#[derive(Debug)]
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// A new, empty folder.
    ///
    /// # Errors
    /// The system refuses.
    pub fn new() -> Result<Self, BadInput> {
        let (base, process) = (std::env::temp_dir(), std::process::id());
        let mut last = None;
        for k in 0..MAX_NAMES_TRIED {
            let folder = base.join(format!("stiction-{process}-{k}"));
            // Never one that is there already: it might be another's.
            match std::fs::create_dir(&folder) {
                Ok(()) => return Ok(Self(folder)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => last = Some(error),
                Err(error) => return Err(refused(&folder, &error)),
            }
        }
        Err(last.map_or_else(
            || BadInput::whole("internal: no folder was tried"),
            |error| refused(&base, &error),
        ))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

fn refused(folder: &Path, error: &std::io::Error) -> BadInput {
    BadInput::whole(format!("a temporary folder cannot be made, {error}")).in_file(folder)
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // What is left among temporary files does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_new_and_goes() {
        let [a, b] = [(); 2].map(|()| TemporaryFolder::new().unwrap());
        assert_ne!(a.path(), b.path());
        let path = a.path().to_owned();
        std::fs::write(path.join("file"), "text").unwrap();
        drop(a);
        assert!(!path.exists() && b.path().is_dir());
    }
}
