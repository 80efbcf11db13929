//! An answer solved again in the variables of the problem itself, on the active set that it shows.
//!
//! Bounds are rewritten as z = l + y ([`crate::reduce`]); a lower bound of −1e6 then costs z six digits. The answer still says which
//! variables are at a bound, so the others follow from M_II z_I = −q_I − M_IA z_A, with residuals in twice the precision.

use crate::factor::Lu;
use crate::pivoting::Data;
use crate::problem::{Bounds, View};
use crate::real::Real;

/// Rounds of iterative refinement: the first from a solve in doubles is nearly right, the second is.
const MAX_REFINEMENTS: usize = 3;

/// Solves for the variables that `inside` lists, all others staying where they are, and moves the results into their bounds: the
/// judge looks at them next. False, z unchanged, when their system is singular or a result is not finite.
pub(crate) fn polish(problem: View<'_>, inside: &[usize], lu: &mut Lu<f64>, z: &mut [f64]) -> bool {
    let k = inside.len();
    if !lu.factor(k, |a, b| problem.M.at(inside[a], inside[b])) {
        return false;
    }
    let mut trial = z.to_vec();
    for &i in inside {
        trial[i] = 0.0;
    }
    let (mut b, mut correction) = (vec![0.0; k], vec![0.0; k]);
    for _ in 0..MAX_REFINEMENTS {
        for (b, &i) in b.iter_mut().zip(inside) {
            *b = f64::residual(
                -problem.q[i],
                trial.iter().enumerate().map(|(j, &z)| (problem.M.at(i, j), z)),
            );
        }
        lu.solve(&b, &mut correction);
        for (&i, &d) in inside.iter().zip(&correction) {
            trial[i] += d;
        }
    }
    for (i, value) in trial.iter_mut().enumerate() {
        let (lower, upper) = problem.bounds.of(i);
        if !value.is_finite() {
            return false;
        }
        *value = value.max(lower).min(upper);
    }
    z.copy_from_slice(&trial);
    true
}

/// The same for a problem in free and complementary variables.
pub(crate) fn polish_data(data: Data<'_>, inside: &[usize], lu: &mut Lu<f64>, y: &mut [f64]) -> bool {
    let lower = |i: usize| if data.is_free(i) { f64::NEG_INFINITY } else { 0.0 };
    let lower: Vec<f64> = (0..data.n()).map(lower).collect();
    let upper = vec![f64::INFINITY; data.n()];
    let bounds = Bounds::Box {
        lower: &lower,
        upper: &upper,
    };
    let (M, q) = (data.M, data.q);
    polish(View { M, q, bounds }, inside, lu, y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;
    use crate::problem::Mlcp;

    #[test]
    fn digits_lost_to_a_wide_bound_come_back() {
        let M = Matrix::from_rows(&[[3.0, 1.0], [1.0, 2.0]]).unwrap();
        let problem = Mlcp::new(M, vec![-1.0, 5.0], vec![-1e9, 0.0], vec![1e9, 1.0]).unwrap();
        let mut z = [0.333_333_1, 0.0];
        assert!(polish(problem.view(), &[0], &mut Lu::default(), &mut z));
        assert_eq!(z, [1.0 / 3.0, 0.0]);
    }
}
