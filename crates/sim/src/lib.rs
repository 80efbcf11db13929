//! Scenes of rigid bodies, moved step by step under exact contact.
//!
//! scene → [`collision`] → contact problem → solver → step. Vectors are in world axes unless a name ends in `_body`; units are SI.

mod advance;
mod assemble;
pub mod body;
mod collider;
pub mod collision;
mod configuration;
mod coordinates;
mod corner_sides;
mod corners;
mod coupling;
mod easing;
mod edit;
mod ellipsoid;
pub mod energy;
mod error;
mod failure;
mod fingerprint;
mod flight;
mod gain;
mod hull;
mod impact;
pub mod integrate;
pub mod joint;
mod joint_rows;
mod level;
mod lever;
mod loads;
pub mod mass_properties;
mod mesh;
mod midpoint;
mod model;
pub mod motion;
mod outcome;
mod pairs;
mod parts;
pub mod planar;
mod pose;
pub mod query;
mod rates;
pub mod recording;
mod saved;
pub mod scene;
mod schedule;
mod scratch;
pub mod shape;
mod slack;
pub mod spin;
mod stages;
pub mod state;
mod step;
mod step_time;
mod stepper;
pub mod transmission;
mod tree;
mod world;

pub use corners::CornerRule;
pub use coupling::Coupling;
pub use edit::BodyId;
pub use error::SimError;
pub use failure::JointError;
pub use gain::{ENERGY_GAIN, EnergyGain, EnergyWatch};
pub use hull::HullError;
pub use joint_rows::JointForces;
pub use mesh::{MeshError, TriangleMesh};
pub use model::Model;
pub use pairs::PairMaterial;
pub use pose::Pose;
pub use saved::Loaded;
pub use schedule::TimedForce;
pub use stages::StageTimes;
pub use step::StepReport;
pub use step_time::StepTime;
pub use stepper::Stepper;
pub use world::{Settings, World, Wrench};

/// Vector in space.
pub type Vec3 = nalgebra::Vector3<f64>;
/// 3×3 matrix.
pub type Mat3 = nalgebra::Matrix3<f64>;
/// Rotation.
pub type Quat = nalgebra::UnitQuaternion<f64>;

/// The Rust blocks of the Markdown pages, compiled and run as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../docs/guide/run-a-scene.md")]
    struct RunAScene;
    #[doc = include_str!("../../../docs/reference/recording.md")]
    struct Recordings;
}
