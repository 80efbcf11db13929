//! Coulomb's law with the round cone by semismooth Newton \[Alart and Curnier 1991\].
//!
//! With P_i(x) = (max(0, x_n), x_t cut to the disc of radius μ_i max(0, x_n)), Coulomb's law at a contact is p = P(p − r u) for
//! any r > 0. The method of multipliers holds the inner p as a centre and solves for the velocity alone,
//!
//! F(v) = v − k_x − Σ C_i P_i(p_i − r_i (C_iᵀv + b_i)) − Σ j_k (λ_k − r_k (j_kᵀv + b_k)) = 0,
//!
//! then takes p ← P(p − r u) as the next centre. F has as many unknowns as the bodies have coordinates, however many contacts
//! there are, and its Jacobian I + Σ r C DP Cᵀ is regular where contacts or joints are redundant. Where something slides it is
//! not symmetric.
//!
//! * **Fast phase.** From the impulses of the last step, or velocities alone, states are told at one stiffness and held at another ([`fast`]); an interior path beside the start finds those that are not known yet.
//! * **Prox loop.** r_i = ρ/δ_i with ρ from 10 upwards; Newton on F with a line search on |F|. A small ρ makes soft contacts whose
//!   states (open, stick, slide) settle easily; ρ grows when Newton succeeds with ease. Where it stalls, the centre and its velocity are
//!   taken back and ρ shrinks: a centre that answers no ρ leads nowhere. Contacts that carry more than the momentum of their own bodies
//!   get stiffer as their impulse grows, which is what tall stacks and heavy bodies on light ones need.
//! * **Polish.** Once p moves little, Newton on p and v together: the centre moves with every step, and v is computed from p,
//!   so that the answer is exact to rounding and not only to the penalty ρ.
//! * **Interior path.** Islands of 10 bodies and more whose start is far from an answer, and those of 16 contacts and more on which a prox
//!   loop fails, go along an interior path ([`interior`]), from up to four starts; a polish, else the prox loop, goes on from its end.
//!   Measured: with the path first a wall of 10×10 bricks takes 14 steps from nothing instead of 95, a stack of 50 takes 24 instead of
//!   110, and 161 hard problems of piles half as many.
//! * **Rest.** Where the path has failed and work is not limited, a convex problem says whether rest is an answer, and with which impulses ([`rest`]).
//! * **Proximal loop.** Where work is limited, islands of plain contacts go on by a loop whose centre moves only after its inner problem is solved, and leaps from one change of state to the next ([`proximal`]), before the prox loop; the judge is
//!   asked before anything longer is tried.
//! * **Attempts.** A prox loop that fails is repeated from zero with ρ growing slower, then with all contacts equally stiff.
//!
//! Cost of a step: O(contacts) to assemble 6×6 blocks and a block LU over the graph of bodies ([`blocks`]). Typical: 6 to 40
//! steps. It fails where no solution exists, and may fail where a body weighs 10⁴ times what carries it or contacts are redundant
//! but for 10⁻⁸; the steps are bounded and [`Outcome::converged`] says so. There is no guarantee: the judge decides.
//!
//! An infinite μ need not have an answer: as μ grows, a contact may keep its friction while θ = |f|/μ falls to zero, and the
//! limit holds by friction without pushing. Measured: 1 of 40 pushes on a stack of five.

mod blocks;
mod fast;
mod interior;
mod law;
mod packed;
mod proximal;
mod rest;
#[cfg(test)]
mod scenes;
mod state;
#[cfg(test)]
mod tests;

use crate::problem::ContactProblem;
pub(crate) use state::{AT_REST, Rules};
use state::{Slot, State};

/// Residual at which a solve ends: a thousandth of the default tolerance.
const TARGET: f64 = 1e-13;
/// Residual at which the start of an island at rest is kept as it is. What it leaves adds up from step to step until the next solve, so
/// that it bounds the speed of the bodies: V is the speed of a fall over one step.
pub(crate) const KEPT: f64 = 1e-12;
/// Newton steps that every solve may make.
const LEAST_STEPS: usize = 20;
/// Residual that is called converged: the judge's default tolerance.
const CONVERGED: f64 = 1e-10;

