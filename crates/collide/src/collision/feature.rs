//! Names of the features that meet in a contact.

use crate::mix;

/// What of one body takes part in a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Feature {
    /// A corner, an end of an axis or a fixed point on a rim.
    Corner(usize),
    /// An edge, by its ends.
    Edge(usize, usize),
    /// A face.
    Face(usize),
    /// A round surface, whose point moves along it.
    Round,
    /// Where two sides of a face meet that are no neighbours: happens within tolerances only.
    Sides(usize, usize),
}

impl Feature {
    /// Distinct for features with indices below 2³⁰.
    fn code(self) -> u64 {
        let pack = |kind: u64, i: usize, j: usize| kind << 60 | (i as u64) << 30 | j as u64;
        match self {
            Self::Corner(i) => pack(1, i, 0),
            Self::Edge(i, j) => pack(2, i.min(j), i.max(j)),
            Self::Face(i) => pack(3, i, 0),
            Self::Round => pack(4, 0, 0),
            Self::Sides(i, j) => pack(5, i.min(j), i.max(j)),
        }
    }
}

/// Key of a contact between a feature of a and a feature of b.
pub(crate) fn key(a: Feature, b: Feature) -> u64 {
    mix(mix(a.code()).wrapping_add(b.code()))
}

/// Key of a contact between part i of a and part j of b.
pub(crate) fn within_parts(key: u64, i: usize, j: usize) -> u64 {
    mix(mix(key.wrapping_add(i as u64 + 1)).wrapping_add(j as u64 + 1))
}
