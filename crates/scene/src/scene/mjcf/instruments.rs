//! Actuators, sensors, tendons, equalities, contact pairs and keyframes of a model, by number of what they are on.

mod couplings;

use stiction_contact::nearest::did_you_mean;

use super::defaults::{Defaults, Element};
use super::document::{Findings, Tag};
use super::laws;
use super::read::Compiler;
use super::{MjBody, MjJoint, MjJointKind};
use crate::ActuatorKind;
use crate::Vec3;
use crate::scene::error::shorten;
use crate::scene::import::ImportReport;

/// What an actuator pulls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pulls {
    /// A joint, counted over all bodies.
    Joint(usize),
    /// A tendon.
    Tendon(usize),
}

/// How the force of an actuator follows from its control, length and speed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Law {
    pub(super) kind: ActuatorKind,
    pub(super) gain: [f64; 3],
    pub(super) bias: [f64; 3],
    /// Of the critical damping with the inertia that it moves, instead of the last bias.
    pub(super) damping_ratio: Option<f64>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct MjActuator {
    pub(super) name: String,
    pub(super) law: Law,
    pub(super) pulls: Pulls,
    pub(super) gear: f64,
    pub(super) ctrl_range: Option<[f64; 2]>,
    pub(super) force_range: Option<[f64; 2]>,
}

/// What a tendon runs along.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Path {
    /// Coefficients of joints.
    Fixed(Vec<(f64, usize)>),
    /// Sites, in their order.
    Sites(Vec<usize>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct MjTendon {
    pub(super) name: String,
    pub(super) path: Path,
    pub(super) limits: Option<[f64; 2]>,
    pub(super) friction: f64,
    pub(super) stiffness: f64,
    pub(super) damping: f64,
    pub(super) rest: f64,
    pub(super) armature: f64,
}

/// Where two bodies are held together.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum MjEquality {
    /// At a point of the first body.
    Connect([usize; 2], Vec3),
    /// As they lie, or as a pose of the second in the first says.
    Weld([usize; 2], Option<crate::Pose>),
    /// At the points of two sites; turned as these are too where the flag says so.
    Sites([usize; 2], bool),
    /// The first joint follows the second: a ratio and an offset.
    Joint([usize; 2], [f64; 2]),
}

/// What a sensor reads, before numbers of a world are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    JointPosition(usize),
    JointVelocity(usize),
    ActuatorForce(usize),
    /// Where the centre of mass of a body is.
    Centre(usize),
    /// Of a frame: a body or a site, and whether it is a site.
    Frame(&'static str, usize, bool),
}

/// A state of all coordinates, as MuJoCo orders them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) qpos: Option<Vec<f64>>,
    pub(super) qvel: Option<Vec<f64>>,
    pub(super) ctrl: Option<Vec<f64>>,
}

/// All of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Instruments {
    pub(super) actuators: Vec<MjActuator>,
    pub(super) tendons: Vec<MjTendon>,
    pub(super) equalities: Vec<(String, MjEquality)>,
    pub(super) sensors: Vec<(String, Reads)>,
    pub(super) keys: Vec<Key>,
    /// Pairs of bodies that never touch.
    pub(super) excluded: Vec<[usize; 2]>,
    /// Pairs of geoms that do, with a friction of their own.
    pub(super) pairs: Vec<([usize; 2], Option<f64>)>,
}

/// Reads them.
pub(super) struct Reading<'a> {
    pub(super) root: &'a Tag,
    pub(super) defaults: &'a Defaults,
    pub(super) compiler: &'a Compiler,
    pub(super) bodies: &'a [MjBody],
    pub(super) replicated: &'a [(String, usize)],
    pub(super) report: &'a mut ImportReport,
    /// Whether each actuator of the file is taken.
    pub(super) taken: Vec<bool>,
    pub(super) out: Instruments,
}

/// Number of what has a name; one that is not there is reported.
fn find<'n>(
    element: &Element<'_>,
    attribute: &str,
    what: &str,
    names: impl Iterator<Item = &'n str> + Clone,
    findings: &mut Findings,
) -> Option<usize> {
    let Some(given) = element.get(attribute) else {
        return element.wrong(attribute, "must be given", findings);
    };
    let found = names.clone().position(|name| name == given.value);
    if found.is_none() {
        let meant = did_you_mean(&given.value, names);
        let problem = format!("must be the name of a {what}, found {}{meant}", shorten(&given.value));
        findings.fail::<()>(given.place, &format!("{}.{attribute}", element.path), problem);
    }
    found
}

