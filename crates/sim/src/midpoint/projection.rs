//! The least motion, weighed by mass, that takes rows to given values: x = −𝓜⁻¹Aᵀ(A𝓜⁻¹Aᵀ)⁺ r.

use stiction_contact::rows::{PairRow, RowSystem};

use crate::Vec3;
use crate::body::Kind;
use crate::configuration::Configuration;

/// A row on two bodies, and the value by which it is off.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ActiveRow {
    pub(crate) bodies: [usize; 2],
    pub(crate) parts: [[f64; 6]; 2],
    pub(crate) value: f64,
    /// Whether it gives way to firm rows, where not all can hold.
    pub(crate) yields: bool,
}

/// Compliance of rows that yield, as a share of the inverse mass along them: it bounds what rows that contradict each other do.
const YIELDING: f64 = 1e-3;

/// Share of a row by which it may differ from one that is factored, and be taken for it.
const NEAR: f64 = 1e-2;
/// Turns in which a factor of such rows takes away what it has left, at most, and the share of the first values that may stay.
const TURNS: usize = 5;
const LEFT: f64 = 1e-10;

/// Finds such motions; keeps its buffers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Projection {
    system: RowSystem,
    values: Vec<f64>,
    compliances: Vec<f64>,
    multipliers: Vec<f64>,
    /// Rows that are factored.
    factored: Vec<ActiveRow>,
    /// Motion of each body, for a moment.
    motion: Vec<(Vec3, Vec3)>,
}

