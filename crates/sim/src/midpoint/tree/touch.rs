//! Steps of trees that touch fixed ground or themselves, or have rows along their coordinates: one contact problem in the coordinates that their joints leave.
//!
//! The unknown is w, the rates at the end of the step: with u₀ those of the start the mean rates are u = ½(u₀ + w), and w obeys 𝓜w = 2Tᵀp − 𝓜u₀ + Tᵀhf + Cp with
//! 𝓜 = TᵀMT and the contact rows C of the midpoint. The law is asked of Cᵀw + (u_m − u_n) as in `assemble.rs`, with u_m that of u₀ there: 2Cᵀu − u_n, whatever u₀ is. What yields
//! along the coordinates, of motors and rotors, is a part of 𝓜.
//! The judge sees this problem; the momenta of each body are verified beside it (`verify.rs`), which reads neither 𝓜 nor C.
//!
//! At the end gaps of contacts that pushed and the net slip of those that stick are closed by the least motion along the coordinates, and velocities along them.
//!
//! A step is made in rounds: each puts otherwise what the answers before have shown. What stops obeys the law with the slip of the end, drives at the end of their range become rows, and
//! a tree in which something arrives goes by hw, with gaps over h in the law.

use stiction_contact::{ContactPart, ContactProblem, ContactSolution, ContactState, Law, Status};

use super::articulated::Drive;
use super::balance::Spent;
use super::dense::{Body, Dense, Pair, count};
use super::links::{Freedom, Link};
use super::motors::driven;
use super::place::{Placed, turn_by};
use super::rows::{Root, Rows};
use super::verify::{self, Given};
use super::{FAST, Trees, load_of, mass_of, place_on, set_means, set_places};
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::error::SimError;
use crate::midpoint::assemble::{OPEN, away, carried, is_level};
use crate::midpoint::follow::{Follower, Surfaces};
use crate::midpoint::{MEAN_ROUNDS, ROUNDS, speed_rounding};
use crate::model::Model;
use crate::scratch::Scratch;
use crate::state::{BodyState, State};
use crate::step::StepReport;
use crate::step_time::StepTime;
use crate::world::Wrench;
use crate::{Mat3, Pose, Quat, Vec3};

/// Coordinates of a tree that is taken as a dense system, at most.
pub(super) const MAX_COORDINATES: usize = 48;
/// Square of a row beside those of its contact below which it is rounding.
const IDLE_ROW: f64 = 1e-18;

/// Buffers of such steps.
#[derive(Debug, Clone, Default)]
pub(super) struct Touching {
    pub(super) follower: Follower,
    pub(super) surfaces: Vec<Surfaces>,
    pub(super) mids: Vec<Contact>,
    /// Whether each is closed, its tree, and its bodies as numbers in that tree.
    pub(super) closed: Vec<bool>,
    pub(super) trees: Vec<(usize, [Option<usize>; 2])>,
    pub(super) levels: Vec<f64>,
    /// By tree.
    pub(super) dense: Vec<Dense>,
    /// Rates at the start.
    pub(super) before: Vec<Vec<f64>>,
    pub(super) mass: Vec<f64>,
    /// Masses at the end, and rows of contacts that pushed, both where what carries leads to.
    pub(super) ends: Vec<(Root, Rows)>,
    pub(super) rates: Vec<f64>,
    pub(super) pulled: Vec<f64>,
    pub(super) impulses: Vec<f64>,
    pub(super) weights: Vec<f64>,
    pub(super) motions: Vec<Pair>,
    /// Mean motions of links: about the origin of their tree at the start and at the midpoint.
    pub(super) at_start: Vec<Pair>,
    pub(super) at_mid: Vec<Pair>,
    pub(super) origins: Vec<[Vec3; 2]>,
    pub(super) means: Vec<Vec<f64>>,
    pub(super) axes: Dense,
    /// Poses of the first links at the end.
    pub(super) roots: Vec<Pose>,
    /// Coordinates that move a place, and what each coordinate makes its velocity.
    pub(super) touched: Vec<usize>,
    pub(super) place: Vec<Vec3>,
    /// Contacts at the end.
    pub(super) heres: Vec<Contact>,
    pub(super) columns: [Vec<f64>; 3],
    /// Bodies at the midpoint.
    pub(super) mid: Vec<BodyState>,
    /// Contacts that slip at the start, and their slip there along the tangents of the midpoint \[m/s\].
    pub(super) sliding: Vec<Slides>,
    /// Work that friction gives to each tree \[J\].
    pub(super) given: Vec<f64>,
    pub(super) keys: Vec<u64>,
    /// Rates of links and velocities of the first ones, with which the midpoint is placed.
    pub(super) path: Vec<Vec3>,
    pub(super) ways: Vec<Vec3>,
    pub(super) found: Found,
    /// Of what touches at the end where something has arrived.
    pub(super) velocity_problem: ContactProblem,
    pub(super) is_sticking: Vec<bool>,
    pub(super) has_pushed: Vec<bool>,
    /// Contacts that have not pushed and are closed all the same.
    pub(super) lifted: Vec<bool>,
}

