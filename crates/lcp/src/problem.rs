//! The problems: `Lcp` and `Mlcp`.

use crate::error::{InputError, check_finite, check_length};
use crate::matrix::Matrix;

/// What the caller knows of the matrix. It guides the choice of method and is never assumed to be true: the judge
/// looks at the answer alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Class {
    /// Nothing is known.
    #[default]
    Unknown,
    /// xᵀMx ≥ 0 for every x: frictionless contact, convex quadratic programs.
    Psd,
    /// Every principal minor is positive: exactly one solution for every q.
    P,
    /// xᵀMx ≥ 0 for every x ≥ 0: contact with Coulomb friction.
    Copositive,
}

impl Class {
    /// Every class, in the order of the documentation.
    pub const ALL: [Class; 4] = [Class::Unknown, Class::Psd, Class::P, Class::Copositive];

    /// Name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Class::Unknown => "unknown",
            Class::Psd => "psd",
            Class::P => "p",
            Class::Copositive => "copositive",
        }
    }
}

/// A linear complementarity problem: find z ≥ 0 with w = Mz + q ≥ 0 and zᵀw = 0.
///
/// ```
/// use stiction_lcp::Lcp;
/// let lcp = Lcp::from_rows(&[[2.0, 1.0], [1.0, 2.0]], &[-5.0, -6.0])?;
/// assert_eq!(lcp.n(), 2);
/// # Ok::<(), stiction_lcp::InputError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Lcp {
    M: Matrix,
    q: Vec<f64>,
    class: Class,
}

impl Lcp {
    /// Builds the problem from a matrix and a vector of the same size.
    ///
    /// # Errors
    /// When the sizes differ or q holds a number that is not finite.
    pub fn new(M: Matrix, q: Vec<f64>) -> Result<Self, InputError> {
        check_length("q", M.n(), q.len())?;
        check_finite("q", &q)?;
        Ok(Self {
            M,
            q,
            class: Class::Unknown,
        })
    }

    /// Builds the problem from the rows of M.
    ///
    /// # Errors
    /// When sizes differ or a number is not finite.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R], q: &[f64]) -> Result<Self, InputError> {
        Self::new(Matrix::from_rows(rows)?, q.to_vec())
    }

    /// States what is known of the matrix.
    #[must_use]
    pub fn with_class(mut self, class: Class) -> Self {
        self.class = class;
        self
    }

    /// Replaces q, keeping the matrix: the next step of a simulation, the next load case.
    ///
    /// # Errors
    /// When the length differs or a number is not finite; the problem is then unchanged.
    pub fn set_q(&mut self, q: &[f64]) -> Result<(), InputError> {
        check_length("q", self.n(), q.len())?;
        check_finite("q", q)?;
        self.q.copy_from_slice(q);
        Ok(())
    }

    /// Number of variables.
    #[must_use]
    pub fn n(&self) -> usize {
        self.q.len()
    }

    /// The matrix M.
    #[must_use]
    pub fn M(&self) -> &Matrix {
        &self.M
    }

    /// The vector q, length n.
    #[must_use]
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// What the caller said of the matrix.
    #[must_use]
    pub fn class(&self) -> Class {
        self.class
    }

    /// The parts that solvers and the judge work on.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View {
            M: &self.M,
            q: &self.q,
            bounds: Bounds::Nonnegative,
        }
    }
}

/// A mixed problem: find l ≤ z ≤ u such that, with w = Mz + q, each w_i is ≥ 0 where z_i = l_i, ≤ 0 where z_i = u_i and 0 in
/// between.
///
/// [0, ∞) is a complementary row as in [`Lcp`]; (−∞, ∞) is a free variable with its equation w_i = 0, as in
/// \[Drumwright\] (4)–(10); [l, u] is a box, as in relay problems and ODE-style friction.
///
/// ```
/// use stiction_lcp::Mlcp;
/// // One free variable (index 0) beside one complementary one.
/// let problem = Mlcp::with_free(&[[1.0, -1.0], [1.0, 1.0]], &[0.0, -4.0], &[0])?;
/// assert!(problem.is_free(0) && !problem.is_free(1));
/// # Ok::<(), stiction_lcp::InputError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Mlcp {
    M: Matrix,
    q: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    class: Class,
}

impl Mlcp {
    /// Builds the problem; a lower bound may be −∞, an upper bound +∞.
    ///
    /// # Errors
    /// When sizes differ, M or q holds a number that is not finite, a bound is NaN, or l_i > u_i.
    pub fn new(M: Matrix, q: Vec<f64>, lower: Vec<f64>, upper: Vec<f64>) -> Result<Self, InputError> {
        let n = M.n();
        check_length("q", n, q.len())?;
        check_finite("q", &q)?;
        check_length("lower", n, lower.len())?;
        check_length("upper", n, upper.len())?;
        for (index, (&l, &u)) in lower.iter().zip(&upper).enumerate() {
            for (field, bound, forbidden) in [("lower", l, f64::INFINITY), ("upper", u, f64::NEG_INFINITY)] {
                if bound.is_nan() || bound == forbidden {
                    let field = format!("{field}[{index}]");
                    return Err(InputError::NotFinite { field, found: bound });
                }
            }
            if l > u {
                return Err(InputError::CrossedBounds {
                    index,
                    lower: l,
                    upper: u,
                });
            }
        }
        Ok(Self {
            M,
            q,
            lower,
            upper,
            class: Class::Unknown,
        })
    }

