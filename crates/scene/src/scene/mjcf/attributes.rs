//! Attributes by element: those that are taken, and those that MJCF knows and a world does not take. Any other is a mistake.

use stiction_contact::nearest::did_you_mean;

use super::defaults::ACTUATORS;
use super::document::{Findings, Tag};
use crate::scene::error::shorten;
use crate::scene::import::ImportReport;

const ORIENTATION: &str = "quat axisangle euler xyaxes zaxis";
const SOFT: &str = "solref solimp";
const SOFT_FRICTION: &str = "solreflimit solimplimit solreffriction solimpfriction";
const LOOKS: &str = "group user rgba material";

/// What the attributes of an element are: words with blanks between them, in lists.
struct Known {
    taken: Vec<&'static str>,
    unused: Vec<&'static str>,
}

impl Known {
    fn has(lists: &[&'static str], name: &str) -> bool {
        lists.iter().any(|list| list.split(' ').any(|word| word == name))
    }

    fn names(&self) -> impl Iterator<Item = &'static str> + Clone + '_ {
        self.taken.iter().chain(&self.unused).flat_map(|list| list.split(' '))
    }
}

fn known(taken: &[&'static str], unused: &[&'static str]) -> Known {
    Known {
        taken: taken.to_vec(),
        unused: unused.to_vec(),
    }
}

/// Elements directly in the model.
fn section(name: &str) -> Option<Known> {
    Some(match name {
        "mujoco" => known(&["model"], &[]),
        "compiler" => known(
            &[
                "angle autolimits balanceinertia boundinertia boundmass coordinate eulerseq inertiafromgeom",
                "inertiagrouprange assetdir meshdir settotalmass",
            ],
            &[
                "alignfree conflict convexhull discardvisual exactmeshinertia fitaabb fusestatic passthrough",
                "savecanonical savecompiled saveinertial strippath texturedir usethread",
            ],
        ),
        "option" => known(
            &["gravity timestep"],
            &[
                "actuatorgroupdisable ccd_iterations ccd_tolerance cone density impratio integrator iterations jacobian",
                "ls_iterations ls_tolerance magnetic noslip_iterations noslip_tolerance o_friction o_margin o_solimp",
                "o_solref sdf_initpoints sdf_iterations sleep_tolerance solver tolerance viscosity wind",
                "apirate collision mpr_iterations mpr_tolerance",
            ],
        ),
        "flag" => known(
            &[
                "gravity actuation clampctrl constraint contact damper equality filterparent frictionloss limit passive spring override",
            ],
            &[
                "autoreset diagexact energy eulerdamp fwdinv invdiscrete ipc island midphase multiccd nativeccd",
                "refsafe sensor sensornoise sleep speculative warmstart",
            ],
        ),
        _ => return None,
    })
}

/// Elements of bodies, which have defaults as well.
fn of_body(name: &str) -> Option<Known> {
    Some(match name {
        "worldbody" | "body" => known(
            &["name pos childclass mocap gravcomp", ORIENTATION],
            &["fuse simple sleep user"],
        ),
        "frame" => known(&["name pos childclass", ORIENTATION], &[]),
        "replicate" => known(&["count offset euler sep childclass"], &["prefix"]),
        "inertial" => known(&["pos mass diaginertia fullinertia", ORIENTATION], &[]),
        "joint" => known(
            &[
                "name class type pos axis range limited ref stiffness springref springdamper damping armature",
                "frictionloss",
            ],
            &[
                "margin group user springyield",
                SOFT_FRICTION,
                "actuatorfrclimited actuatorfrcrange actuatorgravcomp",
            ],
        ),
        "freejoint" => known(&["name"], &["align group"]),
        "geom" => known(
            &[
                "name class type pos size fromto mesh hfield contype conaffinity condim friction priority mass density",
                "group shellinertia",
                ORIENTATION,
            ],
            &[
                "margin gap solmix user rgba material castshadow fitscale adhesion surfacevel",
                "fluidshape fluidcoef",
                SOFT,
            ],
        ),
        "site" => known(&["name class type pos size fromto", ORIENTATION], &["mesh", LOOKS]),
        _ => return None,
    })
}

fn of_contact(name: &str) -> Option<Known> {
    Some(match name {
        "pair" => known(
            &["class geom1 geom2 condim friction"],
            &["name gap margin solreffriction adhesion", SOFT],
        ),
        "exclude" => known(&["body1 body2"], &["name"]),
        _ => return None,
    })
}

fn of_equality(name: &str) -> Option<Known> {
    Some(match name {
        "connect" => known(&["name class active body1 body2 anchor site1 site2"], &[SOFT]),
        "weld" => known(
            &["name class active body1 body2 relpose site1 site2"],
            &["anchor torquescale", SOFT],
        ),
        "joint" => known(&["name class active joint1 joint2 polycoef"], &[SOFT]),
        _ => return None,
    })
}

/// Tendons and, as `fixed joint` and `spatial site`, what they run along.
fn of_tendon(name: &str) -> Option<Known> {
    const TAKEN: &str = "name class range limited stiffness damping frictionloss armature springlength";
    const UNUSED: &str = "margin springyield actuatorfrclimited actuatorfrcrange";
    Some(match name {
        "fixed" => known(&[TAKEN], &[UNUSED, SOFT_FRICTION, "group user"]),
        // Defaults are those of both.
        "spatial" | "tendon" => known(&[TAKEN], &[UNUSED, SOFT_FRICTION, LOOKS, "width"]),
        "fixed joint" => known(&["joint coef"], &[]),
        "spatial site" => known(&["site"], &[]),
        _ => return None,
    })
}

fn of_actuator(name: &str) -> Option<Known> {
    const TAKEN: &str = "name class joint jointinparent tendon site refsite body cranksite gear ctrlrange forcerange forcelimited armature damping";
    const LIMITED: &str = "ctrllimited";
    const UNUSED: &str = "cranklength delay group interp lengthrange nsample slidersite user";
    Some(match name {
        "motor" => known(&[TAKEN, LIMITED], &[UNUSED]),
        "position" => known(&[TAKEN, LIMITED, "kp kv dampratio timeconst inheritrange"], &[UNUSED]),
        "velocity" | "damper" => known(&[TAKEN, LIMITED, "kv"], &[UNUSED]),
        "general" => known(
            &[TAKEN, LIMITED, "dyntype gaintype biastype gainprm biasprm inheritrange"],
            &[
                UNUSED,
                "actdim actearly actlimited actrange dynprm ffrange input velrange",
            ],
        ),
        _ => return None,
    })
}

fn of_sensor(name: &str) -> Option<Known> {
    const UNUSED: &str = "noise cutoff delay interp interval nsample user";
    let on = match name {
        "jointpos" | "jointvel" => "joint",
        "actuatorfrc" => "actuator",
        "framepos" | "framequat" => "objtype objname reftype refname",
        "touch" | "force" | "torque" | "gyro" | "accelerometer" => "site",
        _ => return None,
    };
    Some(known(&["name", on], &[UNUSED]))
}

fn of_asset(name: &str) -> Option<Known> {
    Some(match name {
        "mesh" => known(
            &["name class file vertex scale refpos refquat inertia"],
            &["builtin params content_type face material maxhullvert normal smoothnormal texcoord"],
        ),
        "hfield" => known(&["name file size nrow ncol elevation"], &["content_type"]),
        _ => return None,
    })
}

/// What of a default class stands for elements of a name, wherever they are.
fn of_default(name: &str) -> Option<Known> {
    match name {
        "equality" => Some(known(&["active"], &[SOFT])),
        "mesh" => of_asset(name),
        "pair" => of_contact(name),
        "tendon" => of_tendon(name),
        "joint" | "geom" | "site" => of_body(name),
        _ => of_actuator(name),
    }
}

/// Elements of bodies that are ignored as a whole, by name and count.
pub(super) const NOT_IN_BODIES: [&str; 3] = ["camera", "light", "layer"];

/// Elements of bodies that add mass or forces and are not known: refused by name.
pub(super) const REFUSED_IN_BODIES: [&str; 4] = ["plugin", "composite", "flexcomp", "attach"];

/// Elements at the top of a model.
const SECTIONS: [&str; 17] = [
    "compiler",
    "option",
    "size",
    "visual",
    "statistic",
    "default",
    "asset",
    "worldbody",
    "contact",
    "deformable",
    "equality",
    "tendon",
    "actuator",
    "sensor",
    "keyframe",
    "custom",
    "extension",
];

/// Flags without which a model moves in another way.
const FLAGS: [&str; 13] = [
    "actuation",
    "clampctrl",
    "constraint",
    "contact",
    "damper",
    "equality",
    "filterparent",
    "frictionloss",
    "gravity",
    "limit",
    "passive",
    "spring",
    "override",
];

/// All elements of a section, taken or not; none where any may be.
fn elements_of(section: &str) -> &'static [&'static str] {
    match section {
        "contact" => &["pair", "exclude"],
        "equality" => &[
            "connect",
            "weld",
            "joint",
            "tendon",
            "flex",
            "flexvert",
            "flexstrain",
            "distance",
            "plugin",
        ],
        "tendon" => &["fixed", "spatial"],
        "actuator" => &ACTUATORS,
        "asset" => &["mesh", "hfield", "skin", "texture", "material", "model"],
        "keyframe" => &["key"],
        "sensor" => &[
            "touch",
            "accelerometer",
            "velocimeter",
            "gyro",
            "force",
            "torque",
            "magnetometer",
            "rangefinder",
            "camprojection",
            "jointpos",
            "jointvel",
            "tendonpos",
            "tendonvel",
            "actuatorpos",
            "actuatorvel",
            "actuatorfrc",
            "jointactuatorfrc",
            "tendonactuatorfrc",
            "ballquat",
            "ballangvel",
            "jointlimitpos",
            "jointlimitvel",
            "jointlimitfrc",
            "tendonlimitpos",
            "tendonlimitvel",
            "tendonlimitfrc",
            "framepos",
            "framequat",
            "framexaxis",
            "frameyaxis",
            "framezaxis",
            "framelinvel",
            "frameangvel",
            "framelinacc",
            "frameangacc",
            "subtreecom",
            "subtreelinvel",
            "subtreeangmom",
            "insidesite",
            "distance",
            "normal",
            "fromto",
            "contact",
            "e_potential",
            "e_kinetic",
            "clock",
            "tactile",
            "user",
            "plugin",
        ],
        _ => &[],
    }
}

