//! The experiment's table for the terminal and its CSV files.

use std::fmt::Write as _;

use super::measure::{MAX_DENSE_CONTACTS, MAX_STRUCTURAL_CONTACTS, Row, WarmRow, Way};
use crate::scenarios::Group;
use stiction_formats::figures::{micro, quoted};

/// The rows as a table: one line a scenario, one column a way, and what is not solved spelt out below.
pub(super) fn table(rows: &[Row]) -> String {
    let ways: Vec<Way> = Way::ALL
        .into_iter()
        .filter(|way| rows.iter().any(|row| row.way == *way))
        .collect();
    let mut text = format!("{:24} {:>6} {:>8}", "scenario", "bodies", "contacts");
    for way in &ways {
        // Writing to a String cannot fail.
        let _ = write!(text, " {:>21}", way.name);
    }
    text += "\n";
    let mut group: Option<Group> = None;
    let mut start = 0;
    while start < rows.len() {
        let first = &rows[start];
        let end = rows[start..]
            .iter()
            .position(|row| row.scenario != first.scenario)
            .map_or(rows.len(), |count| start + count);
        if group.replace(first.group) != Some(first.group) {
            let _ = writeln!(text, "{}", first.group.name());
        }
        let _ = write!(
            text,
            "  {:22} {:>6} {:>8}",
            first.scenario, first.bodies, first.contacts
        );
        for way in &ways {
            let row = rows[start..end].iter().find(|row| row.way == *way);
            let _ = write!(text, " {:>21}", row.map_or_else(|| "-".to_owned(), cell));
        }
        text += "\n";
        start = end;
    }
    let _ = writeln!(
        text,
        "\nMedian time of a cold solve [us] over the external impulses that were solved; K/N where only K of N tried were, \
         by the judge's word. lemke_standard: up to {MAX_DENSE_CONTACTS} contacts; lemke_structural: up to {MAX_STRUCTURAL_CONTACTS}."
    );
    text + &totals(rows, &ways)
}

fn cell(row: &Row) -> String {
    let time = micro(row.median_us());
    if row.is_clean() {
        return format!("{time}      ");
    }
    format!("{time} {:>2}/{:<2}", row.solved, row.tried)
}

fn totals(rows: &[Row], ways: &[Way]) -> String {
    let mut text = String::from("\nmethod               solved    of  worst residual  fallbacks\n");
    for way in ways {
        let mine = || rows.iter().filter(|row| row.way == *way);
        let solved: usize = mine().map(|row| row.solved).sum();
        let tried: usize = mine().map(|row| row.tried).sum();
        let fallbacks: usize = mine().map(|row| row.fallbacks).sum();
        let worst = mine().fold(0.0_f64, |worst, row| worst.max(row.worst));
        let _ = writeln!(
            text,
            "{:20} {solved:>6} {tried:>5}  {worst:>14.1e}  {fallbacks:>9}",
            way.name
        );
    }
    text + &unsolved(rows, ways)
}

/// What was not solved, and how it ended.
fn unsolved(rows: &[Row], ways: &[Way]) -> String {
    let mut text = String::new();
    for way in ways {
        let mine = || rows.iter().filter(|row| row.way == *way);
        if mine().all(|row| row.solved == 0) {
            let _ = writeln!(text, "  {:20} nothing solved", way.name);
            continue;
        }
        for row in mine().filter(|row| !row.is_clean()) {
            let _ = writeln!(text, "  {:20} {:22} {}", row.way.name, row.scenario, endings(row));
        }
    }
    if text.is_empty() {
        text
    } else {
        format!("\nnot solved\n{text}")
    }
}

/// How the unsolved ended: `3 ray, 1 pivot_limit`.
fn endings(row: &Row) -> String {
    let parts: Vec<String> = row
        .unsolved
        .iter()
        .map(|(status, count)| format!("{count} {status}"))
        .collect();
    parts.join(", ")
}

/// Cold against warm starts.
pub(super) fn warm_table(rows: &[WarmRow]) -> String {
    let mut text = format!(
        "\nwarm start: the external impulse changes by 1 % a step\n{:24} {:16} {:>9} {:>9} {:>6} {:>13} {:>11} {:>10}\n",
        "scenario", "method", "cold us", "warm us", "ratio", "work cold:warm", "solved", "fallbacks"
    );
    for row in rows {
        let _ = writeln!(
            text,
            "  {:22} {:16} {:>9} {:>9} {:>6.1} {:>6.0} : {:<5.0} {:>4} of {:<4} {:>9}",
            row.scenario,
            row.way.name,
            micro(row.cold_us),
            micro(row.warm_us),
            row.cold_us / row.warm_us,
            row.cold_work,
            row.warm_work,
            row.warm_solved,
            row.steps,
            row.warm_fallbacks
        );
    }
    text
}

/// Every figure of every row.
pub(super) fn csv(rows: &[Row]) -> String {
    let mut text = String::from(
        "scenario,group,bodies,contacts,law,method,tried,solved,unsolved,worst_residual,min_us,q1_us,median_us,q3_us,pivots,newton_steps,fallbacks\n",
    );
    for row in rows {
        let [q1, median, q3] = row.quartiles_us;
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{},{},{:e},{:.3},{q1:.3},{median:.3},{q3:.3},{},{},{}",
            row.scenario,
            row.group.name(),
            row.bodies,
            row.contacts,
            row.way.law.name(),
            row.way.name,
            row.tried,
            row.solved,
            quoted(&endings(row)),
            row.worst,
            row.least_us,
            row.pivots,
            row.newton_steps,
            row.fallbacks
        );
    }
    text
}

/// Every figure of the warm starts.
pub(super) fn warm_csv(rows: &[WarmRow]) -> String {
    let mut text = String::from(
        "scenario,bodies,contacts,law,method,steps,cold_solved,warm_solved,cold_us,warm_us,cold_work,warm_work,warm_fallbacks\n",
    );
    for row in rows {
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{},{:.3},{:.3},{},{},{}",
            row.scenario,
            row.bodies,
            row.contacts,
            row.way.law.name(),
            row.way.name,
            row.steps,
            row.cold_solved,
            row.warm_solved,
            row.cold_us,
            row.warm_us,
            row.cold_work,
            row.warm_work,
            row.warm_fallbacks
        );
    }
    text
}
