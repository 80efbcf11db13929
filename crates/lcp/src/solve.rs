//! The front door: picks a method by class, falls back from one exact method to the next, and lets the judge decide.
//!
//! Order for a problem of unknown class: Lemke in `f64`; the same with lexicographic ties; Dantzig if M is symmetric; Lemke
//! in double-double; Lemke with other covering vectors; all 2ⁿ cones of a small problem. The problem's data are never
//! changed on the way. Every attempt is listed in [`Stats`].

use crate::error::InputError;
use crate::lemke::{self, Lemke, Start};
use crate::pivoting::{Data, Outcome};
use crate::problem::{Lcp, Mlcp, View};
use crate::real::{DoubleDouble, Real};
use crate::reduce::Reduced;
use crate::residual::Judge;
use crate::solution::{Certificate, Method, Run, Solution, Status};

/// Settings of the front door.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Largest relative residual that counts as solved. Default 1e-10.
    pub tolerance: f64,
    /// Settings of Lemke's method.
    pub lemke: lemke::Options,
    /// Use this method alone, without fallbacks. Default `None`.
    pub method: Option<Method>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            lemke: lemke::Options::default(),
            method: None,
        }
    }
}

/// Solves problems and keeps its buffers: a second solve of the same size does not allocate.
///
/// ```
/// use stiction_lcp::{Lcp, Solver, Status};
/// let lcp = Lcp::from_rows(&[[2.0, 1.0], [1.0, 2.0]], &[-5.0, -6.0])?;
/// let mut solver = Solver::new();
/// let solution = solver.solve(&lcp)?;
/// assert_eq!(solution.status, Status::Solved);
/// assert!((solution.z[0] - 4.0 / 3.0).abs() < 1e-15 && (solution.z[1] - 7.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), stiction_lcp::InputError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Solver {
    options: Options,
    lemke: Lemke<f64>,
    extended: Lemke<DoubleDouble>,
    judge: Judge,
    y: Vec<f64>,
    solution: Solution,
}

impl Default for Solver {
    fn default() -> Self {
        Self::new()
    }
}

impl Solver {
    /// A solver with default options.
    #[must_use]
    pub fn new() -> Self {
        Self::with_options(Options::default())
    }

    /// A solver with the given options.
    #[must_use]
    pub fn with_options(options: Options) -> Self {
        Self {
            options,
            lemke: Lemke::default(),
            extended: Lemke::default(),
            judge: Judge::default(),
            y: Vec::new(),
            solution: Solution::empty(),
        }
    }

    /// Solves an LCP.
    ///
    /// # Errors
    /// When a method was asked for that does not accept the problem.
    pub fn solve(&mut self, lcp: &Lcp) -> Result<&Solution, InputError> {
        let data = Data {
            M: lcp.M(),
            q: lcp.q(),
            free: &[],
        };
        self.begin(lcp.n());
        for method in [Method::Lemke, Method::LemkeLexicographic, Method::LemkeExtended] {
            if self.options.method.is_some_and(|only| only != method) {
                continue;
            }
            if self.attempt(method, data, lcp.view(), Start::default(), |y, z| z.copy_from_slice(y)) {
                break;
            }
            if self.solution.status == Status::Inaccurate {
                let mut basis = Vec::new();
                if method == Method::LemkeExtended {
                    self.extended.basis(lcp.n(), &mut basis)
                } else {
                    self.lemke.basis(lcp.n(), &mut basis)
                }
                if self.attempt(
                    method,
                    data,
                    lcp.view(),
                    Start {
                        basis: &basis,
                        cover: &[],
                    },
                    |y, z| z.copy_from_slice(y),
                ) {
                    break;
                }
            }
        }
        Ok(&self.solution)
    }

    /// Solves a mixed problem.
    ///
    /// # Errors
    /// When a method was asked for that does not accept the problem, or rewriting its bounds overflows.
    pub fn solve_mixed(&mut self, problem: &Mlcp) -> Result<&Solution, InputError> {
        let reduced = Reduced::new(problem)?;
        self.begin(problem.n());
        for method in [Method::Lemke, Method::LemkeLexicographic, Method::LemkeExtended] {
            if self.attempt(method, reduced.data(), problem.view(), Start::default(), |y, z| {
                reduced.recover(problem, y, z)
            }) {
                return Ok(&self.solution);
            }
        }
        let split = reduced.split()?;
        for method in [Method::Lemke, Method::LemkeLexicographic, Method::LemkeExtended] {
            if self.attempt(method, split.data(), problem.view(), Start::default(), |y, z| {
                split.recover(problem, y, z)
            }) {
                break;
            }
        }
        Ok(&self.solution)
    }

    fn begin(&mut self, n: usize) {
        let solution = &mut self.solution;
        solution.stats.clear();
        solution.certificate = None;
        solution.z.clear();
        solution.z.resize(n, 0.0);
    }

    /// Runs one method and judges its answer. True when it is solved.
    fn attempt(
        &mut self,
        method: Method,
        data: Data<'_>,
        problem: View<'_>,
        start: Start<'_>,
        recover: impl Fn(&[f64], &mut [f64]),
    ) -> bool {
        self.y.clear();
        self.y.resize(data.n(), 0.0);
        let options = lemke::Options {
            lexicographic: method == Method::LemkeLexicographic,
            ..self.options.lemke
        };
        let options = if start.basis.is_empty() {
            options
        } else {
            lemke::Options {
                feasibility_tolerance: 1e-2 * options.feasibility_tolerance,
                noise: 0.0,
                ..options
            }
        };
        let (outcome, pivots, factorizations) = match method {
            Method::LemkeExtended => run_lemke(&mut self.extended, data, start, &options, &mut self.y),
            _ => run_lemke(&mut self.lemke, data, start, &options, &mut self.y),
        };
        let solution = &mut self.solution;
        let mut status = match outcome {
            Outcome::Complementary => Status::Inaccurate,
            Outcome::Ray => Status::Ray,
            Outcome::UnboundedDrive => Status::UnboundedDrive,
            Outcome::PivotLimit | Outcome::Cycle => Status::PivotLimit,
            Outcome::Singular => Status::SingularBasis,
        };
        recover(&self.y, &mut solution.z);
        let (verdict, residual) = self.judge.judge(problem, &solution.z, self.options.tolerance);
        if outcome == Outcome::Complementary {
            status = verdict;
        }
        if status == Status::Ray {
            solution.certificate = Some(Certificate::Ray {
                direction: self.lemke.ray(data),
            });
        }
        solution.residual = residual;
        solution.w.clear();
        solution.w.extend_from_slice(self.judge.w());
        solution.status = status;
        solution.stats.pivots += pivots;
        solution.stats.factorizations += factorizations;
        solution.stats.runs.push(Run { method, status, pivots });
        status == Status::Solved
    }
}

fn run_lemke<T: Real>(
    lemke: &mut Lemke<T>,
    data: Data<'_>,
    start: Start<'_>,
    options: &lemke::Options,
    z: &mut [f64],
) -> (Outcome, usize, usize) {
    let outcome = lemke.run(data, start, options, z);
    (outcome, lemke.pivots(), lemke.factorizations())
}
