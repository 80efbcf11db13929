//! Energy that closing and projecting have changed, and its return.
//!
//! An island that fixed ground holds gets it by scaling the velocity: all rows are homogeneous there, so it stays along them. An island that flies free keeps its
//! momentum: the velocity relative to its motion as a whole is scaled, which rows between its bodies do not notice either; where nothing in it moves, it is turned as
//! a whole by a hair. Islands that only slide on the ground keep what they lose, as scaling would change momentum that nothing acts on, and do not keep what they gain.

use stiction_contact::ContactState;

use super::Closing;
use super::finish::{Ends, kick};
use super::islands::{Islands, Mode};
use crate::body::Kind;
use crate::configuration::Configuration;
use crate::drive::rotor;
use crate::integrate::{inertia_world, turn};
use crate::joint::{Joint, JointKind};
use crate::model::Model;
use crate::state::BodyState;
use crate::{Mat3, Quat, Vec3};

/// Changes of energy below this share of the kinetic energy are rounding.
pub(super) const ENERGY_ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Energy is given where it is less than this share of the kinetic energy.
pub(super) const GIVEN: f64 = 0.01;
/// Energy is taken where it is less than this share of the kinetic energy.
pub(super) const TAKEN: f64 = 0.5;
/// An island is turned as a whole by this share of its turn in the step at most.
const TURNED: f64 = 0.01;

/// Motion of an island as a whole.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Whole {
    mass: f64,
    pub(super) centre: Vec3,
    velocity: Vec3,
    /// Angular momentum about the centre.
    pub(super) momentum: Vec3,
    pub(super) inertia: Mat3,
    /// Spin of a rigid body with this inertia and momentum.
    spin: Vec3,
    /// Kinetic energy of the motion relative to that of such a rigid body \[J\].
    relative: f64,
}

/// Kinetic energy of each island, that of its rotors included, by root \[J\].
fn sum_kinetic(at: Configuration<'_>, islands: &Islands, list: &mut Vec<f64>) {
    list.clear();
    list.resize(at.bodies.len(), 0.0);
    for body in (0..at.bodies.len()).filter(|body| at.blocks[*body].is_some()) {
        list[islands.of(body)] += at.kinetic_of(body);
    }
    for (island, energy) in rotor_energies(at, islands) {
        list[island] += energy;
    }
}

/// Kinetic energy that a rotor gains from a speed to another \[J\].
fn gain_of_rotor(inertia: f64, [before, after]: [f64; 2]) -> f64 {
    0.5 * inertia * (after - before) * (after + before)
}

/// Kinetic energy of each rotor \[J\], with its island.
fn rotor_energies(at: Configuration<'_>, islands: &Islands) -> impl Iterator<Item = (usize, f64)> {
    rotors(at).map(move |(k, joint)| {
        let speed = at.joint_speed(joint).unwrap_or(0.0);
        (islands.of_joint(at, joint), 0.5 * rotor(at.model, k) * speed * speed)
    })
}

/// Joints with rotors that move a body, in physics of second order.
fn rotors(at: Configuration<'_>) -> impl Iterator<Item = (usize, &Joint)> {
    let joints = at.model.joints.iter().enumerate();
    joints.filter(move |(k, joint)| rotor(at.model, *k) > 0.0 && at.moves_joint(joint))
}

impl Closing {
    /// Energy that each island has lost since `bodies_before`, without what friction took: from the differences of places, as energies themselves would round too much \[J\].
    pub(super) fn find_lost(&mut self, islands: &Islands, at: Configuration<'_>) {
        self.lost.clone_from(&self.rubbed);
        let before = Configuration {
            bodies: &self.bodies_before,
            ..at
        };
        for body in (0..at.bodies.len()).filter(|body| at.blocks[*body].is_some()) {
            let Kind::Dynamic { mass, .. } = at.model.bodies[body].kind else {
                continue;
            };
            let shift = at.bodies[body].pose.position - before.bodies[body].pose.position;
            let fallen = mass * at.model.settings.gravity.dot(&shift);
            self.lost[islands.of(body)] += before.kinetic_of(body) - at.kinetic_of(body) + fallen;
        }
        for (k, joint) in rotors(at) {
            let own = self.rotor_speeds.iter().find(|(other, _)| *other == k);
            let speeds = [
                own.map(|(_, speed)| *speed).or_else(|| before.joint_speed(joint)),
                at.joint_speed(joint),
            ];
            if let [Some(first), Some(last)] = speeds {
                self.lost[islands.of_joint(at, joint)] -= gain_of_rotor(rotor(at.model, k), [first, last]);
            }
        }
    }

