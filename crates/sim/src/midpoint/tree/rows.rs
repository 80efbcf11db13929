//! Rows of contacts along the coordinates of a tree, and the least motion that takes their values away.

use stiction_contact::six::Factors;

use super::dense::Dense;

/// Numbers that a processor takes together: rows are that long, or a multiple of it, and zero beyond their end.
const FOUR: usize = 4;
type Four = [f64; FOUR];

/// Sum of products.
#[inline]
fn product(x: &[Four], y: &[Four]) -> f64 {
    let mut parts = [0.0; FOUR];
    for (x, y) in x.iter().zip(y) {
        for k in 0..FOUR {
            parts[k] += x[k] * y[k];
        }
    }
    (parts[0] + parts[1]) + (parts[2] + parts[3])
}

/// x ← x − share y.
#[inline]
fn subtract(x: &mut [Four], share: f64, y: &[Four]) {
    for (x, y) in x.iter_mut().zip(y) {
        for k in 0..FOUR {
            x[k] -= share * y[k];
        }
    }
}

/// Factor of the masses of a tree.
#[derive(Debug, Clone, Default)]
pub(super) struct Root {
    n: usize,
    factors: Factors,
}

impl Root {
    /// Fours of a row.
    fn width(&self) -> usize {
        self.n.div_ceil(FOUR)
    }

    /// Becomes that of the masses of a tree with `more` on the diagonal; whether there is one.
    pub(super) fn set(&mut self, dense: &Dense, more: impl Fn(usize) -> f64) -> bool {
        self.n = dense.count();
        self.factors.clear();
        // What is not a number is not positive.
        self.factors
            .push(&dense.mass, self.n, more, |left, _| left > 0.0)
            .is_ok()
    }

    /// What is moved so by momenta, in place.
    pub(super) fn solve(&self, x: &mut [f64]) {
        self.factors.solve(0, x);
    }

    /// R⁻ᵀx in place, the masses being RᵀR.
    fn forward(&self, x: &mut [f64]) {
        self.factors.forward(0, x);
        for (x, inverse) in x.iter_mut().zip(self.factors.inverse_roots(0)) {
            *x *= inverse;
        }
    }

    /// R⁻¹x in place.
    fn backward(&self, x: &mut [f64]) {
        for (x, inverse) in x.iter_mut().zip(self.factors.inverse_roots(0)) {
            *x *= inverse;
        }
        self.factors.backward(0, x);
    }
}

/// Rows of a least-squares problem: a motion that takes their values away with the least energy, in the norm of the masses RᵀR.
///
/// Rows touch few coordinates. Where they are well apart, a root of their products is taken; else they are made orthonormal one behind the other, as they are independent.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    /// Coordinates of each row, and R⁻ᵀaᵀ there, with where they end.
    columns: Vec<usize>,
    entries: Vec<f64>,
    ends: Vec<usize>,
    /// Root of the products of all rows, its lower half row by row with the inverses of its diagonal; whether that is what is used.
    products: Vec<f64>,
    are_apart: bool,
    orthonormal: Orthonormal,
    /// Values of rows as they were added, and what takes them away.
    pub(super) values: Vec<f64>,
    own: Vec<f64>,
    /// One row in all coordinates.
    work: Vec<Four>,
}

/// Part of the square of a row that is left beside those before, from which on it is well apart from them.
const APART: f64 = 1e-6;

impl Rows {
    /// Without any.
    pub(super) fn clear(&mut self) {
        self.columns.clear();
        self.entries.clear();
        self.ends.clear();
        self.values.clear();
        self.work.clear();
    }

    /// Adds a row that is nothing but in some coordinates, which have all that they hang on among them.
    pub(super) fn add(&mut self, root: &Root, columns: &[usize], row: impl Fn(usize) -> f64) {
        self.work.resize(root.width(), [0.0; FOUR]);
        let all = &mut self.work.as_flattened_mut()[..root.n];
        for c in columns {
            all[*c] = row(*c);
        }
        root.forward(all);
        for c in columns {
            self.entries.push(std::mem::take(&mut all[*c]));
        }
        self.columns.extend_from_slice(columns);
        self.ends.push(self.entries.len());
    }

