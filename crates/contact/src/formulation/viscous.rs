//! Viscous friction as a problem without friction \[Drumwright IV\].
//!
//! *Explicit*, as printed: the friction −c s of the slip s at the start is known, and moves the bodies before the contacts act.
//! *Implicit*: the friction −c u_t of the velocity at the end adds to the mass, 𝓜′ = 𝓜 + Σ c tᵀt, and the problem without friction is
//! that of 𝓜′ and 𝓜′v′ = 𝓜v_free − Σ c b_t t. In mass-normalised coordinates, with Q an orthonormal basis of the tangents t and
//! g = Qᵀt, 𝓜′ is the identity beside Q and H = I + Σ c ggᵀ = LLᵀ along it: a column a becomes a + Q(L⁻¹ − I)Qᵀa. Tangents
//! with the largest c are taken first, so that H is graded and c may be as large as it likes. The friction is taken from Qᵀv, which is
//! small where c is large, not from v, where it would drown.

use crate::joint_span::Groups;
use crate::mass::{backward_by_rows, forward_by_rows};
use crate::problem::{ContactProblem, sparse_dot};
use crate::solver::Impulses;
use crate::solver::find_indices::{Basis, dot};
use crate::stamp::Stamp;

/// Tangents whose c is within this factor are offered to the basis together.
const STAGE: f64 = 1e3;

