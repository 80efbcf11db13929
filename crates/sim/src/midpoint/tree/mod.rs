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

mod arrivals;
mod articulated;
mod balance;
mod dense;
mod ends;
mod lines;
mod links;
mod motors;
mod place;
mod rates;
mod read;
mod rows;
mod touch;
mod verify;

use self::articulated::{Drive, IDLE, Inertia, Node, solve};
use self::balance::{Balance, Ends, Spent};
use self::lines::Lines;
use self::links::{Freedom, Link, Links, Tree};
use self::motors::{Motored, driven};
use self::place::{Placed, Start, turn_by};
use self::touch::Touching;
use self::verify::Given;
use super::{AtBounce, Midpoint, SIDE};
use crate::body::Kind;
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::energy::{Ledger, Numerical};
use crate::error::SimError;
use crate::integrate::inertia_world;
use crate::model::Model;
use crate::motion::place_driven_with_velocity;
use crate::scratch::Scratch;
use crate::state::{BodyState, State};
use crate::step::StepReport;
use crate::step_time::StepTime;
use crate::world::Wrench;
use crate::{Mat3, Pose, Quat, Vec3};

/// Turn above which the midpoint is sought again \[rad\], and how often it is sought then.
const FAST: f64 = 0.05;
const ROUNDS: usize = 2;

/// Buffers of such steps, and what the last one found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trees {
    links: Links,
    starts: Vec<Start>,
    /// Of the links of one compound joint.
    motions: Vec<Start>,
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
    /// Rows along coordinates; whether the step has any, as far as is known at its start.
    lines: Lines,
    has_lines: bool,
    /// Whether the last step was one of trees.
    pub(crate) stepped: bool,
    /// Forces of motors in the step, and of dry friction \[N or N·m\], by joint.
    forces: Vec<(usize, f64)>,
    frictions: Vec<(usize, f64)>,
}

/// Mass and inertia of a link.
fn mass_of<'a>(model: &'a Model, link: &Link) -> (f64, &'a Mat3) {
    if link.is_body {
        mass_of_body(model, link.body)
    } else {
        (0.0, &ZERO)
    }
}

/// What acts on a link beside gravity.
fn load_of(loads: &[Wrench], link: &Link) -> Wrench {
    if link.is_body {
        loads[link.body]
    } else {
        Wrench::default()
    }
}

/// Mass and inertia of a body.
fn mass_of_body(model: &Model, body: usize) -> (f64, &Mat3) {
    match &model.bodies[body].kind {
        Kind::Dynamic { mass, inertia_body } => (*mass, inertia_body),
        // Links are made of what moves.
        Kind::Kinematic | Kind::Fixed => (0.0, &ZERO),
    }
}

static ZERO: Mat3 = Mat3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);

