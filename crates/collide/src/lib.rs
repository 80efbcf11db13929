//! Contact geometry: shapes and poses in, contact points, distances and ray hits out.
//!
//! Vectors are in world axes unless a name ends in `_body`; units are SI. Nothing here knows of forces, velocities of bodies, or time.

pub mod collision;
pub mod ellipsoid;
mod hash;
mod hull;
pub mod mass_properties;
mod mesh;
pub mod planar;
mod pose;
pub mod query;
pub mod shape;

pub use hash::mix;
pub use hull::HullError;
pub use mesh::{MeshError, TriangleMesh};
pub use pose::Pose;

/// Vector in space.
pub type Vec3 = nalgebra::Vector3<f64>;
/// 3×3 matrix.
pub type Mat3 = nalgebra::Matrix3<f64>;
/// Rotation.
pub type Quat = nalgebra::UnitQuaternion<f64>;
