//! The end of a step: what carried is closed in position and in velocity, by the least motion.
//!
//! Joints, contacts that push and the tangents of those that stick keep their place: gaps, errors of joints and the net slip of the step are taken away, then
//! the velocity along these rows. Closing keeps the angular momentum of bodies in the world, and the velocity is projected with mass and rows of the very pose it
//! acts at. What both have changed of the energy is given back where that is lawful (`give_back.rs`).

use stiction_contact::ContactState;

use super::assemble::difference;
use super::follow::{Point, Surfaces};
use super::islands::Mode;
use super::projection::ActiveRow;
use super::rub::slipping;
use super::{Closing, Role, Trial};
use crate::body::Kind;
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::drive::rotor;
use crate::energy::Numerical;
use crate::error::SimError;
use crate::integrate::{inertia_world, turn};
use crate::joint::Row;
use crate::model::Model;
use crate::outcome::Outcome;
use crate::shape::Shape;
use crate::spin::is_isotropic;
use crate::state::BodyState;
use crate::step_time::StepTime;
use crate::{Mat3, Vec3};

/// Distances below this share of a body's size are rounding, and not closed.
const ROUNDING: f64 = 1e-13;
/// Speeds below this share of the fastest are rounding, and not projected.
const SPEED_ROUNDING: f64 = 1e-15;
/// Steps of Newton's method that close joints and contacts, at most; one is the rule.
pub(super) const CLOSINGS: usize = 3;
/// The same where the point of a contact moves over a surface: near a flat end a hair of a turn takes it far along the rim.
const CURVED_CLOSINGS: usize = 8;
/// Part of what was off that a step of Newton's method leaves of it at most, where it converges.
const CONVERGES: f64 = 1e-2;
/// Closing goes on while the square of what was off, which Newton's method leaves, is more than this \[m², rad²\].
pub(super) const CLOSED: f64 = 1e-12;
/// What is farther off than bodies move in a step, and this share of their size, is not closed: it is not what a step leaves.
const SLACK: f64 = 1e-7;
/// Closing moves bodies by so many times what is closed, at most: farther than that the rows of now mean nothing.
pub(super) const LEVER: f64 = 100.0;

/// A step whose end is to be finished.
pub(super) struct Ends<'a> {
    /// The start of the step.
    pub(super) at: Configuration<'a>,
    pub(super) trial: &'a Trial,
    pub(super) outcome: &'a Outcome<'a>,
    pub(super) time: StepTime,
}

/// What closing and projecting do to the energy of islands without arrivals \[J\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Finished {
    /// Given by moving ground and motors that carry an island along.
    pub(super) carried: f64,
    /// Taken by closing and projecting; `flight` is 0.
    pub(super) numerical: Numerical,
    /// Taken by the friction that slipping contacts have for what the projection adds to their normal impulses.
    pub(super) slip: f64,
}

/// Whether the rows of values are those of place or of velocity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Place,
    Velocity,
}

/// Moves bodies by what a projection has found, and keeps their angular momentum in the world. `gives` is told what that gives each body \[J\], from the differences:
/// energies themselves would round too much.
pub(super) fn displace(
    model: &Model,
    moves: &[(usize, Vec3, Vec3)],
    bodies: &mut [BodyState],
    mut gives: impl FnMut(usize, f64),
) {
    for (body, shift, by) in moves {
        let (state, Kind::Dynamic { mass, inertia_body }) = (&mut bodies[*body], &model.bodies[*body].kind) else {
            continue;
        };
        state.pose.position += shift;
        gives(*body, -mass * model.settings.gravity.dot(shift));
        if *by == Vec3::zeros() {
            continue;
        }
        if model.settings.planar {
            state.pose.rotation = turn(state.pose.rotation, *by, 1.0);
            continue;
        }
        let momentum = inertia_world(&state.pose.rotation, inertia_body) * state.spin;
        state.pose.rotation = turn(state.pose.rotation, *by, 1.0);
        let inverse = inertia_body.try_inverse().unwrap_or_else(Mat3::zeros);
        let spin = state.pose.direction(inverse * state.pose.direction_in_body(momentum));
        gives(*body, 0.5 * momentum.dot(&(spin - state.spin)));
        state.spin = spin;
    }
}

