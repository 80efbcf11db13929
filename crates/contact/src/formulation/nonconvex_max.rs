//! The max form \[Egan IV, (32)–(33)\]: z = (c, d, g, h, p, p_y, p_x, p_f, s).
//!
//! ```text
//! c_i + a_i − 1 ⟂ c_i      Σ g_i − 1 ⟂ d      c_i + d − γ ⟂ g_i
//! h_i + a_i ⟂ h_i          d − γ + 1 ⟂ p      h_i + d − γ + 1 ⟂ p_i
//! ```
//!
//! so that d − γ + 1 = min(max a_i, 1) and h_i = max(−a_i, 0). Every entry that couples these is ≥ 0 and the column of p is zero: Lemke's method ends on
//! a ray after one pivot. The matrix is for comparison; `solve/nonconvex.rs` finds the answers.

use super::nonconvex::{Base, NamedLcp, numbered};
use crate::error::InputError;
use crate::problem::ContactProblem;
use crate::solution::Law;

/// B_max and b_max.
pub(super) fn lcp(problem: &ContactProblem, law: Law, directions: usize, gamma: f64) -> Result<NamedLcp, InputError> {
    let (base, _) = Base::new(problem, law, directions, true)?;
    let (y, groups) = (base.sides(), base.group_count);
    // First c, d, g, h, p and θ.
    let (d, g) = (y, y + groups);
    let (h, p, before) = (g + y, g + 2 * y, g + 2 * y + groups);
    let (mut B, mut b) = base.rows(before);
    for i in 0..y {
        let (a_i, group) = (base.convex_row(i), base.group_of_side[i]);
        let q_i = base.convex.q()[i];
        B[i][before..].copy_from_slice(&a_i); // (13)
        B[i][i] = 1.0;
        b[i] = q_i - 1.0;
        B[d + group][g + i] = 1.0; // (15)
        B[g + i][i] = 1.0; // (16)
        B[g + i][d + group] = 1.0;
        b[g + i] = -gamma;
        B[h + i][before..].copy_from_slice(&a_i); // (18)
        B[h + i][h + i] = 1.0;
        b[h + i] = q_i;
        B[before + i].fill(0.0); // (21)
        B[before + i][h + i] = 1.0;
        B[before + i][d + group] = 1.0;
        b[before + i] = 1.0 - gamma;
    }
    for group in 0..groups {
        b[d + group] = -1.0;
        B[p + group][d + group] = 1.0; // (20)
        b[p + group] = 1.0 - gamma;
    }
    let names = numbered('c', y, false)
        .chain(numbered('d', groups, true))
        .chain(numbered('g', y, false))
        .chain(numbered('h', y, false))
        .chain(numbered('p', groups, true))
        .collect();
    base.finish(&B, b, names)
}
