//! Sums of products of doubles without rounding: a double is an integer times a power of two, and so is every such sum.

use std::cmp::Ordering;

use dashu_base::{Abs, BitTest, Sign, Signed};
use dashu_int::IBig;

/// m · 2^e.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Dyadic {
    mantissa: IBig,
    exponent: i32,
}

/// Mantissa and exponent of a finite double.
fn parts(x: f64) -> (i64, i32) {
    let bits = x.to_bits();
    let field = ((bits >> 52) & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)).cast_signed();
    let (mantissa, exponent) = if field == 0 {
        (fraction, -1074)
    } else {
        (fraction | (1 << 52), field - 1075)
    };
    (if x < 0.0 { -mantissa } else { mantissa }, exponent)
}

impl Dyadic {
    /// A finite double as the number it is; 0 for one that is not finite, which callers have refused before.
    pub(crate) fn of(x: f64) -> Self {
        let (mantissa, exponent) = if x.is_finite() { parts(x) } else { (0, 0) };
        Self {
            mantissa: IBig::from(mantissa),
            exponent,
        }
    }

    /// Adds a product of two doubles.
    pub(crate) fn add_product(&mut self, a: f64, b: f64) {
        if a == 0.0 || b == 0.0 {
            return;
        }
        let ((ma, ea), (mb, eb)) = (parts(a), parts(b));
        self.add_parts(IBig::from(i128::from(ma) * i128::from(mb)), ea + eb);
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.add_parts(other.mantissa.clone(), other.exponent);
    }

    fn add_parts(&mut self, mantissa: IBig, exponent: i32) {
        if mantissa.is_zero() {
            return;
        }
        if self.mantissa.is_zero() {
            (self.mantissa, self.exponent) = (mantissa, exponent);
            return;
        }
        let by = (exponent - self.exponent).unsigned_abs() as usize;
        match exponent.cmp(&self.exponent) {
            Ordering::Equal => self.mantissa += mantissa,
            Ordering::Greater => self.mantissa += mantissa << by,
            Ordering::Less => {
                self.mantissa = (std::mem::take(&mut self.mantissa) << by) + mantissa;
                self.exponent = exponent;
            }
        }
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        Self {
            mantissa: &self.mantissa * &other.mantissa,
            exponent: self.exponent + other.exponent,
        }
    }

    pub(crate) fn negated(&self) -> Self {
        Self {
            mantissa: -&self.mantissa,
            exponent: self.exponent,
        }
    }

    pub(crate) fn abs(&self) -> Self {
        Self {
            mantissa: self.mantissa.clone().abs(),
            exponent: self.exponent,
        }
    }

    /// Ordering against 0.
    pub(crate) fn sign(&self) -> Ordering {
        if self.mantissa.is_zero() {
            Ordering::Equal
        } else if self.mantissa.sign() == Sign::Negative {
            Ordering::Less
        } else {
            Ordering::Greater
        }
    }

    pub(crate) fn is_positive(&self) -> bool {
        self.sign() == Ordering::Greater
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.sign() == Ordering::Less
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        let mut difference = self.clone();
        difference.add(&other.negated());
        difference
    }

    /// The nearest doubles are within a few units in the last place of this one.
    pub(crate) fn to_f64(&self) -> f64 {
        let bits = self.mantissa.bit_len();
        let drop = bits.saturating_sub(64);
        let top = (self.mantissa.clone().abs() >> drop) + IBig::ZERO;
        let Ok(top) = u64::try_from(&top) else { return 0.0 };
        let exponent = self.exponent.saturating_add(i32::try_from(drop).unwrap_or(i32::MAX));
        let size = libm::ldexp(top as f64, exponent);
        if self.mantissa.is_negative() { -size } else { size }
    }

    /// A double that is no less than the magnitude.
    pub(crate) fn size_up(&self) -> f64 {
        if self.mantissa.is_zero() {
            return 0.0;
        }
        (self.to_f64().abs() * (1.0 + 4.0 * f64::EPSILON)).max(f64::MIN_POSITIVE)
    }
}

/// A sum of products in about twice the precision: not exact, and much faster.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Twice {
    high: f64,
    low: f64,
}

impl Twice {
    /// Adds a product of two doubles.
    pub(crate) fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        let ((ah, al), (bh, bl)) = (halves(a), halves(b));
        let lost = al * bl - (((product - ah * bh) - al * bh) - ah * bl);
        let sum = self.high + product;
        let part = sum - self.high;
        let rounded = (self.high - (sum - part)) + (product - part);
        self.high = sum;
        self.low += rounded + lost;
    }

    pub(crate) fn to_f64(self) -> f64 {
        self.high + self.low
    }
}

/// A double as a sum of two whose products are exact.
fn halves(x: f64) -> (f64, f64) {
    let shifted = 134_217_729.0 * x;
    let high = shifted - (shifted - x);
    (high, x - high)
}

/// A double b with b ≥ numerator / denominator, as small as a few roundings allow; the denominator must be positive.
pub(crate) fn quotient_up(numerator: &Dyadic, denominator: &Dyadic) -> f64 {
    let mut bound = numerator.to_f64() / denominator.to_f64();
    if !bound.is_finite() {
        return f64::INFINITY;
    }
    for k in 0..64 {
        if !denominator.times(&Dyadic::of(bound)).minus(numerator).is_negative() {
            return bound;
        }
        bound += bound.abs().max(f64::MIN_POSITIVE) * f64::EPSILON * f64::from(1 << k.min(20));
    }
    f64::INFINITY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_products_are_exact() {
        let mut sum = Dyadic::default();
        sum.add_product(1e300, 1e-300);
        sum.add_product(-1e300, 1e-300);
        assert_eq!(sum.sign(), Ordering::Equal);
        sum.add_product(0.1, 3.0);
        sum.add(&Dyadic::of(-0.3));
        // 3·fl(0.1) − fl(0.3) is not zero, whatever doubles say of it.
        assert!(sum.is_positive() && (sum.to_f64() - 2.775_557_561_562_891_4e-17).abs() < 1e-30);
        assert_eq!(Dyadic::of(5e-324).to_f64(), 5e-324);
    }

    #[test]
    fn sums_in_twice_the_precision_keep_what_cancels() {
        let (mut sum, mut exact) = (Twice::default(), Dyadic::default());
        for (a, b) in [(0.1, 3.0), (-0.3, 1.0), (1e8, 1e8), (-1e16, 1.0), (1.0 / 3.0, 1e-9)] {
            sum.add_product(a, b);
            exact.add_product(a, b);
        }
        assert!((sum.to_f64() - exact.to_f64()).abs() <= 1e-15 * exact.to_f64().abs());
    }

    #[test]
    fn a_quotient_is_rounded_up() {
        let third = quotient_up(&Dyadic::of(1.0), &Dyadic::of(3.0));
        assert!((third - 1.0 / 3.0).abs() < 1e-15);
        assert!(
            !Dyadic::of(3.0)
                .times(&Dyadic::of(third))
                .minus(&Dyadic::of(1.0))
                .is_negative()
        );
    }
}