/// A distance, or nothing where it is rounding beside a body's size \[m\].
pub(super) fn beyond_rounding(x: f64, size: f64) -> f64 {
    if x.abs() <= ROUNDING * size { 0.0 } else { x }
}

/// Changes velocities by what a projection has found. Returns the kinetic energy that this gives \[J\].
pub(super) fn kick(model: &Model, moves: &[(usize, Vec3, Vec3)], bodies: &mut [BodyState]) -> f64 {
    let mut given = 0.0;
    for (body, velocity, spin) in moves {
        let (state, Kind::Dynamic { mass, inertia_body }) = (&mut bodies[*body], &model.bodies[*body].kind) else {
            continue;
        };
        given += mass * velocity.dot(&(state.velocity + 0.5 * velocity));
        let [by, mean] = [*spin, state.spin + 0.5 * spin].map(|w| state.pose.direction_in_body(w));
        given += by.dot(&(inertia_body * mean));
        state.velocity += velocity;
        state.spin += spin;
    }
    given
}

/// Whether a contact is off by no more than the motion of its bodies in a step explains.
pub(super) fn is_explained(at: Configuration<'_>, contact: &Contact, off: f64, h: f64) -> bool {
    let of = |body: usize| at.speed_at(body, &contact.point);
    let size = at.model.radius(contact.a).max(at.model.radius(contact.b));
    off.abs() <= h * (of(contact.a) + of(contact.b)) + SLACK * size
}

/// Rows of a contact along a direction.
pub(super) fn contact_row(at: Configuration<'_>, contact: &Contact, direction: Vec3, value: f64) -> ActiveRow {
    let part = |body: usize, sign: f64| {
        let m = (contact.point - at.bodies[body].pose.position).cross(&direction);
        [direction.x, direction.y, direction.z, m.x, m.y, m.z].map(|x| sign * x)
    };
    ActiveRow::on_pair(
        [contact.a, contact.b],
        [part(contact.a, 1.0), part(contact.b, -1.0)],
        value,
    )
}

fn joint_row(joint: &crate::joint::Joint, row: &Row, value: f64) -> ActiveRow {
    ActiveRow {
        bodies: joint.bodies(),
        parts: row.parts,
        value,
        yields: false,
        compliance: 0.0,
    }
}

impl Closing {
    /// Whether a contact pushed in the step.
    pub(super) fn pushed(ends: &Ends<'_>, i: usize) -> bool {
        let solution = ends.outcome.solution;
        solution.normal_impulse[i] > 0.0 || solution.friction_impulse[i] != [0.0; 2]
    }

    /// Islands that move, by root.
    fn find_moving(&mut self, ends: &Ends<'_>, bodies: &[BodyState]) -> bool {
        self.moving.clear();
        self.moving.resize(bodies.len(), false);
        let moves = |state: &BodyState| state.velocity != Vec3::zeros() || state.spin != Vec3::zeros();
        let mut any = false;
        for body in (0..bodies.len()).filter(|body| ends.at.blocks[*body].is_some()) {
            let island = ends.trial.islands.of(body);
            if moves(&ends.at.bodies[body]) || moves(&bodies[body]) {
                self.moving[island] = true;
                any = true;
            }
        }
        any
    }

    /// Rows of all joints of islands in a mode, at the place of `end`.
    pub(super) fn add_joint_rows(&mut self, ends: &Ends<'_>, end: Configuration<'_>, mode: Mode, level: Level) {
        for joint in &end.model.joints {
            if !end.moves_joint(joint) {
                continue;
            }
            let island = ends.trial.islands.of_joint(end, joint);
            if ends.trial.islands.mode(island) != mode || !self.moving[island] {
                continue;
            }
            end.rows_of(joint, &mut self.joint_rows);
            let size = end.model.joint_size(joint);
            // What the bodies have done in the step is closed at once; a joint that was open closes no faster than it may.
            let moved = |body: usize| {
                let state = &end.bodies[body];
                state.velocity.norm() + state.spin.norm() * (1.0 + end.model.radius(body).max(size))
            };
            let moved: f64 = joint.bodies().iter().map(|body| moved(*body)).sum();
            let most = ends.time.h * (end.model.settings.ease + moved);
            for row in &self.joint_rows {
                let value = match level {
                    Level::Place => beyond_rounding(row.error, size).clamp(-most, most),
                    Level::Velocity => end.speed_along(joint, row),
                };
                self.active.push(joint_row(joint, row, value));
            }
        }
    }

