//! The league table and its files.

use std::fmt::Write as _;

use serde::Serialize;

use super::{FULL_PRECISION_RESIDUAL, Outcome, Try};
use crate::timing::median;
use stiction_formats::figures::{micro, quoted, small};

/// One solver over all problems.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Name of the solver.
    pub solver: String,
    /// Problems that it takes.
    pub tried: usize,
    /// Answers that the judge accepts.
    pub verified: usize,
    /// Of those, to 1e-10.
    pub precise: usize,
    /// Proofs, which hold, that there is no answer.
    pub proven_none: usize,
    /// Says solved, and is not.
    pub wrong: usize,
    /// Problems without an answer.
    pub failed: usize,
    /// Problems that it does not take.
    pub unfit: usize,
    /// Median and largest residual of what it says is solved; infinite is null.
    pub median_residual: Option<f64>,
    /// Largest residual of what is verified.
    pub worst_residual: Option<f64>,
    /// Total time of the verified answers \[us\]; null where there is none, or one of them has no time.
    pub total_us: Option<f64>,
    /// Median over verified answers of the time relative to the quickest verified answer.
    pub median_ratio: Option<f64>,
}

/// The rows, most verified first; of two equals the quicker, and who has no time last.
#[must_use]
pub fn rows(tries: &[Try]) -> Vec<Row> {
    let mut names: Vec<&str> = Vec::new();
    for found in tries {
        if !names.contains(&found.solver.as_str()) {
            names.push(&found.solver);
        }
    }
    let mut rows: Vec<Row> = names
        .iter()
        .map(|name| row(name, tries))
        .filter(|row| row.tried > 0)
        .collect();
    let time = |row: &Row| row.total_us.unwrap_or(f64::INFINITY);
    let right = |row: &Row| row.verified + row.proven_none;
    rows.sort_by(|a, b| right(b).cmp(&right(a)).then(time(a).total_cmp(&time(b))));
    rows
}

fn row(solver: &str, tries: &[Try]) -> Row {
    let own = || tries.iter().filter(|found| found.solver == solver);
    let count = |outcome: Outcome| own().filter(|found| found.outcome == outcome).count();
    let claimed = || {
        own()
            .filter(|found| found.claimed)
            .map(|found| found.residual.unwrap_or(f64::INFINITY))
    };
    let verified = || own().filter(|found| found.outcome == Outcome::Verified);
    let ratios = verified().filter_map(|found| Some(found.time_us? / quickest(&found.problem, tries)?));
    let finite = |x: f64| x.is_finite().then_some(x);
    let unfit = count(Outcome::Unfit);
    Row {
        solver: solver.to_owned(),
        tried: own().count() - unfit,
        verified: count(Outcome::Verified),
        precise: verified()
            .filter(|found| found.residual.is_some_and(|x| x <= FULL_PRECISION_RESIDUAL))
            .count(),
        proven_none: count(Outcome::ProvenNone),
        wrong: count(Outcome::Wrong),
        failed: count(Outcome::Failed),
        unfit,
        median_residual: finite(median(claimed().collect())),
        worst_residual: claimed().max_by(f64::total_cmp).and_then(finite),
        // The sum of none would be −0, and a part of the times would look quick.
        total_us: verified()
            .map(|found| found.time_us)
            .sum::<Option<f64>>()
            .filter(|_| verified().next().is_some()),
        median_ratio: finite(median(ratios.collect())),
    }
}

/// Time of the quickest verified answer to a problem \[us\].
pub fn quickest(problem: &str, tries: &[Try]) -> Option<f64> {
    let verified = tries
        .iter()
        .filter(|found| found.problem == problem && found.outcome == Outcome::Verified);
    verified.filter_map(|found| found.time_us).min_by(f64::total_cmp)
}