impl Touching {
    /// Contacts where their rows were taken.
    pub(super) fn mids(&self) -> &[Contact] {
        &self.mids
    }
}

/// A contact that slips at the start.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slides {
    pub(super) contact: usize,
    pub(super) slip: [f64; 2],
    /// Whether it obeys the law with its mean slip.
    pub(super) mean: bool,
}

/// What was found about a step by the rounds before.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts of one step")]
pub(super) struct Found {
    /// By tree: whether something arrives.
    pub(super) events: Vec<bool>,
    /// Whether that may be.
    pub(super) may_arrive: bool,
    /// Contacts, by key, and joints, by name, that stop in the step.
    pub(super) stopping: Vec<u64>,
    /// Limits that are arrived at: numbers along coordinates, and sides.
    pub(super) passed: Vec<(usize, u64)>,
    /// Drives at the end of their range.
    pub(super) saturated: Vec<usize>,
    /// Whether the midpoint was placed with the rates of the step, as far as these are known.
    is_refined: bool,
    /// Whether no contact obeys the law with its mean slip any more.
    is_late: bool,
    /// Whether what is read at the start of the step is no longer that.
    pub(super) is_stale: bool,
}

impl Found {
    /// Forgets all.
    pub(super) fn clear(&mut self, may_arrive: bool) {
        self.events.clear();
        self.stopping.clear();
        self.passed.clear();
        self.saturated.clear();
        (self.may_arrive, self.is_refined) = (may_arrive, false);
        (self.is_late, self.is_stale) = (false, false);
    }
}

impl Found {
    /// Whether nothing arrives, or may.
    pub(super) fn is_lawful(&self) -> bool {
        self.may_arrive || !self.events.contains(&true)
    }
}

/// How a round of a step ended.
enum Round {
    Made(Spent, f64),
    /// More is known, and the next round follows.
    Again,
    /// There is no such step.
    Failed,
}

/// A link as a body of a dense system.
pub(super) fn body_of(model: &Model, link: &Link, placed: &Placed, inertia: Mat3) -> Body {
    Body {
        centre: placed.pose.position,
        point: placed.point,
        axis: placed.axis,
        mass: mass_of(model, link).0,
        inertia,
    }
}

/// Makes a step; none where something bounces, or the problem has no verified answer.
pub(super) fn step(
    model: &Model,
    (state, time): (&State, StepTime),
    scratch: &mut Scratch,
    next: &mut State,
) -> Result<Option<(Spent, StepReport)>, SimError> {
    let mut made = None;
    let trees = &mut scratch.midpoint.trees;
    if trees.foresee(Configuration::of(model, &scratch.start), &scratch.contacts, time.h) {
        for n in 0..ROUNDS {
            scratch.midpoint.trees.touching.found.is_late = n >= MEAN_ROUNDS;
            match round(model, (state, time), scratch, next)? {
                Round::Again => {}
                Round::Made(spent, residual) => {
                    made = Some((spent, residual));
                    break;
                }
                Round::Failed => break,
            }
        }
        if made.is_none() {
            // What follows starts from the last step.
            scratch.solver.set_warm_start_from(&state.warm);
            scratch.solver.begin_rounds();
        }
    }
    let Some((spent, residual)) = made else { return Ok(None) };
    let (solution, tolerance) = (scratch.solver.solution(), model.settings.tolerance);
    let stats = &solution.stats;
    let report = StepReport {
        contacts: scratch.contacts.len(),
        residual: solution.residual.verified(tolerance).max(residual),
        to_rounding: solution.accuracy == Some(stiction_contact::check::Accuracy::Rounding),
        pivots: stats.pivots,
        newton_steps: stats.newton_steps,
        warm: stats.warm_starts - stats.warm_fallbacks,
        islands: stats.islands,
        rest_preferred: stats.rest_preferred,
        parts: 1,
        ..StepReport::default()
    };
    Ok(Some((spent, report)))
}

