//! The end of a step of trees that touch: what carried is closed in place and in velocity, along the coordinates of the joints.
//!
//! Masses and rows of what carried are made once, where the step leads to. Closing moves bodies from there by no more than a hair: the same masses and rows are then used again,
//! and what they are off by at the new place, which is measured there, is taken away as well.

use stiction_contact::{ContactSolver, Status, WarmStart};

use super::articulated::Drive;
use super::balance::Spent;
use super::dense::{Dense, Pair};
use super::links::{Freedom, Link};
use super::place::{Placed, Start, turn_by};
use super::touch::{Touching, body_of};
use super::{Trees, mass_of, place_on, set_places};
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::error::SimError;
use crate::midpoint::event::OBEYED;
use crate::midpoint::finish::{CLOSED, CLOSINGS, LEVER, beyond_rounding, is_explained};
use crate::midpoint::follow::{Point, Surfaces};
use crate::midpoint::speed_rounding;
use crate::state::BodyState;
use crate::{Mat3, Quat, Vec3};

/// Weight of a coordinate that a stiff motor holds, beside its mass: it gives way to contacts alone.
const HELD: f64 = 1e3;
/// Share of their sizes by which bodies are moved and turned at most while their masses and rows stay.
const HAIR: f64 = 1e-5;
/// So many times that share is left of what masses and rows have been used for, each time that they are used.
const LEFT: f64 = 10.0;

