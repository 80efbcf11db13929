//! Bounces: the step ends where a contact with restitution meets, an impulse changes velocities there, and the rest of the step follows.

use stiction_contact::ContactSolution;

use super::follow::surfaces;
use super::{AtBounce, Tried, try_part};
use crate::assemble::{Assembly, Touches};
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::corners::Corners;
use crate::error::SimError;
use crate::flight::FreeMotion;
use crate::impact::{Bounces, resolve_impacts};
use crate::model::Model;
use crate::scratch::Scratch;
use crate::state::{BodyState, State};
use crate::step::StepReport;
use crate::step_time::StepTime;

/// Bounces in one step, at most: what still bounces then arrives like others.
const MOST: usize = 8;
/// Bodies of a world in which steps end at bounces, at most: each one costs a step for all of them.
const MAX_BOUNCING_BODIES: usize = 64;
/// Contacts that approach more slowly than gravity accelerates in so many steps come to rest.
const RESTING_STEPS: f64 = 2.0;
/// Steps of the secant rule that find when a contact meets.
const SECANTS: usize = 6;
/// Gap of a contact that has met, as a share of its larger body.
const CLOSED: f64 = 1e-14;
/// Part of a step that is not made.
const SHORTEST: f64 = 1e-12;

/// Buffers of bounces.
#[derive(Debug, Clone, Default)]
pub(super) struct Bouncing {
    /// The state after the last bounce.
    between: State,
    /// Contacts at the start of a part, and those that touch at its end.
    found: Vec<Contact>,
    contacts: Vec<Contact>,
    bounces: Bounces,
    assembly: Assembly,
    struck: Vec<BodyState>,
    /// Impulses of bounces and of parts of the step before the last, by key.
    impulses: Vec<(u64, f64, [f64; 2])>,
}

/// Whether a contact bounces: it gives something back, and does not approach so slowly that it comes to rest.
pub(super) fn bounces(at: Configuration<'_>, contact: &Contact) -> bool {
    let model = at.model;
    let e = model.pairs.restitution(&model.bodies, contact.a, contact.b);
    e > 0.0 && at.approach(contact) > resting_speed(model)
}

fn resting_speed(model: &Model) -> f64 {
    RESTING_STEPS * model.settings.dt * model.settings.gravity.norm()
}

/// When a gap closes at a speed that changes evenly from the first to the last over h.
pub(super) fn time_of(gap: f64, [first, last]: [f64; 2], h: f64) -> f64 {
    // gap = first t + ½ (last − first)/h t².
    let rate = (last - first) / h;
    let root = (first * first + 2.0 * rate * gap).max(0.0).sqrt();
    (2.0 * gap / (first + root)).clamp(0.0, h)
}

/// When a gap is zero that changes evenly from the first to the last over h.
pub(super) fn time_between([first, last]: [f64; 2], h: f64) -> f64 {
    (h * first / (first - last)).clamp(0.0, h)
}

/// One try of a step; none where a body would outrun its contacts.
pub(crate) fn try_step(
    model: &Model,
    state: &State,
    time: StepTime,
    scratch: &mut Scratch,
    next: &mut State,
) -> Result<Option<StepReport>, SimError> {
    if !model.has_restitution() || model.blocks().iter().flatten().count() > MAX_BOUNCING_BODIES {
        return arrive(model, state, time, scratch, next);
    }
    scratch.midpoint.bouncing.impulses.clear();
    let mut between = std::mem::take(&mut scratch.midpoint.bouncing.between);
    between.copy_from(state);
    let outcome = split(model, &mut between, time, scratch, next);
    scratch.midpoint.bouncing.between = between;
    scratch.h = time.h;
    outcome
}

/// A step in which contacts that bounce are like others that arrive.
fn arrive(
    model: &Model,
    state: &State,
    time: StepTime,
    scratch: &mut Scratch,
    next: &mut State,
) -> Result<Option<StepReport>, SimError> {
    Ok(match try_part(model, state, (time, AtBounce::Arrive), scratch, next)? {
        Tried::Made(report) => Some(report),
        Tried::Outruns | Tried::Bounces(..) => None,
    })
}

/// A step from bounce to bounce.
fn split(
    model: &Model,
    between: &mut State,
    time: StepTime,
    scratch: &mut Scratch,
    next: &mut State,
) -> Result<Option<StepReport>, SimError> {
    let mut left = time;
    let mut whole = StepReport::default();
    for _ in 0..MOST {
        let (tau, contact) = match try_part(model, between, (left, AtBounce::Stop), scratch, next)? {
            Tried::Outruns => return Ok(None),
            Tried::Made(report) => {
                show_all_impulses(scratch);
                return Ok(Some(whole.with_bounces(&report)));
            }
            Tried::Bounces(tau, contact) => (tau, contact),
        };
        let Some((tau, report)) = meet(model, between, (left, tau, contact), scratch, next)? else {
            return Ok(None);
        };
        whole = whole.with_bounces(&report);
        if !strike(model, between, left, scratch, next)? {
            break;
        }
        whole.impacts += 1;
        left = StepTime {
            start: left.start + tau,
            h: left.h - tau,
            ..left
        };
        if left.h <= SHORTEST * time.h {
            next.time = time.end;
            next.step = time.step + u64::from(time.is_last);
            return Ok(Some(whole));
        }
        std::mem::swap(between, next);
    }
    let last = arrive(model, between, left, scratch, next)?;
    show_all_impulses(scratch);
    Ok(last.map(|report| whole.with_bounces(&report)))
}

