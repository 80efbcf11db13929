//! Reads what the charts need from a recording, message by message.

use std::path::Path;

use stiction_formats::BadInput;
use stiction_record::Recording;

use super::csv;
use super::data::{Data, Filter};

impl Data {
    /// Reads a recording: MCAP, or the tables of CSV.
    ///
    /// # Errors
    /// A file that is not a recording, or a damaged one; a filter that names a body that is not there.
    pub fn read(path: &Path, filter: &Filter) -> Result<Self, BadInput> {
        let mut data = Self::default();
        match kind(path)? {
            Kind::Mcap => {
                let mut recording = Recording::open(path).map_err(BadInput::whole)?;
                for message in &mut recording {
                    data.add(message.map_err(BadInput::whole)?, filter);
                }
                data.unfinished = recording.unfinished().map(ToString::to_string);
            }
            Kind::Csv => csv::read(path, filter, &mut data)?,
        }
        data.names.sort();
        data.names.dedup();
        data.check(filter).map_err(|bad| bad.in_file(path))?;
        Ok(data)
    }
}

enum Kind {
    Mcap,
    Csv,
}

/// The form of a recording by its name.
fn kind(path: &Path) -> Result<Kind, BadInput> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    let bad = |problem: &str| Err(BadInput::whole(problem).in_file(path));
    match extension.as_deref() {
        _ if path.is_dir() => Ok(Kind::Csv),
        _ if !path.exists() => bad("must be a recording, found nothing of this name"),
        Some("mcap") => Ok(Kind::Mcap),
        Some("csv") => Ok(Kind::Csv),
        Some("toml") => bad("must be a recording, found a scene; stiction run SCENE -o NAME.mcap makes one"),
        _ => bad("must be a recording: NAME.mcap, NAME.csv, or a folder with poses.csv"),
    }
}
