//! Warm start: Lemke's path from the basis of an earlier solution.
//!
//! The old complementary basis on the new data gives values x. If x ≥ 0 it is the answer, after no pivot. Otherwise a cover is built that
//! makes the point feasible at z₀ = 1: basic variables below zero are lifted by Δ_i = U + |x_i|, U the deepest, and c = −MΔ (+ Δ on
//! basic w rows) takes up what that changes in the rows. Driving z₀ from there to zero is Lemke on the principal pivot transform.
//! With friction a ray may end it although a solution exists: the caller starts cold then.

use super::basis::{Pairs, Var, all, bits};
use super::ratio::visit_basic;
use super::values::Setting;
use super::{COVER, End, Form, LemkePath, setting};
use crate::bytes::Source;
use crate::cone::{Circle, neighbours};
use crate::problem::ContactProblem;
use crate::solver::columns::Item;

/// Pivots of a warm start of a crowded body, beside a quarter of the contacts, after which it is given up: after a change of sides the old basis leads a
/// long way round.
const PATIENCE: usize = 8;

/// What another method has found of a contact that pushes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Guess {
    /// Nothing of its friction.
    Push,
    /// It sticks, with this friction.
    Stick([f64; 2]),
    /// It slides, with friction along this direction.
    Slide([f64; 2]),
}

/// Final basis of a solve, by contact keys.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct WarmBasis {
    /// Contacts that push, sorted by key.
    contacts: Vec<(u64, Pairs)>,
    d: usize,
}

impl WarmBasis {
    /// Becomes a copy, in the room that it has.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.contacts.clone_from(&other.contacts);
        self.d = other.d;
    }

    /// Nothing is known.
    pub(crate) fn clear(&mut self) {
        self.contacts.clear();
        self.d = 0;
    }

    /// Forgets all, to be filled by [`Self::guess`] for `d` directions.
    pub(crate) fn begin_guess(&mut self, d: usize) {
        self.clear();
        self.d = d;
    }

    /// The basis that goes with what another method found: a sticking contact has the φ beside its friction, a sliding one the φ nearest
    /// to it and λ.
    pub(crate) fn guess(&mut self, key: u64, guess: Guess, planar: bool, rough: bool) {
        let circle = Circle::new(if planar { 2 } else { self.d });
        let mut p = Pairs {
            theta: true,
            nu: false,
            ..Pairs::OPEN
        };
        if rough {
            p.expand(circle.count());
            let mut take = |j: usize| {
                p.phi |= 1 << j;
                p.sigma &= !(1 << j);
            };
            let beside = |f: [f64; 2]| neighbours(circle.count(), |j| circle.direction(j), f);
            match guess {
                Guess::Push => {}
                Guess::Stick(f) if planar => take(beside(f)[0].0),
                Guess::Stick(f) => beside(f).into_iter().for_each(|(j, _)| take(j)),
                Guess::Slide(e) => {
                    let nearest = beside(e).into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
                    if let Some((j, _)) = nearest {
                        take(j);
                        p.lambda = true;
                        p.gamma = false;
                    }
                }
            }
        }
        self.contacts.push((key, p));
    }

    /// To be called once all islands are added.
    pub(crate) fn sort(&mut self) {
        self.contacts.sort_unstable_by_key(|(key, _)| *key);
        // Of a key that is not unique the first is taken.
        self.contacts.dedup_by_key(|(key, _)| *key);
    }

    /// Whether it has a contact of a problem.
    pub(crate) fn knows(&self, problem: &ContactProblem) -> bool {
        let has = |key: u64| self.contacts.binary_search_by_key(&key, |(key, _)| *key).is_ok();
        (0..problem.contact_count()).any(|i| has(problem.key(i)))
    }

    /// Keys of the contacts that push.
    pub(super) fn keys(&self) -> impl Iterator<Item = u64> {
        self.contacts.iter().map(|(key, _)| *key)
    }

    /// Appends the basis: d, then a key, five flags as bits, φ and σ for each contact.
    pub(crate) fn to_bytes(&self, out: &mut Vec<u8>) {
        out.extend((self.d as u64).to_le_bytes());
        out.extend((self.contacts.len() as u64).to_le_bytes());
        for (key, p) in &self.contacts {
            out.extend(key.to_le_bytes());
            let flags = [p.theta, p.nu, p.lambda, p.gamma, p.expanded];
            out.push(flags.iter().rev().fold(0, |byte, flag| byte << 1 | u8::from(*flag)));
            out.extend(p.phi.to_le_bytes());
            out.extend(p.sigma.to_le_bytes());
        }
    }

    /// Reads what [`Self::to_bytes`] has written; `None` where too little is there.
    pub(crate) fn from_bytes(source: &mut Source<'_>) -> Option<Self> {
        let d = usize::try_from(source.u64()?).ok()?;
        let contacts = source.list(|source| {
            let (key, [flags]) = (source.u64()?, source.take()?);
            let flag = |k: u8| flags >> k & 1 == 1;
            let pairs = Pairs {
                theta: flag(0),
                nu: flag(1),
                lambda: flag(2),
                gamma: flag(3),
                expanded: flag(4),
                phi: source.u64()?,
                sigma: source.u64()?,
            };
            Some((key, pairs))
        })?;
        Some(Self { contacts, d })
    }

    /// Whether a path can have ended with it: of no pair both are basic, and friction variables are those of d directions.
    pub(crate) fn is_sound(&self) -> bool {
        let known = all(self.d.max(2));
        let right = |p: &Pairs| {
            let pairs = !(p.theta && p.nu || p.lambda && p.gamma || p.phi & p.sigma != 0);
            pairs && (p.phi | p.sigma) & !known == 0 && (p.expanded || !p.lambda && !p.gamma && p.phi | p.sigma == 0)
        };
        self.contacts.is_sorted_by(|(a, _), (b, _)| a < b) && self.contacts.iter().all(|(_, p)| right(p))
    }

    fn find(&self, key: u64) -> Option<Pairs> {
        let at = self.contacts.binary_search_by_key(&key, |(k, _)| *k).ok()?;
        Some(self.contacts[at].1)
    }
}

