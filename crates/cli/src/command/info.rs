//! `stiction info`: what is in a problem file, or in that of a robot.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use stiction_contact::{ContactProblem, Restitution};

use super::scene_argument::is_robot;
use stiction_answers::Outcome;
use stiction_answers::spectrum::{MAX_EIGENVALUE_ORDER, SYMMETRY_REL_TOL, Spectrum, delassus, spectrum};
use stiction_formats::BadInput;
use stiction_formats::Level;
use stiction_formats::case::content;
use stiction_formats::figures::{counted, figure, small};
use stiction_formats::read::{ContactFile, Content, Given, Named, RawFile, ReadOptions};
use stiction_formats::write::json_text;
use stiction_scene::RobotInfo;

/// Eigenvalues that are negative by less of the largest are zero, rounded.
const EIGENVALUE_REL_TOL: f64 = 1e-13;

/// Arguments of `stiction info`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Problem file of any format that `solve` reads, or a robot in MJCF or URDF
    file: PathBuf,
    /// Only this problem of a set
    #[arg(long, value_name = "NAME")]
    case: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What a file holds.
#[derive(Debug, Serialize)]
struct Info {
    kind: &'static str,
    name: String,
    format: &'static str,
    /// bodies, blocks, global, local, lcp or mlcp.
    form: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    contacts: Option<Contacts>,
    /// Variables of an LCP, and those without bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    variables: Option<[usize; 2]>,
    /// Figures of W, or of M of an LCP; null where they would take too long.
    matrix: Option<Spectrum>,
    notes: Vec<String>,
    /// Whether forces are sought, and accelerations.
    #[serde(skip)]
    of_forces: bool,
}

#[derive(Debug, Serialize)]
struct Contacts {
    count: usize,
    dimension: usize,
    /// Bodies or mass blocks; null where the file has none.
    bodies: Option<usize>,
    coordinates: Option<usize>,
    joint_rows: usize,
    groups: usize,
    /// Least and largest coefficient of friction; an infinite one is null.
    friction: Option<[f64; 2]>,
    /// Fastest normal and tangential velocity without contact.
    fastest: [f64; 2],
}

/// Says what is in a file.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    if arguments.case.is_none() && is_robot(&arguments.file) {
        let info = RobotInfo::read(&arguments.file).map_err(|error| BadInput::each_line(&error))?;
        let text = if arguments.json {
            json_text(&robot_json(&info))?
        } else {
            robot_text(&info)
        };
        return Ok(Outcome::new(text, true));
    }
    let all = match content(&arguments.file, arguments.case.as_deref(), ReadOptions::default())? {
        Content::Problems(all) => all.iter().map(of_lcp).collect(),
        Content::Contact(file) => vec![of_bodies(&arguments.file, &file)?],
        Content::Contacts(all) => {
            let of_each = all.iter().map(|file| of_bodies(&arguments.file, file));
            of_each.collect::<Result<_, _>>()?
        }
        Content::Raw(file) => vec![of_raw(&file)],
    };
    let text = match (&all[..], arguments.json) {
        ([one], true) => json_text(one)?,
        (_, true) => json_text(&all)?,
        _ => all.iter().map(explain).collect::<Vec<_>>().join("\n"),
    };
    Ok(Outcome::new(text, true))
}

/// What is in a robot's file, as JSON.
fn robot_json(info: &RobotInfo) -> serde_json::Value {
    serde_json::json!({
        "kind": "robot",
        "name": info.name,
        "format": info.format.name().to_lowercase(),
        "bodies": info.bodies,
        "coordinates": info.coordinates,
        "actuators": info.actuators,
        "sensors": info.sensors,
        "keyframes": info.keyframes,
        "mass": info.mass,
        "taken": info.report.taken,
        "changed": info.report.changed,
        "ignored": info.report.ignored,
        "warnings": info.warnings,
    })
}

/// The same in words.
fn robot_text(info: &RobotInfo) -> String {
    let mut out = format!(
        "{}: a robot in {}: {}, {}, {}, {}, {}, {} kg\n",
        info.name,
        info.format.name(),
        counted(info.bodies, "moving link"),
        counted(info.coordinates, "coordinate"),
        counted(info.actuators, "actuator"),
        counted(info.sensors, "sensor"),
        counted(info.keyframes, "keyframe"),
        figure(info.mass),
    );
    let report = &info.report;
    for (title, list) in [
        ("taken", &report.taken),
        ("changed", &report.changed),
        ("ignored", &report.ignored),
    ] {
        if list.is_empty() {
            continue;
        }
        // Writing to a String cannot fail.
        let _ = writeln!(out, "\n{title}");
        for (name, count) in list {
            let _ = writeln!(out, "{count:>6}  {name}");
        }
    }
    for warning in &info.warnings {
        let _ = writeln!(out, "\nwarning: {warning}");
    }
    out
}

