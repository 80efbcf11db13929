//! Rays explained: which contacts squeeze, and by how much the bias asks for the impossible.

use crate::check::{least_speed, proves_infeasible};
use crate::problem::{ContactProblem, length};
use crate::solution::{Farkas, Ray};
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
    if ray.defect > CANCELS {
        return None;
    }
    if proves_infeasible(problem, &ray.contacts, &ray.joints) {
        ray.proof = Some(Farkas::of_doubles(&ray.contacts, &ray.joints));
        ray.infeasible = true;
        ray.least_speed = f64::INFINITY;
    } else if normals_cancel(problem, &ray) {
        ray.least_speed = least_speed(problem, &ray.contacts, &ray.joints);
    }
    Some(ray)
}

/// Whether the normal impulses cancel without friction.
fn normals_cancel(problem: &ContactProblem, ray: &Ray) -> bool {
    let mut net = vec![0.0; problem.dof()];
    let mut total = 0.0;
    for (i, theta) in &ray.contacts {
        problem.push(*i, [*theta, 0.0, 0.0], &mut net);
        total += theta * length(problem.columns(*i).normal);
    }
    for (k, x) in &ray.joints {
        problem.push_joint(*k, *x, &mut net);
    }
    length(&net) <= CANCELS * total
}
