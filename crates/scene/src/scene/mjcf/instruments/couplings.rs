//! Tendons and equalities.

use super::{MjEquality, MjTendon, Path, Reading, find};
use crate::Vec3;
use crate::scene::mjcf::MjJointKind;
use crate::scene::mjcf::defaults::Element;
use crate::scene::mjcf::document::{Findings, Tag};

impl<'a> Reading<'a> {
    pub(super) fn tendon(&mut self, tag: &'a Tag, findings: &mut Findings) {
        let mut element = self.element(tag, findings);
        // Fixed and spatial tendons share their defaults.
        let defaults = self.defaults;
        let common = Tag {
            name: "tendon".to_owned(),
            ..tag.clone()
        };
        let shared = defaults.element(&common, None, element.path.clone(), findings);
        let limits = self.range(&shared, ["range", "limited"], findings);
        let number = |name: &str, findings: &mut Findings| {
            let list = shared.list(name, findings).unwrap_or_default();
            list.first().copied().unwrap_or(0.0)
        };
        let [stiffness, damping, friction, armature] =
            ["stiffness", "damping", "frictionloss", "armature"].map(|name| number(name, findings));
        let rest = number("springlength", findings);
        let lengths = shared.list("springlength", findings).unwrap_or_default();
        if let [low, high] = lengths[..]
            && low != high
            && (stiffness > 0.0 || damping > 0.0)
        {
            let requirement = "must be one length: a spring with none of its force between two lengths is not known";
            shared.wrong::<()>("springlength", requirement, findings);
        }
        for suffix in self.suffixes(tag, "site", "site") {
            let name = match tag.value("name") {
                Some(name) => format!("{name}{suffix}"),
                None => format!("tendon{}", self.out.tendons.len()),
            };
            let path = if tag.name == "fixed" {
                let mut terms = Vec::new();
                for part in tag.all("joint") {
                    let part = self.element(part, findings);
                    let names = self.joints().map(|joint| joint.name.as_str());
                    let joint = find(&part, "joint", "joint", names, findings);
                    let coefficient = part.number("coef", 1.0, findings);
                    let Some(joint) = joint else { return };
                    if !self.has_coordinate(joint) {
                        part.wrong::<()>("joint", "must be a hinge or slide", findings);
                    }
                    terms.push((coefficient, joint));
                }
                if terms.is_empty() {
                    findings.fail::<()>(tag.place, &element.path, "must have a joint, found none");
                    return;
                }
                Path::Fixed(terms)
            } else {
                let known = |part: &&Tag| part.name == "site";
                if !tag.children.iter().all(|part| known(&part)) {
                    self.report.ignore("tendon spatial with pulleys or wrapping");
                    return;
                }
                let mut sites = Vec::new();
                for part in &tag.children {
                    let mut copy = part.clone();
                    for attribute in &mut copy.attributes {
                        attribute.value.push_str(&suffix);
                    }
                    let part = defaults.element(&copy, None, "site".to_owned(), findings);
                    match find(&part, "site", "site", self.site_names(), findings) {
                        Some(site) => sites.push(site),
                        None => return,
                    }
                }
                Path::Sites(sites)
            };
            element.path.clone_from(&name);
            self.out.tendons.push(MjTendon {
                name,
                path,
                limits,
                friction,
                stiffness,
                damping,
                rest,
                armature,
            });
        }
    }

    pub(super) fn has_coordinate(&self, joint: usize) -> bool {
        self.joints()
            .nth(joint)
            .is_some_and(|joint| matches!(joint.kind, MjJointKind::Hinge | MjJointKind::Slide))
    }

    pub(super) fn equality(&mut self, tag: &'a Tag, findings: &mut Findings) {
        let element = self.element(tag, findings);
        // All equalities share their defaults.
        let common = Tag {
            name: "equality".to_owned(),
            ..tag.clone()
        };
        let shared = self.defaults.element(&common, None, element.path.clone(), findings);
        if shared.choice("active", &["true", "false"], findings) == Some("false") {
            self.report.ignore(format!("equality {} that is not active", tag.name));
            return;
        }
        let name = tag
            .value("name")
            .map_or(format!("equality{}", self.out.equalities.len()), str::to_owned);
        let bodies = |element: &Element<'_>, findings: &mut Findings| {
            let first = find(element, "body1", "body", self.body_names(), findings);
            let second = match element.get("body2") {
                Some(_) => find(element, "body2", "body", self.body_names(), findings),
                None => Some(0),
            };
            Some([first?, second?])
        };
        let made = match tag.name.as_str() {
            kind @ ("connect" | "weld") if element.get("site1").is_some() || element.get("site2").is_some() => {
                let ends = ["site1", "site2"].map(|name| find(&element, name, "site", self.site_names(), findings));
                let [first, second] = ends;
                first
                    .zip(second)
                    .map(|(first, second)| MjEquality::Sites([first, second], kind == "weld"))
            }
            "connect" if element.get("body1").is_some() => {
                if element.get("anchor").is_none() {
                    element.wrong::<()>("anchor", "must be given", findings);
                }
                let anchor = element.vector("anchor", Vec3::zeros(), findings);
                bodies(&element, findings).map(|bodies| MjEquality::Connect(bodies, anchor))
            }
            "weld" if element.get("body1").is_some() => {
                let [x, y, z, w, i, j, k] = element.numbers("relpose", [0.0; 7], findings);
                let is_given = [w, i, j, k] != [0.0; 4];
                let pose = is_given.then(|| crate::Pose {
                    position: Vec3::new(x, y, z),
                    rotation: crate::Quat::new_normalize(nalgebra::Quaternion::new(w, i, j, k)),
                });
                bodies(&element, findings).map(|bodies| MjEquality::Weld(bodies, pose))
            }
            "joint" => {
                let names = self.joints().map(|joint| joint.name.as_str());
                let first = find(&element, "joint1", "joint", names.clone(), findings);
                if element.get("joint2").is_none() {
                    self.report.ignore("equality joint of one joint");
                    return;
                }
                let second = find(&element, "joint2", "joint", names, findings);
                let [a, b, c, d, e] = element.up_to("polycoef", [0.0, 1.0, 0.0, 0.0, 0.0], findings);
                if [c, d, e] != [0.0; 3] || b == 0.0 {
                    self.report.ignore("equality joint that is not linear");
                    return;
                }
                first
                    .zip(second)
                    .map(|(first, second)| MjEquality::Joint([first, second], [b, a]))
            }
            kind => {
                self.report.ignore(format!("equality {kind}"));
                return;
            }
        };
        if let Some(made) = made {
            self.report.take(format!("equality {}", tag.name));
            self.out.equalities.push((name, made));
        }
    }
}
