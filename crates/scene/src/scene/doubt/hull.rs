//! Meshes whose convex hull is not the solid that they show.

use super::short;
use crate::Vec3;
use crate::mass_properties::MassProperties;
use crate::shape::Shape;

/// Share of the hull's volume by which that of the mesh may differ.
const VOLUME_REL_TOL: f64 = 0.01;
/// A mesh without a scale that spans more than this is most likely not in metres \[m\].
const DOUBTFUL_SPAN: f64 = 10.0;

/// What is doubtful about the convex hull of a mesh, in metres, if anything.
pub(in crate::scene) fn doubt(corners: &[Vec3], triangles: &[[usize; 3]], hull: &Shape) -> Option<String> {
    let solid = MassProperties::of(hull)?;
    let mesh = volume(corners, triangles, solid.centre)?;
    ((mesh - solid.volume).abs() > VOLUME_REL_TOL * solid.volume).then(|| {
        format!(
            "has another volume than its convex hull, which is taken: {} m³, found {} m³ in the file",
            short(solid.volume),
            short(mesh)
        )
    })
}

/// What is doubtful about the span of a mesh that has no scale, if anything.
pub(in crate::scene) fn span(corners: &[Vec3]) -> Option<String> {
    let first = corners.first()?;
    let (low, high) = corners.iter().fold((*first, *first), |(l, h), p| (l.inf(p), h.sup(p)));
    let wide = (high - low).max();
    let found = short(wide);
    (wide > DOUBTFUL_SPAN)
        .then(|| format!("is wider than {DOUBTFUL_SPAN} m and has no scale, 0.001 for millimetres, found {found} m"))
}

/// Volume within the triangles, by the divergence theorem about a point; none where there are no triangles.
fn volume(corners: &[Vec3], triangles: &[[usize; 3]], about: Vec3) -> Option<f64> {
    let corner = |k: usize| Some(corners.get(k)? - about);
    let mut volume = 0.0;
    for [a, b, c] in triangles {
        volume += corner(*a)?.dot(&corner(*b)?.cross(&corner(*c)?)) / 6.0;
    }
    (!triangles.is_empty()).then_some(volume.abs())
}
