//! `<link>`: mass and collision geometry.

use std::path::Path;

use super::element::Element;
use super::{Link, Notes};
use crate::mass_properties::MassProperties;
use crate::scene::error::Report;
use crate::scene::{MAX_COMPOUND_PARTS, doubt, mesh, shapes};
use crate::shape::Shape;
use crate::{Mat3, Vec3};

/// Moments are compared to this share of the largest: decimals as printed.
const MOMENTS_REL_TOL: f64 = 1e-6;

/// Where meshes are sought: the scene's folder, and that of the URDF file within it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Folders<'f> {
    pub(super) scene: &'f Path,
    pub(super) within: &'f str,
}

/// Reads a link.
pub(super) fn read(
    element: &Element<'_, '_>,
    name: &str,
    folders: Folders<'_>,
    notes: &mut Notes,
    report: &mut Report<'_>,
) -> Option<Link> {
    notes.ignored(element, &["inertial", "collision"]);
    let inertial = match element.child("inertial", report) {
        Some(inertial) => weight(&inertial, notes, report),
        None => Some((0.0, Vec3::zeros(), Mat3::zeros(), element.at())),
    };
    let mut collisions = Vec::new();
    let mut right = true;
    for (k, mut collision) in element.children("collision").enumerate() {
        if k == MAX_COMPOUND_PARTS {
            collision.fail::<()>(
                format!("must not be one beyond {MAX_COMPOUND_PARTS}, found more"),
                report,
            );
            return None;
        }
        collision.path = format!("{}[{k}]", collision.path);
        notes.ignored(&collision, &["origin", "geometry"]);
        let (pose, shape) = (collision.origin(report), geometry(&collision, folders, report));
        match pose.zip(shape) {
            Some(part) => collisions.push(part),
            None => right = false,
        }
    }
    let (mass, centre, inertia, inertia_at) = inertial?;
    right.then(|| Link {
        name: name.to_owned(),
        mass,
        centre,
        inertia,
        collisions,
        at: element.at(),
        inertia_at,
        place: String::new(),
    })
}

/// Mass, centre of mass in the link's frame, inertia about it in axes of the link, and where that stands.
type Weight = (f64, Vec3, Mat3, usize);

fn weight(inertial: &Element<'_, '_>, notes: &mut Notes, report: &mut Report<'_>) -> Option<Weight> {
    notes.ignored(inertial, &["origin", "mass", "inertia"]);
    let origin = inertial.origin(report);
    let mass = inertial
        .need_child("mass", report)
        .and_then(|m| m.number("value", "must not be negative", |x| x >= 0.0, report));
    let element = inertial.need_child("inertia", report);
    let tensor = element.as_ref().and_then(|element| {
        let mut get = |key| element.number_or(key, 0.0, "", |_| true, report);
        let [xx, xy, xz, yy, yz, zz] = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"].map(&mut get);
        let (xy, xz, yz) = (xy?, xz?, yz?);
        Some(Mat3::new(xx?, xy, xz, xy, yy?, yz, xz, yz, zz?))
    });
    let (origin, mass, element, tensor) = (origin?, mass?, element?, tensor?);
    let moments = tensor.symmetric_eigenvalues();
    let (least, largest) = (moments.min(), moments.max());
    if least < -MOMENTS_REL_TOL * largest.abs() || (mass > 0.0 && largest < 0.0) {
        return element.fail(
            format!("must be positive semidefinite, found the moment {least}"),
            report,
        );
    }
    if 2.0 * largest > moments.sum() * (1.0 + MOMENTS_REL_TOL) {
        let problem = format!("must have no moment above the sum of the others, found {largest}");
        return element.fail(problem, report);
    }
    let r = origin.rotation.to_rotation_matrix().into_inner();
    // The same to the bit where the frame is not turned.
    let turned = if r == Mat3::identity() {
        tensor
    } else {
        r * tensor * r.transpose()
    };
    Some((mass, origin.position, turned, element.at()))
}

fn geometry(collision: &Element<'_, '_>, folders: Folders<'_>, report: &mut Report<'_>) -> Option<Shape> {
    let geometry = collision.need_child("geometry", report)?;
    let mut kinds = geometry.all();
    let Some(kind) = kinds.next() else {
        return geometry.fail(
            "must have a box, sphere, cylinder, capsule or mesh, found nothing",
            report,
        );
    };
    if let Some(second) = kinds.next() {
        return second.fail("must be the only geometry, found a second", report);
    }
    shape(&kind, folders, report)
}

fn shape(kind: &Element<'_, '_>, folders: Folders<'_>, report: &mut Report<'_>) -> Option<Shape> {
    let mut positive = |name: &str| kind.number(name, "must be positive", |x| x > 0.0, report);
    let shape = match kind.tag() {
        "box" => {
            let size = kind.vector("size", report)?;
            if size.min() <= 0.0 {
                return kind.wrong("size", "must be positive", report);
            }
            Shape::cuboid(0.5 * size)
        }
        "sphere" => Shape::Ball {
            radius: positive("radius")?,
        },
        "cylinder" => {
            let (radius, length) = (positive("radius"), positive("length"));
            Shape::Cylinder {
                radius: radius?,
                half_height: 0.5 * length?,
            }
        }
        "capsule" => {
            let (radius, length) = (positive("radius"), positive("length"));
            Shape::Capsule {
                radius: radius?,
                half_length: 0.5 * length?,
            }
        }
        "mesh" => hull(kind, folders, report)?,
        _ => {
            return kind.fail(
                "must be one of box, sphere, cylinder, capsule, mesh, found another",
                report,
            );
        }
    };
    let volume = MassProperties::of(&shape).map_or(0.0, |p| p.volume);
    if !(volume.is_finite() && volume > 0.0) {
        let problem = format!("must have a volume that is finite and positive, found {volume}");
        return kind.fail(problem, report);
    }
    Some(shape)
}

/// The convex hull of a mesh file.
fn hull(kind: &Element<'_, '_>, folders: Folders<'_>, report: &mut Report<'_>) -> Option<Shape> {
    let name = kind.need("filename", report);
    let scale = kind.vector_or("scale", Vec3::repeat(1.0), report);
    let (name, scale) = (name?.trim(), scale?);
    if scale.iter().any(|x| *x == 0.0) {
        return kind.wrong("scale", "must not be zero", report);
    }
    let read = match name.split_once("://") {
        // A package is a folder of its name beside the scene.
        Some(("package", path)) => mesh::read(folders.scene, path),
        Some(_) => {
            return kind.wrong(
                "filename",
                "must be a path below the scene's folder or package://",
                report,
            );
        }
        None if folders.within.is_empty() => mesh::read(folders.scene, name),
        None => mesh::read(folders.scene, &format!("{}/{name}", folders.within)),
    };
    let made = read.and_then(|file| {
        let corners: Vec<Vec3> = file.corners.iter().map(|p| p.component_mul(&scale)).collect();
        let shape = shapes::hull_of(corners.clone())?;
        let unscaled = || doubt::hull::span(&corners).filter(|_| kind.text("scale").is_none());
        if let Some(text) = doubt::hull::doubt(&corners, &file.triangles, &shape).or_else(unscaled) {
            report.doubt(Some(kind.at()), &format!("{}.filename", kind.path), text);
        }
        Ok(shape)
    });
    match made {
        Ok(shape) => Some(shape),
        Err(problem) => kind.fail_at("filename", problem, report),
    }
}
