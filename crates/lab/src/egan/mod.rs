//! `stiction-lab experiment egan`: what the paper on nonconvex constraints prints, beside what is found here \[Egan\].

mod corner;
mod scenes;
mod times;

use stiction_answers::Outcome;
use stiction_formats::BadInput;

/// Arguments of `stiction-lab experiment egan`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Five problems of each size
    #[arg(long)]
    quick: bool,
}

/// Text, and whether everything came out as it must.
struct Part {
    text: String,
    clean: bool,
}

/// Runs the experiment. The exit status says whether every answer is verified and as the paper has it, errata aside.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let parts = [
        corner::examples()?,
        corner::sizes()?,
        corner::cut_corners()?,
        scenes::hole()?,
        scenes::others()?,
        times::ratios(arguments.quick)?,
    ];
    let text: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
    Ok(Outcome::new(text.join("\n"), parts.iter().all(|part| part.clean)))
}
