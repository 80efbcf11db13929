//! Dantzig's method for symmetric positive semidefinite M, \[Baraff\] section 4 (\[CPS\] chapter 4).
//!
//! In the paper's letters w = Mz + q is a = Af + b. Indices are satisfied one after the other: C holds those *clamped*
//! at a_i = 0, NC those *unclamped* at f_i = 0, and an index in neither set is ignored until it is driven. f_d grows
//! until a_d = 0 while the conditions in C and NC are kept. The system A_CC is kept factored ([`Cholesky`]): a step
//! costs O(|C|²) for the direction and O(n |C|) for Δa. Free variables are bilateral constraints (\[Baraff\] 4.5).
//!
//! In exact arithmetic, with b in the range of A, no step is infinite and A_CC is never singular (\[Baraff\] appendix
//! A). In doubles, redundant contacts reach zero together and rounding chooses among them. Against that: d wins ties;
//! an index that depends on C is not clamped but left to the forces that already hold it; f is solved for again, with
//! one refinement, every few steps and before the method ends, and the sets are corrected where that shows a wrong
//! sign. When b is not in the range of A the step may be infinite, and then Δf ≥ 0, AΔf = 0, bᵀΔf < 0 prove that there
//! is no solution. The method fails on matrices that are not positive semidefinite ([`Outcome::Singular`]).

use crate::factor::Cholesky;
use crate::pivoting::{Data, Outcome};
use crate::real::Real;
use crate::rounding::{Zero, add_column, residual};

/// Which of the indices with a_d < 0 is driven next; \[Baraff\] 4.3 leaves it open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The one with the lowest number.
    LowestIndex,
    /// The one whose a_d is the most negative, in the unit √M_dd.
    MostNegative,
}

/// Settings of Dantzig's method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// a_i and f_i below zero by less than this share of the largest |q_i| count as zero. Default 1e-12: a hundredth of
    /// what the judge allows.
    pub zero_tolerance: f64,
    /// Δf_i and Δa_i decrease when below −`step_tolerance` times the largest |Δf_i|, all in units of √M_ii. Default
    /// 1e-11: above the rounding of a solve, and a step moves f_i by no more than this below zero.
    pub step_tolerance: f64,
    /// The driving index wins ties within this relative distance of the smallest step. Default 1e-8: all 800 of the
    /// rank-deficient problems in `tests/dantzig.rs` are then solved; without this and `tie_slack`, 795.
    pub tie_tolerance: f64,
    /// It also wins when no a_i or f_i falls below zero by more than this share of the largest |q_i|. Default 1e-11:
    /// steps that short are rounding, and a tenth of what the judge allows.
    pub tie_slack: f64,
    /// An index whose Schur complement is at most this share of M_ii depends on C. Default 1e-10: half the digits that
    /// the factor of a larger C would lose.
    pub schur_tolerance: f64,
    /// A dependent index is skipped while a_d is above minus this share of the largest |q_i|. Default 1e-10: what the
    /// judge allows; beyond it, q is not in the range of M and the drive goes on.
    pub skip_tolerance: f64,
    /// f and a are recomputed before a drive after this many steps. Default 20.
    pub refresh: usize,
    /// Steps of length zero allowed in a row: this many times n + 8. Default 2: a chain of degenerate exchanges passes
    /// each index twice.
    pub zero_steps_per_variable: usize,
    /// Steps allowed: this many times n + 20. Default 50: usual is 1 to 3.
    pub pivot_limit_per_variable: usize,
    /// The next index to drive. Default [`Order::MostNegative`]: 10,924 steps on those 800 problems, against 28,482
    /// with [`Order::LowestIndex`].
    pub order: Order,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            zero_tolerance: 1e-12,
            step_tolerance: 1e-11,
            tie_tolerance: 1e-8,
            tie_slack: 1e-11,
            schur_tolerance: 1e-10,
            skip_tolerance: 1e-10,
            refresh: 20,
            zero_steps_per_variable: 2,
            pivot_limit_per_variable: 50,
            order: Order::MostNegative,
        }
    }
}

impl Options {
    fn pivot_limit(&self, n: usize) -> usize {
        self.pivot_limit_per_variable.saturating_mul(n + 20)
    }
}

