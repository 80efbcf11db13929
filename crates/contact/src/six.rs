//! Factors of symmetric positive definite matrices in blocks of six: 𝓜 = LDLᵀ, every inner loop of a length that is known when it is compiled.
//!
//! Lᵀ is stored, block row by block row. Blocks of zeros, as between the branches of a tree, are passed over; the factor keeps those that nothing fills.

const SIX: usize = 6;
type Vector = [f64; SIX];
type Square = [Vector; SIX];

const ZERO: Square = [[0.0; SIX]; SIX];

/// A matrix among many.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Place {
    /// Its first block, its first coordinate in `diagonal`, and its size.
    first: usize,
    at: usize,
    dim: usize,
}

/// Factors of matrices of any sizes, one after the other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Factors {
    places: Vec<Place>,
    /// Blocks of Lᵀ on and beside the diagonal, and whether each is zero; what lies below Lᵀ's own diagonal, which is 1, means nothing.
    blocks: Vec<Square>,
    is_zero: Vec<bool>,
    /// D and 1/√D; 1 beyond the end of a matrix.
    diagonal: Vec<Vector>,
    inverse_roots: Vec<Vector>,
}

/// x as whole sixes and what is left of it, as a six of its own.
struct Sixes<'a> {
    full: &'a mut [Vector],
    rest: &'a mut [f64],
    tail: Vector,
}

impl<'a> Sixes<'a> {
    fn of(x: &'a mut [f64]) -> Self {
        let (full, rest) = x.as_chunks_mut();
        let mut tail = [0.0; SIX];
        if !rest.is_empty() {
            tail[..rest.len()].copy_from_slice(rest);
        }
        Self { full, rest, tail }
    }

    #[inline]
    fn at(&mut self, k: usize) -> &mut Vector {
        self.full.get_mut(k).unwrap_or(&mut self.tail)
    }

    fn end(self) {
        if !self.rest.is_empty() {
            self.rest.copy_from_slice(&self.tail[..self.rest.len()]);
        }
    }
}

/// y ← y − x·a.
#[inline]
fn subtract(y: &mut Vector, x: f64, a: &Vector) {
    for k in 0..SIX {
        y[k] -= x * a[k];
    }
}

#[inline]
fn dot(a: &Vector, b: &Vector) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])
}

impl Factors {
    /// Takes all out and keeps the room.
    pub fn clear(&mut self) {
        self.places.clear();
        self.blocks.clear();
        self.is_zero.clear();
        self.diagonal.clear();
        self.inverse_roots.clear();
    }

    /// Number of matrices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Takes the last matrix out.
    pub fn pop(&mut self) {
        if let Some(place) = self.places.pop() {
            self.blocks.truncate(place.first);
            self.is_zero.truncate(place.first);
            self.diagonal.truncate(place.at);
            self.inverse_roots.truncate(place.at);
        }
    }

    /// Adds the factor of another list.
    pub(crate) fn push_like(&mut self, other: &Self, index: usize) {
        let Place { first, at, dim } = other.places[index];
        let count = dim.div_ceil(SIX);
        let (blocks, sixes) = (first..first + count * (count + 1) / 2, at..at + count);
        self.places.push(Place {
            first: self.blocks.len(),
            at: self.diagonal.len(),
            dim,
        });
        self.blocks.extend_from_slice(&other.blocks[blocks.clone()]);
        self.is_zero.extend_from_slice(&other.is_zero[blocks]);
        self.diagonal.extend_from_slice(&other.diagonal[sixes.clone()]);
        self.inverse_roots.extend_from_slice(&other.inverse_roots[sixes]);
    }

    /// Adds a matrix, row by row, with `more` on its diagonal; its upper half counts.
    ///
    /// # Errors
    /// The first pivot for which `is_positive` says no, as its number and what is left of it. It is told what is left, and what was given.
    pub fn push(
        &mut self,
        matrix: &[f64],
        dim: usize,
        more: impl Fn(usize) -> f64,
        is_positive: impl Fn(f64, f64) -> bool,
    ) -> Result<(), (usize, f64)> {
        let (first, at, count) = (self.blocks.len(), self.diagonal.len(), dim.div_ceil(SIX));
        self.places.push(Place { first, at, dim });
        self.blocks.resize(first + count * (count + 1) / 2, ZERO);
        let mut blocks = self.blocks[first..].iter_mut();
        for k in 0..count {
            for j in k..count {
                let Some(block) = blocks.next() else { continue };
                let len = SIX.min(dim - SIX * j);
                for (r, row) in (SIX * k..dim).zip(&mut *block) {
                    let from = &matrix[r * dim + SIX * j..][..len];
                    if let Ok(six) = <&Vector>::try_from(from) {
                        *row = *six;
                    } else {
                        row[..len].copy_from_slice(from);
                    }
                }
                if j == k {
                    for r in 0..SIX {
                        block[r][r] = if r < len { block[r][r] + more(SIX * k + r) } else { 1.0 };
                    }
                }
                self.is_zero.push(j > k && *block == ZERO);
            }
        }
        self.diagonal.resize(at + count, [1.0; SIX]);
        self.inverse_roots.resize(at + count, [1.0; SIX]);
        let given = |k: usize, r: usize| {
            let own = SIX * k + r;
            if own < dim {
                matrix[own * dim + own] + more(own)
            } else {
                1.0
            }
        };
        let factored = self.factor((first, at, count), given, is_positive);
        if factored.is_err() {
            self.pop();
        }
        factored
    }

