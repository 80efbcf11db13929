//! The contact problem: mass blocks, contacts and joints as sparse columns, and the velocity without contact.
//!
//! Find impulses p_i = (θ_i, f_i) with v = v_free + 𝓜⁻¹(Σ C̃_i p_i + Σ j̃_k λ_k) such that at each contact, with
//! u_i = C̃_iᵀ v + b_i = (ν_i, u_t),
//!
//! * 0 ≤ ν_i ⟂ θ_i − c_i ≥ 0 (no pull, no penetration; the least normal impulse c_i is 0 but in a bounce),
//! * |f_i| ≤ μ_i θ_i, and f_i opposes u_t with |f_i| = μ_i θ_i where u_t ≠ 0 (Coulomb),
//!
//! and j̃_kᵀ v + b_k = 0 at each joint row. A row may *yield*: then j̃_kᵀ v + b_k + ε_k λ_k = 0 while |λ_k| is below its limit F_k, and at the
//! limit the row moves against its impulse: λ_k is what −(j̃_kᵀ v + b_k + ε_k λ_k) pushes to, held to −F_k ..= F_k. Mass comes in blocks of any size: 6 for a spatial body, 3 for a planar one, k for a
//! mechanism in its own coordinates. A column touches the blocks it names and no other.
//!
//! Solvers work in mass-normalised coordinates \[Lloyd TR 2\]: with 𝓜 = GGᵀ, C = G⁻¹C̃ and k_x = Gᵀ v_free, so that
//! Gᵀv = k_x + Σ C_i p_i and products of columns are plain dot products. The judge works with the data as they were given.

mod dense;
mod groups;
mod part;
mod read;
mod terms;

use std::fmt::Arguments;
use std::ops::Range;

use crate::error::{InputError, check_finite, check_length};
use crate::mass::{BODY, backward, check_symmetric, cholesky, forward, is_positive, times_upper};
use crate::six::Factors;
use crate::stamp::Stamp;

/// One block that a column touches: where the block lies in a velocity and where its part lies in the column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touch {
    /// Index of the block.
    pub block: usize,
    /// First coordinate of the block in a velocity.
    pub at: usize,
    /// First entry of the block in the column.
    pub start: usize,
    /// Size of the block.
    pub len: usize,
}

/// Mass block: size and place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Block {
    dim: usize,
    /// First coordinate in a velocity.
    at: usize,
    /// First entry of the mass matrix, and where its factor is.
    mass: usize,
    root: Root,
    /// It was at rest before the step.
    at_rest: bool,
}

/// Columns of one contact (three) or of one joint row (one): their touches and where their entries lie.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Columns {
    touches: Range<usize>,
    values: usize,
    len: usize,
}

/// Where the factor of a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    /// Gᵀ, row by row, from this entry of all on.
    Rows(usize),
    /// Among those in blocks of six.
    Wide(usize),
}

impl Root {
    /// x ← G⁻¹x.
    fn forward(self, (G, wide): (&[f64], &Factors), x: &mut [f64]) {
        match self {
            Self::Rows(at) => forward(&G[at..at + x.len() * x.len()], x),
            Self::Wide(index) => {
                wide.forward(index, x);
                for (x, root) in x.iter_mut().zip(wide.inverse_roots(index)) {
                    *x *= root;
                }
            }
        }
    }

