//! What the judge is asked and what it says: an answer, the law by which it is judged, the figures, the verdict.
//!
//! The judge itself is in `residual.rs` and `law.rs`, figures of nonconvex groups in `groups.rs`, proofs that there is no answer in `squeeze.rs`.

mod bounce;
mod figure;
mod groups;
mod mass;
mod motion;
mod squeeze;
mod unique;
mod verdict;

pub use stiction_lcp::Accuracy;

use crate::cone::DIRECTION_RANGE;
use crate::error::InputError;
use crate::solution::Law;
pub(crate) use bounce::Scratch;
pub(crate) use figure::{Figure, Figures, ROUNDINGS};
pub(crate) use groups::GroupRule;
use mass::MassFactor;
pub(crate) use motion::{Motion, Row, Rows, Surface};

pub use crate::residual::Judge;
pub use bounce::{check_bounce, least_impulses};
pub use squeeze::{least_speed, proof_holds, proves_infeasible};
pub use unique::unique;
pub(crate) use verdict::check_epsilon;
pub use verdict::{Verdict, check, check_sum};

/// Figures of an answer, each relative to the scale of the row where it is largest. Zero is perfect.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Residual {
    /// Largest of the figures below.
    pub worst: f64,
    /// The same without what rounding explains: 32 roundings of the terms of each row.
    pub beyond_rounding: f64,
    /// Deepest normal velocity below zero; of a nonconvex group, that of the side that comes nearest to holding.
    pub gap: f64,
    /// Most negative normal impulse.
    pub sign: f64,
    /// Largest min(ν, θ): pushing while separating, or while a side of the contact's nonconvex group is open.
    pub complementarity: f64,
    /// Friction beyond the cone.
    pub cone: f64,
    /// Friction that does not oppose the slip with full strength.
    pub dissipation: f64,
    /// Velocity left in a joint row; of a limited one, the velocity that impulse beyond the limit gives.
    pub joints: f64,
}

impl Residual {
    /// Every figure infinite: an answer that is not made of finite numbers.
    pub const INFINITE: Self = Self {
        worst: f64::INFINITY,
        beyond_rounding: f64::INFINITY,
        gap: f64::INFINITY,
        sign: f64::INFINITY,
        complementarity: f64::INFINITY,
        cone: f64::INFINITY,
        dissipation: f64::INFINITY,
        joints: f64::INFINITY,
    };

    /// The larger of each figure: the residual of two answers together.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        Self {
            worst: self.worst.max(other.worst),
            beyond_rounding: self.beyond_rounding.max(other.beyond_rounding),
            gap: self.gap.max(other.gap),
            sign: self.sign.max(other.sign),
            complementarity: self.complementarity.max(other.complementarity),
            cone: self.cone.max(other.cone),
            dissipation: self.dissipation.max(other.dissipation),
            joints: self.joints.max(other.joints),
        }
    }

    /// How an answer with these figures is solved: `None` where it is not.
    #[must_use]
    pub fn accuracy(&self, tolerance: f64) -> Option<Accuracy> {
        if self.worst <= tolerance {
            Some(Accuracy::Full)
        } else if self.beyond_rounding <= tolerance {
            Some(Accuracy::Rounding)
        } else {
            None
        }
    }

    /// The figure that is within the tolerance of an answer that is solved: the largest as it is, or beyond rounding where only that is.
    #[must_use]
    pub fn verified(&self, tolerance: f64) -> f64 {
        match self.accuracy(tolerance) {
            Some(Accuracy::Rounding) => self.beyond_rounding,
            _ => self.worst,
        }
    }

    /// Whether this is the better of two residuals: beyond rounding first, then as it is.
    pub(crate) fn is_less(&self, other: &Self) -> bool {
        (self.beyond_rounding, self.worst) < (other.beyond_rounding, other.worst)
    }

    /// Largest figure of those that are the same for every law of dry friction.
    pub(crate) fn but_for_friction(&self) -> f64 {
        [self.gap, self.sign, self.complementarity, self.joints]
            .iter()
            .fold(0.0, |m, x| x.max(m))
    }
}

/// An answer to be judged.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// Normal impulse of each contact [N·s].
    pub normal: &'a [f64],
    /// Friction impulse of each contact along its tangents [N·s].
    pub friction: &'a [[f64; 2]],
    /// Polyhedral law: impulses φ, d for each contact (the first two where the contact is planar). Without them the friction
    /// impulse is taken apart into the two directions beside it.
    pub phi: Option<&'a [f64]>,
    /// Impulse of each joint row [N·s].
    pub joint: &'a [f64],
}

impl<'a> Answer<'a> {
    /// φ of a contact, where given.
    pub(crate) fn phi_of(&self, contact: usize, directions: usize) -> Option<&'a [f64]> {
        let of = |phi: &'a [f64]| &phi[contact * directions..(contact + 1) * directions];
        self.phi.map(of)
    }
}

/// The law by which an answer is judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// The law.
    pub law: Law,
    /// Friction directions d; read for the polyhedral law only.
    pub directions: usize,
    /// Largest residual that counts as solved.
    pub tolerance: f64,
}

impl Terms {
    /// Checks that the number of directions and the tolerance are in range.
    pub(crate) fn check(&self) -> Result<(), InputError> {
        if !DIRECTION_RANGE.contains(&self.directions) {
            let found = self.directions as f64;
            return Err(InputError::value("directions", "must lie between 3 and 64", found));
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            let requirement = "must lie between 0 and 1, both excluded";
            return Err(InputError::value("tolerance", requirement, self.tolerance));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
