//! `stiction demo`: the showcase.

use std::path::PathBuf;
use std::time::Instant;

use super::experiment::write_whole;
use super::export::{Recorded, html};
use crate::{BadInput, Outcome, demo};

/// Arguments of `stiction demo`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Where the replay goes
    #[arg(short, long, value_name = "OUT.html", default_value = "stiction-demo.html")]
    output: PathBuf,
}

/// Runs the showcase. The exit status says whether every figure is right.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let recorded = Recorded::temporary("stiction-demo")?;
    let start = Instant::now();
    let findings = demo::run(recorded.path())?;
    let taken = start.elapsed().as_secs_f64();
    let mut text = format!(
        "a tower on a tilting table, two ramps, two grasps: {} bodies, {} s in {} steps, every step verified, {taken:.1} s of run\n\n",
        findings.bodies, findings.time, findings.steps
    );
    text += &demo::table(&findings);
    text += &format!(
        "\nstate        {:016x}, the same bits on every machine\n",
        findings.hash
    );
    match html(recorded.path()) {
        Ok(page) => {
            write_whole(&arguments.output, &page)?;
            text += &format!("replay       {}, opens in a browser\n", arguments.output.display());
        }
        Err(missing) => {
            let file = arguments.output.with_extension("mcap");
            recorded.keep(&file)?;
            text += &format!("recording    {}\n", file.display());
            text += &format!(
                "replay       {missing}; then stiction export {} -o {}\n",
                file.display(),
                arguments.output.display()
            );
        }
    }
    Ok(Outcome::new(text, demo::right(&findings)))
}
