//! The step of trees of joints that touch nothing, in the coordinates that their joints leave.
//!
//! It is the midpoint step of `docs/STEP.md` with bodies that never leave their joints. With the coordinates of the joints moved for half the step at their rates, let T be what
//! the joints leave of the motion of the bodies there, 𝓜 their masses, p the momenta at the start, those of rotation in the world, and f the loads. The mean motion v̄ = Tu has
//!
//! Tᵀ𝓜T u = Tᵀ(p + ½ h f),
//!
//! the coordinates go by hu, the momenta become p′ = 2𝓜Tu − p + h·0 of loads that are in u, and the velocity at the end is the one along the joints there that is nearest to
//! p′ in energy: TᵀMT u′ = Tᵀp′. Joints stay closed, nothing is left to be closed. Both systems take time linear in the number of links (`articulated.rs`).
//!
//! A tree that flies keeps its momentum and angular momentum to rounding, and all keep their energy, as in `give_back.rs`.

mod articulated;
mod balance;
mod dense;
mod ends;
mod links;
mod motors;
mod place;
mod touch;
mod verify;

use self::articulated::{Drive, IDLE, Inertia, Node, solve};
use self::balance::{Balance, Ends, Spent};
use self::links::{Freedom, Link, Links, Tree};
use self::motors::Motored;
use self::place::{Placed, Start, turn_by};
use self::touch::Touching;
use self::verify::Given;
use super::{Midpoint, SIDE};
use crate::body::Kind;
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::drive::Drives;
use crate::energy::{Ledger, Numerical};
use crate::error::SimError;
use crate::integrate::inertia_world;
use crate::loads::Loads;
use crate::model::Model;
use crate::motion::place_driven_with_velocity;
use crate::scratch::Scratch;
use crate::state::{BodyState, State};
use crate::step::StepReport;
use crate::step_time::StepTime;
use crate::world::Wrench;
use crate::{Mat3, Pose, Quat, Vec3};

/// Turn of a body in a step up to which its joints' coordinates are taken along \[rad\]: what turns faster flies free, at any spin.
const FASTEST: f64 = 0.25;
/// Turn above which the midpoint is sought again \[rad\], and how often it is sought then; a tree with contacts is then stepped otherwise.
const FAST: f64 = 0.05;
const ROUNDS: usize = 2;
/// Share of a joint's size by which it may be open.
const OPEN: f64 = 1e-7;
/// Share of the speeds at a joint that is rounding.
const PARTING: f64 = 1e-9;

/// Buffers of such steps, and what the last one found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trees {
    links: Links,
    starts: Vec<Start>,
    /// Of bodies in the order of links: momenta at the start, in the world.
    momenta: Vec<[Vec3; 2]>,
    /// How far a body turns in the step at most \[rad\].
    turn: f64,
    /// Motors and actuators in the order of links, and where those of each link end.
    motors: Vec<Motored>,
    motor_ends: Vec<usize>,
    drives: Vec<Drive>,
    nodes: Vec<Node>,
    placed: Vec<Placed>,
    /// Rates of the coordinates over the step.
    means: Vec<Vec3>,
    given: Vec<Given>,
    /// Inertias in the world at the pose of the nodes.
    inertias: Vec<Mat3>,
    wholes: Vec<Balance>,
    touching: Touching,
    /// Whether the last step was one of trees.
    pub(crate) stepped: bool,
    /// Forces of motors in the step \[N or N·m\], by joint.
    forces: Vec<(usize, f64)>,
}

/// Mass and inertia of a body.
fn mass_of(model: &Model, body: usize) -> (f64, &Mat3) {
    match &model.bodies[body].kind {
        Kind::Dynamic { mass, inertia_body } => (*mass, inertia_body),
        // Links are made of what moves.
        Kind::Kinematic | Kind::Fixed => (0.0, &ZERO),
    }
}

static ZERO: Mat3 = Mat3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);

