//! Lemke's method on w = Mz + c z₀ + q, [Lloyd TR] section 4.
//!
//! The basis is kept as index sets: C, the columns of the basic z (and z₀), and R, the rows whose w is nonbasic. Everything
//! follows from the kernel K = M̄_RC, [Lloyd TR] M̄_α̃α, which is factored ([`Lu`](crate::factor::Lu)) and changes by one row and/or column a
//! pivot; no tableau is formed. A pivot costs O(k²) for the factors and O(nk) for the column m′.
//!
//! Degeneracy: a pivot entry counts only relative to the largest of its column; z₀ wins every tie; other ties go
//! to the largest pivot, which costs nothing; when a basis comes back, the run is given up and may be repeated
//! with lexicographic ties (`ties.rs`), which cannot cycle.
//!
//! The method may start from any complementary basis with a nonsingular kernel: free variables are always basic, and
//! a warm start is the previous answer's basis. The covering vector is then c = B c′ with c′ > 0 on the basic variables.

mod kernel;
mod ties;

use crate::basis::{Var, mix};
use crate::pivoting::{Data, Outcome};
use crate::real::Real;
use kernel::Kernel;

/// Settings of Lemke's method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// An entry of m′ blocks only when it is below −`pivot_tolerance` times the largest |m′_i|. Default 1e-9: with an
    /// absolute threshold, stacks of 50 and more bodies returned wrong answers.
    pub pivot_tolerance: f64,
    /// Ratios within this relative distance of the smallest tie. Default 1e-11.
    pub tie_tolerance: f64,
    /// A basic variable may fall this far below zero, relative to the largest |q_i|, to make room for a better pivot.
    /// Default 1e-13.
    pub feasibility_tolerance: f64,
    /// The same relative to the largest basic z, in units of roundoff: with forces a million times larger than q, that is
    /// how large zero is. Default 10.
    pub noise: f64,
    /// The path ends when z₀ falls below this share of its first value. Default 2e-13: beyond it lies rounding.
    pub stop_tolerance: f64,
    /// Pivots allowed: `pivot_limit_base + pivot_limit_per_variable * n`. Default 20,000: enough for the exponential
    /// families of ten variables.
    pub pivot_limit_base: usize,
    /// See `pivot_limit_base`. Default 50.
    pub pivot_limit_per_variable: usize,
    /// The basic variables are recomputed from the factors after this many pivots. Default 20.
    pub refresh: usize,
    /// Break ties lexicographically from the first pivot on. Default false.
    pub lexicographic: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            pivot_tolerance: 1e-9,
            tie_tolerance: 1e-11,
            feasibility_tolerance: 1e-13,
            noise: 10.0,
            stop_tolerance: 2e-13,
            pivot_limit_base: 20_000,
            pivot_limit_per_variable: 50,
            refresh: 20,
            lexicographic: false,
        }
    }
}

impl Options {
    /// The same with no more than so many pivots on a problem of n variables.
    #[must_use]
    pub(crate) fn within(self, pivots: u64, n: usize) -> Self {
        let allowed = self.pivot_limit(n);
        match usize::try_from(pivots) {
            Ok(pivots) if pivots < allowed => Self {
                pivot_limit_base: pivots,
                pivot_limit_per_variable: 0,
                ..self
            },
            _ => self,
        }
    }

    /// Pivots allowed on a problem of n variables.
    fn pivot_limit(&self, n: usize) -> usize {
        let per_variable = self.pivot_limit_per_variable.saturating_mul(n);
        self.pivot_limit_base.saturating_add(per_variable)
    }

    /// The same for a run that starts near its end: fresh factors, few pivots, little rounding.
    #[must_use]
    pub fn tight(self) -> Self {
        Self {
            feasibility_tolerance: 1e-2 * self.feasibility_tolerance,
            noise: 0.0,
            ..self
        }
    }
}

/// Where a run starts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Start<'a> {
    /// Which z are basic besides the free ones; empty for none: the cold start.
    pub basis: &'a [bool],
    /// c′_i > 0 for the basic member of each pair; empty for 1 where M_ii ≠ 0 and [`ZERO_DIAGONAL_COVER`] elsewhere.
    pub cover: &'a [f64],
    /// Order in which lexicographic ties compare the columns of B⁻¹: 0 for 0..n, 1 for its reverse, others by a hash. Every order ends in exact
    /// arithmetic, but one that takes 2ⁿ pivots may take n in another.
    pub order: u64,
}

