//! Farkas vectors: proofs that no z satisfies z ≥ 0 and Mz + q ≥ 0.

use super::branch::Pair;
use super::feasibility::{Feasibility, Inequalities};
use super::lemke::{ExactOutcome, lemke_within};
use super::problem::{ExactLcp, over_common_denominator, rational};
use super::work::Work;
use dashu_base::Signed;
use dashu_int::IBig;
use dashu_ratio::RBig;

/// Entries of a hint below this share of the largest may be rounding.
const HINT_NOISE_REL_TOL: f64 = 1e-9;
/// Largest denominator of the small rationals that a hint's entries are rounded to.
const LARGEST_DENOMINATOR: i64 = 1000;
/// Pivots spent on one system of inequalities.
const MAX_PIVOTS: usize = 20_000;

/// Whether y proves that nothing is feasible: y ≥ 0, Mᵀy ≤ 0 and qᵀy < 0, since then yᵀ(Mz + q) < 0 for every z ≥ 0. In the
/// row of a free variable y_i may have any sign, and (Mᵀy)_i must be 0.
#[must_use]
pub fn check_farkas(problem: &ExactLcp, y: &[RBig]) -> bool {
    let pair = |i: usize| if problem.free[i] { Pair::Free } else { Pair::Open };
    contradicts(problem, y, pair)
}

/// The same where some pairs are decided: y_i may have any sign where w_i = 0, and (Mᵀy)_i any value where z_i = 0.
pub(super) fn contradicts(problem: &ExactLcp, y: &[RBig], pair: impl Fn(usize) -> Pair) -> bool {
    let n = problem.n();
    let needs_sign = |i: usize| matches!(pair(i), Pair::Open | Pair::ZIsZero);
    if y.len() != n || (0..n).any(|i| needs_sign(i) && y[i].is_negative()) {
        return false;
    }
    // Row i is stored times its scale: divide y_i by it instead.
    let rows = problem.rows.iter();
    let scaled: Vec<RBig> = y.iter().zip(rows).map(|(y, row)| y / &row.scale).collect();
    let (y, _) = over_common_denominator(&scaled);
    let mut My = vec![IBig::ZERO; n];
    let mut qy = IBig::ZERO;
    for (row, y) in problem.rows.iter().zip(&y).filter(|(_, y)| !y.is_zero()) {
        row.entries.iter().for_each(|(j, m)| My[*j] += m * y);
        qy += &row.q * y;
    }
    let sign_is_right = |j: usize| match pair(j) {
        Pair::ZIsZero => true,
        Pair::Free => My[j].is_zero(),
        Pair::Open | Pair::WIsZero => My[j].is_zero() || My[j].is_negative(),
    };
    qy.is_negative() && (0..n).all(sign_is_right)
}

/// A vector that passes [`check_farkas`], or `None` when none was found.
///
/// The hints (directions in doubles, such as that of a ray) are tried as they are, without their noise and rounded to small
/// rationals; then the rows that a hint uses are searched exactly, if they are at most `max_n`; then, if the problem has at
/// most `max_n` variables, all rows, and then `None` means that a feasible point exists unless the search took over 20,000
/// pivots.
///
/// ```
/// use stiction_lcp::{Lcp, exact};
/// let problem = exact::ExactLcp::from_lcp(&Lcp::from_rows(&[[1.0, -1.0], [-1.0, 1.0]], &[-1.0, 0.5])?);
/// let y = exact::farkas(&problem, &[], 10).expect("the sum of the rows is -0.5");
/// assert!(exact::check_farkas(&problem, &y));
/// # Ok::<(), stiction_lcp::InputError>(())
/// ```
#[must_use]
pub fn farkas(problem: &ExactLcp, hints: &[Vec<f64>], max_n: usize) -> Option<Vec<RBig>> {
    farkas_within(problem, hints, max_n, &mut Work::any())
}

/// The same with a bound on the work of its searches.
pub(crate) fn farkas_within(
    problem: &ExactLcp,
    hints: &[Vec<f64>],
    max_n: usize,
    work: &mut Work,
) -> Option<Vec<RBig>> {
    let hints = || hints.iter().filter(|hint| hint.len() == problem.n());
    let candidates = hints().flat_map(|hint| roundings(problem, hint));
    if let Some(y) = candidates.into_iter().find(|y| check_farkas(problem, y)) {
        return Some(y);
    }
    for hint in hints() {
        let largest = largest(hint);
        let support: Vec<usize> = (0..hint.len())
            .filter(|&i| hint[i].abs() > HINT_NOISE_REL_TOL * largest)
            .collect();
        if !support.is_empty() && support.len() <= max_n {
            let found = search(problem, &support, work);
            if found.is_some() {
                return found;
            }
        }
    }
    if problem.n() <= max_n {
        search_all(problem, work)
    } else {
        None
    }
}

