//! Changes of the contact forces that no body feels: the same motion with other forces.
//!
//! The forces of a moment may be changed along a null vector x of its columns, Gx = 0: each body then feels the same force and torque, so that its motion
//! stays as it is. A contact that sticks has three columns (two in the plane), one that slides a single one, since its friction goes with its normal
//! force; a row of a joint has one. A sum of forces is the only one possible if it is the same for every null vector: if it lies in the row space of G.
//! That is *certain*; *not unique* may err where the only change would make a contact pull or leave its cone.

use stiction_contact::Law;
use stiction_sim::Vec3;

use super::moment::{Does, Moment};

/// Entries below this are rounding, relative to columns of length 1.
const RANK_TOLERANCE: f64 = 1e-9;
/// The same for sums over several columns.
const SUM_TOLERANCE: f64 = 1e-8;

/// What the force of a column may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Limit {
    /// Normal force of a contact that sticks, with this coefficient; its friction is in the columns that follow, as many as `tangents`.
    Cone { mu: f64, tangents: usize },
    /// Friction of the contact before it.
    Friction,
    /// Normal force of a contact whose friction goes with it: not negative.
    Pushes,
    /// Of a joint.
    Between([f64; 2]),
}

/// The force of one unknown: what it does to bodies, and to what it belongs.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) limit: Limit,
    /// Contact, or none of a joint.
    pub(super) contact: Option<usize>,
    /// Normal force per unit of the unknown, and force on the first body of the contact.
    pub(super) normal: f64,
    pub(super) direction: Vec3,
    /// What it is now \[N\].
    pub(super) value: f64,
    /// First row of a body, and force and torque on it.
    parts: Vec<(usize, [f64; 6])>,
}

/// Forces on bodies that hang together by contacts and joints.
#[derive(Debug, Clone, Default)]
pub(super) struct Balance {
    pub(super) columns: Vec<Column>,
    /// Rows: six a body.
    pub(super) rows: usize,
    /// Length by which torques are divided \[m\].
    length: f64,
}

impl Balance {
    /// The columns of some contacts and joints, which must touch no other free body than each other's.
    pub(super) fn new(moment: &Moment, contacts: &[usize], joints: &[usize]) -> Self {
        let mut place = vec![usize::MAX; moment.bodies.len()];
        let mut balance = Self::default();
        let arm = |i: &usize| {
            let c = &moment.contacts[*i];
            let free = c.bodies.into_iter().find(|b| moment.is_free(*b));
            free.map_or(0.0, |b| (c.point - moment.bodies[b].centre).norm())
        };
        let total: f64 = contacts.iter().map(arm).sum();
        let mean = total / contacts.len().max(1) as f64;
        balance.length = if mean > 0.0 { mean } else { 1.0 };
        for i in contacts {
            balance.add_contact(moment, *i, &mut place);
        }
        for row in joints.iter().filter_map(|k| moment.joints.as_ref()?.get(*k)) {
            let parts = row.parts.iter().map(|(body, part)| {
                let mut scaled = *part;
                for torque in &mut scaled[3..] {
                    *torque /= balance.length;
                }
                (first_row(&mut balance.rows, &mut place, *body), scaled)
            });
            let parts = parts.collect();
            balance.columns.push(Column {
                limit: Limit::Between(row.bounds),
                contact: None,
                normal: 0.0,
                direction: Vec3::zeros(),
                value: row.force,
                parts,
            });
        }
        balance
    }

    fn add_contact(&mut self, moment: &Moment, index: usize, place: &mut [usize]) {
        let c = &moment.contacts[index];
        let knows_friction = !matches!(moment.law, Law::Frictionless | Law::Viscous | Law::ViscousExplicit);
        let mu = if moment.law == Law::NoSlip { f64::INFINITY } else { c.mu };
        // What carries nothing and slips could only carry what slides.
        let slips = c.does == Does::Slides || (c.does == Does::Touches && c.slip != Vec3::zeros());
        let sticks = matches!(c.does, Does::Sticks | Does::Touches) && !slips && knows_friction && mu > 0.0;
        let mut add = |balance: &mut Self, limit: Limit, normal: f64, direction: Vec3, value: f64| {
            let mut parts = Vec::new();
            for (body, sign) in c.bodies.into_iter().zip([1.0, -1.0]) {
                if !moment.is_free(body) {
                    continue;
                }
                let force = sign * direction;
                let torque = (c.point - moment.bodies[body].centre).cross(&force) / balance.length;
                let row = first_row(&mut balance.rows, place, body);
                parts.push((row, [force.x, force.y, force.z, torque.x, torque.y, torque.z]));
            }
            let contact = Some(index);
            balance.columns.push(Column {
                limit,
                contact,
                normal,
                direction,
                value,
                parts,
            });
        };
        match c.does {
            Does::Apart => {}
            _ if sticks => {
                let tangents = tangents(moment.planar, c.normal);
                let limit = Limit::Cone {
                    mu,
                    tangents: tangents.len(),
                };
                add(self, limit, 1.0, c.normal, c.force);
                for t in tangents {
                    add(self, Limit::Friction, 0.0, t, c.friction.dot(&t));
                }
            }
            // Friction goes with the normal force where the contact slides; viscous friction is given by the motion.
            _ => {
                let friction = if knows_friction && c.does == Does::Slides && c.force > 0.0 {
                    c.friction / c.force
                } else if knows_friction && slips && mu.is_finite() && c.slip != Vec3::zeros() {
                    -mu * c.slip.normalize()
                } else {
                    Vec3::zeros()
                };
                add(self, Limit::Pushes, 1.0, c.normal + friction, c.force);
            }
        }
    }

