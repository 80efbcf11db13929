//! A starting basis for free variables whose own block of M is singular.
//!
//! Lemke's method starts with all free variables basic, which asks for a regular block M_FF. Where it is rank-deficient, as for circuits with
//! loops of ideal elements, the basis is completed: elimination with complete pivoting finds the rank of M_FF; each equation and
//! each free variable that remain are exchanged with a complementary pair i, z_i for the equation and w_i for the variable, so that the basis
//! of F and these pairs is complementary and regular. What nothing can be exchanged for repeats the rest: its variable stays at zero and its
//! equation is skipped. The judge sees all of them.

use crate::basis::Var;
use crate::dictionary::Dictionary;
use crate::error::InputError;
use crate::matrix::Matrix;
use crate::pivoting::Data;

/// Entries below this share of the largest of the balanced matrix are zero when the rank is taken.
pub(crate) const RANK_REL_TOL: f64 = 1e-11;

/// A problem without redundant equations, and a basis for it.
#[derive(Debug, Clone)]
pub(crate) struct Completed {
    M: Matrix,
    q: Vec<f64>,
    free: Vec<bool>,
    /// Column of the problem as given that each column is.
    columns: Vec<usize>,
    /// Which complementary z are basic.
    pub(crate) basis: Vec<bool>,
}

impl Completed {
    /// The basis, or `None` when there are no free variables or their block is regular.
    ///
    /// # Errors
    /// Never for a problem whose entries are finite.
    pub(crate) fn new(data: Data<'_>) -> Result<Option<Self>, InputError> {
        let n = data.n();
        let mut dictionary = Dictionary::new(data);
        let (equations, variables) = eliminate_free(&mut dictionary, data);
        if equations.is_empty() {
            return Ok(None);
        }
        let exchanged = exchange_pairs(&mut dictionary, data, &equations, &variables);
        let complementary = || (0..n).filter(|&i| !data.is_free(i));
        let rows = (0..n).filter(|&i| data.is_free(i) && !exchanged.equations.contains(&i));
        let rows: Vec<usize> = complementary().chain(rows).collect();
        let columns = (0..n).filter(|&j| data.is_free(j) && !exchanged.variables.contains(&j));
        let columns: Vec<usize> = complementary().chain(columns).collect();
        let entries = columns.iter().flat_map(|&j| rows.iter().map(move |&i| (i, j)));
        Ok(Some(Self {
            M: Matrix::from_columns(rows.len(), entries.map(|(i, j)| data.M.at(i, j)).collect())?,
            q: rows.iter().map(|&i| data.q[i]).collect(),
            free: rows.iter().map(|&i| data.is_free(i)).collect(),
            basis: columns.iter().map(|j| exchanged.pairs.contains(j)).collect(),
            columns,
        }))
    }

    /// The problem for the pivoting methods.
    pub(crate) fn data(&self) -> Data<'_> {
        Data {
            M: &self.M,
            q: &self.q,
            free: &self.free,
        }
    }

    /// The variables of the problem as given.
    pub(crate) fn recover(&self, y: &[f64], z: &mut [f64]) {
        z.fill(0.0);
        for (&j, &value) in self.columns.iter().zip(y) {
            z[j] = value;
        }
    }
}

/// Makes free variables basic in the place of equations as far as the rank of M_FF goes; the equations and variables that are left.
pub(crate) fn eliminate_free(dictionary: &mut Dictionary, data: Data<'_>) -> (Vec<usize>, Vec<usize>) {
    let free: Vec<usize> = (0..data.n()).filter(|&i| data.is_free(i)).collect();
    loop {
        let row_of = |i: &usize| Some((*i, dictionary.row_of(Var::W(*i))?));
        let column_of = |j: &usize| Some((*j, dictionary.column_of(Var::Z(*j))?));
        let rows: Vec<(usize, usize)> = free.iter().filter_map(row_of).collect();
        let columns: Vec<(usize, usize)> = free.iter().filter_map(column_of).collect();
        let mut best = (0, 0, RANK_REL_TOL);
        for &(_, r) in &rows {
            for &(_, j) in &columns {
                let size = dictionary.row(r)[j].abs();
                if size > best.2 {
                    best = (r, j, size);
                }
            }
        }
        if best.2 <= RANK_REL_TOL {
            let names = |list: Vec<(usize, usize)>| list.into_iter().map(|(i, _)| i).collect();
            return (names(rows), names(columns));
        }
        dictionary.pivot(best.0, best.1);
    }
}

/// Pairs that took the place of equations and free variables, and those that found none.
struct Exchanged {
    pairs: Vec<usize>,
    equations: Vec<usize>,
    variables: Vec<usize>,
}

