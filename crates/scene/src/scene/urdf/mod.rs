//! Robots as URDF files: a tree of links and joints.
//!
//! What is taken: mass, centre and full inertia of links, their collision geometry, and joints with origin, axis, limits of position and effort, and
//! damping; a joint that mimics another is coupled with it by a gear. Links on fixed joints become one body with their parent. What else a file says is skipped and listed in [`Urdf::notes`].

pub(super) mod build;
mod element;
mod joint;
mod link;
mod mimic;
pub(super) mod table;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub(super) use build::joined_shape;
pub use build::{UrdfOptions, UrdfParts};
pub use mimic::UrdfMimic;

use super::error::{Problem, Report, SceneError, place};
use super::import::ImportReport;
use super::{MAX_SCENE_BYTES, mesh};
use crate::shape::Shape;
use crate::{Mat3, Pose, Vec3};
use element::Element;
use link::Folders;

/// Most links of a robot.
pub const MAX_LINKS: usize = 1_000;
/// Most nodes of the XML document.
const MAX_DOCUMENT_NODES: u32 = 1_000_000;
/// Most attributes of an element, and most declarations of namespaces in a document: the parser compares each with each.
const MAX_ATTRIBUTES: usize = 256;

/// A link: mass and geometry in its own frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Name.
    pub name: String,
    /// Mass \[kg\]; 0 where none is given.
    pub mass: f64,
    /// Centre of mass in the link's frame \[m\].
    pub centre: Vec3,
    /// Inertia about the centre of mass in axes of the link \[kg·m²\].
    pub inertia: Mat3,
    /// Collision geometry: pose in the link's frame, and shape.
    pub collisions: Vec<(Pose, Shape)>,
    /// Where it stands in the text \[bytes\].
    at: usize,
    /// Where its inertia stands in the text \[bytes\].
    inertia_at: usize,
    /// `FILE:LINE:COLUMN`.
    place: String,
}

impl Link {
    /// Whether it has inertia and no mass: only a fixed body can.
    fn is_odd(&self) -> bool {
        self.mass == 0.0 && self.inertia != Mat3::zeros()
    }
}

/// What a joint of a URDF file leaves free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrdfJointKind {
    /// Nothing: the child becomes part of its parent's body.
    Fixed,
    /// Turns about the axis, within limits.
    Revolute,
    /// Turns about the axis.
    Continuous,
    /// Slides along the axis, within limits.
    Prismatic,
    /// Everything.
    Floating,
    /// Slides across the axis and turns about it.
    Planar,
    /// Turns about every axis.
    Spherical,
}

impl UrdfJointKind {
    /// Whether the joint has one coordinate.
    #[must_use]
    pub fn has_coordinate(self) -> bool {
        matches!(self, Self::Revolute | Self::Continuous | Self::Prismatic)
    }
}

/// A joint: how the frame of the child lies in that of the parent.
#[derive(Debug, Clone, PartialEq)]
pub struct UrdfJoint {
    /// Name.
    pub name: String,
    /// What it leaves free.
    pub kind: UrdfJointKind,
    /// Number of the parent link.
    pub parent: usize,
    /// Number of the child link.
    pub child: usize,
    /// Frame of the joint, and of the child at coordinate 0, in the parent's.
    pub origin: Pose,
    /// Unit axis in the frame of the joint.
    pub axis: Vec3,
    /// Least and largest coordinate \[rad or m\].
    pub limits: Option<[f64; 2]>,
    /// Largest force of a motor \[N·m or N\].
    pub effort: Option<f64>,
    /// Damping \[N·m·s/rad or N·s/m\].
    pub damping: f64,
    /// Dry friction \[N·m or N\].
    pub friction: f64,
    /// How it follows another joint.
    pub mimic: Option<UrdfMimic>,
    at: usize,
    place: String,
}

/// A robot: links in the order of the file, joints with parents before children.
#[derive(Debug, Clone, PartialEq)]
pub struct Urdf {
    /// Name of the robot.
    pub name: String,
    /// Links in the order of the file.
    pub links: Vec<Link>,
    /// Joints, each after the one that moves its parent.
    pub joints: Vec<UrdfJoint>,
    /// The link that no joint moves.
    pub root: usize,
    /// What the file says and a world does not take, one line a kind of element.
    pub notes: Vec<String>,
    /// What was taken, changed and ignored.
    pub report: ImportReport,
    /// What is doubtful about the file, in its order.
    pub warnings: Vec<Problem>,
    /// The file.
    file: PathBuf,
}

