//! Impacts: which contacts collide in a step, and how they bounce.
//!
//! A contact collides where it approaches faster than gravity accelerates in a step and would close within the step. If it has
//! restitution it bounces where it is, with ν ≥ 0 in place of ν + gap/h ≥ 0: what is left of the gap would otherwise take its share of the
//! speed before the bounce; and with e|ν₀| of the speed before the step, whatever forces add to it within: the bounce of a ball is then its
//! fall run backwards, and gives no energy. Contacts that touch and are linked to the impact by bodies bounce with it (Poisson restitution acts on all
//! impulses of an impact); elsewhere nothing does, so that what rests stays at rest.

use stiction_contact::Status;

use crate::Vec3;
use crate::collision::Contact;
use crate::error::SimError;
use crate::world::World;

/// Contacts with a gap below this share of the bodies' size touch: what a step and easing leave is far below it.
const TOUCHES: f64 = 1e-9;

/// Velocities of which a problem is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// The end of the step, without contact.
    End,
    /// Now: an impact takes no time, and forces do nothing in it.
    Now,
}

impl World {
    /// Largest gap of a contact that touches \[m\].
    pub(crate) fn touch_gap(&self) -> f64 {
        TOUCHES * self.collider.size()
    }

    /// Velocity of a's point relative to b's.
    pub(crate) fn relative_velocity(&self, contact: &Contact) -> Vec3 {
        let of = |body: usize| {
            let state = &self.state.bodies[body];
            state.velocity + state.spin.cross(&(contact.point - state.pose.position))
        };
        of(contact.a) - of(contact.b)
    }

    /// Finds the contacts that bounce; returns the number of those that collide.
    pub(crate) fn mark_impacts(&mut self, h: f64) -> usize {
        let mut bounces = std::mem::take(&mut self.bounces);
        bounces.clear();
        bounces.resize(self.contacts.len(), 0.0);
        let least = h * self.settings.gravity.norm();
        let all = self.settings.stepper == crate::Stepper::Acceleration;
        let mut count = 0;
        let mut any = false;
        for (i, contact) in self.contacts.iter().enumerate() {
            let restitution = self.pairs.of(&self.bodies, contact.a, contact.b).restitution;
            if restitution == 0.0 && !all {
                continue;
            }
            let speed = contact.normal.dot(&self.relative_velocity(contact));
            let free = if speed < -least {
                self.free_speed(contact, h)
            } else {
                continue;
            };
            if contact.gap + h * free < 0.0 {
                count += 1;
                if restitution > 0.0 {
                    // An impact takes no time where it is resolved on its own.
                    bounces[i] = if all { 1.0 } else { (speed / free).min(1.0) };
                    any = true;
                }
            }
        }
        if any {
            self.spread(&mut bounces);
        }
        self.bounces = bounces;
        count
    }

    /// Whether a contact leaves, or bounces, faster than gravity accelerates in a step.
    pub(crate) fn gets_out(&self, contact: &Contact, h: f64) -> bool {
        let speed = contact.normal.dot(&self.relative_velocity(contact));
        let least = h * self.settings.gravity.norm();
        speed > least || (speed < -least && self.pairs.of(&self.bodies, contact.a, contact.b).restitution > 0.0)
    }

    /// Normal velocity of a contact at the end of the step without contact.
    fn free_speed(&self, contact: &Contact, h: f64) -> f64 {
        let of = |body: usize| {
            let (velocity, spin) = self.free_motion(body, h);
            velocity + spin.cross(&(contact.point - self.state.bodies[body].pose.position))
        };
        contact.normal.dot(&(of(contact.a) - of(contact.b)))
    }

    /// Contacts that touch and share a body with one that bounces bounce as well.
    fn spread(&self, bounces: &mut [f64]) {
        let touch = self.touch_gap();
        let linked = |x: &Contact, y: &Contact| {
            let same = |body: usize| self.bodies[body].is_dynamic() && (body == y.a || body == y.b);
            same(x.a) || same(x.b)
        };
        let mut changed = true;
        while changed {
            changed = false;
            for i in 0..bounces.len() {
                let contact = &self.contacts[i];
                if bounces[i] > 0.0 || contact.gap > touch {
                    continue;
                }
                let mut others = self.contacts.iter().zip(bounces.iter());
                if let Some((_, share)) = others.find(|(other, share)| **share > 0.0 && linked(contact, other)) {
                    bounces[i] = *share;
                    changed = true;
                }
            }
        }
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
