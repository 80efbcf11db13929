//! The end game of patches with more points than they need: a proximal point loop whose centre moves only after its inner problem is solved.
//!
//! With a centre p and stiffnesses r = ρw the inner problem is F(v) = v − k − Σ C P(p − r u(v)) = 0, and the next centre is P(x) with x = p − r u. That is an implicit step of length ρ
//! on dp/dt = −w u: any ρ is lawful, and it is chosen so that Newton's method survives. Loads of such patches are decided by slacks of 1e-9 to 1e-6 V, so that they creep until a point
//! opens or a slip stops. Two things make the loop work: x is carried by increments, since u has roundings that ρ amplifies, and the centre stays until F is nearly zero.

use super::NewtonCone;
use super::blocks::SIX;
use super::state::{Slot, State};

/// ρ of the first centre, and the largest. Near an answer it may grow to what lets a load change by about V w in one step: a point that opens late is driven by a slack of 1e-11 V.
const RHO: [f64; 3] = [30.0, 1e8, 1e12];
/// F is solved to this share of the residual of the centre, and of V.
const SOLVED: [f64; 2] = [0.01, 1e-14];
/// Factorisations for one centre, and of the whole loop.
const STEPS: usize = 6;
const MOST: usize = 200;
/// The loop is given up where so many factorisations leave more than this share of the residual.
const STUCK: (usize, f64) = (40, 0.5);
/// Evaluations of the search along a step; it ends where F·d has fallen to this share.
const SEARCHES: usize = 12;
const FOUND: f64 = 0.1;
/// Steps with a factor that is kept, each of which leaves this share of |F| at most.
const CHORDS: usize = 10;
const CONTRACTS: f64 = 0.8;
/// A centre is taken where its residual is this share of the last; or this many times it, where F is solved to the third.
const BETTER: f64 = 0.7;
const WORSE: [f64; 2] = [2.0, 0.1];
/// Centres that fail until the loop is given up.
const FAILURES: usize = 9;
/// Residual at which the loop hands over to a polish, and that below which centres that gain less than a tenth three times end it.
const NEAR: f64 = 3e-11;
/// The same where rounding shall be reached.
const NEAREST: f64 = 1e-15;
const STANDS: f64 = 3e-10;
/// Polishes that stall until an answer that is near is left as it is.
const POLISHES: usize = 4;

impl State {
    /// Whether every contact obeys Coulomb's law with a finite μ, and there is nothing else.
    pub(super) fn is_plain(&self) -> bool {
        self.joints.is_empty()
            && self
                .contacts
                .iter()
                .all(|c| c.drag.is_none() && c.mu.is_finite() && c.corners == 0)
    }

    /// The step d with J d = −F, and Cᵀd. The factor may be one of before.
    fn find_step(&mut self) {
        self.step.copy_from_slice(&self.rhs);
        self.lu.solve(&mut self.step);
        for (i, c) in self.contacts.iter_mut().enumerate() {
            c.du = self.packed.contacts.along(i, &self.step);
        }
    }

    /// Moves by a share of the step: v and x by increments.
    fn move_by(&mut self, rho: f64, a: f64) -> f64 {
        for (v, d) in self.v.iter_mut().zip(&self.step) {
            for k in 0..SIX {
                v[k] += a * d[k];
            }
        }
        for c in &mut self.contacts {
            let r = a * rho * c.stiffness;
            for k in 0..3 {
                c.x[k] -= r * c.du[k];
            }
        }
        self.project_x(f64::INFINITY)
    }

