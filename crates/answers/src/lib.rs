//! Answers to problem files: found, explained, judged, and those of several solvers compared.
//!
//! What the tool prints of a problem comes from here; the judge itself is in `stiction-contact` and `stiction-lcp`.

#![allow(
    clippy::missing_errors_doc,
    reason = "every error is a `BadInput`, which names the file, the field and the value found"
)]

pub mod answer;
pub mod compare;
pub mod contact;
mod outcome;
pub mod prove;
pub mod spectrum;
pub mod timing;
pub mod words;

pub use outcome::{BAD_INPUT, NOT_SOLVED, Outcome, SOLVED, finish, print};
