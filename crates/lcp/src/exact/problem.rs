//! `ExactLcp` and its judge.

use crate::Matrix;
use crate::error::{InputError, check_length};
use crate::problem::Lcp;
use dashu_base::{Gcd, Signed};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// Row i of w = Mz + q times its least common denominator.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    /// The common denominator, positive.
    pub(super) scale: IBig,
    /// Nonzero entries of the row of M, scaled, by increasing column.
    pub(super) entries: Vec<(usize, IBig)>,
    /// The entry of q, scaled.
    pub(super) q: IBig,
}

impl Row {
    fn new(entries: &[(usize, RBig)], q: &RBig) -> Self {
        let denominators = entries.iter().map(|(_, v)| v.denominator()).chain([q.denominator()]);
        let scale = common_multiple(denominators);
        let integer = |v: &RBig| v.numerator() * IBig::from(&scale / v.denominator());
        Self {
            entries: entries.iter().map(|(j, v)| (*j, integer(v))).collect(),
            q: integer(q),
            scale: IBig::from(scale),
        }
    }

    /// The row of doubles, which need no greatest common divisor: their denominators are powers of two.
    fn from_doubles(entries: &[(usize, f64)], q: f64) -> Self {
        let all = entries.iter().map(|(_, x)| *x).chain([q]);
        let least = all.map(|x| odd_part(x).1).fold(0, i32::min);
        let shift = |exponent: i32| usize::try_from(exponent - least).unwrap_or(0);
        let integer = |x: f64| {
            let (odd, exponent) = odd_part(x);
            IBig::from(odd) << shift(exponent)
        };
        Self {
            entries: entries.iter().map(|(j, x)| (*j, integer(*x))).collect(),
            q: integer(q),
            scale: IBig::ONE << shift(0),
        }
    }

    /// The scaled row times x.
    pub(super) fn dot(&self, x: &[IBig]) -> IBig {
        let mut sum = IBig::ZERO;
        for (j, m) in &self.entries {
            if !x[*j].is_zero() {
                sum += m * &x[*j];
            }
        }
        sum
    }
}

fn common_multiple<'a>(values: impl Iterator<Item = &'a UBig>) -> UBig {
    let mut multiple = UBig::ONE;
    for value in values {
        if !value.is_one() && *value != multiple {
            let shared = (&multiple).gcd(value);
            multiple *= value / shared;
        }
    }
    multiple
}

/// The values as integers over one positive denominator, which comes second.
pub(super) fn over_common_denominator(values: &[RBig]) -> (Vec<IBig>, IBig) {
    let multiple = common_multiple(values.iter().map(RBig::denominator));
    let integer = |v: &RBig| v.numerator() * IBig::from(&multiple / v.denominator());
    let numerators = values.iter().map(integer).collect();
    (numerators, IBig::from(multiple))
}

/// A linear complementarity problem in rationals: w = Mz + q, where z_i ≥ 0 is complementary to w_i ≥ 0, or z_i is free
/// and w_i = 0.
#[derive(Debug, Clone, PartialEq)]
pub struct ExactLcp {
    pub(super) rows: Vec<Row>,
    pub(super) free: Vec<bool>,
}

impl ExactLcp {
    /// The problem with each double read as the rational it is.
    #[must_use]
    pub fn from_lcp(lcp: &Lcp) -> Self {
        Self::from_matrix(lcp.M(), lcp.q())
    }

    /// The same from a matrix and a vector of its size, all finite, such as the parts of an [`crate::Mlcp`].
    ///
    /// Entries of q that are missing or not finite count as zero; [`Lcp`] and [`crate::Mlcp`] hold none.
    #[must_use]
    pub fn from_matrix(M: &Matrix, q: &[f64]) -> Self {
        let n = M.n();
        let rows = (0..n).map(|i| {
            let nonzero = (0..n).filter(|&j| M.at(i, j) != 0.0);
            let entries: Vec<_> = nonzero.map(|j| (j, M.at(i, j))).collect();
            Row::from_doubles(&entries, q.get(i).copied().unwrap_or(0.0))
        });
        Self {
            rows: rows.collect(),
            free: vec![false; n],
        }
    }

