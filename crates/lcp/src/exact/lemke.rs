//! Lemke's method in exact arithmetic, [Lloyd TR] section 4, with lexicographic ties, [CPS] 4.9: finite on every problem.
//!
//! The covering vector is all ones on the basic variables of the starting basis, z₀ leaves whenever it ties, and the first
//! exchange with z₀ counts as a pivot. Free variables are in the basis from the start and never leave it.

use super::problem::ExactLcp;
use super::tableau::Tableau;
use super::work::Work;
use crate::basis::Var;
use dashu_ratio::RBig;

/// How Lemke's method in exact arithmetic ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ExactOutcome {
    /// A solution, without any rounding.
    Solved {
        /// The solution, length n.
        z: Vec<RBig>,
        /// Mz + q, length n.
        w: Vec<RBig>,
        /// Pivots taken; 0 when the starting basis is the answer.
        pivots: usize,
    },
    /// No variable blocks the driving one. Proves nothing by itself unless M is of a class for which it does.
    Ray {
        /// How z changes along the ray, length n.
        direction: Vec<RBig>,
        /// Pivots taken.
        pivots: usize,
    },
    /// The limit on pivots was reached.
    PivotLimit,
    /// The matrix of the starting basis, or of the free variables, is singular.
    SingularStart,
}

/// Runs Lemke's method from the basis that holds z_i where `start_basis[i]`; from the basis of all w when there is none.
///
/// ```
/// use stiction_lcp::{Lcp, exact};
/// let problem = exact::ExactLcp::from_lcp(&Lcp::from_rows(&[[0.0]], &[-1.0])?);
/// let outcome = exact::lemke_exact(&problem, None, 10);
/// assert!(matches!(outcome, exact::ExactOutcome::Ray { pivots: 1, .. }));
/// # Ok::<(), stiction_lcp::InputError>(())
/// ```
#[must_use]
pub fn lemke_exact(problem: &ExactLcp, start_basis: Option<&[bool]>, pivot_limit: usize) -> ExactOutcome {
    lemke_within(problem, start_basis, pivot_limit, &mut Work::any())
}

/// The same with a bound on its work, too: [`ExactOutcome::PivotLimit`] where it is spent.
pub(crate) fn lemke_within(
    problem: &ExactLcp,
    start_basis: Option<&[bool]>,
    pivot_limit: usize,
    work: &mut Work,
) -> ExactOutcome {
    match Tableau::new(problem, start_basis.unwrap_or(&[])) {
        Some(tableau) => run(problem, tableau, pivot_limit, work),
        None => ExactOutcome::SingularStart,
    }
}

/// Runs Lemke's method from the basis of all w with another covering vector, length n. `None` when the
/// cover does not have n entries, or one is not positive, or when there are free variables: their rows have no cover.
#[must_use]
pub fn lemke_exact_covered(problem: &ExactLcp, cover: &[RBig], pivot_limit: usize) -> Option<ExactOutcome> {
    let is_cover = cover.len() == problem.n() && cover.iter().all(|c| *c > RBig::ZERO);
    if !is_cover || problem.free.contains(&true) {
        return None;
    }
    let mut tableau = Tableau::new(problem, &[])?;
    tableau.set_cover(cover);
    Some(run(problem, tableau, pivot_limit, &mut Work::any()))
}

fn run(problem: &ExactLcp, mut tableau: Tableau<'_>, pivot_limit: usize, work: &mut Work) -> ExactOutcome {
    let (mut driving, mut column) = (Var::Z0, tableau.column(Var::Z0));
    let Some(mut row) = tableau.most_negative(&column) else {
        return solved(problem, &tableau, 0); // Step 0: q ≥ 0
    };
    let mut pivots = 0;
    loop {
        if pivots >= pivot_limit || tableau.count(&column[row], work).is_none() {
            return ExactOutcome::PivotLimit;
        }
        let leaving = tableau.exchange(row, driving, &column);
        pivots += 1;
        let Some(complement) = leaving.complement() else {
            return solved(problem, &tableau, pivots); // Step 2: z₀ has left
        };
        driving = complement;
        column = tableau.column(driving); // (20), (21)
        let Some(blocking) = tableau.blocking(&column) else {
            let direction = tableau.direction(driving, &column);
            return ExactOutcome::Ray { direction, pivots }; // Step 1
        };
        row = blocking;
    }
}

