//! One problem of a set, by its name.

use std::path::Path;

use crate::bad_input::{BadInput, shown};
use crate::read::{ContactFile, Content, Named, ReadOptions, read_content};

/// The content of a file; of a set, only the problem named.
///
/// # Errors
/// A file that cannot be read, or a name that is not in it.
pub fn content(file: &Path, case: Option<&str>, options: ReadOptions) -> Result<Content, BadInput> {
    match (read_content(file, options)?, case) {
        (Content::Problems(all), Some(case)) => only(file, all, case).map(|one| Content::Problems(vec![one])),
        (Content::Contacts(all), Some(case)) => only(file, all, case).map(Content::Contact),
        (Content::Contact(contact), Some(case)) => {
            check_name(file, &contact.name, case)?;
            Ok(Content::Contact(contact))
        }
        (Content::Raw(raw), Some(case)) => {
            check_name(file, &raw.name, case)?;
            Ok(Content::Raw(raw))
        }
        (content, None) => Ok(content),
    }
}

fn check_name(file: &Path, name: &str, case: &str) -> Result<(), BadInput> {
    if name == case {
        return Ok(());
    }
    let problem = format!("must be one of {name}, found {}", shown(case));
    Err(BadInput::new("case", problem).in_file(file))
}

/// What has a name in a set.
trait HasName {
    fn name(&self) -> &str;
}

impl HasName for Named {
    fn name(&self) -> &str {
        &self.name
    }
}

impl HasName for ContactFile {
    fn name(&self) -> &str {
        &self.name
    }
}

/// A set is given where one problem is wanted.
#[must_use]
pub fn one_wanted(file: &Path, count: usize) -> BadInput {
    BadInput::new("case", format!("must be named by --case, found {count} problems")).in_file(file)
}

/// The problem named.
fn only<T: HasName>(file: &Path, mut all: Vec<T>, case: &str) -> Result<T, BadInput> {
    let found: Vec<usize> = (0..all.len()).filter(|k| all[*k].name() == case).collect();
    match found[..] {
        [] => {}
        [at] => return Ok(all.swap_remove(at)),
        _ => {
            let problem = format!("must name one problem, found {} that are {}", found.len(), shown(case));
            return Err(BadInput::new("case", problem).in_file(file));
        }
    }
    let names: Vec<&str> = all.iter().map(HasName::name).collect();
    let problem = format!("must be one of {}, found {}", names.join(", "), shown(case));
    Err(BadInput::new("case", problem).in_file(file))
}
