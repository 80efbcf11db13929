//! The second opinion: contact laws evaluated from bodies and points, in compensated sums. Nothing of the library's judge is used, nor its
//! columns or mass factors.
//!
//! An impulse counts as the velocity that it gives at its contact, δ = n·𝓜⁻¹n per unit. Each contact is measured by what acts on it: its own free velocity, gap over
//! step, the changes of its bodies' velocities along its axes, and its own impulse, up to 100 times the fastest free velocity at a contact. The normal is measured by the normal alone,
//! and so is friction where the contact slides. The allowance is [`UNVERIFIED_REL_TOL`](super::UNVERIFIED_REL_TOL) of that and
//! [`UNVERIFIED_ROUNDINGS`](super::UNVERIFIED_ROUNDINGS) roundings of the terms that the velocity is summed from.

use stiction_contact::cone::Circle;
use stiction_contact::{Body, ContactSolution, Law, tangents};

use super::sample::Sample;
use super::{UNVERIFIED_REL_TOL, UNVERIFIED_ROUNDINGS};
use stiction_formats::vector::{cross, dot};

/// A sum with the error of its additions, and the size of its terms.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    value: f64,
    rest: f64,
    terms: f64,
}

impl Sum {
    fn add(&mut self, x: f64) {
        let total = self.value + x;
        let back = total - self.value;
        self.rest += (self.value - (total - back)) + (x - back);
        self.value = total;
        self.terms += x.abs();
    }

    fn total(&self) -> f64 {
        self.value + self.rest
    }
}

/// Velocity of a body as sums: linear, angular.
type Motion = [Sum; 6];

/// The largest residual of a contact relative to its own size, and whether every contact is within its allowance.
pub(super) fn recheck(sample: &Sample, solution: &ContactSolution) -> (f64, bool) {
    let friction = solution.friction_impulse.iter().flatten();
    let mut impulses = solution.normal_impulse.iter().chain(friction).chain(&solution.phi);
    // The larger of a number and none is the number: what is no number must not come so far.
    if !impulses.all(|x| x.is_finite()) {
        return (f64::MAX, false);
    }
    let (frames, free) = frames_and_free(sample);
    let moved = pushed(sample, solution, &frames, free.clone());
    let circle = Circle::new(solution.directions.max(3));
    let cap = 100.0 * fastest_at_contact(sample, &frames, &free);
    let (mut worst, mut verified) = (0.0_f64, true);
    for (i, frame) in frames.iter().enumerate() {
        let u = at_contact(sample, i, frame, &moved);
        let own = own_sizes(sample, i, frame, [&free, &moved]);
        for figure in figures(sample, i, solution, &circle, &Local { u, own, cap, frame }) {
            let allowance = UNVERIFIED_REL_TOL * figure.size + UNVERIFIED_ROUNDINGS * f64::EPSILON * figure.terms;
            // Written so that a NaN is refused.
            verified &= figure.left <= allowance;
            let relative = if figure.left == 0.0 {
                0.0
            } else {
                figure.left / figure.size
            };
            worst = worst.max(if relative.is_finite() { relative } else { f64::MAX });
        }
    }
    (worst, verified)
}

/// What is left of a law at a contact, what it is measured by, and the size of the terms behind it [m/s].
struct Figure {
    left: f64,
    size: f64,
    terms: f64,
}

/// A contact of an answer: its velocity, what its rows are measured by, and the most that an impulse counts.
struct Local<'a> {
    u: [Sum; 3],
    own: [f64; 3],
    cap: f64,
    frame: &'a [[f64; 3]; 3],
}

