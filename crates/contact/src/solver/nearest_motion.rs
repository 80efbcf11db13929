//! Without friction: the motion nearest to the free one, by the dual method of Goldfarb and Idnani (1983), in twice the precision.
//!
//! Contacts without friction make v the point nearest to k_x among those with nᵢᵀv + bᵢ ≥ 0, and θ are its multipliers. Violated contacts are
//! taken in one after the other, the worst first; each takes as much of the load of those before it as their normals have in common with its own,
//! and those that are left with none go. The distance from k_x grows with every step, so that it ends.
//!
//! Contacts that repeat each other but for ε leave 10⁻³² / ε² of the digits here: enough down to ε = 10⁻¹², where contacts count as one. Dense, O(a² D) a
//! step for a contacts that push and D coordinates: for few contacts, where cheaper methods have failed.

use stiction_lcp::real::{DoubleDouble, Real};

use crate::problem::ContactProblem;
use crate::solver::eliminate::eliminate;
use crate::solver::{Impulses, fastest_free};

type Wide = DoubleDouble;

/// Violation, in terms of the fastest free velocity, that is none.
const NONE: f64 = 1e-13;
/// Share of |n|² that the others must leave of a normal for it to be one of its own.
const OWN: f64 = 1e-24;
/// Share of the largest pivot below which normals of contacts that push depend on each other.
const DEPENDS: f64 = 1e-28;
/// Steps for each contact.
const STEPS: usize = 20;

/// The method and its buffers.
#[derive(Debug, Clone, Default)]
pub(crate) struct NearestMotion {
    v: Vec<Wide>,
    /// Contacts that push, and their θ.
    pushing: Vec<usize>,
    theta: Vec<Wide>,
    /// Normals as dense rows, D each.
    normals: Vec<Wide>,
}

impl NearestMotion {
    /// Writes the normal impulses of a problem without joints; returns the steps, `None` where there is no such motion or the steps end.
    pub(crate) fn run(&mut self, problem: &ContactProblem, out: &mut Impulses) -> Option<usize> {
        let contacts = problem.contact_count();
        self.load(problem);
        let allowed = -NONE * fastest_free(problem);
        let mut steps = 0;
        loop {
            let violations = (0..contacts).map(|i| (i, self.violation(problem, i).to_f64()));
            let (worst, most) = violations.fold((0, 0.0), |m, x| if x.1 < m.1 { x } else { m });
            if most >= allowed {
                break;
            }
            steps += self.take_in(problem, worst, STEPS * contacts - steps)?;
        }
        for (i, theta) in self.pushing.iter().zip(&self.theta) {
            out.normal[*i] = theta.to_f64().max(0.0);
        }
        Some(steps)
    }

    fn load(&mut self, problem: &ContactProblem) {
        let D = problem.k_x().len();
        self.v.clear();
        self.v.extend(problem.k_x().iter().map(|x| Wide::from_f64(*x)));
        self.pushing.clear();
        self.theta.clear();
        self.normals.clear();
        self.normals.resize(problem.contact_count() * D, Wide::ZERO);
        for i in 0..problem.contact_count() {
            let c = problem.columns(i);
            for t in c.touches {
                for k in 0..t.len {
                    self.normals[i * D + t.at + k] += Wide::from_f64(c.normal[t.start + k]);
                }
            }
        }
    }

    fn normal(&self, i: usize) -> &[Wide] {
        let D = self.v.len();
        &self.normals[i * D..(i + 1) * D]
    }

    /// nᵢᵀv + bᵢ.
    fn violation(&self, problem: &ContactProblem, i: usize) -> Wide {
        dot(self.normal(i), &self.v) + Wide::from_f64(problem.bias(i)[0])
    }

