//! `stiction stand`: does a scene stand, by what margin, and what gives way first.

use std::path::PathBuf;

use stiction_contact::nearest::did_you_mean;
use stiction_record::page;
use stiction_scene::Scene;
use stiction_sim::World;
use stiction_stand::balance::displaced;
use stiction_stand::question::{Question, Ranges, answer, level};
use stiction_stand::report::{Along, Friction, Report};
use stiction_stand::{Ask, Equilibrium, StandError, check, vary};

use super::export::is;
use super::scene_argument::ChangeOptions;
use super::stand_source::{Source, Taken, other};
use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_formats::write::{json_text, write_whole};

/// Values that are looked at before a change of a parameter is narrowed.
const PARAMETER_SAMPLES: usize = 9;
/// Largest friction coefficient that is tried of a material.
const MAX_FRICTION_TRIED: f64 = 4.0;

/// Arguments of `stiction stand`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Scene file, or the name of a scene that `stiction examples` lists
    scene: PathBuf,
    /// How far gravity may lean: towards x, -x, y, -y, z, -z or a direction ax,ay,az; any: in the weakest direction
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    tilt: Vec<String>,
    /// How hard the ground may accelerate towards x, -x, y, -y, z, -z or a direction ax,ay,az, in g; any: in the weakest direction
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    acceleration: Vec<String>,
    /// Factor by which this force [N] on a body may grow: BODY=fx,fy,fz, at its centre of mass or @px,py,pz [m]
    #[arg(long, value_name = "BODY=F", allow_hyphen_values = true)]
    load: Vec<String>,
    /// Least friction for which balancing forces exist: of all contacts by one factor, or of one material
    #[arg(long, value_name = "MATERIAL", num_args = 0..=1, default_missing_value = "")]
    friction: Option<String>,
    /// Find the value of a key between A and B at which the scene ceases to stand: KEY=A..B
    #[arg(long, value_name = "KEY=A..B", allow_hyphen_values = true)]
    vary: Option<String>,
    /// Range of the forces that a pair of bodies, A|B, can carry; without a pair, of the ten that carry most
    #[arg(long, value_name = "A|B", num_args = 0..=1, default_missing_value = "")]
    ranges: Option<String>,
    /// Bodies, such as fingers, whose squeezing force is commanded: it stays constant whatever moves
    #[arg(long, value_name = "BODY", num_args = 1..)]
    squeeze: Vec<String>,
    /// Largest normal force of a contact [N]
    #[arg(long, value_name = "N")]
    force_limit: Option<f64>,
    /// Number of drops, and of nudges, in the search for another answer
    #[arg(long, value_name = "K", default_value_t = 3)]
    tries: u64,
    /// Largest gap that counts as closed [m]; default: a millionth of the smaller body
    #[arg(long, value_name = "M")]
    gap: Option<f64>,
    /// Run the scene to this time [s] first
    #[arg(long, value_name = "S")]
    time: Option<f64>,
    /// Check every proof again before it is printed, and list the checks
    #[arg(long)]
    prove: bool,
    /// Write the answer: a page, NAME.html, or a file that stiction check reads, NAME.json
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    change: ChangeOptions,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    for (name, value) in [
        ("gap", arguments.gap),
        ("time", arguments.time),
        ("force-limit", arguments.force_limit),
    ] {
        if let Some(value) = value.filter(|value| !(value.is_finite() && *value >= 0.0)) {
            return Err(BadInput::new(
                name,
                format!("must be finite and not negative, found {value}"),
            ));
        }
    }
    if let Some(output) = &arguments.output
        && !is(output, "json")
        && !is(output, "html")
    {
        let problem = format!("must end in .html or .json, found {}", output.display());
        return Err(BadInput::new("output", problem));
    }
    let source = Source {
        scene: &arguments.scene,
        change: &arguments.change,
        gap: arguments.gap,
        time: arguments.time,
        force_limit: arguments.force_limit,
    };
    let taken = source.equilibrium(None)?;
    taken.warn();
    let Taken {
        whole,
        scene,
        world,
        fastest,
        ..
    } = taken;
    let question = question(arguments, &whole)?;
    let mut report = answer(&scene.name, whole, &question, fastest).map_err(|error| refused(&error))?;
    if arguments.tries > 0 {
        let whole = report.whole.clone();
        let terms = (arguments.gap, arguments.force_limit);
        report
            .look_for_balance(|by| displaced(&world, terms, &whole, by))
            .map_err(|error| refused(&error))?;
    }
    if let Some(material) = arguments.friction.as_deref().filter(|name| !name.is_empty()) {
        report.friction = Some(of_material(&source, &scene, material)?);
    }
    if let Some(varied) = &arguments.vary {
        let (key, ends) = interval(varied)?;
        let make = |value| {
            source
                .equilibrium(Some((key, value)))
                .map(|taken| taken.whole)
                .map_err(Failure)
        };
        let found = vary(ends, PARAMETER_SAMPLES, make).map_err(|failure| failure.0)?;
        report.varied = Some((key.to_owned(), found));
    }
    finish(arguments, &source, &report, &world)
}

