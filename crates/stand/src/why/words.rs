//! Pairs in words: a sentence each, and a table.

use std::fmt::Write as _;

use super::{Known, Pair, PairState, Range};

/// A share that is rounding.
const MIDWAY: f64 = 1e-11;
/// A range that is narrower than this share of its end is a figure.
const NARROW: f64 = 1e-7;

/// Four digits that a person can read: 9.81, 34.41, 0.0832, 1.2e-7.
#[must_use]
pub fn figure(x: f64) -> String {
    digits(x, 4)
}

fn digits(x: f64, count: i32) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    if !x.is_finite() {
        return if x > 0.0 { "∞".to_owned() } else { "−∞".to_owned() };
    }
    // What lies midway is rounded away from zero, whichever side of it rounding has left it.
    let x = x * (1.0 + MIDWAY);
    let exponent = decade(x, count);
    let text = if (-3..6).contains(&exponent) {
        let places = usize::try_from(count - 1 - exponent).unwrap_or(0);
        let text = format!("{x:.places$}");
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        }
    } else {
        let places = usize::try_from(count - 2).unwrap_or(0);
        format!("{x:.places$e}")
    };
    text.replace('-', "−")
}

/// Exponent of the first of some digits, after rounding to them.
fn decade(x: f64, count: i32) -> i32 {
    let places = usize::try_from(count - 1).unwrap_or(0);
    let text = format!("{x:.places$e}");
    text.split_once('e')
        .and_then(|(_, exponent)| exponent.parse().ok())
        .unwrap_or(0)
}

/// A share, rounded so that only what uses all says so.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if share < 1.0 - 1e-9 && percent > 99.9 {
        return ">99.9 %".to_owned();
    }
    format!("{} %", figure(libm::round(10.0 * percent) / 10.0))
}

/// `9.81 … 26.98 N`, with as many digits as tell the ends apart; one figure where seven do not.
fn between(range: &Range) -> String {
    let low = tidy(range, range.low);
    match (low.is_finite(), range.high.is_finite()) {
        (true, true) => {
            // They are known to a few parts in 1e9.
            let ends = [low, range.high].map(|end| end * (1.0 + NARROW));
            let shown = (4..=7).map(|count| ends.map(|end| digits(end, count)));
            match shown.into_iter().find(|[low, high]| low != high) {
                Some([low, high]) => format!("{low} … {high} N"),
                None => format!("{} N", figure(range.high)),
            }
        }
        (true, false) => format!("{} N or more", figure(low)),
        (false, true) => format!("{} N or less", figure(range.high)),
        (false, false) => "anything".to_owned(),
    }
}

/// An end of a range without rounding of the other.
fn tidy(range: &Range, end: f64) -> f64 {
    let other = if range.high.is_finite() { range.high } else { 1.0 };
    if end.abs() <= 1e-6 * other.abs() { 0.0 } else { end }
}

/// What the forces of a pair could be: N where it is open, else friction.
fn could_be(pair: &Pair) -> Option<String> {
    let normal = pair.normal_range.as_ref()?;
    match &pair.friction_range {
        Some(friction) if normal.high - normal.low <= NARROW * normal.high.abs() => {
            Some(format!("F {}", between(friction)))
        }
        _ => Some(format!("N {}", between(normal))),
    }
}

/// What a pair does, in a sentence or two, about the first of two names.
pub(super) fn sentence(pair: &Pair, [subject, other]: [&str; 2]) -> String {
    let mut text = match pair.state {
        PairState::Apart => {
            return format!("{subject} and {other} are about to meet or have just come apart: nothing presses.");
        }
        PairState::Touching => return format!("{subject} touches {other}, and nothing presses."),
        PairState::Sliding => slides(pair, subject, other),
        PairState::Sticking | PairState::PartlySliding => sticks(pair, subject, other),
    };
    if pair.known == Some(Known::None) {
        text += &one_of_many(pair);
    }
    text
}

fn slides(pair: &Pair, subject: &str, other: &str) -> String {
    let speed = pair
        .slip_speed
        .filter(|speed| *speed > 0.0)
        .map_or_else(String::new, |v| format!(" at {} m/s", figure(v)));
    match pair.limit {
        Some(limit) if limit > 0.0 => {
            let turns = pair.friction_force < 0.5 * limit;
            let how = if turns { "turns on" } else { "slides on" };
            format!(
                "{subject} {how} {other}{speed}: friction is at its limit of {} N.",
                figure(limit)
            )
        }
        Some(_) => format!("{subject} slides on {other}{speed} without friction."),
        None => format!(
            "{subject} slides on {other}{speed} against {} N of friction.",
            figure(pair.friction_force)
        ),
    }
}