    /// Once all are added: finds what takes values away.
    pub(super) fn finish(&mut self, root: &Root) {
        self.work.clear();
        self.work.resize(root.width(), [0.0; FOUR]);
        self.are_apart = self.find_products();
        if self.are_apart {
            return;
        }
        self.orthonormal.clear();
        let mut begin = 0;
        for end in &self.ends {
            self.work.fill([0.0; FOUR]);
            let row = begin..*end;
            begin = *end;
            for (c, x) in self.columns[row.clone()].iter().zip(&self.entries[row.clone()]) {
                self.work.as_flattened_mut()[*c] = *x;
            }
            let first = self.columns[row].first().map_or(root.width(), |c| c / FOUR);
            self.orthonormal.add(&mut self.work, first);
        }
    }

    /// The root of the products of all rows; false where one is not well apart from those before.
    fn find_products(&mut self) -> bool {
        self.products.clear();
        let all = self.work.as_flattened_mut();
        let mut begin = 0;
        for (i, end) in self.ends.iter().enumerate() {
            let (columns, entries) = (&self.columns[begin..*end], &self.entries[begin..*end]);
            for (c, x) in columns.iter().zip(entries) {
                all[*c] = *x;
            }
            let (before, first) = (self.products.len(), begin);
            let (mut other, mut line) = (0, 0);
            for (k, next) in self.ends[..i].iter().enumerate() {
                let row = self.columns[other..*next].iter().zip(&self.entries[other..*next]);
                let along: f64 = row.map(|(c, x)| all[*c] * x).sum();
                let known = self.products[before..].iter().zip(&self.products[line..line + k]);
                let left = known.fold(along, |left, (x, y)| left - x * y);
                self.products.push(left * self.products[line + k]);
                (other, line) = (*next, line + k + 1);
            }
            let square = |list: &[f64]| list.iter().map(|x| x * x).sum::<f64>();
            let whole = square(&self.entries[first..*end]);
            let left = whole - square(&self.products[before..]);
            for c in columns {
                all[*c] = 0.0;
            }
            if left.is_nan() || left <= APART * whole {
                return false;
            }
            self.products.push(1.0 / left.sqrt());
            begin = *end;
        }
        true
    }

    /// Takes the values away from a motion.
    pub(super) fn take_from(&mut self, root: &Root, motion: &mut [f64]) {
        self.work.clear();
        self.work.resize(root.width(), [0.0; FOUR]);
        if self.are_apart {
            self.solve_products();
            let all = self.work.as_flattened_mut();
            let mut begin = 0;
            for (end, value) in self.ends.iter().zip(&self.own) {
                for (c, x) in self.columns[begin..*end].iter().zip(&self.entries[begin..*end]) {
                    all[*c] += value * x;
                }
                begin = *end;
            }
        } else {
            self.orthonormal.take(&self.values, &mut self.own, &mut self.work);
        }
        root.backward(&mut self.work.as_flattened_mut()[..root.n]);
        for (x, y) in motion.iter_mut().zip(self.work.as_flattened()) {
            *x -= y;
        }
    }

    /// From the values to the shares of the rows whose sum has them.
    fn solve_products(&mut self) {
        self.own.clear();
        let mut line = 0;
        for (k, value) in self.values.iter().enumerate() {
            let known = self.products[line..line + k].iter().zip(&self.own);
            let left = known.fold(*value, |left, (x, y)| left - x * y);
            self.own.push(left * self.products[line + k]);
            line += k + 1;
        }
        for k in (0..self.own.len()).rev() {
            line -= k + 1;
            let (before, rest) = self.own.split_at_mut(k);
            rest[0] *= self.products[line + k];
            for (x, y) in before.iter_mut().zip(&self.products[line..line + k]) {
                *x -= rest[0] * y;
            }
        }
    }
}

/// Rows made orthonormal one behind the other.
#[derive(Debug, Clone, Default)]
struct Orthonormal {
    /// Those that are independent, and the first four of each that are not zero.
    kept: Vec<Four>,
    begins: Vec<usize>,
    /// Of each row as it was added: its shares of those kept before it, and what is left of it; nothing where it follows from them.
    shares: Vec<f64>,
    left: Vec<f64>,
}

/// A row of which this part is left beside those before is free of them to rounding.
const TWICE: f64 = 0.5;
/// A row of which less than this part is left beside those before follows from them.
const FOLLOWS: f64 = 1e-7;

