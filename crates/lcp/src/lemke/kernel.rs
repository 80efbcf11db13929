//! The kernel K = M̄_RC of an (almost) complementary basis, and what is computed with it: (19)–(22) of [Lloyd TR].
//!
//! Rows and columns are scaled by powers of two, M̃ = D_r M D_c, so that no rounding is added and complementarity is kept:
//! w̃ = D_r w, z = D_c z̃. The scales come with the matrix ([`crate::Matrix::row_scale`]).

use super::Start;
use crate::basis::Var;
use crate::factor::Lu;
use crate::pivoting::Data;
use crate::real::Real;

const ABSENT: usize = usize::MAX;

/// z is large beside q above this ratio, both balanced: three of sixteen digits are then lost in a plain residual.
const LARGE_VALUE_RATIO: f64 = 1e3;

/// Index sets, factors and covering vector.
#[derive(Debug, Clone)]
pub(super) struct Kernel<T> {
    lu: Lu<T>,
    /// C: basic z in the order of K's columns; n stands for z₀.
    pub(super) columns: Vec<usize>,
    /// R: rows whose w is nonbasic, in the order of K's rows.
    rows: Vec<usize>,
    /// Place of z_j in `columns`, of w_i in `rows`, or `ABSENT`.
    column_position: Vec<usize>,
    row_position: Vec<usize>,
    /// Covering vector c in scaled rows.
    c: Vec<T>,
    /// Right-hand side or new row, length k.
    b: Vec<T>,
    pub(super) factorizations: usize,
}

impl<T: Real> Default for Kernel<T> {
    fn default() -> Self {
        Self {
            lu: Lu::default(),
            columns: Vec::new(),
            rows: Vec::new(),
            column_position: Vec::new(),
            row_position: Vec::new(),
            c: Vec::new(),
            b: Vec::new(),
            factorizations: 0,
        }
    }
}

impl<T: Real> Kernel<T> {
    /// Empties the kernel and enters the z listed in `start` and the free ones. [`Kernel::factor`] comes next.
    pub(super) fn begin(&mut self, data: Data<'_>, start: &[bool]) {
        let n = data.q.len();
        self.lu.clear();
        self.lu.reserve(n + 1);
        self.factorizations = 0;
        for list in [&mut self.columns, &mut self.rows] {
            list.clear();
            list.reserve(n + 1);
        }
        self.b.clear();
        self.b.reserve(n + 1);
        self.column_position.clear();
        self.column_position.resize(n + 1, ABSENT);
        self.row_position.clear();
        self.row_position.resize(n, ABSENT);
        self.c.clear();
        self.c.resize(n, T::ONE);
        for i in 0..n {
            if data.is_free(i) || start.get(i).copied().unwrap_or(false) {
                self.push_column(i);
                self.push_row(i);
            }
        }
    }

    fn push_column(&mut self, j: usize) {
        self.column_position[j] = self.columns.len();
        self.columns.push(j);
    }

    fn push_row(&mut self, i: usize) {
        self.row_position[i] = self.rows.len();
        self.rows.push(i);
    }

    fn remove_column(&mut self, position: usize) {
        let gone = self.columns.remove(position);
        self.column_position[gone] = ABSENT;
        for p in position..self.columns.len() {
            self.column_position[self.columns[p]] = p;
        }
    }

    fn remove_row(&mut self, position: usize) {
        let gone = self.rows.remove(position);
        self.row_position[gone] = ABSENT;
        for p in position..self.rows.len() {
            self.row_position[self.rows[p]] = p;
        }
    }

    /// Entry of M̄ in scaled form; column n is c.
    fn entry(&self, data: Data<'_>, i: usize, j: usize) -> T {
        if j == data.q.len() {
            self.c[i]
        } else {
            T::from_f64(data.M.balanced(i, j))
        }
    }

    /// Factors K from scratch. False when it is singular.
    pub(super) fn factor(&mut self, data: Data<'_>) -> bool {
        self.factorizations += 1;
        let mut lu = std::mem::take(&mut self.lu);
        let regular = lu.factor(self.rows.len(), |p, s| self.entry(data, self.rows[p], self.columns[s]));
        self.lu = lu;
        regular
    }

    /// c = B c′ with c′ = 0 on free variables: c_i = c′_i − M_iα c′_α, where c′_i counts only if w_i is basic.
    pub(super) fn cover(&mut self, data: Data<'_>, start: Start<'_>) {
        let n = data.q.len();
        for i in 0..n {
            let basic = self.row_position[i] == ABSENT;
            self.c[i] = if basic {
                T::from_f64(start.cover_of(data, i))
            } else {
                T::ZERO
            };
        }
        for position in 0..self.columns.len() {
            let j = self.columns[position];
            if data.is_free(j) {
                continue;
            }
            for i in 0..n {
                self.c[i] -= T::from_f64(data.M.balanced(i, j)).times(start.cover_of(data, j));
            }
        }
    }

