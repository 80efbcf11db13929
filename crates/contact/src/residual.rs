//! The judge: measures an answer, row by row, by what acts on that row.
//!
//! `check/motion.rs` recomputes the motion from the data as given, `law.rs` has the figures of each law. The scale of a row is the largest of
//! * its free velocity c̃ᵀv_free + b, gap/h included,
//! * Σ |c̃_bᵀ(v_b − v_free,b)| over its bodies b: the velocity that all impulses on its own bodies give it, and
//! * δp, its own impulse through its own diagonal block, up to 100 √δ V, where V is the largest min(|free velocity|, δ|p|)/√δ of the rows of bodies
//!   that push on each other: huge impulses that cancel do not excuse what they hide.
//!
//! No row is measured finer than 1e-6 √δ V, which times the usual tolerance is half a rounding of V. Nothing else counts: no neighbour that
//! hardly pushes, no contact that stays open. An answer is solved where all figures are within the tolerance, and solved to `rounding` where they
//! are so beyond 32 roundings of the terms of each row; for terms of impulses up to 1e-6 √δ V. Contacts of a nonconvex group need not be ≥ 0
//! each; their group is judged as a whole.

use crate::check::{Answer, Figure, Figures, GroupRule, Motion, ROUNDINGS, Residual, Rows, Scratch, Surface, Terms};
use crate::cone::{Circle, length};
use crate::law::{Local, joint_row};
use crate::problem::ContactProblem;
use crate::solution::{ContactState, Law};

/// Own impulses count up to this many times √δ V.
const OWN_IMPULSE_CAP: f64 = 100.0;
/// Part of the terms of its normal row below which nothing acts on a contact: what steps before have left.
const NOTHING: f64 = 1e-12;
/// Least scale of a row, as a part of √δ V.
const FINEST: f64 = 1e-6;
/// Rounding is excused up to this part of √δ V: where it hides more, nothing is known of the row.
const ROUNDING_CAP: f64 = 1e-6;

/// The rows of a contact with the impulse (θ, f), with their scales. `fastest` is V.
pub(crate) fn local(rows: &Rows, (theta, least, f): (f64, f64, [f64; 2]), fastest: f64, planar: bool) -> Local {
    let Rows { u, free, acting, .. } = *rows;
    let [n, x, y] = acting;
    let delta = [n.delta, n.delta.max(x.delta).max(y.delta)];
    let own = [0, 1].map(|k| own_impulse(delta[k], [theta, length(f)][k], fastest));
    let press = n.given.max(own[0]).max(FINEST * delta[0].sqrt() * fastest);
    let slip = length([free[1], free[2]]).max(length([x.given, y.given]));
    let push = press.max(-free[0]);
    let largest = delta[1].sqrt() * fastest;
    let speed = [press.max(free[0].abs()), slip.max(own[1]).max(push)];
    // Where all that acts is nothing beside the free motion of the bodies along the normal, as in free fall, or a rounding of all of it, the rows are rounding.
    let carried = (NOTHING * n.data).max(ROUNDINGS * (n.carried + length([x.carried, y.carried])));
    let idle = if speed[0] <= carried { carried } else { 0.0 };
    Local {
        theta,
        least,
        f,
        u,
        delta,
        speed,
        push: [push, push.max(own[1])],
        rounding: [
            (n.data, n.pushed),
            (length([x.data, y.data]), length([x.pushed, y.pushed])),
            (0.0, n.pushed),
        ]
        .map(|terms| rounding(terms, largest).max(idle)),
        planar,
    }
}

fn own_impulse(delta: f64, impulse: f64, fastest: f64) -> f64 {
    (delta * impulse.abs()).min(OWN_IMPULSE_CAP * delta.sqrt() * fastest)
}

/// Rounding of summed data and impulses; that of impulses is excused up to a part of `largest`.
fn rounding((data, pushed): (f64, f64), largest: f64) -> f64 {
    let excused = ROUNDINGS * data + (ROUNDINGS * pushed).min(ROUNDING_CAP * largest);
    if excused.is_finite() { excused } else { 0.0 }
}

