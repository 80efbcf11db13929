//! The motion that impulses lead to, recomputed from the data as given, and what acts on each row.
//!
//! v = v_free + 𝓜⁻¹(Σ C̃_i p_i + Σ j̃_k λ_k), with a factor of 𝓜 of its own: nothing that a solver has scaled, ordered or normalised comes in.

use super::{Answer, MassFactor};
use crate::problem::{ContactProblem, Touch, sparse_dot};
use crate::sets::Sets;
use crate::solution::Law;

/// Impulses that give their row less than this part of its free velocity do not connect bodies.
const LEAST_PUSH: f64 = 1e-9;
/// Share of the motion of a whole body that counts among the terms of a row.
const AS_A_WHOLE: f64 = 0.5;

/// What acts on one row: the velocity that the impulses on its bodies give it, body by body, the summed magnitudes of its data and of its impulses, the
/// velocity that the free motion of its bodies would give it if it acted along the row, and its inverse effective mass.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Row {
    pub(crate) given: f64,
    pub(crate) data: f64,
    pub(crate) pushed: f64,
    pub(crate) carried: f64,
    pub(crate) delta: f64,
}

impl Row {
    /// Adds what acts through one body: its part of the inverse effective mass, its motion as a whole, and its part of the row with the change of its velocity, the
    /// magnitudes of what it is summed from, and its free velocity.
    #[inline]
    fn add(&mut self, delta: f64, moved: [f64; 2], (part, [change, magnitude, v_free]): (&[f64], [&[f64]; 3])) {
        let (size, mut given) = (delta.sqrt(), 0.0);
        self.delta += delta;
        self.pushed += AS_A_WHOLE * size * moved[0];
        self.carried += AS_A_WHOLE * size * moved[1];
        for (((x, dv), magnitude), v) in part.iter().zip(change).zip(magnitude).zip(v_free) {
            given += x * dv;
            self.pushed += x.abs() * magnitude;
            self.data += (x * v).abs();
        }
        self.given += given.abs();
    }
}

/// Normal and tangents of a contact: velocity with and without impulses, bias included, and what acts on them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rows {
    pub(crate) u: [f64; 3],
    pub(crate) free: [f64; 3],
    pub(crate) acting: [Row; 3],
    /// Nothing is to be judged: the contact does not approach and does not push.
    pub(crate) is_idle: bool,
}

/// The motion of the last answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Motion {
    pub(super) factor: MassFactor,
    pub(crate) velocity: Vec<f64>,
    pub(crate) contact_velocity: Vec<[f64; 3]>,
    /// Contacts that push or approach have their rows; the others have none.
    pub(crate) contacts: Vec<Rows>,
    pub(crate) joints: Vec<Rows>,
    /// v − v_free, and Σ_j |𝓜⁻¹ C̃_j p_j| element by element.
    change: Vec<f64>,
    magnitude: Vec<f64>,
    /// √(xᵀ𝓜x) of each block for x = v − v_free and x = v_free.
    moved: Vec<[f64; 2]>,
    /// Sets of blocks that push on each other.
    sets: Sets,
    /// V of each set, at its root: the largest min(|free velocity|, δ|p|)/√δ of its rows [√J].
    fastest: Vec<f64>,
    /// One impulse over the blocks that its column touches.
    impulse: Vec<f64>,
}

