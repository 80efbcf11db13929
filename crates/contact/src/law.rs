//! The law at one contact as figures that are zero exactly where it holds.
//!
//! Every figure is a velocity over the scale of its own row; an impulse counts as the velocity δp that it gives, 1/δ being the effective mass of
//! its row. Conditions "a = 0 or b = 0" are figures min(a, b), a velocity measured by the velocity scale of its row and an impulse by the impulse
//! scale: how fast a contact slides does not excuse an error of its friction.

use crate::check::{Figure, ROUNDINGS};
use crate::cone::{Circle, dot, length, neighbours};

/// Impulse and velocity of one contact, with the scales and the rounding of its rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Local {
    /// Normal impulse θ, the least that it may be, and friction impulse f along the tangents.
    pub(crate) theta: f64,
    pub(crate) least: f64,
    pub(crate) f: [f64; 2],
    /// Velocity: normal ν and slip u_t.
    pub(crate) u: [f64; 3],
    /// Inverse effective mass of the normal, and of friction: that of the tangent that gives way most, no less than the normal's.
    pub(crate) delta: [f64; 2],
    /// Velocity scales: of the normal row and of the slip.
    pub(crate) speed: [f64; 2],
    /// Impulse scales, as velocities: of the normal impulse and of friction.
    pub(crate) push: [f64; 2],
    /// Rounding of the normal velocity, of the slip and of impulses.
    pub(crate) rounding: [f64; 3],
    /// The second tangent does not exist.
    pub(crate) planar: bool,
}

impl Local {
    /// ν ≥ 0, θ at its least or more, and ν = 0 or θ at its least: figures of the gap, the sign and complementarity.
    pub(crate) fn normal(&self) -> [Figure; 3] {
        let pull = Figure::of(
            self.delta[0] * (self.least - self.theta),
            self.rounding[2],
            self.push[0],
        );
        let into = Figure::of(-self.u[0], self.rounding[0], self.speed[0]);
        [into, pull, self.approach().min(self.press())]
    }

    /// ν; negative where the bodies approach.
    pub(crate) fn approach(&self) -> Figure {
        Figure::of(self.u[0], self.rounding[0], self.speed[0])
    }

    /// θ beyond its least, as a velocity.
    pub(crate) fn press(&self) -> Figure {
        Figure::of(
            self.delta[0] * (self.theta - self.least),
            self.rounding[2],
            self.push[0],
        )
    }

    /// |u_t|.
    pub(crate) fn slip(&self) -> Figure {
        Figure::of(length(self.u_t()), self.rounding[1], self.speed[1])
    }

    /// A friction impulse x, computed from terms of the given size, as a velocity.
    fn rub(&self, x: f64, terms: f64) -> Figure {
        let rounding = ROUNDINGS * self.delta[1] * terms + self.rounding[2];
        Figure::of(self.delta[1] * x, rounding, self.push[1])
    }

    /// |f|.
    pub(crate) fn friction(&self) -> Figure {
        self.rub(length(self.f), length(self.f))
    }

    fn u_t(&self) -> [f64; 2] {
        [self.u[1], self.u[2]]
    }

    /// Friction along a second tangent that does not exist.
    pub(crate) fn off_the_plane(&self) -> Figure {
        let off = if self.planar { self.f[1].abs() } else { 0.0 };
        self.rub(off, off)
    }