/// Where an index stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    /// Not driven so far, or skipped.
    Ignored,
    C,
    NC,
}

/// Dantzig's method with its buffers: no allocation once it has seen a problem of the size.
#[derive(Debug, Clone, Default)]
pub struct Dantzig {
    f: Vec<f64>,
    a: Vec<f64>,
    delta_f: Vec<f64>,
    delta_a: Vec<f64>,
    set: Vec<Set>,
    /// C in the order of the factor's rows.
    C: Vec<usize>,
    /// Found to depend on C; forgotten when an index leaves C.
    dependent: Vec<bool>,
    factor: Cholesky,
    zero: Zero,
    /// Right-hand sides and solutions of systems with A_CC.
    b: Vec<f64>,
    x: Vec<f64>,
    low: Vec<f64>,
    pivots: usize,
    /// Value of `pivots` when f was last recomputed.
    refreshed_at: usize,
    /// Steps of length zero since the last longer one.
    zero_steps: usize,
}

impl Dantzig {
    /// Runs the method. On [`Outcome::Complementary`] the answer is in `z`; after [`Outcome::UnboundedDrive`] the
    /// direction is in [`Dantzig::drive_direction`].
    pub fn run(&mut self, data: Data<'_>, options: &Options, z: &mut [f64]) -> Outcome {
        self.begin(data, options); // f = 0, a = b, C = NC = ∅
        loop {
            if self.pivots >= options.pivot_limit(data.n()) {
                return Outcome::PivotLimit;
            }
            if self.pivots >= self.refreshed_at + options.refresh {
                self.refresh(data);
            }
            if let Some(d) = self.next(data, options) {
                if let Err(outcome) = self.drive_to_zero(data, options, d) {
                    return outcome;
                }
            } else if self.pivots > self.refreshed_at {
                self.refresh(data);
            } else {
                break; // no a_d < 0, and f and a are fresh
            }
        }
        for (i, z) in z.iter_mut().enumerate() {
            *z = if data.is_free(i) { self.f[i] } else { self.f[i].max(0.0) };
        }
        Outcome::Complementary
    }

    /// Steps of the last run.
    #[must_use]
    pub fn pivots(&self) -> usize {
        self.pivots
    }

    /// Δf of the infinite step that ended the last run, length n, scaled to a largest entry of 1: the direction of
    /// an impulse in \[Baraff\] section 6. Without free variables it proves that there is no solution.
    #[must_use]
    pub fn drive_direction(&self) -> &[f64] {
        &self.delta_f
    }

    /// The start of compute-forces. Bilateral constraints enter C (\[Baraff\] 4.5) unless they repeat others.
    fn begin(&mut self, data: Data<'_>, options: &Options) {
        let n = data.n();
        self.pivots = 0;
        self.refreshed_at = 0;
        self.zero.measure(data, options.zero_tolerance);
        for v in [
            &mut self.f,
            &mut self.delta_f,
            &mut self.delta_a,
            &mut self.b,
            &mut self.x,
            &mut self.low,
        ] {
            v.clear();
            v.resize(n, 0.0);
        }
        self.a.clear();
        self.a.extend_from_slice(data.q);
        self.set.clear();
        self.set.resize(n, Set::Ignored);
        self.dependent.clear();
        self.dependent.resize(n, false);
        self.C.clear();
        self.C.reserve(n);
        self.factor.clear();
        self.factor.reserve(n);
        for i in 0..n {
            if data.is_free(i) {
                // What depends on other bilateral rows does so for good: those never leave C.
                self.dependent[i] = !self.clamp(data, options, i);
            }
        }
        if !self.C.is_empty() {
            self.refresh(data);
        }
    }

    /// An index with a_d < 0 that is not known to depend on C.
    fn next(&self, data: Data<'_>, options: &Options) -> Option<usize> {
        let mut chosen = None;
        let mut most = 0.0;
        for d in 0..data.n() {
            if self.set[d] == Set::C || self.dependent[d] || data.is_free(d) || self.a[d] >= -self.zero.of(d) {
                continue;
            }
            let value = self.a[d] * data.M.row_scale()[d];
            if value < most {
                chosen = Some(d);
                most = value;
            }
            if options.order == Order::LowestIndex {
                break;
            }
        }
        chosen
    }

