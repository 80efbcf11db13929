//! placeholder
use crate::real::Real;
/// Cholesky
#[derive(Debug, Clone, Default)]
pub struct Cholesky;
fn _f<T: Real>() {}
