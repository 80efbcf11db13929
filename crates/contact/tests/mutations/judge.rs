//! A second judge, written for the tests alone: it shares no line, constant or buffer with the library. Sums are in twice the precision; an answer is surely
//! wrong where a figure exceeds ten times the tolerance of its own row and 64 roundings of the terms of that row.

use super::{Case, Row};
use stiction_contact::Law;

/// The library's tolerance.
const TOLERANCE: f64 = 1e-10;
/// How far beyond it an answer is surely wrong, and within what share surely right.
const SURE: f64 = 10.0;
/// Roundings that are excused.
const ROUNDINGS: f64 = 64.0 * f64::EPSILON;

/// A sum of two doubles.
#[derive(Debug, Clone, Copy, Default)]
struct Twice(f64, f64);

impl Twice {
    fn of(x: f64) -> Self {
        Self(x, 0.0)
    }

    fn plus(self, other: Self) -> Self {
        let sum = self.0 + other.0;
        let back = sum - self.0;
        let low = (self.0 - (sum - back)) + (other.0 - back) + self.1 + other.1;
        let high = sum + low;
        Self(high, low - (high - sum))
    }

    fn times(self, other: Self) -> Self {
        let product = self.0 * other.0;
        let low = self.0.mul_add(other.0, -product) + self.0 * other.1 + self.1 * other.0;
        let high = product + low;
        Self(high, low - (high - product))
    }

    fn minus(self, other: Self) -> Self {
        self.plus(Self(-other.0, -other.1))
    }

    fn over(self, other: Self) -> Self {
        let first = Self::of(self.0 / other.0);
        let rest = self.minus(first.times(other));
        first.plus(Self::of(rest.0 / other.0))
    }

    fn value(self) -> f64 {
        self.0 + self.1
    }
}

/// Σ a_k b_k.
fn dot(a: &[f64], b: &[Twice]) -> Twice {
    a.iter()
        .zip(b)
        .fold(Twice::default(), |sum, (a, b)| sum.plus(Twice::of(*a).times(*b)))
}

/// M⁻¹x by elimination; the masses are positive definite.
fn solve(mass: &[f64], x: &[Twice]) -> Vec<Twice> {
    let n = x.len();
    let mut a: Vec<Vec<Twice>> = (0..n)
        .map(|i| {
            let row = mass[i * n..(i + 1) * n].iter().map(|m| Twice::of(*m));
            row.chain([x[i]]).collect()
        })
        .collect();
    for k in 0..n {
        for i in k + 1..n {
            let factor = a[i][k].over(a[k][k]);
            for j in k..=n {
                a[i][j] = a[i][j].minus(factor.times(a[k][j]));
            }
        }
    }
    let mut y = vec![Twice::default(); n];
    for k in (0..n).rev() {
        let known = (k + 1..n).fold(a[k][n], |sum, j| sum.minus(a[k][j].times(y[j])));
        y[k] = known.over(a[k][k]);
    }
    y
}

/// What one row is measured by.
#[derive(Debug, Clone, Copy, Default)]
struct Measure {
    /// Velocity of the answer, bias included.
    u: f64,
    /// The same without impulses.
    free: f64,
    /// Largest of its own free velocity, bias and changes of its bodies.
    size: f64,
    /// Sum of the magnitudes of its terms.
    terms: f64,
    /// Inverse effective mass.
    delta: f64,
}

/// What is said of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Every figure is a tenth of what is tolerated at most, without excuse for rounding.
    Right,
    /// In between.
    Open,
    /// A figure is ten times what is tolerated at least.
    Wrong,
}

struct Judge<'a> {
    case: &'a Case,
    change: Vec<Vec<Twice>>,
    terms: Vec<Vec<f64>>,
    worst: Verdict,
}

/// Judges the answer that the case holds.
pub(crate) fn judge(case: &Case) -> Verdict {
    let zero = |block: &super::Block| vec![Twice::default(); block.v_free.len()];
    let mut judge = Judge {
        case,
        change: case.blocks.iter().map(zero).collect(),
        terms: case
            .blocks
            .iter()
            .map(|b| b.v_free.iter().map(|v| v.abs()).collect())
            .collect(),
        worst: Verdict::Right,
    };
    for (contact, push) in case.contacts.iter().zip(&case.answer.contacts) {
        for (row, p) in contact.rows.iter().zip(push) {
            judge.push(row, *p);
        }
    }
    for (joint, push) in case.joints.iter().zip(&case.answer.joints) {
        judge.push(&joint.row, *push);
    }
    judge.rows();
    judge.worst
}

