//! Principal pivoting on contact data, \[Drumwright V, algorithm 1\], without friction.
//!
//! A set α of contacts pushes so that their normal velocities vanish, N_αᵀN_α z = −(N_αᵀk + b_α); then v = k + N_α z and w = Nᵀv + b.
//! While a number is negative the set changes: the most negative w enters and the most negative z leaves. α holds independent
//! normals alone, no more than there are coordinates m, so that N_αᵀN_α has a Cholesky factor, changed by a row at a time: an
//! iteration costs O(m² + mn), and the n × n matrix is never formed. The paper's letters: α is B̄, the complement is B.
//!
//! Lines 32–38 of the algorithm read k = B̄(j) after i has joined B̄, though j counts in the old set; here j is an index, not a
//! position. Contacts that depend on α are passed over while rounding explains their w. The rule may come back to a set, and no theorem
//! covers it: sets are remembered by a 64-bit key, and at the first return, or where a dependent contact must enter, the ratio-test
//! method takes over from the current set ([`ratio`]).

mod ratio;

use stiction_lcp::factor::Cholesky;
use stiction_lcp::{Lcp, Solver, Status};

use crate::problem::{ContactProblem, length, sparse_dot};
use crate::ray::ray_of;
use crate::solver::lemke::basis::mix;
use crate::solver::{End, Impulses, Outcome};

/// Velocities and impulses (as velocities) below zero by less than this share of the fastest count as zero: a hundredth of what the
/// judge allows.
const ZERO: f64 = 1e-12;
/// Rounding of a normal velocity, in units of |n||k|.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// A solve without refinement is trusted to this many times the zero tolerance: what is less negative is refined before it may change
/// the set, since rounding can put a contact that depends on α there.
const NEARLY_ZERO: f64 = 100.0;
/// A normal depends on α when the Schur complement is at most this share of |n|²: half the digits would be lost.
const SCHUR: f64 = 1e-11;
/// A dependent contact is passed over while its w is above minus this share of the fastest velocity: half of what the judge allows.
const SKIP: f64 = 5e-11;
/// The factor is made anew after this many changes: updates lose about a digit in as many.
const REFACTOR: usize = 30;
/// Changes allowed: this many times n + 20. Usual is 1 to 3.
const LIMIT: usize = 50;

/// How the rule ended.
enum Pivoted {
    /// Nothing is negative.
    Answered,
    /// The ratio test takes over, and why.
    HandOver(&'static str),
}

/// The method and its buffers.
#[derive(Debug, Clone, Default)]
pub(crate) struct PpmModified {
    /// α in the order of the factor's rows.
    alpha: Vec<usize>,
    active: Vec<bool>,
    /// Passed over because they depend on α; forgotten when a contact leaves α.
    dependent: Vec<bool>,
    /// Impulses of all contacts and normal velocities.
    z: Vec<f64>,
    w: Vec<f64>,
    v: Vec<f64>,
    /// Nᵀk + b, |n|², and what counts as zero.
    q: Vec<f64>,
    square: Vec<f64>,
    zero: Vec<f64>,
    /// Fastest of q, or of what the caller knows.
    fastest: f64,
    factor: Cholesky,
    /// Right-hand sides and solutions of systems with N_αᵀN_α.
    b: Vec<f64>,
    x: Vec<f64>,
    /// Keys of the sets met, and the key of α.
    met: Vec<u64>,
    key: u64,
    pivots: usize,
    /// Changes since the factor was made.
    changes: usize,
    /// Feasible impulses of the ratio test, and its direction.
    theta: Vec<f64>,
    squeeze: Impulses,
}

impl PpmModified {
    /// Solves a problem without joints for its normal impulses. Velocities far below `speed` are rounding, whatever the problem's own.
    pub(crate) fn run(&mut self, problem: &ContactProblem, speed: f64, normal: &mut [f64]) -> Outcome {
        self.begin(problem, speed);
        let mut outcome = Outcome::new(End::Answered);
        if let Pivoted::HandOver(reason) = self.pivot(problem) {
            outcome.handovers = 1;
            outcome.reason = Some(reason);
            outcome.end = self.ratio_test(problem);
            if outcome.end == End::Ray {
                outcome.ray = ray_of(problem, &self.squeeze);
            }
            if outcome.end == End::Limit || (outcome.end == End::Ray && outcome.ray.is_none()) {
                outcome.handovers = 2;
                outcome.reason = Some("the ratio test did not end");
                outcome.end = self.solve_dense(problem).unwrap_or(outcome.end);
            }
        }
        outcome.pivots = self.pivots;
        normal.copy_from_slice(&self.z);
        outcome
    }