    /// x ← G⁻ᵀx.
    fn backward(self, (G, wide): (&[f64], &Factors), x: &mut [f64]) {
        match self {
            Self::Rows(at) => backward(&G[at..at + x.len() * x.len()], x),
            Self::Wide(index) => {
                for (x, root) in x.iter_mut().zip(wide.inverse_roots(index)) {
                    *x *= root;
                }
                wide.backward(index, x);
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Contact {
    columns: Columns,
    mu: f64,
    bias: [f64; 3],
    restitution: f64,
    /// Least normal impulse: what a bounce gives back at the least, beside its compression [N·s].
    least_impulse: f64,
    /// Slip velocity along the tangents before the forces that are sought [m/s].
    slip: [f64; 2],
    /// Viscous friction: impulse (or force) per tangential velocity.
    viscosity: f64,
    key: u64,
    planar: bool,
}

#[derive(Debug, Clone, PartialEq)]
struct Joint {
    columns: Columns,
    bias: f64,
    /// Velocity by which the row gives way to a unit of impulse.
    compliance: f64,
    /// Largest impulse.
    most: f64,
    /// How large the row is, a power of two: its velocities are divided by it where they are compared with others.
    unit: f64,
}

impl Joint {
    /// A row that holds whatever it takes.
    fn firm(columns: Columns, bias: f64) -> Self {
        Self {
            columns,
            bias,
            compliance: 0.0,
            most: f64::INFINITY,
            unit: 1.0,
        }
    }

    fn yields(&self) -> bool {
        self.compliance > 0.0 || self.most.is_finite()
    }
}

/// A contact problem at velocity level: mass blocks, contacts, joints and the velocity without contact.
///
/// ```
/// use stiction_contact::ContactProblem;
/// // A point mass of 2 kg (a block of three coordinates) on a floor, pushed down and sideways.
/// let mut problem = ContactProblem::new();
/// let mass = [2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0];
/// let block = problem.add_block(&mass, &[0.3, 0.0, -1.0])?;
/// problem.add_contact(&[(block, [&[0.0, 0.0, 1.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]])], 0.5)?;
/// assert_eq!((problem.contact_count(), problem.dof()), (1, 3));
/// # Ok::<(), stiction_contact::InputError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContactProblem {
    blocks: Vec<Block>,
    /// Mass matrices, row-major, one after the other.
    mass: Vec<f64>,
    /// Factors Gᵀ of the mass matrices of bodies, row-major, and those of larger blocks, 𝓜 = LDLᵀ = GGᵀ with G = L√D.
    G: Vec<f64>,
    wide: Factors,
    /// Velocity without contact, as given, and mass-normalised: k_x = Gᵀ v_free.
    v_free: Vec<f64>,
    k_x: Vec<f64>,
    contacts: Vec<Contact>,
    joints: Vec<Joint>,
    groups: groups::Groups,
    touches: Vec<Touch>,
    /// Entries of the columns as given (tilde) and mass-normalised.
    tilde: Vec<f64>,
    normalised: Vec<f64>,
    /// Whether impulses are forces of one moment: slips are then those of the answer too.
    forces: bool,
    stamp: Stamp,
}

/// Rows of one contact over one block: normal and two tangents, each as long as the block.
pub type ContactPart<'a> = (usize, [&'a [f64]; 3]);
/// Row of one joint over one block.
pub type JointPart<'a> = (usize, &'a [f64]);

/// The three columns of a contact over the coordinates it touches.
#[derive(Debug, Clone, Copy)]
pub struct ContactColumns<'a> {
    /// Blocks touched.
    pub touches: &'a [Touch],
    /// Normal column, the parts of all touched blocks one after the other.
    pub normal: &'a [f64],
    /// First and second tangent columns.
    pub tangents: [&'a [f64]; 2],
}