/// Exchanges an equation, a free variable and a complementary pair at a time; the pair whose smaller entry is the largest comes first.
fn exchange_pairs(dictionary: &mut Dictionary, data: Data<'_>, equations: &[usize], variables: &[usize]) -> Exchanged {
    let mut left = Exchanged {
        pairs: Vec::new(),
        equations: equations.to_vec(),
        variables: variables.to_vec(),
    };
    while !left.equations.is_empty() {
        let mut best = (None, RANK_REL_TOL);
        for i in (0..data.n()).filter(|&i| !data.is_free(i)) {
            let places = (dictionary.row_of(Var::W(i)), dictionary.column_of(Var::Z(i)));
            let (Some(row), Some(column)) = places else { continue };
            for (a, &f) in left.variables.iter().enumerate() {
                let entry = dictionary.column_of(Var::Z(f)).map_or(0.0, |j| dictionary.row(row)[j]);
                for (b, &g) in left.equations.iter().enumerate() {
                    let other = dictionary.row_of(Var::W(g)).map_or(0.0, |r| dictionary.row(r)[column]);
                    let size = entry.abs().min(other.abs());
                    if size > best.1 {
                        best = (Some((i, a, b)), size);
                    }
                }
            }
        }
        let Some((i, a, b)) = best.0 else { return left };
        let (f, g) = (left.variables.remove(a), left.equations.remove(b));
        for (leaving, entering) in [(Var::W(i), Var::Z(f)), (Var::W(g), Var::Z(i))] {
            let places = (dictionary.row_of(leaving), dictionary.column_of(entering));
            if let (Some(row), Some(column)) = places {
                dictionary.pivot(row, column);
            }
        }
        left.pairs.push(i);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lemke::{Lemke, Options, Start};
    use crate::pivoting::Outcome;
    use crate::problem::Mlcp;
    use crate::residual::Judge;
    use crate::solution::Status;
    use crate::testing::Rng;

    fn completed(rows: &[[f64; 4]; 4], free: &[usize]) -> Option<Completed> {
        let problem = Mlcp::with_free(rows, &[1.0, 2.0, 3.0, 4.0], free).unwrap();
        let flags: Vec<bool> = (0..4).map(|i| problem.is_free(i)).collect();
        let data = Data {
            M: problem.M(),
            q: problem.q(),
            free: &flags,
        };
        Completed::new(data).unwrap()
    }

    #[test]
    fn a_regular_block_needs_no_completion() {
        let rows = [
            [2.0, 1.0, 0.0, 0.0],
            [1.0, 2.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ];
        assert!(completed(&rows, &[0, 1]).is_none());
        assert!(completed(&rows, &[]).is_none());
    }

    #[test]
    fn a_zero_block_is_completed_by_a_pair() {
        // z_0 is free and its equation is −z_3 + 1 = 0.
        let rows = [
            [0.0, 0.0, 0.0, -1.0],
            [0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0],
            [1.0, 0.0, 0.0, 0.0],
        ];
        let completed = completed(&rows, &[0]).unwrap();
        assert_eq!(completed.columns, [1, 2, 3, 0]);
        assert_eq!(completed.basis, [false, false, true, false]);
        assert_eq!(completed.data().q, [2.0, 3.0, 4.0, 1.0]);
    }

    #[test]
    fn an_equation_that_repeats_another_is_skipped() {
        let rows = [
            [1.0, 1.0, 0.0, 1.0],
            [1.0, 1.0, 0.0, 1.0],
            [0.0, 0.0, 1.0, 0.0],
            [1.0, 1.0, 0.0, 1.0],
        ];
        let completed = completed(&rows, &[0, 1]).unwrap();
        assert_eq!(completed.data().n(), 3);
        let mut z = [9.0; 4];
        completed.recover(&[1.0, 2.0, 3.0], &mut z);
        assert_eq!(z.iter().filter(|v| **v == 0.0).count(), 1, "{z:?}");
    }

    /// Multipliers of equations Ax = b, with a skew coupling and no block of their own: a monotone problem that Lemke's method solves from a regular
    /// basis.
    #[test]
    fn lemkes_method_starts_where_the_free_block_is_zero() {
        let mut rng = Rng::new(12);
        for round in 0..40 {
            let (free, pairs) = (1 + rng.below(4), 8 + rng.below(8));
            let n = free + pairs;
            let mut rows = vec![vec![0.0; n]; n];
            for i in 0..free {
                for j in free..n {
                    rows[i][j] = rng.symmetric();
                    rows[j][i] = -rows[i][j];
                }
            }
            (free..n).for_each(|i| rows[i][i] = 1.5 + rng.symmetric());
            // b = Ax for some x ≥ 0.
            let x: Vec<f64> = (0..n).map(|_| rng.symmetric().abs()).collect();
            let bx = |i: usize| (free..n).map(|j| rows[i][j] * x[j]).sum::<f64>();
            let q: Vec<f64> = (0..n)
                .map(|i| if i < free { -bx(i) } else { rng.symmetric() })
                .collect();
            let problem = Mlcp::with_free(&rows, &q, &(0..free).collect::<Vec<_>>()).unwrap();
            let flags: Vec<bool> = (0..n).map(|i| i < free).collect();
            let data = Data {
                M: problem.M(),
                q: &q,
                free: &flags,
            };
            let completed = Completed::new(data).unwrap().expect("a zero block is singular");
            let start = Start {
                basis: &completed.basis,
                ..Start::default()
            };
            let (mut y, mut z) = (vec![0.0; n], vec![0.0; n]);
            let outcome = Lemke::<f64>::default().run(completed.data(), start, &Options::default(), &mut y);
            assert_eq!(outcome, Outcome::Complementary, "round {round}");
            completed.recover(&y, &mut z);
            assert_eq!(
                Judge::default().judge(problem.view(), &z, 1e-10).0,
                Status::Solved,
                "round {round}"
            );
        }
    }
}
