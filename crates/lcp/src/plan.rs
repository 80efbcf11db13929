//! Which methods are tried, in which order, on which problems.

use crate::basis::mix;
use crate::lemke_howson::games;
use crate::pivoting::Data;
use crate::problem::Class;
use crate::solution::Method;

/// 2²⁰ systems of up to 20 equations are the most that enumeration takes on.
pub(crate) const ENUMERATE_MAX: usize = 20;

/// All supports are tried before the methods for problems of no class up to this many variables, and after them beyond.
pub(crate) const ENUMERATE_EARLY: usize = 16;

/// The tree of branch and bound is not begun on more variables.
pub(crate) const BRANCH_MAX: usize = 100;

/// One attempt of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Lemke,
    Lexicographic,
    /// Lemke from the basis of the last Lemke run, with tighter tolerances.
    Restart,
    /// Lemke with another covering vector.
    Cover(u64),
    Extended,
    ExtendedRestart,
    Exact,
    Dantzig,
    Ppm,
    Enumerate,
    /// Lexicographic ties in another order of the rows.
    Reordered(u64),
    LeastSquares,
    /// Lemke from the variables that least squares leave positive.
    FromLeastSquares,
    LemkeHowson,
    /// Lemke from a basis that completes a singular block of free variables.
    FreeBasis,
    Branch,
    /// All supports where they were too many at first.
    LateEnumerate,
}

impl Step {
    pub(crate) fn method(self) -> Method {
        match self {
            Step::Lemke | Step::Restart | Step::Cover(_) | Step::FreeBasis => Method::Lemke,
            Step::Lexicographic | Step::Reordered(_) => Method::LemkeLexicographic,
            Step::Extended | Step::ExtendedRestart => Method::LemkeExtended,
            Step::Exact => Method::LemkeExact,
            Step::Dantzig => Method::Dantzig,
            Step::Ppm => Method::Ppm,
            Step::Enumerate | Step::LateEnumerate => Method::Enumerate,
            Step::LeastSquares | Step::FromLeastSquares => Method::LeastSquares,
            Step::LemkeHowson => Method::LemkeHowson,
            Step::Branch => Method::BranchAndBound,
        }
    }
}

/// The chain for a class: Dantzig first where it is at home, Lemke first everywhere else.
pub(crate) fn plan(class: Class, symmetric: bool) -> &'static [Step] {
    const AT_HOME: &[Step] = &[
        Step::Dantzig,
        Step::Lemke,
        Step::Restart,
        Step::Lexicographic,
        Step::Restart,
        Step::Ppm,
        Step::Extended,
        Step::ExtendedRestart,
        Step::Exact,
        Step::Enumerate,
    ];
    const GENERAL: &[Step] = &[
        Step::Lemke,
        Step::Restart,
        Step::Lexicographic,
        Step::Restart,
        Step::Cover(0),
        Step::Restart,
        Step::Cover(1),
        Step::Restart,
        Step::Cover(2),
        Step::Restart,
        Step::Dantzig,
        Step::Extended,
        Step::ExtendedRestart,
        Step::Ppm,
        Step::Exact,
        Step::Enumerate,
    ];
    match class {
        Class::Psd | Class::P if symmetric => AT_HOME,
        _ => GENERAL,
    }
}

/// What follows where the chain of the class, and a search for a proof, have ended without a result: methods for problems of no class. The cheap
/// ones come first.
pub(crate) const BEYOND: &[Step] = &[
    Step::Reordered(1),
    Step::Reordered(2),
    Step::Reordered(3),
    Step::LeastSquares,
    Step::FromLeastSquares,
    Step::LemkeHowson,
    Step::FreeBasis,
    Step::Branch,
    Step::LateEnumerate,
];

/// The steps of one method alone.
pub(crate) fn plan_of(method: Method) -> &'static [Step] {
    match method {
        Method::Lemke => &[Step::Lemke, Step::Restart],
        Method::LemkeLexicographic => &[
            Step::Lexicographic,
            Step::Restart,
            Step::Reordered(1),
            Step::Reordered(2),
            Step::Reordered(3),
        ],
        Method::LemkeExtended => &[Step::Extended, Step::ExtendedRestart],
        Method::LemkeExact => &[Step::Exact],
        Method::Dantzig => &[Step::Dantzig],
        Method::Ppm => &[Step::Ppm],
        Method::LeastSquares => &[Step::LeastSquares, Step::FromLeastSquares],
        Method::LemkeHowson => &[Step::LemkeHowson],
        Method::BranchAndBound => &[Step::Branch],
        Method::Enumerate => &[Step::Enumerate],
    }
}

/// What a problem lacks for a method, `None` when it fits.
pub(crate) fn lacks(method: Method, data: Data<'_>) -> Option<&'static str> {
    match method {
        Method::Dantzig if !data.M.is_symmetric() => Some("a symmetric matrix"),
        Method::Enumerate if data.n() > ENUMERATE_MAX => Some("at most 20 variables"),
        Method::LemkeHowson if games(data).is_none() => Some("a bimatrix game"),
        Method::BranchAndBound if data.n() > BRANCH_MAX => Some("at most 100 variables"),
        _ => None,
    }
}

/// Covering vectors to try when the usual one ends on a ray or in rounding: all ones, then values spread over [1/4, 4] by a
/// fixed hash of the index.
pub(crate) fn other_cover(number: u64, i: usize) -> f64 {
    if number == 0 {
        return 1.0;
    }
    let hash = mix(number << 32 | i as u64);
    let share = (hash >> 11) as f64 / (1u64 << 53) as f64;
    0.25 + 3.75 * share * share
}