impl ContactProblem {
    /// A problem without bodies or contacts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes everything out and keeps the room, so that building a problem of the same size again does not allocate.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.contacts.clear();
        self.joints.clear();
        self.groups.clear();
        self.touches.clear();
        for list in [
            &mut self.mass,
            &mut self.G,
            &mut self.v_free,
            &mut self.k_x,
            &mut self.tilde,
            &mut self.normalised,
        ] {
            list.clear();
        }
        self.wide.clear();
        self.forces = false;
        self.stamp = Stamp::fresh();
    }

    /// Adds a mass block: `mass` is k×k, row-major, symmetric positive definite; `v_free` has k entries, the velocity that the
    /// block would have at the end of the step without contacts and joints. Returns the index of the block.
    ///
    /// # Errors
    /// Sizes that do not match, numbers that are not finite, a matrix that is not symmetric or not positive definite.
    pub fn add_block(&mut self, mass: &[f64], v_free: &[f64]) -> Result<usize, InputError> {
        let index = self.add_block_of(mass, v_free.len(), Some(v_free))?;
        self.normalise_velocity(index);
        Ok(index)
    }

    /// Adds a mass block with its velocity, or with none yet.
    fn add_block_of(&mut self, mass: &[f64], dim: usize, v_free: Option<&[f64]>) -> Result<usize, InputError> {
        let index = self.blocks.len();
        if dim == 0 {
            return Err(InputError::value(
                format!("blocks[{index}]"),
                "must have at least one coordinate",
                0.0,
            ));
        }
        check_length(format_args!("blocks[{index}].mass"), dim * dim, mass.len())?;
        check_finite(format_args!("blocks[{index}].mass"), mass)?;
        check_finite(format_args!("blocks[{index}].v_free"), v_free.unwrap_or_default())?;
        let root = self.add_root(mass, dim, format_args!("blocks[{index}].mass"))?;
        let block = Block {
            dim,
            at: self.v_free.len(),
            mass: self.mass.len(),
            root,
            at_rest: false,
        };
        self.stamp = Stamp::fresh();
        self.blocks.push(block);
        self.mass.extend_from_slice(mass);
        match v_free {
            Some(velocity) => self.v_free.extend_from_slice(velocity),
            None => self.v_free.resize(block.at + dim, 0.0),
        }
        self.k_x.resize(self.v_free.len(), 0.0);
        Ok(index)
    }

    /// Adds a mass block that starts from rest and is pushed: v_free = 𝓜⁻¹f. `mass` as in [`Self::add_block`]; `impulse` f has k entries,
    /// momentum included [N·s].
    ///
    /// # Errors
    /// As [`Self::add_block`].
    pub fn add_pushed_block(&mut self, mass: &[f64], impulse: &[f64]) -> Result<usize, InputError> {
        // What is not finite is said of the velocity.
        let index = self.add_block_of(mass, impulse.len(), None)?;
        let Block { at, mass, root, .. } = self.blocks[index];
        self.v_free[at..].copy_from_slice(impulse);
        let roots = (&self.G[..], &self.wide);
        root.forward(roots, &mut self.v_free[at..]);
        root.backward(roots, &mut self.v_free[at..]);
        if let Err(error) = check_finite(format_args!("blocks[{index}].v_free"), &self.v_free[at..]) {
            self.blocks.pop();
            self.mass.truncate(mass);
            match root {
                Root::Rows(at) => self.G.truncate(at),
                Root::Wide(_) => self.wide.pop(),
            }
            self.v_free.truncate(at);
            self.k_x.truncate(at);
            return Err(error);
        }
        self.normalise_velocity(index);
        Ok(index)
    }

    /// Adds a contact with friction coefficient `mu` (infinity: no slip where the contact pushes). Each part names a block and
    /// gives the rows whose products with the block's velocity are the contact's normal and two tangential velocities. A planar
    /// contact has a second tangent of zeros. Bias and restitution start at 0, the key at the contact's index.
    ///
    /// # Errors
    /// An unknown or repeated block, rows of the wrong length, numbers that are not finite, a normal of zero, `mu` negative or NaN.
    pub fn add_contact(&mut self, parts: &[ContactPart<'_>], mu: f64) -> Result<usize, InputError> {
        let index = self.contacts.len();
        if mu.is_nan() || mu < 0.0 {
            return Err(InputError::value(
                format!("contacts[{index}].mu"),
                "must not be negative or NaN",
                mu,
            ));
        }
        for (block, rows) in parts {
            for (name, row) in ["normal", "tangents[0]", "tangents[1]"].iter().zip(rows) {
                self.check_row(format_args!("contacts[{index}].{name}"), *block, row)?;
            }
        }
        let blocks = parts.iter().map(|(block, _)| *block);
        let columns = self.add_columns(format_args!("contacts[{index}]"), blocks, 3, |part, c| parts[part].1[c])?;
        let normal = &self.tilde[columns.values..columns.values + columns.len];
        if normal.iter().all(|x| *x == 0.0) {
            self.drop_columns(&columns);
            return Err(InputError::value(
                format!("contacts[{index}].normal"),
                "must not be zero",
                0.0,
            ));
        }
        let second = columns.values + 2 * columns.len;
        let planar = self.tilde[second..second + columns.len].iter().all(|x| *x == 0.0);
        self.stamp = Stamp::fresh();
        self.contacts.push(Contact {
            columns,
            mu,
            bias: [0.0; 3],
            restitution: 0.0,
            least_impulse: 0.0,
            slip: [0.0; 2],
            viscosity: 0.0,
            key: index as u64,
            planar,
        });
        Ok(index)
    }

    /// Adds a joint row: the sum of its parts' products with the velocity, plus `bias`, shall be zero. Rows may be redundant.
    ///
    /// # Errors
    /// An unknown or repeated block, rows of the wrong length, numbers that are not finite.
    pub fn add_joint(&mut self, parts: &[JointPart<'_>], bias: f64) -> Result<usize, InputError> {
        let index = self.joints.len();
        if !bias.is_finite() {
            return Err(InputError::value(
                format!("joints[{index}].bias"),
                "must be finite",
                bias,
            ));
        }
        for (block, row) in parts {
            self.check_row(format_args!("joints[{index}].row"), *block, row)?;
        }
        check_zeros(format_args!("joints[{index}].bias"), parts, bias)?;
        let blocks = parts.iter().map(|(block, _)| *block);
        let columns = self.add_columns(format_args!("joints[{index}]"), blocks, 1, |part, _| parts[part].1)?;
        self.stamp = Stamp::fresh();
        self.joints.push(Joint::firm(columns, bias));
        Ok(index)
    }

    /// Replaces the velocity without contact, all blocks one after the other; none of them counts as at rest before the step any more. Does not allocate.
    ///
    /// # Errors
    /// A wrong length, a number that is not finite.
    pub fn set_v_free(&mut self, v_free: &[f64]) -> Result<(), InputError> {
        check_length("v_free", self.v_free.len(), v_free.len())?;
        check_finite("v_free", v_free)?;
        self.v_free.copy_from_slice(v_free);
        for block in 0..self.blocks.len() {
            self.blocks[block].at_rest = false;
            self.normalise_velocity(block);
        }
        Ok(())
    }

    /// Identifies everything but the velocity without contact.
    pub(crate) fn stamp(&self) -> Stamp {
        self.stamp
    }

    fn check_row(&self, field: Arguments<'_>, block: usize, row: &[f64]) -> Result<(), InputError> {
        let Some(b) = self.blocks.get(block) else {
            return Err(InputError::OutOfRange {
                field: format!("{field}.block"),
                limit: self.blocks.len(),
                found: block,
            });
        };
        check_length(field, b.dim, row.len())?;
        check_finite(field, row)
    }

    /// Stores the columns of a contact or joint, as given and mass-normalised.
    fn add_columns<'a>(
        &mut self,
        field: Arguments<'_>,
        blocks: impl Iterator<Item = usize>,
        columns: usize,
        row: impl Fn(usize, usize) -> &'a [f64],
    ) -> Result<Columns, InputError> {
        let (first, mut len) = (self.touches.len(), 0);
        for block in blocks {
            if self.touches[first..].iter().any(|t| t.block == block) {
                self.touches.truncate(first);
                return Err(InputError::SelfContact {
                    field: field.to_string(),
                    found: block,
                });
            }
            let b = self.blocks[block];
            self.touches.push(Touch {
                block,
                at: b.at,
                start: len,
                len: b.dim,
            });
            len += b.dim;
        }
        let touches = first..self.touches.len();
        let values = self.tilde.len();
        for c in 0..columns {
            for part in 0..touches.len() {
                self.tilde.extend_from_slice(row(part, c));
            }
        }
        for c in 0..columns {
            for t in touches.clone() {
                let touch = self.touches[t];
                let start = values + c * len + touch.start;
                let from = self.normalised.len();
                self.normalised.extend_from_slice(&self.tilde[start..start + touch.len]);
                // C = G⁻¹ C̃
                let root = self.blocks[touch.block].root;
                root.forward((&self.G, &self.wide), &mut self.normalised[from..]);
            }
        }
        Ok(Columns { touches, values, len })
    }

    fn drop_columns(&mut self, columns: &Columns) {
        self.tilde.truncate(columns.values);
        self.normalised.truncate(columns.values);
        self.touches.truncate(columns.touches.start);
    }

    /// Adds the factor of a mass.
    fn add_root(&mut self, mass: &[f64], dim: usize, field: Arguments<'_>) -> Result<Root, InputError> {
        check_symmetric(mass, dim, field)?;
        let found = if dim > BODY {
            let factored = self.wide.push(mass, dim, |_| 0.0, is_positive);
            factored.map(|()| Root::Wide(self.wide.len() - 1))
        } else {
            let at = self.G.len();
            cholesky(mass, dim, &mut self.G).map(|()| Root::Rows(at))
        };
        found.map_err(|(k, pivot)| {
            InputError::value(
                field.to_string(),
                format!("must be positive definite: pivot {k}"),
                pivot,
            )
        })
    }

    /// k_x = Gᵀ v_free for one block.
    fn normalise_velocity(&mut self, block: usize) {
        let Block { dim, at, root, .. } = self.blocks[block];
        let (v, k_x) = (&self.v_free[at..at + dim], &mut self.k_x[at..at + dim]);
        match root {
            Root::Rows(first) => times_upper(&self.G[first..first + dim * dim], v, k_x),
            Root::Wide(index) => {
                k_x.copy_from_slice(v);
                self.wide.turn_up(index, k_x);
                for (x, root) in k_x.iter_mut().zip(self.wide.inverse_roots(index)) {
                    *x /= root;
                }
            }
        }
    }
}

