//! The least motion, weighed by mass, that takes rows to given values: x = −𝓜⁻¹Aᵀ(A𝓜⁻¹Aᵀ)⁺ r.
//!
//! Rows of one pair of bodies are a function of the relative motion of two bodies, six numbers: in mass-normalised coordinates they are replaced by at most six
//! orthonormal rows, and values that contradict each other by their least-squares mean. What is left is a symmetric matrix with a block for every two
//! pairs that share a body. It is factored block by block in an order that keeps few blocks: for joints that form trees this takes time linear in their
//! number. A row that follows from rows before it, as in loops, has no pivot and is left out.

use crate::Vec3;
use crate::body::Kind;
use crate::configuration::Configuration;

/// Orthonormal rows of a pair, at most.
const MOST: usize = 6;
/// Part of a unit row, squared, below which it follows from others.
const FOLLOWS: f64 = 1e-11;

/// A matrix of up to six rows and columns.
type Block = [[f64; MOST]; MOST];

/// A row on two bodies, and the value by which it is off.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ActiveRow {
    pub(crate) bodies: [usize; 2],
    pub(crate) parts: [[f64; 6]; 2],
    pub(crate) value: f64,
}

/// All rows of a pair of bodies.
#[derive(Debug, Clone)]
struct Pair {
    /// Blocks of the two bodies; none for a body that does not move.
    blocks: [Option<usize>; 2],
    bodies: [usize; 2],
    /// Orthonormal rows in mass-normalised coordinates, and what each is to change by.
    basis: [[[f64; 6]; 2]; MOST],
    values: [f64; MOST],
    rank: usize,
}

/// The factored matrix; keeps its buffers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Projection {
    pairs: Vec<Pair>,
    /// Rows of the pair at hand: in mass-normalised coordinates, and their values.
    rows: Vec<([[f64; 6]; 2], f64)>,
    /// Pairs in the order of elimination, and the place of each in it.
    order: Vec<usize>,
    place: Vec<usize>,
    /// Pairs that are eliminated later and share a block with one, by place; and these blocks.
    later: Vec<Vec<usize>>,
    factor: Vec<Vec<Block>>,
    diagonal: Vec<Block>,
    /// Blocks of bodies of the last elimination order: while they stay the same, so does the order.
    shape: Vec<[Option<usize>; 2]>,
    neighbours: Vec<Vec<usize>>,
}

fn dot(a: &[[f64; 6]; 2], b: &[[f64; 6]; 2]) -> f64 {
    let part = |k: usize| a[k].iter().zip(&b[k]).map(|(x, y)| x * y).sum::<f64>();
    part(0) + part(1)
}

fn subtract(a: &mut [[f64; 6]; 2], share: f64, b: &[[f64; 6]; 2]) {
    for k in 0..2 {
        for c in 0..6 {
            a[k][c] -= share * b[k][c];
        }
    }
}

impl Projection {
    /// Factors the rows, sorted by pair of bodies, for bodies where they are; and finds the motion that takes their values away. It is written as (body,
    /// translation, rotation). Returns ½ rᵀ(A𝓜⁻¹Aᵀ)⁺ r: where values are velocities, the kinetic energy that this takes.
    pub(crate) fn solve(
        &mut self,
        at: Configuration<'_>,
        rows: &[ActiveRow],
        out: &mut Vec<(usize, Vec3, Vec3)>,
    ) -> f64 {
        out.clear();
        self.set_pairs(at, rows);
        self.set_order();
        self.eliminate();
        self.substitute();
        let energy: f64 = self.pairs.iter().map(energy_of).sum();
        self.gather(at, out);
        energy
    }

    /// Orthonormal rows of every pair.
    fn set_pairs(&mut self, at: Configuration<'_>, rows: &[ActiveRow]) {
        self.pairs.clear();
        for group in rows.chunk_by(|x, y| x.bodies == y.bodies) {
            let bodies = group[0].bodies;
            let blocks = bodies.map(|body| at.blocks[body]);
            self.rows.clear();
            for row in group {
                let mut parts = [[0.0; 6]; 2];
                for k in 0..2 {
                    if blocks[k].is_some() {
                        parts[k] = normalised(at, bodies[k], &row.parts[k]);
                    }
                }
                self.rows.push((parts, row.value));
            }
            let mut pair = Pair {
                blocks,
                bodies,
                basis: [[[0.0; 6]; 2]; MOST],
                values: [0.0; MOST],
                rank: 0,
            };
            pair.orthonormalise(&self.rows);
            if pair.rank > 0 {
                self.pairs.push(pair);
            }
        }
    }