impl Start<'_> {
    fn cover_of(&self, data: Data<'_>, i: usize) -> f64 {
        match self.cover.get(i) {
            Some(&given) => given,
            None if data.M.diagonal()[i] == 0.0 => ZERO_DIAGONAL_COVER,
            None => 1.0,
        }
    }
}

/// Place of row i in an order of [`Start::order`]: rows are compared from the least place on.
fn place(order: u64, i: usize) -> u64 {
    match order {
        0 => i as u64,
        1 => u64::MAX - i as u64,
        _ => mix(order << 32 | i as u64),
    }
}

/// Cover of a row with M_ii = 0, after balancing. Such rows bound other variables (the friction cone's γ), and a small cover keeps
/// those bounds tight along the path: for a peg with 32 contacts and 8 directions 93 pivots instead of 148 (median).
pub const ZERO_DIAGONAL_COVER: f64 = 0.01;

/// Lemke's method with its buffers.
#[derive(Debug, Clone)]
pub struct Lemke<T> {
    kernel: Kernel<T>,
    /// Values of the basic z, in the order of C.
    x: Vec<T>,
    /// Values of the basic w; meaningless in the rows of R.
    w: Vec<T>,
    /// `x` as carried along the path, at its end.
    path_x: Vec<T>,
    /// m′ for the basic z and the basic w.
    dx: Vec<T>,
    dw: Vec<T>,
    /// Keys of the bases met.
    met: Vec<u64>,
    basis_key: u64,
    /// Basic variables that decrease: who, value, rate.
    blockers: Vec<(Var, T, T)>,
    /// Variables tied in the ratio test.
    tied: Vec<Var>,
    tie_work: ties::Work<T>,
    /// Largest |q_i| after scaling: what "zero" is relative to.
    size: f64,
    /// The driving variable: on a ray, the one that grows.
    driving: Var,
    pivots: usize,
}

impl<T: Real> Default for Lemke<T> {
    fn default() -> Self {
        Self {
            kernel: Kernel::default(),
            x: Vec::new(),
            path_x: Vec::new(),
            w: Vec::new(),
            dx: Vec::new(),
            dw: Vec::new(),
            met: Vec::new(),
            basis_key: 0,
            blockers: Vec::new(),
            tied: Vec::new(),
            tie_work: ties::Work::default(),
            size: 0.0,
            driving: Var::Z0,
            pivots: 0,
        }
    }
}

/// z₀ may leave when no other variable falls below zero by more than this many times the feasibility tolerance.
const LEAVING_TOLERANCES: f64 = 100.0;

/// How many bases are remembered: `REMEMBERED_BASES + REMEMBERED_BASES_PER_VARIABLE * n`. Cycles seen so far have fewer than a hundred.
const REMEMBERED_BASES: usize = 256;
const REMEMBERED_BASES_PER_VARIABLE: usize = 4;

/// What became of z₀ at the start.
enum Entered {
    /// Nothing is negative: z₀ is not needed.
    Feasible,
    /// It is basic in the place of this variable.
    For(Var),
    /// The exchange failed.
    Broken,
}

/// What the ratio test found.
enum Block<T> {
    /// No basic variable decreases.
    None,
    /// This variable reaches zero after a step of this length.
    At(Var, T),
    /// Lexicographic comparison could not tell the tied rows apart.
    Unresolved,
}

