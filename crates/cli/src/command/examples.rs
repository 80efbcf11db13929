//! `stiction examples`: scenes by name.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::run::{Options, run_scene};
use super::scene_argument::read_scene;
use crate::examples::{EXAMPLES, Example, all, find};
use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_formats::write::write_whole;

/// Arguments of `stiction examples`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Scene to run; default: list all
    name: Option<String>,
    /// Write the scene as a file, with the files that it needs beside it, instead of running it
    #[arg(long, value_name = "FILE", requires = "name", conflicts_with_all = ["output", "steps", "json"])]
    write: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
}

/// Lists, runs or writes.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let Some(name) = &arguments.name else {
        return Ok(Outcome::new(list(), true));
    };
    let example = find(name)?;
    if let Some(file) = &arguments.write {
        return write(example, file);
    }
    let (scene, file) = read_scene(Path::new(example.name), &arguments.options.change)?;
    run_scene(&scene, &file, &arguments.options)
}

fn list() -> String {
    let width = all().map(|example| example.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (title, examples) in EXAMPLES {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{title}:");
        for example in *examples {
            let _ = writeln!(text, "  {:<width$}  {}", example.name, example.about());
        }
        text.push('\n');
    }
    text + "stiction examples NAME runs one, stiction examples NAME --write FILE.toml writes it.\n"
}

fn write(example: &Example, file: &Path) -> Result<Outcome, BadInput> {
    if file.exists() {
        return Err(BadInput::whole("must not exist yet, or it would be lost").in_file(file));
    }
    write_whole(file, example.text)?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut text = format!("{}\n", file.display());
    for path in example.write_files(folder.unwrap_or(Path::new("")))? {
        let _ = writeln!(text, "{}", path.display());
    }
    Ok(Outcome::new(text, true))
}
