//! Readers of worlds: scenes as TOML files, robots as URDF files.
//!
//! Text → [`Scene`] → [`World`], by [`WorldExt::from_scene`]. Every reader says what it took, changed and ignored.

mod scene;

// The names of what readers build.
use stiction_collide::mix;
use stiction_sim::{
    Actuator, ActuatorKind, CornerRule, Coupling, Frame, HullError, Mat3, MeshError, PairMaterial, Pose, Quat, Sensor,
    SensorKind, Settings, SimError, Stepper, TimedForce, TriangleMesh, Vec3, World, Wrench, body, collision, compound,
    integrate, joint, mass_properties, motion, planar, shape, state, transmission,
};

pub use scene::*;

/// The Rust blocks of the Markdown page, compiled and run as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../docs/guide/run-a-scene.md")]
    struct RunAScene;
}
