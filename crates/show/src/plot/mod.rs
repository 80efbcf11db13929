//! Charts of a recording over time: energy, penetration, contact forces, solver statistics.
//!
//! recording → `read` → [`data`] → [`Panel`]s → SVG (`draw`).

mod csv;
pub mod data;
mod draw;
mod panels;
mod read;
mod scale;

pub use draw::svg;
pub use panels::{What, panels};

/// A line of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Name.
    pub name: String,
    /// Time \[s\], or what the panel has in its place, and value.
    pub points: Vec<[f64; 2]>,
}

/// How the values of a panel are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// From the least to the largest value, zero among them.
    Linear,
    /// In decades; zeros lie on the lowest line.
    Decades,
}

/// One chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Title.
    pub title: String,
    /// What the chart says, in words.
    pub subtitle: String,
    /// Unit of the values; prefixes are chosen by the values. Empty for counts.
    pub unit: &'static str,
    /// Unit along the other axis, as a rule that of time.
    pub across: &'static str,
    /// The ordinate.
    pub axis: Axis,
    /// Values below it are rounding: a linear axis does not blow them up.
    pub floor: f64,
    /// Lines.
    pub lines: Vec<Line>,
    /// Said in place of a chart where there are no lines.
    pub nothing: &'static str,
}
