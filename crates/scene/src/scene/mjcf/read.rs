//! From the elements of a model to bodies in their parents, with joints, geometry and sites.

use std::path::Path;
use std::sync::Arc;

use stiction_contact::nearest::did_you_mean;

use super::attributes::{IN_BODIES, NOT_IN_BODIES, REFUSED_IN_BODIES};
use super::defaults::{Angles, Defaults, Element, direction};
use super::document::{Findings, Place, Reader, Tag};
use super::{MjBody, MjGeom, MjInertial, MjJoint, MjJointKind, MjSite};
use crate::mass_properties::MassProperties;
use crate::scene::error::shorten;
use crate::scene::import::ImportReport;
use crate::scene::{LENGTH_RANGE, mesh, shapes};
use crate::shape::Shape;
use crate::{Mat3, Pose, Quat, TriangleMesh, Vec3};

/// Bodies of a model, at most, and other elements in them.
const MAX_MODEL_BODIES: usize = 1_000;
const MAX_MODEL_ELEMENTS: usize = 10_000;

/// `<compiler>`.
#[derive(Debug, Clone)]
pub(super) struct Compiler {
    pub(super) angles: Angles,
    pub(super) autolimits: bool,
    pub(super) meshdir: String,
    from_geoms: Option<bool>,
    balance: bool,
    bound_mass: f64,
    bound_inertia: f64,
    total_mass: Option<f64>,
    groups: [f64; 2],
}

/// Reads bodies.
pub(super) struct Bodies<'a> {
    pub(super) reader: &'a Reader<'a>,
    pub(super) defaults: &'a Defaults,
    pub(super) compiler: Compiler,
    pub(super) root: &'a Tag,
    pub(super) list: Vec<MjBody>,
    /// Copies that `<replicate>` makes of names: the name and how many.
    pub(super) replicated: Vec<(String, usize)>,
    /// Elements so far.
    pub(super) count: usize,
    pub(super) report: &'a mut ImportReport,
}

impl Compiler {
    pub(super) fn read(root: &Tag, defaults: &Defaults, findings: &mut Findings) -> Self {
        let mut compiler = Self {
            angles: Angles {
                degrees: true,
                sequence: ['x', 'y', 'z'],
            },
            autolimits: true,
            meshdir: String::new(),
            from_geoms: None,
            balance: false,
            bound_mass: 0.0,
            bound_inertia: 0.0,
            total_mass: None,
            groups: [0.0, 5.0],
        };
        for tag in root.all("compiler") {
            let element = defaults.element(tag, None, "compiler".to_owned(), findings);
            if let Some(word) = element.choice("angle", &["degree", "radian"], findings) {
                compiler.angles.degrees = word == "degree";
            }
            if element.choice("coordinate", &["local", "global"], findings) == Some("global") {
                let requirement = "must be local: global coordinates are no part of MJCF since MuJoCo 2.3.4";
                element.wrong::<()>("coordinate", requirement, findings);
            }
            if let Some(text) = element.value("eulerseq") {
                let letters: Vec<char> = text.chars().collect();
                match <[char; 3]>::try_from(letters) {
                    Ok(letters) if letters.iter().all(|c| "xyzXYZ".contains(*c)) => compiler.angles.sequence = letters,
                    _ => {
                        element.wrong::<()>("eulerseq", "must be three of the letters x, y, z, X, Y, Z", findings);
                    }
                }
            }
            if let Some(word) = element.choice("autolimits", &["true", "false"], findings) {
                compiler.autolimits = word == "true";
            }
            if let Some(word) = element.choice("balanceinertia", &["true", "false"], findings) {
                compiler.balance = word == "true";
            }
            if element.get("inertiafromgeom").is_some() {
                compiler.from_geoms = element.tristate("inertiafromgeom", findings);
            }
            compiler.bound_mass = element.not_negative("boundmass", compiler.bound_mass, findings);
            compiler.bound_inertia = element.not_negative("boundinertia", compiler.bound_inertia, findings);
            if element.get("settotalmass").is_some() {
                let mass = element.number("settotalmass", -1.0, findings);
                compiler.total_mass = Some(mass).filter(|mass| *mass > 0.0);
            }
            compiler.groups = element.numbers("inertiagrouprange", compiler.groups, findings);
            for name in ["assetdir", "meshdir"] {
                if let Some(text) = element.value(name) {
                    text.clone_into(&mut compiler.meshdir);
                }
            }
        }
        compiler
    }
}

