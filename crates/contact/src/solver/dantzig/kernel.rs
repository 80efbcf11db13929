//! The system of fdirection \[Baraff (9)\]: rows a = 0 of the clamped conditions, columns of the forces that keep them.
//!
//! A clamped normal has the row n and the column n + g, where g is μ times the direction of a sliding friction or the drag of a dynamic one,
//! and 0 otherwise; clamped friction has one direction as row and column. While every g is 0 the system is symmetric and kept by its
//! Cholesky factor, afterwards by L K = U. Both change by a row and a column at a time.

use stiction_lcp::factor::{Cholesky, Lu};

use crate::solver::columns::Columns;

/// Share of its terms below which a new row's Schur complement counts as zero: half the digits would be lost.
const SCHUR: f64 = 1e-10;
/// Changes of L K = U after which it is computed anew: updates lose about a digit in as many.
const REFACTOR: usize = 30;

/// What a row of the system holds at zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Clamp {
    /// Normal acceleration of a contact, or a joint row. The force along n brings friction `g` with it.
    Normal {
        /// Along the tangents, per normal force.
        g: [f64; 2],
    },
    /// Acceleration along a direction of the tangent plane.
    Along {
        /// Unit vector in the tangents.
        e: [f64; 2],
    },
}

/// One row and column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unknown {
    pub(super) item: usize,
    pub(super) clamp: Clamp,
}

impl Unknown {
    /// Combination of the item's columns that the unknown pushes with.
    #[inline]
    pub(super) fn push(&self) -> [f64; 3] {
        match self.clamp {
            Clamp::Normal { g } => [1.0, g[0], g[1]],
            Clamp::Along { e } => [0.0, e[0], e[1]],
        }
    }

    /// Combination of the item's columns whose acceleration is zero.
    #[inline]
    pub(super) fn row(&self) -> [f64; 3] {
        match self.clamp {
            Clamp::Normal { .. } => [1.0, 0.0, 0.0],
            Clamp::Along { e } => [0.0, e[0], e[1]],
        }
    }

    fn is_oblique(&self) -> bool {
        matches!(self.clamp, Clamp::Normal { g } if g != [0.0; 2])
    }
}

/// The system and its factor.
#[derive(Debug, Clone, Default)]
pub(super) struct Kernel {
    unknowns: Vec<Unknown>,
    /// Rows W and columns Z over the coordinates of each item, `stride` apart.
    W: Vec<f64>,
    Z: Vec<f64>,
    stride: usize,
    cholesky: Cholesky,
    lu: Lu<f64>,
    /// The factor in use is L K = U.
    oblique: bool,
    changes: usize,
    /// New row, new column, solution.
    row: Vec<f64>,
    column: Vec<f64>,
    x: Vec<f64>,
    /// The column that was last asked for, while the factor is still the same: `column` holds its products, `y` the half of its solution.
    asked: Option<(usize, [f64; 3])>,
    y: Vec<f64>,
    piece: Vec<f64>,
}

impl Kernel {
    /// Nothing clamped.
    pub(super) fn clear(&mut self, columns: &Columns) {
        self.unknowns.clear();
        self.W.clear();
        self.Z.clear();
        self.stride = columns.items.iter().map(|item| item.len).max().unwrap_or(0);
        self.cholesky.clear();
        self.lu.clear();
        self.oblique = false;
        self.changes = 0;
        self.asked = None;
    }

    /// Rows in the order of the system.
    pub(super) fn unknowns(&self) -> &[Unknown] {
        &self.unknowns
    }

    /// Position of a clamp of an item: its normal, or friction along some direction.
    pub(super) fn find(&self, item: usize, normal: bool) -> Option<usize> {
        self.unknowns
            .iter()
            .position(|u| u.item == item && matches!(u.clamp, Clamp::Normal { .. }) == normal)
    }

    fn w(&self, p: usize) -> &[f64] {
        &self.W[p * self.stride..(p + 1) * self.stride]
    }

    fn z(&self, p: usize) -> &[f64] {
        &self.Z[p * self.stride..(p + 1) * self.stride]
    }

    /// Adds a row and column. `false`, and nothing changed, where it depends on the others.
    #[must_use]
    pub(super) fn append(&mut self, columns: &Columns, unknown: Unknown) -> bool {
        let k = self.unknowns.len();
        let is_known = self.asked.take() == Some((unknown.item, unknown.push()));
        self.store(columns, unknown);
        if !is_known {
            self.column.clear();
            for p in 0..k {
                let other = self.unknowns[p].item;
                self.column
                    .push(columns.product(other, self.w(p), unknown.item, self.z(k)));
            }
        }
        self.row.clear();
        if self.oblique || unknown.is_oblique() {
            for p in 0..k {
                let other = self.unknowns[p].item;
                self.row
                    .push(columns.product(unknown.item, self.w(k), other, self.z(p)));
            }
        }
        let corner = columns.product(unknown.item, self.w(k), unknown.item, self.z(k));
        let regular = if self.oblique || unknown.is_oblique() {
            self.append_oblique(columns, corner)
        } else if is_known {
            self.cholesky.append_forward(&self.y, corner, SCHUR)
        } else {
            self.cholesky.append(&self.column, corner, SCHUR)
        };
        if !regular {
            self.W.truncate(k * self.stride);
            self.Z.truncate(k * self.stride);
            return false;
        }
        self.unknowns.push(unknown);
        true
    }

