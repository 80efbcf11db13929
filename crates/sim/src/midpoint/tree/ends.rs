//! The end of a step of trees that touch: what carried is closed in place and in velocity, along the coordinates of the joints.
//!
//! Masses and rows of what carried are made once, where the step leads to. Closing moves bodies from there by no more than a hair: the same masses and rows are then used again,
//! and what they are off by at the new place, which is measured there, is taken away as well.

use super::articulated::Drive;
use super::dense::Dense;
use super::links::{Freedom, Link};
use super::place::{Placed, Start, turn_by};
use super::touch::{Touching, body_of};
use super::{Trees, mass_of, place_on, set_places};
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::midpoint::finish::{CLOSED, CLOSINGS, LEVER, beyond_rounding, is_explained};
use crate::midpoint::follow::{Point, Surfaces};
use crate::state::BodyState;
use crate::{Mat3, Quat, Vec3};

/// Weight of a coordinate that a stiff motor holds, beside its mass: it gives way to contacts alone.
const HELD: f64 = 1e3;
/// Share of their sizes by which bodies are moved and turned at most while their masses and rows stay.
const HAIR: f64 = 1e-5;
/// So many times that share is left of what masses and rows have been used for, each time that they are used.
pub(super) const LEFT: f64 = 10.0;

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
}

/// What the diagonal of the masses has beside them: rotors, and weights of what stiff motors hold.
pub(super) fn set_weights(dense: &Dense, (drives, starts): (&[Drive], &[Start]), weights: &mut Vec<f64>) {
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
