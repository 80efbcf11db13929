//! The judge: recomputes the motion from the impulses and the data as given, and measures every row by what acts on that row.
//!
//! v = v_free + 𝓜⁻¹(Σ C̃_i p_i + Σ j̃_k λ_k), with the judge's own factor of 𝓜; it shares nothing with the solvers. The scale of a row is the largest of
//! * its free velocity c̃ᵀv_free + b, gap/h included,
//! * Σ |c̃_bᵀ(v_b − v_free,b)| over its bodies b: the velocity that all impulses on its own bodies give it, and
//! * δp, its own impulse through its own diagonal block, up to 100 √(δE). E = Σ p·(u − u_free) is the work scale of the bodies that push on each other,
//!   so that huge impulses that cancel do not excuse what they hide.
//!
//! Nothing else in the problem counts: no fast neighbour, no far contact. An answer is solved where all figures are within the tolerance, and solved to
//! `rounding` where they are so beyond eight roundings of the terms of each row. Contacts of a nonconvex group need not be ≥ 0 each; the group is judged.

use crate::check::{Answer, Figure, Figures, GroupRule, MassFactor, ROUNDINGS, Residual, Terms};
use crate::cone::Circle;
use crate::law::{Local, joint_row, length};
use crate::problem::{ContactProblem, Touch, sparse_dot};
use crate::solution::{ContactState, Law};

/// Own impulses count up to this many times the velocity that the work of their bodies could give.
const OWN_IMPULSE_CAP: f64 = 100.0;

/// What a problem knows of the surface at a contact, whether it has bodies or a Delassus matrix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Surface {
    pub(crate) mu: f64,
    pub(crate) viscosity: f64,
    /// Slip at the start, and the direction of friction against it where the law takes it from there.
    pub(crate) slip: [f64; 2],
    pub(crate) drag: Option<[f64; 2]>,
}

/// Rows of a contact: velocity with and without impulses, then for the normal and the slip the velocity given by the impulses on its bodies, the summed
/// magnitudes of its terms and its inverse effective mass.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows {
    pub(crate) u: [f64; 3],
    pub(crate) free: [f64; 3],
    pub(crate) given: [f64; 2],
    pub(crate) terms: [f64; 2],
    pub(crate) delta: [f64; 2],
}

impl Rows {
    /// Scales of a contact with the impulse (θ, f) in a set of bodies whose impulses do work of the size `energy`.
    pub(crate) fn local(&self, (theta, f): (f64, [f64; 2]), energy: f64, planar: bool) -> Local {
        let delta = [self.delta[0], self.delta[0].max(self.delta[1])];
        let own = [0, 1].map(|k| own_impulse(delta[k], [theta, length(f)][k], energy));
        let press = self.given[0].max(own[0]);
        Local {
            theta,
            f,
            u: self.u,
            delta,
            speed: [
                press.max(self.free[0].abs()),
                length([self.free[1], self.free[2]]).max(self.given[1]).max(own[1]),
            ],
            push: [press.max(-self.free[0]), press.max(-self.free[0]).max(own[1])],
            rounding: self.terms.map(|T| ROUNDINGS * T),
            planar,
        }
    }
}

/// δ|p| up to 100 √(δE).
fn own_impulse(delta: f64, impulse: f64, energy: f64) -> f64 {
    (delta * impulse.abs()).min(OWN_IMPULSE_CAP * (delta * energy.max(0.0)).sqrt())
}

