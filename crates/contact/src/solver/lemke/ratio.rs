//! The ratio test: which basic variable reaches zero first when the driving variable grows.

use super::basis::{Var, bits, mix};
use super::values::{Setting, Values};

/// A variable may leave if it falls faster than this fraction of the fastest change. An absolute limit lets stacks of a hundred bodies
/// pivot on rounding.
const PIVOT: f64 = 1e-9;

/// Variables that reach zero while another is still within this of it (relative to the problem) count as tied \[Harris 1973\].
const TIE: f64 = 1e-11;

/// Pivots among which a shuffled tie is drawn, as a fraction of the largest.
const SHUFFLED: f64 = 1e-3;

/// A basic variable that falls: value and rate.
#[derive(Debug, Clone, Copy)]
struct Falling {
    var: Var,
    value: f64,
    rate: f64,
}

/// Buffers and tie rule of the ratio test.
#[derive(Debug, Clone, Default)]
pub(crate) struct RatioTest {
    falling: Vec<Falling>,
    fastest: f64,
}

/// Values, their rates, and the size of the problem's velocities.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Motion<'a> {
    pub(crate) now: &'a Values,
    pub(crate) rate: &'a Values,
    pub(crate) scale: f64,
}

/// Outcome of the ratio test: who leaves, and after which step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Blocking {
    pub(crate) var: Var,
    pub(crate) step: f64,
}

impl RatioTest {
    /// The blocking variable, or `None` on a ray. Ties: z₀ first, then the largest pivot; with `shuffle` an arbitrary but reproducible
    /// one, to leave a cycle.
    pub(crate) fn blocking(&mut self, at: Setting<'_>, motion: Motion<'_>, shuffle: Option<u64>) -> Option<Blocking> {
        let Motion { now, rate, scale } = motion;
        self.falling.clear();
        self.fastest = 0.0;
        if at.basis.z0 {
            self.note(Var::Z0, now.z0, rate.z0);
        }
        visit_basic(at, now, rate, |var, value, rate| self.note(var, value, rate));
        let limit = -PIVOT * self.fastest;
        let slack = TIE * scale;
        let mut reach = f64::INFINITY;
        for f in self.falling.iter().filter(|f| f.rate < limit) {
            reach = reach.min((f.value.max(0.0) + slack) / -f.rate);
        }
        let tied = |f: &&Falling| f.rate < limit && f.value.max(0.0) <= -reach * f.rate;
        let mut best = self
            .falling
            .iter()
            .filter(tied)
            .copied()
            .reduce(|a, b| if b.rate < a.rate { b } else { a })?;
        if let Some(z0) = self.falling.iter().filter(tied).find(|f| f.var == Var::Z0) {
            best = *z0;
        } else if let Some(seed) = shuffle {
            let large = SHUFFLED * best.rate;
            let ticket = |f: &Falling| mix(f.var.hash() ^ seed);
            let mut drawn = best;
            for f in self.falling.iter().filter(tied).filter(|f| f.rate < large) {
                if ticket(f) > ticket(&drawn) {
                    drawn = *f;
                }
            }
            best = drawn;
        }
        Some(Blocking {
            var: best.var,
            step: best.value.max(0.0) / -best.rate,
        })
    }

    #[inline]
    fn note(&mut self, var: Var, value: f64, rate: f64) {
        self.fastest = self.fastest.max(rate.abs());
        if rate < -PIVOT * self.fastest {
            self.falling.push(Falling { var, value, rate });
        }
    }
}

/// Calls `f` with every basic variable but z₀, its value in `now` and in `rate`.
#[inline]
pub(crate) fn visit_basic(at: Setting<'_>, now: &Values, rate: &Values, mut f: impl FnMut(Var, f64, f64)) {
    let Setting {
        columns, basis, cover, ..
    } = at;
    let d = columns.circle.count();
    for (i, p) in basis.pairs.iter().enumerate() {
        if p.theta {
            f(Var::Theta(i), now.theta[i], rate.theta[i]);
        } else if p.nu && !columns.items[i].is_joint {
            let c = cover.nu[i];
            f(Var::Nu(i), now.nu[i] + c * now.z0, rate.nu[i] + c * rate.z0);
        }
        if !p.expanded {
            continue;
        }
        if p.lambda {
            f(Var::Lambda(i), now.lambda[i], rate.lambda[i]);
        }
        if p.gamma {
            let (mu, c) = (columns.items[i].mu, cover.gamma[i]);
            let gamma = |x: &Values| mu * x.theta[i] - x.phi_sum[i] + c * x.z0;
            f(Var::Gamma(i), gamma(now), gamma(rate));
        }
        for j in bits(p.phi) {
            f(Var::Phi(i, j), now.phi[i * d + j], rate.phi[i * d + j]);
        }
        for j in bits(p.sigma) {
            let [x, y] = columns.direction(i, j);
            let c = cover.sigma(i, j, d);
            let sigma = |s: &Values| x * s.slip[i][0] + y * s.slip[i][1] + s.lambda[i] + c * s.z0;
            f(Var::Sigma(i, j), sigma(now), sigma(rate));
        }
    }
}
