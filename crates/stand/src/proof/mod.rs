//! Proofs: what a program suggests is checked here from the data, without rounding or with rounding that is bounded.

pub(crate) mod cholesky;
pub mod forces;
pub mod mechanism;