impl Judge<'_> {
    /// Adds an impulse along a row.
    fn push(&mut self, row: &Row, impulse: f64) {
        if impulse == 0.0 {
            return;
        }
        for (block, part) in row {
            let x: Vec<_> = part.iter().map(|c| Twice::of(*c).times(Twice::of(impulse))).collect();
            let change = solve(&self.case.blocks[*block].mass, &x);
            for (k, c) in change.iter().enumerate() {
                self.change[*block][k] = self.change[*block][k].plus(*c);
                self.terms[*block][k] += c.value().abs();
            }
        }
    }

    fn measure(&self, row: &Row, bias: f64) -> Measure {
        let (mut free, mut moved, mut found) = (Twice::default(), 0.0, Measure::default());
        let mut u = Twice::of(bias);
        for (block, part) in row {
            let v: Vec<_> = self.case.blocks[*block].v_free.iter().map(|v| Twice::of(*v)).collect();
            let (at_rest, change) = (dot(part, &v), dot(part, &self.change[*block]));
            free = free.plus(at_rest);
            u = u.plus(at_rest).plus(change);
            moved += change.value().abs();
            let pairs = part.iter().zip(&self.terms[*block]);
            found.terms += pairs.map(|(c, t)| c.abs() * t).sum::<f64>();
            let own: Vec<_> = part.iter().map(|c| Twice::of(*c)).collect();
            found.delta += dot(part, &solve(&self.case.blocks[*block].mass, &own)).value();
        }
        found.u = u.value();
        found.size = free.value().abs().max(bias.abs()).max(moved);
        found.free = free.plus(Twice::of(bias)).value();
        found.terms += bias.abs();
        found
    }

    /// Records a figure: what is left, what it is measured by, what rounding may make of it.
    fn figure(&mut self, left: f64, size: f64, rounding: f64) {
        if left.is_nan() || left > SURE * TOLERANCE * size + ROUNDINGS * rounding {
            self.worst = Verdict::Wrong;
        } else if left > TOLERANCE / SURE * size && self.worst == Verdict::Right {
            self.worst = Verdict::Open;
        }
    }

    fn rows(&mut self) {
        let case = self.case;
        let contacts: Vec<[Measure; 3]> = case
            .contacts
            .iter()
            .map(|c| [0, 1, 2].map(|r| self.measure(&c.rows[r], if r == 0 { c.bias } else { 0.0 })))
            .collect();
        let joints: Vec<Measure> = case.joints.iter().map(|j| self.measure(&j.row, j.bias)).collect();
        let fastest = self.fastest(&contacts, &joints);
        for (i, rows) in contacts.iter().enumerate() {
            let block = case.contacts[i].rows[0][0].0;
            self.contact(i, rows, 100.0 * fastest[block]);
        }
        for (k, row) in joints.iter().enumerate() {
            let block = case.joints[k].row[0].0;
            let push = (row.delta * case.answer.joints[k].abs()).min(100.0 * fastest[block]);
            self.figure(row.u.abs(), row.size.max(push), row.terms);
        }
    }

    /// Fastest free velocity of a row in the island of each block. Islands are joined by joints and by contacts that close or push.
    fn fastest(&self, contacts: &[[Measure; 3]], joints: &[Measure]) -> Vec<f64> {
        let case = self.case;
        let mut island: Vec<usize> = (0..case.blocks.len()).collect();
        let mut rows: Vec<(&Row, f64)> = Vec::new();
        for (i, measure) in contacts.iter().enumerate() {
            let [n, x, y] = measure;
            let push = n.delta * case.answer.contacts[i].iter().fold(0.0_f64, |m, p| m.max(p.abs()));
            if n.free <= ROUNDINGS * n.terms || push > 1e-8 * n.size {
                let fastest = n.free.abs().max(x.free.hypot(y.free));
                rows.push((&case.contacts[i].rows[0], fastest));
            }
        }
        rows.extend(case.joints.iter().zip(joints).map(|(j, m)| (&j.row, m.free.abs())));
        for (row, _) in &rows {
            let (to, from) = (island[row[0].0], island[row[row.len() - 1].0]);
            island.iter_mut().filter(|id| **id == from).for_each(|id| *id = to);
        }
        let mut fastest = vec![0.0_f64; case.blocks.len()];
        for (row, speed) in &rows {
            let id = island[row[0].0];
            fastest[id] = fastest[id].max(*speed);
        }
        island.iter().map(|id| fastest[*id]).collect()
    }

    fn contact(&mut self, i: usize, [n, x, y]: &[Measure; 3], cap: f64) {
        let [theta, fx, fy] = self.case.answer.contacts[i];
        let delta = n.delta.max(x.delta).max(y.delta);
        let friction = fx.hypot(fy);
        let push = (delta * theta.hypot(friction)).min(cap);
        let size = n.size.max(push);
        self.figure(-n.u, size, n.terms);
        self.figure(-n.delta * theta, size, 0.0);
        self.figure(n.u.min(n.delta * theta), size, n.terms);
        let mu = match self.case.law {
            Law::Frictionless => 0.0,
            Law::NoSlip => f64::INFINITY,
            _ => self.case.contacts[i].mu,
        };
        let radius = if theta > 0.0 && mu > 0.0 {
            delta * mu * theta
        } else {
            0.0
        };
        self.figure(delta * friction - radius, size, delta * friction);
        // |δf − proj(δf − u_t)| onto the disc of that radius.
        let slip = x.u.hypot(y.u);
        let target = [delta * fx - x.u, delta * fy - y.u];
        let length = target[0].hypot(target[1]);
        let share = if length > radius { radius / length } else { 1.0 };
        let left = if radius == f64::INFINITY {
            slip
        } else {
            (delta * fx - share * target[0]).hypot(delta * fy - share * target[1])
        };
        let slip_terms = x.terms + y.terms;
        if slip > radius {
            // Sliding: only the direction of the slip counts, however fast it is.
            self.figure(left, size, radius * (1.0 + slip_terms / slip) + delta * friction);
        } else {
            let size = size.max(x.size).max(y.size);
            self.figure(left, size, slip_terms + delta * friction);
        }
    }
}
