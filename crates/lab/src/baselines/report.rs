//! Rows as a table for the terminal and as CSV.

use std::fmt::Write as _;

use super::{Row, Way};
use stiction_formats::figures::{micro, quoted, small};

/// One line a case and way, and below it what each time holds.
pub(crate) fn table(rows: &[Row], ways: &[Way]) -> String {
    let mut text = format!(
        "{:18} {:>6} {:>8}  {:17} {:>10} {:>9} {:>8} {:>6} {:>8} {:>11}  {}\n",
        "scenario",
        "bodies",
        "contacts",
        "way",
        "median us",
        "again us",
        "steps",
        "most",
        "residual",
        "verified",
        "failures"
    );
    let mut last = "";
    for row in rows {
        if !last.is_empty() && last != row.case {
            text += "\n";
        }
        last = &row.case;
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{:18} {:>6} {:>8}  {:17} {:>10} {:>9} {:>8.1} {:>6} {:>8} {:>4} of {:>3}  {}",
            row.case,
            row.bodies,
            row.contacts,
            row.way.name,
            micro(row.median_us()),
            micro(row.again_us),
            row.mean_steps,
            row.most_steps,
            small(row.worst),
            row.verified,
            row.tried,
            failures(row)
        );
    }
    text += "\nmedian us: time of one solve with warm buffers, each geometry as if not met before. It holds\n";
    for way in ways.iter().filter(|way| rows.iter().any(|row| row.way == **way)) {
        let _ = writeln!(text, "  {:17} {}", way.name, way.holds);
    }
    text += "again us: the same where only the loads have changed since the last solve, and what was made of the geometry is kept.\n";
    text += "steps: pivots, mean and most; of clarabel its iterations. residual: the largest, by the judge (1e-10 is verified).\n";
    text
}

/// How the unverified ended: `3 ray, 1 pivot_limit`; a dash where there are none.
fn failures(row: &Row) -> String {
    let parts: Vec<String> = row
        .failures
        .iter()
        .map(|(ending, count)| format!("{count} {ending}"))
        .collect();
    if parts.is_empty() {
        "-".to_owned()
    } else {
        parts.join(", ")
    }
}

/// Every figure of every row.
pub(crate) fn csv(rows: &[Row]) -> String {
    let mut text = String::from(
        "scenario,family,size,bodies,coordinates,contacts,way,time_holds,tried,verified,failures,worst_residual,\
         min_us,q1_us,median_us,q3_us,again_us,mean_pivots,max_pivots,mean_active,fallbacks\n",
    );
    for row in rows {
        let [q1, median, q3] = row.quartiles_us;
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{},{},{},{},{:e},{:.3},{q1:.3},{median:.3},{q3:.3},{},{:.2},{},{:.2},{}",
            row.case,
            row.family,
            row.size,
            row.bodies,
            row.coordinates,
            row.contacts,
            row.way.name,
            quoted(row.way.holds),
            row.tried,
            row.verified,
            quoted(&failures(row)),
            row.worst,
            row.least_us,
            if row.way.ours {
                format!("{:.3}", row.again_us)
            } else {
                String::new()
            },
            row.mean_steps,
            row.most_steps,
            row.mean_active,
            row.others
        );
    }
    text
}

/// A ratio of median times beside its target: `lemke_standard : ppm_modified  61.2  (target at least 50)`.
pub(crate) fn ratio_line(text: &mut String, what: &str, ratio: Option<f64>, target: &str) {
    let found = ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
    let _ = writeln!(text, "  {what:58} {found:>8}  ({target})");
}
