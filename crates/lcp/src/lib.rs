//! Linear complementarity problems solved exactly, every answer verified.
//!
//! Find z ≥ 0 with w = Mz + q ≥ 0 and zᵀw = 0 ([`Lcp`]), or the same with free variables and bounds ([`Mlcp`]). [`Solver`] is the
//! front door: it chooses a method, falls back to the next while the judge ([`residual`]) is not content, and returns a
//! [`Solution`] with its residual, or with the evidence that there is none. [`exact`] proves answers in rationals.
//!
//! The methods can be used alone: [`lemke`], [`dantzig`], [`ppm`], [`enumerate`].
// Matrices keep the papers' capitals: M, K, U stand in the code as they stand in the equations.
#![allow(non_snake_case)]

pub mod basis;
mod branch;
mod certify;
pub mod dantzig;
mod dictionary;
pub mod enumerate;
mod error;
pub mod exact;
pub mod factor;
mod free_basis;
mod least_squares;
pub mod lemke;
mod lemke_howson;
mod matrix;
pub mod pivoting;
mod plan;
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
pub use solution::{Accuracy, Certificate, Method, Run, Solution, Stats, Status};
pub use solve::{Options, Solver};

/// The Rust blocks of the Markdown pages, compiled and run as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../docs/guide/solve-an-lcp.md")]
    struct SolveAnLcp;
    #[doc = include_str!("../../../docs/reference/statuses.md")]
    struct Statuses;
}
