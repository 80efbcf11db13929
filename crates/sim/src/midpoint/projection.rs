//! The least motion, weighed by mass, that takes rows to given values: x = −𝓜⁻¹Aᵀ(A𝓜⁻¹Aᵀ)⁺ r.

use stiction_contact::rows::{PairRow, RowSystem};

use crate::Vec3;
use crate::body::Kind;
use crate::configuration::Configuration;
use crate::joint::{BodyList, MAX_ROW_BODIES};

/// A row on some bodies, and the value by which it is off.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ActiveRow {
    pub(crate) bodies: BodyList,
    pub(crate) parts: [[f64; 6]; MAX_ROW_BODIES],
    pub(crate) value: f64,
    /// Whether it gives way to firm rows, where not all can hold.
    pub(crate) yields: bool,
    /// Inverse of the mass of a rotor that takes part of the change along the row; infinite mass where it is 0.
    pub(crate) compliance: f64,
}

impl ActiveRow {
    /// A firm row on two bodies.
    pub(crate) fn on_pair(pair: [usize; 2], [a, b]: [[f64; 6]; 2], value: f64) -> Self {
        let idle = [0.0; 6];
        Self {
            bodies: BodyList::pair(pair[0], pair[1]),
            parts: [a, b, idle, idle],
            value,
            yields: false,
            compliance: 0.0,
        }
    }

    /// The part of the row for a motion of one body.
    pub(crate) fn along(&self, body: usize, velocity: Vec3, spin: Vec3) -> f64 {
        let parts = self.bodies.iter().zip(&self.parts).filter(|(own, _)| **own == body);
        let of = |[x, y, z, u, v, w]: [f64; 6]| Vec3::new(x, y, z).dot(&velocity) + Vec3::new(u, v, w).dot(&spin);
        parts.map(|(_, part)| of(*part)).sum()
    }

    /// What rows are sorted by: those of one pair of bodies follow each other, those of more bodies come last.
    pub(crate) fn pair(&self) -> [usize; 3] {
        let body = |k: usize| self.bodies.get(k).copied().unwrap_or(0);
        [usize::from(self.bodies.len() > 2), body(0), body(1)]
    }

    /// The bodies that move, with their parts.
    fn moving(&self, at: Configuration<'_>) -> impl Iterator<Item = (usize, &[f64; 6])> {
        let both = (0..self.bodies.len()).map(|k| (self.bodies[k], &self.parts[k]));
        both.filter(move |(body, _)| at.blocks[*body].is_some())
    }
}

/// 𝓜^(−½) of a body where it is: its root is one of M = LLᵀ, in the axes of the body.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Weight {
    translation: Vec3,
    /// Rows of L⁻¹Rᵀ for the inertia.
    rotation: [Vec3; 3],
}

impl Weight {
    /// That of a body; nothing moves one that is not dynamic.
    pub(super) fn of(at: Configuration<'_>, body: usize) -> Self {
        let Kind::Dynamic { mass, inertia_body } = &at.model.bodies[body].kind else {
            return Self::default();
        };
        let s = 1.0 / mass.sqrt();
        if at.model.settings.planar {
            let turn = Vec3::new(0.0, 0.0, 1.0 / inertia_body.m33.sqrt());
            return Self {
                translation: Vec3::new(s, s, 0.0),
                rotation: [Vec3::zeros(), Vec3::zeros(), turn],
            };
        }
        // L has the rows (a, 0, 0), (b, c, 0), (d, e, f).
        let a = inertia_body.m11.sqrt();
        let b = inertia_body.m21 / a;
        let c = (inertia_body.m22 - b * b).sqrt();
        let d = inertia_body.m31 / a;
        let e = (inertia_body.m32 - d * b) / c;
        let f = (inertia_body.m33 - d * d - e * e).sqrt();
        let axes = at.bodies[body].pose.rotation.to_rotation_matrix().into_inner();
        let [x, y, z] = [0, 1, 2].map(|k| Vec3::from(axes.column(k)));
        let x = x / a;
        let y = (y - b * x) / c;
        Self {
            translation: Vec3::new(s, s, s),
            rotation: [x, y, (z - d * x - e * y) / f],
        }
    }

    /// A row in coordinates in which the mass is one: row · 𝓜^(−½).
    pub(super) fn normalise(&self, row: &[f64; 6]) -> [f64; 6] {
        let (s, turn) = (self.translation, Vec3::new(row[3], row[4], row[5]));
        let [x, y, z] = self.rotation.map(|axis| axis.dot(&turn));
        [s.x * row[0], s.y * row[1], s.z * row[2], x, y, z]
    }

