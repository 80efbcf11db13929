//! What arrives or stops within a step: contacts that close, limits that are reached, slip that ends.
//!
//! Before the step it is foreseen from the motion at the start; after the answer it is found where the step leads to. Either way the islands are stepped otherwise in the next round.

use stiction_contact::{ContactSolution, ContactState};

use super::bounce;
use super::event;
use super::follow::Follower;
use super::islands::Mode;
use super::{GIVES, Role, Trial, assemble, joint_name, limits, speed_rounding};
use crate::assemble::Assembly;
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::corners::{Corners, Path};
use crate::flight::{FreeMotion, Moment};
use crate::state::BodyState;

/// A contact that has closed within the step: as it was at the start, and its gap at the end \[m\].
pub(super) struct Closed {
    pub(super) start: Contact,
    pub(super) end_gap: f64,
}

/// What has arrived at the end of a step.
pub(super) struct Arrived {
    /// Whether it was not known before.
    pub(super) is_new: bool,
    /// The contact that overlaps most of those that bounce.
    pub(super) bounces: Option<Closed>,
}

impl Trial {
    /// Lets large islands with contacts in which nothing is faster than gravity accelerates in a step make steps with arrivals. They settle: what is left of their motion are
    /// thousands of small arrivals, which a step that keeps energy would hand on for ever.
    fn settle_large(&mut self, at: Configuration<'_>, contacts: &[Contact], h: f64) {
        let slow = h * at.model.settings.gravity.norm();
        self.fastest.clear();
        self.fastest.resize(at.bodies.len(), 0.0);
        for body in (0..at.bodies.len()).filter(|body| at.blocks[*body].is_some()) {
            let state = &at.bodies[body];
            let fastest = &mut self.fastest[self.islands.of(body)];
            *fastest = fastest.max(state.velocity.norm() + at.model.radius(body) * state.spin.norm());
        }
        for contact in contacts {
            let island = self.islands.of_pair(at, contact.a, contact.b);
            let fastest = self.fastest[island];
            if self.islands.size(island) > event::SMALL && fastest > 0.0 && fastest <= slow {
                self.islands.arrive(island);
            }
        }
    }

    /// Finds islands in which something arrives for sure: it touches and approaches, or comes near enough to touch within the step. Returns the first time at which
    /// something bounces, if the step `splits` there \[s\].
    pub(super) fn foresee_arrivals(
        &mut self,
        free: FreeMotion<'_>,
        (contacts, corners): (&[Contact], &Corners),
        h: f64,
        splits: bool,
    ) -> Option<(f64, Contact)> {
        let mut first: Option<(f64, Contact)> = None;
        let at = free.at;
        self.islands.set(at, contacts, corners);
        self.settle_large(at, contacts, h);
        let motion = |body: usize| (at.bodies[body].velocity, at.bodies[body].spin);
        for c in 0..corners.list.len() {
            let Some([a, b]) = corners.pair(c) else { continue };
            if corners.path(at.bodies, c, &motion, (h, at.touch_gap(a, b))) != Path::Free {
                self.islands.arrive(self.islands.of_pair(at, a, b));
            }
        }
        for (k, joint) in at.model.joints.iter().enumerate() {
            if limits::reached(at, k).any(|side| side.approaches) {
                self.islands.arrive(self.islands.of_joint(at, joint));
            }
        }
        for contact in contacts {
            let approach = at.approach(contact);
            if approach <= speed_rounding(at, contact, h) {
                continue;
            }
            let fastest = free.approach(contact, Moment::End).max(approach);
            let touches = contact.gap <= at.slack(contact).closed;
            if !(touches || fastest * h > contact.gap) {
                continue;
            }
            if splits && bounce::bounces(at, contact) {
                let tau = if touches {
                    0.0
                } else {
                    bounce::time_of(contact.gap, [approach, fastest], h)
                };
                if first.as_ref().is_none_or(|(earliest, _)| tau < *earliest) {
                    first = Some((tau, *contact));
                }
            } else {
                self.islands.arrive(self.islands.of_pair(at, contact.a, contact.b));
            }
        }
        first
    }

