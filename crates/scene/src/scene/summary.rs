//! The bodies of a scene as they were taken, one line for those that are alike.

use std::collections::BTreeMap;
use std::fmt;

use super::doubt::short;
use super::{Scene, SceneBody};
use crate::body::Kind;
use crate::collision::Bounds;
use crate::planar::PlanarShape;
use crate::shape::Shape;
use crate::{Pose, Vec3};

/// Bodies of a scene that are alike in shape, size, kind, mass and material.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyGroup {
    /// How many there are.
    pub count: usize,
    /// Name of the first.
    pub first: String,
    /// One of them in words, such as `box`.
    pub shape: &'static str,
    /// Several in words, such as `boxes`.
    pub shapes: &'static str,
    /// Its size in words, such as `0.2 × 0.2 × 0.2 m`; empty where it has no end.
    pub size: String,
    /// `dynamic`, `kinematic` or `fixed`.
    pub kind: &'static str,
    /// Mass of one \[kg\], where it is dynamic.
    pub mass: Option<f64>,
    /// Friction coefficient.
    pub friction: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Viscous friction \[N·s/m\].
    pub viscosity: f64,
}

impl BodyGroup {
    fn of(made: &SceneBody) -> Self {
        let (shape, shapes, size) = words(&made.body.shape);
        let (kind, mass) = match made.body.kind {
            Kind::Fixed => ("fixed", None),
            Kind::Kinematic => ("kinematic", None),
            Kind::Dynamic { mass, .. } => ("dynamic", Some(mass)),
        };
        let material = made.body.material;
        Self {
            count: 1,
            first: made.body.name.clone(),
            shape,
            shapes,
            size,
            kind,
            mass,
            friction: material.friction,
            restitution: material.restitution,
            viscosity: material.viscosity,
        }
    }
}

/// `4 boxes 0.2 × 0.2 × 0.2 m, 8 kg each, friction 0.5`.
impl fmt::Display for BodyGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let many = self.count > 1;
        write!(f, "{} {}", self.count, if many { self.shapes } else { self.shape })?;
        if !self.size.is_empty() {
            write!(f, " {}", self.size)?;
        }
        if !many {
            write!(f, " ({})", self.first)?;
        }
        match self.mass {
            Some(mass) => write!(f, ", {} kg{}", short(mass), if many { " each" } else { "" })?,
            None => write!(f, ", {}", self.kind)?,
        }
        write!(f, ", friction {}", short(self.friction))?;
        for (name, value) in [("restitution", self.restitution), ("viscosity", self.viscosity)] {
            if value > 0.0 {
                write!(f, ", {name} {}", short(value))?;
            }
        }
        Ok(())
    }
}

impl Scene {
    /// The bodies as they were taken: those that are alike together, in the order of the first of each.
    ///
    /// ```
    /// # use stiction_scene::Scene;
    /// let text = "format = 1\nworld = { friction = 0.5, density = 1000 }\nstack = [{ box = [0.2, 0.2, 0.2], count = 4 }]";
    /// let groups = Scene::parse(text, ".")?.summary();
    /// assert_eq!(groups[0].to_string(), "4 boxes 0.2 × 0.2 × 0.2 m, 8 kg each, friction 0.5");
    /// # Ok::<(), stiction_scene::SceneError>(())
    /// ```
    #[must_use]
    pub fn summary(&self) -> Vec<BodyGroup> {
        let (mut known, mut groups): (BTreeMap<String, usize>, Vec<BodyGroup>) = (BTreeMap::new(), Vec::new());
        for made in &self.bodies {
            let group = BodyGroup::of(made);
            let key = BodyGroup {
                first: String::new(),
                ..group.clone()
            };
            let next = groups.len();
            match *known.entry(key.to_string()).or_insert(next) {
                at if at < next => groups[at].count += 1,
                _ => groups.push(group),
            }
        }
        groups
    }
}

/// One of a shape, several of them, and their size.
fn words(shape: &Shape) -> (&'static str, &'static str, String) {
    let round = |radius: f64| format!("of radius {} m", short(radius));
    let long = |radius: f64, half: f64| format!("of radius {} m and length {} m", short(radius), short(2.0 * half));
    match shape {
        Shape::HalfSpace { .. } => ("half-space", "half-spaces", String::new()),
        Shape::Ball { radius } => ("ball", "balls", round(*radius)),
        Shape::Capsule { half_length, radius } => ("capsule", "capsules", long(*radius, *half_length)),
        Shape::Cylinder { half_height, radius } => ("cylinder", "cylinders", long(*radius, *half_height)),
        Shape::Ellipsoid { .. } => ("ellipsoid", "ellipsoids", extent(shape)),
        Shape::Polytope(polytope) if polytope.half_sides().is_some() => ("box", "boxes", extent(shape)),
        Shape::Polytope(_) => ("convex solid", "convex solids", extent(shape)),
        Shape::Mesh(_) => ("ground of triangles", "grounds of triangles", extent(shape)),
        Shape::Compound(parts) if parts.is_empty() => {
            ("link without geometry", "links without geometry", String::new())
        }
        Shape::Compound(parts) if parts.len() == 1 => words(&parts[0].1),
        Shape::Compound(_) => ("compound", "compounds", extent(shape)),
        Shape::Planar(planar) => match planar {
            PlanarShape::HalfPlane { .. } => ("half-plane", "half-planes", String::new()),
            PlanarShape::Disc { radius } => ("disc", "discs", round(*radius)),
            PlanarShape::Capsule { half_length, radius } => ("capsule", "capsules", long(*radius, *half_length)),
            PlanarShape::Polygon(_) => ("polygon", "polygons", extent(shape)),
            PlanarShape::Compound(_) => ("compound", "compounds", extent(shape)),
        },
    }
}

/// Bounds of a shape in its own axes; of ground those of its triangles, not of the solid below them.
pub(super) fn bounds(shape: &Shape) -> Bounds {
    let Shape::Mesh(mesh) = shape else {
        return Bounds::of(shape, &Pose::identity());
    };
    let none = [f64::INFINITY, f64::NEG_INFINITY].map(Vec3::repeat);
    let corners = mesh.prisms().flat_map(|prism| {
        let corners = prism.faces[0].corners.iter();
        corners.map(|corner| prism.vertices[*corner])
    });
    let [low, high] = corners.fold(none, |[low, high], p| [low.inf(&p), high.sup(&p)]);
    Bounds { low, high }
}

/// `0.2 × 0.2 × 0.2 m`, in the body's own axes.
fn extent(shape: &Shape) -> String {
    let bounds = bounds(shape);
    let sides = bounds.high - bounds.low;
    let count = if shape.is_planar() { 2 } else { 3 };
    let sides: Vec<String> = sides.iter().take(count).map(|side| short(*side)).collect();
    sides.join(" × ") + " m"
}
