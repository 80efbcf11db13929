//! All complementary cones, exactly: the proof that a feasible problem has no solution.
//!
//! (M, q) has a solution if and only if q lies in one of the 2ⁿ cones spanned by the columns I_β and −M_α. A cone
//! whose M_αα is nonsingular is decided by its basic solution; a degenerate one by linear inequalities
//! ([`super::feasibility`]): it may hold q although no basis describes it.

use super::feasibility::{Feasibility, Inequalities};
use super::problem::ExactLcp;
use super::solve::basic_within;
use super::work::Work;
use dashu_base::Signed;
use dashu_ratio::RBig;

/// What the search of all cones found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Enumeration {
    /// A solution.
    Found {
        /// The solution, length n.
        z: Vec<RBig>,
        /// Mz + q, length n.
        w: Vec<RBig>,
    },
    /// No cone holds q: there is no solution.
    None {
        /// Number of cones tried, 2 to the number of variables that are not free.
        cones: u64,
    },
    /// More variables than `max_n`, or than 62.
    TooLarge,
}

/// Tries all complementary cones, at most 2^`max_n`. Free variables belong to every α and do not count.
///
/// ```
/// use stiction_lcp::{Lcp, exact};
/// // w0 = z1 − 1 needs z1 > 0, hence w1 = z1 + z0 = 0: impossible, though z = (0, 1) is feasible.
/// let problem = exact::ExactLcp::from_lcp(&Lcp::from_rows(&[[0.0, 1.0], [1.0, 1.0]], &[-1.0, 0.0])?);
/// assert_eq!(exact::enumerate_exact(&problem, 10), exact::Enumeration::None { cones: 4 });
/// # Ok::<(), stiction_lcp::InputError>(())
/// ```
#[must_use]
pub fn enumerate_exact(problem: &ExactLcp, max_n: usize) -> Enumeration {
    enumerate_within(problem, max_n, &mut Work::any())
}

/// The same with a bound on its work, too: [`Enumeration::TooLarge`] where it is spent.
pub(crate) fn enumerate_within(problem: &ExactLcp, max_n: usize, work: &mut Work) -> Enumeration {
    let bounded: Vec<usize> = (0..problem.n()).filter(|&i| !problem.free[i]).collect();
    if bounded.len() > max_n.min(62) {
        return Enumeration::TooLarge;
    }
    let cones = 1u64 << bounded.len();
    let mut alpha = vec![true; problem.n()];
    for cone in 0..cones {
        for (bit, &i) in bounded.iter().enumerate() {
            alpha[i] = cone >> bit & 1 == 1;
        }
        if is_excluded(problem, &alpha) {
            continue;
        }
        let Some(basic) = basic_within(problem, &alpha, work) else {
            return Enumeration::TooLarge;
        };
        let z = match basic {
            Some(z) => Some(z).filter(|z| bounded.iter().all(|&i| !z[i].is_negative())),
            None => match degenerate(problem, &alpha, work) {
                Some(z) => z,
                None => return Enumeration::TooLarge,
            },
        };
        let Some(z) = z else { continue };
        let w = problem.w(&z);
        if w.iter().all(|w| !w.is_negative()) {
            return Enumeration::Found { z, w };
        }
    }
    Enumeration::None { cones }
}

/// Whether the signs of one row already exclude the cone: no positive term to make up for q_i < 0, or, in an equation, no
/// negative one to make up for q_i > 0. Saves most of the work when M has many zeros.
fn is_excluded(problem: &ExactLcp, alpha: &[bool]) -> bool {
    problem.rows.iter().zip(alpha).any(|(row, is_equation)| {
        let missing = |negative: bool| {
            let mut terms = row.entries.iter().filter(|(j, _)| alpha[*j]);
            !terms.any(|(j, m)| problem.free[*j] || m.is_negative() == negative)
        };
        let (below, above) = (row.q.is_negative(), !row.q.is_negative() && !row.q.is_zero());
        (below && missing(false)) || (above && *is_equation && missing(true))
    })
}

