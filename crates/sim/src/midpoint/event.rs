//! The end of a step in islands in which something arrived.
//!
//! Stewart and Trinkle's step leaves gaps of second order and velocities along the rows of its start. In small islands what carried is closed, and the velocity
//! obeys the law at the pose of the end as well: else every next step would look like an arrival again. Large islands, where something arrives in nearly every step
//! until they rest, are left as they are.

use stiction_contact::{ContactSolver, ContactState, Status, WarmStart};

use super::finish::{Ends, Level, beyond_rounding, contact_row, displace, is_curved, is_explained};
use super::islands::{Islands, Mode};
use super::{Closing, Role, limits, speed_rounding};
use crate::Vec3;
use crate::assemble::{add_blocks, add_contact};
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::error::SimError;
use crate::joint_rows::{LimitRow, add_limit, add_rotor, add_row};
use crate::state::BodyState;

/// Bodies of an island that is closed after an arrival, at most.
pub(super) const SMALL: usize = 16;
/// Operations of a fallback of the second velocity problem: where it has no verified answer, velocities stay as they are.
pub(super) const OBEYED: u64 = 100_000;
/// Turn in a step after which nothing is closed \[rad\].
const FAR: f64 = 0.2;

/// Energy that closing gives to islands with arrivals \[J\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Lifted {
    /// Bodies that rotation has let overlap are lifted: that is easing.
    pub(super) eased: f64,
    /// Ground that moves has lifted them.
    pub(super) carried: f64,
}

impl Closing {
    /// After [`Self::finish_smooth`], which finds what moves and what is held: closes what carried in islands with arrivals, and lets velocities obey the law where
    /// the bodies are now; `pushed` is what the answer of the step leaves. Returns what closing gives.
    pub(super) fn finish_events(
        &mut self,
        ends: &Ends<'_>,
        (solver, pushed): (&mut ContactSolver, &WarmStart),
        bodies: &mut Vec<BodyState>,
    ) -> Result<Lifted, SimError> {
        let (model, blocks) = (ends.at.model, ends.at.blocks);
        let dynamic = || (0..blocks.len()).filter(|body| blocks[*body].is_some());
        let islands = &ends.trial.islands;
        let arrives = |island: usize| self.moving[island] && islands.mode(island) == Mode::Event;
        if !dynamic().any(|body| arrives(islands.of(body))) {
            return Ok(Lifted::default());
        }
        // Contacts of a body that has turned far are not where they were.
        self.turned_far.clear();
        self.turned_far.resize(bodies.len(), false);
        for body in dynamic() {
            self.turned_far[ends.trial.islands.of(body)] |= ends.time.h * bodies[body].spin.norm() > FAR;
        }
        self.bodies_before.clone_from(bodies);
        self.rubbed.fill(0.0);
        let mut before = 0.0;
        for round in 0.. {
            self.active.clear();
            self.is_curved = false;
            self.add_joint_rows(ends, Configuration { model, bodies, blocks }, Mode::Event, Level::Place);
            self.add_limit_rows(ends, Configuration { model, bodies, blocks }, Mode::Event, Level::Place);
            self.add_arrived(ends, Configuration { model, bodies, blocks }, Level::Place);
            let Some(worst) = self.close(Configuration { model, bodies, blocks }, round) else {
                break;
            };
            // What this gives is found for each island as a whole.
            displace(model, &self.moves, bodies, |_, _| {});
            if self.is_closed(round, [before, worst]) {
                break;
            }
            before = worst;
        }
        let mut lifted = self.lifted(&ends.trial.islands, Configuration { model, bodies, blocks });
        let approaches = self.find_touching(ends, Configuration { model, bodies, blocks });
        if !(approaches && self.obey(ends, (solver, pushed), bodies)?) {
            lifted.carried += self.project_event(ends, bodies, approaches);
        }
        self.give_back(ends, Mode::Event, bodies);
        Ok(lifted)
    }

    /// Takes velocities along joints away, and where nothing approaches also along what carried: rows that have turned within the step seem to part, and would
    /// arrive again in the next. Returns what ground that moves gives by that \[J\].
    fn project_event(&mut self, ends: &Ends<'_>, bodies: &mut [BodyState], approaches: bool) -> f64 {
        let end = Configuration { bodies, ..ends.at };
        self.active.clear();
        self.add_joint_rows(ends, end, Mode::Event, Level::Velocity);
        if !approaches {
            self.add_limit_rows(ends, end, Mode::Event, Level::Velocity);
            self.add_arrived(ends, end, Level::Velocity);
        }
        if self.active.iter().any(|row| row.value != 0.0) {
            self.projection.solve(end, &self.active, &mut self.moves);
            return self.kick_held(ends, bodies);
        }
        0.0
    }

    /// Whether a contact on ground that moves parts faster than gravity would close it in half a step, which is as long as the ground is ahead of what was solved.
    fn leaves_moving_ground(&self, ends: &Ends<'_>, end: Configuration<'_>, here: &Contact) -> bool {
        let fall = 0.5 * ends.time.h * end.model.settings.gravity.norm();
        self.carried[ends.trial.islands.of_pair(end, here.a, here.b)] && -end.approach(here) > fall
    }

    fn lifted(&mut self, islands: &Islands, at: Configuration<'_>) -> Lifted {
        self.find_lost(islands, at);
        let mut lifted = Lifted::default();
        for island in (0..at.bodies.len()).filter(|island| islands.mode(*island) == Mode::Event) {
            if self.carried[island] {
                lifted.carried -= self.lost[island];
            } else {
                lifted.eased += (-self.lost[island]).max(0.0);
            }
        }
        lifted
    }

