//! JSON with the place and the value in every message.
//!
//! Numbers are taken as their lexemes and converted by the standard library, which rounds correctly: the same bits come
//! back for every double that was written, and the decimals stay available for exact arithmetic.

use std::collections::BTreeSet;
use std::fmt;

use serde::Deserializer;
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use stiction_contact::nearest::nearest;

use crate::bad_input::{BadInput, shown};

/// Other words for fields, as people write them.
const OTHER_WORDS: [(&str, &str); 1] = [("friction", "mu")];

/// Deepest nesting of lists and objects that is read.
const MAX_JSON_DEPTH: usize = 64;

/// Checks nesting and grammar; the value found stands for the whole text.
pub fn parse(text: &str) -> Result<&RawValue, BadInput> {
    check_depth(text)?;
    serde_json::from_str(text).map_err(|error| syntax(text, &error))
}

/// Refuses deep nesting by counting brackets, before anything that could recurse sees the text.
fn check_depth(text: &str) -> Result<(), BadInput> {
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => depth += 1,
            b']' | b'}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_JSON_DEPTH {
            let line = 1 + text[..at].matches('\n').count();
            let column = at - text[..at].rfind('\n').map_or(0, |end| end + 1) + 1;
            let problem = format!("must not be nested deeper than {MAX_JSON_DEPTH} levels, found {depth}");
            return Err(BadInput::new(format!("line {line} column {column}"), problem));
        }
    }
    Ok(())
}

/// Where the grammar is broken, and the word that breaks it.
fn syntax(text: &str, error: &serde_json::Error) -> BadInput {
    let (line, column) = (error.line(), error.column());
    let full = error.to_string();
    let what = full.split(" at line ").next().unwrap_or_default();
    let place = format!("line {line} column {column}");
    if error.is_eof() {
        return BadInput::new(place, format!("{what}, found the end of the file"));
    }
    let row = text.split('\n').nth(line.saturating_sub(1)).unwrap_or_default();
    BadInput::new(
        place,
        format!("{what}, found {}", word_at(row, column.saturating_sub(1))),
    )
}

/// The word around a byte of a line, or the single character there.
fn word_at(row: &str, at: usize) -> String {
    let is_word = |c: char| c.is_alphanumeric() || "+-._".contains(c);
    let at = (0..=at.min(row.len()))
        .rev()
        .find(|&i| row.is_char_boundary(i))
        .unwrap_or(0);
    let start = row[..at]
        .rfind(|c| !is_word(c))
        .map_or(0, |i| i + row[i..].chars().next().map_or(0, char::len_utf8));
    let end = row[at..].find(|c| !is_word(c)).map_or(row.len(), |i| at + i);
    if start < end {
        shown(&row[start..end])
    } else {
        row[at..]
            .chars()
            .next()
            .map_or_else(|| "the end of the line".to_owned(), String::from)
    }
}

/// The fields of an object, in the order of the file.
#[derive(Debug)]
pub struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'a> Fields<'a> {
    /// Reads an object; `place` names it in messages and is empty for the whole file. A key given twice is an error.
    pub fn read(raw: &'a RawValue, place: &str) -> Result<Self, BadInput> {
        if !raw.get().starts_with('{') {
            let problem = format!("must be an object, found {}", shown(raw.get()));
            return Err(match place {
                "" => BadInput::whole(problem),
                _ => BadInput::new(place, problem),
            });
        }
        let mut json = serde_json::Deserializer::from_str(raw.get());
        let fields = json.deserialize_map(FieldsVisitor).map_err(|e| unexpected(place, &e))?;
        let mut seen = BTreeSet::new();
        match fields.iter().find(|(key, _)| !seen.insert(key.as_str())) {
            Some((key, _)) => {
                let dot = if place.is_empty() { "" } else { "." };
                let place = format!("{place}{dot}{}", shown(key));
                Err(BadInput::new(place, "must be given once, found again"))
            }
            None => Ok(Self(fields)),
        }
    }

    /// The value of an optional field.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, raw)| *raw)
    }

    /// The same for an answer of anyone: many programs write `null` for what is not there.
    #[must_use]
    pub fn given(&self, key: &str) -> Option<&'a RawValue> {
        self.get(key).filter(|raw| raw.get() != "null")
    }

    /// The value of a required field.
    pub fn need(&self, key: &str) -> Result<&'a RawValue, BadInput> {
        self.get(key).ok_or_else(|| BadInput::new(key, "missing field"))
    }

    /// Refuses fields other than those listed.
    pub fn only(&self, known: &[&str]) -> Result<(), BadInput> {
        match self.0.iter().find(|(key, _)| !known.contains(&key.as_str())) {
            None => Ok(()),
            Some((key, _)) => {
                let meant = meant(key, known);
                let problem = format!("unknown field, expected one of {}{meant}", known.join(", "));
                Err(BadInput::new(shown(key), problem))
            }
        }
    }
}

/// `; did you mean KEY?` for a field that is not known, also where another word for a known one is near.
fn meant(key: &str, known: &[&str]) -> String {
    let words = OTHER_WORDS.iter().filter(|(_, field)| known.contains(field));
    let names = known.iter().chain(words.clone().map(|(word, _)| word)).copied();
    nearest(key, names).map_or_else(String::new, |name| {
        let field = words
            .clone()
            .find(|(word, _)| *word == name)
            .map_or(name, |(_, field)| field);
        format!("; did you mean {field}?")
    })
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(fields)
    }
}