/// The same for a judge with a larger tolerance, as a part of it: the judge measures otherwise.
const ENOUGH: f64 = 0.3;
/// Residual that ends a solve when a polish has come to rest, as a part of the judge's tolerance.
const SETTLED: f64 = 0.1;

/// First, least and largest ρ of the prox loop, and the largest of islands of [`PATH_FIRST`] contacts and more: beyond, Newton seldom succeeds there.
const RHO: [f64; 3] = [10.0, 0.01, 1e10];
const LARGE_RHO: f64 = 1e6;
/// Factor on ρ where Newton stalls.
const SHRINK: f64 = 0.2;
/// ρ grows after so many steps of Newton at most.
const EASY: usize = 15;
/// Steps of a prox loop after which an answer that is near enough ends it.
const LONG: usize = 100;
/// Centres of one prox loop, Newton steps for one centre, halvings of one step.
const CENTRES: usize = 400;
const NEWTON_STEPS: usize = 40;
const HALVINGS: usize = 8;
/// Newton steps of one attempt.
const ATTEMPT_STEPS: usize = 1500;
/// Newton ends for one centre when |F| has fallen to this part; the next centre moves F by more.
const INNER: f64 = 1e-3;
/// Newton is given up on islands of [`PATH_FIRST`] contacts and more where so many steps leave more than this part of |F|: states change in a
/// circle. Measured on 20 hard piles of 290 bodies: 40 % of the steps, and two more answers.
const CIRCLE: (usize, f64) = (8, 0.5);
/// Rounding in F, relative to V: that of the velocity, and that which ρ amplifies.
const ROUNDING: [f64; 2] = [1e-13, 1e-15];

/// A polish is tried when centres move by less than this part of V.
const POLISH: f64 = 0.03;
/// ρ of the step from given states, and the residual after it up to which a polish is tried.
const RESUME_RHO: f64 = 1e5;
const RESUMED: f64 = 0.1;
/// Polish: ρ grows to REACH/residual, so that x = p − r u stays near p and keeps its states.
const REACH: f64 = 0.01;
/// Largest ρ of a polish that goes well, and of one that has stalled.
const POLISH_RHO: [f64; 2] = [1e6, 1e9];
/// Residual of what the fast phase and the proximal loop leave at which the judge is asked before anything long is tried: it measures each row by itself, and excuses its rounding.
const OFFERED: f64 = 1e-9;
/// Residual below which a polish that stalls is compared with the rounding of its terms; the share of that at which a solve ends, and the polishes within it after
/// which it ends as well.
const FLOOR_FROM: f64 = 1e-6;
const AT_FLOOR: f64 = 0.1;
const FLOOR_POLISHES: usize = 3;
/// Steps of one polish.
const POLISH_STEPS: usize = 20;

/// Contacts from which the interior path comes before the long attempts: with fewer, states settle by themselves.
const PATH_FIRST: usize = 16;
/// Bodies, and residual of the start, from which on the path comes before everything: with fewer bodies the prox loop needs as few steps,
/// and a step of the path costs twice as much.
const PATH_BODIES: usize = 10;
/// Bodies from which on an island is given up after one path and one attempt: one Newton step takes milliseconds there, and who
/// steps through time does better with a shorter step.
const VAST: usize = 200;
const PATH_FAR: f64 = 0.1;
/// Contacts and bodies from which patches may have more points than they need.
const REDUNDANT: (usize, usize) = (8, 2);
/// Residual of what the fast phase leaves below which the proximal loop goes on from it; the path from nothing is for what is farther.
const PATH_NEAR: f64 = 1e-3;
/// Starts of the path in terms of V, and the residuals at which it is left.
const PATHS: [(f64, f64); 4] = [(1.0, 1e-6), (10.0, 1e-5), (0.2, 1e-6), (100.0, 1e-4)];
/// The path is left after so many steps as well, or after so many that were shorter than that.
const PATH_STEPS: usize = 80;
const PATH_STUCK: usize = 8;
const PATH_SHORT: f64 = 0.05;

/// Leaps of the centre. Where load is handed over among contacts that are nearly redundant, it moves on and on by the same small amount: after so few
/// steps of Newton, where it moves as straight as that, it goes as far as the first contact keeps its state, and so many times as far as
/// it moved at most. A leap after which it moves so much faster is taken back. Beyond the first change of state nothing is known of the way:
/// leaps to the fourth cost more steps than none.
const QUICK: usize = 4;
const STRAIGHT: f64 = 0.9;
const FARTHEST: f64 = 1e4;
const FARTHER: f64 = 1.5;