impl Row {
    /// The cells of a row in tables, beside its name; `none` stands for a missing number.
    pub fn cells(&self, none: &str) -> [String; COLUMNS] {
        let or_none = |x: Option<f64>, word: fn(f64) -> String| x.map_or_else(|| none.to_owned(), word);
        [
            self.tried.to_string(),
            self.verified.to_string(),
            self.precise.to_string(),
            self.proven_none.to_string(),
            self.wrong.to_string(),
            self.failed.to_string(),
            self.unfit.to_string(),
            or_none(self.median_residual, small),
            or_none(self.worst_residual, small),
            or_none(self.total_us, |us| format!("{:.3}", us * 1e-3)),
            or_none(self.median_ratio, |x| format!("{x:.1}")),
        ]
    }
}

/// Columns of [`Row::cells`], their names and widths in a terminal.
const COLUMNS: usize = 11;
const NAMES: [&str; COLUMNS] = [
    "tried",
    "verified",
    "to 1e-10",
    "proven none",
    "WRONG",
    "failed",
    "unfit",
    "median",
    "worst",
    "total ms",
    "ratio",
];
const WIDTHS: [usize; COLUMNS] = [5, 8, 8, 11, 6, 6, 6, 9, 9, 11, 7];
/// The column of those that are wrong.
pub const WRONG: usize = 4;

/// The table for a terminal.
pub fn table(rows: &[Row], tries: &[Try], tolerance: f64) -> String {
    let width = rows
        .iter()
        .map(|row| row.solver.chars().count())
        .max()
        .unwrap_or(6)
        .max(6);
    let mut text = String::new();
    let mut line = |solver: &str, cells: [&str; COLUMNS]| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{solver:width$} ");
        for (cell, width) in cells.iter().zip(WIDTHS) {
            let _ = write!(text, " {cell:>width$}");
        }
        text.push('\n');
    };
    line("solver", NAMES);
    for row in rows {
        let cells = row.cells("-");
        line(&row.solver, std::array::from_fn(|k| cells[k].as_str()));
    }
    let _ = writeln!(
        text,
        "\nverified: our judge's relative residual is at most {}. proven none: a proof that the problem has no answer, checked in\n\
         rationals. WRONG: the solver says solved, and it is not. median, worst: residuals of what it says is solved.\ntotal: time of its verified answers. ratio: median of its time over that of the quickest verified answer.",
        small(tolerance)
    );
    let wrong: Vec<&Try> = tries.iter().filter(|found| found.outcome == Outcome::Wrong).collect();
    if !wrong.is_empty() {
        let _ = writeln!(text, "\nsaid to be solved, and wrong:");
        for found in wrong {
            let residual = found.residual.map_or_else(|| "no number".to_owned(), small);
            let why = match (&found.message, found.residual) {
                (Some(message), None) => format!(": {message}"),
                _ => String::new(),
            };
            let _ = writeln!(
                text,
                "  {:width$}  {}  residual {residual}{why}",
                found.solver, found.problem
            );
        }
    }
    text
}

/// The league table as CSV.
pub fn league_csv(rows: &[Row]) -> String {
    let mut text =
        "solver,tried,verified,to_1e-10,proven_none,wrong,failed,unfit,median_residual,worst_residual,total_us,median_ratio\n"
            .to_owned();
    let optional = |x: Option<f64>| x.map_or_else(String::new, |x| format!("{x:e}"));
    for row in rows {
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{},{},{},{},{}",
            quoted(&row.solver),
            row.tried,
            row.verified,
            row.precise,
            row.proven_none,
            row.wrong,
            row.failed,
            row.unfit,
            optional(row.median_residual),
            optional(row.worst_residual),
            row.total_us.map_or_else(String::new, |us| format!("{us:.3}")),
            optional(row.median_ratio)
        );
    }
    text
}

/// Every try as CSV.
pub fn tries_csv(tries: &[Try]) -> String {
    let mut text = "problem,kind,size,solver,outcome,claimed,ending,residual,time_us,message\n".to_owned();
    for found in tries {
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{},{},{}",
            quoted(&found.problem),
            found.kind,
            found.size,
            quoted(&found.solver),
            word(found.outcome),
            found.claimed,
            quoted(&found.ending),
            found.residual.map_or_else(String::new, |x| format!("{x:e}")),
            found.time_us.map_or_else(String::new, |us| format!("{us:.3}")),
            found.message.as_deref().map_or_else(String::new, quoted)
        );
    }
    text
}

