//! The motion that impulses lead to, recomputed from the data as given, and what acts on each row.
//!
//! v = v_free + 𝓜⁻¹(Σ C̃_i p_i + Σ j̃_k λ_k), with a factor of 𝓜 of its own: nothing that a solver has scaled, ordered or normalised comes in.

use super::{Answer, MassFactor};
use crate::problem::{ContactProblem, Touch, sparse_dot};

/// What acts on one row: the velocity that the impulses on its bodies give it, body by body, the summed magnitudes of its terms, the velocity that the free
/// motion of its bodies would give it if it acted along the row, and its inverse effective mass.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Row {
    pub(crate) given: f64,
    pub(crate) terms: f64,
    pub(crate) carried: f64,
    pub(crate) delta: f64,
}

/// Normal and tangents of a contact: velocity with and without impulses, bias included, and what acts on them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rows {
    pub(crate) u: [f64; 3],
    pub(crate) free: [f64; 3],
    pub(crate) rows: [Row; 3],
}

/// The motion of the last answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Motion {
    pub(super) factor: MassFactor,
    pub(crate) velocity: Vec<f64>,
    pub(crate) contact_velocity: Vec<[f64; 3]>,
    /// Contacts that the free motion closes, that push or that are violated have their rows; those that stay open have none.
    pub(crate) contacts: Vec<Rows>,
    pub(crate) joints: Vec<Rows>,
    /// v − v_free, and Σ_j |𝓜⁻¹ C̃_j p_j| + |v_free| element by element.
    change: Vec<f64>,
    magnitude: Vec<f64>,
    /// √(xᵀ𝓜x) of each block for x = v − v_free and x = v_free.
    moved: Vec<[f64; 2]>,
    /// Union–find over blocks that push on each other.
    parent: Vec<usize>,
    /// Largest |free velocity|/√δ of the rows of each set, at its root [√J].
    fastest: Vec<f64>,
    /// One impulse over the blocks that its column touches.
    impulse: Vec<f64>,
}

impl Motion {
    /// Moves the bodies of a problem; `all` asks for the rows of contacts that stay open. Returns whether all numbers are finite.
    pub(crate) fn set(&mut self, problem: &ContactProblem, answer: Answer<'_>, all: impl Fn(usize) -> bool) -> bool {
        self.factor.set(problem);
        self.begin(problem);
        for (i, (theta, f)) in answer.normal.iter().zip(answer.friction).enumerate() {
            if *theta != 0.0 || *f != [0.0; 2] {
                let c = problem.columns_tilde(i);
                let entries = c.normal.iter().zip(c.tangents[0]).zip(c.tangents[1]);
                self.push(
                    c.touches,
                    entries.map(|((n, tx), ty)| n * theta + tx * f[0] + ty * f[1]),
                );
            }
        }
        for (k, x) in answer.joint.iter().enumerate() {
            if *x != 0.0 {
                let (touches, column) = problem.joint_tilde(k);
                self.push(touches, column.iter().map(|j| j * x));
            }
        }
        for (v, dv) in self.velocity.iter_mut().zip(&self.change) {
            *v += dv;
        }
        for block in 0..problem.block_count() {
            let (mass, range) = (problem.mass(block), problem.block_range(block));
            let size = |x: &[f64]| {
                let rows = mass.chunks_exact(x.len()).zip(x);
                let square: f64 = rows
                    .map(|(row, y)| y * row.iter().zip(x).map(|(m, x)| m * x).sum::<f64>())
                    .sum();
                square.max(0.0).sqrt()
            };
            self.moved
                .push([size(&self.change[range.clone()]), size(&problem.v_free()[range])]);
        }
        for i in 0..problem.contact_count() {
            self.add_contact(problem, answer, (i, all(i)));
        }
        for k in 0..problem.joint_count() {
            self.add_joint(problem, k);
        }
        let numbers = self.velocity.iter().chain(&self.magnitude);
        let phi = answer.phi.unwrap_or_default();
        let given = answer.normal.iter().chain(answer.friction.iter().flatten()).chain(phi);
        numbers
            .chain(self.contact_velocity.iter().flatten())
            .chain(given.chain(answer.joint))
            .all(|x| x.is_finite())
    }