impl Trees {
    /// From what is carried to the end of the step: bodies there, with contacts closed. Returns how far bodies were moved since their masses were made, as a share of their sizes; none
    /// where nothing closes.
    pub(super) fn close(
        &mut self,
        (at, h): (Configuration<'_>, f64),
        contacts: &[Contact],
        bodies: &mut [BodyState],
    ) -> Option<f64> {
        self.find_start_motions(at);
        self.place_ends(at, h);
        for (start, (link, mean)) in self.starts.iter_mut().zip(self.links.list.iter().zip(&self.means)) {
            start.advance(link.freedom, h * mean);
        }
        self.note_fallen(at);
        self.set_ends(at, contacts, bodies)?;
        if self.lift(at, contacts) {
            self.set_ends(at, contacts, bodies)?;
        }
        let mut moved = 0.0;
        for round in 0..CLOSINGS {
            let Self {
                links,
                placed,
                touching,
                ..
            } = self;
            let roots = links.trees.iter().map(|tree| placed[tree.first].pose);
            touching.roots.clear();
            touching.roots.extend(roots);
            let (mut worst, mut far) = (0.0_f64, 0.0_f64);
            for t in 0..self.links.trees.len() {
                let off = self.find_offs((at, h), (contacts, t), bodies, round > 0);
                worst = worst.max(off);
                if off > 0.0 {
                    far = far.max(self.move_tree(at, t, off)?);
                }
            }
            if worst == 0.0 {
                break;
            }
            self.place_again(at);
            if far <= HAIR {
                moved = far;
                self.put_ends(at, contacts, bodies);
            } else {
                moved = 0.0;
                self.set_ends(at, contacts, bodies)?;
            }
            if worst * worst <= CLOSED {
                break;
            }
        }
        Some(moved)
    }

    /// After [`Self::close`]: velocities at the end, and what became of the energy.
    pub(super) fn set_velocities(
        &mut self,
        (at, h, moved): (Configuration<'_>, f64, f64),
        contacts: &[Contact],
        (solver, pushed): (&mut ContactSolver, &WarmStart),
        bodies: &mut [BodyState],
    ) -> Result<Spent, SimError> {
        for t in 0..self.links.trees.len() {
            self.find_rates(at, moved, t);
            let arrives = self.touching.found.events[t] && self.has_arrived(at, (contacts, t));
            if !arrives {
                self.hold_rates(at, moved, (contacts, t));
            }
            // What has arrived is an impact, whose friction is that of all of it. So is what others drive on.
            let is_impact = self.touching.found.events[t] && (arrives || self.approaches((at, h), (contacts, t)));
            if is_impact {
                if !arrives {
                    self.find_rates(at, moved, t);
                }
                if !self.obey(at, (contacts, t), (solver, pushed))? {
                    self.hold_rates(at, moved, (contacts, t));
                }
            }
            self.put_rates(t, bodies);
        }
        Ok(self.settle(at, h, bodies))
    }

    /// Notes the work of gravity before anything is closed, of trees in which something arrives.
    fn note_fallen(&mut self, at: Configuration<'_>) {
        let gravity = at.model.settings.gravity;
        for (link, placed) in self.links.list.iter().zip(&self.placed) {
            let way = placed.pose.position - at.bodies[link.body].pose.position;
            self.wholes[link.tree].fallen += mass_of(at.model, link).0 * gravity.dot(&way);
        }
    }

    /// Lets contacts that have not pushed be closed too where they overlap: rotation within the step may have done that. Whether there are any.
    fn lift(&mut self, at: Configuration<'_>, contacts: &[Contact]) -> bool {
        let Touching {
            heres,
            closed,
            has_pushed,
            lifted,
            ..
        } = &mut self.touching;
        lifted.clear();
        for (i, (here, contact)) in heres.iter().zip(contacts).enumerate() {
            let overlaps = closed[i] && !has_pushed[i] && here.gap < -at.slack(contact).overlap;
            has_pushed[i] |= overlaps;
            lifted.push(overlaps);
        }
        lifted.contains(&true)
    }

    /// Mean motions of links where they were at the start, as far as points of contact move over both bodies.
    fn find_start_motions(&mut self, at: Configuration<'_>) {
        let Self {
            links,
            starts,
            touching,
            ..
        } = self;
        let mut found = touching.is_sticking.iter().zip(&touching.surfaces);
        if !found.any(|(sticks, surfaces)| *sticks && is_moving(*surfaces)) {
            return;
        }
        let list = &links.list[..];
        touching.at_start.clear();
        for (t, tree) in links.trees.iter().enumerate() {
            let first = tree.first;
            let body = |k: usize| {
                let (link, start) = (&list[first + k], &starts[first + k]);
                let placed = Placed {
                    pose: at.bodies[link.body].pose,
                    point: start.point,
                    axis: start.axis,
                };
                body_of(at.model, link, &placed, Mat3::zeros())
            };
            touching.axes.set_axes(&list[tree.range()], first, body);
            touching.axes.motions(&touching.means[t], &mut touching.motions);
            touching.origins[t][0] = touching.axes.origin;
            touching.at_start.extend_from_slice(&touching.motions);
        }
    }

    /// Places all links where their coordinates are.
    fn place_again(&mut self, at: Configuration<'_>) {
        let Self {
            links,
            starts,
            placed,
            touching,
            ..
        } = self;
        placed.clear();
        for (tree, root) in links.trees.iter().zip(&touching.roots) {
            let stay = (|_: &Link| *root, |_| Vec3::zeros());
            place_on(at, (&links.list, *tree), starts, stay, placed);
        }
    }

    /// Puts bodies where their links are placed, and finds contacts there.
    fn put_bodies(&mut self, at: Configuration<'_>, contacts: &[Contact], bodies: &mut [BodyState]) {
        for (link, placed) in self.links.list.iter().zip(&self.placed) {
            bodies[link.body].pose = placed.pose;
        }
        let Touching {
            heres,
            follower,
            surfaces,
            ..
        } = &mut self.touching;
        heres.clear();
        let found = contacts.iter().zip(&*surfaces);
        heres.extend(
            found.map(|(contact, surfaces)| follower.follow(at.model, contact, [at.bodies, bodies], *surfaces)),
        );
    }

    /// Ends of the step as they are placed: bodies, contacts, and the motions that coordinates make there.
    fn put_ends(&mut self, at: Configuration<'_>, contacts: &[Contact], bodies: &mut [BodyState]) {
        self.put_bodies(at, contacts, bodies);
        let Self {
            links,
            placed,
            inertias,
            nodes,
            touching,
            ..
        } = self;
        set_places(at.model, &links.list, placed, (nodes, inertias));
        for (tree, dense) in links.trees.iter().zip(&mut touching.dense) {
            let first = tree.first;
            let body = |k: usize| {
                body_of(
                    at.model,
                    &links.list[first + k],
                    &placed[first + k],
                    inertias[first + k],
                )
            };
            dense.set_axes(&links.list[tree.range()], first, body);
        }
    }

    /// The same with masses, and rows of contacts that pushed. None where masses are not positive, to rounding.
    fn set_ends(&mut self, at: Configuration<'_>, contacts: &[Contact], bodies: &mut [BodyState]) -> Option<()> {
        self.put_bodies(at, contacts, bodies);
        let nodes = (&mut self.nodes, &mut self.inertias);
        set_places(at.model, &self.links.list, &self.placed, nodes);
        self.set_dense(at.model);
        let Self {
            links,
            starts,
            drives,
            lines,
            touching,
            ..
        } = self;
        let Touching {
            dense,
            ends,
            touched: columns,
            place,
            heres,
            is_sticking,
            has_pushed,
            closed,
            trees,
            weights,
            ..
        } = touching;
        ends.resize_with(links.trees.len(), Default::default);
        for (t, (tree, (root, rows))) in links.trees.iter().zip(ends).enumerate() {
            let (all, dense) = (&dense[..], &dense[t]);
            set_weights(dense, (&drives[tree.range()], &starts[tree.range()]), weights);
            root.set(dense, |c| weights[c]).then_some(())?;
            rows.clear();
            for (i, here) in heres.iter().enumerate() {
                if trees[i].0 != t || !has_pushed[i] || !closed[i] {
                    continue;
                }
                dense.set_columns(&trees[i].1, &here.point, columns, place);
                let [t1, t2] = at.coordinates().tangents(here.normal);
                let count = if is_sticking[i] { 3 } else { 1 };
                for along in [here.normal, t1, t2].iter().take(count) {
                    rows.add(root, columns, |c| place[c].dot(along));
                }
            }
            lines.add_held(links, (t, all), root, rows);
            rows.finish(root);
        }
        Some(())
    }

    /// By how much the contacts of a tree that pushed are off at the end, in the order of their rows; the farthest.
    fn find_offs(
        &mut self,
        (at, h): (Configuration<'_>, f64),
        (contacts, t): (&[Contact], usize),
        bodies: &[BodyState],
        again: bool,
    ) -> f64 {
        let touching = &mut self.touching;
        let model = at.model;
        touching.dense[t].motions(&touching.means[t], &mut touching.motions);
        let tree = self.links.trees[t];
        let first = tree.first;
        // A coordinate that a stiff motor holds goes farther than the rest of its tree in its mean motion.
        let mut strays = 0.0_f64;
        if self.wholes[t].is_carried {
            for (link, node) in self.links.list[tree.range()].iter().zip(&self.nodes[tree.range()]) {
                let start = &at.bodies[link.body];
                let (velocity, spin) = (node.velocity.norm(), node.spin.norm());
                let [v, w] = [velocity + start.velocity.norm(), spin + start.spin.norm()];
                strays = strays.max(h * (v + model.radius(link.body) * w));
            }
        }
        let mut values = std::mem::take(&mut touching.ends[t].1.values);
        values.clear();
        for (i, (contact, here)) in contacts.iter().zip(&touching.heres).enumerate() {
            if touching.trees[i].0 != t || !touching.has_pushed[i] || !touching.closed[i] {
                continue;
            }
            let size = model.radius(contact.a).max(model.radius(contact.b));
            // Gaps that touch are closed to nothing; larger ones stay as they are.
            let is_event = touching.found.events[t];
            let touches = is_event || touching.lifted[i] || contact.gap.abs() <= at.touch_gap(contact.a, contact.b);
            let off = here.gap - if touches { 0.0 } else { contact.gap };
            let counts = off.abs() <= strays || is_explained(Configuration { bodies, ..at }, here, off, h);
            values.push(if counts { beyond_rounding(off, size) } else { 0.0 });
            if !touching.is_sticking[i] {
                continue;
            }
            let stays = !counts || is_event || (again && is_moving(touching.surfaces[i]));
            let slip = if stays {
                Vec3::zeros()
            } else {
                touching.net_slip((at, h), (i, contact, here), (t, first), bodies)
            };
            let tangents = at.coordinates().tangents(here.normal);
            values.extend(tangents.map(|along| beyond_rounding(slip.dot(&along), size)));
        }
        self.lines.push_offs((model, &self.links), t, &self.starts, &mut values);
        let worst = values.iter().fold(0.0_f64, |m, value| m.max(value.abs()));
        touching.ends[t].1.values = values;
        worst
    }

    /// Moves the coordinates of a tree by what takes the values of its rows away, the farthest of which is `worst`. Returns how far that moves bodies, as a share of their
    /// sizes; none where it is farther than it may be.
    fn move_tree(&mut self, at: Configuration<'_>, t: usize, worst: f64) -> Option<f64> {
        let (model, bases) = (at.model, at.bodies);
        let Self {
            links,
            starts,
            placed,
            touching,
            ..
        } = self;
        let (tree, dense, (root, rows)) = (links.trees[t], &touching.dense[t], &mut touching.ends[t]);
        touching.rates.clear();
        touching.rates.resize(dense.count(), 0.0);
        rows.take_from(root, &mut touching.rates);
        dense.motions(&touching.rates, &mut touching.motions);
        let mut farthest = 0.0_f64;
        for (k, motion) in touching.motions.iter().enumerate() {
            let (link, there) = (&links.list[tree.first + k], &placed[tree.first + k].pose);
            let radius = model.radius(link.body);
            let shift = dense.at(motion, &there.position).norm() + radius * motion[1].norm();
            if shift.is_nan() || shift > LEVER * worst {
                return None;
            }
            farthest = farthest
                .max(motion[1].norm())
                .max(if radius > 0.0 { shift / radius } else { 0.0 });
        }
        for (k, span) in dense.spans.iter().enumerate() {
            let link = &links.list[tree.first + k];
            let by = &touching.rates[span.clone()];
            match (link.freedom, by) {
                (Freedom::Free, _) => {
                    let (motion, root) = (&touching.motions[k], &mut touching.roots[t]);
                    root.position += dense.at(motion, &root.position);
                    root.rotation = Quat::new_normalize((turn_by(motion[1]) * root.rotation).into_inner());
                }
                (Freedom::Ball, [x, y, z]) => {
                    let turn = Vec3::new(*x, *y, *z);
                    let base = link
                        .parent
                        .map_or(bases[link.base].pose.rotation, |parent| placed[parent].pose.rotation);
                    starts[tree.first + k].advance(link.freedom, base.inverse() * turn);
                }
                (_, [x]) => starts[tree.first + k].advance(link.freedom, Vec3::new(0.0, 0.0, *x)),
                _ => {}
            }
        }
        Some(farthest)
    }

    /// Finds the rates of a tree at its end: those along its joints nearest to the momenta in energy.
    fn find_rates(&mut self, at: Configuration<'_>, moved: f64, t: usize) {
        let Self {
            links,
            starts,
            momenta,
            drives,
            nodes,
            inertias,
            touching,
            ..
        } = self;
        let (tree, model) = (links.trees[t], at.model);
        let first = tree.first;
        let root = &touching.ends[t].0;
        let dense = &mut touching.dense[t];
        let (rates, motions, more) = (&mut touching.rates, &mut touching.motions, &mut touching.pulled);
        let (drives, starts) = (&drives[tree.range()], &starts[tree.range()]);
        set_weights(dense, (drives, starts), &mut touching.weights);
        rates.clear();
        rates.resize(dense.count(), 0.0);
        // Where bodies were moved since their masses were made, again with what is left. Of what one pass changes the next changes no more than a share.
        let (share, passes) = (LEFT * moved, passes_for(moved));
        for _ in 0..passes {
            dense.motions(rates, motions);
            let origin = dense.origin;
            let left = |k: usize| {
                let (node, [l, m]) = (&nodes[first + k], momenta[first + k]);
                let [v, spin] = motions[k];
                let velocity = v + spin.cross(&(node.centre - origin));
                let mass = mass_of(model, &links.list[first + k]).0;
                (node.centre, [l - mass * velocity, m - inertias[first + k] * spin])
            };
            dense.pull(left, more);
            for (span, drive) in dense.spans.iter().zip(drives) {
                let Some(c) = span.clone().next() else { continue };
                match drive {
                    Drive::Goes(rate) => more[c] += touching.weights[c] * (rate - rates[c]),
                    Drive::Yields { momentum, .. } => more[c] += momentum - touching.weights[c] * rates[c],
                }
            }
            root.solve(more);
            for (x, y) in rates.iter_mut().zip(more.iter()) {
                *x += y;
            }
            if share * largest(more) <= f64::EPSILON * largest(rates) {
                break;
            }
        }
    }

    /// Takes from the rates of a tree at its end what contacts that pushed forbid: there they stay, and those that stick stand.
    fn hold_rates(&mut self, at: Configuration<'_>, moved: f64, (contacts, t): (&[Contact], usize)) {
        let Self {
            links, lines, touching, ..
        } = self;
        let first = links.trees[t].first;
        let (root, rows) = &mut touching.ends[t];
        let dense = &touching.dense[t];
        let (rates, motions) = (&mut touching.rates, &mut touching.motions);
        let (share, passes) = (LEFT * moved, passes_for(moved));
        for _ in 0..passes {
            dense.motions(rates, motions);
            rows.values.clear();
            for i in 0..contacts.len() {
                if touching.trees[i].0 != t || !touching.has_pushed[i] || !touching.closed[i] {
                    continue;
                }
                let here = &touching.heres[i];
                let u = velocity_at(dense, motions, &touching.trees[i].1, &here.point);
                let [t1, t2] = at.coordinates().tangents(here.normal);
                let count = if touching.is_sticking[i] { 3 } else { 1 };
                let speeds = [here.normal, t1, t2].map(|along| u.dot(&along));
                // One that has not pushed may part.
                let parts = touching.lifted[i] && speeds[0] > 0.0;
                let speeds = speeds.iter().take(count);
                rows.values.extend(speeds.map(|u| if parts { 0.0 } else { *u }));
            }
            let own = |k: usize| rates[dense.spans[k - first].start];
            lines.push_speeds(links, t, own, &mut rows.values);
            rows.take_from(root, rates);
            let fastest = motions.iter().fold(0.0, |m: f64, [v, _]| m.max(v.norm_squared()));
            if share * largest(&rows.values) <= f64::EPSILON * fastest.sqrt() {
                break;
            }
        }
    }

    /// Whether a contact or a limit has pushed that was not closed at the start.
    fn has_arrived(&self, at: Configuration<'_>, (contacts, t): (&[Contact], usize)) -> bool {
        let touching = &self.touching;
        let pushed = |i: usize| touching.trees[i].0 == t && touching.has_pushed[i] && !touching.lifted[i];
        let is_open = |i: usize| touching.levels[i] > at.slack(&contacts[i]).overlap;
        (0..contacts.len()).any(|i| pushed(i) && is_open(i)) || self.lines.any_arrived(&self.links, t)
    }

    /// Whether something that touches at the end of a tree still approaches with its rates.
    fn approaches(&mut self, (at, h): (Configuration<'_>, f64), (contacts, t): (&[Contact], usize)) -> bool {
        let Self {
            links,
            starts,
            lines,
            touching,
            ..
        } = self;
        let Touching {
            dense,
            heres,
            trees,
            rates,
            motions,
            ..
        } = touching;
        let (dense, first) = (&dense[t], links.trees[t].first);
        dense.motions(rates, motions);
        let touches = |i: &usize| trees[*i].0 == t && heres[*i].gap <= at.slack(&contacts[*i]).closed;
        let approaches = |i: usize| {
            let u = velocity_at(dense, motions, &trees[i].1, &heres[i].point);
            -heres[i].normal.dot(&u) > speed_rounding(at, &contacts[i], h)
        };
        let rate = |k: usize| rates[dense.spans[k - first].start];
        (0..contacts.len()).filter(touches).any(approaches)
            || lines.any_approaches((at.model, links), t, (starts, rate))
    }

    /// Lets the rates of a tree at its end obey the law. Whether that has a verified answer.
    fn obey(
        &mut self,
        at: Configuration<'_>,
        (contacts, t): (&[Contact], usize),
        (solver, pushed): (&mut ContactSolver, &WarmStart),
    ) -> Result<bool, SimError> {
        let Self {
            links,
            starts,
            lines,
            touching,
            ..
        } = self;
        let model = at.model;
        let Touching {
            dense,
            heres,
            trees,
            touched,
            place,
            columns,
            rates,
            mass,
            weights,
            velocity_problem: problem,
            ..
        } = touching;
        let all = &dense[..];
        let dense = &dense[t];
        let touches = |i: &usize| trees[*i].0 == t && heres[*i].gap <= at.slack(&contacts[*i]).closed;
        let n = dense.count();
        mass.clone_from(&dense.mass);
        for (c, more) in weights.iter().enumerate() {
            mass[c * n + c] += more;
        }
        problem.clear();
        problem.add_block(mass, rates)?;
        for i in (0..contacts.len()).filter(touches) {
            let here = &heres[i];
            dense.set_columns(&trees[i].1, &here.point, touched, place);
            let [t1, t2] = at.coordinates().tangents(here.normal);
            for (column, along) in columns.iter_mut().zip([here.normal, t1, t2]) {
                column.clear();
                column.resize(n, 0.0);
                for c in &*touched {
                    column[*c] = place[*c].dot(&along);
                }
            }
            let friction = model.pairs.of(&model.bodies, here.a, here.b).friction;
            let index = problem.add_contact(&[(0, [&columns[0], &columns[1], &columns[2]])], friction)?;
            problem.set_key(index, contacts[i].key)?;
        }
        lines.add_reached((model, links), (t, all), starts, problem)?;
        let max_work = solver.options().max_work;
        solver.set_max_work(OBEYED);
        let solution = solver.solve_beside(problem, pushed)?;
        let is_solved = solution.status == Status::Solved;
        if is_solved {
            rates.copy_from_slice(&solution.velocity);
        }
        solver.set_max_work(max_work);
        Ok(is_solved)
    }

    /// Sets the velocities of a tree at its end from its rates.
    fn put_rates(&mut self, t: usize, bodies: &mut [BodyState]) {
        let Self {
            links, nodes, touching, ..
        } = self;
        let (first, dense) = (links.trees[t].first, &touching.dense[t]);
        let (rates, motions) = (&touching.rates, &mut touching.motions);
        dense.motions(rates, motions);
        for (k, motion) in motions.iter().enumerate() {
            let state = &mut bodies[links.list[first + k].body];
            (state.velocity, state.spin) = (dense.at(motion, &state.pose.position), motion[1]);
            nodes[first + k].rate = dense.spans[k].clone().next().map_or(0.0, |c| rates[c]);
        }
    }
}

/// Velocity of the first of two links at a place beside that of the second.
fn velocity_at(dense: &Dense, motions: &[Pair], links: &[Option<usize>; 2], place: &Vec3) -> Vec3 {
    let ends = links.iter().zip([1.0, -1.0]);
    ends.fold(Vec3::zeros(), |u, (link, sign)| {
        u + link.map_or(Vec3::zeros(), |link| sign * dense.at(&motions[link], place))
    })
}

/// The largest magnitude of a list.
fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

/// How often masses and rows are used at most that were made where bodies are no more, until what is left is rounding.
fn passes_for(far: f64) -> usize {
    let (share, mut passes) = (LEFT * far, 1);
    let mut left = share;
    while left > f64::EPSILON {
        left *= share;
        passes += 1;
    }
    passes
}

/// What the diagonal of the masses has beside them: rotors, and weights of what stiff motors hold.
fn set_weights(dense: &Dense, (drives, starts): (&[Drive], &[Start]), weights: &mut Vec<f64>) {
    let n = dense.count();
    weights.clear();
    weights.resize(n, 0.0);
    for ((span, drive), start) in dense.spans.iter().zip(drives).zip(starts) {
        if let Some(c) = span.clone().next() {
            weights[c] = match drive {
                Drive::Goes(_) => HELD * (dense.mass[c * n + c] + start.rotor),
                Drive::Yields { inertia, .. } => *inertia,
            };
        }
    }
}

impl Touching {
    /// How far the bodies of a sticking contact have slipped over the step, in the world at its end. `motions` are those of the tree at the end; its links begin at `first`.
    fn net_slip(
        &self,
        (at, h): (Configuration<'_>, f64),
        (i, contact, here): (usize, &Contact, &Contact),
        (t, first): (usize, usize),
        bodies: &[BodyState],
    ) -> Vec3 {
        let [a, b] = [contact.a, contact.b];
        let before = [a, b].map(|body| &at.bodies[body].pose);
        let after = [a, b].map(|body| &bodies[body].pose);
        if !is_moving(self.surfaces[i]) {
            // A point of a that touched a point of b: how far they are apart now.
            let on_a = before[0].point_in_body(contact.point + contact.gap * contact.normal);
            return after[0].point(on_a) - after[1].point(before[1].point_in_body(contact.point));
        }
        // Simpson's rule, in the axes of b.
        let [start, mid] = self.origins[t];
        let moments = [
            (&self.at_start[first..], start, contact, before[1], 1.0),
            (&self.at_mid[first..], mid, &self.mids[i], &self.mid[b].pose, 4.0),
            (&self.motions[..], self.dense[t].origin, here, after[1], 1.0),
        ];
        let mut slip_b = Vec3::zeros();
        for (motions, origin, contact, pose, weight) in moments {
            let mut u = Vec3::zeros();
            for (link, sign) in self.trees[i].1.iter().zip([1.0, -1.0]) {
                if let Some(link) = link {
                    let [v, w] = &motions[*link];
                    u += sign * (v + w.cross(&(contact.point - origin)));
                }
            }
            slip_b += (h / 6.0 * weight) * pose.direction_in_body(u);
        }
        after[1].direction(slip_b)
    }
}

/// Whether the point of contact moves over both bodies.
fn is_moving(surfaces: Surfaces) -> bool {
    !matches!(
        surfaces,
        Surfaces::PlaneOfA(Point::Fixed) | Surfaces::PlaneOfB(Point::Fixed)
    )
}