    /// A motion in such coordinates as translation and rotation in the world.
    fn motion(&self, x: &[f64; 6]) -> (Vec3, Vec3) {
        let shift = self.translation.component_mul(&Vec3::new(x[0], x[1], x[2]));
        let [a, b, c] = self.rotation;
        (shift, x[3] * a + x[4] * b + x[5] * c)
    }
}

/// Compliance of rows that yield, as a share of the inverse mass along them: it bounds what rows that contradict each other do.
const YIELDING: f64 = 1e-3;
/// A row on more than two bodies of which less than this part, squared, is left beside the others follows from them.
const FOLLOWS: f64 = 1e-11;

/// Finds such motions; keeps its buffers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Projection {
    system: RowSystem,
    /// By body.
    weights: Vec<Weight>,
    /// Rows in the order in which the system has them, with their pairs: those of one pair follow each other.
    order: Vec<([usize; 3], usize)>,
    values: Vec<f64>,
    multipliers: Vec<f64>,
    /// Rows on more than two bodies that move, by number.
    wide: Vec<usize>,
    /// By body, mass-normalised: the motion, and for each wide row what the others leave of it.
    motion: Vec<[f64; 6]>,
    left: Vec<Vec<[f64; 6]>>,
    /// Product of each wide row with what is left of it.
    squares: Vec<f64>,
}

fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn add(to: &mut [f64; 6], share: f64, x: &[f64; 6]) {
    for (to, x) in to.iter_mut().zip(x) {
        *to += share * x;
    }
}

impl Projection {
    /// Finds the motion of bodies, where they are, that takes the values of rows away. The motion is written as (body, translation, rotation). Returns
    /// ½ rᵀ(A𝓜⁻¹Aᵀ)⁺ r: where values are velocities, the kinetic energy that this takes; with rows that yield also what their compliance takes, ½ λᵀCλ.
    pub(crate) fn solve(
        &mut self,
        at: Configuration<'_>,
        rows: &[ActiveRow],
        out: &mut Vec<(usize, Vec3, Vec3)>,
    ) -> f64 {
        self.set(at, rows);
        self.find(at, rows, out)
    }

    /// The same for rows as they were in the last solve, at a place so near that they count as the same; where they are others, anew.
    pub(crate) fn solve_near(
        &mut self,
        at: Configuration<'_>,
        rows: &[ActiveRow],
        out: &mut Vec<(usize, Vec3, Vec3)>,
    ) -> f64 {
        let known = self
            .order
            .iter()
            .all(|(pair, k)| rows.get(*k).is_some_and(|row| row.pair() == *pair));
        if !(known && self.order.len() == rows.len() && self.wide.is_empty()) {
            return self.solve(at, rows, out);
        }
        self.find(at, rows, out)
    }

