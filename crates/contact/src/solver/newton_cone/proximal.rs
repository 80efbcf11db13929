//! The end game of patches with more points than they need: a proximal point loop whose centre moves only after its inner problem is solved.
//!
//! With a centre p and stiffnesses r = ρw the inner problem is F(v) = v − k − Σ C P(p − r u(v)) = 0, and the next centre is P(x) with x = p − r u. That is an implicit step of length ρ
//! on dp/dt = −w u: any ρ is lawful, and it is chosen so that Newton's method survives. Loads of such patches are decided by slacks of 1e-9 to 1e-6 V, so that they creep until a point
//! opens or a slip stops. Three things make the loop work:
//!
//! * x is carried by increments, since u has roundings that ρ amplifies, and the centre stays until F is nearly zero.
//! * **Leaps.** Between two changes of state loads creep along a straight line at a constant rate. Two centres in the same states tell it, and the next begins where the first contact
//!   changes its state. Each change then costs two or three steps at a ρ at which Newton's method succeeds, however small the slack is; a ρ that crosses several at once mostly fails.
//! * **Uphill.** Where a stick is overcome or a point opens, velocities may grow a hundredfold at once: that is where the line of the loads turns, and no failure as long as F is solved.

use super::NewtonCone;
use super::blocks::SIX;
use super::law::{Mode, derivative};
use super::state::{Slot, State};

/// ρ of the first centre, and the largest. Near an answer it may grow to what lets a load change by about V w in one step: a point that opens late is driven by a slack of 1e-11 V.
const RHO: [f64; 3] = [30.0, 1e8, 1e12];
/// Factors on ρ: the largest, that after a failure, which doubles with every growth, and that where F was not solved.
const GROWTH: [f64; 3] = [10.0, 2.0, 3.0];
/// Centres at one ρ.
const REPEATS: usize = 3;
/// F is solved to this share of the residual of the centre, and of V.
const SOLVED: [f64; 2] = [0.01, 1e-14];
/// Steps for one centre, and of the whole loop; its centres.
const STEPS: usize = 8;
const MOST: usize = 700;
const CENTRES: usize = 2_000;
/// Where a step with earlier derivatives leaves more than this share of |F| and no state changed, all derivatives are computed again.
const STALE: f64 = 0.3;
/// Evaluations of the search along a step; it ends where F·d has fallen to this share.
const SEARCHES: usize = 12;
const FOUND: f64 = 0.1;
/// Steps with a factor that is kept, each of which leaves this share of |F| at most.
const CHORDS: usize = 10;
const CONTRACTS: f64 = 0.8;
/// A centre is taken where its residual is this share of the last; or this many times it, where F is solved to the third.
const BETTER: f64 = 0.7;
const WORSE: [f64; 2] = [1e3, 0.1];
/// Cosine between two moves of the centre that are one line, and how many times as far as the last of them a leap goes at most.
const STRAIGHT: f64 = 0.99;
const FARTHEST: f64 = 1e7;
/// Centres that fail until the loop is given up.
const FAILURES: usize = 40;
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

    /// Derivatives at the stiffness ρ: all of them, or those of contacts that have changed their state since theirs was taken.
    fn derive_changed(&mut self, rho: f64, all: bool) {
        for c in &mut self.contacts {
            if !all && c.mode == c.derived {
                continue;
            }
            c.derived = c.mode;
            c.D = match c.mode {
                Mode::Open => [[0.0; 3]; 3],
                mode => derivative(c.x, c.mu, mode, rho * c.stiffness),
            };
        }
    }

    /// Solves F(v) = 0 for the centre there is, from the velocity there is, and from the derivatives of the centre before where that had the same ρ. Returns |F| and whether it is solved;
    /// none where J is singular.
    fn solve_centre(&mut self, rho: f64, residual: f64, is_new: bool) -> Option<(f64, bool)> {
        let enough = (SOLVED[0] * residual).max(SOLVED[1]) * self.scale;
        let mut f = self.evaluate(rho, f64::INFINITY);
        let mut all = is_new;
        for _ in 0..STEPS {
            if f <= enough {
                break;
            }
            self.derive_changed(rho, all);
            if !self.factor() {
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
            let stays = self.contacts.iter().all(|c| c.mode == c.derived);
            all = !all && stays && f > STALE * before;
            f = self.repeat_step(rho, (f, enough));
        }
        Some((f, f <= enough))
    }

    /// Steps with the factor there is, as long as they pay; |F| after them.
    fn repeat_step(&mut self, rho: f64, (mut f, enough): (f64, f64)) -> f64 {
        for _ in 0..CHORDS {
            if f <= enough {
                break;
            }
            self.find_step();
            let next = self.move_by(rho, 1.0);
            if next > f {
                return self.move_by(rho, -1.0);
            }
            let contracts = next <= CONTRACTS * f;
            f = next;
            if !contracts {
                break;
            }
        }
        f
    }
}

