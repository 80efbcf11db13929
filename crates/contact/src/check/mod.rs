//! The judge of every answer.
//!
//! It reads the data as they were given (𝓜, C̃, v_free, b), factors the mass matrix itself and recomputes
//! v = v_free + 𝓜⁻¹(Σ C̃_i p_i + Σ j̃_k λ_k) from the impulses alone; it shares nothing with the solvers. An impulse becomes a velocity
//! by the inverse effective mass δ_i = ñ_iᵀ𝓜⁻¹ñ_i of its contact, friction by the largest of that and its tangents', so that every figure is a velocity
//! divided by a size:
//!
//! * V, the fastest |C̃ᵀ v_free + b| of contacts and joints (1 where all are zero; no less than 1e-7 of the terms it is summed from), rows of joints over their
//!   length. Contacts that come apart do not count: how far away or fast they are is no measure of an answer (`size.rs`). And
//! * s_i = max(V, min(1e-5 T_i, 100 V)), where T_i bounds the terms that are summed in row i: rounding of huge terms that cancel is
//!   excused, up to the cap.
//!
//! Friction is judged by the natural map of the disc of radius μθ, |δf − proj(δf − u_t)|, which is zero exactly where the disc holds f
//! and f has the largest dissipation; on a polygon by the conditions of \[Lloyd (8)\], with f taken apart into the two directions
//! beside it.
//!
//! Contacts of a nonconvex group need not be ≥ 0 each; their group is judged as a whole.

mod bounce;
mod friction;
mod groups;
mod local;
mod mass;
mod size;
mod squeeze;
mod unique;
mod verdict;

use crate::cone::{Circle, DIRECTION_RANGE};
use crate::error::InputError;
use crate::problem::{ContactColumns, ContactProblem, Touch, sparse_dot};
use crate::solution::{ContactState, Law};
pub(crate) use groups::GroupRule;
pub(crate) use local::LocalFigures;
use mass::MassFactor;

pub use bounce::{check_bounce, least_impulses};
pub use squeeze::{least_speed, proof_holds, proves_infeasible};
pub use unique::unique;
pub(crate) use verdict::check_epsilon;
pub use verdict::{Verdict, check, check_sum};

/// Share of the summed terms that is excused as rounding, before the tolerance acts on it: 1e-5 · 1e-10 is about four roundings.
pub(crate) const EXCUSED: f64 = 1e-5;
/// Largest size of a row in terms of V: beyond it no cancellation is excused.
const EXCUSED_CAP: f64 = 100.0;

/// What the judge found, each figure a velocity relative to the problem's fastest; an impulse counts as the velocity that it gives at its
/// contact. Zero is perfect.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Residual {
    /// Largest of the figures below: decides [`crate::Status::Solved`].
    pub worst: f64,
    /// Deepest normal velocity below zero; of a nonconvex group, that of the side that comes nearest to holding.
    pub gap: f64,
    /// Most negative normal impulse.
    pub sign: f64,
    /// Largest min(ν, θ): pushing while separating, or while a side of the contact's nonconvex group is open.
    pub complementarity: f64,
    /// Friction beyond the cone.
    pub cone: f64,
    /// Friction that does not oppose the slip with full strength.
    pub dissipation: f64,
    /// Velocity left in a joint row; of one that yields beyond its limit, the velocity that the excess gives.
    pub joints: f64,
}

impl Residual {
    /// Every figure infinite: an answer that is not made of finite numbers.
    pub const INFINITE: Self = Self {
        worst: f64::INFINITY,
        gap: f64::INFINITY,
        sign: f64::INFINITY,
        complementarity: f64::INFINITY,
        cone: f64::INFINITY,
        dissipation: f64::INFINITY,
        joints: f64::INFINITY,
    };

    /// The larger of each figure: the residual of two answers together.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        Self {
            worst: self.worst.max(other.worst),
            gap: self.gap.max(other.gap),
            sign: self.sign.max(other.sign),
            complementarity: self.complementarity.max(other.complementarity),
            cone: self.cone.max(other.cone),
            dissipation: self.dissipation.max(other.dissipation),
            joints: self.joints.max(other.joints),
        }
    }

    /// Largest figure of those that are the same for every law of dry friction.
    pub(crate) fn but_for_friction(&self) -> f64 {
        [self.gap, self.sign, self.complementarity, self.joints]
            .iter()
            .fold(0.0, |m, x| x.max(m))
    }

    fn finish(&mut self) {
        let figures = [
            self.gap,
            self.sign,
            self.complementarity,
            self.cone,
            self.dissipation,
            self.joints,
        ];
        if figures.iter().all(|x| x.is_finite()) {
            self.worst = figures.iter().fold(0.0, |m, x| x.max(m));
        } else {
            *self = Self::INFINITE;
        }
    }
}

