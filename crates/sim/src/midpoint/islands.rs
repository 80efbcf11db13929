//! Islands of bodies that may touch within the step or are joined, and how each is stepped.

use stiction_contact::sets::Sets;

use crate::collision::Contact;
use crate::configuration::Configuration;
use crate::corners::Corners;
use crate::joint::Joint;

/// Pairs of bodies that a joint links, of all that it acts on: ground in between, which does not move, would link nothing.
pub(crate) fn linked(joint: &Joint) -> impl Iterator<Item = (usize, usize)> + Clone + use<> {
    let bodies = joint.bodies();
    let count = bodies.len();
    (0..count).flat_map(move |i| (i + 1..count).map(move |j| (bodies[i], bodies[j])))
}

/// How an island is stepped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// By the midpoint rule.
    Smooth,
    /// By a step of Stewart and Trinkle's: something arrives.
    Event,
}

/// Islands of a step. Bodies that the problem does not move belong to none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Islands {
    sets: Sets,
    /// Root of each body.
    root: Vec<usize>,
    /// By root.
    modes: Vec<Mode>,
    sizes: Vec<usize>,
}

impl Islands {
    /// Islands by contacts, corners and joints, all smooth.
    pub(crate) fn set(&mut self, at: Configuration<'_>, contacts: &[Contact], corners: &Corners) {
        let n = at.bodies.len();
        self.sets.reset(n);
        let pairs = contacts.iter().map(|c| (c.a, c.b));
        let cornered = (0..corners.list.len()).filter_map(|c| corners.pair(c).map(|[a, b]| (a, b)));
        for (a, b) in pairs.chain(cornered).chain(at.model.joints.iter().flat_map(linked)) {
            if at.blocks[a].is_some() && at.blocks[b].is_some() {
                self.sets.join(a, b);
            }
        }
        self.modes.clear();
        self.modes.resize(n, Mode::Smooth);
        self.sizes.clear();
        self.sizes.resize(n, 0);
        self.root.clear();
        for body in 0..n {
            let root = self.sets.root(body);
            self.root.push(root);
            self.sizes[root] += usize::from(at.blocks[body].is_some());
        }
    }

    /// The island of a pair of bodies of which one moves at least.
    pub(crate) fn of_pair(&self, at: Configuration<'_>, a: usize, b: usize) -> usize {
        self.root[if at.blocks[a].is_some() { a } else { b }]
    }

    /// The island of a joint that moves a body at least.
    pub(crate) fn of_joint(&self, at: Configuration<'_>, joint: &Joint) -> usize {
        let moving = joint.bodies().iter().copied().find(|body| at.blocks[*body].is_some());
        self.root[moving.unwrap_or(joint.b)]
    }

    /// The island of a body.
    pub(crate) fn of(&self, body: usize) -> usize {
        self.root[body]
    }

    /// How an island is stepped.
    pub(crate) fn mode(&self, island: usize) -> Mode {
        self.modes[island]
    }

    /// Number of bodies that move in an island.
    pub(crate) fn size(&self, island: usize) -> usize {
        self.sizes[island]
    }

    /// Nothing arrives.
    pub(crate) fn forget_arrivals(&mut self) {
        self.modes.fill(Mode::Smooth);
    }

    /// Lets something arrive in an island; whether that is new.
    pub(crate) fn arrive(&mut self, island: usize) -> bool {
        std::mem::replace(&mut self.modes[island], Mode::Event) == Mode::Smooth
    }
}