impl LemkePath {
    /// Adds the final basis of a solved run; [`WarmBasis::sort`] ends the adding.
    pub(crate) fn save(&self, problem: &ContactProblem, warm: &mut WarmBasis) {
        warm.d = self.columns.circle.count();
        for &i in &self.active {
            let (item, p) = (&self.columns.items[i], self.basis.pairs[i]);
            if !item.is_joint && p.is_touched(self.columns.direction_count(i)) {
                warm.contacts.push((problem.key(item.index), p));
            }
        }
    }

    /// Follows the path from an earlier basis. `None` where that basis is of no use for this problem.
    pub(crate) fn run_warm(&mut self, problem: &ContactProblem, d: usize, form: Form, warm: &WarmBasis) -> Option<End> {
        if warm.d != d || warm.contacts.is_empty() {
            return None;
        }
        // Contacts by demand make a start from nothing cheap.
        self.patience = Self::is_crowded(problem, form).then(|| PATIENCE + problem.contact_count() / 4);
        let end = self.go_on_from(problem, d, form, warm);
        self.patience = None;
        end
    }

    /// Whether a warm start has made so many pivots that one from nothing is likely to be quicker.
    pub(super) fn is_impatient(&self) -> bool {
        self.patience.is_some_and(|most| self.pivots >= most)
    }

    fn go_on_from(&mut self, problem: &ContactProblem, d: usize, form: Form, warm: &WarmBasis) -> Option<End> {
        if Self::is_crowded(problem, form) {
            return self.run_by_demand(problem, d, form, Some(warm));
        }
        self.columns.set(problem, d, self.dynamic);
        self.begin(d, form);
        self.adopt(problem, warm);
        self.scale = self.largest_velocity();
        let end = self.resume()?;
        // Without a pivot the values were looked at already.
        Some(if self.pivots == 0 { end } else { self.recover(end) })
    }

    /// Follows the path from the current basis, z₀ taken out, with a cover that makes it feasible.
    pub(super) fn resume(&mut self) -> Option<End> {
        if let (true, Some(driving)) = (self.basis.z0, self.driving) {
            // Neither member of the driving variable's pair is basic: its w takes the place of z₀.
            let w = if driving.is_w() { driving } else { driving.complement() };
            self.basis.swap(Var::Z0, w);
        }
        self.reset_cover();
        if !self.refactor() {
            return None;
        }
        self.refresh();
        let deepest = self.violation();
        if deepest <= super::TIDY * self.scale {
            self.deepest = deepest;
            if deepest > 0.0 || self.kernel.is_large() {
                self.kernel.refine(setting!(self), &mut self.now);
            }
            return Some(End::Solved);
        }
        let (leaving, z0) = self.lift(deepest)?;
        self.basis.swap(leaving, Var::Z0);
        self.activate(leaving);
        if !self.refactor() {
            return None;
        }
        self.refresh();
        // The cover is right if the values come out as they were meant.
        if (self.now.z0 - z0).abs() > 1e-6 || self.violation() > 1e-9 * self.scale {
            return None;
        }
        Some(self.follow(leaving.complement(), true))
    }

