//! `stiction-lab experiment drumwright`: the grasp of \[Drumwright VII-A\] as one-step problems, Coulomb's law against contact without slip.

mod grasp;
pub(crate) mod sim;

use std::path::PathBuf;

use grasp::{Faces, problems};
use stiction_contact::{Law, Method};

use crate::baselines::ours::Ours;
use crate::baselines::qp::{Form, Qp, Span};
use crate::baselines::report::{ratio_line, table};
use crate::baselines::{Case, Contender, Row, Way, all_clean, measure, ratio, ratio_again, series, write};
use stiction_answers::Outcome;
use stiction_formats::BadInput;
use stiction_show::chart::{Panel, Series};

/// Friction directions of the polyhedral law: the paper's pyramid.
const DIRECTIONS: usize = 4;
/// Disturbances of each scenario, and of a quick run.
const DISTURBANCES_PER_SCENARIO: usize = 20;
const QUICK_DISTURBANCES: usize = 2;
/// Contacts of the largest scenario of a quick run.
const QUICK_CONTACTS: usize = 72;

/// Families of scenarios.
const BOXES: &str = "boxes";
const FACES: &str = "faces";
const CORNERS: &str = "corners";

/// Grids of the faces between two boxes held.
const GRIDS: [(usize, usize); 5] = [(3, 4), (4, 6), (6, 8), (8, 9), (8, 12)];

/// The ways, in the order of the tables; those with a colour are in the figures.
const WAYS: [Way; 7] = [
    Way::ours("lemke_standard", "Coulomb, d = 4"),
    Way::ours("lemke_reduced", "Coulomb, d = 4"),
    Way::ours("dantzig", "no slip"),
    Way::other(
        "clarabel",
        "no slip, QP",
        "projection, QP in the impulses (its own tolerances, 1e-8); the judge is not in it",
    ),
    Way::other(
        "clarabel_motion",
        "no slip, dual QP",
        "projection, QP in the velocities (its own tolerances, 1e-8); the judge is not in it",
    ),
    Way::ours("ppm_modified", "no slip"),
    Way::other(
        "clarabel_alone",
        "no slip, QP alone",
        "the QP in the impulses alone, projected and formed before the clock starts",
    ),
];

/// Arguments of `stiction-lab experiment drumwright`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Write drumwright.csv, drumwright.svg and drumwright.png into this folder
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Two disturbances and at most 72 contacts
    #[arg(long)]
    quick: bool,
}

fn contender(way: Way) -> Result<Box<dyn Contender>, BadInput> {
    let qp = |form, span| Box::new(Qp::new(Law::NoSlip, form, span));
    Ok(match way.name {
        "lemke_standard" => Box::new(Ours::new(Law::Polyhedral, Method::LemkeStandard, DIRECTIONS)?),
        "lemke_reduced" => Box::new(Ours::new(Law::Polyhedral, Method::LemkeReduced, DIRECTIONS)?),
        "dantzig" => Box::new(Ours::new(Law::NoSlip, Method::Dantzig, DIRECTIONS)?),
        "ppm_modified" => Box::new(Ours::new(Law::NoSlip, Method::PpmModified, DIRECTIONS)?),
        "clarabel" => qp(Form::Impulses, Span::Whole),
        "clarabel_motion" => qp(Form::Motions, Span::Whole),
        _ => qp(Form::Impulses, Span::Solver),
    })
}

/// Runs the experiment. The exit status says whether every answer of our own methods is verified.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, BadInput> {
    let mut rows: Vec<Row> = Vec::new();
    for case in cases(arguments.quick)? {
        let contenders: Result<Vec<_>, BadInput> = WAYS.into_iter().map(|way| Ok((way, contender(way)?))).collect();
        rows.extend(measure(&case, contenders?)?);
    }
    if let Some(folder) = &arguments.out {
        write(folder, "drumwright", &rows, &[boxes(&rows), faces(&rows)])?;
    }
    Ok(Outcome::new(table(&rows, &WAYS) + &ratios(&rows), all_clean(&rows)))
}

