//! A replay that is taken while a world runs, without a file.

use crate::recording::{ContactsRecord, Message, PosesRecord, Since, StatsRecord, WorldRecord};
use stiction_sim::{StepReport, World};

use crate::replay::Replay;

/// Takes a replay of a world whose list of bodies does not change.
///
/// ```
/// use stiction_record::Take;
/// use stiction_sim::{Settings, World};
/// let mut world = World::new(Settings::default())?;
/// let mut take = Take::new("empty", &world, 2);
/// for _ in 0..10 {
///     let report = world.step()?;
///     take.record(&world, &report);
/// }
/// assert_eq!(take.replay().frame_count(), 6);
/// # Ok::<(), stiction_sim::SimError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Take {
    replay: Replay,
    every: u64,
    /// Sums and worst values since the last frame.
    since: Since,
}

impl Take {
    /// Begins with the world as it stands, and the contacts of its last step where it has made one. Every how many steps one is taken;
    /// 0 counts as 1.
    #[must_use]
    pub fn new(name: &str, world: &World, every: u64) -> Self {
        let mut replay = Replay::new(name);
        replay.add(Message::World(WorldRecord::of(world)));
        replay.add(Message::Poses(PosesRecord::of(world)));
        if world.state().step > 0 {
            replay.add(Message::Contacts(ContactsRecord::recorded(world)));
        }
        Self {
            replay,
            every: every.max(1),
            since: Since::default(),
        }
    }

    /// Takes a step that was just made, if it is one of those to be taken.
    pub fn record(&mut self, world: &World, report: &StepReport) {
        self.since.add(report);
        if !world.state().step.is_multiple_of(self.every) {
            return;
        }
        self.replay.add(Message::Poses(PosesRecord::of(world)));
        self.replay.add(Message::Contacts(ContactsRecord::recorded(world)));
        let since = std::mem::take(&mut self.since);
        self.replay.add(Message::Stats(StatsRecord::of(world, report, &since)));
    }

    /// What was taken so far.
    #[must_use]
    pub fn replay(&self) -> &Replay {
        &self.replay
    }

    /// What was taken.
    #[must_use]
    pub fn finish(self) -> Replay {
        self.replay
    }
}
