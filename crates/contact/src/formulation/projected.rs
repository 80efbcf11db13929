//! Contacts without friction beside bilateral rows, as contacts alone \[Drumwright (41), (56)\].
//!
//! With Q an orthonormal basis of the rows (joints, glued tangents) and v₀ the velocity nearest to k that satisfies them,
//! ν = N′ᵀN′θ + Nᵀv₀ + b with the projected normals N′ = (I − QQᵀ)N. These span little, in a grasp the few ways to open: they are
//! written in an orthonormal basis Z of their own, N″ = ZᵀN, found as Q is. A normal that the rows hold entirely is *locked*: it has no
//! place among the contacts, and its velocity is what the rows make it.

use crate::joint_span::{Groups, JointSpan};
use crate::problem::{ContactProblem, length, sparse_dot};
use crate::solver::find_indices::{Basis, REDUNDANT};

/// Velocities below this share of the terms they are summed from are rounding, and zero.
const NOISE: f64 = 16.0 * f64::EPSILON;

/// A problem without rows, and the way back.
#[derive(Debug, Clone, Default)]
pub(crate) struct Projected {
    pub(crate) span: JointSpan,
    /// Q, then Z.
    normals: Basis,
    groups: Groups,
    indices: Vec<usize>,
    list: Vec<usize>,
    /// The contacts that are not locked, over the coordinates of Z.
    pub(crate) hat: ContactProblem,
    /// Contact of each contact of `hat`.
    contacts: Vec<usize>,
    /// Place of each contact in `hat`.
    place: Vec<Option<usize>>,
    /// Length of each normal.
    norm: Vec<f64>,
    /// The velocity that satisfies the rows, and Nᵀv₀ + b.
    v0: Vec<f64>,
    q: Vec<f64>,
    /// N″θ.
    y: Vec<f64>,
    /// Fastest velocity of the rows that are spoken of.
    pub(crate) speed: f64,
}

impl Projected {
    /// Takes a problem's joints, whose span is given, and the tangents of some contacts as bilateral rows.
    pub(crate) fn set(&mut self, joints: &JointSpan, problem: &ContactProblem, glued: impl Iterator<Item = usize>) {
        self.list.clear();
        self.list.extend(glued);
        self.span.set_glued(joints, problem, &mut self.list);
        let n = problem.contact_count();
        self.list.clear();
        self.list.extend(0..n);
        self.groups.pick(problem, &mut self.list, &[0]);
        self.normals.copy_from(self.span.basis());
        self.indices.clear();
        let picked = &self.groups.picked;
        let fill = |k: usize, column: &mut [f64]| problem.push(picked[k].0, [1.0, 0.0, 0.0], column);
        self.normals.find_indices(picked.len(), fill, &mut self.indices);
        self.set_hat(problem);
    }

    fn set_hat(&mut self, problem: &ContactProblem) {
        let rank = self.span.rank();
        let dim = self.normals.rank() - rank;
        self.hat.set_dense(dim);
        self.contacts.clear();
        self.place.clear();
        self.norm.clear();
        self.y.clear();
        self.y.resize(dim, 0.0);
        for i in 0..problem.contact_count() {
            let c = problem.columns(i);
            for (l, y) in self.y.iter_mut().enumerate() {
                *y = sparse_dot(c.touches, c.normal, self.normals.column(rank + l));
            }
            let norm = length(c.normal);
            self.norm.push(norm);
            let free = length(&self.y) > REDUNDANT * norm;
            self.place.push(free.then_some(self.contacts.len()));
            if free {
                let y = &self.y;
                self.hat
                    .push_dense(0.0, problem.key(i), |column| column.copy_from_slice(y));
                self.contacts.push(i);
            }
        }
    }

    /// Takes the velocity without contact.
    pub(crate) fn load(&mut self, problem: &ContactProblem) {
        let k = problem.k_x();
        self.v0.clear();
        self.v0.extend_from_slice(k);
        self.span.satisfy(&mut self.v0);
        self.speed = self.span.fastest(problem, k);
        let size = length(k).max(length(&self.v0));
        self.q.clear();
        for i in 0..problem.contact_count() {
            let (c, b) = (problem.columns(i), problem.bias(i)[0]);
            let free = sparse_dot(c.touches, c.normal, k) + b;
            if !problem.comes_apart(i, free) {
                self.speed = self.speed.max(free.abs());
            }
            let q = sparse_dot(c.touches, c.normal, &self.v0) + b;
            let noise = NOISE * (self.norm[i] * size + b.abs());
            self.q.push(if q.abs() > noise { q } else { 0.0 });
        }
        let (q, contacts) = (&self.q, &self.contacts);
        self.hat.set_normal_biases(|i| q[contacts[i]]);
    }

    /// Whether the rows hold a contact's normal.
    pub(crate) fn is_locked(&self, contact: usize) -> bool {
        self.place[contact].is_none()
    }

    /// Length of a contact's normal.
    pub(crate) fn norm(&self, contact: usize) -> f64 {
        self.norm[contact]
    }

    /// Place of a contact in `hat`.
    pub(crate) fn place(&self, contact: usize) -> Option<usize> {
        self.place[contact]
    }

    /// Normal velocity of a contact where none pushes.
    pub(crate) fn q(&self, contact: usize) -> f64 {
        self.q[contact]
    }

    /// Takes the normal impulses of `hat` back: impulses and normal velocities of all contacts, and the velocity of the bodies.
    pub(crate) fn take(&mut self, normal: &[f64], theta: &mut Vec<f64>, nu: &mut Vec<f64>, v: &mut Vec<f64>) {
        self.y.fill(0.0);
        for (i, x) in normal.iter().enumerate() {
            self.hat.push(i, [*x, 0.0, 0.0], &mut self.y);
        }
        theta.clear();
        nu.clear();
        for (place, q) in self.place.iter().zip(&self.q) {
            theta.push(place.map_or(0.0, |p| normal[p]));
            nu.push(q + place.map_or(0.0, |p| self.hat.along(p, &self.y)[0]));
        }
        v.clear();
        v.extend_from_slice(&self.v0);
        let rank = self.span.rank();
        for (l, y) in self.y.iter().enumerate() {
            for (v, z) in v.iter_mut().zip(self.normals.column(rank + l)) {
                *v += y * z;
            }
        }
    }
}
