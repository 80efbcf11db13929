//! Whether friction can hold everything at rest, as a problem without friction.
//!
//! A friction cone over a polygon is the set of all sums of its edges n + μd_j with weights x_j ≥ 0. Impulses within the cones keep bodies at rest where
//! k_x + Σ G x = 0 for the edges G. A problem whose contacts have these edges as normals, and no friction, is the convex problem min ½|k_x + G x|² over x ≥ 0: it always has an
//! answer, and its velocity is zero where, and only where, rest is possible.

use crate::cone::{Circle, finite_mu};
use crate::error::InputError;
use crate::problem::{ContactPart, ContactProblem, Touch};
use crate::solver::Impulses;

/// An edge of the cone of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Edge {
    contact: usize,
    direction: usize,
    /// The direction along the tangents.
    along: [f64; 2],
    /// θ and φ of a unit of impulse along it.
    normal: f64,
    friction: f64,
}

/// The problem of the edges, and the way back.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConeEdges {
    pub(crate) hat: ContactProblem,
    edges: Vec<Edge>,
    /// Directions of contacts in space, and in the plane.
    circles: [Circle; 2],
    blocks: Vec<usize>,
    joints: Vec<usize>,
    place: Vec<usize>,
    column: Vec<f64>,
    zeros: Vec<f64>,
}

impl ConeEdges {
    /// Takes the edges of the contacts that may carry, with `d` directions each.
    pub(crate) fn set(
        &mut self,
        problem: &ContactProblem,
        d: usize,
        carries: impl Fn(usize) -> bool,
    ) -> Result<(), InputError> {
        self.blocks.clear();
        self.blocks.extend(0..problem.block_count());
        self.joints.clear();
        self.joints.extend(0..problem.joint_count());
        self.hat
            .take_part(problem, &self.blocks, &[], &self.joints, &mut self.place);
        self.edges.clear();
        self.circles[0].set(d);
        self.circles[1].set(2);
        for contact in (0..problem.contact_count()).filter(|i| carries(*i)) {
            let mu = finite_mu(problem.mu(contact));
            let circle = usize::from(problem.is_planar(contact));
            let count = if mu > 0.0 { self.circles[circle].count() } else { 1 };
            for direction in 0..count {
                let edge = Edge {
                    contact,
                    direction,
                    along: self.circles[circle].direction(direction),
                    normal: 1.0 / (1.0 + mu),
                    friction: mu / (1.0 + mu),
                };
                self.add(problem, edge)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, problem: &ContactProblem, edge: Edge) -> Result<(), InputError> {
        let [x, y] = edge.along;
        let c = problem.columns_tilde(edge.contact);
        let tangents = c.tangents[0].iter().zip(c.tangents[1]);
        self.column.clear();
        self.column.extend(
            c.normal
                .iter()
                .zip(tangents)
                .map(|(n, (t1, t2))| edge.normal * n + edge.friction * (x * t1 + y * t2)),
        );
        self.zeros.clear();
        self.zeros.resize(self.column.len(), 0.0);
        let part = |t: &Touch| -> ContactPart<'_> {
            let own = t.start..t.start + t.len;
            (
                t.block,
                [&self.column[own.clone()], &self.zeros[own.clone()], &self.zeros[own]],
            )
        };
        match c.touches {
            [a] => self.hat.add_contact(&[part(a)], 0.0)?,
            [a, b] => self.hat.add_contact(&[part(a), part(b)], 0.0)?,
            all => self.hat.add_contact(&all.iter().map(part).collect::<Vec<_>>(), 0.0)?,
        };
        self.edges.push(edge);
        Ok(())
    }

    /// Takes impulses of `hat` back.
    pub(crate) fn take(&self, found: &Impulses, d: usize, to: &mut Impulses) {
        to.joint.copy_from_slice(&found.joint);
        for (edge, x) in self.edges.iter().zip(&found.normal) {
            let phi = edge.friction * x;
            to.normal[edge.contact] += edge.normal * x;
            to.phi[edge.contact * d + edge.direction] += phi;
            for (f, e) in to.friction[edge.contact].iter_mut().zip(edge.along) {
                *f += phi * e;
            }
        }
    }
}