    /// The order of elimination: always the pair with the fewest neighbours, then the first.
    fn set_order(&mut self) {
        let n = self.pairs.len();
        let same = self.shape.len() == n && self.shape.iter().zip(&self.pairs).all(|(s, p)| *s == p.blocks);
        if same {
            return;
        }
        self.shape.clear();
        self.shape.extend(self.pairs.iter().map(|p| p.blocks));
        let shares = |x: &[Option<usize>; 2], y: &[Option<usize>; 2]| x.iter().flatten().any(|b| y.contains(&Some(*b)));
        let adjacent = &mut self.neighbours;
        adjacent.iter_mut().for_each(Vec::clear);
        adjacent.resize(n.max(adjacent.len()), Vec::new());
        for i in 0..n {
            for j in 0..i {
                if shares(&self.shape[i], &self.shape[j]) {
                    adjacent[i].push(j);
                    adjacent[j].push(i);
                }
            }
        }
        self.place.clear();
        self.place.resize(n, usize::MAX);
        self.order.clear();
        self.later.iter_mut().for_each(Vec::clear);
        self.later.resize(n.max(self.later.len()), Vec::new());
        for step in 0..n {
            let left = (0..n).filter(|i| self.place[*i] == usize::MAX);
            let Some(next) = left.min_by_key(|i| adjacent[*i].len()) else {
                break;
            };
            self.place[next] = step;
            self.order.push(next);
            let around = std::mem::take(&mut adjacent[next]);
            for &i in &around {
                adjacent[i].retain(|j| *j != next);
                for &j in &around {
                    if i != j && !adjacent[i].contains(&j) {
                        adjacent[i].push(j);
                    }
                }
            }
            self.later[step].extend(&around);
            adjacent[next] = around;
        }
        for step in 0..n {
            let place = &self.place;
            self.later[step].sort_unstable_by_key(|i| place[*i]);
        }
    }

    /// L Lᵀ = the matrix, block by block; rows without a pivot are left out.
    fn eliminate(&mut self) {
        let n = self.pairs.len();
        self.diagonal.clear();
        self.diagonal.resize(n, [[0.0; MOST]; MOST]);
        self.factor.resize(n.max(self.factor.len()), Vec::new());
        for step in 0..n {
            let i = self.order[step];
            for (r, row) in self.diagonal[step].iter_mut().enumerate().take(self.pairs[i].rank) {
                row[r] = 1.0;
            }
            self.factor[step].clear();
            for &j in &self.later[step] {
                self.factor[step].push(product(&self.pairs[j], &self.pairs[i]));
            }
        }
        for step in 0..n {
            let rank = self.pairs[self.order[step]].rank;
            cholesky(&mut self.diagonal[step], rank);
            let diagonal = self.diagonal[step];
            for k in 0..self.later[step].len() {
                let rows = self.pairs[self.later[step][k]].rank;
                divide(&mut self.factor[step][k], &diagonal, [rows, rank]);
            }
            for k in 0..self.later[step].len() {
                let (j, from) = (self.later[step][k], self.factor[step][k]);
                let at_j = self.place[j];
                let rows = self.pairs[j].rank;
                take_away(&mut self.diagonal[at_j], &from, &from, [rows, rows, rank]);
                for m in k + 1..self.later[step].len() {
                    let (l, below) = (self.later[step][m], self.factor[step][m]);
                    // The two are neighbours now, and so is their block: l is eliminated after j.
                    if let Some(where_l) = self.later[at_j].iter().position(|x| *x == l) {
                        let count = [self.pairs[l].rank, rows, rank];
                        take_away(&mut self.factor[at_j][where_l], &below, &from, count);
                    }
                }
            }
        }
    }

    /// Values become multipliers: forwards, then backwards.
    fn substitute(&mut self) {
        for step in 0..self.pairs.len() {
            let i = self.order[step];
            let rank = self.pairs[i].rank;
            let mut y = self.pairs[i].values;
            forward(&self.diagonal[step], rank, &mut y);
            self.pairs[i].values = y;
            for (k, &j) in self.later[step].iter().enumerate() {
                let rows = self.pairs[j].rank;
                for r in 0..rows {
                    let sum: f64 = (0..rank).map(|c| self.factor[step][k][r][c] * y[c]).sum();
                    self.pairs[j].values[r] -= sum;
                }
            }
        }
    }

    /// The motion of all bodies, from multipliers.
    fn gather(&mut self, at: Configuration<'_>, out: &mut Vec<(usize, Vec3, Vec3)>) {
        for step in (0..self.pairs.len()).rev() {
            let i = self.order[step];
            let rank = self.pairs[i].rank;
            let mut y = self.pairs[i].values;
            for (k, &j) in self.later[step].iter().enumerate() {
                for (r, value) in self.pairs[j].values.iter().enumerate().take(self.pairs[j].rank) {
                    for (c, y) in y.iter_mut().enumerate().take(rank) {
                        *y -= self.factor[step][k][r][c] * value;
                    }
                }
            }
            backward(&self.diagonal[step], rank, &mut y);
            self.pairs[i].values = y;
        }
        for pair in &self.pairs {
            for k in 0..2 {
                if pair.blocks[k].is_none() {
                    continue;
                }
                let mut x = [0.0; 6];
                for (row, value) in pair.basis.iter().zip(&pair.values).take(pair.rank) {
                    for (x, part) in x.iter_mut().zip(&row[k]) {
                        *x -= part * value;
                    }
                }
                let (shift, turn) = denormalised(at, pair.bodies[k], &x);
                out.push((pair.bodies[k], shift, turn));
            }
        }
    }
}