    fn factor(
        &mut self,
        (first, at, count): (usize, usize, usize),
        given: impl Fn(usize, usize) -> f64,
        is_positive: impl Fn(f64, f64) -> bool,
    ) -> Result<(), (usize, f64)> {
        let mut row = first;
        for k in 0..count {
            let (own, below) = self.blocks[row..].split_at_mut(count - k);
            let (corner, beside) = own.split_at_mut(1);
            let corner = &mut corner[0];
            let (d, inverse) = (&mut self.diagonal[at + k], &mut self.inverse_roots[at + k]);
            for r in 0..SIX {
                let pivot = corner[r][r];
                if !is_positive(pivot, given(k, r)) {
                    return Err((SIX * k + r, pivot));
                }
                d[r] = pivot;
                inverse[r] = 1.0 / pivot.sqrt();
                let line = corner[r];
                for c in r + 1..SIX {
                    let l = line[c] / pivot;
                    subtract(&mut corner[c], l, &line);
                    corner[r][c] = l;
                }
            }
            let (zeros, zeros_below) = self.is_zero[row..].split_at_mut(count - k);
            let zeros = &zeros[1..];
            // L⁻¹ of the corner from what lies beside it.
            for (block, _) in beside.iter_mut().zip(zeros).filter(|(_, is_zero)| !**is_zero) {
                for r in 0..SIX {
                    let line = block[r];
                    for c in r + 1..SIX {
                        subtract(&mut block[c], corner[r][c], &line);
                    }
                }
            }
            // The first of a block row below is that of its diagonal.
            let mut next = 0;
            for i in 0..beside.len() {
                let scaled = beside[i];
                if !zeros[i] {
                    let block = &mut beside[i];
                    for t in 0..SIX {
                        for r in 0..SIX {
                            block[t][r] /= d[t];
                        }
                    }
                    let l = *block;
                    for j in i..beside.len() {
                        if zeros[j] {
                            continue;
                        }
                        let u = if i == j { &scaled } else { &beside[j] };
                        let to = &mut below[next + j - i];
                        zeros_below[next + j - i] = false;
                        for r in 0..SIX {
                            let mut line = to[r];
                            for t in 0..SIX {
                                subtract(&mut line, l[t][r], &u[t]);
                            }
                            to[r] = line;
                        }
                    }
                }
                next += beside.len() - i;
            }
            row += count - k;
        }
        Ok(())
    }

    /// x ← L⁻¹x.
    pub fn forward(&self, index: usize, x: &mut [f64]) {
        let Place { first, dim, .. } = self.places[index];
        let count = dim.div_ceil(SIX);
        let (mut x, mut row) = (Sixes::of(x), first);
        for k in 0..count {
            let blocks = &self.blocks[row..row + count - k];
            let zeros = &self.is_zero[row..row + count - k];
            row += count - k;
            let mut own = *x.at(k);
            // What is zero changes nothing.
            if own == [0.0; SIX] {
                continue;
            }
            let corner = &blocks[0];
            for r in 0..SIX {
                for c in r + 1..SIX {
                    own[c] -= corner[r][c] * own[r];
                }
            }
            *x.at(k) = own;
            for j in 1..blocks.len() {
                if !zeros[j] {
                    let to = x.at(k + j);
                    let mut y = *to;
                    for r in 0..SIX {
                        subtract(&mut y, own[r], &blocks[j][r]);
                    }
                    *to = y;
                }
            }
        }
        x.end();
    }

    /// x ← L⁻ᵀx.
    pub fn backward(&self, index: usize, x: &mut [f64]) {
        let Place { first, dim, .. } = self.places[index];
        let count = dim.div_ceil(SIX);
        let (mut x, mut end) = (Sixes::of(x), first + count * (count + 1) / 2);
        for k in (0..count).rev() {
            let row = end - (count - k);
            let (blocks, zeros) = (&self.blocks[row..end], &self.is_zero[row..end]);
            end = row;
            let mut own = *x.at(k);
            for j in 1..blocks.len() {
                if !zeros[j] {
                    let y = *x.at(k + j);
                    for r in 0..SIX {
                        own[r] -= dot(&blocks[j][r], &y);
                    }
                }
            }
            let corner = &blocks[0];
            for r in (0..SIX).rev() {
                for c in r + 1..SIX {
                    own[r] -= corner[r][c] * own[c];
                }
            }
            *x.at(k) = own;
        }
        x.end();
    }