impl<T: Real> Lemke<T> {
    /// Runs the method from `start`. On [`Outcome::Complementary`] the answer is in `z`.
    pub fn run(&mut self, data: Data<'_>, start: Start<'_>, options: &Options, z: &mut [f64]) -> Outcome {
        self.pivots = 0;
        if options.lexicographic {
            self.tie_work.arrange(data.n(), |i| place(start.order, i));
        }
        if !self.begin(data, start) {
            return Outcome::Singular;
        }
        let leaving = match self.enter_z0(data, start, options) {
            Entered::Feasible => {
                self.finish(data, options, z); // Step 0: q ≥ 0
                return Outcome::Complementary;
            }
            Entered::For(leaving) => leaving,
            Entered::Broken => return Outcome::Singular,
        };
        let first_z0 = self.z0();
        let Some(mut driving) = leaving.complement() else {
            return Outcome::Singular;
        };
        let limit = options.pivot_limit(data.n());
        loop {
            self.driving = driving;
            self.kernel.direction(data, driving, &mut self.dx, &mut self.dw); // (20), (21)
            let (leaving, step) = match self.blocking(data, driving, options) {
                Block::None => return Outcome::Ray, // Step 1
                Block::Unresolved => return Outcome::Cycle,
                Block::At(_, step) if self.z0_vanishes(step.to_f64(), options.stop_tolerance * first_z0) => {
                    (Var::Z0, step)
                }
                Block::At(leaving, step) => (leaving, step),
            };
            self.advance(driving, step);
            if !self.pivot(data, driving, leaving) {
                return Outcome::Singular;
            }
            if leaving == Var::Z0 {
                self.finish(data, options, z); // Step 2
                return Outcome::Complementary;
            }
            if self.pivots >= limit {
                return Outcome::PivotLimit;
            }
            if !options.lexicographic && self.returned() {
                return Outcome::Cycle;
            }
            if self.pivots.is_multiple_of(options.refresh) && !self.refresh(data) {
                return Outcome::Singular;
            }
            let Some(next) = leaving.complement() else {
                return Outcome::Singular;
            };
            driving = next;
        }
    }

    /// Pivots of the last run.
    #[must_use]
    pub fn pivots(&self) -> usize {
        self.pivots
    }

    /// Factorizations from scratch in the last run.
    #[must_use]
    pub fn factorizations(&self) -> usize {
        self.kernel.factorizations
    }

    /// Which z are basic after the last run: where the next one may start.
    pub fn basis(&self, n: usize, basic: &mut Vec<bool>) {
        basic.clear();
        basic.resize(n, false);
        for &j in self.kernel.columns.iter().filter(|&&j| j < n) {
            basic[j] = true;
        }
    }

    /// The direction of z along the ray that ended the last run, scaled to a largest entry of 1.
    #[must_use]
    pub fn ray(&self, data: Data<'_>) -> Vec<f64> {
        let (n, scale) = (data.n(), data.M.unit_scale());
        let mut direction = vec![0.0; n];
        for (&j, &dx) in self.kernel.columns.iter().zip(&self.dx) {
            if j < n {
                direction[j] = dx.to_f64() * scale[j];
            }
        }
        if let Var::Z(s) = self.driving {
            direction[s] = scale[s];
        }
        let largest = direction.iter().fold(0.0f64, |m, v| v.abs().max(m));
        if largest > 0.0 {
            for v in &mut direction {
                *v /= largest;
            }
        }
        direction
    }

    /// Sets up the starting basis and its values. False when its kernel is singular.
    fn begin(&mut self, data: Data<'_>, start: Start<'_>) -> bool {
        let n = data.q.len();
        self.kernel.begin(data, start.basis);
        self.w.resize(n, T::ZERO);
        self.dw.resize(n, T::ZERO);
        for list in [&mut self.x, &mut self.dx, &mut self.path_x] {
            list.clear();
            list.reserve(n + 2);
        }
        self.blockers.clear();
        self.blockers.reserve(2 * n + 2);
        self.tied.clear();
        self.tied.reserve(2 * n + 2);
        self.met.clear();
        self.met.reserve(REMEMBERED_BASES_PER_VARIABLE * n + REMEMBERED_BASES);
        self.basis_key = 0;
        self.size = (0..n).fold(0.0f64, |m, i| (data.q[i] * data.M.row_scale()[i]).abs().max(m));
        if !self.kernel.columns.is_empty() && !self.kernel.factor(data) {
            return false;
        }
        self.kernel.values(data, &mut self.x, &mut self.w); // (19)
        self.kernel.cover(data, start);
        true
    }

    /// Step 0: pivots z₀ with the basic variable that is most negative.
    fn enter_z0(&mut self, data: Data<'_>, start: Start<'_>, options: &Options) -> Entered {
        let mut worst: Option<(Var, T, u64)> = None;
        let mut consider = |var: Var, i: usize, value: T| {
            if value < T::ZERO {
                let value = value / T::from_f64(start.cover_of(data, i));
                let place = place(start.order, i);
                let deeper = match worst {
                    None => true,
                    // The last of equal rows is the lexicographically least: its unit vector starts later.
                    Some((_, least, before)) => {
                        value < least || (value == least && options.lexicographic && place > before)
                    }
                };
                if deeper {
                    worst = Some((var, value, place));
                }
            }
        };
        for (&j, &x) in self.kernel.columns.iter().zip(&self.x) {
            if !data.is_free(j) {
                consider(Var::Z(j), j, x);
            }
        }
        for i in 0..self.w.len() {
            if !self.kernel.is_nonbasic_w(i) {
                consider(Var::W(i), i, self.w[i]);
            }
        }
        let Some((leaving, value, _)) = worst else {
            return Entered::Feasible;
        };
        self.kernel.direction(data, Var::Z0, &mut self.dx, &mut self.dw);
        self.advance(Var::Z0, -value);
        if self.pivot(data, Var::Z0, leaving) {
            Entered::For(leaving)
        } else {
            Entered::Broken
        }
    }

