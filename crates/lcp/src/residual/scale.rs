//! What each row of a problem is measured by, after splitting it into blocks that no entry of M connects.

use super::{EXCUSED_MOST, EXCUSED_ROUNDINGS};
use crate::problem::View;

/// What is excused of the terms of a row.
const EXCUSED_REL_ROUNDING: f64 = EXCUSED_ROUNDINGS * f64::EPSILON;

/// What drives a block: largest numbers of its rows, as they stand and in the units in which M has a unit diagonal.
#[derive(Debug, Clone, Copy, Default)]
struct Block {
    q: f64,
    q_units: f64,
    z: f64,
    z_units: f64,
}

/// Scales of rows, with their buffers.
#[derive(Debug, Clone, Default)]
pub(super) struct Scales {
    /// The block of each row: the least of its rows.
    block: Vec<usize>,
    blocks: Vec<Block>,
    /// √|M_ii|: the unit of row i, and of 1/z_i.
    unit: Vec<f64>,
    /// Largest of |q_i| and the products of row i with bounds other than 0 where z stands: what drives it.
    drive: Vec<f64>,
    scale: Vec<f64>,
    cap: Vec<f64>,
    floor: Vec<f64>,
    /// Rows on which nothing acts but specks.
    bare: Vec<bool>,
}

impl Scales {
    /// S_i: what the residual of row i is compared with.
    pub(super) fn of(&self, i: usize) -> f64 {
        self.scale[i]
    }

    /// Rounding that the second figure excuses in row i.
    pub(super) fn floor(&self, i: usize) -> f64 {
        self.floor[i]
    }

    /// Largest z of the block of row i, as it stands or in the unit of z_i, whichever is less.
    pub(super) fn largest_z(&self, i: usize) -> f64 {
        let block = self.blocks[self.block[i]];
        least(block.z, block.z_units / self.unit[i], self.unit[i])
    }

    /// Measures the rows of a problem for z within its bounds, with `terms` T_i; w, `terms` and q are taken in units of `factor`.
    pub(super) fn set(&mut self, problem: View<'_>, z: &[f64], terms: &[f64], factor: f64) {
        let n = z.len();
        self.split(problem);
        self.unit.clear();
        self.unit.extend(problem.M.diagonal().iter().map(|m| m.abs().sqrt()));
        self.drive.clear();
        self.drive.extend(problem.q.iter().map(|q| q.abs() * factor));
        self.add_bounds(problem, z, factor);
        self.blocks.clear();
        self.blocks.resize(n, Block::default());
        for i in 0..n {
            let (block, unit) = (&mut self.blocks[self.block[i]], self.unit[i]);
            block.q = block.q.max(self.drive[i]);
            block.z = block.z.max(z[i].abs());
            // A row without a unit of its own says nothing unless it is driven, and then there are no common units.
            if unit > 0.0 || self.drive[i] > 0.0 {
                block.q_units = block.q_units.max(self.drive[i] / unit);
            }
            block.z_units = block.z_units.max(if z[i] == 0.0 { 0.0 } else { z[i].abs() * unit });
            if unit == 0.0 && z[i] != 0.0 {
                block.z_units = f64::INFINITY;
            }
        }
        self.cap.clear();
        for (i, &terms) in terms.iter().enumerate() {
            let (block, unit) = (self.blocks[self.block[i]], self.unit[i]);
            self.cap.push(if block.q > 0.0 {
                least(block.q, block.q_units * unit, unit).max(self.drive[i])
            } else {
                terms // nothing drives the block: it has no size but that of its answer
            });
        }
        self.find_bare(problem, z, factor);
        self.scale.clear();
        self.floor.clear();
        for (i, &terms) in terms.iter().enumerate() {
            let cap = self.cap[i];
            self.scale.push(if self.bare[i] {
                cap
            } else {
                self.drive[i].max(terms.min(cap))
            });
            self.floor.push((EXCUSED_REL_ROUNDING * terms).min(EXCUSED_MOST * cap));
        }
    }

    /// Finds the rows on which nothing acts but specks.
    fn find_bare(&mut self, problem: View<'_>, z: &[f64], factor: f64) {
        self.bare.clear();
        self.bare.extend(self.drive.iter().map(|drive| *drive == 0.0));
        if !self.bare.contains(&true) {
            return;
        }
        for (j, zj) in z.iter().enumerate().filter(|(_, zj)| **zj != 0.0) {
            if !self.is_speck(problem, j, *zj, factor) {
                for (bare, m) in self.bare.iter_mut().zip(problem.M.column(j)) {
                    *bare &= *m == 0.0;
                }
            }
        }
    }

    /// Whether z_j is lost in rounding: that of what may drive row j, which determines it, and that of the largest z of its block.
    fn is_speck(&self, problem: View<'_>, j: usize, zj: f64, factor: f64) -> bool {
        let own = problem.M.diagonal()[j].abs() * (zj.abs() * factor);
        own > 0.0 && own <= EXCUSED_REL_ROUNDING * self.cap[j] && zj.abs() <= EXCUSED_REL_ROUNDING * self.largest_z(j)
    }

    /// Products of M with bounds other than 0 where z stands: they are data, as q is.
    fn add_bounds(&mut self, problem: View<'_>, z: &[f64], factor: f64) {
        for (j, &zj) in z.iter().enumerate() {
            let (lower, upper) = problem.bounds.of(j);
            if zj != 0.0 && (zj == lower || zj == upper) {
                for (drive, m) in self.drive.iter_mut().zip(problem.M.column(j)) {
                    *drive = drive.max((m * (zj * factor)).abs());
                }
            }
        }
    }

    /// Finds the blocks: rows i and j are of one where M_ij or M_ji is not zero.
    fn split(&mut self, problem: View<'_>) {
        let n = problem.q.len();
        self.block.clear();
        self.block.extend(0..n);
        let mut count = n;
        for j in 0..n {
            if count == 1 {
                break;
            }
            let column = problem.M.column(j);
            if let Some(rows) = problem.M.thin_column(j) {
                for &i in rows {
                    count -= usize::from(join(&mut self.block, i as usize, j));
                }
            } else {
                for (i, &m) in column.iter().enumerate() {
                    if m != 0.0 {
                        count -= usize::from(join(&mut self.block, i, j));
                    }
                }
            }
        }
        // Every row points to one before it, or to itself.
        for i in 0..n {
            self.block[i] = self.block[self.block[i]];
        }
    }
}

/// The less of a number as it stands and the same in a unit; the first alone where the unit is 0.
fn least(plain: f64, in_units: f64, unit: f64) -> f64 {
    if unit > 0.0 { plain.min(in_units) } else { plain }
}

fn root(block: &mut [usize], mut i: usize) -> usize {
    while block[i] != i {
        block[i] = block[block[i]];
        i = block[i];
    }
    i
}

/// Whether two blocks became one.
fn join(block: &mut [usize], i: usize, j: usize) -> bool {
    let (a, b) = (root(block, i), root(block, j));
    block[a.max(b)] = a.min(b);
    a != b
}
