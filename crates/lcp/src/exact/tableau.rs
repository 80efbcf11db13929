//! The tableau of Lemke's method in integers: w − Mz − c z₀ = q multiplied by B⁻¹, everything over d = |det B| (Edmonds).
//!
//! Only B⁻¹ and B⁻¹q are stored. Columns of B⁻¹ that belong to a basic w are unit vectors and skipped, so a pivot costs
//! n·k products for k basic z. Columns of z are formed when they are requested.

use super::bareiss::eliminate;
use super::problem::{ExactLcp, over_common_denominator};
use super::work::Work;
use crate::basis::Var;
use dashu_base::{Abs, Signed};
use dashu_int::IBig;
use dashu_int::ops::BitTest;
use dashu_ratio::RBig;
use std::cmp::Ordering;

#[derive(Debug, Clone)]
pub(super) struct Tableau<'a> {
    problem: &'a ExactLcp,
    /// Nonzeros of the columns of M, in scaled rows.
    columns: Vec<Vec<(usize, IBig)>>,
    /// Covering vector, in scaled rows.
    c: Vec<IBig>,
    /// d B⁻¹ by rows; column s is kept only while w_s is nonbasic and holds zeros otherwise.
    inverse: Vec<Vec<IBig>>,
    /// d B⁻¹q.
    q: Vec<IBig>,
    /// |det B|, positive.
    d: IBig,
    /// The basic variable of each row.
    basic: Vec<Var>,
    /// The row of basic w_s, `None` when w_s is nonbasic.
    row_of_w: Vec<Option<usize>>,
    /// The s of nonbasic w_s.
    nonbasic_w: Vec<usize>,
}

impl<'a> Tableau<'a> {
    /// The tableau of the basis that holds z_i where `start[i]` or z_i is free, and w_i elsewhere, with a cover of ones on
    /// its variables that are not free. `None` when the basis is singular.
    pub(super) fn new(problem: &'a ExactLcp, start: &[bool]) -> Option<Self> {
        let n = problem.n();
        let mut columns = vec![Vec::new(); n];
        for (i, row) in problem.rows.iter().enumerate() {
            for (j, m) in &row.entries {
                columns[*j].push((i, m.clone()));
            }
        }
        let mut tableau = Self {
            problem,
            columns,
            c: Vec::new(),
            inverse: vec![vec![IBig::ZERO; n]; n],
            q: problem.rows.iter().map(|row| row.q.clone()).collect(),
            d: IBig::ONE,
            basic: (0..n).map(Var::W).collect(),
            row_of_w: (0..n).map(Some).collect(),
            nonbasic_w: Vec::new(),
        };
        let is_basic = |i: usize| problem.free[i] || start.get(i).copied().unwrap_or(false);
        let alpha: Vec<bool> = (0..n).map(is_basic).collect();
        tableau.c = cover(problem, &alpha);
        tableau.enter_basis(&alpha)?;
        Some(tableau)
    }

    /// Replaces the covering vector, before z₀ enters.
    pub(super) fn set_cover(&mut self, c: &[RBig]) {
        // A common factor of c only changes the unit of z₀.
        let (c, _) = over_common_denominator(c);
        self.c = c
            .iter()
            .zip(&self.problem.rows)
            .map(|(c, row)| c * &row.scale)
            .collect();
    }

    /// Brings the z of the starting basis in and takes their w out, the shortest pivot first.
    fn enter_basis(&mut self, alpha: &[bool]) -> Option<()> {
        for j in (0..alpha.len()).filter(|&j| alpha[j]) {
            let column = self.column(Var::Z(j));
            let may_leave = |i: &usize| match self.basic[*i] {
                Var::W(s) => alpha[s] && !column[*i].is_zero(),
                Var::Z(_) | Var::Z0 => false,
            };
            let row = (0..alpha.len())
                .filter(may_leave)
                .min_by_key(|&i| column[i].bit_len())?;
            self.exchange(row, Var::Z(j), &column);
        }
        Some(())
    }

