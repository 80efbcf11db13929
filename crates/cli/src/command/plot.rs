//! `stiction plot`: charts of a recording as SVG.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::say_end;
use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_formats::write::write_whole;
use stiction_show::plot::data::{Data, Filter};
use stiction_show::plot::{Panel, What, panels, svg};

/// Arguments of `stiction plot`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Recording: NAME.mcap, NAME.csv, or a folder with poses.csv
    recording: PathBuf,
    /// File for all charts, or an existing folder for one file each; default: RECORDING with the ending .svg
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Charts to draw; default: all
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIST")]
    what: Vec<What>,
    /// Forces of this body's contacts only; may be given again
    #[arg(long, value_name = "NAME")]
    body: Vec<String>,
    /// Forces between these two bodies only; may be given again
    #[arg(long, value_names = ["NAME", "NAME"], num_args = 2)]
    contact: Vec<String>,
}

/// Draws the charts.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let file = &arguments.recording;
    let filter = Filter {
        bodies: arguments.body.clone(),
        pairs: arguments
            .contact
            .chunks_exact(2)
            .map(|p| [p[0].clone(), p[1].clone()])
            .collect(),
    };
    let data = Data::read(file, &filter)?;
    say_end(data.unfinished.as_ref());
    if data.stats.is_empty() {
        return Err(BadInput::whole("must hold at least one step, found none").in_file(file));
    }
    let wanted = |what: &What| arguments.what.is_empty() || arguments.what.contains(what);
    let chosen: Vec<What> = What::ALL.into_iter().filter(wanted).collect();
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let output = match &arguments.output {
        Some(output) => output.clone(),
        None => file.with_extension("svg"),
    };
    let mut text = String::new();
    let mut write = |path: &Path, panels: &[Panel]| {
        write_whole(path, svg(&stem, panels))?;
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", path.display());
        Ok::<(), BadInput>(())
    };
    if output.is_dir() {
        for what in chosen {
            write(
                &output.join(format!("{stem}-{}.svg", what.name())),
                &panels(&data, what),
            )?;
        }
    } else {
        if output.extension().is_none_or(|e| !e.eq_ignore_ascii_case("svg")) {
            return Err(BadInput::whole("must end in .svg or be a folder that exists").in_file(&output));
        }
        let all: Vec<Panel> = chosen.into_iter().flat_map(|what| panels(&data, what)).collect();
        write(&output, &all)?;
    }
    Ok(Outcome::new(text, true))
}