/// Figures of the friction at a contact under a law: cone and dissipation.
fn friction(local: &Local, law: Law, surface: &Surface, circle: &Circle, phi: Option<&[f64]>) -> [Figure; 2] {
    let Surface {
        mu,
        viscosity,
        slip,
        drag,
        ..
    } = *surface;
    let [cone, dissipation] = match (law, drag) {
        (Law::Frictionless, _) => local.disc(0.0),
        (Law::Polyhedral, _) if mu > 0.0 => local.polygon(mu, circle, phi),
        (Law::CoulombAcceleration | Law::CoulombAccelerationAsPublished, Some(drag)) => local.dynamic(drag),
        (Law::Polyhedral | Law::Coulomb | Law::CoulombAcceleration, _) => local.disc(mu),
        (Law::CoulombAccelerationAsPublished, None) => local.as_published(mu),
        (Law::NoSlip, _) => local.no_slip(),
        (Law::Viscous, _) => local.viscous(viscosity, [local.u[1], local.u[2]], true),
        (Law::ViscousExplicit, _) => local.viscous(viscosity, slip, false),
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
    if local.press().beyond_rounding <= terms.tolerance {
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
    factor: MassFactor,
    circle: Circle,
    /// Velocity of the answer, its difference from v_free, and Σ_j |𝓜⁻¹ C̃_j p_j| + |v_free| element by element.
    pub(crate) velocity: Vec<f64>,
    change: Vec<f64>,
    magnitude: Vec<f64>,
    /// Velocity at each contact with and without impulses, bias included.
    pub(crate) contact_velocity: Vec<[f64; 3]>,
    free_velocity: Vec<[f64; 3]>,
    pub(crate) state: Vec<ContactState>,
    /// Union–find over blocks that push on each other, and E of each set at its root.
    parent: Vec<usize>,
    energy: Vec<f64>,
    /// One impulse over the blocks that its column touches.
    impulse: Vec<f64>,
    /// Value of each nonconvex group beyond rounding, relative.
    pub(crate) group_value: Vec<f64>,
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

    /// Moves the bodies: velocities, magnitudes, and the work of each set of bodies. `false` where a number is not finite.
    fn measure(&mut self, problem: &ContactProblem, terms: Terms, answer: Answer<'_>) -> bool {
        let n = problem.contact_count();
        self.factor.set(problem);
        if terms.law == Law::Polyhedral {
            self.circle.set(terms.directions);
        }
        refill(&mut self.state, n, ContactState::Separating);
        refill(&mut self.change, problem.dof(), 0.0);
        self.magnitude.clear();
        self.magnitude.extend(problem.v_free().iter().map(|x| x.abs()));
        self.parent.clear();
        self.parent.extend(0..problem.block_count());
        for (i, (theta, f)) in answer.normal.iter().zip(answer.friction).enumerate() {
            if *theta != 0.0 || *f != [0.0; 2] {
                let c = problem.columns_tilde(i);
                let entries = c.normal.iter().zip(c.tangents[0]).zip(c.tangents[1]);
                self.push(
                    c.touches,
                    entries.map(|((n, tx), ty)| n * theta + tx * f[0] + ty * f[1]),
                );
            }
        }
        for (k, x) in answer.joint.iter().enumerate() {
            if *x != 0.0 {
                let (touches, column) = problem.joint_tilde(k);
                self.push(touches, column.iter().map(|j| j * x));
            }
        }
        self.velocity.clear();
        self.velocity
            .extend(problem.v_free().iter().zip(&self.change).map(|(v, dv)| v + dv));
        refill(&mut self.energy, problem.block_count(), 0.0);
        refill(&mut self.contact_velocity, n, [f64::NAN; 3]);
        refill(&mut self.free_velocity, n, [f64::NAN; 3]);
        for i in 0..n {
            let (c, b) = (problem.columns_tilde(i), problem.bias(i));
            let of =
                |v: &[f64]| [c.normal, c.tangents[0], c.tangents[1]].map(|column| sparse_dot(c.touches, column, v));
            let (u, free) = (of(&self.velocity), of(problem.v_free()));
            self.contact_velocity[i] = [0, 1, 2].map(|k| u[k] + b[k]);
            self.free_velocity[i] = [0, 1, 2].map(|k| free[k] + b[k]);
            let p = [answer.normal[i], answer.friction[i][0], answer.friction[i][1]];
            self.work(c.touches, (0..3).map(|k| p[k] * (u[k] - free[k])).sum());
        }
        for (k, x) in answer.joint.iter().enumerate() {
            let (touches, column) = problem.joint_tilde(k);
            self.work(touches, x * sparse_dot(touches, column, &self.change));
        }
        let phi_is_finite = answer.phi.is_none_or(|phi| phi.iter().all(|x| x.is_finite()));
        let numbers = self
            .velocity
            .iter()
            .chain(&self.magnitude)
            .chain(self.contact_velocity.iter().flatten());
        phi_is_finite && numbers.chain(answer.joint).chain(answer.normal).all(|x| x.is_finite())
    }

    /// v += 𝓜⁻¹x for an impulse x over the touched blocks, which now push on each other.
    fn push(&mut self, touches: &[Touch], impulse: impl Iterator<Item = f64>) {
        self.impulse.clear();
        self.impulse.extend(impulse);
        for t in touches {
            let part = &mut self.impulse[t.start..t.start + t.len];
            self.factor.solve(t.block, part);
            for k in 0..t.len {
                self.change[t.at + k] += part[k];
                self.magnitude[t.at + k] += part[k].abs();
            }
            let (a, b) = (self.root(touches[0].block), self.root(t.block));
            self.parent[a.max(b)] = a.min(b);
        }
    }

    fn root(&self, mut block: usize) -> usize {
        while self.parent[block] != block {
            block = self.parent[block];
        }
        block
    }

    fn work(&mut self, touches: &[Touch], work: f64) {
        if let (Some(t), true) = (touches.first(), work != 0.0) {
            let root = self.root(t.block);
            self.energy[root] += work;
        }
    }

    /// The rows of a contact against the data, with their scales.
    pub(crate) fn local(&mut self, problem: &ContactProblem, answer: Answer<'_>, i: usize) -> Local {
        let (c, b) = (problem.columns_tilde(i), problem.bias(i));
        let columns = [c.normal, c.tangents[0], c.tangents[1]];
        let given = columns.map(|column| self.given(c.touches, column));
        let terms = [0, 1, 2].map(|k| summed(c.touches, columns[k], &self.magnitude) + b[k].abs());
        let delta = columns.map(|column| self.inverse_mass(c.touches, column));
        let rows = Rows {
            u: self.contact_velocity[i],
            free: self.free_velocity[i],
            given: [given[0], length([given[1], given[2]])],
            terms: [terms[0], length([terms[1], terms[2]])],
            delta: [delta[0], delta[1].max(delta[2])],
        };
        let energy = c.touches.first().map_or(0.0, |t| self.energy[self.root(t.block)]);
        rows.local((answer.normal[i], answer.friction[i]), energy, problem.is_planar(i))
    }

    fn contact(
        &mut self,
        problem: &ContactProblem,
        (terms, rule): (Terms, GroupRule),
        (answer, i): (Answer<'_>, usize),
        figures: &mut Figures,
    ) {
        let phi = answer
            .phi
            .map(|phi| &phi[i * terms.directions..(i + 1) * terms.directions]);
        let pushes = answer.normal[i] != 0.0
            || answer.friction[i] != [0.0; 2]
            || phi.is_some_and(|phi| phi.iter().any(|x| *x != 0.0));
        let is_viscous = matches!(terms.law, Law::Viscous | Law::ViscousExplicit);
        let grouped = problem.is_grouped(i);
        if !pushes && !is_viscous && (self.contact_velocity[i][0] >= 0.0 || grouped) {
            // Every figure is zero.
            return;
        }
        let surface = surface(problem, terms.law, i);
        let local = self.local(problem, answer, i);
        if !grouped {
            self.state[i] = judge_contact(&local, (terms, &surface, &self.circle), phi, figures);
            return;
        }
        let [_, sign, both] = local.normal();
        figures.raise(1, &[sign, if rule == GroupRule::Max { both } else { Figure::ZERO }]);
        let [cone, mut dissipation] = friction(&local, terms.law, &surface, &self.circle, phi);
        if is_viscous {
            // Whether a contact of a group touches is unknown: without push it may have no viscous friction.
            dissipation = dissipation.min(local.friction().max(local.press()));
        }
        figures.raise(3, &[cone, dissipation]);
        self.state[i] = state(&local, terms, &surface);
    }

    /// A joint row. One that gives way has w = j̃ᵀv + b + ελ and δ = j̃ᵀ𝓜⁻¹j̃ + ε.
    fn joint(&mut self, problem: &ContactProblem, k: usize, impulse: f64) -> Figure {
        let ((touches, column), (compliance, most)) = (problem.joint_tilde(k), problem.joint_yield(k));
        let (b, delta) = (problem.joint_bias(k), compliance + self.inverse_mass(touches, column));
        if delta == 0.0 {
            // A row of zeros moves nothing.
            return Figure::ZERO;
        }
        let free = sparse_dot(touches, column, problem.v_free()) + b;
        let w = sparse_dot(touches, column, &self.velocity) + b + compliance * impulse;
        let terms = summed(touches, column, &self.magnitude) + b.abs() + compliance * impulse.abs();
        let energy = touches.first().map_or(0.0, |t| self.energy[self.root(t.block)]);
        let scale = free
            .abs()
            .max(self.given(touches, column))
            .max(own_impulse(delta, impulse, energy));
        joint_row((impulse, w), most, (delta, scale, ROUNDINGS * terms))
    }

    /// Σ |c̃_bᵀ(v_b − v_free,b)| over the touched blocks.
    fn given(&self, touches: &[Touch], column: &[f64]) -> f64 {
        touches
            .iter()
            .map(|t| sparse_dot(&[*t], column, &self.change).abs())
            .sum()
    }

    /// c̃ᵀ 𝓜⁻¹ c̃ of a column.
    fn inverse_mass(&mut self, touches: &[Touch], column: &[f64]) -> f64 {
        let mut delta = 0.0;
        for t in touches {
            self.impulse.clear();
            self.impulse.extend_from_slice(&column[t.start..t.start + t.len]);
            delta += self.factor.square(t.block, &mut self.impulse);
        }
        delta
    }
}

/// What a problem of bodies knows of the surface at a contact. Under a law or a problem of forces a contact slides by its slip at the start.
fn surface(problem: &ContactProblem, law: Law, i: usize) -> Surface {
    let by_start = law.is_acceleration() || problem.is_of_forces();
    Surface {
        mu: problem.mu(i),
        viscosity: problem.viscosity(i),
        slip: problem.slip(i),
        drag: if by_start { problem.drag(i) } else { None },
    }
}

/// |c̃|ᵀa: the summed magnitudes of a row.
fn summed(touches: &[Touch], column: &[f64], magnitude: &[f64]) -> f64 {
    let parts = touches.iter().flat_map(|t| (0..t.len).map(|k| (t.start + k, t.at + k)));
    parts.map(|(k, at)| column[k].abs() * magnitude[at]).sum()
}

fn refill<T: Clone>(list: &mut Vec<T>, len: usize, value: T) {
    list.clear();
    list.resize(len, value);
}
