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
    /// Those that may block.
    falling: Vec<Falling>,
    /// Largest rate met.
    fastest: f64,
    /// Step after which a variable met before is certainly below zero, and the rate of that variable.
    bound: f64,
    bound_rate: f64,
    slack: f64,
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
        self.slack = TIE * scale;
        self.fastest = 0.0;
        self.pass(at, now, rate);
        if self.bound_rate > -PIVOT * self.fastest {
            // The bound came from a variable that may not leave: once more, with the largest rate known.
            self.pass(at, now, rate);
        }
        let limit = -PIVOT * self.fastest;
        let mut reach = f64::INFINITY;
        for f in self.falling.iter().filter(|f| f.rate < limit) {
            reach = reach.min((f.value.max(0.0) + self.slack) / -f.rate);
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

    /// Collects the variables that may block.
    fn pass(&mut self, at: Setting<'_>, now: &Values, rate: &Values) {
        self.falling.clear();
        (self.bound, self.bound_rate) = (f64::INFINITY, f64::NEG_INFINITY);
        if at.basis.z0 {
            self.note(Var::Z0, now.z0, rate.z0);
        }
        self.pass_normals(at, now, rate);
        visit_loaded(at, now, rate, |var, value, rate| self.note(var, value, rate));
    }

    /// The basic ν: one long loop over all contacts, of which few pass the first test. A nonbasic ν does not change, or grows as the
    /// driving variable: it never falls.
    fn pass_normals(&mut self, at: Setting<'_>, now: &Values, rate: &Values) {
        let nu = now.nu.iter().zip(&rate.nu).zip(&at.cover.nu);
        for (i, ((value, rate_of), c)) in nu.enumerate() {
            let fall = rate_of + c * rate.z0;
            let size = fall.abs();
            if size > self.fastest {
                self.fastest = size;
            }
            if fall < 0.0 {
                let value = value + c * now.z0;
                if value <= self.bound * size && at.basis.pairs[i].nu {
                    self.consider(Falling {
                        var: Var::Nu(i),
                        value,
                        rate: fall,
                    });
                }
            }
        }
    }

    #[inline]
    fn note(&mut self, var: Var, value: f64, rate: f64) {
        let size = rate.abs();
        if size > self.fastest {
            self.fastest = size;
        }
        // Most variables end here: they do not fall, or reach zero later than one met before.
        if rate < 0.0 && value <= self.bound * size {
            self.consider(Falling { var, value, rate });
        }
    }

    fn consider(&mut self, falling: Falling) {
        let Falling { value, rate, .. } = falling;
        if -rate <= PIVOT * self.fastest {
            return;
        }
        self.falling.push(falling);
        let reach = (value.max(0.0) + self.slack) / -rate;
        if reach < self.bound {
            (self.bound, self.bound_rate) = (reach, rate);
        }
    }
}

/// Calls `f` with every basic variable but z₀, its value in `now` and in `rate`, φ and γ in units of their contact.
pub(crate) fn visit_basic(at: Setting<'_>, now: &Values, rate: &Values, mut f: impl FnMut(Var, f64, f64)) {
    for (i, p) in at.basis.pairs.iter().enumerate() {
        if p.nu && !at.columns.items[i].is_joint {
            let c = at.cover.nu[i];
            f(Var::Nu(i), now.nu[i] + c * now.z0, rate.nu[i] + c * rate.z0);
        }
    }
    visit_loaded(at, now, rate, f);
}

/// The same without ν.
#[inline]
fn visit_loaded(at: Setting<'_>, now: &Values, rate: &Values, mut f: impl FnMut(Var, f64, f64)) {
    for &i in at.active {
        let p = at.basis.pairs[i];
        if p.theta {
            f(Var::Theta(i), now.theta[i], rate.theta[i]);
        }
        if p.expanded {
            visit_friction(at, i, now, rate, &mut f);
        }
    }
}

/// The friction variables of one contact; φ and γ in units of [`crate::solver::columns::Item::unit`], so that rates of a contact with large
/// friction stay comparable.
#[inline]
fn visit_friction(at: Setting<'_>, i: usize, now: &Values, rate: &Values, f: &mut impl FnMut(Var, f64, f64)) {
    let Setting { columns, cover, .. } = at;
    let (p, d) = (at.basis.pairs[i], columns.circle.count());
    let unit = columns.items[i].unit();
    if p.lambda {
        f(Var::Lambda(i), now.lambda[i], rate.lambda[i]);
    }
    if p.gamma {
        let (mu, c) = (columns.items[i].mu, cover.gamma[i]);
        let gamma = |x: &Values| (mu * x.theta[i] - x.phi_sum[i] + c * x.z0) / unit;
        f(Var::Gamma(i), gamma(now), gamma(rate));
    }
    for j in bits(p.phi) {
        f(Var::Phi(i, j), now.phi[i * d + j] / unit, rate.phi[i * d + j] / unit);
    }
    // σ_j = d_jᵀu_t + λ + c z₀, the parts that all directions share taken out of the loop.
    let shared = |x: &Values| x.lambda[i] + cover.sigma[i] * x.z0;
    let (slip, slip_rate) = (now.slip[i], rate.slip[i]);
    let (base, base_rate) = (shared(now), shared(rate));
    let extra = (!cover.by_direction.is_empty()).then(|| &cover.by_direction[i * d..(i + 1) * d]);
    for (j, [x, y]) in columns.directions(i).iter().enumerate() {
        let mut value = x * slip[0] + y * slip[1] + base;
        let mut fall = x * slip_rate[0] + y * slip_rate[1] + base_rate;
        if let Some(extra) = extra {
            value += extra[j] * now.z0;
            fall += extra[j] * rate.z0;
        }
        if p.sigma >> j & 1 == 1 {
            f(Var::Sigma(i, j), value, fall);
        }
    }
}