    /// Whether a step brings z₀ to zero except for rounding: then it leaves, even if another variable seems to block first.
    fn z0_vanishes(&self, step: f64, limit: f64) -> bool {
        self.kernel.position_of_z0().is_some_and(|p| {
            let (z0, d) = (self.x[p].to_f64(), self.dx[p].to_f64());
            d < 0.0 && z0 + d * step <= limit
        })
    }

    /// z₀, as a double; 0 when it is not basic.
    fn z0(&self) -> f64 {
        self.kernel.position_of_z0().map_or(0.0, |p| self.x[p].to_f64())
    }

    /// Moves all basic variables along m′ and gives the driving one its value.
    fn advance(&mut self, driving: Var, step: T) {
        for (x, &dx) in self.x.iter_mut().zip(&self.dx) {
            *x += dx * step;
        }
        for (w, &dw) in self.w.iter_mut().zip(&self.dw) {
            *w += dw * step;
        }
        // The driving variable is not basic yet: its value waits at the end of x, or in its row of w.
        match driving {
            Var::W(s) => self.w[s] = step,
            Var::Z(_) | Var::Z0 => self.x.push(step),
        }
    }

    /// Exchanges the driving and the blocking variable. False when the kernel becomes singular.
    fn pivot(&mut self, data: Data<'_>, driving: Var, leaving: Var) -> bool {
        if let Some(position) = self.kernel.position(leaving) {
            self.x.remove(position);
        }
        self.basis_key ^= driving.key() ^ leaving.key();
        self.pivots += 1;
        self.kernel.exchange(data, driving, leaving)
    }

    /// Whether this basis has occurred before. On a path without ties none comes back; with ties whole cycles of vertices can.
    fn returned(&mut self) -> bool {
        let seen = self.met.contains(&self.basis_key);
        if self.met.len() < self.met.capacity() {
            self.met.push(self.basis_key);
        } else {
            let oldest = self.pivots % self.met.len();
            self.met[oldest] = self.basis_key;
        }
        seen
    }

    /// Recomputes the basic variables (19); factors the kernel again when they had drifted.
    fn refresh(&mut self, data: Data<'_>) -> bool {
        // Drifted: by more than the tie tolerance's share of the problem's size.
        const DRIFT_REL_TOL: f64 = 1e-9;
        let (old_z0, old_norm) = (self.z0(), sum_of_magnitudes(&self.x));
        self.kernel.values(data, &mut self.x, &mut self.w);
        let drift = (self.z0() - old_z0).abs() + (sum_of_magnitudes(&self.x) - old_norm).abs();
        if drift <= DRIFT_REL_TOL * (self.size + old_norm) {
            return true;
        }
        if !self.kernel.factor(data) {
            return false;
        }
        self.kernel.values(data, &mut self.x, &mut self.w);
        true
    }

    /// The ratio test (18) in two passes (Harris): how far the driving variable may go if every basic variable may fall
    /// below zero by a rounding; then the best pivot among the variables that reach zero by then.
    fn blocking(&mut self, data: Data<'_>, driving: Var, options: &Options) -> Block<T> {
        let largest = self
            .dx
            .iter()
            .chain(&self.dw)
            .fold(0.0f64, |m, d| d.to_f64().abs().max(m));
        let threshold = -options.pivot_tolerance * largest;
        let x_size = self.x.iter().fold(0.0f64, |m, v| v.to_f64().abs().max(m));
        let slack = options.feasibility_tolerance * self.size + options.noise * T::ROUNDOFF * x_size;
        let (mut reach, mut reach_of_z0) = (f64::INFINITY, f64::INFINITY);
        let blockers = &mut self.blockers;
        blockers.clear();
        let mut consider = |var: Var, value: T, d: T| {
            let (room, rate) = (value.to_f64().max(0.0), -d.to_f64());
            reach = reach.min((room * (1.0 + options.tie_tolerance) + slack) / rate);
            // A larger slack for the last pivot of all: whatever it leaves below zero, a restart from its basis mends.
            reach_of_z0 = reach_of_z0.min((room + LEAVING_TOLERANCES * slack) / rate);
            blockers.push((var, value, d));
        };
        for (position, d) in self.dx.iter().enumerate() {
            if d.to_f64() < threshold && !self.kernel.is_free_column(data, position) {
                consider(self.kernel.column_var(position), self.x[position], *d);
            }
        }
        for (i, (d, w)) in self.dw.iter().zip(&self.w).enumerate() {
            if d.to_f64() < threshold {
                consider(Var::W(i), *w, *d);
            }
        }
        self.choose(data, driving, reach, reach_of_z0, options)
    }