/// Figures of the friction at a contact under a law.
fn friction(local: &Local, law: Law, surface: &Surface, circle: &Circle, phi: Option<&[f64]>) -> [Figure; 2] {
    let (mu, c, slip) = (surface.mu, surface.viscosity, surface.slip);
    let [cone, dissipation] = match (law, surface.drag) {
        (Law::Frictionless, _) => local.disc(0.0),
        (Law::Polyhedral, _) if mu > 0.0 => local.polygon(mu, circle, phi),
        (Law::CoulombAcceleration | Law::CoulombAccelerationAsPublished, Some(drag)) => local.dynamic(drag),
        (Law::Polyhedral | Law::Coulomb | Law::CoulombAcceleration, _) => local.disc(mu),
        (Law::CoulombAccelerationAsPublished, None) => local.as_published(mu),
        (Law::NoSlip, _) => local.no_slip(),
        (Law::Viscous, _) => local.viscous(c, [local.u[1], local.u[2]], true),
        (Law::ViscousExplicit, _) => local.viscous(c, slip, false),
        (Law::CoulombViscous, _) => local.beside_viscous(c, [local.u[1], local.u[2]], true).disc(mu),
        (Law::CoulombViscousAcceleration, Some(drag)) => local.beside_viscous(c, slip, false).dynamic(drag),
        (Law::CoulombViscousAcceleration, None) => local.beside_viscous(c, slip, false).disc(mu),
    };
    [cone.max(local.off_the_plane()), dissipation]
}

/// Adds the figures of a contact that belongs to no group, and returns its state.
pub(crate) fn judge_contact(
    local: &Local,
    (terms, surface, circle): (Terms, &Surface, &Circle),
    phi: Option<&[f64]>,
    figures: &mut Figures,
) -> ContactState {
    figures.raise(0, &local.normal());
    figures.raise(3, &friction(local, terms.law, surface, circle, phi));
    state(local, terms, surface)
}

fn state(local: &Local, terms: Terms, surface: &Surface) -> ContactState {
    let opens = local.least == 0.0 || local.approach().beyond_rounding > terms.tolerance;
    if opens && local.press().beyond_rounding <= terms.tolerance {
        ContactState::Separating
    } else if surface.drag.is_some() || local.slip().beyond_rounding > terms.tolerance {
        ContactState::Sliding
    } else {
        ContactState::Sticking
    }
}

/// Judges answers; keeps its buffers, so that a second problem of the same size does not allocate.
#[derive(Debug, Clone, Default)]
pub struct Judge {
    circle: Circle,
    pub(crate) motion: Motion,
    pub(crate) state: Vec<ContactState>,
    /// Value of each nonconvex group beyond rounding, relative: negative where no side holds, positive where one is open.
    pub(crate) group_value: Vec<f64>,
    pub(crate) bounce: Scratch,
}

impl Judge {
    /// A judge with empty buffers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Velocity that the last answer leads to, in the problem's coordinates.
    #[must_use]
    pub fn velocity(&self) -> &[f64] {
        &self.motion.velocity
    }

