//! Shapes: `{ box = [...] }`, `{ ball = ... }` and so on.

use std::path::Path;
use std::sync::Arc;

use super::error::Report;
use super::mesh::{self, MeshFile};
use super::reader::{Fields, Node};
use super::{LENGTH_RANGE, MAX_COMPOUND_PARTS, MAX_GROUND_TRIANGLES, MAX_HULL_POINTS};
use super::{doubt, planar_shapes};
use crate::shape::{Polytope, Shape};
use crate::{HullError, MeshError, Pose, TriangleMesh, Vec3};

/// Keys that say what a shape is; a shape has one of them.
pub(super) const KINDS: [&str; 12] = [
    "box",
    "ball",
    "capsule",
    "cylinder",
    "ellipsoid",
    "prism",
    "half_space",
    "points",
    "mesh",
    "ground",
    "heights",
    "compound",
];
/// Most sides of a prism.
const MAX_PRISM_SIDES: usize = 256;

/// The shape of a body, in the frame of the scene.
pub(super) fn read(fields: &Fields<'_>, folder: &Path, report: &mut Report<'_>) -> Option<Shape> {
    let fields = fields.need("shape", report)?.fields(report)?;
    if fields.planar {
        return planar_shapes::read(&fields, report).map(Shape::Planar);
    }
    let (kind, node) = kind_of(&fields, &[], report)?;
    match kind {
        "compound" => compound(&node, folder, report),
        "half_space" => node.direction(report).map(|normal| Shape::HalfSpace { normal }),
        "ground" => {
            let file = mesh_file(&fields, &node, folder, report)?;
            if file.triangles.len() > MAX_GROUND_TRIANGLES {
                let found = file.triangles.len();
                return node.fail(
                    format!("must have at most {MAX_GROUND_TRIANGLES} triangles, found {found}"),
                    report,
                );
            }
            surface(&node, TriangleMesh::new(&file.corners, &file.triangles), report)
        }
        "heights" => heights(&node, report),
        _ => simple(kind, &fields, &node, folder, report),
    }
}

/// The one key that says what the shape is.
fn kind_of<'a>(fields: &Fields<'a>, others: &[&str], report: &mut Report<'_>) -> Option<(&'static str, Node<'a>)> {
    planar_shapes::refuse_others(fields, &KINDS, &planar_shapes::KINDS, report)?;
    let mut known: Vec<&str> = KINDS.to_vec();
    known.push("scale");
    known.extend(others);
    fields.only(&known, report);
    let (kind, node) = only_one(fields, &KINDS, report)?;
    if let Some(scale) = fields.get("scale")
        && !["mesh", "ground"].contains(&kind)
    {
        return scale.fail(format!("must be given with a mesh only, found {kind}"), report);
    }
    Some((kind, node))
}

/// The key among those of shapes that is given; reported where there is none or a second.
pub(super) fn only_one<'a>(
    fields: &Fields<'a>,
    kinds: &[&'static str],
    report: &mut Report<'_>,
) -> Option<(&'static str, Node<'a>)> {
    let mut found = kinds
        .iter()
        .filter_map(|kind| fields.get(kind).map(|node| (*kind, node)));
    let (first, second) = (found.next(), found.next());
    if let Some((kind, node)) = &second {
        return node.fail(format!("must be the only shape, found {kind} as a second"), report);
    }
    if first.is_none() {
        let problem = format!("must have one of {}, found none", kinds.join(", "));
        report.add(fields.at, &fields.path, problem);
    }
    first
}