/// How an attempt sets its stiffness.
struct Attempt {
    /// ρ of the first centre.
    rho: f64,
    /// Most Newton steps.
    steps: usize,
    /// Factor on ρ from centre to centre.
    growth: f64,
    /// All contacts as stiff as the stiffest.
    alike: bool,
    /// Largest μ of the prox loop. P jumps at x_n = 0 for an infinite μ; where every contact sticks with less, more changes
    /// nothing, and the polish knows the true μ.
    cap: f64,
}

/// From the start that was given.
const SHORT: Attempt = Attempt {
    rho: RHO[0],
    steps: 2000,
    growth: 4.0,
    alike: false,
    cap: f64::INFINITY,
};

/// The same on vast islands.
const SHORTER: Attempt = Attempt { steps: 1000, ..SHORT };

/// From the end of a path, where impulses are near those of the answer.
const ONWARDS: Attempt = Attempt {
    rho: 100.0,
    steps: 300,
    ..SHORT
};

const ATTEMPTS: [Attempt; 3] = [
    Attempt {
        rho: RHO[0],
        steps: ATTEMPT_STEPS,
        growth: 4.0,
        alike: false,
        cap: 10.0,
    },
    Attempt {
        rho: RHO[0],
        steps: ATTEMPT_STEPS,
        growth: 2.0,
        alike: false,
        cap: 100.0,
    },
    Attempt {
        rho: RHO[0],
        steps: ATTEMPT_STEPS,
        growth: 3.0,
        alike: true,
        cap: f64::INFINITY,
    },
];

/// How a refinement ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Outcome {
    /// Newton steps.
    pub(crate) steps: usize,
    /// Factorisations: fewer where the matrix is that of the step before.
    pub(crate) factorisations: usize,
    /// Operations of them.
    pub(crate) operations: u64,
    /// Largest defect δ|P(p − u/δ) − p| of the natural map, relative to the fastest contact velocity V of k_x.
    pub(crate) residual: f64,
    /// The residual is within 1e-10, within 0.3 of the judge's tolerance where that is larger, or within the rounding of its terms.
    pub(crate) converged: bool,
    /// The judge may be content with it as it is; where it is not, longer ways are left ([`Rules::insists`]).
    pub(crate) is_offer: bool,
}

/// The solver and its buffers.
#[derive(Debug, Clone, Default)]
#[allow(clippy::struct_excessive_bools)] // Each is read by itself.
pub(crate) struct NewtonCone {
    state: State,
    residual: f64,
    /// Residual that ends a solve which gets no better.
    enough: f64,
    /// Residual that ends a polish which gets no better, and with it the solve.
    settled: f64,
    /// Residual that ends a solve.
    target: f64,
    /// Newton steps after which no further way is tried.
    most_steps: usize,
    is_limited: bool,
    seeks_rest: bool,
    insists: bool,
    is_offer: bool,
    /// The proximal loop has gone on from what the fast phase left.
    has_looped: bool,
    /// Polishes that ended within the rounding of the terms that the residual is summed from.
    at_floor: usize,
}

impl NewtonCone {
    /// Refines impulses in place; any start is allowed, zero included. Where the solve does not converge, the impulses are the best
    /// found.
    pub(crate) fn refine(
        &mut self,
        problem: &ContactProblem,
        rules: Rules,
        theta: &mut [f64],
        friction: &mut [[f64; 2]],
        joint: &mut [f64],
    ) -> Outcome {
        self.enough = CONVERGED.max(ENOUGH * rules.tolerance);
        // Where work is limited, patches have a loop that gets nearer than a polish.
        let to_rounding = rules.to_rounding && rules.is_limited;
        self.settled = if to_rounding { 0.0 } else { SETTLED * rules.tolerance };
        self.target = if rules.to_rounding { 0.0 } else { TARGET };
        (self.most_steps, self.is_limited) = (rules.most_steps, rules.is_limited);
        self.seeks_rest = rules.seeks_rest;
        (self.insists, self.is_offer) = (rules.insists, false);
        (self.at_floor, self.has_looped) = (0, false);
        self.state.load(problem, rules, theta, friction, joint);
        let cost = self.state.lu.cost().max(1);
        let steps = |operations: u64| usize::try_from(operations / cost).unwrap_or(usize::MAX);
        let least = rules.least_steps.min(steps(rules.allowance)).max(LEAST_STEPS);
        self.most_steps = self.most_steps.min(steps(rules.most_operations).max(least));
        if self.state.scale == 0.0 {
            // Nothing moves against a contact: no impulse is needed.
            self.state.clear();
            self.state.save(Slot::Best);
            self.residual = 0.0;
        } else {
            self.solve();
        }
        self.state.unload(theta, friction, joint);
        Outcome {
            steps: self.state.steps,
            factorisations: self.state.lu.factorisations,
            operations: self.state.lu.operations,
            residual: self.residual,
            converged: self.residual <= self.enough || self.at_floor == FLOOR_POLISHES,
            is_offer: self.is_offer,
        }
    }

