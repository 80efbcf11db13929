//! `[[joint]]` of the kinds `gear` and `rope`.

use super::SceneBody;
use super::bodies::Names;
use super::error::Report;
use super::reader::{Fields, Node};
use crate::SimError;
use crate::joint::{Joint, MAX_ROW_BODIES};
use crate::transmission::RopePoint;

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
    let nodes = list.list(report)?;
    let points: Vec<Option<RopePoint>> = nodes.iter().map(|node| point(node, names, report)).collect();
    let mut points: Vec<RopePoint> = points.into_iter().collect::<Option<_>>()?;
    let way: f64 = points
        .windows(2)
        .map(|leg| (leg[1].position - leg[0].position).norm())
        .sum();
    if !points.iter().any(|point| bodies[point.body].body.is_dynamic()) {
        return list.wrong("must have a point on a dynamic body", report);
    }
    let mut passed: Vec<usize> = points.iter().map(|point| point.body).collect();
    passed.sort_unstable();
    passed.dedup();
    if !(2..=MAX_ROW_BODIES).contains(&passed.len()) {
        return list.wrong("must lie on two to four bodies", report);
    }
    for point in &mut points {
        point.position = bodies[point.body].state.pose.point_in_body(point.position);
    }
    let length = length.unwrap_or(Some(way))?;
    if length < way * (1.0 - LENGTH_REL_ROUNDING) {
        let text = format!("must not be below the length of the path over its points at the start, {way}");
        return fields.get("length")?.wrong(&text, report);
    }
    match Joint::rope(name, &points, length) {
        Ok(joint) => Some(joint),
        Err(error) => {
            let place = rubbing(&nodes, &error, report);
            refused(place.as_ref().unwrap_or(&list), &error, report)
        }
    }
}

/// The friction or the turns of a point of a rope that an error is about.
fn rubbing<'n>(nodes: &[Node<'n>], error: &SimError, report: &mut Report<'_>) -> Option<Node<'n>> {
    let SimError::Value { field, .. } = error else {
        return None;
    };
    let (place, key) = field.rsplit_once("points[")?.1.split_once("].")?;
    nodes.get(place.parse::<usize>().ok()?)?.fields(report)?.get(key)
}

/// A point of a rope, with its place in the world.
fn point(node: &Node<'_>, names: &Names, report: &mut Report<'_>) -> Option<RopePoint> {
    let fields = node.fields(report)?;
    fields.only(&["body", "position", "friction", "turns"], report);
    let body = fields.need("body", report).and_then(|node| names.find(&node, report));
    let position = fields.need("position", report).and_then(|node| node.vector(report));
    let mut number = |key| fields.get(key).map_or(Some(0.0), |node| node.number(report));
    let (friction, turns) = (number("friction"), number("turns"));
    Some(RopePoint::new(body?, position?).with_friction(friction?, turns?))
}