    /// The share a of the step between 0 and 1 at which F·d is nearly zero, from its end; 1 where there is none. F·d = d·(v − k) − Σ Cᵀd·P(x) takes no product with C.
    fn find_share(&self, rho: f64) -> f64 {
        let (mut base, mut square) = (0.0, 0.0);
        for ((v, k), d) in self.v.iter().zip(&self.packed.k_x).zip(&self.step) {
            for a in 0..SIX {
                base += d[a] * (v[a] - k[a]);
                square += d[a] * d[a];
            }
        }
        let along = |a: f64| {
            let back = (1.0 - a) * rho;
            self.contacts.iter().fold(base + (a - 1.0) * square, |sum, c| {
                let r = back * c.stiffness;
                let x = std::array::from_fn(|k| c.x[k] + r * c.du[k]);
                let P = c.project(x, f64::INFINITY).0;
                sum - (c.du[0] * P[0] + c.du[1] * P[1] + c.du[2] * P[2])
            })
        };
        let (mut low, mut high) = ((0.0, along(0.0)), (1.0, along(1.0)));
        let enough = FOUND * low.1.abs();
        if low.1 >= 0.0 || high.1 <= 0.0 {
            return 1.0;
        }
        for k in 0..SEARCHES {
            let a = if k % 3 == 2 {
                0.5 * (low.0 + high.0)
            } else {
                low.0 - low.1 * (high.0 - low.0) / (high.1 - low.1)
            };
            let h = along(a);
            if h.abs() <= enough {
                return a;
            }
            if h < 0.0 {
                low = (a, h);
            } else {
                high = (a, h);
            }
        }
        low.0
    }

    /// Solves F(v) = 0 for the centre there is, from its own velocity. Returns |F| and the factorisations; none where J is singular.
    fn solve_centre(&mut self, rho: f64, residual: f64) -> Option<(f64, usize)> {
        let enough = (SOLVED[0] * residual).max(SOLVED[1]) * self.scale;
        let mut f = self.evaluate(rho, f64::INFINITY);
        for count in 0..STEPS {
            if f <= enough {
                return Some((f, count));
            }
            if !self.factor_x(rho) {
                return None;
            }
            self.find_step();
            let before = f;
            f = self.move_by(rho, 1.0);
            if f > 0.5 * before {
                let a = self.find_share(rho);
                if a < 1.0 {
                    f = self.move_by(rho, a - 1.0);
                }
            }
            for _ in 0..CHORDS {
                if f <= enough {
                    break;
                }
                self.find_step();
                let next = self.move_by(rho, 1.0);
                let contracts = next <= CONTRACTS * f;
                if next > f {
                    f = self.move_by(rho, -1.0);
                    break;
                }
                f = next;
                if !contracts {
                    break;
                }
            }
        }
        Some((f, STEPS))
    }
}

impl NewtonCone {
    /// The loop from the best impulses so far, where contacts are plain. `true`: settled.
    pub(super) fn proximal(&mut self) -> bool {
        self.state.restore(Slot::Best);
        self.state.weigh(false);
        let first = self.state.steps;
        let mut last = self.state.residual();
        let (mut rho, mut good, mut failures) = (RHO[0], None, 0);
        let (mut slow, mut near) = (0, 0);
        let mut mark = (first, last);
        let most = (first + MOST).min(self.most_steps);
        while self.state.steps < most && failures < FAILURES {
            if self.state.steps >= mark.0 + STUCK.0 {
                if last > STUCK.1 * mark.1 {
                    break;
                }
                mark = (self.state.steps, last);
            }
            self.state.save(Slot::Centre);
            let solved = self.state.solve_centre(rho, last);
            let (f, count) = solved.unwrap_or((f64::INFINITY, STEPS));
            self.state.take_projection();
            let residual = self.state.residual();
            let is_solved = f < WORSE[1] * last * self.state.scale;
            if !(residual < BETTER * last || (is_solved && residual < WORSE[0] * last)) {
                failures += 1;
                self.state.restore(Slot::Centre);
                rho = good.map_or(0.1 * rho, |good: f64| (0.3 * rho).min((rho * good).sqrt()));
                continue;
            }
            if residual < self.residual {
                self.residual = residual;
                self.state.save(Slot::Best);
            }
            if residual <= if self.target > 0.0 { NEAR } else { NEAREST } {
                if self.polish(rho, residual) {
                    return true;
                }
                near += 1;
                if near == POLISHES {
                    // A solve to rounding goes on by other ways.
                    return self.target > 0.0;
                }
            }
            let largest = (1.0 / residual).clamp(RHO[1], RHO[2]);
            slow = if residual < STANDS && residual > 0.9 * last && rho >= largest {
                slow + 1
            } else {
                0
            };
            if slow == 3 {
                break;
            }
            (last, good) = (residual, Some(rho));
            let growth = match count {
                0..=2 => 100.0,
                3 => 10.0,
                _ => 3.0,
            };
            rho = (rho * growth).min(largest);
        }
        self.target > 0.0 && self.residual <= self.settled
    }
}
