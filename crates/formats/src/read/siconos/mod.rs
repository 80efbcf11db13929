//! Siconos text files: LCP, MLCP, relay, friction and generic mechanical problems.
//!
//! - LCP: `n`, matrix, q. Free text may follow.
//! - relay: `n`, matrix, q, lower bounds, upper bounds. Told from an LCP by the amount of numbers after the matrix.
//! - MLCP: `1`, a flag, n free, m complementary, limits of the blocks of rows from 0 to n + m, one type per block (0 free,
//!   1 complementary), matrix, q. The same data may follow in another form. Told from an LCP by the limit 0, which
//!   stands where an LCP of one variable has a size.
//!
//! Friction problems are in [`friction`], generic mechanical ones in [`gmp`], matrices in [`matrix`].

pub(super) mod friction;
pub(super) mod gmp;
mod matrix;
mod tokens;

use stiction_lcp::{Lcp, Matrix, Mlcp};

use super::{MAX_SPARSE_ORDER, Named, Problem};
use crate::bad_input::BadInput;
use matrix::read_sparse;
use tokens::Tokens;

/// Whether the text starts with a number.
pub(super) fn recognises(text: &str) -> bool {
    text.split_ascii_whitespace()
        .next()
        .is_some_and(|token| token.parse::<f64>().is_ok())
}

/// Reads the problem of a file.
pub(super) fn read(text: &str, name: &str) -> Result<Named, BadInput> {
    let problem = if is_mixed(text) {
        read_mlcp(&mut Tokens::new(text))?
    } else {
        read_lcp_or_relay(&mut Tokens::new(text))?
    };
    Ok(Named::new(name, problem))
}

/// An MLCP starts `1 flag n m 0`; an LCP of one variable `1 storage 1 1` and a size or count that is not 0.
fn is_mixed(text: &str) -> bool {
    let start: Vec<&str> = text.split_ascii_whitespace().take(5).collect();
    matches!(start[..], ["1", "0" | "1", _, _, "0"])
}

fn read_lcp_or_relay(tokens: &mut Tokens<'_>) -> Result<Problem, BadInput> {
    let n = tokens.size("n")?;
    let matrix = read_matrix(tokens, n)?;
    let numbers = tokens.count_numbers();
    let q = tokens.numbers(n, "q")?;
    if numbers == n {
        return Ok(Problem::Lcp(Lcp::new(matrix, q)?));
    }
    if numbers != 3 * n {
        let problem = format!("must be {n} numbers (q) or {} (q and bounds), found {numbers}", 3 * n);
        return Err(BadInput::new(format!("after token {}", tokens.read - n), problem));
    }
    let lower = tokens.numbers(n, "lower")?;
    let upper = tokens.numbers(n, "upper")?;
    Ok(Problem::Mlcp(Mlcp::new(matrix, q, lower, upper)?))
}

fn read_mlcp(tokens: &mut Tokens<'_>) -> Result<Problem, BadInput> {
    tokens.whole("number of problems")?;
    tokens.whole("flag")?;
    let (n, m) = (tokens.size("n")?, tokens.size("m")?);
    let size = n + m;
    let free = read_blocks(tokens, size)?;
    let found = free.iter().filter(|free| **free).count();
    if found != n {
        return Err(tokens.bad(format!("the blocks must have {n} free rows, found {found}")));
    }
    let matrix = read_matrix(tokens, size)?;
    let q = tokens.numbers(size, "q")?;
    let lower = free
        .iter()
        .map(|&free| if free { f64::NEG_INFINITY } else { 0.0 })
        .collect();
    Ok(Problem::Mlcp(Mlcp::new(matrix, q, lower, vec![f64::INFINITY; size])?))
}

/// Which rows are free, from the limits and types of the blocks.
fn read_blocks(tokens: &mut Tokens<'_>, size: usize) -> Result<Vec<bool>, BadInput> {
    let mut limits = vec![tokens.whole("first block limit")?];
    while limits.last() != Some(&size) {
        let limit = tokens.whole("block limit")?;
        let previous = limits[limits.len() - 1];
        if limit < previous || limit > size {
            let problem = format!("block limit must lie between {previous} and {size}, found {limit}");
            return Err(tokens.bad(problem));
        }
        limits.push(limit);
    }
    let mut free = Vec::with_capacity(size);
    for pair in limits.windows(2) {
        let kind = tokens.whole("block type")?;
        if kind > 1 {
            return Err(tokens.bad(format!("block type must be 0 or 1, found {kind}")));
        }
        free.resize(free.len() + pair[1] - pair[0], kind == 0);
    }
    Ok(free)
}

