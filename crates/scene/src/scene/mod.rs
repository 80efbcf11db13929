//! Scenes: worlds as TOML files. `docs/reference/scene-file.md` describes every key.
//!
//! Reading goes on after an error, so that a message lists everything that is wrong with a file.

mod actuators;
mod bodies;
mod change;
mod couplings;
mod doubt;
mod error;
mod extend;
mod import;
mod joints;
mod materials;
mod mesh;
pub mod mjcf;
mod motion;
mod planar_shapes;
mod reader;
mod repeat;
mod robot;
mod settings;
mod shapes;
mod summary;
mod transmissions;
pub mod urdf;

use std::borrow::Cow;
use std::io::Read as _;
use std::path::Path;

use toml::de::DeTable;

pub use change::Change;
pub use error::{Problem, SceneError};
pub use extend::WorldExt;
pub use import::ImportReport;
pub use robot::{RobotFormat, RobotInfo};
pub use summary::BodyGroup;

use crate::Actuator;
use crate::Coupling;
use crate::Frame;
use crate::PairMaterial;
use crate::Sensor;
use crate::Settings;
use crate::TimedForce;
use crate::body::Body;
use crate::joint::Joint;
use crate::motion::Motion;
use crate::state::BodyState;
use error::Report;
use reader::Fields;

/// Largest scene file \[bytes\].
pub const MAX_SCENE_BYTES: u64 = 16 << 20;
/// Most bodies of a scene, those of stacks, grids and arches counted.
pub const MAX_BODIES: usize = 100_000;
/// Most points of a convex hull, equal ones counted once.
pub const MAX_HULL_POINTS: usize = 2_000;
/// Most triangles of a ground.
pub const MAX_GROUND_TRIANGLES: usize = 100_000;
/// Most parts of a compound.
pub const MAX_COMPOUND_PARTS: usize = 1_000;
/// Largest mesh file \[bytes\].
pub const MAX_MESH_BYTES: u64 = 64 << 20;
/// Largest number in a scene or a robot's file, in SI units: with it and [`MIN_POSITIVE`], squares and products of what a step works with stay
/// finite.
pub const MAX_NUMBER: f64 = 1e18;
/// Smallest number where it must be positive.
pub const MIN_POSITIVE: f64 = 1e-18;
/// Least and largest length of a shape \[m\].
pub const LENGTH_RANGE: [f64; 2] = [1e-9, 1e9];
/// Most steps of a run, duration / dt.
pub const MAX_STEPS: f64 = 1e12;

/// A body of a scene, as it starts.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneBody {
    /// The body.
    pub body: Body,
    /// How it starts.
    pub state: BodyState,
    /// Its material among [`Scene::materials`]; none where the body has the default or its own.
    pub material: Option<usize>,
}

/// Two bodies, or two materials, that behave otherwise than their materials say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ScenePair {
    /// By index of the bodies.
    Bodies([usize; 2], PairMaterial),
    /// By index of the materials.
    Materials([usize; 2], PairMaterial),
}

impl ScenePair {
    /// Whether both speak of the same two, in any order.
    fn is_of_the_same(&self, other: &Self) -> bool {
        let same = |a: &[usize; 2], b: &[usize; 2]| a == b || [a[1], a[0]] == *b;
        match (self, other) {
            (Self::Bodies(a, _), Self::Bodies(b, _)) | (Self::Materials(a, _), Self::Materials(b, _)) => same(a, b),
            _ => false,
        }
    }
}

/// A world as it starts, and how long it is to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// Name.
    pub name: String,
    /// How it is stepped.
    pub settings: Settings,
    /// How long it runs \[s\].
    pub duration: f64,
    /// Names of the materials.
    pub materials: Vec<String>,
    /// Bodies, those of stacks, grids, arches and robots after the others.
    pub bodies: Vec<SceneBody>,
    /// Pairs with values of their own.
    pub pairs: Vec<ScenePair>,
    /// Forces over time.
    pub forces: Vec<TimedForce>,
    /// Bodies that are led by others.
    pub couplings: Vec<Coupling>,
    /// Joints, those of robots after the others.
    pub joints: Vec<Joint>,
    /// Inertia of the rotor of each joint \[kg·m² or kg\].
    pub armatures: Vec<f64>,
    /// Actuators with their controls at the start, those of robots first.
    pub actuators: Vec<(Actuator, f64)>,
    /// Frames of links and sensors.
    pub frames: Vec<Frame>,
    /// Sensors, those of robots first.
    pub sensors: Vec<Sensor>,
    /// Motions of kinematic bodies.
    pub motions: Vec<(usize, Motion)>,
    /// Pairs of bodies that never collide.
    pub apart: Vec<[usize; 2]>,
    /// What robots' files say and the scene does not take, one line each.
    pub notes: Vec<String>,
    /// What is doubtful: the scene can be used, but most likely says something else than was meant. In the order of the file.
    pub warnings: Vec<Problem>,
}

