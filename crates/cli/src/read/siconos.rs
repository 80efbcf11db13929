//! Siconos text files: LCP, MLCP and relay problems.
//!
//! - LCP: `n`, matrix, q. Free text may follow.
//! - relay: `n`, matrix, q, lower bounds, upper bounds. Told from an LCP by the amount of numbers after the matrix.
//! - MLCP: `1`, a flag, n free, m complementary, limits of the blocks of rows from 0 to n + m, one type per block (0 free,
//!   1 complementary), matrix, q. The same data may follow in another form. Told from an LCP by the limit 0, which
//!   stands where an LCP of one variable has a size.
//!
//! A matrix is `0 rows columns rows columns` and its entries by columns, or `1 rows columns` and sparse blocks.

use std::str::SplitAsciiWhitespace;

use stiction_lcp::{Lcp, Matrix, Mlcp};

use super::{LARGEST_SPARSE, Named, Problem};
use crate::bad_input::{BadInput, shown};

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
    let storage = tokens.whole("storage")?;
    if storage > 1 {
        let problem = format!("storage must be 0 (dense) or 1 (sparse blocks), found {storage}");
        return Err(tokens.bad(problem));
    }
    tokens.exactly(n, "rows")?;
    tokens.exactly(n, "columns")?;
    let columns = if storage == 0 {
        tokens.exactly(n, "rows")?;
        tokens.exactly(n, "columns")?;
        tokens.numbers(n.saturating_mul(n), "M")?
    } else {
        read_sparse_blocks(tokens, n)?
    };
    Ok(Matrix::from_columns(n, columns)?)
}

/// Blocks in compressed rows; returns the dense columns.
fn read_sparse_blocks(tokens: &mut Tokens<'_>, n: usize) -> Result<Vec<f64>, BadInput> {
    if n > LARGEST_SPARSE {
        return Err(tokens.bad(format!("n must be at most {LARGEST_SPARSE}, found {n}")));
    }
    let count = tokens.size("number of blocks")?;
    let (block_rows, block_columns) = (tokens.size("rows of blocks")?, tokens.size("columns of blocks")?);
    let row_ends = tokens.increasing(block_rows, n, "end of a row of blocks")?;
    let column_ends = tokens.increasing(block_columns, n, "end of a column of blocks")?;
    tokens.exactly(block_rows + 1, "length of the row index")?;
    tokens.exactly(count, "length of the column index")?;
    let starts = tokens.increasing(block_rows + 1, count, "start of a row of blocks")?;
    let mut block_column = Vec::with_capacity(count);
    for _ in 0..count {
        block_column.push(tokens.below(block_columns, "column of a block")?);
    }
    let begin = |ends: &[usize], i: usize| if i == 0 { 0 } else { ends[i - 1] };
    let mut columns = vec![0.0; n * n];
    for (row, pair) in starts.windows(2).enumerate() {
        for block in pair[0]..pair[1] {
            tokens.exactly(block, "number of the block")?;
            let column = block_column[block];
            for j in begin(&column_ends, column)..column_ends[column] {
                for i in begin(&row_ends, row)..row_ends[row] {
                    columns[j * n + i] = tokens.number("M")?;
                }
            }
        }
    }
    Ok(columns)
}

/// The words of a file, with the number of the last one read.
struct Tokens<'a> {
    words: SplitAsciiWhitespace<'a>,
    /// Words taken so far: the number of the last one, from 1.
    read: usize,
    /// No more words than this can be in the file.
    most: usize,
    bytes: usize,
}

impl<'a> Tokens<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            words: text.split_ascii_whitespace(),
            read: 0,
            most: text.len() / 2 + 1,
            bytes: text.len(),
        }
    }

    /// A message about the last word read.
    fn bad(&self, problem: impl std::fmt::Display) -> BadInput {
        BadInput::new(format!("token {}", self.read), problem)
    }

    fn next(&mut self, what: &str) -> Result<&'a str, BadInput> {
        self.read += 1;
        let word = self.words.next();
        word.ok_or_else(|| self.bad(format!("{what} expected, found the end of the file")))
    }

    fn number(&mut self, what: &str) -> Result<f64, BadInput> {
        let word = self.next(what)?;
        match word.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) => Err(self.bad(format!("{what} must be finite, found {}", shown(word)))),
            Err(_) => Err(self.bad(format!("{what} must be a number, found {}", shown(word)))),
        }
    }

    fn whole(&mut self, what: &str) -> Result<usize, BadInput> {
        let word = self.next(what)?;
        let value = word
            .parse()
            .ok()
            .filter(|_| word.starts_with(|c: char| c.is_ascii_digit()));
        value.ok_or_else(|| self.bad(format!("{what} must be a whole number, found {}", shown(word))))
    }

    /// A count of things that each take a word of the file.
    fn size(&mut self, what: &str) -> Result<usize, BadInput> {
        let value = self.whole(what)?;
        self.fits(value, what)?;
        Ok(value)
    }

    /// Refuses a count that the file is too short for, before anything is allocated.
    fn fits(&self, count: usize, what: &str) -> Result<(), BadInput> {
        if count <= self.most {
            return Ok(());
        }
        let (bytes, most) = (self.bytes, self.most);
        let problem = format!("{what} must be at most {most} numbers in a file of {bytes} bytes, found {count}");
        Err(self.bad(problem))
    }

    fn exactly(&mut self, expected: usize, what: &str) -> Result<(), BadInput> {
        let found = self.whole(what)?;
        if found == expected {
            return Ok(());
        }
        Err(self.bad(format!("{what} must be {expected}, found {found}")))
    }

    fn below(&mut self, limit: usize, what: &str) -> Result<usize, BadInput> {
        let found = self.whole(what)?;
        if found < limit {
            return Ok(found);
        }
        Err(self.bad(format!("{what} must be below {limit}, found {found}")))
    }

    /// Numbers that do not fall and end at `last`.
    fn increasing(&mut self, count: usize, last: usize, what: &str) -> Result<Vec<usize>, BadInput> {
        let mut values = Vec::with_capacity(count);
        for k in 0..count {
            let value = self.whole(what)?;
            let least = values.last().copied().unwrap_or(0);
            let fits = if k + 1 == count {
                value == last && value >= least
            } else {
                (least..=last).contains(&value)
            };
            if !fits {
                let problem = format!("{what} must rise from {least} to {last} at the last, found {value}");
                return Err(self.bad(problem));
            }
            values.push(value);
        }
        Ok(values)
    }

    fn numbers(&mut self, count: usize, what: &str) -> Result<Vec<f64>, BadInput> {
        self.fits(count, what)?;
        (0..count).map(|_| self.number(what)).collect()
    }

    /// How many of the next words are numbers, up to the first that is not.
    fn count_numbers(&self) -> usize {
        self.words
            .clone()
            .take_while(|word| word.parse::<f64>().is_ok())
            .count()
    }
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
            "token 2: storage must be 0 (dense) or 1 (sparse blocks), found 7"
        );
        assert_eq!(message("1 0 1 1 1 1 nan 1"), "token 7: M must be finite, found nan");
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
