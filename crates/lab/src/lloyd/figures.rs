//! The experiment's figures: time against contacts and time against bodies.

use super::measure::{Row, Way};
use crate::scenarios::Group;
use stiction_formats::markup::PALETTE;
use stiction_show::chart::{Panel, Point, Series, exponent, svg};

/// Contacts and bodies from which on growth is fitted: below, fixed costs hide it.
const FIT_FROM_CONTACTS: f64 = 16.0;
const FIT_FROM_BODIES: f64 = 5.0;

/// A figure's file name without extension, and its SVG.
pub(super) fn figures(rows: &[Row]) -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    let has = |groups: &[Group]| rows.iter().any(|row| groups.contains(&row.group));
    let (peg, stacks) = (peg(rows), stacks(rows));
    if has(&[Group::Single, Group::Artisynth]) {
        all.push(("lloyd_single", svg(&[single(rows)])));
    }
    if has(&[Group::Peg]) {
        all.push(("lloyd_peg", svg(std::slice::from_ref(&peg))));
    }
    if has(&[Group::Tower]) {
        all.push(("lloyd_stack", svg(std::slice::from_ref(&stacks))));
    }
    if has(&[Group::Peg]) && has(&[Group::Tower]) {
        all.push(("lloyd", svg(&[peg, stacks])));
    }
    all
}

/// One body, more and more contacts.
fn peg(rows: &[Row]) -> Panel {
    let series = series(rows, FIT_FROM_CONTACTS, |row| {
        (row.group == Group::Peg).then_some(row.contacts)
    });
    Panel {
        title: message("One body, more contacts", &series, 'n'),
        subtitle: format!("peg in hole, median and quartiles; fit from {FIT_FROM_CONTACTS} contacts on"),
        x_label: "contacts n".to_owned(),
        symbol: 'n',
        ticks: vec![8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0],
        series,
    }
}

/// Aligned stacks: contacts and bodies grow together.
fn stacks(rows: &[Row]) -> Panel {
    let series = series(rows, FIT_FROM_BODIES, |row| {
        let stacked = matches!(row.group, Group::Stack | Group::Tower);
        (stacked && row.contacts == 4 * row.bodies).then_some(row.bodies)
    });
    Panel {
        title: message("More bodies", &series, 'm'),
        subtitle: format!("stacked cubes, four contacts each; fit from {FIT_FROM_BODIES} bodies on"),
        x_label: "bodies m".to_owned(),
        symbol: 'm',
        ticks: vec![1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0],
        series,
    }
}

/// The single bodies, contacts of equal number taken together.
fn single(rows: &[Row]) -> Panel {
    let series = series(rows, 4.0, |row| {
        matches!(row.group, Group::Single | Group::Artisynth).then_some(row.contacts)
    });
    Panel {
        title: message("Blocks and balls", &series, 'n'),
        subtitle: "single bodies with 1 to 16 contacts; fit from 4 contacts on".to_owned(),
        x_label: "contacts n".to_owned(),
        symbol: 'n',
        ticks: vec![1.0, 2.0, 4.0, 8.0, 16.0],
        series,
    }
}

/// One line for each way, a point for each size; the middle scenario where several have the same size.
fn series(rows: &[Row], fit_from: f64, size: impl Fn(&Row) -> Option<usize>) -> Vec<Series> {
    let mut all = Vec::new();
    for (way, colour) in Way::ALL.into_iter().zip(PALETTE) {
        let mut mine: Vec<(usize, &Row)> = rows
            .iter()
            .filter(|row| row.way == way && row.solved > 0 && row.median_us() > 0.0)
            .filter_map(|row| size(row).map(|x| (x, row)))
            .collect();
        mine.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.median_us().total_cmp(&b.1.median_us())));
        let points: Vec<Point> = mine
            .chunk_by(|a, b| a.0 == b.0)
            .map(|same| Point {
                x: same[0].0 as f64,
                quartiles: same[same.len() / 2].1.quartiles_us,
                whole: same.iter().all(|(_, row)| row.is_clean()),
            })
            .collect();
        if !points.is_empty() {
            all.push(Series {
                name: way.name.to_owned(),
                note: match way.law {
                    stiction_contact::Law::Coulomb => "round cone".to_owned(),
                    _ => "8 directions".to_owned(),
                },
                exponent: exponent(&points, fit_from),
                colour,
                points,
            });
        }
    }
    all
}

/// A title that says what was found: the slowest and the fastest growth.
fn message(subject: &str, series: &[Series], symbol: char) -> String {
    let mut growth: Vec<(f64, &str)> = series
        .iter()
        .filter_map(|s| Some((s.exponent?, s.name.as_str())))
        .collect();
    growth.sort_by(|a, b| a.0.total_cmp(&b.0));
    match growth.as_slice() {
        [] => subject.to_owned(),
        [(p, name)] => format!("{subject}: {name} grows as {symbol}^{p:.1}"),
        [(p, name), .., (most, other)] => {
            format!("{subject}: {name} ~ {symbol}^{p:.1}, {other} ~ {symbol}^{most:.1}")
        }
    }
}
