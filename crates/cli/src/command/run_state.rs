//! Saved states of `stiction run`: go on from one, and leave one at the end.

use std::io::Write as _;
use std::path::PathBuf;

use stiction_sim::World;

use crate::BadInput;
use crate::read::read_bytes;
use crate::write_whole::write_whole;

/// Which states are read and written.
#[derive(Debug, clap::Args)]
pub(super) struct StateOptions {
    /// Go on from a state that --save has written, of the same scene
    #[arg(long, value_name = "STATE")]
    from: Option<PathBuf>,
    /// Load the state even if it is of another model with as many bodies and joints
    #[arg(long, requires = "from")]
    force: bool,
    /// Write the state at the end, for --from
    #[arg(long, value_name = "STATE")]
    save: Option<PathBuf>,
}

impl StateOptions {
    /// Loads the state to go on from, if there is one.
    pub(super) fn load(&self, world: &mut World) -> Result<(), BadInput> {
        let Some(file) = &self.from else { return Ok(()) };
        let bytes = read_bytes(file)?;
        let loaded = if self.force {
            world.load_forced(&bytes)
        } else {
            world.load(&bytes)
        };
        let loaded = loaded.map_err(|error| BadInput::from(error).in_file(file))?;
        for warning in loaded.warnings {
            // Nothing is left to do where messages cannot be written.
            let _ = writeln!(std::io::stderr(), "{}: warning: {warning}", file.display());
        }
        Ok(())
    }

    /// Writes the state, if it is to be written.
    pub(super) fn save(&self, world: &World) -> Result<(), BadInput> {
        let Some(file) = &self.save else { return Ok(()) };
        write_whole(file, world.save())
    }
}
