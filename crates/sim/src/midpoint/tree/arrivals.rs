//! What arrives or stops in a step of trees that touch: what the next round makes otherwise.

use stiction_contact::{ContactSolution, ContactState};

use super::Trees;
use super::touch::{MAX_COORDINATES, Slides, Touching, size};
use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::level::level;
use crate::midpoint::bounce::bounces;
use crate::midpoint::follow::surfaces;
use crate::midpoint::{GIVES, speed_rounding};

impl Trees {
    /// Takes contacts in, and finds trees in which something arrives for sure; whether all are of one tree and of fixed ground, and nothing bounces.
    pub(super) fn foresee(&mut self, at: Configuration<'_>, contacts: &[Contact], h: f64) -> bool {
        let model = at.model;
        let Self { links, touching, .. } = self;
        if links
            .trees
            .iter()
            .any(|tree| size(&links.list[tree.range()]) > MAX_COORDINATES)
        {
            return false;
        }
        touching.trees.clear();
        touching.surfaces.clear();
        for contact in contacts {
            let found = [contact.a, contact.b].map(|body| links.of_body[body]);
            let tree = |k: usize| links.list[k].tree;
            let of = match found {
                [Some(a), Some(b)] if tree(a) == tree(b) => tree(a),
                [Some(k), None] | [None, Some(k)] => tree(k),
                _ => return false,
            };
            let is_ground = |body: usize| links.of_body[body].is_some() || !model.is_kinematic(body);
            if ![contact.a, contact.b].into_iter().all(is_ground) {
                return false;
            }
            let slack = at.slack(contact);
            let (approach, closes) = (at.approach(contact), contact.gap <= slack.closed);
            let arrives = approach > speed_rounding(at, contact, h) && (closes || approach * h > contact.gap);
            let material = model.pairs.of(&model.bodies, contact.a, contact.b);
            if (arrives && bounces(at, contact)) || contact.gap < -slack.overlap || material.viscosity > 0.0 {
                return false;
            }
            touching.found.events[of] |= arrives;
            let first = links.trees[of].first;
            touching.trees.push((of, found.map(|k| k.map(|k| k - first))));
            touching.surfaces.push(surfaces(model, at.bodies, contact));
        }
        level(contacts, contacts.len(), |c| at.slack(c), &mut touching.levels);
        touching.found.is_lawful()
    }

    /// Finds open contacts of trees without arrivals that overlap at the end; whether there are any.
    pub(super) fn find_arrived(&mut self, at: Configuration<'_>, contacts: &[Contact]) -> bool {
        let Touching {
            heres,
            closed,
            trees,
            found,
            ..
        } = &mut self.touching;
        let mut any = false;
        for (i, (here, contact)) in heres.iter().zip(contacts).enumerate() {
            if !closed[i] && here.gap < -at.slack(contact).overlap {
                // What bounces does so where it meets.
                found.may_arrive &= at.model.pairs.restitution(&at.model.bodies, contact.a, contact.b) == 0.0;
                found.events[trees[i].0] = true;
                any = true;
            }
        }
        any
    }

    /// Finds contacts and joints that slip but stop in the step, or turn round: next they obey the law with the slip of the end. Where friction then gives energy to a tree, as the slip
    /// turns round, something arrives in it. Returns whether there are any.
    pub(super) fn find_stopping(&mut self, solution: &ContactSolution) -> bool {
        let Self {
            links,
            starts,
            nodes,
            momenta,
            lines,
            touching,
            ..
        } = self;
        let Touching {
            found,
            sliding,
            given,
            trees,
            keys,
            ..
        } = touching;
        let known = found.stopping.len();
        given.clear();
        given.resize(links.trees.len(), 0.0);
        for Slides { contact, slip: s, mean } in sliding.iter() {
            let ([_, x, y], f) = (solution.contact_velocity[*contact], solution.friction_impulse[*contact]);
            if !mean {
                given[trees[*contact].0] += 0.5 * (f[0] * (x + s[0]) + f[1] * (y + s[1]));
            } else if solution.normal_impulse[*contact] > 0.0 {
                let turns = (x - s[0]) * s[0] + (y - s[1]) * s[1] <= 0.0;
                if turns || solution.state[*contact] == ContactState::Sticking {
                    found.stopping.push(keys[*contact]);
                }
            }
        }
        let ends = |k: usize| 2.0 * nodes[k].rate - starts[k].rate.z;
        lines.find_stopping(links, ends, &mut found.stopping, given);
        let mut any = found.stopping.len() > known;
        for (t, tree) in links.trees.iter().enumerate().filter(|(t, _)| given[*t] > 0.0) {
            let of = |k: usize| momenta[k][0].dot(&nodes[k].velocity) + momenta[k][1].dot(&nodes[k].spin);
            let kinetic = 0.5 * tree.range().map(of).sum::<f64>();
            any |= given[t] > GIVES * kinetic.abs() && !std::mem::replace(&mut found.events[t], true);
        }
        any
    }
}
