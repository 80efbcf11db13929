//! Figures of the friction at one contact, as velocities.

use super::length;
use crate::cone::{Circle, neighbours};

/// Largest friction impulse μθ; without limit where μ is infinite and the contact pushes.
pub(crate) fn radius(mu: f64, theta: f64) -> f64 {
    // A product of infinity and zero would be NaN.
    if theta > 0.0 && mu > 0.0 { mu * theta } else { 0.0 }
}

/// Friction this many times the normal impulse, but for rounding, is that of a contact which is not pressed: no less than a coefficient
/// of 10⁶ would allow it.
const UNPRESSED: f64 = 1e6 * (1.0 - 1e-6);

/// Friction and slip of one contact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rub {
    /// Normal impulse.
    pub(crate) theta: f64,
    /// Friction impulse along the tangents.
    pub(crate) f: [f64; 2],
    /// Normal and tangential velocity.
    pub(crate) u: [f64; 3],
    /// Inverse effective mass of the normal row: turns its impulse into a velocity.
    pub(crate) delta_n: f64,
    /// The same for friction, δ: that of the tangent that gives way most, and no less than the normal's. On a thin body a push along the floor may move
    /// the contact a million times as fast as one across it.
    pub(crate) delta: f64,
    /// The second tangent does not exist.
    pub(crate) planar: bool,
}

impl Rub {
    fn u_t(&self) -> [f64; 2] {
        [self.u[1], self.u[2]]
    }

    /// Round cone: how far f is outside the disc, and the natural map |δf − proj_{disc(δμθ)}(δf − u_t)|.
    pub(crate) fn disc(&self, mu: f64) -> (f64, f64) {
        let Self { f, delta, .. } = *self;
        let (radius, u_t) = (delta * radius(mu, self.theta), self.u_t());
        let cone = (delta * length(f) - radius).max(0.0);
        let push = [delta * f[0], delta * f[1]];
        let target = [push[0] - u_t[0], push[1] - u_t[1]];
        let nearest = if self.planar {
            [target[0].max(-radius).min(radius), 0.0]
        } else {
            shorten(target, radius)
        };
        (cone, length([push[0] - nearest[0], push[1] - nearest[1]]))
    }

    /// Polygon with vertices μθ d_j \[Lloyd (8)\]: with λ = max(0, −d_jᵀu_t), σ_j = d_jᵀu_t + λ and γ = μθ − Σφ_j, how far γ and φ
    /// are negative, and the largest of min(σ_j, δφ_j) and min(λ, δγ). Given φ must add up to f.
    pub(crate) fn polygon(&self, mu: f64, circle: &Circle, phi: Option<&[f64]>) -> (f64, f64) {
        let Self { f, delta, .. } = *self;
        let u_t = self.u_t();
        let count = if self.planar { 2 } else { circle.count() };
        let direction = |j: usize| match (self.planar, j) {
            (false, _) => circle.direction(j),
            (true, 0) => [1.0, 0.0],
            (true, _) => [-1.0, 0.0],
        };
        let along = |j: usize| dot(direction(j), u_t);
        let lambda = (0..count).fold(0.0_f64, |m, j| m.max(-along(j)));
        let (mut cone, mut dissipation) = (0.0_f64, 0.0_f64);
        let (mut sum, mut rest) = (0.0, f);
        let mut take = |j: usize, phi: f64| {
            cone = cone.max(-delta * phi);
            dissipation = dissipation.max((along(j) + lambda).min(delta * phi));
            sum += phi;
            let d = direction(j);
            rest = [rest[0] - phi * d[0], rest[1] - phi * d[1]];
        };
        if let Some(phi) = phi {
            for (j, phi) in phi.iter().enumerate() {
                if j < count {
                    take(j, *phi);
                } else if *phi != 0.0 {
                    // A planar contact has two directions.
                    return (f64::INFINITY, f64::INFINITY);
                }
            }
        } else if f != [0.0; 2] {
            for (j, phi) in neighbours(count, direction, f) {
                take(j, phi);
            }
        }
        let gamma = radius(mu, self.theta) - sum;
        cone = cone.max(-delta * gamma);
        dissipation = dissipation.max(lambda.min(delta * gamma));
        (cone, dissipation.max(delta * length(rest)))
    }