fn cases(quick: bool) -> Result<Vec<Case>, BadInput> {
    let count = if quick {
        QUICK_DISTURBANCES
    } else {
        DISTURBANCES_PER_SCENARIO
    };
    let mut list = vec![(CORNERS, "corners".to_owned(), 2, 2, Faces::Corners)];
    for held in 1..=11 {
        list.push((BOXES, format!("held{held}"), held, held, Faces::Grid(3, 4)));
    }
    for (rows, columns) in GRIDS {
        let size = rows * columns;
        list.push((FACES, format!("face{size}"), size, 2, Faces::Grid(rows, columns)));
    }
    let mut cases = Vec::new();
    for (family, name, size, held, faces) in list {
        let problems = problems(&name, held, faces, count)?;
        if quick && problems[0].contact_count() > QUICK_CONTACTS {
            continue;
        }
        cases.push(Case {
            name,
            family,
            size,
            problems,
        });
    }
    Ok(cases)
}

fn boxes(rows: &[Row]) -> Panel {
    let series = series(rows, BOXES, &WAYS, 3.0);
    let title = ratio(rows, BOXES, 2, "lemke_standard", "ppm_modified").map_or_else(
        || "More boxes".to_owned(),
        |ratio| format!("More boxes; two held: no slip {ratio:.1} times as fast as Coulomb"),
    );
    Panel {
        title,
        subtitle: "12 contacts a face; median and quartiles; fit from 3 boxes on".to_owned(),
        x_label: "boxes held m".to_owned(),
        symbol: 'm',
        ticks: vec![1.0, 2.0, 3.0, 5.0, 8.0, 11.0],
        series,
    }
}

fn faces(rows: &[Row]) -> Panel {
    let series = series(rows, FACES, &WAYS, 12.0);
    Panel {
        title: grown("More contacts", &series),
        subtitle: "two boxes held, three faces; median and quartiles".to_owned(),
        x_label: "contacts a face n".to_owned(),
        symbol: 'n',
        ticks: vec![12.0, 24.0, 48.0, 72.0, 96.0],
        series,
    }
}

/// A title with the growth of principal pivoting.
fn grown(subject: &str, series: &[Series]) -> String {
    let mine = series.iter().find(|series| series.name == "ppm_modified");
    mine.and_then(|series| series.exponent).map_or_else(
        || subject.to_owned(),
        |p| format!("{subject}: ppm_modified grows as n^{p:.1}"),
    )
}

/// The figures that the experiment is made for.
fn ratios(rows: &[Row]) -> String {
    let mut text = String::from("\nratios of median times, 36 contacts on three faces\n");
    for (slow, target) in [
        ("lemke_standard", "target at least 50; the paper 6.6, all else included"),
        ("lemke_reduced", "for comparison"),
        ("clarabel", "target at least 5; the paper 1.2, all else included"),
        ("clarabel_motion", "for comparison"),
        ("clarabel_alone", "for comparison"),
        ("dantzig", "for comparison"),
    ] {
        let found = ratio(rows, BOXES, 2, slow, "ppm_modified");
        ratio_line(&mut text, &format!("{slow} : ppm_modified"), found, target);
    }
    let again = ratio_again(rows, BOXES, 2, "lemke_standard", "ppm_modified");
    ratio_line(
        &mut text,
        "lemke_standard : ppm_modified, geometry met before",
        again,
        "for comparison",
    );
    text += "growth from 12 to 96 contacts a face, exponent of the number\n";
    for series in series(rows, FACES, &WAYS, 12.0) {
        let target = if series.name == "ppm_modified" {
            "target at most 1"
        } else {
            "for comparison"
        };
        ratio_line(&mut text, &series.name, series.exponent, target);
    }
    text
}
