//! Distances that count as none: shares of the two bodies of a pair, so that nothing else in the world changes them.
//!
//! The smaller of the two bodies sets the scale: a box on a floor of kilometres is no less exact than one on a table. Rounding sets a floor: gaps
//! are differences of coordinates, and no better than the last bits of these.

use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::joint::{Joint, JointKind};

/// Contacts with a gap below this share of the bodies' size touch: a step and its penetration correction leave far less.
const TOUCHES: f64 = 1e-9;
/// Gaps below this share of the bodies' size are closed: the contact keeps what distance it has. Bodies wedged between others would have to
/// close all their gaps at once, and the impulses that force them to, over distances of no meaning, are as large as those that carry the pile.
const CLOSED: f64 = 1e-7;
/// Contacts with a gap below this share of the bodies' size touch, as far as impacts are concerned; overlap below it is rounding and not corrected.
const ROUNDED: f64 = 1e-10;
/// Rounding of a gap, as a share of the coordinates that it is computed from: 64 units in the last place.
const LAST_BITS: f64 = 64.0 * f64::EPSILON;

/// What counts as closed, and what as rounding below zero \[m\].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slack {
    pub(crate) closed: f64,
    pub(crate) overlap: f64,
}

impl Configuration<'_> {
    /// A share of the smaller of two bodies, but no less than the rounding of distances between them \[m\].
    pub(crate) fn share(&self, share: f64, a: usize, b: usize) -> f64 {
        let [ra, rb] = [a, b].map(|body| self.model.radius(body));
        let size = match (ra > 0.0, rb > 0.0) {
            (true, true) => ra.min(rb),
            _ => ra.max(rb),
        };
        (share * size).max(self.rounding(a, b))
    }

    /// Rounding of distances between two bodies \[m\].
    fn rounding(&self, a: usize, b: usize) -> f64 {
        let extent = |body: usize| self.model.radius(body) + self.bodies[body].pose.position.norm();
        LAST_BITS * (extent(a) + extent(b))
    }

    /// Distance \[m\] or angle \[rad\] of a joint that is rounding.
    pub(crate) fn joint_slack(&self, joint: &Joint) -> f64 {
        let rounding = match joint.kind {
            JointKind::Rope(_) => self.rope_rounding(joint),
            _ => self.rounding(joint.a, joint.b),
        };
        (ROUNDED * self.model.joint_size(joint)).max(rounding)
    }

    /// Rounding of the length of a rope \[m\]: that of all its legs.
    fn rope_rounding(&self, joint: &Joint) -> f64 {
        let mentions = || joint.mentions();
        mentions().map(|body| self.rounding(body, body)).sum()
    }

    /// Largest gap of a contact of two bodies that touch \[m\].
    pub(crate) fn touch_gap(&self, a: usize, b: usize) -> f64 {
        self.share(TOUCHES, a, b)
    }

    /// The same as far as impacts are concerned; overlap that is rounding \[m\].
    pub(crate) fn rounded_gap(&self, a: usize, b: usize) -> f64 {
        self.share(ROUNDED, a, b)
    }

    /// Gaps of a contact that a step leaves as they are.
    pub(crate) fn slack(&self, contact: &Contact) -> Slack {
        let (a, b) = (contact.a, contact.b);
        Slack {
            closed: self.share(CLOSED, a, b),
            overlap: self.share(ROUNDED, a, b),
        }
    }

    /// Whether a contact touches.
    pub(crate) fn touches(&self, contact: &Contact) -> bool {
        contact.gap <= self.touch_gap(contact.a, contact.b)
    }
}
