//! Files that are there whole or not at all, and JSON as text.

use std::path::Path;

use crate::bad_input::BadInput;

/// Writes under a temporary name first, so that an interrupted run leaves no half of a file.
pub fn write_whole(file: &Path, text: impl AsRef<[u8]>) -> Result<(), BadInput> {
    // A link is followed; a device stays one.
    let real = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    if real.exists() && !real.is_file() {
        return Err(BadInput::whole("must be a regular file").in_file(file));
    }
    let mut temporary = real.as_os_str().to_owned();
    temporary.push(format!(".{}.part", std::process::id()));
    let written = std::fs::write(&temporary, text).and_then(|()| std::fs::rename(&temporary, &real));
    written.map_err(|error| {
        // What of it is there is of no use; it may not even be.
        let _ = std::fs::remove_file(&temporary);
        BadInput::whole(format!("cannot be written, {error}")).in_file(file)
    })
}

/// As [`write_whole`], with the folders above the file where they are missing.
pub fn write_whole_in_folder(file: &Path, text: impl AsRef<[u8]>) -> Result<(), BadInput> {
    make_folder(file.parent().unwrap_or(Path::new("")))?;
    write_whole(file, text)
}

/// Makes a folder and those above it where they are missing.
pub fn make_folder(folder: &Path) -> Result<(), BadInput> {
    std::fs::create_dir_all(folder).map_err(|error| BadInput::whole(format!("cannot be made, {error}")).in_file(folder))
}

/// JSON with a line end.
///
/// # Errors
/// None that data can cause.
pub fn json_text(value: &impl serde::Serialize) -> Result<String, BadInput> {
    let text = serde_json::to_string(value).map_err(|error| BadInput::new("answer", format!("internal: {error}")))?;
    Ok(text + "\n")
}