    /// The problem from rationals, M by rows.
    ///
    /// ```
    /// use stiction_lcp::exact::{ExactLcp, parse_decimal};
    /// let numbers: Vec<_> = ["2.5", "-9.8"].into_iter().filter_map(parse_decimal).collect();
    /// let problem = ExactLcp::from_rationals(1, &numbers[..1], &numbers[1..])?;
    /// assert_eq!(problem.q(0).to_string(), "-49/5");
    /// # Ok::<(), stiction_lcp::InputError>(())
    /// ```
    ///
    /// # Errors
    /// When M does not have n² entries or q does not have n.
    pub fn from_rationals(n: usize, M: &[RBig], q: &[RBig]) -> Result<Self, InputError> {
        check_length("M", n.saturating_mul(n), M.len())?;
        check_length("q", n, q.len())?;
        let rows = q.iter().enumerate().map(|(i, q)| {
            let row = M[i * n..(i + 1) * n].iter().enumerate();
            let entries = row.filter(|(_, v)| !v.is_zero()).map(|(j, v)| (j, v.clone()));
            Row::new(&entries.collect::<Vec<_>>(), q)
        });
        Ok(Self {
            rows: rows.collect(),
            free: vec![false; n],
        })
    }

    /// States which variables are free; their rows are the equations w_i = 0.
    ///
    /// # Errors
    /// When the length is not n.
    pub fn with_free(mut self, free: Vec<bool>) -> Result<Self, InputError> {
        check_length("free", self.n(), free.len())?;
        self.free = free;
        Ok(self)
    }

    /// Number of variables.
    #[must_use]
    pub fn n(&self) -> usize {
        self.rows.len()
    }

    /// Entry (i, j) of M.
    ///
    /// # Panics
    /// When i is not below n.
    #[must_use]
    pub fn M(&self, i: usize, j: usize) -> RBig {
        let row = &self.rows[i];
        row.entries
            .iter()
            .find(|(column, _)| *column == j)
            .map_or(RBig::ZERO, |(_, m)| {
                RBig::from_parts_signed(m.clone(), row.scale.clone())
            })
    }

    /// Entry i of q.
    ///
    /// # Panics
    /// When i is not below n.
    #[must_use]
    pub fn q(&self, i: usize) -> RBig {
        RBig::from_parts_signed(self.rows[i].q.clone(), self.rows[i].scale.clone())
    }

    /// Which variables are free, length n.
    #[must_use]
    pub fn free(&self) -> &[bool] {
        &self.free
    }

    /// Mz + q, length n; z must have length n.
    ///
    /// # Panics
    /// When z is shorter than n.
    #[must_use]
    pub fn w(&self, z: &[RBig]) -> Vec<RBig> {
        let (z, denominator) = over_common_denominator(z);
        let scaled = self.rows.iter().map(|row| row.dot(&z) + &row.q * &denominator);
        let rows = scaled.zip(&self.rows);
        rows.map(|(w, row)| RBig::from_parts_signed(w, &row.scale * &denominator))
            .collect()
    }
}

/// A double as m·2ᵉ with m odd; (0, 0) for zero and what is not finite.
fn odd_part(value: f64) -> (i64, i32) {
    if value == 0.0 || !value.is_finite() {
        return (0, 0);
    }
    let bits = value.to_bits();
    // Numbers below the least normal one have its exponent, and no leading bit.
    let raised = i32::try_from(bits >> 52 & 0x7FF).unwrap_or(0);
    let fraction = bits & ((1 << 52) - 1);
    let mantissa = if raised == 0 { fraction } else { fraction | 1 << 52 };
    let zeros = mantissa.trailing_zeros();
    let odd = (mantissa >> zeros).cast_signed();
    let exponent = raised.max(1) - 1075 + zeros.cast_signed();
    (if value < 0.0 { -odd } else { odd }, exponent)
}

/// The rational that a double is; what is not finite counts as zero.
pub(super) fn rational(value: f64) -> RBig {
    RBig::try_from(value).unwrap_or(RBig::ZERO)
}

/// What the exact judge says of z.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExactVerdict {
    /// z solves the problem without any error.
    Solution,
    /// z does not have length n.
    WrongLength {
        /// Its length.
        found: usize,
    },
    /// z_i < 0.
    NegativeZ {
        /// The first such row.
        row: usize,
    },
    /// w_i < 0.
    NegativeW {
        /// The first row that fails.
        row: usize,
    },
    /// z_i > 0 and w_i > 0.
    NotComplementary {
        /// The first row that fails.
        row: usize,
    },
    /// z_i is free and w_i ≠ 0.
    FreeRowNotZero {
        /// The first row that fails.
        row: usize,
    },
}