    /// Kinetic energy that rotors got from the projection of the velocities of their coordinates \[J\].
    pub(super) fn given_to_rotors(&self, at: Configuration<'_>) -> f64 {
        let gain = |(k, before): &(usize, f64)| {
            let joint = &at.model.joints[*k];
            let now = at.joint_speed(joint)?;
            Some(gain_of_rotor(rotor(at.model, *k), [*before, now]))
        };
        self.rotor_speeds.iter().filter_map(gain).sum()
    }

    /// Islands that fixed ground holds by a joint or a sticking contact, that fixed ground touches, and that ground which moves or a motor carries along.
    pub(super) fn find_held(&mut self, ends: &Ends<'_>) {
        let (at, model) = (ends.at, ends.at.model);
        for list in [&mut self.held, &mut self.carried, &mut self.grounded] {
            list.clear();
            list.resize(at.bodies.len(), false);
        }
        let is_fixed = |body: usize| matches!(model.bodies[body].kind, Kind::Fixed);
        let mut note = |bodies: &[usize], holds: bool| {
            let Some(moving) = bodies.iter().find(|body| at.blocks[**body].is_some()) else {
                return;
            };
            let island = ends.trial.islands.of(*moving);
            let fixed = bodies.iter().any(|body| is_fixed(*body));
            self.held[island] |= holds && fixed;
            self.grounded[island] |= fixed;
            self.carried[island] |= bodies.iter().any(|body| model.is_kinematic(*body));
        };
        for joint in &model.joints {
            // A slack rope holds nothing; a taut one is among the limits.
            if joint.kind.holds() {
                note(&joint.bodies(), true);
            }
        }
        for (k, limit) in ends.outcome.assembly.limits.iter().enumerate() {
            let joint = &model.joints[limit.joint];
            let pulls = ends.outcome.solution.normal_impulse[ends.trial.contacts.len() + k] > 0.0;
            if pulls && matches!(joint.kind, JointKind::Rope(_)) {
                note(&joint.bodies(), true);
            }
        }
        for (i, contact) in ends.trial.contacts.iter().enumerate() {
            if Self::pushed(ends, i) {
                let sticks = ends.outcome.solution.state[i] == ContactState::Sticking;
                note(&[contact.a, contact.b], sticks);
            }
        }
        for hold in &ends.trial.holds {
            let joint = &model.joints[hold.joint];
            self.carried[ends.trial.islands.of_joint(at, joint)] |= hold.drives && hold.holds(ends.outcome);
        }
    }

