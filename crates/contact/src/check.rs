//! The judge of every answer.

/// What the judge found, each figure relative: velocities to the problem's fastest, impulses to its largest. Zero is perfect.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Residual {
    /// Largest of the figures below: decides [`crate::Status::Solved`].
    pub worst: f64,
    /// Deepest normal velocity below zero.
    pub gap: f64,
    /// Most negative normal impulse.
    pub sign: f64,
    /// Largest min(ν, θ): pushing while separating.
    pub complementarity: f64,
    /// Friction beyond the cone.
    pub cone: f64,
    /// Friction that does not oppose the slip with full strength.
    pub dissipation: f64,
    /// Velocity left in a joint row.
    pub joints: f64,
}
