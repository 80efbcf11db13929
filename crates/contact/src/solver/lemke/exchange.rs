//! Updates of a large kernel: a factored base, and the unknowns that entered or left since.
//!
//! A pivot changes one to three unknowns of the kernel, its factor costs O(r b²). So the factor of a base S₀ is kept, and the
//! change is solved by its Schur complement, as ArtiSynth's and Siconos' pivoting codes do. An unknown a that entered adds a
//! column and a row; one that left (m) keeps its column but is held at zero, y_m = 0, by a slack in its row:
//!
//! ```text
//! [ S₀  B  E  g ] [ y₀ ]   [ ρ₀ ]       V = S₀⁻¹ (B, E, g)
//! [ C   D  0  g ] [ y_a]   [ ρ_a]       T = lower right − (C; Eᵀ; hᵀ) V
//! [ Eᵀ  0  0  0 ] [ t  ] = [ 0  ]
//! [ hᵀ  h  0  s ] [ z₀ ]   [ η  ]
//! ```
//!
//! Columns of V belong to unknowns and are kept from pivot to pivot; only g's is new each time.

use super::factor::{BandLu, DenseLu};
use super::unknowns::Unknown;
use crate::solver::columns::Columns;

/// Changes after which the base is factored anew.
const CHANGES: usize = 20;

/// The Schur complement of the border alone is useless where it cancels to this part of its terms: S is close to singular then,
/// while the bordered matrix need not be.
const CANCELLED: f64 = 1e-12;

/// Stands for no index.
const NONE: usize = usize::MAX;

/// An unknown that entered or left.
#[derive(Debug, Clone, Default)]
struct Extra {
    /// (item, κ, x) of one that entered.
    entered: Option<Identity>,
    /// Its index among the current unknowns; of one that left, its index in the base.
    index: usize,
    /// Column of V.
    v: Vec<f64>,
    /// Row of C, zero outside `span`; unused for one that left.
    row: Vec<f64>,
    span: [usize; 2],
}

/// What tells unknowns apart: item, κ and x decide row and column.
type Identity = (usize, Option<usize>, Option<usize>);

fn identity(u: &Unknown) -> Identity {
    (u.item, u.kappa, u.x)
}

/// Rows and columns of unknowns over the coordinates of their items.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vectors<'a> {
    pub(super) unknowns: &'a [Unknown],
    pub(super) rows: &'a [f64],
    pub(super) cols: &'a [f64],
}

impl Vectors<'_> {
    /// uᵀz of unknown a of these and unknown b of others.
    fn product(self, columns: &Columns, a: usize, others: Vectors<'_>, b: usize) -> f64 {
        let (u, z) = (&self.unknowns[a], &others.unknowns[b]);
        let row = &self.rows[u.at..u.at + columns.items[u.item].len];
        let column = &others.cols[z.at..z.at + columns.items[z.item].len];
        columns.product(u.item, row, z.item, column)
    }
}

/// The border of z₀ in the order of the current unknowns.
#[derive(Debug, Clone, Copy)]
pub(super) struct BorderSystem<'a> {
    pub(super) g: &'a [f64],
    pub(super) h: &'a [f64],
    pub(super) s: f64,
}

/// Base of a large kernel and what changed since.
#[derive(Debug, Clone, Default)]
pub(super) struct Exchange {
    valid: bool,
    base: Vec<Unknown>,
    base_rows: Vec<f64>,
    base_cols: Vec<f64>,
    /// Current index of each base unknown, or [`NONE`].
    kept: Vec<usize>,
    entered: Vec<usize>,
    left: Vec<usize>,
    extras: Vec<Extra>,
    /// Those of the last pivot, while the new ones are found; those that nobody needs.
    known: Vec<Extra>,
    spare: Vec<Extra>,
    /// S₀⁻¹g and h on the base.
    v_g: Vec<f64>,
    h: Vec<f64>,
    bordered: bool,
    t: DenseLu,
    x: Vec<f64>,
    e: Vec<f64>,
}

