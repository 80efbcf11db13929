//! Recordings as one self-contained page: what `stiction export` writes, `stiction view` serves and notebooks show.
//!
//! World and step reports → [`Take`], or a recorded file → [`replay::Replay`] → [`page`]: the viewer with the replay in it, one text
//! that needs nothing else.

pub mod page;
pub mod replay;
mod take;

pub use take::Take;