impl<'a> Reading<'a> {
    pub(super) fn read(&mut self, findings: &mut Findings) {
        let root = self.root;
        for tag in root.all("tendon").flat_map(|section| &section.children) {
            self.tendon(tag, findings);
        }
        for tag in root.all("equality").flat_map(|section| &section.children) {
            self.equality(tag, findings);
        }
        for tag in root.all("actuator").flat_map(|section| &section.children) {
            let count = self.out.actuators.len();
            self.actuator(tag, findings);
            self.taken.push(self.out.actuators.len() > count);
        }
        for tag in root.all("sensor").flat_map(|section| &section.children) {
            self.sensor(tag, findings);
        }
        for tag in root.all("contact").flat_map(|section| &section.children) {
            self.contact(tag, findings);
        }
        for tag in root.in_sections("keyframe", "key") {
            self.key(tag, findings);
        }
    }

    fn joints(&self) -> impl Iterator<Item = &'a MjJoint> + Clone + use<'a> {
        self.bodies.iter().flat_map(|body| &body.joints)
    }

    fn body_names(&self) -> impl Iterator<Item = &'a str> + Clone + use<'a> {
        self.bodies.iter().map(|body| body.name.as_str())
    }

    fn site_names(&self) -> impl Iterator<Item = &'a str> + Clone + use<'a> {
        let sites = self.bodies.iter().flat_map(|body| &body.sites);
        sites.map(|site| site.name.as_str())
    }

    fn geom_names(&self) -> impl Iterator<Item = &'a str> + Clone + use<'a> {
        let geoms = self.bodies.iter().flat_map(|body| &body.geoms);
        geoms.map(|geom| geom.name.as_str())
    }

