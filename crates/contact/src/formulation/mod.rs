//! Contact problems written as linear complementarity problems, or as contact problems without friction.

pub(crate) mod cone_edges;
pub(crate) mod coulomb_velocity;
pub(crate) mod dry_and_viscous;
pub(crate) mod generalised;
pub(crate) mod no_slip;
pub(crate) mod no_slip_equivalent;
pub(crate) mod nonconvex;
mod nonconvex_max;
pub(crate) mod nonconvex_sum;
pub(crate) mod pressed;
pub(crate) mod projected;
pub(crate) mod viscous;
pub(crate) mod weights;
