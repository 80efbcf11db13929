//! Default classes, and elements with what their class says.

use std::collections::BTreeMap;

use stiction_contact::nearest::did_you_mean;

use super::document::{Attribute, Findings, Place, Tag};
use super::laws::Law;
use crate::scene::MAX_NUMBER;
use crate::scene::error::shorten;
use crate::{Quat, Vec3};

/// Elements that share one set of defaults.
pub(super) const ACTUATORS: [&str; 11] = [
    "motor",
    "position",
    "velocity",
    "general",
    "damper",
    "intvelocity",
    "cylinder",
    "muscle",
    "adhesion",
    "dcmotor",
    "plugin",
];
/// Attributes of an actuator that belong to its own kind alone.
const OWN: [&str; 6] = ["kp", "kv", "dampratio", "timeconst", "inheritrange", "area"];

/// The defaults of one class, by kind of element; those of its parent are in it.
#[derive(Debug, Clone, Default)]
pub(super) struct Class {
    elements: BTreeMap<String, Vec<Attribute>>,
    /// Of all actuators.
    law: Law,
}

impl Class {
    fn set(&mut self, element: &str, attribute: &Attribute) {
        let list = self.elements.entry(element.to_owned()).or_default();
        match list.iter_mut().find(|known| known.name == attribute.name) {
            Some(known) => known.clone_from(attribute),
            None => list.push(attribute.clone()),
        }
    }

    fn get(&self, element: &str, name: &str) -> Option<&Attribute> {
        let list = self.elements.get(element)?;
        list.iter().find(|attribute| attribute.name == name)
    }
}

/// All classes.
#[derive(Debug, Default)]
pub(super) struct Defaults {
    classes: BTreeMap<String, Class>,
    none: Class,
}

/// The class of a model that names none.
const MAIN: &str = "main";

impl Defaults {
    /// Reads all `<default>` of a model.
    pub(super) fn read(root: &Tag, findings: &mut Findings) -> Self {
        let mut defaults = Self::default();
        for tag in root.all("default") {
            let name = tag.value("class").unwrap_or(MAIN);
            let class = defaults.classes.get(MAIN).cloned().unwrap_or_default();
            defaults.add(tag, name, class, findings);
            // The outermost class is that of all elements, whatever it is called.
            if name != MAIN && !defaults.classes.contains_key(MAIN) {
                let class = defaults.classes.get(name).cloned().unwrap_or_default();
                defaults.classes.insert(MAIN.to_owned(), class);
            }
        }
        defaults
    }

    fn add(&mut self, tag: &Tag, name: &str, mut class: Class, findings: &mut Findings) {
        for element in tag.children.iter().filter(|child| child.name != "default") {
            let is_actuator = ACTUATORS.contains(&element.name.as_str());
            if is_actuator {
                let none = Class::default();
                let own = Element {
                    tag: element,
                    class: &none,
                    path: element.name.clone(),
                };
                class.law.read(&own, findings);
            }
            for attribute in &element.attributes {
                if is_actuator && !OWN.contains(&attribute.name.as_str()) {
                    for kind in ACTUATORS {
                        class.set(kind, attribute);
                    }
                } else {
                    class.set(&element.name, attribute);
                }
            }
        }
        if self.classes.contains_key(name) && name != MAIN {
            let found = format!("must be the name of one class only, found {}", shorten(name));
            findings.fail::<()>(tag.place, "default.class", found);
        }
        self.classes.insert(name.to_owned(), class.clone());
        for inner in tag.all("default") {
            match inner.value("class") {
                Some(name) => self.add(inner, name, class.clone(), findings),
                None => {
                    findings.fail::<()>(inner.place, "default.class", "must be given, found nothing");
                }
            }
        }
    }

    /// An element in the class that it names, or in that of what it is in.
    pub(super) fn element<'a>(
        &'a self,
        tag: &'a Tag,
        childclass: Option<&str>,
        path: String,
        findings: &mut Findings,
    ) -> Element<'a> {
        let named = tag.attribute("class");
        let name = named.map_or(childclass.unwrap_or(MAIN), |attribute| &attribute.value);
        let class = self.classes.get(name);
        if class.is_none() && name != MAIN {
            self.unknown(
                name,
                named.map_or(tag.place, |a| a.place),
                &format!("{path}.class"),
                findings,
            );
        }
        Element {
            tag,
            class: class.unwrap_or(&self.none),
            path,
        }
    }

    /// Reports a class that is not there.
    pub(super) fn unknown(&self, name: &str, place: Place, path: &str, findings: &mut Findings) {
        let meant = did_you_mean(name, self.classes.keys().map(String::as_str));
        let problem = format!("must be the name of a default class, found {}{meant}", shorten(name));
        findings.fail::<()>(place, path, problem);
    }

    pub(super) fn has(&self, name: &str) -> bool {
        name == MAIN || self.classes.contains_key(name)
    }
}

