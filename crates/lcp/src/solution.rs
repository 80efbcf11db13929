//! What a solver returns: `Solution`, `Status`, `Certificate`, `Stats`.

use crate::residual::Residual;

/// What became of a well-formed problem. Only the judge ([`crate::residual`]) may say [`Status::Solved`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// z satisfies the problem; the judge recomputed it from the problem's own data.
    Solved,
    /// No z ≥ 0 has Mz + q ≥ 0: a Farkas vector, checked in exact arithmetic, proves it. Change the problem.
    Infeasible,
    /// A feasible z exists but none is complementary: all 2ⁿ cones were excluded in exact arithmetic. Change the problem.
    Unsolvable,
    /// Lemke's method ended on a ray and nothing is proven. Other methods, another covering vector or a changed
    /// bias may help.
    Ray,
    /// Baraff's method found a variable that can grow for ever: no finite force exists on its path.
    UnboundedDrive,
    /// The limit on pivots was reached. Raise it, or try another method.
    PivotLimit,
    /// A basis came back, or a tie could not be resolved: the method would go round for ever. Try another one.
    Cycle,
    /// A basis matrix became singular to working precision. Try extended precision.
    SingularBasis,
    /// The method ended with a vector that the judge refuses. Try extended precision.
    Inaccurate,
}

impl Status {
    /// Name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Status::Solved => "solved",
            Status::Infeasible => "infeasible",
            Status::Unsolvable => "unsolvable",
            Status::Ray => "ray",
            Status::UnboundedDrive => "unbounded_drive",
            Status::PivotLimit => "pivot_limit",
            Status::Cycle => "cycle",
            Status::SingularBasis => "singular_basis",
            Status::Inaccurate => "inaccurate",
        }
    }
}

/// What an answer that is solved is solved to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Accuracy {
    /// The plain relative residual is within the tolerance.
    #[default]
    Full,
    /// Only where a few roundings of the terms of each row are excused: the numbers that doubles can hold allow no better answer.
    Rounding,
}

impl Accuracy {
    /// Name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Accuracy::Full => "full",
            Accuracy::Rounding => "rounding",
        }
    }
}

/// Evidence for a status other than solved.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Certificate {
    /// y ≥ 0 with Mᵀy ≤ 0 and qᵀy < 0, as exact rationals: nothing is feasible. Checked before it is returned.
    Farkas {
        /// The vector, each entry a rational such as `3/7`, length n.
        y: Vec<String>,
    },
    /// All complementary cones were excluded exactly, one by one or many at a time by a branch of a tree: none holds q.
    Exhaustion {
        /// Number of cones, 2ⁿ.
        cones: u64,
    },
    /// The direction along which Lemke's method, or the driven variable, grows without bound. Evidence, not proof.
    Ray {
        /// Direction of z, length n, scaled to a largest entry of 1.
        direction: Vec<f64>,
    },
}

/// The methods of this crate: the only list of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Lemke's method in `f64` with cheap ties.
    Lemke,
    /// Lemke's method in `f64` with lexicographic ties.
    LemkeLexicographic,
    /// Lemke's method in double-double arithmetic.
    LemkeExtended,
    /// Lemke's method in exact rationals.
    LemkeExact,
    /// Dantzig pivoting after Baraff.
    Dantzig,
    /// Principal pivoting with a cycle guard.
    Ppm,
    /// Non-negative least squares on w = 0, and Lemke's method from there.
    LeastSquares,
    /// Lemke and Howson's path for bimatrix games.
    LemkeHowson,
    /// Pairs decided one after the other, with a linear program at every node.
    BranchAndBound,
    /// All 2ⁿ cones.
    Enumerate,
}

impl Method {
    /// Every method, in the order of the documentation.
    pub const ALL: [Method; 10] = [
        Method::Lemke,
        Method::LemkeLexicographic,
        Method::LemkeExtended,
        Method::LemkeExact,
        Method::Dantzig,
        Method::Ppm,
        Method::LeastSquares,
        Method::LemkeHowson,
        Method::BranchAndBound,
        Method::Enumerate,
    ];