/// A point of the cone's system M_αα z_α + q_α = 0, M_βα z_α + q_β ≥ 0, z_α ≥ 0, if there is one; the outer `None` where the work is spent.
#[allow(clippy::option_option)]
fn degenerate(problem: &ExactLcp, alpha: &[bool], work: &mut Work) -> Option<Option<Vec<RBig>>> {
    let members: Vec<usize> = (0..alpha.len()).filter(|&i| alpha[i]).collect();
    let mut place = vec![None; alpha.len()];
    for (p, &i) in members.iter().enumerate() {
        place[i] = Some(p);
    }
    let restrict = |row: &super::problem::Row| {
        let entries = row.entries.iter().filter_map(|(j, m)| Some((place[*j]?, m.clone())));
        (entries.collect(), row.q.clone())
    };
    let system = Inequalities {
        rows: problem.rows.iter().map(restrict).collect(),
        equality: alpha.to_vec(),
        free: members.iter().map(|&i| problem.free[i]).collect(),
    };
    // Lexicographic ties make the search finite: no limit on pivots is needed.
    let u = match system.decide(usize::MAX, work) {
        Feasibility::Point(u) => u,
        Feasibility::Undecided => return None,
        Feasibility::Infeasible(_) => return Some(None),
    };
    let mut z = vec![RBig::ZERO; alpha.len()];
    for (&i, value) in members.iter().zip(u) {
        z[i] = value;
    }
    Some(Some(z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::solve::basic_z;
    use crate::exact::{ExactOutcome, ExactVerdict, check, lemke_exact};
    use crate::problem::Lcp;
    use crate::testing::Rng;

    fn exact<const N: usize>(rows: &[[f64; N]], q: &[f64]) -> ExactLcp {
        ExactLcp::from_lcp(&Lcp::from_rows(rows, q).unwrap())
    }

    #[test]
    fn a_solution_in_a_degenerate_cone_is_found() {
        // M = ((0, 1), (0, 0)) and q = (−1, 0): z1 = 1 and w = 0 use columns −M_1 and w1 = 0 or z0; every α with
        // z1 basic has a singular M_αα.
        let problem = exact(&[[0.0, 1.0], [0.0, 0.0]], &[-1.0, 0.0]);
        for alpha in [[false, true], [true, true]] {
            assert_eq!(basic_z(&problem, &alpha), None);
        }
        let Enumeration::Found { z, .. } = enumerate_exact(&problem, 2) else {
            panic!("z = (0, 1) is a solution")
        };
        assert_eq!(check(&problem, &z), ExactVerdict::Solution);
    }

    #[test]
    fn a_feasible_problem_without_solution_is_exhausted() {
        let problem = exact(&[[0.0, 1.0], [1.0, 1.0]], &[-1.0, 0.0]);
        assert_eq!(enumerate_exact(&problem, 2), Enumeration::None { cones: 4 });
        assert_eq!(enumerate_exact(&problem, 1), Enumeration::TooLarge);
    }

    #[test]
    fn free_variables_are_in_every_cone() {
        let problem = exact(&[[0.0, 1.0], [-1.0, 0.0]], &[-2.0, 3.0]);
        let problem = problem.with_free(vec![true, false]).unwrap();
        let Enumeration::Found { z, .. } = enumerate_exact(&problem, 1) else {
            panic!("z = (3, 2) is a solution")
        };
        assert_eq!(z, [RBig::from(3), RBig::from(2)]);
        let singular = exact(&[[0.0, 0.0], [1.0, 1.0]], &[0.0, 1.0]);
        let singular = singular.with_free(vec![true, false]).unwrap();
        assert!(matches!(enumerate_exact(&singular, 1), Enumeration::Found { .. }));
    }

    #[test]
    fn whatever_lemke_solves_is_found() {
        let mut rng = Rng::new(21);
        let mut solved = 0;
        for round in 0..150 {
            let n = 1 + rng.below(4);
            // Entries −1, 0, 1: most principal submatrices are singular.
            let mut entry = || (1.4 * rng.symmetric()).round();
            let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| entry()).collect()).collect();
            let q: Vec<f64> = (0..n).map(|_| entry()).collect();
            let problem = ExactLcp::from_lcp(&Lcp::from_rows(&rows, &q).unwrap());
            let found = enumerate_exact(&problem, 4);
            if let Enumeration::Found { z, .. } = &found {
                assert_eq!(check(&problem, z), ExactVerdict::Solution, "round {round}");
            }
            if let ExactOutcome::Solved { z, .. } = lemke_exact(&problem, None, 1000) {
                assert_eq!(check(&problem, &z), ExactVerdict::Solution, "round {round}");
                assert!(matches!(found, Enumeration::Found { .. }), "round {round}");
                solved += 1;
            }
        }
        assert!(solved > 50);
    }

    #[test]
    fn planted_solutions_are_found_in_singular_cones_too() {
        let mut rng = Rng::new(8);
        let mut degenerate_cones = 0;
        for round in 0..400 {
            let n = 1 + rng.below(4);
            let free: Vec<bool> = (0..n).map(|_| rng.below(5) == 0).collect();
            let mut entry = || (1.4 * rng.symmetric()).round();
            let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| entry()).collect()).collect();
            let values: Vec<f64> = (0..n).map(|_| 2.0 * entry()).collect();
            // A value is z_i where it is positive or z_i is free, and −w_i elsewhere.
            let z: Vec<f64> = (0..n)
                .map(|i| if free[i] { values[i] } else { values[i].max(0.0) })
                .collect();
            let w: Vec<f64> = (0..n).map(|i| z[i] - values[i]).collect();
            let Mz = |i: usize| (0..n).map(|j| rows[i][j] * z[j]).sum::<f64>();
            let q: Vec<f64> = (0..n).map(|i| w[i] - Mz(i)).collect();
            let problem = ExactLcp::from_lcp(&Lcp::from_rows(&rows, &q).unwrap());
            let problem = problem.with_free(free.clone()).unwrap();
            let Enumeration::Found { z: found, .. } = enumerate_exact(&problem, 4) else {
                panic!("round {round}: {z:?} is a solution of {rows:?} {q:?} free {free:?}")
            };
            assert_eq!(check(&problem, &found), ExactVerdict::Solution, "round {round}");
            let alpha: Vec<bool> = z.iter().map(|z| *z > 0.0).collect();
            degenerate_cones += usize::from(basic_z(&problem, &alpha).is_none());
        }
        assert!(degenerate_cones > 100, "{degenerate_cones}");
    }
}
