//! Solvers: one file or folder a method.

pub(crate) mod newton_cone;
