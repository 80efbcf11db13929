//! What a ray says: internal forces that squeeze without bound.
//!
//! At a ray the impulses of the direction satisfy Nθ + Dφ + Jλ = 0 and μθ ≥ Eᵀφ, and bᵀθ + … < 0: contacts push against each other, no
//! body feels it, and the bias asks for ever more.

use super::LemkePath;
use super::basis::{Var, bits};
use crate::problem::ContactProblem;
use crate::ray::ray_of;
use crate::solution::Ray;
use crate::solver::Impulses;

impl LemkePath {
    /// The squeeze of the last run, if it ended on a ray.
    pub(crate) fn ray(&self, problem: &ContactProblem) -> Option<Ray> {
        let driving = self.driving?;
        let d = self.columns.circle.count();
        let mut squeeze = Impulses::default();
        squeeze.clear(problem, 0);
        for &i in &self.active {
            let (item, p) = (&self.columns.items[i], self.basis.pairs[i]);
            if item.is_joint {
                squeeze.joint[item.index] = item.scale * self.rate.theta[i];
                continue;
            }
            if p.theta || driving == Var::Theta(i) {
                squeeze.normal[item.index] = item.scale * self.rate.theta[i];
            }
            let driven = match driving {
                Var::Phi(k, j) if k == i => 1 << j,
                _ => 0,
            };
            for j in bits(p.phi | driven) {
                let direction = self.columns.direction(i, j);
                for k in 0..2 {
                    squeeze.friction[item.index][k] += item.scale * self.rate.phi[i * d + j] * direction[k];
                }
            }
        }
        ray_of(problem, &squeeze)
    }
}