fn simple(kind: &str, fields: &Fields<'_>, node: &Node<'_>, folder: &Path, report: &mut Report<'_>) -> Option<Shape> {
    match kind {
        "box" => node.sides(report).map(|sides| Shape::cuboid(0.5 * sides)),
        "ball" => node.length(report).map(|radius| Shape::Ball { radius }),
        "capsule" => {
            let [radius, length] = two_lengths(node, ["radius", "length"], report)?;
            Some(Shape::Capsule {
                half_length: 0.5 * length,
                radius,
            })
        }
        "cylinder" => {
            let [radius, height] = two_lengths(node, ["radius", "height"], report)?;
            Some(Shape::Cylinder {
                half_height: 0.5 * height,
                radius,
            })
        }
        "ellipsoid" => node.sides(report).map(|semi_axes| Shape::Ellipsoid { semi_axes }),
        "prism" => prism(node, report),
        "points" => {
            let points: Vec<Option<Vec3>> = node.list(report)?.iter().map(|p| p.vector(report)).collect();
            let points = points.into_iter().collect::<Option<Vec<Vec3>>>()?;
            hull(node, points, report)
        }
        "mesh" => {
            let file = mesh_file(fields, node, folder, report)?;
            let shape = hull(node, file.corners.clone(), report)?;
            let unscaled = || doubt::hull::span(&file.corners).filter(|_| fields.get("scale").is_none());
            let text = doubt::hull::doubt(&file.corners, &file.triangles, &shape).or_else(unscaled);
            if let Some(text) = text {
                report.doubt(Some(node.span.start), &node.path, text);
            }
            Some(shape)
        }
        _ => node.fail(format!("must not be part of a compound, found {kind}"), report),
    }
}

/// A mesh file in metres.
fn mesh_file(fields: &Fields<'_>, node: &Node<'_>, folder: &Path, report: &mut Report<'_>) -> Option<MeshFile> {
    let scale = fields.positive_or("scale", 1.0, report);
    let mut file = match mesh::read(folder, node.string(report)?) {
        Ok(file) => file,
        Err(problem) => return node.fail(problem, report),
    };
    let scale = scale?;
    for corner in &mut file.corners {
        *corner *= scale;
    }
    if let Err(problem) = within(&file.corners) {
        return node.fail(problem, report);
    }
    Some(file)
}

/// Refuses points that span more or less than shapes may.
pub(super) fn within(points: &[Vec3]) -> Result<(), String> {
    let [least, largest] = LENGTH_RANGE;
    let first = points.first().copied().unwrap_or_default();
    let apart = points.iter().fold(0.0, |m: f64, p| m.max((p - first).amax()));
    let far = points.iter().fold(0.0, |m: f64, p| m.max(p.amax()));
    if far > largest {
        return Err(format!("must lie within {largest:e} m of the origin, found {far:e}"));
    }
    // Fewer points than two, and equal ones, are refused with their reason later.
    if apart > 0.0 && apart < least {
        return Err(format!("must span at least {least:e} m, found {apart:e}"));
    }
    Ok(())
}

fn surface(node: &Node<'_>, made: Result<TriangleMesh, MeshError>, report: &mut Report<'_>) -> Option<Shape> {
    match made {
        Ok(mesh) => Some(Shape::Mesh(Arc::new(mesh))),
        Err(error) => node.fail(format!("must make a surface: {error}"), report),
    }
}

/// Ground over a grid: heights row by row.
fn heights(node: &Node<'_>, report: &mut Report<'_>) -> Option<Shape> {
    let fields = node.fields(report)?;
    fields.only(&["columns", "rows", "spacing", "values"], report);
    let [columns, rows] = ["columns", "rows"].map(|key| {
        fields
            .need(key, report)
            .and_then(|n| n.count(2, MAX_GROUND_TRIANGLES, report))
    });
    let spacing = fields
        .need("spacing", report)
        .and_then(|n| match n.numbers::<2>(report)? {
            [x, y] if x.min(y) >= LENGTH_RANGE[0] && x.max(y) <= LENGTH_RANGE[1] => Some((x, y)),
            [x, y] if x > 0.0 && y > 0.0 => {
                let [least, largest] = LENGTH_RANGE;
                n.wrong(&format!("must lie between {least:e} and {largest:e} m"), report)
            }
            _ => n.wrong("must be positive", report),
        });
    let values: Vec<Option<f64>> = fields
        .need("values", report)
        .and_then(|n| n.list(report))?
        .iter()
        .map(|n| n.number(report))
        .collect();
    let (columns, rows) = (columns?, rows?);
    if (columns - 1).saturating_mul(rows - 1) > MAX_GROUND_TRIANGLES / 2 {
        let problem =
            format!("must have at most {MAX_GROUND_TRIANGLES} triangles, found {columns} columns and {rows} rows");
        return node.fail(problem, report);
    }
    let values = values.into_iter().collect::<Option<Vec<f64>>>()?;
    surface(node, TriangleMesh::height_map(columns, rows, spacing?, &values), report)
}