/// An element with its class.
#[derive(Debug, Clone)]
pub(super) struct Element<'a> {
    pub(super) tag: &'a Tag,
    class: &'a Class,
    pub(super) path: String,
}

impl<'a> Element<'a> {
    /// The law of an actuator: that of its class, changed by what it says itself.
    pub(super) fn law(&self, findings: &mut Findings) -> Law {
        let none = Class::default();
        let own = Element {
            tag: self.tag,
            class: &none,
            path: self.path.clone(),
        };
        let mut law = self.class.law.clone();
        law.read(&own, findings);
        law
    }

    /// An attribute: its own, or that of its class.
    pub(super) fn get(&self, name: &str) -> Option<&'a Attribute> {
        self.tag
            .attribute(name)
            .or_else(|| self.class.get(&self.tag.name, name))
    }

    pub(super) fn value(&self, name: &str) -> Option<&'a str> {
        self.get(name).map(|attribute| attribute.value.as_str())
    }

    /// Reports that an attribute is not what it must be.
    pub(super) fn wrong<T>(&self, name: &str, requirement: &str, findings: &mut Findings) -> Option<T> {
        let found = self.get(name);
        let shown = found.map_or("nothing".to_owned(), |attribute| shorten(&attribute.value));
        let place = found.map_or(self.tag.place, |attribute| attribute.place);
        findings.fail(
            place,
            &format!("{}.{name}", self.path),
            format!("{requirement}, found {shown}"),
        )
    }

    /// Notes that an attribute is doubtful.
    pub(super) fn doubt(&self, name: &str, doubt: &str, findings: &mut Findings) {
        let found = self.get(name);
        let shown = found.map_or("nothing".to_owned(), |attribute| shorten(&attribute.value));
        let place = found.map_or(self.tag.place, |attribute| attribute.place);
        findings.doubt(
            place,
            &format!("{}.{name}", self.path),
            format!("{doubt}, found {shown}"),
        );
    }

    /// Numbers with blanks between them; none where the attribute is not there, or is wrong, which is reported.
    pub(super) fn list(&self, name: &str, findings: &mut Findings) -> Option<Vec<f64>> {
        let text = self.value(name)?;
        let mut out = Vec::new();
        for word in text.split_ascii_whitespace() {
            match word.parse::<f64>() {
                Ok(x) if !x.is_finite() => return self.wrong(name, "must be finite", findings),
                Ok(x) if x.abs() > MAX_NUMBER => {
                    return self.wrong(name, &format!("must be at most {MAX_NUMBER:e} in size"), findings);
                }
                Ok(x) => out.push(x),
                Err(_) => return self.wrong(name, "must be numbers with blanks between them", findings),
            }
        }
        Some(out)
    }

    /// So many numbers, or their defaults; fewer are refused.
    pub(super) fn numbers<const N: usize>(&self, name: &str, default: [f64; N], findings: &mut Findings) -> [f64; N] {
        if self.get(name).is_none() {
            return default;
        }
        let Some(list) = self.list(name, findings) else {
            return default;
        };
        <[f64; N]>::try_from(list).unwrap_or_else(|_| {
            self.wrong::<()>(name, &format!("must be {N} numbers"), findings);
            default
        })
    }

    /// Up to so many numbers; the rest are their defaults.
    pub(super) fn up_to<const N: usize>(&self, name: &str, mut default: [f64; N], findings: &mut Findings) -> [f64; N] {
        let Some(list) = self.list(name, findings) else {
            return default;
        };
        for (place, x) in default.iter_mut().zip(list) {
            *place = x;
        }
        default
    }

    pub(super) fn number(&self, name: &str, default: f64, findings: &mut Findings) -> f64 {
        self.numbers(name, [default], findings)[0]
    }

    pub(super) fn not_negative(&self, name: &str, default: f64, findings: &mut Findings) -> f64 {
        let x = self.number(name, default, findings);
        if x < 0.0 {
            self.wrong::<()>(name, "must not be negative", findings);
        }
        x.max(0.0)
    }

    pub(super) fn vector(&self, name: &str, default: Vec3, findings: &mut Findings) -> Vec3 {
        Vec3::from(self.numbers(name, default.into(), findings))
    }

    pub(super) fn whole(&self, name: &str, default: i64, findings: &mut Findings) -> i64 {
        match self.value(name).map(|text| text.trim().parse()) {
            None => default,
            Some(Ok(x)) => x,
            Some(Err(_)) => {
                self.wrong::<()>(name, "must be a whole number", findings);
                default
            }
        }
    }

    /// true, false or auto.
    pub(super) fn tristate(&self, name: &str, findings: &mut Findings) -> Option<bool> {
        match self.value(name) {
            None | Some("auto") => None,
            Some("true") => Some(true),
            Some("false") => Some(false),
            Some(_) => self.wrong(name, "must be true, false or auto", findings),
        }
    }

    /// One of some words.
    pub(super) fn choice(&self, name: &str, words: &[&'static str], findings: &mut Findings) -> Option<&'static str> {
        let text = self.value(name)?;
        let found = words.iter().find(|word| **word == text).copied();
        if found.is_none() {
            let meant = did_you_mean(text, words.iter().copied());
            let place = self.get(name).map_or(self.tag.place, |attribute| attribute.place);
            let problem = format!("must be one of {}, found {}{meant}", words.join(", "), shorten(text));
            findings.fail::<()>(place, &format!("{}.{name}", self.path), problem);
        }
        found
    }
}

/// How angles are written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Angles {
    pub(super) degrees: bool,
    /// Axes of Euler angles: lower case turn with the frame, upper case stay.
    pub(super) sequence: [char; 3],
}

