//! Which bodies touch, and where.

use crate::Vec3;

/// A point where two bodies touch or may touch within the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Body that is pushed along +normal.
    pub a: usize,
    /// Body that is pushed along −normal.
    pub b: usize,
    /// Midway between the two surfaces [m].
    pub point: Vec3,
    /// Unit normal, from b to a.
    pub normal: Vec3,
    /// Distance of the surfaces along the normal [m]; negative where they overlap.
    pub gap: f64,
    /// Names the features that touch: the same from step to step while the same corners, edges and faces meet.
    pub key: u64,
}
