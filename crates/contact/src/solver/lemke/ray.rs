//! What a ray says: internal forces that squeeze without bound.
//!
//! At a ray the impulses of the direction satisfy Nθ + Dφ + Jλ = 0 and μθ ≥ Eᵀφ, and bᵀθ + … < 0: contacts push against each other, no
//! body feels it, and the bias asks for ever more. The frictionless part alone (Nθ = 0) proves that no velocity fits.

use super::LemkePath;
use super::basis::{Var, bits};
use crate::solution::Ray;

/// Impulses below this fraction of the largest are not part of the squeeze.
const CARRIES: f64 = 1e-9;

/// The squeeze cancels to this fraction of its impulses where it is called a proof.
const CANCELS: f64 = 1e-9;

impl LemkePath {
    /// The squeeze of the last run, if it ended on a ray.
    pub(crate) fn ray(&self) -> Option<Ray> {
        let driving = self.driving?;
        let d = self.columns.circle.count();
        let mut net = vec![0.0; self.columns.k_x.len()];
        let mut normals = net.clone();
        let (mut contacts, mut joints, mut work, mut size) = (Vec::new(), Vec::new(), 0.0, 0.0_f64);
        for &i in &self.active {
            let item = &self.columns.items[i];
            let p = self.basis.pairs[i];
            let pushes = item.is_joint || p.theta || driving == Var::Theta(i);
            let theta = if pushes { self.rate.theta[i] } else { 0.0 };
            let mut f = [0.0; 2];
            let driven = match driving {
                Var::Phi(k, j) if k == i => 1 << j,
                _ => 0,
            };
            if !item.is_joint {
                for j in bits(p.phi | driven) {
                    let direction = self.columns.direction(i, j);
                    f[0] += self.rate.phi[i * d + j] * direction[0];
                    f[1] += self.rate.phi[i * d + j] * direction[1];
                }
            }
            self.columns.push_impulse(i, [theta, f[0], f[1]], &mut net);
            self.columns.push_impulse(i, [theta, 0.0, 0.0], &mut normals);
            work += item.bias[0] * theta + item.bias[1] * f[0] + item.bias[2] * f[1];
            size = size.max(theta.abs());
            let carried = item.scale * theta;
            if item.is_joint {
                joints.push((item.index, carried));
            } else {
                contacts.push((item.index, carried));
            }
        }
        if size == 0.0 {
            return None;
        }
        let largest = contacts.iter().chain(&joints).fold(0.0_f64, |m, (_, x)| m.max(x.abs()));
        for list in [&mut contacts, &mut joints] {
            list.retain(|(_, x)| x.abs() > CARRIES * largest);
            for (_, x) in list.iter_mut() {
                *x /= largest;
            }
            list.sort_unstable_by_key(|(i, _)| *i);
        }
        let worst = |v: &[f64]| v.iter().fold(0.0_f64, |m, x| m.max(x.abs())) / size;
        Some(Ray {
            contacts,
            joints,
            work: work / size,
            infeasible: work < 0.0 && worst(&normals) <= CANCELS,
            defect: worst(&net),
        })
    }
}
