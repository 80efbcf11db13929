//! Impacts: which contacts collide in a step, and how they bounce.
//!
//! A contact with restitution that meets in the step bounces where it is, with ν ≥ 0 in place of ν + gap/h ≥ 0: had it to arrive first, what is
//! left of the gap would take its share of the speed. At acceleration level every contact that approaches faster than gravity
//! accelerates in a step, and would close within it, is resolved by an impulse before forces are sought.

use stiction_contact::{ContactSolver, Status};

use crate::assemble::{Assembly, Touches};
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::error::SimError;
use crate::flight::{FreeMotion, Moment};
use crate::midpoint::linked;
use crate::outcome::Outcome;
use crate::state::BodyState;
use crate::step_time::StepTime;
use crate::stepper::Stepper;

/// Which contacts of a step bounce.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bounces {
    /// Restitution with which a contact bounces in the step; 0 where it does not.
    pub(crate) shares: Vec<f64>,
    /// Share of its restitution with which an impact reaches each body.
    struck: Vec<f64>,
}

impl Bounces {
    /// Finds the contacts that bounce, and how much they give back. Returns the number of those that need an impulse of their own.
    pub(crate) fn mark(&mut self, free: FreeMotion<'_>, contacts: &[Contact], h: f64) -> usize {
        let model = free.at.model;
        let of_forces = model.settings.stepper == Stepper::Acceleration;
        let count = if of_forces { count_impacts(free, contacts, h) } else { 0 };
        let moment = if of_forces { Moment::Now } else { Moment::End };
        self.shares.clear();
        for contact in contacts {
            let e = model.pairs.restitution(&model.bodies, contact.a, contact.b);
            let bounces_now = e > 0.0 && (count > 0 || !of_forces) && model.settings.stepper.has_inertia();
            self.shares.push(if bounces_now {
                rebound(free, contact, e, (h, moment))
            } else {
                0.0
            });
        }
        if moment == Moment::End {
            self.hold_resting(free, contacts, Moment::End);
        }
        count
    }

    /// Finds how much contacts that touch now give back: those that approach faster than the least speed, and those that do not approach, as far as others strike
    /// their bodies.
    pub(crate) fn mark_now(&mut self, free: FreeMotion<'_>, contacts: &[Contact], least: f64) {
        let model = free.at.model;
        self.shares.clear();
        for contact in contacts {
            let e = model.pairs.restitution(&model.bodies, contact.a, contact.b);
            let approach = free.at.approach(contact);
            self.shares
                .push(if approach > least || approach <= 0.0 { e } else { 0.0 });
        }
        self.hold_resting(free, contacts, Moment::Now);
    }

    /// Lets contacts that touch, and do not approach, bounce only where something strikes their bodies, or bodies that touch these or are joined
    /// to them, and no more than the strongest of such impacts does. Elsewhere their impulse is weight, of which nothing is given back.
    fn hold_resting(&mut self, free: FreeMotion<'_>, contacts: &[Contact], moment: Moment) {
        let Self { shares, struck } = self;
        let (at, model) = (free.at, free.at.model);
        let rests = |contact: &Contact| free.approach(contact, moment) <= 0.0;
        let pairs = || contacts.iter().zip(shares.iter());
        if !pairs().any(|(contact, bounce)| *bounce > 0.0 && rests(contact)) {
            return;
        }
        struck.clear();
        struck.resize(model.bodies.len(), 0.0_f64);
        for (contact, bounce) in pairs().filter(|(contact, bounce)| **bounce > 0.0 && !rests(contact)) {
            let e = model.pairs.restitution(&model.bodies, contact.a, contact.b);
            for body in [contact.a, contact.b] {
                struck[body] = struck[body].max(bounce / e);
            }
        }
        let touching = contacts.iter().filter(|contact| at.touches(contact));
        let links = touching.map(|c| (c.a, c.b)).chain(model.joints.iter().flat_map(linked));
        let dynamic = |body: usize| at.blocks[body].is_some();
        // Each round that changes something strikes one body more, or harder.
        let mut changed = struck.iter().any(|share| *share > 0.0);
        while changed {
            changed = false;
            for (a, b) in links.clone().filter(|(a, b)| dynamic(*a) && dynamic(*b)) {
                let share = struck[a].max(struck[b]);
                changed |= struck[a] < share || struck[b] < share;
                (struck[a], struck[b]) = (share, share);
            }
        }
        for (contact, bounce) in contacts.iter().zip(shares.iter_mut()) {
            if *bounce > 0.0 && rests(contact) {
                let hit = [contact.a, contact.b].into_iter().filter(|body| dynamic(*body));
                *bounce *= hit.fold(0.0, |m: f64, body| m.max(struck[body]));
            }
        }
    }
}