    /// Raises the impulse of a contact until it is no longer violated. Returns the steps, `None` where nothing bounds it or there are too many.
    fn take_in(&mut self, problem: &ContactProblem, i: usize, most: usize) -> Option<usize> {
        let mut own = Wide::ZERO;
        for step in 1..=most {
            // What the others give up for one unit of θᵢ, and what is left of its normal: r = N⁺nᵢ, z = nᵢ − N r.
            let r = self.given_up(i);
            let mut z = self.normal(i).to_vec();
            for (j, share) in self.pushing.iter().zip(&r) {
                for (z, n) in z.iter_mut().zip(self.normal(*j)) {
                    *z -= *share * *n;
                }
            }
            let size = dot(self.normal(i), self.normal(i)).to_f64();
            let rate = dot(&z, self.normal(i));
            let full = (rate.to_f64() > OWN * size).then(|| -self.violation(problem, i) / rate);
            let first = (0..r.len())
                .filter(|j| r[*j].to_f64() > 0.0)
                .map(|j| (self.theta[j] / r[j], j))
                .fold(None, |m: Option<(Wide, usize)>, x| match m {
                    Some(m) if (m.0 - x.0).to_f64() <= 0.0 => Some(m),
                    _ => Some(x),
                });
            let (t, leaves) = match (full, first) {
                (Some(full), Some((t, j))) if (t - full).to_f64() < 0.0 => (t, Some(j)),
                (Some(full), _) => (full, None),
                (None, Some((t, j))) => (t, Some(j)),
                // A sum of normals that push against each other: nothing gives way.
                (None, None) => return None,
            };
            own += t;
            for (theta, share) in self.theta.iter_mut().zip(&r) {
                *theta -= t * *share;
            }
            if full.is_some() {
                for (v, z) in self.v.iter_mut().zip(&z) {
                    *v += t * *z;
                }
            }
            let Some(j) = leaves else {
                self.pushing.push(i);
                self.theta.push(own);
                return Some(step);
            };
            self.pushing.remove(j);
            self.theta.remove(j);
        }
        None
    }

    /// (NᵀN)⁻¹ Nᵀnᵢ for the normals N of the contacts that push.
    fn given_up(&self, i: usize) -> Vec<Wide> {
        let pushing = &self.pushing;
        let mut b: Vec<Wide> = pushing.iter().map(|j| dot(self.normal(*j), self.normal(i))).collect();
        let mut A: Vec<Wide> = Vec::with_capacity(b.len() * b.len());
        for j in pushing {
            A.extend(pushing.iter().map(|k| dot(self.normal(*j), self.normal(*k))));
        }
        let mut x = Vec::new();
        eliminate(&mut A, &mut b, DEPENDS, &mut Vec::new(), &mut x);
        x
    }
}

fn dot(a: &[Wide], b: &[Wide]) -> Wide {
    a.iter().zip(b).fold(Wide::ZERO, |sum, (x, y)| sum + *x * *y)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point mass of 1 kg, and planes that it moves against.
    fn point(v: [f64; 3], normals: &[[f64; 3]]) -> ContactProblem {
        let mut problem = ContactProblem::new();
        problem
            .add_block(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], &v)
            .unwrap();
        for normal in normals {
            let [x, y] = crate::tangents(*normal);
            let rows: [&[f64]; 3] = [normal, &x, &y];
            problem.add_contact(&[(0, rows)], 0.0).unwrap();
        }
        problem
    }

    fn impulses(problem: &ContactProblem) -> Option<Vec<f64>> {
        let mut out = Impulses::default();
        out.clear(problem, 4);
        NearestMotion::default().run(problem, &mut out)?;
        Some(out.normal)
    }

    #[test]
    fn a_corner_takes_what_each_wall_must() {
        let problem = point([-1.0, -2.0, 3.0], &[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        assert_eq!(impulses(&problem), Some(vec![1.0, 2.0, 0.0]));
    }

    #[test]
    fn a_contact_that_another_makes_needless_is_let_go() {
        // The steep plane is violated most, and the floor with the other slope stops all that it stopped.
        let s = 0.5_f64.sqrt();
        let problem = point([0.0, 0.0, -1.0], &[[s, 0.0, s], [0.0, 0.0, 1.0]]);
        let theta = impulses(&problem).unwrap();
        assert!(theta[0] == 0.0 && (theta[1] - 1.0).abs() < 1e-15, "{theta:?}");
    }

    #[test]
    fn walls_that_close_are_given_up() {
        let mut problem = point([0.0; 3], &[[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]);
        for i in 0..2 {
            problem.set_bias(i, [-1.0, 0.0, 0.0]).unwrap();
        }
        assert_eq!(impulses(&problem), None);
    }

    #[test]
    fn a_wedge_of_two_planes_that_are_one_but_for_a_millionth_holds_against_a_third() {
        let tilt = 1e-6;
        let normals = [[tilt, 0.0, 1.0], [-tilt, 0.0, 1.0], [1.0, 0.0, 0.0]];
        let problem = point([-0.5, 0.0, -1.0], &normals);
        let theta = impulses(&problem).unwrap();
        // v = 0: θ₀ + θ₁ = 1 and θ₂ + tilt (θ₀ − θ₁) = ½; the nearest point is the same whoever carries.
        assert!((theta[0] + theta[1] - 1.0).abs() < 1e-12, "{theta:?}");
        assert!(
            (theta[2] + tilt * (theta[0] - theta[1]) - 0.5).abs() < 1e-12,
            "{theta:?}"
        );
    }
}