    /// Increases f_d until a_d is zero.
    fn drive_to_zero(&mut self, data: Data<'_>, options: &Options, d: usize) -> Result<(), Outcome> {
        self.set[d] = Set::Ignored;
        self.zero_steps = 0;
        loop {
            self.fdirection(data, d);
            let dependent = self.flatten(data, options, d)?;
            if dependent && self.f[d] == 0.0 && self.pivots > self.refreshed_at {
                self.refresh(data); // a_d may be no more than drift: look again
                return Ok(());
            }
            // The forces in C already hold d: f_d is not needed.
            let held = dependent && self.a[d] >= -self.skip_threshold(options, d);
            if held && self.f[d] == 0.0 {
                self.dependent[d] = true;
                return Ok(());
            }
            let (s, j) = self.maxstep(data, options, d);
            let Some(j) = j else {
                if !held {
                    return Err(self.infinite_step(data, d));
                }
                let Some(i) = self.retract(data, d) else { return Ok(()) };
                self.unclamp(i);
                self.pivots += 1;
                continue;
            };
            self.advance(data, d, s);
            self.count_step(data, options, s)?;
            match self.set[j] {
                Set::C => self.unclamp(j),
                Set::NC => self.dependent[j] = !self.clamp(data, options, j),
                // j = d, and a_d is zero.
                Set::Ignored => return self.clamp(data, options, d).then_some(()).ok_or(Outcome::Singular),
            }
        }
    }

    /// Keeps to the limits of steps and of steps of length zero.
    fn count_step(&mut self, data: Data<'_>, options: &Options, s: f64) -> Result<(), Outcome> {
        self.pivots += 1;
        self.zero_steps = if s > 0.0 { 0 } else { self.zero_steps + 1 };
        if self.zero_steps > options.zero_steps_per_variable * (data.n() + 8) {
            return Err(Outcome::Cycle);
        }
        if self.pivots >= options.pivot_limit(data.n()) {
            return Err(Outcome::PivotLimit);
        }
        Ok(())
    }

    /// Δf with Δf_d = 1, Δf_NC = 0 and A_CC Δf_C = −A_Cd, \[Baraff\] (9), and Δa = AΔf, (6).
    fn fdirection(&mut self, data: Data<'_>, d: usize) {
        let column = data.M.column(d);
        for (b, &i) in self.b.iter_mut().zip(&self.C) {
            *b = -column[i];
        }
        self.factor.solve(&self.b, &mut self.x);
        self.delta_f.fill(0.0);
        self.delta_f[d] = 1.0;
        self.delta_a.copy_from_slice(column);
        for (&x, &i) in self.x.iter().zip(&self.C) {
            self.delta_f[i] = x;
            add_column(data.M, i, x, &mut self.delta_a);
        }
        for &i in &self.C {
            self.delta_a[i] = 0.0;
        }
    }

    /// Whether d depends on C: its Schur complement, which is Δa_d, vanishes. Then so does ΔfᵀAΔf, hence AΔf: what Δa
    /// holds is rounding and is removed. An error when Δa_d is negative.
    fn flatten(&mut self, data: Data<'_>, options: &Options, d: usize) -> Result<bool, Outcome> {
        let length = length(data, &self.delta_f);
        let rounding = self.factor_error() * length * length; // of ΔfᵀAΔf
        let small = rounding.max(options.schur_tolerance * data.M.at(d, d).abs());
        if self.delta_a[d] < -small {
            return Err(Outcome::Singular);
        }
        let dependent = self.delta_a[d] <= small;
        if dependent {
            self.delta_a.fill(0.0);
        }
        Ok(dependent)
    }

    /// e such that the factor is that of A + E with |E_ij| ≤ e √(A_ii A_jj).
    fn factor_error(&self) -> f64 {
        2.0 * (self.C.len() + 1) as f64 * f64::ROUNDOFF
    }

