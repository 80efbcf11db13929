//! The judge's own factor of the mass matrix, 𝓜 = LDLᵀ by blocks: no roots, so that a diagonal mass divides exactly.
//!
//! That of a free body costs no more than its 3×3 inertia; others are factored in blocks of six.

use crate::problem::ContactProblem;
use crate::six::Factors;
use crate::stamp::Stamp;

/// Coordinates of a body in space.
const BODY: usize = 6;

/// Where the factor of a block lies.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// Only the last three coordinates depend on each other: Lᵀ row by row, with D on its diagonal.
    Body(usize),
    /// Among those in blocks of six.
    Wide(usize),
}

/// Block factors.
#[derive(Debug, Clone, Default)]
pub(crate) struct MassFactor {
    places: Vec<Place>,
    bodies: Vec<[f64; BODY * BODY]>,
    wide: Factors,
    /// The problem that the factors are of.
    stamp: Option<Stamp>,
}

impl MassFactor {
    /// Factors the mass of a problem. Does not allocate when it has seen one as large.
    pub(crate) fn set(&mut self, problem: &ContactProblem) {
        if self.stamp.is_some_and(|stamp| stamp.is(problem.stamp())) {
            return;
        }
        self.stamp = Some(problem.stamp());
        self.places.clear();
        self.bodies.clear();
        self.wide.clear();
        for block in 0..problem.block_count() {
            let (dim, mass) = (problem.block_range(block).len(), problem.mass(block));
            let body = mass.first_chunk().filter(|_| dim == BODY).and_then(factor_body);
            self.places.push(if let Some(body) = body {
                self.bodies.push(body);
                Place::Body(self.bodies.len() - 1)
            } else {
                // Problems have masses that are positive definite: no pivot is refused.
                let factored = self.wide.push(mass, dim, |_| 0.0, |_, _| true);
                debug_assert!(factored.is_ok());
                Place::Wide(self.wide.len() - 1)
            });
        }
    }

    /// xᵀ𝓜⁻¹x; x is overwritten.
    pub(crate) fn square(&self, block: usize, x: &mut [f64]) -> f64 {
        match self.places[block] {
            Place::Body(index) => {
                let x = x.first_chunk_mut();
                x.map_or(0.0, |x| square_of_body(&self.bodies[index], x))
            }
            Place::Wide(index) => {
                self.wide.forward(index, x);
                let diagonal = self.wide.diagonal(index);
                x.iter().zip(diagonal).map(|(x, d)| x / d * x).sum()
            }
        }
    }

    /// The same for a row of a body in space, which stays as it is; `None` for other blocks.
    #[inline]
    pub(crate) fn square_of_body(&self, block: usize, x: &[f64; BODY]) -> Option<f64> {
        match self.places[block] {
            Place::Body(index) => Some(square_of_body(&self.bodies[index], &mut x.clone())),
            Place::Wide(_) => None,
        }
    }

    /// xᵀ𝓜x; x is overwritten. The factor of larger blocks has fewer entries than their mass, which is given.
    pub(crate) fn twice_energy(&self, block: usize, mass: &[f64], x: &mut [f64]) -> f64 {
        match self.places[block] {
            Place::Body(_) => {
                let rows = mass.as_chunks::<BODY>().0.iter().zip(&*x);
                let along = |row: &[f64; BODY]| row.iter().zip(&*x).map(|(m, x)| m * x).sum::<f64>();
                rows.map(|(row, y)| y * along(row)).sum()
            }
            Place::Wide(index) => {
                self.wide.turn_up(index, x);
                x.iter().zip(self.wide.diagonal(index)).map(|(x, d)| d * x * x).sum()
            }
        }
    }

    /// x ← 𝓜⁻¹x.
    pub(crate) fn solve(&self, block: usize, x: &mut [f64]) {
        match self.places[block] {
            Place::Body(index) => {
                if let Some(x) = x.first_chunk_mut() {
                    solve_of_body(&self.bodies[index], x);
                }
            }
            Place::Wide(index) => self.wide.solve(index, x),
        }
    }
}

/// From the lower half of the mass of a body in space; none where more than its last three coordinates depend on each other.
fn factor_body(mass: &[f64; BODY * BODY]) -> Option<[f64; BODY * BODY]> {
    const BESIDE: [usize; 12] = [6, 12, 13, 18, 19, 20, 24, 25, 26, 30, 31, 32];
    if BESIDE.iter().any(|k| mass[*k] != 0.0) {
        return None;
    }
    let mut L = [0.0; BODY * BODY];
    for k in 0..BODY {
        L[7 * k] = mass[7 * k];
    }
    let [yx, zx, zy] = [mass[27], mass[33], mass[34]];
    (L[22], L[23]) = (yx / L[21], zx / L[21]);
    L[28] -= L[22] * yx;
    L[35] -= L[23] * zx;
    let zy = zy - L[22] * zx;
    L[29] = zy / L[28];
    L[35] -= L[29] * zy;
    Some(L)
}

/// x ← L⁻¹x for the factor of a body in space.
#[inline]
fn forward_body(L: &[f64; BODY * BODY], x: &mut [f64; BODY]) {
    x[4] -= L[22] * x[3];
    x[5] -= L[23] * x[3];
    x[5] -= L[29] * x[4];
}

/// x ← 𝓜⁻¹x for such a factor.
#[inline]
fn solve_of_body(L: &[f64; BODY * BODY], x: &mut [f64; BODY]) {
    forward_body(L, x);
    for r in 0..BODY {
        x[r] /= L[7 * r];
    }
    x[3] -= L[23] * x[5];
    x[4] -= L[29] * x[5];
    x[3] -= L[22] * x[4];
}

/// xᵀ𝓜⁻¹x for such a factor; x is overwritten.
#[inline]
fn square_of_body(L: &[f64; BODY * BODY], x: &mut [f64; BODY]) -> f64 {
    forward_body(L, x);
    (0..BODY).map(|r| x[r] / L[7 * r] * x[r]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_with_the_mass_of_each_block() {
        let mut problem = ContactProblem::new();
        problem.add_block(&[4.0], &[0.0]).unwrap();
        let mass = [
            2.0, 0.0, 0.0, 0.0, //
            0.0, 3.0, 0.5, -0.25, //
            0.0, 0.5, 2.0, 0.0, //
            0.0, -0.25, 0.0, 1.0,
        ];
        problem.add_block(&mass, &[0.0; 4]).unwrap();
        let mut factor = MassFactor::default();
        factor.set(&problem);
        let x = [1.0, -2.0, 3.0, 0.5];
        let mut y: Vec<f64> = (0..4).map(|r| (0..4).map(|c| mass[4 * r + c] * x[c]).sum()).collect();
        let product: f64 = (0..4).map(|k| x[k] * y[k]).sum();
        assert!((factor.square(1, &mut y.clone()) - product).abs() < 1e-13);
        factor.solve(1, &mut y);
        for k in 0..4 {
            assert!((y[k] - x[k]).abs() < 1e-14, "{y:?}");
        }
        let mut y = [8.0];
        factor.solve(0, &mut y);
        assert_eq!(y, [2.0]);
    }
}