impl Orthonormal {
    fn clear(&mut self) {
        self.kept.clear();
        self.begins.clear();
        self.shares.clear();
        self.left.clear();
    }

    /// Adds a row that is zero before a four; it is overwritten.
    fn add(&mut self, row: &mut [Four], mut begin: usize) {
        let (width, first) = (row.len(), self.shares.len());
        let norm = |x: &[Four]| product(x, x).sqrt();
        let size = norm(row);
        let mut left = size;
        self.shares.resize(first + self.begins.len(), 0.0);
        // Twice where much of it goes: what rounding leaves of the first time.
        for _ in 0..2 {
            let kept = self.kept.chunks_exact(width).zip(&self.begins);
            for ((kept, zeros), known) in kept.zip(&mut self.shares[first..]) {
                let both = begin.max(*zeros);
                let share = product(&kept[both..], &row[both..]);
                *known += share;
                begin = begin.min(*zeros);
                subtract(&mut row[*zeros..], share, &kept[*zeros..]);
            }
            left = norm(row);
            if left > TWICE * size {
                break;
            }
        }
        let is_kept = left > FOLLOWS * size;
        self.left.push(if is_kept { left } else { 0.0 });
        if is_kept {
            let inverse = 1.0 / left;
            self.kept.extend(row.iter().map(|x| x.map(|x| x * inverse)));
            self.begins.push(begin);
        }
    }

    /// The sum of rows that has these values; `own` are its shares.
    fn take(&self, values: &[f64], own: &mut Vec<f64>, sum: &mut [Four]) {
        own.clear();
        let mut shares = &self.shares[..];
        for (value, left) in values.iter().zip(&self.left) {
            let (known, rest) = shares.split_at(own.len());
            shares = rest;
            if *left > 0.0 {
                let known: f64 = known.iter().zip(&*own).map(|(x, y)| x * y).sum();
                own.push((value - known) / left);
            }
        }
        for ((kept, begin), value) in self.kept.chunks_exact(sum.len()).zip(&self.begins).zip(&*own) {
            subtract(&mut sum[*begin..], -value, &kept[*begin..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Masses in five coordinates of which the last two are those of what the others hang on.
    fn root() -> Root {
        let mass = [
            [2.5, 0.0, 0.0, 0.3, -0.4],
            [0.0, 1.5, 0.0, -0.2, 0.1],
            [0.0, 0.0, 4.0, 0.5, 0.25],
            [0.3, -0.2, 0.5, 3.0, 0.6],
            [-0.4, 0.1, 0.25, 0.6, 2.0],
        ];
        let mut root = Root {
            n: 5,
            ..Root::default()
        };
        let found = root.factors.push(mass.as_flattened(), 5, |_| 0.0, |left, _| left > 0.0);
        assert!(found.is_ok());
        root
    }

    /// The motion that takes values away, with rows that are apart or made orthonormal.
    fn taken(list: &[([usize; 3], [f64; 3])], values: &[f64], is_apart: bool) -> Vec<f64> {
        let (root, mut rows) = (root(), Rows::default());
        for (columns, row) in list {
            let place = |c: usize| columns.iter().position(|x| *x == c).map_or(0.0, |k| row[k]);
            rows.add(&root, columns, place);
        }
        rows.finish(&root);
        assert_eq!(rows.are_apart, is_apart);
        rows.values.extend_from_slice(values);
        let mut motion = vec![0.0; 5];
        rows.take_from(&root, &mut motion);
        for ((columns, row), value) in list.iter().zip(values) {
            let along: f64 = columns.iter().zip(row).map(|(c, x)| motion[*c] * x).sum();
            assert!((along + value).abs() < 1e-12, "{along} {value}");
        }
        motion
    }

    #[test]
    fn rows_that_are_apart_move_as_rows_made_orthonormal() {
        let list = [([0, 3, 4], [1.0, 0.5, -0.5]), ([1, 3, 4], [0.7, 0.25, 1.0])];
        let motion = taken(&list, &[0.3, -0.2], true);
        // The second row again follows from the others.
        let again = [list[0], list[1], list[1]];
        let same = taken(&again, &[0.3, -0.2, -0.2], false);
        for (x, y) in motion.iter().zip(&same) {
            assert!((x - y).abs() < 1e-14, "{motion:?} {same:?}");
        }
    }
}