    /// Builds a problem whose variables listed in `free` are free and whose others are complementary.
    ///
    /// # Errors
    /// As [`Mlcp::new`], and when an index is out of range.
    pub fn with_free<R: AsRef<[f64]>>(rows: &[R], q: &[f64], free: &[usize]) -> Result<Self, InputError> {
        let M = Matrix::from_rows(rows)?;
        let mut lower = vec![0.0; M.n()];
        for (k, &i) in free.iter().enumerate() {
            *lower.get_mut(i).ok_or_else(|| InputError::OutOfRange {
                field: format!("free[{k}]"),
                limit: rows.len(),
                found: i,
            })? = f64::NEG_INFINITY;
        }
        let upper = vec![f64::INFINITY; M.n()];
        Self::new(M, q.to_vec(), lower, upper)
    }

    /// States what is known of the matrix.
    #[must_use]
    pub fn with_class(mut self, class: Class) -> Self {
        self.class = class;
        self
    }

    /// Number of variables.
    #[must_use]
    pub fn n(&self) -> usize {
        self.q.len()
    }

    /// The matrix M.
    #[must_use]
    pub fn M(&self) -> &Matrix {
        &self.M
    }

    /// The vector q, length n.
    #[must_use]
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// Lower bounds, length n; −∞ where there is none.
    #[must_use]
    pub fn lower(&self) -> &[f64] {
        &self.lower
    }

    /// Upper bounds, length n; +∞ where there is none.
    #[must_use]
    pub fn upper(&self) -> &[f64] {
        &self.upper
    }

    /// Whether variable `i` has no bound, so that row `i` is the equation w_i = 0.
    #[must_use]
    pub fn is_free(&self, i: usize) -> bool {
        self.lower[i] == f64::NEG_INFINITY && self.upper[i] == f64::INFINITY
    }

    /// What the caller said of the matrix.
    #[must_use]
    pub fn class(&self) -> Class {
        self.class
    }

    /// The parts that solvers and the judge work on.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View {
            M: &self.M,
            q: &self.q,
            bounds: Bounds::Box {
                lower: &self.lower,
                upper: &self.upper,
            },
        }
    }
}

/// Any problem of this crate, borrowed: what the judge needs to know.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The matrix.
    pub M: &'a Matrix,
    /// The vector, length n.
    pub q: &'a [f64],
    /// Where each z_i may lie.
    pub bounds: Bounds<'a>,
}

/// Where each variable of a problem may lie.
#[derive(Debug, Clone, Copy)]
pub enum Bounds<'a> {
    /// z ≥ 0.
    Nonnegative,
    /// l ≤ z ≤ u.
    Box {
        /// Lower bounds, length n.
        lower: &'a [f64],
        /// Upper bounds, length n.
        upper: &'a [f64],
    },
}

impl Bounds<'_> {
    /// The interval of variable `i`.
    #[must_use]
    pub fn of(&self, i: usize) -> (f64, f64) {
        match self {
            Bounds::Nonnegative => (0.0, f64::INFINITY),
            Bounds::Box { lower, upper } => (lower[i], upper[i]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity() -> Matrix {
        Matrix::from_rows(&[[1.0, 0.0], [0.0, 1.0]]).unwrap()
    }

    #[test]
    fn sizes_that_do_not_match_are_named() {
        let error = Lcp::new(identity(), vec![1.0]).unwrap_err();
        assert_eq!(error.to_string(), "q: must have 2 entries, found 1");
    }

    #[test]
    fn bounds_that_cross_are_named() {
        let error = Mlcp::new(identity(), vec![0.0; 2], vec![0.0, 3.0], vec![1.0, 2.0]).unwrap_err();
        assert_eq!(error.to_string(), "lower[1]: must not exceed upper[1] = 2, found 3");
    }

    #[test]
    fn a_lower_bound_of_plus_infinity_is_refused() {
        let lower = vec![f64::INFINITY, 0.0];
        let error = Mlcp::new(identity(), vec![0.0; 2], lower, vec![f64::INFINITY; 2]).unwrap_err();
        assert_eq!(error.to_string(), "lower[0]: must be finite, found inf");
    }

    #[test]
    fn a_free_index_out_of_range_is_named() {
        let error = Mlcp::with_free(&[[1.0]], &[0.0], &[4]).unwrap_err();
        assert_eq!(error.to_string(), "free[0]: must be below 1, found 4");
    }

    #[test]
    fn set_q_leaves_the_problem_as_it_was_when_it_fails() {
        let mut lcp = Lcp::new(identity(), vec![1.0, 2.0]).unwrap();
        assert!(lcp.set_q(&[f64::NAN, 0.0]).is_err());
        assert_eq!(lcp.q(), &[1.0, 2.0]);
    }
}
