//! Numbers and counts in words, for a person.

/// Rows of a table that are shown before the rest is only counted.
pub const MAX_SHOWN_ROWS: usize = 20;

/// A number in the shortest form that gives the same bits back.
#[must_use]
pub fn figure(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 || (1e-4..1e7).contains(&magnitude) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// A residual: two digits say enough.
#[must_use]
pub fn small(value: f64) -> String {
    if value == 0.0 {
        "0".to_owned()
    } else {
        format!("{value:.1e}")
    }
}

/// Three digits of a time.
#[must_use]
pub fn micro(us: f64) -> String {
    match us {
        us if !us.is_finite() => "-".to_owned(),
        us if us < 10.0 => format!("{us:.2}"),
        us if us < 100.0 => format!("{us:.1}"),
        us => format!("{us:.0}"),
    }
}

/// A CSV field that may hold commas.
#[must_use]
pub fn quoted(field: &str) -> String {
    if field.contains([',', '"']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

/// `1 pivot`, `3 pivots`.
#[must_use]
pub fn counted(count: usize, what: &str) -> String {
    match count {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_give_the_same_bits_back() {
        for value in [0.1, 5e-324, -0.0, 1e308, 4.0 / 3.0, 1e-4, 123_456_789.0] {
            let text = figure(value);
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits(), "{text}");
        }
    }
}