/// Elements of bodies that are read.
pub(super) const IN_BODIES: [&str; 8] = [
    "body",
    "geom",
    "site",
    "joint",
    "freejoint",
    "inertial",
    "frame",
    "replicate",
];

/// Goes through a model: what no element has is refused, what has no use here is counted.
pub(super) fn check(root: &Tag, report: &mut ImportReport, findings: &mut Findings) {
    let mut walk = Walk { report, findings };
    walk.element(root, "mujoco", section("mujoco"));
    for tag in &root.children {
        let name = tag.name.as_str();
        walk.is_among(tag, &SECTIONS, "the model");
        if name == "deformable" {
            let problem = "must not be given: bodies that deform are not known";
            walk.findings.fail::<()>(tag.place, name, problem);
        }
        let elements = elements_of(name);
        for child in tag.children.iter().filter(|_| !elements.is_empty()) {
            walk.is_among(child, elements, name);
        }
        match name {
            "compiler" => walk.element(tag, name, section(name)),
            "option" => {
                walk.element(tag, name, section(name));
                for flag in tag.all("flag") {
                    walk.element(flag, "option.flag", section("flag"));
                    walk.flags(flag);
                }
            }
            "default" => walk.default(tag),
            "worldbody" => walk.body(tag),
            "contact" => walk.all(tag, of_contact),
            "equality" => walk.all(tag, of_equality),
            "actuator" => walk.all(tag, of_actuator),
            "sensor" => walk.all(tag, of_sensor),
            "asset" => walk.all(tag, of_asset),
            "tendon" => walk.tendon(tag),
            "keyframe" => {
                for key in tag.all("key") {
                    let own = known(&["name qpos qvel ctrl"], &["act mpos mquat plastic time"]);
                    walk.element(key, "key", Some(own));
                }
            }
            _ => {}
        }
    }
}