    fn solve(&mut self) {
        self.residual = self.state.residual();
        self.state.save(Slot::Best);
        self.state.weigh(false);
        if self.residual <= self.target || (self.target > 0.0 && self.residual <= KEPT && self.state.is_at_rest()) {
            return;
        }
        let is_quick = self.target > 0.0 && self.is_limited && !self.insists;
        if is_quick && self.go_quickly() {
            return;
        }
        if is_quick && self.residual <= OFFERED {
            self.is_offer = true;
            return;
        }
        if self.residual < POLISH && self.polish(RHO[0], self.residual) {
            return;
        }
        if self.target == 0.0 && self.is_limited {
            if self.is_redundant() {
                self.state.restore(Slot::Best);
                self.proximal();
            }
            return;
        }
        if self.residual >= POLISH && self.resume() {
            return;
        }
        let is_small = self.is_small();
        if !is_small {
            let is_wide = self.state.packed.k_x.len() >= PATH_BODIES;
            // What the fast phase leaves far has got stuck.
            let near = if is_quick { PATH_NEAR } else { PATH_FAR };
            let far = is_wide && self.residual > near && self.state.has_cones();
            if far {
                if self.paths(&PATHS[..1]) || self.residual <= self.enough {
                    return;
                }
                self.state.restore(Slot::Best);
            }
            if !self.has_looped && !far && self.is_redundant() {
                if self.proximal() {
                    return;
                }
                self.state.restore(Slot::Best);
            }
            if self.seeks_rest && self.state.has_cones() && self.rest() {
                return;
            }
            // The impulses of the last step know how load is shared where contacts are redundant: the best centre to begin with.
            let is_vast = self.state.packed.k_x.len() >= VAST;
            if self.prox_loop(if is_vast { &SHORTER } else { &SHORT }) {
                return;
            }
            let last = if is_vast { 1 } else { PATHS.len() };
            if self.paths(&PATHS[usize::from(far)..last]) || is_vast || self.residual <= self.enough {
                return;
            }
        }
        for (k, attempt) in ATTEMPTS.iter().enumerate() {
            if self.state.steps >= self.most_steps {
                return;
            }
            if k > 0 {
                self.state.clear();
            }
            self.state.weigh(attempt.alike);
            if self.prox_loop(attempt) || self.residual <= self.enough {
                return;
            }
            if k == 0 && is_small && self.paths(&PATHS) {
                return;
            }
        }
    }

    /// The fast phase, and where that comes near the proximal loop. They share loads otherwise than the start did, as [`Self::is_redundant`] says: only where work is limited. `true`: settled.
    fn go_quickly(&mut self) -> bool {
        if self.fast() {
            return true;
        }
        if self.residual < PATH_NEAR && self.is_redundant() {
            self.has_looped = true;
            if self.proximal() {
                return true;
            }
            self.state.restore(Slot::Best);
        }
        false
    }

    /// One step of Newton in which contacts keep the states that the first impulses have, and a polish from there: where the last step of a simulation left off, states are mostly those
    /// of the answer, though velocities may be far from it. `true`: settled; otherwise the state is as before.
    fn resume(&mut self) -> bool {
        if !self.state.has_impulses() {
            return false;
        }
        self.state.save(Slot::Centre);
        if self.state.step_in_states(RESUME_RHO) {
            let residual = self.state.residual();
            if residual < RESUMED && self.polish(RESUME_RHO, residual.max(REACH / RESUME_RHO)) {
                return true;
            }
        }
        // A polish keeps the best state that it has met; its own start is that after the step.
        self.state.restore(Slot::Centre);
        false
    }

