//! Figures of the judge: errors over scales.

use super::Residual;

/// Rounding that is excused, in terms of the summed magnitudes of a row: 32 roundings of each term.
pub(crate) const ROUNDINGS: f64 = 32.0 * f64::EPSILON;

/// A figure relative to its scale: as it is, and without the part that rounding explains. May be negative where a value has two sides.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Figure {
    pub(crate) plain: f64,
    pub(crate) beyond_rounding: f64,
}

impl Figure {
    pub(crate) const ZERO: Self = Self::both(0.0);
    pub(crate) const INFINITE: Self = Self::both(f64::INFINITY);

    pub(crate) const fn both(x: f64) -> Self {
        Self {
            plain: x,
            beyond_rounding: x,
        }
    }

    /// x over `scale`, and what of x lies beyond `rounding` over `scale`. Zero is zero at every scale, other numbers are infinite at scale 0.
    pub(crate) fn of(x: f64, rounding: f64, scale: f64) -> Self {
        if !(x.is_finite() && rounding.is_finite() && scale.is_finite()) {
            return Self::INFINITE;
        }
        let over = |x: f64| if x == 0.0 { 0.0 } else { x / scale };
        Self {
            plain: over(x),
            beyond_rounding: over((x.abs() - rounding).max(0.0).copysign(x)),
        }
    }

    pub(crate) fn min(self, other: Self) -> Self {
        Self {
            plain: self.plain.min(other.plain),
            beyond_rounding: self.beyond_rounding.min(other.beyond_rounding),
        }
    }

    pub(crate) fn max(self, other: Self) -> Self {
        Self {
            plain: self.plain.max(other.plain),
            beyond_rounding: self.beyond_rounding.max(other.beyond_rounding),
        }
    }

    pub(crate) fn negated(self) -> Self {
        Self {
            plain: -self.plain,
            beyond_rounding: -self.beyond_rounding,
        }
    }

    pub(crate) fn raise(&mut self, other: Self) {
        *self = self.max(other);
    }
}

/// Figures while they are collected: gap, sign, complementarity, cone, dissipation, joints.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Figures([Figure; 6]);

impl Figures {
    /// Raises figures from the given place on.
    pub(crate) fn raise(&mut self, from: usize, figures: &[Figure]) {
        for (mine, figure) in self.0[from..].iter_mut().zip(figures) {
            mine.raise(*figure);
        }
    }

    pub(crate) fn residual(&self) -> Residual {
        let largest = self.0.iter().fold(Figure::ZERO, |m, x| m.max(*x));
        if !(largest.plain.is_finite() || largest.beyond_rounding.is_finite()) {
            return Residual::INFINITE;
        }
        let [gap, sign, complementarity, cone, dissipation, joints] = self.0.map(|x| x.plain);
        let (worst, beyond_rounding) = (largest.plain, largest.beyond_rounding);
        Residual {
            worst,
            beyond_rounding,
            gap,
            sign,
            complementarity,
            cone,
            dissipation,
            joints,
        }
    }
}
