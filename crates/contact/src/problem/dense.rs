//! Problems of one block with unit mass and full columns: what transformations lead to. Refilled without allocating.

use super::{Block, Columns, Contact, ContactProblem, Joint, Root, Touch};
use crate::stamp::Stamp;

impl ContactProblem {
    /// Empties the problem for one block of `dim` coordinates and unit mass, at rest.
    pub(crate) fn set_dense(&mut self, dim: usize) {
        self.forces = false;
        self.contacts.clear();
        self.joints.clear();
        self.groups.clear();
        self.touches.clear();
        self.tilde.clear();
        self.normalised.clear();
        self.blocks.clear();
        self.blocks.push(Block {
            dim,
            at: 0,
            mass: 0,
            root: Root::Rows(0),
            at_rest: false,
        });
        // The same for mass and factor, and all columns share it.
        for matrix in [&mut self.mass, &mut self.G] {
            matrix.clear();
            matrix.resize(dim * dim, 0.0);
            for k in 0..dim {
                matrix[k * dim + k] = 1.0;
            }
        }
        self.v_free.clear();
        self.v_free.resize(dim, 0.0);
        self.k_x.clear();
        self.k_x.resize(dim, 0.0);
        let touch = Touch {
            block: 0,
            at: 0,
            start: 0,
            len: dim,
        };
        self.touches.push(touch);
        self.stamp = Stamp::fresh();
    }

    /// Adds a block of unit mass, at rest, to a problem of such blocks.
    pub(crate) fn push_unit_block(&mut self, dim: usize) {
        let (at, mass) = (self.v_free.len(), self.mass.len());
        self.blocks.push(Block {
            dim,
            at,
            mass,
            root: Root::Rows(self.G.len()),
            at_rest: false,
        });
        for matrix in [&mut self.mass, &mut self.G] {
            let first = matrix.len();
            matrix.resize(first + dim * dim, 0.0);
            for k in 0..dim {
                matrix[first + k * dim + k] = 1.0;
            }
        }
        self.v_free.resize(at + dim, 0.0);
        self.k_x.resize(at + dim, 0.0);
    }

    /// Adds a contact of another problem to one of such blocks, in other coordinates: three columns one after the other, over the given
    /// blocks. It has no restitution.
    pub(crate) fn push_contact_like(
        &mut self,
        like: (&Self, usize),
        blocks: &[usize],
        bias: [f64; 3],
        columns: &[f64],
    ) {
        let columns = self.push_columns(blocks, columns);
        self.forces = like.0.forces;
        self.contacts.push(Contact {
            columns,
            bias,
            restitution: 0.0,
            least_impulse: 0.0,
            ..like.0.contacts[like.1].clone()
        });
    }

    /// The same for a joint row.
    pub(crate) fn push_row_like(&mut self, like: (&Self, usize), blocks: &[usize], bias: f64, column: &[f64]) {
        let columns = self.push_columns(blocks, column);
        self.joints.push(Joint {
            columns,
            bias,
            ..like.0.joints[like.1].clone()
        });
    }

    /// Adds columns over whole blocks, one after the other.
    fn push_columns(&mut self, blocks: &[usize], columns: &[f64]) -> Columns {
        let (first, mut len) = (self.touches.len(), 0);
        for block in blocks {
            let Block { dim, at, .. } = self.blocks[*block];
            self.touches.push(Touch {
                block: *block,
                at,
                start: len,
                len: dim,
            });
            len += dim;
        }
        let values = self.tilde.len();
        self.tilde.extend_from_slice(columns);
        self.normalised.extend_from_slice(columns);
        Columns {
            touches: first..self.touches.len(),
            values,
            len,
        }
    }

    /// Adds a contact without tangents whose normal is written by `fill` onto zeros.
    pub(crate) fn push_dense(&mut self, bias: f64, key: u64, fill: impl FnOnce(&mut [f64])) {
        let columns = self.push_column(3, fill);
        self.contacts.push(Contact {
            columns,
            mu: 0.0,
            bias: [bias, 0.0, 0.0],
            restitution: 0.0,
            least_impulse: 0.0,
            slip: [0.0; 2],
            viscosity: 0.0,
            key,
            planar: true,
        });
    }

    /// Adds a joint row likewise, with the bias of a row of another problem, and as yielding.
    pub(crate) fn push_dense_joint(&mut self, like: (&Self, usize), fill: impl FnOnce(&mut [f64])) {
        let columns = self.push_column(1, fill);
        self.joints.push(Joint {
            columns,
            ..like.0.joints[like.1].clone()
        });
    }

    /// Room for some columns, of which the first is filled.
    fn push_column(&mut self, count: usize, fill: impl FnOnce(&mut [f64])) -> Columns {
        let (len, values) = (self.v_free.len(), self.tilde.len());
        self.tilde.resize(values + count * len, 0.0);
        fill(&mut self.tilde[values..values + len]);
        self.normalised.extend_from_slice(&self.tilde[values..]);
        Columns {
            touches: 0..1,
            values,
            len,
        }
    }

    /// Replaces all normal biases; the columns stay.
    pub(crate) fn set_normal_biases(&mut self, bias: impl Fn(usize) -> f64) {
        for (i, contact) in self.contacts.iter_mut().enumerate() {
            contact.bias[0] = bias(i);
        }
        self.stamp = Stamp::fresh();
    }

    /// Replaces the velocity of a problem with unit mass, written by `fill`.
    pub(crate) fn set_dense_velocity(&mut self, fill: impl FnOnce(&mut [f64])) {
        fill(&mut self.v_free);
        self.k_x.copy_from_slice(&self.v_free);
    }

    /// Replaces the velocity without contact by one in normalised coordinates. Does not allocate.
    pub(crate) fn set_normalised_velocity(&mut self, k: &[f64]) {
        self.k_x.copy_from_slice(k);
        self.v_free.copy_from_slice(k);
        for block in 0..self.blocks.len() {
            let Block { dim, at, root, .. } = self.blocks[block];
            root.backward((&self.G, &self.wide), &mut self.v_free[at..at + dim]);
        }
    }

    /// The same problem with one coefficient of friction.
    pub(crate) fn with_friction(&self, mu: f64) -> Self {
        let mut problem = self.clone();
        for contact in &mut problem.contacts {
            contact.mu = mu;
        }
        problem.stamp = Stamp::fresh();
        problem
    }

    /// The same problem with the tangents of each contact turned: the first becomes c t_x + s t_y for (c, s) of length 1. Planar contacts stay.
    pub(crate) fn with_turned_tangents(&self, turns: &[[f64; 2]]) -> Self {
        let mut problem = self.clone();
        for (contact, [c, s]) in problem.contacts.iter_mut().zip(turns) {
            if contact.planar {
                continue;
            }
            let turn = |x: f64, y: f64| [c * x + s * y, c * y - s * x];
            let Columns { values, len, .. } = contact.columns;
            for list in [&mut problem.tilde, &mut problem.normalised] {
                for k in values + len..values + 2 * len {
                    [list[k], list[k + len]] = turn(list[k], list[k + len]);
                }
            }
            [contact.bias[1], contact.bias[2]] = turn(contact.bias[1], contact.bias[2]);
            contact.slip = turn(contact.slip[0], contact.slip[1]);
        }
        problem.stamp = Stamp::fresh();
        problem
    }
}
