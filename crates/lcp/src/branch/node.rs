//! A node of the tree: pairs that are decided, and the linear program of what is left.
//!
//! The program asks for z ≥ 0 and w = Mz + q ≥ 0 with the decided variables at zero. Its costs are positive on the nonbasic variables of the
//! first dictionary, so that the dual simplex method can start there and go on in every child from where its parent ended.

use crate::basis::{Var, mix};
use crate::dictionary::Dictionary;
use crate::exact::{Leaf, Pair};
use crate::free_basis::{RANK_REL_TOL, eliminate_free};
use crate::pivoting::Data;

/// A basic variable may be this far below zero, relative to the largest |q_i|.
const FEASIBILITY_REL_TOL: f64 = 1e-11;
/// An entry is a pivot above this share of the largest of its row.
const PIVOT_REL_TOL: f64 = 1e-9;
/// The dictionary is computed from the first one again after this many pivots.
const PIVOTS_BEFORE_REBUILD: usize = 40;
/// Pivots of one linear program, for each variable.
const PIVOTS_PER_VARIABLE: usize = 20;

/// How the linear program of a node ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// All signs are right.
    Feasible,
    /// The row of the dictionary, with this sign, contradicts the signs of its variables.
    Empty { row: usize, negated: bool },
    /// Too many pivots, or a singular basis.
    Stalled,
}

/// The node.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) dictionary: Dictionary,
    pub(super) pairs: Vec<Pair>,
    /// A basic variable below minus this is negative.
    zero: f64,
}

/// The two variables of an open pair at the solution of the linear program, in balanced units.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gap {
    pub(super) pair: usize,
    pub(super) z: f64,
    pub(super) w: f64,
}

impl Node {
    /// The first node: equations eliminated, nothing decided.
    pub(super) fn first(data: Data<'_>) -> Self {
        let n = data.n();
        let mut dictionary = Dictionary::new(data);
        let zero = FEASIBILITY_REL_TOL * dictionary.size();
        let pairs = (0..n).map(|i| if data.is_free(i) { Pair::Free } else { Pair::Open });
        let pairs: Vec<Pair> = pairs.collect();
        let (equations, variables) = eliminate_free(&mut dictionary, data);
        // Equations that the free variables do not satisfy by themselves hold by complementary ones, and free variables without an equation
        // take the place of a slack.
        let bounded = |var: &Var| matches!(var, Var::Z(i) | Var::W(i) if pairs[*i] == Pair::Open);
        for g in equations {
            let Some(row) = dictionary.row_of(Var::W(g)) else {
                continue;
            };
            let columns = (0..n).filter(|&j| bounded(&dictionary.nonbasic[j]));
            if let Some(column) = largest(columns, |j| dictionary.row(row)[j]) {
                dictionary.pivot(row, column);
            }
        }
        for f in variables {
            let Some(column) = dictionary.column_of(Var::Z(f)) else {
                continue;
            };
            let rows = (0..n).filter(|&r| bounded(&dictionary.basic[r]));
            if let Some(row) = largest(rows, |r| dictionary.row(r)[column]) {
                dictionary.pivot(row, column);
            }
        }
        // Costs differ, so that no two columns tie in the ratio test.
        dictionary.set_costs(|j| 1.0 + (mix(j as u64) >> 11) as f64 / (1u64 << 53) as f64);
        dictionary.age = 0;
        Self {
            dictionary,
            pairs,
            zero,
        }
    }

    /// Whether a variable is held at zero, or cannot move.
    fn is_fixed(&self, var: Var) -> bool {
        match var {
            Var::Z(i) => self.pairs[i] == Pair::ZIsZero,
            Var::W(i) => matches!(self.pairs[i], Pair::WIsZero | Pair::Free),
            Var::Z0 => true,
        }
    }

