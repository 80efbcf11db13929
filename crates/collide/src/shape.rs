//! Shapes of bodies.

use std::sync::Arc;

use crate::mesh::TriangleMesh;
use crate::planar::PlanarShape;
use crate::{Pose, Vec3};

/// Shape of a body in its own frame.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Everything below the plane through the origin with this outward unit normal; fixed bodies only.
    HalfSpace {
        /// Outward unit normal.
        normal: Vec3,
    },
    /// Ball about the origin.
    Ball {
        /// Radius \[m\].
        radius: f64,
    },
    /// Ball swept along z from −`half_length` to +`half_length`.
    Capsule {
        /// Half the length of the axis without the caps \[m\].
        half_length: f64,
        /// Radius \[m\].
        radius: f64,
    },
    /// Round cylinder about z.
    Cylinder {
        /// Half the height \[m\].
        half_height: f64,
        /// Radius \[m\].
        radius: f64,
    },
    /// Ellipsoid about the origin.
    Ellipsoid {
        /// Half the diameters along x, y and z \[m\].
        semi_axes: Vec3,
    },
    /// Convex polytope; a box is one.
    Polytope(Arc<Polytope>),
    /// Ground of triangles; fixed bodies only.
    Mesh(Arc<TriangleMesh>),
    /// Several shapes that move as one.
    Compound(Vec<(Pose, Shape)>),
    /// Shape in the plane of x and y, for planar worlds; touches planar shapes only.
    Planar(PlanarShape),
}

impl Shape {
    /// Box about the origin, from its half sides \[m\].
    #[must_use]
    pub fn cuboid(half: Vec3) -> Self {
        Self::Polytope(Arc::new(Polytope::cuboid(half)))
    }

    /// Whether it belongs in a planar world.
    #[must_use]
    pub fn is_planar(&self) -> bool {
        matches!(self, Self::Planar(_))
    }

    /// The same shape seen from another origin \[m\].
    #[must_use]
    pub fn seen_from(self, origin: Vec3) -> Self {
        match self {
            Self::Polytope(polytope) => {
                let mut polytope = Arc::unwrap_or_clone(polytope);
                for vertex in &mut polytope.vertices {
                    *vertex -= origin;
                }
                for face in &mut polytope.faces {
                    face.offset -= face.normal.dot(&origin);
                }
                polytope.centre -= origin;
                polytope.half_sides = polytope.half_sides.filter(|_| origin == Vec3::zeros());
                Self::Polytope(Arc::new(polytope))
            }
            Self::Compound(mut parts) => {
                for (pose, _) in &mut parts {
                    pose.position -= origin;
                }
                Self::Compound(parts)
            }
            Self::Planar(shape) => Self::Planar(shape.seen_from(origin.xy())),
            other => Self::Compound(vec![(
                Pose {
                    position: -origin,
                    ..Pose::identity()
                },
                other,
            )]),
        }
    }
}

/// A convex polytope: corners, faces with outward normals, edges.
///
/// Made by [`Polytope::cuboid`], [`Polytope::prism`] or [`Polytope::hull`], which see to it that the parts agree.
#[derive(Debug, Clone, PartialEq)]
pub struct Polytope {
    /// Corners \[m\].
    pub vertices: Vec<Vec3>,
    /// Faces.
    pub faces: Vec<Face>,
    /// Edges.
    pub edges: Vec<Edge>,
    /// Mean of the corners \[m\], an inner point.
    pub(crate) centre: Vec3,
    /// Largest distance of a corner from the centre \[m\].
    pub(crate) size: f64,
    /// Half sides \[m\], of a box about the origin whose corners and faces are numbered as in [`Polytope::cuboid`].
    pub(crate) half_sides: Option<Vec3>,
}

/// A face of a polytope.
#[derive(Debug, Clone, PartialEq)]
pub struct Face {
    /// Outward unit normal.
    pub normal: Vec3,
    /// normal · x of the face's points.
    pub offset: f64,
    /// Corners, counterclockwise seen from outside.
    pub corners: Vec<usize>,
    /// Unit normals of the sides, in the plane of the face, outward; side i joins corners i and i + 1.
    pub sides: Vec<Vec3>,
}

/// An edge of a polytope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Its ends, in the order in which the first face runs through them.
    pub ends: [usize; 2],
    /// The faces that meet there.
    pub faces: [usize; 2],
}

