//! A robot's file as a scene: alone, on a plane where it has no ground.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::WorldExt as _;
use super::mjcf::{Mjcf, MjcfOptions};
use super::urdf::{Urdf, UrdfOptions};
use super::{Change, ImportReport, Scene, SceneError, parse, read_text};
use crate::body::Kind;
use crate::shape::Shape;
use crate::{SimError, Vec3};

/// Formats of robots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RobotFormat {
    /// MuJoCo's.
    Mjcf,
    /// The one of ROS.
    Urdf,
}

impl RobotFormat {
    /// That of a text, by its first element; none where it is neither.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let mut rest = text.trim_start_matches('\u{feff}').trim_start();
        // Declarations and comments come first.
        while let Some((_, after)) = rest
            .strip_prefix("<?")
            .and_then(|rest| rest.split_once("?>"))
            .or_else(|| rest.strip_prefix("<!--").and_then(|rest| rest.split_once("-->")))
        {
            rest = after.trim_start();
        }
        let tag = |name: &str| {
            let after = rest.strip_prefix('<').and_then(|rest| rest.strip_prefix(name));
            after.is_some_and(|after| after.starts_with(|c: char| c.is_whitespace() || c == '>' || c == '/'))
        };
        match (tag("mujoco"), tag("robot")) {
            (true, _) => Some(Self::Mjcf),
            (_, true) => Some(Self::Urdf),
            _ => None,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Mjcf => "MJCF",
            Self::Urdf => "URDF",
        }
    }
}

/// Time step of a URDF file, which has none \[s\].
const ROBOT_DT: f64 = 0.001;
/// How long a robot runs \[s\].
const ROBOT_DURATION: f64 = 10.0;
/// Friction of URDF files, and of a ground that is added.
const ROBOT_FRICTION: f64 = 1.0;

/// An error of a robot that cannot be built: its text begins with `NAME:LINE:COLUMN: `.
fn not_built(path: &Path, error: &SimError) -> SceneError {
    let text = error.to_string();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let own = format!("{name}:");
    let after = text.find(&own).filter(|at| !text[..*at].contains(' '));
    let placed = after.and_then(|at| {
        let rest = &text[at + own.len()..];
        let mut parts = rest.splitn(3, ':');
        let place = [parts.next()?.parse().ok()?, parts.next()?.parse().ok()?];
        Some((place, parts.next()?.trim_start().to_owned()))
    });
    let Some(([line, column], problem)) = placed else {
        return SceneError::whole(path, text);
    };
    let mut whole = SceneError::whole(path, problem);
    (whole.problems[0].line, whole.problems[0].column) = (line, column);
    whole
}

/// The folder that bounds what a robot's file reads, and the file's name below it: its own folder, or the one above where the file names others through `..`, as packages do that have
/// their files in `urdf/` or `xml/` and meshes beside that.
pub(super) fn home_of(path: &Path, text: &str) -> (PathBuf, String) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if (text.contains("../") || text.contains("..\""))
        && let Ok(real) = std::fs::canonicalize(folder)
        && let (Some(above), Some(own)) = (real.parent(), real.file_name())
    {
        return (above.to_owned(), format!("{}/{name}", own.to_string_lossy()));
    }
    (folder.to_owned(), name)
}

