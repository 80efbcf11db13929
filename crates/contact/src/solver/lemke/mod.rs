//! Lemke's path on the contact LCP, structural and reduced \[Lloyd 4, 5; TR App. A, D\].
//!
//! *Structural* starts with all friction variables; *reduced* adds those of a contact when it first pushes, so that the cost is set by
//! the contacts that carry load, of which there are at most as many as coordinates. Both use one [`kernel`].
//!
//! Differences from the paper, with their reasons in `docs/PAPERS.md`: the cover is (1, 100, 0.01) on (ν, σ, γ) instead of ones, and a
//! new contact raises only the cover of its σ rows; ties go to the largest pivot, and a basis that comes back turns ties over to a
//! reproducible shuffle; the path ends as soon as z₀ is rounding. The answer is not judged here.

pub(crate) mod basis;
mod demand;
mod exchange;
pub(crate) mod factor;
pub(crate) mod kernel;
#[cfg(test)]
mod kernel_tests;
mod ratio;
mod ray;
#[cfg(test)]
mod tests;
mod unknowns;
pub(crate) mod values;
mod warm;

use crate::problem::ContactProblem;
use crate::solver::columns::Columns;
use basis::{Basis, Var, bits};
use demand::Demand;
use kernel::Kernel;
use ratio::{Motion, RatioTest, visit_basic};
use values::{Cover, Load, Setting, Values};
pub(crate) use warm::{Guess, WarmBasis};

/// Cover of the ν, σ and γ rows. Measured: 20 pivots instead of 31 at 32 contacts.
const COVER: (f64, f64, f64) = (1.0, 100.0, 0.01);

/// z₀ counts as zero below this fraction of its first value: the point is a solution although z₀ is formally basic.
const Z0_ZERO: f64 = 1e-12;

/// Basic variables this far below zero, relative to the problem, are rounding.
const TIDY: f64 = 1e-14;

/// Pivots between recomputations of the values from the problem.
const REFRESH: usize = 16;

/// Basic variables this far below zero at the end, relative to the problem, mean that the path was lost.
const LOST: f64 = 1e-9;

/// Impulses this many times larger than the velocities, in units of the contact's own inverse mass, cost digits.
const HEAVY: f64 = 30.0;

/// Steps of iterative refinement at the end.
const REFINEMENTS: usize = 3;

/// Restarts from the current basis that a path may take.
const RECOVERIES: usize = 4;

/// Times that a basis may come back before the path gives up.
const RETURNS: usize = 32;

/// The basis of a path, borrowed field by field so that kernel and values stay free.
macro_rules! setting {
    ($path:ident) => {
        Setting {
            columns: &$path.columns,
            basis: &$path.basis,
            cover: &$path.cover,
            active: &$path.active,
        }
    };
}
use setting;

/// How a path ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// z₀ left the basis.
    Solved,
    /// No variable blocks the driving one.
    Ray,
    /// The kernel cannot be factored.
    Singular,
    /// Bases kept coming back.
    Cycle,
    /// Too many pivots.
    Limit,
    /// z₀ left, but the values of the basis on the problem are not what the path thought.
    Lost,
}

/// Which variables the path starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// θ and ν only, for good.
    Frictionless,
    /// Friction of a contact enters when it first pushes.
    Reduced,
    /// All friction from the start.
    Structural,
}

/// Lemke's path with its buffers.
#[derive(Debug, Clone, Default)]
pub(crate) struct LemkePath {
    columns: Columns,
    basis: Basis,
    cover: Cover,
    kernel: Kernel,
    now: Values,
    rate: Values,
    ratio: RatioTest,
    /// Items with a basic z, a nonbasic w or friction variables, in order; all joint rows.
    active: Vec<usize>,
    /// Basis to compare with, and the pivot that replaces it (Brent's cycle finding).
    checkpoint: (u64, usize),
    form: Option<Form>,
    driving: Option<Var>,
    pivots: usize,
    /// Size of the velocities: the first z₀.
    scale: f64,
    /// Largest entry of the cover.
    largest_cover: f64,
    /// How far the most negative basic variable of the final basis lies below zero.
    deepest: f64,
    /// Velocity that z₀ = 1 stands for.
    unit: f64,
    /// Basic w that a warm start lifts.
    lifted: Vec<(Var, f64)>,
    demand: Demand,
    /// Contacts with slip are dynamic.
    dynamic: bool,
    /// Most pivots of a run that starts warm.
    patience: Option<usize>,
}

impl LemkePath {
    /// Says whether contacts with slip are dynamic in the runs to come.
    pub(crate) fn set_dynamic(&mut self, dynamic: bool) {
        self.dynamic = dynamic;
    }

