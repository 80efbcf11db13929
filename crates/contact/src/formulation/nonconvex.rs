//! The LCPs of nonconvex groups as \[Egan, appendix\] prints them: what the max and the summation form share.
//!
//! Contacts are sorted as in the paper: first the y sides of all groups, one contact each, then the x contacts of no group. In this order
//! the convex LCP \[Egan (6)–(7)\] has the variables (p_n, p_f, s), which [`CoulombVelocity`] calls (θ, φ, λ); both forms add variables before them.

use stiction_lcp::{Lcp, Matrix};

use super::coulomb_velocity::CoulombVelocity;
use crate::check::check_epsilon;
use crate::cone::DIRECTION_RANGE;
use crate::error::InputError;
use crate::problem::ContactProblem;
use crate::solution::Law;

/// An LCP with the names of its variables.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedLcp {
    /// The problem.
    pub lcp: Lcp,
    /// Name of each entry of z after the paper: `c1`, `d`, `g1`, `h1`, `p`, `p1n`, `p1f2`, `s1`, numbered in the paper's order of contacts.
    pub names: Vec<String>,
    /// Contact of the problem behind each number, in that order.
    pub contacts: Vec<usize>,
}

/// The convex LCP with contacts in the paper's order, and the groups.
pub(super) struct Base {
    pub(super) convex: Lcp,
    names: Vec<String>,
    /// The paper's order of contacts.
    pub(super) order: Vec<usize>,
    /// Group of each side.
    pub(super) group_of_side: Vec<usize>,
    pub(super) group_count: usize,
}

impl Base {
    /// `groups`: contacts are sorted by groups; else all are convex.
    pub(super) fn new(
        problem: &ContactProblem,
        law: Law,
        directions: usize,
        groups: bool,
    ) -> Result<(Self, CoulombVelocity), InputError> {
        if groups {
            check_single(problem)?;
        }
        let group_count = if groups { problem.group_count() } else { 0 };
        let (mut order, mut group_of_side) = (Vec::new(), Vec::new());
        for group in 0..group_count {
            order.extend_from_slice(problem.contacts_of_group(group));
            group_of_side.resize(order.len(), group);
        }
        let rest = (0..problem.contact_count()).filter(|i| group_count == 0 || !problem.is_grouped(*i));
        order.extend(rest);
        let sorted = problem.without_groups(&order);
        let mut formulation = CoulombVelocity::default();
        let convex = formulation.lcp(&sorted, law, directions).ok_or_else(|| {
            let count = problem.contact_count() as f64;
            InputError::value("contacts", "must be few enough and finite for a dense LCP", count)
        })?;
        let names = formulation.names();
        let base = Self {
            convex,
            names,
            order,
            group_of_side,
            group_count,
        };
        Ok((base, formulation))
    }

    /// Number of sides y.
    pub(super) fn sides(&self) -> usize {
        self.group_of_side.len()
    }

    /// The rows of an LCP with `before` variables before those of the convex one, whose rows are filled in.
    pub(super) fn rows(&self, before: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
        let m = self.convex.n();
        let mut rows = vec![vec![0.0; before + m]; before + m];
        let mut q = vec![0.0; before + m];
        for r in 0..m {
            rows[before + r][before..].copy_from_slice(&self.convex_row(r));
            q[before + r] = self.convex.q()[r];
        }
        (rows, q)
    }

    pub(super) fn convex_row(&self, r: usize) -> Vec<f64> {
        (0..self.convex.n()).map(|c| self.convex.M().at(r, c)).collect()
    }

    /// The LCP of rows, with the names of the variables before those of the convex one.
    pub(super) fn finish(self, rows: &[Vec<f64>], q: Vec<f64>, names: Vec<String>) -> Result<NamedLcp, InputError> {
        let overflow = |_| InputError::value("contacts", "must give an LCP of finite numbers", f64::NAN);
        let lcp = Lcp::new(Matrix::from_rows(rows).map_err(overflow)?, q).map_err(overflow)?;
        let mut all = names;
        all.extend(self.names);
        Ok(NamedLcp {
            lcp,
            names: all,
            contacts: self.order,
        })
    }
}

