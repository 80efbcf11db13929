//! Impacts: which contacts collide in a step, and how they bounce.
//!
//! A contact with restitution that meets in the step bounces where it is, with ν ≥ 0 in place of ν + gap/h ≥ 0: had it to arrive first, what is
//! left of the gap would take its share of the speed. At acceleration level every contact that approaches faster than gravity
//! accelerates in a step, and would close within it, is resolved by an impulse before forces are sought.

use stiction_contact::Status;

use crate::Vec3;
use crate::collision::Contact;
use crate::error::SimError;
use crate::stepper::Stepper;
use crate::world::World;

/// Velocities of which a problem is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// The end of the step, without contact.
    End,
    /// Now: an impact takes no time, and forces do nothing in it.
    Now,
}

impl World {
    /// Velocity of a's point relative to b's.
    pub(crate) fn relative_velocity(&self, contact: &Contact) -> Vec3 {
        let of = |body: usize| {
            let state = &self.state.bodies[body];
            state.velocity + state.spin.cross(&(contact.point - state.pose.position))
        };
        of(contact.a) - of(contact.b)
    }

    /// Finds the contacts that bounce, and how much they give back. Returns the number of those that need an impulse of their own.
    pub(crate) fn mark_impacts(&mut self, h: f64) -> usize {
        let mut bounces = std::mem::take(&mut self.bounces);
        bounces.clear();
        let of_forces = self.settings.stepper == Stepper::Acceleration;
        let count = if of_forces { self.count_impacts(h) } else { 0 };
        let moment = if of_forces { Moment::Now } else { Moment::End };
        for contact in &self.contacts {
            let e = self.pairs.restitution(&self.bodies, contact.a, contact.b);
            let bounces_now = e > 0.0 && (count > 0 || !of_forces) && self.settings.stepper.has_inertia();
            bounces.push(if bounces_now {
                self.rebound(contact, e, h, moment)
            } else {
                0.0
            });
        }
        if moment == Moment::End {
            let mut struck = std::mem::take(&mut self.struck);
            self.hold_resting(&mut bounces, &mut struck);
            self.struck = struck;
        }
        self.bounces = bounces;
        count
    }

    /// Lets contacts that touch, and do not approach, bounce only where something strikes their bodies, or bodies that touch these or are joined
    /// to them, and no more than the strongest of such impacts does. Elsewhere their impulse is weight, of which nothing is given back.
    fn hold_resting(&self, bounces: &mut [f64], struck: &mut Vec<f64>) {
        let rests = |contact: &Contact| self.approach(contact, Moment::End) <= 0.0;
        let pairs = || self.contacts.iter().zip(bounces.iter());
        if !pairs().any(|(contact, bounce)| *bounce > 0.0 && rests(contact)) {
            return;
        }
        struck.clear();
        struck.resize(self.bodies.len(), 0.0_f64);
        for (contact, bounce) in pairs().filter(|(contact, bounce)| **bounce > 0.0 && !rests(contact)) {
            let e = self.pairs.restitution(&self.bodies, contact.a, contact.b);
            for body in [contact.a, contact.b] {
                struck[body] = struck[body].max(bounce / e);
            }
        }
        let touching = self.contacts.iter().filter(|contact| self.touches(contact));
        let links = touching
            .map(|c| (c.a, c.b))
            .chain(self.joints.iter().map(|j| (j.a, j.b)));
        let dynamic = |body: usize| self.blocks[body].is_some();
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
        for (contact, bounce) in self.contacts.iter().zip(bounces.iter_mut()) {
            if *bounce > 0.0 && rests(contact) {
                let hit = [contact.a, contact.b].into_iter().filter(|body| dynamic(*body));
                *bounce *= hit.fold(0.0, |m: f64, body| m.max(struck[body]));
            }
        }
    }

    /// Contacts that approach faster than gravity accelerates in a step, and would close within it.
    fn count_impacts(&self, h: f64) -> usize {
        let least = h * self.settings.gravity.norm();
        let collides = |contact: &&Contact| {
            self.approach(contact, Moment::Now) > least && contact.gap < h * self.approach(contact, Moment::End)
        };
        self.contacts.iter().filter(collides).count()
    }

    /// Speed at which a contact closes, now or at the end of the step without contact.
    pub(crate) fn approach(&self, contact: &Contact, moment: Moment) -> f64 {
        if moment == Moment::Now {
            return -contact.normal.dot(&self.relative_velocity(contact));
        }
        let of = |body: usize| {
            let (velocity, spin) = self.free_motion(body);
            velocity + spin.cross(&(contact.point - self.state.bodies[body].pose.position))
        };
        contact.normal.dot(&(of(contact.b) - of(contact.a)))
    }

    /// Share e′ of the compression that a contact gives back. An approach at the speed v, to which forces add s in the step, meets at the
    /// fraction f of it and leaves with e(v + fs) − (1 − f)s, but with no more than v − s: the body bounces where it is, above the
    /// ground, and must not gain energy by that. Zero where the bodies do not meet in the step, or so slowly that they come to rest. An
    /// impact of this moment has no s.
    fn rebound(&self, contact: &Contact, e: f64, h: f64, moment: Moment) -> f64 {
        let before = self.approach(contact, Moment::Now);
        let after = self.approach(contact, moment);
        if after * h <= contact.gap && contact.gap > self.rounded_gap(contact.a, contact.b) {
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
    pub(crate) fn gets_out(&self, contact: &Contact, h: f64) -> bool {
        if !self.settings.stepper.has_inertia() {
            return false;
        }
        let speed = -self.approach(contact, Moment::Now);
        let least = h * self.settings.gravity.norm();
        speed > least || (speed < -least && self.pairs.restitution(&self.bodies, contact.a, contact.b) > 0.0)
    }

    /// Impacts as impulses that take no time: new velocities, and what they dissipate.
    pub(crate) fn resolve_impacts(&mut self, h: f64) -> Result<(), SimError> {
        self.build_problem(h, Moment::Now)?;
        let solution = self.impacts.solve(&self.problem)?;
        if solution.status != Status::Solved {
            self.by_impulse = true;
            return Err(self.unsolved());
        }
        self.by_impulse = true;
        let before = self.energy()[0];
        let ground = self.ground_work();
        for i in 0..self.bodies.len() {
            let (velocity, spin) = self.new_motion(i);
            let state = &mut self.state.bodies[i];
            (state.velocity, state.spin) = (velocity, spin);
        }
        self.by_impulse = false;
        self.ledger.injected += ground;
        self.ledger.dissipated += before + ground - self.energy()[0];
        self.bounces.fill(0.0);
        Ok(())
    }
}