    /// Rows of what carried in islands without arrivals. The slip of points that move over both bodies is that of the flight: it is taken away once. Motors and friction of
    /// joints give way to what carries them, where not all can hold: they are moved once.
    fn add_smooth_rows(&mut self, ends: &Ends<'_>, end: Configuration<'_>, (level, again): (Level, bool)) {
        let start = ends.at;
        self.active.clear();
        self.slipping.clear();
        self.is_curved = false;
        self.add_joint_rows(ends, end, Mode::Smooth, level);
        for i in 0..ends.trial.contacts.len() {
            let contact = ends.trial.contacts[i];
            let island = ends.trial.islands.of_pair(start, contact.a, contact.b);
            let closed = matches!(ends.trial.roles[i], Role::Closed { .. });
            if !closed || !self.moving[island] || !Self::pushed(ends, i) {
                continue;
            }
            let states = [start.bodies, end.bodies];
            let here = self
                .follower
                .follow(start.model, &contact, states, ends.trial.surfaces[i]);
            let sticks = ends.outcome.solution.state[i] == ContactState::Sticking;
            let slipped = matches!(ends.trial.roles[i], Role::Closed { slipped: true, .. });
            let tangents = end.coordinates().tangents(here.normal);
            let velocity = end.relative_velocity(&here);
            let size = start.model.radius(contact.a).max(start.model.radius(contact.b));
            // Gaps that touch are closed to nothing; larger ones stay as they are.
            let target = if contact.gap.abs() <= start.touch_gap(contact.a, contact.b) {
                0.0
            } else {
                contact.gap
            };
            let off = here.gap - target;
            if level == Level::Place && !is_explained(end, &here, off, ends.time.h) {
                continue;
            }
            let value = match level {
                Level::Place => beyond_rounding(off, size),
                Level::Velocity => velocity.dot(&here.normal),
            };
            self.is_curved |= is_curved(ends.trial.surfaces[i]);
            if !sticks && level == Level::Velocity {
                self.slipping.extend(slipping(ends, i, here, self.active.len()));
            }
            self.active.push(contact_row(end, &here, here.normal, value));
            // What came to rest in the step has slipped before.
            if !sticks || (slipped && level == Level::Place) {
                continue;
            }
            let slip = match level {
                Level::Place if again && is_moving(ends.trial.surfaces[i]) => Vec3::zeros(),
                Level::Place => self.net_slip(ends, i, end),
                Level::Velocity => velocity,
            };
            for tangent in tangents.iter().filter(|t| **t != Vec3::zeros()) {
                let along = slip.dot(tangent);
                let value = match level {
                    Level::Place => beyond_rounding(along, size),
                    Level::Velocity => along,
                };
                self.active.push(contact_row(end, &here, *tangent, value));
            }
        }
        self.add_limit_rows(ends, end, Mode::Smooth, level);
        self.add_hold_rows(ends, end, (level, again));
        if level == Level::Velocity {
            self.add_rotor_rows(end);
        }
    }

    /// Finds the speeds at which rotors end the step: those that their rows were judged at.
    fn find_rotor_speeds(&mut self, ends: &Ends<'_>) {
        let (at, assembly, islands) = (ends.at, ends.outcome.assembly, &ends.trial.islands);
        self.rotor_speeds.clear();
        for (index, [inertia, ..]) in &assembly.rotors {
            let k = assembly.joint_rows[*index].joint;
            let joint = &at.model.joints[k];
            let island = islands.of_joint(at, joint);
            let Some(first) = joint.coordinate(at.bodies) else {
                continue;
            };
            if islands.mode(island) == Mode::Smooth && self.moving[island] {
                let change = assembly.rotor_impulse(*index, ends.outcome.solution) / inertia;
                self.rotor_speeds.push((k, at.speed_along(joint, &first) - change));
            }
        }
    }