/// What elements lie in: a body, the frame within it, and the class of elements that name none.
#[derive(Clone, Copy)]
struct Within<'a> {
    body: usize,
    frame: Pose,
    class: Option<&'a str>,
    suffix: &'a str,
    /// Copies made of what is here.
    copies: usize,
}

impl<'a> Bodies<'a> {
    /// Reads all of `<worldbody>`.
    pub(super) fn read(&mut self, findings: &mut Findings) {
        self.list.push(MjBody {
            name: "world".to_owned(),
            parent: 0,
            pose: Pose::identity(),
            mocap: false,
            joints: Vec::new(),
            geoms: Vec::new(),
            sites: Vec::new(),
            inertial: None,
            place: Place::default(),
        });
        let root = self.root;
        for world in root.all("worldbody") {
            let within = Within {
                body: 0,
                frame: Pose::identity(),
                class: world.value("childclass"),
                suffix: "",
                copies: 1,
            };
            self.children(world, within, findings);
        }
        if self.list.len() == 1 && self.list[0].geoms.is_empty() {
            let problem = "must have a body or a geom, found neither";
            findings.fail::<()>(root.place, "worldbody", problem);
        }
        for body in 0..self.list.len() {
            self.set_mass(body, findings);
        }
        self.set_total_mass();
    }

    fn children(&mut self, tag: &'a Tag, within: Within<'_>, findings: &mut Findings) {
        for child in &tag.children {
            self.count += 1;
            if self.count > MAX_MODEL_ELEMENTS {
                // Said once.
                if self.count == MAX_MODEL_ELEMENTS + 1 {
                    let problem = format!("must have {MAX_MODEL_ELEMENTS} elements at most, found more");
                    findings.fail::<()>(child.place, "worldbody", problem);
                }
                return;
            }
            match child.name.as_str() {
                "body" => self.body(child, within, findings),
                "geom" => self.geom(child, within, findings),
                "site" => self.site(child, within, findings),
                "joint" | "freejoint" => self.joint(child, within, findings),
                "inertial" => self.inertial(child, within, findings),
                "frame" => self.frame(child, within, findings),
                "replicate" => self.replicate(child, within, findings),
                name if NOT_IN_BODIES.contains(&name) => self.report.ignore(name),
                name if REFUSED_IN_BODIES.contains(&name) => {
                    let problem = "must not be given: it adds bodies or forces, and is not known";
                    findings.fail::<()>(child.place, name, problem);
                }
                name => {
                    let known = IN_BODIES.into_iter().chain(NOT_IN_BODIES);
                    let meant = did_you_mean(name, known);
                    let problem = format!("must be an element of a body, found {}{meant}", shorten(name));
                    findings.fail::<()>(child.place, &shorten(name), problem);
                }
            }
        }
    }

    fn path(tag: &Tag, suffix: &str) -> String {
        match tag.value("name") {
            Some(name) => format!("{}[{}{suffix}]", tag.name, shorten(name)),
            None => tag.name.clone(),
        }
    }