impl Motion {
    /// Moves the bodies of a problem; `all` asks for the rows of other contacts too. Returns whether all numbers are finite.
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
            let mut size = |x: &[f64]| {
                self.impulse.clear();
                self.impulse.extend_from_slice(x);
                let square = self.factor.twice_energy(block, mass, &mut self.impulse);
                // Squares that overflow excuse nothing.
                if square.is_finite() {
                    square.max(0.0).sqrt()
                } else {
                    0.0
                }
            };
            let sizes = [size(&self.change[range.clone()]), size(&problem.v_free()[range])];
            self.moved.push(sizes);
        }
        for i in 0..problem.contact_count() {
            self.add_contact(problem, answer, (i, all(i)));
        }
        for k in 0..problem.joint_count() {
            self.add_joint(problem, k, answer.joint[k]);
        }
        for i in 0..problem.contact_count() {
            let Rows { free, acting, .. } = self.contacts[i];
            let p = [answer.normal[i], answer.friction[i][0], answer.friction[i][1]];
            for k in 0..3 {
                self.count(problem.columns_tilde(i).touches, acting[k].delta, (free[k], p[k]));
            }
        }
        for (k, impulse) in answer.joint.iter().enumerate() {
            let Rows { free, acting, .. } = self.joints[k];
            let delta = acting[0].delta + problem.joint_yield(k).0;
            self.count(problem.joint_tilde(k).0, delta, (free[0], *impulse));
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
        self.magnitude.resize(problem.dof(), 0.0);
        self.change.clear();
        self.change.resize(problem.dof(), 0.0);
        self.sets.reset(problem.block_count());
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
        let is_idle = !(pushes || u[0] < 0.0 || is_asked);
        let mut rows = [Row::default(); 3];
        if !is_idle {
            rows = [0, 1, 2].map(|k| self.row(c.touches, (columns[k], problem.v_free()), b[k]));
        }
        let p = [answer.normal[i], answer.friction[i][0], answer.friction[i][1]];
        for k in 0..3 {
            self.join(c.touches, rows[k].delta * p[k].abs(), free[k].abs());
        }
        self.contacts.push(Rows {
            u,
            free,
            acting: rows,
            is_idle,
        });
    }

    fn add_joint(&mut self, problem: &ContactProblem, k: usize, impulse: f64) {
        let ((touches, column), b) = (problem.joint_tilde(k), problem.joint_bias(k));
        let row = self.row(touches, (column, problem.v_free()), b);
        let of = |v: &[f64]| [sparse_dot(touches, column, v) + b, 0.0, 0.0];
        let (u, free) = (of(&self.velocity), of(problem.v_free()));
        let delta = row.delta + problem.joint_yield(k).0;
        self.join(touches, delta * impulse.abs(), free[0].abs());
        self.joints.push(Rows {
            u,
            free,
            acting: [row, Row::default(), Row::default()],
            is_idle: column.iter().all(|x| *x == 0.0),
        });
    }

    /// v += 𝓜⁻¹x for an impulse x over the touched blocks.
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
        }
    }

    /// Touched blocks push on each other, where the impulse of a row is more than nothing beside its free velocity.
    fn join(&mut self, touches: &[Touch], impulse: f64, free: f64) {
        if impulse > LEAST_PUSH * free {
            self.sets.join_touched(touches);
        }
    }

    /// Counts a row with its free velocity and its impulse for the set of its bodies.
    fn count(&mut self, touches: &[Touch], delta: f64, (free, impulse): (f64, f64)) {
        let speed = free.abs().min(delta * impulse.abs());
        if let (Some(t), true) = (touches.first(), delta > 0.0) {
            let root = self.sets.root(t.block);
            self.fastest[root] = self.fastest[root].max(speed / delta.sqrt());
        }
    }

    /// V of the bodies that push on those touched [√J].
    pub(crate) fn fastest(&mut self, touches: &[Touch]) -> f64 {
        touches.first().map_or(0.0, |t| {
            let root = self.sets.root(t.block);
            self.fastest[root]
        })
    }

    /// What acts on a row with the bias b. A body is computed as a whole, and rounding does not know directions: a part of what its change of motion would
    /// give the row if it acted along it counts among the terms.
    fn row(&mut self, touches: &[Touch], (column, v_free): (&[f64], &[f64]), b: f64) -> Row {
        let mut row = Row {
            data: b.abs(),
            ..Row::default()
        };
        for t in touches {
            let part = &column[t.start..t.start + t.len];
            let lists = [&self.change, &self.magnitude, v_free].map(|list| &list[t.at..t.at + t.len]);
            let moved = self.moved[t.block];
            // Of a body in space all lengths are known when this is compiled.
            let fixed = |list: &[f64]| <[f64; 6]>::try_from(list).ok();
            if let (Some(part), [Some(change), Some(magnitude), Some(v)]) = (fixed(part), lists.map(fixed))
                && let Some(delta) = self.factor.square_of_body(t.block, &part)
            {
                row.add(delta, moved, (&part, [&change, &magnitude, &v]));
            } else {
                self.impulse.clear();
                self.impulse.extend_from_slice(part);
                let delta = self.factor.square(t.block, &mut self.impulse);
                row.add(delta, moved, (part, lists));
            }
        }
        row
    }
}

/// What a problem knows of the surface at a contact, whether it has bodies or a Delassus matrix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Surface {
    pub(crate) mu: f64,
    pub(crate) viscosity: f64,
    /// Slip at the start, and the direction of friction against it where the law takes it from there.
    pub(crate) slip: [f64; 2],
    pub(crate) drag: Option<[f64; 2]>,
}

impl Surface {
    /// The surface at a contact between bodies. Under a law of forces a contact slides by its slip at the start.
    pub(crate) fn of(problem: &ContactProblem, law: Law, i: usize) -> Self {
        let by_start = law.is_acceleration() || problem.is_of_forces();
        Self {
            mu: problem.mu(i),
            viscosity: problem.viscosity(i),
            slip: problem.slip(i),
            drag: if by_start { problem.drag(i) } else { None },
        }
    }
}