    /// Name in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Method::Lemke => "lemke",
            Method::LemkeLexicographic => "lemke_lexicographic",
            Method::LemkeExtended => "lemke_extended",
            Method::LemkeExact => "lemke_exact",
            Method::Dantzig => "dantzig",
            Method::Ppm => "ppm",
            Method::LeastSquares => "least_squares",
            Method::LemkeHowson => "lemke_howson",
            Method::BranchAndBound => "branch_and_bound",
            Method::Enumerate => "enumerate",
        }
    }

    /// Where the method comes from.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Method::Lemke => "Lloyd TR 4; ties by largest pivot",
            Method::LemkeLexicographic => "Lloyd TR 4; Cottle, Pang, Stone 4.9",
            Method::LemkeExtended => "Lloyd TR 4 in double-double arithmetic",
            Method::LemkeExact => "Lloyd TR 4 in rationals, lexicographic",
            Method::Dantzig => "Baraff 4",
            Method::Ppm => "Drumwright V; Murty's least index on a cycle",
            Method::LeastSquares => "Lawson, Hanson 23",
            Method::LemkeHowson => "Lemke, Howson; Cottle, Pang, Stone 4.4",
            Method::BranchAndBound => "linear programs by the dual simplex method",
            Method::Enumerate => "definition",
        }
    }

    /// What the method accepts.
    #[must_use]
    pub fn accepts(self) -> &'static str {
        match self {
            Method::Lemke | Method::LemkeLexicographic | Method::LemkeExtended => "any",
            Method::LemkeExact => "any; meant for up to about 100 variables",
            Method::Dantzig => "symmetric M; meant for positive semidefinite M",
            Method::Ppm => "any; meant for positive definite M",
            Method::LeastSquares => "any; meant for problems whose answer has w = 0",
            Method::LemkeHowson => "bimatrix games: M = ((0, A), (B, 0))",
            Method::BranchAndBound => "up to 100 variables; meant for up to about 40",
            Method::Enumerate => "up to 20 variables",
        }
    }

    /// What the method guarantees beyond a verified answer.
    #[must_use]
    pub fn guarantees(self) -> &'static str {
        match self {
            Method::Lemke => {
                "solves M copositive with q'z >= 0 for every z that solves q = 0: friction without negative bias"
            }
            Method::LemkeLexicographic => "as lemke, and cannot cycle except for rounding",
            Method::LemkeExtended => "as lemke, with 32 digits on the way",
            Method::LemkeExact => "finite; a solution without any rounding, or a ray",
            Method::Dantzig => "finite when M is positive semidefinite and q lies in its range",
            Method::Ppm => "finite when M is a P-matrix",
            Method::LeastSquares => "solves every problem that some z >= 0 with Mz + q = 0 solves",
            Method::LemkeHowson => "finite and solves where A, B > 0 and q < 0",
            Method::BranchAndBound => "a solution, or a proof that there is none, if its work lasts",
            Method::Enumerate => "finds a solution if there is one that is not hidden by rounding",
        }
    }
}

/// One method's attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The method.
    pub method: Method,
    /// How it ended.
    pub status: Status,
    /// Pivots it took.
    pub pivots: usize,
}

/// What a solve cost and which methods ran.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stats {
    /// Pivots of all attempts together.
    pub pivots: usize,
    /// Factorizations from scratch, of all attempts together.
    pub factorizations: usize,
    /// Every attempt in order.
    pub runs: Vec<Run>,
    /// Which of the attempts gave the answer that is returned.
    pub answered_by: usize,
}

impl Stats {
    /// Number of attempts after the first.
    #[must_use]
    pub fn fallbacks(&self) -> usize {
        self.runs.len().saturating_sub(1)
    }

    /// The method whose answer is returned; `None` when there was nothing to solve.
    #[must_use]
    pub fn method(&self) -> Option<Method> {
        self.runs.get(self.answered_by).map(|run| run.method)
    }

    pub(crate) fn clear(&mut self) {
        self.pivots = 0;
        self.factorizations = 0;
        self.answered_by = 0;
        self.runs.clear();
    }
}

/// An answer with its evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// What became of the problem.
    pub status: Status,
    /// The answer, length n; the best vector found where the status is not solved.
    pub z: Vec<f64>,
    /// Mz + q, length n, recomputed by the judge.
    pub w: Vec<f64>,
    /// How far z is from satisfying the problem.
    pub residual: Residual,
    /// Evidence for a status other than solved, where there is any.
    pub certificate: Option<Certificate>,
    /// What it cost.
    pub stats: Stats,
}

impl Solution {
    pub(crate) fn empty() -> Self {
        Self {
            status: Status::Solved,
            z: Vec::new(),
            w: Vec::new(),
            residual: Residual::ZERO,
            certificate: None,
            stats: Stats::default(),
        }
    }

    /// Whether the status is proven: a checked certificate for `Infeasible` and `Unsolvable`. A `Solved` answer is
    /// verified to the residual's tolerance; a proof of it is [`crate::exact::prove`].
    #[must_use]
    pub fn proven(&self) -> bool {
        matches!(
            self.certificate,
            Some(Certificate::Farkas { .. } | Certificate::Exhaustion { .. })
        )
    }
}
