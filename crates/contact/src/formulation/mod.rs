//! Contact problems written as linear complementarity problems.

pub(crate) mod coulomb_velocity;
