//! Stamps: whether a solver has cached factors of a problem.

use std::sync::atomic::{AtomicU64, Ordering};

/// Identifies all data of a problem except the free velocity: a solver that sees a stamp again keeps the factors that it has computed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stamp(u64);

impl Stamp {
    /// A stamp that no problem has.
    pub(crate) fn fresh() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    /// Whether the data are the same. Problems without any share the first stamp.
    pub(crate) fn is(self, other: Self) -> bool {
        self.0 == other.0
    }
}

impl PartialEq for Stamp {
    /// Problems are equal by their data, however they came about.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