/// Raises a figure; a NaN raises it to infinity, which `f64::max` would not.
fn raise(figure: &mut f64, x: f64) {
    *figure = if x.is_nan() { f64::INFINITY } else { figure.max(x) };
}

/// An answer to be judged.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// Normal impulse of each contact [N·s].
    pub normal: &'a [f64],
    /// Friction impulse of each contact along its tangents [N·s].
    pub friction: &'a [[f64; 2]],
    /// Polyhedral law: impulses φ, d for each contact (the first two where the contact is planar). Without them the friction
    /// impulse is taken apart into the two directions beside it.
    pub phi: Option<&'a [f64]>,
    /// Impulse of each joint row [N·s].
    pub joint: &'a [f64],
}

impl Answer<'_> {
    fn is_finite(&self) -> bool {
        let finite = |x: &f64| x.is_finite();
        self.normal.iter().all(finite)
            && self.friction.iter().flatten().all(finite)
            && self.phi.is_none_or(|phi| phi.iter().all(finite))
            && self.joint.iter().all(finite)
    }
}

/// The law by which an answer is judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// The law.
    pub law: Law,
    /// Friction directions d; read for the polyhedral law only.
    pub directions: usize,
    /// Largest residual that counts as solved.
    pub tolerance: f64,
}

/// Judges answers; keeps its buffers, so that a second problem of the same size does not allocate.
#[derive(Debug, Clone, Default)]
pub struct Judge {
    factor: MassFactor,
    circle: Circle,
    /// Velocity of the answer, coordinates as given.
    velocity: Vec<f64>,
    contact_velocity: Vec<[f64; 3]>,
    /// Velocity at each contact without impulses, bias included.
    free_velocity: Vec<[f64; 3]>,
    /// Which contacts count for V.
    counts: Vec<bool>,
    state: Vec<ContactState>,
    /// Σ_j |𝓜⁻¹ C̃_j p_j| + |v_free|, element by element.
    magnitude: Vec<f64>,
    /// One impulse over the blocks that its column touches.
    impulse: Vec<f64>,
    /// Value of each nonconvex group, relative.
    group_value: Vec<f64>,
    /// V of the last answer whose numbers were finite.
    fastest: f64,
    /// V where all velocities are zero, those of what is open too, and something beside the problem says what is fast; 1 without it.
    size_at_rest: Option<f64>,
    /// Least V: that of the compression, where a second phase gives back what it has pressed together.
    pub(crate) least_size: f64,
}

impl Judge {
    /// A judge with empty buffers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// V of the last answer whose numbers were finite.
    pub(crate) fn fastest(&self) -> f64 {
        self.fastest
    }

    /// Velocity that the last answer leads to, in the problem's coordinates.
    #[must_use]
    pub fn velocity(&self) -> &[f64] {
        &self.velocity
    }

    /// Velocity at each contact, bias included: normal and tangents [m/s].
    #[must_use]
    pub fn contact_velocity(&self) -> &[[f64; 3]] {
        &self.contact_velocity
    }

    /// State of each contact.
    #[must_use]
    pub fn state(&self) -> &[ContactState] {
        &self.state
    }

    /// Judges an answer whose lists have the problem's lengths. Returns whether it is solved, and the figures.
    /// Nonconvex groups are judged by the largest value of their sides ([`ContactProblem::add_group`]).
    pub fn judge(&mut self, problem: &ContactProblem, terms: Terms, answer: Answer<'_>) -> (bool, Residual) {
        self.judge_by(problem, terms, GroupRule::Max, answer)
    }

    /// The largest figure of each contact for an answer whose lists have the problem's lengths; infinite where a number is not finite.
    /// Groups and joints are left to [`Self::judge`].
    pub fn contact_residuals(&mut self, problem: &ContactProblem, terms: Terms, answer: Answer<'_>) -> Vec<f64> {
        let (_, whole) = self.judge(problem, terms, answer);
        if !whole.worst.is_finite() {
            return vec![f64::INFINITY; problem.contact_count()];
        }
        let V = self.fastest;
        let of_contact = |i: usize| {
            let mut residual = Residual::default();
            self.judge_contact(problem, terms, answer, (i, V, GroupRule::Max), &mut residual);
            residual.finish();
            residual.worst
        };
        (0..problem.contact_count()).map(of_contact).collect()
    }