    /// Rows along coordinates with rotors. A rotor has gone with the speed that its row was judged at; along the way it and the coordinate have come apart by what the step leaves,
    /// of second order. They meet again at the speed that keeps the momentum of both: without that the rotor would lose what the coordinate does not gain, in every step.
    fn add_rotor_rows(&mut self, end: Configuration<'_>) {
        for (k, speed) in &self.rotor_speeds {
            let joint = &end.model.joints[*k];
            // The projection knows compliance on pairs of bodies alone.
            let Some(last) = joint.coordinate(end.bodies).filter(|_| joint.bodies().len() <= 2) else {
                continue;
            };
            self.active.push(ActiveRow {
                compliance: 1.0 / rotor(end.model, *k),
                ..joint_row(joint, &last, end.speed_along(joint, &last) - speed)
            });
        }
    }

    /// Rows of the limits of joints that pushed, in islands in a mode.
    pub(super) fn add_limit_rows(&mut self, ends: &Ends<'_>, end: Configuration<'_>, mode: Mode, level: Level) {
        for (k, limit) in ends.outcome.assembly.limits.iter().enumerate() {
            let joint = &end.model.joints[limit.joint];
            let index = ends.trial.contacts.len() + k;
            let island = ends.trial.islands.of_joint(end, joint);
            let counts = ends.trial.islands.mode(island) == mode && self.moving[island];
            if !counts || ends.outcome.solution.normal_impulse[index] <= 0.0 {
                continue;
            }
            let Some(row) = end.model.coordinate(limit.joint, end.bodies) else {
                continue;
            };
            let value = match level {
                Level::Place => row.error - joint.bound(limit.sign),
                Level::Velocity => end.speed_along(joint, &row),
            };
            self.active.push(joint_row(joint, &row, value));
        }
        if mode == Mode::Smooth {
            self.add_rubbing_rows(ends, end, level);
        }
    }

    /// Rows of ropes that stick to their bollards.
    fn add_rubbing_rows(&mut self, ends: &Ends<'_>, end: Configuration<'_>, level: Level) {
        for rubbing in &ends.trial.rubbing {
            let limit = &ends.outcome.assembly.limits[rubbing.limit];
            let (joint, index) = (
                &end.model.joints[limit.joint],
                ends.trial.contacts.len() + rubbing.limit,
            );
            let solution = ends.outcome.solution;
            let sticks = solution.normal_impulse[index] > 0.0 && solution.state[index] == ContactState::Sticking;
            // What came to rest in the step has slipped before.
            let skipped = rubbing.slip != 0.0 && level == Level::Place;
            if !sticks || skipped || !self.moving[ends.trial.islands.of_joint(end, joint)] {
                continue;
            }
            let Some(rub) = joint.rub(end.bodies) else { continue };
            let value = match level {
                Level::Place => beyond_rounding(rub.row.error - rubbing.start, end.model.joint_size(joint)),
                Level::Velocity => end.speed_along(joint, &rub.row),
            };
            self.active.push(joint_row(joint, &rub.row, value));
        }
    }

    /// Rows along the coordinates of joints that did not give way: the coordinate goes by the speed that was judged, all through the step.
    fn add_hold_rows(&mut self, ends: &Ends<'_>, end: Configuration<'_>, (level, again): (Level, bool)) {
        for hold in &ends.trial.holds {
            let joint = &end.model.joints[hold.joint];
            let island = ends.trial.islands.of_joint(end, joint);
            let skipped = hold.slipped() && level == Level::Place;
            if !self.moving[island] || skipped || !hold.holds(ends.outcome) {
                continue;
            }
            let Some(row) = end.model.coordinate(hold.joint, end.bodies) else {
                continue;
            };
            let speed = hold.end_speed(ends.outcome);
            let value = match level {
                _ if again => 0.0,
                Level::Place => {
                    let off = difference(joint, hold.start + ends.time.h * speed, row.error);
                    beyond_rounding(off, end.model.joint_size(joint))
                }
                Level::Velocity => end.speed_along(joint, &row) - speed,
            };
            // It gives way to joints and contacts, which carry it.
            self.active.push(ActiveRow {
                yields: true,
                ..joint_row(joint, &row, value)
            });
        }
    }

    /// How far the bodies of a sticking contact have slipped over the step, in the world at its end.
    fn net_slip(&mut self, ends: &Ends<'_>, i: usize, end: Configuration<'_>) -> Vec3 {
        let (start, contact) = (ends.at, ends.trial.contacts[i]);
        let (a, b) = (contact.a, contact.b);
        if !is_moving(ends.trial.surfaces[i]) {
            // A point of a that touched a point of b: how far they are apart now.
            let on_a = start.bodies[a]
                .pose
                .point_in_body(contact.point + contact.gap * contact.normal);
            let on_b = start.bodies[b].pose.point_in_body(contact.point);
            return end.bodies[a].pose.point(on_a) - end.bodies[b].pose.point(on_b);
        }
        slip_of_ball(ends, i).unwrap_or_else(|| self.slip_of_moving(ends, i, end))
    }

