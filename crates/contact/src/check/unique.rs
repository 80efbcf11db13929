//! Which impulses are the only ones possible for the motion found.
//!
//! Impulses can be changed along vectors x of the null space of the active columns: Ax = 0 leaves the motion as it is. Active are all
//! contacts that touch (ν = 0), loaded or not: a load can move to one that carries none. One that sticks has the columns
//! (n, t_x, t_y); one that slides keeps its friction in proportion and has the one column n − μ T u_t/|u_t|, a dynamic one n + T drag, one
//! without dry friction n; a joint row has its own.
//! The impulse of a contact is unique if every null vector is zero there: read off the reduced echelon form of A with complete pivoting,
//! O(dof · columns · rank). *Unique* is certain; *not unique* may err where the only change would make an unloaded contact pull.

use crate::problem::{ContactProblem, Touch};
use crate::solution::Law;

/// Entries below this count as zero, relative to columns of length 1.
const RANK_TOLERANCE: f64 = 1e-9;
/// Contact velocities below this fraction of the fastest count as zero: of the free ones and of those that the impulses give.
const AT_REST: f64 = 1e-8;

/// For each contact, whether its impulse is the only one possible for the motion. Contacts that move apart are.
///
/// `normal` and `contact_velocity` have one entry a contact, as in [`crate::ContactSolution`].
#[must_use]
pub fn unique(problem: &ContactProblem, law: Law, normal: &[f64], contact_velocity: &[[f64; 3]]) -> Vec<bool> {
    let given = (0..problem.contact_count()).map(|i| {
        let n = problem.columns(i).normal;
        normal[i].abs() * n.iter().map(|x| x * x).sum::<f64>()
    });
    let at_rest = AT_REST * given.fold(problem.fastest_contact(), f64::max);
    let mut active = Active::new(problem.dof());
    for i in 0..problem.contact_count() {
        let [nu, ux, uy] = contact_velocity[i];
        // A contact of a nonconvex group may lie behind its plane where another side holds.
        let apart = nu > at_rest || (problem.is_grouped(i) && nu < -at_rest);
        if normal[i] <= 0.0 && apart {
            continue;
        }
        let c = problem.columns(i);
        if let Some(r) = bound_friction(problem, law, (i, [ux, uy]), at_rest) {
            let entries = c.normal.iter().zip(c.tangents[0]).zip(c.tangents[1]);
            active.add(
                Some(i),
                c.touches,
                entries.map(|((n, tx), ty)| n + r[0] * tx + r[1] * ty),
            );
        } else {
            active.add(Some(i), c.touches, c.normal.iter().copied());
            active.add(Some(i), c.touches, c.tangents[0].iter().copied());
            if !problem.is_planar(i) {
                active.add(Some(i), c.touches, c.tangents[1].iter().copied());
            }
        }
    }
    for k in 0..problem.joint_count() {
        let (touches, column) = problem.joint(k);
        active.add(None, touches, column.iter().copied());
    }
    let mut unique = vec![true; problem.contact_count()];
    for (owner, fixed) in active.owner.clone().iter().zip(active.fixed()) {
        if let Some(i) = owner {
            unique[*i] &= fixed;
        }
    }
    unique
}

/// Friction per normal impulse where the law and the motion leave no other; `None` where friction is free within its limit.
fn bound_friction(
    problem: &ContactProblem,
    law: Law,
    (contact, u_t): (usize, [f64; 2]),
    at_rest: f64,
) -> Option<[f64; 2]> {
    let (mu, slip) = (problem.mu(contact), libm::hypot(u_t[0], u_t[1]));
    match law {
        // Viscous friction is given by the motion, whatever the normal impulse.
        Law::Frictionless | Law::Viscous | Law::ViscousExplicit => Some([0.0; 2]),
        Law::NoSlip => None,
        _ if mu == 0.0 => Some([0.0; 2]),
        Law::CoulombAccelerationAsPublished => problem.drag(contact),
        _ if law.is_acceleration() && problem.drag(contact).is_some() => problem.drag(contact),
        _ => (slip > at_rest).then(|| [-mu * u_t[0] / slip, -mu * u_t[1] / slip]),
    }
}

/// The active columns, one after the other, each scaled to length 1.
struct Active {
    dof: usize,
    columns: Vec<f64>,
    owner: Vec<Option<usize>>,
}

impl Active {
    fn new(dof: usize) -> Self {
        Self {
            dof,
            columns: Vec::new(),
            owner: Vec::new(),
        }
    }