    /// As [`Self::judge`], with a rule for groups.
    pub(crate) fn judge_by(
        &mut self,
        problem: &ContactProblem,
        terms: Terms,
        rule: GroupRule,
        answer: Answer<'_>,
    ) -> (bool, Residual) {
        self.factor.set(problem);
        self.state.clear();
        self.state.resize(problem.contact_count(), ContactState::Separating);
        self.move_bodies(problem, answer);
        let mut residual = Residual::default();
        if !answer.is_finite() || !self.velocity.iter().all(|x| x.is_finite()) {
            self.contact_velocity.clear();
            self.contact_velocity.resize(problem.contact_count(), [f64::NAN; 3]);
            return (false, Residual::INFINITE);
        }
        if terms.law == Law::Polyhedral {
            self.circle.set(terms.directions);
        }
        self.velocities(problem);
        let V = self.size(problem, terms.law).max(self.least_size);
        if !V.is_finite() {
            return (false, Residual::INFINITE);
        }
        self.fastest = V;
        for i in 0..problem.contact_count() {
            self.judge_contact(problem, terms, answer, (i, V, rule), &mut residual);
        }
        self.judge_groups(problem, terms, rule, (answer, V), &mut residual);
        for k in 0..problem.joint_count() {
            let (left, T) = self.left_in_joint(problem, k, answer.joint[k]);
            let unit = problem.joint_unit(k);
            raise(&mut residual.joints, left / unit / row_size(V, T / unit));
        }
        residual.finish();
        (residual.worst <= terms.tolerance, residual)
    }

    /// v = v_free + 𝓜⁻¹(Σ C̃ p + Σ j̃ λ), and its terms' magnitudes.
    fn move_bodies(&mut self, problem: &ContactProblem, answer: Answer<'_>) {
        self.velocity.clear();
        self.velocity.extend_from_slice(problem.v_free());
        self.magnitude.clear();
        self.magnitude.extend(problem.v_free().iter().map(|x| x.abs()));
        for (i, (theta, f)) in answer.normal.iter().zip(answer.friction).enumerate() {
            if *theta == 0.0 && *f == [0.0; 2] {
                continue;
            }
            let c = problem.columns_tilde(i);
            self.impulse.clear();
            let entries = c.normal.iter().zip(c.tangents[0]).zip(c.tangents[1]);
            self.impulse
                .extend(entries.map(|((n, tx), ty)| n * theta + tx * f[0] + ty * f[1]));
            self.add_impulse(c.touches);
        }
        for (k, x) in answer.joint.iter().enumerate() {
            if *x != 0.0 {
                let (touches, column) = problem.joint_tilde(k);
                self.impulse.clear();
                self.impulse.extend(column.iter().map(|j| j * x));
                self.add_impulse(touches);
            }
        }
    }

    fn add_impulse(&mut self, touches: &[Touch]) {
        for t in touches {
            let part = &mut self.impulse[t.start..t.start + t.len];
            self.factor.solve(t.block, part);
            for k in 0..t.len {
                self.velocity[t.at + k] += part[k];
                self.magnitude[t.at + k] += part[k].abs();
            }
        }
    }

    /// Velocity at each contact, of the answer and without impulses.
    fn velocities(&mut self, problem: &ContactProblem) {
        self.contact_velocity.clear();
        self.free_velocity.clear();
        for i in 0..problem.contact_count() {
            let [u, u_free] = velocities_at(problem, i, &self.velocity, problem.v_free());
            self.contact_velocity.push(u);
            self.free_velocity.push(u_free);
        }
    }

