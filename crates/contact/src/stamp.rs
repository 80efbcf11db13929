//! Stamps: whether a problem was met before.

use std::sync::atomic::{AtomicU64, Ordering};

/// Identifies all of a problem but the velocity without contact: solvers that meet a stamp again keep what they made of it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stamp(u64);

impl Stamp {
    /// One that no problem has had.
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