    /// Few enough contacts for states to settle by themselves.
    fn is_small(&self) -> bool {
        self.state.contacts.len() < PATH_FIRST
    }

    /// Enough bodies and contacts for patches with more points than they need, and the loop for them knows all of the law. It shares loads otherwise than the start did, which those
    /// who correct an answer in rounds, without a limit of work, want to keep.
    fn is_redundant(&self) -> bool {
        let is_wide = self.state.contacts.len() >= REDUNDANT.0 && self.state.packed.k_x.len() >= REDUNDANT.1;
        self.is_limited && is_wide && self.state.is_plain()
    }

    /// The interior path from several starts: where impulses are not unique, each leads to others, and some can be polished. `true`:
    /// settled.
    fn paths(&mut self, starts: &[(f64, f64)]) -> bool {
        let mut starts = starts.iter();
        self.state.has_cones()
            && starts.any(|(speed, near)| self.state.steps < self.most_steps && self.path(*speed, *near))
    }

    /// Along the interior path until it is near or stuck, then a polish, else the prox loop, from there. `true`: settled.
    fn path(&mut self, speed: f64, near: f64) -> bool {
        self.state.start_path(speed);
        let mut stuck = 0;
        for _ in 0..PATH_STEPS {
            if !self.state.step_path() {
                break;
            }
            let residual = self.state.residual();
            if residual < self.residual {
                self.residual = residual;
                self.state.save(Slot::Best);
            }
            if residual < near {
                break;
            }
            stuck += usize::from(self.state.path_step < PATH_SHORT);
            if stuck == PATH_STUCK {
                break;
            }
        }
        self.state.velocity();
        self.state.weigh(false);
        let residual = self.state.residual();
        if residual < POLISH && self.polish(RHO[0], residual) {
            return true;
        }
        if self.is_redundant() {
            self.state.save(Slot::Path);
            if self.proximal() {
                return true;
            }
            self.state.restore(Slot::Path);
        }
        self.prox_loop(&ONWARDS)
    }

    /// Centres p with growing ρ, a polish after each. Where Newton finds no velocity for a centre, the centre stays and ρ falls: what Newton
    /// leaves is no answer to anything. `true`: settled.
    fn prox_loop(&mut self, attempt: &Attempt) -> bool {
        let mut rho = attempt.rho;
        let is_small = self.is_small();
        let largest = if is_small { RHO[2] } else { LARGE_RHO };
        let first = self.state.steps;
        let mut tried = (f64::INFINITY, [0; 2]);
        let mut last = (f64::INFINITY, [0; 2]);
        // Factor of the last leap, 1 where there was none; there are some once ρ can grow no more.
        let (mut leap, mut may_leap) = (1.0_f64, false);
        for centre in 0..CENTRES {
            if self.state.steps >= (first + attempt.steps).min(self.most_steps) {
                return false;
            }
            let before = self.state.steps;
            self.state.keep_velocity();
            let solved = self.newton(rho, attempt.cap, centre == 0);
            let cost = self.state.steps - before;
            let moved = if solved { self.state.accept(rho) } else { f64::INFINITY };
            if leap > 1.0 && moved > FARTHER * last.0 {
                self.state.restore(Slot::Centre);
                self.state.take_velocity_back();
                leap = 1.0;
                continue;
            }
            if !solved {
                self.state.take_velocity_back();
                may_leap = true;
                if rho <= RHO[1] {
                    return false;
                }
                rho = (rho * SHRINK).max(RHO[1]);
                continue;
            }
            // Where impulses creep along, as nearly redundant contacts let them, a polish has nothing to add until one changes its state;
            // while they change at every centre, nothing to hold on to.
            let states = self.state.states();
            let is_new = (is_small || states == last.1) && states != tried.1;
            if moved < POLISH && (moved < 0.5 * tried.0 || is_new) {
                if self.polish(rho, moved) {
                    return true;
                }
                tried = (moved, states);
            }
            last = (moved, states);
            if !is_small && moved < POLISH && self.look() && self.state.steps > first + LONG {
                return true;
            }
            may_leap |= rho >= largest;
            if !is_small && may_leap && cost <= QUICK && self.state.drift_cosine() > STRAIGHT {
                leap = self.state.first_change().clamp(1.0, FARTHEST);
                self.state.save(Slot::Centre);
                self.state.leap(leap);
            } else {
                leap = 1.0;
                if cost <= EASY {
                    rho = (rho * attempt.growth).min(largest);
                }
            }
        }
        false
    }

