//! The contact problem of a step: a block of mass for every body that moves, contacts, joints.

use stiction_contact::{ContactProblem, ContactSolution, Law, Restitution};

use crate::body::{Kind, Material};
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::corners::Corners;
use crate::drive::Drives;
use crate::error::SimError;
use crate::flight::{FreeMotion, Moment};
use crate::joint::Row;
use crate::joint_rows::{JointRow, LimitRow, add_joints};
use crate::level::level;
use crate::step_time::StepTime;
use crate::stepper::Stepper;

/// Share of the speeds involved below which a contact does not slip: rounding of a velocity, with some room; and a floor \[m/s\].
const STATIC: f64 = 1e-9;
const STATIC_FLOOR: f64 = 1e-12;
/// Share of the velocity that its loads give to a body in a step below which its own is none: a solve leaves as much by rounding.
const AT_REST: f64 = 1e-9;

/// Contacts of a step, and what was found of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Touches<'a> {
    pub(crate) contacts: &'a [Contact],
    pub(crate) corners: &'a Corners,
    /// Restitution with which each contact bounces in the step; 0 where it does not.
    pub(crate) bounces: &'a [f64],
}

/// The problem of a step.
#[derive(Debug, Clone, Default)]
pub(crate) struct Assembly {
    pub(crate) problem: ContactProblem,
    /// What each of its joint rows is.
    pub(crate) joint_rows: Vec<JointRow>,
    /// The limits of joints among its contacts, which follow those of bodies.
    pub(crate) limits: Vec<LimitRow>,
    /// Gaps of the contacts as the step takes them \[m\].
    pub(crate) levels: Vec<f64>,
    /// Rows of one joint, for a moment.
    pub(crate) rows: Vec<Row>,
    /// What actuators do in the step.
    pub(crate) drives: Drives,
    /// Joint rows that hold the impulse of a rotor: the row, a, its part of the bias, 1/K and the bias.
    pub(crate) rotors: Vec<(usize, [f64; 4])>,
}

impl Assembly {
    /// Impulse of the rotor in a joint row: of −K(ẋ′ + b) the part −a(ẋ′ + b_a) \[N s or N m s\].
    pub(crate) fn rotor_impulse(&self, row: usize, solution: &ContactSolution) -> f64 {
        let found = self.rotors.binary_search_by_key(&row, |(index, _)| *index);
        found.map_or(0.0, |k| {
            let [a, own, compliance, bias] = self.rotors[k].1;
            a * (solution.joint_impulse[row] * compliance + bias - own)
        })
    }

    /// Becomes the problem of a step with these contacts.
    pub(crate) fn set(
        &mut self,
        free: FreeMotion<'_>,
        touches: Touches<'_>,
        time: StepTime,
        moment: Moment,
    ) -> Result<(), SimError> {
        let (at, h) = (free.at, time.h);
        let settings = &at.model.settings;
        self.problem.clear();
        // Impulses are h times a force in every scheme: (h/T)𝓜 v = h f + C p in first-order physics.
        let weight = if settings.stepper.has_inertia() {
            1.0
        } else {
            h / at.model.relaxation()
        };
        add_blocks(&mut self.problem, at, weight, |i| match moment {
            Moment::End => {
                let (v, w) = free.of(i);
                [v.x, v.y, v.z, w.x, w.y, w.z]
            }
            Moment::Now => at.velocity_of(i),
        })?;
        let first_grouped = touches.corners.first_grouped;
        level(touches.contacts, first_grouped, |c| at.slack(c), &mut self.levels);
        for i in 0..touches.contacts.len() {
            add_held(&mut self.problem, free, (touches, i), self.levels[i], (h, moment))?;
        }
        touches.corners.add_groups(&mut self.problem)?;
        self.joint_rows.clear();
        self.rotors.clear();
        self.limits.clear();
        add_joints(self, at, (time, moment))
    }
}

