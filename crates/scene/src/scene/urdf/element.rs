//! Elements of an XML document with their places; what does not fit is reported and reading goes on.

use crate::scene::MAX_NUMBER;
use crate::scene::error::Report;
use crate::{Pose, Quat, Vec3};

/// An element and what it is called in messages.
#[derive(Debug, Clone)]
pub(super) struct Element<'a, 't> {
    pub(super) path: String,
    node: roxmltree::Node<'a, 't>,
}

impl<'a, 't> Element<'a, 't> {
    /// The outermost element.
    pub(super) fn root(document: &'a roxmltree::Document<'t>) -> Self {
        let node = document.root_element();
        Self {
            path: node.tag_name().name().to_owned(),
            node,
        }
    }

    pub(super) fn tag(&self) -> &'a str {
        self.node.tag_name().name()
    }

    /// Namespace of the tag, empty where there is none.
    pub(super) fn namespace(&self) -> &'a str {
        self.node.tag_name().namespace().unwrap_or_default()
    }

    /// Where it begins \[bytes\].
    pub(super) fn at(&self) -> usize {
        self.node.range().start
    }

    /// All elements directly in this one.
    pub(super) fn all(&self) -> impl Iterator<Item = Self> {
        let elements = self.node.children().filter(roxmltree::Node::is_element);
        elements.map(|node| Self {
            path: format!("{}.{}", self.path, node.tag_name().name()),
            node,
        })
    }

    /// The elements of one kind directly in this one.
    pub(super) fn children(&self, tag: &str) -> impl Iterator<Item = Self> {
        self.all().filter(move |element| element.tag() == tag)
    }

    /// The only element of a kind, if there is one. A second is reported.
    pub(super) fn child(&self, tag: &str, report: &mut Report<'_>) -> Option<Self> {
        let mut found = self.children(tag);
        let first = found.next();
        if let Some(second) = found.next() {
            second.fail::<()>("must be the only one of its kind here, found a second", report);
        }
        first
    }

    /// The only element of a kind that must be there.
    pub(super) fn need_child(&self, tag: &str, report: &mut Report<'_>) -> Option<Self> {
        let child = self.child(tag, report);
        if child.is_none() {
            report.add(
                self.at(),
                &format!("{}.{tag}", self.path),
                "must be given, found nothing",
            );
        }
        child
    }

    /// Reports a problem of the element.
    pub(super) fn fail<T>(&self, problem: impl Into<String>, report: &mut Report<'_>) -> Option<T> {
        report.add(self.at(), &self.path, problem);
        None
    }

    /// Where the value of an attribute begins \[bytes\]; the element, where it is not there.
    pub(super) fn value_at(&self, name: &str) -> usize {
        let at = self.node.attribute_node(name).map(|a| a.range_value().start);
        at.unwrap_or(self.at())
    }

    /// Reports a problem of an attribute as it is worded.
    pub(super) fn fail_at<T>(&self, name: &str, problem: impl Into<String>, report: &mut Report<'_>) -> Option<T> {
        report.add(self.value_at(name), &format!("{}.{name}", self.path), problem);
        None
    }

    /// Reports that an attribute is not what it must be.
    pub(super) fn wrong<T>(&self, name: &str, requirement: &str, report: &mut Report<'_>) -> Option<T> {
        let found = match self.node.attribute_node(name) {
            Some(attribute) => report.shown(attribute.range_value()),
            None => "nothing".to_owned(),
        };
        self.fail_at(name, format!("{requirement}, found {found}"), report)
    }

    /// The text of an attribute, if it is there.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.node.attribute(name)
    }

    /// The text of an attribute that must be there and not be empty.
    pub(super) fn need(&self, name: &str, report: &mut Report<'_>) -> Option<&'a str> {
        match self.text(name) {
            None => self.wrong(name, "must be given", report),
            Some(text) if text.trim().is_empty() => self.wrong(name, "must not be empty", report),
            some => some,
        }
    }

    /// A finite number that meets a requirement.
    pub(super) fn number(
        &self,
        name: &str,
        requirement: &str,
        test: impl Fn(f64) -> bool,
        report: &mut Report<'_>,
    ) -> Option<f64> {
        match self.need(name, report)?.trim().parse::<f64>() {
            Ok(x) if !x.is_finite() => self.wrong(name, "must be finite", report),
            Ok(x) if x.abs() > MAX_NUMBER => {
                self.wrong(name, &format!("must be at most {MAX_NUMBER:e} in size"), report)
            }
            Ok(x) if test(x) => Some(x),
            Ok(_) => self.wrong(name, requirement, report),
            Err(_) => self.wrong(name, "must be a number", report),
        }
    }

    /// The same with a default where the attribute is not there.
    pub(super) fn number_or(
        &self,
        name: &str,
        default: f64,
        requirement: &str,
        test: impl Fn(f64) -> bool,
        report: &mut Report<'_>,
    ) -> Option<f64> {
        match self.text(name) {
            Some(_) => self.number(name, requirement, test, report),
            None => Some(default),
        }
    }

    /// Three finite numbers with blanks between them.
    pub(super) fn vector(&self, name: &str, report: &mut Report<'_>) -> Option<Vec3> {
        let mut numbers = self.need(name, report)?.split_ascii_whitespace();
        let mut v = Vec3::zeros();
        for place in v.iter_mut() {
            let parsed = numbers.next().map(str::parse::<f64>);
            match parsed {
                Some(Ok(x)) if x.abs() <= MAX_NUMBER => *place = x,
                Some(Ok(x)) if x.is_finite() => {
                    return self.wrong(name, &format!("must be at most {MAX_NUMBER:e} in size"), report);
                }
                Some(Ok(_)) => return self.wrong(name, "must be finite", report),
                _ => return self.wrong(name, "must be three numbers", report),
            }
        }
        if numbers.next().is_some() {
            return self.wrong(name, "must be three numbers", report);
        }
        Some(v)
    }

    pub(super) fn vector_or(&self, name: &str, default: Vec3, report: &mut Report<'_>) -> Option<Vec3> {
        match self.text(name) {
            Some(_) => self.vector(name, report),
            None => Some(default),
        }
    }

    /// `<origin xyz="…" rpy="…"/>`: where a frame lies in the one around it; the same frame where there is none.
    pub(super) fn origin(&self, report: &mut Report<'_>) -> Option<Pose> {
        let Some(origin) = self.child("origin", report) else {
            return Some(Pose::identity());
        };
        let position = origin.vector_or("xyz", Vec3::zeros(), report);
        let angles = origin.vector_or("rpy", Vec3::zeros(), report);
        Some(Pose {
            position: position?,
            rotation: roll_pitch_yaw(angles?),
        })
    }
}

/// Turned about the fixed axes x, y and z in turn \[rad\].
fn roll_pitch_yaw(angles: Vec3) -> Quat {
    let about = |axis: Vec3, angle: f64| rotation_about(axis, angle);
    about(Vec3::z(), angles.z) * about(Vec3::y(), angles.y) * about(Vec3::x(), angles.x)
}

/// Rotation about a unit axis \[rad\].
pub(super) fn rotation_about(axis: Vec3, angle: f64) -> Quat {
    let v = axis * libm::sin(0.5 * angle);
    Quat::new_normalize(nalgebra::Quaternion::new(libm::cos(0.5 * angle), v.x, v.y, v.z))
}