/// Length of a vector.
pub(crate) fn length(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Sum of products, in four parts: a processor takes several at once.
#[inline]
fn product(x: &[f64], y: &[f64]) -> f64 {
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<4>(), y.as_chunks::<4>());
    let mut parts = [0.0; 4];
    for (x, y) in x.iter().zip(y) {
        for k in 0..4 {
            parts[k] += x[k] * y[k];
        }
    }
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
    rest + (parts[0] + parts[1]) + (parts[2] + parts[3])
}

/// Product of a sparse column with a velocity.
#[inline]
pub(crate) fn sparse_dot(touches: &[Touch], column: &[f64], v: &[f64]) -> f64 {
    let mut sum = 0.0;
    for t in touches {
        let (c, v) = (&column[t.start..t.start + t.len], &v[t.at..t.at + t.len]);
        // Of a body in space the length is known when this is compiled.
        if let (Ok(c), Ok(v)) = (<&[f64; 6]>::try_from(c), <&[f64; 6]>::try_from(v)) {
            for k in 0..6 {
                sum += c[k] * v[k];
            }
        } else if t.len > 6 {
            sum += product(c, v);
        } else {
            for (c, v) in c.iter().zip(v) {
                sum += c * v;
            }
        }
    }
    sum
}

/// Share of its terms below which the normal velocity of a contact is rounding.
const APART: f64 = 1e-14;