/// For each axis of a contact the largest of its free velocity, gap over step and the changes of its bodies' velocities along it.
fn own_sizes(sample: &Sample, i: usize, frame: &[[f64; 3]; 3], [free, moved]: [&[Motion]; 2]) -> [f64; 3] {
    let contact = &sample.contacts[i];
    let gap = contact.gap / sample.dt;
    let u = at_contact(sample, i, frame, free).map(|sum| sum.total());
    let mut size = [(u[0] - gap).abs().max(gap.abs()), u[1].abs(), u[2].abs()];
    for (axis, size) in frame.iter().zip(&mut size) {
        let change: f64 = ends(contact.a, contact.b)
            .map(|(body, _)| {
                let turn = cross(arm(&sample.bodies[body], contact.point), *axis);
                let row = [axis[0], axis[1], axis[2], turn[0], turn[1], turn[2]];
                let parts = moved[body].iter().zip(&free[body]).zip(row);
                parts
                    .map(|((v, v0), x)| x * (v.total() - v0.total()))
                    .sum::<f64>()
                    .abs()
            })
            .sum();
        *size = size.max(change);
    }
    size
}

/// V: the fastest velocity at a contact without impulses. What is open counts only where nothing else moves, and 1 m/s at most.
fn fastest_at_contact(sample: &Sample, frames: &[[[f64; 3]; 3]], free: &[Motion]) -> f64 {
    let (mut fastest, mut open) = (0.0_f64, 0.0_f64);
    for (i, contact) in sample.contacts.iter().enumerate() {
        let sums = at_contact(sample, i, &frames[i], free);
        let [n, x, y] = sums.map(|sum| sum.total());
        let slip = if contact.mu > 0.0 { libm::hypot(x, y) } else { 0.0 };
        let gap = contact.gap / sample.dt;
        // A velocity apart without a gap may be rounding.
        if n > 0.0 && (gap > 0.0 || n > 1e-14 * sums[0].terms) {
            open = open.max(n.min((n - gap).abs())).max(slip);
        } else {
            fastest = fastest.max(n.abs()).max(slip);
        }
    }
    if fastest > 0.0 { fastest } else { open.min(1.0) }
}

/// Velocities after the impulses of an answer.
fn pushed(
    sample: &Sample,
    solution: &ContactSolution,
    frames: &[[[f64; 3]; 3]],
    mut motions: Vec<Motion>,
) -> Vec<Motion> {
    for (i, contact) in sample.contacts.iter().enumerate() {
        let (theta, f) = (solution.normal_impulse[i], solution.friction_impulse[i]);
        for (body, sign) in ends(contact.a, contact.b) {
            let arm = arm(&sample.bodies[body], contact.point);
            for (axis, p) in frames[i].iter().zip([theta, f[0], f[1]]) {
                push(&sample.bodies[body], arm, axis.map(|x| sign * x), p, &mut motions[body]);
            }
        }
    }
    motions
}

/// How far the velocities of an answer without friction may be from those of another, both being right to [`UNVERIFIED_REL_TOL`], where that is large: with
/// u ≥ −ε, θ ≥ 0 and θu ≤ θε at every contact, |Δv|² in terms of the masses is Σ ΔθΔu ≤ 2 Σ (θ₁ + θ₂) ε. This is the part of one answer.
pub(super) fn left_open(sample: &Sample, solution: &ContactSolution) -> f64 {
    let (frames, free) = frames_and_free(sample);
    let fastest = fastest_at_contact(sample, &frames, &free);
    let lightest = sample.bodies.iter().fold(f64::INFINITY, |least, body| {
        (0..3).fold(least.min(body.mass), |least, k| least.min(body.inertia[k][k]))
    });
    let sum: f64 = solution.normal_impulse.iter().sum();
    (2.0 * sum * UNVERIFIED_REL_TOL * fastest / lightest).sqrt()
}

/// Axes of the contacts, and the motion without impulses.
fn frames_and_free(sample: &Sample) -> (Vec<[[f64; 3]; 3]>, Vec<Motion>) {
    let frames = sample.contacts.iter().map(|c| frame(c.normal)).collect();
    let free = sample
        .bodies
        .iter()
        .map(|body| without_contact(body, sample.dt))
        .collect();
    (frames, free)
}