    /// Pivots of the last run.
    pub(crate) fn pivots(&self) -> usize {
        self.pivots
    }

    /// Follows the path from the basis of all w.
    pub(crate) fn run(&mut self, problem: &ContactProblem, d: usize, form: Form) -> End {
        let mut asked = 0;
        if Self::is_crowded(problem, form) {
            if let Some(end) = self.run_by_demand(problem, d, form, None) {
                return end;
            }
            asked = self.pivots;
        }
        self.columns.set(problem, d, self.dynamic);
        self.begin(d, form);
        if form == Form::Structural {
            for i in 0..self.columns.items.len() {
                self.expand(i, COVER.1);
            }
        }
        let end = self.enter_z0();
        let end = self.recover(end);
        self.pivots += asked;
        end
    }

    /// Enters z₀ at the basis of all w, and follows the path.
    fn enter_z0(&mut self) -> End {
        if !self.refactor() {
            return End::Singular;
        }
        self.refresh();
        let Some((w_r, z0)) = self.first_leaving() else {
            return End::Solved;
        };
        self.scale = z0;
        self.now.z0 = z0;
        self.basis.swap(w_r, Var::Z0);
        self.activate(w_r);
        self.follow(w_r.complement(), false)
    }

    /// A path that lost its way to rounding starts again from the basis it has \[Tomlin 1978\].
    fn recover(&mut self, mut end: End) -> End {
        for _ in 0..RECOVERIES {
            if self.is_impatient() && end == End::Limit {
                return end;
            }
            if end == End::Solved && self.deepest <= LOST * self.scale {
                return End::Solved;
            }
            match self.resume() {
                Some(next) => end = next,
                None => break,
            }
        }
        if end == End::Solved && self.deepest > LOST * self.scale {
            End::Lost
        } else {
            end
        }
    }

    /// All contacts open: buffers sized, cover set, joint rows active.
    fn begin(&mut self, d: usize, form: Form) {
        let (items, dof) = (self.columns.items.len(), self.columns.k_x.len());
        self.form = Some(form);
        self.driving = None;
        self.pivots = 0;
        self.scale = 0.0;
        self.deepest = 0.0;
        self.kernel.forget();
        self.basis.reset(items);
        self.now.reset(items, d, dof);
        self.rate.reset(items, d, dof);
        self.reset_cover();
        self.active.clear();
        let joints = (0..items).filter(|i| self.columns.items[*i].is_joint);
        self.active.extend(joints);
    }

    fn reset_cover(&mut self) {
        let items = self.columns.items.len();
        for (list, value) in [
            (&mut self.cover.nu, COVER.0),
            (&mut self.cover.sigma, COVER.1),
            (&mut self.cover.gamma, COVER.2),
        ] {
            list.clear();
            list.resize(items, value);
        }
        // Joint rows are not covered.
        for (c, item) in self.cover.nu.iter_mut().zip(&self.columns.items) {
            if item.is_joint {
                *c = 0.0;
            }
        }
        self.cover.by_direction.clear();
        self.largest_cover = COVER.1;
        self.unit = 1.0;
    }

    /// Row that needs the most z₀: max −q_i/c_i \[Lloyd 4, step 0\].
    fn first_leaving(&self) -> Option<(Var, f64)> {
        let mut first: Option<(Var, f64)> = None;
        let mut offer = |var, z0: f64| {
            if z0 > 0.0 && first.is_none_or(|(_, best)| z0 > best) {
                first = Some((var, z0));
            }
        };
        for (i, p) in self.basis.pairs.iter().enumerate() {
            if self.columns.items[i].is_joint {
                continue;
            }
            offer(Var::Nu(i), -self.now.nu[i] / self.cover.nu[i]);
            for j in bits(p.sigma) {
                let [x, y] = self.columns.direction(i, j);
                let [sx, sy] = self.now.slip[i];
                offer(Var::Sigma(i, j), -(x * sx + y * sy) / self.cover.sigma[i]);
            }
        }
        // Without a contact that approaches, no impulse is needed: friction alone cannot act.
        let approaches = (0..self.columns.items.len()).any(|i| !self.columns.items[i].is_joint && self.now.nu[i] < 0.0);
        first.filter(|_| approaches)
    }