impl Exchange {
    /// The base is of no use any more.
    pub(super) fn forget(&mut self) {
        self.valid = false;
    }

    /// The current unknowns become the base: their kernel has just been factored.
    pub(super) fn rebase(&mut self, now: Vectors<'_>) {
        self.valid = true;
        self.base.clear();
        self.base.extend_from_slice(now.unknowns);
        self.base_rows.clear();
        self.base_rows.extend_from_slice(now.rows);
        self.base_cols.clear();
        self.base_cols.extend_from_slice(now.cols);
        self.spare.append(&mut self.extras);
    }

    /// Compares the current unknowns with the base. False where they differ too much, or there is none.
    pub(super) fn compare(&mut self, now: &[Unknown]) -> bool {
        if !self.valid {
            return false;
        }
        self.kept.clear();
        self.entered.clear();
        self.left.clear();
        // Both lists are in the order of items, θ before κ, κ ascending.
        let order = |u: &Unknown| (u.item, u.kappa.map_or(0, |k| k + 1));
        let mut a = 0;
        for u in &self.base {
            while a < now.len() && order(&now[a]) < order(u) {
                self.entered.push(a);
                a += 1;
            }
            if a < now.len() && identity(&now[a]) == identity(u) {
                self.kept.push(a);
                a += 1;
            } else {
                self.kept.push(NONE);
                self.left.push(self.kept.len() - 1);
            }
        }
        self.entered.extend(a..now.len());
        self.entered.len() + self.left.len() <= CHANGES
    }

    /// Builds and factors T. False where it is singular.
    pub(super) fn factor(
        &mut self,
        columns: &Columns,
        band: &BandLu,
        now: Vectors<'_>,
        border: Option<BorderSystem<'_>>,
    ) -> bool {
        self.find_extras(columns, band, now);
        self.bordered = border.is_some();
        let r = self.base.len();
        self.v_g.clear();
        self.h.clear();
        if let Some(BorderSystem { g, h, .. }) = border {
            let on_base = |list: &[f64], a: &usize| if *a == NONE { 0.0 } else { list[*a] };
            self.v_g.extend(self.kept.iter().map(|a| on_base(g, a)));
            self.h.extend(self.kept.iter().map(|a| on_base(h, a)));
            band.solve(&mut self.v_g);
        }
        let k = self.extras.len();
        let n = k + usize::from(self.bordered);
        let mut t = std::mem::take(&mut self.t);
        t.reset(n);
        for (p, extra) in self.extras.iter().enumerate() {
            for (q, other) in self.extras.iter().enumerate() {
                let d = match (extra.entered, other.entered) {
                    (Some(_), Some(_)) => now.product(columns, extra.index, now, other.index),
                    _ => 0.0,
                };
                t.a[p * n + q] = d - extra.dot(&other.v);
            }
        }
        let mut regular = true;
        if let Some(BorderSystem { g, h, s }) = border {
            for (p, extra) in self.extras.iter().enumerate() {
                let (g, h) = extra.entered.map_or((0.0, 0.0), |_| (g[extra.index], h[extra.index]));
                t.a[p * n + k] = g - extra.dot(&self.v_g);
                t.a[k * n + p] = h - (0..r).map(|j| self.h[j] * extra.v[j]).sum::<f64>();
            }
            let (mut sum, mut terms) = (s, s.abs());
            for j in 0..r {
                sum -= self.h[j] * self.v_g[j];
                terms += (self.h[j] * self.v_g[j]).abs();
            }
            t.a[k * n + k] = sum;
            regular = k > 0 || sum.abs() > CANCELLED * terms;
        }
        regular &= t.factor();
        self.t = t;
        regular
    }