    /// Dynamic friction: f = θ drag \[Baraff (24)\]. The cone's figure is 0, since f is not free.
    pub(crate) fn dynamic(&self, drag: [f64; 2]) -> (f64, f64) {
        let Self { theta, f, delta, .. } = *self;
        let off = [f[0] - theta * drag[0], f[1] - theta * drag[1]];
        (0.0, delta * length(off))
    }

    /// Static friction as printed \[Baraff (16), (21)\]: |f| ≤ μθ, f·u_t ≤ 0, and |f| = μθ where u_t ≠ 0.
    pub(crate) fn as_published(&self, mu: f64) -> (f64, f64) {
        if self.planar && self.f[1] != 0.0 {
            return self.off_the_plane(|within| within.as_published(mu));
        }
        let (delta, radius) = (self.delta, self.delta * radius(mu, self.theta));
        let (size, slip) = (delta * length(self.f), length(self.u_t()));
        let helps = if size > 0.0 {
            (delta * dot(self.f, self.u_t()) / size).min(size).max(0.0)
        } else {
            0.0
        };
        ((size - radius).max(0.0), slip.min((radius - size).max(0.0)).max(helps))
    }

    /// Closed contacts do not slip, open ones have no friction: (ν, u_t) = 0 or (θ, f) = 0. The cone's figure is the friction of an open
    /// contact. What Coulomb's law leaves as μ grows without bound is allowed as well: a contact that slips although friction opposes it
    /// with more than [`UNPRESSED`] times the normal impulse.
    pub(crate) fn no_slip(&self) -> (f64, f64) {
        if self.planar && self.f[1] != 0.0 {
            return self.off_the_plane(Self::no_slip);
        }
        let Self { theta, f, u, delta, .. } = *self;
        let (friction, push) = (delta * length(f), self.delta_n * theta.max(0.0));
        let (slip, open) = (length(self.u_t()), u[0].max(0.0).min(friction));
        let both = slip.min(friction.max(push));
        if both == 0.0 || theta * UNPRESSED > length(f) {
            return (open, both);
        }
        // How far the unit vectors of friction and slip are from being opposite.
        let apart = [0, 1].map(|k| f[k] / length(f) + self.u_t()[k] / slip);
        (open, both.min(slip.min(friction) * length(apart)))
    }

    /// Figures of a planar contact with a push along the tangent that it does not have: beyond every cone.
    fn off_the_plane(&self, judge: impl Fn(&Self) -> (f64, f64)) -> (f64, f64) {
        let within = Self {
            f: [self.f[0], 0.0],
            ..*self
        };
        let (cone, dissipation) = judge(&within);
        (cone.max(self.delta * self.f[1].abs()), dissipation)
    }

    /// Dry friction f + c s beside the viscous friction −c s of a slip s. Where that is the slip at the end, `implicit`, friction moves the contact by no
    /// more than 1/(1/δ + c).
    pub(crate) fn beside_viscous(&self, c: f64, slip: [f64; 2], implicit: bool) -> Self {
        let slip = if self.planar { [slip[0], 0.0] } else { slip };
        let delta = if implicit && self.delta > 0.0 {
            1.0 / (1.0 / self.delta + c)
        } else {
            self.delta
        };
        Self {
            f: [0, 1].map(|k| self.f[k] + c * slip[k]),
            delta,
            ..*self
        }
    }

    /// Viscous friction f = −c u_t, as a velocity: by δ where c is small, by 1/c where it is large.
    pub(crate) fn viscous(&self, c: f64) -> (f64, f64) {
        (0.0, self.off_drag(c, self.u_t()) / (1.0 / self.delta).max(c))
    }

    /// The same of a slip s that is given: what f is off by changes it no more, and gives δ times as much.
    pub(crate) fn viscous_explicit(&self, c: f64, slip: [f64; 2]) -> (f64, f64) {
        (0.0, self.off_drag(c, slip) * self.delta)
    }

    /// |f + c s|.
    fn off_drag(&self, c: f64, slip: [f64; 2]) -> f64 {
        let slip = if self.planar { [slip[0], 0.0] } else { slip };
        length([0, 1].map(|k| self.f[k] + c * slip[k]))
    }
}

/// Nearest point of a disc.
fn shorten(x: [f64; 2], radius: f64) -> [f64; 2] {
    let norm = length(x);
    if norm <= radius {
        return x;
    }
    [x[0] / norm * radius, x[1] / norm * radius]
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}
