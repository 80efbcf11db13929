//! Nonconvex groups \[Egan III, VI\]: of the *sides* of a group at least one must hold, and a side holds where all its contacts do.
//!
//! With a_i = ν_i the normal velocity of a contact, bias included, a side has the value a_S = min over its contacts and a group
//! the value max over its sides \[Egan (29)\]; the law is
//!
//! * the value of each group is ≥ 0, and θ_i ≥ 0;
//! * θ_i > 0 only where a_i = 0, no contact of the same side is negative, and the group's value is 0: no side is open.
//!
//! The paper's sides have one contact each; several make a face of more than one point.

use super::ContactProblem;
use crate::error::InputError;
use crate::stamp::Stamp;

/// A contact that is in no side.
const NONE: usize = usize::MAX;

/// The groups of a problem: lists of lists, one after the other.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Groups {
    /// Where the sides of each group end.
    group_end: Vec<usize>,
    /// Where the contacts of each side end.
    side_end: Vec<usize>,
    contacts: Vec<usize>,
    /// Side of each contact, all groups' sides numbered through; contacts beyond its end are in none.
    side_of: Vec<usize>,
}

impl Groups {
    pub(super) fn clear(&mut self) {
        self.group_end.clear();
        self.side_end.clear();
        self.contacts.clear();
        self.side_of.clear();
    }

    fn push_contact(&mut self, contact: usize) {
        if self.side_of.len() <= contact {
            self.side_of.resize(contact + 1, NONE);
        }
        self.side_of[contact] = self.side_end.len();
        self.contacts.push(contact);
    }
}

/// First and last place of item `i` in lists that end at `ends`.
fn range(ends: &[usize], i: usize) -> std::ops::Range<usize> {
    let start = if i == 0 { 0 } else { ends[i - 1] };
    start..ends[i]
}

impl ContactProblem {
    /// Adds a nonconvex group: a list of sides, each a list of contacts that were added before. At least one side must hold; a side
    /// holds where none of its contacts penetrates, and its contacts push only while no other side of the group is open. A contact is in one side
    /// alone; contacts in none must hold by themselves. Returns the index of the group.
    ///
    /// ```
    /// use stiction_contact::ContactProblem;
    /// // A point mass near the corner of a wall and a floor that stand out: it may pass either.
    /// let mut problem = ContactProblem::new();
    /// problem.add_block(&[1.0, 0.0, 0.0, 1.0], &[-2.0, -1.0])?;
    /// let wall = problem.add_contact(&[(0, [&[1.0, 0.0], &[0.0, 1.0], &[0.0, 0.0]])], 0.0)?;
    /// let floor = problem.add_contact(&[(0, [&[0.0, 1.0], &[1.0, 0.0], &[0.0, 0.0]])], 0.0)?;
    /// problem.add_group(&[&[wall], &[floor]])?;
    /// assert_eq!((problem.group_count(), problem.side_count(0), problem.side(0, 1)), (1, 2, &[floor][..]));
    /// assert_eq!(problem.side_of(floor), Some((0, 1)));
    /// # Ok::<(), stiction_contact::InputError>(())
    /// ```
    ///
    /// # Errors
    /// A group without sides, a side without contacts, an unknown contact, one that is in a side already. The problem is then as before.
    pub fn add_group(&mut self, sides: &[&[usize]]) -> Result<usize, InputError> {
        let group = self.group_count();
        self.check_group(group, sides)?;
        for side in sides {
            for contact in *side {
                self.groups.push_contact(*contact);
            }
            self.groups.side_end.push(self.groups.contacts.len());
        }
        self.groups.group_end.push(self.groups.side_end.len());
        self.stamp = Stamp::fresh();
        Ok(group)
    }

    fn check_group(&self, group: usize, sides: &[&[usize]]) -> Result<(), InputError> {
        if sides.is_empty() {
            let field = format!("groups[{group}]");
            return Err(InputError::value(field, "must have at least one side", 0.0));
        }
        for (s, side) in sides.iter().enumerate() {
            if side.is_empty() {
                let field = format!("groups[{group}][{s}]");
                return Err(InputError::value(field, "must name at least one contact", 0.0));
            }
            for (k, contact) in side.iter().enumerate() {
                let field = || format!("groups[{group}][{s}][{k}]");
                if *contact >= self.contact_count() {
                    return Err(InputError::OutOfRange {
                        field: field(),
                        limit: self.contact_count(),
                        found: *contact,
                    });
                }
                let earlier = sides[..s].iter().any(|other| other.contains(contact)) || side[..k].contains(contact);
                if earlier || self.is_grouped(*contact) {
                    let requirement = "must name a contact that is in no other side";
                    return Err(InputError::value(field(), requirement, *contact as f64));
                }
            }
        }
        Ok(())
    }

    /// Number of nonconvex groups.
    #[must_use]
    pub fn group_count(&self) -> usize {
        self.groups.group_end.len()
    }