    fn store(&mut self, columns: &Columns, unknown: Unknown) {
        for (list, p) in [(&mut self.W, unknown.row()), (&mut self.Z, unknown.push())] {
            let start = list.len();
            if columns.items[unknown.item].is_joint {
                let item = &columns.items[unknown.item];
                list.extend_from_slice(&columns.values[item.start..item.start + item.len]);
            } else {
                columns.combine(unknown.item, p, list);
            }
            list.resize(start + self.stride, 0.0);
        }
    }

    fn append_oblique(&mut self, columns: &Columns, corner: f64) -> bool {
        let k = self.unknowns.len();
        if (!self.oblique || self.changes >= REFACTOR) && !self.factor_oblique(columns) {
            return false;
        }
        self.x.resize(k.max(self.x.len()), 0.0);
        self.lu.solve(&self.column, &mut self.x);
        let (mut schur, mut terms) = (corner, corner.abs());
        for (r, x) in self.row.iter().zip(&self.x) {
            schur -= r * x;
            terms += (r * x).abs();
        }
        if schur.abs() <= SCHUR * terms || !schur.is_finite() {
            return false;
        }
        self.lu.append(&self.row, corner);
        self.changes += 1;
        let regular = !self.lu.is_singular();
        if !regular {
            // As it was: the caller does not take the row up.
            self.lu.remove(k, k);
        }
        regular
    }

    /// L K = U of the present rows.
    fn factor_oblique(&mut self, columns: &Columns) -> bool {
        let k = self.unknowns.len();
        let Self {
            unknowns,
            W,
            Z,
            stride,
            lu,
            ..
        } = self;
        self.oblique = true;
        self.changes = 0;
        let part = |p: usize| p * *stride..(p + 1) * *stride;
        lu.factor(k, |i, j| {
            columns.product(unknowns[i].item, &W[part(i)], unknowns[j].item, &Z[part(j)])
        })
    }

    /// Row and column p leave.
    pub(super) fn remove(&mut self, p: usize) {
        self.asked = None;
        self.unknowns.remove(p);
        for list in [&mut self.W, &mut self.Z] {
            list.drain(p * self.stride..(p + 1) * self.stride);
        }
        if self.oblique {
            self.lu.remove(p, p);
            self.changes += 1;
        } else {
            self.cholesky.remove(p);
        }
        if self.unknowns.is_empty() {
            self.oblique = false;
            self.cholesky.clear();
            self.lu.clear();
        }
    }

    /// Computes L K = U anew where it has been changed. `false`: singular.
    pub(super) fn renew(&mut self, columns: &Columns) -> bool {
        !self.oblique || self.changes == 0 || self.factor_oblique(columns)
    }

    /// K x = b.
    pub(super) fn solve(&mut self, b: &[f64], x: &mut [f64]) {
        if self.oblique {
            self.lu.solve(b, x);
        } else {
            self.cholesky.solve(b, x);
        }
    }

    /// W_pᵀv of every row.
    pub(super) fn along(&self, columns: &Columns, v: &[f64], out: &mut Vec<f64>) {
        out.clear();
        for (p, u) in self.unknowns.iter().enumerate() {
            out.push(columns.dot(u.item, self.w(p), v));
        }
    }

    /// Forces of the unknowns that answer a unit of the combination `push` of an item's columns: K x = −Wᵀ push.
    pub(super) fn answer(&mut self, columns: &Columns, item: usize, push: [f64; 3], x: &mut Vec<f64>) {
        let mut piece = std::mem::take(&mut self.piece);
        piece.clear();
        columns.combine(item, push, &mut piece);
        self.column.clear();
        for (p, u) in self.unknowns.iter().enumerate() {
            let w = &self.W[p * self.stride..(p + 1) * self.stride];
            self.column.push(columns.product(u.item, w, item, &piece));
        }
        self.piece = piece;
        let k = self.unknowns.len();
        x.resize(k.max(x.len()), 0.0);
        if self.oblique {
            self.lu.solve(&self.column, x);
        } else {
            self.y.resize(k.max(self.y.len()), 0.0);
            self.cholesky.forward(&self.column, &mut self.y);
            x[..k].copy_from_slice(&self.y[..k]);
            self.cholesky.backward(x);
        }
        x[..k].iter_mut().for_each(|x| *x = -*x);
        self.asked = Some((item, push));
    }
}