/// An outcome in a word.
#[must_use]
pub fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Verified => "verified",
        Outcome::ProvenNone => "proven none",
        Outcome::Wrong => "wrong",
        Outcome::Failed => "failed",
        Outcome::Unfit => "unfit",
    }
}

/// What a cell of the table of tries shows.
pub fn cell(found: &Try) -> String {
    let time = found
        .time_us
        .map_or_else(|| "-".to_owned(), |us| format!("{} us", micro(us)));
    match found.outcome {
        Outcome::Verified => time,
        Outcome::ProvenNone => format!("proven none, {time}"),
        Outcome::Wrong => format!(
            "wrong, {}",
            found.residual.map_or_else(|| "no number".to_owned(), small)
        ),
        Outcome::Failed => "failed".to_owned(),
        Outcome::Unfit => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(solver: &str, problem: &str, outcome: Outcome, residual: f64, time: f64) -> Try {
        Try {
            solver: solver.to_owned(),
            problem: problem.to_owned(),
            kind: "lcp",
            size: 2,
            outcome,
            claimed: outcome != Outcome::Failed,
            ending: "solved".to_owned(),
            residual: Some(residual),
            time_us: Some(time),
            message: None,
        }
    }

    /// Such a solver would lead as the quickest, and the sum of no times is −0.
    #[test]
    fn who_has_no_time_comes_last_and_has_no_total() {
        let untimed = |solver: &str, problem: &str| Try {
            time_us: None,
            ..found(solver, problem, Outcome::Verified, 1e-16, 1.0)
        };
        let tries = [
            untimed("file", "a"),
            untimed("file", "b"),
            untimed("part", "a"),
            found("part", "b", Outcome::Verified, 1e-16, 1.0),
            found("sure", "a", Outcome::Verified, 1e-16, 4.0),
            found("sure", "b", Outcome::Verified, 1e-16, 4.0),
            found("none", "a", Outcome::Failed, 1.0, 1.0),
        ];
        let rows = rows(&tries);
        let named = |row: &Row| (row.solver.clone(), row.cells("-")[9].clone());
        let found: Vec<(String, String)> = rows.iter().map(named).collect();
        let expected = [("sure", "0.008"), ("file", "-"), ("part", "-"), ("none", "-")];
        assert_eq!(found, expected.map(|(name, time)| (name.to_owned(), time.to_owned())));
        assert_eq!((rows[1].median_ratio, rows[2].median_ratio), (None, Some(1.0)));
        let text = table(&rows, &tries, 1e-6) + &league_csv(&rows);
        assert!(
            !text.contains("-0.000") && text.contains("file,2,2,2,0,0,0,0,1e-16,1e-16,,\n"),
            "{text}"
        );
    }

    #[test]
    fn the_most_verified_leads_and_wrong_answers_are_named() {
        let tries = [
            found("quick", "a", Outcome::Verified, 1e-7, 1.0),
            found("quick", "b", Outcome::Wrong, 0.5, 1.0),
            found("sure", "a", Outcome::Verified, 1e-16, 4.0),
            found("sure", "b", Outcome::Verified, 1e-15, 2.0),
        ];
        let rows = rows(&tries);
        assert_eq!(rows[0].solver, "sure");
        assert_eq!((rows[0].verified, rows[0].precise, rows[0].wrong), (2, 2, 0));
        assert_eq!((rows[1].verified, rows[1].precise, rows[1].wrong), (1, 0, 1));
        assert_eq!((rows[0].median_ratio, rows[1].median_ratio), (Some(2.5), Some(1.0)));
        let text = table(&rows, &tries, 1e-6);
        assert!(
            text.contains("said to be solved, and wrong:\n  quick   b  residual 5.0e-1"),
            "{text}"
        );
        assert!(league_csv(&rows).starts_with("solver,tried"));
        assert_eq!(tries_csv(&tries).lines().count(), 5);
    }
}