    /// d B⁻¹ times the column of a nonbasic variable.
    pub(super) fn column(&self, var: Var) -> Vec<IBig> {
        let mut sum = vec![IBig::ZERO; self.basic.len()];
        match var {
            Var::W(s) => sum
                .iter_mut()
                .zip(&self.inverse)
                .for_each(|(v, row)| v.clone_from(&row[s])),
            Var::Z(j) => self.columns[j].iter().for_each(|(s, m)| self.subtract(&mut sum, *s, m)),
            Var::Z0 => self
                .c
                .iter()
                .enumerate()
                .for_each(|(s, c)| self.subtract(&mut sum, s, c)),
        }
        sum
    }

    /// sum ← sum − m·(d B⁻¹)_s.
    fn subtract(&self, sum: &mut [IBig], s: usize, m: &IBig) {
        if let Some(row) = self.row_of_w[s] {
            sum[row] -= &self.d * m;
        } else if !m.is_zero() {
            for (value, row) in sum.iter_mut().zip(&self.inverse) {
                if !row[s].is_zero() {
                    *value -= &row[s] * m;
                }
            }
        }
    }

    /// Counts what a pivot on this entry costs, the column and the ratios of the next one included.
    pub(super) fn count(&self, pivot: &IBig, work: &mut Work) -> Option<()> {
        let (n, stored) = (self.basic.len(), self.nonbasic_w.len() + 1);
        work.spend(n * (stored + 1), pivot, &self.d)
    }

    /// Exchanges the basic variable of a row for `entering`, whose column is given; returns the one that leaves.
    pub(super) fn exchange(&mut self, r: usize, entering: Var, column: &[IBig]) -> Var {
        let leaving = std::mem::replace(&mut self.basic[r], entering);
        if let Var::W(s) = leaving {
            self.inverse[r][s] = self.d.clone();
            self.row_of_w[s] = None;
            self.nonbasic_w.push(s);
        }
        let negative = column[r].is_negative();
        let pivot = (&column[r]).abs();
        let mut pivot_row = std::mem::take(&mut self.inverse[r]);
        let mut pivot_q = std::mem::take(&mut self.q[r]);
        if negative {
            // The determinant keeps its sign when the row changes it.
            for &s in &self.nonbasic_w {
                pivot_row[s] = -std::mem::take(&mut pivot_row[s]);
            }
            pivot_q = -pivot_q;
        }
        for i in (0..self.basic.len()).filter(|&i| i != r) {
            for &s in &self.nonbasic_w {
                eliminate(&mut self.inverse[i][s], &pivot, &column[i], &pivot_row[s], &self.d);
            }
            eliminate(&mut self.q[i], &pivot, &column[i], &pivot_q, &self.d);
        }
        self.inverse[r] = pivot_row;
        self.q[r] = pivot_q;
        self.d = pivot;
        if let Var::W(s) = entering {
            self.row_of_w[s] = Some(r);
            self.nonbasic_w.retain(|&t| t != s);
            self.inverse.iter_mut().for_each(|row| row[s] = IBig::ZERO);
        }
        leaving
    }

    /// Whether the variable of a row is bound to be nonnegative.
    fn is_bounded(&self, row: usize) -> bool {
        !matches!(self.basic[row], Var::Z(j) if self.problem.free[j])
    }

