//! Forces that act for a time.

use crate::SimError;
use crate::world::{World, Wrench};

/// A force and torque on a body from one time to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimedForce {
    /// The body.
    pub body: usize,
    /// What acts on it.
    pub wrench: Wrench,
    /// Start \[s\].
    pub from: f64,
    /// End \[s\]; infinite where there is none.
    pub until: f64,
}

impl World {
    /// Adds a force that acts for a time, beside what [`World::apply`] sets: in each step whose middle lies between its start and end.
    ///
    /// # Errors
    /// A body that does not exist, a number that is not finite, an end before the start; in a planar world what acts out of the plane.
    pub fn schedule(&mut self, force: TimedForce) -> Result<(), SimError> {
        let limit = self.model.bodies.len();
        if force.body >= limit {
            return Err(SimError::Body {
                limit,
                found: force.body,
            });
        }
        let Wrench { force: f, torque: t } = force.wrench;
        if let Some(x) = f.iter().chain(t.iter()).find(|x| !x.is_finite()) {
            return Err(SimError::value("force", "must be finite", *x));
        }
        self.model.coordinates().check_wrench(f, t)?;
        if !force.from.is_finite() {
            return Err(SimError::value("from", "must be finite", force.from));
        }
        if force.until.is_nan() || force.until < force.from {
            return Err(SimError::value("until", "must not lie before the start", force.until));
        }
        self.model.schedule.push(force);
        Ok(())
    }
}
