//! Parts that nothing connects: bodies that can move, with the contacts and joint rows between them. Each is a question of its own.

use crate::equilibrium::{Equilibrium, FreeBody};
use crate::program::Forces;

/// A part of an equilibrium: which of its bodies, contacts and rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Part {
    /// Free bodies.
    pub(crate) bodies: Vec<usize>,
    pub(crate) contacts: Vec<usize>,
    pub(crate) rows: Vec<usize>,
}

/// The parts of an equilibrium, in the order of their first bodies.
pub(crate) fn parts(whole: &Equilibrium) -> Vec<Part> {
    let count = whole.bodies().len();
    let mut root: Vec<usize> = (0..count).collect();
    let contacts: Vec<Vec<usize>> = (0..whole.contacts().len())
        .map(|j| whole.parts(j).iter().map(|part| part.body).collect())
        .collect();
    let rows: Vec<Vec<usize>> = (0..whole.rows().len())
        .map(|k| whole.row_parts(k).iter().map(|part| part.body).collect())
        .collect();
    for pair in contacts.iter().chain(&rows).flat_map(|bodies| bodies.windows(2)) {
        let (a, b) = (find(&root, pair[0]), find(&root, pair[1]));
        root[a.max(b)] = a.min(b);
    }
    let mut found: Vec<Part> = Vec::new();
    let mut place = vec![usize::MAX; count];
    for k in 0..count {
        let top = find(&root, k);
        if top == k {
            place[k] = found.len();
            found.push(Part::default());
        }
        found[place[top]].bodies.push(k);
    }
    for (j, bodies) in contacts.iter().enumerate() {
        if let Some(first) = bodies.first() {
            found[place[find(&root, *first)]].contacts.push(j);
        }
    }
    for (k, bodies) in rows.iter().enumerate() {
        if let Some(first) = bodies.first() {
            found[place[find(&root, *first)]].rows.push(k);
        }
    }
    found
}

fn find(root: &[usize], mut k: usize) -> usize {
    while root[k] != k {
        k = root[k];
    }
    k
}

impl Part {
    /// The part as an equilibrium: other bodies that could move are fixed, and nothing of the part touches them.
    pub(crate) fn of(&self, whole: &Equilibrium) -> Equilibrium {
        let dim = whole.dim();
        let mut other = whole.clone();
        let bodies: Vec<FreeBody> = self.bodies.iter().map(|k| whole.bodies()[*k].clone()).collect();
        let load = self.bodies.iter().flat_map(|k| &whole.load()[dim * k..dim * (k + 1)]);
        let load = load.copied().collect();
        other.keep_part((bodies, load), &self.bodies, [&self.contacts, &self.rows]);
        other
    }

    /// Puts velocities of the part among those of the whole; other bodies rest.
    pub(crate) fn velocity(&self, whole: &Equilibrium, of: &[f64]) -> Vec<f64> {
        let dim = whole.dim();
        let mut velocity = vec![0.0; whole.load().len()];
        for (k, v) in self.bodies.iter().zip(of.chunks(dim)) {
            velocity[dim * k..dim * (k + 1)].copy_from_slice(v);
        }
        velocity
    }

    /// Puts forces of the part among those of the whole.
    pub(crate) fn place(&self, of: &Forces, all: &mut Forces) {
        for (j, f) in self.contacts.iter().zip(&of.contacts) {
            all.contacts[*j] = *f;
        }
        for (k, g) in self.rows.iter().zip(&of.rows) {
            all.rows[*k] = *g;
        }
    }
}