    /// Columns of V and rows of C for what entered and left; those known from earlier pivots are kept.
    fn find_extras(&mut self, columns: &Columns, band: &BandLu, now: Vectors<'_>) {
        std::mem::swap(&mut self.extras, &mut self.known);
        let mut known = std::mem::take(&mut self.known);
        for l in 0..self.left.len() {
            let j = self.left[l];
            let found = known.iter().position(|x| x.entered.is_none() && x.index == j);
            let extra = match found {
                Some(at) => known.swap_remove(at),
                None => self.new_slack(columns, band, j),
            };
            self.extras.push(extra);
        }
        for k in 0..self.entered.len() {
            let a = self.entered[k];
            let id = identity(&now.unknowns[a]);
            let found = known.iter().position(|x| x.entered == Some(id));
            let mut extra = match found {
                Some(at) => known.swap_remove(at),
                None => self.new_column(columns, band, now, a),
            };
            extra.index = a;
            self.extras.push(extra);
        }
        self.spare.append(&mut known);
        self.known = known;
    }

    /// An extra with room for any base: a regular kernel has no more unknowns than the bodies have coordinates.
    fn blank(&mut self, columns: &Columns) -> Extra {
        let mut extra = self.spare.pop().unwrap_or_default();
        extra.v.clear();
        extra.v.reserve(columns.k_x.len());
        extra.row.clear();
        extra.row.reserve(columns.k_x.len());
        extra
    }

    fn new_slack(&mut self, columns: &Columns, band: &BandLu, j: usize) -> Extra {
        let mut extra = self.blank(columns);
        (extra.entered, extra.index) = (None, j);
        extra.v.resize(self.base.len(), 0.0);
        extra.v[j] = 1.0;
        band.solve(&mut extra.v);
        extra
    }

    fn new_column(&mut self, columns: &Columns, band: &BandLu, now: Vectors<'_>, a: usize) -> Extra {
        let mut extra = self.blank(columns);
        extra.entered = Some(identity(&now.unknowns[a]));
        let base = Vectors {
            unknowns: &self.base,
            rows: &self.base_rows,
            cols: &self.base_cols,
        };
        extra.span = [self.base.len(), 0];
        for j in 0..self.base.len() {
            extra.v.push(base.product(columns, j, now, a));
            let x = now.product(columns, a, base, j);
            extra.row.push(x);
            if x != 0.0 {
                extra.span = [extra.span[0].min(j), j + 1];
            }
        }
        band.solve(&mut extra.v);
        extra
    }

    /// Solves for `rho` in the order of the current unknowns, η last where there is a border; y and z₀ replace it.
    pub(super) fn solve(&mut self, band: &BandLu, rho: &mut [f64]) {
        let r = self.base.len();
        self.x.clear();
        self.x
            .extend(self.kept.iter().map(|a| if *a == NONE { 0.0 } else { rho[*a] }));
        band.solve(&mut self.x);
        self.e.clear();
        for extra in &self.extras {
            let right = extra.entered.map_or(0.0, |_| rho[extra.index]);
            self.e.push(right - extra.dot(&self.x));
        }
        if self.bordered {
            let eta = rho[rho.len() - 1];
            self.e.push(eta - (0..r).map(|j| self.h[j] * self.x[j]).sum::<f64>());
        }
        self.t.solve(&mut self.e);
        for (extra, e) in self.extras.iter().zip(&self.e) {
            for j in 0..r {
                self.x[j] -= e * extra.v[j];
            }
            if extra.entered.is_some() {
                rho[extra.index] = *e;
            }
        }
        if self.bordered {
            let z0 = self.e[self.extras.len()];
            for j in 0..r {
                self.x[j] -= z0 * self.v_g[j];
            }
            rho[rho.len() - 1] = z0;
        }
        for (x, a) in self.x.iter().zip(&self.kept) {
            if *a != NONE {
                rho[*a] = *x;
            }
        }
    }
}

impl Extra {
    /// Product of the row with a vector on the base.
    fn dot(&self, v: &[f64]) -> f64 {
        if self.entered.is_none() {
            return v[self.index];
        }
        let [from, to] = self.span;
        (from..to).map(|j| self.row[j] * v[j]).sum()
    }
}