/// The exact judge: z ≥ 0, w = Mz + q ≥ 0 and z_i w_i = 0, or w_i = 0 where z_i is free. Names the first row that fails.
#[must_use]
pub fn check(problem: &ExactLcp, z: &[RBig]) -> ExactVerdict {
    if z.len() != problem.n() {
        return ExactVerdict::WrongLength { found: z.len() };
    }
    let (z, denominator) = over_common_denominator(z);
    for (row, data) in problem.rows.iter().enumerate() {
        let w = data.dot(&z) + &data.q * &denominator;
        if problem.free[row] {
            if !w.is_zero() {
                return ExactVerdict::FreeRowNotZero { row };
            }
        } else if z[row].is_negative() {
            return ExactVerdict::NegativeZ { row };
        } else if w.is_negative() {
            return ExactVerdict::NegativeW { row };
        } else if !z[row].is_zero() && !w.is_zero() {
            return ExactVerdict::NotComplementary { row };
        }
    }
    ExactVerdict::Solution
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(values: &[f64]) -> Vec<RBig> {
        values.iter().map(|v| rational(*v)).collect()
    }

    fn small() -> ExactLcp {
        ExactLcp::from_lcp(&Lcp::from_rows(&[[2.0, 0.5], [0.0, 1.0]], &[-1.0, 0.25]).unwrap())
    }

    #[test]
    fn doubles_are_read_exactly() {
        let tenth = ExactLcp::from_lcp(&Lcp::from_rows(&[[0.1]], &[1e-300]).unwrap());
        assert_eq!(tenth.M(0, 0).to_string(), "3602879701896397/36028797018963968");
        assert_eq!(tenth.q(0), rational(1e-300));
        assert_eq!(small().M(1, 0), RBig::ZERO);
    }

    #[test]
    fn rows_of_doubles_are_those_of_their_rationals() {
        let large = [
            1.0,
            -0.75,
            3e300,
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
            -0.1,
            2f64.powi(-1070) * 3.0,
        ];
        for values in [&large[..], &[4.0, 6.0, -8.0], &[0.5]] {
            let doubles: Vec<(usize, f64)> = values.iter().copied().enumerate().collect();
            let rationals: Vec<(usize, RBig)> = doubles.iter().map(|(j, x)| (*j, rational(*x))).collect();
            for q in [0.0, -2.0, 1e-310, f64::NAN] {
                assert_eq!(
                    Row::from_doubles(&doubles, q),
                    Row::new(&rationals, &rational(q)),
                    "{q}"
                );
            }
        }
    }

    #[test]
    fn the_judge_names_the_first_row_that_fails() {
        let problem = small();
        assert_eq!(check(&problem, &vector(&[0.5, 0.0])), ExactVerdict::Solution);
        let next = f64::from_bits(0.5f64.to_bits() - 1);
        for (z, verdict) in [
            ([0.5, -1e-300], ExactVerdict::NegativeW { row: 0 }),
            ([next, 0.0], ExactVerdict::NegativeW { row: 0 }),
            ([0.5, 1e-300], ExactVerdict::NotComplementary { row: 0 }),
            ([-1.0, 0.0], ExactVerdict::NegativeZ { row: 0 }),
        ] {
            assert_eq!(check(&problem, &vector(&z)), verdict, "{z:?}");
        }
        assert_eq!(check(&problem, &vector(&[0.5])), ExactVerdict::WrongLength { found: 1 });
    }

    #[test]
    fn a_free_row_must_be_zero_and_its_z_may_have_any_sign() {
        let problem = ExactLcp::from_lcp(&Lcp::from_rows(&[[1.0]], &[2.0]).unwrap());
        let problem = problem.with_free(vec![true]).unwrap();
        assert_eq!(check(&problem, &vector(&[-2.0])), ExactVerdict::Solution);
        assert_eq!(
            check(&problem, &vector(&[0.0])),
            ExactVerdict::FreeRowNotZero { row: 0 }
        );
    }

    #[test]
    fn wrong_sizes_are_errors() {
        assert!(ExactLcp::from_rationals(2, &vector(&[1.0; 3]), &vector(&[1.0; 2])).is_err());
        assert!(ExactLcp::from_rationals(2, &vector(&[1.0; 4]), &vector(&[1.0])).is_err());
        assert!(small().with_free(vec![true]).is_err());
    }
}