    /// Drives variables until z₀ leaves \[Lloyd 4, steps 1 and 2\].
    ///
    /// `factored`: the kernel is that of the basis, and the values are fresh.
    fn follow(&mut self, first: Var, factored: bool) -> End {
        let limit = 1000 + 60 * self.columns.items.len();
        let (mut driving, mut factored) = (first, factored);
        let (mut stale, mut shuffle, mut returns) = (0, None, 0);
        self.checkpoint = (0, self.pivots + 1);
        for _ in 0..limit {
            if self.is_impatient() {
                return End::Limit;
            }
            self.pivots += 1;
            self.driving = Some(driving);
            if let Var::Theta(i) = driving {
                factored &= !self.expand_reduced(i);
            }
            self.activate(driving);
            if !factored && !self.refactor() {
                return End::Singular;
            }
            factored = false;
            if stale >= REFRESH {
                self.refresh();
                stale = 0;
            }
            stale += 1;
            let at = setting!(self);
            self.kernel.values(at, Load::Driving(driving), &mut self.rate);
            let motion = Motion {
                now: &self.now,
                rate: &self.rate,
                scale: self.scale,
            };
            let blocking = self.ratio.blocking(at, motion, shuffle);
            let Some(blocking) = blocking else { return End::Ray };
            self.step(blocking.step);
            self.basis.swap(blocking.var, driving);
            self.clear(blocking.var);
            if blocking.var == Var::Z0 {
                return self.finish();
            }
            if self.z0_is_zero() {
                return self.drop_z0(blocking.var);
            }
            self.activate(blocking.var);
            if self.comes_back() {
                returns += 1;
                if returns > RETURNS {
                    return End::Cycle;
                }
            }
            shuffle = (returns > 0).then_some(self.pivots as u64);
            driving = blocking.var.complement();
        }
        End::Limit
    }

    /// Whether the basis was met before: ties broken alike would lead around for ever.
    fn comes_back(&mut self) -> bool {
        let hash = self.basis.hash();
        let met = hash == self.checkpoint.0;
        if met || self.pivots >= self.checkpoint.1 {
            self.checkpoint = (hash, 2 * self.pivots);
        }
        met
    }

    /// z₀ and all that it covers are rounding.
    fn z0_is_zero(&self) -> bool {
        self.now.z0 * self.largest_cover <= Z0_ZERO * COVER.1 * self.scale
    }

    fn refactor(&mut self) -> bool {
        self.kernel.factor(setting!(self))
    }

    /// Values of the basic variables from the problem: q′ = B⁻¹q.
    fn refresh(&mut self) {
        self.kernel.values(setting!(self), Load::Problem, &mut self.now);
    }

    /// Moves all values along the rates.
    fn step(&mut self, t: f64) {
        if t == 0.0 {
            return;
        }
        let (now, rate) = (&mut self.now, &self.rate);
        now.z0 += t * rate.z0;
        for (x, r) in now.v.iter_mut().zip(&rate.v) {
            *x += t * r;
        }
        for (x, r) in now.nu.iter_mut().zip(&rate.nu) {
            *x += t * r;
        }
        let d = self.columns.circle.count();
        for &i in &self.active {
            now.theta[i] += t * rate.theta[i];
            now.lambda[i] += t * rate.lambda[i];
            now.phi_sum[i] += t * rate.phi_sum[i];
            now.slip[i][0] += t * rate.slip[i][0];
            now.slip[i][1] += t * rate.slip[i][1];
            let driven = match self.driving {
                Some(Var::Phi(k, j)) if k == i => 1 << j,
                _ => 0,
            };
            for j in bits(self.basis.pairs[i].phi | driven) {
                now.phi[i * d + j] += t * rate.phi[i * d + j];
            }
        }
    }

    /// A variable that left is exactly zero.
    fn clear(&mut self, var: Var) {
        let d = self.columns.circle.count();
        match var {
            Var::Theta(i) => self.now.theta[i] = 0.0,
            Var::Lambda(i) => self.now.lambda[i] = 0.0,
            Var::Phi(i, j) => self.now.phi[i * d + j] = 0.0,
            Var::Z0 => self.now.z0 = 0.0,
            _ => {}
        }
    }

    fn activate(&mut self, var: Var) {
        if let Var::Theta(i) | Var::Nu(i) = var {
            self.admit(i);
        }
    }

    /// Makes an item active.
    fn admit(&mut self, i: usize) {
        if let Err(at) = self.active.binary_search(&i) {
            self.active.insert(at, i);
            self.now.slip[i] = self.slip(i);
        }
    }

    fn slip(&self, i: usize) -> [f64; 2] {
        let item = &self.columns.items[i];
        let [x, y] = self.columns.along_tangents(i, &self.now.v);
        [x + item.bias[1], y + item.bias[2]]
    }

    /// φ of a contact start from zero.
    fn clear_phi(&mut self, i: usize) {
        let d = self.columns.circle.count();
        for values in [&mut self.now, &mut self.rate] {
            values.phi[i * d..(i + 1) * d].fill(0.0);
        }
    }