fn frame(normal: [f64; 3]) -> [[f64; 3]; 3] {
    let [x, y] = tangents(normal);
    [normal, x, y]
}

fn ends(a: usize, b: Option<usize>) -> impl Iterator<Item = (usize, f64)> {
    std::iter::once((a, 1.0)).chain(b.map(|b| (b, -1.0)))
}

fn arm(body: &Body, point: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| point[k] - body.position[k])
}

fn without_contact(body: &Body, dt: f64) -> Motion {
    let mut motion = Motion::default();
    for k in 0..3 {
        motion[k].add(body.velocity[k]);
        motion[k].add(dt * body.wrench[k] / body.mass);
        motion[k + 3].add(body.velocity[k + 3]);
    }
    let turn = unturn(&body.inertia, [body.wrench[3], body.wrench[4], body.wrench[5]]);
    for (sum, x) in motion[3..].iter_mut().zip(turn) {
        sum.add(dt * x);
    }
    motion
}

/// Adds the velocity from an impulse p along an axis at an arm.
fn push(body: &Body, arm: [f64; 3], axis: [f64; 3], p: f64, motion: &mut Motion) {
    if p == 0.0 {
        return;
    }
    let turn = unturn(&body.inertia, cross(arm, axis));
    for k in 0..3 {
        motion[k].add(p * axis[k] / body.mass);
        motion[k + 3].add(p * turn[k]);
    }
}

/// 𝓘⁻¹ t by Cramer's rule.
fn unturn(inertia: &[[f64; 3]; 3], t: [f64; 3]) -> [f64; 3] {
    let [a, b, c] = *inertia;
    let minors = [cross(b, c), cross(c, a), cross(a, b)];
    let determinant = dot(a, minors[0]);
    [0, 1, 2].map(|k| (minors[0][k] * t[0] + minors[1][k] * t[1] + minors[2][k] * t[2]) / determinant)
}

/// Velocity at a contact along its axes, gap over step included.
fn at_contact(sample: &Sample, i: usize, frame: &[[f64; 3]; 3], motions: &[Motion]) -> [Sum; 3] {
    let contact = &sample.contacts[i];
    let mut u = [Sum::default(); 3];
    u[0].add(contact.gap / sample.dt);
    for (body, sign) in ends(contact.a, contact.b) {
        let arm = arm(&sample.bodies[body], contact.point);
        for (sum, axis) in u.iter_mut().zip(frame) {
            let turn = cross(arm, *axis);
            let row = [axis[0], axis[1], axis[2], turn[0], turn[1], turn[2]];
            for (x, motion) in row.iter().zip(&motions[body]) {
                let before = sum.terms;
                sum.add(sign * x * motion.total());
                sum.terms = before + x.abs() * motion.terms;
            }
        }
    }
    u
}

/// Normal and friction of a contact.
fn figures(sample: &Sample, i: usize, solution: &ContactSolution, circle: &Circle, local: &Local<'_>) -> [Figure; 2] {
    let Local { u, own, cap, frame } = local;
    let contact = &sample.contacts[i];
    let delta: f64 = ends(contact.a, contact.b)
        .map(|(body, _)| {
            let body = &sample.bodies[body];
            let moment = cross(arm(body, contact.point), frame[0]);
            1.0 / body.mass + dot(moment, unturn(&body.inertia, moment))
        })
        .sum();
    let theta = delta * solution.normal_impulse[i];
    let f = solution.friction_impulse[i].map(|x| delta * x);
    let (nu, slip) = (u[0].total(), [u[1].total(), u[2].total()]);
    let push = libm::hypot(theta, libm::hypot(f[0], f[1])).min(*cap);
    let normal = Figure {
        left: nu.min(theta).abs(),
        size: own[0].max(push),
        terms: u[0].terms,
    };
    let limit = contact.mu * theta;
    let (left, load) = match solution.law {
        Law::Polyhedral => {
            let d = circle.count();
            let phi: Vec<f64> = solution.phi[d * i..d * (i + 1)].iter().map(|x| delta * x).collect();
            on_polygon(circle, &phi, limit, f, slip)
        }
        Law::Frictionless => (libm::hypot(f[0], f[1]), 0.0),
        _ => (on_disc(limit, f, slip), libm::hypot(f[0], f[1])),
    };
    let (speed, terms) = (libm::hypot(slip[0], slip[1]), u[1].terms + u[2].terms);
    let friction = if speed > limit {
        // However fast it slides, only the direction of the slip counts; on a polygon, whether a corner is reached.
        let share = if solution.law == Law::Polyhedral {
            1.0
        } else {
            limit.max(0.0) / speed
        };
        Figure {
            left,
            size: normal.size,
            terms: load + limit.abs() + share * terms,
        }
    } else {
        Figure {
            left,
            size: normal.size.max(own[1]).max(own[2]),
            terms: load + terms,
        }
    };
    [normal, friction]
}