/// Makes a step of a world of which all that moves are trees of joints; none where it is not one, where something arrives or stops, or where it has no verified answer.
/// `ledger` is the one before, `depth` the deepest overlap.
pub(super) fn try_step(
    model: &Model,
    state: &State,
    (time, depth): (StepTime, f64),
    scratch: &mut Scratch,
    next: &mut State,
) -> Result<Option<StepReport>, SimError> {
    let trees = &mut scratch.midpoint.trees;
    trees.forces.clear();
    trees.stepped = false;
    // Some sensors read rows of the contact problem.
    let needs_rows = model.sensors.iter().any(|sensor| sensor.kind.reads_joints());
    if model.settings.planar || !scratch.corners.is_empty() || needs_rows {
        return Ok(None);
    }
    trees.links.find(model);
    if !trees.links.are_all {
        return Ok(None);
    }
    let at = Configuration::of(model, &scratch.start);
    scratch.loads.set(at, &scratch.assembly.drives, time);
    if !trees.read(at, (&scratch.assembly.drives, &scratch.loads), time) {
        return Ok(None);
    }
    let made = if scratch.contacts.is_empty() {
        fly(model, time, scratch, next)?
    } else {
        touch::step(model, (state, time), scratch, next)?
    };
    let Some((spent, report)) = made else {
        return Ok(None);
    };
    for i in (0..model.bodies.len()).filter(|i| model.is_kinematic(*i)) {
        next.bodies[i] = super::fly_free(model, i, &scratch.start[i], time.h, time)?.0;
    }
    place_driven_with_velocity(model, time.end, -SIDE * time.h, &mut next.bodies);
    let Midpoint { trees, trial, .. } = &mut scratch.midpoint;
    let [start, end] = [&scratch.start, &next.bodies].map(|bodies| Configuration::of(model, bodies));
    next.ledger = enter(&state.ledger, &spent, [start.energy(), end.energy()]);
    next.warm.clone_from(scratch.solver.warm_start());
    next.time = time.end;
    next.step = time.step + u64::from(time.is_last);
    trees.stepped = true;
    trial.contacts.clone_from(&scratch.contacts);
    for (contact, mid) in scratch.contacts.iter_mut().zip(trees.touching.mids()) {
        *contact = Contact {
            gap: contact.gap,
            ..*mid
        };
    }
    Ok(Some(StepReport {
        depth,
        joint_error: trees.worst_error(end),
        ..report
    }))
}

/// A step in which nothing touches.
fn fly(
    model: &Model,
    time: StepTime,
    scratch: &mut Scratch,
    next: &mut State,
) -> Result<Option<(Spent, StepReport)>, SimError> {
    let (trees, loads) = (&mut scratch.midpoint.trees, scratch.loads.without_actuators());
    let at = Configuration::of(model, &scratch.start);
    let residual = trees.find_mean(at, loads, time.h).unwrap_or(f64::INFINITY);
    if residual.is_nan() || residual > model.settings.tolerance {
        return Ok(None);
    }
    next.bodies.clone_from(&scratch.start);
    let carried = trees.carry(at, loads, time.h);
    let Some(spent) = carried.and_then(|()| trees.finish(at, time.h, &mut next.bodies)) else {
        return Ok(None);
    };
    if trees.passes_limits(model) {
        return Ok(None);
    }
    let islands = trees.links.trees.len();
    let assembly = &mut scratch.assembly;
    assembly.problem.clear();
    assembly.joint_rows.clear();
    assembly.limits.clear();
    scratch.solver.solve_warm(&assembly.problem)?;
    let report = StepReport {
        residual,
        islands,
        parts: 1,
        ..StepReport::default()
    };
    Ok(Some((spent, report)))
}

/// The ledger after a step.
fn enter(ledger: &Ledger, spent: &Spent, [before, after]: [[f64; 2]; 2]) -> Ledger {
    let gain = after[0] + after[1] - before[0] - before[1] - spent.injected;
    let (so_far, step) = (&ledger.numerical, &spent.numerical);
    Ledger {
        kinetic: after[0],
        potential: after[1],
        slip: ledger.slip + spent.slip,
        injected: ledger.injected + spent.injected,
        numerical: Numerical {
            velocity: so_far.velocity + step.velocity,
            closing: so_far.closing + step.closing,
            returned: so_far.returned + step.returned,
            flight: so_far.flight - (gain + spent.slip + step.total()),
        },
        worst_gain: ledger.worst_gain.max(gain),
        ..*ledger
    }
}

