//! Whether two answers to one problem are the same motion.

use stiction_contact::{ContactSolution, ContactSolver, Law, Options, Status};

use super::recheck::{left_open, recheck};
use super::sample::Sample;
use stiction_formats::BadInput;

/// Largest difference of velocities, relative to the fastest, that is none.
pub(super) const VELOCITY_REL_TOL: f64 = 1e-9;

/// Laws that are compared. Without friction the motion is unique: it minimises a strictly convex energy over the velocities
/// allowed. With friction it need not be.
pub(super) const LAWS: [Law; 3] = [Law::Frictionless, Law::Coulomb, Law::Polyhedral];

/// Columns of a comparison.
pub(super) const COLUMNS: [&str; 4] = ["alike", "apart, both verified", "different", "unsolved"];

/// Solves from scratch under a law.
pub(super) fn solve(sample: &Sample, law: Law) -> Result<ContactSolution, BadInput> {
    let options = Options {
        law,
        ..Options::default()
    };
    Ok(ContactSolver::new(options)?.solve(&sample.problem()?)?.clone())
}

/// The column of a comparison, and the difference of velocities: `second` is in the units, axes and order of `first`.
///
/// Different motions are no failure where both are right by the second opinion and friction may leave several, or where impulses are so large that
/// the tolerance leaves the motion open. Whether friction leaves several or one that is badly conditioned is not decided: they are counted apart.
pub(super) fn compare(first: (&Sample, &ContactSolution), second: (&Sample, &ContactSolution, &[f64])) -> (usize, f64) {
    let (before, after) = (first.1, second.1);
    if before.status != Status::Solved || after.status != Status::Solved {
        return (3, 0.0);
    }
    let fastest = fastest(&before.velocity, first.0);
    let apart = difference(&before.velocity, second.2) / fastest;
    let rough = before.law != Law::Frictionless && first.0.contacts.iter().any(|contact| contact.mu > 0.0);
    let both_right = || recheck(first.0, before).1 && recheck(second.0, after).1;
    let open = || {
        let own = left_open(first.0, before) / fastest;
        own + left_open(second.0, after) / self::fastest(&after.velocity, second.0)
    };
    match apart {
        _ if apart <= VELOCITY_REL_TOL => (0, apart),
        _ if rough && both_right() => (1, apart),
        _ if apart <= open() && both_right() => (1, apart),
        _ => (2, apart),
    }
}

/// Largest difference of two velocities.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0_f64, |most, (a, b)| {
        let apart = (a - b).abs();
        if apart.is_nan() { f64::MAX } else { most.max(apart) }
    })
}

/// Fastest entry of a velocity and of the free motion; one where nothing moves.
fn fastest(velocity: &[f64], sample: &Sample) -> f64 {
    let free = sample.bodies.iter().flat_map(|body| {
        let turn = [0, 1, 2].map(|k| body.wrench[3 + k] / body.inertia[k][k]);
        let push = [0, 1, 2].map(|k| body.wrench[k] / body.mass);
        [push, turn]
            .concat()
            .into_iter()
            .zip(body.velocity)
            .map(|(x, v)| (v + sample.dt * x).abs())
    });
    let fastest = free.chain(velocity.iter().map(|x| x.abs())).fold(0.0_f64, f64::max);
    if fastest == 0.0 { 1.0 } else { fastest }
}
