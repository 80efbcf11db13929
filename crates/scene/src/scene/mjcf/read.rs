//! From the elements of a model to bodies in their parents, with joints, geometry and sites.

mod geometry;
pub(super) mod mass;

use stiction_contact::nearest::did_you_mean;

use super::attributes::{IN_BODIES, NOT_IN_BODIES, REFUSED_IN_BODIES};
use super::defaults::{Angles, Defaults, Element, direction};
use super::document::{Findings, Place, Reader, Tag};
use super::{MjBody, MjJoint, MjJointKind};
use crate::scene::error::shorten;
use crate::scene::import::ImportReport;
use crate::{Pose, Vec3};

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
}
