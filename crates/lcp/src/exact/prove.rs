//! From a floating-point answer to a proven one.
//!
//! The answer names a basis; its exact basic solution is the proof when its signs are right. Where signs are wrong by
//! rounding, their pairs are exchanged and the new basis is solved, a few times over: that costs one linear system each and
//! works for large problems. What is left, and singular bases, goes to Lemke's method in exact arithmetic.

use super::lemke::{ExactOutcome, lemke_exact};
use super::problem::{ExactLcp, ExactVerdict, check, rational};
use super::solve::solve_basis;
use dashu_base::Signed;
use dashu_ratio::RBig;

/// How much work [`prove_within`] may do when the basis itself is no proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How often all pairs with a wrong sign are exchanged and the basis is solved again. Default 8: a degenerate sign is
    /// fixed in one or two rounds.
    pub rounds: usize,
    /// Exact pivots of Lemke's method from the basis of the answer. Default 200: a degenerate sign is fixed in a few.
    pub warm_pivots: usize,
    /// Exact pivots of Lemke's method from the empty basis. Default 2000.
    pub cold_pivots: usize,
    /// Lemke's method is not run on problems of more variables. Default 200: their tableau takes minutes.
    pub max_n: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            rounds: 8,
            warm_pivots: 200,
            cold_pivots: 2000,
            max_n: 200,
        }
    }
}

/// Whether a floating-point answer could be turned into an exact one.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Proof {
    /// z solves the problem without any error: the exact judge says so.
    Proven {
        /// The exact solution, length n.
        z: Vec<RBig>,
        /// Mz + q, length n.
        w: Vec<RBig>,
        /// Where z_i is not zero or was basic, length n.
        basis: Vec<bool>,
        /// Exchanges of a pair, or pivots of Lemke's method, that were needed; 0 when the basis of the answer is right.
        pivots: usize,
        /// Largest |z_i − guess_i|.
        distance: f64,
    },
    /// No exact solution was found near the answer or by Lemke's method. The data may be rounded.
    NotProven {
        /// Why, in words.
        reason: String,
        /// The worst wrong sign of the exact basic solution of the answer's basis: `z` or `w`, row, value. `None` when the
        /// basis is singular.
        violation: Option<(char, usize, f64)>,
    },
}

/// Proves an answer within the default [`Limits`].
///
/// ```
/// use stiction_lcp::{Lcp, exact};
/// let problem = exact::ExactLcp::from_lcp(&Lcp::from_rows(&[[3.0]], &[-1.0])?);
/// let exact::Proof::Proven { z, distance, .. } = exact::prove(&problem, &[0.3333], &[0.0]) else {
///     panic!("z = 1/3");
/// };
/// assert_eq!(z[0].to_string(), "1/3");
/// assert!(distance < 1e-4);
/// # Ok::<(), stiction_lcp::InputError>(())
/// ```
#[must_use]
pub fn prove(problem: &ExactLcp, z_guess: &[f64], w_guess: &[f64]) -> Proof {
    prove_within(problem, z_guess, w_guess, &Limits::default())
}

/// Proves an answer: by its basis (z_i is basic where it exceeds w_i in the same unit, or else where it is positive), by
/// exchanging pairs of wrong sign, by Lemke's method from that basis, or by Lemke's method from the start.
#[must_use]
pub fn prove_within(problem: &ExactLcp, z_guess: &[f64], w_guess: &[f64], limits: &Limits) -> Proof {
    let n = problem.n();
    if z_guess.len() != n || w_guess.len() != n {
        return Proof::NotProven {
            reason: format!(
                "the answer must have {n} entries, found {} and {}",
                z_guess.len(),
                w_guess.len()
            ),
            violation: None,
        };
    }
    let bases = candidate_bases(problem, z_guess, w_guess);
    let mut violation = None;
    for basis in &bases {
        match exchange_pairs(problem, basis, limits.rounds) {
            Ok((z, w, basis, pivots)) => return proven(problem, z, w, basis, pivots, z_guess),
            Err(worst) => violation = violation.or(worst),
        }
    }
    let basis_says = describe(violation);
    if n > limits.max_n {
        let reason = format!("{basis_says}; {n} variables are too many for Lemke's method in exact arithmetic");
        return Proof::NotProven { reason, violation };
    }
    match pivot_on(problem, &bases, limits) {
        Ok((z, w, pivots)) => {
            let basis = (0..n).map(|i| problem.free[i] || !z[i].is_zero()).collect();
            proven(problem, z, w, basis, pivots, z_guess)
        }
        Err(end) => Proof::NotProven {
            reason: format!("{basis_says}; {end}"),
            violation,
        },
    }
}

/// z_i against w_i, with z_i in the unit of w as the judge has it; where that differs, the positive z_i.
fn candidate_bases(problem: &ExactLcp, z: &[f64], w: &[f64]) -> Vec<Vec<bool>> {
    let mut unit = vec![0.0f64; problem.n()];
    for row in &problem.rows {
        for (j, m) in &row.entries {
            let value = RBig::from_parts_signed(m.clone(), row.scale.clone())
                .to_f64_fast()
                .abs();
            unit[*j] = unit[*j].max(value);
        }
    }
    let larger = (0..z.len()).map(|i| problem.free[i] || z[i] * unit[i] > w[i]);
    let positive = (0..z.len()).map(|i| problem.free[i] || z[i] > 0.0);
    let mut bases = vec![larger.collect(), positive.collect()];
    bases.dedup();
    bases
}

