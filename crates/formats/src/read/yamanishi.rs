//! Yamanishi's simulation logs: lines `row<TAB>column<TAB>value` and `q<TAB>row<TAB>value`; all other lines are noise.

use std::str::FromStr;

use stiction_lcp::{Lcp, Matrix};

use super::{MAX_SPARSE_ORDER, Named, Problem};
use crate::bad_input::{BadInput, shown};

/// Whether some line gives an entry of q.
pub(super) fn recognises(text: &str) -> bool {
    text.lines()
        .any(|line| fields(line).is_some_and(|[key, _, _]| key == "q"))
}

/// The three fields of a line that counts.
fn fields(line: &str) -> Option<[&str; 3]> {
    let mut parts = line.trim_end().split('\t');
    let fields = [parts.next()?, parts.next()?, parts.next()?];
    (parts.next().is_none() && fields.iter().all(|field| !field.is_empty())).then_some(fields)
}

/// Reads the problem of a log; q says how many rows there are.
pub(super) fn read(text: &str, name: &str) -> Result<Named, BadInput> {
    let q = read_q(text)?;
    let n = q.len();
    if n > MAX_SPARSE_ORDER {
        return Err(BadInput::new(
            "q",
            format!("must have at most {MAX_SPARSE_ORDER} entries, found {n}"),
        ));
    }
    let mut columns = vec![0.0; n * n];
    let mut given = vec![false; n * n];
    for (number, [row, column, value]) in lines(text).filter(|(_, fields)| fields[0] != "q") {
        let (i, j) = (index(row, number, "row")?, index(column, number, "column")?);
        if let Some((what, found)) = [("row", i), ("column", j)].into_iter().find(|(_, k)| *k >= n) {
            return Err(bad(number, format!("{what} must be below {n}, found {found}")));
        }
        if std::mem::replace(&mut given[j * n + i], true) {
            return Err(bad(number, format!("M[{i}][{j}] must be given once, found again")));
        }
        columns[j * n + i] = finite(value, number)?;
    }
    let matrix = Matrix::from_columns(n, columns)?;
    Ok(Named::new(name, Problem::Lcp(Lcp::new(matrix, q)?)))
}

/// The lines that count, numbered from 1.
fn lines(text: &str) -> impl Iterator<Item = (usize, [&str; 3])> {
    text.lines()
        .enumerate()
        .filter_map(|(at, line)| Some((at + 1, fields(line)?)))
}

fn read_q(text: &str) -> Result<Vec<f64>, BadInput> {
    let mut q = Vec::new();
    for (number, [_, row, value]) in lines(text).filter(|(_, fields)| fields[0] == "q") {
        let row = index(row, number, "row of q")?;
        if row != q.len() {
            return Err(bad(number, format!("row of q must be {}, found {row}", q.len())));
        }
        q.push(finite(value, number)?);
    }
    Ok(q)
}

fn bad(number: usize, problem: String) -> BadInput {
    BadInput::new(format!("line {number}"), problem)
}

fn index(word: &str, number: usize, what: &str) -> Result<usize, BadInput> {
    usize::from_str(word).map_err(|_| bad(number, format!("{what} must be a whole number, found {}", shown(word))))
}

fn finite(word: &str, number: usize) -> Result<f64, BadInput> {
    let value = f64::from_str(word).ok().filter(|value| value.is_finite());
    value.ok_or_else(|| bad(number, format!("value must be a finite number, found {}", shown(word))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_passed_over() {
        let text = "2022 started\n\n0\t0\t2.5\nframe\t7\n1\t0\t-1\nq\t0\t-3\nq\t1\t4\n";
        let Problem::Lcp(lcp) = read(text, "x").unwrap().problem else {
            panic!("not an LCP")
        };
        assert_eq!((lcp.M().at(0, 0), lcp.M().at(1, 0), lcp.M().at(0, 1)), (2.5, -1.0, 0.0));
        assert_eq!(lcp.q(), &[-3.0, 4.0]);
    }

    #[test]
    fn entries_outside_or_repeated_are_refused() {
        let message = |text: &str| read(text, "x").unwrap_err().to_string();
        assert_eq!(message("0\t4\t1\nq\t0\t1\n"), "line 1: column must be below 1, found 4");
        assert_eq!(
            message("0\t0\t1\n0\t0\t2\nq\t0\t1\n"),
            "line 2: M[0][0] must be given once, found again"
        );
        assert_eq!(
            message("q\t0\tinf\n"),
            "line 1: value must be a finite number, found inf"
        );
        assert_eq!(message("q\t1\t0\n"), "line 1: row of q must be 0, found 1");
    }
}