/// One of the two forms, and the way back.
#[derive(Debug, Clone, Default)]
pub(crate) struct Viscous {
    stamp: Option<(Stamp, bool)>,
    /// The problem without friction.
    pub(crate) hat: ContactProblem,
    basis: Basis,
    groups: Groups,
    indices: Vec<usize>,
    /// Contacts with viscosity, the largest first.
    list: Vec<usize>,
    stage: Vec<usize>,
    /// Qᵀt of both tangents of each contact in `list`.
    g: Vec<f64>,
    /// Row-major, lower.
    L: Vec<f64>,
    /// A velocity, and two products with Qᵀ.
    v: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Viscous {
    /// Makes the problem without friction.
    pub(crate) fn set(&mut self, problem: &ContactProblem, explicit: bool) {
        let met = self
            .stamp
            .is_some_and(|(stamp, form)| form == explicit && stamp.is(problem.stamp()));
        self.stamp = Some((problem.stamp(), explicit));
        if explicit {
            if !met {
                self.hat.copy_from(problem);
            }
            self.push_explicitly(problem);
        } else {
            if !met {
                self.set_basis(problem);
                self.factor(problem);
                self.set_hat(problem);
            }
            self.push_implicitly(problem);
        }
    }

    /// v_free − 𝓜⁻¹ Σ c s t.
    fn push_explicitly(&mut self, problem: &ContactProblem) {
        self.v.clear();
        self.v.extend_from_slice(problem.k_x());
        for i in 0..problem.contact_count() {
            let f = problem.viscous_drag(i);
            if f != [0.0; 2] {
                problem.push(i, [0.0, f[0], f[1]], &mut self.v);
            }
        }
        self.hat.set_normalised_velocity(&self.v);
    }

    fn set_basis(&mut self, problem: &ContactProblem) {
        let strength = |i: usize| problem.viscosity(i);
        self.list.clear();
        self.list
            .extend((0..problem.contact_count()).filter(|i| strength(*i) > 0.0));
        self.list
            .sort_by(|a, b| strength(*b).total_cmp(&strength(*a)).then(a.cmp(b)));
        self.basis.clear(problem.dof());
        let mut rest = &self.list[..];
        while let Some(first) = rest.first() {
            let least = strength(*first) / STAGE;
            let len = rest.iter().take_while(|i| strength(**i) >= least).count();
            self.stage.clear();
            self.stage.extend_from_slice(&rest[..len]);
            rest = &rest[len..];
            self.groups.pick(problem, &mut self.stage, &[1, 2]);
            self.indices.clear();
            let picked = &self.groups.picked;
            let fill = |k: usize, column: &mut [f64]| {
                let (i, axis) = picked[k];
                problem.push(i, std::array::from_fn(|a| f64::from(u8::from(a == axis))), column);
            };
            self.basis.find_indices(picked.len(), fill, &mut self.indices);
        }
    }

    /// H = I + Σ c ggᵀ and its factor.
    fn factor(&mut self, problem: &ContactProblem) {
        let rank = self.basis.rank();
        self.g.clear();
        self.L.clear();
        self.L.resize(rank * rank, 0.0);
        for k in 0..rank {
            self.L[k * rank + k] = 1.0;
        }
        for i in &self.list {
            let (columns, c) = (problem.columns(*i), problem.viscosity(*i));
            for tangent in columns.tangents {
                let start = self.g.len();
                let products = self.basis.columns().map(|q| sparse_dot(columns.touches, tangent, q));
                self.g.extend(products);
                let g = &self.g[start..];
                for r in 0..rank {
                    for k in 0..=r {
                        self.L[r * rank + k] += c * g[r] * g[k];
                    }
                }
            }
        }
        for k in 0..rank {
            for r in k..rank {
                let (row, other) = (&self.L[r * rank..r * rank + k], &self.L[k * rank..k * rank + k]);
                let entry = self.L[r * rank + k] - dot(row, other);
                // H ≥ I: a pivot is never below 1.
                self.L[r * rank + k] = if r == k {
                    entry.max(1.0).sqrt()
                } else {
                    entry / self.L[k * rank + k]
                };
            }
        }
    }

    fn set_hat(&mut self, problem: &ContactProblem) {
        self.hat.set_dense(problem.dof());
        for i in 0..problem.contact_count() {
            self.v.clear();
            self.v.resize(problem.dof(), 0.0);
            problem.push(i, [1.0, 0.0, 0.0], &mut self.v);
            self.stiffen(0.0);
            let v = &self.v;
            self.hat
                .push_dense(problem.bias(i)[0], problem.key(i), |column| column.copy_from_slice(v));
        }
        for k in 0..problem.joint_count() {
            self.v.clear();
            self.v.resize(problem.dof(), 0.0);
            problem.push_joint(k, 1.0, &mut self.v);
            self.stiffen(0.0);
            let v = &self.v;
            self.hat
                .push_dense_joint((problem, k), |column| column.copy_from_slice(v));
        }
    }

    /// a ← a + Q(L⁻¹(Qᵀa − `with_bias` y) − Qᵀa) for the column in `v`.
    fn stiffen(&mut self, with_bias: f64) {
        self.x.clear();
        self.x.extend(self.basis.columns().map(|q| dot(q, &self.v)));
        for (x, y) in self.x.iter_mut().zip(&self.y) {
            *x -= with_bias * y;
        }
        forward_by_rows(&self.L, &mut self.x);
        for (q, x) in self.basis.columns().zip(&self.x) {
            let change = x - dot(q, &self.v);
            for (v, q) in self.v.iter_mut().zip(q) {
                *v += change * q;
            }
        }
    }

    /// L⁻¹(k − Σ c b_t t).
    fn push_implicitly(&mut self, problem: &ContactProblem) {
        self.set_bias_pull(problem);
        self.v.clear();
        self.v.extend_from_slice(problem.k_x());
        self.stiffen(1.0);
        let v = &self.v;
        self.hat.set_dense_velocity(|k| k.copy_from_slice(v));
    }

    /// y = Qᵀ Σ c b_t t.
    fn set_bias_pull(&mut self, problem: &ContactProblem) {
        let rank = self.basis.rank();
        self.y.clear();
        self.y.resize(rank, 0.0);
        for (i, g) in self.list.iter().zip(self.g.chunks_exact((2 * rank).max(1))) {
            let (b, c) = (problem.bias(*i), problem.viscosity(*i));
            for (axis, g) in g.chunks_exact(rank).enumerate() {
                for (y, g) in self.y.iter_mut().zip(g) {
                    *y += c * b[axis + 1] * g;
                }
            }
        }
    }

    /// Adds the friction to impulses that `hat` has led to.
    pub(crate) fn take(&mut self, problem: &ContactProblem, explicit: bool, impulses: &mut Impulses) {
        if explicit {
            for (i, f) in impulses.friction.iter_mut().enumerate() {
                *f = problem.viscous_drag(i);
            }
            return;
        }
        // Qᵀv = H⁻¹Qᵀ(k + Nθ + Jλ − Σ c b_t t)
        self.v.clear();
        self.v.extend_from_slice(problem.k_x());
        for (i, theta) in impulses.normal.iter().enumerate() {
            problem.push(i, [*theta, 0.0, 0.0], &mut self.v);
        }
        for (k, x) in impulses.joint.iter().enumerate() {
            problem.push_joint(k, *x, &mut self.v);
        }
        self.set_bias_pull(problem);
        self.x.clear();
        let along = self.basis.columns().zip(&self.y).map(|(q, y)| dot(q, &self.v) - y);
        self.x.extend(along);
        forward_by_rows(&self.L, &mut self.x);
        backward_by_rows(&self.L, &mut self.x);
        impulses.friction.fill([0.0; 2]);
        let rank = self.basis.rank();
        for (i, g) in self.list.iter().zip(self.g.chunks_exact((2 * rank).max(1))) {
            let (b, c) = (problem.bias(*i), problem.viscosity(*i));
            for (axis, g) in g.chunks_exact(rank).enumerate() {
                if axis == 0 || !problem.is_planar(*i) {
                    impulses.friction[*i][axis] = -c * (dot(g, &self.x) + b[axis + 1]);
                }
            }
        }
    }
}