    fn add(&mut self, owner: Option<usize>, touches: &[Touch], entries: impl Iterator<Item = f64>) {
        let at = self.columns.len();
        self.columns.resize(at + self.dof, 0.0);
        let places = touches.iter().flat_map(|t| t.at..t.at + t.len);
        for (place, x) in places.zip(entries) {
            self.columns[at + place] = x;
        }
        let column = &mut self.columns[at..];
        let norm = column.iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm > 0.0 {
            for x in column {
                *x /= norm;
            }
        }
        self.owner.push(owner);
    }

    /// For each column, whether every null vector of the matrix is zero there: a pivot column whose row of the reduced echelon form
    /// has no entry in the columns without a pivot.
    fn fixed(mut self) -> Vec<bool> {
        let (dof, count) = (self.dof, self.owner.len());
        let mut pivot_row = vec![usize::MAX; count];
        let mut used = vec![false; dof];
        while let Some((row, column)) = self.largest(&used, &pivot_row) {
            used[row] = true;
            pivot_row[column] = row;
            self.eliminate(row, column);
        }
        let free: Vec<usize> = (0..count).filter(|c| pivot_row[*c] == usize::MAX).collect();
        (0..count)
            .map(|c| {
                pivot_row[c] != usize::MAX
                    && free
                        .iter()
                        .all(|k| self.columns[k * dof + pivot_row[c]].abs() <= RANK_TOLERANCE)
            })
            .collect()
    }

    /// The largest entry of the rows and columns without a pivot, if it is not rounding.
    fn largest(&self, used: &[bool], pivot_row: &[usize]) -> Option<(usize, usize)> {
        let (mut most, mut place) = (RANK_TOLERANCE, None);
        for (c, column) in self.columns.chunks_exact(self.dof.max(1)).enumerate() {
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
    fn eliminate(&mut self, row: usize, column: usize) {
        let dof = self.dof;
        let pivot = self.columns[column * dof..(column + 1) * dof].to_vec();
        for other in self.columns.chunks_exact_mut(dof) {
            let x = other[row] / pivot[row];
            if x == 0.0 {
                continue;
            }
            for r in 0..dof {
                other[r] -= x * pivot[r];
            }
            other[row] = x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::{Body, BodyContact, Restitution};

    /// A box on a floor, on contacts at the given points.
    fn on_floor(points: &[[f64; 2]]) -> ContactProblem {
        let body = Body {
            mass: 2.0,
            inertia: [[0.1, 0.0, 0.0], [0.0, 0.12, 0.0], [0.0, 0.0, 0.15]],
            position: [0.0, 0.0, 0.5],
            velocity: [0.0; 6],
            wrench: [0.0, 0.0, -20.0, 0.0, 0.0, 0.0],
        };
        let contacts: Vec<BodyContact> = points
            .iter()
            .map(|p| BodyContact {
                a: 0,
                b: None,
                point: [p[0], p[1], 0.0],
                normal: [0.0, 0.0, 1.0],
                mu: 0.5,
                gap: 0.0,
                restitution: 0.0,
                viscosity: 0.0,
            })
            .collect();
        ContactProblem::from_bodies(&[body], &contacts, &[], 0.01, Restitution::Newton).unwrap()
    }

    /// All contacts loaded, moving with the given slip.
    fn found(problem: &ContactProblem, law: Law, slip: f64) -> Vec<bool> {
        let n = problem.contact_count();
        unique(problem, law, &vec![0.1; n], &vec![[0.0, slip, 0.0]; n])
    }

    #[test]
    fn three_legs_are_unique_without_friction_and_four_are_not() {
        let three = on_floor(&[[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]]);
        assert_eq!(found(&three, Law::Frictionless, 1.0), [true; 3]);
        assert_eq!(found(&three, Law::Coulomb, 1.0), [true; 3]);
        // Three sticking legs can pull against each other.
        assert_eq!(found(&three, Law::Coulomb, 0.0), [false; 3]);
        let four = on_floor(&[[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]]);
        assert_eq!(found(&four, Law::Frictionless, 1.0), [false; 4]);
    }

    #[test]
    fn a_doubled_leg_leaves_the_others_unique() {
        let problem = on_floor(&[[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, 0.0]]);
        let expected = [false, true, true, false];
        assert_eq!(found(&problem, Law::Frictionless, 0.0), expected);
        // Load can move to a leg that touches without any; not to one that has lifted off.
        let load = [0.1, 0.1, 0.1, 0.0];
        let mut velocity = [[0.0; 3]; 4];
        assert_eq!(unique(&problem, Law::Frictionless, &load, &velocity), expected);
        velocity[3][0] = 0.1;
        assert_eq!(unique(&problem, Law::Frictionless, &load, &velocity), [true; 4]);
    }
}
