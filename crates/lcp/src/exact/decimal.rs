//! Numbers as they are printed in a file, read without rounding.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// Largest |exponent|: doubles end at 1e308, and a number of 400 digits does no harm.
const MAX_EXPONENT: i64 = 400;
/// Longest text that is read.
const MAX_TEXT_BYTES: usize = 4096;

/// Reads a JSON number such as `-1.25e-3`, or a quotient of two integers such as `3/7`, as the rational it denotes.
///
/// `None` when the text is neither, when a denominator is zero, or when the exponent lies outside ±400 or the text is
/// longer than 4096 bytes: a few bytes of a hostile file must not fill the memory.
///
/// ```
/// use stiction_lcp::exact::parse_decimal;
/// assert_eq!(parse_decimal("-1.25e-3").map(|v| v.to_string()).as_deref(), Some("-1/800"));
/// assert_eq!(parse_decimal("1e999"), None);
/// ```
#[must_use]
pub fn parse_decimal(text: &str) -> Option<RBig> {
    if text.len() > MAX_TEXT_BYTES {
        return None;
    }
    let (negative, magnitude) = split_sign(text);
    let value = match magnitude.split_once('/') {
        Some((numerator, denominator)) => quotient(numerator, denominator)?,
        None => decimal(magnitude)?,
    };
    Some(if negative { -value } else { value })
}

fn split_sign(text: &str) -> (bool, &str) {
    text.strip_prefix('-').map_or((false, text), |rest| (true, rest))
}

fn quotient(numerator: &str, denominator: &str) -> Option<RBig> {
    let denominator = digits(denominator)?;
    if denominator.is_zero() {
        return None;
    }
    Some(RBig::from_parts(IBig::from(digits(numerator)?), denominator))
}

fn decimal(text: &str) -> Option<RBig> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, signed_exponent(exponent)?),
        None => (text, 0),
    };
    let (value, places) = match mantissa.split_once('.') {
        Some((whole, fraction)) => {
            digits(whole)?;
            digits(fraction)?;
            (digits(&format!("{whole}{fraction}"))?, fraction.len())
        }
        None => (digits(mantissa)?, 0),
    };
    let power = exponent - i64::try_from(places).ok()?;
    let ten = UBig::from(10u8).pow(usize::try_from(power.unsigned_abs()).ok()?);
    Some(if power >= 0 {
        RBig::from(value * ten)
    } else {
        RBig::from_parts(IBig::from(value), ten)
    })
}

fn signed_exponent(text: &str) -> Option<i64> {
    let (negative, magnitude) = match text.strip_prefix('+') {
        Some(rest) => (false, rest),
        None => split_sign(text),
    };
    if !is_digits(magnitude) {
        return None;
    }
    let value: i64 = magnitude.parse().ok()?;
    (value <= MAX_EXPONENT).then_some(if negative { -value } else { value })
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn digits(text: &str) -> Option<UBig> {
    // The parser of the integer library also takes signs and underscores.
    is_digits(text).then(|| UBig::from_str_radix(text, 10).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_and_quotients_are_exact() {
        for (text, expected) in [
            ("0", "0"),
            ("-0.0", "0"),
            ("9.8", "49/5"),
            ("-1.25e-3", "-1/800"),
            ("2E+2", "200"),
            ("1.50e1", "15"),
            ("3/7", "3/7"),
            ("-6/4", "-3/2"),
        ] {
            assert_eq!(parse_decimal(text).unwrap().to_string(), expected, "{text}");
        }
    }

    #[test]
    fn other_text_is_refused() {
        for text in [
            "", "-", "+1", "1.", ".5", "1e", "1e401", "1e-401", "1/0", "1/-2", "1_0", "0x1", "nan", "1 ", "--1",
            "1e+-2",
        ] {
            assert_eq!(parse_decimal(text), None, "{text}");
        }
        assert_eq!(parse_decimal(&"1".repeat(5000)), None);
    }
}