impl Urdf {
    /// Reads a file below a folder; so are its meshes, those of `package://NAME/…` in the folder NAME.
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
        let within = file
            .parent()
            .map_or(String::new(), |p| p.to_string_lossy().into_owned());
        parse(&text, file, folder, &within)
    }

    /// Reads a robot from its text; meshes are sought below the folder.
    ///
    /// ```
    /// # use stiction_scene::urdf::Urdf;
    /// let text = r#"<robot name="bob"><link name="ball">
    ///     <inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>
    ///     <collision><geometry><sphere radius="0.5"/></geometry></collision>
    /// </link></robot>"#;
    /// assert_eq!(Urdf::parse(text, ".")?.links[0].mass, 1.0);
    /// # Ok::<(), stiction_scene::SceneError>(())
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(text: &str, folder: impl AsRef<Path>) -> Result<Self, SceneError> {
        parse(text, Path::new("urdf"), folder.as_ref(), "")
    }

    /// Whether nothing can move the root: it and what is fixed to it have no mass, and other links hang on them.
    fn root_is_fixed(&self) -> bool {
        let mut with_root = vec![false; self.links.len()];
        with_root[self.root] = true;
        let mut moves = false;
        for joint in &self.joints {
            if joint.kind == UrdfJointKind::Fixed {
                with_root[joint.child] = with_root[joint.parent];
            } else {
                moves = true;
            }
        }
        let mass: f64 = self
            .links
            .iter()
            .zip(&with_root)
            .filter(|(_, own)| **own)
            .map(|(link, _)| link.mass)
            .sum();
        moves && mass == 0.0
    }

    /// Number of a joint.
    #[must_use]
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }
}

/// What was skipped, by kind of element.
#[derive(Debug, Default)]
struct Notes(BTreeMap<String, usize>);

impl Notes {
    fn add(&mut self, kind: String) {
        *self.0.entry(kind).or_insert(0) += 1;
    }

    /// Notes the elements that are not known.
    fn ignored(&mut self, element: &Element<'_, '_>, known: &[&str]) {
        for child in element.all().filter(|child| !known.contains(&child.tag())) {
            self.add(format!("{}.{}", element.tag(), super::error::shorten(child.tag())));
        }
    }

    fn into_lines(self) -> Vec<String> {
        let line = |(kind, count): (String, usize)| format!("{kind}: ignored, found {count}");
        self.0.into_iter().map(line).collect()
    }
}

fn parse(text: &str, file: &Path, folder: &Path, within: &str) -> Result<Urdf, SceneError> {
    let mut report = Report::new(text, text.len());
    if let Err((at, problem)) = bounded(text) {
        report.add(at, "", problem);
        return Err(report.into_error(file));
    }
    // Without a document type there are no entities that could be expanded.
    let options = roxmltree::ParsingOptions {
        allow_dtd: false,
        nodes_limit: MAX_DOCUMENT_NODES,
        ..roxmltree::ParsingOptions::default()
    };
    let document = match roxmltree::Document::parse_with_options(text, options) {
        Ok(document) => document,
        Err(error) => {
            let problem = format!("must be well-formed XML: {error}");
            report.add(offset(text, error.pos()), "", problem);
            return Err(report.into_error(file));
        }
    };
    let folders = Folders { scene: folder, within };
    let robot = robot(&Element::root(&document), folders, &mut report);
    match robot {
        Some(mut robot) if report.is_empty() => {
            let placed = |at: usize| {
                let (line, column) = place(text, at);
                format!("{}:{line}:{column}", file.display())
            };
            for link in &mut robot.links {
                link.place = placed(link.at);
            }
            for joint in &mut robot.joints {
                joint.place = placed(joint.at);
            }
            robot.warnings = report.warnings();
            file.clone_into(&mut robot.file);
            Ok(robot)
        }
        _ => Err(report.into_error(file)),
    }
}

/// Counts attributes before the document is parsed; the place of the first element that has too many.
pub(super) fn bounded(text: &str) -> Result<(), (usize, String)> {
    let (mut at, mut namespaces) = (0, 0);
    let end_of = |from: usize, end: &str| {
        text[from..]
            .find(end)
            .map_or(text.len(), |found| from + found + end.len())
    };
    while let Some(found) = text[at..].find('<') {
        let start = at + found;
        let rest = &text[start..];
        at = match rest.as_bytes() {
            [b'<', b'!', b'-', b'-', ..] => end_of(start, "-->"),
            [b'<', b'?', ..] => end_of(start, "?>"),
            _ if rest.starts_with("<![CDATA[") => end_of(start, "]]>"),
            _ => {
                let tag = Tag::of(rest);
                namespaces += tag.namespaces;
                for (what, count) in [
                    ("attributes", tag.attributes),
                    ("declarations of namespaces", namespaces),
                ] {
                    if count > MAX_ATTRIBUTES {
                        return Err((
                            start,
                            format!("must have at most {MAX_ATTRIBUTES} {what}, found {count}"),
                        ));
                    }
                }
                start + tag.length
            }
        };
    }
    Ok(())
}

/// What a tag holds, up to its end or that of the text.
struct Tag {
    attributes: usize,
    namespaces: usize,
    /// \[bytes\]
    length: usize,
}

impl Tag {
    fn of(text: &str) -> Self {
        let (mut attributes, mut namespaces, mut length) = (0, 0, text.len());
        let mut quote = None;
        for (i, byte) in text.bytes().enumerate() {
            if quote.is_some() {
                quote = quote.filter(|open| *open != byte);
                continue;
            }
            match byte {
                b'"' | b'\'' => quote = Some(byte),
                b'=' => attributes += 1,
                b'x' if text.as_bytes()[i..].starts_with(b"xmlns") => namespaces += 1,
                b'>' => {
                    length = i + 1;
                    break;
                }
                _ => {}
            }
        }
        Self {
            attributes,
            namespaces,
            length,
        }
    }
}

