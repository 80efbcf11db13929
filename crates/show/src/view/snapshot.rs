//! A moment of a live world as viewers get it: the recording's messages as JSON, written once for all of them.

use axum::extract::ws::Utf8Bytes;
use serde::Serialize;
use stiction_stand::why::Pair;

use super::command::AtEnd;

/// The latest moment. Viewers that are slow miss some, and get this one.
#[derive(Debug, Clone, Default)]
pub(super) struct Snapshot {
    /// How the world is run.
    pub(super) state: Utf8Bytes,
    /// Settings and bodies, with a number that changes with them.
    pub(super) world: (u64, Utf8Bytes),
    /// Poses, contacts, figures, with a number that changes with them.
    pub(super) frame: (u64, [Utf8Bytes; 3]),
}

/// How the world is run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Running<'a> {
    pub(super) playing: bool,
    pub(super) speed: f64,
    pub(super) pace: f64,
    pub(super) law: &'a str,
    pub(super) method: Option<&'a str>,
    pub(super) friction: Option<f64>,
    pub(super) viewers: usize,
    pub(super) failed: Option<&'a str>,
    pub(super) run: u64,
    pub(super) end: AtEnd,
    pub(super) duration: f64,
    pub(super) ended: bool,
}

/// What a viewer is told first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Hello<'a> {
    pub(super) name: &'a str,
    pub(super) live: bool,
    pub(super) laws: Vec<LawChoice>,
}

/// A law and the methods that answer it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct LawChoice {
    pub(super) name: &'static str,
    pub(super) methods: Vec<&'static str>,
}

/// What two bodies do where they touch, with what their forces could be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Explained {
    pub(super) step: u64,
    pub(super) a: usize,
    pub(super) b: usize,
    /// None where they do not touch.
    pub(super) pair: Option<Pair>,
}

/// Something said to one viewer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Said<'a> {
    pub(super) message: &'a str,
}

/// A message with its type.
#[derive(Serialize)]
struct Typed<'a, T> {
    r#type: &'a str,
    #[serde(flatten)]
    message: &'a T,
}

/// A message as JSON.
pub(super) fn text(r#type: &str, message: &impl Serialize) -> Utf8Bytes {
    // Records of numbers and names: writing them cannot fail.
    serde_json::to_string(&Typed { r#type, message })
        .unwrap_or_default()
        .into()
}
