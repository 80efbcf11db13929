//! The judge as a function: answers from anyone.

use super::{Accuracy, Answer, GroupRule, Judge, Residual, Terms};
use crate::error::{InputError, check_length};
use crate::problem::ContactProblem;
use crate::solution::ContactState;

/// What [`check`] says of an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Verdict {
    /// Whether the largest figure is within the tolerance, rounding excused.
    pub solved: bool,
    /// Whether it is so as it is, or only beyond rounding; `None` where it is not solved.
    pub accuracy: Option<Accuracy>,
    /// The figures.
    pub residual: Residual,
    /// Velocity that the impulses lead to, in the problem's coordinates.
    pub velocity: Vec<f64>,
    /// Velocity at each contact, bias included [m/s].
    pub contact_velocity: Vec<[f64; 3]>,
    /// State of each contact.
    pub state: Vec<ContactState>,
}

/// Judges an answer from anyone.
///
/// ```
/// use stiction_contact::check::{Answer, Terms, check};
/// use stiction_contact::{ContactProblem, Law};
/// // One kilogram falls at 1 m/s: the floor must give 1 N·s.
/// let mut problem = ContactProblem::new();
/// problem.add_block(&[1.0], &[-1.0])?;
/// problem.add_contact(&[(0, [&[1.0], &[0.0], &[0.0]])], 0.5)?;
/// let terms = Terms { law: Law::Coulomb, directions: 8, tolerance: 1e-10 };
/// let answer = |theta| check(&problem, terms, Answer { normal: &[theta], friction: &[[0.0; 2]], phi: None, joint: &[] });
/// assert!(answer(1.0)?.solved);
/// let verdict = answer(0.9)?;
/// assert!(!verdict.solved && (verdict.residual.gap - 0.1).abs() < 1e-15);
/// # Ok::<(), stiction_contact::InputError>(())
/// ```
///
/// # Errors
/// Lists whose lengths are not the problem's; directions or tolerance out of range.
pub fn check(problem: &ContactProblem, terms: Terms, answer: Answer<'_>) -> Result<Verdict, InputError> {
    check_by(problem, terms, GroupRule::Max, answer)
}

/// Judges an answer by the summation rule of nonconvex groups \[Egan (24)–(30)\]: with n sides, Σ max(−e, a_i) + (n − 1)e ≥ 0, and contacts of
/// the group push only where that is 0, whichever side touches. `epsilon` is e = ε/h [m/s].
///
/// # Errors
/// As [`check`]; an `epsilon` that is not finite and positive.
pub fn check_sum(
    problem: &ContactProblem,
    terms: Terms,
    epsilon: f64,
    answer: Answer<'_>,
) -> Result<Verdict, InputError> {
    check_epsilon(epsilon)?;
    check_by(problem, terms, GroupRule::Sum { epsilon }, answer)
}

/// Checks that ε/h is a velocity.
pub(crate) fn check_epsilon(epsilon: f64) -> Result<(), InputError> {
    if epsilon.is_finite() && epsilon > 0.0 {
        return Ok(());
    }
    Err(InputError::value("epsilon", "must be finite and positive", epsilon))
}

fn check_by(
    problem: &ContactProblem,
    terms: Terms,
    rule: GroupRule,
    answer: Answer<'_>,
) -> Result<Verdict, InputError> {
    terms.check()?;
    let (n, d) = (problem.contact_count(), terms.directions);
    check_length("normal_impulse", n, answer.normal.len())?;
    check_length("friction_impulse", n, answer.friction.len())?;
    check_length("joint_impulse", problem.joint_count(), answer.joint.len())?;
    if let Some(phi) = answer.phi {
        check_length("phi", n * d, phi.len())?;
    }
    let mut judge = Judge::new();
    let (solved, residual) = judge.judge_by(problem, terms, rule, answer);
    Ok(Verdict {
        solved,
        accuracy: residual.accuracy(terms.tolerance),
        residual,
        velocity: judge.motion.velocity,
        contact_velocity: judge.motion.contact_velocity,
        state: judge.state,
    })
}