/// One round of a step: the problem, and what its answer leads to.
fn round(
    model: &Model,
    (state, time): (&State, StepTime),
    scratch: &mut Scratch,
    next: &mut State,
) -> Result<Round, SimError> {
    let at = Configuration::of(model, &scratch.start);
    let (h, contacts) = (time.h, &scratch.contacts[..]);
    let trees = &mut scratch.midpoint.trees;
    if trees.touching.found.is_stale {
        trees.touching.found.is_stale = false;
        if !trees.read(at, (&scratch.assembly.drives, &scratch.loads), time) {
            return Ok(Round::Failed);
        }
    }
    let assembly = &mut scratch.assembly;
    assembly.problem.clear();
    assembly.joint_rows.clear();
    assembly.limits.clear();
    let loads = scratch.loads.without_actuators();
    if !trees.assemble((at, h), contacts, loads, &mut assembly.problem)? {
        return Ok(Round::Failed);
    }
    scratch.solver.solve_warm(&assembly.problem)?;
    let solution = scratch.solver.solution();
    if solution.status != Status::Solved {
        return Ok(Round::Failed);
    }
    let residual = trees.take_answer((at, h), contacts, loads, solution);
    if residual.is_nan() || residual > model.settings.tolerance {
        return Ok(Round::Failed);
    }
    if trees.find_saturated(h) | trees.find_stopping(solution) | trees.refine(at) {
        return Ok(if trees.touching.found.is_lawful() {
            Round::Again
        } else {
            Round::Failed
        });
    }
    trees.touching.found.is_stale = true;
    trees.carry(at, loads, h);
    trees.note_contacts(at, contacts, solution);
    next.bodies.clone_from(&scratch.start);
    let closed = trees.close((at, h), contacts, &mut next.bodies);
    let arrives = trees.find_arrived(at, contacts) | trees.find_passed(model);
    let Some(moved) = closed else { return Ok(Round::Failed) };
    if arrives {
        if !trees.touching.found.is_lawful() {
            return Ok(Round::Failed);
        }
        // Contacts that took no part may carry in the next round: they start from the last step.
        let keys = contacts.iter().map(|contact| contact.key);
        scratch.solver.add_warm_start(&state.warm, keys);
        return Ok(Round::Again);
    }
    let solvers = (&mut scratch.impacts, scratch.solver.warm_start());
    let spent = trees.set_velocities((at, h, moved), contacts, solvers, &mut next.bodies)?;
    Ok(Round::Made(spent, residual))
}

impl Trees {
    /// Takes the rates of the step to place the midpoint with, where bodies turn far and that was not done; whether it is done now.
    fn refine(&mut self, at: Configuration<'_>) -> bool {
        if self.turn <= FAST || self.touching.found.is_refined {
            return false;
        }
        self.touching.found.is_refined = true;
        let Self {
            links,
            nodes,
            placed,
            touching,
            ..
        } = self;
        set_means(at, &links.list, (nodes, placed), &mut touching.path);
        touching.ways.clear();
        touching
            .ways
            .extend(links.trees.iter().map(|tree| nodes[tree.first].velocity));
        true
    }

    /// The midpoint is placed with the rates of the start.
    fn set_path(&mut self, at: Configuration<'_>) {
        let Self {
            links,
            starts,
            touching,
            ..
        } = self;
        let Touching { path, ways, .. } = touching;
        path.clear();
        path.extend(links.list.iter().zip(starts).map(|(link, start)| match link.freedom {
            Freedom::Free => at.bodies[link.body].spin,
            _ => start.rate,
        }));
        ways.clear();
        ways.extend(
            links
                .trees
                .iter()
                .map(|tree| at.bodies[links.list[tree.first].body].velocity),
        );
    }
    /// Dense systems of all trees where their links are placed.
    pub(super) fn set_dense(&mut self, model: &Model) {
        let Self {
            links,
            placed,
            inertias,
            touching,
            ..
        } = self;
        touching.dense.resize_with(links.trees.len(), Dense::default);
        for (tree, dense) in links.trees.iter().zip(&mut touching.dense) {
            let first = tree.first;
            let body = |k: usize| body_of(model, &links.list[first + k], &placed[first + k], inertias[first + k]);
            dense.set(&links.list[tree.range()], first, body);
        }
    }

