//! MATLAB v7.3 files (HDF5) with M and q: M dense, or sparse as a group {data, ir, jc} in compressed columns.

use hdf5_pure::File;
use stiction_lcp::{Lcp, Matrix};

use super::hdf5::{indices, numbers};
use super::{LARGEST_SPARSE, Named, Problem};
use crate::bad_input::BadInput;

/// Most entries of a sparse M: beside them it is stored in full.
const MOST: usize = 1 << 24;

/// Reads the problem of a file.
pub(super) fn read(file: &File, name: &str) -> Result<Named, BadInput> {
    Ok(Named::new(name, read_problem(file)?))
}

fn read_problem(file: &File) -> Result<Problem, BadInput> {
    let q = numbers(file, "q", LARGEST_SPARSE)?;
    let n = q.len();
    let columns = match file.dataset("M") {
        Ok(_) => numbers(file, "M", n * n)?,
        Err(_) => sparse_columns(file, n)?,
    };
    Ok(Problem::Lcp(Lcp::new(Matrix::from_columns(n, columns)?, q)?))
}

/// The dense columns of a matrix in compressed columns.
fn sparse_columns(file: &File, n: usize) -> Result<Vec<f64>, BadInput> {
    let values = numbers(file, "M/data", MOST.min(n * n))?;
    let rows = indices(file, "M/ir", MOST.min(n * n))?;
    let starts = indices(file, "M/jc", n + 1)?;
    if rows.len() != values.len() {
        return Err(BadInput::length("M.ir", values.len(), rows.len()));
    }
    if starts.len() != n + 1 {
        return Err(BadInput::length("M.jc", n + 1, starts.len()));
    }
    let mut columns = vec![0.0; n * n];
    for j in 0..n {
        let (start, end) = (starts[j], starts[j + 1]);
        if start > end || end > values.len() {
            let problem = format!("must lie between {start} and {}, found {end}", values.len());
            return Err(BadInput::new(format!("M.jc[{}]", j + 1), problem));
        }
        for k in start..end {
            let i = rows[k];
            if i >= n {
                return Err(BadInput::new(
                    format!("M.ir[{k}]"),
                    format!("must be below {n}, found {i}"),
                ));
            }
            columns[j * n + i] += values[k];
        }
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use hdf5_pure::FileBuilder;

    use super::*;

    #[test]
    fn entries_given_twice_are_added() {
        let mut file = FileBuilder::new();
        file.create_dataset("q").with_f64_data(&[-1.0, -1.0]);
        let mut group = file.create_group("M");
        group.create_dataset("data").with_f64_data(&[1.0, 2.0, 4.0]);
        group.create_dataset("ir").with_u64_data(&[0, 0, 1]);
        group.create_dataset("jc").with_u64_data(&[0, 2, 3]);
        file.add_group(group.finish());
        let file = File::from_bytes(file.finish().unwrap()).unwrap();
        let Problem::Lcp(lcp) = read_problem(&file).unwrap() else {
            panic!("not an LCP")
        };
        assert_eq!([lcp.M().at(0, 0), lcp.M().at(1, 0), lcp.M().at(1, 1)], [3.0, 0.0, 4.0]);
    }
}
