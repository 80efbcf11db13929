//! Values of a scene that are given beside its file: `world.dt = 0.002`, `body.box.mass = 3`.

use std::borrow::Cow;

use stiction_contact::nearest::did_you_mean;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::shorten;

/// A value given beside the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Path of the key: `world.dt`, `body.box.mass`, `body[3].mass`. Entries of lists go by their name or their number.
    pub key: String,
    /// The value in TOML; a bare word is a string.
    pub value: String,
}

impl Change {
    /// A key and its value.
    #[must_use]
    pub fn new(key: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            value: value.into(),
        }
    }
}

/// Puts a value where its key says; what is wrong with the key or the value otherwise. `at` is where the value stands in the text that messages show.
pub(super) fn apply<'a>(table: &mut DeTable<'a>, change: &'a Change, at: usize) -> Result<(), String> {
    let value = match DeValue::parse(&change.value) {
        Ok(value) => moved(value, at),
        // A word that is no value of its own.
        Err(_) if is_word(&change.value) => Spanned::new(
            at..at + change.value.len(),
            DeValue::String(Cow::Borrowed(&change.value)),
        ),
        Err(error) => {
            let found = shorten(&change.value);
            return Err(format!("must be a value in TOML, found {found}: {}", error.message()));
        }
    };
    let segments = segments(&change.key).ok_or_else(|| format!("must be a path of keys, found {}", change.key))?;
    let Some((last, way)) = segments.split_last() else {
        return Err("must be a path of keys, found nothing".to_owned());
    };
    let mut here = table;
    let mut rest = way;
    while let [first, ..] = rest {
        let (next, used) = enter(here, first, rest.get(1).copied(), at)?;
        here = next;
        rest = &rest[used..];
    }
    put(here, last, value);
    Ok(())
}

/// A value with all places in it moved.
fn moved(value: Spanned<DeValue<'_>>, by: usize) -> Spanned<DeValue<'_>> {
    let span = value.span().start + by..value.span().end + by;
    let inner = match value.into_inner() {
        DeValue::Array(list) => DeValue::Array(list.into_iter().map(|entry| moved(entry, by)).collect()),
        DeValue::Table(table) => {
            let entries = table.into_iter().map(|(key, entry)| {
                let place = key.span().start + by..key.span().end + by;
                (Spanned::new(place, key.into_inner()), moved(entry, by))
            });
            DeValue::Table(entries.collect())
        }
        other => other,
    };
    Spanned::new(span, inner)
}

/// Whether a text is a word: letters, digits, hyphens and underscores.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
}

/// `body[3].mass` as `body`, `3`, `mass`.
fn segments(key: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    for part in key.split('.') {
        let (name, index) = match part.split_once('[') {
            Some((name, rest)) => (name, Some(rest.strip_suffix(']')?)),
            None => (part, None),
        };
        found.push(name);
        found.extend(index);
    }
    (!found.iter().any(|part| part.trim().is_empty())).then_some(found)
}

/// The table below a key, made where it is not there, and how many segments that took. Of a list, the entry that the next segment names.
fn enter<'t, 'a>(
    table: &'t mut DeTable<'a>,
    key: &'a str,
    entry: Option<&str>,
    at: usize,
) -> Result<(&'t mut DeTable<'a>, usize), String> {
    if !table.keys().any(|known| known.get_ref() == key) {
        put(table, key, Spanned::new(at..at, DeValue::Table(DeTable::new())));
    }
    let below = table.iter_mut().find(|(known, _)| known.get_ref() == key);
    match below.map(|(_, value)| value.get_mut()) {
        Some(DeValue::Table(table)) => Ok((table, 1)),
        Some(DeValue::Array(list)) => {
            // The only entry of a list needs no name.
            if entry.is_none() && list.len() == 1 {
                return match list.get_mut(0).map(Spanned::get_mut) {
                    Some(DeValue::Table(table)) => Ok((table, 1)),
                    _ => Err(format!("must name an entry of {key}, found none")),
                };
            }
            let entry = entry.ok_or_else(|| format!("must name an entry of {key}, found none"))?;
            let meant = did_you_mean(entry, list.iter().filter_map(name_of));
            let number = entry.parse().ok().filter(|number| *number < list.len());
            let place = list.iter().position(|value| name_of(value) == Some(entry)).or(number);
            match place.and_then(|place| list.get_mut(place)).map(Spanned::get_mut) {
                Some(DeValue::Table(table)) => Ok((table, 2)),
                _ => Err(format!("must name an entry of {key}, found {}{meant}", shorten(entry))),
            }
        }
        _ => Err(format!("must lead through tables, found {key}, which is none")),
    }
}

