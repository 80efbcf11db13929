//! Degenerate mixes: what a collision detector may deliver at its worst, solvable all the same.

use super::families::{Contact, Rng, Scene, unit, wrench};
use stiction_formats::vector::dot;

/// How far a contact lies from the one that it almost repeats.
const REPEAT_DISTANCES: [f64; 4] = [1e-15, 1e-12, 1e-9, 1e-6];

impl Scene {
    /// One to four bodies in a row, light and heavy, with 1 to 24 contacts: new ones from any side, repetitions, almost repetitions,
    /// several in one plane, friction from 0 to 1e6, some of them open.
    pub(super) fn mix(&mut self, rng: &mut Rng) {
        let count = rng.between(1, 4);
        for level in 0..count {
            let mass = [1.0, 1.0, 1e-3, 1e3][rng.between(0, 3)];
            let mut k = wrench(rng, mass, 0.3 * mass, [0.0, 0.0, -mass]);
            if rng.between(0, 9) == 0 {
                k = [0.0; 6];
            }
            self.block([0.0, 0.0, level as f64 + 0.5], mass, k);
        }
        for _ in 0..rng.between(1, 24) {
            let contact = match (rng.between(0, 3), self.contacts.len()) {
                (kind @ 0..=2, n) if n > 0 => {
                    let earlier = self.contacts[rng.between(0, n - 1)].clone();
                    again(earlier, kind, rng)
                }
                _ => self.fresh(rng),
            };
            self.contacts.push(contact);
        }
    }

    fn fresh(&self, rng: &mut Rng) -> Contact {
        let a = rng.between(0, self.bodies.len() - 1);
        let b = if a > 0 && rng.between(0, 1) == 0 {
            Some(a - 1)
        } else {
            None
        };
        let outward = unit(rng.vector(1.0));
        let mut normal = if rng.between(0, 1) == 0 {
            [0.0, 0.0, 1.0]
        } else {
            unit(rng.vector(1.0))
        };
        if dot(normal, outward) > 0.0 {
            normal = normal.map(|v| -v);
        }
        let centre = self.bodies[a].centre;
        Contact {
            a,
            b,
            point: [0, 1, 2].map(|i| centre[i] + 0.5 * outward[i]),
            normal,
            mu: friction(rng),
            gap: if rng.between(0, 4) == 0 {
                rng.uniform(0.0, 1.0)
            } else {
                0.0
            },
        }
    }
}

/// An earlier contact once more: the same, almost the same, or elsewhere in its plane.
fn again(mut contact: Contact, kind: usize, rng: &mut Rng) -> Contact {
    match kind {
        0 => contact,
        1 => {
            let size = REPEAT_DISTANCES[rng.between(0, 3)];
            contact.point = contact.point.map(|x| x + size * rng.normal());
            contact.normal = unit(contact.normal.map(|x| x + size * rng.normal()));
            contact
        }
        _ => {
            let step = rng.vector(0.3);
            let along = dot(step, contact.normal);
            contact.point = [0, 1, 2].map(|i| contact.point[i] + step[i] - along * contact.normal[i]);
            contact.mu = friction(rng);
            contact
        }
    }
}

fn friction(rng: &mut Rng) -> f64 {
    match rng.between(0, 5) {
        0 => 0.0,
        1 => 1e6,
        2 => 10.0,
        _ => rng.uniform(0.1, 1.0),
    }
}