    /// Finds islands in which bodies overlap at the end at a contact that was open.
    pub(super) fn find_arrivals(
        &mut self,
        (start, end): (Configuration<'_>, &[BodyState]),
        follower: &mut Follower,
        (solution, splits): (&ContactSolution, bool),
    ) -> Arrived {
        let mut arrived = Arrived {
            is_new: false,
            bounces: None,
        };
        for (i, contact) in self.contacts.iter().enumerate() {
            if self.roles[i] != Role::Open {
                continue;
            }
            let ended = follower.follow(start.model, contact, [start.bodies, end], self.surfaces[i]);
            if ended.gap >= -start.slack(contact).overlap && solution.normal_impulse[i] == 0.0 {
                continue;
            }
            let at_end = Configuration { bodies: end, ..start };
            if splits && bounce::bounces(at_end, &ended) {
                if arrived
                    .bounces
                    .as_ref()
                    .is_none_or(|deepest| ended.gap < deepest.end_gap)
                {
                    arrived.bounces = Some(Closed {
                        start: *contact,
                        end_gap: ended.gap,
                    });
                }
            } else {
                let island = self.islands.of_pair(start, contact.a, contact.b);
                arrived.is_new |= self.islands.arrive(island);
            }
        }
        arrived
    }

    /// Finds islands in which the coordinate of a joint is beyond a limit at the end at which it was not before; whether there are new ones.
    pub(super) fn find_limit_arrivals(
        &mut self,
        start: Configuration<'_>,
        end: &[BodyState],
        assembly: &Assembly,
    ) -> bool {
        let mut found = false;
        for (k, joint) in start.model.joints.iter().enumerate() {
            if joint.bounds().is_none() || !start.moves_joint(joint) {
                continue;
            }
            let island = self.islands.of_joint(start, joint);
            let (Mode::Smooth, Some(first), Some(last)) = (
                self.islands.mode(island),
                start.model.coordinate(k, start.bodies),
                start.model.coordinate(k, end),
            ) else {
                continue;
            };
            let x = first.error + assemble::difference(joint, first.error, last.error);
            let is_held = |sign: f64| {
                assembly
                    .limits
                    .iter()
                    .any(|limit| limit.joint == k && limit.sign == sign)
            };
            let is_reached = joint
                .sides()
                .any(|(_, sign, bound)| sign * (x - bound) < 0.0 && !is_held(sign));
            found |= is_reached && self.islands.arrive(island);
        }
        found
    }

    /// Finds contacts and joints that obey the law with their mean slip, but stop or turn round in the step: next they obey it with that of the end. Where friction then
    /// gives energy to an island, as the slip turns round, that makes a step with arrivals. Returns whether there are any.
    pub(super) fn find_stopping(
        &mut self,
        start: Configuration<'_>,
        assembly: &Assembly,
        solution: &ContactSolution,
    ) -> bool {
        let mut stopping = std::mem::take(&mut self.stopping);
        let mut given = std::mem::take(&mut self.given);
        given.clear();
        given.resize(start.bodies.len(), 0.0);
        let known = stopping.len();
        for (i, contact) in self.contacts.iter().enumerate() {
            let Role::Closed { mean, slipped: true } = self.roles[i] else {
                continue;
            };
            let ([_, x, y], s) = (solution.contact_velocity[i], self.slips[i]);
            if !mean {
                let f = solution.friction_impulse[i];
                let island = self.islands.of_pair(start, contact.a, contact.b);
                given[island] += 0.5 * (f[0] * (x + s[0]) + f[1] * (y + s[1]));
            } else if solution.normal_impulse[i] > 0.0 {
                let turns = (x - s[0]) * s[0] + (y - s[1]) * s[1] <= 0.0;
                if turns || solution.state[i] == ContactState::Sticking {
                    stopping.push(contact.key);
                }
            }
        }
        for rubbing in self.rubbing.iter().filter(|rubbing| rubbing.slip != 0.0) {
            let (limit, index) = (&assembly.limits[rubbing.limit], self.contacts.len() + rubbing.limit);
            let (x, s) = (solution.contact_velocity[index][1], limit.sign * rubbing.slip);
            if !rubbing.mean {
                let island = self.islands.of_joint(start, &start.model.joints[limit.joint]);
                given[island] += 0.5 * solution.friction_impulse[index][0] * (x + s);
            } else if solution.normal_impulse[index] > 0.0 {
                let stops = (x - s) * s <= 0.0 || solution.state[index] == ContactState::Sticking;
                stopping.extend(stops.then(|| joint_name(limit.joint)));
            }
        }
        let outcome = self.outcome(start, assembly, solution);
        for hold in self.holds.iter().filter(|hold| hold.slipped()) {
            let joint = &start.model.joints[hold.joint];
            let end = hold.end_speed(&outcome);
            if !hold.mean {
                let island = self.islands.of_joint(start, joint);
                given[island] += 0.5 * solution.joint_impulse[hold.row] * (end + hold.speed);
            } else if end * hold.speed <= 0.0 {
                stopping.push(joint_name(hold.joint));
            }
        }
        let mut found = stopping.len() > known;
        for body in 0..start.bodies.len() {
            let island = self.islands.of(body);
            // Of a positive work each body of the island takes away what its own motion lets pass.
            given[island] -= if given[island] > 0.0 {
                GIVES * start.kinetic_of(body)
            } else {
                0.0
            };
        }
        for (island, given) in given.iter().enumerate() {
            found |= *given > 0.0 && self.islands.arrive(island);
        }
        (self.stopping, self.given) = (stopping, given);
        found
    }
}
