//! Friction problems of Siconos files.
//!
//! - local (`FC2D`, `FC3D`): dimension, contacts, W, q, μ. u = W r + q.
//! - global (`GFC2D`, `GFC3D`): dimension, contacts, M, H, f, w, μ. M v = H r + f, u = Hᵀv + w.
//!
//! At each contact the normal comes first. One more word may follow, an old mark of completeness.

use super::matrix::read_sparse;
use super::tokens::Tokens;
use crate::bad_input::{BadInput, one_line};
use crate::read::sparse::{self, Global};
use crate::read::{Given, RawFile};

/// Whether a text starts as a friction problem does: `d contacts storage rows rows` with d = 2 or 3, and for the local form rows = d·contacts.
/// There may be no contact. An LCP starts `n storage n n`.
pub(in crate::read) fn recognises(text: &str) -> bool {
    let start: Vec<Option<usize>> = text
        .split_ascii_whitespace()
        .take(5)
        .map(|word| word.parse().ok())
        .collect();
    let [Some(d), Some(contacts), Some(storage), Some(rows), Some(columns)] = start[..] else {
        return false;
    };
    // Both may start so: an LCP of two variables, or at most one contact in the plane whose matrix is stored as a list.
    let as_lcp = contacts <= 2 && storage == d && rows == d;
    let listed = contacts <= 1 && text.contains("-by-");
    matches!(d, 2 | 3) && storage <= 2 && rows == columns && (rows > 0 || contacts == 0) && (!as_lcp || listed)
}

/// Reads the problem of a file.
pub(in crate::read) fn read(text: &str, name: &str) -> Result<RawFile, BadInput> {
    let tokens = &mut Tokens::new(text);
    let dimension = tokens.whole("dimension")?;
    let contacts = tokens.size("number of contacts")?;
    let size = contacts.saturating_mul(dimension);
    let first = read_sparse(tokens, None)?;
    let given = if first.rows() == size && tokens.count_words() <= size + contacts + 1 {
        let q = tokens.numbers(size, "q")?;
        let mu = tokens.numbers(contacts, "mu")?;
        Given::Local(sparse::local(dimension, &first, q, mu)?)
    } else {
        let directions = read_sparse(tokens, Some([first.rows(), size]))?;
        let f = tokens.numbers(first.rows(), "f")?;
        let w = tokens.numbers(size, "w")?;
        let mu = tokens.numbers(contacts, "mu")?;
        Given::Global(Global {
            dimension,
            mass: first,
            directions,
            f,
            w,
            mu,
        })
    };
    let form = match (&given, dimension) {
        (Given::Local(_), 2) => "Siconos FC2D text",
        (Given::Local(_), _) => "Siconos FC3D text",
        (_, 2) => "Siconos GFC2D text",
        _ => "Siconos GFC3D text",
    };
    RawFile::new(one_line(name), form, given)
}