fn finish(arguments: &Arguments, source: &Source<'_>, report: &Report, world: &World) -> Result<Outcome, BadInput> {
    let mut json = report.json();
    json["asked"] =
        serde_json::json!({ "gap": arguments.gap, "time": arguments.time, "set": arguments.change.pairs()? });
    if let Some(output) = &arguments.output {
        let text = if is(output, "html") {
            page::html_with_stand(world, &json, &report.words()).map_err(BadInput::whole)?
        } else {
            json_text(&json)?
        };
        write_whole(output, text)?;
    }
    let mut status = report.verdict.exit_status();
    let mut text = if arguments.json {
        json_text(&json)?
    } else {
        report.words()
    };
    if arguments.prove {
        let make = |key: &str, value: f64| other(source, &report.whole, key, value);
        let claims = check::check(&report.whole, &json, &make).map_err(|error| refused(&error))?;
        if claims.iter().any(|claim| claim.fault.is_some()) {
            status = 4;
        }
        if !arguments.json {
            text += &super::check_stand::words(&claims);
        }
    }
    Ok(Outcome { text, status })
}

/// Carries a refusal through a library that has errors of its own.
struct Failure(BadInput);

impl From<StandError> for Failure {
    fn from(error: StandError) -> Self {
        Self(refused(&error))
    }
}

fn refused(error: &StandError) -> BadInput {
    BadInput::named(error)
}

fn question(arguments: &Arguments, whole: &Equilibrium) -> Result<Question, BadInput> {
    let mut question = Question {
        ask: Ask {
            tries: arguments.tries,
            squeeze: arguments
                .squeeze
                .iter()
                .map(|name| body(whole, "squeeze", name))
                .collect::<Result<_, _>>()?,
        },
        friction: arguments.friction.as_deref() == Some(""),
        ..Question::default()
    };
    directions(&mut question, whole, ("tilt", &arguments.tilt), Along::Tilt)?;
    directions(
        &mut question,
        whole,
        ("acceleration", &arguments.acceleration),
        Along::Acceleration,
    )?;
    for given in &arguments.load {
        let Some((name, force)) = given.split_once('=') else {
            return Err(BadInput::new("load", format!("must be BODY=fx,fy,fz, found {given}")));
        };
        let (force, point) = match force.split_once('@') {
            Some((force, point)) => (force, Some(three("load", point)?)),
            None => (force, None),
        };
        let along = Along::Load {
            body: body(whole, "load", name)?,
            force: three("load", force)?,
            point,
        };
        question.margins.push((name.to_owned(), along));
    }
    question.ranges = match arguments.ranges.as_deref() {
        None => Ranges::None,
        Some("") => Ranges::MostLoaded,
        Some(pair) => {
            let Some((a, b)) = pair.split_once('|') else {
                return Err(BadInput::new("ranges", format!("must be A|B, found {pair}")));
            };
            Ranges::Pair([body(whole, "ranges", a)?, body(whole, "ranges", b)?])
        }
    };
    Ok(question)
}