    /// x ← Lᵀx.
    pub fn turn_up(&self, index: usize, x: &mut [f64]) {
        let Place { first, dim, .. } = self.places[index];
        let count = dim.div_ceil(SIX);
        let (mut x, mut row) = (Sixes::of(x), first);
        for k in 0..count {
            let blocks = &self.blocks[row..row + count - k];
            let zeros = &self.is_zero[row..row + count - k];
            row += count - k;
            let mut own = *x.at(k);
            for r in 0..SIX {
                for c in r + 1..SIX {
                    own[r] += blocks[0][r][c] * own[c];
                }
            }
            for j in 1..blocks.len() {
                if !zeros[j] {
                    let y = *x.at(k + j);
                    for r in 0..SIX {
                        own[r] += dot(&blocks[j][r], &y);
                    }
                }
            }
            *x.at(k) = own;
        }
        x.end();
    }

    /// D of a matrix.
    #[must_use]
    pub fn diagonal(&self, index: usize) -> &[f64] {
        let Place { at, dim, .. } = self.places[index];
        &self.diagonal[at..].as_flattened()[..dim]
    }

    /// 1/√D of a matrix.
    #[must_use]
    pub fn inverse_roots(&self, index: usize) -> &[f64] {
        let Place { at, dim, .. } = self.places[index];
        &self.inverse_roots[at..].as_flattened()[..dim]
    }

    /// x ← 𝓜⁻¹x.
    pub fn solve(&self, index: usize, x: &mut [f64]) {
        self.forward(index, x);
        for (x, d) in x.iter_mut().zip(self.diagonal(index)) {
            *x /= d;
        }
        self.backward(index, x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix in which only the last coordinates and those of one branch depend on each other.
    fn tree(dim: usize) -> Vec<f64> {
        let is_joined = |r: usize, c: usize| r / 4 == c / 4 || r.max(c) + 3 >= dim;
        let entry = |r: usize, c: usize| match (r == c, is_joined(r, c)) {
            (true, _) => 10.0 + r as f64,
            (_, true) => ((r * c) % 7) as f64 / 5.0 - 0.5,
            _ => 0.0,
        };
        (0..dim * dim).map(|k| entry(k / dim, k % dim)).collect()
    }

    fn times(matrix: &[f64], x: &[f64]) -> Vec<f64> {
        matrix
            .chunks(x.len())
            .map(|row| row.iter().zip(x).map(|(m, x)| m * x).sum())
            .collect()
    }

    #[test]
    fn solves_with_matrices_of_any_size() {
        let mut factors = Factors::default();
        for (index, dim) in [1, 5, 6, 7, 18, 20].into_iter().enumerate() {
            let matrix = tree(dim);
            factors.push(&matrix, dim, |_| 0.0, |left, _| left > 0.0).unwrap();
            let x: Vec<f64> = (0..dim).map(|k| 1.0 - 0.3 * k as f64).collect();
            let mut y = times(&matrix, &x);
            factors.solve(index, &mut y);
            for (x, y) in x.iter().zip(&y) {
                assert!((x - y).abs() < 1e-13, "{dim}: {x} {y}");
            }
            // xᵀ𝓜x = |√D Lᵀx|².
            let mut up = x.clone();
            factors.turn_up(index, &mut up);
            let along: f64 = times(&matrix, &x).iter().zip(&x).map(|(y, x)| x * y).sum();
            let scaled = up.iter().zip(factors.inverse_roots(index)).map(|(u, root)| u / root);
            let square: f64 = scaled.map(|u| u * u).sum();
            assert!((along - square).abs() < 1e-12 * along);
            factors.backward(index, &mut up);
            for (x, y) in x.iter().zip(&up) {
                assert!((x - y).abs() < 1e-13);
            }
        }
        let mut copy = Factors::default();
        copy.push_like(&factors, 3);
        copy.push_like(&factors, 4);
        let [mut x, mut y] = [vec![1.0; 18], vec![1.0; 18]];
        factors.solve(4, &mut x);
        copy.solve(1, &mut y);
        assert_eq!(x, y);
        copy.pop();
        assert_eq!(copy.len(), 1);
    }

    #[test]
    fn a_pivot_that_is_not_positive_is_named() {
        let mut matrix = tree(9);
        matrix[7 * 9 + 7] = -1.0;
        let mut factors = Factors::default();
        let found = factors.push(&matrix, 9, |_| 0.0, |left, given| left > 0.0 && given > 0.0);
        assert_eq!(found.unwrap_err().0, 7);
        assert!(factors.is_empty());
        factors
            .push(&matrix, 9, |k| if k == 7 { 20.0 } else { 0.0 }, |left, _| left > 0.0)
            .unwrap();
    }
}