    /// Velocity at each contact, bias included: normal and tangents [m/s].
    #[must_use]
    pub fn contact_velocity(&self) -> &[[f64; 3]] {
        &self.motion.contact_velocity
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

    /// As [`Self::judge`], with a rule for groups.
    pub(crate) fn judge_by(
        &mut self,
        problem: &ContactProblem,
        terms: Terms,
        rule: GroupRule,
        answer: Answer<'_>,
    ) -> (bool, Residual) {
        if !self.measure(problem, terms, answer) {
            return (false, Residual::INFINITE);
        }
        let mut figures = Figures::default();
        for i in 0..problem.contact_count() {
            self.contact(problem, (terms, rule), (answer, i), &mut figures);
        }
        self.groups(problem, (terms, rule), answer, &mut figures);
        for k in 0..problem.joint_count() {
            figures.raise(5, &[self.joint(problem, k, answer.joint[k])]);
        }
        let residual = figures.residual();
        (residual.accuracy(terms.tolerance).is_some(), residual)
    }

    /// The largest figure of each contact beyond rounding for an answer whose lists have the problem's lengths; infinite where a number is not
    /// finite. Groups and joints are left to [`Self::judge`].
    pub fn contact_residuals(&mut self, problem: &ContactProblem, terms: Terms, answer: Answer<'_>) -> Vec<f64> {
        if !self.measure(problem, terms, answer) {
            return vec![f64::INFINITY; problem.contact_count()];
        }
        let of_contact = |i: usize| {
            let mut figures = Figures::default();
            self.contact(problem, (terms, GroupRule::Max), (answer, i), &mut figures);
            figures.residual().beyond_rounding
        };
        (0..problem.contact_count()).map(of_contact).collect()
    }

    /// Moves the bodies. `false` where a number is not finite.
    fn measure(&mut self, problem: &ContactProblem, terms: Terms, answer: Answer<'_>) -> bool {
        if terms.law == Law::Polyhedral {
            self.circle.set(terms.directions);
        }
        self.state.clear();
        self.state.resize(problem.contact_count(), ContactState::Separating);
        self.motion.set(problem, answer, |i| {
            let is_split = || {
                answer
                    .phi_of(i, terms.directions)
                    .is_some_and(|phi| phi.iter().any(|x| *x != 0.0))
            };
            terms.law.is_viscous() || problem.is_grouped(i) || problem.least_impulse(i) > 0.0 || is_split()
        })
    }

    /// The rows of a contact with their scales.
    pub(crate) fn local(&mut self, problem: &ContactProblem, answer: Answer<'_>, i: usize) -> Local {
        let fastest = self.motion.fastest(problem.columns_tilde(i).touches);
        let push = (answer.normal[i], problem.least_impulse(i), answer.friction[i]);
        local(&self.motion.contacts[i], push, fastest, problem.is_planar(i))
    }

    fn contact(
        &mut self,
        problem: &ContactProblem,
        (terms, rule): (Terms, GroupRule),
        (answer, i): (Answer<'_>, usize),
        figures: &mut Figures,
    ) {
        if self.motion.contacts[i].is_idle {
            // Every figure is zero.
            return;
        }
        let phi = answer.phi_of(i, terms.directions);
        let grouped = problem.is_grouped(i);
        let surface = Surface::of(problem, terms.law, i);
        let local = self.local(problem, answer, i);
        if !grouped {
            self.state[i] = judge_contact(&local, (terms, &surface, &self.circle), phi, figures);
            return;
        }
        let [_, sign, both] = local.normal();
        figures.raise(1, &[sign, if rule == GroupRule::Max { both } else { Figure::ZERO }]);
        let [mut cone, mut dissipation] = friction(&local, terms.law, &surface, &self.circle, phi);
        if terms.law.is_viscous() {
            // Whether a contact of a group touches is unknown: without push it may have no viscous friction.
            let pushes = local.friction().max(local.press());
            (cone, dissipation) = (cone.min(pushes), dissipation.min(pushes));
        }
        figures.raise(3, &[cone, dissipation]);
        self.state[i] = state(&local, terms, &surface);
    }

    /// A joint row. One that gives way has w = j̃ᵀv + b + ελ and δ = j̃ᵀ𝓜⁻¹j̃ + ε.
    fn joint(&mut self, problem: &ContactProblem, k: usize, impulse: f64) -> Figure {
        let (compliance, most) = problem.joint_yield(k);
        let fastest = self.motion.fastest(problem.joint_tilde(k).0);
        let Rows {
            u,
            free,
            acting,
            is_idle,
        } = self.motion.joints[k];
        if is_idle && compliance == 0.0 {
            // A row of zeros moves nothing.
            return Figure::ZERO;
        }
        let (row, delta) = (acting[0], compliance + acting[0].delta);
        let (own, size) = (own_impulse(delta, impulse, fastest), delta.sqrt() * fastest);
        let scale = free[0].abs().max(row.given).max(own).max(FINEST * size);
        // Joined bodies are carried along together, and what is left between them is rounding of that.
        let data = row.data + row.carried + compliance * impulse.abs();
        let rounding = rounding((data, row.pushed), size + row.carried);
        joint_row((impulse, u[0] + compliance * impulse), most, (delta, scale, rounding))
    }
}