type Exchanged = (Vec<RBig>, Vec<RBig>, Vec<bool>, usize);

/// Solves the basis exactly and, while signs are wrong, the basis with those pairs exchanged. The error is the worst sign of
/// the first basis, `None` when that is singular.
fn exchange_pairs(problem: &ExactLcp, start: &[bool], rounds: usize) -> Result<Exchanged, Option<(char, usize, f64)>> {
    let mut basis = start.to_vec();
    let (mut first, mut pivots) = (None, 0);
    for round in 0..=rounds {
        let Some((z, w)) = solve_basis(problem, &basis) else {
            return Err(first);
        };
        let is_wrong = |i: &usize| !problem.free[*i] && (z[*i].is_negative() || w[*i].is_negative());
        let wrong: Vec<usize> = (0..z.len()).filter(is_wrong).collect();
        if wrong.is_empty() {
            return Ok((z, w, basis, pivots));
        }
        if round == 0 {
            first = worst_sign(problem, &z, &w);
        }
        pivots += wrong.len();
        for i in wrong {
            basis[i] = !basis[i];
        }
    }
    Err(first)
}

/// The most negative entry among the bounded z and all w; w is zero in free rows.
fn worst_sign(problem: &ExactLcp, z: &[RBig], w: &[RBig]) -> Option<(char, usize, f64)> {
    let all_z = z.iter().enumerate().filter(|(i, _)| !problem.free[*i]);
    let signed = all_z
        .map(|(i, v)| ('z', i, v))
        .chain(w.iter().enumerate().map(|(i, v)| ('w', i, v)));
    let negative = signed.filter(|(_, _, v)| v.is_negative());
    let worst = negative.min_by(|a, b| a.2.cmp(b.2))?;
    Some((worst.0, worst.1, worst.2.to_f64().value()))
}

fn describe(violation: Option<(char, usize, f64)>) -> String {
    match violation {
        Some((name, row, value)) => {
            format!("the basis is exact except for {name}[{row}] = {value:.1e}: the data are rounded")
        }
        None => "the basis of the answer is singular".into(),
    }
}

/// Exact pivots from the bases of the answer, then from none. The error says how the last attempt ended.
fn pivot_on(
    problem: &ExactLcp,
    bases: &[Vec<bool>],
    limits: &Limits,
) -> Result<(Vec<RBig>, Vec<RBig>, usize), &'static str> {
    let warm = bases.iter().map(|basis| (Some(&basis[..]), limits.warm_pivots));
    let mut end = "";
    for (start, limit) in warm.chain([(None, limits.cold_pivots)]) {
        end = match lemke_exact(problem, start, limit) {
            ExactOutcome::Solved { z, w, pivots } => return Ok((z, w, pivots)),
            ExactOutcome::Ray { .. } => "Lemke's method in exact arithmetic ends on a ray",
            ExactOutcome::PivotLimit => "Lemke's method in exact arithmetic reached its limit on pivots",
            ExactOutcome::SingularStart => "the matrix of the free variables is singular",
        };
    }
    Err(end)
}