    /// Gives back to islands in a mode what closing and projecting have changed of their energy, as far as that is lawful. Returns what they were given \[J\]; negative
    /// where they gave.
    pub(super) fn give_back(&mut self, ends: &Ends<'_>, mode: Mode, bodies: &mut [BodyState]) -> f64 {
        let at = Configuration { bodies, ..ends.at };
        let (islands, model) = (&ends.trial.islands, ends.at.model);
        self.find_lost(islands, at);
        sum_kinetic(at, islands, &mut self.kinetic);
        sum_kinetic(ends.at, islands, &mut self.before);
        let flies = |body: usize| !self.grounded[islands.of(body)] && self.lost[islands.of(body)] != 0.0;
        if (0..bodies.len()).any(|body| at.blocks[body].is_some() && flies(body)) {
            self.find_wholes(islands, at);
        }
        let mut returned = 0.0;
        for body in (0..bodies.len()).filter(|body| ends.at.blocks[*body].is_some()) {
            let island = islands.of(body);
            let (lost, kinetic) = (self.lost[island], self.kinetic[island]);
            let counts = islands.mode(island) == mode && self.moving[island] && !self.carried[island];
            if !counts || lost.abs() <= ENERGY_ROUNDING * kinetic || (lost > 0.0 && mode == Mode::Event) {
                continue;
            }
            let most = if lost > 0.0 { GIVEN } else { TAKEN };
            let state = &mut bodies[body];
            // Where motion begins with the step, its energy is no measure for what is given.
            let goes_on = self.held[island] && self.before[island] > 0.0;
            let is_given = if !self.grounded[island] {
                self.wholes[island].give(lost, most, ends.time.h, (model, state))
            } else if lost.abs() < most * kinetic && (lost < 0.0 || goes_on) {
                let share = (1.0 + lost / kinetic).sqrt();
                state.velocity *= share;
                state.spin *= share;
                true
            } else {
                false
            };
            // All bodies of an island or none; it counts once, at its root.
            if is_given && body == island {
                returned += lost;
            }
        }
        returned
    }

    /// Changes the velocities of islands with arrivals by what the projection has found. Where fixed ground holds an island it keeps its energy: its rows have turned within the
    /// step, and forces along rows that turn do no work. Returns what ground that moves gives to the islands that it carries \[J\].
    pub(super) fn kick_held(&mut self, ends: &Ends<'_>, bodies: &mut [BodyState]) -> f64 {
        let (islands, blocks) = (&ends.trial.islands, ends.at.blocks);
        let dynamic = || (0..blocks.len()).filter(|body| blocks[*body].is_some());
        sum_kinetic(Configuration { bodies, ..ends.at }, islands, &mut self.before);
        kick(ends.at.model, &self.moves, bodies);
        sum_kinetic(Configuration { bodies, ..ends.at }, islands, &mut self.kinetic);
        let mut carried = 0.0;
        for body in dynamic() {
            let island = islands.of(body);
            if body == island && self.carried[island] {
                carried += self.kinetic[island] - self.before[island];
            }
            let (before, now) = (self.before[island], self.kinetic[island]);
            let is_held = islands.mode(island) == Mode::Event && self.held[island] && !self.carried[island];
            if is_held && now < before && before < (1.0 + GIVEN) * now {
                let share = (before / now).sqrt();
                bodies[body].velocity *= share;
                bodies[body].spin *= share;
            }
        }
        carried
    }

    /// Motion of each island as a whole.
    fn find_wholes(&mut self, islands: &Islands, at: Configuration<'_>) {
        let dynamic = || {
            (0..at.bodies.len()).filter_map(|body| match &at.model.bodies[body].kind {
                Kind::Dynamic { mass, inertia_body } if at.blocks[body].is_some() => {
                    let state = &at.bodies[body];
                    Some((
                        islands.of(body),
                        *mass,
                        inertia_world(&state.pose.rotation, inertia_body),
                        state,
                    ))
                }
                _ => None,
            })
        };
        self.wholes.clear();
        self.wholes.resize(at.bodies.len(), Whole::default());
        for (island, mass, _, state) in dynamic() {
            let whole = &mut self.wholes[island];
            whole.mass += mass;
            whole.centre += mass * state.pose.position;
            whole.velocity += mass * state.velocity;
        }
        for whole in self.wholes.iter_mut().filter(|whole| whole.mass > 0.0) {
            whole.centre /= whole.mass;
            whole.velocity /= whole.mass;
        }
        for (island, mass, inertia, state) in dynamic() {
            let whole = &mut self.wholes[island];
            let (r, u) = (state.pose.position - whole.centre, state.velocity - whole.velocity);
            whole.momentum += inertia * state.spin + mass * r.cross(&u);
            whole.inertia += inertia + mass * (r.norm_squared() * Mat3::identity() - r * r.transpose());
        }
        for whole in &mut self.wholes {
            whole.spin = if at.model.settings.planar {
                Vec3::new(0.0, 0.0, whole.momentum.z / whole.inertia.m33)
            } else {
                whole
                    .inertia
                    .try_inverse()
                    .map_or(Vec3::zeros(), |inverse| inverse * whole.momentum)
            };
        }
        for (island, mass, inertia, state) in dynamic() {
            let whole = &mut self.wholes[island];
            let [u, w] = whole.relative_to(state);
            whole.relative += 0.5 * (mass * u.norm_squared() + w.dot(&(inertia * w)));
        }
        // A rotor turns with the relative motion of two bodies.
        for (island, energy) in rotor_energies(at, islands) {
            self.wholes[island].relative += energy;
        }
    }
}