    fn begin(&mut self, problem: &ContactProblem, speed: f64) {
        let n = problem.contact_count();
        self.pivots = 0;
        self.key = 0;
        self.changes = 0;
        self.met.clear();
        for list in [&mut self.z, &mut self.w, &mut self.theta] {
            list.clear();
            list.resize(n, 0.0);
        }
        let most = n.min(problem.dof());
        for list in [&mut self.b, &mut self.x] {
            list.clear();
            list.resize(most + 1, 0.0);
        }
        self.alpha.clear();
        for list in [&mut self.active, &mut self.dependent] {
            list.clear();
            list.resize(n, false);
        }
        self.factor.clear();
        self.factor.reserve(most);
        self.measure(problem, speed);
    }

    fn measure(&mut self, problem: &ContactProblem, speed: f64) {
        self.q.clear();
        self.square.clear();
        self.fastest = speed;
        for i in 0..problem.contact_count() {
            let c = problem.columns(i);
            let q = sparse_dot(c.touches, c.normal, problem.k_x()) + problem.bias(i)[0];
            if !problem.comes_apart(i, q) {
                self.fastest = self.fastest.max(q.abs());
            }
            self.q.push(q);
            self.square.push(c.normal.iter().map(|x| x * x).sum());
        }
        let k = length(problem.k_x());
        self.zero.clear();
        let zero = self
            .square
            .iter()
            .map(|s| (ZERO * self.fastest).max(ROUNDING * s.sqrt() * k));
        self.zero.extend(zero);
    }

    /// The rule of algorithm 1.
    fn pivot(&mut self, problem: &ContactProblem) -> Pivoted {
        let limit = LIMIT * (problem.contact_count() + 20);
        loop {
            self.solve(problem); // lines 10-14
            if self.z.iter().any(|z| !z.is_finite()) {
                return Pivoted::HandOver("the impulses of a set were not finite");
            }
            let (mut enters, mut leaves) = self.negative(NEARLY_ZERO);
            if enters.is_none() && leaves.is_none() {
                self.refine(problem);
                (enters, leaves) = self.negative(1.0);
            }
            if enters.is_none() && leaves.is_none() {
                return Pivoted::Answered; // lines 25-29
            }
            if self.pivots >= limit {
                return Pivoted::HandOver("too many changes");
            }
            if self.returned() {
                return Pivoted::HandOver("a set of contacts came back");
            }
            if !self.exchange(problem, enters, leaves) {
                return Pivoted::HandOver("a contact that depends on the others had to push");
            }
        }
    }

    /// z of the set, and the velocities that it leads to.
    fn solve(&mut self, problem: &ContactProblem) {
        for (b, i) in self.b.iter_mut().zip(&self.alpha) {
            *b = -self.q[*i];
        }
        self.factor.solve(&self.b, &mut self.x);
        self.z.fill(0.0);
        for (x, i) in self.x.iter().zip(&self.alpha) {
            self.z[*i] = *x;
        }
        self.move_bodies(problem);
    }

    /// v = k + N_α z and w = Nᵀv + b.
    fn move_bodies(&mut self, problem: &ContactProblem) {
        self.v.clear();
        self.v.extend_from_slice(problem.k_x());
        for i in &self.alpha {
            let (c, z) = (problem.columns(*i), self.z[*i]);
            for t in c.touches {
                let (v, n) = (&mut self.v[t.at..t.at + t.len], &c.normal[t.start..t.start + t.len]);
                for (v, n) in v.iter_mut().zip(n) {
                    *v += z * n;
                }
            }
        }
        for (i, w) in self.w.iter_mut().enumerate() {
            let c = problem.columns(i);
            *w = sparse_dot(c.touches, c.normal, &self.v) + problem.bias(i)[0];
        }
    }

    /// One step of iterative refinement; what is then below zero by rounding becomes zero.
    fn refine(&mut self, problem: &ContactProblem) {
        for (b, i) in self.b.iter_mut().zip(&self.alpha) {
            *b = -self.w[*i];
        }
        self.factor.solve(&self.b, &mut self.x);
        for p in 0..self.alpha.len() {
            let i = self.alpha[p];
            self.z[i] += self.x[p];
            if self.z[i] < 0.0 && !self.is_negative(i, 1.0) {
                self.z[i] = 0.0;
            }
        }
        self.move_bodies(problem);
    }

    /// Whether z_i is negative beyond rounding, as the velocity that it gives at its contact.
    fn is_negative(&self, i: usize, slack: f64) -> bool {
        self.z[i] * self.square[i] < -slack * self.zero[i]
    }

