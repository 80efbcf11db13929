//! Scenes and recordings shown: the viewer's server, charts, glTF animations, and pictures of the page.

#![allow(
    clippy::missing_errors_doc,
    reason = "every error is a `BadInput`, which names the file, the field and the value found"
)]

pub mod chart;
pub mod gltf;
pub mod picture;
pub mod plot;
#[cfg(feature = "view")]
pub mod view;
