//! Recordings: what happened in a run, step by step, as a file and as one self-contained page.
//!
//! World and step reports → [`Recorder`] → a file (MCAP, which [`Recording`] reads back, or CSV for spreadsheets); the same, or a recorded
//! file → [`replay::Replay`] → [`page`]: the viewer with the replay in it, one text that needs nothing else. The format is described in
//! `docs/reference/recording.md`.

mod live_replay;
pub mod page;
mod recording;
pub mod replay;

pub use live_replay::Take;
pub use recording::{
    BodyRecord, ContactRecord, ContactsRecord, FrameRecord, JointRecord, Message, PartRecord, PosesRecord, RecordError,
    RecordOptions, Recorder, Recording, RopePointRecord, ShapeRecord, Since, StatsRecord, Unfinished, WorldRecord,
};

/// The Rust blocks of the Markdown page, compiled and run as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../docs/reference/recording.md")]
    struct Recordings;
}
