//! Charts of a recording over time: energy, penetration, contact forces, solver statistics.
//!
//! recording → [`data`] → [`Panel`]s → SVG ([`draw`]).

mod csv;
pub(crate) mod data;
mod draw;
mod panels;
mod scale;

pub(crate) use draw::svg;
pub(crate) use panels::{What, panels};

/// A line of a chart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    pub(crate) name: String,
    /// Time \[s\], or what the panel has in its place, and value.
    pub(crate) points: Vec<[f64; 2]>,
}

/// How the values of a panel are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axis {
    /// From the least to the largest value, zero among them.
    Linear,
    /// In decades; zeros lie on the lowest line.
    Decades,
}

/// One chart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Panel {
    pub(crate) title: String,
    /// What the chart says, in words.
    pub(crate) subtitle: String,
    /// Unit of the values; prefixes are chosen by the values. Empty for counts.
    pub(crate) unit: &'static str,
    /// Unit along the other axis, as a rule that of time.
    pub(crate) across: &'static str,
    pub(crate) axis: Axis,
    /// Values below it are rounding: a linear axis does not blow them up.
    pub(crate) floor: f64,
    pub(crate) lines: Vec<Line>,
    /// Said in place of a chart where there are no lines.
    pub(crate) nothing: &'static str,
}
