//! The comparison as one HTML page: league table, performance profiles, every try.

use std::fmt::Write as _;

use super::league::{Row, WRONG, cell, quickest, word};
use super::{Outcome, Try};
use stiction_formats::figures::small;
use stiction_formats::markup::{PALETTE, plain};

/// Size of a chart and the room around its lines [px].
const CHART_SIZE: [f64; 2] = [620.0, 360.0];
const CHART_MARGINS: [f64; 4] = [56.0, 20.0, 20.0, 46.0];
/// From one line of the legend to the next [px].
const LEGEND_LINE_HEIGHT: f64 = 18.0;
/// Largest ratio of times on a profile.
const MAX_TIME_RATIO: f64 = 1e4;
/// Residuals on the second chart.
const RESIDUAL_RANGE: [f64; 2] = [1e-17, 1.0];

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;color:#1f2937;max-width:1100px;margin:2rem auto;padding:0 1rem}\
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}table{border-collapse:collapse;font-size:13px}\
th,td{padding:.25rem .6rem;border-bottom:1px solid #e5e7eb;text-align:right;white-space:nowrap}th:first-child,td:first-child{text-align:left}\
.wrong{color:#b91c1c;font-weight:600}.failed{color:#9ca3af}.unfit{color:#d1d5db}.scroll{overflow-x:auto}p{max-width:75ch}svg{max-width:100%}";

/// The page.
#[must_use]
pub fn html(title: &str, rows: &[Row], tries: &[Try], (tolerance, messages): (f64, &[String])) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style></head><body>\n<h1>{0}</h1>\n\
         <p>Every answer was judged by Stiction from the problem's own data; what solvers say of themselves decides nothing. \
         <b>Verified</b>: relative residual at most {1}. <b>Wrong</b>: the solver says solved, and it is not.</p>\n",
        plain(title),
        small(tolerance)
    );
    league(&mut out, rows);
    if !messages.is_empty() {
        out += "<h2>Left out</h2>\n<ul>\n";
        for message in messages {
            let _ = writeln!(out, "<li>{}", plain(message));
        }
        out += "</ul>\n";
    }
    out += "<h2>Performance profile</h2>\n<p>Share of all problems, those included that a solver does not take, that it answers, verified, within τ times \
            the quickest verified answer. Who gives no times is not in it.</p>\n";
    out += &chart(rows, tries, &TIME);
    out += "<h2>Precision</h2>\n<p>Share of all problems whose answer, said to be solved or not, has at most this residual by our judge.</p>\n";
    out += &chart(rows, tries, &PRECISION);
    all(&mut out, rows, tries);
    out + "</body></html>\n"
}

fn league(out: &mut String, rows: &[Row]) {
    *out += "<div class=\"scroll\"><table><tr><th>solver<th>tried<th>verified<th>to 1e-10<th>proven none<th>wrong<th>failed<th>unfit<th>median residual\
             <th>worst residual<th>total ms<th>time ratio</tr>\n";
    for row in rows {
        // Writing to a String cannot fail.
        let _ = write!(out, "<tr><td>{}", plain(&row.solver));
        for (k, cell) in row.cells("–").iter().enumerate() {
            let class = if k == WRONG && row.wrong > 0 {
                " class=\"wrong\""
            } else {
                ""
            };
            let _ = write!(out, "<td{class}>{cell}");
        }
        *out += "</tr>\n";
    }
    *out += "</table></div>\n";
}

/// What a chart shows: the value of a try, the range of values, and their name.
struct Scale {
    value: fn(&Try, &[Try]) -> Option<f64>,
    /// Whether it has a line for a solver.
    shows: fn(&Row) -> bool,
    range: [f64; 2],
    label: &'static str,
}

const TIME: Scale = Scale {
    value: |found, tries| {
        let verified = found.outcome == Outcome::Verified;
        Some(found.time_us? / quickest(&found.problem, tries)?).filter(|_| verified)
    },
    // A line along the bottom would say that none of its answers is right.
    shows: |row| row.verified == 0 || row.median_ratio.is_some(),
    range: [1.0, MAX_TIME_RATIO],
    label: "τ: time over that of the quickest",
};

const PRECISION: Scale = Scale {
    value: |found, _| found.residual,
    shows: |_| true,
    range: RESIDUAL_RANGE,
    label: "residual",
};

