//! Python bindings: conversions only. Problems, scenes and options come in, results go out; everything else is done by `stiction-lcp`,
//! `stiction-contact` and `stiction-sim`. The package's public face and its documentation are in `python/stiction`.

mod actuation;
mod array;
mod bodies;
mod contacts;
mod dynamics;
mod editing;
mod error;
mod fields;
mod forked;
mod given;
mod grasp;
mod interrupt;
mod joints;
mod lcp;
mod problem;
mod query;
mod raw;
mod record;
mod recording;
mod robots;
mod scenes;
mod solution;
mod solve;
mod stability;
mod steps;
mod timing;
mod trajectory;
mod why;
mod world;

/// The compiled part of the package `stiction`.
#[pyo3::pymodule]
mod _stiction {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::actuation::{Actuator, Actuators};
    #[pymodule_export]
    use crate::contacts::{Contact, Contacts};
    #[pymodule_export]
    use crate::editing::{_did_you_mean, _read_tables, _tables};
    #[pymodule_export]
    use crate::error::{InputError, SceneWarning, StepError};
    #[pymodule_export]
    use crate::grasp::grasps;
    #[pymodule_export]
    use crate::joints::{Joint, Joints};
    #[pymodule_export]
    use crate::lcp::{Certificate, LcpResidual, LcpSolution, LcpStats, solve_lcp, solve_mlcp};
    #[pymodule_export]
    use crate::problem::ContactProblem;
    #[pymodule_export]
    use crate::query::{Nearest, RayHit, Separation};
    #[pymodule_export]
    use crate::recording::Recording;
    #[pymodule_export]
    use crate::robots::{ImportReport, import_report};
    #[pymodule_export]
    use crate::scenes::{SceneRun, run_scenes};
    #[pymodule_export]
    use crate::solution::{Compression, ContactSolution, Drive, Ray, Residual, Stats};
    #[pymodule_export]
    use crate::solve::solve;
    #[pymodule_export]
    use crate::stability::{_Blocks, BlockInterface, Stability, StabilityMargin};
    #[pymodule_export]
    use crate::steps::{StepReport, Work};
    #[pymodule_export]
    use crate::timing::_time_solve;
    #[pymodule_export]
    use crate::trajectory::{_Worlds, _rollout};
    #[pymodule_export]
    use crate::why::{PairForces, PointForces, Why, why};
    #[pymodule_export]
    use crate::world::{_world, Energy, NumericalEnergy, World};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        use stiction_contact::{Law, Method};
        crate::forked::remember();
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("_OUTCOMES", crate::trajectory::OUTCOMES)?;
        module.add("LAWS", Law::ALL.map(Law::name))?;
        module.add("METHODS", Method::ALL.map(Method::name))?;
        module.add("LCP_METHODS", stiction_lcp::Method::ALL.map(stiction_lcp::Method::name))
    }
}
