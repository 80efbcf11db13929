//! Rows on pairs of bodies that all hold: (A Aᵀ + D) y = r, solved in an order that keeps few blocks.
//!
//! Rows are in mass-normalised coordinates, in which a body has at most six. Rows of one pair of bodies that follow each other make a block; a row that yields has
//! its compliance on the diagonal. Where rows are more than six or depend on each other, at most six orthonormal rows take the place of the firm ones, and their
//! least-squares mean that of values that contradict each other; each row that yields then stands alone. What is left is a symmetric matrix with a block for every two pairs that share a body. It is factored block by block,
//! always the pair with the fewest neighbours next: for joints that form trees this takes time linear in their number. A row that follows from rows before it, as in loops, has no pivot and is left out.

/// Coordinates of a body, and orthonormal rows of a pair, at most.
pub const MOST: usize = 6;
/// Part of a unit row, squared, below which it follows from others.
const FOLLOWS: f64 = 1e-11;
/// The same part for rows of one pair that are taken as they are.
const CLEAR: f64 = 1e-4;

/// A matrix of up to six rows and columns.
type Block = [[f64; MOST]; MOST];
/// A row over two bodies.
type Parts = [[f64; MOST]; 2];

/// A row on one or two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairRow {
    /// The bodies; none where it does not move.
    pub bodies: [Option<usize>; 2],
    /// The row over the coordinates of each, mass-normalised.
    pub parts: [[f64; MOST]; 2],
    /// How far it yields per unit of its multiplier; 0 for a firm row.
    pub compliance: f64,
}

/// Rows of a pair of bodies.
#[derive(Debug, Clone, Default)]
struct Pair {
    bodies: [Option<usize>; 2],
    /// Its rows among all.
    rows: std::ops::Range<usize>,
    /// Unit rows that take their place, and the multipliers of these.
    basis: [Parts; MOST],
    values: [f64; MOST],
    rank: usize,
    /// Products of the unit rows.
    own: Block,
    /// How large each row is, compliance included, where the unit rows are the rows divided by that.
    sizes: [f64; MOST],
    /// Where they are orthonormal instead: the factor of TᵀT, where rows = size · T · basis.
    normal: Block,
    size: f64,
    is_orthonormal: bool,
    /// Of each row: its square and what is left of it without the unit rows, and its row of T.
    left: Vec<(f64, Parts, [f64; MOST])>,
}

/// Rows, factored; keeps its buffers.
///
/// ```
/// use stiction_contact::rows::{PairRow, RowSystem};
/// let mut system = RowSystem::default();
/// // Two bodies of unit mass that move along a line, joined to each other and the first to the ground.
/// let along = |x: f64| [x, 0.0, 0.0, 0.0, 0.0, 0.0];
/// system.push(PairRow { bodies: [Some(0), None], parts: [along(1.0), along(0.0)], compliance: 0.0 });
/// system.push(PairRow { bodies: [Some(1), Some(0)], parts: [along(1.0), along(-1.0)], compliance: 0.0 });
/// system.factor();
/// let mut multipliers = [0.0; 2];
/// let energy = system.solve(&[1.0, 2.0], &mut multipliers);
/// // A Aᵀ = [1, −1; −1, 2].
/// assert!((multipliers[0] - 4.0).abs() < 1e-12 && (multipliers[1] - 3.0).abs() < 1e-12);
/// assert!((energy - 0.5 * (1.0 * 4.0 + 2.0 * 3.0)).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Default)]
pub struct RowSystem {
    rows: Vec<PairRow>,
    /// Buffers of pairs, of which so many are in use.
    pairs: Vec<Pair>,
    count: usize,
    /// Pairs in the order of elimination, and the place of each in it.
    order: Vec<usize>,
    place: Vec<usize>,
    /// Pairs that are eliminated later and share a block with one, by place; and these blocks.
    later: Vec<Vec<usize>>,
    factor: Vec<Vec<Block>>,
    diagonal: Vec<Block>,
    /// Bodies of the last elimination order: while they stay the same, so does the order.
    shape: Vec<[Option<usize>; 2]>,
    neighbours: Vec<Vec<usize>>,
}

fn dot(a: &Parts, b: &Parts) -> f64 {
    let part = |k: usize| a[k].iter().zip(&b[k]).map(|(x, y)| x * y).sum::<f64>();
    part(0) + part(1)
}

fn subtract(a: &mut Parts, share: f64, b: &Parts) {
    for k in 0..2 {
        for c in 0..MOST {
            a[k][c] -= share * b[k][c];
        }
    }
}

impl RowSystem {
    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    /// Adds a row. Rows of one pair of bodies that follow each other are taken together.
    pub fn push(&mut self, row: PairRow) {
        self.rows.push(row);
    }

