//! Linear inequalities decided exactly: a point that satisfies them, or a vector that proves there is none.
//!
//! Au + q ≥ 0, u ≥ 0 is the LCP with the skew-symmetric matrix ((0, −Aᵀ), (A, 0)) and the vector (0, q). Its matrix is
//! positive semidefinite, so Lemke's method ends with a solution or on a ray that proves infeasibility ([CPS] 4.4).

use super::lemke::{ExactOutcome, lemke_within};
use super::problem::{ExactLcp, Row, over_common_denominator};
use super::work::Work;
use dashu_int::IBig;
use dashu_ratio::RBig;

/// Au + q ≥ 0 in integers, with equations and free unknowns.
#[derive(Debug, Clone)]
pub(super) struct Inequalities {
    /// Nonzeros of each row of A, with the entry of q.
    pub(super) rows: Vec<(Vec<(usize, IBig)>, IBig)>,
    /// Rows that hold with equality.
    pub(super) equality: Vec<bool>,
    /// Unknowns of any sign; their number is that of the columns.
    pub(super) free: Vec<bool>,
}

/// What became of a system of linear inequalities Au + q ≥ 0.
#[derive(Debug, Clone, PartialEq)]
pub enum Feasibility {
    /// A point u that satisfies all of them.
    Point(Vec<RBig>),
    /// y with Aᵀy ≤ 0 and qᵀy < 0, y_i ≥ 0 except on equations, (Aᵀy)_j = 0 for free unknowns.
    Infeasible(Vec<RBig>),
    /// The limit on pivots was reached.
    Undecided,
}

/// One row aᵀu + q ≥ 0, or = 0: the nonzeros of a by their unknown, and q.
#[derive(Debug, Clone, PartialEq)]
pub struct Inequality {
    /// (unknown, coefficient).
    pub entries: Vec<(usize, RBig)>,
    /// The constant q.
    pub q: RBig,
    /// The row is an equation.
    pub equality: bool,
}

/// Decides whether some u of `unknowns` entries of any sign satisfies all rows. Neither answer is checked again here: a point is put into the rows
/// and a vector into their sum by whoever relies on it.
///
/// Entries of unknowns beyond their number are skipped.
///
/// ```
/// use stiction_lcp::exact::{Feasibility, Inequality, RBig, decide};
/// // u ≥ 1 and −3u ≥ 0: three times the first and the second add up to 0 ≥ 3.
/// let row = |a: i32, q: i32| Inequality { entries: vec![(0, RBig::from(a))], q: RBig::from(q), equality: false };
/// let Feasibility::Infeasible(y) = decide(&[row(1, -1), row(-3, 0)], 1, 100) else { panic!("no such u") };
/// assert!(y[1] > RBig::ZERO && y[0] == &y[1] * RBig::from(3));
/// ```
#[must_use]
pub fn decide(rows: &[Inequality], unknowns: usize, pivot_limit: usize) -> Feasibility {
    decide_within(rows, unknowns, pivot_limit, f64::INFINITY)
}

/// [`decide`] that gives up, undecided, once the sizes of its numbers foretell more than about so many nanoseconds of work. No clock is read: the same
/// system ends the same way on every machine.
#[must_use]
pub fn decide_within(rows: &[Inequality], unknowns: usize, pivot_limit: usize, nanoseconds: f64) -> Feasibility {
    let mut scales = Vec::with_capacity(rows.len());
    let mut system = Inequalities {
        rows: Vec::with_capacity(rows.len()),
        equality: rows.iter().map(|row| row.equality).collect(),
        free: vec![true; unknowns],
    };
    for row in rows {
        let known = || row.entries.iter().filter(|(j, a)| *j < unknowns && !a.is_zero());
        let values: Vec<RBig> = known().map(|(_, a)| a.clone()).chain([row.q.clone()]).collect();
        let (mut integers, scale) = over_common_denominator(&values);
        let q = integers.pop().unwrap_or_default();
        system.rows.push((known().map(|(j, _)| *j).zip(integers).collect(), q));
        scales.push(scale);
    }
    match system.decide(pivot_limit, &mut Work::new(nanoseconds)) {
        // A row was multiplied by its scale, so that its weight was divided by it.
        Feasibility::Infeasible(y) => Feasibility::Infeasible(y.into_iter().zip(scales).map(|(y, s)| y * s).collect()),
        other => other,
    }
}

