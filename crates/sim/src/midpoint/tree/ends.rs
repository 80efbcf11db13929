//! The end of a step of trees that touch: what carried is closed in place and in velocity, along the coordinates of the joints.

use super::articulated::Drive;
use super::balance::Spent;
use super::dense::{backward, factor, forward};
use super::links::{Freedom, Link};
use super::place::turn_by;
use super::touch::{Touching, body_of, row_of};
use super::{Trees, place_on, set_nodes};
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::midpoint::finish::{CLOSED, CLOSINGS, LEVER, beyond_rounding, is_explained};
use crate::midpoint::follow::{Point, Surfaces};
use crate::model::Model;
use crate::state::BodyState;
use crate::{Mat3, Quat, Vec3};

/// Weight of a coordinate that a stiff motor holds, beside its mass: it gives way to contacts alone.
const HELD: f64 = 1e3;

impl Trees {
    /// From what is carried to the end of the step: bodies there, with contacts closed. None where something has arrived.
    pub(super) fn close(
        &mut self,
        (at, h): (Configuration<'_>, f64),
        contacts: &[Contact],
        bodies: &mut [BodyState],
    ) -> Option<Spent> {
        let model = at.model;
        self.find_start_motions(at);
        self.place_ends(at, h);
        for (start, (link, mean)) in self.starts.iter_mut().zip(self.links.list.iter().zip(&self.means)) {
            start.advance(link.freedom, h * mean);
        }
        for round in 0..CLOSINGS {
            self.put_bodies(bodies);
            self.set_ends(model);
            let Self {
                links,
                placed,
                touching,
                ..
            } = self;
            touching.roots.clear();
            touching
                .roots
                .extend(links.trees.iter().map(|tree| placed[tree.first].pose));
            let mut worst = 0.0_f64;
            for t in 0..self.links.trees.len() {
                let off = self.add_rows((at, h), (contacts, t), bodies, round > 0)?;
                worst = worst.max(off);
                if off > 0.0 && !self.move_tree(at, t, off) {
                    return None;
                }
            }
            if worst == 0.0 {
                break;
            }
            let Self {
                links,
                starts,
                placed,
                touching,
                ..
            } = self;
            placed.clear();
            for (tree, root) in links.trees.iter().zip(&touching.roots) {
                place_on(
                    at,
                    (&links.list, *tree),
                    starts,
                    (|_: &Link| *root, |_| Vec3::zeros()),
                    placed,
                );
            }
            if worst * worst <= CLOSED || round + 1 == CLOSINGS {
                self.put_bodies(bodies);
                self.set_ends(model);
                break;
            }
        }
        for t in 0..self.links.trees.len() {
            self.set_velocities(at, (contacts, t), bodies)?;
        }
        let end = Configuration { bodies, ..at };
        let touching = &mut self.touching;
        for (i, contact) in contacts.iter().enumerate() {
            if touching.closed[i] {
                continue;
            }
            let here = touching
                .follower
                .follow(model, contact, [at.bodies, end.bodies], touching.surfaces[i]);
            if here.gap < -at.slack(contact).overlap {
                return None;
            }
        }
        Some(self.settle(at, h, bodies))
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
        touching.start_placed.clear();
        touching.at_start.clear();
        for (t, tree) in links.trees.iter().enumerate() {
            let root = |link: &Link| at.bodies[link.body].pose;
            let placed = &mut touching.start_placed;
            place_on(at, (list, *tree), starts, (root, |_| Vec3::zeros()), placed);
            let first = tree.first;
            let body = |k: usize| body_of(at.model, &list[first + k], &placed[first + k], Mat3::zeros());
            touching.axes.set_axes(&list[tree.range()], first, body);
            touching.axes.motions(&touching.means[t], &mut touching.motions);
            touching.origins[t][0] = touching.axes.origin;
            touching.at_start.extend_from_slice(&touching.motions);
        }
    }

    /// Puts bodies where their links are placed.
    fn put_bodies(&self, bodies: &mut [BodyState]) {
        for (link, placed) in self.links.list.iter().zip(&self.placed) {
            bodies[link.body].pose = placed.pose;
        }
    }

    /// Inertias and dense systems at the ends, with what stiff motors hold.
    fn set_ends(&mut self, model: &Model) {
        let still = |_| [Vec3::zeros(); 2];
        let nodes = &mut self.nodes;
        set_nodes(
            model,
            &self.links.list,
            &self.placed,
            (still, |_| super::IDLE),
            (nodes, &mut self.inertias),
        );
        self.set_dense(model);
    }

    /// Factors the masses of a tree at its end, with what stiff motors hold as a weight of its own.
    fn factor_end(&mut self, t: usize) -> Option<()> {
        let tree = self.links.trees[t];
        let Touching { dense, root, .. } = &mut self.touching;
        let (dense, drives) = (&dense[t], &self.drives[tree.range()]);
        let n = dense.count();
        root.clone_from(&dense.mass);
        for (span, drive) in dense.spans.iter().zip(drives) {
            if let (Drive::Goes(_), Some(c)) = (drive, span.clone().next()) {
                root[c * n + c] += HELD * dense.mass[c * n + c];
            }
        }
        factor(root, n).then_some(())
    }

    /// Rows of the contacts of a tree that pushed, with how far they are off at the end; the farthest.
    fn add_rows(
        &mut self,
        (at, h): (Configuration<'_>, f64),
        (contacts, t): (&[Contact], usize),
        bodies: &[BodyState],
        again: bool,
    ) -> Option<f64> {
        let touching = &mut self.touching;
        let model = at.model;
        touching.offs.clear();
        touching.dense[t].motions(&touching.means[t], &mut touching.motions);
        let first = self.links.trees[t].first;
        for (i, contact) in contacts.iter().enumerate() {
            if touching.trees[i].0 != t || !touching.has_pushed[i] || !touching.closed[i] {
                continue;
            }
            let here = touching
                .follower
                .follow(model, contact, [at.bodies, bodies], touching.surfaces[i]);
            let size = model.radius(contact.a).max(model.radius(contact.b));
            // Gaps that touch are closed to nothing; larger ones stay as they are.
            let touches = contact.gap.abs() <= at.touch_gap(contact.a, contact.b);
            let off = here.gap - if touches { 0.0 } else { contact.gap };
            if !is_explained(Configuration { bodies, ..at }, &here, off, h) {
                continue;
            }
            let value = beyond_rounding(off, size);
            touching.offs.push((i, here.point, here.normal, value));
            if !touching.is_sticking[i] || (again && is_moving(touching.surfaces[i])) {
                continue;
            }
            let slip = touching.net_slip((at, h), (i, contact, &here), (t, first), bodies);
            for along in at.coordinates().tangents(here.normal) {
                let value = beyond_rounding(slip.dot(&along), size);
                touching.offs.push((i, here.point, along, value));
            }
        }
        let worst = touching.offs.iter().fold(0.0_f64, |m, (.., value)| m.max(value.abs()));
        // Where nothing is off nothing moves.
        if worst == 0.0 {
            return Some(worst);
        }
        self.factor_end(t)?;
        let touching = &mut self.touching;
        touching.rows.clear();
        for k in 0..touching.offs.len() {
            let (i, point, along, value) = touching.offs[k];
            touching.add_row(t, i, (&point, &along), value);
        }
        Some(worst)
    }

    /// Moves the coordinates of a tree by what takes the values of its rows away, the farthest of which is `worst`; whether that is as far as it may be.
    fn move_tree(&mut self, at: Configuration<'_>, t: usize, worst: f64) -> bool {
        let (model, bases) = (at.model, at.bodies);
        let Self {
            links,
            starts,
            placed,
            touching,
            ..
        } = self;
        let (tree, dense) = (links.trees[t], &touching.dense[t]);
        touching.rates.clear();
        touching.rates.resize(dense.count(), 0.0);
        touching.rows.take_from(&touching.root, &mut touching.rates);
        dense.motions(&touching.rates, &mut touching.motions);
        for (k, motion) in touching.motions.iter().enumerate() {
            let (link, there) = (&links.list[tree.first + k], &placed[tree.first + k].pose);
            let shift = dense.at(motion, &there.position).norm() + model.radius(link.body) * motion[1].norm();
            if shift.is_nan() || shift > LEVER * worst {
                return false;
            }
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
        true
    }

    /// Sets the velocities of a tree at its end: those along its joints nearest to the momenta in energy, at which contacts that pushed stay, and those that stick stand.
    fn set_velocities(
        &mut self,
        at: Configuration<'_>,
        (contacts, t): (&[Contact], usize),
        bodies: &mut [BodyState],
    ) -> Option<()> {
        self.factor_end(t)?;
        let Self {
            links,
            momenta,
            drives,
            placed,
            touching,
            ..
        } = self;
        let (tree, model) = (links.trees[t], at.model);
        let dense = &mut touching.dense[t];
        let n = dense.count();
        let rates = &mut touching.rates;
        dense.pull(
            |k| (placed[tree.first + k].pose.position, momenta[tree.first + k]),
            rates,
        );
        for (span, drive) in dense.spans.iter().zip(&drives[tree.range()]) {
            if let (Drive::Goes(rate), Some(c)) = (drive, span.clone().next()) {
                rates[c] += HELD * dense.mass[c * n + c] * rate;
            }
        }
        forward(&touching.root, rates);
        backward(&touching.root, rates);
        touching.rows.clear();
        for (i, contact) in contacts.iter().enumerate() {
            if touching.trees[i].0 != t || !touching.has_pushed[i] || !touching.closed[i] {
                continue;
            }
            let here = touching
                .follower
                .follow(model, contact, [at.bodies, bodies], touching.surfaces[i]);
            let [t1, t2] = at.coordinates().tangents(here.normal);
            let sticks = usize::from(touching.is_sticking[i]);
            for along in [here.normal, t1, t2].iter().take(1 + 2 * sticks) {
                let row = row_of(dense, &touching.trees[i].1, (&here.point, along), &mut touching.row);
                let value = row.iter().zip(rates.iter()).map(|(x, y)| x * y).sum();
                touching.rows.add(&touching.root, row, value);
            }
        }
        touching.rows.take_from(&touching.root, rates);
        dense.motions(rates, &mut touching.motions);
        for (k, motion) in touching.motions.iter().enumerate() {
            let state = &mut bodies[links.list[tree.first + k].body];
            (state.velocity, state.spin) = (dense.at(motion, &state.pose.position), motion[1]);
        }
        Some(())
    }
}

impl Touching {
    /// Adds the row of a contact of a tree along a direction, with the value by which it is off.
    fn add_row(&mut self, t: usize, i: usize, at: (&Vec3, &Vec3), value: f64) {
        let row = row_of(&self.dense[t], &self.trees[i].1, at, &mut self.row);
        self.rows.add(&self.root, row, value);
    }

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
