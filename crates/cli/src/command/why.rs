//! `stiction why`: who holds what at a moment, and by how much.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_scene::WorldExt;
use stiction_sim::World;
use stiction_stand::why::{Asked, Moment, Pair, table};

use super::say_end;
use super::scene_argument::{ChangeOptions, read_scene};

/// Said where uniqueness was not looked for.
const UNKNOWN: &str = "\nRecordings do not contain joint limits; run stiction why SCENE --time T for force ranges.\n";

/// Arguments of `stiction why`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Recording (NAME.mcap), scene in TOML, or the name of an example
    file: PathBuf,
    /// Moment [s]: the nearest recorded step, or a scene simulated until then; default: the last step of a recording, the first of a scene
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    time: Option<f64>,
    /// Only pairs with this body; may be given again
    #[arg(long, value_name = "NAME")]
    body: Vec<String>,
    /// Only these two bodies, contact by contact
    #[arg(long, value_names = ["A", "B"], num_args = 2)]
    pair: Vec<String>,
    /// Number of pairs, most loaded first, whose force ranges are computed
    #[arg(long, value_name = "K", default_value_t = 10)]
    ranges: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    changes: ChangeOptions,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Answer<'a> {
    kind: &'static str,
    file: String,
    time: f64,
    step: u64,
    law: &'static str,
    pairs: &'a [Pair],
}

/// Looks at the moment.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    if let Some(time) = arguments.time.filter(|time| !(time.is_finite() && *time >= 0.0)) {
        return Err(BadInput::new(
            "time",
            format!("must be finite and not negative, found {time}"),
        ));
    }
    let is_recording = arguments
        .file
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("mcap"));
    let (moment, file) = if is_recording {
        (of_recording(arguments)?, arguments.file.clone())
    } else {
        match of_scene(arguments)? {
            Ok(found) => found,
            Err(failed) => return Ok(failed),
        }
    };
    say_end(moment.unfinished.as_ref());
    let asked = Asked {
        bodies: arguments.body.clone(),
        pair: <[String; 2]>::try_from(arguments.pair.clone()).ok(),
        ranges: arguments.ranges,
    };
    let pairs = asked
        .explain(&moment)
        .map_err(|unknown| BadInput::new(unknown.field, unknown.problem()).in_file(&file))?;
    let text = if arguments.json {
        json(&moment, &file, &pairs)?
    } else {
        words(&moment, &file, &pairs, &asked)
    };
    Ok(Outcome::new(text, true))
}

fn of_recording(arguments: &Arguments) -> Result<Moment, BadInput> {
    let file = &arguments.file;
    if !arguments.changes.is_empty() {
        return Err(BadInput::new("set", "is for scenes, found a recording").in_file(file));
    }
    let moment = Moment::of_recording(file, arguments.time).map_err(BadInput::whole)?;
    let moment =
        moment.ok_or_else(|| BadInput::whole("must hold contacts of at least one step, found none").in_file(file))?;
    let [last, latest] = moment.last;
    if let Some(time) = arguments.time.filter(|time| *time > latest) {
        let last = stiction_stand::why::figure(last);
        let problem = format!("must be within the recording, whose last moment is {last} s, found {time}");
        return Err(BadInput::new("time", problem).in_file(file));
    }
    Ok(moment)
}

/// The scene simulated to its moment, or what is said where a step fails.
fn of_scene(arguments: &Arguments) -> Result<Result<(Moment, PathBuf), Outcome>, BadInput> {
    if arguments
        .file
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("csv"))
    {
        let problem = "must be a recording in MCAP or a scene, found a table: stiction run writes NAME.mcap as well";
        return Err(BadInput::whole(problem).in_file(&arguments.file));
    }
    let (scene, file) = read_scene(&arguments.file, &arguments.changes)?;
    let mut world = World::from_scene(&scene).map_err(|error| BadInput::whole(error).in_file(&file))?;
    // Positive, and no more than a scene could make in a lifetime.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let steps = arguments
        .time
        .map_or(1, |time| libm::round(time / scene.settings.dt).max(1.0) as u64);
    for _ in 0..steps {
        if let Err(error) = world.step() {
            // Nothing is left to do where messages cannot be written.
            let _ = writeln!(std::io::stderr(), "{}: {error}", file.display());
            return Ok(Err(Outcome::new(String::new(), false)));
        }
    }
    Ok(Ok((Moment::of_world(&world), file)))
}

fn words(moment: &Moment, file: &Path, pairs: &[Pair], asked: &Asked) -> String {
    let head = format!(
        "{}: t = {} s, step {}, law {}\n",
        file.display(),
        stiction_stand::why::figure(moment.time),
        moment.step,
        moment.law.name()
    );
    if !pairs.is_empty() {
        let unknown = !moment.knows_joints() && pairs.iter().any(|pair| pair.known.is_none());
        return format!("{head}\n{}{}", table(pairs), if unknown { UNKNOWN } else { "" });
    }
    match &asked.pair {
        Some([a, b]) => format!("{head}{a} and {b} do not touch.\n"),
        None if asked.bodies.is_empty() => format!("{head}No bodies touch.\n"),
        None => format!("{head}Nothing touches {}.\n", asked.bodies.join(" or ")),
    }
}

fn json(moment: &Moment, file: &Path, pairs: &[Pair]) -> Result<String, BadInput> {
    let answer = Answer {
        kind: "why",
        file: file.display().to_string(),
        time: moment.time,
        step: moment.step,
        law: moment.law.name(),
        pairs,
    };
    let text = serde_json::to_string_pretty(&answer).map_err(|error| BadInput::whole(format!("internal: {error}")))?;
    Ok(text + "\n")
}
