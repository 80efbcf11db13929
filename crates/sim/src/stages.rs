//! Where the time of a step goes. Clocks are read only where they were asked for, and nothing that a step computes depends on them.

use std::time::{Duration, Instant};

use crate::world::World;

/// Time spent in each stage of the steps so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StageTimes {
    /// Finding contacts.
    pub collision: Duration,
    /// Building the contact problem, and easing overlap out.
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

/// A clock that is read from stage to stage, if it runs at all.
#[derive(Debug)]
pub(crate) struct StageClock(Option<Instant>);

impl StageClock {
    /// Time since the last call; zero where no clock runs.
    fn lap(&mut self) -> Duration {
        match &mut self.0 {
            None => Duration::ZERO,
            Some(last) => {
                let now = Instant::now();
                let passed = now - *last;
                *last = now;
                passed
            }
        }
    }
}

impl World {
    /// Measures from now on how long the stages of a step take.
    pub fn time_stages(&mut self) {
        self.stages.get_or_insert_default();
    }

    /// Time by stage since [`World::time_stages`]; zeros where it was not called.
    #[must_use]
    pub fn stage_times(&self) -> StageTimes {
        self.stages.unwrap_or_default()
    }

    /// Counts the time since the last call to a stage.
    pub(crate) fn lap(&mut self, clock: &mut StageClock, stage: fn(&mut StageTimes) -> &mut Duration) {
        if let Some(times) = &mut self.stages {
            *stage(times) += clock.lap();
        }
    }

    pub(crate) fn stage_clock(&self) -> StageClock {
        StageClock(self.stages.map(|_| Instant::now()))
    }
}