/// |f − proj(f − u)| for the disc of radius `limit`.
fn on_disc(limit: f64, f: [f64; 2], u: [f64; 2]) -> f64 {
    let x = [f[0] - u[0], f[1] - u[1]];
    let (length, radius) = (libm::hypot(x[0], x[1]), limit.max(0.0));
    let share = if length <= radius { 1.0 } else { radius / length };
    libm::hypot(f[0] - share * x[0], f[1] - share * x[1])
}

/// φ_j ≥ 0 ⟂ λ + d_j·u ≥ 0 and λ ≥ 0 ⟂ limit − Σφ ≥ 0 \[Lloyd (8)\], with the best λ; and f = Σ φ_j d_j. Returns also Σ|φ|.
fn on_polygon(circle: &Circle, phi: &[f64], limit: f64, f: [f64; 2], u: [f64; 2]) -> (f64, f64) {
    let along = |d: &[f64; 2]| d[0] * u[0] + d[1] * u[1];
    let lambda = circle.directions().iter().fold(0.0_f64, |most, d| most.max(-along(d)));
    let (mut worst, mut sum, mut load) = (0.0_f64, Sum::default(), [Sum::default(); 2]);
    for (d, phi) in circle.directions().iter().zip(phi) {
        worst = worst.max(phi.min(lambda + along(d)).abs());
        sum.add(*phi);
        load[0].add(phi * d[0]);
        load[1].add(phi * d[1]);
    }
    worst = worst.max(lambda.min(limit - sum.total()).abs());
    let apart = libm::hypot(load[0].total() - f[0], load[1].total() - f[1]);
    (if apart.is_nan() { apart } else { worst.max(apart) }, sum.terms)
}

#[cfg(test)]
mod tests {
    use super::super::families::{Family, Rng};
    use super::*;
    use stiction_contact::{ContactSolver, Options};

    #[test]
    fn right_answers_pass_and_changed_ones_do_not() {
        for law in [Law::Coulomb, Law::Polyhedral, Law::Frictionless] {
            let options = Options {
                law,
                ..Options::default()
            };
            let mut solver = ContactSolver::new(options).unwrap();
            for index in 0..20 {
                let mut rng = Rng::of(5, index);
                let mut sample = Sample::draw(Family::Random, &mut rng);
                let solution = solver.solve(&sample.problem().unwrap()).unwrap().clone();
                let (worst, verified) = recheck(&sample, &solution);
                assert!(verified && worst < 1e-9, "{law:?} {index}: {worst:e}");
                let mut wrong = solution.clone();
                wrong.normal_impulse[0] += 1e-4;
                assert!(!recheck(&sample, &wrong).1, "{law:?} {index}");
                wrong.normal_impulse[0] = f64::NAN;
                assert!(!recheck(&sample, &wrong).1, "{law:?} {index}");
                sample.bodies[0].wrench[0] += 1e-3;
                let touched = solution.normal_impulse.iter().any(|x| *x > 0.0);
                assert!(!touched || !recheck(&sample, &solution).1, "{law:?} {index}");
            }
        }
    }
}