    fn judge_contact(
        &mut self,
        problem: &ContactProblem,
        terms: Terms,
        answer: Answer<'_>,
        (i, V, rule): (usize, f64, GroupRule),
        residual: &mut Residual,
    ) {
        let (theta, f) = (answer.normal[i], answer.friction[i]);
        let [nu, ux, uy] = self.contact_velocity[i];
        let phi = answer
            .phi
            .map(|phi| &phi[i * terms.directions..(i + 1) * terms.directions]);
        let no_push = theta == 0.0 && f == [0.0; 2] && phi.is_none_or(|phi| phi.iter().all(|x| *x == 0.0));
        let is_viscous = terms.law.is_viscous();
        // Normal impulse beyond the least.
        let (least, extra) = (problem.least_impulse(i), theta - problem.least_impulse(i));
        let no_push = no_push && least == 0.0;
        let grouped = problem.is_grouped(i);
        if no_push && (nu >= 0.0 || grouped) && !is_viscous {
            // Every figure is zero.
            return;
        }
        let s = self.contact_size(problem, terms, (i, V));
        if !grouped {
            raise(&mut residual.gap, -nu / s);
        }
        if no_push && !is_viscous {
            return;
        }
        let c = problem.columns_tilde(i);
        let delta = self.inverse_mass(c);
        raise(&mut residual.sign, -delta * extra / V);
        if !grouped || rule == GroupRule::Max {
            raise(&mut residual.complementarity, (nu / s).min(delta * extra / s));
        }
        // Where there is no friction and must be none, nothing is weighed by it.
        let is_smooth = match terms.law {
            Law::Frictionless => true,
            Law::Polyhedral | Law::Coulomb => problem.mu(i) == 0.0,
            Law::CoulombViscous => problem.mu(i) == 0.0 && problem.viscosity(i) == 0.0,
            _ => false,
        };
        let rub = friction::Rub {
            theta,
            f,
            // A contact that bounces has friction although it opens.
            u: [if least > 0.0 { 0.0 } else { nu }, ux, uy],
            delta_n: delta,
            delta: if is_smooth && f == [0.0; 2] {
                delta
            } else {
                delta.max(self.inverse_mass_along(c))
            },
            planar: problem.is_planar(i),
        };
        let (cone, dissipation) = self.friction_figures(problem, terms, &rub, (i, phi));
        // Whether a contact of a group touches is part of what is sought: without push it may have no viscous friction.
        let (cone, dissipation) = if grouped && is_viscous {
            let without = delta * length(f).max(theta.abs());
            (cone.min(without), dissipation.min(without))
        } else {
            (cone, dissipation)
        };
        raise(&mut residual.cone, cone / s);
        raise(&mut residual.dissipation, dissipation / s);
        let at_least = delta * extra <= terms.tolerance * s;
        self.state[i] = if at_least && (least == 0.0 || nu > terms.tolerance * s) {
            ContactState::Separating
        } else if slides(problem, terms.law, i) || length([ux, uy]) > terms.tolerance * s {
            ContactState::Sliding
        } else {
            ContactState::Sticking
        };
    }

    /// Figures of the friction at a contact, by the law.
    fn friction_figures(
        &self,
        problem: &ContactProblem,
        terms: Terms,
        rub: &friction::Rub,
        (i, phi): (usize, Option<&[f64]>),
    ) -> (f64, f64) {
        let drag = if terms.law.is_acceleration() {
            problem.drag(i)
        } else {
            None
        };
        match (terms.law, drag) {
            (Law::Frictionless, _) => rub.disc(0.0),
            (Law::Polyhedral, _) if problem.mu(i) > 0.0 => rub.polygon(problem.mu(i), &self.circle, phi),
            (Law::CoulombAcceleration | Law::CoulombAccelerationAsPublished, Some(drag)) => rub.dynamic(drag),
            (Law::Polyhedral | Law::Coulomb | Law::CoulombAcceleration, _) => rub.disc(problem.mu(i)),
            (Law::CoulombAccelerationAsPublished, None) => rub.as_published(problem.mu(i)),
            (Law::NoSlip, _) => rub.no_slip(),
            (Law::CoulombViscous, _) => rub
                .beside_viscous(problem.viscosity(i), [rub.u[1], rub.u[2]], true)
                .disc(problem.mu(i)),
            (Law::CoulombViscousAcceleration, drag) => {
                let dry = rub.beside_viscous(problem.viscosity(i), problem.slip(i), false);
                drag.map_or_else(|| dry.disc(problem.mu(i)), |drag| dry.dynamic(drag))
            }
            (Law::Viscous, _) => rub.viscous(problem.viscosity(i)),
            (Law::ViscousExplicit, _) => rub.viscous_explicit(problem.viscosity(i), problem.slip(i)),
        }
    }

    /// Velocity left in a joint row, and the size of its terms. A row that yields is judged by the natural map of −F ..= F,
    /// δ|λ − cut(λ − w/δ)| with w = j̃ᵀv + b + ελ and δ = j̃ᵀ𝓜⁻¹j̃ + ε: |w| within the limit, the impulse beyond it as a velocity.
    fn left_in_joint(&mut self, problem: &ContactProblem, k: usize, impulse: f64) -> (f64, f64) {
        let (touches, column) = problem.joint_tilde(k);
        let T = terms_of(touches, column, &self.magnitude);
        let w = sparse_dot(touches, column, &self.velocity) + problem.joint_bias(k);
        if !problem.yields(k) {
            return (w.abs(), T);
        }
        let (compliance, most) = problem.joint_yield(k);
        let (w, delta) = (w + compliance * impulse, compliance + self.square(touches, column));
        let left = if delta > 0.0 {
            delta * (impulse - (impulse - w / delta).max(-most).min(most)).abs()
        } else {
            // A row of zeros moves nothing and can be left as it is.
            0.0
        };
        (left, T.max(compliance * impulse.abs()))
    }

