//! Problem files: the readers that the tool, Python and the tests use, and the writers of our own formats.
//!
//! [`read::read_content`] tells the format from the content. What cannot be used ends in a [`BadInput`]: one line that names the file, the field and the value
//! found.

#![allow(
    clippy::missing_errors_doc,
    reason = "every error is a `BadInput`, which names the file, the field and the value found"
)]

pub mod bad_input;
pub mod case;
pub mod figures;
pub mod formulation_level;
pub mod markup;
pub mod raw_text;
pub mod read;
pub mod temporary;
pub mod vector;
pub mod write;

pub use bad_input::BadInput;
pub use formulation_level::Level;