    fn begin(&mut self, problem: &ContactProblem) {
        self.velocity.clear();
        self.velocity.extend_from_slice(problem.v_free());
        self.magnitude.clear();
        self.magnitude.extend(problem.v_free().iter().map(|x| x.abs()));
        self.change.clear();
        self.change.resize(problem.dof(), 0.0);
        self.parent.clear();
        self.parent.extend(0..problem.block_count());
        self.fastest.clear();
        self.fastest.resize(problem.block_count(), 0.0);
        self.moved.clear();
        self.contacts.clear();
        self.joints.clear();
        self.contact_velocity.clear();
    }

    fn add_contact(&mut self, problem: &ContactProblem, answer: Answer<'_>, (i, is_asked): (usize, bool)) {
        let (c, b) = (problem.columns_tilde(i), problem.bias(i));
        let columns = [c.normal, c.tangents[0], c.tangents[1]];
        let of = |v: &[f64], k: usize| sparse_dot(c.touches, columns[k], v) + b[k];
        let u = [0, 1, 2].map(|k| of(&self.velocity, k));
        let free = [0, 1, 2].map(|k| of(problem.v_free(), k));
        self.contact_velocity.push(u);
        let pushes = answer.normal[i] != 0.0 || answer.friction[i] != [0.0; 2];
        let mut rows = [Row::default(); 3];
        if pushes || u[0] < 0.0 || free[0] < 0.0 || is_asked {
            rows = [0, 1, 2].map(|k| self.row(c.touches, columns[k], b[k]));
        }
        self.contacts.push(Rows { u, free, rows });
        if pushes || (free[0] < 0.0 && !problem.is_grouped(i)) {
            for (row, speed) in rows.iter().zip(free) {
                self.count(c.touches, row.delta, speed);
            }
        }
    }

    fn add_joint(&mut self, problem: &ContactProblem, k: usize) {
        let ((touches, column), b) = (problem.joint_tilde(k), problem.joint_bias(k));
        let row = self.row(touches, column, b);
        let of = |v: &[f64]| [sparse_dot(touches, column, v) + b, 0.0, 0.0];
        let (u, free) = (of(&self.velocity), of(problem.v_free()));
        let rows = [row, Row::default(), Row::default()];
        self.joints.push(Rows { u, free, rows });
        self.count(touches, row.delta, free[0]);
    }

    /// v += 𝓜⁻¹x for an impulse x over the touched blocks, which now push on each other.
    fn push(&mut self, touches: &[Touch], impulse: impl Iterator<Item = f64>) {
        self.impulse.clear();
        self.impulse.extend(impulse);
        for t in touches {
            let part = &mut self.impulse[t.start..t.start + t.len];
            self.factor.solve(t.block, part);
            for k in 0..t.len {
                self.change[t.at + k] += part[k];
                self.magnitude[t.at + k] += part[k].abs();
            }
            let (a, b) = (self.root(touches[0].block), self.root(t.block));
            self.parent[a.max(b)] = a.min(b);
        }
    }

    fn root(&mut self, mut block: usize) -> usize {
        while self.parent[block] != block {
            self.parent[block] = self.parent[self.parent[block]];
            block = self.parent[block];
        }
        block
    }

    /// Counts a free velocity for the set of its bodies.
    fn count(&mut self, touches: &[Touch], delta: f64, free: f64) {
        if let (Some(t), true) = (touches.first(), delta > 0.0) {
            let root = self.root(t.block);
            self.fastest[root] = self.fastest[root].max(free.abs() / delta.sqrt());
        }
    }

    /// Largest |free velocity|/√δ of the bodies that push on those touched [√J].
    pub(crate) fn fastest(&mut self, touches: &[Touch]) -> f64 {
        touches.first().map_or(0.0, |t| {
            let root = self.root(t.block);
            self.fastest[root]
        })
    }

    /// What acts on a row with the bias b. Its terms are those of c̃ᵀv + b, and for each body the velocity that its whole change of motion
    /// would give the row if it acted along it: a body is computed as a whole, and rounding does not know directions.
    fn row(&mut self, touches: &[Touch], column: &[f64], b: f64) -> Row {
        let mut row = Row {
            terms: b.abs(),
            ..Row::default()
        };
        for t in touches {
            let part = &column[t.start..t.start + t.len];
            self.impulse.clear();
            self.impulse.extend_from_slice(part);
            let delta = self.factor.square(t.block, &mut self.impulse);
            row.delta += delta;
            row.given += sparse_dot(&[*t], column, &self.change).abs();
            row.terms += delta.sqrt() * self.moved[t.block][0];
            row.carried += delta.sqrt() * self.moved[t.block][1];
            for (c, a) in part.iter().zip(&self.magnitude[t.at..]) {
                row.terms += c.abs() * a;
            }
        }
        row
    }
}
