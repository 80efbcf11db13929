//! Figures of the friction at one contact, as velocities.

use super::length;
use crate::cone::Circle;

/// Largest friction impulse μθ; without limit where μ is infinite and the contact pushes.
pub(crate) fn radius(mu: f64, theta: f64) -> f64 {
    // A product of infinity and zero would be NaN.
    if theta > 0.0 && mu > 0.0 { mu * theta } else { 0.0 }
}

/// Friction and slip of one contact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rub {
    /// Radius of the disc, μθ.
    pub(crate) radius: f64,
    /// Friction impulse along the tangents.
    pub(crate) f: [f64; 2],
    /// Tangential velocity.
    pub(crate) u_t: [f64; 2],
    /// Inverse effective mass δ: turns impulses into velocities.
    pub(crate) delta: f64,
    /// The second tangent does not exist.
    pub(crate) planar: bool,
}

impl Rub {
    /// Round cone: how far f is outside the disc, and the natural map |δf − proj_{disc(δμθ)}(δf − u_t)|.
    pub(crate) fn disc(&self) -> (f64, f64) {
        let Self { f, u_t, delta, .. } = *self;
        let radius = delta * self.radius;
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
    pub(crate) fn polygon(&self, circle: &Circle, phi: Option<&[f64]>) -> (f64, f64) {
        let Self { f, u_t, delta, .. } = *self;
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
        let gamma = self.radius - sum;
        cone = cone.max(-delta * gamma);
        dissipation = dissipation.max(lambda.min(delta * gamma));
        (cone, dissipation.max(delta * length(rest)))
    }
}

/// f as a sum of the two directions beside it, which has the least Σφ of all such sums.
fn neighbours(count: usize, direction: impl Fn(usize) -> [f64; 2], f: [f64; 2]) -> [(usize, f64); 2] {
    let mut best = 0;
    for j in 1..count {
        if dot(direction(j), f) > dot(direction(best), f) {
            best = j;
        }
    }
    let d = direction(best);
    let turn = cross(d, f);
    let other = if turn >= 0.0 {
        (best + 1) % count
    } else {
        (best + count - 1) % count
    };
    let e = direction(other);
    let area = cross(d, e);
    if area == 0.0 {
        // Two opposite directions.
        return [(best, dot(d, f)), (other, 0.0)];
    }
    [(best, (cross(f, e) / area).max(0.0)), (other, (turn / area).max(0.0))]
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

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taken_apart_friction_adds_up_with_least_sum() {
        for d in [3, 4, 5, 8, 17] {
            let circle = Circle::new(d);
            for k in 0..100 {
                let a = 0.0628 * f64::from(k);
                let f = [2.0 * a.cos(), 2.0 * a.sin()];
                let parts = neighbours(d, |j| circle.direction(j), f);
                let mut rest = f;
                for (j, phi) in parts {
                    assert!(phi >= 0.0);
                    let e = circle.direction(j);
                    rest = [rest[0] - phi * e[0], rest[1] - phi * e[1]];
                }
                assert!(length(rest) < 1e-14, "d = {d}, k = {k}: {rest:?}");
                let least = 2.0 / (std::f64::consts::PI / d as f64).cos();
                let sum = parts[0].1 + parts[1].1;
                assert!(sum >= 2.0 - 1e-14 && sum <= least + 1e-12, "d = {d}, k = {k}: {sum}");
            }
        }
    }
}