    /// How far f can move along Δf, and which index stops it: \[Baraff\] (10), (11), (12).
    fn maxstep(&self, data: Data<'_>, options: &Options, d: usize) -> (f64, Option<usize>) {
        let unit = data.M.unit_scale();
        let moving = self.C.iter().chain(std::iter::once(&d));
        let largest = moving.fold(0.0f64, |m, &i| (self.delta_f[i] / unit[i]).abs().max(m));
        let threshold = -options.step_tolerance * largest;
        let slack = options.tie_slack / options.zero_tolerance;
        let (mut s, mut j, mut ties) = (f64::INFINITY, None, f64::INFINITY);
        let mut limit = |i: usize, value: f64, delta: f64, slack: f64| {
            let reach = value.max(0.0) / -delta;
            ties = ties.min((reach * (1.0 + options.tie_tolerance)).max(reach - slack / delta));
            if reach < s {
                (s, j) = (reach, Some(i));
            }
        };
        for &i in &self.C {
            if self.delta_f[i] < threshold * unit[i] && !data.is_free(i) {
                let slack = slack * self.zero.of(i) / data.M.column_scale(i);
                limit(i, self.f[i], self.delta_f[i], slack); // (10)
            }
        }
        for i in 0..data.n() {
            if self.set[i] == Set::NC && self.delta_a[i] * unit[i] < threshold && !self.dependent[i] {
                limit(i, self.a[i], self.delta_a[i], slack * self.zero.of(i)); // (11)
            }
        }
        if self.delta_a[d] > 0.0 {
            let reach = (-self.a[d]).max(0.0) / self.delta_a[d]; // (12)
            if reach <= ties {
                (s, j) = (reach, Some(d));
            }
        }
        (s, j)
    }

    /// Takes f_d back to zero along Δf, which changes no a_i as AΔf = 0. The index of C whose f is zero earlier, if
    /// any; without it d no longer depends on C.
    fn retract(&mut self, data: Data<'_>, d: usize) -> Option<usize> {
        let (mut s, mut j) = (self.f[d], None);
        for &i in &self.C {
            if self.delta_f[i] > 0.0 && !data.is_free(i) && self.f[i].max(0.0) < s * self.delta_f[i] {
                (s, j) = (self.f[i].max(0.0) / self.delta_f[i], Some(i));
            }
        }
        self.advance(data, d, -s);
        if j.is_none() {
            self.f[d] = 0.0;
            self.dependent[d] = true;
        }
        j
    }

    /// f + sΔf and a + sΔa.
    fn advance(&mut self, data: Data<'_>, d: usize, s: f64) {
        self.f[d] += s;
        for &i in &self.C {
            self.f[i] += s * self.delta_f[i];
        }
        for i in 0..data.n() {
            self.a[i] += s * self.delta_a[i];
        }
    }

    /// i enters C. False when it depends on C: it is then ignored.
    fn clamp(&mut self, data: Data<'_>, options: &Options, i: usize) -> bool {
        let column = data.M.column(i);
        for (b, &j) in self.b.iter_mut().zip(&self.C) {
            *b = column[j];
        }
        let k = self.C.len();
        if !self.factor.append(&self.b[..k], column[i], options.schur_tolerance) {
            self.set[i] = Set::Ignored;
            return false;
        }
        self.C.push(i);
        self.set[i] = Set::C;
        self.a[i] = 0.0;
        true
    }

    /// i goes from C to NC.
    fn unclamp(&mut self, i: usize) {
        if let Some(position) = self.C.iter().position(|&j| j == i) {
            self.C.remove(position);
            self.factor.remove(position);
        }
        self.set[i] = Set::NC;
        self.f[i] = 0.0;
        self.dependent.fill(false); // what depended on C may no longer
    }

    /// Recomputes f and a from the sets. An index of C whose f turns out negative goes to NC, the worst one first.
    fn refresh(&mut self, data: Data<'_>) {
        loop {
            self.solve_for_f(data);
            let mut worst = (None, 0.0);
            for &i in &self.C {
                let value = self.f[i] / data.M.unit_scale()[i];
                if !data.is_free(i) && value < worst.1 && self.f[i] * data.M.column_scale(i) < -self.zero.of(i) {
                    worst = (Some(i), value);
                }
            }
            let (Some(i), _) = worst else { break };
            self.unclamp(i);
            self.pivots += 1;
        }
        self.refreshed_at = self.pivots;
    }