fn solved(problem: &ExactLcp, tableau: &Tableau<'_>, pivots: usize) -> ExactOutcome {
    let z = tableau.z();
    let w = problem.w(&z);
    ExactOutcome::Solved { z, w, pivots }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{ExactVerdict, check};
    use crate::problem::Lcp;
    use crate::testing::Rng;

    fn random_psd(n: usize, rank: usize, rng: &mut Rng) -> ExactLcp {
        // Small integers, so that ties and redundancy are exact.
        let a: Vec<Vec<f64>> = (0..n)
            .map(|_| (0..rank).map(|_| (3.0 * rng.symmetric()).round()).collect())
            .collect();
        let v: Vec<f64> = (0..rank).map(|_| (3.0 * rng.symmetric()).round()).collect();
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let rows: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| dot(&a[i], &a[j])).collect()).collect();
        let q: Vec<f64> = (0..n).map(|i| dot(&a[i], &v)).collect();
        ExactLcp::from_lcp(&Lcp::from_rows(&rows, &q).unwrap())
    }

    fn solution(outcome: ExactOutcome) -> Vec<RBig> {
        match outcome {
            ExactOutcome::Solved { z, .. } => z,
            other => panic!("not solved: {other:?}"),
        }
    }

    #[test]
    fn redundant_contacts_are_solved_from_any_nonsingular_basis() {
        let mut rng = Rng::new(11);
        for round in 0..60 {
            let problem = random_psd(8, 3, &mut rng);
            let z = solution(lemke_exact(&problem, None, 1000));
            assert_eq!(check(&problem, &z), ExactVerdict::Solution, "round {round}");
            let start: Vec<bool> = (0..8).map(|_| rng.below(4) == 0).collect();
            match lemke_exact(&problem, Some(&start), 1000) {
                ExactOutcome::Solved { z, .. } => assert_eq!(check(&problem, &z), ExactVerdict::Solution),
                // Principal pivoting keeps the matrix semidefinite: no ray while a solution exists.
                other => assert_eq!(other, ExactOutcome::SingularStart, "round {round}"),
            }
        }
    }

    #[test]
    fn the_basis_of_the_answer_needs_no_pivot() {
        let lcp = Lcp::from_rows(&[[2.0, 1.0], [1.0, 2.0]], &[-5.0, 6.0]).unwrap();
        let problem = ExactLcp::from_lcp(&lcp);
        let outcome = lemke_exact(&problem, Some(&[true, false]), 0);
        assert!(matches!(outcome, ExactOutcome::Solved { pivots: 0, .. }), "{outcome:?}");
        assert_eq!(lemke_exact(&problem, None, 1), ExactOutcome::PivotLimit);
    }

    #[test]
    fn free_variables_stay_in_the_basis() {
        let mut rng = Rng::new(5);
        for round in 0..40 {
            let problem = random_psd(6, 6, &mut rng);
            let problem = problem.with_free((0..6).map(|i| i % 3 == 0).collect()).unwrap();
            match lemke_exact(&problem, None, 1000) {
                ExactOutcome::Solved { z, .. } => assert_eq!(check(&problem, &z), ExactVerdict::Solution),
                other => assert_eq!(other, ExactOutcome::SingularStart, "round {round}"),
            }
        }
    }

    #[test]
    fn an_empty_problem_is_solved() {
        let problem = ExactLcp::from_rationals(0, &[], &[]).unwrap();
        assert_eq!(solution(lemke_exact(&problem, None, 0)), Vec::<RBig>::new());
    }
}
