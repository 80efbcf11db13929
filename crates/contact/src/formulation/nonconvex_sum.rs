//! The summation form \[Egan V, (34)–(35)\]: z = (c, p_y, p_x, p_f, s) with e = ε/h,
//!
//! ```text
//! c_i − a_i − e ⟂ c_i      Σ c_j − e ⟂ p_i     (j over the n sides of the group of i)
//! ```
//!
//! so that c_i = max(a_i, −e) + e, and Σ c_j − e = Σ max(a_j, −e) + (n − 1)e, which is what each group asks \[Egan (30)\]. The paper prints
//! −(n − 1)e for −e in (35): the same for the two sides of its examples, but with three or more a side that touches, a_1 = 0 and all others
//! below −e, would be (n − 2)e short. The printed form is built on request and never solved.

use stiction_lcp::{Solver, Status};

use super::coulomb_velocity::CoulombVelocity;
use super::nonconvex::{Base, NamedLcp, numbered};
use crate::error::InputError;
use crate::problem::ContactProblem;
use crate::solution::Law;
use crate::solver::{End, Impulses, Outcome};

/// B_sum and b_sum, and what turns the convex part of an answer into impulses.
pub(super) fn lcp(
    problem: &ContactProblem,
    law: Law,
    directions: usize,
    (epsilon, as_published): (f64, bool),
) -> Result<(NamedLcp, CoulombVelocity), InputError> {
    let (base, formulation) = Base::new(problem, law, directions, true)?;
    let y = base.sides();
    let (mut B, mut b) = base.rows(y);
    for i in 0..y {
        for (to, a) in B[i][y..].iter_mut().zip(base.convex_row(i)) {
            *to = 0.0 - a; // (25)
        }
        B[i][i] = 1.0;
        b[i] = -base.convex.q()[i] - epsilon;
        B[y + i].fill(0.0); // (27)
        let mut others = -1.0;
        for j in (0..y).filter(|j| base.group_of_side[*j] == base.group_of_side[i]) {
            B[y + i][j] = 1.0; // (DᵀD)_ij
            others += 1.0;
        }
        b[y + i] = 0.0 - epsilon * if as_published { others } else { 1.0 };
    }
    Ok((base.finish(&B, b, numbered('c', y, false).collect())?, formulation))
}

/// Solves a problem by Lemke's method, with the fallbacks of `stiction-lcp`.
pub(crate) fn run(problem: &ContactProblem, law: Law, directions: usize, epsilon: f64, out: &mut Impulses) -> Outcome {
    let Ok((named, mut formulation)) = lcp(problem, law, directions, (epsilon, false)) else {
        return Outcome::new(End::Unfit);
    };
    let mut solver = Solver::new();
    solver.set_any_class(false); // contacts have fallbacks of their own
    let Ok(solution) = solver.solve(&named.lcp) else {
        return Outcome::new(End::Unfit);
    };
    let sides = (0..problem.group_count()).map(|g| problem.side_count(g)).sum::<usize>();
    let sorted = problem.without_groups(&named.contacts);
    let mut found = Impulses::default();
    formulation.impulses(&sorted, &solution.z[sides..], false, &mut found);
    out.clear(problem, directions);
    out.scatter(&found, &named.contacts, directions);
    Outcome {
        pivots: solution.stats.pivots,
        ..Outcome::new(match solution.status {
            Status::Ray | Status::Infeasible | Status::Unsolvable | Status::UnboundedDrive => End::Ray,
            Status::PivotLimit | Status::Cycle => End::Limit,
            _ => End::Answered,
        })
    }
}