pub(super) fn two_lengths(node: &Node<'_>, keys: [&str; 2], report: &mut Report<'_>) -> Option<[f64; 2]> {
    let fields = node.fields(report)?;
    fields.only(&keys, report);
    let values = keys.map(|key| fields.length(key, report));
    Some([values[0]?, values[1]?])
}

fn prism(node: &Node<'_>, report: &mut Report<'_>) -> Option<Shape> {
    let fields = node.fields(report)?;
    fields.only(&["sides", "radius", "height"], report);
    let sides = fields
        .need("sides", report)
        .and_then(|n| n.count(3, MAX_PRISM_SIDES, report));
    let [radius, height] = ["radius", "height"].map(|key| fields.length(key, report));
    match Polytope::prism(sides?, radius?, 0.5 * height?) {
        Ok(polytope) => Some(Shape::Polytope(Arc::new(polytope))),
        Err(error) => node.fail(format!("must make a solid: {error}"), report),
    }
}

fn hull(node: &Node<'_>, points: Vec<Vec3>, report: &mut Report<'_>) -> Option<Shape> {
    match hull_of(points) {
        Ok(shape) => Some(shape),
        Err(problem) => node.fail(problem, report),
    }
}

/// Convex hull of points that are not too many.
pub(super) fn hull_of(mut points: Vec<Vec3>) -> Result<Shape, String> {
    if let Some(index) = points.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        return Err(format!("must make a solid: {}", HullError::NotFinite { index }));
    }
    let key = |p: &Vec3| [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits());
    if points.len() > MAX_HULL_POINTS {
        points.sort_unstable_by_key(key);
        points.dedup_by_key(|p| key(p));
    }
    if points.len() > MAX_HULL_POINTS {
        return Err(format!(
            "must have at most {MAX_HULL_POINTS} different points, found {}",
            points.len()
        ));
    }
    within(&points)?;
    match Polytope::hull(&points) {
        Ok(polytope) => Ok(Shape::Polytope(Arc::new(polytope))),
        Err(error) => Err(format!("must make a solid: {error}")),
    }
}

fn compound(node: &Node<'_>, folder: &Path, report: &mut Report<'_>) -> Option<Shape> {
    let list = node.list(report)?;
    if list.is_empty() || list.len() > MAX_COMPOUND_PARTS {
        return node.fail(
            format!("must have 1 to {MAX_COMPOUND_PARTS} parts, found {}", list.len()),
            report,
        );
    }
    let parts: Vec<Option<(Pose, Shape)>> = list
        .iter()
        .map(|item| {
            let fields = item.fields(report)?;
            let kind = kind_of(&fields, &["position", "orientation"], report);
            let position = fields.vector_or("position", Vec3::zeros(), report);
            let rotation = fields.rotation(report);
            let (kind, node) = kind?;
            let shape = simple(kind, &fields, &node, folder, report);
            let pose = Pose {
                position: position?,
                rotation: rotation?,
            };
            Some((pose, shape?))
        })
        .collect();
    parts.into_iter().collect::<Option<Vec<_>>>().map(Shape::Compound)
}