fn of_bodies(path: &Path, file: &ContactFile) -> Result<Info, BadInput> {
    let problem = file.problem(Restitution::Newton).map_err(|bad| bad.in_file(path))?;
    Ok(Info {
        matrix: of_problem(&problem),
        of_forces: file.level() == Level::Acceleration,
        ..of_contacts(&file.name, file.level().names().file, "bodies", &problem)
    })
}

fn of_lcp(named: &Named) -> Info {
    let view = named.problem.view();
    let n = view.q.len();
    let matrix: Vec<f64> = (0..n * n).map(|k| view.M.at(k / n, k % n)).collect();
    let free = named.problem.free_count();
    let is_lcp = matches!(named.problem, stiction_formats::read::Problem::Lcp(_));
    Info {
        kind: "info",
        name: named.name.clone(),
        format: if is_lcp { "lcp" } else { "mlcp" },
        form: if is_lcp { "lcp" } else { "mlcp" },
        contacts: None,
        variables: Some([n, free]),
        matrix: spectrum(&matrix, n),
        notes: Vec::new(),
        of_forces: false,
    }
}

fn of_raw(file: &RawFile) -> Info {
    let form = match &file.given {
        Given::Blocks => "blocks",
        Given::Local(_) => "local",
        Given::Global(_) => "global",
    };
    let mut info = Info {
        notes: file.notes.clone(),
        ..of_contacts(&file.name, file.format, form, &file.problem)
    };
    if let (Given::Local(local), Some(contacts)) = (&file.given, &mut info.contacts) {
        // The coordinates of the problem are made from W: the file has neither bodies nor coordinates.
        (contacts.bodies, contacts.coordinates) = (None, None);
        contacts.dimension = local.dimension();
        let rows = local.q().len();
        let keep: Vec<usize> = (0..rows).filter(|r| r % 3 < local.dimension()).collect();
        let matrix: Vec<f64> = keep
            .iter()
            .flat_map(|r| keep.iter().map(move |c| local.W()[r * rows + c]))
            .collect();
        info.matrix = spectrum(&matrix, keep.len());
    } else {
        info.matrix = of_problem(&file.problem);
    }
    info
}

/// Figures of the matrix W that the problem's masses and rows make.
fn of_problem(problem: &ContactProblem) -> Option<Spectrum> {
    delassus(problem).and_then(|(matrix, rows)| spectrum(&matrix, rows))
}

/// All but the matrix.
fn of_contacts(name: &str, format: &'static str, form: &'static str, problem: &ContactProblem) -> Info {
    let n = problem.contact_count();
    let friction = (0..n).fold(None, |range: Option<[f64; 2]>, i| {
        let mu = problem.mu(i);
        Some(range.map_or([mu, mu], |[low, high]| [low.min(mu), high.max(mu)]))
    });
    let mut fastest = [0.0_f64; 2];
    for i in 0..n {
        let (u, bias) = (problem.along(i, problem.k_x()), problem.bias(i));
        fastest[0] = fastest[0].max((u[0] + bias[0]).abs());
        fastest[1] = fastest[1].max(libm::hypot(u[1] + bias[1], u[2] + bias[2]));
    }
    let contacts = Contacts {
        count: n,
        dimension: if (0..n).all(|i| problem.is_planar(i)) && n > 0 {
            2
        } else {
            3
        },
        bodies: Some(problem.block_count()),
        coordinates: Some(problem.dof()),
        joint_rows: problem.joint_count(),
        groups: problem.group_count(),
        friction,
        fastest,
    };
    Info {
        kind: "info",
        name: name.to_owned(),
        format,
        form,
        contacts: Some(contacts),
        variables: None,
        matrix: None,
        notes: Vec::new(),
        of_forces: false,
    }
}

