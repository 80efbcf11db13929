//! A bound on searches in rationals. Pivots do not bound them: doubles of very different sizes make integers of thousands of bits, and a
//! pivot then costs as much as a thousand others.

use super::problem::{ExactLcp, Row};
use dashu_int::IBig;
use dashu_int::ops::BitTest;

/// What a product, a difference and a division take whatever the numbers \[ns\].
const COST_PER_OPERATION: f64 = 100.0;
/// What they take for two words of 64 bits \[ns\].
const COST_OF_TWO_WORDS: f64 = 3.0;

/// Work that is left, in nanoseconds as the sizes of the numbers foretell them on a usual processor. No clock is read: the same search ends at the
/// same place on every machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Work(f64);

impl Work {
    /// As much as it takes.
    pub(crate) fn any() -> Self {
        Self(f64::INFINITY)
    }

    /// So many nanoseconds.
    pub(crate) fn new(nanoseconds: f64) -> Self {
        Self(nanoseconds)
    }

    /// Nanoseconds that are left, 0 at least.
    pub(crate) fn left(self) -> f64 {
        self.0.max(0.0)
    }

    /// Counts so many eliminations with numbers of the sizes of these two; `None` once nothing is left.
    pub(super) fn spend(&mut self, count: usize, a: &IBig, b: &IBig) -> Option<()> {
        self.spend_bits(count, a.bit_len(), b.bit_len())
    }

    /// Counts what it takes to write a problem in integers, as one elimination an entry; `None` once nothing is left.
    pub(crate) fn spend_making(&mut self, problem: &ExactLcp) -> Option<()> {
        let entries = |row: &Row| (row.entries.len(), row.scale.bit_len());
        let mut all = problem.rows.iter().map(entries);
        all.try_for_each(|(count, bits)| self.spend_bits(count, bits, 0))
    }

    /// The same by numbers of bits.
    pub(super) fn spend_bits(&mut self, count: usize, a: usize, b: usize) -> Option<()> {
        let words = |bits: usize| 1.0 + bits as f64 / 64.0;
        self.0 -= count as f64 * (COST_PER_OPERATION + COST_OF_TWO_WORDS * words(a) * words(b));
        (self.0 > 0.0).then_some(())
    }
}