/// An equation is two inequalities and a free unknown the difference of two: halves as (index, negated).
fn halves(doubled: &[bool]) -> Vec<(usize, bool)> {
    let single = (0..doubled.len()).map(|i| (i, false));
    let mirrored = (0..doubled.len()).filter(|&i| doubled[i]).map(|i| (i, true));
    single.chain(mirrored).collect()
}

fn signed(value: &IBig, negated: bool) -> IBig {
    if negated { -value } else { value.clone() }
}

/// Puts the halves together again.
fn join(halves: &[(usize, bool)], values: &[RBig], count: usize) -> Vec<RBig> {
    let mut joined = vec![RBig::ZERO; count];
    for ((i, negated), value) in halves.iter().zip(values) {
        if *negated {
            joined[*i] -= value;
        } else {
            joined[*i] += value;
        }
    }
    joined
}

impl Inequalities {
    /// Decides by Lemke's method.
    pub(super) fn decide(&self, pivot_limit: usize, work: &mut Work) -> Feasibility {
        let (u_halves, y_halves) = (halves(&self.free), halves(&self.equality));
        let problem = self.skew(&u_halves, &y_halves);
        match lemke_within(&problem, None, pivot_limit, work) {
            ExactOutcome::Solved { z, .. } => {
                Feasibility::Point(join(&u_halves, &z[..u_halves.len()], self.free.len()))
            }
            ExactOutcome::Ray { direction, .. } => {
                Feasibility::Infeasible(join(&y_halves, &direction[u_halves.len()..], self.rows.len()))
            }
            ExactOutcome::PivotLimit | ExactOutcome::SingularStart => Feasibility::Undecided,
        }
    }

    fn skew(&self, u_halves: &[(usize, bool)], y_halves: &[(usize, bool)]) -> ExactLcp {
        let (columns, count) = (u_halves.len(), u_halves.len() + y_halves.len());
        let mut rows = vec![
            Row {
                scale: IBig::ONE,
                entries: Vec::new(),
                q: IBig::ZERO,
            };
            count
        ];
        let mut places = vec![Vec::new(); self.free.len()];
        for (place, (j, negated)) in u_halves.iter().enumerate() {
            places[*j].push((place, *negated));
        }
        for (b, (i, row_negated)) in y_halves.iter().enumerate() {
            let (entries, q) = &self.rows[*i];
            for (j, a) in entries {
                for (place, column_negated) in &places[*j] {
                    let value = signed(a, row_negated != column_negated);
                    rows[*place].entries.push((columns + b, -&value));
                    rows[columns + b].entries.push((*place, value));
                }
            }
            rows[columns + b].q = signed(q, *row_negated);
        }
        ExactLcp {
            rows,
            free: vec![false; count],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inequalities(rows: &[(&[i32], i32)], equality: &[bool], free: &[bool]) -> Inequalities {
        let sparse = |row: &[i32]| row.iter().map(|v| IBig::from(*v)).enumerate().collect();
        Inequalities {
            rows: rows.iter().map(|(row, q)| (sparse(row), IBig::from(*q))).collect(),
            equality: equality.to_vec(),
            free: free.to_vec(),
        }
    }

    #[test]
    fn a_point_is_found_and_satisfies_all_rows() {
        // u0 − u1 = 2, u1 ≥ 3 (u0 free)
        let system = inequalities(&[(&[1, -1], -2), (&[0, 1], -3)], &[true, false], &[true, false]);
        let Feasibility::Point(u) = system.decide(100, &mut Work::any()) else {
            panic!("feasible")
        };
        assert_eq!(&u[0] - &u[1], RBig::from(2));
        assert!(u[1] >= RBig::from(3));
    }

    #[test]
    fn a_contradiction_is_proven() {
        // u0 ≥ 1 and −u0 ≥ 0
        let system = inequalities(&[(&[1], -1), (&[-1], 0)], &[false; 2], &[false]);
        let Feasibility::Infeasible(y) = system.decide(100, &mut Work::any()) else {
            panic!("infeasible")
        };
        assert!(y[0] > RBig::ZERO && y[1] >= y[0]);
        // 0·u = 1 with u free
        let system = inequalities(&[(&[0], -1)], &[true], &[true]);
        assert!(matches!(
            system.decide(100, &mut Work::any()),
            Feasibility::Infeasible(_)
        ));
        assert_eq!(system.decide(0, &mut Work::any()), Feasibility::Undecided);
    }
}
