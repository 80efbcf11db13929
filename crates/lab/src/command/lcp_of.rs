//! `stiction-lab lcp-of`: a contact problem as the LCP that \[Egan, appendix\] prints, with the names of its variables.

use std::path::{Path, PathBuf};

use serde::Serialize;
use stiction_contact::{ContactProblem, Law, NamedLcp, Options, Restitution};

use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_formats::bad_input::shown;
use stiction_formats::case::content;
use stiction_formats::read::{Content, ReadOptions};
use stiction_formats::write::json_text;
use stiction_formats::write::write_whole;

/// Default of gamma: more than 1 is enough, and a large constant only costs digits.
const DEFAULT_GAMMA: f64 = 2.0;

/// Arguments of `stiction-lab lcp-of`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Contact file, of bodies or of blocks and rows
    file: PathBuf,
    /// convex: (6)-(7), every contact by itself; max: (32)-(33); sum: (34)-(35)
    #[arg(long, value_name = "FORM")]
    form: String,
    /// Large constant of the max form, above 1
    #[arg(long, value_name = "G", allow_negative_numbers = true)]
    gamma: Option<f64>,
    /// epsilon/h of the summation form [m/s]
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    epsilon: Option<f64>,
    /// Friction directions of each contact
    #[arg(long, value_name = "K")]
    directions: Option<usize>,
    /// Leave friction out
    #[arg(long)]
    frictionless: bool,
    /// The summation form as printed, which is too strict for groups of three or more sides
    #[arg(long)]
    as_published: bool,
    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The LCP as a file.
#[derive(Debug, Serialize)]
struct File<'a> {
    kind: &'static str,
    name: String,
    #[serde(rename = "M")]
    matrix: Vec<Vec<f64>>,
    q: &'a [f64],
    z_names: &'a [String],
}

/// Writes the LCP of a contact file.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let form = Form::of(arguments)?;
    let (name, problem) = problem(&arguments.file)?;
    let law = if arguments.frictionless {
        Law::Frictionless
    } else {
        Law::Polyhedral
    };
    let directions = arguments.directions.unwrap_or(Options::default().directions);
    let named = form
        .lcp(&problem, law, directions)
        .map_err(|error| BadInput::from(error).in_file(&arguments.file))?;
    let text = text(&name, &arguments.form, &named)?;
    let Some(path) = &arguments.output else {
        return Ok(Outcome::new(text, true));
    };
    write_whole(path, text)?;
    Ok(Outcome::new(String::new(), true))
}

/// Which LCP, with its constant.
enum Form {
    Convex,
    Max(f64),
    Sum(f64),
    SumAsPublished(f64),
}

impl Form {
    fn of(arguments: &Arguments) -> Result<Self, BadInput> {
        let form = match (arguments.form.as_str(), arguments.as_published) {
            ("convex", _) => Self::Convex,
            ("max", _) => Self::Max(arguments.gamma.unwrap_or(DEFAULT_GAMMA)),
            ("sum", false) => Self::Sum(arguments.epsilon.unwrap_or(Options::default().epsilon)),
            ("sum", true) => Self::SumAsPublished(arguments.epsilon.unwrap_or(Options::default().epsilon)),
            (other, _) => {
                let problem = format!("must be one of convex, max, sum, found {}", shown(other));
                return Err(BadInput::new("form", problem));
            }
        };
        let (max, sum) = (matches!(form, Self::Max(_)), arguments.form == "sum");
        for (name, needs, fits, given) in [
            ("gamma", "max", max, arguments.gamma.is_some()),
            ("epsilon", "sum", sum, arguments.epsilon.is_some()),
            ("as-published", "sum", sum, arguments.as_published),
        ] {
            if given && !fits {
                let problem = format!("must be given with --form {needs}, found {}", arguments.form);
                return Err(BadInput::new(name, problem));
            }
        }
        Ok(form)
    }

    fn lcp(
        &self,
        problem: &ContactProblem,
        law: Law,
        directions: usize,
    ) -> Result<NamedLcp, stiction_contact::InputError> {
        match *self {
            Self::Convex => problem.lcp_convex(law, directions),
            Self::Max(gamma) => problem.lcp_max(law, directions, gamma),
            Self::Sum(epsilon) => problem.lcp_sum(law, directions, epsilon),
            Self::SumAsPublished(epsilon) => problem.lcp_sum_as_published(law, directions, epsilon),
        }
    }
}

fn problem(path: &Path) -> Result<(String, ContactProblem), BadInput> {
    match content(path, None, ReadOptions::default())? {
        Content::Contact(file) if file.level() == stiction_formats::Level::Velocity => {
            let problem = file.problem(Restitution::Newton).map_err(|bad| bad.in_file(path))?;
            Ok((file.name, problem))
        }
        Content::Raw(file) => Ok((file.name, file.problem)),
        Content::Contact(_) | Content::Contacts(_) | Content::Problems(_) => {
            let problem = "must be one of contact, contact-raw here, found another kind";
            Err(BadInput::new("kind", problem).in_file(path))
        }
    }
}

fn text(name: &str, form: &str, named: &NamedLcp) -> Result<String, BadInput> {
    let matrix = named.lcp.M();
    let row = |r: usize| (0..named.lcp.n()).map(|c| matrix.at(r, c)).collect();
    json_text(&File {
        kind: "lcp",
        name: format!("{name}, {form}"),
        matrix: (0..named.lcp.n()).map(row).collect(),
        q: named.lcp.q(),
        z_names: &named.names,
    })
}
