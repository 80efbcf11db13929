//! Shapes of a planar world: `{ polygon = [...] }`, `{ disc = ... }` and so on.

use std::sync::Arc;

use super::error::Report;
use super::reader::{Fields, Node};
use super::{MAX_COMPOUND_PARTS, MAX_HULL_POINTS, shapes};
use crate::planar::{PlanarPose, PlanarShape, Polygon, Vec2};
use crate::{HullError, Pose};

/// Keys that say what a planar shape is; a shape has one of them.
pub(super) const KINDS: [&str; 6] = ["box", "disc", "capsule", "polygon", "half_plane", "compound"];
/// A ring of corners whose area differs from that of its hull by no more than this share is convex; a corner may lie in a side.
const CONVEX_AREA_REL_TOL: f64 = 1e-9;

/// The shape of a body, in the frame of the scene.
pub(super) fn read(fields: &Fields<'_>, report: &mut Report<'_>) -> Option<PlanarShape> {
    let (kind, node) = kind_of(fields, &[], report)?;
    match kind {
        "compound" => compound(&node, report),
        "half_plane" => node
            .direction(report)
            .map(|normal| PlanarShape::HalfPlane { normal: normal.xy() }),
        _ => simple(kind, &node, report),
    }
}

/// Reports a shape of the other kind of world; nothing is left to read then.
pub(super) fn refuse_others(fields: &Fields<'_>, own: &[&str], others: &[&str], report: &mut Report<'_>) -> Option<()> {
    let Some((kind, node)) = others
        .iter()
        .filter(|kind| !own.contains(kind))
        .find_map(|kind| Some((kind, fields.get(kind)?)))
    else {
        return Some(());
    };
    let world = if fields.planar { "planar" } else { "spatial" };
    node.fail(
        format!(
            "must be a shape of a {world} world, one of {}, found {kind}",
            own.join(", ")
        ),
        report,
    )
}

/// The one key that says what the shape is.
fn kind_of<'a>(fields: &Fields<'a>, others: &[&str], report: &mut Report<'_>) -> Option<(&'static str, Node<'a>)> {
    refuse_others(fields, &KINDS, &shapes::KINDS, report)?;
    let known: Vec<&str> = KINDS.iter().chain(others).copied().collect();
    fields.only(&known, report);
    shapes::only_one(fields, &KINDS, report)
}

fn simple(kind: &str, node: &Node<'_>, report: &mut Report<'_>) -> Option<PlanarShape> {
    match kind {
        "box" => node.sides(report).map(|sides| PlanarShape::rectangle(0.5 * sides.xy())),
        "disc" => node.length(report).map(|radius| PlanarShape::Disc { radius }),
        "capsule" => {
            let [radius, length] = shapes::two_lengths(node, ["radius", "length"], report)?;
            Some(PlanarShape::Capsule {
                half_length: 0.5 * length,
                radius,
            })
        }
        "polygon" => polygon(node, report),
        _ => node.fail(format!("must not be part of a compound, found {kind}"), report),
    }
}

/// A convex polygon from its corners, in either sense.
fn polygon(node: &Node<'_>, report: &mut Report<'_>) -> Option<PlanarShape> {
    let items = node.list(report)?;
    if items.len() > MAX_HULL_POINTS {
        return node.fail(
            format!("must have at most {MAX_HULL_POINTS} corners, found {}", items.len()),
            report,
        );
    }
    let corners: Vec<Option<Vec2>> = items.iter().map(|p| Some(p.vector(report)?.xy())).collect();
    let corners = corners.into_iter().collect::<Option<Vec<Vec2>>>()?;
    let spatial: Vec<crate::Vec3> = corners.iter().map(|p| crate::Vec3::new(p.x, p.y, 0.0)).collect();
    if let Err(problem) = shapes::within(&spatial) {
        return node.fail(problem, report);
    }
    let hull = match Polygon::hull(&corners) {
        Ok(hull) => hull,
        Err(HullError::TooFewInPlane { found }) => {
            return node.fail(format!("must have 3 different corners at least, found {found}"), report);
        }
        Err(error) => return node.fail(format!("must have an area: {error}"), report),
    };
    let (inner, ring) = (area(&hull.vertices), area(&corners));
    // Also where a number overflows.
    if (ring.abs() - inner).abs() <= CONVEX_AREA_REL_TOL * inner {
        return Some(PlanarShape::Polygon(Arc::new(hull)));
    }
    let count = corners.len();
    let turns = |i: usize| {
        let [p, q, r] = [corners[(i + count - 1) % count], corners[i], corners[(i + 1) % count]];
        (q - p).perp(&(r - q)) * ring < 0.0
    };
    match (0..count).find(|i| turns(*i)) {
        Some(i) => items[i].wrong("must not turn inwards, a compound of convex polygons may", report),
        None => node.fail("must be the corners in order, found sides that cross", report),
    }
}

/// Area within a ring, counterclockwise positive.
fn area(ring: &[Vec2]) -> f64 {
    let next = ring.iter().cycle().skip(1);
    let origin = ring[0];
    ring.iter()
        .zip(next)
        .map(|(p, q)| (p - origin).perp(&(q - origin)))
        .sum::<f64>()
        / 2.0
}

fn compound(node: &Node<'_>, report: &mut Report<'_>) -> Option<PlanarShape> {
    let list = node.list(report)?;
    if list.is_empty() || list.len() > MAX_COMPOUND_PARTS {
        return node.fail(
            format!("must have 1 to {MAX_COMPOUND_PARTS} parts, found {}", list.len()),
            report,
        );
    }
    let mut parts = Vec::with_capacity(list.len());
    for item in &list {
        let part = item.fields(report).and_then(|fields| {
            let kind = kind_of(&fields, &["position", "angle"], report);
            let position = fields.vector_or("position", crate::Vec3::zeros(), report);
            let rotation = fields.rotation(report);
            let (kind, node) = kind?;
            let shape = simple(kind, &node, report);
            let pose = Pose {
                position: position?,
                rotation: rotation?,
            };
            Some((PlanarPose::of(&pose), shape?))
        });
        parts.push(part);
    }
    parts.into_iter().collect::<Option<Vec<_>>>().map(PlanarShape::Compound)
}