    fn element(&mut self, tag: &'a Tag, within: Within<'_>, findings: &mut Findings) -> Element<'a> {
        let path = Self::path(tag, within.suffix);
        let defaults = self.defaults;
        defaults.element(tag, within.class, path, findings)
    }

    /// Its name, with what copies add to it.
    fn name(&mut self, tag: &Tag, within: Within<'_>, other: String) -> String {
        match tag.value("name") {
            Some(name) => {
                if within.copies > 1 && !self.replicated.iter().any(|(known, _)| known == name) {
                    self.replicated.push((name.to_owned(), within.copies));
                }
                format!("{name}{}", within.suffix)
            }
            None => other,
        }
    }

    fn pose(&self, element: &Element<'_>, findings: &mut Findings) -> Pose {
        Pose {
            position: element.vector("pos", Vec3::zeros(), findings),
            rotation: self.compiler.angles.orientation(element, findings),
        }
    }

    fn check_class(&self, tag: &Tag, findings: &mut Findings) {
        if let Some(class) = tag
            .attribute("childclass")
            .filter(|class| !self.defaults.has(&class.value))
        {
            let path = format!("{}.childclass", tag.name);
            self.defaults.unknown(&class.value, class.place, &path, findings);
        }
    }

    fn frame(&mut self, tag: &'a Tag, within: Within<'_>, findings: &mut Findings) {
        self.check_class(tag, findings);
        let element = self.element(tag, within, findings);
        let pose = self.pose(&element, findings);
        let inner = Within {
            frame: within.frame.then(&pose),
            class: tag
                .value("childclass")
                .filter(|name| self.defaults.has(name))
                .or(within.class),
            ..within
        };
        self.children(tag, inner, findings);
    }

    /// Copies, each moved and turned from the one before.
    fn replicate(&mut self, tag: &'a Tag, within: Within<'_>, findings: &mut Findings) {
        let element = self.element(tag, within, findings);
        let count = element.whole("count", 0, findings);
        let Ok(count) = usize::try_from(count).map(|n| n.min(MAX_MODEL_ELEMENTS)) else {
            return;
        };
        let offset = element.vector("offset", Vec3::zeros(), findings);
        let turn = self.compiler.angles.euler(element.numbers("euler", [0.0; 3], findings));
        let separator = tag.value("sep").unwrap_or("");
        let digits = count.saturating_sub(1).to_string().len();
        let mut pose = Pose::identity();
        for k in 0..count {
            let suffix = format!("{}{separator}{k:0digits$}", within.suffix);
            let inner = Within {
                frame: within.frame.then(&pose),
                suffix: &suffix,
                copies: within.copies * count,
                ..within
            };
            self.children(tag, inner, findings);
            pose = pose.then(&Pose {
                position: offset,
                rotation: turn,
            });
        }
    }

    fn body(&mut self, tag: &'a Tag, within: Within<'_>, findings: &mut Findings) {
        self.check_class(tag, findings);
        if self.list.len() >= MAX_MODEL_BODIES {
            let problem = format!("must not be a body beyond {MAX_MODEL_BODIES}, found more");
            findings.fail::<()>(tag.place, "body", problem);
            return;
        }
        let element = self.element(tag, within, findings);
        let pose = within.frame.then(&self.pose(&element, findings));
        let number = self.list.len();
        let name = self.name(tag, within, format!("body{number}"));
        if self.list.iter().any(|body| body.name == name) {
            element.wrong::<()>("name", "must be the name of one body only", findings);
        }
        let mocap = element.value("mocap") == Some("true");
        if element.number("gravcomp", 0.0, findings) != 0.0 {
            let requirement =
                "must be 0: compensation of gravity is not known; an actuator or an applied force may carry the body";
            element.wrong::<()>("gravcomp", requirement, findings);
        }
        self.report.take("body");
        self.list.push(MjBody {
            name,
            parent: within.body,
            pose,
            mocap,
            joints: Vec::new(),
            geoms: Vec::new(),
            sites: Vec::new(),
            inertial: None,
            place: tag.place,
        });
        let inner = Within {
            body: number,
            frame: Pose::identity(),
            class: tag
                .value("childclass")
                .filter(|name| self.defaults.has(name))
                .or(within.class),
            ..within
        };
        self.children(tag, inner, findings);
        let body = &self.list[number];
        let free = body.joints.iter().any(|joint| joint.kind == MjJointKind::Free);
        if free && (body.joints.len() > 1 || within.body != 0) {
            let problem = "must be the only joint of a body of the world, found another place or more joints";
            findings.fail::<()>(tag.place, &format!("{}.joint", element.path), problem);
        }
    }

    fn joint(&mut self, tag: &'a Tag, within: Within<'_>, findings: &mut Findings) {
        let element = self.element(tag, within, findings);
        if within.body == 0 {
            findings.fail::<()>(tag.place, &element.path, "must be in a body, found it in the world");
            return;
        }
        let word = if tag.name == "freejoint" {
            Some("free")
        } else {
            element
                .choice("type", &["hinge", "slide", "ball", "free"], findings)
                .or(Some("hinge"))
        };
        let kind = match word {
            Some("slide") => MjJointKind::Slide,
            Some("ball") => MjJointKind::Ball,
            Some("free") => MjJointKind::Free,
            _ => MjJointKind::Hinge,
        };
        let number: usize = self.list.iter().map(|body| body.joints.len()).sum();
        let name = self.name(tag, within, format!("joint{number}"));
        if self
            .list
            .iter()
            .flat_map(|body| &body.joints)
            .any(|joint| joint.name == name)
        {
            element.wrong::<()>("name", "must be the name of one joint only", findings);
        }
        self.report.take(format!("joint {}", word.unwrap_or("hinge")));
        let mut joint = MjJoint {
            name,
            kind,
            pos: Vec3::zeros(),
            axis: Vec3::z(),
            limits: None,
            reference: 0.0,
            stiffness: 0.0,
            springref: 0.0,
            damping: 0.0,
            spring_damper: None,
            armature: 0.0,
            friction: 0.0,
            place: tag.place,
        };
        if tag.name != "freejoint" {
            self.set_joint(&mut joint, &element, within, findings);
        }
        self.list[within.body].joints.push(joint);
    }

    fn set_joint(&mut self, joint: &mut MjJoint, element: &Element<'_>, within: Within<'_>, findings: &mut Findings) {
        joint.pos = within.frame.point(element.vector("pos", Vec3::zeros(), findings));
        let axis = element.vector("axis", Vec3::z(), findings);
        joint.axis = within.frame.direction(direction(element, "axis", axis, findings));
        let turns = matches!(joint.kind, MjJointKind::Hinge | MjJointKind::Ball);
        let angles = self.compiler.angles.clone();
        let scale = |x: f64| if turns { angles.radians(x) } else { x };
        let range = element.numbers("range", [0.0; 2], findings);
        let has_range = element.get("range").is_some();
        let limited = element.tristate("limited", findings);
        if limited == Some(true) && !has_range {
            element.wrong::<()>("range", "must be given where limited is true", findings);
        }
        if has_range && limited.is_none() && !self.compiler.autolimits {
            let requirement = "must be true or false where a range is given and autolimits is false";
            element.wrong::<()>("limited", requirement, findings);
        }
        if limited.unwrap_or(has_range) {
            if range[0] >= range[1] {
                element.wrong::<()>("range", "must be in order", findings);
            } else if joint.kind == MjJointKind::Ball {
                self.report.ignore("joint.range of a ball");
            } else {
                joint.limits = Some(range.map(scale));
            }
            let largest = range[0].abs().max(range[1].abs());
            if turns && angles.degrees && largest > 0.0 && largest <= 3.2 {
                element.doubt("range", "looks like radians; compiler.angle is degree", findings);
            }
            if turns && !angles.degrees && largest > 20.0 {
                element.doubt("range", "looks like degrees; compiler.angle is radian", findings);
            }
        }
        joint.reference = scale(element.number("ref", 0.0, findings));
        joint.springref = scale(element.number("springref", 0.0, findings));
        // Newer versions take polynomials: their first term is the linear one.
        for (name, place) in [("stiffness", &mut joint.stiffness), ("damping", &mut joint.damping)] {
            let terms = element.list(name, findings).unwrap_or_default();
            *place = terms.first().copied().unwrap_or(0.0);
            if *place < 0.0 {
                element.wrong::<()>(name, "must not be negative", findings);
            }
            if terms.iter().skip(1).any(|x| *x != 0.0) {
                self.report.ignore(format!("joint.{name} beyond the linear term"));
            }
        }
        let [constant, ratio] = element.numbers("springdamper", [0.0; 2], findings);
        joint.spring_damper = (constant > 0.0 && ratio > 0.0).then_some([constant, ratio]);
        joint.armature = element.not_negative("armature", 0.0, findings);
        joint.friction = element.not_negative("frictionloss", 0.0, findings);
        if joint.kind == MjJointKind::Ball || joint.kind == MjJointKind::Free {
            // Coordinates are in the axes of the body.
            joint.axis = Vec3::z();
            if joint.spring_damper.take().is_some() {
                let requirement = "must not be given for a ball or free joint";
                element.wrong::<()>("springdamper", requirement, findings);
            }
            for (name, x) in [
                ("stiffness", &mut joint.stiffness),
                ("damping", &mut joint.damping),
                ("armature", &mut joint.armature),
                ("frictionloss", &mut joint.friction),
            ] {
                if *x != 0.0 {
                    let requirement =
                        "must be 0 for a ball or free joint: it acts along coordinates, which such a joint has none of";
                    element.wrong::<()>(name, requirement, findings);
                }
                *x = 0.0;
            }
            (joint.pos, joint.limits) = (
                if joint.kind == MjJointKind::Free {
                    Vec3::zeros()
                } else {
                    joint.pos
                },
                None,
            );
        }
    }

    fn inertial(&mut self, tag: &'a Tag, within: Within<'_>, findings: &mut Findings) {
        let element = self.element(tag, within, findings);
        let pose = within.frame.then(&self.pose(&element, findings));
        if element.get("mass").is_none() {
            element.wrong::<()>("mass", "must be given", findings);
            return;
        }
        let mass = element.not_negative("mass", 0.0, findings);
        let inertia = if element.get("fullinertia").is_some() {
            let [xx, yy, zz, xy, xz, yz] = element.numbers("fullinertia", [0.0; 6], findings);
            Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
        } else {
            Mat3::from_diagonal(&element.vector("diaginertia", Vec3::zeros(), findings))
        };
        let turn = pose.rotation.to_rotation_matrix().into_inner();
        self.report.take("inertial");
        self.list[within.body].inertial = Some(MjInertial {
            mass,
            centre: pose.position,
            inertia: turn * inertia * turn.transpose(),
            place: tag.place,
        });
    }

    /// Sizes, with the pose that `fromto` gives.
    fn sized(&self, element: &Element<'_>, kind: &str, findings: &mut Findings) -> ([f64; 3], Pose) {
        let mut size = element.up_to("size", [0.0; 3], findings);
        let mut pose = Pose {
            position: element.vector("pos", Vec3::zeros(), findings),
            rotation: Quat::identity(),
        };
        let lies = ["capsule", "cylinder", "box", "ellipsoid"].contains(&kind);
        let own_pose = ["pos", "quat", "axisangle", "euler", "xyaxes", "zaxis"];
        let is_own = |name: &&str| element.tag.attribute(name).is_some();
        let from_to = element
            .get("fromto")
            .filter(|_| lies && (element.tag.attribute("fromto").is_some() || !own_pose.iter().any(is_own)));
        if from_to.is_none() {
            pose.rotation = self.compiler.angles.orientation(element, findings);
            return (size, pose);
        }
        let [a, b, c, d, e, f] = element.numbers("fromto", [0.0; 6], findings);
        let (from, to) = (Vec3::new(a, b, c), Vec3::new(d, e, f));
        let along = from - to;
        if along.norm() < LENGTH_RANGE[0] {
            element.wrong::<()>("fromto", "must be two different points", findings);
            return (size, pose);
        }
        let half = 0.5 * along.norm();
        size = if ["box", "ellipsoid"].contains(&kind) {
            [size[0], size[0], half]
        } else {
            [size[0], half, 0.0]
        };
        pose = Pose {
            position: 0.5 * (from + to),
            rotation: crate::scene::joints::from_z(along.normalize()),
        };
        (size, pose)
    }

    fn primitive(kind: &str, [a, b, c]: [f64; 3], element: &Element<'_>, findings: &mut Findings) -> Option<Shape> {
        let count = match kind {
            "sphere" => 1,
            "capsule" | "cylinder" => 2,
            _ => 3,
        };
        let [least, most] = LENGTH_RANGE;
        if [a, b, c][..count].iter().any(|x| !(least..=most).contains(x)) {
            let requirement = format!("must be {count} positive sizes for a {kind}");
            return element.wrong("size", &requirement, findings);
        }
        Some(match kind {
            "sphere" => Shape::Ball { radius: a },
            "capsule" => Shape::Capsule {
                half_length: b,
                radius: a,
            },
            "cylinder" => Shape::Cylinder {
                half_height: b,
                radius: a,
            },
            "ellipsoid" => Shape::Ellipsoid {
                semi_axes: Vec3::new(a, b, c),
            },
            _ => Shape::cuboid(Vec3::new(a, b, c)),
        })
    }

    #[allow(clippy::too_many_lines)] // One attribute after the other.
    fn geom(&mut self, tag: &'a Tag, within: Within<'_>, findings: &mut Findings) {
        const KINDS: [&str; 9] = [
            "plane",
            "hfield",
            "sphere",
            "capsule",
            "ellipsoid",
            "cylinder",
            "box",
            "mesh",
            "sdf",
        ];
        let element = self.element(tag, within, findings);
        let given = element.choice("type", &KINDS, findings);
        if given.is_none() && element.get("type").is_some() {
            return;
        }
        let meshed = given.is_none() && tag.attribute("mesh").is_some();
        let kind = given.unwrap_or(if meshed { "mesh" } else { "sphere" });
        let (size, own) = self.sized(&element, kind, findings);
        let pose = within.frame.then(&own);
        let shape = match kind {
            "plane" => Some(Shape::HalfSpace {
                normal: pose.direction(Vec3::z()),
            }),
            "mesh" => self.mesh(&element, findings),
            "hfield" => self.height_field(&element, findings),
            "sdf" => {
                self.report.ignore("geom sdf");
                return;
            }
            _ => Self::primitive(kind, size, &element, findings),
        };
        if matches!(kind, "plane" | "hfield") && within.body != 0 && !self.is_static(within.body) {
            let problem = format!("must be fixed to the world, found a {kind} in a body that moves");
            findings.fail::<()>(tag.place, &element.path, problem);
        }
        let [contype, conaffinity] = ["contype", "conaffinity"].map(|name| element.whole(name, 1, findings));
        let condim = element.whole("condim", 3, findings);
        if ![1, 3, 4, 6].contains(&condim) {
            element.wrong::<()>("condim", "must be 1, 3, 4 or 6", findings);
        }
        if condim > 3 {
            self.report
                .change("geom.condim 4 or 6 taken as 3: no torsional and rolling friction");
        }
        if element.choice("shellinertia", &["true", "false"], findings) == Some("true") {
            let requirement = "must be false: mass on the surface alone is not known; give an inertial instead";
            element.wrong::<()>("shellinertia", requirement, findings);
        }
        let friction = element.up_to("friction", [1.0, 0.005, 0.0001], findings);
        if friction[0] < 0.0 {
            element.wrong::<()>("friction", "must not be negative", findings);
        }
        let number: usize = self.list.iter().map(|body| body.geoms.len()).sum();
        let name = self.name(tag, within, format!("geom{number}"));
        let group = element.number("group", 0.0, findings);
        let [low, high] = self.compiler.groups;
        let weighs = (low..=high).contains(&group);
        let solid = shape.as_ref().and_then(MassProperties::of).filter(|_| weighs);
        let mass = solid.map_or((0.0, Vec3::zeros(), Mat3::zeros()), |solid| {
            let posed = solid.posed(&pose);
            let mass = match element.get("mass") {
                Some(_) => element.not_negative("mass", 0.0, findings),
                None => posed.volume * element.not_negative("density", 1000.0, findings),
            };
            (mass, posed.centre, posed.inertia * (mass / posed.volume))
        });
        let Some(shape) = shape else { return };
        self.report.take(format!("geom {kind}"));
        #[allow(clippy::cast_sign_loss, clippy::cast_possible_truncation)] // Masks of bits.
        self.list[within.body].geoms.push(MjGeom {
            name,
            pose: if kind == "plane" {
                Pose {
                    position: pose.position,
                    rotation: Quat::identity(),
                }
            } else {
                pose
            },
            shape,
            mass: mass.0,
            centre: mass.1,
            inertia: mass.2,
            friction: if condim == 1 { 0.0 } else { friction[0] },
            sliding: friction[0],
            is_frictionless: condim == 1,
            masks: [contype as u32, conaffinity as u32],
            priority: element.whole("priority", 0, findings),
            place: tag.place,
        });
    }

    /// Whether a body is fixed to the world by what is known of it so far.
    fn is_static(&self, mut body: usize) -> bool {
        while body != 0 {
            if !self.list[body].joints.is_empty() || self.list[body].mocap {
                return false;
            }
            body = self.list[body].parent;
        }
        true
    }

    /// An asset by the name in an attribute.
    fn asset(&self, element: &Element<'_>, kind: &'static str, findings: &mut Findings) -> Option<&'a Tag> {
        let Some(name) = element.value(kind) else {
            return element.wrong(kind, "must be given", findings);
        };
        let file_name = |tag: &Tag| {
            let file = tag
                .value("file")
                .map(|file| Path::new(file).file_stem().unwrap_or_default());
            file.map(|stem| stem.to_string_lossy().into_owned())
        };
        let name_of = |tag: &Tag| tag.value("name").map(str::to_owned).or_else(|| file_name(tag));
        let root: &'a Tag = self.root;
        let found = root
            .in_sections("asset", kind)
            .find(|tag| name_of(tag).as_deref() == Some(name));
        if found.is_none() {
            let names: Vec<String> = root.in_sections("asset", kind).filter_map(name_of).collect();
            let meant = did_you_mean(name, names.iter().map(String::as_str));
            let place = element.get(kind).map_or(element.tag.place, |a| a.place);
            let problem = format!(
                "must be the name of a {kind} among the assets, found {}{meant}",
                shorten(name)
            );
            findings.fail::<()>(place, &format!("{}.{kind}", element.path), problem);
        }
        found
    }

    fn mesh(&mut self, element: &Element<'a>, findings: &mut Findings) -> Option<Shape> {
        let tag = self.asset(element, "mesh", findings)?;
        let asset = self.defaults.element(tag, None, Self::path(tag, ""), findings);
        let scale = asset.vector("scale", Vec3::new(1.0, 1.0, 1.0), findings);
        if asset.choice("inertia", &["convex", "exact", "legacy", "shell"], findings) == Some("shell") {
            let requirement = "must not be shell: mass on the surface alone is not known; give an inertial instead";
            asset.wrong::<()>("inertia", requirement, findings);
        }
        let corners = if let Some(list) = asset.list("vertex", findings) {
            if list.len() % 3 != 0 {
                return asset.wrong("vertex", "must be three numbers for each vertex", findings);
            }
            list.chunks_exact(3).map(Vec3::from_column_slice).collect()
        } else {
            let file = asset.value("file").or_else(|| {
                asset.wrong::<()>("file", "must be given", findings);
                None
            })?;
            let path = self.reader.within.join(&self.compiler.meshdir).join(file);
            match mesh::read(self.reader.folder, &path.to_string_lossy()) {
                Ok(file) => file.corners,
                Err(problem) => {
                    let place = asset.get("file").map_or(tag.place, |a| a.place);
                    return findings.fail(place, &format!("{}.file", asset.path), problem);
                }
            }
        };
        // Shifted and turned first, then scaled.
        let inner = Pose {
            position: asset.vector("refpos", Vec3::zeros(), findings),
            rotation: {
                let [w, x, y, z] = asset.numbers("refquat", [1.0, 0.0, 0.0, 0.0], findings);
                Quat::new_normalize(nalgebra::Quaternion::new(w, x, y, z))
            },
        };
        let points = corners
            .iter()
            .map(|corner| inner.point_in_body(*corner).component_mul(&scale));
        self.report
            .change("geom mesh taken as its convex hull, with the mass of the hull");
        match shapes::hull_of(points.collect()) {
            Ok(shape) => Some(shape),
            Err(problem) => findings.fail(tag.place, &asset.path, problem),
        }
    }

    fn height_field(&mut self, element: &Element<'a>, findings: &mut Findings) -> Option<Shape> {
        let tag = self.asset(element, "hfield", findings)?;
        let asset = self.defaults.element(tag, None, Self::path(tag, ""), findings);
        let [x, y, height, _] = asset.numbers("size", [1.0, 1.0, 1.0, 1.0], findings);
        if asset.get("file").is_some() {
            return asset.wrong(
                "file",
                "must be elevation instead: files of heights are not read",
                findings,
            );
        }
        let [rows, columns] = ["nrow", "ncol"].map(|name| usize::try_from(asset.whole(name, 0, findings)).unwrap_or(0));
        let values = asset.list("elevation", findings).unwrap_or_default();
        if rows < 2 || columns < 2 || values.len() != rows * columns {
            let requirement = format!("must be {rows} rows of {columns} numbers, two of each at least");
            return asset.wrong("elevation", &requirement, findings);
        }
        // Heights are scaled to between 0 and 1; rows begin at the top.
        let [low, high] = values
            .iter()
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
                [low.min(*x), high.max(*x)]
            });
        let span = if high > low { high - low } else { 1.0 };
        let mut heights = Vec::with_capacity(values.len());
        for row in values.chunks_exact(columns).rev() {
            heights.extend(row.iter().map(|z| (z - low) / span * height));
        }
        let spacing = (2.0 * x / (columns - 1) as f64, 2.0 * y / (rows - 1) as f64);
        match TriangleMesh::height_map(columns, rows, spacing, &heights) {
            Ok(mesh) => {
                let shape = Shape::Mesh(Arc::new(mesh));
                Some(shape)
            }
            Err(error) => findings.fail(tag.place, &asset.path, format!("must make a surface: {error}")),
        }
    }

    fn site(&mut self, tag: &'a Tag, within: Within<'_>, findings: &mut Findings) {
        let element = self.element(tag, within, findings);
        let kinds = ["sphere", "capsule", "ellipsoid", "cylinder", "box"];
        let kind = element.choice("type", &kinds, findings).unwrap_or("sphere");
        let (size, own) = self.sized(&element, kind, findings);
        let number: usize = self.list.iter().map(|body| body.sites.len()).sum();
        let name = self.name(tag, within, format!("site{number}"));
        if self
            .list
            .iter()
            .flat_map(|body| &body.sites)
            .any(|site| site.name == name)
        {
            element.wrong::<()>("name", "must be the name of one site only", findings);
        }
        let size = if element.get("size").is_some() || element.get("fromto").is_some() {
            size
        } else {
            [0.005; 3]
        };
        let size = [
            size[0],
            if size[1] > 0.0 { size[1] } else { 0.005 },
            if size[2] > 0.0 { size[2] } else { 0.005 },
        ];
        let Some(zone) = Self::primitive(kind, size, &element, findings) else {
            return;
        };
        self.report.take("site");
        self.list[within.body].sites.push(MjSite {
            name,
            pose: within.frame.then(&own),
            zone,
        });
    }

    /// Mass of a body: as given, or of its geometry.
    fn set_mass(&mut self, number: usize, findings: &mut Findings) {
        let compiler = &self.compiler;
        let body = &mut self.list[number];
        let from_geoms = compiler.from_geoms.unwrap_or(body.inertial.is_none());
        if from_geoms {
            if body.inertial.is_some() {
                self.report
                    .change("inertial replaced by the geometry, as compiler.inertiafromgeom says");
            }
            let mass: f64 = body.geoms.iter().map(|geom| geom.mass).sum();
            let centre = body.geoms.iter().map(|geom| geom.mass * geom.centre).sum::<Vec3>();
            let centre = if mass > 0.0 { centre / mass } else { Vec3::zeros() };
            let inertia = body
                .geoms
                .iter()
                .map(|geom| geom.inertia + about_point(geom.mass, geom.centre - centre));
            body.inertial = Some(MjInertial {
                mass,
                centre,
                inertia: inertia.sum(),
                place: body.place,
            });
        }
        let Some(inertial) = &mut body.inertial else {
            body.inertial = Some(MjInertial {
                mass: 0.0,
                centre: Vec3::zeros(),
                inertia: Mat3::zeros(),
                place: body.place,
            });
            return;
        };
        if number > 0 {
            inertial.mass = inertial.mass.max(compiler.bound_mass);
        }
        if inertial.mass == 0.0 && compiler.bound_inertia == 0.0 {
            return;
        }
        let eigen = inertial.inertia.symmetric_eigen();
        let mut moments = eigen.eigenvalues;
        let lowest = moments.min();
        let largest = moments.max();
        let is_triangle = 2.0 * largest <= moments.sum() * (1.0 + 1e-9);
        if !is_triangle && compiler.balance {
            moments.fill(moments.mean());
            self.report.change("inertia balanced, as compiler.balanceinertia says");
        } else if !is_triangle {
            let problem = format!(
                "must have moments of inertia of which none exceeds the sum of the others, found {:.6} {:.6} {:.6}",
                moments.x, moments.y, moments.z
            );
            findings.fail::<()>(
                inertial.place,
                &format!("body[{}].inertial", shorten(&body.name)),
                problem,
            );
        }
        if number > 0 && lowest < compiler.bound_inertia {
            moments = moments.map(|x| x.max(compiler.bound_inertia));
        }
        if moments != eigen.eigenvalues {
            let axes = eigen.eigenvectors;
            inertial.inertia = axes * Mat3::from_diagonal(&moments) * axes.transpose();
        }
    }

    fn set_total_mass(&mut self) {
        let Some(total) = self.compiler.total_mass else { return };
        let own = || self.list.iter().skip(1).filter_map(|body| body.inertial.as_ref());
        let sum: f64 = own().map(|inertial| inertial.mass).sum();
        if sum > 0.0 {
            for inertial in self.list.iter_mut().skip(1).filter_map(|body| body.inertial.as_mut()) {
                inertial.mass *= total / sum;
                inertial.inertia *= total / sum;
            }
        }
    }
}

/// Inertia of a mass at a place.
pub(super) fn about_point(mass: f64, r: Vec3) -> Mat3 {
    mass * (Mat3::identity() * r.norm_squared() - r * r.transpose())
}