    /// δ = ñᵀ 𝓜⁻¹ ñ.
    fn inverse_mass(&mut self, c: ContactColumns<'_>) -> f64 {
        self.square(c.touches, c.normal)
    }

    /// The same of the tangent that gives way most.
    fn inverse_mass_along(&mut self, c: ContactColumns<'_>) -> f64 {
        let [x, y] = c.tangents;
        self.square(c.touches, x).max(self.square(c.touches, y))
    }

    /// c̃ᵀ 𝓜⁻¹ c̃ of a column.
    fn square(&mut self, touches: &[Touch], column: &[f64]) -> f64 {
        let mut delta = 0.0;
        for t in touches {
            self.impulse.clear();
            self.impulse.extend_from_slice(&column[t.start..t.start + t.len]);
            delta += self.factor.square(t.block, &mut self.impulse);
        }
        delta
    }
}

/// Whether a law speaks of the tangential velocity at a contact.
fn is_rough(problem: &ContactProblem, law: Law, contact: usize) -> bool {
    match law {
        Law::Frictionless | Law::ViscousExplicit => false,
        Law::Polyhedral | Law::Coulomb => problem.mu(contact) > 0.0,
        Law::CoulombAcceleration | Law::CoulombAccelerationAsPublished | Law::CoulombViscousAcceleration => {
            problem.mu(contact) > 0.0 && problem.drag(contact).is_none()
        }
        Law::NoSlip => true,
        Law::Viscous => problem.viscosity(contact) > 0.0,
        Law::CoulombViscous => problem.mu(contact) > 0.0 || problem.viscosity(contact) > 0.0,
    }
}

/// Whether a contact slides by what is given, not by what is found: at one moment it has the slip that it has, whatever the law.
fn slides(problem: &ContactProblem, law: Law, contact: usize) -> bool {
    (law.is_acceleration() || problem.is_of_forces()) && problem.drag(contact).is_some()
}

/// Velocity at a contact for two velocities of the bodies, bias included: C̃ᵀv + b and C̃ᵀv′ + b.
fn velocities_at(problem: &ContactProblem, contact: usize, v: &[f64], v_prime: &[f64]) -> [[f64; 3]; 2] {
    let c = problem.columns_tilde(contact);
    let mut u = [[0.0; 3]; 2];
    for t in c.touches {
        let (v, v_prime) = (&v[t.at..t.at + t.len], &v_prime[t.at..t.at + t.len]);
        let part = t.start..t.start + t.len;
        let (n, tx) = (&c.normal[part.clone()], &c.tangents[0][part.clone()]);
        let ty = &c.tangents[1][part];
        // Six sums side by side: each waits for itself alone.
        for k in 0..t.len {
            let column = [n[k], tx[k], ty[k]];
            for r in 0..3 {
                u[0][r] += column[r] * v[k];
                u[1][r] += column[r] * v_prime[k];
            }
        }
    }
    let b = problem.bias(contact);
    u.map(|u| [u[0] + b[0], u[1] + b[1], u[2] + b[2]])
}

/// T = |C̃|ᵀ a: what is summed in a row.
fn terms_of(touches: &[Touch], column: &[f64], magnitude: &[f64]) -> f64 {
    let mut sum = 0.0;
    for t in touches {
        for k in 0..t.len {
            sum += column[t.start + k].abs() * magnitude[t.at + k];
        }
    }
    sum
}

/// s = max(V, min(1e-5 T, 100 V)); not a number where that is beyond all numbers, so that no figure passes.
fn row_size(V: f64, T: f64) -> f64 {
    let s = V.max((EXCUSED * T).min(EXCUSED_CAP * V));
    if s.is_finite() { s } else { f64::NAN }
}

/// Length of a vector without overflow or underflow on the way.
fn length(x: [f64; 2]) -> f64 {
    let square = x[0] * x[0] + x[1] * x[1];
    if (1e-200..1e200).contains(&square) || x == [0.0; 2] {
        square.sqrt()
    } else {
        libm::hypot(x[0], x[1])
    }
}

impl Terms {
    /// Checks that the number of directions and the tolerance are in range.
    pub(crate) fn check(&self) -> Result<(), InputError> {
        if !DIRECTION_RANGE.contains(&self.directions) {
            let found = self.directions as f64;
            return Err(InputError::value("directions", "must lie between 3 and 64", found));
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            let requirement = "must lie between 0 and 1, both excluded";
            return Err(InputError::value("tolerance", requirement, self.tolerance));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