    /// Among the variables that block within `reach`: z₀ if it is one, else the largest pivot.
    fn choose(&mut self, data: Data<'_>, driving: Var, reach: f64, reach_of_z0: f64, options: &Options) -> Block<T> {
        self.tied.clear();
        let mut best: Option<(Var, T, T)> = None;
        for &(var, value, d) in &self.blockers {
            let ratio = ratio(value, d);
            if var == Var::Z0 && ratio.to_f64() <= reach_of_z0 {
                return Block::At(var, ratio);
            }
            if ratio.to_f64() <= reach {
                self.tied.push(var);
                if best.is_none_or(|(_, pivot, _)| d < pivot) {
                    best = Some((var, d, ratio));
                }
            }
        }
        match best {
            None => Block::None,
            Some(_) if options.lexicographic && self.tied.len() > 1 => self.resolve_tie(data, driving),
            Some((var, _, ratio)) => Block::At(var, ratio),
        }
    }

    /// Lexicographic choice among `self.tied`.
    fn resolve_tie(&mut self, data: Data<'_>, driving: Var) -> Block<T> {
        let kernel = &mut self.kernel;
        let chosen = self.tie_work.least(kernel, data, &self.dx, &self.dw, &mut self.tied);
        // The columns of B⁻¹ went through the factors: compute m′ again so that they remember it.
        self.kernel.direction(data, driving, &mut self.dx, &mut self.dw);
        let blocked = |value: T, d: T| chosen.map_or(Block::Unresolved, |var| Block::At(var, ratio(value, d)));
        match chosen {
            Some(Var::W(i)) => blocked(self.w[i], self.dw[i]),
            Some(var) => match self.kernel.position(var) {
                Some(p) => blocked(self.x[p], self.dx[p]),
                None => Block::Unresolved,
            },
            None => Block::Unresolved,
        }
    }

    /// Writes z from the complementary basis, after one step of iterative refinement.
    ///
    /// A nearly singular kernel can turn a zero into a negative number: redundant contacts that differ by 1e-8 are enough. The
    /// values carried along the path then satisfy the same equations and are feasible, and are taken instead.
    fn finish(&mut self, data: Data<'_>, options: &Options, z: &mut [f64]) {
        self.path_x.clear();
        self.path_x.extend_from_slice(&self.x);
        self.kernel.refined_values(data, self.size, &mut self.x, &mut self.dx);
        let slack = T::from_f64(-options.feasibility_tolerance * self.size);
        let least = |values: &[T]| {
            let bounded = self
                .kernel
                .columns
                .iter()
                .zip(values)
                .filter(|(j, _)| !data.is_free(**j));
            bounded.fold(T::ZERO, |m, (_, &x)| if x < m { x } else { m })
        };
        let (computed, carried) = (least(&self.x), least(&self.path_x));
        let values = if computed < slack && carried > computed {
            &self.path_x
        } else {
            &self.x
        };
        z.fill(0.0);
        for (&j, &x) in self.kernel.columns.iter().zip(values) {
            let value = x.to_f64() * data.M.unit_scale()[j];
            z[j] = if data.is_free(j) { value } else { value.max(0.0) };
        }
    }
}

/// −value / d, with values below zero by rounding counted as zero.
fn ratio<T: Real>(value: T, d: T) -> T {
    if value <= T::ZERO { T::ZERO } else { value / -d }
}

fn sum_of_magnitudes<T: Real>(values: &[T]) -> f64 {
    values.iter().fold(0.0, |sum, v| sum + v.to_f64().abs())
}