impl Trees {
    /// Force of what drives a joint and depends on its motion in the last step, where that was one of trees.
    pub(crate) fn force(&self, joint: usize) -> f64 {
        let own = self.forces.iter().filter(|(k, _)| *k == joint);
        own.map(|(_, force)| force).sum()
    }

    /// Force and torque about its point that a joint gave its body a in the last step, as an impulse \[N·s, N·m·s\], where that was one of trees.
    pub(crate) fn reaction(&self, joint: usize) -> Option<[Vec3; 2]> {
        let place = self.links.list.iter().position(|link| link.joint == Some(joint))?;
        let (given, link) = (self.given.get(place)?, &self.links.list[place]);
        // What acts over the step is half in the mean motion.
        let sign = if link.places_a { 2.0 } else { -2.0 };
        self.stepped.then(|| [sign * given.linear, sign * given.angular])
    }

    /// Reads coordinates, momenta and motors at the start; whether the step is one for joint coordinates: something moves, nothing too fast, joints are closed, and what
    /// acts along them are motors, actuators and rotors alone.
    fn read(&mut self, at: Configuration<'_>, (drives, loads): (&Drives, &Loads), time: StepTime) -> bool {
        let (model, bodies) = (at.model, at.bodies);
        let fall = time.h * model.settings.gravity.norm();
        let mut moves = false;
        self.turn = 0.0;
        self.starts.clear();
        self.momenta.clear();
        self.motors.clear();
        self.motor_ends.clear();
        self.drives.clear();
        for (k, link) in self.links.list.iter().enumerate() {
            let state = &bodies[link.body];
            let spin = state.spin.norm();
            let velocity = state.velocity.norm();
            moves |= spin > 0.0 || velocity > 0.0;
            self.turn = self.turn.max(time.h * spin);
            if time.h * spin > FASTEST {
                return false;
            }
            let mut start = Start::read(model, link, bodies);
            let mut drive = IDLE;
            if let Some(index) = link.joint {
                let joint = &model.joints[index];
                let size = model.joint_size(joint);
                let fastest = velocity + spin * (size + model.radius(link.body)) + fall;
                if start.open[0] > OPEN * size || start.open[1] > OPEN || start.parting > PARTING * fastest {
                    return false;
                }
                let x = link.sign() * start.x;
                let slack = || at.joint_slack(joint);
                if joint.friction > 0.0 || joint.sides().any(|(_, sign, bound)| sign * (x - bound) <= slack()) {
                    return false;
                }
                start.rotor = motors::find(at, (k, link, &start), index, (drives, time), &mut self.motors);
                let pushes = loads.forces.iter().filter(|(pushed, _)| *pushed == index);
                start.push = link.sign() * pushes.map(|(_, force)| force).sum::<f64>();
                drive = Drive::Yields {
                    inertia: start.rotor,
                    momentum: start.rotor * start.rate.z + 0.5 * time.h * start.push,
                };
                let first = self.motor_ends.last().copied().unwrap_or(0);
                for motor in &self.motors[first..] {
                    motor.add_to(&mut drive, time.h);
                }
            }
            self.motor_ends.push(self.motors.len());
            self.drives.push(drive);
            self.starts.push(start);
            let (mass, inertia) = mass_of(model, link.body);
            let turning = inertia * state.pose.direction_in_body(state.spin);
            self.momenta
                .push([mass * state.velocity, state.pose.direction(turning)]);
        }
        moves
    }

