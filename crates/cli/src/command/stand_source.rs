//! The equilibrium of a scene at a moment, for `stiction stand` and for the check of its answers.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use stiction_scene::{Scene, WorldExt};
use stiction_sim::World;
use stiction_stand::Equilibrium;

use super::scene_argument::{ChangeOptions, read_scene, with_change};
use super::scene_notes;
use stiction_formats::BadInput;
use stiction_formats::bad_input::one_line;

/// An equilibrium with its scene and the world at that moment.
pub(super) struct Taken {
    pub(super) whole: Equilibrium,
    pub(super) scene: Scene,
    pub(super) world: World,
    /// The file of the scene, as messages name it.
    pub(super) file: PathBuf,
    /// Speed of the fastest body \[m/s\].
    pub(super) fastest: f64,
    /// What the scene has and statics does not take.
    pub(super) ignored: Vec<String>,
}

impl Taken {
    /// Says on stderr what is doubtful about the scene, and what statics does not take.
    pub(super) fn warn(&self) {
        scene_notes::warn(&self.scene, &self.file);
        let ignored = self.ignored.iter().map(|note| ("warning: ", note));
        let notes = self.scene.notes.iter().map(|note| ("", note));
        for (kind, note) in ignored.chain(notes) {
            // Nothing is left to do where messages cannot be written.
            let _ = writeln!(std::io::stderr(), "{kind}{}: {}", self.file.display(), one_line(note));
        }
    }
}

/// Where an equilibrium comes from: a scene, changes of it, a moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) scene: &'a Path,
    pub(super) change: &'a ChangeOptions,
    pub(super) gap: Option<f64>,
    pub(super) time: Option<f64>,
    pub(super) force_limit: Option<f64>,
}

impl Source<'_> {
    /// The equilibrium, its scene and its fastest velocity; `key` takes a value beside the scene's.
    pub(super) fn equilibrium(&self, key: Option<(&str, f64)>) -> Result<Taken, BadInput> {
        let (scene, file) = match key {
            None => read_scene(self.scene, self.change)?,
            Some((key, value)) => read_scene(self.scene, &with_change(self.change, key, value))?,
        };
        let named = |error: &dyn std::error::Error| BadInput::named(error).in_file(&file);
        let mut world = World::from_scene(&scene).map_err(|error| named(&error))?;
        if let Some(time) = self.time {
            while world.state().time < time {
                world.step().map_err(|error| named(&error))?;
            }
        }
        let statics = world.statics(self.gap).map_err(|error| named(&error))?;
        let mut whole = Equilibrium::from_statics(&statics).map_err(|error| named(&error))?;
        whole.set_force_limit(self.force_limit).map_err(|error| named(&error))?;
        Ok(Taken {
            whole,
            scene,
            world,
            file,
            fastest: statics.fastest,
            ignored: statics.ignored,
        })
    }
}

/// The equilibrium with another value of a parameter; without a key, with all friction by a factor.
pub(super) fn other(source: &Source<'_>, whole: &Equilibrium, key: &str, value: f64) -> Result<Equilibrium, String> {
    if !key.is_empty() {
        return source
            .equilibrium(Some((key, value)))
            .map(|taken| taken.whole)
            .map_err(|bad| bad.to_string());
    }
    let mut other = whole.clone();
    other.set_friction(|k, _| {
        let mu = whole.contacts()[k].friction;
        if mu.is_finite() { value * mu } else { mu }
    });
    Ok(other)
}