    /// Number of sides of a group.
    #[must_use]
    pub fn side_count(&self, group: usize) -> usize {
        range(&self.groups.group_end, group).len()
    }

    /// Contacts of a side of a group.
    #[must_use]
    pub fn side(&self, group: usize, side: usize) -> &[usize] {
        let first = range(&self.groups.group_end, group).start;
        &self.groups.contacts[range(&self.groups.side_end, first + side)]
    }

    /// Group and side that a contact is in, if any.
    #[must_use]
    pub fn side_of(&self, contact: usize) -> Option<(usize, usize)> {
        let side = *self.groups.side_of.get(contact).filter(|side| **side != NONE)?;
        let ends = &self.groups.group_end;
        let group = ends.partition_point(|end| *end <= side);
        Some((group, side - range(ends, group).start))
    }

    /// Whether a contact is in a side of a group.
    #[inline]
    pub(crate) fn is_grouped(&self, contact: usize) -> bool {
        self.groups.side_of.get(contact).is_some_and(|side| *side != NONE)
    }

    /// Contacts of all sides of a group.
    pub(crate) fn contacts_of_group(&self, group: usize) -> &[usize] {
        let sides = range(&self.groups.group_end, group);
        let ends = &self.groups.side_end;
        &self.groups.contacts[range(ends, sides.start).start..ends[sides.end - 1]]
    }

    /// Takes over the groups of a whole all of whose contacts are in the part; `contacts` are the part's, in its order. `place` is
    /// written over.
    pub(super) fn copy_groups(&mut self, whole: &Self, contacts: &[usize], place: &mut Vec<usize>) {
        if whole.group_count() == 0 {
            return;
        }
        place.clear();
        place.resize(whole.contact_count(), NONE);
        for (new, old) in contacts.iter().enumerate() {
            place[*old] = new;
        }
        for group in 0..whole.group_count() {
            if whole.contacts_of_group(group).iter().any(|i| place[*i] == NONE) {
                continue;
            }
            for side in 0..whole.side_count(group) {
                for contact in whole.side(group, side) {
                    self.groups.push_contact(place[*contact]);
                }
                self.groups.side_end.push(self.groups.contacts.len());
            }
            self.groups.group_end.push(self.groups.side_end.len());
        }
    }

    /// The problem of some contacts alone, convex and without restitution: one node of a search over sides.
    pub(crate) fn without_groups(&self, contacts: &[usize]) -> Self {
        let blocks: Vec<usize> = (0..self.block_count()).collect();
        let joints: Vec<usize> = (0..self.joint_count()).collect();
        let mut part = self.part(&blocks, contacts, &joints);
        part.groups.clear();
        for contact in &mut part.contacts {
            contact.restitution = 0.0;
        }
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn five() -> ContactProblem {
        let mut problem = ContactProblem::new();
        problem.add_block(&[1.0], &[0.0]).unwrap();
        for _ in 0..5 {
            problem.add_contact(&[(0, [&[1.0], &[0.0], &[0.0]])], 0.0).unwrap();
        }
        problem
    }

    #[test]
    fn sides_are_found_again_in_a_problem_and_in_its_parts() {
        let mut problem = five();
        problem.add_group(&[&[4], &[0, 2]]).unwrap();
        problem.add_group(&[&[3]]).unwrap();
        assert_eq!((problem.group_count(), problem.side_count(0)), (2, 2));
        assert_eq!((problem.side(0, 1), problem.side(1, 0)), (&[0, 2][..], &[3][..]));
        let of = [0, 1, 2, 3, 4].map(|i| problem.side_of(i));
        assert_eq!(of, [Some((0, 1)), None, Some((0, 1)), Some((1, 0)), Some((0, 0))]);
        // A group comes along where all its contacts do.
        let part = problem.part(&[0], &[0, 1, 2, 4], &[]);
        assert_eq!(
            (part.group_count(), part.side(0, 0), part.side(0, 1)),
            (1, &[3][..], &[0, 2][..])
        );
        assert_eq!(problem.without_groups(&[0, 1]).group_count(), 0);
        problem.clear();
        assert_eq!(problem.group_count(), 0);
    }

    #[test]
    fn bad_groups_are_named_and_change_nothing() {
        let mut problem = five();
        problem.add_group(&[&[1], &[2]]).unwrap();
        let before = problem.clone();
        for (sides, message) in [
            (&[][..], "groups[1]: must have at least one side, found 0"),
            (
                &[&[0][..], &[]],
                "groups[1][1]: must name at least one contact, found 0",
            ),
            (&[&[0, 5]], "groups[1][0][1]: must be below 5, found 5"),
            (
                &[&[0], &[3, 2]],
                "groups[1][1][1]: must name a contact that is in no other side, found 2",
            ),
            (
                &[&[0], &[0]],
                "groups[1][1][0]: must name a contact that is in no other side, found 0",
            ),
        ] {
            assert_eq!(problem.add_group(sides).unwrap_err().to_string(), message);
        }
        assert_eq!(problem, before);
    }
}
