//! Whether a linear program has a point: the first phase of the simplex method, dense, by Bland's rule.

/// How a row relates to its bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Relation {
    AtLeast,
    AtMost,
    Equal,
}

/// A row: weights·x related to a bound.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) weights: Vec<f64>,
    pub(super) relation: Relation,
    pub(super) bound: f64,
}

/// x ≥ 0 with given rows; some entries are 0.
#[derive(Debug)]
pub(super) struct Program<'a> {
    pub(super) columns: usize,
    pub(super) rows: &'a [Row],
    pub(super) zero: &'a [usize],
}

/// Entries below this are no pivots, and reduced costs above minus this are none.
const PIVOT: f64 = 1e-11;

/// Stands for a variable that measures the violation of its row.
const ARTIFICIAL: usize = usize::MAX;

/// A sum of violations below this is none. What is infeasible by less counts as feasible.
const FEASIBLE: f64 = 5e-10;

/// What is known of a program.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Point {
    /// A basic point.
    Feasible(Vec<f64>),
    /// The least sum of violations is positive.
    Infeasible,
    /// Rounding or the limit on pivots leaves it open.
    Unresolved,
}

impl Program<'_> {
    /// Looks for a point. Adds the multiplications that it takes to `work`.
    pub(super) fn point(&self, work: &mut usize) -> Point {
        let m = self.rows.len();
        // x, one slack a row, and the bound; artificial variables have no columns, since none comes back.
        let (slack, bound) = (self.columns, self.columns + m);
        let mut table = vec![vec![0.0; bound + 1]; m];
        let mut basis: Vec<usize> = Vec::new();
        for (r, row) in self.rows.iter().enumerate() {
            let slope = match row.relation {
                Relation::AtLeast => -1.0,
                Relation::AtMost => 1.0,
                Relation::Equal => 0.0,
            };
            let sign = if row.bound < 0.0 { -1.0 } else { 1.0 };
            for (to, from) in table[r].iter_mut().zip(&row.weights) {
                *to = sign * from;
            }
            for k in self.zero {
                table[r][*k] = 0.0;
            }
            table[r][slack + r] = sign * slope;
            table[r][bound] = sign * row.bound;
            // A slack that is feasible as it is starts in the basis, else an artificial variable.
            basis.push(if sign * slope > 0.0 { slack + r } else { ARTIFICIAL });
        }
        let mut resolved = false;
        for step in 0..20 * (m + self.columns) {
            let prices = prices(&table, &basis, bound + 1);
            // The best price first; the first one, which cannot cycle, when that takes long.
            let mut enter: Option<usize> = None;
            for c in (0..bound).filter(|c| prices[*c] > PIVOT) {
                if enter.is_none_or(|best| step < 4 * m && prices[c] > prices[best]) {
                    enter = Some(c);
                }
            }
            let Some(c) = enter else {
                resolved = true;
                break;
            };
            let ratio = |r: usize| table[r][bound] / table[r][c];
            // Of equal ones artificial variables leave first, then the first.
            let order = |r: usize| basis[r].wrapping_add(1);
            let rows = (0..m).filter(|r| table[*r][c] > PIVOT);
            let leave = rows.min_by(|a, b| ratio(*a).total_cmp(&ratio(*b)).then(order(*a).cmp(&order(*b))));
            let Some(r) = leave else { break };
            pivot(&mut table, r, c);
            basis[r] = c;
            *work += m * bound;
        }
        let artificial = (0..m).filter(|r| basis[*r] == ARTIFICIAL);
        let left: f64 = artificial.map(|r| table[r][bound].abs()).sum();
        if left > FEASIBLE {
            return if resolved { Point::Infeasible } else { Point::Unresolved };
        }
        let mut x = vec![0.0; self.columns];
        for (r, c) in basis.iter().enumerate() {
            if *c < self.columns {
                x[*c] = table[r][bound].max(0.0);
            }
        }
        Point::Feasible(x)
    }
}

/// By how much the sum of violations falls for each column.
fn prices(table: &[Vec<f64>], basis: &[usize], width: usize) -> Vec<f64> {
    let mut prices = vec![0.0; width];
    for (row, _) in table.iter().zip(basis).filter(|(_, c)| **c == ARTIFICIAL) {
        for (price, x) in prices.iter_mut().zip(row) {
            *price += x;
        }
    }
    prices
}

fn pivot(table: &mut [Vec<f64>], r: usize, c: usize) {
    let scale = 1.0 / table[r][c];
    for x in &mut table[r] {
        *x *= scale;
    }
    let row = table[r].clone();
    for (k, other) in table.iter_mut().enumerate() {
        let factor = other[c];
        if k != r && factor != 0.0 {
            for (x, y) in other.iter_mut().zip(&row) {
                *x -= factor * y;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(weights: [f64; 2], relation: Relation, bound: f64) -> Row {
        Row {
            weights: weights.to_vec(),
            relation,
            bound,
        }
    }

    fn point(rows: &[Row], zero: &[usize]) -> Point {
        let program = Program { columns: 2, rows, zero };
        program.point(&mut 0)
    }

    #[test]
    fn a_point_is_found_where_there_is_one() {
        let mut rows = vec![
            row([1.0, 1.0], Relation::AtLeast, 2.0),
            row([1.0, -1.0], Relation::Equal, -1.0),
            row([0.0, 1.0], Relation::AtMost, 1.5),
        ];
        assert_eq!(point(&rows, &[]), Point::Feasible(vec![0.5, 1.5]));
        assert_eq!(point(&rows, &[0]), Point::Infeasible);
        rows.push(row([1.0, 0.0], Relation::AtMost, 0.25));
        assert_eq!(point(&rows, &[]), Point::Infeasible);
        assert_eq!(
            point(&[row([1.0, 0.0], Relation::AtLeast, -1.0)], &[]),
            Point::Feasible(vec![0.0; 2])
        );
    }
}