/// Level directions by their names, and `any`.
fn directions(
    question: &mut Question,
    whole: &Equilibrium,
    (field, names): (&str, &[String]),
    along: fn([f64; 3]) -> Along,
) -> Result<(), BadInput> {
    let level = |axis| level(field, whole.gravity(), axis).map_err(|error| refused(&error));
    for name in names {
        if name == "any" {
            let any = &mut question.any;
            *(if field == "tilt" {
                &mut any.tilt
            } else {
                &mut any.acceleration
            }) = true;
            if whole.is_planar() {
                for (name, axis) in [("x", [1.0, 0.0, 0.0]), ("-x", [-1.0, 0.0, 0.0])] {
                    question.margins.push((name.to_owned(), along(level(axis)?)));
                }
            }
            continue;
        }
        let (sign, letter) = name
            .strip_prefix('-')
            .map_or((1.0, name.as_str()), |letter| (-1.0, letter));
        let axis = match letter {
            "x" => [sign, 0.0, 0.0],
            "y" => [0.0, sign, 0.0],
            "z" => [0.0, 0.0, sign],
            _ => three(field, name).map_err(|_| {
                let problem = format!("must be x, -x, y, -y, z, -z, any or a direction ax,ay,az, found {name}");
                BadInput::new(field, problem)
            })?,
        };
        question.margins.push((name.clone(), along(level(axis)?)));
    }
    Ok(())
}

fn body(whole: &Equilibrium, field: &str, name: &str) -> Result<usize, BadInput> {
    let known = || whole.names().iter().map(String::as_str);
    known().position(|known| known == name.trim()).ok_or_else(|| {
        let meant = did_you_mean(name, known());
        BadInput::new(field, format!("must name a body of the scene, found {name}{meant}"))
    })
}

fn three(field: &str, text: &str) -> Result<[f64; 3], BadInput> {
    let numbers: Option<Vec<f64>> = text
        .split(',')
        .map(|x| x.trim().parse().ok().filter(|x: &f64| x.is_finite()))
        .collect();
    let three = numbers.and_then(|numbers| <[f64; 3]>::try_from(numbers).ok());
    three.ok_or_else(|| BadInput::new(field, format!("must be three numbers x,y,z, found {text}")))
}

/// `KEY=A..B`.
fn interval(text: &str) -> Result<(&str, [f64; 2]), BadInput> {
    let parsed = text.split_once('=').and_then(|(key, range)| {
        let (a, b) = range.split_once("..")?;
        let number = |x: &str| x.trim().parse().ok().filter(|x: &f64| x.is_finite());
        Some((key.trim(), [number(a)?, number(b)?]))
    });
    let parsed = parsed.filter(|(key, [a, b])| !key.is_empty() && a != b);
    parsed.ok_or_else(|| BadInput::new("vary", format!("must be KEY=A..B with two values, found {text}")))
}

/// Least friction of one material: its key of the scene is varied.
fn of_material(source: &Source<'_>, scene: &Scene, material: &str) -> Result<Friction, BadInput> {
    if !scene.materials.iter().any(|name| name == material) {
        let meant = did_you_mean(material, scene.materials.iter().map(String::as_str));
        let problem = format!("must name a material of the scene, found {material}{meant}");
        return Err(BadInput::new("friction", problem));
    }
    let key = format!("material.{material}.friction");
    let make = |value| {
        source
            .equilibrium(Some((&key, value)))
            .map(|taken| taken.whole)
            .map_err(Failure)
    };
    let varied = vary([0.0, MAX_FRICTION_TRIED], PARAMETER_SAMPLES, make).map_err(|failure| failure.0)?;
    Ok(Friction {
        material: Some(material.to_owned()),
        given: None,
        none: varied.none_needed(),
        change: varied.changes.into_iter().next(),
        samples: varied.samples,
    })
}