/// The proof, after a last look of the judge.
fn proven(problem: &ExactLcp, z: Vec<RBig>, w: Vec<RBig>, basis: Vec<bool>, pivots: usize, guess: &[f64]) -> Proof {
    let verdict = check(problem, &z);
    if verdict != ExactVerdict::Solution {
        return Proof::NotProven {
            reason: format!("internal: the exact judge refuses the basic solution: {verdict:?}"),
            violation: None,
        };
    }
    let difference = |(z, guess): (&RBig, &f64)| {
        if guess.is_finite() {
            (z - rational(*guess)).to_f64().value().abs()
        } else {
            f64::INFINITY
        }
    };
    let distance = z.iter().zip(guess).map(difference).fold(0.0, f64::max);
    Proof::Proven {
        z,
        w,
        basis,
        pivots,
        distance,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lemke::{Lemke, Options, Start};
    use crate::pivoting::{Data, Outcome};
    use crate::problem::Lcp;
    use crate::testing::Rng;

    fn exact<const N: usize>(rows: &[[f64; N]], q: &[f64]) -> ExactLcp {
        ExactLcp::from_lcp(&Lcp::from_rows(rows, q).unwrap())
    }

    #[test]
    fn the_basis_of_a_good_answer_is_the_proof() {
        let problem = exact(&[[2.0, 1.0], [1.0, 2.0]], &[-5.0, -6.0]);
        let Proof::Proven {
            z,
            pivots,
            distance,
            basis,
            ..
        } = prove(&problem, &[4.0 / 3.0, 7.0 / 3.0], &[0.0, 1e-16])
        else {
            panic!("not proven")
        };
        assert_eq!((z[1].to_string().as_str(), pivots, basis), ("7/3", 0, vec![true, true]));
        assert!(distance > 0.0 && distance < 1e-15);
    }

    #[test]
    fn a_wrong_basis_is_mended_by_pivots() {
        let problem = exact(&[[2.0, 1.0], [1.0, 2.0]], &[-5.0, -6.0]);
        for guess in [[1.0, 0.0], [0.0, 0.0], [0.0, 3.0]] {
            let Proof::Proven { z, pivots, .. } = prove(&problem, &guess, &[0.0, 0.0]) else {
                panic!("{guess:?}")
            };
            assert_eq!(z[0].to_string(), "4/3");
            assert!(pivots > 0);
        }
    }

    #[test]
    fn a_singular_basis_is_mended_by_pivots() {
        let problem = exact(&[[1.0, 1.0], [1.0, 1.0]], &[-2.0, -2.0]);
        let Proof::Proven { pivots, distance, .. } = prove(&problem, &[1.0, 1.0], &[0.0, 0.0]) else {
            panic!("not proven")
        };
        assert!(pivots > 0 && (distance - 1.0).abs() < 1e-15);
    }

    #[test]
    fn rounded_data_that_contradict_each_other_are_described() {
        // Opposite contacts: w0 + w1 = q0 + q1, which should be 0 and is −2⁻⁵³.
        let below = f64::from_bits(1f64.to_bits() - 1);
        let problem = exact(&[[1.0, -1.0], [-1.0, 1.0]], &[-1.0, below]);
        let Proof::NotProven { reason, violation } = prove(&problem, &[1.0, 0.0], &[0.0, 0.0]) else {
            panic!("the rows contradict each other")
        };
        let (name, row, value) = violation.expect("the basis is not singular");
        assert_eq!((name, row, value.to_bits()), ('w', 1, (-f64::EPSILON / 2.0).to_bits()));
        assert!(
            reason.starts_with("the basis is exact except for w[1] = -1.1e-16: the data are rounded"),
            "{reason}"
        );
        assert!(reason.ends_with("ends on a ray"), "{reason}");
    }

    #[test]
    fn answers_of_the_wrong_length_or_not_finite_prove_nothing_wrong() {
        let problem = exact(&[[1.0]], &[-1.0]);
        assert!(matches!(prove(&problem, &[], &[]), Proof::NotProven { .. }));
        let Proof::Proven { distance, .. } = prove(&problem, &[f64::NAN], &[f64::NAN]) else {
            panic!("Lemke finds z = 1")
        };
        assert!(distance.is_infinite());
    }

    #[test]
    fn a_degenerate_sign_is_mended_without_lemke() {
        // The answer has z1 = 0 and w1 = 2⁻⁵³: taken as basic, z1 comes out negative.
        let problem = exact(&[[1.0, 0.0], [-1.0, 1.0]], &[-1.0, 1.0 + f64::EPSILON]);
        let none = Limits {
            max_n: 0,
            ..Limits::default()
        };
        let Proof::Proven { basis, pivots, .. } = prove_within(&problem, &[1.0, 1e-16], &[0.0, 0.0], &none) else {
            panic!("not proven")
        };
        assert_eq!((basis, pivots), (vec![true, false], 1));
    }

    #[test]
    fn doubles_at_the_ends_of_the_range_do_no_harm() {
        let problem = exact(&[[1e-300, 1e300], [0.0, 5e-324]], &[-1e308, -1e308]);
        let Proof::Proven { distance, .. } = prove(&problem, &[0.0, 0.0], &[0.0, 0.0]) else {
            panic!("z = (0, 1e308 / 5e-324)")
        };
        assert!(distance.is_infinite());
    }

    #[test]
    fn answers_of_the_floating_point_method_are_proven() {
        let mut rng = Rng::new(17);
        for round in 0..100 {
            let n = 1 + rng.below(24);
            let rank = 1 + rng.below(n);
            let a: Vec<Vec<f64>> = (0..n).map(|_| (0..rank).map(|_| rng.symmetric()).collect()).collect();
            let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
            let entry = |i: usize, j: usize| dot(&a[i], &a[j]) + if i == j { 1e-6 } else { 0.0 };
            let rows: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
            let q: Vec<f64> = (0..n).map(|_| rng.symmetric()).collect();
            let lcp = Lcp::from_rows(&rows, &q).unwrap();
            let data = Data {
                M: lcp.M(),
                q: lcp.q(),
                free: &[],
            };
            let mut z = vec![0.0; n];
            let outcome = Lemke::<f64>::default().run(data, Start::default(), &Options::default(), &mut z);
            assert_eq!(outcome, Outcome::Complementary, "round {round}");
            let w: Vec<f64> = (0..n).map(|i| dot(&rows[i], &z) + q[i]).collect();
            let proof = prove(&ExactLcp::from_lcp(&lcp), &z, &w);
            let Proof::Proven {
                pivots: 0, distance, ..
            } = proof
            else {
                panic!("round {round}: {proof:?}")
            };
            let largest = z.iter().fold(0.0f64, |m, v| v.max(m));
            assert!(
                distance <= 1e-9 * largest,
                "round {round}: distance {distance} of {largest}"
            );
        }
    }
}
