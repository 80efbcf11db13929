//! `stiction completions`: what a shell needs to complete the command line.

use clap_complete::Shell;

use crate::help;
use stiction_answers::Outcome;
use stiction_formats::BadInput;

/// Arguments of `stiction completions`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut help::command(), "stiction", &mut script);
    let text = String::from_utf8(script).map_err(|error| BadInput::whole(format!("internal: {error}")))?;
    Ok(Outcome::new(text, true))
}