    /// The same where the point of contact moves over both bodies: Simpson's rule over both halves of the step, in the axes of b.
    fn slip_of_moving(&mut self, ends: &Ends<'_>, i: usize, end: Configuration<'_>) -> Vec3 {
        let (start, contact, h) = (ends.at, ends.trial.contacts[i], ends.time.h);
        let (a, b) = (contact.a, contact.b);
        let model = start.model;
        let mut slip_b = Vec3::zeros();
        // The second half begins at the midpoint with the velocities after the impulse, and ends before anything was closed.
        let kicked = |body: usize| {
            let (velocity, spin) = ends.outcome.motion_of(body);
            BodyState {
                velocity,
                spin,
                ..ends.trial.mid[body]
            }
        };
        let halves = [[start.bodies[a], start.bodies[b]], [kicked(a), kicked(b)]];
        self.flown.clear();
        self.flown.extend_from_slice(start.bodies);
        for (half, states) in halves.into_iter().enumerate() {
            for (k, weight) in [1.0, 4.0, 1.0].into_iter().enumerate() {
                let tau = 0.25 * h * k as f64;
                for (body, state) in [(a, states[0]), (b, states[1])] {
                    let time = ends.time.start + h * (0.5 * half as f64 + 0.25 * k as f64);
                    self.flown[body] = flown(model, body, &state, tau, (ends.time, time));
                }
                let at = Configuration {
                    bodies: &self.flown,
                    ..start
                };
                let here = self
                    .follower
                    .follow(model, &contact, [start.bodies, at.bodies], ends.trial.surfaces[i]);
                let u = at.relative_velocity(&here);
                slip_b += (h / 12.0 * weight) * at.bodies[b].pose.direction_in_body(u);
            }
        }
        end.bodies[b].pose.direction(slip_b)
    }

    /// Finds the motion that closes the active rows, and returns what is farthest off; none where nothing is, or where the motion is farther than that lets expect. After the first
    /// round of a step the rows are hardly others, and their factor is kept.
    pub(super) fn close(&mut self, at: Configuration<'_>, round: usize) -> Option<f64> {
        if self.active.iter().all(|row| row.value == 0.0) {
            return None;
        }
        if round == 0 || self.is_curved {
            self.projection.solve(at, &self.active, &mut self.moves);
        } else {
            self.projection.solve_near(at, &self.active, &mut self.moves);
        }
        let worst = self.active.iter().fold(0.0, |m: f64, row| m.max(row.value.abs()));
        let far = |(body, shift, turn): &(usize, Vec3, Vec3)| shift.norm() + at.model.radius(*body) * turn.norm();
        (self.moves.iter().map(far).fold(0.0, f64::max) <= LEVER * worst).then_some(worst)
    }

    /// Whether closing has come to its end after a round in which this was off, and that in the round before.
    pub(super) fn is_closed(&self, round: usize, [before, worst]: [f64; 2]) -> bool {
        if !self.is_curved {
            return worst * worst <= CLOSED || round + 1 >= CLOSINGS;
        }
        (worst * worst <= CLOSED && worst <= CONVERGES * before) || round + 1 >= CURVED_CLOSINGS
    }