/// Steps that rise with the share of problems, one line a solver.
fn chart(rows: &[Row], tries: &[Try], scale: &Scale) -> String {
    let [width, height] = CHART_SIZE;
    let [left, top, right, bottom] = CHART_MARGINS;
    let shown = height.max(top + LEGEND_LINE_HEIGHT * rows.len() as f64);
    let [low, high] = scale.range.map(f64::log10);
    let x = |value: f64| left + (value.log10().clamp(low, high) - low) / (high - low) * (width - left - right);
    let y = |share: f64| height - bottom - share * (height - top - bottom);
    let mut out = format!(
        "<svg viewBox=\"0 0 {} {shown}\" width=\"{}\" height=\"{shown}\" font-size=\"12\" fill=\"#374151\">\n",
        width + 260.0,
        width + 260.0
    );
    for k in 0..=4 {
        let share = f64::from(k) / 4.0;
        let _ = writeln!(
            out,
            "<line x1=\"{left}\" x2=\"{}\" y1=\"{1:.1}\" y2=\"{1:.1}\" stroke=\"#e5e7eb\"/><text x=\"{2}\" y=\"{3:.1}\" text-anchor=\"end\">{4:.0} %</text>",
            width - right,
            y(share),
            left - 8.0,
            y(share) + 4.0,
            100.0 * share
        );
    }
    let mut decade = low;
    while decade <= high + 0.5 {
        let at = x(libm::pow(10.0, decade));
        let _ = writeln!(
            out,
            "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">1e{decade:.0}</text>",
            height - bottom + 18.0
        );
        decade += ((high - low) / 4.0).round().max(1.0);
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        (width + left - right) / 2.0,
        height - 8.0,
        scale.label
    );
    for (k, row) in rows.iter().enumerate().filter(|(_, row)| (scale.shows)(row)) {
        let own = || tries.iter().filter(|found| found.solver == row.solver);
        let problems = own().count() as f64;
        let mut values: Vec<f64> = own().filter_map(|found| (scale.value)(found, tries)).collect();
        values.sort_by(f64::total_cmp);
        let colour = PALETTE[(k + 4) % PALETTE.len()];
        let dash = ["", " stroke-dasharray=\"6 3\"", " stroke-dasharray=\"2 3\""][k / PALETTE.len() % 3];
        let mut path = format!("M{left} {:.1}", y(0.0));
        for (i, value) in values.iter().enumerate().filter(|(_, value)| **value <= scale.range[1]) {
            let share = (i + 1) as f64 / problems;
            let _ = write!(path, " H{:.1} V{:.1}", x(*value), y(share));
        }
        let _ = write!(path, " H{}", width - right);
        let _ = writeln!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>"
        );
        let at = top + LEGEND_LINE_HEIGHT * k as f64;
        let _ = writeln!(
            out,
            "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1}\" y2=\"{2:.1}\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/><text x=\"{3}\" y=\"{4:.1}\">{5}</text>",
            width + 4.0,
            width + 28.0,
            at,
            width + 34.0,
            at + 4.0,
            plain(&row.solver)
        );
    }
    out + "</svg>\n"
}

fn all(out: &mut String, rows: &[Row], tries: &[Try]) {
    *out += "<h2>Every problem</h2>\n<div class=\"scroll\"><table><tr><th>problem<th>size";
    for row in rows {
        let _ = write!(out, "<th>{}", plain(&row.solver));
    }
    *out += "</tr>\n";
    let mut names: Vec<(&str, usize)> = tries.iter().map(|found| (found.problem.as_str(), found.size)).collect();
    names.sort_unstable();
    names.dedup();
    for (name, size) in names {
        let _ = write!(out, "<tr><td>{}<td>{size}", plain(name));
        for row in rows {
            let found = tries
                .iter()
                .find(|found| found.problem == name && found.solver == row.solver);
            let Some(found) = found else {
                *out += "<td>";
                continue;
            };
            let _ = write!(
                out,
                "<td class=\"{}\" title=\"{}\">{}",
                word(found.outcome),
                title(found),
                cell(found)
            );
        }
        *out += "</tr>\n";
    }
    *out += "</table></div>\n";
}

fn title(found: &Try) -> String {
    let residual = found
        .residual
        .map_or_else(String::new, |x| format!(", residual {}", small(x)));
    let message = found
        .message
        .as_ref()
        .map_or_else(String::new, |message| format!(", {message}"));
    plain(&format!("{}{residual}{message}", found.ending)).replace('"', "&quot;")
}