/// A square matrix of a known size.
fn read_matrix(tokens: &mut Tokens<'_>, n: usize) -> Result<Matrix, BadInput> {
    let sparse = read_sparse(tokens, Some([n, n]))?;
    if sparse.entries().len() < n * n && n > MAX_SPARSE_ORDER {
        return Err(tokens.bad(format!("n must be at most {MAX_SPARSE_ORDER}, found {n}")));
    }
    let mut columns = vec![0.0; n * n];
    for (r, c, x) in sparse.entries() {
        columns[c * n + r] = *x;
    }
    Ok(Matrix::from_columns(n, columns)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        read(text, "x").unwrap_err().to_string()
    }

    #[test]
    fn dense_matrices_are_stored_by_columns() {
        let named = read("2 0 2 2 2 2  1 2 3 4  -1 -2\n\nfrom a book, 2 solutions", "x").unwrap();
        let Problem::Lcp(lcp) = named.problem else {
            panic!("not an LCP")
        };
        assert_eq!((lcp.M().at(1, 0), lcp.M().at(0, 1)), (2.0, 3.0));
        assert_eq!(lcp.q(), &[-1.0, -2.0]);
    }

    #[test]
    fn sparse_blocks_are_placed_by_row_and_column() {
        // Blocks (0, 1) of 1 × 2 and (1, 0) of 2 × 1 in a 3 × 3 matrix.
        let text = "3 1 3 3  2 2 2  1 3  1 3  3 2  0 1 2  1 0  0 5 6  1 7 8  0 0 0";
        let Problem::Lcp(lcp) = read(text, "x").unwrap().problem else {
            panic!("not an LCP")
        };
        let row = |i: usize| [lcp.M().at(i, 0), lcp.M().at(i, 1), lcp.M().at(i, 2)];
        assert_eq!(
            [row(0), row(1), row(2)],
            [[0.0, 5.0, 6.0], [7.0, 0.0, 0.0], [8.0, 0.0, 0.0]]
        );
    }

    #[test]
    fn bounds_after_q_make_a_relay() {
        let named = read("1 0 1 1 1 1 2 -5 -1 1", "x").unwrap();
        let Problem::Mlcp(mlcp) = named.problem else {
            panic!("not a relay")
        };
        assert_eq!((mlcp.lower(), mlcp.upper()), (&[-1.0][..], &[1.0][..]));
    }

    #[test]
    fn hostile_headers_are_refused_before_allocating() {
        let huge = "n must be at most 19 numbers in a file of 36 bytes, found 18446744073709551615";
        assert_eq!(
            message("18446744073709551615 0 2 2 2 2 1 1 1"),
            format!("token 1: {huge}")
        );
        assert_eq!(message("-2 0 2 2"), "token 1: n must be a whole number, found -2");
        assert_eq!(message("2 0 2 3"), "token 4: columns must be 2, found 3");
        assert_eq!(
            message("2 7 2 2"),
            "token 2: storage must be 0 (dense), 1 (sparse blocks) or 2 (sparse), found 7"
        );
        assert_eq!(message("1 0 1 1 1 1 nan 1"), "token 7: M must be finite, found nan");
        let listed = "2 2 2 2 0 CSparse 2-by-2, nzmax: 2 nnz: 2, 1-norm: 1 col 0 : locations 0 to 9223372036854775807";
        assert_eq!(
            message(listed),
            "token 20: last location must be below 2, found 9223372036854775807"
        );
        assert_eq!(
            message("1 0 1 1 1 1 2"),
            "token 8: q expected, found the end of the file"
        );
        assert_eq!(
            message("1 1 1 1 0 3 2"),
            "token 6: block limit must lie between 0 and 2, found 3"
        );
    }
}