/// Contacts that approach faster than gravity accelerates in a step, and would close within it.
fn count_impacts(free: FreeMotion<'_>, contacts: &[Contact], h: f64) -> usize {
    let least = h * free.at.model.settings.gravity.norm();
    let collides = |contact: &&Contact| {
        free.approach(contact, Moment::Now) > least && contact.gap < h * free.approach(contact, Moment::End)
    };
    contacts.iter().filter(collides).count()
}

/// Share e′ of the compression that a contact gives back. An approach at the speed v, to which forces add s in the step, meets at the
/// fraction f of it and leaves with e(v + fs) − (1 − f)s, but with no more than v − s: the body bounces where it is, above the
/// ground, and must not gain energy by that. Zero where the bodies do not meet in the step, or so slowly that they come to rest. An
/// impact of this moment has no s.
fn rebound(free: FreeMotion<'_>, contact: &Contact, e: f64, (h, moment): (f64, Moment)) -> f64 {
    let before = free.approach(contact, Moment::Now);
    let after = free.approach(contact, moment);
    if after * h <= contact.gap && contact.gap > free.at.rounded_gap(contact.a, contact.b) {
        return 0.0;
    }
    if after <= 0.0 {
        // Bodies that touch pass on the impact of others.
        return e;
    }
    let added = after - before;
    let fraction = (contact.gap / (h * after)).clamp(0.0, 1.0);
    let leaves = e * (before + fraction * added) - (1.0 - fraction) * added;
    (leaves.min(before - added) / after).clamp(0.0, e)
}

/// Whether a contact leaves, or bounces, faster than gravity accelerates in a step.
pub(crate) fn gets_out(at: Configuration<'_>, contact: &Contact, h: f64) -> bool {
    let model = at.model;
    if !model.settings.stepper.has_inertia() {
        return false;
    }
    let speed = -at.approach(contact);
    let least = h * model.settings.gravity.norm();
    speed > least || (speed < -least && model.pairs.restitution(&model.bodies, contact.a, contact.b) > 0.0)
}

/// What impacts did to the energy \[J\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ImpactWork {
    /// Given by moving ground.
    pub(crate) injected: f64,
    /// Taken by contacts and joints.
    pub(crate) dissipated: f64,
}

/// Impacts as impulses that take no time: new velocities, into `bodies`, and what they dissipate. None where no verified answer was found.
pub(crate) fn resolve_impacts(
    (free, time): (FreeMotion<'_>, StepTime),
    touches: Touches<'_>,
    assembly: &mut Assembly,
    solver: &mut ContactSolver,
    bodies: &mut Vec<BodyState>,
) -> Result<Option<ImpactWork>, SimError> {
    assembly.set(free, touches, time, Moment::Now)?;
    let solution = solver.solve(&assembly.problem)?;
    if solution.status != Status::Solved {
        return Ok(None);
    }
    let outcome = Outcome {
        free,
        contacts: touches.contacts,
        assembly,
        solution,
    };
    let before = free.at.energy()[0];
    let ground = outcome.ground_work();
    bodies.clear();
    bodies.extend(free.at.bodies.iter().enumerate().map(|(i, state)| {
        let (velocity, spin) = outcome.motion_of(i);
        BodyState {
            velocity,
            spin,
            ..*state
        }
    }));
    let after = Configuration { bodies, ..free.at }.energy()[0];
    Ok(Some(ImpactWork {
        injected: ground,
        dissipated: before + ground - after,
    }))
}
