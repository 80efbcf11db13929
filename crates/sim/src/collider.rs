//! All contacts of a world: pairs that can meet within the step, each given to the narrow phase.

use crate::collision::{Bounds, BroadPhase, Contact, Filter, Scratch, Touching, contacts};
use crate::corners::Corners;
use crate::mix;
use crate::model::Model;
use crate::state::BodyState;

/// Finds the contacts of a world; keeps its buffers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Collider {
    reach: Vec<f64>,
    /// Reach that a body was seen to need beyond the one it was given; empty or one a body.
    longer: Vec<f64>,
    /// How far bodies come in the motion that was found, as far as that was asked.
    far: Vec<f64>,
    bounds: Vec<Bounds>,
    filters: Vec<Filter>,
    broad_phase: BroadPhase,
    found: Vec<Touching>,
    scratch: Scratch,
}

impl Collider {
    /// Begins a step: every body has the reach of its speed.
    pub(crate) fn forget_reach(&mut self) {
        self.longer.clear();
    }

    /// Whether a body that moves this far \[m\] and turns by this much \[rad\] comes farther than contacts were looked for; then the next
    /// look is twice as far as it comes.
    pub(crate) fn outruns(&mut self, model: &Model, body: usize, shift: f64, turn: f64) -> bool {
        let Some(reach) = self.reach.get(body) else {
            return false;
        };
        let far = shift + turn * model.radius(body);
        self.far[body] = far;
        // What is in no group meets nothing.
        if model.bodies[body].groups == 0 || far <= *reach || !far.is_finite() {
            return false;
        }
        self.longer.resize(self.reach.len(), 0.0);
        self.longer[body] = 2.0 * far;
        true
    }

    /// How far a body comes in the motion that was found: its reach where that was not asked.
    pub(crate) fn far(&self, body: usize) -> f64 {
        self.far.get(body).copied().unwrap_or(0.0)
    }

    /// Keeps how far bodies come over another look.
    pub(crate) fn swap_far(&mut self, far: &mut Vec<f64>) {
        std::mem::swap(&mut self.far, far);
    }

    /// Contacts of all pairs that come within the reach of both, in the order of their bodies. `reach` is called for each body with its radius. Corners are
    /// found on request.
    pub(crate) fn find(
        &mut self,
        model: &Model,
        states: &[BodyState],
        h: f64,
        reach: impl Fn(f64, &BodyState, bool) -> f64,
        (corners, out): (Option<&mut Corners>, &mut Vec<Contact>),
    ) {
        let (bodies, ids) = (&model.bodies, &model.ids.bodies);
        let mut corners = corners;
        self.scratch.corners.wanted = corners.is_some();
        self.reach.clear();
        for (i, state) in states.iter().enumerate() {
            let longer = self.longer.get(i).copied().unwrap_or(0.0);
            let reach = reach(model.radius(i), state, bodies[i].is_dynamic());
            self.reach.push(reach.max(longer));
        }
        self.far.clone_from(&self.reach);
        self.bounds.clear();
        self.filters.clear();
        for ((body, state), reach) in bodies.iter().zip(states).zip(&self.reach) {
            self.bounds.push(Bounds::of(&body.shape, &state.pose).inflated(*reach));
            self.filters.push(Filter {
                groups: body.groups,
                collides_with: body.groups,
                fixed: !body.is_dynamic(),
            });
        }
        out.clear();
        for &(a, b) in self.broad_phase.pairs(&self.bounds, &self.filters) {
            if !model.apart.is_empty() && model.apart.binary_search(&(a, b)).is_ok() {
                continue;
            }
            let margin = self.reach[a] + self.reach[b];
            self.found.clear();
            self.scratch.corners.clear();
            self.scratch.corners.drift = (states[a].velocity - states[b].velocity) * h;
            contacts(
                (&bodies[a].shape, &states[a].pose),
                (&bodies[b].shape, &states[b].pose),
                margin,
                &mut self.scratch,
                &mut self.found,
            );
            let contact = |t: &Touching| Contact {
                a,
                b,
                point: t.point,
                normal: t.normal,
                gap: t.gap,
                key: pair_key(ids[a], ids[b]) ^ t.feature,
            };
            out.extend(self.found.iter().map(contact));
            if let Some(corners) = &mut corners {
                corners.add(&self.scratch.corners, contact);
            }
        }
    }
}

/// Names a pair of bodies by their ids.
pub(crate) fn pair_key(a: u64, b: u64) -> u64 {
    mix((a << 32) | b)
}
