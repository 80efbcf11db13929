//! A dense square matrix stored by columns, with the nonzeros of its thin columns listed.
//!
//! Pivoting reads whole columns (products M_:α x) and single entries (rows of the kernel). The columns of slip
//! speeds in a friction problem hold a handful of ones among hundreds of zeros, so listing the nonzeros of
//! thin columns halves the cost of a product.

use crate::error::{InputError, check_length};

/// A column is *thin*, and its nonzeros are listed, when at most one entry in this many differs from zero.
const THIN_COLUMN_SHARE: usize = 4;

/// A square matrix of finite numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    n: usize,
    /// Entry (i, j) is at `j * n + i`.
    columns: Vec<f64>,
    /// Rows of the nonzeros of thin column j: `thin_rows[thin_start[j]..thin_start[j + 1]]`.
    thin_rows: Vec<u32>,
    thin_start: Vec<u32>,
    /// Whether column j is thin (a thin column may be empty).
    thin: Vec<bool>,
    /// max_i |M_ij|, or 1 for a column of zeros.
    column_scale: Vec<f64>,
    /// Powers of two D_r, D_c that bring D_r M D_c near 1.
    balance: (Vec<f64>, Vec<f64>),
    diagonal: Vec<f64>,
    /// Least |M_ij| ≠ 0; infinite for a matrix of zeros.
    least: f64,
    symmetric: bool,
}

impl Matrix {
    /// Builds a matrix from its columns, one after the other (length n²).
    ///
    /// # Errors
    /// When the length is not n², or an entry is not finite.
    pub fn from_columns(n: usize, columns: Vec<f64>) -> Result<Self, InputError> {
        let size = n.saturating_mul(n);
        check_length("M", size, columns.len())?;
        if let Some(at) = columns.iter().position(|v| !v.is_finite()) {
            return Err(InputError::NotFinite {
                field: format!("M[{}][{}]", at % n, at / n),
                found: columns[at],
            });
        }
        let mut matrix = Self {
            n,
            columns,
            thin_rows: Vec::new(),
            thin_start: vec![0],
            thin: Vec::with_capacity(n),
            column_scale: Vec::with_capacity(n),
            balance: (vec![1.0; n], vec![1.0; n]),
            diagonal: Vec::with_capacity(n),
            least: f64::INFINITY,
            symmetric: false,
        };
        matrix.measure_columns();
        matrix.balance();
        matrix.symmetric = (0..n).all(|j| (0..j).all(|i| matrix.at(i, j) == matrix.at(j, i)));
        Ok(matrix)
    }