struct Walk<'w> {
    report: &'w mut ImportReport,
    findings: &'w mut Findings,
}

impl Walk<'_> {
    /// Checks one element; those of which nothing is known are ignored as a whole elsewhere.
    fn element(&mut self, tag: &Tag, path: &str, own: Option<Known>) {
        let Some(own) = own else { return };
        for attribute in &tag.attributes {
            let name = attribute.name.as_str();
            if Known::has(&own.taken, name) {
                continue;
            }
            if Known::has(&own.unused, name) {
                self.report.ignore(format!("{path}.{name}"));
                continue;
            }
            let named = tag
                .value("name")
                .map_or(String::new(), |name| format!("[{}]", shorten(name)));
            let meant = did_you_mean(name, own.names());
            let found = shorten(name);
            let problem = format!("must be an attribute of {}, found {found}{meant}", tag.name);
            self.findings
                .fail::<()>(attribute.place, &format!("{path}{named}.{found}"), problem);
        }
    }

    /// Refuses an element that no version of the format has there.
    fn is_among(&mut self, tag: &Tag, known: &[&'static str], section: &str) {
        if known.contains(&tag.name.as_str()) {
            return;
        }
        let found = shorten(&tag.name);
        let meant = did_you_mean(&tag.name, known.iter().copied());
        let problem = format!("must be an element of {section}, found {found}{meant}");
        self.findings.fail::<()>(tag.place, &found, problem);
    }

    /// Refuses flags that say that something that moves a model does not act, or acts in another way.
    fn flags(&mut self, tag: &Tag) {
        for attribute in tag.attributes.iter().filter(|flag| FLAGS.contains(&flag.name.as_str())) {
            let usual = if attribute.name == "override" {
                "disable"
            } else {
                "enable"
            };
            let is_taken = ["gravity", "contact"].contains(&attribute.name.as_str()) && attribute.value == "disable";
            if attribute.value != usual && !is_taken {
                let problem = format!("must be {usual}, found {}", shorten(&attribute.value));
                let path = format!("option.flag.{}", attribute.name);
                self.findings.fail::<()>(attribute.place, &path, problem);
            }
        }
    }

    fn all(&mut self, section: &Tag, of: fn(&str) -> Option<Known>) {
        for tag in &section.children {
            self.element(tag, &tag.name, of(&tag.name));
        }
    }

    fn default(&mut self, tag: &Tag) {
        self.element(tag, "default", Some(known(&["class"], &[])));
        for child in &tag.children {
            if child.name == "default" {
                self.default(child);
            } else {
                self.element(child, &child.name, of_default(&child.name));
            }
        }
    }

    fn body(&mut self, tag: &Tag) {
        self.element(tag, &tag.name, of_body(&tag.name));
        // As deep as a document may be nested.
        for child in &tag.children {
            self.body(child);
        }
    }

    fn tendon(&mut self, section: &Tag) {
        for tag in &section.children {
            self.element(tag, &tag.name, of_tendon(&tag.name));
            for part in &tag.children {
                let name = format!("{} {}", tag.name, part.name);
                self.element(part, &name, of_tendon(&name));
            }
        }
    }
}
