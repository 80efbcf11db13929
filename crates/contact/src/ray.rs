//! Rays explained: which contacts squeeze, and by how much the bias asks for the impossible.

use crate::check::proves_infeasible;
use crate::problem::{ContactProblem, Touch, length};
use crate::solution::Ray;
use crate::solver::Impulses;

/// Impulses below this share of the largest take no part in a squeeze.
const NO_PART: f64 = 1e-9;
/// Forces cancel when what is left of them is below this share of their sum.
const CANCELS: f64 = 1e-8;

/// The squeeze along a direction of impulses: scaled to a largest normal impulse of 1, with what it leaves and what it gains from the
/// bias. `None` where no contact pushes, the numbers are not finite, or the forces do not cancel.
pub(crate) fn ray_of(problem: &ContactProblem, squeeze: &Impulses) -> Option<Ray> {
    let largest = squeeze.normal.iter().fold(0.0_f64, |m, x| m.max(*x));
    let all = squeeze.normal.iter().chain(squeeze.friction.iter().flatten());
    if largest <= 0.0 || !all.chain(&squeeze.joint).all(|x| x.is_finite()) {
        return None;
    }
    let mut ray = Ray::default();
    // What the impulses leave, and the sum of their sizes.
    let mut net = vec![0.0; problem.dof()];
    let mut total = 0.0;
    for i in 0..problem.contact_count() {
        let theta = squeeze.normal[i] / largest;
        let f = squeeze.friction[i].map(|x| x / largest);
        problem.push(i, [theta, f[0], f[1]], &mut net);
        total += theta.abs() * length(problem.columns(i).normal);
        let b = problem.bias(i);
        ray.work += b[0] * theta + b[1] * f[0] + b[2] * f[1];
        if theta > NO_PART {
            ray.contacts.push((i, theta));
        }
    }
    for (k, x) in squeeze.joint.iter().enumerate() {
        let x = x / largest;
        problem.push_joint(k, x, &mut net);
        ray.work += problem.joint_bias(k) * x;
        if x.abs() > NO_PART {
            ray.joints.push((k, x));
        }
    }
    ray.defect = length(&net) / total;
    ray.infeasible = proves_infeasible(problem, &ray.contacts, &ray.joints);
    ray.least_speed = least_speed(problem, squeeze, largest, ray.work);
    (ray.defect <= CANCELS).then_some(ray)
}

/// Speed that a velocity must have at least to satisfy the contacts: with what the normal impulses leave, e = Ñθ + J̃λ, the sum
/// θᵀν = eᵀv + bᵀθ can only be positive for |v| ≥ −bᵀθ/|e|. Rounding in e is added to it.
fn least_speed(problem: &ContactProblem, squeeze: &Impulses, largest: f64, work: f64) -> f64 {
    let mut left = vec![0.0; problem.dof()];
    let mut size = 0.0;
    let mut push = |touches: &[Touch], column: &[f64], impulse: f64| {
        for t in touches {
            for k in 0..t.len {
                let x = column[t.start + k] * impulse / largest;
                left[t.at + k] += x;
                size += x.abs();
            }
        }
    };
    for (i, theta) in squeeze.normal.iter().enumerate() {
        let columns = problem.columns_tilde(i);
        push(columns.touches, columns.normal, *theta);
    }
    for (k, x) in squeeze.joint.iter().enumerate() {
        let (touches, column) = problem.joint_tilde(k);
        push(touches, column, *x);
    }
    let rounding = 2.0 * f64::EPSILON * (problem.contact_count() + problem.joint_count()) as f64 * size;
    (-work / (length(&left) + rounding)).max(0.0)
}
