//! Solvers: one file or folder a method.

#[allow(dead_code)] // The front door does not call it yet.
pub(crate) mod newton_cone;