    pub(super) fn is_nonbasic_w(&self, i: usize) -> bool {
        self.row_position[i] != ABSENT
    }

    pub(super) fn is_free_column(&self, data: Data<'_>, position: usize) -> bool {
        data.is_free(self.columns[position])
    }

    pub(super) fn column_var(&self, position: usize) -> Var {
        let j = self.columns[position];
        if j == self.row_position.len() {
            Var::Z0
        } else {
            Var::Z(j)
        }
    }

    fn column_index(&self, var: Var) -> Option<usize> {
        match var {
            Var::Z(j) => Some(j),
            Var::Z0 => Some(self.row_position.len()),
            Var::W(_) => None,
        }
    }

    /// Place of a basic z or z₀ in C; `None` for a w or a nonbasic variable.
    pub(super) fn position(&self, var: Var) -> Option<usize> {
        let place = self.column_position[self.column_index(var)?];
        (place != ABSENT).then_some(place)
    }

    pub(super) fn position_of_z0(&self) -> Option<usize> {
        self.position(Var::Z0)
    }

    /// q′ (19): the basic z, and w in every row (zero in the rows of R).
    pub(super) fn values(&mut self, data: Data<'_>, x: &mut Vec<T>, w: &mut [T]) {
        let scale = data.M.row_scale();
        self.load_minus_q(data);
        x.clear();
        x.resize(self.columns.len(), T::ZERO);
        if self.columns.is_empty() {
            for i in 0..w.len() {
                w[i] = T::from_f64(data.q[i] * scale[i]);
            }
            return;
        }
        self.lu.solve(&self.b, x);
        self.product(data, x, None, w);
        for i in 0..w.len() {
            w[i] += T::from_f64(data.q[i] * scale[i]);
        }
        self.clear_nonbasic(w);
    }

    fn load_minus_q(&mut self, data: Data<'_>) {
        self.b.clear();
        let scale = data.M.row_scale();
        self.b
            .extend(self.rows.iter().map(|&i| T::from_f64(-data.q[i] * scale[i])));
    }

    /// The basic z as in [`Kernel::values`], then iterative refinement: one plain step, or two with residuals in twice the
    /// precision when z is large beside q. Forces a million times larger than q must be right to their last bits. `correction` is
    /// scratch.
    pub(super) fn refined_values(&mut self, data: Data<'_>, size: f64, x: &mut Vec<T>, correction: &mut Vec<T>) {
        self.load_minus_q(data);
        x.clear();
        x.resize(self.columns.len(), T::ZERO);
        self.lu.solve(&self.b, x);
        correction.clear();
        correction.resize(self.columns.len(), T::ZERO);
        let large = x.iter().any(|v| v.to_f64().abs() > LARGE_VALUE_RATIO * size);
        for _ in 0..if large { 2 } else { 1 } {
            self.load_residual(data, x, large);
            self.lu.solve(&self.b, correction);
            if correction.iter().any(|v| !v.to_f64().is_finite()) {
                return;
            }
            for (x, &d) in x.iter_mut().zip(correction.iter()) {
                *x += d;
            }
        }
    }

    /// b = −q_R − K x.
    fn load_residual(&mut self, data: Data<'_>, x: &[T], precise: bool) {
        for (position, &i) in self.rows.iter().enumerate() {
            let minus_q = T::from_f64(-data.q[i] * data.M.row_scale()[i]);
            let entries = self.columns.iter().map(|&j| self.entry(data, i, j));
            let terms = entries.zip(x.iter().copied());
            self.b[position] = if precise {
                T::residual(minus_q, terms)
            } else {
                terms.fold(minus_q, |sum, (k, x)| sum - k * x)
            };
        }
    }

    /// m′ (20), (21): how the basic variables move with the driving one.
    pub(super) fn direction(&mut self, data: Data<'_>, driving: Var, dx: &mut Vec<T>, dw: &mut [T]) {
        dx.clear();
        dx.resize(self.columns.len(), T::ZERO);
        let column = self.column_index(driving);
        if let Some(s) = column {
            self.b.clear();
            for p in 0..self.rows.len() {
                let entry = self.entry(data, self.rows[p], s);
                self.b.push(entry);
            }
            self.lu.solve(&self.b, dx);
            negate(dx);
        } else if let Var::W(s) = driving {
            self.lu.solve_unit(self.row_position[s], dx);
        }
        self.product(data, dx, column, dw);
        self.clear_nonbasic(dw);
    }