    /// The contact to enter α, by its w, and the one to leave, by its z: the most negative each, in the unit |n|. What is above −`slack`
    /// times the zero tolerance is not negative.
    fn negative(&self, slack: f64) -> (Option<usize>, Option<usize>) {
        let (mut enters, mut leaves) = (None, None);
        let (mut least_w, mut least_z) = (0.0, 0.0);
        for i in 0..self.w.len() {
            if self.active[i] {
                if self.is_negative(i, slack) {
                    // z|n| has the unit of w/|n|; the signed squares compare alike and need no root.
                    let value = -self.z[i] * self.z[i] * self.square[i];
                    if value < least_z {
                        (leaves, least_z) = (Some(i), value);
                    }
                }
            } else if !self.dependent[i] && self.w[i] < -slack * self.zero[i] {
                let value = -self.w[i] * self.w[i] / self.square[i];
                if value < least_w {
                    (enters, least_w) = (Some(i), value);
                }
            }
        }
        (enters, leaves)
    }

    /// Whether α was met before.
    fn returned(&mut self) -> bool {
        let seen = self.met.contains(&self.key);
        self.met.push(self.key);
        seen
    }

    /// Lines 20-22 and 32-38: `leaves` goes from α, `enters` comes to it. False where a dependent contact must enter.
    fn exchange(&mut self, problem: &ContactProblem, enters: Option<usize>, leaves: Option<usize>) -> bool {
        if let Some(j) = leaves {
            self.drop(j);
        }
        if let Some(i) = enters {
            if self.append(problem, i) {
                self.note_change(i);
            } else if self.w[i] >= -SKIP * self.fastest {
                self.dependent[i] = true;
                if leaves.is_none() {
                    self.met.pop(); // α is the same, but this is no return
                }
            } else if leaves.is_none() {
                return false;
            }
        }
        if self.changes >= REFACTOR {
            self.refactor(problem);
        }
        true
    }

    /// j leaves α.
    fn drop(&mut self, j: usize) {
        if let Some(position) = self.alpha.iter().position(|i| *i == j) {
            self.factor.remove(position);
            self.alpha.remove(position);
            self.dependent.fill(false);
            self.note_change(j);
        }
    }

    /// Adds a contact to the factor, unless its normal depends on α.
    fn append(&mut self, problem: &ContactProblem, i: usize) -> bool {
        self.set_products(problem, i, 0..self.alpha.len());
        let k = self.alpha.len();
        let added = k < problem.dof() && self.factor.append(&self.b[..k], self.square[i], SCHUR);
        if added {
            self.alpha.push(i);
        }
        added
    }

    fn note_change(&mut self, i: usize) {
        self.active[i] = !self.active[i];
        self.key ^= mix(i as u64);
        self.pivots += 1;
        self.changes += 1;
    }

    /// Factors N_αᵀN_α anew; what turns out to depend on the others leaves.
    fn refactor(&mut self, problem: &ContactProblem) {
        self.changes = 0;
        self.factor.clear();
        let count = self.alpha.len();
        for _ in 0..count {
            let i = self.alpha[0];
            self.alpha.rotate_left(1);
            let last = self.alpha.len() - 1;
            // The factor holds the last few of the list but for this one.
            let held = self.factor.k();
            self.set_products(problem, i, last - held..last);
            if !self.factor.append(&self.b[..held], self.square[i], SCHUR) {
                self.alpha.pop();
                self.active[i] = false;
                self.key ^= mix(i as u64);
            }
        }
    }

    /// b = Nᵀn_i for a part of α.
    fn set_products(&mut self, problem: &ContactProblem, i: usize, held: std::ops::Range<usize>) {
        self.v.clear();
        self.v.resize(problem.dof(), 0.0);
        let c = problem.columns(i);
        for t in c.touches {
            self.v[t.at..t.at + t.len].copy_from_slice(&c.normal[t.start..t.start + t.len]);
        }
        for (b, j) in self.b.iter_mut().zip(&self.alpha[held]) {
            let c = problem.columns(*j);
            *b = sparse_dot(c.touches, c.normal, &self.v);
        }
    }

    /// The method of last resort: the dense LCP with all its fallbacks. `None` where it has no answer.
    fn solve_dense(&mut self, problem: &ContactProblem) -> Option<End> {
        let n = problem.contact_count();
        let mut rows = vec![vec![0.0; n]; n];
        for (i, row) in rows.iter_mut().enumerate() {
            self.v.fill(0.0);
            problem.push(i, [1.0, 0.0, 0.0], &mut self.v);
            for (j, entry) in row.iter_mut().enumerate() {
                let c = problem.columns(j);
                *entry = sparse_dot(c.touches, c.normal, &self.v);
            }
        }
        let lcp = Lcp::from_rows(&rows, &self.q).ok()?;
        let mut solver = Solver::default();
        solver.set_any_class(false); // contacts have fallbacks of their own
        let solution = solver.solve(&lcp).ok()?;
        self.pivots += solution.stats.pivots;
        if solution.status != Status::Solved {
            return None;
        }
        self.z.copy_from_slice(&solution.z);
        Some(End::Answered)
    }
}

#[cfg(test)]
mod tests;