/// A list's entries one by one, so that nothing is stored that the caller does not keep. Returns their number.
pub fn each<'a>(
    raw: &'a RawValue,
    place: &str,
    visit: &mut dyn FnMut(usize, &'a RawValue) -> Result<(), BadInput>,
) -> Result<usize, BadInput> {
    if !raw.get().starts_with('[') {
        return Err(wrong(place, "must be a list", raw));
    }
    let mut fault = None;
    let visitor = EachVisitor {
        visit,
        fault: &mut fault,
    };
    let count = serde_json::Deserializer::from_str(raw.get()).deserialize_seq(visitor);
    match fault {
        Some(fault) => Err(fault),
        None => count.map_err(|error| unexpected(place, &error)),
    }
}

struct EachVisitor<'f, 'a> {
    visit: &'f mut dyn FnMut(usize, &'a RawValue) -> Result<(), BadInput>,
    fault: &'f mut Option<BadInput>,
}

impl<'de> Visitor<'de> for EachVisitor<'_, 'de> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<usize, A::Error> {
        let mut count = 0;
        while let Some(raw) = list.next_element::<&'de RawValue>()? {
            if let Err(fault) = (self.visit)(count, raw) {
                *self.fault = Some(fault);
                return Err(de::Error::custom("refused"));
            }
            count += 1;
        }
        Ok(count)
    }
}

/// A finite number.
pub fn number(raw: &RawValue, place: impl fmt::Display) -> Result<f64, BadInput> {
    let lexeme = raw.get();
    let value = match lexeme.as_bytes().first() {
        Some(b'-' | b'0'..=b'9') => lexeme.parse::<f64>().ok(),
        _ => None,
    };
    match value {
        None => Err(wrong(place, "must be a number", raw)),
        Some(value) if !value.is_finite() => Err(wrong(place, "must be finite", raw)),
        // A zero that was not written as one would change the problem in silence.
        Some(0.0) if !is_zero(lexeme) => Err(wrong(place, "must be 0 or at least 5e-324 in magnitude", raw)),
        Some(value) => Ok(value),
    }
}

/// Whether the digits of a number are all zero.
fn is_zero(lexeme: &str) -> bool {
    let digits = lexeme.split(['e', 'E']).next().unwrap_or(lexeme);
    !digits.bytes().any(|b| matches!(b, b'1'..=b'9'))
}

/// A whole number that is not negative.
pub fn index(raw: &RawValue, place: impl fmt::Display) -> Result<usize, BadInput> {
    raw.get()
        .parse()
        .map_err(|_| wrong(place, "must be a whole number", raw))
}

/// A string.
pub fn string(raw: &RawValue, place: &str) -> Result<String, BadInput> {
    serde_json::from_str(raw.get()).map_err(|_| wrong(place, "must be a string", raw))
}

/// A list of strings.
pub fn strings(raw: &RawValue, place: &str) -> Result<Vec<String>, BadInput> {
    let mut values = Vec::new();
    each(raw, place, &mut |i, entry| {
        values.push(string(entry, &format!("{place}[{i}]"))?);
        Ok(())
    })?;
    Ok(values)
}

/// A list of numbers as they are written: rationals as strings, or numbers of JSON.
pub fn decimals(raw: &RawValue, place: &str) -> Result<Vec<String>, BadInput> {
    let mut values = Vec::new();
    each(raw, place, &mut |i, entry| {
        let text = entry.get();
        values.push(
            if text.starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) {
                text.to_owned()
            } else {
                serde_json::from_str(text).map_err(|_| wrong(Entry(place, i), "must be a number or a string", entry))?
            },
        );
        Ok(())
    })?;
    Ok(values)
}

/// A list of finite numbers.
pub fn numbers(raw: &RawValue, place: &str) -> Result<Vec<f64>, BadInput> {
    let mut values = Vec::new();
    each(raw, place, &mut |i, entry| {
        values.push(number(entry, Entry(place, i))?);
        Ok(())
    })?;
    Ok(values)
}

/// `place[i]`, written out only when a message needs it.
pub struct Entry<'a>(pub &'a str, pub usize);

impl fmt::Display for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.0, self.1)
    }
}

/// The message for a value of the wrong kind.
pub fn wrong(place: impl fmt::Display, requirement: &str, raw: &RawValue) -> BadInput {
    BadInput::new(place, format!("{requirement}, found {}", shown(raw.get())))
}

/// The grammar was checked by `parse`, so this is out of reach except for keys that are not strings of Unicode.
fn unexpected(place: &str, error: &serde_json::Error) -> BadInput {
    BadInput::new(place, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_inside_strings_do_not_nest() {
        let text = format!("\"{}\\\"[[\"", "[".repeat(100));
        assert!(parse(&text).is_ok());
    }

    #[test]
    fn the_depth_limit_is_exact() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse(&nested(64)).is_ok());
        let message = parse(&nested(65)).unwrap_err().to_string();
        assert_eq!(
            message,
            "line 1 column 65: must not be nested deeper than 64 levels, found 65"
        );
    }

    #[test]
    fn lexemes_are_rounded_to_the_nearest_double() {
        // A lexeme that needs more than a double's digits to be rounded correctly.
        let raw = parse("9007199254740993.0000000001").unwrap();
        assert_eq!(
            number(raw, "x").unwrap().to_bits(),
            9_007_199_254_740_994.0_f64.to_bits()
        );
    }
}