/// Whether a contact comes apart in the free motion, for its normal velocity with bias, the bias, and the terms that the velocity is summed from. Such a contact is
/// no measure of the others: gap/dt may be as large as one likes, its point as far away, and what leaves as fast. One without a gap whose velocity may be
/// rounding rests or slides.
#[inline]
pub(crate) fn is_open(u: f64, bias: f64, terms: impl FnOnce() -> f64) -> bool {
    u > 0.0 && (bias > 0.0 || u > APART * (terms() - bias))
}

/// A joint row of zeros can ask for no velocity.
pub(crate) fn check_zeros(field: Arguments<'_>, parts: &[JointPart<'_>], bias: f64) -> Result<(), InputError> {
    if bias != 0.0 && parts.iter().all(|(_, row)| row.iter().all(|x| *x == 0.0)) {
        return Err(InputError::value(
            field.to_string(),
            "must be 0 for a row of zeros",
            bias,
        ));
    }
    Ok(())
}

/// Σ |c_k v_k|: the terms of [`sparse_dot`].
pub(crate) fn sparse_terms(touches: &[Touch], column: &[f64], v: &[f64]) -> f64 {
    let parts = touches.iter().flat_map(|t| (0..t.len).map(|k| (t.start + k, t.at + k)));
    parts.map(|(k, at)| (column[k] * v[at]).abs()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalised_products_equal_those_of_the_data() {
        let mut problem = ContactProblem::new();
        let mass = [2.0, 0.5, 0.5, 1.0];
        let block = problem.add_block(&mass, &[0.3, -0.7]).unwrap();
        let contact = problem
            .add_contact(&[(block, [&[1.0, 2.0], &[0.5, -1.0], &[0.0, 0.0]])], 0.5)
            .unwrap();
        assert!(problem.is_planar(contact));
        let u = problem.along(contact, problem.k_x());
        assert!((u[0] - (0.3 - 1.4)).abs() < 1e-15 && (u[1] - (0.15 + 0.7)).abs() < 1e-15);
        let mut v = problem.k_x().to_vec();
        problem.push(contact, [1.0, 0.0, 0.0], &mut v);
        let mut velocity = vec![0.0; 2];
        problem.denormalise(&v, &mut velocity);
        // 𝓜⁻¹(1, 2) = (0, 2) for this mass.
        assert!(
            (velocity[0] - 0.3).abs() < 1e-15 && (velocity[1] - 1.3).abs() < 1e-15,
            "{velocity:?}"
        );
    }

    #[test]
    fn bad_data_are_named() {
        let mut problem = ContactProblem::new();
        let says = |e: InputError| e.to_string();
        assert_eq!(
            says(problem.add_block(&[-1.0], &[0.0]).unwrap_err()),
            "blocks[0].mass: must be positive definite: pivot 0, found -1"
        );
        assert_eq!(
            says(problem.add_block(&[1.0, 0.0], &[0.0]).unwrap_err()),
            "blocks[0].mass: must have 1 entries, found 2"
        );
        problem.add_block(&[1.0], &[0.0]).unwrap();
        let rows: [&[f64]; 3] = [&[1.0], &[0.0], &[0.0]];
        assert_eq!(
            says(problem.add_contact(&[(0, rows)], -0.5).unwrap_err()),
            "contacts[0].mu: must not be negative or NaN, found -0.5"
        );
        assert_eq!(
            says(problem.add_contact(&[(1, rows)], 0.5).unwrap_err()),
            "contacts[0].normal.block: must be below 1, found 1"
        );
        assert_eq!(
            says(problem.add_contact(&[(0, rows), (0, rows)], 0.5).unwrap_err()),
            "contacts[0]: must touch two different bodies, found body 0 twice"
        );
        let zero: [&[f64]; 3] = [&[0.0], &[0.0], &[0.0]];
        assert_eq!(
            says(problem.add_contact(&[(0, zero)], 0.5).unwrap_err()),
            "contacts[0].normal: must not be zero, found 0"
        );
        let nan: [&[f64]; 3] = [&[f64::NAN], &[0.0], &[0.0]];
        assert_eq!(
            says(problem.add_contact(&[(0, nan)], 0.5).unwrap_err()),
            "contacts[0].normal[0]: must be finite, found NaN"
        );
        assert_eq!(problem.contact_count(), 0);
    }
}