impl Scene {
    /// Reads a scene file, or a robot in MJCF or URDF as a scene of its own ([`Self::read_robot`]); meshes are sought below its folder.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, SceneError> {
        let path = path.as_ref();
        let text = Self::text(path)?;
        match RobotFormat::of(&text) {
            Some(_) => Self::read_robot(path, &[]),
            None => Self::parse_file(&text, path),
        }
    }

    /// The text of a scene file, for [`Self::parse_file`].
    ///
    /// # Errors
    /// A file that is not there, too long or no text.
    pub fn text(path: impl AsRef<Path>) -> Result<String, SceneError> {
        let path = path.as_ref();
        read_text(path).map_err(|problem| SceneError::whole(path, problem))
    }

    /// Reads a scene from the text of a file, which is not read itself: messages, the scene's name and the folder of meshes are as if it were.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse_file(text: &str, path: impl AsRef<Path>) -> Result<Self, SceneError> {
        Self::parse_changed(text, path, &[])
    }

    /// As [`Self::parse_file`], with values that take the place of those in the text.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse_changed(text: &str, path: impl AsRef<Path>, changes: &[Change]) -> Result<Self, SceneError> {
        let path = path.as_ref();
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
        let stem = path
            .file_stem()
            .map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        parse((text, changes), path, folder.unwrap_or(Path::new(".")), &stem)
    }

    /// Reads a scene from its text; meshes are sought below the folder.
    ///
    /// ```
    /// # use stiction_scene::{Scene, WorldExt};
    /// # use stiction_sim::World;
    /// let text = r#"
    ///     format = 1
    ///     world = { friction = 0.5, density = 1000 }
    ///     body = [
    ///         { name = "ground", shape = { half_space = [0, 0, 1] } },
    ///         { name = "box", shape = { box = [1, 1, 1] }, position = [0, 0, 0.5] },
    ///     ]"#;
    /// let scene = Scene::parse(text, ".")?;
    /// let mut world = World::from_scene(&scene)?;
    /// assert_eq!(world.step()?.contacts, 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(text: &str, folder: impl AsRef<Path>) -> Result<Self, SceneError> {
        parse((text, &[]), Path::new("scene"), folder.as_ref(), "scene")
    }

    /// Steps that make up the duration.
    #[must_use]
    pub fn steps(&self) -> u64 {
        // At most MAX_STEPS and positive: the cast is exact.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let steps = libm::round(self.duration / self.settings.dt) as u64;
        steps.max(1)
    }
}

/// The text of a file that is not too long.
fn read_text(path: &Path) -> Result<String, String> {
    // A pipe would be waited for.
    if std::fs::metadata(path).is_ok_and(|about| !about.is_file()) {
        return Err("must be a regular file".to_owned());
    }
    let file = std::fs::File::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "must be a file, found nothing of this name".to_owned(),
        _ => format!("cannot be read, {error}"),
    })?;
    let mut bytes = Vec::new();
    file.take(MAX_SCENE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("cannot be read, {error}"))?;
    if bytes.len() as u64 > MAX_SCENE_BYTES {
        return Err(format!("must have at most {MAX_SCENE_BYTES} bytes, found more"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("must be UTF-8 text, found other bytes at {at}")
    })
}

