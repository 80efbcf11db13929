//! What a problem holds, and products with its columns.

use std::ops::Range;

use super::{Columns, ContactColumns, ContactProblem, Touch, is_open, sparse_dot, sparse_terms};

impl ContactProblem {
    /// Number of mass blocks.
    #[must_use]
    pub fn block_count(&self) -> usize {
        self.blocks.len()
    }

    /// Number of contacts n.
    #[must_use]
    pub fn contact_count(&self) -> usize {
        self.contacts.len()
    }

    /// Number of joint rows.
    #[must_use]
    pub fn joint_count(&self) -> usize {
        self.joints.len()
    }

    /// Number of velocity coordinates of all blocks.
    #[must_use]
    pub fn dof(&self) -> usize {
        self.v_free.len()
    }

    /// Coordinates of a block within a velocity.
    #[must_use]
    pub fn block_range(&self, block: usize) -> Range<usize> {
        let b = self.blocks[block];
        b.at..b.at + b.dim
    }

    /// Mass matrix of a block, row-major.
    #[must_use]
    pub fn mass(&self, block: usize) -> &[f64] {
        let b = self.blocks[block];
        &self.mass[b.mass..b.mass + b.dim * b.dim]
    }

    /// Velocity without contact, as given.
    #[must_use]
    pub fn v_free(&self) -> &[f64] {
        &self.v_free
    }

    /// Velocity without contact, mass-normalised: k_x = Gᵀ v_free.
    #[must_use]
    pub fn k_x(&self) -> &[f64] {
        &self.k_x
    }

    /// Columns of a contact as given.
    #[must_use]
    pub fn columns_tilde(&self, contact: usize) -> ContactColumns<'_> {
        self.contact_columns(contact, &self.tilde)
    }

    /// Columns of a contact, mass-normalised.
    #[inline]
    #[must_use]
    pub fn columns(&self, contact: usize) -> ContactColumns<'_> {
        self.contact_columns(contact, &self.normalised)
    }

    #[inline]
    fn contact_columns<'a>(&'a self, contact: usize, entries: &'a [f64]) -> ContactColumns<'a> {
        let Columns { touches, values, len } = &self.contacts[contact].columns;
        let (normal, tangents) = entries[*values..*values + 3 * *len].split_at(*len);
        let (first, second) = tangents.split_at(*len);
        ContactColumns {
            touches: &self.touches[touches.clone()],
            normal,
            tangents: [first, second],
        }
    }

    /// Touches and column of a joint row as given.
    #[must_use]
    pub fn joint_tilde(&self, joint: usize) -> (&[Touch], &[f64]) {
        self.joint_column(joint, &self.tilde)
    }

    /// Touches and column of a joint row, mass-normalised.
    #[must_use]
    pub fn joint(&self, joint: usize) -> (&[Touch], &[f64]) {
        self.joint_column(joint, &self.normalised)
    }

    fn joint_column<'a>(&'a self, joint: usize, entries: &'a [f64]) -> (&'a [Touch], &'a [f64]) {
        let Columns { touches, values, len } = &self.joints[joint].columns;
        (&self.touches[touches.clone()], &entries[*values..*values + *len])
    }

    /// Products of a contact's normalised columns with a normalised velocity: Cᵀv, without the bias.
    #[inline]
    #[must_use]
    pub fn along(&self, contact: usize, v: &[f64]) -> [f64; 3] {
        let c = self.columns(contact);
        [
            sparse_dot(c.touches, c.normal, v),
            sparse_dot(c.touches, c.tangents[0], v),
            sparse_dot(c.touches, c.tangents[1], v),
        ]
    }

    /// Whether a contact comes apart at the normal velocity that it has without impulses ([`is_open`]).
    #[inline]
    pub(crate) fn comes_apart(&self, contact: usize, u: f64) -> bool {
        is_open(u, self.bias(contact)[0], || {
            let c = self.columns(contact);
            sparse_terms(c.touches, c.normal, self.k_x())
        })
    }

    /// Fastest velocity of a contact without impulses; of those that come apart only where no other moves.
    pub(crate) fn fastest_contact(&self) -> f64 {
        let (mut fastest, mut open) = (0.0_f64, 0.0_f64);
        for i in 0..self.contact_count() {
            let (along, b) = (self.along(i, self.k_x()), self.bias(i));
            let u = [0, 1, 2].map(|k| along[k] + b[k]);
            let slip = u[1].abs().max(u[2].abs());
            if self.comes_apart(i, u[0]) {
                open = open.max(along[0].abs().min(u[0])).max(slip);
            } else {
                fastest = fastest.max(u[0].abs()).max(slip);
            }
        }
        if fastest > 0.0 { fastest } else { open }
    }

    /// v += C p in normalised coordinates.
    #[inline]
    pub fn push(&self, contact: usize, p: [f64; 3], v: &mut [f64]) {
        let c = self.columns(contact);
        for t in c.touches {
            let v = &mut v[t.at..t.at + t.len];
            let part = t.start..t.start + t.len;
            let (n, tx, ty) = (
                &c.normal[part.clone()],
                &c.tangents[0][part.clone()],
                &c.tangents[1][part],
            );
            for k in 0..t.len {
                v[k] += p[0] * n[k] + p[1] * tx[k] + p[2] * ty[k];
            }
        }
    }

    /// Product of a joint's normalised column with a normalised velocity, without the bias.
    #[must_use]
    pub fn along_joint(&self, joint: usize, v: &[f64]) -> f64 {
        let (touches, column) = self.joint(joint);
        sparse_dot(touches, column, v)
    }

    /// v += j x in normalised coordinates.
    pub fn push_joint(&self, joint: usize, x: f64, v: &mut [f64]) {
        let (touches, column) = self.joint(joint);
        for t in touches {
            for k in 0..t.len {
                v[t.at + k] += x * column[t.start + k];
            }
        }
    }

    /// Turns a normalised velocity into velocities as given: v = G⁻ᵀ v_normalised.
    pub fn denormalise(&self, normalised: &[f64], velocity: &mut [f64]) {
        velocity.copy_from_slice(normalised);
        for b in &self.blocks {
            b.root
                .backward((&self.G, &self.wide), &mut velocity[b.at..b.at + b.dim]);
        }
    }
}
