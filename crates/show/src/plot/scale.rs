//! Ticks and numbers of an axis.

/// Powers of a thousand with their prefixes.
const PREFIXES: [(f64, &str); 9] = [
    (1e9, "G"),
    (1e6, "M"),
    (1e3, "k"),
    (1.0, ""),
    (1e-3, "m"),
    (1e-6, "µ"),
    (1e-9, "n"),
    (1e-12, "p"),
    (1e-15, "f"),
];

/// The prefix by which values up to `largest` read well, and its factor; counts have none.
pub(super) fn prefix(largest: f64, unit: &str) -> (f64, &'static str) {
    if unit.is_empty() || largest == 0.0 {
        return (1.0, "");
    }
    let fits = |(factor, _): &&(f64, &str)| largest >= *factor;
    PREFIXES.iter().find(fits).copied().unwrap_or((1e-15, "f"))
}

/// Round numbers from at or below `low` to at or above `high`, about `count` of them.
pub(super) fn ticks(low: f64, high: f64, count: usize) -> Vec<f64> {
    let span = if high > low { high - low } else { low.abs().max(1.0) };
    let raw = span / count.max(1) as f64;
    let power = libm::pow(10.0, libm::floor(libm::log10(raw)));
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|k| k * power)
        .into_iter()
        .find(|step| *step >= raw * (1.0 - 1e-9))
        .unwrap_or(10.0 * power);
    let (first, last) = (libm::floor(low / step + 1e-9), libm::ceil(high / step - 1e-9));
    let mut ticks = Vec::new();
    let mut k = first;
    // At most a few more than `count`; the bound is for values that do not add up.
    while k <= last && ticks.len() < 4 * count.max(4) {
        ticks.push(k * step);
        k += 1.0;
    }
    ticks
}

/// A tick's number, without the dust of its multiplication.
pub(super) fn tick(value: f64) -> String {
    if value.abs() >= 1e7 {
        return format!("{value:.1e}").replacen('-', "−", 1);
    }
    let text = format!("{value:.6}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    let short = if short == "-0" { "0" } else { short };
    short.replacen('-', "−", 1)
}

/// A value with three digits, its prefix and unit: `7.02 J`, `3.1 µm`, `12`.
pub(super) fn value(value: f64, unit: &str) -> String {
    let (factor, prefix) = prefix(value.abs(), unit);
    let scaled = value / factor;
    let digits = match scaled.abs() {
        s if s == 0.0 || (unit.is_empty() && s == libm::round(s)) => 0,
        s if s < 10.0 => 2,
        s if s < 100.0 => 1,
        _ => 0,
    };
    let text = format!("{scaled:.digits$}").replacen('-', "−", 1);
    let far = scaled != 0.0 && !(0.01..1e6).contains(&scaled.abs());
    let text = if far { format!("{scaled:.1e}") } else { text };
    if unit.is_empty() {
        text
    } else {
        format!("{text} {prefix}{unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_hold_the_range() {
        assert_eq!(ticks(0.0, 10.0, 5), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        let found = ticks(-0.31, 0.74, 5);
        assert!(found[0] <= -0.31 && found[found.len() - 1] >= 0.74, "{found:?}");
        assert_eq!(ticks(3.0, 3.0, 4).first(), Some(&3.0));
        for (low, high) in [(0.0, 1e-300), (-1e300, 1e300), (0.0, f64::MAX)] {
            assert!(ticks(low, high, 5).len() < 25, "{low} {high}");
        }
    }

    #[test]
    fn values_have_prefixes() {
        let found = [0.0, 7.0234, 3.1e-6, -0.012, 1234.0, 1e-18].map(|x| value(x, "J"));
        assert_eq!(found, ["0 J", "7.02 J", "3.10 µJ", "−12.0 mJ", "1.23 kJ", "1.0e-3 fJ"]);
        assert_eq!([12.0, 0.5].map(|x| value(x, "")), ["12", "0.50"]);
        assert_eq!(
            [0.1 + 0.2, -0.0, -2.0, -2e291].map(tick),
            ["0.3", "0", "−2", "−2.0e291"]
        );
    }
}
