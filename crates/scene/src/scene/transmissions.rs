//! `[[joint]]` of the kinds `gear` and `rope`.

use super::SceneBody;
use super::bodies::Names;
use super::error::Report;
use super::reader::{Fields, Node};
use crate::joint::{Joint, MOST_BODIES};
use crate::transmission::RopePoint;
use crate::{SimError, Vec3};

/// Share of a length that is rounding.
const LENGTH_REL_ROUNDING: f64 = 1e-9;

/// What a world would refuse, at a key.
fn refused<T>(node: &Node<'_>, error: &SimError, report: &mut Report<'_>) -> Option<T> {
    let SimError::Value { requirement, .. } = error else {
        return node.fail(error.to_string(), report);
    };
    node.wrong(requirement, report)
}

/// A gear between two joints. Where joints are `broken`, one that is not found is no error of its own.
pub(super) fn gear<'j, I: Iterator<Item = &'j Joint>>(
    fields: &Fields<'_>,
    name: &str,
    (known, broken): (impl Fn() -> I, bool),
    report: &mut Report<'_>,
) -> Option<Joint> {
    fields.only(&["name", "kind", "joints", "ratio"], report);
    let ratio = fields.need("ratio", report);
    let value = ratio.as_ref().and_then(|node| ratio_of(node, report));
    let list = fields.need("joints", report)?;
    let nodes = list.list(report)?;
    let [first, second] = nodes.as_slice() else {
        return list.wrong("must be the names of two joints", report);
    };
    let found = [first, second].map(|node| {
        let text = node.string(report)?;
        let joint = known().find(|joint| joint.name == text);
        if joint.is_none() && !broken {
            return node.wrong("must be the name of a revolute or prismatic joint", report);
        }
        joint
    });
    let [Some(one), Some(other)] = found else { return None };
    if std::ptr::eq(one, other) {
        return second.wrong("must be another joint than the first", report);
    }
    for (node, joint) in [(first, one), (second, other)] {
        if crate::transmission::Freedom::of(&joint.kind).is_none() {
            return node.wrong("must be the name of a revolute or prismatic joint", report);
        }
    }
    let joint = Joint::gear(name, [one, other], value?);
    joint.map_or_else(|error| refused(&ratio?, &error, report), Some)
}

/// A number, or a pair of which it is the quotient.
fn ratio_of(node: &Node<'_>, report: &mut Report<'_>) -> Option<f64> {
    if !node.is_list() {
        return node.number(report);
    }
    let [teeth, by] = node.numbers::<2>(report)?;
    if by == 0.0 {
        return node.wrong("must not divide by 0", report);
    }
    Some(teeth / by)
}

/// A rope over points of bodies, given in the world as these start.
pub(super) fn rope(
    fields: &Fields<'_>,
    name: &str,
    bodies: &[SceneBody],
    names: &Names,
    report: &mut Report<'_>,
) -> Option<Joint> {
    fields.only(&["name", "kind", "points", "length"], report);
    let length = fields.get("length").map(|node| node.length(report));
    let list = fields.need("points", report)?;
    let points: Vec<Option<(usize, Vec3)>> = list
        .list(report)?
        .iter()
        .map(|node| point(node, names, report))
        .collect();
    let points: Vec<(usize, Vec3)> = points.into_iter().collect::<Option<_>>()?;
    let way: f64 = points.windows(2).map(|leg| (leg[1].1 - leg[0].1).norm()).sum();
    if !points.iter().any(|(body, _)| bodies[*body].body.is_dynamic()) {
        return list.wrong("must have a point on a dynamic body", report);
    }
    let mut passed: Vec<usize> = points.iter().map(|(body, _)| *body).collect();
    passed.sort_unstable();
    passed.dedup();
    if !(2..=MOST_BODIES).contains(&passed.len()) {
        return list.wrong("must lie on two to four bodies", report);
    }
    let inner: Vec<RopePoint> = points
        .iter()
        .map(|(body, position)| RopePoint {
            body: *body,
            position: bodies[*body].state.pose.point_in_body(*position),
        })
        .collect();
    let length = length.unwrap_or(Some(way))?;
    if length < way * (1.0 - LENGTH_REL_ROUNDING) {
        let text = format!("must not be below the length of the path over its points at the start, {way}");
        return fields.get("length")?.wrong(&text, report);
    }
    let joint = Joint::rope(name, &inner, length);
    joint.map_or_else(|error| refused(&list, &error, report), Some)
}

fn point(node: &Node<'_>, names: &Names, report: &mut Report<'_>) -> Option<(usize, Vec3)> {
    let fields = node.fields(report)?;
    fields.only(&["body", "position"], report);
    let body = fields.need("body", report).and_then(|node| names.find(&node, report));
    let position = fields.need("position", report).and_then(|node| node.vector(report));
    Some((body?, position?))
}
