//! Saved states of `stiction run`: go on from one, and leave one at the end.

use std::io::Write as _;
use std::path::PathBuf;

use stiction_sim::World;
use stiction_sim::body::Kind;
use stiction_sim::joint::Joint;
use stiction_sim::state::BodyState;

use stiction_formats::BadInput;
use stiction_formats::read::read_bytes;
use stiction_formats::write::write_whole;

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
        let of_scene = (world.joints().to_vec(), world.state().bodies.clone());
        let loaded = if self.force {
            world.load_forced(&bytes)
        } else {
            world.load(&bytes)
        };
        let loaded = loaded.map_err(|error| BadInput::named(&error).in_file(file))?;
        for warning in loaded.warnings.into_iter().chain(replaced(world, &of_scene)) {
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

/// What a state has replaced that a scene says and a run does not change by itself: motors, and the places of fixed bodies. Who edits these in a scene between two runs expects the
/// scene's.
fn replaced(world: &World, (joints, bodies): &(Vec<Joint>, Vec<BodyState>)) -> Vec<String> {
    let motors = world.joints().iter().zip(joints);
    let moved = world.state().bodies.iter().zip(bodies).zip(world.bodies());
    motors
        .filter(|(now, before)| now.motor != before.motor)
        .map(|(now, _)| format!("joint {}: the motor is that of the state, not of the scene", now.name))
        .chain(
            moved
                .filter(|((now, before), body)| matches!(body.kind, Kind::Fixed) && now.pose != before.pose)
                .map(|(_, body)| format!("body {}: is where the state has it, not the scene", body.name)),
        )
        .collect()
}