fn parse((text, changes): (&str, &[Change]), file: &Path, folder: &Path, name: &str) -> Result<Scene, SceneError> {
    // Values given beside the file stand behind it in what messages show.
    let mut shown = Cow::Borrowed(text);
    let mut places = Vec::new();
    for change in changes {
        shown.to_mut().push('\n');
        places.push(shown.len());
        shown.to_mut().push_str(&change.value);
    }
    let mut report = Report::new(&shown, text.len());
    if text.len() as u64 > MAX_SCENE_BYTES {
        return Err(SceneError::whole(
            file,
            format!("must have at most {MAX_SCENE_BYTES} bytes, found {}", text.len()),
        ));
    }
    let (mut table, syntax) = DeTable::parse_recoverable(text);
    for error in &syntax {
        report.add(error.span().map_or(0, |span| span.start), "", error.message());
    }
    if !report.is_empty() {
        return Err(report.into_error(file));
    }
    for (change, at) in changes.iter().zip(places) {
        change::apply(table.get_mut(), change, at).map_err(|problem| SceneError::beside(file, &change.key, problem))?;
    }
    let scene = scene(&Fields::root(table.get_ref()), folder, name, &mut report);
    match scene {
        Some(scene) if report.is_empty() => Ok(scene),
        _ => Err(report.into_error(file)),
    }
}

#[allow(clippy::too_many_lines)] // One table of a scene after the other.
fn scene(root: &Fields<'_>, folder: &Path, name: &str, report: &mut Report<'_>) -> Option<Scene> {
    root.only(
        &[
            "format", "name", "world", "material", "pair", "body", "stack", "grid", "arch", "urdf", "mjcf", "force",
            "coupling", "joint", "actuator", "sensor",
        ],
        report,
    );
    if let Some(node) = root.need("format", report) {
        node.number_where("must be 1", |x| x == 1.0, report);
    }
    let name = match root.get("name") {
        Some(node) => node.string(report).map(str::to_owned),
        None => Some(name.to_owned()),
    };
    let root = &root.of_world(settings::planar(root, report));
    let timing = settings::read(root, report);
    let defaults = settings::defaults(root, report);
    let materials = materials::read(root, defaults.friction, report);
    let mut makers = bodies::Makers::new(folder, &materials, defaults);
    makers.read_bodies(root, report);
    makers.read_repetitions(root, report);
    let mut robots = makers.read_robots(root, report);
    makers.read_models(root, &mut robots, report);
    let bodies::Makers {
        bodies,
        sources,
        names,
        motions,
        ..
    } = makers;
    // What a scene says of pairs comes after what models say.
    let of_models = robots
        .pairs
        .iter()
        .map(|(pair, material)| ScenePair::Bodies(*pair, *material));
    let mut pairs: Vec<ScenePair> = of_models.collect();
    for pair in materials::read_pairs(root, &materials, &names, report) {
        pairs.retain(|other| !other.is_of_the_same(&pair));
        pairs.push(pair);
    }
    let forces = bodies::read_forces(root, &bodies, &names, report);
    let couplings = couplings::read(root, &bodies, &names, report);
    let joints::Found {
        mut joints,
        mut armatures,
        broken,
    } = joints::read(root, &bodies, &names, &robots.joints, report);
    robots.count_joints_from(joints.len());
    joints.extend(robots.joints);
    armatures.extend(robots.armatures);
    armatures.resize(joints.len(), 0.0);
    let mut instruments = actuators::Instruments {
        actuators: robots.actuators,
        frames: robots.frames,
        sensors: robots.sensors,
    };
    let parts = actuators::Parts {
        bodies: &bodies,
        names: &names,
        joints: &joints,
        broken,
        folder,
    };
    instruments.read(root, &parts, report);
    let (mut settings, duration) = timing?;
    settings::take_options(root, &robots.options, (&mut settings, &mut robots.notes), report);
    let mut scene = Scene {
        name: name?,
        settings,
        duration,
        materials: materials.iter().map(|named| named.name.clone()).collect(),
        bodies,
        pairs,
        forces,
        couplings,
        joints,
        armatures,
        actuators: instruments.actuators,
        frames: instruments.frames,
        sensors: instruments.sensors,
        motions,
        apart: robots.apart,
        notes: robots.notes,
        warnings: Vec::new(),
    };
    if report.is_empty() {
        doubt::Look::new(root, &scene, &sources, &materials).look(report);
        scene.warnings = report.warnings();
    }
    Some(scene)
}
