//! Squeezes judged: whether impulses prove that no velocity satisfies the contacts.

use dashu_ratio::RBig;

use crate::problem::{ContactProblem, Touch};

/// Whether impulses θ ≥ 0 of some contacts and λ of some joint rows cancel in every body, Ñθ + J̃λ = 0, while bᵀ(θ, λ) < 0: then
/// θᵀ(Ñᵀv + b) + λᵀ(J̃ᵀv + b) is that same negative number for every v, and no velocity satisfies all of them (Farkas).
///
/// Decided in exact arithmetic on the doubles given: what cancels only to rounding proves nothing, since a large enough velocity may
/// still open the contacts. Lists hold (index, impulse); an index out of range proves nothing either, nor does
/// a row that yields.
///
/// ```
/// use stiction_contact::{ContactProblem, check};
/// // Two walls that both want a body of one coordinate to leave.
/// let mut problem = ContactProblem::new();
/// problem.add_block(&[1.0], &[0.0])?;
/// for (side, bias) in [(1.0, -0.1), (-1.0, -0.1)] {
///     let wall = problem.add_contact(&[(0, [&[side], &[0.0], &[0.0]])], 0.0)?;
///     problem.set_bias(wall, [bias, 0.0, 0.0])?;
/// }
/// assert!(check::proves_infeasible(&problem, &[(0, 1.0), (1, 1.0)], &[]));
/// assert!(!check::proves_infeasible(&problem, &[(0, 1.0), (1, 1.0 + 1e-15)], &[]));
/// # Ok::<(), stiction_contact::InputError>(())
/// ```
#[must_use]
pub fn proves_infeasible(problem: &ContactProblem, contacts: &[(usize, f64)], joints: &[(usize, f64)]) -> bool {
    let known = contacts
        .iter()
        .all(|(i, theta)| *i < problem.contact_count() && *theta >= 0.0)
        // A row that yields can be wherever it likes.
        && joints.iter().all(|(k, _)| *k < problem.joint_count() && !problem.yields(*k));
    let finite = contacts.iter().chain(joints).all(|(_, x)| x.is_finite());
    if !known || !finite {
        return false;
    }
    let mut net = vec![RBig::ZERO; problem.dof()];
    let mut work = RBig::ZERO;
    let mut push = |touches: &[Touch], column: &[f64], bias: f64, impulse: f64| {
        let impulse = exact(impulse);
        for t in touches {
            for k in 0..t.len {
                net[t.at + k] += exact(column[t.start + k]) * &impulse;
            }
        }
        work += exact(bias) * impulse;
    };
    for (i, theta) in contacts {
        let columns = problem.columns_tilde(*i);
        push(columns.touches, columns.normal, problem.bias(*i)[0], *theta);
    }
    for (k, lambda) in joints {
        let (touches, column) = problem.joint_tilde(*k);
        push(touches, column, problem.joint_bias(*k), *lambda);
    }
    work < RBig::ZERO && net.iter().all(|x| *x == RBig::ZERO)
}

/// A finite double as the rational it is.
fn exact(x: f64) -> RBig {
    RBig::try_from(x).unwrap_or(RBig::ZERO)
}