/// Lemke's method on the problem itself is cheaper than on the inequalities and often decides: a solution is feasible, and
/// when M is positive semidefinite its ray is a Farkas vector ([CPS] 4.4).
fn search_all(problem: &ExactLcp, work: &mut Work) -> Option<Vec<RBig>> {
    match lemke_within(problem, None, MAX_PIVOTS, work) {
        ExactOutcome::Solved { .. } => return None,
        ExactOutcome::Ray { direction, .. } if check_farkas(problem, &direction) => return Some(direction),
        _ => {}
    }
    let all: Vec<usize> = (0..problem.n()).collect();
    search(problem, &all, work)
}

fn largest(hint: &[f64]) -> f64 {
    hint.iter().fold(0.0f64, |m, v| v.abs().max(m))
}

/// The hint as it is, without its noise, and with both in small rationals; wrong signs become zero.
fn roundings(problem: &ExactLcp, hint: &[f64]) -> Vec<Vec<RBig>> {
    let largest = largest(hint);
    if !(largest > 0.0 && largest.is_finite()) {
        return Vec::new();
    }
    let allowed = |i: usize, v: f64| if v < 0.0 && !problem.free[i] { 0.0 } else { v };
    let exact = hint.iter().enumerate().map(|(i, &v)| allowed(i, v));
    let exact: Vec<f64> = exact.collect();
    let clean: Vec<f64> = exact
        .iter()
        .map(|&v| if v.abs() < HINT_NOISE_REL_TOL * largest { 0.0 } else { v })
        .collect();
    let small = clean.iter().map(|&v| small_rational(v / largest)).collect();
    let convert = |values: &[f64]| values.iter().map(|&v| rational(v)).collect();
    vec![convert(&exact), convert(&clean), small]
}

/// The first convergent of the continued fraction of v, |v| ≤ 1, that is within the noise, or the last one whose
/// denominator is small.
#[allow(clippy::cast_possible_truncation)] // partial quotients above the limit end the loop first
fn small_rational(v: f64) -> RBig {
    let (mut h0, mut k0, mut h1, mut k1) = (0i64, 1i64, 1i64, 0i64);
    let mut rest = v.abs();
    for _ in 0..20 {
        let whole = rest.floor();
        if whole > LARGEST_DENOMINATOR as f64 {
            break;
        }
        let a = whole as i64;
        let (h2, k2) = (a * h1 + h0, a * k1 + k0);
        if k2 > LARGEST_DENOMINATOR {
            break;
        }
        (h0, k0, h1, k1) = (h1, k1, h2, k2);
        if (h1 as f64 / k1 as f64 - v.abs()).abs() <= HINT_NOISE_REL_TOL || rest <= whole {
            break;
        }
        rest = 1.0 / (rest - whole);
    }
    let value = RBig::from_parts_signed(IBig::from(h1), IBig::from(k1.max(1)));
    if v < 0.0 { -value } else { value }
}

