//! Velocities of trees at the end of a step: along their joints nearest to the momenta in energy, and along what carried.
//!
//! Where something has arrived, the rates obey the law at the end instead: friction is that of the whole impact.

use stiction_contact::{ContactSolver, Status, WarmStart};

use super::articulated::Drive;
use super::balance::Spent;
use super::dense::{Dense, Pair};
use super::ends::{LEFT, set_weights};
use super::touch::Touching;
use super::{Trees, mass_of};
use crate::Vec3;
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::error::SimError;
use crate::midpoint::event::OBEYED;
use crate::midpoint::speed_rounding;
use crate::state::BodyState;

impl Trees {
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