impl Whole {
    /// Motion of some bodies as a whole: mass, inertia in the world, and state of each.
    pub(super) fn of<'a, I: Iterator<Item = (f64, Mat3, &'a BodyState)>>(bodies: impl Fn() -> I) -> Self {
        let mut whole = Self::default();
        for (mass, _, state) in bodies() {
            whole.mass += mass;
            whole.centre += mass * state.pose.position;
            whole.velocity += mass * state.velocity;
        }
        whole.centre /= whole.mass;
        whole.velocity /= whole.mass;
        for (mass, inertia, state) in bodies() {
            let (r, u) = (state.pose.position - whole.centre, state.velocity - whole.velocity);
            whole.momentum += inertia * state.spin + mass * r.cross(&u);
            whole.inertia += inertia + mass * (r.norm_squared() * Mat3::identity() - r * r.transpose());
        }
        let inverse = whole.inertia.try_inverse();
        whole.spin = inverse.map_or(Vec3::zeros(), |inverse| inverse * whole.momentum);
        for (mass, inertia, state) in bodies() {
            let [u, w] = whole.relative_to(state);
            whole.relative += 0.5 * (mass * u.norm_squared() + w.dot(&(inertia * w)));
        }
        whole
    }

    /// Velocity and spin of a body relative to the motion as a whole.
    fn relative_to(&self, state: &BodyState) -> [Vec3; 2] {
        let r = state.pose.position - self.centre;
        [
            state.velocity - self.velocity - self.spin.cross(&r),
            state.spin - self.spin,
        ]
    }

    /// With what moves beside its bodies as they move relative to it: rotors \[J\].
    pub(super) fn with(self, kinetic: f64) -> Self {
        Self {
            relative: self.relative + kinetic,
            ..self
        }
    }

    /// What the relative motion is multiplied by so that the island has the energy back that it has lost; none where that is not enough of it.
    pub(super) fn share(&self, lost: f64, most: f64) -> Option<f64> {
        (lost.abs() < most * self.relative).then(|| (1.0 + lost / self.relative).sqrt())
    }

    /// Gives a body its share of the energy that its island has lost; whether that can be done.
    pub(super) fn give(&self, lost: f64, most: f64, h: f64, (model, state): (&Model, &mut BodyState)) -> bool {
        let [u, w] = self.relative_to(state);
        if let Some(share) = self.share(lost, most) {
            let share = share - 1.0;
            state.velocity += share * u;
            state.spin += share * w;
            return true;
        }
        // A turn by δ changes the energy by δ·(ω × L): the momentum stays where it is, and the inertia turns.
        let slope = self.spin.cross(&self.momentum);
        let by = (lost / slope.norm_squared()) * slope;
        let angle = by.norm();
        if model.settings.planar || !angle.is_finite() || angle > TURNED * h * self.spin.norm() {
            return false;
        }
        let Some(inverse) = self.inertia.try_inverse() else {
            return false;
        };
        let rotation = turn(Quat::identity(), by, 1.0);
        let spin = rotation * (inverse * (rotation.inverse() * self.momentum));
        let r = rotation * (state.pose.position - self.centre);
        state.pose.position = self.centre + r;
        state.pose.rotation = turn(state.pose.rotation, by, 1.0);
        state.velocity = self.velocity + spin.cross(&r) + rotation * u;
        state.spin = spin + rotation * w;
        true
    }
}
