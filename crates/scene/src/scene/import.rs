//! What became of a robot's file: taken, changed, ignored, by name and count.

use std::collections::BTreeMap;

/// A report of an importer. Names are those of the file: elements, or elements and attributes as `geom.solref`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportReport {
    /// Taken as they are.
    pub taken: BTreeMap<String, usize>,
    /// Taken otherwise than the file says, each with how.
    pub changed: BTreeMap<String, usize>,
    /// Ignored, as they have no meaning here or are not supported.
    pub ignored: BTreeMap<String, usize>,
}

impl ImportReport {
    pub(super) fn take(&mut self, name: impl Into<String>) {
        *self.taken.entry(name.into()).or_default() += 1;
    }

    pub(super) fn change(&mut self, how: impl Into<String>) {
        *self.changed.entry(how.into()).or_default() += 1;
    }

    pub(super) fn ignore(&mut self, name: impl Into<String>) {
        *self.ignored.entry(name.into()).or_default() += 1;
    }

    /// One line an entry of what was changed and ignored.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let changed = self
            .changed
            .iter()
            .map(|(how, count)| format!("{how}: changed, found {count}"));
        let ignored = self
            .ignored
            .iter()
            .map(|(name, count)| format!("{name}: ignored, found {count}"));
        changed.chain(ignored).collect()
    }
}
