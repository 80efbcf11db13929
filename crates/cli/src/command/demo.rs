//! `stiction demo`: the showcase.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use super::export::{Recorded, html, is};
use crate::demo;
use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_formats::write::write_whole;

/// Arguments of `stiction demo`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// File for the replay
    #[arg(short, long, value_name = "OUT.html", default_value = "stiction-demo.html")]
    output: PathBuf,
}

/// Runs the showcase. The exit status says whether every figure is right.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    if !is(&arguments.output, "html") {
        return Err(BadInput::whole("must end in .html").in_file(&arguments.output));
    }
    let recorded = Recorded::temporary("stiction-demo")?;
    let start = Instant::now();
    let findings = demo::run(recorded.path())?;
    let taken = start.elapsed().as_secs_f64();
    let mut text = format!(
        "a tower on a tilting table, two ramps, two grasps: {} bodies, {} s in {} steps, every step verified, {taken:.1} s of run\n\n",
        findings.bodies, findings.time, findings.steps
    );
    text += &demo::table(&findings);
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "\noverlap      {:.1e} m at most, where the tower has fallen\nstate        {:016x}, the same bits on every machine",
        findings.depth, findings.hash
    );
    let output = arguments.output.display();
    match html(recorded.path()) {
        Ok(page) => {
            write_whole(&arguments.output, &page)?;
            let _ = writeln!(text, "replay       {output}, opens in a browser");
        }
        Err(missing) => {
            let file = arguments.output.with_extension("mcap");
            recorded.keep(&file)?;
            let file = file.display();
            let _ = writeln!(text, "recording    {file}");
            let _ = writeln!(text, "replay       {missing}; then stiction export {file} -o {output}");
        }
    }
    Ok(Outcome::new(text, demo::right(&findings)))
}
