//! Python bindings: conversions only. Problems, scenes and options come in, results go out; everything else is done by `stiction-lcp`,
//! `stiction-contact` and `stiction-sim`. The package's public face and its documentation are in `python/stiction`.

mod array;
mod bodies;
mod error;
mod fields;
mod forked;
mod given;
mod interrupt;
mod lcp;
mod problem;
mod raw;
mod record;
mod recording;
mod rollout;
mod solution;
mod solve;
mod steps;
mod timing;
mod world;

/// The compiled part of the package `stiction`.
#[pyo3::pymodule]
mod _stiction {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::error::{InputError, SceneWarning, StepError};
    #[pymodule_export]
    use crate::lcp::{Certificate, LcpResidual, LcpSolution, LcpStats, solve_lcp, solve_mlcp};
    #[pymodule_export]
    use crate::problem::ContactProblem;
    #[pymodule_export]
    use crate::recording::Recording;
    #[pymodule_export]
    use crate::rollout::{Rollout, rollout};
    #[pymodule_export]
    use crate::solution::{Compression, ContactSolution, Drive, Ray, Residual, Stats};
    #[pymodule_export]
    use crate::solve::solve;
    #[pymodule_export]
    use crate::steps::StepReport;
    #[pymodule_export]
    use crate::timing::_time_solve;
    #[pymodule_export]
    use crate::world::{_world, Contacts, Energy, NumericalEnergy, World};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        use stiction_contact::{Law, Method};
        crate::forked::remember();
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("LAWS", Law::ALL.map(Law::name))?;
        module.add("METHODS", Method::ALL.map(Method::name))?;
        module.add("LCP_METHODS", stiction_lcp::Method::ALL.map(stiction_lcp::Method::name))
    }
}
