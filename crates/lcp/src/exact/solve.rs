//! The basic solution of a complementary basis, without rounding.

use super::problem::ExactLcp;
use super::work::Work;
use super::{bareiss, dixon};
use dashu_base::Gcd;
use dashu_int::ops::BitTest;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// Systems of at most this order are eliminated, larger ones are lifted: the two cost the same near here.
const MAX_ELIMINATION_ORDER: usize = 16;

/// A square system Ax = b in integers.
#[derive(Debug, Clone)]
pub(super) struct System {
    /// Nonzero entries of each row, by increasing column.
    pub(super) rows: Vec<Vec<(usize, IBig)>>,
    pub(super) b: Vec<IBig>,
}

/// x = numerators / denominator; the denominator is not zero.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Quotients {
    pub(super) numerators: Vec<IBig>,
    pub(super) denominator: IBig,
}

impl System {
    pub(super) fn order(&self) -> usize {
        self.b.len()
    }

    /// Whether A·numerators = denominator·b.
    pub(super) fn holds(&self, x: &Quotients) -> bool {
        self.rows.iter().zip(&self.b).all(|(row, b)| {
            let mut sum = IBig::ZERO;
            for (j, a) in row {
                sum += a * &x.numerators[*j];
            }
            sum == &x.denominator * b
        })
    }

    /// x, or `None` when A is singular.
    pub(super) fn solve(mut self) -> Option<Vec<RBig>> {
        self.divide_rows();
        let shifts = self.shift_columns();
        let x = if self.order() <= MAX_ELIMINATION_ORDER {
            bareiss::solve(&self)
        } else {
            match dixon::solve(&self) {
                dixon::Lift::Solved(x) => Some(x),
                dixon::Lift::Singular => None,
                dixon::Lift::Undecided => bareiss::solve(&self),
            }
        }?;
        let entries = x.numerators.into_iter().zip(shifts);
        Some(
            entries
                .map(|(numerator, shift)| RBig::from_parts_signed(numerator, &x.denominator << shift))
                .collect(),
        )
    }

    /// Divides each row by the greatest common divisor of its entries.
    fn divide_rows(&mut self) {
        for (row, b) in self.rows.iter_mut().zip(&mut self.b) {
            let mut content = UBig::ZERO;
            for value in row.iter().map(|(_, a)| a).chain([&*b]) {
                if !value.is_zero() && !content.is_one() {
                    content = if content.is_zero() {
                        IBig::into_parts(value.clone()).1
                    } else {
                        (&content).gcd(value)
                    };
                }
            }
            if !content.is_zero() && !content.is_one() {
                let content = IBig::from(content);
                for (_, a) in row.iter_mut() {
                    *a /= &content;
                }
                *b /= &content;
            }
        }
    }

    /// Takes the largest power of two out of each column and returns the exponents: doubles of different sizes leave
    /// powers of two behind when rows get a common denominator.
    fn shift_columns(&mut self) -> Vec<usize> {
        let mut shifts = vec![usize::MAX; self.order()];
        for (j, a) in self.rows.iter().flatten() {
            shifts[*j] = shifts[*j].min(a.trailing_zeros().unwrap_or(usize::MAX));
        }
        for shift in &mut shifts {
            *shift = if *shift == usize::MAX { 0 } else { *shift };
        }
        for (j, a) in self.rows.iter_mut().flatten() {
            if shifts[*j] > 0 {
                *a >>= shifts[*j];
            }
        }
        shifts
    }
}

/// The solution of M_αα z_α = −q_α with z = 0 elsewhere, or `None` when M_αα is singular; α holds the basis and the free
/// variables.
pub(super) fn basic_z(problem: &ExactLcp, basis: &[bool]) -> Option<Vec<RBig>> {
    let n = problem.n();
    let is_basic = |i: usize| problem.free[i] || basis.get(i).copied().unwrap_or(false);
    let alpha: Vec<usize> = (0..n).filter(|&i| is_basic(i)).collect();
    let mut position = vec![usize::MAX; n];
    for (p, &i) in alpha.iter().enumerate() {
        position[i] = p;
    }
    let restrict = |i: usize| {
        let entries = problem.rows[i].entries.iter();
        let kept = entries.filter(|(j, _)| position[*j] != usize::MAX);
        kept.map(|(j, m)| (position[*j], m.clone())).collect()
    };
    let system = System {
        rows: alpha.iter().map(|&i| restrict(i)).collect(),
        b: alpha.iter().map(|&i| -&problem.rows[i].q).collect(),
    };
    let mut z = vec![RBig::ZERO; n];
    for (i, value) in alpha.iter().zip(system.solve()?) {
        z[*i] = value;
    }
    Some(z)
}