    /// The rows that were added.
    #[must_use]
    pub fn rows(&self) -> &[PairRow] {
        &self.rows
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Factors the rows that were added.
    pub fn factor(&mut self) {
        self.set_pairs();
        self.set_order();
        self.eliminate();
    }

    /// Finds multipliers y with (A Aᵀ + D) y = r, one a row. Returns ½ rᵀy: where the values are velocities, the kinetic energy that taking them away takes.
    pub fn solve(&mut self, values: &[f64], multipliers: &mut [f64]) -> f64 {
        self.project(values);
        self.substitute();
        let energy: f64 = self.pairs[..self.count].iter().map(energy_of).sum();
        self.substitute_back();
        multipliers.fill(0.0);
        for pair in &self.pairs[..self.count] {
            if !pair.is_orthonormal {
                for (k, (value, size)) in pair.rows.clone().zip(pair.values.iter().zip(&pair.sizes)) {
                    multipliers[k] = value / size;
                }
                continue;
            }
            // Tᵀλ = y with the shortest λ = T(TᵀT)⁻¹y.
            let mut y = pair.values;
            forward(&pair.normal, pair.rank, &mut y);
            backward(&pair.normal, pair.rank, &mut y);
            for (k, (_, _, t)) in pair.rows.clone().zip(&pair.left) {
                let sum: f64 = (0..pair.rank).map(|r| t[r] * y[r]).sum();
                multipliers[k] = sum / pair.size;
            }
        }
        energy
    }

    /// Writes Aᵀy of the last solve, body by body.
    pub fn gather(&self, mut add: impl FnMut(usize, &[f64; MOST])) {
        for pair in &self.pairs[..self.count] {
            for (k, body) in pair.bodies.iter().enumerate() {
                let Some(body) = body else { continue };
                let mut x = [0.0; MOST];
                for (row, value) in pair.basis.iter().zip(&pair.values).take(pair.rank) {
                    for (x, part) in x.iter_mut().zip(&row[k]) {
                        *x += part * value;
                    }
                }
                add(*body, &x);
            }
        }
    }

    /// Unit rows of every pair.
    fn set_pairs(&mut self) {
        self.count = 0;
        let mut first = 0;
        for group in self.rows.chunk_by(|x, y| x.bodies == y.bodies) {
            if add_pair(&mut self.pairs, &mut self.count, (group, first), Pair::normalise) {
                first += group.len();
                continue;
            }
            // Rows that yield stand alone beside others that depend on each other.
            for group in group.chunk_by(|x, y| x.compliance == 0.0 && y.compliance == 0.0) {
                let is_clear = add_pair(&mut self.pairs, &mut self.count, (group, first), Pair::normalise);
                if !is_clear {
                    add_pair(&mut self.pairs, &mut self.count, (group, first), Pair::orthonormalise);
                }
                first += group.len();
            }
        }
    }

    /// Values along the unit rows; of orthonormal ones, those of least squares.
    fn project(&mut self, values: &[f64]) {
        for pair in &mut self.pairs[..self.count] {
            let mut right = [0.0; MOST];
            if !pair.is_orthonormal {
                for ((right, k), size) in right.iter_mut().zip(pair.rows.clone()).zip(&pair.sizes) {
                    *right = values[k] / size;
                }
                pair.values = right;
                continue;
            }
            for (k, (_, _, t)) in pair.rows.clone().zip(&pair.left) {
                for (right, t) in right.iter_mut().zip(t).take(pair.rank) {
                    *right += t * values[k] / pair.size;
                }
            }
            forward(&pair.normal, pair.rank, &mut right);
            backward(&pair.normal, pair.rank, &mut right);
            pair.values = right;
        }
    }

    /// The order of elimination: always the pair with the fewest neighbours, then the first.
    fn set_order(&mut self) {
        let n = self.count;
        let pairs = &self.pairs[..n];
        let same = self.shape.len() == n && self.shape.iter().zip(pairs).all(|(s, p)| *s == p.bodies);
        if same {
            return;
        }
        self.shape.clear();
        self.shape.extend(pairs.iter().map(|p| p.bodies));
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

    /// L Lᵀ = the matrix, block by block; rows without a pivot are skipped.
    fn eliminate(&mut self) {
        let n = self.count;
        self.diagonal.resize(n.max(self.diagonal.len()), [[0.0; MOST]; MOST]);
        self.factor.resize(n.max(self.factor.len()), Vec::new());
        for step in 0..n {
            let i = self.order[step];
            self.diagonal[step] = self.pairs[i].own;
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

    /// y ← L⁻¹y over all pairs.
    fn substitute(&mut self) {
        for step in 0..self.count {
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

    /// y ← L⁻ᵀy over all pairs.
    fn substitute_back(&mut self) {
        for step in (0..self.count).rev() {
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
    }
}

/// Adds the pair of a group of rows, with their first number, in a way that finds unit rows for them; whether it finds any.
fn add_pair(
    pairs: &mut Vec<Pair>,
    count: &mut usize,
    (group, first): (&[PairRow], usize),
    find: impl Fn(&mut Pair, &[PairRow]) -> bool,
) -> bool {
    if *count == pairs.len() {
        pairs.push(Pair::default());
    }
    let pair = &mut pairs[*count];
    (pair.bodies, pair.rows) = (group[0].bodies, first..first + group.len());
    let found = find(pair, group);
    *count += usize::from(found);
    found
}

/// ½ |L⁻¹r|² of a pair, after the forward substitution.
fn energy_of(pair: &Pair) -> f64 {
    0.5 * pair.values.iter().take(pair.rank).map(|y| y * y).sum::<f64>()
}

impl Pair {
    /// Divides each row by its size. `false` where they are too many or nearly depend on each other.
    fn normalise(&mut self, rows: &[PairRow]) -> bool {
        (self.rank, self.is_orthonormal) = (0, false);
        if rows.len() > MOST {
            return false;
        }
        for (r, row) in rows.iter().enumerate() {
            let size = (dot(&row.parts, &row.parts) + row.compliance).sqrt();
            if !(size > 0.0 && size.is_finite()) {
                return false;
            }
            self.sizes[r] = size;
            let inverse = 1.0 / size;
            self.basis[r] = row.parts.map(|part| part.map(|x| x * inverse));
            for c in 0..r {
                self.own[r][c] = dot(&self.basis[r], &self.basis[c]);
            }
            self.own[r][r] = 1.0;
        }
        let mut factor = self.own;
        let least = cholesky(&mut factor, rows.len());
        self.rank = if least >= CLEAR { rows.len() } else { 0 };
        self.rank > 0
    }

    /// Replaces rows by an orthonormal basis of them, the longest remainder first. `false` where they are nothing.
    fn orthonormalise(&mut self, rows: &[PairRow]) -> bool {
        (self.rank, self.is_orthonormal) = (0, true);
        (self.normal, self.own) = ([[0.0; MOST]; MOST], [[0.0; MOST]; MOST]);
        self.left.clear();
        self.left
            .extend(rows.iter().map(|x| (dot(&x.parts, &x.parts), x.parts, [0.0; MOST])));
        let size = self.left.iter().map(|x| x.0).fold(0.0, f64::max).sqrt();
        if size == 0.0 || size.is_nan() {
            return false;
        }
        self.size = size;
        while self.rank < MOST {
            let best = self.left.iter().fold(
                (0.0, [[0.0; MOST]; 2]),
                |best, x| {
                    if x.0 > best.0 { (x.0, x.1) } else { best }
                },
            );
            if best.0 <= FOLLOWS * size * size || best.0.is_nan() {
                break;
            }
            // What the remainder has kept of the others by rounding.
            let mut unit = best.1;
            for q in &self.basis[..self.rank] {
                let along = dot(q, &unit);
                subtract(&mut unit, along, q);
            }
            let scale = 1.0 / dot(&unit, &unit).sqrt();
            let unit = unit.map(|part| part.map(|x| scale * x));
            for (square, left, shares) in &mut self.left {
                let along = dot(&unit, left);
                shares[self.rank] = along / size;
                if self.rank + 1 < MOST {
                    subtract(left, along, &unit);
                    *square = dot(left, left);
                }
            }
            self.basis[self.rank] = unit;
            self.own[self.rank][self.rank] = 1.0;
            self.rank += 1;
        }
        for (_, _, t) in &self.left {
            for r in 0..self.rank {
                for c in 0..=r {
                    self.normal[r][c] += t[r] * t[c];
                }
            }
        }
        cholesky(&mut self.normal, self.rank);
        self.rank > 0
    }
}

/// Products of the rows of two pairs over the bodies that they share.
fn product(x: &Pair, y: &Pair) -> Block {
    let mut out = [[0.0; MOST]; MOST];
    for (k, block) in x.bodies.iter().enumerate() {
        for (l, other) in y.bodies.iter().enumerate() {
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

/// L Lᵀ of a symmetric matrix, in its lower half. A row without a pivot gets a zero on the diagonal. Returns the least pivot.
fn cholesky(m: &mut Block, n: usize) -> f64 {
    let mut least = f64::INFINITY;
    for c in 0..n {
        let pivot = m[c][c] - (0..c).map(|k| m[c][k] * m[c][k]).sum::<f64>();
        least = least.min(pivot);
        let root = if pivot > FOLLOWS { pivot.sqrt() } else { 0.0 };
        m[c][c] = root;
        for r in c + 1..n {
            let rest = m[r][c] - (0..c).map(|k| m[r][k] * m[c][k]).sum::<f64>();
            m[r][c] = if root > 0.0 { rest / root } else { 0.0 };
        }
    }
    least
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