    /// Finds the mean motion of the step, in the nodes. Returns its residual; none where there is no such motion.
    fn find_mean(&mut self, at: Configuration<'_>, loads: &[Wrench], h: f64) -> Option<f64> {
        let Self {
            links,
            starts,
            momenta,
            motors,
            motor_ends,
            drives,
            nodes,
            placed,
            inertias,
            given,
            means,
            turn,
            ..
        } = self;
        let (model, list) = (at.model, &links.list[..]);
        let load = |link: &Link| {
            let wrench = &loads[link.body];
            let force = mass_of(model, link.body).0 * model.settings.gravity + wrench.force;
            [0.5 * h * force, 0.5 * h * wrench.torque]
        };
        let pushed = |k: usize| {
            let ([l, m], [force, torque]) = (momenta[k], load(&list[k]));
            [l + force, m + torque]
        };
        means.clear();
        let rate = |(link, start): (&Link, &Start)| match link.freedom {
            Freedom::Free => at.bodies[link.body].spin,
            _ => start.rate,
        };
        means.extend(list.iter().zip(starts.iter()).map(rate));
        // The midpoint is first sought with the rates of the start. Where bodies turn far in the step it is sought again with those of the step.
        for round in 0..if *turn > FAST { ROUNDS } else { 1 } {
            if round > 0 {
                set_means(at, list, (nodes, placed), means);
            }
            placed.clear();
            for tree in &links.trees {
                let part = tree.range();
                let shift = 0.5 * h * mean_velocity(model, &list[part.clone()], &momenta[part]);
                place(at, (list, *tree), starts, (&shift, |k| 0.5 * h * means[k]), placed);
            }
            set_nodes(model, list, placed, (pushed, |k| drives[k]), (nodes, inertias));
            solve(list, nodes)?;
        }
        given.clear();
        for (k, node) in nodes.iter().enumerate() {
            let (linear, angular) = (mass_of(model, list[k].body).0 * node.velocity, inertias[k] * node.spin);
            let [l, m] = pushed(k);
            given.push(Given {
                linear: linear - l,
                angular: angular - m,
                of_linear: linear.norm() + l.norm(),
                of_angular: angular.norm() + m.norm(),
            });
        }
        let driven = |k: usize| driven((k, &starts[k], nodes[k].rate), (motors, motor_ends), h);
        Some(verify::residual(list, nodes, given, driven))
    }

    /// From the mean motion of the step in the nodes: what coordinates and momenta are at its end, before these are put along the joints. None where a motor cannot give
    /// what that takes.
    fn carry(&mut self, at: Configuration<'_>, loads: &[Wrench], h: f64) -> Option<()> {
        let Self {
            links,
            starts,
            momenta,
            motors,
            drives,
            nodes,
            placed,
            inertias,
            means,
            forces,
            wholes,
            ..
        } = self;
        let (model, list) = (at.model, &links.list[..]);
        wholes.clear();
        for tree in &links.trees {
            wholes.push(Balance::of(at, (list, *tree), momenta, starts));
        }
        set_means(at, list, (nodes, placed), means);
        for (k, (link, node)) in list.iter().zip(nodes.iter()).enumerate() {
            let balance = &mut wholes[link.tree];
            let wrench = &loads[link.body];
            balance.work += h * (wrench.force.dot(&node.velocity) + wrench.torque.dot(&node.spin));
            balance.is_loaded |= *wrench != Wrench::default();
            // What the momenta are at the end: those of the mean motion twice, less those of the start.
            let ([l, m], mass) = (momenta[k], mass_of(model, link.body).0);
            momenta[k] = [2.0 * mass * node.velocity - l, 2.0 * (inertias[k] * node.spin) - m];
            let start = &starts[k];
            balance.work += h * start.push * node.rate;
            drives[k] = Drive::Yields {
                inertia: start.rotor,
                momentum: start.rotor * (2.0 * node.rate - start.rate.z),
            };
        }
        for motor in motors.iter() {
            let (k, rate) = (motor.link, nodes[motor.link].rate);
            let impulse = motor.impulse(rate, h);
            if !motor.can_give(impulse, h) {
                return None;
            }
            forces.push((motor.joint, impulse / h));
            let balance = &mut wholes[list[k].tree];
            balance.work += impulse * motor.mean(rate);
            if !motor.is_resolved {
                let end = motor.end_rate(rate);
                drives[k] = Drive::Goes(end);
                means[k].z = end;
                balance.is_carried = true;
            }
        }
        Some(())
    }