/// Makes a step of a world of which all that moves are trees of joints; none where it is not one, where something bounces, or where it has no verified answer.
/// `depth` is the deepest overlap.
pub(super) fn try_step(
    model: &Model,
    state: &State,
    (time, depth, at_bounce): (StepTime, f64, AtBounce),
    scratch: &mut Scratch,
    next: &mut State,
) -> Result<Option<StepReport>, SimError> {
    let trees = &mut scratch.midpoint.trees;
    trees.stepped = false;
    if model.settings.planar || !scratch.corners.is_empty() {
        return Ok(None);
    }
    trees.links.find(model);
    if !trees.links.are_all {
        return Ok(None);
    }
    let at = Configuration::of(model, &scratch.start);
    scratch.loads.set(at, &scratch.assembly.drives, time);
    trees.touching.found.clear(at_bounce != AtBounce::Pass);
    if !trees.read(at, (&scratch.assembly.drives, &scratch.loads), time) {
        return Ok(None);
    }
    let mut made = None;
    if scratch.contacts.is_empty() && !trees.has_lines {
        made = fly(model, time, scratch, next)?;
    }
    if made.is_none() {
        made = touch::step(model, (state, time), scratch, next)?;
    }
    let Some((spent, report)) = made else {
        return Ok(None);
    };
    for i in (0..model.bodies.len()).filter(|i| model.is_kinematic(*i)) {
        next.bodies[i] = super::fly_free(model, i, &scratch.start[i], time.h, time)?.0;
    }
    place_driven_with_velocity(model, time.end, -SIDE * time.h, &mut next.bodies);
    let Midpoint { trees, trial, .. } = &mut scratch.midpoint;
    let [start, end] = [&scratch.start, &next.bodies].map(|bodies| Configuration::of(model, bodies));
    let energies = [start.energy_with(spent.rotors[0]), end.energy_with(spent.rotors[1])];
    next.ledger = enter(&state.ledger, &spent, energies);
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
    trees.lines.list.clear();
    trees.set_drives(time.h);
    let residual = trees.find_mean(at, loads, time.h).unwrap_or(f64::INFINITY);
    if residual.is_nan() || residual > model.settings.tolerance {
        return Ok(None);
    }
    next.bodies.clone_from(&scratch.start);
    if trees.find_saturated(time.h) {
        return Ok(None);
    }
    // What follows begins anew.
    trees.touching.found.is_stale = true;
    trees.carry(at, loads, time.h);
    let Some(spent) = trees.finish(at, time.h, &mut next.bodies) else {
        return Ok(None);
    };
    if trees.find_passed(model) {
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
    let gain = after[0] + after[1] - before[0] - before[1] - spent.injected - spent.eased;
    let (so_far, step) = (&ledger.numerical, &spent.numerical);
    Ledger {
        kinetic: after[0],
        potential: after[1],
        slip: ledger.slip + spent.slip,
        impacts: ledger.impacts + spent.impacts,
        injected: ledger.injected + spent.injected,
        eased: ledger.eased + spent.eased,
        numerical: Numerical {
            velocity: so_far.velocity + step.velocity,
            closing: so_far.closing + step.closing,
            returned: so_far.returned + step.returned,
            flight: so_far.flight - (gain + spent.slip + spent.impacts + step.total()),
        },
        worst_gain: ledger.worst_gain.max(gain),
    }
}

impl Trees {
    /// Force of what drives a joint and depends on its motion in the last step, where that was one of trees.
    pub(crate) fn force(&self, joint: usize) -> f64 {
        let own = self.forces.iter().filter(|(k, _)| *k == joint);
        own.map(|(_, force)| force).sum()
    }

    /// Dry friction of a joint in the last step, where that was one of trees.
    pub(crate) fn friction(&self, joint: usize) -> f64 {
        let own = self.frictions.iter().filter(|(k, _)| *k == joint);
        own.map(|(_, force)| force).sum()
    }

    /// Force and torque that a body got from the joint to another in the last step, and the point about which that is, as an impulse \[N·s, N·m·s, m\], where that was one of trees.
    pub(crate) fn wrench(&self, body: usize, carrier: usize) -> Option<[Vec3; 3]> {
        let ends = |link: &Link| [link.body, link.base];
        let is_between = |link: &Link| link.is_body && link.joint.is_some();
        let between = |on: [usize; 2]| {
            self.links
                .list
                .iter()
                .position(|link| is_between(link) && ends(link) == on)
        };
        let (place, sign) = match (between([body, carrier]), between([carrier, body])) {
            (Some(place), _) => (place, 2.0),
            (None, Some(place)) => (place, -2.0),
            (None, None) => return None,
        };
        let (given, node) = (self.given.get(place)?, self.nodes.get(place)?);
        self.stepped
            .then(|| [sign * given.linear, sign * given.angular, node.point])
    }

    /// Force, torque and the point about which it is that a joint gave its body a in the last step, as an impulse \[N·s, N·m·s, m\], where that was one of trees.
    pub(crate) fn reaction(&self, joint: usize) -> Option<[Vec3; 3]> {
        let is_held = |link: &Link| link.is_body && link.joint == Some(joint);
        let place = self.links.list.iter().position(is_held)?;
        let given = self.given.get(place)?;
        // What acts over the step is half in the mean motion.
        let double = 2.0 * self.links.list[place].sign();
        let point = self.nodes.get(place)?.point;
        self.stepped
            .then(|| [double * given.linear, double * given.angular, point])
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
            let wrench = load_of(loads, link);
            let force = mass_of(model, link).0 * model.settings.gravity + wrench.force;
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
            let (linear, angular) = (mass_of(model, &list[k]).0 * node.velocity, inertias[k] * node.spin);
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

    /// Finds drives that would give more than their range in the mean motion of the nodes; whether there are any. They are rows of the problem then.
    fn find_saturated(&mut self, h: f64) -> bool {
        let saturated = &mut self.touching.found.saturated;
        let known = saturated.len();
        for (m, motor) in self.motors.iter_mut().enumerate() {
            let impulse = motor.impulse(self.nodes[motor.link].rate, h);
            if !motor.can_give(impulse, h) {
                motor.given = Some(0.0);
                saturated.push(m);
            }
        }
        saturated.len() > known
    }

    /// From the mean motion of the step in the nodes: what coordinates and momenta are at its end, before these are put along the joints. Where something arrives, the nodes get the
    /// motion of the end: it is the way that bodies go.
    fn carry(&mut self, at: Configuration<'_>, loads: &[Wrench], h: f64) {
        self.carry_momenta(at, loads, h);
        let Self {
            links,
            starts,
            motors,
            drives,
            nodes,
            placed,
            means,
            forces,
            frictions,
            wholes,
            lines,
            touching,
            ..
        } = self;
        let (list, found) = (&links.list[..], &touching.found);
        forces.clear();
        for motor in motors.iter() {
            let k = motor.link;
            let balance = &mut wholes[list[k].tree];
            let mean = links.alongs[motor.along].sum(|k| nodes[k].rate);
            let impulse = motor.along_impulse(mean, h);
            forces.push((motor.joint, impulse / h));
            balance.work += impulse * if balance.is_event { motor.end_speed(mean) } else { mean };
            let is_held = !motor.is_resolved && !balance.is_event && !links.is_tendon(&links.alongs[motor.along]);
            if is_held && !motor.is_saturated(h) {
                drives[k] = Drive::Goes(motor.end_rate(nodes[k].rate));
                balance.is_carried = true;
            }
        }
        frictions.clear();
        for (along, impulse, is_friction) in lines.passive(links) {
            wholes[along.tree].contact_work += impulse * along.sum(|k| nodes[k].rate);
            frictions.extend(is_friction.then_some((along.joint, impulse / h)));
        }
        for (node, (link, start)) in nodes.iter_mut().zip(list.iter().zip(starts.iter())) {
            if found.events[link.tree] {
                node.rate = 2.0 * node.rate - start.rate.z;
            }
        }
        set_means(at, list, (nodes, placed), means);
        for (mean, drive) in means.iter_mut().zip(drives.iter()) {
            if let Drive::Goes(rate) = drive {
                mean.z = *rate;
            }
        }
        for k in lines.stuck(links) {
            means[k].z = 0.0;
        }
    }

    /// The same for the momenta of links, with the work of loads on them.
    fn carry_momenta(&mut self, at: Configuration<'_>, loads: &[Wrench], h: f64) {
        let Self {
            links,
            starts,
            momenta,
            drives,
            nodes,
            inertias,
            wholes,
            touching,
            ..
        } = self;
        let (model, list) = (at.model, &links.list[..]);
        let Touching { found, mid, .. } = touching;
        wholes.clear();
        for (tree, is_event) in links.trees.iter().zip(&found.events) {
            let mut whole = Balance::of(at, (list, *tree), momenta, starts);
            whole.is_event = *is_event;
            whole.way = whole.mean_velocity(list, nodes, (model, tree.range()));
            wholes.push(whole);
        }
        for (k, (link, node)) in list.iter().zip(nodes.iter_mut()).enumerate() {
            let balance = &mut wholes[link.tree];
            let wrench = load_of(loads, link);
            balance.is_loaded |= wrench != Wrench::default();
            // What the momenta are at the end: those of the mean motion twice, less those of the start.
            let ([l, m], mass) = (momenta[k], mass_of(model, link).0);
            momenta[k] = [2.0 * mass * node.velocity - l, 2.0 * (inertias[k] * node.spin) - m];
            let start = &starts[k];
            drives[k] = Drive::Yields {
                inertia: start.rotor,
                momentum: start.rotor * (2.0 * node.rate - start.rate.z),
            };
            let rate = node.rate;
            if balance.is_event {
                let before = &mid[link.body];
                (node.velocity, node.spin) = (2.0 * node.velocity - before.velocity, 2.0 * node.spin - before.spin);
            }
            let pushed = if balance.is_event {
                2.0 * rate - start.rate.z
            } else {
                rate
            };
            balance.work += h * (wrench.force.dot(&node.velocity) + wrench.torque.dot(&node.spin));
            balance.work += h * start.push * pushed;
        }
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
            let shift = h * balance.way;
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
        // Of the coordinates only limits ask from here on.
        for (start, mean) in starts.iter_mut().zip(means.iter()) {
            start.x += h * mean.z;
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
    let mass: f64 = list.iter().map(|link| mass_of(model, link).0).sum();
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
            let mass = mass_of(model, link).0;
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
        placed.push(starts[k].place(link, &base, by(k)));
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
        let (mass, inertia) = mass_of(model, link);
        let inertia = inertia_world(&placed.pose.rotation, inertia);
        inertias.push(inertia);
        let axes = [placed.point, placed.axis];
        let body = Inertia::of(mass, inertia, momenta(k));
        nodes.push(Node::new(&body, placed.pose.position, axes, drive(k)));
    }
}

/// Links as they are placed, without momenta: what moves them is found otherwise.
fn set_places(model: &Model, list: &[Link], placed: &[Placed], (nodes, inertias): (&mut Vec<Node>, &mut Vec<Mat3>)) {
    let idle = Inertia::of(0.0, ZERO, [Vec3::zeros(); 2]);
    nodes.resize(list.len(), Node::new(&idle, Vec3::zeros(), [Vec3::zeros(); 2], IDLE));
    inertias.clear();
    for ((link, placed), node) in list.iter().zip(placed).zip(nodes) {
        inertias.push(inertia_world(&placed.pose.rotation, mass_of(model, link).1));
        (node.centre, node.point, node.axis) = (placed.pose.position, placed.point, placed.axis);
    }
}

/// x·J⁻¹x of an inertia J; nothing where that is not positive.
fn square_over(inertia: &Mat3, x: &Vec3) -> f64 {
    let [a, b, c] = [0, 1, 2].map(|k| inertia.column(k).into_owned());
    let cofactors = [b.cross(&c), c.cross(&a), a.cross(&b)];
    let whole = a.dot(&cofactors[0]);
    if whole > 0.0 {
        x.dot(&Vec3::from(cofactors.map(|row| row.dot(x)))) / whole
    } else {
        0.0
    }
}