/// [`basic_z`] with a bound on its work; the outer `None` where it is spent.
#[allow(clippy::option_option)]
pub(super) fn basic_within(problem: &ExactLcp, basis: &[bool], work: &mut Work) -> Option<Option<Vec<RBig>>> {
    let is_basic = |i: &usize| problem.free[*i] || basis.get(*i).copied().unwrap_or(false);
    let alpha: Vec<usize> = (0..problem.n()).filter(is_basic).collect();
    // The determinant has no more bits than the longest entries of its rows together: half of them midway, in k³/3 eliminations.
    let longest = |i: &usize| {
        let entries = problem.rows[*i].entries.iter().filter(|(j, _)| is_basic(j));
        entries.map(|(_, m)| m.bit_len()).max().unwrap_or(0)
    };
    let (k, bits) = (alpha.len(), alpha.iter().map(longest).sum::<usize>() / 2);
    work.spend_bits(k * k * k / 3 + k * k + 1, bits, bits)?;
    Some(basic_z(problem, basis))
}

/// [`solve_basis`] with a bound on its work: `None` where that is spent, too.
pub(crate) fn solve_basis_within(
    problem: &ExactLcp,
    basis: &[bool],
    work: &mut Work,
) -> Option<(Vec<RBig>, Vec<RBig>)> {
    let z = basic_within(problem, basis, work)??;
    let w = problem.w(&z);
    Some((z, w))
}

/// The basic solution (z, w) of the basis that holds z_i where `basis[i]`, the free z_i, and w_i elsewhere; `None` when
/// M_αα is singular. Its signs may be wrong: that is for [`super::check`].
///
/// Free variables are basic whatever `basis` says; missing entries count as false.
///
/// ```
/// use stiction_lcp::{Lcp, exact};
/// let problem = exact::ExactLcp::from_lcp(&Lcp::from_rows(&[[3.0, 0.0], [1.0, 1.0]], &[-1.0, 0.0])?);
/// let (z, w) = exact::solve_basis(&problem, &[true, false]).expect("M_11 is not zero");
/// assert_eq!((z[0].to_string(), w[1].to_string()), ("1/3".into(), "1/3".into()));
/// # Ok::<(), stiction_lcp::InputError>(())
/// ```
#[must_use]
pub fn solve_basis(problem: &ExactLcp, basis: &[bool]) -> Option<(Vec<RBig>, Vec<RBig>)> {
    let z = basic_z(problem, basis)?;
    let w = problem.w(&z);
    Some((z, w))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Rng;

    /// Random doubles with exponents spread over 2^±`spread`, a share of them zero.
    fn random(order: usize, spread: i32, density: f64, seed: u64) -> System {
        let mut rng = Rng::new(seed);
        let n = order;
        let mut entry = |i: usize, j: usize| {
            let kept = i == j || rng.symmetric().abs() < density;
            let exponent = (rng.symmetric() * f64::from(spread)).round();
            let value = rng.symmetric() * exponent.exp2();
            super::super::problem::rational(if kept { value } else { 0.0 })
        };
        let M: Vec<RBig> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
        let q: Vec<RBig> = (0..n).map(|i| entry(i, i)).collect();
        let problem = ExactLcp::from_rationals(n, &M, &q).unwrap();
        System {
            rows: problem.rows.iter().map(|row| row.entries.clone()).collect(),
            b: problem.rows.iter().map(|row| -&row.q).collect(),
        }
    }

    #[test]
    fn elimination_and_lifting_agree() {
        for (order, seed) in [(1, 1), (2, 2), (5, 3), (17, 4), (24, 5)] {
            let system = random(order, 20, 0.4, seed);
            let eliminated = bareiss::solve(&system).unwrap();
            assert!(system.holds(&eliminated));
            let dixon::Lift::Solved(lifted) = dixon::solve(&system) else {
                panic!("order {order}: not solved")
            };
            let rationals = |x: &Quotients| -> Vec<RBig> {
                let numerators = x.numerators.iter();
                numerators
                    .map(|v| RBig::from_parts_signed(v.clone(), x.denominator.clone()))
                    .collect()
            };
            assert_eq!(rationals(&eliminated), rationals(&lifted), "order {order}");
        }
    }

    #[test]
    fn singular_systems_have_no_solution() {
        for order in [3, 20, 40] {
            let mut system = random(order, 5, 0.5, 9);
            // The last row becomes the sum of the first two.
            let mut sum = vec![IBig::ZERO; order];
            for (j, a) in system.rows[0].iter().chain(&system.rows[1]) {
                sum[*j] += a;
            }
            system.rows[order - 1] = sum.into_iter().enumerate().filter(|(_, a)| !a.is_zero()).collect();
            assert_eq!(bareiss::solve(&system), None);
            assert!(matches!(dixon::solve(&system), dixon::Lift::Singular), "order {order}");
            assert_eq!(system.solve(), None);
        }
    }

    #[test]
    fn a_determinant_that_the_prime_divides_is_left_to_elimination() {
        let system = System {
            rows: vec![vec![(0, IBig::from(dixon::P))]],
            b: vec![IBig::from(5)],
        };
        assert!(matches!(dixon::solve(&system), dixon::Lift::Undecided));
        assert_eq!(bareiss::solve(&system).unwrap().denominator, IBig::from(dixon::P));
    }
}