/// ½ |L⁻¹r|² of a pair, after the forward substitution.
fn energy_of(pair: &Pair) -> f64 {
    0.5 * pair.values.iter().take(pair.rank).map(|y| y * y).sum::<f64>()
}

impl Pair {
    /// Replaces rows by an orthonormal basis of them, the longest remainder first, and their values by the least-squares values along it.
    fn orthonormalise(&mut self, rows: &[([[f64; 6]; 2], f64)]) {
        let size = rows.iter().map(|(x, _)| dot(x, x)).fold(0.0, f64::max).sqrt();
        if size == 0.0 || size.is_nan() {
            return;
        }
        // TᵀT and Tᵀr, where rows = T · basis.
        let mut normal = [[0.0; MOST]; MOST];
        let mut right = [0.0; MOST];
        while self.rank < MOST {
            let left = |x: &[[f64; 6]; 2]| {
                let mut left = *x;
                for _ in 0..2 {
                    for q in &self.basis[..self.rank] {
                        let along = dot(q, &left);
                        subtract(&mut left, along, q);
                    }
                }
                left
            };
            let longest = rows
                .iter()
                .map(|(x, _)| {
                    let rest = left(x);
                    (dot(&rest, &rest), rest)
                })
                .fold((0.0, [[0.0; 6]; 2]), |best, x| if x.0 > best.0 { x } else { best });
            if longest.0 <= FOLLOWS * size * size || longest.0.is_nan() {
                break;
            }
            let scale = 1.0 / longest.0.sqrt();
            self.basis[self.rank] = longest.1.map(|part| part.map(|x| scale * x));
            self.rank += 1;
        }
        for (x, value) in rows {
            let mut t = [0.0; MOST];
            for (t, q) in t.iter_mut().zip(&self.basis[..self.rank]) {
                *t = dot(x, q) / size;
            }
            for r in 0..self.rank {
                right[r] += t[r] * value / size;
                for c in 0..self.rank {
                    normal[r][c] += t[r] * t[c];
                }
            }
        }
        cholesky(&mut normal, self.rank);
        forward(&normal, self.rank, &mut right);
        backward(&normal, self.rank, &mut right);
        self.values = right;
    }
}

/// A row of a body in coordinates in which its mass is one: row · 𝓜^(−½).
fn normalised(at: Configuration<'_>, body: usize, row: &[f64; 6]) -> [f64; 6] {
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

/// Products of the rows of two pairs over the bodies that they share.
fn product(x: &Pair, y: &Pair) -> Block {
    let mut out = [[0.0; MOST]; MOST];
    for (k, block) in x.blocks.iter().enumerate() {
        for (l, other) in y.blocks.iter().enumerate() {
            if block.is_none() || block != other {
                continue;
            }
            for r in 0..x.rank {
                for c in 0..y.rank {
                    let (a, b) = (&x.basis[r][k], &y.basis[c][l]);
                    out[r][c] += a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
                }
            }
        }
    }
    out
}

/// L Lᵀ of a symmetric matrix, in its lower half. A row without a pivot gets a zero on the diagonal.
fn cholesky(m: &mut Block, n: usize) {
    for c in 0..n {
        let pivot = m[c][c] - (0..c).map(|k| m[c][k] * m[c][k]).sum::<f64>();
        let root = if pivot > FOLLOWS { pivot.sqrt() } else { 0.0 };
        m[c][c] = root;
        for r in c + 1..n {
            let rest = m[r][c] - (0..c).map(|k| m[r][k] * m[c][k]).sum::<f64>();
            m[r][c] = if root > 0.0 { rest / root } else { 0.0 };
        }
    }
}

/// X ← X L⁻ᵀ.
fn divide(x: &mut Block, l: &Block, [rows, n]: [usize; 2]) {
    for row in x.iter_mut().take(rows) {
        for c in 0..n {
            let rest = row[c] - (0..c).map(|k| row[k] * l[c][k]).sum::<f64>();
            row[c] = if l[c][c] > 0.0 { rest / l[c][c] } else { 0.0 };
        }
    }
}

/// X ← X − A Bᵀ.
fn take_away(x: &mut Block, a: &Block, b: &Block, [rows, columns, inner]: [usize; 3]) {
    for r in 0..rows {
        for c in 0..columns {
            x[r][c] -= (0..inner).map(|k| a[r][k] * b[c][k]).sum::<f64>();
        }
    }
}

/// y ← L⁻¹y, with zeros where there is no pivot.
fn forward(l: &Block, n: usize, y: &mut [f64; MOST]) {
    for r in 0..n {
        let rest = y[r] - (0..r).map(|k| l[r][k] * y[k]).sum::<f64>();
        y[r] = if l[r][r] > 0.0 { rest / l[r][r] } else { 0.0 };
    }
}

/// y ← L⁻ᵀy.
fn backward(l: &Block, n: usize, y: &mut [f64; MOST]) {
    for r in (0..n).rev() {
        let rest = y[r] - (r + 1..n).map(|k| l[k][r] * y[k]).sum::<f64>();
        y[r] = if l[r][r] > 0.0 { rest / l[r][r] } else { 0.0 };
    }
}