    /// Adds the friction variables of a contact.
    fn expand(&mut self, i: usize, c_sigma: f64) {
        let item = &self.columns.items[i];
        if item.is_joint || item.mu == 0.0 || self.basis.pairs[i].expanded {
            return;
        }
        let d = self.columns.direction_count(i);
        self.basis.pairs[i].expand(d);
        self.clear_phi(i);
        self.cover.sigma[i] = c_sigma;
        self.largest_cover = self.largest_cover.max(c_sigma);
        self.admit(i);
    }

    /// Friction of a contact that begins to push \[Lloyd TR App. D\]: the cover of its σ rows is raised until they are feasible, the
    /// same for all directions. γ rows never need it: a new one is c_γ z₀ > 0. Returns whether the contact got friction variables.
    fn expand_reduced(&mut self, i: usize) -> bool {
        if self.form == Some(Form::Frictionless) || self.basis.pairs[i].expanded || self.columns.items[i].mu == 0.0 {
            return false;
        }
        let slip = self.slip(i);
        let d = self.columns.direction_count(i);
        let mut lowest = 0.0_f64;
        for j in 0..d {
            let [x, y] = self.columns.direction(i, j);
            lowest = lowest.min(x * slip[0] + y * slip[1]);
        }
        // A tenth more than needed keeps the new rows apart from a tie.
        let needed = 1.1 * -lowest / self.now.z0;
        self.expand(i, needed.max(COVER.1 * self.unit));
        true
    }

    /// z₀ is rounding but basic, and the pair of w_r is zero: either member can take its place. The better one does.
    fn drop_z0(&mut self, w_r: Var) -> End {
        self.basis.swap(Var::Z0, w_r);
        let first = self.finish();
        let deepest = self.deepest;
        if first == End::Solved && deepest <= TIDY * self.scale {
            return first;
        }
        self.basis.swap(w_r, w_r.complement());
        let second = self.finish();
        if second != End::Solved || (first == End::Solved && self.deepest > deepest) {
            self.basis.swap(w_r.complement(), w_r);
            return self.finish();
        }
        second
    }

    /// Values of the final basis from the problem; z₀ = 0. Refined where something is below zero or rounding may show.
    fn finish(&mut self) -> End {
        // The last values come from a factor of their own.
        self.kernel.forget();
        if !self.refactor() {
            return End::Singular;
        }
        self.refresh();
        self.deepest = self.violation();
        if self.deepest > 0.0 || self.kernel.is_large() || self.is_heavy() {
            for _ in 0..REFINEMENTS {
                if self.kernel.refine(setting!(self), &mut self.now) <= TIDY * self.scale {
                    break;
                }
            }
            self.deepest = self.violation();
        }
        End::Solved
    }

    /// Impulses are far larger than the velocities that they make: heavy bodies on light ones.
    fn is_heavy(&self) -> bool {
        self.active
            .iter()
            .any(|i| self.now.theta[*i].abs() > HEAVY * self.scale)
    }

    /// How far the most negative basic variable lies below zero.
    fn violation(&self) -> f64 {
        let mut worst = 0.0_f64;
        visit_basic(setting!(self), &self.now, &self.now, |_, value, _| {
            worst = worst.max(-value);
        });
        worst
    }

    /// Writes impulses in the problem's order and units; φ has d entries a contact where it is wanted.
    pub(crate) fn write(
        &self,
        normal: &mut [f64],
        friction: &mut [[f64; 2]],
        mut phi: Option<&mut [f64]>,
        joint: &mut [f64],
    ) {
        normal.fill(0.0);
        friction.fill([0.0; 2]);
        joint.fill(0.0);
        if let Some(phi) = phi.as_deref_mut() {
            phi.fill(0.0);
        }
        let d = self.columns.circle.count();
        for &i in &self.active {
            let item = &self.columns.items[i];
            if item.is_joint {
                joint[item.index] = item.scale * self.now.theta[i];
                continue;
            }
            let p = self.basis.pairs[i];
            if p.theta {
                let theta = item.scale * self.now.theta[i].max(0.0);
                normal[item.index] = theta;
                friction[item.index] = item.drag.map(|g| g * theta);
            }
            for j in bits(p.phi) {
                let x = item.scale * self.now.phi[i * d + j].max(0.0);
                let direction = self.columns.direction(i, j);
                friction[item.index][0] += x * direction[0];
                friction[item.index][1] += x * direction[1];
                if let Some(phi) = phi.as_deref_mut() {
                    phi[item.index * d + j] = x;
                }
            }
        }
    }
}