    pub(super) fn adopt(&mut self, problem: &ContactProblem, warm: &WarmBasis) {
        for i in 0..self.columns.items.len() {
            let item = &self.columns.items[i];
            if item.is_joint {
                continue;
            }
            let Some(p) = warm.find(problem.key(item.index)) else {
                continue;
            };
            let friction = item.mu > 0.0 && self.form != Some(Form::Frictionless);
            let fits = p.sigma | p.phi == all(self.columns.direction_count(i));
            if p.expanded && (!friction || !fits) {
                self.basis.pairs[i] = Pairs {
                    theta: p.theta,
                    nu: p.nu,
                    ..Pairs::OPEN
                };
            } else {
                self.basis.pairs[i] = p;
            }
            self.clear_phi(i);
            if let Err(at) = self.active.binary_search(&i) {
                self.active.insert(at, i);
            }
        }
    }

    /// Fastest of the joints and of the contacts that are not open.
    fn largest_velocity(&self) -> f64 {
        let columns = &self.columns;
        let speed = |(i, item): (usize, &Item)| {
            let nu = columns.along_normal(i, &columns.k_x) + item.bias[0];
            if columns.comes_apart(i, nu) { 0.0 } else { nu.abs() }
        };
        let items = columns.items.iter().enumerate();
        items.map(speed).fold(f64::MIN_POSITIVE, f64::max)
    }

    /// Builds the cover; returns the variable that needs the most z₀, and how much.
    fn lift(&mut self, deepest: f64) -> Option<(Var, f64)> {
        let (items, d) = (self.columns.items.len(), self.columns.circle.count());
        // Rates hold Δ: of the impulses first, then what they change in the rows.
        self.rate.reset(items, d, self.columns.k_x.len());
        self.rate.phi.fill(0.0);
        let delta = &mut self.rate;
        let mut worst: Option<(Var, f64)> = None;
        let items_of = &self.columns.items;
        let mut lifted_w = std::mem::take(&mut self.lifted);
        lifted_w.clear();
        visit_basic(setting!(self), &self.now, &self.now, |var, value, _| {
            if value >= 0.0 {
                return;
            }
            if worst.is_none_or(|(_, x)| value < x) {
                worst = Some((var, value));
            }
            let lift = deepest - value;
            match var {
                Var::Theta(i) => delta.theta[i] = lift,
                Var::Phi(i, j) => delta.phi[i * d + j] = lift * items_of[i].unit(),
                Var::Lambda(i) => delta.lambda[i] = lift,
                Var::Gamma(i) => lifted_w.push((var, lift * items_of[i].unit())),
                _ => lifted_w.push((var, lift)),
            }
        });
        self.delta_rows(deepest);
        for (var, lift) in &lifted_w {
            match *var {
                Var::Nu(i) => self.cover.nu[i] += lift,
                Var::Gamma(i) => self.cover.gamma[i] += lift,
                Var::Sigma(i, j) => self.cover.by_direction[i * d + j] += lift,
                _ => {}
            }
        }
        self.lifted = lifted_w;
        let cover = &self.cover;
        let entries = cover
            .nu
            .iter()
            .chain(&cover.gamma)
            .chain(&cover.sigma)
            .chain(&cover.by_direction);
        self.largest_cover = entries.fold(0.0_f64, |m, c| m.max(c.abs()));
        worst.map(|(var, x)| (var, -x / (deepest - x)))
    }

    /// c = −MΔ on all rows; contacts without friction variables get the cold cover in units of the deepest violation.
    fn delta_rows(&mut self, unit: f64) {
        let (items, d) = (self.columns.items.len(), self.columns.circle.count());
        self.cover.by_direction.clear();
        self.cover.by_direction.resize(items * d, 0.0);
        self.unit = unit;
        for &i in &self.active {
            let mut f = self.columns.items[i].drag.map(|g| g * self.rate.theta[i]);
            for j in bits(self.basis.pairs[i].phi) {
                let direction = self.columns.direction(i, j);
                let x = self.rate.phi[i * d + j];
                self.rate.phi_sum[i] += x;
                f[0] += x * direction[0];
                f[1] += x * direction[1];
            }
            self.columns
                .push_impulse(i, [self.rate.theta[i], f[0], f[1]], &mut self.rate.v);
        }
        for i in 0..items {
            let row = self.columns.along_normal(i, &self.rate.v);
            self.cover.nu[i] = if self.columns.items[i].is_joint { 0.0 } else { -row };
            self.cover.gamma[i] = COVER.2 * unit;
            self.cover.sigma[i] = COVER.1 * unit;
        }
        for &i in &self.active {
            if !self.basis.pairs[i].expanded {
                continue;
            }
            let slip = self.columns.along_tangents(i, &self.rate.v);
            self.cover.sigma[i] = 0.0;
            self.cover.gamma[i] = self.rate.phi_sum[i] - self.columns.items[i].mu * self.rate.theta[i];
            for j in 0..self.columns.direction_count(i) {
                let [x, y] = self.columns.direction(i, j);
                self.cover.by_direction[i * d + j] = -(x * slip[0] + y * slip[1] + self.rate.lambda[i]);
            }
        }
    }
}
