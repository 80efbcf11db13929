//! `stiction export`: a recording or a scene in other forms.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use stiction_record::{RecordOptions, Recorder, Recording};
use stiction_scene::{Scene, WorldExt};
use stiction_sim::World;

use super::say_end;
use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_formats::temporary::TemporaryFolder;
use stiction_formats::write::write_whole;
use stiction_record::page;
use stiction_record::replay::Replay;
use stiction_show::gltf;
use stiction_show::picture;

/// Arguments of `stiction export`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Recording (NAME.mcap), or a scene, which is run first
    input: PathBuf,
    /// File to write: .html (replay in one file), .gltf or .glb (animation), .csv (tables), .png (with --png)
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Picture of the frame at this time [s], through the replay in headless Chromium
    #[arg(long, value_name = "TIME")]
    png: Option<f64>,
    /// Most frames a second of an animation
    #[arg(long, value_name = "F", default_value_t = 60.0)]
    fps: f64,
    /// Scene: record every K-th step only; default: 1 for tables, otherwise as --fps requires
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    every: Option<u64>,
    /// Scene: steps to make; default: its duration
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Html,
    Gltf { binary: bool },
    Tables,
    Png,
}

/// Writes the file.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let form = form(arguments)?;
    if !(arguments.fps.is_finite() && arguments.fps > 0.0) {
        return Err(BadInput::new(
            "fps",
            format!("must be positive, found {}", arguments.fps),
        ));
    }
    let mut solved = true;
    let recorded = if is(&arguments.input, "toml") {
        let (recorded, finished) = record(arguments, form)?;
        solved = finished;
        recorded
    } else if is(&arguments.input, "mcap") {
        for (name, value) in [("steps", arguments.steps), ("every", arguments.every)] {
            if let Some(value) = value {
                let problem = format!("is for scenes, which are run: a recording is exported as it is, found {value}");
                return Err(BadInput::new(name, problem));
            }
        }
        Recorded::given(&arguments.input)
    } else {
        let problem = "must be a recording, NAME.mcap, or a scene, NAME.toml";
        return Err(BadInput::whole(problem).in_file(&arguments.input));
    };
    let output = &arguments.output;
    match form {
        Form::Html => {
            let page = html(recorded.path())?;
            write_whole(output, &page)?;
        }
        Form::Gltf { binary } => {
            let (file, unfinished) = gltf::file(recorded.path(), arguments.fps, binary)?;
            say_end(unfinished.as_ref());
            write_whole(output, file)?;
        }
        Form::Tables => {
            let mut messages = Recording::open(recorded.path()).map_err(BadInput::whole)?;
            let written = Recorder::copy(output, &mut messages).map_err(BadInput::whole)?;
            say_end(messages.unfinished());
            let list: Vec<String> = written.iter().map(|path| format!("{}\n", path.display())).collect();
            return Ok(Outcome::new(list.concat(), solved));
        }
        Form::Png => {
            let time = arguments.png.unwrap_or(0.0);
            picture::write(&html_at(recorded.path(), Some(time))?, time, output)?;
        }
    }
    Ok(Outcome::new(format!("{}\n", output.display()), solved))
}

/// Whether a name ends so, in whatever letters.
pub(super) fn is(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending))
}

fn form(arguments: &Arguments) -> Result<Form, BadInput> {
    let output = &arguments.output;
    let bad = |problem: &str| Err(BadInput::whole(problem).in_file(output));
    let form = match () {
        () if is(output, "html") => Form::Html,
        () if is(output, "gltf") => Form::Gltf { binary: false },
        () if is(output, "glb") => Form::Gltf { binary: true },
        () if is(output, "csv") || output.is_dir() => Form::Tables,
        () if is(output, "png") => Form::Png,
        () => return bad("must end in .html, .gltf, .glb, .csv or .png"),
    };
    match (form, arguments.png) {
        (Form::Png, None) => bad("a picture needs --png TIME, the time of its frame"),
        (Form::Png, Some(time)) if !(time.is_finite() && time >= 0.0) => Err(BadInput::new(
            "png",
            format!("must be a time of the recording, found {time}"),
        )),
        (Form::Png, Some(_)) | (_, None) => Ok(form),
        (_, Some(_)) => bad("must end in .png where --png is given"),
    }
}

/// A recording in MCAP: one that was given, or one for the moment, in a folder of its own.
#[derive(Debug)]
pub(super) struct Recorded {
    path: PathBuf,
    /// Where it lies for the moment.
    _folder: Option<TemporaryFolder>,
}

impl Recorded {
    fn given(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            _folder: None,
        }
    }

    /// Room for a recording of a name, which goes with this value.
    pub(super) fn temporary(name: &str) -> Result<Self, BadInput> {
        let folder = TemporaryFolder::new()?;
        Ok(Self {
            path: folder.path().join(format!("{name}.mcap")),
            _folder: Some(folder),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps the recording under another name.
    pub(super) fn keep(&self, file: &Path) -> Result<(), BadInput> {
        let copied = std::fs::copy(&self.path, file);
        copied.map_err(|error| BadInput::whole(format!("cannot be written, {error}")).in_file(file))?;
        Ok(())
    }
}

/// Runs a scene and records it; whether it was run to its end.
fn record(arguments: &Arguments, form: Form) -> Result<(Recorded, bool), BadInput> {
    let file = &arguments.input;
    let scene = Scene::read(file).map_err(|error| BadInput::each_line(&error))?;
    super::scene_notes::warn(&scene, file);
    let mut world = World::from_scene(&scene).map_err(|error| BadInput::named(&error).in_file(file))?;
    let recorded = Recorded::temporary(&file.file_stem().unwrap_or_default().to_string_lossy())?;
    let frames = 1.0 / (arguments.fps * scene.settings.dt);
    // Positive, and cut off where it is too large.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let thinned = if form == Form::Tables {
        1
    } else {
        libm::floor(frames).max(1.0) as u64
    };
    let options = RecordOptions {
        every: arguments.every.unwrap_or(thinned),
        ..RecordOptions::default()
    };
    let mut recorder = Recorder::create(recorded.path(), &world, options).map_err(BadInput::whole)?;
    let mut finished = true;
    for _ in 0..arguments.steps.unwrap_or_else(|| scene.steps()) {
        match world.step() {
            Ok(report) => recorder.record(&world, &report).map_err(BadInput::whole)?,
            Err(error) => {
                // What was made before is exported. Nothing is left to do where messages cannot be written.
                let _ = writeln!(std::io::stderr(), "{}: {error}", file.display());
                finished = false;
                break;
            }
        }
    }
    recorder.finish().map_err(BadInput::whole)?;
    Ok((recorded, finished))
}

/// The replay as a page.
pub(super) fn html(recording: &Path) -> Result<String, BadInput> {
    html_at(recording, None)
}

/// The same for a picture at a time, which must be one of the recording.
fn html_at(recording: &Path, time: Option<f64>) -> Result<String, BadInput> {
    // First, so that nothing is read in vain.
    page::html().map_err(BadInput::whole)?;
    let replay = Replay::read(recording).map_err(BadInput::whole)?;
    say_end(replay.unfinished());
    if let (Some(time), Some([first, last])) = (time, replay.times())
        && !(first..=last).contains(&time)
    {
        let problem = format!("must be a time of the recording, {first} to {last} s, found {time}");
        return Err(BadInput::new("png", problem));
    }
    page::html_with_replay(&replay).map_err(BadInput::whole)
}
