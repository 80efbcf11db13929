//! One file per command.

pub(crate) mod campaign;
pub(crate) mod experiment;
pub(crate) mod lcp_of;
pub(crate) mod problems;
pub(crate) mod split_cases;

use stiction_formats::BadInput;

/// A run over nothing would say that all is well.
fn at_least_one(count: usize) -> Result<(), BadInput> {
    if count == 0 {
        return Err(BadInput::new("count", "must be 1 at least, found 0"));
    }
    Ok(())
}