/// A text in quotes.
fn quoted(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' | '\\' => format!("\\{c}"),
            c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
            c => c.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

impl Scene {
    /// Reads a robot's file as a scene of its own, with values that take the place of those of the scene. A plane is added where the file has no ground, at z = 0 or at the lowest
    /// point of the robot, which [`Scene::notes`] says.
    ///
    /// ```
    /// use stiction_scene::{Scene, WorldExt};
    /// let text = r#"<mujoco><worldbody><body pos="0 0 1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"#;
    /// let file = std::env::temp_dir().join("stiction_robot_example.xml");
    /// std::fs::write(&file, text)?;
    /// let scene = Scene::read_robot(&file, &[])?;
    /// assert!(scene.notes.iter().any(|note| note.contains("a plane is added at z = 0")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read_robot(path: impl AsRef<Path>, changes: &[Change]) -> Result<Self, SceneError> {
        let path = path.as_ref();
        let text = read_text(path).map_err(|problem| SceneError::whole(path, problem))?;
        let Some(format) = RobotFormat::of(&text) else {
            let problem = "must be a robot in MJCF or URDF, found another root element";
            return Err(SceneError::whole(path, problem));
        };
        let (folder, name) = home_of(path, &text);
        let mut toml = "format = 1\n".to_owned();
        // Writing to a String cannot fail.
        let _ = match format {
            RobotFormat::Mjcf => {
                let robot = Mjcf::read_file(path)?;
                let parts = robot.build(&MjcfOptions::default());
                parts.map_err(|error| not_built(path, &error))?;
                let [x, y, z] = robot.gravity.into();
                write!(
                    toml,
                    "name = {}\n[world]\ndt = {:?}\nduration = {ROBOT_DURATION}\ngravity = [{x:?}, {y:?}, {z:?}]\nfriction = {ROBOT_FRICTION}\n\
                     [[mjcf]]\nfile = {}\n",
                    quoted(&robot.name),
                    robot.timestep,
                    quoted(&name)
                )
            }
            RobotFormat::Urdf => {
                let robot = Urdf::read(&folder, &name).map_err(|error| SceneError {
                    file: path.to_owned(),
                    ..error
                })?;
                let parts = robot.build(&UrdfOptions::default());
                parts.map_err(|error| not_built(path, &error))?;
                write!(
                    toml,
                    "name = {}\n[world]\ndt = {ROBOT_DT}\nduration = {ROBOT_DURATION}\nfriction = {ROBOT_FRICTION}\n[[urdf]]\nfile = {}\n",
                    quoted(&robot.name),
                    quoted(&name)
                )
            }
        };
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let read = |toml: &str| parse((toml, changes), path, &folder, &stem);
        let alone = read(&toml)?;
        let has_ground = alone.bodies.iter().any(|body| {
            let is_ground = matches!(body.body.shape, Shape::HalfSpace { .. } | Shape::Mesh(_));
            is_ground && matches!(body.body.kind, Kind::Fixed)
        });
        if has_ground {
            return Ok(alone);
        }
        let lowest = alone.lowest().min(0.0);
        let mut ground = "ground".to_owned();
        while alone.bodies.iter().any(|body| body.body.name == ground) {
            ground.push('_');
        }
        let _ = write!(
            toml,
            "[[body]]\nname = {}\nkind = \"fixed\"\nshape = {{ half_space = [0, 0, 1] }}\nposition = [0, 0, {lowest:?}]\n",
            quoted(&ground)
        );
        let mut scene = read(&toml)?;
        scene.notes.push(format!(
            "{name}: no ground in the file: a plane is added at z = {lowest}"
        ));
        Ok(scene)
    }

    /// The lowest point of all bodies at the start \[m\]; infinite where there is none.
    fn lowest(&self) -> f64 {
        let solid = self.bodies.iter().filter(|body| body.body.groups != 0);
        let tops = solid.filter_map(|body| {
            stiction_collide::query::highest(&body.body.shape, &body.state.pose, Vec3::new(0.0, 0.0, -1.0))
        });
        -tops.fold(f64::NEG_INFINITY, f64::max)
    }
}

/// What a robot's file holds and what becomes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotInfo {
    /// Name of the robot.
    pub name: String,
    /// Format of the file.
    pub format: RobotFormat,
    /// Bodies that move.
    pub bodies: usize,
    /// Coordinates of all joints.
    pub coordinates: usize,
    /// Actuators and sensors.
    pub actuators: usize,
    /// Sensors.
    pub sensors: usize,
    /// Keyframes.
    pub keyframes: usize,
    /// Mass of the bodies that move \[kg\].
    pub mass: f64,
    /// What was taken, changed and ignored.
    pub report: ImportReport,
    /// What is doubtful, one line each.
    pub warnings: Vec<String>,
}

impl RobotInfo {
    /// Reads a file.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, SceneError> {
        let path = path.as_ref();
        let text = read_text(path).map_err(|problem| SceneError::whole(path, problem))?;
        let fail = |problem: String| SceneError::whole(path, problem);
        let format = RobotFormat::of(&text)
            .ok_or_else(|| fail("must be a robot in MJCF or URDF, found another root element".to_owned()))?;
        let (name, keyframes, mut report, warnings) = match format {
            RobotFormat::Mjcf => {
                let robot = Mjcf::read_file(path)?;
                let parts = robot.build(&MjcfOptions::default());
                let parts = parts.map_err(|error| not_built(path, &error))?;
                let mut report = robot.report.clone();
                for line in parts.changed {
                    report.change(line);
                }
                (
                    robot.name.clone(),
                    robot.keyframes.len(),
                    report,
                    robot.warnings.clone(),
                )
            }
            RobotFormat::Urdf => {
                let (folder, name) = home_of(path, &text);
                let robot = Urdf::read(folder, &name).map_err(|error| SceneError {
                    file: path.to_owned(),
                    ..error
                })?;
                (robot.name.clone(), 0, robot.report.clone(), robot.warnings.clone())
            }
        };
        let scene = Scene::read_robot(path, &[])?;
        let world = crate::World::from_scene(&scene).map_err(|error| fail(error.to_string()))?;
        let moving = scene.bodies.iter().filter_map(|body| match body.body.kind {
            Kind::Dynamic { mass, .. } => Some(mass),
            Kind::Kinematic | Kind::Fixed => None,
        });
        if scene.notes.last().is_some_and(|note| note.contains("a plane is added")) {
            report.change("no ground: a plane is added");
        }
        Ok(Self {
            name,
            format,
            bodies: moving.clone().count(),
            coordinates: world.q().len(),
            actuators: world.actuators().len(),
            sensors: world.sensors().len(),
            keyframes,
            mass: moving.sum(),
            report,
            warnings: warnings.iter().map(|warning| warning.in_file(path)).collect(),
        })
    }
}
