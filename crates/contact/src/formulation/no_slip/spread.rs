//! The same load on more contacts: impulses θ ≥ 0 with the same N″θ, as even as they get.

use crate::formulation::projected::Projected;
use crate::mass::{backward_by_rows, forward_by_rows};
use crate::solver::find_indices::dot;

/// Part of the largest diagonal entry that is added to all: N″N″ᵀ of the contacts that take part may be singular.
const RIDGE: f64 = 1e-10;
/// Steps of iterative refinement against the ridge.
const REFINEMENT_STEPS: usize = 3;
/// How often contacts that would pull are removed, at most.
const MAX_CUTS: usize = 8;

/// Buffers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spread {
    /// Contacts that take part, by their place in the projected problem.
    part: Vec<(usize, usize)>,
    theta: Vec<f64>,
    L: Vec<f64>,
    load: Vec<f64>,
    x: Vec<f64>,
}

impl Spread {
    /// Spreads the impulses of a projected problem over contacts that are closed. Contacts that would pull are removed, and those that
    /// push still push.
    pub(crate) fn run(&mut self, projected: &Projected, closed: impl Fn(usize) -> bool, theta: &mut [f64]) {
        self.part.clear();
        let all = (0..theta.len()).filter_map(|i| projected.place(i).map(|p| (i, p)));
        self.part.extend(all.filter(|(i, _)| closed(*i)));
        for _ in 0..MAX_CUTS {
            if !self.level(projected, theta) {
                return;
            }
            let largest = self.theta.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let before = self.part.len();
            let least = -RIDGE * largest;
            let (mut at, level) = (0, &self.theta);
            self.part.retain(|(i, _)| {
                at += 1;
                level[at - 1] >= least || theta[*i] > 0.0
            });
            if self.part.len() == before {
                self.mix(theta);
                return;
            }
        }
    }

    /// The shortest θ of the contacts that take part, signs aside.
    fn level(&mut self, projected: &Projected, theta: &[f64]) -> bool {
        let dim = projected.hat.dof();
        self.load.clear();
        self.load.resize(dim, 0.0);
        self.L.clear();
        self.L.resize(dim * dim, 0.0);
        for (i, p) in &self.part {
            let n = projected.hat.columns(*p).normal;
            for r in 0..dim {
                self.load[r] += theta[*i] * n[r];
                for c in 0..=r {
                    self.L[r * dim + c] += n[r] * n[c];
                }
            }
        }
        let ridge = RIDGE * (0..dim).fold(0.0_f64, |m, k| m.max(self.L[k * dim + k]));
        if ridge <= 0.0 || !self.factor(dim, ridge) {
            return false;
        }
        self.theta.clear();
        self.theta.resize(self.part.len(), 0.0);
        for _ in 0..REFINEMENT_STEPS {
            self.x.clone_from(&self.load);
            for ((_, p), theta) in self.part.iter().zip(&self.theta) {
                let n = projected.hat.columns(*p).normal;
                for (x, n) in self.x.iter_mut().zip(n) {
                    *x -= theta * n;
                }
            }
            forward_by_rows(&self.L, &mut self.x);
            backward_by_rows(&self.L, &mut self.x);
            for ((_, p), theta) in self.part.iter().zip(&mut self.theta) {
                *theta += dot(projected.hat.columns(*p).normal, &self.x);
            }
        }
        true
    }

    fn factor(&mut self, dim: usize, ridge: f64) -> bool {
        for k in 0..dim {
            for r in k..dim {
                let (row, other) = (&self.L[r * dim..r * dim + k], &self.L[k * dim..k * dim + k]);
                let mut entry = self.L[r * dim + k] - dot(row, other);
                if r == k {
                    entry += ridge;
                    if entry <= 0.0 {
                        return false;
                    }
                    self.L[r * dim + k] = entry.sqrt();
                } else {
                    self.L[r * dim + k] = entry / self.L[k * dim + k];
                }
            }
        }
        true
    }

    /// As far towards the level impulses as leaves half of what a contact pushes by.
    fn mix(&self, theta: &mut [f64]) {
        let mut share = 1.0_f64;
        for ((i, _), level) in self.part.iter().zip(&self.theta) {
            if *level < 0.5 * theta[*i] && theta[*i] > 0.0 {
                share = share.min(0.5 * theta[*i] / (theta[*i] - level));
            }
        }
        for ((i, _), level) in self.part.iter().zip(&self.theta) {
            theta[*i] = (theta[*i] + share * (level - theta[*i])).max(0.0);
        }
    }
}