    /// A_CC f_C = −b_C with one refinement, and a = Af + b.
    fn solve_for_f(&mut self, data: Data<'_>) {
        self.f.fill(0.0);
        self.a.copy_from_slice(data.q);
        for refinement in 0..2 {
            for (b, &i) in self.b.iter_mut().zip(&self.C) {
                *b = -self.a[i];
            }
            self.factor.solve(&self.b, &mut self.x);
            for (&x, &i) in self.x.iter().zip(&self.C) {
                self.f[i] += x;
            }
            if refinement == 0 {
                residual(data, &self.C, &self.f, &mut self.a, &mut self.low);
            }
        }
        residual(data, &self.C, &self.f, &mut self.a, &mut self.low);
        for &i in &self.C {
            self.a[i] = 0.0;
        }
    }

    /// How negative the a_d of a dependent index may be by rounding.
    fn skip_threshold(&self, options: &Options, d: usize) -> f64 {
        self.zero.of(d) * (options.skip_tolerance / options.zero_tolerance)
    }

    /// What an infinite step means: a_d = bᵀΔf < 0 with AΔf = 0 and Δf ≥ 0, unless a_d may be rounding alone.
    fn infinite_step(&mut self, data: Data<'_>, d: usize) -> Outcome {
        let rounding = self.factor_error() * length(data, &self.f) * length(data, &self.delta_f);
        if self.a[d] >= -rounding {
            return Outcome::Cycle;
        }
        // Largest entry 1, no negative entries but those of free variables.
        let largest = self.delta_f.iter().fold(0.0f64, |m, v| v.abs().max(m));
        for (i, v) in self.delta_f.iter_mut().enumerate() {
            *v = if data.is_free(i) { *v } else { v.max(0.0) } / largest;
        }
        Outcome::UnboundedDrive
    }
}

/// Σ|v_i| √A_ii, except for the rounding of the roots to powers of two.
fn length(data: Data<'_>, v: &[f64]) -> f64 {
    v.iter()
        .zip(data.M.unit_scale())
        .fold(0.0, |sum, (v, unit)| sum + v.abs() / unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Lcp;
    use crate::testing::Rng;

    /// Room of every buffer.
    fn room(dantzig: &Dantzig) -> [usize; 11] {
        let d = dantzig;
        let vectors = [&d.f, &d.a, &d.delta_f, &d.delta_a, &d.b, &d.x, &d.low].map(Vec::capacity);
        let [f, a, delta_f, delta_a, b, x, low] = vectors;
        let sets = [d.set.capacity(), d.C.capacity(), d.dependent.capacity()];
        [
            f,
            a,
            delta_f,
            delta_a,
            b,
            x,
            low,
            sets[0],
            sets[1],
            sets[2],
            d.factor.capacity(),
        ]
    }

    #[test]
    fn a_second_problem_of_the_size_finds_its_room() {
        let mut rng = Rng::new(5);
        let (mut dantzig, mut z) = (Dantzig::default(), vec![0.0; 20]);
        let mut rooms = Vec::new();
        for run in 0..5 {
            let mut rows = vec![vec![0.0; 20]; 20];
            for i in 0..20 {
                for j in 0..i {
                    rows[i][j] = 0.05 * rng.symmetric();
                    rows[j][i] = rows[i][j];
                }
                rows[i][i] = 1.0;
            }
            // The first problem has an empty C, the last a full one.
            let q: Vec<f64> = (0..20).map(|i| if i < 5 * run { -1.0 } else { 2.0 }).collect();
            let lcp = Lcp::from_rows(&rows, &q).unwrap();
            let data = Data {
                M: lcp.M(),
                q: lcp.q(),
                free: &[],
            };
            assert_eq!(dantzig.run(data, &Options::default(), &mut z), Outcome::Complementary);
            rooms.push(room(&dantzig));
        }
        assert!(rooms.iter().all(|r| *r == rooms[0]), "{rooms:?}");
    }
}
