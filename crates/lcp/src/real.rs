//! The two number types of the pivoting engine: `f64`, and `DoubleDouble` for problems that `f64` loses to rounding.
//!
//! A `DoubleDouble` is an unevaluated sum hi + lo of two doubles, about 32 decimal digits. Products are split after
//! Dekker (1971) rather than fused: without hardware support in the target baseline, `f64::mul_add` is a library
//! call, and results must be the same bits on every machine.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A number type that the factorizations and Lemke's method can run on.
pub trait Real:
    Copy
    + Debug
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// Unit roundoff, as a double.
    const ROUNDOFF: f64;
    /// The same number, exactly.
    fn from_f64(value: f64) -> Self;
    /// The nearest double.
    fn to_f64(self) -> f64;
    /// Product with a double.
    #[must_use]
    fn times(self, factor: f64) -> Self;
    /// start − Σ a_i b_i, in more than the type's own precision where that is `f64`.
    #[must_use]
    fn residual(start: Self, terms: impl Iterator<Item = (Self, Self)>) -> Self {
        terms.fold(start, |sum, (a, b)| sum - a * b)
    }
    /// Absolute value.
    #[must_use]
    fn abs(self) -> Self {
        if self < Self::ZERO { -self } else { self }
    }
}

impl Real for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;
    const ROUNDOFF: f64 = 1.110_223_024_625_156_5e-16;

    #[inline]
    fn from_f64(value: f64) -> f64 {
        value
    }

    #[inline]
    fn to_f64(self) -> f64 {
        self
    }

    #[inline]
    fn times(self, factor: f64) -> f64 {
        self * factor
    }

    fn residual(start: f64, terms: impl Iterator<Item = (f64, f64)>) -> f64 {
        let (mut sum, mut rest) = (start, 0.0);
        for (a, b) in terms {
            let (p, e) = two_prod(-a, b);
            let (s, f) = two_sum(sum, p);
            sum = s;
            rest += e + f;
        }
        sum + rest
    }

    #[inline]
    fn abs(self) -> f64 {
        f64::abs(self)
    }
}

/// An unevaluated sum of two doubles, |lo| ≤ half an ulp of hi.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct DoubleDouble {
    hi: f64,
    lo: f64,
}

/// a + b = s + e exactly (Knuth).
#[inline]
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

/// a + b = s + e exactly when |a| ≥ |b| (Dekker).
#[inline]
fn quick_two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    (s, b - (s - a))
}

/// Splits a double into two halves of 26 bits (Veltkamp).
#[inline]
fn split(a: f64) -> (f64, f64) {
    const SPLITTER: f64 = 134_217_729.0; // 2²⁷ + 1
    /// Above this, `SPLITTER * a` would overflow.
    const SPLIT_OVERFLOW: f64 = 6.696_928_794_914_17e299; // 2⁹⁹⁶
    const SPLIT_DOWN: f64 = 3.725_290_298_461_914e-9; // 2⁻²⁸
    const SPLIT_UP: f64 = 268_435_456.0; // 2²⁸
    if a.abs() > SPLIT_OVERFLOW {
        let scaled = a * SPLIT_DOWN;
        let t = SPLITTER * scaled;
        let high = t - (t - scaled);
        return (high * SPLIT_UP, (scaled - high) * SPLIT_UP);
    }
    let t = SPLITTER * a;
    let high = t - (t - a);
    (high, a - high)
}

/// a · b = p + e exactly (Dekker), barring under- and overflow.
#[inline]
pub(crate) fn two_prod(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    let (a1, a2) = split(a);
    let (b1, b2) = split(b);
    (p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2)
}

impl DoubleDouble {
    #[inline]
    fn renormalized(hi: f64, lo: f64) -> Self {
        let (hi, lo) = quick_two_sum(hi, lo);
        Self { hi, lo }
    }
}

impl Add for DoubleDouble {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        let (s, e) = two_sum(self.hi, other.hi);
        let (t, f) = two_sum(self.lo, other.lo);
        let (s, e) = quick_two_sum(s, e + t);
        Self::renormalized(s, e + f)
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self + (-other)
    }
}

impl Neg for DoubleDouble {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self {
            hi: -self.hi,
            lo: -self.lo,
        }
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        let (p, e) = two_prod(self.hi, other.hi);
        Self::renormalized(p, e + (self.hi * other.lo + self.lo * other.hi))
    }
}

impl Div for DoubleDouble {
    type Output = Self;
    #[inline]
    fn div(self, other: Self) -> Self {
        let first = self.hi / other.hi;
        let rest = self - other.times(first);
        let second = rest.hi / other.hi;
        let rest = rest - other.times(second);
        let third = rest.hi / other.hi;
        let (hi, lo) = quick_two_sum(first, second);
        Self { hi, lo } + Self::from_f64(third)
    }
}

impl AddAssign for DoubleDouble {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for DoubleDouble {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Real for DoubleDouble {
    const ZERO: Self = Self { hi: 0.0, lo: 0.0 };
    const ONE: Self = Self { hi: 1.0, lo: 0.0 };
    const ROUNDOFF: f64 = 4.930_380_657_631_324e-32;

    #[inline]
    fn from_f64(value: f64) -> Self {
        Self { hi: value, lo: 0.0 }
    }

    #[inline]
    fn to_f64(self) -> f64 {
        self.hi
    }

    #[inline]
    fn times(self, factor: f64) -> Self {
        let (p, e) = two_prod(self.hi, factor);
        Self::renormalized(p, e + self.lo * factor)
    }
}

/// Σ a_i b_i over eight running sums: fast, and the same bits everywhere.
#[inline]
pub(crate) fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    let mut sums = [T::ZERO; 8];
    let (mut a8, mut b8) = (a.chunks_exact(8), b.chunks_exact(8));
    for (x, y) in (&mut a8).zip(&mut b8) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let mut tail = T::ZERO;
    for (&x, &y) in a8.remainder().iter().zip(b8.remainder()) {
        tail += x * y;
    }
    let [s0, s1, s2, s3, s4, s5, s6, s7] = sums;
    ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7)) + tail
}

/// y −= factor · x.
#[inline]
pub(crate) fn subtract_multiple<T: Real>(y: &mut [T], factor: T, x: &[T]) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y -= factor * x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dd(value: f64) -> DoubleDouble {
        DoubleDouble::from_f64(value)
    }

    #[test]
    fn one_third_times_three_is_one_to_31_digits() {
        let third = dd(1.0) / dd(3.0);
        let error = third * dd(3.0) - dd(1.0);
        assert!(error.abs().to_f64() <= 4.0 * DoubleDouble::ROUNDOFF, "{error:?}");
    }

    #[test]
    fn cancellation_that_f64_loses_is_kept() {
        let sum = (dd(1e16) + dd(1.0)) - dd(1e16);
        assert_eq!(sum, dd(1.0));
    }

    #[test]
    fn products_are_exact_in_two_parts() {
        let a = 1.0 + f64::EPSILON;
        let (p, e) = two_prod(a, a);
        assert_eq!((p, e), (1.0 + 2.0 * f64::EPSILON, f64::EPSILON * f64::EPSILON));
    }

    #[test]
    fn large_factors_do_not_overflow_in_the_split() {
        let (p, e) = two_prod(1.5e300, 2.0);
        assert_eq!((p, e), (3e300, 0.0));
    }

    #[test]
    fn dot_covers_blocks_and_tail() {
        let a: Vec<f64> = (1..=19).map(f64::from).collect();
        assert_eq!(dot(&a, &a), (1..=19).map(|i| f64::from(i * i)).sum::<f64>());
    }
}
