//! Where the time of a step goes. Clocks are read only on request, and nothing that a step computes depends on them.

use std::time::{Duration, Instant};

use crate::world::World;

/// Time spent in each stage of the steps so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StageTimes {
    /// Finding contacts.
    pub collision: Duration,
    /// Building the contact problem, and penetration correction.
    pub problem: Duration,
    /// Solving and verifying it.
    pub solve: Duration,
    /// New velocities, poses and energies.
    pub integrate: Duration,
}

impl StageTimes {
    /// All stages together.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.collision + self.problem + self.solve + self.integrate
    }
}

/// A clock that is read from stage to stage, on request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stages {
    times: Option<StageTimes>,
    last: Option<Instant>,
}

impl Stages {
    /// Begins to measure, if requested.
    pub(crate) fn start(&mut self) {
        self.last = self.times.map(|_| Instant::now());
    }

    /// Counts the time since the last call to a stage.
    pub(crate) fn lap(&mut self, stage: fn(&mut StageTimes) -> &mut Duration) {
        if let (Some(times), Some(last)) = (&mut self.times, &mut self.last) {
            let now = Instant::now();
            *stage(times) += now - *last;
            *last = now;
        }
    }
}

impl World {
    /// Measures from now on how long the stages of a step take.
    pub fn time_stages(&mut self) {
        self.scratch.stages.times.get_or_insert_default();
    }

    /// Time by stage since [`World::time_stages`]; zeros where it was not called.
    #[must_use]
    pub fn stage_times(&self) -> StageTimes {
        self.scratch.stages.times.unwrap_or_default()
    }
}
