//! Robots and scenes as MJCF files, MuJoCo's format: bodies in bodies, with their joints and geometry.
//!
//! What is taken, changed and ignored is in [`Mjcf::report`], and in words in `docs/guide/robots.md`. Bodies without joints become one with what they lie in. Several joints of one body are
//! a compound joint. What is soft in MuJoCo (`solref`, `solimp`, `margin`) has no meaning here.

mod attributes;
pub(in crate::scene) mod build;
mod defaults;
mod document;
mod instruments;
mod laws;
mod read;
mod table;

use std::path::Path;

pub use build::{MjcfOptions, MjcfParts};

use super::error::{Problem, SceneError};
use super::import::ImportReport;
use super::robot::home_of;
use super::{MAX_SCENE_BYTES, mesh, read_text};
use crate::shape::Shape;
use crate::{Mat3, Pose, Vec3};
use defaults::Defaults;
use document::{Findings, Place, Reader, Tag};
use instruments::Instruments;

/// What a joint leaves free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MjJointKind {
    Hinge,
    Slide,
    Ball,
    Free,
}

/// A joint of a body to its parent, in the frame of the body.
#[derive(Debug, Clone, PartialEq)]
struct MjJoint {
    name: String,
    kind: MjJointKind,
    pos: Vec3,
    axis: Vec3,
    limits: Option<[f64; 2]>,
    /// Coordinate in which the file puts the body.
    reference: f64,
    stiffness: f64,
    springref: f64,
    damping: f64,
    /// Time constant and ratio of damping that spring and damper have in the model as it is written.
    spring_damper: Option<[f64; 2]>,
    armature: f64,
    friction: f64,
    place: Place,
}

/// Geometry in the frame of its body.
#[derive(Debug, Clone, PartialEq)]
struct MjGeom {
    name: String,
    pose: Pose,
    shape: Shape,
    mass: f64,
    centre: Vec3,
    inertia: Mat3,
    /// Coefficient of friction; 0 where contacts have none.
    friction: f64,
    /// The coefficient that the file gives, and whether contacts have none.
    sliding: f64,
    is_frictionless: bool,
    /// contype and conaffinity.
    masks: [u32; 2],
    priority: i64,
    place: Place,
}

/// A named frame of a body with a zone about it.
#[derive(Debug, Clone, PartialEq)]
struct MjSite {
    name: String,
    pose: Pose,
    zone: Shape,
}

/// Mass in the frame of a body; the inertia is about the centre.
#[derive(Debug, Clone, PartialEq)]
struct MjInertial {
    mass: f64,
    centre: Vec3,
    inertia: Mat3,
    place: Place,
}

/// A body in its parent; the world is the first, and its own parent.
#[derive(Debug, Clone, PartialEq)]
struct MjBody {
    name: String,
    parent: usize,
    pose: Pose,
    mocap: bool,
    joints: Vec<MjJoint>,
    geoms: Vec<MjGeom>,
    sites: Vec<MjSite>,
    inertial: Option<MjInertial>,
    place: Place,
}

/// A model: bodies, joints, actuators and sensors.
#[derive(Debug, Clone)]
pub struct Mjcf {
    /// Name of the model.
    pub name: String,
    /// Gravity \[m/s²\].
    pub gravity: Vec3,
    /// Time step \[s\].
    pub timestep: f64,
    /// Names of keyframes, empty where they have none.
    pub keyframes: Vec<String>,
    /// What was taken, changed and ignored.
    pub report: ImportReport,
    /// What is doubtful about the file.
    pub warnings: Vec<Problem>,
    /// Whether the file says gravity and time step.
    says: [bool; 2],
    bodies: Vec<MjBody>,
    instruments: Instruments,
    /// `FILE:LINE:COLUMN` of each body.
    places: Vec<String>,
}

impl Mjcf {
    /// Names of the keyframes that have one.
    #[must_use]
    pub fn keyframes(&self) -> Vec<&str> {
        let names = self.instruments.keys.iter().map(|key| key.name.as_str());
        names.filter(|name| !name.is_empty()).collect()
    }

    /// Whether there is a keyframe of this name or number.
    #[must_use]
    pub fn has_keyframe(&self, wanted: &str) -> bool {
        self.keyframe(wanted).is_some()
    }

    /// Place of a keyframe, by its name or else its number.
    fn keyframe(&self, wanted: &str) -> Option<usize> {
        let keys = &self.instruments.keys;
        let by_name = keys.iter().position(|key| !key.name.is_empty() && key.name == wanted);
        by_name.or_else(|| wanted.parse().ok().filter(|k| *k < keys.len()))
    }

