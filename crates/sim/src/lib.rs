//! Scenes of rigid bodies, moved step by step under exact contact.
//!
//! scene → [`collision`] → contact problem → solver → step. Vectors are in world axes unless a name ends in `_body`; units are SI.

mod actuator;
mod advance;
mod assemble;
pub mod body;
mod collider;
pub mod compound;
mod configuration;
mod coordinates;
mod corner_sides;
mod corners;
mod correction;
mod coupling;
mod drive;
mod dynamics;
mod edit;
pub mod energy;
mod error;
mod failure;
mod fingerprint;
mod flight;
mod frame;
mod gain;
mod impact;
pub mod integrate;
pub mod joint;
mod joint_rows;
mod level;
mod lever;
mod loads;
mod look;
mod member;
mod midpoint;
mod model;
pub mod motion;
mod outcome;
mod pairs;
mod parts;
pub mod query;
mod rates;
mod saved;
mod schedule;
// Unit tests write their worlds as scenes: the readers, compiled against this crate as it is under test.
#[cfg(test)]
#[path = "../../scene/src/scene/mod.rs"]
// What is public in their crate is not in this one.
#[allow(dead_code, unreachable_pub, unused_imports, clippy::struct_field_names)]
mod scene;
mod scratch;
mod sensor;
mod slack;
pub mod spin;
mod stages;
pub mod state;
pub mod statics;
mod step;
mod step_time;
mod stepper;
mod sweeps;
pub mod tendon;
pub mod transmission;
mod tree;
mod turns;
mod work;
mod world;

pub use actuator::{Actuator, ActuatorKind};
pub use corners::CornerRule;
pub use coupling::Coupling;
pub use edit::BodyId;
pub use error::SimError;
pub use failure::JointError;
pub use frame::Frame;
pub use gain::{ENERGY_GAIN, EnergyGain, EnergyWatch};
pub use joint_rows::{JointForces, JointReaction};
pub use member::Member;
pub use model::Model;
pub use pairs::PairMaterial;
pub use saved::Loaded;
pub use schedule::TimedForce;
pub use sensor::{Sensor, SensorKind};
pub use stages::StageTimes;
pub use step::StepReport;
pub use step_time::StepTime;
pub use stepper::Stepper;
pub use work::Work;
pub use world::{Settings, World, Wrench};

pub use stiction_collide::{
    HullError, Mat3, MeshError, Pose, Quat, TriangleMesh, Vec3, collision, mass_properties, planar, shape,
};
use stiction_collide::{ellipsoid, mix};

/// The Rust blocks of the Markdown pages, compiled and run as tests.
#[cfg(doctest)]
mod pages {}