    /// Places all links at the midpoint, and sets what acts along their coordinates.
    fn place_middle(&mut self, at: Configuration<'_>, h: f64) {
        if !self.touching.found.is_refined {
            self.set_path(at);
        }
        for motor in &mut self.motors {
            // What arrives makes a step of first order: coordinates go with the speed of the end.
            motor.is_resolved &= !self.touching.found.events[self.links.list[motor.link].tree];
        }
        self.set_drives(h);
        self.placed.clear();
        for (t, tree) in self.links.trees.iter().enumerate() {
            let list = &self.links.list[..];
            let (path, way) = (&self.touching.path, self.touching.ways[t]);
            // The first body of a tree that hangs on nothing goes straight, so that it stays on what it rolls over.
            let root = |link: &Link| {
                let from = &at.bodies[link.body];
                let turn = turn_by(0.5 * h * path[tree.first]);
                Pose {
                    position: from.pose.position + 0.5 * h * way,
                    rotation: Quat::new_normalize((turn * from.pose.rotation).into_inner()),
                }
            };
            let (starts, placed) = (&self.starts, &mut self.placed);
            place_on(at, (list, *tree), starts, (root, |k| 0.5 * h * path[k]), placed);
        }
    }

    /// Becomes the problem of a step; false where there is none.
    fn assemble(
        &mut self,
        (at, h): (Configuration<'_>, f64),
        contacts: &[Contact],
        loads: &[Wrench],
        problem: &mut ContactProblem,
    ) -> Result<bool, SimError> {
        let model = at.model;
        self.place_middle(at, h);
        let nodes = (&mut self.nodes, &mut self.inertias);
        set_places(model, &self.links.list, &self.placed, nodes);
        self.set_dense(model);
        self.set_before(at);
        let Self {
            links,
            momenta,
            drives,
            placed,
            touching,
            ..
        } = self;
        let list = &links.list[..];
        touching.mid.clear();
        touching.mid.extend_from_slice(at.bodies);
        for (t, tree) in links.trees.iter().enumerate() {
            let (first, dense, before) = (tree.first, &mut touching.dense[t], &touching.before[t]);
            let n = dense.count();
            let centre = |k: usize| placed[first + k].pose.position;
            dense.motions(before, &mut touching.motions);
            for (k, motion) in touching.motions.iter().enumerate() {
                touching.mid[list[first + k].body] = BodyState {
                    pose: placed[first + k].pose,
                    velocity: dense.at(motion, &centre(k)),
                    spin: motion[1],
                };
            }
            let pushed = |k: usize| {
                let ([l, m], link) = (momenta[first + k], &list[first + k]);
                let wrench = load_of(loads, link);
                let force = mass_of(model, link).0 * model.settings.gravity + wrench.force;
                (centre(k), [2.0 * l + h * force, 2.0 * m + h * wrench.torque])
            };
            dense.pull(pushed, &mut touching.pulled);
            dense.momenta(before, &mut touching.impulses);
            for (x, y) in touching.pulled.iter_mut().zip(&touching.impulses) {
                *x -= y;
            }
            touching.mass.clone_from(&dense.mass);
            for (k, drive) in drives[tree.range()].iter().enumerate() {
                if let (Drive::Yields { inertia, momentum }, Some(c)) = (drive, dense.spans[k].clone().next()) {
                    touching.mass[c * n + c] += inertia;
                    touching.pulled[c] += 2.0 * momentum - inertia * before[c];
                }
            }
            if problem.add_pushed_block(&touching.mass, &touching.pulled).is_err() {
                return Ok(false);
            }
        }
        if !self.add_contacts((at, h), contacts, problem)? {
            return Ok(false);
        }
        let (links, motors) = (&self.links, &mut self.motors);
        let Touching { dense, found, .. } = &self.touching;
        self.lines.add((model, h), (links, motors), dense, found, problem)?;
        Ok(true)
    }

    /// Rates of the coordinates at the start, those of balls in the world as their links are placed.
    fn set_before(&mut self, at: Configuration<'_>) {
        let Self {
            links,
            starts,
            placed,
            touching,
            ..
        } = self;
        touching.before.resize_with(links.trees.len(), Vec::new);
        for (t, tree) in links.trees.iter().enumerate() {
            let (dense, before) = (&touching.dense[t], &mut touching.before[t]);
            before.clear();
            before.resize(dense.count(), 0.0);
            for (k, span) in tree.range().zip(&dense.spans) {
                let (link, rates) = (&links.list[k], &mut before[span.clone()]);
                match link.freedom {
                    Freedom::Free => {
                        let state = &at.bodies[link.body];
                        rates[..3].copy_from_slice(state.velocity.as_slice());
                        rates[3..].copy_from_slice(state.spin.as_slice());
                    }
                    Freedom::Ball => {
                        let base = link.parent.map_or(at.bodies[link.base].pose, |on| placed[on].pose);
                        rates.copy_from_slice(base.direction(starts[k].rate).as_slice());
                    }
                    Freedom::Turn | Freedom::Slide => rates[0] = starts[k].rate.z,
                    Freedom::None => {}
                }
            }
        }
    }

    /// Adds contacts at the midpoint.
    fn add_contacts(
        &mut self,
        (at, h): (Configuration<'_>, f64),
        contacts: &[Contact],
        problem: &mut ContactProblem,
    ) -> Result<bool, SimError> {
        let Touching {
            follower,
            surfaces,
            mids,
            closed,
            trees,
            levels,
            dense,
            mid,
            touched,
            place,
            columns,
            sliding,
            found,
            keys,
            ..
        } = &mut self.touching;
        let model = at.model;
        let there = Configuration { bodies: mid, ..at };
        mids.clear();
        closed.clear();
        sliding.clear();
        keys.clear();
        keys.extend(contacts.iter().map(|contact| contact.key));
        for (i, contact) in contacts.iter().enumerate() {
            let here = follower.follow(model, contact, [at.bodies, mid], surfaces[i]);
            let material = model.pairs.of(&model.bodies, contact.a, contact.b);
            let [u_n, u_m] = [at.relative_velocity(contact), there.relative_velocity(&here)];
            let rounding = speed_rounding(at, contact, h);
            let [t1, t2] = at.coordinates().tangents(here.normal);
            let before = carried(&contact.normal, &here.normal, u_n);
            let change = u_m - before;
            let mut bias = [change.dot(&here.normal), change.dot(&t1), change.dot(&t2)];
            let mut is_closed = is_level(at, contact, levels[i]) && contact.normal.dot(&u_n) <= rounding;
            let is_event = found.events[trees[i].0];
            if is_event {
                bias = [levels[i].max(0.0) / h, 0.0, 0.0];
                is_closed = true;
            } else if is_closed {
                let slip = [before.dot(&t1), before.dot(&t2)];
                let slips = libm::hypot(slip[0], slip[1]) > rounding;
                if slips && material.friction > 0.0 && model.settings.law != Law::Frictionless {
                    if !matches!(model.settings.law, Law::Coulomb | Law::Polyhedral) {
                        return Ok(false);
                    }
                    let mean = !found.is_late && !found.stopping.contains(&contact.key);
                    if mean {
                        // It obeys the law with its mean slip.
                        bias = [bias[0], bias[1] + slip[0], bias[2] + slip[1]];
                    }
                    sliding.push(Slides { contact: i, slip, mean });
                }
            } else {
                let fastest = [here.a, here.b].map(|body| there.speed_at(body, &here.point));
                bias[0] = away((bias[0], here.gap), rounding, fastest[0] + fastest[1], h);
            }
            let (tree, links) = trees[i];
            let dense = &dense[tree];
            dense.set_columns(&links, &here.point, touched, place);
            for (column, along) in columns.iter_mut().zip([here.normal, t1, t2]) {
                column.clear();
                column.resize(dense.count(), 0.0);
                for c in &*touched {
                    column[*c] = place[*c].dot(&along);
                }
            }
            // Joints that leave a contact no motion along one of its directions make a problem of another kind.
            let sizes = [0, 1, 2].map(|k: usize| touched.iter().map(|c| columns[k][*c] * columns[k][*c]).sum::<f64>());
            if sizes.iter().any(|size| *size <= IDLE_ROW * sizes.iter().sum::<f64>()) {
                return Ok(false);
            }
            let part: ContactPart<'_> = (tree, [&columns[0], &columns[1], &columns[2]]);
            let index = problem.add_contact(&[part], material.friction)?;
            problem.set_bias(index, bias)?;
            problem.set_key(index, if is_closed { contact.key } else { contact.key ^ OPEN })?;
            mids.push(here);
            closed.push(is_closed);
        }
        Ok(true)
    }

    /// Takes the answer of the problem as the mean motion of the nodes. Returns its residual as the momenta of bodies say.
    fn take_answer(
        &mut self,
        (at, h): (Configuration<'_>, f64),
        contacts: &[Contact],
        loads: &[Wrench],
        solution: &ContactSolution,
    ) -> f64 {
        let model = at.model;
        let Self {
            links,
            starts,
            momenta,
            motors,
            motor_ends,
            nodes,
            inertias,
            given,
            lines,
            touching,
            ..
        } = self;
        let list = &links.list[..];
        lines.take(links, motors, solution);
        let mut first_rate = 0;
        touching.means.resize_with(links.trees.len(), Vec::new);
        touching.at_mid.clear();
        touching.origins.clear();
        for (t, tree) in links.trees.iter().enumerate() {
            let dense = &touching.dense[t];
            let n = dense.count();
            let ends = &solution.velocity[first_rate..first_rate + n];
            let means = &mut touching.means[t];
            means.clear();
            means.extend(touching.before[t].iter().zip(ends).map(|(u, w)| 0.5 * (u + w)));
            first_rate += n;
            dense.motions(means, &mut touching.motions);
            touching.origins.push([dense.origin; 2]);
            for (k, motion) in touching.motions.iter().enumerate() {
                let node = &mut nodes[tree.first + k];
                node.velocity = dense.at(motion, &node.centre);
                node.spin = motion[1];
                node.rate = dense.spans[k].clone().next().map_or(0.0, |c| means[c]);
                touching.at_mid.push(*motion);
            }
        }
        given.clear();
        for (k, node) in nodes.iter().enumerate() {
            let link = &list[k];
            let (mass, wrench) = (mass_of(model, link).0, load_of(loads, link));
            let (linear, angular) = (mass * node.velocity, inertias[k] * node.spin);
            let [l, m] = momenta[k];
            let l = l + 0.5 * h * (mass * model.settings.gravity + wrench.force);
            let m = m + 0.5 * h * wrench.torque;
            given.push(Given {
                linear: linear - l,
                angular: angular - m,
                of_linear: linear.norm() + l.norm(),
                of_angular: angular.norm() + m.norm(),
            });
        }
        for i in 0..contacts.len() {
            let push = 0.5 * impulse(at, &touching.mids[i], solution, i);
            let (tree, ends) = touching.trees[i];
            for (link, sign) in ends.iter().zip([1.0, -1.0]) {
                let Some(k) = link.map(|link| links.trees[tree].first + link) else {
                    continue;
                };
                let arm = touching.mids[i].point - nodes[k].centre;
                let turn = arm.cross(&push);
                let on = &mut given[k];
                on.linear -= sign * push;
                on.angular -= sign * turn;
                on.of_linear += push.norm();
                on.of_angular += turn.norm();
            }
        }
        let driven = |k: usize| driven((k, &starts[k], nodes[k].rate), (motors, motor_ends), h) + 0.5 * lines.given[k];
        verify::residual(list, nodes, given, driven)
    }

    /// What contacts did to each tree.
    fn note_contacts(&mut self, at: Configuration<'_>, contacts: &[Contact], solution: &ContactSolution) {
        let Self {
            links,
            nodes,
            wholes,
            touching,
            ..
        } = self;
        touching.is_sticking.clear();
        touching.has_pushed.clear();
        for i in 0..contacts.len() {
            let push = impulse(at, &touching.mids[i], solution, i);
            let pushed = push != Vec3::zeros();
            let sticks = pushed && solution.state[i] == ContactState::Sticking;
            touching.has_pushed.push(pushed);
            touching.is_sticking.push(sticks);
            let (tree, ends) = touching.trees[i];
            let balance = &mut wholes[tree];
            for (link, sign) in ends.iter().zip([1.0, -1.0]) {
                if let Some(link) = link {
                    let node = &nodes[links.trees[tree].first + link];
                    let arm = touching.mids[i].point - node.centre;
                    balance.contact_work += sign * push.dot(&(node.velocity + node.spin.cross(&arm)));
                }
            }
            let on_ground = ends.contains(&None);
            balance.is_touched |= pushed && on_ground;
            balance.is_held |= sticks && on_ground;
        }
    }
}

/// Number of coordinates of some links.
pub(super) fn size(list: &[Link]) -> usize {
    list.iter().map(|link| count(link.freedom)).sum()
}

/// Impulse of a contact on its body a.
fn impulse(at: Configuration<'_>, here: &Contact, solution: &ContactSolution, i: usize) -> Vec3 {
    let [t1, t2] = at.coordinates().tangents(here.normal);
    let (theta, [x, y]) = (solution.normal_impulse[i], solution.friction_impulse[i]);
    theta * here.normal + x * t1 + y * t2
}
