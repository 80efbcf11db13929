//! Shapes of bodies.

use std::sync::Arc;

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
        /// Radius [m].
        radius: f64,
    },
    /// Ball swept along z from −`half_length` to +`half_length`.
    Capsule {
        /// Half the length of the axis without the caps [m].
        half_length: f64,
        /// Radius [m].
        radius: f64,
    },
    /// Round cylinder about z.
    Cylinder {
        /// Half the height [m].
        half_height: f64,
        /// Radius [m].
        radius: f64,
    },
    /// Convex polytope; a box is one.
    Polytope(Arc<Polytope>),
    /// Several shapes that move as one.
    Compound(Vec<(Pose, Shape)>),
}

/// A convex polytope: corners, faces with outward normals, edges.
#[derive(Debug, Clone, PartialEq)]
pub struct Polytope {
    /// Corners [m].
    pub vertices: Vec<Vec3>,
    /// Faces.
    pub faces: Vec<Face>,
    /// Edges.
    pub edges: Vec<Edge>,
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
}

/// An edge of a polytope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Its ends.
    pub ends: [usize; 2],
    /// The faces that meet there.
    pub faces: [usize; 2],
}