/// The name of an entry of a list of tables.
fn name_of<'t>(entry: &'t Spanned<DeValue<'_>>) -> Option<&'t str> {
    let DeValue::Table(table) = entry.get_ref() else {
        return None;
    };
    let name = table.iter().find(|(key, _)| key.get_ref() == "name");
    name.and_then(|(_, name)| name.get_ref().as_str())
}

/// Puts a value under a key, in the place of the old one.
fn put<'a>(table: &mut DeTable<'a>, key: &'a str, value: Spanned<DeValue<'a>>) {
    let place = value.span().start;
    match table.iter_mut().find(|(known, _)| known.get_ref() == key) {
        Some((_, old)) => *old = value,
        None => drop(table.insert(Spanned::new(place..place, Cow::Borrowed(key)), value)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Scene;
    use super::*;
    use crate::body::Kind;

    const SCENE: &str = "format = 1\nbody = [{ name = \"ground\", shape = { half_space = [0, 0, 1] } }, { name = \"box\", shape = { box = [1, 1, 1] }, mass = 3, position = [0, 0, 1] }]\n";

    fn changed(changes: &[(&str, &str)]) -> Result<Scene, String> {
        let changes: Vec<Change> = changes.iter().map(|(key, value)| Change::new(*key, *value)).collect();
        Scene::parse_changed(SCENE, "a.toml", &changes).map_err(|error| error.to_string())
    }

    #[test]
    fn values_beside_the_file_take_the_place_of_its_own() {
        let changes = [
            ("world.dt", "0.002"),
            ("world.stepper", "stewart-trinkle"),
            ("body.box.mass", "5"),
        ];
        let scene = changed(&changes).unwrap();
        assert_eq!(scene.settings.dt, 0.002);
        assert_eq!(scene.settings.stepper.name(), "stewart-trinkle");
        assert!(matches!(scene.bodies[1].body.kind, Kind::Dynamic { mass: 5.0, .. }));
        let scene = changed(&[("body[1].position", "[0, 0, 2]")]).unwrap();
        assert_eq!(scene.bodies[1].state.pose.position.z, 2.0);
    }

    #[test]
    fn the_only_entry_of_a_list_needs_no_name() {
        let text = "format = 1\nbody = [{ name = \"ball\", shape = { ball = 1 }, mass = 3 }]\n";
        let scene = Scene::parse_changed(text, "a.toml", &[Change::new("body.mass", "5")]).unwrap();
        assert!(matches!(scene.bodies[0].body.kind, Kind::Dynamic { mass: 5.0, .. }));
        let error = changed(&[("body.mass", "5")]).unwrap_err();
        assert!(error.contains("must name an entry of body, found none"), "{error}");
    }

    #[test]
    fn keys_and_values_that_mean_nothing_are_named() {
        for (change, message) in [
            (
                ("body.ball.mass", "5"),
                "a.toml: body.ball.mass: must name an entry of body, found ball",
            ),
            (("body", "5"), "body: must be a list"),
            (
                ("world..dt", "5"),
                "a.toml: world..dt: must be a path of keys, found world..dt",
            ),
            (
                ("world.dt", "= ="),
                "a.toml: world.dt: must be a value in TOML, found = =",
            ),
            (("world.dtt", "1"), "a.toml: world.dtt: unknown key"),
            (("world.dt", "0"), "a.toml: world.dt: must be positive, found 0"),
            (("world.law", "colomb"), "found colomb; did you mean coulomb?"),
            (("body.box.position", "[0, x]"), "must be a value in TOML, found [0, x]"),
            (
                ("body.box.position", "[0, \"x\", 1]"),
                "a.toml: body[1].position[1]: must be a number, found \"x\"",
            ),
            (
                ("format.x", "1"),
                "a.toml: format.x: must lead through tables, found format, which is none",
            ),
        ] {
            let said = changed(&[change]).unwrap_err();
            assert!(said.contains(message), "{said}");
        }
    }
}
