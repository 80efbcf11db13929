//! `stiction-lab experiment baraff`: problems without friction up to 150 contacts, against one dense linear solve and a QP \[Baraff 8\].

mod scenes;

use std::path::PathBuf;

use scenes::{Load, pile, stack};
use stiction_contact::{ContactProblem, InputError, Law, Method};

use crate::baselines::dense::{Dense, Factor};
use crate::baselines::ours::Ours;
use crate::baselines::qp::{Form, Qp, Span};
use crate::baselines::report::{ratio_line, table};
use crate::baselines::{Case, Contender, Row, Way, all_clean, measure, ratio, series, write};
use crate::campaign::families::Rng;
use crate::scenarios::seed;
use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_show::chart::Panel;

/// Numbers of contacts; the last is the paper's largest.
const SIZES: [usize; 6] = [10, 20, 40, 80, 120, 150];
const MAX_CONTACTS: usize = 150;
/// Largest problem of a quick run.
const QUICK_MAX_CONTACTS: usize = 40;
/// Problems of each size, and of a quick run.
const PROBLEMS_PER_SIZE: usize = 20;
const QUICK_PROBLEMS_PER_SIZE: usize = 2;
/// Size from which growth is fitted.
const FIT_FROM_CONTACTS: f64 = 40.0;

/// Families: name, title of the panel, and what is made.
type Make = fn(usize, &mut Rng) -> Result<ContactProblem, InputError>;
const FAMILIES: [(&str, &str, Make); 3] = [
    ("pile", "Pile at rest, full rank", |n, rng| pile(n, Load::Resting, rng)),
    ("shaken", "Pile shaken, full rank", |n, rng| pile(n, Load::Shaken, rng)),
    ("stack", "Stack, rank 3n/5", |n, rng| stack(n, Load::Resting, rng)),
];

/// The ways, in the order of the tables; those with a colour are in the figures.
const WAYS: [Way; 8] = [
    Way::other(
        "lu",
        "one linear solve",
        "one solve Ax = b by Gaussian elimination with partial pivoting; A formed before the clock starts (singular A: plus its mean diagonal)",
    ),
    Way::ours("lemke_reduced", ""),
    Way::ours("ppm_modified", ""),
    Way::other(
        "clarabel",
        "QP",
        "forming the QP in the impulses, solving it (its own tolerances, 1e-8); the judge is not in it",
    ),
    Way::other(
        "clarabel_motion",
        "dual QP",
        "forming the QP in the velocities, solving it (its own tolerances, 1e-8); the judge is not in it",
    ),
    Way::ours("dantzig", ""),
    Way::other(
        "cholesky",
        "one linear solve",
        "one solve Ax = b by Cholesky's method, half the operations of lu; A formed before the clock starts",
    ),
    Way::other(
        "clarabel_alone",
        "QP alone",
        "the QP in the impulses alone, formed before the clock starts",
    ),
];

/// Arguments of `stiction-lab experiment baraff`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Write baraff.csv, baraff.svg and baraff.png into this folder
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Two problems of each size, at most 40 contacts
    #[arg(long)]
    quick: bool,
}

fn contender(way: Way, family: &str) -> Result<Box<dyn Contender>, BadInput> {
    let ours = |method| Ours::new(Law::Frictionless, method, 4).map(Box::new);
    let qp = |form, span| Box::new(Qp::new(Law::Frictionless, form, span));
    let singular = family == "stack";
    Ok(match way.name {
        "lu" => Box::new(Dense::new(Factor::Lu, singular)),
        "cholesky" => Box::new(Dense::new(Factor::Cholesky, singular)),
        "lemke_reduced" => ours(Method::LemkeReduced)?,
        "ppm_modified" => ours(Method::PpmModified)?,
        "dantzig" => ours(Method::Dantzig)?,
        "clarabel" => qp(Form::Impulses, Span::Whole),
        "clarabel_motion" => qp(Form::Motions, Span::Whole),
        _ => qp(Form::Impulses, Span::Solver),
    })
}

/// Runs the experiment. The exit status says whether every answer of our own methods is verified.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let (count, largest) = if arguments.quick {
        (QUICK_PROBLEMS_PER_SIZE, QUICK_MAX_CONTACTS)
    } else {
        (PROBLEMS_PER_SIZE, MAX_CONTACTS)
    };
    let mut rows: Vec<Row> = Vec::new();
    for (family, _, make) in FAMILIES {
        for size in SIZES.into_iter().filter(|size| *size <= largest) {
            let name = format!("{family}{size}");
            let mut rng = Rng::new(seed(&name));
            let problems = (0..count).map(|_| make(size, &mut rng)).collect::<Result<_, _>>()?;
            let case = Case {
                name,
                family,
                size,
                problems,
            };
            let contenders = WAYS.into_iter().map(|way| Ok((way, contender(way, family)?)));
            rows.extend(measure(&case, contenders.collect::<Result<_, BadInput>>()?)?);
        }
    }
    if let Some(folder) = &arguments.out {
        write(folder, "baraff", &rows, &panels(&rows))?;
    }
    Ok(Outcome::new(table(&rows, &WAYS) + &ratios(&rows), all_clean(&rows)))
}

fn panels(rows: &[Row]) -> Vec<Panel> {
    FAMILIES
        .iter()
        .map(|(family, title, _)| {
            let series = series(rows, family, &WAYS, FIT_FROM_CONTACTS);
            let solves = ratio(rows, family, MAX_CONTACTS, "dantzig", "lu").map_or_else(
                || (*title).to_owned(),
                |ratio| format!("{title}: dantzig takes {ratio:.1} linear solves"),
            );
            Panel {
                title: solves,
                subtitle: format!("no friction; median and quartiles; fit from {FIT_FROM_CONTACTS} contacts on"),
                x_label: "contacts n".to_owned(),
                symbol: 'n',
                ticks: SIZES.map(|size| size as f64).to_vec(),
                series,
            }
        })
        .collect()
}

/// The figures that the experiment is made for, at the largest size of the run.
fn ratios(rows: &[Row]) -> String {
    let size = rows.iter().map(|row| row.size).max().unwrap_or(0);
    let mut text = format!("\nratios of median times, {size} contacts\n");
    for (family, ..) in FAMILIES {
        for (slow, fast, target) in [
            ("dantzig", "lu", "target at most 2; the paper 2 to 3"),
            ("dantzig", "cholesky", "for comparison"),
            ("ppm_modified", "lu", "for comparison"),
            ("clarabel", "dantzig", "the paper 5 to 10"),
            ("clarabel_motion", "dantzig", "for comparison"),
        ] {
            let found = ratio(rows, family, size, slow, fast);
            ratio_line(&mut text, &format!("{family}: {slow} : {fast}"), found, target);
        }
        let solve = rows
            .iter()
            .find(|row| row.family == family && row.size == size && row.way.name == "lu");
        let speed = solve.map(|row| operations(size) / row.median_us() * 1e-3);
        ratio_line(
            &mut text,
            &format!("{family}: lu [GFlop/s]"),
            speed,
            "the baseline's speed",
        );
    }
    text
}

/// Floating-point operations of an LU factorization.
fn operations(n: usize) -> f64 {
    let n = n as f64;
    2.0 / 3.0 * n * n * n
}