/// `c1`, `c2`, …; the only one of its kind has no number.
pub(super) fn numbered(letter: char, count: usize, alone: bool) -> impl Iterator<Item = String> {
    (1..=count).map(move |i| {
        if alone && count == 1 {
            letter.to_string()
        } else {
            format!("{letter}{i}")
        }
    })
}

/// Checks that each side is one contact, as in the paper.
pub(crate) fn check_single(problem: &ContactProblem) -> Result<(), InputError> {
    for group in 0..problem.group_count() {
        for side in 0..problem.side_count(group) {
            let found = problem.side(group, side).len();
            if found != 1 {
                let field = format!("groups[{group}][{side}]");
                let requirement = "must name one contact in the paper's LCPs and for nonconvex_sum";
                return Err(InputError::value(field, requirement, found as f64));
            }
        }
    }
    Ok(())
}

fn check_terms(law: Law, directions: usize) -> Result<(), InputError> {
    if !DIRECTION_RANGE.contains(&directions) {
        let requirement = "must lie between 3 and 64";
        return Err(InputError::value("directions", requirement, directions as f64));
    }
    if !matches!(law, Law::Frictionless | Law::Polyhedral) {
        return Err(InputError::MethodMismatch {
            method: "the printed LCP",
            law: law.name(),
            fitting: "none; it is of the laws frictionless and polyhedral".to_owned(),
        });
    }
    Ok(())
}

impl ContactProblem {
    /// The convex LCP of Stewart and Trinkle \[Egan (6)–(7)\], every contact taken as convex.
    ///
    /// # Errors
    /// Directions out of range, a law other than the frictionless and the polyhedral one, a problem too large for a dense matrix.
    pub fn lcp_convex(&self, law: Law, directions: usize) -> Result<NamedLcp, InputError> {
        check_terms(law, directions)?;
        let (base, _) = Base::new(self, law, directions, false)?;
        let (rows, q) = base.rows(0);
        base.finish(&rows, q, Vec::new())
    }

    /// B_max and b_max \[Egan (32)–(33)\]. `gamma` must exceed 1 (errata: more is not needed).
    ///
    /// # Errors
    /// As [`Self::lcp_convex`]; a side of several contacts; a `gamma` that is not finite and above 1.
    pub fn lcp_max(&self, law: Law, directions: usize, gamma: f64) -> Result<NamedLcp, InputError> {
        check_terms(law, directions)?;
        if !(gamma.is_finite() && gamma > 1.0) {
            return Err(InputError::value("gamma", "must be finite and above 1", gamma));
        }
        super::nonconvex_max::lcp(self, law, directions, gamma)
    }

    /// B_sum and b_sum \[Egan (34)–(35)\], with −e for the printed −(n − 1)e so that (30) holds for groups of any number of sides n.
    /// `epsilon` is e = ε/h [m/s].
    ///
    /// # Errors
    /// As [`Self::lcp_convex`]; a side of several contacts; an `epsilon` that is not finite and positive.
    pub fn lcp_sum(&self, law: Law, directions: usize, epsilon: f64) -> Result<NamedLcp, InputError> {
        self.sum_form(law, directions, epsilon, false)
    }

    /// B_sum and b_sum as printed in \[Egan (34)–(35)\]: the same as [`Self::lcp_sum`] for groups of two sides, too strict for more.
    ///
    /// # Errors
    /// As [`Self::lcp_sum`].
    pub fn lcp_sum_as_published(&self, law: Law, directions: usize, epsilon: f64) -> Result<NamedLcp, InputError> {
        self.sum_form(law, directions, epsilon, true)
    }

    fn sum_form(&self, law: Law, directions: usize, epsilon: f64, as_published: bool) -> Result<NamedLcp, InputError> {
        check_terms(law, directions)?;
        check_epsilon(epsilon)?;
        Ok(super::nonconvex_sum::lcp(self, law, directions, (epsilon, as_published))?.0)
    }
}
