//! All contacts of a world: pairs that can meet within the step, each given to the narrow phase.

use crate::body::Body;
use crate::collision::{Bounds, BroadPhase, Contact, Filter, Scratch, Touching, contacts};
use crate::corners::Corners;
use crate::shape::Shape;
use crate::state::{BodyState, mix};
use crate::{Pose, Vec3};

/// Finds the contacts of a world; keeps its buffers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Collider {
    /// Distance of the farthest point of each body from its centre of mass; infinite for a half-space.
    radii: Vec<f64>,
    reach: Vec<f64>,
    /// Reach that a body was seen to need beyond the one it was given; empty or one a body.
    longer: Vec<f64>,
    bounds: Vec<Bounds>,
    filters: Vec<Filter>,
    broad_phase: BroadPhase,
    found: Vec<Touching>,
    scratch: Scratch,
    /// Pairs that never collide, sorted.
    apart: Vec<(usize, usize)>,
}

impl Collider {
    /// Lets two bodies never collide.
    /// Pairs of bodies that do not touch, sorted.
    pub(crate) fn apart(&self) -> &[(usize, usize)] {
        &self.apart
    }

    pub(crate) fn keep_apart(&mut self, a: usize, b: usize) {
        let pair = (a.min(b), a.max(b));
        if let Err(at) = self.apart.binary_search(&pair) {
            self.apart.insert(at, pair);
        }
    }

    /// Forgets a body; those behind it move down by one.
    pub(crate) fn remove(&mut self, body: usize) {
        if body < self.radii.len() {
            self.radii.remove(body);
        }
        self.apart.retain(|(a, b)| *a != body && *b != body);
        for (a, b) in &mut self.apart {
            *a -= usize::from(*a > body);
            *b -= usize::from(*b > body);
        }
        self.broad_phase = BroadPhase::default();
    }

    /// Begins a step: every body has the reach of its speed.
    pub(crate) fn forget_reach(&mut self) {
        self.longer.clear();
    }

    /// Whether a body that moves this far \[m\] and turns by this much \[rad\] comes farther than contacts were looked for; then the next
    /// look is twice as far as it comes.
    pub(crate) fn outruns(&mut self, body: usize, shift: f64, turn: f64) -> bool {
        let (Some(reach), Some(radius)) = (self.reach.get(body), self.radii.get(body)) else {
            return false;
        };
        let far = shift + turn * if radius.is_finite() { *radius } else { 0.0 };
        if far <= *reach || !far.is_finite() {
            return false;
        }
        self.longer.resize(self.reach.len(), 0.0);
        self.longer[body] = 2.0 * far;
        true
    }

    /// Radius of a body \[m\]; 0 where it has none, or before the first step.
    #[must_use]
    pub(crate) fn radius(&self, body: usize) -> f64 {
        self.radii
            .get(body)
            .copied()
            .filter(|radius| radius.is_finite())
            .unwrap_or(0.0)
    }

    /// Contacts of all pairs that come within the reach of both, in the order of their bodies; `ids` name them in keys. `reach` is asked for each
    /// body with its radius. Corners where they are asked for.
    pub(crate) fn find(
        &mut self,
        bodies: &[Body],
        states: &[BodyState],
        ids: &[u64],
        h: f64,
        reach: impl Fn(f64, &BodyState, bool) -> f64,
        (corners, out): (Option<&mut Corners>, &mut Vec<Contact>),
    ) {
        let mut corners = corners;
        self.scratch.corners.wanted = corners.is_some();
        for body in &bodies[self.radii.len().min(bodies.len())..] {
            self.radii.push(radius(&body.shape));
        }
        self.reach.clear();
        for (i, state) in states.iter().enumerate() {
            let size = if self.radii[i].is_finite() { self.radii[i] } else { 0.0 };
            let longer = self.longer.get(i).copied().unwrap_or(0.0);
            self.reach.push(reach(size, state, bodies[i].is_dynamic()).max(longer));
        }
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
            if !self.apart.is_empty() && self.apart.binary_search(&(a, b)).is_ok() {
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
fn pair_key(a: u64, b: u64) -> u64 {
    mix((a << 32) | b)
}

/// Distance of the farthest point of a shape from the origin.
pub(crate) fn radius(shape: &Shape) -> f64 {
    match shape {
        Shape::HalfSpace { .. } => f64::INFINITY,
        Shape::Ball { radius } => *radius,
        Shape::Capsule { half_length, radius } => half_length + radius,
        Shape::Cylinder { half_height, radius } => libm::hypot(*half_height, *radius),
        Shape::Mesh(mesh) => {
            let bounds = mesh.bounds(&Pose::identity());
            bounds.low.abs().sup(&bounds.high.abs()).norm()
        }
        Shape::Polytope(polytope) => polytope.vertices.iter().fold(0.0, |m, v| v.norm().max(m)),
        Shape::Planar(shape) => shape.radius(),
        Shape::Compound(parts) => parts.iter().fold(0.0, |m, (pose, part)| {
            let Pose { position, .. } = pose;
            (Vec3::norm(position) + radius(part)).max(m)
        }),
    }
}