    /// Measures the centre itself and keeps it if it is the best. `true`: near enough.
    fn look(&mut self) -> bool {
        self.state.keep_velocity();
        self.state.velocity();
        let residual = self.state.residual();
        if residual < self.residual {
            self.residual = residual;
            self.state.save(Slot::Best);
        }
        self.state.take_velocity_back();
        self.residual <= self.enough
    }

    /// Newton on F(v) = 0 for one centre. `true`: |F| has fallen far enough.
    fn newton(&mut self, rho: f64, cap: f64, wake: bool) -> bool {
        let window = if self.is_small() { NEWTON_STEPS } else { CIRCLE.0 };
        let state = &mut self.state;
        let mut f = state.evaluate(rho, cap);
        if wake {
            state.wake(rho);
        }
        let enough = (INNER * f).max((ROUNDING[0] + ROUNDING[1] * rho) * state.scale);
        let mut past = [f64::INFINITY; NEWTON_STEPS];
        for k in 0..NEWTON_STEPS {
            if f <= enough {
                return true;
            }
            if k >= window && f > CIRCLE.1 * past[k - window] {
                return false;
            }
            past[k] = f;
            if !state.aim(rho, cap) {
                return false;
            }
            let mut a = 1.0;
            let mut trial = f64::INFINITY;
            for _ in 0..=HALVINGS {
                state.go(a);
                trial = state.evaluate(rho, cap);
                // Armijo on |F|² with its slope −2|F|².
                if trial * trial <= (1.0 - 2e-4 * a) * f * f {
                    break;
                }
                a *= 0.5;
            }
            if !trial.is_finite() {
                state.go(0.0);
                state.evaluate(rho, cap);
                return false;
            }
            // The shortest step is taken even where |F| grows: a kink of F may lie across it.
            f = trial;
        }
        false
    }

    /// Newton on p and v together. Where a step does not halve the residual, ρ is tried larger (slow: nearly redundant contacts)
    /// and smaller (rounding: ρ amplifies it). `true`: settled; otherwise the state is as before.
    fn polish(&mut self, rho: f64, moved: f64) -> bool {
        self.state.save(Slot::Outer);
        let mut rho = rho.max(REACH / moved).min(POLISH_RHO[0]);
        let (mut least, mut failures) = (f64::INFINITY, 0);
        for _ in 0..POLISH_STEPS {
            if !self.state.advance(rho) {
                break;
            }
            let residual = self.state.residual();
            let halved = residual < 0.5 * least;
            if residual < least {
                least = residual;
                self.state.save(Slot::Base);
            }
            if residual < self.residual {
                self.residual = residual;
                self.state.save(Slot::Best);
            }
            if residual <= self.target {
                return true;
            }
            if halved {
                failures = 0;
                if residual > 1e-7 {
                    rho = rho.max(REACH / residual).min(POLISH_RHO[0]);
                }
                continue;
            }
            failures += 1;
            if least > 1e-4 || failures == 3 || (failures == 2 && least < 1e-12) {
                break;
            }
            // Near rounding the smaller ρ comes first.
            rho = if (failures == 1) == (least > 1e-9) {
                (30.0 * rho).min(POLISH_RHO[1])
            } else {
                (1e-3 * rho).max(RHO[0])
            };
            self.state.restore(Slot::Base);
        }
        if self.residual <= self.settled {
            return true;
        }
        if self.residual < FLOOR_FROM {
            // Where light bodies carry heavy ones no polish gets below the rounding of its terms.
            self.state.restore(Slot::Best);
            let floor = self.state.floor();
            self.at_floor += usize::from(least <= floor);
            if self.residual <= AT_FLOOR * floor || self.at_floor == FLOOR_POLISHES {
                self.at_floor = FLOOR_POLISHES;
                return true;
            }
        }
        self.state.restore(Slot::Outer);
        false
    }
}
