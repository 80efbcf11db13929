//! Between what values a force could lie with the same motion: second-order-cone programs over all forces that no body feels as others.
//!
//! min or max cᵀx subject to G x = G x₀, |T| ≤ μN where a contact sticks, N ≥ 0 where it slides. `x₀` are the forces of the answer, which obey all of it, so
//! that such a program always has an answer or none is the largest: then bodies are wedged, and nothing limits the force. The figures are computed, to about 1e-8
//! of the largest force; they are not proved.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver as _, NonnegativeConeT, SecondOrderConeT, SolverStatus, SupportedConeT,
    ZeroConeT,
};

use super::balance::{Balance, Limit};

/// Accuracy that is requested of the programs.
const TOLERANCE: f64 = 1e-10;
/// Iterations after which a program is given up.
const MOST_ITERATIONS: u32 = 100;

/// The programs of one balance.
pub(super) struct Program {
    a: CscMatrix<f64>,
    b: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
    /// By what forces are divided \[N\].
    unit: f64,
    columns: usize,
    settings: DefaultSettings<f64>,
}

/// A row under construction: its entries by column, and its right-hand side.
type Row = (Vec<(usize, f64)>, f64);

impl Program {
    pub(super) fn new(balance: &Balance) -> Self {
        let columns = balance.columns.len();
        let largest = balance.columns.iter().fold(0.0, |m: f64, c| m.max(c.value.abs()));
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let mut equal: Vec<Row> = vec![(Vec::new(), 0.0); balance.rows];
        for (c, column) in balance.columns.iter().enumerate() {
            for (row, x) in balance.entries(c) {
                equal[row].0.push((c, x));
                equal[row].1 += x * column.value / unit;
            }
        }
        // Rows that nothing enters, as those out of a plane, say nothing.
        equal.retain(|row| !row.0.is_empty());
        let mut cones = vec![ZeroConeT(equal.len())];
        let (mut positive, mut round): (Vec<Row>, Vec<Row>) = (Vec::new(), Vec::new());
        let mut round_cones = Vec::new();
        for (c, column) in balance.columns.iter().enumerate() {
            match column.limit {
                Limit::Cone { mu, tangents } if mu.is_finite() => {
                    round.push((vec![(c, -mu)], 0.0));
                    round.extend((1..=tangents).map(|t| (vec![(c + t, -1.0)], 0.0)));
                    round_cones.push(SecondOrderConeT(1 + tangents));
                }
                Limit::Cone { .. } | Limit::Pushes => positive.push((vec![(c, -1.0)], 0.0)),
                Limit::Friction => {}
                Limit::Between([low, high]) => {
                    if low.is_finite() {
                        positive.push((vec![(c, -1.0)], -low / unit));
                    }
                    if high.is_finite() {
                        positive.push((vec![(c, 1.0)], high / unit));
                    }
                }
            }
        }
        if !positive.is_empty() {
            cones.push(NonnegativeConeT(positive.len()));
        }
        cones.extend(round_cones);
        let rows: Vec<Row> = equal.into_iter().chain(positive).chain(round).collect();
        let settings = DefaultSettings {
            verbose: false,
            max_iter: MOST_ITERATIONS,
            tol_gap_abs: TOLERANCE,
            tol_gap_rel: TOLERANCE,
            tol_feas: TOLERANCE,
            ..DefaultSettings::default()
        };
        Self {
            a: sparse(&rows, columns),
            b: rows.iter().map(|row| row.1).collect(),
            cones,
            unit,
            columns,
            settings,
        }
    }

    /// The least and the largest that a sum of the unknowns could be \[N\]; infinite where nothing limits it, `None` where no program was solved.
    pub(super) fn range(&self, sum: &[(usize, f64)]) -> Option<[f64; 2]> {
        Some([self.least(sum, 1.0)?, -self.least(sum, -1.0)?])
    }

    /// The least of a sum times a sign.
    fn least(&self, sum: &[(usize, f64)], sign: f64) -> Option<f64> {
        let mut cost = vec![0.0; self.columns];
        for (column, weight) in sum {
            cost[*column] += sign * weight;
        }
        let none = CscMatrix::zeros((self.columns, self.columns));
        let mut solver = DefaultSolver::new(&none, &cost, &self.a, &self.b, &self.cones, self.settings.clone()).ok()?;
        solver.solve();
        match solver.solution.status {
            SolverStatus::Solved | SolverStatus::AlmostSolved => Some(self.unit * solver.solution.obj_val),
            SolverStatus::DualInfeasible | SolverStatus::AlmostDualInfeasible => Some(f64::NEG_INFINITY),
            _ => None,
        }
    }
}

/// The matrix of some rows.
fn sparse(rows: &[Row], columns: usize) -> CscMatrix<f64> {
    let mut by_column: Vec<Vec<(usize, f64)>> = vec![Vec::new(); columns];
    for (r, (entries, _)) in rows.iter().enumerate() {
        for (column, x) in entries {
            by_column[*column].push((r, *x));
        }
    }
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for column in by_column {
        for (row, x) in column {
            indices.push(row);
            values.push(x);
        }
        starts.push(indices.len());
    }
    CscMatrix::new(rows.len(), columns, starts, indices, values)
}