    /// Whether a variable of a column may enter: free ones that are nonbasic are those that act on nothing.
    fn may_enter(&self, j: usize) -> bool {
        let var = self.dictionary.nonbasic[j];
        let idle = matches!(var, Var::Z(i) if self.pairs[i] == Pair::Free);
        !idle && !self.is_fixed(var)
    }

    /// Whether the variable of a row must not be negative.
    fn is_bounded(&self, r: usize) -> bool {
        let var = self.dictionary.basic[r];
        let free = matches!(var, Var::Z(i) if self.pairs[i] == Pair::Free);
        !free && !self.is_fixed(var)
    }

    /// Solves the linear program; counts pivots.
    pub(super) fn solve(&mut self, origin: &Dictionary, pivots: &mut usize) -> End {
        for r in 0..self.dictionary.n() {
            if self.is_fixed(self.dictionary.basic[r])
                && let Some(end) = self.expel(r, pivots)
            {
                return end;
            }
        }
        for _ in 0..=PIVOTS_PER_VARIABLE * self.dictionary.n() {
            if self.dictionary.age >= PIVOTS_BEFORE_REBUILD && !self.dictionary.rebuild(origin, pivots) {
                return End::Stalled;
            }
            let negative = (0..self.dictionary.n()).filter(|&r| self.is_bounded(r));
            let values = negative.map(|r| (r, self.dictionary.value(r)));
            let Some((row, value)) = values.min_by(|a, b| a.1.total_cmp(&b.1)) else {
                return End::Feasible;
            };
            if value >= -self.zero {
                return End::Feasible;
            }
            let Some(column) = self.entering(row, |a| a) else {
                return End::Empty { row, negated: false };
            };
            self.dictionary.pivot(row, column);
            *pivots += 1;
        }
        End::Stalled
    }

    /// Makes a basic variable that is held at zero nonbasic. `Some` when it cannot be zero.
    fn expel(&mut self, row: usize, pivots: &mut usize) -> Option<End> {
        let value = self.dictionary.value(row);
        let column = if value > self.zero {
            self.entering(row, |a| -a)
        } else if value < -self.zero {
            self.entering(row, |a| a)
        } else {
            self.entering(row, f64::abs)
        };
        match column {
            Some(column) => {
                self.dictionary.pivot(row, column);
                *pivots += 1;
                None
            }
            // No other variable acts on it: it is zero for ever.
            None if value.abs() <= self.zero => None,
            None => Some(End::Empty {
                row,
                negated: value > 0.0,
            }),
        }
    }

    /// The ratio test of the dual simplex method: the column with a positive `rate` in the row whose cost a unit of it is the least.
    fn entering(&self, row: usize, rate: impl Fn(f64) -> f64) -> Option<usize> {
        let (entries, costs) = (self.dictionary.row(row), self.dictionary.costs());
        let largest = entries.iter().fold(0.0f64, |m, a| a.abs().max(m));
        let mut best: Option<(usize, f64)> = None;
        for (j, a) in entries.iter().enumerate() {
            let rate = rate(*a);
            if rate <= PIVOT_REL_TOL * largest || !self.may_enter(j) {
                continue;
            }
            let ratio = costs[j].max(0.0) / rate;
            if best.is_none_or(|(_, least)| ratio < least) {
                best = Some((j, ratio));
            }
        }
        best.map(|(j, _)| j)
    }

    /// The open pairs of which both variables are positive.
    pub(super) fn gaps(&self) -> Vec<Gap> {
        let n = self.pairs.len();
        let (mut z, mut w) = (vec![0.0; n], vec![0.0; n]);
        for (r, var) in self.dictionary.basic.iter().enumerate() {
            match *var {
                Var::Z(i) => z[i] = self.dictionary.value(r),
                Var::W(i) => w[i] = self.dictionary.value(r),
                Var::Z0 => {}
            }
        }
        let open = (0..n).filter(|&i| self.pairs[i] == Pair::Open);
        let gaps = open.map(|pair| Gap {
            pair,
            z: z[pair],
            w: w[pair],
        });
        gaps.filter(|gap| gap.z.min(gap.w) > self.zero).collect()
    }