    /// Reads a file below a folder; so are its meshes and the files that it includes.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(folder: impl AsRef<Path>, name: &str) -> Result<Self, SceneError> {
        let (folder, file) = (folder.as_ref(), Path::new(name));
        let whole = |problem: String| SceneError::whole(file, problem);
        let bytes = mesh::read_below(folder, name, MAX_SCENE_BYTES).map_err(whole)?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            whole(format!("must be UTF-8 text, found other bytes at {at}"))
        })?;
        parse(&text, file, folder)
    }

    /// Reads a file; its meshes and the files that it includes are sought below its folder, or below the one above where it names them through `..`.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read_file(path: impl AsRef<Path>) -> Result<Self, SceneError> {
        let path = path.as_ref();
        let text = read_text(path).map_err(|problem| SceneError::whole(path, problem))?;
        let (folder, name) = home_of(path, &text);
        Self::read(folder, &name).map_err(|error| SceneError {
            file: path.to_owned(),
            ..error
        })
    }

    /// Reads a model from its text; meshes and files that it includes are sought below the folder.
    ///
    /// ```
    /// # use stiction_scene::{WorldExt, mjcf::{Mjcf, MjcfOptions}};
    /// # use stiction_sim::{World, Settings};
    /// let text = r#"<mujoco><worldbody>
    ///     <body><joint name="hinge" axis="0 1 0" armature="0.1"/><geom type="capsule" fromto="0 0 0 1 0 0" size="0.05"/></body>
    /// </worldbody><actuator><motor joint="hinge" gear="2"/></actuator></mujoco>"#;
    /// let robot = Mjcf::parse(text, ".")?;
    /// let mut world = World::new(Settings::default())?;
    /// world.add_mjcf(&robot, &MjcfOptions::default())?;
    /// world.set_ctrl(&[1.5])?;
    /// world.step()?;
    /// assert_eq!(world.q().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(text: &str, folder: impl AsRef<Path>) -> Result<Self, SceneError> {
        parse(text, Path::new("mjcf"), folder.as_ref())
    }
}

/// Elements at the top of a model that say nothing of its motion.
const LOOKS: [&str; 4] = ["visual", "statistic", "custom", "size"];

fn parse(text: &str, file: &Path, folder: &Path) -> Result<Mjcf, SceneError> {
    let mut findings = Findings::default();
    let within = file.parent().map(Path::to_owned).unwrap_or_default();
    let mut reader = Reader::new(folder, &within);
    let document = reader.document(text, file, &mut findings);
    let Some(root) = document.filter(|root| {
        if root.name == "robot" {
            findings.fail::<()>(root.place, "robot", "must be mujoco, found a robot in URDF");
        } else if root.name != "mujoco" {
            findings.fail::<()>(root.place, "", "must be mujoco, found another element");
        }
        findings.is_empty()
    }) else {
        return Err(findings.into_error(file));
    };
    let model = model(&root, &reader, file, &mut findings);
    if findings.is_empty() {
        return Ok(Mjcf {
            warnings: findings.warnings(),
            ..model
        });
    }
    Err(findings.into_error(file))
}

#[allow(clippy::too_many_lines)] // One section of a model after the other.
fn model(root: &Tag, reader: &Reader<'_>, file: &Path, findings: &mut Findings) -> Mjcf {
    let mut report = ImportReport::default();
    let defaults = Defaults::read(root, findings);
    attributes::check(root, &mut report, findings);
    let compiler = read::Compiler::read(root, &defaults, findings);
    let mut gravity = Vec3::new(0.0, 0.0, -9.81);
    let mut timestep = 0.002;
    let (mut meets, mut says) = (true, [false; 2]);
    for tag in root.all("option") {
        let element = defaults.element(tag, None, "option".to_owned(), findings);
        gravity = element.vector("gravity", gravity, findings);
        timestep = element.number("timestep", timestep, findings);
        if timestep <= 0.0 {
            element.wrong::<()>("timestep", "must be positive", findings);
        }
        if tag.all("flag").any(|flag| flag.value("gravity") == Some("disable")) {
            gravity = Vec3::zeros();
            says[0] = true;
        }
        says[0] |= tag.attribute("gravity").is_some();
        says[1] |= tag.attribute("timestep").is_some();
        meets &= !tag.all("flag").any(|flag| flag.value("contact") == Some("disable"));
    }
    let mut bodies = read::Bodies {
        reader,
        defaults: &defaults,
        compiler,
        root,
        list: Vec::new(),
        replicated: Vec::new(),
        count: 0,
        report: &mut report,
    };
    bodies.read(findings);
    let read::Bodies {
        compiler,
        mut list,
        replicated,
        ..
    } = bodies;
    if !meets {
        let geoms = list.iter_mut().flat_map(|body| &mut body.geoms);
        geoms.for_each(|geom| geom.masks = [0; 2]);
        report.change("geoms do not touch, as option.flag.contact says");
    }
    let mut instruments = instruments::Reading {
        root,
        defaults: &defaults,
        compiler: &compiler,
        bodies: &list,
        replicated: &replicated,
        report: &mut report,
        taken: Vec::new(),
        out: Instruments::default(),
    };
    instruments.read(findings);
    let mut instruments = instruments.out;
    if !meets {
        instruments.pairs.clear();
    }
    for tag in &root.children {
        match tag.name.as_str() {
            "asset" => {
                for asset in tag
                    .children
                    .iter()
                    .filter(|asset| !["mesh", "hfield"].contains(&asset.name.as_str()))
                {
                    report.ignore(format!("asset.{}", asset.name));
                }
            }
            name if LOOKS.contains(&name) => report.ignore(name),
            "compiler" | "option" | "default" | "worldbody" | "contact" | "equality" | "tendon" | "actuator"
            | "sensor" | "keyframe" => {}
            name => report.ignore(name),
        }
    }
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Mjcf {
        name: root.value("model").map_or(stem, str::to_owned),
        gravity,
        timestep,
        says,
        keyframes: instruments.keys.iter().map(|key| key.name.clone()).collect(),
        report,
        warnings: Vec::new(),
        places: list.iter().map(|body| findings.place_text(body.place)).collect(),
        bodies: list,
        instruments,
    }
}