    fn element(&mut self, tag: &'a Tag, findings: &mut Findings) -> Element<'a> {
        let path = match tag.value("name") {
            Some(name) => format!("{}[{}]", tag.name, shorten(name)),
            None => tag.name.clone(),
        };
        let defaults = self.defaults;
        defaults.element(tag, None, path, findings)
    }

    /// A range that counts as `limited` says.
    fn range(&self, element: &Element<'_>, [range, limited]: [&str; 2], findings: &mut Findings) -> Option<[f64; 2]> {
        let given = element.get(range).is_some();
        let [low, high] = element.numbers(range, [0.0; 2], findings);
        let counts = element
            .tristate(limited, findings)
            .unwrap_or(given && self.compiler.autolimits);
        if counts && !given {
            element.wrong::<()>(range, &format!("must be given where {limited} is true"), findings);
        }
        if counts && low > high {
            element.wrong::<()>(range, "must be in order", findings);
        }
        counts.then_some([low, high])
    }

    /// Copies of an element over things that were replicated: the suffixes that their names take.
    fn suffixes(&self, tag: &Tag, element: &str, attribute: &str) -> Vec<String> {
        let names = tag.all(element).filter_map(|part| part.value(attribute));
        let copies = names.filter_map(|name| self.replicated.iter().find(|(known, _)| known == name));
        let count = copies.map(|(_, count)| *count).min().unwrap_or(1);
        if count == 1 {
            return vec![String::new()];
        }
        let digits = (count - 1).to_string().len();
        (0..count).map(|k| format!("{k:0digits$}")).collect()
    }

    fn actuator(&mut self, tag: &'a Tag, findings: &mut Findings) {
        let element = self.element(tag, findings);
        let name = tag
            .value("name")
            .map_or(format!("actuator{}", self.out.actuators.len()), str::to_owned);
        if self.out.actuators.iter().any(|other| other.name == name) {
            element.wrong::<()>("name", "must be the name of one actuator only", findings);
        }
        let pulls = if element.get("joint").is_some() {
            let names = self.joints().map(|joint| joint.name.as_str());
            let Some(joint) = find(&element, "joint", "joint", names, findings) else {
                return;
            };
            if !self.has_coordinate(joint) {
                return self
                    .report
                    .ignore(format!("actuator {} on a ball or free joint", tag.name));
            }
            Pulls::Joint(joint)
        } else if element.get("tendon").is_some() {
            let names: Vec<String> = self.out.tendons.iter().map(|tendon| tendon.name.clone()).collect();
            let Some(tendon) = find(&element, "tendon", "tendon", names.iter().map(String::as_str), findings) else {
                return;
            };
            if matches!(self.out.tendons[tendon].path, Path::Sites(_)) {
                return self.report.ignore(format!("actuator {} on a spatial tendon", tag.name));
            }
            Pulls::Tendon(tendon)
        } else {
            let others = ["jointinparent", "cranksite", "site", "refsite", "body", "target"];
            let on = others.into_iter().find(|name| element.get(name).is_some());
            let Some(on) = on else {
                element.wrong::<()>("joint", "must be given", findings);
                return;
            };
            return self.report.ignore(format!("actuator {} on {on}", tag.name));
        };
        let Some(law) = self.law(tag, &element, findings) else {
            return;
        };
        let mut ctrl_range = self.range(&element, ["ctrlrange", "ctrllimited"], findings);
        let inherited = element.number("inheritrange", 0.0, findings);
        if let (Pulls::Joint(joint), true) = (pulls, inherited > 0.0) {
            let limits = self.joints().nth(joint).and_then(|joint| joint.limits);
            let Some([low, high]) = limits else {
                element.wrong::<()>("inheritrange", "must be of a joint with a range", findings);
                return;
            };
            let (middle, half) = (0.5 * (low + high), 0.5 * (high - low) * inherited);
            ctrl_range = Some([middle - half, middle + half]);
        }
        let force_range = self.range(&element, ["forcerange", "forcelimited"], findings);
        for name in ["armature", "damping"] {
            let terms = element.list(name, findings).unwrap_or_default();
            if terms.iter().any(|x| *x != 0.0) {
                let requirement = "must be 0 for an actuator: give it to the joint, times the square of the gear";
                element.wrong::<()>(name, requirement, findings);
            }
        }
        let gear = element.up_to("gear", [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], findings)[0];
        self.report.take(format!("actuator {}", tag.name));
        self.out.actuators.push(MjActuator {
            name,
            law,
            pulls,
            gear,
            ctrl_range,
            force_range,
        });
    }

    /// Kind, gain and bias of an actuator; none where it has a state of its own or another law.
    fn law(&mut self, tag: &Tag, element: &Element<'_>, findings: &mut Findings) -> Option<Law> {
        let kind = match tag.name.as_str() {
            "motor" => ActuatorKind::Motor,
            "position" => ActuatorKind::Position,
            "velocity" => ActuatorKind::Velocity,
            "damper" | "general" => ActuatorKind::General,
            kind => {
                self.report.ignore(format!("actuator {kind}"));
                return None;
            }
        };
        let laws::Law {
            gain_type,
            bias_type,
            dynamics,
            gain,
            bias,
            damping_ratio,
            constant,
            ..
        } = element.law(findings);
        if constant > 0.0 {
            self.report.ignore("actuator position with timeconst");
            return None;
        }
        if dynamics != "none" {
            self.report
                .ignore(format!("actuator general with dyntype {}", shorten(&dynamics)));
            return None;
        }
        let [gain_type, bias_type] = [&gain_type, &bias_type].map(|name| shorten(name));
        if !(["fixed", "affine"].contains(&&*gain_type) && ["none", "affine"].contains(&&*bias_type)) {
            let law = format!("{gain_type} and {bias_type}");
            self.report.ignore(format!("actuator general with gain and bias {law}"));
            return None;
        }
        let gain = if gain_type == "fixed" {
            [gain[0], 0.0, 0.0]
        } else {
            gain
        };
        Some(Law {
            kind,
            gain,
            bias: if bias_type == "none" { [0.0; 3] } else { bias },
            damping_ratio,
        })
    }

    fn sensor(&mut self, tag: &'a Tag, findings: &mut Findings) {
        let element = self.element(tag, findings);
        let name = tag
            .value("name")
            .map_or(format!("sensor{}", self.out.sensors.len()), str::to_owned);
        let joint = |element: &Element<'_>, findings: &mut Findings| {
            let names = self.joints().map(|joint| joint.name.as_str());
            find(element, "joint", "joint", names, findings)
        };
        let site =
            |element: &Element<'_>, findings: &mut Findings| find(element, "site", "site", self.site_names(), findings);
        let reads = match tag.name.as_str() {
            kind @ ("jointpos" | "jointvel") => {
                let Some(joint) = joint(&element, findings) else { return };
                if !self.has_coordinate(joint) {
                    element.wrong::<()>("joint", "must be a hinge or slide", findings);
                    return;
                }
                if kind == "jointpos" {
                    Some(Reads::JointPosition(joint))
                } else {
                    Some(Reads::JointVelocity(joint))
                }
            }
            "actuatorfrc" => {
                if self.is_ignored_actuator(&element) {
                    return self.report.ignore("sensor actuatorfrc of an actuator that is ignored");
                }
                let names: Vec<String> = self
                    .out
                    .actuators
                    .iter()
                    .map(|actuator| actuator.name.clone())
                    .collect();
                let found = find(
                    &element,
                    "actuator",
                    "actuator",
                    names.iter().map(String::as_str),
                    findings,
                );
                found.map(Reads::ActuatorForce)
            }
            kind @ ("framepos" | "framequat") => {
                if element.get("reftype").is_some() || element.get("refname").is_some() {
                    return self.report.ignore(format!("sensor {kind} relative to another frame"));
                }
                let kind = if kind == "framepos" { "framepos" } else { "framequat" };
                match element.value("objtype") {
                    Some("body" | "xbody") => {
                        let inertial = element.value("objtype") == Some("body");
                        if inertial && kind == "framequat" {
                            self.report
                                .change("sensor framequat of the inertial frame taken of the body's frame");
                        }
                        let found = find(&element, "objname", "body", self.body_names(), findings);
                        found.map(|body| match kind {
                            "framepos" if inertial => Reads::Centre(body),
                            _ => Reads::Frame(kind, body, false),
                        })
                    }
                    Some("site") => {
                        let found = find(&element, "objname", "site", self.site_names(), findings);
                        found.map(|site| Reads::Frame(kind, site, true))
                    }
                    _ => return self.report.ignore(format!("sensor {kind} of another object")),
                }
            }
            "touch" => site(&element, findings).map(|site| Reads::Frame("touch", site, true)),
            "force" => site(&element, findings).map(|site| Reads::Frame("force", site, true)),
            "torque" => site(&element, findings).map(|site| Reads::Frame("torque", site, true)),
            "gyro" => site(&element, findings).map(|site| Reads::Frame("gyro", site, true)),
            "accelerometer" => site(&element, findings).map(|site| Reads::Frame("accelerometer", site, true)),
            kind => return self.report.ignore(format!("sensor {kind}")),
        };
        if let Some(reads) = reads {
            self.report.take(format!("sensor {}", tag.name));
            self.out.sensors.push((name, reads));
        }
    }