    /// Builds a matrix from its rows.
    ///
    /// # Errors
    /// When a row has the wrong length, or an entry is not finite.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Self, InputError> {
        let n = rows.len();
        let mut columns = vec![0.0; n * n];
        for (i, row) in rows.iter().enumerate() {
            let row = row.as_ref();
            check_length(&format!("M[{i}]"), n, row.len())?;
            for (j, &value) in row.iter().enumerate() {
                columns[j * n + i] = value;
            }
        }
        Self::from_columns(n, columns)
    }

    fn measure_columns(&mut self) {
        let n = self.n;
        for j in 0..n {
            let column = &self.columns[j * n..(j + 1) * n];
            let count = column.iter().filter(|v| **v != 0.0).count();
            let thin = count * THIN_COLUMN_SHARE <= n;
            self.thin.push(thin);
            self.diagonal.push(column[j]);
            let nonzero = column.iter().filter(|v| **v != 0.0);
            self.least = nonzero.fold(self.least, |m, v| v.abs().min(m));
            let largest = column.iter().fold(0.0f64, |m, v| v.abs().max(m));
            self.column_scale.push(if largest > 0.0 { largest } else { 1.0 });
            if thin {
                let rows = (0..n).filter(|&i| column[i] != 0.0);
                self.thin_rows
                    .extend(rows.map(|i| u32::try_from(i).unwrap_or(u32::MAX)));
            }
            let end = u32::try_from(self.thin_rows.len()).unwrap_or(u32::MAX);
            self.thin_start.push(end);
        }
    }

    /// Chooses D_r and D_c: 1/√M_ii on both sides where M_ii ≠ 0, and for the other rows and columns what brings their
    /// largest entry near 1. Powers of two, so that scaling adds no rounding.
    fn balance(&mut self) {
        let n = self.n;
        let diagonal = |i: usize| self.columns[i * n + i].abs();
        let (mut rows, mut columns) = (vec![1.0; n], vec![1.0; n]);
        for i in (0..n).filter(|&i| diagonal(i) > 0.0) {
            rows[i] = inverse_root(diagonal(i));
            columns[i] = rows[i];
        }
        let zero: Vec<usize> = (0..n).filter(|&i| diagonal(i) == 0.0).collect();
        for &j in &zero {
            let largest = (0..n).fold(0.0f64, |m, i| (self.columns[j * n + i] * rows[i]).abs().max(m));
            columns[j] = inverse(largest);
        }
        for &i in &zero {
            let largest = (0..n).fold(0.0f64, |m, j| (self.columns[j * n + i] * columns[j]).abs().max(m));
            rows[i] = inverse(largest);
        }
        self.balance = (rows, columns);
    }

    /// Entry (i, j) of the balanced form D_r M D_c.
    #[must_use]
    pub fn balanced(&self, i: usize, j: usize) -> f64 {
        self.at(i, j) * self.balance.0[i] * self.balance.1[j]
    }

    /// D_r of a balanced form D_r M D_c, powers of two.
    #[must_use]
    pub fn row_scale(&self) -> &[f64] {
        &self.balance.0
    }

    /// D_c of the balanced form.
    #[must_use]
    pub fn unit_scale(&self) -> &[f64] {
        &self.balance.1
    }

    /// Number of rows and of columns.
    #[must_use]
    pub fn n(&self) -> usize {
        self.n
    }

    /// Entry in row `i`, column `j`.
    #[must_use]
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.columns[j * self.n + i]
    }

    /// Column `j`, length n.
    #[must_use]
    pub fn column(&self, j: usize) -> &[f64] {
        &self.columns[j * self.n..(j + 1) * self.n]
    }

    /// The entries M_ii, length n.
    #[must_use]
    pub fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// Rows of the nonzeros of column `j` when it is thin, `None` when it is full.
    #[must_use]
    pub fn thin_column(&self, j: usize) -> Option<&[u32]> {
        self.thin[j].then(|| &self.thin_rows[self.thin_start[j] as usize..self.thin_start[j + 1] as usize])
    }

    /// max_i |M_ij|: what a unit of z_j does to w at most. 1 for a column of zeros.
    #[must_use]
    pub fn column_scale(&self, j: usize) -> f64 {
        self.column_scale[j]
    }

    /// Whether M = Mᵀ exactly.
    #[must_use]
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// Least |M_ij| that is not zero; infinite when all are.
    #[must_use]
    pub fn least(&self) -> f64 {
        self.least
    }

    /// Largest |M_ij|, 0 for an empty matrix.
    #[must_use]
    pub fn max_abs(&self) -> f64 {
        self.columns.iter().fold(0.0, |m, v| v.abs().max(m))
    }
}

/// The exponent e of a finite x ≥ 2⁻¹⁰²², 2ᵉ ≤ x < 2ᵉ⁺¹.
fn exponent(x: f64) -> i64 {
    i64::try_from((x.to_bits() >> 52) & 0x7ff).unwrap_or(0) - 1023
}

/// 2ᵉ for |e| ≤ 1022.
fn power_of_two(e: i64) -> f64 {
    let biased = u64::try_from(e.clamp(-1022, 1022) + 1023).unwrap_or(1);
    f64::from_bits(biased << 52)
}

/// A power of two near 1/√x.
fn inverse_root(x: f64) -> f64 {
    power_of_two(-exponent(x).div_euclid(2))
}

/// A power of two near 1/x; 1 for x = 0.
fn inverse(x: f64) -> f64 {
    if x > 0.0 { power_of_two(-exponent(x)) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_describe_the_same_matrix() {
        let by_rows = Matrix::from_rows(&[[1.0, 2.0], [3.0, 4.0]]).unwrap();
        let by_columns = Matrix::from_columns(2, vec![1.0, 3.0, 2.0, 4.0]).unwrap();
        assert_eq!(by_rows, by_columns);
        assert_eq!((by_rows.at(0, 1), by_rows.at(1, 0)), (2.0, 3.0));
        assert!(!by_rows.is_symmetric());
    }

    #[test]
    fn thin_columns_list_their_nonzeros() {
        let mut columns = vec![1.0; 64];
        columns[..8].fill(0.0);
        columns[3] = 7.0;
        let matrix = Matrix::from_columns(8, columns).unwrap();
        assert_eq!(matrix.thin_column(0), Some(&[3][..]));
        assert_eq!(matrix.thin_column(1), None);
    }

    #[test]
    fn an_entry_that_is_not_finite_is_named() {
        let error = Matrix::from_rows(&[[1.0, f64::NAN], [0.0, 1.0]]).unwrap_err();
        assert_eq!(error.to_string(), "M[0][1]: must be finite, found NaN");
    }

    #[test]
    fn a_short_row_is_named() {
        let error = Matrix::from_rows(&[vec![1.0, 2.0], vec![3.0]]).unwrap_err();
        assert_eq!(error.to_string(), "M[1]: must have 2 entries, found 1");
    }
}
