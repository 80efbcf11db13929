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

use crate::body::{Body, Kind};
use crate::state::BodyState;

/// Finds the contacts of a world.
#[derive(Debug, Clone, Default)]
pub struct Collider {
    size: f64,
}

impl Collider {
    /// Size of the largest body that moves [m].
    #[must_use]
    pub fn size(&self) -> f64 {
        self.size
    }

    /// Contacts of all pairs that come within the reach of both.
    pub fn find(
        &mut self,
        _bodies: &[Body],
        _states: &[BodyState],
        _reach: impl Fn(f64, &BodyState, bool) -> f64,
        out: &mut Vec<Contact>,
    ) {
        out.clear();
        let _ = Kind::Fixed;
    }
}
