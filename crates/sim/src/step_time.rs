//! When a step begins and ends.

/// The time of a step, or of a part of one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepTime {
    /// Start \[s\].
    pub start: f64,
    /// End \[s\].
    pub end: f64,
    /// Length \[s\].
    pub h: f64,
    /// Steps made before.
    pub step: u64,
    /// Whether the step ends with this part of it.
    pub is_last: bool,
}

impl StepTime {
    /// Part `part` of `of` equal parts of the step after `step` steps of `dt`, from the time `start`. Whole steps end at multiples of dt, to the bit.
    #[must_use]
    pub fn part(start: f64, step: u64, dt: f64, [part, of]: [usize; 2]) -> Self {
        let is_last = part + 1 == of;
        let end = if is_last {
            (step as f64 + 1.0) * dt
        } else {
            step as f64 * dt + dt * (part + 1) as f64 / of as f64
        };
        Self {
            start,
            end,
            h: dt / of as f64,
            step,
            is_last,
        }
    }

    /// The middle \[s\].
    #[must_use]
    pub fn middle(&self) -> f64 {
        self.start + 0.5 * self.h
    }
}