    /// Whether a sensor is on an actuator of the file that was not taken.
    fn is_ignored_actuator(&self, element: &Element<'_>) -> bool {
        let Some(wanted) = element.value("actuator") else {
            return false;
        };
        let mut all = self.root.all("actuator").flat_map(|section| &section.children);
        let is_taken = self.out.actuators.iter().any(|actuator| actuator.name == wanted);
        !is_taken && all.any(|tag| tag.value("name") == Some(wanted))
    }

    fn contact(&mut self, tag: &'a Tag, findings: &mut Findings) {
        let element = self.element(tag, findings);
        match tag.name.as_str() {
            "exclude" => {
                let ends = ["body1", "body2"].map(|name| find(&element, name, "body", self.body_names(), findings));
                if let [Some(a), Some(b)] = ends {
                    self.report.take("contact exclude");
                    self.out.excluded.push([a, b]);
                }
            }
            "pair" => {
                let ends = ["geom1", "geom2"].map(|name| find(&element, name, "geom", self.geom_names(), findings));
                let friction = element
                    .get("friction")
                    .map(|_| element.up_to("friction", [1.0], findings)[0]);
                let friction = if element.value("condim") == Some("1") {
                    Some(0.0)
                } else {
                    friction
                };
                if let [Some(a), Some(b)] = ends {
                    self.report.take("contact pair");
                    self.out.pairs.push(([a, b], friction));
                }
            }
            kind => self.report.ignore(format!("contact {kind}")),
        }
    }

    fn key(&mut self, tag: &'a Tag, findings: &mut Findings) {
        let element = self.element(tag, findings);
        let size = |kind: MjJointKind| match kind {
            MjJointKind::Hinge | MjJointKind::Slide => [1, 1],
            MjJointKind::Ball => [4, 3],
            MjJointKind::Free => [7, 6],
        };
        let counts = self.joints().fold([0, 0], |[q, v], joint| {
            let [a, b] = size(joint.kind);
            [q + a, v + b]
        });
        let mut list = |name: &str, count: usize| {
            let list = element.list(name, findings)?;
            if list.len() != count {
                let requirement = format!("must be {count} numbers");
                let found = list.len();
                let place = element.get(name).map_or(tag.place, |a| a.place);
                let path = format!("{}.{name}", element.path);
                return findings.fail(place, &path, format!("{requirement}, found {found}"));
            }
            Some(list)
        };
        let (qpos, qvel) = (list("qpos", counts[0]), list("qvel", counts[1]));
        // One for each actuator of the file; those of actuators that are ignored have no use.
        let ctrl = list("ctrl", self.taken.len()).map(|ctrl| {
            let own = ctrl.into_iter().zip(&self.taken);
            own.filter(|(_, is_taken)| **is_taken).map(|(x, _)| x).collect()
        });
        self.report.take("key");
        self.out.keys.push(Key {
            name: tag.value("name").unwrap_or_default().to_owned(),
            qpos,
            qvel,
            ctrl,
        });
    }
}