impl Angles {
    pub(super) fn radians(&self, x: f64) -> f64 {
        if self.degrees { x.to_radians() } else { x }
    }

    /// Euler angles as a rotation.
    pub(super) fn euler(&self, angles: [f64; 3]) -> Quat {
        let mut all = Quat::identity();
        for (axis, angle) in self.sequence.iter().zip(angles) {
            let v = match axis.to_ascii_lowercase() {
                'x' => Vec3::x(),
                'y' => Vec3::y(),
                _ => Vec3::z(),
            };
            let turn = about(v, self.radians(angle));
            all = if axis.is_ascii_lowercase() {
                all * turn
            } else {
                turn * all
            };
        }
        all
    }

    /// The orientation of an element, by whichever attribute it is given; its own goes before that of its class.
    pub(super) fn orientation(&self, element: &Element<'_>, findings: &mut Findings) -> Quat {
        const WAYS: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];
        let own: Vec<&str> = WAYS
            .into_iter()
            .filter(|way| element.tag.attribute(way).is_some())
            .collect();
        if own.len() > 1 {
            let requirement = format!("must be the only orientation beside {}", own[0]);
            element.wrong::<()>(own[1], &requirement, findings);
        }
        let way = own
            .first()
            .copied()
            .or_else(|| WAYS.into_iter().find(|way| element.get(way).is_some()));
        match way {
            Some("quat") => quaternion(element, findings),
            Some("axisangle") => {
                let [x, y, z, angle] = element.numbers("axisangle", [0.0, 0.0, 1.0, 0.0], findings);
                let axis = direction(element, "axisangle", Vec3::new(x, y, z), findings);
                about(axis, self.radians(angle))
            }
            Some("euler") => self.euler(element.numbers("euler", [0.0; 3], findings)),
            Some("xyaxes") => {
                let [a, b, c, d, e, f] = element.numbers("xyaxes", [1.0, 0.0, 0.0, 0.0, 1.0, 0.0], findings);
                let x = direction(element, "xyaxes", Vec3::new(a, b, c), findings);
                let y = Vec3::new(d, e, f);
                let y = direction(element, "xyaxes", y - x * x.dot(&y), findings);
                let frame = crate::Mat3::from_columns(&[x, y, x.cross(&y)]);
                Quat::from_rotation_matrix(&nalgebra::Rotation3::from_matrix_unchecked(frame))
            }
            Some(_) => {
                let z = element.vector("zaxis", Vec3::z(), findings);
                crate::scene::joints::from_z(direction(element, "zaxis", z, findings))
            }
            None => Quat::identity(),
        }
    }
}

/// A unit vector along one that is not zero.
pub(super) fn direction(element: &Element<'_>, name: &str, v: Vec3, findings: &mut Findings) -> Vec3 {
    let scale = v.amax();
    if scale > 0.0 {
        return (v / scale).normalize();
    }
    element.wrong::<()>(name, "must not be zero", findings);
    Vec3::z()
}

/// The rotation about a unit axis by any angle.
pub(super) fn about(axis: Vec3, angle: f64) -> Quat {
    let v = axis * libm::sin(0.5 * angle);
    Quat::new_normalize(nalgebra::Quaternion::new(libm::cos(0.5 * angle), v.x, v.y, v.z))
}

/// Length of a quaternion that is meant to be 1, off by more than digits that were cut.
const QUATERNION_LENGTH_TOL: f64 = 1e-2;

/// w, x, y, z, made unit.
fn quaternion(element: &Element<'_>, findings: &mut Findings) -> Quat {
    let [w, x, y, z] = element.numbers("quat", [1.0, 0.0, 0.0, 0.0], findings);
    let q = nalgebra::Quaternion::new(w, x, y, z);
    let length = q.norm();
    if length < 1e-9 {
        element.wrong::<()>("quat", "must not be zero", findings);
        return Quat::identity();
    }
    if (length - 1.0).abs() > QUATERNION_LENGTH_TOL {
        let doubt = format!("has length {length:.3}: made 1, as MuJoCo does");
        element.doubt("quat", &doubt, findings);
    }
    if [w, x, y] == [0.0; 3] {
        let doubt = "looks like x, y, z, w; w, x, y, z is taken, half a turn about z";
        element.doubt("quat", doubt, findings);
    }
    Quat::new_normalize(q)
}