impl Projection {
    /// Finds the motion of bodies, where they are, that takes the values of rows away. Rows of one pair of bodies follow each other. The motion is written as (body, translation,
    /// rotation), some bodies more than once. Returns ½ rᵀ(A𝓜⁻¹Aᵀ)⁺ r: where values are velocities, the kinetic energy that this takes; with rows that yield also what their
    /// compliance takes, ½ λᵀCλ.
    ///
    /// With `reuse` the last factor serves again where the rows are nearly those that were factored; what it leaves is taken away in further turns.
    pub(crate) fn solve(
        &mut self,
        (at, reuse): (Configuration<'_>, bool),
        rows: &[ActiveRow],
        out: &mut Vec<(usize, Vec3, Vec3)>,
    ) -> f64 {
        let is_near = reuse && self.is_near(rows);
        if !is_near {
            self.factor(at, rows);
        }
        self.values.clear();
        self.values.extend(rows.iter().map(|row| row.value));
        out.clear();
        let energy = self.add_motion(at, out);
        let first = largest(&self.values);
        for _ in 0..if is_near { TURNS } else { 0 } {
            self.set_left(at, rows, out);
            if largest(&self.values) <= LEFT * first {
                break;
            }
            self.add_motion(at, out);
        }
        energy
    }

    /// Values that a motion leaves.
    fn set_left(&mut self, at: Configuration<'_>, rows: &[ActiveRow], moves: &[(usize, Vec3, Vec3)]) {
        self.motion.clear();
        self.motion.resize(at.bodies.len(), (Vec3::zeros(), Vec3::zeros()));
        for (body, shift, turn) in moves {
            self.motion[*body].0 += shift;
            self.motion[*body].1 += turn;
        }
        for (value, row) in self.values.iter_mut().zip(rows) {
            *value = row.value;
            for (body, part) in row.bodies.iter().zip(&row.parts) {
                let (shift, turn) = self.motion[*body];
                *value += part[0] * shift.x + part[1] * shift.y + part[2] * shift.z;
                *value += part[3] * turn.x + part[4] * turn.y + part[5] * turn.z;
            }
        }
    }

    /// Adds the motion that takes the values away, by the factor there is.
    fn add_motion(&mut self, at: Configuration<'_>, out: &mut Vec<(usize, Vec3, Vec3)>) -> f64 {
        self.multipliers.resize(self.values.len(), 0.0);
        let energy = self.system.solve(&self.values, &mut self.multipliers);
        // (S + C)λ = r and x = −𝓜⁻¹Aᵀλ: the energy falls by rᵀλ − ½ λᵀSλ = ½ rᵀλ + ½ λᵀCλ.
        let yielded = self.compliances.iter().zip(&self.multipliers);
        let yielded: f64 = yielded.map(|(c, lambda)| 0.5 * c * lambda * lambda).sum();
        self.system.gather(|body, x| {
            let (shift, turn) = denormalised(at, body, x);
            out.push((body, -shift, -turn));
        });
        energy + yielded
    }

    /// Whether the rows that are factored are nearly these, one for one. Rows that yield are not to be taken away wholly, and not in turns.
    fn is_near(&self, rows: &[ActiveRow]) -> bool {
        let near = |(x, y): (&ActiveRow, &ActiveRow)| {
            let (x_parts, y_parts) = (x.parts.iter().flatten(), y.parts.iter().flatten());
            let size = x_parts.clone().fold(0.0, |m: f64, x| m.max(x.abs()));
            let same = x.bodies == y.bodies && !x.yields && !y.yields;
            same && x_parts.zip(y_parts).all(|(x, y)| (x - y).abs() <= NEAR * size)
        };
        rows.len() == self.factored.len() && rows.iter().zip(&self.factored).all(near)
    }

    /// Factors A𝓜⁻¹Aᵀ.
    fn factor(&mut self, at: Configuration<'_>, rows: &[ActiveRow]) {
        self.system.clear();
        self.factored.clear();
        self.factored.extend_from_slice(rows);
        self.compliances.clear();
        for row in rows {
            let moves = row.bodies.map(|body| at.blocks[body].is_some());
            let part = |k: usize| {
                if moves[k] {
                    normalised(at, row.bodies[k], &row.parts[k])
                } else {
                    [0.0; 6]
                }
            };
            let parts = [part(0), part(1)];
            let inverse_mass: f64 = parts.iter().flatten().map(|x| x * x).sum();
            let compliance = if row.yields { YIELDING * inverse_mass } else { 0.0 };
            self.system.push(PairRow {
                bodies: [0, 1].map(|k| moves[k].then_some(row.bodies[k])),
                parts,
                compliance,
            });
            self.compliances.push(compliance);
        }
        self.system.factor();
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, x| m.max(x.abs()))
}

/// A row of a body in coordinates in which its mass is one: row · 𝓜^(−½).
pub(super) fn normalised(at: Configuration<'_>, body: usize, row: &[f64; 6]) -> [f64; 6] {
    let Kind::Dynamic { mass, inertia_body } = &at.model.bodies[body].kind else {
        return [0.0; 6];
    };
    let s = 1.0 / mass.sqrt();
    let turn = Vec3::new(row[3], row[4], row[5]);
    if at.model.settings.planar {
        let z = turn.z / inertia_body[(2, 2)].sqrt();
        return [s * row[0], s * row[1], 0.0, 0.0, 0.0, z];
    }
    let l = lower(inertia_body);
    let t = at.bodies[body].pose.direction_in_body(turn);
    let x = t.x / l[0];
    let y = (t.y - l[1] * x) / l[2];
    let z = (t.z - l[3] * x - l[4] * y) / l[5];
    [s * row[0], s * row[1], s * row[2], x, y, z]
}

/// A motion in such coordinates as translation and rotation in the world.
fn denormalised(at: Configuration<'_>, body: usize, x: &[f64; 6]) -> (Vec3, Vec3) {
    let Kind::Dynamic { mass, inertia_body } = &at.model.bodies[body].kind else {
        return (Vec3::zeros(), Vec3::zeros());
    };
    let s = 1.0 / mass.sqrt();
    let shift = Vec3::new(s * x[0], s * x[1], s * x[2]);
    if at.model.settings.planar {
        return (shift, Vec3::new(0.0, 0.0, x[5] / inertia_body[(2, 2)].sqrt()));
    }
    let l = lower(inertia_body);
    let c = x[5] / l[5];
    let b = (x[4] - l[4] * c) / l[2];
    let a = (x[3] - l[1] * b - l[3] * c) / l[0];
    (shift, at.bodies[body].pose.direction(Vec3::new(a, b, c)))
}

/// Lower factor of an inertia: l₁₁, l₂₁, l₂₂, l₃₁, l₃₂, l₃₃.
fn lower(inertia: &crate::Mat3) -> [f64; 6] {
    let a = inertia.m11.sqrt();
    let b = inertia.m21 / a;
    let c = (inertia.m22 - b * b).sqrt();
    let d = inertia.m31 / a;
    let e = (inertia.m32 - d * b) / c;
    [a, b, c, d, e, (inertia.m33 - d * d - e * e).sqrt()]
}