    /// Step 0: the row that z₀, whose column is given, enters: the lexicographically least of (q, B⁻¹) over the cover among
    /// the rows below zero; `None` when there is none.
    pub(super) fn most_negative(&self, column: &[IBig]) -> Option<usize> {
        // z₀ raises the basic variables at these rates.
        let rates: Vec<IBig> = column.iter().map(|v| -v).collect();
        let compare = |i: usize, k: usize| (&self.q[i] * &rates[k]).cmp(&(&self.q[k] * &rates[i]));
        let below = |i: &usize| self.q[*i].is_negative() && self.is_bounded(*i);
        let rows: Vec<usize> = (0..self.q.len()).filter(below).collect();
        let least = rows.iter().copied().min_by(|&i, &k| compare(i, k))?;
        let tied = rows
            .into_iter()
            .filter(|&i| compare(i, least) == Ordering::Equal)
            .collect();
        self.lexicographic_least(tied, &rates)
    }

    /// The ratio test, [Lloyd TR] (18): the row that blocks the variable of this column; `None` on a ray.
    pub(super) fn blocking(&self, column: &[IBig]) -> Option<usize> {
        let blocks = |i: &usize| !column[*i].is_zero() && column[*i].is_positive() && self.is_bounded(*i);
        let compare = |i: usize, k: usize| (&self.q[i] * &column[k]).cmp(&(&self.q[k] * &column[i]));
        let rows: Vec<usize> = (0..column.len()).filter(blocks).collect();
        let least = rows.iter().copied().min_by(|&i, &k| compare(i, k))?;
        let tied: Vec<usize> = rows
            .into_iter()
            .filter(|&i| compare(i, least) == Ordering::Equal)
            .collect();
        if let Some(&row) = tied.iter().find(|&&i| self.basic[i] == Var::Z0) {
            return Some(row);
        }
        self.lexicographic_least(tied, column)
    }

    /// [CPS] 4.9: among tied rows the one whose row of B⁻¹, divided by its pivot, is lexicographically least. Rows of B⁻¹
    /// are independent, so exactly one remains.
    fn lexicographic_least(&self, mut tied: Vec<usize>, pivots: &[IBig]) -> Option<usize> {
        let zero = IBig::ZERO;
        for s in 0..self.basic.len() {
            if tied.len() <= 1 {
                break;
            }
            let entry = |i: usize| match self.row_of_w[s] {
                Some(row) if row == i => &self.d,
                Some(_) => &zero,
                None => &self.inverse[i][s],
            };
            let compare = |i: usize, k: usize| (entry(i) * &pivots[k]).cmp(&(entry(k) * &pivots[i]));
            let least = tied.iter().copied().min_by(|&i, &k| compare(i, k))?;
            tied.retain(|&i| compare(i, least) == Ordering::Equal);
        }
        tied.first().copied()
    }

    /// z of the basic solution.
    pub(super) fn z(&self) -> Vec<RBig> {
        let mut z = vec![RBig::ZERO; self.basic.len()];
        for (var, value) in self.basic.iter().zip(&self.q) {
            if let Var::Z(j) = var {
                z[*j] = RBig::from_parts_signed(value.clone(), self.d.clone());
            }
        }
        z
    }

    /// How z changes when the driving variable, whose column is given, grows by 1.
    pub(super) fn direction(&self, driving: Var, column: &[IBig]) -> Vec<RBig> {
        let mut direction = vec![RBig::ZERO; self.basic.len()];
        for (var, value) in self.basic.iter().zip(column) {
            if let Var::Z(j) = var {
                direction[*j] = RBig::from_parts_signed(-value, self.d.clone());
            }
        }
        if let Var::Z(j) = driving {
            direction[j] = RBig::ONE;
        }
        direction
    }
}

/// c = B c′ with c′ = 1 on the basic variables that are not free, rows scaled as those of M.
fn cover(problem: &ExactLcp, alpha: &[bool]) -> Vec<IBig> {
    let row_cover = |(i, row): (usize, &super::problem::Row)| {
        let own = if alpha[i] { IBig::ZERO } else { row.scale.clone() };
        let basic = row.entries.iter().filter(|(j, _)| alpha[*j] && !problem.free[*j]);
        basic.fold(own, |sum, (_, m)| sum - m)
    };
    problem.rows.iter().enumerate().map(row_cover).collect()
}
