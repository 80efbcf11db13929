//! Rays explained: which contacts squeeze, and by how much the bias asks for the impossible.

use crate::problem::ContactProblem;
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
    // What the normal impulses leave alone, what all leave, and the sum of their sizes.
    let (mut normals, mut net) = (vec![0.0; problem.dof()], vec![0.0; problem.dof()]);
    let mut total = 0.0;
    for i in 0..problem.contact_count() {
        let theta = squeeze.normal[i] / largest;
        let f = squeeze.friction[i].map(|x| x / largest);
        problem.push(i, [theta, 0.0, 0.0], &mut normals);
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
        problem.push_joint(k, x, &mut normals);
        problem.push_joint(k, x, &mut net);
        ray.work += problem.joint_bias(k) * x;
        if x.abs() > NO_PART {
            ray.joints.push((k, x));
        }
    }
    ray.defect = length(&net) / total;
    ray.infeasible = length(&normals) <= CANCELS * total && ray.work < 0.0;
    (ray.defect <= CANCELS).then_some(ray)
}

fn length(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
