//! `stiction man`: manual pages.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Command;
use clap_mangen::Man;

use crate::help;
use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_formats::write::write_whole;

/// Arguments of `stiction man`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Existing folder, for one page a command; default: the page of stiction itself, on stdout
    folder: Option<PathBuf>,
}

/// Writes the pages.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    // The template of the help is for terminals; the pages list the commands by themselves.
    let mut command = help::plain();
    // Gives commands below others their full names.
    command.build();
    let Some(folder) = &arguments.folder else {
        return Ok(Outcome::new(page(command)?, true));
    };
    if !folder.is_dir() {
        return Err(BadInput::whole("must be a folder that exists").in_file(folder));
    }
    let mut text = String::new();
    write_pages(folder, &command, "stiction", &mut text)?;
    Ok(Outcome::new(text, true))
}

/// The pages of a command and of all below it: `stiction.1`, `stiction-run.1`.
fn write_pages(folder: &Path, command: &Command, name: &str, list: &mut String) -> Result<(), BadInput> {
    let file = folder.join(format!("{name}.1"));
    write_whole(&file, page(command.clone())?)?;
    // Writing to a String cannot fail.
    let _ = writeln!(list, "{}", file.display());
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        write_pages(folder, sub, &format!("{name}-{}", sub.get_name()), list)?;
    }
    Ok(())
}

fn page(command: Command) -> Result<String, BadInput> {
    let mut out = Vec::new();
    Man::new(command)
        .render(&mut out)
        .map_err(|error| BadInput::whole(format!("internal: {error}")))?;
    String::from_utf8(out).map_err(|error| BadInput::whole(format!("internal: {error}")))
}
