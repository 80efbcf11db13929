//! Islands that no velocity satisfies: squeezes looked for, and proven.

use super::island::IslandSolver;
use crate::farkas::prove;
use crate::problem::ContactProblem;
use crate::ray::ray_of;
use crate::solution::{Law, Status};
use crate::solver::lemke::{End as PathEnd, Form};

/// Speeds this many times the fastest of a problem cannot be computed to its tolerance.
const ABSURD: f64 = 1e12;

impl IslandSolver {
    /// A failure that is the problem's own: no velocity satisfies the contacts, proven in rationals.
    pub(super) fn certify(&mut self, problem: &ContactProblem) {
        if self.found.ray.as_ref().is_some_and(|ray| ray.infeasible) {
            return;
        }
        if let Some(ray) = prove(problem, self.found.ray.as_ref()) {
            self.found.status = Status::Ray;
            self.found.ray = Some(ray);
        }
    }

    /// Rounded data can make a squeeze without answer look like one with impulses that are huge and cancel: it is the squeeze that is
    /// reported.
    pub(super) fn explain(&mut self, problem: &ContactProblem) {
        let ray = ray_of(problem, &self.trial).filter(|ray| ray.work < 0.0);
        if ray.is_some() {
            self.found.status = Status::Ray;
            self.found.ray = ray;
        }
    }

    /// Drops a ray that shows nothing, since rounding led the path to it: without friction a squeeze that the bias does not gain from, and any where no bias
    /// asks for a velocity, since then there is an answer.
    pub(super) fn drop_empty_ray(&mut self, problem: &ContactProblem, law: Law) {
        if self.found.status != Status::Ray {
            return;
        }
        let is_empty = match &self.found.ray {
            Some(ray) if ray.infeasible => false,
            Some(ray) if law == Law::Frictionless && ray.work >= 0.0 => true,
            _ => !law.is_acceleration() && asks_for_nothing(problem),
        };
        if is_empty {
            self.found.status = Status::Inaccurate;
            self.found.ray = None;
        }
    }

    /// A squeeze of normal impulses alone was found: no velocity satisfies the contacts, whatever the method, or none that could be
    /// computed.
    pub(super) fn is_hopeless(&self, problem: &ContactProblem) -> bool {
        let Some(ray) = &self.found.ray else { return false };
        let fastest = problem.v_free().iter().fold(ray.work.abs(), |m, v| m.max(v.abs()));
        ray.infeasible || ray.least_speed > ABSURD * fastest
    }

    /// After a ray in which friction takes part: a squeeze of the normals alone says more, and costs little to look for.
    pub(super) fn look_for_squeeze(&mut self, problem: &ContactProblem, directions: usize) {
        if self.found.status != Status::Ray || self.is_hopeless(problem) {
            return;
        }
        let end = self.lemke.run(problem, directions, Form::Frictionless);
        self.found.pivots += self.lemke.pivots();
        if end == PathEnd::Ray {
            self.found.ray = self.lemke.ray(problem).or(self.found.ray.take());
        }
    }
}

/// Whether no contact and no joint row asks for a velocity: gaps may be open, and nothing else \[Lloyd (8), q = (Nᵀk + b, Dᵀk, 0) with b ≥ 0\].
fn asks_for_nothing(problem: &ContactProblem) -> bool {
    // Without a limit of the friction there may be no answer all the same.
    let contact = |i| problem.mu(i).is_finite() && matches!(problem.bias(i), [n, 0.0, 0.0] if n >= 0.0);
    (0..problem.contact_count()).all(contact) && (0..problem.joint_count()).all(|k| problem.joint_bias(k) == 0.0)
}
