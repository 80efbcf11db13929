//! Files that get their name when they are complete.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::RecordError;

/// The name of a file to be, and the one that it has until it is complete: `.NAME.PROCESS-NUMBER.part` in the same folder. Where it is
/// dropped before it is finished the file is removed.
#[derive(Debug)]
pub(crate) struct Partial {
    /// As it was given.
    path: PathBuf,
    /// Where it leads.
    real: PathBuf,
    temporary: Option<PathBuf>,
}

impl Partial {
    pub(crate) fn create(path: &Path) -> Result<(Self, BufWriter<File>), RecordError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // A link is followed; a device stays one.
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if real.exists() && !real.is_file() && !real.is_dir() {
            return Err(RecordError::format(path, &"must be a file, found something else"));
        }
        let Some(name) = path.file_name().filter(|_| !path.is_dir()) else {
            return Err(RecordError::format(path, &"must name a file, found a folder"));
        };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!(".{}.{}-{number}.part", name.to_string_lossy(), std::process::id());
        let temporary = real.with_file_name(name);
        let file = File::create(&temporary).map_err(RecordError::io(path))?;
        let partial = Self {
            path: path.to_owned(),
            real,
            temporary: Some(temporary),
        };
        Ok((partial, BufWriter::with_capacity(1 << 16, file)))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes what is left, waits for the disk, renames.
    pub(crate) fn finish(mut self, writer: BufWriter<File>) -> Result<PathBuf, RecordError> {
        let failed = RecordError::io(&self.path);
        let file = writer.into_inner().map_err(|e| failed(e.into_error()))?;
        file.sync_all().map_err(&failed)?;
        drop(file);
        if let Some(temporary) = &self.temporary {
            fs::rename(temporary, &self.real).map_err(&failed)?;
        }
        drop(failed);
        self.temporary = None;
        Ok(self.path.clone())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // Nothing can be done about a file that cannot be removed.
            let _ = fs::remove_file(temporary);
        }
    }
}