/// A Farkas vector that uses only the rows given: those inequalities alone contradict each other.
fn search(problem: &ExactLcp, rows: &[usize], work: &mut Work) -> Option<Vec<RBig>> {
    let mut place = vec![None; problem.n()];
    let mut free = Vec::new();
    for (j, _) in rows.iter().flat_map(|&i| &problem.rows[i].entries) {
        if place[*j].is_none() {
            place[*j] = Some(free.len());
            free.push(problem.free[*j]);
        }
    }
    let restrict = |i: &usize| {
        let row = &problem.rows[*i];
        let entries = row.entries.iter().filter_map(|(j, m)| Some((place[*j]?, m.clone())));
        (entries.collect(), row.q.clone())
    };
    let system = Inequalities {
        rows: rows.iter().map(restrict).collect(),
        equality: rows.iter().map(|&i| problem.free[i]).collect(),
        free,
    };
    let Feasibility::Infeasible(found) = system.decide(MAX_PIVOTS, work) else {
        return None;
    };
    let mut y = vec![RBig::ZERO; problem.n()];
    for (&i, value) in rows.iter().zip(found) {
        y[i] = value * &problem.rows[i].scale;
    }
    check_farkas(problem, &y).then_some(y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Lcp;
    use crate::testing::Rng;

    fn exact(rows: &[[f64; 2]], q: &[f64]) -> ExactLcp {
        ExactLcp::from_lcp(&Lcp::from_rows(rows, q).unwrap())
    }

    #[test]
    fn only_true_proofs_pass() {
        let problem = exact(&[[1.0, -1.0], [-1.0, 1.0]], &[-1.0, 0.5]);
        let y = |a: f64, b: f64| vec![rational(a), rational(b)];
        assert!(check_farkas(&problem, &y(1.0, 1.0)));
        assert!(!check_farkas(&problem, &y(1.0, 0.0))); // Mᵀy has a positive entry
        assert!(!check_farkas(&problem, &y(-1.0, -1.0)));
        assert!(!check_farkas(&problem, &y(0.0, 0.0)));
        assert!(!check_farkas(&problem, &y(1.0, 1.0)[..1]));
        let feasible = exact(&[[1.0, -1.0], [-1.0, 1.0]], &[-1.0, 1.0]);
        assert!(!check_farkas(&feasible, &y(1.0, 1.0)));
    }

    #[test]
    fn a_noisy_hint_is_enough() {
        // Rows 1/3 : 1 cancel only when the ratio is exact.
        let problem = exact(&[[3.0, -3.0], [-1.0, 1.0]], &[-1.0, 0.25]);
        let hint = vec![1.0 / 3.0 + 1e-13, 1.0];
        let y = farkas(&problem, &[hint], 0).expect("rounded to 1/3");
        assert!(check_farkas(&problem, &y));
        assert_eq!(y[0].to_string(), "1/3");
        assert_eq!(farkas(&problem, &[vec![f64::NAN, 1.0]], 0), None);
    }

    #[test]
    fn rows_of_a_hint_are_searched_alone() {
        // Rows 0 and 1 contradict each other at 1701 : 1009, too long for a small rational; n exceeds `max_n`.
        let rows = [[1009.0, -1009.0, 0.0], [-1701.0, 1701.0, 0.0], [0.0, 0.0, 1.0]];
        let problem = ExactLcp::from_lcp(&Lcp::from_rows(&rows, &[-1.0, 1.0, -1.0]).unwrap());
        assert_eq!(farkas(&problem, &[], 2), None);
        let y = farkas(&problem, &[vec![1.0, 0.6, 1e-12]], 2).expect("two rows are enough");
        assert!(check_farkas(&problem, &y) && y[2].is_zero());
    }

    #[test]
    fn a_free_row_may_have_a_negative_multiplier() {
        // z0 free: z0 + 1 = 0 and row 1: z0 ≥ 0.
        let problem = exact(&[[1.0, 0.0], [1.0, 0.0]], &[1.0, 0.0]);
        let problem = problem.with_free(vec![true, false]).unwrap();
        let y = farkas(&problem, &[], 2).expect("z0 = −1 is not ≥ 0");
        assert!(y[0].is_negative() && check_farkas(&problem, &y));
    }

    #[test]
    fn planted_infeasible_problems_are_all_detected() {
        let mut rng = Rng::new(3);
        for round in 0..100 {
            let n = 2 + rng.below(6);
            let mut rows: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| rng.symmetric()).collect()).collect();
            let mut q: Vec<f64> = (0..n).map(|_| rng.symmetric()).collect();
            // Row 0 has no positive entry and a negative q.
            rows[0].iter_mut().for_each(|v| *v = -v.abs());
            q[0] = -q[0].abs() - 0.1;
            let problem = ExactLcp::from_lcp(&Lcp::from_rows(&rows, &q).unwrap());
            assert!(farkas(&problem, &[], n).is_some(), "round {round}");
        }
    }

    #[test]
    fn a_feasible_problem_has_no_farkas_vector() {
        let problem = exact(&[[2.0, 1.0], [1.0, 2.0]], &[-5.0, -6.0]);
        assert_eq!(farkas(&problem, &[vec![1.0, 1.0]], 2), None);
    }

    #[test]
    fn small_rationals_are_recognised() {
        for (v, text) in [
            (1.0 / 3.0, "1/3"),
            (-0.4, "-2/5"),
            (1.0, "1"),
            (0.0, "0"),
            (1e-12, "0"),
            (22.0 / 71.0, "22/71"),
        ] {
            assert_eq!(small_rational(v).to_string(), text);
        }
    }
}
