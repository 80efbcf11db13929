//! Files that can be read at any moment: they grow by whole pieces under their final name.
//!
//! A file begins as `.NAME.PROCESS-NUMBER.part` in the same folder and gets its name with its first whole piece. An earlier file of that name is
//! set aside as `NAME.earlier.EXT` until the new one is complete. A piece that cannot be written is cut off again.

use std::fs::{self, File};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::RecordError;

/// Longest time until the disk is asked to hold what was written.
const SYNC_EVERY: Duration = Duration::from_secs(1);
/// Names that are tried for an earlier file.
const MAX_NAMES_TRIED: usize = 1000;

/// A file that grows by whole pieces.
#[derive(Debug)]
pub(crate) struct Growing {
    /// The path that the caller gave.
    path: PathBuf,
    /// The same with links resolved.
    real: PathBuf,
    file: File,
    /// Its name until it is placed.
    temporary: Option<PathBuf>,
    /// Where an earlier file of the same name is until this one is complete.
    earlier: Option<PathBuf>,
    /// Bytes of all complete pieces.
    whole: u64,
    synced: Instant,
    failed: bool,
}

impl Growing {
    pub(crate) fn create(path: &Path) -> Result<Self, RecordError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // A link is followed; a device stays one.
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if real.exists() && !real.is_file() && !real.is_dir() {
            return Err(RecordError::format(path, &"must be a regular file"));
        }
        let Some(name) = path.file_name().filter(|_| !path.is_dir()) else {
            return Err(RecordError::format(path, &"must name a file, found a folder"));
        };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!(".{}.{}-{number}.part", name.to_string_lossy(), std::process::id());
        let temporary = real.with_file_name(name);
        let file = File::create(&temporary).map_err(RecordError::io(path))?;
        Ok(Self {
            path: path.to_owned(),
            real,
            file,
            temporary: Some(temporary),
            earlier: None,
            whole: 0,
            synced: Instant::now(),
            failed: false,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes that are whole.
    pub(crate) fn length(&self) -> u64 {
        self.whole
    }

    /// Whether a piece could not be written: nothing may follow it.
    pub(crate) fn failed(&self) -> bool {
        self.failed
    }

    /// Where an earlier file of the same name was set aside.
    pub(crate) fn earlier(&self) -> Option<&Path> {
        self.earlier.as_deref()
    }

    /// Adds a piece, all of it or nothing. Waits for the disk where that was last done a second ago.
    pub(crate) fn write(&mut self, piece: &[u8]) -> Result<(), std::io::Error> {
        if self.failed {
            return Err(std::io::Error::other("an earlier piece could not be written"));
        }
        let written = self.file.write_all(piece).and_then(|()| {
            if self.temporary.is_some() || self.synced.elapsed() < SYNC_EVERY {
                return Ok(());
            }
            self.synced = Instant::now();
            self.file.sync_data()
        });
        if written.is_ok() {
            self.whole += piece.len() as u64;
        } else {
            self.failed = true;
            // What a reader would skip anyway; a file that cannot be cut stays as it is.
            let _ = self.file.set_len(self.whole);
            let _ = self.file.seek(SeekFrom::Start(self.whole));
        }
        written
    }

    /// Gives the file its name. An earlier one is set aside; at no moment is there none of that name.
    pub(crate) fn place(&mut self) -> Result<(), RecordError> {
        let Some(temporary) = self.temporary.clone() else {
            return Ok(());
        };
        let failed = RecordError::io(&self.path);
        // An empty file of that name lasts through a power cut longer than its contents.
        self.file.sync_data().map_err(&failed)?;
        if self.real.exists() {
            self.earlier = Some(set_aside(&self.real).map_err(&failed)?);
        }
        fs::rename(&temporary, &self.real).map_err(&failed)?;
        self.temporary = None;
        // The new name lasts through a power cut where the system lets folders be synchronised.
        if let Some(Ok(folder)) = self.real.parent().map(File::open) {
            let _ = folder.sync_all();
        }
        Ok(())
    }

    /// Waits for the disk, gives the file its name and removes the earlier one.
    pub(crate) fn finish(mut self) -> Result<PathBuf, RecordError> {
        self.place()?;
        self.file.sync_all().map_err(RecordError::io(&self.path))?;
        if let Some(earlier) = self.earlier.take() {
            // Nothing can be done about a file that cannot be removed.
            let _ = fs::remove_file(earlier);
        }
        Ok(self.path.clone())
    }
}

impl Drop for Growing {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // Nothing can be done about a file that cannot be removed.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Gives a file a second name that is free: `run.earlier.mcap`, `run.earlier-2.mcap`. Where the system knows no second names it is renamed.
fn set_aside(file: &Path) -> Result<PathBuf, std::io::Error> {
    let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let (stem, extension) = (part(file.file_stem()), part(file.extension()));
    for k in 1..=MAX_NAMES_TRIED {
        let number = if k == 1 { String::new() } else { format!("-{k}") };
        let aside = file.with_file_name(format!("{stem}.earlier{number}.{extension}"));
        if aside.exists() {
            continue;
        }
        match fs::hard_link(file, &aside) {
            Ok(()) => return Ok(aside),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(_) => return fs::rename(file, &aside).map(|()| aside),
        }
    }
    let problem = format!("{MAX_NAMES_TRIED} earlier recordings of this name are set aside already");
    Err(std::io::Error::other(problem))
}
