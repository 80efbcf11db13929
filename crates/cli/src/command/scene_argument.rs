//! The scene that a command line names: a file, or one of the tool's own by its name, with values that options give.

use std::path::{Path, PathBuf};

use stiction_contact::nearest::did_you_mean;
use stiction_formats::BadInput;
use stiction_scene::{Change, RobotFormat, Scene};

use crate::examples::{all, find};

/// Values that take the place of those in the scene.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ChangeOptions {
    /// Time step [s]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    dt: Option<String>,
    /// How long the scene runs [s]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    duration: Option<String>,
    /// Contact law: frictionless, polyhedral, coulomb, no-slip, viscous, viscous-explicit or coulomb-viscous
    #[arg(long, value_name = "LAW")]
    law: Option<String>,
    /// Stepper: midpoint, stewart-trinkle, anitescu-potra, acceleration or first-order
    #[arg(long, value_name = "NAME")]
    stepper: Option<String>,
    /// Any value of the scene by its path: world.gravity=[0,0,-1.62], body.box.mass=3
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl ChangeOptions {
    /// Whether nothing is given.
    #[cfg(feature = "stand")]
    pub(super) fn is_empty(&self) -> bool {
        let own = [&self.dt, &self.duration, &self.law, &self.stepper];
        self.set.is_empty() && own.iter().all(|value| value.is_none())
    }

    fn changes(&self) -> Result<Vec<Change>, BadInput> {
        let own = [
            ("world.dt", &self.dt),
            ("world.duration", &self.duration),
            ("world.law", &self.law),
            ("world.stepper", &self.stepper),
        ];
        let own = own
            .into_iter()
            .filter_map(|(key, value)| Some(Change::new(key, value.as_ref()?)));
        let mut changes: Vec<Change> = own.collect();
        for given in &self.set {
            let Some((key, value)) = given.split_once('=') else {
                return Err(BadInput::new("set", format!("must be KEY=VALUE, found {given}")));
            };
            changes.push(Change::new(key.trim(), value.trim()));
        }
        Ok(changes)
    }
}

#[cfg(feature = "stand")]
impl ChangeOptions {
    /// The values as pairs of key and value.
    pub(super) fn pairs(&self) -> Result<Vec<[String; 2]>, BadInput> {
        Ok(self
            .changes()?
            .into_iter()
            .map(|change| [change.key, change.value])
            .collect())
    }

    /// Back from such pairs in JSON.
    pub(super) fn of_pairs(pairs: &serde_json::Value) -> Result<Self, BadInput> {
        let mut options = Self::default();
        for pair in pairs.as_array().into_iter().flatten() {
            let (Some(key), Some(value)) = (pair[0].as_str(), pair[1].as_str()) else {
                return Err(BadInput::new(
                    "asked.set",
                    format!("must be pairs of texts, found {pair}"),
                ));
            };
            options.set.push(format!("{key}={value}"));
        }
        Ok(options)
    }
}

/// The same values with one more.
#[cfg(feature = "stand")]
pub(super) fn with_change(options: &ChangeOptions, key: &str, value: f64) -> ChangeOptions {
    let mut options = options.clone();
    options.set.push(format!("{key}={value:?}"));
    options
}

/// The scene of a file, or of the tool's own with this name; and the file that messages name.
pub(super) fn read_scene(given: &Path, options: &ChangeOptions) -> Result<(Scene, PathBuf), BadInput> {
    let changes = options.changes()?;
    let is_name = given.extension().is_none() && given.components().count() == 1 && !given.exists();
    if let (true, Some(name)) = (is_name, given.to_str()) {
        let example = find(name).map_err(|_| no_such(name))?;
        return Ok((
            example.scene(&changes)?,
            PathBuf::from(format!("{}.toml", example.name)),
        ));
    }
    if is_robot(given) {
        let scene = Scene::read_robot(given, &changes).map_err(|error| BadInput::each_line(&error))?;
        return Ok((scene, given.to_owned()));
    }
    let text =
        Scene::text(given).map_err(|error| foreign_bytes(given).unwrap_or_else(|| BadInput::each_line(&error)))?;
    if let Some(problem) = foreign(&text) {
        return Err(BadInput::whole(problem).in_file(given));
    }
    let scene = Scene::parse_changed(&text, given, &changes).map_err(|error| BadInput::each_line(&error))?;
    Ok((scene, given.to_owned()))
}

/// Neither a file nor a name.
fn no_such(name: &str) -> BadInput {
    let meant = did_you_mean(name, all().map(|example| example.name));
    let problem = format!("must be a scene file or a name that stiction examples lists, found neither{meant}");
    BadInput::whole(problem).in_file(Path::new(name))
}

/// What to do about a file that is a recording.
fn foreign_bytes(file: &Path) -> Option<BadInput> {
    let is_recording = file.extension().is_some_and(|end| end.eq_ignore_ascii_case("mcap")) && file.is_file();
    let problem = "must be a scene in TOML, found a recording: stiction view, plot and export take it";
    is_recording.then(|| BadInput::whole(problem).in_file(file))
}

/// Whether a file is a robot in MJCF or URDF: it has that root element, or is called so.
pub(super) fn is_robot(file: &Path) -> bool {
    let is_urdf = file.extension().is_some_and(|end| end.eq_ignore_ascii_case("urdf"));
    let text = std::fs::metadata(file)
        .is_ok_and(|about| about.is_file())
        .then(|| Scene::text(file).ok());
    text.flatten()
        .is_some_and(|text| is_urdf || RobotFormat::of(&text).is_some())
}

/// The command to use for a text that is not a scene but another known format.
fn foreign(text: &str) -> Option<String> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if text.starts_with('{') {
        return Some("must be a scene in TOML, found JSON: stiction solve takes problem files".to_owned());
    }
    if !text.starts_with('<') {
        return None;
    }
    Some("must be a scene in TOML or a robot in MJCF or URDF, found other XML".to_owned())
}
