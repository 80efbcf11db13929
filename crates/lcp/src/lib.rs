//! Linear complementarity problems solved exactly, every answer verified.
// Matrices keep the papers' capitals: M, K, U stand in the code as they stand in the equations.
#![allow(non_snake_case)]

pub mod basis;
mod certify;
pub mod dantzig;
pub mod enumerate;
mod error;
pub mod exact;
pub mod factor;
pub mod lemke;
mod matrix;
pub mod pivoting;
mod polish;
pub mod ppm;
mod problem;
pub mod real;
pub mod reduce;
pub mod residual;
mod rounding;
mod solution;
mod solve;
#[cfg(test)]
mod testing;

pub use error::InputError;
pub use matrix::Matrix;
pub use problem::{Bounds, Class, Lcp, Mlcp, View};
pub use residual::Residual;
pub use solution::{Certificate, Method, Run, Solution, Stats, Status};
pub use solve::{Options, Solver};