    /// Coulomb: |f| ≤ μθ, and no slip or f = −μθ u_t/|u_t|. Figures of the cone and of dissipation.
    pub(crate) fn disc(&self, mu: f64) -> [Figure; 2] {
        let (radius, size, slip) = (radius(mu, self.theta), length(self.f), length(self.u_t()));
        if radius.is_infinite() {
            return [Figure::ZERO, self.slip()];
        }
        let cone = self.rub(size - radius, size + radius);
        // The natural map |δf − proj(δf − u_t)| of the disc with radius δμθ.
        let (delta, u_t) = (self.delta[1], self.u_t());
        let aim = [0, 1].map(|k| delta * self.f[k] - u_t[k]);
        let reach = length(aim);
        if reach <= delta * radius {
            return [cone, self.slip().min(Figure::of(slip, self.rounding[1], self.push[1]))];
        }
        let off = length([0, 1].map(|k| delta * self.f[k] - delta * radius * (aim[k] / reach)));
        // The direction of a fast slip hardly depends on its rounding.
        let (terms, slip) = (delta * (size + radius), slip.max(f64::MIN_POSITIVE));
        let rounding = ROUNDINGS * terms + (terms / slip).min(1.0) * self.rounding[1];
        [cone, self.slip().min(Figure::of(off, rounding, self.push[1]))]
    }

    /// Polygon with vertices μθ d_j \[Lloyd (8)\]: with λ = max(0, −d_jᵀu_t), σ_j = d_jᵀu_t + λ and γ = μθ − Σφ_j, all are ≥ 0, and
    /// σ_j φ_j = 0, λγ = 0. Without φ the friction is taken apart into the two directions beside it; φ must add up to f.
    pub(crate) fn polygon(&self, mu: f64, circle: &Circle, phi: Option<&[f64]>) -> [Figure; 2] {
        let u_t = self.u_t();
        let count = if self.planar { 2 } else { circle.count() };
        let direction = |j: usize| match (self.planar, j) {
            (false, _) => circle.direction(j),
            (true, 0) => [1.0, 0.0],
            (true, _) => [-1.0, 0.0],
        };
        let along = |j: usize| dot(direction(j), u_t);
        let speed = |x: f64| Figure::of(x, self.rounding[1], self.speed[1]);
        let lambda = (0..count).fold(0.0_f64, |m, j| m.max(-along(j)));
        let (mut cone, mut dissipation) = (Figure::ZERO, Figure::ZERO);
        let (mut sum, mut terms, mut rest) = (0.0, radius(mu, self.theta), self.f);
        let mut take = |j: usize, phi: f64| {
            cone.raise(self.rub(-phi, phi.abs()));
            dissipation.raise(speed(along(j) + lambda).min(self.rub(phi, phi.abs())));
            sum += phi;
            terms += phi.abs();
            rest = [0, 1].map(|k| rest[k] - phi * direction(j)[k]);
        };
        match phi {
            // A planar contact has two directions.
            Some(phi) if phi.iter().skip(count).any(|x| *x != 0.0) => return [Figure::INFINITE; 2],
            Some(phi) => phi.iter().take(count).enumerate().for_each(|(j, x)| take(j, *x)),
            None if self.f != [0.0; 2] => neighbours(count, direction, self.f)
                .into_iter()
                .for_each(|(j, x)| take(j, x)),
            None => {}
        }
        if terms.is_infinite() {
            return [cone, speed(lambda).max(self.rub(length(rest), length(self.f)))];
        }
        let gamma = radius(mu, self.theta) - sum;
        cone.raise(self.rub(-gamma, terms));
        dissipation.raise(speed(lambda).min(self.rub(gamma, terms)));
        dissipation.raise(self.rub(length(rest), terms));
        [cone, dissipation]
    }

    /// Dynamic friction: f = θ drag \[Baraff (24)\]. The cone's figure is 0, since f is given.
    pub(crate) fn dynamic(&self, drag: [f64; 2]) -> [Figure; 2] {
        let off = [0, 1].map(|k| self.f[k] - self.theta * drag[k]);
        let terms = length(self.f) + self.theta.abs() * length(drag);
        [Figure::ZERO, self.rub(length(off), terms)]
    }

    /// Static friction as printed \[Baraff (16), (21)\]: |f| ≤ μθ, f·u_t ≤ 0, and |f| = μθ where u_t ≠ 0.
    pub(crate) fn as_published(&self, mu: f64) -> [Figure; 2] {
        // More than any friction is as good as no limit.
        let (radius, size) = (radius(mu, self.theta).min(f64::MAX.sqrt()), length(self.f));
        let short = self.slip().min(self.rub(radius - size, size + radius));
        let along = if size > 0.0 {
            dot(self.f, self.u_t()) / size
        } else {
            0.0
        };
        let helps = Figure::of(along, self.rounding[1], self.speed[1]).min(self.friction());
        [self.rub(size - radius, size + radius), short.max(helps)]
    }

