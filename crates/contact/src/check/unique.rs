//! Which impulses are the only ones possible for the motion found.
//!
//! Impulses that push (θ > 0) can be changed along every vector x of the null space of the active columns: Ax = 0 leaves the motion
//! as it is. A contact that sticks inside its cone has the columns (n, t_x, t_y); one that slides, or lies on its cone, keeps its
//! friction in proportion and has the one column n + T f/θ; a joint row has its own. The impulse of a contact is unique iff every null
//! vector is zero there: read off the reduced echelon form of A with complete pivoting, O(dof · columns · rank).

use crate::problem::{ContactProblem, Touch};
use crate::solution::{ContactState, Law};

/// Entries below this count as zero, relative to columns of length 1.
const RANK_TOLERANCE: f64 = 1e-9;
/// Friction within this of the cone counts as on it, relative to μθ.
const BOUNDARY: f64 = 1e-9;

/// For each contact, whether its impulse is the only one possible for the motion. Contacts that do not push are: ν > 0 or a push of
/// zero admits no other (within the tolerance by which `state` was found).
///
/// `state`, `normal` and `friction` have one entry a contact, as in [`crate::ContactSolution`].
#[must_use]
pub fn unique(
    problem: &ContactProblem,
    law: Law,
    state: &[ContactState],
    normal: &[f64],
    friction: &[[f64; 2]],
) -> Vec<bool> {
    let mut active = Active::new(problem.dof());
    for i in 0..problem.contact_count() {
        let (theta, f) = (normal[i], friction[i]);
        if theta <= 0.0 || state[i] == ContactState::Separating {
            continue;
        }
        let c = problem.columns(i);
        let limit = if law == Law::Frictionless {
            0.0
        } else {
            problem.mu(i) * theta
        };
        let on_cone = libm::hypot(f[0], f[1]) >= limit * (1.0 - BOUNDARY);
        if state[i] == ContactState::Sliding || on_cone {
            let r = [f[0] / theta, f[1] / theta];
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
            })
            .collect();
        ContactProblem::from_bodies(&[body], &contacts, &[], 0.01, Restitution::Newton).unwrap()
    }

    fn found(problem: &ContactProblem, law: Law, state: ContactState) -> Vec<bool> {
        let n = problem.contact_count();
        unique(problem, law, &vec![state; n], &vec![0.1; n], &vec![[0.0; 2]; n])
    }

    #[test]
    fn three_legs_are_unique_without_friction_and_four_are_not() {
        let three = on_floor(&[[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]]);
        assert_eq!(found(&three, Law::Frictionless, ContactState::Sliding), [true; 3]);
        // Three sticking legs can pull against each other.
        assert_eq!(found(&three, Law::Coulomb, ContactState::Sticking), [false; 3]);
        let four = on_floor(&[[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]]);
        assert_eq!(found(&four, Law::Frictionless, ContactState::Sliding), [false; 4]);
    }

    #[test]
    fn a_doubled_leg_leaves_the_others_unique() {
        let problem = on_floor(&[[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, 0.0]]);
        assert_eq!(
            found(&problem, Law::Frictionless, ContactState::Sliding),
            [false, true, true, false]
        );
        let state = [
            ContactState::Sliding,
            ContactState::Sliding,
            ContactState::Sliding,
            ContactState::Separating,
        ];
        let unique = unique(
            &problem,
            Law::Frictionless,
            &state,
            &[0.1, 0.1, 0.1, 0.0],
            &[[0.0; 2]; 4],
        );
        assert_eq!(unique, [true; 4]);
    }
}