fn sticks(pair: &Pair, subject: &str, other: &str) -> String {
    let held = figure(pair.friction_force);
    let how = if pair.state == PairState::PartlySliding {
        "slides in part on"
    } else {
        "sticks to"
    };
    let mut text = match (pair.limit, pair.used) {
        (Some(limit), Some(used)) if pair.friction_force > 0.0 => {
            format!(
                "{subject} {how} {other} with {held} N of the {} N that friction can hold, {}",
                figure(limit),
                percent(used)
            )
        }
        (Some(limit), _) if limit > 0.0 => {
            format!(
                "{subject} {how} {other}: nothing pushes along the surface, and friction could hold {} N",
                figure(limit)
            )
        }
        (Some(_), _) => format!("{subject} rests on {other} without friction"),
        (None, _) => format!("{subject} {how} {other} with {held} N of friction; no limit is known"),
    };
    if let Some(twist) = pair.twist.filter(|twist| *twist > 0.0) {
        // Writing to a String cannot fail.
        let _ = write!(text, ", and a twist of {} N·m", figure(twist));
    }
    let slip = pair.slip.filter(|_| pair.state == PairState::Sticking);
    let tip = pair.tip.and_then(|tip| Some((tip.force?, tip.angle?)));
    match (slip, tip) {
        (Some(slip), Some((force, angle))) => {
            let slips = format!("slides at {} N or {}° more", figure(slip.force), figure(slip.angle));
            let tips = format!("tips at {} N or {}° more", figure(force), figure(angle));
            let _ = if slip.angle <= angle {
                write!(text, "; it {slips}, before it {tips}")
            } else {
                write!(text, "; it {tips}, before it {slips}")
            };
        }
        (Some(slip), None) => {
            let _ = write!(
                text,
                "; it slides at {} N or {}° more",
                figure(slip.force),
                figure(slip.angle)
            );
            if let Some(tip) = pair.tip {
                let _ = write!(
                    text,
                    "; the centre of pressure is {} of the distance to the edge",
                    percent(tip.used)
                );
            }
        }
        (None, Some((force, angle))) => {
            let _ = write!(text, "; it tips at {} N or {}° more", figure(force), figure(angle));
        }
        (None, None) => {}
    }
    text + "."
}

fn one_of_many(pair: &Pair) -> String {
    match could_be(pair) {
        Some(range) => format!(" Other forces give the same motion: it could be {range}."),
        None => " Other forces give the same motion.".to_owned(),
    }
}

/// Pairs as a table: one line each, then a sentence each; contacts below their pair if requested.
#[must_use]
pub fn table(pairs: &[Pair]) -> String {
    let heads = [
        "pair",
        "N",
        "F",
        "μN",
        "used",
        "state",
        "force known?",
        "could be",
        "slips at",
        "tips at",
    ];
    let mut lines: Vec<[String; 10]> = vec![heads.map(str::to_owned)];
    for pair in pairs {
        lines.push(line(pair));
        for (k, point) in pair.points.iter().enumerate() {
            let known = match point.unique {
                Some(true) => "yes",
                Some(false) => "no",
                None => "",
            };
            lines.push([
                format!("  contact {k}"),
                figure(point.normal_force),
                figure(point.friction_force),
                String::new(),
                point.used.map_or_else(String::new, percent),
                point.state.name().to_owned(),
                known.to_owned(),
                point.normal_range.as_ref().map_or_else(String::new, between),
                String::new(),
                String::new(),
            ]);
        }
    }
    // Empty columns are skipped.
    let filled: Vec<usize> = (0..heads.len())
        .filter(|k| lines[1..].iter().any(|line| !line[*k].is_empty()))
        .collect();
    let width = |k: usize| lines.iter().map(|line| line[k].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let mut text = String::new();
    for line in &lines {
        let mut row = String::new();
        for k in &filled {
            let pad = " ".repeat(widths[*k] - line[*k].chars().count());
            let is_number = (1..5).contains(k);
            let cell = if is_number {
                format!("{pad}{}", line[*k])
            } else {
                format!("{}{pad}", line[*k])
            };
            row += &cell;
            row += "  ";
        }
        text += row.trim_end();
        text += "\n";
    }
    for pair in pairs {
        text += "\n";
        text += &pair.sentence;
    }
    text += "\n";
    text
}

fn line(pair: &Pair) -> [String; 10] {
    [
        format!("{} | {}", pair.a, pair.b),
        figure(pair.normal_force),
        figure(pair.friction_force),
        pair.limit.map_or_else(|| "∞".to_owned(), figure),
        pair.used.map_or_else(String::new, percent),
        pair.state.name().to_owned(),
        pair.known
            .map_or_else(|| "not looked for".to_owned(), |known| known.name().to_owned()),
        could_be(pair).unwrap_or_default(),
        pair.slip.map_or_else(String::new, |slip| {
            format!("{} N, {}°", figure(slip.force), figure(slip.angle))
        }),
        pair.tip.map_or_else(String::new, |tip| match (tip.force, tip.angle) {
            (Some(force), Some(angle)) => format!("{} N, {}°", figure(force), figure(angle)),
            _ => format!("{} out", percent(tip.used)),
        }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_four_digits_and_no_idle_zeros() {
        for (x, text) in [
            (9.81, "9.81"),
            (34.414_2, "34.41"),
            (0.083_26, "0.08326"),
            (-19.0, "−19"),
            (0.0, "0"),
            (99_999.6, "100000"),
            (14.715 - 1e-14, "14.72"),
            (1.2e-7, "1.20e−7"),
            (9810.0, "9810"),
            (f64::INFINITY, "∞"),
        ] {
            assert_eq!(figure(x), text);
        }
        assert_eq!(percent(0.975_466), "97.5 %");
        assert_eq!(percent(0.999_999_9), ">99.9 %");
        assert_eq!(percent(1.0), "100 %");
    }
}