fn explain(info: &Info) -> String {
    let mut text = format!("{}: {}\n", info.name, info.format);
    // Writing to a String cannot fail.
    let mut line = |key: &str, words: String| {
        let _ = writeln!(text, "{key:<12} {words}");
    };
    line("form", meaning(info).to_owned());
    if let Some([n, free]) = info.variables {
        line("variables", format!("{n}, {free} of them free"));
    }
    if let Some(contacts) = &info.contacts {
        if let (Some(bodies), Some(coordinates)) = (contacts.bodies, contacts.coordinates) {
            let what = if info.form == "bodies" { "bodies" } else { "mass blocks" };
            line(what, format!("{bodies}, {}", counted(coordinates, "coordinate")));
        }
        line("contacts", format!("{} in {}D", contacts.count, contacts.dimension));
        if contacts.joint_rows > 0 {
            line("joint rows", contacts.joint_rows.to_string());
        }
        if contacts.groups > 0 {
            line("groups", contacts.groups.to_string());
        }
        if let Some([low, high]) = contacts.friction {
            let range = if low == high {
                figure(low)
            } else {
                format!("{} to {}", figure(low), figure(high))
            };
            line("friction", range);
        }
        let [normal, slip] = contacts.fastest;
        line(
            if info.of_forces { "acceleration" } else { "speed" },
            format!(
                "{} along normals, {} along tangents, at most, without contact",
                small(normal),
                small(slip)
            ),
        );
    }
    let symbol = if info.variables.is_some() { "M" } else { "W" };
    match &info.matrix {
        Some(found) => text += &figures(symbol, found, info.of_forces),
        None => line(symbol, without_figures(info).to_owned()),
    }
    for note in &info.notes {
        let _ = writeln!(text, "{:<12} {note}", "note");
    }
    text
}

/// Why the matrix has no figures.
fn without_figures(info: &Info) -> &'static str {
    let contact_rows = |contacts: &Contacts| contacts.count * contacts.dimension;
    let rows = match (info.variables, &info.contacts) {
        (Some([n, _]), _) => n,
        (None, contacts) => contacts.as_ref().map_or(0, contact_rows),
    };
    match rows {
        0 => "empty",
        _ if rows > MAX_EIGENVALUE_ORDER => "too large for its eigenvalues",
        _ => "beyond all doubles",
    }
}

/// Rank, condition and defects of the matrix in words.
fn figures(symbol: &str, found: &Spectrum, of_forces: bool) -> String {
    let Spectrum {
        rows, rank, condition, ..
    } = *found;
    let is_semidefinite = found.asymmetry < SYMMETRY_REL_TOL && found.negative > -EIGENVALUE_REL_TOL;
    let values = if is_semidefinite {
        "eigenvalues"
    } else {
        "singular values"
    };
    let mut text = format!("{symbol:<12} {rows} by {rows}, rank {rank}");
    if rank < rows {
        let _ = write!(text, ": {} fewer than rows", rows - rank);
        if symbol == "W" {
            text += ", so that ";
            text += if of_forces { "forces" } else { "impulses" };
            text += " need not be unique";
        }
    }
    let _ = writeln!(
        text,
        "\n{:<12} {condition:.1e} on the range of {symbol}{} ({values} {} to {})",
        "condition",
        if found.of_symmetric_part {
            "'s symmetric part"
        } else {
            ""
        },
        size(found.least),
        size(found.largest)
    );
    let symmetry = match found.asymmetry {
        0.0 => "symmetric to the bit".to_owned(),
        apart if apart < SYMMETRY_REL_TOL => format!("symmetric to rounding ({})", small(apart)),
        apart => format!(
            "NOT symmetric: mirrored entries differ by {} of the largest",
            small(apart)
        ),
    };
    let _ = writeln!(text, "{:<12} {symmetry}", "symmetry");
    let definite = match found.negative {
        x if x > -EIGENVALUE_REL_TOL => "positive semidefinite to rounding".to_owned(),
        x => format!(
            "NOT positive semidefinite: an eigenvalue of the symmetric part is {} of the largest",
            small(x)
        ),
    };
    let _ = writeln!(text, "{:<12} {definite}", "sign");
    text
}

/// A size; sums of the largest doubles are none.
fn size(x: f64) -> String {
    if x.is_finite() {
        format!("{x:.3e}")
    } else {
        "beyond all doubles".to_owned()
    }
}

fn meaning(info: &Info) -> &'static str {
    match info.form {
        "bodies" if info.of_forces => "bodies and contacts, a = M^-1 (wrench + forces)",
        "bodies" => "bodies and contacts, v = v0 + M^-1 (dt wrench + impulses)",
        "blocks" => "mass blocks and rows, u = C'v + b, v = v_free + M^-1 C r",
        "global" => "global, M v = H r + f, u = H'v + w, normal first",
        "local" => "local, u = W r + q, normal first; no bodies",
        "lcp" => "w = M z + q, z >= 0, w >= 0, z'w = 0",
        _ => "w = M z + q with bounds or free variables",
    }
}