/// How ρ goes on from centre to centre.
struct Pace {
    rho: f64,
    /// The last with which a centre was taken.
    good: Option<f64>,
    /// Largest factor on it.
    growth: f64,
    repeats: usize,
}

impl Pace {
    /// A centre was taken.
    fn succeed(&mut self, is_solved: bool, largest: f64) {
        self.good = Some(self.rho);
        self.repeats += 1;
        if self.repeats < REPEATS {
            return;
        }
        self.repeats = 0;
        let mut growth = GROWTH[2];
        if is_solved {
            self.growth = (2.0 * self.growth).min(GROWTH[0]);
            growth = self.growth;
        }
        self.rho = (self.rho * growth).min(largest);
    }

    /// A centre was taken back.
    fn fail(&mut self) {
        (self.repeats, self.growth) = (0, GROWTH[1]);
        self.rho = match self.good {
            Some(good) if good < self.rho => (0.3 * self.rho).min((self.rho * good).sqrt()),
            _ => (0.1 * self.rho).max(1.0),
        };
    }
}

/// Leaps of the centre.
struct Leaps {
    /// Share of the way to the next change of state: less after one that failed.
    share: f64,
    /// The centre there is comes from one.
    is_made: bool,
}

impl Leaps {
    /// Moves the centre to where the first contact changes its state, if the last two moves were one line in the same states. The velocity stays: it does not change along such a line.
    /// `true`: the next centre is to be found at the same ρ.
    fn try_leap(&mut self, state: &mut State, same: bool) -> bool {
        (self.is_made, self.share) = (false, (2.0 * self.share).min(1.0));
        if !same || state.drift_cosine() <= STRAIGHT {
            return false;
        }
        let times = self.share * state.first_change();
        if times > 1.0 && times < FARTHEST {
            state.save(Slot::Centre);
            state.leap(times);
            self.is_made = true;
        }
        times < FARTHEST
    }
}

impl NewtonCone {
    /// The loop from the best impulses so far, where contacts are plain. `true`: settled.
    pub(super) fn proximal(&mut self) -> bool {
        self.state.restore(Slot::Best);
        self.state.weigh(false);
        let mut last = self.state.residual();
        let mut pace = Pace {
            rho: RHO[0],
            good: None,
            growth: GROWTH[0],
            repeats: 0,
        };
        let mut leaps = Leaps {
            share: 1.0,
            is_made: false,
        };
        // ρ of the derivatives there are.
        let mut derived = f64::NAN;
        let (mut failures, mut slow, mut near) = (0, 0, 0);
        let most = (self.state.steps + MOST).min(self.most_steps);
        for _ in 0..CENTRES {
            if self.state.steps >= most || failures == FAILURES {
                break;
            }
            if !leaps.is_made {
                self.state.save(Slot::Centre);
            }
            let solved = self.state.solve_centre(pace.rho, last, derived != pace.rho);
            derived = pace.rho;
            let (f, is_solved) = solved.unwrap_or((f64::INFINITY, false));
            let same = self.state.take_projection();
            let residual = self.state.residual();
            let is_lawful = f < WORSE[1] * last * self.state.scale;
            if !(residual < BETTER * last || (is_lawful && residual < WORSE[0] * last)) {
                self.state.restore(Slot::Centre);
                if std::mem::take(&mut leaps.is_made) {
                    leaps.share *= 0.25;
                    derived = f64::NAN;
                } else {
                    failures += 1;
                    pace.fail();
                }
                continue;
            }
            if residual < self.residual {
                self.residual = residual;
                self.state.save(Slot::Best);
            }
            if residual <= if self.target > 0.0 { NEAR } else { NEAREST } {
                if self.polish(pace.rho, residual) {
                    return true;
                }
                (near, derived) = (near + 1, f64::NAN);
                if near == POLISHES {
                    // A solve to rounding goes on by other ways.
                    return self.target > 0.0;
                }
            }
            let largest = (1.0 / residual).clamp(RHO[1], RHO[2]);
            let stands = residual < STANDS && residual > 0.9 * last && pace.rho >= largest;
            slow = if stands { slow + 1 } else { 0 };
            if slow == 3 {
                break;
            }
            last = residual;
            pace.good = Some(pace.rho);
            if !leaps.try_leap(&mut self.state, same) {
                pace.succeed(is_solved, largest);
            }
        }
        self.target > 0.0 && self.residual <= self.settled
    }
}