    /// Whether a contact is closed as a part of a small island with arrivals.
    fn is_small_event(&self, ends: &Ends<'_>, i: usize) -> bool {
        let contact = &ends.trial.contacts[i];
        ends.trial.roles[i] == Role::Held
            && self.is_small(ends, ends.trial.islands.of_pair(ends.at, contact.a, contact.b))
    }

    /// Whether an island is small and something arrived in it.
    fn is_small(&self, ends: &Ends<'_>, island: usize) -> bool {
        self.moving[island]
            && !self.turned_far[island]
            && ends.trial.islands.mode(island) == Mode::Event
            && ends.trial.islands.size(island) <= SMALL
    }

    /// Gaps of contacts that pushed, and of those that overlap at the end: rotation within the step may have done that. Velocities of those that pushed, along the slip too where
    /// they stick.
    fn add_arrived(&mut self, ends: &Ends<'_>, end: Configuration<'_>, level: Level) {
        let (problem, solution) = (&ends.outcome.assembly.problem, ends.outcome.solution);
        for i in 0..ends.trial.contacts.len() {
            if !self.is_small_event(ends, i) || problem.restitution(i) > 0.0 {
                continue;
            }
            let contact = ends.trial.contacts[i];
            let states = [ends.at.bodies, end.bodies];
            let here = self
                .follower
                .follow(end.model, &contact, states, ends.trial.surfaces[i]);
            if !is_explained(end, &here, here.gap, ends.time.h) {
                continue;
            }
            let pushed = solution.normal_impulse[i] > 0.0;
            if level == Level::Place {
                if pushed || here.gap < -end.slack(&contact).overlap {
                    let size = end.model.radius(contact.a).max(end.model.radius(contact.b));
                    let value = beyond_rounding(here.gap, size);
                    self.is_curved |= is_curved(ends.trial.surfaces[i]);
                    self.active.push(contact_row(end, &here, here.normal, value));
                }
            } else if pushed && !self.leaves_moving_ground(ends, end, &here) {
                let [t1, t2] = end.coordinates().tangents(here.normal);
                let sticks = solution.state[i] == ContactState::Sticking;
                let directions = if sticks {
                    [here.normal, t1, t2]
                } else {
                    [here.normal, Vec3::zeros(), Vec3::zeros()]
                };
                let velocity = end.relative_velocity(&here);
                for along in directions.into_iter().filter(|along| *along != Vec3::zeros()) {
                    self.active.push(contact_row(end, &here, along, velocity.dot(&along)));
                }
            }
        }
    }

    /// Finds what touches at the end in small islands with arrivals; whether something of it still approaches.
    fn find_touching(&mut self, ends: &Ends<'_>, end: Configuration<'_>) -> bool {
        self.arrived.clear();
        for i in 0..ends.trial.contacts.len() {
            if !self.is_small_event(ends, i) {
                continue;
            }
            let contact = ends.trial.contacts[i];
            let states = [ends.at.bodies, end.bodies];
            let here = self
                .follower
                .follow(end.model, &contact, states, ends.trial.surfaces[i]);
            if here.gap <= end.slack(&contact).closed {
                self.arrived.push(here);
            }
        }
        self.reached.clear();
        for (k, joint) in end.model.joints.iter().enumerate() {
            if end.moves_joint(joint) && self.is_small(ends, ends.trial.islands.of_joint(end, joint)) {
                self.reached.extend(limits::reached(end, k));
            }
        }
        let approaches = |here: &Contact| end.approach(here) > speed_rounding(end, here, ends.time.h);
        self.arrived.iter().any(approaches) || self.reached.iter().any(|side| side.approaches)
    }

    /// Solves the velocity problem of what touches in small islands with arrivals at the end of the step, beside what pushed in it. Whether it has a verified answer; else velocities stay.
    fn obey(
        &mut self,
        ends: &Ends<'_>,
        (solver, pushed): (&mut ContactSolver, &WarmStart),
        bodies: &mut [BodyState],
    ) -> Result<bool, SimError> {
        let end = Configuration { bodies, ..ends.at };
        let (model, islands) = (end.model, &ends.trial.islands);
        let problem = &mut self.velocity_problem;
        problem.clear();
        add_blocks(problem, end, 1.0, |i| end.velocity_of(i))?;
        for contact in &self.arrived {
            let friction = model.pairs.of(&model.bodies, contact.a, contact.b).friction;
            let index = add_contact(problem, end, contact, friction, [0.0; 3])?;
            problem.set_key(index, contact.key)?;
        }
        for (k, joint) in model.joints.iter().enumerate() {
            if end.moves_joint(joint) && islands.mode(islands.of_joint(end, joint)) == Mode::Event {
                end.rows_of(joint, &mut self.joint_rows);
                for row in &self.joint_rows {
                    add_row(problem, end, joint, row, 0.0)?;
                }
                add_rotor(problem, end, k)?;
            }
        }
        for side in &self.reached {
            let limit = LimitRow {
                joint: side.joint,
                sign: side.sign,
                row: side.row,
                rub: model.joints[side.joint].rub(end.bodies),
            };
            add_limit(problem, end, &limit, [0.0; 2])?;
        }
        let max_work = solver.options().max_work;
        solver.set_max_work(OBEYED);
        let solved = solver.solve_beside(problem, pushed)?.status == Status::Solved;
        solver.set_max_work(max_work);
        if !solved {
            return Ok(false);
        }
        let coordinates = model.coordinates();
        for (i, block) in ends.at.blocks.iter().enumerate() {
            let Some(block) = block else { continue };
            if islands.mode(islands.of(i)) == Mode::Event {
                let (velocity, spin) = coordinates.motion(*block, &solver.solution().velocity);
                (bodies[i].velocity, bodies[i].spin) = (velocity, spin);
            }
        }
        Ok(true)
    }
}