    /// Impulses that the last solve gave along the rows, in their order; all are 0 beside rows on more than two bodies that move, whose solves replace the multipliers of the others.
    pub(crate) fn write_impulses(&self, out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.order.len(), 0.0);
        if self.wide.is_empty() {
            for ((_, row), multiplier) in self.order.iter().zip(&self.multipliers) {
                out[*row] = -multiplier;
            }
        }
    }

    /// Takes rows in.
    fn set(&mut self, at: Configuration<'_>, rows: &[ActiveRow]) {
        self.weights.clear();
        self.weights
            .extend((0..at.bodies.len()).map(|body| match at.blocks[body] {
                Some(_) => Weight::of(at, body),
                None => Weight::default(),
            }));
        self.order.clear();
        self.order
            .extend(rows.iter().enumerate().map(|(k, row)| (row.pair(), k)));
        self.order.sort_unstable();
        self.system.clear();
        self.wide.clear();
        for (_, k) in &self.order {
            let row = &rows[*k];
            if row.moving(at).count() > 2 {
                self.wide.push(*k);
            } else {
                self.system.push(pair_row(at, row, &self.weights));
            }
        }
        self.system.factor();
    }

    /// Finds the motion for the values of rows.
    fn find(&mut self, at: Configuration<'_>, rows: &[ActiveRow], out: &mut Vec<(usize, Vec3, Vec3)>) -> f64 {
        let narrow = self.order.iter().map(|(_, k)| k).filter(|k| !self.wide.contains(k));
        self.values.clear();
        self.values.extend(narrow.map(|k| rows[*k].value));
        self.multipliers.resize(self.values.len(), 0.0);
        let energy = self.system.solve(&self.values, &mut self.multipliers);
        // (S + C)λ = r and x = −𝓜⁻¹Aᵀλ: the energy falls by rᵀλ − ½ λᵀSλ = ½ rᵀλ + ½ λᵀCλ.
        let yielded = self.system.rows().iter().zip(&self.multipliers);
        let energy = energy + yielded.map(|(row, x)| 0.5 * row.compliance * x * x).sum::<f64>();
        out.clear();
        let weights = &self.weights;
        if self.wide.is_empty() {
            self.system.gather(|body, x| {
                let (shift, turn) = weights[body].motion(x);
                out.push((body, -shift, -turn));
            });
            return energy;
        }
        let energy = energy + self.solve_wide(at, rows);
        for (body, x) in self.motion.iter().enumerate() {
            if *x != [0.0; 6] {
                let (shift, turn) = self.weights[body].motion(x);
                out.push((body, -shift, -turn));
            }
        }
        energy
    }

    /// Adds to the motion what takes the values of wide rows away, one after the other, without what others have lost: with P the rows of pairs and D their compliance,
    /// what is left of a wide row w is w − Pᵀ(PPᵀ + D)⁻¹Pw, less its shares of those before. Wide rows are few: each costs a solve of the others.
    fn solve_wide(&mut self, at: Configuration<'_>, rows: &[ActiveRow]) -> f64 {
        let count = at.bodies.len();
        self.motion.clear();
        self.motion.resize(count, [0.0; 6]);
        let motion = &mut self.motion;
        self.system.gather(|body, x| add(&mut motion[body], 1.0, x));
        self.left.resize(self.left.len().max(self.wide.len()), Vec::new());
        self.squares.clear();
        let mut energy = 0.0;
        for (n, k) in self.wide.iter().enumerate() {
            let row = &rows[*k];
            let (before, rest) = self.left.split_at_mut(n);
            let left = &mut rest[0];
            left.clear();
            left.resize(count, [0.0; 6]);
            let weights = &self.weights;
            let own = || row.moving(at).map(|(body, part)| (body, weights[body].normalise(part)));
            let along = |x: &[[f64; 6]]| -> f64 { own().map(|(body, part)| dot(&part, &x[body])).sum() };
            own().for_each(|(body, part)| left[body] = part);
            for (value, pair) in self.values.iter_mut().zip(self.system.rows()) {
                let both = pair.bodies.iter().zip(&pair.parts);
                *value = both
                    .filter_map(|(body, part)| body.map(|body| dot(part, &left[body])))
                    .sum();
            }
            let whole = along(left);
            self.system.solve(&self.values, &mut self.multipliers);
            self.system.gather(|body, x| add(&mut left[body], -1.0, x));
            for (earlier, square) in before.iter().zip(&self.squares) {
                let share = along(earlier) / square;
                for (to, x) in left.iter_mut().zip(earlier) {
                    add(to, -share, x);
                }
            }
            let square = along(left);
            if square <= FOLLOWS * whole {
                left.fill([0.0; 6]);
                self.squares.push(1.0);
                continue;
            }
            let missing = row.value - along(&self.motion);
            energy += 0.5 * missing * missing / square;
            for (to, x) in self.motion.iter_mut().zip(left.iter()) {
                add(to, missing / square, x);
            }
            self.squares.push(square);
        }
        energy
    }
}

/// A row of which two bodies move at most, as the system has it.
fn pair_row(at: Configuration<'_>, row: &ActiveRow, weights: &[Weight]) -> PairRow {
    let mut pair = PairRow {
        bodies: [None; 2],
        parts: [[0.0; 6]; 2],
        compliance: row.compliance,
    };
    if row.bodies.len() <= 2 {
        for (k, body) in row.bodies.iter().enumerate() {
            if at.blocks[*body].is_some() {
                pair.bodies[k] = Some(*body);
                pair.parts[k] = weights[*body].normalise(&row.parts[k]);
            }
        }
    } else {
        for (k, (body, part)) in row.moving(at).enumerate() {
            (pair.bodies[k], pair.parts[k]) = (Some(body), weights[body].normalise(part));
        }
    }
    if row.yields {
        pair.compliance = YIELDING * pair.parts.iter().flatten().map(|x| x * x).sum::<f64>();
    }
    pair
}
