//! Squeezes judged: whether impulses prove that no velocity satisfies the contacts, or that only a fast one does.
//!
//! Everything is recomputed in rationals from the doubles of the problem; nothing is shared with the search that finds the impulses.

use dashu_ratio::RBig;
use stiction_lcp::exact::parse_decimal;

use crate::problem::{ContactProblem, Touch};
use crate::solution::Farkas;

/// What rounding in a square root and two products may have added to a speed, relative.
const ROUNDED_UP: f64 = 8.0 * f64::EPSILON;

/// Whether impulses θ ≥ 0 of some contacts and λ of some joint rows cancel in every body, Ñθ + J̃λ = 0, while bᵀ(θ, λ) < 0: then
/// θᵀ(Ñᵀv + b) + λᵀ(J̃ᵀv + b) is that same negative number for every v, and no velocity satisfies all of them (Farkas).
///
/// Decided in exact arithmetic on the doubles given: what cancels only to rounding proves nothing, since a large enough velocity may
/// still open the contacts. Lists hold (index, impulse); an index out of range proves nothing either, nor does
/// a row that yields or a contact of a nonconvex group, which need not hold.
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
    let sums = rationals(contacts).zip(rationals(joints));
    sums.is_some_and(|(contacts, joints)| contradicts(problem, &contacts, &joints))
}

/// The same for impulses in rationals, read from their text: some weights, such as those of three walls, are no doubles.
///
/// ```
/// use stiction_contact::{ContactProblem, Farkas, check};
/// // One wall wants a body of one coordinate to leave, the other counts its velocity three times.
/// let mut problem = ContactProblem::new();
/// problem.add_block(&[1.0], &[0.0])?;
/// for (side, bias) in [(1.0, -0.1), (-3.0, -0.1)] {
///     let wall = problem.add_contact(&[(0, [&[side], &[0.0], &[0.0]])], 0.0)?;
///     problem.set_bias(wall, [bias, 0.0, 0.0])?;
/// }
/// let proof = Farkas { contacts: vec![(0, "1".to_owned()), (1, "1/3".to_owned())], joints: Vec::new() };
/// assert!(check::proof_holds(&problem, &proof));
/// assert!(!check::proves_infeasible(&problem, &[(0, 1.0), (1, 1.0 / 3.0)], &[]));
/// # Ok::<(), stiction_contact::InputError>(())
/// ```
#[must_use]
pub fn proof_holds(problem: &ContactProblem, proof: &Farkas) -> bool {
    let read = |list: &[(usize, String)]| -> Option<Vec<(usize, RBig)>> {
        list.iter().map(|(i, x)| Some((*i, parse_decimal(x)?))).collect()
    };
    let sums = read(&proof.contacts).zip(read(&proof.joints));
    sums.is_some_and(|(contacts, joints)| contradicts(problem, &contacts, &joints))
}

/// A speed that every velocity exceeds or reaches that satisfies the contacts and joint rows listed: what the impulses leave, e = Ñθ + J̃λ, and
/// −bᵀ(θ, λ) ≤ eᵀv ≤ |e||v| give |v| ≥ −bᵀ(θ, λ)/|e|. |v| is the length of the velocities of all blocks together, m/s and rad/s alike.
/// Infinite where the impulses are a proof ([`proves_infeasible`]), 0 where they show nothing.
///
/// The sums are exact and the quotient is rounded down.
#[must_use]
pub fn least_speed(problem: &ContactProblem, contacts: &[(usize, f64)], joints: &[(usize, f64)]) -> f64 {
    let lists = rationals(contacts).zip(rationals(joints));
    let Some((net, work)) = lists.and_then(|(contacts, joints)| sums(problem, &contacts, &joints)) else {
        return 0.0;
    };
    if work >= RBig::ZERO {
        return 0.0;
    }
    let squared = net.iter().fold(RBig::ZERO, |sum, x| sum + x * x);
    if squared.is_zero() {
        return f64::INFINITY;
    }
    let speed_squared = (&work * &work / squared).to_f64().value();
    speed_squared.min(f64::MAX).sqrt() * (1.0 - ROUNDED_UP)
}

fn contradicts(problem: &ContactProblem, contacts: &[(usize, RBig)], joints: &[(usize, RBig)]) -> bool {
    sums(problem, contacts, joints).is_some_and(|(net, work)| work < RBig::ZERO && net.iter().all(|x| *x == RBig::ZERO))
}

/// Ñθ + J̃λ and bᵀ(θ, λ); `None` where an index is unknown, a contact pulls, or a row listed need not hold.
fn sums(problem: &ContactProblem, contacts: &[(usize, RBig)], joints: &[(usize, RBig)]) -> Option<(Vec<RBig>, RBig)> {
    let known = contacts
        .iter()
        .all(|(i, theta)| *i < problem.contact_count() && !problem.is_grouped(*i) && *theta >= RBig::ZERO)
        // A row that yields can be wherever it likes.
        && joints.iter().all(|(k, _)| *k < problem.joint_count() && !problem.yields(*k));
    if !known {
        return None;
    }
    let mut net = vec![RBig::ZERO; problem.dof()];
    let mut work = RBig::ZERO;
    let mut push = |touches: &[Touch], column: &[f64], bias: f64, impulse: &RBig| {
        for t in touches {
            for k in 0..t.len {
                net[t.at + k] += exact(column[t.start + k]) * impulse;
            }
        }
        work += exact(bias) * impulse;
    };
    for (i, theta) in contacts {
        let columns = problem.columns_tilde(*i);
        push(columns.touches, columns.normal, problem.bias(*i)[0], theta);
    }
    for (k, lambda) in joints {
        let (touches, column) = problem.joint_tilde(*k);
        push(touches, column, problem.joint_bias(*k), lambda);
    }
    Some((net, work))
}

/// `None` where a number is not finite.
fn rationals(list: &[(usize, f64)]) -> Option<Vec<(usize, RBig)>> {
    list.iter().map(|(i, x)| Some((*i, RBig::try_from(*x).ok()?))).collect()
}

/// A finite double as the rational it is.
fn exact(x: f64) -> RBig {
    RBig::try_from(x).unwrap_or(RBig::ZERO)
}