impl Polytope {
    /// Box about the origin, from its half sides \[m\].
    ///
    /// Bits 0, 1, 2 of a corner's number say on which side it lies along x, y, z; face 2k + 1 looks along +axis k, face 2k along −axis k.
    ///
    /// ```
    /// # use stiction_collide::{shape::Polytope, Vec3};
    /// let cube = Polytope::cuboid(Vec3::new(0.5, 0.5, 0.5));
    /// assert_eq!((cube.vertices.len(), cube.edges.len(), cube.faces.len()), (8, 12, 6));
    /// ```
    #[must_use]
    pub fn cuboid(half: Vec3) -> Self {
        const RINGS: [[usize; 4]; 6] = [
            [0, 4, 6, 2],
            [1, 3, 7, 5],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 2, 3, 1],
            [4, 5, 7, 6],
        ];
        let side = |corner: usize, axis: usize| {
            if corner >> axis & 1 == 1 {
                half[axis]
            } else {
                -half[axis]
            }
        };
        let vertices = (0..8).map(|c| Vec3::new(side(c, 0), side(c, 1), side(c, 2))).collect();
        let faces = RINGS.iter().enumerate().map(|(f, ring)| {
            let mut normal = Vec3::zeros();
            normal[f / 2] = if f % 2 == 1 { 1.0 } else { -1.0 };
            (normal, half[f / 2], ring.to_vec())
        });
        let mut polytope = Self::from_faces(vertices, faces.collect());
        polytope.half_sides = Some(half);
        polytope
    }

    /// Half sides \[m\] of a box about the origin, made by [`Polytope::cuboid`].
    #[must_use]
    pub fn half_sides(&self) -> Option<Vec3> {
        self.half_sides
    }

    /// From corners and faces (outward unit normal, offset, counterclockwise corners) that close up.
    pub(crate) fn from_faces(vertices: Vec<Vec3>, faces: Vec<(Vec3, f64, Vec<usize>)>) -> Self {
        let faces: Vec<Face> = faces
            .into_iter()
            .map(|(normal, offset, corners)| {
                let next = corners.iter().cycle().skip(1);
                let sides = corners
                    .iter()
                    .zip(next)
                    .map(|(&u, &v)| (vertices[v] - vertices[u]).cross(&normal).normalize());
                Face {
                    normal,
                    offset,
                    sides: sides.collect(),
                    corners,
                }
            })
            .collect();
        let edges = edges_of(&faces);
        let centre = vertices.iter().sum::<Vec3>() / vertices.len().max(1) as f64;
        let size = vertices.iter().map(|v| (v - centre).norm()).fold(0.0, f64::max);
        Self {
            vertices,
            faces,
            edges,
            centre,
            size,
            half_sides: None,
        }
    }

    /// Distance of the farthest corner along a direction \[m\].
    #[must_use]
    pub fn support(&self, direction: Vec3) -> f64 {
        self.vertices
            .iter()
            .map(|v| v.dot(&direction))
            .fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Pairs each directed side with its twin; sides without a twin make no edge.
fn edges_of(faces: &[Face]) -> Vec<Edge> {
    let mut sides = Vec::new();
    for (f, face) in faces.iter().enumerate() {
        for (i, &u) in face.corners.iter().enumerate() {
            let v = face.corners[(i + 1) % face.corners.len()];
            sides.push((u.min(v), u.max(v), f, u < v));
        }
    }
    sides.sort_unstable();
    let twins = sides
        .windows(2)
        .filter(|w| (w[0].0, w[0].1) == (w[1].0, w[1].1) && w[0].3 != w[1].3);
    twins
        .map(|w| Edge {
            ends: if w[0].3 { [w[0].0, w[0].1] } else { [w[0].1, w[0].0] },
            faces: [w[0].2, w[1].2],
        })
        .collect()
}

/// Distance of the farthest point of a shape from the origin \[m\]; infinite for a half-space.
#[must_use]
pub fn radius(shape: &Shape) -> f64 {
    match shape {
        Shape::HalfSpace { .. } => f64::INFINITY,
        Shape::Ball { radius } => *radius,
        Shape::Capsule { half_length, radius } => half_length + radius,
        Shape::Cylinder { half_height, radius } => libm::hypot(*half_height, *radius),
        Shape::Ellipsoid { semi_axes } => semi_axes.max(),
        Shape::Mesh(mesh) => {
            let bounds = mesh.bounds(&Pose::identity());
            bounds.low.abs().sup(&bounds.high.abs()).norm()
        }
        Shape::Polytope(polytope) => polytope.vertices.iter().fold(0.0, |m, v| v.norm().max(m)),
        Shape::Planar(shape) => shape.radius(),
        Shape::Compound(parts) => parts.iter().fold(0.0, |m, (pose, part)| {
            let Pose { position, .. } = pose;
            (Vec3::norm(position) + radius(part)).max(m)
        }),
    }
}
