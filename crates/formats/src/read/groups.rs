//! Nonconvex groups of contact files: `"groups": [[[0], [1, 2]], …]`, lists of sides, each a list of contacts; a side of one contact may
//! be its number alone, `[[0, 1], …]`.

use serde_json::value::RawValue;
use stiction_contact::ContactProblem;

use super::json::{self, Entry, Fields, each, wrong};
use crate::bad_input::BadInput;

/// Sides of each group, contacts of each side.
pub type Groups = Vec<Vec<Vec<usize>>>;

/// The groups of a file, none where the field is absent.
pub(super) fn read(fields: &Fields<'_>) -> Result<Groups, BadInput> {
    let mut groups = Groups::new();
    if let Some(raw) = fields.get("groups") {
        each(raw, "groups", &mut |g, raw| {
            let place = format!("groups[{g}]");
            let mut sides = Vec::new();
            each(raw, &place, &mut |s, raw| {
                sides.push(side(raw, &place, s)?);
                Ok(())
            })?;
            groups.push(sides);
            Ok(())
        })?;
    }
    Ok(groups)
}

fn side(raw: &RawValue, group: &str, s: usize) -> Result<Vec<usize>, BadInput> {
    if !raw.get().starts_with('[') {
        let contact = raw.get().parse();
        let requirement = "must be a contact's number or a list of them";
        return contact
            .map(|contact| vec![contact])
            .map_err(|_| wrong(Entry(group, s), requirement, raw));
    }
    let place = format!("{group}[{s}]");
    let mut contacts = Vec::new();
    each(raw, &place, &mut |k, raw| {
        contacts.push(json::index(raw, Entry(&place, k))?);
        Ok(())
    })?;
    Ok(contacts)
}

/// Adds groups to a problem, whose messages name the same places.
pub(super) fn add(groups: &Groups, problem: &mut ContactProblem) -> Result<(), BadInput> {
    for group in groups {
        let sides: Vec<&[usize]> = group.iter().map(Vec::as_slice).collect();
        problem.add_group(&sides)?;
    }
    Ok(())
}

/// The groups of a problem as a file has them.
#[must_use]
pub fn of(problem: &ContactProblem) -> Groups {
    let sides = |g: usize| (0..problem.side_count(g)).map(move |s| problem.side(g, s).to_vec());
    (0..problem.group_count()).map(|g| sides(g).collect()).collect()
}