    /// z of the basic solution, and the variables that may differ from zero.
    pub(super) fn point(&self, data: Data<'_>, z: &mut [f64]) -> Vec<usize> {
        z.fill(0.0);
        let mut inside = Vec::new();
        for (r, var) in self.dictionary.basic.iter().enumerate() {
            let Var::Z(j) = *var else { continue };
            let value = self.dictionary.value(r);
            if data.is_free(j) || value > self.zero {
                z[j] = value * data.M.unit_scale()[j];
                inside.push(j);
            }
        }
        inside.sort_unstable();
        inside
    }

    /// The basis: rows whose w is nonbasic, columns whose z is basic.
    pub(super) fn basis(&self) -> (Vec<usize>, Vec<usize>) {
        let rows = self.dictionary.nonbasic.iter().filter_map(|var| match var {
            Var::W(i) => Some(*i),
            _ => None,
        });
        let columns = self.dictionary.basic.iter().filter_map(|var| match var {
            Var::Z(j) => Some(*j),
            _ => None,
        });
        (rows.collect(), columns.collect())
    }

    /// The contradiction of a row as weights y of the rows of w = Mz + q, with the basis that they come from.
    pub(super) fn leaf(&self, data: Data<'_>, row: usize, negated: bool) -> Leaf {
        let dictionary = &self.dictionary;
        let n = dictionary.n();
        let sign = if negated { -1.0 } else { 1.0 };
        let (extra, share) = self.slack_rows(row, sign);
        let scale = data.M.row_scale();
        let mut y = vec![0.0; n];
        for j in 0..n {
            if let Var::W(i) = dictionary.nonbasic[j] {
                y[i] = -(sign * dictionary.row(row)[j] + share * extra[j]) * scale[i];
            }
        }
        let source = dictionary.basic[row];
        if let Var::W(i) = source {
            y[i] = sign * scale[i];
        }
        let (rows, columns) = self.basis();
        Leaf {
            pairs: self.pairs.clone(),
            y,
            rows,
            columns,
            source,
            negated,
        }
    }

    /// The sum of the rows of the basic z, and the share of it that can be added to a contradiction. In exact arithmetic the row alone will do; after
    /// rounding its weights miss (Mᵀy)_j = 0 for the basic z_j, unless there is room.
    fn slack_rows(&self, row: usize, sign: f64) -> (Vec<f64>, f64) {
        let dictionary = &self.dictionary;
        let mut extra = vec![0.0; dictionary.n()];
        let mut value = 0.0;
        for r in 0..dictionary.n() {
            if r == row || !matches!(dictionary.basic[r], Var::Z(_)) || !self.is_bounded(r) {
                continue;
            }
            value += dictionary.value(r);
            for (extra, a) in extra.iter_mut().zip(dictionary.row(r)) {
                *extra += a;
            }
        }
        let mut share = 1.0f64;
        if value > 0.0 {
            share = share.min(0.5 * (sign * dictionary.value(row)).abs() / value);
        }
        let entries = dictionary.row(row).iter().zip(&extra).enumerate();
        for (_, (a, extra)) in entries.filter(|(j, (_, extra))| **extra > 0.0 && self.may_enter(*j)) {
            share = share.min(0.5 * (-sign * a).max(0.0) / extra);
        }
        (extra, share)
    }
}

/// The place of the largest |value|, if it is not zero to working precision.
fn largest(places: impl Iterator<Item = usize>, value: impl Fn(usize) -> f64) -> Option<usize> {
    let sizes = places.map(|place| (place, value(place).abs()));
    let best = sizes.max_by(|a, b| a.1.total_cmp(&b.1))?;
    (best.1 > RANK_REL_TOL).then_some(best.0)
}