    /// Places all links at the end of the step.
    fn place_ends(&mut self, at: Configuration<'_>, h: f64) {
        let Self {
            links,
            starts,
            nodes,
            placed,
            means,
            wholes,
            ..
        } = self;
        let list = &links.list[..];
        placed.clear();
        for (tree, balance) in links.trees.iter().zip(wholes.iter()) {
            let by = |k: usize| h * means[k];
            if tree.flies && balance.is_touched {
                // Its first body goes straight: the slip of contacts is that of this very motion.
                let root = |link: &Link| {
                    let from = &at.bodies[link.body].pose;
                    Pose {
                        position: from.position + h * nodes[tree.first].velocity,
                        rotation: Quat::new_normalize((turn_by(by(tree.first)) * from.rotation).into_inner()),
                    }
                };
                place_on(at, (list, *tree), starts, (root, by), placed);
                continue;
            }
            let shift = h * balance.mean_velocity(list, nodes, (at.model, tree.range()));
            place(at, (list, *tree), starts, (&shift, by), placed);
        }
    }

    /// From what is carried to the end of the step: bodies there, and what became of the energy.
    fn finish(&mut self, at: Configuration<'_>, h: f64, bodies: &mut [BodyState]) -> Option<Spent> {
        self.place_ends(at, h);
        let Self {
            links,
            starts,
            means,
            momenta,
            drives,
            nodes,
            placed,
            inertias,
            ..
        } = self;
        let list = &links.list[..];
        for (start, (link, mean)) in starts.iter_mut().zip(list.iter().zip(means.iter())) {
            start.advance(link.freedom, h * mean);
        }
        set_nodes(
            at.model,
            list,
            placed,
            (|k| momenta[k], |k| drives[k]),
            (nodes, inertias),
        );
        solve(list, nodes)?;
        for (link, (node, there)) in list.iter().zip(nodes.iter().zip(placed.iter())) {
            bodies[link.body] = BodyState {
                pose: there.pose,
                velocity: node.velocity,
                spin: node.spin,
            };
        }
        Some(self.settle(at, h, bodies))
    }

    /// Gives back what the step has changed of momentum and energy beyond what acts. The nodes have the rates of coordinates with rotors.
    fn settle(&self, at: Configuration<'_>, h: f64, bodies: &mut [BodyState]) -> Spent {
        let mut spent = Spent::default();
        for (tree, balance) in self.links.trees.iter().zip(&self.wholes) {
            let ends = Ends {
                at,
                list: &self.links.list[tree.range()],
                momenta: &self.momenta[tree.range()],
                inertias: &self.inertias[tree.range()],
                starts: &self.starts[tree.range()],
                nodes: &self.nodes[tree.range()],
                drives: &self.drives[tree.range()],
                h,
            };
            balance.settle(&ends, bodies, &mut spent);
        }
        spent
    }

    /// How far joints are open \[m, rad\].
    fn worst_error(&self, end: Configuration<'_>) -> [f64; 2] {
        let links = self.links.list.iter();
        links.fold([0.0; 2], |[far, turned], link| {
            let [open, off] = place::open(end.model, link, end.bodies);
            [open.max(far), off.max(turned)]
        })
    }

    /// Whether the coordinate of a joint is beyond a limit at the end.
    fn passes_limits(&self, model: &Model) -> bool {
        self.links.list.iter().zip(&self.starts).any(|(link, end)| {
            let joint = link.joint.map(|k| &model.joints[k]);
            let x = link.sign() * end.x;
            joint.is_some_and(|joint| joint.sides().any(|(_, sign, bound)| sign * (x - bound) < 0.0))
        })
    }
}

/// What acts along the coordinate of a link in half a step whose mean rate is known, its rotor included.
fn driven((k, start, rate): (usize, &Start, f64), (motors, ends): (&[Motored], &[usize]), h: f64) -> f64 {
    let first = k.checked_sub(1).map_or(0, |before| ends[before]);
    let own = motors[first..ends[k]].iter().map(|motor| motor.own_impulse(rate, h));
    0.5 * (own.sum::<f64>() + h * start.push) - start.rotor * (rate - start.rate.z)
}