    /// Entries of a column: rows with their values.
    pub(super) fn entries(&self, column: usize) -> impl Iterator<Item = (usize, f64)> {
        let parts = self.columns[column].parts.iter();
        parts
            .flat_map(|(row, six)| six.iter().enumerate().map(move |(k, x)| (row + k, *x)))
            .filter(|(_, x)| *x != 0.0)
    }

    /// Multiplications that [`Self::unique`] takes, at the most.
    pub(super) fn work(&self) -> f64 {
        let (rows, columns) = (self.rows as f64, self.columns.len() as f64);
        rows * columns * rows.min(columns)
    }

    /// Whether sums of the unknowns, with a weight for some columns each, are the same whatever the forces are.
    pub(super) fn unique(&self, sums: &[Vec<(usize, f64)>]) -> Vec<bool> {
        let null = self.null_space();
        let is_fixed = |sum: &Vec<(usize, f64)>| {
            null.iter().all(|x| {
                let change: f64 = sum.iter().map(|(column, weight)| weight * x[*column]).sum();
                let size: f64 = sum.iter().map(|(_, weight)| weight.abs()).fold(0.0, f64::max);
                change.abs() <= SUM_TOLERANCE * size
            })
        };
        sums.iter().map(is_fixed).collect()
    }

    /// A basis of the null space, each vector as long as there are columns and of size 1 about: reduced echelon form with complete pivoting.
    fn null_space(&self) -> Vec<Vec<f64>> {
        let (rows, count) = (self.rows, self.columns.len());
        let mut a = vec![0.0; rows * count];
        let mut norms = vec![1.0; count];
        for c in 0..count {
            let column = &mut a[c * rows..(c + 1) * rows];
            for (row, x) in self.entries(c) {
                column[row] += x;
            }
            let norm = column.iter().map(|x| x * x).sum::<f64>().sqrt();
            if norm > 0.0 {
                norms[c] = norm;
                for x in column {
                    *x /= norm;
                }
            }
        }
        let mut pivot_row = vec![usize::MAX; count];
        let mut used = vec![false; rows];
        while let Some((row, column)) = largest(&a, rows, &used, &pivot_row) {
            used[row] = true;
            pivot_row[column] = row;
            eliminate(&mut a, rows, row, column);
        }
        let free = (0..count).filter(|c| pivot_row[*c] == usize::MAX);
        free.map(|k| {
            let mut x = vec![0.0; count];
            x[k] = 1.0 / norms[k];
            for c in (0..count).filter(|c| pivot_row[*c] != usize::MAX) {
                let entry = a[k * rows + pivot_row[c]];
                x[c] = if entry.abs() <= RANK_TOLERANCE {
                    0.0
                } else {
                    -entry / norms[c]
                };
            }
            x
        })
        .collect()
    }
}

/// First row of a body: its place, or a new one.
fn first_row(rows: &mut usize, place: &mut [usize], body: usize) -> usize {
    if place[body] == usize::MAX {
        place[body] = *rows;
        *rows += 6;
    }
    place[body]
}

/// Directions of friction at a contact: two in space, one in the plane of x and y.
pub(super) fn tangents(planar: bool, normal: Vec3) -> Vec<Vec3> {
    if planar {
        return vec![Vec3::new(normal.y, -normal.x, 0.0)];
    }
    stiction_contact::tangents([normal.x, normal.y, normal.z])
        .map(Vec3::from)
        .to_vec()
}

/// The largest entry of the rows and columns without a pivot, if it is not rounding.
fn largest(a: &[f64], rows: usize, used: &[bool], pivot_row: &[usize]) -> Option<(usize, usize)> {
    let (mut most, mut place) = (RANK_TOLERANCE, None);
    for (c, column) in a.chunks_exact(rows.max(1)).enumerate() {
        if pivot_row[c] != usize::MAX {
            continue;
        }
        for (r, x) in column.iter().enumerate() {
            if !used[r] && x.abs() > most {
                most = x.abs();
                place = Some((r, c));
            }
        }
    }
    place
}

/// Gauss–Jordan: column `column` becomes the unit vector of `row`.
fn eliminate(a: &mut [f64], rows: usize, row: usize, column: usize) {
    let pivot = a[column * rows..(column + 1) * rows].to_vec();
    for other in a.chunks_exact_mut(rows) {
        let x = other[row] / pivot[row];
        if x == 0.0 {
            continue;
        }
        for (entry, p) in other.iter_mut().zip(&pivot) {
            *entry -= x * p;
        }
        other[row] = x;
    }
}
