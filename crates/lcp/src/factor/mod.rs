//! Factorizations of the small systems that pivoting solves again and again, changed by a row or a column at a time.

mod cholesky;
mod lu;

pub use cholesky::Cholesky;
pub use lu::Lu;