    /// Column `i` of B⁻¹: how the basic variables move with q_i.
    pub(super) fn inverse_column(&mut self, data: Data<'_>, i: usize, dx: &mut Vec<T>, dw: &mut [T]) {
        dx.clear();
        dx.resize(self.columns.len(), T::ZERO);
        if self.row_position[i] == ABSENT {
            dw.fill(T::ZERO);
            dw[i] = T::ONE;
            return;
        }
        self.lu.solve_unit(self.row_position[i], dx);
        negate(dx);
        self.product(data, dx, None, dw);
        self.clear_nonbasic(dw);
    }

    fn clear_nonbasic(&self, w: &mut [T]) {
        for &i in &self.rows {
            w[i] = T::ZERO;
        }
    }

    /// out = M̃_:C x, plus column `extra` of M̃.
    fn product(&self, data: Data<'_>, x: &[T], extra: Option<usize>, out: &mut [T]) {
        let n = data.q.len();
        let (row_scale, column_scale) = (data.M.row_scale(), data.M.unit_scale());
        out.fill(T::ZERO);
        let mut z0 = T::ZERO;
        let mut full: [(usize, T); 4] = [(0, T::ZERO); 4];
        let mut held = 0;
        let last = extra.map(|s| (s, T::ONE));
        for (j, x) in self.columns.iter().copied().zip(x.iter().copied()).chain(last) {
            if j == n {
                z0 = x;
                continue;
            }
            let x = x.times(column_scale[j]);
            if let Some(rows) = data.M.thin_column(j) {
                let column = data.M.column(j);
                for &i in rows {
                    out[i as usize] += x.times(column[i as usize]);
                }
                continue;
            }
            full[held] = (j, x);
            held += 1;
            if held == 4 {
                add_four(data, &full, out);
                held = 0;
            }
        }
        for &(j, x) in &full[..held] {
            for (out, &m) in out.iter_mut().zip(data.M.column(j)) {
                *out += x.times(m);
            }
        }
        for i in 0..n {
            out[i] = out[i].times(row_scale[i]);
        }
        if z0 != T::ZERO {
            for (out, &c) in out.iter_mut().zip(&self.c) {
                *out += c * z0;
            }
        }
    }

    /// Exchanges a driving and a leaving variable. False when the factors break down.
    pub(super) fn exchange(&mut self, data: Data<'_>, driving: Var, leaving: Var) -> bool {
        match (driving, leaving) {
            (Var::W(s), Var::W(t)) => {
                let position = self.row_position[s];
                self.load_row(data, t);
                self.lu.replace_row(position, &self.b);
                self.row_position[s] = ABSENT;
                self.rows[position] = t;
                self.row_position[t] = position;
            }
            (Var::W(s), _) => {
                let (row, column) = (self.row_position[s], self.position(leaving));
                let Some(column) = column else { return false };
                self.lu.remove(row, column);
                self.remove_row(row);
                self.remove_column(column);
            }
            (_, Var::W(t)) => {
                let Some(s) = self.column_index(driving) else {
                    return false;
                };
                self.load_row(data, t);
                let corner = self.entry(data, t, s);
                self.lu.append(&self.b, corner);
                self.push_column(s);
                self.push_row(t);
            }
            _ => {
                let (Some(s), Some(column)) = (self.column_index(driving), self.position(leaving)) else {
                    return false;
                };
                self.lu.replace_column(column);
                self.remove_column(column);
                self.push_column(s);
            }
        }
        true
    }

    /// Row t of M̃ in the columns of C, into `b`.
    fn load_row(&mut self, data: Data<'_>, t: usize) {
        self.b.clear();
        for p in 0..self.columns.len() {
            let entry = self.entry(data, t, self.columns[p]);
            self.b.push(entry);
        }
    }
}

fn negate<T: Real>(values: &mut [T]) {
    for value in values {
        *value = -*value;
    }
}

/// out += four columns of M at once: one pass over `out` instead of four.
fn add_four<T: Real>(data: Data<'_>, terms: &[(usize, T); 4], out: &mut [T]) {
    let [(j0, x0), (j1, x1), (j2, x2), (j3, x3)] = *terms;
    let n = out.len();
    let (m0, m1) = (&data.M.column(j0)[..n], &data.M.column(j1)[..n]);
    let (m2, m3) = (&data.M.column(j2)[..n], &data.M.column(j3)[..n]);
    for i in 0..n {
        out[i] += (x0.times(m0[i]) + x1.times(m1[i])) + (x2.times(m2[i]) + x3.times(m3[i]));
    }
}