    /// Closed contacts do not slip, open ones have no friction: (ν, u_t) = 0 or (θ, f) = 0. The cone's figure is the friction of an open
    /// contact. The limit of Coulomb's law for a growing μ holds as well: a contact without normal impulse that slips against its friction.
    pub(crate) fn no_slip(&self) -> [Figure; 2] {
        let pressed = Figure::of(self.delta[0] * self.theta, self.rounding[2], self.push[0]);
        let held = self.slip().min(self.friction().max(pressed));
        let (size, slip) = (length(self.f), length(self.u_t()));
        let unpressed = if size > 0.0 && slip > 0.0 {
            let off = [0, 1].map(|k| self.f[k] / size + self.u_t()[k] / slip);
            pressed.max(self.rub(size * length(off), size))
        } else {
            Figure::INFINITE
        };
        // A contact with a least impulse has friction although it opens.
        let open = if self.least > 0.0 {
            Figure::ZERO
        } else {
            self.approach().min(self.friction())
        };
        [open, held.min(unpressed)]
    }

    /// The dry friction f + c s beside the viscous friction −c s of a slip s. Where that is the slip at the end, friction moves the contact by no more than
    /// 1/(1/δ + c).
    pub(crate) fn beside_viscous(&self, c: f64, slip: [f64; 2], slip_is_free: bool) -> Self {
        let slip = if self.planar { [slip[0], 0.0] } else { slip };
        let mut dry = *self;
        if slip_is_free && c > 0.0 {
            dry.delta[1] = 1.0 / (1.0 / self.delta[1] + c);
        }
        dry.f = [0, 1].map(|k| self.f[k] + c * slip[k]);
        dry.rounding[2] += dry.delta[1] * c * (ROUNDINGS * length(slip) + self.rounding[1]);
        dry
    }

    /// Viscous friction f = −c s of the slip s: measured by the friction that it should be, or by the slip that would make it so.
    pub(crate) fn viscous(&self, c: f64, slip: [f64; 2], slip_is_free: bool) -> [Figure; 2] {
        let slip = if self.planar { [slip[0], 0.0] } else { slip };
        let off = length([0, 1].map(|k| self.f[k] + c * slip[k]));
        let size = length(self.f).max(c * length(slip));
        let (delta, most) = (self.delta[1], self.push[1].max(self.delta[1] * size));
        let mut figure = Figure::of(delta * off, ROUNDINGS * delta * size + self.rounding[1], most);
        if slip_is_free && c > 0.0 {
            figure = figure.min(Figure::of(off / c, self.rounding[1], self.speed[1]));
        }
        [Figure::ZERO, figure]
    }
}

/// A joint row with the impulse λ and the velocity w, held within ±`most`: w = 0, or λ = −`most` sign w. `delta`, the scale and the rounding are the row's.
pub(crate) fn joint_row((impulse, w): (f64, f64), most: f64, (delta, scale, rounding): (f64, f64, f64)) -> Figure {
    let held = Figure::of(w.abs(), rounding, scale);
    if most.is_infinite() {
        return held;
    }
    // What the row can do is measured by its own limit, however fast it moves.
    let own = scale.min(delta * most.max(impulse.abs()));
    let push = |x: f64| Figure::of(delta * x, ROUNDINGS * delta * (most + impulse.abs()), own);
    let opposed = push((impulse + most * w.signum()).abs());
    push(impulse.abs() - most).max(held.min(opposed))
}

/// Largest friction impulse μθ; without limit where μ is infinite and the contact pushes.
fn radius(mu: f64, theta: f64) -> f64 {
    // A product of infinity and zero would be NaN.
    if theta > 0.0 && mu > 0.0 { mu * theta } else { 0.0 }
}