    /// Closes and projects what carried in islands without arrivals, and gives energy back.
    pub(super) fn finish_smooth(&mut self, ends: &Ends<'_>, bodies: &mut Vec<BodyState>) -> Finished {
        let mut finished = Finished::default();
        if !self.find_moving(ends, bodies) {
            return finished;
        }
        let (model, blocks) = (ends.at.model, ends.at.blocks);
        self.find_held(ends);
        let driven = self.carried.iter().any(|carried| *carried);
        self.bodies_before.clone_from(bodies);
        self.rubbed.clear();
        self.rubbed.resize(bodies.len(), 0.0);
        let mut before = 0.0;
        for round in 0.. {
            self.add_smooth_rows(ends, Configuration { model, bodies, blocks }, (Level::Place, round > 0));
            let Some(worst) = self.close(Configuration { model, bodies, blocks }, round) else {
                break;
            };
            displace(model, &self.moves, bodies, |body, given| {
                // Ground that may move, and a motor, have moved their islands there.
                if self.carried[ends.trial.islands.of(body)] {
                    finished.carried += given;
                } else {
                    finished.numerical.closing -= given;
                }
            });
            if self.is_closed(round, [before, worst]) {
                break;
            }
            before = worst;
        }
        self.find_rotor_speeds(ends);
        self.add_smooth_rows(ends, Configuration { model, bodies, blocks }, (Level::Velocity, false));
        let fastest = bodies.iter().fold(0.0, |m: f64, s| m.max(s.velocity.norm()));
        if self.active.iter().any(|row| row.value.abs() > SPEED_ROUNDING * fastest) {
            let at = Configuration { model, bodies, blocks };
            let taken = self.projection.solve(at, &self.active, &mut self.moves);
            let mut given = kick(model, &self.moves, bodies);
            given += self.given_to_rotors(Configuration { model, bodies, blocks });
            let rubbed = self.rub(ends, bodies, &mut finished);
            let (given, taken) = (given + rubbed[0], taken + rubbed[1]);
            // Fixed ground only takes; the rest is the work of ground that moves.
            if driven {
                finished.numerical.velocity += taken;
                finished.carried += given + taken;
            } else {
                finished.numerical.velocity -= given;
            }
        }
        finished.numerical.returned = self.give_back(ends, Mode::Smooth, bodies);
        self.rotor_speeds.clear();
        finished
    }
}

/// Whether the point of contact moves over a surface by more than its body turns.
pub(super) fn is_curved(surfaces: Surfaces) -> bool {
    let is_far = |point: Point| matches!(point, Point::Rim(..) | Point::Ellipsoid(_));
    match surfaces {
        Surfaces::PlaneOfA(point) | Surfaces::PlaneOfB(point) => is_far(point),
        Surfaces::Moving => true,
    }
}

/// Whether the point of contact moves over both bodies.
fn is_moving(surfaces: Surfaces) -> bool {
    !matches!(
        surfaces,
        Surfaces::PlaneOfA(Point::Fixed) | Surfaces::PlaneOfB(Point::Fixed)
    )
}

/// The net slip of a ball about its centre of mass on a plane of fixed ground: in each half of the step its point of contact moves as its centre does, at one slip.
fn slip_of_ball(ends: &Ends<'_>, i: usize) -> Option<Vec3> {
    let (contact, model) = (&ends.trial.contacts[i], ends.at.model);
    let (ball, ground, sign) = match ends.trial.surfaces[i] {
        Surfaces::PlaneOfB(Point::Round(_)) => (contact.a, contact.b, 1.0),
        Surfaces::PlaneOfA(Point::Round(_)) => (contact.b, contact.a, -1.0),
        _ => return None,
    };
    let body = &model.bodies[ball];
    let is_even = matches!(&body.kind, Kind::Dynamic { inertia_body, .. } if is_isotropic(inertia_body));
    // Where its centre of mass is another, it is a compound.
    let is_ball = matches!(body.shape, Shape::Ball { .. });
    if !(is_even && is_ball && matches!(model.bodies[ground].kind, Kind::Fixed)) {
        return None;
    }
    let (velocity, spin) = ends.outcome.motion_of(ball);
    let arm = ends.trial.contacts_mid[i].point - ends.trial.mid[ball].pose.position;
    let later = sign * (velocity + spin.cross(&arm));
    Some(0.5 * ends.time.h * (ends.at.relative_velocity(contact) + later))
}

/// A body after a time of free flight; driven ones where they are at the moment.
fn flown(model: &Model, body: usize, state: &BodyState, tau: f64, (time, moment): (StepTime, f64)) -> BodyState {
    if let Ok(at) = model.motions.binary_search_by_key(&body, |(driven, _)| *driven) {
        let motion = &model.motions[at].1;
        let (velocity, spin) = motion.velocity(moment, 0.0);
        return BodyState {
            pose: motion.pose(moment),
            velocity,
            spin,
        };
    }
    let flown: Result<_, SimError> = super::fly_free(model, body, state, tau, time);
    flown.map_or(*state, |(state, _)| state)
}