/// Adds a contact that must not close by more than its gap in the step.
pub(crate) fn add_held(
    problem: &mut ContactProblem,
    free: FreeMotion<'_>,
    (touches, i): (Touches<'_>, usize),
    level: f64,
    (h, moment): (f64, Moment),
) -> Result<(), SimError> {
    let (at, contact, restitution) = (free.at, &touches.contacts[i], touches.bounces[i]);
    let material = at.model.pairs.of(&at.model.bodies, contact.a, contact.b);
    // What bounces does so where it is, less than a step before it arrives: had it to arrive first, it would lose its speed.
    // A side of a group may lie behind the body now, and hold by the end of the step.
    let behind = i >= touches.corners.first_grouped && contact.gap < -at.touch_gap(contact.a, contact.b);
    let bias = if !behind && (restitution > 0.0 || level <= 0.0) {
        0.0
    } else {
        level / h
    };
    let by_speed = at.model.settings.restitution_rule == Restitution::Newton;
    let leaves = if by_speed && restitution > 0.0 {
        restitution * free.approach(contact, moment).max(0.0)
    } else {
        0.0
    };
    let index = add_contact(problem, at, contact, material.friction, [bias - leaves, 0.0, 0.0])?;
    if restitution > 0.0 && !by_speed {
        problem.set_restitution(index, restitution)?;
    }
    set_rubbing(problem, at, index, (contact, &material), (h, moment))?;
    problem.set_key(index, contact.key)?;
    Ok(())
}

/// Adds the mass of every body that moves, `weight` times, with its free velocity.
pub(crate) fn add_blocks(
    problem: &mut ContactProblem,
    at: Configuration<'_>,
    weight: f64,
    velocity: impl Fn(usize) -> [f64; 6],
) -> Result<(), SimError> {
    let (coordinates, n) = (at.coordinates(), at.coordinates().count());
    for (i, body) in at.model.bodies.iter().enumerate() {
        let (Kind::Dynamic { mass, inertia_body }, Some(_)) = (&body.kind, at.blocks[i]) else {
            continue;
        };
        let block = coordinates.mass_block(weight * mass, &(weight * inertia_body), &at.bodies[i]);
        let then = velocity(i);
        let free = coordinates.pick(then);
        let added = problem.add_block(&block[..n * n], &free[..n]);
        let block = added.map_err(|error| SimError::OfBody {
            name: body.name.clone(),
            error: Box::new(error),
        })?;
        // Which bodies rest is asked where several answers are lawful.
        if at.model.settings.law != Law::Polyhedral {
            continue;
        }
        let now = at.velocity_of(i);
        let change = std::array::from_fn(|k| then[k] - now[k]);
        let energy = |[x, y, z, u, v, w]: [f64; 6]| {
            mass * (x * x + y * y + z * z) + inertia_body.trace() * (u * u + v * v + w * w)
        };
        // What is too fast for its energy to be a number is not at rest.
        if now == [0.0; 6] || energy(now) <= AT_REST * AT_REST * energy(change) {
            problem.set_at_rest(block)?;
        }
    }
    Ok(())
}

/// What a law reads beside the coefficient of friction.
pub(crate) fn set_rubbing(
    problem: &mut ContactProblem,
    at: Configuration<'_>,
    index: usize,
    (contact, material): (&Contact, &Material),
    (h, moment): (f64, Moment),
) -> Result<(), SimError> {
    let law = at.model.settings.law;
    let is_viscous = match law {
        Law::Viscous | Law::ViscousExplicit => true,
        // An impact takes no time, and a film of oil does nothing in it.
        Law::CoulombViscous => moment == Moment::End,
        _ => false,
    };
    // A film of oil takes contact: bodies that pass at a distance do not drag each other.
    if is_viscous && at.touches(contact) {
        problem.set_viscosity(index, h * material.viscosity)?;
    }
    let is_dynamic = at.model.settings.stepper == Stepper::Acceleration && material.friction.is_finite();
    if is_dynamic || law == Law::ViscousExplicit {
        let [t1, t2] = at.coordinates().tangents(contact.normal);
        let u = at.relative_velocity(contact);
        let slip = [t1.dot(&u), t2.dot(&u)];
        let of = |body: usize| at.speed_at(body, &contact.point);
        let least = (STATIC * (of(contact.a) + of(contact.b))).max(STATIC_FLOOR);
        if libm::hypot(slip[0], slip[1]) > least {
            problem.set_slip(index, slip)?;
        }
    }
    Ok(())
}

/// Adds a contact; bodies that the problem does not move enter as a bias of their velocity.
pub(crate) fn add_contact(
    problem: &mut ContactProblem,
    at: Configuration<'_>,
    contact: &Contact,
    mu: f64,
    mut bias: [f64; 3],
) -> Result<usize, SimError> {
    let (n, coordinates, count) = (contact.normal, at.coordinates(), at.coordinates().count());
    let [t1, t2] = coordinates.tangents(n);
    let mut rows = [[[0.0; 6]; 3]; 2];
    let mut touched = [None; 2];
    for (k, (body, sign)) in [(contact.a, 1.0), (contact.b, -1.0)].into_iter().enumerate() {
        let state = &at.bodies[body];
        let arm = contact.point - state.pose.position;
        touched[k] = at.blocks[body];
        if touched[k].is_some() {
            for (row, d) in rows[k].iter_mut().zip([n, t1, t2]) {
                let m = arm.cross(&d);
                *row = coordinates.pick([d.x, d.y, d.z, m.x, m.y, m.z].map(|x| sign * x));
            }
        } else {
            let u = sign * (state.velocity + state.spin.cross(&arm));
            bias = [bias[0] + n.dot(&u), bias[1] + t1.dot(&u), bias[2] + t2.dot(&u)];
        }
    }
    let mut parts: [(usize, [&[f64]; 3]); 2] = [(0, [&[]; 3]); 2];
    let mut touching = 0;
    for (block, rows) in touched.iter().zip(&rows) {
        if let Some(block) = block {
            parts[touching] = (*block, [&rows[0][..count], &rows[1][..count], &rows[2][..count]]);
            touching += 1;
        }
    }
    let index = problem.add_contact(&parts[..touching], mu)?;
    problem.set_bias(index, bias)?;
    Ok(index)
}