/// Goes to where a contact meets, after about the time tau: the state there, and the time.
fn meet(
    model: &Model,
    between: &State,
    (left, mut tau, contact): (StepTime, f64, Contact),
    scratch: &mut Scratch,
    next: &mut State,
) -> Result<Option<(f64, StepReport)>, SimError> {
    if tau <= SHORTEST * left.h {
        next.copy_from(between);
        let Scratch { midpoint, contacts, .. } = scratch;
        midpoint.bouncing.found.clone_from(contacts);
        return Ok(Some((0.0, StepReport::default())));
    }
    let touching = surfaces(model, &between.bodies, &contact);
    let size = model.radius(contact.a).max(model.radius(contact.b));
    for round in 1..=SECANTS {
        let part = StepTime {
            end: left.start + tau,
            h: tau,
            is_last: false,
            ..left
        };
        let Tried::Made(report) = try_part(model, between, (part, AtBounce::Pass), scratch, next)? else {
            return Ok(None);
        };
        let states = [&between.bodies[..], &next.bodies[..]];
        let here = scratch
            .midpoint
            .closing
            .follower
            .follow(model, &contact, states, touching);
        let speed = Configuration::of(model, &next.bodies).approach(&here);
        let better = (tau + here.gap / speed).clamp(0.0, left.h);
        if round == SECANTS || here.gap.abs() <= CLOSED * size || speed <= 0.0 || better == tau {
            let Scratch { midpoint, solver, .. } = scratch;
            note(
                &mut midpoint.bouncing.impulses,
                &midpoint.trial.contacts,
                solver.solution(),
            );
            midpoint.bouncing.found.clone_from(&midpoint.trial.contacts);
            return Ok(Some((tau, report)));
        }
        tau = better;
    }
    Ok(None)
}

/// Notes the impulses of contacts.
fn note(impulses: &mut Vec<(u64, f64, [f64; 2])>, contacts: &[Contact], solution: &ContactSolution) {
    let found = contacts
        .iter()
        .zip(&solution.normal_impulse)
        .zip(&solution.friction_impulse);
    impulses.extend(
        found
            .filter(|((_, theta), _)| **theta != 0.0)
            .map(|((c, theta), f)| (c.key, *theta, *f)),
    );
}

/// Lets everything that touches bounce at once: new velocities in `next`. False where no verified answer was found.
fn strike(
    model: &Model,
    between: &State,
    time: StepTime,
    scratch: &mut Scratch,
    next: &mut State,
) -> Result<bool, SimError> {
    let Scratch { midpoint, impacts, .. } = scratch;
    let (bouncing, follower) = (&mut midpoint.bouncing, &mut midpoint.closing.follower);
    bouncing.contacts.clear();
    let at = Configuration::of(model, &next.bodies);
    for contact in &bouncing.found {
        let touching = surfaces(model, &between.bodies, contact);
        let here = follower.follow(model, contact, [&between.bodies, &next.bodies], touching);
        if here.gap <= at.slack(&here).closed {
            bouncing.contacts.push(here);
        }
    }
    let free = FreeMotion { at, flights: &[] };
    bouncing
        .bounces
        .mark_now(free, &bouncing.contacts, resting_speed(model));
    let corners = Corners::default();
    let touches = Touches {
        contacts: &bouncing.contacts,
        corners: &corners,
        bounces: &bouncing.bounces.shares,
    };
    let work = resolve_impacts(
        (free, time),
        touches,
        &mut bouncing.assembly,
        impacts,
        &mut bouncing.struck,
    )?;
    let Some(work) = work else { return Ok(false) };
    note(&mut bouncing.impulses, &bouncing.contacts, impacts.solution());
    std::mem::swap(&mut next.bodies, &mut bouncing.struck);
    next.ledger.injected += work.injected;
    next.ledger.impacts += work.dissipated;
    next.ledger.kinetic = Configuration::of(model, &next.bodies).energy()[0];
    Ok(true)
}

/// Adds the impulses of bounces to those that are shown of the last part of the step.
fn show_all_impulses(scratch: &mut Scratch) {
    let Scratch {
        midpoint,
        solver,
        contacts,
        shown,
        is_merged,
        ..
    } = scratch;
    if midpoint.bouncing.impulses.is_empty() {
        return;
    }
    *is_merged = true;
    copy(shown, solver.solution());
    for (key, theta, f) in &midpoint.bouncing.impulses {
        if let Some(i) = contacts.iter().position(|contact| contact.key == *key) {
            shown.normal_impulse[i] += theta;
            let sum = &mut shown.friction_impulse[i];
            *sum = [sum[0] + f[0], sum[1] + f[1]];
        }
    }
}

/// What is shown of a solution, copied in the room that there is.
fn copy(to: &mut ContactSolution, from: &ContactSolution) {
    (to.status, to.law, to.directions) = (from.status, from.law, from.directions);
    (to.residual, to.accuracy) = (from.residual, from.accuracy);
    to.normal_impulse.clone_from(&from.normal_impulse);
    to.friction_impulse.clone_from(&from.friction_impulse);
    to.phi.clone_from(&from.phi);
    to.joint_impulse.clone_from(&from.joint_impulse);
    to.velocity.clone_from(&from.velocity);
    to.contact_velocity.clone_from(&from.contact_velocity);
    to.state.clone_from(&from.state);
    to.unique.clone_from(&from.unique);
}
