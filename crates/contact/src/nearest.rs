//! The nearest of some names, for messages about a name that is not there.

/// The name with the fewest letters to change, add or leave out, if these are few; the first of several.
#[must_use]
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    let mut best: Option<(usize, &str)> = None;
    for name in names {
        let lower = name.to_lowercase();
        // A part of a name is near to it, however long the rest, unless it is a letter or two.
        let is_part = wanted.len().min(lower.len()) >= 3 && (lower.contains(&wanted) || wanted.contains(&lower));
        let far = if is_part { 1 } else { distance(&wanted, &lower) };
        if best.is_none_or(|(least, _)| far < least) {
            best = Some((far, name));
        }
    }
    best.filter(|(far, name)| 3 * far <= name.chars().count().max(wanted.chars().count()))
        .map(|(_, name)| name)
}

/// `; did you mean NAME?` where a name is near, else nothing.
#[must_use]
pub fn did_you_mean<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    nearest(wanted, names).map_or_else(String::new, |name| format!("; did you mean {name}?"))
}

/// Letters to change, add or leave out (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_differ_are_counted() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "abc"), 0);
    }

    #[test]
    fn the_nearest_name_is_found_and_far_ones_are_not() {
        let names = ["ramp-hold", "ramp-slide", "tower-tilt"];
        assert_eq!(nearest("ramp_slid", names), Some("ramp-slide"));
        assert_eq!(nearest("Tower", names), Some("tower-tilt"));
        assert_eq!(nearest("xyzzy", names), None);
        assert_eq!(nearest("a", []), None);
    }
}