/// Rates of coordinates in the motion of the nodes.
fn set_means(at: Configuration<'_>, list: &[Link], (nodes, placed): (&[Node], &[Placed]), means: &mut Vec<Vec3>) {
    means.clear();
    for (link, node) in list.iter().zip(nodes) {
        means.push(match link.freedom {
            Freedom::Free => node.spin,
            Freedom::Ball => {
                let still = || (at.bodies[link.base].pose, Vec3::zeros());
                let (base, spin) = link.parent.map_or_else(still, |on| (placed[on].pose, nodes[on].spin));
                base.direction_in_body(node.spin - spin)
            }
            _ => Vec3::new(0.0, 0.0, node.rate),
        });
    }
}

/// Velocity of the centre of mass of some links with these momenta.
fn mean_velocity(model: &Model, list: &[Link], momenta: &[[Vec3; 2]]) -> Vec3 {
    let mass: f64 = list.iter().map(|link| mass_of(model, link.body).0).sum();
    momenta.iter().map(|[l, _]| l).sum::<Vec3>() / mass
}

/// Places the links of a tree where their coordinates are farther by what is said; where it flies, as a turn of its root and a way of its centre of mass.
fn place(
    at: Configuration<'_>,
    (list, tree): (&[Link], Tree),
    starts: &[Start],
    (shift, by): (&Vec3, impl Fn(usize) -> Vec3),
    placed: &mut Vec<Placed>,
) {
    let model = at.model;
    let root = |link: &Link| {
        let from = &at.bodies[link.body].pose;
        Pose {
            position: from.position,
            rotation: Quat::new_normalize((turn_by(by(tree.first)) * from.rotation).into_inner()),
        }
    };
    place_on(at, (list, tree), starts, (root, &by), placed);
    if tree.flies {
        let (mut moved, mut whole) = (Vec3::zeros(), 0.0);
        for (link, there) in list[tree.range()].iter().zip(&placed[tree.range()]) {
            let mass = mass_of(model, link.body).0;
            moved += mass * (there.pose.position - at.bodies[link.body].pose.position);
            whole += mass;
        }
        let off = shift - moved / whole;
        for there in &mut placed[tree.range()] {
            there.pose.position += off;
            there.point += off;
        }
    }
}

/// The same with the pose of a root that flies given.
fn place_on(
    at: Configuration<'_>,
    (list, tree): (&[Link], Tree),
    starts: &[Start],
    (root, by): (impl Fn(&Link) -> Pose, impl Fn(usize) -> Vec3),
    placed: &mut Vec<Placed>,
) {
    for k in tree.range() {
        let link = &list[k];
        let base = match (link.parent, link.freedom) {
            (Some(parent), _) => placed[parent].pose,
            (None, Freedom::Free) => root(link),
            (None, _) => at.bodies[link.base].pose,
        };
        placed.push(starts[k].place(at.model, link, &base, by(k)));
    }
}

/// Links as they are placed, with momenta and what acts along their coordinates: nodes of a system, and their inertias in the world.
fn set_nodes(
    model: &Model,
    list: &[Link],
    placed: &[Placed],
    (momenta, drive): (impl Fn(usize) -> [Vec3; 2], impl Fn(usize) -> Drive),
    (nodes, inertias): (&mut Vec<Node>, &mut Vec<Mat3>),
) {
    nodes.clear();
    inertias.clear();
    for (k, (link, placed)) in list.iter().zip(placed).enumerate() {
        let (mass, inertia) = mass_of(model, link.body);
        let inertia = inertia_world(&placed.pose.rotation, inertia);
        inertias.push(inertia);
        let axes = [placed.point, placed.axis];
        let body = Inertia::of(mass, inertia, momenta(k));
        nodes.push(Node::new(&body, placed.pose.position, axes, drive(k)));
    }
}