/// Byte of a line and column.
pub(super) fn offset(text: &str, pos: roxmltree::TextPos) -> usize {
    let line = text
        .split_inclusive('\n')
        .take((pos.row as usize).saturating_sub(1))
        .map(str::len)
        .sum::<usize>();
    let rest = text.get(line..).unwrap_or_default();
    let column = rest.char_indices().nth((pos.col as usize).saturating_sub(1));
    line + column.map_or(rest.len(), |(at, _)| at)
}

fn robot(root: &Element<'_, '_>, folders: Folders<'_>, report: &mut Report<'_>) -> Option<Urdf> {
    if root.tag() != "robot" {
        let found = match root.tag() {
            "mujoco" => "a model in MJCF",
            _ => "another element",
        };
        return root.fail(format!("must be robot, found {found}"), report);
    }
    if let Some(xacro) = root.all().find(|child| child.namespace().contains("xacro")) {
        return xacro.fail("must be expanded to plain URDF first, found a xacro macro", report);
    }
    let name = root.need("name", report).map(str::to_owned);
    let mut notes = Notes::default();
    // Materials at this level colour what is seen.
    notes.ignored(root, &["link", "joint", "material"]);
    let mut index: BTreeMap<&str, usize> = BTreeMap::new();
    let mut links: Vec<Option<Link>> = Vec::new();
    for mut element in root.children("link") {
        let Some(name) = element.need("name", report) else {
            links.push(None);
            continue;
        };
        if links.len() == MAX_LINKS {
            return element.fail(format!("must not be a link beyond {MAX_LINKS}, found more"), report);
        }
        if index.insert(name, links.len()).is_some() {
            element.wrong::<()>("name", "must be the name of one link only", report);
        }
        element.path = format!("link[{}]", super::error::shorten(name));
        links.push(link::read(&element, name, folders, &mut notes, report));
    }
    let mut joints: Vec<Option<UrdfJoint>> = Vec::new();
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for mut element in root.children("joint") {
        let Some(name) = element.need("name", report) else {
            joints.push(None);
            continue;
        };
        if !names.insert(name) {
            element.wrong::<()>("name", "must be the name of one joint only", report);
        }
        element.path = format!("joint[{}]", super::error::shorten(name));
        let find = |link: &str| index.get(link).copied();
        joints.push(joint::read(&element, name, find, &mut notes, report));
    }
    if links.is_empty() {
        root.fail::<()>("must have a link, found none", report);
    }
    let (links, joints) = (
        links.into_iter().collect::<Option<Vec<_>>>()?,
        joints.into_iter().collect::<Option<Vec<_>>>()?,
    );
    mimic::check(&joints, report);
    if !report.is_empty() {
        return None;
    }
    let (root, joints) = tree::arrange(&links, joints, report)?;
    check_inertia(&links, root, &mut notes, report);
    if !report.is_empty() {
        return None;
    }
    let mut robot = Urdf {
        report: taken(&links, &joints, &notes),
        name: name?,
        links,
        joints,
        root,
        notes: notes.into_lines(),
        warnings: Vec::new(),
        file: PathBuf::new(),
    };
    let root = &robot.links[root];
    if robot.root_is_fixed() && root.name != "world" {
        robot.report.change("root without mass fixed to the world");
        robot
            .notes
            .push("root without mass: fixed to the world, found 1".to_owned());
    }
    Some(robot)
}

/// Inertia without mass is that of a root only, which then must be fixed.
fn check_inertia(links: &[Link], root: usize, notes: &mut Notes, report: &mut Report<'_>) {
    for (k, link) in links.iter().enumerate().filter(|(_, link)| link.is_odd()) {
        if k == root {
            notes.add("link.inertial.inertia of a root without mass".to_owned());
        } else {
            let largest = link.inertia.symmetric_eigenvalues().max();
            let path = format!("link[{}].inertial.inertia", super::error::shorten(&link.name));
            let problem = format!("must be zero where there is no mass, found the moment {largest}");
            report.add(link.inertia_at, &path, problem);
        }
    }
}

/// What of a robot is taken, changed and ignored.
fn taken(links: &[Link], joints: &[UrdfJoint], notes: &Notes) -> ImportReport {
    let mut taken = ImportReport {
        ignored: notes.0.clone(),
        ..ImportReport::default()
    };
    for link in links {
        taken.take("link");
        link.collisions.iter().for_each(|_| taken.take("collision"));
    }
    for joint in joints {
        let kind = joint::KINDS.iter().find(|(_, kind)| *kind == joint.kind);
        taken.take(format!("joint {}", kind.map_or("", |(name, _)| name)));
        if joint.kind == UrdfJointKind::Fixed {
            taken.change("link on a fixed joint made one with its parent");
        }
        if joint.mimic.is_some() {
            taken.take("mimic");
        }
    }
    taken
}
