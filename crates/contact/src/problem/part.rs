//! Parts and copies of a problem, in room that is there.

use super::{Block, Columns, Contact, ContactProblem, Joint, Root, Touch};

impl ContactProblem {
    /// Takes over the velocity without contact of the blocks that a part was made of.
    pub(crate) fn copy_velocity(&mut self, whole: &Self, blocks: &[usize]) {
        for (new, old) in blocks.iter().enumerate() {
            let (to, from) = (self.block_range(new), whole.block_range(*old));
            self.v_free[to.clone()].copy_from_slice(&whole.v_free[from.clone()]);
            self.k_x[to].copy_from_slice(&whole.k_x[from]);
            self.blocks[new].at_rest = whole.blocks[*old].at_rest;
        }
    }

    /// A problem of some blocks and the given contacts and joints, in the order given. Keys are kept. A nonconvex group comes
    /// along where all its contacts do.
    #[must_use]
    pub fn part(&self, blocks: &[usize], contacts: &[usize], joints: &[usize]) -> Self {
        let mut part = Self::new();
        part.take_part(self, blocks, contacts, joints, &mut Vec::new());
        part
    }

    /// Becomes [`Self::part`] of a whole, in the room that it has. `place` is written over.
    pub(crate) fn take_part(
        &mut self,
        whole: &Self,
        blocks: &[usize],
        contacts: &[usize],
        joints: &[usize],
        place: &mut Vec<usize>,
    ) {
        self.clear();
        self.forces = whole.forces;
        place.clear();
        place.resize(whole.blocks.len(), usize::MAX);
        for (new, old) in blocks.iter().enumerate() {
            place[*old] = new;
            let Block {
                dim,
                mass,
                root,
                at_rest,
                ..
            } = whole.blocks[*old];
            let range = whole.block_range(*old);
            self.blocks.push(Block {
                dim,
                at: self.v_free.len(),
                mass: self.mass.len(),
                root: match root {
                    Root::Rows(_) => Root::Rows(self.G.len()),
                    Root::Wide(_) => Root::Wide(self.wide.len()),
                },
                at_rest,
            });
            self.mass.extend_from_slice(&whole.mass[mass..mass + dim * dim]);
            match root {
                Root::Rows(at) => self.G.extend_from_slice(&whole.G[at..at + dim * dim]),
                Root::Wide(index) => self.wide.push_like(&whole.wide, index),
            }
            self.v_free.extend_from_slice(&whole.v_free[range.clone()]);
            self.k_x.extend_from_slice(&whole.k_x[range]);
        }
        for contact in contacts {
            let contact = &whole.contacts[*contact];
            let columns = self.copy_columns(whole, &contact.columns, 3, place);
            self.contacts.push(Contact {
                columns,
                ..contact.clone()
            });
        }
        for joint in joints {
            let joint = &whole.joints[*joint];
            let columns = self.copy_columns(whole, &joint.columns, 1, place);
            self.joints.push(Joint {
                columns,
                ..joint.clone()
            });
        }
        self.copy_groups(whole, contacts, place);
    }

    /// Becomes a copy of another problem, in the room that it has.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.blocks.clone_from(&other.blocks);
        self.contacts.clone_from(&other.contacts);
        self.joints.clone_from(&other.joints);
        self.groups.clone_from(&other.groups);
        self.touches.clone_from(&other.touches);
        for (to, from) in [
            (&mut self.mass, &other.mass),
            (&mut self.G, &other.G),
            (&mut self.v_free, &other.v_free),
            (&mut self.k_x, &other.k_x),
            (&mut self.tilde, &other.tilde),
            (&mut self.normalised, &other.normalised),
        ] {
            to.clone_from(from);
        }
        self.wide.clone_from(&other.wide);
        self.forces = other.forces;
        self.stamp = other.stamp;
    }

    fn copy_columns(&mut self, from: &Self, columns: &Columns, count: usize, place: &[usize]) -> Columns {
        let first = self.touches.len();
        for t in &from.touches[columns.touches.clone()] {
            let block = place[t.block];
            self.touches.push(Touch {
                block,
                at: self.blocks[block].at,
                ..*t
            });
        }
        let range = columns.values..columns.values + count * columns.len;
        let values = self.tilde.len();
        self.tilde.extend_from_slice(&from.tilde[range.clone()]);
        self.normalised.extend_from_slice(&from.normalised[range]);
        Columns {
            touches: first..self.touches.len(),
            values,
            len: columns.len,
        }
    }
}
