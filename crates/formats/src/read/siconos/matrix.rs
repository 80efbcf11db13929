//! Matrices of Siconos files, after `storage rows columns`:
//!
//! - 0, dense: `rows columns` again, then the entries by columns (the file breaks its lines elsewhere).
//! - 1, sparse blocks: number of blocks, rows and columns of blocks, where each ends, lengths of the two indices, the row index, the column index,
//!   then each block's number and its entries by columns.
//! - 2, sparse: an origin, the line of the library that wrote it, then either `triplet: m-by-n, nzmax: .. nnz: ..` and `row column : value`,
//!   or `m-by-n, nzmax: .. nnz: .., 1-norm: ..` and `col j : locations a to b` with `row : value` each.

use super::tokens::Tokens;
use crate::bad_input::{BadInput, shown};
use crate::read::sparse::{Entry, Sparse};

/// Reads a matrix of any storage; `size` says how many rows and columns it must have, where that is known.
pub(super) fn read_sparse(tokens: &mut Tokens<'_>, size: Option<[usize; 2]>) -> Result<Sparse, BadInput> {
    let storage = tokens.whole("storage")?;
    if storage > 2 {
        let problem = format!("storage must be 0 (dense), 1 (sparse blocks) or 2 (sparse), found {storage}");
        return Err(tokens.bad(problem));
    }
    let (rows, columns) = if let Some([rows, columns]) = size {
        tokens.exactly(rows, "rows")?;
        tokens.exactly(columns, "columns")?;
        (rows, columns)
    } else {
        (tokens.whole("rows")?, tokens.whole("columns")?)
    };
    let entries = match storage {
        0 => dense(tokens, rows, columns)?,
        1 => blocks(tokens, rows, columns)?.0,
        _ => listed(tokens, rows, columns)?,
    };
    Ok(Sparse::new(rows, columns, entries))
}

/// Reads a matrix in sparse blocks, and where each row of blocks ends.
pub(super) fn read_blocks(tokens: &mut Tokens<'_>) -> Result<(Sparse, Vec<usize>), BadInput> {
    tokens.exactly(1, "storage (sparse blocks)")?;
    let (rows, columns) = (tokens.whole("rows")?, tokens.whole("columns")?);
    let (entries, ends) = blocks(tokens, rows, columns)?;
    Ok((Sparse::new(rows, columns, entries), ends))
}

type Entries = Vec<Entry>;

fn dense(tokens: &mut Tokens<'_>, rows: usize, columns: usize) -> Result<Entries, BadInput> {
    tokens.exactly(rows, "rows")?;
    tokens.exactly(columns, "columns")?;
    tokens.fits(rows.saturating_mul(columns), "M")?;
    let mut entries = Vec::new();
    for c in 0..columns {
        for r in 0..rows {
            entries.push((r, c, tokens.number("M")?));
        }
    }
    Ok(entries)
}

/// Blocks in compressed rows, and where each row of blocks ends.
fn blocks(tokens: &mut Tokens<'_>, rows: usize, columns: usize) -> Result<(Entries, Vec<usize>), BadInput> {
    let count = tokens.size("number of blocks")?;
    let (block_rows, block_columns) = (tokens.size("rows of blocks")?, tokens.size("columns of blocks")?);
    let row_ends = tokens.increasing(block_rows, rows, "end of a row of blocks")?;
    let column_ends = tokens.increasing(block_columns, columns, "end of a column of blocks")?;
    tokens.exactly(block_rows + 1, "length of the row index")?;
    tokens.exactly(count, "length of the column index")?;
    let starts = tokens.increasing(block_rows + 1, count, "start of a row of blocks")?;
    let mut block_column = Vec::with_capacity(count);
    for _ in 0..count {
        block_column.push(tokens.below(block_columns, "column of a block")?);
    }
    let begin = |ends: &[usize], i: usize| if i == 0 { 0 } else { ends[i - 1] };
    let mut entries = Vec::new();
    for (row, pair) in starts.windows(2).enumerate() {
        for block in pair[0]..pair[1] {
            tokens.exactly(block, "number of the block")?;
            let column = block_column[block];
            for c in begin(&column_ends, column)..column_ends[column] {
                for r in begin(&row_ends, row)..row_ends[row] {
                    entries.push((r, c, tokens.number("M")?));
                }
            }
        }
    }
    Ok((entries, row_ends))
}

/// CSparse's own print.
fn listed(tokens: &mut Tokens<'_>, rows: usize, columns: usize) -> Result<Entries, BadInput> {
    tokens.whole("origin")?;
    // The line of the library ends before `triplet:` or the size.
    let size = format!("{rows}-by-{columns},");
    let mut word = tokens.next("the size of the matrix")?;
    let mut passed = 0;
    while word != "triplet:" && word != size {
        passed += 1;
        if passed > 32 {
            return Err(tokens.bad(format!("triplet: or {size} expected, found {}", shown(word))));
        }
        word = tokens.next("the size of the matrix")?;
    }
    let triplets = word == "triplet:";
    if triplets {
        tokens.word(&size)?;
    }
    tokens.word("nzmax:")?;
    tokens.next("nzmax")?;
    tokens.word("nnz:")?;
    if triplets {
        let count = tokens.size("nnz")?;
        return (0..count).map(|_| triplet(tokens, rows, columns)).collect();
    }
    let count = tokens.next("nnz")?;
    let count = count
        .trim_end_matches(',')
        .parse::<usize>()
        .map_err(|_| tokens.bad("nnz must be a whole number"))?;
    tokens.fits(count, "nnz")?;
    tokens.word("1-norm:")?;
    tokens.next("norm")?;
    let mut entries = Vec::new();
    for column in 0..columns {
        tokens.word("col")?;
        tokens.exactly(column, "column")?;
        for word in [":", "locations"] {
            tokens.word(word)?;
        }
        tokens.exactly(entries.len(), "first location")?;
        tokens.word("to")?;
        // The last location of an empty column is one before its first, -1 at the start.
        let last = tokens.next("last location")?;
        let end = last.parse::<i64>().ok().and_then(|last| last.checked_add(1));
        let end = end.and_then(|end| usize::try_from(end).ok());
        let Some(end) = end.filter(|end| (entries.len()..=count).contains(end)) else {
            return Err(tokens.bad(format!("last location must be below {count}, found {}", shown(last))));
        };
        while entries.len() < end {
            let row = tokens.below(rows, "row")?;
            tokens.word(":")?;
            entries.push((row, column, tokens.number("value")?));
        }
    }
    Ok(entries)
}

fn triplet(tokens: &mut Tokens<'_>, rows: usize, columns: usize) -> Result<Entry, BadInput> {
    let place = (tokens.below(rows, "row")?, tokens.below(columns, "column")?);
    tokens.word(":")?;
    Ok((place.0, place.1, tokens.number("value")?))
}
